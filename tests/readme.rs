//! The README and the pages in `docs/` are true: their tables are those of the source, their examples give the output
//! shown, and their links, like those of `experiments/`, have a target.

#![allow(missing_docs, clippy::unwrap_used)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tengen::base::{Rule, Size};
use tengen::protocol::command::table as commands;
use tengen::protocol::info;

const README: &str = include_str!("../README.md");
const PROTOCOL: &str = include_str!("../docs/protocol.md");
const TOOLS: &str = include_str!("../docs/tools.md");
const TOURNAMENTS: &str = include_str!("../docs/tournaments.md");

/// The rows of the table with this header, as cells.
fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let start = page.find(&format!("\n{head}\n")).unwrap_or_else(|| panic!("there is no table {head}"));
    let rows = page[start + 1..].lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[test]
fn the_info_table_is_the_one_of_the_source() {
    let shown: Vec<String> = table(PROTOCOL, "| key | meaning |").iter().map(|row| row.join(" | ")).collect();
    let known: Vec<String> = info::documentation().map(|(name, doc)| format!("`{name}` | {doc}")).collect();
    let wanted = known.iter().map(|row| format!("| {row} |")).collect::<Vec<_>>().join("\n");
    assert_eq!(shown, known, "\nThe table in docs/protocol.md should be:\n{wanted}\n");
}

#[test]
fn the_command_table_is_the_one_of_the_source() {
    let shown = table(PROTOCOL, "| command | what it does | answer |");
    let known: Vec<Vec<String>> = commands::documentation().map(Vec::from).collect();
    let wanted = known.iter().map(|row| format!("| {} |", row.join(" | "))).collect::<Vec<_>>().join("\n");
    assert_eq!(shown, known, "\nThe table in docs/protocol.md should be:\n{wanted}\n");
}

#[test]
fn the_rules_are_those_of_the_source() {
    let shown: Vec<(String, String)> =
        table(PROTOCOL, "| number | rule | wins |").into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let known: Vec<(String, String)> =
        Rule::ALL.iter().map(|rule| (format!("`{}`", rule.number()), rule.name().to_owned())).collect();
    assert_eq!(shown, known);
    let short: Vec<(String, String)> = table(README, "| `INFO rule` | rule | wins |")
        .into_iter()
        .map(|row| (format!("`{}`", row[0]), row[1].clone()))
        .collect();
    assert_eq!(short, known);
    let list = Rule::list();
    assert!(info::documentation().any(|(name, doc)| name == "rule" && doc.contains(&list)));
    for tool in ["play", "solve"] {
        let help = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen")).args([tool, "--help"]).output().unwrap();
        assert!(String::from_utf8(help.stdout).unwrap().contains(&list), "{tool}: {list}");
    }
}

#[test]
fn the_results_are_those_of_the_page_about_tournaments() {
    let head = "| against | seconds a move | freestyle 20x20 | standard 15x15 | renju 15x15 | caro 15x15 |";
    let shown = table(README, head).into_iter().flat_map(|row| {
        let games = row[2..].iter().filter(|cell| !cell.is_empty());
        games.map(|games| vec![row[1].clone(), games.clone()]).collect::<Vec<_>>()
    });
    let head = "| rule, board, opponent | seconds a move | games | Elo | openings won by one colour |";
    let measured = table(TOURNAMENTS, head).into_iter().map(|row| row[1..3].to_vec());
    assert_eq!(shown.collect::<Vec<_>>(), measured.collect::<Vec<_>>());
}

/// Bug: the page said that every command needs a board.
#[test]
fn the_page_names_the_commands_that_need_no_board() {
    let list = PROTOCOL.split("Before the first `START`").nth(1).unwrap().split("\n\n").next().unwrap();
    for (row, [usage, doc, _]) in commands::ROWS.iter().zip(commands::documentation()) {
        let by_kind = doc.contains("accepted, no effect") || usage.ends_with("a path");
        for keyword in row.keywords {
            let word = keyword.word;
            let is_named = by_kind || word.starts_with("YXSOOSORVSTEP") || list.contains(&format!("`{word}`"));
            assert_eq!(is_named || word == "START", !row.needs_board, "{word}");
        }
    }
}

#[test]
fn the_levels_are_those_of_the_source() {
    let rows = table(TOURNAMENTS, "| strength | a name for it | against the level 10 below |");
    let shown: Vec<(String, String)> = rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let known: Vec<(String, String)> = tengen::engine::level::LEVELS
        .iter()
        .map(|(name, strength)| (format!("`{strength}`"), (*name).to_owned()))
        .collect();
    assert_eq!(shown, known);
    let help = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen")).args(["play", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(known.iter().all(|(_, name)| help.contains(name)), "{help}");
}

#[test]
fn the_explanation_is_the_one_shown() {
    let line = TOOLS.lines().find(|line| line.contains(" -- explain ")).expect("the page explains a point");
    let shown = TOOLS.split(line).nth(1).unwrap().split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let arguments = line.split(" -- ").nth(1).unwrap().split(' ');
    let output = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen")).args(arguments).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.ends_with(&format!("\n\n{shown}")), "{said}");
}

#[test]
fn every_tool_is_named() {
    let mentions = |words: &str| TOOLS.matches(&format!("pbrain-tengen {words}")).count();
    for command in tengen::tools::COMMANDS {
        // `bench` is also the beginning of `bench smp`.
        let longer =
            tengen::tools::COMMANDS.iter().filter(|other| other.words.starts_with(&format!("{} ", command.words)));
        let of_longer: usize = longer.map(|other| mentions(other.words)).sum();
        assert!(mentions(command.words) > of_longer, "{}", command.words);
    }
}

#[test]
fn the_readme_is_short() {
    let lines = README.lines().count();
    assert!(lines <= 180, "{lines} lines: move some to docs/");
}

/// The pages with links outside `docs/` and `experiments/`.
const PAGES: [&str; 6] = [
    "README.md",
    "CONTRIBUTING.md",
    "EXPERIMENTS.md",
    "CHANGELOG.md",
    "protocol-fixtures/README.md",
    "src/eval/network/weights/README.md",
];

#[test]
fn every_link_has_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["docs", "experiments"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let pages = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let pages = pages.chain(PAGES.map(|page| root.join(page)));
    let mut count = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            if file.starts_with("https:") {
                continue;
            }
            let linked = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(linked.exists(), "{}: {target}", page.display());
            if !place.is_empty() {
                let text = std::fs::read_to_string(&linked).unwrap();
                let mut headlines = text.lines().filter(|line| line.starts_with('#'));
                let known = headlines.any(|line| anchor(line) == place) || text.contains(&named_place(place));
                assert!(known, "{}: {target}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// The anchor of a headline in links.
fn anchor(headline: &str) -> String {
    let words = headline.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// What gives a place that is no headline, such as a row of a table, its name.
fn named_place(name: &str) -> String {
    format!("<a id=\"{name}\"></a>")
}

#[test]
fn the_example_plays() {
    let line = README.lines().find(|line| line.starts_with("printf '")).expect("README.md pipes a transcript");
    let script = line.split('\'').nth(1).unwrap().replace("\\n", "\n");
    let shown = README.split(line).nth(1).unwrap().split("```text\n").nth(1).unwrap().split("```").next().unwrap();

    let mut brain = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the brain starts");
    brain.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = brain.wait_with_output().unwrap();
    assert!(output.status.success());

    let said = String::from_utf8(output.stdout).unwrap();
    check_game(&script, &said);
    check_game(&script, shown);
}

/// Checks the answers to a script: an `OK`, then a legal move for every question.
fn check_game(script: &str, said: &str) {
    let mut answers = said.lines().filter(|line| !line.starts_with("MESSAGE depth "));
    let mut taken = Vec::new();
    let mut size = None;
    for line in script.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "START" => {
                assert_eq!(answers.next(), Some("OK"));
                size = Size::square(rest.parse().unwrap());
            }
            "BEGIN" | "TURN" => {
                let size = size.expect("the game has begun");
                let point = |text: &str| {
                    let (x, y) = text.split_once(',')?;
                    size.point(x.parse().ok()?, y.parse().ok()?)
                };
                taken.extend((word == "TURN").then(|| point(rest).expect("the example's stones lie on the board")));
                let answer = answers.next().expect("every question has an answer");
                let point = point(answer).unwrap_or_else(|| panic!("{answer} is no point of the board"));
                assert!(!taken.contains(&point), "{answer} is taken");
                taken.push(point);
            }
            _ => {}
        }
    }
    assert_eq!(answers.next(), None);
    assert!(taken.len() >= 2, "the example shows a game");
}
