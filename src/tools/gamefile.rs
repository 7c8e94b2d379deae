//! Games as people keep them, read: Piskvork's `.psq`, SGF, positions `rule;size;x,y ...`, plain moves `h8i9...` and
//! pictures; and `.psq` written. Floor 6.
//!
//! Readers are lenient about what does not matter (blank lines, line ends, move numbers, unknown properties) and
//! refuse what does in one line: a stone off the board or on another. [`sgf`] has a file of its own.

pub mod sgf;

use super::positions;
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::board::notation::{self, letter};
use crate::board::oracle::Oracle;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::fmt::Write as _;

/// A record of a game: what was set up, what was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The rule, where the text says it.
    pub rule: Option<Rule>,
    /// The board.
    pub size: Size,
    /// What comes before the last section: nothing in most records.
    pub earlier: Vec<Section>,
    /// The position that the record ends with, and the moves that led there.
    pub last: Section,
    /// Who played black and white, where the text says it.
    pub players: [Option<String>; 2],
}

/// A position and moves from it, the colours in turns. Whatever else a record may hold begins a new section: stones
/// that are set up or removed, a pass, a second move of one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The stones and dead squares before the first move. They are a position: nothing says how it came about, and
    /// nobody is judged for it.
    pub setup: Vec<(Point, Cell)>,
    /// Who plays the first of the moves, or is to move where there are none.
    pub first: Color,
    /// The moves.
    pub moves: Vec<Point>,
}

impl Section {
    /// An empty board.
    pub fn new() -> Section {
        Section { setup: Vec::new(), first: Color::Black, moves: Vec::new() }
    }

    /// Who plays the move with this index, or is to move after so many moves.
    pub fn color(&self, index: usize) -> Color {
        if index.is_multiple_of(2) { self.first } else { self.first.opponent() }
    }

    /// Whose turn it is after the last move.
    pub fn to_move(&self) -> Color {
        self.color(self.moves.len())
    }

    /// What is on the board after the last move, the moves in playing order.
    pub fn cells(&self) -> Vec<(Point, Cell)> {
        let moves = self.moves.iter().enumerate().map(|(index, &point)| (point, self.color(index).into()));
        self.setup.iter().copied().chain(moves).collect()
    }

    /// A set-up stone in a row that wins: the game was over before its first move.
    pub fn winning_setup(&self, rule: Rule, size: Size) -> Option<Point> {
        let setup = Section { moves: Vec::new(), ..self.clone() };
        let oracle = setup.oracle(rule, size);
        let wins = |&&(point, cell): &&(Point, Cell)| cell.color().is_some_and(|color| oracle.wins(point, color));
        self.setup.iter().find(wins).map(|&(point, _)| point)
    }

    /// The same for the judge.
    pub fn oracle(&self, rule: Rule, size: Size) -> Oracle {
        let mut oracle = Oracle::new(rule, size);
        self.cells().into_iter().for_each(|(point, cell)| oracle.set(point, cell));
        oracle
    }
}

impl Default for Section {
    fn default() -> Section {
        Section::new()
    }
}

impl GameFile {
    /// A record of moves from the empty board, black first.
    ///
    /// # Errors
    /// When a point is played twice.
    pub fn of_moves(size: Size, moves: &[Point]) -> Result<GameFile> {
        let mut record = Recorder::new();
        for (index, &point) in moves.iter().enumerate() {
            record.play(Color::ALL[index % 2], point)?;
        }
        Ok(record.finish(size))
    }

    /// All sections in order.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        self.earlier.iter().chain([&self.last])
    }

    /// The moves of a record that is nothing but moves from the empty board, black first; `None` for others.
    pub fn moves(&self) -> Option<&[Point]> {
        let is_plain = self.earlier.is_empty() && self.last.setup.is_empty() && self.last.first == Color::Black;
        is_plain.then_some(&self.last.moves)
    }
}

/// Puts a record together.
struct Recorder {
    earlier: Vec<Section>,
    last: Section,
    /// What is on the board, with the number of the move that put it there.
    board: Vec<(Point, Cell, Option<usize>)>,
    /// Number of the last move.
    number: usize,
}

impl Recorder {
    fn new() -> Recorder {
        Recorder { earlier: Vec::new(), last: Section::new(), board: Vec::new(), number: 0 }
    }

    /// A move.
    fn play(&mut self, color: Color, point: Point) -> Result<()> {
        self.number += 1;
        if let Some((.., earlier)) = self.board.iter().find(|(taken, ..)| *taken == point) {
            let earlier = earlier.map_or_else(|| "what was set up".to_owned(), |number| format!("move {number}"));
            bail!("move {} at {}: {earlier} is there already", self.number, letter(point));
        }
        if color != self.last.to_move() {
            self.begin_section(color);
        }
        self.last.moves.push(point);
        self.board.push((point, color.into(), Some(self.number)));
        Ok(())
    }

    /// Makes the cells these, whatever was there, and gives the turn to black where white has as many stones or more,
    /// otherwise to white: so it is under every rule when all stones were played.
    fn set_up(&mut self, cells: &[(Point, Cell)]) {
        for &(point, cell) in cells {
            self.board.retain(|(taken, ..)| *taken != point);
            if cell != Cell::Empty {
                self.board.push((point, cell, None));
            }
        }
        let count = |color: Color| self.board.iter().filter(|(_, cell, _)| cell.color() == Some(color)).count();
        let is_black = count(Color::Black) <= count(Color::White);
        self.begin_section(if is_black { Color::Black } else { Color::White });
    }

    /// Whatever is on the board is a position from which `first` is to move.
    fn begin_section(&mut self, first: Color) {
        let setup = self.board.iter().map(|&(point, cell, _)| (point, cell)).collect();
        let done = std::mem::replace(&mut self.last, Section { setup, first, moves: Vec::new() });
        if !done.moves.is_empty() {
            self.earlier.push(done);
        }
    }

    fn finish(self, size: Size) -> GameFile {
        GameFile { rule: None, size, earlier: self.earlier, last: self.last, players: [None, None] }
    }
}

/// The board of a game of which nothing else is known.
const USUAL_SIDE: usize = 15;

/// Reads a game in any of the formats. `size`: the board of plain moves, which do not tell it.
///
/// # Errors
/// One line that says what is wrong, when it is no game.
pub fn parse(text: &str, size: Option<Size>) -> Result<GameFile> {
    // Whatever the text holds, the complaint about it is one line.
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    read(text, size).map_err(|error| anyhow!(format!("{error:#}").chars().map(plain).take(300).collect::<String>()))
}

fn read(text: &str, size: Option<Size>) -> Result<GameFile> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with("Piskvorky") {
        parse_psq(text).context("as a Piskvork file")
    } else if text.starts_with('(') {
        sgf::parse(text).context("as SGF")
    } else if let Some(diagram) = notation::parse_diagram(text) {
        let mut record = Recorder::new();
        record.set_up(&diagram.cells);
        Ok(record.finish(diagram.size))
    } else if let Some(start) = text.find("(;") {
        // A letter around it, or a heading.
        sgf::parse(&text[start..]).context("as SGF")
    } else if text.lines().any(|line| !line.starts_with('#') && line.contains(';')) {
        let position = positions::parse(text)?.into_iter().next().context("no position")?;
        Ok(GameFile { rule: Some(position.rule), ..GameFile::of_moves(position.size, &position.moves)? })
    } else {
        parse_moves(text, size)
    }
}

/// The text of a file. What is not UTF-8 is read as Latin 1, the usual encoding of SGF, unless it names one in which
/// the second byte of a character may look like a bracket: then such characters are not read, but do no harm.
pub fn decode(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let latin: String = bytes.iter().copied().map(char::from).collect();
    let named = latin.split_once("CA[").and_then(|(_, rest)| rest.split(']').next()).unwrap_or_default();
    let named = named.to_lowercase();
    let is_one_of = |names: &[&str]| names.iter().any(|name| named.contains(name));
    let leads: &[std::ops::RangeInclusive<u8>] = if is_one_of(&["jis", "932", "31j"]) {
        &[0x81..=0x9f, 0xe0..=0xfc]
    } else if is_one_of(&["gb", "936", "big5", "big-5", "950", "949"]) {
        &[0x81..=0xfe]
    } else {
        return latin;
    };
    let mut text = String::new();
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        if leads.iter().any(|range| range.contains(byte)) {
            bytes.next();
            text.push(char::REPLACEMENT_CHARACTER);
        } else {
            text.push(if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER });
        }
    }
    text
}

/// Reads a Piskvork file: a header, one `x,y,ms` line a stone counted from 1, the two names, a status.
///
/// # Errors
/// When it is none.
pub fn parse_psq(text: &str) -> Result<GameFile> {
    let mut lines = text.lines().map(str::trim);
    let header = lines.next().and_then(|line| line.strip_prefix("Piskvorky")).context("no Piskvorky header")?;
    let size = header.trim().split([',', ' ']).next().unwrap_or_default();
    let size = size.split_once('x').and_then(|(width, height)| Size::new(width.parse().ok()?, height.parse().ok()?));
    let size = size.context("a board of 5 to 22 points a side expected in the first line")?;
    let mut stones = Vec::new();
    let mut players = [None, None];
    while let Some(line) = lines.next() {
        let fields: Vec<Option<i64>> = line.split(',').map(|field| field.trim().parse().ok()).collect();
        let [Some(x), Some(y), Some(_)] = fields[..] else {
            let name = |line: &str| Some(line.to_owned()).filter(|name| !name.is_empty());
            players = [name(line), lines.next().and_then(name)];
            break;
        };
        let point = x.checked_sub(1).zip(y.checked_sub(1)).and_then(|(x, y)| size.point(x, y));
        stones.push(point.with_context(|| format!("{line}: off the board"))?);
    }
    Ok(GameFile { players, ..GameFile::of_moves(size, &stones)? })
}

/// Writes a Piskvork file: the stones with their milliseconds, black's name and white's.
pub fn psq(size: Size, stones: impl Iterator<Item = (Point, u32)>, names: &[String; 2]) -> String {
    let mut text = format!("Piskvorky {}x{}, 0:0, 0\n", size.width(), size.height());
    for (stone, ms) in stones {
        let _ = writeln!(text, "{},{},{ms}", stone.x() + 1, stone.y() + 1);
    }
    let _ = writeln!(text, "{}\n{}\n0", names[0], names[1]);
    text
}

/// A rule by its number or its name.
///
/// # Errors
/// When it is neither.
pub fn rule_of(text: &str) -> Result<Rule> {
    let known = Rule::ALL.into_iter().find(|rule| text == rule.name() || text == rule.number().to_string());
    known.with_context(|| format!("unknown rule '{text}': 0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact"))
}

/// A point as records have it: two letters, or a letter and a number.
fn point_of(value: &str, size: Size) -> Option<Point> {
    let coordinate = |letter: u8| i64::from(letter.to_ascii_lowercase()) - i64::from(b'a');
    match value.trim().as_bytes() {
        [x, y] if x.is_ascii_alphabetic() && y.is_ascii_alphabetic() => size.point(coordinate(*x), coordinate(*y)),
        [x, digits @ ..] if x.is_ascii_alphabetic() => {
            let row: i64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
            size.point(coordinate(*x), row.checked_sub(1)?)
        }
        _ => None,
    }
}

/// The rule that a record names, by number or in words.
fn rule_named(value: &str) -> Option<Rule> {
    if let Ok(number) = value.trim().parse() {
        return Rule::from_bits(number);
    }
    let value = value.to_lowercase();
    Rule::ALL.into_iter().rev().find(|rule| value.contains(rule.name()))
}

/// Reads moves such as `h8i9 j10` or `1. h8 2. i9`.
fn parse_moves(text: &str, size: Option<Size>) -> Result<GameFile> {
    let mut stones = Vec::new();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    for word in lines.flat_map(|line| line.split([' ', '\t', ',', '-'])) {
        // Without a move number.
        let moves = word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.');
        let moves = if moves.len() < word.len() && !word.contains('.') { word } else { moves };
        let mut rest = moves;
        while let Some(column) = rest.chars().next() {
            let digits = rest[column.len_utf8()..].chars().take_while(char::is_ascii_digit).count();
            let (one, tail) = rest.split_at(column.len_utf8() + digits);
            let point = point_of(one, Size::square(Size::MAX_SIDE).context("the largest board")?);
            stones.push(point.filter(|_| digits > 0).with_context(|| format!("'{one}' is no move such as h8"))?);
            rest = tail;
        }
    }
    ensure!(!stones.is_empty(), "no moves");
    let widest = stones.iter().map(|stone| stone.x().max(stone.y()) + 1).max().unwrap_or_default();
    let side = [USUAL_SIDE, 20, Size::MAX_SIDE].into_iter().find(|&side| side >= widest);
    let size = size.or_else(|| Size::square(side?)).context("no board size")?;
    if let Some(outside) = stones.iter().find(|stone| !size.contains(**stone)) {
        bail!("{} is off the board of {}x{}", letter(*outside), size.width(), size.height());
    }
    GameFile::of_moves(size, &stones)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    fn moves(game: &GameFile) -> String {
        game.moves().expect("moves from the empty board").iter().map(|&stone| letter(stone)).collect()
    }

    /// The sections, each as its stones, who is first, and its moves.
    fn sections(text: &str) -> String {
        let game = parse(text, None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
        let sign = |cell: Cell| match cell {
            Cell::Black => 'X',
            Cell::White => 'O',
            Cell::Wall => '#',
            Cell::Empty => '.',
        };
        let sections = game.sections().map(|section| {
            let mut setup: Vec<String> =
                section.setup.iter().map(|&(point, cell)| format!("{}{}", sign(cell), letter(point))).collect();
            setup.sort();
            let moves = section.moves.iter().map(|&point| letter(point)).collect::<Vec<_>>().join(" ");
            format!("{}|{}|{moves}", setup.join(" "), sign(section.first.into()))
        });
        sections.collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn what_is_set_up_is_a_position_and_what_is_played_are_moves() {
        for (text, expected) in [
            // The whole of it is a position; white is to move, having fewer stones.
            ("(;SZ[15]RU[renju]AB[hf][hg][fh][gh][hh]AW[aa][oa][ao][oo])", "Oa1 Oa15 Oo1 Oo15 Xf8 Xg8 Xh6 Xh7 Xh8|O|"),
            ("(;SZ[15]AB[hh][ao]\nAW[ii];B[aa])", "Oi9 Xa15 Xh8|X|a1"),
            ("(;SZ[15]AB[hh]AW[ii])", "Oi9 Xh8|X|"),
            ("(;SZ[15]AB[hh]AW[ii]PL[W])", "Oi9 Xh8|O|"),
            ("(;SZ[15]PL[white]AW[ii])", "Oi9|O|"),
            ("(;SZ[15]AB[hh];PL[B];B[jj])", "Xh8|X|j10"),
            // A move says itself whose it is.
            ("(;SZ[15]AB[hh]PL[W];B[jj];W[kk])", "Xh8|X|j10 k11"),
            // What is set up comes before what is played in the same node, wherever it stands.
            ("(;SZ[15];B[jj]AB[hh]AW[ii])", "Oi9 Xh8|X|j10"),
            // Set up between moves.
            ("(;SZ[15];B[hh];W[ii];AE[hh]AB[jj]AW[aa];B[bb])", "|X|h8 i9 / Oa1 Oi9 Xj10|X|b2"),
            ("(;SZ[15];B[hh];AB[jj][kk];AE[jj:kk])", "|X|h8 / Xh8|O|"),
            ("(;SZ[15]AB[hh];AW[hh])", "Oh8|X|"),
            // Rectangles, oblong boards, empty lists, what nobody knows.
            ("(;GM[4]SZ[15:12]XY[1][2]AB[aa:bc]AW[]KO[])", "Xa1 Xa2 Xa3 Xb1 Xb2 Xb3|O|"),
            ("(;SZ[15]AB[c2:b1]AW[o12])", "Oo12 Xb1 Xb2 Xc1 Xc2|O|"),
            // A colour that plays twice, in one property or in two; a pass.
            ("(;SZ[15];B[hh];B[ii];W[jj])", "|X|h8 / Xh8|X|i9 j10"),
            ("(;SZ[15];B[hh][ii])", "|X|h8 / Xh8|X|i9"),
            ("(;SZ[15];W[hh];B[ii])", "|O|h8 i9"),
            ("(;SZ[15];B[hh];W[];B[ii];W[])", "|X|h8 / Xh8|X|i9 / Xh8 Xi9|X|"),
            // Odd layouts: blanks anywhere, long names of the old versions, a letter around it, escapes, no last bracket.
            (" ( ;\r\nSZ [ 15 ] AB [hh]\t[ ii ]\n;W\n[jj]\n)", "Xh8 Xi9|O|j10"),
            ("(;GaMe[4]SiZe[15]AddBlack[hh]White[ii])", "Xh8|O|i9"),
            ("Dear friend,\nhere it is: (;SZ[15];B[hh])", "|X|h8"),
            ("(;SZ[15]PB[\\]\\\\]C[a\\\r\nb ;W[aa\\]];B[hh]", "|X|h8"),
            // A picture, with a dead square.
            ("......\n.X#O..\n.X....\n......\n......", "#c2 Od2 Xb2 Xb3|O|"),
        ] {
            assert_eq!(sections(text), expected, "{text}");
        }
    }

    #[test]
    fn files_in_other_encodings_lose_no_move() {
        let mut shift_jis = b"(;CA[Shift_JIS]SZ[15]PB[".to_vec();
        // The second byte of these characters is a backslash, and a bracket.
        shift_jis.extend(b"\x95\x5c]C[\x83\x5d\xb1];B[hh];W[ii])");
        let game = parse(&decode(&shift_jis), None).unwrap();
        assert_eq!((moves(&game).as_str(), game.players[0].as_deref()), ("h8i9", Some("\u{fffd}")));
        let gbk = b"(;CA[GBK]SZ[15];B[hh]C[\x81\x5c];W[ii])";
        assert_eq!(moves(&parse(&decode(gbk), None).unwrap()), "h8i9");
        let latin = b"(;SZ[15]PB[Ren\xe9];B[hh])";
        assert_eq!(parse(&decode(latin), None).unwrap().players[0].as_deref(), Some("Ren\u{e9}"));
        assert_eq!(decode("Piskvorky é".as_bytes()), "Piskvorky é");
    }

    #[test]
    fn sgf_that_is_written_reads_back() {
        let names = ["A]".to_owned(), String::new()];
        for text in ["(;SZ[15]AB[hh]AW[ii][jj];B[kk];W[aa])", "(;SZ[22:5]AW[ve];W[aa])", "(;SZ[15];B[hh])"] {
            let game = parse(text, None).unwrap();
            let written = sgf::write(Rule::CaroExact, game.size, &game.last, &names).unwrap();
            let again = parse(&written, None).unwrap();
            assert_eq!((again.size, &again.last, again.earlier.len()), (game.size, &game.last, 0), "{written}");
            assert_eq!((again.rule, again.players), (Some(Rule::CaroExact), [Some("A]".to_owned()), None]));
            assert!(!written.contains('\n'));
        }
        let dead = parse("......\n.X#...\n......\n......\n......", None).unwrap();
        assert!(sgf::write(Rule::Freestyle, dead.size, &dead.last, &names).is_err());
    }

    /// A tree of variations or a line as deep as can be is no deeper for the reader.
    #[test]
    fn long_and_deep_files_are_read() {
        let deep = format!("{};B[hh]{}", "(;C[x]".repeat(200_000), ")".repeat(200_000));
        assert_eq!(moves(&parse(&deep, None).unwrap()), "h8");
        let long = format!("(;B[hh]{})", ";C[x]".repeat(1_000_000));
        assert_eq!(moves(&parse(&long, None).unwrap()), "h8");
    }

    #[test]
    fn all_formats_read_the_same_game() {
        for text in [
            "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,9,1234\r\n1,15,7\r\nme.exe\r\nyou.exe\r\n0\r\n",
            "\u{feff}Piskvorky 15x15, 0\n8,8,0\n9, 9, 1\n1,15,7\n",
            "(;FF[4]GM[4]SZ[15]PB[me]PW[you]RU[renju];B[hh]C[a \\] bracket];W[ii](;B[ao])(;B[aa];W[bb]))",
            "(;SZ[15];B[H8];W[i9];B[a15])(;SZ[15];B[aa])",
            "4;15;7,7 8,8 0,14\n",
            "# mine\nh8i9a15",
            "1. h8 2. I9 3. A15\n",
            "1.h8 i9\n2.a15",
            "h8, i9, a15",
        ] {
            let game = parse(text, None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
            assert_eq!((moves(&game).as_str(), game.size), ("h8i9a15", Size::square(15).unwrap()), "{text}");
        }
        let sgf = parse("(;RU[Renju]SZ[15]PB[me]PW[you];B[hh])", None).unwrap();
        assert_eq!((sgf.rule, sgf.players), (Some(Rule::Renju), [Some("me".into()), Some("you".into())]));
        assert_eq!(rule_named("9"), Some(Rule::CaroExact));
        assert_eq!(rule_named("caro-exact"), Some(Rule::CaroExact));
        assert_eq!(rule_named("japanese"), None);
        let psq = parse("Piskvorky 20x15, 0\n20,15,0\nme\nyou\n0", None).unwrap();
        assert_eq!((psq.size, psq.players), (Size::new(20, 15).unwrap(), [Some("me".into()), Some("you".into())]));
        assert_eq!(parse("h8t20", None).unwrap().size, Size::square(20).unwrap());
        assert_eq!(parse("h8", Size::square(9)).unwrap().size, Size::square(9).unwrap());
    }

    #[test]
    fn what_is_no_game_is_refused_in_one_line() {
        for (text, reason) in [
            ("", "no moves"),
            ("hello world", "is no move"),
            ("h8h8", "move 1 is there already"),
            ("h8i99", "is no move"),
            ("h8é3", "is no move"),
            ("Piskvorky", "board of 5 to 22"),
            ("Piskvorky 99x99, 0", "board of 5 to 22"),
            ("Piskvorky 15x15, 0\n16,1,0", "off the board"),
            ("Piskvorky 15x15, 0\n-9223372036854775808,1,0", "off the board"),
            ("(;SZ[40])", "no board of size 40"),
            ("(;SZ[x])", "is no board size"),
            ("(;SZ[15];B[zz])", "is no point"),
            ("(;SZ[15];B[tt])", "move 1: 'tt' is no point"),
            ("(;SZ[15];B[hh];W[hh])", "move 2 at h8: move 1 is there already"),
            ("(;SZ[15]AB[hh];W[hh])", "move 1 at h8: what was set up is there already"),
            ("(;SZ[15]AB[hh]AW[hg:hi])", "AW: 'hg:hi' is set up twice"),
            ("(;SZ[9]AB[aa:jj])", "AB: 'aa:jj' is no point"),
            ("(;SZ[15]PL[x])", "is no colour"),
            ("(;SZ[15];B[hh];W[ii", "the end of a value is missing"),
            ("(;SZ[15][9])", "two board sizes"),
            ("(;SZ[15];B[a-9223372036854775808])", "is no point"),
            ("4;15;7,7 7,7", "line 1"),
            ("4;99;7,7", "line 1"),
            ("#\n;", "line 2"),
        ] {
            let error = format!("{:#}", parse(text, None).unwrap_err());
            assert!(error.contains(reason) && !error.contains('\n'), "{text:?}: {error}");
        }
        assert!(parse("h8o15", Size::square(9)).is_err());
    }

    #[test]
    fn garbage_is_never_a_panic() {
        let seeds = [
            "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,1234\n1,15,7\nme\nyou\n0\n",
            "(;FF[4]GM[4]SZ[15]PB[me];B[hh]C[a \\] b];W[ii](;B[ao])(;B[aa]))",
            "4;15;7,7 8,8 0,14\n",
            "1. h8 2. I9 3. A15\n",
        ];
        let bits = [
            "[",
            "]",
            "\\",
            ";",
            ",",
            "é",
            "-",
            "99999999999999999999",
            "\n",
            "x",
            "#",
            "(",
            "h8",
            "\u{0}",
            "AB",
            "PL",
        ];
        let mut random = SmallRng::seed_from_u64(3);
        for _ in 0..20_000 {
            let mut text: Vec<char> = seeds.choose(&mut random).unwrap().chars().collect();
            for _ in 0..random.random_range(1..5) {
                let at = random.random_range(0..text.len());
                let bit = bits.choose(&mut random).unwrap().chars();
                let end = (at + random.random_range(0..3)).min(text.len());
                text.splice(at..end, bit);
            }
            let text: String = text.into_iter().collect();
            if let Err(error) = parse(&text, None) {
                assert!(!format!("{error:#}").contains('\n'), "{text:?}");
            }
        }
    }
}
