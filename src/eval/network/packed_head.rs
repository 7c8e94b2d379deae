//! A head in the form in which it is evaluated: the weights of its layers in the order in which the sums read them.

use super::architecture::{FIRST, INPUT_SCALE, PAIRS, SECOND, WIDTH};
use super::features::NEARNESS;
use super::products::{RowPair, in_pairs};
use super::weights::Head;
use crate::board::Threat;

/// The layers of a head, packed for [`super::products`], and the head itself.
#[derive(Clone, Debug)]
pub struct PackedHead {
    /// As it is in the file.
    pub head: Head,
    /// First layer: the channels, then the hints.
    pub first: Box<[RowPair<FIRST>]>,
    /// First layer: what each active threat adds.
    pub threats: Box<[Sums<FIRST>]>,
    /// Second layer.
    pub second: Box<[RowPair<SECOND>]>,
    /// Policy: weights of the pairs of threats, by [`Board::threat_code`](crate::board::Board::threat_code).
    pub pairs: Box<[i32; 256]>,
    /// Policy: weights of the nearness to the opponent's last move, and to the own last move; filled up to a power of two.
    pub near: [[i32; NEARNESS_LEN]; 2],
    /// Policy: what the channels add to the weights of the channels.
    pub made: Box<[RowPair<WIDTH>]>,
    /// Policy: what each active threat adds to them.
    pub made_by_threats: Box<[Sums<WIDTH>]>,
}

/// Number of classes of nearness, rounded up to a power of two.
pub const NEARNESS_LEN: usize = NEARNESS.next_power_of_two();

/// What an input adds to the sums of a layer.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Sums<const N: usize>(pub [i32; N]);

impl PackedHead {
    /// Packs a head.
    pub fn new(head: Head) -> PackedHead {
        let (made, made_by_threats) = head.made.split_at(WIDTH);
        PackedHead {
            first: in_pairs(&[&head.first[..], &head.hints].concat()),
            threats: active(&head.threats[..]),
            second: in_pairs(&head.second[..]),
            pairs: pairs_by_code(&head.pairs),
            near: head.near.map(|row| std::array::from_fn(|class| row.get(class).copied().unwrap_or(0))),
            made: in_pairs(made),
            made_by_threats: active(made_by_threats),
            head,
        }
    }
}

fn pairs_by_code(pairs: &[i32; PAIRS]) -> Box<[i32; 256]> {
    let weight = |code: usize| match Threat::of_code(code as u8) {
        [Some(made), Some(denied)] => pairs[Threat::pair(made, denied)],
        _ => 0,
    };
    Box::new(std::array::from_fn(weight))
}

/// The products of these rows with an input of one.
fn active<const N: usize>(rows: &[[i16; N]]) -> Box<[Sums<N>]> {
    rows.iter().map(|row| Sums(row.map(|weight| i32::from(weight) * INPUT_SCALE))).collect()
}
