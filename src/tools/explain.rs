//! `explain`: renju's forbidden points of a position, each with its reasons, in words. Floor 6.

use super::{drawing, gamefile};
use crate::base::{Cell, Direction, Point, Rule, Size};
use crate::board::lesson::{self, Lesson, Row, RowKind, Ruling, Way};
use crate::board::notation::{self, letter};
use crate::board::oracle::Oracle;
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;

/// What `explain --help` prints.
const HELP: &str = "\
usage: pbrain-tengen explain [options] [FILE | MOVES]

Says which points renju forbids black, and why: the kind, the lines, which threes are real
or false. Points that look forbidden and are not are explained as well.

The position comes from a file, from the command line (h8i9j10...) or from standard input:
moves, a Piskvork or SGF file, a line rule;size;x,y x,y ..., or a picture with a row a line,
X black, O white, . empty and * the points to be explained.

  --point h8   explain this point, forbidden or not; may be given more than once
  --size N     the board of plain moves (15)

example: pbrain-tengen explain h6a1h7o15g8a15i8o1 --point h8
";

/// `explain [options] [FILE | MOVES]`.
///
/// # Errors
/// For arguments and positions that cannot be understood, and files that cannot be read.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<()> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let (mut source, mut size, mut asked) = (None, None, Vec::new());
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("point") => asked.push(parser.value()?.string()?),
            Long("size") => {
                let side = parser.value()?.parse()?;
                size = Some(Size::square(side).context("the side of a board is 5 to 22")?);
            }
            Long("help") | Short('h') => return Ok(write!(out, "{HELP}")?),
            Value(value) if source.is_none() => source = Some(value.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let text = read(source.as_deref())?;
    let (position, mut points) = position(&text, size)?;
    for word in asked {
        points.extend(notation::parse_moves(&word, position.size()).with_context(|| format!("'{word}' is no point"))?);
    }
    for &point in &points {
        ensure!(position.cell(point) == Cell::Empty, "{} is not empty", letter(point));
    }
    let lessons = if points.is_empty() {
        lesson::all(&position)
    } else {
        points.into_iter().map(|point| Lesson::new(&position, point)).collect()
    };
    Ok(write!(out, "{}", text_of(&position, &lessons))?)
}

/// The text of a file, the argument itself where there is no such file, or standard input.
///
/// # Errors
/// When it cannot be read.
pub fn read(source: Option<&str>) -> Result<String> {
    let mut bytes = Vec::new();
    match source {
        Some(source) if Path::new(source).is_file() => {
            bytes = std::fs::read(source).with_context(|| format!("cannot read {source}"))?;
        }
        Some(source) => {
            let looks_like_a_path = source.contains(['/', '\\']) || Path::new(source).extension().is_some();
            ensure!(!looks_like_a_path, "cannot read {source}: there is no such file");
            bytes.extend(source.as_bytes());
        }
        None => {
            std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        }
    }
    Ok(gamefile::decode(&bytes))
}

/// The position that a text describes, and the points it marks.
fn position(text: &str, size: Option<Size>) -> Result<(Oracle, Vec<Point>)> {
    if let Some(diagram) = notation::parse_diagram(text) {
        let mut oracle = Oracle::new(Rule::Renju, diagram.size);
        diagram.cells.iter().for_each(|&(point, cell)| oracle.set(point, cell));
        return Ok((oracle, diagram.marks));
    }
    let game = gamefile::parse(text, size)?;
    Ok((game.last.oracle(Rule::Renju, game.size), Vec::new()))
}

/// The board with the points marked - `!` forbidden, `+` legal - and a paragraph for each.
pub fn text_of(position: &Oracle, lessons: &[Lesson]) -> String {
    let mark = |point: Point| {
        let lesson = lessons.iter().find(|lesson| lesson.point == point)?;
        Some(if lesson.ruling.is_foul() { '!' } else { '+' })
    };
    let mut text = drawing::board(position.size(), |point| position.cell(point), mark, None);
    if lessons.is_empty() {
        text.push_str("\nNo point is forbidden.\n");
    }
    for lesson in lessons {
        text.push('\n');
        describe(lesson, 0, &mut text);
    }
    text
}

/// A lesson in words, each step inward indented further.
pub fn describe(lesson: &Lesson, indent: usize, text: &mut String) {
    let blank = " ".repeat(indent);
    let _ = writeln!(text, "{blank}{} {}", letter(lesson.point), verdict(lesson));
    for row in rows_that_matter(lesson, indent > 0) {
        describe_row(row, lesson.point, indent + 2, text);
    }
}

/// The rows that the verdict rests on; with `short`, no others.
fn rows_that_matter(lesson: &Lesson, short: bool) -> impl Iterator<Item = &Row> {
    lesson.rows.iter().filter(move |row| match (lesson.ruling, &row.kind) {
        (Ruling::Wins, kind) => !short || *kind == RowKind::Five,
        (Ruling::Overline, kind) => *kind == RowKind::Overline,
        (Ruling::DoubleFour, kind) => matches!(kind, RowKind::Four(_)),
        (Ruling::DoubleThree, _) if short => row.is_real_three(),
        (Ruling::Legal, kind) if short => matches!(kind, RowKind::Three(_)),
        _ => true,
    })
}

fn verdict(lesson: &Lesson) -> String {
    let count = |is: fn(&Row) -> bool| lesson.count(is);
    let fours = count(|row| matches!(row.kind, RowKind::Four(_)));
    let (real, fake) = (count(Row::is_real_three), count(Row::is_false_three));
    match lesson.ruling {
        Ruling::Overline => "is forbidden: overline, more than five in a row.".to_owned(),
        Ruling::DoubleFour => format!("is forbidden: double four, {} fours at once.", number(fours)),
        Ruling::DoubleThree => format!("is forbidden: double three, {} real threes at once.", number(real)),
        Ruling::Wins if lesson.is_trap() => "wins: it makes exactly five, and that beats every foul.".to_owned(),
        Ruling::Wins => "wins: it makes exactly five.".to_owned(),
        Ruling::Legal if fake > 0 && real == 0 => {
            format!("is legal: {}.", if fake == 1 { "the three is false" } else { "all the threes are false" })
        }
        Ruling::Legal if fake > 0 => {
            format!(
                "is legal: only one three is real, {} false.",
                if fake == 1 { "the other is" } else { "the others are" }
            )
        }
        Ruling::Legal if fours == 1 && real == 1 => "is legal: a four and a three may be made together.".to_owned(),
        Ruling::Legal => "is legal.".to_owned(),
    }
}

fn number(count: usize) -> String {
    match count {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        4 => "four".to_owned(),
        _ => count.to_string(),
    }
}

fn describe_row(row: &Row, point: Point, indent: usize, text: &mut String) {
    let blank = " ".repeat(indent);
    let stones = list(&row.stones);
    let line = match row.direction {
        Direction::Horizontal => format!("row {}", point.y() + 1),
        Direction::Vertical => format!("column {}", &letter(point)[..1]),
        Direction::Rising => "diagonal /".to_owned(),
        Direction::Falling => "diagonal \\".to_owned(),
    };
    let _ = write!(text, "{blank}{line}: {stones} ");
    let _ = match &row.kind {
        RowKind::Five => writeln!(text, "are exactly five."),
        RowKind::Overline => writeln!(text, "are {} in a row.", row.stones.len()),
        RowKind::Four(fives) => writeln!(text, "are a four: {} would make five.", either(fives)),
        RowKind::ClosedThree => {
            writeln!(text, "are a closed three; it cannot become a straight four and does not count.")
        }
        RowKind::Three(ways) => {
            let (open, closed): (Vec<&Way>, Vec<&Way>) = ways.iter().partition(|way| way.is_open);
            if open.is_empty() {
                let needed = either(&points(&closed));
                let _ = writeln!(text, "are a false three: it needs {needed} for a straight four, but then");
                // It is false because black can go none of these ways.
                closed.iter().filter_map(|way| way.lesson.as_deref()).for_each(|why| obstacle(why, indent + 2, text));
            } else {
                let _ = writeln!(text, "are a real three: {} makes a straight four.", either(&points(&open)));
                // One way is enough; if each looks closed, the first is explained.
                if let Some(why) = open.iter().map(|way| way.lesson.as_deref()).collect::<Option<Vec<_>>>() {
                    describe(why[0], indent + 2, text);
                }
            }
            return;
        }
    };
}

/// Why black cannot make a straight four there.
fn obstacle(why: &Lesson, indent: usize, text: &mut String) {
    if why.ruling == Ruling::Wins {
        let blank = " ".repeat(indent);
        let _ = writeln!(text, "{blank}{} makes five instead, so no straight four comes of it.", letter(why.point));
    } else {
        describe(why, indent, text);
    }
}

fn points(ways: &[&Way]) -> Vec<Point> {
    ways.iter().map(|way| way.point).collect()
}

/// Points one after the other.
fn list(points: &[Point]) -> String {
    points.iter().map(|&point| letter(point)).collect::<Vec<_>>().join(" ")
}

/// Points of which one is enough.
fn either(points: &[Point]) -> String {
    points.iter().map(|&point| letter(point)).collect::<Vec<_>>().join(" or ")
}
