//! Questions of an analyst: several best lines, what defends, and which stones make a position even. Floor 4.

use super::{Engine, Level};
use crate::base::maps::HashSet;
use crate::base::{Point, Score};
use crate::board::Board;
use crate::board::observer::NullObserver;
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
/// Depth to which the sets that are left at last are searched when nothing else limits it.
const DEEPEST: u32 = 12;

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
    /// worth about `bias`, searching with everything there is. Blocked points are not used. `None` where so many stones cannot be placed. The position
    /// stays as it is; the control is that of [`Engine::think`].
    pub fn balance(&mut self, count: usize, bias: i32, control: &SearchControl) -> Option<Balanced> {
        let limits = control.limits();
        let mut sets: Vec<(Score, Vec<Point>)> =
            self.sets_of_stones(count).into_iter().map(|stones| (Score::DRAW, stones)).collect();
        let mut nodes_left = limits.nodes.unwrap_or(u64::MAX);
        let mut answer: Option<Balanced> = None;
        // Every round looks two plies deeper at a quarter of the sets.
        for depth in (2..=limits.depth.unwrap_or(DEEPEST).max(2)).step_by(2) {
            let mut weighed = 0;
            for (score, stones) in &mut sets {
                let board = self.board_after(stones);
                let inner = control.part(SearchLimits {
                    nodes: limits.nodes.map(|_| nodes_left),
                    depth: Some(depth),
                    ..limits.clone()
                });
                let report = self.search(Level::FULL, board, Scope::default(), &inner, &mut NullSink);
                nodes_left = nodes_left.saturating_sub(report.last.nodes);
                let whole = report.cut.is_none() || weighed == 0 && answer.is_none();
                if whole {
                    *score = report.last.score;
                    weighed += 1;
                }
                let ends = !whole || control.is_stopped() || nodes_left == 0 || is_out_of_time(&limits);
                if self.traces.has_more().map_or(ends, |more| !more) {
                    break;
                }
            }
            // A round that was cut short counts as far as it went if it was the first, and not at all otherwise.
            if weighed < sets.len() && answer.is_some() {
                break;
            }
            let finished = weighed == sets.len();
            sets.truncate(weighed);
            sets.sort_by_key(|(score, _)| (score.units() - bias).abs());
            if let Some((score, stones)) = sets.first() {
                answer = Some(Balanced { stones: stones.clone(), score: *score, depth });
            }
            if !finished || sets.len() <= 1 {
                break;
            }
            sets.truncate((sets.len() / 4).max(1));
        }
        answer
    }

    /// The sets of stones to weigh: all of them where they are few, otherwise a sample of those near other stones.
    fn sets_of_stones(&self, count: usize) -> Vec<Vec<Point>> {
        let mut board = self.board();
        let mut sets = vec![Vec::new()];
        for _ in 0..count {
            let next: Vec<Vec<Point>> = sets
                .iter()
                .flat_map(|set| {
                    self.next_stones(&mut board, set).into_iter().map(|point| [set.as_slice(), &[point]].concat())
                })
                .collect();
            if next.len() > MOST_SETS {
                return self.sample(count);
            }
            sets = next;
        }
        distinct(sets)
    }

    /// Random sets of stones, each near those before it.
    fn sample(&self, count: usize) -> Vec<Vec<Point>> {
        let mut random = SmallRng::seed_from_u64(SEED);
        let mut board = self.board();
        let mut sets = Vec::new();
        for _ in 0..2 * MOST_SETS {
            let mut set = Vec::new();
            while set.len() < count {
                let next = self.next_stones(&mut board, &set);
                if next.is_empty() {
                    break;
                }
                set.push(next[random.random_range(0..next.len())]);
            }
            if set.len() == count {
                sets.push(set);
            }
        }
        let mut sets = distinct(sets);
        sets.truncate(MOST_SETS);
        sets
    }

    /// Where the next stone of a set may lie: legal, not blocked, ending nothing, and near other stones.
    fn next_stones(&self, board: &mut Board, set: &[Point]) -> Vec<Point> {
        for &point in set {
            board.play(point, &mut NullObserver);
        }
        let us = board.side();
        let mut points: Vec<Point> = Vec::new();
        board.for_each_near(|point| points.push(point));
        if points.is_empty() {
            let center = self.size().center();
            let is_central =
                |point: &Point| point.x().abs_diff(center.x()).max(point.y().abs_diff(center.y())) <= MIDDLE;
            points.extend(self.size().points().filter(|&point| board.is_empty(point)));
            if board.move_number() == 0 {
                points.retain(is_central);
            }
        }
        points.retain(|point| !self.blocked.contains(point));
        points.retain(|&point| board.threat(point, us) != crate::board::Threat::Five && board.may_play(point, us));
        for _ in set {
            board.undo(&mut NullObserver);
        }
        points
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

/// Each set once, whatever the order in which a side places its stones.
fn distinct(sets: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
    let mut seen = HashSet::default();
    let sides = |set: &[Point]| {
        let mut sides: [Vec<Point>; 2] = [set.iter().copied().step_by(2).collect(), Vec::new()];
        sides[1].extend(set.iter().copied().skip(1).step_by(2));
        for side in &mut sides {
            side.sort_unstable();
        }
        sides
    };
    sets.into_iter().filter(|set| seen.insert(sides(set))).collect()
}

/// Whether the time for the whole question is used up.
fn is_out_of_time(limits: &SearchLimits) -> bool {
    let Some(started) = limits.started else { return false };
    limits
        .time_for_question(MOVES)
        .is_some_and(|time| Instant::now().saturating_duration_since(started) >= time * 9 / 10)
}
