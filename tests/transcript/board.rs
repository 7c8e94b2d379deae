//! The board as the runner sees it, from what is sent and answered; it knows which squares are free.
//!
//! Sent commands wait in a queue for their answer, which shows whether they took effect.

use std::collections::{HashSet, VecDeque};

pub type Square = (i64, i64);

/// What a sent command will do once it is answered.
#[derive(Clone, Debug)]
enum Event {
    /// A new board of this size, or of the same size.
    Fresh(Option<(i64, i64)>),
    /// The position becomes this one.
    Position(Vec<Square>),
    /// A stone appears.
    Add(Square),
    /// A stone disappears.
    Remove(Square),
    /// Nothing on the board.
    Nothing,
}

#[derive(Debug, Default)]
pub struct Board {
    size: (i64, i64),
    stones: HashSet<Square>,
    /// Commands without an answer yet, and whether each has one.
    pending: VecDeque<(Event, bool)>,
    partial: Vec<u8>,
    block: Option<(String, Vec<Vec<i64>>)>,
    path: bool,
}

/// Keywords that open a block, keywords followed by a path, and keywords without an answer line.
const BLOCKS: [&str; 7] =
    ["BOARD", "YXBOARD", "SWAP2BOARD", "YXBLOCK", "YXBLOCKUNDO", "YXBLOCKPATH", "YXBLOCKPATHUNDO"];
const PATHS: [&str; 7] =
    ["YXHASHDUMP", "YXHASHLOAD", "YXSETDATABASE", "YXDBTOPOS", "YXDBTOTXT", "YXDBTOTXTALL", "YXTXTTODB"];
const SILENT: [&str; 18] = [
    "INFO",
    "PONDER",
    "STOP",
    "YXSTOP",
    "END",
    "YXSHOWINFO",
    "YXHASHCLEAR",
    "YXBLOCKRESET",
    "YXBLOCKPATHRESET",
    "YXSWAP2STEP1",
    "YXSWAP2STEP2",
    "YXSWAP2STEP3",
    "YXSOOSORVSTEP1",
    "YXSHOWHASHUSAGE",
    "YXSAVEDATABASE",
    "YXDBCHECK",
    "YXDBFIX",
    "YXDRAW",
];

impl Board {
    pub fn contains(&self, (x, y): Square) -> bool {
        (0..self.size.0).contains(&x) && (0..self.size.1).contains(&y)
    }

    pub fn is_free(&self, square: Square) -> bool {
        self.contains(square) && !self.stones.contains(&square)
    }

    pub fn free(&self) -> Vec<Square> {
        let all = (0..self.size.1).flat_map(|y| (0..self.size.0).map(move |x| (x, y)));
        all.filter(|&square| self.is_free(square)).collect()
    }

    pub fn put(&mut self, square: Square) {
        self.stones.insert(square);
    }

    /// An answer has arrived: its command takes effect if it was accepted.
    pub fn answered(&mut self, accepted: bool) {
        while let Some((event, owed)) = self.pending.pop_front() {
            if accepted || !owed {
                self.apply(event);
            }
            if owed {
                break;
            }
        }
        self.settle();
    }

    /// These bytes were sent.
    pub fn sent(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte == b'\n' || byte == b'\r' {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.partial)).trim().to_owned();
                if !line.is_empty() {
                    self.line(&line);
                }
            } else {
                self.partial.push(byte);
            }
        }
        self.settle();
    }

    /// Commands without an answer take effect when no command before them waits.
    fn settle(&mut self) {
        while matches!(self.pending.front(), Some((_, false))) {
            let (event, _) = self.pending.pop_front().unwrap();
            self.apply(event);
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Fresh(size) => {
                self.size = size.unwrap_or(self.size);
                self.stones.clear();
            }
            Event::Position(squares) => {
                self.stones.clear();
                for square in squares {
                    if self.contains(square) {
                        self.stones.insert(square);
                    }
                }
            }
            Event::Add(square) => {
                self.stones.insert(square);
            }
            Event::Remove(square) => {
                self.stones.remove(&square);
            }
            Event::Nothing => {}
        }
    }

    fn line(&mut self, line: &str) {
        if std::mem::take(&mut self.path) {
            return;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = word.to_ascii_uppercase();
        if let Some((kind, lines)) = &mut self.block {
            let breaks = matches!(word.as_str(), "START" | "RESTART" | "RECTSTART" | "BOARD" | "END");
            if word != "DONE" && !breaks {
                let numbers: Vec<_> = rest_numbers(line);
                let wanted = if kind == "SWAP2BOARD" { 2 } else { 3 };
                let known_owner = numbers.get(2).is_none_or(|owner| (1..=3).contains(owner));
                if numbers.len() == wanted && known_owner && !lines.iter().any(|l| l[..2] == numbers[..2]) {
                    lines.push(numbers);
                }
                return;
            }
            let (kind, lines) = self.block.take().unwrap();
            if word == "DONE" {
                let squares = lines.iter().map(|l| (l[0], l[1])).collect();
                match kind.as_str() {
                    "BOARD" | "SWAP2BOARD" => self.pending.push_back((Event::Position(squares), true)),
                    "YXBOARD" => self.pending.push_back((Event::Position(squares), false)),
                    _ => {}
                }
                return;
            }
        }
        let numbers = rest_numbers(rest);
        let square = (numbers.len() == 2).then(|| (numbers[0], numbers[1]));
        let event = match word.as_str() {
            "START" if numbers.len() == 1 => Event::Fresh(Some((numbers[0], numbers[0]))),
            "START" if numbers.len() == 2 => Event::Fresh(Some((numbers[1], numbers[0]))),
            "RECTSTART" => Event::Fresh(square),
            "RESTART" => Event::Fresh(None),
            "TURN" | "PLAY" => square.map_or(Event::Nothing, Event::Add),
            "TAKEBACK" => square.map_or(Event::Nothing, Event::Remove),
            silent if SILENT.contains(&silent) => Event::Nothing,
            path if PATHS.contains(&path) => {
                self.path = true;
                return;
            }
            block
                if BLOCKS.contains(&block)
                    || (block.ends_with("DATABASE") && block.starts_with("YX"))
                    || block.starts_with("YXQUERYDATABASE")
                    || block.starts_with("YXDELETEDATABASE")
                    || (block.starts_with("YXSOOSORVSTEP") && block != "YXSOOSORVSTEP1") =>
            {
                self.block = Some((word, Vec::new()));
                return;
            }
            _ => Event::Nothing,
        };
        let owed = !SILENT.contains(&word.as_str());
        self.pending.push_back((event, owed));
    }
}

/// The numbers of a line; none if it holds anything else.
fn rest_numbers(text: &str) -> Vec<i64> {
    let words = text.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok()).collect::<Option<_>>().unwrap_or_default()
}
