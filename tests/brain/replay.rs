//! Recorded sessions from end to end: games by the clock, interrupted and killed ones too, are repeated move by move.

use crate::common::process::{Process, built};
use std::path::Path;
use std::process::Output;
use std::time::Duration;

/// A brain that records its session.
struct Recorded(Process);

impl Recorded {
    fn start(arguments: &[&str], variable: Option<&Path>) -> Recorded {
        let mut command = built();
        command.args(arguments);
        if let Some(path) = variable {
            command.env("TENGEN_RECORD", path);
        }
        Recorded(Process::of(&mut command))
    }

    fn send(&mut self, lines: &[&str]) {
        self.0.send(&lines.join("\n"));
    }

    /// Sends lines and waits for the answer to them.
    fn ask(&mut self, lines: &[&str]) -> String {
        self.send(lines);
        self.answer()
    }

    /// The next line that is no message.
    fn answer(&mut self) -> String {
        self.0.answer().1
    }

    /// Waits until a search has finished an iteration.
    fn wait_for_iteration(&mut self) {
        self.0.read(|line| line.starts_with("MESSAGE") && line.contains(" depth "));
    }

    fn end(self) {
        assert!(self.0.end().1.success());
    }
}

fn replay(path: &Path) -> Output {
    built().arg("replay").arg(path).output().unwrap()
}

#[track_caller]
fn check(path: &Path, answers: usize) {
    let output = replay(path);
    let said = String::from_utf8(output.stdout).unwrap();
    let record = std::fs::read_to_string(path).unwrap();
    assert!(output.status.success(), "{said}\n{record}");
    let equal = said.lines().filter(|line| line.contains("  equal  ")).count();
    assert!(equal >= answers && said.contains("answers are equal"), "{said}");
}

#[test]
fn a_game_by_the_clock_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.txt");
    let mut brain = Recorded::start(&["record", path.to_str().unwrap()], None);
    assert_eq!(brain.ask(&["ABOUT"]).split('=').next(), Some("name"));
    assert_eq!(brain.ask(&["START 15"]), "OK");
    let mut moves = vec![brain.ask(&["INFO timeout_turn 60", "INFO timeout_match 30000", "INFO rule 1", "BEGIN"])];
    for turn in 0..12 {
        let free = (0..15).map(|n| format!("{},{}", (n * 4 + turn) % 15, (n * 7 + 3) % 15));
        let reply = free.into_iter().find(|square| !moves.contains(square)).unwrap();
        let left = format!("INFO time_left {}", 30_000 - 70 * turn);
        let answer = brain.ask(&[&left, &format!("TURN {reply}")]);
        moves.extend([reply, answer]);
    }
    brain.end();
    check(&path, 15);
}

#[test]
fn analysis_with_interruptions_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("analysis.txt");
    let mut brain = Recorded::start(&[], Some(&path));
    brain.send(&["info show_detail 1", "yxshowinfo"]);
    assert_eq!(brain.ask(&["START 15 15"]), "OK");
    brain.send(&["INFO timeout_turn 20000", "yxboard", "7,7,1", "8,8,2", "done", "yxnbest 3"]);
    brain.wait_for_iteration();
    brain.ask(&["yxstop"]);
    brain.send(&["start 15 15", "board", "7,7,2", "done"]);
    brain.answer();
    brain.wait_for_iteration();
    brain.send(&["start 15 15", "yxboard", "7,7,2", "8,8,1", "6,7,2", "done", "yxshowforbid", "yxstop"]);
    for _ in 0..3 {
        brain.answer();
    }
    brain.ask(&["INFO timeout_turn 150", "yxbalancetwo 0"]);
    brain.send(&["yxswap2step1", "start 15 15"]);
    brain.answer();
    // Questions that are left have no answer, or a move that the GUI skips; a replay withholds them, too.
    for (position, question) in [(&["7,7,2"][..], "yxsearchdefend"), (&["7,7,2", "8,8,1"], "yxbalancetwo 0")] {
        brain.send(&["INFO timeout_turn 20000", "start 15 15", "yxboard"]);
        brain.answer();
        brain.send(position);
        brain.send(&["done", question]);
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(brain.ask(&["start 15 15"]), "OK");
    }
    // A move in mid-analysis is played on the position of the analysis, here and in the replay.
    brain.send(&["yxboard", "7,7,2", "done", "yxnbest 2"]);
    std::thread::sleep(Duration::from_millis(200));
    brain.send(&["TURN 8,8"]);
    std::thread::sleep(Duration::from_millis(200));
    brain.ask(&["yxstop"]);
    assert_eq!(brain.ask(&["start 15 15"]), "OK");
    brain.send(&["yxboard", "7,7,2", "8,7,1", "9,9,2", "done", "yxswap2step2"]);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(brain.ask(&["start 15 15"]), "7,7");
    assert_eq!(brain.answer(), "OK");
    brain.ask(&["INFO max_node 5000", "INFO timeout_turn 10000", "yxsearchdefend"]);
    brain.ask(&["INFO timeout_turn 0", "TURN 0,14"]);
    brain.ask(&["FOO \u{1}"]);
    brain.end();
    check(&path, 10);
}

#[test]
fn a_record_of_a_killed_process_is_repeated_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.txt");
    let mut brain = Recorded::start(&[], Some(&path));
    brain.ask(&["START 20"]);
    brain.ask(&["INFO timeout_turn 100", "TURN 9,9"]);
    brain.send(&["INFO timeout_turn 60000", "TURN 0,0"]);
    brain.wait_for_iteration();
    brain.0.kill();
    let output = replay(&path);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("1 more lines after the end of the record"), "{said}");
}

#[test]
fn two_brains_keep_two_records() {
    let folder = tempfile::tempdir().unwrap();
    let pattern = folder.path().join("brain %p.txt");
    for _ in 0..2 {
        let mut brain = Recorded::start(&[], Some(&pattern));
        brain.ask(&["START 15"]);
        let path = folder.path().join(format!("brain {}.txt", brain.0.child.id()));
        brain.end();
        check(&path, 1);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// Bug: nothing but the log said so.
#[test]
fn a_record_that_cannot_be_written_is_reported_and_the_game_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no such folder/record");
    let mut brain = Recorded::start(&[], Some(&path));
    let warning = brain.0.read(|_| true).1;
    assert!(warning.starts_with(&format!("MESSAGE warning: session not recorded: {}: ", path.display())), "{warning}");
    assert_eq!(brain.ask(&["START 15"]), "OK");
    brain.end();
}

#[test]
fn a_difference_is_found_and_nonsense_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.txt");
    let mut brain = Recorded::start(&[], Some(&path));
    brain.ask(&["START 15"]);
    let answer = brain.ask(&["INFO max_node 1000", "TURN 7,7"]);
    brain.end();
    let record = std::fs::read_to_string(&path).unwrap();
    let other = if answer == "0,0" { "1,1" } else { "0,0" };
    let tampered = record.replace(&format!(" {answer}\n"), &format!(" {other}\n"));
    std::fs::write(&path, tampered).unwrap();
    let output = replay(&path);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stdout).unwrap().contains(&format!("DIFFERENT  {other} recorded, {answer} now")));
    std::fs::write(&path, "tengen-record 1\n> what is this\n").unwrap();
    let output = replay(&path);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("line 2"));
}
