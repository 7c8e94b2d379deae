//! The solvers against brute force, and their proofs against the verifier.
//!
//! `TENGEN_POSITIONS=50000` sets the number of positions a rule; the normal run takes fewer.

use crate::common::boards::{picture, position_near_the_draw, tactical_position};
use crate::common::proofs::{Twins, accepted};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::HashMap;
use tengen::base::{Cell, Color, Point, Rule};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::board::{Board, NullObserver, Threat};
use tengen::solver::{Hunter, Outcome, Proof, ProofBuilder, SolverLimits, VcfSolver, VctSolver};
use tengen::tools::solve;
use tengen_amount::amount;

/// Sides of the boards, small enough for brute force, and how many of a hundred are nearly full.
const SIDES: std::ops::RangeInclusive<usize> = 6..=9;
const CROWDED: u32 = 10;

fn positions() -> usize {
    amount("TENGEN_POSITIONS", 400, 1_500) as usize
}

fn oracle_of(board: &Board) -> Oracle {
    let mut oracle = Oracle::new(board.rule(), board.size());
    for point in board.size().points() {
        oracle.set(point, board.cell(point));
    }
    oracle
}

/// A brute-force solver on the oracle, without tables of shapes and stop sets.
struct Brute {
    oracle: Oracle,
    attacker: Color,
    known: HashMap<String, bool>,
    work: u32,
}

impl Brute {
    fn empty(&self) -> Vec<Point> {
        self.oracle.size().points().filter(|&p| self.oracle.cell(p) == Cell::Empty).collect()
    }

    fn fives(&self, color: Color) -> Vec<Point> {
        self.empty().into_iter().filter(|&p| self.oracle.wins(p, color)).collect()
    }

    fn key(&self) -> String {
        self.oracle.size().points().map(|p| ['X', 'O', '.', '#'][self.oracle.cell(p) as usize]).collect()
    }

    /// Whether the attacker, to move, wins by fours alone. `None` when that takes too long.
    fn vcf(&mut self) -> Option<bool> {
        if !self.fives(self.attacker).is_empty() {
            return Some(true);
        }
        let key = self.key();
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        self.work += 1;
        if self.work > 400 {
            return None;
        }
        let mut wins = false;
        for point in self.empty() {
            let verdict = self.oracle.play(point, self.attacker);
            if verdict == Verdict::Continues && !self.fives(self.attacker).is_empty() {
                wins = self.every_reply_loses()?;
            }
            self.oracle.set(point, Cell::Empty);
            if wins {
                break;
            }
        }
        self.known.insert(key, wins);
        Some(wins)
    }

    fn every_reply_loses(&mut self) -> Option<bool> {
        let defender = self.attacker.opponent();
        if !self.fives(defender).is_empty() {
            return Some(false);
        }
        for reply in self.empty() {
            let loses = match self.oracle.play(reply, defender) {
                Verdict::Foul(_) => Some(true),
                Verdict::Continues => self.vcf(),
                _ => Some(false),
            };
            self.oracle.set(reply, Cell::Empty);
            if !loses? {
                return Some(false);
            }
        }
        Some(true)
    }
}

fn check_fours(rule: Rule) {
    let mut random = SmallRng::seed_from_u64(7 + rule.number() as u64);
    let mut solver = VcfSolver::new(1 << 20).unwrap();
    let (mut wins, mut failures, mut long) = (0, 0, 0);
    for _ in 0..positions() {
        let mut board = tactical_position(rule, SIDES, CROWDED, &mut random);
        let attacker = board.side();
        let result = solver.solve(&mut board, attacker, 1_000_000);
        let mut brute = Brute { oracle: oracle_of(&board), attacker, known: HashMap::new(), work: 0 };
        let Some(expected) = brute.vcf() else { continue };
        assert_eq!(result.outcome == Outcome::Win, expected, "{result:?}\n{}", picture(&board));
        assert_ne!(result.outcome, Outcome::Unknown);
        if expected {
            wins += 1;
            long += usize::from(result.distance > 3);
            check_line(&board, attacker, &result.line);
            let shortest = solver.solve_shortest(&mut board, attacker, 1_000_000);
            assert!(shortest.distance <= result.distance);
            assert_eq!(shortest.line.len() as u32 + u32::from(ends_by_foul(&board, &shortest.line)), shortest.distance);
        } else {
            failures += 1;
        }
    }
    assert!(
        wins > positions() / 20 && failures > positions() / 20 && long > positions() / 400,
        "{wins} {failures} {long}"
    );
}

fn ends_by_foul(board: &Board, line: &[Point]) -> bool {
    board.rule() == Rule::Renju && line.len().is_multiple_of(2)
}

/// The line is legal, and ends with the attacker's five or a foul of black.
fn check_line(board: &Board, attacker: Color, line: &[Point]) {
    let mut oracle = oracle_of(board);
    let mut color = attacker;
    for (index, &point) in line.iter().enumerate() {
        let verdict = oracle.play(point, color);
        let is_last = index + 1 == line.len();
        let won = verdict == Verdict::Wins && color == attacker;
        let foul = matches!(verdict, Verdict::Foul(_)) && color != attacker;
        assert!(if is_last { won || foul } else { verdict == Verdict::Continues }, "{verdict:?} {}", picture(board));
        color = color.opponent();
    }
}

/// The line is as long as the win: it shows the longest defence. Only a foul of black may end it earlier.
fn check_length(board: &Board, attacker: Color, line: &[Point], proof: &Proof) {
    let ends_with_a_foul = line.len().is_multiple_of(2) && attacker == Color::White;
    assert!(line.len() as u32 == proof.distance() || ends_with_a_foul, "{line:?}\n{}", picture(board));
}

/// A win comes with a proof that the verifier accepts, and with a legal line; the proof is returned.
fn check_proof(solver: &mut VctSolver, board: &mut Board, attacker: Color, limits: SolverLimits) -> String {
    let proof = ProofBuilder::build(solver, board, attacker, limits);
    let proof = proof.unwrap_or_else(|| panic!("no proof of\n{}", picture(board)));
    let line = proof.line(board, attacker);
    check_line(board, attacker, &line);
    check_length(board, attacker, &line, &proof);
    let text = solve::proof_text(board, attacker, &proof);
    let outcome = accepted(&text);
    assert!(outcome.is_ok(), "{outcome:?}\n{}\n{text}", picture(board));
    text
}

/// Every claimed win by threats comes with a proof that the verifier accepts.
fn check_threats(rule: Rule) {
    let mut random = SmallRng::seed_from_u64(70 + rule.number() as u64);
    let mut damage = SmallRng::seed_from_u64(700 + rule.number() as u64);
    let mut solver = VctSolver::new(8 << 20);
    let limits = SolverLimits { nodes: 3000, deadline: None };
    let (mut wins, mut slow, mut twins) = (0, 0, Twins::default());
    for _ in 0..positions() / 5 {
        let mut board = tactical_position(rule, SIDES, CROWDED, &mut random);
        if board.is_draw() {
            continue;
        }
        // Both sides with the same tables: entries about one attacker must not be used for the other.
        for attacker in [board.side().opponent(), board.side()] {
            let by_fours = solver.vcf().solve(&mut board, attacker, 100_000).outcome == Outcome::Win;
            let result = solver.solve(&mut board, attacker, limits);
            assert!(!by_fours || result.outcome == Outcome::Win, "{}", picture(&board));
            if result.outcome == Outcome::Win {
                wins += 1;
                slow += usize::from(!by_fours);
                let proof = check_proof(&mut solver, &mut board, attacker, limits);
                twins.compare(&proof, if by_fours { 1 } else { 20 }, &mut damage);
            }
        }
    }
    assert!(wins > positions() / 100 && slow > positions() / 1000, "{wins} {slow}");
    assert!(twins.accepted > positions() / 100 && twins.refused > positions() / 50, "{twins:?}");
}

/// The verifier accepts every proof of a hunt, also with few moves left to the draw.
#[test]
fn hunts_claim_what_is_won() {
    let mut random = SmallRng::seed_from_u64(77);
    // Few of them are won, and a hunt takes little time.
    let positions = amount("TENGEN_POSITIONS", 1_500, 1_500) as usize;
    let limits = SolverLimits { nodes: 4000, deadline: None };
    let (mut wins, mut late) = (0, 0);
    for index in 0..positions / 5 {
        let is_late = index % 2 == 0;
        let rule = Rule::ALL[index / 2 % Rule::ALL.len()];
        let mut board = if is_late {
            position_near_the_draw(&mut random)
        } else {
            tactical_position(rule, SIDES, CROWDED, &mut random)
        };
        let attacker = board.side();
        if board.is_draw() || board.count(attacker, Threat::Five) > 0 {
            continue;
        }
        let (mut solver, mut hunter) = (VctSolver::new(1 << 20), Hunter::new(1 << 20));
        let Some(proof) = ProofBuilder::hunt(&mut solver, &mut hunter, &mut board, attacker, limits) else { continue };
        let text = solve::proof_text(&board, attacker, &proof);
        assert_eq!(accepted(&text), Ok(()), "{}\n{text}", picture(&board));
        let line = proof.line(&mut board.clone(), attacker);
        check_line(&board, attacker, &line);
        check_length(&board, attacker, &line, &proof);
        *if is_late { &mut late } else { &mut wins } += 1;
    }
    assert!(wins > positions / 100 && late > positions / 200, "{wins} {late}");
}

/// The verifier's areas depend on this: a black move that cannot become a foul is none after any white stones.
#[test]
fn white_stones_make_no_foul_of_a_move_that_cannot_become_one() {
    let mut random = SmallRng::seed_from_u64(12);
    let (mut harmless, mut suspects) = (0, 0);
    for _ in 0..positions() {
        let mut oracle = oracle_of(&tactical_position(Rule::Renju, SIDES, CROWDED, &mut random));
        let empty: Vec<Point> = oracle.size().points().filter(|&p| oracle.cell(p) == Cell::Empty).collect();
        let cannot: Vec<Point> = empty.iter().copied().filter(|&p| !oracle.may_become_foul(p)).collect();
        suspects += empty.iter().filter(|&&p| oracle.may_become_foul(p) && oracle.foul(p).is_none()).count();
        for &point in &empty {
            if random.random_bool(0.15) {
                oracle.set(point, Cell::White);
            }
        }
        assert!(cannot.iter().all(|&point| oracle.foul(point).is_none()), "{oracle:?}");
        harmless += cannot.len();
    }
    assert!(harmless > positions() && suspects > 0, "{harmless} {suspects}");
}

/// Results about a position with one side as the attacker are not used with the other side as the attacker.
#[test]
fn attacks_of_both_sides_are_kept_apart() {
    let mut random = SmallRng::seed_from_u64(11);
    let limits = SolverLimits { nodes: 1000, deadline: None };
    let mut compared = 0;
    for _ in 0..positions() / 100 {
        let mut board = tactical_position(Rule::Freestyle, SIDES, CROWDED, &mut random);
        let attacker = board.side();
        let mut shared = VctSolver::new(8 << 20);
        shared.solve(&mut board, attacker, limits);
        let mut points = Vec::new();
        board.for_each_near(|point| points.push(point));
        for point in points {
            if board.threat(point, attacker) == Threat::Five {
                continue;
            }
            board.play(point, &mut NullObserver);
            let alone = VctSolver::new(1 << 20).solve(&mut board, attacker.opponent(), limits).outcome;
            let after = shared.solve(&mut board, attacker.opponent(), limits).outcome;
            compared += usize::from(![alone, after].contains(&Outcome::Unknown));
            let conflict = [alone, after].contains(&Outcome::Win) && [alone, after].contains(&Outcome::NoWin);
            assert!(!conflict, "{alone:?} {after:?}\n{}", picture(&board));
            board.undo(&mut NullObserver);
        }
    }
    assert!(compared > positions() / 10, "{compared}");
}

#[test]
fn freestyle_fours() {
    check_fours(Rule::Freestyle);
}

#[test]
fn standard_fours() {
    check_fours(Rule::Standard);
}

#[test]
fn renju_fours() {
    check_fours(Rule::Renju);
}

#[test]
fn caro_fours() {
    check_fours(Rule::Caro);
}

#[test]
fn caro_exact_fours() {
    check_fours(Rule::CaroExact);
}

#[test]
fn freestyle_threats() {
    check_threats(Rule::Freestyle);
}

#[test]
fn standard_threats() {
    check_threats(Rule::Standard);
}

#[test]
fn renju_threats() {
    check_threats(Rule::Renju);
}

#[test]
fn caro_threats() {
    check_threats(Rule::Caro);
}

#[test]
fn caro_exact_threats() {
    check_threats(Rule::CaroExact);
}
