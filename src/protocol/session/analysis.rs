//! An analyst's questions: what is blocked, which moves hold, what makes a position even. Floor 5.

use super::{Order, Session};
use crate::base::{Point, Score};
use crate::engine::Engine;
use crate::protocol::command::Spot;
use crate::protocol::reply::{Complaint, Reply};
use crate::search::{Iteration, ReportSink, RootEvent, SearchControl};
use std::io::{self, Write};

/// Most stones a position is balanced with.
const MOST_STONES: usize = 8;

impl<W: Write> Session<W> {
    pub(super) fn block(&mut self, spots: &[Spot]) {
        for point in self.points(spots) {
            if !self.blocked.contains(&point) {
                self.blocked.push(point);
            }
        }
        self.engine.set_blocked(&self.blocked);
    }

    pub(super) fn unblock(&mut self, spots: &[Spot]) {
        let points = self.points(spots);
        self.blocked.retain(|point| !points.contains(point));
        self.engine.set_blocked(&self.blocked);
    }

    /// A path that leaves the board is no path: a GUI that blocks all moves but one sends such.
    pub(super) fn block_path(&mut self, spots: &[Spot]) {
        let path = self.points(spots);
        if path.len() == spots.len() && !path.is_empty() && !self.blocked_paths.contains(&path) {
            self.blocked_paths.push(path);
            self.engine.set_blocked_paths(&self.blocked_paths);
        }
    }

    pub(super) fn unblock_path(&mut self, spots: &[Spot]) {
        let path = self.points(spots);
        self.blocked_paths.retain(|blocked| *blocked != path);
        self.engine.set_blocked_paths(&self.blocked_paths);
    }

    /// Shows so many lines, and plays the move of the best one.
    pub(super) fn best_lines(&mut self, order: &Order, lines: usize) -> io::Result<()> {
        if self.is_full() {
            return self.complain(Complaint::NoMove);
        }
        let report = self.analyse(order, |engine, control, sink| engine.analyse(lines, control, sink))?;
        self.answer(report.as_ref(), true)
    }

    /// Looks at every move, tells what each is worth, and plays the best.
    pub(super) fn defend(&mut self, order: &Order) -> io::Result<()> {
        if self.is_full() {
            return self.complain(Complaint::NoMove);
        }
        let all = self.engine.size().cells();
        let report = self.analyse(order, |engine, control, sink| engine.analyse(all, control, &mut BestOnly(sink)))?;
        if let Some(report) = &report {
            let moves: Vec<(Point, Score)> =
                report.lines.iter().filter_map(|line| Some((*line.pv.first()?, line.score))).collect();
            let notation = self.notation();
            if !moves.is_empty() {
                self.reply(&Reply::Defences { moves: &moves, notation })?;
            }
        }
        self.answer(report.as_ref(), true)
    }

    /// Looks for further stones that make the position even. They are all told on one line; the first of them, which
    /// is all that Yixin-Board reads, is played on our board.
    pub(super) fn balance(&mut self, order: &Order, stones: usize, bias: i64) -> io::Result<()> {
        let bias = bias.clamp(-i64::from(Score::EVAL_LIMIT), i64::from(Score::EVAL_LIMIT)) as i32;
        if stones > MOST_STONES {
            return self.complain(Complaint::BalanceCount(MOST_STONES));
        }
        let found = self.analyse(order, |engine, control, _| engine.balance(stones, bias, control))?.flatten();
        let Some(balanced) = found else {
            return self.complain(Complaint::NoMove);
        };
        let notation = self.notation();
        self.reply(&Reply::Balanced { balanced: &balanced, notation })?;
        if let Some(&first) = balanced.stones.first()
            && let Err(error) = self.engine.play(first)
        {
            return self.complain(error.into());
        }
        self.reply(&Reply::Stones(&balanced.stones))
    }
}

impl<W: Write> Session<W> {
    /// A search at full strength. Who has chosen a level for the moves of a game is told that it does not count here.
    fn analyse<T>(
        &mut self,
        order: &Order,
        question: impl FnOnce(&mut Engine, &SearchControl, &mut dyn ReportSink) -> T,
    ) -> io::Result<Option<T>> {
        if !self.is_at_full_strength() {
            let strength = self.engine.options().strength;
            self.reply(&Reply::FullStrength { strength })?;
        }
        self.search(order, question)
    }
}

/// Passes the best line on and keeps the others back.
struct BestOnly<'a>(&'a mut dyn ReportSink);

impl ReportSink for BestOnly<'_> {
    fn iteration(&mut self, iteration: &Iteration) {
        if iteration.rank == 1 {
            self.0.iteration(iteration);
        }
    }

    fn root_event(&mut self, event: RootEvent) {
        self.0.root_event(event);
    }
}
