//! The match runner from end to end: brains with every kind of fault, resumption after a kill, reproducibility.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod faults;
mod games;
mod records;
mod strict;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tengen::tools::gamefile;
use tengen_tools::arena::game_log::GameRecord;

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/brains/fake.sh");
const OPENINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/openings/freestyle_15.txt");

/// The brain, built beside the match runner. Only a run of `cargo test` that covers the root package builds it.
fn brain() -> String {
    let path = Path::new(env!("CARGO_BIN_EXE_tengen-match")).with_file_name("pbrain-tengen");
    assert!(path.is_file(), "{} is missing: run `cargo test` at the root of the repository", path.display());
    path.display().to_string()
}

fn runner() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tengen-match"))
}

/// Runs a match with these engines and further arguments, which are separated by blanks.
fn run(words: &str, engines: &[&str], records: &Path) -> Output {
    let mut command = runner();
    for engine in engines {
        command.args(["--engine", engine]);
    }
    command.args(words.split_whitespace()).arg("--records").arg(records);
    command.output().unwrap()
}

fn fake(name: &str, behaviour: &str) -> String {
    format!("name={name},cmd=\"{FAKE} {behaviour}\"")
}

fn records(path: &Path) -> Vec<GameRecord> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Plays two games of a fake brain with this behaviour against a plain one; returns the records.
fn against_plain(behaviour: &str, limits: &str, words: &str) -> (Vec<GameRecord>, Output) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let engines = [fake("Bad", behaviour) + limits, fake("Good", "plain")];
    let output = run(&format!("--games 2 --concurrency 2 {words}"), &[&engines[0], &engines[1]], &path);
    assert!(output.status.success(), "{behaviour}: {}", String::from_utf8_lossy(&output.stderr));
    (records(&path), output)
}

/// The records without their times, and without the numbers of lines: of deep iterations that follow each other within
/// milliseconds, how many the brain reports depends on the time.
fn timeless(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        for field in ["timing", "lines"] {
            line.as_object_mut().unwrap().remove(field);
        }
    }
    lines
}

fn openings(folder: &Path) -> PathBuf {
    let path = folder.join("openings.txt");
    std::fs::write(&path, "h8i9h10\n-1,2, 3,4, 0,0\ng7h8\n# a comment\nk5k6l7\n").unwrap();
    path
}

fn own_match(folder: &Path, name: &str, words: &str) -> (PathBuf, Output) {
    match_of(folder, name, words, "")
}

/// Like [`own_match`], with further fields for both engines.
fn match_of(folder: &Path, name: &str, words: &str, fields: &str) -> (PathBuf, Output) {
    let brain = brain();
    let path = folder.join(name);
    let engines =
        [("A", 600), ("B", 400)].map(|(name, nodes)| format!("name={name},cmd={brain},nodes={nodes}{fields}"));
    let words = format!("--games 10 --seed 3 --openings {} {words}", openings(folder).display());
    let output = run(&words, &[&engines[0], &engines[1]], &path);
    (path, output)
}
