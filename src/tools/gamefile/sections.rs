//! A game as a record has it: positions that were set up, and moves played from them.

use super::play_start::{Evidence, PlayStart, plain};
use super::rule_names;
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::board::oracle::{Oracle, Verdict};
use crate::tools::point_names::name;
use anyhow::{Result, bail, ensure};

/// The board of a game whose record does not name one.
pub const USUAL_SIDE: usize = 15;

/// A part of a file: one of its games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The number of its first line in the file, from 1.
    pub line: usize,
    /// Its text.
    pub text: &'a str,
}

/// A record of a game: what was set up, what was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The rule, if the record names it and it is known.
    pub rule: Option<Rule>,
    /// What the record says about its rule, if that is not known.
    pub unknown_rule: Option<String>,
    /// The board.
    pub size: Size,
    /// The sections before the last one; empty in most records.
    pub earlier: Vec<Section>,
    /// The last section, which ends with the final position.
    pub last: Section,
    /// The players of black and white, if the record names them.
    pub players: [Option<String>; 2],
    /// Milliseconds for each move; empty if the record has no times.
    pub ms: Vec<u32>,
    /// Where the play begins, as far as the record says: the moves before were imposed on the players.
    pub start: PlayStart,
    /// Moves of the record that [`GameFile::impose`] has made part of the position set up first.
    pub imposed: usize,
    /// The result, if the record names it.
    pub outcome: Option<Outcome>,
    /// What else users of the record should know, a sentence each: passes, variations that are left out.
    pub notes: Vec<String>,
}

/// The result that a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game was lost off the board, if it was.
    pub forfeit: Option<Forfeit>,
}

/// Why a game was lost off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forfeit {
    /// A move came too late, or never.
    Late,
    /// Any other fault: a crash, an illegal move.
    Fault,
}

/// A position and moves from it, in alternating colours. Anything else in a record begins a new section: stones that are
/// set up or removed, a pass, two moves in a row by one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The stones and dead squares before the first move. The record does not say how they came about, so they are not
    /// judged as moves.
    pub setup: Vec<(Point, Cell)>,
    /// The colour of the first move, or the side to move if there are no moves.
    pub first: Color,
    /// The moves.
    pub moves: Vec<Point>,
}

impl Section {
    /// An empty board, black to move.
    pub fn new() -> Section {
        Section { setup: Vec::new(), first: Color::Black, moves: Vec::new() }
    }

    /// The colour of the move with this index; for the number of moves, the side to move.
    pub fn color(&self, index: usize) -> Color {
        if index.is_multiple_of(2) { self.first } else { self.first.opponent() }
    }

    /// The side to move after the last move.
    pub fn to_move(&self) -> Color {
        self.color(self.moves.len())
    }

    /// The stones and dead squares after the last move: the setup, then the moves in playing order.
    pub fn cells(&self) -> Vec<(Point, Cell)> {
        let moves = self.moves.iter().enumerate().map(|(index, &point)| (point, self.color(index).into()));
        self.setup.iter().copied().chain(moves).collect()
    }

    /// A set-up stone in a winning row, if there is one: the game was over before its first move.
    pub fn winning_setup(&self, rule: Rule, size: Size) -> Option<Point> {
        Oracle::from_cells(rule, size, self.setup.iter().copied()).winning_stone()
    }

    /// Checks that the game is not over. Moves are judged one by one; of a set-up position only the result counts: a winning row,
    /// or a draw.
    ///
    /// # Errors
    /// Names the point that ended it.
    pub fn ensure_open(&self, rule: Rule, size: Size) -> Result<()> {
        let mut oracle = Oracle::from_cells(rule, size, self.setup.iter().copied());
        if let Some(point) = oracle.winning_stone() {
            bail!("the game is over: {} is part of a winning row", name(point, size));
        }
        ensure!(!oracle.is_draw(), "the game is over: it is drawn");
        for (index, &point) in self.moves.iter().enumerate() {
            let verdict = oracle.play(point, self.color(index));
            ensure!(verdict == Verdict::Continues, "the game is over after {}", name(point, size));
        }
        Ok(())
    }

    /// The final position, for the oracle.
    pub fn oracle(&self, rule: Rule, size: Size) -> Oracle {
        Oracle::from_cells(rule, size, self.cells())
    }
}

impl Default for Section {
    fn default() -> Section {
        Section::new()
    }
}

impl GameFile {
    /// A record of moves from the empty board, black first.
    ///
    /// # Errors
    /// When a point is played twice.
    pub fn of_moves(size: Size, moves: &[Point]) -> Result<GameFile> {
        let mut record = Recorder::new(size);
        for (index, &point) in moves.iter().enumerate() {
            record.play(Color::to_move_after(index), point)?;
        }
        Ok(record.finish(Evidence::default()))
    }

    /// The record with the rule that this text names. A text that names none is kept.
    pub(super) fn with_rule(self, text: &str) -> GameFile {
        let rule = rule_names::rule_named(text);
        let is_unknown = rule.is_none() && !text.trim().is_empty();
        GameFile { rule, unknown_rule: is_unknown.then(|| plain(text)), ..self }
    }

    /// What users should know before the moves, a sentence each: a rule that is not known, where the play begins and by which
    /// mark, and the notes. `asked` is the rule that the user has named; without it an unknown one is read as freestyle.
    pub fn remarks(&self, asked: Option<Rule>) -> Vec<String> {
        self.rule_remark(asked).into_iter().chain(self.play_remarks()).collect()
    }

    /// The remark about a rule that is not known.
    pub fn rule_remark(&self, asked: Option<Rule>) -> Option<String> {
        self.unknown_rule.as_ref().map(|name| match asked {
            None => format!("The rule '{name}' of the record is not known: read as freestyle, --rule names another."),
            Some(rule) => format!("The rule '{name}' of the record is not known: read as {}.", rule.name()),
        })
    }

    /// The other remarks, beginning with the one about where the play begins.
    pub fn play_remarks(&self) -> Vec<String> {
        let is_set_up = self.sections().next().is_some_and(|section| !section.setup.is_empty());
        [self.start.sentence(is_set_up)].into_iter().chain(self.notes.iter().cloned()).collect()
    }

    /// Whether the record is nothing but moves, of which there is nothing to say.
    pub fn is_bare(&self) -> bool {
        self.start == PlayStart::default() && self.notes.is_empty() && self.unknown_rule.is_none()
    }

    /// All sections in order.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        self.earlier.iter().chain([&self.last])
    }

    /// The record with its first `count` moves as part of the position set up first. Whoever played them, a tournament
    /// imposed them.
    #[must_use]
    pub fn impose(mut self, count: usize) -> GameFile {
        let mut left = count;
        while let Some(section) = self.earlier.first()
            && left >= section.moves.len()
        {
            left -= section.moves.len();
            self.imposed += section.moves.len();
            self.earlier.remove(0);
        }
        let section = self.earlier.first_mut().unwrap_or(&mut self.last);
        let moves = section.moves.split_off(left.min(section.moves.len()));
        self.imposed += section.moves.len();
        *section = Section { setup: section.cells(), first: section.to_move(), moves };
        self
    }

    /// The moves, if the record is nothing but moves from the empty board, black first.
    pub fn moves(&self) -> Option<&[Point]> {
        let is_plain = self.earlier.is_empty() && self.last.setup.is_empty() && self.last.first == Color::Black;
        is_plain.then_some(&self.last.moves)
    }
}

/// Builds a record from what a file says, in its order.
pub(super) struct Recorder {
    size: Size,
    earlier: Vec<Section>,
    /// The section being built.
    pub(super) last: Section,
    /// What is on the board, with the number of the move that put it there; `None` for set-up stones.
    board: Vec<(Point, Cell, Option<usize>)>,
    /// Number of moves so far.
    pub(super) moves: usize,
    /// The notes of the record.
    pub(super) notes: Vec<String>,
}

impl Recorder {
    /// An empty record on this board.
    pub(super) fn new(size: Size) -> Recorder {
        Recorder { size, earlier: Vec::new(), last: Section::new(), board: Vec::new(), moves: 0, notes: Vec::new() }
    }

    /// Adds a move.
    ///
    /// # Errors
    /// When the point is not empty.
    pub(super) fn play(&mut self, color: Color, point: Point) -> Result<()> {
        self.moves += 1;
        if let Some((.., earlier)) = self.board.iter().find(|(taken, ..)| *taken == point) {
            let earlier = earlier.map_or_else(|| "a set-up stone".to_owned(), |number| format!("move {number}"));
            bail!("move {} at {}: {earlier} is there already", self.moves, name(point, self.size));
        }
        if color != self.last.to_move() {
            self.begin_section(color);
        }
        self.last.moves.push(point);
        self.board.push((point, color.into(), Some(self.moves)));
        Ok(())
    }

    /// Lets this colour pass: the other one moves next.
    pub(super) fn pass(&mut self, color: Color) {
        let (name, next) = (color.name(), color.opponent().name());
        self.notes.push(format!("A pass: {name} does not play after move {}, and {next} moves next.", self.moves));
        self.begin_section(color.opponent());
    }

    /// Sets these cells, replacing what was there. Black is to move unless there are more black stones than white ones,
    /// which is right under every rule if all stones were played.
    pub(super) fn set_up(&mut self, cells: &[(Point, Cell)]) {
        for &(point, cell) in cells {
            self.board.retain(|(taken, ..)| *taken != point);
            if cell != Cell::Empty {
                self.board.push((point, cell, None));
            }
        }
        let count = |color: Color| self.board.iter().filter(|(_, cell, _)| cell.color() == Some(color)).count();
        let is_black = count(Color::Black) <= count(Color::White);
        self.begin_section(if is_black { Color::Black } else { Color::White });
    }

    /// Makes what is on the board the setup of a new section with `first` to move.
    pub(super) fn begin_section(&mut self, first: Color) {
        let setup = self.board.iter().map(|&(point, cell, _)| (point, cell)).collect();
        let done = std::mem::replace(&mut self.last, Section { setup, first, moves: Vec::new() });
        if !done.moves.is_empty() {
            self.earlier.push(done);
        }
    }

    /// The record, with the start of its play.
    pub(super) fn finish(self, evidence: Evidence) -> GameFile {
        let mut game = GameFile {
            rule: None,
            unknown_rule: None,
            size: self.size,
            earlier: self.earlier,
            last: self.last,
            players: [None, None],
            ms: Vec::new(),
            start: PlayStart::default(),
            imposed: 0,
            outcome: None,
            notes: self.notes,
        };
        game.start = PlayStart::find(&evidence, self.moves, game.moves(), self.size);
        if evidence.ms.iter().any(Option::is_some) {
            game.ms = evidence.ms.into_iter().map(Option::unwrap_or_default).collect();
        }
        game
    }
}
