//! The start positions of proofs: `verify` takes only those that an unfinished game can have reached. Which ones these are is
//! found out by playing all orders of the moves.

use crate::common::{brain, seeded};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};
use std::collections::HashMap;
use tengen::base::{Cell, Color, Point, Rule, Size};
use tengen::board::notation;
use tengen::board::oracle::{Oracle, Verdict};
use tengen::tools::{proof_start, verify};
use tengen_amount::from_environment;

/// A proof of a four that is completed with its first move.
struct Start {
    rule: Rule,
    black: &'static str,
    white: &'static str,
    attacker: &'static str,
    five: &'static str,
}

impl Start {
    fn check(&self) -> Result<(), String> {
        let Start { rule, black, white, attacker, five } = self;
        let text = format!(
            "tengen proof 1\nrule {}\nsize 15 15\nblack {black}\nwhite {white}\nattacker {attacker}\n0 {five}\nend\n",
            rule.number()
        );
        let claims = verify::parse(&text).map_err(|error| format!("{error:#}"))?;
        claims[0].check_tree(true).map_err(|error| format!("{error:#}"))?;
        claims[0].verify(false).map_err(|error| format!("{error:#}"))
    }
}

/// A start position, and what its refusal says; nothing where it is accepted. White's stones at the upper edge and `c13` on are
/// in nobody's way.
fn refusal(rule: Rule, [black, white]: [&'static str; 2], [attacker, five]: [&'static str; 2], reason: &str) {
    let start = Start { rule, black, white, attacker, five };
    let outcome = start.check();
    let reason = Some(reason).filter(|reason| !reason.is_empty());
    let is_expected = match (&outcome, reason) {
        (Ok(()), None) => true,
        (Err(error), Some(reason)) => error.contains(reason),
        _ => false,
    };
    assert!(is_expected, "{rule:?}: {black} / {white}: {outcome:?} instead of {reason:?}");
}

/// Bug: a proof was accepted from a position in which black had lost by six in a row.
#[test]
fn a_position_after_the_end_of_the_game_is_refused() {
    const FAR: [&str; 2] = ["black", "l8"];
    let six = ["a1 b1 c1 d1 e1 f1 h8 i8 j8 k8", "a15 c15 e15 g15 i15 k15 a13 c13 e13 g8"];
    refusal(Rule::Renju, six, FAR, "the game is over: black has more than five in a row");
    refusal(Rule::Freestyle, six, FAR, "black has won");
    refusal(Rule::Caro, six, FAR, "black has won");
    // Where six win nothing, the game goes on.
    refusal(Rule::Standard, six, FAR, "");
    refusal(Rule::CaroExact, six, FAR, "");
    let white_six = ["h8 i8 j8 k8 a15 c15 e15 g15 i15 k15", "a1 b1 c1 d1 e1 f1 g8 a13 c13 e13"];
    refusal(Rule::Renju, white_six, FAR, "white has won");
    refusal(Rule::Standard, white_six, FAR, "");
    for rule in Rule::ALL {
        let five = ["h8 i8 j8 k8 a15 c15 e15 g15 i15", "b1 c1 d1 e1 f1 g8 a13 c13 e13"];
        refusal(rule, five, FAR, "white has won");
        let five = ["b1 c1 d1 e1 f1 h8 i8 j8 k8", "g8 a15 c15 e15 g15 i15 a13 c13 e13"];
        refusal(rule, five, FAR, "black has won");
    }
    // Five between two stones wins in all rules but caro's.
    let blocked = ["a3 g3 h8 i8 j8 k8 a15 c15 e15", "b3 c3 d3 e3 f3 g8 a13 c13 e13"];
    refusal(Rule::Freestyle, blocked, FAR, "white has won");
    refusal(Rule::Caro, blocked, FAR, "");
    refusal(Rule::CaroExact, blocked, FAR, "");
    // The edge does not block.
    let at_the_edge = ["f3 h8 i8 j8 k8 a15 c15 e15 g15", "a3 b3 c3 d3 e3 g8 a13 c13 e13"];
    refusal(Rule::Caro, at_the_edge, FAR, "white has won");
}

/// Each stone of black's square is a foul as the last one: in a square of nine a double three, in one of sixteen a double four.
#[test]
fn a_position_whose_last_move_was_a_foul_is_refused() {
    let white_wins = ["white", "e1"];
    let foul = "each stone of black would have been a foul as the last move";
    let nine = ["g7 h7 i7 g8 h8 i8 g9 h9 i9", "a1 b1 c1 d1 o2 o4 o6 o8"];
    refusal(Rule::Renju, nine, white_wins, foul);
    refusal(Rule::Freestyle, nine, white_wins, "");
    let sixteen =
        ["f6 g6 h6 i6 f7 g7 h7 i7 f8 g8 h8 i8 f9 g9 h9 i9", "a1 b1 c1 d1 o2 o4 o6 o8 o10 o12 a15 c15 e15 g15 i15"];
    refusal(Rule::Renju, sixteen, white_wins, foul);
    // One white stone later, too. (The row of four is black's here.)
    let later = ["g7 h7 i7 g8 h8 i8 g9 h9 i9 a1 b1 c1 d1", "o1 o3 o5 o7 o9 a15 c15 e15 g15 i15 k15 m15 o13"];
    refusal(Rule::Freestyle, later, ["black", "e1"], "");
    refusal(Rule::Renju, later, ["black", "e1"], "leads here");
}

#[test]
fn stones_that_no_game_has_are_refused() {
    let to_black = ["black", "l8"];
    for rule in Rule::ALL {
        refusal(rule, ["h8 i8 j8 k8", "g8 a15 c15 e15"], to_black, "");
        refusal(rule, ["h8 i8 j8 k8", "g8 a15 c15"], to_black, "white is to move, not black");
        refusal(rule, ["h8 i8 j8 k8", "g8"], to_black, "no game has 4 black and 1 white stones");
        refusal(rule, ["h8 i8 j8 k8", "g8 a15 c15 e15 g15"], to_black, "no game has 4 black and 5 white stones");
        refusal(rule, ["g8 a15 c15 e15", "h8 i8 j8 k8"], ["white", "l8"], "black is to move, not white");
        refusal(rule, ["g8 a15 c15 e15 g15", "h8 i8 j8 k8"], ["white", "l8"], "");
    }
}

/// Whether an order of play leads from the stones in `game` to all of `stones`: found by trying all of them.
fn can_arise(game: &mut Oracle, stones: &[Vec<Point>; 2], moves: usize, seen: &mut HashMap<Vec<Cell>, bool>) -> bool {
    if moves == stones[0].len() + stones[1].len() {
        return true;
    }
    let position: Vec<Cell> = game.size().points().map(|point| game.cell(point)).collect();
    if let Some(&known) = seen.get(&position) {
        return known;
    }
    let color = Color::to_move_after(moves);
    let can = stones[color.index()].iter().any(|&point| {
        if game.cell(point) != Cell::Empty {
            return false;
        }
        let can = game.play(point, color) == Verdict::Continues && can_arise(game, stones, moves + 1, seen);
        game.set(point, Cell::Empty);
        can
    });
    seen.insert(position, can);
    can
}

/// Stones on a small board, so close to each other that many orders of play are impossible, and some positions.
fn dense_stones(size: Size, random: &mut SmallRng) -> [Vec<Point>; 2] {
    let mut points: Vec<Point> = size.points().collect();
    points.shuffle(random);
    let (width, height) = *[(3, 3), (4, 3), (4, 4), (6, 2), (7, 1), (6, 1)].choose(random).unwrap();
    let (left, top) = (random.random_range(0..=size.width() - width), random.random_range(0..=size.height() - height));
    let is_inside =
        |point: &Point| (left..left + width).contains(&point.x()) && (top..top + height).contains(&point.y());
    let (inside, outside): (Vec<Point>, Vec<Point>) = points.into_iter().partition(is_inside);
    let dense = random.random_range(5..=7.min(inside.len()));
    // One colour is dense, the other anywhere.
    let is_black = random.random_bool(0.7);
    let loose = if is_black {
        dense - usize::from(random.random_bool(0.5))
    } else {
        dense + usize::from(random.random_bool(0.5))
    };
    let stones = [inside[..dense].to_vec(), outside[..loose].to_vec()];
    let [dense, loose] = stones;
    if is_black { [dense, loose] } else { [loose, dense] }
}

/// `TENGEN_STARTS=20000` checks more.
#[test]
fn a_position_is_refused_exactly_where_all_orders_of_play_fail() {
    let size = Size::new(7, 7).unwrap();
    let mut random = seeded(20);
    let mut counts = [[0; 2]; Rule::ALL.len()];
    for index in 0..from_environment("TENGEN_STARTS", 1000) as usize {
        let rule = Rule::ALL[index % Rule::ALL.len()];
        let stones = dense_stones(size, &mut random);
        let mut oracle = Oracle::new(rule, size);
        for (color, points) in Color::ALL.into_iter().zip(&stones) {
            for &point in points {
                oracle.set(point, color.into());
            }
        }
        let expected = can_arise(&mut Oracle::new(rule, size), &stones, 0, &mut HashMap::new());
        let found = proof_start::check(&oracle, &stones);
        let names = stones.each_ref().map(|points| points.iter().map(|&p| notation::name(p)).collect::<Vec<_>>());
        assert_eq!(found.is_ok(), expected, "{rule:?} {names:?}: {found:?}");
        counts[rule.index()][usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&[refused, accepted]| refused > 5 && accepted > 5), "{counts:?}");
}

/// The stones of real games may be listed in any order.
#[test]
fn positions_of_games_are_accepted_in_any_order() {
    let mut random = seeded(21);
    for rule in Rule::ALL {
        for _ in 0..10 {
            let game = unfinished_game(rule, &mut random);
            let mut stones = [Vec::new(), Vec::new()];
            let mut oracle = Oracle::new(rule, Size::square(15).unwrap());
            for (index, &point) in game.iter().enumerate() {
                let color = Color::to_move_after(index);
                oracle.set(point, color.into());
                stones[color.index()].push(point);
            }
            for points in &mut stones {
                points.shuffle(&mut random);
            }
            assert_eq!(proof_start::check(&oracle, &stones).ok(), Some(Color::to_move_after(game.len())), "{game:?}");
        }
    }
}

/// The moves of a game of up to 120 moves near the centre that is not over.
fn unfinished_game(rule: Rule, random: &mut SmallRng) -> Vec<Point> {
    let mut oracle = Oracle::new(rule, Size::square(15).unwrap());
    let (mut game, length) = (Vec::new(), random.random_range(20..=120));
    for _ in 0..2000 {
        let point = Point::new(random.random_range(2..13), random.random_range(2..13)).unwrap();
        if game.len() == length || oracle.cell(point) != Cell::Empty {
            continue;
        }
        match oracle.play(point, Color::to_move_after(game.len())) {
            Verdict::Continues => game.push(point),
            _ => oracle.set(point, Cell::Empty),
        }
    }
    game
}

/// `solve` writes the moves in playing order, and claims a threat where the other side is to move.
#[test]
fn proofs_of_solve_have_a_start_that_is_accepted() {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("starts.proof");
    let path = file.to_str().unwrap();
    let three = "0;15;7,7 0,0 8,7 0,14 9,7\n";
    assert!(brain(&["solve", "--defender", "--proof", path], three).status.success());
    let output = brain(&["verify", path], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("1: black wins if white passes, "), "{text}");
    let without = std::fs::read_to_string(path).unwrap().replace("pass\n", "");
    assert!(without.contains("black h8 i8 j8\nwhite a1 a15\n"), "{without}");
    std::fs::write(path, without).unwrap();
    let output = brain(&["verify", path], "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("white is to move, not black"), "{error}");
}
