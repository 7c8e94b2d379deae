//! The four shapes of a point together: [`Combination`], the [`Threat`] that they make, and how it is looked up.
//!
//! Each shape has a weight such that no two combinations of four shapes have the same sum of weights. When a
//! shape changes, so does the sum, by the difference of two weights, and the sum is the index of the combination. Weak
//! shapes, which are the most frequent ones, have small weights, so that most lookups are close together.

use super::shape::{Shape, Threat};
use crate::base::point::CELLS;
use crate::base::{Color, Rule, bounded};
use std::sync::OnceLock;

/// Number of multisets of four shapes.
pub const COMBINATIONS: usize = {
    let shapes = Shape::ALL.len();
    shapes * (shapes + 1) * (shapes + 2) * (shapes + 3) / 24
};

/// The four shapes of a point regardless of their directions, with the threat that they make together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Combination(u16);

impl Combination {
    /// Index into tables by combination, below [`COMBINATIONS`].
    #[inline]
    pub const fn id(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// The threat that the four shapes make together.
    #[inline]
    pub const fn threat(self) -> Threat {
        Threat::ALL[bounded::<{ Threat::ALL.len() }>(self.threat_index())]
    }

    /// The index of the threat, [`Threat::index`].
    #[inline]
    pub const fn threat_index(self) -> usize {
        (self.0 & 15) as usize
    }
}

/// The weight of each shape. No two combinations have the same sum; these are the least such numbers, each one chosen
/// after those before it.
const WEIGHTS: [u32; Shape::ALL.len()] = {
    let least = [0, 1, 5, 21, 55, 153, 368, 856, 1424, 2603, 4967, 8194, 13663, 22432];
    let mut weights = [0; Shape::ALL.len()];
    let mut shape = 0;
    while shape < weights.len() {
        // An overline is rare.
        let rank = match Shape::ALL[shape] {
            Shape::Dead => 0,
            Shape::Overline => weights.len() - 1,
            _ => shape - 1,
        };
        weights[shape] = least[rank];
        shape += 1;
    }
    weights
};

/// Bits of a [`Sums`] for each colour.
const SUM_BITS: u32 = 20;
/// Number of sums of weights, rounded up to a power of two.
const SUMS: usize = 1 << 17;

const _: () = assert!(4 * WEIGHTS[Shape::Overline as usize] < SUMS as u32 && SUMS <= 1 << SUM_BITS);

/// The sums of the weights of the four shapes of a cell, for black and for white, and the index of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Sums(u64);

/// Both colours' weights of a byte of shapes, black's in the low nibble, white's in the high one.
static BYTE_WEIGHTS: [u64; 256] = {
    let mut weights = [0; 256];
    let mut shapes = 0;
    while shapes < 256 {
        let (black, white) = (Shape::from_code(shapes as u8 & 15), Shape::from_code(shapes as u8 >> 4));
        weights[shapes] = WEIGHTS[black as usize] as u64 | (WEIGHTS[white as usize] as u64) << SUM_BITS;
        shapes += 1;
    }
    weights
};

impl Sums {
    /// The sums of the cell with this index, whose shapes are all [`Shape::Dead`].
    #[inline]
    pub const fn of_cell(index: usize) -> Sums {
        Sums((index as u64) << (2 * SUM_BITS))
    }

    /// The index of the cell.
    #[inline(always)]
    pub const fn cell(self) -> usize {
        bounded::<CELLS>((self.0 >> (2 * SUM_BITS)) as usize)
    }

    /// The sums after the shapes of a line changed.
    #[inline(always)]
    #[must_use]
    pub fn with_change(self, before: u8, after: u8) -> Sums {
        let change = BYTE_WEIGHTS[usize::from(after)].wrapping_sub(BYTE_WEIGHTS[usize::from(before)]);
        Sums(self.0.wrapping_add(change))
    }

    /// The sum of a colour.
    #[inline(always)]
    const fn of(self, color: Color) -> usize {
        (self.0 >> (SUM_BITS * color.index() as u32)) as usize & (SUMS - 1)
    }
}

/// The tables from sums of weights to combinations, for black and for white.
#[derive(Clone, Copy)]
pub struct BySums([&'static [Combination; SUMS]; 2]);

impl BySums {
    /// The tables of `rule`, which are built on first use.
    pub fn of(rule: Rule) -> BySums {
        BySums(Color::ALL.map(|color| combination_table(rule.has_forbidden(color))))
    }

    /// The combinations of both colours.
    #[inline(always)]
    pub fn combinations(self, sums: Sums) -> [Combination; 2] {
        Color::ALL.map(|color| self.combination(sums, color))
    }

    /// The combination of one colour.
    #[inline(always)]
    pub fn combination(self, sums: Sums, color: Color) -> Combination {
        self.0[color.index()][sums.of(color)]
    }
}

/// From sums of weights to combinations.
fn combination_table(forbidden_rule: bool) -> &'static [Combination; SUMS] {
    static TABLES: [OnceLock<Box<[Combination; SUMS]>>; 2] = [const { OnceLock::new() }; 2];
    TABLES[usize::from(forbidden_rule)].get_or_init(|| {
        let mut table = vec![Combination::default(); SUMS];
        for (id, shapes) in all_combinations().enumerate() {
            let sum: u32 = shapes.iter().map(|&shape| WEIGHTS[shape as usize]).sum();
            table[sum as usize] = Combination((id as u16) << 4 | Threat::of_lines(shapes, forbidden_rule) as u16);
        }
        table.into_boxed_slice().try_into().expect("the table has SUMS entries")
    })
}

/// All combinations of four shapes, in the order of [`Combination::id`]; within each, the weakest shape is first.
pub fn all_combinations() -> impl Iterator<Item = [Shape; 4]> {
    let shapes = Shape::ALL.len();
    (0..shapes).flat_map(move |a| {
        (a..shapes).flat_map(move |b| {
            (b..shapes).flat_map(move |c| (c..shapes).map(move |d| [a, b, c, d].map(|i| Shape::ALL[i])))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_count_as_the_definition_says() {
        let counted = |forbidden| {
            let mut counts = [0usize; Threat::ALL.len()];
            for lines in all_combinations() {
                counts[Threat::of_lines(lines, forbidden).index()] += 1;
            }
            counts
        };
        assert_eq!(counted(false), [70, 0, 105, 35, 155, 130, 70, 260, 176, 35, 130, 121, 533, 560]);
        assert_eq!(counted(true), [35, 866, 60, 20, 115, 100, 40, 200, 0, 20, 100, 72, 192, 560]);
    }

    #[test]
    fn every_combination_has_a_sum_of_its_own() {
        let tables = BySums::of(Rule::Renju);
        for (id, shapes) in all_combinations().enumerate() {
            // Black's shapes, and white's in the reverse order: the order does not matter.
            let bytes = [0, 1, 2, 3].map(|i| shapes[i] as u8 | (shapes[3 - i] as u8) << 4);
            let mut sums = Sums::of_cell(CELLS - 1);
            for byte in bytes {
                sums = sums.with_change(0xDD, byte).with_change(0, 0xDD);
            }
            assert_eq!(sums.cell(), CELLS - 1);
            for (combination, forbidden_rule) in tables.combinations(sums).into_iter().zip([true, false]) {
                assert_eq!(combination.id(), id);
                assert_eq!(combination.threat(), Threat::of_lines(shapes, forbidden_rule));
            }
        }
    }
}
