//! Points, board sizes and directions in one padded address space.
//!
//! The index of a cell is `(y + 5) * 32 + (x + 5)`. A 22x22 board with a border of five cells on every side fills the
//! 1024 addresses exactly, so a walk of up to five steps from any point stays in range. All board sizes have the same
//! strides.

use super::index::bounded;
use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

/// Number of cells in the padded space.
pub const CELLS: usize = 1024;
/// Width of the border, and the largest distance at which any rule looks.
pub const BORDER: usize = 5;
/// Difference of the indices of vertically adjacent cells.
pub const STRIDE: usize = 32;

/// A point of the largest board (22x22). [`Size::contains`] says whether it lies on a smaller one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(NonZeroU16);

impl Point {
    /// The point in column `x` and row `y`, both counted from 0 at the top left; `None` outside 22x22.
    pub const fn new(x: usize, y: usize) -> Option<Point> {
        if x >= Size::MAX_SIDE || y >= Size::MAX_SIDE {
            return None;
        }
        match NonZeroU16::new(((y + BORDER) * STRIDE + x + BORDER) as u16) {
            Some(index) => Some(Point(index)),
            None => None,
        }
    }

    /// The point with this padded index; `None` outside 22x22.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Point> {
        let (x, y) = (index % STRIDE, index / STRIDE);
        if x < BORDER || y < BORDER {
            return None;
        }
        Point::new(x - BORDER, y - BORDER)
    }

    /// [`Point::from_index`] for the index of a cell of a board: quicker, and always a point.
    #[inline]
    pub const fn of_cell(index: usize) -> Option<Point> {
        debug_assert!(Point::from_index(index).is_some());
        match NonZeroU16::new(index as u16) {
            Some(index) => Some(Point(index)),
            None => None,
        }
    }

    /// Padded index, always below [`CELLS`].
    #[inline]
    pub const fn index(self) -> usize {
        bounded::<CELLS>(self.0.get() as usize)
    }

    /// Column, from 0 at the left.
    #[inline]
    pub const fn x(self) -> usize {
        self.index() % STRIDE - BORDER
    }

    /// Row, from 0 at the top, as the protocol counts.
    #[inline]
    pub const fn y(self) -> usize {
        self.index() / STRIDE - BORDER
    }

    /// Steps from one point to the other, straight or diagonal.
    pub const fn distance(self, other: Point) -> usize {
        let (dx, dy) = (self.x().abs_diff(other.x()), self.y().abs_diff(other.y()));
        if dx > dy { dx } else { dy }
    }

    /// Whether the two points lie on a common line.
    pub const fn is_aligned_with(self, other: Point) -> bool {
        let (dx, dy) = (self.x().abs_diff(other.x()), self.y().abs_diff(other.y()));
        dx == 0 || dy == 0 || dx == dy
    }

    /// The point `steps` away along `direction`; `None` outside 22x22. `steps` must be within ±22.
    pub const fn step(self, direction: Direction, steps: i32) -> Option<Point> {
        let (dx, dy) = direction.delta();
        let x = self.x() as i32 + dx * steps;
        let y = self.y() as i32 + dy * steps;
        if x < 0 || y < 0 {
            return None;
        }
        Point::new(x as usize, y as usize)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// `x,y` from 0, as the protocol writes it.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x(), self.y())
    }
}

/// The four lines through a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Left to right.
    Horizontal = 0,
    /// Top to bottom.
    Vertical = 1,
    /// Towards larger x and smaller y.
    Rising = 2,
    /// Towards larger x and larger y.
    Falling = 3,
}

impl Direction {
    /// All four, in the order of [`Direction::index`].
    pub const ALL: [Direction; 4] = [Direction::Horizontal, Direction::Vertical, Direction::Rising, Direction::Falling];

    /// Index into per-direction arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether its lines are diagonals, not rows or columns.
    #[inline]
    pub const fn is_diagonal(self) -> bool {
        matches!(self, Direction::Rising | Direction::Falling)
    }

    /// One step as (dx, dy).
    #[inline]
    pub const fn delta(self) -> (i32, i32) {
        match self {
            Direction::Horizontal => (1, 0),
            Direction::Vertical => (0, 1),
            Direction::Rising => (1, -1),
            Direction::Falling => (1, 1),
        }
    }

    /// One step as a change of the padded index.
    #[inline]
    pub const fn stride(self) -> isize {
        match self {
            Direction::Horizontal => 1,
            Direction::Vertical => STRIDE as isize,
            Direction::Rising => 1 - STRIDE as isize,
            Direction::Falling => 1 + STRIDE as isize,
        }
    }
}

/// Width and height of a board, each 5 to 22.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// Length of the shortest side.
    pub const MIN_SIDE: usize = 5;
    /// Length of the longest side.
    pub const MAX_SIDE: usize = 22;
    /// Number of points of the largest board.
    pub const MAX_CELLS: usize = Size::MAX_SIDE * Size::MAX_SIDE;

    /// A board of `width` columns and `height` rows; `None` when a side is not 5..=22.
    pub const fn new(width: usize, height: usize) -> Option<Size> {
        let fits =
            width >= Size::MIN_SIDE && width <= Size::MAX_SIDE && height >= Size::MIN_SIDE && height <= Size::MAX_SIDE;
        if fits { Some(Size { width: width as u8, height: height as u8 }) } else { None }
    }

    /// A square board; `None` when the side is not 5..=22.
    pub const fn square(side: usize) -> Option<Size> {
        Size::new(side, side)
    }

    /// Number of columns.
    #[inline]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Number of rows.
    #[inline]
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// Number of points.
    #[inline]
    pub const fn cells(self) -> usize {
        self.width() * self.height()
    }

    /// The point at coordinates that may be anything; `None` when they are not on this board.
    pub fn point(self, x: i64, y: i64) -> Option<Point> {
        let point = Point::new(usize::try_from(x).ok()?, usize::try_from(y).ok()?)?;
        self.contains(point).then_some(point)
    }

    /// Whether the point lies on this board.
    #[inline]
    pub const fn contains(self, point: Point) -> bool {
        point.x() < self.width() && point.y() < self.height()
    }

    /// All points, row by row from the top left.
    pub fn points(self) -> impl Iterator<Item = Point> {
        let (width, height) = (self.width(), self.height());
        (0..height).flat_map(move |y| (0..width).filter_map(move |x| Point::new(x, y)))
    }

    /// The middle of the board. Of two middle lines, the upper or left one counts.
    pub fn center(self) -> Point {
        Point::new((self.width() - 1) / 2, (self.height() - 1) / 2).expect("a board's centre lies on the board")
    }
}

/// `20x15`, columns first.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A text is not the size of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeError;

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a size from 5 to 22, or two sides as in 20x15")
    }
}

impl std::error::Error for SizeError {}

/// `15`, or `20x15` with the columns first.
impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size, SizeError> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        let side = |side: &str| side.parse().map_err(|_| SizeError);
        Size::new(side(width)?, side(height)?).ok_or(SizeError)
    }
}

/// The sorted stones of each side after moves of alternating sides: equal for two orders that lead to the same position.
pub fn sorted_sides(moves: &[Point]) -> [Vec<Point>; 2] {
    [0, 1].map(|first| {
        let mut stones: Vec<Point> = moves.iter().copied().skip(first).step_by(2).collect();
        stones.sort_unstable();
        stones
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_back() {
        for (text, size) in [("15", Size::square(15)), ("20x15", Size::new(20, 15)), ("5X22", Size::new(5, 22))] {
            assert_eq!(text.parse().ok(), size);
            assert_eq!(size.and_then(|size| size.to_string().parse().ok()), size);
        }
        for text in ["", "4", "23", "15x", "x15", "15x4", "15x15x15", "a", "-5"] {
            assert_eq!(text.parse::<Size>(), Err(SizeError), "{text}");
        }
    }

    #[test]
    fn a_step_of_five_stays_inside_the_padded_space() {
        for point in Size::square(22).unwrap().points() {
            for direction in Direction::ALL {
                for steps in -5isize..=5 {
                    let index = point.index() as isize + steps * direction.stride();
                    assert!((0..CELLS as isize).contains(&index));
                }
            }
        }
    }

    #[test]
    fn stepping_agrees_with_padded_arithmetic() {
        let size = Size::new(22, 9).unwrap();
        for point in size.points() {
            assert_eq!(Point::from_index(point.index()), Some(point));
            for direction in Direction::ALL {
                for steps in -5..=5 {
                    let index = point.index() as isize + steps as isize * direction.stride();
                    assert_eq!(point.step(direction, steps), Point::from_index(index as usize));
                }
            }
        }
    }

    #[test]
    fn sizes_are_five_to_twenty_two() {
        assert!(Size::new(4, 15).is_none() && Size::new(15, 23).is_none());
        assert_eq!(Size::new(5, 22).unwrap().points().count(), 110);
        assert_eq!(Size::square(15).unwrap().center().to_string(), "7,7");
        assert_eq!(Size::square(20).unwrap().point(20, 0), None);
        assert_eq!(Size::square(20).unwrap().point(-1, 0), None);
    }
}
