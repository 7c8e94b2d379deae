//! Questions of an analyst: several best lines, what defends, and which stones make a position even. Floor 4.

use super::{Engine, Level};
use crate::base::maps::HashSet;
use crate::base::point::CELLS;
use crate::base::{Point, Score};
use crate::board::observer::NullObserver;
use crate::board::{Board, Threat};
use crate::search::params::Params;
use crate::search::time::TimeManager;
use crate::search::worker::GRACE;
use crate::search::{NullSink, ReportSink, Scope, SearchControl, SearchLimits, SearchReport};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::time::Instant;

/// Stones that leave the game about even.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balanced {
    /// The stones, the side to move placing the first, then in turns.
    pub stones: Vec<Point>,
    /// The score after them, for the side that moves next.
    pub score: Score,
    /// The depth that score was searched to.
    pub depth: u32,
}

/// Most sets of stones that are weighed; beyond that, a sample is.
const MOST_SETS: usize = 256;
/// On an empty board, how far from the centre the first stone may lie.
const MIDDLE: usize = 4;
/// The same question gets the same sample.
const SEED: u64 = 2;
/// The question takes as much of the game's clock as one of so many moves.
const MOVES: u32 = 7;
/// Depth to which all of them are searched at first.
const FIRST_DEPTH: u32 = 2;
/// Depth to which the sets that are left at last are searched when nothing else limits it.
const DEEPEST: u32 = 12;

/// Nodes that any machine searches in a millisecond.
const SPEED: u64 = 256;
/// Nodes of the first search, however little time there is.
const FIRST_NODES: u64 = 1024;

impl Engine {
    /// Searches as [`Engine::think`] does, but with everything there is whatever the strength, for the `lines` best
    /// moves with a line each: [`SearchReport::lines`]. The others cost less than the first one. Fewer are reported
    /// where there are not as many moves that hold out.
    pub fn analyse(&mut self, lines: usize, control: &SearchControl, sink: &mut dyn ReportSink) -> SearchReport {
        self.best_lines(Level::FULL, lines, control, sink)
    }

    /// The same as a player of this level sees it.
    pub(super) fn best_lines(
        &mut self,
        level: Level,
        lines: usize,
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> SearchReport {
        let board = self.board();
        let scope = self.scope(&board, lines.max(1));
        self.search(level, board, scope, control, sink)
    }

    /// Looks for `count` further stones, the side to move placing the first, after which the side then to move is
    /// worth about `bias`, searching with everything there is. Blocked points are not used. `None` where so many
    /// stones cannot be placed. The position stays as it is; the control is that of [`Engine::think`], and the answer
    /// comes as a move would: within the time, and at once when it is stopped.
    pub fn balance(&mut self, count: usize, bias: i32, control: &SearchControl) -> Option<Balanced> {
        let mut question = Question::new(control, self.params.for_rule(self.rule));
        let deepest = control.limits().depth.unwrap_or(DEEPEST).max(FIRST_DEPTH);
        // Every round looks two plies deeper at a quarter of the sets. The sets of the first one are made while it goes
        // on, since there may not be time for all of them.
        let mut depth = FIRST_DEPTH;
        let mut sets = Sets::new(self, count);
        let (mut weighed, mut is_whole) = self.weigh(std::iter::from_fn(|| sets.next()), depth, &mut question);
        let mut answer: Option<Balanced> = None;
        // A round that was cut short counts as far as it went if it was the first, and not at all otherwise.
        while is_whole || answer.is_none() {
            weighed.sort_by_key(|(score, _)| (score.units() - bias).abs());
            let Some((score, stones)) = weighed.first() else { break };
            answer = Some(Balanced { stones: stones.clone(), score: *score, depth });
            if !is_whole || weighed.len() == 1 || depth + 2 > deepest || self.is_over(&question) {
                break;
            }
            weighed.truncate((weighed.len() / 4).max(1));
            depth += 2;
            let sets = weighed.into_iter().map(|(_, stones)| stones);
            (weighed, is_whole) = self.weigh(sets, depth, &mut question);
        }
        answer
    }

    /// Searches the position after each of the sets, as far as there is time, and says whether there was for all. A
    /// set that takes too long is left out.
    fn weigh(
        &mut self,
        sets: impl Iterator<Item = Vec<Point>>,
        depth: u32,
        question: &mut Question<'_>,
    ) -> (Vec<(Score, Vec<Point>)>, bool) {
        let mut weighed = Vec::new();
        let mut sets = sets.peekable();
        while let Some(stones) = sets.next() {
            let (board, control) = (self.board_after(&stones), question.part(depth));
            let report = self.search(Level::FULL, board, Scope::default(), &control, &mut NullSink);
            // The very first one counts in any case: there must be an answer.
            let is_whole = report.cut.is_none() || question.nodes == 0;
            question.nodes += report.last.nodes;
            if is_whole {
                weighed.push((report.last.score, stones));
            }
            if self.is_over(question) {
                return (weighed, is_whole && sets.peek().is_none());
            }
        }
        (weighed, true)
    }

    /// Whether no other search may begin: for the question's limits, or for what the script says when the question is
    /// one that is repeated.
    fn is_over(&self, question: &Question<'_>) -> bool {
        self.traces.has_more().map_or_else(|| question.is_over(), |more| !more)
    }

    /// The position after further stones, colours in turns.
    pub(super) fn board_after(&self, stones: &[Point]) -> Board {
        let mut board = self.board();
        for &point in stones {
            board.play(point, &mut NullObserver);
        }
        board
    }
}

/// The limits of a question that takes many searches.
struct Question<'a> {
    control: &'a SearchControl,
    params: Params,
    /// When its clock began to run.
    began: Instant,
    /// Nodes that its searches have visited.
    nodes: u64,
}

impl<'a> Question<'a> {
    fn new(control: &'a SearchControl, params: Params) -> Question<'a> {
        let began = control.limits().started.unwrap_or_else(Instant::now);
        Question { control, params, began, nodes: 0 }
    }

    /// What is allowed for the whole of it, as the limits of a single move.
    fn limits(&self) -> SearchLimits {
        let limits = self.control.limits();
        SearchLimits { started: Some(self.began), turn: limits.time_for_question(MOVES), left: None, ..limits }
    }

    /// Whether the allowance is used up, as a move's would be.
    fn is_over(&self) -> bool {
        let limits = self.limits();
        let deadline = TimeManager::new(&limits, 1, &self.params);
        self.control.is_stopped()
            || limits.nodes.is_some_and(|nodes| nodes <= self.nodes)
            || (deadline.is_bounded() && deadline.is_over(self.began.elapsed()))
    }

    /// The control of the next search. A search goes on after its deadline until its first iteration is done, or for
    /// [`GRACE`] nodes, because a move needs one. Here only the first search is needed, and not as badly: it gets some
    /// nodes in any case, and the others no more than there is time for.
    fn part(&self, depth: u32) -> SearchControl {
        let limits = self.limits();
        let left = limits.nodes.map(|nodes| nodes.saturating_sub(self.nodes));
        let least = if self.nodes == 0 { FIRST_NODES } else { 0 };
        let rest = limits.turn.map(|turn| turn.saturating_sub(self.began.elapsed()).as_millis() as u64);
        let affordable = rest.map(|ms| ms.saturating_mul(SPEED).max(least)).filter(|&nodes| nodes < GRACE);
        let nodes = left.into_iter().chain(affordable).min();
        self.control.part(SearchLimits { nodes, depth: Some(depth), ..limits })
    }
}

/// Sets of stones to weigh, made one after another: all of them where they are few, otherwise a sample of those near
/// other stones. The same question gets the same sets.
struct Sets {
    /// The position, without the stones of a set.
    board: Board,
    /// By the index of the point.
    blocked: Box<[bool]>,
    /// Stones of a set.
    count: usize,
    /// All sets that are left, where they are few.
    all: Option<std::vec::IntoIter<Vec<Point>>>,
    /// Otherwise what they are drawn with, and how often yet.
    random: SmallRng,
    draws: usize,
    /// What has been made: [`sides`] of each set.
    seen: HashSet<[Vec<Point>; 2]>,
}

impl Sets {
    fn new(engine: &Engine, count: usize) -> Sets {
        let mut sets = Sets {
            board: engine.board(),
            blocked: vec![false; CELLS].into(),
            count,
            all: None,
            random: SmallRng::seed_from_u64(SEED),
            draws: 2 * MOST_SETS,
            seen: HashSet::default(),
        };
        engine.blocked.iter().for_each(|point| sets.blocked[point.index()] = true);
        sets.all = sets.all().map(Vec::into_iter);
        sets
    }

    /// Every set; `None` when there are too many.
    fn all(&mut self) -> Option<Vec<Vec<Point>>> {
        let mut sets = vec![Vec::new()];
        for _ in 0..self.count {
            let mut longer = Vec::new();
            for set in &sets {
                for &point in set {
                    self.board.play(point, &mut NullObserver);
                }
                let mut points = self.candidates();
                points.retain(|&point| self.is_possible(point));
                longer.extend(points.into_iter().map(|point| [set.as_slice(), &[point]].concat()));
                for _ in set {
                    self.board.undo(&mut NullObserver);
                }
                if longer.len() > MOST_SETS {
                    return None;
                }
            }
            sets = longer;
        }
        Some(sets)
    }

    /// The next set that is not one of the earlier ones in another order.
    fn next(&mut self) -> Option<Vec<Point>> {
        while self.seen.len() < MOST_SETS {
            let set = if let Some(all) = &mut self.all {
                Some(all.next()?)
            } else {
                self.draws = self.draws.checked_sub(1)?;
                self.draw()
            };
            if let Some(set) = set.filter(|set| self.seen.insert(sides(set))) {
                return Some(set);
            }
        }
        None
    }

    /// A random set, each stone near those before it; `None` where it came to an end too early.
    fn draw(&mut self) -> Option<Vec<Point>> {
        let mut set = Vec::new();
        while set.len() < self.count {
            let mut points = self.candidates();
            let next = loop {
                if points.is_empty() {
                    break None;
                }
                let point = points.swap_remove(self.random.random_range(0..points.len()));
                if self.is_possible(point) {
                    break Some(point);
                }
            };
            let Some(point) = next else { break };
            self.board.play(point, &mut NullObserver);
            set.push(point);
        }
        for _ in &set {
            self.board.undo(&mut NullObserver);
        }
        (set.len() == self.count).then_some(set)
    }

    /// Where the next stone of a set may lie: near other stones; on an empty board around the centre, and anywhere
    /// if all else is blocked.
    fn candidates(&self) -> Vec<Point> {
        let (board, size) = (&self.board, self.board.size());
        let mut points = Vec::new();
        board.for_each_near(|point| points.push(point));
        points.retain(|point| !self.blocked[point.index()]);
        if points.is_empty() {
            points.extend(size.points().filter(|point| board.is_empty(*point) && !self.blocked[point.index()]));
            let center = size.center();
            let is_central =
                |point: &Point| point.x().abs_diff(center.x()).max(point.y().abs_diff(center.y())) <= MIDDLE;
            if board.move_number() == 0 && points.iter().any(is_central) {
                points.retain(is_central);
            }
        }
        points
    }

    /// Whether a stone there is legal and ends nothing.
    fn is_possible(&mut self, point: Point) -> bool {
        let us = self.board.side();
        self.board.threat(point, us) != Threat::Five && self.board.may_play(point, us)
    }
}

/// The stones of each side, in any order: sets that agree in them lead to the same position.
fn sides(set: &[Point]) -> [Vec<Point>; 2] {
    let mut sides: [Vec<Point>; 2] = [set.iter().copied().step_by(2).collect(), Vec::new()];
    sides[1].extend(set.iter().copied().skip(1).step_by(2));
    for side in &mut sides {
        side.sort_unstable();
    }
    sides
}
