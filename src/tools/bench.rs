//! `bench`: the signature and the speed of the search, and the speed of the board, on fixed positions of every rule.

use crate::base::clock::Instant;
use crate::base::{Point, Rule, Size};
use crate::board::Board;
use crate::board::notation::parse_moves;
use crate::engine::Engine;
use crate::eval::{Evaluator, ShapeEvaluator};
use crate::search::{NullSink, SearchControl, SearchLimits};
use std::io::Write;
use std::time::Duration;

/// A position to measure.
#[derive(Clone, Copy, Debug)]
pub struct BenchPosition {
    /// The rule.
    pub rule: Rule,
    /// Width and height of the board.
    pub sides: (usize, usize),
    /// The moves that lead to it, black first.
    pub moves: &'static str,
}

const fn at(rule: Rule, width: usize, height: usize, moves: &'static str) -> BenchPosition {
    BenchPosition { rule, sides: (width, height), moves }
}

/// Undecided positions of all rules on boards of many sizes, from games of the engine against itself.
pub const POSITIONS: [BenchPosition; 16] = [
    at(Rule::Freestyle, 15, 15, "n12l14m13j12k13j11l11j13j14"),
    at(Rule::Freestyle, 20, 20, "q13o15m14p13p12o11o12n12m13m15n15o16o14p14m11n13"),
    at(Rule::Freestyle, 15, 15, "c6e8d4d5e6f6c5e3f5g4g6h7e9c7h5i4h4i5i7k6g9h8f8d10"),
    at(Rule::Freestyle, 10, 10, "i3f5g1g3e5f6f7g6e6e4d3h7i8d5"),
    at(Rule::Freestyle, 22, 22, "m9p10p9n7n11n9o11o10m8n10m10m11n8p8q7k8r9l12o9s9r11"),
    at(Rule::Standard, 15, 15, "a15e15b12d13e11f12e10g11d12e13h10f10"),
    at(Rule::Standard, 20, 20, "n8p5q6o8p6o7o9o5q5o6o4q4n7p10m5n9k5l6j5"),
    at(Rule::Standard, 13, 19, "b16e18c18c15e15e16f16d14g15h15f17f14g14g13h13e17"),
    at(Rule::Renju, 15, 15, "i10i9e8i11g8h8h11j10k11h9f9"),
    at(Rule::Renju, 15, 15, "j6m5m6l6k7i5k5k6j7j8l7i7k8j9k9i6i4k10l11f8i8g5"),
    at(Rule::Renju, 20, 20, "e9e7f9d11f10f11g11d8f6f8d9g9h10g8h8"),
    at(Rule::Caro, 15, 15, "n5k4n3l3j5l4l7k6k7m6"),
    at(Rule::Caro, 15, 15, "i15f13f12f14e11g13g9h11i11h10h13d12i10i8h9e9g8f7k9j11j12"),
    at(Rule::Caro, 8, 8, "b1e1b3c3d5d4e4e5"),
    at(Rule::CaroExact, 15, 15, "k9j9m6l9k10k11k7i11j8k6l10m11j5h10"),
    at(Rule::CaroExact, 18, 12, "l3h5j6k3l5l4m5n5m6k6k4j3l8m9l9l10o8"),
];

/// Depth of the signature search, in plies.
pub const DEPTH: u32 = 10;
/// Hash table of the signature search, in bytes.
const HASH_SIZE: u64 = 16 << 20;
/// `bench board` plays each point this many times, and counts the fastest of this many repetitions.
const BOARD_ROUNDS: u32 = 20;
const BOARD_REPEATS: u32 = 100;

fn moves_of(position: &BenchPosition) -> (Size, Vec<Point>) {
    let size = Size::new(position.sides.0, position.sides.1).expect("bench positions have legal sizes");
    (size, parse_moves(position.moves, size).expect("bench positions have legal moves"))
}

/// A new engine at a position, with this many threads.
pub fn engine_at(position: &BenchPosition, threads: usize) -> Engine {
    let (size, moves) = moves_of(position);
    let mut engine = engine_after(position.rule, size, &moves, HASH_SIZE);
    engine.options_mut().threads = threads;
    engine
}

/// A new engine after these moves from the empty board, which must be different points of it, with a hash table of up to
/// this many bytes.
pub fn engine_after(rule: Rule, size: Size, moves: &[Point], hash_size: u64) -> Engine {
    let mut engine = Engine::new();
    engine.set_rule(rule);
    engine.options_mut().hash_size = Some(hash_size);
    engine.new_game(size, false);
    for &point in moves {
        engine.play(point).expect("different points of the board");
    }
    engine
}

/// Searches every position to depth [`DEPTH`] with one thread and an empty table. Returns the total number of nodes, which is
/// the signature of the search. The last line of output is `<nodes> nodes <nps> nps`.
///
/// # Errors
/// When `out` cannot be written.
pub fn search(out: &mut dyn Write) -> std::io::Result<u64> {
    let mut total_nodes = 0;
    let mut total_time = Duration::ZERO;
    for position in &POSITIONS {
        let mut engine = engine_at(position, 1);
        let (size, stones) = (engine.size(), engine.stones().len());
        let control = SearchControl::within(SearchLimits { depth: Some(DEPTH), ..SearchLimits::default() });
        let begin = Instant::now();
        let report = engine.think(&control, &mut NullSink);
        total_time += begin.elapsed();
        total_nodes += report.last.nodes;
        let best = report.best.map(|point| point.to_string()).unwrap_or_default();
        writeln!(
            out,
            "{:10} {:>2}x{:<2} {:>2} stones: {best:5} score {:>6} nodes {:>9}",
            position.rule.name(),
            size.width(),
            size.height(),
            stones,
            report.last.score.to_string(),
            report.last.nodes
        )?;
    }
    let nps = total_nodes as f64 / total_time.as_secs_f64();
    writeln!(out, "{total_nodes} nodes {nps:.0} nps")?;
    Ok(total_nodes)
}

/// Measures playing and undoing a stone, including all updates of board and evaluation, on all points near stones of the
/// positions. The last line of output is `<n> pairs/s`.
///
/// # Errors
/// When `out` cannot be written.
pub fn board(out: &mut dyn Write) -> std::io::Result<()> {
    let mut total_pairs = 0u64;
    let mut total_time = Duration::ZERO;
    for position in &POSITIONS {
        let (size, moves) = moves_of(position);
        let mut board = Board::new(position.rule, size);
        let mut evaluator = ShapeEvaluator::new(position.rule);
        evaluator.refresh(&board);
        for point in moves {
            board.play(point, &mut evaluator);
        }
        let mut points: Vec<Point> = Vec::new();
        board.for_each_near(|p| points.push(p));
        let mut best = Duration::MAX;
        let mut checksum = 0i64;
        for _ in 0..BOARD_REPEATS {
            let begin = Instant::now();
            for _ in 0..BOARD_ROUNDS {
                for &point in &points {
                    board.play(point, &mut evaluator);
                    checksum += i64::from(evaluator.sum());
                    board.undo(&mut evaluator);
                }
            }
            best = best.min(begin.elapsed());
        }
        let pairs = u64::from(BOARD_ROUNDS) * points.len() as u64;
        let each = best.as_nanos() as u64 / pairs;
        writeln!(
            out,
            "{:10} {:>2}x{:<2} {each:>4} ns a pair, sum {checksum}",
            position.rule.name(),
            size.width(),
            size.height()
        )?;
        total_pairs += pairs;
        total_time += best;
    }
    writeln!(out, "{:.0} pairs/s", total_pairs as f64 / total_time.as_secs_f64())
}
