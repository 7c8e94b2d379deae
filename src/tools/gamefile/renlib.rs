//! Libraries of `RenLib` (`.lib`), read: a tree of moves in bytes, on a board of 15.
//!
//! A header of 20 bytes (0xFF, `RenLib`, 0xFF, two bytes of the version, more 0xFF), then the nodes in the order in which a reader
//! goes through the tree. A node is two bytes: the point, `16 * row + column` with rows from 0 above and columns from 1, or 0 for no
//! move; and flags. Two more bytes of flags, comments and texts on the board may follow.
//!
//! Written from knowledge of the format, and not compared with a file of the program. The flags must fit together: every
//! variation that is announced has to follow, and the last one ends with the file.

use super::play_start::Evidence;
use super::sections::{GameFile, Recorder, USUAL_SIDE};
use crate::base::{Point, Size};
use anyhow::{Context, Result, bail, ensure};

/// How a library begins.
const MAGIC: &[u8] = b"\xffRenLib\xff";
/// Length of the header.
const HEADER: usize = 20;

/// The place of a node that is no move.
const NO_MOVE: u8 = 0;
/// Another move in place of this one follows after this one's moves.
const HAS_SIBLING: u8 = 0x80;
/// No move follows this one.
const IS_LAST: u8 = 0x40;
/// A comment follows, as old versions and as new ones write it.
const COMMENTS: [u8; 2] = [0x20, 0x08];
/// Two more bytes of flags follow.
const IS_EXTENDED: u8 = 0x01;
/// In the second of them: a text on the board follows.
const HAS_TEXT: u8 = 0x01;

/// Whether a file is a library.
pub(super) fn is_library(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads the main line: the first move everywhere. The record has a note about the variations.
pub(super) fn parse(bytes: &[u8]) -> Result<GameFile> {
    ensure!(bytes.len() >= HEADER, "the header is cut off");
    let size = Size::square(USUAL_SIDE).context("no board size")?;
    let mut record = Recorder::new(size);
    let mut rest = &bytes[HEADER..];
    // Lines that were announced and have not ended yet.
    let (mut open, mut lines, mut is_main) = (1_usize, 0_usize, true);
    while open > 0 {
        let at = bytes.len() - rest.len();
        let node = Node::read(&mut rest).with_context(|| format!("byte {at}: the tree of moves is cut off"))?;
        let point = point(node.place, size);
        ensure!(point.is_some() || node.place == NO_MOVE, "byte {at}: {:#04x} is no point", node.place);
        if is_main {
            match point {
                Some(point) => record.play(record.last.to_move(), point).with_context(|| format!("byte {at}"))?,
                // The root of a tree that begins with the empty board.
                None if record.moves == 0 && record.notes.is_empty() && at == HEADER => {}
                None => record.pass(record.last.to_move()),
            }
        }
        open += usize::from(node.flags & HAS_SIBLING > 0);
        if node.flags & IS_LAST > 0 {
            (open, lines, is_main) = (open - 1, lines + 1, false);
        }
    }
    if !rest.is_empty() {
        bail!("byte {}: the tree of moves ends here, but the file goes on", bytes.len() - rest.len());
    }
    ensure!(record.moves > 0, "no moves");
    if lines > 1 {
        record.notes.push(format!("The main line of the library is read; it has {lines} lines."));
    }
    Ok(record.finish(Evidence::default()))
}

/// The point of a node; `None` for no move and for a place off the board.
fn point(place: u8, size: Size) -> Option<Point> {
    size.point(i64::from(place & 15) - 1, i64::from(place >> 4))
}

struct Node {
    place: u8,
    flags: u8,
}

impl Node {
    /// Reads a node with the texts that follow it; `None` if the bytes end before.
    fn read(rest: &mut &[u8]) -> Option<Node> {
        let (&[place, flags], tail) = rest.split_first_chunk()?;
        *rest = tail;
        let mut texts = COMMENTS.iter().filter(|&&comment| flags & comment > 0).count();
        if flags & IS_EXTENDED > 0 {
            let (&[_, second], tail) = rest.split_first_chunk()?;
            *rest = tail;
            texts += usize::from(second & HAS_TEXT > 0);
        }
        for _ in 0..texts {
            skip_text(rest)?;
        }
        Some(Node { place, flags })
    }
}

/// Skips a text. It ends with a 0, and fills pairs of bytes.
fn skip_text(rest: &mut &[u8]) -> Option<()> {
    loop {
        let (pair, tail) = rest.split_first_chunk::<2>()?;
        *rest = tail;
        if pair.contains(&0) {
            return Some(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::point_names;

    fn library(nodes: &[u8]) -> Vec<u8> {
        [MAGIC, &[3, 0], &[0xff; 10], nodes].concat()
    }

    fn read(nodes: &[u8]) -> (String, Vec<String>) {
        let game = parse(&library(nodes)).unwrap_or_else(|error| panic!("{nodes:?}: {error:#}"));
        (point_names::names(game.moves().unwrap(), game.size, ""), game.notes)
    }

    #[test]
    fn the_main_line_is_read_and_the_lines_are_counted() {
        assert_eq!(read(&[0x78, 0, 0x69, IS_LAST]), ("h8i9".to_owned(), vec![]));
        // A root without a move; comments of odd and even length, a text on the board.
        let nodes = [&[0, 0x08][..], b"odd\0", &[0x78, 0x21], &[0, 1], b"even\0\0", b"A\0", &[0xe1, IS_LAST]].concat();
        assert_eq!(read(&nodes), ("h8a1".to_owned(), vec![]));
        // h8 with i9 (then a1 or a2) or j10.
        let nodes = [0x78, 0, 0x69, HAS_SIBLING, 0xe1, HAS_SIBLING | IS_LAST, 0xd1, IS_LAST, 0x5a, IS_LAST];
        let note = "The main line of the library is read; it has 3 lines.".to_owned();
        assert_eq!(read(&nodes), ("h8i9a1".to_owned(), vec![note]));
        let game = parse(&library(&[0x78, 0, 0, 0, 0x69, IS_LAST])).unwrap();
        assert_eq!((game.notes.len(), game.last.setup.len(), game.last.moves.len()), (1, 1, 1), "a pass");
    }

    #[test]
    fn damaged_libraries_are_refused() {
        for (nodes, reason) in [
            (&[][..], "byte 20: the tree of moves is cut off"),
            (&[0x78], "byte 20: the tree of moves is cut off"),
            (&[0x78, 0], "byte 22: the tree of moves is cut off"),
            (&[0x78, 0x08, b'x', b'y'], "byte 20: the tree of moves is cut off"),
            (&[0x78, IS_LAST, 0x69, IS_LAST], "byte 22: the tree of moves ends here, but the file goes on"),
            (&[0x70, IS_LAST], "byte 20: 0x70 is no point"),
            (&[0xf1, IS_LAST], "byte 20: 0xf1 is no point"),
            (&[0x78, 0, 0x78, IS_LAST], "byte 22: move 2 at h8: move 1 is there already"),
            (&[0, IS_LAST], "no moves"),
        ] {
            let error = format!("{:#}", parse(&library(nodes)).unwrap_err());
            assert_eq!(error, reason, "{nodes:?}");
        }
        assert_eq!(parse(MAGIC).unwrap_err().to_string(), "the header is cut off");
        assert!(is_library(MAGIC) && !is_library(b"RenLib"));
    }
}
