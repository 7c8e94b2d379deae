//! The database of `RenjuNet` and extracts of it: XML with tables of players, rules and openings, and games such as
//! `<game rule="1" black="7" white="8" bresult="1" opening="4"><move>h8 h9 j10</move></game>`.
//!
//! Written from the known layout of these files. Only the tags named here are looked at; the scanner is our own because the
//! brain needs no more of XML than this.

use super::move_list;
use super::play_start::Evidence;
use super::sections::{GameFile, Outcome};
use crate::base::{Color, Size};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

/// The names in tables, by their numbers.
type Table<'a> = BTreeMap<String, BTreeMap<&'a str, String>>;

/// A tag: its name, without the slash of an end, and its attributes.
struct Tag<'a> {
    name: &'a str,
    is_end: bool,
    attributes: BTreeMap<&'a str, String>,
    /// Of its first character, from 1.
    line: usize,
    /// What follows it up to the next tag.
    text: &'a str,
}

/// Whether a text is XML with games in it.
pub(super) fn is_xml(text: &str) -> bool {
    text.starts_with('<') && text.contains("<game")
}

/// Reads all games.
pub(super) fn parse(text: &str, size: Option<Size>) -> Result<Vec<Result<GameFile>>> {
    let tags = tags(text)?;
    let (mut players, mut rules, mut openings) = (Table::new(), Table::new(), Table::new());
    let mut tournaments = Table::new();
    for tag in tags.iter().filter(|tag| !tag.is_end) {
        let table = match tag.name {
            "player" => &mut players,
            "rule" => &mut rules,
            "opening" => &mut openings,
            "tournament" => &mut tournaments,
            _ => continue,
        };
        if let Some(id) = tag.attributes.get("id") {
            table.insert(id.clone(), tag.attributes.clone());
        }
    }
    let of = |table: &Table<'_>, id: Option<&String>, field: &str| -> Option<String> {
        table.get(id?)?.get(field).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let mut games = Vec::new();
    for (index, tag) in tags.iter().enumerate().filter(|(_, tag)| tag.name == "game" && !tag.is_end) {
        let attribute = |name: &str| tag.attributes.get(name);
        let inside = tags[index + 1..].iter().take_while(|inner| inner.name != "game");
        let moves = inside.into_iter().find(|inner| inner.name == "move" && !inner.is_end);
        let read = || {
            let moves = moves.with_context(|| format!("line {}: a game without <move>", tag.line))?;
            let mut list = Vec::new();
            for (index, line) in moves.text.lines().enumerate() {
                move_list::read_line(line, moves.line + index, &mut list)?;
            }
            let record = move_list::play(&list, size)?;
            let tournament_rule = || of(&tournaments, attribute("tournament"), "rule");
            let rule = attribute("rule").cloned().filter(|id| rules.contains_key(id)).or_else(tournament_rule);
            let rule = of(&rules, rule.as_ref(), "name").or_else(|| attribute("rule").map(|id| format!("number {id}")));
            let opening = attribute("opening");
            let opening = of(&openings, opening, "name").or_else(|| of(&openings, opening, "abbr"));
            let names = ["black", "white"].map(|side| {
                let parts = ["name", "surname"].map(|part| of(&players, attribute(side), part));
                let name = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
                Some(name).filter(|name| !name.is_empty()).or_else(|| attribute(side).cloned())
            });
            let outcome = attribute("bresult").and_then(|result| outcome_of(result));
            let game = record.finish(Evidence { opening, ..Evidence::default() });
            Ok(GameFile { players: names, outcome, ..game }.with_rule(&rule.unwrap_or_default()))
        };
        games.push(read());
    }
    ensure!(!games.is_empty(), "no games");
    Ok(games)
}

/// The result for black: 1, 0.5 or 0.
fn outcome_of(text: &str) -> Option<Outcome> {
    let winner = match text.trim() {
        "1" => Some(Color::Black),
        "0" => Some(Color::White),
        "0.5" | ".5" | "1/2" => None,
        _ => return None,
    };
    Some(Outcome { winner, forfeit: None })
}

/// The tags of a text. Comments, declarations and what they hold are left out.
fn tags(text: &str) -> Result<Vec<Tag<'_>>> {
    let mut tags = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(at) = rest.find('<') {
        line += rest[..at].matches('\n').count();
        rest = &rest[at..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
        if let Some((_, end)) = skipped.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
            let end = rest.find(end).with_context(|| format!("line {line}: '{end}' is missing"))? + end.len();
            line += rest[..end].matches('\n').count();
            rest = &rest[end..];
            continue;
        }
        let end = end_of_tag(rest).with_context(|| format!("line {line}: a tag has no end"))?;
        let inside = rest[1..end].trim_end_matches('/');
        let is_end = inside.starts_with('/');
        let inside = inside.trim_start_matches('/');
        let name = inside.split(char::is_whitespace).next().unwrap_or_default();
        let attributes = attributes(&inside[name.len()..]).with_context(|| format!("line {line}: <{name}>"))?;
        let after = &rest[end + 1..];
        let text = after.split('<').next().unwrap_or_default();
        tags.push(Tag { name, is_end, attributes, line, text });
        line += rest[..=end].matches('\n').count();
        rest = after;
    }
    Ok(tags)
}

/// The place of the `>` that ends a tag.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in tag.char_indices() {
        match (quote, letter) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

fn attributes(mut text: &str) -> Result<BTreeMap<&str, String>> {
    let mut attributes = BTreeMap::new();
    while let Some((name, rest)) = text.split_once('=') {
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|quote| ['"', '\''].contains(quote));
        let Some((value, after)) = quote.and_then(|quote| rest[1..].split_once(quote)) else {
            bail!("the value of '{}' has no quotes", name.trim());
        };
        attributes.insert(name.trim(), without_entities(value));
        text = after;
    }
    Ok(attributes)
}

/// A text with the characters that XML writes in words or numbers.
fn without_entities(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain += before;
        let entity = after.split_once(';').and_then(|(name, after)| Some((character(name)?, after)));
        let (character, after) = entity.unwrap_or(('&', after));
        plain.push(character);
        rest = after;
    }
    plain + rest
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::play_start::StartMark;
    use super::*;
    use crate::base::Rule;
    use crate::tools::point_names;

    const DATABASE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<database>\n<!-- <game> -->\n\
        <rules><rule id=\"1\" name=\"RIF\"/><rule id=\"2\" name=\"Oddity\"/></rules>\n\
        <openings><opening id=\"4\" name=\"Kagetsu\" abbr=\"4d\"/></openings>\n\
        <players><player id=\"7\" name=\"Ann\" surname=\"B &amp; C\"/><player id=\"8\" name=\"D\"/></players>\n\
        <tournaments><tournament id=\"3\" name='x>y' rule=\"1\"/></tournaments>\n<games>\n\
        <game id=\"1\" tournament=\"3\" rule=\"1\" black=\"7\" white=\"8\" bresult=\"1\" opening=\"4\">\n\
        <move>h8 h9 j10 j8</move>\n</game>\n\
        <game id=\"2\" tournament=\"3\" black=\"8\" white=\"9\" bresult=\"0.5\"><move>h8 i9</move></game>\n\
        <game id=\"3\" rule=\"2\"><move>h8\nz99</move></game>\n<game id=\"4\" rule=\"2\"/>\n</games></database>\n";

    #[test]
    fn games_are_read_with_their_tables() {
        assert!(is_xml(DATABASE) && !is_xml("<html>"));
        let games = parse(DATABASE, None).unwrap();
        assert_eq!(games.len(), 4);
        let first = games[0].as_ref().unwrap();
        assert_eq!(point_names::names(first.moves().unwrap(), first.size, ""), "h8h9j10j8");
        assert_eq!(first.players, [Some("Ann B & C".to_owned()), Some("D".to_owned())]);
        assert_eq!((first.rule, first.outcome.unwrap().winner), (Some(Rule::Renju), Some(Color::Black)));
        assert_eq!((first.start.moves, &first.start.mark), (3, &StartMark::Opening("Kagetsu".to_owned())));
        let second = games[1].as_ref().unwrap();
        assert_eq!(
            (second.rule, second.outcome.unwrap().winner, second.players[1].as_deref()),
            (Some(Rule::Renju), None, Some("9"))
        );
        assert_eq!(format!("{:#}", games[2].as_ref().unwrap_err()), "line 14: 'z99' is not a move such as h8");
        assert_eq!(format!("{:#}", games[3].as_ref().unwrap_err()), "line 15: a game without <move>");
    }

    #[test]
    fn a_rule_of_the_table_that_is_not_known_is_kept() {
        let text = "<rule id=\"2\" name=\"Oddity\"/><game rule=\"2\"><move>h8</move></game>";
        assert_eq!(parse(text, None).unwrap()[0].as_ref().unwrap().unknown_rule.as_deref(), Some("Oddity"));
    }

    #[test]
    fn damaged_xml_is_refused() {
        for (text, reason) in [
            ("<game\n", "line 1: a tag has no end"),
            ("<games>\n</games>", "no games"),
            ("<game>\n<!-- x", "line 2: '-->' is missing"),
            ("<game>\n<move a=b>", "line 2: <move>: the value of 'a' has no quotes"),
        ] {
            let error = parse(text, None).map(|_| ()).unwrap_err();
            assert_eq!(format!("{error:#}"), reason);
        }
        assert_eq!(without_entities("a &#233;&#x41;&nosuch; & b &amp;"), "a éA&nosuch; & b &");
    }
}
