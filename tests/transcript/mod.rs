//! The transcript runner: replays `protocol-fixtures/*.txt` against the built binary.

mod board;
mod brain;
mod script;

use board::{Board, Square};
use brain::Brain;
use nix::sys::signal::Signal;
use script::{Line, Pattern, Step};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tengen::base::processors::processors;
use tengen_amount::from_environment;

/// How a fixture's lines are sent.
#[derive(Clone, Copy, Debug)]
pub enum Dress {
    /// As written, with LF.
    Plain,
    /// With CRLF and keywords in lower case.
    Disguised,
}

/// Whether fixtures measure time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Their outcome does not depend on it.
    Free,
    Measured,
}

/// Time limit of an expectation without one in the fixture.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Added to every upper bound, since the bounds assume an idle machine. `FIXTURE_SLACK_MS` changes it.
fn slack() -> Duration {
    Duration::from_millis(from_environment("FIXTURE_SLACK_MS", 60))
}

/// How often a failed fixture is repeated: on a busy machine both ends of the pipe may sleep longer than any bound
/// allows. `FIXTURE_RETRIES` changes it; 0 is strict.
fn retries() -> usize {
    from_environment("FIXTURE_RETRIES", 2) as usize
}

/// Plays a fixture, and again when it fails; prints the failures before a success.
fn play_with_retries(path: &Path, dress: Dress) -> Result<(), String> {
    for _ in 0..retries() {
        match play_file(path, dress) {
            Ok(()) => return Ok(()),
            Err(report) => println!("repeated after this failure:\n{report}"),
        }
    }
    play_file(path, dress)
}

/// Plays all fixtures of this kind whose name starts with `prefix`, a few at a time, and panics with every failure's
/// transcript. `FIXTURE=part_of_a_name` selects some of them.
pub fn play_group(prefix: &str, time: Time, dress: Dress) {
    let wanted = std::env::var("FIXTURE").unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-fixtures");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the fixtures are there")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .filter(|path| name_of(path).starts_with(prefix) && name_of(path).contains(&wanted))
        .collect();
    paths.sort();
    paths.retain(|path| time_of(path) == time);
    assert!(!paths.is_empty() || !wanted.is_empty(), "no fixture {prefix}*");
    let total = paths.len();
    let queue = Mutex::new(paths.into_iter());
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some(path) = queue.lock().unwrap().next() else { break };
                    let _turn = Turn::take(time);
                    if let Err(report) = play_with_retries(&path, dress) {
                        failures.lock().unwrap().push((name_of(&path).to_owned(), report));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    let reports: Vec<_> = failures.iter().map(|(_, report)| report.as_str()).collect();
    let names: Vec<_> = failures.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        failures.is_empty(),
        "\n{}\n{} of {total} fixtures failed: {}",
        reports.join("\n"),
        failures.len(),
        names.join(" ")
    );
}

fn name_of(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Whether a fixture measures time. One that cannot be read counts as one that does; it fails later.
fn time_of(path: &Path) -> Time {
    let lines = std::fs::read_to_string(path).ok().and_then(|text| script::parse(&text).ok());
    let is_timed = lines.is_none_or(|lines| lines.iter().any(|line| line.step.is_timed()));
    if is_timed { Time::Measured } else { Time::Free }
}

/// A share of the machine for a fixture, over all groups: half a core for one that measures time, a quarter for others, because
/// most of them wait more than they think.
struct Turn {
    quarters: usize,
}

static QUARTERS_TAKEN: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

impl Turn {
    fn take(time: Time) -> Turn {
        let quarters = if time == Time::Measured { 2 } else { 1 };
        let mut taken = QUARTERS_TAKEN.0.lock().unwrap();
        while *taken + quarters > 4 * processors().clamp(2, 6) {
            taken = QUARTERS_TAKEN.1.wait(taken).unwrap();
        }
        *taken += quarters;
        Turn { quarters }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *QUARTERS_TAKEN.0.lock().unwrap() -= self.quarters;
        QUARTERS_TAKEN.1.notify_all();
    }
}

fn play_file(path: &Path, dress: Dress) -> Result<(), String> {
    let name = name_of(path);
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let lines = script::parse(&text).map_err(|error| format!("{name}: {error}"))?;
    let directory = lines.iter().find_map(|line| match &line.step {
        Step::Directory(directory) => Some(directory.as_str()),
        _ => None,
    });
    let folder = tempfile::tempdir().map_err(|error| format!("{name}: {error}"))?;
    let directory = directory.map(|directory| if directory == "new" { folder.path() } else { Path::new(directory) });
    let bare = lines.iter().any(|line| matches!(line.step, Step::Bare));
    let mut player = Player {
        brain: Brain::new(directory, bare),
        board: Board::default(),
        dress,
        names: HashMap::new(),
        batch: None,
        mark: 0,
        held: false,
        gone: false,
        random: name
            .bytes()
            .fold(0x9e37_79b9_7f4a_7c15, |seed, byte| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
    };
    let outcome = player
        .play(&lines)
        .and_then(|()| player.expect_clean_exit().map_err(|problem| ("at the end".to_owned(), problem)));
    let errors = player.brain.kill_and_read_errors();
    let outcome = match outcome {
        Ok(()) if !errors.is_empty() => Err(("at the end".to_owned(), format!("something on stderr: {errors:?}"))),
        outcome => outcome,
    };
    outcome.map_err(|(place, problem)| {
        let log = player.brain.log.lock().unwrap();
        let shown = log.len().saturating_sub(40);
        let transcript: Vec<_> = log[shown..].iter().map(|line| format!("    | {line}\n")).collect();
        format!("--- {name} ({dress:?}), {place}\n    {problem}\n{}", transcript.concat())
    })
}

/// One fixture being played.
struct Player {
    brain: Brain,
    board: Board,
    dress: Dress,
    names: HashMap<String, String>,
    /// Bytes of an unfinished batch.
    batch: Option<Vec<u8>>,
    mark: u64,
    held: bool,
    gone: bool,
    random: u64,
}

/// The place and the description of a failure.
type Failure = (String, String);

impl Player {
    fn play(&mut self, lines: &[Line]) -> Result<(), Failure> {
        for line in lines {
            match &line.step {
                Step::Repeat { count, body } => {
                    for _ in 0..*count {
                        self.play(body)?;
                    }
                }
                Step::UntilFull(body) => {
                    while !self.board.free().is_empty() {
                        self.play(body)?;
                    }
                }
                Step::For { name, values, body } => {
                    for value in values {
                        self.names.insert(name.clone(), value.clone());
                        self.play(body)?;
                    }
                }
                step => self.step(step).map_err(|problem| (format!("line {}: {}", line.number, line.text), problem))?,
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Send(text) => {
                let line = self.dressed(text)?;
                self.send(line.as_bytes())
            }
            Step::Raw(bytes) => self.send(bytes),
            Step::Batch => {
                self.batch = Some(Vec::new());
                Ok(())
            }
            Step::Flush => {
                let bytes = self.batch.take().ok_or("} without {")?;
                self.brain.send(&bytes)
            }
            Step::Expect { any, least, most } => self.expect(any, *least, *most),
            Step::Message(glob) => self.expect_message(glob),
            Step::NoMessage(glob) => match self.brain.messages.iter().find(|message| matches(glob, message)) {
                Some(message) => Err(format!("unexpected {message:?}")),
                None => Ok(()),
            },
            Step::Silence(time) => self.expect_silence(*time),
            Step::Wait(time) => {
                thread::sleep(*time);
                Ok(())
            }
            Step::Exit { within, owed } => self.expect_exit(*within, *owed),
            Step::CloseInput => {
                self.brain.close_input();
                Ok(())
            }
            Step::CloseOutput => {
                self.brain.close_output();
                Ok(())
            }
            Step::Hold => {
                self.held = true;
                self.brain.hold();
                Ok(())
            }
            Step::Read => {
                self.held = false;
                self.brain.read_on();
                Ok(())
            }
            Step::Suspend => {
                self.brain.signal(Signal::SIGSTOP);
                Ok(())
            }
            Step::Resume => {
                self.brain.signal(Signal::SIGCONT);
                Ok(())
            }
            Step::MemoryPeak(mib) => match self.brain.memory("VmHWM") {
                Some(kib) if kib > mib << 10 => Err(format!("the peak is {kib} KiB")),
                None if cfg!(target_os = "linux") => Err("its memory cannot be read".to_owned()),
                _ => Ok(()),
            },
            Step::MemoryMark => {
                self.mark = self.brain.memory("VmRSS").unwrap_or(0);
                Ok(())
            }
            Step::MemoryGrown(factor) => match self.brain.memory("VmRSS") {
                Some(kib) if kib as f64 > self.mark as f64 * factor => {
                    Err(format!("from {} KiB to {kib} KiB", self.mark))
                }
                None if cfg!(target_os = "linux") => Err("its memory cannot be read".to_owned()),
                _ => Ok(()),
            },
            Step::Bare | Step::Directory(_) => Ok(()),
            Step::Repeat { .. } | Step::UntilFull(_) | Step::For { .. } => unreachable!("played above"),
        }
    }

    /// The line to send, with variables replaced and the letter case and line end of the dress.
    fn dressed(&mut self, text: &str) -> Result<String, String> {
        let mut line = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
            line += before;
            line += &self.value(&after[..end])?;
            rest = &after[end..];
        }
        line += rest;
        Ok(match self.dress {
            Dress::Plain => line + "\n",
            Dress::Disguised => {
                let end = line.find(' ').unwrap_or(line.len());
                line[..end].to_ascii_lowercase() + &line[end..] + "\r\n"
            }
        })
    }

    fn value(&mut self, name: &str) -> Result<String, String> {
        let free = self.board.free();
        let square = match name {
            "random" => {
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                free.get(self.random as usize % free.len().max(1))
            }
            "corner" => free.last(),
            name => return self.names.get(name).cloned().ok_or(format!("nothing is named ${name}")),
        };
        square.map(|(x, y)| format!("{x},{y}")).ok_or("the board is full".to_owned())
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.board.sent(bytes);
        match &mut self.batch {
            Some(batch) => {
                batch.extend_from_slice(bytes);
                Ok(())
            }
            None => self.brain.send(bytes),
        }
    }

    fn expect(&mut self, any: &[Pattern], least: Duration, most: Option<Duration>) -> Result<(), String> {
        let begin = Instant::now();
        let allowed = most.map_or(ANSWER_TIMEOUT, |most| most + slack());
        self.brain.collect(begin + allowed, |brain| !brain.lines.is_empty())?;
        let elapsed = begin.elapsed();
        let Some(line) = self.brain.lines.pop_front() else {
            return Err(format!("no answer within {} ms", allowed.as_millis()));
        };
        if elapsed < least {
            return Err(format!("{line:?} came after only {} ms", elapsed.as_millis()));
        }
        self.board.answered(!line.starts_with("ERROR") && !line.starts_with("UNKNOWN"));
        let problems: Vec<_> = any.iter().filter_map(|pattern| self.fits(pattern, &line).err()).collect();
        if problems.len() == any.len() { Err(problems.join("; ")) } else { Ok(()) }
    }

    /// Whether the line is what the pattern wants; a move is then put on the board.
    fn fits(&mut self, pattern: &Pattern, line: &str) -> Result<(), String> {
        let fits = |good: bool, wanted: &str| if good { Ok(()) } else { Err(format!("{line:?} is not {wanted}")) };
        match pattern {
            Pattern::Text(text) => fits(line == text, &format!("{text:?}")),
            Pattern::Glob(glob) => fits(matches(glob, line), &format!("like {glob:?}")),
            Pattern::Error => fits(line.starts_with("ERROR "), "an ERROR with a reason"),
            Pattern::Unknown => fits(line.starts_with("UNKNOWN "), "an UNKNOWN with a reason"),
            Pattern::Move { among, not, name } => {
                let squares = self.squares(line, 1)?;
                let resolve = |list: &[String]| -> Vec<String> {
                    list.iter()
                        .map(|item| item.strip_prefix('$').map_or(item, |name| &self.names[name]).clone())
                        .collect()
                };
                let (among, not) = (resolve(among), resolve(not));
                if !among.is_empty() {
                    fits(among.iter().any(|square| square == line), &format!("one of {among:?}"))?;
                }
                fits(!not.iter().any(|square| square == line), "allowed here")?;
                self.board.put(squares[0]);
                if let Some(name) = name {
                    self.names.insert(name.clone(), line.to_owned());
                }
                Ok(())
            }
            Pattern::Stones { count, names } => {
                self.squares(line, *count)?;
                let named = names.iter().cloned().zip(line.split(' ').map(str::to_owned));
                self.names.extend(named);
                Ok(())
            }
        }
    }

    /// Reads `count` distinct empty squares in the exact form that managers want.
    fn squares(&self, line: &str, count: usize) -> Result<Vec<Square>, String> {
        let mut squares: Vec<Square> = Vec::new();
        for pair in line.split(' ') {
            let numbers = pair.split_once(',').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
            let square = numbers.ok_or(format!("{line:?} holds something else than x,y"))?;
            if format!("{},{}", square.0, square.1) != pair {
                return Err(format!("{pair:?} is not written plainly"));
            }
            if !self.board.is_free(square) || squares.contains(&square) {
                return Err(format!("{pair} is not free"));
            }
            squares.push(square);
        }
        if squares.len() == count { Ok(squares) } else { Err(format!("{line:?} is not {count} squares")) }
    }

    fn expect_message(&mut self, glob: &str) -> Result<(), String> {
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        loop {
            while let Some(message) = self.brain.messages.pop_front() {
                if matches(glob, &message) {
                    return Ok(());
                }
            }
            if Instant::now() >= deadline {
                return Err("no such message".into());
            }
            self.brain.collect(deadline, |brain| !brain.messages.is_empty())?;
        }
    }

    fn expect_silence(&mut self, time: Duration) -> Result<(), String> {
        self.brain.collect(Instant::now() + time, |brain| !brain.lines.is_empty())?;
        match self.brain.lines.front() {
            Some(line) => Err(format!("{line:?} breaks the silence")),
            None => Ok(()),
        }
    }

    fn expect_exit(&mut self, within: Duration, owed: bool) -> Result<(), String> {
        let status = self.brain.wait_exit(Instant::now() + within + slack()).ok_or("the process does not end")?;
        self.gone = true;
        if !status.success() {
            return Err(format!("{status}"));
        }
        if self.held {
            return Ok(());
        }
        self.brain.collect(Instant::now() + Duration::from_millis(30), |_| false)?;
        if owed && let Some(line) = self.brain.lines.pop_front() {
            self.board.answered(true);
            self.squares(&line, 1)?;
        }
        match self.brain.lines.front() {
            Some(line) => Err(format!("{line:?} came after all")),
            None => Ok(()),
        }
    }

    /// At the end of the input the process must exit cleanly, without further lines.
    fn expect_clean_exit(&mut self) -> Result<(), String> {
        if self.gone {
            return Ok(());
        }
        self.brain.close_input();
        self.expect_exit(Duration::from_millis(500), false)
    }
}

/// Whether `text` matches `glob`, in which `*` stands for any text.
fn matches(glob: &str, text: &str) -> bool {
    let Some((head, rest)) = glob.split_once('*') else { return glob == text };
    let Some(text) = text.strip_prefix(head) else { return false };
    (0..=text.len()).any(|skip| text.is_char_boundary(skip) && matches(rest, &text[skip..]))
}
