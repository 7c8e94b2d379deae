//! Strength for people: levels 0 to 100, from a player who only looks at shapes to the whole engine. Floor 4.
//!
//! A level sets the probability that a move is read, the depth and the width of the reading, and the rate of oversights.
//! A move that is not read is *felt*: the player compares the best shape they could make with the best one the opponent
//! could make, and attacks or defends by their ratio. A move that is *read* is searched among the best candidates only
//! (the *width*), a few plies deep (the *depth*). An *oversight* hides a whole line of the board for a move: a diagonal
//! more often than a row, a line of the last stone less often, a five hardly ever. From [`SOUND`] on no five and no open
//! four is overlooked, of either side. At 100 nothing of this applies. Levels are for the moves that the engine plays:
//! analysis is always at full strength.
//!
//! Which moves are read and what is overlooked follows from the position and the seed alone: the same game gets the
//! same answers.

use crate::base::hash::{GOLDEN, scatter};
use crate::base::{Color, Direction, Point, PointList, ReplyList, Size};
use crate::board::{Board, Shape, Threat, symmetry};
use crate::eval::{Evaluator, ShapeEvaluator};
use crate::search::forced::{self, Duty};
use crate::search::{Iteration, SearchReport};
use std::time::Duration;

/// The level that plays with everything there is.
pub const FULL: u32 = 100;
/// The lowest level that never overlooks a five or an open four.
pub const SOUND: u32 = 50;

/// Names for levels, from the lowest to the highest.
pub const LEVELS: [(&str, u32); 11] = [
    ("beginner", 0),
    ("novice", 10),
    ("casual", 20),
    ("attentive", 30),
    ("regular", 40),
    ("sound", 50),
    ("club", 60),
    ("strong", 70),
    ("expert", 80),
    ("master", 90),
    ("full", FULL),
];

/// How a level plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// 0 to 100.
    strength: u32,
    /// Moves that are read, of a thousand.
    reads: u32,
    /// Plies read.
    depth: u32,
    /// Candidates that are read.
    width: u32,
    /// Rows that are overlooked, of a thousand.
    blind: u32,
}

/// Every tenth level: moves read of a thousand, plies, candidates, rows overlooked of a thousand.
const LADDER: [[u32; 4]; 10] = [
    [0, 1, 3, 700],
    [0, 1, 3, 400],
    [0, 1, 3, 200],
    [0, 1, 4, 60],
    [330, 1, 5, 15],
    [700, 1, 8, 10],
    [1000, 1, 12, 4],
    [1000, 2, 14, 3],
    [1000, 4, 18, 2],
    [1000, 7, 26, 1],
];

/// What making a threat is worth to a player by feeling, and denying it as much, by threat code.
const WORTH: [u32; 14] = [0, 0, 8, 9, 20, 24, 40, 55, 200, 30, 50, 400, 1000, 10_000];
/// A player attacks when their best shape is worth at least this many tenths of the opponent's.
const BOLDNESS: u32 = 9;

/// How much of the rate of oversights, in tenths, holds for diagonals, for rows and columns, for a player's own shapes,
/// on the lines of the last stone, and for fives.
const DIAGONAL: u32 = 14;
const STRAIGHT: u32 = 8;
const OWN: u32 = 6;
const JUST_PLAYED: u32 = 4;
const FIVE: u32 = 2;

impl Level {
    /// The whole engine.
    pub const FULL: Level = Level { strength: FULL, reads: 1000, depth: u32::MAX, width: u32::MAX, blind: 0 };

    /// The level of this strength; more than 100 is 100.
    pub fn of(strength: u32) -> Level {
        if strength >= FULL {
            return Level::FULL;
        }
        let step = (strength / 10).min(8) as usize;
        let (low, high) = (LADDER[step], LADDER[step + 1]);
        let beyond = (strength - 10 * step as u32).min(10);
        let between = |i: usize| (low[i] * (10 - beyond) + high[i] * beyond + 5) / 10;
        Level { strength, reads: between(0), depth: between(1), width: between(2), blind: between(3) }
    }

    /// Whether nothing is held back.
    pub fn is_full(self) -> bool {
        self.strength >= FULL
    }

    /// Deepest iteration of a search, in plies; `None`: not limited.
    pub fn depth(self) -> Option<u32> {
        (!self.is_full()).then_some(self.depth)
    }

    /// Whether this player never overlooks a five or an open four.
    fn is_sound(self) -> bool {
        self.strength >= SOUND
    }
}

/// What a player of some level does in one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// They play here without reading.
    Feel(Point),
    /// They read these points and no others.
    Read(Vec<Point>),
}

/// Decides what a player of this level does, `blocked` points left out. `None` where shapes say nothing: on an empty
/// board, or where no point may be played; an ordinary search answers then.
pub fn choose(board: &mut Board, level: Level, seed: u64, blocked: &[Point]) -> Option<Choice> {
    if board.move_number() == 0 {
        return None;
    }
    let eyes = Eyes { level, seed: mix(seed ^ board.key()), last: board.last_move() };
    let necessary = if level.is_sound() { necessary(board) } else { None };
    let candidates = candidates(board, &eyes, necessary.as_ref(), blocked);
    let favourite = *candidates.first()?;
    if eyes.chance(0) >= level.reads {
        return Some(Choice::Feel(favourite));
    }
    let width = if necessary.is_some() { candidates.len() } else { candidates.len().min(level.width as usize) };
    Some(Choice::Read(with_images(board, &candidates[..width], blocked)))
}

/// What must be played so that no five and no open four is missed; `None` when anything goes.
fn necessary(board: &Board) -> Option<ReplyList> {
    let (us, them) = (board.side(), board.side().opponent());
    let fives = board.points_of(us, Threat::Five);
    if !fives.is_empty() {
        return Some(fives.into_iter().collect());
    }
    if board.count(them, Threat::Five) == 0 && board.count(us, Threat::OpenFour) > 0 {
        return Some(board.points_of(us, Threat::OpenFour).into_iter().collect());
    }
    match forced::duty(board) {
        Duty::StopFive(list) if !list.is_empty() => Some(list.into_iter().collect()),
        Duty::StopFour(list) if !list.is_empty() => Some(list),
        // Lost, but not without a fight.
        Duty::StopFive(_) => Some(forced::kill_union(board, them, Threat::Five)),
        Duty::StopFour(_) => Some(forced::kill_union(board, them, Threat::OpenFour)),
        _ => None,
    }
}

/// The points worth a thought as this player sees them, the one they would play by feeling first.
fn candidates(board: &mut Board, eyes: &Eyes, necessary: Option<&ReplyList>, blocked: &[Point]) -> Vec<Point> {
    let us = board.side();
    let mut points = PointList::new();
    match necessary {
        Some(list) => points.extend(list.iter().copied()),
        None => board.for_each_near(|point| points.push(point)),
    }
    points.retain(|point| !blocked.contains(point) && board.may_play(*point, us));
    let worth = |point: Point, color: Color| WORTH[eyes.threat(board, point, color).index()];
    let seen: Vec<(Point, u32, u32)> = points.iter().map(|&p| (p, worth(p, us), worth(p, us.opponent()))).collect();
    let best_own = seen.iter().map(|&(_, own, _)| own).max().unwrap_or(0);
    let best_their = seen.iter().map(|&(_, _, their)| their).max().unwrap_or(0);
    let attacks = 10 * best_own >= BOLDNESS * best_their;
    let mut ranked: Vec<(u32, u64, Point)> = seen
        .into_iter()
        .map(|(point, own, their)| {
            let (first, second) = if attacks { (own, their) } else { (their, own) };
            (4 * first + second, eyes.whim(point), point)
        })
        .collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    ranked.into_iter().map(|(_, _, point)| point).collect()
}

/// The points and those that are the same by the position's symmetries, as far as these may be played: a search looks
/// at one of each.
fn with_images(board: &Board, points: &[Point], blocked: &[Point]) -> Vec<Point> {
    let symmetries = symmetry::of_position(board);
    let mut all = Vec::new();
    for &point in points {
        let images = symmetries.iter().map(|symmetry| symmetry.apply(point, board.size()));
        for image in std::iter::once(point).chain(images) {
            if !all.contains(&image) && !blocked.contains(&image) {
                all.push(image);
            }
        }
    }
    all
}

/// What a player sees of a position.
#[derive(Clone, Copy, Debug)]
struct Eyes {
    level: Level,
    /// Differs from position to position.
    seed: u64,
    last: Option<Point>,
}

impl Eyes {
    /// A number below a thousand that belongs to `what`.
    fn chance(&self, what: u64) -> u32 {
        (mix(self.seed ^ mix(what)) % 1000) as u32
    }

    /// Decides between points that look the same to the player.
    fn whim(&self, point: Point) -> u64 {
        mix(self.seed ^ mix(1 + point.index() as u64))
    }

    /// The shape of a point along one line, if the player sees that line.
    fn shape(&self, board: &Board, point: Point, color: Color, direction: Direction) -> Shape {
        let shape = board.shape(point, color, direction);
        let is_plain = self.level.is_sound() && matches!(shape, Shape::Five | Shape::OpenFour);
        if shape == Shape::Dead || is_plain {
            return shape;
        }
        let row = line_of(point, direction);
        let is_straight = matches!(direction, Direction::Horizontal | Direction::Vertical);
        let mut hidden = self.level.blind * if is_straight { STRAIGHT } else { DIAGONAL };
        for (applies, tenths) in [
            (color == board.side(), OWN),
            (self.last.is_some_and(|last| line_of(last, direction) == row), JUST_PLAYED),
            (shape == Shape::Five, FIVE),
        ] {
            hidden = if applies { hidden * tenths / 10 } else { hidden };
        }
        let number = 1000 + 256 * (4 * color.index() + direction.index()) as u64 + row as u64;
        if self.chance(number) * 10 < hidden { Shape::Dead } else { shape }
    }

    /// What a stone of `color` on `point` would be worth, as far as the player sees.
    fn threat(&self, board: &Board, point: Point, color: Color) -> Threat {
        let lines = Direction::ALL.map(|direction| self.shape(board, point, color, direction));
        Threat::of_lines(lines, board.rule().has_forbidden(color))
    }
}

/// Which of a direction's lines a point lies on.
fn line_of(point: Point, direction: Direction) -> usize {
    match direction {
        Direction::Horizontal => point.y(),
        Direction::Vertical => point.x(),
        Direction::Rising => point.x() + point.y(),
        Direction::Falling => point.x() + Size::MAX_SIDE - point.y(),
    }
}

fn mix(number: u64) -> u64 {
    scatter(number.wrapping_add(GOLDEN))
}

/// The report on a move that was played by feeling.
pub fn felt(board: &Board, point: Point) -> SearchReport {
    let mut evaluator = ShapeEvaluator::new(board.rule());
    evaluator.refresh(board);
    let last = Iteration {
        depth: 1,
        seldepth: 1,
        score: evaluator.evaluate(board),
        nodes: 1,
        elapsed: Duration::ZERO,
        pv: vec![point],
        rank: 1,
    };
    SearchReport::new(Some(point), last)
}
