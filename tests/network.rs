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
    (Rule::Freestyle, "8ed56bb0a1198d625d61bedeb09d0da235205a70b9560ee94d040549a684f78d"),
    (Rule::Standard, "018aa88f0538c50b0bee86982ce2f5cc664f558001f8e525bf7045caf398e14d"),
    (Rule::Renju, "200abacf51f9eb6c1969ddea292afd02774d1d7a4d8a16e612916429ea6433de"),
    (Rule::Caro, "d32aebef8b83663fb4aa925ac3a9c4ff8fe13279d94a1de6e8bdbffc39727aed"),
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
