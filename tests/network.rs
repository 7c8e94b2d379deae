//! The networks that come with the program: their hashes are the pinned ones, each is for its rule, and the fast code
//! computes what the reference implementation computes.

#![allow(missing_docs, clippy::unwrap_used)]

use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};
use tengen::base::{Rule, Size};
use tengen::board::notation::parse_moves;
use tengen::board::{Board, NullObserver};
use tengen::eval::network::weights::STAGES;
use tengen::eval::network::{Accumulator, Kernel, Network, Weights, embedded_bytes, reference};

/// How long one network may take to be read; START has to be answered within 150 ms.
const READING: Duration = Duration::from_millis(100);

/// SHA-256 of each file.
const PINS: [(Rule, &str); 5] = [
    (Rule::Freestyle, "76f23ee41d161840b429e257ce71d49a1680f1e05fc176d762f07003f62ba8b6"),
    (Rule::Standard, "04d0986a9df168af07d58634ffab0c8cba695fb164e96d94298e4317bf9af707"),
    (Rule::Renju, "9a4349b63f4195af7227b711e54a957973af226bd62938c3bfc99f9c67f61acb"),
    (Rule::Caro, "767c8788ff08cf4f6c9f4e4d65a7c9d3145090016c3b0540dc019bd5e01a6454"),
    (Rule::CaroExact, "6e31927ac7a9d7f7a6881e6356a6037817f1057982997e6c379182b68fddc8fa"),
];

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble & 15)]);
    digest.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect()
}

#[test]
fn the_files_are_the_pinned_ones() {
    let found = PINS.map(|(rule, _)| (rule, hash(embedded_bytes(rule))));
    assert_eq!(found, PINS.map(|(rule, pin)| (rule, pin.to_owned())));
    let provenance = std::fs::read_to_string("src/eval/network/weights/README.md").unwrap();
    for (rule, pin) in PINS {
        assert!(provenance.contains(pin), "{}: the hash is not in weights/README.md", rule.name());
    }
    assert!(PINS.iter().map(|(rule, _)| embedded_bytes(*rule).len()).sum::<usize>() <= 4_000_000);
}

#[test]
fn each_is_a_network_for_its_rule_and_is_read_quickly() {
    for rule in Rule::ALL {
        let bytes = embedded_bytes(rule);
        let weights = Weights::parse(bytes).unwrap();
        let network = Network::embedded(rule);
        // A busy machine may take the processor away; not every time.
        let is_quick = |_| {
            let begun = Instant::now();
            Weights::parse(bytes).unwrap();
            begun.elapsed() < READING
        };
        assert!((0..20).any(is_quick), "{}: never read within {READING:?}", rule.name());
        assert_eq!((weights.rule, network.rule()), (rule, rule));
        assert_eq!(weights.heads.len(), if rule == Rule::Renju { 2 * STAGES } else { STAGES });
    }
}

#[test]
fn a_threat_is_worth_more_than_none_and_the_reference_says_the_same() {
    let size = Size::square(15).unwrap();
    for (rule, _) in PINS {
        let weights = Weights::parse(embedded_bytes(rule)).unwrap();
        let network = Network::embedded(rule);
        // Black to move. First black has an open three, then the third stone stands apart.
        let logits = ["h8a1i8a3j8a5", "h8a1i8a3m2a5"].map(|moves| {
            let mut board = Board::new(rule, size);
            for point in parse_moves(moves, size).unwrap() {
                board.play(point, &mut NullObserver);
            }
            let logit =
                Accumulator::new(network.clone(), &board, Kernel::best()).logit(&board, reference::parts(&board));
            assert_eq!(logit, reference::logit(&network, &weights, &board));
            logit
        });
        assert!(logits[0] > logits[1], "{}: {logits:?}", rule.name());
    }
}
