//! `tengen-review` from end to end: text, JSON and drawing.

#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn review(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen-review"))
        .args(["--nodes", "3000"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may refuse its arguments before it reads anything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(arguments: &[&str], input: &str) -> String {
    let output = review(arguments, input);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str], input: &str) -> Value {
    serde_json::from_str(&text(&[arguments, &["--json"]].concat(), input)).unwrap()
}

/// Black makes an open three, and white makes one instead of stopping it; then both ignore them, and black wins in the end.
const GAME: &str = "h8c3i8d3j8e3a15o1k8g8l8";

#[test]
fn missed_wins_and_mistakes_are_named_with_what_was_better() {
    let report = json(&[], GAME);
    let moves = report["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 11);
    // White's sixth move does not stop the open three: white is lost now, if it was not before.
    assert!(moves[5]["chance_after"].as_f64().unwrap() == 0.0, "{report}");
    // Black's seventh move does not make the open four.
    assert_eq!(moves[6]["mark"], "missed win");
    let best = moves[6]["best"][0].as_str().unwrap();
    assert!(["g8", "k8"].contains(&best), "{report}");
    assert!(moves[6]["remark"].as_str().unwrap().starts_with("a win in 3: "), "{report}");
    // White's eighth move does not win either, and again does not stop the three.
    assert_eq!(moves[7]["chance_after"].as_f64(), Some(0.0));
    // The remaining moves are the best ones.
    for (index, remark) in [(8, "wins in 3"), (9, "lost in 1 in any case"), (10, "")] {
        assert_eq!((moves[index]["mark"].as_str(), moves[index]["remark"].as_str()), (Some("best"), Some(remark)));
    }
    assert_eq!(report["end"], "Black won with move 11.");
}

#[test]
fn the_text_shows_boards_where_it_matters() {
    let said = text(&[], "Piskvorky 15x15, 0\n8,8,0\n3,3,0\n9,8,0\n4,3,0\n10,8,0\n5,3,0\n5,5,0\n3,12,0\nAnn\nBob\n0\n");
    assert!(
        said.starts_with("freestyle 15x15: X black (Ann), O white (Bob). The record ends after 8 moves.\n"),
        "{said}"
    );
    assert!(said.contains("   7 X e11  "), "{said}");
    assert!(said.contains("\nMove 7, X e11: missed win, 100 % to "), "{said}");
    assert!(said.contains("That wins in 3 against any defence.\n"), "{said}");
    assert!(said.contains("\n 11 . . . .(X). . ."), "{said}");
    assert!(said.contains("\nBlack (Ann): ") && said.contains("1 missed win;"), "{said}");
}

#[test]
fn a_foul_ends_the_game_and_is_explained() {
    let said = text(&["--rule", "renju"], "h6a1h7o15g8a15i8o1h8a8");
    assert!(said.contains("Black lost with move 9: double three.\n"), "{said}");
    assert!(said.contains("Not judged: 1 move after the end of the game."), "{said}");
    assert!(said.contains("h8 is forbidden: double three, two real threes at once.\n  row 8: "), "{said}");
}

/// Set-up stones were judged as moves in the order in which the file lists them ("black lost with move 9: double three"), and
/// the moves were left out.
#[test]
fn what_was_set_up_is_not_judged() {
    let position = "(;SZ[15]RU[renju]PB[Ann]AB[hf][hg][fh][gh][hh]AW[aa][oa][ao][oo]";
    let said = text(&[], &format!("{position})"));
    assert!(said.contains("The record ends after 0 moves.\nIt starts from a set-up position of 9 stones"), "{said}");
    let said = text(&[], &format!("{position};W[ih];B[hi];W[hj];B[eh])"));
    assert!(said.contains("X black (Ann), O white. The record ends after 4 moves.\n"), "{said}");
    assert!(said.contains("; O moves first.\n") && said.contains("\n   1 O i8  "), "{said}");
    assert!(!said.contains("forbidden"), "{said}");
    // A move that is a foul loses.
    let said = text(&[], "(;SZ[15]RU[renju]AB[hf][hg][fh][gh]AW[aa][oa][ao][oo];B[hh];W[kk])");
    assert!(said.contains("Black lost with move 1: double three.\n"), "{said}");
    assert!(said.contains("Not judged: 1 move after the end of the game."), "{said}");
}

/// Stones set up between moves, a pass, two moves in a row: each move is judged in the position in which it was played.
#[test]
fn a_record_may_begin_anew_between_its_moves() {
    let game = "(;SZ[15];B[aa];W[bb];AE[aa]AB[hh][ih][jh]AW[oa][oc];B[oo];W[];B[kh];B[lh];W[ce])";
    let report = json(&[], game);
    let moves = report["moves"].as_array().unwrap();
    let played: Vec<(&str, &str)> =
        moves.iter().map(|judged| (judged["color"].as_str().unwrap(), judged["move"].as_str().unwrap())).collect();
    let expected = [("black", "a15"), ("white", "b14"), ("black", "o1"), ("black", "k8"), ("black", "l8")];
    assert_eq!(played, expected, "{report}");
    assert_eq!(report["end"], "Black won with move 5.");
    // Black has an open three and plays elsewhere; then white passes.
    assert_eq!(moves[2]["mark"], "missed win");
    assert_eq!((moves[3]["mark"].as_str(), moves[3]["remark"].as_str()), (Some("best"), Some("wins in 3")));
    let said = text(&[], game);
    assert!(
        said.contains("\nMove 3, X o1: missed win") && said.contains("  8 . . . . . . . X X X + . . . .\n"),
        "{said}"
    );
    assert!(said.contains("Not judged: 1 move after the end of the game."), "{said}");
}

#[test]
fn the_curve_is_drawn() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("curve.svg");
    text(
        &["--svg", file.to_str().unwrap()],
        "(;SZ[15]PB[<Ann> & Co]PW[Bob];B[hh];W[aa];B[ih];W[ac];B[jh];W[ca];B[ee])",
    );
    let svg = std::fs::read_to_string(file).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains("&lt;Ann&gt; &amp; Co") && svg.contains("missed win") && svg.contains("7 e11"), "{svg}");
    assert!(svg.contains("<poly"), "{svg}");
}

#[test]
fn bad_files_get_one_line() {
    let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("binary.psq");
    std::fs::write(&binary, (0..=255u8).cycle().take(5000).collect::<Vec<u8>>()).unwrap();
    for (arguments, input, reason) in [
        (&["no/such.psq"][..], "", "no such file"),
        (&[binary.to_str().unwrap()], "", ""),
        (&[], "", "no moves"),
        (&[], "(;SZ[15];B[hh];W[hh])", "move 1 is there already"),
        (&["--rule", "go"], "h8", "unknown rule"),
        (&["--nodes", "many"], "h8", "many"),
        (&["--svg", "/no/such/folder/x.svg"], "h8", "cannot write"),
    ] {
        let output = review(arguments, input);
        let error = String::from_utf8(output.stderr).unwrap();
        let is_one_line = error.matches('\n').count() == 1;
        assert!(output.status.code() == Some(2) && is_one_line && error.contains(reason), "{arguments:?}: {error}");
    }
}

/// A game that was over as it was set up has no moves to judge.
#[test]
fn a_position_that_is_won_already_is_not_judged() {
    let report = json(&[], "(;SZ[15]AB[aa][ba][ca][da][ea]AW[hh][hi][hj][hk];W[jj];B[kk])");
    assert_eq!(report["moves"].as_array().map(Vec::len), Some(0), "{report}");
}
