//! Finished games, judged move by move, as `tengen-review` does.

use super::host;
use super::wire::{self, Position, Worth};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tengen::base::Size;
use tengen::tools::gamefile::GameFile;
use tengen::tools::judgement::{self, Analyst, Effort, Mark, positions};

/// A judged move, as the page shows it and as an SGF keeps it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Judged {
    /// The move.
    pub point: usize,
    /// Who made it: 0 for black, 1 for white.
    pub color: usize,
    /// Its quality: the name of a [`Mark`].
    pub mark: String,
    /// The best that there was, for the player.
    pub before: Worth,
    /// What the move is worth, for the player.
    pub after: Worth,
    /// If it missed a proven win: the plies to that.
    pub missed: Option<i32>,
    /// If it gave the opponent a proven win: the plies to that.
    pub allowed: Option<i32>,
}

impl Judged {
    fn new(judged: &judgement::Judged, size: Size) -> Judged {
        let worth = |worth: &judgement::Worth| Worth::new(worth.score, &worth.line, size);
        Judged {
            point: wire::index(size, judged.point),
            color: wire::color(judged.color),
            mark: judged.mark.name().to_owned(),
            before: worth(&judged.before),
            after: worth(&judged.after),
            missed: judged.missed(),
            allowed: judged.allowed(),
        }
    }

    /// Whether this can be said about a move to `point` on a board with so many points. Whoever has edited a file may have written
    /// anything.
    pub fn fits(&self, point: usize, cells: usize) -> bool {
        let is_worth =
            |worth: &Worth| (0.0..=1.0).contains(&worth.chance) && worth.line.iter().all(|&point| point < cells);
        self.point == point
            && self.color < 2
            && self.mark().is_some()
            && is_worth(&self.before)
            && is_worth(&self.after)
    }

    /// The mark, if there is one of this name.
    pub fn mark(&self) -> Option<Mark> {
        Mark::ALL.into_iter().find(|mark| mark.name() == self.mark)
    }
}

/// Judges every move but the first `imposed` ones, with this many nodes for each position; reports
/// `{"done": positions, "of": positions}`.
///
/// # Errors
/// When there is no such game.
pub fn review(position: &Position, nodes: u64, imposed: usize) -> Result<Value> {
    let (rule, size, section) = (position.rule()?, position.size()?, position.section()?);
    let game = GameFile { last: section, ..GameFile::of_moves(size, &[])? }.impose(imposed);
    let (all, mut done) = (positions(&game), 0);
    let mut analyst = Analyst::new(rule, size, Effort::of_nodes(nodes));
    let review = analyst.review(&game, || {
        done += 1;
        host::report(&json!({ "done": done, "of": all }));
    });
    Ok(review.moves.iter().map(|judged| json!(Judged::new(judged, size))).collect())
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
        let nodes = known["nodes"].as_u64().unwrap();
        let all = review(&position, nodes, 0).unwrap();
        assert_eq!(all, known["review"], "\n{all}");
        // Bug: the stones of an opening were judged, too.
        let last = position.moves.len() - 1;
        let points = |review: Value| review.as_array().unwrap().iter().map(|judged| judged["point"].clone()).collect();
        let judged: Vec<Value> = points(review(&position, 100, last).unwrap());
        assert_eq!(judged, [json!(position.moves[last])]);
    }
}
