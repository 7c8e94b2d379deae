//! The binary under test as a child process, with its output lines, their times and chunks.

use crate::common::process::{self, Process};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const READING: u8 = 0;
const HOLDING: u8 = 1;
const CLOSED: u8 = 2;

/// Output of the child.
enum Output {
    Line(String),
    Problem(String),
}

pub struct Brain {
    process: Process<Output>,
    born: Instant,
    mode: Arc<AtomicU8>,
    reader: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<Vec<u8>>>,
    /// Lines not expected yet.
    pub lines: VecDeque<String>,
    /// `MESSAGE` lines not expected yet.
    pub messages: VecDeque<String>,
    /// All lines sent and received, for failure reports.
    pub log: Arc<Mutex<Vec<String>>>,
}

impl Brain {
    /// The built binary, or the command that `FIXTURE_BRAIN` names: `wine /path/pbrain-tengen64.exe`, or with a line for each
    /// of its words, which may have blanks then.
    pub fn new(directory: Option<&Path>, bare: bool) -> Brain {
        let given = std::env::var("FIXTURE_BRAIN").unwrap_or_default();
        let is_separator = |c: char| if given.contains('\n') { c == '\n' } else { c.is_whitespace() };
        let mut words = given.split(is_separator).filter(|word| !word.is_empty());
        let mut command = words.next().map_or_else(process::built, Command::new);
        command.args(words).stderr(Stdio::piped()).env_remove("RUST_LOG");
        if bare {
            command.env_clear();
            if !given.is_empty() {
                // Without these, wine starts a server of its own, which keeps our pipes open.
                let needed = ["PATH", "HOME", "WINEPREFIX", "WINEDEBUG"];
                command.envs(needed.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
            }
        }
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        let born = Instant::now();
        let mode = Arc::new(AtomicU8::new(READING));
        let log = Arc::new(Mutex::new(Vec::new()));
        let mut reader = None;
        let mut process = Process::start(&mut command, |stdout| {
            let (sender, output) = mpsc::channel();
            let (mode, log) = (Arc::clone(&mode), Arc::clone(&log));
            reader = Some(thread::spawn(move || listen(stdout, &mode, &sender, &log, born)));
            output
        });
        let mut stderr = process.child.stderr.take().unwrap();
        let errors = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            bytes
        });
        let (lines, messages) = (VecDeque::new(), VecDeque::new());
        Brain { process, born, mode, reader, errors: Some(errors), lines, messages, log }
    }

    pub fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let shown = line[..line.len().min(200)].escape_ascii();
            self.note(&format!("> {shown}"));
        }
        self.process.write(bytes).map_err(|error| format!("cannot write: {error}"))
    }

    pub fn note(&self, text: &str) {
        note(&self.log, self.born, text);
    }

    pub fn close_input(&mut self) {
        self.note("(input closed)");
        self.process.close_input();
    }

    pub fn hold(&self) {
        self.mode.store(HOLDING, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(20));
    }

    pub fn read_on(&self) {
        self.mode.store(READING, Ordering::SeqCst);
    }

    pub fn close_output(&mut self) {
        self.note("(output closed)");
        self.mode.store(CLOSED, Ordering::SeqCst);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }

    pub fn signal(&mut self, signal: Signal) {
        self.note(&format!("({signal})"));
        self.process.signal(signal);
    }

    pub fn memory(&self, name: &str) -> Option<u64> {
        self.process.memory(name)
    }

    /// Collects output until `deadline` or until `enough`.
    pub fn collect(&mut self, deadline: Instant, enough: impl Fn(&Brain) -> bool) -> Result<(), String> {
        while !enough(self) {
            match self.process.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Output::Line(line)) if line.starts_with("MESSAGE ") => self.messages.push_back(line),
                Ok(Output::Line(line)) => self.lines.push_back(line),
                Ok(Output::Problem(problem)) => return Err(problem),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    thread::sleep(deadline.saturating_duration_since(Instant::now()).min(Duration::from_millis(5)));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Waits for the exit; `None` after `deadline`.
    pub fn wait_exit(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if let Some(status) = self.process.child.try_wait().unwrap() {
                self.note(&format!("({status})"));
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills the child if it still runs, and returns its stderr.
    pub fn kill_and_read_errors(&mut self) -> String {
        self.process.kill();
        if let Some(reader) = self.reader.take() {
            self.mode.store(CLOSED, Ordering::SeqCst);
            let _ = reader.join();
        }
        let bytes = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Brain {
    fn drop(&mut self) {
        self.kill_and_read_errors();
    }
}

fn note(log: &Mutex<Vec<String>>, born: Instant, text: &str) {
    log.lock().unwrap().push(format!("{:>7} ms {text}", born.elapsed().as_millis()));
}

/// Reads the output like a manager that parses every chunk as whole lines.
fn listen(mut stdout: ChildStdout, mode: &AtomicU8, sender: &Sender<Output>, log: &Mutex<Vec<String>>, born: Instant) {
    let mut chunk = vec![0; 1 << 16];
    loop {
        match mode.load(Ordering::SeqCst) {
            CLOSED => return,
            HOLDING => {
                thread::sleep(Duration::from_millis(2));
                continue;
            }
            _ => {}
        }
        let mut ready = [PollFd::new(stdout.as_fd(), PollFlags::POLLIN)];
        if poll(&mut ready, PollTimeout::from(5u8)) == Ok(0) {
            continue;
        }
        let count = match stdout.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(count) => count,
        };
        let text = String::from_utf8_lossy(&chunk[..count]).into_owned();
        for line in text.split_terminator('\n') {
            note(log, born, &format!("< {line}"));
            let problem = match line.split_whitespace().next() {
                _ if line.contains('\r') => Some("a carriage return"),
                None => Some("a blank line"),
                Some("DEBUG" | "SUGGEST" | "DETAIL") => Some("a word that breaks managers"),
                Some("MESSAGE") if line.len() <= 8 => Some("an empty MESSAGE"),
                _ if !line.is_ascii() => Some("a line that is not ASCII"),
                _ => None,
            };
            let output = match problem {
                Some(problem) => Output::Problem(format!("{problem} in the output: {line:?}")),
                None => Output::Line(line.to_owned()),
            };
            let _ = sender.send(output);
        }
        // A chunk as large as the buffer may be incomplete.
        if !text.ends_with('\n') && count < chunk.len() {
            let _ = sender.send(Output::Problem(format!("a chunk that does not end in a line end: {text:?}")));
        }
    }
}
