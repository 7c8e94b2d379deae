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
use crate::engine::{Database, Engine, Options, PositionError, SearchTrace};
use crate::search::{ReportSink, SearchControl, SearchReport};
use messages::Messages;
use std::collections::VecDeque;
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
    /// The searches of a session that is being repeated, question by question.
    script: Option<VecDeque<Vec<SearchTrace>>>,
    /// What it has said, line by line.
    replies: Vec<String>,
    /// What the manager wants to see.
    wishes: Wishes,
    database: Database,
    /// When the database was last written.
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

    /// Which openings are proposed, unless `INFO seed` says otherwise.
    pub fn set_opening_seed(&mut self, seed: u64) {
        self.engine.options_mut().opening_seed = seed;
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
        if let Err(error) = self.database.save() {
            log::error!("the database could not be written: {error}");
        }
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
            Command::Begin => self.think(order, 1),
            Command::Best(lines) => self.think(order, *lines),
            Command::Defend => self.defend(order),
            Command::Balance { stones, bias } => self.balance(order, *stones, *bias),
            Command::Turn(spot) => match self.play(*spot) {
                Ok(_) => self.think(order, 1),
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
                    Ok(()) => self.think(order, 1),
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

    /// Thinks, shows so many lines, plays the move on our board and tells it.
    fn think(&mut self, order: &Order, lines: usize) -> io::Result<()> {
        if self.is_full() {
            return self.complain(Complaint::NoMove);
        }
        let found = self.search(order, |engine, control, sink| {
            if lines > 1 { engine.analyse(lines, control, sink) } else { engine.think(control, sink) }
        })?;
        self.answer(found.as_ref())
    }

    /// Plays a move on our board and tells it; another one if there is none or it cannot be played.
    fn answer(&mut self, found: Option<&SearchReport>) -> io::Result<()> {
        if let Some(report) = found {
            self.keep(report);
        }
        let played = found.and_then(|report| report.best).filter(|&point| self.engine.play(point).is_ok());
        let answer = match played {
            Some(point) => Some(point),
            None => self.fallback().filter(|&point| self.engine.play(point).is_ok()),
        };
        let told = match answer {
            Some(point) => self.reply(&Reply::Move(point)),
            None => self.complain(Complaint::NoMove),
        };
        // Nobody waits for the disk.
        self.save_now_and_then();
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
        let control = self.traffic.control();
        if let Some(script) = &mut self.script {
            self.engine.set_script(Some(script.pop_front().unwrap_or_default()));
        }
        if let Some(recorder) = self.traffic.recorder() {
            self.engine.take_traces();
            recorder.asked(&self.engine);
        }
        let notation = self.notation();
        let mut sink = Messages::new(&mut self.out, control, notation, &self.wishes, started);
        let engine = &mut self.engine;
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
            let lines: Vec<_> = text
                .lines()
                .filter(|line| !line.starts_with("MESSAGE depth") && !line.starts_with("MESSAGE line"))
                .collect();
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
    fn soosorv() {
        let mut talk = Talk::new();
        let numbers = |line: &str| -> Vec<usize> { line.split(' ').filter_map(|word| word.parse().ok()).collect() };
        talk.say("START 15; INFO rule 4; PLAY 3,4");
        let opening = talk.say("yxsoosorvstep1");
        assert!(opening.starts_with("MESSAGE SOOSORV MOVE1 7 7; MESSAGE SOOSORV MOVE2 "), "{opening}");
        let side = talk.say("yxsoosorvstep2; 7,7; 7,6; 8,8; done");
        assert!(["MESSAGE SOOSORV SWAP1 YES", "MESSAGE SOOSORV SWAP1 NO"].contains(&side.as_str()), "{side}");
        let fourth = talk.say("yxsoosorvstep3; 7,7; 7,6; 8,8; done");
        assert!(fourth.starts_with("MESSAGE SOOSORV MOVE4 "), "{fourth}");
        let [x, y, count] = numbers(&fourth)[..] else { panic!("{fourth}") };
        assert!(x < 15 && y < 15 && (1..=8).contains(&count), "{fourth}");
        let four = format!("7,7; 7,6; 8,8; {x},{y}");
        let sides = talk.say(&format!("yxsoosorvstep4 {count}; {four}; done"));
        assert!(sides.starts_with("MESSAGE SOOSORV SWAP2 "), "{sides}");
        let fifths = talk.say(&format!("yxsoosorvstep5 3; {four}; done"));
        let lines: Vec<&str> = fifths.split("; ").collect();
        assert_eq!((lines.len(), lines[0]), (5, "MESSAGE SOOSORV MOVE5 REFRESH"), "{fifths}");
        assert_eq!(lines[4], "MESSAGE SOOSORV MOVE5 DONE");
        let offered: Vec<String> =
            lines[1..4].iter().map(|line| numbers(line)).map(|pair| format!("{},{}", pair[0], pair[1])).collect();
        let choice = talk.say(&format!("yxsoosorvstep6; {four}; {}; done", offered.join("; ")));
        let chosen = choice.strip_prefix("MESSAGE SOOSORV MOVE5C ").expect("a choice").replace(' ', ",");
        assert!(offered.contains(&chosen), "{chosen} of {offered:?}");
        assert_eq!(talk.stones(), [("3,4".to_owned(), Black)], "the position at hand stays");
        for bad in ["step2; 7,7; done", "step5 2; 7,7; 8,8; 9,9; 9,9; done", "step6; 1,1; 2,2; 3,3; 4,4; done"] {
            assert!(talk.say(&format!("yxsoosorv{bad}")).starts_with("ERROR a Soosorv"), "{bad}");
        }
    }

    #[test]
    fn balance() {
        let mut talk = Talk::new();
        talk.say("START 15; INFO max_depth 4; PLAY 7,7");
        let answer = talk.say("yxblock; 8,8; done; yxbalanceone 0");
        let (message, stone) = answer.split_once("; ").expect("a message and a stone");
        assert!(message.starts_with("MESSAGE after ") && message.contains(" for the side to move"), "{message}");
        assert_eq!(talk.stones(), [("7,7".to_owned(), Black), (stone.to_owned(), White)]);
        talk.say("RESTART");
        let pairs = talk.say("yxbalancetwo -20");
        let stones: Vec<&str> = pairs.rsplit("; ").next().unwrap().split(' ').collect();
        assert!(stones.len() == 2 && stones[0] != stones[1], "{pairs}");
        assert_eq!(talk.stones().len(), 1, "the first one is played");
        assert_eq!(talk.say("yxbalance 5 10").rsplit("; ").next().unwrap().split(' ').count(), 5);
        assert!(talk.say("yxbalance 99").starts_with("ERROR a position is balanced with 1 to 8"));
    }

    #[test]
    fn blocked_paths() {
        let mut talk = Talk::new();
        // White is about to complete a five: black takes 5,7 or loses.
        let board = "yxboard; 4,4,1; 6,7,2; 0,0,1; 7,7,2; 0,14,1; 8,7,2; 10,7,1; 9,7,2; done";
        talk.say(&format!("START 15; INFO timeout_turn 1000; INFO max_depth 3; {board}"));
        assert_eq!(talk.say("yxnbest 1"), "5,7");
        let line = "4,4; 6,7; 0,0; 7,7; 0,14; 8,7; 10,7; 9,7";
        talk.say(&format!("START 15; {board}; yxblockpath; {line}; 5,7; done"));
        assert_ne!(talk.say("yxnbest 1"), "5,7", "blocked here");
        talk.say(&format!("START 15; {board}; yxblockpathundo; {line}; 5,7; done"));
        assert_eq!(talk.say("yxnbest 1"), "5,7", "free again");
        talk.say(&format!("START 15; {board}; yxblockpath; {line}; 3,3; 5,7; done; yxblockpath; 1,1; 5,7; done"));
        assert_eq!(talk.say("yxblockpath; 99,1; done; yxnbest 1"), "5,7", "these paths block nothing here");
        talk.say("yxblockpathreset");
        assert_eq!(talk.session.blocked_paths.len(), 0);
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
            "yxsearchdefend",
            "yxbalanceone",
            "yxbalancetwo",
            "yxsoosorvstep1",
            "yxsoosorvstep3",
            "yxblockpath",
            "yxblockpathreset",
            "INFO show_detail 1",
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
        let order = talk.order(Command::Best(1));
        let found = talk.session.search(&order, |_, _, _| -> u8 { panic!("a bug") });
        assert_eq!(found.unwrap(), None);
        let engine = &talk.session.engine;
        assert_eq!((engine.size(), engine.rule(), engine.stones().len()), (Size::square(20).unwrap(), Rule::Renju, 1));
        assert_eq!((engine.to_move(), engine.options().turn), (Color::White, Some(Duration::ZERO)));
        assert_eq!(talk.session.fallback(), Point::new(3, 2), "next to the last stone, and not the blocked point");
    }

    #[test]
    fn a_panic_anywhere_else_costs_one_answer() {
        /// An output that is a bug now and then.
        #[derive(Default)]
        struct Trap {
            said: Vec<u8>,
            armed: bool,
        }
        impl Write for Trap {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                assert!(!std::mem::take(&mut self.armed), "a bug");
                self.said.write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut session = Session::new(Trap::default(), Arc::new(Traffic::default()));
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        let spot = |x, y| Spot { x, y };
        let size = Size::new(20, 15).unwrap();
        for command in [Command::Start(size), Command::Play(spot(3, 4)), Command::Play(spot(5, 5))] {
            session.out.armed = command == Command::Play(spot(5, 5));
            assert_eq!(session.handle(&Order { seq: 1, stamp, command }).unwrap(), Flow::Continue);
        }
        assert_eq!(String::from_utf8_lossy(&session.out.said), "OK\n3,4\nERROR internal error, please report it\n");
        assert_eq!(session.engine().stones(), [(Point::new(3, 4).unwrap(), Black)], "as it was before the command");
        assert_eq!((session.engine().size(), session.engine().to_move()), (size, Color::White));
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
