//! Scores as expected results: the logistic function and its loss.

use crate::data::packed_game::PackedGame;
use tengen::base::Score;

/// Units of the engine's scores that make one logit of the expected result.
pub const ENGINE_SCALE: f32 = Score::UNITS_PER_LOGIT as f32;

/// The expected result of a logit, 0 to 1.
pub fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// The cross-entropy of a prediction against a target, both 0 to 1.
pub fn cross_entropy(guess: f32, target: f32) -> f64 {
    let guess = f64::from(guess.clamp(1e-6, 1.0 - 1e-6));
    let target = f64::from(target);
    -(target * guess.ln() + (1.0 - target) * (1.0 - guess).ln())
}

/// The scores of a game's searches, without those whose absolute value is larger than `most`, each with the result of the game
/// for the side that searched: what [`best_scale`] needs.
pub fn scores_and_results(game: &PackedGame, most: i32) -> impl Iterator<Item = (f32, f32)> {
    let searches = (0..).zip(&game.plies).filter(move |(_, ply)| i32::from(ply.score).abs() <= most);
    searches.map(|(index, ply)| (f32::from(ply.score), game.points(game.to_move_after(index))))
}

/// The scale with which scores predict the targets best, within 1 %: `sigmoid(score / scale)` for each score and target; that
/// of the engine if there are none.
pub fn best_scale(seen: &[(f32, f32)]) -> f32 {
    if seen.is_empty() {
        return ENGINE_SCALE;
    }
    let loss = |scale: f32| -> f64 { seen.iter().map(|&(s, target)| cross_entropy(sigmoid(s / scale), target)).sum() };
    let best = |from: f32, step: f32, count: i32| {
        let scales = (0..count).map(|i| from * step.powi(i));
        scales
            .map(|scale| (loss(scale), scale))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(ENGINE_SCALE, |(_, scale)| scale)
    };
    // The best one lies between the neighbours of the best of the coarse steps.
    let coarse = best(40.0, 1.15, 24);
    best(coarse / 1.15, 1.01, 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: the steps of 15 % made each generation's scores up to 7 % too large or too small.
    #[test]
    fn the_scale_of_scores_is_found() {
        for scale in [70.0, 200.0, 333.0] {
            let seen: Vec<(f32, f32)> =
                (-300..=300).map(|score| score as f32).map(|s| (s, sigmoid(s / scale))).collect();
            let found = best_scale(&seen);
            assert!((found / scale - 1.0).abs() < 0.01, "{found} instead of {scale}");
        }
        assert!((best_scale(&[]) - ENGINE_SCALE).abs() < f32::EPSILON);
    }
}
