//! Games as people keep them, read: Piskvork's `.psq`, SGF, positions `rule;size;x,y ...` and plain moves `h8i9...`;
//! and `.psq` written. Floor 6.
//!
//! Readers are lenient about what does not matter (blank lines, line ends, move numbers, unknown properties) and
//! refuse what does in one line: a stone off the board or on another, colours that do not alternate.

use super::positions;
use crate::base::{Color, Point, Rule, Size};
use crate::board::notation::letter;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::fmt::Write as _;

/// A game, black first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The rule, where the text says it.
    pub rule: Option<Rule>,
    /// The board.
    pub size: Size,
    /// All stones in playing order.
    pub stones: Vec<Point>,
    /// Who played black and white, where the text says it.
    pub players: [Option<String>; 2],
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
    let game = if text.starts_with("Piskvorky") {
        parse_psq(text).context("as a Piskvork file")?
    } else if text.starts_with('(') {
        parse_sgf(text).context("as SGF")?
    } else if text.lines().any(|line| !line.starts_with('#') && line.contains(';')) {
        let position = positions::parse(text)?.into_iter().next().context("no position")?;
        let (rule, size) = (Some(position.rule), position.size);
        GameFile { rule, size, stones: position.moves, players: [None, None] }
    } else {
        parse_moves(text, size)?
    };
    for (index, stone) in game.stones.iter().enumerate() {
        let earlier = game.stones[..index].iter().position(|other| other == stone);
        if let Some(earlier) = earlier {
            bail!("move {} at {}: move {} is there already", index + 1, letter(*stone), earlier + 1);
        }
    }
    Ok(game)
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
    Ok(GameFile { rule: None, size, stones, players })
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

/// Reads the main line of the first game of an SGF collection.
///
/// # Errors
/// When it is none.
pub fn parse_sgf(text: &str) -> Result<GameFile> {
    let mut size = None;
    let mut rule = None;
    let mut players = [None, None];
    let mut stones: Vec<(Color, String)> = Vec::new();
    let mut setup = [Vec::new(), Vec::new()];
    for (key, value) in properties(text) {
        match key.as_str() {
            "SZ" => {
                // A second one would be for other stones than the first.
                ensure!(size.is_none(), "two board sizes");
                let (width, height) = value.split_once(':').unwrap_or((&value, &value));
                let sides = (width.trim().parse(), height.trim().parse());
                let (Ok(width), Ok(height)) = sides else { bail!("'{value}' is no board size") };
                size = Some(Size::new(width, height).with_context(|| format!("no board of size {value}"))?);
            }
            "RU" => rule = rule_named(&value),
            "PB" => players[0] = Some(value),
            "PW" => players[1] = Some(value),
            "AB" => setup[0].push(value),
            "AW" => setup[1].push(value),
            "B" => stones.push((Color::Black, value)),
            "W" => stones.push((Color::White, value)),
            _ => {}
        }
    }
    let size = size.or(Size::square(USUAL_SIDE)).context("no board size")?;
    // Stones that were set up count as played in turns.
    let [black, white] = setup;
    ensure!(black.len() == white.len() || black.len() == white.len() + 1, "a set-up position with uneven colours");
    let mut white = white.into_iter().map(|value| (Color::White, value));
    let mut all: Vec<(Color, String)> = Vec::new();
    for value in black {
        all.push((Color::Black, value));
        all.extend(white.next());
    }
    all.extend(stones);
    let mut points = Vec::new();
    for (index, (color, value)) in all.iter().enumerate() {
        ensure!(*color == Color::ALL[index % 2], "move {}: it is the other colour's turn", index + 1);
        let point = sgf_point(value, size).with_context(|| format!("move {}: '{value}' is no point", index + 1))?;
        points.push(point);
    }
    Ok(GameFile { rule, size, stones: points, players })
}

/// A point of an SGF file: two letters, or a letter and a number as some programs write them.
fn sgf_point(value: &str, size: Size) -> Option<Point> {
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

/// The rule that an SGF file names, by number or in words.
fn rule_named(value: &str) -> Option<Rule> {
    if let Ok(number) = value.trim().parse() {
        return Rule::from_bits(number);
    }
    let value = value.to_lowercase();
    Rule::ALL.into_iter().rev().find(|rule| value.contains(rule.name()))
}

/// All `KEY[value]` of the first line of play of the first game.
fn properties(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut key, mut value) = (String::new(), String::new());
    let (mut inside, mut escaped, mut key_ended) = (false, false, false);
    for c in text.chars() {
        match c {
            _ if inside && escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' if inside => escaped = true,
            ']' if inside => {
                // More values of the same property may follow.
                found.push((key.clone(), std::mem::take(&mut value)));
                (inside, key_ended) = (false, true);
            }
            _ if inside => value.push(c),
            '[' => inside = true,
            ')' => break,
            'A'..='Z' => {
                if std::mem::take(&mut key_ended) {
                    key.clear();
                }
                key.push(c);
            }
            c if c.is_whitespace() => {}
            _ => key.clear(),
        }
    }
    found
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
            let point = sgf_point(one, Size::square(Size::MAX_SIDE).context("the largest board")?);
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
    Ok(GameFile { rule: None, size, stones, players: [None, None] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    fn moves(game: &GameFile) -> String {
        game.stones.iter().map(|&stone| letter(stone)).collect()
    }

    #[test]
    fn all_formats_read_the_same_game() {
        for text in [
            "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,9,1234\r\n1,15,7\r\nme.exe\r\nyou.exe\r\n0\r\n",
            "\u{feff}Piskvorky 15x15, 0\n8,8,0\n9, 9, 1\n1,15,7\n",
            "(;FF[4]GM[4]SZ[15]PB[me]PW[you]RU[renju];B[hh]C[a \\] bracket];W[ii](;B[ao])(;B[aa];W[bb]))",
            "(;SZ[15]AB[hh][ao]\nAW[ii])",
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
            ("(;SZ[15];B[])", "is no point"),
            ("(;SZ[15];B[hh];B[ii])", "other colour's turn"),
            ("(;SZ[15]AB[aa][bb][cc])", "uneven"),
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
        let bits =
            ["[", "]", "\\", ";", ",", "é", "-", "99999999999999999999", "\n", "x", "#", "(", "h8", "\u{0}", "AB"];
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
