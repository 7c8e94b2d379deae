//! Fixed-capacity lists, so that the search never allocates. Floor 0.

use super::point::{Point, Size};
use arrayvec::ArrayVec;

/// Room for every point of the largest board.
pub type PointList = ArrayVec<Point, { Size::MAX_CELLS }>;
