//! Where a lost game turned, and why.
//!
//! The turning point is the loser's first move after which its winning chance never again reached [`LOST_BELOW`]. The chances are
//! those of the review, which knows what came later, so before that move there was a better one.

use super::records::Record;
use tengen::base::{Color, Point};
use tengen::tools::gamefile::Forfeit;
use tengen::tools::judgement::{Judged, Review};

/// A game is not lost yet while the winning chance is at least this.
pub const LOST_BELOW: f64 = 0.3;
/// A move was hasty if the usual time is more than this many times its own.
const HASTE: u32 = 4;
/// Times are compared only if there are this many earlier ones, and the usual time is at least this many milliseconds.
const TIMED_MOVES: usize = 3;
const USUAL_MS: u32 = 100;

/// Why a game was lost. The first that applies counts, in the order of [`find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The opponent had a proven win after the move, which the player's search saw only later.
    SeenTooLate,
    /// The chance fell without a proven win of the opponent, or by a forbidden move.
    Misjudged,
    /// The game was lost with the player's first judged move, or before it.
    Opening,
    /// A move came too late, or was searched for far less than the usual time.
    Time,
    /// The program crashed or played an illegal move, and the game was not lost yet.
    Fault,
    /// The record names no reason, and the game was not lost yet.
    Unclear,
}

impl Cause {
    /// All causes, in the order of the table.
    pub const ALL: [Cause; 6] =
        [Cause::SeenTooLate, Cause::Misjudged, Cause::Opening, Cause::Time, Cause::Fault, Cause::Unclear];

    /// The cause in words.
    pub fn name(self) -> &'static str {
        match self {
            Cause::SeenTooLate => "seen too late",
            Cause::Misjudged => "misjudged",
            Cause::Opening => "opening",
            Cause::Time => "time",
            Cause::Fault => "fault",
            Cause::Unclear => "unclear",
        }
    }

    /// What it means, in one line.
    pub fn meaning(self) -> &'static str {
        match self {
            Cause::SeenTooLate => {
                "the opponent had a proven win after the move, which the player's search saw only later"
            }
            Cause::Misjudged => "the chance fell without a proven win of the opponent, or by a forbidden move",
            Cause::Opening => "lost with the player's first judged move, or before it",
            // See HASTE.
            Cause::Time => "a move came too late, or was searched for less than a quarter of the usual time",
            Cause::Fault => "the program crashed or played an illegal move; the game was not lost yet",
            Cause::Unclear => "the record ends with a loss that its last position does not show",
        }
    }
}

/// Where and why a game was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurningPoint {
    /// Index of the move in the review; `None` if the chance never fell for good, or no move of the loser was judged.
    pub index: Option<usize>,
    /// The cause.
    pub cause: Cause,
    /// For [`Cause::SeenTooLate`], index of the move before which the player's search saw the loss; `None` if the record ends
    /// before.
    pub seen: Option<usize>,
}

/// A lost game.
#[derive(Clone, Debug)]
pub struct LostGame {
    /// The record.
    pub record: Record,
    /// The loser.
    pub loser: Color,
    /// The game, judged.
    pub review: Review,
    /// Where it turned.
    pub turn: TurningPoint,
}

impl LostGame {
    /// The move where it turned.
    pub fn turning_move(&self) -> Option<&Judged> {
        self.turn.index.map(|index| &self.review.moves[index])
    }

    /// Plies from the turning move to the end of the game.
    pub fn plies_left(&self) -> Option<usize> {
        self.turn.index.map(|index| self.review.moves.len() - 1 - index)
    }

    /// Plies from the turning move to the one before which the player's search saw the loss.
    pub fn delay(&self) -> Option<usize> {
        self.turn.index.zip(self.turn.seen).map(|(index, seen)| seen - index)
    }

    /// The better move at the turning point, if the review knows one.
    pub fn better(&self) -> Option<Point> {
        let judged = self.turning_move()?;
        judged.before.line.first().copied().filter(|&best| best != judged.point)
    }
}

/// Finds where a game was lost. `first_sight` gets indices of the loser's moves and returns the first before which a search
/// with the nodes of the game sees the loss; a loss that the player announced was seen, too.
pub fn find(
    record: &Record,
    review: &Review,
    loser: Color,
    first_sight: impl FnOnce(&[usize]) -> Option<usize>,
) -> TurningPoint {
    let own: Vec<usize> = (0..review.moves.len()).filter(|&index| review.moves[index].color == loser).collect();
    let is_open = |&index: &usize| review.moves[index].after.chance() >= LOST_BELOW;
    let fallen = own.iter().rposition(is_open).map_or(0, |last| last + 1);
    let index = own.get(fallen).copied();
    let forfeit = record.game.outcome.and_then(|outcome| outcome.forfeit);
    let turn = |cause| TurningPoint { index, cause, seen: None };
    let Some(at) = index else {
        return turn(match forfeit {
            Some(Forfeit::Late) => Cause::Time,
            Some(Forfeit::Fault) => Cause::Fault,
            None if own.is_empty() => Cause::Opening,
            None => Cause::Unclear,
        });
    };
    let stone = review.number(at) - 1;
    if fallen == 0 {
        turn(Cause::Opening)
    } else if record.late.contains(&stone) || is_hasty(record, stone) {
        turn(Cause::Time)
    } else if review.moves[at].foul.is_some() || !review.moves[at].after.score.is_loss() {
        turn(Cause::Misjudged)
    } else {
        let turns = &own[fallen..];
        // The player may have known more than a search of this position alone finds.
        let announced = turns.iter().position(|&at| record.announced.contains(&(review.number(at) - 1)));
        let seen = first_sight(&turns[..announced.unwrap_or(turns.len())]);
        match seen.or(announced.map(|turn| turns[turn])) {
            // It saw the loss before the move: there was nothing to see later.
            Some(seen) if seen == at => turn(Cause::Misjudged),
            seen => TurningPoint { index, cause: Cause::SeenTooLate, seen },
        }
    }
}

/// The median time in milliseconds of the player's moves before this one; `None` if there are too few to compare with, or
/// they were so fast that times mean nothing.
pub fn usual_ms(record: &Record, stone: usize) -> Option<u32> {
    let earlier = (0..stone).rev().skip(1).step_by(2).filter_map(|stone| record.game.ms.get(stone));
    let mut times: Vec<u32> = earlier.copied().filter(|&ms| ms > 0).collect();
    times.sort_unstable();
    let usual = times.get(times.len() / 2).copied()?;
    (times.len() >= TIMED_MOVES && usual >= USUAL_MS).then_some(usual)
}

/// Whether the move was searched for far less than the usual time.
fn is_hasty(record: &Record, stone: usize) -> bool {
    let ms = record.game.ms.get(stone).copied();
    ms.zip(usual_ms(record, stone)).is_some_and(|(ms, usual)| ms.saturating_mul(HASTE) < usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::base::{Ply, Rule, Score, Size};
    use tengen::tools::gamefile::{GameFile, Outcome};
    use tengen::tools::judgement::{Effort, End, Mark, Worth};

    const GOOD: Score = Score::DRAW;
    const BAD: Score = Score::estimate(-300);
    const LOST: Score = Score::loss_in(Ply::ROOT, 6);

    /// A game in which black loses, with these scores of black after its moves, and the times of all moves.
    fn game(scores: &[Score], ms: &[u32], forfeit: Option<Forfeit>) -> (Record, Review) {
        let size = Size::square(15).unwrap();
        let points: Vec<Point> = size.points().take(2 * scores.len()).collect();
        let judged = |(index, &point): (usize, &Point)| {
            let score = scores[index / 2];
            let color = Color::to_move_after(index);
            let worth = |score| Worth { score, line: vec![point] };
            let (before, after) = (worth(GOOD), worth(if color == Color::Black { score } else { -score }));
            Judged { point, color, board: Vec::new(), mark: Mark::Best, before, after, foul: None }
        };
        let outcome = Some(Outcome { winner: Some(Color::White), forfeit });
        let game = GameFile { ms: ms.to_vec(), outcome, ..GameFile::of_moves(size, &points).unwrap() };
        let review = Review {
            rule: Rule::Freestyle,
            size,
            setup: Vec::new(),
            imposed: 0,
            first: Color::Black,
            moves: points.iter().enumerate().map(judged).collect(),
            end: End::Open,
            ignored: 0,
            effort: Effort::of_nodes(1),
        };
        (Record { name: String::new(), game, nodes: Vec::new(), late: Vec::new(), announced: Vec::new() }, review)
    }

    #[test]
    fn the_turning_point_is_where_the_chance_falls_for_good() {
        for (scores, expected) in [
            (&[GOOD, BAD, GOOD, BAD, LOST][..], Some(6)),
            (&[GOOD, LOST], Some(2)),
            (&[BAD, BAD], Some(0)),
            (&[BAD, GOOD], None),
            (&[], None),
        ] {
            let (record, review) = game(scores, &[], None);
            assert_eq!(find(&record, &review, Color::Black, |_| None).index, expected, "{scores:?}");
        }
    }

    #[test]
    fn the_cause_follows_from_what_was_proven_and_seen() {
        let cause = |scores: &[Score], seen: Option<usize>| {
            let (record, review) = game(scores, &[], None);
            let turn = find(&record, &review, Color::Black, |_| seen);
            (turn.cause, turn.seen)
        };
        assert_eq!(cause(&[GOOD, LOST, LOST], Some(4)), (Cause::SeenTooLate, Some(4)));
        assert_eq!(cause(&[GOOD, LOST, LOST], None), (Cause::SeenTooLate, None));
        assert_eq!(cause(&[GOOD, LOST, LOST], Some(2)), (Cause::Misjudged, None), "it saw the loss at once");
        assert_eq!(cause(&[GOOD, BAD, LOST], Some(4)), (Cause::Misjudged, None));
        assert_eq!(cause(&[LOST, LOST], Some(2)), (Cause::Opening, None));
        assert_eq!(cause(&[], None), (Cause::Opening, None));
        assert_eq!(cause(&[BAD, GOOD], None), (Cause::Unclear, None));
        let (record, review) = game(&[GOOD, LOST, LOST], &[], None);
        find(&record, &review, Color::Black, |own| {
            assert_eq!(own, [2, 4], "the loser's moves from the turning point on");
            None
        });
    }

    /// Bug: a loss that the player had announced was "not seen" if a search that knew nothing from before did not find it.
    #[test]
    fn an_announced_loss_was_seen() {
        let (mut record, review) = game(&[GOOD, LOST, LOST, LOST], &[], None);
        record.announced = vec![5, 6];
        let turn = |seen| {
            find(&record, &review, Color::Black, |own| {
                assert_eq!(own, [2, 4], "only what was not announced is searched");
                seen
            })
        };
        assert_eq!((turn(None).cause, turn(None).seen), (Cause::SeenTooLate, Some(6)));
        assert_eq!(turn(Some(4)).seen, Some(4), "earlier");
        record.announced = vec![2];
        assert_eq!(find(&record, &review, Color::Black, |_| None).cause, Cause::Misjudged);
    }

    /// Nobody can see in a position that its player will crash.
    #[test]
    fn a_forfeit_counts_only_where_the_game_was_not_lost_yet() {
        for (forfeit, cause) in [(Forfeit::Late, Cause::Time), (Forfeit::Fault, Cause::Fault)] {
            let (record, review) = game(&[GOOD, GOOD], &[], Some(forfeit));
            assert_eq!(find(&record, &review, Color::Black, |_| None).cause, cause);
            let (record, review) = game(&[GOOD, LOST], &[], Some(forfeit));
            assert_eq!(find(&record, &review, Color::Black, |_| None).cause, Cause::SeenTooLate);
        }
    }

    #[test]
    fn a_move_made_in_haste_is_lost_by_time() {
        let scores = [GOOD, GOOD, GOOD, LOST];
        let cause = |ms: &[u32]| {
            let (record, review) = game(&scores, ms, None);
            find(&record, &review, Color::Black, |_| None).cause
        };
        assert_eq!(cause(&[1000, 1, 900, 1, 1100, 1, 200]), Cause::Time);
        assert_eq!(cause(&[1000, 1, 900, 1, 1100, 1, 300]), Cause::SeenTooLate);
        assert_eq!(cause(&[0, 1, 900, 1, 1100, 1, 200]), Cause::SeenTooLate, "two earlier moves only");
        assert_eq!(cause(&[10, 1, 9, 1, 11, 1, 1]), Cause::SeenTooLate, "times that mean nothing");
        let (mut record, review) = game(&scores, &[], None);
        record.late = vec![6];
        assert_eq!(find(&record, &review, Color::Black, |_| None).cause, Cause::Time);
    }
}
