//! Tables from a window of cells to a [`Shape`], and from four shapes to a [`Threat`]. They are built once per rule.
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
//! centre, 16 or 20 bits. `shapes[key]` holds black's shape in the low nibble and white's in the high one. Cells behind
//! the first blocking cell do not matter, so each side of a window has few distinct meanings: 63, or 94 where walls differ
//! from stones. The recursion runs once for each pair of meanings, and the result is copied to all keys with that pair.

use super::shape::{Shape, Threat};
use crate::base::point::BORDER;
use crate::base::{Color, LineRule, Rule, bounded};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Number of keys of the widest window (ten cells of two bits).
pub const KEYS: usize = 1 << 20;
/// Number of values of four packed shapes, one nibble per direction: indices of [`RuleTables::combinations`].
pub const PACKED: usize = 1 << 16;
/// Number of multisets of four shapes.
pub const COMBINATIONS: usize = {
    let shapes = Shape::ALL.len();
    shapes * (shapes + 1) * (shapes + 2) * (shapes + 3) / 24
};

/// The four shapes of a point regardless of their directions, with the threat that they make together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Combination(u16);

impl Combination {
    /// Index into tables by combination, below [`COMBINATIONS`].
    #[inline]
    pub const fn id(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// The threat that the four shapes make together.
    #[inline]
    pub const fn threat(self) -> Threat {
        Threat::ALL[bounded::<{ Threat::ALL.len() }>(self.code())]
    }

    /// The index of the threat, [`Threat::index`].
    #[inline]
    pub const fn code(self) -> usize {
        (self.0 & 15) as usize
    }
}

/// The tables of one rule.
pub struct RuleTables {
    /// Cells to each side of the centre in a window: 4 or 5; see [`Rule::reach`].
    pub half: usize,
    /// From the key of a window to the shapes of both colours: black in the low nibble, white in the high one.
    pub shapes: Box<[u8; KEYS]>,
    /// Per colour, from four packed shapes to their combination.
    pub combinations: [&'static [Combination; PACKED]; 2],
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
        let black = Windows::new(rule.line_rule(Color::Black), half).spread();
        let mut shapes = zeroed_box::<KEYS>();
        if rule.line_rule(Color::White) == rule.line_rule(Color::Black) {
            for key in 0..1 << (4 * half) {
                shapes[key] = black[key] | black[swap_colors(key)] << 4;
            }
        } else {
            let white = Windows::new(rule.line_rule(Color::White), half).spread();
            for key in 0..1 << (4 * half) {
                shapes[key] = black[key] | white[swap_colors(key)] << 4;
            }
        }
        let combinations = Color::ALL.map(|color| combination_table(rule.has_forbidden(color)));
        RuleTables { half, shapes, combinations }
    }
}

/// Exchanges black and white in a window key.
#[inline]
const fn swap_colors(key: usize) -> usize {
    (key & 0x55555) << 1 | (key >> 1) & 0x55555
}

fn zeroed_box<const N: usize>() -> Box<[u8; N]> {
    vec![0u8; N].into_boxed_slice().try_into().expect("the vector has N elements")
}

/// From four packed shapes to their combination.
fn combination_table(forbidden_rule: bool) -> &'static [Combination; PACKED] {
    static TABLES: [OnceLock<Box<[Combination; PACKED]>>; 2] = [const { OnceLock::new() }; 2];
    TABLES[usize::from(forbidden_rule)].get_or_init(|| {
        let mut table = vec![Combination::default(); PACKED];
        for (id, lines) in all_combinations().enumerate() {
            let threat = Threat::of_lines(lines, forbidden_rule) as u16;
            for order in ORDERS {
                let packed =
                    order.iter().enumerate().fold(0, |packed, (d, &i)| packed | (lines[i] as usize) << (4 * d));
                table[packed] = Combination((id as u16) << 4 | threat);
            }
        }
        table.into_boxed_slice().try_into().expect("the table has PACKED entries")
    })
}

/// All permutations of four lines.
const ORDERS: [[usize; 4]; 24] = {
    let mut orders = [[0; 4]; 24];
    let (mut found, mut code) = (0, 0);
    while code < 256 {
        let order = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
        if 1 << order[0] | 1 << order[1] | 1 << order[2] | 1 << order[3] == 15 {
            orders[found] = order;
            found += 1;
        }
        code += 1;
    }
    orders
};

/// All combinations of four shapes, in the order of [`Combination::id`]; within each, the weakest shape is first.
pub fn all_combinations() -> impl Iterator<Item = [Shape; 4]> {
    let shapes = Shape::ALL.len();
    (0..shapes).flat_map(move |a| {
        (a..shapes).flat_map(move |b| {
            (b..shapes).flat_map(move |c| (c..shapes).map(move |d| [a, b, c, d].map(|i| Shape::ALL[i])))
        })
    })
}

/// The four packed shapes, by direction index.
#[inline]
pub const fn unpack(packed: u16) -> [Shape; 4] {
    [
        Shape::from_code((packed & 15) as u8),
        Shape::from_code((packed >> 4 & 15) as u8),
        Shape::from_code((packed >> 8 & 15) as u8),
        Shape::from_code((packed >> 12) as u8),
    ]
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

    /// The shape of every key, where black is "own".
    fn spread(mut self) -> Vec<u8> {
        let sides = 1usize << (2 * self.half);
        let mut table = vec![0u8; sides * sides];
        let meanings: Vec<usize> = (0..sides).map(|side| self.meaning(side)).collect();
        // Each pair of meanings is classified once.
        let mirrored: Vec<usize> = (0..sides).map(|side| self.meaning(mirror(side, self.half))).collect();
        for right in 0..sides {
            for left in 0..sides {
                let (near_left, near_right) = (mirrored[left], meanings[right]);
                let slot = near_left * SIDE_CODES + near_right;
                if self.memo[slot] == 0 {
                    let window = self.window(near_left, near_right);
                    self.shape(&window);
                }
                table[right * sides + left] = self.memo[slot] - 1;
            }
        }
        table
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

    #[test]
    fn combinations_count_as_the_definition_says() {
        let counted = |forbidden| {
            let mut counts = [0usize; Threat::ALL.len()];
            for lines in all_combinations() {
                counts[Threat::of_lines(lines, forbidden).index()] += 1;
            }
            counts
        };
        assert_eq!(counted(false), [70, 0, 105, 35, 155, 130, 70, 260, 176, 35, 130, 121, 533, 560]);
        assert_eq!(counted(true), [35, 866, 60, 20, 115, 100, 40, 200, 0, 20, 100, 72, 192, 560]);
    }

    #[test]
    fn the_order_of_lines_does_not_matter() {
        let mut ids = vec![false; COMBINATIONS];
        for packed in 0..PACKED {
            let nibbles = [packed % 16, packed / 16 % 16, packed / 256 % 16, packed / 4096];
            if nibbles.iter().all(|&nibble| nibble < Shape::ALL.len()) {
                let combination = combination_table(true)[packed];
                let mut lines = unpack(packed as u16);
                lines.sort_unstable();
                assert_eq!(all_combinations().nth(combination.id()), Some(lines));
                assert_eq!(combination.threat(), Threat::of_lines(lines, true));
                ids[combination.id()] = true;
            }
        }
        assert!(ids.iter().all(|&seen| seen));
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
                assert_eq!(tables.shapes[key], tables.shapes[mirrored], "{rule:?} {key:x}");
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
                    let (before, after) = (tables.shapes[key] & 15, tables.shapes[after] & 15);
                    let was_double_four = rule == Rule::Renju && before == Shape::Overline as u8;
                    assert!(after <= before || was_double_four, "{rule:?} {key:x} cell {cell}");
                }
            }
        }
    }
}
