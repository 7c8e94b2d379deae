//! What each move of a game was worth: every position searched, the last one first, so that what came of a move is
//! known when it is judged. Floor 6.
//!
//! Only what was played is judged. What a record sets up is a position like any other, even one that no game could
//! have come to.
//!
//! A move is compared with the best one the search knows on equal terms: the position after either is searched with as
//! many nodes. A win counts as missed only when it was proven, by the search or by the solver for threats, and the
//! position after the move is not a proven win even with several times the nodes.

use tengen::base::{Cell, Color, Ply, Point, Rule, Score, Size};
use tengen::board::lesson::{Lesson, Ruling};
use tengen::board::oracle::Verdict;
use tengen::engine::Engine;
use tengen::search::{NullSink, SearchControl, SearchLimits};
use tengen::solver::{ProofBuilder, VctLimits, VctOutcome, VctSolver};
use tengen::tools::gamefile::{GameFile, Section};

/// Moves of a line that are kept, where it proves nothing and where it does.
const LINE: usize = 12;
const PROVEN_LINE: usize = 40;
/// Winning chance that a move may lose to be fine, and to be no more than an inaccuracy.
const FINE: f64 = 0.05;
const INACCURACY: f64 = 0.15;
/// Losses below this are noise.
const NOISE: f64 = 0.01;
/// How many times the nodes a win gets before it counts as missed.
const SECOND_LOOK: u64 = 5;

/// How much each position gets.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Nodes of search.
    pub nodes: u64,
    /// Nodes of the solver for threats.
    pub solver: u64,
}

impl Effort {
    /// With as much for the solver as it takes about half the time.
    pub fn of_nodes(nodes: u64) -> Effort {
        Effort { nodes, solver: nodes / 4 }
    }
}

/// What a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// What the engine would play, or as good.
    Best,
    /// Nearly as good.
    Fine,
    /// A better move was there.
    Inaccuracy,
    /// A much better move was there.
    Mistake,
    /// A proven win was there, and is gone.
    MissedWin,
}

impl Mark {
    /// All marks.
    pub const ALL: [Mark; 5] = [Mark::Best, Mark::Fine, Mark::Inaccuracy, Mark::Mistake, Mark::MissedWin];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Best => "best",
            Mark::Fine => "fine",
            Mark::Inaccuracy => "inaccuracy",
            Mark::Mistake => "mistake",
            Mark::MissedWin => "missed win",
        }
    }
}

/// What a position is worth to the side to move.
#[derive(Clone, Debug)]
pub struct Worth {
    /// The score; a proven one where there is one.
    pub score: Score,
    /// The expected line, the best move first; empty when the game is over.
    pub line: Vec<Point>,
}

impl Worth {
    /// The chance to win, half a draw counting in.
    pub fn chance(&self) -> f64 {
        f64::from(self.score.win_permille()) / 1000.0
    }
}

/// One move, judged. Chances and scores are those of the player who moved.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The move.
    pub point: Point,
    /// Who played it.
    pub color: Color,
    /// What was on the board before it.
    pub board: Vec<(Point, Cell)>,
    /// What it was.
    pub mark: Mark,
    /// What the position was worth before it.
    pub before: Worth,
    /// What it was worth after it; the line is the reply and what follows.
    pub after: Worth,
    /// Why the move loses by the rules alone.
    pub foul: Option<Box<Lesson>>,
}

impl Judged {
    /// The winning chance that the move gave away.
    pub fn loss(&self) -> f64 {
        (self.before.chance() - self.after.chance()).max(0.0)
    }

    /// Moves to the proven win that was there before.
    pub fn missed(&self) -> Option<i32> {
        self.before.score.distance().filter(|_| self.mark == Mark::MissedWin)
    }

    /// Moves to the proven win that the opponent has now and had not before.
    pub fn allowed(&self) -> Option<i32> {
        let is_new = self.after.score.is_loss() && !self.before.score.is_loss();
        self.lost_in().filter(|_| is_new && self.foul.is_none())
    }

    /// Moves to the opponent's proven win, from their next one on.
    pub fn lost_in(&self) -> Option<i32> {
        self.after.score.distance().filter(|_| self.after.score.is_loss()).map(|distance| distance - 1)
    }
}

/// A game, judged.
#[derive(Clone, Debug)]
pub struct Review {
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// What was set up before the first move.
    pub setup: Vec<(Point, Cell)>,
    /// Whose turn it was then.
    pub first: Color,
    /// The moves, as far as the game went.
    pub moves: Vec<Judged>,
    /// How it ended.
    pub end: End,
    /// Moves of the record after the end of the game, not looked at.
    pub ignored: usize,
    /// What each position got.
    pub effort: Effort,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The record stops before the game is over.
    Open,
    /// Somebody has five.
    Five(Color),
    /// Black played a forbidden point.
    Foul(Ruling),
    /// No room is left.
    Draw,
}

/// Searches the positions of a game.
pub struct Analyst {
    engine: Engine,
    solver: VctSolver,
    effort: Effort,
    /// What the moves at hand are played from.
    setup: Vec<(Point, Cell)>,
    /// Who plays the first of them.
    first: Color,
}

impl Analyst {
    /// Memory of the search and of the solver, in bytes.
    const MEMORY: u64 = 64 << 20;

    /// For games of this rule on this board.
    pub fn new(rule: Rule, size: Size, effort: Effort) -> Analyst {
        let mut engine = Engine::new();
        engine.set_rule(rule);
        engine.new_game(size, false);
        engine.options_mut().hash_size = Some(Analyst::MEMORY);
        let solver = VctSolver::new(Analyst::MEMORY);
        Analyst { engine, solver, effort, setup: Vec::new(), first: Color::Black }
    }

    /// Judges a game. `tell` is called once a position.
    pub fn review(&mut self, game: &GameFile, mut tell: impl FnMut()) -> Review {
        let begin = game.earlier.first().unwrap_or(&game.last);
        let mut review = Review {
            rule: self.engine.rule(),
            size: self.engine.size(),
            setup: begin.setup.clone(),
            first: begin.first,
            moves: Vec::new(),
            end: End::Open,
            ignored: 0,
            effort: self.effort,
        };
        for section in game.sections() {
            if review.end == End::Open {
                let (mut moves, end) = self.review_section(section, &mut tell);
                review.ignored += section.moves.len() - moves.len();
                review.moves.append(&mut moves);
                review.end = end;
            } else {
                review.ignored += section.moves.len();
            }
        }
        review
    }

    /// Judges moves in turns, and says how the game ended with them.
    fn review_section(&mut self, section: &Section, tell: &mut impl FnMut()) -> (Vec<Judged>, End) {
        if section.winning_setup(self.engine.rule(), self.engine.size()).is_some() {
            return (Vec::new(), End::Open);
        }
        (self.setup, self.first) = (section.setup.clone(), section.first);
        let stones = &section.moves;
        let setup = Section { moves: Vec::new(), ..section.clone() };
        let mut oracle = setup.oracle(self.engine.rule(), self.engine.size());
        let (mut end, mut foul, mut count) = (End::Open, None, stones.len());
        for (index, &point) in stones.iter().enumerate() {
            let color = section.color(index);
            let before = oracle.clone();
            end = match oracle.play(point, color) {
                Verdict::Continues => continue,
                Verdict::Wins => End::Five(color),
                Verdict::Draw => End::Draw,
                Verdict::Foul(_) => {
                    let lesson = Lesson::new(&before, point);
                    let ruling = lesson.ruling;
                    foul = Some(Box::new(lesson));
                    End::Foul(ruling)
                }
                // The reader has refused points that are taken or off the board.
                Verdict::Illegal => End::Open,
            };
            count = index + 1;
            break;
        }
        let game = &stones[..count];
        let mut after = self.last(game, end);
        tell();
        let mut moves = Vec::new();
        for number in (0..count).rev() {
            let foul = if number + 1 == count { foul.take() } else { None };
            let judged = self.judge(&game[..number], game[number], &after, foul);
            // Only what the best move is worth goes further back.
            after = judged.before.clone();
            moves.push(judged);
            tell();
        }
        moves.reverse();
        (moves, end)
    }

    /// Who is to move after these moves.
    fn side_after(&self, game: &[Point]) -> Color {
        if game.len().is_multiple_of(2) { self.first } else { self.first.opponent() }
    }

    /// What is on the board after these moves.
    fn cells(&self, game: &[Point]) -> Vec<(Point, Cell)> {
        let colors = [self.first, self.first.opponent()].map(Cell::from).into_iter().cycle();
        self.setup.iter().copied().chain(game.iter().copied().zip(colors)).collect()
    }

    /// What the last position is worth to the side to move.
    fn last(&mut self, game: &[Point], end: End) -> Worth {
        let score = match end {
            End::Open => return self.look(game, 1),
            End::Five(_) => Score::loss_in(Ply::ROOT, 0),
            End::Foul(_) => Score::win_in(Ply::ROOT, 0),
            End::Draw => Score::DRAW,
        };
        Worth { score, line: Vec::new() }
    }

    /// Judges the move `point` after the stones of `game`. `next` is what the position after it is worth.
    fn judge(&mut self, game: &[Point], point: Point, next: &Worth, foul: Option<Box<Lesson>>) -> Judged {
        let (color, board) = (self.side_after(game), self.cells(game));
        let mut after = through(point, next);
        after.line.remove(0);
        let found = self.look(game, 1);
        let best = found.line.first().copied().unwrap_or(point);
        let mut before = after.clone();
        before.line.insert(0, point);
        if best != point && !after.score.is_win() {
            let other = if found.score.is_win() {
                found
            } else {
                let mut with = game.to_vec();
                with.push(best);
                let reply = self.look(&with, 1);
                through(best, &reply)
            };
            if other.score > before.score {
                before = other;
            }
        }
        if before.score.is_win() && !after.score.is_win() && foul.is_none() {
            let mut with = game.to_vec();
            with.push(point);
            let again = self.look(&with, SECOND_LOOK);
            if again.score.is_loss() {
                after = through(point, &again);
                before = after.clone();
                after.line.remove(0);
            }
        }
        let mut judged = Judged { point, color, board, mark: Mark::Best, before, after, foul };
        judged.mark = mark(&judged);
        if let Some(distance) = judged.missed() {
            self.complete(game.to_vec(), &mut judged.before.line, distance);
        }
        if let Some(distance) = judged.allowed() {
            self.complete([game, &[point]].concat(), &mut judged.after.line, distance);
        }
        judged
    }

    /// Goes on with a proven line to its end, where the search has told its beginning only.
    fn complete(&mut self, mut game: Vec<Point>, line: &mut Vec<Point>, distance: i32) {
        game.extend(line.iter());
        let length = PROVEN_LINE.min(distance as usize);
        while line.len() < length {
            let next = self.look(&game, 1);
            let Some(left) = next.score.distance() else { break };
            game.extend(&next.line);
            line.extend(&next.line);
            if next.line.is_empty() || next.line.len() == left as usize {
                break;
            }
        }
    }

    /// Searches a position: what it is worth to the side to move.
    fn look(&mut self, game: &[Point], times: u64) -> Worth {
        let (stones, side) = (self.cells(game), self.side_after(game));
        if self.engine.set_position(&stones, side).is_err() {
            return Worth { score: Score::DRAW, line: Vec::new() };
        }
        let control = SearchControl::default();
        control.begin(SearchLimits { nodes: Some(self.effort.nodes * times), ..SearchLimits::default() });
        let report = self.engine.think(&control, &mut NullSink);
        let mut line = report.last.pv;
        if line.first() != report.best.as_ref() {
            line = report.best.into_iter().collect();
        }
        line.truncate(LINE);
        let worth = Worth { score: report.last.score, line };
        if worth.score.is_decisive() || stones.len() < 5 {
            return worth;
        }
        self.solve(side, self.effort.solver * times).unwrap_or(worth)
    }

    /// A win by threats of the side to move, when there is one and its whole tree can be written down.
    fn solve(&mut self, side: Color, nodes: u64) -> Option<Worth> {
        let mut board = self.engine.board();
        let limits = VctLimits { nodes, deadline: None };
        if self.solver.solve(&mut board, side, limits).outcome != VctOutcome::Win {
            return None;
        }
        let proof = ProofBuilder::build(&mut self.solver, &mut board, side, limits)?;
        let mut line = proof.line(&mut board, side);
        line.truncate(LINE.max(proof.distance() as usize));
        Some(Worth { score: Score::win_in(Ply::ROOT, proof.distance() as i32), line })
    }
}

/// What a position is worth to the side to move, seen through a move of theirs and what the position after it is worth.
fn through(point: Point, next: &Worth) -> Worth {
    let score = match next.score.distance() {
        Some(distance) if next.score.is_loss() => Score::win_in(Ply::ROOT, distance + 1),
        Some(distance) => Score::loss_in(Ply::ROOT, distance + 1),
        None => -next.score,
    };
    let mut line = vec![point];
    line.extend(&next.line);
    if !score.is_decisive() {
        line.truncate(LINE);
    }
    Worth { score, line }
}

/// What a move was, from what it gave away.
fn mark(judged: &Judged) -> Mark {
    let loss = judged.loss();
    // Where only the likely replies have been shown to lose, the win is believed and not proven. It is not missed.
    let seems_won = judged.after.score >= Score::estimate(Score::EVAL_LIMIT);
    match judged {
        _ if judged.foul.is_some() => Mark::Mistake,
        _ if judged.before.score.is_win() && !seems_won => Mark::MissedWin,
        _ if judged.before.line.first() == Some(&judged.point) || loss < NOISE => Mark::Best,
        _ if judged.allowed().is_some() => Mark::Mistake,
        _ if loss < FINE => Mark::Fine,
        _ if loss < INACCURACY => Mark::Inaccuracy,
        _ => Mark::Mistake,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_by_what_was_given_away_and_by_proofs() {
        let point = |x| Point::new(x, 7).unwrap();
        let of = |played: usize, best: usize, before: Score, after: Score| {
            let before = Worth { score: before, line: vec![point(best)] };
            let after = Worth { score: after, line: Vec::new() };
            let (color, board) = (Color::Black, Vec::new());
            mark(&Judged { point: point(played), color, board, mark: Mark::Best, before, after, foul: None })
        };
        let win = |moves| Score::win_in(Ply::ROOT, moves);
        let loss = |moves| Score::loss_in(Ply::ROOT, moves);
        let even = Score::DRAW;
        assert_eq!(of(1, 1, even, even), Mark::Best);
        assert_eq!(of(1, 2, even, even - 1), Mark::Best);
        assert_eq!(of(1, 2, even, even - 30), Mark::Fine);
        assert_eq!(of(1, 2, even, even - 80), Mark::Inaccuracy);
        assert_eq!(of(1, 2, even, even - 300), Mark::Mistake);
        assert_eq!(of(1, 2, Score::estimate(-600), loss(6)), Mark::Mistake, "a proven win is allowed");
        assert_eq!(of(1, 2, loss(8), loss(2)), Mark::Best, "lost before, lost after");
        assert_eq!(of(1, 2, win(9), Score::estimate(900)), Mark::MissedWin);
        assert_eq!(of(1, 2, win(9), Score::estimate(Score::EVAL_LIMIT)), Mark::Best, "believed to be won still");
        assert_eq!(of(1, 2, win(5), win(9)), Mark::Best, "a longer win is a win");
    }
}
