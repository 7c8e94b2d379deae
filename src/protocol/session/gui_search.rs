//! The searches of an analysing GUI: several best lines, the defences, stones that balance a position.

use super::{Order, Session, Spot};
use crate::base::{Point, Score};
use crate::engine::{Blocked, Engine};
use crate::protocol::reply::{Complaint, Reply};
use crate::search::{Iteration, ReportSink, RootEvent, SearchControl};
use std::io::{self, Write};

/// Most stones to balance a position with.
const MAX_STONES: usize = 8;

impl<W: Write> Session<W> {
    /// Shows this many lines and plays the first move of the best one.
    pub(super) fn best_lines(&mut self, order: &Order, lines: usize) -> io::Result<()> {
        if self.is_full() {
            return self.complain(Complaint::NoMove);
        }
        if self.is_over()? {
            return self.answer(None, false, Some(order));
        }
        let report = self.analyse(order, |engine, control, sink| engine.analyse(lines, control, sink))?;
        self.answer(report.as_ref(), true, Some(order))
    }

    /// Searches every candidate move, shows their scores and plays the best one.
    pub(super) fn defend(&mut self, order: &Order) -> io::Result<()> {
        if self.is_full() {
            return self.complain(Complaint::NoMove);
        }
        if self.is_over()? {
            return self.answer(None, false, Some(order));
        }
        let all = self.engine.size().cells();
        let report = self.analyse(order, |engine, control, sink| engine.analyse(all, control, &mut BestOnly(sink)))?;
        if let Some(report) = &report {
            // A single candidate has no list of lines; neither has a first iteration that was cut short (depth 0).
            let is_single = report.lines.is_empty() && report.last.depth > 0;
            let lines = if is_single { std::slice::from_ref(&report.last) } else { &report.lines };
            let mut moves: Vec<(Point, Score)> =
                lines.iter().filter_map(|line| Some((*line.pv.first()?, line.score))).collect();
            // A move that was refuted since its line was found has no distance.
            let lost = Score::estimate(-Score::EVAL_LIMIT);
            let refuted = moves.iter_mut().filter(|(point, _)| report.losing.contains(point));
            refuted.for_each(|(_, score)| *score = lost.min(*score));
            let notation = self.notation();
            if !moves.is_empty() {
                self.reply_unless_left(order, &Reply::Defences { moves: &moves, notation })?;
            }
        }
        self.answer(report.as_ref(), true, Some(order))
    }

    /// Finds further stones that bring the position to the score `bias`. The answer has all of them on one line; the first,
    /// the only one that Yixin-Board reads, is played on our board.
    pub(super) fn balance(&mut self, order: &Order, stones: usize, bias: i64) -> io::Result<()> {
        let bias = bias.clamp(-i64::from(Score::EVAL_LIMIT), i64::from(Score::EVAL_LIMIT)) as i32;
        if stones > MAX_STONES {
            return self.complain(Complaint::BalanceCount(MAX_STONES));
        }
        let found = self.analyse(order, |engine, control, _| engine.balance(stones, bias, control))?.flatten();
        let Some(balanced) = found else {
            return self.complain(Complaint::NoMove);
        };
        let notation = self.notation();
        if !self.reply_unless_left(order, &Reply::Balanced { balanced: &balanced, notation })? {
            self.withhold(&Reply::Stones(&balanced.stones));
            return Ok(());
        }
        if let Some(&first) = balanced.stones.first()
            && let Err(error) = self.engine.play(first)
        {
            return self.complain(error.into());
        }
        self.reply(&Reply::Stones(&balanced.stones))
    }
}

impl<W: Write> Session<W> {
    /// Blocks or unblocks the points that lie on the board.
    pub(super) fn change_blocked_points(&mut self, spots: &[Spot], change: fn(&mut Blocked, &[Point])) {
        let points = self.points(spots);
        change(self.engine.blocked_mut(), &points);
    }

    /// Blocks or unblocks a line. One that leaves the board is ignored: a GUI that blocks all moves but one sends such.
    pub(super) fn change_blocked_paths(&mut self, spots: &[Spot], change: fn(&mut Blocked, &[Point])) {
        let path = self.points(spots);
        if path.len() == spots.len() {
            change(self.engine.blocked_mut(), &path);
        }
    }

    /// Shows what the memory limit and the machine allow.
    pub(super) fn show_info(&mut self) -> io::Result<()> {
        self.keep_hash = true;
        let kib = (self.engine.hash_capacity() >> 10).max(1);
        let threads = self.engine.options().max_threads() as u32;
        self.reply(&Reply::Capabilities { threads, hash_log2_kib: kib.ilog2() })
    }

    /// Says once how small the hash table stays if the system has no memory for more.
    pub(super) fn warn_of_shortage(&mut self) -> io::Result<()> {
        let shortage = self.engine.hash_shortage();
        if shortage == self.told_shortage || !self.started {
            return Ok(());
        }
        self.told_shortage = shortage;
        shortage.map_or(Ok(()), |bytes| self.reply(&Reply::SmallTable { kib: bytes.div_ceil(1024) }))
    }

    /// Whether the game is over by a row that wins; then says so.
    pub(super) fn is_over(&mut self) -> io::Result<bool> {
        let is_over = self.engine.has_winning_row();
        if is_over {
            self.engine.options_mut().end_question();
            self.reply(&Reply::GameOver)?;
        }
        Ok(is_over)
    }

    /// A search at full strength; a message says so if the settings have a lower one.
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

/// Reports the best line only.
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
