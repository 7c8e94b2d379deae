//! Records of games with their variations, read and written.
//!
//! The readers of the library read one line of play. A file with variations is cut into its lines here, each is read by the
//! library, and the lines are put together to a tree.

use super::wire::{self, Position};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tengen::base::maps::HashMap;
use tengen::base::{Cell, Color, Point, Rule, Size};
use tengen::tools::gamefile::{self, GameFile, Section, sgf};
use tengen::tools::point_names;

/// Most lines of play that are read from one record.
const MAX_LINES: usize = 2000;
/// Most moves of all these lines together.
const MAX_MOVES: usize = 200_000;

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
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
}

/// Reads a game in any format. Plain moves are on a board of `side` points a side, or on the smallest usual one.
///
/// # Errors
/// One line that says what is wrong.
pub fn read(text: &str, side: Option<usize>) -> Result<Value> {
    let size = side.and_then(Size::square);
    let lines = lines_of_play(text)?;
    let first = match lines.first() {
        Some(line) => gamefile::parse(line, size)?,
        None => gamefile::parse(text, size)?,
    };
    let start = start_of(&first)?;
    let mut known = HashMap::default();
    let mut tree = Tree {
        position: start.clone(),
        nodes: Vec::new(),
        players: first.players.clone().map(Option::unwrap_or_default),
    };
    add(&mut tree, &first, &mut known, lines.first().map_or("", String::as_str));
    for line in lines.iter().skip(1) {
        let other = gamefile::parse(line, size)?;
        let other_start = start_of(&other)?;
        // A variation that sets up another position is another game.
        if other_start.setup == start.setup && other_start.white_first == start.white_first && other.size == first.size
        {
            add(&mut tree, &other, &mut known, line);
        }
    }
    Ok(json!({ "game": tree, "rule": first.rule.map(Rule::number) }))
}

/// Reads a file that is not UTF-8: a library of `RenLib`, or a text in another encoding.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(bytes: &[u8], side: Option<usize>) -> Result<Value> {
    if gamefile::format(bytes) != gamefile::Format::RenLib {
        return read(&gamefile::decode(bytes), side);
    }
    let game = gamefile::read(bytes, None)?;
    let mut tree = Tree { position: start_of(&game)?, ..Tree::default() };
    add(&mut tree, &game, &mut HashMap::default(), "");
    Ok(json!({ "game": tree, "rule": game.rule.map(Rule::number) }))
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

/// Adds a line of play to a tree, with the comments of its SGF; `known` has the moves of the tree by parent and point.
fn add(tree: &mut Tree, game: &GameFile, known: &mut HashMap<(Option<usize>, usize), usize>, line: &str) {
    let mut comments = comments_of(line);
    if comments.len() != game.last.moves.len() {
        // Of a game in several sections, only the last one is in the tree.
        comments.clear();
    }
    let mut comments = comments.into_iter();
    let mut parent = None;
    for point in wire::indices(game.size, &game.last.moves) {
        let comment = comments.next().unwrap_or_default();
        let node = known.entry((parent, point)).or_insert_with(|| {
            tree.nodes.push(Node { point, parent, comment });
            tree.nodes.len() - 1
        });
        parent = Some(*node);
    }
}

/// The comments on the moves of an SGF without variations, from the first move on; empty ones where there is none.
fn comments_of(line: &str) -> Vec<String> {
    let (mut comments, mut comment, mut is_move) = (Vec::new(), String::new(), false);
    let (mut key, mut has_value) = (String::new(), false);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '[' => {
                let mut value = String::new();
                while let Some(c) = rest.next() {
                    match c {
                        ']' => break,
                        '\\' => value.extend(rest.next()),
                        _ => value.push(c),
                    }
                }
                is_move |= key == "B" || key == "W";
                if key == "C" {
                    comment = value;
                }
                has_value = true;
            }
            ';' => {
                if std::mem::take(&mut is_move) {
                    comments.push(std::mem::take(&mut comment));
                }
                comment.clear();
                (key, has_value) = (String::new(), false);
            }
            'A'..='Z' => {
                if std::mem::take(&mut has_value) {
                    key.clear();
                }
                key.push(c);
            }
            _ => {}
        }
    }
    if is_move {
        comments.push(comment);
    }
    comments
}

/// The lines of play of an SGF with variations, each as an SGF without any; empty for other texts.
fn lines_of_play(text: &str) -> Result<Vec<String>> {
    if !text.trim_start().starts_with('(') {
        return Ok(Vec::new());
    }
    let games = sgf::games(text);
    let Some(game) = games.first() else { return Ok(Vec::new()) };
    let (mut lines, mut line) = (Vec::new(), String::new());
    // The length of the line where each open bracket began.
    let mut open: Vec<usize> = Vec::new();
    let (mut is_value, mut is_quoted, mut is_new) = (false, false, false);
    let mut total = 0;
    for c in game.text.chars() {
        match c {
            _ if std::mem::take(&mut is_quoted) => line.push(c),
            _ if is_value => {
                is_quoted = c == '\\';
                is_value = c != ']';
                line.push(c);
            }
            '(' => open.push(line.len()),
            ')' => {
                let Some(begin) = open.pop() else { break };
                if std::mem::take(&mut is_new) {
                    total += line.len();
                    ensure!(lines.len() < MAX_LINES && total < 20 * MAX_MOVES, "too many variations");
                    lines.push(format!("({line})"));
                }
                line.truncate(begin);
            }
            _ => {
                is_value = c == '[';
                is_new |= c == ';';
                line.push(c);
            }
        }
    }
    if is_new {
        lines.push(format!("({line})"));
    }
    Ok(lines)
}

/// Writes a game.
///
/// # Errors
/// When a stone is off the board or on another one.
pub fn write(format: Format, game: &Tree) -> Result<String> {
    let (rule, size, section) = (game.position.rule()?, game.position.size()?, game.position.section()?);
    let names = game.players.clone();
    Ok(match format {
        Format::Psq => gamefile::psq(size, section.cells().into_iter().map(|(point, _)| (point, 0)), &names),
        Format::Moves => {
            let stones: Vec<Point> = section.cells().into_iter().map(|(point, _)| point).collect();
            point_names::names(&stones, size, " ") + "\n"
        }
        Format::Sgf => {
            let first = section.first;
            let start = Section { moves: Vec::new(), ..section };
            let mut text = sgf::write(rule, size, &start, &sgf::Remarks::names(names))?;
            text.truncate(text.trim_end().len() - 1);
            write_nodes(game, size, first, &mut text)?;
            text + ")\n"
        }
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
                let letter = |coordinate: usize| char::from(b'a' + coordinate as u8);
                text.extend([';', if color == Color::Black { 'B' } else { 'W' }, '[']);
                text.extend([letter(point.x()), letter(point.y()), ']']);
                let comment = &game.nodes[number].comment;
                if !comment.is_empty() {
                    let quoted = comment.replace('\\', "\\\\").replace(']', "\\]");
                    text.extend(["C[", quoted.as_str(), "]"]);
                }
                follow(&mut steps, &children[number + 1], color.opponent());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(text: &str) -> Tree {
        serde_json::from_value(read(text, None).unwrap()["game"].clone()).unwrap()
    }

    fn shape(tree: &Tree) -> Vec<(usize, Option<usize>)> {
        tree.nodes.iter().map(|node| (node.point, node.parent)).collect()
    }

    #[test]
    fn variations_become_a_tree_and_come_back() {
        let text = "(;SZ[15]RU[renju]PB[a\\]b];B[hh](;W[ii];B[jj](;W[kk])(;W[ll]))(;W[gg]C[not ) here];C[a\\]b]B[aa]))";
        let tree = game(text);
        let at = |x: usize, y: usize| y * 15 + x;
        let expected = vec![
            (at(7, 7), None),
            (at(8, 8), Some(0)),
            (at(9, 9), Some(1)),
            (at(10, 10), Some(2)),
            (at(11, 11), Some(2)),
            (at(6, 6), Some(0)),
            (at(0, 0), Some(5)),
        ];
        assert_eq!(shape(&tree), expected);
        assert_eq!((tree.position.rule, tree.players[0].as_str()), (4, "a]b"));
        let written = write(Format::Sgf, &tree).unwrap();
        let expected_text = ";B[hh](;W[ii];B[jj](;W[kk])(;W[ll]))(;W[gg]C[not ) here];B[aa]C[a\\]b]))";
        assert!(written.contains(expected_text), "{written}");
        assert_eq!(shape(&game(&written)), expected);
    }

    #[test]
    fn a_text_in_another_encoding_is_read() {
        // In this encoding the second byte of a character looks like a bracket.
        let bytes = [&b"(;SZ[15]CA[GBK]PB["[..], &[0xb5, 0x5d], &b"];B[hh];W[ii])"[..]].concat();
        let read: Tree = serde_json::from_value(read_bytes(&bytes, None).unwrap()["game"].clone()).unwrap();
        assert_eq!(shape(&read), [(112, None), (128, Some(0))]);
        assert!(read_bytes(&[0xff, 0xfe, 1, 2], None).is_err());
    }

    #[test]
    fn other_formats_come_back_too() {
        let tree = game("h8 i9 j10");
        let line = Tree { position: Position { moves: vec![112, 98, 84], ..tree.position.clone() }, ..tree.clone() };
        for format in [Format::Psq, Format::Moves] {
            assert_eq!(shape(&game(&write(format, &line).unwrap())), shape(&tree));
        }
        assert_eq!(game("(;SZ[15]AB[hh]AW[ii];B[jj])").position.setup, vec![(112, 1), (128, 2)]);
        assert!(
            read("hello", None).is_err() && read("(;SZ[15];B[hh];W[hh])", None).is_err() && read("", None).is_err()
        );
    }
}
