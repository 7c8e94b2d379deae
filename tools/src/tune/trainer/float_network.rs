//! The network in floating point for training: its parameters, and their conversion to the integers of the engine.
//!
//! A row of the table is the sum of a part for each of its two sides, a part for the shapes of the line for both colours, and
//! an own part, called its rest. So rare rows have at least the values of their shared parts. The sum is rounded to the
//! engine's grid before use, so that training sees what the engine computes; gradients ignore the rounding (straight-through
//! estimator).

use crate::tune::logistic::ENGINE_SCALE;
use anyhow::{Result, ensure};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tengen::base::{Color, Rule};
use tengen::board::tables::RuleTables;
use tengen::board::{Shape, Threat};
use tengen::eval::network::Weights;
use tengen::eval::network::architecture::{
    BIAS_MAX, CELL_MAX, CELL_SCALE, CHANNELS, FIRST, HEAD_MAX, HEAD_SCALE, INPUT_SCALE, OUTPUT_SCALE, POLICY_MAX,
    POLICY_SCALE, POOL_SCALE, SECOND, STAGES, head_number,
};
use tengen::eval::network::features::{LINE_KINDS, REACH, ROWS, SIDES, parts, shape_of_row, side_cells};
use tengen::eval::network::weights::Head;

/// One row in floating point.
pub type Row = [f32; CHANNELS];

/// Number of shapes, and of pairs of shapes of both colours.
const SHAPES: usize = Shape::ALL.len();
const SHAPE_PAIRS: usize = SHAPES * SHAPES;
/// Kinds of lines: pairs of shapes, and two for an occupied centre.
const KINDS: usize = SHAPE_PAIRS + 2;
/// Parts of the rows: the sides (for each kind of centre), then the kinds.
const PARTS: usize = 3 * SIDES + KINDS;
/// Rows of the table: the rests, then the shared parts, then the bias.
pub const TABLE: usize = LINE_KINDS * (ROWS + PARTS) + 1;
/// Index of the bias in the table.
pub const BIAS: usize = TABLE - 1;

/// Largest activation.
pub const CELL_LIMIT: f32 = CELL_MAX as f32 / CELL_SCALE as f32;
/// Largest absolute input of a head.
pub const INPUT_LIMIT: f32 = HEAD_MAX as f32 / INPUT_SCALE as f32;
/// Largest hidden activation, and largest absolute weight, of a head.
pub const HEAD_LIMIT: f32 = HEAD_MAX as f32 / HEAD_SCALE as f32;
/// Largest absolute weight of a row.
pub const ROW_LIMIT: f32 = i8::MAX as f32 / CELL_SCALE as f32;
/// Sum of activations that makes an input of one.
pub const POOL: f32 = POOL_SCALE as f32 / CELL_SCALE as f32;

/// A head in floating point. Also the gradient of one.
pub type FloatHead = Head<f32, f32>;

/// Rounds of [`Model::share`]: of a network that has nothing but shared parts they leave less than a hundredth in the rests.
const SHARING_ROUNDS: u32 = 10;

/// Index of [`Head::made`] among the slices of [`Parameters`].
pub const MADE: usize = 14;

/// The parameters of a head as slices, by kind and in the order of checkpoints.
pub trait Parameters {
    /// All of them.
    fn slices(&self) -> [&[f32]; 15];

    /// All of them, mutable.
    fn slices_mut(&mut self) -> [&mut [f32]; 15];
}

impl Parameters for FloatHead {
    fn slices(&self) -> [&[f32]; 15] {
        [
            self.first.as_flattened(),
            &self.first_bias,
            self.threats.as_flattened(),
            self.second.as_flattened(),
            &self.second_bias,
            &self.output,
            &self.skip,
            &self.skip_threats,
            &self.policy,
            &self.pairs[..],
            std::slice::from_ref(&self.output_bias),
            self.hints.as_flattened(),
            &self.skip_hints,
            self.near.as_flattened(),
            self.made.as_flattened(),
        ]
    }

    fn slices_mut(&mut self) -> [&mut [f32]; 15] {
        [
            self.first.as_flattened_mut(),
            &mut self.first_bias,
            self.threats.as_flattened_mut(),
            self.second.as_flattened_mut(),
            &mut self.second_bias,
            &mut self.output,
            &mut self.skip,
            &mut self.skip_threats,
            &mut self.policy,
            &mut self.pairs[..],
            std::slice::from_mut(&mut self.output_bias),
            self.hints.as_flattened_mut(),
            &mut self.skip_hints,
            self.near.as_flattened_mut(),
            self.made.as_flattened_mut(),
        ]
    }
}

/// All parameters of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The rule it is for.
    pub rule: Rule,
    /// Rests and parts of the rows, and the bias.
    pub table: Vec<Row>,
    /// One head for each stage, or one for each stage and side to move.
    pub heads: Vec<FloatHead>,
}

/// The shared parts of a row: table indices of two sides and a kind.
pub fn parts_of_rows(rule: Rule) -> Vec<[u32; 3]> {
    let tables = RuleTables::of(rule);
    let of_row = |line_kind: usize, row: usize| {
        let (left, center, right) = parts(shape_of_row(row));
        let first = LINE_KINDS * ROWS + line_kind * PARTS;
        let kind = match center {
            0 => {
                let shapes = tables.shapes_of(key(left, right, tables.half));
                usize::from(shapes & 15) * SHAPES + usize::from(shapes >> 4)
            }
            occupied => SHAPE_PAIRS + occupied - 1,
        };
        let side = |side: usize| (first + center * SIDES + side) as u32;
        [side(left), side(right), (first + 3 * SIDES + kind) as u32]
    };
    (0..LINE_KINDS).flat_map(|line_kind| (0..ROWS).map(move |row| of_row(line_kind, row))).collect()
}

/// The window key of two sides seen by black. Where the rule looks one cell further than a side, that cell is taken
/// to be empty if the board may go on there.
fn key(left: usize, right: usize, half: usize) -> usize {
    let bits = |side: usize, distance: usize| {
        let (cells, length) = side_cells(side);
        match (distance <= length, distance > REACH && length == REACH) {
            (true, _) => [3, 1, 2][cells[distance - 1]],
            (false, true) => 3,
            (false, false) => 0,
        }
    };
    let left: usize = (1..=half).map(|distance| bits(left, distance) << (2 * (half - distance))).sum();
    let right: usize = (1..=half).map(|distance| bits(right, distance) << (2 * (half + distance - 1))).sum();
    left | right
}

impl Model {
    /// An untrained model: random, except that its first channel approximates the classical evaluation.
    pub fn new(rule: Rule, seed: u64) -> Model {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut normal = |deviation: f32| -> f32 {
            let sum: f32 = (0..12).map(|_| random.random::<f32>()).sum();
            (sum - 6.0) * deviation
        };
        let mut table = vec![[0.0; CHANNELS]; TABLE];
        for row in &mut table[LINE_KINDS * ROWS..BIAS] {
            row.fill_with(|| normal(0.06));
        }
        table[BIAS] = [0.1; CHANNELS];
        table[BIAS][0] = 0.0;
        for line_kind in 0..LINE_KINDS {
            let first = LINE_KINDS * ROWS + line_kind * PARTS;
            for row in &mut table[first..first + 3 * SIDES] {
                row[0] = 0.0;
            }
            for kind in 0..KINDS {
                let own = if kind < SHAPE_PAIRS { WARM_VALUES[kind / SHAPES] } else { 0.0 };
                table[first + 3 * SIDES + kind][0] = (own / 24.0).min(1.9);
            }
        }
        let sides = if rule == Rule::Renju { 2 } else { 1 };
        let heads = (0..sides * STAGES).map(|_| {
            let mut head = FloatHead::zero();
            head.first.as_flattened_mut().fill_with(|| normal(0.2));
            head.second.as_flattened_mut().fill_with(|| normal(0.2));
            head.output.fill_with(|| normal(0.1));
            head.policy.fill_with(|| normal(0.1));
            for (pair, value) in head.pairs.iter_mut().enumerate() {
                *value = (WARM_ATTACK[pair / Threat::ALL.len()] + WARM_DEFENCE[pair % Threat::ALL.len()]) / 32.0;
            }
            head.first_bias = [0.2; FIRST];
            head.second_bias = [0.2; SECOND];
            // From points of the classical evaluation (over 24 and 32) to logits.
            head.skip[0] = 24.0 * POOL / ENGINE_SCALE;
            head.skip[CHANNELS] = -head.skip[0];
            head
        });
        Model { rule, table, heads: heads.collect() }
    }

    /// A model with the values of a finished network. The shared parts of its rows are not known, so all values are in the
    /// rests; see [`Model::share`].
    pub fn of_weights(weights: &Weights) -> Model {
        let scale = |units: f32| units / CELL_SCALE as f32;
        let mut table: Vec<Row> = weights.rows.iter().map(|row| row.map(|units| scale(f32::from(units)))).collect();
        table.resize(TABLE, [0.0; CHANNELS]);
        table[BIAS] = weights.bias.map(|units| scale(f32::from(units)));
        Model { rule: weights.rule, table, heads: weights.heads.iter().map(import_head).collect() }
    }

    /// Moves what rows have in common from their rests to their shared parts; the sums stay the same. Without this a finished
    /// network that is trained further would have everything in its rests, and rare rows would lose what they share.
    pub fn share(&mut self, parts: &[[u32; 3]]) {
        for _ in 0..SHARING_ROUNDS {
            // The sides first, each of which takes half of what is left, then the kinds.
            for (family, share) in [(0..2, 0.5), (2..3, 1.0)] {
                let mut sums = vec![([0.0; CHANNELS], 0.0); TABLE];
                for (row, parts) in parts.iter().enumerate() {
                    for &part in &parts[family.clone()] {
                        let (sum, count) = &mut sums[part as usize];
                        sum.iter_mut().zip(self.table[row]).for_each(|(sum, weight)| *sum += weight);
                        *count += 1.0;
                    }
                }
                let moved = |part: usize| sums[part].0.map(|sum| share * sum / f32::max(sums[part].1, 1.0));
                for (row, parts) in parts.iter().enumerate() {
                    for &part in &parts[family.clone()] {
                        let moved = moved(part as usize);
                        self.table[row].iter_mut().zip(moved).for_each(|(weight, moved)| *weight -= moved);
                    }
                }
                for part in LINE_KINDS * ROWS..BIAS {
                    self.table[part].iter_mut().zip(moved(part)).for_each(|(weight, moved)| *weight += moved);
                }
            }
        }
    }

    /// Copies the heads of another model, which may have fewer.
    ///
    /// # Errors
    /// If it has more: a head for each side would be lost.
    pub fn adopt_heads(&mut self, others: &[FloatHead]) -> Result<()> {
        let count = self.heads.len();
        ensure!(others.len() <= count, "{} heads do not fit into {count} of {}", others.len(), self.rule.name());
        for (stage, side) in (0..STAGES).flat_map(|stage| Color::ALL.map(|side| (stage, side))) {
            self.heads[head_number(count, side, stage)].clone_from(&others[head_number(others.len(), side, stage)]);
        }
        Ok(())
    }

    /// Limits the head's values to the range of the engine's integers.
    pub fn clamp(&mut self) {
        for head in &mut self.heads {
            let small = head.first.as_flattened_mut().iter_mut();
            let small = small.chain(head.threats.as_flattened_mut()).chain(head.second.as_flattened_mut());
            let small = small.chain(head.hints.as_flattened_mut()).chain(&mut head.skip_hints);
            let small = small.chain(head.made.as_flattened_mut());
            for weight in small.chain(&mut head.output).chain(&mut head.skip) {
                *weight = weight.clamp(-HEAD_LIMIT, HEAD_LIMIT);
            }
        }
    }

    /// The rows as the engine will have them, rounded, in [`Folded`] form.
    pub fn fold(&self, parts: &[[u32; 3]]) -> Folded {
        let rows = (0..LINE_KINDS * ROWS).map(|row| {
            let [left, right, kind] = parts[row].map(|part| &self.table[part as usize]);
            let rest = &self.table[row];
            std::array::from_fn(|i| round(rest[i] + left[i] + right[i] + kind[i], f32::from(i8::MAX)))
        });
        Folded { rows: rows.collect(), bias: self.table[BIAS].map(|bias| round(bias, f32::from(BIAS_MAX))) }
    }

    /// The integers of the engine.
    pub fn export(&self, parts: &[[u32; 3]]) -> Weights {
        let folded = self.fold(parts);
        let units = |weight: f32| weight * CELL_SCALE as f32;
        Weights {
            rule: self.rule,
            rows: folded.rows.iter().map(|row| row.map(|weight| units(weight) as i8)).collect(),
            bias: folded.bias.map(|bias| units(bias) as i16),
            heads: self.heads.iter().map(export_head).collect(),
        }
    }

    /// Adds the rows' gradients to those of their shared parts.
    pub fn spread(gradient: &mut [Row], touched: &[u32], parts: &[[u32; 3]]) {
        for &row in touched {
            let own = gradient[row as usize];
            for part in parts[row as usize] {
                gradient[part as usize].iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
            }
        }
    }
}

/// Approximate value of a line's shape in the classical evaluation.
const WARM_VALUES: [f32; SHAPES] = [0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 4.0, 5.0, 5.0, 11.0, 16.0, 26.0, 45.0, 30.0];

/// Approximate move score for the threat that a move makes, in the classical evaluation.
const WARM_ATTACK: [f32; Threat::ALL.len()] = [0., 0., 18., 18., 34., 36., 52., 60., 110., 44., 74., 200., 300., 400.];
/// The same for the threat that a move prevents.
const WARM_DEFENCE: [f32; Threat::ALL.len()] = [0., 0., 14., 15., 26., 28., 40., 52., 80., 36., 56., 120., 200., 300.];

fn round(weight: f32, limit: f32) -> f32 {
    (weight * CELL_SCALE as f32).round().clamp(-limit, limit) / CELL_SCALE as f32
}

/// Rows and bias on the engine's grid.
#[derive(Clone, Debug)]
pub struct Folded {
    /// Rows of both kinds of lines.
    pub rows: Vec<Row>,
    /// The bias.
    pub bias: Row,
}

fn export_head(head: &FloatHead) -> Head {
    let small = |weight: f32| (weight * HEAD_SCALE as f32).round().clamp(-HEAD_MAX as f32, HEAD_MAX as f32) as i16;
    let large = |weight: f32, scale: i32| (f64::from(weight) * f64::from(scale)).round().clamp(-2e8, 2e8) as i32;
    let mut out = Head::zero();
    out.first_bias = head.first_bias.map(|bias| large(bias, INPUT_SCALE * HEAD_SCALE));
    *out.first = head.first.map(|row| row.map(small));
    *out.second = head.second.map(|row| row.map(small));
    *out.threats = head.threats.map(|row| row.map(small));
    out.second_bias = head.second_bias.map(|bias| large(bias, OUTPUT_SCALE));
    out.output = head.output.map(small);
    out.output_bias = large(head.output_bias, OUTPUT_SCALE);
    out.skip = head.skip.map(small);
    out.skip_threats = head.skip_threats.map(|weight| large(weight, OUTPUT_SCALE));
    let policy_limit = POLICY_MAX as f32;
    out.policy = head.policy.map(|w| (w * POLICY_SCALE as f32).round().clamp(-policy_limit, policy_limit) as i16);
    *out.pairs = head.pairs.map(|weight| large(weight, POLICY_SCALE * CELL_SCALE));
    *out.made = head.made.map(|row| row.map(small));
    out.hints = head.hints.map(|row| row.map(small));
    out.skip_hints = head.skip_hints.map(small);
    out.near = head.near.map(|row| row.map(|weight| large(weight, POLICY_SCALE * CELL_SCALE)));
    out
}

/// [`export_head`] backwards.
fn import_head(head: &Head) -> FloatHead {
    let small = |units: i16| f32::from(units) / HEAD_SCALE as f32;
    let large = |units: i32, scale: i32| (f64::from(units) / f64::from(scale)) as f32;
    let mut out = FloatHead::zero();
    out.first_bias = head.first_bias.map(|bias| large(bias, INPUT_SCALE * HEAD_SCALE));
    *out.first = head.first.map(|row| row.map(small));
    *out.second = head.second.map(|row| row.map(small));
    *out.threats = head.threats.map(|row| row.map(small));
    out.second_bias = head.second_bias.map(|bias| large(bias, OUTPUT_SCALE));
    out.output = head.output.map(small);
    out.output_bias = large(head.output_bias, OUTPUT_SCALE);
    out.skip = head.skip.map(small);
    out.skip_threats = head.skip_threats.map(|units| large(units, OUTPUT_SCALE));
    out.policy = head.policy.map(|units| f32::from(units) / POLICY_SCALE as f32);
    *out.pairs = head.pairs.map(|units| large(units, POLICY_SCALE * CELL_SCALE));
    *out.made = head.made.map(|row| row.map(small));
    out.hints = head.hints.map(|row| row.map(small));
    out.skip_hints = head.skip_hints.map(small);
    out.near = head.near.map(|row| row.map(|units| large(units, POLICY_SCALE * CELL_SCALE)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_know_the_shapes_of_their_lines() {
        let parts = parts_of_rows(Rule::Freestyle);
        let kind = |row: usize| parts[row][2] as usize - LINE_KINDS * ROWS - 3 * SIDES;
        let count =
            |own: Shape| (0..ROWS).filter(|&row| kind(row) < SHAPE_PAIRS && kind(row) / SHAPES == own as usize).count();
        assert!(count(Shape::Five) > 0 && count(Shape::OpenFour) > 0 && count(Shape::Dead) > count(Shape::Five));
        assert!((0..ROWS).filter(|&row| kind(row) >= SHAPE_PAIRS).count() == 2 * ROWS / 3);
    }

    #[test]
    fn a_finished_network_survives_import_and_export() {
        for rule in Rule::ALL {
            let weights = Weights::parse(tengen::eval::network::embedded_file(rule)).unwrap();
            let again = Model::of_weights(&weights).export(&parts_of_rows(rule));
            assert!(again == weights, "{rule:?}");
        }
    }

    #[test]
    fn what_the_rows_of_a_finished_network_have_in_common_is_in_their_parts() {
        let parts = parts_of_rows(Rule::Freestyle);
        let before = Model::new(Rule::Freestyle, 1);
        let weights = before.export(&parts);
        let mut after = Model::of_weights(&weights);
        after.share(&parts);
        assert!(after.export(&parts) == weights, "the sums have changed");
        let size = |rows: &[Row]| rows.as_flattened().iter().map(|weight| f64::from(weight * weight)).sum::<f64>();
        let (rests, sums) = (&after.table[..LINE_KINDS * ROWS], &before.fold(&parts).rows);
        // All of the sums came from parts; what is left in the rests is the rounding to the grid.
        assert!(size(rests) < 0.01 * size(sums), "{} of {}", size(rests), size(sums));
    }

    #[test]
    fn exported_rows_are_what_was_trained_on() {
        let model = Model::new(Rule::Standard, 1);
        let parts = parts_of_rows(Rule::Standard);
        let (folded, weights) = (model.fold(&parts), model.export(&parts));
        for (row, exported) in folded.rows.iter().zip(&weights.rows) {
            for (weight, &units) in row.iter().zip(exported) {
                assert!((weight * CELL_SCALE as f32 - f32::from(units)).abs() < 1e-6);
            }
        }
        assert_eq!(Weights::parse(&weights.to_bytes()).unwrap(), weights);
    }
}
