//! The database from end to end: what one session finds the next one knows, and no kill spoils the file.

#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;
use tengen::base::{Cell, Point, Rule, Size};
use tengen::engine::Database;
use tengen::engine::database::Position;

struct Brain {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Brain {
    fn start(database: &Path) -> Brain {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut brain = Brain { child, input, lines };
        let path = database.to_str().unwrap();
        brain.send(&format!("START 15\nINFO usedatabase 1\nyxsetdatabase\n{path}\n"));
        brain.read_until("MESSAGE database of ");
        brain
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
    }

    /// Reads up to a line that begins so.
    fn read_until(&mut self, begin: &str) -> String {
        loop {
            let line = self.lines.next().expect("the brain goes on").unwrap();
            if line.starts_with(begin) {
                return line;
            }
        }
    }

    fn end(mut self) {
        self.send("END\n");
        assert!(self.child.wait().unwrap().success());
    }
}

fn get(database: &Database, stones: &[(usize, usize)]) -> Option<(i32, u32)> {
    let colors = [Cell::Black, Cell::White].into_iter().cycle();
    let stones: Vec<(Point, Cell)> =
        stones.iter().zip(colors).map(|(&(x, y), cell)| (Point::new(x, y).unwrap(), cell)).collect();
    let position = Position { rule: Rule::Freestyle, size: Size::square(15).unwrap(), stones: &stones };
    database.get(&position).map(|entry| (entry.value, entry.depth))
}

#[test]
fn the_next_session_knows_what_the_last_one_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my positions");
    let mut brain = Brain::start(&path);
    brain.send("INFO max_depth 6\nyxboard\n7,7,2\ndone\nyxnbest 3\n");
    brain.read_until("MESSAGE line 3 depth 6-");
    brain.end();
    let database = Database::open(&path).unwrap();
    assert!(database.len() >= 3, "the position, and those after the best moves (mirror images are one)");
    assert!(get(&database, &[(7, 7)]).is_some_and(|(_, depth)| depth == 6));

    let mut brain = Brain::start(&path);
    brain.send("yxquerydatabaseone\n7,7\ndone\n");
    let (value, depth) = get(&database, &[(7, 7)]).unwrap();
    assert_eq!(brain.read_until("MESSAGE DATABASE ONE"), format!("MESSAGE DATABASE ONE -1 {value} {depth}"));
    brain.end();
}

#[test]
fn a_search_is_in_the_file_before_anybody_asks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = Brain::start(&path);
    brain.send("INFO max_depth 4\nBOARD\n7,7,2\nDONE\nABOUT\n");
    brain.read_until("name=");
    brain.child.kill().unwrap();
    brain.child.wait().unwrap();
    assert!(get(&Database::open(&path).unwrap(), &[(7, 7)]).is_some());
}

/// It used to be said to nobody, and what was found went with the process.
#[test]
fn a_database_that_cannot_be_written_is_no_secret_and_can_be_written_later() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("gone");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("positions");
    let mut brain = Brain::start(&path);
    std::fs::remove_dir_all(&folder).unwrap();
    brain.send("INFO max_depth 4\nBOARD\n7,7,2\nDONE\n");
    brain.read_until("MESSAGE database not written: ");
    std::fs::create_dir(&folder).unwrap();
    brain.send("yxsavedatabase\n");
    assert_eq!(brain.read_until("MESSAGE database of "), "MESSAGE database of 2 positions");
    brain.end();
    assert!(get(&Database::open(&path).unwrap(), &[(7, 7)]).is_some());
}

#[test]
fn what_holds_only_while_moves_are_blocked_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = Brain::start(&path);
    brain.send("INFO max_depth 4\nyxblock\n8,8\ndone\nBOARD\n7,7,2\nDONE\nyxdbcheck\n");
    assert_eq!(brain.read_until("MESSAGE database of "), "MESSAGE database of 0 positions");
    brain.send("yxblockreset\nBOARD\n7,7,2\nDONE\nyxdbcheck\n");
    assert_eq!(brain.read_until("MESSAGE database of "), "MESSAGE database of 2 positions");
    brain.end();
}

/// Written over and over, and killed somewhere in between: the file is whole every time, and loses nothing.
#[test]
fn no_kill_spoils_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = Brain::start(&path);
    for x in 0..15 {
        for y in 0..15 {
            if (x, y) != (3, 5) {
                brain.send(&format!("yxedittvddatabase 6 0 {x} {y}\n3,5\n{x},{y}\ndone\n"));
            }
        }
    }
    brain.end();
    assert_eq!(Database::open(&path).unwrap().len(), 224);
    for round in 0..20u64 {
        let mut brain = Brain::start(&path);
        let mut script = String::new();
        for value in 0..500 {
            write!(script, "yxedittvddatabase 2 0 {value} 0\n3,5\n4,5\ndone\nyxsavedatabase\n").unwrap();
        }
        brain.send(&script);
        brain.read_until("MESSAGE database of ");
        thread::sleep(Duration::from_micros(700 * round));
        brain.child.kill().unwrap();
        brain.child.wait().unwrap();
        let database = Database::open(&path).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert_eq!(database.len(), 224);
        assert_eq!(get(&database, &[(3, 5), (0, 9)]), Some((0, 9)));
    }
}
