//! The two sides, and what a cell may hold. Floor 0.

/// A side. Black is whoever placed the first stone of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// The first mover; the side with forbidden points in renju.
    Black = 0,
    /// The second mover.
    White = 1,
}

impl Color {
    /// Both sides, black first; for loops over per-colour tables.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The other side.
    #[inline]
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// Index into per-colour arrays: black 0, white 1.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What stands on a cell. A wall is everything a stone can never be put on: beyond the edge, or a
/// square that a continuous game has declared dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Cell {
    /// A black stone.
    Black = 0,
    /// A white stone.
    White = 1,
    /// Nothing yet.
    Empty = 2,
    /// No stone can ever stand here.
    Wall = 3,
}

impl Cell {
    /// The colour of the stone here, if there is one.
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
