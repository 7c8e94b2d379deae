//! Reading and writing points and move strings; reading diagrams.
//!
//! A point such as `h8` is a column letter from `a` and a row number from 1, where row 1 is `y == 0`. A diagram has one
//! line of text per row, the first for `y == 0`: `X` black, `O` white, `.` empty, `#` dead; `*` is empty and marked.

use crate::base::{Cell, Point, Size};

/// The name of a point: `h8` for column 7, row 7.
pub fn name(point: Point) -> String {
    format!("{}{}", (b'a' + point.x() as u8) as char, point.y() + 1)
}

/// The names of moves as one text, `h8i9j10`, which [`parse_moves`] reads.
pub fn moves_text(moves: &[Point]) -> String {
    moves.iter().map(|&point| name(point)).collect()
}

/// The first name of a text such as `h8i9`, which is a character with the digits after it, and the rest; `None` for an empty
/// text.
pub fn split_name(text: &str) -> Option<(&str, &str)> {
    let column = text.chars().next()?.len_utf8();
    let digits = text[column..].chars().take_while(char::is_ascii_digit).count();
    Some(text.split_at(column + digits))
}

/// Reads moves such as `h8i9 j10`. `None` when the text is anything else, or a move is off the board.
pub fn parse_moves(text: &str, size: Size) -> Option<Vec<Point>> {
    let mut moves = Vec::new();
    let mut text = text.trim_start();
    while let Some((name, rest)) = split_name(text) {
        let column = name.chars().next()?;
        let number: i64 = name[column.len_utf8()..].parse().ok()?;
        let x = i64::from(u32::from(column.to_ascii_lowercase())) - i64::from(b'a');
        moves.push(size.point(x, number - 1)?);
        text = rest.trim_start();
    }
    Some(moves)
}

/// A position read from a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The board's size.
    pub size: Size,
    /// Stones and dead squares, row by row.
    pub cells: Vec<(Point, Cell)>,
    /// Points marked with `*`.
    pub marks: Vec<Point>,
}

/// Reads a diagram; spaces are ignored. `None` for unknown characters, rows of different lengths or an invalid size.
pub fn parse_diagram(text: &str) -> Option<Diagram> {
    let rows: Vec<Vec<char>> = text
        .lines()
        .map(|line| line.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>())
        .filter(|row| !row.is_empty())
        .collect();
    let size = Size::new(rows.first()?.len(), rows.len())?;
    let mut diagram = Diagram { size, cells: Vec::new(), marks: Vec::new() };
    for (y, row) in rows.iter().enumerate() {
        if row.len() != size.width() {
            return None;
        }
        for (x, c) in row.iter().enumerate() {
            let point = Point::new(x, y)?;
            match c {
                'X' => diagram.cells.push((point, Cell::Black)),
                'O' => diagram.cells.push((point, Cell::White)),
                '#' => diagram.cells.push((point, Cell::Wall)),
                '*' => diagram.marks.push(point),
                '.' => {}
                _ => return None,
            }
        }
    }
    Some(diagram)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_read_back() {
        let size = Size::square(20).unwrap();
        let moves = parse_moves("a1 t20h8", size).unwrap();
        assert_eq!(moves_text(&moves), "a1t20h8");
        assert_eq!(parse_moves("u1", size), None);
        assert_eq!(parse_moves("a0", size), None);
        assert_eq!(parse_moves("8h", size), None);
    }

    #[test]
    fn diagrams_show_stones_and_marks() {
        let diagram = parse_diagram(". . . . .\n. X O . .\n. . * . .\n. . # . .\n. . . . .").unwrap();
        assert_eq!(diagram.cells.len(), 3);
        assert_eq!(diagram.marks, [Point::new(2, 2).unwrap()]);
        assert_eq!(parse_diagram("....\n....\n....\n...."), None);
    }
}
