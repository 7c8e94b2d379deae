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
//! A foul of the defender's loses. [`Oracle`] judges every stone.
//!
//! Most replies that an `else` answers lie far away and alter nothing. So it is played out once as if the defender had
//! passed, and that run returns an `Area`: the points where a stone of his might have altered anything. Only replies
//! there are played out one by one. What belongs to the area is explained where it is collected; a run of a node says:
//!
//! > The node holds here, and in every position with up to `extra` more stones of the defender's, none in the area.
//!
//! `verify --every-reply` uses no areas; a test holds the two ways together.

use crate::base::maps::HashMap;
use crate::base::{Cell, Color, Direction, Point, Rule, Size};
use crate::board::notation::{letter, parse_moves};
use crate::board::oracle::{Oracle, Verdict};
use crate::board::shape::Foul;
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
    /// Most stones that are played from here on, until a five is sure.
    stones: usize,
}

/// `verify FILE`: checks every proof in a file.
///
/// # Errors
/// When a proof does not hold; says which, and why.
pub fn run(arguments: &[String], out: &mut dyn Write) -> anyhow::Result<()> {
    let (every_reply, file) = match arguments {
        [file] if !file.starts_with("--") => (false, file),
        [option, file] if option == "--every-reply" => (true, file),
        _ => bail!("usage: pbrain-tengen verify [--every-reply] FILE"),
    };
    let mut text = String::new();
    std::fs::File::open(file)
        .and_then(|mut file| file.read_to_string(&mut text))
        .with_context(|| format!("cannot read {file}"))?;
    let claims = parse(&text)?;
    ensure!(!claims.is_empty(), "{file} holds no proof");
    for (index, claim) in claims.iter().enumerate() {
        claim.verify(every_reply).with_context(|| format!("proof {} does not hold", index + 1))?;
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
    for (name, cell) in [("black", Cell::Black), ("white", Cell::White)] {
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
        let children = node.replies.iter().map(|&(_, child)| child).chain(node.rest);
        let stones = 2 + children.map(|child| nodes[child].stones).max().unwrap_or(0);
        nodes.push(Node { stones, ..node });
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
        stones: 0,
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

/// A set of points, a bit each.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Area([u32; Size::MAX_SIDE]);

impl Area {
    const ALL: Area = Area([u32::MAX; Size::MAX_SIDE]);

    fn contains(self, point: Point) -> bool {
        self.0[point.y()] >> point.x() & 1 != 0
    }

    fn add(&mut self, point: Point) {
        self.0[point.y()] |= 1 << point.x();
    }

    fn join(&mut self, other: Area) {
        for (row, more) in self.0.iter_mut().zip(other.0) {
            *row |= more;
        }
    }

    /// Adds all points of the four lines through a point.
    fn add_lines(&mut self, point: Point) {
        let reach = Size::MAX_SIDE as i32;
        for direction in Direction::ALL {
            for point in (-reach..reach).filter_map(|steps| point.step(direction, steps)) {
                self.add(point);
            }
        }
    }
}

impl Claim {
    /// Checks the proof; with `every_reply`, without any thought of which replies could matter.
    ///
    /// # Errors
    /// Says where it fails: the moves that lead there, and what is wrong.
    pub fn verify(&self, every_reply: bool) -> anyhow::Result<()> {
        let root = self.nodes.len() - 1;
        // Areas know nothing of draws, so they are used only where the stones of all replies leave room.
        let (size, rule) = (self.oracle.size(), self.oracle.rule());
        let room = self.oracle.stones() + self.nodes[root].stones < rule.draw_at(size.cells());
        let mut checker = Checker {
            claim: self,
            oracle: self.oracle.clone(),
            path: Vec::new(),
            stones: [Area::default(); 2],
            found: HashMap::default(),
            uses_areas: room && !every_reply,
        };
        let outcome = checker.node(root, 0);
        let path = checker.path.iter().map(|&point| letter(point)).collect::<Vec<_>>().join(" ");
        outcome.map(drop).with_context(|| format!("after {}", if path.is_empty() { "no move" } else { &path }))
    }
}

struct Checker<'a> {
    claim: &'a Claim,
    oracle: Oracle,
    /// The moves since the position claimed; left as they are when something is wrong.
    path: Vec<Point>,
    /// The stones of the path by colour.
    stones: [Area; 2],
    /// Areas of nodes found to hold, by the stones they were tried after and the number of extra stones.
    found: HashMap<(usize, usize, [Area; 2]), Area>,
    /// Whether replies to an `else` may be skipped.
    uses_areas: bool,
}

impl Checker<'_> {
    fn place(&mut self, point: Point, color: Color) -> Verdict {
        let verdict = self.oracle.play(point, color);
        if verdict != Verdict::Illegal {
            self.stones[color.index()].0[point.y()] ^= 1 << point.x();
            self.path.push(point);
        }
        verdict
    }

    fn take(&mut self, point: Point, color: Color) {
        self.oracle.set(point, Cell::Empty);
        self.stones[color.index()].0[point.y()] ^= 1 << point.x();
        self.path.pop();
    }

    /// Checks that a node holds in the position on the board, and finds its area for `extra` stones, of no
    /// meaning for none.
    fn node(&mut self, index: usize, extra: usize) -> anyhow::Result<Area> {
        let attacker = self.claim.attacker;
        let key = (index, extra, self.stones);
        if let Some(area) = self.found.get(&key) {
            return Ok(*area);
        }
        let point = self.claim.nodes[index].point;
        let mut area = Area::default();
        if extra > 0 {
            // The point itself must be empty, and a five a five. No white stone makes a black move a foul if it would
            // not be one with all its threes real: white stones only ever take fours and threes away.
            self.add_five(point, &mut area);
            if attacker == Color::Black && self.oracle.may_become_foul(point) {
                area = Area::ALL;
            }
        }
        match self.place(point, attacker) {
            Verdict::Wins => {}
            Verdict::Continues => area.join(self.replies(index, extra)?),
            Verdict::Foul(foul) => bail!("{} is a foul: {foul:?}", letter(point)),
            Verdict::Draw => bail!("the game is drawn"),
            Verdict::Illegal => bail!("{} is not an empty point", letter(point)),
        }
        self.take(point, attacker);
        self.found.insert(key, area);
        Ok(area)
    }

    /// Checks every reply to the move just made, and finds the area.
    fn replies(&mut self, index: usize, extra: usize) -> anyhow::Result<Area> {
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
        let mut area = Area::default();
        if extra > 0 {
            for &five in &fives {
                self.add_five(five, &mut area);
            }
            self.add_rows_of_defender(extra + 1, &mut area);
        }
        let mut pass = None;
        for &reply in &empty {
            let named = node.replies.iter().find(|(point, _)| *point == reply).map(|&(_, child)| child);
            if named.is_none() {
                if self.five_remains(reply, &fives) {
                    continue;
                }
                if let Some(rest) = node.rest.filter(|_| self.uses_areas) {
                    let matters = *pass.get_or_insert_with(|| self.pass(rest, extra + 1));
                    if !matters.contains(reply) {
                        area.join(matters);
                        continue;
                    }
                }
            }
            match self.place(reply, defender) {
                Verdict::Foul(foul) if extra > 0 => area.join(self.area_of_foul(reply, &foul)),
                Verdict::Foul(_) => {}
                Verdict::Continues => {
                    let Some(next) = named.or(node.rest) else { bail!("nothing answers this reply") };
                    area.join(self.node(next, extra)?);
                }
                verdict => bail!("the reply ends the game: {verdict:?}"),
            }
            self.take(reply, defender);
        }
        Ok(area)
    }

    /// The area of a node if the defender passes; everything, if it does not hold then.
    fn pass(&mut self, index: usize, extra: usize) -> Area {
        let (oracle, stones, plies) = (self.oracle.clone(), self.stones, self.path.len());
        self.node(index, extra).unwrap_or_else(|_| {
            (self.oracle, self.stones) = (oracle, stones);
            self.path.truncate(plies);
            Area::ALL
        })
    }

    /// Whether the attacker can still make one of these fives after a reply.
    fn five_remains(&mut self, reply: Point, fives: &[Point]) -> bool {
        let attacker = self.claim.attacker;
        self.oracle.set(reply, attacker.opponent().into());
        let remains = fives.iter().any(|&five| five != reply && self.oracle.wins(five, attacker));
        self.oracle.set(reply, Cell::Empty);
        remains
    }

    /// Adds what keeps the attacker from a five at `five`: a stone there, and in caro one at an end of its row. In the
    /// other rules a five takes its own stones only; no stone of the defender's makes a row of the attacker's longer.
    fn add_five(&self, five: Point, area: &mut Area) {
        area.add(five);
        if self.oracle.rule().is_caro() {
            for (direction, sign) in Direction::ALL.into_iter().flat_map(|direction| [(direction, -1), (direction, 1)])
            {
                let mut row = (1..).map_while(|steps| five.step(direction, steps * sign));
                let end = row.find(|&point| self.oracle.cell(point) != self.claim.attacker.into());
                if let Some(end) = end {
                    area.add(end);
                }
            }
        }
    }

    /// Adds where the defender comes near to a five: the empty points of every five in a row that he can fill with
    /// `stones` stones, the extra ones and his reply. Without one of these his replies make no five that they do not
    /// make already. (Whether such a five would be too long, or blocked, is not asked: the more points, the safer.)
    fn add_rows_of_defender(&self, stones: usize, area: &mut Area) {
        let attacker = Cell::from(self.claim.attacker);
        for (start, direction) in self.oracle.size().points().flat_map(|point| Direction::ALL.map(|line| (point, line)))
        {
            let mut row = [start; 5];
            let mut empty = 0;
            let is_free = (0..5).all(|steps| match start.step(direction, steps) {
                Some(point) if self.oracle.cell(point) == Cell::Empty => {
                    row[empty] = point;
                    empty += 1;
                    empty <= stones
                }
                Some(point) => ![Cell::Wall, attacker].contains(&self.oracle.cell(point)),
                None => false,
            });
            if is_free {
                for &point in &row[..empty] {
                    area.add(point);
                }
            }
        }
    }

    /// Where a further black stone could make a foul of black's, just played, legal. Overlines and fours are seen on the
    /// lines through the point. A three is real because of the point that makes it a straight four; that stays legal
    /// while nothing changes on its own lines, if it is not legal for the sake of yet another point.
    fn area_of_foul(&self, point: Point, foul: &Foul) -> Area {
        let mut area = Area::default();
        area.add_lines(point);
        if let Foul::DoubleThree(threes) = foul {
            for three in threes {
                area.add_lines(three.four_point);
                if self.oracle.may_become_foul(three.four_point) {
                    return Area::ALL;
                }
            }
        }
        area
    }
}
