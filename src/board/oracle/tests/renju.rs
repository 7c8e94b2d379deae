//! Hard renju cases: threes that do not count because the squares that would make them straight fours are fouls
//! themselves, several levels deep; and all fouls again by a second implementation.

use super::*;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Positions that the tests of the fast board use, too.
const POSITIONS: &str = include_str!("../../../../tests/data/forbidden.txt");

/// The point written as `x,y`.
fn point(text: &str) -> Point {
    let (x, y) = text.split_once(',').unwrap();
    Point::new(x.parse().unwrap(), y.parse().unwrap()).unwrap()
}

/// The verdict on a black stone.
fn judged(oracle: &Oracle, p: Point) -> &'static str {
    if oracle.wins(p, Color::Black) { "five" } else { kind(oracle.foul(p).as_ref()) }
}

#[test]
fn threes_that_depend_on_other_fouls() {
    for block in POSITIONS.split("\n\n").skip(1) {
        let (name, rest) = block.split_once('\n').unwrap();
        let (chain, text) = rest.split_once('\n').unwrap();
        let (mut oracle, marked) = picture(Rule::Renju, text);
        assert!(chain.starts_with(&marked.to_string()));
        for (at, expected) in chain.split("; ").map(|step| step.split_once(' ').unwrap()) {
            assert_eq!(judged(&oracle, point(at)), expected, "{name}: {at}\n{text}");
            assert_eq!(kind_again(&oracle, point(at)), expected, "{name}, second implementation: {at}\n{text}");
            oracle.set(point(at), Cell::Black);
        }
    }
}

#[test]
fn five_beats_two_fours() {
    let (oracle, p) = picture(
        Rule::Renju,
        "
        ..........
        ....X.....
        ....X.....
        ....X.....
        ....X.....
        .XX.*X.XX.
        ..........
        ..........
        ..........
        ..........",
    );
    assert_eq!(judged(&oracle, p), "five");
    assert_eq!(oracle.threat(p, Color::Black), Threat::Five);
    assert_eq!(oracle.clone().play(p, Color::Black), Verdict::Wins);
}

#[test]
fn nothing_is_forbidden_on_an_occupied_point() {
    let (mut oracle, p) =
        picture(Rule::Renju, POSITIONS.rsplit("\n\n").next().unwrap().splitn(3, '\n').last().unwrap());
    for cell in [Cell::Black, Cell::White, Cell::Wall] {
        oracle.set(p, cell);
        assert_eq!(oracle.foul(p), None);
    }
}

// A second implementation of the fouls: everything follows from the squares that complete exactly five.

/// Squares of a line where black would complete exactly five with the stone on `p`, as steps from `p`.
fn five_squares(oracle: &Oracle, p: Point, direction: Direction) -> Vec<i32> {
    let completes = |steps: i32| {
        let Some(e) = p.step(direction, steps).filter(|&e| oracle.cell(e) == Cell::Empty) else { return false };
        let mut after = oracle.clone();
        after.set(e, Cell::Black);
        let joined = (steps.min(0)..=steps.max(0)).all(|i| after.at(p, direction, i) == Cell::Black);
        joined && after.row(e, Color::Black, direction) == 5
    };
    (-4..=4).filter(|&steps| completes(steps)).collect()
}

/// Whether the stone on `p` belongs to a straight four: two such squares with only the four between them.
fn in_straight_four(oracle: &Oracle, p: Point, direction: Direction) -> bool {
    matches!(five_squares(oracle, p, direction)[..], [left, right] if right - left == 5)
}

/// The verdict on a black stone on the empty point `p`.
fn kind_again(oracle: &Oracle, p: Point) -> &'static str {
    let mut after = oracle.clone();
    after.set(p, Cell::Black);
    let rows = Direction::ALL.map(|direction| after.row(p, Color::Black, direction));
    if rows.contains(&5) {
        return "five";
    }
    if rows.iter().any(|&row| row > 5) {
        return "overline";
    }
    let fours = Direction::ALL.map(|direction| match five_squares(&after, p, direction)[..] {
        [left, right] if right - left == 5 => 1,
        ref squares => squares.len(),
    });
    if fours.into_iter().sum::<usize>() >= 2 {
        return "double four";
    }
    let is_real_three = |direction: Direction| {
        (-3..=3).filter_map(|steps| p.step(direction, steps)).filter(|&e| after.cell(e) == Cell::Empty).any(|e| {
            let mut next = after.clone();
            next.set(e, Cell::Black);
            in_straight_four(&next, p, direction)
                && in_straight_four(&next, e, direction)
                && kind_again(&after, e) == "legal"
        })
    };
    let threes = Direction::ALL.into_iter().filter(|&direction| is_real_three(direction)).count();
    if threes >= 2 { "double three" } else { "legal" }
}

#[test]
fn fouls_agree_with_a_second_implementation() {
    let mut rng = SmallRng::seed_from_u64(4);
    let mut double_threes = 0;
    for _ in 0..400 {
        let size = Size::new(rng.random_range(7..=10), rng.random_range(7..=10)).unwrap();
        let mut oracle = Oracle::new(Rule::Renju, size);
        for _ in 0..rng.random_range(8..=30) {
            let p = Point::new(rng.random_range(0..size.width()), rng.random_range(0..size.height())).unwrap();
            oracle.set(p, if rng.random_ratio(2, 3) { Cell::Black } else { Cell::White });
        }
        for p in size.points().filter(|&p| oracle.cell(p) == Cell::Empty) {
            assert_eq!(judged(&oracle, p), kind_again(&oracle, p), "{p} in {oracle:?}");
            double_threes += usize::from(judged(&oracle, p) == "double three");
        }
    }
    assert!(double_threes > 20, "only {double_threes} double threes");
}
