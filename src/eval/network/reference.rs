//! The reference implementation of the network: computes everything from the stones, cell by cell, without any state.
//!
//! Slow. [`super::accumulator`] and the trainer are tested against it. The dimensions are in [`super::architecture`].

use super::Network;
use super::architecture::{CHANNELS, FIRST, HEAD_SCALE, INPUT_SCALE, POLICY_MAX, WIDTH};
use super::features::{LINE_KINDS, ROWS, line_kind, nearness, row_of, shape_by_cells};
use super::layers;
use super::weights::{Head, Weights};
use crate::base::{Cell, Color, Direction, Point};
use crate::board::{Board, Threat};
use crate::eval::shapes::Parts;
use crate::eval::{Evaluator, ShapeEvaluator};

/// The channels of a cell: as black sees it, then as white sees it.
pub fn cell(weights: &Weights, board: &Board, point: Point) -> [i16; WIDTH] {
    let stone = |at: Point| match board.cell(at) {
        Cell::Wall => None,
        cell => Some(cell.color()),
    };
    let mut cell = [0; WIDTH];
    for (half, color) in Color::ALL.into_iter().enumerate() {
        let channels = &mut cell[half * CHANNELS..][..CHANNELS];
        channels.copy_from_slice(&weights.bias);
        for direction in Direction::ALL {
            let row = line_kind(direction) * ROWS + row_of(shape_by_cells(point, direction, color, stone));
            debug_assert!(row < LINE_KINDS * ROWS);
            for (channel, &weight) in channels.iter_mut().zip(&weights.rows[row]) {
                *channel += i16::from(weight);
            }
        }
    }
    cell
}

/// The sum of the activations of all cells, minus that of an empty board of the same size.
pub fn pooled(weights: &Weights, board: &Board) -> [i32; WIDTH] {
    let sum = |board: &Board| {
        let mut sum = [0; WIDTH];
        for point in board.size().points().filter(|&point| board.cell(point) != Cell::Wall) {
            for (sum, value) in sum.iter_mut().zip(cell(weights, board, point)) {
                *sum += i32::from(layers::activation(value));
            }
        }
        sum
    };
    let (here, empty) = (sum(board), sum(&Board::new(board.rule(), board.size())));
    std::array::from_fn(|i| here[i] - empty[i])
}

/// The terms of the classical evaluation.
pub fn parts(board: &Board) -> Parts {
    let mut shapes = ShapeEvaluator::new(board.rule());
    shapes.refresh(board);
    shapes.parts(board)
}

/// The estimate for the side to move as a logit; see [`layers::output`].
pub fn logit(network: &Network, weights: &Weights, board: &Board) -> i64 {
    let head = network.head(board);
    let (input, hints) = (layers::input(&pooled(weights, board), board.side()), layers::hints(parts(board)));
    let (mut first, mut direct) = (head.first_bias, i64::from(head.output_bias));
    let mut add = |value: i32, row: &[i16; FIRST]| {
        first.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += value * i32::from(weight));
    };
    let rows = head.first.iter().zip(&head.skip).chain(head.hints.iter().zip(&head.skip_hints));
    for (value, (row, &skip)) in input.into_iter().chain(hints).zip(rows) {
        add(i32::from(value), row);
        direct += 2 * i64::from(value) * i64::from(skip);
    }
    for threat in layers::threats(board).into_iter().map(usize::from) {
        add(INPUT_SCALE, &head.threats[threat]);
        direct += i64::from(head.skip_threats[threat]);
    }
    let mut second = head.second_bias;
    for (value, row) in layers::activated(&first, INPUT_SCALE).into_iter().zip(head.second.iter()) {
        second.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(value) * i32::from(weight));
    }
    let last = layers::activated(&second, HEAD_SCALE).into_iter().zip(head.output);
    direct + last.map(|(value, weight)| i64::from(value) * i64::from(weight)).sum::<i64>()
}

/// How the policy weighs the channels of a cell, first those of the side to move; `input` is that of the head.
pub fn policy_weights(head: &Head, input: &[i16; WIDTH], board: &Board) -> [i32; WIDTH] {
    let threats = layers::threats(board);
    let threat = |i: usize| if threats.contains(&(i as u8)) { INPUT_SCALE } else { 0 };
    std::array::from_fn(|channel| {
        let makers = input.iter().map(|&value| i32::from(value)).chain((0..).map(threat));
        let sum: i32 = makers.zip(head.made.iter()).map(|(value, row)| value * i32::from(row[channel])).sum();
        (i32::from(head.policy[channel]) + (sum >> layers::MADE_SHIFT)).clamp(-POLICY_MAX, POLICY_MAX)
    })
}

/// The score of a move, in 1/32 of a logit, from the channels of its cell and the [`policy_weights`].
pub fn move_score(head: &Head, policy: &[i32; WIDTH], cell: &[i16; WIDTH], board: &Board, point: Point) -> i32 {
    let side = board.side();
    let made = board.combinations(point)[side.index()].threat();
    let denied = board.combinations(point)[side.opponent().index()].threat();
    let base = head.pairs[Threat::pair(made, denied)]
        + head.near[0][nearness(point, board.last_move())]
        + head.near[1][nearness(point, board.move_before_last())];
    let (black, white) = cell.split_at(CHANNELS);
    let (own, opposing) = if side == Color::Black { (black, white) } else { (white, black) };
    let channels = own.iter().chain(opposing);
    let sum: i32 = channels.zip(policy).map(|(&channel, weight)| i32::from(layers::activation(channel)) * weight).sum();
    (base + sum) >> layers::MOVE_SHIFT
}
