//! The networks that ship, one for each rule.

use super::{Network, Weights};
use crate::base::Rule;
use std::sync::{Arc, OnceLock};

/// Number of rules.
const RULES: usize = Rule::ALL.len();

/// The file of each rule's network. A static: the compiler may copy a constant into each crate that uses it, and the page for
/// browsers then had every file twice.
static FILES: [&[u8]; RULES] = [
    include_bytes!("weights/freestyle.tnn"),
    include_bytes!("weights/standard.tnn"),
    include_bytes!("weights/renju.tnn"),
    include_bytes!("weights/caro.tnn"),
    include_bytes!("weights/caro-exact.tnn"),
];

/// The file of a rule's network. `weights/README.md` says how it was trained.
pub fn embedded_file(rule: Rule) -> &'static [u8] {
    FILES[rule.index()]
}

impl Network {
    /// The network of the program for a rule, or the [`replacement`] for it.
    pub fn embedded(rule: Rule) -> Arc<Network> {
        static NETWORKS: [OnceLock<Arc<Network>>; RULES] = [const { OnceLock::new() }; RULES];
        let network = NETWORKS[rule.index()].get_or_init(|| {
            if let Ok(Some(weights)) = replacement()
                && weights.rule == rule
            {
                return Arc::new(Network::new(&weights));
            }
            let weights =
                Weights::parse(embedded_file(rule)).expect("the embedded networks are valid; a test reads them");
            Arc::new(Network::new(&weights))
        });
        Arc::clone(network)
    }
}

/// The network in the file that the environment variable `TENGEN_NETWORK` names. In builds for tuning it replaces the embedded
/// network of its rule; all others ignore the variable. Programs check it at the start, so that no match is played with the
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
