//! The Gomocup protocol as managers speak it. One thread listens, one thinks and answers, and one writes the answers.
//!
//! ```text
//! stdin -> input -> assembler -> (Order) -> session -> engine
//!             \                               ^   \
//!              `-------- traffic (cuts) -------'    `-> reply -> output -> stdout
//! ```

pub mod assembler;
pub mod command;
pub mod info;
pub mod input;
mod number;
pub mod output;
pub mod reply;
pub mod session;
pub mod session_record;
pub mod traffic;
mod waiting;

use output::Output;
use session::Session;
use session_record::Recorder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::SystemTime;
use traffic::Traffic;

/// Stack of the thinking thread in bytes: searches are deep, and the main thread's stack is small on some systems.
const STACK: usize = 64 << 20;

/// Bound of the command queue, larger than any burst of GUI mouse events. When it is full, the listener stops reading and
/// further commands stay in the pipe.
const COMMAND_QUEUE: usize = 20_000;

/// Environment variable with the file to record the session to, for managers that start a brain without arguments. `%p`
/// in it stands for the process id, for several brains at a time.
pub const RECORD_VARIABLE: &str = "TENGEN_RECORD";

fn with_process_id(path: PathBuf) -> PathBuf {
    match path.to_str() {
        Some(name) if name.contains("%p") => name.replace("%p", &std::process::id().to_string()).into(),
        _ => path,
    }
}

/// Speaks the protocol on the standard streams until `END` or the end of the input. Records the session to the file
/// `record`, or to the one in [`RECORD_VARIABLE`].
///
/// Returns when all earlier questions are answered and the database is saved. Each wait on the way is bounded: searches
/// are stopped ([`Traffic`]), a manager that has left and no longer reads gets a timeout ([`Output`]), and so does file
/// access ([`crate::engine::files`]), except that of a record.
///
/// # Errors
/// The file `record` cannot be created, or a thread cannot be started or panics.
pub fn run(record: Option<&Path>) -> io::Result<()> {
    let began = input::process_start();
    let named = std::env::var_os(RECORD_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let create = |path: &Path| {
        Recorder::create(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    };
    let (recorder, unrecorded) = match (record, named) {
        (Some(path), _) => (Some(create(path)?), None),
        // A game is played even if it cannot be recorded.
        (None, Some(path)) => {
            create(&with_process_id(path)).map_or_else(|e| (None, Some(e)), |made| (Some(made), None))
        }
        (None, None) => (None, None),
    };
    let traffic = Arc::new(Traffic::new(recorder));
    let (sender, orders) = mpsc::sync_channel(COMMAND_QUEUE);
    let output = Output::new(reply::output, Arc::clone(&traffic))?;
    let shared = Arc::clone(&traffic);
    let is_typed = record.is_none() && input::is_terminal();
    let thinking = thread::Builder::new().name("think".into()).stack_size(STACK).spawn(move || {
        let is_recorded = shared.recorder().is_some();
        let mut session = Session::new(output, shared);
        session.set_began(began);
        if !is_recorded {
            // Different openings every time, unless the session is recorded for replay.
            session.set_opening_seed(random_seed());
        }
        if let Some(error) = unrecorded {
            // If this fails, the manager is gone, and the session notices that with its first answer.
            let _ = session.warn("session not recorded", &error);
        }
        if is_typed {
            // If this fails, the first answer does too.
            let _ = session.greet();
        }
        session.serve(&orders);
    })?;
    thread::Builder::new()
        .name("listen".into())
        .spawn(move || input::listen(input::input(), began, &traffic, &sender))?;
    thinking.join().map_err(|_| io::Error::other("the thinking thread panicked"))
}

/// A different number every time, from the clock and the process id; the system's random keys are not used, see
/// [`crate::base::maps`].
fn random_seed() -> u64 {
    let mut hasher = DefaultHasher::new();
    (SystemTime::now(), std::process::id()).hash(&mut hasher);
    hasher.finish()
}
