//! The state shared by the listening and the thinking thread: the running search, and the commands that stop it.
//!
//! There are two kinds of users. A script sends everything at once and wants each answer with its full time. A manager
//! sends one question, and what it sends before the answer is meant for the running search. The clock distinguishes
//! them, question by question: what arrives within [`TOGETHER`] of a think command does not cut its search.
//!
//! A search in the opponent's time answers no command. The expected move makes it the running search; every other command
//! stops it, except for those that only set the clock.

use super::command::{Command, Query, Spot};
use super::info::Info;
use super::session_record::Recorder;
use crate::base::clock::Instant;
use crate::base::{Point, Size};
use crate::engine::Options;
use crate::search::{Ponder, SearchControl, SearchLimits};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Commands that arrive within this time of a think command count as sent together with it.
pub const TOGETHER: Duration = Duration::from_millis(50);

/// When a command arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The time when its last byte was read.
    pub at: Instant,
    /// How long the listener had waited for input until then. Unlike the wall clock, this does not run while the process
    /// is suspended between two reads or too busy to read what has arrived.
    pub listened: Duration,
}

impl Stamp {
    /// Whether this arrived too late after `earlier` to be sent together with it.
    pub fn is_apart_from(&self, earlier: &Stamp) -> bool {
        self.listened.saturating_sub(earlier.listened) > TOGETHER
    }
}

/// A command on its way from the listener to the session.
#[derive(Clone, Debug)]
pub struct Order {
    /// Its number; later commands have larger ones.
    pub seq: u64,
    /// When it arrived.
    pub stamp: Stamp,
    /// The command.
    pub command: Command,
}

/// The running search.
#[derive(Debug)]
struct Running {
    /// The number of its question.
    seq: u64,
    stamp: Stamp,
    started: Instant,
    /// Its settings, including those that arrived meanwhile.
    options: Options,
    /// How long it had run when its last limit was lifted. That does not mean "move now": the default time counts from there.
    lifted: Duration,
    /// Whether it began in the opponent's time, before its question.
    ponder: Ponder,
    /// The position, if the answer is due only while the manager shows it.
    analysed: Option<Analysed>,
    /// Whether it is an analysis.
    wants_score: bool,
}

/// The position of an analysis.
#[derive(Debug)]
pub struct Analysed {
    /// The size of the board.
    pub size: Size,
    /// The points with stones.
    pub stones: Vec<Point>,
}

impl Analysed {
    /// Whether a command shows that the manager has left the position. One that is refused does not.
    fn is_left_by(&self, command: &Command) -> bool {
        match command {
            Command::Turn(spot) => {
                let is_free = |point: Point| !self.stones.contains(&point);
                // The move that fills the board is refused.
                spot.on(self.size).is_some_and(is_free) && self.stones.len() + 1 < self.size.cells()
            }
            Command::Database(Query::Moves, spots) => Spot::distinct_points(spots, self.size).is_some_and(|points| {
                points.len() != self.stones.len() || points.iter().any(|point| !self.stones.contains(point))
            }),
            _ => false,
        }
    }
}

/// A search in the opponent's time.
#[derive(Debug)]
struct Pondering {
    /// The move that makes it the answer to a question; `None`: no move does.
    reply: Option<Spot>,
    /// The settings of the session.
    options: Options,
}

#[derive(Debug, Default)]
struct State {
    running: Option<Running>,
    pondering: Option<Pondering>,
    /// The number of the question that the search which began in the opponent's time answers.
    hit: Option<u64>,
    /// The `INFO`s that the session has not carried out yet.
    infos: VecDeque<(u64, Stamp, Info)>,
    /// The other commands that it has not carried out yet and that may show another position; see [`Analysed::is_left_by`].
    shows: VecDeque<Order>,
    /// Think commands with smaller numbers answer at once.
    cut_before: u64,
    /// Think commands with smaller numbers are about a position that the manager has left.
    superseded_before: u64,
    /// The number of the last command that arrived.
    heard: u64,
    /// The think commands that count as sent together with a command that arrives now: number and arrival. One stands for
    /// all that arrived in the same moment.
    thinks: VecDeque<(u64, Stamp)>,
    /// The last command that may need an answer.
    last_question: Option<Stamp>,
    /// When the manager has left, see [`Traffic::left`].
    left: Option<Instant>,
    /// Whether nobody will read an answer, see [`Traffic::abandon`].
    is_abandoned: bool,
}

/// The shared state, and the control of the running search.
#[derive(Debug, Default)]
pub struct Traffic {
    control: SearchControl,
    state: Mutex<State>,
    recorder: Option<Recorder>,
}

impl Traffic {
    /// The state of a session that is recorded, or not.
    pub fn new(recorder: Option<Recorder>) -> Traffic {
        Traffic { recorder, ..Traffic::default() }
    }

    /// The recorder of the session.
    pub fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// The control of the search.
    pub fn control(&self) -> &SearchControl {
        &self.control
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called by the listener when `order` arrives, before the session carries it out: stops the running search or changes
    /// its limits.
    pub fn announce(&self, order: &Order) {
        let mut state = self.state();
        state.heard = order.seq;
        while state.thinks.front().is_some_and(|(_, asked)| order.stamp.is_apart_from(asked)) {
            state.thinks.pop_front();
        }
        // Questions with smaller numbers were not sent together with this command.
        let together_from = state.thinks.front().map_or(order.seq, |&(first, _)| first);
        let with_question = state.last_question.is_some_and(|question| !order.stamp.is_apart_from(&question));
        let is_script = !state.thinks.is_empty() || (with_question && state.running.is_none());
        if order.command == Command::End && !is_script {
            state.left = Some(Instant::now());
        }
        if !matches!(order.command, Command::Info(_) | Command::Stop | Command::Ponder | Command::End) {
            state.last_question = Some(order.stamp);
        }
        if !order.command.is_clock() {
            self.ponder_hit_or_stop(&mut state, order);
        }
        match &order.command {
            Command::Stop => self.cut(&mut state, order.seq),
            command if command.supersedes() => {
                // What `END` and `TAKEBACK` interrupt is still answered: they set no other position.
                if !matches!(command, Command::End | Command::TakeBack(_)) {
                    state.superseded_before = state.superseded_before.max(together_from);
                    // It has ended: what follows is about another position.
                    if let Some(running) = state.running.as_mut().filter(|running| running.seq < together_from) {
                        running.analysed = None;
                    }
                }
                self.cut(&mut state, together_from);
            }
            Command::Database(Query::Moves, _) | Command::Turn(_) => {
                self.end_analysis(&mut state, order);
                state.shows.push_back(order.clone());
            }
            Command::Info(info) => {
                state.infos.push_back((order.seq, order.stamp, *info));
                if let Some(running) = &mut state.running
                    && order.stamp.is_apart_from(&running.stamp)
                {
                    let was_bounded = running.options.is_bounded();
                    info.apply_during(&mut running.options, order.stamp.at, running.started);
                    if was_bounded && !running.options.is_bounded() {
                        running.lifted = running.started.elapsed();
                    }
                    self.relimit(running);
                }
            }
            _ => {}
        }
        if order.command.thinks() && state.thinks.back().is_none_or(|(_, last)| last.listened != order.stamp.listened) {
            state.thinks.push_back((order.seq, order.stamp));
        }
    }

    /// Ends a running analysis if the manager has left its position. Yixin-Board does so without a command that says it: it
    /// asks for the database's moves in each position that it shows, and sends the user's move. Questions that arrived after the
    /// analysis are not concerned. In [`Traffic::begin`] also for what arrived before the analysis could begin.
    fn end_analysis(&self, state: &mut State, order: &Order) {
        let Some(running) = &mut state.running else { return };
        let is_left = running.analysed.as_ref().is_some_and(|analysed| analysed.is_left_by(&order.command));
        if order.seq < running.seq || !order.stamp.is_apart_from(&running.stamp) || !is_left {
            return;
        }
        running.analysed = None;
        let next = running.seq + 1;
        state.superseded_before = state.superseded_before.max(next);
        self.cut(state, next);
    }

    /// When the manager has left, if it has: its `END` arrived alone. An `END` sent together with questions waits for their
    /// answers.
    pub fn left(&self) -> Option<Instant> {
        self.state().left
    }

    /// Called when nobody will read an answer any more: the output is closed, or the manager has left and no longer reads. Stops
    /// the running search, and from now on every search at its start.
    pub fn abandon(&self) {
        self.state().is_abandoned = true;
        self.control.stop();
    }

    /// Whether nobody will read an answer any more.
    pub fn is_abandoned(&self) -> bool {
        self.state().is_abandoned
    }

    /// Ends the search in the opponent's time, if there is one: it answers this order, or stops.
    fn ponder_hit_or_stop(&self, state: &mut State, order: &Order) {
        let Some(Pondering { reply, mut options }) = state.pondering.take() else { return };
        let is_hit = matches!(order.command, Command::Turn(spot) if reply == Some(spot));
        if !is_hit {
            self.control.stop();
            return;
        }
        // The session has carried out everything else; the clock's settings have left it searching.
        state.infos.iter().for_each(|(_, _, info)| info.apply(&mut options));
        let (seq, stamp, started) = (order.seq, order.stamp, order.stamp.at);
        let (ponder, lifted) = (Ponder::Hit, Duration::ZERO);
        let running = Running { seq, stamp, started, options, lifted, ponder, analysed: None, wants_score: false };
        self.relimit(&running);
        state.running = Some(running);
        state.hit = Some(order.seq);
    }

    /// Makes all think commands before `seq` answer at once.
    fn cut(&self, state: &mut State, seq: u64) {
        state.cut_before = state.cut_before.max(seq);
        if state.running.as_ref().is_some_and(|running| running.seq < seq) {
            self.control.stop();
        }
    }

    /// Whether no command has arrived after `seq`, so that the session is idle.
    pub fn is_last(&self, seq: u64) -> bool {
        seq == self.state().heard
    }

    /// Whether the manager has moved on to another position without waiting for the answer to command `seq`.
    pub fn is_superseded(&self, seq: u64) -> bool {
        seq < self.state().superseded_before
    }

    /// Gives the running search the limits of its settings.
    fn relimit(&self, running: &Running) {
        let Running { ponder, wants_score, .. } = *running;
        let mut limits = SearchLimits { ponder, wants_score, ..running.options.limits(running.started) };
        if !running.options.is_bounded() {
            limits.turn = limits.turn.map(|turn| turn + running.lifted);
        }
        let now = limits.turn == Some(Duration::ZERO) || limits.left == Some(Duration::ZERO);
        self.control.set_limits(limits);
        if now {
            self.control.stop();
        }
    }

    /// Called when the session starts the search for this order, under `options` and the settings that arrived later.
    /// `analysed`: the position, if the answer is due only while the manager shows it.
    pub fn begin(&self, order: &Order, analysed: Option<Analysed>, started: Instant, mut options: Options) {
        let (seq, stamp) = (order.seq, order.stamp);
        let mut state = self.state();
        for (_, heard, info) in &state.infos {
            if heard.is_apart_from(&stamp) {
                info.apply_during(&mut options, heard.at, started);
            }
        }
        let wants_score = analysed.is_some();
        self.control.begin(SearchLimits { wants_score, ..options.limits(started) });
        if seq < state.cut_before || state.is_abandoned {
            self.control.stop();
        }
        let (ponder, lifted) = (Ponder::Off, Duration::ZERO);
        state.running = Some(Running { seq, stamp, started, options, lifted, ponder, analysed, wants_score });
        let shows = std::mem::take(&mut state.shows);
        for shown in &shows {
            self.end_analysis(&mut state, shown);
        }
        state.shows = shows;
    }

    /// Called when the session, which has carried out command `seq` and has these settings, starts to search in the
    /// opponent's time; returns whether it may, because no command has arrived since and somebody reads. `reply` is the move after which the
    /// search is about the position in question.
    pub fn begin_pondering(&self, seq: u64, reply: Option<Spot>, options: Options) -> bool {
        let mut state = self.state();
        let is_idle = state.heard == seq && !state.is_abandoned;
        if is_idle {
            self.control.begin(SearchLimits::pondering());
            state.pondering = Some(Pondering { reply, options });
        }
        is_idle
    }

    /// Whether the expected move has come, so that the search that began in the opponent's time answers a question.
    pub fn is_hit(&self) -> bool {
        self.state().hit.is_some()
    }

    /// Called when that search has ended; returns the number of the question that it answers, if it does.
    pub fn end_pondering(&self) -> Option<u64> {
        let mut state = self.state();
        state.pondering = None;
        let hit = state.hit.take();
        if hit.is_some() {
            state.running = None;
        }
        hit
    }

    /// Called when the search has ended.
    pub fn end(&self) {
        self.state().running = None;
    }

    /// Called when the session has carried out the command with number `seq`, the setting of an `INFO` first of all.
    pub fn retire(&self, seq: u64) {
        let mut state = self.state();
        while state.infos.front().is_some_and(|&(heard, ..)| heard <= seq) {
            state.infos.pop_front();
        }
        while state.shows.front().is_some_and(|order| order.seq <= seq) {
            state.shows.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
