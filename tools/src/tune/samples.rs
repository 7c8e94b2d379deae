//! Positions of training games for the fits, and which games are held out from them.

use crate::data::packed_game::PackedGame;
use crate::data::record_file::records;
use anyhow::Result;
use std::path::PathBuf;
use tengen::base::hash::scatter;
use tengen::base::{Color, Point, Rule};
use tengen::board::{Board, Threat};
use tengen::eval::classical_weights::WeightSet;
use tengen::eval::{Evaluator, ShapeEvaluator};

/// One game in this many is held out: it is not fitted to, but used to measure the fit.
const HELD_OUT: u64 = 20;

/// The rules with numbers of their own; caro-exact has those of caro.
pub const FITTED: [Rule; 4] = [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro];

/// The sets of numbers of a rule: one, or one for each side.
pub fn sets_of(rule: Rule) -> Vec<WeightSet> {
    let mut sets = Color::ALL.map(|color| WeightSet::of(rule, color)).to_vec();
    sets.dedup();
    sets
}

/// Whether a game is held out: neither the classical numbers nor the networks learn from it.
pub fn is_held_out(game: &PackedGame) -> bool {
    scatter(game.number).is_multiple_of(HELD_OUT)
}

/// Calls `visit` with every game under rules with the same numbers in these files, in their order; labelled positions are
/// skipped.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn for_each_game(paths: &[PathBuf], rule: Rule, mut visit: impl FnMut(&PackedGame)) -> Result<()> {
    for game in records(paths) {
        let game = game?;
        if sets_of(game.rule) == sets_of(rule) && game.is_game() {
            visit(&game);
        }
    }
    Ok(())
}

/// Calls `visit` with the board before each recorded move, its classical evaluation, and the number of the move in the record.
pub fn for_each_position(game: &PackedGame, mut visit: impl FnMut(&mut Board, &mut ShapeEvaluator, usize)) {
    let (mut board, mut shapes) = (Board::new(game.rule, game.size), ShapeEvaluator::new(game.rule));
    shapes.refresh(&board);
    for &stone in &game.opening.stones {
        board.play(stone, &mut shapes);
    }
    for (number, ply) in game.plies.iter().enumerate() {
        visit(&mut board, &mut shapes, number);
        board.play(ply.played, &mut shapes);
    }
}

/// Whether the search would use the static evaluation here: no five for either side and no open four for the side to move.
pub fn uses_static_evaluation(board: &Board) -> bool {
    let us = board.side();
    board.count(Color::Black, Threat::Five) + board.count(Color::White, Threat::Five) == 0
        && board.count(us, Threat::OpenFour) == 0
}

/// Empty points of a board.
pub fn empty_points(board: &Board) -> impl Iterator<Item = Point> + '_ {
    board.size().points().filter(|&point| board.is_empty(point))
}
