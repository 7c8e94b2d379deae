//! Judges changed numbers by the moves they choose, at node counts where a match would take days.
//!
//! In positions of recorded games the engine chooses a move with changed numbers and with the shipped ones. Only where the
//! moves differ can one be better: there a longer search after each of the two, with the shipped numbers, says how good it
//! is. The result is the mean change of the expected score by a move. Most positions, where the moves are the same, cost two
//! searches and have no variance, so a few hundred positions tell what takes thousands of games. The judge shares the errors
//! of the shipped numbers: this says what to test, and decides nothing. To see what a change of the score means in Elo,
//! compare the shipped numbers with themselves at half the nodes.
//!
//! A position depends only on the seed and its number: neither threads nor an interruption change the result.

use super::logistic::{ENGINE_SCALE, sigmoid};
use super::numbers::{ensure_tunable, set_all};
use super::paired_games::{EnginePair, side_by_side};
use crate::arena::cancel::Cancel;
use crate::arena::sprt::mean_and_margin;
use crate::data::packed_game::{PackedGame, records};
use crate::state_file;
use anyhow::{Result, ensure};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tengen::base::hash::Checksum;
use tengen::base::{Point, Rule, Size};
use tengen::engine::Engine;
use tengen::search::SearchReport;

/// Positions between two writings of the state.
const BATCH: usize = 20;
/// Size of each engine's transposition table in bytes.
const HASH: u64 = 64 << 20;
/// A position is from the first plies of a game after its opening.
const PLIES: usize = 24;
/// The score of its position in the game is at most this for either side: in a decided game the moves differ without effect.
const OPEN_SCORE: i32 = 300;

/// What is compared. A state belongs to one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The changed numbers.
    pub values: Vec<(String, i64)>,
    /// Nodes of a search with the changed numbers.
    pub nodes: u64,
    /// Nodes of a search with the shipped numbers.
    pub shipped_nodes: u64,
    /// Nodes of a search that judges a move.
    pub judge_nodes: u64,
    /// Checksum of the positions, see [`checksum`].
    pub samples: u64,
    /// Checksum of the program.
    pub build: u64,
}

/// The answers so far, in the order of the positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// What is compared.
    pub question: Question,
    /// One for each position searched.
    pub choices: Vec<Choice>,
}

/// The comparison in one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Expected score, from -1 to 1, that the move of the changed numbers gains on that of the shipped ones; `None`: the
    /// moves are the same.
    pub gain: Option<f64>,
    /// Depths reached with the changed and the shipped numbers.
    pub depths: [u32; 2],
}

/// A position of a recorded game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    rule: Rule,
    size: Size,
    moves: Vec<Point>,
}

impl Answers {
    /// The answers in this file, or none if the file does not exist.
    ///
    /// # Errors
    /// When the file cannot be read or has another question.
    pub fn open(path: &Path, question: Question) -> Result<Answers> {
        let Some(answers) = state_file::read::<Answers>(path, "a comparison of moves")? else {
            return Ok(Answers { question, choices: Vec::new() });
        };
        ensure!(answers.question == question, "{} has other numbers, nodes, records or another build", path.display());
        Ok(answers)
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        state_file::write(self, path)
    }

    /// The mean gain of a move and half the width of its 95 % interval.
    pub fn gain(&self) -> (f64, f64) {
        mean_and_margin(self.choices.iter().map(|choice| choice.gain.unwrap_or(0.0)))
    }

    /// The result in a line.
    pub fn report(&self) -> String {
        let (mean, margin) = self.gain();
        let count = self.choices.len();
        let differ = self.choices.iter().filter(|choice| choice.gain.is_some()).count();
        let depth = |side: usize| {
            let sum: u32 = self.choices.iter().map(|choice| choice.depths[side]).sum();
            f64::from(sum) / count.max(1) as f64
        };
        format!(
            "{:+.2} % of the expected score a move [{:+.2}, {:+.2}]; {differ} of {count} moves differ; depth {:.1}, shipped {:.1}\n",
            100.0 * mean,
            100.0 * (mean - margin),
            100.0 * (mean + margin),
            depth(0),
            depth(1)
        )
    }
}

/// Positions of these files, at most one from each game, in random order.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn samples(paths: &[PathBuf], seed: u64) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for game in records(paths) {
        let game = game?;
        if game.is_game() {
            samples.extend(sample(&game, seed));
        }
    }
    samples.shuffle(&mut SmallRng::seed_from_u64(seed));
    Ok(samples)
}

/// A checksum of the positions in their order: it differs when the files, the games in them or the seed do.
pub fn checksum(samples: &[Sample]) -> u64 {
    Checksum::of(format!("{samples:?}").as_bytes())
}

/// An open position of a game; `None` if it has none.
fn sample(game: &PackedGame, seed: u64) -> Option<Sample> {
    let is_open = |&ply: &usize| i32::from(game.plies[ply].score).abs() <= OPEN_SCORE;
    let open: Vec<usize> = (0..game.plies.len().min(PLIES)).filter(is_open).collect();
    let mut random = SmallRng::seed_from_u64(game.number ^ seed.rotate_left(32));
    let &ply = open.choose(&mut random)?;
    let moves = game.moves().take(game.opening.stones.len() + ply).collect();
    Some(Sample { rule: game.rule, size: game.size, moves })
}

/// Compares in the first of these positions until there are this many answers or the run is cancelled. `show` is called every
/// few positions, and saves the state.
///
/// # Errors
/// When a number cannot be set, there are too few positions, or the state cannot be saved.
pub fn run(
    answers: &mut Answers,
    samples: &[Sample],
    positions: usize,
    threads: usize,
    cancel: &Cancel,
    mut show: impl FnMut(&Answers) -> Result<()>,
) -> Result<()> {
    ensure_tunable()?;
    ensure!(samples.len() >= positions, "the records have only {} positions", samples.len());
    let mut engine_pairs = Vec::new();
    for _ in 0..threads.max(1) {
        let mut pair = EnginePair::new(false);
        set_all(&mut pair.engines[0], &answers.question.values)?;
        for engine in &mut pair.engines {
            engine.options_mut().hash_size = Some(HASH);
        }
        engine_pairs.push(pair);
    }
    while answers.choices.len() < positions {
        let first = answers.choices.len();
        let batch = (positions - first).min(BATCH);
        let question = &answers.question;
        let choices = side_by_side(batch, &mut engine_pairs, cancel, |index, pair| {
            Ok(choose(&samples[first + index], &mut pair.engines, question))
        })?;
        let Some(choices) = choices else { break };
        answers.choices.extend(choices);
        show(answers)?;
    }
    Ok(())
}

/// The moves of both engines in a position, and which is better if they differ.
fn choose(sample: &Sample, engines: &mut [Engine; 2], question: &Question) -> Choice {
    let [changed, shipped] = engines;
    let new = search(changed, sample, None, question.nodes);
    let old = search(shipped, sample, None, question.shipped_nodes);
    let mut judged = |point| {
        let score = search(shipped, sample, Some(point), question.judge_nodes).last.score.units();
        f64::from(sigmoid(-score as f32 / ENGINE_SCALE))
    };
    let gain = match (new.best, old.best) {
        (Some(new), Some(old)) if new != old => Some(judged(new) - judged(old)),
        _ => None,
    };
    Choice { gain, depths: [new.last.depth, old.last.depth] }
}

/// A search of the position, or of that after one more move.
fn search(engine: &mut Engine, sample: &Sample, next: Option<Point>, nodes: u64) -> SearchReport {
    engine.set_rule(sample.rule);
    engine.new_game(sample.size, false);
    for point in sample.moves.iter().copied().chain(next) {
        engine.play(point).expect("the moves of a recorded game, or one that a search has chosen");
    }
    engine.think_nodes(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::openings::Opening;
    use crate::arena::sprt::Z95;
    use crate::data::packed_game::{Content, Format, PackedPly, Writer};
    use tengen::base::Color;
    use tengen::board::notation::parse_moves;
    use tengen::search::ParamTable;

    /// A game whose first positions are open and whose last are decided.
    fn game(number: u64) -> PackedGame {
        let size = Size::square(15).unwrap();
        let points = |text: &str| parse_moves(text, size).unwrap();
        let ply = |(ply, point): (usize, Point)| {
            let score = if ply < 3 { 10 } else { 2000 };
            PackedPly { played: point, best: point, score }
        };
        PackedGame {
            content: Content::Game,
            number,
            rule: Rule::Freestyle,
            size,
            opening: Opening { stones: points("h8i9g7") },
            plies: points("g9i7h10f8j6").into_iter().enumerate().map(ply).collect(),
            winner: Some(Color::Black),
        }
    }

    fn records(folder: &Path, games: u64) -> PathBuf {
        let path = folder.join("games.tgr");
        let (mut writer, _) = Writer::append(&path, Format::Games, |_| Ok(())).unwrap();
        (0..games).for_each(|number| writer.write(&game(number)).unwrap());
        path
    }

    fn question(samples: &[Sample], nodes: u64) -> Question {
        let (values, samples) = (Vec::new(), checksum(samples));
        Question { values, nodes, shipped_nodes: 2000, judge_nodes: 4000, samples, build: 1 }
    }

    /// Bug: the order of the positions changed with the number of games, and the state went on with the others.
    #[test]
    fn records_that_have_grown_do_not_continue_a_state() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let question = |games| question(&samples(&[records(folder.path(), games)], 5).unwrap(), 50);
        Answers { question: question(10), choices: Vec::new() }.save(&state).unwrap();
        assert!(Answers::open(&state, question(0)).is_ok());
        let error = Answers::open(&state, question(1)).unwrap_err().to_string();
        assert!(error.contains("other"), "{error}");
    }

    #[test]
    fn a_position_is_open_and_depends_on_the_seed() {
        let folder = tempfile::tempdir().unwrap();
        let records = vec![records(folder.path(), 40)];
        let drawn = samples(&records, 1).unwrap();
        assert_eq!(drawn.len(), 40);
        assert!(drawn.iter().all(|sample| (3..6).contains(&sample.moves.len())), "{drawn:?}");
        assert_eq!(samples(&records, 1).unwrap(), drawn);
        assert_ne!(samples(&records, 2).unwrap(), drawn);
    }

    #[test]
    fn the_mean_counts_equal_moves_as_no_gain() {
        let choices = [None, Some(0.1), None, Some(-0.02)].map(|gain| Choice { gain, depths: [10, 8] }).to_vec();
        let answers = Answers { question: question(&[], 1000), choices };
        let (mean, margin) = answers.gain();
        assert!((mean - 0.02).abs() < 1e-9);
        // Standard deviation of 0, 0.1, 0, -0.02 over the root of four.
        let error = (0.0088_f64 / 3.0).sqrt() / 2.0;
        assert!((margin - Z95 * error).abs() < 1e-9);
        assert!(answers.report().starts_with("+2.00 % "), "{}", answers.report());
        assert!(answers.report().contains("2 of 4 moves differ; depth 10.0, shipped 8.0"), "{}", answers.report());
    }

    #[test]
    fn equal_searches_choose_equal_moves_and_an_interruption_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let samples = samples(&[records(folder.path(), 24)], 5).unwrap();
        let answer = |nodes, stops: &[usize], threads| {
            let mut answers = Answers { question: question(&samples, nodes), choices: Vec::new() };
            for &positions in stops {
                run(&mut answers, &samples, positions, threads, &Cancel::default(), |_| Ok(()))?;
            }
            anyhow::Ok(answers)
        };
        if !ParamTable::IS_TUNABLE {
            assert!(answer(2000, &[1], 1).unwrap_err().to_string().contains("--features tune"));
            return;
        }
        let equal = answer(2000, &[8], 2).unwrap();
        assert!(equal.choices.iter().all(|choice| choice.gain.is_none() && choice.depths[0] == choice.depths[1]));
        let whole = answer(50, &[24], 1).unwrap();
        assert!(whole.choices.iter().any(|choice| choice.gain.is_some()), "{whole:?}");
        assert_eq!(answer(50, &[5, 24], 2).unwrap(), whole);
        assert!(answer(50, &[25], 1).unwrap_err().to_string().contains("24 positions"));
    }
}
