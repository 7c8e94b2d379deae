//! Pairs of games between two engines with different numbers, within one process and limited by nodes: the same on every
//! machine.

use crate::arena::cancel::Cancel;
use crate::arena::ground::Ground;
use crate::arena::openings::Opening;
use crate::parallel;
use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tengen::base::hash::GOLDEN;
use tengen::base::{Color, Point};
use tengen::board::oracle::Verdict;
use tengen::engine::Engine;
use tengen::eval::EvaluatorKind;
use tengen::search::{NullSink, SearchControl, SearchLimits, SearchReport};

/// Largest size of each engine's transposition table in bytes; it grows with the nodes, and holds four million entries.
const HASH: u64 = 64 << 20;

/// The limits of the engines: nodes for each move, or a clock that counts nodes. Neither depends on the load of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Allowance {
    /// Nodes for each move.
    Nodes(u64),
    /// Times in milliseconds, and the nodes that count as one millisecond.
    Clock {
        /// Time for a move.
        turn_ms: u32,
        /// Time for the game.
        match_ms: u32,
        /// Nodes that count as one millisecond.
        nodes_per_ms: u32,
    },
}

/// What the games of a run depend on besides the numbers of the engines. A run can only be resumed under the same conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// The grounds, as on the command line; pairs alternate between them.
    pub grounds: Vec<String>,
    /// Limits of the engines.
    pub allowance: Allowance,
    /// Whether both sides use the classical evaluation.
    pub classical: bool,
    /// The same seed gives the same run.
    pub seed: u64,
    /// Checksum of the program: another build is another engine.
    pub build: u64,
    /// Checksums of the openings of each ground.
    pub books: Vec<u64>,
}

impl Conditions {
    /// The source of what is drawn for the pair with this number.
    pub fn random(&self, number: u64) -> SmallRng {
        SmallRng::seed_from_u64(self.seed.wrapping_mul(GOLDEN) ^ number)
    }

    /// The index of the ground of the pair with this number, and the round there.
    pub fn place(&self, number: u64) -> (usize, usize) {
        let (number, grounds) = (number as usize, self.grounds.len());
        (number % grounds, number / grounds)
    }
}

impl Allowance {
    fn game_time(self) -> Duration {
        match self {
            Allowance::Nodes(_) => Duration::ZERO,
            Allowance::Clock { match_ms, .. } => Duration::from_millis(match_ms.into()),
        }
    }

    fn limits(self, left: Duration) -> SearchLimits {
        match self {
            Allowance::Nodes(nodes) => SearchLimits { nodes: Some(nodes), ..SearchLimits::default() },
            Allowance::Clock { turn_ms, nodes_per_ms, .. } => SearchLimits {
                turn: Some(Duration::from_millis(turn_ms.into())),
                left: Some(left),
                nodes_per_ms: Some(nodes_per_ms),
                ..SearchLimits::default()
            },
        }
    }
}

/// Two engines that play each other.
#[derive(Debug)]
pub struct EnginePair {
    /// The engines; the caller sets their numbers.
    pub engines: [Engine; 2],
}

/// The result of a pair of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairOutcome {
    /// Half points of the first engine in each game: 2 for a win, 1 for a draw.
    pub games: [usize; 2],
    /// How the engines used their clocks.
    pub usage: [Usage; 2],
}

impl PairOutcome {
    /// Half points of the first engine, 0 to 4.
    pub fn half_points(&self) -> usize {
        self.games.iter().sum()
    }
}

/// How an engine used its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time used.
    pub spent: Duration,
    /// Time used in positions that were practically decided.
    pub decided: Duration,
    /// Number of moves.
    pub moves: u64,
    /// Number of moves that exceeded the time for the move or the game.
    pub late: u64,
}

impl Usage {
    /// Adds the usage of further moves.
    pub fn add(&mut self, other: &Usage) {
        self.spent += other.spent;
        self.decided += other.decided;
        self.moves += other.moves;
        self.late += other.late;
    }
}

/// Absolute score from which a position counts as decided.
const DECIDED: i32 = 1500;

impl EnginePair {
    /// Two engines with the shipped numbers; with `classical`, with the classical evaluation.
    pub fn new(classical: bool) -> EnginePair {
        let mut pair = EnginePair { engines: Default::default() };
        if classical {
            for engine in &mut pair.engines {
                engine.options_mut().evaluator = EvaluatorKind::Classical;
            }
        }
        pair
    }

    /// Plays the opening of a round of this ground twice, with colours swapped.
    pub fn play_pair(&mut self, ground: &Ground, round: usize, allowance: Allowance) -> PairOutcome {
        let (opening, _) = ground.opening(round);
        let mut outcome = PairOutcome::default();
        for black in 0..2 {
            let winner = self.play(ground, &opening, allowance, black, &mut outcome.usage);
            outcome.games[black] = match winner {
                None => 1,
                Some(Color::Black) => 2 * usize::from(black == 0),
                Some(Color::White) => 2 * usize::from(black == 1),
            };
        }
        outcome
    }

    /// Plays one game, to its end or the first proven win. Returns the winner's colour; `None` for a draw.
    fn play(
        &mut self,
        ground: &Ground,
        opening: &Opening,
        allowance: Allowance,
        black: usize,
        usage: &mut [Usage; 2],
    ) -> Option<Color> {
        let mut oracle = opening.oracle(ground.terms.rule, ground.terms.size);
        for engine in &mut self.engines {
            engine.set_rule(ground.terms.rule);
            engine.options_mut().hash_size = Some(HASH);
            engine.new_game(ground.terms.size, false);
        }
        let mut left = [allowance.game_time(); 2];
        opening.stones.iter().for_each(|&stone| self.put(stone));
        let mut color = opening.to_move();
        loop {
            let mover = if color == Color::Black { black } else { 1 - black };
            let limits = allowance.limits(left[mover]);
            let control = SearchControl::within(limits.clone());
            let report = self.engines[mover].think(&control, &mut NullSink);
            usage[mover].note(&report, &limits);
            left[mover] = left[mover].saturating_sub(report.last.elapsed);
            if report.last.score.is_win() {
                return Some(color);
            }
            // No move although the board is not full: the engine loses.
            let Some(point) = report.best else { return Some(color.opponent()) };
            match oracle.play(point, color) {
                Verdict::Continues => self.put(point),
                Verdict::Wins => return Some(color),
                Verdict::Draw => return None,
                Verdict::Foul(_) | Verdict::Illegal => return Some(color.opponent()),
            }
            color = color.opponent();
        }
    }

    fn put(&mut self, point: Point) {
        for engine in &mut self.engines {
            engine.play(point).expect("the oracle has accepted the move");
        }
    }
}

impl Usage {
    fn note(&mut self, report: &SearchReport, limits: &SearchLimits) {
        let used = report.last.elapsed;
        self.spent += used;
        self.moves += 1;
        if report.last.score.units().abs() >= DECIDED {
            self.decided += used;
        }
        let allowed = limits.turn.into_iter().chain(limits.left).min();
        // With an empty clock the engine must move at once, which takes a few milliseconds.
        let allowed = allowed.map(|allowed| allowed.max(Duration::from_millis(10)));
        self.late += u64::from(allowed.is_some_and(|allowed| used > allowed));
    }
}

/// Does `count` pieces of work on one thread for each pair of engines. Returns the results in order; `None` if cancelled.
///
/// # Errors
/// The first error of the work.
pub fn side_by_side<T: Send>(
    count: usize,
    engine_pairs: &mut [EnginePair],
    cancel: &Cancel,
    work: impl Fn(usize, &mut EnginePair) -> Result<T> + Sync,
) -> Result<Option<Vec<T>>> {
    let results =
        parallel::in_order(
            count,
            engine_pairs,
            |index, pair| {
                if cancel.is_set() { Ok(None) } else { work(index, pair).map(Some) }
            },
        )?;
    Ok(results.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classical_engines_leave_the_networks_alone() {
        let evaluators = |classical| EnginePair::new(classical).engines.map(|engine| engine.options().evaluator);
        assert_eq!(evaluators(true), [EvaluatorKind::Classical; 2]);
        assert_eq!(evaluators(false), [EvaluatorKind::Network; 2]);
    }
}
