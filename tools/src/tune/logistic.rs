//! Scores as expected results: the logistic function and its loss.

/// Units of the engine's scores that make one logit of the expected result.
pub const ENGINE_SCALE: f32 = 200.0;

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
