//! A brain's process: lines in, lines out, every wait with a deadline.
//!
//! One thread writes, one reads, and one keeps the end of the error stream; the game loop uses channels only. The output
//! waits in a bounded queue, so a flood blocks the brain and not the runner. A line longer than [`LINE_CAP`] is cut. Each
//! brain leads its own process group: Ctrl-C at the terminal reaches the runner only, and killing a brain kills its
//! children too.

use super::cancel::Cancel;
use super::spec::EngineSpec;
use crate::command_line;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest line that is kept, in bytes; longer ones are cut.
pub const LINE_CAP: usize = 4096;
/// Capacity of the queue of output lines.
const QUEUE: usize = 1024;
/// Number of bytes kept from the end of the error stream.
const STDERR_KEPT: usize = 2048;
/// Longest wait between checks of the cancel flag.
const NAP: Duration = Duration::from_millis(50);
/// Longest wait for a killed process to disappear.
const REAP: Duration = Duration::from_secs(2);

/// A line and when it arrived.
#[derive(Clone, Debug)]
pub struct OutputLine {
    /// The arrival of its end.
    pub at: Instant,
    /// The text without its line end.
    pub text: String,
}

/// The result of waiting for a line.
#[derive(Clone, Debug)]
pub enum Next {
    /// A line.
    Line(OutputLine),
    /// Nothing until the deadline.
    Silence,
    /// The brain has closed its output.
    Closed,
    /// The tournament is being stopped.
    Cancelled,
}

/// A running brain.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<OutputLine>,
    errors: Arc<Mutex<VecDeque<u8>>>,
    /// Disconnected when the error stream has been read to its end.
    errors_open: Receiver<()>,
    suspended: bool,
    /// Whether it has ever been suspended.
    was_suspended: bool,
    /// Random stops, if they are requested.
    hiccups: Option<Hiccups>,
    /// Whether it has been killed and reaped.
    reaped: bool,
}

/// Stops of the brain at random times, for random durations.
#[derive(Debug)]
struct Hiccups {
    longest: Duration,
    random: SmallRng,
    change: Instant,
}

impl Hiccups {
    fn new(longest: Duration, seed: u32) -> Hiccups {
        Hiccups { longest, random: SmallRng::seed_from_u64(seed.into()), change: Instant::now() }
    }

    /// Time to the next change: running time if the brain was `suspended`, else the duration of the stop.
    fn pause(&mut self, suspended: bool) -> Duration {
        let factor = if suspended { 4.0 } else { 1.0 };
        self.longest.mul_f64(factor * self.random.random::<f64>())
    }
}

impl Process {
    /// Starts the brain.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn spawn(spec: &EngineSpec) -> io::Result<Process> {
        let mut command = Command::new(&spec.program);
        command.args(&spec.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        group::lead(&mut command);
        let mut child = command.spawn()?;
        let longest = spec.limits.hiccup;
        let hiccups = (!longest.is_zero()).then(|| Hiccups::new(longest, child.id()));
        let (input, to_write) = mpsc::channel::<Vec<u8>>();
        let (lines, output) = mpsc::sync_channel(QUEUE);
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let (open, errors_open) = mpsc::channel();
        if let Some(mut stdin) = child.stdin.take() {
            thread::spawn(move || {
                for bytes in to_write {
                    if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_lines(stdout, &lines));
        }
        if let Some(stderr) = child.stderr.take() {
            let errors = Arc::clone(&errors);
            thread::spawn(move || {
                keep_tail(stderr, &errors);
                drop::<Sender<()>>(open);
            });
        }
        Ok(Process {
            child,
            input: Some(input),
            output,
            errors,
            errors_open,
            suspended: false,
            was_suspended: false,
            hiccups,
            reaped: false,
        })
    }

    /// Passes text to the writing thread without waiting. If the brain is gone, its answer will be missing.
    pub fn send(&self, text: String) {
        if let Some(input) = &self.input {
            let _ = input.send(text.into_bytes());
        }
    }

    /// Waits for the next line until `deadline`.
    pub fn next(&mut self, deadline: Instant, cancel: &Cancel) -> Next {
        loop {
            if cancel.is_set() {
                return Next::Cancelled;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let nap = self.hiccup().map_or(NAP, |wait| wait.min(NAP));
            match self.output.recv_timeout(left.min(nap)) {
                Ok(heard) => return Next::Line(heard),
                Err(RecvTimeoutError::Disconnected) => return Next::Closed,
                Err(RecvTimeoutError::Timeout) if left <= nap => return Next::Silence,
                Err(RecvTimeoutError::Timeout) => self.resume_children(),
            }
        }
    }

    /// Resumes the processes of the brain once more. One that was being forked while the brain was stopped and resumed may
    /// stay stopped: seen on Linux 6.18 with brains that are shell scripts.
    fn resume_children(&self) {
        if self.was_suspended && !self.suspended {
            group::signal(&self.child, group::Kind::Continue);
        }
    }

    /// Draws the time of the next stop anew, so that a question does not always begin with one that is overdue.
    pub fn delay_hiccup(&mut self) {
        if let Some(hiccups) = &mut self.hiccups {
            hiccups.change = Instant::now() + hiccups.pause(true);
        }
    }

    /// Stops or resumes the brain if it is time for that; returns the time until the next change.
    fn hiccup(&mut self) -> Option<Duration> {
        let hiccups = self.hiccups.as_mut()?;
        let now = Instant::now();
        if now >= hiccups.change {
            hiccups.change = now + hiccups.pause(self.suspended);
            if self.suspended {
                self.resume();
            } else {
                self.suspend();
            }
        }
        self.hiccups.as_ref().map(|hiccups| hiccups.change.saturating_duration_since(now))
    }

    /// Passes on the lines that have arrived; returns whether the output is still open.
    pub fn drain(&self, mut each: impl FnMut(&str)) -> bool {
        // A brain that never stops writing must not keep this going.
        for _ in 0..=QUEUE * 2 {
            match self.output.try_recv() {
                Ok(line) => each(&line.text),
                Err(mpsc::TryRecvError::Empty) => return true,
                Err(mpsc::TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// Stops all threads of the brain and its children until [`Process::resume`]. Does nothing on Windows.
    pub fn suspend(&mut self) {
        if !self.suspended {
            self.suspended = group::signal(&self.child, group::Kind::Stop);
            self.was_suspended |= self.suspended;
        }
    }

    /// Resumes a suspended brain.
    pub fn resume(&mut self) {
        if self.suspended {
            group::signal(&self.child, group::Kind::Continue);
            self.suspended = false;
        }
    }

    /// Sends END, waits up to `wait` for the brain to exit, then kills it.
    pub fn quit(&mut self, wait: Duration) {
        self.resume();
        self.send("END\n".to_owned());
        // The writing thread closes the pipe after END, as the managers do.
        self.input = None;
        let deadline = Instant::now() + wait;
        while Instant::now() < deadline {
            self.drain(|_| {});
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.kill();
    }

    /// Kills the brain with all its children, and reaps it.
    pub fn kill(&mut self) {
        self.input = None;
        if std::mem::replace(&mut self.reaped, true) {
            return;
        }
        group::signal(&self.child, group::Kind::Kill);
        let _ = self.child.kill();
        let deadline = Instant::now() + REAP;
        while !matches!(self.child.try_wait(), Ok(Some(_))) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// After the output was closed: how the brain ended, with the end of its error stream.
    pub fn exit_report(&mut self) -> String {
        let deadline = Instant::now() + Duration::from_millis(200);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                _ if Instant::now() >= deadline => break "closed its output and is still running".to_owned(),
                _ => thread::sleep(Duration::from_millis(1)),
            }
        };
        let _ = self.errors_open.recv_timeout(Duration::from_millis(200));
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = errors.iter().copied().collect();
        match String::from_utf8_lossy(&bytes).trim() {
            "" => status,
            tail => format!("{status}; stderr: {}", command_line::one_line(tail)),
        }
    }

    /// Peak memory of the main process in bytes, if the system reports it.
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Splits the output into lines at CR or LF; drops blank ones. Returns at the end of the output, or when the receiver is
/// gone.
fn read_lines(stdout: impl Read, lines: &SyncSender<OutputLine>) {
    let mut line: Vec<u8> = Vec::new();
    read_chunks(stdout, |chunk| {
        let at = Instant::now();
        chunk.iter().all(|&byte| {
            if byte != b'\n' && byte != b'\r' {
                if line.len() < LINE_CAP {
                    line.push(byte);
                }
                return true;
            }
            let text = String::from_utf8_lossy(&line).into_owned();
            line.clear();
            text.is_empty() || lines.send(OutputLine { at, text }).is_ok()
        })
    });
}

fn keep_tail(stderr: impl Read, tail: &Mutex<VecDeque<u8>>) {
    read_chunks(stderr, |chunk| {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(chunk);
        let surplus = tail.len().saturating_sub(STDERR_KEPT);
        tail.drain(..surplus);
        true
    });
}

/// Reads a stream until it ends or `each` has enough.
fn read_chunks(mut stream: impl Read, mut each: impl FnMut(&[u8]) -> bool) {
    let mut chunk = vec![0; 1 << 14];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) if each(&chunk[..count]) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}

/// Process groups and signals.
#[cfg(unix)]
mod group {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    #[derive(Clone, Copy)]
    pub enum Kind {
        Stop,
        Continue,
        Kill,
    }

    pub fn lead(command: &mut Command) {
        command.process_group(0);
    }

    pub fn signal(child: &Child, kind: Kind) -> bool {
        let signal = match kind {
            Kind::Stop => Signal::SIGSTOP,
            Kind::Continue => Signal::SIGCONT,
            Kind::Kill => Signal::SIGKILL,
        };
        killpg(Pid::from_raw(child.id() as i32), signal).is_ok()
    }
}

/// Without signals to process groups brains cannot be suspended, and only the main process is killed.
#[cfg(not(unix))]
mod group {
    use std::process::{Child, Command};

    #[derive(Clone, Copy)]
    pub enum Kind {
        Stop,
        Continue,
        Kill,
    }

    pub fn lead(command: &mut Command) {
        #[cfg(windows)]
        {
            use std::os::windows::process::CommandExt;
            /// `CREATE_NEW_PROCESS_GROUP`.
            const NEW_GROUP: u32 = 0x200;
            command.creation_flags(NEW_GROUP);
        }
        #[cfg(not(windows))]
        let _ = command;
    }

    pub fn signal(_child: &Child, _kind: Kind) -> bool {
        false
    }
}
