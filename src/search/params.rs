//! The tunable numbers of the search in one table: every number that a match could show to be better.
//!
//! Other numbers stand beside their code: what protects against lateness and lack of memory (the time reserve, how often
//! the clock is read, how the table grows), what defines a depth or a small board, the replacement scheme of the table,
//! how histories and changes of the best move age, and the effort that a claim from a file is worth. The solvers have their
//! own.
//!
//! A row is `name = value, range, meaning`, or `name = [freestyle, standard, renju, caro, caro-exact], ...` where the
//! rules have different values. A negative value stands in parentheses. Code reads `params.name()` in either case: a
//! [`Params`] belongs to one rule.
//!
//! In the brain as shipped these functions return constants. With the cargo feature `tune` they read fields, which a
//! [`ParamTable`] fills: every engine has its own, so two engines in one process can play with different values, and
//! every number can be set for one rule.

use crate::base::Rule;
use std::fmt;

/// Number of values of a row: one for each rule, at its [`Rule::index`].
pub const COLUMNS: usize = Rule::ALL.len();

/// Names of the columns, as in `rfp_slope.renju`: those of the rules.
pub const COLUMN_NAMES: [&str; COLUMNS] = {
    let mut names = [""; COLUMNS];
    let mut column = 0;
    while column < COLUMNS {
        names[column] = Rule::ALL[column].name();
        column += 1;
    }
    names
};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name as used in code.
    pub name: &'static str,
    /// Values in the brain as shipped, by column.
    pub values: [i32; COLUMNS],
    /// Whether the row is written with a value for each rule.
    pub per_rule: bool,
    /// Smallest plausible value.
    pub min: i32,
    /// Largest plausible value.
    pub max: i32,
    /// What it does, with its unit.
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

/// Row of a tunable written as `name` or `name.rule`, and its column in the second case. Upper and lower case are the
/// same.
pub fn find(name: &str) -> Option<(usize, Option<usize>)> {
    let (name, column) = match name.split_once('.') {
        Some((name, rule)) => (name, Some(COLUMN_NAMES.iter().position(|column| column.eq_ignore_ascii_case(rule))?)),
        None => (name, None),
    };
    let row = ROWS.iter().position(|param| param.name.eq_ignore_ascii_case(name))?;
    Some((row, column))
}

/// The values of a row as written in the table, for all columns.
macro_rules! columns {
    ([$($value:expr),*]) => {
        [$($value),*]
    };
    (($negative:expr)) => {
        [$negative; COLUMNS]
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
    (($negative:expr), $column:expr) => {{
        let _ = $column;
        $negative
    }};
    ($value:expr, $column:expr) => {{
        let _ = $column;
        $value
    }};
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
                let column = rule.index();
                let mut values = self.values.iter().map(|row| row[column]);
                Params { $($name: values.next().expect("a value for every row")),* }
            }
        }
    };
}

params! {
    aspiration_depth = 5, 3..=10, "first iteration searched with a narrow window";
    aspiration_window = [20, 20, 20, 16, 20], 8..=60, "half width of the aspiration window";
    aspiration_growth = 50, 0..=200, "percent by which the aspiration window grows after each fail high or fail low";
    aspiration_step = 6, 0..=60, "units by which the aspiration window grows in addition to `aspiration_growth`";
    aspiration_open = 3000, 500..=6000, "scores beyond this get a full window";
    proof_iterations = 3, 0..=20, "iterations spent on shortening a proven win or lengthening a proven loss";
    only_move_iterations = 3, 0..=20, "iterations in which all moves but one lose, after which a search on the clock ends";
    vote_base = 15, 1..=200, "vote of a thread: units added to the score's distance from the lowest one";
    lazy_margin = 300, 0..=1000, "the network is skipped where the classical score is this far outside the window";
    history_limit = 10700, 4000..=16000, "bound of a history entry";
    history_square = [40, 40, 40, 49, 40], 5..=60, "history bonus: factor of the squared depth";
    history_linear = [105, 105, 105, 135, 105], 0..=300, "history bonus: factor of the depth";
    history_offset = [157, 157, 157, 49, 157], 0..=400, "history bonus: constant that is subtracted";
    history_cap = 8900, 1000..=10000, "largest history bonus";
    history_divisor = [105, 105, 105, 76, 105], 32..=512, "history units that count as one unit of the move score";
    history_threats = 40, 0..=256, "weight of the threat-pair history relative to the point history, in 64ths";
    history_last = [40, 40, 40, 22, 40], 0..=256, "weight of the continuation history of the last move, in 64ths";
    history_before_last = [34, 34, 34, 20, 34], 0..=256, "weight of the continuation history of the move before it, in 64ths";
    history_replies = 46, 0..=256, "weight of the reply history where a four is threatened, in 64ths";
    improving_margin = 1, -100..=100, "a position improves where its evaluation is this much better than two plies ago";
    rfp_depth = 8, 4..=14, "largest depth of reverse futility pruning, in plies";
    rfp_slope = [42, 42, 42, 32, 42], 20..=140, "reverse futility margin per ply";
    rfp_improving = 1, 0..=3, "plies less in the reverse futility margin where the position improves";
    razor_depth = 2, 1..=4, "largest depth of razoring, in plies";
    razor_base = [73, 73, 73, 85, 73], 0..=120, "razoring margin";
    razor_slope = 2, 0..=120, "razoring margin per ply";
    razor_forced = 150, 0..=1000, "razoring margin where an open four or a four with an open three is threatened";
    fail_high = [46, 46, 46, 61, 46], 0..=160, "reduction of nodes likely to fail high, in 1/64 plies";
    fail_high_depth = 4, 2..=20, "least depth of the fail-high reduction, in plies";
    fail_high_slope = [12, 12, 12, 17, 12], 0..=100, "fail-high reduction: margin above beta per ply";
    iir = 46, 0..=128, "internal iterative reduction of free nodes without a table move, in 1/64 plies";
    iir_depth = 4, 2..=20, "least depth of the internal iterative reduction, in plies";
    lmp_base = 4, 2..=10, "late-move pruning: moves of a free node that are always tried";
    lmp_slope = [24, 24, 24, 20, 24], 16..=256, "late-move pruning: further moves per squared ply, in 1/64";
    lmp_worsening = 62, 10..=100, "late-move pruning: percent of the move limit, plus one move, where the position does not improve";
    lmp_pv = [119, 119, 119, 179, 119], 64..=1024, "late-move pruning: move limit in PV nodes, in 64ths of that elsewhere";
    lmp_two_threats = 2, 0..=20, "late-move pruning: most moves that are tried beyond the limit, see `BeyondLimit`";
    lmp_two_threats_among = 8, 0..=64, "late-move pruning: how many moves beyond the limit are looked at for `lmp_two_threats`";
    lmp_two_threats_depth = 6, 0..=20, "late-move pruning: largest depth at which moves beyond the limit are tried, in plies";
    lmp_forced = 4, 2..=30, "late-move pruning: most replies to a threatened four that are tried near the horizon, outside the PV";
    lmp_forced_lag = 157, 0..=1000, "units below the best move score from which late replies to a threatened four are pruned, from the third on";
    lmp_forced_depth = 7, 0..=12, "largest depth at which late replies to a threatened four are pruned, in plies";
    bare_four_depth = 3, 0..=20, "largest depth, in whole plies, at which replies to a threatened four are pruned that only make a four, see `is_delay`";
    lmr_moves = 2, 1..=8, "moves of a node that are never reduced";
    lmr_depth = 2, 1..=6, "least depth of a node whose moves are reduced, in plies";
    lmr_factor = 63, 40..=130, "late-move reduction in hundredths of ln(depth) * ln(index)";
    lmr_lag = [24, 24, 24, 28, 24], 0..=80, "reduction, in 1/64 plies, for each 64 units by which a move score is below the best one";
    lmr_lag_free = [100, 100, 100, 125, 100], -40..=200, "units below the best move score that are not counted";
    lmr_lag_decrease = [128, 128, 128, 83, 128], 0..=256, "maximum reduction decrease from the move score, in 1/64 plies";
    lmr_lag_increase = [256, 256, 256, 154, 256], 0..=1024, "maximum reduction increase from the move score, in 1/64 plies";
    lmr_pv = [24, 24, 24, 34, 24], 0..=160, "reduction decrease in PV nodes, in 1/64 plies";
    lmr_was_pv = [32, 32, 32, 46, 32], 0..=128, "reduction decrease where the table remembers a PV node, in 1/64 plies";
    lmr_worsening = 48, 0..=128, "reduction increase where the position does not improve, in 1/64 plies";
    lmr_worsening_from = 32, 0..=256, "only reductions above this are increased by `lmr_worsening`, in 1/64 plies";
    lmr_after_alpha = [23, 23, 23, 33, 23], 0..=128, "reduction increase once a move has raised alpha, in 1/64 plies";
    lmr_forced = [46, 46, 46, 52, 46], 0..=100, "64ths of the reduction that late replies to a threat get";
    lmr_fours = [19, 19, 19, 15, 19], 0..=64, "64ths of the reduction that late fours get";
    lmr_helper = 76, 32..=128, "64ths of the reduction that late moves get in every other helper thread";
    lmr_offset = [-12, -12, -12, -3, -12], -64..=64, "late-move reduction: constant part in 1/64 plies";
    lmr_history = [12388, 12388, 12388, 17462, 12388], 3000..=30000, "history that lowers the reduction by one ply";
    lmr_root_scale = [73, 73, 73, 88, 73], 20..=140, "64ths of the reduction that late moves at the root get";
    lmr_root = 10, 1..=250, "moves at the root that are never reduced";
    lmr_root_depth = 3, 2..=10, "least iteration that reduces moves at the root";
    singular_depth = 5, 3..=12, "least depth of singular extensions, in plies";
    singular_lag = 3, 1..=6, "plies by which the table entry of a singular move may be shallower than the node";
    singular_margin = 74, 8..=400, "margin of a singular move per ply, in 1/64";
    singular_share = [34, 34, 34, 29, 34], 16..=56, "64ths of the depth to which the other moves are searched";
    singular_extension = 68, 16..=128, "extension of a singular move of the PV, in 1/64 plies";
    singular_cut_extension = 128, 16..=160, "extension of a singular move outside the PV, in 1/64 plies";
    singular_length = 8, 0..=128, "64ths of the iteration by which extensions may make a line longer";
    correction_weight = [66, 66, 66, 48, 66], 0..=192, "correction of the static evaluation by the threats, in 2048ths of its history";
    correction_stones = 48, 0..=192, "correction of the static evaluation by the stones around the last move, in 2048ths of its history";
    correction_error = 451, 50..=1000, "largest difference between score and evaluation that a correction learns from";
    correction_depth = 16, 4..=40, "largest depth that counts for what a correction learns, in plies";
    correction_rate = 2, 1..=8, "what a correction learns for each unit of error and ply of depth";
    correction_bonus = 1024, 128..=8192, "most that a correction learns from one search";
    vcf_delta = 999, 300..=3000, "delta margin of quiescence: where the evaluation plus this is below alpha, no fours are tried";
    quiescence_radius = 2, 0..=22, "quiescence continues with fours this close to the last one, in steps";
    quiescence_line = 4, 0..=22, "quiescence continues with fours this close to the last one on a common line, in steps";
    time_moves = 14, 8..=40, "moves that a game's clock is divided by";
    time_fewest_moves = 7, 3..=12, "moves that the clock must last for in any case";
    time_ample_moves = 12, 8..=112, "a clock that lasts for this many whole turns is not saved";
    time_begin = 60, 30..=100, "hundredths of a move's time after which no iteration begins";
    time_last_begin = 90, 50..=100, "hundredths of the time to the hard deadline after which no iteration begins";
    time_unsteady = 600, 0..=2000, "thousandths of time added when the best move has just changed";
    time_steady = 30, 0..=60, "thousandths of time less for each iteration without a change of the best move";
    time_steady_most = 10, 0..=30, "largest number of iterations without a change that are counted";
    time_falling = 4, 0..=12, "thousandths of time added for each unit that the score has fallen";
    time_falling_min = 600, 100..=1000, "least thousandths of time by the change of the score";
    time_falling_max = 1800, 1000..=4000, "most thousandths of time by the change of the score";
    time_effort = 1000, 0..=2500, "thousandths of time added when all nodes went to other moves than the best";
    time_effort_usual = 700, 0..=1000, "thousandths of the nodes that usually go to the best move";
    time_decided = 600, 200..=1000, "thousandths of a move's time when the game is nearly decided";
    time_decided_score = 1500, 500..=6000, "scores from which the game counts as nearly decided";
    time_shortest = 250, 50..=1000, "least thousandths of its share of the clock that a move gets";
    time_longest = 3000, 1000..=6000, "most thousandths of its share of the clock that a move gets";
}

#[cfg(not(feature = "tune"))]
impl Params {
    /// The values for a rule, as shipped.
    pub const fn shipped(rule: Rule) -> Params {
        Params { column: rule.index() }
    }
}

#[cfg(feature = "tune")]
impl Params {
    /// The values for a rule, as shipped.
    pub fn shipped(rule: Rule) -> Params {
        ParamTable::default().for_rule(rule)
    }
}

/// The values of one engine, for all rules. As shipped they are constants, and these the same.
#[derive(Clone, Debug)]
pub struct ParamTable {
    /// By row and column.
    values: Vec<[i32; COLUMNS]>,
}

impl ParamTable {
    /// Whether values can be set.
    pub const IS_TUNABLE: bool = cfg!(feature = "tune");

    /// The values for a rule.
    #[cfg(not(feature = "tune"))]
    pub fn for_rule(&self, rule: Rule) -> Params {
        Params::shipped(rule)
    }

    /// Sets a tunable: `name` for all rules, `name.rule` for one.
    ///
    /// # Errors
    /// When the values are compiled in, there is no such tunable, or the value is not in its range; nothing changes then.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), ParamError> {
        if !ParamTable::IS_TUNABLE {
            return Err(ParamError::Fixed);
        }
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
        let slope = ROWS.iter().position(|row| row.name == "rfp_slope").unwrap();
        assert_eq!(find("rfp_slope"), Some((slope, None)));
        assert_eq!(find("RFP_Slope"), Some((slope, None)));
        for rule in Rule::ALL {
            let name = format!("rfp_slope.{}", rule.name());
            assert_eq!(find(&name), Some((slope, Some(rule.index()))), "{name}");
        }
        for wrong in ["", "nosuch", "rfp_slope.", "rfp_slope.go", ".renju"] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_row_is_read_with_one_value_and_with_one_for_each_rule() {
        assert_eq!(columns!(7), [7; COLUMNS]);
        assert_eq!(columns!((-7)), [-7; COLUMNS]);
        assert_eq!(columns!([1, 2, 3, 4, 5]), [1, 2, 3, 4, 5]);
        assert_eq!([is_per_rule!([1, 2, 3, 4, 5]), is_per_rule!(7)], [true, false]);
    }

    #[test]
    #[cfg(not(feature = "tune"))]
    fn each_rule_reads_its_own_column() {
        let values = Rule::ALL.map(|rule| pick!([10, 20, 30, 40, 50], rule.index()));
        assert_eq!(values, [10, 20, 30, 40, 50]);
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
        assert_eq!(table.set("rfp_slope.caro-exact", 60), Ok(()));
        assert_eq!((table.for_rule(Rule::CaroExact).rfp_slope(), table.for_rule(Rule::Caro).rfp_slope()), (60, 50));
    }
}
