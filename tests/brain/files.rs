//! Files that several processes write at a time, and kills while one is being written.

use crate::common::PATIENCE;
use crate::common::process::Process;
use nix::sys::signal::Signal;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use tengen::engine::Engine;
use tengen_amount::at_length;

/// A brain whose hash table has entries from this many nodes.
fn brain_with_entries(nodes: u64) -> Process {
    let mut brain = Process::new();
    brain.send(&format!("START 15\nINFO max_node {nodes}\nBOARD\n7,7,1\n8,8,2\n7,8,1\n7,9,2\n9,7,1\n8,7,2\nDONE"));
    brain.expect("OK");
    brain.answer();
    brain
}

/// Sends the command for a dump, and ABOUT, which is answered after it.
fn begin_dump(brain: &mut Process, path: &Path) {
    brain.send(&format!("yxhashdump\n{}\nABOUT", path.display()));
}

/// The number of positions that the brain says it has written.
fn said_count(brain: &mut Process) -> u64 {
    let messages = brain.messages();
    let count = messages
        .iter()
        .find_map(|line| line.strip_prefix("MESSAGE hash table: ")?.strip_suffix(" positions written")?.parse().ok());
    count.unwrap_or_else(|| panic!("{messages:?}\n{}", brain.recent()))
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Bug: the temporary file had a fixed name. Of two processes one said "No such file or directory", and the other a number of
/// positions that the file did not have.
#[test]
fn two_processes_that_dump_to_one_path_each_write_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump");
    let mut brains = [brain_with_entries(60_000), brain_with_entries(120_000)];
    for round in 0..10 {
        for brain in &mut brains {
            begin_dump(brain, &path);
        }
        let said = brains.each_mut().map(said_count);
        assert!(said[0] > 1000 && said[0] < said[1], "{said:?}");
        let read = Engine::new().load_hash(&path).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert!(said.contains(&read), "round {round}: {read} of {said:?}");
        assert_eq!(names_in(folder.path()), ["dump"], "round {round}");
    }
}

/// Bug: with one of the two stopped, an empty file replaced a good one.
#[test]
fn a_process_that_is_stopped_in_mid_write_does_not_spoil_the_file_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump");
    let mut brains = [brain_with_entries(60_000), brain_with_entries(120_000)];
    for round in 0..10u64 {
        begin_dump(&mut brains[0], &path);
        thread::sleep(Duration::from_micros(500 * round));
        brains[0].signal(Signal::SIGSTOP);
        begin_dump(&mut brains[1], &path);
        let running = said_count(&mut brains[1]);
        assert_eq!(Engine::new().load_hash(&path).unwrap(), running, "round {round}");
        brains[0].signal(Signal::SIGCONT);
        let stopped = said_count(&mut brains[0]);
        let read = Engine::new().load_hash(&path).unwrap();
        assert!([running, stopped].contains(&read), "round {round}: {read}, {running}, {stopped}");
        assert_eq!(names_in(folder.path()), ["dump"], "round {round}");
    }
}

/// A kill at any moment leaves the old file or the new one, and at most a temporary file whose name says what it is.
#[test]
fn a_kill_leaves_the_old_file_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump");
    let mut brain = brain_with_entries(60_000);
    begin_dump(&mut brain, &path);
    let old = said_count(&mut brain);
    let mut left = 0;
    for round in (0..12u64).step_by(if at_length() { 1 } else { 3 }) {
        let mut brain = brain_with_entries(120_000);
        let before = names_in(folder.path());
        begin_dump(&mut brain, &path);
        let begun = Instant::now();
        while names_in(folder.path()) == before && begun.elapsed() < PATIENCE / 100 {
            thread::yield_now();
        }
        thread::sleep(Duration::from_micros(200 * round));
        drop(brain);
        let read = Engine::new().load_hash(&path).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert!(read >= old, "round {round}: {read}, {old}");
        for name in names_in(folder.path()).iter().filter(|name| *name != "dump") {
            assert!(
                name.starts_with("dump.tengen-") && Path::new(name).extension().is_some_and(|end| end == "tmp"),
                "round {round}: {name}"
            );
            left += 1;
        }
    }
    assert!(left > 0, "a kill came in the middle of a write");
}
