//! The only rule switch: which game is played, and which line rule each colour follows. Floor 0.

use super::color::Color;

/// A game. One running engine serves all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rule {
    /// Five or more in a row win, for both sides.
    Freestyle,
    /// Exactly five win; six or more are nothing.
    Standard,
    /// Black wins with exactly five and has forbidden points; white wins with five or more.
    Renju,
    /// Six or more win; five win unless both ends hold opposing stones (the edge does not block).
    Caro,
    /// Exactly five win, unless both ends hold opposing stones.
    CaroExact,
}

/// What counts as a win for one colour along one line, and what a stone beside the row means for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineRule {
    /// Five or more.
    AtLeastFive,
    /// Exactly five.
    ExactFive,
    /// Exactly five, and two fours in one line are a foul.
    RenjuBlack,
    /// Six or more, or five that is not blocked by opposing stones on both ends.
    Caro,
    /// Exactly five that is not blocked by opposing stones on both ends.
    CaroExact,
}

impl Rule {
    /// Every rule, in index order.
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

    /// Whether an opposing stone at the end of a row matters beyond being in the way.
    #[inline]
    pub const fn is_caro(self) -> bool {
        matches!(self, Rule::Caro | Rule::CaroExact)
    }

    /// Stones on the board at which the game is drawn, for a board of `cells` points.
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

    /// Reads the bit mask of `INFO rule`: 1 exactly five, 2 continuous game (no rule of its own), 4 renju, 8 caro.
    /// `None` outside 0..=15.
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

    /// The rule's name in plain words.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
            Rule::CaroExact => "caro-exact",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for rule in Rule::ALL {
            assert_eq!(Rule::from_bits(rule.number() as i64), Some(rule));
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
