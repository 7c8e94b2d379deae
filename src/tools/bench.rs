//! Speed and signature: fixed positions of every rule and several sizes. Floor 6.

use crate::base::{Cell, Color, Point, Rule, Size};
use crate::board::Board;
use crate::board::notation::parse_moves;
use crate::engine::{Engine, Options};
use crate::eval::{Evaluator, ShapeEvaluator};
use crate::search::{NullSink, SearchControl, SearchLimits};
use std::io::Write;
use std::time::{Duration, Instant};

/// A position to measure on: rule, width, height and the moves that led to it, black first.
pub type BenchPosition = (Rule, usize, usize, &'static str);

/// Middle-game positions of all rules.
pub const POSITIONS: [BenchPosition; 3] = [
    (Rule::Freestyle, 15, 15, "j11n11k12m9l12l10l9j13k14k11j12i12k13m14k8i10"),
    (Rule::Standard, 15, 15, "k6k4n7l6i6j4i4i5h6j6j5l7h4h5k5l8l5k9m5n5"),
    (Rule::Renju, 15, 15, "l7k10i7k6i4j7l5i8l4l6k4j4m6j3k5j6j5i6h6m5h5i5"),
];

/// Depth of the signature search, in plies.
pub const DEPTH: u32 = 6;
/// Rounds over all points when the board is timed, and repetitions of which the best counts.
const BOARD_ROUNDS: u32 = 20;
const BOARD_REPEATS: u32 = 100;

fn moves_of(position: &BenchPosition) -> (Size, Vec<Point>) {
    let size = Size::new(position.1, position.2).expect("bench positions have legal sizes");
    (size, parse_moves(position.3, size).expect("bench positions have legal moves"))
}

/// Searches every position to a fixed depth with one thread and a fresh table; the number of nodes is the signature
/// of the search. The last line is `<nodes> nodes <nps> nps`. Returns the nodes.
pub fn search(out: &mut dyn Write) -> std::io::Result<u64> {
    let mut total_nodes = 0;
    let mut total_time = Duration::ZERO;
    for position in &POSITIONS {
        let (size, moves) = moves_of(position);
        let mut engine = Engine::new();
        engine.set_rule(position.0);
        engine.new_game(size, false);
        engine.options_mut().hash_size = Some(Options::BENCH_HASH);
        let colors = [Cell::Black, Cell::White].into_iter().cycle();
        let stones: Vec<(Point, Cell)> = moves.iter().copied().zip(colors).collect();
        let side = if stones.len().is_multiple_of(2) { Color::Black } else { Color::White };
        engine.set_position(&stones, side).expect("bench positions have no point twice");
        let control = SearchControl::default();
        control.begin(SearchLimits { depth: Some(DEPTH), ..SearchLimits::default() });
        let begin = Instant::now();
        let report = engine.think(&control, &mut NullSink);
        total_time += begin.elapsed();
        total_nodes += report.last.nodes;
        let best = report.best.map(|point| point.to_string()).unwrap_or_default();
        writeln!(
            out,
            "{:10} {:>2}x{:<2} {:>2} stones: {best:5} score {:>6} nodes {:>9}",
            position.0.name(),
            size.width(),
            size.height(),
            stones.len(),
            report.last.score.to_string(),
            report.last.nodes
        )?;
    }
    let nps = total_nodes as f64 / total_time.as_secs_f64();
    writeln!(out, "{total_nodes} nodes {nps:.0} nps")?;
    Ok(total_nodes)
}

/// Times play and undo, with everything the board and the evaluation keep, over all points near stones of the
/// positions. The last line is `<n> pairs/s`.
pub fn board(out: &mut dyn Write) -> std::io::Result<()> {
    let mut total_pairs = 0u64;
    let mut total_time = Duration::ZERO;
    for position in &POSITIONS {
        let (size, moves) = moves_of(position);
        let mut board = Board::new(position.0, size);
        let mut evaluator = ShapeEvaluator::new(position.0);
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
            position.0.name(),
            size.width(),
            size.height()
        )?;
        total_pairs += pairs;
        total_time += best;
    }
    writeln!(out, "{:.0} pairs/s", total_pairs as f64 / total_time.as_secs_f64())
}
