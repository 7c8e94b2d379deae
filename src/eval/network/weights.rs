//! The weights of a network, and their file format.
//!
//! The file is little-endian: magic, version, rule, number of heads, channels, widths of the two layers; then the rows of
//! both kinds of lines in order, the bias, the heads; and a CRC-32 of everything before it. A file that is wrong in any
//! respect is refused. The dimensions are in [`super::architecture`].

use super::architecture::{
    BIAS_MAX, CHANNELS, FIRST, HEAD_MAX, HINTS, MAKERS, PAIRS, POLICY_MAX, SECOND, STAGES, THREATS, WIDE_MAX, WIDTH,
};
use super::features::{LINE_KINDS, NEARNESS, ROWS, SHAPES, row_of};
use crate::base::Rule;
use std::fmt;

/// The layers above the pooled cells. Both layers are stored by input: the weights of one input for all sums are adjacent.
/// `S` and `W` hold the small and the wide weights: integers in the units named here, or in training `f32` in units of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head<S = i16, W = i32> {
    /// First layer: weights of the channels, first those of the side to move, in head units.
    pub first: Box<[[S; FIRST]; WIDTH]>,
    /// First layer: bias, in input times head units.
    pub first_bias: [W; FIRST],
    /// First layer: weights of the threat inputs, in head units.
    pub threats: Box<[[S; FIRST]; THREATS]>,
    /// First layer: weights of the hints, in head units.
    pub hints: [[S; FIRST]; HINTS],
    /// Second layer: weights, in head units.
    pub second: Box<[[S; SECOND]; FIRST]>,
    /// Second layer: bias, in output units.
    pub second_bias: [W; SECOND],
    /// Output: weights, in head units.
    pub output: [S; SECOND],
    /// Output: bias, in output units.
    pub output_bias: W,
    /// Direct weights from the channels to the output, in head units.
    pub skip: [S; WIDTH],
    /// Direct weights from the threat inputs to the output, in output units.
    pub skip_threats: [W; THREATS],
    /// Direct weights from the hints to the output, in head units.
    pub skip_hints: [S; HINTS],
    /// Policy: weights of a cell's channels, first those of the side to move, in 1/`POLICY_SCALE`.
    pub policy: [S; WIDTH],
    /// Policy: what each of the [`MAKERS`] inputs, first the channels, then the threats, adds to the weights of the
    /// channels: 1/`HEAD_SCALE` of the sum for an input of one.
    pub made: Box<[[S; WIDTH]; MAKERS]>,
    /// Policy: weights of the pairs of threats ([`Threat::pair`](crate::board::Threat::pair)), in units of the policy sum:
    /// 1/(`POLICY_SCALE` * `CELL_SCALE`) of a logit.
    pub pairs: Box<[W; PAIRS]>,
    /// Policy: weights of the nearness to the opponent's last move, and to the own last move, in the same units.
    pub near: [[W; NEARNESS]; 2],
}

impl<S: Copy + Default, W: Copy + Default> Head<S, W> {
    /// A head whose weights are all zero.
    pub fn zero() -> Head<S, W> {
        let (small, wide) = (S::default(), W::default());
        Head {
            first: Box::new([[small; FIRST]; WIDTH]),
            first_bias: [wide; FIRST],
            threats: Box::new([[small; FIRST]; THREATS]),
            hints: [[small; FIRST]; HINTS],
            second: Box::new([[small; SECOND]; FIRST]),
            second_bias: [wide; SECOND],
            output: [small; SECOND],
            output_bias: wide,
            skip: [small; WIDTH],
            skip_threats: [wide; THREATS],
            skip_hints: [small; HINTS],
            policy: [small; WIDTH],
            made: Box::new([[small; WIDTH]; MAKERS]),
            pairs: Box::new([wide; PAIRS]),
            near: [[wide; NEARNESS]; 2],
        }
    }
}

/// A network as in its file, with one row for a shape and its mirror image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The rule that it was trained for.
    pub rule: Rule,
    /// The rows for orthogonal lines, then those for diagonals.
    pub rows: Vec<[i8; CHANNELS]>,
    /// The bias of a cell, the same for both colours.
    pub bias: [i16; CHANNELS],
    /// The heads; [`super::architecture::head_number`] says which is for what.
    pub heads: Vec<Head>,
}

/// Why a file is not a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsError {
    /// The magic number is missing.
    NotANetwork,
    /// The version, the rule or a dimension is not supported.
    Unsupported,
    /// The file is too short or too long.
    Length,
    /// The checksum is wrong, or a number is out of range.
    Damaged,
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WeightsError::NotANetwork => "not a network file",
            WeightsError::Unsupported => "a network of another version or size",
            WeightsError::Length => "the file is incomplete or too long",
            WeightsError::Damaged => "the file is damaged",
        })
    }
}

impl std::error::Error for WeightsError {}

const MAGIC: &[u8; 8] = b"TNGNnet\n";
const VERSION: u16 = 3;
const HEADER: usize = 20;

impl Weights {
    /// The network in a file.
    ///
    /// # Errors
    /// When the file is not a valid network of the supported version and dimensions.
    pub fn parse(bytes: &[u8]) -> Result<Weights, WeightsError> {
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Err(WeightsError::NotANetwork);
        }
        let mut reader = Reader { bytes, at: 8 };
        let version = reader.u16()?;
        let rule = Rule::from_bits(i64::from(reader.u16()?)).ok_or(WeightsError::Unsupported)?;
        let heads = reader.u16()? as usize;
        let dimensions = [reader.u16()?, reader.u16()?, reader.u16()?].map(usize::from);
        if version != VERSION || dimensions != [CHANNELS, FIRST, SECOND] || ![1, 2, STAGES, 2 * STAGES].contains(&heads)
        {
            return Err(WeightsError::Unsupported);
        }
        let body = bytes.len().checked_sub(4).ok_or(WeightsError::Length)?;
        let rows = (0..LINE_KINDS * ROWS)
            .map(|_| reader.take(CHANNELS).map(|row| std::array::from_fn(|i| row[i] as i8)))
            .collect::<Result<Vec<[i8; CHANNELS]>, WeightsError>>()?;
        let bias = reader.i16s()?;
        let heads = (0..heads).map(|_| reader.head()).collect::<Result<Vec<Head>, WeightsError>>()?;
        if reader.at != body {
            return Err(WeightsError::Length);
        }
        let crc = u32::from_le_bytes(reader.take(4)?.try_into().map_err(|_| WeightsError::Length)?);
        let weights = Weights { rule, rows, bias, heads };
        if crc != crc32fast::hash(&bytes[..body]) || !weights.is_sound() {
            return Err(WeightsError::Damaged);
        }
        Ok(weights)
    }

    /// The file with this network.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let rule = u16::from(self.rule.number());
        for number in [VERSION, rule, self.heads.len() as u16, CHANNELS as u16, FIRST as u16, SECOND as u16] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.rows.iter().flatten().map(|&weight| weight as u8));
        put16(&mut out, &self.bias);
        for head in &self.heads {
            put_by_output(&mut out, &head.first[..]);
            put32(&mut out, &head.first_bias);
            head.threats.iter().for_each(|row| put16(&mut out, row));
            put_by_output(&mut out, &head.second[..]);
            put32(&mut out, &head.second_bias);
            put16(&mut out, &head.output);
            put32(&mut out, &[head.output_bias]);
            put16(&mut out, &head.skip);
            put32(&mut out, &head.skip_threats);
            put16(&mut out, &head.policy);
            put32(&mut out, &head.pairs[..]);
            head.hints.iter().for_each(|row| put16(&mut out, row));
            put16(&mut out, &head.skip_hints);
            head.near.iter().for_each(|row| put32(&mut out, row));
            head.made.iter().for_each(|row| put16(&mut out, row));
        }
        let crc = crc32fast::hash(&out);
        out.extend(crc.to_le_bytes());
        out
    }

    /// Whether all weights are small enough that no sum can overflow.
    fn is_sound(&self) -> bool {
        let small = |weights: &[i16]| weights.iter().all(|&weight| i32::from(weight).abs() <= HEAD_MAX);
        let modest = |weights: &[i32]| weights.iter().all(|&weight| weight.unsigned_abs() <= WIDE_MAX as u32);
        self.rows.len() == LINE_KINDS * ROWS
            && self.bias.iter().all(|&bias| bias.unsigned_abs() <= BIAS_MAX as u16)
            && self.heads.iter().all(|head| {
                head.first.iter().all(|row| small(row))
                    && head.second.iter().all(|row| small(row))
                    && head.threats.iter().all(|row| small(row))
                    && small(&head.output)
                    && small(&head.skip)
                    && head.hints.iter().all(|row| small(row))
                    && small(&head.skip_hints)
                    && head.near.iter().all(|row| modest(row))
                    && head.policy.iter().all(|&weight| i32::from(weight).abs() <= POLICY_MAX)
                    && head.made.iter().all(|row| small(row))
                    && modest(&head.first_bias)
                    && modest(&head.second_bias)
                    && modest(&[head.output_bias])
                    && modest(&head.skip_threats)
                    && modest(&head.pairs[..])
            })
    }

    /// The rows by shape: mirror images have copies of the same row.
    pub fn expanded_rows(&self) -> Vec<[i8; CHANNELS]> {
        (0..LINE_KINDS * SHAPES).map(|i| self.rows[i / SHAPES * ROWS + row_of(i % SHAPES)]).collect()
    }
}

fn put16(out: &mut Vec<u8>, numbers: &[i16]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Writes a layer in the order of its outputs, as the file has it.
fn put_by_output<const N: usize>(out: &mut Vec<u8>, layer: &[[i16; N]]) {
    (0..N).for_each(|output| layer.iter().for_each(|row| put16(out, &[row[output]])));
}

fn put32(out: &mut Vec<u8>, numbers: &[i32]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, length: usize) -> Result<&[u8], WeightsError> {
        let taken = self.bytes.get(self.at..self.at + length).ok_or(WeightsError::Length)?;
        self.at += length;
        Ok(taken)
    }

    fn u16(&mut self) -> Result<u16, WeightsError> {
        self.take(2).map(|b| u16::from_le_bytes([b[0], b[1]]))
    }

    fn i16s<const N: usize>(&mut self) -> Result<[i16; N], WeightsError> {
        self.take(2 * N).map(|b| std::array::from_fn(|i| i16::from_le_bytes([b[2 * i], b[2 * i + 1]])))
    }

    fn i32s<const N: usize>(&mut self) -> Result<[i32; N], WeightsError> {
        self.take(4 * N)
            .map(|b| std::array::from_fn(|i| i32::from_le_bytes([b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]])))
    }

    /// Reads a layer, which the file has in the order of its outputs.
    fn by_output<const N: usize>(&mut self, layer: &mut [[i16; N]]) -> Result<(), WeightsError> {
        for output in 0..N {
            for row in layer.iter_mut() {
                [row[output]] = self.i16s()?;
            }
        }
        Ok(())
    }

    fn head(&mut self) -> Result<Head, WeightsError> {
        let mut head = Head::zero();
        self.by_output(&mut head.first[..])?;
        head.first_bias = self.i32s()?;
        for row in head.threats.iter_mut() {
            *row = self.i16s()?;
        }
        self.by_output(&mut head.second[..])?;
        head.second_bias = self.i32s()?;
        head.output = self.i16s()?;
        [head.output_bias] = self.i32s()?;
        head.skip = self.i16s()?;
        head.skip_threats = self.i32s()?;
        head.policy = self.i16s()?;
        *head.pairs = self.i32s()?;
        head.hints = [self.i16s()?, self.i16s()?];
        head.skip_hints = self.i16s()?;
        head.near = [self.i32s()?, self.i32s()?];
        for row in head.made.iter_mut() {
            *row = self.i16s()?;
        }
        Ok(head)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_weights;
    use super::*;

    #[test]
    fn a_file_reads_back() {
        for rule in Rule::ALL {
            let weights = random_weights(rule, 3);
            assert_eq!(Weights::parse(&weights.to_bytes()).as_ref(), Ok(&weights));
        }
    }

    #[test]
    fn an_invalid_file_is_refused() {
        let good = random_weights(Rule::Standard, 4).to_bytes();
        assert_eq!(Weights::parse(b""), Err(WeightsError::NotANetwork));
        assert_eq!(Weights::parse(&good[..good.len() - 1]), Err(WeightsError::Length));
        assert_eq!(Weights::parse(&[good.clone(), vec![0]].concat()), Err(WeightsError::Length));
        for (at, error) in [
            (3, WeightsError::NotANetwork),
            (8, WeightsError::Unsupported),
            (14, WeightsError::Unsupported),
            (1000, WeightsError::Damaged),
            (good.len() - 2, WeightsError::Damaged),
        ] {
            let mut bad = good.clone();
            bad[at] ^= 64;
            assert_eq!(Weights::parse(&bad), Err(error), "byte {at}");
        }
    }

    /// Bug: the absolute value of `i32::MIN` overflowed, so it counted as small.
    #[test]
    fn the_smallest_integers_are_refused() {
        let good = random_weights(Rule::Freestyle, 6);
        let (mut bias, mut wide) = (good.clone(), good.clone());
        bias.bias[0] = i16::MIN;
        wide.heads[0].output_bias = i32::MIN;
        for bad in [bias, wide] {
            assert_eq!(Weights::parse(&bad.to_bytes()), Err(WeightsError::Damaged));
        }
    }

    #[test]
    fn mirror_images_share_their_row_when_expanded() {
        let weights = random_weights(Rule::Freestyle, 5);
        let expanded = weights.expanded_rows();
        assert_eq!(expanded.len(), LINE_KINDS * SHAPES);
        for shape in (0..SHAPES).step_by(97) {
            let (left, center, right) = super::super::features::parts(shape);
            let mirrored = super::super::features::shape(right, center, left);
            assert_eq!(expanded[shape], expanded[mirrored]);
            assert_eq!(expanded[SHAPES + shape], weights.rows[ROWS + row_of(shape)]);
        }
    }
}
