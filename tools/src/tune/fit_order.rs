//! `tengen-tune order`: fits the move scores to the moves that searches chose, by softmax regression.

use super::factor_model::{Descent, Model, combination_parts};
use super::samples::{Group, for_each_game, for_each_position, is_held_out};
use super::tree_choices::for_each_choice;
use anyhow::Result;
use std::fmt::Write as _;
use std::path::PathBuf;
use tengen::base::{Color, Ply, Point};
use tengen::board::combination::COMBINATIONS;
use tengen::board::{Board, Threat};
use tengen::eval::classical_weights::{NEARNESS, ORDER_SCALE, WeightSet, Weights, nearness};
use tengen::search::forced;
use tengen::search::order::for_each_reply;

/// Settings of the fit.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The gradient descent; its rate is in logits.
    pub descent: Descent,
    /// Number of games of a group from which one position is searched, and the nodes of these searches, to learn from the best
    /// moves in the tree. No games: learn from the moves chosen in the games.
    pub trees: (usize, u64),
}

/// The weights that make up a move's score: for the combination that it makes, for the one that it prevents, and for its
/// nearness to each of the last two moves.
type Move = [u16; 4];

/// Positions with a choice of moves.
#[derive(Default)]
struct Samples {
    moves: Vec<Move>,
    /// End of each position's moves, and which of them was chosen.
    ends: Vec<(u32, u16)>,
}

impl Samples {
    fn moves(&self, i: usize) -> (&[Move], usize) {
        let start = if i == 0 { 0 } else { self.ends[i - 1].0 as usize };
        (&self.moves[start..self.ends[i].0 as usize], usize::from(self.ends[i].1))
    }
}

/// First weights of the blocks of a set: attack, defence, nearness to the opponent's last move and to our own.
const ATTACK: usize = 0;
const DEFENCE: usize = COMBINATIONS;
const NEAR: usize = 2 * COMBINATIONS;

fn model(set: WeightSet, hand_set: &Weights) -> Model {
    // A defending move prevents the other side's combinations.
    let theirs = match set {
        WeightSet::RenjuBlack => WeightSet::RenjuWhite,
        WeightSet::RenjuWhite => WeightSet::RenjuBlack,
        other => other,
    };
    let mut model = Model::new();
    for (column, side) in [set, theirs].into_iter().enumerate() {
        let base: Vec<f32> =
            hand_set.order[..COMBINATIONS].iter().map(|pair| f32::from(pair[column]) / ORDER_SCALE as f32).collect();
        let parts = combination_parts(side.has_forbidden());
        model.add(&base, |id| parts[id].clone());
    }
    for _ in 0..2 {
        model.add(&[0.0; NEARNESS], |_| Vec::new());
    }
    model
}

/// Adds a position if it belongs to `set` and there is a choice of moves: no five can be made or must be stopped, and the
/// threats prove no result.
fn add(board: &mut Board, best: Point, set: WeightSet, samples: &mut Samples) {
    let us = board.side();
    let fives = board.count(Color::Black, Threat::Five) + board.count(Color::White, Threat::Five);
    if WeightSet::of(board.rule(), us) != set || fives > 0 || forced::static_result(board, Ply::ROOT).is_some() {
        return;
    }
    let duty = forced::duty(board);
    let start = samples.moves.len();
    let mut chosen = None;
    for_each_reply(board, &duty, |point| {
        if point == best {
            chosen = Some(samples.moves.len() - start);
        }
        if point == best || !is_suspect(board, us, point) {
            samples.moves.push(parts_of(board, us, point));
        }
    });
    match chosen {
        Some(chosen) if samples.moves.len() - start > 1 => {
            samples.ends.push((samples.moves.len() as u32, chosen as u16));
        }
        _ => samples.moves.truncate(start),
    }
}

/// Whether a point looks forbidden to us.
fn is_suspect(board: &Board, us: Color, point: Point) -> bool {
    board.threat(point, us) == Threat::Forbidden
}

fn parts_of(board: &Board, us: Color, point: Point) -> Move {
    let worth = board.combinations(point);
    [
        ATTACK + worth[us.index()].id(),
        DEFENCE + worth[us.opponent().index()].id(),
        NEAR + nearness(point, board.last_move()),
        NEAR + NEARNESS + nearness(point, board.move_before_last()),
    ]
    .map(|weight| weight as u16)
}

fn score(weights: &[f32], parts: &Move) -> f32 {
    parts.iter().map(|&weight| weights[weight as usize]).sum()
}

/// How well the scores predict the chosen move.
struct Quality {
    loss: f64,
    top: f64,
    rank: f64,
}

fn quality(samples: &Samples, weights: &[f32]) -> Quality {
    let (mut loss, mut top, mut rank) = (0.0, 0, 0);
    for i in 0..samples.ends.len() {
        let (moves, chosen) = samples.moves(i);
        let best = score(weights, &moves[chosen]);
        let sum: f64 = moves.iter().map(|parts| f64::from(score(weights, parts) - best).exp()).sum();
        // Among equal scores, the rank is the mean one.
        let above = moves.iter().filter(|parts| score(weights, parts) > best).count();
        let equal = moves.iter().filter(|parts| score(weights, parts) >= best).count() - above - 1;
        loss += sum.ln();
        rank += 2 * above + equal + 2;
        top += usize::from(above == 0 && equal == 0);
    }
    let n = samples.ends.len().max(1) as f64;
    Quality { loss: loss / n, top: top as f64 / n, rank: rank as f64 / 2.0 / n }
}

/// Fits the move scores of one group in `sets` to the games in `paths`. Returns a report.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn fit(paths: &[PathBuf], group: Group, settings: &Settings, sets: &mut [Weights]) -> Result<String> {
    let mut report = String::new();
    for set in group.sets() {
        let (mut train, mut held_out) = (Samples::default(), Samples::default());
        if settings.trees.0 == 0 {
            for_each_game(paths, group, |game| {
                let samples = if is_held_out(game) { &mut held_out } else { &mut train };
                for_each_position(game, |board, ply| add(board, ply.best, set, samples));
            })?;
        } else {
            for_each_choice(paths, group, settings.trees, |board, best, is_held_out| {
                add(board, best, set, if is_held_out { &mut held_out } else { &mut train });
            })?;
        }
        let counts = (train.ends.len(), held_out.ends.len());
        let _ = writeln!(report, "{set:?}: {} choices and {} held out", counts.0, counts.1);
        if counts.0 < settings.descent.batch || counts.1 == 0 {
            let _ = writeln!(report, "  too few to fit; not changed");
            continue;
        }
        let mut model = model(set, &Weights::hand_set(set));
        let mut occurrences = vec![0; model.weights.len()];
        train.moves.iter().flatten().for_each(|&weight| occurrences[weight as usize] += 1);
        model.set_occurrences(&occurrences);
        let before = quality(&held_out, &model.weights);
        train_model(&mut model, &train, settings);
        for (name, quality) in [("hand-set", before), ("fitted", quality(&held_out, &model.weights))] {
            let Quality { loss, top, rank } = quality;
            let _ = writeln!(
                report,
                "  {name:9} held-out cross-entropy {loss:.3}, first choice right {:.1} %, mean rank {rank:.2}",
                100.0 * top
            );
        }
        write_back(&model, &mut sets[set.index()]);
    }
    Ok(report)
}

fn train_model(model: &mut Model, train: &Samples, settings: &Settings) {
    let mut scores = Vec::new();
    model.descend(train.ends.len(), &settings.descent, |weights, i, gradient, batch| {
        let (moves, chosen) = train.moves(i);
        scores.clear();
        scores.extend(moves.iter().map(|parts| score(weights, parts)));
        let highest = scores.iter().copied().fold(f32::MIN, f32::max);
        for score in &mut scores {
            *score = (*score - highest).exp();
        }
        let share = 1.0 / (scores.iter().sum::<f32>() * batch);
        for (parts, score) in moves.iter().zip(&scores) {
            for &weight in parts {
                gradient[weight as usize] += score * share;
            }
        }
        for &weight in &moves[chosen] {
            gradient[weight as usize] -= 1.0 / batch;
        }
    });
}

fn write_back(model: &Model, weights: &mut Weights) {
    let round = |value: f32| (value * ORDER_SCALE as f32).round().clamp(-8000.0, 8000.0) as i16;
    for (id, pair) in weights.order[..COMBINATIONS].iter_mut().enumerate() {
        *pair = [round(model.weights[ATTACK + id]), round(model.weights[DEFENCE + id])];
    }
    for (i, score) in weights.near.iter_mut().flatten().enumerate() {
        *score = round(model.weights[NEAR + i]);
    }
}
