//! Everything the brain can say, and how it is written: the only place that formats output. Floor 5.
//!
//! A reply is whole lines; each line is one `write` and one flush, because some managers parse whatever chunk
//! they receive as if it held whole lines.

use super::command::Malformed;
use crate::base::{Point, Size};
use crate::board::notation::letter;
use crate::engine::PositionError;
use crate::search::{Iteration, ParamError};
use std::fmt;
use std::io::{self, Write};

/// What the manager reads: the standard output, for the calling thread alone.
pub fn output() -> impl Write {
    io::stdout().lock()
}

/// Why a command was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// There is no board yet.
    NotStarted,
    /// The command cannot be read.
    Malformed(Malformed),
    /// The stone cannot be placed or removed.
    Position(PositionError),
    /// `BEGIN` needs an empty board.
    NotEmpty,
    /// The board is full.
    NoMove,
    /// A swap2 question needs 0, 3 or 5 stones.
    Swap2Count,
    /// The tunable cannot be set.
    Param(ParamError),
    /// We know the command and cannot obey.
    Unsupported(&'static str),
}

impl From<PositionError> for Complaint {
    fn from(error: PositionError) -> Complaint {
        Complaint::Position(error)
    }
}

impl From<ParamError> for Complaint {
    fn from(error: ParamError) -> Complaint {
        Complaint::Param(error)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Complaint::NotStarted => f.write_str("no board yet, send START first"),
            Complaint::Malformed(Malformed::Size) => {
                let (min, max) = (Size::MIN_SIDE, Size::MAX_SIDE);
                write!(f, "unsupported board size: each side must be {min} to {max}, for example 15 or 20")
            }
            Complaint::Malformed(Malformed::Coordinates) => f.write_str("expected coordinates x,y"),
            Complaint::Position(error) => write!(f, "{error}"),
            Complaint::Param(error) => write!(f, "{error}"),
            Complaint::Malformed(Malformed::Value) => f.write_str("expected a value"),
            Complaint::NotEmpty => f.write_str("BEGIN needs an empty board"),
            Complaint::NoMove => f.write_str("no legal move"),
            Complaint::Swap2Count => f.write_str("a swap2 question needs 0, 3 or 5 stones on different points"),
            Complaint::Unsupported(what) => write!(f, "{what}: not supported"),
        }
    }
}

/// Everything the brain can say.
#[derive(Clone, Debug)]
pub enum Reply<'a> {
    /// Done.
    Ok,
    /// Our move.
    Move(Point),
    /// The stones of a swap2 answer, on one line.
    Stones(&'a [Point]),
    /// We take black.
    Swap,
    /// Who we are.
    About,
    /// The command was refused.
    Error(Complaint),
    /// Nobody knows this word.
    Unknown(&'a str),
    /// A finished iteration.
    Iteration(&'a Iteration),
    /// The forbidden points.
    Forbidden(&'a [Point]),
    /// Threads and hash (as the power of two of its KiB) that an analysing GUI may ask for.
    Capabilities {
        /// Most threads.
        threads: u32,
        /// Base-2 logarithm of the largest hash size in KiB.
        hash_log2_kib: u32,
    },
    /// How large the hash table may become, in KiB.
    HashCapacity(u64),
    /// The stones of a swap2 answer in the Yixin dialect, the first one being stone number `first`.
    Swap2Moves {
        /// Number of the first stone, from 1.
        first: usize,
        /// The stones.
        stones: &'a [Point],
    },
    /// Whether we take black in swap2 question 1 or 2 of the Yixin dialect.
    Swap2Swap {
        /// 1 after three stones, 2 after five.
        question: u8,
        /// Whether we take black.
        taken: bool,
    },
    /// We play on.
    DrawRejected,
}

impl Reply<'_> {
    /// Writes the reply, line by line, and flushes each.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let text = format!("{self}\n");
        for line in text.split_inclusive('\n') {
            out.write_all(line.as_bytes())?;
            out.flush()?;
        }
        Ok(())
    }
}

impl fmt::Display for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Ok => f.write_str("OK"),
            Reply::Move(point) => write!(f, "{point}"),
            Reply::Stones(stones) => spaced(f, stones),
            Reply::Swap => f.write_str("SWAP"),
            Reply::About => f.write_str(concat!(
                "name=\"Tengen\", version=\"",
                env!("CARGO_PKG_VERSION"),
                "\", author=\"The Tengen developers\", country=\"International\""
            )),
            Reply::Error(complaint) => write!(f, "ERROR {complaint}"),
            Reply::Unknown(word) => write!(f, "UNKNOWN command {word}"),
            Reply::Iteration(iteration) => summary(f, iteration),
            Reply::Forbidden(points) => {
                f.write_str("FORBID ")?;
                points.iter().try_for_each(|point| write!(f, "{:02}{:02}", point.x(), point.y()))?;
                f.write_str(".")
            }
            Reply::Capabilities { threads, hash_log2_kib } => {
                write!(f, "MESSAGE INFO MAX_THREAD_NUM {threads}\nMESSAGE INFO MAX_HASH_SIZE {hash_log2_kib}")
            }
            Reply::HashCapacity(kib) => write!(f, "MESSAGE hash table of at most {kib} KiB"),
            Reply::Swap2Moves { first, stones } => {
                for (index, stone) in stones.iter().enumerate() {
                    let newline = if index == 0 { "" } else { "\n" };
                    write!(f, "{newline}MESSAGE SWAP2 MOVE{} {} {}", first + index, stone.x(), stone.y())?;
                }
                Ok(())
            }
            Reply::Swap2Swap { question, taken } => {
                write!(f, "MESSAGE SWAP2 SWAP{question} {}", if *taken { "YES" } else { "NO" })
            }
            Reply::DrawRejected => f.write_str("MESSAGE DRAW REJECT"),
        }
    }
}

/// Points on one line, a blank between two.
fn spaced(f: &mut fmt::Formatter<'_>, points: &[Point]) -> fmt::Result {
    for (index, point) in points.iter().enumerate() {
        write!(f, "{}{point}", if index == 0 { "" } else { " " })?;
    }
    Ok(())
}

/// One line in the words that log parsers know.
fn summary(f: &mut fmt::Formatter<'_>, iteration: &Iteration) -> fmt::Result {
    let ms = iteration.elapsed.as_millis() as u64;
    write!(
        f,
        "MESSAGE depth {}-{} ev {} n {} n/ms {} tm {} pv",
        iteration.depth,
        iteration.seldepth,
        iteration.score,
        iteration.nodes,
        iteration.nodes / ms.max(1),
        ms
    )?;
    iteration.pv.iter().try_for_each(|&point| write!(f, " {}", letter(point)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Score;
    use std::time::Duration;

    fn point(x: usize, y: usize) -> Point {
        Point::new(x, y).unwrap()
    }

    #[test]
    fn the_summary_line() {
        let iteration = Iteration {
            depth: 12,
            seldepth: 20,
            score: Score::estimate(34),
            nodes: 1_246_000,
            elapsed: Duration::from_millis(1400),
            pv: vec![point(7, 7), point(8, 8)],
        };
        let line = Reply::Iteration(&iteration).to_string();
        assert_eq!(line, "MESSAGE depth 12-20 ev 34 n 1246000 n/ms 890 tm 1400 pv h8 i9");
    }

    #[test]
    fn fixed_lines() {
        assert_eq!(Reply::Stones(&[point(0, 1), point(21, 3)]).to_string(), "0,1 21,3");
        assert_eq!(Reply::Forbidden(&[]).to_string(), "FORBID .");
        assert_eq!(Reply::Forbidden(&[point(6, 7), point(10, 0)]).to_string(), "FORBID 06071000.");
        let size = Reply::Error(Complaint::Malformed(Malformed::Size)).to_string();
        assert!(size.starts_with("ERROR ") && size.contains("5 to 22") && size.contains("20"));
    }

    #[test]
    fn about_survives_every_splitter() {
        let about = Reply::About.to_string();
        for field in about.split(", ") {
            let (name, value) = field.split_once('=').unwrap();
            assert!(["name", "version", "author", "country"].contains(&name));
            assert!(value.len() > 2 && !value.contains([',', '=']));
        }
    }

    #[test]
    fn every_line_is_one_write() {
        #[derive(Default)]
        struct Chunks(Vec<String>);
        impl Write for Chunks {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.push(String::from_utf8(bytes.to_vec()).unwrap());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut chunks = Chunks::default();
        Reply::Capabilities { threads: 1, hash_log2_kib: 18 }.write(&mut chunks).unwrap();
        assert_eq!(chunks.0, ["MESSAGE INFO MAX_THREAD_NUM 1\n", "MESSAGE INFO MAX_HASH_SIZE 18\n"]);
    }
}
