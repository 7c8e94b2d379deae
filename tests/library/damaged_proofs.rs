//! Damaged proofs: whatever is changed in a proof, `verify` accepts none that is not true. What is true is found out by a
//! second reading of the format, which tries every reply, and on small boards by playing out all games.
//!
//! `TENGEN_DAMAGED=10000` sets the number of damaged proofs; the normal run takes fewer.

use crate::common::seeded;
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use std::collections::HashMap;
use tengen::base::{Cell, Color, Direction, Point, Rule, Size};
use tengen::board::notation::{self, parse_moves};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::board::{Board, NullObserver};
use tengen::solver::{Hunter, Outcome, ProofBuilder, SolverLimits, VctSolver};
use tengen::tools::{positions, solve, verify};
use tengen_amount::amount;

/// Known wins; the proofs of their later positions are short.
const WINS: &str = include_str!("../data/forced_wins.txt");
const VCF_WINS: &str = include_str!("../data/vcf_wins.txt");

/// A node: the move, the listed replies with their nodes, and the node after `else`.
type ReadNode = (Point, Vec<(Point, usize)>, Option<usize>);

/// A proof as its lines say, with no check but that of the form.
struct Reading {
    oracle: Oracle,
    counts: [usize; 2],
    attacker: Color,
    passes: bool,
    nodes: Vec<ReadNode>,
    /// What is known about nodes in positions.
    known: HashMap<(usize, Vec<Cell>), bool>,
}

impl Reading {
    fn of(text: &str) -> Reading {
        let mut lines = text.lines().skip(1);
        let mut field = || lines.next().unwrap().split_once(' ').map_or("", |(_, rest)| rest);
        let rule = Rule::from_bits(field().parse().unwrap()).unwrap();
        let (width, height) = field().split_once(' ').unwrap();
        let size = Size::new(width.parse().unwrap(), height.parse().unwrap()).unwrap();
        let mut oracle = Oracle::new(rule, size);
        let mut counts = [0; 2];
        for color in Color::ALL {
            let points = parse_moves(field(), size).unwrap();
            counts[color.index()] = points.len();
            for &point in &points {
                oracle.set(point, color.into());
            }
        }
        let attacker = if field() == "black" { Color::Black } else { Color::White };
        let rest: Vec<&str> = lines.take_while(|&line| line != "end").collect();
        let passes = rest.first() == Some(&"pass");
        let nodes = rest[usize::from(passes)..].iter().map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let point = |word: &str| parse_moves(word, size).unwrap()[0];
            let named = words[2..].iter().filter_map(|word| word.split_once(':'));
            let named = named.map(|(reply, node)| (point(reply), node.parse().unwrap())).collect();
            let has_rest = words.contains(&"else");
            (point(words[1]), named, has_rest.then(|| words[words.len() - 1].parse().unwrap()))
        });
        Reading { oracle, counts, attacker, passes, nodes: nodes.collect(), known: HashMap::new() }
    }

    /// Whether the start position has no winning row, the right numbers of stones and the right side to move.
    fn has_sound_start(&self) -> bool {
        let [black, white] = self.counts;
        let turn = if black == white { Color::Black } else { Color::White };
        let is_over = self
            .oracle
            .size()
            .points()
            .any(|point| Direction::ALL.into_iter().any(|direction| self.is_end(point, direction)));
        !is_over && (black == white || black == white + 1) && (turn == self.attacker) != self.passes
    }

    /// Whether a row that begins here and has this direction ends the game.
    fn is_end(&self, point: Point, direction: Direction) -> bool {
        let at = |steps: i32| point.step(direction, steps).map_or(Cell::Wall, |point| self.oracle.cell(point));
        let cell = at(0);
        let Some(color) = cell.color() else { return false };
        if at(-1) == cell {
            return false;
        }
        let length = (0..Size::MAX_SIDE as i32).take_while(|&steps| at(steps) == cell).count();
        let is_blocked = [at(-1), at(length as i32)] == [color.opponent().into(); 2];
        match self.oracle.rule() {
            Rule::Freestyle | Rule::Renju => length >= 5,
            Rule::Standard => length == 5,
            Rule::Caro => length > 5 || (length == 5 && !is_blocked),
            Rule::CaroExact => length == 5 && !is_blocked,
        }
    }

    /// Whether a node holds in the position on the board, by the words of the format.
    fn holds(&mut self, node: usize) -> bool {
        let key = (node, self.oracle.size().points().map(|point| self.oracle.cell(point)).collect());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let (point, named, rest) = self.nodes[node].clone();
        let (us, them) = (self.attacker, self.attacker.opponent());
        let outcome = self.oracle.play(point, us);
        if outcome == Verdict::Illegal {
            return false;
        }
        let empty: Vec<Point> = self.oracle.size().points().filter(|&p| self.oracle.cell(p) == Cell::Empty).collect();
        // A stone of the other side makes no new five.
        let fives: Vec<Point> = empty.iter().copied().filter(|&p| self.oracle.wins(p, us)).collect();
        let holds = outcome == Verdict::Wins
            || (outcome == Verdict::Continues
                && empty.iter().all(|&reply| {
                    let holds = match self.oracle.play(reply, them) {
                        Verdict::Foul(_) => true,
                        Verdict::Continues => match named.iter().find(|(listed, _)| *listed == reply) {
                            Some(&(_, next)) => self.holds(next),
                            None => {
                                fives.iter().any(|&p| p != reply && self.oracle.wins(p, us))
                                    || rest.is_some_and(|next| self.holds(next))
                            }
                        },
                        _ => false,
                    };
                    self.oracle.set(reply, Cell::Empty);
                    holds
                }));
        self.oracle.set(point, Cell::Empty);
        self.known.insert(key, holds);
        holds
    }

    /// How often one after the other a node leaves the reply open.
    fn open_replies(&self, node: usize) -> usize {
        let (_, named, rest) = &self.nodes[node];
        let after = |next: usize| self.open_replies(next);
        named.iter().map(|&(_, next)| after(next)).chain(rest.map(|next| 1 + after(next))).max().unwrap_or(0)
    }
}

/// Moves to the draw from which on all games are played out: in renju many points are still empty then.
fn playable(rule: Rule) -> usize {
    if rule == Rule::Renju { 4 } else { 9 }
}

/// The value of a position for `color`, to move, by playing out all games: 1 for a win, -1 for a loss.
fn can_force(oracle: &mut Oracle, color: Color, known: &mut HashMap<(Vec<Cell>, Color), i32>) -> i32 {
    let position: Vec<Cell> = oracle.size().points().map(|point| oracle.cell(point)).collect();
    let key = (position, color);
    if let Some(&value) = known.get(&key) {
        return value;
    }
    let empty: Vec<Point> = oracle.size().points().filter(|&p| oracle.cell(p) == Cell::Empty).collect();
    let mut best = if empty.iter().any(|&point| oracle.wins(point, color)) { 1 } else { -1 };
    for point in empty {
        if best == 1 {
            break;
        }
        let value = match oracle.play(point, color) {
            Verdict::Wins => 1,
            Verdict::Foul(_) => -1,
            Verdict::Draw | Verdict::Illegal => 0,
            Verdict::Continues => -can_force(oracle, color.opponent(), known),
        };
        oracle.set(point, Cell::Empty);
        best = best.max(value);
    }
    known.insert(key, best);
    best
}

/// Proofs on boards that are nearly full or, in renju, nearly drawn, so that all games can be played out.
fn small_proofs(count: usize, random: &mut SmallRng) -> Vec<String> {
    let mut proofs = Vec::new();
    let (mut solver, mut hunter) = (VctSolver::new(1 << 20), Hunter::new(1 << 20));
    let limits = SolverLimits { nodes: 3000, deadline: None };
    while proofs.len() < count {
        let rule = *Rule::ALL.choose(random).unwrap();
        let size = Size::new(random.random_range(5..=7), random.random_range(5..=6)).unwrap();
        let mut board = Board::new(rule, size);
        let mut oracle = Oracle::new(rule, size);
        let last = rule.draw_at(size.cells());
        for _ in 0..500 {
            let point =
                Point::new(random.random_range(0..size.width()), random.random_range(0..size.height())).unwrap();
            if oracle.cell(point) != Cell::Empty {
                continue;
            }
            if oracle.play(point, board.side()) != Verdict::Continues {
                oracle.set(point, Cell::Empty);
                continue;
            }
            board.play(point, &mut NullObserver);
            let left = last - board.occupied();
            let is_small = left <= playable(rule);
            // The side that has just moved may threaten something, too.
            let attacker = if random.random_bool(0.1) { board.side().opponent() } else { board.side() };
            if !is_small || left < 2 {
                continue;
            }
            let proof = if attacker == board.side() {
                ProofBuilder::hunt(&mut solver, &mut hunter, &mut board, attacker, limits)
            } else if solver.solve(&mut board, attacker, limits).outcome == Outcome::Win {
                ProofBuilder::build(&mut solver, &mut board, attacker, limits)
            } else {
                None
            };
            hunter.clear();
            if let Some(proof) = proof {
                proofs.push(solve::proof_text(&board, attacker, &proof));
                break;
            }
        }
    }
    proofs
}

/// Proofs on boards of the usual size, short enough to try every reply.
fn large_proofs() -> Vec<String> {
    let mut proofs = Vec::new();
    for position in [WINS, VCF_WINS].map(|text| positions::parse(text).unwrap()).concat() {
        let (mut board, attacker) = (position.board(), position.side());
        let mut solver = VctSolver::new(16 << 20);
        let limits = SolverLimits { nodes: 1_000_000, deadline: None };
        if solver.solve(&mut board, attacker, limits).outcome == Outcome::Win
            && let Some(proof) = ProofBuilder::build(&mut solver, &mut board, attacker, limits)
            && proof.nodes.len() <= 40
        {
            let text = solve::proof_text(&board, attacker, &proof);
            if Reading::of(&text).open_replies(proof.nodes.len() - 1) <= 1 {
                proofs.push(text);
            }
        }
    }
    proofs
}

/// Changes one thing in a proof: the rule, the size, the stones, who attacks, or the nodes.
fn damage(proof: &str, random: &mut SmallRng) -> String {
    let mut lines: Vec<String> = proof.lines().map(str::to_owned).collect();
    let sides: Vec<usize> = lines[2].split(' ').skip(1).map(|side| side.parse().unwrap()).collect();
    let point = |random: &mut SmallRng| {
        let point = Point::new(random.random_range(0..sides[0]), random.random_range(0..sides[1])).unwrap();
        notation::name(point)
    };
    let first = lines.iter().position(|line| line.starts_with("0 ")).unwrap();
    let (nodes, end) = (lines.len() - 1 - first, lines.len() - 1);
    let at = random.random_range(first..end);
    let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
    let color = random.random_range(3..=4);
    let stones: Vec<String> = lines[color].split(' ').map(str::to_owned).collect();
    match random.random_range(0..14) {
        0 => lines[1] = format!("rule {}", Rule::ALL.choose(random).unwrap().number()),
        1 => {
            let side = random.random_range(0..2);
            let mut sides = sides.clone();
            sides[side] = (sides[side] + 1).min(Size::MAX_SIDE);
            lines[2] = format!("size {} {}", sides[0], sides[1]);
        }
        2 => lines.swap(3, 4),
        3 => lines[5] = ["attacker black", "attacker white"].choose(random).unwrap().to_string(),
        4 if first == 6 => lines.insert(6, "pass".into()),
        4 => drop(lines.remove(6)),
        // Stones: one more, one fewer, moved, recoloured.
        5 => lines[color].extend([" ", &point(random)]),
        6 if stones.len() > 1 => drop_word(&mut lines[color], random.random_range(1..stones.len())),
        7 | 8 if stones.len() > 1 => {
            let index = random.random_range(1..stones.len());
            drop_word(&mut lines[color], index);
            let moved = if random.random() { point(random) } else { stones[index].clone() };
            let other = if random.random() { color } else { 7 - color };
            lines[other].extend([" ", &moved]);
        }
        // The last node goes, so that another becomes the claim.
        9 if nodes > 1 => drop(lines.remove(end - 1)),
        10 => words[1] = point(random),
        11 if words.len() > 2 => drop(words.remove(random.random_range(2..words.len()))),
        12 if words.len() > 2 => {
            let index = random.random_range(2..words.len());
            let node = random.random_range(0..(at - first).max(1));
            words[index] = match words[index].split_once(':') {
                Some((reply, _)) if random.random() => format!("{reply}:{node}"),
                Some((_, next)) => format!("{}:{next}", point(random)),
                None if words[index] == "else" => format!("{}:{node}", point(random)),
                None => node.to_string(),
            };
        }
        _ => words.insert(2, format!("{}:{}", point(random), random.random_range(0..(at - first).max(1)))),
    }
    if lines.len() == end + 1 && lines[at].split(' ').next() == Some(&words[0]) {
        lines[at] = words.join(" ");
    }
    lines.join("\n") + "\n"
}

fn drop_word(line: &mut String, index: usize) {
    let mut words: Vec<&str> = line.split(' ').collect();
    words.remove(index);
    *line = words.join(" ");
}

#[derive(Debug, Default)]
struct Tally {
    malformed: usize,
    refused: usize,
    accepted: usize,
    played_out: usize,
}

impl Tally {
    fn judge(&mut self, text: &str, is_small: bool) {
        let Ok(claims) = verify::parse(text) else {
            self.malformed += 1;
            return;
        };
        let outcome = claims[0].verify(false).map_err(|error| format!("{error:#}"));
        let every_reply = claims[0].verify(true).map_err(|error| format!("{error:#}"));
        assert_eq!(outcome, every_reply, "{text}");
        if let Err(reason) = outcome {
            assert!(!reason.is_empty(), "{text}");
            self.refused += 1;
            return;
        }
        self.accepted += 1;
        let mut reading = Reading::of(text);
        assert!(reading.has_sound_start(), "start\n{text}");
        assert!(reading.holds(reading.nodes.len() - 1), "tree\n{text}");
        let size = reading.oracle.size();
        let left = reading.oracle.rule().draw_at(size.cells()).saturating_sub(reading.oracle.stones());
        if is_small && left <= playable(reading.oracle.rule()) {
            let value = can_force(&mut reading.oracle, reading.attacker, &mut HashMap::new());
            assert_eq!(value, 1, "all games\n{text}");
            self.played_out += 1;
        }
    }
}

/// Bug: some proofs were accepted whose start position no game can reach.
#[test]
fn no_damaged_proof_is_accepted_that_is_not_true() {
    let total = amount("TENGEN_DAMAGED", 40, 400) as usize;
    let mut random = seeded(22);
    let small = small_proofs(total / 25 + 10, &mut random);
    let large = large_proofs();
    assert!(large.len() > 5, "{}", large.len());
    let mut tally = Tally::default();
    for proof in small.iter().chain(&large) {
        assert!(verify::parse(proof).unwrap()[0].verify(false).is_ok(), "undamaged\n{proof}");
    }
    for index in 0..total {
        let is_small = index % 5 > 0;
        let proof = if is_small { &small[index % small.len()] } else { &large[index / 5 % large.len()] };
        let mut damaged = damage(proof, &mut random);
        // Few are malformed.
        while verify::parse(&damaged).is_err() && random.random_bool(0.9) {
            damaged = damage(proof, &mut random);
        }
        // A second change now and then: it may repair what the first has made impossible, such as the number of stones.
        if random.random_bool(0.3) && verify::parse(&damaged).is_ok() {
            damaged = damage(&damaged, &mut random);
        }
        tally.judge(&damaged, is_small);
    }
    println!("{total} damaged proofs: {tally:?}");
    assert!(tally.accepted > total / 20 && tally.refused > total / 4 && tally.played_out > total / 50, "{tally:?}");
}

/// Bug: whether a reply matters was asked anew at each level of a proof that fails at its end, which took twice as long with each
/// further level.
#[test]
fn a_long_false_proof_is_refused_at_once() {
    // Scattered points, those of the first row first.
    let point = |number: usize| notation::name(Point::new((44 - number) % 11 * 2, (44 - number) / 11 * 2).unwrap());
    let nodes: Vec<String> = (1..45).map(|number| format!("{number} {} else {}", point(number), number - 1)).collect();
    let head = format!("tengen proof 1\nrule 0\nsize 22 22\nblack\nwhite\nattacker black\n0 {}", point(0));
    let proof = format!("{head}\n{}\nend\n", nodes.join("\n"));
    let claim = &verify::parse(&proof).unwrap()[0];
    let [quick, slow] = [false, true].map(|every_reply| format!("{:#}", claim.verify(every_reply).unwrap_err()));
    assert_eq!(quick, slow);
    assert!(quick.ends_with("the defender makes five at e2"), "{quick}");
}
