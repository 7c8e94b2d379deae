//! Finds further stones that bring a position to a given score.

use super::question::Question;
use super::{Engine, Level};
use crate::base::maps::HashSet;
use crate::base::point::{CELLS, sorted_sides};
use crate::base::{Point, Score};
use crate::board::observer::NullObserver;
use crate::board::{Board, Threat};
use crate::search::{GRACE, NullSink, Scope, SearchControl, SearchLimits};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Stones found by [`Engine::balance`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balanced {
    /// The stones in turns, the first one of the side to move.
    pub stones: Vec<Point>,
    /// The score after them, for the side then to move.
    pub score: Score,
    /// The depth to which all sets were searched; 0 if the only search was cut short before it found out a score.
    pub depth: u32,
}

/// A set of stones with the score after it.
struct ScoredSet {
    stones: Vec<Point>,
    score: Score,
    /// Whether the search found out a score before it was cut short.
    is_known: bool,
}

/// Largest number of sets of stones to search; if there are more, a random sample of this size.
const MAX_SETS: usize = 256;
/// On an empty board, largest distance of the first stone from the centre, in rows and columns.
const MAX_CENTRE_DISTANCE: usize = 4;
/// Seed of the sample: the same question gets the same one.
const SEED: u64 = 2;
/// Share of the game's clock that the question gets: one part in this many.
const CLOCK_PARTS: u32 = 7;
/// Depth of the first round, which searches all sets.
const FIRST_DEPTH: u32 = 2;
/// Depth of the last round, if the settings give no other.
const MAX_DEPTH: u32 = 12;

/// Nodes that even a slow machine searches in a millisecond.
const NODES_PER_MS: u64 = 256;
/// Nodes of the first search, even without time.
const FIRST_NODES: u64 = 1024;

impl Engine {
    /// Finds `count` further stones, the first one of the side to move, after which the score of the side then to move is
    /// about `bias`. No stone is placed on a blocked point; the searches ignore blocked points, and have full strength. `None`
    /// if that many stones cannot be placed. The position stays as it is. The control is used as in [`Engine::think`]: the
    /// answer comes within the limits, and at once when the control is stopped.
    pub fn balance(&mut self, count: usize, bias: i32, control: &SearchControl) -> Option<Balanced> {
        if count > self.size.cells() - self.stones.len() {
            return None;
        }
        let mut question = Question::new(self, control, CLOCK_PARTS);
        let deepest = control.limits().depth.unwrap_or(MAX_DEPTH).max(FIRST_DEPTH);
        // Each round searches the best quarter of the sets two plies deeper. The sets of the first round are generated
        // during it, since there may not be time for all.
        let mut depth = FIRST_DEPTH;
        let mut sets = Sets::new(self, count);
        let (mut scored, mut is_whole) = self.search_sets(std::iter::from_fn(|| sets.next()), depth, &mut question);
        let mut answer: Option<Balanced> = None;
        // A round that was cut short counts only if it was the first.
        while is_whole || answer.is_none() {
            scored.sort_by_key(|set| set.score.units().abs_diff(bias));
            let Some(ScoredSet { stones, score, is_known }) = scored.first() else { break };
            let depth_known = if *is_known { depth } else { 0 };
            answer = Some(Balanced { stones: stones.clone(), score: *score, depth: depth_known });
            if !is_whole || scored.len() == 1 || depth + 2 > deepest || self.is_over(&question) {
                break;
            }
            scored.truncate((scored.len() / 4).max(1));
            depth += 2;
            let sets = scored.into_iter().map(|set| set.stones);
            (scored, is_whole) = self.search_sets(sets, depth, &mut question);
        }
        answer
    }

    /// Searches the position after each of the sets, as long as there is time; also returns whether all were searched.
    /// A set whose search was cut short is left out.
    fn search_sets(
        &mut self,
        sets: impl Iterator<Item = Vec<Point>>,
        depth: u32,
        question: &mut Question<'_>,
    ) -> (Vec<ScoredSet>, bool) {
        let mut scored: Vec<ScoredSet> = Vec::new();
        let mut sets = sets.peekable();
        while let Some(stones) = sets.next() {
            let (board, control) = (self.board_after(&stones), part(question, depth));
            let report = self.search(Level::FULL, board, Scope::default(), &control, &mut NullSink);
            // The first one counts until another one does: there must be an answer.
            let is_whole = report.cut.is_none() || question.nodes == 0;
            question.count(&report);
            if is_whole {
                scored.retain(|set| set.is_known);
                scored.push(ScoredSet { stones, score: report.last.score, is_known: !report.is_unknown() });
            }
            if self.is_over(question) {
                return (scored, is_whole && sets.peek().is_none());
            }
        }
        (scored, true)
    }

    /// The position after further stones of alternating colours.
    pub(super) fn board_after(&self, stones: &[Point]) -> Board {
        let mut board = self.board();
        for &point in stones {
            board.play(point, &mut NullObserver);
        }
        board
    }
}

/// The control of the next search of a question. A search runs past its deadline until the first iteration is complete, or
/// for [`GRACE`] nodes, because a move needs one. Here only the first search must give a result: it always gets
/// [`FIRST_NODES`], the others get the nodes that fit into the remaining time.
fn part(question: &Question<'_>, depth: u32) -> SearchControl {
    let limits = question.limits();
    let left = limits.nodes.map(|nodes| nodes.saturating_sub(question.nodes));
    let least = if question.nodes == 0 { FIRST_NODES } else { 0 };
    let rest = limits.turn.map(|turn| turn.saturating_sub(question.began.elapsed()).as_millis() as u64);
    let affordable = rest.map(|ms| ms.saturating_mul(NODES_PER_MS).max(least)).filter(|&nodes| nodes < GRACE);
    let nodes = left.into_iter().chain(affordable).min();
    question.control.part(SearchLimits { nodes, depth: Some(depth), wants_score: true, ..limits })
}

/// Generates sets of stones to search: all sets if there are few, otherwise a random sample. The same question gets the
/// same sets.
struct Sets {
    /// The position without the stones of a set.
    board: Board,
    /// Whether a point is blocked, by its index.
    blocked: Box<[bool]>,
    /// The blocked paths from the position.
    paths: Vec<Vec<Point>>,
    /// Stones in a set.
    count: usize,
    /// The sets that are left, if all are used.
    all: Option<std::vec::IntoIter<Vec<Point>>>,
    /// Source of the sample.
    random: SmallRng,
    /// Draws that are left.
    draws: usize,
    /// The sets generated so far, as [`sides`].
    seen: HashSet<[Vec<Point>; 2]>,
}

impl Sets {
    fn new(engine: &Engine, count: usize) -> Sets {
        let mut sets = Sets {
            board: engine.board(),
            blocked: vec![false; CELLS].into(),
            paths: engine.blocked.paths_from(&engine.stones),
            count,
            all: None,
            random: SmallRng::seed_from_u64(SEED),
            draws: 2 * MAX_SETS,
            seen: HashSet::default(),
        };
        for point in engine.blocked.points() {
            sets.blocked[point.index()] = true;
        }
        sets.all = sets.all().map(Vec::into_iter);
        sets
    }

    /// All sets; `None` if there are more than [`MAX_SETS`].
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
                if longer.len() > MAX_SETS {
                    return None;
                }
            }
            sets = longer;
        }
        Some(sets)
    }

    /// The next set, skipping those that equal an earlier one in another order.
    fn next(&mut self) -> Option<Vec<Point>> {
        while self.seen.len() < MAX_SETS {
            let set = if let Some(all) = &mut self.all {
                Some(all.next()?)
            } else {
                self.draws = self.draws.checked_sub(1)?;
                self.draw()
            };
            if let Some(set) = set.filter(|set| !self.is_on_blocked_path(set) && self.seen.insert(sorted_sides(set))) {
                return Some(set);
            }
        }
        None
    }

    /// Whether these stones, played in this order, complete a blocked path.
    fn is_on_blocked_path(&self, set: &[Point]) -> bool {
        self.paths.iter().any(|path| {
            let Some((last, before)) = path.split_last() else { return false };
            set.get(before.len()) == Some(last) && sorted_sides(&set[..before.len()]) == sorted_sides(before)
        })
    }

    /// A random set, each stone near those before it; `None` if it could not be completed.
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

    /// Points for the next stone of a set: those near other stones; on an empty board those near the centre; all points
    /// if these are blocked.
    fn candidates(&self) -> Vec<Point> {
        let (board, size) = (&self.board, self.board.size());
        let mut points = Vec::new();
        board.for_each_near(|point| points.push(point));
        points.retain(|point| !self.blocked[point.index()]);
        if points.is_empty() {
            points.extend(size.points().filter(|point| board.is_empty(*point) && !self.blocked[point.index()]));
            let center = size.center();
            let is_central = |point: &Point| point.distance(center) <= MAX_CENTRE_DISTANCE;
            if board.occupied() == 0 && points.iter().any(is_central) {
                points.retain(is_central);
            }
        }
        points
    }

    /// Whether a stone there is legal and does not win.
    fn is_possible(&mut self, point: Point) -> bool {
        let us = self.board.side();
        self.board.threat(point, us) != Threat::Five && self.board.may_play(point, us)
    }
}
