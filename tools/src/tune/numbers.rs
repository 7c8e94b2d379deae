//! The tunable numbers of `src/search/params.rs` as the tuners use them: parsing, setting, checksums of the opening books.

use crate::arena::ground::Ground;
use crate::arena::openings::Opening;
use anyhow::{Context, Result, ensure};
use tengen::base::Rule;
use tengen::base::hash::Checksum;
use tengen::engine::Engine;
use tengen::search::ParamTable;
use tengen::search::params::{Param, ROWS, find};

/// Checks that this build has numbers that can be set.
///
/// # Errors
/// When it has not.
pub fn ensure_tunable() -> Result<()> {
    ensure!(ParamTable::IS_TUNABLE, "the numbers of this build are fixed; build it with --features tune");
    Ok(())
}

/// The row of a number, and its value as shipped: `None` if the name is without a rule and the rules have different values.
///
/// # Errors
/// When there is no such tunable.
pub fn shipped(name: &str) -> Result<(&'static Param, Option<i32>)> {
    let (row, column) = find(name).with_context(|| format!("unknown number: {name}"))?;
    let row = &ROWS[row];
    let value = row.values[column.unwrap_or(0)];
    let is_one = column.is_some() || row.values.iter().all(|&other| other == value);
    Ok((row, is_one.then_some(value)))
}

/// Reads `name=value`.
///
/// # Errors
/// When it is not of this form.
pub fn parse_value(text: &str) -> Result<(String, i64)> {
    let (name, value) = text.split_once('=').with_context(|| format!("'{text}' is not NAME=VALUE"))?;
    Ok((name.to_owned(), value.parse().with_context(|| format!("{text}: not a number"))?))
}

/// Whether a number, `name` or `name.rule`, is used in games on a ground, which begins with its rule.
pub fn matters_on(name: &str, ground: &str) -> bool {
    let rule = ground.split(':').next().and_then(|rule| rule.parse::<Rule>().ok());
    let is_used = |rule: Rule| find(name).is_some_and(|(_, column)| column.is_none_or(|column| column == rule.index()));
    rule.is_none_or(is_used)
}

/// Whether setting one of these numbers sets the other, too.
pub fn overlap(one: &str, other: &str) -> bool {
    let is_one = |(one, other): ((usize, Option<usize>), (usize, Option<usize>))| {
        one.0 == other.0 && (one.1.is_none() || other.1.is_none() || one.1 == other.1)
    };
    find(one).zip(find(other)).is_some_and(is_one)
}

/// Sets these numbers of an engine.
///
/// # Errors
/// When a number cannot be set.
pub fn set_all(engine: &mut Engine, values: &[(String, i64)]) -> Result<()> {
    values.iter().try_for_each(|(name, value)| engine.params_mut().set(name, *value).with_context(|| name.clone()))
}

/// A checksum of the openings of a ground.
pub fn book_checksum(ground: &Ground) -> u64 {
    let text: Vec<String> = ground.openings.iter().map(Opening::text).collect();
    Checksum::of(text.join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_overlaps_with_that_of_each_rule() {
        assert!(overlap("iir", "IIR") && overlap("iir", "iir.renju") && overlap("iir.renju", "iir"));
        assert!(!overlap("iir.caro", "iir.renju") && !overlap("iir", "rfp_slope"));
        assert!(matters_on("iir", "8:15:book") && matters_on("iir.caro", "8:15:book"));
        assert!(!matters_on("iir.caro", "4:15:book") && !matters_on("iir.caro", "renju:15:book"));
    }

    #[test]
    fn values_are_read() {
        assert_eq!(parse_value("time_moves=30").unwrap(), ("time_moves".to_owned(), 30));
        assert!(parse_value("time_moves").is_err() && parse_value("time_moves=x").is_err());
    }
}
