//! Cases worked by hand from the rules, as pictures: `X` black, `O` white, `.` empty, `#` a dead square, `*` the point in
//! question.

use super::*;
use crate::board::notation::parse_diagram;

/// The position in a picture and its marked point.
fn picture(rule: Rule, text: &str) -> (Oracle, Point) {
    let diagram = parse_diagram(text).unwrap_or_else(|| panic!("not a diagram: {text}"));
    let mut oracle = Oracle::new(rule, diagram.size);
    for &(p, cell) in &diagram.cells {
        oracle.set(p, cell);
    }
    let [marked] = diagram.marks[..] else { panic!("a picture has one mark: {text}") };
    (oracle, marked)
}

/// A board of five rows; the middle one is `row`, the others are empty.
fn line(rule: Rule, row: &str) -> (Oracle, Point) {
    let empty = ".".repeat(row.len());
    picture(rule, &format!("{empty}\n{empty}\n{row}\n{empty}\n{empty}"))
}

/// The same position with the colours exchanged.
fn swapped(oracle: &Oracle) -> Oracle {
    let mut other = oracle.clone();
    for p in oracle.size().points() {
        if let Some(color) = oracle.cell(p).color() {
            other.set(p, color.opponent().into());
        }
    }
    other
}

/// A position from a list of stones as `x,y,side`, where side 1 is black and 2 is white.
fn stones(rule: Rule, list: &str) -> Oracle {
    let mut oracle = Oracle::new(rule, Size::square(15).unwrap());
    for stone in list.split_whitespace() {
        let n: Vec<i64> = stone.split(',').map(|n| n.parse().unwrap()).collect();
        let cell = if n[2] == 1 { Cell::Black } else { Cell::White };
        oracle.set(oracle.size().point(n[0], n[1]).unwrap(), cell);
    }
    oracle
}

/// All points black may not play.
fn forbidden(oracle: &Oracle) -> Vec<String> {
    oracle.size().points().filter(|&p| oracle.foul(p).is_some()).map(|p| p.to_string()).collect()
}

/// The name of a foul.
fn kind(foul: Option<&Foul>) -> &'static str {
    match foul {
        None => "legal",
        Some(Foul::Overline(_)) => "overline",
        Some(Foul::DoubleFour(_)) => "double four",
        Some(Foul::DoubleThree(_)) => "double three",
    }
}

#[test]
fn rows_win_as_the_rules_say() {
    // Freestyle, standard, renju black, renju white, caro, exact caro; `X` is the side to move.
    let table = [
        ("....XX*X.......", [false; 6]),
        ("..O.XX*XX......", [true; 6]),
        ("...OXX*XX......", [true; 6]),
        ("...OXX*XXO.....", [true, true, true, true, false, false]),
        ("XX*XXO.........", [true; 6]),
        ("...#XX*XXO.....", [true; 6]),
        ("...OXX*XX#.....", [true; 6]),
        ("XX*XX", [true; 6]),
        ("...XXX*XX......", [true, false, false, true, true, false]),
        ("..OXXX*XXO.....", [true, false, false, true, true, false]),
        ("XXX*XXO........", [true, false, false, true, true, false]),
        ("..OXXX*XXX.....", [true, false, false, true, true, false]),
        ("..XXXXX*XXX....", [true, false, false, true, true, false]),
        ("..OOXX*XXXO....", [true, false, false, true, true, false]),
        ("...OXX*XX.X....", [true; 6]),
        ("...OX*#XXX.....", [false; 6]),
    ];
    for (row, expected) in table {
        let check = |rule: Rule, color: Color| {
            let (oracle, p) = line(rule, row);
            let oracle = if color == Color::Black { oracle } else { swapped(&oracle) };
            oracle.wins(p, color)
        };
        let got = [
            check(Rule::Freestyle, Color::Black),
            check(Rule::Standard, Color::Black),
            check(Rule::Renju, Color::Black),
            check(Rule::Renju, Color::White),
            check(Rule::Caro, Color::Black),
            check(Rule::CaroExact, Color::Black),
        ];
        assert_eq!(got, expected, "{row}");
        for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro, Rule::CaroExact] {
            assert_eq!(check(rule, Color::Black), check(rule, Color::White), "{row}");
        }
    }
}

#[test]
fn the_caro_table() {
    // Ends of the row: `.` open, `O` an opposing stone, `#` the edge of the board. Answers for rules 8 and 9.
    let answer = |length: usize, ends: &str| match (length, ends) {
        (5, "OO") | (..=4, _) => [false, false],
        (5, _) => [true, true],
        _ => [true, false],
    };
    for length in 1..=9 {
        for ends in ["..", ".O", "O.", "OO", "#.", ".#", "#O", "O#", "##"] {
            for at in 0..length {
                let mut row = vec!['X'; length];
                row[at] = '*';
                let mut row: String = row.into_iter().collect();
                if &ends[..1] != "#" {
                    row = format!(".{}{row}", &ends[..1]);
                }
                if &ends[1..] != "#" {
                    row = format!("{row}{}.", &ends[1..]);
                } else if row.len() < 5 {
                    continue;
                }
                let row = format!("{row:.<5}");
                for (i, rule) in [Rule::Caro, Rule::CaroExact].into_iter().enumerate() {
                    let (oracle, p) = line(rule, &row);
                    assert_eq!(oracle.wins(p, Color::Black), answer(length, ends)[i], "{rule:?} {row}");
                    assert_eq!(swapped(&oracle).wins(p, Color::White), answer(length, ends)[i], "{rule:?} {row}");
                }
            }
        }
    }
}

#[test]
fn an_exact_five_wins_beside_an_overline() {
    let text = "
        .......
        ..X....
        ..X....
        XX*XXX.
        ..X....
        ..X....
        .......";
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro, Rule::CaroExact] {
        let (mut oracle, p) = picture(rule, text);
        assert_eq!(oracle.foul(p), None);
        assert_eq!(oracle.play(p, Color::Black), Verdict::Wins, "{rule:?}");
        assert!(oracle.wins(p, Color::Black), "the same with the stone in place");
    }
}

#[test]
fn a_caro_five_blocked_at_both_ends_does_not_win() {
    let (mut oracle, p) = line(Rule::Caro, "..OXX*XX.......");
    assert_eq!(oracle.play(p, Color::Black), Verdict::Wins);
    let (mut oracle, p) = line(Rule::Caro, "..OXX*XXO......");
    assert_eq!(oracle.play(p, Color::Black), Verdict::Continues, "blocked at both ends, the game goes on");
    let (mut oracle, p) = line(Rule::Caro, "..OXXXXX*......");
    assert_eq!(oracle.play(p, Color::White), Verdict::Continues, "the blocking stone does not win");
}

#[test]
fn edges_hold_rows_on_the_smallest_board() {
    let text = "
        X...O
        X..O.
        X.O..
        XO...
        *....";
    for rule in Rule::ALL {
        let (oracle, p) = picture(rule, text);
        assert!(oracle.wins(p, Color::Black) && oracle.wins(p, Color::White), "{rule:?}");
        assert_eq!(oracle.shape(p, Color::Black, Direction::Vertical), Shape::Five);
        assert_eq!(oracle.shape(p, Color::White, Direction::Rising), Shape::Five);
        assert_eq!(oracle.shape(p, Color::White, Direction::Falling), Shape::Dead);
        assert_eq!(oracle.threat(p, Color::White), Threat::Five);
    }
}

#[test]
fn dead_squares_are_walls() {
    for rule in Rule::ALL {
        let (oracle, p) = line(rule, ".....#XX*X#....");
        assert_eq!(oracle.shape(p, Color::Black, Direction::Horizontal), Shape::Dead);
        let (oracle, p) = line(rule, "....#XXX*.#....");
        assert_eq!(oracle.shape(p, Color::Black, Direction::Horizontal), Shape::Four);
        let dead = oracle.size().point(4, 2).unwrap();
        assert_eq!(oracle.cell(dead), Cell::Wall);
        assert_eq!(oracle.clone().play(dead, Color::Black), Verdict::Illegal);
        assert_eq!(oracle.stones(), 3);
    }
    let (oracle, p) = line(Rule::Renju, "..#XX*.........");
    assert_eq!(oracle.shape(p, Color::Black, Direction::Horizontal), Shape::Three);
}

#[test]
fn only_renju_has_fouls() {
    let text = "
        .........
        .........
        ....X....
        ....X....
        ..XX*....
        .........
        .........
        .........
        .........";
    for rule in Rule::ALL {
        let (oracle, p) = picture(rule, text);
        assert_eq!(oracle.foul(p).is_some(), rule == Rule::Renju);
        assert_eq!(oracle.threat(p, Color::Black) == Threat::Forbidden, rule == Rule::Renju);
        assert_eq!(swapped(&oracle).play(p, Color::White), Verdict::Continues);
    }
}

#[test]
fn conformance_positions() {
    let cases = [
        ("Y07", "7,5,1 0,0,2 7,6,1 14,14,2 5,7,1 0,14,2 6,7,1 14,0,2", "7,7"),
        ("Y08", "4,7,1 3,7,2 5,7,1 7,3,2 6,7,1 0,0,2 7,4,1 14,14,2 7,5,1 0,14,2 7,6,1 14,0,2", "7,7"),
        ("Y09", "3,7,1 0,0,2 5,7,1 14,14,2 7,7,1 0,14,2 9,7,1 14,0,2", "6,7"),
        ("Y10", "4,9,1 0,0,2 5,6,1 14,14,2 5,8,1 0,14,2 6,4,1 14,0,2 6,6,1 0,2,2 8,9,1 14,2,2", "6,7"),
        ("Y11", "7,5,1 7,8,2 7,6,1 14,14,2 5,7,1 0,14,2 6,7,1 14,0,2", ""),
        ("R03", "7,7,1 7,8,2 8,6,1 8,8,2 7,9,1 8,5,2 8,10,1 8,11,2", "6,8"),
        ("R08", "3,7,1 0,0,2 4,7,1 14,14,2 5,7,1 0,14,2 7,7,1 14,0,2 8,7,1 2,2,2", "6,7"),
        ("R10", "3,7,1 0,0,2 4,7,1 14,14,2 5,7,1 0,14,2 6,7,1 14,0,2 7,5,1 0,2,2 7,6,1 14,2,2", ""),
    ];
    for (name, list, expected) in cases {
        assert_eq!(forbidden(&stones(Rule::Renju, list)).join(" "), expected, "{name}");
        for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro] {
            assert!(forbidden(&stones(rule, list)).is_empty(), "{name}: only renju has fouls");
        }
    }
}

#[test]
fn two_fours_in_one_line() {
    for (row, fours) in [
        ("....X.*XX.X....", 2),
        ("..O.XX.*X.XX.O.", 2),
        ("...XXX.*.XXX...", 2),
        ("...XX.X*.XX....", 2),
        ("....X.XX.*X....", 1),
        ("....X.XX*.XX...", 1),
        (".....XXX*......", 1),
        ("....OXXX*......", 1),
        ("...X.XX*.......", 1),
        ("..XX.XX*.......", 0),
        (".XXX.XX*.......", 0),
        ("....X..X*X.....", 0),
    ] {
        let (oracle, p) = line(Rule::Renju, row);
        let mut after = oracle.clone();
        after.set(p, Cell::Black);
        assert_eq!(after.count_fours(p, Direction::Horizontal), fours, "{row}");
        let expected = (fours == 2).then(|| Foul::DoubleFour(vec![Direction::Horizontal; 2]));
        assert_eq!(oracle.foul(p), expected, "{row}");
        let shape = oracle.shape(p, Color::Black, Direction::Horizontal);
        assert_eq!(shape == Shape::Overline, fours == 2, "{row}");
    }
}

#[test]
fn fouls_are_reported_in_full() {
    let (mut oracle, p) = picture(
        Rule::Renju,
        "
        ...........
        ...........
        ....X......
        ....X......
        .XX.*X.XX..
        .....X.....
        ......X....
        ...........
        ...........",
    );
    let double = Foul::DoubleFour(vec![Direction::Horizontal; 2]);
    assert_eq!(oracle.foul(p), Some(double.clone()), "a double four takes precedence over a double three");
    assert_eq!(oracle.play(p, Color::Black), Verdict::Foul(double));
    assert_eq!(oracle.cell(p), Cell::Black, "the stone is placed");

    let (oracle, p) = picture(
        Rule::Renju,
        "
        ...........
        ...........
        ....X......
        ....X......
        ..XX*......
        ...........
        ...........
        ...........
        ...........",
    );
    let three = |direction, x, y| RealThree { direction, four_point: Point::new(x, y).unwrap() };
    let expected = vec![three(Direction::Horizontal, 1, 4), three(Direction::Vertical, 4, 1)];
    assert_eq!(oracle.foul(p), Some(Foul::DoubleThree(expected)));

    let (oracle, p) = picture(
        Rule::Renju,
        "
        .........
        ....X....
        ....X....
        ....X....
        .XXX*XX..
        .........
        .........
        .........
        .........",
    );
    assert_eq!(oracle.foul(p), Some(Foul::Overline(Direction::Horizontal)), "an overline takes precedence");
}

#[test]
fn four_and_three_together_are_allowed() {
    let (mut oracle, p) = picture(
        Rule::Renju,
        "
        ..........
        ....X.....
        ....X.....
        .OXX*X....
        ..........
        ..........
        ..........
        ..........",
    );
    assert_eq!(oracle.threat(p, Color::Black), Threat::FourThree);
    assert_eq!(oracle.play(p, Color::Black), Verdict::Continues);
}

#[test]
fn white_has_no_fouls_in_renju() {
    let (oracle, p) = picture(
        Rule::Renju,
        "
        .........
        ....O....
        ....O....
        ....O....
        .OOO*O...
        .........
        .........
        .........
        .........",
    );
    let mut double_four = oracle.clone();
    double_four.set(Point::new(5, 4).unwrap(), Cell::Empty);
    assert_eq!(double_four.play(p, Color::White), Verdict::Continues);
    let mut overline = oracle.clone();
    overline.set(Point::new(6, 4).unwrap(), Cell::White);
    assert_eq!(overline.play(p, Color::White), Verdict::Wins);
}

#[test]
fn draws_are_counted() {
    let size = Size::new(6, 5).unwrap();
    // No five anywhere: pairs of stones in every row, with the colours exchanged in the next.
    let fill = |oracle: &mut Oracle, squares: usize| {
        let mut last = Verdict::Continues;
        for p in size.points().take(squares) {
            assert_eq!(last, Verdict::Continues);
            let color = Color::ALL[(p.x() / 2 + p.y()) % 2];
            last = oracle.play(p, color);
        }
        last
    };
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro, Rule::CaroExact] {
        let mut oracle = Oracle::new(rule, size);
        assert!(!oracle.is_draw());
        assert_eq!(fill(&mut oracle, 29), Verdict::Continues);
        assert!(!oracle.is_draw());
        assert_eq!(fill(&mut Oracle::new(rule, size), 30), Verdict::Draw);
        oracle.set(Point::new(5, 4).unwrap(), Cell::Wall);
        assert!(oracle.is_draw(), "dead squares cannot be played");
    }
    assert_eq!(fill(&mut Oracle::new(Rule::Renju, size), 5), Verdict::Draw);
    let mut with_wall = Oracle::new(Rule::Renju, size);
    with_wall.set(Point::new(5, 4).unwrap(), Cell::Wall);
    assert_eq!(fill(&mut with_wall.clone(), 3), Verdict::Continues);
    assert_eq!(fill(&mut with_wall, 4), Verdict::Draw, "a dead square is not left empty");
    let mut smallest = Oracle::new(Rule::Renju, Size::square(5).unwrap());
    assert!(!smallest.is_draw(), "an empty board is not drawn");
    assert_eq!(smallest.play(Point::new(2, 2).unwrap(), Color::Black), Verdict::Draw);
}

#[test]
fn illegal_moves_place_nothing() {
    let mut oracle = Oracle::new(Rule::Freestyle, Size::new(6, 9).unwrap());
    let p = Point::new(3, 3).unwrap();
    assert_eq!(oracle.play(p, Color::Black), Verdict::Continues);
    assert_eq!(oracle.play(p, Color::White), Verdict::Illegal);
    assert_eq!(oracle.cell(p), Cell::Black);
    let outside = Point::new(6, 3).unwrap();
    assert_eq!(oracle.cell(outside), Cell::Wall);
    assert_eq!(oracle.play(outside, Color::White), Verdict::Illegal);
    oracle.set(outside, Cell::White);
    assert_eq!((oracle.cell(outside), oracle.stones()), (Cell::Wall, 1));
    oracle.set(p, Cell::Empty);
    assert_eq!((oracle.cell(p), oracle.stones()), (Cell::Empty, 0));
}

mod renju;
mod windows;
