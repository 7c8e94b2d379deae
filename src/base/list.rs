//! Fixed-capacity lists, so that the search never allocates. Floor 0.

use super::point::{Point, Size};
use arrayvec::ArrayVec;

/// Room for every point of the largest board.
pub type PointList = ArrayVec<Point, { Size::MAX_CELLS }>;

/// Room for the cells of the four lines through a point, five steps each way: ten times cheaper to hand on.
pub type LineList = ArrayVec<Point, 41>;
