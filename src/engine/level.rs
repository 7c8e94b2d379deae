//! Playing strength: levels 0 to 100, from level 0, a player that only compares threats, to level 100, the full engine.
//!
//! A level sets search probability, depth, width, oversight rate and omission rate. With the search probability, a move is
//! searched among the best candidates (the width) to a few plies (the depth). Otherwise it is chosen by its threat, without
//! a search: the player compares its best threat with the opponent's, and attacks or defends by their ratio.
//!
//! An *oversight* hides one colour's shapes on a line of the board for one move: more often on diagonals than on rows and
//! columns; less often on lines through the last stone, for own shapes (also on lines through the own last stone) and for
//! fives. From [`SOUND`] on no five and no open four of either side is overlooked. An *omission* leaves one candidate out
//! of a search, never the best and never one that a five or an open four makes necessary. Without omissions, levels 50
//! and 60, which overlook next to nothing, often played the same game with another seed.
//!
//! Levels below [`EXPERT`] have two habits of people. From [`SOUND`] on they answer an open three at once, without a four
//! first that only puts the answer off. And of equal candidates they prefer one near the last stone.
//!
//! At [`FULL`] there are no restrictions. Levels apply to the moves of a game; analysis is always at full strength.
//!
//! All random choices depend on the position and the seed alone, so games are reproducible.

use crate::base::hash::{GOLDEN, scatter};
use crate::base::{Cell, Color, Direction, Point, PointList, ReplyList, Size};
use crate::board::{Board, Shape, Threat, symmetry};
use crate::eval::{Evaluator, ShapeEvaluator};
use crate::search::forced::{self, Duty};
use crate::search::{Iteration, SearchReport};
use std::time::Duration;

/// The level without restrictions.
pub const FULL: u32 = 100;
/// The lowest level that never overlooks a five or an open four.
pub const SOUND: u32 = 50;
/// The lowest level without the habits of people: it may play any fours before it answers an open three, and has no
/// preference for points near the last stone.
pub const EXPERT: u32 = 80;
/// The lowest level that may answer an open three with a four that also makes a closed three or an open two: it searches
/// deep enough to see whether more fours follow and win.
const CHAINS: u32 = 70;

/// Names of levels, from the lowest to the highest.
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
    /// Search probability per mille.
    search_probability: u32,
    /// Search depth in plies.
    depth: u32,
    /// Candidates that are searched.
    width: u32,
    /// Oversight rate per mille of the lines.
    oversight_rate: u32,
    /// Omission rate per mille of the candidates.
    omission_rate: u32,
}

/// Every tenth level: search probability per mille, depth, width, oversight rate per mille, omission rate per mille. 91 to
/// 99 play like 90.
const SETTINGS: [[u32; 5]; 10] = [
    [0, 1, 3, 780, 0],
    [0, 1, 3, 380, 0],
    [0, 1, 4, 105, 0],
    [360, 1, 6, 14, 0],
    [780, 1, 9, 8, 0],
    [1000, 2, 11, 4, 80],
    [1000, 3, 20, 2, 60],
    [1000, 5, 24, 1, 40],
    [1000, 7, 22, 1, 0],
    [1000, 9, 24, 1, 0],
];

/// Value of making or preventing each threat, for moves that are chosen without a search. A four-three is worth so much
/// that it is played and not given up to stop an open four.
const THREAT_VALUE: [u32; Threat::ALL.len()] = [0, 0, 8, 9, 20, 24, 40, 55, 200, 30, 50, 900, 1000, 10_000];
/// A move without a search attacks when the best own threat has at least this many tenths of the value of the opponent's.
const ATTACK_RATIO: u32 = 9;

/// A candidate at most so many points from the last stone is near it.
const NEAR: usize = 2;

/// Factors of the oversight rate, in tenths: for diagonals, for rows and columns, for own shapes, for lines through the
/// last stone (for own shapes, the last stone of either side), for fives.
const DIAGONAL: u32 = 14;
const ORTHOGONAL: u32 = 8;
const OWN: u32 = 6;
const JUST_PLAYED: u32 = 4;
const FIVE: u32 = 2;

impl Level {
    /// The full engine.
    pub const FULL: Level = Level {
        strength: FULL,
        search_probability: 1000,
        depth: u32::MAX,
        width: u32::MAX,
        oversight_rate: 0,
        omission_rate: 0,
    };

    /// The level of this strength; more than 100 counts as 100.
    pub fn of(strength: u32) -> Level {
        if strength >= FULL {
            return Level::FULL;
        }
        let step = (strength / 10).min(8) as usize;
        let (low, high) = (SETTINGS[step], SETTINGS[step + 1]);
        let beyond = (strength - 10 * step as u32).min(10);
        let between = |i: usize| (low[i] * (10 - beyond) + high[i] * beyond + 5) / 10;
        Level {
            strength,
            search_probability: between(0),
            depth: between(1),
            width: between(2),
            oversight_rate: between(3),
            omission_rate: between(4),
        }
    }

    /// Whether this is the full engine.
    pub fn is_full(self) -> bool {
        self.strength >= FULL
    }

    /// Depth limit of a search in plies; `None`: none.
    pub fn depth(self) -> Option<u32> {
        (!self.is_full()).then_some(self.depth)
    }

    /// Whether this level never overlooks a five or an open four.
    fn is_sound(self) -> bool {
        self.strength >= SOUND
    }

    /// Whether this level has the habits of people: see [`EXPERT`].
    fn has_habits(self) -> bool {
        self.strength < EXPERT
    }
}

/// What a level does in one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Plays here without a search.
    Play(Point),
    /// Searches these points only.
    Search(Vec<Point>),
}

/// The choice of this level, `blocked` points left out; `stones` are those on the board, in playing order. `None` on an
/// empty board or if no point may be played; an ordinary search answers then.
pub fn choose(
    board: &mut Board,
    level: Level,
    seed: u64,
    stones: &[(Point, Cell)],
    blocked: &[Point],
) -> Option<Choice> {
    if board.occupied() == 0 {
        return None;
    }
    let is_own = |&&(_, cell): &&(Point, Cell)| cell.color() == Some(board.side());
    let own_last = stones.iter().rev().find(is_own).map(|&(point, _)| point);
    let view = View { level, seed: mix(seed ^ board.key()), last: board.last_move(), own_last };
    let necessary = if level.is_sound() { necessary(board, level, blocked) } else { None };
    let mut candidates = candidates(board, &view, necessary.as_ref(), blocked);
    let best = *candidates.first()?;
    if view.chance(0) >= level.search_probability {
        return Some(Choice::Play(best));
    }
    if necessary.is_none() {
        candidates.truncate(level.width as usize);
        candidates.retain(|&point| point == best || !view.omits(point));
    }
    Some(Choice::Search(with_images(board, &candidates, blocked)))
}

/// The moves to choose from when either side can make a five or an open four; `None` when neither can.
fn necessary(board: &mut Board, level: Level, blocked: &[Point]) -> Option<ReplyList> {
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
        Duty::StopFour(list) if level.has_habits() => Some(without_delays(board, &list, level, blocked)),
        Duty::StopFour(list) if !list.is_empty() => Some(list),
        Duty::StopFive(_) | Duty::StopFour(_) => Some(forced::last_resorts(board)),
        _ => None,
    }
}

/// The replies to a threatened open four without the fours that only put the answer off: the opponent stops such a four, and
/// the threat is still there. Where no other reply can be played, those that prevent at least one open four; where these
/// cannot be played either, the fours.
fn without_delays(board: &mut Board, replies: &ReplyList, level: Level, blocked: &[Point]) -> ReplyList {
    let (us, them) = (board.side(), board.side().opponent());
    let strongest_delay = if level.strength < CHAINS { Threat::FourPlus } else { Threat::Four };
    let stops = forced::kill_intersection(board, them, Threat::OpenFour);
    let last_resorts = forced::last_resorts(board);
    let mut playable = |points: &ReplyList| -> ReplyList {
        points.iter().copied().filter(|&point| is_playable(board, point, blocked)).collect()
    };
    let (replies, last_resorts) = (playable(replies), playable(&last_resorts));
    let is_delay = |point: &Point| !stops.contains(point) && board.threat(*point, us) <= strongest_delay;
    let kept: ReplyList = replies.iter().copied().filter(|point| !is_delay(point)).collect();
    [kept, last_resorts].into_iter().find(|list| !list.is_empty()).unwrap_or(replies)
}

/// Whether the side to move may play on this empty point.
fn is_playable(board: &mut Board, point: Point, blocked: &[Point]) -> bool {
    !blocked.contains(&point) && board.may_play(point, board.side())
}

/// The points near stones as this level sees them, the best first.
fn candidates(board: &mut Board, view: &View, necessary: Option<&ReplyList>, blocked: &[Point]) -> Vec<Point> {
    let us = board.side();
    let mut points = PointList::new();
    match necessary {
        Some(list) => points.extend(list.iter().copied()),
        None => board.for_each_near(|point| points.push(point)),
    }
    points.retain(|point| is_playable(board, *point, blocked));
    let value = |point: Point, color: Color| THREAT_VALUE[view.threat(board, point, color).index()];
    let seen: Vec<(Point, u32, u32)> = points.iter().map(|&p| (p, value(p, us), value(p, us.opponent()))).collect();
    let best_own = seen.iter().map(|&(_, own, _)| own).max().unwrap_or(0);
    let best_their = seen.iter().map(|&(_, _, their)| their).max().unwrap_or(0);
    let attacks = 10 * best_own >= ATTACK_RATIO * best_their;
    let is_near = |point: Point| view.last.is_some_and(|last| last.distance(point) <= NEAR);
    let mut ranked: Vec<(u32, bool, u64, Point)> = seen
        .into_iter()
        .map(|(point, own, their)| {
            let (first, second) = if attacks { (own, their) } else { (their, own) };
            let is_preferred = view.level.has_habits() && is_near(point);
            (4 * first + second, is_preferred, view.tie_break(point), point)
        })
        .collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    ranked.into_iter().map(|(.., point)| point).collect()
}

/// The points and their images under the symmetries of the position, except blocked ones. The search looks at one of each
/// group, and it need not be the one listed.
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

/// What a level sees of a position.
#[derive(Clone, Copy, Debug)]
struct View {
    level: Level,
    /// Random seed of this position.
    seed: u64,
    /// The last stone.
    last: Option<Point>,
    /// The last stone of the side to move.
    own_last: Option<Point>,
}

impl View {
    /// A random number below 1000 for `what`.
    fn chance(&self, what: u64) -> u32 {
        (mix(self.seed ^ mix(what)) % 1000) as u32
    }

    /// A random number to break ties between points.
    fn tie_break(&self, point: Point) -> u64 {
        mix(self.seed ^ mix(1 + point.index() as u64))
    }

    /// Whether a search leaves this candidate out.
    fn omits(&self, point: Point) -> bool {
        self.chance(4000 + point.index() as u64) < self.level.omission_rate
    }

    /// The shape of a point along one line; [`Shape::Dead`] if the line is overlooked.
    fn shape(&self, board: &Board, point: Point, color: Color, direction: Direction) -> Shape {
        let shape = board.shape(point, color, direction);
        let is_never_overlooked = self.level.is_sound() && matches!(shape, Shape::Five | Shape::OpenFour);
        if shape == Shape::Dead || is_never_overlooked {
            return shape;
        }
        let row = line_of(point, direction);
        let is_own = color == board.side();
        let lies_here = |stone: Option<Point>| stone.is_some_and(|stone| line_of(stone, direction) == row);
        let mut rate = self.level.oversight_rate * if direction.is_diagonal() { DIAGONAL } else { ORTHOGONAL };
        for (applies, tenths) in [
            (is_own, OWN),
            (lies_here(self.last) || (is_own && lies_here(self.own_last)), JUST_PLAYED),
            (shape == Shape::Five, FIVE),
        ] {
            rate = if applies { rate * tenths / 10 } else { rate };
        }
        let number = 1000 + 256 * (4 * color.index() + direction.index()) as u64 + row as u64;
        if self.chance(number) * 10 < rate { Shape::Dead } else { shape }
    }

    /// The threat that a stone of `color` on `point` would make, without overlooked lines.
    fn threat(&self, board: &Board, point: Point, color: Color) -> Threat {
        let lines = Direction::ALL.map(|direction| self.shape(board, point, color, direction));
        Threat::of_lines(lines, board.rule().has_forbidden(color))
    }
}

/// The index of the line of a direction that a point lies on.
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

/// The report of a move without a search.
pub fn report_without_search(board: &Board, point: Point) -> SearchReport {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::board::notation;
    use crate::board::tests::board_after;

    /// Names of the points that level `strength` searches after these moves of freestyle.
    fn searched(line: &str, strength: u32, blocked: &[&str]) -> Vec<String> {
        let mut board = board_after(Rule::Freestyle, line);
        let stones: Vec<(Point, Cell)> = board.moves().map(|point| (point, board.cell(point))).collect();
        let blocked = notation::parse_moves(&blocked.concat(), board.size()).unwrap();
        match choose(&mut board, Level::of(strength), 1, &stones, &blocked) {
            Some(Choice::Search(points)) => points.into_iter().map(notation::name).collect(),
            other => panic!("{line} at {strength}: {other:?}"),
        }
    }

    /// White's four on e4 also makes an open two, that on f4 nothing more.
    ///
    /// ```text
    /// . . . . . . . X X X . . . . .    8
    /// . . . . . . . . . . . . . . .    7
    /// . . . . O . . . . . . . . . .    6
    /// . . . . . . . . . . . . . . .    5
    /// X O O O * . . . . . . . . . .    4
    /// a b c d e f g h i j k l m n o
    /// ```
    const FOURS: &str = "h8b4i8c4a4d4o15e6j8";

    #[test]
    fn fours_that_lead_to_more_are_for_levels_that_search_deep_enough() {
        for (strength, plus, plain) in
            [(SOUND, false, false), (60, false, false), (CHAINS, true, false), (EXPERT, true, true)]
        {
            let points = searched(FOURS, strength, &[]);
            let has = |name: &str| points.iter().any(|point| point == name);
            assert!(has("g8") && has("k8"), "{strength}: {points:?}");
            assert_eq!([has("e4"), has("f4")], [plus, plain], "{strength}: {points:?}");
        }
    }

    /// Bug: where no stop could be played, the level was forgotten.
    #[test]
    fn a_four_is_searched_where_nothing_else_may_be_played() {
        let stops = ["f8", "g8", "k8", "l8"];
        assert_eq!(searched(FOURS, 60, &stops).len(), 2);
    }
}
