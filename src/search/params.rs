//! Every tunable number of the search, in one table. Floor 3.

/// A tunable: its name, value, plausible range and meaning.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name as used in code.
    pub name: &'static str,
    /// Value in force.
    pub value: i32,
    /// Smallest plausible value.
    pub min: i32,
    /// Largest plausible value.
    pub max: i32,
    /// What it does.
    pub meaning: &'static str,
}

macro_rules! params {
    ($($name:ident = $value:literal, $min:literal..=$max:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: i32 = $value;)*
        /// All tunables, for tools and tests.
        pub const ALL: &[Param] = &[$(Param {
            name: stringify!($name), value: $value, min: $min, max: $max, meaning: $meaning,
        }),*];
    };
}

params! {
    ASPIRATION_DEPTH = 5, 3..=10, "first iteration searched with a narrow window";
    ASPIRATION_WINDOW = 16, 8..=60, "half width of that window";
    ASPIRATION_OPEN = 3000, 500..=6000, "scores beyond this get an open window";
    HISTORY_LIMIT = 10700, 4000..=16000, "bound of a history entry";
    HISTORY_SQUARE = 25, 5..=60, "history bonus: share of the squared depth";
    HISTORY_LINEAR = 105, 0..=300, "history bonus: share of the depth";
    HISTORY_OFFSET = 157, 0..=400, "history bonus: what is taken off";
    HISTORY_CAP = 8900, 1000..=10000, "largest history bonus";
    HISTORY_DIVISOR = 128, 32..=512, "history units that weigh as much as one unit of move score";
    RFP_DEPTH = 8, 4..=14, "deepest reverse futility, in plies";
    RFP_SLOPE = 45, 20..=140, "reverse futility margin per ply";
    RAZOR_DEPTH = 2, 1..=4, "deepest razoring, in plies";
    RAZOR_BASE = 20, 0..=120, "razoring margin";
    RAZOR_SLOPE = 20, 0..=120, "razoring margin per ply";
    LMP_BASE = 4, 2..=10, "moves of a free node that are always tried";
    LMP_SLOPE = 96, 16..=256, "further moves per squared ply, in 1/64";
    LMR_FACTOR = 60, 40..=130, "late-move reduction in hundredths of ln(depth) * ln(index)";
    LMR_OFFSET = 0, -64..=64, "late-move reduction: constant part in 1/64 plies";
    LMR_HISTORY = 8000, 3000..=30000, "history that takes off one ply of reduction";
    VCF_DELTA = 768, 300..=3000, "quiescence gives up fours when even this much would not reach alpha";
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_value_is_within_its_range() {
        for param in super::ALL {
            assert!((param.min..=param.max).contains(&param.value), "{}", param.name);
        }
    }
}
