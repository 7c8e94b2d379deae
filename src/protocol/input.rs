//! The listening thread: splits the input into lines, reads commands from them, announces each to [`Traffic`], which acts
//! on a running search, and sends it to the session.

use super::assembler::Assembler;
use super::command::Command;
use super::queue::Sender;
use super::traffic::{Order, Stamp, Traffic};
use super::waiting;
use crate::base::clock::Instant;
use std::io::{self, IsTerminal, Read};
use std::mem;
use std::time::Duration;

/// A first read that returns within this time found its bytes waiting: they may be as old as the process.
const ALREADY_WAITING: Duration = Duration::from_millis(1);

/// Longest start of the process that counts towards the first command. A manager may suspend a process right after its
/// start, and that time must not count.
const MAX_START: Duration = Duration::from_millis(100);

/// What some programs write before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// When this process began: the present less the time in which its main thread ran or waited for a processor. Linux
/// only; elsewhere the present.
pub fn process_start() -> Instant {
    let now = Instant::now();
    // Nanoseconds on a processor, and nanoseconds in a run queue.
    let spent = std::fs::read_to_string("/proc/self/schedstat").ok().and_then(|text| {
        let mut numbers = text.split_whitespace().map(str::parse::<u64>);
        Some(numbers.next()?.ok()? + numbers.next()?.ok()?)
    });
    now.checked_sub(Duration::from_nanos(spent.unwrap_or(0))).unwrap_or(now)
}

/// The standard input, locked for the calling thread.
pub fn input() -> impl Read {
    io::stdin().lock()
}

/// Whether a person types the commands. Managers use pipes.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Reads `input` until `END`, its end, or the end of the session, and hands over each command. What arrived before the
/// first read counts as read when the process `began`.
pub fn listen(mut input: impl Read, began: Instant, traffic: &Traffic, session: &Sender) {
    let mut chunk = vec![0; 1 << 16];
    let mut lines = Lines::default();
    let mut assembler = Assembler::default();
    let mut listened = Duration::ZERO;
    let mut seq = 0;
    let mut began = Some(began);
    let mut is_first = true;
    // Characters since the last command.
    let mut characters = 0;
    loop {
        session.wait_for_room();
        let asked_at = Instant::now();
        let count = waiting::until_ready(|| input.read(&mut chunk)).unwrap_or(0);
        let read_at = Instant::now();
        listened += read_at - asked_at;
        let was_there = began.take().filter(|_| read_at - asked_at < ALREADY_WAITING);
        let at = was_there.map_or(read_at, |began| began.max(read_at.checked_sub(MAX_START).unwrap_or(read_at)));
        let stamp = Stamp { at, listened };
        let mut is_over = false;
        let mut take = |line: &[u8]| {
            if is_over {
                return;
            }
            let line = if mem::take(&mut is_first) { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
            if let Some(recorder) = traffic.recorder() {
                recorder.heard(line);
            }
            characters += line.len();
            if let Some(command) = assembler.line(line) {
                is_over = !hand_over(&mut seq, stamp, command, mem::take(&mut characters), traffic, session);
            }
        };
        lines.split(&chunk[..count], &mut take);
        if count == 0 {
            // The last line may lack its line end, and the end of the input means END.
            if !lines.partial.is_empty() {
                lines.split(b"\n", &mut take);
            }
            if !is_over {
                hand_over(&mut seq, stamp, Command::End, 0, traffic, session);
            }
            return;
        }
        if is_over {
            return;
        }
    }
}

/// Announces one command and sends it to the session; returns whether more may follow.
fn hand_over(
    seq: &mut u64,
    stamp: Stamp,
    command: Command,
    characters: usize,
    traffic: &Traffic,
    session: &Sender,
) -> bool {
    *seq += 1;
    let is_last = command == Command::End;
    let order = Order { seq: *seq, stamp, command };
    traffic.announce(&order);
    session.send(order, characters).is_ok() && !is_last
}

/// Splits bytes in any encoding into lines that end in CR, LF or CRLF.
#[derive(Debug, Default)]
struct Lines {
    partial: Vec<u8>,
    after_cr: bool,
}

impl Lines {
    /// Bytes of a line that are kept; the rest is skipped.
    const MAX_LENGTH: usize = 1 << 16;

    /// Takes more bytes and calls `take` for every line that they complete, trimmed.
    fn split(&mut self, mut bytes: &[u8], take: &mut impl FnMut(&[u8])) {
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let second_half = self.after_cr && end == 0 && bytes[0] == b'\n';
            self.keep(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            if !second_half {
                take(self.partial.trim_ascii());
            }
            self.partial.clear();
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
    }

    fn keep(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.after_cr = false;
        }
        let room = Self::MAX_LENGTH - self.partial.len();
        self.partial.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::queue::queue;
    use std::thread;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.split(chunk, &mut |line: &[u8]| found.push(String::from_utf8_lossy(line).into_owned()));
        }
        found
    }

    #[test]
    fn every_kind_of_line_end() {
        assert_eq!(lines(&[b"a\nb\r\nc\rd\n"]), ["a", "b", "c", "d"]);
        assert_eq!(lines(&[b"a\r", b"\nb\r", b"c\n"]), ["a", "b", "c"]);
        assert_eq!(lines(&[b"a\n\n\r\n\r\rb\n"]), ["a", "", "", "", "", "b"]);
        assert_eq!(lines(&[b"  TU", b"RN\t7,7 \t", b"\r\n"]), ["TURN\t7,7"]);
        assert_eq!(lines(&[b"a"]), [""; 0]);
    }

    #[test]
    fn a_flood_without_line_end_is_bounded() {
        let mut all = Lines::default();
        for _ in 0..100 {
            all.split(&[b'A'; 10_000], &mut |_: &[u8]| panic!("no line has ended"));
        }
        assert_eq!(all.partial.len(), Lines::MAX_LENGTH);
        let mut found = Vec::new();
        all.split(b"\nEND\n", &mut |line: &[u8]| found.push(line.len()));
        assert_eq!(found, [Lines::MAX_LENGTH, 3]);
    }

    /// An input that gives one chunk for each read, after a pause in ms.
    struct SlowInput(Vec<(u64, &'static str)>);

    impl Read for SlowInput {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let (pause, text) = self.0.remove(0);
            thread::sleep(Duration::from_millis(pause));
            buffer[..text.len()].copy_from_slice(text.as_bytes());
            Ok(text.len())
        }
    }

    /// Whether the manager has left, and its commands.
    fn heard(chunks: &[(u64, &'static str)]) -> (bool, Vec<Command>) {
        let (sender, orders) = queue();
        let traffic = Traffic::default();
        listen(SlowInput(chunks.to_vec()), Instant::now(), &traffic, &sender);
        drop(sender);
        (traffic.left().is_some(), std::iter::from_fn(|| orders.recv().ok()).map(|order| order.command).collect())
    }

    /// When the first command of a process that began so long ago was heard, before the present.
    fn age_of_the_first(pause: u64, age: Duration) -> Duration {
        let (sender, orders) = queue();
        let began = Instant::now().checked_sub(age).unwrap();
        listen(SlowInput(vec![(pause, "BEGIN\n")]), began, &Traffic::default(), &sender);
        orders.recv().unwrap().stamp.at.elapsed()
    }

    /// Bug: the end of the input after a command that a path follows was taken for an empty path, and got an error.
    #[test]
    fn the_end_of_the_input_is_no_path() {
        assert_eq!(heard(&[(0, "YXHASHDUMP\n")]).1, [Command::End]);
    }

    /// Bug: a slow start of the process was not counted towards the first move, and its answer came late.
    #[test]
    fn a_command_that_waited_for_the_process_was_heard_at_its_start() {
        let age = Duration::from_millis(60);
        // A busy machine may hold up even a read of what is there, but not every time.
        assert!((0..10).any(|_| age_of_the_first(0, age) >= age));
        assert!((0..10).any(|_| age_of_the_first(5, age) < age));
        assert!((0..10).any(|_| age_of_the_first(0, 100 * age) < MAX_START + age));
    }

    #[test]
    fn the_start_of_this_process_lies_behind_us() {
        let began = process_start();
        assert!(began <= Instant::now());
        #[cfg(target_os = "linux")]
        assert!(began.elapsed() > Duration::from_micros(100), "{:?}", began.elapsed());
    }

    #[test]
    fn the_end_of_the_input_is_an_end() {
        assert_eq!(heard(&[]), (true, vec![Command::End]));
        assert_eq!(heard(&[(0, "ABOUT")]), (false, vec![Command::About, Command::End]));
        assert_eq!(heard(&[(0, "BOARD\n7,7,2")]), (true, vec![Command::End]));
        assert_eq!(heard(&[(0, "END\nABOUT\n")]), (true, vec![Command::End]));
    }

    #[test]
    fn an_end_that_came_with_a_question_waits() {
        let asked = vec![Command::Begin, Command::End];
        assert_eq!(heard(&[(0, "BEGIN\nEND\n")]), (false, asked.clone()));
        assert_eq!(heard(&[(0, "BEGIN\n")]), (false, asked.clone()));
        // On a busy machine the listener may wake too late, but not every time.
        let soon_after = || heard(&[(100, "BEGIN\n"), (1, "END\n")]) == (false, asked.clone());
        assert!((0..5).any(|_| soon_after()));
        assert_eq!(heard(&[(0, "BEGIN\n"), (100, "END\n")]), (true, asked));
    }
}
