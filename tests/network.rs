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
    (Rule::Freestyle, "c65a6390bc928bd3d8812f15fb778842f5cf27fa16a2db089ddfb2a3ccf1c54e"),
    (Rule::Standard, "3225480353f056279fa186a1df099fa7c936b1f16e54a8f1ad7784a898ed7d75"),
    (Rule::Renju, "5591c08eded9008191069834d1a8916265689738c52092224105da583aee54e8"),
    (Rule::Caro, "d1c732f51f152e75a7659d59e56faaaf88a64caf836778796994ad84a2092f61"),
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
