//! Positions from search trees with their best moves. They are more extreme than positions of games, and their best moves are
//! often refutations.

use super::samples::{Group, for_each_game, is_held_out};
use crate::data::packed_game::PackedGame;
use anyhow::{Context, Result};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::path::PathBuf;
use tengen::base::{Cell, Color, Ply, Point};
use tengen::board::{Board, NullObserver};
use tengen::engine::Engine;
use tengen::search::forced;
use tengen::search::order::for_each_reply;
use tengen::search::tt::Bound;

/// Smallest remaining depth, in plies, of a position that is used.
const SHALLOWEST: i32 = 3;
/// Largest distance from the root, in plies.
const REACH: u32 = 8;
/// Share of the positions found that is used.
const SHARE: f64 = 0.3;
/// Size of the transposition table in bytes.
const HASH: u64 = 32 << 20;

/// Searches one position of each of the first `trees` games of a group for `nodes` nodes. Calls `visit` with positions from the
/// transposition table, their best moves, and whether the game is held out.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn for_each_choice(
    paths: &[PathBuf],
    group: Group,
    (trees, nodes): (usize, u64),
    mut visit: impl FnMut(&mut Board, Point, bool),
) -> Result<()> {
    let mut engine = Engine::new();
    engine.options_mut().hash_size = Some(HASH);
    let mut searched = 0;
    let mut trouble = Ok(());
    for_each_game(paths, group, |game| {
        if searched < trees && trouble.is_ok() {
            searched += 1;
            let held_out = is_held_out(game);
            trouble = search(&mut engine, game, nodes).map(|mut random| {
                let mut board = engine.board();
                walk(&engine, &mut board, 0, &mut random, &mut |board, best| visit(board, best, held_out));
            });
        }
    })?;
    trouble
}

/// Searches a random position of the game.
fn search(engine: &mut Engine, game: &PackedGame, nodes: u64) -> Result<SmallRng> {
    let mut random = SmallRng::seed_from_u64(game.number);
    let plies = random.random_range(0..game.plies.len().max(1));
    let stones: Vec<(Point, Cell)> =
        game.moves().take(game.opening.stones.len() + plies).zip(Cell::stones_in_turn()).collect();
    engine.set_rule(game.rule);
    engine.new_game(game.size, false);
    engine.set_position(&stones, Color::to_move_after(stones.len())).context("the recorded game cannot be played")?;
    engine.think_nodes(nodes);
    Ok(random)
}

/// Visits the positions of the transposition table below this one.
fn walk(engine: &Engine, board: &mut Board, ply: u32, random: &mut SmallRng, visit: &mut dyn FnMut(&mut Board, Point)) {
    if ply > 0 {
        let Some(memory) = engine.remembers(board) else { return };
        if memory.depth < SHALLOWEST {
            return;
        }
        if let Some(best) = memory.best
            && memory.bound != Bound::Upper
            && board.is_empty(best)
            && random.random_bool(SHARE)
        {
            visit(board, best);
        }
    }
    if ply >= REACH || forced::static_result(board, Ply::ROOT).is_some() {
        return;
    }
    let mut replies = Vec::new();
    for_each_reply(board, &forced::duty(board), |point| replies.push(point));
    for point in replies {
        board.play(point, &mut NullObserver);
        walk(engine, board, ply + 1, random, visit);
        board.undo(&mut NullObserver);
    }
}
