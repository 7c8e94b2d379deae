//! One searching thread: its board, evaluator, history and principal variations.

use super::forced::{self, Kills};
use super::health::{self, Event};
use super::history::History;
use super::limits::SearchControl;
use super::params::Params;
use super::report::Iteration;
use super::scope::BlockedPaths;
use super::shared::Shared;
use super::stop_check::StopCheck;
use super::tt::TranspositionTable;
use crate::base::{Ply, Point, Score};
use crate::board::Board;
use crate::eval::{ChosenEvaluator, Evaluator};
use arrayvec::ArrayVec;

/// Nodes after which the table grows.
const GROWTH_INTERVAL: u64 = 256;
/// Most buckets by which it grows at a time: a tenth of a millisecond.
const MAX_GROWTH: u64 = 4096;

/// A principal variation.
pub type Variation = ArrayVec<Point, { Ply::MAX.index() + 1 }>;

/// Everything one thread needs to search.
pub struct Worker<'a> {
    /// The position being searched.
    pub board: Board,
    /// The evaluator, which follows the board.
    pub evaluator: ChosenEvaluator,
    /// The tunable numbers for the position's rule.
    pub params: Params,
    /// The history of moves.
    pub history: &'a mut History,
    /// The transposition table.
    pub table: &'a TranspositionTable,
    /// The principal variation from each ply on.
    pub pv: Vec<Variation>,
    /// Static evaluation at each ply of the current path; `None` where a threat must be answered.
    pub statics: Vec<Option<Score>>,
    /// When the search must stop.
    pub stop: StopCheck<'a>,
    /// Deepest ply visited.
    pub seldepth: usize,
    /// Depth of the iteration in plies.
    pub iteration_depth: i32,
    /// Moves that are blocked below the root.
    pub paths: BlockedPaths,
    shared: &'a Shared,
    /// Number of the thread; 0 is the main thread.
    id: usize,
    /// Buckets that this search has added to the table: one per node, unless the system gives memory too slowly.
    grown: u64,
}

impl<'a> Worker<'a> {
    /// The worker of thread `id` for `board`, under the limits of `control`.
    pub fn new(
        board: Board,
        params: &Params,
        history: &'a mut History,
        shared: &'a Shared,
        id: usize,
        control: &'a SearchControl,
    ) -> Worker<'a> {
        let evaluator = ChosenEvaluator::new(&board, shared.network());
        let empty = board.size().cells() - board.occupied();
        Worker {
            board,
            evaluator,
            params: *params,
            history,
            table: shared.table(),
            pv: vec![Variation::new(); Ply::MAX.index() + 2],
            statics: vec![None; Ply::MAX.index() + 2],
            stop: StopCheck::new(shared, id, control, params, empty),
            seldepth: 0,
            iteration_depth: 0,
            paths: BlockedPaths::default(),
            shared,
            id,
            grown: 0,
        }
    }

    /// Whether this thread searches to this depth; otherwise it skips to the next one.
    pub fn enter_depth(&self, depth: u32) -> bool {
        self.shared.enter_depth(self.id, depth)
    }

    /// Whether this is the main thread.
    pub fn is_main(&self) -> bool {
        self.id == 0
    }

    /// 64ths of the late-move reduction that this thread uses. Every other helper reduces more, so that the threads search
    /// different trees.
    pub fn reduction_scale(&self) -> i32 {
        if self.id.is_multiple_of(2) { 64 } else { self.params.lmr_helper() }
    }

    /// Counts a node; `true` when the search must stop here: see [`StopCheck::enter`].
    #[inline]
    pub fn enter(&mut self, ply: Ply) -> bool {
        if self.stop.enter(self.iteration_depth as u32) {
            return true;
        }
        self.seldepth = self.seldepth.max(ply.index());
        if self.stop.nodes().is_multiple_of(GROWTH_INTERVAL) && self.is_main() {
            self.grow_table();
        }
        false
    }

    /// Grows the table for the nodes since the last time. Where only the clock ends the search, it continues with a
    /// smaller table instead of waiting for memory.
    fn grow_table(&mut self) {
        let due = self.stop.total_nodes().saturating_sub(self.grown).min(MAX_GROWTH);
        self.grown += self.table.grow(due, self.stop.is_hurried());
    }

    /// Whether the side to move may play on the empty `point`: whether it is no foul.
    pub fn is_legal(&mut self, point: Point) -> bool {
        self.board.may_play(point, self.board.side())
    }

    /// The position's key in the table.
    #[inline]
    pub fn key(&self) -> u64 {
        self.board.key() ^ self.paths.salt()
    }

    /// Enters a node. Returns its score where nothing has to be searched: the search stops, the game is drawn, the threats
    /// prove a result, or the largest ply is reached. `kills` is for [`forced::duty_of`].
    #[inline]
    pub(super) fn enter_node(&mut self, ply: Ply, kills: &mut Kills) -> Option<Score> {
        self.pv[ply.index()].clear();
        if self.enter(ply) || self.board.is_draw() {
            return Some(Score::DRAW);
        }
        let proven = forced::conclude(&mut self.board, ply, kills);
        if proven.is_some() {
            health::count(Event::Concluded);
        }
        if proven.is_none() && ply >= Ply::MAX {
            return Some(self.evaluator.evaluate(&self.board));
        }
        proven
    }

    /// Plays a move on board and evaluator.
    #[inline]
    pub fn play(&mut self, point: Point) {
        self.table.prefetch(self.board.key_after(point) ^ self.paths.salt());
        self.board.play(point, &mut self.evaluator);
    }

    /// Undoes the last move on board and evaluator.
    #[inline]
    pub fn undo(&mut self) {
        self.board.undo(&mut self.evaluator);
    }

    /// Sets the principal variation of `ply`: `point`, then that of the next ply.
    pub fn update_pv(&mut self, ply: Ply, point: Point) {
        let (head, tail) = self.pv.split_at_mut(ply.index() + 1);
        let variation = &mut head[ply.index()];
        variation.clear();
        variation.push(point);
        let next = &tail[0][..tail[0].len().min(Ply::MAX.index())];
        variation.try_extend_from_slice(next).expect("a variation has room for every ply");
    }

    /// A report on an iteration to this depth that ends now, still without its line.
    pub(super) fn iteration_report(&self, depth: u32, score: Score) -> Iteration {
        Iteration {
            depth,
            seldepth: self.seldepth as u32,
            score,
            nodes: self.stop.total_nodes(),
            elapsed: self.stop.searched(),
            pv: Vec::new(),
            rank: 1,
        }
    }
}
