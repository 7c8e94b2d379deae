//! Tables from a window of cells to a [`Shape`]. They are built once per rule, with those of `combination.rs`.
//!
//! # How a shape is computed
//!
//! A window is the line around a point, as far to each side as the rule looks ([`Rule::reach`]: four cells in freestyle,
//! else five). Put a stone on the centre. If it wins, the shape is a five. If not, put a second stone on each empty cell
//! that can share a winning row with the first, compute the shape there, and take the best results: a cell that wins
//! makes the shape a four; several that one defending stone cannot all stop make it an open four; a cell that makes an
//! open four makes it an open three; and so on. The recursion ends because each step adds a stone. Moving the centre
//! loses nothing, because every row that matters contains both centres.
//!
//! # How a shape is looked up
//!
//! A cell is two bits: `00` wall, `01` black, `10` white, `11` empty. The key of a window is its cells without the
//! centre, 16 or 20 bits: the left side in the low half, the right side in the high one. Cells behind the first blocking
//! cell do not matter, so each side of a window has few distinct meanings: 63 for a colour, or 94 where walls differ from
//! stones, and at most 172 for both colours together. So a side is mapped to the number of its meaning, and the shapes of
//! both colours are looked up by two such numbers, in a table of 64 KiB, of which at most 172 x 172 bytes are used.

use super::combination::BySums;
use super::shape::Shape;
use crate::base::point::BORDER;
use crate::base::{Color, LineRule, Rule, bounded};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Number of values of the widest side of a window (five cells of two bits).
const SIDES: usize = 1 << 10;
/// Length of tables by two numbers below 256.
const PAIRS: usize = 1 << 16;

/// The tables of one rule.
pub struct RuleTables {
    /// Cells to each side of the centre in a window: 4 or 5; see [`Rule::reach`].
    pub half: usize,
    /// The number of the meaning of the left side of a window.
    left: Box<[u8; SIDES]>,
    /// The number of the meaning of the right side.
    right: Box<[u8; SIDES]>,
    /// From these two numbers, the left one first, to the shapes of both colours: black in the low nibble, white in the
    /// high one.
    shapes: Box<[u8; PAIRS]>,
    /// From sums of weights to combinations.
    by_sums: BySums,
}

impl std::fmt::Debug for RuleTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RuleTables").field("half", &self.half).finish_non_exhaustive()
    }
}

impl RuleTables {
    /// The tables of `rule`, which are built on first use and kept until the process ends.
    pub fn of(rule: Rule) -> &'static RuleTables {
        static TABLES: [OnceLock<RuleTables>; Rule::ALL.len()] = [const { OnceLock::new() }; Rule::ALL.len()];
        TABLES[rule.index()].get_or_init(|| RuleTables::build(rule))
    }

    fn build(rule: Rule) -> RuleTables {
        let half = rule.reach();
        let [mut black, mut white] = Color::ALL.map(|color| Windows::new(rule.line_rule(color), half));
        let (mut left, mut right) = (zeroed_box::<SIDES>(), zeroed_box::<SIDES>());
        let mut meanings = Vec::new();
        for side in 0..1 << (2 * half) {
            let meaning = [black.meaning(side), white.meaning(swap_colors(side))];
            let number = meanings.iter().position(|&known| known == meaning).unwrap_or(meanings.len());
            if number == meanings.len() {
                meanings.push(meaning);
            }
            let number = u8::try_from(number).expect("a side has at most 172 meanings");
            right[side] = number;
            left[mirror(side, half)] = number;
        }
        let mut shapes = zeroed_box::<PAIRS>();
        for (i, left) in meanings.iter().enumerate() {
            for (j, right) in meanings.iter().enumerate() {
                let [black, white] = [(&mut black, 0), (&mut white, 1)].map(|(windows, color)| {
                    let window = windows.window(left[color], right[color]);
                    windows.shape(&window) as u8
                });
                shapes[i << 8 | j] = black | white << 4;
            }
        }
        let by_sums = BySums::of(rule);
        RuleTables { half, left, right, shapes, by_sums }
    }

    /// The shapes of both colours in the window with these sides, which are the halves of its key: black in the low
    /// nibble, white in the high one.
    #[inline(always)]
    pub fn shapes(&self, left: usize, right: usize) -> u8 {
        let (left, right) = (self.left[bounded::<SIDES>(left)], self.right[bounded::<SIDES>(right)]);
        self.shapes[usize::from(left) << 8 | usize::from(right)]
    }

    /// The same for the key of a window.
    #[inline]
    pub fn shapes_of(&self, key: usize) -> u8 {
        let side = 2 * self.half;
        self.shapes(key & ((1 << side) - 1), key >> side)
    }

    /// The tables from sums of weights to combinations.
    #[inline]
    pub fn by_sums(&self) -> BySums {
        self.by_sums
    }
}

/// Exchanges black and white in a side of a window.
#[inline]
const fn swap_colors(key: usize) -> usize {
    (key & 0x55555) << 1 | (key >> 1) & 0x55555
}

fn zeroed_box<const N: usize>() -> Box<[u8; N]> {
    vec![0u8; N].into_boxed_slice().try_into().expect("the vector has N elements")
}

/// A cell of a window as one colour sees it. The values are the two bits of a key in which black is "own".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    Wall = 0,
    Own = 1,
    Opponent = 2,
    Empty = 3,
}

/// A stretch of line with the analysed stone in the middle.
type Window = [Seen; WIDTH];
const WIDTH: usize = 2 * BORDER + 1;
const CENTER: usize = BORDER;

/// Classifies windows under one line rule, with a memo.
struct Windows {
    rule: LineRule,
    half: usize,
    /// The shape plus one, by the meanings of the left and the right side; zero: not yet computed.
    memo: Vec<u8>,
}

/// The codes that [`Windows::meaning`] returns are below this.
const SIDE_CODES: usize = 1024;

impl Windows {
    fn new(rule: LineRule, half: usize) -> Windows {
        Windows { rule, half, memo: vec![0; SIDE_CODES * SIDE_CODES] }
    }

    /// The cells of a side, nearest first, as far as they matter: all cells from the first blocking one on become walls.
    /// In caro, a blocking stone stays a stone.
    fn meaning(&self, side: usize) -> usize {
        let mut code = 0;
        for distance in 0..self.half {
            let cell = side >> (2 * distance) & 3;
            if cell == Seen::Opponent as usize && self.rule.is_caro() {
                return code | cell << (2 * distance);
            }
            if cell == Seen::Wall as usize || cell == Seen::Opponent as usize {
                return code;
            }
            code |= cell << (2 * distance);
        }
        code
    }

    fn window(&self, left: usize, right: usize) -> Window {
        let mut window = [Seen::Wall; WIDTH];
        window[CENTER] = Seen::Own;
        for distance in 0..self.half {
            window[CENTER - 1 - distance] = seen(left >> (2 * distance));
            window[CENTER + 1 + distance] = seen(right >> (2 * distance));
        }
        window
    }

    /// The shape of a window, from the memo or computed.
    fn shape(&mut self, window: &Window) -> Shape {
        let code = |cells: &mut dyn Iterator<Item = usize>| {
            cells.enumerate().fold(0, |code, (d, i)| code | (window[i] as usize) << (2 * d))
        };
        let left = self.meaning(code(&mut (CENTER - self.half..CENTER).rev()));
        let right = self.meaning(code(&mut (CENTER + 1..=CENTER + self.half)));
        let slot = left * SIDE_CODES + right;
        if self.memo[slot] == 0 {
            self.memo[slot] = self.classify(window) as u8 + 1;
        }
        Shape::from_code(self.memo[slot] - 1)
    }

    fn classify(&mut self, window: &Window) -> Shape {
        match self.row_through_center(window) {
            Row::Wins => return Shape::Five,
            Row::TooLong => return Shape::Overline,
            Row::Open => {}
        }
        let is_open = |cell: Seen| cell == Seen::Own || cell == Seen::Empty;
        let first = (0..CENTER).rev().find(|&i| !is_open(window[i])).map_or(0, |i| i + 1);
        let last = (CENTER + 1..WIDTH).find(|&i| !is_open(window[i])).map_or(WIDTH - 1, |i| i - 1);
        if last - first + 1 < self.rule.win_length() {
            return Shape::Dead;
        }
        let mut next = [0usize; Shape::ALL.len()];
        let mut fives = Vec::new();
        for cell in first..=last {
            if window[cell] == Seen::Empty {
                let shape = self.shape(&recentered(window, cell));
                next[shape as usize] += 1;
                if shape == Shape::Five {
                    fives.push(cell);
                }
            }
        }
        if !fives.is_empty() {
            return self.four(window, &fives);
        }
        let has = |shape: Shape| next[shape as usize] > 0;
        let open_threes = next[Shape::OpenThree as usize] + next[Shape::OpenThreeWide as usize];
        let double_four = self.rule == LineRule::RenjuBlack && has(Shape::Overline) && self.double_four_next(window);
        if next[Shape::OpenFour as usize] >= 2 {
            Shape::OpenThreeWide
        } else if has(Shape::OpenFour) {
            Shape::OpenThree
        } else if has(Shape::Four) || double_four {
            Shape::Three
        } else if open_threes >= 4 {
            Shape::OpenTwoWide
        } else if open_threes == 3 {
            Shape::OpenTwo
        } else if open_threes >= 1 {
            Shape::OpenTwoNarrow
        } else if has(Shape::Three) {
            Shape::Two
        } else if has(Shape::OpenTwoNarrow) || has(Shape::OpenTwo) || has(Shape::OpenTwoWide) {
            Shape::OpenOne
        } else if has(Shape::Two) {
            Shape::One
        } else {
            Shape::Dead
        }
    }

    /// The shape of a window in which the cells `fives` win: a closed four, an open four, or, for black in renju, two
    /// fours on one line.
    fn four(&self, window: &Window, fives: &[usize]) -> Shape {
        if fives.len() < 2 {
            return Shape::Four;
        }
        if self.rule == LineRule::RenjuBlack {
            let straight = fives.len() == 2 && fives[1] - fives[0] == self.rule.win_length();
            return if straight { Shape::OpenFour } else { Shape::Overline };
        }
        let survives = |stone: usize| {
            fives.iter().any(|&five| {
                let mut after = *window;
                after[stone] = Seen::Opponent;
                after[five] = Seen::Own;
                five != stone && self.row_through_center(&after) == Row::Wins
            })
        };
        let stoppable = (0..WIDTH).any(|stone| window[stone] == Seen::Empty && !survives(stone));
        if stoppable { Shape::Four } else { Shape::OpenFour }
    }

    /// Whether one more stone makes two fours on this line. [`Shape::Overline`] alone may also be six in a row.
    fn double_four_next(&self, window: &Window) -> bool {
        (0..WIDTH).any(|cell| {
            window[cell] == Seen::Empty && {
                let after = recentered(window, cell);
                self.row_through_center(&after) == Row::Open && self.count_fives(&after) >= 2
            }
        })
    }

    fn count_fives(&self, window: &Window) -> usize {
        (0..WIDTH)
            .filter(|&cell| {
                let mut after = *window;
                after[cell] = Seen::Own;
                window[cell] == Seen::Empty && self.row_through_center(&after) == Row::Wins
            })
            .count()
    }

    fn row_through_center(&self, window: &Window) -> Row {
        let is_own = |i: &usize| window[*i] == Seen::Own;
        let left = (0..CENTER).rev().take_while(is_own).count();
        let right = (CENTER + 1..WIDTH).take_while(is_own).count();
        let length = left + right + 1;
        let end = |i: Option<usize>| i.and_then(|i| window.get(i)) == Some(&Seen::Opponent);
        let blocked = || end((CENTER - left).checked_sub(1)) && end(Some(CENTER + right + 1));
        match length.cmp(&self.rule.win_length()) {
            Ordering::Less => Row::Open,
            Ordering::Equal if self.rule.is_caro() && blocked() => Row::Open,
            Ordering::Equal => Row::Wins,
            Ordering::Greater if self.rule.longer_rows_win() => Row::Wins,
            Ordering::Greater => Row::TooLong,
        }
    }
}

/// What the row of own stones through the centre is.
#[derive(PartialEq, Eq)]
enum Row {
    Wins,
    TooLong,
    Open,
}

fn seen(code: usize) -> Seen {
    match code & 3 {
        0 => Seen::Wall,
        1 => Seen::Own,
        2 => Seen::Opponent,
        _ => Seen::Empty,
    }
}

/// Reverses the order of a side's cells.
fn mirror(side: usize, half: usize) -> usize {
    (0..half).fold(0, |code, d| code | (side >> (2 * d) & 3) << (2 * (half - 1 - d)))
}

/// The window around `cell` after an own stone on it. Cells outside the old window become walls.
fn recentered(window: &Window, cell: usize) -> Window {
    std::array::from_fn(|i| {
        if i == CENTER {
            return Seen::Own;
        }
        (i + cell).checked_sub(CENTER).and_then(|j| window.get(j)).copied().unwrap_or(Seen::Wall)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of windows of each shape, in the order of [`Shape::ALL`]. The cells of a side are any of empty, own and
    /// blocked; in caro they are any of empty, own and opposing, and then walls.
    fn histogram(rule: LineRule, half: usize) -> [usize; Shape::ALL.len()] {
        let mut windows = Windows::new(rule, half);
        let is_caro = rule.is_caro();
        let states: &[usize] = if is_caro { &[3, 1, 2, 0] } else { &[3, 1, 0] };
        let mut sides = vec![0usize];
        for distance in 0..half {
            let tail_of_walls = |side: usize| distance > 0 && (side >> (2 * (distance - 1))).is_multiple_of(4);
            sides = sides
                .iter()
                .flat_map(|&side| {
                    states
                        .iter()
                        .filter(move |&&s| !(is_caro && tail_of_walls(side) && s != 0))
                        .map(move |s| side | s << (2 * distance))
                })
                .collect();
        }
        let mut counts = [0; Shape::ALL.len()];
        for &left in &sides {
            for &right in &sides {
                let window = windows.window(left, right);
                counts[windows.shape(&window) as usize] += 1;
            }
        }
        counts
    }

    #[test]
    fn histograms_are_those_of_the_definition() {
        let cases: [(LineRule, usize, [usize; Shape::ALL.len()]); 6] = [
            (LineRule::AtLeastFive, 4, [3537, 0, 81, 34, 419, 115, 30, 11, 850, 198, 51, 796, 142, 297]),
            (LineRule::AtLeastFive, 5, [31833, 0, 729, 306, 3771, 1035, 270, 99, 7650, 1782, 459, 7164, 1278, 2673]),
            (LineRule::ExactFive, 5, [37368, 1053, 652, 268, 3332, 840, 192, 36, 6408, 1200, 168, 5344, 568, 1620]),
            (
                LineRule::RenjuBlack,
                5,
                [37368, 1053 + 136, 652, 268, 3388, 816, 168, 28, 6588, 1080, 108, 5344, 432, 1620],
            ),
            (LineRule::Caro, 5, [85920, 0, 1353, 159, 7270, 680, 204, 99, 14906, 1476, 459, 13773, 1278, 4919]),
            (LineRule::CaroExact, 5, [95774, 2005, 1194, 145, 6287, 519, 138, 32, 12149, 828, 133, 9969, 409, 2914]),
        ];
        for (rule, half, expected) in cases {
            assert_eq!(histogram(rule, half), expected, "{rule:?} half-width {half}");
        }
    }

    /// The meanings of both sides of a window decide its shapes.
    #[test]
    fn shapes_are_those_of_the_whole_window() {
        for rule in Rule::ALL {
            let tables = RuleTables::of(rule);
            let half = tables.half;
            let [mut black, mut white] = Color::ALL.map(|color| Windows::new(rule.line_rule(color), half));
            let side = (1usize << (2 * half)) - 1;
            for key in 0..1 << (4 * half) {
                let (left, right) = (mirror(key & side, half), key >> (2 * half));
                let own = black.window(left, right);
                let other = white.window(swap_colors(left), swap_colors(right));
                let expected = black.shape(&own) as u8 | (white.shape(&other) as u8) << 4;
                assert_eq!(tables.shapes_of(key), expected, "{rule:?} {key:x}");
            }
        }
    }

    #[test]
    fn mirrored_windows_have_the_same_shape() {
        for rule in Rule::ALL {
            let tables = RuleTables::of(rule);
            let half = tables.half;
            let side = (1 << (2 * half)) - 1;
            for key in 0..1 << (4 * half) {
                let (left, right) = (key & side, key >> (2 * half));
                let mirrored = mirror(right, half) | mirror(left, half) << (2 * half);
                assert_eq!(tables.shapes_of(key), tables.shapes_of(mirrored), "{rule:?} {key:x}");
            }
        }
    }

    /// The kill sets of `forced.rs` rely on it: a stone never makes a line of the other colour stronger.
    #[test]
    fn an_opposing_stone_never_raises_a_shape() {
        for rule in Rule::ALL {
            let tables = RuleTables::of(rule);
            let cells = 2 * tables.half;
            for key in 0..1usize << (2 * cells) {
                for cell in (0..cells).filter(|c| key >> (2 * c) & 3 == 3) {
                    // White stone: clear the low bit.
                    let after = key & !(1 << (2 * cell));
                    let (before, after) = (tables.shapes_of(key) & 15, tables.shapes_of(after) & 15);
                    let was_double_four = rule == Rule::Renju && before == Shape::Overline as u8;
                    assert!(after <= before || was_double_four, "{rule:?} {key:x} cell {cell}");
                }
            }
        }
    }
}
