//! Results of iterations and searches as data. No text.

use crate::base::{Point, Score};
use std::time::Duration;

/// One finished iteration of the deepening search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Nominal depth in plies.
    pub depth: u32,
    /// Deepest line reached, in plies.
    pub seldepth: u32,
    /// Score for the side to move. In the first line it is the position's: a proven loss only where no reply is blocked and
    /// only replies that a threat refutes were left out. In another line it is the score of the line's move.
    pub score: Score,
    /// Nodes since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The principal variation, from the move to be played on.
    pub pv: Vec<Point>,
    /// Rank of the line among the best ones, from 1.
    pub rank: usize,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The move to play; `None` only when the board has no empty point.
    pub best: Option<Point>,
    /// The moves that are proven to lose, unless all of them are.
    pub losing: Vec<Point>,
    /// The last finished iteration; where none was needed, a report with the known result.
    pub last: Iteration,
    /// The best lines, best first, with the scores of their moves: as many as wanted, or as there are moves. Empty if one
    /// line was wanted, one move was considered, a five is on the board, only fouls are left, or the first iteration was cut
    /// short; `last` is then the best line, if there is one.
    pub lines: Vec<Iteration>,
    /// Number of nodes at which the search was cut short, if it was. With this as its only limit, one thread takes the same
    /// course again; a search that was not cut short does so with `entered` as its depth limit.
    pub cut: Option<u64>,
    /// Depth of the last iteration begun.
    pub entered: u32,
    /// The score of `best` in the iteration that was cut short, if one line was wanted and it was found there. The moves that were not
    /// searched may be better, and still it predicts a deeper search better than the last finished iteration does. Experiment:
    /// `partial-labels`.
    pub partial: Option<Score>,
}

impl SearchReport {
    /// Whether the score says nothing: the search was cut short in its first iteration, and no win is known, or the score no longer
    /// stands.
    pub fn is_unknown(&self) -> bool {
        (self.last.depth == 0 && !self.last.score.is_win()) || !self.stands()
    }

    /// Whether the score and the line of the last finished iteration still stand: the one that was cut short may have proven that
    /// their move loses. `best` is then another move, of which nothing is known.
    pub fn stands(&self) -> bool {
        self.last.score.is_loss() || !self.last.pv.first().is_some_and(|first| self.losing.contains(first))
    }

    /// The best estimate of the position's value: that of the iteration that was cut short, or that of the last finished one, which
    /// may be proven.
    pub fn estimate(&self) -> Score {
        self.partial.filter(|_| !self.last.score.is_decisive()).unwrap_or(self.last.score)
    }

    /// The last finished iteration; if the one that was cut short found another move and its score, a line of that move.
    pub fn with_own_move(&self) -> Iteration {
        match (self.best, self.partial) {
            (Some(best), Some(score)) if self.last.pv.first() != Some(&best) => {
                Iteration { score, pv: vec![best], ..self.last.clone() }
            }
            _ => self.last.clone(),
        }
    }

    /// A report with a move and its iteration only.
    pub fn new(best: Option<Point>, last: Iteration) -> SearchReport {
        SearchReport { best, losing: Vec::new(), last, lines: Vec::new(), cut: None, entered: 0, partial: None }
    }
}

/// Progress of a running search at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootEvent {
    /// An iteration to this depth begins.
    Deepens(u32),
    /// The search of a move begins.
    Begins(Point),
    /// The search of a move ends.
    Ends(Point),
    /// The move is the best so far.
    Leads(Point),
    /// The move is proven to lose.
    Loses(Point),
}

/// Receives the reports of a running search, on the searching thread.
pub trait ReportSink {
    /// Called for each line of a finished iteration, the worst line first.
    fn iteration(&mut self, iteration: &Iteration);

    /// Called at every step at the root: very often in the first milliseconds.
    fn root_event(&mut self, _event: RootEvent) {}
}

/// Ignores all reports.
#[derive(Debug, Default)]
pub struct NullSink;

impl ReportSink for NullSink {
    fn iteration(&mut self, _iteration: &Iteration) {}
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::base::Ply;

    /// Bug: a move that was refuted in an iteration that was cut short, and overtaken by another one there, kept its score.
    #[test]
    fn the_score_of_a_refuted_move_does_not_stand() {
        let stands = |losing, score| {
            let report = SearchReport { losing, ..report(1, 9, score) };
            assert_eq!(report.is_unknown(), !report.stands());
            report.stands()
        };
        let [own, other] = [1, 2].map(|x| Point::new(x, 7).unwrap());
        assert!(stands(vec![], Score::DRAW) && stands(vec![other], Score::DRAW));
        assert!(!stands(vec![own], Score::DRAW) && !stands(vec![other, own], Score::estimate(900)));
        assert!(stands(vec![own], Score::loss_in(Ply::ROOT, 8)), "a loss in the line of several lines");
        let finished = report(1, 9, Score::estimate(40));
        assert_eq!(finished.estimate(), Score::estimate(40));
        assert_eq!(SearchReport { partial: Some(Score::estimate(7)), ..finished }.estimate(), Score::estimate(7));
        let won = report(1, 9, Score::win_in(Ply::ROOT, 5));
        assert!(SearchReport { partial: Some(Score::estimate(7)), ..won }.estimate().is_win());
    }

    /// Bug: the threads voted for a helper's move, and the message named that of its last finished iteration.
    #[test]
    fn the_line_of_a_move_from_the_iteration_that_was_cut_short() {
        let [finished, found] = [1, 2].map(|x| Point::new(x, 7).unwrap());
        let same = SearchReport { partial: Some(Score::estimate(7)), ..report(1, 9, Score::estimate(40)) };
        assert_eq!(same.with_own_move(), same.last);
        let other = SearchReport { best: Some(found), ..same };
        let Iteration { pv, score, depth, .. } = other.with_own_move();
        assert_eq!((pv, score, depth), (vec![found], Score::estimate(7), 9));
        assert_eq!(SearchReport { partial: None, ..other }.with_own_move().pv, [finished], "its score is not known");
    }

    /// The result of a search to this depth that chose a move in this column.
    pub fn report(x: usize, depth: u32, score: Score) -> SearchReport {
        let pv = Point::new(x, 7).into_iter().collect();
        let last = Iteration { depth, seldepth: depth, score, nodes: 0, elapsed: Duration::ZERO, pv, rank: 1 };
        SearchReport::new(Point::new(x, 7), last)
    }
}
