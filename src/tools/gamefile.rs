//! Records of games, read and written. The format is recognised by the content: Piskvork's `.psq`, SGF, texts like PGN,
//! `RenjuNet`'s XML, `RenLib`'s libraries, boards saved by Yixin-Board, positions `rule;size;x,y ...`, lists of moves such as
//! `h8i9...`, and pictures.
//!
//! The readers take text or bytes and return data; they print nothing. They ignore what does not matter (blank lines, line
//! ends, move numbers, unknown properties). A stone off the board or on another one is refused with one line of text that
//! names the line of the file.

mod encoding;
mod move_list;
mod play_start;
mod psq;
mod renjunet;
mod renlib;
mod rule_names;
mod saved_board;
mod sections;
pub mod sgf;
mod tagged;
#[cfg(test)]
mod tests;

pub use encoding::{charset, decode, with_line_feeds};
pub use play_start::{PlayStart, StartMark};
pub use psq::{parse_psq, psq};
pub use sections::{Forfeit, GameFile, Outcome, Part, Section};

use super::positions;
use crate::base::Size;
use crate::board::notation;
use anyhow::{Context, Result, anyhow, ensure};
use play_start::Evidence;
use sections::Recorder;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A library of `RenLib`.
    RenLib,
    /// Piskvork's `.psq`.
    Piskvork,
    /// SGF with one game or many, perhaps with other text around them.
    Sgf,
    /// The database of `RenjuNet`, or games of it.
    RenjuNet,
    /// A text like PGN.
    Tagged,
    /// A picture of a position.
    Picture,
    /// A board saved by Yixin-Board.
    SavedBoard,
    /// Positions `rule;size;x,y ...`, one on each line.
    Positions,
    /// A list of moves, or nothing that is known.
    Moves,
}

impl Format {
    /// Whether games of this format name their players.
    pub fn names_players(self) -> bool {
        matches!(self, Format::Piskvork | Format::Sgf | Format::RenjuNet | Format::Tagged)
    }
}

/// The endings, without the dot, of the files that are read in a folder; their formats are recognised by the content.
pub const ENDINGS: [&str; 6] = ["psq", "sgf", "pgn", "rif", "xml", TEXT];
/// The ending of files that may be anything: in a folder, only those whose format names players are games.
pub const TEXT: &str = "txt";

/// The format of a file, by its content.
pub fn format(bytes: &[u8]) -> Format {
    if renlib::is_library(bytes) { Format::RenLib } else { format_of(&decode(bytes)) }
}

/// The bytes of the file `source`; `source` itself if there is no such file and it does not look like a path; standard input
/// without a `source`.
///
/// # Errors
/// When the file or standard input cannot be read, or there is no such file.
pub fn read_source(source: Option<impl AsRef<OsStr>>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(source) = source else {
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    };
    let path = Path::new(&source);
    // A pipe is read like a file.
    if path.exists() && !path.is_dir() {
        return std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    }
    let is_text = |text: &str| path.extension().is_none() || move_list::parse(text, None).is_ok();
    let text = path.to_str().filter(|text| !text.contains(['/', '\\']) && is_text(text));
    let why = if path.is_dir() { "it is a folder" } else { "there is no such file" };
    let text = text.with_context(|| format!("cannot read {}: {why}", path.display()))?;
    Ok(text.into())
}

/// Reads the only game of a file in any of the formats. `size` is the board of games that do not name one.
///
/// # Errors
/// One line that says what is wrong, if the bytes are not a game, or are several games.
pub fn read(bytes: &[u8], size: Option<Size>) -> Result<GameFile> {
    only(read_all(bytes, size, decode))
}

/// Reads all games of a file, at least one; `decode` makes text of bytes that are not those of a library.
pub fn read_all(bytes: &[u8], size: Option<Size>, decode: impl Fn(&[u8]) -> String) -> Vec<Result<GameFile>> {
    if renlib::is_library(bytes) {
        return vec![renlib::parse(bytes).context("as a RenLib library").map_err(|error| plain_error(&error))];
    }
    parse_all(&decode(bytes), size)
}

/// Reads the only game of a text, as [`read`] does of bytes.
///
/// # Errors
/// One line that says what is wrong, if the text is not a game, or is several games.
pub fn parse(text: &str, size: Option<Size>) -> Result<GameFile> {
    only(parse_all(text, size))
}

/// Reads all games of a text, at least one. What is wrong with one is said in one line.
pub fn parse_all(text: &str, size: Option<Size>) -> Vec<Result<GameFile>> {
    let games = games_of(&with_line_feeds(text), size).unwrap_or_else(|error| vec![Err(error)]);
    games.into_iter().map(|game| game.map_err(|error| plain_error(&error))).collect()
}

fn only(mut games: Vec<Result<GameFile>>) -> Result<GameFile> {
    ensure!(games.len() == 1, "there are {} games: one is expected here", games.len());
    games.remove(0)
}

/// The message quotes the text, and stays one short line whatever the text holds.
fn plain_error(error: &anyhow::Error) -> anyhow::Error {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    anyhow!(format!("{error:#}").chars().map(plain).take(300).collect::<String>())
}

fn format_of(text: &str) -> Format {
    let begin = text.trim_start();
    if psq::is_psq(begin) {
        Format::Piskvork
    } else if begin.starts_with('(') && !sgf::games(text).is_empty() {
        Format::Sgf
    } else if renjunet::is_xml(begin) {
        Format::RenjuNet
    } else if tagged::is_tagged(text) {
        Format::Tagged
    } else if notation::parse_diagram(text).is_some() {
        Format::Picture
    } else if text.lines().any(is_whole_position) {
        Format::Positions
    } else if !sgf::games(text).is_empty() {
        // With other text before it, as in a letter.
        Format::Sgf
    } else if saved_board::is_numbers(text) {
        Format::SavedBoard
    } else if text.lines().any(is_position) {
        Format::Positions
    } else {
        Format::Moves
    }
}

fn games_of(text: &str, size: Option<Size>) -> Result<Vec<Result<GameFile>>> {
    let one = |game| Ok(vec![game]);
    match format_of(text) {
        Format::Piskvork => one(parse_psq(text).context("as a Piskvork file")),
        Format::Sgf => Ok(sgf::games(text).iter().map(|part| sgf::parse_part(part, size)).collect()),
        Format::RenjuNet => renjunet::parse(text, size).context("as a RenjuNet database"),
        Format::Tagged => {
            let game = |part| tagged::parse(part, size).context("as a text with tags");
            Ok(tagged::games(text).iter().map(game).collect())
        }
        Format::Picture => one(notation::parse_diagram(text).context("no picture").map(|diagram| {
            let mut record = Recorder::new(diagram.size);
            record.set_up(&diagram.cells);
            record.finish(Evidence::default())
        })),
        Format::SavedBoard => one(saved_board::parse(text).context("as a saved board")),
        Format::Positions => {
            let game = |position: positions::Position| {
                let game = GameFile::of_moves(position.size, &position.moves)?;
                Ok(GameFile { rule: Some(position.rule), ..game })
            };
            Ok(positions::parse(text)?.into_iter().map(game).collect())
        }
        Format::Moves | Format::RenLib => one(move_list::parse(text, size)),
    }
}

/// Whether a line has the rule and the size of a position.
fn is_whole_position(line: &str) -> bool {
    let mut fields = line.split(';').map(str::trim);
    let (rule, size) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    rule.parse::<u32>().is_ok() && size.parse::<Size>().is_ok()
}

/// Whether a line looks like `rule;size;x,y ...`, not like moves with semicolons between them.
fn is_position(line: &str) -> bool {
    let rule = line.split_once(';').map(|(rule, _)| rule.trim());
    let is_rule = |rule: &str| !rule.starts_with('#') && !rule.contains([',', ' ']) && !move_list::is_name(rule);
    rule.is_some_and(is_rule)
}
