//! The state machine: a command in, calls to the engine, replies out. Floor 5.
//!
//! Knows nothing of threads and pipes: it is generic over the writer, and what happens while it thinks reaches
//! it through [`Traffic`].

use super::command::{Command, Owner, Placement, Spot};
use super::info::Info;
use super::reply::{Complaint, Reply};
use super::traffic::{Order, Traffic};
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::engine::{Engine, Options, PositionError, Swap2Choice};
use crate::search::{Iteration, ReportSink, SearchControl};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    blocked: Vec<Point>,
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
            blocked: Vec::new(),
            free_since: Instant::now(),
        }
    }

    /// Obeys orders until one of them ends the session or nobody reads the replies any more.
    pub fn serve(&mut self, orders: impl IntoIterator<Item = Order>) {
        for order in orders {
            match self.handle(&order) {
                Ok(Flow::Continue) => {}
                Ok(Flow::End) => break,
                Err(error) => {
                    log::info!("the output is closed: {error}");
                    break;
                }
            }
        }
    }

    /// Obeys one order. An error means that the output is closed.
    pub fn handle(&mut self, order: &Order) -> io::Result<Flow> {
        log::debug!("{:?}", order.command);
        self.yixin |= order.command.is_yixin();
        if order.command == Command::End {
            return Ok(Flow::End);
        }
        let outcome = self.obey(order);
        self.free_since = Instant::now();
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
            Command::Swap2Step(1) => self.swap2_opening(order),
            Command::OfferDraw => self.reply(&Reply::DrawRejected),
            Command::Stop | Command::End | Command::Accepted => Ok(()),
            Command::Unsupported(what) => self.complain(Complaint::Unsupported(what)),
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
            Command::Begin | Command::Think => self.think(order),
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
            Command::Swap2Board(spots) => self.swap2_board(order, spots),
            Command::Swap2Step(step) => self.swap2_step(order, *step),
            Command::ShowForbidden => {
                let points = self.engine.forbidden_points();
                self.reply(&Reply::Forbidden(&points))
            }
            Command::Block(spots) => {
                let points = self.points(spots);
                self.blocked.extend(points);
                self.engine.set_blocked(&self.blocked);
                Ok(())
            }
            Command::Unblock(spots) => {
                let points = self.points(spots);
                self.blocked.retain(|point| !points.contains(point));
                self.engine.set_blocked(&self.blocked);
                Ok(())
            }
            // The rest needs no board and was obeyed before.
            _ => Ok(()),
        }
    }

    fn reply(&mut self, reply: &Reply<'_>) -> io::Result<()> {
        log::debug!("-> {reply}");
        reply.write(&mut self.out)
    }

    fn complain(&mut self, complaint: Complaint) -> io::Result<()> {
        self.reply(&Reply::Error(complaint))
    }

    fn inform(&mut self, info: &Info) {
        info.apply(self.engine.options_mut());
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
        let found = self.search(order, |engine, control, sink| engine.think(control, sink).best)?;
        let played = found.flatten().filter(|&point| self.engine.play(point).is_ok());
        let answer = match played {
            Some(point) => Some(point),
            None => self.fallback().filter(|&point| self.engine.play(point).is_ok()),
        };
        match answer {
            Some(point) => self.reply(&Reply::Move(point)),
            None => self.complain(Complaint::NoMove),
        }
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
        let control = self.traffic.control();
        let mut sink = Messages { out: &mut self.out, control, outcome: Ok(()) };
        let engine = &mut self.engine;
        let answer = catch_unwind(AssertUnwindSafe(|| question(engine, control, &mut sink)));
        let outcome = sink.outcome;
        self.traffic.end();
        if answer.is_err() {
            self.rebuild(&stones, to_move);
        }
        self.engine.options_mut().spent += started.elapsed();
        outcome.map(|()| answer.ok())
    }

    /// A fresh engine in the place of one that panicked.
    fn rebuild(&mut self, stones: &[(Point, Cell)], to_move: Color) {
        log::error!("the search panicked; the engine is rebuilt");
        let mut engine = Engine::new();
        *engine.options_mut() = self.engine.options().clone();
        *engine.params_mut() = self.engine.params().clone();
        engine.set_rule(self.engine.rule());
        engine.new_game(self.engine.size(), false);
        if let Err(error) = engine.set_position(stones, to_move) {
            log::error!("the position could not be set again: {error}");
        }
        engine.set_blocked(&self.blocked);
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

    /// Asks the engine a swap2 question about the position at hand.
    fn swap2(&mut self, order: &Order) -> io::Result<Option<Swap2Choice>> {
        let choice = self.search(order, |engine, control, sink| engine.swap2(control, sink))?.flatten();
        let placed = |choice: &Swap2Choice| !matches!(choice, Swap2Choice::Place(stones) if stones.is_empty());
        Ok(choice.filter(placed))
    }

    fn swap2_board(&mut self, order: &Order, spots: &[Spot]) -> io::Result<()> {
        let Some(stones) = self.opening(spots) else {
            return self.complain(Complaint::Swap2Count);
        };
        let to_move = if stones.is_empty() { Color::Black } else { Color::White };
        if let Err(error) = self.engine.set_position(&stones, to_move) {
            return self.complain(error.into());
        }
        match self.swap2(order)? {
            Some(Swap2Choice::Place(stones)) => self.reply(&Reply::Stones(&stones)),
            None if stones.is_empty() => {
                let stones = self.plain_opening();
                self.reply(&Reply::Stones(&stones))
            }
            Some(Swap2Choice::Swap) | None => self.reply(&Reply::Swap),
        }
    }

    /// The stones of a swap2 question, black first; `None` when there cannot be such a question.
    fn opening(&self, spots: &[Spot]) -> Option<Vec<(Point, Cell)>> {
        let points = self.points(spots);
        let distinct = points.iter().enumerate().all(|(index, point)| !points[..index].contains(point));
        let colors = [Cell::Black, Cell::White].into_iter().cycle();
        (distinct && points.len() == spots.len() && matches!(points.len(), 0 | 3 | 5))
            .then(|| points.into_iter().zip(colors).collect())
    }

    /// Three stones that serve when the engine has none to propose.
    fn plain_opening(&self) -> Vec<Point> {
        let center = self.engine.size().center();
        let beside = |dx, dy| self.engine.size().point(center.x() as i64 + dx, center.y() as i64 + dy);
        [Some(center), beside(1, 0), beside(2, 2)].into_iter().flatten().collect()
    }

    /// The first swap2 question of the Yixin dialect is asked about no position: the board at hand is put aside.
    fn swap2_opening(&mut self, order: &Order) -> io::Result<()> {
        let (stones, to_move) = (self.engine.stones().to_vec(), self.engine.to_move());
        if let Err(error) = self.engine.set_position(&[], Color::Black) {
            return self.complain(error.into());
        }
        let choice = self.swap2(order)?;
        if let Err(error) = self.engine.set_position(&stones, to_move) {
            log::error!("the position could not be set again: {error}");
        }
        let opening = match choice {
            Some(Swap2Choice::Place(opening)) => opening,
            Some(Swap2Choice::Swap) | None => self.plain_opening(),
        };
        self.reply(&Reply::Swap2Moves { first: 1, stones: &opening })
    }

    /// The other swap2 questions of the Yixin dialect, about the position at hand.
    fn swap2_step(&mut self, order: &Order, step: u8) -> io::Result<()> {
        let expected = if step == 2 { 3 } else { 5 };
        if self.engine.stones().len() != expected {
            return self.complain(Complaint::Swap2Count);
        }
        let choice = self.swap2(order)?.unwrap_or(Swap2Choice::Swap);
        match choice {
            Swap2Choice::Place(stones) if step == 2 && stones.len() == 2 => {
                self.reply(&Reply::Swap2Moves { first: 4, stones: &stones })
            }
            choice => self.reply(&Reply::Swap2Swap { question: step - 1, taken: choice == Swap2Choice::Swap }),
        }
    }
}

/// Writes finished iterations as messages; stops the search when nobody reads them.
struct Messages<'a, W> {
    out: &'a mut W,
    control: &'a SearchControl,
    outcome: io::Result<()>,
}

impl<W: Write> ReportSink for Messages<'_, W> {
    fn iteration(&mut self, iteration: &Iteration) {
        if self.outcome.is_ok() {
            self.outcome = Reply::Iteration(iteration).write(self.out);
        }
        if self.outcome.is_err() {
            self.control.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Cell::{Black, Wall, White};
    use crate::protocol::command::Assembler;
    use crate::protocol::traffic::Stamp;
    use crate::search::ParamTable;

    /// A session that thinks for no time.
    struct Talk {
        session: Session<Vec<u8>>,
        assembler: Assembler,
        seq: u64,
    }

    impl Talk {
        fn new() -> Talk {
            let session = Session::new(Vec::new(), Arc::new(Traffic::default()));
            let mut talk = Talk { session, assembler: Assembler::default(), seq: 0 };
            assert_eq!(talk.say("INFO timeout_turn 0"), "");
            talk
        }

        fn order(&mut self, command: Command) -> Order {
            self.seq += 1;
            Order { seq: self.seq, stamp: Stamp { at: Instant::now(), listened: Duration::ZERO }, command }
        }

        /// Says some lines (separated by `;`) and returns what comes back, without messages, separated alike.
        fn say(&mut self, lines: &str) -> String {
            for line in lines.split(';') {
                if let Some(command) = self.assembler.line(line.trim().as_bytes()) {
                    let order = self.order(command);
                    self.session.traffic.announce(&order);
                    assert_eq!(self.session.handle(&order).unwrap(), Flow::Continue);
                }
            }
            let text = String::from_utf8(std::mem::take(&mut self.session.out)).unwrap();
            let lines: Vec<_> = text.lines().filter(|line| !line.starts_with("MESSAGE depth")).collect();
            lines.join("; ")
        }

        fn stones(&self) -> Vec<(String, Cell)> {
            self.session.engine.stones().iter().map(|&(point, cell)| (point.to_string(), cell)).collect()
        }
    }

    #[test]
    fn a_game() {
        let mut talk = Talk::new();
        assert!(talk.say("BEGIN").starts_with("ERROR no board"));
        assert_eq!(talk.say("START 15; BEGIN"), "OK; 7,7");
        let answer = talk.say("TURN 8,8");
        assert_eq!(talk.stones().len(), 3);
        assert_eq!(talk.stones()[1], ("8,8".to_owned(), White));
        assert_eq!(talk.stones()[2], (answer.clone(), Black));
        assert!(talk.say("TURN 8,8; TURN 15,0; BEGIN").matches("ERROR").count() == 3);
        assert_eq!(talk.say(&format!("TAKEBACK {answer}; TAKEBACK 8,8")), "OK; OK");
        assert_eq!(talk.session.engine.to_move(), Color::White);
        assert_eq!(talk.say("RESTART"), "OK");
        assert_eq!(talk.stones(), []);
        assert_eq!(talk.say("PLAY 3,4"), "3,4");
        assert!(talk.say("TAKEBACK 0,0").starts_with("ERROR there is no stone"));
        assert_eq!(talk.stones(), [("3,4".to_owned(), Black)]);
    }

    #[test]
    fn bad_input_leaves_the_game_alone() {
        let mut talk = Talk::new();
        talk.say("START 15; PLAY 3,4");
        let before = talk.stones();
        for line in ["START 99", "RECTSTART 3,3", "FOO", "DONE", "TURN 3,4", "PLAY x", "SWAP2BOARD;7,7;DONE", "TURN"] {
            let answer = talk.say(line);
            assert!(answer.starts_with("ERROR ") || answer.starts_with("UNKNOWN "), "{line}: {answer}");
            assert!(!answer.contains(';'), "{line}: {answer}");
            assert_eq!(talk.stones(), before);
        }
    }

    #[test]
    fn colours_of_a_block() {
        let mut talk = Talk::new();
        let mut colours = |rule: u8, block: &str| {
            talk.say(&format!("START 15; INFO rule {rule}; yxboard; {block}; done"));
            talk.stones().iter().map(|&(_, cell)| cell).collect::<Vec<_>>()
        };
        assert_eq!(colours(0, ""), []);
        assert_eq!(colours(0, "7,7,2"), [Black]);
        assert_eq!(colours(0, "7,7,1; 8,8,2"), [Black, White]);
        assert_eq!(colours(0, "7,8,2; 7,7,1; 8,8,1; 8,7,2"), [White, Black, Black, White]);
        assert_eq!(colours(4, "7,7,2; 8,8,2; 9,9,1"), [Black, Black, White]);
        assert_eq!(colours(4, "0,0,3; 7,7,1; 8,8,2"), [Wall, Black, White]);
        assert_eq!(colours(4, "7,7,2; 7,7,1; 99,3,2; -1,0,1; 8,8,9; foo"), [Black]);
        assert_eq!(talk.session.engine.to_move(), Color::White);
    }

    #[test]
    fn rule_two_depends_on_the_dialect() {
        let mut talk = Talk::new();
        talk.say("INFO rule 4; INFO rule 2");
        assert_eq!(talk.session.engine.rule(), Rule::Freestyle);
        talk.say("YXSTOP; INFO rule 2");
        assert_eq!(talk.session.engine.rule(), Rule::Freestyle, "a match runner says YXSTOP, too");
        let threads = Options::max_threads();
        let known = format!("MESSAGE INFO MAX_THREAD_NUM {threads}; MESSAGE INFO MAX_HASH");
        assert!(talk.say("yxshowinfo; INFO rule 2").starts_with(&known));
        assert_eq!(talk.session.engine.rule(), Rule::Renju);
        talk.say("INFO rule 255; INFO rule -1");
        assert_eq!(talk.session.engine.rule(), Rule::Renju);
        talk.say("INFO rule 9; START 15; RESTART");
        assert_eq!(talk.session.engine.rule(), Rule::CaroExact);
    }

    #[test]
    fn swap2() {
        let mut talk = Talk::new();
        assert_eq!(talk.say("START 15; SWAP2BOARD; DONE").split(' ').count(), 4, "OK and three stones");
        assert_eq!(talk.say("SWAP2BOARD; 7,7; 8,7; 9,9; DONE"), "SWAP");
        assert_eq!(talk.session.engine.to_move(), Color::White);
        for bad in ["7,7; 8,7", "7,7; 7,7; 8,7", "7,7; 8,7; 99,9", "7,7; 8,7; 9,9; 1,1"] {
            assert!(talk.say(&format!("SWAP2BOARD; {bad}; DONE")).starts_with("ERROR a swap2"), "{bad}");
        }
        let opening = talk.say("yxswap2step1");
        assert!(opening.starts_with("MESSAGE SWAP2 MOVE1 ") && opening.contains("; MESSAGE SWAP2 MOVE3 "), "{opening}");
        assert_eq!(talk.stones().len(), 3, "the position at hand stays");
        assert_eq!(talk.say("yxswap2step2"), "MESSAGE SWAP2 SWAP1 YES");
        assert!(talk.say("yxswap2step3").starts_with("ERROR"));
    }

    #[test]
    fn tunables_are_set_in_builds_for_tuning_only() {
        let mut talk = Talk::new();
        talk.say("START 15");
        if ParamTable::IS_TUNABLE {
            let before = talk.session.engine.params().for_rule(Rule::Renju).rfp_slope();
            assert_eq!(talk.say("INFO tune.rfp_slope.caro 77"), "");
            assert_eq!(talk.say("INFO Tune.RFP_Slope 9999"), "ERROR the tunable's range is 20 to 140");
            assert_eq!(talk.say("INFO tune.nosuch 1"), "ERROR no such tunable");
            assert_eq!(talk.say("INFO tune.rfp_slope"), "ERROR expected a value");
            assert_eq!(talk.session.engine.params().for_rule(Rule::Caro).rfp_slope(), 77);
            assert_eq!(talk.session.engine.params().for_rule(Rule::Renju).rfp_slope(), before);
        } else {
            assert_eq!(talk.say("INFO tune.rfp_slope 77; INFO tune.nosuch x"), "", "an unknown key like any other");
        }
    }

    #[test]
    fn the_last_square_and_no_square() {
        let mut talk = Talk::new();
        let all: Vec<_> = Size::square(5).unwrap().points().map(|point| format!("{point},3")).collect();
        talk.say("START 5");
        assert_eq!(talk.say(&format!("BOARD; {}; DONE", all[..24].join(";"))), "4,4");
        assert_eq!(talk.say("TAKEBACK 4,4"), "OK");
        assert_eq!(talk.say(&format!("BOARD; {}; DONE", all.join(";"))), "ERROR no legal move");
        assert_eq!(talk.stones().len(), 24, "the position at hand stays");
    }

    /// Commands thrown together at random: every question gets one line, and nothing panics.
    #[test]
    fn soup() {
        let words = [
            "START 5",
            "START 15 9",
            "RECTSTART 7,6",
            "RESTART",
            "BEGIN",
            "TURN",
            "TAKEBACK",
            "PLAY",
            "BOARD",
            "DONE",
            "SWAP2BOARD",
            "yxboard",
            "yxblock",
            "yxblockundo",
            "yxblockreset",
            "yxshowforbid",
            "yxnbest 2",
            "INFO rule 4",
            "INFO rule 2",
            "yxswap2step1",
            "yxswap2step2",
            "yxswap2step3",
            "yxquerydatabaseall",
            "yxsetdatabase",
            "ABOUT",
            "YXSTOP",
            "INFO max_depth -9",
            "",
            "\u{fffd}",
            "yxhashclear",
            "INFO timeout_match 7",
            "INFO time_left -7",
        ];
        let mut random = 1u64;
        let mut pick = |count: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % count
        };
        let mut talk = Talk::new();
        for _ in 0..5000 {
            let word = words[pick(words.len())];
            let line = match pick(3) {
                0 => word.to_owned(),
                1 => format!("{word} {},{}", pick(8), pick(8)),
                _ => format!("{},{},{}", pick(8), pick(8), pick(5)),
            };
            let answer = talk.say(&line);
            let lines = answer.split("; ").filter(|line| !line.starts_with("MESSAGE ")).count();
            assert!(lines <= 1, "{line}: {answer}");
        }
    }

    #[test]
    fn a_panic_in_the_search_still_moves() {
        let mut talk = Talk::new();
        talk.say("START 20; INFO rule 4; yxboard; 3,3,2; done; yxblock; 2,2; done");
        let order = talk.order(Command::Think);
        let found = talk.session.search(&order, |_, _, _| -> u8 { panic!("a bug") });
        assert_eq!(found.unwrap(), None);
        let engine = &talk.session.engine;
        assert_eq!((engine.size(), engine.rule(), engine.stones().len()), (Size::square(20).unwrap(), Rule::Renju, 1));
        assert_eq!((engine.to_move(), engine.options().turn), (Color::White, Some(Duration::ZERO)));
        assert_eq!(talk.session.fallback(), Point::new(3, 2), "next to the last stone, and not the blocked point");
    }

    #[test]
    fn a_closed_output_ends_the_session() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut session = Session::new(Closed, Arc::new(Traffic::default()));
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        let about = Order { seq: 1, stamp, command: Command::About };
        assert!(session.handle(&about).is_err());
        session.serve(std::iter::repeat(about));
    }
}
