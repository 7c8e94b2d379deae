//! How far an analysis is.

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on the error stream; nothing where that is no terminal.
///
/// # Errors
/// Never in practice: the template is a good one.
pub fn bar(positions: usize) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta}")?;
    Ok(ProgressBar::new(positions as u64).with_style(style))
}
