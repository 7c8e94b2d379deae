//! Which of several threads' results to follow. The numbers are in `params.rs`.

use super::params::Params;
use super::report::SearchReport;
use crate::base::Point;

/// The result to follow, as an index; the main thread's is the first. A proven win comes before everything, the shortest
/// first; a proven loss counts only when all agree. Otherwise the threads vote on a move: a vote weighs more the deeper
/// its thread has searched and the higher its score is. A move that one of them has proven to lose gets no vote, unless
/// all are. A score that belongs to a refuted move adds nothing to the vote for another one.
pub fn elect(reports: &[SearchReport], params: &Params) -> usize {
    let lowest_first = |index: usize| std::cmp::Reverse(index);
    // A win known before the search counts without any finished iteration.
    let has_result = |report: &SearchReport| report.last.depth > 0 || report.last.score.is_win();
    let counts = |index: &usize| reports[*index].best.is_some() && has_result(&reports[*index]);
    let counted: Vec<usize> = (0..reports.len()).filter(counts).collect();
    let score = |index: usize| reports[index].last.score;
    let all_lose = counted.iter().all(|&index| score(index).is_loss());
    if all_lose || counted.iter().any(|&index| score(index).is_win()) {
        return counted.into_iter().max_by_key(|&index| (score(index), lowest_first(index))).unwrap_or(0);
    }
    let refuted: Vec<Point> = reports.iter().flat_map(|report| report.losing.iter().copied()).collect();
    let is_refuted = |index: &usize| reports[*index].best.is_some_and(|best| refuted.contains(&best));
    let (mut voters, others): (Vec<usize>, Vec<usize>) =
        counted.into_iter().filter(|&index| !score(index).is_loss()).partition(|index| !is_refuted(index));
    if voters.is_empty() {
        voters = others;
    }
    let standing = voters.iter().copied().filter(|&index| reports[index].stands());
    let lowest = standing.map(|index| score(index).units()).min().unwrap_or(0);
    let above = |index: usize| if reports[index].stands() { score(index).units() - lowest } else { 0 };
    let vote = |index: usize| i64::from(above(index) + params.vote_base()) * i64::from(reports[index].last.depth);
    let votes = |best: Option<Point>| -> i64 {
        voters.iter().filter(|&&index| reports[index].best == best).map(|&index| vote(index)).sum()
    };
    let rank = |index: usize| (votes(reports[index].best), reports[index].last.depth, lowest_first(index));
    voters.iter().copied().max_by_key(|&index| rank(index)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ply, Rule, Score};
    use crate::search::report::tests::report;

    #[test]
    fn votes() {
        let vote = |reports: &[SearchReport]| elect(reports, &Params::shipped(Rule::Freestyle));
        let win = |moves| Score::win_in(Ply::ROOT, moves);
        let loss = |moves| Score::loss_in(Ply::ROOT, moves);
        let value = Score::estimate;
        // One thread, or a main thread that the others agree with.
        assert_eq!(vote(&[report(1, 9, value(-30))]), 0);
        assert_eq!(vote(&[report(1, 9, value(10)), report(1, 9, value(10))]), 0);
        // Two shallower ones against one; a deeper and better one against one.
        assert_eq!(vote(&[report(1, 10, value(10)), report(2, 9, value(8)), report(2, 9, value(9))]), 1);
        assert_eq!(vote(&[report(1, 9, value(10)), report(2, 10, value(20))]), 1);
        // The shortest win; a loss only where all lose, and then the longest.
        assert_eq!(vote(&[report(1, 9, win(9)), report(2, 5, win(7)), report(3, 20, value(500))]), 1);
        assert_eq!(vote(&[report(1, 9, loss(8)), report(2, 3, value(-900))]), 1);
        assert_eq!(vote(&[report(1, 9, loss(8)), report(2, 9, loss(12)), report(3, 9, loss(12))]), 1);
        // A move that another thread has just proven to lose.
        let losing = |x, report| SearchReport { losing: vec![Point::new(x, 7).unwrap()], ..report };
        assert_eq!(vote(&[losing(2, report(1, 9, value(10))), report(2, 12, value(500))]), 0);
        assert_eq!(vote(&[report(2, 12, value(500)), losing(2, report(1, 9, value(10)))]), 1);
        // A score that belongs to a refuted move adds nothing, high or low.
        let refuting = |score| SearchReport { best: Point::new(2, 7), ..losing(1, report(1, 9, value(score))) };
        assert_eq!(vote(&[refuting(500), report(3, 10, value(11))]), 1);
        assert_eq!(vote(&[report(3, 11, value(11)), report(4, 10, value(20)), refuting(-900)]), 1);
        // Where each move is refuted by another thread, as without proofs; not a thread that loses.
        let (one, two) = (losing(2, report(1, 9, value(10))), losing(1, report(2, 9, value(20))));
        assert_eq!(vote(&[report(3, 9, loss(8)), one, two]), 2);
        // A thread without a finished iteration has no vote.
        assert_eq!(vote(&[report(1, 1, value(-50)), report(2, 0, value(0))]), 0);
        assert_eq!(vote(&[report(1, 0, value(0)), report(2, 0, value(0))]), 0);
        // But a win may be known from before.
        assert_eq!(vote(&[report(1, 0, win(9)), report(2, 8, value(700))]), 0);
    }
}
