//! The flag that cancels a run of games, and how such a run ends.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Everything is played, or a sequential test has decided.
    Finished,
    /// The user stopped it.
    Interrupted,
}

/// The status of a strict match in which something was wrong.
pub const FLAWED: u8 = 3;

impl From<RunEnd> for ExitCode {
    /// The status of a program: 130 after an interruption, as shells count Ctrl-C.
    fn from(end: RunEnd) -> ExitCode {
        match end {
            RunEnd::Finished => ExitCode::SUCCESS,
            RunEnd::Interrupted => ExitCode::from(130),
        }
    }
}

/// Set when a run is to stop. Every wait checks it. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    own: Arc<AtomicU32>,
    /// The parent's flag, which cancels this child too.
    parent: Option<Arc<AtomicU32>>,
}

impl Cancel {
    /// A child: setting it does not set this flag, and it counts as set whenever this flag is set. A child of a child does
    /// not see the grandparent.
    #[must_use]
    pub fn child(&self) -> Cancel {
        Cancel { own: Arc::default(), parent: Some(Arc::clone(&self.own)) }
    }

    /// Sets the flag; returns how often it was set before.
    pub fn set(&self) -> u32 {
        self.own.fetch_add(1, Ordering::SeqCst)
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.own.load(Ordering::SeqCst) > 0
            || self.parent.as_ref().is_some_and(|parent| parent.load(Ordering::SeqCst) > 0)
    }

    /// How a run ended that checked this flag.
    pub fn run_end(&self) -> RunEnd {
        if self.is_set() { RunEnd::Interrupted } else { RunEnd::Finished }
    }
}

/// A flag that Ctrl-C, SIGTERM and SIGHUP set; a second signal exits at once. Call it once per process.
pub fn interrupts() -> Cancel {
    let cancel = Cancel::default();
    let flag = cancel.clone();
    let handler = move || {
        if flag.set() > 0 {
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        log::warn!("Ctrl-C will not end the games cleanly: {error}");
    }
    cancel
}
