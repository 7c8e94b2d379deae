//! Boards drawn as text, with column letters and row numbers.

use super::point_names;
use crate::base::{Cell, Color, Point, Size};
use std::fmt::Write as _;

/// The character for a stone.
pub fn sign(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

/// A board with its coordinates: `X` black, `O` white, `.` empty, `#` a dead square. Row 1 is the lowest line, as in
/// [`point_names`], so `y == 0` is the top line, as in Piskvork and SGF. `mark` may choose another character for an empty
/// point; `last` is shown in parentheses.
pub fn board(
    size: Size,
    cell: impl Fn(Point) -> Cell,
    mark: impl Fn(Point) -> Option<char>,
    last: Option<Point>,
) -> String {
    let columns = (0..size.width()).flat_map(|x| [' ', char::from(b'a' + x as u8)]);
    let mut text: String = "   ".chars().chain(columns).chain(['\n']).collect();
    for y in 0..size.height() {
        let _ = write!(text, "{:>3}", point_names::row(y, size));
        let mut was_last = false;
        for point in (0..size.width()).filter_map(|x| Point::new(x, y)) {
            let is_last = Some(point) == last;
            text.push(match (is_last, was_last) {
                (true, _) => '(',
                (_, true) => ')',
                _ => ' ',
            });
            text.push(match cell(point) {
                Cell::Black => sign(Color::Black),
                Cell::White => sign(Color::White),
                Cell::Wall => '#',
                Cell::Empty => mark(point).unwrap_or('.'),
            });
            was_last = is_last;
        }
        text.push_str(if was_last { ")\n" } else { "\n" });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_shows_stones_marks_and_the_last_move() {
        let size = Size::new(6, 5).unwrap();
        let at = |x, y| Point::new(x, y).unwrap();
        let cell = |point: Point| match (point.x(), point.y()) {
            (0, 0) => Cell::Black,
            (5, 1) => Cell::White,
            (2, 2) => Cell::Wall,
            _ => Cell::Empty,
        };
        let text = board(size, cell, |point| (point == at(1, 0)).then_some('!'), Some(at(5, 1)));
        assert_eq!(
            text,
            "    a b c d e f\n  5 X ! . . . .\n  4 . . . . .(O)\n  3 . . # . . .\n  2 . . . . . .\n  1 . . . . . .\n"
        );
    }
}
