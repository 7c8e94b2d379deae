//! How the time of a game is divided among its moves, and when to stop a search.
//!
//! The hard deadline ends a search inside an iteration. Where a game clock must be saved, a move also has a share of the
//! clock, and the iterations so far decide how much of this share is used before no further one begins. All times are
//! measured from the arrival of the command: no unused time is carried from move to move (the engine only learns the overhead of a
//! move), and a suspension of the process between moves does no harm.

use super::limits::{Ponder, SearchLimits};
use super::params::Params;
use crate::base::{Point, Score};
use std::time::Duration;

/// Shortest time to the hard deadline, also where the answer is wanted at once.
const MIN_HARD: Duration = Duration::from_millis(5);

/// What a move takes of the game's clock at least: the shortest search, the system, the pipe and the manager.
const MIN_MOVE: Duration = Duration::from_millis(10);

impl SearchLimits {
    /// What a move takes of the manager's clock beyond its search. The overhead counts twice: where the judge looks for the answer at
    /// intervals, a long move takes half an interval more on average, and a quick one a whole interval.
    fn cost_of_move(&self) -> Duration {
        MIN_HARD + 2 * self.overhead
    }

    /// The limits without the part of the game's clock that this number of moves takes at least. Few games fill the board, so the
    /// overhead keeps at most three quarters of what is left. Where nodes are the clock, moves take nothing else.
    fn without_min_moves(&self, moves: u32) -> SearchLimits {
        let Some(left) = self.left.filter(|_| self.nodes_per_ms.is_none()) else { return self.clone() };
        let kept = |least: Duration| least.saturating_sub(self.increment) * moves;
        let with_overhead = kept(MIN_MOVE.max(self.cost_of_move()));
        let kept = with_overhead.min(left / 4 * 3).max(kept(MIN_MOVE));
        SearchLimits { left: Some(left.saturating_sub(kept)), ..self.clone() }
    }

    /// Time for one of `moves` moves: that part of the game's clock plus the increment. At most three quarters of what is
    /// left, because the increment comes only after the move. `None` without a game clock.
    pub fn part_of_game(&self, moves: u32) -> Option<Duration> {
        let left = self.left?;
        Some((left / moves.max(1)).saturating_add(self.increment).min(left / 4 * 3))
    }

    /// Time for a question that counts as one of `moves` moves; `None`: no limit.
    pub fn time_for_question(&self, moves: u32) -> Option<Duration> {
        self.turn.into_iter().chain(self.part_of_game(moves)).min()
    }
}

/// The time that `nodes` nodes stand for where nodes are the clock, `per_ms` to the millisecond: then the use of time can
/// be studied on a busy machine, with the same result every time.
pub fn node_time(nodes: u64, per_ms: u32) -> Duration {
    Duration::from_micros(nodes.saturating_mul(1000) / u64::from(per_ms.max(1)))
}

/// The deadlines of one move, and how the iterations went so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeManager {
    /// What an average move gets of the game clock; `None` where the clock need not be saved.
    share: Option<Duration>,
    hard: Option<Duration>,
    /// See [`SearchLimits::wants_score`].
    wants_score: bool,
    iterations: IterationHistory,
}

/// How the iterations went.
#[derive(Clone, Copy, Debug, Default)]
struct IterationHistory {
    best: Option<Point>,
    /// Recent changes of the best move, in 1/1024; halved with every iteration.
    changes: i32,
    /// Iterations since the last change.
    steady: i32,
    /// Scores of the last three iterations, the newest first.
    scores: [i32; 3],
    /// Number of iterations.
    count: i32,
    /// Thousandths of the last iteration's nodes that went to the best move.
    effort: i32,
}

impl TimeManager {
    /// Deadlines for a position with `empty` empty points.
    pub fn new(limits: &SearchLimits, empty: usize, params: &Params) -> TimeManager {
        let mut manager = TimeManager::default();
        manager.set_limits(limits, empty, params);
        manager
    }

    /// Sets other deadlines for the same search.
    pub fn set_limits(&mut self, limits: &SearchLimits, empty: usize, params: &Params) {
        self.wants_score = limits.wants_score;
        let moves = empty.div_ceil(2).max(1) as u32;
        let limits = &limits.without_min_moves(moves);
        let most = |divisor: i32| limits.part_of_game(moves.min(divisor.max(1) as u32));
        let Some(budget) = limits.turn.into_iter().chain(most(params.time_fewest_moves())).min() else {
            (self.share, self.hard) = (None, None);
            return;
        };
        let hard = budget.saturating_sub(reserve(budget, limits.cost_of_move())).max(MIN_HARD);
        let is_ample = match (limits.turn, limits.left) {
            (_, None) => true,
            (Some(turn), Some(left)) => turn.saturating_mul(moves.min(params.time_ample_moves() as u32)) < left,
            (None, Some(_)) => false,
        };
        self.share = most(params.time_moves()).filter(|_| !is_ample);
        // An iteration that began in the opponent's time may be deep, and its end far off: where the clock must be saved, it
        // gets the share of an average move.
        let share = self.share.filter(|_| limits.ponder == Ponder::Hit);
        self.hard = Some(share.map_or(hard, |share| hard.min(share.max(MIN_HARD))));
    }

    /// Whether there is a deadline.
    #[inline]
    pub fn is_bounded(&self) -> bool {
        self.hard.is_some()
    }

    /// See [`SearchLimits::wants_score`].
    pub fn wants_score(&self) -> bool {
        self.wants_score
    }

    /// Whether the search ends before its deadline when the move is clear.
    pub fn saves_time(&self) -> bool {
        self.is_bounded() && !self.wants_score
    }

    /// Whether the search must stop now.
    #[inline]
    pub fn is_over(&self, now: Duration) -> bool {
        self.hard.is_some_and(|hard| now >= hard)
    }

    /// Records the best move and score of a finished iteration. `effort`: thousandths of its nodes that went to the best
    /// moves.
    pub fn note_iteration(&mut self, best: Point, score: Score, effort: i32) {
        let iterations = &mut self.iterations;
        iterations.changes /= 2;
        iterations.steady += 1;
        if iterations.best.replace(best).is_some_and(|before| before != best) {
            iterations.changes += 1024;
            iterations.steady = 0;
        }
        iterations.scores = [score.units(), iterations.scores[0], iterations.scores[1]];
        iterations.count += 1;
        iterations.effort = effort;
    }

    /// Whether another iteration may begin. Where a game clock must be saved, only until a part of the move's share is used:
    /// more of it where the best move keeps changing, its score falls or it took few of the nodes, less where it is stable.
    /// An iteration takes about as long as all before it, so it must begin well before the time is up.
    pub fn may_deepen(&self, params: &Params, now: Duration) -> bool {
        let Some(hard) = self.hard else { return true };
        let Some(share) = self.share else { return now < hard };
        let begin = share.saturating_mul(self.iterations.time_permille(params) as u32) / 1000
            * params.time_begin() as u32
            / 100;
        now < begin.min(hard.saturating_mul(params.time_last_begin() as u32) / 100)
    }
}

impl IterationHistory {
    /// The time for this move in thousandths of an average move's.
    fn time_permille(&self, params: &Params) -> i32 {
        if self.count < 3 {
            return 1000;
        }
        let unsteady = 1000 + params.time_unsteady() * self.changes / 1024;
        let steady = 1000 - params.time_steady() * self.steady.min(params.time_steady_most());
        // Compared with two iterations ago: scores of odd and even depths differ.
        let fall = self.scores[2] - self.scores[0];
        let falling = (1000 + params.time_falling() * fall).clamp(params.time_falling_min(), params.time_falling_max());
        let shared = 1000 + params.time_effort() * (params.time_effort_usual() - self.effort) / 1000;
        let is_decided = self.scores[0].abs() >= params.time_decided_score();
        let decided = if is_decided { params.time_decided() } else { 1000 };
        let factors = [unsteady, steady, falling, shared, decided].map(i64::from);
        let product = factors.into_iter().fold(1000, |product, factor| product * factor / 1000);
        (product as i32).clamp(params.time_shortest(), params.time_longest())
    }
}

/// Reserve for the operating system, the pipe and the manager: 30 ms and a hundredth of the budget, or `cost` where
/// that is more, at most a quarter of the budget.
fn reserve(budget: Duration, cost: Duration) -> Duration {
    (Duration::from_millis(30) + budget / 100).max(cost).min(budget / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use std::sync::LazyLock;

    static PARAMS: LazyLock<Params> = LazyLock::new(|| Params::shipped(Rule::Freestyle));

    fn manager(limits: &SearchLimits, empty: usize) -> TimeManager {
        TimeManager::new(limits, empty, &PARAMS)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn limits(turn: Option<u64>, left: Option<u64>) -> SearchLimits {
        SearchLimits { turn: turn.map(ms), left: left.map(ms), ..SearchLimits::default() }
    }

    #[test]
    fn the_hard_deadline_comes_before_the_turn_ends_and_close_to_it() {
        for turn in [20, 50, 100, 300, 1000, 5000, 300_000] {
            let manager = manager(&limits(Some(turn), None), 200);
            let stopped_at = (0..=turn).find(|&now| manager.is_over(ms(now))).expect("stops before the limit");
            assert!(stopped_at < turn && stopped_at >= turn * 7 / 10, "{turn}: {stopped_at}");
        }
    }

    #[test]
    fn what_a_move_takes_of_the_managers_clock_is_kept_of_the_turn() {
        let stop = |turn, overhead| {
            let manager = manager(&SearchLimits { overhead: ms(overhead), ..limits(Some(turn), None) }, 200);
            (0..=turn).find(|&now| manager.is_over(ms(now)))
        };
        assert_eq!((stop(1000, 0), stop(1000, 17)), (Some(960), Some(960)));
        assert_eq!((stop(1000, 60), stop(5000, 100)), (Some(875), Some(4795)));
        assert_eq!(stop(200, 100), Some(150), "a quarter at most");
    }

    #[test]
    fn nothing_left_means_at_once() {
        for limits in [limits(Some(0), None), limits(Some(5000), Some(0)), limits(None, Some(0))] {
            assert!(manager(&limits, 200).is_over(ms(5)));
        }
    }

    /// Bug: in a game of more than 200 stones a minute was used up by moves that took a few milliseconds beyond the search.
    #[test]
    fn a_game_clock_lasts_until_the_board_is_full() {
        const BEYOND: u64 = 5;
        for (turn, game) in [(Some(5000), 120_000), (None, 60_000), (Some(1000), 3_000), (Some(30_000), 180_000)] {
            let mut left = game;
            for stones in (0..225).step_by(2) {
                let manager = manager(&limits(turn, Some(left)), 225 - stones);
                let used = (0..=game).find(|&now| manager.is_over(ms(now))).unwrap() + BEYOND;
                assert!(used <= left, "{used} of {left} ms at move {stones}, {turn:?}, {game}");
                left -= used;
            }
        }
    }

    #[test]
    fn an_increment_spares_the_reserve_for_the_moves_to_come() {
        let with = |increment| SearchLimits { increment: ms(increment), ..limits(None, Some(1000)) };
        let left = |increment| with(increment).without_min_moves(50).left;
        assert_eq!([left(0), left(4), left(10), left(5000)], [500, 700, 1000, 1000].map(|kept| Some(ms(kept))));
        assert_eq!(limits(None, Some(100)).without_min_moves(50).left, Some(Duration::ZERO));
        let slow = SearchLimits { overhead: ms(20), ..limits(None, Some(1000)) };
        assert_eq!([10, 50].map(|moves| slow.without_min_moves(moves).left), [550, 250].map(|kept| Some(ms(kept))));
        let by_nodes = SearchLimits { nodes_per_ms: Some(100), ..limits(None, Some(100)) };
        assert_eq!(by_nodes.without_min_moves(50), by_nodes);
    }

    /// Bug: under a manager that takes half a second for each move, the moves to come took the whole clock from the first one, and
    /// each was played at once.
    #[test]
    fn a_slow_manager_leaves_time_for_the_first_moves() {
        let slow = SearchLimits { overhead: ms(460), ..limits(Some(1000), Some(180_000)) };
        let manager = manager(&slow, 397);
        assert!(manager.may_deepen(&PARAMS, ms(200)) && !manager.is_over(ms(500)));
    }

    #[test]
    fn without_limits_there_is_no_deadline() {
        let manager = manager(&SearchLimits::default(), 200);
        assert!(!manager.is_over(Duration::MAX) && manager.may_deepen(&PARAMS, Duration::MAX));
    }

    #[test]
    fn an_ample_clock_uses_the_whole_turn() {
        let ample = manager(&limits(Some(1000), Some(1_000_000)), 200);
        assert!(ample.may_deepen(&PARAMS, ms(900)));
        let scarce = manager(&limits(Some(30_000), Some(60_000)), 200);
        assert!(!scarce.may_deepen(&PARAMS, ms(5000)));
    }

    /// The latest moment at which another iteration may begin, in ms.
    fn latest(manager: &TimeManager) -> u64 {
        (0..30_000).take_while(|&now| manager.may_deepen(&PARAMS, ms(now))).last().unwrap_or(0)
    }

    #[test]
    fn a_move_gets_more_time_when_it_is_open_and_less_when_it_is_clear() {
        let play = |iterations: &[(usize, i32, i32)]| {
            let mut manager = manager(&limits(Some(30_000), Some(60_000)), 200);
            for &(x, score, effort) in iterations {
                manager.note_iteration(Point::new(x, 7).unwrap(), Score::estimate(score), effort);
            }
            latest(&manager)
        };
        let clear = play(&[(1, 50, 700); 12]);
        let ordinary = play(&[(2, 50, 700), (1, 50, 700), (1, 50, 700), (1, 50, 700)]);
        assert!(clear < ordinary, "the same move for a long time");
        assert!(ordinary < play(&[(1, 50, 700), (2, 50, 700), (1, 50, 700), (2, 50, 700)]), "no move stays");
        assert!(clear < play(&[&[(1, 50, 700); 10][..], &[(1, 20, 700), (1, -60, 700)]].concat()), "the score falls");
        assert!(clear < play(&[&[(1, 50, 700); 11][..], &[(1, 50, 300)]].concat()), "others take as much effort");
        assert!(clear > play(&[(1, 3000, 700); 12]), "as good as won");
        // However open, a few times the share at most.
        let wild: Vec<_> = (0..20).map(|i| (i % 20, -100 * i as i32, 0)).collect();
        assert!(play(&wild) < 60_000 / 7);
    }

    /// Bug: a move took its part of the clock and the whole increment, which was more than was left.
    #[test]
    fn an_increment_is_not_spent_before_it_comes() {
        for increment in [50, 1000, 20_000, i64::MAX as u64] {
            let mut left: u64 = 60_000;
            for stones in (0..225).step_by(2) {
                let limits = SearchLimits { increment: ms(increment), ..limits(None, Some(left)) };
                let mut manager = manager(&limits, 225 - stones);
                // As open a position as there can be.
                for i in 0..9 {
                    manager.note_iteration(Point::new(i, 7).unwrap(), Score::estimate(-100 * i as i32), 0);
                }
                let used =
                    (0..=left).find(|&now| manager.is_over(ms(now)) || !manager.may_deepen(&PARAMS, ms(now))).unwrap();
                assert!(used < left, "{used} of {left} ms at move {stones}");
                left = (left - used + increment).min(120_000);
            }
        }
    }

    /// Bug: a clock with huge increments overflowed, and the search panicked.
    #[test]
    fn the_longest_clock_admits_iterations() {
        let limits = SearchLimits { left: Some(Duration::MAX), increment: Duration::MAX, ..SearchLimits::default() };
        let mut manager = manager(&limits, 1);
        manager.note_iteration(Point::new(7, 7).unwrap(), Score::DRAW, 900);
        assert!(manager.may_deepen(&PARAMS, ms(1)) && !manager.is_over(ms(1)));
    }

    #[test]
    fn a_new_limit_keeps_what_the_iterations_have_shown() {
        // The clock beyond what the 100 moves to come take at least.
        let with = |left: u64| limits(Some(30_000), Some(left + 100 * MIN_MOVE.as_millis() as u64));
        let mut manager = manager(&with(60_000), 200);
        (0..12).for_each(|_| manager.note_iteration(Point::new(1, 7).unwrap(), Score::DRAW, 900));
        let before = latest(&manager);
        manager.set_limits(&with(120_000), 200, &PARAMS);
        assert!(latest(&manager).abs_diff(2 * before) <= 2);
        manager.set_limits(&SearchLimits::default(), 200, &PARAMS);
        assert!(!manager.is_bounded() && manager.may_deepen(&PARAMS, Duration::MAX));
    }

    #[test]
    fn a_hit_takes_the_share_of_an_average_move_at_most() {
        let (scarce, ample) = (limits(Some(30_000), Some(60_000)), limits(Some(300), None));
        let hit = |limits: &SearchLimits| SearchLimits { ponder: Ponder::Hit, ..limits.clone() };
        let usual = manager(&scarce, 200);
        let share = usual.share.expect("the clock is scarce");
        assert!(!usual.is_over(share), "an open move may take more");
        assert!(manager(&hit(&scarce), 200).is_over(share));
        assert_eq!(manager(&hit(&ample), 200).hard, manager(&ample, 200).hard, "nothing to save");
        assert!(!manager(&SearchLimits::pondering(), 200).is_bounded());
    }

    #[test]
    fn nodes_can_be_the_clock() {
        assert_eq!(node_time(500_000, 1000), ms(500));
    }
}
