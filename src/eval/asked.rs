//! A uniform sample of the positions for which the search computes the network, to train the network on the positions that it
//! is used for.
//!
//! Only builds with the cargo feature `asked` sample; in all others the calls compile to nothing. A sample belongs to its
//! thread: it covers what is evaluated there between [`begin`] and [`end`], so helper threads take no part.

use crate::base::Point;
use crate::base::hash::{GOLDEN, scatter};
use crate::board::Board;
use std::cell::RefCell;

/// A sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// How often the network was computed.
    pub asked: u64,
    /// The positions of the sample, each as the line of moves from the root of its search. A position that was asked about
    /// several times may be in it several times.
    pub lines: Vec<Vec<Point>>,
}

/// Whether this build samples.
pub const IS_SAMPLING: bool = cfg!(feature = "asked");

struct Reservoir {
    wanted: usize,
    seed: u64,
    sample: Sample,
}

thread_local! {
    static RESERVOIR: RefCell<Option<Reservoir>> = const { RefCell::new(None) };
}

/// Begins a sample of `wanted` positions on this thread, each with the same chance. The same searches and the same seed give
/// the same positions.
pub fn begin(wanted: usize, seed: u64) {
    RESERVOIR.set(Some(Reservoir { wanted, seed, sample: Sample::default() }));
}

/// Ends the sample; it is empty if none was begun.
pub fn end() -> Sample {
    RESERVOIR.take().map(|reservoir| reservoir.sample).unwrap_or_default()
}

/// Notes that the network is computed for this position.
#[inline(always)]
pub fn note(board: &Board) {
    if IS_SAMPLING {
        RESERVOIR.with_borrow_mut(|reservoir| {
            if let Some(reservoir) = reservoir {
                reservoir.note(board);
            }
        });
    }
}

impl Reservoir {
    /// Reservoir sampling (Vitter 1985): a new position takes the place of one in the sample with the chance that all have
    /// so far.
    fn note(&mut self, board: &Board) {
        let Sample { asked, lines } = &mut self.sample;
        *asked += 1;
        if lines.len() < self.wanted {
            lines.push(board.moves().collect());
            return;
        }
        let place = scatter(self.seed.wrapping_add(asked.wrapping_mul(GOLDEN))) % *asked;
        if let Some(line) = lines.get_mut(place as usize) {
            *line = board.moves().collect();
        }
    }
}

#[cfg(test)]
#[cfg(feature = "asked")]
mod tests {
    use super::*;
    use crate::base::{Rule, Score, Size};
    use crate::board::NullObserver;
    use crate::eval::network::Network;
    use crate::eval::{ChosenEvaluator, Evaluator};

    /// Notes the positions of a game of `moves` moves; returns those drawn, by their number of moves.
    fn draw(wanted: usize, seed: u64, moves: usize) -> Vec<usize> {
        let size = Size::square(15).unwrap();
        let mut board = Board::new(Rule::Freestyle, size);
        begin(wanted, seed);
        for point in size.points().take(moves) {
            board.play(point, &mut NullObserver);
            note(&board);
        }
        let drawn = end();
        assert_eq!(drawn.asked, moves as u64);
        for line in &drawn.lines {
            assert!(line.iter().copied().eq(size.points().take(line.len())));
        }
        drawn.lines.iter().map(Vec::len).collect()
    }

    #[test]
    fn every_position_has_the_same_chance_and_the_seed_decides() {
        let mut counts = [0; 20];
        for seed in 0..2000 {
            let drawn = draw(2, seed, 20);
            assert_eq!(drawn, draw(2, seed, 20));
            assert!(drawn.len() == 2 && drawn[0] != drawn[1], "{drawn:?}");
            for moves in drawn {
                counts[moves - 1] += 1;
            }
        }
        assert!(counts.iter().all(|&count| (140..260).contains(&count)), "200 each expected: {counts:?}");
        assert_eq!(draw(5, 1, 3), [1, 2, 3]);
        assert!(draw(0, 1, 3).is_empty());
        assert_eq!(end(), Sample::default());
    }

    #[test]
    fn only_positions_for_which_the_network_is_computed_take_part() {
        let size = Size::square(15).unwrap();
        let mut board = Board::new(Rule::Standard, size);
        let mut evaluator = ChosenEvaluator::new(&board, Some(Network::embedded(Rule::Standard)));
        board.play(Point::new(7, 7).unwrap(), &mut evaluator);
        let far = Score::estimate(9000);
        begin(9, 1);
        let mut known = None;
        evaluator.evaluate_within(&board, far, far.above(), 150, &mut known);
        assert_eq!(known, None, "the classical evaluation answers");
        evaluator.evaluate_within(&board, -Score::INFINITE, Score::INFINITE, 150, &mut known);
        evaluator.evaluate_within(&board, -Score::INFINITE, Score::INFINITE, 150, &mut known);
        let drawn = end();
        assert_eq!((drawn.asked, drawn.lines), (1, vec![vec![Point::new(7, 7).unwrap()]]));
    }
}
