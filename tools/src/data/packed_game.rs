//! Training games and labelled positions in a compact format with checksums. After an interruption a file is complete up to
//! its last finished game.
//!
//! A file is the 8 bytes `TGREC1\r\n`, `TGREC2\r\n` or `TGREC3\r\n` followed by blocks: the length of the block's bytes
//! (`u32`), their CRC-32 (`u32`), the bytes. All numbers are little-endian. In formats 1 and 2 a block is a record, and format 1 has
//! games only; `selfplay` writes these, as each game comes. In format 3 a block is many records in compressed columns
//! ([`super::columns`]); `merge` and `filter` write it. A record of formats 1 and 2 is
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

use super::columns;
use crate::arena::openings::Opening;
use crate::output_file;
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tengen::base::{Color, Point, Rule, Size};
use tengen::engine::files::FileLock;

/// What a file may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Games only.
    Games,
    /// Games and labelled positions.
    Positions,
    /// Both, many in a block. Nothing can be appended.
    Packed,
}

impl Format {
    const ALL: [Format; 3] = [Format::Games, Format::Positions, Format::Packed];

    /// The bytes that a file begins with.
    const fn magic(self) -> [u8; 8] {
        match self {
            Format::Games => *b"TGREC1\r\n",
            Format::Positions => *b"TGREC2\r\n",
            Format::Packed => *b"TGREC3\r\n",
        }
    }
}

/// Length of [`Format::magic`].
const MAGIC: usize = 8;
/// Largest size of a record in bytes, more than any board allows.
const LONGEST: usize = 8192;
/// Number of records in a block of [`Format::Packed`].
const BLOCK: usize = 4096;
const RANDOM: u16 = 1 << 15;

/// A move of a game with the result of the search before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPly {
    /// The move played.
    pub played: Point,
    /// The move chosen by the search; differs from `played` only if that was drawn at random.
    pub best: Point,
    /// The search's score for the side to move, as [`tengen::base::Score::units`].
    pub score: i16,
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

    /// All moves including the opening.
    pub fn moves(&self) -> impl Iterator<Item = Point> + '_ {
        self.opening.stones.iter().copied().chain(self.plies.iter().map(|ply| ply.played))
    }

    /// The result for `color`: 1 for a win, 1/2 for a draw, 0 for a loss.
    pub fn points(&self, color: Color) -> f32 {
        self.winner.map_or(0.5, |winner| if winner == color { 1.0 } else { 0.0 })
    }

    fn encode(&self, format: Format) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(19 + 2 * self.opening.stones.len() + 6 * self.plies.len());
        if format != Format::Games {
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

    fn decode(bytes: &[u8], format: Format) -> Result<PackedGame> {
        let mut rest = bytes;
        let content = if format == Format::Games {
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

/// Reads records in order.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    format: Format,
    /// Number of bytes up to the end of the last complete record.
    whole: u64,
    /// Whether reading has failed.
    is_damaged: bool,
    /// The records of the last block of [`Format::Packed`] that are still to be returned.
    block: std::vec::IntoIter<PackedGame>,
}

impl Reader<BufReader<File>> {
    /// Opens a file of games.
    ///
    /// # Errors
    /// When it cannot be read or is not such a file.
    pub fn open(path: &Path) -> Result<Reader<BufReader<File>>> {
        let name = || path.display().to_string();
        Reader::new(BufReader::new(File::open(path).with_context(name)?)).with_context(name)
    }
}

impl<R: Read> Reader<R> {
    /// Starts reading at the beginning of a file.
    ///
    /// # Errors
    /// When it is not a file of games.
    pub fn new(mut input: R) -> Result<Reader<R>> {
        let mut magic = [0; MAGIC];
        input.read_exact(&mut magic).context("too short for a file of games")?;
        let Some(format) = Format::ALL.into_iter().find(|format| format.magic() == magic) else {
            ensure!(!magic.starts_with(b"TGREC"), "a file of games in a format that this version does not know");
            bail!("not a file of games")
        };
        Ok(Reader { input, format, whole: MAGIC as u64, is_damaged: false, block: Vec::new().into_iter() })
    }

    /// What the file may contain.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The next record; `None` at the end of the file, also if it ends in the middle of a record.
    fn read(&mut self) -> Result<Option<PackedGame>> {
        if let Some(record) = self.block.next() {
            return Ok(Some(record));
        }
        let mut head = [0; 8];
        if !fill(&mut self.input, &mut head)? {
            return Ok(None);
        }
        let mut head = head.as_slice();
        let length = u32::from_le_bytes(take(&mut head)?) as usize;
        let crc = u32::from_le_bytes(take(&mut head)?);
        let longest = if self.format == Format::Packed { BLOCK * LONGEST } else { LONGEST };
        ensure!(length <= longest, "damaged after byte {}: no record is {length} bytes long", self.whole);
        let mut bytes = vec![0; length];
        if !fill(&mut self.input, &mut bytes)? {
            return Ok(None);
        }
        ensure!(crc32fast::hash(&bytes) == crc, "damaged after byte {}: the checksum differs", self.whole);
        let damaged = || format!("damaged after byte {}", self.whole);
        let mut block = if self.format == Format::Packed {
            columns::unpack(&bytes).with_context(damaged)?.into_iter()
        } else {
            vec![PackedGame::decode(&bytes, self.format).with_context(damaged)?].into_iter()
        };
        ensure!(block.len() > 0, "damaged after byte {}: an empty block", self.whole);
        self.whole += (8 + length) as u64;
        let first = block.next();
        self.block = block;
        Ok(first)
    }
}

/// The records; the last item is an error if the file is damaged.
impl<R: Read> Iterator for Reader<R> {
    type Item = Result<PackedGame>;

    fn next(&mut self) -> Option<Result<PackedGame>> {
        if self.is_damaged {
            return None;
        }
        let record = self.read();
        self.is_damaged = record.is_err();
        record.transpose()
    }
}

/// The records of these files in order. Each error names its file.
pub fn records(paths: &[PathBuf]) -> impl Iterator<Item = Result<PackedGame>> + '_ {
    paths.iter().flat_map(|path| {
        let (reader, error) = match Reader::open(path) {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        let named = |record: Result<PackedGame>| record.with_context(|| path.display().to_string());
        error.into_iter().chain(reader.into_iter().flatten().map(named))
    })
}

/// Fills the buffer; false if the input ends before that.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Result<bool> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Writes records to a file.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    output: BufWriter<File>,
    format: Format,
    /// Records of [`Format::Packed`] that are not yet written.
    block: Vec<PackedGame>,
    /// Keeps other runs away.
    _lock: FileLock,
}

impl Writer {
    /// Opens a file for appending, or creates it. What an interruption has left after the last whole game is removed: the
    /// positions of a game are written before the game. Returns the records in the file. Each of them passes `check` before
    /// the file is changed.
    ///
    /// # Errors
    /// When the file cannot be read or written, another run writes it, or it is damaged before its end, has another format,
    /// positions without their games or a record that does not pass.
    pub fn append(
        path: &Path,
        format: Format,
        check: impl Fn(&PackedGame) -> Result<()>,
    ) -> Result<(Writer, Vec<PackedGame>)> {
        let name = || path.display().to_string();
        let lock = output_file::lock(path)?;
        let mut records = Vec::new();
        let (mut kept, mut whole) = (0, 0);
        if std::fs::metadata(path).is_ok_and(|file| file.len() >= MAGIC as u64) {
            let mut reader = Reader::open(path)?;
            match reader.format {
                Format::Packed => bail!("{} is packed: no game can be added to it", name()),
                there if there == format => {}
                Format::Games => bail!("{} has games without labelled positions", name()),
                Format::Positions => bail!("{} has labelled positions too", name()),
            }
            whole = reader.whole;
            while let Some(record) = reader.next() {
                records.push(record.and_then(|record| check(&record).map(|()| record)).with_context(name)?);
                if records.last().is_some_and(PackedGame::is_game) {
                    (kept, whole) = (records.len(), reader.whole);
                }
            }
            // An interruption leaves positions of one game only.
            let is_unfinished = records[kept..].windows(2).all(|two| two[0].number == two[1].number);
            ensure!(is_unfinished, "{} has positions without their games", name());
            records.truncate(kept);
        }
        let mut file = File::options().create(true).truncate(false).write(true).open(path).with_context(name)?;
        file.set_len(whole).with_context(name)?;
        file.seek(SeekFrom::End(0)).with_context(name)?;
        if whole == 0 {
            file.write_all(&format.magic()).with_context(name)?;
        }
        Ok((
            Writer { path: path.to_owned(), output: BufWriter::new(file), format, block: Vec::new(), _lock: lock },
            records,
        ))
    }

    /// Creates a file, or writes into one that is empty.
    ///
    /// # Errors
    /// When it is there and not empty, cannot be written, or another run writes it.
    pub fn create(path: &Path, format: Format) -> Result<Writer> {
        let lock = output_file::lock(path)?;
        output_file::ensure_new(path)?;
        let name = || path.display().to_string();
        let mut output = BufWriter::new(File::create(path).with_context(name)?);
        output.write_all(&format.magic()).with_context(name)?;
        Ok(Writer { path: path.to_owned(), output, format, block: Vec::new(), _lock: lock })
    }

    /// Appends a record and flushes it to the operating system; with [`Format::Packed`] when a block is full.
    ///
    /// # Errors
    /// When it cannot be written, or is a position and the file is for games.
    pub fn write(&mut self, record: &PackedGame) -> Result<()> {
        ensure!(self.format != Format::Games || record.is_game(), "a labelled position in a file for games");
        if self.format != Format::Packed {
            return self.write_bytes(&record.encode(self.format));
        }
        self.block.push(record.clone());
        if self.block.len() < BLOCK { Ok(()) } else { self.write_block() }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        if self.block.is_empty() { Ok(()) } else { self.write_block() }
    }

    fn write_block(&mut self) -> Result<()> {
        let bytes = columns::pack(&std::mem::take(&mut self.block))?;
        self.write_bytes(&bytes)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let head = [(bytes.len() as u32).to_le_bytes(), crc32fast::hash(bytes).to_le_bytes()].concat();
        let written = self.output.write_all(&head).and_then(|()| self.output.write_all(bytes));
        written.and_then(|()| self.output.flush()).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests;
