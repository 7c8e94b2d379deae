//! The house keeps its floors: a file in `src/` names only its own floor and those below, no file outgrows its
//! budget, and only a few rooms touch the standard streams.

#![allow(missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// The floors from the ground up. `lib.rs`, `main.rs` and `bin/` are doors: they may use every floor.
const FLOORS: [&str; 7] = ["base", "board", "eval", "search", "engine", "protocol", "tools"];

/// Lines that a file may have, its unit tests counted.
const BUDGET: usize = 600;

/// Where the standard streams may be named (a file, or a folder ending in `/`).
const STDIN: &[&str] = &["protocol/input.rs", "tools/explain.rs", "tools/play.rs", "tools/solve.rs"];
const STDOUT: &[&str] = &["protocol/reply.rs", "tools/", "main.rs", "bin/"];
const STDERR: &[&str] = &["tools/", "main.rs", "bin/"];
/// Where the standard hash maps may be used, whose keys are random: in programs that only ever run on their own. The
/// brain's are those of `base::maps`.
const RANDOM_KEYS: &[&str] = &["base/maps.rs", "tools/arena/", "tools/data/"];
/// Where the printing macros may be used.
const PRINTING: &[&str] = &["tools/", "bin/"];

#[test]
fn no_file_breaks_the_order_of_the_house() {
    let files = sources();
    assert!(files.len() > 30, "the sources were not found: {files:?}");
    let complaints: Vec<String> = files.iter().flat_map(|(name, text)| check(name, text)).collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// All Rust files below `src/`: their names from there, with `/` between, and their texts.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let parts = path.strip_prefix(&root).unwrap().components();
                let name = parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Everything that is wrong with a file, one line each.
fn check(name: &str, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let without_tests = &text.lines().take(lines_without_tests(text)).collect::<Vec<_>>().join("\n");
    let mut complaints = check_floors(name, &tokens);
    complaints.extend(check_streams(name, &self::tokens(without_tests)));
    complaints.extend(check_hashing(name, &self::tokens(without_tests)));
    let lines = text.lines().count();
    if lines >= BUDGET {
        complaints
            .push(format!("src/{name}: {lines} lines, not under {BUDGET}: build a new room, or one for the tests"));
    }
    complaints
}

/// A word or a sign of the source, with its line.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// Splits Rust source into words, `::` and single signs; comments and the insides of literals are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => block_comment(rest),
            b'"' => quoted(rest),
            b'r' | b'b' if raw_string(rest).is_some() => raw_string(rest).unwrap(),
            b'b' if rest.starts_with("b\"") => 1 + quoted(&rest[1..]),
            b'\'' => character(rest),
            byte if is_word(byte) => {
                let length = rest.bytes().take_while(|&byte| is_word(byte)).count();
                found.push(Token { text: &rest[..length], line });
                length
            }
            byte if byte.is_ascii_whitespace() => 1,
            _ => {
                let length = if rest.starts_with("::") { 2 } else { rest.chars().next().unwrap().len_utf8() };
                found.push(Token { text: &rest[..length], line });
                length
            }
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    found
}

/// Length of the block comment at the front; such comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Length of the string literal at the front.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the raw string literal at the front, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let body = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = body.bytes().take_while(|&byte| byte == b'#').count();
    let inside = body[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - inside.len();
    Some(inside.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

/// Length of the character literal at the front, or of the tick of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => text[3..].find('\'').map_or(text.len(), |at| at + 4),
        _ => chars.next().filter(|&(_, second)| second == '\'').map_or(1, |(at, _)| at + 1),
    }
}

/// Lines before the unit tests that end a file.
fn lines_without_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{'));
    match tests {
        // What follows the closing brace is no test: such a module is not the end of the file.
        Some(start) if lines[start..].iter().position(|&line| line == "}") == Some(lines.len() - 1 - start) => start,
        _ => lines.len(),
    }
}

/// The paths from the root of the crate that point to a higher floor, or to none.
fn check_floors(name: &str, tokens: &[Token<'_>]) -> Vec<String> {
    let folder = name.split(['/', '.']).next().unwrap_or_default();
    let Some(own) = FLOORS.iter().position(|&floor| floor == folder) else {
        let is_door = matches!(name, "lib.rs" | "main.rs") || name.starts_with("bin/");
        return if is_door { Vec::new() } else { vec![format!("src/{name}: belongs to no floor")] };
    };
    let mut complaints = Vec::new();
    for (target, is_certain) in targets(name, tokens) {
        let problem = match FLOORS.iter().position(|&floor| floor == target.text) {
            Some(floor) if floor > own => format!("uses the higher floor {}", target.text),
            None if is_certain => format!("`{}` is no floor: name the floor and the item", target.text),
            _ => continue,
        };
        complaints.push(format!("src/{name}:{}: {problem}", target.line));
    }
    complaints
}

/// What is named directly below the root of the crate, by `crate::`, `crate::{}` or a chain of `super::` that climbs
/// that far; for such a chain it is not certain, as it may stand in an inner module.
fn targets<'a>(name: &str, tokens: &[Token<'a>]) -> Vec<(Token<'a>, bool)> {
    let module = name.trim_end_matches(".rs").trim_end_matches("/mod");
    let depth = module.split('/').count();
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut next = at + 1;
        let mut is_certain = true;
        match tokens[at].text {
            "crate" => {}
            "super" => {
                while is(next, "::") && is(next + 1, "super") {
                    next += 2;
                }
                is_certain = false;
            }
            _ => {
                at += 1;
                continue;
            }
        }
        let climbed = (next - at).div_ceil(2);
        if is_certain && is(next, "as") {
            found.push((tokens[at], true));
        } else if is(next, "::") && (is_certain || climbed >= depth) {
            let first = next + 1;
            if is(first, "{") {
                found.extend(group(&tokens[first..]).into_iter().map(|token| (token, is_certain)));
            } else {
                found.extend(tokens.get(first).map(|&token| (token, is_certain)));
            }
        }
        at = next;
    }
    found
}

/// The first words of a group in braces, inner groups left out.
fn group<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ if depth == 1 && matches!(tokens[at - 1].text, "{" | ",") => found.push(*token),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// Whether a file is one of these rooms, or in one of them.
fn is_in(name: &str, rooms: &[&str]) -> bool {
    rooms.iter().any(|&room| name == room || room.ends_with('/') && name.starts_with(room))
}

/// Standard hash maps outside their rooms.
fn check_hashing(name: &str, tokens: &[Token<'_>]) -> Vec<String> {
    if is_in(name, RANDOM_KEYS) {
        return Vec::new();
    }
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut named = Vec::new();
    for at in 0..tokens.len() {
        if is(at, "collections") && is(at + 1, "::") {
            named.extend(if is(at + 2, "{") { group(&tokens[at + 2..]) } else { tokens[at + 2..at + 3].to_vec() });
        }
    }
    named.retain(|token| matches!(token.text, "HashMap" | "HashSet"));
    let complaint = |token: Token<'_>| {
        format!("src/{name}:{}: the standard {} has random keys: use that of base::maps", token.line, token.text)
    };
    named.into_iter().map(complaint).collect()
}

/// Standard streams and printing macros outside their rooms.
fn check_streams(name: &str, tokens: &[Token<'_>]) -> Vec<String> {
    let allowed = |rooms: &[&str]| is_in(name, rooms);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut complaints = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let rooms = match token.text {
            "stdin" => STDIN,
            "stdout" => STDOUT,
            "stderr" => STDERR,
            "print" | "println" | "eprint" | "eprintln" | "dbg" if is(at + 1, "!") => {
                if !allowed(PRINTING) {
                    complaints.push(format!("src/{name}:{}: `{}!` does not belong here", token.line, token.text));
                }
                continue;
            }
            _ => continue,
        };
        // A child's streams, fields and builder methods, have the same names.
        let from_io = at >= 2 && is(at - 1, "::") && is(at - 2, "io");
        let called = is(at + 1, "(") && is(at + 2, ")") && !(at >= 1 && is(at - 1, "."));
        if (from_io || called) && !allowed(rooms) {
            complaints.push(format!("src/{name}:{}: `{}` does not belong here", token.line, token.text));
        }
    }
    complaints
}

/// The checker itself, on made-up files.
mod checker {
    use super::*;

    fn count(name: &str, text: &str) -> usize {
        let complaints = check(name, text);
        assert!(complaints.iter().all(|complaint| complaint.contains(name)), "{complaints:?}");
        complaints.len()
    }

    #[test]
    fn upward_paths_are_found_however_they_are_written() {
        for (name, text) in [
            ("base/point.rs", "use crate::board::Board;"),
            ("board/mod.rs", "pub use crate::{base::{Point, Size}, search::Task};"),
            ("board/mod.rs", "use crate::\n    eval\n    ::Evaluator;"),
            ("eval.rs", "fn f(x: &crate::engine::Engine) {}"),
            ("eval/shapes.rs", "use crate::{\n    base::Point,\n    // lower\n    protocol,\n};"),
            ("search/pvs.rs", "macro_rules! m { () => { $crate::tools::run() } }"),
            ("engine/mod.rs", "use {crate::base::Point, crate::protocol::info};"),
            ("board/stones.rs", "use super::super::search::Task;"),
            ("board/mod.rs", "use super::{base, eval::Evaluator};"),
            ("board/mod.rs", "#[cfg(test)]\nmod tests {\n    use crate::engine::Engine;\n}\n"),
        ] {
            assert_eq!(count(name, text), 1, "{name}: {text}");
        }
        assert_eq!(count("base/a.rs", "use crate::{board, eval::{search}, engine::x};"), 3);
    }

    #[test]
    fn paths_around_the_floors_are_refused() {
        for text in ["use crate::*;", "use crate as house;", "use crate::Engine;", "use crate::{self as house};"] {
            assert_eq!(count("search/pvs.rs", text), 1, "{text}");
        }
        assert_eq!(count("utils.rs", ""), 1, "a file without a floor");
    }

    #[test]
    fn random_keys_are_refused() {
        for text in ["use std::collections::HashMap;", "use std::collections::{BTreeMap, HashSet};"] {
            assert_eq!(count("engine/mod.rs", text), 1, "{text}");
            assert_eq!(count("tools/arena/mod.rs", text), 0, "{text}");
            assert_eq!(count("engine/mod.rs", &format!("#[cfg(test)]\nmod tests {{\n    {text}\n}}\n")), 0, "{text}");
        }
    }

    #[test]
    fn honest_files_pass() {
        for (name, text) in [
            ("tools/mod.rs", "use crate::{base::*, board::Board, protocol::command};"),
            ("board/stones.rs", "use super::lines; use crate::base::{Point, Size}; pub(crate) fn f() {}"),
            ("board/oracle/tests/renju.rs", "use super::super::search; pub(in crate::board) fn f() {}"),
            ("base/a.rs", "//! [`crate::search`]\n/* crate::eval /* crate::tools */ crate::search */ fn f() {}"),
            (
                "base/a.rs",
                "const A: &str = \"crate::eval \\\" println!\"; const B: char = '\"'; const C: &str = \"x\";",
            ),
            ("base/a.rs", "const A: &str = r#\"crate::eval \" \"#; fn f<'a>(x: &'a str) -> char { '\\'' }"),
            ("lib.rs", "pub use crate::tools::run;"),
        ] {
            assert_eq!(count(name, text), 0, "{name}: {text}");
        }
    }

    #[test]
    fn the_streams_are_guarded() {
        for (name, text, expected) in [
            ("search/pvs.rs", "fn f() { println!(\"x\"); std::eprintln!(); dbg!(1); }", 3),
            ("protocol/session.rs", "use std::io; fn f() { io::stdin().lock(); }", 1),
            ("protocol/session.rs", "use std::io::{Read, stdin}; fn f() { stdin(); }", 1),
            ("protocol/input.rs", "fn f() { std::io::stdin(); std::io::stdout(); }", 1),
            ("protocol/reply.rs", "fn f() { std::io::stdout(); std::io::stderr(); print!(\"\"); }", 2),
            ("tools/bench.rs", "fn f() { std::io::stdout(); println!(); std::io::stdin(); }", 1),
            ("tools/player.rs", "fn f(c: Child) { c.stdin.take(); Command::new(\"x\").stdin(Stdio::piped()); }", 0),
            ("main.rs", "fn f() { std::io::stdout(); std::io::stderr(); }", 0),
            ("search/tt.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() { println!(); }\n}\n", 0),
            ("search/tt.rs", "#[cfg(test)]\nmod tests {\n    fn g() {}\n}\nfn f() { println!(); }\n", 1),
        ] {
            assert_eq!(count(name, text), expected, "{name}: {text}");
        }
    }

    #[test]
    fn long_files_are_found() {
        let tests = "#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n";
        let body = "// line\n";
        assert_eq!(count("base/a.rs", &body.repeat(BUDGET - 1)), 0);
        assert_eq!(count("base/a.rs", &body.repeat(BUDGET)), 1);
        assert_eq!(count("base/a.rs", &(body.repeat(BUDGET - 5) + tests)), 0);
        assert_eq!(count("base/a.rs", &(body.repeat(BUDGET - 4) + tests)), 1);
    }

    #[test]
    fn lines_are_counted_through_comments_and_strings() {
        let text = "/* a\n b */\n\"c\nd\";\nuse crate::eval;\n";
        assert!(check("base/a.rs", text)[0].starts_with("src/base/a.rs:5:"), "{:?}", check("base/a.rs", text));
    }
}
