//! The order of the source: a floor uses only those below it, no files use each other in a circle, no file is too long,
//! only a few files touch the standard streams, and the map in `docs/house.md` is complete.
//!
//! This holds for the library and for the package of tools, which stands on the library. Files are read with `syn`;
//! `floors/circles.rs` says what counts as a use.

#![allow(missing_docs, clippy::unwrap_used)]

#[path = "floors/circles.rs"]
mod circles;
#[path = "floors/source.rs"]
mod source;

use circles::Crate;
use source::{Kind, Source};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The floors from the ground up. Search and solver share one: there the solver may use the search, which knows nothing
/// of the solver. `lib.rs`, `main.rs` and `bin/` stand outside and may use every floor.
const FLOORS: &[&str] = &["base", "board", "eval", "search", "solver", "engine", "protocol", "tools"];
/// The same for the package of tools.
const TOOL_FLOORS: &[&str] = &[
    "parallel",
    "progress",
    "output_file",
    "state_file",
    "command_line",
    "experiments",
    "arena",
    "data",
    "tune",
    "review",
];

/// Where every file has a row, and every test program.
const MAP: &str = include_str!("../docs/house.md");
const LABORATORY: &str = include_str!("../docs/laboratory.md");

/// Folders with Rust sources.
const LIBRARY: &str = "src";
const TOOLS: &str = "tools/src";
const TESTS: [&str; 2] = ["tests", "tools/tests"];
/// Folders of the page for browsers.
const PAGE: [&str; 4] = ["web/src", "web/pack/src", "web/page", "web/tests"];

/// A file has fewer lines than this, its unit tests counted.
const BUDGET: usize = 600;

/// Where the standard streams may be named (a file, or a folder ending in `/`).
const STDIN: &[&str] = &["src/protocol/input.rs", "src/tools/gamefile.rs", "src/tools/play.rs", "src/tools/solve.rs"];
const STDOUT: &[&str] = &["src/protocol/reply.rs", "src/tools/", "src/main.rs", "tools/"];
const STDERR: &[&str] = &["src/tools/", "src/main.rs", "tools/"];
/// Where the printing macros may be used.
const PRINTING: &[&str] = &["src/tools/", "tools/"];
/// Where the standard hash maps, whose keys are random, may be used. `base::maps` has others with fixed keys.
const RANDOM_KEYS: &[&str] = &["src/base/maps.rs", "tools/src/arena/", "tools/src/data/"];
/// The reference rules, and the folders that must not use them: those decide about moves, and they are tested against them.
const ORACLE: &str = "src/board/oracle.rs";
const WITHOUT_ORACLE: &[&str] = &["src/eval/", "src/search/", "src/solver/"];

/// No file breaks the order of a crate, and none use each other in a circle.
fn expect_order(folder: &str) {
    let sources = sources(folder);
    expect_none(&[check(folder, &sources), Crate::new(&sources).circles()].concat());
}

#[test]
fn the_library_has_its_order_and_no_circles() {
    expect_order(LIBRARY);
}

#[test]
fn the_tools_have_their_order_and_no_circles() {
    expect_order(TOOLS);
}

#[test]
fn no_test_is_too_long() {
    let files = TESTS.iter().flat_map(|folder| rust_files(folder));
    let complaints: Vec<String> = files.filter_map(|(name, text)| check_length(&name, text.lines().count())).collect();
    expect_none(&complaints);
}

#[test]
fn no_file_of_the_page_is_too_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for folder in PAGE {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let is_source =
                path.extension().is_some_and(|kind| ["rs", "js", "mjs", "css"].iter().any(|own| kind == *own));
            if is_source {
                let lines = std::fs::read_to_string(&path).unwrap().lines().count();
                assert_eq!(check_length(&path.display().to_string(), lines), None);
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

/// Words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_map_names_every_file() {
    let mut named = BTreeSet::from(["src/lib.rs".to_owned(), "src/main.rs".to_owned()]);
    let mut folder = None;
    for line in MAP.lines() {
        if line.starts_with('#') {
            let folders: Vec<&str> = quoted(line).filter(|word| word.ends_with('/')).collect();
            folder = if let [only] = folders[..] { Some(only) } else { None };
        } else if let (Some(folder), Some(row)) = (folder, line.strip_prefix("| ")) {
            let cell = row.split(" |").next().unwrap_or_default();
            named.extend(quoted(cell).map(|file| format!("{folder}{file}")));
        }
    }
    let is_test = |name: &str| name.ends_with("/tests.rs") || name.contains("/tests/");
    let files = [LIBRARY, TOOLS].into_iter().flat_map(rust_files).map(|(name, _)| name);
    let files: BTreeSet<String> = files.filter(|name| !is_test(name)).collect();
    let missing: Vec<_> = files.difference(&named).collect();
    let gone: Vec<_> = named.difference(&files).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "docs/house.md lacks {missing:?} and names {gone:?}, which are gone"
    );
}

#[test]
fn the_docs_name_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for page in ["docs/house.md", "docs/laboratory.md", "docs/network.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        let paths = quoted(&text).filter(|word| {
            ["src/", "tools/", "tests/", "scripts/"].iter().any(|folder| word.starts_with(folder))
                && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
        });
        for path in paths {
            assert!(root.join(path).exists(), "{page} names {path}");
        }
    }
}

/// Each identifier in "Where to change what" occurs in a file of its row.
#[test]
fn the_places_to_change_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows = MAP.split("\n| to change | go to |").nth(1).expect("there is a table of places");
    let mut count = 0;
    for row in rows.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cell = row.split(" | ").nth(1).expect("two columns");
        let (files, names): (Vec<&str>, Vec<&str>) = quoted(cell).partition(|word| word.contains('/'));
        let read = |file: &&str| std::fs::read_to_string(root.join(file)).unwrap_or_default();
        let texts: String = files.iter().map(read).collect();
        for name in names.iter().filter(|name| !name.starts_with('-')).flat_map(|name| name.split("::")) {
            assert!(texts.contains(name), "{name} is not in {files:?}");
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

/// A comment that ends with `Experiments:` and names cites rows of the table of experiments.
#[test]
fn the_experiments_that_comments_cite_are_recorded() {
    let table = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/table.jsonl")).unwrap();
    let mut count = 0;
    for (file, text) in rust_files(LIBRARY) {
        let lines = text.lines().map(|line| line.trim_start().strip_prefix("//").unwrap_or("\n"));
        let comments: Vec<&str> = lines.map(|line| line.trim_start_matches(['/', '!'])).collect();
        let comments = comments.join(" ");
        for cited in comments.split("Experiments:").skip(1) {
            for name in quoted(cited.split('\n').next().unwrap_or_default()) {
                assert!(table.contains(&format!(r#"{{"id":"{name}""#)), "{file} cites {name}");
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn the_table_of_tests_is_complete() {
    let rows = LABORATORY.split("\n| test | what it checks |").nth(1).expect("there is a table of tests");
    let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
    let shown: BTreeSet<&str> = rows.filter_map(|row| quoted(row).next()).collect();
    let programs = TESTS.iter().flat_map(|folder| {
        let files = rust_files(folder);
        let names: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        files.into_iter().filter_map(move |(name, text)| {
            let words: Vec<&str> = name.strip_prefix(folder)?.strip_suffix(".rs")?.split('/').skip(1).collect();
            let has_tests = text.contains("#[test]");
            match words[..] {
                [program] => Some(program.to_owned()),
                [program, module] => {
                    let is_program = names.contains(&format!("{folder}/{program}/main.rs"));
                    (is_program && has_tests).then(|| format!("{program} {module}"))
                }
                _ => None,
            }
        })
    });
    let programs: BTreeSet<String> = programs.collect();
    assert_eq!(shown, programs.iter().map(String::as_str).collect(), "the tests in docs/laboratory.md");
}

fn expect_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// All Rust files below a folder of the repository: their names from its root, with `/` between, and their texts.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let parts = path.strip_prefix(root).unwrap().components();
                let name = parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// The files of a crate, read.
fn sources(folder: &str) -> Vec<Source> {
    let files = rust_files(folder);
    assert!(files.len() > 20, "{folder} holds {} files only", files.len());
    files.iter().map(|(name, text)| Source::parse(folder, name, text)).collect()
}

/// Everything that is wrong with the files of a crate, but for circles; one line each.
fn check(folder: &str, sources: &[Source]) -> Vec<String> {
    let resolved = Crate::new(sources);
    let mut complaints = Vec::new();
    for source in sources {
        complaints.extend(check_floors(source, if folder == LIBRARY { FLOORS } else { TOOL_FLOORS }));
        complaints.extend(check_oracle(source, &resolved));
        complaints.extend(check_streams(source));
        complaints.extend(check_hashing(source));
        complaints.extend(check_length(&source.name, source.lines));
        complaints.extend(
            source.detours.iter().map(|line| {
                format!("{}:{line}: `#[path]` and `include!` hide a file from the module tree", source.name)
            }),
        );
    }
    complaints
}

fn check_length(name: &str, lines: usize) -> Option<String> {
    (lines >= BUDGET).then(|| format!("{name}: {lines} lines, not under {BUDGET}: split it, or move its tests out"))
}

/// Paths from the root of the crate that point to a higher floor, or to none. Tests keep to the order, too.
fn check_floors(source: &Source, floors: &[&str]) -> Vec<String> {
    let folder = match source.module.as_deref() {
        None | Some([]) => return Vec::new(),
        Some([folder, ..]) => folder,
    };
    let Some(own) = floors.iter().position(|floor| floor == folder) else {
        return vec![format!("{}: belongs to no floor", source.name)];
    };
    let mut complaints = Vec::new();
    for reference in source.references.iter().filter(|reference| reference.kind != Kind::Call) {
        let Some(path) = reference.absolute() else { continue };
        let target = path.first().map_or("the whole crate", String::as_str);
        let problem = match floors.iter().position(|&floor| floor == target) {
            Some(floor) if floor > own => format!("uses the higher floor {target}"),
            None => format!("names {target}: name the floor and the item"),
            _ => continue,
        };
        complaints.push(format!("{}:{}: {problem}", source.name, reference.line));
    }
    complaints
}

/// Whether a file is one of these places, or in one of them.
fn is_in(name: &str, places: &[&str]) -> bool {
    places.iter().any(|&place| name == place || place.ends_with('/') && name.starts_with(place))
}

/// The reference rules named in a file that must not use them.
fn check_oracle(source: &Source, resolved: &Crate<'_>) -> Vec<String> {
    if !is_in(&source.name, WITHOUT_ORACLE) {
        return Vec::new();
    }
    let named = source.references.iter().filter(|reference| !reference.is_test);
    let named = named.filter(|reference| resolved.file_of(reference).is_some_and(|file| file.name == ORACLE));
    named.map(|reference| format!("{}:{}: play and search never use the oracle", source.name, reference.line)).collect()
}

/// Standard hash maps where they are not allowed.
fn check_hashing(source: &Source) -> Vec<String> {
    if is_in(&source.name, RANDOM_KEYS) {
        return Vec::new();
    }
    let named = source.references.iter().filter(|reference| !reference.is_test);
    let named =
        named.filter(|reference| ["HashMap", "HashSet"].iter().any(|map| reference.ends_with("collections", map)));
    let complaint = |reference: &source::Reference| {
        let (name, line, path) = (&source.name, reference.line, reference.text());
        format!("{name}:{line}: {path} has random keys: use that of base::maps")
    };
    named.map(complaint).collect()
}

/// Standard streams and printing macros where they are not allowed.
fn check_streams(source: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    for reference in source.references.iter().filter(|reference| !reference.is_test) {
        let streams = [("stdin", STDIN), ("stdout", STDOUT), ("stderr", STDERR)];
        let is_misplaced = if reference.calls(&["print", "println", "eprint", "eprintln", "dbg"]) {
            !is_in(&source.name, PRINTING)
        } else {
            streams.iter().any(|(stream, places)| reference.ends_with("io", stream) && !is_in(&source.name, places))
        };
        if is_misplaced {
            complaints.push(format!("{}:{}: `{}` does not belong here", source.name, reference.line, reference.text()));
        }
    }
    complaints
}

/// The checks themselves, on made-up files.
mod checker {
    use super::*;

    /// How many complaints there are about a file below `src/` with this text.
    fn count(name: &str, text: &str) -> usize {
        let name = format!("src/{name}");
        let oracle = Source::parse(LIBRARY, ORACLE, "pub struct Oracle;");
        let complaints = check(LIBRARY, &[Source::parse(LIBRARY, &name, text), oracle]);
        assert!(complaints.iter().all(|complaint| complaint.contains(&name)), "{complaints:?}");
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
            ("search/pvs.rs", "use crate::solver::VctSolver;"),
            ("engine/mod.rs", "use {crate::base::Point, crate::protocol::info};"),
            ("board/stones.rs", "use super::super::search::Task;"),
            ("board/mod.rs", "use super::{base, eval::Evaluator};"),
            ("board/mod.rs", "fn f() { assert_eq!(1, super::eval::X); }"),
            ("board/mod.rs", "#[cfg(test)]\nmod tests {\n    use crate::engine::Engine;\n}\n"),
        ] {
            assert_eq!(count(name, text), 1, "{name}: {text}");
        }
        assert_eq!(count("base/a.rs", "use crate::{board, eval::{search}, engine::x};"), 3);
        assert_eq!(count("base/a.rs", "macro_rules! m { () => { use crate::{board, eval::{search}}; } }"), 2);
    }

    #[test]
    fn paths_around_the_floors_are_refused() {
        for text in ["use crate::*;", "use crate as root;", "use crate::Engine;", "use crate::{self as root};"] {
            assert_eq!(count("search/pvs.rs", text), 1, "{text}");
        }
        assert_eq!(count("utils.rs", ""), 1, "a file without a floor");
        for text in ["#[path = \"../other.rs\"]\nmod other;", "include!(\"../other.rs\");"] {
            assert_eq!(count("search/pvs.rs", text), 1, "{text}");
        }
    }

    #[test]
    fn the_oracle_is_for_judges() {
        for text in ["use crate::board::oracle::Oracle;", "fn f(_: &crate::board::oracle::Oracle) {}"] {
            assert_eq!(count("search/pvs.rs", text), 1, "{text}");
            assert_eq!(count("solver/proof.rs", text), 1, "{text}");
            assert_eq!(count("tools/verify.rs", text), 0, "{text}");
            assert_eq!(count("search/pvs.rs", &format!("#[cfg(test)]\nmod tests {{ {text} }}")), 0, "{text}");
        }
    }

    #[test]
    fn random_keys_are_refused() {
        for text in ["use std::collections::HashMap;", "use std::collections::{BTreeMap, HashSet};"] {
            assert_eq!(count("engine/mod.rs", text), 1, "{text}");
            assert_eq!(count("base/maps.rs", text), 0, "{text}");
            assert_eq!(count("engine/mod.rs", &format!("#[cfg(test)]\nmod tests {{\n    {text}\n}}\n")), 0, "{text}");
        }
    }

    #[test]
    fn honest_files_pass() {
        for (name, text) in [
            ("tools/mod.rs", "use crate::{base::*, board::Board, protocol::command};"),
            ("solver/vct.rs", "use crate::search::forced;"),
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
            ("search/pvs.rs", "macro_rules! m { () => { println!() } }", 1),
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
    fn the_tools_have_an_order_of_their_own() {
        let count = |name, text| check(TOOLS, &[Source::parse(TOOLS, name, text)]).len();
        assert_eq!(count("tools/src/arena/tally.rs", "use crate::data::labels;"), 1);
        assert_eq!(count("tools/src/progress.rs", "use crate::arena::tally;"), 1);
        assert_eq!(count("tools/src/tune/fit.rs", "use crate::nowhere::to_be_found;"), 1);
        assert_eq!(count("tools/src/tune/fit.rs", "use crate::data::labels;\nuse tengen::base::Color;"), 0);
    }

    #[test]
    fn complaints_name_the_line() {
        let text = "/* a\n b */\nconst C: &str = \"c\nd\";\nuse crate::eval;\n";
        let complaints = check(LIBRARY, &[Source::parse(LIBRARY, "src/base/a.rs", text)]);
        assert!(complaints[0].starts_with("src/base/a.rs:5:"), "{complaints:?}");
    }
}
