//! `play` through a pipe: a game, undo, hint, levels, rules, and everything that can be mistyped.

use std::process::Output;

fn run(arguments: &[&str], input: &[u8]) -> Output {
    crate::common::brain(&[&["play"], arguments].concat(), input)
}

/// The output for these input lines.
fn play(arguments: &[&str], lines: &[&str]) -> String {
    let output = run(arguments, (lines.join("\n") + "\n").as_bytes());
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The moves printed last.
fn moves(said: &str) -> &str {
    let is_moves = |line: &&str| line.chars().all(|c| c.is_ascii_alphanumeric()) && line.contains(char::is_numeric);
    said.lines().map(|line| line.trim_start_matches(['X', 'O', '>', ' '])).rfind(is_moves).unwrap_or("")
}

#[test]
fn a_game_in_a_few_lines() {
    let said = play(&["--seed", "1", "--level", "regular"], &["h8", "moves", "quit"]);
    assert!(said.starts_with("freestyle, 15x15, level 40, seed 1. You are black (X)."), "{said}");
    assert!(said.contains("\nX> O plays "), "{said}");
    let game = moves(&said);
    assert!(game.starts_with("h8") && game.len() >= 4, "{said}");
    // The same seed plays the same game.
    assert_eq!(moves(&play(&["--seed", "1"], &["h8", "moves"])), game);
    // As white, the engine begins in the middle.
    let said = play(&["--white", "--size", "9"], &["moves"]);
    assert!(said.contains("X plays e5\n") && said.contains("  5 . . . .(X). . . .\n"), "{said}");
}

#[test]
fn undo_go_and_new() {
    let said = play(&["--seed", "1"], &["h8", "undo", "moves", "undo", "go", "moves", "new white renju", "moves"]);
    assert!(said.contains("X> taken back: h8 "), "{said}");
    assert!(said.contains("you have not played yet"), "{said}");
    assert!(said.contains("X> X plays h8\n"), "the engine takes over: {said}");
    assert!(said.contains("renju, 15x15, level 40, seed 2. You are white (O)."), "{said}");
    assert_eq!(moves(&said), "h8");
}

#[test]
fn somebody_wins_and_may_take_it_back() {
    let lines = ["h8", "a15", "moves", "undo", "moves"];
    let said = play(&["--from", "d8a1e8a3f8c1g8e1"], &lines);
    assert!(said.contains("X wins with h8. Type new, undo"), "{said}");
    assert!(said.contains("The game is over. Type new, undo"), "{said}");
    assert!(said.contains("taken back: h8\n"), "{said}");
    assert_eq!(moves(&said), "d8a1e8a3f8c1g8e1");
    let said = play(&["--level", "50", "--from", "d8a1e8b1f8c1"], &["o15"]);
    assert!(said.contains("O plays c8\n") || said.contains("O plays g8\n"), "an open three is stopped: {said}");
}

/// Bug: after the engine had won, `go` gave the user the winner's colour, and `undo` took back the engine's move only.
#[test]
fn go_after_the_end_keeps_the_sides() {
    let position = ["--level", "full", "--ms", "200", "--from", "d8a1e8b1f8c1o15d1"];
    let said = play(&position, &["o13", "go", "undo"]);
    assert!(said.contains("O wins with e1. Type new, undo"), "{said}");
    assert!(said.contains("The game is over. Type new, undo"), "{said}");
    assert!(said.contains("taken back: o13 e1\n"), "{said}");
}

/// Bug: after `go` had changed the sides, `undo` took back moves of the engine and then said that the user had not played.
#[test]
fn undo_finds_the_users_move_after_the_sides_changed() {
    let said =
        play(&["--seed", "1", "--level", "10", "--ms", "50"], &["h8", "go", "undo", "moves", "i9", "undo", "undo"]);
    assert!(said.contains("taken back: h8 ") && said.contains("taken back: i9 "), "{said}");
    assert!(said.ends_with("you have not played yet\nX> \n"), "{said}");
}

/// Bug: `save` replaced any file.
#[test]
fn only_a_record_is_replaced_by_a_record() {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("notes.txt");
    std::fs::write(&file, "my notes\n").unwrap();
    let said = play(&[], &[&format!("save {}", file.display())]);
    assert!(said.contains("the file exists and is not a Piskvork file"), "{said}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "my notes\n");
}

/// Bug: a draw under renju was called a full board, though 25 points are empty then.
#[test]
fn a_renju_draw_is_not_called_a_full_board() {
    let said = play(&["--rule", "renju", "--size", "5"], &["c3"]);
    assert!(said.contains("A draw: no more stones may be played. Type new, undo"), "{said}");
    let output = run(&["--from", "(;SZ[5]RU[renju]AB[aa])"], b"");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("the game is over: it is drawn"), "{error}");
}

/// Bug: the seed of the next game overflowed.
#[test]
fn the_seed_after_the_largest_is_zero() {
    let said = play(&["--seed", &u64::MAX.to_string()], &["new"]);
    assert!(said.contains("level 40, seed 0. You are black"), "{said}");
}

#[test]
fn hints_are_the_best_there_is() {
    let said = play(&["--level", "0", "--ms", "200", "--from", "d8a1e8a3f8c1"], &["hint", "level 60", "level full"]);
    assert!(
        said.contains("X> hint: g8, it wins in at most 3 plies;")
            || said.contains("X> hint: c8, it wins in at most 3 plies;"),
        "{said}"
    );
    assert!(said.contains("\nX> level 60\n") && said.contains("\nX> level 100\n"), "{said}");
}

#[test]
fn renju_is_taught() {
    let game = ["--rule", "renju", "--level", "20", "--from", "h6a1h7o15g8a15i8o1"];
    let said = play(&game, &["h8", "why h8", "why a8", "moves"]);
    assert!(said.contains("  8 . . . . . . X ! X . . . . . .\n"), "{said}");
    assert_eq!(said.matches("h8 is forbidden: double three, two real threes at once.\n").count(), 2, "{said}");
    assert!(said.contains("> a8 is legal.\n"), "{said}");
    assert_eq!(moves(&said), "h6a1h7o15g8a15i8o1");
    assert!(play(&[], &["why h8"]).contains("only renju has forbidden points"));
}

#[test]
fn games_are_saved_for_the_review() {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("played.psq");
    let save = format!("save {}", file.display());
    let said = play(&["--from", "h8i9"], &["save", &save]);
    assert!(said.contains("save needs a file name") && said.contains("saved to "), "{said}");
    let saved = std::fs::read_to_string(file).unwrap();
    assert_eq!(saved, "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,7,0\nperson\nTengen level 40\n0\n");
}

/// Bug: set-up stones were judged as moves in the order in which the file lists them: black's last one made a double three, and
/// "the game was over".
#[test]
fn a_game_may_start_from_a_set_up_position() {
    let position = "(;SZ[15]RU[renju]AB[hf][hg][fh][gh][hh]AW[aa][oa][ao][oo])";
    let said = play(&["--from", position, "--level", "50", "--white"], &["i8", "moves", "undo", "moves"]);
    assert!(said.starts_with("renju, 15x15, level 50, seed "), "{said}");
    assert!(said.contains("  8 . . . . . X X X O . . . . . .\n"), "{said}");
    let file = "(;FF[4]GM[4]CA[UTF-8]SZ[15]RU[4]AB[hf][hg][fh][gh][hh]AW[aa][oa][ao][oo]PL[W]";
    assert!(said.contains(&format!("{file};W[ih];B[")) && said.contains(&format!("O> {file})\n")), "{said}");
    // White has fewer stones, so it is white's turn, which is the engine's.
    let said = play(&["--from", position, "--level", "50"], &["moves", "undo"]);
    assert!(said.contains("\nO plays ") && said.contains(&format!("{file};W[")), "{said}");
    assert!(said.contains("you have not played yet"), "{said}");
    // Such a game can only be saved as SGF, and the file can be continued.
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (psq, sgf) = (folder.join("set-up.psq"), folder.join("set-up.sgf"));
    let saves = [format!("save {}", psq.display()), format!("save {}", sgf.display())];
    let said = play(&["--from", position, "--white"], &[&saves[0], "i8", &saves[1]]);
    assert!(said.contains("a Piskvork file holds moves only") && said.contains("set-up.sgf"), "{said}");
    let said = play(&["--from", sgf.to_str().unwrap(), "--white"], &["moves"]);
    assert!(said.contains(&format!("O> {file};W[ih];B[")), "{said}");
    // Nobody can play on a dead square.
    let picture = folder.join("dead.txt");
    std::fs::write(&picture, ".....\n.X#..\n.....\n.....\n.....\n").unwrap();
    let said = play(&["--from", picture.to_str().unwrap(), "--level", "30"], &["c4", "moves"]);
    assert!(
        said.lines().any(|row| row.starts_with("  4") && row.contains("X #")) && said.contains("\nO plays "),
        "{said}"
    );
    assert!(said.contains("c4 is not empty") && said.contains("SGF cannot express dead squares"), "{said}");
}

/// Rows count from below where people type and read; in a Piskvork file they count from above.
#[test]
fn rows_count_from_below() {
    let board = "  8 . . . . . . .(X). ";
    let said = play(&["--size", "20", "--from", "h8", "--white"], &["moves"]);
    assert!(said.contains("\n 20 . . ") && said.contains(board) && said.contains("\n  1 . . "), "{said}");
    assert!(said.find("\n 20 ") < said.find(board) && said.find(board) < said.find("\n  1 "), "{said}");
    assert_eq!(moves(&said), "h8");
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rows.psq");
    let path = file.to_str().unwrap();
    play(&["--size", "20", "--from", "h8", "--white"], &[&format!("save {path}")]);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("Piskvorky 20x20, 0:0, 0\n8,13,0\n"));
    let said = play(&["--from", path, "--white"], &["moves"]);
    assert!(said.contains(board) && moves(&said) == "h8", "{said}");
    let said = play(&["--from", "(;SZ[20];B[hm])", "--white"], &["moves"]);
    assert!(said.contains(board) && moves(&said) == "h8", "{said}");
    let said = play(&["--from", "(;SZ[19];B[hm])", "--white"], &["moves"]);
    assert!(said.contains("  7 . . . . . . .(X). ") && moves(&said) == "h7", "{said}");
}

#[test]
fn mistypings_change_nothing() {
    let wrong =
        ["", "z99", "h8 h9", "h8h9", "play", "level", "level 200", "new chess", "save /no/such/folder/x", "why", "é8"];
    let said = play(&["--from", "h8i9"], &[&wrong[..], &["h8", "moves"]].concat());
    assert_eq!(moves(&said), "h8i9", "{said}");
    assert!(said.contains("h8 is not empty\n") && said.contains("'z99'? Type a move such as h8, or help"), "{said}");
    assert!(play(&[], &["help"]).contains("undo        take back your last move"));
    let output = run(&[], b"\xff\xfe\x00\nh8\xff\nmoves");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    for (arguments, reason) in [
        (&["--level", "101"][..], "unknown level"),
        (&["--rule", "chess"], "unknown rule"),
        (&["--size", "4"], "5 to 22"),
        (&["--from", "h8h8"], "is there already"),
        (&["--from", "d8a1e8a3f8c1g8e1h8"], "the game is over after h8"),
        (&["--from", "(;RU[renju]AB[hf][hg][fh][gh];W[aa];B[hh])"], "the game is over after h8"),
        (&["--from", "(;AB[dd][ed][fd][gd][hd]AW[aa])"], "the game is over: d12 is part of a winning row"),
        (&["--from", "(;SZ[5]AB[aa:ee])"], "the game is over"),
        (&["--sizes"], "sizes"),
    ] {
        let output = run(arguments, b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(reason), "{arguments:?}: {error}");
        assert_eq!(error.matches('\n').count(), 1, "{error}");
    }
}

#[test]
fn whole_games_end_under_every_rule() {
    // The engine plays both sides: each `go` changes sides.
    for rule in ["freestyle", "standard", "renju", "caro", "caro-exact"] {
        let lines = vec!["go"; 64];
        let said = play(&["--rule", rule, "--size", "7", "--level", "30", "--seed", "5"], &lines);
        let is_over = said.contains(" wins with ") || said.contains("A draw: no more stones may be played.");
        assert!(is_over && !said.contains("loses"), "{rule}: {said}");
    }
}

/// Bug: `undo` took back the stones that a tournament had imposed, and the file that was saved did not tell them from moves.
#[test]
fn imposed_stones_stay_and_are_saved_as_such() {
    let game = "(;SZ[15]RU[Japanese];B[hh]C[opening move];W[aa]C[opening move];B[ih]C[9ms];W[];B[oo]C[9ms])";
    let said = play(&["--from", game, "--white"], &["moves"]);
    let remarks = "The rule 'Japanese' of the record is not known: read as freestyle, --rule names another.\n\
        The play begins with move 3: the comments say that the 2 moves before it belong to the opening.\n\
        A pass: white does not play after move 3, and black moves next.\nfreestyle, 15x15,";
    assert!(said.starts_with(remarks), "{said}");
    let game = "(;SZ[15];B[hh]C[opening move];W[aa]C[opening move];B[ih]C[9ms])";
    let said = play(&["--from", game, "--white"], &["undo", "moves"]);
    assert!(said.contains("you have not played yet") && moves(&said) == "h8a15i8", "{said}");
    let sgf = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("imposed.sgf");
    let said = play(&["--from", game], &["undo", "undo", &format!("save {}", sgf.display())]);
    assert!(said.contains("taken back: i8 ") && said.contains("you have not played yet"), "{said}");
    let saved = std::fs::read_to_string(sgf).unwrap();
    assert!(saved.contains("IMPOSED[2]") && saved.ends_with(";B[hh];W[aa])\n"), "{saved}");
    // Several games are not one.
    let output = run(&["--from", "(;B[hh])(;B[ii])"], b"");
    assert!(String::from_utf8(output.stderr).unwrap().contains("there are 2 games: one is expected here"));
}
