//! Boards that Yixin-Board saves: numbers in a text, first the side of the board, then how many stones there are, then the row and
//! the column of each from 0 at the upper left corner, in playing order.
//!
//! Written from memory of the format, and not compared with a file of the program. If row and column were exchanged, the game would
//! be the same one in a mirror.

use super::play_start::Evidence;
use super::sections::{GameFile, Recorder};
use crate::base::Size;
use anyhow::{Context, Result, bail, ensure};

/// Whether a text holds nothing but numbers between blanks.
pub(super) fn is_numbers(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads such a board, square or with both sides.
pub(super) fn parse(text: &str) -> Result<GameFile> {
    let words =
        text.lines().enumerate().flat_map(|(index, line)| line.split_whitespace().map(move |word| (index + 1, word)));
    let mut numbers: Vec<(usize, usize)> = Vec::new();
    for (line, word) in words {
        numbers.push((line, word.parse().with_context(|| format!("line {line}: '{word}' is too large"))?));
    }
    let number = |index: usize| numbers.get(index).map(|&(_, number)| number);
    let is_length =
        |header: usize| number(header - 1).is_some_and(|count| numbers.len() == header + 2 * count.min(numbers.len()));
    // One side or two before the number of stones.
    let header = [2, 3].into_iter().find(|&header| is_length(header));
    let Some(header) = header else {
        bail!("the side of the board, the number of stones, and a row and a column for each expected")
    };
    let (height, width) = (number(0).unwrap_or_default(), number(header - 2).unwrap_or_default());
    let size = Size::new(width, height).with_context(|| format!("line 1: there is no board of {width}x{height}"))?;
    let mut record = Recorder::new(size);
    for pair in numbers[header..].chunks_exact(2) {
        let [(line, row), (_, column)] = pair else { continue };
        let point = size.point(*column as i64, *row as i64);
        let point = point.with_context(|| format!("line {line}: {row} {column} is off the board of {size}"))?;
        record.play(record.last.to_move(), point).with_context(|| format!("line {line}"))?;
    }
    ensure!(record.moves > 0, "no moves");
    Ok(record.finish(Evidence::default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::point_names;

    #[test]
    fn a_saved_board_is_read() {
        for (text, expected) in [
            ("15\n3\n7 7\n6 8\n14 0\n", "15x15 h8i9a1"),
            ("15\r\n15\r\n1\r\n7 7\r\n", "15x15 h8"),
            ("12 20 1 0 19", "20x12 t12"),
            // Two stones, and not the sides of a board.
            ("7 2 0 0 6 6", "7x7 a7g1"),
        ] {
            assert!(is_numbers(text));
            let game = parse(text).unwrap_or_else(|error| panic!("{text}: {error:#}"));
            let moves = point_names::names(game.moves().unwrap(), game.size, "");
            assert_eq!(format!("{} {moves}", game.size), expected);
        }
        assert!(!is_numbers("") && !is_numbers("15 h8"));
    }

    #[test]
    fn what_is_no_saved_board_is_refused() {
        for (text, reason) in [
            ("15", "the side of the board"),
            ("15\n2\n7 7\n", "the side of the board"),
            ("15\n1\n7 15\n", "line 3: 7 15 is off the board of 15x15"),
            ("15\n2\n7 7\n7 7\n", "line 4: move 2 at h8: move 1 is there already"),
            ("99\n1\n7 7\n", "line 1: there is no board of 99x99"),
            ("15\n99999999999999999999", "line 2: '99999999999999999999' is too large"),
            ("15 18446744073709551615", "the side of the board"),
            ("15 0", "no moves"),
        ] {
            let error = format!("{:#}", parse(text).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
