//! One engine in a game: the protocol, the clock, and the faults of a brain.
//!
//! Every wait has a deadline. After a fault the process is killed; the next game starts a new one.

use super::brain_process::{Next, Process};
use super::cancel::Cancel;
use super::spec::{EngineSpec, Limits};
use super::terms::Terms;
use super::thought::{Thought, message};
use crate::command_line::one_line;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tengen::base::Point;

/// A fault that loses a game off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The brain did not start, refused the board, or gave no sign of having started by the time of its first move.
    NoStart,
    /// Its move came too late, or never.
    Timeout,
    /// No clock limits its time, but the move exceeded the stall limit.
    Stall,
    /// Its process ended, or closed its output.
    Crash,
    /// It played off the board or on an occupied point, or gave an invalid answer.
    Illegal,
    /// It answered, but not with a move: an error, or coordinates in another form.
    NoMove,
    /// It sent far too many lines.
    Flood,
    /// It used too much memory.
    Memory,
}

impl Fault {
    /// The fault in words.
    pub fn name(self) -> &'static str {
        match self {
            Fault::NoStart => "no start",
            Fault::Timeout => "timeout",
            Fault::Stall => "stall",
            Fault::Crash => "crash",
            Fault::Illegal => "illegal move",
            Fault::NoMove => "an answer that is no move",
            Fault::Flood => "flood",
            Fault::Memory => "memory",
        }
    }
}

/// A fault with details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub fault: Fault,
    /// Details for people.
    pub note: String,
    /// By how much the time allowed was exceeded, if a clock limits it.
    pub overrun: Duration,
}

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// A fault of the brain.
    Failed(Failure),
    /// The tournament is being stopped.
    Cancelled,
}

/// An answer of a brain.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// The answer itself.
    pub what: T,
    /// Time from the question to the answer.
    pub time: Duration,
    /// By how much that exceeded the time allowed.
    pub overrun: Duration,
    /// What the brain reported about it.
    pub thought: Thought,
}

/// The answer to a swap2 question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swap2Answer {
    /// Takes black.
    Swap,
    /// Places these stones, which are not checked yet.
    Stones(Vec<(i64, i64)>),
}

/// Number of lines for one move from which a brain is flooding.
const FLOOD: usize = 100_000;
/// Wait for the answer to ABOUT; not answering is no fault.
const ABOUT: Duration = Duration::from_secs(1);
/// Time for a brain to exit after END.
const END_WAIT: Duration = Duration::from_millis(500);
/// Time that a line sent in time may need to arrive.
const GRACE: Duration = Duration::from_millis(20);
/// Longest time between the ends of a brain and of the runner by the same signal.
const SIGNAL_TIME: Duration = Duration::from_millis(50);
/// Number of unexpected lines kept for each move, and characters of each.
const REMEMBERED: (usize, usize) = (4, 80);
/// Number of characters kept of a note or an answer to ABOUT; the end of the error stream fits in.
const KEPT: usize = 3000;
/// The protocol's value of `time_left` without a game clock.
const UNLIMITED: u64 = 2_147_483_647;

/// An engine with its process.
#[derive(Debug)]
pub struct Player<'a> {
    spec: &'a EngineSpec,
    terms: Terms,
    cancel: Cancel,
    process: Option<Process>,
    /// Time left of the game, in microseconds.
    left: Option<i64>,
    /// Whether the brain knows all stones but the opponent's last one.
    follows: bool,
    /// Its answer to ABOUT.
    about: String,
    /// Its answer to START; empty before it. Only the judge does not wait for it.
    started: String,
    /// Why a new process had to be started for this game.
    restarted: Option<String>,
}

impl<'a> Player<'a> {
    /// An engine; its process is started by its first game.
    pub fn new(spec: &'a EngineSpec, terms: Terms, cancel: Cancel) -> Player<'a> {
        let (about, started) = (String::new(), String::new());
        Player { spec, terms, cancel, process: None, left: None, follows: false, about, started, restarted: None }
    }

    /// Its limits.
    pub fn limits(&self) -> &'a Limits {
        &self.spec.limits
    }

    /// Why the process of the last game could not play this one, for which a new one was started.
    pub fn restarted(&self) -> Option<&str> {
        self.restarted.as_deref()
    }

    /// The answer to ABOUT; empty if there was none.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Prepares a new game under these terms: process, START and all INFO lines.
    ///
    /// # Errors
    /// When the brain does not start.
    pub fn begin(&mut self, terms: Terms) -> Result<(), NoAnswer> {
        self.terms = terms;
        self.left = self.spec.limits.match_time.map(micros);
        self.follows = false;
        self.restarted = None;
        if self.spec.fresh {
            self.quit();
        }
        if self.process.is_some() {
            match self.start() {
                // The last game broke it. That is no fault in this game: start a new process.
                Err(NoAnswer::Failed(failure)) => self.restarted = Some(failure.note),
                other => return other,
            }
        }
        match Process::spawn(self.spec) {
            Ok(process) => self.process = Some(process),
            Err(error) => return Err(self.fail(Fault::NoStart, &format!("cannot be started: {error}"))),
        }
        if !self.terms.judge {
            self.ask_about()?;
        }
        self.start()
    }

    fn ask_about(&mut self) -> Result<(), NoAnswer> {
        self.send("ABOUT\n");
        let deadline = Instant::now() + ABOUT.min(self.spec.limits.start);
        loop {
            match self.next(deadline) {
                Next::Line(heard) if message(&heard.text).is_some() => {}
                Next::Line(heard) => {
                    self.about = plain(&heard.text);
                    return Ok(());
                }
                Next::Cancelled => return Err(NoAnswer::Cancelled),
                Next::Silence | Next::Closed => return Ok(()),
            }
        }
    }

    fn start(&mut self) -> Result<(), NoAnswer> {
        if let Some(process) = &mut self.process {
            process.resume();
            process.drain(|_| {});
        }
        self.started.clear();
        let (width, height) = (self.terms.size.width(), self.terms.size.height());
        let start = if width == height { format!("START {width}\n") } else { format!("RECTSTART {width},{height}\n") };
        if self.terms.judge {
            let burst = format!("{start}{}", self.infos());
            self.send(&burst);
            self.suspend();
            return Ok(());
        }
        self.send(&start);
        let deadline = Instant::now() + self.spec.limits.start;
        let mut said = Vec::new();
        for _ in 0..FLOOD {
            match self.next(deadline) {
                Next::Line(heard) => {
                    note_start(&mut self.started, &heard.text);
                    match self.started.as_str() {
                        "" => remember(&mut said, &heard.text),
                        OK => {
                            let infos = self.infos();
                            self.send(&infos);
                            self.suspend();
                            return Ok(());
                        }
                        refusal => {
                            let note = format!("refused {}: {refusal}", start.trim());
                            return Err(self.fail(Fault::NoStart, &note));
                        }
                    }
                }
                Next::Cancelled => return Err(NoAnswer::Cancelled),
                Next::Closed => return Err(self.fail_closed(Fault::NoStart)),
                Next::Silence => return Err(self.fail(Fault::NoStart, &format!("no OK{}", quote(&said)))),
            }
        }
        Err(self.fail(Fault::Flood, "too many lines instead of OK"))
    }

    /// The INFO lines of a new game, in the order in which the official managers send them.
    fn infos(&self) -> String {
        let limits = &self.spec.limits;
        let ms = |time: Duration| time.as_millis() as u64;
        let mut lines = String::new();
        let mut info = |key: &str, value: u64| {
            let _ = writeln!(lines, "INFO {key} {value}");
        };
        // Without a turn limit the game clock limits the turn as well; without either, nodes and depth do.
        if let Some(turn) = limits.turn.or(limits.match_time) {
            info("timeout_turn", ms(turn));
        }
        info("timeout_match", limits.match_time.map_or(0, ms));
        info("max_memory", limits.memory);
        info("game_type", 1);
        info("rule", u64::from(self.terms.rule.number()));
        if !limits.increment.is_zero() {
            info("time_increment", ms(limits.increment));
        }
        if let Some(depth) = limits.depth {
            info("max_depth", u64::from(depth));
        }
        if let Some(nodes) = limits.nodes {
            info("max_node", nodes);
        }
        for (key, value) in &self.spec.infos {
            let _ = writeln!(lines, "INFO {key} {value}");
        }
        lines
    }

    /// Asks for a move in the position after `stones`, black's first. Coordinates off the board count as an answer.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn think(&mut self, stones: &[Point]) -> Result<Answer<(i64, i64)>, NoAnswer> {
        let question = match stones {
            [] if !self.terms.judge => "BEGIN\n".to_owned(),
            [.., last] if self.follows || (stones.len() == 1 && !self.terms.judge) => format!("TURN {last}\n"),
            _ => {
                let mut block = "BOARD\n".to_owned();
                for (index, stone) in stones.iter().enumerate() {
                    let own = (stones.len() - index).is_multiple_of(2);
                    let _ = writeln!(block, "{stone},{}", if own { 1 } else { 2 });
                }
                block + "DONE\n"
            }
        };
        self.follows = true;
        self.ask(&question, coordinates)
    }

    /// Asks a swap2 question after 0, 3 or 5 stones.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn swap2(&mut self, stones: &[Point]) -> Result<Answer<Swap2Answer>, NoAnswer> {
        let mut block = "SWAP2BOARD\n".to_owned();
        for stone in stones {
            let _ = writeln!(block, "{stone}");
        }
        self.ask(&(block + "DONE\n"), |line| {
            if line.eq_ignore_ascii_case("SWAP") {
                return Some(Swap2Answer::Swap);
            }
            line.split(' ').map(coordinates).collect::<Option<Vec<_>>>().map(Swap2Answer::Stones)
        })
    }

    /// Sends a question and waits for the first line that `accept` recognises as an answer. The clock runs meanwhile.
    fn ask<T>(&mut self, question: &str, accept: impl Fn(&str) -> Option<T>) -> Result<Answer<T>, NoAnswer> {
        let Some(process) = &mut self.process else {
            return Err(self.fail(Fault::Crash, "the process is gone"));
        };
        let started = &mut self.started;
        if !process.drain(|line| note_start(started, line)) {
            return Err(self.fail_closed(Fault::Crash));
        }
        // The brain must run during the pause, or the pause has no effect.
        process.resume();
        std::thread::sleep(self.spec.limits.pause);
        process.delay_hiccup();
        let left_ms = self.left.map_or(UNLIMITED as i64, |left| left / 1000);
        let sent = Instant::now();
        self.send(&format!("INFO time_left {left_ms}\n{question}"));
        let allowed = self.allowed();
        let limits = &self.spec.limits;
        let latest = match allowed {
            None => limits.stall,
            Some(allowed) => time_from(allowed.saturating_add(micros(limits.tolerance))),
        };
        let mut thought = Thought::default();
        let mut said = Vec::new();
        for _ in 0..FLOOD {
            let heard = match self.next(sent + latest + GRACE) {
                Next::Line(heard) => heard,
                Next::Cancelled => return Err(NoAnswer::Cancelled),
                Next::Closed => return Err(self.fail_closed(Fault::Crash)),
                Next::Silence => return Err(self.fail_late(latest, &said)),
            };
            note_start(&mut self.started, &heard.text);
            if heard.at < sent {
                continue;
            }
            if let Some(what) = accept(&heard.text) {
                OK.clone_into(&mut self.started);
                let time = heard.at.saturating_duration_since(sent);
                if time > latest {
                    return Err(self.fail_late(time, &[]));
                }
                self.settle(time)?;
                thought.finish(time);
                let overrun = allowed.map_or(Duration::ZERO, |allowed| time_from(micros(time) - allowed.max(0)));
                return Ok(Answer { what, time, overrun, thought });
            }
            thought.hear(&heard.text, heard.at.saturating_duration_since(sent));
            if message(&heard.text).is_none() {
                remember(&mut said, &heard.text);
            }
            if heard.at.saturating_duration_since(sent) > latest {
                return Err(self.fail_late(latest, &said));
            }
        }
        Err(self.fail(Fault::Flood, &format!("more than {FLOOD} lines without a move")))
    }

    /// Microseconds for this move, below 0 when the game clock has run out; `None` if no clock limits it.
    fn allowed(&self) -> Option<i64> {
        self.spec.limits.turn.map(micros).into_iter().chain(self.left).min()
    }

    /// After an answer in time: updates the clock, checks the memory, suspends the process.
    fn settle(&mut self, time: Duration) -> Result<(), NoAnswer> {
        let limits = &self.spec.limits;
        self.left = self.left.map(|left| (left - micros(time)).saturating_add(micros(limits.increment)));
        if limits.memory_checked && limits.memory > 0 {
            let peak = self.process.as_ref().and_then(Process::peak_memory);
            if let Some(peak) = peak.filter(|&peak| peak > limits.memory) {
                return Err(self.fail(Fault::Memory, &format!("used {} MiB", peak >> 20)));
            }
        }
        self.suspend();
        Ok(())
    }

    /// Reports a fault and kills the process.
    pub fn fail(&mut self, fault: Fault, note: &str) -> NoAnswer {
        self.kill();
        NoAnswer::Failed(Failure { fault, note: plain(note), overrun: Duration::ZERO })
    }

    fn fail_closed(&mut self, fault: Fault) -> NoAnswer {
        let fault = if self.started == OK { fault } else { Fault::NoStart };
        let note = self.process.as_mut().map(Process::exit_report).unwrap_or_default();
        // A signal that ends the run may reach the brain first.
        std::thread::sleep(SIGNAL_TIME);
        if self.cancel.is_set() {
            self.kill();
            return NoAnswer::Cancelled;
        }
        self.fail(fault, &note)
    }

    /// No move in time. Who has not started, or has answered in another way, is not only late.
    fn fail_late(&mut self, after: Duration, said: &[String]) -> NoAnswer {
        let (fault, reason) = match self.started.as_str() {
            "" => (Fault::NoStart, "no OK, ".to_owned()),
            OK if said.iter().any(|line| is_failed_answer(line)) => (Fault::NoMove, String::new()),
            OK if self.allowed().is_some() => (Fault::Timeout, String::new()),
            OK => (Fault::Stall, String::new()),
            refusal => (Fault::NoStart, format!("{refusal}, ")),
        };
        let overrun = self.allowed().map_or(Duration::ZERO, |allowed| time_from(micros(after) - allowed.max(0)));
        let failed = self.fail(fault, &format!("{reason}no move after {} ms{}", after.as_millis(), quote(said)));
        if let NoAnswer::Failed(failure) = failed { NoAnswer::Failed(Failure { overrun, ..failure }) } else { failed }
    }

    fn next(&mut self, deadline: Instant) -> Next {
        self.process.as_mut().map_or(Next::Closed, |process| process.next(deadline, &self.cancel))
    }

    /// Sends lines, with the line ends of the judge or of a script.
    fn send(&self, text: &str) {
        if let Some(process) = &self.process {
            process.send(if self.terms.judge { text.replace('\n', "\r\n") } else { text.to_owned() });
        }
    }

    fn suspend(&mut self) {
        if self.spec.suspend
            && let Some(process) = &mut self.process
        {
            process.suspend();
        }
    }

    fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Sends END, and kills the process if it does not exit in time.
    pub fn quit(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.quit(END_WAIT);
        }
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// The time of so many microseconds; none if they are below 0.
fn time_from(micros: i64) -> Duration {
    Duration::from_micros(micros.max(0) as u64)
}

/// The answer to START of a brain that has started.
const OK: &str = "OK";

/// Takes a line as the answer to START, if it is the first that can be.
fn note_start(started: &mut String, line: &str) {
    if started.is_empty() && (line == OK || is_refusal(line)) {
        line.clone_into(started);
    }
}

fn is_refusal(line: &str) -> bool {
    line.starts_with("ERROR") || line.starts_with("UNKNOWN")
}

/// Whether a line that is no move was meant as an answer, and not to the INFO before the question.
fn is_failed_answer(line: &str) -> bool {
    is_refusal(line) && !line.to_ascii_uppercase().contains("INFO")
        || line.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

/// Reads exactly `x,y`: two integers and a comma.
fn coordinates(line: &str) -> Option<(i64, i64)> {
    let number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().unwrap_or(i64::MAX))
    };
    let (x, y) = line.split_once(',')?;
    Some((number(x)?, number(y)?))
}

/// What a brain says, for records and the terminal: one line of moderate length without control characters.
fn plain(text: &str) -> String {
    one_line(text).chars().take(KEPT).collect()
}

fn remember(said: &mut Vec<String>, line: &str) {
    if said.len() < REMEMBERED.0 {
        said.push(line.chars().take(REMEMBERED.1).collect());
    }
}

fn quote(said: &[String]) -> String {
    if said.is_empty() { String::new() } else { format!("; said: {}", said.join(" / ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: the control characters of a brain's answers reached the terminal and the records.
    #[test]
    fn what_a_brain_says_is_plain() {
        assert_eq!(plain("refused START 15: ERROR \u{1b}[2Jno\u{7}"), "refused START 15: ERROR [2Jno");
        assert_eq!(plain(&"x".repeat(KEPT + 1)).len(), KEPT);
    }

    #[test]
    fn only_plain_coordinates_are_a_move() {
        assert_eq!(coordinates("7,12"), Some((7, 12)));
        assert_eq!(coordinates("-1,3"), Some((-1, 3)));
        assert_eq!(coordinates("99999999999999999999,3"), Some((i64::MAX, 3)));
        for line in ["7, 7", " 7,7", "7,7 ", "7,7,7", "7", "a,b", "7,", ",7", "MESSAGE 3,4", "+7,7", "--7,7", "OK"] {
            assert_eq!(coordinates(line), None, "{line}");
        }
    }
}
