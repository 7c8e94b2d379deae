//! The networks that ship, and which of them plays on a board.

use super::{Network, Weights};
use crate::base::{Rule, Size};
use std::sync::{Arc, OnceLock};

/// Boards with a shorter side have another network under freestyle: that of the larger ones loses 30 Elo on 10x10.
const SHORTEST_SIDE: usize = 15;

/// A network that ships. `weights/README.md` says how it was trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embedded {
    /// Freestyle, except on small boards.
    Freestyle,
    /// Freestyle on small boards.
    FreestyleSmall,
    /// Standard.
    Standard,
    /// Renju.
    Renju,
    /// Caro.
    Caro,
    /// Caro-exact.
    CaroExact,
}

/// The rule and the file of each network, in the order of [`Embedded`]. A static: the compiler may copy a constant into each crate that uses it, and the page
/// for browsers then had every file twice.
static FILES: [(Rule, &[u8]); Embedded::ALL.len()] = [
    (Rule::Freestyle, include_bytes!("weights/freestyle.tnn")),
    (Rule::Freestyle, include_bytes!("weights/freestyle-small.tnn")),
    (Rule::Standard, include_bytes!("weights/standard.tnn")),
    (Rule::Renju, include_bytes!("weights/renju.tnn")),
    (Rule::Caro, include_bytes!("weights/caro.tnn")),
    (Rule::CaroExact, include_bytes!("weights/caro-exact.tnn")),
];

impl Embedded {
    /// Every network.
    pub const ALL: [Embedded; 6] = [
        Embedded::Freestyle,
        Embedded::FreestyleSmall,
        Embedded::Standard,
        Embedded::Renju,
        Embedded::Caro,
        Embedded::CaroExact,
    ];

    /// The network for a rule and a board.
    pub fn of(rule: Rule, size: Size) -> Embedded {
        match rule {
            Rule::Freestyle if size.width().min(size.height()) < SHORTEST_SIDE => Embedded::FreestyleSmall,
            Rule::Freestyle => Embedded::Freestyle,
            Rule::Standard => Embedded::Standard,
            Rule::Renju => Embedded::Renju,
            Rule::Caro => Embedded::Caro,
            Rule::CaroExact => Embedded::CaroExact,
        }
    }

    /// The network for a rule on most boards.
    pub fn main(rule: Rule) -> Embedded {
        Embedded::of(rule, Size::square(SHORTEST_SIDE).expect("a board may have this side"))
    }

    /// Its rule.
    pub fn rule(self) -> Rule {
        FILES[self as usize].0
    }

    /// Its file.
    pub fn bytes(self) -> &'static [u8] {
        FILES[self as usize].1
    }

    /// The network itself, or the [`replacement`] for its rule.
    pub fn network(self) -> Arc<Network> {
        static NETWORKS: [OnceLock<Arc<Network>>; Embedded::ALL.len()] =
            [const { OnceLock::new() }; Embedded::ALL.len()];
        let network = NETWORKS[self as usize].get_or_init(|| {
            if let Ok(Some(weights)) = replacement()
                && weights.rule == self.rule()
            {
                return Arc::new(Network::new(&weights));
            }
            let weights = Weights::parse(self.bytes()).expect("the embedded networks are valid; a test reads them");
            Arc::new(Network::new(&weights))
        });
        Arc::clone(network)
    }
}

/// The network in the file that the environment variable `TENGEN_NETWORK` names. In builds for tuning it replaces the embedded
/// networks of its rule; all others ignore the variable. Programs check it at the start, so that no match is played with the
/// embedded network by mistake.
///
/// # Errors
/// When the file cannot be read, or is not a network.
pub fn replacement() -> Result<Option<Weights>, String> {
    if !cfg!(feature = "tune") {
        return Ok(None);
    }
    let Some(path) = std::env::var_os("TENGEN_NETWORK").map(std::path::PathBuf::from) else { return Ok(None) };
    let message = |error: &dyn std::error::Error| format!("TENGEN_NETWORK={}: {error}", path.display());
    let bytes = std::fs::read(&path).map_err(|error| message(&error))?;
    Weights::parse(&bytes).map(Some).map_err(|error| message(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_network_is_that_of_its_rule_and_boards() {
        for (number, embedded) in Embedded::ALL.into_iter().enumerate() {
            assert_eq!(embedded as usize, number);
        }
        let size = |width, height| Size::new(width, height).unwrap();
        for rule in Rule::ALL {
            for size in [size(22, 22), size(20, 15), size(15, 15), size(14, 22), size(5, 5)] {
                let embedded = Embedded::of(rule, size);
                assert_eq!(embedded.rule(), rule);
                let is_small = rule == Rule::Freestyle && size.width() < 15;
                assert_eq!(embedded == Embedded::FreestyleSmall, is_small, "{rule:?} {size:?}");
            }
        }
    }
}
