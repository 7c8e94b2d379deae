//! Training games and labelled positions in a compact format with checksums. After an interruption a file is complete up to
//! its last finished game.
//!
//! A file is the 8 bytes `TGREC1\r\n` or `TGREC2\r\n` followed by a block for each record: the length of the record's bytes
//! (`u32`), their CRC-32 (`u32`), the bytes. All numbers are little-endian. Files of format 1 have games only, and builds that
//! know only this format refuse all others. A record is
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
}

impl Format {
    const ALL: [Format; 2] = [Format::Games, Format::Positions];

    /// The bytes that a file begins with.
    const fn magic(self) -> [u8; 8] {
        match self {
            Format::Games => *b"TGREC1\r\n",
            Format::Positions => *b"TGREC2\r\n",
        }
    }
}

/// Length of [`Format::magic`].
const MAGIC: usize = 8;
/// Largest size of a record in bytes, more than any board allows.
const LONGEST: usize = 8192;
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
        if format == Format::Positions {
            let (code, root) = match self.content {
                Content::Game => (0, 0),
                Content::Asked { root } => (1, root),
                Content::Quiet => (2, 0),
            };
            bytes.push(code);
            bytes.extend(u16::to_le_bytes(root));
        }
        bytes.extend(self.number.to_le_bytes());
        let result = self.winner.map_or(1, |winner| 2 * winner.index() as u8);
        bytes.extend([self.rule.number(), self.size.width() as u8, self.size.height() as u8, result]);
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
        let content = match format {
            Format::Games => Content::Game,
            Format::Positions => {
                let [code] = take(&mut rest)?;
                let root = u16::from_le_bytes(take(&mut rest)?);
                match code {
                    0 => Content::Game,
                    1 => Content::Asked { root },
                    2 => Content::Quiet,
                    _ => bail!("unknown kind of record"),
                }
            }
        };
        let number = u64::from_le_bytes(take(&mut rest)?);
        let [rule, width, height, result]: [u8; 4] = take(&mut rest)?;
        let rule = Rule::from_bits(rule.into()).context("unknown rule")?;
        let size = Size::new(width.into(), height.into()).context("unknown board size")?;
        let winner = match result {
            0 => Some(Color::Black),
            1 => None,
            2 => Some(Color::White),
            _ => bail!("unknown result"),
        };
        let (stones, plies) = (u16::from_le_bytes(take(&mut rest)?), u16::from_le_bytes(take(&mut rest)?));
        let mut taken = [false; Size::MAX_CELLS];
        let mut point = |cell: u16, place: bool| -> Result<Point> {
            let cell = usize::from(cell & !RANDOM);
            ensure!(cell < size.cells() && !taken[cell], "a move off the board or on another stone");
            taken[cell] |= place;
            Point::new(cell % size.width(), cell / size.width()).context("a move off the board")
        };
        let mut opening = Opening::default();
        for _ in 0..stones {
            opening.stones.push(point(u16::from_le_bytes(take(&mut rest)?), true)?);
        }
        let mut moves = Vec::with_capacity(plies.into());
        for _ in 0..plies {
            let played = u16::from_le_bytes(take(&mut rest)?);
            let best = point(u16::from_le_bytes(take(&mut rest)?), false)?;
            let score = i16::from_le_bytes(take(&mut rest)?);
            moves.push(PackedPly { played: point(played, true)?, best, score });
        }
        ensure!(rest.is_empty(), "bytes after the last move");
        ensure!(content == Content::Game || plies == 1, "a position without its label, or with several");
        if let Content::Asked { root } = content {
            ensure!(root <= stones, "a position before the root of its search");
        }
        Ok(PackedGame { content, number, rule, size, opening, plies: moves, winner })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (first, others) = rest.split_first_chunk::<N>().context("the game ends too early")?;
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
        Ok(Reader { input, format, whole: MAGIC as u64, is_damaged: false })
    }

    /// What the file may contain.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The next record; `None` at the end of the file, also if it ends in the middle of a record.
    fn read(&mut self) -> Result<Option<PackedGame>> {
        let mut head = [0; 8];
        if !fill(&mut self.input, &mut head)? {
            return Ok(None);
        }
        let mut head = head.as_slice();
        let length = u32::from_le_bytes(take(&mut head)?) as usize;
        let crc = u32::from_le_bytes(take(&mut head)?);
        ensure!(length <= LONGEST, "damaged after byte {}: no record is {length} bytes long", self.whole);
        let mut bytes = vec![0; length];
        if !fill(&mut self.input, &mut bytes)? {
            return Ok(None);
        }
        ensure!(crc32fast::hash(&bytes) == crc, "damaged after byte {}: the checksum differs", self.whole);
        let game =
            PackedGame::decode(&bytes, self.format).with_context(|| format!("damaged after byte {}", self.whole))?;
        self.whole += (8 + length) as u64;
        Ok(Some(game))
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

/// Appends records to a file.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    output: BufWriter<File>,
    format: Format,
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
        Ok((Writer { path: path.to_owned(), output: BufWriter::new(file), format, _lock: lock }, records))
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
        Ok(Writer { path: path.to_owned(), output, format, _lock: lock })
    }

    /// Appends a record and flushes it to the operating system.
    ///
    /// # Errors
    /// When it cannot be written, or is a position and the file is for games.
    pub fn write(&mut self, record: &PackedGame) -> Result<()> {
        ensure!(self.format == Format::Positions || record.is_game(), "a labelled position in a file for games");
        let bytes = record.encode(self.format);
        let head = [(bytes.len() as u32).to_le_bytes(), crc32fast::hash(&bytes).to_le_bytes()].concat();
        let written = self.output.write_all(&[head, bytes].concat()).and_then(|()| self.output.flush());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::notation::parse_moves;

    fn game(number: u64) -> PackedGame {
        let size = Size::new(20, 9).unwrap();
        let stones = parse_moves("a1t9h5", size).unwrap();
        let plies = parse_moves("h6h7i6", size).unwrap();
        let plies = plies.iter().enumerate().map(|(i, &played)| PackedPly {
            played,
            best: if i == 1 { Point::new(19, 0).unwrap() } else { played },
            score: [-29_990, 12, i16::MIN][i],
        });
        let opening = Opening { stones };
        let (content, rule, winner) = (Content::Game, Rule::Caro, Some(Color::White));
        PackedGame { content, number, rule, size, opening, plies: plies.collect(), winner }
    }

    /// Two labelled positions of the game with this number, then the game.
    fn with_positions(number: u64) -> Vec<PackedGame> {
        let game = game(number);
        let position = |content, moves: usize, score| {
            let best = Point::new(9, 4).unwrap();
            let opening = Opening { stones: game.moves().take(moves).collect() };
            PackedGame { content, opening, plies: vec![PackedPly { played: best, best, score }], ..game.clone() }
        };
        vec![position(Content::Asked { root: 3 }, 5, -77), position(Content::Quiet, 4, 29_995), game.clone()]
    }

    #[test]
    fn games_read_back_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let (mut writer, before) = Writer::append(&path, Format::Games, |_| Ok(())).unwrap();
        assert!(before.is_empty());
        for number in 0..3 {
            writer.write(&game(number)).unwrap();
        }
        drop(writer);
        let (_, games) = Writer::append(&path, Format::Games, |_| Ok(())).unwrap();
        assert_eq!(games, (0..3).map(game).collect::<Vec<_>>());
        let per_ply = (game(0).encode(Format::Games).len() + 8 - 16) / 3;
        assert!(per_ply <= 10, "{per_ply} bytes a ply");
    }

    #[test]
    fn a_file_cut_off_anywhere_keeps_its_whole_games_and_takes_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let (mut writer, _) = Writer::append(&path, Format::Games, |_| Ok(())).unwrap();
        writer.write(&game(0)).unwrap();
        writer.write(&game(1)).unwrap();
        drop(writer);
        let bytes = std::fs::read(&path).unwrap();
        let second = MAGIC + (bytes.len() - MAGIC) / 2;
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (mut writer, games) = Writer::append(&path, Format::Games, |_| Ok(())).unwrap();
            assert_eq!(games.len(), usize::from(length >= second), "cut at {length}");
            writer.write(&game(7)).unwrap();
            drop(writer);
            let (_, games) = Writer::append(&path, Format::Games, |_| Ok(())).unwrap();
            assert_eq!(games.last(), Some(&game(7)));
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let mut writer = Writer::create(&path, Format::Games).unwrap();
        writer.write(&game(0)).unwrap();
        writer.write(&game(1)).unwrap();
        drop(writer);
        let bytes = std::fs::read(&path).unwrap();
        let whole = vec![game(0), game(1)];
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] ^= 0x10;
            std::fs::write(&path, &changed).unwrap();
            let games = Writer::append(&path, Format::Games, |_| Ok(())).map(|(_, games)| games).unwrap_or_default();
            assert!(games != whole && games.iter().all(|game| whole.contains(game)), "byte {index}");
        }
    }

    /// Bug: the fits of the evaluation did not say which file is damaged.
    #[test]
    fn an_error_names_the_damaged_file() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["whole", "damaged", "none"].map(|name| folder.path().join(name));
        for path in &paths[..2] {
            Writer::create(path, Format::Games).unwrap().write(&game(0)).unwrap();
        }
        let mut bytes = std::fs::read(&paths[1]).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&paths[1], bytes).unwrap();
        let read: Vec<Result<PackedGame>> = records(&paths).collect();
        assert_eq!(read[0].as_ref().unwrap(), &game(0));
        for (record, path) in read[1..].iter().zip(&paths[1..]) {
            let error = format!("{:#}", record.as_ref().unwrap_err());
            assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
        }
        assert_eq!(read.len(), 3);
    }

    #[test]
    fn positions_read_back_and_a_cut_file_keeps_whole_games_with_all_their_positions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("asked");
        let (mut writer, _) = Writer::append(&path, Format::Positions, |_| Ok(())).unwrap();
        let all: Vec<PackedGame> = (0..2).flat_map(with_positions).collect();
        for record in &all {
            writer.write(record).unwrap();
        }
        drop(writer);
        let (_, records) = Writer::append(&path, Format::Positions, |_| Ok(())).unwrap();
        assert_eq!(records, all);
        let bytes = std::fs::read(&path).unwrap();
        let half = MAGIC + (bytes.len() - MAGIC) / 2;
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (_, records) = Writer::append(&path, Format::Positions, |_| Ok(())).unwrap();
            assert_eq!(records, all[..if length >= half { 3 } else { 0 }], "cut at {length}");
            let whole = if length >= half { half } else { MAGIC };
            assert_eq!(std::fs::metadata(&path).unwrap().len(), whole as u64);
        }
    }

    /// Bug: appending to a file of positions alone removed all of them.
    #[test]
    fn positions_without_their_games_are_not_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions");
        let mut writer = Writer::create(&path, Format::Positions).unwrap();
        for record in (0..2).flat_map(with_positions).filter(|record| !record.is_game()) {
            writer.write(&record).unwrap();
        }
        drop(writer);
        let before = std::fs::read(&path).unwrap();
        let error = Writer::append(&path, Format::Positions, |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("without their games"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn formats_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut writer = Writer::create(&path("games"), Format::Games).unwrap();
        assert!(writer.write(&with_positions(0)[0]).is_err());
        writer.write(&game(0)).unwrap();
        Writer::create(&path("positions"), Format::Positions).unwrap().write(&with_positions(0)[0]).unwrap();
        assert_eq!(Reader::open(&path("games")).unwrap().format(), Format::Games);
        let mut reader = Reader::open(&path("positions")).unwrap();
        assert_eq!(
            (reader.format(), reader.next().unwrap().unwrap()),
            (Format::Positions, with_positions(0)[0].clone())
        );
        assert!(Writer::append(&path("games"), Format::Positions, |_| Ok(())).is_err());
        assert!(Writer::append(&path("positions"), Format::Games, |_| Ok(())).is_err());
        let error = Reader::new(&b"TGREC3\r\n"[..]).unwrap_err().to_string();
        assert!(error.contains("does not know"), "{error}");
    }

    #[test]
    fn a_position_with_two_labels_is_refused() {
        let mut position = with_positions(0).remove(0);
        let refused = |position: &PackedGame| {
            let bytes = position.encode(Format::Positions);
            PackedGame::decode(&bytes, Format::Positions).is_err()
        };
        assert!(!refused(&position));
        position.content = Content::Asked { root: 6 };
        assert!(refused(&position), "a root after the position");
        position.content = Content::Quiet;
        let point = Point::new(2, 2).unwrap();
        position.plies.push(PackedPly { played: point, best: point, score: 0 });
        assert!(refused(&position));
        position.plies.clear();
        assert!(refused(&position));
    }
}
