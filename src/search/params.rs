//! Every tunable number of the search, in one table. Floor 3.
//!
//! A row is `name = value, range, meaning`, or `name = [freestyle, standard, renju, caro]` where the rules want different
//! values. Code reads `params.name()`, whichever it is: [`Params`] belongs to one rule.
//!
//! In the brain as shipped these functions return constants. With the cargo feature `tune` they read fields, which a
//! [`ParamTable`] fills: each engine has its own, so that two engines in one process may play with different values.

use crate::base::Rule;
use std::fmt;

/// Number of values of a tunable that is different from rule to rule.
pub const COLUMNS: usize = 4;

/// Names of those values, as in `rfp_slope.renju`.
pub const COLUMN_NAMES: [&str; COLUMNS] = ["freestyle", "standard", "renju", "caro"];

/// The column of a rule.
pub const fn column_of(rule: Rule) -> usize {
    match rule {
        Rule::Freestyle => 0,
        Rule::Standard => 1,
        Rule::Renju => 2,
        Rule::Caro | Rule::CaroExact => 3,
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name as used in code.
    pub name: &'static str,
    /// Values in the brain as shipped, by column.
    pub values: [i32; COLUMNS],
    /// Whether the columns are values of their own, to be set and tuned one by one.
    pub per_rule: bool,
    /// Smallest plausible value.
    pub min: i32,
    /// Largest plausible value.
    pub max: i32,
    /// What it does.
    pub meaning: &'static str,
}

/// Why a tunable was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// This build has the numbers compiled in.
    Fixed,
    /// There is no such tunable.
    Unknown,
    /// The value is not plausible; these are the bounds.
    Range(i32, i32),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Fixed => f.write_str("this build has its tunables compiled in; build it with --features tune"),
            ParamError::Unknown => f.write_str("no such tunable"),
            ParamError::Range(min, max) => write!(f, "the tunable's range is {min} to {max}"),
        }
    }
}

impl std::error::Error for ParamError {}

/// Where a tunable that is typed as `name` or `name.rule` stands: its row, and the column if one was named.
pub fn find(name: &str) -> Option<(usize, Option<usize>)> {
    let (name, column) = match name.split_once('.') {
        Some((name, rule)) => (name, Some(COLUMN_NAMES.iter().position(|column| column.eq_ignore_ascii_case(rule))?)),
        None => (name, None),
    };
    let row = ROWS.iter().position(|param| param.name.eq_ignore_ascii_case(name))?;
    (column.is_none() || ROWS[row].per_rule).then_some((row, column))
}

/// The values of a row as written in the table, for all columns.
macro_rules! columns {
    ([$freestyle:expr, $standard:expr, $renju:expr, $caro:expr]) => {
        [$freestyle, $standard, $renju, $caro]
    };
    ($value:expr) => {
        [$value; COLUMNS]
    };
}

/// Whether a row has a value for each rule.
macro_rules! is_per_rule {
    ([$($value:expr),*]) => {
        true
    };
    ($value:expr) => {
        false
    };
}

/// The value of a row in a column; a literal where there is only one.
#[cfg(not(feature = "tune"))]
macro_rules! pick {
    ([$($value:expr),*], $column:expr) => {{
        const VALUES: [i32; COLUMNS] = [$($value),*];
        VALUES[$column % COLUMNS]
    }};
    ($value:expr, $column:expr) => {
        $value
    };
}

macro_rules! params {
    ($($name:ident = $value:tt, $min:literal..=$max:literal, $meaning:literal;)*) => {
        /// The table, for tools and tests.
        pub const ROWS: &[Param] = &[$(Param {
            name: stringify!($name),
            values: columns!($value),
            per_rule: is_per_rule!($value),
            min: $min,
            max: $max,
            meaning: $meaning,
        }),*];

        /// The values for one rule.
        #[cfg(not(feature = "tune"))]
        #[derive(Clone, Copy, Debug)]
        pub struct Params {
            column: usize,
        }

        #[cfg(not(feature = "tune"))]
        impl Params {
            $(#[doc = $meaning]
            #[inline(always)]
            pub const fn $name(&self) -> i32 {
                pick!($value, self.column)
            })*
        }

        /// The values for one rule.
        #[cfg(feature = "tune")]
        #[derive(Clone, Copy, Debug)]
        pub struct Params {
            $($name: i32),*
        }

        #[cfg(feature = "tune")]
        impl Params {
            $(#[doc = $meaning]
            #[inline(always)]
            pub const fn $name(&self) -> i32 {
                self.$name
            })*
        }

        #[cfg(feature = "tune")]
        impl ParamTable {
            /// The values for a rule.
            pub fn for_rule(&self, rule: Rule) -> Params {
                let column = column_of(rule);
                let mut values = self.values.iter().map(|row| row[column]);
                Params { $($name: values.next().expect("a value for every row")),* }
            }
        }
    };
}

params! {
    aspiration_depth = 5, 3..=10, "first iteration searched with a narrow window";
    aspiration_window = 20, 8..=60, "half width of that window";
    aspiration_open = 3000, 500..=6000, "scores beyond this get an open window";
    lazy_margin = 150, 0..=1000, "the network is skipped where the classical score is this far outside the window";
    history_limit = 10700, 4000..=16000, "bound of a history entry";
    history_square = 25, 5..=60, "history bonus: share of the squared depth";
    history_linear = 105, 0..=300, "history bonus: share of the depth";
    history_offset = 157, 0..=400, "history bonus: what is taken off";
    history_cap = 8900, 1000..=10000, "largest history bonus";
    history_divisor = 110, 32..=512, "history units that weigh as much as one unit of move score";
    rfp_depth = 8, 4..=14, "deepest reverse futility, in plies";
    rfp_slope = [51, 51, 51, 51], 20..=140, "reverse futility margin per ply";
    razor_depth = 2, 1..=4, "deepest razoring, in plies";
    razor_base = 56, 0..=120, "razoring margin";
    razor_slope = 2, 0..=120, "razoring margin per ply";
    fail_high = 64, 0..=160, "reduction of nodes likely to fail high, in 1/64 plies";
    fail_high_depth = 4, 2..=20, "least depth of such a node, in plies";
    fail_high_slope = 15, 0..=100, "by how much more than beta the node must be worth, per ply";
    lmp_base = [4, 4, 4, 4], 2..=10, "moves of a free node that are always tried";
    lmp_slope = [48, 48, 48, 48], 16..=256, "further moves per squared ply, in 1/64";
    lmr_factor = [52, 52, 52, 52], 40..=130, "late-move reduction in hundredths of ln(depth) * ln(index)";
    lmr_lag = 28, 0..=80, "reduction, in 1/64 plies, for 64 units that a move looks worse than the best one";
    lmr_lag_free = 84, -40..=200, "units that cost nothing";
    lmr_pv = 41, 0..=160, "reduction taken off in PV nodes, in 1/64 plies";
    lmr_worsening = 50, 0..=128, "reduction added where things do not improve, in 1/64 plies";
    lmr_after_alpha = 13, 0..=128, "reduction added once a move has raised alpha, in 1/64 plies";
    lmr_forced = 35, 0..=100, "share of the reduction that replies to an open three get, in 64ths";
    lmr_offset = 13, -64..=64, "late-move reduction: constant part in 1/64 plies";
    lmr_history = 8200, 3000..=30000, "history that takes off one ply of reduction";
    lmr_root_scale = 88, 20..=140, "share of it that late moves at the root get, in 64ths";
    lmr_root = 3, 1..=250, "moves at the root that are always searched to the whole depth";
    vcf_delta = 768, 300..=3000, "quiescence gives up fours when even this much would not reach alpha";
    time_moves = 20, 12..=40, "moves that a game's clock is spread over";
    time_fewest_moves = 7, 3..=12, "moves that it must last for in any case";
    time_begin = 60, 30..=100, "hundredths of a move's time after which no iteration is begun";
    time_unsteady = 600, 0..=2000, "thousandths of time added when the best move has just changed";
    time_steady = 30, 0..=60, "thousandths taken off for each iteration that it has stayed";
    time_falling = 4, 0..=12, "thousandths added for each unit that its score has fallen";
    time_effort = 1000, 0..=2500, "thousandths added by the nodes of an iteration that went to other moves";
    time_decided = 600, 200..=1000, "thousandths of a move's time when the game is as good as decided";
}

#[cfg(not(feature = "tune"))]
impl Params {
    /// The values for a rule, as shipped.
    pub const fn shipped(rule: Rule) -> Params {
        Params { column: column_of(rule) }
    }
}

#[cfg(feature = "tune")]
impl Params {
    /// The values for a rule, as shipped.
    pub fn shipped(rule: Rule) -> Params {
        ParamTable::default().for_rule(rule)
    }
}

/// The values of one engine, for all rules. As shipped, there is nothing to keep.
#[cfg(not(feature = "tune"))]
#[derive(Clone, Debug, Default)]
pub struct ParamTable(());

#[cfg(not(feature = "tune"))]
impl ParamTable {
    /// Whether values can be set.
    pub const IS_TUNABLE: bool = false;

    /// The values for a rule.
    pub fn for_rule(&self, rule: Rule) -> Params {
        Params::shipped(rule)
    }

    /// Refuses: the values are compiled in.
    ///
    /// # Errors
    /// Always.
    pub fn set(&mut self, _name: &str, _value: i64) -> Result<(), ParamError> {
        Err(ParamError::Fixed)
    }
}

/// The values of one engine, for all rules.
#[cfg(feature = "tune")]
#[derive(Clone, Debug)]
pub struct ParamTable {
    /// By row and column.
    values: Vec<[i32; COLUMNS]>,
}

#[cfg(feature = "tune")]
impl ParamTable {
    /// Whether values can be set.
    pub const IS_TUNABLE: bool = true;

    /// Sets a tunable: `name` for all rules, `name.rule` for one.
    ///
    /// # Errors
    /// When there is no such tunable, or the value is not in its range; nothing changes then.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), ParamError> {
        let (row, column) = find(name).ok_or(ParamError::Unknown)?;
        let Param { min, max, .. } = ROWS[row];
        let value = i32::try_from(value).ok().filter(|value| (min..=max).contains(value));
        let value = value.ok_or(ParamError::Range(min, max))?;
        match column {
            Some(column) => self.values[row][column] = value,
            None => self.values[row] = [value; COLUMNS],
        }
        Ok(())
    }
}

#[cfg(feature = "tune")]
impl Default for ParamTable {
    fn default() -> ParamTable {
        ParamTable { values: ROWS.iter().map(|row| row.values).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_within_its_range() {
        for row in ROWS {
            assert!(row.values.iter().all(|value| (row.min..=row.max).contains(value)), "{}", row.name);
            assert!(row.per_rule || row.values.iter().all(|&value| value == row.values[0]), "{}", row.name);
        }
    }

    #[test]
    fn names_are_found_with_and_without_a_rule() {
        assert_eq!(find("aspiration_window"), Some((1, None)));
        assert_eq!(find("ASPIRATION_WINDOW"), Some((1, None)));
        let slope = ROWS.iter().position(|row| row.name == "rfp_slope").unwrap();
        assert_eq!(find("rfp_slope.caro"), Some((slope, Some(3))));
        for wrong in ["", "nosuch", "rfp_slope.", "rfp_slope.go", "aspiration_window.renju"] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn each_rule_reads_its_own_column() {
        let slope = ROWS.iter().find(|row| row.name == "rfp_slope").unwrap();
        for rule in Rule::ALL {
            assert_eq!(Params::shipped(rule).rfp_slope(), slope.values[column_of(rule)]);
        }
    }

    #[test]
    #[cfg(not(feature = "tune"))]
    fn nothing_can_be_set_as_shipped() {
        assert_eq!(ParamTable::default().set("rfp_slope", 50), Err(ParamError::Fixed));
    }

    #[test]
    #[cfg(feature = "tune")]
    fn values_are_set_for_one_rule_or_all_and_only_within_range() {
        let mut table = ParamTable::default();
        assert_eq!(table.set("rfp_slope", 50), Ok(()));
        assert_eq!(table.set("rfp_slope.renju", 70), Ok(()));
        assert_eq!(table.set("rfp_slope", 1000), Err(ParamError::Range(20, 140)));
        assert_eq!(table.set("rfp_slope", i64::MIN), Err(ParamError::Range(20, 140)));
        assert_eq!(table.set("nosuch", 50), Err(ParamError::Unknown));
        assert_eq!(table.for_rule(Rule::Renju).rfp_slope(), 70);
        assert_eq!(table.for_rule(Rule::CaroExact).rfp_slope(), 50);
    }
}
