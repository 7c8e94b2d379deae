//! The networks that come with the program: their hashes are the pinned ones, each is for its rule, and the fast code
//! computes what the reference implementation computes.

use hmac_sha256::Hash;
use std::time::{Duration, Instant};
use tengen::base::{Rule, Size};
use tengen::board::notation::parse_moves;
use tengen::board::{Board, NullObserver};
use tengen::eval::network::architecture::STAGES;
use tengen::eval::network::{Accumulator, Kernel, Network, Weights, embedded_file, reference};

/// How long one network may take to be read; START has to be answered within 150 ms.
const READING: Duration = Duration::from_millis(100);

/// SHA-256 of each file.
const PINS: [(Rule, &str); 5] = [
    (Rule::Freestyle, "dfb0df5033ac217fb4811b95e9c03ab99a79c669038026a0001c51abfbe76ba9"),
    (Rule::Standard, "96645410066f89e8cd367f77cfae2238aed7e23bf3dabcde59ef37da2be6daae"),
    (Rule::Renju, "f2b9c3f5b1bb8660291465e6a0eb9f65be5c6c8a15355fb1416149ee11f0225e"),
    (Rule::Caro, "a1f765ffc5d614317099a5faba23cdbefe70677031f8dd64b4d56f293539b522"),
    (Rule::CaroExact, "8ca277b082d76ceae0ed362e9a66327d2e6f89ee6bcddc10a496971b00a6bd88"),
];

#[test]
fn the_files_are_the_pinned_ones() {
    let found = Rule::ALL.map(|rule| {
        let hash = Hash::hash(embedded_file(rule));
        (rule, hash.map(|byte| format!("{byte:02x}")).concat())
    });
    assert_eq!(found, PINS.map(|(rule, pin)| (rule, pin.to_owned())));
    let provenance = std::fs::read_to_string("src/eval/network/weights/README.md").unwrap();
    for (rule, pin) in PINS {
        assert!(provenance.contains(pin), "{rule:?}: the hash is not in weights/README.md");
    }
    assert!(Rule::ALL.iter().map(|&rule| embedded_file(rule).len()).sum::<usize>() <= 20_000_000);
}

#[test]
fn each_is_a_network_for_its_rule_and_is_read_quickly() {
    for rule in Rule::ALL {
        let (bytes, network) = (embedded_file(rule), Network::embedded(rule));
        let weights = Weights::parse(bytes).unwrap();
        // A busy machine may take the processor away; not every time.
        let is_quick = |_| {
            let begun = Instant::now();
            Weights::parse(bytes).unwrap();
            begun.elapsed() < READING
        };
        assert!((0..20).any(is_quick), "{rule:?}: never read within {READING:?}");
        assert_eq!((weights.rule, network.rule()), (rule, rule));
        assert_eq!(weights.heads.len(), if rule == Rule::Renju { 2 * STAGES } else { STAGES });
    }
}

#[test]
fn a_threat_is_worth_more_than_none_and_the_reference_says_the_same() {
    let size = Size::square(15).unwrap();
    for rule in Rule::ALL {
        let (network, weights) = (Network::embedded(rule), Weights::parse(embedded_file(rule)).unwrap());
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
        assert!(logits[0] > logits[1], "{rule:?}: {logits:?}");
    }
}
