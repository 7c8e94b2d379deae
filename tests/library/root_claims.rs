//! What a search announces about its position: a loss only where no reply was left out, and no win because a defence is
//! blocked.

use crate::common::boards::place;
use crate::common::{seeded, size};
use rand::Rng;
use tengen::base::{Cell, Color, Ply, Point, Rule, Score, Size};
use tengen::board::notation::parse_moves;
use tengen::board::{Board, NullObserver, Threat};
use tengen::engine::Engine;
use tengen::search::forced;
use tengen::search::{Iteration, ReportSink, SearchControl, SearchLimits, SearchReport};
use tengen_amount::at_length;

/// Every score that a search reports for its position.
#[derive(Default)]
struct Scores(Vec<Score>);

impl ReportSink for Scores {
    fn iteration(&mut self, iteration: &Iteration) {
        if iteration.rank == 1 {
            self.0.push(iteration.score);
        }
    }
}

/// Positions on a board with sides of this length in which the opponent can make many threes and the side to move has no
/// five.
fn positions(rule: Rule, side: usize, count: usize) -> Vec<Board> {
    let mut random = seeded(side as u64);
    let mut boards = Vec::new();
    while boards.len() < count {
        let mut board = Board::new(rule, size((side, side)));
        for _ in 0..random.random_range(8..16) {
            let mut near = || side / 2 - 2 + random.random_range(0..5);
            let point = Point::new(near(), near()).unwrap();
            place(&mut board, point, &mut random);
        }
        let (us, them) = (board.side(), board.side().opponent());
        let strong: usize =
            Threat::ALL[Threat::OpenThree.index()..].iter().map(|&threat| board.count(them, threat)).sum();
        if board.count(us, Threat::Five) == 0 && strong >= 12 {
            boards.push(board);
        }
    }
    boards
}

fn engine(board: &Board) -> Engine {
    let mut engine = Engine::new();
    engine.set_rule(board.rule());
    engine.options_mut().hash_size = Some(1 << 20);
    engine.new_game(board.size(), false);
    let stones: Vec<(Point, Cell)> =
        board.size().points().filter(|&point| !board.is_empty(point)).map(|point| (point, board.cell(point))).collect();
    engine.set_position(&stones, board.side()).unwrap();
    engine
}

/// Searches for this many lines. Returns the report and the scores reported for the position.
fn search(engine: &mut Engine, lines: usize) -> (SearchReport, Vec<Score>) {
    let control = SearchControl::within(SearchLimits {
        nodes: Some(3_000),
        depth: engine.limits().depth,
        ..SearchLimits::default()
    });
    let mut scores = Scores::default();
    let report = match lines {
        1 => engine.think(&control, &mut scores),
        _ => engine.analyse(lines, &control, &mut scores),
    };
    scores.0.push(report.last.score);
    (report, scores.0)
}

/// How often positions were believed lost on 13x13, announced as lost where a threat forces the reply, and announced as
/// lost on 9x9.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    believed: usize,
    forced: usize,
    small: usize,
}

/// Searches positions on a board with sides of this length.
fn losses(side: usize) -> Losses {
    let mut losses = Losses::default();
    for (number, board) in positions(Rule::Freestyle, side, if at_length() { 300 } else { 150 }).into_iter().enumerate()
    {
        let is_free = forced::duty(&board).is_free() && forced::static_result(&mut board.clone(), Ply::ROOT).is_none();
        if !is_free && number % 8 > 0 {
            continue;
        }
        for (lines, threads, strength) in [(1, 1, 100), (2, 1, 100), (1, 2, 100), (1, 1, 80)] {
            let mut engine = engine(&board);
            engine.options_mut().threads = threads;
            engine.options_mut().strength = strength;
            let (report, scores) = search(&mut engine, lines);
            let announced = scores.iter().any(|score| score.is_loss());
            match (is_free, side) {
                (true, 13) => assert!(!announced, "{scores:?}"),
                (true, _) => losses.small += usize::from(announced),
                (false, _) => losses.forced += usize::from(announced),
            }
            losses.believed += usize::from(is_free && side == 13 && report.last.score.seems_lost());
        }
    }
    losses
}

/// On boards larger than 9x9, where no threat forces the reply, the search tries only points near stones. When all of them
/// lose, the others may still hold.
#[test]
fn a_loss_after_near_points_only_is_believed_and_not_announced() {
    let (nine, thirteen) = std::thread::scope(|scope| {
        let nine = scope.spawn(|| losses(9));
        let thirteen = losses(13);
        (nine.join().unwrap(), thirteen)
    });
    let forced = nine.forced + thirteen.forced;
    assert!(thirteen.believed > 20 && forced > 20 && nine.small > 20, "{nine:?} {thirteen:?}");
}

/// The board of `stones`, black first.
fn game(stones: &[(usize, usize)]) -> Engine {
    let mut engine = engine(&Board::new(Rule::Freestyle, size((15, 15))));
    for &(x, y) in stones {
        engine.play(Point::new(x, y).unwrap()).unwrap();
    }
    engine
}

/// Black threatens a five at one point.
const FOUR: &[(usize, usize)] = &[(7, 7), (6, 7), (8, 7), (0, 2), (9, 7), (0, 4), (10, 7)];
/// Black threatens an open four; white has three good answers.
const THREE: &[(usize, usize)] = &[(7, 7), (0, 0), (8, 7), (0, 2), (9, 7)];
/// Black threatens fives at both ends.
const OPEN_FOUR: &[(usize, usize)] = &[(7, 7), (0, 0), (8, 7), (0, 2), (9, 7), (0, 4), (10, 7)];

/// A blocked defence does not prove that the position is lost.
#[test]
fn a_loss_while_the_defence_is_blocked_is_not_announced() {
    let point = |(x, y): (usize, usize)| Point::new(x, y).unwrap();
    for (stones, blocked) in [(FOUR, vec![(11, 7)]), (THREE, vec![(5, 7), (6, 7), (10, 7), (11, 7)])] {
        for lines in [1, 3] {
            let mut engine = game(stones);
            assert!(search(&mut engine, lines).1.iter().all(|&score| !score.seems_lost()), "it holds");
            engine.blocked_mut().set_points(&blocked.iter().copied().map(point).collect::<Vec<_>>());
            let (report, scores) = search(&mut engine, lines);
            assert!(scores.iter().all(|score| !score.is_loss()) && report.last.score.seems_lost(), "{scores:?}");
            // The other moves are proven to lose.
            assert!(report.lines.iter().all(|line| line.score.is_loss()), "{:?}", report.lines);
        }
    }
    // A blocked point that is no defence does not matter.
    let mut engine = game(OPEN_FOUR);
    engine.blocked_mut().set_points(&[point((14, 0))]);
    assert_eq!(search(&mut engine, 1).0.last.score, Score::loss_in(Ply::ROOT, 2));
}

/// A blocked reply of the opponent is still a defence in the game.
#[test]
fn a_win_because_the_defence_is_a_blocked_path_is_not_announced() {
    let point = |x, y| Point::new(x, y).unwrap();
    // Black has three in a row with one open end: each of its two fours has one answer.
    let stones = [(3, 3), (2, 3), (4, 3), (0, 8), (5, 3), (8, 0)];
    let moves: Vec<Point> = stones.iter().map(|&(x, y)| point(x, y)).collect();
    let mut engine = engine(&Board::new(Rule::Freestyle, size((9, 9))));
    for &point in &moves {
        engine.play(point).unwrap();
    }
    let four_after = |four, answer| [&moves[..], &[four, answer]].concat();
    engine.blocked_mut().set_paths(&[four_after(point(6, 3), point(7, 3)), four_after(point(7, 3), point(6, 3))]);
    let (report, scores) = search(&mut engine, 1);
    assert!(scores.iter().all(|score| !score.is_win()), "{scores:?}");
    assert!((-report.last.score).seems_lost(), "{:?}", report.last);
}

/// Bug: where all moves but a foul were blocked, black won by the foul. Now the block has no effect, as where all points
/// are blocked.
#[test]
fn a_block_never_leads_to_a_foul() {
    let point = |(x, y): (usize, usize)| Point::new(x, y).unwrap();
    // Black's h8 is a double four.
    let stones = [(4, 7), (0, 0), (5, 7), (0, 2), (6, 7), (3, 7), (7, 4), (0, 4), (7, 5), (0, 6), (7, 6), (7, 3)];
    let foul = point((7, 7));
    let mut board = Board::new(Rule::Renju, size((15, 15)));
    for stone in stones {
        board.play(point(stone), &mut NullObserver);
    }
    assert!(board.is_forbidden(foul));
    let mut engine = engine(&board);
    assert!(!search(&mut engine, 1).0.last.score.is_win());
    let all: Vec<Point> = board.size().points().filter(|&point| board.is_empty(point)).collect();
    for blocked in [all.iter().copied().filter(|&point| point != foul).collect(), all.clone()] {
        engine.blocked_mut().set_points(&blocked);
        for lines in [1, 3] {
            let (report, scores) = search(&mut engine, lines);
            assert!(report.best.is_some_and(|best| !board.clone().is_forbidden(best)), "{:?}", report.best);
            assert!(scores.iter().all(|score| !score.is_win()), "{scores:?}");
        }
    }
}

/// What follows a foul proves nothing.
#[test]
fn only_fouls_are_no_proof() {
    let point = |x, y| Point::new(x, y).unwrap();
    let foul = point(3, 3);
    // Black's row of seven lacks the stone in the middle.
    let mut engine = Engine::new();
    engine.set_rule(Rule::Renju);
    engine.new_game(size((7, 7)), false);
    let cell = |p: Point| if p.y() == 3 || (p.x() + 2 * p.y()) % 4 < 2 { Cell::Black } else { Cell::White };
    let stones: Vec<(Point, Cell)> = engine.size().points().filter(|&p| p != foul).map(|p| (p, cell(p))).collect();
    engine.set_position(&stones, Color::Black).unwrap();
    assert!(engine.board().is_forbidden(foul));
    for lines in [1, 3] {
        let (report, scores) = search(&mut engine, lines);
        assert_eq!(report.best, Some(foul));
        assert!(scores.iter().chain([&report.last.score]).all(|score| score.distance().is_none()), "{scores:?}");
    }
}

/// Keeps the scores that a search reports after some stones, given from the first.
fn scores_after(size: Size, moves: &str) -> Vec<Score> {
    let mut board = Board::new(Rule::Renju, size);
    for point in parse_moves(moves, size).unwrap() {
        board.play(point, &mut NullObserver);
    }
    let mut scores = Scores::default();
    let control = SearchControl::within(SearchLimits { nodes: Some(20_000), ..SearchLimits::default() });
    engine(&board).think(&control, &mut scores);
    scores.0
}

/// Bug: white announced a win in 5 plies that takes 7. After the four-three of white's, each reply that may refute it loses
/// in 4 plies, because the stop of another four is a foul; but a reply that was left out makes that stop legal and lasts 6.
#[test]
fn a_win_is_announced_no_sooner_than_it_comes() {
    let size = size((6, 9));
    let before = "b2b7b8c7a2a4e2a9a5d6d1d4a7d2c5e5b4c6d3d9f9";
    let distance = |scores: Vec<Score>| scores.last().and_then(|score| score.distance());
    assert_eq!(distance(scores_after(size, before)), Some(7));
    assert_eq!(distance(scores_after(size, &format!("{before}d7"))), Some(6));
}

/// Bug: with too few nodes for a first iteration, the first move of the move order was played, also where the threats on the
/// board win.
#[test]
fn a_win_at_hand_is_played_with_any_number_of_nodes() {
    let mut distances = [0; 6];
    for rule in Rule::ALL {
        for board in positions(rule, 13, if at_length() { 150 } else { 75 }) {
            let Some(win) = forced::static_result(&mut board.clone(), Ply::ROOT).filter(|score| score.is_win()) else {
                continue;
            };
            distances[win.distance().unwrap() as usize] += 1;
            for nodes in [1, 2, 7, 30, 59].into_iter().step_by(if at_length() { 1 } else { 2 }) {
                let mut engine = engine(&board);
                let report = engine.think_nodes(nodes);
                assert!(report.last.score >= win, "{rule:?}, {nodes} nodes: {:?} for {win:?}", report.last.score);
                engine.play(report.best.unwrap()).unwrap();
                let reply = engine.think_nodes(3000).last.score;
                assert!(reply.is_loss(), "{rule:?}, {nodes} nodes, {:?}: {reply:?}", report.best);
            }
        }
    }
    assert!(distances[3] > 20 && distances[5] > 5, "{distances:?}");
}

/// Bug: in a game that was drawn before, a five was announced as a win. In renju on 5x5 that is after the first stone, on
/// 6x6 after the eleventh.
#[test]
fn nothing_is_won_in_a_game_that_was_drawn_before() {
    let mut random = seeded(30);
    let mut fives = 0;
    for number in 0..120 {
        let side = 5 + number % 2;
        let mut board = Board::new(Rule::Renju, size((side, side)));
        let stones = if side == 5 { random.random_range(1..20) } else { random.random_range(11..30) };
        for _ in 0..500 {
            let point = Point::new(random.random_range(0..side), random.random_range(0..side)).unwrap();
            if board.is_empty(point) && board.occupied() < stones && board.threat(point, board.side()) != Threat::Five {
                board.play(point, &mut NullObserver);
            }
        }
        if board.count(board.side(), Threat::Five) == 0 && number % 20 > 1 {
            continue;
        }
        fives += usize::from(board.count(board.side(), Threat::Five) > 0);
        for lines in [1, 3] {
            let (report, scores) = search(&mut engine(&board), lines);
            assert!(report.best.is_some_and(|best| board.is_empty(best)));
            assert!(scores.iter().all(|&score| score == Score::DRAW), "{scores:?}");
        }
    }
    assert!(fives > 10, "{fives}");
}
