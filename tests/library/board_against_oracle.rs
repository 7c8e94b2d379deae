//! The fast board against the oracle: random games under every rule on many sizes, golden positions, symmetries.

use crate::common::fouls::HardCase;
use crate::common::{SIZES, Taste, cells_of, crowded, moves_of, moves_text, oracle_after, random_move, seeded, size};
use rand::Rng;
use rand::rngs::SmallRng;
use tengen::base::{Cell, Color, Direction, Point, Rule, Size};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::board::{Board, Foul, NullObserver, Threat};
use tengen_amount::{amount, at_length};

/// Threat counts of one colour over all empty points, by code.
type Counts = [usize; Threat::ALL.len()];

/// A golden position: name, rule, moves on 15x15, and the expected counts for black and white.
struct Golden {
    name: &'static str,
    rule: Rule,
    moves: &'static str,
    counts: [Counts; 2],
}

const P1: &str = "j11n11k12m9l12l10l9j13k14k11j12i12k13m14k8i10";
const P2: &str = "k6k4n7l6i6j4i4i5h6j6j5l7h4h5k5l8l5k9m5n5";
const P3: &str = "d12d10f12c10c11g11c13g14g10e12e13f13d11b10e10f9i11h12f10e11i10h10h9i13j11k12c12g15";
const P4: &str = "l7k10i7k6i4j7l5i8l4l6k4j4m6j3k5j6j5i6h6m5h5i5";

#[rustfmt::skip]
const GOLDEN: [Golden; 8] = [
    Golden { name: "P1", rule: Rule::Freestyle, moves: P1, counts: [
        [173, 0, 13, 11, 0, 2, 7, 1, 0, 2, 0, 0, 0, 0], [173, 0, 16, 6, 3, 4, 5, 0, 0, 1, 1, 0, 0, 0]] },
    Golden { name: "P1", rule: Rule::Standard, moves: P1, counts: [
        [174, 0, 13, 10, 0, 2, 7, 1, 0, 2, 0, 0, 0, 0], [175, 0, 15, 6, 2, 4, 5, 0, 0, 1, 1, 0, 0, 0]] },
    Golden { name: "P1", rule: Rule::Caro, moves: P1, counts: [
        [179, 0, 7, 13, 0, 2, 6, 0, 0, 2, 0, 0, 0, 0], [175, 0, 14, 7, 3, 3, 5, 0, 0, 1, 1, 0, 0, 0]] },
    Golden { name: "P2", rule: Rule::Freestyle, moves: P2, counts: [
        [168, 0, 16, 10, 3, 2, 3, 1, 0, 2, 0, 0, 0, 0], [161, 0, 18, 12, 1, 3, 5, 1, 0, 0, 4, 0, 0, 0]] },
    Golden { name: "P2", rule: Rule::Standard, moves: P2, counts: [
        [169, 0, 16, 9, 3, 2, 3, 1, 0, 2, 0, 0, 0, 0], [164, 0, 17, 10, 1, 3, 5, 1, 0, 0, 4, 0, 0, 0]] },
    Golden { name: "P2", rule: Rule::Caro, moves: P2, counts: [
        [172, 0, 12, 10, 3, 2, 3, 1, 0, 2, 0, 0, 0, 0], [165, 0, 15, 13, 0, 2, 5, 1, 0, 1, 3, 0, 0, 0]] },
    Golden { name: "P3", rule: Rule::Renju, moves: P3, counts: [
        [157, 1, 18, 6, 1, 4, 3, 1, 0, 5, 1, 0, 0, 0], [147, 0, 28, 6, 4, 6, 1, 1, 0, 1, 3, 0, 0, 0]] },
    Golden { name: "P4", rule: Rule::Renju, moves: P4, counts: [
        [166, 0, 0, 22, 0, 2, 10, 1, 0, 2, 0, 0, 0, 0], [156, 0, 21, 10, 0, 5, 4, 4, 1, 2, 0, 0, 0, 0]] },
];

/// Counts by the oracle.
fn counts(oracle: &Oracle, color: Color) -> Counts {
    let mut counts = [0; Threat::ALL.len()];
    for p in oracle.size().points().filter(|&p| oracle.cell(p) == Cell::Empty) {
        counts[oracle.threat(p, color).index()] += 1;
    }
    counts
}

#[test]
fn golden_positions() {
    for golden in &GOLDEN {
        let mut board = Board::new(golden.rule, size((15, 15)));
        for p in moves_of(golden.moves) {
            board.play(p, &mut NullObserver);
        }
        let oracle = oracle_after(golden.rule, size((15, 15)), &moves_of(golden.moves));
        for color in Color::ALL {
            let expected = golden.counts[color.index()];
            assert_eq!(counts(&oracle, color), expected, "oracle: {} {:?} {color:?}", golden.name, golden.rule);
            let fast = Threat::ALL.map(|threat| board.count(color, threat));
            assert_eq!(fast, expected, "board: {} {:?} {color:?}", golden.name, golden.rule);
        }
    }
    let oracle = oracle_after(Rule::Renju, size((15, 15)), &moves_of(P3));
    let forbidden: Vec<Point> = oracle.size().points().filter(|&p| oracle.foul(p).is_some()).collect();
    assert_eq!(moves_text(&forbidden), "i8");
}

/// Compares one empty point: its shapes and its threats. Returns the threat of each colour.
fn compare_point(board: &Board, oracle: &Oracle, p: Point) -> Result<[Threat; 2], String> {
    let threats = Color::ALL.map(|color| oracle.threat(p, color));
    for (color, slow) in Color::ALL.into_iter().zip(threats) {
        for direction in Direction::ALL {
            let (fast, slow) = (board.shape(p, color, direction), oracle.shape(p, color, direction));
            if fast != slow {
                return Err(format!("{color:?} {direction:?} at {p}: board says {fast:?}, oracle {slow:?}"));
            }
        }
        let fast = board.threat(p, color);
        if fast != slow {
            return Err(format!("{color:?} at {p}: board says {fast:?}, oracle {slow:?}"));
        }
        if (slow == Threat::Five) != oracle.wins(p, color) {
            return Err(format!("{color:?} at {p}: {slow:?}, but that is not what decides about a winning move"));
        }
    }
    Ok(threats)
}

/// Compares the whole board.
fn compare_all(board: &mut Board, oracle: &Oracle) -> Result<(), String> {
    let mut expected = Color::ALL.map(|_| Threat::ALL.map(|_| Vec::new()));
    let mut strong = [const { Vec::new() }; 2];
    for p in oracle.size().points() {
        if board.cell(p) != oracle.cell(p) || board.is_empty(p) != (oracle.cell(p) == Cell::Empty) {
            return Err(format!("{p}: board has {:?}, oracle {:?}", board.cell(p), oracle.cell(p)));
        }
        if board.is_empty(p) {
            for (color, threat) in Color::ALL.into_iter().zip(compare_point(board, oracle, p)?) {
                expected[color.index()][threat.index()].push(p);
                if threat >= Threat::Four || threat == Threat::Forbidden {
                    strong[color.index()].push(p);
                }
            }
            compare_fouls(board, oracle, p)?;
        }
    }
    for color in Color::ALL {
        let fast = Threat::ALL.map(|threat| board.count(color, threat));
        let slow = &expected[color.index()];
        if fast != slow.each_ref().map(Vec::len) {
            return Err(format!("{color:?} counts: board {fast:?}, oracle {slow:?}"));
        }
        for threat in Threat::ALL.into_iter().filter(|&threat| threat != Threat::None) {
            let slow = &slow[threat.index()];
            let (listed, found) = (board.points_of(color, threat), board.find(color, threat));
            if listed[..] != slow[..] || found.is_none() != slow.is_empty() || found.is_some_and(|p| !slow.contains(&p))
            {
                return Err(format!("{color:?} {threat:?}: board {listed:?}, found {found:?}, oracle {slow:?}"));
            }
        }
        let mut fast = Vec::new();
        board.for_each_strong(color, |point| fast.push(point));
        if fast != strong[color.index()] {
            return Err(format!("{color:?} fours: board {fast:?}, oracle {:?}", strong[color.index()]));
        }
    }
    Ok(())
}

/// Compares whether an empty point is forbidden to black, and returns the foul by the oracle.
fn compare_fouls(board: &mut Board, oracle: &Oracle, p: Point) -> Result<Option<Foul>, String> {
    let (fast, slow) = (board.is_forbidden(p), oracle.foul(p));
    if fast != slow.is_some() {
        return Err(format!("black at {p}: board says forbidden: {fast}, oracle {slow:?}"));
    }
    if slow.is_some() && oracle.threat(p, Color::Black) != Threat::Forbidden {
        return Err(format!("black at {p}: {slow:?}, but its threat is not `Forbidden`"));
    }
    Ok(slow)
}

/// Compares the empty points that a stone on `center` can have changed.
fn compare_around(board: &Board, oracle: &Oracle, center: Point) -> Result<(), String> {
    for direction in Direction::ALL {
        for p in (-6..=6).filter_map(|steps| center.step(direction, steps)) {
            if oracle.cell(p) == Cell::Empty {
                compare_point(board, oracle, p)?;
            }
        }
    }
    Ok(())
}

/// Makes up to this many random squares dead.
fn set_walls(rng: &mut SmallRng, oracle: &mut Oracle, walls: usize) {
    let size = oracle.size();
    for _ in 0..walls {
        let p = Point::new(rng.random_range(0..size.width()), rng.random_range(0..size.height()));
        oracle.set(p.expect("on the board"), Cell::Wall);
    }
}

/// A game that is played forwards, with a few moves taken back now and then, and all of them at the end.
struct Walk {
    board: Board,
    oracle: Oracle,
    moves: Vec<Point>,
    /// The board's hash before each move.
    keys: Vec<u64>,
    rng: SmallRng,
}

impl Walk {
    /// A game on a board with up to this many dead squares.
    fn new(rule: Rule, size: Size, walls: usize, seed: u64) -> Walk {
        let mut rng = seeded(seed);
        let mut oracle = Oracle::new(rule, size);
        set_walls(&mut rng, &mut oracle, walls);
        let board = Board::from_cells(rule, size, &cells_of(&oracle), Color::Black);
        Walk { board, oracle, moves: vec![], keys: vec![], rng }
    }

    /// Plays one move on both boards; false when the board is full.
    fn play(&mut self, taste: Taste) -> Result<bool, String> {
        let Some(p) = random_move(&mut self.rng, &self.oracle, &self.moves, taste) else { return Ok(false) };
        let color = Color::to_move_after(self.moves.len());
        if self.board.side() != color {
            return Err("the board has the wrong side to move".into());
        }
        self.keys.push(self.board.key());
        self.moves.push(p);
        self.board.play(p, &mut NullObserver);
        self.oracle.set(p, color.into());
        self.compare(p)?;
        Ok(true)
    }

    /// Takes back one move on both boards.
    fn undo(&mut self) -> Result<(), String> {
        let Some(p) = self.moves.pop() else { return Ok(()) };
        self.board.undo(&mut NullObserver);
        self.oracle.set(p, Cell::Empty);
        if self.keys.pop() != Some(self.board.key()) {
            return Err(format!("undoing {p} did not restore the hash"));
        }
        self.compare(p).map_err(|text| format!("after undoing {p}: {text}"))
    }

    /// Compares the points around `p`, and every tenth time the whole board.
    fn compare(&mut self, p: Point) -> Result<(), String> {
        if self.moves.is_empty() || self.rng.random_ratio(1, 10) {
            compare_all(&mut self.board, &self.oracle)?;
        }
        compare_around(&self.board, &self.oracle, p)?;
        if self.board.is_draw() != self.oracle.is_draw() {
            return Err("board and oracle disagree about a draw".into());
        }
        Ok(())
    }

    /// Plays the whole game and takes it back.
    fn walk(&mut self, taste: Taste, length: usize) -> Result<(), String> {
        while self.moves.len() < length && self.play(taste)? {
            if self.rng.random_ratio(1, 12) {
                for _ in 0..self.rng.random_range(1..=3) {
                    self.undo()?;
                }
            }
        }
        compare_all(&mut self.board, &self.oracle)?;
        let fresh =
            Board::from_cells(self.oracle.rule(), self.oracle.size(), &cells_of(&self.oracle), self.board.side());
        if fresh.key() != self.board.key() {
            return Err("the hash depends on the order of moves".into());
        }
        while !self.moves.is_empty() {
            self.undo()?;
        }
        Ok(())
    }
}

/// Random games under one rule, on every size and in every style.
fn games(rule: Rule) {
    let per_kind = if cfg!(debug_assertions) { 5 } else { 50 };
    for (i, sides) in SIZES.into_iter().enumerate() {
        for (j, taste) in Taste::ALL.into_iter().enumerate() {
            // One of each kind in the normal run, with and without dead squares in turn.
            let (first, count) = if at_length() { (0, per_kind) } else { ((i + j) % 5, 1) };
            for k in (first..).take(count) {
                let walls = if k % 2 == 0 { 0 } else { k % 8 };
                let mut walk = Walk::new(rule, size(sides), walls, ((i * 10 + j) * 1000 + k) as u64);
                let cells = sides.0 * sides.1;
                let length = if k % 5 == 0 { cells } else { cells.min(30 + 10 * (k % 5)) };
                if let Err(text) = walk.walk(taste, length) {
                    panic!("{}: {}\n{text}", position_text(&walk.oracle), moves_text(&walk.moves));
                }
            }
        }
    }
}

#[test]
fn freestyle_games() {
    games(Rule::Freestyle);
}

#[test]
fn standard_games() {
    games(Rule::Standard);
}

#[test]
fn renju_games() {
    games(Rule::Renju);
}

#[test]
fn caro_games() {
    games(Rule::Caro);
}

#[test]
fn exact_caro_games() {
    games(Rule::CaroExact);
}

/// The stones and dead squares of a position as text.
fn position_text(oracle: &Oracle) -> String {
    let cell = |(p, cell): &(Point, Cell)| format!("{p} {cell:?}");
    format!(
        "{:?} {:?}: {}",
        oracle.rule(),
        oracle.size(),
        cells_of(oracle).iter().map(cell).collect::<Vec<_>>().join("; ")
    )
}

#[test]
fn crowded_positions_with_dead_squares() {
    for seed in 0..if at_length() { 1500 } else { 500 } {
        let mut rng = seeded(seed);
        let rule = Rule::ALL[seed as usize % 5];
        let mut oracle = crowded(&mut rng, rule, size(SIZES[seed as usize / 5 % SIZES.len()]));
        let walls = rng.random_range(0..8);
        set_walls(&mut rng, &mut oracle, walls);
        let mut board = Board::from_cells(rule, oracle.size(), &cells_of(&oracle), Color::Black);
        if let Err(text) = compare_all(&mut board, &oracle) {
            panic!("{}\n{text}", position_text(&oracle));
        }
    }
}

#[test]
fn hard_forbidden_points() {
    for case in HardCase::all() {
        let (name, mut oracle) = (case.name, case.oracle());
        for &(p, _) in &case.chain {
            let mut board = Board::from_cells(Rule::Renju, oracle.size(), &cells_of(&oracle), Color::Black);
            if let Err(text) = compare_all(&mut board, &oracle) {
                panic!("{name}, before {p}: {text}");
            }
            oracle.set(p, Cell::Black);
        }
    }
}

/// In how many random positions the forbidden points are compared.
fn forbidden_positions() -> u64 {
    amount("TENGEN_FORBIDDEN_POSITIONS", 600, if cfg!(debug_assertions) { 3_000 } else { 100_000 })
}

#[test]
fn forbidden_points_of_random_positions() {
    let (mut fouls, mut acquitted) = ([0; 3], 0);
    for seed in 0..forbidden_positions() {
        let oracle = crowded(&mut seeded(seed), Rule::Renju, size(SIZES[1 + seed as usize % (SIZES.len() - 1)]));
        let mut board = Board::from_cells(Rule::Renju, oracle.size(), &cells_of(&oracle), Color::Black);
        for p in oracle.size().points().filter(|&p| oracle.cell(p) == Cell::Empty) {
            match compare_fouls(&mut board, &oracle, p) {
                Err(text) => panic!("{}\n{text}", position_text(&oracle)),
                Ok(Some(Foul::Overline(_))) => fouls[0] += 1,
                Ok(Some(Foul::DoubleFour(_))) => fouls[1] += 1,
                Ok(Some(Foul::DoubleThree(_))) => fouls[2] += 1,
                Ok(None) => acquitted += usize::from(board.threat(p, Color::Black) == Threat::Forbidden),
            }
        }
        if let Err(text) = compare_all(&mut board, &oracle) {
            panic!("{} after asking for fouls\n{text}", position_text(&oracle));
        }
    }
    println!("overlines, double fours, double threes: {fouls:?}; suspected but legal: {acquitted}");
    let enough = forbidden_positions() as usize / 100;
    assert!(
        fouls.into_iter().all(|n| n >= enough) && acquitted >= enough,
        "too few positions have fouls: {fouls:?} {acquitted}"
    );
}

/// A point under one of the eight symmetries of a square board.
fn turned(p: Point, side: usize, symmetry: usize) -> Point {
    let (x, y) = if symmetry & 4 == 0 { (p.x(), p.y()) } else { (p.y(), p.x()) };
    let x = if symmetry & 1 == 0 { x } else { side - 1 - x };
    let y = if symmetry & 2 == 0 { y } else { side - 1 - y };
    Point::new(x, y).expect("a symmetry keeps points on the board")
}

/// The direction of a line after the symmetry.
fn turned_line(direction: Direction, symmetry: usize) -> Direction {
    let start = Point::new(10, 10).expect("on the board");
    let next = start.step(direction, 1).expect("on the board");
    let (from, to) = (turned(start, 22, symmetry), turned(next, 22, symmetry));
    let leads = |&d: &Direction| from.step(d, 1) == Some(to) || from.step(d, -1) == Some(to);
    Direction::ALL.into_iter().find(leads).expect("a line stays a line")
}

#[test]
fn the_oracle_is_symmetric() {
    let kind = |foul: Option<Foul>| match foul {
        None => (0, 0),
        Some(Foul::Overline(_)) => (1, 1),
        Some(Foul::DoubleFour(fours)) => (2, fours.len()),
        Some(Foul::DoubleThree(threes)) => (3, threes.len()),
    };
    for seed in 0..300 {
        let side = [7, 10, 15][seed as usize % 3];
        let rule = Rule::ALL[seed as usize % 5];
        let oracle = crowded(&mut seeded(seed), rule, size((side, side)));
        for symmetry in 0..8 {
            let mut other = Oracle::new(rule, oracle.size());
            for (p, cell) in cells_of(&oracle) {
                other.set(turned(p, side, symmetry), cell);
            }
            for p in oracle.size().points().filter(|&p| oracle.cell(p) == Cell::Empty) {
                let q = turned(p, side, symmetry);
                for color in Color::ALL {
                    for direction in Direction::ALL {
                        let shapes = (
                            oracle.shape(p, color, direction),
                            other.shape(q, color, turned_line(direction, symmetry)),
                        );
                        assert_eq!(shapes.0, shapes.1, "{} {p} {color:?} {direction:?}", position_text(&oracle));
                    }
                    assert_eq!(oracle.wins(p, color), other.wins(q, color), "{} {p}", position_text(&oracle));
                }
                assert_eq!(kind(oracle.foul(p)), kind(other.foul(q)), "{} {p}", position_text(&oracle));
            }
        }
    }
}

#[test]
fn colours_are_treated_alike_where_the_rule_does() {
    for seed in 0..400 {
        let rule = [Rule::Freestyle, Rule::Standard, Rule::Caro, Rule::CaroExact][seed as usize % 4];
        let oracle = crowded(&mut seeded(seed), rule, size(SIZES[seed as usize % SIZES.len()]));
        let mut other = Oracle::new(rule, oracle.size());
        for (p, cell) in cells_of(&oracle) {
            other.set(p, cell.color().map_or(cell, |color| color.opponent().into()));
        }
        for p in oracle.size().points().filter(|&p| oracle.cell(p) == Cell::Empty) {
            for color in Color::ALL {
                let text = position_text(&oracle);
                assert_eq!(oracle.threat(p, color), other.threat(p, color.opponent()), "{text} {p}");
                assert_eq!(oracle.wins(p, color), other.wins(p, color.opponent()), "{text} {p}");
                let verdicts = (oracle.clone().play(p, color), other.clone().play(p, color.opponent()));
                assert_eq!(verdicts.0, verdicts.1, "{text} {p}");
                assert_eq!(verdicts.0 == Verdict::Wins, oracle.threat(p, color) == Threat::Five, "{text} {p}");
            }
        }
    }
}
