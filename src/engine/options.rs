//! The settings with their ranges and defaults, and the limits that follow from them.

use super::level;
use crate::base::clock::Instant;
use crate::base::processors::processors;
use crate::eval::EvaluatorKind;
use crate::search::{Ponder, SearchLimits, TranspositionTable};
use std::sync::OnceLock;
use std::time::Duration;

/// The engine's settings. They survive new games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Memory limit of the process in bytes.
    pub max_memory: u64,
    /// Size of the hash table in bytes, within `max_memory`; `None`: chosen from `max_memory`.
    pub hash_size: Option<u64>,
    /// Time limit per move; zero: answer at once; `None`: not set.
    pub turn: Option<Duration>,
    /// Longest time for a question that has a clock, or no other limit that ends it; `None`: no such limit.
    pub longest: Option<Duration>,
    /// Time limit for the whole game; `None`: unlimited or not set.
    pub match_time: Option<Duration>,
    /// Milliseconds left for the game as the manager last sent them, possibly negative; `None`: not sent.
    pub time_left: Option<i64>,
    /// Which game they are about.
    pub time_left_of: TimeLeftOf,
    /// Time used for moves since the manager last sent `time_left`, or since the game began.
    pub spent: Duration,
    /// Time added after the moves since then.
    pub gained: Duration,
    /// Number of moves since then.
    pub moves: u32,
    /// Microseconds that a move takes of the game's clock beyond the time counted here, as the times left that the manager sends
    /// show; below zero where it takes less.
    pub overhead: i64,
    /// Time added after each move.
    pub increment: Duration,
    /// Node limit per move.
    pub max_nodes: Option<u64>,
    /// Deepest iteration per move.
    pub max_depth: Option<u32>,
    /// The evaluation.
    pub evaluator: EvaluatorKind,
    /// Threads; [`Options::usable_threads`] bounds them.
    pub threads: usize,
    /// Strength of the moves that are played, 0 to 100; see [`level`]. Analysis ignores it.
    pub strength: u32,
    /// Random seed of the levels below full; the same seed plays the same game.
    pub seed: u64,
    /// Random seed of the next opening proposed under swap2; each one changes it.
    pub opening_seed: u64,
    /// Whether symmetric moves all count among the best lines.
    pub all_symmetric: bool,
}

/// Which game the manager's `time_left` is about. It may send it before the game begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeLeftOf {
    /// That of the next question: none has been asked since.
    #[default]
    Next,
    /// The present one.
    Present,
    /// An earlier one: a new match time replaces it.
    Earlier,
}

impl Options {
    /// The default memory limit: that of the official tournaments.
    pub const DEFAULT_MEMORY: u64 = 350 << 20;
    /// Memory beside the hash table: code, tables, stacks; in bytes.
    const RESERVED_MEMORY: u64 = 24 << 20;
    /// Memory for each thread after the first: used stack, board, histories; in bytes.
    const THREAD_MEMORY: u64 = 6 << 20;
    /// Most threads on any machine.
    const THREADS_MAX: usize = 64;
    /// Smallest hash table in bytes.
    const HASH_MIN: u64 = 1 << 20;
    /// Largest hash table in bytes.
    const HASH_MAX: u64 = TranspositionTable::MAX_BYTES;

    /// The time per move without any limit in the settings.
    pub const DEFAULT_TURN: Duration = Duration::from_secs(5);
    /// The largest overhead of a move that counts, in microseconds. More is a pause, or another clock.
    const MAX_OVERHEAD: u128 = 500_000;
    /// A game clock of this many milliseconds or more means "no limit": managers send various huge numbers, and some
    /// subtract the used time from them.
    pub const UNLIMITED_MS: i64 = 100_000_000;

    /// The limits of a search whose clock starts at `started`.
    pub fn limits(&self, started: Instant) -> SearchLimits {
        let left = self.left();
        let turn = if self.is_bounded() { self.turn } else { Some(Options::DEFAULT_TURN) };
        let mut limits = SearchLimits {
            started: Some(started),
            turn,
            left,
            increment: self.increment,
            overhead: Duration::from_micros(self.overhead.max(0) as u64),
            nodes: self.max_nodes,
            depth: self.max_depth,
            nodes_per_ms: None,
            ponder: Ponder::Off,
            wants_score: false,
        };
        if turn.is_some() || left.is_some() || !limits.is_counted() {
            limits.turn = turn.into_iter().chain(self.longest).min();
        }
        limits
    }

    /// Whether a search has a limit of time, depth or nodes.
    pub fn is_bounded(&self) -> bool {
        self.turn.is_some() || self.left().is_some() || self.max_depth.is_some() || self.max_nodes.is_some()
    }

    /// Time left for the game; `None`: unlimited. It is the manager's `time_left`, else the match time, with what was added
    /// since and without what was spent since. Some managers send zero for "no clock", so zero without a match time means
    /// unlimited.
    fn left(&self) -> Option<Duration> {
        let since = |time: Duration| time.saturating_add(self.gained).saturating_sub(self.spent);
        match self.time_left {
            Some(ms) if ms >= Options::UNLIMITED_MS => None,
            Some(0) if self.match_time.is_none() => None,
            Some(ms) => Some(since(Duration::from_millis(ms.max(0) as u64))),
            None => self.match_time.map(since),
        }
    }

    /// Counts a move on the game's clock.
    pub fn count_move(&mut self, time: Duration) {
        self.count_time(time);
        self.gained = self.gained.saturating_add(self.increment);
        self.moves += 1;
    }

    /// Counts the time of a question that may be no move.
    pub fn count_time(&mut self, time: Duration) {
        self.spent += time;
        if self.time_left_of == TimeLeftOf::Next {
            self.time_left_of = TimeLeftOf::Present;
        }
    }

    /// Called after each question, also one that was refused. Bug: the time left that was sent with such a one was kept for the next
    /// game.
    pub fn end_question(&mut self) {
        self.count_time(Duration::ZERO);
    }

    /// Learns no overhead from the moves so far.
    pub fn forget_moves(&mut self) {
        self.moves = 0;
    }

    /// Called when the manager sends the time left.
    pub fn set_time_left(&mut self, ms: i64) {
        self.learn_overhead(Duration::from_millis(ms.clamp(0, Options::UNLIMITED_MS) as u64));
        (self.time_left, self.time_left_of) = (Some(ms), TimeLeftOf::Next);
        self.restart_clock();
    }

    /// The time left that was just set was true `at` some time in a search; now it is counted from `from` on.
    pub fn count_time_left_from(&mut self, at: Instant, from: Instant) {
        if self.time_left.is_some_and(|ms| ms > 0) {
            self.gained = at.saturating_duration_since(from);
            self.spent = from.saturating_duration_since(at);
        }
    }

    /// Learns from the time left how much more a move takes of the manager's clock than is counted here: an eighth of the new
    /// estimate is the mean of the moves since the last time left. Overheads below zero count, too: where a manager sends whole
    /// seconds, the mean is right.
    fn learn_overhead(&mut self, left: Duration) {
        if self.time_left_of == TimeLeftOf::Present
            && self.moves > 0
            && let Some(expected) = self.left()
        {
            let overhead = (expected.as_micros() as i128 - left.as_micros() as i128) / i128::from(self.moves);
            if overhead.unsigned_abs() <= Options::MAX_OVERHEAD {
                self.overhead = (7 * self.overhead + overhead as i64) / 8;
            }
        }
    }

    /// Called when the manager sends the time for a game.
    pub fn set_match_time(&mut self, time: Option<Duration>) {
        self.match_time = time;
        if self.time_left_of == TimeLeftOf::Earlier {
            self.time_left = None;
        }
    }

    /// Called when a game begins. The time left of the one before is given up if there is a match time, or when one comes.
    pub fn new_game(&mut self) {
        self.restart_clock();
        if self.time_left_of == TimeLeftOf::Present {
            self.time_left_of = TimeLeftOf::Earlier;
            if self.match_time.is_some() {
                self.time_left = None;
            }
        }
    }

    /// Called before an analysis, which may be no move of the game: if it has a time of its own, a clock that was not sent for it does
    /// not limit it. Returns whether the clock was left out.
    pub fn leave_out_old_clock(&mut self) -> bool {
        let is_sent = self.time_left.is_some() && self.time_left_of == TimeLeftOf::Next;
        let is_old = self.turn.is_some() && !is_sent;
        if is_old {
            (self.time_left, self.match_time) = (None, None);
        }
        is_old
    }

    fn restart_clock(&mut self) {
        (self.spent, self.gained, self.moves) = (Duration::ZERO, Duration::ZERO, 0);
    }
}

impl Options {
    /// Most threads on this machine: two for each processor, up to 64.
    pub fn machine_threads() -> usize {
        static THREADS: OnceLock<usize> = OnceLock::new();
        *THREADS.get_or_init(|| (2 * processors()).min(Options::THREADS_MAX))
    }

    /// Most threads of a search: bounded by the machine and by half of the memory.
    pub fn max_threads(&self) -> usize {
        let helpers = self.free_memory() / 2 / Options::THREAD_MEMORY;
        Options::machine_threads().min(1 + helpers as usize)
    }

    /// Threads of a search: the setting, but at most [`Options::max_threads`].
    pub fn usable_threads(&self) -> usize {
        self.threads.clamp(1, self.max_threads())
    }

    /// The memory limit without [`Options::RESERVED_MEMORY`], in bytes.
    fn free_memory(&self) -> u64 {
        self.max_memory.saturating_sub(Options::RESERVED_MEMORY)
    }

    /// Largest hash table that the memory limit and the threads allow, in bytes.
    pub fn hash_limit(&self) -> u64 {
        let helpers = self.usable_threads() as u64 - 1;
        let free = self.free_memory().saturating_sub(helpers * Options::THREAD_MEMORY);
        (free / 8 * 7).clamp(Options::HASH_MIN, Options::HASH_MAX)
    }

    /// Size of the hash table in bytes: the setting, or all that the memory limit allows. The table grows up to it.
    pub fn hash_bytes(&self) -> u64 {
        self.hash_size.unwrap_or(Options::HASH_MAX).clamp(Options::HASH_MIN, self.hash_limit())
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_memory: Options::DEFAULT_MEMORY,
            hash_size: None,
            turn: None,
            longest: None,
            match_time: None,
            time_left: None,
            time_left_of: TimeLeftOf::default(),
            spent: Duration::ZERO,
            gained: Duration::ZERO,
            moves: 0,
            overhead: 0,
            increment: Duration::ZERO,
            max_nodes: None,
            max_depth: None,
            evaluator: EvaluatorKind::default(),
            threads: 1,
            strength: level::FULL,
            seed: 0,
            opening_seed: 0,
            all_symmetric: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::search::params::Params;
    use crate::search::time::TimeManager;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn limits(turn: Option<u64>, match_time: Option<u64>, time_left: Option<i64>) -> (Option<u64>, Option<u64>) {
        let options = Options {
            turn: turn.map(Duration::from_millis),
            match_time: match_time.map(Duration::from_millis),
            time_left,
            ..Options::default()
        };
        let limits = options.limits(Instant::now());
        let ms = |time: Duration| time.as_millis() as u64;
        (limits.turn.map(ms), limits.left.map(ms))
    }

    #[test]
    fn the_clock_table() {
        assert_eq!(limits(None, None, None), (Some(5000), None));
        assert_eq!(limits(None, None, Some(2_147_483_647)), (Some(5000), None));
        assert_eq!(limits(None, None, Some(60_000)), (None, Some(60_000)));
        assert_eq!(limits(None, Some(60_000), None), (None, Some(60_000)));
        assert_eq!(limits(Some(300), Some(60_000), Some(50_000)), (Some(300), Some(50_000)));
        assert_eq!(limits(Some(300), None, Some(99_999_999)), (Some(300), Some(99_999_999)));
        assert_eq!(limits(Some(300), Some(60_000), Some(100_000_000)), (Some(300), None));
        assert_eq!(limits(Some(300), Some(60_000), Some(0)), (Some(300), Some(0)));
        assert_eq!(limits(Some(300), Some(60_000), Some(-250)), (Some(300), Some(0)));
        assert_eq!(limits(Some(300), None, Some(0)), (Some(300), None));
        assert_eq!(limits(Some(300), None, Some(-1)), (Some(300), Some(0)));
        assert_eq!(limits(Some(0), None, Some(2_147_483_647)), (Some(0), None));
    }

    #[test]
    fn a_depth_or_node_limit_replaces_the_default_time() {
        let depth = Options { max_depth: Some(4), ..Options::default() }.limits(Instant::now());
        assert_eq!((depth.turn, depth.depth), (None, Some(4)));
        let nodes = Options { max_nodes: Some(4), ..Options::default() }.limits(Instant::now());
        assert_eq!((nodes.turn, nodes.nodes), (None, Some(4)));
    }

    /// Bug: a game clock alone gave an opening question more than its longest time.
    #[test]
    fn the_longest_time_bounds_every_clock_and_no_count() {
        let longest = Some(Duration::from_secs(60));
        let limits = |options: Options| Options { longest, ..options }.limits(Instant::now()).turn;
        let default = Options::default;
        assert_eq!(limits(default()), Some(Options::DEFAULT_TURN));
        assert_eq!(limits(Options { turn: Some(Duration::from_secs(2000)), ..default() }), longest);
        assert_eq!(limits(Options { time_left: Some(7_200_000), ..default() }), longest);
        assert_eq!(limits(Options { max_nodes: Some(1000), ..default() }), None);
        // Bug: an opening question under a depth that no search reaches went on until it was stopped.
        assert_eq!(limits(Options { max_depth: Some(200), ..default() }), longest);
    }

    #[test]
    fn threads_are_bounded_by_the_machine_and_by_memory() {
        let usable = |threads, mib: u64| Options { threads, max_memory: mib << 20, ..Options::default() };
        assert_eq!(usable(1, 350).usable_threads(), 1);
        assert_eq!(usable(0, 350).usable_threads(), 1);
        assert_eq!(usable(2, 350).usable_threads(), 2.min(Options::machine_threads()));
        assert_eq!(usable(usize::MAX, 4096).usable_threads(), Options::machine_threads());
        assert_eq!(usable(usize::MAX, 24).usable_threads(), 1);
        assert_eq!(usable(usize::MAX, 36).usable_threads(), 2.min(Options::machine_threads()));
        assert!((2..=64).contains(&Options::machine_threads()));
        let (one, two) = (usable(1, 80).hash_limit(), usable(2, 80).hash_limit());
        assert_eq!(one - two, Options::THREAD_MEMORY / 8 * 7);
    }

    #[test]
    fn time_spent_is_subtracted_from_the_match_time() {
        let mut options = Options { match_time: Some(Duration::from_secs(10)), ..Options::default() };
        options.spent = Duration::from_secs(4);
        assert_eq!(options.limits(Instant::now()).left, Some(Duration::from_secs(6)));
        options.spent = Duration::from_secs(40);
        assert_eq!(options.limits(Instant::now()).left, Some(Duration::ZERO));
    }

    /// Bug: the time added after each move did not count where the manager does not send the time left.
    #[test]
    fn time_added_after_each_move_counts() {
        let ms = Duration::from_millis;
        let mut options = Options { match_time: Some(ms(10_000)), increment: ms(5000), ..Options::default() };
        let left = |options: &Options| options.limits(Instant::now()).left;
        options.count_move(ms(7000));
        assert_eq!(left(&options), Some(ms(8000)));
        options.count_move(ms(7000));
        assert_eq!(left(&options), Some(ms(6000)));
        options.new_game();
        assert_eq!(left(&options), Some(ms(10_000)));
    }

    /// Bug: under a judge that looks for the answer every 100 ms, a game of 182 moves was lost on time.
    #[test]
    fn a_judge_with_a_coarse_clock_wins_no_game_on_time() {
        let ms = Duration::from_millis;
        let params = Params::shipped(Rule::Freestyle);
        let mut random = SmallRng::seed_from_u64(1);
        for (tick, turn, game) in
            [(100, 1000, 60_000), (100, 5000, 120_000), (100, 500, 30_000), (30, 300, 10_000)].repeat(10)
        {
            let mut options = Options { turn: Some(ms(turn)), match_time: Some(ms(game)), ..Options::default() };
            let mut left = game;
            for stones in (0..225).step_by(2) {
                options.set_time_left(left as i64);
                let manager = TimeManager::new(&options.limits(Instant::now()), 225 - stones, &params);
                let deadline = (0..=turn).find(|&now| manager.is_over(ms(now))).expect("a move has a deadline");
                let used = deadline * random.random_range(20..=100) / 100;
                options.count_move(ms(used));
                let counted = (used / tick + 1) * tick;
                assert!(counted <= left, "{counted} of {left} ms at stone {stones}, {tick}, {turn}, {game}");
                left -= counted;
            }
        }
    }

    #[test]
    fn only_a_time_left_after_moves_of_the_same_game_shows_their_overhead() {
        let ms = Duration::from_millis;
        let mut options = Options::default();
        let after = |options: &mut Options, time, left| {
            options.count_move(ms(time));
            options.set_time_left(left);
            options.limits(Instant::now()).overhead
        };
        options.set_time_left(60_000);
        assert_eq!(after(&mut options, 1000, 58_840), ms(20), "an eighth of 160");
        options.count_move(ms(1000));
        assert_eq!(after(&mut options, 1000, 56_480), ms(40), "180 for each of two moves");
        assert_eq!(after(&mut options, 1000, 55_480), ms(35), "nothing");
        assert_eq!(after(&mut options, 1000, 45_000), ms(35), "a pause");
        assert_eq!(after(&mut options, 1000, 54_000), ms(35), "time was added");
        assert_eq!(after(&mut options, 1000, i64::MAX), ms(35), "no limit any more");
        assert_eq!(after(&mut options, 1000, i64::MIN), ms(35), "and again one");
        options.set_time_left(44_000);
        assert_eq!(options.overhead, 35_000, "no move since");
        options.count_move(ms(1000));
        options.new_game();
        options.set_time_left(43_900);
        assert_eq!(options.overhead, 35_000, "another game");
        options.count_move(ms(1000));
        options.forget_moves();
        options.set_time_left(42_800);
        assert_eq!(options.overhead, 35_000, "measured during the search");
        // Bug: the difference of the clocks overflowed.
        options.increment = ms(i64::MAX as u64 / 1000);
        assert_eq!(after(&mut options, 1000, 10_000), ms(35), "an increment without end");
    }

    /// Bug: a time left that was sent during a search counted from the end of that search.
    #[test]
    fn a_time_left_of_mid_search_counts_from_another_moment() {
        let asked = Instant::now();
        let later = asked + Duration::from_secs(3);
        for (sent, at, from, left) in
            [(9000, asked, later, 6000), (9000, later, asked, 12_000), (2000, asked, later, 0), (-1, later, asked, 0)]
        {
            let mut options = Options::default();
            options.set_time_left(sent);
            options.count_time_left_from(at, from);
            assert_eq!(options.limits(asked).left, Some(Duration::from_millis(left)), "{sent}");
        }
    }

    /// Of a clock in whole seconds each time left is up to a second less than the true one, which is no overhead.
    #[test]
    fn whole_seconds_show_no_overhead() {
        let mut random = SmallRng::seed_from_u64(2);
        let (mut options, mut left, mut sum) = (Options::default(), 600_000, 0);
        for _ in 0..200 {
            options.set_time_left(left / 1000 * 1000);
            sum += options.overhead;
            let used = random.random_range(100..=5000);
            options.count_move(Duration::from_millis(used as u64));
            left -= used;
        }
        assert!((sum / 200).abs() < 20_000, "{sum}");
    }

    /// Bug: the time left of an earlier game counted in the next one, for which the manager had sent a match time only.
    #[test]
    fn the_time_left_of_an_earlier_game_gives_way_to_a_new_match_time() {
        let ms = Duration::from_millis;
        let played = || {
            let mut options = Options::default();
            options.set_match_time(Some(ms(60_000)));
            options.set_time_left(3000);
            options.count_move(ms(1000));
            options
        };
        let left = |options: &Options| options.limits(Instant::now()).left;
        assert_eq!(left(&played()), Some(ms(2000)));

        let mut after = played();
        after.new_game();
        after.set_match_time(Some(ms(50_000)));
        assert_eq!(left(&after), Some(ms(50_000)));
        after.count_move(ms(1000));
        after.set_match_time(Some(ms(50_000)));
        assert_eq!(left(&after), Some(ms(49_000)));

        let mut before = played();
        before.set_match_time(Some(ms(50_000)));
        assert_eq!(left(&before), Some(ms(2000)), "the game goes on");
        before.new_game();
        assert_eq!(left(&before), Some(ms(50_000)));

        // Some managers send it before the game.
        let mut sent = played();
        sent.set_time_left(40_000);
        sent.new_game();
        sent.set_match_time(Some(ms(50_000)));
        assert_eq!(left(&sent), Some(ms(40_000)));
        // Bug: a match time that was not sent again did not count: the next opening had the time that the last game had left.
        let mut silent = played();
        silent.new_game();
        assert_eq!(left(&silent), Some(ms(60_000)));
        // Without a match time, what is not sent again stays.
        let mut unlimited = played();
        unlimited.set_match_time(None);
        unlimited.new_game();
        assert_eq!(left(&unlimited), Some(ms(3000)));
    }

    /// Bug: the clock of a finished game limited every analysis after it.
    #[test]
    fn an_analysis_leaves_out_a_clock_that_was_not_sent_for_it() {
        let ms = Duration::from_millis;
        let mut options = Options { turn: Some(ms(1000)), ..Options::default() };
        options.set_match_time(Some(ms(60_000)));
        assert!(options.clone().leave_out_old_clock(), "only a move has used the clock");
        options.set_time_left(-500);
        assert!(!options.leave_out_old_clock(), "sent for this question");
        options.count_move(ms(10));
        let mut without_time = Options { turn: None, ..options.clone() };
        assert!(!without_time.leave_out_old_clock(), "nothing else limits it");
        assert!(options.leave_out_old_clock());
        assert_eq!(options.limits(Instant::now()).left, None);
    }
}
