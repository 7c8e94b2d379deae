//! Lists of points that are stored in place, so that the search does not allocate.

use super::point::{Point, Size};
use arrayvec::ArrayVec;
use smallvec::SmallVec;

/// A list with room for every point of the largest board.
pub type PointList = ArrayVec<Point, { Size::MAX_CELLS }>;

/// A list with room for the cells of the four lines through a point, five steps each way. A tenth of the size of a
/// [`PointList`].
pub type LineList = ArrayVec<Point, 41>;

/// Scores of moves, one for each point of a list.
pub type MoveScores = ArrayVec<i32, { Size::MAX_CELLS }>;

/// The replies to a threat. Up to 32 are stored in place, which is nearly always enough; more go to the heap.
pub type ReplyList = SmallVec<[Point; 32]>;
