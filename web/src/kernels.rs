//! A check that the network's loops compute the same with every instruction set of this build.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tengen::board::{Board, NullObserver};
use tengen::eval::network::{Accumulator, Kernel, Network, Weights, embedded_file, reference};
use tengen::tools::bench;

/// Compares the estimates of all kernels with the reference implementation, before each move of the bench positions; returns
/// the names of the kernels and how many estimates were compared.
///
/// # Errors
/// When two differ.
pub fn check() -> Result<Value> {
    let (kernels, mut compared) = (Kernel::usable(), 0);
    for position in &bench::POSITIONS {
        let engine = bench::engine_at(position, 1);
        let (network, weights) = (Network::embedded(position.rule), Weights::parse(embedded_file(position.rule))?);
        for &kernel in &kernels {
            let mut board = Board::new(position.rule, engine.size());
            let mut accumulator = Accumulator::new(network.clone(), &board, kernel);
            for &(point, _) in engine.stones() {
                accumulator.played(point, board.side());
                board.play(point, &mut NullObserver);
                let logit = accumulator.logit(&board, reference::parts(&board));
                ensure!(logit == reference::logit(&network, &weights, &board), "{kernel:?} differs");
                compared += 1;
            }
        }
    }
    Ok(
        json!({ "kernels": kernels.iter().map(|kernel| format!("{kernel:?}")).collect::<Vec<_>>(), "compared": compared }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_compute_the_same() {
        assert!(check().unwrap()["compared"].as_u64().unwrap() > 200);
    }
}
