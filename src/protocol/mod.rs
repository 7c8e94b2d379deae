//! Floor 5: the Gomocup protocol, as managers really speak it. One thread listens, another one thinks and talks.
//!
//! ```text
//! stdin -> input -> command -> (Order) -> session -> engine
//!             \                             ^   \
//!              `------- traffic (cuts) -----'    `-> reply -> stdout
//! ```

pub mod command;
pub mod info;
pub mod input;
mod number;
pub mod record;
pub mod reply;
pub mod session;
pub mod traffic;

use record::Recorder;
use session::Session;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use traffic::{Hurry, Traffic};

/// Stack of the thinking thread: searches are deep, and the main thread's stack is small on some systems.
const STACK: usize = 64 << 20;

/// How long an answer that is owed may hold up the end; a manager that left may not read it at all.
const FAREWELL: Duration = Duration::from_millis(80);

/// Names the file to record a session to, for managers that start a brain without arguments.
pub const RECORD_VARIABLE: &str = "TENGEN_RECORD";

/// Speaks the protocol on the standard streams until `END` or the end of the input; writes down what happens if there
/// is a file to write it to, here or in [`RECORD_VARIABLE`].
pub fn run(record: Option<&Path>) -> io::Result<()> {
    let named = std::env::var_os(RECORD_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let recorder = record.or(named.as_deref()).map(Recorder::create).transpose()?;
    let traffic = Arc::new(Traffic::new(recorder));
    let (sender, orders) = mpsc::channel();
    let shared = Arc::clone(&traffic);
    let thinking = thread::Builder::new().name("think".into()).stack_size(STACK).spawn(move || {
        Session::new(reply::output(), Arc::clone(&shared)).serve(orders);
        shared.finish();
    })?;
    thread::Builder::new().name("listen".into()).spawn(move || {
        let hurry = input::listen(input::input(), &traffic, &sender);
        if hurry == Hurry::AtOnce && !traffic.wait_finished(FAREWELL) {
            std::process::exit(0);
        }
    })?;
    thinking.join().map_err(|_| io::Error::other("the thinking thread panicked"))
}
