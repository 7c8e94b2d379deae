//! Lists with room of their own, so that the search does not allocate. Floor 0.

use super::point::{Point, Size};
use arrayvec::ArrayVec;
use smallvec::SmallVec;

/// Room for every point of the largest board.
pub type PointList = ArrayVec<Point, { Size::MAX_CELLS }>;

/// Room for the cells of the four lines through a point, five steps each way: ten times cheaper to hand on.
pub type LineList = ArrayVec<Point, 41>;

/// The replies to a threat: a few cells as a rule and cheap to hand on; more than these find room, too.
pub type ReplyList = SmallVec<[Point; 32]>;
