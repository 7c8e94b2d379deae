//! The engine as its users see it: set a position, play, think, stop. No text, no stdin.

pub mod balanced_opening;
pub mod blocked;
pub mod database;
pub mod files;
pub mod hash_file;
pub mod level;
pub mod opening_rules;
pub mod options;
mod proven_line;
mod question;
pub mod trace;

pub use balanced_opening::Balanced;
pub use blocked::Blocked;
pub use database::Database;
pub use level::Level;
pub use opening_rules::Swap2Choice;
pub use options::Options;
pub use trace::SearchTrace;

use crate::base::clock::Instant;
use crate::base::maps::HashSet;
use crate::base::{Cell, Color, Ply, Point, Rule, Size};
use crate::board::forbidden::forbidden_points;
use crate::board::oracle::Oracle;
use crate::board::{Board, Threat};
use crate::eval::EvaluatorKind;
use crate::eval::network::Network;
use crate::search::tt::TtEntry;
use crate::search::{
    BlockedPaths, History, NullSink, ParamTable, Pool, ReportSink, Scope, SearchControl, SearchLimits, SearchReport,
    Task, TranspositionTable, root,
};
use proven_line::ProvenLines;
use std::fmt;
use std::sync::Arc;
use trace::Traces;

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

impl std::error::Error for PositionError {}

/// A position, the settings, and a search with its memory.
#[derive(Debug)]
pub struct Engine {
    rule: Rule,
    size: Size,
    /// Stones and dead cells in playing order.
    stones: Vec<(Point, Cell)>,
    to_move: Color,
    blocked: Blocked,
    options: Options,
    params: ParamTable,
    history: History,
    table: Arc<TranspositionTable>,
    pool: Pool,
    traces: Traces,
}

impl Engine {
    /// An engine with an empty 15x15 freestyle board.
    pub fn new() -> Engine {
        Engine {
            rule: Rule::Freestyle,
            size: Size::square(15).expect("15 is a legal side"),
            stones: Vec::new(),
            to_move: Color::Black,
            blocked: Blocked::default(),
            options: Options::default(),
            params: ParamTable::default(),
            history: History::new(),
            table: Arc::new(TranspositionTable::new(Options::default().hash_bytes())),
            pool: Pool::new(),
            traces: Traces::default(),
        }
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The settings, mutable; changes take effect with the next search.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// The parameters of the search.
    pub fn params(&self) -> &ParamTable {
        &self.params
    }

    /// The parameters of the search, mutable in builds with the feature `tune`; changes take effect with the next search.
    pub fn params_mut(&mut self) -> &mut ParamTable {
        &mut self.params
    }

    /// The rule in force.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Changes the rule; the stones stay.
    pub fn set_rule(&mut self, rule: Rule) {
        self.rule = rule;
    }

    /// Builds the tables of the rule and loads its network, so that the next search loses no time with them. Cheap when
    /// both are there.
    pub fn prepare(&mut self) {
        self.board();
        self.network();
    }

    /// The size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Starts a new game on an empty board. `keep_hash` keeps the hash table, for an analysing GUI, which starts a new
    /// game before every position; otherwise it is cleared, so that games are reproducible. Blocked points and lines
    /// that do not fit on the board are dropped.
    pub fn new_game(&mut self, size: Size, keep_hash: bool) {
        self.fit_memory();
        if !keep_hash {
            self.clear_hash();
        }
        self.table.prepare();
        self.size = size;
        self.blocked.fit(size);
        self.stones.clear();
        self.to_move = Color::Black;
    }

    /// Replaces the whole position. `stones` in playing order; [`Cell::Wall`] marks a dead square.
    ///
    /// # Errors
    /// A stone off the board or on an occupied point. The position then stays as it was.
    pub fn set_position(&mut self, stones: &[(Point, Cell)], to_move: Color) -> Result<(), PositionError> {
        let mut taken = HashSet::default();
        for &(point, _) in stones {
            if !self.size.contains(point) {
                return Err(PositionError::Outside);
            }
            if !taken.insert(point) {
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

    /// The side to move.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Plays a stone of the side to move and passes the turn. Forbidden points are allowed: the manager enforces the rule.
    ///
    /// # Errors
    /// The point is off the board or occupied.
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

    /// Removes a stone of either side, wherever it is in the order; the turn passes back. Black opens a board without a stone.
    ///
    /// # Errors
    /// There is no stone on the point.
    pub fn take_back(&mut self, point: Point) -> Result<(), PositionError> {
        let Some(index) = self.stones.iter().position(|&(p, cell)| p == point && cell != Cell::Wall) else {
            return Err(PositionError::Empty);
        };
        self.stones.remove(index);
        let is_empty = self.stones.iter().all(|&(_, cell)| cell == Cell::Wall);
        self.to_move = if is_empty { Color::Black } else { self.to_move.opponent() };
        Ok(())
    }

    /// The limits that the settings give to a search that starts now.
    pub fn limits(&self) -> SearchLimits {
        self.options.limits(Instant::now())
    }

    /// The moves that the search must not play.
    pub fn blocked(&self) -> &Blocked {
        &self.blocked
    }

    /// The moves that the search must not play, mutable; changes take effect with the next search.
    pub fn blocked_mut(&mut self) -> &mut Blocked {
        &mut self.blocked
    }

    /// The scope of a search for the `lines` best lines of the current position.
    fn scope(&self, board: &Board, lines: usize) -> Scope {
        self.scope_without(self.blocked.points().to_vec(), board, lines)
    }

    /// The same with these points blocked instead of those that the GUI has blocked.
    fn scope_without(&self, mut blocked: Vec<Point>, board: &Board, lines: usize) -> Scope {
        let paths = self.blocked.paths_from(&self.stones);
        blocked.extend(paths.iter().filter(|path| path.len() == 1).map(|path| path[0]));
        Scope { blocked, paths: BlockedPaths::new(board, &paths), lines, all_symmetric: self.options.all_symmetric }
    }

    /// The position with its shapes and threats, built from the stones.
    pub fn board(&self) -> Board {
        Board::from_cells(self.rule, self.size, &self.stones, self.to_move)
    }

    /// Searches a move for the side to move, at the strength of the settings ([`Engine::analyse`] ignores the strength).
    /// Call [`SearchControl::begin`] before; the search stops when its limits are used up or the control is stopped. The
    /// position stays as it is.
    pub fn think(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> SearchReport {
        let mut board = self.board();
        let level = self.level();
        let scope = self.scope(&board, 1);
        if level.is_full() {
            return self.search(level, board, scope, control, sink);
        }
        match level::choose(&mut board, level, self.options.seed, &self.stones, &scope.blocked) {
            None => self.search(level, board, scope, control, sink),
            Some(level::Choice::Play(point)) => {
                let report = level::report_without_search(&board, point);
                sink.iteration(&report.last);
                report
            }
            Some(level::Choice::Search(points)) => {
                let others = self.size.points().filter(|point| !points.contains(point)).collect();
                let scope = self.scope_without(others, &board, 1);
                self.search(level, board, scope, control, sink)
            }
        }
    }

    /// As [`Engine::think`] within this many nodes and without any other limit or report.
    pub fn think_nodes(&mut self, nodes: u64) -> SearchReport {
        let control = SearchControl::within(SearchLimits { nodes: Some(nodes), ..SearchLimits::default() });
        self.think(&control, &mut NullSink)
    }

    /// As [`Engine::think_nodes`], for the score: while that says nothing, again with two, four and eight times the nodes.
    pub fn think_to_a_score(&mut self, nodes: u64) -> SearchReport {
        let mut report = self.think_nodes(nodes);
        for times in [2, 4, 8] {
            if !report.is_unknown() {
                break;
            }
            report = self.think_nodes(nodes.saturating_mul(times));
        }
        report
    }

    /// Searches in the opponent's time, as [`Engine::think`] does: the position after the `reply` that is expected, or
    /// without one the position as it is. The position stays as it is.
    ///
    /// # Errors
    /// The reply is off the board or on an occupied point.
    pub fn ponder(
        &mut self,
        reply: Option<Point>,
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> Result<SearchReport, PositionError> {
        let Some(point) = reply else { return Ok(self.think(control, sink)) };
        self.play(point)?;
        let report = self.think(control, sink);
        self.take_back(point)?;
        Ok(report)
    }

    /// The move to expect in this position: the first of `line`, which a search expects, else that of the hash table.
    /// `None` where neither is known and possible, or where it wins at once.
    pub fn expected_reply(&self, line: &[Point]) -> Option<Point> {
        let board = self.board();
        let known = line.first().copied().or_else(|| self.remembers(&board)?.best);
        known.filter(|&point| board.is_empty(point) && board.threat(point, board.side()) != Threat::Five)
    }

    /// Searches at full strength whatever the settings say, for the `lines` best moves with a line each, in
    /// [`SearchReport::lines`]. The lines after the first cost less than the first. There are fewer where all other moves
    /// lose at once. Otherwise as [`Engine::think`].
    pub fn analyse(&mut self, lines: usize, control: &SearchControl, sink: &mut dyn ReportSink) -> SearchReport {
        let board = self.board();
        let scope = self.scope(&board, lines.max(1));
        self.search(Level::FULL, board, scope, control, sink)
    }

    /// The level of the settings.
    fn level(&self) -> Level {
        Level::of(self.options.strength)
    }

    /// Every search of the engine. A level below full limits the depth and the threads to one, since games with several
    /// threads are not reproducible.
    fn search(
        &mut self,
        level: Level,
        board: Board,
        scope: Scope,
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> SearchReport {
        let scripted = self.traces.scripted_control();
        let control = scripted.as_ref().unwrap_or(control);
        let shallow = level.depth().map(|depth| {
            let limits = control.limits();
            control.part(SearchLimits { depth: Some(limits.depth.map_or(depth, |most| most.min(depth))), ..limits })
        });
        let control = shallow.as_ref().unwrap_or(control);
        let mut alone = Pool::new();
        self.fit_memory();
        self.table_mut().new_search();
        self.history.age();
        let params = self.params.for_rule(self.rule);
        let mut lines = ProvenLines::new(board.clone(), &scope, &params, control, sink);
        let task = Task {
            board,
            scope,
            params,
            network: self.network(),
            history: &mut self.history,
            table: &self.table,
            pool: if level.is_full() { &mut self.pool } else { &mut alone },
            control,
        };
        let mut report = root::search(task, &mut lines);
        lines.check(&mut report);
        self.traces.note(&report);
        report
    }

    /// Fits the number of threads and the size of the hash table to the settings.
    fn fit_memory(&mut self) {
        self.pool.resize(self.options.usable_threads());
        let bytes = self.options.hash_bytes();
        self.table_mut().set_limit(bytes);
    }

    /// Traces of the searches since the last call. The first call switches tracing on and returns nothing.
    pub fn take_traces(&mut self) -> Vec<SearchTrace> {
        self.traces.take()
    }

    /// Makes the next searches repeat these, whatever their limits; `None` ends that.
    pub fn set_script(&mut self, script: Option<Vec<SearchTrace>>) {
        self.traces.set_script(script);
    }

    /// The network of the rule; `None` if the classical evaluation is the one to use.
    fn network(&self) -> Option<Arc<Network>> {
        (self.options.evaluator == EvaluatorKind::Network).then(|| Network::embedded(self.rule))
    }

    /// The table, mutable; waits for helpers that are still leaving a search.
    fn table_mut(&mut self) -> &mut TranspositionTable {
        self.pool.settle();
        Arc::get_mut(&mut self.table).expect("a parked helper holds no share of the table")
    }

    /// The points forbidden to the side to move; empty unless that is black under renju.
    pub fn forbidden_points(&self) -> Vec<Point> {
        forbidden_points(self.rule, self.size, &self.stones, self.to_move)
    }

    /// The entry of the hash table for a position, for tools that learn from searches.
    pub fn remembers(&self, board: &Board) -> Option<TtEntry> {
        self.table.probe(board.key(), Ply::ROOT)
    }

    /// Clears the hash table and the history of moves.
    pub fn clear_hash(&mut self) {
        self.table_mut().clear();
        self.history.clear();
        self.pool.new_game();
    }

    /// The bytes of the hash table, and the most that it may take. After a setting has made it smaller, the next search
    /// gives the rest back.
    pub fn hash_usage(&self) -> (u64, u64) {
        let most = self.options.hash_bytes();
        (self.table.bytes().min(most), most)
    }

    /// The most bytes of the hash table that the system has memory for, where that is less than the settings allow.
    pub fn hash_shortage(&self) -> Option<u64> {
        self.table.shortage()
    }

    /// Whether the game is over by a row that wins.
    pub fn has_winning_row(&self) -> bool {
        Oracle::from_cells(self.rule, self.size, self.stones.iter().copied()).winning_stone().is_some()
    }

    /// Largest hash table that the memory limit allows, in bytes.
    pub fn hash_capacity(&self) -> u64 {
        self.options.hash_limit()
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::NullObserver;
    use crate::board::notation::parse_moves;
    use std::time::Duration;

    /// Bug: a longer time for a move, or a larger table, replaced the table by an empty one.
    #[test]
    fn a_longer_time_and_a_larger_table_keep_the_entries() {
        let mut engine = Engine::new();
        for (x, y) in [(7, 7), (8, 8), (7, 8), (7, 9)] {
            engine.play(Point::new(x, y).unwrap()).unwrap();
        }
        let control = SearchControl::within(SearchLimits { depth: Some(10), ..SearchLimits::default() });
        engine.think(&control, &mut NullSink);
        // The number of moves after which the position is in the table.
        let remembered = |engine: &Engine| {
            let mut board = engine.board();
            let mut is_known = |&point: &Point| {
                board.play(point, &mut NullObserver);
                let is_known = engine.remembers(&board).is_some();
                board.undo(&mut NullObserver);
                is_known
            };
            let empty: Vec<Point> = engine.size.points().filter(|&point| engine.board().is_empty(point)).collect();
            empty.iter().filter(|point| is_known(point)).count()
        };
        let before = remembered(&engine);
        assert!(before > 10, "{before}");
        for (turn, hash) in [(1, None), (500, None), (500, Some(8 << 20)), (1, Some(200 << 20))] {
            engine.options_mut().turn = Some(Duration::from_secs(turn));
            engine.options_mut().hash_size = hash;
            engine.fit_memory();
            assert_eq!(remembered(&engine), before, "with {turn} s and {hash:?}");
        }
    }

    /// Bug: after a block whose only stone was the brain's own, and its removal, white opened.
    #[test]
    fn black_opens_a_board_without_a_stone() {
        let (stone, dead) = (Point::new(7, 7).unwrap(), Point::new(3, 3).unwrap());
        let mut engine = Engine::new();
        engine.set_position(&[(dead, Cell::Wall), (stone, Cell::Black)], Color::Black).unwrap();
        engine.take_back(stone).unwrap();
        assert_eq!(engine.to_move(), Color::Black);
    }

    /// Bug: games of self-play and reviews used the score of a move that the same search had shown to lose.
    #[test]
    fn a_score_that_says_nothing_is_searched_again() {
        let mut unknown = 0;
        for nodes in (200..3000).step_by(100) {
            let position = || {
                let mut engine = Engine::new();
                let line = "e2d1g1g5f4g6g4h4f6h5f5f7i4e6h3f2g8h8j5k6i3i2g3";
                parse_moves(line, engine.size).unwrap().into_iter().for_each(|point| engine.play(point).unwrap());
                engine
            };
            unknown += u32::from(position().think_nodes(nodes).is_unknown());
            assert!(!position().think_to_a_score(nodes).is_unknown(), "{nodes} nodes");
        }
        assert!(unknown > 0, "no search of this position refutes its move");
    }

    #[test]
    fn a_smaller_hash_size_takes_effect() {
        let mut engine = Engine::new();
        for mib in [8, 2, 4] {
            engine.options_mut().hash_size = Some(mib << 20);
            engine.fit_memory();
            assert_eq!(engine.table.limit(), mib << 20);
            assert!(engine.table.bytes() <= mib << 20);
        }
    }
}
