//! No move is late: a new process for each game, by the clock of the test, with every core loaded, for any hash size.
//!
//! The normal run plays a few games and starts a few processes. A long run is best on a machine that does nothing else:
//! `TENGEN_LATENESS=1000` plays 1000 games of eight moves a side at 100, 300 and 500 ms a move,
//! `TENGEN_LATENESS_WHOLE=100` plays 100 games to their end, and `TENGEN_LATENESS_STARTS=200` starts 200 processes for each
//! hash size and turn time. `TENGEN_LATENESS_AT_ONCE=3` plays or starts three at once, which loads the machine more.
//! `cargo test --release --test clock lateness -- --nocapture` prints the tables.
//!
//! Times run from writing the question to the arrival of the answer's line. A move is not late because of time after the
//! deadline in which the whole machine stood still, as a control thread on each core measures it.

use super::load::Load;
use crate::common::process::Process;
use crate::common::{alone, size};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tengen::base::{Cell, Color, Point, Rule};
use tengen::board::notation::parse_moves;
use tengen::board::oracle::{Oracle, Verdict};
use tengen_amount::from_environment;

/// How much later than its time an answer may come.
const TOLERANCE: Duration = Duration::from_millis(20);

/// The time in which a new process must answer START.
const START: Duration = Duration::from_millis(150);

/// Hash sizes to set, in MiB.
const HASHES: [u64; 5] = [16, 64, 256, 1024, 2048];

/// The first nodes of a process are timed, and as many after them.
const NODES: u64 = 20_000;
/// How many times as long the first nodes may take.
const RATIO: f64 = 1.5;

macro_rules! ground {
    ($rule:ident, $side:expr, $name:literal) => {
        (Rule::$rule, $side, include_str!(concat!("../data/openings/", $name, ".txt")))
    };
}

/// Rules, sides of the board and openings.
const GROUNDS: [(Rule, usize, &str); 10] = [
    ground!(Freestyle, 15, "freestyle_15"),
    ground!(Renju, 15, "renju_15"),
    ground!(Caro, 20, "caro_20"),
    ground!(Standard, 15, "standard_15"),
    ground!(Freestyle, 10, "freestyle_10"),
    ground!(Renju, 20, "renju_20"),
    ground!(Caro, 15, "caro_15"),
    ground!(Freestyle, 20, "freestyle_20"),
    ground!(CaroExact, 15, "caro-exact_15"),
    ground!(Standard, 20, "standard_20"),
];

/// Fails when every try has complaints. The normal run tries again, because the machine may be busy with more than the
/// load of this test; a long run tries once.
fn hold(at_length: bool, mut complaints: impl FnMut() -> Vec<String>) {
    let tries = if at_length { 1 } else { 1 + from_environment("FIXTURE_RETRIES", 2) };
    let mut last = Vec::new();
    for _ in 0..tries {
        last = complaints();
        if last.is_empty() {
            return;
        }
    }
    panic!("{} complaints in the last of {tries} tries:\n{}", last.len(), last.join("\n"));
}

/// An answer, by the clock of the test.
struct Answer {
    /// The rows of the table in which it counts.
    rows: Vec<String>,
    what: String,
    due: Instant,
    came: Instant,
    tolerance: Duration,
}

impl Answer {
    /// Milliseconds after it was due.
    fn beyond(&self) -> f64 {
        let ms = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64() * 1e3;
        ms(self.due, self.came) - ms(self.came, self.due)
    }

    fn is_late(&self, load: &Load) -> bool {
        let late = self.came.saturating_duration_since(self.due);
        late.saturating_sub(load.stalled(self.due, self.came)) > self.tolerance
    }
}

/// Prints the table and what the controls measured. Returns the answers that were late.
fn judge(answers: &[Answer], load: &Load) -> Vec<String> {
    let mut rows: BTreeMap<&str, Vec<&Answer>> = BTreeMap::new();
    for answer in answers {
        answer.rows.iter().for_each(|row| rows.entry(row).or_default().push(answer));
    }
    println!(
        "{:36} {:>7} {:>9} {:>9} {:>9}  late (by the clock)",
        "ms after the time was up", "count", "median", "99.9 %", "worst"
    );
    for (row, answers) in rows {
        let mut beyond: Vec<f64> = answers.iter().map(|answer| answer.beyond()).collect();
        beyond.sort_by(f64::total_cmp);
        let at = |share: f64| beyond[((beyond.len() as f64 * share).ceil() as usize).clamp(1, beyond.len()) - 1];
        let late = answers.iter().filter(|answer| answer.is_late(load)).count();
        let by_clock = answers.iter().filter(|answer| answer.came > answer.due + answer.tolerance).count();
        let (middle, most, worst) = (at(0.5), at(0.999), at(1.0));
        println!("{row:36} {:>7} {middle:>9.1} {most:>9.1} {worst:>9.1}  {late} ({by_clock})", beyond.len());
    }
    println!("{}", load.summary());
    let complaint = |answer: &Answer| {
        let stalls = load.stalls(answer.due, answer.came);
        format!(
            "{}: {:.1} ms after its time, of which each core stalled for {stalls:.1?}",
            answer.what,
            answer.beyond()
        )
    };
    answers.iter().filter(|answer| answer.is_late(load)).map(complaint).collect()
}

/// The settings as the judge sends them; `hash` in MiB.
fn settings(rule: Rule, turn: Duration, hash: Option<u64>) -> String {
    let (turn, rule, folder) = (turn.as_millis(), rule.number(), env!("CARGO_TARGET_TMPDIR"));
    let hash_size = hash.map_or(String::new(), |mib| format!("INFO hash_size {}\r\n", mib << 10));
    // Room for the largest table, or the limit of the tournaments.
    let memory = if hash.is_some() { 3 << 30 } else { 350 << 20 };
    format!(
        "INFO timeout_turn {turn}\r\nINFO timeout_match 0\r\nINFO max_memory {memory}\r\nINFO game_type 1\r\n\
         INFO rule {rule}\r\nINFO folder {folder}\r\n{hash_size}INFO time_left 2147483647\r"
    )
}

fn hash_name(hash: Option<u64>) -> String {
    hash.map_or("no hash_size".to_owned(), |mib| format!("hash_size {mib:>4} MiB"))
}

/// The position as a BOARD block for the side to move.
fn block(moves: &[Point]) -> String {
    let us = Color::to_move_after(moves.len());
    let mut text = "BOARD".to_owned();
    for (i, point) in moves.iter().enumerate() {
        let field = if Color::to_move_after(i) == us { 1 } else { 2 };
        write!(text, "\r\n{point},{field}").unwrap();
    }
    text + "\r\nDONE\r"
}

fn opening(ground: usize, number: usize) -> (Rule, usize, Vec<Point>) {
    let (rule, side, lines) = GROUNDS[ground % GROUNDS.len()];
    let line = lines.lines().cycle().nth(number).unwrap();
    (rule, side, parse_moves(line, size((side, side))).expect("openings have legal moves"))
}

/// Plays one game of at most `most` moves between two new processes, each started when its first move is due.
fn play(number: usize, turn: Duration, most: usize, answers: &mut Vec<Answer>) {
    let hash = [None].into_iter().chain(HASHES.map(Some)).cycle().nth(number).unwrap();
    // The judge sends everything in one burst, so that its clock runs while the process starts; others wait for OK.
    let burst = (number / 6).is_multiple_of(2);
    let (rule, side, mut moves) = opening(number + number / GROUNDS.len(), number);
    let board = size((side, side));
    let mut oracle = Oracle::new(rule, board);
    moves.iter().enumerate().for_each(|(i, &point)| oracle.set(point, Color::to_move_after(i).into()));
    let mut brains: [Option<Process>; 2] = [None, None];
    for played in 0..most {
        let is_first = played < 2;
        let brain = brains[played % 2].get_or_insert_with(Process::new);
        let opening = format!("START {side}\r\n{}", settings(rule, turn, hash));
        let question = if is_first {
            block(&moves)
        } else {
            format!("INFO time_left 2147483647\r\nTURN {}\r", moves.last().expect("there are stones"))
        };
        let question = if is_first && burst { format!("{opening}\n{question}") } else { question };
        if is_first && !burst {
            brain.send(&opening);
            brain.expect("OK");
        }
        let mut reports = String::new();
        let asked = Instant::now();
        brain.send(&question);
        let due = asked + turn;
        if is_first && burst {
            let (_, line, waits) = brain.answer_due(due);
            assert_eq!(line, "OK", "\n{}", brain.recent());
            reports += &waits;
        }
        let (came, line, waits) = brain.answer_due(due);
        reports += &waits;
        let ms = turn.as_millis();
        let mut rows = vec![format!("{ms:>4} ms, {}", if is_first { "first moves" } else { "later moves" })];
        if is_first {
            rows.push(format!("{ms:>4} ms, first, {}", hash_name(hash)));
            rows.push(format!("{ms:>4} ms, first, {}", if burst { "one burst" } else { "after OK" }));
        }
        let what = format!(
            "game {number}, {rule:?} {side}, {ms} ms, {}, move {played}, burst {burst}{reports}",
            hash_name(hash)
        );
        answers.push(Answer { rows, what, due, came, tolerance: TOLERANCE });
        let point = line.split_once(',').and_then(|(x, y)| board.point(x.parse().ok()?, y.parse().ok()?));
        let point = point.filter(|&point| oracle.cell(point) == Cell::Empty);
        let point = point.unwrap_or_else(|| panic!("{line} is no move:\n{}", brain.recent()));
        let color = Color::to_move_after(moves.len());
        moves.push(point);
        if oracle.play(point, color) != Verdict::Continues {
            break;
        }
    }
    brains.into_iter().flatten().for_each(|brain| assert!(brain.end().1.success()));
}

/// Runs a task `count` times, `TENGEN_LATENESS_AT_ONCE` of them at once, and returns all answers.
fn side_by_side(count: u64, task: impl Fn(u64, &mut Vec<Answer>) + Sync) -> Vec<Answer> {
    let next = AtomicU64::new(0);
    let worker = || {
        let mut answers = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return answers;
            }
            task(number, &mut answers);
        }
    };
    let at_once = from_environment("TENGEN_LATENESS_AT_ONCE", 1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// The hash sizes that fit several times into the free memory of this machine.
fn hashes() -> impl Iterator<Item = u64> {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap();
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
    let available: u64 = line.trim_end_matches("kB").trim().parse().unwrap();
    HASHES.into_iter().filter(move |mib| mib << 10 <= available / 4)
}

#[test]
fn no_move_of_a_new_process_is_late() {
    let _turn = alone();
    let games = from_environment("TENGEN_LATENESS", 0);
    let whole = from_environment("TENGEN_LATENESS_WHOLE", 0);
    let at_length = games + whole > 0;
    hold(at_length, || {
        let load = Load::new();
        let turn = |number: u64| Duration::from_millis([100, 300, 500][number as usize / 12 % 3]);
        // A long run plays eight moves a side; the normal run two a side, all at 100 ms.
        let (games, moves) = if at_length { (games, 16) } else { (12, 4) };
        let answers = side_by_side(games + whole, |number, answers| {
            let (turn, most) = if number < games { (turn(number), moves) } else { (turn(number - games), usize::MAX) };
            play(number as usize, turn, most, answers);
        });
        judge(&answers, &load)
    });
}

/// Starts one process and asks for its first move. Unless `whole`, a search longer than a second is stopped after one
/// second.
fn start(number: usize, hash: u64, turn: Duration, whole: bool, answers: &mut Vec<Answer>) {
    let (rule, side, moves) = opening(number, number / GROUNDS.len());
    let settings = settings(rule, turn, Some(hash));
    let ms = turn.as_millis();
    let what = format!("{rule:?} {side}, {ms} ms, {}", hash_name(Some(hash)));
    let begun = Instant::now();
    let mut brain = Process::new();
    // A manager may send the settings before START or after it.
    let greeting = if number.is_multiple_of(2) {
        format!("START {side}\r\n{settings}")
    } else {
        format!("{settings}\nSTART {side}\r")
    };
    brain.send(&greeting);
    let (came, line, waits) = brain.answer_due(begun + START);
    assert_eq!(line, "OK");
    let rows = vec![format!("START, {}", hash_name(Some(hash)))];
    answers.push(Answer {
        rows,
        what: format!("START, {what}{waits}"),
        due: begun + START,
        came,
        tolerance: Duration::ZERO,
    });
    let asked = Instant::now();
    brain.send(&block(&moves));
    let second = Duration::from_secs(1);
    let is_cut = turn > second && !whole;
    let (due, end) = if is_cut {
        sleep(second);
        let stopped = Instant::now();
        brain.send("YXSTOP");
        (stopped, "stopped after 1 s")
    } else {
        (asked + turn, "whole")
    };
    let (came, line, reports) = brain.answer_due(due);
    assert!(line.contains(','), "{line} is no move:\n{}", brain.recent());
    let rows = vec![format!("{ms:>4} ms, {}, {end}", hash_name(Some(hash)))];
    answers.push(Answer { rows, what: format!("{what}, {end}{reports}"), due, came, tolerance: TOLERANCE });
    assert!(brain.end().1.success());
}

#[test]
fn no_first_move_is_late_whatever_the_hash_size() {
    let _turn = alone();
    let starts = from_environment("TENGEN_LATENESS_STARTS", 0);
    let at_length = starts > 0;
    let (starts, turns) = if at_length { (starts, &[100, 500, 1000, 5000][..]) } else { (2, &[100][..]) };
    hold(at_length, || {
        let load = Load::new();
        let answers = side_by_side(starts, |number, answers| {
            for hash in hashes() {
                for &ms in turns {
                    let whole = number.is_multiple_of(10);
                    start(number as usize, hash, Duration::from_millis(ms), whole, answers);
                }
            }
        });
        judge(&answers, &load)
    });
}

/// Times of a new process, from the question to the answer.
#[derive(Clone, Copy)]
struct Cost {
    clock: f64,
    /// Processor time, which does not depend on other programs.
    own: f64,
}

/// The time in which a new process searches this many nodes, in milliseconds.
fn cost_of(nodes: u64, hash: u64, number: usize) -> Cost {
    let (rule, side, moves) = opening(0, number);
    let mut brain = Process::new();
    let settings = settings(rule, Duration::from_secs(30), Some(hash));
    brain.send(&format!("START {side}\n{settings}\nINFO max_node {nodes}"));
    brain.expect("OK");
    let (asked, used) = (Instant::now(), brain.processor_time());
    brain.send(&block(&moves));
    let (came, _) = brain.answer();
    let own = brain.processor_time().saturating_sub(used);
    Cost { clock: came.saturating_duration_since(asked).as_secs_f64() * 1e3, own: own.as_secs_f64() * 1e3 }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The first nodes of a process must not cost much more than the next ones, as they would if the search waited for the
/// system to provide memory. A search by nodes is the same each time, so a second process measures both parts together.
#[test]
fn the_first_nodes_cost_what_the_next_ones_do() {
    let _turn = alone();
    let starts = from_environment("TENGEN_LATENESS_STARTS", 0) as usize;
    let at_length = starts > 0;
    let starts = if at_length { starts } else { 5 };
    let of = |hash: &u64| at_length || [16, 2048].contains(hash);
    hold(at_length, || {
        let load = Load::new();
        let mut complaints = Vec::new();
        for hash in hashes().filter(of) {
            let costs: Vec<[Cost; 3]> =
                (0..starts).map(|number| [1, NODES, 2 * NODES].map(|nodes| cost_of(nodes, hash, number))).collect();
            let mut ratio = |name: &str, of: fn(&Cost) -> f64| {
                let one = median(costs.iter().map(|[one, ..]| of(one)));
                let first = median(costs.iter().map(|[_, first, _]| of(first)));
                let second = median(costs.iter().map(|[_, first, both]| of(both) - of(first)));
                let line = format!(
                    "{}, {starts} starts, {name}: {first:.1} ms for the first {NODES} nodes ({one:.1} ms for one), \
                     {second:.1} ms for the next, ratio {:.2}",
                    hash_name(Some(hash)),
                    first / second
                );
                println!("{line}");
                if !(second > 0.0 && first <= RATIO * second) {
                    complaints.push(line);
                }
            };
            ratio("processor time", |cost| cost.own);
            if at_length {
                ratio("by the clock", |cost| cost.clock);
            }
        }
        println!("{}", load.summary());
        complaints
    });
}
