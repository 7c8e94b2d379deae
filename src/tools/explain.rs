//! `explain`: the forbidden points of a renju position, each with its reasons, in words.

use super::point_names::{self, name};
use super::{drawing, gamefile};
use crate::base::{Cell, Direction, Point, Rule, Size};
use crate::board::foul_explanation::{self, Explanation, FourPoint, Row, RowKind, Ruling};
use crate::board::notation;
use crate::board::oracle::Oracle;
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;

/// What `explain --help` prints.
const HELP: &str = "\
usage: pbrain-tengen explain [options] [FILE | MOVES]

Lists the points that renju forbids to black, and says why: the kind, the lines, which threes
are real and which are false. Points that look forbidden but are legal are explained too.

The position comes from a file, from the command line (h8i9j10...) or from standard input:
moves, a record of a game (Piskvork, SGF, RenLib, ...: see docs/tools.md), a line
rule;size;x,y x,y ..., or a picture with one line for each row: X black, O white, . empty,
* a point to explain. Rows count from below.

  --point h8   explain this point, forbidden or not; may be given several times
  --size N     board size for plain moves, 5 to 22, or two as 20x15 (15)

example: pbrain-tengen explain h6a1h7o15g8a15i8o1 --point h8
";

/// `explain [options] [FILE | MOVES]`.
///
/// # Errors
/// When the arguments or the position cannot be parsed, or a file cannot be read.
pub fn run(arguments: &[OsString], out: &mut dyn Write) -> Result<()> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let (mut source, mut size, mut asked) = (None, None, Vec::new());
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("point") => asked.push(parser.value()?.string()?),
            Long("size") => size = Some(parser.value()?.parse()?),
            Long("help") | Short('h') => return Ok(write!(out, "{HELP}")?),
            Value(value) if source.is_none() => source = Some(value),
            other => return Err(other.unexpected().into()),
        }
    }
    let bytes = gamefile::read_source(source)?;
    let Described { position, marks: mut points, remarks } = describe_position(&bytes, size)?;
    for word in asked {
        let point = point_names::parse(&word, position.size());
        points.extend(point.with_context(|| format!("'{word}' is not a point of the board"))?);
    }
    for &point in &points {
        ensure!(position.cell(point) == Cell::Empty, "{} is not empty", name(point, position.size()));
    }
    let explanations = if points.is_empty() {
        foul_explanation::all(&position)
    } else {
        points.into_iter().map(|point| Explanation::new(&position, point)).collect()
    };
    for remark in remarks {
        writeln!(out, "{remark}")?;
    }
    Ok(write!(out, "{}", text_of(&position, &explanations))?)
}

/// A position as a file describes it.
struct Described {
    position: Oracle,
    /// The points that a picture marks.
    marks: Vec<Point>,
    /// What a record says besides.
    remarks: Vec<String>,
}

/// The position that a file describes.
fn describe_position(bytes: &[u8], size: Option<Size>) -> Result<Described> {
    if let Some(diagram) = notation::parse_diagram(&gamefile::decode(bytes)) {
        let position = Oracle::from_cells(Rule::Renju, diagram.size, diagram.cells);
        return Ok(Described { position, marks: diagram.marks, remarks: Vec::new() });
    }
    let game = gamefile::read(bytes, size)?;
    let remarks = if game.is_bare() { Vec::new() } else { game.remarks(Some(Rule::Renju)) };
    Ok(Described { position: game.last.oracle(Rule::Renju, game.size), marks: Vec::new(), remarks })
}

/// The board with the points marked (`!` forbidden, `+` legal) and a paragraph about each point.
pub fn text_of(position: &Oracle, explanations: &[Explanation]) -> String {
    let mark = |point: Point| {
        let explanation = explanations.iter().find(|explanation| explanation.point == point)?;
        Some(if explanation.ruling.is_foul() { '!' } else { '+' })
    };
    let mut text = drawing::board(position.size(), |point| position.cell(point), mark, None);
    if explanations.is_empty() {
        text.push_str("\nNo point is forbidden.\n");
    }
    for explanation in explanations {
        text.push('\n');
        describe(explanation, position.size(), 0, &mut text);
    }
    text
}

/// Appends an explanation in words; what a statement depends on follows it, indented further.
pub fn describe(explanation: &Explanation, size: Size, indent: usize, text: &mut String) {
    let blank = " ".repeat(indent);
    let _ = writeln!(text, "{blank}{} {}", name(explanation.point, size), verdict(explanation));
    for row in rows_that_matter(explanation, indent > 0) {
        describe_row(row, explanation.point, size, indent + 2, text);
    }
}

/// The rows that are shown: all that explain the verdict, and with `short` only those that it depends on.
fn rows_that_matter(explanation: &Explanation, short: bool) -> impl Iterator<Item = &Row> {
    explanation.rows.iter().filter(move |row| match (explanation.ruling, &row.kind) {
        (Ruling::Wins, kind) => !short || *kind == RowKind::Five,
        (Ruling::Overline, kind) => *kind == RowKind::Overline,
        (Ruling::DoubleFour, kind) => matches!(kind, RowKind::Four(_)),
        (Ruling::DoubleThree, _) if short => row.is_real_three(),
        (Ruling::Legal, kind) if short => matches!(kind, RowKind::Three(_)),
        _ => true,
    })
}

fn verdict(explanation: &Explanation) -> String {
    let count = |is: fn(&Row) -> bool| explanation.count(is);
    let fours = count(|row| matches!(row.kind, RowKind::Four(_)));
    let (real, fake) = (count(Row::is_real_three), count(Row::is_false_three));
    match explanation.ruling {
        Ruling::Overline => "is forbidden: overline, more than five in a row.".to_owned(),
        Ruling::DoubleFour => format!("is forbidden: double four, {} fours at once.", number(fours)),
        Ruling::DoubleThree => format!("is forbidden: double three, {} real threes at once.", number(real)),
        Ruling::Wins if explanation.is_trap() => {
            "wins: it makes exactly five, which takes precedence over every foul.".to_owned()
        }
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

fn describe_row(row: &Row, point: Point, size: Size, indent: usize, text: &mut String) {
    let blank = " ".repeat(indent);
    let stones = list(&row.stones, size, " ");
    // One of these points is enough.
    let either = |points: &[Point]| list(points, size, " or ");
    let line = match row.direction {
        Direction::Horizontal => format!("row {}", point_names::row(point.y(), size)),
        Direction::Vertical => format!("column {}", &name(point, size)[..1]),
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
        RowKind::Three(four_points) => {
            let (open, closed): (Vec<&FourPoint>, Vec<&FourPoint>) =
                four_points.iter().partition(|four_point| four_point.is_open);
            if open.is_empty() {
                let needed = either(&points(&closed));
                let _ = writeln!(text, "are a false three: it needs {needed} for a straight four, but then");
                // The three is false because each of these points is closed to black.
                for four_point in closed {
                    match four_point.explanation.as_deref() {
                        Some(why) => obstacle(why, size, indent + 2, text),
                        None => drop(writeln!(text, "{blank}  {} is closed to black.", name(four_point.point, size))),
                    }
                }
            } else {
                let _ = writeln!(text, "are a real three: {} makes a straight four.", either(&points(&open)));
                // If every open point looks forbidden, the first is explained.
                if let Some(why) =
                    open.iter().map(|four_point| four_point.explanation.as_deref()).collect::<Option<Vec<_>>>()
                {
                    describe(why[0], size, indent + 2, text);
                }
            }
            return;
        }
    };
}

/// Appends why black cannot make a straight four there.
fn obstacle(why: &Explanation, size: Size, indent: usize, text: &mut String) {
    if why.ruling == Ruling::Wins {
        let blank = " ".repeat(indent);
        let _ = writeln!(text, "{blank}{} makes five instead of a straight four.", name(why.point, size));
    } else {
        describe(why, size, indent, text);
    }
}

fn points(four_points: &[&FourPoint]) -> Vec<Point> {
    four_points.iter().map(|four_point| four_point.point).collect()
}

/// Names of points in the order in which people read them: by column, then by row from below.
fn list(points: &[Point], size: Size, separator: &str) -> String {
    let mut points = points.to_vec();
    points.sort_by_key(|point| (point.x(), point_names::row(point.y(), size)));
    point_names::names(&points, size, separator)
}
