//! The eight symmetries of a board, and those that leave a position unchanged.

use super::Board;
use crate::base::{Point, Size};

/// One of the eight symmetries of a square board; other boards have four of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    swap_axes: bool,
    mirror_x: bool,
    mirror_y: bool,
}

impl Symmetry {
    /// All symmetries of a board of this size. The first is the identity.
    pub fn of(size: Size) -> impl Iterator<Item = Symmetry> {
        let is_square = size.width() == size.height();
        (0..if is_square { 8 } else { 4 }).map(|code| Symmetry {
            swap_axes: code & 4 != 0,
            mirror_x: code & 1 != 0,
            mirror_y: code & 2 != 0,
        })
    }

    /// The image of a point.
    pub fn apply(self, point: Point, size: Size) -> Point {
        let (x, y) = if self.swap_axes { (point.y(), point.x()) } else { (point.x(), point.y()) };
        let x = if self.mirror_x { size.width() - 1 - x } else { x };
        let y = if self.mirror_y { size.height() - 1 - y } else { y };
        Point::new(x, y).expect("a symmetry maps the board onto itself")
    }
}

/// The symmetries, without the identity, that leave the position unchanged.
pub fn of_position(board: &Board) -> Vec<Symmetry> {
    let size = board.size();
    Symmetry::of(size)
        .skip(1)
        .filter(|symmetry| size.points().all(|p| board.cell(p) == board.cell(symmetry.apply(p, size))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Cell, Color, Rule};

    #[test]
    fn symmetries_are_bijections_of_the_board() {
        for size in [Size::square(7).unwrap(), Size::new(5, 9).unwrap()] {
            for symmetry in Symmetry::of(size) {
                let mut images: Vec<Point> = size.points().map(|p| symmetry.apply(p, size)).collect();
                images.sort_unstable();
                images.dedup();
                assert_eq!(images.len(), size.cells());
            }
        }
    }

    #[test]
    fn a_lone_stone_in_the_middle_keeps_all_symmetries_and_one_beside_it_keeps_one() {
        let size = Size::square(15).unwrap();
        let position =
            |x, y| Board::from_cells(Rule::Freestyle, size, &[(Point::new(x, y).unwrap(), Cell::Black)], Color::White);
        assert_eq!(of_position(&position(7, 7)).len(), 7);
        assert_eq!(of_position(&position(7, 8)).len(), 1);
        assert_eq!(of_position(&position(7, 9)).len(), 1);
        assert_eq!(of_position(&position(3, 5)).len(), 0);
    }
}
