//! The position. For every empty point and both colours, [`Board`] keeps what a stone there would make: a [`Shape`] per
//! line and a [`Threat`] for all lines together. It also keeps the number of points of each threat, the cells near a
//! stone, and the hash. Each move updates all of them and undo restores them.
//!
//! A move changes only cells within five steps (in freestyle four) on its four lines, and each of these cells in one
//! line only: one nibble per cell and colour.

pub mod cells;
pub mod combination;
pub mod forbidden;
pub mod foul_explanation;
pub mod lines;
pub mod notation;
pub mod observer;
pub mod oracle;
pub mod shape;
pub mod stones;
pub mod symmetry;
pub mod tables;
mod threat_sets;
mod update;
pub mod zobrist;

pub use cells::CellSet;
pub use observer::{Change, NullObserver, Observer};
pub use shape::{Foul, RealThree, Shape, Threat};
pub use threat_sets::ThreatSets;

use crate::base::point::{BORDER, CELLS, STRIDE};
use crate::base::{Cell, Color, Direction, Point, PointList, Rule, Size, bounded};
use cells::ROWS;
use combination::{Combination, Sums};
use lines::{cell_slot, stone_bit};
use stones::Stones;
use tables::RuleTables;
use threat_sets::ThreatFlags;

/// What a stone of each colour would make on an empty cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct CellShapes {
    /// The shapes: a byte per direction, with black's shape in the low nibble and white's in the high one.
    lines: u32,
    /// Per colour, the [`Combination`] of its four shapes.
    combinations: [Combination; 2],
    /// The index of these combinations, and of the cell.
    sums: Sums,
}

/// The small part of the state: copied before each move, and restored by undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Summary {
    /// Number of empty cells per colour and threat.
    counts: [[u16; 16]; 2],
    /// Per colour, which threats these are.
    threats: [ThreatFlags; 2],
    /// Cells near a stone.
    near: CellSet,
    /// Per colour, the empty cells with a threat for which [`Threat::is_strong`] holds.
    strong: [CellSet; 2],
    /// Per colour, the last cell that became a four-three, an open four and a five; 0: none yet.
    seen: [[u16; SEEN]; 2],
    side: Color,
    last: Option<Point>,
    log_len: u32,
}

/// A position, with the moves that led to it since it was set up.
#[derive(Clone, Debug)]
pub struct Board {
    rule: Rule,
    size: Size,
    draw_at: usize,
    tables: &'static RuleTables,
    stones: Stones,
    shapes: Box<[CellShapes; CELLS]>,
    now: Summary,
    history: Vec<Summary>,
    /// Earlier contents of the cells that changed, in order. Long enough for a full board.
    log: Box<[CellShapes; LOG]>,
}

/// Length of the log: each of at most 484 stones logs at most 40 cells.
const LOG: usize = 1 << 15;
const _: () = assert!(Size::MAX_CELLS * 2 * BORDER * Direction::ALL.len() <= LOG);
/// The weakest threat for which [`Summary::seen`] remembers a cell.
const FIRST_SEEN: usize = Threat::FourThree as usize;
/// Number of those threats.
const SEEN: usize = Threat::ALL.len() - FIRST_SEEN;

impl Board {
    /// An empty board, black to move.
    pub fn new(rule: Rule, size: Size) -> Board {
        Board::from_cells(rule, size, &[], Color::Black)
    }

    /// A board with these stones and dead squares (walls), and `side` to move. Entries that are empty, off the board or
    /// on an occupied point are skipped.
    pub fn from_cells(rule: Rule, size: Size, cells: &[(Point, Cell)], side: Color) -> Board {
        let mut stones = Stones::new(rule, size);
        let mut near = CellSet::default();
        let mut last = None;
        let mut dead = 0;
        for &(point, cell) in cells {
            if stones.cell(point) != Cell::Empty {
                continue;
            }
            match cell {
                Cell::Black => stones.place(point, Color::Black),
                Cell::White => stones.place(point, Color::White),
                Cell::Wall => {
                    stones.kill(point);
                    dead += 1;
                }
                Cell::Empty => continue,
            }
            near.insert_near(point);
            last = Some(point);
        }
        let mut board = Board {
            rule,
            size,
            // Dead squares alone are no draw while a square is empty.
            draw_at: rule.draw_at(size.cells()).max(size.cells().min(dead + 1)),
            tables: RuleTables::of(rule),
            stones,
            shapes: Box::new([CellShapes::default(); CELLS]),
            now: Summary {
                counts: [[0; 16]; 2],
                threats: [ThreatFlags::default(); 2],
                near,
                strong: [CellSet::default(); 2],
                seen: [[0; SEEN]; 2],
                side,
                last,
                log_len: 0,
            },
            history: Vec::with_capacity(CELLS),
            log: vec![CellShapes::default(); LOG].into_boxed_slice().try_into().expect("the log has LOG entries"),
        };
        board.rescan();
        board
    }

    /// Computes all shapes and counts from the stones alone.
    fn rescan(&mut self) {
        for point in self.size.points() {
            let mut cell = CellShapes { sums: Sums::of_cell(point.index()), ..CellShapes::default() };
            if self.stones.cell(point) == Cell::Empty {
                for direction in Direction::ALL {
                    let key = self.stones.lines().key(point, direction, self.tables.half);
                    let shapes = self.tables.shapes_of(key);
                    cell.lines |= u32::from(shapes) << (8 * direction.index());
                    cell.sums = cell.sums.with_change(0, shapes);
                }
                cell.combinations = self.tables.by_sums().combinations(cell.sums);
                for (side, combination) in cell.combinations.into_iter().enumerate() {
                    self.now.counts[side][combination.threat_index()] += 1;
                    self.now.strong[side].set(point.index(), Threat::is_strong_index(combination.threat_index()));
                }
            }
            self.shapes[point.index()] = cell;
        }
        self.now.threats = self.now.counts.map(|counts| ThreatFlags::of(&counts));
    }

    /// The rule of the game.
    #[inline]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The board's size.
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// The side to move.
    #[inline]
    pub fn side(&self) -> Color {
        self.now.side
    }

    /// Runs `look` with `side` to move, as after a pass, and restores the side to move afterwards. `look` must take back
    /// all moves that it plays.
    #[inline]
    pub fn with_side<T>(&mut self, side: Color, look: impl FnOnce(&mut Board) -> T) -> T {
        let moves = self.history.len();
        let before = std::mem::replace(&mut self.now.side, side);
        let seen = look(self);
        debug_assert_eq!(self.history.len(), moves, "`look` takes back its moves");
        self.now.side = before;
        seen
    }

    /// Runs `look` after a move of the side to move on the empty `point`, and takes the move back. `look` must take back all
    /// moves that it plays.
    #[inline]
    pub fn with_move<T>(&mut self, point: Point, look: impl FnOnce(&mut Board) -> T) -> T {
        self.play(point, &mut NullObserver);
        let seen = look(self);
        self.undo(&mut NullObserver);
        seen
    }

    /// The content of a point; a wall beyond the board.
    #[inline]
    pub fn cell(&self, point: Point) -> Cell {
        self.stones.cell(point)
    }

    /// Whether the point is on the board and empty.
    #[inline]
    pub fn is_empty(&self, point: Point) -> bool {
        self.cell(point) == Cell::Empty
    }

    /// The empty cells.
    #[inline]
    pub fn empty_cells(&self) -> &CellSet {
        self.stones.empty()
    }

    /// Number of stones and dead squares on the board.
    #[inline]
    pub fn occupied(&self) -> usize {
        self.stones.count()
    }

    /// The square of cells around a point; see [`lines::Lines::square`].
    #[inline]
    pub fn square(&self, point: Point) -> [usize; lines::SQUARE] {
        self.stones.lines().square(point)
    }

    /// The last move, or the last stone or dead square of the position that was set up.
    #[inline]
    pub fn last_move(&self) -> Option<Point> {
        self.now.last
    }

    /// The move before the last one, if the last one was played on this board.
    #[inline]
    pub fn move_before_last(&self) -> Option<Point> {
        self.history.last().and_then(|summary| summary.last)
    }

    /// The moves played since the board was set up, in order.
    pub fn moves(&self) -> impl Iterator<Item = Point> + '_ {
        self.history.iter().chain([&self.now]).skip(1).filter_map(|summary| summary.last)
    }

    /// Hash of the position, including the side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        match self.now.side {
            Color::Black => self.stones.hash(),
            Color::White => self.stones.hash() ^ zobrist::SIDE,
        }
    }

    /// The [`Board::key`] after a stone of the side to move on the empty `point`.
    #[inline]
    pub fn key_after(&self, point: Point) -> u64 {
        self.key() ^ zobrist::stone(point, self.now.side) ^ zobrist::SIDE
    }

    /// Whether the game is drawn by the number of stones and dead squares; never without a stone while a square is empty. The
    /// last stone may still win; the caller checks that first.
    #[inline]
    pub fn is_draw(&self) -> bool {
        self.stones.count() >= self.draw_at
    }

    /// Number of moves until the game is drawn.
    #[inline]
    pub fn moves_to_draw(&self) -> usize {
        self.draw_at.saturating_sub(self.stones.count())
    }

    /// Number of empty points where a stone of `color` would make exactly `threat`.
    #[inline]
    pub fn count(&self, color: Color, threat: Threat) -> usize {
        self.now.counts[color.index()][threat.index()] as usize
    }

    /// Whether a stone of `color` would make `threat` or more on any point.
    #[inline]
    pub fn has_from(&self, color: Color, threat: Threat) -> bool {
        self.threats(color).some >> threat.index() != 0
    }

    /// Which threats stones of `color` would make.
    #[inline]
    pub fn threats(&self, color: Color) -> ThreatSets {
        self.now.threats[color.index()].sets()
    }

    /// The threat that a stone of `color` on the empty `point` would make, all lines together.
    #[inline]
    pub fn threat(&self, point: Point, color: Color) -> Threat {
        self.combinations(point)[color.index()].threat()
    }

    /// [`Threat::pair`] of the threats that a move of the side to move on the empty `point` makes and denies.
    #[inline(always)]
    pub fn threat_pair(&self, point: Point) -> usize {
        let (us, combinations) = (self.side().index(), self.combinations(point));
        combinations[us].threat_index() * Threat::ALL.len() + combinations[1 - us].threat_index()
    }

    /// The same pair as a number that needs no multiplication: the index of the threat made in the high nibble, of that denied in
    /// the low one.
    #[inline(always)]
    pub fn threat_code(&self, point: Point) -> u8 {
        let (us, combinations) = (self.side().index(), self.combinations(point));
        (combinations[us].threat_index() << 4 | combinations[1 - us].threat_index()) as u8
    }

    /// The combinations of shapes that a black and a white stone on the empty `point` would make.
    #[inline]
    pub fn combinations(&self, point: Point) -> [Combination; 2] {
        self.shapes[point.index()].combinations
    }

    /// The shape that a stone of `color` on the empty `point` would make on one line.
    #[inline]
    pub fn shape(&self, point: Point, color: Color, direction: Direction) -> Shape {
        let shift = 8 * direction.index() + 4 * color.index();
        Shape::from_code((self.shapes[point.index()].lines >> shift & 15) as u8)
    }

    /// For each empty cell within reach of `point` on one line: its distance, and the shape of `point` for `color` after
    /// a stone of colour `stone` on that cell.
    pub fn shapes_after(
        &self,
        point: Point,
        color: Color,
        direction: Direction,
        stone: Color,
    ) -> impl Iterator<Item = (isize, Shape)> {
        let half = self.tables.half;
        let key = self.stones.lines().key(point, direction, half);
        (-(half as isize)..=half as isize).filter(|&distance| distance != 0).filter_map(move |distance| {
            let slot = cell_slot(half, distance);
            if key >> slot & 3 != 3 {
                return None;
            }
            let shapes = self.tables.shapes_of(key & !stone_bit(slot, stone));
            let code = if color == Color::Black { shapes & 15 } else { shapes >> 4 };
            Some((distance, Shape::from_code(code)))
        })
    }

    /// The threat of `point` for `color` if its shape on one line were `shape`.
    pub fn threat_with(&self, point: Point, color: Color, direction: Direction, shape: Shape) -> Threat {
        let cell = self.shapes[point.index()];
        let now = (cell.lines >> (8 * direction.index())) as u8;
        let shift = 4 * color.index();
        let sums = cell.sums.with_change(now, now & !(15 << shift) | (shape as u8) << shift);
        self.tables.by_sums().combination(sums, color).threat()
    }

    /// Distance at which the rule looks along a line: 4 or 5; see [`Rule::reach`].
    #[inline]
    pub fn reach(&self) -> isize {
        self.tables.half as isize
    }

    /// A point where a stone of `color` would make exactly `threat`, if there is one. Fast for a four-three, an open four
    /// and a five. Not for [`Threat::None`]: such points need not be near a stone.
    pub fn find(&self, color: Color, threat: Threat) -> Option<Point> {
        if self.count(color, threat) == 0 {
            return None;
        }
        if let Some(slot) = threat.index().checked_sub(FIRST_SEEN)
            && let Some(point) = Point::from_index(self.now.seen[color.index()][bounded::<SEEN>(slot)] as usize)
            && self.is_empty(point)
            && self.threat(point, color) == threat
        {
            return Some(point);
        }
        let mut found = None;
        self.for_each_candidate_while(color, threat, |point| {
            found = Some(point).filter(|&point| self.threat(point, color) == threat);
            found.is_none()
        });
        found
    }

    /// All points where a stone of `color` would make exactly `threat`, which is not [`Threat::None`].
    pub fn points_of(&self, color: Color, threat: Threat) -> PointList {
        let mut points = PointList::new();
        self.for_each_point_of(color, threat, |point| points.push(point));
        points
    }

    /// Calls `visit` for every point where a stone of `color` would make exactly `threat`, which is not [`Threat::None`].
    #[inline]
    pub fn for_each_point_of(&self, color: Color, threat: Threat, mut visit: impl FnMut(Point)) {
        let count = self.count(color, threat);
        if count == 1
            && let Some(point) = self.find(color, threat)
        {
            visit(point);
        } else if count > 0 {
            let mut left = count;
            self.for_each_candidate_while(color, threat, |point| {
                if self.threat(point, color) == threat {
                    left -= 1;
                    visit(point);
                }
                left > 0
            });
        }
    }

    /// Calls `visit` for each empty cell near a stone (within three steps, or four on a line), row by row. Every point
    /// with a threat other than [`Threat::None`] is among them.
    #[inline]
    pub fn for_each_near(&self, mut visit: impl FnMut(Point)) {
        self.for_each_near_while(|point| {
            visit(point);
            true
        });
    }

    /// Like [`Board::for_each_near`], but stops when `visit` returns false.
    #[inline]
    fn for_each_near_while(&self, visit: impl FnMut(Point) -> bool) {
        self.for_each_of_while(|row| self.now.near.rows()[row] & self.stones.empty().rows()[row], visit);
    }

    /// Calls `visit` for each empty point where a stone of `color` would make a four or better, or, in renju, be suspected
    /// of a foul ([`Threat::Forbidden`]); row by row.
    #[inline]
    pub fn for_each_strong(&self, color: Color, mut visit: impl FnMut(Point)) {
        let strong = self.now.strong[color.index()].rows();
        self.for_each_of_while(
            |row| strong[row],
            |point| {
                visit(point);
                true
            },
        );
    }

    /// Calls `visit` for points that include all where a stone of `color` would make exactly `threat`, until it returns
    /// false.
    #[inline]
    fn for_each_candidate_while(&self, color: Color, threat: Threat, visit: impl FnMut(Point) -> bool) {
        debug_assert_ne!(threat, Threat::None, "such points need not be near a stone");
        if threat.is_strong() {
            let strong = self.now.strong[color.index()].rows();
            self.for_each_of_while(|row| strong[row], visit);
        } else {
            self.for_each_near_while(visit);
        }
    }

    /// Calls `visit` for the cells of a set that has these padded rows, row by row, until it returns false.
    #[inline]
    fn for_each_of_while(&self, cells_of_row: impl Fn(usize) -> u32, mut visit: impl FnMut(Point) -> bool) {
        for row in BORDER..BORDER + self.size.height() {
            let mut cells = cells_of_row(bounded::<ROWS>(row));
            while cells != 0 {
                let index = row * STRIDE + cells.trailing_zeros() as usize;
                cells &= cells - 1;
                if let Some(point) = Point::of_cell(index)
                    && !visit(point)
                {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use notation::parse_moves;
    use oracle::Oracle;

    /// The position on 15x15 after these moves, black first.
    pub(crate) fn board_after(rule: Rule, moves: &str) -> Board {
        let size = Size::square(15).unwrap();
        let mut board = Board::new(rule, size);
        for point in parse_moves(moves, size).unwrap() {
            board.play(point, &mut NullObserver);
        }
        board
    }

    #[test]
    fn the_key_after_a_move_is_known_before_it_is_played() {
        let size = Size::square(15).unwrap();
        let mut board = Board::new(Rule::Renju, size);
        for point in parse_moves("h8i9g7k10a1", size).unwrap() {
            let expected = board.key_after(point);
            board.play(point, &mut NullObserver);
            assert_eq!(board.key(), expected);
        }
    }

    #[test]
    fn the_sets_of_threats_are_those_that_are_counted() {
        let mut board = board_after(Rule::Renju, "h8i9g9g8i8f8g10j10h6");
        for moves in (0..9).rev() {
            for color in Color::ALL {
                let (threats, mut expected) = (board.threats(color), ThreatSets::default());
                for threat in Threat::ALL {
                    expected.some |= u16::from(board.count(color, threat) > 0) << threat.index();
                    expected.several |= u16::from(board.count(color, threat) > 1) << threat.index();
                    let from = Threat::ALL[threat.index()..].iter().any(|&at_least| board.count(color, at_least) > 0);
                    assert_eq!(board.has_from(color, threat), from);
                }
                assert_eq!(threats, expected, "{moves} moves");
            }
            board.undo(&mut NullObserver);
        }
    }

    #[test]
    fn pairs_of_threats_are_those_of_both_colours() {
        for moves in ["h8i9g9g8i8f8g10j10", "h8i9g9g8i8f8g10j10m12"] {
            let board = board_after(Rule::Renju, moves);
            let us = board.side();
            for point in board.size().points().filter(|&point| board.is_empty(point)) {
                let pair = Threat::pair(board.threat(point, us), board.threat(point, us.opponent()));
                assert_eq!(board.threat_pair(point), pair, "{point}");
                let [made, denied] = Threat::of_code(board.threat_code(point)).map(|threat| threat.unwrap());
                assert_eq!(Threat::pair(made, denied), pair, "{point}");
            }
        }
    }

    /// Bug: a board with dead squares and no stone was drawn, where the oracle lets the game go on.
    #[test]
    fn dead_squares_alone_are_no_draw() {
        for (width, height) in [(5, 5), (6, 5)] {
            let size = Size::new(width, height).unwrap();
            let squares: Vec<(Point, Cell)> = size.points().map(|point| (point, Cell::Wall)).collect();
            for (rule, dead) in Rule::ALL.into_iter().flat_map(|rule| (0..=size.cells()).map(move |dead| (rule, dead)))
            {
                let mut board = Board::from_cells(rule, size, &squares[..dead], Color::Black);
                let mut oracle = Oracle::from_cells(rule, size, squares[..dead].iter().copied());
                assert_eq!(board.is_draw(), dead == size.cells());
                for point in size.points().skip(dead) {
                    assert_eq!(board.is_draw(), oracle.is_draw(), "{rule:?}, {dead} dead squares");
                    oracle.set(point, board.side().into());
                    board.play(point, &mut NullObserver);
                }
                assert!(board.is_draw() && oracle.is_draw());
            }
        }
    }

    #[test]
    fn the_side_to_move_is_restored_after_an_early_return() {
        let size = Size::square(15).unwrap();
        let mut board = Board::new(Rule::Renju, size);
        let center = size.center();
        let look = |board: &mut Board| -> Option<Point> {
            assert_eq!(board.side(), Color::White);
            board.play(center, &mut NullObserver);
            board.undo(&mut NullObserver);
            assert_eq!(board.side(), Color::White);
            let five = board.find(Color::White, Threat::Five)?;
            unreachable!("no five at {five}")
        };
        let key = board.key();
        assert_eq!(board.with_side(Color::White, look), None);
        assert_eq!((board.side(), board.key()), (Color::Black, key));
    }
}
