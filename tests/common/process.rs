//! A running brain with pipes at both ends: its lines with the times at which they came and, on Linux, its memory, threads
//! and processor time.

use crate::common::PATIENCE;
#[cfg(unix)]
use nix::sys::signal::{Signal, kill};
#[cfg(target_os = "linux")]
use nix::time::clock_getcpuclockid;
#[cfg(unix)]
use nix::unistd::Pid;
#[cfg(target_os = "linux")]
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How long after its time an answer is long overdue.
#[cfg(target_os = "linux")]
const LONG_OVERDUE: Duration = Duration::from_millis(100);

/// The built brain, which says nothing on stderr.
pub fn built() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
    command.env_remove("RUST_LOG");
    command
}

/// A child process, which is killed when this is dropped. A thread reads its output; `L` is what it makes of a line.
pub struct Process<L = (Instant, String)> {
    pub child: Child,
    stdin: Option<ChildStdin>,
    /// Lines that the test has not read.
    pub lines: Receiver<L>,
    /// The last lines in both directions, for the report of a failure.
    recent: Vec<String>,
}

impl<L> Process<L> {
    /// Starts this command; `read` starts the thread that reads.
    pub fn start(command: &mut Command, read: impl FnOnce(ChildStdout) -> Receiver<L>) -> Process<L> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the brain starts");
        let lines = read(child.stdout.take().expect("the output is a pipe"));
        let stdin = child.stdin.take();
        Process { child, stdin, lines, recent: Vec::new() }
    }

    /// Sends lines; the last line end may be left out.
    pub fn send(&mut self, lines: &str) {
        self.note(&format!("> {}", lines.trim_end().replace('\n', " / ")));
        let end = if lines.ends_with('\n') { "" } else { "\n" };
        self.write(format!("{lines}{end}").as_bytes()).expect("the brain reads");
    }

    /// Sends these bytes.
    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or_else(|| std::io::Error::other("the input is closed already"))?;
        stdin.write_all(bytes)?;
        stdin.flush()
    }

    /// Waits until the brain has taken everything from its input.
    #[cfg(unix)]
    pub fn wait_until_heard(&self) {
        let stdin = self.stdin.as_ref().expect("the input is open");
        let started = Instant::now();
        while rustix::io::ioctl_fionread(stdin).unwrap() > 0 {
            assert!(started.elapsed() < PATIENCE, "the brain does not read:\n{}", self.recent());
            thread::sleep(Duration::from_millis(1));
        }
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    pub fn note(&mut self, line: &str) {
        if self.recent.len() > 200 {
            self.recent.drain(..100);
        }
        self.recent.push(line.to_owned());
    }

    /// The last lines in both directions.
    pub fn recent(&self) -> String {
        self.recent[self.recent.len().saturating_sub(40)..].join("\n")
    }

    /// A line of `/proc/<pid>/status`, in KiB; `None` where there is no such file.
    pub fn memory(&self, name: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse().ok()
    }

    #[cfg(unix)]
    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    #[cfg(unix)]
    pub fn signal(&mut self, signal: Signal) {
        self.note(&format!("({signal})"));
        kill(self.pid(), signal).unwrap();
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends END and waits for the exit. Returns how long that took.
    pub fn end(mut self) -> (Duration, ExitStatus) {
        let started = Instant::now();
        self.send("END");
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (started.elapsed(), status);
            }
            assert!(started.elapsed() < PATIENCE, "the brain does not end:\n{}", self.recent());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl<L> Drop for Process<L> {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Process {
    pub fn new() -> Process {
        Process::of(&mut built())
    }

    /// A process whose lines are read as they come.
    pub fn of(command: &mut Command) -> Process {
        Process::start(command, |output| {
            let (sender, lines) = mpsc::channel();
            thread::spawn(move || stamped(output).try_for_each(|line| sender.send(line)));
            lines
        })
    }

    /// A process of whose output nobody reads more than a few lines ahead of the test.
    pub fn read_slowly(command: &mut Command) -> Process {
        Process::start(command, |output| {
            let (sender, lines) = mpsc::sync_channel(10);
            thread::spawn(move || stamped(output).try_for_each(|line| sender.send(line)));
            lines
        })
    }

    /// A brain whose address space is limited to this many KiB by `ulimit -v`.
    pub fn with_address_space(kib: u64) -> Process {
        let script = format!("ulimit -v {kib} && exec {}", env!("CARGO_BIN_EXE_pbrain-tengen"));
        Process::of(Command::new("sh").args(["-c", &script]).env_remove("RUST_LOG"))
    }

    /// The next line, with the time at which it came.
    fn line(&mut self) -> (Instant, String) {
        let Ok((at, line)) = self.lines.recv_timeout(PATIENCE) else { panic!("no answer:\n{}", self.recent()) };
        if !line.starts_with("MESSAGE ") {
            self.note(&format!("< {line}"));
        }
        (at, line)
    }

    /// The next line of this kind; skips the lines before it.
    pub fn read(&mut self, is_wanted: impl Fn(&str) -> bool) -> (Instant, String) {
        loop {
            let (at, line) = self.line();
            if is_wanted(&line) {
                return (at, line);
            }
        }
    }

    /// The next line that begins with this.
    pub fn read_until(&mut self, begin: &str) -> String {
        self.read(|line| line.starts_with(begin)).1
    }

    /// The next line that is no message, with the time at which it came.
    pub fn answer(&mut self) -> (Instant, String) {
        self.read(|line| !line.starts_with("MESSAGE "))
    }

    /// The messages before the next line that is none.
    pub fn messages(&mut self) -> Vec<String> {
        self.answer_with_messages().0
    }

    /// As [`Process::answer`], with the messages before it.
    pub fn answer_with_messages(&mut self) -> (Vec<String>, Instant, String) {
        let mut messages = Vec::new();
        loop {
            let (at, line) = self.line();
            if !line.starts_with("MESSAGE ") {
                return (messages, at, line);
            }
            messages.push(line);
        }
    }

    /// Waits for this line.
    pub fn expect(&mut self, text: &str) {
        let (_, line) = self.answer();
        assert_eq!(line, text, "\n{}", self.recent());
    }

    /// Fails if a line other than a message is unread.
    pub fn expect_silence(&mut self) {
        while let Ok((_, line)) = self.lines.try_recv() {
            assert!(line.starts_with("MESSAGE "), "{line} was not asked for:\n{}", self.recent());
        }
    }

    /// Fails if any line is unread, a message or not.
    pub fn expect_no_line(&mut self) {
        if let Ok((_, line)) = self.lines.try_recv() {
            panic!("{line} was not asked for:\n{}", self.recent());
        }
    }

    /// As [`Process::answer`], with a report of the threads if the answer is long overdue: what each waits for then.
    #[cfg(target_os = "linux")]
    pub fn answer_due(&mut self, due: Instant) -> (Instant, String, String) {
        let mut report = String::new();
        let mut look_at = due + LONG_OVERDUE;
        loop {
            match self.lines.recv_timeout(look_at.saturating_duration_since(Instant::now())) {
                Ok((at, line)) if !line.starts_with("MESSAGE ") => {
                    self.note(&format!("< {line}"));
                    return (at, line, report);
                }
                Ok(_) => {}
                Err(_) => {
                    assert!(due.elapsed() < PATIENCE, "no answer:\n{}\n{report}", self.recent());
                    let _ = write!(report, "\n{:.1?} after its time:{}", due.elapsed(), self.threads_in_words());
                    look_at = Instant::now() + due.elapsed();
                }
            }
        }
    }
}

/// The lines of an output with the times at which they came.
fn stamped(output: ChildStdout) -> impl Iterator<Item = (Instant, String)> {
    BufReader::new(output).lines().map_while(Result::ok).map(|line| (Instant::now(), line))
}

#[cfg(target_os = "linux")]
impl<L> Process<L> {
    /// State, kernel function, times on a processor and in a run queue, and system call of each thread.
    fn threads_in_words(&self) -> String {
        let folder = format!("/proc/{}/task", self.child.id());
        let mut text = String::new();
        for task in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let read = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let stat = read("stat");
            let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('?');
            let [name, place, times, call] = ["comm", "wchan", "schedstat", "syscall"].map(read);
            let (name, place, times, call) = (name.trim(), place.trim(), times.trim(), call.trim());
            let _ = write!(text, "\n    {name}: {state}, {place}, ns {times}, call {call}");
        }
        text
    }

    /// Processor time of all its threads so far. On a busy machine this shows what the brain itself used; the clock does
    /// not.
    pub fn processor_time(&self) -> Duration {
        Duration::from(clock_getcpuclockid(self.pid()).unwrap().now().unwrap())
    }

    /// Processor time of the thread that thinks and answers, in steps of 10 ms. With helpers this is the one to measure: on
    /// a busy machine they may run while it waits for a processor, and it is the one that reads the clock.
    pub fn thinking_time(&self) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().flatten();
        let read = |task: &std::fs::DirEntry, file| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
        let thinker = tasks.into_iter().find(|task| read(task, "comm").trim() == "think");
        let stat = read(&thinker.expect("a thread is called think"), "stat");
        // The fields after the name in brackets; the 12th and 13th of them are ticks of a hundredth of a second.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        Duration::from_millis(10 * fields.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>())
    }

    /// Memory that only this process uses, in KiB (USS): what the judge measures.
    pub fn own_memory(&self) -> u64 {
        let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id())).unwrap();
        let field = |name: &str| -> u64 {
            let line = rollup.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim_end_matches("kB").trim().parse().unwrap()
        };
        field("Private_Clean:") + field("Private_Dirty:")
    }

    /// The most address space that it has used, in KiB.
    pub fn peak_address_space(&self) -> u64 {
        self.memory("VmPeak").unwrap()
    }

    fn count(&self, what: &str) -> usize {
        std::fs::read_dir(format!("/proc/{}/{what}", self.child.id())).unwrap().count()
    }

    pub fn threads(&self) -> usize {
        self.count("task")
    }

    pub fn open_files(&self) -> usize {
        self.count("fd")
    }
}

/// The quantile of sorted durations for this share (1.0: the largest).
pub fn quantile(sorted: &[Duration], share: f64) -> Duration {
    sorted[((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len()) - 1]
}

/// Sorts the durations; returns their median, 99th percentile and largest as text, in milliseconds.
pub fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let ms = |share| quantile(times, share).as_secs_f64() * 1e3;
    format!("median {:.1} ms, 99 % {:.1} ms, most {:.1} ms", ms(0.5), ms(0.99), ms(1.0))
}
