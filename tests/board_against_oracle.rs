//! The fast board against the slow rules: random games of every rule on many sizes, golden positions, symmetries.

mod common;

use common::{moves_of, oracle_after};
use tengen::base::{Cell, Color, Rule, Size};
use tengen::board::oracle::Oracle;

/// Threat counts of one colour over all empty points, by code.
type Counts = [usize; 14];

/// One golden position: what it is called, its rule, its moves on 15x15, and the counts for black and white.
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

/// Counts by rescanning.
fn counts(oracle: &Oracle, color: Color) -> Counts {
    let mut counts = [0; 14];
    for p in oracle.size().points().filter(|&p| oracle.cell(p) == Cell::Empty) {
        counts[oracle.threat(p, color).index()] += 1;
    }
    counts
}

#[test]
fn the_oracle_knows_the_golden_positions() {
    for golden in &GOLDEN {
        let oracle = oracle_after(golden.rule, Size::square(15).unwrap(), &moves_of(golden.moves));
        for color in Color::ALL {
            assert_eq!(counts(&oracle, color), golden.counts[color.index()], "{} {:?} {color:?}", golden.name, golden.rule);
        }
    }
    let oracle = oracle_after(Rule::Renju, Size::square(15).unwrap(), &moves_of(P3));
    let forbidden: Vec<String> = oracle.size().points().filter(|&p| oracle.foul(p).is_some()).map(|p| common::moves_text(&[p])).collect();
    assert_eq!(forbidden, ["i8"]);
}
