//! Searching in the opponent's time, for managers that allow it.
//!
//! After its move the brain searches the position after the reply that it expects, on the thinking thread, until the next
//! command. [`Traffic`] stops that search or, when the expected move comes, makes it the search of this question: then the
//! report is kept until the session carries the question out. Only a manager of the Yixin dialect allows this: those of
//! tournaments speak the plain protocol, and Gomocup forbids it.

use super::report_times::Messages;
use super::{Order, Session, Spot};
use crate::base::clock::Instant;
use crate::base::{Cell, Color, Point};
use crate::engine::Engine;
use crate::protocol::command::Command;
use crate::protocol::reply::Reply;
use crate::protocol::traffic::Traffic;
use crate::search::{Iteration, ReportSink, RootEvent, SearchReport};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a search in the opponent's time is about, and its result.
#[derive(Debug, Default)]
pub(super) struct Pondering {
    /// Whether the manager has asked for it by `PONDER`.
    is_asked: bool,
    /// The position after the last move that a search has found.
    expected: Option<Expected>,
    result: Option<Pondered>,
}

/// A position, for comparison.
#[derive(Debug, PartialEq, Eq)]
struct Position {
    stones: Vec<(Point, Cell)>,
    to_move: Color,
}

impl Position {
    fn of(engine: &Engine) -> Position {
        Position { stones: engine.stones().to_vec(), to_move: engine.to_move() }
    }

    /// The position after this move.
    fn after(mut self, point: Option<Point>) -> Position {
        if let Some(point) = point {
            self.stones.push((point, self.to_move.into()));
            self.to_move = self.to_move.opponent();
        }
        self
    }
}

/// A position in which the opponent is to move, and the move to expect.
#[derive(Debug)]
struct Expected {
    position: Position,
    reply: Option<Point>,
}

/// The result of a search in the opponent's time.
#[derive(Debug)]
struct Pondered {
    position: Position,
    report: SearchReport,
    /// The question that it answers; `None`: it had nothing left to find before a question came, and answers any question
    /// about its position.
    question: Option<u64>,
    /// Its last iteration, if it has not been reported.
    unreported: Option<Iteration>,
}

impl Pondering {
    /// Called before a command is carried out. Only the clock's settings and the opponent's move leave a result in force;
    /// after a `STOP` that came when nothing was owed (`is_idle`), and after an opening question, the brain does not ponder until
    /// its next move.
    pub(super) fn note(&mut self, command: &Command, is_idle: bool) {
        if command.is_clock() {
            return;
        }
        self.is_asked = *command == Command::Ponder;
        if !matches!(command, Command::Turn(_)) {
            self.result = None;
        }
        if (*command == Command::Stop && is_idle) || command.is_opening_question() {
            self.expected = None;
        }
    }
}

impl<W: Write> Session<W> {
    /// Called after a move, which is on the board: remembers the reply to expect. `found`: the search that chose it, if one
    /// did.
    pub(super) fn expect_reply(&mut self, found: Option<&SearchReport>) {
        // After a five, or when the opponent completes one, there is nothing to search.
        let report = found.filter(|report| report.last.score.distance().is_none_or(|distance| distance > 2));
        self.pondering.expected = report.filter(|_| self.yixin).map(|report| {
            let line = match report.last.pv.split_first() {
                Some((&first, line)) if report.best == Some(first) => line,
                _ => &[],
            };
            Expected { position: Position::of(&self.engine), reply: self.engine.expected_reply(line) }
        });
    }

    /// Whether the manager and the settings allow searches in the opponent's time. A recorded session has none, since it
    /// could not be repeated.
    fn may_ponder(&self) -> bool {
        let is_recorded = self.script.is_some() || self.traffic.recorder().is_some();
        self.yixin && self.started && self.is_at_full_strength() && !is_recorded
    }

    /// Searches until the next command, if that is wanted and no command waits.
    ///
    /// # Errors
    /// The output is closed.
    pub(super) fn ponder(&mut self) -> io::Result<()> {
        let is_wanted = self.pondering.is_asked || self.options.pondering;
        if !is_wanted || !self.may_ponder() || self.pondering.result.is_some() || self.is_full() {
            return Ok(());
        }
        let here = Position::of(&self.engine);
        let expected = self.pondering.expected.as_ref().filter(|expected| expected.position == here);
        if expected.is_none() && !self.pondering.is_asked {
            return Ok(());
        }
        let reply = expected.and_then(|expected| expected.reply);
        let options = self.engine.options().clone();
        // Depth and nodes are counted from the question on, so such a question has a search of its own.
        let is_counted = self.engine.limits().is_counted();
        let hit = reply.filter(|_| !is_counted).map(Spot::of);
        if !self.traffic.begin_pondering(self.last, hit, options) {
            return Ok(());
        }
        let notation = self.notation();
        let messages =
            Messages::new(&mut self.out, &self.traffic, notation, self.last, self.options.realtime, Instant::now());
        let mut sink = AfterHit { messages, traffic: &self.traffic, unreported: None };
        let (engine, control) = (&mut self.engine, self.traffic.control());
        let found = catch_unwind(AssertUnwindSafe(|| engine.ponder(reply, control, &mut sink)));
        let AfterHit { messages, unreported, .. } = sink;
        let outcome = messages.finish();
        let is_whole = !self.traffic.control().is_stopped();
        let question = self.traffic.end_pondering();
        match found {
            Ok(Ok(report)) if question.is_some() || (is_whole && !is_counted) => {
                self.pondering.result = Some(Pondered { position: here.after(reply), report, question, unreported });
            }
            Ok(_) => {}
            Err(_) => self.rebuild(&here.stones, here.to_move),
        }
        outcome
    }

    /// The result of a search in the opponent's time that answers this question about the position on the board, if there
    /// is one; reports what that search has found last.
    pub(super) fn pondered(&mut self, order: &Order) -> io::Result<Option<SearchReport>> {
        let Some(result) = self.pondering.result.take() else { return Ok(None) };
        let is_answer = result.question.is_none_or(|question| question == order.seq);
        if !is_answer || result.position != Position::of(&self.engine) {
            return Ok(None);
        }
        if let Some(iteration) = result.unreported.as_ref().filter(|_| self.traffic.left().is_none()) {
            let notation = self.notation();
            self.reply(&Reply::Iteration { iteration, notation })?;
        }
        self.engine.options_mut().count_move(order.stamp.at.elapsed());
        self.note_search(order);
        Ok(Some(result.report))
    }
}

/// Reports nothing in the opponent's time; everything after the expected move has come.
struct AfterHit<'a, W> {
    messages: Messages<'a, W>,
    traffic: &'a Traffic,
    /// The last iteration, if it has not been reported.
    unreported: Option<Iteration>,
}

impl<W: Write> ReportSink for AfterHit<'_, W> {
    fn iteration(&mut self, iteration: &Iteration) {
        if self.traffic.is_hit() {
            self.unreported = None;
            self.messages.iteration(iteration);
        } else {
            self.unreported = Some(iteration.clone());
        }
    }

    fn root_event(&mut self, event: RootEvent) {
        if self.traffic.is_hit() {
            if let Some(iteration) = self.unreported.take() {
                self.messages.iteration(&iteration);
            }
            self.messages.root_event(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Talk;

    const ALLOWED: &str = "yxshowinfo; INFO pondering 1";

    /// A session that has moved on a board of 25 points with 16 stones, and then searched in the opponent's time. Only a
    /// draw is left, so that search ends by itself.
    fn nearly_full(settings: &str) -> Talk {
        let mut talk = Talk::new();
        talk.say(&format!("{settings}; INFO timeout_turn 60000; START 5"));
        let rows = ["11221", "22112", "11221", "2"];
        let stones = rows
            .iter()
            .zip(0..)
            .flat_map(|(row, y)| row.chars().zip(0..).map(move |(who, x)| format!("{x},{y},{who}")));
        talk.say(&format!("BOARD; {}; DONE", stones.collect::<Vec<_>>().join("; ")));
        assert_eq!(talk.session.engine.stones().len(), 17);
        talk.session.ponder().unwrap();
        assert!(talk.session.out.is_empty(), "nothing is printed");
        talk
    }

    fn has_result(talk: &Talk) -> bool {
        talk.session.pondering.result.is_some()
    }

    #[test]
    fn a_finished_search_answers_the_expected_move() {
        let mut talk = nearly_full(ALLOWED);
        let result = talk.session.pondering.result.as_ref().expect("it ends by itself");
        let (reply, answer) = (result.position.stones[17].0, result.report.best.unwrap());
        talk.say("INFO time_left 50000");
        assert!(has_result(&talk));
        let spent = talk.session.engine.options().spent;
        assert_eq!(talk.say(&format!("TURN {reply}")), answer.to_string());
        assert!(!has_result(&talk) && talk.session.engine.options().spent > spent, "the time counts");
    }

    /// Bug: what was found before the question answered one with a limit of depth or nodes.
    #[test]
    fn a_question_with_a_limit_of_depth_has_a_search_of_its_own() {
        assert!(!has_result(&nearly_full(&format!("{ALLOWED}; INFO max_depth 20"))));
    }

    #[test]
    fn other_commands_have_searches_of_their_own() {
        for command in ["ABOUT", "STOP", "PONDER", "INFO rule 4", "yxboard; done", "TAKEBACK 1,1", "FOO", "RESTART"] {
            let mut talk = nearly_full(ALLOWED);
            assert!(has_result(&talk));
            talk.say(command);
            assert!(!has_result(&talk), "{command}");
        }
        // Bug: after the first question of a new game's opening the brain pondered the old game.
        let mut talk = nearly_full(ALLOWED);
        assert!(talk.session.pondering.expected.is_some());
        talk.say("INFO max_node 1000; yxswap2step1");
        assert!(talk.session.pondering.expected.is_none());
        let mut talk = nearly_full(ALLOWED);
        let expected = talk.session.pondering.result.as_ref().unwrap().position.stones[17].0;
        let taken = |point| talk.session.engine.stones().iter().any(|&(other, _)| other == point);
        let other = talk.session.engine.size().points().find(|&point| point != expected && !taken(point)).unwrap();
        assert!(talk.say(&format!("TURN {other}")).contains(','), "a move");
        assert_eq!(talk.session.engine.stones().len(), 19);
    }

    #[test]
    fn the_manager_and_the_settings_must_allow_it() {
        let refused = [
            "",
            "yxshowinfo",
            "INFO pondering 1",
            "YXSTOP; INFO pondering 1",
            "yxshowinfo; INFO pondering 1; INFO pondering 0",
            "yxshowinfo; INFO pondering 1; INFO strength 90",
        ];
        for settings in refused {
            let mut talk = nearly_full(settings);
            assert!(!has_result(&talk), "{settings}");
            talk.say("PONDER");
            talk.session.ponder().unwrap();
            let is_dialect = settings.contains("yx") && !settings.contains("strength");
            assert_eq!(has_result(&talk), is_dialect, "PONDER after {settings}");
        }
    }
}
