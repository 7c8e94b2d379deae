//! SGF, read and written. Floor 6.
//!
//! The reader takes the main line of the first game. `B` and `W` are moves; `AB`, `AW` and `AE` set up a position, before
//! the first move or between two; `PL` says whose turn it is then, and without it the numbers of stones do: black, who
//! begins under every rule, is to move unless there are more black stones than white ones. A move names its colour
//! itself, so a colour may also play twice in a row, and an empty one (`W[]`) is a pass. Lists of set-up points may be
//! compressed (`AB[aa:cc]`).

use super::{GameFile, Recorder, Section, USUAL_SIDE, point_of, rule_named};
use crate::base::{Cell, Color, Point, Rule, Size};
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;

/// A property: its name and its values, at least one.
type Property = (String, Vec<String>);

/// The properties that set up a position, and what they make of a point.
const SETUP: [(&str, Cell); 3] = [("AB", Cell::Black), ("AW", Cell::White), ("AE", Cell::Empty)];

/// Reads the main line of the first game of an SGF collection.
///
/// # Errors
/// When it is none.
pub fn parse(text: &str) -> Result<GameFile> {
    let nodes = main_line(text)?;
    let values = |name: &'static str| nodes.iter().flatten().filter(move |(key, _)| key == name).map(|(_, v)| v);
    let last = |name: &'static str| values(name).next_back().and_then(|values| values.last());
    // A second one would be for other stones than the first.
    ensure!(values("SZ").flatten().count() <= 1, "two board sizes");
    let size = last("SZ").map_or_else(|| Size::square(USUAL_SIDE).context("no board size"), |value| size_of(value))?;
    let mut record = Recorder::new();
    for node in &nodes {
        read_node(node, size, &mut record)?;
    }
    let rule = last("RU").and_then(|value| rule_named(value));
    let players = [last("PB").cloned(), last("PW").cloned()];
    Ok(GameFile { rule, players, ..record.finish(size) })
}

/// What a node does to the board: what it sets up comes before what it plays.
fn read_node(node: &[Property], size: Size, record: &mut Recorder) -> Result<()> {
    let mut setup: Vec<(Point, Cell)> = Vec::new();
    for (key, values) in node {
        let Some(&(_, cell)) = SETUP.iter().find(|(name, _)| name == key) else { continue };
        for value in values.iter().filter(|value| !value.trim().is_empty()) {
            for point in points(value, size).with_context(|| format!("{key}: '{value}' is no point"))? {
                let other = setup.iter().find(|(earlier, _)| *earlier == point);
                ensure!(other.is_none_or(|&(_, other)| other == cell), "{key}: '{value}' is set up twice in one node");
                setup.push((point, cell));
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
            _ => bail!("PL: '{value}' is no colour"),
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
            if value.trim().is_empty() {
                record.begin_section(color.opponent());
                continue;
            }
            let point = point_of(value, size);
            record.play(color, point.with_context(|| format!("move {}: '{value}' is no point", record.number + 1))?)?;
        }
    }
    Ok(())
}

/// The board of an `SZ`: one side, or both.
fn size_of(value: &str) -> Result<Size> {
    let (width, height) = value.split_once(':').unwrap_or((value, value));
    let sides = (width.trim().parse(), height.trim().parse());
    let (Ok(width), Ok(height)) = sides else { bail!("'{value}' is no board size") };
    Size::new(width, height).with_context(|| format!("no board of size {value}"))
}

/// The point that a value names, or all points of a rectangle.
fn points(value: &str, size: Size) -> Option<Vec<Point>> {
    let Some((one, other)) = value.split_once(':') else { return Some(vec![point_of(value, size)?]) };
    let (one, other) = (point_of(one, size)?, point_of(other, size)?);
    let is_between = |c: usize, a: usize, b: usize| (a.min(b)..=a.max(b)).contains(&c);
    let within = |p: &Point| is_between(p.x(), one.x(), other.x()) && is_between(p.y(), one.y(), other.y());
    Some(size.points().filter(within).collect())
}

/// The nodes of the first line of play of the first game: whatever comes before the first end of a variation. Small
/// letters in the names of properties, which old versions of the format had, do not count.
fn main_line(text: &str) -> Result<Vec<Vec<Property>>> {
    let mut nodes: Vec<Vec<Property>> = vec![Vec::new()];
    let mut key = String::new();
    let mut has_values = false;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '[' => {
                let value = value(&mut rest)?;
                let node = nodes.last_mut().context("no node")?;
                match node.last_mut() {
                    // More values of the same property may follow.
                    Some((_, values)) if has_values => values.push(value),
                    _ => node.push((key.clone(), vec![value])),
                }
                has_values = true;
            }
            ';' => {
                nodes.push(Vec::new());
                (key, has_values) = (String::new(), false);
            }
            ')' => break,
            'A'..='Z' => {
                if std::mem::take(&mut has_values) {
                    key.clear();
                }
                key.push(c);
            }
            c if c.is_whitespace() || c.is_ascii_lowercase() => {}
            _ => (key, has_values) = (String::new(), false),
        }
    }
    Ok(nodes)
}

/// A value, its opening bracket read already. A backslash makes the next character plain; one at the end of a line
/// joins it with the next.
fn value(rest: &mut std::str::Chars<'_>) -> Result<String> {
    let mut value = String::new();
    while let Some(c) = rest.next() {
        match c {
            ']' => return Ok(value),
            '\\' => match rest.next() {
                Some(end @ ('\n' | '\r')) => {
                    let other = if end == '\n' { '\r' } else { '\n' };
                    if rest.as_str().starts_with(other) {
                        rest.next();
                    }
                }
                escaped => value.extend(escaped),
            },
            _ => value.push(c),
        }
    }
    bail!("the end of a value is missing")
}

/// Writes a section of a game as SGF, on one line; black's name and white's.
///
/// # Errors
/// Where there are dead squares, which SGF does not know.
pub fn write(rule: Rule, size: Size, section: &Section, names: &[String; 2]) -> Result<String> {
    let point = |point: Point| [point.x(), point.y()].map(|coordinate| char::from(b'a' + coordinate as u8));
    let list = |cell: Cell| {
        let points = section.setup.iter().filter(|(_, other)| *other == cell);
        points
            .flat_map(|&(stone, _)| ["[".to_owned(), String::from_iter(point(stone)), "]".to_owned()])
            .collect::<String>()
    };
    ensure!(list(Cell::Wall).is_empty(), "dead squares cannot be written");
    let (width, height) = (size.width(), size.height());
    let sides = if width == height { width.to_string() } else { format!("{width}:{height}") };
    let mut text = format!("(;FF[4]GM[4]CA[UTF-8]SZ[{sides}]RU[{}]", rule.number());
    for (key, name) in ["PB", "PW"].iter().zip(names).filter(|(_, name)| !name.is_empty()) {
        let _ = write!(text, "{key}[{}]", escape(name));
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
        let _ = write!(text, ";{}[{}]", letter(section.color(index)), String::from_iter(point(stone)));
    }
    Ok(text + ")")
}

/// A text as it stands within a value.
pub fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}
