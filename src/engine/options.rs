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
    /// Seed of the few things that are varied (swap2 openings).
    pub seed: u64,
}

impl Options {
    /// The memory limit assumed until told otherwise: that of the official tournaments.
    pub const DEFAULT_MEMORY: u64 = 350 << 20;
    /// Hash of the bench, in bytes.
    pub const BENCH_HASH: u64 = 16 << 20;
    /// What the process needs beside its hash table: code, tables, stacks.
    const RESERVED_MEMORY: u64 = 24 << 20;
    /// Hash that a second of search can make use of.
    const HASH_PER_SECOND: u64 = 64 << 20;
    /// Smallest and smallest useful hash.
    const HASH_MIN: u64 = 1 << 20;
    const HASH_USEFUL: u64 = 16 << 20;

    /// The time per move when nothing at all is known.
    pub const DEFAULT_TURN: Duration = Duration::from_secs(5);
}

impl Options {
    /// Most bytes that the memory limit leaves for the hash table; a limit of zero means none, and is read as the
    /// tournaments' limit.
    pub fn hash_limit(&self) -> u64 {
        let memory = if self.max_memory == 0 { Options::DEFAULT_MEMORY } else { self.max_memory };
        (memory.saturating_sub(Options::RESERVED_MEMORY) * 7 / 8).max(Options::HASH_MIN)
    }

    /// Bytes for the hash table: what was asked for, or what one move's search can fill a few times over; within the
    /// memory limit.
    pub fn hash_bytes(&self) -> u64 {
        let by_time = self.turn.map(|turn| Options::HASH_PER_SECOND.saturating_mul(turn.as_millis() as u64) / 1000);
        let by_nodes = self.max_nodes.map(|nodes| nodes.saturating_mul(64));
        let useful = by_time.into_iter().chain(by_nodes).min().unwrap_or(u64::MAX).max(Options::HASH_USEFUL);
        self.hash_size.unwrap_or(useful).min(self.hash_limit()).max(Options::HASH_MIN)
    }
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
            seed: 0,
        }
    }
}
