//! The rules: which game is played, which line rule each colour follows, and how many stones in a row win
//! ([`LineRule::win_length`]).
//!
//! To add a rule, add a variant to [`Rule`] (and to [`Rule::ALL`]) and, if its rows win in a new way, to [`LineRule`].
//! The compiler then names the matches to extend. What a row means is in two places that check each other:
//! `row_wins` in `board/oracle.rs`, and `row_through_center` in `board/tables.rs`, which asks [`LineRule::longer_rows_win`]. Both
//! read the length from here.

use super::color::Color;
use std::fmt;
use std::str::FromStr;

/// A game. An engine can change from one to another between games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rule {
    /// Five or more in a row win, for both sides.
    Freestyle,
    /// Exactly five win; six or more do not.
    Standard,
    /// Black wins with exactly five and has forbidden points; white wins with five or more.
    Renju,
    /// Six or more win; five win unless both ends hold opposing stones (the edge does not block).
    Caro,
    /// Exactly five win, unless both ends hold opposing stones.
    CaroExact,
}

/// Which rows win for one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineRule {
    /// Five or more.
    AtLeastFive,
    /// Exactly five.
    ExactFive,
    /// Exactly five; six or more, and two fours in one line, are fouls.
    RenjuBlack,
    /// Six or more, or five that is not blocked by opposing stones on both ends.
    Caro,
    /// Exactly five that is not blocked by opposing stones on both ends.
    CaroExact,
}

impl LineRule {
    /// Stones in a row that win. A game of six in a row is a variant that returns 6 here.
    ///
    /// The tables, the oracle, the zones of the solver, the verifier and the match runner read the length from here. The
    /// fouls do not: they are renju's and exist for five only. The windows in `board/lines.rs` and the cells near a stone
    /// in `board/cells.rs` have a fixed width: a length that needs more does not compile.
    pub const fn win_length(self) -> usize {
        match self {
            LineRule::AtLeastFive
            | LineRule::ExactFive
            | LineRule::RenjuBlack
            | LineRule::Caro
            | LineRule::CaroExact => 5,
        }
    }

    /// Whether rows longer than [`LineRule::win_length`] win.
    pub const fn longer_rows_win(self) -> bool {
        match self {
            LineRule::AtLeastFive | LineRule::Caro => true,
            LineRule::ExactFive | LineRule::RenjuBlack | LineRule::CaroExact => false,
        }
    }

    /// Whether opposing stones at both ends keep a row of exactly [`LineRule::win_length`] from winning.
    pub const fn is_caro(self) -> bool {
        matches!(self, LineRule::Caro | LineRule::CaroExact)
    }

    /// How many cells to each side of a stone decide what its row is worth: the rest of the row, and the cell beyond it
    /// where a longer row or an opposing stone makes a difference. The board supports 4 and 5.
    pub const fn reach(self) -> usize {
        let needs_the_cell_beyond = self.is_caro() || !self.longer_rows_win();
        self.win_length() - 1 + needs_the_cell_beyond as usize
    }
}

impl Rule {
    /// Every rule, in the order of [`Rule::index`]. Arrays by rule have the length `Rule::ALL.len()`.
    pub const ALL: [Rule; 5] = [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro, Rule::CaroExact];

    /// Index into per-rule arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The line rule that `color` follows.
    pub const fn line_rule(self, color: Color) -> LineRule {
        match (self, color) {
            (Rule::Freestyle, _) | (Rule::Renju, Color::White) => LineRule::AtLeastFive,
            (Rule::Standard, _) => LineRule::ExactFive,
            (Rule::Renju, Color::Black) => LineRule::RenjuBlack,
            (Rule::Caro, _) => LineRule::Caro,
            (Rule::CaroExact, _) => LineRule::CaroExact,
        }
    }

    /// Whether `color` has forbidden points.
    #[inline]
    pub const fn has_forbidden(self, color: Color) -> bool {
        matches!((self, color), (Rule::Renju, Color::Black))
    }

    /// Whether opposing stones at both ends keep a row from winning.
    #[inline]
    pub const fn is_caro(self) -> bool {
        self.line_rule(Color::Black).is_caro()
    }

    /// How many cells to each side of a stone decide what its row is worth, for either colour; see [`LineRule::reach`].
    pub const fn reach(self) -> usize {
        let (black, white) = (self.line_rule(Color::Black).reach(), self.line_rule(Color::White).reach());
        if black > white { black } else { white }
    }

    /// Number of stones and dead squares at which the game is drawn on a board of `cells` points.
    pub const fn draw_at(self, cells: usize) -> usize {
        match self {
            Rule::Renju if cells > 26 => cells - 25,
            Rule::Renju => 1,
            _ => cells,
        }
    }

    /// The number the protocol's `INFO rule` uses.
    pub const fn number(self) -> u8 {
        match self {
            Rule::Freestyle => 0,
            Rule::Standard => 1,
            Rule::Renju => 4,
            Rule::Caro => 8,
            Rule::CaroExact => 9,
        }
    }

    /// The rule with this bit mask in `INFO rule`: 1 exactly five, 2 continuous game (which does not change the rule),
    /// 4 renju, 8 caro. `None` outside 0..=15.
    pub const fn from_bits(bits: i64) -> Option<Rule> {
        if bits < 0 || bits > 15 {
            return None;
        }
        Some(match (bits & 4 != 0, bits & 8 != 0, bits & 1 != 0) {
            (true, _, _) => Rule::Renju,
            (false, true, true) => Rule::CaroExact,
            (false, true, false) => Rule::Caro,
            (false, false, true) => Rule::Standard,
            (false, false, false) => Rule::Freestyle,
        })
    }

    /// The rule's English name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
            Rule::CaroExact => "caro-exact",
        }
    }

    /// All rules with their numbers, for people: `0 freestyle, 1 standard` and so on.
    pub fn list() -> String {
        Rule::ALL.map(|rule| format!("{} {}", rule.number(), rule.name())).join(", ")
    }
}

/// A text is neither the number nor the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule(String);

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown rule '{}': {}", self.0, Rule::list())
    }
}

impl std::error::Error for UnknownRule {}

/// A rule by its number or its name.
impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Rule, UnknownRule> {
        let is_it = |rule: &Rule| text == rule.name() || text == rule.number().to_string();
        Rule::ALL.into_iter().find(is_it).ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

// `index` is the place in `ALL`.
const _: () = {
    let mut i = 0;
    while i < Rule::ALL.len() {
        assert!(Rule::ALL[i].index() == i);
        i += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reach_is_the_row_and_the_cell_beyond_where_it_matters() {
        assert_eq!(Rule::ALL.map(Rule::reach), [4, 5, 5, 5, 5]);
        assert_eq!(Rule::ALL.map(Rule::is_caro), [false, false, false, true, true]);
    }

    #[test]
    fn numbers_read_back() {
        for rule in Rule::ALL {
            assert_eq!(Rule::from_bits(rule.number() as i64), Some(rule));
            assert_eq!(rule.number().to_string().parse(), Ok(rule));
        }
    }

    #[test]
    fn names_read_back() {
        for rule in Rule::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
        }
        for text in ["", "2", "13", "04", "chess"] {
            assert_eq!(text.parse::<Rule>(), Err(UnknownRule(text.to_owned())));
        }
    }

    #[test]
    fn odd_sums_follow_the_bit_mask() {
        assert_eq!(Rule::from_bits(2), Some(Rule::Freestyle));
        assert_eq!(Rule::from_bits(3), Some(Rule::Standard));
        assert_eq!(Rule::from_bits(6), Some(Rule::Renju));
        assert_eq!(Rule::from_bits(13), Some(Rule::Renju));
        assert_eq!(Rule::from_bits(11), Some(Rule::CaroExact));
        assert_eq!(Rule::from_bits(16), None);
        assert_eq!(Rule::from_bits(-1), None);
    }
}
