//! The optimiser: Adam (Kingma and Ba 2015), for networks applied only to the table rows that the batch has used.

use super::float_network::{FloatHead, MADE, Model, Parameters, Row, TABLE};
use super::walk::Gradient;
use tengen::eval::network::architecture::CHANNELS;
use tengen::eval::network::features::{LINE_KINDS, ROWS};

const FIRST_DECAY: f32 = 0.9;
const SECOND_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Weight decay of the rests of rows, relative to the learning rate.
const SHRINK: f32 = 0.02;
/// The rests decay once in this many steps, by as much as in all of these.
const SHRINK_STEPS: u32 = 50;

/// Moving averages of gradients and their squares.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Means of the table's gradients.
    pub mean: Vec<Row>,
    /// Means of their squares.
    pub square: Vec<Row>,
    /// Number of updates of each row.
    pub steps: Vec<u32>,
    /// Means of the heads' gradients.
    pub head_mean: Vec<FloatHead>,
    /// Means of their squares.
    pub head_square: Vec<FloatHead>,
    /// Number of steps so far.
    pub step: u32,
}

impl Adam {
    /// The state before the first step.
    pub fn new(heads: usize) -> Adam {
        Adam {
            mean: vec![[0.0; CHANNELS]; TABLE],
            square: vec![[0.0; CHANNELS]; TABLE],
            steps: vec![0; TABLE],
            head_mean: vec![FloatHead::zero(); heads],
            head_square: vec![FloatHead::zero(); heads],
            step: 0,
        }
    }

    /// Makes one step against the gradient, after [`Model::spread`]. `made_rate` is the rate of
    /// [`Head::made`](tengen::eval::network::weights::Head::made), relative to that of the other weights.
    pub fn update(&mut self, model: &mut Model, gradient: &Gradient, rate: f32, made_rate: f32) {
        self.step += 1;
        let parts = (LINE_KINDS * ROWS) as u32..TABLE as u32;
        for row in gradient.touched.iter().copied().chain(parts.clone()) {
            let index = row as usize;
            let slope = &gradient.table[index];
            if parts.contains(&row) && slope.iter().all(|&value| value == 0.0) {
                continue;
            }
            self.steps[index] += 1;
            let rate = Rate::new(rate, self.steps[index]);
            rate.step(&mut model.table[index], slope, &mut self.mean[index], &mut self.square[index]);
        }
        // All rests decay, also those that no game of these steps has: what the shared parts say holds for rare rows.
        if self.step.is_multiple_of(SHRINK_STEPS) {
            let kept = 1.0 - SHRINK_STEPS as f32 * rate * SHRINK;
            model.table[..LINE_KINDS * ROWS].as_flattened_mut().iter_mut().for_each(|weight| *weight *= kept);
        }
        let (rate, made_rate) = (Rate::new(rate, self.step), Rate::new(rate * made_rate, self.step));
        for i in 0..model.heads.len() {
            let weights = model.heads[i].slices_mut().into_iter().zip(gradient.heads[i].slices());
            let means = self.head_mean[i].slices_mut().into_iter().zip(self.head_square[i].slices_mut());
            for (kind, ((weights, slope), (mean, square))) in weights.zip(means).enumerate() {
                let rate = if kind == MADE { &made_rate } else { &rate };
                rate.step(weights, slope, mean, square);
            }
        }
        model.clamp();
    }
}

/// A step of Adam: the learning rate and the corrections for averages that start at zero.
#[derive(Debug)]
pub struct Rate {
    size: f32,
    mean: f32,
    square: f32,
}

impl Rate {
    /// The rate of the step with this number, which counts from 1.
    pub fn new(rate: f32, step: u32) -> Rate {
        let step = step.min(100_000) as i32;
        Rate { size: rate, mean: 1.0 / (1.0 - FIRST_DECAY.powi(step)), square: 1.0 / (1.0 - SECOND_DECAY.powi(step)) }
    }

    /// Moves the weights against their slopes, and updates the averages of the slopes and of their squares.
    pub fn step(&self, weights: &mut [f32], slope: &[f32], mean: &mut [f32], square: &mut [f32]) {
        for i in 0..weights.len() {
            mean[i] = FIRST_DECAY * mean[i] + (1.0 - FIRST_DECAY) * slope[i];
            square[i] = SECOND_DECAY * square[i] + (1.0 - SECOND_DECAY) * slope[i] * slope[i];
            weights[i] -= self.size * mean[i] * self.mean / ((square[i] * self.square).sqrt() + EPSILON);
        }
    }
}
