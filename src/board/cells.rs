//! Sets of cells, one 32-bit word per padded row; and which cells are near a stone, so that the search considers them as moves:
//! [`CellSet::insert_near`].

use std::ops::{BitAnd, BitOrAssign};

use crate::base::point::{CELLS, STRIDE};
use crate::base::{Color, Point, Rule, bounded};

/// Rows of the padded space.
pub const ROWS: usize = CELLS / STRIDE;
/// Distance at which a cell on a line through a point is still near it.
const NEAR_ON_LINES: usize = 4;

// All cells of a winning row are near each of them. A rule with longer rows needs a larger neighbourhood.
const _: () = {
    let mut i = 0;
    while i < Rule::ALL.len() {
        let (black, white) = (Rule::ALL[i].line_rule(Color::Black), Rule::ALL[i].line_rule(Color::White));
        assert!(black.win_length() <= NEAR_ON_LINES + 1 && white.win_length() <= NEAR_ON_LINES + 1);
        i += 1;
    }
};

/// A set of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellSet {
    rows: [u32; ROWS],
}

impl CellSet {
    /// The set with these padded rows. The cell with index `i` is bit `i % 32` of row `i / 32`. Bits outside the largest
    /// board are allowed; they belong to no point.
    pub const fn from_rows(rows: [u32; ROWS]) -> CellSet {
        CellSet { rows }
    }

    /// The padded rows.
    #[inline]
    pub const fn rows(&self) -> &[u32; ROWS] {
        &self.rows
    }

    /// Whether the set contains the cell.
    #[inline]
    pub const fn contains(&self, point: Point) -> bool {
        self.rows[point.index() / STRIDE] & bit(point) != 0
    }

    /// Adds a cell.
    #[inline]
    pub const fn insert(&mut self, point: Point) {
        self.rows[point.index() / STRIDE] |= bit(point);
    }

    /// Adds or removes the cell with this index, which is below [`CELLS`].
    #[inline]
    pub const fn set(&mut self, index: usize, is_member: bool) {
        let row = &mut self.rows[bounded::<ROWS>(index / STRIDE)];
        let column = index % STRIDE;
        *row = *row & !(1 << column) | (is_member as u32) << column;
    }

    /// Adds the cell if the set does not contain it, else removes it.
    #[inline]
    pub const fn toggle(&mut self, point: Point) {
        self.rows[point.index() / STRIDE] ^= bit(point);
    }

    /// Adds the cells within three steps of a point, and within four on its lines, including cells outside the board.
    #[inline]
    pub fn insert_near(&mut self, point: Point) {
        const LINES: u32 = 0b1_0001_0001;
        const SQUARE: u32 = 0b0_1111_1110;
        const SHAPE: [u32; 2 * NEAR_ON_LINES + 1] =
            [LINES, SQUARE, SQUARE, SQUARE, 0b1_1111_1111, SQUARE, SQUARE, SQUARE, LINES];
        let (column, row) = (point.index() % STRIDE - NEAR_ON_LINES, point.index() / STRIDE - NEAR_ON_LINES);
        for (i, cells) in SHAPE.iter().enumerate() {
            self.rows[bounded::<ROWS>(row + i)] |= cells << column;
        }
    }

    /// The points of the set, row by row.
    pub fn points(self) -> impl Iterator<Item = Point> {
        self.rows.into_iter().enumerate().flat_map(|(row, mut cells)| {
            std::iter::from_fn(move || {
                let column = (cells != 0).then(|| cells.trailing_zeros() as usize)?;
                cells &= cells - 1;
                Some(row * STRIDE + column)
            })
            .filter_map(Point::from_index)
        })
    }
}

const fn bit(point: Point) -> u32 {
    1 << (point.index() % STRIDE)
}

/// Intersection.
impl BitAnd for CellSet {
    type Output = CellSet;

    fn bitand(mut self, other: CellSet) -> CellSet {
        self.rows.iter_mut().zip(other.rows).for_each(|(row, other)| *row &= other);
        self
    }
}

/// Union.
impl BitOrAssign for CellSet {
    fn bitor_assign(&mut self, other: CellSet) {
        self.rows.iter_mut().zip(other.rows).for_each(|(row, other)| *row |= other);
    }
}

/// The set of these points.
impl FromIterator<Point> for CellSet {
    fn from_iter<T: IntoIterator<Item = Point>>(points: T) -> CellSet {
        let mut set = CellSet::default();
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Direction, Size};

    fn all() -> impl Iterator<Item = Point> {
        Size::square(Size::MAX_SIDE).unwrap().points()
    }

    #[test]
    fn a_set_gives_back_what_was_put_in() {
        let (even, third) =
            (|point: &Point| point.index().is_multiple_of(2), |point: &Point| point.index().is_multiple_of(3));
        let mut set: CellSet = all().filter(even).collect();
        assert!(all().all(|point| set.contains(point) == even(&point)));
        assert!(set.points().eq(all().filter(even)));
        let thirds: CellSet = all().filter(third).collect();
        assert!((set & thirds).points().eq(all().filter(|point| even(point) && third(point))));
        set |= thirds;
        assert!(set.points().eq(all().filter(|point| even(point) || third(point))));
        all().for_each(|point| set.toggle(point));
        assert!(set.points().eq(all().filter(|point| !even(point) && !third(point))));
    }

    #[test]
    fn near_are_three_steps_around_and_four_on_lines() {
        for center in all() {
            let mut near = CellSet::default();
            near.insert_near(center);
            let on_a_line = |point| {
                let mut steps = (-4..=4).flat_map(|steps| Direction::ALL.map(|line| center.step(line, steps)));
                steps.any(|cell| cell == Some(point))
            };
            let around = |point: Point| point.x().abs_diff(center.x()) <= 3 && point.y().abs_diff(center.y()) <= 3;
            assert!(near.points().eq(all().filter(|&point| around(point) || on_a_line(point))), "{center}");
        }
    }
}
