//! The weights of the classical evaluation: values of points by their combination of shapes, values of the threats on the
//! board, and scores of moves. The values are fitted to games of the engine against itself by `tengen-tune eval`, starting
//! from hand-set ones; the scores are hand-set. `experiments/evaluation.md` has the games and results.
//!
//! # The file
//!
//! `classical.weights` is embedded in the program. It is the 8 bytes `TGCLASS2`, then for each [`WeightSet`] the point
//! values by combination and the threat values by mask, all as `i16` in little-endian order, and at the end a 64-bit FNV-1a
//! checksum of everything before it.

use crate::base::hash::Checksum;
use crate::base::{Color, Rule};
use crate::board::combination::{COMBINATIONS, all_combinations};
use crate::board::{Board, Shape, Threat};
use std::sync::OnceLock;

/// Units of a point value per score unit.
pub const VALUE_SCALE: i32 = 16;
/// Units of a move's score per 1.0 of its logit: with this many more, a move is e times as likely to be the best one.
pub const ORDER_SCALE: i32 = 32;
/// Length of tables by combination: rounded up to a power of two, so that a masked index needs no bounds check.
pub const TABLE: usize = COMBINATIONS.next_power_of_two();

/// The threats of the side to move that have a bit in a threat mask, with their hand-set values.
const OWN_BITS: [(Threat, i32); 6] = [
    (Threat::Four, 6),
    (Threat::FourPlus, 20),
    (Threat::FourThree, 160),
    (Threat::OpenThree, 14),
    (Threat::OpenThreePlus, 22),
    (Threat::DoubleThree, 70),
];
/// The threats of the opponent that have a bit in a threat mask, above the others, with their hand-set costs.
const THEIR_BITS: [(Threat, i32); 7] = [
    (Threat::Four, 2),
    (Threat::FourPlus, 8),
    (Threat::FourThree, 40),
    (Threat::OpenThree, 4),
    (Threat::OpenThreePlus, 8),
    (Threat::DoubleThree, 24),
    (Threat::OpenFour, 70),
];
/// Number of bits of a threat mask.
pub const MASK_BITS: usize = OWN_BITS.len() + THEIR_BITS.len();
/// Number of threat masks.
pub const MASKS: usize = 1 << MASK_BITS;

/// The threat mask: one bit for each threat that the side to move or its opponent has on the board.
#[inline]
pub fn threat_mask(board: &Board) -> usize {
    let us = board.side();
    let [own, their] = [us, us.opponent()].map(|color| usize::from(board.threats(color).some));
    // Three fours, then three open threes; of the opponent also the open four.
    let both = |some: usize| (some >> Threat::Four.index() & 7) | (some >> Threat::OpenThree.index() & 7) << 3;
    both(own) | (both(their) | (their >> Threat::OpenFour.index() & 1) << OWN_BITS.len()) << OWN_BITS.len()
}

/// A set of weights. The sides of renju have a set each; exact caro uses that of caro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightSet {
    /// Both sides, freestyle.
    Freestyle,
    /// Both sides, standard.
    Standard,
    /// Black, renju.
    RenjuBlack,
    /// White, renju.
    RenjuWhite,
    /// Both sides, caro.
    Caro,
}

impl WeightSet {
    /// All sets, in their order in the file.
    pub const ALL: [WeightSet; 5] =
        [WeightSet::Freestyle, WeightSet::Standard, WeightSet::RenjuBlack, WeightSet::RenjuWhite, WeightSet::Caro];

    /// The set of a colour under a rule.
    pub const fn of(rule: Rule, color: Color) -> WeightSet {
        match (rule, color) {
            (Rule::Freestyle, _) => WeightSet::Freestyle,
            (Rule::Standard, _) => WeightSet::Standard,
            (Rule::Renju, Color::Black) => WeightSet::RenjuBlack,
            (Rule::Renju, Color::White) => WeightSet::RenjuWhite,
            (Rule::Caro | Rule::CaroExact, _) => WeightSet::Caro,
        }
    }

    /// Index into arrays by set, and the place in the file.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether the set belongs to a side with forbidden points.
    pub const fn has_forbidden(self) -> bool {
        matches!(self, WeightSet::RenjuBlack)
    }
}

/// The weights of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Value of an empty point for this side, by the combination that a stone there would make, in 1/[`VALUE_SCALE`]
    /// units.
    pub value: Box<[i16; TABLE]>,
    /// Scores of a move of this side, in 1/[`ORDER_SCALE`] of a logit: by the combination that it makes, and by the one
    /// that it denies the opponent.
    pub order: Box<[[i16; 2]; TABLE]>,
    /// Value of the threats on the board when this side is to move, by threat mask, in score units.
    pub threat: Box<[i16; MASKS]>,
}

/// Hand-set value of a line on an empty point, by shape.
const SHAPE_VALUE: [i32; Shape::ALL.len()] = [0, 0, 0, 2, 2, 2, 4, 5, 5, 11, 16, 26, 53, 30];
/// Hand-set value of a combination in addition to its shapes, by threat.
const THREAT_VALUE: [i32; Threat::ALL.len()] = [0, 0, 0, 0, 5, 6, 0, 10, 24, 0, 7, 36, 12, 0];
/// Hand-set score of a move for the threat that it makes.
const ATTACK: [i32; Threat::ALL.len()] = [0, 0, 18, 18, 34, 36, 52, 60, 110, 44, 74, 300, 625, 1000];
/// Hand-set score of a move for the threat that it denies the opponent.
const DEFENCE: [i32; Threat::ALL.len()] = [0, 0, 14, 15, 26, 28, 40, 52, 80, 36, 56, 170, 300, 700];
/// Hand-set value of being to move.
const TEMPO: i32 = 12;

impl Weights {
    /// The embedded weights of a set.
    pub fn of(set: WeightSet) -> &'static Weights {
        static SETS: OnceLock<Vec<Weights>> = OnceLock::new();
        let sets = SETS.get_or_init(|| decode(EMBEDDED).expect("the embedded weights are valid; a test checks it"));
        &sets[set.index()]
    }

    /// The hand-set weights, from which fitting starts and with which its results are compared.
    pub fn hand_set(set: WeightSet) -> Weights {
        fn boxed<T: Copy, const N: usize>(value: T) -> Box<[T; N]> {
            vec![value; N].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("the vector has N elements"))
        }
        let mut weights = Weights { value: boxed(0), order: boxed([0; 2]), threat: boxed(0) };
        for (id, lines) in all_combinations().enumerate() {
            let threat = Threat::of_lines(lines, set.has_forbidden());
            let sum: i32 = lines.iter().map(|&shape| SHAPE_VALUE[shape as usize]).sum();
            if threat == Threat::Forbidden {
                weights.order[id] = [0, DEFENCE[threat.index()] as i16];
            } else {
                weights.value[id] = ((sum + THREAT_VALUE[threat.index()]) * VALUE_SCALE) as i16;
                weights.order[id][0] = (ATTACK[threat.index()] + sum) as i16;
                weights.order[id][1] = (DEFENCE[threat.index()] + sum * 3 / 4) as i16;
            }
        }
        for (mask, value) in weights.threat.iter_mut().enumerate() {
            let own = OWN_BITS.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
            let their = THEIR_BITS.iter().enumerate().filter(|(bit, _)| mask >> (OWN_BITS.len() + bit) & 1 == 1);
            *value = (TEMPO + own.map(|(_, (_, value))| value).sum::<i32>()
                - their.map(|(_, (_, cost))| cost).sum::<i32>()) as i16;
        }
        weights
    }
}

const MAGIC: [u8; 8] = *b"TGCLASS2";
const EMBEDDED: &[u8] = include_bytes!("classical.weights");
/// Numbers of one set in the file.
const NUMBERS: usize = COMBINATIONS + MASKS;

/// The file with these sets.
pub fn encode(sets: &[Weights; WeightSet::ALL.len()]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for weights in sets {
        let numbers = weights.value[..COMBINATIONS].iter().chain(weights.threat.iter()).copied();
        bytes.extend(numbers.flat_map(i16::to_le_bytes));
    }
    let hash = Checksum::of(&bytes);
    bytes.extend(hash.to_le_bytes());
    bytes
}

/// The sets in a file; `None` when its header, length or checksum is wrong.
pub fn decode(bytes: &[u8]) -> Option<Vec<Weights>> {
    let (body, hash) = bytes.split_last_chunk::<8>()?;
    let numbers = body.strip_prefix(&MAGIC)?;
    if Checksum::of(body) != u64::from_le_bytes(*hash) || numbers.len() != WeightSet::ALL.len() * NUMBERS * 2 {
        return None;
    }
    let numbers: Vec<i16> = numbers.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
    let set = |(set, numbers): (WeightSet, &[i16])| {
        let mut weights = Weights::hand_set(set);
        let (value, threat) = numbers.split_at(COMBINATIONS);
        weights.value[..COMBINATIONS].copy_from_slice(value);
        weights.threat.copy_from_slice(threat);
        weights
    };
    Some(WeightSet::ALL.into_iter().zip(numbers.chunks_exact(NUMBERS)).map(set).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_weights_are_valid() {
        let sets = decode(EMBEDDED).unwrap();
        assert_eq!(sets.len(), WeightSet::ALL.len());
    }

    #[test]
    fn the_mask_has_a_bit_for_each_threat_in_its_order() {
        for moves in ["h8", "h8a1i8a15j9c13", "h8i9g9g8i8f8g10j10m12c3", "h8g8i8k9j8k10a1l9a15m10", "h8i8h9i9h10i10g7"]
        {
            let board = crate::board::tests::board_after(Rule::Freestyle, moves);
            let us = board.side();
            let own = OWN_BITS.iter().map(|&(threat, _)| board.count(us, threat) > 0);
            let their = THEIR_BITS.iter().map(|&(threat, _)| board.count(us.opponent(), threat) > 0);
            let expected =
                own.chain(their).enumerate().map(|(bit, is_there)| usize::from(is_there) << bit).sum::<usize>();
            assert_eq!(threat_mask(&board), expected, "{moves}");
        }
    }

    #[test]
    fn weights_read_back_and_a_changed_byte_is_noticed() {
        let sets = WeightSet::ALL.map(Weights::hand_set);
        let bytes = encode(&sets);
        assert_eq!(decode(&bytes).unwrap(), sets);
        for index in [0, 8, 5000, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[index] ^= 4;
            assert_eq!(decode(&changed), None, "byte {index}");
        }
        assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
    }
}
