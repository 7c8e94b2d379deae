//! What a brain announced while it thought, held against the rules and against what it then did.
//!
//! A line must be legal to its end and not go on after the end of the game; its first move must be played; an announced win
//! must come in time; an announced loss may be taken back only after a reply that is not in its line. Nobody is blamed for
//! what an honest engine may do:
//!
//! - Text that is no list of points is no line. Engines count rows from above or below and name the column or the row
//!   first: of these ways, the one is taken that fits the moves of the game best.
//! - A move without a line may come from an iteration that was stopped, if the limit left room for one.
//! - Of several lines of one iteration, the move must begin one. Second and later ones, where they are marked as such, are
//!   held against the rules only.

use super::adjudication::claim;
use super::spec::Limits;
use super::thought::{Announced, Thought};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tengen::base::{Color, Point, Size};
use tengen::board::notation::name;
use tengen::board::oracle::{Oracle, Verdict};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flaw {
    /// It played another move than its last line begins with.
    OtherMove,
    /// A line has an illegal move, or goes on after the end of the game.
    IllegalLine,
    /// A win or loss was announced for later than before, or a win did not come by then.
    LongerClaim,
    /// An announced win was taken back or did not come, or a loss was taken back although its line was played.
    BrokenClaim,
    /// The process of an earlier game refused this one; a new process played it.
    Restart,
}

impl Flaw {
    /// The names of all, in their order.
    pub const NAMES: [&str; 5] = ["other move", "illegal line", "longer claim", "broken claim", "restart"];

    /// Its name.
    pub fn name(self) -> &'static str {
        Flaw::NAMES[self as usize]
    }
}

/// Something wrong at one move of a game; at most one of each kind at a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// Index of the player in the record.
    pub player: usize,
    /// Stones on the board when it thought.
    pub stones: usize,
    /// What is wrong.
    pub flaw: Flaw,
    /// Details for people.
    pub note: String,
}

/// A move of the player.
#[derive(Clone, Copy, Debug)]
pub struct Thinking<'a> {
    /// Stones on the board when it thought.
    pub stones: usize,
    /// What it reported.
    pub thought: &'a Thought,
    /// How long it thought.
    pub time: Duration,
}

/// How the game ended for the player by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// It won.
    Won,
    /// It lost, or nobody won.
    NotWon,
    /// The game ended before the rules end it.
    Open,
}

/// Checks what a player announced in a game of all these stones, which the empty board does not have. Returns the number of
/// lines, and what is wrong.
pub fn check(
    empty: &Oracle,
    stones: &[Point],
    (player, limits): (usize, &Limits),
    thinking: &[Thinking<'_>],
    end: GameEnd,
) -> (usize, Vec<Remark>) {
    let read = |naming: Naming| -> (Vec<Move<'_>>, Vec<Found>) {
        let read = |thinking| Move::read(thinking, stones, naming, empty.size());
        let moves: Vec<Move<'_>> = thinking.iter().filter_map(read).collect();
        let others = moves.iter().filter_map(|played| played.other_move(limits)).collect();
        (moves, others)
    };
    let (mut moves, mut found) = read(NAMINGS[0]);
    for &naming in &NAMINGS[1..] {
        if found.is_empty() {
            break;
        }
        let (other_moves, others) = read(naming);
        if others.len() < found.len() {
            (moves, found) = (other_moves, others);
        }
    }
    let mut board = empty.clone();
    let mut placed = 0;
    for played in &moves {
        for &stone in &stones[placed..played.thinking.stones] {
            board.play(stone, Color::to_move_after(placed));
            placed += 1;
        }
        found.extend(played.illegal_line(&board));
        found.extend(played.claims_of_one_search());
    }
    found.extend(claims_of_the_game(&moves, stones, end));
    let mut remarks: Vec<Remark> = Vec::new();
    for Found { stones, flaw, note } in found {
        if !remarks.iter().any(|remark| remark.stones == stones && remark.flaw == flaw) {
            remarks.push(Remark { player, stones, flaw, note });
        }
    }
    remarks.sort_by_key(|remark| remark.stones);
    let lines = moves.iter().flat_map(|played| &played.lines).filter(|line| !line.points.is_empty());
    (lines.count(), remarks)
}

/// Something wrong, before it is known to be the first of its kind at the move.
struct Found {
    stones: usize,
    flaw: Flaw,
    note: String,
}

/// A way to name points: from the two numbers of a name, counted from 0, and the size to column and row from above.
type Naming = fn(i64, i64, Size) -> (i64, i64);

/// Column and row from above or from below; row and column from the left or from the right.
const NAMINGS: [Naming; 4] = [
    |first, second, _| (first, second),
    |first, second, size| (first, size.height() as i64 - 1 - second),
    |first, second, _| (second, first),
    |first, second, size| (size.width() as i64 - 1 - second, first),
];

/// A line with its points, `None` for those off the board.
struct Line<'a> {
    said: &'a Announced,
    points: Vec<Option<Point>>,
}

/// A move with the lines before it.
struct Move<'a> {
    thinking: &'a Thinking<'a>,
    played: Point,
    lines: Vec<Line<'a>>,
}

/// An announced result.
struct Claim<'a> {
    wins: bool,
    /// Stones on the board at the end of the game, at most.
    by: Option<usize>,
    stones: usize,
    line: &'a Line<'a>,
}

impl<'a> Claim<'a> {
    /// Engines count plies after `W`. After `M` some count moves; at most twice as many plies are meant.
    fn of(line: &'a Line<'a>, stones: usize) -> Option<Claim<'a>> {
        let score = line.said.score.as_deref()?;
        let wins = claim(score)?;
        let plies = |number: usize| if score[1..].starts_with(['M', 'm']) { 2 * number } else { number };
        let by = score[2..].parse().ok().filter(|&number| number < 1000).map(|number| stones + plies(number));
        Some(Claim { wins, by, stones, line })
    }

    fn is_later_than(&self, other: &Claim<'_>) -> bool {
        matches!((self.by, other.by), (Some(by), Some(before)) if by > before)
    }

    /// Whether the result must still be announced: a win always, a loss while its line is played.
    fn binds(&self, stones: &[Point]) -> bool {
        let line = self.line.points.get(..2);
        let played = stones[self.stones..].get(..2);
        self.wins || matches!((line, played), (Some(line), Some(played)) if line.iter().flatten().eq(played))
    }
}

impl<'a> Move<'a> {
    fn read(thinking: &'a Thinking<'a>, stones: &[Point], naming: Naming, size: Size) -> Option<Move<'a>> {
        let lines = thinking.thought.lines.iter().map(|said| {
            let point = |&[first, second]: &[i64; 2]| {
                let (x, y) = naming(first, second, size);
                size.point(x, y)
            };
            Line { said, points: said.points.iter().map(point).collect() }
        });
        Some(Move { thinking, played: *stones.get(thinking.stones)?, lines: lines.collect() })
    }

    fn found(&self, flaw: Flaw, note: String) -> Found {
        Found { stones: self.thinking.stones, flaw, note }
    }

    fn first_lines(&self) -> impl DoubleEndedIterator<Item = &Line<'a>> {
        self.lines.iter().filter(|line| line.said.is_first)
    }

    /// The last line that `is_meant`, or one of the same iteration that begins with the move.
    fn last_line(&self, is_meant: impl Fn(&Line<'_>) -> bool) -> Option<(&Line<'a>, bool)> {
        let begins = |line: &Line<'_>| line.points.first().is_none_or(|&point| point == Some(self.played));
        let last = self.first_lines().rev().find(|line| is_meant(line))?;
        let is_of_the_same = |line: &&Line<'_>| line.said.depth.is_some() && line.said.depth == last.said.depth;
        let mut same = self.first_lines().rev().filter(|line| is_meant(line)).filter(is_of_the_same);
        Some(if begins(last) {
            (last, true)
        } else {
            same.find(|line| begins(line)).map_or((last, false), |l| (l, true))
        })
    }

    fn other_move(&self, limits: &Limits) -> Option<Found> {
        let (last, false) = self.last_line(|line| !line.points.is_empty())? else { return None };
        let (said, time) = (last.said, self.thinking.time);
        let was_finished = limits.depth.zip(said.depth).is_some_and(|(limit, depth)| depth >= limit);
        let had_room = match (limits.nodes, said.nodes) {
            (Some(limit), Some(nodes)) => nodes.saturating_add(limit / 100) < limit,
            _ => said.at + (time / 100).max(Duration::from_millis(1)) < time,
        };
        let note = || format!("played {} after the line {}", name(self.played), said.text());
        (was_finished || !had_room).then(|| self.found(Flaw::OtherMove, note()))
    }

    /// The first line that is not legal on this board.
    fn illegal_line(&self, board: &Oracle) -> Option<Found> {
        // Positions along the last line: the next one often begins in the same way.
        let mut path: Vec<(Point, Oracle, Verdict)> = Vec::new();
        self.lines.iter().find_map(|line| {
            let is_shared =
                |((point, ..), other): &(&(Point, Oracle, Verdict), &Option<Point>)| Some(*point) == **other;
            let shared = path.iter().zip(&line.points).take_while(is_shared).count();
            path.truncate(shared);
            for (index, &point) in line.points.iter().enumerate().skip(shared) {
                let wrong = |what: &str| {
                    let note = format!("move {} of the line {} {what}", index + 1, line.said.text());
                    Some(self.found(Flaw::IllegalLine, note))
                };
                let (before, last) = path.last().map_or((board, &Verdict::Continues), |(_, after, last)| (after, last));
                let Some(point) = point else { return wrong("is off the board") };
                if *last != Verdict::Continues {
                    return wrong("comes after the end of the game");
                }
                let mut after = before.clone();
                match after.play(point, Color::to_move_after(self.thinking.stones + index)) {
                    Verdict::Illegal => return wrong("is on an occupied point"),
                    Verdict::Foul(_) => return wrong("is forbidden"),
                    verdict => path.push((point, after, verdict)),
                }
            }
            None
        })
    }

    /// Within a search, a deeper iteration must not take back a result or delay a win.
    fn claims_of_one_search(&self) -> Option<Found> {
        let mut scored = self.first_lines().filter(|line| line.said.score.is_some());
        let mut before = scored.next()?;
        scored.find_map(|line| {
            let was = Claim::of(before, self.thinking.stones).filter(|_| line.said.depth > before.said.depth);
            let found = was
                .and_then(|was| self.compare(&was, line).filter(|found| was.wins || found.flaw == Flaw::BrokenClaim));
            before = line;
            found
        })
    }

    /// What is wrong if this line follows a claim that still binds.
    fn compare(&self, was: &Claim<'_>, line: &Line<'a>) -> Option<Found> {
        let said = |line: &Line<'_>| line.said.score.clone().unwrap_or_default();
        let note =
            format!("{} with {} stones after {} with {}", said(line), self.thinking.stones, said(was.line), was.stones);
        match Claim::of(line, self.thinking.stones) {
            Some(now) if now.wins == was.wins => now.is_later_than(was).then(|| self.found(Flaw::LongerClaim, note)),
            _ => Some(self.found(Flaw::BrokenClaim, note)),
        }
    }
}

/// From move to move, a result must not be taken back or come later.
fn claims_of_the_game(moves: &[Move<'_>], stones: &[Point], end: GameEnd) -> Vec<Found> {
    let mut found = Vec::new();
    let mut kept: Option<Claim<'_>> = None;
    for played in moves {
        let now = played.thinking.stones;
        let scored = played.last_line(|line| line.said.score.is_some()).filter(|&(_, is_of_the_move)| is_of_the_move);
        kept = kept.filter(|was| was.binds(&stones[..now]));
        match (&kept, scored) {
            (Some(was), Some((line, _))) => found.extend(played.compare(was, line)),
            (Some(was), None) if was.wins && was.by.is_some_and(|by| by <= now) => {
                let note =
                    format!("a win announced with {} stones did not come by stone {}", was.stones, was.by.unwrap_or(0));
                found.push(played.found(Flaw::LongerClaim, note));
                kept = None;
            }
            _ => {}
        }
        kept = match scored {
            Some((line, _)) => Claim::of(line, now),
            None => kept.filter(|was| was.wins),
        };
    }
    let Some(was) = kept.filter(|was| was.binds(stones)) else { return found };
    let is_late = was.wins && was.by.is_some_and(|by| stones.len() > by);
    let flaw = match end {
        GameEnd::Won if !was.wins => Some(Flaw::BrokenClaim),
        GameEnd::NotWon if was.wins => Some(Flaw::BrokenClaim),
        _ => is_late.then_some(Flaw::LongerClaim),
    };
    found.extend(flaw.map(|flaw| {
        let score = was.line.said.score.as_deref().unwrap_or_default();
        let note = format!("{score} with {} stones, and the game ended with {}", was.stones, stones.len());
        Found { stones: was.stones, flaw, note }
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use Flaw::{BrokenClaim, IllegalLine, LongerClaim, OtherMove};
    use tengen::base::Rule;
    use tengen::board::notation::parse_moves;

    /// The flaws of a player who thought with these numbers of stones and said these lines, under a limit of 1,000 nodes.
    fn flaws(rule: Rule, game: &str, said: &[(usize, &[&str])], end: GameEnd) -> Vec<(usize, Flaw)> {
        let size = Size::square(15).unwrap();
        let thoughts: Vec<(usize, Thought)> = said
            .iter()
            .map(|&(stones, lines)| {
                let mut thought = Thought::default();
                for line in lines {
                    thought.hear(&format!("MESSAGE {line}"), Duration::ZERO);
                }
                (stones, thought)
            })
            .collect();
        let time = Duration::from_millis(10);
        let thinking = thoughts.iter().map(|(stones, thought)| Thinking { stones: *stones, thought, time });
        let limits = Limits { nodes: Some(1000), ..Limits::DEFAULT };
        let stones = parse_moves(game, size).unwrap();
        let (_, remarks) = check(&Oracle::new(rule, size), &stones, (0, &limits), &thinking.collect::<Vec<_>>(), end);
        remarks.into_iter().map(|remark| (remark.stones, remark.flaw)).collect()
    }

    /// The same for the first move of a game of two.
    fn at_first(lines: &[&str]) -> Vec<(usize, Flaw)> {
        flaws(Rule::Freestyle, "h8a15", &[(0, lines)], GameEnd::Open)
    }

    #[test]
    fn the_move_must_begin_the_last_line_unless_an_iteration_was_stopped() {
        let other = [(0, OtherMove)];
        assert_eq!(at_first(&["depth 2 n 9 pv i9", "depth 3 n 1000 pv h8 i9"]), []);
        assert_eq!(at_first(&["depth 2 n 9 pv h8", "depth 3 n 1000 pv i9 h8"]), other);
        assert_eq!(at_first(&["depth 3 n 900 pv i9 h8"]), [], "a stopped iteration");
        assert_eq!(at_first(&["depth 3 n 1000 pv h8", "depth 3 n 1000 pv i9"]), [], "two lines of an iteration");
        assert_eq!(at_first(&["depth 3 n 1000 pv h8", "line 2 depth 3 n 1000 pv i9"]), [], "a second line");
        assert_eq!(at_first(&["n 1000 pv none"]), [], "no line");
        assert_eq!(at_first(&["n 1000 pv"]), []);
    }

    /// The second move shows which way of naming points it is.
    #[test]
    fn rows_may_be_counted_from_below_and_named_first() {
        for (first, second) in [("b3", "c4"), ("b13", "c12"), ("c2", "d3"), ("c14", "d13")] {
            let [first, second] = [first, second].map(|name| format!("n 1000 pv {name}"));
            let said: [(usize, &[&str]); 2] = [(0, &[&first]), (2, &[&second])];
            assert_eq!(flaws(Rule::Freestyle, "b3h8c4", &said, GameEnd::Open), [], "{first}");
        }
    }

    #[test]
    fn every_line_is_legal_to_its_end() {
        let illegal = [(0, IllegalLine)];
        for line in ["n 9 pv h8 h8", "n 9 pv h8 z9", "line 2 n 9 pv a1 b1 a1", "n 9 pv [7,7] [15,3]"] {
            assert_eq!(at_first(&["n 1000 pv h8", line, "n 1000 pv h8"]), illegal, "{line}");
        }
        // Black makes a five with its fifth move; after that the game is over.
        let five = "pv h8 a1 i8 a3 j8 a5 k8 a7 l8";
        assert_eq!(at_first(&[five]), []);
        assert_eq!(at_first(&[five, &format!("{five} a9")]), illegal);
        // For black h8 is a double three.
        let opening = "h7a15h6o15g8a13f8o13";
        for (rule, expected) in [(Rule::Renju, vec![(8, IllegalLine)]), (Rule::Standard, vec![])] {
            let said: [(usize, &[&str]); 1] = [(8, &["n 1000 pv i1 i2 h8"])];
            assert_eq!(flaws(rule, &format!("{opening}i1"), &said, GameEnd::Open), expected);
        }
    }

    /// The scores that black announces with its first three moves, and how the game ends for it.
    fn claims(scores: [&str; 3], end: GameEnd) -> Vec<(usize, Flaw)> {
        let lines = scores.map(|score| if score.is_empty() { "hello".to_owned() } else { format!("ev {score}") });
        let said: Vec<[&str; 1]> = lines.iter().map(|line| [line.as_str()]).collect();
        let said: Vec<(usize, &[&str])> = said.iter().enumerate().map(|(index, line)| (2 * index, &line[..])).collect();
        flaws(Rule::Freestyle, "h8a1i8a3j8a5k8", &said, end)
    }

    #[test]
    fn a_win_comes_by_the_time_announced() {
        assert_eq!(claims(["+W7", "+W5", "+W3"], GameEnd::Won), []);
        assert_eq!(claims(["+M5", "+M4", "+M3"], GameEnd::Won), []);
        assert_eq!(claims(["+W7", "", ""], GameEnd::Won), [], "moves without a word");
        assert_eq!(claims(["3", "+W9", "+W3"], GameEnd::Open), []);
        assert_eq!(claims(["+W7", "+W7", "+W5"], GameEnd::Open), [(2, LongerClaim)]);
        assert_eq!(claims(["+M5", "+M5", "+M4"], GameEnd::Open), [(2, LongerClaim)]);
        assert_eq!(claims(["+W7", "34", "+W3"], GameEnd::Won), [(2, BrokenClaim)]);
        assert_eq!(claims(["+W7", "-W4", "3"], GameEnd::Won), [(2, BrokenClaim)]);
        assert_eq!(claims(["3", "+W5", ""], GameEnd::NotWon), [(2, BrokenClaim)]);
        assert_eq!(claims(["3", "+W3", ""], GameEnd::Won), [(2, LongerClaim)]);
        assert_eq!(claims(["+W3", "", ""], GameEnd::Open), [(4, LongerClaim)]);
        assert_eq!(claims(["+W99999999999999999999", "+W", "+Wx"], GameEnd::Open), []);
    }

    #[test]
    fn a_loss_stands_while_its_line_is_played() {
        let said = |reply: &str, score: &str| {
            let (first, second) = (format!("n 1000 ev -W4 pv h8 {reply}"), format!("n 1000 ev {score} pv i8"));
            flaws(Rule::Freestyle, "h8a1i8", &[(0, &[&first]), (2, &[&second])], GameEnd::Open)
        };
        assert_eq!(said("a1", "-W2"), []);
        assert_eq!(said("a1", "-W4"), [(2, LongerClaim)]);
        assert_eq!(said("a1", "20"), [(2, BrokenClaim)]);
        assert_eq!(said("a2", "20"), [], "another reply");
    }

    #[test]
    fn a_deeper_iteration_keeps_what_is_proven() {
        let search = |first: &str, second: &str| {
            at_first(&[&format!("depth 3 ev {first} n 9 pv h8"), &format!("depth 4 ev {second} n 1000 pv h8")])
        };
        assert_eq!(search("+W9", "+W7"), []);
        assert_eq!(search("+W7", "+W9"), [(0, LongerClaim)]);
        assert_eq!(search("+W7", "12"), [(0, BrokenClaim)]);
        assert_eq!(search("-W4", "-W8"), [], "a longer defence");
        assert_eq!(search("-W4", "12"), [(0, BrokenClaim)]);
        assert_eq!(at_first(&["depth 3 ev +W3 pv h8", "line 2 depth 3 ev 12 pv i9"]), []);
        assert_eq!(at_first(&["depth 3 ev +W3 pv h8", "depth 3 ev 12 pv i9"]), [], "two lines of an iteration");
    }
}
