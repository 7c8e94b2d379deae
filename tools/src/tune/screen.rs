//! Screening: estimates the effects of many ideas from the same games.
//!
//! An idea is one or more numbers of the search with new values. In each pair of games every idea is drawn for one of the
//! two engines, the other plays without it. So each pair tells something about every idea, and twenty ideas need no more
//! games than one (a two-level factorial design, Plackett and Burman 1946). The effect of an idea is its mean over the
//! draws of the others. A screening says which ideas are worth a match; it decides nothing.
//!
//! A pair depends only on the seed and its number: neither threads nor an interruption change the result.

use super::numbers::{ensure_tunable, matters_on, parse_value, set_all, shipped};
use super::paired_games::{Conditions, EnginePair, side_by_side};
use crate::arena::cancel::Cancel;
use crate::arena::ground::Ground;
use crate::arena::sprt::mean_and_margin;
use crate::state_file;
use anyhow::{Context, Result, ensure};
use rand::Rng;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;

/// Pairs between two writings of the state.
const BATCH: u64 = 40;
/// Slope of Elo by score at an even score: 4 * 400 / ln 10.
const ELO_PER_SCORE: f64 = 1600.0 / std::f64::consts::LN_10;

/// One or more numbers with new values, which are tried together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idea {
    /// As typed.
    pub text: String,
    /// The numbers and their new values.
    pub values: Vec<(String, i64)>,
    /// The same numbers with their values as shipped.
    pub shipped: Vec<(String, i64)>,
}

impl Idea {
    /// Reads `name=value`, or several of these separated by commas.
    ///
    /// # Errors
    /// When it is not of this form, there is no such number, or the rules have different values of it and none is named.
    pub fn parse(text: &str) -> Result<Idea> {
        let values: Vec<(String, i64)> = text.split(',').map(parse_value).collect::<Result<_>>()?;
        let shipped = |(name, _): &(String, i64)| {
            let value = shipped(name)?.1.with_context(|| format!("{name} has a value for each rule: name the rule"))?;
            Ok((name.clone(), i64::from(value)))
        };
        let shipped = values.iter().map(shipped).collect::<Result<_>>()?;
        Ok(Idea { text: text.to_owned(), values, shipped })
    }

    /// Whether one of its numbers is used on a ground.
    fn matters_on(&self, ground: &str) -> bool {
        self.values.iter().any(|(name, _)| matters_on(name, ground))
    }
}

/// What is screened. A state belongs to one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// The ideas, at most 64.
    pub ideas: Vec<Idea>,
    /// The conditions of the games.
    #[serde(flatten)]
    pub games: Conditions,
}

/// The pairs played so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screening {
    /// What is screened.
    pub design: Design,
    /// Half points of the first engine in each pair, 0 to 4.
    pub half_points: Vec<u8>,
}

/// The estimated effect of an idea.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Elo gained by it.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub margin: f64,
}

impl Screening {
    /// The screening in this file, or a new one if the file does not exist.
    ///
    /// # Errors
    /// When the file cannot be read or has another screening.
    pub fn open(path: &Path, design: Design) -> Result<Screening> {
        ensure!(!design.ideas.is_empty() && design.ideas.len() <= 64, "between 1 and 64 ideas can be screened");
        for idea in &design.ideas {
            let matters = design.games.grounds.iter().any(|ground| idea.matters_on(ground));
            ensure!(matters, "{} changes nothing on these grounds", idea.text);
        }
        let Some(screening) = state_file::read::<Screening>(path, "a screening")? else {
            return Ok(Screening { design, half_points: Vec::new() });
        };
        ensure!(
            screening.design == design,
            "{} has other ideas, grounds or limits, another build or other openings",
            path.display()
        );
        Ok(screening)
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        state_file::write(self, path)
    }

    /// The effects in the order of the ideas, each on the grounds where it matters.
    pub fn effects(&self) -> Vec<Effect> {
        let games = &self.design.games;
        let effect = |idea: usize| {
            let on: Vec<bool> = games.grounds.iter().map(|ground| self.design.ideas[idea].matters_on(ground)).collect();
            let matters = |&(number, _): &(usize, &u8)| on[games.place(number as u64).0];
            let signed = |(number, &half_points): (usize, &u8)| {
                let score = f64::from(half_points) / 4.0 - 0.5;
                if has_first(&self.design, number as u64, idea) { score } else { -score }
            };
            let (mean, margin) = mean_and_margin(self.half_points.iter().enumerate().filter(matters).map(signed));
            Effect { elo: mean * ELO_PER_SCORE, margin: margin * ELO_PER_SCORE }
        };
        (0..self.design.ideas.len()).map(effect).collect()
    }

    /// The effects as a table, the largest first.
    pub fn report(&self) -> String {
        let mut rows: Vec<(Effect, &Idea)> = self.effects().into_iter().zip(&self.design.ideas).collect();
        rows.sort_by(|a, b| b.0.elo.total_cmp(&a.0.elo));
        let mut text = String::new();
        let _ = writeln!(text, "{} pairs", self.half_points.len());
        for (Effect { elo, margin }, idea) in rows {
            let _ = writeln!(text, "{elo:+6.1} [{:+.1}, {:+.1}]  {}", elo - margin, elo + margin, idea.text);
        }
        text
    }
}

/// Whether the first engine has an idea in the pair with this number; otherwise the second one has it.
fn has_first(design: &Design, number: u64, idea: usize) -> bool {
    design.games.random(number).random::<u64>() >> idea & 1 == 1
}

/// The numbers of the first or second engine in a pair: those of its ideas, and the shipped ones of the others.
fn values(design: &Design, number: u64, is_first: bool) -> Vec<(String, i64)> {
    // The values of the ideas come last, because two ideas may share a number.
    let shipped = design.ideas.iter().flat_map(|idea| &idea.shipped);
    let has = |&(index, _): &(usize, &Idea)| has_first(design, number, index) == is_first;
    let changed = design.ideas.iter().enumerate().filter(has).flat_map(|(_, idea)| &idea.values);
    shipped.chain(changed).cloned().collect()
}

/// Plays until there are this many pairs or the run is cancelled. `show` is called every few pairs, and saves the state.
///
/// # Errors
/// When a number cannot be set or the state cannot be saved.
pub fn run(
    screening: &mut Screening,
    grounds: &[Ground],
    pairs: u64,
    threads: usize,
    cancel: &Cancel,
    mut show: impl FnMut(&Screening) -> Result<()>,
) -> Result<()> {
    ensure_tunable()?;
    ensure!(
        grounds.len() == screening.design.games.grounds.len() && !grounds.is_empty(),
        "the screening has other grounds"
    );
    let mut engine_pairs: Vec<EnginePair> =
        (0..threads.max(1)).map(|_| EnginePair::new(screening.design.games.classical)).collect();
    while (screening.half_points.len() as u64) < pairs {
        let first = screening.half_points.len();
        let batch = (pairs - first as u64).min(BATCH) as usize;
        let design = &screening.design;
        let outcomes = side_by_side(batch, &mut engine_pairs, cancel, |index, pair| {
            let number = (first + index) as u64;
            for (side, engine) in pair.engines.iter_mut().enumerate() {
                set_all(engine, &values(design, number, side == 0))?;
            }
            let (ground, round) = design.games.place(number);
            Ok(pair.play_pair(&grounds[ground], round, design.games.allowance).half_points() as u8)
        })?;
        let Some(outcomes) = outcomes else { break };
        screening.half_points.extend(outcomes);
        show(screening)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::paired_games::Allowance;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    fn design() -> Design {
        Design {
            ideas: ["iir=60", "lmr_factor=60,history_threats=30", "iir.renju=70"]
                .map(|text| Idea::parse(text).unwrap())
                .to_vec(),
            games: Conditions {
                grounds: vec!["4:15:book".to_owned()],
                allowance: Allowance::Nodes(100),
                classical: false,
                seed: 3,
                build: 1,
                books: vec![2],
            },
        }
    }

    #[test]
    fn every_idea_is_with_one_engine_and_about_as_often_with_each() {
        let design = design();
        for idea in 0..3 {
            let first = (0..1000).filter(|&number| has_first(&design, number, idea)).count();
            assert!((430..570).contains(&first), "{first}");
        }
        for number in 0..50 {
            let [one, other] = [true, false].map(|is_first| values(&design, number, is_first));
            let has = |values: &[(String, i64)], name: &str, value| {
                values.iter().rev().find(|one| one.0 == name) == Some(&(name.to_owned(), value))
            };
            for (name, value) in [("iir", 60), ("history_threats", 30), ("iir.renju", 70)] {
                assert!(has(&one, name, value) != has(&other, name, value), "{number} {name}");
            }
            assert_eq!(has(&one, "history_threats", 30), has(&one, "lmr_factor", 60));
        }
    }

    /// Results made from known effects are estimated to lie where they are.
    #[test]
    fn effects_are_found_again() {
        let design = design();
        let mut random = SmallRng::seed_from_u64(9);
        let score = [0.05, 0.0, -0.03];
        let half_points = (0..20_000)
            .map(|number| {
                let sides = (0..3).map(|idea| if has_first(&design, number, idea) { 1.0 } else { -1.0 });
                let chance: f64 = 0.5 + sides.zip(score).map(|(side, effect)| side * effect).sum::<f64>();
                (0..4).map(|_| u8::from(random.random::<f64>() < chance)).sum::<u8>()
            })
            .collect();
        let screening = Screening { design, half_points };
        for (effect, score) in screening.effects().iter().zip(score) {
            assert!((effect.elo - score * ELO_PER_SCORE).abs() < 2.0 * effect.margin, "{effect:?} {score}");
            assert!((1.0..4.0).contains(&effect.margin), "{effect:?}");
        }
        let report = screening.report();
        assert!(report.starts_with("20000 pairs") && report.contains("iir=60"), "{report}");
    }

    /// Bug: the effect of an idea for one rule was the mean over all grounds.
    #[test]
    fn an_idea_counts_on_the_grounds_where_it_matters() {
        let on = |grounds: &[&str]| {
            let grounds = grounds.iter().map(|&ground| ground.to_owned()).collect();
            Design { games: Conditions { grounds, ..design().games }, ..design() }
        };
        let design = on(&["0:15:book", "renju:15:book"]);
        let points = |number| if number % 2 == 1 && has_first(&design, number, 2) { 4 } else { 0 };
        let half_points = (0..400).map(points).collect();
        let screening = Screening { design, half_points };
        assert!((screening.effects()[2].elo - 0.5 * ELO_PER_SCORE).abs() < 1e-6, "{:?}", screening.effects());
        let error = Screening::open(Path::new("none"), on(&["0:15:book"])).unwrap_err().to_string();
        assert_eq!(error, "iir.renju=70 changes nothing on these grounds");
    }

    #[test]
    fn an_idea_names_numbers_that_exist() {
        assert!(Idea::parse("nosuch=1").is_err() && Idea::parse("iir").is_err());
        assert_eq!(Idea::parse("iir=60,history_threats=30").unwrap().values.len(), 2);
    }
}
