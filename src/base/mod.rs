//! The basic types that all other modules use: colours, points, rules, scores, depths. Depends on `std` and on small
//! crates for lists and memory only.

pub mod clock;
pub mod color;
pub mod depth;
pub mod hash;
pub mod index;
pub mod list;
pub mod maps;
pub mod memory;
pub mod point;
pub mod processors;
pub mod rule;
pub mod score;

pub use color::{Cell, Color};
pub use depth::{Depth, Ply};
pub use index::bounded;
pub use list::{LineList, MoveScores, PointList, ReplyList};
pub use point::{Direction, Point, Size};
pub use rule::{LineRule, Rule};
pub use score::{Score, StoredScore};
