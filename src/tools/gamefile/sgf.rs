//! SGF, read and written.
//!
//! The reader takes the main line of the first game. `B` and `W` are moves; `AB`, `AW` and `AE` set up a position, before
//! the first move or between two moves. `PL` names the side to move then; without it black is to move unless there are
//! more black stones than white ones. A move names its colour, so one colour may play twice in a row. An empty move (`W[]`)
//! is a pass, and so is `W[tt]` on boards of up to 19 points a side, as Go has it. Lists of set-up points may be compressed
//! (`AB[aa:cc]`). Which properties and comments mark the stones of an opening, `play_start.rs` decides.
//!
//! The reader is our own: the crates sgf-parse 4.2.8 and sgf-parser 2.6.0 overflow the stack on deep files and take a file
//! without `GM` for Go.

use super::play_start::{Evidence, ms_of};
use super::sections::{Forfeit, GameFile, Outcome, Part, Recorder, Section, USUAL_SIDE};
use crate::base::point::CELLS;
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::tools::point_names;
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;
use std::str::CharIndices;

/// A property: its name and its values, at least one.
type Property = (String, Vec<String>);

/// A node: its byte in the game, and its properties.
struct Node {
    at: usize,
    properties: Vec<Property>,
}

/// A token of SGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A bracket that opens a game or a variation.
    Open,
    /// A bracket that closes one.
    Close,
    /// The semicolon at the beginning of a node.
    Node,
    /// A property: its name and its values, at least one.
    Property(String, Vec<String>),
    /// A value without a closing bracket: the last token.
    Unclosed,
}

/// The properties that set up a position, and what they put on a point.
const SETUP: [(&str, Cell); 3] = [("AB", Cell::Black), ("AW", Cell::White), ("AE", Cell::Empty)];

/// The property of our own that says how many moves at the beginning were imposed on the players.
pub const IMPOSED: &str = "IMPOSED";

/// Boards with a side beyond this have a point `tt`.
const LARGEST_WITH_TT: usize = 19;

/// Reads the main line of the first game of an SGF collection.
///
/// # Errors
/// When the text is not SGF, or its game cannot be put on a board.
pub fn parse(text: &str) -> Result<GameFile> {
    parse_part(&Part { line: 1, text }, None)
}

/// Reads the main line of a game. `size` is the board if the game names none.
pub(super) fn parse_part(part: &Part<'_>, size: Option<Size>) -> Result<GameFile> {
    read(part, size).context("as SGF")
}

fn read(part: &Part<'_>, size: Option<Size>) -> Result<GameFile> {
    let nodes = main_line(part)?;
    let properties = || nodes.iter().flat_map(|node| &node.properties);
    let values = |name: &'static str| properties().filter(move |(key, _)| key == name).map(|(_, v)| v);
    let last = |name: &'static str| values(name).next_back().and_then(|values| values.last());
    // The stones would belong to different boards.
    ensure!(values("SZ").flatten().count() <= 1, "two board sizes");
    let usual = || size.or_else(|| Size::square(USUAL_SIDE)).context("no board size");
    let size = last("SZ").map_or_else(usual, |value| size_of(value))?;
    let mut record = Recorder::new(size);
    let mut comments = Vec::new();
    for node in &nodes {
        read_node(&node.properties, size, &mut record).with_context(|| line_at(part, node.at))?;
        let comment = node.properties.iter().find(|(key, _)| key == "C").and_then(|(_, values)| values.last());
        comments.resize(record.moves, comment.cloned());
    }
    let lines = count_lines_of_play(part.text);
    if lines > 1 {
        record.notes.push(format!("The main line is read; the record has {lines} lines."));
    }
    let players = [last("PB").cloned(), last("PW").cloned()];
    let outcome = last("RE").and_then(|value| outcome_of(value));
    let evidence = Evidence {
        counted: last(IMPOSED).and_then(|value| value.trim().parse().ok()),
        ms: comments.iter().map(|comment| comment.as_deref().and_then(ms_of)).collect(),
        comments,
        opening: last("ON").cloned(),
    };
    let rule = last("RU").cloned().unwrap_or_default();
    Ok(GameFile { players, outcome, ..record.finish(evidence) }.with_rule(&rule))
}

/// The games of a collection, each as its text. Text around them is left out, and no game begins on a line that begins with
/// `#`; the last one may lack its end.
pub fn games(text: &str) -> Vec<Part<'_>> {
    let mut games = Vec::new();
    let (mut line, mut counted, mut end) = (1, 0, 0);
    while let Some(start) = next_game(text, end) {
        let mut depth = 0;
        let last = tokens(&text[start..]).find(|(_, token)| {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        end = last.map_or(text.len(), |(at, _)| start + at + 1);
        line += text[counted..start].matches('\n').count();
        counted = start;
        games.push(Part { line, text: &text[start..end] });
    }
    games
}

/// The byte where the next game begins, from `from` on: the beginning of the text, or the end of a game.
fn next_game(text: &str, from: usize) -> Option<usize> {
    let mut begin = from;
    for line in text[from..].split_inclusive('\n') {
        // What follows a game on its last line is no remark.
        let is_remark = line.trim_start().starts_with('#') && !text[..begin].ends_with(')');
        let mut brackets = line.match_indices('(').map(|(at, _)| begin + at);
        let start = brackets.find(|at| text[at + 1..].trim_start().starts_with(';'));
        if start.is_some() && !is_remark {
            return start;
        }
        begin += line.len();
    }
    None
}

/// The number of lines of play in a game: the ends of its variations.
fn count_lines_of_play(game: &str) -> usize {
    let (mut lines, mut is_open) = (0, false);
    for (_, token) in tokens(game) {
        match token {
            Token::Node => is_open = true,
            Token::Close => lines += usize::from(std::mem::take(&mut is_open)),
            _ => {}
        }
    }
    lines + usize::from(is_open)
}

/// The result that an `RE` names: `B+5`, `W+Resign`, `B+Time`, `W+Forfeit`, `0`, `Draw`.
fn outcome_of(value: &str) -> Option<Outcome> {
    let value = value.trim().to_lowercase();
    if value == "0" || value == "draw" {
        return Some(Outcome { winner: None, forfeit: None });
    }
    let (winner, reason) = value.split_once('+')?;
    let winner = match winner {
        "b" => Color::Black,
        "w" => Color::White,
        _ => return None,
    };
    let forfeit = match reason.chars().next() {
        Some('t') => Some(Forfeit::Late),
        Some('f') => Some(Forfeit::Fault),
        _ => None,
    };
    Some(Outcome { winner: Some(winner), forfeit })
}

/// Adds a node to the record: first what it sets up, then its moves.
fn read_node(node: &[Property], size: Size, record: &mut Recorder) -> Result<()> {
    let mut setup: Vec<(Point, Cell)> = Vec::new();
    // What the node has put on a point so far.
    let mut put: [Option<Cell>; CELLS] = [None; CELLS];
    for (key, values) in node {
        let Some(&(_, cell)) = SETUP.iter().find(|(name, _)| name == key) else { continue };
        for value in values.iter().filter(|value| !value.trim().is_empty()) {
            for point in points(value, size).with_context(|| format!("{key}: '{value}' is not a point of the board"))? {
                let other = put[point.index()].replace(cell);
                ensure!(other.is_none_or(|other| other == cell), "{key}: '{value}' is set up twice in one node");
                if other.is_none() {
                    setup.push((point, cell));
                }
            }
        }
    }
    if !setup.is_empty() {
        record.set_up(&setup);
    }
    for (_, values) in node.iter().filter(|(key, _)| key == "PL") {
        let value = values.last().map_or("", |value| value.trim());
        let color = match value.chars().next() {
            Some('B' | 'b') => Color::Black,
            Some('W' | 'w') => Color::White,
            _ => bail!("PL: '{value}' is not a colour"),
        };
        if color != record.last.to_move() {
            record.begin_section(color);
        }
    }
    for (key, values) in node {
        let color = match key.as_str() {
            "B" => Color::Black,
            "W" => Color::White,
            _ => continue,
        };
        for value in values {
            if is_pass(value, size) {
                record.pass(color);
                continue;
            }
            let point = point_of(value, size);
            record.play(
                color,
                point.with_context(|| format!("move {}: '{value}' is not a point of the board", record.moves + 1))?,
            )?;
        }
    }
    Ok(())
}

/// Whether the value of a move is a pass.
fn is_pass(value: &str, size: Size) -> bool {
    let value = value.trim();
    value.is_empty() || value == "tt" && size.width().max(size.height()) <= LARGEST_WITH_TT
}

/// The board of an `SZ`: one side, or both.
fn size_of(value: &str) -> Result<Size> {
    let (width, height) = value.split_once(':').unwrap_or((value, value));
    let sides = (width.trim().parse(), height.trim().parse());
    let (Ok(width), Ok(height)) = sides else { bail!("'{value}' is not a board size") };
    Size::new(width, height).with_context(|| format!("there is no board of size {value}"))
}

/// A point as records name it: two letters, counted from the upper left corner as SGF does, or a letter and a number such
/// as `h8`, with rows counted from below as people do.
fn point_of(value: &str, size: Size) -> Option<Point> {
    let value = value.trim();
    let coordinate = |letter: u8| i64::from(letter.to_ascii_lowercase()) - i64::from(b'a');
    match value.as_bytes() {
        [x, y] if x.is_ascii_alphabetic() && y.is_ascii_alphabetic() => size.point(coordinate(*x), coordinate(*y)),
        [x, ..] if x.is_ascii_alphabetic() => match point_names::parse(value, size)?[..] {
            [point] => Some(point),
            _ => None,
        },
        _ => None,
    }
}

/// The point that a value names, or all points of a rectangle.
fn points(value: &str, size: Size) -> Option<Vec<Point>> {
    let Some((one, other)) = value.split_once(':') else { return Some(vec![point_of(value, size)?]) };
    let (one, other) = (point_of(one, size)?, point_of(other, size)?);
    let is_between = |c: usize, a: usize, b: usize| (a.min(b)..=a.max(b)).contains(&c);
    let within = |p: &Point| is_between(p.x(), one.x(), other.x()) && is_between(p.y(), one.y(), other.y());
    Some(size.points().filter(within).collect())
}

/// The nodes of the first line of play of the first game: everything before the first end of a variation.
fn main_line(part: &Part<'_>) -> Result<Vec<Node>> {
    let mut nodes = vec![Node { at: 0, properties: Vec::new() }];
    for (at, token) in tokens(part.text) {
        match token {
            Token::Open => {}
            Token::Close => break,
            Token::Node => nodes.push(Node { at, properties: Vec::new() }),
            Token::Property(name, values) => nodes.last_mut().context("no node")?.properties.push((name, values)),
            Token::Unclosed => bail!("{}: a value has no closing bracket", line_at(part, at)),
        }
    }
    Ok(nodes)
}

/// The number of a line in the file, by a byte of the game, for messages.
fn line_at(part: &Part<'_>, at: usize) -> String {
    format!("line {}", part.line + part.text[..at].matches('\n').count())
}

/// The tokens of a text, each with its byte; that of a property is the bracket of its last value. Lower-case letters in the
/// names of properties, as in old versions of the format, are dropped, and so are names with other characters after them.
pub fn tokens(text: &str) -> impl Iterator<Item = (usize, Token)> {
    let mut rest = text.char_indices();
    std::iter::from_fn(move || {
        let mut name = String::new();
        while let Some((at, c)) = rest.next() {
            match c {
                '(' => return Some((at, Token::Open)),
                ')' => return Some((at, Token::Close)),
                ';' => return Some((at, Token::Node)),
                '[' => return Some(property(name, at, &mut rest)),
                'A'..='Z' => name.push(c),
                _ if is_filler(c) => {}
                _ => name.clear(),
            }
        }
        None
    })
}

/// Whether a character means nothing outside values.
fn is_filler(c: char) -> bool {
    c.is_whitespace() || c.is_ascii_lowercase()
}

/// A property and the byte of its last bracket; the bracket of its first value, at `at`, has been read.
fn property(name: String, mut at: usize, rest: &mut CharIndices<'_>) -> (usize, Token) {
    let mut values = Vec::new();
    while let Some(value) = value(rest) {
        values.push(value);
        let mut next = rest.clone();
        match next.find(|&(_, c)| !is_filler(c)) {
            Some((bracket, '[')) => (at, *rest) = (bracket, next),
            _ => return (at, Token::Property(name, values)),
        }
    }
    (at, Token::Unclosed)
}

/// A value, if it is closed; its opening bracket has been read. A backslash quotes the next character; at the end of a line
/// it joins the line with the next one.
fn value(rest: &mut CharIndices<'_>) -> Option<String> {
    let mut value = String::new();
    loop {
        match rest.next()?.1 {
            ']' => return Some(value),
            '\\' => match rest.next()?.1 {
                end @ ('\n' | '\r') => {
                    let other = if end == '\n' { '\r' } else { '\n' };
                    if rest.as_str().starts_with(other) {
                        rest.next();
                    }
                }
                escaped => value.push(escaped),
            },
            c => value.push(c),
        }
    }
}

/// What a written game says besides its rule, its board and its stones.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Properties of the game, such as `RE`, the result. Empty ones are left out.
    pub properties: Vec<(&'static str, String)>,
    /// The comments on the moves, from the first one on. Moves may have none.
    pub comments: Vec<Option<String>>,
}

impl Remarks {
    /// The names of black and white, and no more.
    pub fn names([black, white]: [String; 2]) -> Remarks {
        Remarks { properties: vec![("PB", black), ("PW", white)], comments: Vec::new() }
    }
}

/// The property that counts the imposed stones; empty, so that it is not written, if there are none.
pub fn imposed(stones: usize) -> (&'static str, String) {
    (IMPOSED, if stones > 0 { stones.to_string() } else { String::new() })
}

/// Writes a section of a game as SGF, on one line.
///
/// # Errors
/// When there are dead squares, which SGF cannot express.
pub fn write(rule: Rule, size: Size, section: &Section, remarks: &Remarks) -> Result<String> {
    let list = |cell: Cell| {
        let points = section.setup.iter().filter(|(_, other)| *other == cell);
        points.flat_map(|&(stone, _)| ["[".to_owned(), point_text(stone), "]".to_owned()]).collect::<String>()
    };
    ensure!(list(Cell::Wall).is_empty(), "SGF cannot express dead squares");
    let (width, height) = (size.width(), size.height());
    let sides = if width == height { width.to_string() } else { format!("{width}:{height}") };
    let mut text = format!("(;FF[4]GM[4]CA[UTF-8]SZ[{sides}]RU[{}]", rule.number());
    for (key, value) in remarks.properties.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = write!(text, "{key}[{}]", escape(value));
    }
    for (key, stones) in [("AB", list(Cell::Black)), ("AW", list(Cell::White))] {
        if !stones.is_empty() {
            let _ = write!(text, "{key}{stones}");
        }
    }
    let letter = |color: Color| if color == Color::Black { 'B' } else { 'W' };
    if !section.setup.is_empty() || section.first != Color::Black {
        let _ = write!(text, "PL[{}]", letter(section.first));
    }
    for (index, &stone) in section.moves.iter().enumerate() {
        let _ = write!(text, ";{}[{}]", letter(section.color(index)), point_text(stone));
        if let Some(comment) = remarks.comments.get(index).and_then(Option::as_ref) {
            let _ = write!(text, "C[{}]", escape(comment));
        }
    }
    Ok(text + ")")
}

/// A point as the value of a move.
pub fn point_text(point: Point) -> String {
    [point.x(), point.y()].map(|coordinate| char::from(b'a' + coordinate as u8)).iter().collect()
}

/// A text with the characters quoted that have a meaning within a value.
pub fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}
