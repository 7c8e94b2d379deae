//! The Gomocup protocol as managers speak it. One thread listens, one thinks and answers, and one writes the answers.
//!
//! ```text
//! stdin -> input -> assembler -> (Order) -> queue -> session -> engine
//!             \                                        ^   \
//!              `-------- traffic (cuts) ---------------'    `-> reply -> output -> stdout
//! ```

pub mod assembler;
pub mod command;
pub mod info;
pub mod input;
mod number;
pub mod output;
pub mod queue;
pub mod reply;
pub mod session;
pub mod session_record;
pub mod traffic;
mod waiting;

use crate::base::memory;
use output::Output;
use session::Session;
use session_record::Recorder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;
use traffic::Traffic;
#[cfg(unix)]
use {
    crate::base::clock::Instant,
    command::Command,
    std::sync::Weak,
    std::time::Duration,
    traffic::{Order, Stamp},
};

/// Stack of the thinking thread in bytes: searches are deep, and the main thread's stack is small on some systems.
const STACK: usize = 64 << 20;

/// Memory for the stacks of the threads and what the search needs besides the hash table, in bytes. Without it the process ends
/// with an error: a thread that runs out of memory would abort it.
const NEEDED: usize = STACK + OTHER_STACKS + memory::REST;
/// Stacks of the other threads.
const OTHER_STACKS: usize = 8 << 20;

/// After the output was closed, the time for reading what the manager had sent before.
#[cfg(unix)]
const LAST_COMMANDS: Duration = Duration::from_millis(200);

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
/// access ([`crate::engine::files`]), except that of a record. Also returns when the output is closed.
///
/// # Errors
/// The file `record` cannot be created, there is not enough memory, or a thread cannot be started or panics.
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
    let (sender, orders) = queue::queue();
    let sender = Arc::new(sender);
    memory::spare_address_space();
    if !memory::is_available(NEEDED) {
        let text = format!("not enough memory: {} MiB are needed besides the program", NEEDED >> 20);
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, text));
    }
    let output = Output::new(reply::output, Arc::clone(&traffic)).map_err(|error| no_thread(&error))?;
    let shared = Arc::clone(&traffic);
    // Its writing end is closed with the session.
    #[cfg(unix)]
    let (ended, running) = io::pipe()?;
    let is_typed = record.is_none() && input::is_terminal();
    let thinking = thread::Builder::new().name("think".into()).stack_size(STACK).spawn(move || {
        #[cfg(unix)]
        let _running = running;
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
    });
    let thinking = thinking.map_err(|error| no_thread(&error))?;
    #[cfg(unix)]
    let (watched, session) = (Arc::clone(&traffic), Arc::downgrade(&sender));
    thread::Builder::new()
        .name("listen".into())
        .spawn(move || input::listen(input::input(), began, &traffic, &sender))
        .map_err(|error| no_thread(&error))?;
    #[cfg(unix)]
    watch_output(&watched, &session, &ended);
    thinking.join().map_err(|_| io::Error::other("the thinking thread panicked"))
}

fn no_thread(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot start a thread: {error}"))
}

/// Waits for the end of the session, after which the other end of `ended` is closed, and ends it when the output is closed. Nobody
/// reads what it finds from then on: its search stops at once, also one in the opponent's time. What was sent before is still
/// carried out, since it may change the database.
#[cfg(unix)]
fn watch_output(traffic: &Traffic, session: &Weak<queue::Sender>, ended: &io::PipeReader) {
    if !waiting::is_closed_first(reply::output(), ended, None) {
        return;
    }
    log::info!("the output is closed");
    traffic.abandon();
    waiting::is_closed_first(ended, ended, Some(LAST_COMMANDS));
    if let Some(session) = session.upgrade() {
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        // The session may have ended by itself.
        let _ = session.send(Order { seq: u64::MAX, stamp, command: Command::End }, 0);
    }
}

/// A different number every time, from the clock and the process id; the system's random keys are not used, see
/// [`crate::base::maps`].
fn random_seed() -> u64 {
    let mut hasher = DefaultHasher::new();
    (SystemTime::now(), std::process::id()).hash(&mut hasher);
    hasher.finish()
}
