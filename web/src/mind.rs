//! Searches: a move at some level, an analysis, the questions of swap2, and the bench.
//!
//! The hash table is kept from question to question while rule and board stay the same.

use super::host;
use super::wire::{self, Position, Worth};
use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tengen::base::{Rule, Size};
use tengen::engine::{Engine, Swap2Choice};
use tengen::search::{Iteration, NullSink, ReportSink, RootEvent, SearchControl, SearchLimits, SearchReport};
use tengen::tools::bench;

/// The hash table, in bytes: a phone has room for it.
const HASH: u64 = 64 << 20;

/// How long a search may take; without any limit, until it is stopped.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Budget {
    /// Milliseconds.
    pub ms: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
}

impl Budget {
    fn limits(self) -> SearchLimits {
        let Budget { ms, nodes, depth } = self;
        SearchLimits { turn: ms.map(Duration::from_millis), nodes, depth, ..SearchLimits::default() }
    }

    fn control(self) -> SearchControl {
        let control = SearchControl::watched(host::stops);
        control.begin(self.limits());
        control
    }
}

/// The engine with its memory.
#[derive(Debug)]
pub struct Mind {
    engine: Engine,
    /// What the hash table is about.
    ground: Option<(Rule, Size)>,
}

impl Mind {
    /// A mind that knows nothing yet.
    pub fn new() -> Mind {
        let mut engine = Engine::new();
        engine.options_mut().hash_size = Some(HASH);
        engine.options_mut().threads = 1;
        Mind { engine, ground: None }
    }

    fn set(&mut self, position: &Position) -> Result<Size> {
        let (rule, size, section) = (position.rule()?, position.size()?, position.section()?);
        if self.ground != Some((rule, size)) {
            self.engine.set_rule(rule);
            self.engine.new_game(size, false);
            self.ground = Some((rule, size));
        }
        self.engine.set_position(&section.cells(), section.to_move())?;
        Ok(size)
    }

    /// Builds the tables of the rule and loads its network.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn prepare(&mut self, position: &Position) -> Result<Value> {
        self.set(position)?;
        self.engine.prepare();
        Ok(Value::Null)
    }

    /// A move at this strength (0 to 100), reported while it is being found.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn think(&mut self, position: &Position, budget: Budget, level: u32, seed: u64) -> Result<Value> {
        let size = self.set(position)?;
        self.engine.options_mut().strength = level.min(100);
        self.engine.options_mut().seed = seed;
        let report = self.engine.think(&budget.control(), &mut Live { size });
        Ok(json!({ "best": report.best.map(|point| wire::index(size, point)), "lines": lines(&report, size) }))
    }

    /// The best lines at full strength, reported while they are being found.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn analyse(&mut self, position: &Position, budget: Budget, count: usize, blocked: &[usize]) -> Result<Value> {
        let size = self.set(position)?;
        let blocked = blocked.iter().map(|&index| wire::point(size, index)).collect::<Result<Vec<_>>>()?;
        self.engine.blocked_mut().set_points(&blocked);
        let report = self.engine.analyse(count.clamp(1, 20), &budget.control(), &mut Live { size });
        self.engine.blocked_mut().set_points(&[]);
        Ok(json!({ "best": report.best.map(|point| wire::index(size, point)), "lines": lines(&report, size) }))
    }

    /// The answer to the question of swap2 after 0, 3 or 5 stones: `swap` takes black, else `place` has the stones to play.
    ///
    /// # Errors
    /// When there is no such position or no such question.
    pub fn swap2(&mut self, position: &Position, budget: Budget, seed: u64) -> Result<Value> {
        let size = self.set(position)?;
        self.engine.options_mut().opening_seed = seed;
        self.engine.options_mut().strength = 100;
        match self.engine.swap2(&budget.control(), &mut NullSink) {
            Some(Swap2Choice::Swap) => Ok(json!({ "swap": true, "place": [] })),
            Some(Swap2Choice::Place(stones)) => Ok(json!({ "swap": false, "place": wire::indices(size, &stones) })),
            None => anyhow::bail!("swap2 asks after 0, 3 or 5 stones"),
        }
    }
}

impl Default for Mind {
    fn default() -> Mind {
        Mind::new()
    }
}

/// The lines of a report, best first.
fn lines(report: &SearchReport, size: Size) -> Vec<Value> {
    let last = std::slice::from_ref(&report.last);
    let lines = if report.lines.is_empty() { last } else { &report.lines };
    lines.iter().filter(|line| !line.pv.is_empty()).map(|iteration| line(iteration, size)).collect()
}

fn line(iteration: &Iteration, size: Size) -> Value {
    let Worth { chance, plies, line } = Worth::new(iteration.score, &iteration.pv, size);
    json!({
        "chance": chance,
        "plies": plies,
        "pv": line,
        "rank": iteration.rank,
        "depth": iteration.depth,
        "seldepth": iteration.seldepth,
        "nodes": iteration.nodes,
        "ms": iteration.elapsed.as_millis() as u64,
    })
}

/// Reports every line of every iteration to the page.
struct Live {
    size: Size,
}

impl ReportSink for Live {
    fn iteration(&mut self, iteration: &Iteration) {
        host::report(&json!({ "line": line(iteration, self.size) }));
    }

    fn root_event(&mut self, event: RootEvent) {
        if let RootEvent::Leads(point) = event {
            host::report(&json!({ "leads": wire::index(self.size, point) }));
        }
    }
}

/// The bench: its nodes, which are the signature of the search, and the nodes of a second.
///
/// # Errors
/// When its last line is not as expected.
pub fn bench() -> Result<Value> {
    let mut text = Vec::new();
    let nodes = bench::search(&mut text)?;
    let text = String::from_utf8(text)?;
    let last = text.lines().last().unwrap_or_default();
    let speed: Option<u64> = last.split(' ').nth(2).and_then(|speed| speed.parse().ok());
    Ok(json!({ "nodes": nodes, "speed": speed, "text": text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(rule: u8, moves: Vec<usize>) -> Position {
        Position { rule, width: 15, height: 15, moves, ..Position::default() }
    }

    #[test]
    fn the_win_is_found_and_a_blocked_move_is_not_played() {
        let mut mind = Mind::new();
        let four = position(0, vec![112, 0, 113, 1, 114, 2, 115, 3]);
        let budget = Budget { nodes: Some(2000), ..Budget::default() };
        let answer = mind.analyse(&four, budget, 1, &[]).unwrap();
        assert!([111, 116].contains(&answer["best"].as_u64().unwrap()));
        assert_eq!(answer["lines"][0]["plies"], 1);
        assert_eq!(mind.analyse(&four, budget, 1, &[111]).unwrap()["best"], 116);
        assert_eq!(
            mind.think(&four, budget, 50, 1).unwrap()["best"].as_u64().map(|best| best == 111 || best == 116),
            Some(true)
        );
    }

    #[test]
    fn swap2_is_answered() {
        let mut mind = Mind::new();
        let budget = Budget { nodes: Some(2000), ..Budget::default() };
        assert_eq!(mind.swap2(&position(1, vec![]), budget, 3).unwrap()["place"].as_array().unwrap().len(), 3);
        assert!(mind.swap2(&position(1, vec![112, 113, 114]), budget, 3).unwrap()["swap"].is_boolean());
        assert!(mind.swap2(&position(1, vec![112]), budget, 3).is_err());
    }
}
