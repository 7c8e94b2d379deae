//! Matches between two sets of numbers, within one process.

use super::numbers::{ensure_tunable, set_all};
use super::paired_games::{Allowance, EnginePair, PairOutcome, Usage, side_by_side};
use crate::arena::cancel::Cancel;
use crate::arena::display::{elo_text, pairs_text};
use crate::arena::ground::Ground;
use crate::arena::tally::MatchSums;
use anyhow::{Result, ensure};
use std::fmt::Write as _;

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct Duel {
    /// Numbers of the first side that differ from the shipped ones.
    pub first: Vec<(String, i64)>,
    /// The same for the second side.
    pub second: Vec<(String, i64)>,
    /// Where to play.
    pub grounds: Vec<Ground>,
    /// Pairs of games on each ground.
    pub pairs: usize,
    /// Limits of both sides.
    pub allowance: Allowance,
    /// Whether both sides use the classical evaluation.
    pub classical: bool,
}

/// Plays the match and returns the report; `None` if it is cancelled.
///
/// # Errors
/// When a number cannot be set, or the openings of a ground do not suffice.
pub fn run(duel: &Duel, threads: usize, cancel: &Cancel) -> Result<Option<String>> {
    ensure_tunable()?;
    for ground in &duel.grounds {
        // The same opening gives the same games again.
        let most = ground.variants();
        ensure!(duel.pairs <= most, "{}: its openings make {most} different pairs, not {}", ground.text, duel.pairs);
    }
    let mut engine_pairs = Vec::new();
    for _ in 0..threads.max(1) {
        let mut pair = EnginePair::new(duel.classical);
        set_all(&mut pair.engines[0], &duel.first)?;
        set_all(&mut pair.engines[1], &duel.second)?;
        engine_pairs.push(pair);
    }
    let mut text = String::new();
    let mut all = DuelSums::default();
    for ground in &duel.grounds {
        let outcomes = side_by_side(duel.pairs, &mut engine_pairs, cancel, |round, pair| {
            Ok(pair.play_pair(ground, round, duel.allowance))
        })?;
        let Some(outcomes) = outcomes else { return Ok(None) };
        let mut sums = DuelSums::default();
        for outcome in &outcomes {
            sums.add(outcome);
            all.add(outcome);
        }
        let _ = writeln!(text, "{}: {}", ground.text, sums.text());
    }
    let _ = writeln!(text, "overall: {}", all.text());
    if let Allowance::Clock { match_ms, .. } = duel.allowance {
        for (side, usage) in ["first", "second"].iter().zip(all.usage) {
            let games = all.results.games.iter().sum::<u64>().max(1);
            let spent = usage.spent.as_secs_f64();
            let _ = writeln!(
                text,
                "{side}: {:.0} of {match_ms} ms a game, {:.1} % of that in decided positions, {:.1} ms a move, {} late",
                1000.0 * spent / games as f64,
                100.0 * usage.decided.as_secs_f64() / spent.max(f64::EPSILON),
                1000.0 * spent / usage.moves.max(1) as f64,
                usage.late
            );
        }
    }
    Ok(Some(text))
}

/// Sums over pairs of games.
#[derive(Default)]
struct DuelSums {
    results: MatchSums,
    usage: [Usage; 2],
}

impl DuelSums {
    fn add(&mut self, outcome: &PairOutcome) {
        outcome.games.into_iter().for_each(|half_points| self.results.add_game(half_points));
        self.results.add_pair(outcome.games);
        self.usage.iter_mut().zip(&outcome.usage).for_each(|(sum, usage)| sum.add(usage));
    }

    fn text(&self) -> String {
        let MatchSums { pairs, games: [wins, draws, losses], .. } = &self.results;
        let percent = 100.0 * pairs.mean();
        let mut text = format!("{wins}-{draws}-{losses} ({percent:.1} %), {}", pairs_text(&self.results));
        if let Some(elo) = pairs.elo() {
            let _ = write!(text, ", Elo {}", elo_text(&elo));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::numbers::parse_value;
    use std::path::Path;
    use tengen::search::ParamTable;

    fn duel(first: &[&str]) -> Duel {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/openings/freestyle_15.txt");
        let ground = Ground::with_book(&format!("0:15:{}", path.display()), 1).unwrap();
        let first = first.iter().map(|text| parse_value(text).unwrap()).collect();
        let allowance = Allowance::Clock { turn_ms: 20, match_ms: 200, nodes_per_ms: 250 };
        Duel { first, second: Vec::new(), grounds: vec![ground], pairs: 3, allowance, classical: false }
    }

    #[test]
    fn equal_sides_draw_every_pair_and_are_never_late() {
        let result = run(&duel(&[]), 2, &Cancel::default());
        if ParamTable::IS_TUNABLE {
            let text = result.unwrap().unwrap();
            let drawn = "(50.0 %), pairs 2-0: 0, 1½-½: 0, 1-1: 3 (";
            assert!(text.contains("overall: ") && text.matches(drawn).count() == 2, "{text}");
            assert_eq!(text.matches(" 0 late").count(), 2, "{text}");
        } else {
            assert!(result.unwrap_err().to_string().contains("--features tune"));
        }
    }

    #[test]
    #[cfg(feature = "tune")]
    fn an_unknown_number_is_refused() {
        assert!(run(&duel(&["nosuch=1"]), 1, &Cancel::default()).is_err());
    }
}
