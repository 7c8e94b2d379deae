//! The state machine: a command in, calls to the engine, replies out.
//!
//! It knows nothing of threads and pipes: the writer is generic, and commands that arrive during a search reach it
//! through [`Traffic`].

mod gui_search;
mod library;
mod opening_questions;
mod pondering;
mod report_times;
mod settings;

use super::command::{Command, Owner, Placement, Spot};
use super::info::SessionOptions;
use super::queue::Orders;
use super::reply::{Complaint, Notation, Reply};
use super::session_record::Record;
use super::traffic::{Analysed, Order, Traffic};
use crate::base::clock::Instant;
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::engine::{Blocked, Database, Engine, Level, PositionError, SearchTrace};
use crate::search::{ReportSink, SearchControl, SearchReport};
use pondering::Pondering;
use report_times::Messages;
use settings::LastSearch;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// How often an idle session checks whether the database has been written.
const SAVE_POLL: Duration = Duration::from_millis(20);

/// Whether the session continues after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It continues.
    Continue,
    /// It ends.
    End,
}

/// After the manager has left, the time in which waiting questions are still searched, each cut at once. Then they get any legal
/// move, so that the process ends even if there are thousands.
const LAST_SEARCHES: Duration = Duration::from_millis(200);

/// Longest time for a question of an opening rule: Yixin-Board's "unlimited" is two thousand seconds.
const MAX_OPENING: Duration = Duration::from_secs(60);

/// The session of one manager with one engine.
#[derive(Debug)]
pub struct Session<W> {
    engine: Engine,
    out: W,
    traffic: Arc<Traffic>,
    /// Whether there is a board.
    started: bool,
    /// Whether the manager speaks the Yixin dialect.
    yixin: bool,
    /// Whether a new game keeps the hash table.
    keep_hash: bool,
    /// The size of the hash table in bytes of which the manager was told, because the system has no memory for more.
    told_shortage: Option<u64>,
    /// In a replayed session: the searches of each question.
    script: Option<VecDeque<Vec<SearchTrace>>>,
    /// In a replayed session: the indices in `replies` of the lines that were withheld when it was recorded.
    withheld: Vec<usize>,
    /// In a replayed session: the lines of its replies.
    replies: Vec<String>,
    /// Display and database settings.
    options: SessionOptions,
    database: Database,
    /// When the last write of the database started.
    saved_at: Option<Instant>,
    /// When the last command was answered; the clock of the next move does not start before.
    free_since: Instant,
    last_search: Option<LastSearch>,
    /// When the last move was sent.
    moved_at: Instant,
    /// Number of the last command.
    last: u64,
    pondering: Pondering,
}

impl<W: Write> Session<W> {
    /// A session before its first command.
    pub fn new(out: W, traffic: Arc<Traffic>) -> Session<W> {
        Session {
            engine: Engine::new(),
            out,
            traffic,
            started: false,
            yixin: false,
            keep_hash: false,
            told_shortage: None,
            script: None,
            withheld: Vec::new(),
            replies: Vec::new(),
            options: SessionOptions::default(),
            database: Database::default(),
            saved_at: None,
            free_since: Instant::now(),
            last_search: None,
            moved_at: Instant::now(),
            last: 0,
            pondering: Pondering::default(),
        }
    }

    /// A session that replays a recorded one: without a clock, and without writing files.
    pub fn repeating(out: W, record: &Record) -> Session<W> {
        let mut session = Session::new(out, Arc::new(Traffic::default()));
        session.script = Some(record.searches.clone().into());
        session.withheld = (0..record.said.len()).filter(|&index| record.said[index].is_none()).collect();
        session
    }

    /// The replies of a replayed session, without the messages of its searches.
    pub fn take_replies(&mut self) -> Vec<String> {
        std::mem::take(&mut self.replies)
    }

    /// Sets when the process began: the earliest time from which the clock of the first move can run.
    pub fn set_began(&mut self, began: Instant) {
        (self.free_since, self.moved_at) = (began, began);
    }

    /// Tells a person who types the commands what this program is for.
    ///
    /// # Errors
    /// The output is closed.
    pub fn greet(&mut self) -> io::Result<()> {
        self.reply(&Reply::Greeting)
    }

    /// Sets the random seed of proposed openings; `INFO seed` overrides it.
    pub fn set_opening_seed(&mut self, seed: u64) {
        self.engine.options_mut().opening_seed = seed;
    }

    /// Carries out orders until one of them ends the session or the output is closed; then saves the database.
    pub fn serve(&mut self, orders: &Orders) {
        if let Err(error) = self.obey_all(orders) {
            log::info!("cannot write the output: {error}");
        }
        if let Err(error) = self.database.save() {
            log::error!("cannot write the database: {error}");
        }
    }

    fn obey_all(&mut self, orders: &Orders) -> io::Result<()> {
        while let Some(order) = self.next(orders)? {
            if self.handle(&order)? == Flow::End {
                break;
            }
        }
        Ok(())
    }

    /// Ponders until the next order arrives and returns it; `None` if the queue is closed.
    fn next(&mut self, orders: &Orders) -> io::Result<Option<Order>> {
        self.ponder()?;
        while self.database.is_saving() {
            match orders.recv_timeout(SAVE_POLL) {
                Err(RecvTimeoutError::Timeout) => self.check_save()?,
                order => return Ok(order.ok()),
            }
        }
        Ok(orders.recv().ok())
    }

    /// The engine with the current position.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Carries out one order.
    ///
    /// # Errors
    /// The output is closed.
    pub fn handle(&mut self, order: &Order) -> io::Result<Flow> {
        log::debug!("{:?}", order.command);
        self.yixin |= order.command.is_yixin();
        self.last = order.seq;
        self.pondering.note(&order.command, order.stamp.at >= self.moved_at);
        if order.command == Command::End {
            return Ok(Flow::End);
        }
        let (stones, to_move) = (self.engine.stones().to_vec(), self.engine.to_move());
        let outcome = catch_unwind(AssertUnwindSafe(|| self.obey(order))).unwrap_or_else(|_| {
            // A bug in a command costs one answer, not the game. Panics of the search are caught in `search`.
            self.rebuild(&stones, to_move);
            self.complain(Complaint::Internal)
        });
        if order.command.thinks() {
            self.engine.options_mut().end_question();
        }
        // START and INFO count towards the time of the first move; a move waits for the answers before it.
        if !matches!(order.command, Command::Start(_) | Command::Info(_)) {
            self.free_since = Instant::now();
        }
        self.traffic.retire(order.seq);
        if self.started
            && self.traffic.is_last(order.seq)
            && catch_unwind(AssertUnwindSafe(|| self.engine.prepare())).is_err()
        {
            log::error!("the engine panicked while it prepared the next search");
        }
        let outcome = outcome.and_then(|()| self.warn_of_shortage()).and_then(|()| self.autosave());
        outcome.map(|()| Flow::Continue)
    }

    fn obey(&mut self, order: &Order) -> io::Result<()> {
        let command = &order.command;
        if matches!(command, Command::Database(..)) && !self.options.use_database {
            return Ok(());
        }
        if command.needs_board() && !self.started {
            return self.complain(Complaint::NotStarted);
        }
        if command.thinks() && self.traffic.is_abandoned() {
            return Ok(());
        }
        match command {
            Command::Start(size) => self.new_game(*size),
            Command::Restart => self.new_game(self.engine.size()),
            Command::Begin if !self.engine.stones().is_empty() => self.complain(Complaint::NotEmpty),
            Command::Begin => self.think(order),
            Command::Turn(spot) => match self.play(*spot) {
                // There is no answer, so nothing has happened.
                Ok(point) if self.is_full() => match self.engine.take_back(point) {
                    Ok(()) => self.complain(Complaint::NoMove),
                    Err(error) => self.complain(error.into()),
                },
                Ok(_) => self.think(order),
                Err(error) => self.complain(error.into()),
            },
            Command::Board(placements) => self.think_on(order, placements),
            Command::SetBoard(placements) => {
                let (stones, ours) = self.position(placements);
                let set = self.engine.set_position(&stones, ours);
                set.or_else(|error| self.complain(error.into()))
            }
            Command::Swap2Board(spots) => self.swap2_board(order, spots),
            Command::TakeBack(spot) => self.take_back(*spot),
            Command::Play(spot) => match self.play(*spot) {
                Ok(point) => self.reply(&Reply::Move(point)),
                Err(error) => self.complain(error.into()),
            },
            Command::Info(info) => {
                self.inform(info, &order.stamp);
                Ok(())
            }
            Command::Tune(name, value) => {
                let set = self.engine.params_mut().set(name, *value);
                set.or_else(|error| self.complain(error.into()))
            }
            Command::About => self.reply(&Reply::About),
            Command::Best(lines) => self.best_lines(order, *lines),
            Command::Defend => self.defend(order),
            Command::Balance { stones, bias } => self.balance(order, *stones, *bias),
            Command::ShowForbidden => {
                let points = self.engine.forbidden_points();
                self.reply(&Reply::Forbidden(&points))
            }
            Command::ShowInfo => self.show_info(),
            Command::ShowHashUsage => {
                let (bytes, most) = self.engine.hash_usage();
                self.reply(&Reply::HashUsage { kib: bytes >> 10, most_kib: most >> 10 })
            }
            Command::ClearHash => {
                self.engine.clear_hash();
                Ok(())
            }
            Command::Block(spots) => {
                self.change_blocked_points(spots, Blocked::add_points);
                Ok(())
            }
            Command::Unblock(spots) => {
                self.change_blocked_points(spots, Blocked::remove_points);
                Ok(())
            }
            Command::UnblockAll => {
                self.engine.blocked_mut().set_points(&[]);
                Ok(())
            }
            Command::BlockPath(spots) => {
                self.change_blocked_paths(spots, Blocked::add_path);
                Ok(())
            }
            Command::UnblockPath(spots) => {
                self.change_blocked_paths(spots, Blocked::remove_path);
                Ok(())
            }
            Command::UnblockPaths => {
                self.engine.blocked_mut().set_paths(&[]);
                Ok(())
            }
            Command::Swap2Step(1) => self.swap2_opening(order),
            Command::Swap2Step(step) => self.swap2_step(order, *step),
            Command::Soosorv { step, fifths, spots } => self.soosorv(order, *step, *fifths, spots),
            Command::OfferDraw => self.reply(&Reply::DrawRejected),
            Command::Database(query, spots) => self.ask_database(query, spots),
            Command::SaveDatabase => self.save_database(),
            Command::CheckDatabase => self.reply(&Reply::DatabaseSize(self.database.len())),
            Command::File(file_use, path) => self.use_file(*file_use, path),
            Command::Malformed(malformed) => self.complain(Complaint::Malformed(*malformed)),
            Command::Unknown(word) => self.reply(&Reply::Unknown(word)),
            Command::Stop | Command::Ponder | Command::End | Command::Accepted => Ok(()),
        }
    }

    /// Sets the position of a block and moves.
    fn think_on(&mut self, order: &Order, placements: &[Placement]) -> io::Result<()> {
        let (stones, ours) = self.position(placements);
        if stones.len() >= self.engine.size().cells() {
            return self.complain(Complaint::NoMove);
        }
        match self.engine.set_position(&stones, ours) {
            Ok(()) => self.think(order),
            Err(error) => self.complain(error.into()),
        }
    }

    fn take_back(&mut self, spot: Spot) -> io::Result<()> {
        match self.point(spot).and_then(|point| self.engine.take_back(point)) {
            Ok(()) => self.reply(&Reply::Ok),
            Err(error) => self.complain(error.into()),
        }
    }

    fn reply(&mut self, reply: &Reply<'_>) -> io::Result<()> {
        log::debug!("-> {reply}");
        if let Some(recorder) = self.traffic.recorder()
            && reply.is_repeatable()
        {
            recorder.said(Some(&reply.to_string()));
        }
        if self.script.is_some() && reply.is_repeatable() {
            self.replies.extend(reply.to_string().lines().map(str::to_owned));
        }
        reply.write(&mut self.out)
    }

    /// Gives an answer about the current position, unless the manager has left that position without waiting for it. Returns
    /// whether it was given.
    fn reply_unless_left(&mut self, order: &Order, reply: &Reply<'_>) -> io::Result<bool> {
        let is_left = self.is_left(order);
        if is_left {
            self.withhold(reply);
        } else {
            self.reply(reply)?;
        }
        Ok(!is_left)
    }

    /// Whether the manager has left the position of this question. A replay does as the record says.
    fn is_left(&self, order: &Order) -> bool {
        match self.script {
            Some(_) => self.withheld.contains(&self.replies.len()),
            None => self.traffic.is_superseded(order.seq),
        }
    }

    /// Notes in a record, and in a replay, that this reply is not sent.
    fn withhold(&mut self, reply: &Reply<'_>) {
        for _ in reply.to_string().lines() {
            if let Some(recorder) = self.traffic.recorder() {
                recorder.said(None);
            }
            if self.script.is_some() {
                self.replies.push(String::new());
            }
        }
    }

    /// The notation of points in messages.
    fn notation(&self) -> Notation {
        if self.yixin { Notation::RowsFromBelow(self.engine.size().width()) } else { Notation::Plain }
    }

    fn complain(&mut self, complaint: Complaint) -> io::Result<()> {
        self.reply(&Reply::Error(complaint))
    }

    fn new_game(&mut self, size: Size) -> io::Result<()> {
        self.engine.new_game(size, self.keep_hash);
        self.engine.options_mut().new_game();
        self.started = true;
        self.reply(&Reply::Ok)
    }

    fn point(&self, spot: Spot) -> Result<Point, PositionError> {
        spot.on(self.engine.size()).ok_or(PositionError::Outside)
    }

    /// The spots that lie on the board, as points.
    fn points(&self, spots: &[Spot]) -> Vec<Point> {
        spots.iter().filter_map(|&spot| self.point(spot).ok()).collect()
    }

    /// The spots of a block as moves in turns, black first; `None` if one is off the board or repeated.
    fn moves(&self, spots: &[Spot]) -> Option<Vec<(Point, Cell)>> {
        let points = Spot::distinct_points(spots, self.engine.size())?;
        Some(points.into_iter().zip(Cell::stones_in_turn()).collect())
    }

    fn play(&mut self, spot: Spot) -> Result<Point, PositionError> {
        let point = self.point(spot)?;
        self.engine.play(point)?;
        Ok(point)
    }

    /// The position that a block describes, and our colour, which is to move. Points off the board and repeated points are
    /// skipped. With an even number of stones we are black, except under renju, where the first stone listed is black.
    fn position(&self, placements: &[Placement]) -> (Vec<(Point, Cell)>, Color) {
        let mut listed: Vec<(Point, Owner)> = Vec::new();
        for &(spot, owner) in placements {
            if let Ok(point) = self.point(spot)
                && listed.iter().all(|&(other, _)| other != point)
            {
                listed.push((point, owner));
            }
        }
        let mut stones = listed.iter().filter(|(_, owner)| *owner != Owner::Dead);
        let even = Color::to_move_after(stones.clone().count());
        let ours = match stones.next() {
            Some((_, Owner::Own)) if self.engine.rule() == Rule::Renju => Color::Black,
            Some(_) if self.engine.rule() == Rule::Renju => Color::White,
            _ => even,
        };
        let cell = |owner| match owner {
            Owner::Own => ours.into(),
            Owner::Opponent => ours.opponent().into(),
            Owner::Dead => Cell::Wall,
        };
        (listed.into_iter().map(|(point, owner)| (point, cell(owner))).collect(), ours)
    }

    fn is_full(&self) -> bool {
        self.engine.stones().len() >= self.engine.size().cells()
    }

    /// Searches, plays the move on our board and answers it. In a game that is over any move will do.
    fn think(&mut self, order: &Order) -> io::Result<()> {
        if self.is_over()? {
            return self.answer(None, false, None);
        }
        let found = match self.pondered(order)? {
            Some(report) => Some(report),
            None => self.search(order, |engine, control, sink| engine.think(control, sink))?,
        };
        // The score of a lower level does not belong in the database.
        self.answer(found.as_ref(), self.is_at_full_strength(), None)
    }

    fn is_at_full_strength(&self) -> bool {
        Level::of(self.engine.options().strength).is_full()
    }

    /// Plays the move of a search on our board and answers it; a fallback if there is none or it cannot be played. Then
    /// looks for the reply to expect, and stores the result in the database if `store` is set. The move of an analysis is
    /// not played where the manager has left its position: Yixin-Board would play it on another one.
    fn answer(&mut self, found: Option<&SearchReport>, store: bool, analysis: Option<&Order>) -> io::Result<()> {
        let (mut stones, to_move) = (self.engine.stones().to_vec(), self.engine.to_move());
        if analysis.is_some_and(|order| self.is_left(order)) {
            self.withhold(&Reply::Move(self.engine.size().center()));
            let keep = || {
                if let Some(report) = found.filter(|_| store) {
                    self.store(report, &mut stones, to_move);
                }
            };
            if catch_unwind(AssertUnwindSafe(keep)).is_err() {
                log::error!("the database panicked after an analysis");
            }
            return Ok(());
        }
        let played = found.and_then(|report| report.best).filter(|&point| self.engine.play(point).is_ok());
        let answer = match played {
            Some(point) => Some(point),
            None => self.fallback().filter(|&point| self.engine.play(point).is_ok()),
        };
        let replied = match answer {
            Some(point) => self.reply(&Reply::Move(point)),
            None => self.complain(Complaint::NoMove),
        };
        self.moved_at = Instant::now();
        // The move is sent: a panic from here on must not lead to a second answer.
        let epilogue = || {
            self.expect_reply(found.filter(|_| played.is_some()));
            if let Some(report) = found.filter(|_| store) {
                self.store(report, &mut stones, to_move);
            }
        };
        if catch_unwind(AssertUnwindSafe(epilogue)).is_err() {
            log::error!("the engine or the database panicked after its move");
        }
        replied
    }

    /// Runs a search in the engine under the control of [`Traffic`]; `None` if it panicked, after rebuilding the engine, or if the
    /// manager has left long ago.
    fn search<T>(
        &mut self,
        order: &Order,
        question: impl FnOnce(&mut Engine, &SearchControl, &mut dyn ReportSink) -> T,
    ) -> io::Result<Option<T>> {
        // A record needs the searches of each question.
        let is_recorded = self.script.is_some() || self.traffic.recorder().is_some();
        if !is_recorded && self.traffic.left().is_some_and(|left| left.elapsed() > LAST_SEARCHES) {
            return Ok(None);
        }
        let started = order.stamp.at.max(self.free_since);
        let stones = || self.engine.stones().iter().map(|&(point, _)| point).collect();
        let analysed = order.command.is_analysis().then(|| Analysed { size: self.engine.size(), stones: stones() });
        let mut options = self.engine.options().clone();
        let is_opening = order.command.is_opening_question();
        options.longest = is_opening.then_some(MAX_OPENING);
        let is_off_the_clock = order.command.is_analysis() && !is_opening && options.leave_out_old_clock();
        let time_left = options.time_left;
        self.traffic.begin(order, analysed, started, options);
        let (stones, to_move) = (self.engine.stones().to_vec(), self.engine.to_move());
        if let Some(script) = &mut self.script {
            self.engine.set_script(Some(script.pop_front().unwrap_or_default()));
        }
        if let Some(recorder) = self.traffic.recorder() {
            self.engine.take_traces();
            recorder.asked(&self.engine, time_left);
        }
        let notation = self.notation();
        let draws = self.options.realtime && !is_opening;
        let mut sink = Messages::new(&mut self.out, &self.traffic, notation, order.seq, draws, started);
        let (engine, control) = (&mut self.engine, self.traffic.control());
        let answer = catch_unwind(AssertUnwindSafe(|| question(engine, control, &mut sink)));
        let outcome = sink.finish();
        self.traffic.end();
        if let Some(recorder) = self.traffic.recorder() {
            recorder.searched(&self.engine.take_traces());
        }
        if answer.is_err() {
            self.rebuild(&stones, to_move);
        }
        let options = self.engine.options_mut();
        if order.command.is_analysis() || is_opening {
            // It may be no move of the game: no increment is added for it.
            options.count_time(if is_off_the_clock { Duration::ZERO } else { started.elapsed() });
        } else {
            options.count_move(started.elapsed());
        }
        self.note_search(order);
        outcome.map(|()| answer.ok())
    }

    /// Replaces an engine that panicked by a new one with the same settings.
    fn rebuild(&mut self, stones: &[(Point, Cell)], to_move: Color) {
        log::error!("the engine panicked; it is replaced");
        let mut engine = Engine::new();
        *engine.options_mut() = self.engine.options().clone();
        *engine.params_mut() = self.engine.params().clone();
        engine.set_rule(self.engine.rule());
        engine.new_game(self.engine.size(), false);
        if let Err(error) = engine.set_position(stones, to_move) {
            log::error!("cannot restore the position: {error}");
        }
        *engine.blocked_mut() = self.engine.blocked().clone();
        self.engine = engine;
    }

    /// A legal move without a search: the empty point closest to the last stone, preferably not a blocked one.
    fn fallback(&mut self) -> Option<Point> {
        let engine = &mut self.engine;
        let forbidden = catch_unwind(AssertUnwindSafe(|| engine.forbidden_points())).unwrap_or_default();
        let (size, stones, blocked) = (self.engine.size(), self.engine.stones(), self.engine.blocked().points());
        let near = stones.last().map_or(size.center(), |&(point, _)| point);
        size.points()
            .filter(|point| stones.iter().all(|(other, _)| other != point))
            .min_by_key(|point| (forbidden.contains(point), blocked.contains(point), point.distance(near)))
    }
}

#[cfg(test)]
mod tests;
