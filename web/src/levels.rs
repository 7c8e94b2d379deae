//! The levels by name, with their strength as measured.

use serde_json::{Value, json};
use tengen::engine::level::LEVELS;

/// The page with the measurements.
const MEASURED: &str = include_str!("../../docs/tournaments.md");

/// Share of the points that the level of this strength scored against the next lower one, in per cent, as the page says.
fn score_against_lower(strength: u32) -> Option<f64> {
    let start = format!("| `{strength}` | ");
    let row = MEASURED.lines().find_map(|line| line.strip_prefix(start.as_str()))?;
    row.split('|').nth(1)?.split('%').next()?.trim().parse().ok()
}

/// Every level: its name, its strength, its score against the level below, and the rating that follows from these scores,
/// where the lowest level has 0 Elo.
pub fn all() -> Vec<Value> {
    let mut elo = 0.0;
    let level = |&(name, strength): &(&str, u32)| {
        let score = score_against_lower(strength);
        if let Some(score) = score {
            elo += 400.0 * (score / (100.0 - score)).log10();
        }
        json!({ "name": name, "strength": strength, "score": score, "elo": elo.round() })
    };
    LEVELS.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_but_the_lowest_has_been_measured() {
        let levels = all();
        assert_eq!(levels.len(), LEVELS.len());
        assert!(levels[0]["score"].is_null());
        assert!(
            levels[1..].iter().all(|level| level["score"].as_f64().is_some_and(|score| score > 50.0)),
            "{levels:?}"
        );
        assert!(levels.windows(2).all(|pair| pair[0]["elo"].as_f64() < pair[1]["elo"].as_f64()));
    }
}
