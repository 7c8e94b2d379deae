//! The dimensions of the network: widths, number of inputs and heads, and the units of its integers.
//!
//! A network file names its widths, and a file with other widths than these is refused, so a new width needs newly
//! trained networks. What the inputs mean is in `features.rs` and `layers.rs`.

use crate::base::Color;
use crate::board::Threat;

/// Channels of a cell for one colour.
pub const CHANNELS: usize = 16;
/// Channels of a cell for both colours: the width of the network's first stage and of the head's input.
pub const WIDTH: usize = 2 * CHANNELS;
/// Width of the head's first layer.
pub const FIRST: usize = 32;
/// Width of the head's second layer.
pub const SECOND: usize = 16;
/// Threat inputs: for each side and threat, whether one point has it, and whether several have it.
pub const THREATS: usize = 2 * Threat::ALL.len() * 2;
/// Pairs of threats; see [`Threat::pair`].
pub const PAIRS: usize = Threat::PAIRS;
/// Inputs from the classical evaluation: its points for the side to move, and its term for the threats on the board.
pub const HINTS: usize = 2;
/// Inputs that decide how the policy weighs the channels of a cell: the pooled channels and the threats.
pub const MAKERS: usize = WIDTH + THREATS;
/// Stages of a game; each has its own head.
pub const STAGES: usize = 4;

/// Units per 1.0 of a cell's rows, bias and activations.
pub const CELL_SCALE: i32 = 64;
/// Largest activation of a channel, in units of [`CELL_SCALE`].
pub const CELL_MAX: i16 = 255;
/// Sum of activations, in units of [`CELL_SCALE`], that makes 1.0 of the head's input.
pub const POOL_SCALE: i32 = 2048;
/// Units per 1.0 of the head's input.
pub const INPUT_SCALE: i32 = 512;
/// Units per 1.0 of the head's weights and hidden activations.
pub const HEAD_SCALE: i32 = 1024;
/// Largest hidden activation, input and weight, in units; sums of 32 products stay far from overflow.
pub const HEAD_MAX: i32 = 4095;
/// Largest bias of a cell, in units of [`CELL_SCALE`].
pub const BIAS_MAX: i16 = 4096;
/// Largest of the head's weights and biases that are stored in 32 bits, in their units.
pub const WIDE_MAX: i32 = 1 << 28;
/// Units per 1.0 of the head's output, which is the logit of the expected result.
pub const OUTPUT_SCALE: i32 = HEAD_SCALE * HEAD_SCALE;
/// Largest policy weight, stored or made, in units of [`POLICY_SCALE`].
pub const POLICY_MAX: i32 = 4 * HEAD_MAX;
/// Units per 1.0 of a policy weight. Policy sums are in units of `POLICY_SCALE * CELL_SCALE`, 1/16384 of a logit.
pub const POLICY_SCALE: i32 = 256;

/// The stage of a game with this many stones on the board.
#[inline(always)]
pub fn stage(stones: usize) -> usize {
    usize::from(stones >= 14) + usize::from(stones >= 24) + usize::from(stones >= 40)
}

/// The head, of a network with `heads` of them, for a stage and a side to move. A network has one head for all
/// positions, one for each side to move, one for each stage, or one for each stage and side.
#[inline(always)]
pub fn head_number(heads: usize, side: Color, stage: usize) -> usize {
    let sides = if heads < STAGES { heads } else { heads / STAGES };
    (stage * sides + side.index() % sides) % heads
}

/// The threat input for a side (0 the side to move, 1 its opponent): one point with this threat, or several.
#[inline(always)]
pub fn threat_input(side: usize, threat: usize, several: bool) -> usize {
    (side * Threat::ALL.len() + threat) * 2 + usize::from(several)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_its_heads_and_fewer_heads_are_shared() {
        assert_eq!([0, 13, 14, 23, 24, 39, 40, 484].map(stage), [0, 0, 1, 1, 2, 2, 3, 3]);
        let numbers = |heads: usize| -> Vec<usize> {
            let places = (0..STAGES).flat_map(|stage| Color::ALL.map(|side| (stage, side)));
            places.map(|(stage, side)| head_number(heads, side, stage)).collect()
        };
        assert_eq!(numbers(1), [0; 8]);
        assert_eq!(numbers(2), [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(numbers(4), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(numbers(8), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
