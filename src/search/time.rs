//! When to stop: soft and hard deadlines from the limits, on a clock that tests can replace. Floor 3.
//!
//! The hard deadline holds inside an iteration; the soft one decides whether another iteration is begun. All times
//! are measured from the arrival of the command, so nothing is carried from one move to the next, and a process that
//! was suspended between moves does not notice.

use super::limits::SearchLimits;
use std::time::{Duration, Instant};

/// Where the time comes from.
pub trait Clock {
    /// Time since some fixed moment.
    fn now(&self) -> Duration;
}

/// Real time since the clock was made, or since the moment it was told.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    origin: Instant,
}

impl SystemClock {
    /// A clock that reads zero at `origin`.
    pub fn since(origin: Instant) -> SystemClock {
        SystemClock { origin }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }
}

/// The two deadlines of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TimeManager {
    soft: Option<Duration>,
    hard: Option<Duration>,
}

/// Answers that are asked for at once may still take this long.
const AT_ONCE: Duration = Duration::from_millis(5);

impl TimeManager {
    /// Deadlines for a position with `empty` empty points.
    pub fn new(limits: &SearchLimits, empty: usize) -> TimeManager {
        let moves = (empty / 2).max(1) as u32;
        let share = limits.left.map(|left| left / moves.min(7) + limits.increment);
        let budget = match (limits.turn, share) {
            (None, None) => return TimeManager::default(),
            (Some(turn), None) => turn,
            (None, Some(share)) => share,
            (Some(turn), Some(share)) => turn.min(share),
        };
        let hard = budget.saturating_sub(reserve(budget)).max(AT_ONCE);
        let soft = match (limits.turn, limits.left) {
            (_, None) => hard,
            (Some(turn), Some(left)) if turn * (empty.min(64) as u32) < left => hard,
            (_, Some(left)) => (left / moves.min(22) + limits.increment).min(hard * 9 / 10),
        };
        TimeManager { soft: Some(soft), hard: Some(hard) }
    }

    /// Whether there is any deadline to watch the clock for.
    #[inline]
    pub fn is_bounded(&self) -> bool {
        self.hard.is_some()
    }

    /// Whether the search must stop now.
    #[inline]
    pub fn is_over(&self, now: Duration) -> bool {
        self.hard.is_some_and(|hard| now >= hard)
    }

    /// Whether another iteration may begin. With a game clock to save, not when it would hardly finish: an iteration
    /// takes about as long as everything before it.
    pub fn may_deepen(&self, now: Duration) -> bool {
        match (self.soft, self.hard) {
            (Some(soft), Some(hard)) if soft < hard => now < soft * 7 / 10,
            (_, Some(hard)) => now < hard,
            _ => true,
        }
    }
}

/// What is kept back for the operating system, the pipe and the manager: 30 ms and a hundredth of the budget, but at
/// most a quarter of it.
fn reserve(budget: Duration) -> Duration {
    (Duration::from_millis(30) + budget / 100).min(budget / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows whatever time it is told.
    struct FakeClock(std::cell::Cell<Duration>);

    impl Clock for FakeClock {
        fn now(&self) -> Duration {
            self.0.get()
        }
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
            let manager = TimeManager::new(&limits(Some(turn), None), 200);
            let clock = FakeClock(std::cell::Cell::new(Duration::ZERO));
            let mut stopped_at = None;
            for now in 0..=turn {
                clock.0.set(ms(now));
                if manager.is_over(clock.now()) {
                    stopped_at = Some(now);
                    break;
                }
            }
            let stopped_at = stopped_at.expect("stops before the limit");
            assert!(stopped_at < turn && stopped_at >= turn * 7 / 10, "{turn}: {stopped_at}");
        }
    }

    #[test]
    fn nothing_left_means_at_once() {
        for limits in [limits(Some(0), None), limits(Some(5000), Some(0)), limits(None, Some(0))] {
            assert!(TimeManager::new(&limits, 200).is_over(ms(5)));
        }
    }

    #[test]
    fn a_game_clock_is_never_overdrawn() {
        for (turn, game) in [(Some(5000), 120_000), (None, 60_000), (Some(1000), 3_000), (Some(30_000), 180_000)] {
            let mut left = game;
            for stones in (0..225).step_by(2) {
                let manager = TimeManager::new(&limits(turn, Some(left)), 225 - stones);
                let used = (0..).step_by(1).find(|&now| manager.is_over(ms(now))).unwrap();
                assert!(used <= left || left < 10, "{used} of {left} ms at move {stones}");
                left = left.saturating_sub(used);
            }
        }
    }

    #[test]
    fn without_limits_there_is_no_deadline() {
        let manager = TimeManager::new(&SearchLimits::default(), 200);
        assert!(!manager.is_over(Duration::MAX) && manager.may_deepen(Duration::MAX));
    }

    #[test]
    fn an_ample_clock_uses_the_whole_turn() {
        let manager = TimeManager::new(&limits(Some(1000), Some(1_000_000)), 200);
        assert!(manager.may_deepen(ms(900)));
        let scarce = TimeManager::new(&limits(Some(30_000), Some(60_000)), 200);
        assert!(!scarce.may_deepen(ms(2500)));
    }
}
