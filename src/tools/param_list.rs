//! `params`: lists the tunable numbers of the search.

use crate::search::params::{COLUMN_NAMES, Param, ROWS};
use std::io::Write;

/// The names by which a row can be set, with the shipped values: one, or one for each rule.
pub fn settable(row: &Param) -> Vec<(String, i32)> {
    if row.per_rule {
        let names = COLUMN_NAMES.iter().map(|rule| format!("{}.{rule}", row.name));
        names.zip(row.values).collect()
    } else {
        vec![(row.name.to_owned(), row.values[0])]
    }
}

/// Prints a line for each: name, value, smallest and largest plausible value, meaning.
///
/// # Errors
/// When `out` cannot be written.
pub fn list(out: &mut dyn Write) -> std::io::Result<()> {
    for row in ROWS {
        for (name, value) in settable(row) {
            writeln!(out, "{name:24} {value:>6} {:>6} {:>6}  {}", row.min, row.max, row.meaning)?;
        }
    }
    Ok(())
}
