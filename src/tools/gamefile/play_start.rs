//! Where the play of a recorded game begins: the one place that decides it, whatever the format.
//!
//! Tournaments impose the first stones of a game. Programs that judge or continue a game must not take them for moves of the
//! players. The readers collect what a record says as [`Evidence`]; [`PlayStart::find`] decides by it.

use crate::base::{Point, Size};
use crate::tools::point_names;

/// Where the play begins, and by which mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayStart {
    /// Moves of the record before it; stones that are set up are no moves.
    pub moves: usize,
    /// What it was told by.
    pub mark: StartMark,
}

/// What tells where the play begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StartMark {
    /// Nothing: the record says of no move that it was imposed.
    #[default]
    None,
    /// A number in the record: `IMPOSED[n]` in SGF, the opening in a record of `tengen-match`.
    Counted,
    /// Comments on the moves, such as `C[opening move]`.
    Comments,
    /// The first moves took no time, while later ones did.
    NoTime,
    /// The name of the opening, which has this many stones, or its moves.
    Opening(String),
    /// The name of an opening of unknown length. The play is taken to begin with the first move.
    UnknownOpening(String),
    /// The user has named it.
    Asked,
}

impl StartMark {
    /// The mark as a word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            StartMark::None => "none",
            StartMark::Counted => "count",
            StartMark::Comments => "comments",
            StartMark::NoTime => "times",
            StartMark::Opening(_) => "opening",
            StartMark::UnknownOpening(_) => "unknown opening",
            StartMark::Asked => "asked",
        }
    }
}

/// What a record says about its opening.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// A number of imposed moves.
    pub counted: Option<usize>,
    /// The comment on each move.
    pub comments: Vec<Option<String>>,
    /// Milliseconds for each move.
    pub ms: Vec<Option<u32>>,
    /// The name of the opening, or its moves.
    pub opening: Option<String>,
}

/// Comments on a move that say that it was imposed; longer ones begin like the first.
const IMPOSED_COMMENTS: [&str; 4] = ["opening move", "opening", "book move", "book"];

/// The 26 openings of renju, three stones each, in the usual spellings; without marks, and with `o` and `u` for long vowels.
#[rustfmt::skip]
const RENJU_OPENINGS: [&[&str]; 26] = [
    &["kansei", "寒星"], &["keigetsu", "溪月", "渓月"], &["sosei", "疎星", "疏星"], &["kagetsu", "花月"],
    &["zangetsu", "残月", "殘月"], &["ugetsu", "雨月"], &["kinsei", "金星"], &["shogetsu", "松月"],
    &["kyugetsu", "丘月"], &["shingetsu", "新月"], &["zuisei", "瑞星"], &["sangetsu", "山月"],
    &["yusei", "遊星", "游星"], &["chosei", "長星", "长星"], &["kyogetsu", "峡月", "峽月"], &["kosei", "恒星"],
    &["suigetsu", "水月"], &["ryusei", "流星"], &["ungetsu", "雲月", "云月"], &["hogetsu", "浦月"],
    &["rangetsu", "嵐月", "岚月"], &["gingetsu", "銀月", "银月"], &["myojo", "明星"], &["shagetsu", "斜月"],
    &["meigetsu", "名月"], &["suisei", "彗星"],
];

impl PlayStart {
    /// The play begins after this many moves, as the record counts them.
    pub fn counted(moves: usize) -> PlayStart {
        PlayStart { moves, mark: StartMark::Counted }
    }

    /// The play begins after this many moves, as the user says.
    pub fn asked(moves: usize) -> PlayStart {
        PlayStart { moves, mark: StartMark::Asked }
    }

    /// Decides where the play of a record of `count` moves begins. `moves` are those of a record that is nothing but moves from
    /// the empty board. A number counts first, then comments, the moves of the opening, times, and the name of the opening.
    pub(super) fn find(evidence: &Evidence, count: usize, moves: Option<&[Point]>, size: Size) -> PlayStart {
        let start = |moves: usize, mark| Some(PlayStart { moves, mark }).filter(|start| start.moves > 0);
        let counted = evidence.counted.and_then(|moves| start(moves.min(count), StartMark::Counted));
        let commented = || start(commented(&evidence.comments), StartMark::Comments);
        let name = evidence.opening.as_deref().filter(|name| !name.trim().is_empty());
        let listed = || name.and_then(|name| start(listed(name, moves?, size)?, StartMark::Opening(plain(name))));
        let timeless = || start(timeless(&evidence.ms), StartMark::NoTime);
        let named = || {
            let name = name?;
            let is_known = is_renju_opening(name) && moves.is_some_and(|moves| moves.len() >= 3);
            let mark = if is_known { StartMark::Opening } else { StartMark::UnknownOpening };
            Some(PlayStart { moves: if is_known { 3 } else { 0 }, mark: mark(plain(name)) })
        };
        counted.or_else(commented).or_else(listed).or_else(timeless).or_else(named).unwrap_or_default()
    }

    /// The same as a sentence for people, for a record that sets up a position or does not.
    pub fn sentence(&self, is_set_up: bool) -> String {
        let after = match self.moves {
            1 => "the move before it".to_owned(),
            count => format!("the {count} moves before it"),
        };
        let s = if self.moves == 1 { "s" } else { "" };
        let reason = match &self.mark {
            StartMark::None if is_set_up => "the stones before it are set up".to_owned(),
            StartMark::None => "the record marks no move as imposed".to_owned(),
            StartMark::Counted => format!("the record counts {after} as imposed"),
            StartMark::Comments => format!("the comments say that {after} belong{s} to the opening"),
            StartMark::NoTime => format!("{after} took no time"),
            StartMark::Opening(name) if self.moves == 1 => format!("{after} is the opening '{name}'"),
            StartMark::Opening(name) => format!("{after} are the opening '{name}'"),
            StartMark::UnknownOpening(name) => format!("the opening is named '{name}', of unknown length"),
            StartMark::Asked => "as asked".to_owned(),
        };
        format!("The play begins with move {}: {reason}.", self.moves + 1)
    }
}

/// The number of moves at the beginning whose comments say that they were imposed.
fn commented(comments: &[Option<String>]) -> usize {
    let is_imposed = |comment: &Option<String>| {
        let comment =
            comment.as_deref().and_then(|text| text.trim().lines().next()).unwrap_or_default().trim().to_lowercase();
        IMPOSED_COMMENTS.contains(&comment.as_str()) || comment.starts_with(IMPOSED_COMMENTS[0])
    };
    comments.iter().take_while(|comment| is_imposed(comment)).count()
}

/// The number of moves at the beginning that took no time, if later ones did. A missing time counts as none only if every later
/// move has one: some programs record the times of one player.
fn timeless(ms: &[Option<u32>]) -> usize {
    let took_time = |ms: &Option<u32>| ms.is_some_and(|ms| ms > 0);
    let Some(first) = ms.iter().position(took_time) else { return 0 };
    let (before, later) = ms.split_at(first);
    if before.iter().all(Option::is_some) || later.iter().all(Option::is_some) { first } else { 0 }
}

/// The number of moves in a text, if the game begins with them.
fn listed(text: &str, game: &[Point], size: Size) -> Option<usize> {
    let moves = point_names::parse(text, size)?;
    game.starts_with(&moves).then_some(moves.len())
}

/// Whether a text names one of the openings of renju, or is its number: `D4`, `4D`, `Kagetsu (4D)`.
fn is_renju_opening(text: &str) -> bool {
    let text = text.to_lowercase().replace("ou", "o").replace("uu", "u").replace('ō', "o").replace('ū', "u");
    let is_number = |word: &str| {
        let digits = word.trim_matches(['d', 'i']);
        digits.len() + 1 == word.len() && digits.parse().is_ok_and(|number: u8| (1..=13).contains(&number))
    };
    let is_name = |word: &str| RENJU_OPENINGS.iter().any(|names| names.contains(&word));
    text.split(|c: char| !c.is_alphanumeric()).any(|word| is_number(word) || is_name(word))
}

/// The milliseconds that a comment names, as in `465ms` or `+0.3/12 465 ms`.
pub(super) fn ms_of(comment: &str) -> Option<u32> {
    let comment = comment.to_lowercase();
    let mut before = "";
    for word in comment.split([' ', '\t', '\r', '\n', ',', ';', '/', '|', '(', ')']) {
        if let Some(number) = word.strip_suffix("ms") {
            let number = if number.is_empty() { before } else { number };
            if let Ok(ms) = number.trim_start_matches(['=', ':']).parse::<f64>()
                && ms >= 0.0
            {
                return Some(ms.round() as u32);
            }
        }
        before = word;
    }
    None
}

/// A text of a record for a sentence: without control characters, and short.
pub(super) fn plain(text: &str) -> String {
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_comments() {
        for (comment, ms) in [
            ("465ms", Some(465)),
            ("+0.31/12, 465 ms", Some(465)),
            ("1.6MS", Some(2)),
            ("time=12ms nodes", None),
            ("opening move", None),
            ("-3ms", None),
            ("ms", None),
            ("rooms", None),
        ] {
            assert_eq!(ms_of(comment), ms, "{comment}");
        }
    }

    #[test]
    fn openings_of_renju_are_known_by_name_and_number() {
        for name in ["Kagetsu", "D4", "4d", "I13", "Kagetsu (4D)", "Shougetsu", "Yūsei", "花月", "浦月 opening"] {
            assert!(is_renju_opening(name), "{name}");
        }
        for name in ["", "14D", "D0", "DD4", "4", "did", "Swap2", "Sicilian"] {
            assert!(!is_renju_opening(name), "{name}");
        }
    }

    #[test]
    fn missing_times_count_only_if_all_later_moves_have_one() {
        assert_eq!(timeless(&[Some(0), Some(0), Some(7), None]), 2);
        assert_eq!(timeless(&[None, None, Some(7), Some(0)]), 2);
        assert_eq!(timeless(&[None, Some(7), None, Some(7)]), 0, "the times of one player");
        assert_eq!(timeless(&[Some(0), Some(0)]), 0, "all are zero");
        assert_eq!(timeless(&[]), 0);
    }
}
