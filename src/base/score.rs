//! Scores: evaluation units and proven distances to the end of the game.

use super::depth::Ply;
use std::fmt;
use std::ops::{Add, Neg, Sub};

/// A score from the view of the side to move. Within ±[`Score::EVAL_LIMIT`] it is an estimate, where
/// [`Score::UNITS_PER_LOGIT`] units are a win probability of `sigmoid(1)`. Beyond ±[`Score::DECISIVE`] it is a proven win
/// or loss with its distance from the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

impl Score {
    /// The score of a drawn game.
    pub const DRAW: Score = Score(0);
    /// Largest absolute value of an estimate.
    pub const EVAL_LIMIT: i32 = 6000;
    /// Units of an estimate that make one logit: the win probability is `sigmoid(units / UNITS_PER_LOGIT)`.
    pub const UNITS_PER_LOGIT: i32 = 200;
    /// Scores with a larger absolute value are proven results.
    pub const DECISIVE: i32 = 29_000;
    /// Larger than any score, for search windows.
    pub const INFINITE: Score = Score(31_000);
    /// A win at the root in no moves.
    pub const MATE: i32 = 30_000;

    /// An estimate, clamped to the range of estimates.
    pub const fn estimate(units: i32) -> Score {
        if units > Score::EVAL_LIMIT {
            Score(Score::EVAL_LIMIT)
        } else if units < -Score::EVAL_LIMIT {
            Score(-Score::EVAL_LIMIT)
        } else {
            Score(units)
        }
    }

    /// The score with this raw number, which may come from a file. A number that is no score becomes an estimate,
    /// clamped.
    pub const fn from_units(units: i32) -> Score {
        let size = units.unsigned_abs();
        let is_decisive = size > Score::DECISIVE.unsigned_abs() && size <= Score::MATE.unsigned_abs();
        if is_decisive { Score(units) } else { Score::estimate(units) }
    }

    /// A win for the side to move at `ply`, by the `moves`-th move from there (1: the next move wins).
    #[inline]
    pub const fn win_in(ply: Ply, moves: i32) -> Score {
        Score(Score::MATE - ply.count() - moves)
    }

    /// A loss for the side to move at `ply`, after `moves` more moves (0: the game is over).
    #[inline]
    pub const fn loss_in(ply: Ply, moves: i32) -> Score {
        Score(-Score::MATE + ply.count() + moves)
    }

    /// The raw number, for arithmetic and display.
    #[inline]
    pub const fn units(self) -> i32 {
        self.0
    }

    /// A proven win for the side to move.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > Score::DECISIVE
    }

    /// A proven loss for the side to move.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < -Score::DECISIVE
    }

    /// A proven win or loss.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// A proven win for the side to move, or the largest estimate: believed to be a win but not proven.
    #[inline]
    pub const fn seems_won(self) -> bool {
        self.0 >= Score::EVAL_LIMIT
    }

    /// The same for a loss.
    #[inline]
    pub const fn seems_lost(self) -> bool {
        self.0 <= -Score::EVAL_LIMIT
    }

    /// The largest estimate of the same sign, for a result that is believed but not proven; estimates do not change.
    #[must_use]
    pub const fn unproven(self) -> Score {
        Score::estimate(self.0)
    }

    /// Moves from the root to the end of the game; `None` for an estimate.
    pub const fn distance(self) -> Option<i32> {
        if self.is_decisive() { Some(Score::MATE - self.0.abs()) } else { None }
    }

    /// The win probability of the side to move, in thousandths: `sigmoid(units / 200)`. It comes from a table, so every
    /// machine shows the same. Only proven results are 0 or 1000. For display; no decision depends on it.
    pub const fn win_permille(self) -> u32 {
        if self.is_decisive() {
            return if self.is_win() { 1000 } else { 0 };
        }
        let units = self.0.unsigned_abs() as usize;
        let (step, rest) = (units / SIGMOID_STEP, (units % SIGMOID_STEP) as u32);
        let better = if step + 1 < SIGMOID.len() {
            let (low, high) = (SIGMOID[step], SIGMOID[step + 1]);
            let tenths = low * SIGMOID_STEP as u32 + (high - low) * rest;
            (tenths + 5 * SIGMOID_STEP as u32) / (10 * SIGMOID_STEP as u32)
        } else {
            999
        };
        let better = if better > 999 { 999 } else { better };
        if self.0 >= 0 { better } else { 1000 - better }
    }

    /// The form for the transposition table: distances count from the node at `ply` instead of the root.
    #[inline]
    pub const fn to_stored(self, ply: Ply) -> StoredScore {
        let shifted = if self.is_win() {
            self.0 + ply.count()
        } else if self.is_loss() {
            self.0 - ply.count()
        } else {
            self.0
        };
        StoredScore(shifted as i16)
    }

    /// The score for the opponent after the first move of the line, counted from there.
    #[must_use]
    pub const fn after_move(self) -> Score {
        match self.distance() {
            Some(distance) if self.is_win() => Score::loss_in(Ply::ROOT, distance - 1),
            Some(distance) => Score::win_in(Ply::ROOT, distance - 1),
            None => Score(-self.0),
        }
    }

    /// The score for the opponent before the move that led here, counted from there: undoes [`Score::after_move`].
    #[must_use]
    pub const fn before_move(self) -> Score {
        match self.distance() {
            Some(distance) if self.is_win() => Score::loss_in(Ply::ROOT, distance + 1),
            Some(distance) => Score::win_in(Ply::ROOT, distance + 1),
            None => Score(-self.0),
        }
    }

    /// One unit more, for null windows.
    #[inline]
    #[must_use]
    pub const fn above(self) -> Score {
        Score(self.0 + 1)
    }

    /// One unit less, for null windows.
    #[inline]
    #[must_use]
    pub const fn below(self) -> Score {
        Score(self.0 - 1)
    }
}

/// Score units between two entries of [`SIGMOID`].
const SIGMOID_STEP: usize = 50;

/// `10000 * sigmoid(units / 200)` at every 50 units.
const SIGMOID: [u32; 33] = [
    5000, 5622, 6225, 6792, 7311, 7773, 8176, 8520, 8808, 9047, 9241, 9399, 9526, 9627, 9707, 9770, 9820, 9859, 9890,
    9914, 9933, 9948, 9959, 9968, 9975, 9981, 9985, 9988, 9991, 9993, 9994, 9996, 9997,
];

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    #[inline]
    fn add(self, units: i32) -> Score {
        Score(self.0 + units)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    #[inline]
    fn sub(self, units: i32) -> Score {
        Score(self.0 - units)
    }
}

/// An estimate is a plain number; a proven win is `+W5` (by the fifth move from the root), a proven loss `-W4`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.distance() {
            Some(distance) if self.is_win() => write!(f, "+W{distance}"),
            Some(distance) => write!(f, "-W{distance}"),
            None => write!(f, "{}", self.0),
        }
    }
}

/// A score as the transposition table stores it; see [`Score::to_stored`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredScore(i16);

impl StoredScore {
    /// The score with these bits; see [`StoredScore::bits`].
    #[inline]
    pub const fn from_bits(bits: u16) -> StoredScore {
        StoredScore(bits as i16)
    }

    /// The 16 bits to store.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0 as u16
    }

    /// The score as seen from `ply`.
    #[inline]
    pub const fn at(self, ply: Ply) -> Score {
        let score = Score(self.0 as i32);
        if score.is_win() {
            Score(score.0 - ply.count())
        } else if score.is_loss() {
            Score(score.0 + ply.count())
        } else {
            score
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_wins_count_from_the_node() {
        let ply = Ply::ROOT.next().next().next();
        let win = Score::win_in(ply, 5);
        assert_eq!(win.distance(), Some(8));
        assert_eq!(win.to_stored(ply).at(Ply::ROOT), Score::win_in(Ply::ROOT, 5));
        let loss = Score::loss_in(ply, 4);
        assert_eq!(loss.to_stored(ply).at(ply), loss);
        assert_eq!((-loss).to_string(), "+W7");
    }

    #[test]
    fn a_move_is_one_ply_of_a_proven_distance() {
        let (win, loss) = (Score::win_in(Ply::ROOT, 5), Score::loss_in(Ply::ROOT, 4));
        assert_eq!((win.after_move(), loss.before_move()), (loss, win));
        assert_eq!((loss.after_move(), win.before_move()), (Score::win_in(Ply::ROOT, 3), Score::loss_in(Ply::ROOT, 6)));
        let estimate = Score::estimate(40);
        assert_eq!((estimate.after_move(), estimate.before_move()), (-estimate, -estimate));
    }

    #[test]
    fn chances_follow_the_logistic_curve() {
        for units in -Score::EVAL_LIMIT..=Score::EVAL_LIMIT {
            let exact = 1000.0 / (1.0 + (-f64::from(units) / f64::from(Score::UNITS_PER_LOGIT)).exp());
            let shown = Score::estimate(units).win_permille();
            assert!((f64::from(shown) - exact).abs() < 2.0, "{units}: {shown}, not {exact}");
            assert!((1..=999).contains(&shown));
        }
        assert_eq!(Score::DRAW.win_permille(), 500);
        assert_eq!(
            (Score::win_in(Ply::ROOT, 9).win_permille(), Score::loss_in(Ply::ROOT, 9).win_permille()),
            (1000, 0)
        );
    }

    #[test]
    fn the_longest_win_is_still_decisive() {
        let mut ply = Ply::ROOT;
        while ply < Ply::MAX {
            ply = ply.next();
        }
        assert!(Score::win_in(ply, 484).is_win());
        assert!(!Score::estimate(1_000_000).is_decisive());
    }
}
