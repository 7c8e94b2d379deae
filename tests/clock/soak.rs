//! Many fast games with one brain, under all rules and on all sizes, with suspensions, settings changed during a search,
//! stops, stones taken back, jumps to other positions, and new games before the answer.
//!
//! Every answer comes exactly once, legal to the oracle and in time. Memory does not grow, and no thread and no file is left
//! behind. The normal run plays a few games; `TENGEN_SOAK_GAMES=5000 cargo test --release --test clock soak -- --nocapture` plays
//! more and prints figures. `TENGEN_SOAK_SEED=2` changes the run, `TENGEN_SOAK_THREADS=2` lets the brain search with two
//! threads now and then.

use crate::common::process::{Process, spread};
use crate::common::{Taste, alone, random_move, seeded, size};
use nix::sys::signal::Signal;
use rand::Rng;
use rand::rngs::SmallRng;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tengen::base::{Cell, Color, Point, Rule};
use tengen::board::oracle::{Oracle, Verdict};
use tengen_amount::from_environment;

/// Processor time that the brain may use beyond its limit. The first iteration is always finished, and on the largest board
/// that takes a while.
const ALLOWANCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 60 } else { 25 });

/// How often what happened, and the figures that are printed.
#[derive(Default)]
struct Account {
    games: u64,
    moves: u64,
    suspensions: u64,
    stops: u64,
    settings: u64,
    taken_back: u64,
    jumps: u64,
    overtaken: u64,
    /// Time beyond the limit by the clock, and in processor time of the brain.
    over_clock: Vec<Duration>,
    over_own: Vec<Duration>,
    /// USS in KiB after each tenth of the games.
    memory: Vec<u64>,
    most_threads: usize,
}

struct Soak {
    brain: Process,
    random: SmallRng,
    account: Account,
    oracle: Oracle,
    moves: Vec<Point>,
    /// Time for a move.
    turn: Duration,
    threads: u32,
    /// Open files at the first look: its streams, and files inherited from the process that runs the test.
    files: Option<usize>,
}

/// The answers that are due.
enum Due {
    Move,
    /// The move, and then `OK` for a command sent during the search.
    MoveAndOk,
}

impl Soak {
    fn new(seed: u64) -> Soak {
        let mut brain = Process::new();
        // A table of fixed size, so that memory must not grow.
        brain.send("INFO hash_size 4096\nINFO timeout_match 0\nINFO time_left 2147483647");
        let oracle = Oracle::new(Rule::Freestyle, size((15, 15)));
        let (random, account) = (seeded(seed), Account::default());
        Soak { brain, random, account, oracle, moves: Vec::new(), turn: Duration::ZERO, threads: 1, files: None }
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_ratio(percent, 100)
    }

    /// Plays one game.
    fn game(&mut self, number: u64) {
        let rule = Rule::ALL[number as usize % Rule::ALL.len()];
        let sides = (self.random.random_range(5..=22), self.random.random_range(5..=22));
        let sides = if self.chance(50) { (sides.0, sides.0) } else { sides };
        self.oracle = Oracle::new(rule, size(sides));
        self.moves.clear();
        let most = from_environment("TENGEN_SOAK_THREADS", 1);
        self.threads = self.random.random_range(1..=most) as u32;
        self.brain.send(&format!("INFO rule {}\nINFO thread_num {}", rule.number(), self.threads));
        let start = if sides.0 == sides.1 {
            format!("START {}", sides.0)
        } else {
            format!("RECTSTART {},{}", sides.0, sides.1)
        };
        self.brain.send(&start);
        self.brain.expect("OK");
        for _ in 0..self.random.random_range(2..30) {
            if !self.question() {
                break;
            }
            if self.chance(10) {
                self.take_back();
            }
        }
        self.account.games += 1;
    }

    /// Asks for a move and reads the answer. Returns false when the game is over.
    fn question(&mut self) -> bool {
        self.turn = Duration::from_millis([0, 1, 5, 10, 20, 40][self.random.random_range(0..6)]);
        self.brain.send(&format!("INFO timeout_turn {}", self.turn.as_millis()));
        let question = if self.chance(15) || self.moves.is_empty() {
            let Some(block) = self.jump() else { return false };
            block
        } else {
            let taste = Taste::ALL[self.random.random_range(0..4)];
            let Some(point) = random_move(&mut self.random, &self.oracle, &self.moves, taste) else { return false };
            let verdict = self.play(point);
            if self.moves.len() == self.oracle.size().cells() || verdict != Verdict::Continues {
                return false;
            }
            format!("TURN {point}")
        };
        let (asked, used) = (Instant::now(), self.own_time());
        self.brain.send(&question);
        let mut limit = self.turn;
        let (due, suspended) = self.disturb(&mut limit);
        let (at, line) = self.brain.answer();
        let own = self.own_time().saturating_sub(used);
        let clock = at.saturating_duration_since(asked).saturating_sub(suspended);
        self.account.over_clock.push(clock.saturating_sub(limit));
        self.account.over_own.push(own.saturating_sub(limit));
        assert!(own <= limit + ALLOWANCE, "{own:?} of work within {limit:?}:\n{}", self.brain.recent());
        let over = self.judge(&line);
        match due {
            Due::Move => {}
            Due::MoveAndOk => {
                self.account.overtaken += 1;
                self.brain.expect("OK");
                return false;
            }
        }
        self.brain.expect_silence();
        !over
    }

    /// Processor time of the thread that answers.
    fn own_time(&self) -> Duration {
        if self.threads == 1 { self.brain.processor_time() } else { self.brain.thinking_time() }
    }

    fn play(&mut self, point: Point) -> Verdict {
        let color = Color::to_move_after(self.moves.len());
        self.moves.push(point);
        self.oracle.play(point, color)
    }

    /// A BOARD block with another position, which has room and is not decided.
    fn jump(&mut self) -> Option<String> {
        if !self.moves.is_empty() {
            self.account.jumps += 1;
        }
        let (rule, board) = (self.oracle.rule(), self.oracle.size());
        let stones = self.random.random_range(0..=board.cells().min(40) - 1);
        let taste = Taste::ALL[self.random.random_range(0..4)];
        self.oracle = Oracle::new(rule, board);
        self.moves.clear();
        for _ in 0..stones {
            let point = random_move(&mut self.random, &self.oracle, &self.moves, taste)?;
            if self.play(point) != Verdict::Continues {
                // The game ended: take the position before.
                let kept = self.moves[..self.moves.len() - 1].to_vec();
                self.replay(&kept);
                break;
            }
        }
        let ours = Color::to_move_after(self.moves.len());
        let line = |(index, point): (usize, &Point)| {
            format!("{point},{}\n", if Color::to_move_after(index) == ours { 1 } else { 2 })
        };
        Some(format!("BOARD\n{}DONE", self.moves.iter().enumerate().map(line).collect::<String>()))
    }

    fn replay(&mut self, moves: &[Point]) {
        self.oracle = Oracle::new(self.oracle.rule(), self.oracle.size());
        self.moves.clear();
        for &point in moves {
            self.play(point);
        }
    }

    /// Disturbs the brain while it thinks. Returns the answers that are due, and how long it was suspended.
    fn disturb(&mut self, limit: &mut Duration) -> (Due, Duration) {
        let mut suspended = Duration::ZERO;
        let pause = Duration::from_millis(self.random.random_range(0..8));
        match self.random.random_range(0..20) {
            0..3 => {
                self.account.suspensions += 1;
                sleep(pause);
                let since = Instant::now();
                self.brain.signal(Signal::SIGSTOP);
                sleep(Duration::from_millis(self.random.random_range(1..60)));
                self.brain.signal(Signal::SIGCONT);
                suspended = since.elapsed();
            }
            3 => {
                self.account.stops += 1;
                sleep(pause);
                self.brain.send(if self.random.random() { "YXSTOP" } else { "STOP" });
            }
            4..6 => {
                // Within 50 ms of the question these are for the next one.
                self.account.settings += 1;
                sleep(pause);
                let turn = self.random.random_range(0..30);
                *limit = self.turn.max(Duration::from_millis(turn));
                self.brain.send(&format!("INFO timeout_turn {turn}\nINFO time_left 2147483647\nINFO evaluate 3,3"));
            }
            6 => {
                // A command that makes the answer worthless, mostly while the brain still thinks.
                sleep(pause);
                self.brain.send("RESTART");
                return (Due::MoveAndOk, suspended);
            }
            _ => {}
        }
        (Due::Move, suspended)
    }

    /// Checks an answer by the rules. Returns whether the game is over.
    fn judge(&mut self, line: &str) -> bool {
        self.account.moves += 1;
        let board = self.oracle.size();
        let point = line.split_once(',').and_then(|(x, y)| board.point(x.parse().ok()?, y.parse().ok()?));
        let point = point.unwrap_or_else(|| panic!("{line} is no point:\n{}", self.brain.recent()));
        assert_eq!(self.oracle.cell(point), Cell::Empty, "{line} is taken:\n{}", self.brain.recent());
        let color = Color::to_move_after(self.moves.len());
        if self.oracle.rule() == Rule::Renju && color == Color::Black && self.oracle.foul(point).is_some() {
            let allowed = |p: &Point| self.oracle.cell(*p) == Cell::Empty && self.oracle.foul(*p).is_none();
            let other = board.points().find(allowed);
            assert_eq!(other, None, "{line} is forbidden, this is not:\n{}", self.brain.recent());
        }
        self.play(point) != Verdict::Continues
    }

    fn take_back(&mut self) {
        let count = self.random.random_range(1..=2usize).min(self.moves.len());
        for _ in 0..count {
            self.account.taken_back += 1;
            let point = *self.moves.last().unwrap();
            self.brain.send(&format!("TAKEBACK {point}"));
            self.brain.expect("OK");
            let kept = self.moves[..self.moves.len() - 1].to_vec();
            self.replay(&kept);
        }
    }

    /// Measures memory, threads and open files of the brain.
    fn inspect(&mut self) {
        self.account.memory.push(self.brain.own_memory());
        self.account.most_threads = self.account.most_threads.max(self.brain.threads());
        let files = self.brain.open_files();
        assert_eq!(files, *self.files.get_or_insert(files), "files were left open");
    }
}

#[test]
fn games_with_disturbances() {
    let _turn = alone();
    let games = from_environment("TENGEN_SOAK_GAMES", 30);
    let mut soak = Soak::new(from_environment("TENGEN_SOAK_SEED", 1));
    for number in 0..games {
        soak.game(number);
        // Everything has grown to its size after the first tenth.
        if (number + 1) % games.div_ceil(10) == 0 {
            soak.inspect();
            println!("{} games, USS {} KiB", number + 1, soak.account.memory.last().unwrap());
        }
    }
    let Soak { brain, account, .. } = soak;
    let threads = brain.threads();
    let (_, status) = brain.end();
    assert!(status.success());
    let Account { mut over_clock, mut over_own, memory, .. } = account;
    println!(
        "{} games, {} moves; {} suspensions, {} stops, {} settings in mid-search, {} restarts in mid-search, {} stones taken \
         back, {} jumps",
        account.games,
        account.moves,
        account.suspensions,
        account.stops,
        account.settings,
        account.overtaken,
        account.taken_back,
        account.jumps
    );
    println!("beyond the limit, suspensions taken off, by the clock: {}", spread(&mut over_clock));
    println!("  in processor time of the thread that answers: {}", spread(&mut over_own));
    println!("USS {} KiB after the first tenth, {} at the end", memory[0], memory[memory.len() - 1]);
    println!("threads: {threads} at the end, {} at most", account.most_threads);
    // The listening thread, the thinking thread, the main thread and the helpers.
    assert!(
        account.most_threads <= 3 + from_environment("TENGEN_SOAK_THREADS", 1) as usize,
        "{}",
        account.most_threads
    );
    if games >= 1000 {
        let most = memory.iter().max().unwrap();
        assert!(*most <= memory[0] + memory[0] / 10 + 1024, "memory grew: {memory:?} KiB");
    }
}
