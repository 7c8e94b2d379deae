//! The networks that come with the program: exactly those that are told of beside them, and sound.

#![allow(missing_docs, clippy::unwrap_used)]

use sha2::{Digest, Sha256};
use std::time::Instant;
use tengen::base::{Rule, Size};
use tengen::board::notation::parse_moves;
use tengen::board::{Board, NullObserver};
use tengen::eval::EvaluatorKind;
use tengen::eval::network::{Accumulator, Kernel, Network, Weights, definition, embedded_bytes};

/// SHA-256 of each file.
const PINS: [(Rule, &str); 4] = [
    (Rule::Freestyle, "b326ecb102265951316d759862f691e4d04bb37b1e3a2d6438d9dbb4e72a648b"),
    (Rule::Standard, "e87c55d52b721924b556d10a2eb19c5515492102dfe8600bcc6d3d18ebeb74c8"),
    (Rule::Renju, "0f5c4bafdf8ae98ffa1e0f14e36419e4cd4cc909d08c4d2e5d327bd99045541d"),
    (Rule::Caro, "c9949865e55e4b446b0d1eef068f889797469679ced5b56468c1ff7aec5c47fa"),
];

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble & 15)]);
    digest.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect()
}

#[test]
fn the_files_are_the_pinned_ones() {
    let found = PINS.map(|(rule, _)| (rule, hash(embedded_bytes(rule).unwrap())));
    assert_eq!(found, PINS.map(|(rule, pin)| (rule, pin.to_owned())));
    let provenance = std::fs::read_to_string("src/eval/network/weights/README.md").unwrap();
    for (rule, pin) in PINS {
        assert!(provenance.contains(pin), "{}: the hash is not in weights/README.md", rule.name());
    }
    assert!(PINS.iter().map(|(rule, _)| embedded_bytes(*rule).unwrap().len()).sum::<usize>() <= 4_000_000);
}

#[test]
fn each_is_a_network_for_its_rule_and_quickly_read() {
    for rule in Rule::ALL {
        let Some(bytes) = embedded_bytes(rule) else {
            assert_eq!(EvaluatorKind::best(rule), EvaluatorKind::Classical, "there is no network for it");
            continue;
        };
        let begun = Instant::now();
        let weights = Weights::parse(bytes).unwrap();
        let network = Network::embedded(rule).unwrap();
        assert!(begun.elapsed().as_millis() < 500, "{:?}", begun.elapsed());
        assert_eq!((weights.rule, network.rule()), (rule, rule));
        assert_eq!(weights.heads.len(), if rule == Rule::Renju { 2 } else { 1 });
    }
}

#[test]
fn they_find_a_threat_better_than_none_and_compute_what_the_definition_says() {
    let size = Size::square(15).unwrap();
    for (rule, _) in PINS {
        let weights = Weights::parse(embedded_bytes(rule).unwrap()).unwrap();
        let network = Network::embedded(rule).unwrap();
        // Black has an open three and the move; in the other position black's third stone stands apart.
        let logits = ["h8a1i8a3j8a5", "h8a1i8a3m2a5"].map(|moves| {
            let mut board = Board::new(rule, size);
            for point in parse_moves(moves, size).unwrap() {
                board.play(point, &mut NullObserver);
            }
            let logit = Accumulator::new(network.clone(), &board, Kernel::best()).logit(&board);
            assert_eq!(logit, definition::logit(&network, &weights, &board));
            logit
        });
        assert!(logits[0] > logits[1], "{}: {logits:?}", rule.name());
    }
}
