//! The head of the network: from the pooled cells, the threats and the hints to the estimate, and from a cell to the score
//! of a move.
//!
//! All arithmetic is on integers and exact, so the order of additions does not matter. Loops fill the arrays, because
//! closures passed to `array::from_fn` are not always inlined and then lack the processor features of their caller.

use super::CellChannels;
use super::architecture::{
    CELL_MAX, CELL_SCALE, CHANNELS, HEAD_MAX, HEAD_SCALE, HINTS, INPUT_SCALE, OUTPUT_SCALE, POLICY_MAX, POLICY_SCALE,
    POOL_SCALE, THREATS, WIDTH, threat_input,
};
use super::features::NearnessTo;
use super::packed_head::{NEARNESS_LEN, PackedHead, Sums};
use super::products::Products;
use crate::base::point::CELLS;
use crate::base::{Color, MoveScores, Point, Score, bounded};
use crate::board::Board;
use crate::eval::classical_weights::{ORDER_SCALE, VALUE_SCALE};
use crate::eval::shapes::Parts;
use arrayvec::ArrayVec;

/// From policy sums to move scores, which have [`ORDER_SCALE`] units per 1.0 of a logit.
pub const MOVE_SHIFT: u32 = (POLICY_SCALE * CELL_SCALE / ORDER_SCALE).trailing_zeros();

/// From products of the head's inputs and [`Head::made`](super::weights::Head::made) to units of policy weights.
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
    let mut active = ArrayVec::new();
    for (side, color) in [board.side(), board.side().opponent()].into_iter().enumerate() {
        let threats = board.threats(color);
        // Threat 0 is no threat.
        let mut left = threats.some & !1;
        while left != 0 {
            let threat = left.trailing_zeros() as usize;
            left &= left - 1;
            active.push(threat_input(side, threat, threats.several >> threat & 1 != 0) as u8);
        }
    }
    active
}

/// The terms of the classical evaluation as inputs of the head: 256 score units are 1.0.
#[inline(always)]
pub fn hints(parts: Parts) -> [i16; HINTS] {
    const UNIT: i32 = INPUT_SCALE / 256;
    [parts.points * UNIT / VALUE_SCALE, parts.threats * UNIT].map(|hint| hint.clamp(-HEAD_MAX, HEAD_MAX) as i16)
}

/// The estimate for the side to move, as a logit of the expected result in [`OUTPUT_SCALE`] units.
#[inline(always)]
pub fn output(
    products: impl Products,
    packed: &PackedHead,
    input: &[i16; WIDTH],
    hints: [i16; HINTS],
    board: &Board,
) -> i64 {
    let head = &packed.head;
    let mut with_hints = [0; WIDTH + HINTS];
    with_hints[..WIDTH].copy_from_slice(input);
    with_hints[WIDTH..].copy_from_slice(&hints);
    let mut first = head.first_bias;
    products.add_products(&mut first, &packed.first, &with_hints);
    let mut direct = i64::from(head.output_bias) + 2 * i64::from(dot(&head.skip, input));
    let threats = threats(board);
    for &threat in &threats {
        direct += i64::from(head.skip_threats[usize::from(threat)]);
    }
    add_chosen(&mut first, &packed.threats, &threats);
    direct += 2 * i64::from(dot(&head.skip_hints, &hints));
    let mut second = head.second_bias;
    products.add_products(&mut second, &packed.second, &activated(&first, INPUT_SCALE));
    direct + i64::from(dot(&head.output, &activated(&second, HEAD_SCALE)))
}

/// Adds what the chosen inputs add to the sums of a layer.
#[inline(always)]
fn add_chosen<const N: usize>(sums: &mut [i32; N], inputs: &[Sums<N>], chosen: &[u8]) {
    for &input in chosen {
        let added = &inputs[usize::from(input)].0;
        for i in 0..N {
            sums[i] += added[i];
        }
    }
}

/// The activations of a layer from its sums; `scale` is that of its inputs.
#[inline(always)]
pub fn activated<const N: usize>(sums: &[i32; N], scale: i32) -> [i16; N] {
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
fn policy_weights(products: impl Products, packed: &PackedHead, pooled: &[i32; WIDTH], board: &Board) -> [i16; WIDTH] {
    let mut sums = [0; WIDTH];
    products.add_products(&mut sums, &packed.made, &input(pooled, board.side()));
    add_chosen(&mut sums, &packed.made_by_threats, &threats(board));
    let mut weights = [0; WIDTH];
    for i in 0..WIDTH {
        let weight = i32::from(packed.head.policy[i]) + (sums[i] >> MADE_SHIFT);
        weights[i] = weight.clamp(-POLICY_MAX, POLICY_MAX) as i16;
    }
    weights
}

/// Appends the scores of moves of the side to move, in 1/32 of a logit. `cells` are the channels of all cells, and `pooled` is
/// the sum of their activations.
#[inline(always)]
pub fn move_scores(
    products: impl Products,
    packed: &PackedHead,
    board: &Board,
    cells: &[CellChannels; CELLS],
    pooled: &[i32; WIDTH],
    points: &[Point],
    scores: &mut MoveScores,
) {
    let (us, them) = (board.side().index(), board.side().opponent().index());
    // The weights in the order of a cell's channels, black's first.
    let weights = policy_weights(products, packed, pooled, board);
    let (own, opposing) = weights.split_at(CHANNELS);
    let mut weights = [0; WIDTH];
    weights[us * CHANNELS..][..CHANNELS].copy_from_slice(own);
    weights[them * CHANNELS..][..CHANNELS].copy_from_slice(opposing);
    let near = [board.last_move(), board.move_before_last()].map(NearnessTo::new);
    for &point in points.iter().take(scores.remaining_capacity()) {
        let near = |which: usize| packed.near[which][bounded::<NEARNESS_LEN>(near[which].of(point))];
        let base = packed.pairs[usize::from(board.threat_code(point))] + near(0) + near(1);
        let cell = &cells[point.index()].0;
        let mut sum = 0;
        for i in 0..WIDTH {
            sum += i32::from(weights[i]) * i32::from(activation(cell[i]));
        }
        scores.push((base + sum) >> MOVE_SHIFT);
    }
}

const _: () =
    assert!(INPUT_SCALE * HEAD_SCALE * 2 == OUTPUT_SCALE, "products of the direct connections are half output units");
