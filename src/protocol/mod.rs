//! Floor 5: the Gomocup protocol, as managers really speak it. One thread listens, another one thinks and answers, and
//! a third one writes the answers.
//!
//! ```text
//! stdin -> input -> command -> (Order) -> session -> engine
//!             \                             ^   \
//!              `------- traffic (cuts) -----'    `-> reply -> output -> stdout
//! ```

pub mod command;
pub mod info;
pub mod input;
mod number;
pub mod output;
pub mod record;
pub mod reply;
pub mod session;
pub mod traffic;

use output::Output;
use record::Recorder;
use session::Session;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::SystemTime;
use traffic::Traffic;

/// Stack of the thinking thread: searches are deep, and the main thread's stack is small on some systems.
const STACK: usize = 64 << 20;

/// Commands that may wait for the session: more than a mouse makes that is reported all through a long search. Whoever
/// writes more of them is made to wait, too: the listener does not read on, and they stay in the pipe.
const WAITING: usize = 20_000;

/// Names the file to record a session to, for managers that start a brain without arguments; `%p` in it stands for the
/// number of the process, where several of them run.
pub const RECORD_VARIABLE: &str = "TENGEN_RECORD";

fn with_process_number(path: PathBuf) -> PathBuf {
    match path.to_str() {
        Some(name) if name.contains("%p") => name.replace("%p", &std::process::id().to_string()).into(),
        _ => path,
    }
}

/// Speaks the protocol on the standard streams until `END` or the end of the input; writes down what happens if there
/// is a file to write it to, here or in [`RECORD_VARIABLE`].
///
/// It is over when the session is: what was asked before the end is answered, and what is to be kept is in its file.
/// What could hold that up has a bound of its own: searches are cut, see [`Traffic`]; a manager that has left is not
/// waited for, see [`Output`]; nor are files that do not answer, see [`crate::engine::files`].
pub fn run(record: Option<&Path>) -> io::Result<()> {
    let began = input::process_start();
    let named = std::env::var_os(RECORD_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let recorder = match record {
        Some(path) => Some(Recorder::create(path)?),
        // A game is not given up because it cannot be written down.
        None => named.map(with_process_number).and_then(|path| {
            Recorder::create(&path).inspect_err(|error| log::error!("{}: {error}", path.display())).ok()
        }),
    };
    let traffic = Arc::new(Traffic::new(recorder));
    let (sender, orders) = mpsc::sync_channel(WAITING);
    let output = Output::new(reply::output, Arc::clone(&traffic))?;
    let shared = Arc::clone(&traffic);
    let thinking = thread::Builder::new().name("think".into()).stack_size(STACK).spawn(move || {
        let is_recorded = shared.recorder().is_some();
        let mut session = Session::new(output, shared);
        session.set_began(began);
        if !is_recorded {
            // Other openings every time, unless the session is to be repeated.
            session.set_opening_seed(seed_of_the_moment());
        }
        session.serve(&orders);
    })?;
    thread::Builder::new().name("listen".into()).spawn(move || input::listen(input::input(), began, &traffic, &sender))?;
    thinking.join().map_err(|_| io::Error::other("the thinking thread panicked"))
}

/// Another number every time: from the clock and the process, without the system's random keys (see
/// [`crate::base::maps`]).
fn seed_of_the_moment() -> u64 {
    let mut hasher = DefaultHasher::new();
    (SystemTime::now(), std::process::id()).hash(&mut hasher);
    hasher.finish()
}
