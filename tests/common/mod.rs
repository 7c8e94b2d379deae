//! What the test programs share: one run of the brain, numbers from the environment, games as strings, and random games with
//! many threats.
#![allow(dead_code, reason = "each test program uses its own part")]

pub mod boards;
pub mod conversation;
pub mod fouls;
pub mod process;
pub mod proofs;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::ffi::OsStr;
use std::io::Write;
use std::process::{Output, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tengen::base::{Cell, Color, Direction, Point, Rule, Size};
use tengen::board::oracle::Oracle;
use tengen::search::{Iteration, ReportSink};

/// Square and rectangular boards, from the smallest to the largest.
pub const SIZES: [(usize, usize); 10] =
    [(5, 5), (6, 9), (8, 8), (10, 7), (13, 19), (15, 15), (5, 22), (22, 5), (20, 20), (22, 22)];

/// Runs the brain with these arguments and this input, and waits for its end.
pub fn brain(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    brain_with(arguments, input)
}

/// The same with arguments that need not be UTF-8.
pub fn brain_with(arguments: &[impl AsRef<OsStr>], input: impl AsRef<[u8]>) -> Output {
    let mut child = process::built()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the brain has been built");
    // The child may refuse its arguments before it reads anything.
    let _ = child.stdin.take().expect("the pipe was asked for").write_all(input.as_ref());
    child.wait_with_output().expect("the brain ends with its input")
}

/// How long an answer may take on the busiest machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a signal after each iteration.
pub struct Iterations(pub Sender<()>);

impl ReportSink for Iterations {
    fn iteration(&mut self, _iteration: &Iteration) {
        // Nobody listens any more after the stop.
        let _ = self.0.send(());
    }
}

/// Makes the tests of a program take turns, where they measure time or memory, or count threads.
pub fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The board size with these sides.
pub fn size(sides: (usize, usize)) -> Size {
    Size::new(sides.0, sides.1).expect("the sizes used in tests are legal")
}

/// The same numbers on every machine.
pub fn seeded(seed: u64) -> SmallRng {
    SmallRng::seed_from_u64(seed)
}

/// A game as one string: column letter and row number from 1, move after move.
pub fn moves_text(moves: &[Point]) -> String {
    let text = |p: &Point| format!("{}{}", char::from(b'a' + p.x() as u8), p.y() + 1);
    moves.iter().map(text).collect::<Vec<_>>().concat()
}

/// Reads such a string.
pub fn moves_of(text: &str) -> Vec<Point> {
    let mut moves: Vec<(usize, usize)> = Vec::new();
    for c in text.bytes() {
        match (c, moves.last_mut()) {
            (b'a'..=b'v', _) => moves.push((usize::from(c - b'a'), 0)),
            (b'0'..=b'9', Some((_, row))) => *row = *row * 10 + usize::from(c - b'0'),
            _ => panic!("not a move string: {text}"),
        }
    }
    moves.into_iter().map(|(x, row)| Point::new(x, row - 1).expect("moves lie on the board")).collect()
}

/// The position after these moves, black first.
pub fn oracle_after(rule: Rule, size: Size, moves: &[Point]) -> Oracle {
    let mut oracle = Oracle::new(rule, size);
    for (i, &p) in moves.iter().enumerate() {
        oracle.set(p, Color::to_move_after(i).into());
    }
    oracle
}

/// The stones of a position, and its dead squares.
pub fn cells_of(oracle: &Oracle) -> Vec<(Point, Cell)> {
    let all = oracle.size().points().map(|p| (p, oracle.cell(p)));
    all.filter(|&(_, cell)| cell != Cell::Empty).collect()
}

/// Where random games place their stones.
#[derive(Clone, Copy, Debug)]
pub enum Taste {
    /// Around the middle of the board.
    Middle,
    /// Along one edge and into one corner.
    Corner,
    /// Near earlier stones and in line with them.
    Crowd,
    /// Extending the mover's own rows.
    Rows,
}

impl Taste {
    /// All tastes.
    pub const ALL: [Taste; 4] = [Taste::Middle, Taste::Corner, Taste::Crowd, Taste::Rows];
}

/// A random empty square for the side to move, in this style; `None` when the board is full. One move in ten is
/// anywhere.
pub fn random_move(rng: &mut SmallRng, oracle: &Oracle, played: &[Point], taste: Taste) -> Option<Point> {
    let size = oracle.size();
    let is_free = |p: &Point| oracle.cell(*p) == Cell::Empty;
    for _ in 0..20 {
        let wish = if rng.random_ratio(1, 10) { anywhere(rng, size) } else { wish(rng, size, played, taste) };
        if let Some(p) = wish.filter(|p| size.contains(*p)).filter(is_free) {
            return Some(p);
        }
    }
    let free: Vec<Point> = size.points().filter(is_free).collect();
    (!free.is_empty()).then(|| free[rng.random_range(0..free.len())])
}

/// Any square.
fn anywhere(rng: &mut SmallRng, size: Size) -> Option<Point> {
    Point::new(rng.random_range(0..size.width()), rng.random_range(0..size.height()))
}

/// A square in this style, if there is one; it may be occupied or off the board.
fn wish(rng: &mut SmallRng, size: Size, played: &[Point], taste: Taste) -> Option<Point> {
    // The smaller of two draws: near the top left corner.
    let mut low = |side: usize| rng.random_range(0..side).min(rng.random_range(0..side));
    let corner = (low(size.width()), low(size.height()));
    // The mean of three draws: near the middle.
    let mut mean = |side: usize| (0..3).map(|_| rng.random_range(0..side)).sum::<usize>() / 3;
    let middle = (mean(size.width()), mean(size.height()));
    match (taste, played.len()) {
        (Taste::Corner, _) => Point::new(corner.0, corner.1),
        (Taste::Middle, _) | (_, 0..2) => Point::new(middle.0, middle.1),
        (Taste::Crowd, moves) => {
            let near = played[rng.random_range(0..moves)];
            near.step(Direction::ALL[rng.random_range(0..4)], rng.random_range(-2..=2))
        }
        (Taste::Rows, moves) => {
            let own = played[moves - 2 * rng.random_range(1..=moves / 2)];
            own.step(Direction::ALL[rng.random_range(0..4)], rng.random_range(-4..=4))
        }
    }
}

/// A dense random position: stones of both sides on at most 8x8 squares somewhere on the board, more of them black, and
/// black stones often in line, so that there are many threes, fours and overlines. No stone makes a win.
pub fn crowded(rng: &mut SmallRng, rule: Rule, size: Size) -> Oracle {
    let mut oracle = Oracle::new(rule, size);
    let (width, height) = (size.width().min(rng.random_range(5..=8)), size.height().min(rng.random_range(5..=8)));
    let left = rng.random_range(0..=size.width() - width);
    let top = rng.random_range(0..=size.height() - height);
    let black_of_ten = rng.random_range(5..=8);
    let mut black: Option<Point> = None;
    for _ in 0..rng.random_range(8..=width * height * 2 / 3) {
        let (x, y) = (left + rng.random_range(0..width), top + rng.random_range(0..height));
        let color = if rng.random_ratio(black_of_ten, 10) { Color::Black } else { Color::White };
        let in_line = black.filter(|_| color == Color::Black && rng.random_ratio(1, 2));
        let wish = match in_line {
            Some(p) => p.step(Direction::ALL[rng.random_range(0..4)], rng.random_range(-4..=4)),
            None => Point::new(x, y),
        };
        if let Some(p) = wish
            && oracle.cell(p) == Cell::Empty
            && !oracle.wins(p, color)
        {
            oracle.set(p, color.into());
            black = if color == Color::Black { Some(p) } else { black };
        }
    }
    oracle
}
