//! Line pictures and their class under every rule, from `tests/data/shapes.txt`. The oracle and the fast board must give
//! this class in all four directions, in the middle of the board and at its edge, mirrored, and for both colours.

use tengen::base::{Cell, Color, Direction, Point, Rule, Size};
use tengen::board::oracle::Oracle;
use tengen::board::{Board, Shape};

/// A function that finds the shape of a stone on a point, along a line.
type Reader = fn(Rule, Size, &[(Point, Cell)], Point, Color, Direction) -> Shape;

/// All such functions.
const READERS: [(&str, Reader); 2] = [("oracle", by_oracle), ("board", by_board)];

fn by_oracle(
    rule: Rule,
    size: Size,
    cells: &[(Point, Cell)],
    point: Point,
    color: Color,
    direction: Direction,
) -> Shape {
    Oracle::from_cells(rule, size, cells.iter().copied()).shape(point, color, direction)
}

fn by_board(
    rule: Rule,
    size: Size,
    cells: &[(Point, Cell)],
    point: Point,
    color: Color,
    direction: Direction,
) -> Shape {
    Board::from_cells(rule, size, cells, Color::Black).shape(point, color, direction)
}

/// A picture and its classes by column.
struct Case {
    picture: Vec<char>,
    classes: [Shape; 5],
}

/// The column of the file for this rule and colour.
fn column(rule: Rule, color: Color) -> usize {
    match (rule, color) {
        (Rule::Freestyle, _) | (Rule::Renju, Color::White) => 0,
        (Rule::Standard, _) => 1,
        (Rule::Renju, Color::Black) => 2,
        (Rule::Caro, _) => 3,
        (Rule::CaroExact, _) => 4,
    }
}

/// Reads the file.
fn cases() -> Vec<Case> {
    let shape = |word: &str| Shape::ALL.into_iter().find(|shape| format!("{shape:?}") == word);
    let lines = include_str!("../data/shapes.txt").lines();
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let classes: Vec<Shape> = words[1..].iter().filter_map(|word| shape(word)).collect();
            let picture: Vec<char> = words[0].chars().collect();
            assert!(picture.len() == 11 && picture[5] == '*', "{line}");
            Case { picture, classes: classes.try_into().unwrap_or_else(|_| panic!("five classes: {line}")) }
        })
        .collect()
}

/// The cells of the picture drawn through `point`. Its edges become `edges`, or nothing where the edge of the board is
/// meant.
fn draw(picture: &[char], point: Point, color: Color, direction: Direction, edges: Option<Cell>) -> Vec<(Point, Cell)> {
    let cell = |c: char| match c {
        'X' => Some(Cell::from(color)),
        'O' => Some(Cell::from(color.opponent())),
        '#' => edges,
        _ => None,
    };
    let squares = picture.iter().zip(-5..).filter_map(|(&c, steps)| Some((steps, cell(c)?)));
    squares.map(|(steps, cell)| (point.step(direction, steps).expect("the picture fits"), cell)).collect()
}

/// Compares every reader with the expected classes for this picture, drawn through the point that `place` returns for
/// each direction.
fn check(picture: &[char], classes: [Shape; 5], place: impl Fn(Direction) -> Option<Point>, edges: Option<Cell>) {
    let size = Size::square(15).expect("a legal size");
    let text: String = picture.iter().collect();
    for (name, reader) in READERS {
        for rule in Rule::ALL {
            for color in Color::ALL {
                for direction in Direction::ALL {
                    let point = place(direction).expect("on the board");
                    let cells = draw(picture, point, color, direction, edges);
                    let got = reader(rule, size, &cells, point, color, direction);
                    let at = format!("{name}: {text} {rule:?} {color:?} {direction:?} at {point}, edges {edges:?}");
                    assert_eq!(got, classes[column(rule, color)], "{at}");
                }
            }
        }
    }
}

#[test]
fn every_reader_gives_every_picture_its_class() {
    let cases = cases();
    for shape in Shape::ALL {
        assert!(cases.iter().any(|case| case.classes.contains(&shape)), "no picture of {shape:?}");
    }
    for Case { picture, classes } in cases {
        let mirrored: Vec<char> = picture.iter().rev().copied().collect();
        check(&picture, classes, |_| Point::new(7, 7), Some(Cell::Wall));
        check(&mirrored, classes, |_| Point::new(7, 7), Some(Cell::Wall));
        let Some(edge) = picture.iter().position(|&c| c == '#') else { continue };
        assert!(edge < 5, "draw the edge on the left");
        let near = 4 - edge;
        let place = |direction| if direction == Direction::Vertical { (7, near) } else { (near, 7) };
        check(&picture, classes, |direction| Point::new(place(direction).0, place(direction).1), None);
        let place = |direction| if direction == Direction::Vertical { (7, 14 - near) } else { (14 - near, 7) };
        check(&mirrored, classes, |direction| Point::new(place(direction).0, place(direction).1), None);
    }
}

#[test]
fn an_opposing_stone_is_an_edge_except_in_caro() {
    let size = Size::square(15).unwrap();
    let middle = Point::new(7, 7).unwrap();
    for Case { picture, classes } in cases().iter().filter(|case| case.picture.contains(&'#')) {
        for (name, reader) in READERS {
            for (rule, color) in
                [(Rule::Freestyle, Color::White), (Rule::Standard, Color::Black), (Rule::Renju, Color::Black)]
            {
                let cells = draw(picture, middle, color, Direction::Falling, Some(color.opponent().into()));
                let got = reader(rule, size, &cells, middle, color, Direction::Falling);
                assert_eq!(got, classes[column(rule, color)], "{name}: {picture:?} {rule:?}");
            }
        }
    }
}
