//! The two colours, and what a cell can hold.

/// A side. Black plays the first stone of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first, and that has forbidden points in renju.
    Black = 0,
    /// The side that moves second.
    White = 1,
}

impl Color {
    /// Both sides, black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The side to move after this many moves from the empty board.
    pub const fn to_move_after(moves: usize) -> Color {
        Color::ALL[moves % 2]
    }

    /// The other side.
    #[inline]
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// The side's English name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }

    /// Index into per-colour arrays: black 0, white 1.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What stands on a cell. A wall is a cell where no stone can be played: beyond the edge, or a square that a continuous
/// game has declared dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Cell {
    /// A black stone.
    Black = 0,
    /// A white stone.
    White = 1,
    /// No stone.
    Empty = 2,
    /// Beyond the edge, or a dead square.
    Wall = 3,
}

impl Cell {
    /// Stones of both sides in turns, black first, without end: those of the moves from the empty board.
    pub fn stones_in_turn() -> impl Iterator<Item = Cell> {
        Color::ALL.into_iter().cycle().map(Cell::from)
    }

    /// The colour of the stone; `None` for an empty cell or a wall.
    #[inline]
    pub const fn color(self) -> Option<Color> {
        match self {
            Cell::Black => Some(Color::Black),
            Cell::White => Some(Color::White),
            Cell::Empty | Cell::Wall => None,
        }
    }
}

impl From<Color> for Cell {
    fn from(color: Color) -> Cell {
        match color {
            Color::Black => Cell::Black,
            Color::White => Cell::White,
        }
    }
}
