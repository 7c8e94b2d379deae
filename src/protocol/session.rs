//! The state machine: a command in, calls to the engine, replies out. Floor 5.
//!
//! Knows nothing of threads and pipes: it is generic over the writer, and what happens while it thinks reaches
//! it through [`Traffic`].

mod analysis;
mod library;
mod messages;
mod opening;

use super::command::{Command, Owner, Placement, Spot};
use super::info::{Info, Wishes};
use super::reply::{Complaint, Notation, Reply};
use super::traffic::{Order, Traffic};
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::engine::{Database, Engine, Level, Options, PositionError, SearchTrace};
use crate::search::{ReportSink, SearchControl, SearchReport};
use messages::Messages;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it is asked whether the database has been written, while nothing else is to be done.
const LOOK: Duration = Duration::from_millis(20);

/// Whether the session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Continue,
    /// It does not.
    End,
}

/// One manager's conversation with one engine.
#[derive(Debug)]
pub struct Session<W> {
    engine: Engine,
    out: W,
    traffic: Arc<Traffic>,
    /// Whether there is a board.
    started: bool,
    /// Whether the manager speaks the Yixin dialect.
    yixin: bool,
    /// Whether a new game keeps what the search has learned.
    keep_hash: bool,
    /// The searches of a session that is being repeated, question by question.
    script: Option<VecDeque<Vec<SearchTrace>>>,
    /// What it has said, line by line.
    replies: Vec<String>,
    /// What the manager wants to see.
    wishes: Wishes,
    database: Database,
    /// When the database was last written, or began to be.
    saved_at: Option<Instant>,
    blocked: Vec<Point>,
    /// Lines from the empty board whose last move is blocked.
    blocked_paths: Vec<Vec<Point>>,
    /// When the last command was done: the clock of the next one does not run before.
    free_since: Instant,
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
            script: None,
            replies: Vec::new(),
            wishes: Wishes::default(),
            database: Database::default(),
            saved_at: None,
            blocked: Vec::new(),
            blocked_paths: Vec::new(),
            free_since: Instant::now(),
        }
    }

    /// A session that repeats another one, whose searches these were: no clock, and no file is written.
    pub fn repeating(out: W, searches: Vec<Vec<SearchTrace>>) -> Session<W> {
        let mut session = Session::new(out, Arc::new(Traffic::default()));
        session.script = Some(searches.into());
        session
    }

    /// What a session that repeats another one has said, without what its searches have.
    pub fn take_replies(&mut self) -> Vec<String> {
        std::mem::take(&mut self.replies)
    }

    /// When the process began, from which on the clock of the first move may run.
    pub fn set_began(&mut self, began: Instant) {
        self.free_since = began;
    }

    /// Which openings are proposed, unless `INFO seed` says otherwise.
    pub fn set_opening_seed(&mut self, seed: u64) {
        self.engine.options_mut().opening_seed = seed;
    }

    /// Obeys orders until one of them ends the session or the output is closed. Then the database is in its file.
    pub fn serve(&mut self, orders: &Receiver<Order>) {
        if let Err(error) = self.obey_all(orders) {
            log::info!("the output is closed: {error}");
        }
        if let Err(error) = self.database.save() {
            log::error!("the database could not be written: {error}");
        }
    }

    fn obey_all(&mut self, orders: &Receiver<Order>) -> io::Result<()> {
        while let Some(order) = self.next(orders)? {
            if self.handle(&order)? == Flow::End {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the next order, if another one comes.
    fn next(&mut self, orders: &Receiver<Order>) -> io::Result<Option<Order>> {
        while self.database.is_saving() {
            match orders.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) => self.check_save()?,
                order => return Ok(order.ok()),
            }
        }
        Ok(orders.recv().ok())
    }

    /// The engine as the conversation has left it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Obeys one order. An error means that the output is closed.
    pub fn handle(&mut self, order: &Order) -> io::Result<Flow> {
        log::debug!("{:?}", order.command);
        self.yixin |= order.command.is_yixin();
        if order.command == Command::End {
            return Ok(Flow::End);
        }
        let (stones, to_move) = (self.engine.stones().to_vec(), self.engine.to_move());
        let outcome = catch_unwind(AssertUnwindSafe(|| self.obey(order))).unwrap_or_else(|_| {
            // A bug of ours shall cost one answer, not the game. One in the search does not even come this far.
            self.traffic.retire_info(order.seq);
            self.rebuild(&stones, to_move);
            self.complain(Complaint::Internal)
        });
        if self.started
            && self.traffic.is_last(order.seq)
            && catch_unwind(AssertUnwindSafe(|| self.engine.prepare())).is_err()
        {
            log::error!("the engine panicked while nobody waited for it");
        }
        let outcome = outcome.and_then(|()| self.save_now_and_then());
        // What a game begins with counts towards the first move's time; a question waits for those before it.
        if !matches!(order.command, Command::Start(_) | Command::Info(_)) {
            self.free_since = Instant::now();
        }
        outcome.map(|()| Flow::Continue)
    }

    fn obey(&mut self, order: &Order) -> io::Result<()> {
        match &order.command {
            Command::Info(info) => {
                self.inform(info);
                self.traffic.retire_info(order.seq);
                Ok(())
            }
            Command::Tune(name, value) => {
                let set = self.engine.params_mut().set(name, *value);
                set.or_else(|error| self.complain(error.into()))
            }
            Command::Start(size) => {
                self.new_game(*size);
                self.reply(&Reply::Ok)
            }
            Command::About => self.reply(&Reply::About),
            Command::ShowInfo => self.show_info(),
            Command::ShowHashUsage => self.reply(&Reply::HashCapacity(self.engine.hash_capacity() >> 10)),
            Command::ClearHash => {
                self.engine.clear_hash();
                Ok(())
            }
            Command::UnblockAll => {
                self.blocked.clear();
                self.engine.set_blocked(&[]);
                Ok(())
            }
            Command::UnblockPaths => {
                self.blocked_paths.clear();
                self.engine.set_blocked_paths(&[]);
                Ok(())
            }
            Command::Swap2Step(1) => self.swap2_opening(order),
            Command::Soosorv(step, count, spots) => self.soosorv(order, *step, *count, spots),
            Command::OfferDraw => self.reply(&Reply::DrawRejected),
            Command::SaveDatabase => self.save_database(),
            Command::CheckDatabase => self.reply(&Reply::DatabaseSize(self.database.len())),
            Command::File(file_use, path) => self.use_file(*file_use, path),
            Command::Database(..) if !self.wishes.use_database => Ok(()),
            Command::Stop | Command::End | Command::Accepted => Ok(()),
            Command::Malformed(malformed) => self.complain(Complaint::Malformed(*malformed)),
            Command::Unknown(word) => self.reply(&Reply::Unknown(word)),
            _ if !self.started => self.complain(Complaint::NotStarted),
            _ => self.obey_on_board(order),
        }
    }

    /// The commands that need a board.
    fn obey_on_board(&mut self, order: &Order) -> io::Result<()> {
        match &order.command {
            Command::Restart => {
                self.new_game(self.engine.size());
                self.reply(&Reply::Ok)
            }
            Command::Begin if !self.engine.stones().is_empty() => self.complain(Complaint::NotEmpty),
            Command::Begin => self.think(order),
            Command::Best(lines) => self.best_lines(order, *lines),
            Command::Defend => self.defend(order),
            Command::Balance { stones, bias } => self.balance(order, *stones, *bias),
            Command::Turn(spot) => match self.play(*spot) {
                Ok(_) => self.think(order),
                Err(error) => self.complain(error.into()),
            },
            Command::Play(spot) => match self.play(*spot) {
                Ok(point) => self.reply(&Reply::Move(point)),
                Err(error) => self.complain(error.into()),
            },
            Command::TakeBack(spot) => {
                let taken = self.point(*spot).and_then(|point| self.engine.take_back(point));
                match taken {
                    Ok(()) => self.reply(&Reply::Ok),
                    Err(error) => self.complain(error.into()),
                }
            }
            Command::Board(placements) => {
                let (stones, ours) = self.position(placements);
                if stones.len() >= self.engine.size().cells() {
                    return self.complain(Complaint::NoMove);
                }
                match self.engine.set_position(&stones, ours) {
                    Ok(()) => self.think(order),
                    Err(error) => self.complain(error.into()),
                }
            }
            Command::SetBoard(placements) => {
                let (stones, ours) = self.position(placements);
                let set = self.engine.set_position(&stones, ours);
                set.or_else(|error| self.complain(error.into()))
            }
            Command::Database(query, spots) => self.ask_database(query, spots),
            Command::Swap2Board(spots) => self.swap2_board(order, spots),
            Command::Swap2Step(step) => self.swap2_step(order, *step),
            Command::ShowForbidden => {
                let points = self.engine.forbidden_points();
                self.reply(&Reply::Forbidden(&points))
            }
            Command::Block(spots) => {
                self.block(spots);
                Ok(())
            }
            Command::Unblock(spots) => {
                self.unblock(spots);
                Ok(())
            }
            Command::BlockPath(spots) => {
                self.block_path(spots);
                Ok(())
            }
            Command::UnblockPath(spots) => {
                self.unblock_path(spots);
                Ok(())
            }
            // The rest needs no board and was obeyed before.
            _ => Ok(()),
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

    /// How points are written for a person: as Yixin-Board draws its board, or as everybody else does.
    fn notation(&self) -> Notation {
        if self.yixin { Notation::RowsFromBelow(self.engine.size().width()) } else { Notation::Plain }
    }

    fn complain(&mut self, complaint: Complaint) -> io::Result<()> {
        self.reply(&Reply::Error(complaint))
    }

    fn inform(&mut self, info: &Info) {
        info.apply(self.engine.options_mut());
        info.apply_wish(&mut self.wishes);
        if let Some(bits) = info.rule_bits() {
            // The one number that two dialects read differently: renju in Yixin's, a continuous game elsewhere.
            let rule = if bits == 2 && self.yixin { Some(Rule::Renju) } else { Rule::from_bits(bits) };
            if let Some(rule) = rule {
                self.engine.set_rule(rule);
            }
        }
    }

    fn new_game(&mut self, size: Size) {
        self.engine.new_game(size, self.keep_hash);
        self.engine.options_mut().spent = Duration::ZERO;
        self.blocked.retain(|&point| size.contains(point));
        self.engine.set_blocked(&self.blocked);
        self.blocked_paths.retain(|path| path.iter().all(|&point| size.contains(point)));
        self.engine.set_blocked_paths(&self.blocked_paths);
        self.started = true;
    }

    fn show_info(&mut self) -> io::Result<()> {
        self.keep_hash = true;
        let kib = (self.engine.hash_capacity() >> 10).max(1);
        self.reply(&Reply::Capabilities { threads: Options::max_threads() as u32, hash_log2_kib: kib.ilog2() })
    }

    fn point(&self, spot: Spot) -> Result<Point, PositionError> {
        self.engine.size().point(spot.x, spot.y).ok_or(PositionError::Outside)
    }

    /// The spots that lie on the board.
    fn points(&self, spots: &[Spot]) -> Vec<Point> {
        spots.iter().filter_map(|&spot| self.point(spot).ok()).collect()
    }

    /// The spots of a block as points; `None` unless all lie on the board, each another one.
    fn distinct_points(&self, spots: &[Spot]) -> Option<Vec<Point>> {
        let points = self.points(spots);
        let distinct = points.iter().enumerate().all(|(index, point)| !points[..index].contains(point));
        (distinct && points.len() == spots.len()).then_some(points)
    }

    /// The same as moves, black first.
    fn moves(&self, spots: &[Spot]) -> Option<Vec<(Point, Cell)>> {
        let colors = [Cell::Black, Cell::White].into_iter().cycle();
        self.distinct_points(spots).map(|points| points.into_iter().zip(colors).collect())
    }

    fn play(&mut self, spot: Spot) -> Result<Point, PositionError> {
        let point = self.point(spot)?;
        self.engine.play(point)?;
        Ok(point)
    }

    /// The position that a block describes, and our colour; we are to move. Lines off the board and repeated points
    /// are skipped. An even number of stones makes us black, except under renju, where the first one listed is black.
    fn position(&self, placements: &[Placement]) -> (Vec<(Point, Cell)>, Color) {
        let mut listed: Vec<(Point, Owner)> = Vec::new();
        for &(spot, owner) in placements {
            if let Ok(point) = self.point(spot)
                && listed.iter().all(|&(other, _)| other != point)
            {
                listed.push((point, owner));
            }
        }
        let even = if listed.len().is_multiple_of(2) { Color::Black } else { Color::White };
        let first = listed.iter().find(|(_, owner)| *owner != Owner::Dead);
        let ours = match first {
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

    /// Thinks, plays the move on our board and tells it.
    fn think(&mut self, order: &Order) -> io::Result<()> {
        if self.is_full() {
            return self.complain(Complaint::NoMove);
        }
        let found = self.search(order, |engine, control, sink| engine.think(control, sink))?;
        // What a player of a lower level believes is nothing to keep.
        self.answer(found.as_ref(), self.is_at_full_strength())
    }

    fn is_at_full_strength(&self) -> bool {
        Level::of(self.engine.options().strength).is_full()
    }

    /// Plays a move on our board and tells it; another one if there is none or it cannot be played. What was found is kept
    /// when that is done, if it is `to_keep`.
    fn answer(&mut self, found: Option<&SearchReport>, to_keep: bool) -> io::Result<()> {
        let (mut stones, to_move) = (self.engine.stones().to_vec(), self.engine.to_move());
        let played = found.and_then(|report| report.best).filter(|&point| self.engine.play(point).is_ok());
        let answer = match played {
            Some(point) => Some(point),
            None => self.fallback().filter(|&point| self.engine.play(point).is_ok()),
        };
        let told = match answer {
            Some(point) => self.reply(&Reply::Move(point)),
            None => self.complain(Complaint::NoMove),
        };
        // The move has been told: a mistake in this must not tell another one.
        if let Some(report) = found.filter(|_| to_keep)
            && catch_unwind(AssertUnwindSafe(|| self.keep(report, &mut stones, to_move))).is_err()
        {
            log::error!("what was found could not be kept");
        }
        told
    }

    /// Runs a search in the engine, watched by [`Traffic`]; `None` when it panicked, and then the engine has been
    /// rebuilt.
    fn search<T>(
        &mut self,
        order: &Order,
        question: impl FnOnce(&mut Engine, &SearchControl, &mut dyn ReportSink) -> T,
    ) -> io::Result<Option<T>> {
        let started = order.stamp.at.max(self.free_since);
        self.traffic.begin(order.seq, order.stamp, started, self.engine.options().clone());
        let (stones, to_move) = (self.engine.stones().to_vec(), self.engine.to_move());
        if let Some(script) = &mut self.script {
            self.engine.set_script(Some(script.pop_front().unwrap_or_default()));
        }
        if let Some(recorder) = self.traffic.recorder() {
            self.engine.take_traces();
            recorder.asked(&self.engine);
        }
        let notation = self.notation();
        let mut sink = Messages::new(&mut self.out, &self.traffic, notation, &self.wishes, started);
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
        self.engine.options_mut().spent += started.elapsed();
        outcome.map(|()| answer.ok())
    }

    /// A fresh engine in the place of one that panicked.
    fn rebuild(&mut self, stones: &[(Point, Cell)], to_move: Color) {
        log::error!("the engine panicked and is rebuilt");
        let mut engine = Engine::new();
        *engine.options_mut() = self.engine.options().clone();
        *engine.params_mut() = self.engine.params().clone();
        engine.set_rule(self.engine.rule());
        engine.new_game(self.engine.size(), false);
        if let Err(error) = engine.set_position(stones, to_move) {
            log::error!("the position could not be set again: {error}");
        }
        engine.set_blocked(&self.blocked);
        engine.set_blocked_paths(&self.blocked_paths);
        self.engine = engine;
    }

    /// A legal move without thinking: the empty point closest to the last stone.
    fn fallback(&mut self) -> Option<Point> {
        let engine = &mut self.engine;
        let forbidden = catch_unwind(AssertUnwindSafe(|| engine.forbidden_points())).unwrap_or_default();
        let (size, stones) = (self.engine.size(), self.engine.stones());
        let near = stones.last().map_or(size.center(), |&(point, _)| point);
        let distance = |point: Point| point.x().abs_diff(near.x()).max(point.y().abs_diff(near.y()));
        size.points()
            .filter(|point| stones.iter().all(|(other, _)| other != point))
            .min_by_key(|point| (forbidden.contains(point), self.blocked.contains(point), distance(*point)))
    }
}

#[cfg(test)]
mod tests;
