//! Judges each move of a game. Every position is searched, the last one first, so that the value of the position after a
//! move is known when the move is judged.
//!
//! Only moves are judged. A set-up position is taken as it is, even if no game could lead to it.
//!
//! A move is compared with the best move that the search finds: the positions after both are searched with the same number
//! of nodes. A win counts as missed only if it was proven, by the search or by the threat solver, and the position after the
//! move is not a proven win even with several times the nodes.

use super::gamefile::{GameFile, Section};
use crate::base::{Cell, Color, Ply, Point, Rule, Score, Size};
use crate::board::foul_explanation::{Explanation, Ruling};
use crate::board::oracle::Verdict;
use crate::engine::Engine;
use crate::search::SearchReport;
use crate::solver::{Outcome, ProofBuilder, SolverLimits, VctSolver};

/// Moves kept of a line that proves nothing, and of one that proves a win.
const LINE: usize = 12;
const PROVEN_LINE: usize = 40;
/// Largest loss of winning chance of a fine move, and of an inaccuracy.
const FINE: f64 = 0.05;
const INACCURACY: f64 = 0.15;
/// Losses of winning chance below this are noise.
const NOISE: f64 = 0.01;
/// Factor of the nodes for the second search of a move that seems to miss a win.
const SECOND_LOOK: u64 = 5;

/// Work done for each position.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Nodes of the search.
    pub nodes: u64,
    /// Nodes of the threat solver.
    pub solver: u64,
}

impl Effort {
    /// This many nodes of search, and as many solver nodes as take about half the time of that.
    pub fn of_nodes(nodes: u64) -> Effort {
        Effort { nodes, solver: nodes / 4 }
    }
}

/// The quality of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The engine's move, or one as good.
    Best,
    /// Nearly as good.
    Fine,
    /// There was a better move.
    Inaccuracy,
    /// There was a much better move.
    Mistake,
    /// There was a proven win, and it is gone.
    MissedWin,
}

impl Mark {
    /// All marks, from good to bad.
    pub const ALL: [Mark; 5] = [Mark::Best, Mark::Fine, Mark::Inaccuracy, Mark::Mistake, Mark::MissedWin];

    /// The mark in words.
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

/// The value of a position for the side to move.
#[derive(Clone, Debug)]
pub struct Worth {
    /// The score; a proven one if there is one.
    pub score: Score,
    /// The expected line, the best move first; empty when the game is over.
    pub line: Vec<Point>,
}

impl Worth {
    /// The expected result, 0 to 1; a draw is one half.
    pub fn chance(&self) -> f64 {
        f64::from(self.score.win_permille()) / 1000.0
    }
}

/// A judged move. Chances and scores are those of the player who moved.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The move.
    pub point: Point,
    /// The player's colour.
    pub color: Color,
    /// The stones and dead squares before the move.
    pub board: Vec<(Point, Cell)>,
    /// Its quality.
    pub mark: Mark,
    /// Value of the position before it; the line begins with the best move.
    pub before: Worth,
    /// Value of the position after it; the line begins with the reply.
    pub after: Worth,
    /// If the move is forbidden: why.
    pub foul: Option<Box<Explanation>>,
}

impl Judged {
    /// The winning chance that the move lost, 0 to 1.
    pub fn loss(&self) -> f64 {
        (self.before.chance() - self.after.chance()).max(0.0)
    }

    /// If the move missed a proven win: the plies to that win.
    pub fn missed(&self) -> Option<i32> {
        self.before.score.distance().filter(|_| self.mark == Mark::MissedWin)
    }

    /// If the move gave the opponent a proven win: the plies to it.
    pub fn allowed(&self) -> Option<i32> {
        let is_new = self.after.score.is_loss() && !self.before.score.is_loss();
        self.lost_in().filter(|_| is_new && self.foul.is_none())
    }

    /// If the opponent has a proven win after the move: the plies to it, the next one being the first.
    pub fn lost_in(&self) -> Option<i32> {
        self.after.score.distance().filter(|_| self.after.score.is_loss()).map(|distance| distance - 1)
    }
}

/// A judged game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// The position set up before the first move.
    pub setup: Vec<(Point, Cell)>,
    /// Moves of the record that are part of that position.
    pub imposed: usize,
    /// The side to move then.
    pub first: Color,
    /// The moves up to the end of the game.
    pub moves: Vec<Judged>,
    /// How it ended.
    pub end: End,
    /// Moves of the record after the end of the game, which are not judged.
    pub ignored: usize,
    /// Work done for each position.
    pub effort: Effort,
}

impl Review {
    /// The number of a move in the record, from 1; for the number of judged moves, that of the next one.
    pub fn number(&self, index: usize) -> usize {
        self.imposed + index + 1
    }

    /// The number of the last move, 0 without moves.
    pub fn last_number(&self) -> usize {
        self.imposed + self.moves.len()
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The record stops before the game is over.
    Open,
    /// This colour has five.
    Five(Color),
    /// Black played a forbidden point.
    Foul(Ruling),
    /// The board is full.
    Draw,
}

impl End {
    /// The winner, if the board shows one.
    pub fn winner(self) -> Option<Color> {
        match self {
            End::Five(color) => Some(color),
            End::Foul(_) => Some(Color::White),
            End::Open | End::Draw => None,
        }
    }
}

/// The number of positions that are judged at most.
pub fn positions(game: &GameFile) -> usize {
    game.sections().map(|section| section.moves.len() + 1).sum()
}

/// How a game ended on the board.
pub fn end_of(game: &GameFile, rule: Rule) -> End {
    let mut ends = game.sections().map(|section| Played::new(section, rule, game.size).end);
    ends.find(|&end| end != End::Open).unwrap_or(End::Open)
}

/// The moves of a section that were played before the game ended.
struct Played {
    /// Their number.
    count: usize,
    end: End,
    /// If the last one is forbidden: why.
    foul: Option<Box<Explanation>>,
}

impl Played {
    fn new(section: &Section, rule: Rule, size: Size) -> Played {
        if section.winning_setup(rule, size).is_some() {
            return Played { count: 0, end: End::Open, foul: None };
        }
        let mut oracle = Section { moves: Vec::new(), ..section.clone() }.oracle(rule, size);
        for (index, &point) in section.moves.iter().enumerate() {
            let color = section.color(index);
            let before = oracle.clone();
            let (end, foul) = match oracle.play(point, color) {
                Verdict::Continues => continue,
                Verdict::Wins => (End::Five(color), None),
                Verdict::Draw => (End::Draw, None),
                Verdict::Foul(_) => {
                    let explanation = Explanation::new(&before, point);
                    (End::Foul(explanation.ruling), Some(Box::new(explanation)))
                }
                // Excluded by the reader of the record.
                Verdict::Illegal => (End::Open, None),
            };
            return Played { count: index + 1, end, foul };
        }
        Played { count: section.moves.len(), end: End::Open, foul: None }
    }
}

/// Searches the positions of a game.
pub struct Analyst {
    engine: Engine,
    solver: VctSolver,
    effort: Effort,
    /// The setup of the section being judged.
    setup: Vec<(Point, Cell)>,
    /// The colour of its first move.
    first: Color,
}

impl Analyst {
    /// Memory of the search and of the solver, in bytes.
    const MEMORY: u64 = 64 << 20;

    /// An analyst for games of this rule on this board.
    pub fn new(rule: Rule, size: Size, effort: Effort) -> Analyst {
        let mut engine = Engine::new();
        engine.set_rule(rule);
        engine.new_game(size, false);
        engine.options_mut().hash_size = Some(Analyst::MEMORY);
        let solver = VctSolver::new(Analyst::MEMORY);
        Analyst { engine, solver, effort, setup: Vec::new(), first: Color::Black }
    }

    /// Judges a game. `progress` is called after each position.
    pub fn review(&mut self, game: &GameFile, mut progress: impl FnMut()) -> Review {
        let begin = game.earlier.first().unwrap_or(&game.last);
        let mut review = Review {
            rule: self.engine.rule(),
            size: self.engine.size(),
            setup: begin.setup.clone(),
            imposed: game.imposed,
            first: begin.first,
            moves: Vec::new(),
            end: End::Open,
            ignored: 0,
            effort: self.effort,
        };
        for section in game.sections() {
            if review.end == End::Open {
                let (mut moves, end) = self.review_section(section, &mut progress);
                review.ignored += section.moves.len() - moves.len();
                review.moves.append(&mut moves);
                review.end = end;
            } else {
                review.ignored += section.moves.len();
            }
        }
        review
    }

    /// Judges the moves of a section; returns them and how the game ended.
    fn review_section(&mut self, section: &Section, progress: &mut impl FnMut()) -> (Vec<Judged>, End) {
        if section.winning_setup(self.engine.rule(), self.engine.size()).is_some() {
            return (Vec::new(), End::Open);
        }
        (self.setup, self.first) = (section.setup.clone(), section.first);
        let Played { count, end, mut foul } = Played::new(section, self.engine.rule(), self.engine.size());
        let game = &section.moves[..count];
        let mut after = self.last(game, end);
        progress();
        let mut moves = Vec::new();
        for number in (0..count).rev() {
            let foul = if number + 1 == count { foul.take() } else { None };
            let judged = self.judge(&game[..number], game[number], &after, foul);
            // The value of a position is that of its best move, whatever was played.
            after = judged.before.clone();
            moves.push(judged);
            progress();
        }
        moves.reverse();
        (moves, end)
    }

    /// The side to move after these moves.
    fn side_after(&self, game: &[Point]) -> Color {
        if game.len().is_multiple_of(2) { self.first } else { self.first.opponent() }
    }

    /// The stones and dead squares after these moves.
    fn cells(&self, game: &[Point]) -> Vec<(Point, Cell)> {
        let colors = [self.first, self.first.opponent()].map(Cell::from).into_iter().cycle();
        self.setup.iter().copied().chain(game.iter().copied().zip(colors)).collect()
    }

    /// The value of the final position.
    fn last(&mut self, game: &[Point], end: End) -> Worth {
        let score = match end {
            End::Open => return self.look(game, 1),
            End::Five(_) => Score::loss_in(Ply::ROOT, 0),
            End::Foul(_) => Score::win_in(Ply::ROOT, 0),
            End::Draw => Score::DRAW,
        };
        Worth { score, line: Vec::new() }
    }

    /// Judges the move `point` after the moves of `game`. `next` is the value of the position after it.
    fn judge(&mut self, game: &[Point], point: Point, next: &Worth, foul: Option<Box<Explanation>>) -> Judged {
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

    /// Extends a proven line to its end by further searches.
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

    /// The value of a position, by search and solver with `times` the usual nodes.
    fn look(&mut self, game: &[Point], times: u64) -> Worth {
        let (stones, side) = (self.cells(game), self.side_after(game));
        let Some(report) = self.search(&stones, side, self.effort.nodes.saturating_mul(times)) else {
            return Worth { score: Score::DRAW, line: Vec::new() };
        };
        let mut line = report.last.pv;
        if line.first() != report.best.as_ref() {
            line = report.best.into_iter().collect();
        }
        line.truncate(LINE);
        let worth = Worth { score: report.last.score, line };
        if worth.score.is_decisive() || stones.len() < 5 {
            return worth;
        }
        self.solve(side, self.effort.solver.saturating_mul(times)).unwrap_or(worth)
    }

    /// Searches a position; `None` if it is impossible.
    fn search(&mut self, stones: &[(Point, Cell)], side: Color, nodes: u64) -> Option<SearchReport> {
        self.engine.set_position(stones, side).ok()?;
        Some(self.engine.think_to_a_score(nodes))
    }

    /// The first of these moves before which a search alone sees that its player loses, proven or not; an index into `turns`.
    /// Each turn has its own number of nodes, and nothing is known from before.
    pub fn first_sight(&mut self, turns: &[(&Judged, u64)]) -> Option<usize> {
        self.engine.clear_hash();
        turns.iter().position(|&(judged, nodes)| {
            let report = self.search(&judged.board, judged.color, nodes);
            report.is_some_and(|report| report.last.score.seems_lost())
        })
    }

    /// A win by threats for the side to move, if there is one and its whole tree can be built.
    fn solve(&mut self, side: Color, nodes: u64) -> Option<Worth> {
        let mut board = self.engine.board();
        let limits = SolverLimits { nodes, deadline: None };
        if self.solver.solve(&mut board, side, limits).outcome != Outcome::Win {
            return None;
        }
        let proof = ProofBuilder::build(&mut self.solver, &mut board, side, limits)?;
        let mut line = proof.line(&mut board, side);
        line.truncate(LINE.max(proof.distance() as usize));
        Some(Worth { score: Score::win_in(Ply::ROOT, proof.distance() as i32), line })
    }
}

/// The value of a position for the side to move if it plays `point`, from the value of the position after that.
fn through(point: Point, next: &Worth) -> Worth {
    let score = next.score.before_move();
    let mut line = vec![point];
    line.extend(&next.line);
    if !score.is_decisive() {
        line.truncate(LINE);
    }
    Worth { score, line }
}

/// The quality of a move, from what it lost.
fn mark(judged: &Judged) -> Mark {
    let loss = judged.loss();
    // The search believes in a win that it cannot prove against every reply. Such a win is not missed.
    let seems_won = judged.after.score.seems_won();
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
