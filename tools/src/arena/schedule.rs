//! The games of a tournament and their order.
//!
//! The number of a game determines players, colours and opening: one round for each opening, in it every pairing, and for
//! each pairing two games with colours swapped.

use super::openings::{Opening, of_round};
use tengen::base::Size;

/// Two engines that play each other, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The engine listed first.
    pub first: usize,
    /// The other.
    pub second: usize,
}

/// All pairings of a gauntlet (the first engine against each other one) or of a round robin.
pub fn pairings(engines: usize, gauntlet: bool) -> Vec<Pairing> {
    let firsts = if gauntlet { 1 } else { engines };
    (0..firsts).flat_map(|first| (first + 1..engines).map(move |second| Pairing { first, second })).collect()
}

/// A game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its number, from 0.
    pub number: usize,
    /// Indices of the engine that opens (black, unless swap2 changes that) and of the other one.
    pub seats: [usize; 2],
    /// The opening.
    pub opening: Opening,
    /// The symmetry applied to the opening of the file; 0 for none.
    pub symmetry: usize,
}

/// All games of a tournament.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Which engines meet.
    pub pairings: Vec<Pairing>,
    /// Games of each pairing.
    pub games_each: usize,
    /// The openings in playing order, at least one; a single one without stones if there is no file.
    pub openings: Vec<Opening>,
    /// The board, by whose symmetries the openings are turned.
    pub size: Size,
}

impl Schedule {
    /// Number of games in the tournament.
    pub fn total(&self) -> usize {
        self.pairings.len() * self.games_each
    }

    /// The game with this number. If each pairing has an odd number of games, its last one has no partner with reversed
    /// colours.
    pub fn game(&self, number: usize) -> Game {
        let whole_rounds = self.games_each / 2;
        let per_round = self.pairings.len() * 2;
        let (round, pairing, reversed) = if number / per_round < whole_rounds {
            let within = number % per_round;
            (number / per_round, within / 2, within % 2 == 1)
        } else {
            (whole_rounds, number - whole_rounds * per_round, false)
        };
        let Pairing { first, second } = self.pairings[pairing];
        let (opening, symmetry) = of_round(&self.openings, round, self.size);
        Game { number, seats: if reversed { [second, first] } else { [first, second] }, opening, symmetry }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn schedule(engines: usize, gauntlet: bool, games_each: usize) -> Schedule {
        let size = Size::square(15).unwrap();
        Schedule { pairings: pairings(engines, gauntlet), games_each, openings: vec![Opening::default()], size }
    }

    #[test]
    fn every_pairing_gets_its_games_with_both_colours() {
        for (gauntlet, pairs) in [(false, 6), (true, 3)] {
            for games in [1, 2, 7, 10] {
                let schedule = schedule(4, gauntlet, games);
                assert_eq!(schedule.pairings.len(), pairs);
                let mut count: HashMap<[usize; 2], usize> = HashMap::new();
                for number in 0..schedule.total() {
                    *count.entry(schedule.game(number).seats).or_default() += 1;
                }
                for Pairing { first, second } in &schedule.pairings {
                    let [as_black, as_white] =
                        [[*first, *second], [*second, *first]].map(|s| count.get(&s).copied().unwrap_or(0));
                    assert_eq!((as_black, as_white), (games - games / 2, games / 2));
                }
            }
        }
    }

    #[test]
    fn more_games_do_not_change_those_already_played() {
        let (few, many) = (schedule(2, false, 10), schedule(2, false, 50));
        assert!((0..10).all(|number| few.game(number) == many.game(number)));
    }
}
