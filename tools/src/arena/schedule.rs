//! The games of a tournament and their order: who meets whom, on which ground, from which opening, with which colours.
//!
//! The number of a game decides who plays whom, where, and from which opening. A round has one opening of one ground; in
//! it, every pairing plays two games with colours reversed. Rounds take the grounds in turn.

use super::ground::Ground;
use super::openings::Opening;

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
    /// Where it is played, by index.
    pub ground: usize,
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
    /// Where they are played, at least one.
    pub grounds: Vec<Ground>,
}

impl Schedule {
    /// Number of games in the tournament.
    pub fn total(&self) -> usize {
        self.pairings.len().saturating_mul(self.games_each)
    }

    /// The first scheduled number that is not below this one. If each pairing has an odd number of games, its last one has no
    /// partner with reversed colours, and the partner's number is left out: with more games it is played.
    pub fn at_or_after(&self, number: usize) -> Option<usize> {
        let per_round = self.pairings.len() * 2;
        let number = number + usize::from(number / per_round == self.games_each / 2) * (number % 2);
        (number < per_round.saturating_mul(self.games_each.div_ceil(2))).then_some(number)
    }

    /// The game with this number.
    pub fn game(&self, number: usize) -> Game {
        let per_round = self.pairings.len() * 2;
        let (round, pairing, reversed) = (number / per_round, number % per_round / 2, number % 2 == 1);
        let Pairing { first, second } = self.pairings[pairing];
        let seats = if reversed { [second, first] } else { [first, second] };
        let index = round % self.grounds.len();
        let ground = &self.grounds[index];
        let (opening, symmetry) = ground.opening(round / self.grounds.len());
        Game { number, seats, ground: index, opening, symmetry }
    }

    /// Number of rounds without repeating an opening in the same orientation on any ground.
    pub fn distinct_rounds(&self) -> usize {
        self.grounds.iter().map(Ground::variants).min().unwrap_or(0) * self.grounds.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::terms::Terms;
    use std::collections::HashMap;
    use tengen::base::{Rule, Size};

    fn schedule(engines: usize, gauntlet: bool, games_each: usize) -> Schedule {
        let terms = Terms::plain(Rule::Freestyle, Size::square(15).unwrap());
        let grounds = ["0:15", "4:20"].map(|text| Ground::parse(text, terms, 1).unwrap()).to_vec();
        Schedule { pairings: pairings(engines, gauntlet), games_each, grounds }
    }

    #[test]
    fn rounds_take_the_grounds_in_turn() {
        let schedule = schedule(3, false, 8);
        let grounds: Vec<usize> = (0..schedule.total()).map(|number| schedule.game(number).ground).collect();
        assert_eq!(grounds, [[0; 6], [1; 6], [0; 6], [1; 6]].concat());
        assert_eq!(schedule.distinct_rounds(), 2);
    }

    #[test]
    fn every_pairing_gets_its_games_with_both_colours() {
        for (gauntlet, pairs) in [(false, 6), (true, 3)] {
            for games in [1, 2, 7, 10] {
                let schedule = schedule(4, gauntlet, games);
                assert_eq!(schedule.pairings.len(), pairs);
                let mut count: HashMap<[usize; 2], usize> = HashMap::new();
                let numbers = numbers(&schedule);
                assert_eq!(numbers.len(), schedule.total());
                for &number in &numbers {
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

    fn numbers(schedule: &Schedule) -> Vec<usize> {
        std::iter::successors(schedule.at_or_after(0), |number| schedule.at_or_after(number + 1)).collect()
    }

    /// Bug: after an odd number of games of three or more engines a match could not be resumed with more, because the games
    /// of the last round had the numbers of others.
    #[test]
    fn more_games_do_not_change_those_already_played() {
        for (engines, few) in [(2, 10), (2, 9), (3, 3), (4, 7)] {
            let (few, many) = (schedule(engines, false, few), schedule(engines, false, 50));
            let all = numbers(&many);
            assert!(numbers(&few).iter().all(|number| all.contains(number) && few.game(*number) == many.game(*number)));
        }
    }
}
