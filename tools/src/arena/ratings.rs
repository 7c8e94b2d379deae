//! Maximum-likelihood ratings of several engines from all their games.
//!
//! The Bradley-Terry model, with a draw as half a win. The ratings have mean 0; errors come from the curvature of the
//! likelihood. If some engines never scored against the others, the maximum is at infinity; then one virtual draw is added
//! to every pairing, and the table says so.

use super::sprt::Z95;

/// The result of two engines against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// One engine.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Points of the first.
    pub points: f64,
    /// Games played.
    pub games: f64,
}

/// Ratings of all engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// Elo, with mean 0.
    pub elo: Vec<f64>,
    /// Half widths of the 95 % intervals.
    pub error: Vec<f64>,
    /// Whether virtual draws were needed.
    pub has_virtual_draws: bool,
}

/// Elo of one unit of the logistic scale.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// Largest number of iterations; usually it converges long before.
const ROUNDS: usize = 100_000;

/// Rates `engines` engines.
pub fn rate(engines: usize, encounters: &[Encounter]) -> Ratings {
    let has_virtual_draws = !is_connected(engines, encounters);
    let virtual_draw = |e: &Encounter| Encounter { points: e.points + 0.5, games: e.games + 1.0, ..*e };
    let encounters: Vec<Encounter> = encounters
        .iter()
        .map(|e| if has_virtual_draws { virtual_draw(e) } else { *e })
        .filter(|e| e.games > 0.0)
        .collect();
    let strength = maximum(engines, &encounters);
    let elo: Vec<f64> = strength.iter().map(|s| s * SCALE).collect();
    Ratings { error: errors(&strength, &encounters), elo, has_virtual_draws }
}

/// Whether each engine scored against each other one, directly or through others. Only then is the maximum finite.
fn is_connected(engines: usize, encounters: &[Encounter]) -> bool {
    let mut scored = vec![vec![false; engines]; engines];
    for e in encounters {
        scored[e.first][e.second] |= e.points > 0.0;
        scored[e.second][e.first] |= e.points < e.games;
    }
    for middle in 0..engines {
        for a in 0..engines {
            for b in 0..engines {
                scored[a][b] |= scored[a][middle] && scored[middle][b];
            }
        }
    }
    (0..engines).all(|a| (0..engines).all(|b| a == b || scored[a][b]))
}

/// Logarithms of the strengths, by the usual fixed-point iteration of the Bradley-Terry model.
fn maximum(engines: usize, encounters: &[Encounter]) -> Vec<f64> {
    let mut strength = vec![1.0f64; engines];
    for _ in 0..ROUNDS {
        let mut points = vec![0.0; engines];
        let mut taken = vec![0.0; engines];
        for e in encounters {
            let share = e.games / (strength[e.first] + strength[e.second]);
            points[e.first] += e.points;
            points[e.second] += e.games - e.points;
            taken[e.first] += share;
            taken[e.second] += share;
        }
        let mut next: Vec<f64> =
            (0..engines).map(|i| if taken[i] > 0.0 { points[i] / taken[i] } else { strength[i] }).collect();
        let mean = (next.iter().map(|s| s.ln()).sum::<f64>() / engines as f64).exp();
        for s in &mut next {
            *s /= mean;
        }
        let change = next.iter().zip(&strength).map(|(a, b)| (a.ln() - b.ln()).abs()).fold(0.0, f64::max);
        strength = next;
        if change < 1e-12 {
            break;
        }
    }
    strength.iter().map(|s| s.ln()).collect()
}

/// Half widths of the intervals, from the diagonal of the inverse of the information matrix for ratings with mean 0.
fn errors(strength: &[f64], encounters: &[Encounter]) -> Vec<f64> {
    let n = strength.len();
    // Adding 1/n to every entry makes the matrix regular; subtracting 1/n from the inverse undoes that.
    let mut matrix = vec![vec![1.0 / n as f64; n]; n];
    for e in encounters {
        let p = 1.0 / (1.0 + (strength[e.second] - strength[e.first]).exp());
        let information = e.games * p * (1.0 - p);
        matrix[e.first][e.first] += information;
        matrix[e.second][e.second] += information;
        matrix[e.first][e.second] -= information;
        matrix[e.second][e.first] -= information;
    }
    let inverse = invert(matrix);
    (0..n)
        .map(|i| {
            let variance = inverse.as_ref().map_or(f64::INFINITY, |m| m[i][i] - 1.0 / n as f64);
            Z95 * SCALE * variance.max(0.0).sqrt()
        })
        .collect()
}

/// The inverse by elimination with pivoting; `None` for a singular matrix (engines that never met).
fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        let scale = matrix[column][column];
        matrix[column].iter_mut().for_each(|value| *value /= scale);
        let pivot_row = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            if i != column {
                let factor = row[column];
                row.iter_mut().zip(&pivot_row).for_each(|(value, p)| *value -= factor * p);
            }
        }
    }
    Some(matrix.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::sprt::{close, elo_of_score, expected_score};

    #[test]
    fn two_engines_differ_by_the_elo_of_the_score() {
        let ratings = rate(2, &[Encounter { first: 0, second: 1, points: 75.0, games: 100.0 }]);
        close(ratings.elo[0] - ratings.elo[1], elo_of_score(0.75), 1e-6);
        // The error of the difference is twice that of each rating: 1.96 * 400/ln 10 / sqrt(n p (1 - p)).
        close(ratings.error[0] * 2.0, 1.959_964 * 173.717_79 / (100.0f64 * 0.75 * 0.25).sqrt(), 1e-2);
        assert!(!ratings.has_virtual_draws);
    }

    #[test]
    fn scores_made_from_known_ratings_give_them_back() {
        let truth = [150.0, 40.0, -60.0, -130.0];
        let mut encounters = Vec::new();
        for first in 0..4 {
            for second in first + 1..4 {
                let games = 100.0 + 30.0 * (first + second) as f64;
                let points = games * expected_score(truth[first] - truth[second]);
                encounters.push(Encounter { first, second, points, games });
            }
        }
        let ratings = rate(4, &encounters);
        for (rating, truth) in ratings.elo.iter().zip(truth) {
            close(*rating, truth, 1e-4);
        }
    }

    #[test]
    fn at_the_maximum_everybody_scores_what_is_expected() {
        let encounters = [
            Encounter { first: 0, second: 1, points: 12.5, games: 20.0 },
            Encounter { first: 1, second: 2, points: 6.0, games: 20.0 },
            Encounter { first: 2, second: 0, points: 11.0, games: 30.0 },
        ];
        let ratings = rate(3, &encounters);
        for engine in 0..3 {
            let (mut points, mut expected) = (0.0, 0.0);
            for e in &encounters {
                let score = e.games * expected_score(ratings.elo[e.first] - ratings.elo[e.second]);
                if e.first == engine {
                    (points, expected) = (points + e.points, expected + score);
                } else if e.second == engine {
                    (points, expected) = (points + e.games - e.points, expected + e.games - score);
                }
            }
            close(points, expected, 1e-6);
        }
    }

    #[test]
    fn a_clean_sweep_is_bounded_by_virtual_draws() {
        let ratings = rate(
            3,
            &[
                Encounter { first: 0, second: 1, points: 10.0, games: 10.0 },
                Encounter { first: 0, second: 2, points: 10.0, games: 10.0 },
            ],
        );
        assert!(ratings.has_virtual_draws);
        close(ratings.elo[0] - ratings.elo[1], elo_of_score(10.5 / 11.0), 1e-6);
        close(ratings.elo[1], ratings.elo[2], 1e-9);
        let nobody = rate(3, &[]);
        assert!(nobody.elo.iter().all(|elo| elo.abs() < 1e-9));
    }
}
