//! Finished games, judged move by move, as `tengen-review` does.

use super::host;
use super::wire::{self, Position};
use anyhow::Result;
use serde_json::{Value, json};
use tengen::base::Size;
use tengen::tools::gamefile::GameFile;
use tengen::tools::judgement::{Analyst, Effort, Judged, Worth, positions};

/// Judges every move with this many nodes for each position; reports `{"done": positions, "of": positions}`.
///
/// # Errors
/// When there is no such game.
pub fn review(position: &Position, nodes: u64) -> Result<Value> {
    let (rule, size, section) = (position.rule()?, position.size()?, position.section()?);
    let game = GameFile { last: section, ..GameFile::of_moves(size, &[])? };
    let (all, mut done) = (positions(&game), 0);
    let mut analyst = Analyst::new(rule, size, Effort::of_nodes(nodes));
    let review = analyst.review(&game, || {
        done += 1;
        host::report(&json!({ "done": done, "of": all }));
    });
    Ok(review.moves.iter().map(|judged| judged_move(judged, size)).collect())
}

fn judged_move(judged: &Judged, size: Size) -> Value {
    json!({
        "point": wire::index(size, judged.point),
        "color": wire::color(judged.color),
        "mark": judged.mark.name(),
        "before": worth(&judged.before, size),
        "after": worth(&judged.after, size),
        "missed": judged.missed(),
        "allowed": judged.allowed(),
    })
}

fn worth(worth: &Worth, size: Size) -> Value {
    let mut data = wire::score(worth.score);
    data["line"] = json!(wire::indices(size, &worth.line));
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::tools::gamefile;

    /// The browser tests compare the page with this file.
    const KNOWN: &str = include_str!("../tests/review.json");

    #[test]
    fn the_review_of_the_known_game_is_as_recorded() {
        let known: Value = serde_json::from_str(KNOWN).unwrap();
        let game = gamefile::parse(known["moves"].as_str().unwrap(), Size::square(15)).unwrap();
        let moves = wire::indices(game.size, game.moves().unwrap());
        let position = Position { width: 15, height: 15, moves, ..Position::default() };
        let review = review(&position, known["nodes"].as_u64().unwrap()).unwrap();
        assert_eq!(review, known["review"], "\n{review}");
    }
}
