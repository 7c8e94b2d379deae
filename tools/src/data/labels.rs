//! Labelled positions: what the searches of a game asked the network about, and some quiet positions of the game itself, each
//! with the result of a search of its own.
//!
//! Everything is decided by the number of the game: which positions are drawn, and what the searches that label them know,
//! because their table is cleared at the start of each game.

use super::packed_game::{Content, PackedGame, PackedPly};
use crate::arena::openings::Opening;
use anyhow::{Context, Result, ensure};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::HashSet;
use tengen::base::point::sorted_sides;
use tengen::base::{Cell, Color, Ply, Point};
use tengen::board::Threat;
use tengen::engine::Engine;
use tengen::eval::asked;
use tengen::search::forced;

/// The number of a game with these bits changed is the seed of its samples, so that they are independent of its moves.
const SAMPLING_SEED: u64 = 0x6173_6b65_6400_0000;
/// A quiet position has a smaller absolute score than this.
const QUIET: i32 = 1000;
/// Size of the transposition table of self-play and of labels in bytes.
pub(super) const HASH: u64 = 8 << 20;

/// Which positions are labelled, and how well.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Labels {
    /// Positions drawn from each search of a game, among those that the network was computed for.
    #[arg(long, default_value_t = 2)]
    pub samples: usize,
    /// One quiet position of a game in this many is labelled; 0: none.
    #[arg(long, default_value_t = 5)]
    pub relabel_every: u64,
    /// Nodes of the search that labels a position.
    #[arg(long = "label-nodes", id = "label_nodes", default_value_t = 6000)]
    pub nodes: u64,
}

/// Collects positions while a game is played, and labels them when it is over.
#[derive(Debug)]
pub(super) struct Labeller {
    labels: Labels,
    engine: Engine,
    random: SmallRng,
    /// The moves to each position of this game that is to be labelled.
    found: Vec<(Vec<Point>, Content)>,
}

impl Labeller {
    pub fn new(labels: Labels) -> Labeller {
        let mut engine = Engine::new();
        engine.options_mut().hash_size = Some(HASH);
        Labeller { labels, engine, random: SmallRng::seed_from_u64(0), found: Vec::new() }
    }

    /// Checks that this build draws positions.
    ///
    /// # Errors
    /// When it does not.
    pub fn check() -> Result<()> {
        ensure!(asked::IS_SAMPLING, "this build does not sample positions; build it with --features asked");
        Ok(())
    }

    /// Begins a game.
    pub fn begin(&mut self, number: u64) {
        self.random = SmallRng::seed_from_u64(number ^ SAMPLING_SEED);
        self.found.clear();
    }

    /// To be called before each search of the game.
    pub fn before_search(&mut self) {
        asked::begin(self.labels.samples, self.random.random());
    }

    /// To be called after each search of the game, with its result, before the move is played.
    pub fn after_search(&mut self, engine: &Engine, ply: &PackedPly) {
        let moves: Vec<Point> = engine.stones().iter().map(|&(point, _)| point).collect();
        let content = Content::Asked { root: moves.len() as u16 };
        for line in asked::end().lines {
            self.found.push((moves.iter().copied().chain(line).collect(), content));
        }
        let is_drawn = self.labels.relabel_every > 0 && self.random.random_range(0..self.labels.relabel_every) == 0;
        if is_drawn && is_quiet(engine, ply) {
            self.found.push((moves, Content::Quiet));
        }
    }

    /// Ends the game: its positions with their labels, each position once.
    ///
    /// # Errors
    /// When a position cannot be set up, which would be a fault of the search.
    pub fn finish(&mut self, game: &PackedGame) -> Result<Vec<PackedGame>> {
        self.engine.set_rule(game.rule);
        self.engine.new_game(game.size, false);
        let mut known = HashSet::new();
        let mut positions = Vec::new();
        for (moves, content) in std::mem::take(&mut self.found) {
            if known.insert(sorted_sides(&moves))
                && let Some(label) = self.label(&moves)?
            {
                let opening = Opening { stones: moves };
                positions.push(PackedGame { content, opening, plies: vec![label], ..game.clone() });
            }
        }
        Ok(positions)
    }

    /// The result of a search of the position after these moves; `None` if no move is left.
    fn label(&mut self, moves: &[Point]) -> Result<Option<PackedPly>> {
        let stones: Vec<_> = moves.iter().copied().zip(Cell::stones_in_turn()).collect();
        self.engine
            .set_position(&stones, Color::to_move_after(moves.len()))
            .context("a line of the search cannot be played")?;
        let report = self.engine.think_to_a_score(self.labels.nodes);
        Ok(report.best.map(|best| PackedPly::chosen(best, report.estimate())))
    }
}

/// Whether the position of the engine is quiet: no threat must be answered or decides it, and the best move is no four.
fn is_quiet(engine: &Engine, ply: &PackedPly) -> bool {
    let mut board = engine.board();
    i32::from(ply.score).abs() < QUIET
        && forced::duty(&board).is_free()
        && board.threat(ply.best, board.side()) < Threat::Four
        && forced::static_result(&mut board, Ply::ROOT).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::base::Size;
    use tengen::board::notation::parse_moves;

    /// An engine with this position on a board of 15x15.
    fn engine(moves: &str) -> Engine {
        let mut engine = Engine::new();
        for point in parse_moves(moves, Size::square(15).unwrap()).unwrap() {
            engine.play(point).unwrap();
        }
        engine
    }

    #[test]
    fn quiet_positions_have_free_moves_and_no_clear_winner() {
        let ply = |best: &str, score| {
            let best = parse_moves(best, Size::square(15).unwrap()).unwrap()[0];
            PackedPly { played: best, best, score }
        };
        let calm = engine("h8i9g7");
        assert!(is_quiet(&calm, &ply("g9", -120)));
        assert!(!is_quiet(&calm, &ply("g9", 1000)) && !is_quiet(&calm, &ply("g9", -29_990)));
        // White must stop an open three; black may extend one; black may make a four.
        assert!(!is_quiet(&engine("h8a1i8a3j8"), &ply("k8", 0)));
        assert!(!is_quiet(&engine("h8a1i8a3j8c1"), &ply("k8", 0)));
        assert!(!is_quiet(&engine("h8g8i8a3j8c1"), &ply("k8", 0)));
        assert!(is_quiet(&engine("h8g8i8a3j8c1"), &ply("h7", 0)));
    }

    #[cfg(feature = "asked")]
    mod drawing {
        use super::*;
        use tengen::base::Score;
        use tengen::board::{Board, NullObserver};
        use tengen::eval::network::{Accumulator, Kernel, Network, reference};

        fn search(engine: &mut Engine, nodes: u64) -> PackedPly {
            let report = engine.think_nodes(nodes);
            PackedPly::chosen(report.best.unwrap(), report.last.score)
        }

        fn computed(board: &Board) -> Score {
            let network = Network::embedded(board.rule());
            Accumulator::new(network, board, Kernel::best()).evaluate(board, reference::parts(board))
        }

        /// The search stores every network evaluation in its table, except where it returns without storing anything.
        #[test]
        fn asked_positions_are_those_that_the_network_was_computed_for() {
            let mut engine = engine("h8i9g7g9i7j8");
            asked::begin(usize::MAX, 1);
            search(&mut engine, 2000);
            let all = asked::end();
            assert!(all.asked == all.lines.len() as u64 && (100..2000).contains(&all.asked), "{}", all.asked);
            let mut remembered = 0;
            for line in &all.lines {
                let mut board = engine.board();
                for &point in line {
                    assert!(board.is_empty(point));
                    board.play(point, &mut NullObserver);
                }
                assert!(forced::static_result(&mut board, Ply::ROOT).is_none() && !board.is_draw());
                if let Some(eval) = engine.remembers(&board).and_then(|entry| entry.eval) {
                    assert_eq!(eval, computed(&board));
                    remembered += 1;
                }
            }
            assert!(remembered * 10 > all.lines.len() * 9, "{remembered} of {}", all.lines.len());
        }

        #[test]
        fn asked_positions_are_drawn_from_those_of_the_same_search() {
            let draw = |wanted, seed| {
                let mut engine = engine("h8i9g7g9i7j8");
                asked::begin(wanted, seed);
                search(&mut engine, 1000);
                asked::end()
            };
            let (all, two) = (draw(usize::MAX, 1), draw(2, 1));
            assert_eq!(two, draw(2, 1));
            assert!(
                two.asked == all.asked && two.lines.len() == 2 && two.lines.iter().all(|line| all.lines.contains(line))
            );
            assert!((2..20).any(|seed| draw(2, seed).lines != two.lines));
        }

        #[test]
        fn asked_positions_become_records_with_one_label_each() {
            let mut engine = engine("h8i9g7");
            let mut labeller = Labeller::new(Labels { samples: 3, relabel_every: 1, nodes: 80 });
            labeller.begin(7);
            let mut game = PackedGame {
                content: Content::Game,
                number: 7,
                rule: engine.rule(),
                size: engine.size(),
                opening: Opening { stones: engine.stones().iter().map(|&(point, _)| point).collect() },
                plies: Vec::new(),
                winner: Some(Color::White),
            };
            for _ in 0..4 {
                labeller.before_search();
                let ply = search(&mut engine, 300);
                labeller.after_search(&engine, &ply);
                game.plies.push(ply);
                engine.play(ply.played).unwrap();
            }
            let positions = labeller.finish(&game).unwrap();
            let asked = positions.iter().filter(|position| matches!(position.content, Content::Asked { .. })).count();
            assert!(
                (10..=12).contains(&asked) && positions.len() > asked && positions.len() <= 16,
                "{}",
                positions.len()
            );
            let moves: Vec<Point> = game.moves().collect();
            for position in &positions {
                let stones = &position.opening.stones;
                assert_eq!((position.number, position.winner, position.plies.len()), (7, game.winner, 1));
                assert!(i32::from(position.plies[0].score).abs() <= Score::INFINITE.units());
                match position.content {
                    Content::Asked { root } => {
                        assert!(stones.starts_with(&moves[..root.into()]) && (3..7).contains(&root));
                    }
                    _ => assert!(moves.starts_with(stones)),
                }
            }
            assert!(labeller.finish(&game).unwrap().is_empty(), "each is labelled once");
        }
    }
}
