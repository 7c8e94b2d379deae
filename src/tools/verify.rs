//! `verify`: checks proofs of forced wins. It uses the reference rules of [`Oracle`] and no code of the solver.
//!
//! A proof is text; a file may hold several. Rows of points count from above, as in all machine formats:
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
//! The stones of each colour are in playing order; files with another order are read, too. The position must be one that an
//! unfinished game can have reached (`proof_start.rs`). A line `pass` after the attacker says that it is the other side's turn,
//! and that the claim is a threat: the attacker wins if the other side passes.
//!
//! A node is `number move reply:number... [else number]`: the attacker plays `move` and answers each `reply` with the node of
//! that number. Numbers count up from 0 and refer to earlier nodes only. The last node is the claimed win, with the attacker
//! to move in the given position.
//!
//! A node holds in a position if its move makes five. It also holds if after *every* legal reply one of these is true:
//!
//! 1. the reply is listed, and its node holds;
//! 2. the attacker can make five at once;
//! 3. the node has an `else`, and that node holds with the reply on the board.
//!
//! No reply may make five, no move of the attacker may be a foul, and the game must not be drawn on the way. A foul of the
//! defender loses.
//!
//! Most replies that an `else` answers are far away and change nothing. So the `else` node is checked once as if the defender
//! had passed; that check returns an `Area`, the points where a stone of the defender could have changed anything. Only
//! replies in the area are checked one by one. The comments where points are added say why. Checking a node shows:
//!
//! > The node holds here, and in every position with up to `extra` more stones of the defender outside the area.
//!
//! `verify --every-reply` uses no areas; a test compares the two ways.

use super::proof_start;
use crate::base::maps::{HashMap, HashSet};
use crate::base::{Cell, Color, Direction, Point, Rule, Size};
use crate::board::notation::{self, parse_moves};
use crate::board::oracle::{Oracle, Verdict};
use crate::board::shape::Foul;
use anyhow::{Context, bail, ensure};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

/// The first line of a proof.
pub const HEADER: &str = "tengen proof 1";

/// A proof, as read from a file.
#[derive(Clone, Debug)]
pub struct Claim {
    oracle: Oracle,
    /// The stones of black and of white, as listed.
    stones: [Vec<Point>; 2],
    attacker: Color,
    /// Whether the other side is to move, and passes.
    is_threat: bool,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    point: Point,
    replies: Vec<(Point, usize)>,
    rest: Option<usize>,
    /// Largest number of stones played from here until the five.
    stones: usize,
}

/// `verify FILE`: checks every proof in a file.
///
/// # Errors
/// When a proof does not hold; the message names the proof and the reason.
pub fn run(arguments: &[OsString], out: &mut dyn Write) -> anyhow::Result<()> {
    let (every_reply, file) = match arguments {
        [file] if !file.as_encoded_bytes().starts_with(b"--") => (false, Path::new(file)),
        [option, file] if option == "--every-reply" => (true, Path::new(file)),
        _ => bail!("usage: pbrain-tengen verify [--every-reply] FILE"),
    };
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let claims = parse(&text)?;
    ensure!(!claims.is_empty(), "there is no proof in {}", file.display());
    for (index, claim) in claims.iter().enumerate() {
        claim.verify(every_reply).with_context(|| format!("proof {} does not hold", index + 1))?;
        let threat =
            if claim.is_threat { format!(" if {} passes", claim.attacker.opponent().name()) } else { String::new() };
        writeln!(out, "{}: {} wins{threat}, {} nodes", index + 1, claim.attacker.name(), claim.nodes.len())?;
    }
    writeln!(out, "verified {0}/{0}", claims.len())?;
    Ok(())
}

/// Reads a file of proofs.
///
/// # Errors
/// Names the line that cannot be parsed.
pub fn parse(text: &str) -> anyhow::Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let mut lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())).filter(|(_, l)| !l.is_empty());
    while let Some((number, line)) = lines.next() {
        ensure!(line == HEADER, "line {number}: expected '{HEADER}'");
        claims.push(parse_claim(&mut lines)?);
    }
    Ok(claims)
}

fn parse_claim<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> anyhow::Result<Claim> {
    let mut field = |name: &str| -> anyhow::Result<&'a str> {
        let (number, line) = lines.next().context("the file ends in the middle of a proof")?;
        let value = line.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(' '));
        Ok(value.with_context(|| format!("line {number}: expected '{name}'"))?.trim())
    };
    let rule = field("rule")?.parse().ok().and_then(Rule::from_bits).context("unknown rule")?;
    let sides: Vec<usize> = field("size")?.split(' ').filter_map(|word| word.parse().ok()).collect();
    let size = if let [width, height] = sides[..] { Size::new(width, height) } else { None };
    let size = size.context("size: expected two sides from 5 to 22")?;
    let mut oracle = Oracle::new(rule, size);
    let mut stones = [Vec::new(), Vec::new()];
    for (color, points) in Color::ALL.into_iter().zip(&mut stones) {
        let name = color.name();
        *points = parse_moves(field(name)?, size).with_context(|| format!("{name}: expected a list of points"))?;
        for &point in &*points {
            ensure!(oracle.cell(point) == Cell::Empty, "two stones at {}", notation::name(point));
            oracle.set(point, color.into());
        }
    }
    let attacker = field("attacker")?;
    let attacker = Color::ALL.into_iter().find(|color| color.name() == attacker);
    let attacker = attacker.context("attacker: expected black or white")?;
    let mut is_threat = false;
    let mut nodes: Vec<Node> = Vec::new();
    loop {
        let (number, line) = lines.next().context("the file ends in the middle of a proof")?;
        if line == "end" {
            break;
        }
        if line == "pass" && !is_threat && nodes.is_empty() {
            is_threat = true;
            continue;
        }
        let node = parse_node(line, nodes.len(), size).with_context(|| format!("line {number}"))?;
        let children = node.replies.iter().map(|&(_, child)| child).chain(node.rest);
        let stones = 2 + children.map(|child| nodes[child].stones).max().unwrap_or(0);
        nodes.push(Node { stones, ..node });
    }
    ensure!(!nodes.is_empty(), "the proof has no nodes");
    Ok(Claim { oracle, stones, attacker, is_threat, nodes })
}

fn parse_node(line: &str, expected: usize, size: Size) -> anyhow::Result<Node> {
    let point = |word: &str| match parse_moves(word, size).as_deref() {
        Some(&[point]) => Ok(point),
        _ => bail!("'{word}' is not a point of this board"),
    };
    let earlier = |word: &str| match word.parse::<usize>() {
        Ok(index) if index < expected => Ok(index),
        _ => bail!("'{word}' is not the number of an earlier node"),
    };
    let mut words = line.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<usize>().ok());
    ensure!(number == Some(expected), "expected node {expected}");
    let mut node = Node {
        point: point(words.next().context("the node has no move")?)?,
        replies: Vec::new(),
        rest: None,
        stones: 0,
    };
    while let Some(word) = words.next() {
        ensure!(node.rest.is_none(), "unexpected text after 'else'");
        if word == "else" {
            node.rest = Some(earlier(words.next().context("'else' needs a node")?)?);
        } else {
            let (reply, child) = word.split_once(':').with_context(|| format!("'{word}' is not 'reply:node'"))?;
            node.replies.push((point(reply)?, earlier(child)?));
        }
    }
    Ok(node)
}

/// A set of points, one bit each.
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
    /// Checks the proof: first its start position, then its tree. With `every_reply`, replies that cannot matter are checked
    /// too.
    ///
    /// # Errors
    /// Says what is wrong with the start position, or names the moves after which the tree fails, and the reason.
    pub fn verify(&self, every_reply: bool) -> anyhow::Result<()> {
        self.check_start()?;
        self.check_tree(every_reply)
    }

    /// Checks that an unfinished game can have reached the start position, with the right side to move.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check_start(&self) -> anyhow::Result<()> {
        let side = proof_start::check(&self.oracle, &self.stones).context("start position")?;
        let (attacker, side_name) = (self.attacker.name(), side.name());
        if self.is_threat {
            ensure!(side != self.attacker, "start position: {attacker} is to move, so there is nobody to pass");
        } else {
            ensure!(
                side == self.attacker,
                "start position: {side_name} is to move, not {attacker} (a line 'pass' after the attacker claims a threat)"
            );
        }
        Ok(())
    }

    /// Checks the tree from the start position, with the attacker to move, whether or not a game can have reached it. With
    /// `every_reply`, replies that cannot matter are checked too.
    ///
    /// # Errors
    /// Names the moves after which the tree fails, and the reason.
    pub fn check_tree(&self, every_reply: bool) -> anyhow::Result<()> {
        let root = self.nodes.len() - 1;
        // Areas ignore draws, so they are used only if the game cannot be drawn within the proof.
        let (size, rule) = (self.oracle.size(), self.oracle.rule());
        let room = self.oracle.stones() + self.nodes[root].stones < rule.draw_at(size.cells());
        let mut checker = Checker {
            claim: self,
            oracle: self.oracle.clone(),
            path: Vec::new(),
            stones: [Area::default(); 2],
            found: HashMap::default(),
            failed: HashSet::default(),
            uses_areas: room && !every_reply,
        };
        let outcome = checker.node(root, 0);
        let path = checker.path.iter().map(|&point| notation::name(point)).collect::<Vec<_>>().join(" ");
        outcome.map(drop).with_context(|| format!("after {}", if path.is_empty() { "no move" } else { &path }))
    }
}

/// A node, the number of extra stones and the stones of the path.
type Key = (usize, usize, [Area; 2]);

struct Checker<'a> {
    claim: &'a Claim,
    oracle: Oracle,
    /// The moves from the claimed position; after an error, those that lead to it.
    path: Vec<Point>,
    /// The stones of the path by colour.
    stones: [Area; 2],
    /// Areas of nodes known to hold.
    found: HashMap<Key, Area>,
    /// Nodes known to fail, with extra stones only: without, the first one that fails ends the check.
    failed: HashSet<Key>,
    /// Whether replies outside the area of an `else` are skipped.
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

    /// Checks that a node holds in the position on the board. Returns its area for `extra` more stones; for none, the area has
    /// no meaning.
    fn node(&mut self, index: usize, extra: usize) -> anyhow::Result<Area> {
        let key = (index, extra, self.stones);
        if let Some(area) = self.found.get(&key) {
            return Ok(*area);
        }
        // Nobody sees this message: `pass` drops it.
        ensure!(!self.failed.contains(&key), "it is known to fail");
        let area = self.check(index, extra);
        match area {
            Ok(area) => drop(self.found.insert(key, area)),
            Err(_) if extra > 0 => drop(self.failed.insert(key)),
            Err(_) => {}
        }
        area
    }

    /// [`Checker::node`] without what is known already.
    fn check(&mut self, index: usize, extra: usize) -> anyhow::Result<Area> {
        let attacker = self.claim.attacker;
        let point = self.claim.nodes[index].point;
        let mut area = Area::default();
        if extra > 0 {
            // The point must stay empty, and a five must stay a five. White stones only remove fours and threes, so they
            // cannot make a black move a foul unless it would be one with all its threes real.
            self.add_five(point, &mut area);
            if attacker == Color::Black && self.oracle.may_become_foul(point) {
                area = Area::ALL;
            }
        }
        match self.place(point, attacker) {
            Verdict::Wins => {}
            Verdict::Continues => area.join(self.replies(index, extra)?),
            Verdict::Foul(foul) => bail!("{} is a foul: {foul:?}", notation::name(point)),
            Verdict::Draw => bail!("the game is drawn"),
            Verdict::Illegal => bail!("{} is not an empty point", notation::name(point)),
        }
        self.take(point, attacker);
        Ok(area)
    }

    /// Checks every reply to the move just played, and returns the area.
    fn replies(&mut self, index: usize, extra: usize) -> anyhow::Result<Area> {
        let (attacker, defender) = (self.claim.attacker, self.claim.attacker.opponent());
        let node = &self.claim.nodes[index];
        let empty: Vec<Point> =
            self.oracle.size().points().filter(|&point| self.oracle.cell(point) == Cell::Empty).collect();
        let fives: Vec<Point> = empty.iter().copied().filter(|&point| self.oracle.wins(point, attacker)).collect();
        for &reply in &empty {
            ensure!(!self.oracle.wins(reply, defender), "the defender makes five at {}", notation::name(reply));
        }
        // Whether a reply draws the game depends on the number of stones only.
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
                    let Some(next) = named.or(node.rest) else { bail!("no answer to this reply") };
                    area.join(self.node(next, extra)?);
                }
                verdict => bail!("the reply ends the game: {verdict:?}"),
            }
            self.take(reply, defender);
        }
        Ok(area)
    }

    /// The area of a node if the defender passes; all points if the node does not hold then.
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

    /// Adds the points where a stone prevents the attacker's five at `five`: the point itself, and in caro the ends of its
    /// row. Under the other rules nothing else can prevent it: a stone of the defender never makes the row longer.
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

    /// Adds the empty points of every winning row that the defender can complete with `stones` stones: the extra ones and the
    /// reply. A stone elsewhere cannot give the defender a five that is not there already. Overlines and blocked ends are
    /// ignored; that only makes the area larger, which is safe.
    fn add_rows_of_defender(&self, stones: usize, area: &mut Area) {
        let attacker = Cell::from(self.claim.attacker);
        let length = self.oracle.rule().line_rule(self.claim.attacker.opponent()).win_length();
        let mut gaps = Vec::with_capacity(length);
        for (start, direction) in self.oracle.size().points().flat_map(|point| Direction::ALL.map(|line| (point, line)))
        {
            gaps.clear();
            let is_free = (0..length as i32).all(|steps| match start.step(direction, steps) {
                Some(point) if self.oracle.cell(point) == Cell::Empty => {
                    gaps.push(point);
                    gaps.len() <= stones
                }
                Some(point) => ![Cell::Wall, attacker].contains(&self.oracle.cell(point)),
                None => false,
            });
            if is_free {
                for &point in &gaps {
                    area.add(point);
                }
            }
        }
    }

    /// The points where one more black stone could make the foul that black has just played legal. Overlines and fours depend
    /// on the lines through the point. A three is real if black may play the point that makes it a straight four; that point
    /// stays legal while its own lines do not change, unless its legality depends on further points: then all points.
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
