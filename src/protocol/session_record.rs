//! Session records: a session written to a file as it happens, so that it can be replayed move by move.
//!
//! A record is text. After the header, each line begins with a letter, then the milliseconds since the start:
//!
//! ```text
//! tengen-record 1
//! v 0.4.0 linux x86_64, 2 processors
//! > 12 START 15                                  a received line
//! < 12 OK                                        a line of a reply, without the messages of searches
//! o 13 rule 0 size 15x15 threads 1 hash 16777216 turn 300 ...     the settings of a question
//! = 312 d 9 c 161024 n 161025 7,7 34             its searches: depth, node of the stop, nodes, move, score
//! < 312 7,7
//! ```
//!
//! Every line is written at once, so the record of a killed process is complete up to that moment. A recorded session
//! draws its random openings from a fixed seed, which therefore is not in the record.

use crate::base::clock::Instant;
use crate::base::processors::processors;
use crate::base::{Point, Score};
use crate::engine::{Engine, SearchTrace, files};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

const HEADER: &str = "tengen-record 1";
/// Stands for an answer that was withheld because the manager had left the position.
const WITHHELD: &str = "-";

/// Writes a session record; shared by the listening and the thinking thread.
#[derive(Debug)]
pub struct Recorder {
    file: Mutex<File>,
    started: Instant,
}

impl Recorder {
    /// Starts a record; an existing record is replaced.
    ///
    /// # Errors
    /// The file cannot be created or written, or exists and is no record.
    pub fn create(path: &Path) -> io::Result<Recorder> {
        files::expect_kind(path, "the record of a session", |begin, _| begin.starts_with(HEADER.as_bytes()))?;
        let mut file = files::create(path)?;
        let (version, system, machine) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
        writeln!(file, "{HEADER}\nv {version} {system} {machine}, {} processors", processors())?;
        Ok(Recorder { file: Mutex::new(file), started: Instant::now() })
    }

    fn line(&self, letter: char, text: &str) {
        let line = format!("{letter} {} {text}\n", self.started.elapsed().as_millis());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(line.as_bytes()) {
            log::error!("cannot write the session record: {error}");
        }
    }

    /// Records a received line.
    pub fn heard(&self, line: &[u8]) {
        self.line('>', &escaped(line));
    }

    /// Records a reply; `None`: one was withheld.
    pub fn said(&self, reply: Option<&str>) {
        for line in reply.unwrap_or(WITHHELD).lines() {
            self.line('<', line);
        }
    }

    /// Records the settings before the searches of a question, with the time left as it counts for that.
    pub fn asked(&self, engine: &Engine, time_left: Option<i64>) {
        let (size, options) = (engine.size(), engine.options());
        let text = format!(
            "rule {} size {}x{} threads {} hash {} turn {} left {} nodes {} depth {}",
            engine.rule().number(),
            size.width(),
            size.height(),
            options.usable_threads(),
            options.hash_bytes(),
            or_dash(options.turn.map(|time| time.as_millis())),
            or_dash(time_left),
            or_dash(options.max_nodes),
            or_dash(options.max_depth),
        );
        self.line('o', &text);
    }

    /// Records the searches of the question.
    pub fn searched(&self, traces: &[SearchTrace]) {
        let mut text = String::new();
        for (index, trace) in traces.iter().enumerate() {
            let cut = or_dash(trace.cut);
            let best = or_dash(trace.best);
            let gap = if index == 0 { "" } else { "; " };
            // Writing to a string does not fail.
            let _ = write!(text, "{gap}d {} c {cut} n {} {best} {}", trace.depth, trace.nodes, trace.score.units());
        }
        self.line('=', &text);
    }
}

/// Bytes as printable text.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        if (b' '..=b'~').contains(&byte) && byte != b'\\' {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            let digits = std::str::from_utf8(after.strip_prefix(b"x")?.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[3..];
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

/// A session record that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Version and machine that made it.
    pub maker: String,
    /// The received lines.
    pub heard: Vec<Vec<u8>>,
    /// The lines of the replies; `None` for one that was withheld.
    pub said: Vec<Option<String>>,
    /// The searches of each question.
    pub searches: Vec<Vec<SearchTrace>>,
    /// Largest number of threads of any question.
    pub threads: usize,
}

impl Record {
    /// Reads a record; an incomplete last line is ignored.
    ///
    /// # Errors
    /// The number of the first bad line, from 1.
    pub fn parse(text: &str) -> Result<Record, usize> {
        let mut record = Record { threads: 1, ..Record::default() };
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for (line, number) in whole.lines().zip(1_usize..) {
            if number == 1 {
                if line != HEADER {
                    return Err(1);
                }
                continue;
            }
            record.take(line).ok_or(number)?;
        }
        if whole.is_empty() { Err(1) } else { Ok(record) }
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let (letter, rest) = line.split_once(' ')?;
        if letter == "v" {
            rest.clone_into(&mut self.maker);
            return Some(());
        }
        // A received line may be empty, and an e-mail may drop the blank before it.
        let (ms, content) = rest.split_once(' ').unwrap_or((rest, ""));
        ms.parse::<u64>().ok()?;
        match letter {
            ">" => self.heard.push(unescaped(content)?),
            "<" => self.said.push((content != WITHHELD).then(|| content.to_owned())),
            "o" => {
                let words: Vec<&str> = content.split(' ').collect();
                let at = words.iter().position(|&word| word == "threads")?;
                self.threads = self.threads.max(words.get(at + 1)?.parse().ok()?);
            }
            "=" if content.is_empty() => self.searches.push(Vec::new()),
            "=" => self.searches.push(content.split("; ").map(trace).collect::<Option<_>>()?),
            _ => return None,
        }
        Some(())
    }
}

fn trace(text: &str) -> Option<SearchTrace> {
    let words: Vec<&str> = text.split(' ').collect();
    let ["d", depth, "c", cut, "n", nodes, best, score] = words[..] else { return None };
    let cut = if cut == "-" { None } else { Some(cut.parse().ok()?) };
    let best = match best.split_once(',') {
        Some((x, y)) => Some(Point::new(x.parse().ok()?, y.parse().ok()?)?),
        None => None,
    };
    Some(SearchTrace {
        depth: depth.parse().ok()?,
        cut,
        nodes: nodes.parse().ok()?,
        best,
        score: Score::from_units(score.parse().ok()?),
    })
}

/// The value, or `-` for none.
fn or_dash(value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace_of(cut: Option<u64>, best: Option<Point>) -> SearchTrace {
        SearchTrace { depth: 9, cut, nodes: 161_025, best, score: Score::estimate(-34) }
    }

    #[test]
    fn a_record_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let recorder = Recorder::create(&path).unwrap();
        recorder.heard(b"START 15");
        recorder.heard(b"");
        recorder.heard(b"INFO folder C:\\\xe8 \x01");
        recorder.said(Some("OK"));
        recorder.asked(&Engine::new(), None);
        let traces = [trace_of(Some(161_024), Point::new(7, 14)), trace_of(None, None)];
        recorder.searched(&traces);
        recorder.searched(&[]);
        recorder.said(Some("MESSAGE one\nMESSAGE two"));
        recorder.said(None);
        let text = std::fs::read_to_string(&path).unwrap();
        let record = Record::parse(&text).unwrap();
        assert_eq!(record.heard, [&b"START 15"[..], b"", b"INFO folder C:\\\xe8 \x01"]);
        let said: Vec<Option<&str>> = record.said.iter().map(Option::as_deref).collect();
        assert_eq!(said, [Some("OK"), Some("MESSAGE one"), Some("MESSAGE two"), None]);
        assert_eq!(record.searches, [traces.to_vec(), Vec::new()]);
        assert_eq!(record.threads, 1);
        assert!(record.maker.starts_with(env!("CARGO_PKG_VERSION")));
        let cut = &text[..text.len() - 3];
        assert_eq!(Record::parse(cut).unwrap().said.len(), 3, "the last line was being written");
    }

    /// Bug: a record replaced any plain file.
    #[test]
    fn a_file_that_is_no_record_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        for replaced in ["", "tengen-record 1\nv 0.1.0\n> 1 END\n"] {
            std::fs::write(&path, replaced).unwrap();
            Recorder::create(&path).unwrap();
            assert!(Record::parse(&std::fs::read_to_string(&path).unwrap()).unwrap().heard.is_empty());
        }
        std::fs::write(&path, "my notes\n").unwrap();
        let refusal = Recorder::create(&path).unwrap_err().to_string();
        assert_eq!(refusal, "the file exists and is not the record of a session");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes\n");
    }

    #[test]
    fn bad_records_are_refused() {
        assert_eq!(Record::parse(""), Err(1));
        assert_eq!(Record::parse("tengen-record 2\n"), Err(1));
        for bad in ["x 1 y", "> one two", "= 1 d 9", "= 1 d 9 c - n 5 77,7 3", "> 1 \\x1", "> 1 \\q", "nonsense"] {
            assert_eq!(Record::parse(&format!("{HEADER}\n{bad}\n")), Err(2), "{bad}");
        }
    }
}
