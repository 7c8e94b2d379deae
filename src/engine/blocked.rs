//! The moves that an analysing GUI has blocked: points, and the last moves of lines from the empty board.

use crate::base::{Cell, Point, Size};

/// Blocked points and lines. They stay from game to game until they are unblocked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocked {
    points: Vec<Point>,
    /// Lines from the empty board. The search must not play the last move of a line after its other moves, which may have
    /// been played in any order.
    paths: Vec<Vec<Point>>,
}

impl Blocked {
    /// Points that the search must not play at the root.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Whether nothing is blocked.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.paths.is_empty()
    }

    /// Blocks exactly these points.
    pub fn set_points(&mut self, points: &[Point]) {
        self.points = points.to_vec();
    }

    /// Blocks these points, too.
    pub fn add_points(&mut self, points: &[Point]) {
        for &point in points {
            if !self.points.contains(&point) {
                self.points.push(point);
            }
        }
    }

    /// Unblocks these points.
    pub fn remove_points(&mut self, points: &[Point]) {
        self.points.retain(|point| !points.contains(point));
    }

    /// Blocks exactly these lines.
    pub fn set_paths(&mut self, paths: &[Vec<Point>]) {
        self.paths = paths.to_vec();
    }

    /// Blocks this line, too; an empty one has no last move and is ignored.
    pub fn add_path(&mut self, path: &[Point]) {
        if !path.is_empty() && !self.paths.iter().any(|blocked| blocked == path) {
            self.paths.push(path.to_vec());
        }
    }

    /// Unblocks this line.
    pub fn remove_path(&mut self, path: &[Point]) {
        self.paths.retain(|blocked| blocked != path);
    }

    /// Drops everything that does not lie on a board of this size.
    pub fn fit(&mut self, size: Size) {
        self.points.retain(|&point| size.contains(point));
        self.paths.retain(|path| path.iter().all(|&point| size.contains(point)));
    }

    /// The blocked lines that lead through the position of these stones, without the moves up to it.
    pub(super) fn paths_from(&self, stones: &[(Point, Cell)]) -> Vec<Vec<Point>> {
        let rest = |path: &Vec<Point>| {
            let (walked, rest) = path.split_at_checked(stones.len())?;
            let is_here = walked.iter().copied().zip(Cell::stones_in_turn()).all(|stone| stones.contains(&stone));
            (is_here && !rest.is_empty()).then(|| rest.to_vec())
        };
        self.paths.iter().filter_map(rest).collect()
    }
}
