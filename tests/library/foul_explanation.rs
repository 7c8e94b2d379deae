//! Forbidden points explained: the rows agree with the oracle's verdict, to the end of the chains of hard positions and in
//! random ones.

use crate::common::fouls::HardCase;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tengen::base::{Cell, Color, Point, Rule, Size};
use tengen::board::foul_explanation::{Explanation, Row, RowKind, Ruling, all};
use tengen::board::oracle::Oracle;
use tengen::tools::explain::describe;

/// Checks that the rows agree with the verdict, which comes from the oracle.
fn check(oracle: &Oracle, explanation: &Explanation) {
    let fours = explanation.count(|row| matches!(row.kind, RowKind::Four(_)));
    let threes = explanation.count(Row::is_real_three);
    let expected = if explanation.count(|row| row.kind == RowKind::Five) > 0 {
        Ruling::Wins
    } else if explanation.count(|row| row.kind == RowKind::Overline) > 0 {
        Ruling::Overline
    } else if fours >= 2 {
        Ruling::DoubleFour
    } else if threes >= 2 {
        Ruling::DoubleThree
    } else {
        Ruling::Legal
    };
    assert_eq!(explanation.ruling, expected, "{explanation:?}");
    assert_eq!(oracle.foul(explanation.point).is_some(), explanation.ruling.is_foul());
    for row in &explanation.rows {
        assert!(row.stones.contains(&explanation.point));
        let count = match &row.kind {
            RowKind::Five => 5,
            RowKind::Overline => row.stones.len().max(6),
            RowKind::Four(fives) => {
                assert!((1..=2).contains(&fives.len()), "{row:?}");
                4
            }
            RowKind::Three(four_points) => {
                assert!(!four_points.is_empty() && row.is_real_three() != row.is_false_three());
                3
            }
            RowKind::ClosedThree => {
                let becomes_five = |start: i32| {
                    let at = |steps: i32| row.stones[0].step(row.direction, start + steps);
                    let cell = |steps: i32| at(steps).map_or(Cell::Wall, |point| oracle.cell(point));
                    (0..5).all(|i| cell(i) == Cell::Empty || at(i).is_some_and(|point| row.stones.contains(&point)))
                        && [-1, 5].iter().all(|&end| cell(end) != Cell::Black)
                };
                assert!((-4..=0).any(becomes_five), "{row:?}");
                3
            }
        };
        assert_eq!(row.stones.len(), count, "{row:?}");
        let mut after = oracle.clone();
        after.set(explanation.point, Cell::Black);
        let RowKind::Three(four_points) = &row.kind else { continue };
        for four_point in four_points {
            assert_eq!(
                four_point.is_open,
                after.foul(four_point.point).is_none() && !after.wins(four_point.point, Color::Black)
            );
            let explanation = four_point.explanation.as_deref();
            assert!(four_point.is_open || explanation.is_some());
            explanation.inspect(|explanation| check(&after, explanation));
        }
    }
}

#[test]
fn hard_positions_are_explained_to_the_end_of_their_chains() {
    let (mut longest, mut links) = (0, 0);
    for case in HardCase::all() {
        let (name, chain, mut oracle) = (case.name, &case.chain, case.oracle());
        let explanation = Explanation::new(&oracle, chain[0].0);
        check(&oracle, &explanation);
        // Each later point of the chain is a four point of some three, with the verdict in the file.
        let mut here = &explanation;
        for (index, &(point, verdict)) in chain.iter().enumerate() {
            let judged = Explanation::new(&oracle, point);
            assert_eq!(judged.ruling.name(), verdict, "{name}: {point}");
            if index > 0 {
                let four_points = here.rows.iter().filter_map(|row| match &row.kind {
                    RowKind::Three(four_points) => Some(four_points),
                    _ => None,
                });
                // The last points of some chains are not four points; they show why there is none.
                let Some(found) = four_points.flatten().find(|four_point| four_point.point == point) else { break };
                assert_eq!(found.is_open, judged.ruling == Ruling::Legal, "{name}: {point}");
                longest = longest.max(index);
                links += 1;
                match found.explanation.as_deref() {
                    Some(explanation) => here = explanation,
                    None => break,
                }
            }
            oracle.set(point, Cell::Black);
        }
    }
    assert!(longest >= 2 && links >= 15, "{links} links, {longest} in the longest chain");
}

#[test]
fn rows_and_rulings_agree_in_random_positions() {
    let mut random = SmallRng::seed_from_u64(8);
    let size = Size::square(9).unwrap();
    let (mut fouls, mut traps) = (0, 0);
    for _ in 0..200 {
        let mut oracle = Oracle::new(Rule::Renju, size);
        for point in size.points() {
            let cell = match random.random_range(0..10) {
                0..=2 => Cell::Black,
                3 => Cell::White,
                _ => Cell::Empty,
            };
            oracle.set(point, cell);
        }
        let explanations = all(&oracle);
        for explanation in &explanations {
            check(&oracle, explanation);
        }
        fouls += explanations.iter().filter(|explanation| explanation.ruling.is_foul()).count();
        traps += explanations.iter().filter(|explanation| explanation.is_trap()).count();
        let empty = |p: &Point| oracle.cell(*p) == Cell::Empty;
        let forbidden = size.points().filter(empty).filter(|&p| oracle.foul(p).is_some()).count();
        assert_eq!(explanations.iter().filter(|explanation| explanation.ruling.is_foul()).count(), forbidden);
    }
    assert!(fouls > 300 && traps > 30, "{fouls} {traps}");
}

/// Bug: the closed three was named by the first five points with three stones, also where they would become six.
#[test]
fn a_closed_three_has_the_stones_that_can_become_five() {
    let size = Size::square(15).unwrap();
    let points = |text: &str| tengen::board::notation::parse_moves(text, size).unwrap();
    let mut oracle = Oracle::new(Rule::Renju, size);
    for (text, cell) in [("d8g8i8", Cell::Black), ("k8", Cell::White)] {
        for point in points(text) {
            oracle.set(point, cell);
        }
    }
    let explanation = Explanation::new(&oracle, points("h8")[0]);
    check(&oracle, &explanation);
    assert!(explanation.rows.iter().any(|row| row.kind == RowKind::ClosedThree && row.stones == points("g8h8i8")));
}

/// How many explanations an explanation has, itself included.
fn nested(explanation: &Explanation) -> usize {
    let four_points = explanation.rows.iter().filter_map(|row| match &row.kind {
        RowKind::Three(four_points) => Some(four_points),
        _ => None,
    });
    1 + four_points.flatten().filter_map(|point| point.explanation.as_deref()).map(nested).sum::<usize>()
}

/// Bug: in a lattice of threes each explanation had others without end.
#[test]
fn explanations_are_not_nested_without_end() {
    let [e, a, b, c] = ["....................", "..XX....XX....XX....", ".X..XXXX..XXXX..X...", ".....XX....XX......."];
    let rows = [e, a, b, b, a, c, c, a, b, b, a, c, c, a, b, b, a, e, e, e];
    let mut oracle = Oracle::new(Rule::Renju, Size::square(20).unwrap());
    for (y, row) in rows.iter().enumerate() {
        for (x, _) in row.char_indices().filter(|(_, stone)| *stone == 'X') {
            oracle.set(Point::new(x, y).unwrap(), Cell::Black);
        }
    }
    // h13 for people.
    let explanation = Explanation::new(&oracle, Point::new(7, 7).unwrap());
    assert!((2..10_000).contains(&nested(&explanation)), "{} explanations", nested(&explanation));
    let mut text = String::new();
    describe(&explanation, oracle.size(), 0, &mut text);
    assert!(text.contains("is closed to black") || nested(&explanation) < 7, "{text}");
}
