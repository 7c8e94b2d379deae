//! The state shared by the listening and the thinking thread: the running search, and the commands that stop it.
//!
//! There are two kinds of users. A script sends everything at once and wants each answer with its full time. A manager
//! sends one question, and what it sends before the answer is meant for the running search. The clock distinguishes
//! them: commands that arrive within [`TOGETHER`] of a think command belong to a script.
//!
//! A search in the opponent's time answers no command. The expected move makes it the running search; every other command
//! stops it, except for those that only set the clock.

use super::command::{Command, Query, Spot};
use super::info::Info;
use super::session_record::Recorder;
use crate::engine::Options;
use crate::search::{Ponder, SearchControl, SearchLimits};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    /// The stones of the position, if the answer is due only while the manager shows it.
    analysed: Option<Vec<Spot>>,
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
    /// Think commands with smaller numbers answer at once.
    cut_before: u64,
    /// Think commands with smaller numbers are about a position that the manager has left.
    superseded_before: u64,
    /// The number of the last command that arrived.
    heard: u64,
    last_think: Option<Stamp>,
    /// The last command that may need an answer.
    last_question: Option<Stamp>,
    /// When the manager has left, see [`Traffic::left`].
    left: Option<Instant>,
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
        let together = |earlier: Option<Stamp>| earlier.is_some_and(|earlier| !order.stamp.is_apart_from(&earlier));
        let (with_think, with_question) = (together(state.last_think), together(state.last_question));
        let is_script = with_think || (with_question && state.running.is_none());
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
            command if command.supersedes() && !with_think => {
                // What `END` and `TAKEBACK` interrupt is still answered: they set no other position.
                if !matches!(command, Command::End | Command::TakeBack(_)) {
                    state.superseded_before = order.seq;
                    // It has ended: what follows is about another position.
                    state.running.iter_mut().for_each(|running| running.analysed = None);
                }
                self.cut(&mut state, order.seq);
            }
            Command::Database(Query::Moves, spots) => self.end_analysis(&mut state, order, |stones| {
                stones.len() != spots.len() || !spots.iter().all(|spot| stones.contains(spot))
            }),
            Command::Turn(_) => self.end_analysis(&mut state, order, |_| true),
            Command::Info(info) => {
                state.infos.push_back((order.seq, order.stamp, *info));
                if let Some(running) = &mut state.running
                    && order.stamp.is_apart_from(&running.stamp)
                {
                    let was_bounded = running.options.is_bounded();
                    info.apply(&mut running.options);
                    if was_bounded && !running.options.is_bounded() {
                        running.lifted = running.started.elapsed();
                    }
                    self.relimit(running);
                }
            }
            _ => {}
        }
        if order.command.thinks() {
            state.last_think = Some(order.stamp);
        }
    }

    /// Ends a running analysis if the manager has left its position. Yixin-Board does so without a command that says it: it
    /// asks for the database's moves in each position that it shows, and sends the user's move. Questions that arrived after the
    /// analysis are not concerned.
    fn end_analysis(&self, state: &mut State, order: &Order, is_left: impl FnOnce(&[Spot]) -> bool) {
        let Some(running) = &mut state.running else { return };
        if !order.stamp.is_apart_from(&running.stamp) || !running.analysed.as_deref().is_some_and(is_left) {
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
        let running = Running { seq, stamp, started, options, lifted, ponder, analysed: None };
        self.relimit(&running);
        state.running = Some(running);
        state.hit = Some(order.seq);
    }

    /// Makes all think commands before `seq` answer at once.
    fn cut(&self, state: &mut State, seq: u64) {
        state.cut_before = state.cut_before.max(seq);
        if state.running.is_some() {
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
        let mut limits = SearchLimits { ponder: running.ponder, ..running.options.limits(running.started) };
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
    /// `analysed`: the stones of the position, if the answer is due only while the manager shows it.
    pub fn begin(&self, order: &Order, analysed: Option<Vec<Spot>>, started: Instant, mut options: Options) {
        let (seq, stamp) = (order.seq, order.stamp);
        let mut state = self.state();
        for (_, heard, info) in &state.infos {
            if heard.is_apart_from(&stamp) {
                info.apply(&mut options);
            }
        }
        self.control.begin(options.limits(started));
        if seq < state.cut_before {
            self.control.stop();
        }
        let (ponder, lifted) = (Ponder::Off, Duration::ZERO);
        state.running = Some(Running { seq, stamp, started, options, lifted, ponder, analysed });
    }

    /// Called when the session, which has carried out command `seq` and has these settings, starts to search in the
    /// opponent's time; returns whether it may, because no command has arrived since. `reply` is the move after which the
    /// search is about the position in question.
    pub fn begin_pondering(&self, seq: u64, reply: Option<Spot>, options: Options) -> bool {
        let mut state = self.state();
        let is_idle = state.heard == seq;
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

    /// Called when the session has carried out the `INFO` with number `seq`.
    pub fn retire_info(&self, seq: u64) {
        let mut state = self.state();
        while state.infos.front().is_some_and(|&(heard, ..)| heard <= seq) {
            state.infos.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders with given times of arrival, in ms.
    struct Script {
        traffic: Traffic,
        zero: Instant,
        seq: u64,
    }

    impl Script {
        fn new() -> Script {
            Script { traffic: Traffic::default(), zero: Instant::now(), seq: 0 }
        }

        fn stamp(&self, ms: u64) -> Stamp {
            Stamp { at: self.zero + Duration::from_millis(ms), listened: Duration::from_millis(ms) }
        }

        fn hear(&mut self, ms: u64, command: Command) -> Order {
            self.seq += 1;
            let order = Order { seq: self.seq, stamp: self.stamp(ms), command };
            self.traffic.announce(&order);
            order
        }

        fn info(&mut self, ms: u64, text: &str) -> Order {
            self.hear(ms, Command::Info(Info::parse(text.as_bytes()).unwrap()))
        }

        fn begin(&self, order: &Order) {
            self.traffic.begin(order, None, order.stamp.at, Options::default());
        }

        fn stopped(&self) -> bool {
            self.traffic.control().is_stopped()
        }
    }

    #[test]
    fn commands_sent_together_do_not_cut() {
        let mut script = Script::new();
        let begin = script.hear(0, Command::Begin);
        script.begin(&begin);
        for command in [Command::Restart, Command::SetBoard(Vec::new()), Command::End] {
            script.hear(50, command);
            assert!(!script.stopped());
        }
        script.info(50, "timeout_turn 0");
        assert!(!script.stopped());
        script.hear(50, Command::Stop);
        assert!(script.stopped());
    }

    #[test]
    fn later_commands_cut() {
        for command in [Command::Restart, Command::SetBoard(Vec::new()), Command::End, Command::Stop] {
            let mut script = Script::new();
            let first = script.hear(0, Command::Begin);
            let second = script.hear(0, Command::Best(3));
            script.begin(&first);
            script.hear(51, command);
            assert!(script.stopped());
            script.traffic.end();
            script.begin(&second);
            assert!(script.stopped(), "everything asked before is cut");
            script.traffic.end();
            let third = script.hear(60, Command::Best(3));
            script.begin(&third);
            assert!(!script.stopped(), "later questions are not");
        }
        for command in [Command::Begin, Command::About, Command::Unknown("X".into()), Command::ShowForbidden] {
            let mut script = Script::new();
            let first = script.hear(0, Command::Begin);
            script.begin(&first);
            script.hear(1000, command);
            assert!(!script.stopped());
        }
    }

    #[test]
    fn info_reaches_the_running_search() {
        let mut script = Script::new();
        let begin = script.hear(0, Command::Begin);
        script.begin(&begin);
        script.info(200, "max_node 77");
        assert_eq!(script.traffic.control().limits().nodes, Some(77));
        assert_eq!(script.traffic.control().limits().started, Some(begin.stamp.at));
        assert!(!script.stopped());
        script.info(210, "timeout_turn 0");
        assert!(script.stopped());
    }

    /// Bug: lifting the last limit later than the default time ended the search.
    #[test]
    fn lifting_the_last_limit_does_not_end_the_search() {
        let mut script = Script::new();
        script.zero -= 2 * Options::DEFAULT_TURN;
        let begin = script.hear(0, Command::Begin);
        script.begin(&begin);
        script.info(100, "max_depth 9");
        assert_eq!(script.traffic.control().limits().turn, None);
        script.info(200, "max_depth 0");
        assert!(script.traffic.control().limits().turn >= Some(3 * Options::DEFAULT_TURN));
        script.info(300, "max_depth 20");
        assert_eq!(script.traffic.control().limits().turn, None);
    }

    /// Bug: the answer of an analysis came after the user of Yixin-Board had gone on without a command that says so, and was
    /// played in another position.
    #[test]
    fn an_analysis_ends_when_the_manager_shows_another_position() {
        let spot = |x| Spot { x, y: 7 };
        let shown = |spots: &[i64]| Command::Database(Query::Moves, spots.iter().copied().map(spot).collect());
        for (question, other, is_left) in [
            (Command::Best(2), shown(&[1]), true),
            (Command::Best(2), shown(&[1, 3]), true),
            (Command::Best(2), shown(&[2, 1]), false),
            (Command::Begin, shown(&[1]), false),
            (Command::Best(2), Command::Turn(spot(5)), true),
        ] {
            let mut script = Script::new();
            let question = script.hear(0, question);
            let analysed = question.command.is_analysis().then(|| vec![spot(1), spot(2)]);
            script.traffic.begin(&question, analysed, question.stamp.at, Options::default());
            script.hear(1, shown(&[]));
            assert!(!script.stopped(), "it was sent together with the question");
            script.hear(200, other.clone());
            assert_eq!((script.stopped(), script.traffic.is_superseded(question.seq)), (is_left, is_left), "{other:?}");
        }
    }

    /// Bug: the query that Yixin-Board sends after the user's move cut the search for the answer to that move, because the
    /// analysis before it had not quite ended.
    #[test]
    fn what_follows_an_analysis_that_is_ending_is_not_cut() {
        let spot = |x| Spot { x, y: 7 };
        let shown = |x| Command::Database(Query::Moves, vec![spot(1), spot(x)]);
        let move_of_the_user = [Command::Turn(spot(2))];
        let other_position = [Command::SetBoard(Vec::new()), Command::Best(2)];
        let two_questions = [Command::Best(2), Command::Turn(spot(3))];
        for then in [&move_of_the_user[..], &other_position, &two_questions] {
            let mut script = Script::new();
            let analysis = script.hear(0, Command::Best(2));
            script.traffic.begin(&analysis, Some(vec![spot(1)]), analysis.stamp.at, Options::default());
            let orders: Vec<Order> = then.iter().map(|command| script.hear(200, command.clone())).collect();
            script.hear(200, shown(2));
            assert!(script.stopped() && script.traffic.is_superseded(analysis.seq));
            script.traffic.end();
            for order in orders.iter().filter(|order| order.command.thinks()) {
                script.begin(order);
                assert!(!script.stopped() && !script.traffic.is_superseded(order.seq), "{:?}", order.command);
                script.traffic.end();
            }
        }
    }

    #[test]
    fn info_that_arrives_before_a_late_search_counts() {
        let mut script = Script::new();
        let begin = script.hear(0, Command::Begin);
        let together = script.info(10, "max_depth 3");
        let later = script.info(80, "max_node 77");
        script.begin(&begin);
        let limits = script.traffic.control().limits();
        assert_eq!((limits.nodes, limits.depth), (Some(77), None));
        script.traffic.end();
        script.traffic.retire_info(together.seq);
        script.traffic.retire_info(later.seq);
        script.begin(&begin);
        assert_eq!(script.traffic.control().limits().nodes, None, "the session has the settings now");
    }

    #[test]
    fn an_end_alone_means_that_the_manager_has_left() {
        let leaves = |script: &mut Script, ms| {
            script.traffic.state().left = None;
            script.hear(ms, Command::End);
            script.traffic.left().is_some()
        };
        assert!(leaves(&mut Script::new(), 0));
        for question in [Command::Begin, Command::About] {
            let mut script = Script::new();
            script.hear(10, question);
            assert!(!leaves(&mut script, 20));
            assert!(leaves(&mut script, 100));
        }
        let mut script = Script::new();
        let begin = script.hear(0, Command::Begin);
        script.begin(&begin);
        script.hear(1000, Command::About);
        assert!(leaves(&mut script, 1000), "the search has run for long");
    }

    /// A session that ponders since the first command, expecting this move.
    fn pondering(reply: Option<Spot>) -> Script {
        let mut script = Script::new();
        let first = script.hear(0, Command::Begin);
        assert!(script.traffic.begin_pondering(first.seq, reply, Options::default()));
        script
    }

    const REPLY: Spot = Spot { x: 7, y: 8 };

    #[test]
    fn the_expected_move_makes_pondering_the_running_search() {
        let mut script = pondering(Some(REPLY));
        assert_eq!(script.traffic.control().limits(), SearchLimits::pondering());
        script.info(5000, "timeout_turn 300");
        script.info(5000, "time_left 20000");
        assert!(!script.stopped() && !script.traffic.is_hit());
        assert_eq!(script.traffic.control().limits(), SearchLimits::pondering(), "the clock waits for the question");
        let turn = script.hear(5001, Command::Turn(REPLY));
        let limits = script.traffic.control().limits();
        assert!(!script.stopped() && script.traffic.is_hit());
        assert_eq!((limits.started, limits.ponder), (Some(turn.stamp.at), Ponder::Hit));
        let ms = |time: Option<Duration>| time.map(|time| time.as_millis());
        assert_eq!((ms(limits.turn), ms(limits.left)), (Some(300), Some(20_000)));
        script.info(5100, "timeout_turn 200");
        let limits = script.traffic.control().limits();
        assert_eq!((ms(limits.turn), limits.ponder), (Some(200), Ponder::Hit), "like any running search");
        script.hear(5110, Command::Stop);
        assert!(script.stopped());
        assert_eq!(script.traffic.end_pondering(), Some(turn.seq));
        assert!(!script.traffic.is_hit() && script.traffic.state().running.is_none());
    }

    #[test]
    fn every_other_command_stops_pondering() {
        let other = Spot { x: 8, y: 7 };
        let commands = [
            Command::Turn(other),
            Command::Begin,
            Command::Board(Vec::new()),
            Command::SetBoard(Vec::new()),
            Command::TakeBack(REPLY),
            Command::Play(REPLY),
            Command::Restart,
            Command::About,
            Command::Stop,
            Command::Ponder,
            Command::End,
            Command::Info(Info::parse(b"rule 4").unwrap()),
            Command::Info(Info::parse(b"pondering 0").unwrap()),
            Command::Unknown("X".into()),
        ];
        for command in commands {
            // At once as well as after a while.
            for ms in [1, 5000] {
                let mut script = pondering(Some(REPLY));
                script.hear(ms, command.clone());
                assert!(script.stopped(), "{command:?}");
                let late = script.hear(ms + 1, Command::Turn(REPLY));
                assert!(!script.traffic.is_hit(), "{command:?}: it has stopped");
                assert_eq!(script.traffic.end_pondering(), None);
                script.begin(&late);
                assert!(!script.stopped(), "the question has a search of its own");
            }
        }
        let mut script = pondering(None);
        script.hear(5000, Command::Turn(REPLY));
        assert!(script.stopped() && !script.traffic.is_hit(), "nothing was expected");
    }

    #[test]
    fn pondering_does_not_begin_when_a_command_waits() {
        let mut script = Script::new();
        let first = script.hear(0, Command::Begin);
        script.hear(1, Command::About);
        assert!(!script.traffic.begin_pondering(first.seq, Some(REPLY), Options::default()));
        script.hear(2, Command::Turn(REPLY));
        assert!(!script.traffic.is_hit());
    }

    #[test]
    fn a_stop_when_idle_does_nothing() {
        let mut script = Script::new();
        script.hear(0, Command::Stop);
        let begin = script.hear(1, Command::Begin);
        script.begin(&begin);
        assert!(!script.stopped());
    }
}
