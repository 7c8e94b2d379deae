//! Training games and labelled positions as compact records with checksums; [`super::record_file`] reads and writes files of them.
//!
//! A file is the 8 bytes `TGREC1\r\n`, `TGREC2\r\n` or `TGREC3\r\n` followed by blocks: the length of the block's bytes
//! (`u32`), their CRC-32 (`u32`), the bytes. All numbers are little-endian. In formats 1 and 2 a block is a record, and format 1 has
//! games only; `selfplay` writes these, as each game comes. In format 3 a block is many records in compressed columns
//! ([`super::compressed_columns`]); `merge` and `filter` write it. A record of formats 1 and 2 is
//!
//! | bytes | what |
//! |---|---|
//! | 1, 2 | in format 2 only: 0 a game, 1 a position that a search asked about, 2 a quiet position of a game; for 1, the moves before the root of that search, otherwise 0 |
//! | 8 | number of the game; within a series of games it identifies the game |
//! | 1 | rule, as in `INFO rule` |
//! | 1, 1 | columns, rows |
//! | 1 | result: 0 black won, 1 draw, 2 white won |
//! | 2, 2 | stones of the opening, plies after it |
//! | 2 each | the opening's stones |
//! | 6 each | plies: the move, the move chosen by the search, the score of the search for the side to move (`i16`) |
//!
//! A move is row * columns + column; bit 15 of a played move is set if it was drawn at random instead of the chosen one.
//! Scores beyond +-29000 are proven wins and losses: 30000 minus the plies to the end.
//!
//! In the record of a position all moves that lead to it are stones of the opening, and one ply has its label: the move and
//! the score of a search of the position. Number and result are those of the game in which it was found.

use crate::arena::openings::Opening;
use anyhow::{Context, Result, bail, ensure};
use tengen::base::{Color, Point, Rule, Score, Size};

/// What a file may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordFormat {
    /// Games only.
    Games,
    /// Games and labelled positions.
    Positions,
    /// Both, many in a block. Nothing can be appended.
    Packed,
}

impl RecordFormat {
    pub(super) const ALL: [RecordFormat; 3] = [RecordFormat::Games, RecordFormat::Positions, RecordFormat::Packed];

    /// The bytes that a file begins with.
    pub(super) const fn magic(self) -> [u8; 8] {
        match self {
            RecordFormat::Games => *b"TGREC1\r\n",
            RecordFormat::Positions => *b"TGREC2\r\n",
            RecordFormat::Packed => *b"TGREC3\r\n",
        }
    }
}

/// Length of [`RecordFormat::magic`].
pub(super) const MAGIC: usize = 8;
/// Largest size of a record in bytes, more than any board allows.
pub(super) const LONGEST: usize = 8192;
const RANDOM: u16 = 1 << 15;

/// A move of a game with the result of the search before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPly {
    /// The move played.
    pub played: Point,
    /// The move chosen by the search; differs from `played` only if that was drawn at random.
    pub best: Point,
    /// The search's score for the side to move, as [`Score::units`].
    pub score: i16,
}

impl PackedPly {
    /// The move that a search chose, with its score, and that was played.
    pub fn chosen(best: Point, score: Score) -> PackedPly {
        PackedPly { played: best, best, score: score.units() as i16 }
    }

    /// Whether the search proved a win or a loss.
    pub fn is_proven(&self) -> bool {
        i32::from(self.score).abs() > Score::DECISIVE
    }
}

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Content {
    /// A finished game.
    Game,
    /// A position for which a search computed the network.
    Asked {
        /// Number of moves to the root of that search, a position of the game.
        root: u16,
    },
    /// A quiet position of a game.
    Quiet,
}

impl Content {
    /// Its number in files, and its root.
    pub(super) fn code(self) -> (u8, u16) {
        match self {
            Content::Game => (0, 0),
            Content::Asked { root } => (1, root),
            Content::Quiet => (2, 0),
        }
    }

    pub(super) fn of_code(code: u8, root: u16) -> Result<Content> {
        match code {
            0 => Ok(Content::Game),
            1 => Ok(Content::Asked { root }),
            2 => Ok(Content::Quiet),
            _ => bail!("unknown kind of record"),
        }
    }
}

/// The number of a result in files.
pub(super) fn result_code(winner: Option<Color>) -> u8 {
    winner.map_or(1, |winner| 2 * winner.index() as u8)
}

pub(super) fn winner_of_code(code: u8) -> Result<Option<Color>> {
    match code {
        0 => Ok(Some(Color::Black)),
        1 => Ok(None),
        2 => Ok(Some(Color::White)),
        _ => bail!("unknown result"),
    }
}

/// A finished game; or one position with a label, where the opening has all moves and the only ply is the label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedGame {
    /// Whether this is a game or a position.
    pub content: Content,
    /// Number of the game; identifies it within its series. A position has that of its game.
    pub number: u64,
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// The stones of the opening, black first.
    pub opening: Opening,
    /// The moves after the opening.
    pub plies: Vec<PackedPly>,
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
}

impl PackedGame {
    /// Whether this is a game, not a labelled position.
    pub fn is_game(&self) -> bool {
        self.content == Content::Game
    }

    /// Whether the last search of the game proved its result; of a position, whether its label is proven.
    pub fn is_proven(&self) -> bool {
        self.plies.last().is_some_and(PackedPly::is_proven)
    }

    /// All moves including the opening.
    pub fn moves(&self) -> impl Iterator<Item = Point> + '_ {
        self.opening.stones.iter().copied().chain(self.plies.iter().map(|ply| ply.played))
    }

    /// The side to move after the opening and this many plies.
    pub fn to_move_after(&self, plies: usize) -> Color {
        Color::to_move_after(self.opening.stones.len() + plies)
    }

    /// The result for `color`: 1 for a win, 1/2 for a draw, 0 for a loss.
    pub fn points(&self, color: Color) -> f32 {
        self.winner.map_or(0.5, |winner| if winner == color { 1.0 } else { 0.0 })
    }

    pub(super) fn encode(&self, format: RecordFormat) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(19 + 2 * self.opening.stones.len() + 6 * self.plies.len());
        if format != RecordFormat::Games {
            let (kind, root) = self.content.code();
            bytes.push(kind);
            bytes.extend(u16::to_le_bytes(root));
        }
        bytes.extend(self.number.to_le_bytes());
        let size = [self.size.width() as u8, self.size.height() as u8];
        bytes.extend([self.rule.number(), size[0], size[1], result_code(self.winner)]);
        bytes.extend((self.opening.stones.len() as u16).to_le_bytes());
        bytes.extend((self.plies.len() as u16).to_le_bytes());
        let cell = |point: Point| (point.y() * self.size.width() + point.x()) as u16;
        for &stone in &self.opening.stones {
            bytes.extend(cell(stone).to_le_bytes());
        }
        for ply in &self.plies {
            let random = if ply.played == ply.best { 0 } else { RANDOM };
            bytes.extend((cell(ply.played) | random).to_le_bytes());
            bytes.extend(cell(ply.best).to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
        }
        bytes
    }

    pub(super) fn decode(bytes: &[u8], format: RecordFormat) -> Result<PackedGame> {
        let mut rest = bytes;
        let content = if format == RecordFormat::Games {
            Content::Game
        } else {
            let [kind] = take(&mut rest)?;
            Content::of_code(kind, u16::from_le_bytes(take(&mut rest)?))?
        };
        let number = u64::from_le_bytes(take(&mut rest)?);
        let [rule, width, height, result]: [u8; 4] = take(&mut rest)?;
        let rule = Rule::from_bits(rule.into()).context("unknown rule")?;
        let size = Size::new(width.into(), height.into()).context("unknown board size")?;
        let winner = winner_of_code(result)?;
        let (stones, plies) = (u16::from_le_bytes(take(&mut rest)?), u16::from_le_bytes(take(&mut rest)?));
        let point = |rest: &mut &[u8]| -> Result<Point> {
            let cell = usize::from(u16::from_le_bytes(take(rest)?) & !RANDOM);
            ensure!(cell < size.cells(), "a move off the board");
            Point::new(cell % size.width(), cell / size.width()).context("a move off the board")
        };
        let mut opening = Opening::default();
        for _ in 0..stones {
            opening.stones.push(point(&mut rest)?);
        }
        let mut moves = Vec::with_capacity(plies.into());
        for _ in 0..plies {
            let (played, best) = (point(&mut rest)?, point(&mut rest)?);
            moves.push(PackedPly { played, best, score: i16::from_le_bytes(take(&mut rest)?) });
        }
        ensure!(rest.is_empty(), "bytes after the last move");
        let record = PackedGame { content, number, rule, size, opening, plies: moves, winner };
        record.check()?;
        Ok(record)
    }

    /// Whether there can be such a record: no move on another stone, one label for a position.
    ///
    /// # Errors
    /// Says why there cannot.
    pub fn check(&self) -> Result<()> {
        let mut taken = [false; Size::MAX_CELLS];
        let mut is_free = |point: Point, place: bool| {
            let cell = &mut taken[point.y() * self.size.width() + point.x()];
            !std::mem::replace(cell, *cell || place)
        };
        let opening_is_free = self.opening.stones.iter().all(|&stone| is_free(stone, true));
        let are_free =
            opening_is_free && self.plies.iter().all(|ply| is_free(ply.best, false) && is_free(ply.played, true));
        ensure!(are_free, "a move on another stone");
        ensure!(self.is_game() || self.plies.len() == 1, "a position without its label, or with several");
        if let Content::Asked { root } = self.content {
            ensure!(usize::from(root) <= self.opening.stones.len(), "a position before the root of its search");
        }
        Ok(())
    }
}

pub(super) fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (first, others) = rest.split_first_chunk::<N>().context("the data ends too early")?;
    *rest = others;
    Ok(*first)
}
