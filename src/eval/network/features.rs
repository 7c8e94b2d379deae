//! The inputs of the network: the line shapes through every cell; and of its policy, how near a move is to the last ones.
//!
//! Here, a *shape* is the nine cells of one line centred on a cell, from one colour's perspective: own stones, opposing stones,
//! empty cells, and the wall at the edge. (The board's [`crate::board::Shape`] is a class of such lines.) Each side of the
//! centre has zero to four cells of three kinds and then walls: 121 possibilities. The centre has three. That makes 43,923
//! shapes. A shape and its mirror image share a *row* of weights; there are 22,143 rows.

use crate::base::point::{CELLS, STRIDE};
use crate::base::{Color, Direction, Point};
use crate::board::lines::Lines;

/// Cells to each side of the centre.
pub const REACH: usize = 4;
/// Number of different sides of a shape.
pub const SIDES: usize = 121;
/// Number of different shapes.
pub const SHAPES: usize = SIDES * 3 * SIDES;
/// Number of different shapes, where mirror images count once.
pub const ROWS: usize = SIDES * (SIDES + 1) / 2 * 3;
/// Kinds of lines with rows of their own: orthogonal lines, and diagonals.
pub const LINE_KINDS: usize = 2;

// The kinds of cells on the board, from one colour's perspective.
const EMPTY: usize = 0;
const OWN: usize = 1;
const OPPOSING: usize = 2;

/// The kind of the lines of a direction, below [`LINE_KINDS`]: 0 orthogonal, 1 diagonal.
#[inline]
pub const fn line_kind(direction: Direction) -> usize {
    direction.is_diagonal() as usize
}

/// The kind of a cell as black sees it, from its two bits in a line word; `None` for a wall.
const fn seen(bits: usize) -> Option<usize> {
    match bits & 3 {
        3 => Some(EMPTY),
        1 => Some(OWN),
        2 => Some(OPPOSING),
        _ => None,
    }
}

/// The code of a side with these cells, nearest first. Shorter sides have lower codes; sides of one length are numbered
/// in base three.
pub const fn side_code(cells: &[usize]) -> usize {
    // Sides with fewer than n cells: 1 + 3 + ... = (3^n - 1) / 2.
    let (mut code, mut weight, mut at) = (0, 1, 0);
    while at < cells.len() {
        code += cells[at] * weight;
        weight *= 3;
        at += 1;
    }
    (weight - 1) / 2 + code
}

/// The cells of a side, nearest first, and their number: the inverse of [`side_code`].
pub const fn side_cells(code: usize) -> ([usize; REACH], usize) {
    let (mut first, mut many, mut length) = (0, 1, 0);
    while code >= first + many {
        first += many;
        many *= 3;
        length += 1;
    }
    let mut rest = code - first;
    let mut cells = [EMPTY; REACH];
    let mut at = 0;
    while at < length {
        cells[at] = rest % 3;
        rest /= 3;
        at += 1;
    }
    (cells, length)
}

/// A shape from its two sides and its centre.
#[inline]
pub const fn shape(left: usize, center: usize, right: usize) -> usize {
    (left * 3 + center) * SIDES + right
}

/// The sides and the centre of a shape: left, centre, right.
#[inline]
pub const fn parts(shape: usize) -> (usize, usize, usize) {
    (shape / SIDES / 3, shape / SIDES % 3, shape % SIDES)
}

/// The row that a shape shares with its mirror image.
#[inline]
pub const fn row_of(shape: usize) -> usize {
    let (left, center, right) = parts(shape);
    let (small, large) = if left < right { (left, right) } else { (right, left) };
    center * (SIDES * (SIDES + 1) / 2) + large * (large + 1) / 2 + small
}

/// The shape with this row whose left side has the lower code.
pub fn shape_of_row(row: usize) -> usize {
    let triangle = SIDES * (SIDES + 1) / 2;
    let (center, rest) = (row / triangle, row % triangle);
    let mut large = 0;
    while (large + 1) * (large + 2) / 2 <= rest {
        large += 1;
    }
    shape(rest - large * (large + 1) / 2, center, large)
}

/// What white sees where black sees `shape`, or the other way round.
#[inline]
pub fn with_colors_swapped(shape: usize) -> usize {
    let (left, center, right) = parts(shape);
    let [left, right] = [left, right].map(|side| usize::from(SIDES_SWAPPED[side]));
    self::shape(left, SWAPPED[center], right)
}

/// The kind of a cell as the other colour sees it.
const SWAPPED: [usize; 3] = [EMPTY, OPPOSING, OWN];

/// The side as the other colour sees it.
static SIDES_SWAPPED: [u8; SIDES] = {
    let mut table = [0; SIDES];
    let mut code = 0;
    while code < SIDES {
        let (mut cells, length) = side_cells(code);
        let mut at = 0;
        while at < length {
            cells[at] = SWAPPED[cells[at]];
            at += 1;
        }
        table[code] = side_code(cells.split_at(length).0) as u8;
        code += 1;
    }
    table
};

/// The contribution of the left or right side to the shape that black sees, by eight bits of a line word (four cells).
const fn side_table(is_left: bool) -> [u16; 256] {
    let codes = side_codes(is_left);
    let weight = if is_left { 3 * SIDES } else { 1 };
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        table[bits] = (weight * codes[bits]) as u16;
        bits += 1;
    }
    table
}

/// The code of a side as black sees it, by eight bits of a line word.
const fn side_codes(is_left: bool) -> [usize; 256] {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut cells = [EMPTY; REACH];
        let mut length = 0;
        while length < REACH {
            // The nearest cell is the highest one on the left, the lowest one on the right.
            let at = if is_left { REACH - 1 - length } else { length };
            match seen(bits >> (2 * at)) {
                Some(cell) => cells[length] = cell,
                None => break,
            }
            length += 1;
        }
        table[bits] = side_code(cells.split_at(length).0);
        bits += 1;
    }
    table
}

/// The contribution of the centre and a side, by ten bits of a line word.
const fn center_and_side_table(is_left: bool) -> [u16; 1024] {
    let side = side_table(is_left);
    let mut table = [0; 1024];
    let mut bits = 0;
    while bits < 1024 {
        let (side_bits, center_bits) = if is_left { (bits & 255, bits >> 8) } else { (bits >> 2, bits & 3) };
        // A wall has no shape and counts as empty.
        let center = match seen(center_bits) {
            Some(center) => center,
            None => EMPTY,
        };
        table[bits] = side[side_bits] + (center * SIDES) as u16;
        bits += 1;
    }
    table
}

static LEFT: [u16; 256] = side_table(true);
static RIGHT: [u16; 256] = side_table(false);
static LEFT_AND_CENTER: [u16; 1024] = center_and_side_table(true);
static CENTER_AND_RIGHT: [u16; 1024] = center_and_side_table(false);

const _: () = assert!(SHAPES <= 1 << 16, "a shape fits into 16 bits");

/// The shapes of one window for black and white: that of black, from which white's follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapePair(u16);

impl ShapePair {
    /// The shapes of a window, by eighteen bits of a line word (nine cells).
    #[inline(always)]
    pub fn of_window(window: u64) -> ShapePair {
        ShapePair(LEFT[window as usize & 255] + CENTER_AND_RIGHT[window as usize >> 8 & 1023])
    }

    /// The shapes of the window around a point.
    #[inline(always)]
    pub fn at(lines: &Lines, point: Point, direction: Direction) -> ShapePair {
        ShapePair::of_window(lines.around::<REACH>(point, direction) >> (2 * REACH))
    }

    /// The shapes of two windows that differ on their left side only.
    #[inline(always)]
    pub fn of_left_sides(windows: [u64; 2]) -> [ShapePair; 2] {
        let rest = CENTER_AND_RIGHT[windows[0] as usize >> 8 & 1023];
        windows.map(|window| ShapePair(rest + LEFT[window as usize & 255]))
    }

    /// The shapes of two windows that differ on their right side only.
    #[inline(always)]
    pub fn of_right_sides(windows: [u64; 2]) -> [ShapePair; 2] {
        let rest = LEFT_AND_CENTER[windows[0] as usize & 1023];
        windows.map(|window| ShapePair(rest + RIGHT[window as usize >> 10 & 255]))
    }

    /// The shape for black.
    #[inline(always)]
    pub fn for_black(self) -> usize {
        usize::from(self.0)
    }

    /// The shapes for black and white.
    #[inline]
    pub fn shapes(self) -> [usize; 2] {
        [self.for_black(), with_colors_swapped(self.for_black())]
    }
}

/// The shape through `point` for `color`, computed cell by cell; the tables above are tested against it. `cell` returns
/// the stone on a point, or `None` for a wall.
pub(super) fn shape_by_cells(
    point: Point,
    direction: Direction,
    color: Color,
    cell: impl Fn(Point) -> Option<Option<Color>>,
) -> usize {
    let kind = |stone: Option<Color>| match stone {
        None => EMPTY,
        Some(stone) if stone == color => OWN,
        Some(_) => OPPOSING,
    };
    let side = |sign: i32| {
        let cells: Vec<usize> = (1..=REACH as i32)
            .map_while(|steps| point.step(direction, sign * steps).and_then(&cell))
            .map(kind)
            .collect();
        side_code(&cells)
    };
    shape(side(-1), cell(point).map_or(EMPTY, kind), side(1))
}

/// Number of classes of the offset between two points: one for each offset within five steps, up to symmetry, one for
/// all larger ones, and one for no other point.
pub const NEARNESS: usize = 23;

/// Largest number of steps in a row or column that has a class of its own.
const NEAREST: usize = 5;

/// The class of the offset between two points, by the difference of their indices plus [`CELLS`]. Within [`NEAREST`] steps
/// every offset has a difference that no other two points of a board have. The last third is the row for no other point.
static CLASSES: [u8; 3 * CELLS] = {
    let mut classes = [NEARNESS as u8 - 2; 3 * CELLS];
    let mut at = 2 * CELLS;
    while at < classes.len() {
        classes[at] = NEARNESS as u8 - 1;
        at += 1;
    }
    let mut dy = -(NEAREST as isize);
    while dy <= NEAREST as isize {
        let mut dx = -(NEAREST as isize);
        while dx <= NEAREST as isize {
            classes[(CELLS as isize + dy * STRIDE as isize + dx) as usize] =
                class(dx.unsigned_abs(), dy.unsigned_abs());
            dx += 1;
        }
        dy += 1;
    }
    classes
};

const fn class(dx: usize, dy: usize) -> u8 {
    let (near, far) = if dx < dy { (dx, dy) } else { (dy, dx) };
    (if far > NEAREST { NEARNESS - 2 } else { far * (far + 1) / 2 + near }) as u8
}

/// The class of the offset between two points, below [`NEARNESS`].
#[inline]
pub fn nearness(point: Point, other: Option<Point>) -> usize {
    NearnessTo::new(other).of(point)
}

/// The point, or no point, to which the nearness of many others is asked: where its row of `CLASSES` begins.
#[derive(Clone, Copy, Debug)]
pub struct NearnessTo(&'static [u8; CELLS]);

impl NearnessTo {
    /// The nearness to this point.
    #[inline(always)]
    pub fn new(other: Option<Point>) -> NearnessTo {
        let begin = other.map_or(2 * CELLS, |other| CELLS - other.index());
        NearnessTo(CLASSES[begin..][..CELLS].try_into().expect("a slice of this length"))
    }

    /// The [`nearness`] of a point.
    #[inline(always)]
    pub fn of(self, point: Point) -> usize {
        usize::from(self.0[point.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Cell, Size};

    #[test]
    fn sides_are_numbered_without_gaps() {
        for code in 0..SIDES {
            let (cells, length) = side_cells(code);
            assert_eq!(side_code(&cells[..length]), code);
        }
        assert_eq!(side_cells(SIDES - 1), ([OPPOSING; 4], 4));
    }

    #[test]
    fn a_row_belongs_to_one_shape_and_its_mirror_image() {
        let mut users = vec![Vec::new(); ROWS];
        for shape in 0..SHAPES {
            users[row_of(shape)].push(shape);
        }
        for (row, users) in users.iter().enumerate() {
            let (left, center, right) = parts(users[0]);
            let mirrored = shape(right, center, left);
            assert!(users.iter().all(|&user| user == users[0] || user == mirrored), "{row}: {users:?}");
            assert_eq!(users.len(), if left == right { 1 } else { 2 });
            assert_eq!(row_of(shape_of_row(row)), row);
        }
    }

    #[test]
    fn tables_and_cells_give_the_same_shapes() {
        for size in [Size::square(15).unwrap(), Size::new(5, 22).unwrap()] {
            let mut lines = Lines::all_wall();
            let mut cells = std::collections::HashMap::new();
            for (i, point) in size.points().enumerate() {
                let cell =
                    [Cell::Empty, Cell::Black, Cell::Empty, Cell::White, Cell::Wall, Cell::White][i * 13 % 17 % 6];
                lines.set(point, Cell::Wall, cell);
                cells.insert(point, cell);
            }
            let look = |point: Point| match cells.get(&point) {
                None | Some(Cell::Wall) => None,
                Some(cell) => Some(cell.color()),
            };
            for point in size.points().filter(|&point| look(point).is_some()) {
                for direction in Direction::ALL {
                    let expected = Color::ALL.map(|color| shape_by_cells(point, direction, color, look));
                    let window = lines.around::<REACH>(point, direction) >> (2 * REACH);
                    let pair = ShapePair::at(&lines, point, direction);
                    assert_eq!(pair.shapes(), expected, "{point} {direction:?}");
                    // The same window with another side.
                    let [left, right] = [window ^ 0b10_0000, window ^ 0b10 << 14];
                    let both = |other: u64| [window, other].map(ShapePair::of_window);
                    assert_eq!(ShapePair::of_left_sides([window, left]), both(left));
                    assert_eq!(ShapePair::of_right_sides([window, right]), both(right));
                }
            }
        }
    }

    #[test]
    fn nearness_is_that_of_the_larger_and_the_smaller_offset() {
        let points: Vec<Point> = Size::square(Size::MAX_SIDE).unwrap().points().collect();
        for &point in &points {
            assert_eq!(nearness(point, None), NEARNESS - 1);
            for &other in &points {
                let (dx, dy) = (point.x().abs_diff(other.x()), point.y().abs_diff(other.y()));
                assert_eq!(nearness(point, Some(other)), usize::from(class(dx, dy)), "{point} {other}");
            }
        }
    }

    #[test]
    fn nearness_distinguishes_offsets_up_to_symmetry() {
        let at = |x, y| Point::new(x, y).unwrap();
        let center = at(10, 10);
        let mut seen = std::collections::BTreeMap::new();
        for (x, y) in (0..22usize).flat_map(|x| (0..22usize).map(move |y| (x, y))) {
            let (dx, dy) = (x.abs_diff(10), y.abs_diff(10));
            let class = if dx.max(dy) > 5 { (9, 9) } else { (dx.min(dy), dx.max(dy)) };
            let code = nearness(at(x, y), Some(center));
            assert_eq!(nearness(center, Some(at(x, y))), code);
            assert_eq!(*seen.entry(code).or_insert(class), class);
        }
        assert_eq!(seen.len(), NEARNESS - 1);
        assert_eq!(nearness(center, None), NEARNESS - 1);
    }
}
