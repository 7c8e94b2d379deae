//! The database: entries, symmetries, the file, two processes.

use super::format::{HEADER, points, read, write_within};
use super::*;
use crate::base::hash::Checksum;

fn point(x: usize, y: usize) -> Point {
    Point::new(x, y).unwrap()
}

fn stones(points: &[(usize, usize)]) -> Vec<(Point, Cell)> {
    let colors = [Cell::Black, Cell::White].into_iter().cycle();
    points.iter().zip(colors).map(|(&(x, y), cell)| (point(x, y), cell)).collect()
}

fn position(stones: &[(Point, Cell)]) -> Position<'_> {
    Position { rule: Rule::Standard, size: Size::square(15).unwrap(), stones }
}

fn filled() -> Database {
    let mut database = Database::default();
    let three = stones(&[(7, 7), (7, 6), (9, 8)]);
    database.note(&position(&three[..0]), Score::DRAW, 3, Some(point(7, 7)));
    database.note(&position(&three[..1]), Score::estimate(-35), 12, Some(point(7, 6)));
    database.note(&position(&three), Score::estimate(60), 9, Some(point(8, 7)));
    database.edit(&position(&three), |entry| {
        entry.tag = Some(b'!');
        entry.label = "odd; 100%\tsure \u{e9}".to_owned();
    });
    database
}

#[test]
fn mirror_images_share_an_entry_and_have_their_own_best_move() {
    let database = filled();
    let size = Size::square(15).unwrap();
    let three = stones(&[(7, 7), (7, 6), (9, 8)]);
    for symmetry in Symmetry::of(size) {
        let turned: Vec<_> = three.iter().rev().map(|&(p, cell)| (symmetry.apply(p, size), cell)).collect();
        let entry = database.get(&position(&turned)).expect("the same position");
        assert_eq!((entry.value, entry.depth, entry.tag), (60, 9, Some(b'!')));
        assert_eq!(entry.best, Some(symmetry.apply(point(8, 7), size)));
    }
    let other = Position { rule: Rule::Renju, ..position(&three) };
    assert_eq!(database.get(&other), None, "another rule is another game");
    assert_eq!(database.len(), 3);
}

#[test]
fn a_file_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions of mine.txt");
    assert!(Database::open(&path).unwrap().is_empty(), "there is no file yet");
    assert!(!path.exists());
    filled().write(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let positions: Vec<&str> = text.lines().filter(|line| line.starts_with("1;")).collect();
    assert!(positions.len() == 3 && positions.is_sorted(), "{text}");
    let back = Database::open(&path).unwrap();
    assert_eq!(back.entries, filled().entries);
    assert!(!back.is_changed());
}

#[test]
fn every_damage_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    filled().write(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    assert!(read(&whole).is_ok());
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "cut after {end} bytes");
    }
    for at in 0..whole.len() {
        let mut bad = whole.clone();
        bad[at] ^= 4;
        assert!(read(&bad).is_err(), "byte {at} changed");
    }
    assert!(read(&[&whole[..], b"\n"].concat()).is_err());
    for nonsense in [&b""[..], b"tengen-database 2\n", b"\xff\xfe", b"SQLite format 3\0"] {
        assert!(matches!(read(nonsense), Err(DatabaseError::Damaged(1))));
    }
}

#[test]
fn invalid_entries_are_refused_despite_a_correct_checksum() {
    let accepts = |line: &str| {
        let body = format!("{HEADER}\n{line}\n");
        let mut checksum = Checksum::new();
        checksum.add(body.as_bytes());
        read(format!("{body}end 1 {:016x}\n", checksum.value()).as_bytes()).is_ok()
    };
    assert!(accepts("1;15x15;h8;;-35;12;-;h7;"));
    for line in [
        "3;15x15;h8;;0;1;-;h7;",
        "1;15x40;h8;;0;1;-;h7;",
        "1;15x15;h8;h8;0;1;-;-;",
        "1;15x15;h8a1;;0;1;-;-;",
        "1;15x15;i9;h8;0;1;-;-;",
        "1;15x15;h8;;30001;1;-;-;",
        "1;15x15;h8;;0;-1;-;-;",
        "1;15x15;h8;;0;1;--;-;",
        "1;15x15;h8;;0;1;-;h8;",
        "1;15x15;h8;;0;1;-;-;a;b",
        "1;15x15;h8;;0;1;-;-;%zz,",
        "1;15x15;h8;;0;1;-",
        "",
    ] {
        assert!(!accepts(line), "{line}");
    }
}

#[test]
fn proofs_and_deeper_searches_stay() {
    let mut database = Database::default();
    let one = stones(&[(7, 7)]);
    let value = |database: &Database| database.get(&position(&one)).map(|entry| entry.value);
    database.note(&position(&one), Score::estimate(10), 10, None);
    database.note(&position(&one), Score::estimate(20), 9, None);
    assert_eq!(value(&database), Some(10), "a shallower search");
    database.note(&position(&one), Score::estimate(30), 10, None);
    assert_eq!(value(&database), Some(30), "a later one");
    let win = Score::win_in(crate::base::Ply::ROOT, 9);
    database.note(&position(&one), win, 3, None);
    database.note(&position(&one), Score::estimate(0), 30, None);
    assert_eq!(value(&database), Some(win.units()), "a proof");
}

#[test]
fn deleting_removes_the_positions_that_follow() {
    let mut database = filled();
    let aside = stones(&[(0, 0)]);
    database.note(&position(&aside), Score::win_in(crate::base::Ply::ROOT, 9), 3, None);
    // The position of three stones contains the centre stone; the position with the corner stone does not.
    let one = stones(&[(7, 7)]);
    database.delete_from(&position(&one), Deletion::Decided);
    assert_eq!(database.len(), 4);
    database.delete_from(&position(&one), Deletion::Undecided);
    assert_eq!(database.len(), 2, "the empty board and the corner are left");
    database.delete(&position(&aside));
    assert_eq!(database.len(), 1);
    database.delete_from(&position(&[]), Deletion::All);
    assert!(database.is_empty());
}

#[test]
fn positions_without_a_side_to_move_are_not_kept() {
    let mut database = Database::default();
    let dead = [(point(3, 3), Cell::Wall)];
    let two_whites = [(point(3, 3), Cell::White), (point(4, 4), Cell::White)];
    for stones in [&dead[..], &two_whites[..]] {
        database.note(&position(stones), Score::DRAW, 1, None);
        assert!(database.is_empty() && database.get(&position(stones)).is_none());
    }
}

#[test]
fn a_database_can_change_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    let mut database = Database::open(&path).unwrap();
    let (one, other) = (stones(&[(7, 7)]), stones(&[(3, 3)]));
    database.note(&position(&one), Score::DRAW, 1, None);
    database.begin_save().unwrap();
    assert!(database.is_saving() && !database.is_changed());
    database.note(&position(&other), Score::DRAW, 1, None);
    assert!(database.is_changed(), "this is not being written");
    database.begin_save().unwrap();
    assert!(database.is_changed(), "not before it has been written");
    database.end_save().unwrap();
    assert_eq!(load(&path).unwrap().len(), 1);
    database.save().unwrap();
    assert!(!database.is_changed() && !database.is_saving());
    assert_eq!(load(&path).unwrap().len(), 2);
}

#[test]
fn a_failed_write_is_reported_and_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    let mut database = filled();
    database.switch_to(&path).unwrap();
    database.save().unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    database.note(&position(&[]), Score::DRAW, 10, None);
    database.begin_save().unwrap();
    while database.saving.as_ref().is_some_and(|saving| !saving.is_finished()) {
        thread::yield_now();
    }
    assert_eq!(database.check_save().unwrap_err().to_string(), "not a plain file");
    assert!(database.is_changed() && !database.is_saving());
    assert!(database.save().is_err());
    std::fs::remove_dir(&path).unwrap();
    database.save().unwrap();
    assert!(!database.is_changed());
}

/// Bug: while its folder was missing, the file counted as locked by us from then on. When the folder was back, the file lost
/// what another process had written.
#[test]
fn a_lock_that_failed_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (inner, away) = (folder.path().join("inner"), folder.path().join("away"));
    std::fs::create_dir(&inner).unwrap();
    let path = inner.join("database");
    let mut first = filled();
    first.switch_to(&path).unwrap();
    first.save().unwrap();
    let mut second = Database::open(&path).unwrap();
    assert!(second.is_locked_elsewhere());
    drop(first);
    std::fs::rename(&inner, &away).unwrap();
    let one = stones(&[(3, 3)]);
    second.note(&position(&one), Score::DRAW, 1, None);
    assert!(matches!(second.save(), Err(DatabaseError::Io(error)) if error.kind() == io::ErrorKind::NotFound));
    std::fs::rename(&away, &inner).unwrap();
    let third = Database::open(&path).unwrap();
    assert!(!third.is_locked_elsewhere() && matches!(second.save(), Err(DatabaseError::InUse)));
    drop(third);
    second.save().unwrap();
    assert_eq!(load(&path).unwrap().len(), filled().len() + 1);
}

/// Bug: a file could be written that was too large to be read.
#[test]
fn a_database_that_is_too_large_to_be_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    let database = filled();
    write(&database.entries, &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let limit = whole.len() as u64;
    write_within(limit, &database.entries, &path).unwrap();
    for limit in [limit - 1, 20, 0] {
        let error = write_within(limit, &database.entries, &path).unwrap_err().to_string();
        assert_eq!(error, format!("too large for a file of {limit} bytes"));
    }
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

/// Bug: a line with the same point again and again was read into memory as a whole.
#[test]
fn a_text_of_more_points_than_the_board_has_is_not_read() {
    for side in [5, 22] {
        let size = Size::square(side).unwrap();
        let all: Vec<Point> = size.points().collect();
        assert_eq!(points(&notation::moves_text(&all), size), Some(all));
        assert_eq!(points(&"a1".repeat(size.cells() * 2), size), None);
    }
}

/// Bug: a best move on a stone or off the board was kept, and the file with it could not be read.
#[test]
fn a_best_move_that_cannot_be_played_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    let one = stones(&[(7, 7)]);
    for best in [Point::new(7, 7), Point::new(15, 3)] {
        let mut database = Database::default();
        database.note(&position(&one), Score::DRAW, 1, best);
        assert_eq!(database.get(&position(&one)).map(|entry| entry.best), Some(None));
        database.edit(&position(&one), |entry| (entry.best, entry.tag) = (best, Some(b'x')));
        database.write(&path).unwrap();
        assert_eq!(load(&path).unwrap(), database.entries);
    }
}

/// Bug: two stones on one point made a file that could not be read; a stone off the board was a panic.
#[test]
fn positions_that_cannot_be_are_not_kept() {
    let mut database = filled();
    let before = database.entries.clone();
    let off = Point::new(15, 3).unwrap();
    for points in [[point(3, 3), point(3, 3)], [point(3, 3), off], [off, off]] {
        let stones = [(points[0], Cell::Black), (points[1], Cell::White)];
        database.note(&position(&stones), Score::DRAW, 1, None);
        database.edit(&position(&stones), |entry| entry.tag = Some(b'x'));
        database.delete(&position(&stones));
        database.delete_from(&position(&stones), Deletion::All);
        assert_eq!(database.get(&position(&stones)), None);
    }
    assert_eq!(database.entries, before);
}

#[test]
fn a_locked_file_keeps_what_another_process_has_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    let mut second = Database::open(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file before the first entry");
    let mut first = Database::open(&path).unwrap();
    let sets = [stones(&[(7, 7)]), stones(&[(3, 3)])];
    first.note(&position(&sets[0]), Score::DRAW, 9, None);
    first.note(&position(&sets[1]), Score::DRAW, 3, None);
    first.save().unwrap();
    for set in &sets {
        second.note(&position(set), Score::DRAW, 5, None);
    }
    assert!(matches!(second.begin_save(), Err(DatabaseError::InUse)));
    assert!(second.is_locked_elsewhere());
    second.begin_save().unwrap();
    assert!(!second.is_saving(), "the error is reported once");
    assert!(matches!(second.save(), Err(DatabaseError::InUse)));
    assert!(matches!(second.switch_to(folder.path()), Err(DatabaseError::Io(_))));
    assert!(Database::open(&path).unwrap().is_locked_elsewhere() && second.is_locked_elsewhere());
    drop(first);
    second.save().unwrap();
    assert!(!second.is_locked_elsewhere());
    let depths = sets.map(|set| second.get(&position(&set)).map(|entry| entry.depth));
    assert_eq!(depths, [Some(9), Some(5)]);
    assert_eq!(load(&path).unwrap(), second.entries);
    // The lock survives a failed switch and a switch to the same file.
    assert!(matches!(second.switch_to(folder.path()), Err(DatabaseError::Io(_))));
    assert!(Database::open(&path).unwrap().is_locked_elsewhere() && !second.is_locked_elsewhere());
    second.switch_to(&path).unwrap();
    assert!(Database::open(&path).unwrap().is_locked_elsewhere() && !second.is_locked_elsewhere());
}

/// Bug: a file that does not exist was added without a word, like an empty one.
#[test]
fn a_missing_file_cannot_be_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing");
    let mut database = filled();
    let before = database.len();
    let error = database.merge(&path).unwrap_err();
    assert!(matches!(&error, DatabaseError::Io(cause) if cause.kind() == io::ErrorKind::NotFound), "{error}");
    std::fs::write(&path, "").unwrap();
    assert!(database.merge(&path).is_ok(), "an empty file has no entries");
    assert_eq!(database.len(), before);
}

/// Bug: the second process overwrote newer entries of the first and lost its own labels.
#[test]
fn changes_of_two_processes_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared");
    let three = stones(&[(7, 7), (7, 6), (9, 8)]);
    let [start, one, two, all] = [0, 1, 2, 3].map(|count| &three[..count]);
    let mut first = filled();
    first.switch_to(&path).unwrap();
    for known in [start, one, two, all] {
        first.note(&position(known), Score::estimate(10), 10, None);
    }
    first.save().unwrap();
    let mut second = Database::open(&path).unwrap();
    assert!(second.is_locked_elsewhere());
    first.edit(&position(one), |entry| entry.label = "of the first".into());
    first.delete(&position(two));
    first.save().unwrap();
    drop(first);
    second.note(&position(all), Score::win_in(crate::base::Ply::ROOT, 7), 2, None);
    second.edit(&position(all), |entry| entry.label = "of the second".into());
    second.delete(&position(start));
    second.save().unwrap();
    drop(second);
    let last = Database::open(&path).unwrap();
    assert_eq!(last.get(&position(one)).unwrap().label, "of the first");
    assert_eq!(last.get(&position(two)), None);
    let entry = last.get(&position(all)).unwrap();
    assert!(entry.value > Score::DECISIVE && entry.label == "of the second", "{entry:?}");
    assert_eq!(last.get(&position(start)), None);
}

/// Bug: what a command had removed or lowered came back from the file, when another process had locked it first.
#[test]
fn what_a_command_removes_stays_removed_in_a_file_of_two_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared");
    let one = stones(&[(7, 7)]);
    let mut first = Database::open(&path).unwrap();
    let best = Point::new(8, 8);
    first.note(&position(&one), Score::estimate(10), 10, best);
    first.edit(&position(&one), |entry| (entry.tag, entry.label) = (Some(b'x'), "of the first".into()));
    first.save().unwrap();
    let mut second = Database::open(&path).unwrap();
    second.edit(&position(&one), |entry| (entry.tag, entry.best) = (None, None));
    second.edit(&position(&one), |entry| entry.label.clear());
    first.note(&position(&one), Score::estimate(20), 12, best);
    first.save().unwrap();
    drop(first);
    second.save().unwrap();
    let entry = second.get(&position(&one)).unwrap();
    assert_eq!((entry.tag, entry.best, entry.label.as_str()), (None, None, ""));
    assert_eq!((entry.value, entry.depth), (20, 12), "no command has set the result");
    second.edit(&position(&one), |entry| (entry.value, entry.depth) = (-5, 3));
    assert_eq!(second.get(&position(&one)).map(|entry| entry.depth), Some(3));
}

/// Bug: what was collected before a file was named was lost without a word.
#[test]
fn positions_without_a_file_go_into_the_first_one() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("first"), folder.path().join("second"));
    let (one, two) = (stones(&[(7, 7)]), stones(&[(7, 7), (8, 8)]));
    let mut before = Database::open(&path).unwrap();
    before.note(&position(&one), Score::estimate(10), 10, None);
    before.save().unwrap();
    drop(before);
    let mut database = Database::default();
    database.edit(&position(&one), |entry| entry.label = "kept".into());
    database.note(&position(&two), Score::estimate(5), 3, None);
    assert!(matches!(database.switch_to(folder.path()), Err(DatabaseError::Io(_))));
    assert_eq!(database.len(), 2, "a file that is refused changes nothing");
    database.switch_to(&path).unwrap();
    let entry = database.get(&position(&one)).unwrap();
    assert_eq!((entry.value, entry.depth, entry.label.as_str()), (10, 10, "kept"));
    database.switch_to(&other).unwrap();
    assert_eq!(database.len(), 0, "what has a file stays there");
    assert_eq!(Database::open(&path).unwrap().len(), 2);
}

/// Bug: parts of a deleted entry came back from the file of another process when a search noted the position again.
#[test]
fn a_deleted_entry_that_is_noted_again_has_nothing_of_the_old_one() {
    for delete_all in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shared");
        let one = stones(&[(7, 7)]);
        let mut first = Database::open(&path).unwrap();
        first.note(&position(&one), Score::estimate(10), 10, Point::new(8, 8));
        first.edit(&position(&one), |entry| (entry.tag, entry.label) = (Some(b'x'), "of the first".into()));
        first.save().unwrap();
        let mut second = Database::open(&path).unwrap();
        if delete_all {
            second.delete_from(&position(&one), Deletion::All);
        } else {
            second.delete(&position(&one));
        }
        second.note(&position(&one), Score::estimate(-3), 4, Point::new(6, 6));
        drop(first);
        second.save().unwrap();
        let entry = second.get(&position(&one)).unwrap();
        assert_eq!((entry.value, entry.depth, entry.best), (-3, 4, Point::new(6, 6)));
        assert_eq!((entry.tag, entry.label.as_str()), (None, ""));
    }
}
