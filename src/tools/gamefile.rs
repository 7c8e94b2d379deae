//! Records of games, read and written: Piskvork's `.psq`, SGF, positions `rule;size;x,y ...`, moves such as `h8i9...` and
//! pictures.
//!
//! The readers ignore what does not matter (blank lines, line ends, move numbers, unknown properties). A stone off the board
//! or on another one is refused with one line of text.

mod sections;
pub mod sgf;

pub use sections::{Forfeit, GameFile, Outcome, Section};

use super::{point_names, positions};
use crate::base::{Point, Size};
use crate::board::notation;
use anyhow::{Context, Result, anyhow, bail, ensure};
use sections::{Recorder, USUAL_SIDE};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

/// The text of the file `source`; `source` itself if there is no such file and it does not look like a path; standard
/// input without a `source`.
///
/// # Errors
/// When the file or standard input cannot be read, or there is no such file.
pub fn read_source(source: Option<impl AsRef<OsStr>>) -> Result<String> {
    let mut bytes = Vec::new();
    let Some(source) = source else {
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(decode(&bytes));
    };
    let path = Path::new(&source);
    let text = path.to_str().filter(|text| !text.contains(['/', '\\']) && path.extension().is_none());
    if path.is_file() {
        bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    } else {
        let text = text.with_context(|| format!("cannot read {}: there is no such file", path.display()))?;
        bytes.extend(text.as_bytes());
    }
    Ok(decode(&bytes))
}

/// Reads a game in any of the formats. `size` is the board of plain moves, which do not name one.
///
/// # Errors
/// One line that says what is wrong, if the text is not a game.
pub fn parse(text: &str, size: Option<Size>) -> Result<GameFile> {
    // The message quotes the text, and stays one short line whatever the text holds.
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    read(text, size).map_err(|error| anyhow!(format!("{error:#}").chars().map(plain).take(300).collect::<String>()))
}

fn read(text: &str, size: Option<Size>) -> Result<GameFile> {
    let text = text.trim_start();
    if text.starts_with("Piskvorky") {
        parse_psq(text).context("as a Piskvork file")
    } else if let Some(game) = sgf::games(text).first().filter(|_| text.starts_with('(')) {
        sgf::parse(game)
    } else if let Some(diagram) = notation::parse_diagram(text) {
        let mut record = Recorder::new(diagram.size);
        record.set_up(&diagram.cells);
        Ok(record.finish())
    } else if let Some(game) = sgf::games(text).first() {
        // SGF with other text before it, as in a letter.
        sgf::parse(game)
    } else if text.lines().any(|line| !line.starts_with('#') && line.contains(';')) {
        let position = positions::parse(text)?.into_iter().next().context("no position")?;
        Ok(GameFile { rule: Some(position.rule), ..GameFile::of_moves(position.size, &position.moves)? })
    } else {
        parse_moves(text, size)
    }
}

/// The text of a file, without a byte order mark. What is not UTF-8 is read as Latin 1, the usual encoding of SGF, unless the
/// text names an encoding in which the second byte of a character may look like a bracket: such characters become U+FFFD.
pub fn decode(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.trim_start_matches('\u{feff}').to_owned();
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

/// Reads a Piskvork file: a header, a line `x,y,ms` for each stone, the two names, a status. `x` and `y` count from 1 at the
/// upper left corner. Stones that took no time at the beginning were imposed, if later ones took time. The status does not
/// tell who won.
///
/// # Errors
/// When the text is not such a file.
pub fn parse_psq(text: &str) -> Result<GameFile> {
    let mut lines = text.lines().map(str::trim);
    let header = lines.next().and_then(|line| line.strip_prefix("Piskvorky")).context("no Piskvorky header")?;
    let size = header.trim().split([',', ' ']).next().unwrap_or_default();
    let size = size.split_once('x').and_then(|(width, height)| Size::new(width.parse().ok()?, height.parse().ok()?));
    let size = size.context("a board of 5 to 22 points a side expected in the first line")?;
    let (mut stones, mut ms) = (Vec::new(), Vec::new());
    let mut players = [None, None];
    let numbers = |line: &str| {
        let fields: Vec<i64> = line.split(',').map(|field| field.trim().parse()).collect::<Result<_, _>>().ok()?;
        <[i64; 3]>::try_from(fields).ok()
    };
    while let Some(line) = lines.next() {
        let Some([x, y, time]) = numbers(line) else {
            let name = |line: &str| Some(line.to_owned()).filter(|name| !name.is_empty());
            let rest: Vec<&str> = lines.collect();
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let is_like_a_stone = fields.len() == 3 && fields.iter().any(|field| field.parse::<i64>().is_ok());
            let is_damaged = is_like_a_stone || rest.iter().any(|line| numbers(line).is_some());
            ensure!(!is_damaged, "'{line}' is not a stone: x,y,ms expected");
            players = [name(line), rest.first().copied().and_then(name)];
            break;
        };
        let point = x.checked_sub(1).zip(y.checked_sub(1)).and_then(|(x, y)| size.point(x, y));
        stones.push(point.with_context(|| format!("{line}: off the board"))?);
        ms.push(u32::try_from(time.max(0)).unwrap_or(u32::MAX));
    }
    let opening = ms.iter().position(|&ms| ms > 0).unwrap_or(0);
    Ok(GameFile { players, ms, opening, ..GameFile::of_moves(size, &stones)? })
}

/// Writes a Piskvork file: the stones with their times in milliseconds, the names of black and white.
pub fn psq(size: Size, stones: impl Iterator<Item = (Point, u32)>, names: &[String; 2]) -> String {
    let mut text = format!("Piskvorky {size}, 0:0, 0\n");
    for (stone, ms) in stones {
        let _ = writeln!(text, "{},{},{ms}", stone.x() + 1, stone.y() + 1);
    }
    let _ = writeln!(text, "{}\n{}\n0", names[0], names[1]);
    text
}

/// Reads moves such as `h8i9 j10` or `1. h8 2. i9`, rows counted from below. Without `size`, the board is the smallest of 15,
/// 20 and 22 a side that has all of them.
fn parse_moves(text: &str, size: Option<Size>) -> Result<GameFile> {
    let mut names = Vec::new();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    for word in lines.flat_map(|line| line.split([' ', '\t', ',', '-'])) {
        // Without a move number.
        let moves = word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.');
        let moves = if moves.len() < word.len() && !word.contains('.') { word } else { moves };
        let mut rest = moves;
        while let Some((name, tail)) = notation::split_name(rest) {
            names.push((name, column_and_row(name).with_context(|| format!("'{name}' is not a move such as h8"))?));
            rest = tail;
        }
    }
    ensure!(!names.is_empty(), "no moves");
    let largest = names.iter().map(|&(_, (column, row))| column.max(row)).max().unwrap_or_default();
    let side = [USUAL_SIDE, 20, Size::MAX_SIDE].into_iter().find(|&side| side >= largest);
    let size = size.or_else(|| Size::square(side?)).context("no board size")?;
    let mut stones = Vec::new();
    for (name, _) in names {
        match point_names::parse(name, size).as_deref() {
            Some(&[point]) => stones.push(point),
            _ => bail!("{name} is off the board of {size}"),
        }
    }
    GameFile::of_moves(size, &stones)
}

/// Column and row of a name such as `h8`, both from 1; `None` unless it names a point of the largest board.
fn column_and_row(name: &str) -> Option<(usize, usize)> {
    let (column, row) = name.split_at_checked(1)?;
    let column = usize::from(column.as_bytes()[0].to_ascii_lowercase()).checked_sub(usize::from(b'a'))? + 1;
    let row: usize = row.parse().ok()?;
    let is_side = |number: usize| (1..=Size::MAX_SIDE).contains(&number);
    (is_side(column) && is_side(row)).then_some((column, row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Color::{Black, White};
    use crate::base::{Cell, Rule};
    use crate::tools::drawing;
    use rand::rngs::SmallRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    fn moves(game: &GameFile) -> String {
        point_names::names(game.moves().expect("moves from the empty board"), game.size, "")
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
        let name = |point: Point| point_names::name(point, game.size);
        let sections = game.sections().map(|section| {
            let mut setup: Vec<String> =
                section.setup.iter().map(|&(point, cell)| format!("{}{}", sign(cell), name(point))).collect();
            setup.sort();
            let moves = point_names::names(&section.moves, game.size, " ");
            format!("{}|{}|{moves}", setup.join(" "), sign(section.first.into()))
        });
        sections.collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn what_is_set_up_is_a_position_and_what_is_played_are_moves() {
        for (text, expected) in [
            // A position only; white is to move, because white has fewer stones.
            ("(;SZ[15]RU[renju]AB[hf][hg][fh][gh][hh]AW[aa][oa][ao][oo])", "Oa1 Oa15 Oo1 Oo15 Xf8 Xg8 Xh10 Xh8 Xh9|O|"),
            ("(;SZ[15]AB[hh][ao]\nAW[ii];B[aa])", "Oi7 Xa1 Xh8|X|a15"),
            ("(;SZ[15]AB[hh]AW[ii])", "Oi7 Xh8|X|"),
            ("(;SZ[15]AB[hh]AW[ii]PL[W])", "Oi7 Xh8|O|"),
            ("(;SZ[15]PL[white]AW[ii])", "Oi7|O|"),
            ("(;SZ[15]AB[hh];PL[B];B[jj])", "Xh8|X|j6"),
            // A move names its colour.
            ("(;SZ[15]AB[hh]PL[W];B[jj];W[kk])", "Xh8|X|j6 k5"),
            // Within a node, set-up stones come before moves.
            ("(;SZ[15];B[jj]AB[hh]AW[ii])", "Oi7 Xh8|X|j6"),
            // Set up between moves.
            ("(;SZ[15];B[hh];W[ii];AE[hh]AB[jj]AW[aa];B[bb])", "|X|h8 i7 / Oa15 Oi7 Xj6|X|b14"),
            ("(;SZ[15];B[hh];AB[jj][kk];AE[jj:kk])", "|X|h8 / Xh8|O|"),
            ("(;SZ[15]AB[hh];AW[hh])", "Oh8|X|"),
            // Rectangles, rectangular boards, empty lists, unknown properties.
            ("(;GM[4]SZ[15:12]XY[1][2]AB[aa:bc]AW[]KO[])", "Xa10 Xa11 Xa12 Xb10 Xb11 Xb12|O|"),
            ("(;SZ[15]AB[c2:b1]AW[o12])", "Oo12 Xb1 Xb2 Xc1 Xc2|O|"),
            // A colour that plays twice, in one property or in two; a pass.
            ("(;SZ[15];B[hh];B[ii];W[jj])", "|X|h8 / Xh8|X|i7 j6"),
            ("(;SZ[15];B[hh][ii])", "|X|h8 / Xh8|X|i7"),
            ("(;SZ[15];W[hh];B[ii])", "|O|h8 i7"),
            ("(;SZ[15];B[hh];W[];B[ii];W[])", "|X|h8 / Xh8|X|i7 / Xh8 Xi7|X|"),
            // Odd layouts: blanks, long property names of old versions, text before the game, escapes, no last bracket.
            (" ( ;\r\nSZ [ 15 ] AB [hh]\t[ ii ]\n;W\n[jj]\n)", "Xh8 Xi7|O|j6"),
            ("(;GaMe[4]SiZe[15]AddBlack[hh]White[ii])", "Xh8|O|i7"),
            ("Dear friend,\nhere it is: (;SZ[15];B[hh])", "|X|h8"),
            ("(;SZ[15]PB[\\]\\\\]C[a\\\r\nb ;W[aa\\]];B[hh]", "|X|h8"),
            // A picture, with a dead square.
            ("......\n.X#O..\n.X....\n......\n......", "#c4 Od4 Xb3 Xb4|O|"),
        ] {
            assert_eq!(sections(text), expected, "{text}");
        }
    }

    #[test]
    fn imposed_moves_become_a_position() {
        let psq = "Piskvorky 15x15, 0\n8,8,0\n9,9,0\n1,15,7\n1,1,0\nme\nyou\n0\n";
        let game = parse(psq, None).unwrap();
        assert_eq!((game.opening, &game.ms[..]), (2, &[0, 0, 7, 0][..]));
        assert_eq!(parse("Piskvorky 15x15, 0\n8,8,0\n9,9,0\nme\nyou\n0\n", None).unwrap().opening, 0, "no times");
        // What is set up, who is first, and how many moves are left in each section.
        let imposed = |text: &str, count: usize| {
            let game = parse(text, None).unwrap().impose(count);
            let first = game.sections().next().unwrap();
            let setup: Vec<Point> = first.setup.iter().map(|&(point, _)| point).collect();
            let left: Vec<usize> = game.sections().map(|section| section.moves.len()).collect();
            (game.imposed, point_names::names(&setup, game.size, ""), first.first, left)
        };
        assert_eq!(imposed("h8i9a1", 0), (0, String::new(), Black, vec![3]));
        assert_eq!(imposed("h8i9a1", 1), (1, "h8".to_owned(), White, vec![2]));
        assert_eq!(imposed("h8i9a1", 9), (3, "h8i9a1".to_owned(), White, vec![0]));
        let passed = "(;SZ[15]AB[hh];W[ii];B[jj];W[];W[kk];B[ll])";
        assert_eq!(imposed(passed, 1), (1, "h8i7".to_owned(), Black, vec![1, 2]));
        assert_eq!(imposed(passed, 2), (2, "h8i7j6".to_owned(), White, vec![2]), "{passed}");
        assert_eq!(imposed(passed, 3), (3, "h8i7j6k5".to_owned(), Black, vec![1]));
    }

    #[test]
    fn the_result_of_a_record_is_read() {
        let outcome = |text: &str| parse(&format!("(;SZ[15]RE[{text}];B[hh])"), None).unwrap().outcome;
        let won = |winner, forfeit| Some(Outcome { winner, forfeit });
        for (text, expected) in [
            ("B+", won(Some(Black), None)),
            ("W+R", won(Some(White), None)),
            ("W+T", won(Some(White), Some(Forfeit::Late))),
            ("b+Forfeit", won(Some(Black), Some(Forfeit::Fault))),
            ("0", won(None, None)),
            ("Draw", won(None, None)),
            ("?", None),
            ("", None),
            ("White wins", None),
        ] {
            assert_eq!(outcome(text), expected, "{text}");
        }
    }

    #[test]
    fn every_game_of_a_collection_is_found() {
        let text = "Dear (friend),\n(;SZ[15];B[hh]C[(;\\])];W[ii](;B[jj])(;B[kk]))\n( ;SZ[15];B[aa])(;B[bb";
        let games: Vec<&str> = sgf::games(text);
        assert_eq!(games.len(), 3, "{games:?}");
        assert_eq!(moves(&parse(games[0], None).unwrap()), "h8i7j6");
        assert_eq!(games[1], "( ;SZ[15];B[aa])");
        assert_eq!(games[2], "(;B[bb");
        assert!(sgf::games("(no game)").is_empty());
        // Bug: prose that begins with a bracket was read as a game without moves.
        assert_eq!(moves(&parse("(From a letter.) (;SZ[15];B[hh];W[ii])", None).unwrap()), "h8i7");
        assert!(parse("(no game)", None).is_err());
    }

    #[test]
    fn files_in_other_encodings_lose_no_move() {
        let mut shift_jis = b"(;CA[Shift_JIS]SZ[15]PB[".to_vec();
        // The second byte of these characters is a backslash, and a bracket.
        shift_jis.extend(b"\x95\x5c]C[\x83\x5d\xb1];B[hh];W[ii])");
        let game = parse(&decode(&shift_jis), None).unwrap();
        assert_eq!((moves(&game).as_str(), game.players[0].as_deref()), ("h8i7", Some("\u{fffd}")));
        let gbk = b"(;CA[GBK]SZ[15];B[hh]C[\x81\x5c];W[ii])";
        assert_eq!(moves(&parse(&decode(gbk), None).unwrap()), "h8i7");
        let latin = b"(;SZ[15]PB[Ren\xe9];B[hh])";
        assert_eq!(parse(&decode(latin), None).unwrap().players[0].as_deref(), Some("Ren\u{e9}"));
        assert_eq!(decode("Piskvorky é".as_bytes()), "Piskvorky é");
    }

    #[test]
    fn sgf_that_is_written_reads_back() {
        let names = sgf::Remarks::names(["A]".to_owned(), String::new()]);
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

    /// The reader does not recurse into variations.
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
            &decode(b"\xef\xbb\xbfPiskvorky 15x15, 0\n8,8,0\n9, 9, 1\n1,15,7\n"),
            "(;FF[4]GM[4]SZ[15]PB[me]PW[you]RU[renju];B[hh]C[a \\] bracket];W[ii](;B[ao])(;B[aa];W[bb]))",
            "(;SZ[15];B[H8];W[i7];B[a1])(;SZ[15];B[aa])",
            "4;15;7,7 8,8 0,14\n",
            "# mine\nh8i7a1",
            "1. h8 2. I7 3. A1\n",
            "1.h8 i7\n2.a1",
            "h8, i7, a1",
        ] {
            let game = parse(text, None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
            assert_eq!((moves(&game).as_str(), game.size), ("h8i7a1", Size::square(15).unwrap()), "{text}");
        }
        let sgf = parse("(;RU[Renju]SZ[15]PB[me]PW[you];B[hh])", None).unwrap();
        assert_eq!((sgf.rule, sgf.players), (Some(Rule::Renju), [Some("me".into()), Some("you".into())]));
        for (name, rule) in [("9", Some(Rule::CaroExact)), ("caro-exact", Some(Rule::CaroExact)), ("japanese", None)] {
            assert_eq!(parse(&format!("(;RU[{name}];B[hh])"), None).unwrap().rule, rule, "{name}");
        }
        let psq = parse("Piskvorky 20x15, 0\n20,15,0\nme\nyou\n0", None).unwrap();
        assert_eq!((psq.size, psq.players), (Size::new(20, 15).unwrap(), [Some("me".into()), Some("you".into())]));
        assert_eq!(parse("h8t20", None).unwrap().size, Size::square(20).unwrap());
        assert_eq!(parse("h8", Size::square(9)).unwrap().size, Size::square(9).unwrap());
    }

    /// Typed names count rows from below, a Piskvork file and SGF from above; the drawing is the same.
    #[test]
    fn every_format_is_drawn_the_same_way_up() {
        let drawn = |text: &str, size: Option<Size>| {
            let game = parse(text, size).unwrap_or_else(|error| panic!("{text}: {error:#}"));
            let cells = game.last.cells();
            let cell = |point| cells.iter().find(|(other, _)| *other == point).map_or(Cell::Empty, |&(_, cell)| cell);
            drawing::board(game.size, cell, |_| None, None)
        };
        let odd = "    a b c d e\n  5 . . . . O\n  4 . X . . .\n  3 . . . . .\n  2 . . . . .\n  1 X . . . .\n";
        for text in
            ["Piskvorky 5x5, 0\n2,2,0\n5,1,0\n1,5,0\n", "(;SZ[5];B[bb];W[ea];B[ae])", "(;SZ[5];B[b4];W[e5];B[a1])"]
        {
            assert_eq!(drawn(text, None), odd, "{text}");
        }
        assert_eq!(drawn("b4e5a1", Size::square(5)), odd);
        assert_eq!(drawn("....O\n.X...\n.....\n.....\nX....", None), odd);
        let even = "    a b c d e f\n  6 . . . . . O\n  5 . X . . . .\n  4 . . . . . .\n  3 . . . . . .\n".to_owned()
            + "  2 . . . . . .\n  1 X . . . . .\n";
        for text in
            ["Piskvorky 6x6, 0\n2,2,0\n6,1,0\n1,6,0\n", "(;SZ[6];B[bb];W[fa];B[af])", "(;SZ[6];B[b5];W[f6];B[a1])"]
        {
            assert_eq!(drawn(text, None), even, "{text}");
        }
        assert_eq!(drawn("b5f6a1", Size::square(6)), even);
        // A larger board is taken for moves that need one, and its rows count from its own lower edge.
        assert_eq!(
            parse("h8t20", None).unwrap().last.moves,
            point_names::parse("h8t20", Size::square(20).unwrap()).unwrap()
        );
    }

    #[test]
    fn what_is_no_game_is_refused_in_one_line() {
        for (text, reason) in [
            ("", "no moves"),
            ("hello world", "is not a move"),
            ("h8h8", "move 1 is there already"),
            ("h8i99", "is not a move"),
            ("h8é3", "is not a move"),
            ("Piskvorky", "board of 5 to 22"),
            ("Piskvorky 99x99, 0", "board of 5 to 22"),
            ("Piskvorky 15x15, 0\n16,1,0", "off the board"),
            // Bug: the stones after a damaged line were left out silently.
            ("Piskvorky 15x15, 0\n8,8,0\n8,x,12\n9,9,7\nme\nyou\n0", "'8,x,12' is not a stone"),
            ("Piskvorky 15x15, 0\n8,8,0\n9,x,7\nme\nyou\n0", "'9,x,7' is not a stone"),
            ("Piskvorky 15x15, 0\n-9223372036854775808,1,0", "off the board"),
            ("(;SZ[40])", "no board of size 40"),
            ("(;SZ[x])", "is not a board size"),
            ("(;SZ[15];B[zz])", "is not a point"),
            ("(;SZ[15];B[tt])", "move 1: 'tt' is not a point"),
            ("(;SZ[15];B[hh];W[hh])", "move 2 at h8: move 1 is there already"),
            ("(;SZ[15]AB[hh];W[hh])", "move 1 at h8: a set-up stone is there already"),
            ("(;SZ[15]AB[hh]AW[hg:hi])", "AW: 'hg:hi' is set up twice"),
            ("(;SZ[9]AB[aa:jj])", "AB: 'aa:jj' is not a point"),
            ("(;SZ[15]PL[x])", "is not a colour"),
            ("(;SZ[15];B[hh];W[ii", "a value has no closing bracket"),
            ("(;SZ[15][9])", "two board sizes"),
            ("(;SZ[15];B[a-9223372036854775808])", "is not a point"),
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
