//! `tengen-review`: judges every move of a finished game, as text, JSON and a drawing; of a folder of records it shows where
//! the games that a player lost were lost.
//!
//! [`tengen::tools::judgement`] finds what each move was worth, [`review_text`] writes text and JSON, [`chart`] draws the
//! curve of the game. [`lessons`] does the same for many games: [`turning_point`] finds where each turned and why,
//! [`lesson_text`] and [`board_picture`] show it. [`records`] reads the games, in any encoding ([`charset`]).

pub mod board_picture;
pub mod charset;
pub mod chart;
pub mod lesson_text;
pub mod lessons;
pub mod records;
pub mod review_options;
pub mod review_text;
pub mod turning_point;

use crate::output_file;
use crate::parallel;
use crate::progress::Progress;
use anyhow::{Context, Result};
use records::{Collection, Record};
use review_options::Request;
use review_text::Remarks;
use std::io::Write;
use std::path::Path;
use tengen::tools::gamefile;
use tengen::tools::judgement::{self, Analyst, Effort};

/// `tengen-review [options] [FILE | FOLDER]`.
///
/// # Errors
/// When the options do not go together, the game cannot be parsed, or a file cannot be read or written.
pub fn run(request: &Request, out: &mut dyn Write) -> Result<()> {
    request.check()?;
    if let Some(folder) = request.folder() {
        return lessons::run(request, records::read(folder)?, &folder.display().to_string(), out);
    }
    let bytes = gamefile::read_source(request.source.as_deref())?;
    let source = request.source.as_deref().unwrap_or("standard input");
    let name = Path::new(source).file_name().unwrap_or_default().to_string_lossy();
    let mut games = records::games_in(&bytes, &name, request.size);
    if games.len() > 1 || records::is_match(&bytes) {
        return lessons::run(request, Collection::of_file(games, &name), source, out);
    }
    request.check_one()?;
    one_game(request, games.pop().context("no game")??, out)
}

/// Judges every move of one game.
fn one_game(request: &Request, record: Record, out: &mut dyn Write) -> Result<()> {
    let game = request.with_start(record.game);
    let remarks = Remarks::of(&game, request.rule);
    let imposed = game.start.moves;
    let game = game.impose(imposed);
    let rule = request.rule_of(&game);
    request.svg.as_deref().map_or(Ok(()), output_file::expect_folder)?;
    let progress = Progress::without_lines("positions", judgement::positions(&game) as u64);
    let reviews = parallel::in_order(1, &mut [()], |_, ()| {
        let mut analyst = Analyst::new(rule, game.size, Effort::of_nodes(request.nodes()));
        Ok(analyst.review(&game, || progress.step()))
    })?;
    progress.end();
    let review = &reviews[0];
    let write = if request.json { review_text::json } else { review_text::text };
    let text = write(review, &game.players, &remarks);
    out.write_all(text.as_bytes())?;
    if let Some(path) = &request.svg {
        let drawing = chart::svg(review, &game.players)?;
        output_file::write(path, drawing)?;
    }
    Ok(())
}
