//! The signature of the search: the number of nodes that `pbrain-tengen bench` visits, and what it finds. Both depend on the
//! source alone and are the same in debug and release builds and on every machine. If one of them changes, Tengen plays
//! differently.

#![allow(missing_docs, clippy::unwrap_used)]

use tengen::base::hash::Checksum;
use tengen::tools::bench;

/// The nodes of the bench. Also the last line of the commit message: `Bench: N`.
const EXPECTED_NODES: u64 = 264_400;
/// The checksum of what the bench prints about each position: best move, score and nodes.
const EXPECTED_RESULTS: u64 = 0xc0e0_ec6b_9a87_dcd7;

/// The lines of one run, without the speed, and its nodes.
fn run() -> (Vec<String>, u64) {
    let mut out = Vec::new();
    let nodes = bench::search(&mut out).unwrap();
    let mut lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    let summary = lines.pop().unwrap();
    assert!(summary.starts_with(&format!("{nodes} nodes ")), "{summary}");
    (lines, nodes)
}

/// A new game forgets everything: whatever was searched before, a search visits the same nodes again.
#[test]
fn a_search_within_any_number_of_nodes_is_repeated_exactly() {
    for position in bench::POSITIONS.iter().step_by(3) {
        let mut engine = bench::engine_at(position, 1);
        let (size, stones, side) = (engine.size(), engine.stones().to_vec(), engine.to_move());
        let mut search = |nodes: u64| {
            engine.new_game(size, false);
            engine.set_position(&stones, side).unwrap();
            let report = engine.think_nodes(nodes);
            (report.best, report.last.score, report.last.depth, report.last.nodes, report.last.pv)
        };
        let budgets = || (1..=20).map(|step| 311 * step);
        let first: Vec<_> = budgets().map(&mut search).collect();
        let mut again: Vec<_> = budgets().rev().map(&mut search).collect();
        again.reverse();
        assert_eq!(first, again, "{position:?}");
    }
}

#[test]
fn the_signature_is_the_expected_one_twice() {
    // Side by side: what one search does must not matter to the other.
    let ((first, nodes), (second, _)) = std::thread::scope(|scope| {
        let other = scope.spawn(run);
        (run(), other.join().unwrap())
    });
    assert_eq!(first, second, "a second run visits other nodes");
    let results = Checksum::of(first.join("\n").as_bytes());
    assert_eq!(
        (nodes, results),
        (EXPECTED_NODES, EXPECTED_RESULTS),
        "\nThe search has changed. If that was meant, set EXPECTED_NODES in tests/bench_signature.rs to {nodes},\n\
         EXPECTED_RESULTS to {results:#x}, and end the commit message with `Bench: {nodes}`.\n{}\n",
        first.join("\n")
    );
}
