//! Which games there are, in which order. Floor 6.
//!
//! A game's number alone says who plays whom from which opening: rounds of one opening, in each round every pairing,
//! in each pairing two games with colours changed.

use super::cli::Setup;
use super::openings::{Opening, of_round};

/// Two engines that meet, by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The engine listed first.
    pub first: usize,
    /// The other.
    pub second: usize,
}

/// All pairings of a gauntlet (the first engine against all others) or a round robin.
pub fn pairings(engines: usize, gauntlet: bool) -> Vec<Pairing> {
    let firsts = if gauntlet { 1 } else { engines };
    (0..firsts).flat_map(|first| (first + 1..engines).map(move |second| Pairing { first, second })).collect()
}

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its number, from 0.
    pub number: usize,
    /// The engine that opens (black, unless swap2 says otherwise) and the other, by index.
    pub seats: [usize; 2],
    /// The opening.
    pub opening: Opening,
    /// Which symmetry of the opening in the file this is, 0 being the one that is written there.
    pub symmetry: usize,
}

/// Number of games in the tournament.
pub fn total(setup: &Setup) -> usize {
    setup.pairings.len() * setup.games_each
}

/// The game with this number. An odd number of games leaves the last pair of every pairing with one game, so those
/// of the last round have no colours to change.
pub fn game(setup: &Setup, number: usize) -> Game {
    let pairings = setup.pairings.len();
    let whole_rounds = setup.games_each / 2;
    let per_round = pairings * 2;
    let (round, pairing, changed) = if number / per_round < whole_rounds {
        let within = number % per_round;
        (number / per_round, within / 2, within % 2 == 1)
    } else {
        (whole_rounds, number - whole_rounds * per_round, false)
    };
    let Pairing { first, second } = setup.pairings[pairing];
    let (opening, symmetry) = of_round(&setup.openings, round, setup.terms.size);
    Game { number, seats: if changed { [second, first] } else { [first, second] }, opening, symmetry }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::cli::Arguments;
    use clap::Parser;
    use std::collections::HashMap;

    fn setup(line: &str) -> Setup {
        let words = std::iter::once("tengen-match").chain(line.split_whitespace());
        Setup::new(Arguments::try_parse_from(words).unwrap()).unwrap()
    }

    #[test]
    fn every_pairing_gets_its_games_with_both_colours() {
        let engines = "--engine name=A,cmd=a --engine name=B,cmd=b --engine name=C,cmd=c --engine name=D,cmd=d";
        for (line, pairs) in [(engines.to_owned(), 6), (format!("{engines} --gauntlet"), 3)] {
            for games in [1, 2, 7, 10] {
                let setup = setup(&format!("{line} --games {games}"));
                assert_eq!(setup.pairings.len(), pairs);
                let mut count: HashMap<[usize; 2], usize> = HashMap::new();
                for number in 0..total(&setup) {
                    *count.entry(game(&setup, number).seats).or_default() += 1;
                }
                for Pairing { first, second } in &setup.pairings {
                    let [as_black, as_white] =
                        [[*first, *second], [*second, *first]].map(|s| count.get(&s).copied().unwrap_or(0));
                    assert_eq!((as_black, as_white), (games - games / 2, games / 2));
                }
            }
        }
    }

    #[test]
    fn more_games_do_not_change_those_already_played() {
        let few = setup("--engine name=A,cmd=a --engine name=B,cmd=b --games 10");
        let many = setup("--engine name=A,cmd=a --engine name=B,cmd=b --games 50");
        assert!((0..10).all(|number| game(&few, number) == game(&many, number)));
    }
}
