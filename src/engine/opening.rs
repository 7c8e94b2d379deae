//! Swap2: which opening to propose, and which side to take. Floor 4.

use super::Engine;
use crate::base::{Cell, Color, Point, Score};
use crate::search::{NullSink, ReportSink, SearchControl, SearchLimits};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::time::{Duration, Instant};

/// The answer to a swap2 question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swap2Choice {
    /// Take black.
    Swap,
    /// Put these stones (one: stay white; two: let the opponent choose; three: the opening).
    Place(Vec<Point>),
}

/// Seed of the proposed openings: the same question gets the same answer.
const SEED: u64 = 1;
/// Openings weighed against each other before one is proposed.
const CANDIDATES: u32 = 12;
/// Nodes given to each when no time limit says otherwise.
const CANDIDATE_NODES: u64 = 20_000;
/// With three stones on the board, a position this close to even is left for the opponent to choose from.
const EVEN: i32 = 25;

impl Engine {
    /// Answers a swap2 question for 0, 3 or 5 stones on the board; `None` for any other number. Same control as
    /// [`Engine::think`]. The position stays as it is.
    pub fn swap2(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> Option<Swap2Choice> {
        match self.stones().len() {
            0 => Some(Swap2Choice::Place(self.propose_opening(control))),
            3 | 5 => Some(self.choose_side(control, sink)),
            _ => None,
        }
    }

    /// We are provisionally white and to move: stay when the search likes white, otherwise take black. After three
    /// stones that are nearly even, two more go down and the opponent chooses.
    fn choose_side(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> Swap2Choice {
        let report = self.think(control, sink);
        let score = report.last.score;
        let reply = report.last.pv.get(1).copied();
        match (report.best, reply) {
            (Some(fourth), Some(fifth)) if self.stones().len() == 3 && score.units().abs() < EVEN => {
                Swap2Choice::Place(vec![fourth, fifth])
            }
            (Some(point), _) if score >= Score::DRAW => Swap2Choice::Place(vec![point]),
            _ => Swap2Choice::Swap,
        }
    }

    /// Three stones after which neither side is much better: the most even of a few random ones, by short searches.
    fn propose_opening(&mut self, control: &SearchControl) -> Vec<Point> {
        let mut random = SmallRng::seed_from_u64(SEED);
        let limits = control.limits();
        let begin = limits.started.unwrap_or_else(Instant::now);
        let share =
            limits.turn.into_iter().chain(limits.left.map(|left| left / 20)).min().map(|time| time / CANDIDATES);
        let mut best: Option<(i32, Vec<Point>)> = None;
        for i in 0..CANDIDATES {
            let Some(opening) = self.random_opening(&mut random) else { continue };
            let until = share.map(|share| (begin + share * (i + 1)).saturating_duration_since(Instant::now()));
            let nodes = limits.nodes.map_or(CANDIDATE_NODES, |nodes| nodes / u64::from(CANDIDATES));
            let inner = SearchControl::default();
            inner.begin(SearchLimits {
                turn: until,
                nodes: Some(nodes),
                depth: limits.depth,
                ..SearchLimits::default()
            });
            let stones: Vec<(Point, Cell)> =
                opening.iter().zip([Cell::Black, Cell::White, Cell::Black]).map(|(&p, c)| (p, c)).collect();
            let board = crate::board::Board::from_cells(self.rule(), self.size(), &stones, Color::White);
            let score = self.think_about(board, &inner, &mut NullSink).last.score.units().abs();
            if best.as_ref().is_none_or(|(lowest, _)| score < *lowest) {
                best = Some((score, opening));
            }
            let out_of_time = share.is_some_and(|share| begin.elapsed() + share > share * CANDIDATES);
            if control.is_stopped() || out_of_time || until == Some(Duration::ZERO) {
                break;
            }
        }
        best.map_or_else(|| self.size().points().take(3).collect(), |(_, opening)| opening)
    }

    /// Three different points, legal for their colours, within a window of seven around a random spot.
    fn random_opening(&self, random: &mut SmallRng) -> Option<Vec<Point>> {
        let size = self.size();
        let all: Vec<Point> = size.points().collect();
        let spot = *all.choose(random)?;
        let near: Vec<Point> =
            all.into_iter().filter(|p| p.x().abs_diff(spot.x()) <= 3 && p.y().abs_diff(spot.y()) <= 3).collect();
        let mut opening = Vec::new();
        while opening.len() < 3 {
            let point = near[random.random_range(0..near.len())];
            if !opening.contains(&point) {
                opening.push(point);
            }
        }
        Some(opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;

    fn answer(stones: &[(usize, usize)]) -> Option<Swap2Choice> {
        let mut engine = Engine::new();
        engine.set_rule(Rule::Standard);
        let cells: Vec<(Point, Cell)> = stones
            .iter()
            .zip([Cell::Black, Cell::White].into_iter().cycle())
            .map(|(&(x, y), cell)| (Point::new(x, y).unwrap(), cell))
            .collect();
        engine.set_position(&cells, if cells.len().is_multiple_of(2) { Color::Black } else { Color::White }).unwrap();
        let control = SearchControl::default();
        control.begin(SearchLimits { nodes: Some(20_000), ..SearchLimits::default() });
        engine.swap2(&control, &mut NullSink)
    }

    #[test]
    fn an_opening_has_three_different_stones() {
        let Some(Swap2Choice::Place(points)) = answer(&[]) else { panic!("an opening is always placed") };
        assert_eq!(points.len(), 3);
        assert!(points[0] != points[1] && points[1] != points[2] && points[0] != points[2]);
    }

    #[test]
    fn a_lost_position_is_swapped_and_a_won_one_kept() {
        // Black's open three with black to follow up is white's to stop: white is worse.
        assert_eq!(answer(&[(7, 7), (0, 0), (8, 8), (0, 14), (9, 9)]), Some(Swap2Choice::Swap));
        // Two black stones in the corner against white to move in the middle: nothing for black.
        let choice = answer(&[(0, 0), (7, 7), (14, 14), (8, 8), (0, 14)]);
        assert!(matches!(choice, Some(Swap2Choice::Place(points)) if points.len() == 1));
    }

    #[test]
    fn other_numbers_of_stones_are_no_swap2_question() {
        assert_eq!(answer(&[(7, 7)]), None);
        assert_eq!(answer(&[(7, 7), (8, 7)]), None);
    }
}
