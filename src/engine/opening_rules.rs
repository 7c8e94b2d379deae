//! Opening rules: what to propose and which side to take, under swap2 and under Soosorv-8.

use super::Engine;
use super::question::Question;
use crate::base::hash::{GOLDEN, scatter};
use crate::base::{Point, Score};
use crate::board::symmetry;
use crate::search::{NullSink, ReportSink, Scope, SearchControl, SearchLimits, SearchReport};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};
use std::ops::Range;

/// The answer to a swap2 question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swap2Choice {
    /// Take black.
    Swap,
    /// Place these stones. One: stay white. Two: the opponent chooses. Three: the opening.
    Place(Vec<Point>),
}

/// Openings that are compared.
const CANDIDATES: usize = 16;
/// Largest distance of their stones from a random point, in rows and columns.
const WINDOW: usize = 3;
/// Fourth stones of a Soosorv opening that are searched.
const FOURTHS: usize = 4;
/// Largest number of fifth stones to ask for.
const FIFTHS: usize = 8;
/// Share of the game's clock that an opening question gets: one part in this many.
const CLOCK_PARTS: u32 = 20;
/// Node limit of a question that has no other limit.
const QUESTION_NODES: u64 = 400_000;
/// With three stones on the board and an absolute score below this, two more are placed if the score then is below it too,
/// and the opponent chooses.
const EVEN: i32 = 25;

impl Engine {
    /// Answers the swap2 question for 0, 3 or 5 stones on the board; `None` for any other number. The control is used as
    /// in [`Engine::think`]. The position stays as it is.
    pub fn swap2(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> Option<Swap2Choice> {
        match self.stones().len() {
            0 => Some(Swap2Choice::Place(self.propose_opening(control))),
            3 | 5 => Some(self.choose_side(control, sink)),
            _ => None,
        }
    }

    /// White is to move and provisionally ours: stay if the score is not below a draw, otherwise take black. If three
    /// stones leave an even position, place two more that keep it even and let the opponent choose.
    fn choose_side(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> Swap2Choice {
        let is_first = self.stones().len() == 3;
        // Two more stones get the other half.
        let report = self.think(&share_of(control, 0..1, if is_first { 2 } else { 1 }), sink);
        let score = report.last.score;
        if is_first
            && !report.is_unknown()
            && score.units().abs() < EVEN
            && let Some(stones) = self.even_pair(&share_of(control, 1..2, 2))
        {
            return Swap2Choice::Place(stones);
        }
        match report.best {
            Some(point) if score >= Score::DRAW && report.stands() => Swap2Choice::Place(vec![point]),
            _ => Swap2Choice::Swap,
        }
    }

    /// Three stones for an even position: the most even of some random openings.
    fn propose_opening(&mut self, control: &SearchControl) -> Vec<Point> {
        let mut random = SmallRng::seed_from_u64(self.options.opening_seed);
        // The next game of this process gets another opening.
        self.options.opening_seed = scatter(self.options.opening_seed.wrapping_add(GOLDEN));
        let all: Vec<Point> = self.size().points().collect();
        let openings = (0..CANDIDATES)
            .filter_map(|_| {
                let spot = *all.choose(&mut random)?;
                let near = all.iter().copied().filter(|&point| point.distance(spot) <= WINDOW).collect();
                some_of(near, 3, &mut random)
            })
            .collect();
        self.most_even(openings, control).unwrap_or_else(|| all.into_iter().take(3).collect())
    }

    /// A fourth and a fifth stone that keep the position even; `None` if none were found.
    fn even_pair(&mut self, control: &SearchControl) -> Option<Vec<Point>> {
        let pair = self.balance(2, 0, control)?;
        (pair.depth > 0 && pair.score.units().abs() < EVEN).then_some(pair.stones)
    }

    /// The continuation with the smallest absolute score: short searches of all, longer ones of the better half, and so
    /// on.
    fn most_even(&mut self, mut continuations: Vec<Vec<Point>>, control: &SearchControl) -> Option<Vec<Point>> {
        let mut question = Question::new(self, control, CLOCK_PARTS);
        let rounds = continuations.len().max(1).ilog2().max(1);
        for round in 0..rounds {
            let count = continuations.len() as u32;
            let mut weighed = Vec::new();
            for (continuation, number) in continuations.iter().zip(0..) {
                let part = round * count + number;
                let inner = share_of(control, part..part + 1, rounds * count);
                let board = self.board_after(continuation);
                let report = self.search(self.level(), board, Scope::default(), &inner, &mut NullSink);
                weighed.push(((report.is_unknown(), report.last.score.units().abs()), continuation.clone()));
                question.count(&report);
                if self.is_over(&question) {
                    // Only the candidates searched in this round count.
                    weighed.sort_by_key(|&(score, _)| score);
                    return weighed.into_iter().next().map(|(_, best)| best);
                }
            }
            weighed.sort_by_key(|&(score, _)| score);
            weighed.truncate(weighed.len().div_ceil(2));
            continuations = weighed.into_iter().map(|(_, continuation)| continuation).collect();
        }
        continuations.into_iter().next()
    }
}

/// `count` different points at random; `None` if there are fewer.
fn some_of(mut points: Vec<Point>, count: usize, random: &mut SmallRng) -> Option<Vec<Point>> {
    let (chosen, _) = points.partial_shuffle(random, count);
    (chosen.len() == count).then(|| chosen.to_vec())
}

/// The questions of the Soosorv-8 opening: three stones, the choice of sides, a fourth stone with a number of fifth
/// stones, sides again, the fifth stones, and which of them stays.
impl Engine {
    /// The most even opening with black in the centre, white next to it and black within two steps.
    pub fn soosorv_opening(&mut self, control: &SearchControl) -> Vec<Point> {
        let size = self.size();
        let center = size.center();
        let at = |dx: i64, dy: i64| size.point(center.x() as i64 + dx, center.y() as i64 + dy);
        let mut openings = Vec::new();
        for second in [at(0, -1), at(1, -1)].into_iter().flatten() {
            let mirror = |dx: i64, dy: i64| if second.x() == center.x() { (-dx, dy) } else { (-dy, -dx) };
            for (dx, dy) in (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy))) {
                // Of an opening and its mirror image, take one.
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

    /// The best lines for moves of which none is the mirror image of another, whatever the setting for analyses says.
    fn distinct_lines(&mut self, lines: usize, control: &SearchControl, sink: &mut dyn ReportSink) -> SearchReport {
        let board = self.board();
        let scope = Scope { all_symmetric: false, ..self.scope(&board, lines.max(1)) };
        self.search(self.level(), board, scope, control, sink)
    }

    /// Whether black is the better side after three stones, when white is to move and chooses.
    pub fn soosorv_black_is_better(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> bool {
        let report = self.think(&share_of(control, 0..1, 1), sink);
        report.last.score < Score::DRAW || !report.stands()
    }

    /// The fourth stone and the number of fifth stones to ask for (1 to 8): the most even combination, since the opponent
    /// may take either side.
    pub fn soosorv_fourth(&mut self, control: &SearchControl, sink: &mut dyn ReportSink) -> Option<(Point, usize)> {
        let tried = self.distinct_lines(FOURTHS, &share_of(control, 0..1, 4), sink);
        let fourths: Vec<Point> = if tried.lines.is_empty() {
            tried.best.into_iter().collect()
        } else {
            tried.lines.iter().filter_map(|line| line.pv.first().copied()).collect()
        };
        let mut best: Option<(i32, Point, usize)> = None;
        let count = fourths.len() as u32;
        for (fourth, round) in fourths.iter().zip(0..) {
            if self.play(*fourth).is_err() {
                continue;
            }
            let part = count + 3 * round;
            let inner = share_of(control, part..part + 3, 4 * count);
            let report = self.distinct_lines(FIFTHS, &inner, &mut NullSink);
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

    /// Whether white is the better side when black has to offer this many fifth stones and white chooses: white keeps the
    /// worst of black's best ones.
    pub fn soosorv_white_is_better(
        &mut self,
        count: usize,
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> bool {
        let report = self.distinct_lines(count, &share_of(control, 0..1, 1), sink);
        report.lines.last().unwrap_or(&report.last).score < Score::DRAW
    }

    /// This many fifth stones for white to choose from, none the mirror image of another. Fewer only if there are not
    /// enough points.
    pub fn soosorv_fifths(&mut self, count: usize, control: &SearchControl, sink: &mut dyn ReportSink) -> Vec<Point> {
        let report = self.distinct_lines(count, &share_of(control, 0..1, 1), sink);
        let mut fifths: Vec<Point> = report.lines.iter().filter_map(|line| line.pv.first().copied()).collect();
        if fifths.is_empty() {
            fifths.extend(report.best);
        }
        // A search without time, or threats on the board, give fewer lines than asked for.
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

    /// The fifth stone on offer that is best for white; `None` if none is offered on an empty point.
    pub fn soosorv_choice(
        &mut self,
        fifths: &[Point],
        control: &SearchControl,
        sink: &mut dyn ReportSink,
    ) -> Option<Point> {
        let taken = |point: &Point| self.stones().iter().any(|(stone, _)| stone == point);
        let offered: Vec<Point> = fifths.iter().copied().filter(|p| self.size().contains(*p) && !taken(p)).collect();
        let others = self.size().points().filter(|point| !offered.contains(point)).collect();
        let board = self.board();
        let scope = Scope { all_symmetric: true, ..self.scope_without(others, &board, offered.len().max(1)) };
        let report = self.search(self.level(), board, scope, &share_of(control, 0..1, 1), sink);
        let worst = report.lines.last().and_then(|line| line.pv.first()).copied();
        worst.or(report.best).filter(|point| offered.contains(point)).or(offered.first().copied())
    }
}

/// A control for these parts of a question with `whole` parts: it stops when the question has used its time up to their end, and
/// has their share of the nodes.
fn share_of(control: &SearchControl, parts: Range<u32>, whole: u32) -> SearchControl {
    let limits = control.limits();
    let time = limits.time_for_question(CLOCK_PARTS);
    let unbounded = time.is_none() && limits.nodes.is_none() && limits.depth.is_none();
    let nodes = limits.nodes.or(unbounded.then_some(QUESTION_NODES));
    control.part(SearchLimits {
        turn: time.map(|time| time * parts.end / whole),
        left: None,
        nodes: nodes.map(|nodes| (nodes / u64::from(whole) * parts.len() as u64).max(1)),
        wants_score: true,
        ..limits
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Instant;
    use crate::base::{Cell, Color, Rule, Size};
    use crate::board::oracle::{Oracle, Verdict};
    use crate::engine::Level;
    use crate::search::Iteration;

    fn answer(stones: &[(usize, usize)]) -> Option<Swap2Choice> {
        let mut engine = Engine::new();
        engine.set_rule(Rule::Standard);
        let cells: Vec<(Point, Cell)> = stones
            .iter()
            .zip(Cell::stones_in_turn())
            .map(|(&(x, y), cell)| (Point::new(x, y).unwrap(), cell))
            .collect();
        engine.set_position(&cells, Color::to_move_after(cells.len())).unwrap();
        let control = SearchControl::within(SearchLimits { nodes: Some(20_000), ..SearchLimits::default() });
        engine.swap2(&control, &mut NullSink)
    }

    /// Nodes at the end of the last iteration.
    struct Spent(u64);

    impl ReportSink for Spent {
        fn iteration(&mut self, iteration: &Iteration) {
            self.0 = self.0.max(iteration.nodes);
        }
    }

    /// Bug: the last three steps of Soosorv-8 took the time of a move, a twelfth of the clock and more.
    #[test]
    fn the_steps_of_soosorv_take_a_twentieth_of_the_clock() {
        let moves = [(7, 7), (8, 8), (9, 6), (6, 9), (5, 5), (9, 9)].map(|(x, y)| Point::new(x, y).unwrap());
        for step in 3..6 {
            let mut engine = Engine::new();
            engine.set_rule(Rule::Renju);
            let cells: Vec<_> = moves[..4].iter().copied().zip(Cell::stones_in_turn()).collect();
            engine.set_position(&cells, Color::Black).unwrap();
            let clock = Some(std::time::Duration::from_secs(100));
            let limits = SearchLimits { left: clock, nodes_per_ms: Some(1), ..SearchLimits::default() };
            let (control, mut spent) = (SearchControl::within(limits), Spent(0));
            match step {
                3 => drop(engine.soosorv_white_is_better(2, &control, &mut spent)),
                4 => drop(engine.soosorv_fifths(2, &control, &mut spent)),
                _ => drop(engine.soosorv_choice(&moves[4..], &control, &mut spent)),
            }
            assert!((1000..=5000).contains(&spent.0), "step {step}: {} nodes", spent.0);
        }
    }

    #[test]
    fn an_opening_has_three_different_stones() {
        let Some(Swap2Choice::Place(points)) = answer(&[]) else { panic!("an opening is always placed") };
        assert_eq!(points.len(), 3);
        assert!(points[0] != points[1] && points[1] != points[2] && points[0] != points[2]);
    }

    #[test]
    fn openings_are_legal_and_follow_from_the_seed() {
        for rule in Rule::ALL {
            let mut openings = std::collections::HashSet::new();
            for seed in 0..4 {
                let propose = || {
                    let mut engine = Engine::new();
                    engine.set_rule(rule);
                    engine.new_game(Size::square(15).unwrap(), false);
                    engine.options_mut().opening_seed = seed;
                    let control = SearchControl::within(SearchLimits { nodes: Some(5000), ..SearchLimits::default() });
                    engine.swap2(&control, &mut NullSink)
                };
                let Some(Swap2Choice::Place(stones)) = propose() else { panic!("an opening is always placed") };
                assert_eq!(propose(), Some(Swap2Choice::Place(stones.clone())));
                let mut oracle = Oracle::new(rule, Size::square(15).unwrap());
                assert_eq!(stones.len(), 3);
                for (&stone, color) in stones.iter().zip([Color::Black, Color::White, Color::Black]) {
                    assert_eq!(oracle.play(stone, color), Verdict::Continues);
                }
                openings.insert(stones);
            }
            assert!(openings.len() >= 3, "{openings:?}");
        }
    }

    /// Bug: a process proposed the same opening in all its games.
    #[test]
    fn each_game_has_an_opening_of_its_own() {
        let mut engine = Engine::new();
        let mut propose = |seed: Option<u64>| {
            engine.new_game(Size::square(15).unwrap(), false);
            if let Some(seed) = seed {
                engine.options_mut().opening_seed = seed;
            }
            let control = SearchControl::within(SearchLimits { nodes: Some(5000), ..SearchLimits::default() });
            engine.swap2(&control, &mut NullSink)
        };
        let first = [propose(Some(7)), propose(None), propose(None)];
        assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2], "{first:?}");
        assert_eq!([propose(Some(7)), propose(None), propose(None)], first);
    }

    /// Bug: an opening whose search was cut short in its first iteration counted as perfectly even.
    #[test]
    fn an_opening_that_was_not_searched_is_not_even() {
        let mut engine = Engine::new();
        let moves = |text: &str| crate::board::notation::parse_moves(text, Size::square(15).unwrap()).unwrap();
        // The first has many moves near its stones, the second fewer.
        let (spread, compact) = (moves("c3m13c13"), moves("h8h9h10"));
        let control = SearchControl::default();
        let depth_with = |engine: &mut Engine, stones: &[Point], nodes: u64| {
            control.begin(SearchLimits { nodes: Some(nodes), ..SearchLimits::default() });
            let board = engine.board_after(stones);
            engine.search(engine.level(), board, Scope::default(), &control, &mut NullSink).last.depth
        };
        let nodes = (1..500).find(|&nodes| depth_with(&mut engine, &compact, nodes) > 0).unwrap();
        assert_eq!(depth_with(&mut engine, &spread, nodes), 0);
        control.begin(SearchLimits { nodes: Some(2 * nodes), ..SearchLimits::default() });
        assert_eq!(engine.most_even(vec![spread, compact.clone()], &control), Some(compact));
    }

    /// Bug: after a stop, swap2 proposed a pair at random that no search had seen.
    #[test]
    fn no_pair_is_even_after_a_stop() {
        let mut engine = Engine::new();
        let stones = crate::board::notation::parse_moves("h8i9a1", Size::square(15).unwrap()).unwrap();
        let stones: Vec<(Point, Cell)> = stones.into_iter().zip(Cell::stones_in_turn()).collect();
        engine.set_position(&stones, Color::White).unwrap();
        let second = std::time::Duration::from_secs(1);
        let control = SearchControl::within(SearchLimits {
            started: Instant::now().checked_sub(second),
            turn: Some(20 * second),
            ..SearchLimits::default()
        });
        control.stop();
        assert_eq!(engine.even_pair(&control), None);
    }

    /// Bug: with `INFO nbestsym 1`, mirror images of a point were offered.
    #[test]
    fn fifth_stones_are_no_mirror_images_of_each_other() {
        let mut engine = Engine::new();
        engine.set_rule(Rule::Renju);
        engine.options_mut().all_symmetric = true;
        let moves = crate::board::notation::parse_moves("h8h9h7h10", Size::square(15).unwrap()).unwrap();
        let stones: Vec<(Point, Cell)> = moves.into_iter().zip(Cell::stones_in_turn()).collect();
        engine.set_position(&stones, Color::Black).unwrap();
        let control = SearchControl::within(SearchLimits { depth: Some(3), ..SearchLimits::default() });
        let fifths = engine.soosorv_fifths(8, &control, &mut NullSink);
        let mirrored = |point: Point| Point::new(14 - point.x(), point.y()).unwrap();
        assert_eq!(fifths.len(), 8);
        assert!(
            fifths.iter().all(|&point| mirrored(point) == point || !fifths.contains(&mirrored(point))),
            "{fifths:?}"
        );
    }

    #[test]
    fn the_two_stones_for_an_even_position_keep_it_even() {
        let mut engine = Engine::new();
        let moves = |text: &str| crate::board::notation::parse_moves(text, Size::square(15).unwrap()).unwrap();
        let stones: Vec<(Point, Cell)> = moves("h8i9a1").into_iter().zip(Cell::stones_in_turn()).collect();
        engine.set_position(&stones, Color::White).unwrap();
        let control = SearchControl::within(SearchLimits { nodes: Some(100_000), ..SearchLimits::default() });
        let pair = engine.even_pair(&control).unwrap();
        assert_eq!(pair.len(), 2);
        assert!(pair[0] != pair[1] && stones.iter().all(|(stone, _)| !pair.contains(stone)));
        let report = engine.search(Level::FULL, engine.board_after(&pair), Scope::default(), &control, &mut NullSink);
        assert!(report.last.score.units().abs() < 150, "{}", report.last.score);
    }

    #[test]
    fn a_lost_position_is_swapped_and_a_won_one_kept() {
        // White has to stop black's open three: white is worse.
        assert_eq!(answer(&[(7, 7), (0, 0), (8, 8), (0, 14), (9, 9)]), Some(Swap2Choice::Swap));
        // Black's stones lie in the corners, white is to move in the middle: white is better.
        let choice = answer(&[(0, 0), (7, 7), (14, 14), (8, 8), (0, 14)]);
        assert!(matches!(choice, Some(Swap2Choice::Place(points)) if points.len() == 1));
    }

    /// The limit of nodes is for the question, so its searches divide it.
    #[test]
    fn an_opening_question_keeps_to_its_limit_of_nodes() {
        let limit = 20_000;
        let control = SearchControl::default();
        for stones in ["", "h8i9a1", "h8i9a1b2c3"] {
            let mut engine = Engine::new();
            engine.set_rule(Rule::Standard);
            let moves = crate::board::notation::parse_moves(stones, Size::square(15).unwrap()).unwrap();
            let cells: Vec<(Point, Cell)> = moves.into_iter().zip(Cell::stones_in_turn()).collect();
            engine.set_position(&cells, Color::to_move_after(cells.len())).unwrap();
            engine.take_traces();
            control.begin(SearchLimits { nodes: Some(limit), ..SearchLimits::default() });
            engine.swap2(&control, &mut NullSink).unwrap();
            let nodes: u64 = engine.take_traces().iter().map(|trace| trace.nodes).sum();
            // Each search may end a few nodes late.
            assert!((limit / 4..limit + limit / 20).contains(&nodes), "{stones}: {nodes}");
        }
    }

    #[test]
    fn other_numbers_of_stones_are_no_swap2_question() {
        assert_eq!(answer(&[(7, 7)]), None);
        assert_eq!(answer(&[(7, 7), (8, 7)]), None);
    }
}
