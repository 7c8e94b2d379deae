//! A linear model whose weights share factors, and the gradient descent that fits it.
//!
//! A weight is a fixed base plus the sum of its factors. The weight of a combination of four lines, for example, has a factor
//! for each line, for each pair of lines, for the threat that they make, and one of its own. So a rare combination gets the
//! value of its parts, and a frequent one can differ from that. Own factors decay towards zero, faster for rare weights.

use super::trainer::adam::Rate;
use crate::progress::Progress;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use tengen::board::combination::all_combinations;
use tengen::board::{Shape, Threat};

/// Decay of a factor.
const DECAY: f32 = 2e-6;
/// Additional decay of the own factor of a weight that never occurs.
const RARE_DECAY: f32 = 2e-4;
/// Number of occurrences at which the additional decay is halved.
const RARE: f32 = 200.0;

/// The learning rate at the start, in units of the weights; it falls to a hundredth of that.
const RATE: f32 = 1.0;

/// Settings of the gradient descent.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Descent {
    /// Passes over the games.
    #[arg(long, default_value_t = 30)]
    pub epochs: usize,
    /// Positions in a step.
    #[arg(long, default_value_t = 4096)]
    pub batch: usize,
    /// Seed of the order of the positions. The same seed gives the same numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// The model: the factors, and which of them each weight has.
#[derive(Clone, Debug, Default)]
pub struct Model {
    base: Vec<f32>,
    /// Factors of each weight.
    made_of: Vec<Vec<u32>>,
    factors: Vec<f32>,
    decay: Vec<f32>,
    /// Base plus factors.
    pub weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: u32,
}

impl Model {
    /// Adds a block of weights with these bases. `parts` returns the shared factors of each weight, numbered from 0 within the
    /// block; each weight also gets an own factor.
    pub fn add(&mut self, base: &[f32], parts: impl Fn(usize) -> Vec<usize>) {
        let shared = self.factors.len();
        let lists: Vec<Vec<usize>> = (0..base.len()).map(parts).collect();
        let count = lists.iter().flatten().max().map_or(0, |&last| last + 1);
        self.factors.resize(shared + count + base.len(), 0.0);
        self.decay.resize(shared + count, DECAY);
        self.decay.resize(self.factors.len(), RARE_DECAY);
        for (i, list) in lists.into_iter().enumerate() {
            let own = shared + count + i;
            self.made_of.push(list.into_iter().map(|part| (shared + part) as u32).chain([own as u32]).collect());
        }
        self.base.extend_from_slice(base);
        self.weights.extend_from_slice(base);
        self.mean.resize(self.factors.len(), 0.0);
        self.square.resize(self.factors.len(), 0.0);
    }

    /// Sets how often each weight occurs, which determines the decay of its own factor.
    pub fn set_occurrences(&mut self, occurrences: &[u32]) {
        for (made_of, &count) in self.made_of.iter().zip(occurrences) {
            if let Some(&own) = made_of.last() {
                self.decay[own as usize] = DECAY + RARE_DECAY / (1.0 + count as f32 / RARE);
            }
        }
    }

    /// Fits the model to this number of samples. `add_slope(weights, sample, gradient, batch)` adds the gradient of the sample's
    /// loss by weight, divided by the size of the batch.
    pub fn descend(
        &mut self,
        samples: usize,
        descent: &Descent,
        mut add_slope: impl FnMut(&[f32], usize, &mut [f32], f32),
    ) {
        let mut random = SmallRng::seed_from_u64(descent.seed);
        let mut order: Vec<usize> = (0..samples).collect();
        let mut gradient = vec![0.0f32; self.weights.len()];
        let progress = Progress::new("epochs", descent.epochs as u64, 0);
        for epoch in 0..descent.epochs {
            order.shuffle(&mut random);
            let done = epoch as f32 / descent.epochs as f32;
            let rate = RATE * 0.01f32.powf(done);
            for batch in order.chunks(descent.batch) {
                gradient.fill(0.0);
                for &sample in batch {
                    add_slope(&self.weights, sample, &mut gradient, batch.len() as f32);
                }
                self.step(&gradient, rate);
            }
            progress.step();
        }
        progress.end();
    }

    /// Moves the factors against `gradient`, that of the mean loss by weight.
    fn step(&mut self, gradient: &[f32], rate: f32) {
        let mut by_factor: Vec<f32> =
            self.factors.iter().zip(&self.decay).map(|(value, decay)| value * decay).collect();
        for (made_of, &slope) in self.made_of.iter().zip(gradient) {
            if slope != 0.0 {
                for &factor in made_of {
                    by_factor[factor as usize] += slope;
                }
            }
        }
        self.steps += 1;
        Rate::new(rate, self.steps).step(&mut self.factors, &by_factor, &mut self.mean, &mut self.square);
        for ((weight, base), made_of) in self.weights.iter_mut().zip(&self.base).zip(&self.made_of) {
            *weight = base + made_of.iter().map(|&factor| self.factors[factor as usize]).sum::<f32>();
        }
    }
}

/// Shared factors of each combination of four lines: one for each line, each pair of lines, and the threat.
pub fn combination_parts(forbidden_rule: bool) -> Vec<Vec<usize>> {
    const SHAPES: usize = Shape::ALL.len();
    let pair = |a: Shape, b: Shape| {
        let (low, high) = (a.min(b) as usize, a.max(b) as usize);
        SHAPES + high * (high + 1) / 2 + low
    };
    let threats = SHAPES + SHAPES * (SHAPES + 1) / 2;
    let parts = |lines: [Shape; 4]| {
        let mut parts: Vec<usize> = lines.iter().map(|&shape| shape as usize).collect();
        for (i, &a) in lines.iter().enumerate() {
            parts.extend(lines[..i].iter().map(|&b| pair(a, b)));
        }
        parts.push(threats + Threat::of_lines(lines, forbidden_rule).index());
        parts
    };
    all_combinations().map(parts).collect()
}

/// Shared factors of each mask of this many bits: a common one, one for each bit, one for each pair of bits.
pub fn mask_parts(bits: usize) -> Vec<Vec<usize>> {
    let parts = |mask: usize| {
        let set: Vec<usize> = (0..bits).filter(|bit| mask >> bit & 1 == 1).collect();
        let mut parts = vec![0];
        for (i, &a) in set.iter().enumerate() {
            parts.push(1 + a);
            parts.extend(set[..i].iter().map(|&b| 1 + bits + a * (a - 1) / 2 + b));
        }
        parts
    };
    (0..1 << bits).map(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_rare_weights_follow_their_parts() {
        // Weight of mask m is 3 * bit 0 - 2 * bit 1 + 5 * (both); bit 2 never occurs together with others.
        let truth = |mask: usize| [0.0, 3.0, -2.0, 6.0, 1.0][mask];
        let parts = mask_parts(3);
        let mut model = Model::default();
        model.add(&[0.0; 8], |mask| parts[mask].clone());
        model.set_occurrences(&[1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 0, 0, 0]);
        for _ in 0..3000 {
            let gradient: Vec<f32> =
                (0..8).map(|mask| if mask < 5 { (model.weights[mask] - truth(mask)) / 5.0 } else { 0.0 }).collect();
            model.step(&gradient, 0.02);
        }
        for mask in 0..5 {
            assert!((model.weights[mask] - truth(mask)).abs() < 0.05, "{mask}: {}", model.weights[mask]);
        }
        // Bits 0 and 2 never occur together: the weight of their mask is made of both.
        assert!((1.0..5.0).contains(&model.weights[5]), "{}", model.weights[5]);
    }

    #[test]
    fn every_combination_has_four_lines_six_pairs_and_a_threat() {
        let parts = combination_parts(true);
        assert_eq!(parts.len(), tengen::board::combination::COMBINATIONS);
        assert!(parts.iter().all(|parts| parts.len() == 11));
        let highest = parts.iter().flatten().max();
        assert_eq!(highest, Some(&(14 + 105 + 13)));
    }
}
