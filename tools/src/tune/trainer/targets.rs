//! Which positions of a game are learned from, and the targets of their values.

use crate::data::packed_game::{Content, PackedGame};
use crate::tune::logistic::{ENGINE_SCALE, sigmoid};
use crate::tune::samples::uses_static_evaluation;
use tengen::base::Score;
use tengen::board::Board;

/// How targets are made from scores and results, and the weight of the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    /// Score units of one logit.
    pub scale: f32,
    /// Share of the search's score in the target of a position of a game, 0 to 1; the rest is the result of the game.
    pub score_share: f32,
    /// The same for quiet positions with a label of their own.
    pub label_share: f32,
    /// The same for labelled positions that a search asked about; the result is that of the game in which it searched.
    pub asked_share: f32,
    /// Share of the next position's score in a position's score; see [`values`].
    pub lambda: f32,
    /// Weight of the policy's loss beside the value's.
    pub policy: f32,
}

impl Targets {
    /// The scores of labels alone, for judging; nothing is learned.
    pub const OF_LABELS: Targets =
        Targets { scale: ENGINE_SCALE, score_share: 1.0, label_share: 1.0, asked_share: 1.0, lambda: 0.0, policy: 0.0 };
}

/// Whether a position of a game is learned from: every labelled one, and others that the search may evaluate.
pub fn is_sample(game: &PackedGame, board: &Board) -> bool {
    !game.is_game() || uses_static_evaluation(board)
}

/// The target value, 0 to 1, of the position before each move for its side to move. The search's score of a position is mixed
/// with the scores of the following positions, with weights that fall with the distance, and with the result (temporal
/// differences, Sutton 1988). What follows a move drawn at random says nothing about the positions before it. A labelled
/// position has its own score, and the result of its game, whatever moves were drawn there.
pub fn values(game: &PackedGame, targets: &Targets) -> Vec<f32> {
    let (mut share, lambda) = match game.content {
        Content::Game => (targets.score_share, targets.lambda),
        Content::Asked { .. } => (targets.asked_share, 0.0),
        Content::Quiet => (targets.label_share, 0.0),
    };
    let mut color = game.to_move_after(game.plies.len());
    let mut later = game.points(color);
    let mut values = Vec::with_capacity(game.plies.len());
    for ply in game.plies.iter().rev() {
        color = color.opponent();
        if game.is_game() && ply.played != ply.best {
            later = 1.0 - expected(ply.score, targets.scale);
            share = 1.0;
        }
        later = (1.0 - lambda) * expected(ply.score, targets.scale) + lambda * (1.0 - later);
        values.push(share * later + (1.0 - share) * game.points(color));
    }
    values.reverse();
    values
}

/// The expected result that a score stands for.
pub fn expected(score: i16, scale: f32) -> f32 {
    match i32::from(score) {
        score if score > Score::DECISIVE => 1.0,
        score if score < -Score::DECISIVE => 0.0,
        score => sigmoid(score as f32 / scale),
    }
}
