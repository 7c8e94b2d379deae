//! What a search is asked beyond the position: the number of lines, and the moves that are blocked, at the root or at the
//! end of a path.

use crate::base::Point;
use crate::base::hash::{GOLDEN, scatter};
use crate::board::Board;
use crate::board::observer::NullObserver;
use crate::board::symmetry::Symmetry;

/// The question of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Points that must not be played at the root.
    pub blocked: Vec<Point>,
    /// Moves that must not be played deeper in the tree.
    pub paths: BlockedPaths,
    /// Number of best lines wanted, at least 1.
    pub lines: usize,
    /// Whether moves that a symmetry of the position maps onto each other are all searched; otherwise one of them is.
    pub all_symmetric: bool,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope { blocked: Vec::new(), paths: BlockedPaths::default(), lines: 1, all_symmetric: false }
    }
}

/// A position on a blocked path, and the moves that are blocked there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathNode {
    key: u64,
    blocked: Vec<Point>,
}

/// Paths from the root whose last move must not be played. Positions on a path are searched without the table and without
/// what threats prove, because such a result may need a blocked move. They are recognised by their stones: where the moves
/// come in another order, the positions between are on no path, although what follows may need the blocked move, too.
/// Results found under blocked paths have keys of their own in the table: they do not hold in the game itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockedPaths {
    paths: Vec<Vec<Point>>,
    nodes: Vec<PathNode>,
    salt: u64,
}

impl BlockedPaths {
    /// For a search of `root`, where every path begins. Paths that cannot be played are left out, and so are single moves,
    /// which are blocked at the root: see [`Scope::blocked`].
    pub fn new(root: &Board, paths: &[Vec<Point>]) -> BlockedPaths {
        let mut all = BlockedPaths::default();
        if !paths.is_empty() {
            let mut board = root.clone();
            paths.iter().filter(|path| path.len() > 1).for_each(|path| all.add(&mut board, path));
        }
        all.nodes.sort_unstable_by_key(|node| node.key);
        for node in &mut all.nodes {
            node.blocked.sort_unstable();
            node.blocked.dedup();
            for point in &node.blocked {
                all.salt = scatter(all.salt.wrapping_add(GOLDEN) ^ node.key ^ point.index() as u64);
            }
        }
        all
    }

    /// Adds a path from the position of `board`, which is the same afterwards.
    fn add(&mut self, board: &mut Board, path: &[Point]) {
        let mut keys = vec![board.key()];
        for &point in path {
            if !board.size().contains(point) || !board.is_empty(point) {
                break;
            }
            board.play(point, &mut NullObserver);
            keys.push(board.key());
        }
        (1..keys.len()).for_each(|_| board.undo(&mut NullObserver));
        if keys.len() <= path.len() {
            return;
        }
        self.paths.push(path.to_vec());
        for (index, &point) in path.iter().enumerate() {
            let key = keys[index];
            let at = self.nodes.iter().position(|node| node.key == key).unwrap_or_else(|| {
                self.nodes.push(PathNode { key, blocked: Vec::new() });
                self.nodes.len() - 1
            });
            if index + 1 == path.len() {
                self.nodes[at].blocked.push(point);
            }
        }
    }

    /// Whether nothing is blocked.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The moves blocked in the position with this key; `None` when it is on no path.
    #[inline]
    pub fn at(&self, key: u64) -> Option<&[Point]> {
        if self.is_empty() {
            return None;
        }
        self.nodes.iter().find(|node| node.key == key).map(|node| node.blocked.as_slice())
    }

    /// Whether a symmetry of the root maps the blocked paths onto themselves.
    pub fn are_kept_by(&self, symmetry: Symmetry, root: &Board) -> bool {
        let turned = |path: &Vec<Point>| path.iter().map(|&point| symmetry.apply(point, root.size())).collect();
        let turned: Vec<Vec<Point>> = self.paths.iter().map(turned).collect();
        BlockedPaths::new(root, &turned).nodes == self.nodes
    }

    /// Part of every key of the table under these paths; zero without paths.
    #[inline]
    pub fn salt(&self) -> u64 {
        self.salt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Rule, Size};

    fn point(x: usize, y: usize) -> Point {
        Point::new(x, y).unwrap()
    }

    #[test]
    fn the_last_move_of_a_path_is_blocked_and_the_moves_before_are_on_it() {
        let root = Board::new(Rule::Freestyle, Size::square(15).unwrap());
        let paths = BlockedPaths::new(&root, &[vec![point(7, 7), point(8, 8)], vec![point(7, 7), point(8, 7)]]);
        assert_eq!(paths.at(root.key()), Some(&[][..]));
        let mut board = root.clone();
        board.play(point(7, 7), &mut NullObserver);
        assert_eq!(paths.at(board.key()), Some(&[point(8, 7), point(8, 8)][..]));
        board.play(point(6, 6), &mut NullObserver);
        assert_eq!(paths.at(board.key()), None);
        assert_ne!(paths.salt(), 0);
    }

    #[test]
    fn what_cannot_be_played_or_is_a_single_move_changes_nothing() {
        let mut root = Board::new(Rule::Freestyle, Size::square(15).unwrap());
        root.play(point(7, 7), &mut NullObserver);
        let paths = [vec![point(3, 3)], vec![point(7, 7), point(3, 3)], vec![point(3, 3), point(18, 3)], Vec::new()];
        let paths = BlockedPaths::new(&root, &paths);
        assert!(paths.is_empty() && paths.salt() == 0 && paths.at(root.key()).is_none());
    }

    #[test]
    fn the_order_of_paths_does_not_matter() {
        let root = Board::new(Rule::Renju, Size::square(15).unwrap());
        let (a, b) = (vec![point(1, 1), point(2, 2)], vec![point(1, 1), point(3, 3), point(4, 4)]);
        let (one, two) = (BlockedPaths::new(&root, &[a.clone(), b.clone()]), BlockedPaths::new(&root, &[b, a]));
        assert_eq!(one.salt(), two.salt());
    }
}
