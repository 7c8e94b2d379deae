//! What a stone on an empty point would make: along one line ([`Shape`]) and over all four ([`Threat`]).
//!
//! Pictures: `X` the colour meant, `O` the opponent, `.` empty, `*` the point itself.

use crate::base::{Direction, Point};

/// The line through a point after a stone of one colour on it, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Shape {
    /// No winning row through the point is possible any more.
    Dead = 0,
    /// Six or more where that does not win; for black in renju also two fours in one line.
    Overline = 1,
    /// One stone away from a [`Shape::Two`].
    One = 2,
    /// One stone away from an open two.
    OpenOne = 3,
    /// One stone away from a [`Shape::Three`].
    Two = 4,
    /// Open two that one or two points turn into an open three: `..X..*...`.
    OpenTwoNarrow = 5,
    /// Open two with three such points: `...X.*....`.
    OpenTwo = 6,
    /// Open two with four or more such points: `....X*....`.
    OpenTwoWide = 7,
    /// Closed three: one stone away from a closed four only, `OX.X*..`.
    Three = 8,
    /// Open three with one way to an open four: `..X.X*...`.
    OpenThree = 9,
    /// Open three with two or more ways to an open four: `...XX*...`.
    OpenThreeWide = 10,
    /// A four with one answer (in caro, one or two): `OXXX*.`.
    Four = 11,
    /// A four that one stone cannot stop: `.XXX*.`.
    OpenFour = 12,
    /// Wins at once.
    Five = 13,
}

impl Shape {
    /// All shapes, weakest first.
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

    /// The shape with this code; codes above 13 never occur and read as `Dead`.
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
}

/// What a stone on a point would be worth to one colour, all four lines together, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Threat {
    /// Nothing in particular.
    None = 0,
    /// Black in renju: forbidden by the shapes alone; a suspected double three may turn out legal.
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
    /// A four that one stone cannot stop: open, or two closed fours at once.
    OpenFour = 12,
    /// Wins at once.
    Five = 13,
}

impl Threat {
    /// All threats, weakest first.
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

    /// Index into per-threat arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Combines the four lines of a point; `forbidden_rule` when the colour has forbidden points (renju black).
    /// The order of the tests is the order of what beats what: a five beats every foul, a foul every four.
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

/// Why black may not play a point in renju.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foul {
    /// Six or more in a row along this line.
    Overline(Direction),
    /// Two or more fours; a line that holds two of them is listed twice.
    DoubleFour(Vec<Direction>),
    /// Two or more real threes.
    DoubleThree(Vec<RealThree>),
}

/// One real three of a double three: its line, and a point where black may legally turn it into a straight four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealThree {
    /// The line of the three.
    pub direction: Direction,
    /// The first such point, from the negative end of the line.
    pub four_point: Point,
}
