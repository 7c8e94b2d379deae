//! All replies and messages of the brain, and their text; that of the lines about a search is in `search_message.rs`. Errors
//! are worded by their types where these are not of the protocol: those of files, of positions, of tunable numbers. Nothing else
//! in the protocol formats output.
//!
//! Each line is one write and one flush, because some managers parse every chunk that they receive as whole lines.

mod search_message;

use super::command::Malformed;
use crate::base::{Point, Score, Size};
use crate::board::notation;
use crate::engine::database::Entry;
use crate::engine::{Balanced, PositionError};
use crate::search::{Iteration, ParamError};
use search_message::{Percent, defences, summary};
use std::fmt;
use std::io::{self, Write};

/// Most moves of a line in a REALTIME message.
const REALTIME_LINE_MOVES: usize = 60;

/// The standard output. It is not locked between two writes: if the start fails, the main thread writes why.
pub fn output() -> io::Stdout {
    io::stdout()
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
    /// There is no move, or not enough points for the stones asked for.
    NoMove,
    /// A swap2 question needs 0, 3 or 5 stones.
    Swap2Count,
    /// The tunable cannot be set.
    Param(ParamError),
    /// A Soosorv question needs other stones.
    SoosorvCount,
    /// The points of a block are off the board or repeated.
    NoPosition,
    /// A path was expected.
    NoPath,
    /// Too many stones to balance with; the most allowed.
    BalanceCount(usize),
    /// A bug in the brain.
    Internal,
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
            Complaint::NoPosition => f.write_str("expected moves on different points of the board"),
            Complaint::NoPath => f.write_str("expected a path"),
            Complaint::SoosorvCount => {
                f.write_str("a Soosorv question needs 3, 4 or, with those offered, more stones on different points")
            }
            Complaint::BalanceCount(most) => write!(f, "expected 1 to {most} stones to balance with"),
            Complaint::Internal => f.write_str("internal error, please report it"),
        }
    }
}

/// A reply or message of the brain.
#[derive(Clone, Debug)]
pub enum Reply<'a> {
    /// Done.
    Ok,
    /// Our move.
    Move(Point),
    /// The stones of a swap2 answer, or those that balance a position, on one line.
    Stones(&'a [Point]),
    /// The brain takes black.
    Swap,
    /// Name, version and author.
    About,
    /// The command was refused.
    Error(Complaint),
    /// An unknown keyword.
    Unknown(&'a str),
    /// A finished iteration.
    Iteration {
        /// Its result.
        iteration: &'a Iteration,
        /// How points are written.
        notation: Notation,
    },
    /// A step of the running search.
    Realtime(Realtime),
    /// The best line of the running search.
    RealtimeLine {
        /// The expected moves.
        line: &'a [Point],
        /// How points are written.
        notation: Notation,
    },
    /// The score of each move, best first.
    Defences {
        /// The moves.
        moves: &'a [(Point, Score)],
        /// How points are written.
        notation: Notation,
    },
    /// Analysis ignores the strength of the settings.
    FullStrength {
        /// The strength of the settings.
        strength: u32,
    },
    /// Stones that balance the position.
    Balanced {
        /// The stones and the score.
        balanced: &'a Balanced,
        /// How points are written.
        notation: Notation,
    },
    /// The forbidden points.
    Forbidden(&'a [Point]),
    /// The limits for an analysing GUI.
    Capabilities {
        /// Most threads.
        threads: u32,
        /// Base-2 logarithm of the largest hash size in KiB.
        hash_log2_kib: u32,
    },
    /// How large the hash table is, and how large it may become.
    HashUsage {
        /// Now.
        kib: u64,
        /// At most.
        most_kib: u64,
    },
    /// The system has no memory for a larger hash table than this.
    SmallTable {
        /// Its size.
        kib: u64,
    },
    /// A side has a winning row, and a move was asked for all the same.
    GameOver,
    /// Opening stones in the Yixin dialect.
    OpeningMoves {
        /// The keyword of the opening rule.
        rule: &'static str,
        /// Number of the first stone, from 1.
        first: usize,
        /// The stones.
        stones: &'a [Point],
    },
    /// Which side the brain takes, in an opening rule of the Yixin dialect.
    OpeningSwap {
        /// The keyword of the opening rule.
        rule: &'static str,
        /// The number of the question, 1 or 2.
        question: u8,
        /// Whether it takes the side that the question offers: black, but white in the second question of Soosorv.
        taken: bool,
    },
    /// The fourth stone of a Soosorv opening and the number of fifth stones to offer.
    SoosorvFourth {
        /// The stone.
        point: Point,
        /// The number of fifth stones.
        count: usize,
    },
    /// Fifth stones to choose from.
    SoosorvFifths(&'a [Point]),
    /// The chosen fifth stone.
    SoosorvChoice(Point),
    /// The draw offer is rejected.
    DrawRejected,
    /// The number of positions in the database.
    DatabaseSize(usize),
    /// The entries of the positions after each move, with values for the side that moves.
    DatabaseMoves(&'a [(Point, Entry)]),
    /// The entry of a position.
    DatabaseEntry(Option<&'a Entry>),
    /// The label of a position.
    DatabaseLabel(&'a str),
    /// The hash table was written or read.
    File(FileReport),
    /// A file could not be read or written.
    FileError(&'a str),
    /// A warning about a file: it could not be written automatically, or another process has locked it.
    FileWarning(&'a str),
    /// For a person who starts the brain in a terminal or by a double click.
    Greeting,
}

/// What was done with a hash file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileReport {
    /// Number of entries written.
    HashWritten(u64),
    /// Number of entries read.
    HashRead(u64),
}

/// The notation of points in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Column letter and row number, both from the origin: `h8` is `7,7`.
    Plain,
    /// As Yixin-Board draws a board of this many rows: the first coordinate is the row, and rows count from below.
    RowsFromBelow(usize),
}

impl Notation {
    /// A point in this notation.
    fn write(self, point: Point) -> String {
        match self {
            Notation::Plain => notation::name(point),
            Notation::RowsFromBelow(rows) => {
                format!("{}{}", (b'a' + point.y() as u8) as char, rows.saturating_sub(point.x()))
            }
        }
    }

    /// Points, each after a blank.
    fn line(self, points: &[Point]) -> String {
        points.iter().flat_map(|&point| [" ".to_owned(), self.write(point)]).collect()
    }
}

/// Steps of the search that Yixin-Board draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realtime {
    /// Clears the drawing.
    Refresh,
    /// The move that is being searched.
    Position(Point),
    /// The search of this move has ended.
    Done(Point),
    /// The best move.
    Best(Point),
    /// A losing move.
    Lose(Point),
    /// The score of the best move.
    Value(Score),
}

impl fmt::Display for Realtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MESSAGE REALTIME ")?;
        match self {
            Realtime::Refresh => f.write_str("REFRESH"),
            Realtime::Position(point) => write!(f, "POS {point}"),
            Realtime::Done(point) => write!(f, "DONE {point}"),
            Realtime::Best(point) => write!(f, "BEST {point}"),
            Realtime::Lose(point) => write!(f, "LOSE {point}"),
            Realtime::Value(score) => write!(f, "VAL {}", score.units()),
        }
    }
}

impl Reply<'_> {
    /// Whether a replay of the session gives the same reply, at any time and on any machine.
    pub fn is_repeatable(&self) -> bool {
        !matches!(
            self,
            Reply::Capabilities { .. }
                | Reply::HashUsage { .. }
                | Reply::SmallTable { .. }
                | Reply::DatabaseSize(_)
                | Reply::DatabaseMoves(_)
                | Reply::DatabaseEntry(_)
                | Reply::DatabaseLabel(_)
                | Reply::File(_)
                | Reply::FileError(_)
                | Reply::FileWarning(_)
                | Reply::Greeting
        )
    }

    /// Writes the reply line by line and flushes each line.
    ///
    /// # Errors
    /// The output is closed.
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
            Reply::Iteration { iteration, notation } => summary(f, iteration, *notation),
            Reply::Realtime(realtime) => write!(f, "{realtime}"),
            Reply::RealtimeLine { line, notation } => {
                // Yixin-Board has a buffer of about 2400 bytes.
                let shown = &line[..line.len().min(REALTIME_LINE_MOVES)];
                write!(f, "MESSAGE REALTIME PV{}", notation.line(shown))
            }
            Reply::Defences { moves, notation } => defences(f, moves, *notation),
            Reply::FullStrength { strength } => {
                write!(f, "MESSAGE analysis is at full strength; strength {strength} is for the moves of a game")
            }
            Reply::Balanced { balanced, notation } => write!(
                f,
                "MESSAGE after{}: ev {} win {} for the side to move, depth {}",
                notation.line(&balanced.stones),
                balanced.score,
                Percent(balanced.score),
                balanced.depth
            ),
            Reply::Forbidden(points) => {
                f.write_str("FORBID ")?;
                points.iter().try_for_each(|point| write!(f, "{:02}{:02}", point.x(), point.y()))?;
                f.write_str(".")
            }
            Reply::Capabilities { threads, hash_log2_kib } => {
                write!(f, "MESSAGE INFO MAX_THREAD_NUM {threads}\nMESSAGE INFO MAX_HASH_SIZE {hash_log2_kib}")
            }
            Reply::HashUsage { kib, most_kib } => {
                write!(f, "MESSAGE hash table: {kib} KiB, at most {most_kib} KiB")
            }
            Reply::SmallTable { kib } => {
                write!(f, "MESSAGE warning: the system has no memory for more than {kib} KiB of the hash table")
            }
            Reply::GameOver => f.write_str("MESSAGE the game is over: there is a winning row on the board"),
            Reply::OpeningMoves { rule, first, stones } => {
                for (index, stone) in stones.iter().enumerate() {
                    let newline = if index == 0 { "" } else { "\n" };
                    write!(f, "{newline}MESSAGE {rule} MOVE{} {} {}", first + index, stone.x(), stone.y())?;
                }
                Ok(())
            }
            Reply::OpeningSwap { rule, question, taken } => {
                write!(f, "MESSAGE {rule} SWAP{question} {}", if *taken { "YES" } else { "NO" })
            }
            Reply::SoosorvFourth { point, count } => {
                write!(f, "MESSAGE SOOSORV MOVE4 {} {} {count}", point.x(), point.y())
            }
            Reply::SoosorvFifths(points) => {
                f.write_str("MESSAGE SOOSORV MOVE5 REFRESH\n")?;
                points.iter().try_for_each(|p| writeln!(f, "MESSAGE SOOSORV MOVE5 {} {}", p.x(), p.y()))?;
                f.write_str("MESSAGE SOOSORV MOVE5 DONE")
            }
            Reply::SoosorvChoice(point) => write!(f, "MESSAGE SOOSORV MOVE5C {} {}", point.x(), point.y()),
            Reply::DrawRejected => f.write_str("MESSAGE DRAW REJECT"),
            Reply::DatabaseSize(count) => write!(f, "MESSAGE positions in the database: {count}"),
            Reply::DatabaseMoves(moves) => {
                f.write_str("MESSAGE DATABASE REFRESH\n")?;
                for (point, entry) in *moves {
                    writeln!(f, "MESSAGE DATABASE {} {} {}", point.x(), point.y(), Fields(entry))?;
                }
                f.write_str("MESSAGE DATABASE DONE")
            }
            Reply::DatabaseEntry(None) => f.write_str("MESSAGE DATABASE ONE -1 0 0"),
            Reply::DatabaseEntry(Some(entry)) => write!(f, "MESSAGE DATABASE ONE {}", Fields(entry)),
            Reply::DatabaseLabel(label) => {
                let shown: String = label.chars().map(|c| if c.is_ascii_graphic() { c } else { ' ' }).collect();
                write!(f, "MESSAGE label: {}", shown.trim())
            }
            Reply::File(FileReport::HashWritten(count)) => write!(f, "MESSAGE hash table: {count} positions written"),
            Reply::File(FileReport::HashRead(count)) => write!(f, "MESSAGE hash table: {count} positions read"),
            Reply::FileError(text) => write!(f, "ERROR {text}"),
            Reply::FileWarning(text) => write!(f, "MESSAGE warning: {text}"),
            Reply::Greeting => f.write_str(
                "MESSAGE This program waits for a manager's commands. To play here, start it with the argument play; help lists more.",
            ),
        }
    }
}

/// Points on one line, separated by blanks.
fn spaced(f: &mut fmt::Formatter<'_>, points: &[Point]) -> fmt::Result {
    for (index, point) in points.iter().enumerate() {
        write!(f, "{}{point}", if index == 0 { "" } else { " " })?;
    }
    Ok(())
}

/// Tag (as the number of its character), value and depth.
struct Fields<'a>(&'a Entry);

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = self.0.tag.map_or(-1, i64::from);
        write!(f, "{tag} {} {}", self.0.value, self.0.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Ply;
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
            pv: vec![point(7, 7), point(8, 3)],
            rank: 1,
        };
        let show = |iteration: &Iteration, notation| Reply::Iteration { iteration, notation }.to_string();
        let line = show(&iteration, Notation::Plain);
        assert_eq!(line, "MESSAGE depth 12-20 ev 34 win 54.2% n 1246000 n/ms 890 tm 1400 pv h8 i4");
        let line = show(&iteration, Notation::RowsFromBelow(15));
        assert!(line.ends_with(" pv h8 d7"), "{line}");
        let second = Iteration { rank: 2, score: Score::win_in(Ply::ROOT, 7), ..iteration.clone() };
        let line = show(&second, Notation::Plain);
        assert!(line.starts_with("MESSAGE line 2 depth 12-20 ev +W7 win 100% wins-in 7 n 1246000 "), "{line}");
        let lost = Iteration { score: Score::loss_in(Ply::ROOT, 6), ..iteration.clone() };
        assert!(show(&lost, Notation::Plain).contains(" ev -W6 win 0% loses-in 6 n "));
        // An unproven result is never called a win or a loss.
        for proven in [Score::win_in(Ply::ROOT, 7), Score::loss_in(Ply::ROOT, 6)] {
            let line = show(&Iteration { score: proven.unproven(), ..iteration.clone() }, Notation::Plain);
            assert!(!["W", "s-in", " 100%", " 0%"].iter().any(|word| line.contains(word)), "{line}");
        }
    }

    #[test]
    fn moves_that_hold_and_moves_that_lose() {
        let moves = [
            (point(7, 7), Score::estimate(0)),
            (point(8, 7), Score::estimate(-Score::EVAL_LIMIT)),
            (point(9, 7), Score::loss_in(Ply::ROOT, 6)),
        ];
        let text = Reply::Defences { moves: &moves, notation: Notation::Plain }.to_string();
        assert_eq!(
            text,
            "MESSAGE 1 of 3 candidate moves hold: h8 50.0%\nMESSAGE lose: j8 in 6\nMESSAGE probably lose: i8"
        );
    }

    /// Bug: `MESSAGE database of 2 positions` was a line about the database to Yixin-Board, which takes keywords in any case and
    /// reads points from what follows.
    #[test]
    fn messages_for_people_begin_with_no_keyword() {
        let texts = [
            Reply::DatabaseSize(2),
            Reply::DatabaseLabel("database one"),
            Reply::HashUsage { kib: 7, most_kib: 9 },
            Reply::File(FileReport::HashWritten(3)),
            Reply::File(FileReport::HashRead(3)),
            Reply::FileWarning("database: in use"),
            Reply::Greeting,
            Reply::FullStrength { strength: 20 },
            Reply::SmallTable { kib: 8 },
            Reply::GameOver,
        ];
        for text in texts.map(|reply| reply.to_string().to_uppercase()) {
            let text = text.strip_prefix("MESSAGE ").unwrap();
            let is_keyword = |word: &&str| text.starts_with(word);
            let found =
                ["DATABASE", "REALTIME", "INFO", "SWAP2", "SOOSORV", "DRAW"].iter().find(|word| is_keyword(word));
            assert_eq!(found, None, "{text}");
        }
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
