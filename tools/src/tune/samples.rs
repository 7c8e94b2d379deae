//! Positions of training games for the fits.

use crate::data::packed_game::{PackedGame, PackedPly, records};
use anyhow::Result;
use std::path::PathBuf;
use tengen::base::hash::scatter;
use tengen::base::{Color, Point, Rule};
use tengen::board::{Board, NullObserver, Threat};
use tengen::eval::classical_weights::WeightSet;

/// One game in this many is held out: it is not fitted to, but used to measure the fit.
const HELD_OUT: u64 = 20;

/// A group of rules that share numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Freestyle.
    Freestyle,
    /// Standard.
    Standard,
    /// Renju, with numbers for each side.
    Renju,
    /// Caro and caro-exact.
    Caro,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 4] = [Group::Freestyle, Group::Standard, Group::Renju, Group::Caro];

    /// The group of a rule.
    pub const fn of(rule: Rule) -> Group {
        match rule {
            Rule::Freestyle => Group::Freestyle,
            Rule::Standard => Group::Standard,
            Rule::Renju => Group::Renju,
            Rule::Caro | Rule::CaroExact => Group::Caro,
        }
    }

    /// The sets of numbers of the group.
    pub fn sets(self) -> Vec<WeightSet> {
        let mut sets: Vec<WeightSet> = Rule::ALL
            .iter()
            .filter(|&&rule| Group::of(rule) == self)
            .flat_map(|&rule| Color::ALL.map(|c| WeightSet::of(rule, c)))
            .collect();
        sets.dedup();
        sets
    }

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Freestyle => "freestyle",
            Group::Standard => "standard",
            Group::Renju => "renju",
            Group::Caro => "caro",
        }
    }
}

/// Whether a game is held out: neither the classical numbers nor the networks learn from it.
pub fn is_held_out(game: &PackedGame) -> bool {
    scatter(game.number).is_multiple_of(HELD_OUT)
}

/// Calls `visit` with every game of the group in these files, in their order; labelled positions are skipped.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn for_each_game(paths: &[PathBuf], group: Group, mut visit: impl FnMut(&PackedGame)) -> Result<()> {
    for game in records(paths) {
        let game = game?;
        if Group::of(game.rule) == group && game.is_game() {
            visit(&game);
        }
    }
    Ok(())
}

/// Calls `visit` with the board before each recorded move, and the record of the move.
pub fn for_each_position(game: &PackedGame, mut visit: impl FnMut(&mut Board, &PackedPly)) {
    let mut board = Board::new(game.rule, game.size);
    for &stone in &game.opening.stones {
        board.play(stone, &mut NullObserver);
    }
    for ply in &game.plies {
        visit(&mut board, ply);
        board.play(ply.played, &mut NullObserver);
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
