//! Floor 4: the engine as its users see it: set a position, play, think, stop. No text, no stdin.

pub mod options;

pub use options::Options;

use crate::base::{Cell, Color, Point, Rule, Score, Size};
use crate::search::{Iteration, ReportSink, SearchControl, SearchLimits, SearchReport};
use std::fmt;
use std::time::{Duration, Instant};

/// Why a stone could not be played or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionError {
    /// The point is not on the board.
    Outside,
    /// The point is not empty.
    Occupied,
    /// There is no stone to take back.
    Empty,
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PositionError::Outside => "the point is not on the board",
            PositionError::Occupied => "the point is already occupied",
            PositionError::Empty => "there is no stone on this point",
        })
    }
}

/// The answer to a swap2 question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swap2Choice {
    /// Take black.
    Swap,
    /// Put these stones (one: stay white; two: let the opponent choose; three: the opening).
    Place(Vec<Point>),
}

/// A board, its settings and a searcher.
#[derive(Debug)]
pub struct Engine {
    rule: Rule,
    size: Size,
    /// Stones and dead cells in playing order.
    stones: Vec<(Point, Cell)>,
    to_move: Color,
    options: Options,
}

impl Engine {
    /// An engine with an empty 15x15 freestyle board.
    pub fn new() -> Engine {
        Engine {
            rule: Rule::Freestyle,
            size: Size::square(15).expect("15 is a legal side"),
            stones: Vec::new(),
            to_move: Color::Black,
            options: Options::default(),
        }
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The settings, to be changed; they take effect with the next search.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// The rule in force.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Changes the rule; the stones stay.
    pub fn set_rule(&mut self, rule: Rule) {
        self.rule = rule;
    }

    /// The board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Starts a new game on an empty board. `keep_hash`: what was learned so far stays useful (an analysing GUI
    /// restarts before every position); otherwise the search forgets, so that games are reproducible.
    pub fn new_game(&mut self, size: Size, keep_hash: bool) {
        let _ = keep_hash;
        self.size = size;
        self.stones.clear();
        self.to_move = Color::Black;
    }

    /// Replaces the whole position. `stones` in playing order; [`Cell::Wall`] marks a dead square. Stones off the
    /// board or on occupied points are an error, and the position stays as it was.
    pub fn set_position(&mut self, stones: &[(Point, Cell)], to_move: Color) -> Result<(), PositionError> {
        let mut seen = std::collections::HashSet::new();
        for &(p, _) in stones {
            if !self.size.contains(p) {
                return Err(PositionError::Outside);
            }
            if !seen.insert(p) {
                return Err(PositionError::Occupied);
            }
        }
        self.stones = stones.to_vec();
        self.to_move = to_move;
        Ok(())
    }

    /// Stones and dead squares on the board, in playing order.
    pub fn stones(&self) -> &[(Point, Cell)] {
        &self.stones
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Plays a stone of the side to move and passes the turn. Rules are not enforced beyond occupancy: managers judge.
    pub fn play(&mut self, point: Point) -> Result<(), PositionError> {
        if !self.size.contains(point) {
            return Err(PositionError::Outside);
        }
        if self.stones.iter().any(|&(p, _)| p == point) {
            return Err(PositionError::Occupied);
        }
        self.stones.push((point, self.to_move.into()));
        self.to_move = self.to_move.opponent();
        Ok(())
    }

    /// Removes a stone of either side, wherever it is in the order; the turn passes back.
    pub fn take_back(&mut self, point: Point) -> Result<(), PositionError> {
        let Some(index) = self.stones.iter().position(|&(p, cell)| p == point && cell != Cell::Wall) else {
            return Err(PositionError::Empty);
        };
        self.stones.remove(index);
        self.to_move = self.to_move.opponent();
        Ok(())
    }

    /// The limits that the settings give a search that starts now.
    pub fn limits(&self) -> SearchLimits {
        self.options.limits(Instant::now())
    }

    /// Points where the search must not play at the root (the GUI's blocked squares); kept until replaced.
    pub fn set_blocked(&mut self, points: &[Point]) {
        let _ = points;
    }

    /// Searches a move for the side to move. The caller has called [`SearchControl::begin`]; the search stops when
    /// its limits are used up or the control says so. The position stays as it is.
    pub fn think(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> SearchReport {
        let begin = Instant::now();
        let free: Vec<Point> = self.size.points().filter(|p| self.stones.iter().all(|(q, _)| q != p)).collect();
        let best = if self.stones.is_empty() { Some(self.size.center()) } else { free.first().copied() };
        let mut last = Iteration {
            depth: 0,
            seldepth: 0,
            score: Score::DRAW,
            nodes: 1,
            elapsed: Duration::ZERO,
            pv: best.into_iter().collect(),
        };
        // Stub: burns time until told to stop.
        loop {
            let limits = control.limits();
            let budget =
                limits.turn.unwrap_or(Duration::from_secs(5)).min(limits.left.unwrap_or(Duration::MAX)) * 8 / 10;
            if control.is_stopped()
                || limits.started.unwrap_or(begin).elapsed() >= budget
                || limits.depth.is_some()
                || limits.nodes.is_some()
            {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        last.depth = 1;
        sink.iteration(&last);
        SearchReport { best, last }
    }

    /// Answers a swap2 question for 0, 3 or 5 stones on the board; `None` for any other number. Same control as
    /// [`Engine::think`]. The position stays as it is.
    pub fn swap2(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> Option<Swap2Choice> {
        let _ = (control, sink);
        match self.stones.len() {
            0 => {
                let points: Vec<Point> = self.size.points().take(3).collect();
                Some(Swap2Choice::Place(points))
            }
            3 | 5 => Some(Swap2Choice::Swap),
            _ => None,
        }
    }

    /// Points where black may not play, when black is to move under renju; otherwise empty.
    pub fn forbidden_points(&mut self) -> Vec<Point> {
        Vec::new()
    }

    /// Forgets everything the search has learned.
    pub fn clear_hash(&mut self) {}

    /// Most hash memory the settings could ever give, in bytes.
    pub fn hash_capacity(&self) -> u64 {
        self.options.max_memory
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}
