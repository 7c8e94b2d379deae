//! What a stone on an empty point would make: on one line ([`Shape`]), and on all four together ([`Threat`]).
//!
//! In the pictures, `X` is the colour in question, `O` its opponent, `.` an empty cell, and `*` the point.

use crate::base::{Direction, Point};

/// The class of a line through a point, after a stone of one colour on that point; from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Shape {
    /// No winning row through the point is possible: `O.X*.O`.
    Dead = 0,
    /// A row that is too long to win, `XXX*XX`; for black in renju also two fours on one line.
    Overline = 1,
    /// One more stone makes a [`Shape::Two`]: `O..*..O`.
    One = 2,
    /// One more stone makes an open two: `O....*....O`.
    OpenOne = 3,
    /// One more stone makes a [`Shape::Three`]: `OX*.....`.
    Two = 4,
    /// An open two: one or two points make it an open three, `..X..*...`.
    OpenTwoNarrow = 5,
    /// An open two with three such points: `...X.*....`.
    OpenTwo = 6,
    /// An open two with four or more such points: `....X*....`.
    OpenTwoWide = 7,
    /// A closed three: one more stone makes a closed four, but none an open four, `OX.X*..`.
    Three = 8,
    /// An open three: one point makes it an open four, `..X.X*...`.
    OpenThree = 9,
    /// An open three with two or more such points: `...XX*...`.
    OpenThreeWide = 10,
    /// A closed four: one stone stops it (in caro there can be two such points), `OXXX*.`.
    Four = 11,
    /// An open four: no single stone stops it, `.XXX*.`.
    OpenFour = 12,
    /// A winning row, `XXX*X`.
    Five = 13,
}

impl Shape {
    /// All shapes, weakest first. Arrays by shape have the length `Shape::ALL.len()`.
    pub const ALL: [Shape; 14] = [
        Shape::Dead,
        Shape::Overline,
        Shape::One,
        Shape::OpenOne,
        Shape::Two,
        Shape::OpenTwoNarrow,
        Shape::OpenTwo,
        Shape::OpenTwoWide,
        Shape::Three,
        Shape::OpenThree,
        Shape::OpenThreeWide,
        Shape::Four,
        Shape::OpenFour,
        Shape::Five,
    ];

    /// The shape with this code; `Dead` for larger codes, which do not occur.
    #[inline]
    pub const fn from_code(code: u8) -> Shape {
        if (code as usize) < Shape::ALL.len() { Shape::ALL[code as usize] } else { Shape::Dead }
    }

    /// Any open two.
    #[inline]
    pub const fn is_open_two(self) -> bool {
        matches!(self, Shape::OpenTwoNarrow | Shape::OpenTwo | Shape::OpenTwoWide)
    }

    /// Any open three.
    #[inline]
    pub const fn is_open_three(self) -> bool {
        matches!(self, Shape::OpenThree | Shape::OpenThreeWide)
    }

    /// A closed or open four.
    #[inline]
    pub const fn is_four(self) -> bool {
        matches!(self, Shape::Four | Shape::OpenFour)
    }

    /// A four or better, or what may be one: for black in renju an overline may be two fours on one line.
    #[inline]
    pub const fn may_be_four(self) -> bool {
        self.is_four() || matches!(self, Shape::Five | Shape::Overline)
    }
}

// The board keeps the codes of shapes and threats in nibbles, and counts points of each threat in arrays of 16.
const _: () = {
    assert!(Shape::ALL.len() <= 16 && Threat::ALL.len() <= 16);
    let mut code = 0;
    while code < Shape::ALL.len() {
        assert!(Shape::ALL[code] as usize == code, "a shape's code is its place in `ALL`");
        code += 1;
    }
    let mut index = 0;
    while index < Threat::ALL.len() {
        assert!(Threat::ALL[index].index() == index, "a threat's index is its place in `ALL`");
        index += 1;
    }
};

/// What a stone of one colour on a point would make on all four lines together, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Threat {
    /// No threat.
    None = 0,
    /// For black in renju, forbidden by the shapes alone. A double three may still be legal; see `forbidden.rs`.
    Forbidden = 1,
    /// One open two.
    OpenTwo = 2,
    /// One closed three.
    Three = 3,
    /// Two open twos.
    DoubleTwo = 4,
    /// Two closed threes, or a closed three and an open two.
    ThreePlus = 5,
    /// One open three.
    OpenThree = 6,
    /// An open three with a closed three or an open two.
    OpenThreePlus = 7,
    /// Two open threes.
    DoubleThree = 8,
    /// A closed four.
    Four = 9,
    /// A closed four with a closed three or an open two.
    FourPlus = 10,
    /// A closed four with an open three.
    FourThree = 11,
    /// An open four, or two closed fours: no single stone stops it.
    OpenFour = 12,
    /// A winning row.
    Five = 13,
}

impl Threat {
    /// Whether it makes a four or better, or may do so: black's suspected fouls in renju.
    #[inline]
    pub const fn is_strong(self) -> bool {
        Threat::is_strong_index(self.index())
    }

    /// [`Threat::is_strong`] of the threat with this index.
    #[inline]
    pub(super) const fn is_strong_index(index: usize) -> bool {
        index >= Threat::Four.index() || index == Threat::Forbidden.index()
    }

    /// All threats, weakest first. Arrays by threat have the length `Threat::ALL.len()`.
    pub const ALL: [Threat; 14] = [
        Threat::None,
        Threat::Forbidden,
        Threat::OpenTwo,
        Threat::Three,
        Threat::DoubleTwo,
        Threat::ThreePlus,
        Threat::OpenThree,
        Threat::OpenThreePlus,
        Threat::DoubleThree,
        Threat::Four,
        Threat::FourPlus,
        Threat::FourThree,
        Threat::OpenFour,
        Threat::Five,
    ];

    /// Number of pairs of a threat that a move makes and a threat that it denies.
    pub const PAIRS: usize = Threat::ALL.len() * Threat::ALL.len();

    /// Index into per-threat arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Index, below [`Threat::PAIRS`], of the pair of the threat that a move makes and the threat that it denies.
    #[inline(always)]
    pub const fn pair(made: Threat, denied: Threat) -> usize {
        made.index() * Threat::ALL.len() + denied.index()
    }

    /// The threats that a move makes and denies, by their [`Board::threat_code`](super::Board::threat_code); `None` for a nibble
    /// that is no threat.
    pub fn of_code(code: u8) -> [Option<Threat>; 2] {
        [code >> 4, code & 15].map(|index| Threat::ALL.get(usize::from(index)).copied())
    }

    /// The threat of a point from the shapes of its four lines. `forbidden_rule`: the colour has forbidden points (black
    /// in renju). A five takes precedence over a foul, and a foul over a four.
    pub fn of_lines(lines: [Shape; 4], forbidden_rule: bool) -> Threat {
        let count = |is: fn(Shape) -> bool| lines.iter().filter(|&&shape| is(shape)).count();
        let fives = count(|s| s == Shape::Five);
        let overlines = count(|s| s == Shape::Overline);
        let open_fours = count(|s| s == Shape::OpenFour);
        let fours = count(|s| s == Shape::Four);
        let open_threes = count(Shape::is_open_three);
        let threes = count(|s| s == Shape::Three);
        let open_twos = count(Shape::is_open_two);
        let plus = threes + open_twos > 0;
        if fives > 0 {
            Threat::Five
        } else if forbidden_rule && (overlines > 0 || open_fours + fours >= 2 || open_threes >= 2) {
            Threat::Forbidden
        } else if open_fours > 0 || fours >= 2 {
            Threat::OpenFour
        } else if fours == 1 && open_threes > 0 {
            Threat::FourThree
        } else if fours == 1 {
            if plus { Threat::FourPlus } else { Threat::Four }
        } else if open_threes >= 2 {
            Threat::DoubleThree
        } else if open_threes == 1 {
            if plus { Threat::OpenThreePlus } else { Threat::OpenThree }
        } else if threes >= 2 || (threes == 1 && open_twos > 0) {
            Threat::ThreePlus
        } else if open_twos >= 2 {
            Threat::DoubleTwo
        } else if threes == 1 {
            Threat::Three
        } else if open_twos == 1 {
            Threat::OpenTwo
        } else {
            Threat::None
        }
    }
}

/// Why black may not play on a point in renju.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foul {
    /// Six or more in a row on this line.
    Overline(Direction),
    /// Two or more fours, with their lines; a line with two fours is listed twice.
    DoubleFour(Vec<Direction>),
    /// Two or more real threes.
    DoubleThree(Vec<RealThree>),
}

/// A real three of a double three: black may legally play on a point that makes it a straight four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealThree {
    /// The line of the three.
    pub direction: Direction,
    /// The first such point along the line.
    pub four_point: Point,
}
