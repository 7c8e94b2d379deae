//! Wins and losses that a file claims, proven again before anything rests on them. Floor 3.
//!
//! A hash file says who wins and by which move, not why. So its proven results come into the table as claims
//! ([`Bound::Claim`]), which settle nothing. When the search meets one, it follows it: the claimed move for the winner,
//! every reply that the threats leave for the loser, down to wins that the threats or a chain of fours prove. The
//! positions on the way are in the file, too, so this takes about as many nodes as the proof has positions. What is
//! proven in this way is a proof like any other; what is not becomes a belief, the strongest estimate there is.

use super::forced::{self, Duty};
use super::order;
use super::tt::{Bound, TtEntry};
use super::worker::Worker;
use crate::base::{Ply, Point, PointList, Score};
use crate::board::Threat;

/// Nodes spent on a claim at a time. What was proven until then stays, so the next time goes on from there.
pub(super) const NODES: u32 = 4096;
/// Below every win, and still a result: with this for alpha, quiescence looks for wins and nothing else.
const LEAST_WIN: Score = Score::from_units(Score::DECISIVE + 1);

impl Worker<'_> {
    /// What the table knows about the position, seen from `ply`; a claim is looked into first.
    #[inline]
    pub(super) fn probe(&mut self, ply: Ply) -> Option<TtEntry> {
        self.probe_within(ply, &mut { NODES })
    }

    /// The same, with so many nodes for a claim; what it takes is taken off.
    #[inline]
    pub(super) fn probe_within(&mut self, ply: Ply, nodes: &mut u32) -> Option<TtEntry> {
        let hit = self.table.probe(self.key(), ply)?;
        Some(if hit.bound == Bound::Claim { self.look_into(hit, ply, nodes) } else { hit })
    }

    /// What is left of a claim: a proof, a belief, or the claim itself where the nodes or the time did not suffice.
    #[cold]
    fn look_into(&mut self, claim: TtEntry, ply: Ply, nodes: &mut u32) -> TtEntry {
        let wins = claim.score.is_win();
        let proven = if !self.paths.is_empty() {
            // Blocked paths are another game, in which a threat may prove nothing.
            None
        } else if wins {
            self.prove_win(claim.best, ply, nodes)
        } else {
            self.prove_loss(ply, nodes)
        };
        if proven.is_none() && (self.aborted || *nodes == 0) {
            return claim;
        }
        let score = proven.unwrap_or(claim.score.unproven());
        let entry = TtEntry { score, bound: if wins { Bound::Lower } else { Bound::Upper }, ..claim };
        self.table.store(self.key(), ply, entry);
        entry
    }

    /// The side to move wins by this move.
    fn prove_win(&mut self, point: Option<Point>, ply: Ply, nodes: &mut u32) -> Option<Score> {
        let point = point.filter(|&point| ply < Ply::MAX && self.board.is_empty(point) && self.is_legal(point))?;
        self.play(point);
        let score = self.proven(ply.next(), nodes).map_or_else(|| self.prove_loss(ply.next(), nodes), Some);
        self.undo();
        score.filter(|score| score.is_loss()).map(|score| -score)
    }

    /// The side to move loses whatever it replies.
    fn prove_loss(&mut self, ply: Ply, nodes: &mut u32) -> Option<Score> {
        // Duties are those of positions that the threats have not decided.
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
        best
    }

    /// What is proven about the position that was just reached.
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

    /// A win of the side to move that stands in no table: by a chain of fours.
    fn prove_attack(&mut self, ply: Ply, nodes: &mut u32) -> Option<Score> {
        if *nodes == 0 || self.aborted {
            return None;
        }
        let before = self.nodes;
        let score = self.quiesce(LEAST_WIN, Score::INFINITE, ply);
        *nodes = nodes.saturating_sub((self.nodes - before) as u32);
        (!self.aborted).then_some(score)
    }
}
