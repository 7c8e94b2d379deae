//! The rules, by the reference implementation: results, winning rows, forbidden points and why they are forbidden.

use super::wire::{self, Position};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tengen::base::{Cell, Direction, Point, Rule, Size};
use tengen::board::forbidden::forbidden_points;
use tengen::board::foul_explanation::{Explanation, Row, RowKind};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::tools::explain::describe;

/// What a position is: the side to move; how the game ended, at which move, and with which stones; the points where the side
/// to move wins at once, and those forbidden to it.
///
/// # Errors
/// When there is no such position.
pub fn judge(position: &Position) -> Result<Value> {
    let (rule, size, section) = (position.rule()?, position.size()?, position.section()?);
    let mut oracle = Oracle::from_cells(rule, size, section.setup.iter().copied());
    if let Some(point) = oracle.winning_stone() {
        let winner = oracle.cell(point).color().map(wire::color);
        let end = json!({ "kind": "five", "winner": winner, "stones": row_of(&oracle, size, point) });
        return Ok(json!({ "end": end, "played": 0, "side": wire::color(section.first), "wins": [], "forbidden": [] }));
    }
    for (number, &point) in section.moves.iter().enumerate() {
        let color = section.color(number);
        let before = oracle.clone();
        let end = match oracle.play(point, color) {
            Verdict::Continues => continue,
            Verdict::Illegal => anyhow::bail!("an illegal move"),
            Verdict::Wins => {
                json!({ "kind": "five", "winner": wire::color(color), "stones": row_of(&oracle, size, point) })
            }
            Verdict::Draw => json!({ "kind": "draw" }),
            Verdict::Foul(_) => {
                let explanation = Explanation::new(&before, point);
                json!({ "kind": "foul", "winner": 1, "foul": explanation_of(&explanation, size), "stones": [] })
            }
        };
        return Ok(json!({
            "end": end, "played": number + 1, "side": wire::color(section.color(number + 1)), "wins": [], "forbidden": [],
        }));
    }
    let side = section.to_move();
    let empty = size.points().filter(|&point| oracle.cell(point) == Cell::Empty);
    let wins: Vec<usize> = empty.filter(|&point| oracle.wins(point, side)).map(|p| wire::index(size, p)).collect();
    let forbidden = wire::indices(size, &forbidden_points(rule, size, &section.cells(), side));
    Ok(json!({
        "end": null, "played": section.moves.len(), "side": wire::color(side), "wins": wins, "forbidden": forbidden,
    }))
}

/// The row through a stone that wins, from one end to the other.
fn row_of(oracle: &Oracle, size: Size, point: Point) -> Vec<usize> {
    let cell = oracle.cell(point);
    let wins = |&direction: &Direction| cell.color().is_some_and(|color| oracle.wins_along(point, color, direction));
    let Some(direction) = Direction::ALL.into_iter().find(wins) else { return Vec::new() };
    let run = |sign: i32| {
        (1..Size::MAX_SIDE as i32)
            .map_while(|steps| point.step(direction, sign * steps))
            .take_while(|&next| size.contains(next) && oracle.cell(next) == cell)
            .collect::<Vec<_>>()
    };
    let before = run(-1).into_iter().rev();
    wire::indices(size, &before.chain([point]).chain(run(1)).collect::<Vec<_>>())
}

/// A black stone on an empty point under renju, explained: in English, and as data for other languages.
///
/// # Errors
/// When there is no such position, or the point is not empty.
pub fn explain(position: &Position, point: usize) -> Result<Value> {
    let (size, oracle) = (position.size()?, position.oracle()?);
    let point = wire::point(size, point)?;
    ensure!(position.rule()? == Rule::Renju, "only renju has forbidden points");
    ensure!(oracle.cell(point) == Cell::Empty, "the point is taken");
    Ok(explanation_of(&Explanation::new(&oracle, point), size))
}

fn explanation_of(explanation: &Explanation, size: Size) -> Value {
    let mut text = String::new();
    describe(explanation, size, 0, &mut text);
    let mut data = tree_of(explanation, size);
    data["text"] = json!(text);
    data
}

fn tree_of(explanation: &Explanation, size: Size) -> Value {
    let rows: Vec<Value> = explanation.rows.iter().map(|row| row_data(row, size)).collect();
    json!({
        "point": wire::index(size, explanation.point),
        "ruling": explanation.ruling.name(),
        "foul": explanation.ruling.is_foul(),
        "rows": rows,
    })
}

fn row_data(row: &Row, size: Size) -> Value {
    let direction = match row.direction {
        Direction::Horizontal => "row",
        Direction::Vertical => "column",
        Direction::Rising => "rising",
        Direction::Falling => "falling",
    };
    let mut data = json!({ "direction": direction, "stones": wire::indices(size, &row.stones) });
    data["kind"] = json!(match &row.kind {
        RowKind::Five => "five",
        RowKind::Overline => "overline",
        RowKind::ClosedThree => "closed three",
        RowKind::Four(points) => {
            data["needs"] = json!(wire::indices(size, points));
            "four"
        }
        RowKind::Three(points) => {
            let real: Vec<Point> = points.iter().filter(|four| four.is_open).map(|four| four.point).collect();
            let all: Vec<Point> = points.iter().map(|four| four.point).collect();
            data["needs"] = json!(wire::indices(size, if real.is_empty() { &all } else { &real }));
            let why = points.iter().filter(|four| !four.is_open).filter_map(|four| four.explanation.as_deref());
            data["why"] = why.filter(|_| real.is_empty()).map(|why| tree_of(why, size)).collect();
            if real.is_empty() { "false three" } else { "three" }
        }
    });
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::tools::gamefile;

    fn position(rule: Rule, moves: &str) -> Position {
        let game = gamefile::parse(moves, Size::square(15)).unwrap();
        let moves = wire::indices(game.size, game.moves().unwrap());
        Position { rule: rule.number(), width: 15, height: 15, moves, ..Position::default() }
    }

    #[test]
    fn a_row_ends_the_game_where_the_rule_says_so() {
        let five = "h8a1i8b1j8c1k8d1l8";
        let judged = judge(&position(Rule::Standard, five)).unwrap();
        assert_eq!((&judged["end"]["winner"], judged["end"]["stones"].as_array().unwrap().len()), (&json!(0), 5));
        let six = "h8a1i8b1j8c1k8d1m8a3l8";
        assert_eq!(judge(&position(Rule::Standard, six)).unwrap()["end"], Value::Null);
        assert_eq!(judge(&position(Rule::Renju, six)).unwrap()["end"]["kind"], "foul");
        assert_eq!(judge(&position(Rule::Freestyle, six)).unwrap()["end"]["winner"], 0);
        let four = judge(&position(Rule::Standard, "h8a1i8b1j8c1k8d3")).unwrap();
        assert_eq!(four["wins"].as_array().unwrap().len(), 2);
    }

    /// Bug: the stones before the last one came in the wrong order, so the line through the row began in its middle.
    #[test]
    fn the_stones_of_a_row_are_in_order() {
        let judged = judge(&position(Rule::Freestyle, "h8a1i8b1k8c1l8d1j8")).unwrap();
        assert_eq!(judged["end"]["stones"], json!([112, 113, 114, 115, 116]));
    }

    /// Bug: a blocked five was marked where a six in another direction won.
    #[test]
    fn the_row_of_a_win_is_the_one_that_wins() {
        let judged = judge(&position(Rule::Caro, "d8c8e8i8f8a1g8c1h5e1h6a15h7c15h9e15h10g15h8")).unwrap();
        assert_eq!(judged["end"]["stones"].as_array().map(Vec::len), Some(6));
    }

    #[test]
    fn forbidden_points_are_found_and_explained() {
        let position = position(Rule::Renju, "h6a1h7o15g8a15i8o1");
        let judged = judge(&position).unwrap();
        assert_eq!(judged["forbidden"], json!([7 * 15 + 7]));
        let why = explain(&position, 7 * 15 + 7).unwrap();
        assert_eq!(why["ruling"], "double three");
        assert!(why["text"].as_str().unwrap().starts_with("h8 is forbidden: double three"));
        assert_eq!(why["rows"].as_array().unwrap().iter().filter(|row| row["kind"] == "three").count(), 2);
        assert!(
            explain(&position, 1).is_ok()
                && explain(&position, 7 * 15 + 6).is_err()
                && explain(&position, 225).is_err()
        );
    }
}
