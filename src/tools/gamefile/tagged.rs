//! Text files like PGN: tags `[Black "Ann"]`, then the moves `1. h8 i9 2. j10 {465ms} *`. Match runners and web pages write
//! them. Black moves first.
//!
//! Read from what the format is known to allow, not from the files of each program. A result `1-0` is left to the board: some
//! programs mean the first player by it, others white.

use super::move_list::{self, Move, Word};
use super::play_start::{Evidence, ms_of, plain};
use super::sections::{GameFile, Outcome, Part};
use crate::base::{Color, Size};
use anyhow::{Context, Result, bail, ensure};

/// Whether a text begins with a tag.
pub(super) fn is_tagged(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| tags_of(line).is_some())
}

/// The tags of a line that consists of tags, at least one, each as its name and its value.
fn tags_of(line: &str) -> Option<Vec<(&str, String)>> {
    let mut tags = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() || tags.is_empty() {
        let (name, value, after) = first_tag(rest)?;
        tags.push((name, value));
        rest = after.trim_start();
    }
    Some(tags)
}

/// The tag with which a text begins, as its name and its value, and what follows.
fn first_tag(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text.strip_prefix('[')?.trim_start().split_once(char::is_whitespace)?;
    let rest = rest.trim_start().strip_prefix('"')?;
    let mut value = String::new();
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => value.extend(letters.next()),
            letter => value.push(letter),
        }
    }
    let after = letters.as_str().trim_start().strip_prefix(']')?;
    name.chars().all(|c| c.is_alphanumeric() || c == '_').then_some((name, value, after))
}

/// The games of a text: tags after moves begin a new one.
pub(super) fn games(text: &str) -> Vec<Part<'_>> {
    let mut starts = vec![(1, 0)];
    let (mut at, mut has_moves, mut is_comment) = (0, false, false);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        // Within a comment, nothing is a tag.
        if !is_comment && tags_of(line).is_some() {
            if std::mem::take(&mut has_moves) {
                starts.push((index + 1, at));
            }
        } else {
            has_moves |= !line.trim().is_empty();
            for letter in line.chars() {
                match letter {
                    '{' => is_comment = true,
                    '}' => is_comment = false,
                    ';' if !is_comment => break,
                    _ => {}
                }
            }
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|&(_, at)| at).chain([text.len()]);
    starts.iter().zip(ends).map(|(&(line, begin), end)| Part { line, text: &text[begin..end] }).collect()
}

/// Reads a game.
pub(super) fn parse(part: &Part<'_>, size: Option<Size>) -> Result<GameFile> {
    let mut tags: Vec<(String, String)> = Vec::new();
    let mut moves: Vec<Move<'_>> = Vec::new();
    let mut comments: Vec<Option<String>> = Vec::new();
    // The comment being read, with its line, and the depth of variations, which are left out.
    let (mut comment, mut depth, mut variations): (Option<(usize, String)>, usize, usize) = (None, 0, 0);
    for (index, line) in part.text.lines().enumerate() {
        let number = part.line + index;
        if let Some(of_line) = tags_of(line).filter(|_| comment.is_none()) {
            tags.extend(of_line.into_iter().map(|(name, value)| (name.to_lowercase(), value)));
            continue;
        }
        let mut rest = line;
        while !rest.is_empty() {
            if let Some((_, text)) = &mut comment {
                let Some((said, after)) = rest.split_once('}') else {
                    *text += rest;
                    text.push(' ');
                    break;
                };
                *text += said;
                if let Some(last) = comments.last_mut().filter(|_| depth == 0) {
                    let said = last.get_or_insert_default();
                    // A line for each comment: neither words nor numbers are joined.
                    said.push_str(if said.is_empty() { "" } else { "\n" });
                    said.push_str(text);
                }
                (comment, rest) = (None, after);
                continue;
            }
            let end = rest.find(['{', '(', ')', ';']).unwrap_or(rest.len());
            let (words, after) = rest.split_at(end);
            if depth == 0 {
                read_words(words, number, &mut moves)?;
                comments.resize(moves.iter().filter(|played| played.word != Word::Pass).count(), None);
            }
            let mut after = after.chars();
            match after.next() {
                Some('{') => comment = Some((number, String::new())),
                Some('(') => (depth, variations) = (depth + 1, variations + 1),
                Some(')') => depth = depth.checked_sub(1).with_context(|| format!("line {number}: ')' without '('"))?,
                // A comment to the end of the line.
                _ => break,
            }
            rest = after.as_str();
        }
    }
    if let Some((line, _)) = comment {
        bail!("line {line}: a comment has no closing brace");
    }
    ensure!(depth == 0, "a variation has no closing bracket");
    let value = |names: &[&str]| {
        let of = |name: &&str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.trim());
        names.iter().filter_map(of).find(|value| !value.is_empty() && *value != "?")
    };
    // In matches of teams `Board` is a number.
    let board = value(&["boardsize", "size", "sz"]).or(value(&["board"]).filter(|text| text.contains(['x', 'X'])));
    let named: Option<Size> = board.and_then(|text| text.replace(' ', "").parse().ok());
    let mut record = move_list::play(&moves, named.or(size))?;
    if let Some(board) = board.filter(|_| named.is_none()) {
        record.notes.push(format!("The board size '{}' cannot be read.", plain(board)));
    }
    if variations > 0 {
        record.notes.push(format!("The main line is read; {variations} variations are left out."));
    }
    let ms = comments.iter().map(|comment| comment.as_deref().and_then(ms_of)).collect();
    let evidence = Evidence { comments, ms, opening: value(&["opening"]).map(str::to_owned), ..Evidence::default() };
    let players = [value(&["black"]), value(&["white"])].map(|name| name.map(str::to_owned));
    let outcome = value(&["result"]).and_then(outcome_of);
    let rule = value(&["rule", "rules", "ru", "variant", "gametype"]).unwrap_or_default();
    Ok(GameFile { players, outcome, ..record.finish(evidence) }.with_rule(rule))
}

/// Reads words between comments; those of PGN that are no moves are left out.
fn read_words<'a>(words: &'a str, line: usize, moves: &mut Vec<Move<'a>>) -> Result<()> {
    for word in words.split_whitespace().filter(|word| !word.starts_with('$')) {
        move_list::read_line(word.trim_end_matches(['!', '?']), line, moves)?;
    }
    Ok(())
}

/// The result of a tag, unless it is left to the board.
fn outcome_of(text: &str) -> Option<Outcome> {
    let text = text.to_lowercase();
    let mut words = text.split_whitespace();
    let winner = match (words.next()?, words.next()) {
        ("1/2-1/2" | "draw", _) => None,
        ("black", Some("wins" | "won")) => Some(Color::Black),
        ("white", Some("wins" | "won")) => Some(Color::White),
        _ => return None,
    };
    Some(Outcome { winner, forfeit: None })
}

#[cfg(test)]
mod tests {
    use super::super::play_start::StartMark;
    use super::*;
    use crate::base::Rule;
    use crate::tools::point_names;

    const GAME: &str = "[Event \"match\"]\n[Black \"A \\\"1\\\"\"]\n[White \"B\"]\n[Rule \"renju\"]\n[Result \"1-0\"]\n\n\
        1. h8 {opening move} i9 {opening move}\n2. J10 {465ms} a1 {12 ms;\nlong} (2... b2 {x} 3. c3) 3. a2 $1 ; the end {\n1-0\n";

    #[test]
    fn tags_moves_comments_and_variations_are_read() {
        let game = parse(&games(GAME)[0], None).unwrap();
        assert_eq!(point_names::names(game.moves().unwrap(), game.size, ""), "h8i9j10a1a2");
        assert_eq!(game.players, [Some("A \"1\"".to_owned()), Some("B".to_owned())]);
        assert_eq!((game.rule, game.outcome, game.ms.clone()), (Some(Rule::Renju), None, vec![0, 0, 465, 12, 0]));
        assert_eq!((game.start.moves, game.start.mark), (2, StartMark::Comments));
        assert_eq!(game.notes, ["The main line is read; 1 variations are left out."]);
    }

    #[test]
    fn every_game_of_a_text_is_found_with_its_lines() {
        let two = format!("{GAME}\n[Black \"C\"]\n[Result \"White wins\"]\nh8 i99\n");
        let parts = games(&two);
        assert_eq!(parts.iter().map(|part| part.line).collect::<Vec<_>>(), [1, 12]);
        assert_eq!(parts[0].text.trim_end(), GAME.trim_end());
        let error = format!("{:#}", parse(&parts[1], None).unwrap_err());
        assert_eq!(error, "line 14: 'i99' is not a move such as h8");
        assert!(is_tagged(&two) && !is_tagged("h8i9") && !is_tagged("[8,8] [9,9]"));
        let none = "[Black \"C\"]\n{ [White \"D\"]\n[Black \"E\"] }\nh8";
        assert_eq!(games(none).len(), 1);
        for (text, reason) in [
            ("[Black \"C\"]\nh8 {x", "line 2: a comment"),
            ("[A \"\"]\nh8 (i9", "a variation"),
            ("[A \"\"]\nh8)", "line 2: ')'"),
        ] {
            let error = format!("{:#}", parse(&games(text)[0], None).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_result_in_words_is_read_and_one_in_numbers_left_to_the_board() {
        let winner = |text: &str| outcome_of(text).map(|outcome| outcome.winner);
        assert_eq!(winner("Black wins"), Some(Some(Color::Black)));
        assert_eq!(winner("white won"), Some(Some(Color::White)));
        assert_eq!(winner("1/2-1/2"), Some(None));
        assert_eq!([winner("1-0"), winner("*"), winner("black")], [None; 3]);
    }
}
