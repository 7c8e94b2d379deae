//! A row of the table of commands: its keywords, what follows them, and what its commands have in common.

use super::{Command, FileUse, Placement, Spot};
use Payload::{Line, Path, Points, Stones};

/// Which managers use a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Any manager may send it.
    Gomocup,
    /// Only managers of the Yixin dialect send it.
    Yixin,
}

/// What follows a keyword, and how it becomes a command.
#[derive(Clone, Copy, Debug)]
pub enum Payload {
    /// The rest of the line. The function returns `None` when there is nothing to do.
    Line(fn(&[u8]) -> Option<Command>),
    /// Lines `x,y,who` up to `DONE`.
    Stones(fn(Vec<Placement>) -> Command),
    /// Lines `x,y` up to `DONE`.
    Points {
        /// Makes the command of the rest of the first line, and of the points.
        make: fn(&[u8], Vec<Spot>) -> Command,
        /// Whether lines that cannot be read are skipped. Otherwise the whole command is refused.
        is_lenient: bool,
    },
    /// One line with a path, even if it looks like a command, unless it is `END`.
    Path(FileUse),
}

/// A keyword and its payload.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// In upper case; managers may use any case. A `*` stands for any characters.
    pub word: &'static str,
    /// Its arguments on the same line, as the documentation shows them.
    pub arguments: &'static str,
    /// What follows.
    pub payload: Payload,
}

impl Keyword {
    pub(super) fn matches(&self, word: &[u8]) -> bool {
        let Some((head, tail)) = self.word.split_once('*') else {
            return self.word.as_bytes().eq_ignore_ascii_case(word);
        };
        word.len() >= head.len() + tail.len()
            && word[..head.len()].eq_ignore_ascii_case(head.as_bytes())
            && word[word.len() - tail.len()..].eq_ignore_ascii_case(tail.as_bytes())
    }

    fn usage(&self) -> String {
        if self.arguments.is_empty() {
            format!("`{}`", self.word)
        } else {
            format!("`{} {}`", self.word, self.arguments)
        }
    }
}

/// One row: keywords that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its keywords, all with the same kind of payload.
    pub keywords: &'static [Keyword],
    /// Whether a command is one of this row.
    pub has: Has,
    /// Which managers use it.
    pub dialect: Dialect,
    /// Whether it starts a search.
    pub thinks: bool,
    /// Whether it ends the running search, because the position changes or the game ends.
    pub supersedes: bool,
    /// Whether it is refused before the first `START`.
    pub needs_board: bool,
    /// What it does, for the documentation.
    pub doc: &'static str,
    /// What it answers, for the documentation.
    pub answer: &'static str,
}

/// Whether a command is one of a row.
pub type Has = fn(&Command) -> bool;

pub(super) const fn gomocup(keywords: &'static [Keyword], has: Has, doc: &'static str, answer: &'static str) -> Row {
    let dialect = Dialect::Gomocup;
    Row { keywords, has, dialect, thinks: false, supersedes: false, needs_board: false, doc, answer }
}

pub(super) const fn yixin(keywords: &'static [Keyword], has: Has, doc: &'static str, answer: &'static str) -> Row {
    Row { dialect: Dialect::Yixin, ..gomocup(keywords, has, doc, answer) }
}

impl Row {
    pub(super) const fn thinking(self) -> Row {
        Row { thinks: true, ..self }
    }

    pub(super) const fn superseding(self) -> Row {
        Row { supersedes: true, ..self }
    }

    pub(super) const fn on_board(self) -> Row {
        Row { needs_board: true, ..self }
    }

    /// The keywords with their payload, as the documentation shows them.
    pub(super) fn usage(&self) -> String {
        let words: Vec<String> = self.keywords.iter().map(Keyword::usage).collect();
        let block = match self.keywords.first().map(|keyword| keyword.payload) {
            Some(Stones(_)) => " + lines `x,y,who`",
            Some(Points { .. }) => " + lines `x,y`",
            Some(Path(_)) => " + a line with a path",
            Some(Line(_)) | None => "",
        };
        words.join(", ") + block
    }
}

/// A keyword without a payload.
pub(super) const fn bare(word: &'static str, make: fn(&[u8]) -> Option<Command>) -> Keyword {
    line(word, "", make)
}

/// A keyword with arguments on its line.
pub(super) const fn line(word: &'static str, arguments: &'static str, make: fn(&[u8]) -> Option<Command>) -> Keyword {
    Keyword { word, arguments, payload: Line(make) }
}

/// A keyword with lines `x,y,who`.
pub(super) const fn stones(word: &'static str, make: fn(Vec<Placement>) -> Command) -> Keyword {
    Keyword { word, arguments: "", payload: Stones(make) }
}

/// A keyword with a path on the next line.
pub(super) const fn path(word: &'static str, file_use: FileUse) -> Keyword {
    Keyword { word, arguments: "", payload: Path(file_use) }
}

/// A keyword with lines `x,y`, all of which count.
pub(super) const fn points(
    word: &'static str,
    arguments: &'static str,
    make: fn(&[u8], Vec<Spot>) -> Command,
) -> Keyword {
    Keyword { word, arguments, payload: Points { make, is_lenient: false } }
}

/// A keyword with lines `x,y`, each of which counts for itself.
pub(super) const fn single_points(word: &'static str, make: fn(&[u8], Vec<Spot>) -> Command) -> Keyword {
    Keyword { word, arguments: "", payload: Points { make, is_lenient: true } }
}
