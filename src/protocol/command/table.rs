//! The table of commands. The parser, the predicates of [`Command`] and the table in `docs/protocol.md` come from its
//! rows.
//!
//! To add a command: a variant in `command.rs`, a row here, an arm in `Session::obey` (the compiler asks for it), the
//! row in `docs/protocol.md` (`cargo test --test readme` prints it) and a transcript.

use super::row::{Dialect, Keyword, Row, bare, gomocup, line, path, points, single_points, stones, yixin};
use super::{Command, FileUse, Malformed, Query, Spot, payload};
use crate::base::Size;
use crate::protocol::info::Info;
use crate::protocol::number::split_word;
use crate::search::ParamTable;

/// All commands. Keywords with a `*` come last: the first that matches counts.
pub static ROWS: &[Row] = &[
    gomocup(
        &[line("START", "n", |rest| Some(start(payload::start_size(rest))))],
        |command| matches!(command, Command::Start(_)),
        "a new game on an n x n board; settings and blocked moves stay. `START columns rows`, as Yixin-Board writes it, works too; its points are `row,column`",
        "`OK`",
    )
    .superseding(),
    gomocup(
        &[line("RECTSTART", "w,h", |rest| Some(start(payload::rectangle(rest))))],
        |command| matches!(command, Command::Start(_)),
        "a new game on a board of w columns and h rows",
        "`OK`",
    )
    .superseding(),
    gomocup(
        &[bare("RESTART", |_| Some(Command::Restart))],
        |command| matches!(command, Command::Restart),
        "a new game on the same board",
        "`OK`",
    )
    .superseding()
    .on_board(),
    gomocup(
        &[bare("BEGIN", |_| Some(Command::Begin))],
        |command| matches!(command, Command::Begin),
        "open the game",
        "a move",
    )
    .thinking()
    .on_board(),
    gomocup(
        &[line("TURN", "x,y", |rest| Some(at_spot(rest, Command::Turn)))],
        |command| matches!(command, Command::Turn(_)),
        "put the opponent's stone (of the side to move) there, and answer it",
        "a move",
    )
    .thinking()
    .on_board(),
    gomocup(
        &[stones("BOARD", Command::Board)],
        |command| matches!(command, Command::Board(_)),
        "set this position and move; `who` is 1 for the brain's stones, 2 for the opponent's, 3 for a dead square, \
         on which nobody may play and which counts as an edge. The brain is black if the number of stones is even, else white; under renju \
         instead the first stone listed is black. \
         An empty block opens the game",
        "a move",
    )
    .thinking()
    .on_board(),
    gomocup(
        &[line("TAKEBACK", "x,y", |rest| Some(at_spot(rest, Command::TakeBack)))],
        |command| matches!(command, Command::TakeBack(_)),
        "remove this stone",
        "`OK`",
    )
    .superseding()
    .on_board(),
    gomocup(
        &[line("PLAY", "x,y", |rest| Some(at_spot(rest, Command::Play)))],
        |command| matches!(command, Command::Play(_)),
        "put the brain's stone (of the side to move) there, without a search",
        "`x,y`",
    )
    .on_board(),
    gomocup(
        &[points("SWAP2BOARD", "", |_, spots| Command::Swap2Board(spots))],
        |command| matches!(command, Command::Swap2Board(_)),
        "the swap2 question about 0, 3 or 5 stones",
        "`SWAP`, or one to three points",
    )
    .thinking()
    .on_board(),
    gomocup(
        &[line("INFO", "key value", info)],
        |command| matches!(command, Command::Info(_) | Command::Tune(..)),
        "a setting, see below",
        "none",
    ),
    gomocup(
        &[bare("ABOUT", |_| Some(Command::About))],
        |command| matches!(command, Command::About),
        "name, version and author",
        "`name=\"Tengen\", version=\"…\", …`",
    ),
    gomocup(
        &[bare("END", |_| Some(Command::End))],
        |command| matches!(command, Command::End),
        "leave; the end of the input means the same",
        "none",
    )
    .superseding(),
    // YXSTOP does not show the dialect: a match runner of the Gomocup protocol sends it, too.
    gomocup(
        &[bare("STOP", |_| Some(Command::Stop)), bare("YXSTOP", |_| Some(Command::Stop))],
        |command| matches!(command, Command::Stop),
        "stop the search and answer at once",
        "the move that is owed; none when idle",
    ),
    gomocup(
        &[bare("PONDER", |_| Some(Command::Ponder))],
        |command| matches!(command, Command::Ponder),
        "search in the background until a command stops it, see [pondering](#pondering)",
        "none",
    ),
    yixin(
        &[stones("YXBOARD", Command::SetBoard)],
        |command| matches!(command, Command::SetBoard(_)),
        "as `BOARD`, without a move",
        "none",
    )
    .superseding()
    .on_board(),
    yixin(
        &[line("YXNBEST", "n", |rest| Some(payload::count(rest, 2).map_or(NO_VALUE, Command::Best)))],
        |command| matches!(command, Command::Best(_)),
        "search the current position, show the n best lines (2 if n is missing) and move",
        "`MESSAGE`s, a move",
    )
    .thinking()
    .on_board(),
    yixin(
        &[bare("YXSEARCHDEFEND", |_| Some(Command::Defend))],
        |command| matches!(command, Command::Defend),
        "score every candidate move of the current position (those near stones, or those that answer a threat), list those that hold and those that lose, and move",
        "`MESSAGE`s, a move",
    )
    .thinking()
    .on_board(),
    yixin(
        &[
            line("YXBALANCEONE", "b", |rest| Some(balance(1, rest))),
            line("YXBALANCETWO", "b", |rest| Some(balance(2, rest))),
            line("YXBALANCE", "n b", |rest| {
                Some(payload::count(rest, 1).map_or(NO_VALUE, |stones| balance(stones, split_word(rest).1)))
            }),
        ],
        |command| matches!(command, Command::Balance { .. }),
        "find one, two or n (up to 8; 1 if missing) further stones, none of them blocked, after which the score of the \
         side then to move is about b (0 if missing)",
        "a `MESSAGE`, the points on one line; the first is played",
    )
    .thinking()
    .on_board(),
    yixin(
        &[bare("YXSHOWFORBID", |_| Some(Command::ShowForbidden))],
        |command| matches!(command, Command::ShowForbidden),
        "list the points forbidden to black if black is to move",
        "`FORBID xxyyxxyy….`",
    )
    .on_board(),
    yixin(
        &[bare("YXSHOWINFO", |_| Some(Command::ShowInfo))],
        |command| matches!(command, Command::ShowInfo),
        "show the most threads and the largest hash table that `max_memory` allows; from then on new games keep the hash table",
        "two `MESSAGE INFO` lines",
    ),
    yixin(
        &[bare("YXSHOWHASHUSAGE", |_| Some(Command::ShowHashUsage))],
        |command| matches!(command, Command::ShowHashUsage),
        "show how large the hash table is, and how large it may become, in KiB",
        "a `MESSAGE`",
    ),
    yixin(
        &[bare("YXHASHCLEAR", |_| Some(Command::ClearHash))],
        |command| matches!(command, Command::ClearHash),
        "clear the hash table and the histories of moves",
        "none",
    ),
    yixin(
        &[
            single_points("YXBLOCK", |_, spots| Command::Block(spots)),
            single_points("YXBLOCKUNDO", |_, spots| Command::Unblock(spots)),
        ],
        |command| matches!(command, Command::Block(_) | Command::Unblock(_)),
        "block these points (ignored while no other point may be played); unblock them",
        "none",
    )
    .on_board(),
    yixin(
        &[bare("YXBLOCKRESET", |_| Some(Command::UnblockAll))],
        |command| matches!(command, Command::UnblockAll),
        "unblock all points",
        "none",
    ),
    yixin(
        &[bare("YXSWAP2STEP1", |_| Some(Command::Swap2Step(1)))],
        |command| matches!(command, Command::Swap2Step(1)),
        "the first swap2 question of Yixin-Board: three stones for the empty board; the position stays",
        "`MESSAGE SWAP2 …`",
    )
    .thinking()
    .superseding(),
    yixin(
        &[bare("YXSWAP2STEP2", |_| Some(Command::Swap2Step(2))), bare("YXSWAP2STEP3", |_| Some(Command::Swap2Step(3)))],
        |command| matches!(command, Command::Swap2Step(2..)),
        "its second swap2 question, about 3 stones on the board, and its third, about 5",
        "`MESSAGE SWAP2 …`",
    )
    .thinking()
    .on_board(),
    yixin(
        &[bare("YXDRAW", |_| Some(Command::OfferDraw))],
        |command| matches!(command, Command::OfferDraw),
        "a draw offer",
        "`MESSAGE DRAW REJECT`",
    ),
    yixin(
        &[
            points("YXBLOCKPATH", "", |_, spots| Command::BlockPath(spots)),
            points("YXBLOCKPATHUNDO", "", |_, spots| Command::UnblockPath(spots)),
        ],
        |command| matches!(command, Command::BlockPath(_) | Command::UnblockPath(_)),
        "block the last move of this line wherever the search reaches the position before it; unblock it",
        "none",
    )
    .on_board(),
    yixin(
        &[bare("YXBLOCKPATHRESET", |_| Some(Command::UnblockPaths))],
        |command| matches!(command, Command::UnblockPaths),
        "unblock all paths",
        "none",
    ),
    yixin(
        &[bare("YXSOOSORVSTEP1", |_| Some(soosorv(1, Vec::new())))],
        |command| matches!(command, Command::Soosorv { step: 1, .. }),
        "the first question of the Soosorv-8 opening, with which a game begins: three stones",
        "`MESSAGE SOOSORV …`",
    )
    .thinking()
    .superseding(),
    yixin(
        &[
            points("YXSOOSORVSTEP2", "", |_, spots| soosorv(2, spots)),
            points("YXSOOSORVSTEP3", "", |_, spots| soosorv(3, spots)),
            points("YXSOOSORVSTEP4", "n", |rest, spots| fifths(4, rest, spots)),
            points("YXSOOSORVSTEP5", "n", |rest, spots| fifths(5, rest, spots)),
            points("YXSOOSORVSTEP6", "", |_, spots| soosorv(6, spots)),
        ],
        |command| matches!(command, Command::Soosorv { step: 2.., .. }),
        "its other questions, with the stones (in step 6 also the fifth stones on offer)",
        "`MESSAGE SOOSORV …`",
    )
    .thinking(),
    yixin(
        &[path("YXHASHDUMP", FileUse::DumpHash), path("YXHASHLOAD", FileUse::LoadHash)],
        |command| matches!(command, Command::File(..)),
        "write the hash table to a file; add the entries of such a file",
        "a `MESSAGE`",
    ),
    yixin(
        &[path("YXSETDATABASE", FileUse::SetDatabase)],
        |command| matches!(command, Command::File(..)),
        "use this file as the [database](analysis.md#a-database-of-positions)",
        "a `MESSAGE`",
    ),
    yixin(
        &[
            points("YXQUERYDATABASEALL", "", |_, spots| Command::Database(Query::Moves, spots)),
            points("YXQUERYDATABASEONE", "", |_, spots| Command::Database(Query::Position, spots)),
            points("YXQUERYDATABASETEXT", "", |_, spots| Command::Database(Query::Label, spots)),
        ],
        |command| matches!(command, Command::Database(..)),
        "show the entries of the positions after each move; the entry of this position; its label",
        "`MESSAGE DATABASE …`, for the label `MESSAGE label: …`; none unless `usedatabase` is 1",
    )
    .on_board(),
    yixin(
        &[points("YXEDITTVDDATABASE", "m t v d", |rest, spots| {
            payload::edit(rest).map_or(NO_VALUE, |query| Command::Database(query, spots))
        })],
        |command| matches!(command, Command::Database(..)),
        "change what the bits of m select: 1 the tag t (a character code), 2 the value v, 4 the depth d",
        "none",
    )
    .on_board(),
    yixin(
        &[points("YXEDITLABELDATABASE", "text", label)],
        |command| matches!(command, Command::Database(..)),
        "set the position's label; a text `x,y` counts as the first point, with an empty label",
        "none",
    )
    .on_board(),
    yixin(
        &[
            points("YXSETBESTMOVEDATABASE", "", |_, spots| Command::Database(Query::SetBest, spots)),
            points("YXCLEARBESTMOVEDATABASE", "", |_, spots| Command::Database(Query::ClearBest, spots)),
        ],
        |command| matches!(command, Command::Database(..)),
        "mark the last move as the best one in the position before it; remove that mark",
        "none",
    )
    .on_board(),
    yixin(
        &[points("YXDELETEDATABASEONE", "", |_, spots| Command::Database(Query::Delete, spots))],
        |command| matches!(command, Command::Database(..)),
        "delete the position",
        "none",
    )
    .on_board(),
    yixin(
        &[points("YXDELETEDATABASEALL", "which", |rest, spots| {
            payload::deletion(rest).map_or(NO_VALUE, |which| Command::Database(Query::DeleteFrom(which), spots))
        })],
        |command| matches!(command, Command::Database(..)),
        "delete the position and all that follow from it; `wl`: only those won or lost, `nonwl`: only the others",
        "none",
    )
    .on_board(),
    yixin(
        &[bare("YXSAVEDATABASE", |_| Some(Command::SaveDatabase)), bare("YXDBFIX", |_| Some(Command::SaveDatabase))],
        |command| matches!(command, Command::SaveDatabase),
        "write the database now",
        "a `MESSAGE`",
    ),
    yixin(
        &[bare("YXDBCHECK", |_| Some(Command::CheckDatabase))],
        |command| matches!(command, Command::CheckDatabase),
        "show the number of positions in the database",
        "a `MESSAGE`",
    ),
    yixin(
        &[
            path("YXDBTOTXT", FileUse::WriteDatabase),
            path("YXDBTOTXTALL", FileUse::WriteDatabase),
            path("YXTXTTODB", FileUse::MergeDatabase),
            path("YXDBTOPOS", FileUse::WritePositions),
        ],
        |command| matches!(command, Command::File(..)),
        "write a copy of the database (the first two); add the entries of another one; write its positions as lines \
         of moves",
        "a `MESSAGE`",
    ),
    yixin(
        &[
            bare("YXFORBID", |_| Some(Command::Accepted)),
            bare("YXPRINTFEATURE", |_| Some(Command::Accepted)),
            bare("YXRESIGN", |_| Some(Command::Accepted)),
        ],
        |command| matches!(command, Command::Accepted),
        "accepted, no effect",
        "none",
    ),
    yixin(
        &[
            single_points("YXQUERYDATABASE*", |_, _| Command::Accepted),
            single_points("YXEDIT*", |_, _| Command::Accepted),
            single_points("YXDELETEDATABASE*", |_, _| Command::Accepted),
            single_points("YX*BESTMOVEDATABASE", |_, _| Command::Accepted),
        ],
        |command| matches!(command, Command::Accepted),
        "further commands of this kind: accepted, no effect",
        "none",
    ),
];

/// The keyword that `word` is, in any case.
pub fn find(word: &[u8]) -> Option<&'static Keyword> {
    // Most lines of a block are numbers.
    if !word.first().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    ROWS.iter().flat_map(|row| row.keywords).find(|keyword| keyword.matches(word))
}

/// The table of the documentation: the commands, what they do, what they answer.
pub fn documentation() -> impl Iterator<Item = [String; 3]> {
    ROWS.iter().map(|row| [row.usage(), row.doc.to_owned(), row.answer.to_owned()])
}

impl Command {
    /// The first row that has this command; `None` for [`Command::Malformed`] and [`Command::Unknown`].
    fn row(&self) -> Option<&'static Row> {
        ROWS.iter().find(|row| (row.has)(self))
    }

    /// Whether this starts a search.
    pub fn thinks(&self) -> bool {
        self.row().is_some_and(|row| row.thinks)
    }

    /// Whether this ends the running search, because the position changes or the game ends.
    pub fn supersedes(&self) -> bool {
        self.row().is_some_and(|row| row.supersedes)
    }

    /// Whether this is refused before the first `START`.
    pub fn needs_board(&self) -> bool {
        self.row().is_some_and(|row| row.needs_board)
    }

    /// Whether only a manager of the Yixin dialect sends this.
    pub fn is_yixin(&self) -> bool {
        self.row().is_some_and(|row| row.dialect == Dialect::Yixin)
    }
}

fn start(size: Option<Size>) -> Command {
    size.map_or(Command::Malformed(Malformed::Size), Command::Start)
}

fn at_spot(rest: &[u8], command: fn(Spot) -> Command) -> Command {
    payload::pair(rest).map_or(Command::Malformed(Malformed::Coordinates), command)
}

/// What a command without the number that it needs is.
const NO_VALUE: Command = Command::Malformed(Malformed::Value);

fn balance(stones: usize, rest: &[u8]) -> Command {
    let bias = if rest.is_empty() { Some(0) } else { payload::first_number(rest) };
    bias.map_or(NO_VALUE, |bias| Command::Balance { stones, bias })
}

/// A new label. After an empty one Yixin-Board sends no line end, so that the first point stands in its place.
fn label(rest: &[u8], mut spots: Vec<Spot>) -> Command {
    let mut text = rest.to_vec();
    if let Some(first) = payload::pair(rest) {
        spots.insert(0, first);
        text.clear();
    }
    Command::Database(Query::SetLabel(text), spots)
}

/// A Soosorv question with a number of fifth stones.
fn fifths(step: u8, rest: &[u8], spots: Vec<Spot>) -> Command {
    payload::count(rest, 1).map_or(NO_VALUE, |fifths| Command::Soosorv { step, fifths, spots })
}

fn soosorv(step: u8, spots: Vec<Spot>) -> Command {
    Command::Soosorv { step, fifths: 1, spots }
}

/// A setting; in builds with the feature `tune` also `tune.NAME VALUE`.
fn info(rest: &[u8]) -> Option<Command> {
    const PREFIX: &[u8] = b"tune.";
    if !ParamTable::IS_TUNABLE || !rest.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX)) {
        return Info::parse(rest).map(Command::Info);
    }
    let (name, value) = split_word(&rest[PREFIX.len()..]);
    let name = String::from_utf8_lossy(name).into_owned();
    let command = payload::first_number(value).map(|value| Command::Tune(name, value));
    Some(command.unwrap_or(Command::Malformed(Malformed::Value)))
}

#[cfg(test)]
mod tests;
