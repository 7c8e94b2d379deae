//! Random positions with many threats, and pictures of positions.

use rand::Rng;
use rand::rngs::SmallRng;
use std::ops::RangeInclusive;
use tengen::base::{Color, Point, Rule, Size};
use tengen::board::{Board, NullObserver, Threat};

/// Plays a stone, unless it is not allowed, makes a five or ends the game. Now and then the same side plays twice, so
/// that one-sided positions occur, too.
pub fn place(board: &mut Board, point: Point, random: &mut SmallRng) {
    let color = if random.random_bool(0.15) { board.side().opponent() } else { board.side() };
    let spoils = !board.is_empty(point)
        || board.threat(point, color) == Threat::Five
        || (color == Color::Black && board.is_forbidden(point));
    if !spoils && board.moves_to_draw() > 1 {
        board.play_color(point, color, &mut NullObserver);
    }
}

/// A position with many threats and no five, on a board with sides in this range. `crowded`: how many of a hundred are nearly full.
pub fn tactical_position(rule: Rule, sides: RangeInclusive<usize>, crowded: u32, random: &mut SmallRng) -> Board {
    let (width, height) = (random.random_range(sides.clone()), random.random_range(sides));
    let mut board = Board::new(rule, Size::new(width, height).expect("such boards exist"));
    let span = random.random_range(4..=6);
    let (left, top) = (random.random_range(0..=width - span), random.random_range(0..=height - span));
    let is_crowded = random.random_ratio(crowded, 100);
    let stones = if is_crowded { width * height - 6 } else { random.random_range(6..=span * span / 2 + 3) };
    for _ in 0..stones {
        let x = if is_crowded { random.random_range(0..width) } else { left + random.random_range(0..span) };
        let y = if is_crowded { random.random_range(0..height) } else { top + random.random_range(0..span) };
        place(&mut board, Point::new(x, y).expect("within the board"), random);
    }
    board
}

/// A position on a small board with one to six moves to the draw, under renju, where many cells are still empty then.
pub fn position_near_the_draw(random: &mut SmallRng) -> Board {
    let size = Size::new(random.random_range(6..=8), random.random_range(6..=8)).expect("such boards exist");
    let mut board = Board::new(Rule::Renju, size);
    let left = random.random_range(1..=6);
    while board.moves_to_draw() > left {
        let (x, y) = (random.random_range(0..size.width()), random.random_range(0..size.height()));
        place(&mut board, Point::new(x, y).expect("within the board"), random);
    }
    board
}

/// The rule, the side to move and a picture of the board.
pub fn picture(board: &Board) -> String {
    let size = board.size();
    let mut text = format!("{:?}, {:?} to move\n", board.rule(), board.side());
    for point in size.points() {
        text.push(match board.cell(point).color() {
            Some(Color::Black) => 'X',
            Some(Color::White) => 'O',
            None => '.',
        });
        if point.x() + 1 == size.width() {
            text.push('\n');
        }
    }
    text
}
