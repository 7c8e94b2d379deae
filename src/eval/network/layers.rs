//! The head of the network: from the pooled cells, the threats and the hints to the estimate, and from a cell to the score
//! of a move.
//!
//! All arithmetic is on integers and exact, so the order of additions does not matter. Loops fill the arrays, because
//! closures passed to `array::from_fn` are not always inlined and then lack the processor features of their caller.

use super::architecture::{
    CELL_MAX, CELL_SCALE, CHANNELS, HEAD_MAX, HEAD_SCALE, HINTS, INPUT_SCALE, OUTPUT_SCALE, POLICY_MAX, POLICY_SCALE,
    POOL_SCALE, THREATS, WIDTH, threat_input,
};
use super::features::nearness;
use super::products::{add_all, add_chosen};
use super::weights::Head;
use crate::base::point::CELLS;
use crate::base::{Color, MoveScores, Point, Score};
use crate::board::{Board, Threat};
use crate::eval::classical_weights::{ORDER_SCALE, VALUE_SCALE};
use crate::eval::shapes::Parts;
use arrayvec::ArrayVec;

/// From policy sums to move scores, which have [`ORDER_SCALE`] units per 1.0 of a logit.
pub const MOVE_SHIFT: u32 = (POLICY_SCALE * CELL_SCALE / ORDER_SCALE).trailing_zeros();

/// From products of the head's inputs and [`Head::made`] to units of policy weights.
pub const MADE_SHIFT: u32 = (INPUT_SCALE * HEAD_SCALE / POLICY_SCALE).trailing_zeros();

/// From units of the pooled sums to units of the head's input.
const POOL_SHIFT: u32 = (POOL_SCALE / INPUT_SCALE).trailing_zeros();

/// The pooled cells as input of the head: the half of the side to move is first.
#[inline(always)]
pub fn input(pooled: &[i32; WIDTH], side: Color) -> [i16; WIDTH] {
    let (black, white) = pooled.split_at(CHANNELS);
    let halves = if side == Color::Black { [black, white] } else { [white, black] };
    let mut input = [0; WIDTH];
    for (half, source) in input.chunks_exact_mut(CHANNELS).zip(halves) {
        for (value, &sum) in half.iter_mut().zip(source) {
            *value = (sum >> POOL_SHIFT).clamp(-HEAD_MAX, HEAD_MAX) as i16;
        }
    }
    input
}

/// The active threat inputs; see [`threat_input`].
#[inline(always)]
pub fn threats(board: &Board) -> ArrayVec<u8, THREATS> {
    // Every input is written, and stays if it is active: without a branch, because which ones are is hard to predict.
    let mut features = ArrayVec::from([0; THREATS]);
    let mut active = 0;
    for (side, color) in [board.side(), board.side().opponent()].into_iter().enumerate() {
        // Threat 0 is no threat.
        for threat in 1..Threat::ALL.len() {
            let count = board.count(color, Threat::ALL[threat]);
            features[active] = threat_input(side, threat, count > 1) as u8;
            active += usize::from(count > 0);
        }
    }
    features.truncate(active);
    features
}

/// The terms of the classical evaluation as inputs of the head: 256 score units are 1.0.
#[inline(always)]
pub fn hints(parts: Parts) -> [i16; HINTS] {
    const UNIT: i32 = INPUT_SCALE / 256;
    [parts.points * UNIT / VALUE_SCALE, parts.threats * UNIT].map(|hint| hint.clamp(-HEAD_MAX, HEAD_MAX) as i16)
}

/// The estimate for the side to move, as a logit of the expected result in [`OUTPUT_SCALE`] units.
#[inline(always)]
pub fn output(head: &Head, input: &[i16; WIDTH], hints: [i16; HINTS], board: &Board) -> i64 {
    let mut first = head.first_bias;
    add_all(&mut first, &head.first[..], input);
    let mut direct = i64::from(head.output_bias) + 2 * i64::from(dot(&head.skip, input));
    let threats = threats(board);
    for &threat in &threats {
        direct += i64::from(head.skip_threats[usize::from(threat)]);
    }
    add_chosen(&mut first, &head.threats[..], &threats, INPUT_SCALE as i16);
    direct += 2 * i64::from(dot(&head.skip_hints, &hints));
    add_all(&mut first, &head.hints, &hints);
    let mut second = head.second_bias;
    add_all(&mut second, &head.second[..], &activated(&first, INPUT_SCALE));
    direct + i64::from(dot(&head.output, &activated(&second, HEAD_SCALE)))
}

/// The activations of a layer from its sums; `scale` is that of its inputs.
#[inline(always)]
fn activated<const N: usize>(sums: &[i32; N], scale: i32) -> [i16; N] {
    let mut values = [0; N];
    for (value, &sum) in values.iter_mut().zip(sums) {
        *value = (sum >> scale.trailing_zeros()).clamp(0, HEAD_MAX) as i16;
    }
    values
}

/// Dot product.
#[inline(always)]
fn dot<const N: usize>(a: &[i16; N], b: &[i16; N]) -> i32 {
    let mut sum = 0;
    for i in 0..N {
        sum += i32::from(a[i]) * i32::from(b[i]);
    }
    sum
}

/// A logit in [`OUTPUT_SCALE`] units as a score.
#[inline(always)]
pub fn score(logit: i64) -> Score {
    Score::estimate((logit * i64::from(Score::UNITS_PER_LOGIT) / i64::from(OUTPUT_SCALE)) as i32)
}

/// The activation of a channel of a cell.
#[inline(always)]
pub fn activation(value: i16) -> i16 {
    value.clamp(0, CELL_MAX)
}

/// How the policy weighs the channels of a cell in this position, first those of the side to move; `pooled` is the sum of
/// the activations of all cells. (Filters made by the position: Jia et al. 2016, "Dynamic Filter Networks".)
#[inline(always)]
fn policy_weights(head: &Head, pooled: &[i32; WIDTH], board: &Board) -> [i16; WIDTH] {
    let (channels, threat_rows) = head.made.split_at(WIDTH);
    let mut sums = [0; WIDTH];
    add_all(&mut sums, channels, &input(pooled, board.side()));
    add_chosen(&mut sums, threat_rows, &threats(board), INPUT_SCALE as i16);
    let mut weights = [0; WIDTH];
    for i in 0..WIDTH {
        weights[i] = (i32::from(head.policy[i]) + (sums[i] >> MADE_SHIFT)).clamp(-POLICY_MAX, POLICY_MAX) as i16;
    }
    weights
}

/// Appends the scores of moves of the side to move, in 1/32 of a logit. `cells` are the channels of all cells, and `pooled` is
/// the sum of their activations.
#[inline(always)]
pub fn move_scores(
    head: &Head,
    board: &Board,
    cells: &[[i16; WIDTH]; CELLS],
    pooled: &[i32; WIDTH],
    points: &[Point],
    scores: &mut MoveScores,
) {
    let (us, them) = (board.side().index(), board.side().opponent().index());
    // The weights in the order of a cell's channels, black's first.
    let weights = policy_weights(head, pooled, board);
    let (own, opposing) = weights.split_at(CHANNELS);
    let mut weights = [0; WIDTH];
    weights[us * CHANNELS..][..CHANNELS].copy_from_slice(own);
    weights[them * CHANNELS..][..CHANNELS].copy_from_slice(opposing);
    let (last, before_last) = (board.last_move(), board.move_before_last());
    for &point in points.iter().take(scores.remaining_capacity()) {
        let base = head.pairs[board.threat_pair(point)]
            + head.near[0][nearness(point, last)]
            + head.near[1][nearness(point, before_last)];
        let cell = &cells[point.index()];
        let mut sum = 0;
        for i in 0..WIDTH {
            sum += i32::from(weights[i]) * i32::from(activation(cell[i]));
        }
        scores.push((base + sum) >> MOVE_SHIFT);
    }
}

const _: () =
    assert!(INPUT_SCALE * HEAD_SCALE * 2 == OUTPUT_SCALE, "products of the direct connections are half output units");
