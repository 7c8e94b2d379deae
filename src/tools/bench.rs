//! Speed and signature: fixed positions of every rule and size. Floor 6.

use crate::base::{Point, Rule, Size};
use crate::board::Board;
use crate::board::notation::parse_moves;
use crate::eval::{Evaluator, ShapeEvaluator};
use std::io::Write;
use std::time::{Duration, Instant};

/// Middle-game positions as rule, width, height and moves; made by our own engine against itself.
pub const POSITIONS: [(Rule, usize, usize, &str); 3] = [
    (Rule::Freestyle, 15, 15, "j11n11k12m9l12l10l9j13k14k11j12i12k13m14k8i10"),
    (Rule::Standard, 15, 15, "k6k4n7l6i6j4i4i5h6j6j5l7h4h5k5l8l5k9m5n5"),
    (Rule::Renju, 15, 15, "l7k10i7k6i4j7l5i8l4l6k4j4m6j3k5j6j5i6h6m5h5i5"),
];

/// Times play and undo over fixed middle-game positions and writes the pairs per second as the last line.
pub fn board(out: &mut dyn Write, repeats: u32) -> anyhow::Result<()> {
    let mut total_pairs = 0u64;
    let mut total_time = Duration::ZERO;
    for (rule, width, height, moves) in POSITIONS {
        let size = Size::new(width, height).expect("bench positions have legal sizes");
        let mut board = Board::new(rule, size);
        let mut evaluator = ShapeEvaluator::new(rule);
        evaluator.refresh(&board);
        for point in parse_moves(moves, size).expect("bench positions have legal moves") {
            board.play(point, &mut evaluator);
        }
        let mut points: Vec<Point> = Vec::new();
        board.for_each_near(|p| points.push(p));
        let mut best = Duration::MAX;
        let mut checksum = 0i64;
        for _ in 0..repeats {
            let begin = Instant::now();
            for _ in 0..20 {
                for &point in &points {
                    board.play(point, &mut evaluator);
                    checksum += i64::from(evaluator.sum());
                    board.undo(&mut evaluator);
                }
            }
            best = best.min(begin.elapsed());
        }
        let pairs = 20 * points.len() as u64;
        writeln!(
            out,
            "{:10} {width}x{height} {} ns/pair (check {checksum})",
            rule.name(),
            best.as_nanos() as u64 / pairs
        )?;
        total_pairs += pairs;
        total_time += best;
    }
    writeln!(out, "{:.0} pairs/s", total_pairs as f64 / total_time.as_secs_f64())?;
    Ok(())
}
