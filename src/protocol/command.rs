//! The commands of a manager as values: what [`table`] reads from the lines and the session carries out.
//!
//! Coordinates stay as they were written; the session checks that they lie on the board. In the Yixin dialect the first
//! number is the row. It is read as `x` like any other, so the engine sees a Yixin board transposed.

pub(super) mod payload;
pub mod row;
pub mod table;

use super::info::Info;
use crate::base::{Point, Size};
use crate::engine::database::{Deletion, is_tag};

/// A pair of coordinates as received, not yet checked against the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Column from 0.
    pub x: i64,
    /// Row from 0.
    pub y: i64,
}

impl Spot {
    /// The coordinates of a point.
    pub fn of(point: Point) -> Spot {
        Spot { x: point.x() as i64, y: point.y() as i64 }
    }

    /// The point of a board; `None` off the board.
    pub fn on(self, size: Size) -> Option<Point> {
        size.point(self.x, self.y)
    }

    /// The spots of a block as points; `None` if one is off the board or repeated.
    pub fn distinct_points(spots: &[Spot], size: Size) -> Option<Vec<Point>> {
        let points: Vec<Point> = spots.iter().map(|spot| spot.on(size)).collect::<Option<_>>()?;
        let is_new = |(index, point): (usize, &Point)| !points[..index].contains(point);
        points.iter().enumerate().all(is_new).then_some(points)
    }
}

/// Whose stone a line of a BOARD block places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The brain that reads the block.
    Own,
    /// Its opponent.
    Opponent,
    /// Neither: a dead square of a continuous game.
    Dead,
}

/// One line of a BOARD block.
pub type Placement = (Spot, Owner);

/// Why a known command cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// No size, or one that is not supported.
    Size,
    /// A pair of coordinates was expected.
    Coordinates,
    /// A number was expected.
    Value,
}

/// Every command a manager can send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A new game on a board of this size.
    Start(Size),
    /// A new game on a board of the same size.
    Restart,
    /// Open the game.
    Begin,
    /// The opponent plays here; answer.
    Turn(Spot),
    /// Set this position and move.
    Board(Vec<Placement>),
    /// Set this position; no answer.
    SetBoard(Vec<Placement>),
    /// A swap2 question.
    Swap2Board(Vec<Spot>),
    /// Remove a stone.
    TakeBack(Spot),
    /// Put the brain's own stone here.
    Play(Spot),
    /// A setting.
    Info(Info),
    /// A new value for a parameter of the search, in builds with the feature `tune`.
    Tune(String, i64),
    /// Name, version and author.
    About,
    /// Leave; the end of the input means the same.
    End,
    /// Answer at once.
    Stop,
    /// Search in the background until the next command.
    Ponder,
    /// Search the current position, show this many of the best lines, and move.
    Best(usize),
    /// Score every candidate move of the current position, list those that hold, and move.
    Defend,
    /// Find further stones after which the side to move has about the given score.
    Balance {
        /// How many stones.
        stones: usize,
        /// The wanted score, in units of [`Score`](crate::base::Score).
        bias: i64,
    },
    /// List the forbidden points.
    ShowForbidden,
    /// List the engine's capabilities. Also shows that the manager is an analysing GUI.
    ShowInfo,
    /// Clear the hash table.
    ClearHash,
    /// Show how large the hash table is, and how large it may become.
    ShowHashUsage,
    /// Block these points.
    Block(Vec<Spot>),
    /// Unblock these points.
    Unblock(Vec<Spot>),
    /// Unblock all points.
    UnblockAll,
    /// Block the last move of this line, which starts from the empty board.
    BlockPath(Vec<Spot>),
    /// Unblock that move.
    UnblockPath(Vec<Spot>),
    /// Unblock all lines.
    UnblockPaths,
    /// A swap2 question in the Yixin dialect, on a board of 0, 3 or 5 stones (steps 1 to 3).
    Swap2Step(u8),
    /// A question of the Soosorv-8 opening.
    Soosorv {
        /// From 1 to 6.
        step: u8,
        /// Number of fifth stones in steps 4 and 5.
        fifths: usize,
        /// The stones.
        spots: Vec<Spot>,
    },
    /// A draw offer.
    OfferDraw,
    /// A query or a change of the database, and the moves that lead to the position.
    Database(Query, Vec<Spot>),
    /// Write the database now.
    SaveDatabase,
    /// Show the number of positions in the database.
    CheckDatabase,
    /// Read or write the file of this path.
    File(FileUse, Vec<u8>),
    /// A known command without an effect.
    Accepted,
    /// A known command that cannot be read.
    Malformed(Malformed),
    /// An unknown keyword, made printable.
    Unknown(String),
}

impl Command {
    /// Whether this only says how much time there is: a search in the opponent's time goes on.
    pub fn is_clock(&self) -> bool {
        matches!(self, Command::Info(info) if info.is_clock())
    }

    /// Whether the answer is about the position that the manager shows, and due only while it does so.
    pub fn is_analysis(&self) -> bool {
        matches!(self, Command::Best(_) | Command::Defend | Command::Balance { .. } | Command::Swap2Step(2..))
    }

    /// Whether this is a question of an opening rule.
    pub fn is_opening_question(&self) -> bool {
        matches!(self, Command::Swap2Board(_) | Command::Swap2Step(_) | Command::Soosorv { .. })
    }
}

/// The fields that [`Query::Edit`] changes.
pub mod edit_mask {
    /// The tag.
    pub const TAG: i64 = 1;
    /// The value.
    pub const VALUE: i64 = 2;
    /// The depth.
    pub const DEPTH: i64 = 4;
}

/// A query or a change of the database entry of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The entries of the positions after each move.
    Moves,
    /// The entry of the position.
    Position,
    /// The label of the position.
    Label,
    /// Change tag, value and depth.
    Edit {
        /// Which of them: a sum of the constants of [`edit_mask`].
        mask: i64,
        /// The tag as a character code; anything that is not a tag removes it.
        tag: i64,
        /// The value for the side to move.
        value: i64,
        /// The depth.
        depth: i64,
    },
    /// Change the label.
    SetLabel(Vec<u8>),
    /// Delete the position.
    Delete,
    /// Delete the position and those that follow from it.
    DeleteFrom(Deletion),
    /// The last move is the best one in the position before it.
    SetBest,
    /// The position before the last move has no best move.
    ClearBest,
}

impl Query {
    /// Whether this only removes something from an entry.
    pub fn only_removes(&self) -> bool {
        match self {
            Query::ClearBest => true,
            Query::SetLabel(text) => text.is_empty(),
            Query::Edit { mask, tag, .. } => {
                mask & (edit_mask::VALUE | edit_mask::DEPTH) == 0
                    && (mask & edit_mask::TAG == 0 || !u8::try_from(*tag).is_ok_and(is_tag))
            }
            _ => false,
        }
    }
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// Write the hash table.
    DumpHash,
    /// Read the hash table.
    LoadHash,
    /// Use this file as the database.
    SetDatabase,
    /// Write the moves that lead to each position of the database.
    WritePositions,
    /// Write a copy of the database.
    WriteDatabase,
    /// Add the entries of another database.
    MergeDatabase,
}
