//! Names of points for people: a column letter from `a` and a row number counted from below, so that `a1` is the lower left
//! corner. Renju books, `RenLib` and Yixin-Board count this way.
//!
//! Machine formats (opening files, game logs, proofs) use [`notation`], whose rows count from above.

use crate::base::{Point, Size};
use crate::board::notation;

/// The number of the row with this `y`: 1 at the lower edge of the board, where `y` is largest.
pub fn row(y: usize, size: Size) -> usize {
    size.height() - y
}

/// The point in the same column whose row, counted from above, is this point's row counted from below. Its own inverse.
fn mirrored(point: Point, size: Size) -> Point {
    Point::new(point.x(), row(point.y(), size) - 1).expect("a row of the same board")
}

/// The name of a point: `h8`.
pub fn name(point: Point, size: Size) -> String {
    notation::name(mirrored(point, size))
}

/// Names of points with a text between them.
pub fn names(points: &[Point], size: Size, separator: &str) -> String {
    points.iter().map(|&point| name(point, size)).collect::<Vec<_>>().join(separator)
}

/// Reads names in a row such as `h8i9 j10`; `None` if the text holds anything else or a point off the board.
pub fn parse(text: &str, size: Size) -> Option<Vec<Point>> {
    let points = notation::parse_moves(text, size)?;
    Some(points.into_iter().map(|point| mirrored(point, size)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_from_below_on_boards_of_odd_and_even_height() {
        for (width, height, text, x, y) in [
            (15, 15, "h8", 7, 7),
            (15, 15, "a1", 0, 14),
            (15, 15, "o15", 14, 0),
            (20, 20, "h8", 7, 12),
            (20, 20, "k10", 10, 10),
            (6, 5, "f5", 5, 0),
            (5, 6, "e2", 4, 4),
        ] {
            let size = Size::new(width, height).unwrap();
            let point = Point::new(x, y).unwrap();
            assert_eq!(name(point, size), text, "{width}x{height}");
            assert_eq!(parse(text, size), Some(vec![point]), "{width}x{height}");
            assert_eq!(row(y, size).to_string(), text[1..]);
        }
        let size = Size::square(15).unwrap();
        let points = parse("h8 i9j10", size).unwrap();
        assert_eq!(names(&points, size, " "), "h8 i9 j10");
        assert_eq!(parse("h16", size), None);
        assert_eq!(parse("h0", size), None);
    }
}
