//! A session of Yixin-Board as its traffic shows it: thirty moves with taking back, stops, several lines and queries.
//! A model of the GUI counts the answers that are due; a line too many or too few fails.

use crate::common::PATIENCE;
use crate::common::process::Process;
use std::time::{Duration, Instant};

const SIDE: i64 = 15;

type Square = (i64, i64);

/// What the GUI knows, and the answers that it waits for.
struct Gui {
    brain: Process,
    /// Moves of the game, black first.
    path: Vec<Square>,
    /// Whether a move is due.
    thinking: bool,
    /// Asked for several lines. The GUI waits for nothing then, and plays the move that comes.
    analysing: bool,
    /// Moves that are due and no longer wanted.
    omit: usize,
    /// Answers to START and YXSHOWFORBID that are due.
    oks: usize,
    forbids: usize,
    /// Answers to database queries that are due: each ends with `DATABASE DONE`.
    databases: usize,
    use_database: bool,
    /// The forbidden points of the last answer.
    forbidden: Vec<Square>,
    messages: Vec<String>,
    /// Answers to YXSHOWINFO so far.
    infos: usize,
}

impl Gui {
    fn new() -> Gui {
        let (path, forbidden, messages) = (Vec::new(), Vec::new(), Vec::new());
        Gui {
            brain: Process::new(),
            path,
            thinking: false,
            analysing: false,
            omit: 0,
            oks: 0,
            forbids: 0,
            databases: 0,
            use_database: false,
            forbidden,
            messages,
            infos: 0,
        }
    }

    fn send(&mut self, text: &str) {
        self.brain.send(text);
    }

    /// `start`, `yxboard` or `board`, and the stones of the game.
    fn position(&mut self, word: &str) {
        self.send(&format!("start {SIDE} {SIDE}"));
        self.oks += 1;
        self.send(word);
        for index in 0..self.path.len() {
            let (row, column) = self.path[index];
            let owner = if self.path.len() % 2 == index % 2 { 1 } else { 2 };
            self.send(&format!("{row},{column},{owner}"));
        }
        self.send("done");
    }

    fn query_database(&mut self) {
        if self.use_database {
            self.send("yxquerydatabaseall");
            for (row, column) in self.path.clone() {
                self.send(&format!("{row},{column}"));
            }
            self.send("done");
            self.databases += 1;
        }
    }

    fn show_forbidden(&mut self) {
        if self.path.len().is_multiple_of(2) {
            self.position("yxboard");
            self.send("yxshowforbid");
            self.forbids += 1;
        }
    }

    /// The user asks the computer for a move.
    fn think(&mut self) {
        self.send("INFO time_left 100000000");
        self.position("board");
        self.thinking = true;
        self.query_database();
    }

    /// The user plays; the computer, which is thinking in turns, answers.
    fn play(&mut self, square: Square) {
        self.path.push(square);
        self.send("INFO time_left 100000000");
        self.send(&format!("turn {},{}", square.0, square.1));
        self.thinking = true;
        self.query_database();
    }

    fn undo(&mut self) {
        if self.thinking {
            self.omit += 1;
            self.thinking = false;
        }
        self.analysing = false;
        self.path.pop();
        self.show_forbidden();
        self.query_database();
        self.send("yxstop");
        self.query_database();
    }

    fn best_lines(&mut self, count: usize) {
        self.send("info nbestsym 0");
        self.position("yxboard");
        self.send(&format!("yxnbest {count}"));
        self.analysing = true;
        self.query_database();
    }

    /// Reads one line as the GUI does; a line that is not due is a failure.
    fn take(&mut self, line: &str) {
        if let Some(message) = line.strip_prefix("MESSAGE ") {
            match message {
                "DATABASE DONE" => {
                    self.databases = self.databases.checked_sub(1).expect("a database answer that was not asked for");
                }
                message => {
                    self.infos += usize::from(message.starts_with("INFO MAX_THREAD_NUM "));
                    self.messages.push(message.to_owned());
                }
            }
            return;
        }
        if line == "OK" {
            self.oks = self.oks.checked_sub(1).expect("an OK that was not asked for");
        } else if let Some(points) = line.strip_prefix("FORBID ") {
            self.forbids = self.forbids.checked_sub(1).expect("a FORBID that was not asked for");
            let digits = points.strip_suffix('.').expect("a full stop ends the list").as_bytes();
            let number = |pair: &[u8]| i64::from(pair[0] - b'0') * 10 + i64::from(pair[1] - b'0');
            self.forbidden = digits.chunks(4).map(|point| (number(&point[..2]), number(&point[2..]))).collect();
        } else {
            let numbers = line.split_once(',').and_then(|(r, c)| Some((r.parse().ok()?, c.parse().ok()?)));
            let square: Square = numbers.unwrap_or_else(|| panic!("{line:?} is no line of this dialect"));
            if self.omit > 0 {
                self.omit -= 1;
                return;
            }
            assert!(self.thinking || self.analysing, "the move {line} was not asked for");
            (self.thinking, self.analysing) = (false, false);
            let on_board = (0..SIDE).contains(&square.0) && (0..SIDE).contains(&square.1);
            assert!(on_board && !self.path.contains(&square), "{line} in {:?}", self.path);
            self.path.push(square);
        }
    }

    fn settled(&self) -> bool {
        !self.thinking && !self.analysing && self.omit + self.oks + self.forbids + self.databases == 0
    }

    /// Reads lines until this holds.
    fn read_until(&mut self, is_done: impl Fn(&Gui) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_done(self) {
            match self.brain.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((_, line)) => self.take(&line),
                Err(error) => panic!(
                    "{error}; still due: a move {}, {} to omit, {} OK, {} FORBID, {} database",
                    self.thinking, self.omit, self.oks, self.forbids, self.databases
                ),
            }
        }
    }

    /// Reads until no answer is due.
    fn wait(&mut self) {
        self.read_until(Gui::settled);
    }

    /// Waits until the search has finished an iteration, or has answered.
    fn wait_for_iteration(&mut self) {
        // The OK of its position comes before everything that the search says.
        self.read_until(|gui| gui.oks == 0);
        self.messages.clear();
        let has_iteration = |gui: &Gui| gui.messages.iter().any(|message| message.contains("depth "));
        self.read_until(|gui| !(gui.thinking || gui.analysing) || has_iteration(gui));
    }

    /// Nothing comes that is not due. The brain answers in order, so after the answer to one more question every line
    /// that was due before has come.
    fn expect_silence(&mut self) {
        let infos = self.infos;
        self.send("yxshowinfo");
        self.read_until(|gui| gui.infos > infos);
    }

    /// The user's move: a free square near the last stone, not forbidden.
    fn some_square(&self, number: i64) -> Square {
        let &(row, column) = self.path.last().unwrap_or(&(7, 7));
        let around = (0..).map(|n| n + number).flat_map(|n| {
            [(row + n % 3 - 1, column + n % 5 - 2), (row - n % 5 + 2, column + n % 2), (n % SIDE, (n * 7) % SIDE)]
        });
        let fits = |&(r, c): &Square| {
            (0..SIDE).contains(&r)
                && (0..SIDE).contains(&c)
                && !self.path.contains(&(r, c))
                && !self.forbidden.contains(&(r, c))
        };
        around.into_iter().find(fits).unwrap()
    }
}

/// How often the user did what in a game.
#[derive(Debug, Default)]
struct Happened {
    undone: usize,
    stopped: usize,
    listed: usize,
}

impl Gui {
    /// The settings that the GUI sends when it starts, and an empty board. `pondering`: one of the settings.
    fn greet(&mut self, pondering: &str) {
        for line in [
            "info show_detail 1",
            "yxshowinfo",
            "INFO max_node -1",
            "INFO timeout_match 100000000",
            "INFO timeout_turn 150",
            "INFO thread_num 1",
            "INFO hash_size 16384",
            "INFO caution_factor 1",
            pondering,
            "INFO vcthread 0",
        ] {
            self.send(line);
        }
        self.send("START 15 15");
        self.oks += 1;
        self.send("INFO rule 2");
        self.use_database = true;
        self.send("info usedatabase 1");
        self.show_forbidden();
        self.query_database();
        self.wait();
    }

    /// The computer moves for the side to move.
    fn think_and_wait(&mut self) {
        self.think();
        self.wait();
    }

    /// A long search is stopped.
    fn stop_a_long_search(&mut self) {
        self.send("INFO timeout_turn 60000");
        self.think();
        self.wait_for_iteration();
        self.send("yxstop");
        self.send("INFO timeout_turn 150");
        self.wait();
    }

    /// Asks for several lines. Returns whether they came: a threat may leave one move only.
    fn ask_for_lines(&mut self) -> bool {
        self.messages.clear();
        self.best_lines(3);
        self.wait();
        self.messages.iter().any(|message| message.starts_with("line 2 depth "))
    }

    /// The user takes back while the computer thinks, twice, and asks for a move in the end.
    fn undo_in_mid_search(&mut self) {
        self.send("INFO timeout_turn 60000");
        self.think();
        self.wait_for_iteration();
        self.undo();
        self.think();
        self.wait_for_iteration();
        self.undo();
        self.send("INFO timeout_turn 150");
        self.wait();
        self.expect_silence();
        self.think_and_wait();
    }

    /// The user takes back while the computer analyses, and asks for a move in the end. Nothing is due for the analysis.
    fn undo_in_mid_analysis(&mut self) {
        // The GUI asks for forbidden points, and sends the position for it, where black is to move.
        if self.path.len().is_multiple_of(2) {
            self.think_and_wait();
        }
        self.send("INFO timeout_turn 60000");
        self.best_lines(2);
        self.wait_for_iteration();
        // Commands that come at once belong to a script.
        std::thread::sleep(Duration::from_millis(150));
        // A proven win ends the analysis.
        while let Ok((_, line)) = self.brain.lines.try_recv() {
            self.take(&line);
        }
        self.undo();
        self.send("INFO timeout_turn 150");
        self.wait();
        self.expect_silence();
        self.think_and_wait();
    }

    /// The user takes back while nothing is being searched, so that the stop has nothing to stop.
    fn undo_at_rest(&mut self) {
        self.undo();
        self.wait();
        self.expect_silence();
        self.think_and_wait();
    }

    /// The user plays a move, and the computer answers it.
    fn play_and_wait(&mut self, number: i64) {
        self.position("yxboard");
        let square = self.some_square(number);
        self.play(square);
        self.wait();
    }
}

#[test]
fn thirty_moves_stay_in_step() {
    thirty_moves("INFO pondering 0");
}

#[test]
fn thirty_moves_with_pondering_stay_in_step() {
    thirty_moves("INFO pondering 1");
}

fn thirty_moves(pondering: &str) {
    let mut gui = Gui::new();
    gui.greet(pondering);
    assert!(gui.messages.iter().any(|message| message.starts_with("INFO MAX_THREAD_NUM ")));

    let mut happened = Happened::default();
    let mut turn = 0;
    while gui.path.len() < 30 {
        turn += 1;
        match turn % 7 {
            0 => gui.think_and_wait(),
            1 => {
                gui.stop_a_long_search();
                happened.stopped += 1;
            }
            2 => happened.listed += usize::from(gui.ask_for_lines()),
            3 => {
                gui.undo_in_mid_search();
                happened.undone += 2;
            }
            4 => {
                gui.undo_at_rest();
                happened.undone += 1;
            }
            5 => {
                gui.undo_in_mid_analysis();
                happened.undone += 1;
            }
            _ => gui.play_and_wait(turn),
        }
        gui.show_forbidden();
        gui.query_database();
        gui.wait();
        let distinct: std::collections::HashSet<_> = gui.path.iter().collect();
        assert_eq!(distinct.len(), gui.path.len());
    }
    assert!(happened.undone >= 3 && happened.stopped >= 2 && happened.listed >= 1, "{happened:?}");
    assert!(gui.messages.iter().any(|message| message.starts_with("DATABASE ")));
    gui.expect_silence();
    gui.send("end");
    assert!(gui.brain.child.wait().unwrap().success());
    let rest: Vec<String> =
        gui.brain.lines.iter().map(|(_, line)| line).filter(|line| !line.starts_with("MESSAGE ")).collect();
    assert_eq!(rest, [""; 0], "said after the end");
}
