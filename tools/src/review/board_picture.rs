//! The board of a lost game as it turned: the last moves with their numbers, the turning move in a red ring, the better
//! move as a green one with a plus.

use super::lesson_text::remark;
use super::turning_point::LostGame;
use crate::command_line::one_line;
use crate::output_file::{self, Drawn};
use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tengen::base::{Cell, Point, Size};
use tengen::tools::drawing::sign;
use tengen::tools::point_names::{name, row};

/// Distance between two lines of the board in pixels, and radius of a stone.
const STEP: i32 = 34;
const STONE: i32 = 15;
/// Space around the lines: beside them for the names of columns and rows, above them for the title.
const MARGIN: i32 = 50;
const TOP: i32 = 92;
/// Moves with numbers, the turning one included.
const NUMBERED: usize = 6;

const PAPER: RGBColor = RGBColor(240, 222, 182);
const INK: RGBColor = RGBColor(45, 42, 40);
const LINES: RGBColor = RGBColor(120, 105, 85);
const SNOW: RGBColor = RGBColor(252, 251, 248);
const PLAYED: RGBColor = RGBColor(205, 40, 40);
const BETTER: RGBColor = RGBColor(20, 130, 60);

/// The picture of a lost game, as the text of an SVG file. Without a turning point it shows the final position.
///
/// # Errors
/// When it cannot be drawn.
pub fn svg(lesson: &LostGame) -> Result<String> {
    output_file::svg(&lesson.record.name, |text| draw(lesson, text))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Where a point is in the picture.
fn place(point: Point) -> (i32, i32) {
    (MARGIN + STEP * point.x() as i32, TOP + STEP * point.y() as i32)
}

/// What stands on the board, and the numbers of the last moves.
struct Position {
    cells: Vec<(Point, Cell)>,
    numbers: Vec<(Point, usize)>,
    /// The turning move, or the last one.
    last: Option<Point>,
}

impl Position {
    /// The position after the turning move, or the final one.
    fn of(lesson: &LostGame) -> Position {
        let review = &lesson.review;
        let Some(at) = lesson.turn.index.or(review.moves.len().checked_sub(1)) else {
            return Position { cells: review.setup.clone(), numbers: Vec::new(), last: None };
        };
        let judged = &review.moves[at];
        let mut cells = judged.board.clone();
        cells.push((judged.point, judged.color.into()));
        let from = (at + 1).saturating_sub(NUMBERED);
        let numbers = (from..=at).map(|index| (review.moves[index].point, review.number(index)));
        // A record may remove stones between its moves.
        let is_there = |(point, _): &(Point, usize)| cells.iter().any(|(stone, _)| stone == point);
        Position { numbers: numbers.filter(is_there).collect(), cells, last: Some(judged.point) }
    }
}

fn draw(lesson: &LostGame, text: &mut String) -> Drawn {
    let size = lesson.review.size;
    let width = 2 * MARGIN + STEP * (size.width() as i32 - 1);
    let height = TOP + MARGIN + STEP * (size.height() as i32 - 1);
    let root = SVGBackend::with_string(text, (width as u32, height as u32)).into_drawing_area();
    root.fill(&PAPER)?;
    for (index, line) in title(lesson).iter().enumerate() {
        write(&root, line, (MARGIN / 2, 18 + 20 * index as i32), 15, &INK, HPos::Left)?;
    }
    draw_lines(&root, size)?;
    let position = Position::of(lesson);
    for &(point, cell) in &position.cells {
        draw_cell(&root, point, cell)?;
    }
    for &(point, number) in &position.numbers {
        let stone = position.cells.iter().find(|(other, _)| *other == point);
        let is_black = stone.is_some_and(|&(_, cell)| cell == Cell::Black);
        write(&root, &number.to_string(), place(point), 15, if is_black { &SNOW } else { &INK }, HPos::Center)?;
    }
    if let Some(point) = position.last {
        root.draw(&Circle::new(place(point), STONE, PLAYED.stroke_width(3)))?;
    }
    if let Some(point) = lesson.better() {
        root.draw(&Circle::new(place(point), STONE, PAPER.filled()))?;
        root.draw(&Circle::new(place(point), STONE, BETTER.stroke_width(3)))?;
        write(&root, "+", place(point), 24, &BETTER, HPos::Center)?;
    }
    root.present()?;
    Ok(())
}

/// The lines of text above the board.
fn title(lesson: &LostGame) -> [String; 3] {
    let review = &lesson.review;
    let who = lesson.loser.name();
    let player = lesson.record.game.players[lesson.loser.index()].as_deref().unwrap_or_default();
    let game = format!("{}: {} ({who}) lost", one_line(&lesson.record.name), one_line(player));
    let turn = lesson.turn.index.zip(lesson.turning_move()).map(|(index, judged)| {
        let better = lesson.better().map(|better| format!(", better {} (+)", name(better, review.size)));
        format!(
            "move {}, {} {}{}: {:.0} % to {:.0} %",
            review.number(index),
            sign(judged.color),
            name(judged.point, review.size),
            better.unwrap_or_default(),
            judged.before.chance() * 100.0,
            judged.after.chance() * 100.0
        )
    });
    [game, turn.unwrap_or_else(|| "the final position".to_owned()), remark(lesson)]
}

/// The lines of the board, and the names of its columns and rows.
fn draw_lines(root: &Area<'_>, size: Size) -> Drawn {
    let corner = |x: usize, y: usize| (MARGIN + STEP * x as i32, TOP + STEP * y as i32);
    let (right, bottom) = (size.width() - 1, size.height() - 1);
    for x in 0..=right {
        root.draw(&PathElement::new([corner(x, 0), corner(x, bottom)], LINES.stroke_width(1)))?;
        let below = (corner(x, bottom).0, corner(x, bottom).1 + MARGIN / 2 + 4);
        write(root, &char::from(b'a' + x as u8).to_string(), below, 14, &LINES, HPos::Center)?;
    }
    for y in 0..=bottom {
        root.draw(&PathElement::new([corner(0, y), corner(right, y)], LINES.stroke_width(1)))?;
        let beside = (MARGIN / 2 - 2, corner(0, y).1);
        write(root, &row(y, size).to_string(), beside, 14, &LINES, HPos::Center)?;
    }
    Ok(())
}

/// A stone or a dead square.
fn draw_cell(root: &Area<'_>, point: Point, cell: Cell) -> Drawn {
    let (x, y) = place(point);
    match cell {
        Cell::Black => root.draw(&Circle::new((x, y), STONE, INK.filled()))?,
        Cell::White => {
            root.draw(&Circle::new((x, y), STONE, SNOW.filled()))?;
            root.draw(&Circle::new((x, y), STONE, INK.stroke_width(1)))?;
        }
        Cell::Wall => {
            let corners = [(x - STEP / 2, y - STEP / 2), (x + STEP / 2, y + STEP / 2)];
            root.draw(&Rectangle::new(corners, LINES.filled()))?;
        }
        Cell::Empty => {}
    }
    Ok(())
}

/// Writes a text at a place, which is the middle of its height.
fn write(root: &Area<'_>, text: &str, at: (i32, i32), height: i32, color: &RGBColor, side: HPos) -> Drawn {
    let style = ("sans-serif", height).into_font().color(color).pos(Pos::new(side, VPos::Center));
    root.draw(&Text::new(text.to_owned(), at, style))?;
    Ok(())
}
