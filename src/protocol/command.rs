//! What a manager can ask for, and the parser: one line or one block in, one [`Command`] out. Floor 5.
//!
//! Coordinates stay as they were written; whether they lie on the board is the session's question. In the
//! Yixin dialect the first number counts rows: read as `x` throughout, that is the same board seen transposed.

use super::info::Info;
use super::number::{integer, number, split_word};
use crate::base::Size;
use crate::engine::database::Deletion;
use crate::search::ParamTable;

/// A pair of coordinates as received: not yet known to lie on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Column from 0.
    pub x: i64,
    /// Row from 0.
    pub y: i64,
}

/// Whose stone a line of a BOARD block places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The brain's that reads the block.
    Own,
    /// The opponent's.
    Opponent,
    /// Nobody's: a dead square of a continuous game.
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

/// Everything a manager can ask for.
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
    /// This is the position; move.
    Board(Vec<Placement>),
    /// This is the position; say nothing.
    SetBoard(Vec<Placement>),
    /// A swap2 question.
    Swap2Board(Vec<Spot>),
    /// Remove a stone.
    TakeBack(Spot),
    /// Put our own stone here.
    Play(Spot),
    /// A setting.
    Info(Info),
    /// A tunable number of the search with its new value, in builds for tuning.
    Tune(String, i64),
    /// Who are you?
    About,
    /// Leave; the end of the input says the same.
    End,
    /// Answer at once.
    Stop,
    /// Think about the position at hand, show so many of the best lines, and move.
    Best(usize),
    /// Look at every move in the position at hand, say which of them hold, and move.
    Defend,
    /// So many further stones after which the game is worth about so much to the side then to move.
    Balance {
        /// How many stones.
        stones: usize,
        /// What it should be worth.
        bias: i64,
    },
    /// Which points are forbidden?
    ShowForbidden,
    /// What can this engine do? Also tells that an analysing GUI is there.
    ShowInfo,
    /// Forget what was learned.
    ClearHash,
    /// How large is the hash table?
    ShowHashUsage,
    /// Do not play on these points.
    Block(Vec<Spot>),
    /// Points are free again.
    Unblock(Vec<Spot>),
    /// All points are free again.
    UnblockAll,
    /// Do not play the last move of this line, which begins with the empty board.
    BlockPath(Vec<Spot>),
    /// That move is free again.
    UnblockPath(Vec<Spot>),
    /// No line is blocked any more.
    UnblockPaths,
    /// A swap2 question in the Yixin dialect, on a board of 0, 3 or 5 stones (steps 1 to 3).
    Swap2Step(u8),
    /// A question of the Soosorv-8 opening (steps 1 to 6), a number of fifth stones where one is told, and the stones.
    Soosorv(u8, usize, Vec<Spot>),
    /// A draw offer.
    OfferDraw,
    /// A question to the database or a change of it, and the moves that lead to the position.
    Database(Query, Vec<Spot>),
    /// Write the database now.
    SaveDatabase,
    /// How large is the database?
    CheckDatabase,
    /// Something to do with a file.
    File(FileUse, Vec<u8>),
    /// A command of the Yixin dialect that needs no answer.
    Accepted,
    /// A known command that cannot be read.
    Malformed(Malformed),
    /// A word we do not know, made printable.
    Unknown(String),
}

impl Command {
    /// Whether this starts a search.
    pub fn thinks(&self) -> bool {
        use Command::{Balance, Begin, Best, Board, Defend, Soosorv, Swap2Board, Swap2Step, Turn};
        matches!(
            self,
            Begin | Turn(_) | Board(_) | Swap2Board(_) | Best(_) | Defend | Balance { .. } | Swap2Step(_) | Soosorv(..)
        )
    }

    /// Whether this makes the answer to an earlier question worthless: the position changes or the game ends.
    pub fn supersedes(&self) -> bool {
        use Command::{End, Restart, SetBoard, Start, TakeBack};
        matches!(self, Start(_) | Restart | SetBoard(_) | TakeBack(_) | End)
    }

    /// Whether only a manager of the Yixin dialect sends this.
    pub fn is_yixin(&self) -> bool {
        use Command::{
            Accepted, Balance, Best, Block, BlockPath, CheckDatabase, ClearHash, Database, Defend, File, OfferDraw,
            SaveDatabase, SetBoard, ShowForbidden, ShowHashUsage, ShowInfo, Soosorv, Swap2Step, Unblock, UnblockAll,
            UnblockPath, UnblockPaths,
        };
        let asks = matches!(self, Balance { .. } | Best(_) | Defend | OfferDraw | Soosorv(..) | Swap2Step(_));
        let sets = matches!(self, Block(_) | BlockPath(_) | SetBoard(_) | Unblock(_) | UnblockPath(_));
        let frees = matches!(self, Accepted | ClearHash | UnblockAll | UnblockPaths);
        let shows = matches!(self, ShowForbidden | ShowHashUsage | ShowInfo);
        let keeps = matches!(self, CheckDatabase | Database(..) | File(..) | SaveDatabase);
        asks || sets || frees || shows || keeps
    }
}

/// What is asked of the database about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// What is known about the positions after each move.
    Moves,
    /// What is known about the position.
    Position,
    /// The label of the position.
    Label,
    /// Change tag, value and depth.
    Edit {
        /// Of these: 1 the tag, 2 the value, 4 the depth.
        mask: i64,
        /// The tag, as the number of its character; none: no tag.
        tag: i64,
        /// The value for the side to move.
        value: i64,
        /// The depth.
        depth: i64,
    },
    /// Change the label.
    SetLabel(Vec<u8>),
    /// Forget the position.
    Delete,
    /// Forget the position and those that follow from it.
    DeleteFrom(Deletion),
    /// The last move is the best one in the position before it.
    SetBest,
    /// The position before the last move has no best move.
    ClearBest,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// Write the hash table.
    DumpHash,
    /// Read it.
    LoadHash,
    /// This is the database.
    SetDatabase,
    /// Write the moves to each position of the database.
    WritePositions,
    /// Write a copy of the database.
    WriteDatabase,
    /// Take over what another database has.
    MergeDatabase,
}

/// A block that is being read: everything up to `DONE` belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BlockKind {
    Board,
    SetBoard,
    Swap2Board,
    Block,
    Unblock,
    BlockPath,
    UnblockPath,
    Soosorv(u8, usize),
    Database(Query),
    /// Read and forgotten.
    Accepted,
}

/// What a line is, before the lines around it are known.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Command(Command),
    /// The first line of a block.
    Opens(BlockKind),
    /// The next line is a path, whatever it looks like.
    OpensPath(FileUse),
    /// An INFO that we cannot use.
    Nothing,
}

/// Reads one line outside any block.
fn parse_line(line: &[u8]) -> Line {
    let (word, rest) = split_word(line);
    let keyword = word.to_ascii_uppercase();
    Line::Command(match keyword.as_slice() {
        b"START" => start(rest),
        b"RECTSTART" => rect_start(rest),
        b"RESTART" => Command::Restart,
        b"BEGIN" => Command::Begin,
        b"TURN" => with_spot(rest, Command::Turn),
        b"TAKEBACK" => with_spot(rest, Command::TakeBack),
        b"PLAY" => with_spot(rest, Command::Play),
        b"BOARD" => return Line::Opens(BlockKind::Board),
        b"SWAP2BOARD" => return Line::Opens(BlockKind::Swap2Board),
        b"INFO" if ParamTable::IS_TUNABLE && is_tunable(rest) => tune(rest),
        b"INFO" => return Info::parse(rest).map_or(Line::Nothing, |info| Line::Command(Command::Info(info))),
        b"ABOUT" => Command::About,
        b"END" => Command::End,
        b"STOP" | b"YXSTOP" => Command::Stop,
        b"PONDER" => return Line::Nothing,
        keyword if keyword.starts_with(b"YX") => {
            return parse_yixin(keyword, rest).unwrap_or_else(|| Line::Command(unknown(word)));
        }
        _ => unknown(word),
    })
}

/// Reads the commands of the Yixin dialect; `keyword` in upper case.
fn parse_yixin(keyword: &[u8], rest: &[u8]) -> Option<Line> {
    let count = |otherwise: usize| first_number(rest).map_or(otherwise, |n| n.clamp(1, 1 << 16) as usize);
    let balance = |stones, bias: Option<i64>| Command::Balance { stones, bias: bias.unwrap_or(0) };
    let soosorv = |step, count| Some(Line::Opens(BlockKind::Soosorv(step, count)));
    let database = |query| Some(Line::Opens(BlockKind::Database(query)));
    Some(Line::Command(match keyword {
        b"YXBOARD" => return Some(Line::Opens(BlockKind::SetBoard)),
        b"YXBLOCK" => return Some(Line::Opens(BlockKind::Block)),
        b"YXBLOCKUNDO" => return Some(Line::Opens(BlockKind::Unblock)),
        b"YXSHOWINFO" => Command::ShowInfo,
        b"YXSHOWFORBID" => Command::ShowForbidden,
        b"YXHASHCLEAR" => Command::ClearHash,
        b"YXSHOWHASHUSAGE" => Command::ShowHashUsage,
        b"YXNBEST" => Command::Best(count(2)),
        b"YXSEARCHDEFEND" => Command::Defend,
        b"YXBALANCEONE" => balance(1, first_number(rest)),
        b"YXBALANCETWO" => balance(2, first_number(rest)),
        b"YXBALANCE" => balance(count(1), first_number(split_word(rest).1)),
        b"YXBLOCKRESET" => Command::UnblockAll,
        b"YXSWAP2STEP1" => Command::Swap2Step(1),
        b"YXSWAP2STEP2" => Command::Swap2Step(2),
        b"YXSWAP2STEP3" => Command::Swap2Step(3),
        b"YXDRAW" => Command::OfferDraw,
        b"YXBLOCKPATHRESET" => Command::UnblockPaths,
        b"YXSOOSORVSTEP1" => Command::Soosorv(1, 1, Vec::new()),
        b"YXSOOSORVSTEP2" => return soosorv(2, 1),
        b"YXSOOSORVSTEP3" => return soosorv(3, 1),
        b"YXSOOSORVSTEP4" => return soosorv(4, count(1)),
        b"YXSOOSORVSTEP5" => return soosorv(5, count(1)),
        b"YXSOOSORVSTEP6" => return soosorv(6, 1),
        b"YXDBCHECK" => Command::CheckDatabase,
        b"YXSAVEDATABASE" | b"YXDBFIX" => Command::SaveDatabase,
        b"YXFORBID" | b"YXPRINTFEATURE" | b"YXRESIGN" => Command::Accepted,
        b"YXHASHDUMP" => return Some(Line::OpensPath(FileUse::DumpHash)),
        b"YXHASHLOAD" => return Some(Line::OpensPath(FileUse::LoadHash)),
        b"YXSETDATABASE" => return Some(Line::OpensPath(FileUse::SetDatabase)),
        b"YXDBTOPOS" => return Some(Line::OpensPath(FileUse::WritePositions)),
        b"YXDBTOTXT" | b"YXDBTOTXTALL" => return Some(Line::OpensPath(FileUse::WriteDatabase)),
        b"YXTXTTODB" => return Some(Line::OpensPath(FileUse::MergeDatabase)),
        b"YXQUERYDATABASEALL" => return database(Query::Moves),
        b"YXQUERYDATABASEONE" => return database(Query::Position),
        b"YXQUERYDATABASETEXT" => return database(Query::Label),
        b"YXEDITTVDDATABASE" => return database(edit(rest)),
        b"YXEDITLABELDATABASE" => return database(Query::SetLabel(rest.to_vec())),
        b"YXDELETEDATABASEONE" => return database(Query::Delete),
        b"YXDELETEDATABASEALL" => return database(Query::DeleteFrom(deletion(rest))),
        b"YXSETBESTMOVEDATABASE" => return database(Query::SetBest),
        b"YXCLEARBESTMOVEDATABASE" => return database(Query::ClearBest),
        b"YXBLOCKPATH" => return Some(Line::Opens(BlockKind::BlockPath)),
        b"YXBLOCKPATHUNDO" => return Some(Line::Opens(BlockKind::UnblockPath)),
        // Further queries and edits, known to others: all of them bring a position.
        _ if keyword.starts_with(b"YXQUERYDATABASE")
            || keyword.starts_with(b"YXEDIT")
            || keyword.starts_with(b"YXDELETEDATABASE")
            || keyword.ends_with(b"BESTMOVEDATABASE") =>
        {
            return Some(Line::Opens(BlockKind::Accepted));
        }
        _ => return None,
    }))
}

/// The number at the front, when there is one.
fn first_number(rest: &[u8]) -> Option<i64> {
    number(split_word(rest).0)
}

/// `START n`, or `START columns rows` as the Yixin dialect has it.
fn start(rest: &[u8]) -> Command {
    let mut sides = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let size = match (sides.next(), sides.next(), sides.next()) {
        (Some(side), None, None) => number(side).and_then(|side| size(side, side)),
        // Coordinates will come as row,column and are read as x,y, so the board is transposed with them.
        (Some(width), Some(height), None) => number(width).zip(number(height)).and_then(|(w, h)| size(h, w)),
        _ => None,
    };
    size.map_or(Command::Malformed(Malformed::Size), Command::Start)
}

/// `RECTSTART w,h`, or `w h`.
fn rect_start(rest: &[u8]) -> Command {
    let sides = pair(rest).or_else(|| {
        let (width, height) = split_word(rest);
        Some(Spot { x: number(width)?, y: number(height)? })
    });
    sides.and_then(|sides| size(sides.x, sides.y)).map_or(Command::Malformed(Malformed::Size), Command::Start)
}

/// The mask and three values of an edit.
fn edit(rest: &[u8]) -> Query {
    let mut words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut next = || words.next().and_then(number).unwrap_or(0);
    Query::Edit { mask: next(), tag: next(), value: next(), depth: next() }
}

fn deletion(rest: &[u8]) -> Deletion {
    match split_word(rest).0.to_ascii_lowercase().as_slice() {
        b"wl" => Deletion::Decided,
        b"nonwl" => Deletion::Undecided,
        _ => Deletion::All,
    }
}

fn size(width: i64, height: i64) -> Option<Size> {
    Size::new(usize::try_from(width).ok()?, usize::try_from(height).ok()?)
}

fn with_spot(rest: &[u8], command: fn(Spot) -> Command) -> Command {
    pair(rest).map_or(Command::Malformed(Malformed::Coordinates), command)
}

/// `x,y` and nothing behind it; blanks around the numbers do not matter.
fn pair(text: &[u8]) -> Option<Spot> {
    let (spot, rest) = spot(text)?;
    rest.is_empty().then_some(spot)
}

/// `x,y` at the front of `text`, and the trimmed rest.
fn spot(text: &[u8]) -> Option<(Spot, &[u8])> {
    let (x, rest) = integer(text.trim_ascii())?;
    let (y, rest) = integer(rest.trim_ascii().strip_prefix(b",")?.trim_ascii())?;
    Some((Spot { x, y }, rest.trim_ascii()))
}

/// `x,y,owner`; words behind it are ignored.
fn placement(line: &[u8]) -> Option<Placement> {
    let (spot, rest) = spot(line)?;
    let (owner, rest) = integer(rest.strip_prefix(b",")?.trim_ascii())?;
    let owner = match owner {
        1 => Owner::Own,
        2 => Owner::Opponent,
        3 => Owner::Dead,
        _ => return None,
    };
    (rest.is_empty() || rest[0].is_ascii_whitespace() && !rest.contains(&b',')).then_some((spot, owner))
}

/// A word nobody knows, cut and made printable, so that it can be quoted in an answer.
fn unknown(word: &[u8]) -> Command {
    let quoted = word.iter().take(32).map(|&byte| if byte.is_ascii_graphic() { char::from(byte) } else { '?' });
    Command::Unknown(quoted.collect())
}

/// What the keys of tunables begin with.
const TUNE_PREFIX: &[u8] = b"tune.";

/// Whether an `INFO` line is about a tunable.
fn is_tunable(rest: &[u8]) -> bool {
    rest.get(..TUNE_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(TUNE_PREFIX))
}

/// `tune.name value`.
fn tune(rest: &[u8]) -> Command {
    let (name, value) = split_word(&rest[TUNE_PREFIX.len()..]);
    let name = String::from_utf8_lossy(name).into_owned();
    number(split_word(value).0).map_or(Command::Malformed(Malformed::Value), |value| Command::Tune(name, value))
}

/// Puts lines together to commands: remembers the block or the path that is being read.
#[derive(Debug, Default)]
pub struct Assembler {
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    Block {
        kind: BlockKind,
        placements: Vec<Placement>,
        spots: Vec<Spot>,
    },
    Path(FileUse),
}

impl Assembler {
    /// Lines of a block beyond this many are not kept; no honest block has more than one line per square.
    const MOST_LINES: usize = 1024;

    /// Takes one line, trimmed, and returns the command that it completes, if any.
    pub fn line(&mut self, line: &[u8]) -> Option<Command> {
        let parsed = match &mut self.state {
            &mut State::Path(file_use) => {
                self.state = State::Idle;
                let is_end = line.eq_ignore_ascii_case(b"END");
                return Some(if is_end { Command::End } else { Command::File(file_use, line.to_vec()) });
            }
            _ if line.is_empty() => return None,
            State::Idle => parse_line(line),
            State::Block { kind, placements, spots } => {
                if line.eq_ignore_ascii_case(b"DONE") {
                    let command = complete(kind.clone(), std::mem::take(placements), std::mem::take(spots));
                    self.state = State::Idle;
                    return Some(command);
                }
                match parse_line(line) {
                    // Most lines: a square, or something that is none and is skipped.
                    Line::Command(Command::Unknown(_) | Command::Malformed(_)) => {
                        if placements.len().max(spots.len()) < Self::MOST_LINES {
                            placements.extend(placement(line));
                            spots.extend(spot(line).map(|(spot, _)| spot));
                        }
                        return None;
                    }
                    // These leave the position alone: the block goes on.
                    Line::Command(passing @ (Command::Info(_) | Command::Stop | Command::About)) => {
                        return Some(passing);
                    }
                    Line::Nothing => return None,
                    // The DONE was lost: the new command counts.
                    parsed => parsed,
                }
            }
        };
        self.state = State::Idle;
        match parsed {
            Line::Command(command) => return Some(command),
            Line::Opens(kind) => self.state = State::Block { kind, placements: Vec::new(), spots: Vec::new() },
            Line::OpensPath(file_use) => self.state = State::Path(file_use),
            Line::Nothing => {}
        }
        None
    }
}

/// The command that a finished block makes.
fn complete(kind: BlockKind, placements: Vec<Placement>, spots: Vec<Spot>) -> Command {
    match kind {
        BlockKind::Board => Command::Board(placements),
        BlockKind::SetBoard => Command::SetBoard(placements),
        BlockKind::Swap2Board => Command::Swap2Board(spots),
        BlockKind::Block => Command::Block(spots),
        BlockKind::Unblock => Command::Unblock(spots),
        BlockKind::Accepted => Command::Accepted,
        BlockKind::BlockPath => Command::BlockPath(spots),
        BlockKind::UnblockPath => Command::UnblockPath(spots),
        BlockKind::Soosorv(step, count) => Command::Soosorv(step, count, spots),
        BlockKind::Database(query) => Command::Database(query, spots),
    }
}

#[cfg(test)]
mod tests;
