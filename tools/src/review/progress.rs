//! The progress bar of an analysis.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on the error stream; nothing where that is no terminal.
pub fn bar(positions: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta}");
    ProgressBar::new(positions as u64).with_style(style.expect("the template is valid"))
}
