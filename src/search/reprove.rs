//! Proves the wins and losses of a hash file again before the search uses them.
//!
//! A hash file says who wins and by which move, but contains no proof. Its proven results are therefore loaded as claims
//! ([`Bound::Claim`]), which settle nothing. When the search finds a claim, it tries to prove it: by the claimed move for
//! the winner and every reply that the threats leave to the loser, down to wins that the threats or a win by fours prove.
//! The positions on the way are in the file too, so this takes about as many nodes as the proof has positions. A claim that
//! is proven becomes a proof like any other; one that is refuted becomes the strongest estimate.

use super::forced::{self, Duty};
use super::order;
use super::tt::{Bound, TtEntry};
use super::worker::Worker;
use crate::base::{Ply, Point, PointList, Score};
use crate::board::Threat;

/// Most nodes for a claim at a time. What they have proven stays in the table, so the next attempt continues from there.
pub(super) const NODES: u32 = 4096;
/// A decisive score below every win: with this as alpha, quiescence looks for wins only.
const LEAST_WIN: Score = Score::from_units(Score::DECISIVE + 1);

impl Worker<'_> {
    /// The table's entry of the position, seen from `ply`; a claim is examined first.
    #[inline]
    pub(super) fn probe(&mut self, ply: Ply) -> Option<TtEntry> {
        self.probe_within(ply, &mut { NODES })
    }

    /// The same with at most `nodes` nodes for a claim; the nodes used are subtracted.
    #[inline]
    pub(super) fn probe_within(&mut self, ply: Ply, nodes: &mut u32) -> Option<TtEntry> {
        let hit = self.table.probe(self.key(), ply)?;
        Some(if hit.bound == Bound::Claim { self.examine(hit, ply, nodes) } else { hit })
    }

    /// A claim after an attempt to prove it: a proof, an estimate, or the claim itself where nodes or time ran out.
    #[cold]
    fn examine(&mut self, claim: TtEntry, ply: Ply, nodes: &mut u32) -> TtEntry {
        let wins = claim.score.is_win();
        let proven = if !self.paths.is_empty() {
            // Under blocked paths a threat may prove nothing.
            None
        } else if wins {
            self.prove_win(claim.best, ply, nodes)
        } else {
            self.prove_loss(ply, nodes)
        };
        if proven.is_none() && (self.stop.aborted || *nodes == 0) {
            return claim;
        }
        let score = proven.unwrap_or(claim.score.unproven());
        let entry = TtEntry { score, bound: if wins { Bound::Lower } else { Bound::Upper }, ..claim };
        self.table.store(self.key(), ply, entry);
        entry
    }

    /// Proves that the side to move wins by this move.
    fn prove_win(&mut self, point: Option<Point>, ply: Ply, nodes: &mut u32) -> Option<Score> {
        let point = point.filter(|&point| ply < Ply::MAX && self.board.is_empty(point) && self.is_legal(point))?;
        self.play(point);
        let score = self.proven(ply.next(), nodes).map_or_else(|| self.prove_loss(ply.next(), nodes), Some);
        self.undo();
        score.filter(|score| score.is_loss()).map(|score| -score)
    }

    /// Proves that the side to move loses with every reply.
    fn prove_loss(&mut self, ply: Ply, nodes: &mut u32) -> Option<Score> {
        // The next move ends the game, or it has ended.
        if self.board.moves_to_draw() < 2 {
            return None;
        }
        // `duty` is for positions that the threats do not decide.
        if self.board.count(self.board.side(), Threat::Five) > 0 {
            return None;
        }
        let duty = forced::duty(&self.board);
        if ply >= Ply::MAX || (duty.is_free() && !order::is_full_width(&self.board)) {
            return None;
        }
        let mut replies = PointList::new();
        order::for_each_reply(&self.board, &duty, |point| replies.push(point));
        replies.retain(|reply| self.is_legal(*reply));
        let mut best = matches!(duty, Duty::StopFive(_)).then_some(Score::loss_in(ply, 2));
        for reply in replies {
            self.play(reply);
            let score = self.proven(ply.next(), nodes).map_or_else(|| self.prove_attack(ply.next(), nodes), Some);
            self.undo();
            best = best.max(Some(-score.filter(|score| score.is_win())?));
        }
        best.map(|best| duty.unlisted_loss(ply).map_or(best, |loss| best.max(loss)))
    }

    /// The proven score of the position on the board, by its threats or the table.
    fn proven(&mut self, ply: Ply, nodes: &mut u32) -> Option<Score> {
        if *nodes == 0 || self.enter(ply) || self.board.is_draw() {
            return None;
        }
        *nodes -= 1;
        if let Some(score) = forced::static_result(&mut self.board, ply) {
            return Some(score);
        }
        let hit = self.probe_within(ply, nodes)?;
        hit.bound.proves(hit.score).then_some(hit.score)
    }

    /// Looks for a win by fours of the side to move.
    fn prove_attack(&mut self, ply: Ply, nodes: &mut u32) -> Option<Score> {
        if *nodes == 0 || self.stop.aborted {
            return None;
        }
        let before = self.stop.nodes();
        let score = self.quiesce(LEAST_WIN, Score::INFINITE, ply);
        *nodes = nodes.saturating_sub((self.stop.nodes() - before) as u32);
        (!self.stop.aborted).then_some(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Cell, Color, Rule, Size};
    use crate::board::Board;
    use crate::search::history::History;
    use crate::search::limits::SearchControl;
    use crate::search::params::Params;
    use crate::search::shared::Shared;
    use crate::search::tt::TranspositionTable;
    use std::sync::Arc;

    /// Renju, black to move, with a white open four and this many empty points.
    fn open_four(empty: usize) -> Board {
        let size = Size::square(15).unwrap();
        let row: Vec<Point> = (2..=7).map(|x| Point::new(x, 7).unwrap()).collect();
        let mut others = size.points().filter(|point| !row.contains(point) && matches!(point.y(), 0 | 14));
        let left: Vec<Point> = others.by_ref().take(empty - 2).chain([row[0], row[5]]).collect();
        let color = |point: Point| match (point.x() + 2 * point.y()) % 4 {
            _ if row.contains(&point) => Cell::White,
            0 | 1 => Cell::Black,
            _ => Cell::White,
        };
        let stones: Vec<(Point, Cell)> =
            size.points().filter(|point| !left.contains(point)).map(|point| (point, color(point))).collect();
        Board::from_cells(Rule::Renju, size, &stones, Color::Black)
    }

    /// Bug: a claim that made an open four with the last stone before the draw was taken for proven.
    #[test]
    fn no_loss_is_proven_where_the_game_is_drawn_first() {
        for (empty, is_lost) in [(25, false), (26, false), (31, true)] {
            let board = open_four(empty);
            assert_eq!(board.count(Color::White, Threat::Five), 2);
            let shared = Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, 1);
            let (control, params, mut history) =
                (SearchControl::default(), Params::shipped(Rule::Renju), History::new());
            let mut worker = Worker::new(board, &params, &mut history, &shared, 0, &control);
            assert_eq!(worker.prove_loss(Ply::ROOT, &mut 1000).is_some(), is_lost, "{empty} empty points");
        }
    }
}
