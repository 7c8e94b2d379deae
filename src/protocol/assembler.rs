//! Assembles lines into commands: one line is a command, or opens a block that ends with `DONE`, or announces a path.

use super::command::row::Payload;
use super::command::table;
use super::command::{Command, FileUse, Malformed, Placement, Spot, payload};
use super::number::split_word;

/// Reads commands from lines; remembers the block or the path that is being read.
#[derive(Debug, Default)]
pub struct Assembler {
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    /// In a block of lines `x,y,who`.
    Stones { make: fn(Vec<Placement>) -> Command, stones: Vec<Placement> },
    /// In a block of lines `x,y`. `arguments`: the rest of its first line; `points`: `None` after a line that cannot be read, if
    /// it is not lenient.
    Points { make: fn(&[u8], Vec<Spot>) -> Command, is_lenient: bool, arguments: Vec<u8>, points: Option<Vec<Spot>> },
    /// The next line is a path.
    Path(FileUse),
}

impl State {
    fn is_block(&self) -> bool {
        matches!(self, State::Stones { .. } | State::Points { .. })
    }

    /// Takes one line of a block.
    fn take(&mut self, line: &[u8]) {
        match self {
            State::Stones { stones, .. } if stones.len() < Assembler::BLOCK_LINES => {
                stones.extend(payload::placement(line));
            }
            State::Points { points: kept, is_lenient, .. } => {
                let Some(points) = kept.as_mut().filter(|points| points.len() < Assembler::BLOCK_LINES) else { return };
                match payload::spot(line) {
                    Some((spot, _)) => points.push(spot),
                    None if *is_lenient => {}
                    None => *kept = None,
                }
            }
            _ => {}
        }
    }

    /// The command of a finished block; `None` outside a block.
    fn finish(self) -> Option<Command> {
        match self {
            State::Stones { make, stones } => Some(make(stones)),
            State::Points { make, arguments, points, .. } => {
                Some(points.map_or(Command::Malformed(Malformed::Coordinates), |points| make(&arguments, points)))
            }
            State::Idle | State::Path(_) => None,
        }
    }
}

/// A line, read without regard to the lines before it.
enum Line {
    Command(Command),
    /// The first line of a block or a path.
    Opens(State),
    /// A known keyword with nothing to do.
    Nothing,
}

fn parse(line: &[u8]) -> Line {
    let (word, rest) = split_word(line);
    let Some(keyword) = table::find(word) else { return Line::Command(Command::Unknown(payload::printable(word))) };
    match keyword.payload {
        Payload::Line(make) => make(rest).map_or(Line::Nothing, Line::Command),
        Payload::Stones(make) => Line::Opens(State::Stones { make, stones: Vec::new() }),
        Payload::Points { make, is_lenient } => {
            Line::Opens(State::Points { make, is_lenient, arguments: rest.to_vec(), points: Some(Vec::new()) })
        }
        Payload::Path(file_use) => Line::Opens(State::Path(file_use)),
    }
}

impl Assembler {
    /// Lines of a block that are kept, more than a board has points. The rest is skipped.
    const BLOCK_LINES: usize = 1024;

    /// Takes one trimmed line and returns the command that it completes, if any.
    pub fn line(&mut self, line: &[u8]) -> Option<Command> {
        if let State::Path(file_use) = self.state {
            self.state = State::Idle;
            let is_end = line.eq_ignore_ascii_case(b"END");
            return Some(if is_end { Command::End } else { Command::File(file_use, line.to_vec()) });
        }
        if line.is_empty() {
            return None;
        }
        if self.state.is_block() && line.eq_ignore_ascii_case(b"DONE") {
            return std::mem::take(&mut self.state).finish();
        }
        match parse(line) {
            // The usual line of a block.
            Line::Command(Command::Unknown(_)) if self.state.is_block() => {
                self.state.take(line);
                None
            }
            // These do not touch the position, so a block goes on.
            Line::Command(passing @ (Command::Info(_) | Command::Stop | Command::Ponder | Command::About)) => {
                Some(passing)
            }
            Line::Nothing => None,
            // In a block this means that its DONE was lost: the new command counts.
            Line::Command(command) => {
                self.state = State::Idle;
                Some(command)
            }
            Line::Opens(state) => {
                self.state = state;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
