//! The lost games of a player, from records: reading them, judging them side by side, the report and the pictures.

use super::lesson_text::{self, Report};
use super::records::{self, Collection, Record};
use super::review_options::Request;
use super::turning_point::{self, LostGame};
use super::{board_picture, review_text};
use crate::command_line::one_line;
use crate::output_file;
use crate::parallel;
use crate::progress::Progress;
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use tengen::base::{Color, Rule};
use tengen::tools::gamefile::Outcome;
use tengen::tools::judgement::{self, Analyst, Effort, End, Review};

/// The brain's own name.
const OWN_NAME: &str = "tengen";
/// Largest number of names listed in the error for an unknown player.
const NAMES: usize = 10;
/// Most letters of the name of a game in the name of its picture.
const LETTERS: usize = 80;

/// Judges the lost games of a collection, and writes the report. Lines about what cannot be read go to the error stream.
/// `source` is the name of the folder or the file.
///
/// # Errors
/// When there is no record, or none of a game of the player, or a file cannot be written.
pub fn run(request: &Request, collection: Collection, source: &str, out: &mut dyn Write) -> Result<()> {
    for complaint in &collection.complaints {
        // If this fails, there is nowhere to report it.
        let _ = writeln!(std::io::stderr(), "tengen-review: {}", one_line(complaint));
    }
    ensure!(!collection.records.is_empty(), "{source}: no record of a game (in a folder: {})", records::endings());
    let player = request.player.as_deref().unwrap_or(OWN_NAME);
    let mut report = Report {
        player: player.to_owned(),
        nodes: request.nodes(),
        games: 0,
        undecided: 0,
        unread: collection.complaints.len(),
        unknown_rules: BTreeMap::new(),
        lessons: Vec::new(),
    };
    let names = names(&collection.records);
    let mut lost = Vec::new();
    for record in collection.records {
        let rule = request.rule_of(&record.game);
        let is_own = |color: Color| is_named(record.game.players[color.index()].as_deref(), player);
        if !Color::ALL.into_iter().any(is_own) {
            continue;
        }
        if let Some(remark) = record.game.rule_remark(request.rule) {
            *report.unknown_rules.entry(remark).or_default() += 1;
        }
        match outcome(&record, rule) {
            None => report.undecided += 1,
            Some(Outcome { winner, .. }) => {
                report.games += 1;
                if let Some(loser) = winner.map(Color::opponent).filter(|&loser| is_own(loser)) {
                    let game = request.with_start(record.game);
                    let imposed = game.start.moves;
                    lost.push((Record { game: game.impose(imposed), ..record }, loser));
                }
            }
        }
    }
    if report.games + report.undecided == 0 {
        ensure!(!names.is_empty(), "{source}: none of the games names its players");
        let shown = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
        bail!("no game of a player with '{}' in its name; players: {shown}", review_text::plain(player));
    }
    if let Some(folder) = &request.svg {
        // Before the search: one that cannot be made would cost all of it.
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    report.lessons = study(lost, request)?;
    let text = if request.json { lesson_text::json(&report) } else { lesson_text::text(&report) };
    out.write_all(text.as_bytes())?;
    request.svg.as_ref().map_or(Ok(()), |folder| draw(&report.lessons, folder))
}

/// The names of all players.
fn names(records: &[Record]) -> BTreeSet<String> {
    records
        .iter()
        .flat_map(|record| record.game.players.iter().flatten())
        .map(|name| review_text::plain(name))
        .collect()
}

/// Whether a player's name contains this text, ignoring case.
fn is_named(name: Option<&str>, text: &str) -> bool {
    name.is_some_and(|name| name.to_lowercase().contains(&text.to_lowercase()))
}

/// The result as the record says, else as the board shows; `None` if neither tells.
fn outcome(record: &Record, rule: Rule) -> Option<Outcome> {
    let shown = || match judgement::end_of(&record.game, rule) {
        End::Open => None,
        end => Some(Outcome { winner: end.winner(), forfeit: None }),
    };
    record.game.outcome.or_else(shown)
}

/// Judges lost games and finds where they turned.
fn study(lost: Vec<(Record, Color)>, request: &Request) -> Result<Vec<LostGame>> {
    let threads = request.threads();
    let positions: usize = lost.iter().map(|(record, _)| judgement::positions(&record.game)).sum();
    let progress = Progress::without_lines("positions", positions as u64);
    // Each game has an analyst of its own, so what is found in one does not depend on the others.
    let studied = parallel::in_order(lost.len(), &mut vec![(); threads], |index, ()| {
        let (record, loser) = &lost[index];
        let mut analyst =
            Analyst::new(request.rule_of(&record.game), record.game.size, Effort::of_nodes(request.nodes()));
        let review = analyst.review(&record.game, || progress.step());
        let turn = turning_point::find(record, &review, *loser, |own| {
            let turns: Vec<_> =
                own.iter().map(|&at| (&review.moves[at], nodes(record, &review, at, request))).collect();
            analyst.first_sight(&turns).map(|seen| own[seen])
        });
        Ok((review, turn))
    })?;
    progress.end();
    let lesson = |((record, loser), (review, turn))| LostGame { record, loser, review, turn };
    Ok(lost.into_iter().zip(studied).map(lesson).collect())
}

/// The nodes that the player searched for a move.
fn nodes(record: &Record, review: &Review, index: usize, request: &Request) -> u64 {
    let recorded = record.nodes.get(review.number(index) - 1).copied().flatten();
    recorded.or(request.game_nodes).unwrap_or(request.nodes())
}

/// Draws each game into a folder that exists, in files with the number and the name of the game.
fn draw(lessons: &[LostGame], folder: &Path) -> Result<()> {
    for (index, lesson) in lessons.iter().enumerate() {
        let letters = lesson.record.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let name: String = letters.take(LETTERS).collect();
        let path = folder.join(format!("{:03}_{name}.svg", index + 1));
        let picture = board_picture::svg(lesson)?;
        output_file::write(&path, picture)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_capitals_and_with_an_ending() {
        for (name, text, is_found) in [
            (Some("pbrain-Tengen64.exe"), "tengen", true),
            (Some("tengen"), "TENGEN", true),
            (Some("Rapfi"), "tengen", false),
            (None, "", false),
        ] {
            assert_eq!(is_named(name, text), is_found, "{name:?} {text}");
        }
    }
}
