//! What a search is asked about beyond the position: how many best lines, and which moves are out of the question,
//! at the root or at the end of a line. Floor 3.

use super::forced::Duty;
use super::order;
use super::worker::Worker;
use crate::base::{Depth, Ply, Point, Score};
use crate::board::observer::NullObserver;
use crate::board::symmetry::Symmetry;
use crate::board::{Board, Threat};
use crate::eval::Evaluator;

/// The question put to a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Points that must not be played at the root.
    pub blocked: Vec<Point>,
    /// Moves that must not be played deeper in the tree.
    pub paths: BlockedPaths,
    /// How many of the best moves are wanted, each with its line; at least 1.
    pub lines: usize,
    /// Whether moves that a symmetry of the position maps onto each other all count.
    pub all_symmetric: bool,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope { blocked: Vec::new(), paths: BlockedPaths::default(), lines: 1, all_symmetric: false }
    }
}

/// A position on the way to a blocked move, and the moves that are blocked there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Station {
    key: u64,
    blocked: Vec<Point>,
}

/// Lines whose last move must not be played: a game with other rules. The positions on such a line are searched
/// plainly, because what threats prove there may rest on a move that is blocked; and everything that the search
/// learns is kept apart from what holds in the game itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockedPaths {
    paths: Vec<Vec<Point>>,
    stations: Vec<Station>,
    salt: u64,
}

impl BlockedPaths {
    /// For a search of `root`; each path begins there and its last move is the blocked one. Paths that cannot be
    /// played are left out, and so are single moves: these are blocked at the root, see [`Scope::blocked`].
    pub fn new(root: &Board, paths: &[Vec<Point>]) -> BlockedPaths {
        let mut all = BlockedPaths::default();
        for path in paths.iter().filter(|path| path.len() > 1) {
            all.add(root, path);
        }
        all.stations.sort_unstable_by_key(|station| station.key);
        for station in &mut all.stations {
            station.blocked.sort_unstable();
            station.blocked.dedup();
            for point in &station.blocked {
                let word = (station.key ^ point.index() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                all.salt = (all.salt ^ word).rotate_left(23).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            }
        }
        all
    }

    fn add(&mut self, root: &Board, path: &[Point]) {
        let mut board = root.clone();
        let mut keys = vec![board.key()];
        for &point in path {
            if !board.size().contains(point) || !board.is_empty(point) {
                return;
            }
            board.play(point, &mut NullObserver);
            keys.push(board.key());
        }
        self.paths.push(path.to_vec());
        for (index, &point) in path.iter().enumerate() {
            let key = keys[index];
            let at = self.stations.iter().position(|station| station.key == key).unwrap_or_else(|| {
                self.stations.push(Station { key, blocked: Vec::new() });
                self.stations.len() - 1
            });
            if index + 1 == path.len() {
                self.stations[at].blocked.push(point);
            }
        }
    }

    /// Whether nothing is blocked.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// What is blocked in the position with this key; `None` when no blocked move lies ahead of it.
    #[inline]
    pub fn at(&self, key: u64) -> Option<&[Point]> {
        if self.is_empty() {
            return None;
        }
        self.stations.iter().find(|station| station.key == key).map(|station| station.blocked.as_slice())
    }

    /// Whether a symmetry of the root maps what is blocked onto itself.
    pub fn are_kept_by(&self, symmetry: Symmetry, root: &Board) -> bool {
        let turned = |path: &Vec<Point>| path.iter().map(|&point| symmetry.apply(point, root.size())).collect();
        let turned: Vec<Vec<Point>> = self.paths.iter().map(turned).collect();
        BlockedPaths::new(root, &turned).stations == self.stations
    }

    /// Keeps what is learned under these paths apart: goes into every key of the table. Zero without paths.
    #[inline]
    pub fn salt(&self) -> u64 {
        self.salt
    }
}

impl Worker<'_> {
    /// Searches a position on the way to a blocked move; `None` when it is not on any. Every legal move that is not
    /// blocked is tried, without help from the table or from what the threats prove, at least one ply deep.
    pub(super) fn search_on_path(&mut self, mut alpha: Score, beta: Score, depth: Depth, ply: Ply) -> Option<Score> {
        let blocked = self.paths.at(self.board.key())?.to_vec();
        self.lines[ply.index()].clear();
        if self.enter(ply) || self.board.is_draw() {
            return Some(Score::DRAW);
        }
        if ply >= Ply::MAX {
            return Some(self.evaluator.evaluate(&self.board));
        }
        let us = self.board.side();
        let mut moves = Vec::new();
        order::for_each_reply(&self.board, &Duty::Free, |point| {
            if !blocked.contains(&point) {
                moves.push((-order::score(&self.params, &self.board, us, point, &self.evaluator, self.history), point));
            }
        });
        moves.sort_unstable();
        let next = (depth - Depth::ONE).max(Depth::ZERO);
        let mut best: Option<Score> = None;
        for (_, point) in moves {
            if !self.is_legal(point) {
                continue;
            }
            let mut score = Score::win_in(ply, 1);
            if self.board.threat(point, us) == Threat::Five {
                self.lines[ply.next().index()].clear();
            } else {
                self.play(point);
                score = -self.search(-alpha.above(), -alpha, next, ply.next());
                if score > alpha && score < beta {
                    score = -self.search(-beta, -alpha, next, ply.next());
                }
                self.undo();
            }
            if self.aborted {
                return Some(Score::DRAW);
            }
            best = best.max(Some(score));
            if score > alpha {
                alpha = score;
                self.extend_line(ply, point);
                if score >= beta {
                    break;
                }
            }
        }
        Some(match best {
            // Nothing else to play, which the game itself does not know.
            None => self.evaluator.evaluate(&self.board),
            // The game itself knows the blocked moves.
            Some(best) if best.is_loss() && !(blocked.is_empty() && order::is_full_width(&self.board)) => {
                best.unproven()
            }
            Some(best) => best,
        })
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
    fn the_last_move_of_a_path_is_blocked_and_what_leads_there_is_known() {
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
