//! The session against a simple model: after each random command both have the same position and side to move, and the
//! answer is of the kind that the model expects. `TENGEN_CONVERSATIONS` sets the number of conversations.

use crate::common::conversation::{Conversation, Stones};
use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use std::hash::{BuildHasher, Hasher, RandomState};
use tengen::base::{Cell, Color, Point, Rule, Size};
use tengen_amount::amount;

/// A command of a manager.
#[derive(Clone, Debug)]
enum Say {
    Start(i64),
    RectStart(i64, i64),
    Restart,
    Begin,
    Turn(i64, i64),
    Play(i64, i64),
    TakeBack(i64, i64),
    /// Takes back the newest stone, as managers do.
    Undo,
    Board(Vec<(i64, i64, i64)>),
    SetBoard(Vec<(i64, i64, i64)>),
    Swap2(Vec<(i64, i64)>),
    Rule(Rule),
    Block(Vec<(i64, i64)>),
    UnblockAll,
    Forbidden,
    Silent(&'static str),
    Wrong(&'static str),
    Unknown(&'static str),
}

/// The expected answer.
#[derive(Debug)]
enum Expect {
    Nothing,
    Line(String),
    Error,
    Unknown,
    Forbidden,
    /// A move, which is then on the board.
    Move,
    /// One of the swap2 answers.
    Swap2,
}

#[derive(Debug)]
struct Model {
    started: bool,
    size: Size,
    rule: Rule,
    stones: Stones,
    to_move: Color,
    blocked: Vec<Point>,
}

impl Model {
    fn new() -> Model {
        let (size, rule) = (Size::square(15).unwrap(), Rule::Freestyle);
        Model { started: false, size, rule, stones: Vec::new(), to_move: Color::Black, blocked: Vec::new() }
    }

    fn start(&mut self, size: Option<Size>) -> Expect {
        let Some(size) = size else { return Expect::Error };
        self.started = true;
        self.size = size;
        self.stones.clear();
        self.to_move = Color::Black;
        self.blocked.retain(|&point| size.contains(point));
        Expect::Line("OK".into())
    }

    fn is_empty(&self, point: Point) -> bool {
        self.stones.iter().all(|&(other, _)| other != point)
    }

    fn place(&mut self, x: i64, y: i64) -> bool {
        let Some(point) = self.size.point(x, y).filter(|&point| self.is_empty(point)) else { return false };
        self.stones.push((point, self.to_move.into()));
        self.to_move = self.to_move.opponent();
        true
    }

    fn think(&self) -> Expect {
        if self.stones.len() < self.size.cells() { Expect::Move } else { Expect::Error }
    }

    fn take_back(&mut self, x: i64, y: i64) -> Expect {
        let point = self.size.point(x, y);
        let index = self.stones.iter().position(|&(other, cell)| Some(other) == point && cell != Cell::Wall);
        let Some(index) = index else { return Expect::Error };
        self.stones.remove(index);
        let is_empty = self.stones.iter().all(|&(_, cell)| cell == Cell::Wall);
        self.to_move = if is_empty { Color::Black } else { self.to_move.opponent() };
        Expect::Line("OK".into())
    }

    /// The position of a block: points off the board and repeated points are skipped. Dead squares do not count for the colours.
    fn block(&self, lines: &[(i64, i64, i64)]) -> (Stones, Color) {
        let mut kept: Vec<(Point, i64)> = Vec::new();
        for &(x, y, who) in lines {
            let known = |point: &Point| kept.iter().any(|(other, _)| other == point);
            if let Some(point) = self.size.point(x, y).filter(|point| !known(point) && (1..=3).contains(&who)) {
                kept.push((point, who));
            }
        }
        let stones: Vec<i64> = kept.iter().map(|&(_, who)| who).filter(|&who| who != 3).collect();
        let ours = match stones.first() {
            Some(who) if self.rule == Rule::Renju => Color::ALL[usize::from(*who == 2)],
            _ => Color::ALL[stones.len() % 2],
        };
        let cell = |who| match who {
            1 => ours.into(),
            2 => ours.opponent().into(),
            _ => Cell::Wall,
        };
        (kept.into_iter().map(|(point, who)| (point, cell(who))).collect(), ours)
    }

    /// Carries out a command, except for the brain's move, and returns the expected answer.
    fn expect(&mut self, say: &Say) -> Expect {
        match say {
            Say::Start(side) => self.start(usize::try_from(*side).ok().and_then(Size::square)),
            Say::RectStart(width, height) => {
                let sides = usize::try_from(*width).ok().zip(usize::try_from(*height).ok());
                self.start(sides.and_then(|(width, height)| Size::new(width, height)))
            }
            Say::Rule(rule) => {
                self.rule = *rule;
                Expect::Nothing
            }
            Say::UnblockAll => {
                self.blocked.clear();
                Expect::Nothing
            }
            Say::Silent(_) => Expect::Nothing,
            Say::Wrong(_) => Expect::Error,
            Say::Unknown(_) => Expect::Unknown,
            _ if !self.started => Expect::Error,
            Say::Restart => self.start(Some(self.size)),
            Say::Begin if !self.stones.is_empty() => Expect::Error,
            Say::Begin => self.think(),
            Say::Turn(x, y) => {
                if !self.place(*x, *y) {
                    return Expect::Error;
                }
                let expected = self.think();
                if matches!(expected, Expect::Error) {
                    // A move after which there is none is refused.
                    self.take_back(*x, *y);
                }
                expected
            }
            Say::Play(x, y) => {
                if self.place(*x, *y) {
                    Expect::Line(format!("{x},{y}"))
                } else {
                    Expect::Error
                }
            }
            Say::TakeBack(x, y) => self.take_back(*x, *y),
            Say::Undo => {
                let newest = self.stones.iter().rev().find(|(_, cell)| *cell != Cell::Wall);
                let (x, y) = newest.map_or((0, 0), |(point, _)| (point.x() as i64, point.y() as i64));
                self.take_back(x, y)
            }
            Say::Board(lines) => {
                let (stones, ours) = self.block(lines);
                if stones.len() >= self.size.cells() {
                    return Expect::Error;
                }
                (self.stones, self.to_move) = (stones, ours);
                Expect::Move
            }
            Say::SetBoard(lines) => {
                (self.stones, self.to_move) = self.block(lines);
                Expect::Nothing
            }
            Say::Swap2(spots) => self.swap2(spots),
            Say::Block(spots) => {
                self.blocked.extend(spots.iter().filter_map(|&(x, y)| self.size.point(x, y)));
                Expect::Nothing
            }
            Say::Forbidden => Expect::Forbidden,
        }
    }

    fn swap2(&mut self, spots: &[(i64, i64)]) -> Expect {
        let points: Option<Vec<Point>> = spots.iter().map(|&(x, y)| self.size.point(x, y)).collect();
        let Some(points) = points.filter(|points| matches!(points.len(), 0 | 3 | 5)) else { return Expect::Error };
        if points.iter().enumerate().any(|(index, point)| points[..index].contains(point)) {
            return Expect::Error;
        }
        let colors = [Cell::Black, Cell::White].into_iter().cycle();
        self.to_move = if points.is_empty() { Color::Black } else { Color::White };
        self.stones = points.into_iter().zip(colors).collect();
        Expect::Swap2
    }

    /// The lines of a command.
    fn words(&self, say: &Say) -> Vec<String> {
        let block = |word: &str, lines: Vec<String>| [vec![word.to_owned()], lines, vec!["DONE".to_owned()]].concat();
        let pairs = |spots: &[(i64, i64)]| spots.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>();
        let triples = |l: &[(i64, i64, i64)]| l.iter().map(|(x, y, who)| format!("{x},{y},{who}")).collect::<Vec<_>>();
        let line = match say {
            Say::Start(side) => format!("START {side}"),
            Say::RectStart(width, height) => format!("RECTSTART {width},{height}"),
            Say::Restart => "RESTART".into(),
            Say::Begin => "BEGIN".into(),
            Say::Turn(x, y) => format!("TURN {x},{y}"),
            Say::Play(x, y) => format!("PLAY {x},{y}"),
            Say::TakeBack(x, y) => format!("TAKEBACK {x},{y}"),
            Say::Undo => {
                let newest = self.stones.iter().rev().find(|(_, cell)| *cell != Cell::Wall);
                newest.map_or("TAKEBACK 0,0".into(), |(point, _)| format!("TAKEBACK {point}"))
            }
            Say::Board(lines) => return block("BOARD", triples(lines)),
            Say::SetBoard(lines) => return block("YXBOARD", triples(lines)),
            Say::Swap2(spots) => return block("SWAP2BOARD", pairs(spots)),
            Say::Block(spots) => return block("YXBLOCK", pairs(spots)),
            Say::Rule(rule) => format!("INFO rule {}", rule.number()),
            Say::UnblockAll => "YXBLOCKRESET".into(),
            Say::Forbidden => "YXSHOWFORBID".into(),
            Say::Silent(line) | Say::Wrong(line) | Say::Unknown(line) => (*line).to_owned(),
        };
        vec![line]
    }

    /// Checks an answer and plays the move in it.
    fn check(&mut self, expected: &Expect, answer: &[String]) -> std::result::Result<(), String> {
        let wrong = || format!("expected {expected:?}, got {answer:?}");
        if let Expect::Nothing = expected {
            return if answer.is_empty() { Ok(()) } else { Err(wrong()) };
        }
        let [line] = answer else { return Err(wrong()) };
        let points: Option<Vec<Point>> = line.split(' ').map(|word| self.point(word)).collect();
        let fits = match expected {
            Expect::Nothing => false,
            Expect::Line(expected) => line == expected,
            Expect::Error => line.starts_with("ERROR ") && !line.contains("internal"),
            Expect::Unknown => line.starts_with("UNKNOWN "),
            Expect::Forbidden => {
                let may = self.rule == Rule::Renju && self.to_move == Color::Black;
                line.starts_with("FORBID ") && line.ends_with('.') && (may || line == "FORBID .")
            }
            Expect::Move => points.is_some_and(|points| points.len() == 1 && self.takes(points[0])),
            Expect::Swap2 => {
                let empty = points.filter(|points| points.iter().all(|&point| self.is_empty(point)));
                line == "SWAP" || empty.is_some_and(|points| matches!(points.len(), 1..=3))
            }
        };
        if fits { Ok(()) } else { Err(wrong()) }
    }

    fn point(&self, word: &str) -> Option<Point> {
        let (x, y) = word.split_once(',')?;
        self.size.point(x.parse().ok()?, y.parse().ok()?)
    }

    /// Plays the brain's move; false if the point is occupied, or blocked although another one is free.
    fn takes(&mut self, point: Point) -> bool {
        let free = self.size.points().any(|point| self.is_empty(point) && !self.blocked.contains(&point));
        let allowed = !free || !self.blocked.contains(&point) || self.rule == Rule::Renju;
        allowed && self.place(point.x() as i64, point.y() as i64)
    }
}

fn coordinate(u: &mut Unstructured<'_>) -> Result<i64> {
    Ok(match u.int_in_range(0..=22)? {
        0..20 => u.int_in_range(0..=6)?,
        20 => u.int_in_range(-1..=8)?,
        21 => i64::MAX,
        _ => 22,
    })
}

/// At most this many of them.
fn some<T>(
    u: &mut Unstructured<'_>,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..u.int_in_range(0..=most)?).map(|_| one(u)).collect()
}

fn spots(u: &mut Unstructured<'_>, most: usize) -> Result<Vec<(i64, i64)>> {
    some(u, most, |u| Ok((coordinate(u)?, coordinate(u)?)))
}

fn lines(u: &mut Unstructured<'_>, most: usize) -> Result<Vec<(i64, i64, i64)>> {
    let who = |u: &mut Unstructured<'_>| match u.int_in_range(0..=9)? {
        0..8 => u.int_in_range(1..=2),
        8 => Ok(3),
        _ => u.int_in_range(0..=4),
    };
    some(u, most, |u| Ok((coordinate(u)?, coordinate(u)?, who(u)?)))
}

fn say(u: &mut Unstructured<'_>) -> Result<Say> {
    let silent = [
        "",
        "INFO",
        "INFO nonsense 7",
        "INFO time_left -5",
        "INFO rule 255",
        "INFO folder C:\\x",
        "STOP",
        "PONDER",
        "INFO pondering 1",
    ];
    let wrong = ["START", "START x", "RECTSTART 3,3", "TURN", "PLAY 1", "TAKEBACK x,y"];
    let unknown = ["FOO", "DONE", "7,7", "\u{fffd}"];
    Ok(match u.int_in_range(0..=49)? {
        0..2 => Say::Start(if u.ratio(4, 5)? { u.int_in_range(5..=7)? } else { u.int_in_range(-1..=24)? }),
        2 => Say::RectStart(u.int_in_range(4..=8)?, u.int_in_range(4..=8)?),
        3 => Say::Restart,
        4..6 => Say::Begin,
        6..22 => Say::Turn(coordinate(u)?, coordinate(u)?),
        22..28 => Say::Play(coordinate(u)?, coordinate(u)?),
        28..30 => Say::TakeBack(coordinate(u)?, coordinate(u)?),
        30..34 => Say::Undo,
        34..37 => Say::Board(lines(u, 50)?),
        37..39 => Say::SetBoard(lines(u, 60)?),
        39..41 => Say::Swap2(spots(u, 5)?),
        41..44 => Say::Rule(*u.choose(&Rule::ALL)?),
        44 => Say::Block(spots(u, 40)?),
        45 => Say::UnblockAll,
        46 => Say::Forbidden,
        47 => Say::Silent(u.choose(&silent)?),
        48 => Say::Wrong(u.choose(&wrong)?),
        _ => Say::Unknown(u.choose(&unknown)?),
    })
}

/// A conversation of at most 60 commands; a longer row of random bytes makes a longer one.
fn talk_and_compare(u: &mut Unstructured<'_>) -> Result<()> {
    let (mut talk, mut model) = (Conversation::new(), Model::new());
    for limit in ["INFO timeout_turn 0", "INFO hash_size 1024"] {
        talk.say(limit);
    }
    let mut next = u.arbitrary::<bool>()?.then_some(Say::Start(6));
    for _ in 0..60 {
        let said = match next.take() {
            Some(said) => said,
            None if u.is_empty() => break,
            None => say(u)?,
        };
        let words = model.words(&said);
        let expected = model.expect(&said);
        let answer: Vec<String> = words.iter().flat_map(|line| talk.say(line)).collect();
        let answer: Vec<String> = answer.into_iter().filter(|line| !line.starts_with("MESSAGE ")).collect();
        model.check(&expected, &answer).unwrap_or_else(|wrong| panic!("{said:?}: {wrong}"));
        assert_eq!(talk.stones(), model.stones, "after {said:?}");
        let engine = talk.engine();
        assert_eq!((engine.to_move(), engine.rule()), (model.to_move, model.rule), "after {said:?}");
        assert_eq!(engine.size(), model.size, "after {said:?}");
    }
    Ok(())
}

/// Other conversations in every run. A failure prints the seed of its conversation;
/// `arbtest(talk_and_compare).seed(0x...).minimize()` repeats and shortens it.
#[test]
fn the_session_does_what_the_model_does() {
    for _ in 0..amount("TENGEN_CONVERSATIONS", 80, 200) {
        // The lower half of a seed is the number of random bytes.
        let random = RandomState::new().build_hasher().finish();
        let bytes = 32 + random % 1024;
        arbtest(talk_and_compare).seed(random >> 32 << 32 | bytes).run();
    }
}
