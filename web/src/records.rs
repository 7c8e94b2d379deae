//! Records of games with their variations, read and written.
//!
//! The readers of the library read one line of play. A file with variations is cut into its lines here, each is read by the
//! library, and the lines are put together to a tree.

use super::referee;
use super::reviews::Judged;
use super::wire::{self, Position};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use tengen::base::maps::HashMap;
use tengen::base::{Cell, Color, Point, Rule, Size};
use tengen::tools::gamefile::sgf::{self, Token};
use tengen::tools::gamefile::{self, GameFile, Outcome, Section};
use tengen::tools::judgement::Mark;
use tengen::tools::point_names;

/// Most lines of play that are read from one record.
const MAX_LINES: usize = 2000;
/// Most moves of all these lines together.
const MAX_MOVES: usize = 200_000;
/// Most bytes of them: each repeats what it has in common with the others.
const MAX_BYTES: usize = 64_000_000;
/// The property of our own with the judgement of a review on a move.
const JUDGED: &str = "JUDGED";

/// A format in which a record is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SaveFormat {
    /// Piskvork's; the line of play only.
    Psq,
    /// SGF, with variations.
    Sgf,
    /// Moves such as `h8 i9`; the line of play only.
    Moves,
}

/// A move of a tree.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Node {
    /// The point.
    pub point: usize,
    /// The index of the move before it; `None` for a first move.
    pub parent: Option<usize>,
    /// A comment.
    #[serde(default)]
    pub comment: String,
    /// What a review says about it.
    #[serde(default)]
    pub judged: Option<Judged>,
}

/// A game with variations: the position before the first move, and the moves, parents before children.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Tree {
    /// Rule, board and setup; its moves are the line of play.
    pub position: Position,
    /// All moves.
    #[serde(default)]
    pub nodes: Vec<Node>,
    /// The names of black and white.
    #[serde(default)]
    pub players: [String; 2],
    /// The comment before the first move.
    #[serde(default)]
    pub comment: String,
    /// The result that the record names: the winner's colour, or 2 for a draw.
    #[serde(default)]
    pub winner: Option<u64>,
    /// Whether the loser of this result ran out of time. Only for writing.
    #[serde(default)]
    pub late: bool,
    /// Stones of an opening that nobody chose as a good move.
    #[serde(default)]
    pub opening: usize,
}

/// A record as the page has it: a text, or bytes that are no UTF-8.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// A text.
    Text(String),
    /// A library of `RenLib`, or a text in an encoding that the browser does not know.
    Bytes(Vec<u8>),
}

impl Source {
    /// The games of the source, and the board of those that name none: `size`, or the smallest usual one where no game fits on that.
    fn all(&self, size: Option<Size>) -> (Vec<Result<GameFile>>, Option<Size>) {
        let read = |size| match self {
            Source::Text(text) => gamefile::parse_all(text, size),
            Source::Bytes(bytes) => gamefile::read_all(bytes, size, gamefile::decode),
        };
        let games = read(size);
        if size.is_some() && games.iter().all(Result::is_err) { (read(None), None) } else { (games, size) }
    }

    /// The text, if it is SGF.
    fn sgf(&self) -> Option<Cow<'_, str>> {
        let bytes = match self {
            Source::Text(text) => text.as_bytes(),
            Source::Bytes(bytes) => bytes,
        };
        let is_sgf = gamefile::format(bytes) == gamefile::Format::Sgf;
        is_sgf.then(|| match self {
            Source::Text(text) => gamefile::with_line_feeds(text),
            Source::Bytes(bytes) => Cow::Owned(gamefile::decode(bytes)),
        })
    }
}

/// The encoding of bytes that are no UTF-8, as browsers call it; null if they are no text, or one without a known encoding, which
/// [`gamefile::decode`] reads best.
pub fn charset(bytes: &[u8]) -> Option<String> {
    let is_text = gamefile::format(bytes) != gamefile::Format::RenLib;
    gamefile::charset(bytes).filter(|_| is_text)
}

/// All games of a source, at least one: players, board, number of moves, rule (null if none is named that is known), winner (null,
/// or 2 for a draw), or what is wrong with the game.
pub fn games(source: &Source, board: Option<(usize, usize)>) -> Value {
    let entry = |game: Result<GameFile>| match game {
        Ok(game) => json!({
            "players": game.players,
            "width": game.size.width(),
            "height": game.size.height(),
            "moves": game.sections().map(|section| section.moves.len()).sum::<usize>(),
            "rule": game.rule.map(Rule::number),
            "winner": game.outcome.map(winner_of),
        }),
        Err(error) => json!({ "error": format!("{error:#}") }),
    };
    source.all(size_of(board)).0.into_iter().map(entry).collect()
}

/// The winner's colour, or 2 for a draw.
fn winner_of(outcome: Outcome) -> u64 {
    outcome.winner.map_or(2, |color| wire::color(color) as u64)
}

fn size_of(board: Option<(usize, usize)>) -> Option<Size> {
    board.and_then(|(width, height)| Size::new(width, height))
}

/// Reads one of the games of a source, counted from 0: the game with its variations; its rule, and what the record says about
/// that if it is not known; and what else should be known, in English.
///
/// # Errors
/// One line that says what is wrong.
pub fn read(source: &Source, board: Option<(usize, usize)>, number: usize) -> Result<Value> {
    let text = source.sgf();
    let lines = match text.as_deref().map(sgf::games).unwrap_or_default().get(number) {
        Some(game) => lines_of_play(game.text)?,
        None => Vec::new(),
    };
    let (games, size) = source.all(size_of(board));
    let first = match lines.first() {
        Some(line) => gamefile::parse(line, size)?,
        None => games.into_iter().nth(number).context("there is no such game")??,
    };
    let start = start_of(&first)?;
    let mut known = HashMap::default();
    let earlier = first.earlier.iter().map(|section| section.moves.len()).sum();
    let mut tree = Tree {
        position: start.clone(),
        opening: first.start.moves.saturating_sub(earlier).min(first.last.moves.len()),
        players: first.players.clone().map(Option::unwrap_or_default),
        winner: first.outcome.map(winner_of),
        ..Tree::default()
    };
    add(&mut tree, &first, &mut known, lines.first().map_or("", String::as_str));
    let mut others = 0;
    for line in lines.iter().skip(1) {
        let other = gamefile::parse(line, size)?;
        let other_start = start_of(&other)?;
        // A variation that sets up another position is another game.
        if other_start.setup == start.setup && other_start.white_first == start.white_first && other.size == first.size
        {
            add(&mut tree, &other, &mut known, line);
        } else {
            others += 1;
        }
    }
    let GameFile { rule, unknown_rule, mut notes, .. } = first;
    if others > 0 {
        notes.push(format!(
            "Variations left out, because of a pass, two moves of one colour or stones set up: {others}."
        ));
    }
    let rule = rule.map(Rule::number);
    Ok(json!({ "game": tree, "rule": rule, "unknown_rule": unknown_rule, "notes": notes }))
}

/// What a record starts from: where it has several sections, the beginning of the last one.
fn start_of(game: &GameFile) -> Result<Position> {
    let Section { setup, first, .. } = &game.last;
    let cell = |cell: Cell| match cell.color() {
        Some(Color::Black) => 1,
        Some(Color::White) => 2,
        None => 3,
    };
    ensure!(setup.len() < game.size.cells(), "the board is full");
    Ok(Position {
        rule: game.rule.map_or(0, Rule::number),
        width: game.size.width(),
        height: game.size.height(),
        setup: setup.iter().map(|&(point, what)| (wire::index(game.size, point), cell(what))).collect(),
        white_first: *first == Color::White,
        moves: Vec::new(),
    })
}

/// Adds a line of play to a tree, with what its SGF says about the moves; `known` has the moves of the tree by parent and point.
fn add(tree: &mut Tree, game: &GameFile, known: &mut HashMap<(Option<usize>, usize), usize>, line: &str) {
    let (comment, remarks) = remarks_of(line);
    if tree.comment.is_empty() {
        tree.comment = comment;
    }
    // Of a game in several sections, only the last one is in the tree. Lines of other formats have no remarks.
    let earlier = remarks.len().checked_sub(game.last.moves.len()).unwrap_or(remarks.len());
    let mut remarks = remarks.into_iter().skip(earlier);
    let mut parent = None;
    for point in wire::indices(game.size, &game.last.moves) {
        let Remark { comment, judged } = remarks.next().unwrap_or_default();
        let node = known.entry((parent, point)).or_insert_with(|| {
            let judged = serde_json::from_str(&judged).ok();
            let judged = judged.filter(|judged: &Judged| judged.fits(point, game.size.cells()));
            tree.nodes.push(Node { point, parent, comment, judged });
            tree.nodes.len() - 1
        });
        parent = Some(*node);
    }
}

/// What an SGF says about a move.
#[derive(Default)]
struct Remark {
    comment: String,
    /// The value of [`JUDGED`].
    judged: String,
}

/// The remarks of an SGF without variations: the comment before the first move, and those on the moves, from the first one on;
/// empty ones where there is none.
fn remarks_of(line: &str) -> (String, Vec<Remark>) {
    let (mut before, mut remarks) = (String::new(), Vec::new());
    let (mut remark, mut is_move) = (Remark::default(), false);
    let mut end_node = |is_move: bool, remark: Remark| {
        if is_move {
            remarks.push(remark);
        } else if remarks.is_empty() && !remark.comment.is_empty() {
            before = remark.comment;
        }
    };
    for (_, token) in sgf::tokens(line) {
        match token {
            Token::Node => end_node(std::mem::take(&mut is_move), std::mem::take(&mut remark)),
            Token::Property(key, mut values) => {
                is_move |= key == "B" || key == "W";
                let value = values.pop().unwrap_or_default();
                match key.as_str() {
                    "C" => remark.comment = value,
                    JUDGED => remark.judged = value,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    end_node(is_move, remark);
    (before, remarks)
}

/// The lines of play of a game in SGF with variations, each as an SGF without any.
fn lines_of_play(game: &str) -> Result<Vec<String>> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    // The length of the line where each open bracket began, in bytes and in nodes.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut is_new, mut copied, mut nodes) = (false, 0, 0);
    let (mut all_bytes, mut all_nodes) = (0, 0);
    for (at, token) in sgf::tokens(game) {
        if matches!(token, Token::Open | Token::Close) {
            line.push_str(&game[copied..at]);
            copied = at + 1;
        }
        match token {
            Token::Open => open.push((line.len(), nodes)),
            Token::Close => {
                if std::mem::take(&mut is_new) {
                    all_bytes += line.len();
                    all_nodes += nodes;
                    let fits = lines.len() < MAX_LINES && all_bytes < MAX_BYTES && all_nodes < MAX_MOVES;
                    ensure!(fits, "too many variations");
                    lines.push(format!("({line})"));
                }
                let (length, before) = open.pop().unwrap_or_default();
                line.truncate(length);
                nodes = before;
            }
            Token::Node => (is_new, nodes) = (true, nodes + 1),
            Token::Property(..) | Token::Unclosed => {}
        }
    }
    if is_new {
        lines.push(format!("({line}{})", &game[copied..]));
    }
    Ok(lines)
}

/// Writes a game.
///
/// # Errors
/// When a stone is off the board or on another one, or the format cannot express the game.
pub fn write(format: SaveFormat, game: &Tree) -> Result<String> {
    let (rule, size, section) = (game.position.rule()?, game.position.size()?, game.position.section()?);
    let names = game.players.clone();
    Ok(match format {
        SaveFormat::Psq => gamefile::psq(size, in_turn(&section)?.into_iter().map(|point| (point, 0)), &names),
        SaveFormat::Moves => point_names::names(&in_turn(&section)?, size, " ") + "\n",
        SaveFormat::Sgf => {
            let first = section.first;
            let start = Section { moves: Vec::new(), ..section };
            let mut remarks = sgf::Remarks::names(names);
            let imposed = sgf::imposed(game.opening);
            remarks.properties.extend([imposed, ("RE", result_of(game)?), ("C", game.comment.clone())]);
            let mut text = sgf::write(rule, size, &start, &remarks)?;
            text.truncate(text.trim_end().len() - 1);
            write_nodes(game, size, first, &mut text)?;
            text + ")\n"
        }
    })
}

/// The stones as moves in turn from the empty board, black first.
fn in_turn(section: &Section) -> Result<Vec<Point>> {
    let stones = section.cells().into_iter().enumerate().map(|(index, (point, cell))| {
        ensure!(cell == Color::to_move_after(index).into(), "this format has only moves in turn: save as SGF");
        Ok(point)
    });
    stones.collect()
}

/// The result on the board at the end of the main line, or else the one that the record names, as SGF writes it; empty if there
/// is none.
fn result_of(game: &Tree) -> Result<String> {
    let mut moves = Vec::new();
    let mut last = None;
    for (number, node) in game.nodes.iter().enumerate() {
        // Of the children of a node the first belongs to the main line.
        if node.parent == last {
            moves.push(node.point);
            last = Some(number);
        }
    }
    let end = referee::judge(&Position { moves, ..game.position.clone() })?["end"].take();
    let on_board = if end["kind"] == "draw" { Some(2) } else { end["winner"].as_u64() };
    let how = if on_board.is_none() && game.late { "T" } else { "" };
    Ok(match on_board.or(game.winner) {
        Some(0) => format!("B+{how}"),
        Some(1) => format!("W+{how}"),
        Some(_) => "0".to_owned(),
        None => String::new(),
    })
}

/// What is left to be written.
enum Step {
    /// A move and what follows it.
    Move(usize, Color),
    /// The beginning of a variation.
    Open,
    /// Its end.
    Close,
}

/// Appends all moves of a tree, without recursion: a line of play may be long.
fn write_nodes(game: &Tree, size: Size, first: Color, text: &mut String) -> Result<()> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); game.nodes.len() + 1];
    for (number, node) in game.nodes.iter().enumerate() {
        ensure!(node.parent.is_none_or(|parent| parent < number), "a move comes before its parent");
        children[node.parent.map_or(0, |parent| parent + 1)].push(number);
    }
    let mut steps = Vec::new();
    let follow = |steps: &mut Vec<Step>, children: &[usize], color: Color| {
        for &child in children.iter().rev() {
            if children.len() > 1 {
                steps.push(Step::Close);
            }
            steps.push(Step::Move(child, color));
            if children.len() > 1 {
                steps.push(Step::Open);
            }
        }
    };
    follow(&mut steps, &children[0], first);
    while let Some(step) = steps.pop() {
        match step {
            Step::Open => text.push('('),
            Step::Close => text.push(')'),
            Step::Move(number, color) => {
                let point = wire::point(size, game.nodes[number].point)?;
                text.extend([';', if color == Color::Black { 'B' } else { 'W' }]);
                text.extend(["[", &sgf::point_text(point), "]"]);
                write_remarks(&game.nodes[number], text);
                follow(&mut steps, &children[number + 1], color.opponent());
            }
        }
    }
    Ok(())
}

/// Appends what is said about a move. Other programs read the marks of bad moves (`BM`) and doubtful ones (`DO`).
fn write_remarks(node: &Node, text: &mut String) {
    let mut write = |key: &str, value: &str| {
        text.extend([key, "[", &sgf::escape(value), "]"]);
    };
    if !node.comment.is_empty() {
        write("C", &node.comment);
    }
    if let Some(judged) = &node.judged {
        match judged.mark() {
            Some(Mark::MissedWin) => write("BM", "2"),
            Some(Mark::Mistake) => write("BM", "1"),
            Some(Mark::Inaccuracy) => write("DO", ""),
            _ => {}
        }
        write(JUDGED, &json!(judged).to_string());
    }
}

#[cfg(test)]
mod tests;
