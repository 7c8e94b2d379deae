//! The database from end to end: the next session knows what the last one found, and a kill does not damage the file.

use crate::common::PATIENCE;
use crate::common::process::{Process, built};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tengen::base::{Cell, Point, Rule, Score, Size};
use tengen::engine::Database;
use tengen::engine::database::Position;
use tengen_amount::at_length;

/// A brain with this database, of whose output at most a few lines are read ahead of the test.
fn start(database: &Path) -> Process {
    let mut brain = Process::read_slowly(&mut built());
    let path = database.to_str().unwrap();
    brain.send(&format!("START 15\nINFO usedatabase 1\nyxsetdatabase\n{path}\n"));
    brain.read_until("MESSAGE positions in the database: ");
    brain
}

fn end(brain: Process) {
    assert!(brain.end().1.success());
}

fn get(database: &Database, stones: &[(usize, usize)]) -> Option<(i32, u32)> {
    let colors = [Cell::Black, Cell::White].into_iter().cycle();
    let stones: Vec<(Point, Cell)> =
        stones.iter().zip(colors).map(|(&(x, y), cell)| (Point::new(x, y).unwrap(), cell)).collect();
    let position = Position { rule: Rule::Freestyle, size: Size::square(15).unwrap(), stones: &stones };
    database.get(&position).map(|entry| (entry.value, entry.depth))
}

/// Waits until the condition holds.
fn wait_until(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "the condition does not hold after {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Makes a database with this many positions of three stones.
fn fill(path: &Path, count: usize) {
    let size = Size::square(15).unwrap();
    let points: Vec<Point> = size.points().collect();
    let mut database = Database::open(path).unwrap();
    for (index, &first) in points.iter().enumerate() {
        for &second in &points[..index] {
            for &third in points.iter().filter(|&&point| point != first && point != second) {
                let stones = [(first, Cell::Black), (second, Cell::White), (third, Cell::Black)];
                database.note(&Position { rule: Rule::Freestyle, size, stones: &stones }, Score::DRAW, 1, None);
                if database.len() == count {
                    return database.save().unwrap();
                }
            }
        }
    }
    panic!("there are fewer positions");
}

#[test]
fn the_next_session_knows_what_the_last_one_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my positions");
    let mut brain = start(&path);
    brain.send("INFO max_depth 6\nyxboard\n7,7,2\ndone\nyxnbest 3\n");
    brain.read_until("MESSAGE line 3 depth 6-");
    end(brain);
    let database = Database::open(&path).unwrap();
    assert!(database.len() >= 3, "the position, and those after the best moves (mirror images are one)");
    assert!(get(&database, &[(7, 7)]).is_some_and(|(_, depth)| depth == 6));

    let mut brain = start(&path);
    brain.send("yxquerydatabaseone\n7,7\ndone\n");
    let (value, depth) = get(&database, &[(7, 7)]).unwrap();
    assert_eq!(brain.read_until("MESSAGE DATABASE ONE"), format!("MESSAGE DATABASE ONE -1 {value} {depth}"));
    end(brain);
}

#[test]
fn a_search_is_in_the_file_without_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = start(&path);
    brain.send("INFO max_depth 4\nBOARD\n7,7,2\nDONE\nABOUT\n");
    brain.read_until("name=");
    wait_until(|| path.exists());
    brain.kill();
    assert!(get(&Database::open(&path).unwrap(), &[(7, 7)]).is_some());
}

/// Bug: no message said so, and the results were lost with the process.
#[test]
fn a_database_that_cannot_be_written_is_reported_and_can_be_written_later() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("gone");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("positions");
    let mut brain = start(&path);
    std::fs::remove_dir_all(&folder).unwrap();
    brain.send("INFO max_depth 4\nBOARD\n7,7,2\nDONE\n");
    brain.read_until("MESSAGE warning: database not written: ");
    std::fs::create_dir(&folder).unwrap();
    brain.send("yxsavedatabase\n");
    assert_eq!(brain.read_until("MESSAGE positions in the database: "), "MESSAGE positions in the database: 2");
    end(brain);
    assert!(get(&Database::open(&path).unwrap(), &[(7, 7)]).is_some());
}

/// Bug: it was accepted, and the only word that nothing could be written came after the first result.
#[test]
fn a_database_in_a_folder_that_does_not_exist_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = start(&path);
    brain.send(&format!("yxsetdatabase\n{}\n", folder.path().join("none").join("positions").display()));
    assert_eq!(brain.read_until("ERROR "), "ERROR database: there is no such folder");
    brain.send("INFO max_depth 4\nBOARD\n7,7,2\nDONE\nABOUT\n");
    brain.read_until("name=");
    end(brain);
    assert!(get(&Database::open(&path).unwrap(), &[(7, 7)]).is_some(), "the old one stays");
}

#[test]
fn results_under_blocked_moves_are_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = start(&path);
    brain.send("INFO max_depth 4\nyxblock\n8,8\ndone\nBOARD\n7,7,2\nDONE\nyxdbcheck\n");
    assert_eq!(brain.read_until("MESSAGE positions in the database: "), "MESSAGE positions in the database: 0");
    brain.send("yxblockreset\nBOARD\n7,7,2\nDONE\nyxdbcheck\n");
    assert_eq!(brain.read_until("MESSAGE positions in the database: "), "MESSAGE positions in the database: 2");
    end(brain);
}

/// A process that writes the file again and again is killed at some moment: the file is complete every time.
#[test]
fn no_kill_damages_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = start(&path);
    for x in 0..15 {
        for y in 0..15 {
            if (x, y) != (3, 5) {
                brain.send(&format!("yxedittvddatabase 6 0 {x} {y}\n3,5\n{x},{y}\ndone\n"));
            }
        }
    }
    end(brain);
    assert_eq!(Database::open(&path).unwrap().len(), 224);
    for round in 0..20u64 {
        let mut brain = start(&path);
        let mut script = String::new();
        for value in 0..500 {
            write!(script, "yxedittvddatabase 2 0 {value} 0\n3,5\n4,5\ndone\nyxsavedatabase\n").unwrap();
        }
        brain.send(&script);
        brain.read_until("MESSAGE positions in the database: ");
        thread::sleep(Duration::from_micros(700 * round));
        brain.kill();
        let database = Database::open(&path).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert_eq!(database.len(), 224);
        assert_eq!(get(&database, &[(3, 5), (0, 9)]), Some((0, 9)));
    }
}

/// Bug: the process did not wait after its END until this was done: nothing was deleted, and edits were lost, too.
#[test]
fn what_was_deleted_and_noted_before_the_end_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    fill(&path, 60_000);
    let mut brain = start(&path);
    for x in 0..15 {
        brain.send(&format!("yxedittvddatabase 1 87 0 0\n{x},0\ndone\n"));
    }
    // These positions are not in the database, so every entry has to be compared.
    for x in 0..15 {
        brain.send(&format!("yxdeletedatabaseall nonwl\n{x},0\n{x},1\n{x},2\n{x},3\ndone\n"));
    }
    brain.send("yxdeletedatabaseall nonwl\ndone\n");
    // An END later than 50 ms after a question does not wait for the answer.
    thread::sleep(Duration::from_millis(60));
    end(brain);
    // Eight of the fifteen points on an edge are different under mirroring.
    assert_eq!(Database::open(&path).unwrap().len(), 8);
}

#[test]
fn edits_before_the_end_are_in_the_file_even_if_nobody_reads_the_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = start(&path);
    brain.send(&"FOO\n".repeat(10_000));
    brain.send("yxedittvddatabase 2 0 77 0\n7,7\ndone\n");
    // An END that is read together with what is before it waits for the reader.
    #[cfg(unix)]
    brain.wait_until_heard();
    thread::sleep(Duration::from_millis(200));
    end(brain);
    assert_eq!(get(&Database::open(&path).unwrap(), &[(7, 7)]), Some((77, 0)));
}

/// Bug: the thinking thread wrote it, between an answer and the next question or during the time for that.
#[cfg(target_os = "linux")]
#[test]
fn the_thread_that_thinks_does_not_write_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    // Those of a run at length made it more than 100 ms.
    fill(&path, if at_length() { 250_000 } else { 120_000 });
    // On a busy machine the thread may be counted for more than it does.
    assert!((0..3).any(|row| edit_beside_a_thread_that_thinks(&path, row) <= Duration::from_millis(30)));
}

/// The processor time of the thread that thinks while an edit is written to the file, in steps of 10 ms; it used to be more
/// than 100 ms.
#[cfg(target_os = "linux")]
fn edit_beside_a_thread_that_thinks(path: &Path, row: usize) -> Duration {
    let size = || std::fs::metadata(path).unwrap().len();
    let before = size();
    let mut brain = Process::new();
    brain.send(&format!("START 15\nINFO usedatabase 1\nyxsetdatabase\n{}\nABOUT", path.display()));
    let [_, _] = [brain.answer(), brain.answer()];
    let used = brain.thinking_time();
    brain.send(&format!("yxedittvddatabase 2 0 77777 0\n{row},7\ndone\nABOUT"));
    brain.answer();
    wait_until(|| size() != before);
    let used = brain.thinking_time().saturating_sub(used);
    assert!(brain.end().1.success());
    used
}

/// Bug: the last process to write won.
#[test]
fn two_processes_do_not_overwrite_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let edit = |brain: &mut Process, value: i32, x: usize| {
        brain.send(&format!("yxedittvddatabase 2 0 {value} 0\n{x},7\ndone\nyxsavedatabase\n"));
    };
    let in_use = "in use by another process, changes are not written";
    let mut first = start(&path);
    edit(&mut first, 10, 0);
    first.read_until("MESSAGE positions in the database: 1");

    let mut second = start(&path);
    assert_eq!(second.read_until("MESSAGE warning"), format!("MESSAGE warning: database: {in_use}"));
    second.send("yxquerydatabaseone\n0,7\ndone\n");
    second.read_until("MESSAGE DATABASE ONE -1 10 0");
    edit(&mut second, 20, 1);
    assert_eq!(second.read_until("ERROR"), format!("ERROR database: {in_use}"));
    edit(&mut first, 30, 2);
    first.read_until("MESSAGE positions in the database: 2");
    let third = start(&path);
    end(third);
    let database = Database::open(&path).unwrap();
    assert_eq!([0, 1, 2].map(|x| get(&database, &[(x, 7)])), [Some((10, 0)), None, Some((30, 0))]);
    drop(database);

    // Bug: the same file again lost the changes without a word, and a copy could replace a locked file.
    second.send(&format!("yxsetdatabase\n{}\nyxdbtotxt\n{}\n", path.display(), path.display()));
    assert_eq!(second.read_until("MESSAGE positions"), "MESSAGE positions in the database: 2");
    assert_eq!(second.read_until("MESSAGE warning"), format!("MESSAGE warning: database: {in_use}"));
    assert_eq!(second.read_until("ERROR"), format!("ERROR database: {in_use}"));
    // Bug: so could the moves of the database, and the hash table.
    for command in ["yxdbtopos", "yxhashdump"] {
        second.send(&format!("{command}\n{}\n", path.display()));
        assert_eq!(second.read_until("ERROR"), "ERROR database: the file of the database");
        first.send(&format!("{command}\n{}\n", path.display()));
        assert_eq!(first.read_until("ERROR"), "ERROR database: the file of the database");
    }
    let mut third = start(&path);
    edit(&mut third, 40, 3);
    third.read_until("ERROR");
    third.send(&format!("yxsetdatabase\n{}\n", folder.path().join("another").display()));
    assert_eq!(third.read_until("MESSAGE warning"), format!("MESSAGE warning: previous database: {in_use}"));
    end(third);

    first.kill();
    second.send("yxsavedatabase\n");
    second.read_until("MESSAGE positions in the database: 3");
    end(second);
    let database = Database::open(&path).unwrap();
    assert_eq!([0, 1, 2].map(|x| get(&database, &[(x, 7)])), [Some((10, 0)), Some((20, 0)), Some((30, 0))]);
}

#[test]
fn the_same_file_again_is_still_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut brain = start(&path);
    brain.send("yxedittvddatabase 2 0 5 0\n7,7\ndone\n");
    for name in [&path, folder.path(), &path] {
        brain.send(&format!("yxsetdatabase\n{}\n", name.display()));
    }
    brain.read_until("MESSAGE positions in the database: 1");
    brain.read_until("ERROR database: not a plain file");
    brain.read_until("MESSAGE positions in the database: 1");
    brain.send("yxedittvddatabase 2 0 5 0\n8,8\ndone\nyxsavedatabase\n");
    assert_eq!(brain.read_until("MESSAGE positions in the database: "), "MESSAGE positions in the database: 2");
    end(brain);
}

/// Bug: a copy of the database, and its positions, replaced any plain file.
#[test]
fn a_file_of_another_kind_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [path, foreign, copy, lines] = ["positions", "foreign", "copy", "lines"].map(|name| folder.path().join(name));
    let mut brain = start(&path);
    brain.send("yxedittvddatabase 2 0 5 0\n7,7\ndone\nyxedittvddatabase 2 0 6 0\ndone\n");
    for content in ["my notes\n", "# h8\n", "h8i9\nmy notes\n", "tengen-hash 1 0.2.0\n", "\n\0"] {
        std::fs::write(&foreign, content).unwrap();
        for (command, kind) in [("yxdbtotxt", "a database"), ("yxdbtopos", "a list of positions")] {
            brain.send(&format!("{command}\n{}\n", foreign.display()));
            let said = brain.read_until("ERROR ");
            assert_eq!(said, format!("ERROR database: the file exists and is not {kind}"), "{content:?}");
            assert_eq!(std::fs::read_to_string(&foreign).unwrap(), content);
        }
    }
    // Files of the same kind are replaced, and empty ones are of every kind.
    std::fs::write(&copy, "").unwrap();
    std::fs::write(&lines, "").unwrap();
    for _ in 0..2 {
        for (command, file) in [("yxdbtotxt", &copy), ("yxdbtopos", &lines)] {
            brain.send(&format!("{command}\n{}\n", file.display()));
            assert_eq!(brain.read_until("MESSAGE positions"), "MESSAGE positions in the database: 2");
        }
    }
    assert_eq!(Database::open(&copy).unwrap().len(), 2);
    // Bug: the empty position was an empty line.
    assert_eq!(std::fs::read_to_string(&lines).unwrap(), "h8\n");
    // Bug: what stood there when the database was opened did not matter any more when it was written.
    brain.send("yxsavedatabase\n");
    brain.read_until("MESSAGE positions");
    std::fs::write(&path, "my notes\n").unwrap();
    brain.send("yxedittvddatabase 2 0 7 0\n8,8\ndone\nyxsavedatabase\n");
    assert_eq!(brain.read_until("ERROR "), "ERROR database: the file exists and is not a database");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes\n");
    std::fs::write(&path, "").unwrap();
    brain.send(&format!("yxsavedatabase\nyxsetdatabase\n{}\n", path.display()));
    assert_eq!(brain.read_until("MESSAGE positions"), "MESSAGE positions in the database: 3");
    assert_eq!(brain.read_until("MESSAGE positions"), "MESSAGE positions in the database: 3");
    end(brain);
}

/// Bug: opening a pipe waits for its other end, so nothing was answered any more and the process did not exit.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_wherever_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut brain = start(&folder.path().join("positions"));
    for word in ["yxhashload", "yxhashdump", "yxsetdatabase", "yxtxttodb", "yxdbtotxt", "yxdbtopos"] {
        brain.send(&format!("{word}\n{}\n", pipe.display()));
        let said = brain.read_until("ERROR ");
        assert!(said.ends_with(": not a plain file"), "{word}: {said}");
    }
    end(brain);
    // The game goes on when the record cannot be written.
    let recorded = built().env("TENGEN_RECORD", &pipe).stdin(Stdio::null()).status();
    assert!(recorded.unwrap().success());
}
