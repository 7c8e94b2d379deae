//! `tengen-review` from end to end: text, JSON and drawing; the lost games of a folder.

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
    assert!(moves[6]["remark"].as_str().unwrap().starts_with("a win in at most 3: "), "{report}");
    // White's eighth move does not win either, and again does not stop the three.
    assert_eq!(moves[7]["chance_after"].as_f64(), Some(0.0));
    // The remaining moves are the best ones.
    for (index, remark) in [(8, "wins in at most 3"), (9, "lost in 1 in any case"), (10, "")] {
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
    assert!(said.contains("That wins in at most 3 against any defence.\n"), "{said}");
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

/// Bug: set-up stones were judged as moves in the order in which the file lists them ("black lost with move 9: double three"), and
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
    assert_eq!((moves[3]["mark"].as_str(), moves[3]["remark"].as_str()), (Some("best"), Some("wins in at most 3")));
    let said = text(&[], game);
    // Either end of the three is the best move.
    let ends = ["  8 . . . . . . . X X X + . . . .\n", "  8 . . . . . . + X X X . . . . .\n"];
    assert!(said.contains("\nMove 3, X o1: missed win") && ends.iter().any(|row| said.contains(row)), "{said}");
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

/// Bug: `--rule` replaced the rule of a single record, but not that of a record in a folder.
#[test]
fn the_rule_of_a_record_comes_before_the_option() {
    let named = "(;SZ[15]RU[4];B[hh];W[aa])";
    assert!(text(&["--rule", "caro"], named).starts_with("renju 15x15"));
    assert!(text(&["--rule", "caro"], "h8a1").starts_with("caro 15x15"));
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
    // Bug: "The record ends after 11 moves", "O moves first", and "-0.0 % lost a move".
    let said = text(&["--from-move", "20"], GAME);
    assert!(said.contains("Black had won before the first judged move.\n") && !said.contains("first.\n"), "{said}");
    assert!(said.contains("\nBlack: no move was judged\n"), "{said}");
    assert!(text(&[], "h8").contains(" ends after 1 move.\n"));
    let report = json(&[], "(;SZ[15]AB[aa][ba][ca][da][ea]AW[hh][hi][hj][hk];W[jj];B[kk])");
    assert_eq!(report["moves"].as_array().map(Vec::len), Some(0), "{report}");
}

/// Bug: stones that the command-line runner of this field had imposed, which says so in their comments, were judged.
#[test]
fn stones_that_a_runner_imposed_are_not_judged() {
    let game = "(;SZ[15]PB[Ann];B[hh]C[opening move];W[aa]C[opening move];B[ih]C[465ms];W[ac]C[12ms];B[jh]C[7ms])";
    let said = text(&[], game);
    let sentence = "The play begins with move 3: the comments say that the 2 moves before it belong to the opening.\n";
    assert!(said.contains(sentence) && said.contains("\n   3 X i8 ") && !said.contains("\n   2 O "), "{said}");
    let report = json(&[], game);
    let expected = (&3.into(), &"comments".into(), Some(3));
    assert_eq!(
        (&report["play_begins"], &report["mark"], report["moves"].as_array().map(Vec::len)),
        expected,
        "{report}"
    );
    let report = json(&["--from-move", "2"], game);
    assert_eq!((&report["play_begins"], &report["mark"]), (&2.into(), &"asked".into()), "{report}");
    assert!(text(&[], GAME).contains("The play begins with move 1: the record marks no move as imposed.\n"));
}

/// Bug: a rule that is not known was read as freestyle, and nothing said so.
#[test]
fn a_rule_that_is_not_known_is_named_in_the_first_line() {
    let named = "(;SZ[15]RU[Japanese];B[hh];W[aa])";
    let first =
        "The rule 'Japanese' of the record is not known: read as freestyle, --rule names another.\nfreestyle 15x15";
    assert!(text(&[], named).starts_with(first));
    let first = "The rule 'Japanese' of the record is not known: read as caro.\ncaro 15x15";
    assert!(text(&["--rule", "caro"], named).starts_with(first));
    assert!(text(&[], "(;SZ[15]RU[連珠];B[hh];W[aa])").starts_with("renju 15x15"));
    let lost = "(;SZ[15]RU[Japanese]PB[Other]PW[Tengen]RE[B+];B[hh];W[ii])";
    let said = text(&[path(&folder(&[("a.sgf", lost), ("b.sgf", &lost.replace("ii", "ij"))]))], "");
    assert!(said.starts_with("2 games: The rule 'Japanese' of the record is not known: read as freestyle"), "{said}");
}

/// Bug: passes were left out silently.
#[test]
fn passes_are_named() {
    let said = text(&[], "(;SZ[15];B[hh];W[tt];B[ii];W[])");
    assert!(
        said.contains("\nA pass: white does not play after move 1, and black moves next.\nA pass: white"),
        "{said}"
    );
}

/// Bug: of several games in the standard input, the first one was reviewed, and nothing said so.
#[test]
fn several_games_from_standard_input_are_all_reviewed() {
    let game = "(;SZ[15]PB[Tengen]PW[Other]RE[W+];B[hh];W[ii])";
    let two = format!("{game}\n{}", game.replace("ii", "ij"));
    let said = text(&[], &two);
    assert!(said.starts_with("tengen lost 2 of 2 games.\n") && said.contains(" standard input game 2 "), "{said}");
    assert!(said.contains("\nMarks of where the play begins, with the number of games: none 2.\n"), "{said}");
    let record = match_record(3, &BLUNDER, ["Rival", "Tengen"], "1-0", "five");
    assert!(text(&[], &record).contains(" standard input game 3 "));
    for (arguments, input, reason) in [
        (&[][..], "0;15;7,7\n0;15;8,8\n", "standard input: none of the games names its players"),
        (&["--player", "x"], GAME, "are for a folder, a .jsonl file or a file with several games"),
    ] {
        let output = review(arguments, input);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(reason), "{error}");
    }
}

/// A folder with games in the formats that other programs write, the names of players in their encodings.
#[test]
fn games_of_other_programs_are_reviewed() {
    let pgn = |result: &str| format!("[Black \"Tengen\"]\n[White \"Other\"]\n[Result \"{result}\"]\n\n1. h8 i9\n");
    let files = folder(&[
        ("a.txt", &(pgn("White wins") + &pgn("*"))),
        ("b.pgn", &pgn("White wins").replace("i9", "i10")),
        (
            "c.rif",
            "<player id=\"1\" name=\"Tengen\"/><game black=\"1\" white=\"2\" bresult=\"0\"><move>h8 a1</move></game>",
        ),
        ("notes.txt", "h8i9"),
    ]);
    std::fs::write(
        files.path().join("d.sgf"),
        b"(;CA[GBK]RU[\xc1\xac\xd6\xe9]PB[Tengen \xb0\xa2]PW[x]RE[W+];B[hh];W[ao])",
    )
    .unwrap();
    let output = review(&[path(&files), "--json"], "");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> =
        report["lost"].as_array().unwrap().iter().map(|lost| lost["game"].as_str().unwrap()).collect();
    assert_eq!(names, ["a.txt game 1", "b.pgn", "c.rif", "d.sgf"], "{report}");
    assert_eq!((&report["games"], &report["without_result"]), (&4.into(), &1.into()));
    let chinese = text(&[files.path().join("d.sgf").to_str().unwrap()], "");
    assert!(chinese.starts_with("renju 15x15: X black (Tengen 阿), O white (x)."), "{chinese}");
    let library = files.path().join("e.lib");
    std::fs::write(&library, b"\xffRenLib\xff\x03\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x78\x80\x69\x40\xe1\x40")
        .unwrap();
    let said = text(&[library.to_str().unwrap()], "");
    assert!(said.contains("\nThe main line of the library is read; it has 2 lines.\n"), "{said}");
}

/// White has an open three; black makes one instead of stopping it; white plays elsewhere and loses. Four stones took no
/// time. With the times in milliseconds.
const BLUNDER: [(&str, u32); 11] = [
    ("h8", 0),
    ("c3", 0),
    ("i8", 0),
    ("d3", 0),
    ("a15", 900),
    ("e3", 1000),
    ("j8", 900),
    ("o1", 1000),
    ("k8", 900),
    ("f3", 1000),
    ("l8", 900),
];

/// Column and row of a name, from 1; rows from above on a board of 15.
fn column_and_row(name: &str) -> (u8, u8) {
    (name.as_bytes()[0] - b'a' + 1, 16 - name[1..].parse::<u8>().unwrap())
}

fn psq(moves: &[(&str, u32)], black: &str, white: &str) -> String {
    let line = |&(name, ms): &(&str, u32)| {
        let (x, y) = column_and_row(name);
        format!("{x},{y},{ms}\r\n")
    };
    let stones: String = moves.iter().map(line).collect();
    format!("Piskvorky 15x15, 0:0, 0\r\n{stones}{black}\r\n{white}\r\n0\r\n")
}

/// A record of `tengen-match`; white won, or black.
fn match_record(game: usize, moves: &[(&str, u32)], players: [&str; 2], result: &str, reason: &str) -> String {
    let stone = |&(name, _): &(&str, u32)| {
        let (x, y) = column_and_row(name);
        format!("{}{y}", char::from(b'a' + x - 1))
    };
    let count = moves.len() - 4;
    let ms: Vec<u32> = moves[4..].iter().map(|&(_, ms)| ms).collect();
    let record = serde_json::json!({
        "match": "", "game": game, "rule": 0, "width": 15, "height": 15, "players": players, "black": players[0],
        "white": players[1], "opening": 4, "symmetry": 0, "moves": moves.iter().map(stone).collect::<String>(),
        "result": result, "winner": players[usize::from(result == "0-1")], "reason": reason, "about": ["", ""],
        "scores": vec![Value::Null; count], "depths": vec![Value::Null; count], "nodes": vec![2000; count],
        "timing": { "ms": ms },
    });
    record.to_string() + "\n"
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn path(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().unwrap()
}

/// The only lost game of a folder with this file.
fn lesson(name: &str, file: &str, arguments: &[&str]) -> Value {
    let folder = folder(&[(name, file)]);
    let report = json(&[&[path(&folder)], arguments].concat(), "");
    assert_eq!(report["lost"].as_array().map(Vec::len), Some(1), "{report}");
    report["lost"][0].clone()
}

#[test]
fn a_lost_game_turns_at_its_blunder() {
    let lesson = lesson("blunder.psq", &psq(&BLUNDER, "Rival", "pbrain-Tengen.exe"), &[]);
    let expected = [("game", "blunder.psq"), ("color", "white"), ("move", "o1"), ("cause", "seen too late")];
    assert!(expected.iter().all(|&(key, value)| lesson[key] == value), "{lesson}");
    assert_eq!((&lesson["number"], &lesson["seen"], &lesson["plies"]), (&8.into(), &10.into(), &11.into()), "{lesson}");
    assert_eq!((lesson["chance_before"].as_f64(), lesson["chance_after"].as_f64()), (Some(1.0), Some(0.0)));
    assert!(["b3", "f3"].contains(&lesson["better"].as_str().unwrap()), "{lesson}");
    assert_eq!(lesson["remark"], "seen too late: lost in at most 3, seen at move 10");
}

#[test]
fn a_foul_of_one_s_own_is_misjudged() {
    let game = "(;SZ[15]RU[renju]PB[Tengen]PW[Rival];B[hj];W[ao];B[hi];W[oa];B[gh];W[aa];B[ih];W[oo];B[hh])";
    let lesson = lesson("foul.sgf", game, &[]);
    assert_eq!((&lesson["number"], &lesson["move"]), (&9.into(), &"h8".into()), "{lesson}");
    assert_eq!(lesson["remark"], "misjudged: forbidden, double three");
}

#[test]
fn imposed_stones_are_not_judged() {
    let game = psq(&BLUNDER, "Rival", "Tengen");
    // What the record says, and the same by hand.
    assert_eq!(lesson("a.psq", &game, &[]), lesson("a.psq", &game, &["--from-move", "5"]));
    // Imposed up to the blunder: the game was lost as it began.
    let imposed: Vec<(&str, u32)> =
        BLUNDER.iter().enumerate().map(|(index, &(name, ms))| (name, if index < 8 { 0 } else { ms })).collect();
    let lost = lesson("a.psq", &psq(&imposed, "Rival", "Tengen"), &[]);
    assert_eq!((&lost["number"], &lost["cause"]), (&10.into(), &"opening".into()), "{lost}");
    assert_eq!(lost["remark"], "opening: lost before this move");
    assert_eq!(lost, lesson("a.psq", &game, &["--from-move", "9"]));
    // The moves of a single game keep their numbers.
    let report = json(&[], &game);
    assert_eq!(report["moves"].as_array().map(Vec::len), Some(7), "{report}");
    assert_eq!((&report["moves"][0]["number"], &report["moves"][0]["move"]), (&5.into(), &"a15".into()));
    assert_eq!(report["end"], "Black (Rival) won with move 11.");
    let said = text(&["--from-move", "8"], &game);
    assert!(said.contains("a set-up position of 7 stones, which is not judged; O moves first."), "{said}");
    assert!(said.contains("\n   8 O o1 ") && said.contains("\nMove 8, O o1: missed win"), "{said}");
}

#[test]
fn a_move_in_haste_and_a_late_one_are_lost_by_time() {
    let times = [0, 1000, 0, 1200, 900, 900, 900, 5, 900, 900, 900];
    let hasty: Vec<(&str, u32)> = BLUNDER.iter().zip(times).map(|(&(name, _), ms)| (name, ms)).collect();
    let lost = lesson("a.psq", &psq(&hasty, "Rival", "Tengen"), &["--from-move", "5"]);
    assert_eq!((&lost["number"], &lost["remark"]), (&8.into(), &"time: 5 ms, usually 1000 ms".into()), "{lost}");
    for (reason, remark) in
        [("timeout", "time: no move in time"), ("crash", "fault: a crash or an illegal move"), ("announced", "unclear")]
    {
        let record = match_record(3, &BLUNDER[..7], ["Rival", "Tengen"], "1-0", reason);
        let lost = lesson("match.jsonl", &record, &[]);
        assert_eq!((&lost["remark"], &lost["move"]), (&remark.into(), &Value::Null), "{lost}");
    }
}

/// A folder with all that a tournament leaves: games won, lost, drawn, of others, unfinished, twice, and broken files.
fn tournament() -> tempfile::TempDir {
    let lost = psq(&BLUNDER, "Rival", "Tengen");
    let records = match_record(0, &BLUNDER, ["Rival", "Tengen"], "1-0", "five")
        + "{\"match\": 1}\n"
        + &match_record(1, &BLUNDER, ["Tengen", "Rival"], "1-0", "five")
        + &match_record(2, &BLUNDER[..7], ["Rival", "Tengen"], "1-0", "timeout")
        + "{\"match\"";
    folder(&[
        ("match.jsonl", &records),
        ("again.psq", &lost),
        ("inside/two.sgf", "(;SZ[15]PB[Tengen]PW[x<&y]RE[W+];B[hh];W[ii])\n(;SZ[15]PB[Tengen]PW[x]RE[0];B[hh];W[ij])"),
        ("others.psq", &psq(&BLUNDER, "Rival", "Other")),
        ("open.psq", &psq(&BLUNDER[..9], "Rival", "Tengen")),
        ("broken.psq", "Piskvorky 15x15, 0\n99,1,5\n"),
        ("empty.jsonl", "nothing\nat all\n"),
        ("notes.txt", "no game"),
    ])
}

#[test]
fn a_broken_file_among_good_ones_gets_one_line() {
    let folder = tournament();
    let output = review(&[path(&folder)], "");
    let (said, complaints) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{complaints}");
    let complaints: Vec<&str> = complaints.lines().collect();
    let expected = [
        "tengen-review: empty.jsonl: no record of a match",
        "tengen-review: match.jsonl: line 2: ",
        "tengen-review: match.jsonl: line 5: ",
        "tengen-review: broken.psq: as a Piskvork file: line 2: 99,1,5: off the board",
    ];
    let is_expected = |(line, begin): (&&str, &&str)| line.starts_with(begin);
    assert!(complaints.len() == 4 && complaints.iter().zip(&expected).all(is_expected), "{complaints:?}");
    assert!(
        said.starts_with(
            "tengen lost 3 of 5 games. Left out: 1 without a result. Left out: 4 that could not be read.\n"
        ),
        "{said}"
    );
    for row in [
        "\n   1 match.jsonl game 0",
        "     11     8 O o1 ",
        " seen too late: lost in at most 3, seen at move 10\n",
        "\n   2 match.jsonl game 2",
        &format!("\n   3 inside{}two.sgf game 1", std::path::MAIN_SEPARATOR),
        "\n seen too late      1        8.0               3.0         2.0\n",
        "\n time               1          -                 -           -\n",
    ] {
        assert!(said.contains(row), "{row}: {said}");
    }
}

#[test]
fn the_lessons_do_not_depend_on_threads() {
    let folder = tournament();
    let of = |threads: &str| review(&[path(&folder), "--json", "--threads", threads], "").stdout;
    let one = of("1");
    assert_eq!(String::from_utf8(one.clone()).unwrap(), String::from_utf8(of("3")).unwrap());
    let report: Value = serde_json::from_slice(&one).unwrap();
    assert_eq!(
        (&report["games"], &report["unread"], &report["lost_below"]),
        (&5.into(), &4.into(), &0.3.into()),
        "{report}"
    );
    // A match record alone, and a player by name.
    let file = folder.path().join("match.jsonl");
    let report: Value =
        serde_json::from_slice(&review(&[file.to_str().unwrap(), "--json", "--player", "RIVAL"], "").stdout).unwrap();
    assert_eq!((&report["games"], report["lost"].as_array().map(Vec::len)), (&3.into(), Some(1)), "{report}");
}

/// The tags of an SVG file, checked to nest.
fn tags(svg: &str) -> Vec<&str> {
    let (mut tags, mut open, mut rest) = (Vec::new(), Vec::new(), svg);
    while let Some((text, tail)) = rest.split_once('<') {
        assert!(!text.contains('>') && text.split('&').skip(1).all(|entity| entity.contains(';')), "{text}");
        let (tag, tail) = tail.split_once('>').unwrap();
        let name = tag.split_whitespace().next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if !tag.ends_with('/') => open.push(name),
            None => {}
        }
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        tags.push(tag);
        rest = tail;
    }
    assert!(open.is_empty() && !tags.is_empty(), "{open:?}");
    tags
}

/// The value of an attribute.
fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
    tag.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap()
}

#[test]
fn the_board_of_each_lost_game_is_drawn_as_it_turned() {
    let folder = tournament();
    let pictures = folder.path().join("pictures/new");
    review(&[path(&folder), "--svg", pictures.to_str().unwrap()], "");
    let mut names: Vec<String> =
        std::fs::read_dir(&pictures).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["001_match_jsonl_game_0.svg", "002_match_jsonl_game_2.svg", "003_inside_two_sgf_game_1.svg"]);
    for name in &names {
        tags(&std::fs::read_to_string(pictures.join(name)).unwrap());
    }
    let svg = std::fs::read_to_string(pictures.join(&names[0])).unwrap();
    assert!(svg.contains("match.jsonl game 0: Tengen (white) lost"), "{svg}");
    assert!(svg.contains("move 8, O o1, better ") && svg.contains("(+): 100 % to 0 %"), "{svg}");
    // The ring is around the stone with the number of the move, in the lower right corner; there are eight stones.
    let tags = tags(&svg);
    let circles: Vec<&str> = tags.into_iter().filter(|tag| tag.starts_with("circle")).collect();
    let ringed = |color: &str| circles.iter().find(|tag| attribute(tag, "stroke") == color).unwrap();
    let (played, better) = (ringed("#CD2828"), ringed("#14823C"));
    let place = |tag: &str| [attribute(tag, "cx").to_owned(), attribute(tag, "cy").to_owned()];
    let count = |fill: &str| circles.iter().filter(|tag| attribute(tag, "fill") == fill).count();
    assert_eq!((count("#2D2A28"), count("#FCFBF8")), (4, 4));
    let farthest = |name: &str| circles.iter().map(|tag| attribute(tag, name).parse::<u32>().unwrap()).max().unwrap();
    assert_eq!(place(played), [farthest("cx").to_string(), farthest("cy").to_string()]);
    assert_ne!(place(played), place(better));
    let [x, y] = place(played);
    let number = svg.split_once(&format!("<text x=\"{x}\" y=\"{y}\"")).unwrap().1;
    assert_eq!(number.split(['>', '<']).nth(1).unwrap().trim(), "8");
}

#[test]
fn what_holds_no_lost_game_of_the_player_is_said_in_one_line() {
    let empty = folder(&[("notes.txt", "no game")]);
    let others = folder(&[("a.psq", &psq(&BLUNDER, "Rival", "Other"))]);
    let file = others.path().join("a.psq");
    for (arguments, reason) in [
        (&[path(&empty)][..], "no record of a game"),
        (&[path(&others)], "no game of a player with 'tengen' in its name; players: Other, Rival"),
        (&[file.to_str().unwrap(), "--player", "Other"], "are for a folder, a .jsonl file or"),
        // Bug: the error was about the option.
        (&["nosuchfolder/", "--player", "Other"], "nosuchfolder/: there is no such file or folder"),
        (&["nosuchfolder/"], "cannot read nosuchfolder/: there is no such file"),
        (&[path(&others), "--from-move", "0"], "counted from 1"),
    ] {
        let output = review(arguments, "");
        let error = String::from_utf8(output.stderr).unwrap();
        let is_one_line = error.matches('\n').count() == 1;
        assert!(output.status.code() == Some(2) && is_one_line && error.contains(reason), "{arguments:?}: {error}");
    }
    let won = folder(&[("a.psq", &psq(&BLUNDER, "Tengen", "Other"))]);
    assert_eq!(text(&[path(&won)], ""), "tengen lost 0 of 1 games.\n");
}
