//! Floor 4: the engine as its users see it: set a position, play, think, stop. No text, no stdin.

pub mod analysis;
pub mod database;
pub mod files;
pub mod hash_file;
pub mod level;
pub mod opening;
pub mod options;
mod proven_line;
pub mod trace;

pub use analysis::Balanced;
pub use database::Database;
pub use level::Level;
pub use opening::Swap2Choice;
pub use options::Options;
pub use trace::SearchTrace;

use crate::base::maps::HashSet;
use crate::base::{Cell, Color, Ply, Point, Rule, Size};
use crate::board::{Board, Threat};
use crate::eval::EvaluatorKind;
use crate::eval::network::Network;
use crate::search::tt::TtEntry;
use crate::search::{
    BlockedPaths, History, ParamTable, Pool, ReportSink, Scope, SearchControl, SearchLimits, SearchReport, Task,
    TranspositionTable, root,
};
use proven_line::ProvenLines;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;
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

/// A board, its settings and a searcher with its memory.
#[derive(Debug)]
pub struct Engine {
    rule: Rule,
    size: Size,
    /// Stones and dead cells in playing order.
    stones: Vec<(Point, Cell)>,
    to_move: Color,
    blocked: Vec<Point>,
    blocked_paths: Vec<Vec<Point>>,
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
            blocked: Vec::new(),
            blocked_paths: Vec::new(),
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

    /// The settings, to be changed; they take effect with the next search.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// The tunable numbers of the search.
    pub fn params(&self) -> &ParamTable {
        &self.params
    }

    /// The tunable numbers, to be changed (in builds for tuning); they take effect with the next search.
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

    /// Makes ready what the next search would lose time with: the tables of the rule and its network. Costs nothing when
    /// they are.
    pub fn prepare(&mut self) {
        self.board();
        self.network();
    }

    /// The board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Starts a new game on an empty board. `keep_hash`: what was learned so far stays useful (an analysing GUI
    /// restarts before every position); otherwise the search forgets, so that games are reproducible.
    pub fn new_game(&mut self, size: Size, keep_hash: bool) {
        self.fit_memory();
        if !keep_hash {
            self.clear_hash();
        }
        self.table.prepare();
        self.size = size;
        self.stones.clear();
        self.to_move = Color::Black;
    }

    /// Replaces the whole position. `stones` in playing order; [`Cell::Wall`] marks a dead square. Stones off the
    /// board or on occupied points are an error, and the position stays as it was.
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
        self.blocked = points.to_vec();
    }

    /// Lines, each from the empty board, whose last move the search must not play; kept until replaced. One counts
    /// where the stones on the board are its beginning, in whatever order they were played.
    pub fn set_blocked_paths(&mut self, paths: &[Vec<Point>]) {
        self.blocked_paths = paths.to_vec();
    }

    /// What is left of a path at the position at hand; `None` when it does not lead through it.
    fn rest_of_path<'a>(&self, path: &'a [Point]) -> Option<&'a [Point]> {
        let (walked, rest) = path.split_at_checked(self.stones.len())?;
        let colors = [Cell::Black, Cell::White].into_iter().cycle();
        let here = walked.iter().zip(colors).all(|(&point, color)| self.stones.contains(&(point, color)));
        (here && !rest.is_empty()).then_some(rest)
    }

    /// What is asked about the position at hand, its `lines` best lines being wanted.
    fn scope(&self, board: &Board, lines: usize) -> Scope {
        let paths: Vec<Vec<Point>> =
            self.blocked_paths.iter().filter_map(|path| self.rest_of_path(path)).map(<[Point]>::to_vec).collect();
        let mut blocked = self.blocked.clone();
        blocked.extend(paths.iter().filter(|path| path.len() == 1).map(|path| path[0]));
        Scope { blocked, paths: BlockedPaths::new(board, &paths), lines, all_symmetric: self.options.all_symmetric }
    }

    /// The position with everything the search keeps about it.
    pub fn board(&self) -> Board {
        Board::from_cells(self.rule, self.size, &self.stones, self.to_move)
    }

    /// Searches a move for the side to move, at the strength that the settings ask for; analysis, as
    /// [`Engine::analyse`], does not depend on that. The caller has called
    /// [`SearchControl::begin`]; the search stops when its limits are used up or the control says so. The position
    /// stays as it is.
    pub fn think(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> SearchReport {
        let mut board = self.board();
        let level = self.level();
        let scope = self.scope(&board, 1);
        if level.is_full() {
            return self.search(level, board, scope, control, sink);
        }
        match level::choose(&mut board, level, self.options.seed, &scope.blocked) {
            None => self.search(level, board, scope, control, sink),
            Some(level::Choice::Feel(point)) => {
                let report = level::felt(&board, point);
                sink.iteration(&report.last);
                report
            }
            Some(level::Choice::Read(points)) => self.think_among(&points, board, control, sink),
        }
    }

    /// Searches these points and no others.
    fn think_among(
        &mut self,
        points: &[Point],
        board: Board,
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> SearchReport {
        let others = self.size.points().filter(|point| !points.contains(point)).collect();
        let blocked = std::mem::replace(&mut self.blocked, others);
        let scope = self.scope(&board, 1);
        let report = self.search(self.level(), board, scope, control, sink);
        self.blocked = blocked;
        report
    }

    /// The strength that the settings ask for.
    fn level(&self) -> Level {
        Level::of(self.options.strength)
    }

    /// Every search of the engine. One of a level below the highest goes no deeper than the level reads, and is made
    /// by one thread: with several no game would come out twice.
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
        let mut lines = ProvenLines::new(board.clone(), &scope, params, control, sink);
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

    /// Gives threads and table the size that the settings ask for.
    fn fit_memory(&mut self) {
        self.pool.resize(self.options.usable_threads());
        let bytes = self.options.hash_bytes();
        self.table_mut().set_limit(bytes);
    }

    /// What the searches since the last call did; the first call only says that somebody wants to know.
    pub fn take_traces(&mut self) -> Vec<SearchTrace> {
        self.traces.take()
    }

    /// The next searches take the same course as these, whatever their limits; `None` ends that.
    pub fn set_script(&mut self, script: Option<Vec<SearchTrace>>) {
        self.traces.set_script(script);
    }

    /// The network that evaluates: the one for the rule, if there is one and it is wanted or the better choice.
    fn network(&self) -> Option<Arc<Network>> {
        let wanted = self.options.evaluator.unwrap_or_else(|| EvaluatorKind::best(self.rule));
        if wanted == EvaluatorKind::Network { Network::embedded(self.rule) } else { None }
    }

    /// The table, when nobody else uses it: helpers that are still on their way out of a search are waited for.
    fn table_mut(&mut self) -> &mut TranspositionTable {
        self.pool.settle();
        Arc::get_mut(&mut self.table).expect("a parked helper holds no share of the table")
    }

    fn forget_moves(&mut self) {
        self.history.clear();
        self.pool.new_game();
    }

    /// Points where black may not play, when black is to move under renju; otherwise empty.
    pub fn forbidden_points(&self) -> Vec<Point> {
        if !self.rule.has_forbidden(self.to_move) {
            return Vec::new();
        }
        let mut board = self.board();
        let mut points = board.points_of(Color::Black, Threat::Forbidden);
        points.retain(|point| board.is_forbidden(*point));
        points.to_vec()
    }

    /// What the search remembers of a position: for tools that learn from searches.
    pub fn remembers(&self, board: &Board) -> Option<TtEntry> {
        self.table.probe(board.key(), Ply::ROOT)
    }

    /// Forgets everything the search has learned.
    pub fn clear_hash(&mut self) {
        self.table_mut().clear();
        self.forget_moves();
    }

    /// Most hash memory the settings could ever give, in bytes.
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
    use crate::search::NullSink;
    use std::time::Duration;

    /// A longer time for a move, or a larger table, put an empty one in its place.
    #[test]
    fn a_longer_time_and_a_larger_table_keep_what_is_known() {
        let mut engine = Engine::new();
        for (x, y) in [(7, 7), (8, 8), (7, 8), (7, 9)] {
            engine.play(Point::new(x, y).unwrap()).unwrap();
        }
        let mut nodes = |turn, hash| {
            engine.options_mut().turn = Some(Duration::from_secs(turn));
            engine.options_mut().hash_size = hash;
            let control = SearchControl::default();
            control.begin(SearchLimits { depth: Some(8), ..SearchLimits::default() });
            engine.think(&control, &mut NullSink).last.nodes
        };
        let fresh = nodes(1, None);
        for (turn, hash) in [(500, None), (500, Some(8 << 20)), (1, Some(200 << 20))] {
            let again = nodes(turn, hash);
            assert!(again < fresh / 2, "{again} nodes instead of {fresh} with {turn} s and {hash:?}");
        }
    }

    #[test]
    fn a_hash_size_that_was_asked_for_is_obeyed_even_if_it_is_smaller() {
        let mut engine = Engine::new();
        for mib in [8, 2, 4] {
            engine.options_mut().hash_size = Some(mib << 20);
            engine.fit_memory();
            assert_eq!(engine.table.limit(), mib << 20);
            assert!(engine.table.bytes() <= mib << 20);
        }
    }
}
