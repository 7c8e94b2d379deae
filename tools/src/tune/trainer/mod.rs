//! Trains a network on training games and labelled positions.
//!
//! Training is deterministic: the same games, seed and settings give the same network with any number of threads. An
//! interrupted run continues from its last epoch, with the same result. A twentieth of the games is held out and not learned
//! from.

pub mod adam;
pub mod checkpoint;
pub mod float_network;
pub mod network_options;
pub mod targets;
pub mod walk;

use crate::data::packed_game::{Content, PackedGame};
use crate::data::record_file::records;
use crate::output_file;
use crate::tune::logistic::{best_scale, cross_entropy, scores_and_results, sigmoid};
use crate::tune::samples::{for_each_position, is_held_out};
use anyhow::{Context, Result, ensure};
use checkpoint::Checkpoint;
use float_network::{Folded, Model, parts_of_rows};
use network_options::Training;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use std::io::Write;
use std::path::Path;
use std::time::Instant;
use targets::Targets;
use tengen::base::Rule;
use tengen::base::hash::Checksum;
use tengen::eval::Evaluator;
use tengen::eval::network::{Weights, WeightsError};
use walk::{Losses, Walker};

/// A batch is processed in this many parts with any number of threads, so that the sums do not depend on that.
const SHARDS: usize = 2;
/// Changes with what is learned from the same games, so that a run does not go on with another recipe.
const RECIPE: u32 = 3;
/// Number of steps until the learning rate reaches its largest value.
const WARM_UP: f32 = 200.0;
/// The learning rate at the end, as a share of the largest one.
const LAST_RATE: f32 = 0.02;
/// Largest absolute score to which the scale of the scores is fitted.
const LARGEST_SCORE: i32 = 1999;

/// Reads the games, trains, and writes the network after the last epoch; writes a line about each epoch to `log`. The
/// network of an earlier epoch can be made from its checkpoint, without further epochs.
///
/// # Errors
/// When a setting is out of range, files cannot be read or written, or there are too few games.
pub fn run(training: &Training, log: &mut dyn Write) -> Result<()> {
    training.check()?;
    if training.epochs == 0 {
        return Run::begin(training)?.write(&training.out);
    }
    output_file::expect_folder(&training.out)?;
    if let Some(checkpoint) = &training.checkpoint {
        output_file::expect_folder(checkpoint)?;
    }
    let _lock = training.checkpoint.as_deref().map(output_file::lock).transpose()?;
    let games = read(training)?;
    let (held_out, mut games): (Vec<PackedGame>, Vec<PackedGame>) = games.into_iter().partition(is_held_out);
    ensure!(!games.is_empty() && !held_out.is_empty(), "too few games of {}", training.rule.name());
    games.sort_by_key(|game| game.number);
    let scale = fit_scale(&games);
    let targets = training.targets(scale);
    writeln!(
        log,
        "{}: {} to learn from, {} held out; a score of {scale:.0} is a logit of one",
        training.rule.name(),
        count(&games),
        count(&held_out)
    )?;
    let mut run = Run::begin(training)?;
    baseline(&held_out, &targets, log)?;
    while run.state.epochs < training.epochs {
        let begun = Instant::now();
        let losses = run.epoch(training, &games, &targets);
        run.state.epochs += 1;
        let judged = run.judge(&held_out, &targets);
        let seconds = begun.elapsed().as_secs_f64();
        writeln!(
            log,
            "epoch {:>3}/{}: {}; held out: {} ({seconds:.0} s)",
            run.state.epochs,
            training.epochs,
            describe(&losses),
            describe(&judged)
        )?;
        log.flush()?;
        if let Some(path) = &training.checkpoint {
            run.state.save(path)?;
        }
    }
    run.write(&training.out)
}

impl Training {
    /// A checksum of what decides the network besides the rule, the games and the number of epochs.
    fn checksum(&self) -> u64 {
        let &Training {
            any_rule, batch, rate, score_share, label_share, asked_share, lambda, policy, made_rate, ..
        } = self;
        let learning = (any_rule, batch, rate, score_share, label_share, asked_share, lambda, policy, made_rate);
        Checksum::of(format!("{RECIPE} {learning:?} {:?} {} {:?}", self.games, self.seed, self.from).as_bytes())
    }

    /// How targets are made, if a logit of one is a score of `scale`.
    fn targets(&self, scale: f32) -> Targets {
        let &Training { score_share, label_share, asked_share, lambda, policy, .. } = self;
        Targets { scale, score_share, label_share, asked_share, lambda, policy }
    }
}

/// Numbers of games, plies and labelled positions, as text.
fn count(records: &[PackedGame]) -> String {
    let (games, plies) = records
        .iter()
        .filter(|record| record.is_game())
        .fold((0, 0), |(games, plies), game| (games + 1, plies + game.plies.len()));
    match records.len() - games {
        0 => format!("{games} games with {plies} plies"),
        positions => format!("{games} games with {plies} plies and {positions} labelled positions"),
    }
}

/// The games, each with its labelled positions, which have its number. Sorted by number, as `games` must be.
fn by_game(games: &[PackedGame]) -> Vec<&[PackedGame]> {
    games.chunk_by(|a, b| a.number == b.number).collect()
}

fn read(training: &Training) -> Result<Vec<PackedGame>> {
    let is_used =
        |game: &Result<PackedGame>| game.as_ref().map_or(true, |game| training.any_rule || game.rule == training.rule);
    records(&training.records).filter(is_used).take(training.games.unwrap_or(usize::MAX)).collect()
}

/// Units of the search's score that make one logit of the games' results.
fn fit_scale(games: &[PackedGame]) -> f32 {
    // A position that a search asked about is not one of the game.
    let games: Vec<_> = games.iter().filter(|game| !matches!(game.content, Content::Asked { .. })).collect();
    let games = games.iter().step_by(games.len().div_ceil(20_000).max(1));
    best_scale(&games.flat_map(|game| scores_and_results(game, LARGEST_SCORE)).collect::<Vec<_>>())
}

fn describe(losses: &Losses) -> String {
    let per = |sum: f64, count: f64| sum / count.max(1.0);
    format!(
        "value {:.4} (result {:.4}), policy {:.4} (first {:.1} %, first four {:.1} %){}",
        per(losses.value, losses.positions),
        per(losses.result, losses.positions),
        per(losses.policy, losses.moves),
        100.0 * per(losses.top[0], losses.moves),
        100.0 * per(losses.top[1], losses.moves),
        describe_saturated(losses)
    )
}

/// The channels of empty cells that are at their limit: those that always are tell nothing.
fn describe_saturated(losses: &Losses) -> String {
    if losses.cells == 0.0 {
        return String::new();
    }
    let shares = losses.saturated.map(|count| 100.0 * count / losses.cells);
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let dead = shares.iter().filter(|&&share| share > 90.0).count();
    format!(", saturated {mean:.1} %, {dead} channels above 90 %")
}

/// A run in progress.
struct Run {
    state: Checkpoint,
    parts: Vec<[u32; 3]>,
    walkers: Vec<Walker>,
    threads: usize,
}

impl Run {
    fn begin(training: &Training) -> Result<Run> {
        let mut state = match (&training.checkpoint, &training.from) {
            (Some(path), _) if path.exists() => Checkpoint::load(path)?,
            (_, Some(path)) => {
                let earlier = earlier_model(path, training.rule)?;
                let mut fresh = Checkpoint::new(training.rule, training.seed);
                fresh.model.table = earlier.table;
                fresh.model.adopt_heads(&earlier.heads).with_context(|| path.display().to_string())?;
                fresh
            }
            _ => Checkpoint::new(training.rule, training.seed),
        };
        ensure!(state.model.rule == training.rule, "the checkpoint is for another rule");
        let settings = *state.settings.get_or_insert(training.checksum());
        ensure!(settings == training.checksum(), "the checkpoint is of a run with other options");
        let heads = state.model.heads.len();
        Ok(Run {
            state,
            parts: parts_of_rows(training.rule),
            walkers: (0..SHARDS).map(|_| Walker::new(heads)).collect(),
            threads: training.threads,
        })
    }

    /// Writes the network as it is now.
    fn write(&self, out: &Path) -> Result<()> {
        let weights = self.state.model.export(&self.parts);
        output_file::write(out, weights.to_bytes())
    }

    fn epoch(&mut self, training: &Training, games: &[PackedGame], targets: &Targets) -> Losses {
        let mut order = by_game(games);
        let mut random = SmallRng::seed_from_u64(training.seed << 20 | u64::from(self.state.epochs));
        order.shuffle(&mut random);
        self.walkers.iter_mut().for_each(|walker| walker.losses = Losses::default());
        let steps_in_all = order.len().div_ceil(training.batch) as f32 * training.epochs as f32;
        for batch in order.chunks(training.batch) {
            let folded = self.state.model.fold(&self.parts);
            let batch: Vec<&PackedGame> = batch.iter().copied().flatten().collect();
            walk_all(&mut self.walkers, self.threads, &batch, &self.state.model, &folded, targets, true);
            let (first, others) = self.walkers.split_at_mut(1);
            let gradient = &mut first[0].gradient;
            for other in others {
                gradient.add(&other.gradient);
                other.gradient.clear();
            }
            gradient.mask(&folded);
            Model::spread(&mut gradient.table, &gradient.touched, &self.parts);
            let step = self.state.adam.step as f32;
            let falling = 0.5 + 0.5 * (std::f32::consts::PI * (step / steps_in_all).min(1.0)).cos();
            let rate = training.rate * ((step + 1.0) / WARM_UP).min(1.0) * (LAST_RATE + (1.0 - LAST_RATE) * falling);
            self.state.adam.update(&mut self.state.model, gradient, rate, training.made_rate);
            gradient.clear();
        }
        self.sum()
    }

    fn judge(&mut self, games: &[PackedGame], targets: &Targets) -> Losses {
        let folded = self.state.model.fold(&self.parts);
        let games: Vec<&PackedGame> = games.iter().collect();
        self.walkers.iter_mut().for_each(|walker| walker.losses = Losses::default());
        walk_all(&mut self.walkers, self.threads, &games, &self.state.model, &folded, targets, false);
        self.sum()
    }

    fn sum(&self) -> Losses {
        let mut sum = Losses::default();
        self.walkers.iter().for_each(|walker| sum.add(&walker.losses));
        sum
    }
}

/// The model from a checkpoint, or from the file of a finished network, with the shared parts of this rule's rows.
fn earlier_model(path: &Path, rule: Rule) -> Result<Model> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    match Weights::parse(&bytes) {
        Ok(weights) => {
            let mut model = Model::of_weights(&weights);
            model.share(&parts_of_rows(rule));
            Ok(model)
        }
        Err(WeightsError::NotANetwork) => Ok(Checkpoint::load(path)?.model),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// Writes the losses of the classical evaluation on the same positions, at its best scale.
fn baseline(games: &[PackedGame], targets: &Targets, log: &mut dyn Write) -> Result<()> {
    let mut seen = Vec::new();
    for game in games {
        let targets = targets::values(game, targets);
        for_each_position(game, |board, shapes, number| {
            if targets::is_sample(game, board) {
                seen.push((shapes.evaluate(board).units() as f32, targets[number], game.points(board.side())));
            }
        });
    }
    let scale = best_scale(&seen.iter().map(|&(static_score, target, _)| (static_score, target)).collect::<Vec<_>>());
    let mean = |loss: &dyn Fn(&(f32, f32, f32)) -> f64| seen.iter().map(loss).sum::<f64>() / seen.len() as f64;
    let value = mean(&|&(score, target, _)| cross_entropy(sigmoid(score / scale), target));
    let result = mean(&|&(score, _, result)| cross_entropy(sigmoid(score / scale), result));
    writeln!(log, "classical evaluation, scale {scale:.0}, held out: value {value:.4} (result {result:.4})")?;
    Ok(())
}

/// Processes the games, each shard its own part, on this many threads.
fn walk_all(
    walkers: &mut [Walker],
    threads: usize,
    games: &[&PackedGame],
    model: &Model,
    folded: &Folded,
    targets: &Targets,
    learn: bool,
) {
    let shard = |first: usize, walker: &mut Walker| {
        for game in games.iter().skip(first).step_by(SHARDS) {
            walker.walk(game, model, folded, targets, learn, |_, _| {});
        }
    };
    if threads < 2 {
        walkers.iter_mut().enumerate().for_each(|(first, walker)| shard(first, walker));
    } else {
        std::thread::scope(|scope| {
            for (first, walker) in walkers.iter_mut().enumerate() {
                scope.spawn(move || shard(first, walker));
            }
        });
    }
}

#[cfg(test)]
mod tests;
