//! The conditions of a game: rule, board, swap2, the judge, and when it ends early.

use tengen::base::{Rule, Size};

/// Rule, board and conditions of the games on one ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// Whether the engines choose the opening by swap2.
    pub swap2: bool,
    /// Number of stones at which a game is drawn, the opening included.
    pub draw_after: Option<usize>,
    /// Whether brains are started as the official judge starts them.
    pub judge: bool,
    /// Whether a game ends as soon as its result is certain; see [`super::adjudication`].
    pub adjudicate: bool,
}

impl Terms {
    /// Games of this rule on this board, without swap2, move limit, adjudication or the judge's conventions.
    pub fn plain(rule: Rule, size: Size) -> Terms {
        Terms { rule, size, swap2: false, draw_after: None, judge: false, adjudicate: false }
    }
}
