//! Statistics of two engines from pairs of games: Elo with its interval, the likelihood of superiority, the sequential test
//! (SPRT) with its bounds and its error rate ([`ERROR_RATE`]).
//!
//! The unit is the pair: one opening played with both colours. A pair has five possible scores. Its variance includes the
//! correlation of the two games, so an opening that black always wins adds nothing to it; with single games it would.

/// The hypotheses of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtBounds {
    /// Gain under the null hypothesis, in Elo: the change is not worth having.
    pub elo0: f64,
    /// Gain under the alternative, in Elo: the change is worth having.
    pub elo1: f64,
}

/// Probability of accepting a change that is worth only `elo0`, and of rejecting one that is worth `elo1`.
pub const ERROR_RATE: f64 = 0.05;

/// Largest gain or loss of a hypothesis, in Elo. Far beyond, its expected score is 0 or 1, and no result is likely.
const LARGEST_GAIN: f64 = 1000.0;

/// Reads the value of `--sprt`: two numbers of Elo with a comma between them, as in `0,5`.
///
/// # Errors
/// A sentence for the user, if it is anything else or beyond 1,000 Elo, or the first number is not the smaller one.
pub fn parse_bounds(text: &str) -> Result<SprtBounds, String> {
    let (low, high) = text.split_once(',').ok_or("expected two numbers with a comma between them")?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| format!("'{text}' is not a number"));
    let (elo0, elo1) = (number(low)?, number(high)?);
    if ![elo0, elo1].iter().all(|elo| elo.abs() <= LARGEST_GAIN) {
        return Err(format!("the numbers must be from -{LARGEST_GAIN} to {LARGEST_GAIN}"));
    }
    if elo0 < elo1 { Ok(SprtBounds { elo0, elo1 }) } else { Err("the first number must be the smaller one".to_owned()) }
}

/// At or above this log-likelihood ratio a change is accepted, at or below its negative rejected (Wald).
fn limit() -> f64 {
    ((1.0 - ERROR_RATE) / ERROR_RATE).ln()
}

/// A log-likelihood ratio with its bounds: `LLR 1.20 of [-2.94, 2.94]`.
pub fn llr_text(llr: f64) -> String {
    format!("LLR {llr:.2} of [{:.2}, {:.2}]", -limit(), limit())
}

/// What a sequential test says about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The change is worth having.
    Accepted,
    /// It is not.
    Rejected,
    /// More games are needed.
    Open,
}

impl Verdict {
    /// What this log-likelihood ratio says about the change.
    pub fn of(llr: f64) -> Verdict {
        if llr >= limit() {
            Verdict::Accepted
        } else if llr <= -limit() {
            Verdict::Rejected
        } else {
            Verdict::Open
        }
    }

    /// Whether the test is over.
    pub fn is_final(self) -> bool {
        self != Verdict::Open
    }

    /// The verdict in words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepted => "accepted",
            Verdict::Rejected => "rejected",
            Verdict::Open => "not decided",
        }
    }

    /// The same as in the table of experiments.
    pub fn row_name(self) -> &'static str {
        match self {
            Verdict::Accepted => "passed",
            Verdict::Rejected => "failed",
            Verdict::Open => self.name(),
        }
    }
}

/// The expected score, 0 to 1, of an engine that is stronger by `elo`.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference for an expected score; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The probability that a standard normal variable is below `z`.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// The 97.5 % point of the normal distribution: half the width of a 95 % interval in standard errors.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The mean of these values and half the width of its 95 % interval; 0 without values.
pub fn mean_and_margin(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, Z95 * (variance / count).sqrt())
}

/// An estimate with its 95 % interval; the ends may be infinite. Both are while all pairs have the same score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// The most likely difference.
    pub elo: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Number of pairs in which the first engine scored 0, 1/2, 1, 3/2 and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// Count assumed for a score that has not occurred yet, so that the likelihoods stay finite.
const UNSEEN: f64 = 1e-3;

impl Pentanomial {
    /// Adds a pair in which the first engine scored this many half points (0 to 4).
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean score of a pair on a scale of 0 to 1; one half without pairs.
    pub fn mean(&self) -> f64 {
        let pairs = self.pairs();
        if pairs == 0 {
            return 0.5;
        }
        self.0.iter().enumerate().map(|(i, &count)| i as f64 / 4.0 * count as f64).sum::<f64>() / pairs as f64
    }

    /// Variance of a pair's score on the same scale.
    pub fn variance(&self) -> f64 {
        let pairs = self.pairs().max(1) as f64;
        let mean = self.mean();
        self.0.iter().enumerate().map(|(i, &count)| (i as f64 / 4.0 - mean).powi(2) * count as f64).sum::<f64>() / pairs
    }

    /// The difference in Elo; `None` without pairs.
    pub fn elo(&self) -> Option<EloEstimate> {
        let pairs = self.pairs();
        if pairs == 0 {
            return None;
        }
        let (mean, error) = (self.mean(), self.standard_error());
        let at = |score: f64| elo_of_score(score.clamp(0.0, 1.0));
        if error == 0.0 {
            // Equal scores do not tell how much scores vary.
            return Some(EloEstimate { elo: at(mean), low: f64::NEG_INFINITY, high: f64::INFINITY });
        }
        Some(EloEstimate { elo: at(mean), low: at(mean - Z95 * error), high: at(mean + Z95 * error) })
    }

    /// The likelihood that the first engine is the stronger one; `None` while all pairs have the same score, which does not
    /// tell how much scores vary.
    pub fn superiority(&self) -> Option<f64> {
        let error = self.standard_error();
        (error > 0.0).then(|| normal_cdf((self.mean() - 0.5) / error))
    }

    fn standard_error(&self) -> f64 {
        (self.variance() / self.pairs().max(1) as f64).sqrt()
    }

    /// Log-likelihood ratio of `elo1` against `elo0`. For each hypothesis the most likely distribution of pair scores with its
    /// mean is used (generalised likelihood ratio). 0 without pairs.
    pub fn llr(&self, bounds: &SprtBounds) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        let counts = self.0.map(|count| (count as f64).max(UNSEEN));
        log_likelihood(&counts, expected_score(bounds.elo1)) - log_likelihood(&counts, expected_score(bounds.elo0))
    }
}

/// The log-likelihood of the counts, up to a constant, under the most likely distribution with mean `score`.
///
/// Its probabilities are the frequencies divided by `1 + x (a - score)`, for the `x` that gives this mean. The equation is
/// monotonic in `x`, so bisection finds it.
fn log_likelihood(counts: &[f64; 5], score: f64) -> f64 {
    let lead: [f64; 5] = std::array::from_fn(|i| i as f64 / 4.0 - score);
    let slope = |x: f64| counts.iter().zip(lead).map(|(&count, v)| count * v / (1.0 + x * v)).sum::<f64>();
    let (mut low, mut high) = (-1.0 / lead[4], -1.0 / lead[0]);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    -counts.iter().zip(lead).map(|(&count, v)| count * (x * v).ln_1p()).sum::<f64>()
}

/// Checks that two numbers differ by at most the tolerance.
#[cfg(test)]
pub(super) fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Exact results are compared exactly.
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    const BOUNDS: SprtBounds = SprtBounds { elo0: 0.0, elo1: 10.0 };

    #[test]
    fn tables_of_the_elo_system() {
        // Well-known expected scores.
        for (elo, score) in [(0.0, 0.5), (100.0, 0.640_065), (200.0, 0.759_747), (400.0, 10.0 / 11.0)] {
            close(expected_score(elo), score, 1e-6);
            close(elo_of_score(score), elo, 1e-3);
        }
        close(elo_of_score(0.75), 190.848_501_888, 1e-6);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
    }

    #[test]
    fn tables_of_the_normal_distribution() {
        let table = [(0.0, 0.5), (1.0, 0.841_344_746), (1.96, 0.975_002_105), (-2.5, 0.006_209_665)];
        for (z, probability) in table {
            close(normal_cdf(z), probability, 1e-9);
        }
        close(normal_cdf(Z95), 0.975, 1e-12);
    }

    #[test]
    fn bounds_are_read_and_checked() {
        assert_eq!(parse_bounds("-5,0"), Ok(SprtBounds { elo0: -5.0, elo1: 0.0 }));
        assert!(parse_bounds("5,0").is_err() && parse_bounds("5").is_err() && parse_bounds("a,b").is_err());
        // Bug: with these the test never ended.
        assert!(parse_bounds("0,inf").is_err() && parse_bounds("-inf,5").is_err() && parse_bounds("nan,5").is_err());
        // Bug: with these the log-likelihood ratio was no number.
        assert!(parse_bounds("0,7000").is_err() && parse_bounds("-7000,0").is_err());
        assert!(Pentanomial([1; 5]).llr(&SprtBounds { elo0: -1000.0, elo1: 1000.0 }).is_finite());
    }

    #[test]
    fn walds_bounds() {
        close(limit(), 2.944_439, 1e-6);
        assert_eq!(Verdict::of(3.0), Verdict::Accepted);
        assert_eq!(Verdict::of(-3.0), Verdict::Rejected);
        assert_eq!(Verdict::of(2.9), Verdict::Open);
    }

    #[test]
    fn mean_variance_and_interval_by_hand() {
        // Ten pairs: scores 0, 1/4, 1/4, 1/2 x 3, 3/4 x 2, 1 x 2; sum 5.5, sum of squares 4.0.
        let pairs = Pentanomial([1, 2, 3, 2, 2]);
        close(pairs.mean(), 0.55, 1e-12);
        close(pairs.variance(), 0.4 - 0.3025, 1e-12);
        let elo = pairs.elo().unwrap();
        let error = (0.0975f64 / 10.0).sqrt();
        close(elo.elo, elo_of_score(0.55), 1e-9);
        close(elo.low, elo_of_score(0.55 - 1.959_964 * error), 1e-3);
        close(elo.high, elo_of_score(0.55 + 1.959_964 * error), 1e-3);
        close(pairs.superiority().unwrap(), normal_cdf(0.05 / error), 1e-12);
        // Bug: equal pairs were told to make the superiority certain.
        for counts in [[0, 0, 4, 0, 0], [0, 0, 0, 0, 4], [1, 0, 0, 0, 0], [0; 5]] {
            assert_eq!(Pentanomial(counts).superiority(), None);
        }
        assert_eq!(Pentanomial::default().elo(), None);
        // Bug: the interval had no width.
        let equal = Pentanomial([0, 0, 0, 10, 0]).elo().unwrap();
        assert_eq!((equal.elo, equal.low, equal.high), (elo_of_score(0.75), f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn superiority_agrees_with_the_exact_binomial_sum() {
        // Pairs that end 2-0 or 0-2 are coin tosses; with a flat prior the likelihood of superiority is a binomial
        // tail, computed here without any normal distribution.
        let (wins, losses) = (60u64, 40u64);
        let tosses = wins + losses + 1;
        let mut term = 0.5f64.powi(tosses as i32);
        let mut sum = 0.0;
        for k in 0..=wins {
            sum += term;
            term *= (tosses - k) as f64 / (k + 1) as f64;
        }
        close(Pentanomial([losses, 0, 0, 0, wins]).superiority().unwrap(), sum, 0.003);
    }

    #[test]
    fn the_ratio_agrees_with_the_normal_approximation() {
        // LLR = n (s1 - s0)(2m - s0 - s1) / (2V), the formula for many pairs and small differences.
        for counts in [[300, 900, 2000, 950, 310], [1000, 100, 3000, 120, 1050], [60, 500, 900, 400, 40]] {
            let pairs = Pentanomial(counts);
            let (s0, s1) = (expected_score(BOUNDS.elo0), expected_score(BOUNDS.elo1));
            let n = pairs.pairs() as f64;
            let normal = n * (s1 - s0) * (2.0 * pairs.mean() - s0 - s1) / (2.0 * pairs.variance());
            close(pairs.llr(&BOUNDS), normal, 0.03 * normal.abs().max(1.0) + 0.02);
        }
    }

    #[test]
    fn the_ratio_agrees_with_a_plain_likelihood_for_two_outcomes() {
        // When only two outcomes occur, a distribution is fixed by its mean: the ratio is that of a biased coin.
        let pairs = Pentanomial([40, 0, 0, 0, 60]);
        let (s0, s1) = (expected_score(BOUNDS.elo0), expected_score(BOUNDS.elo1));
        let coin = 60.0 * (s1 / s0).ln() + 40.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        close(pairs.llr(&BOUNDS), coin, 0.01);
        assert_eq!(Pentanomial::default().llr(&BOUNDS), 0.0);
    }

    #[test]
    fn the_test_keeps_its_error_rates() {
        // Sequential tests of an engine that is worth exactly elo0, and of one worth elo1.
        let tests = if tengen_amount::at_length() { 1000 } else { 200 };
        let bounds = SprtBounds { elo0: 0.0, elo1: 60.0 };
        for (elo, wrong) in [(bounds.elo0, Verdict::Accepted), (bounds.elo1, Verdict::Rejected)] {
            let score = expected_score(elo);
            let mut random = SmallRng::seed_from_u64(9);
            let mut errors = 0;
            for _ in 0..tests {
                let mut pairs = Pentanomial::default();
                let answer = loop {
                    // Half of the games are drawn; the rest are won with the odds that give this score.
                    let mut game = || {
                        if random.random_bool(0.5) { 1 } else { 2 * usize::from(random.random_bool(2.0 * score - 0.5)) }
                    };
                    pairs.add(game() + game());
                    let answer = Verdict::of(pairs.llr(&bounds));
                    if answer.is_final() {
                        break answer;
                    }
                };
                errors += u32::from(answer == wrong);
            }
            assert!(errors <= tests * 7 / 100, "{errors} of {tests} tests were wrong at {elo} Elo");
        }
    }
}
