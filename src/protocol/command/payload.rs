//! Reads what follows a keyword: sizes, numbers, coordinates, the lines of a block.

use super::{Owner, Placement, Query, Spot, edit_mask};
use crate::base::Size;
use crate::engine::database::Deletion;
use crate::protocol::number::{integer, number, split_word};

/// The number at the front, if there is one.
pub fn first_number(rest: &[u8]) -> Option<i64> {
    number(split_word(rest).0)
}

/// The number at the front, or `otherwise` where nothing follows; `None` if that is no number or less than 1.
pub fn count(rest: &[u8], otherwise: usize) -> Option<usize> {
    if rest.is_empty() {
        return Some(otherwise);
    }
    first_number(rest).filter(|&n| n >= 1).map(|n| n.min(1 << 16) as usize)
}

/// The words of a line.
pub fn words(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The board of `START`: `n`, or `columns rows` in the Yixin dialect.
pub fn start_size(rest: &[u8]) -> Option<Size> {
    let mut sides = words(rest);
    match (sides.next(), sides.next(), sides.next()) {
        (Some(side), None, None) => number(side).and_then(|side| size(side, side)),
        // Coordinates will come as row,column and are read as x,y, so the board is transposed with them.
        (Some(width), Some(height), None) => number(width).zip(number(height)).and_then(|(w, h)| size(h, w)),
        _ => None,
    }
}

/// The board of `RECTSTART`: `w,h`, or `w h`.
pub fn rectangle(rest: &[u8]) -> Option<Size> {
    let sides = pair(rest).or_else(|| {
        let (width, height) = split_word(rest);
        Some(Spot { x: number(width)?, y: number(height)? })
    });
    sides.and_then(|sides| size(sides.x, sides.y))
}

fn size(width: i64, height: i64) -> Option<Size> {
    Size::new(usize::try_from(width).ok()?, usize::try_from(height).ok()?)
}

/// `x,y` and nothing behind it; blanks around the numbers do not matter.
pub fn pair(text: &[u8]) -> Option<Spot> {
    let (spot, rest) = spot(text)?;
    rest.is_empty().then_some(spot)
}

/// `x,y` at the front of `text`, and the trimmed rest.
pub fn spot(text: &[u8]) -> Option<(Spot, &[u8])> {
    let (x, rest) = integer(text.trim_ascii())?;
    let (y, rest) = integer(rest.trim_ascii().strip_prefix(b",")?.trim_ascii())?;
    Some((Spot { x, y }, rest.trim_ascii()))
}

/// `x,y,owner`; words behind it are ignored.
pub fn placement(line: &[u8]) -> Option<Placement> {
    let (spot, rest) = spot(line)?;
    let (owner, rest) = integer(rest.strip_prefix(b",")?.trim_ascii())?;
    let owner = match owner {
        1 => Owner::Own,
        2 => Owner::Opponent,
        3 => Owner::Dead,
        _ => return None,
    };
    (rest.is_empty() || rest[0].is_ascii_whitespace() && !rest.contains(&b',')).then_some((spot, owner))
}

/// The mask of an edit, then tag, value and depth. Those that the mask does not name may be missing at the end.
pub fn edit(rest: &[u8]) -> Option<Query> {
    let mut words = words(rest);
    let mask = words.next().and_then(number)?;
    let mut next = |bit: i64| words.next().map_or((mask & bit == 0).then_some(0), number);
    Some(Query::Edit {
        mask,
        tag: next(edit_mask::TAG)?,
        value: next(edit_mask::VALUE)?,
        depth: next(edit_mask::DEPTH)?,
    })
}

/// Which entries a deletion means: all where nothing follows.
pub fn deletion(rest: &[u8]) -> Option<Deletion> {
    match split_word(rest).0.to_ascii_lowercase().as_slice() {
        b"" => Some(Deletion::All),
        b"wl" => Some(Deletion::Decided),
        b"nonwl" => Some(Deletion::Undecided),
        _ => None,
    }
}

/// A word cut to 32 characters and made printable, to be quoted in an answer.
pub fn printable(word: &[u8]) -> String {
    word.iter().take(32).map(|&byte| if byte.is_ascii_graphic() { char::from(byte) } else { '?' }).collect()
}
