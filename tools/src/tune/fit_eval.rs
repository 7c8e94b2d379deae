//! `tengen-tune eval`: fits the values of points and threats to games by logistic regression.

use super::factor_model::{Descent, Model, combination_parts, mask_parts};
use super::logistic::{best_scale, cross_entropy, scores_and_results, sigmoid};
use super::samples::{
    FITTED, empty_points, for_each_game, for_each_position, is_held_out, sets_of, uses_static_evaluation,
};
use crate::command_line::share;
use crate::data::packed_game::PackedGame;
use crate::output_file;
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use tengen::base::{Color, Rule, Score};
use tengen::board::Board;
use tengen::board::combination::COMBINATIONS;
use tengen::eval::classical_weights::{self, MASK_BITS, MASKS, VALUE_SCALE, WeightSet, Weights, threat_mask};

/// Score units of one logit in the common fit to all rules.
const COMMON_SCALE: f32 = 170.0;

/// Options of `eval`.
#[derive(clap::Args, Debug)]
pub struct EvalArguments {
    /// Files of games made by `tengen-data selfplay`. Numbers of rules without games are not changed.
    #[arg(required = true)]
    pub games: Vec<PathBuf>,
    /// The file with the numbers; created from the hand-set ones if it does not exist.
    #[arg(long, default_value = "src/eval/classical.weights")]
    pub out: PathBuf,
    /// Options of the fit.
    #[command(flatten)]
    pub settings: Settings,
}

/// Settings of the fit.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Settings {
    /// The gradient descent.
    #[command(flatten)]
    pub descent: Descent,
    /// Share of the search's score in the target, 0 to 1; the rest is the result of the game.
    #[arg(long, default_value_t = 0.6, value_parser = share)]
    pub score_share: f32,
}

/// Reads the file with the numbers, fits them and writes it.
///
/// # Errors
/// When an option is invalid, or a file cannot be read or written.
pub fn run(typed: &EvalArguments) -> Result<()> {
    let EvalArguments { games, out, settings } = typed;
    ensure!(settings.descent.batch > 0, "--batch must be at least 1");
    ensure!(settings.descent.epochs > 0, "--epochs must be at least 1");
    output_file::expect_folder(out)?;
    let mut sets = WeightSet::ALL.map(Weights::hand_set);
    if out.exists() {
        let bytes = std::fs::read(out).with_context(|| out.display().to_string())?;
        let old =
            classical_weights::decode(&bytes).with_context(|| format!("there are no weights in {}", out.display()))?;
        sets.clone_from_slice(&old);
    }
    let report = fit(games, settings, &mut sets)?;
    std::io::stdout().write_all(report.as_bytes())?;
    output_file::write(out, classical_weights::encode(&sets))
}

/// Positions as sparse sums of weights.
#[derive(Default)]
struct Samples {
    /// Index of a weight and how often it counts, in halves; all positions one after the other.
    features: Vec<(u16, i16)>,
    /// End of each position's features.
    ends: Vec<u32>,
    /// Target for the side to move, mixed from search and result, 0 to 1.
    targets: Vec<f32>,
    results: Vec<f32>,
}

impl Samples {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn features(&self, i: usize) -> &[(u16, i16)] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.features[start..self.ends[i] as usize]
    }

    fn score(&self, weights: &[f32], i: usize) -> f32 {
        self.features(i).iter().map(|&(weight, halves)| weights[weight as usize] * f32::from(halves)).sum::<f32>() / 2.0
    }
}

/// Positions of a group's weights in its model: point values of both sides, then threat values of both sides. Under symmetric
/// rules both sides share them.
struct Layout {
    sets: Vec<WeightSet>,
}

impl Layout {
    fn of(rule: Rule) -> Layout {
        Layout { sets: sets_of(rule) }
    }

    fn side(&self, color: Color) -> usize {
        color.index() % self.sets.len()
    }

    fn value(&self, color: Color) -> usize {
        self.side(color) * COMBINATIONS
    }

    fn threat(&self, color: Color) -> usize {
        self.sets.len() * COMBINATIONS + self.side(color) * MASKS
    }

    /// A model to be fitted, starting from the hand-set numbers, or from those of a symmetric rule times a factor.
    fn model(&self, start: Option<(&Model, f32)>) -> Model {
        let mut model = Model::default();
        let hand_set: Vec<Weights> = self.sets.iter().map(|&set| Weights::hand_set(set)).collect();
        for (set, weights) in self.sets.iter().zip(&hand_set) {
            let value = |id: usize| f32::from(weights.value[id]) / VALUE_SCALE as f32;
            let base: Vec<f32> = match start {
                None => (0..COMBINATIONS).map(value).collect(),
                Some((common, factor)) => common.weights[..COMBINATIONS].iter().map(|value| value * factor).collect(),
            };
            let parts = combination_parts(set.has_forbidden());
            model.add(&base, |id| parts[id].clone());
        }
        let parts = mask_parts(MASK_BITS);
        for weights in &hand_set {
            let base: Vec<f32> = match start {
                None => weights.threat.iter().map(|&value| f32::from(value)).collect(),
                Some((common, factor)) => common.weights[COMBINATIONS..].iter().map(|value| value * factor).collect(),
            };
            model.add(&base, |mask| parts[mask].clone());
        }
        model
    }
}

/// Counts the points of each combination in the layout of the model, black's as positive and white's as negative.
fn count_points(board: &Board, layout: &Layout, counts: &mut [i16]) {
    counts.fill(0);
    for point in empty_points(board) {
        let worth = board.combinations(point);
        counts[layout.value(Color::Black) + worth[0].id()] += 1;
        counts[layout.value(Color::White) + worth[1].id()] -= 1;
    }
}

fn add_game(game: &PackedGame, layout: &Layout, scale: f32, settings: &Settings, samples: &mut Samples) {
    let mut now = vec![0; layout.sets.len() * COMBINATIONS];
    let mut before = Vec::new();
    // The result says nothing about positions before a move drawn at random.
    let decided_from = game.plies.iter().rposition(|ply| ply.played != ply.best).map_or(0, |last| last + 1);
    for_each_position(game, |board, _, number| {
        let ply = &game.plies[number];
        std::mem::swap(&mut now, &mut before);
        now.resize(before.len().max(layout.sets.len() * COMBINATIONS), 0);
        count_points(board, layout, &mut now);
        if number == 0 || ply.is_proven() || !uses_static_evaluation(board) {
            return;
        }
        let us = board.side();
        let sign = if us == Color::Black { 1 } else { -1 };
        for (id, (now, before)) in now.iter().zip(&before).enumerate() {
            if now + before != 0 {
                samples.features.push((id as u16, sign * (now + before)));
            }
        }
        samples.features.push(((layout.threat(us) + threat_mask(board)) as u16, 2));
        samples.ends.push(samples.features.len() as u32);
        let result = game.points(us);
        let share = if number > decided_from { settings.score_share } else { 1.0 };
        samples.targets.push(share * sigmoid(f32::from(ply.score) / scale) + (1.0 - share) * result);
        samples.results.push(result);
    });
}

/// Mean cross-entropy of predictions against targets.
fn loss(pairs: impl Iterator<Item = (f32, f32)>) -> f32 {
    let (mut sum, mut count) = (0.0f64, 0);
    for (predicted, target) in pairs {
        sum += cross_entropy(predicted, target);
        count += 1;
    }
    (sum / f64::from(count.max(1))) as f32
}

/// The positions of one group.
struct Data {
    rule: Rule,
    layout: Layout,
    games: usize,
    /// Score units of one logit of the search's scores.
    scale: f32,
    train: Samples,
    held_out: Samples,
}

impl Data {
    fn read(paths: &[PathBuf], rule: Rule, settings: &Settings) -> Result<Data> {
        let scale = search_scale(paths, rule)?;
        let layout = Layout::of(rule);
        let (mut train, mut held_out) = (Samples::default(), Samples::default());
        let mut games = 0;
        for_each_game(paths, rule, |game| {
            games += 1;
            let samples = if is_held_out(game) { &mut held_out } else { &mut train };
            add_game(game, &layout, scale, settings, samples);
        })?;
        Ok(Data { rule, layout, games, scale, train, held_out })
    }

    /// Adds the training positions to `all`, in the layout of symmetric rules.
    fn pool(&self, all: &mut Samples) {
        let values = self.layout.sets.len() * COMBINATIONS;
        for i in 0..self.train.len() {
            for &(weight, halves) in self.train.features(i) {
                let weight = usize::from(weight);
                let common =
                    if weight < values { weight % COMBINATIONS } else { COMBINATIONS + (weight - values) % MASKS };
                all.features.push((common as u16, halves));
            }
            all.ends.push(all.features.len() as u32);
        }
        all.targets.extend(&self.train.targets);
    }
}

/// Fits the values in `sets` to the games in `paths`, first all rules together, then each group starting from there. Returns a
/// report. Groups with too few games are not changed.
fn fit(paths: &[PathBuf], settings: &Settings, sets: &mut [Weights]) -> Result<String> {
    let groups = FITTED.map(|rule| Data::read(paths, rule, settings));
    let groups = groups.into_iter().collect::<Result<Vec<Data>>>()?;
    let mut all = Samples::default();
    for data in &groups {
        data.pool(&mut all);
    }
    let mut common = Layout::of(Rule::Freestyle).model(None);
    if all.len() >= settings.descent.batch {
        train_model(&mut common, &all, COMMON_SCALE, settings);
    }
    drop(all);
    Ok(groups.iter().map(|data| fit_group(data, &common, settings, sets)).collect())
}

fn fit_group(data: &Data, common: &Model, settings: &Settings, sets: &mut [Weights]) -> String {
    let Data { rule, layout, games, scale, train, held_out } = data;
    let scale = *scale;
    let mut report = String::new();
    let positions = (train.len(), held_out.len());
    let _ = writeln!(report, "{}: {games} games, {} positions and {} held out", rule.name(), positions.0, positions.1);
    if train.len() < settings.descent.batch || held_out.len() == 0 {
        let _ = writeln!(report, "  too few to fit; not changed");
        return report;
    }
    let hand_set = layout.model(None).weights;
    let mut model = layout.model(Some((common, scale / COMMON_SCALE)));
    train_model(&mut model, train, scale, settings);
    let _ = writeln!(report, "  scale of the search's scores {scale:.0}; cross-entropy on held-out games:");
    for (name, weights, fitted_scale) in [("hand-set", &hand_set, None), ("fitted", &model.weights, Some(scale))] {
        let scores: Vec<f32> = (0..held_out.len()).map(|i| held_out.score(weights, i)).collect();
        let pairs = |truth: &[f32]| scores.iter().copied().zip(truth.iter().copied()).collect::<Vec<_>>();
        let scale = fitted_scale.unwrap_or_else(|| best_scale(&pairs(&held_out.targets)));
        let by = |truth: &[f32]| loss(pairs(truth).into_iter().map(|(score, t)| (sigmoid(score / scale), t)));
        let (target, result) = (by(&held_out.targets), by(&held_out.results));
        let _ = writeln!(report, "  {name:9} scale {scale:5.0}  target {target:.4}  result {result:.4}");
    }
    let constant = loss(held_out.targets.iter().map(|&target| (0.5, target)));
    let floor = loss(held_out.targets.iter().map(|&target| (target, target)));
    let _ = writeln!(report, "  one half everywhere {constant:.4}; the targets themselves {floor:.4}");
    let fitted_to: Vec<f32> = (0..train.len()).map(|i| sigmoid(train.score(&model.weights, i) / scale)).collect();
    let on_train = loss(fitted_to.into_iter().zip(train.targets.iter().copied()));
    let _ = writeln!(report, "  fitted, on the games it was fitted to: target {on_train:.4}");
    report.push_str(&calibration(held_out, &model.weights, scale));
    write_back(layout, &model, sets);
    report
}

/// The scale at which the search's scores best predict the results of the group's games.
fn search_scale(paths: &[PathBuf], rule: Rule) -> Result<f32> {
    let mut pairs = Vec::new();
    for_each_game(paths, rule, |game| pairs.extend(scores_and_results(game, Score::DECISIVE)))?;
    Ok(best_scale(&pairs))
}

fn train_model(model: &mut Model, train: &Samples, scale: f32, settings: &Settings) {
    let mut occurrences = vec![0; model.weights.len()];
    train.features.iter().for_each(|&(weight, _)| occurrences[weight as usize] += 1);
    model.set_occurrences(&occurrences);
    model.descend(train.len(), &settings.descent, |weights, i, gradient, batch| {
        let error = sigmoid(train.score(weights, i) / scale) - train.targets[i];
        let slope = error / batch / 2.0;
        for &(weight, halves) in train.features(i) {
            gradient[weight as usize] += slope * f32::from(halves);
        }
    });
}

/// Predicted and actual results, in ten classes of the prediction.
fn calibration(samples: &Samples, weights: &[f32], scale: f32) -> String {
    let mut bins = [(0usize, 0.0f32, 0.0f32); 10];
    for i in 0..samples.len() {
        let predicted = sigmoid(samples.score(weights, i) / scale);
        let bin = &mut bins[((predicted * 10.0) as usize).min(9)];
        *bin = (bin.0 + 1, bin.1 + predicted, bin.2 + samples.results[i]);
    }
    let cells = bins.iter().filter(|bin| bin.0 > 0).map(|&(n, predicted, actual)| {
        format!(" {:.0}>{:.0}", 100.0 * predicted / n as f32, 100.0 * actual / n as f32)
    });
    format!("  predicted > actual result, percent:{}\n", cells.collect::<String>())
}

fn write_back(layout: &Layout, model: &Model, sets: &mut [Weights]) {
    let round = |value: f32| value.round().clamp(-32_000.0, 32_000.0) as i16;
    for (side, set) in layout.sets.iter().enumerate() {
        let weights = &mut sets[set.index()];
        let color = Color::ALL[side];
        for (id, value) in weights.value[..COMBINATIONS].iter_mut().enumerate() {
            *value = round(model.weights[layout.value(color) + id] * VALUE_SCALE as f32);
        }
        for (mask, value) in weights.threat.iter_mut().enumerate() {
            *value = round(model.weights[layout.threat(color) + mask]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::selfplay::{self, Kind, Series};
    use tengen::base::{Rule, Size};

    fn arguments(games: PathBuf, out: PathBuf) -> EvalArguments {
        let descent = Descent { epochs: 3, batch: 256, seed: 1 };
        EvalArguments { games: vec![games], out, settings: Settings { descent, score_share: 0.5 } }
    }

    #[test]
    fn fitting_is_repeatable_and_leaves_other_rules_alone() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games");
        let kinds = vec![Kind { rule: Rule::Standard, size: Size::square(12).unwrap(), weight: 1 }];
        selfplay::run(&Series { kinds, games: 24, nodes: 60, seed: 3, labels: None }, &games, 1).unwrap();
        let fit = |name: &str| {
            let out = folder.path().join(name);
            run(&arguments(games.clone(), out.clone())).unwrap();
            std::fs::read(out).unwrap()
        };
        let bytes = fit("first");
        assert_eq!(bytes, fit("second"));
        let sets = classical_weights::decode(&bytes).unwrap();
        for set in WeightSet::ALL {
            let (fitted, hand_set) = (&sets[set.index()], Weights::hand_set(set));
            assert_eq!(fitted.value != hand_set.value, set == WeightSet::Standard, "{set:?}");
            assert_eq!(*fitted != hand_set, set == WeightSet::Standard, "{set:?}");
        }
    }

    #[test]
    fn a_file_that_holds_no_weights_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("notes.txt");
        std::fs::write(&out, "no weights").unwrap();
        assert!(run(&arguments(folder.path().join("none"), out.clone())).is_err());
        assert_eq!(std::fs::read(out).unwrap(), b"no weights");
    }
}
