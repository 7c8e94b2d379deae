//! Opening rules: what to propose, and which side to take, under swap2 and under Soosorv-8. Floor 4.

use super::Engine;
use crate::base::{Cell, Color, Point, Score};
use crate::board::{Board, symmetry};
use crate::search::{NullSink, ReportSink, Scope, SearchControl, SearchLimits};
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
/// Fourth stones of a Soosorv opening that are looked into.
const FOURTHS: usize = 4;
/// Most fifth stones that may be asked for.
const FIFTHS: usize = 8;
/// Nodes for a part of a question that nothing else limits.
const PART_NODES: u64 = 400_000;
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
        let openings: Vec<_> = (0..CANDIDATES).filter_map(|_| self.random_opening(&mut random)).collect();
        self.most_even(openings, control).unwrap_or_else(|| self.size().points().take(3).collect())
    }

    /// The opening of three stones after which neither side is much better, by short searches.
    fn most_even(&mut self, openings: Vec<Vec<Point>>, control: &SearchControl) -> Option<Vec<Point>> {
        let count = openings.len() as u32;
        let limits = control.limits();
        let begin = limits.started.unwrap_or_else(Instant::now);
        let share = limits.turn.into_iter().chain(limits.left.map(|left| left / 20)).min().map(|time| time / count);
        let mut best: Option<(i32, Vec<Point>)> = None;
        for (i, opening) in (0..).zip(openings) {
            let until = share.map(|share| (begin + share * (i + 1)).saturating_duration_since(Instant::now()));
            let nodes = limits.nodes.map_or(CANDIDATE_NODES, |nodes| nodes / u64::from(count));
            let inner = control.part(SearchLimits {
                turn: until,
                nodes: Some(nodes),
                depth: limits.depth,
                ..SearchLimits::default()
            });
            let stones: Vec<(Point, Cell)> =
                opening.iter().zip([Cell::Black, Cell::White, Cell::Black]).map(|(&p, c)| (p, c)).collect();
            let board = Board::from_cells(self.rule(), self.size(), &stones, Color::White);
            let score = self.search(board, Scope::default(), &inner, &mut NullSink).last.score.units().abs();
            if best.as_ref().is_none_or(|(lowest, _)| score < *lowest) {
                best = Some((score, opening));
            }
            let out_of_time = share.is_some_and(|share| begin.elapsed() + share > share * count);
            let ends = control.is_stopped() || out_of_time || until == Some(Duration::ZERO);
            if self.traces.has_more().map_or(ends, |more| !more) {
                break;
            }
        }
        best.map(|(_, opening)| opening)
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

/// The questions of the Soosorv-8 opening: three stones, who takes which side, a fourth stone with a number of fifth
/// ones, sides again, that many fifth stones, and which of them stays.
impl Engine {
    /// The first three stones: black's in the centre, white's beside it, black's within two steps, as even as may be.
    pub fn soosorv_opening(&mut self, control: &SearchControl) -> Vec<Point> {
        let size = self.size();
        let center = size.center();
        let at = |dx: i64, dy: i64| size.point(center.x() as i64 + dx, center.y() as i64 + dy);
        let mut openings = Vec::new();
        for second in [at(0, -1), at(1, -1)].into_iter().flatten() {
            let mirror = |dx: i64, dy: i64| if second.x() == center.x() { (-dx, dy) } else { (-dy, -dx) };
            for (dx, dy) in (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy))) {
                // Each opening once: not its mirror image, too.
                if let Some(third) = at(dx, dy).filter(|&third| third != center && third != second)
                    && (dx, dy) >= mirror(dx, dy)
                {
                    openings.push(vec![center, second, third]);
                }
            }
        }
        let plain = openings.first().cloned().unwrap_or_default();
        self.most_even(openings, control).unwrap_or(plain)
    }

    /// The fourth stone, with a number of fifth ones to ask for (1 to 8): together as even as may be, since the
    /// opponent may take either side.
    pub fn soosorv_fourth(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> Option<(Point, usize)> {
        let tried = self.analyse(FOURTHS, &share_of(control, 1, 4), sink);
        let fourths: Vec<Point> = if tried.lines.is_empty() {
            tried.best.into_iter().collect()
        } else {
            tried.lines.iter().filter_map(|line| line.pv.first().copied()).collect()
        };
        let mut best: Option<(i32, Point, usize)> = None;
        for (fourth, round) in fourths.iter().zip(1..) {
            if self.play(*fourth).is_err() {
                continue;
            }
            let until = share_of(control, fourths.len() as u32 + 3 * round, 4 * fourths.len() as u32);
            let report = self.analyse(FIFTHS, &until, &mut NullSink);
            let _ = self.take_back(*fourth);
            for (line, count) in report.lines.iter().zip(1..) {
                let score = line.score.units().abs();
                if best.is_none_or(|(lowest, ..)| score < lowest) {
                    best = Some((score, *fourth, count));
                }
            }
        }
        best.map(|(_, fourth, count)| (fourth, count)).or_else(|| fourths.first().map(|&fourth| (fourth, 1)))
    }

    /// Whether white is the better side when black is about to offer this many fifth stones and white to choose: the
    /// last of black's best ones is the one that stays.
    pub fn soosorv_white_is_better(
        &mut self,
        count: usize,
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> bool {
        let report = self.analyse(count, control, sink);
        report.lines.last().unwrap_or(&report.last).score < Score::DRAW
    }

    /// This many fifth stones for white to choose from, none the mirror image of another. Fewer only where there are
    /// no more points.
    pub fn soosorv_fifths(&mut self, count: usize, control: &SearchControl, sink: &mut dyn ReportSink) -> Vec<Point> {
        let report = self.analyse(count, control, sink);
        let mut fifths: Vec<Point> = report.lines.iter().filter_map(|line| line.pv.first().copied()).collect();
        if fifths.is_empty() {
            fifths.extend(report.best);
        }
        // A search without time, or threats on the board, leave less than were asked for.
        let board = self.board();
        let symmetries = symmetry::of_position(&board);
        for point in self.size().points() {
            let is_new = symmetries.iter().all(|s| !fifths.contains(&s.apply(point, self.size())));
            if fifths.len() < count && board.is_empty(point) && !fifths.contains(&point) && is_new {
                fifths.push(point);
            }
        }
        fifths.truncate(count);
        fifths
    }

    /// Which of the fifth stones black offers is best for white; none where none is offered on an empty point.
    pub fn soosorv_choice(
        &mut self,
        fifths: &[Point],
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> Option<Point> {
        let blocked = std::mem::take(&mut self.blocked);
        let taken = |point: &Point| self.stones().iter().any(|(stone, _)| stone == point);
        let offered: Vec<Point> = fifths.iter().copied().filter(|p| self.size().contains(*p) && !taken(p)).collect();
        self.blocked = self.size().points().filter(|point| !offered.contains(point)).collect();
        let all_symmetric = std::mem::replace(&mut self.options_mut().all_symmetric, true);
        let report = self.analyse(offered.len().max(1), control, sink);
        self.options_mut().all_symmetric = all_symmetric;
        self.blocked = blocked;
        let worst = report.lines.last().and_then(|line| line.pv.first()).copied();
        worst.or(report.best).filter(|point| offered.contains(point)).or(offered.first().copied())
    }
}

/// A part of a question's allowance, to be used up at this fraction of it.
fn share_of(control: &SearchControl, part: u32, whole: u32) -> SearchControl {
    let limits = control.limits();
    let time = limits.turn.into_iter().chain(limits.left.map(|left| left / 20)).min();
    let unbounded = time.is_none() && limits.nodes.is_none() && limits.depth.is_none();
    let nodes = limits.nodes.or(unbounded.then_some(PART_NODES));
    control.part(SearchLimits {
        turn: time.map(|time| time * part / whole),
        left: None,
        nodes: nodes.map(|nodes| (nodes / u64::from(whole)).max(1)),
        ..limits
    })
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
