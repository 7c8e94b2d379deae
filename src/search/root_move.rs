//! The moves that a search considers at the root.

use super::forced::{self, Duty};
use super::order;
use super::reprove;
use super::scope::Scope;
use super::worker::Worker;
use crate::base::{Direction, MoveScores, Ply, Point, PointList, Score};
use crate::board::symmetry::{self, Symmetry};
use crate::board::{Shape, Threat};
use crate::eval::Evaluator;

/// A move under consideration.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub point: Point,
    /// Score of the last pass; minus infinity when the move was only shown to be no better than the best ones. Before the
    /// first pass, the score of the move order.
    pub score: Score,
    /// Nodes below it in the last pass.
    pub nodes: u64,
    /// Whether the last pass has shown that it loses.
    pub loses: bool,
    /// The expected line, this move first, from the last pass in which it was among the best.
    pub pv: Vec<Point>,
    /// Whether the last pass kept the proven line of an earlier iteration.
    pub is_kept: bool,
}

impl RootMove {
    /// A move that no pass has searched yet.
    pub fn new(point: Point, score: Score) -> RootMove {
        RootMove { point, score, nodes: 0, loses: false, pv: Vec::new(), is_kept: false }
    }
}

/// The moves under consideration.
pub(super) struct RootMoves {
    /// The most promising first.
    pub moves: Vec<RootMove>,
    /// Whether the position is lost if all of them lose: no reply is blocked, and only replies that a threat refutes were
    /// left out.
    pub are_all: bool,
    /// See [`Duty::unlisted_loss`].
    pub unlisted_loss: Option<Score>,
}

/// The moves worth considering, the most promising first: a win at once, the replies that a threat leaves, or everything
/// near the stones; in a lost position the moves that delay the loss. If none of these is legal: any legal point, first those
/// that are not blocked; if only fouls are left, these.
pub(super) fn root_moves(worker: &mut Worker<'_>, scope: &Scope) -> RootMoves {
    let blocked = &scope.blocked;
    let board = &mut worker.board;
    let us = board.side();
    let size = board.size();
    if board.occupied() == 0 && !blocked.contains(&size.center()) && scope.lines == 1 {
        let moves = vec![RootMove::new(size.center(), Score::DRAW)];
        return RootMoves { moves, are_all: false, unlisted_loss: None };
    }
    let mut points = PointList::new();
    let fives = board.points_of(us, Threat::Five);
    let (mut are_all, mut unlisted_loss) = (false, None);
    if fives.is_empty() {
        let loses = forced::static_result(board, Ply::ROOT).is_some_and(Score::is_loss);
        // In a lost position `StopFour` only carries the list of moves that delay the loss; a four need not be threatened.
        let duty = if loses { Duty::StopFour(forced::last_resorts(board)) } else { forced::duty(board) };
        order::for_each_reply(board, &duty, |point| points.push(point));
        let is_complete = !duty.is_free() || points.len() + board.occupied() == size.cells();
        are_all = is_complete && !points.iter().any(|point| blocked.contains(point));
        unlisted_loss = duty.unlisted_loss(Ply::ROOT);
    } else {
        // A five that is also an overline wins, but not for every referee: play a plain five where there is one.
        let is_plain = |point: &&Point| Direction::ALL.iter().all(|&d| board.shape(**point, us, d) != Shape::Overline);
        let mut open = fives.iter().filter(|point| !blocked.contains(point));
        points.extend(open.clone().find(is_plain).or_else(|| open.next()).copied());
    }
    points.retain(|point| !blocked.contains(point) && worker.is_legal(*point));
    if points.is_empty() {
        let legal = size.points().filter(|&point| worker.board.is_empty(point) && worker.is_legal(point));
        let legal: Vec<Point> = legal.collect();
        points.extend(legal.iter().copied().filter(|point| !blocked.contains(point)));
        if points.is_empty() {
            are_all = false;
            points.extend(legal);
        }
    }
    if points.is_empty() {
        points.extend(size.points().filter(|&point| worker.board.is_empty(point)));
    }
    if !scope.all_symmetric {
        keep_one_of_each_symmetry(worker, scope, &mut points);
    }
    RootMoves { moves: sorted(worker, &points), are_all, unlisted_loss }
}

/// Keeps one of the moves that a symmetry of the position maps onto each other. Where points are blocked, a move stands
/// for those of its images that are open; where paths are blocked, only for images after which the same is blocked.
fn keep_one_of_each_symmetry(worker: &Worker<'_>, scope: &Scope, points: &mut PointList) {
    let size = worker.board.size();
    let symmetries = symmetries(worker, scope);
    let open = points.clone();
    points.retain(|point| {
        symmetries.iter().map(|s| s.apply(*point, size)).all(|image| image >= *point || !open.contains(&image))
    });
}

/// The symmetries of the position after which the same is blocked.
fn symmetries(worker: &Worker<'_>, scope: &Scope) -> Vec<Symmetry> {
    let all = symmetry::of_position(&worker.board);
    all.into_iter().filter(|&symmetry| scope.paths.are_kept_by(symmetry, &worker.board)).collect()
}

/// The moves by their score in the move order.
fn sorted(worker: &mut Worker<'_>, points: &[Point]) -> Vec<RootMove> {
    worker.evaluator.prepare();
    let mut scores = MoveScores::new();
    order::policy(&worker.params, &worker.board, points, &worker.evaluator, worker.history, false, &mut scores);
    let mut moves: Vec<(Point, i32)> = points.iter().copied().zip(scores).collect();
    moves.sort_unstable_by_key(|&(point, score)| (-score, point));
    moves.into_iter().map(|(point, score)| RootMove::new(point, Score::estimate(score))).collect()
}

/// The shortest win that earlier searches have proven, whose move is put first: however short the time for this move is,
/// a win that was announced is not lost again, at least where one line is wanted.
pub(super) fn known_win(worker: &mut Worker<'_>, scope: &Scope, moves: &mut [RootMove]) -> Option<Score> {
    // The position's own entry comes first: the positions after a four are often not stored. All claims together get the
    // nodes that one gets in the tree, because a first iteration must follow.
    let mut nodes = reprove::NODES;
    let own =
        worker.probe_within(Ply::ROOT, &mut nodes).filter(|hit| hit.bound.proves(hit.score) && hit.score.is_win());
    let mut best: Option<(Score, usize)> = own.and_then(|hit| {
        // The entry may have been stored inside a search, with a mirror image of the move that is kept at the root.
        let point = hit.best?;
        let place_of = |point: Point| moves.iter().position(|root_move| root_move.point == point);
        let image = || symmetries(worker, scope).iter().find_map(|s| place_of(s.apply(point, worker.board.size())));
        Some((hit.score, place_of(point).or_else(image)?))
    });
    for (i, root_move) in moves.iter().enumerate() {
        worker.play(root_move.point);
        // A claim that the opponent wins there is of no use here, and would take nodes from those that are.
        let is_hopeful = worker.table.probe(worker.key(), Ply::ROOT.next()).is_some_and(|hit| hit.score.is_loss());
        let hit = if is_hopeful { worker.probe_within(Ply::ROOT.next(), &mut nodes) } else { None };
        worker.undo();
        if let Some(hit) = hit
            && hit.bound.proves(hit.score)
            && hit.score.is_loss()
            && best.is_none_or(|(score, _)| -hit.score > score)
        {
            best = Some((-hit.score, i));
        }
    }
    let (score, i) = best?;
    moves[..=i].rotate_right(1);
    Some(score)
}
