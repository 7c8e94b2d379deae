//! Floor 0: the words everything else is written in. Uses `std` only, and on Linux `libc`.

pub mod color;
pub mod depth;
pub mod list;
pub mod maps;
pub mod memory;
pub mod point;
pub mod rule;
pub mod score;

pub use color::{Cell, Color};
pub use depth::{Depth, Ply};
pub use list::{LineList, PointList};
pub use point::{Direction, Point, Size};
pub use rule::{LineRule, Rule};
pub use score::{Score, StoredScore};
