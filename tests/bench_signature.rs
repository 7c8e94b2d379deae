//! The signature of the search: the number of nodes that `pbrain-tengen bench` visits. It depends on the source alone and
//! is the same in debug and release builds and on every machine. If it changes, Tengen plays differently.

#![allow(missing_docs, clippy::unwrap_used)]

use tengen::tools::bench;

/// The nodes of the bench. Also the last line of the commit message: `Bench: N`.
const EXPECTED_NODES: u64 = 261_381;

/// The lines of one run, without the speed, and its nodes.
fn run() -> (Vec<String>, u64) {
    let mut out = Vec::new();
    let nodes = bench::search(&mut out).unwrap();
    let mut lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    let summary = lines.pop().unwrap();
    assert!(summary.starts_with(&format!("{nodes} nodes ")), "{summary}");
    (lines, nodes)
}

#[test]
fn the_signature_is_the_expected_one_twice() {
    // Side by side: what one search does must not matter to the other.
    let ((first, nodes), (second, _)) = std::thread::scope(|scope| {
        let other = scope.spawn(run);
        (run(), other.join().unwrap())
    });
    assert_eq!(first, second, "a second run visits other nodes");
    assert_eq!(
        nodes,
        EXPECTED_NODES,
        "\nThe search has changed. If that was meant, set EXPECTED_NODES in tests/bench_signature.rs to {nodes}\n\
         and end the commit message with `Bench: {nodes}`.\n{}\n",
        first.join("\n")
    );
}
