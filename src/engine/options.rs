//! What the user may set, with ranges and defaults. Floor 4.

use std::time::Duration;

/// The engine's settings. They survive new games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Everything the process may hold, in bytes.
    pub max_memory: u64,
    /// Hash size asked for explicitly, in bytes; still bounded by `max_memory`.
    pub hash_size: Option<u64>,
    /// Most time per move; `None`: never told.
    pub turn: Option<Duration>,
    /// Whether the game has a time limit at all.
    pub match_limited: bool,
    /// Time left for the game as last told; `None`: unlimited or never told.
    pub left: Option<Duration>,
    /// Time added after each move.
    pub increment: Duration,
    /// Most nodes per move.
    pub max_nodes: Option<u64>,
    /// Deepest iteration per move.
    pub max_depth: Option<u32>,
}

impl Options {
    /// The memory limit assumed until told otherwise: that of the official tournaments.
    pub const DEFAULT_MEMORY: u64 = 350 << 20;
    /// The time per move when nothing at all is known.
    pub const DEFAULT_TURN: Duration = Duration::from_secs(5);
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_memory: Options::DEFAULT_MEMORY,
            hash_size: None,
            turn: None,
            match_limited: false,
            left: None,
            increment: Duration::ZERO,
            max_nodes: None,
            max_depth: None,
        }
    }
}
