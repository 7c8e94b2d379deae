//! Checks proofs of forced wins with the slow rules and nothing else. Floor 6.
//!
//! A proof is text, and there may be several in a file:
//!
//! ```text
//! tengen proof 1
//! rule 0
//! size 15 15
//! black h8 h9 h10
//! white a1 c1 e1
//! attacker black
//! 0 h12
//! 1 h7
//! 2 h11 h7:0 h12:1
//! end
//! ```
//!
//! A node is `number move reply:number... [else number]`: the attacker plays `move` and answers each `reply` by the node
//! with that number. Numbers count up from 0 and name earlier nodes only; the last node is the win that is claimed, with
//! the attacker to move in the position given.
//!
//! A node holds in a position if its move makes five; or else, if after *every* legal reply, one of these is so:
//!
//! 1. the reply is named, and its node holds;
//! 2. the attacker can make five at once;
//! 3. the node has an `else`, and that node holds, played out again with the reply on the board.
//!
//! No reply may make five, no move of the attacker's may be a foul, and nothing may happen at which the game is drawn.
//! A foul of the defender's loses. [`Oracle`] judges every stone; the only thing remembered is which node was found to
//! hold in which position.

use crate::base::maps::HashSet;
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::board::notation::{letter, parse_moves};
use crate::board::oracle::{Oracle, Verdict};
use anyhow::{Context, bail, ensure};
use std::io::{Read, Write};

/// A proof as it was read.
#[derive(Clone, Debug)]
pub struct Claim {
    oracle: Oracle,
    attacker: Color,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    point: Point,
    replies: Vec<(Point, usize)>,
    rest: Option<usize>,
    /// Nothing but fours from here on.
    only_fours: bool,
}

/// `verify FILE`: checks every proof in a file.
///
/// # Errors
/// When a proof does not hold; says which, and why.
pub fn run(arguments: &[String], out: &mut dyn Write) -> anyhow::Result<()> {
    let [file] = arguments else { bail!("usage: pbrain-tengen verify FILE") };
    let mut text = String::new();
    std::fs::File::open(file)
        .and_then(|mut file| file.read_to_string(&mut text))
        .with_context(|| format!("cannot read {file}"))?;
    let claims = parse(&text)?;
    ensure!(!claims.is_empty(), "{file} holds no proof");
    for (index, claim) in claims.iter().enumerate() {
        claim.verify().with_context(|| format!("proof {} does not hold", index + 1))?;
        writeln!(out, "{}: {} wins, {} nodes", index + 1, name(claim.attacker), claim.nodes.len())?;
    }
    writeln!(out, "verified {0}/{0}", claims.len())?;
    Ok(())
}

fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// Reads a file of proofs.
///
/// # Errors
/// Names the line that cannot be understood.
pub fn parse(text: &str) -> anyhow::Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let mut lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())).filter(|(_, l)| !l.is_empty());
    while let Some((number, line)) = lines.next() {
        ensure!(line == "tengen proof 1", "line {number}: expected 'tengen proof 1'");
        claims.push(parse_claim(&mut lines)?);
    }
    Ok(claims)
}

fn parse_claim<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> anyhow::Result<Claim> {
    let mut field = |name: &str| -> anyhow::Result<&'a str> {
        let (number, line) = lines.next().context("the file ends within a proof")?;
        let value = line.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(' '));
        Ok(value.with_context(|| format!("line {number}: expected '{name}'"))?.trim())
    };
    let rule = field("rule")?.parse().ok().and_then(Rule::from_bits).context("unknown rule")?;
    let sides: Vec<usize> = field("size")?.split(' ').filter_map(|word| word.parse().ok()).collect();
    let size = if let [width, height] = sides[..] { Size::new(width, height) } else { None };
    let size = size.context("size: expected two sides from 5 to 22")?;
    let mut oracle = Oracle::new(rule, size);
    for (name, cell) in [("black", Cell::Black), ("white", Cell::White), ("dead", Cell::Wall)] {
        if name == "dead" {
            continue;
        }
        for point in parse_moves(field(name)?, size).with_context(|| format!("{name}: not a list of points"))? {
            ensure!(oracle.cell(point) == Cell::Empty, "{} holds two stones", letter(point));
            oracle.set(point, cell);
        }
    }
    let attacker = match field("attacker")? {
        "black" => Color::Black,
        "white" => Color::White,
        other => bail!("attacker '{other}': expected black or white"),
    };
    for point in size.points() {
        let color = oracle.cell(point).color();
        ensure!(!color.is_some_and(|color| oracle.wins(point, color)), "there is a five at {} already", letter(point));
    }
    ensure!(!oracle.is_draw(), "the game is over: it is drawn");
    let mut nodes: Vec<Node> = Vec::new();
    loop {
        let (number, line) = lines.next().context("the file ends within a proof")?;
        if line == "end" {
            break;
        }
        let node = parse_node(line, nodes.len(), size).with_context(|| format!("line {number}"))?;
        let fours = node.replies.iter().all(|&(_, child): &(Point, usize)| nodes[child].only_fours);
        nodes.push(Node { only_fours: fours && node.rest.is_none(), ..node });
    }
    ensure!(!nodes.is_empty(), "a proof without nodes");
    Ok(Claim { oracle, attacker, nodes })
}

fn parse_node(line: &str, expected: usize, size: Size) -> anyhow::Result<Node> {
    let point = |word: &str| match parse_moves(word, size).as_deref() {
        Some(&[point]) => Ok(point),
        _ => bail!("'{word}' is no point of this board"),
    };
    let earlier = |word: &str| match word.parse::<usize>() {
        Ok(index) if index < expected => Ok(index),
        _ => bail!("'{word}' is not the number of an earlier node"),
    };
    let mut words = line.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<usize>().ok());
    ensure!(number == Some(expected), "expected node {expected}");
    let mut node = Node {
        point: point(words.next().context("a node without a move")?)?,
        replies: Vec::new(),
        rest: None,
        only_fours: false,
    };
    while let Some(word) = words.next() {
        ensure!(node.rest.is_none(), "something follows 'else'");
        if word == "else" {
            node.rest = Some(earlier(words.next().context("'else' without a node")?)?);
        } else {
            let (reply, child) = word.split_once(':').with_context(|| format!("'{word}' is no 'reply:node'"))?;
            node.replies.push((point(reply)?, earlier(child)?));
        }
    }
    Ok(node)
}

/// Stones of a position, a bit a cell and colour.
type Stones = [[u32; Size::MAX_SIDE]; 2];

impl Claim {
    /// Checks the proof.
    ///
    /// # Errors
    /// Says where it fails: the moves that lead there, and what is wrong.
    pub fn verify(&self) -> anyhow::Result<()> {
        let mut checker = Checker {
            claim: self,
            oracle: self.oracle.clone(),
            path: Vec::new(),
            found: HashSet::default(),
            stones: [[0; Size::MAX_SIDE]; 2],
        };
        let outcome = checker.node(self.nodes.len() - 1, true);
        let path = checker.path.iter().map(|&point| letter(point)).collect::<Vec<_>>().join(" ");
        outcome.with_context(|| format!("after {}", if path.is_empty() { "no move" } else { &path }))
    }
}

struct Checker<'a> {
    claim: &'a Claim,
    oracle: Oracle,
    /// The moves since the position claimed; left as they are when something is wrong.
    path: Vec<Point>,
    /// The stones of the path.
    stones: Stones,
    /// Nodes found to hold, with the stones they were tried after.
    found: HashSet<(usize, Stones)>,
}

impl Checker<'_> {
    fn place(&mut self, point: Point, color: Color) -> Verdict {
        let verdict = self.oracle.play(point, color);
        if verdict != Verdict::Illegal {
            self.stones[color.index()][point.y()] ^= 1 << point.x();
            self.path.push(point);
        }
        verdict
    }

    fn take(&mut self, point: Point, color: Color) {
        self.oracle.set(point, Cell::Empty);
        self.stones[color.index()][point.y()] ^= 1 << point.x();
        self.path.pop();
    }

    /// Checks that a node holds in the position on the board. Positions are remembered where other paths may lead to
    /// them, not while an `else` of nothing but fours is played out.
    fn node(&mut self, index: usize, remember: bool) -> anyhow::Result<()> {
        let attacker = self.claim.attacker;
        if remember && self.found.contains(&(index, self.stones)) {
            return Ok(());
        }
        let point = self.claim.nodes[index].point;
        match self.place(point, attacker) {
            Verdict::Wins => {}
            Verdict::Continues => self.replies(index, remember)?,
            Verdict::Foul(foul) => bail!("{} is a foul: {foul:?}", letter(point)),
            Verdict::Draw => bail!("the game is drawn"),
            Verdict::Illegal => bail!("{} is not an empty point", letter(point)),
        }
        self.take(point, attacker);
        if remember {
            self.found.insert((index, self.stones));
        }
        Ok(())
    }

    /// Checks every reply to the move just made.
    fn replies(&mut self, index: usize, remember: bool) -> anyhow::Result<()> {
        let (attacker, defender) = (self.claim.attacker, self.claim.attacker.opponent());
        let node = &self.claim.nodes[index];
        let empty: Vec<Point> =
            self.oracle.size().points().filter(|&point| self.oracle.cell(point) == Cell::Empty).collect();
        let fives: Vec<Point> = empty.iter().copied().filter(|&point| self.oracle.wins(point, attacker)).collect();
        for &reply in &empty {
            ensure!(!self.oracle.wins(reply, defender), "the defender makes five at {}", letter(reply));
        }
        // All replies leave the same number of stones.
        self.oracle.set(empty[0], defender.into());
        let drawn = self.oracle.is_draw();
        self.oracle.set(empty[0], Cell::Empty);
        ensure!(!drawn, "the defender's reply draws the game");
        for &reply in &empty {
            let named = node.replies.iter().find(|(point, _)| *point == reply).map(|&(_, child)| child);
            if named.is_none() && self.five_remains(reply, &fives) {
                continue;
            }
            let next = named.or(node.rest);
            match self.place(reply, defender) {
                Verdict::Foul(_) => {}
                Verdict::Continues => {
                    let Some(next) = next else { bail!("nothing answers this reply") };
                    self.node(next, remember && (named.is_some() || !self.claim.nodes[next].only_fours))?;
                }
                verdict => bail!("the reply ends the game: {verdict:?}"),
            }
            self.take(reply, defender);
        }
        Ok(())
    }

    /// Whether the attacker can still make one of these fives after a reply.
    fn five_remains(&mut self, reply: Point, fives: &[Point]) -> bool {
        let attacker = self.claim.attacker;
        self.oracle.set(reply, attacker.opponent().into());
        let remains = fives.iter().any(|&five| five != reply && self.oracle.wins(five, attacker));
        self.oracle.set(reply, Cell::Empty);
        remains
    }
}
