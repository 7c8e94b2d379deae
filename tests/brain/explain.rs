//! `explain` from end to end: the hard cases of renju, as a player reads them.

use crate::common::fouls::HardCase;
use std::process::Output;

fn explain(arguments: &[&str], input: &str) -> Output {
    crate::common::brain(&[&["explain"], arguments].concat(), input)
}

/// The text below the board.
fn words(arguments: &[&str], input: &str) -> String {
    let output = explain(arguments, input);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_once("\n\n").unwrap().1.to_owned()
}

/// The picture of a case in `tests/data/forbidden.txt`; its board has 12 rows.
fn case(name: &str) -> &'static str {
    HardCase::all().find(|case| case.name == name).unwrap().picture
}

/// Bug: bytes of a file name that are not UTF-8 were replaced, so that the file was not found.
#[cfg(target_os = "linux")]
#[test]
fn a_file_name_need_not_be_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(OsStr::from_bytes(b"caf\xe9.txt"));
    std::fs::write(&file, "h6a1h7o15g8a15i8o1").unwrap();
    let output = crate::common::brain_with(&["explain".as_ref(), file.as_os_str()], "");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_double_three_names_both_threes() {
    let expected = "\
h5 is forbidden: double three, two real threes at once.
  row 5: e5 g5 h5 are a real three: f5 makes a straight four.
  column h: h3 h4 h5 are a real three: h2 or h6 makes a straight four.
";
    assert_eq!(words(&[], case("two threes, nothing else")), expected);
}

#[test]
fn a_three_that_depends_on_an_overline_is_false() {
    let expected = "\
h5 is legal: only one three is real, the other is false.
  row 5: e5 g5 h5 are a false three: it needs f5 for a straight four, but then
    f5 is forbidden: overline, more than five in a row.
      column f: f2 f3 f4 f5 f6 f7 are 6 in a row.
  column h: h3 h4 h5 are a real three: h2 or h6 makes a straight four.
";
    assert_eq!(words(&[], case("the four point is an overline")), expected);
}

#[test]
fn nested_threes_are_followed_inwards() {
    let expected = "\
h5 is legal: only one three is real, the other is false.
  row 5: e5 g5 h5 are a false three: it needs f5 for a straight four, but then
    f5 is forbidden: double three, two real threes at once.
      column f: f3 f4 f5 are a real three: f2 or f6 makes a straight four.
      diagonal \\: d7 e6 f5 are a real three: c8 or g4 makes a straight four.
  column h: h5 h6 h7 are a real three: h4 or h8 makes a straight four.
";
    assert_eq!(words(&[], case("the four point is a double three")), expected);
    let expected = "\
h5 is forbidden: double three, two real threes at once.
  row 5: e5 g5 h5 are a real three: f5 makes a straight four.
    f5 is legal: only one three is real, the other is false.
      column f: f2 f3 f5 are a false three: it needs f4 for a straight four, but then
        f4 is forbidden: double three, two real threes at once.
          diagonal /: f4 g5 h6 are a real three: i7 makes a straight four.
          diagonal \\: e5 f4 g3 are a real three: d6 or h2 makes a straight four.
      diagonal \\: d7 e6 f5 are a real three: c8 makes a straight four.
  column h: h5 h6 h7 are a real three: h4 or h8 makes a straight four.
";
    let said = words(&[], case("or is a double three in its turn"));
    assert_eq!(said, expected);
}

#[test]
fn a_five_beats_every_foul() {
    // A cross of a five and an overline, and of a five and two fours.
    let six = "
        .......
        ..X....
        ..X....
        XX*XXX.
        ..X....
        ..X....
        .......";
    let said = words(&[], six);
    assert!(said.starts_with("c4 wins: it makes exactly five, which takes precedence over every foul.\n"), "{said}");
    assert!(said.contains("row 4: a4 b4 c4 d4 e4 f4 are 6 in a row.\n"), "{said}");
    assert!(said.contains("column c: c2 c3 c4 c5 c6 are exactly five.\n"), "{said}");
    let said = words(&["--point", "h8"], "4;15;3,7 0,0 4,7 14,14 5,7 0,14 6,7 14,0 7,5 0,2 7,6 14,2\n");
    assert!(said.starts_with("h8 wins: it makes exactly five.\n"), "{said}");
}

#[test]
fn two_fours_in_one_line_and_four_with_three() {
    let rows = "
        ...........
        ...........
        ..X.*XX.X..
        ...........
        ...........";
    let said = words(&[], rows);
    assert!(said.starts_with("e3 is forbidden: double four, two fours at once.\n"), "{said}");
    assert!(said.contains("row 3: c3 e3 f3 g3 are a four: d3 would make five.\n"), "{said}");
    let legal = "
        ..........
        ....X.....
        ....X.....
        .OXX*X....
        ..........
        ..........
        ..........";
    let said = words(&[], legal);
    assert!(said.starts_with("e4 is legal: a four and a three may be made together.\n"), "{said}");
}

#[test]
fn all_forbidden_points_of_a_game_are_found_and_marked() {
    let output = explain(&["h6a1h7o15g8a15i8o1"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("  8 . . . . . . X ! X . . . . . .\n"), "{text}");
    assert!(text.contains("\nh8 is forbidden: double three"), "{text}");
    assert_eq!(words(&["h8"], ""), "No point is forbidden.\n");
    assert_eq!(words(&["--point", "a1", "h8"], ""), "a1 is legal.\n");
}

/// On a board of even height no row keeps its number when it is counted from the other side.
#[test]
fn rows_count_from_below() {
    let picture = "
        ..........
        ..........
        .....X....
        .....X....
        ...XX*....
        ..........
        ..........
        ..........
        ..........
        ..........
        ..........
        ..........";
    let expected = "\
f8 is forbidden: double three, two real threes at once.
  row 8: d8 e8 f8 are a real three: c8 or g8 makes a straight four.
  column f: f8 f9 f10 are a real three: f7 or f11 makes a straight four.
";
    let output = explain(&[], picture);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("    a b c d e f g h i j\n 12 . . "), "{text}");
    assert!(text.contains("\n 10 . . . . . X . . . .\n") && text.contains("\n  8 . . . X X ! . . . .\n"), "{text}");
    assert!(text.ends_with(&format!("\n\n{expected}")), "{text}");
    // The same, typed: the names are read as they are written. The last stones are white's and far away.
    let said = words(&["--size", "12", "--point", "f8"], "d8a1e8l1f9a12f10l12");
    assert_eq!(said, expected);
}

#[test]
fn bad_input_is_refused_in_one_line() {
    for (arguments, input, reason) in [
        (&["no/such.psq"][..], "", "no such file"),
        (&["--point", "z9", "h8"], "", "is not a point"),
        (&["--point", "h8", "h8"], "", "is not empty"),
        (&["--size", "99", "h8"], "", "5 to 22"),
        (&[], "", "no moves"),
        (&["--nonsense"], "", "nonsense"),
        (&[], "Piskvorky 15x15, 0\n99,1,0\n", "off the board"),
    ] {
        let output = explain(arguments, input);
        let error = String::from_utf8(output.stderr).unwrap();
        let is_one_line = error.matches('\n').count() == 1;
        assert!(output.status.code() == Some(2) && is_one_line && error.contains(reason), "{arguments:?}: {error}");
    }
}

/// Bug: a pipe given as a path was said not to exist.
#[test]
fn a_pipe_is_read_like_a_file() {
    assert_eq!(words(&["/dev/stdin"], "h8"), words(&[], "h8"));
}

/// Bug: `pbrain-tengen params | head` complained of a broken pipe and ended with status 2.
#[test]
fn a_closed_output_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut params = std::process::Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
    let output = params.arg("params").stdout(writer).stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// Bug: that a side passed was left out silently, and of several positions the first one was taken.
#[test]
fn a_record_is_explained_with_what_it_says_besides() {
    let game = "(;SZ[15];B[hj]C[opening move];W[ao];B[hi];W[];B[gh];W[aa];B[ih])";
    let text = String::from_utf8(explain(&["--point", "h8"], game).stdout).unwrap();
    let remarks = "The play begins with move 2: the comments say that the move before it belongs to the opening.\n\
        A pass: white does not play after move 3, and black moves next.\n    a b c";
    assert!(text.starts_with(remarks) && text.contains("\nh8 is forbidden: double three"), "{text}");
    let library = b"\xffRenLib\xff\x03\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x78\x80\x69\x40\xe1\x40";
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("explained.lib");
    std::fs::write(&file, library).unwrap();
    let text = String::from_utf8(explain(&[file.to_str().unwrap()], "").stdout).unwrap();
    assert!(text.contains("it has 2 lines.\n") && text.contains("No point is forbidden."), "{text}");
    let error = String::from_utf8(explain(&[], "4;15;7,7\n4;15;8,8\n").stderr).unwrap();
    assert!(error.contains("there are 2 games: one is expected here"), "{error}");
}
