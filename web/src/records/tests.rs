//! Records that are read and written, and what of them comes back.

use super::*;

fn text(text: &str) -> Source {
    Source::Text(text.to_owned())
}

fn read_text(record: &str) -> Result<Value> {
    read(&text(record), None, 0)
}

fn game(record: &str) -> Tree {
    serde_json::from_value(read_text(record).unwrap()["game"].clone()).unwrap()
}

fn shape(tree: &Tree) -> Vec<(usize, Option<usize>)> {
    tree.nodes.iter().map(|node| (node.point, node.parent)).collect()
}

#[test]
fn a_finished_game_is_written_with_its_result() {
    let five = "B[hh];W[aa];B[ih];W[ab];B[jh];W[ac];B[kh](;W[ad];B[lh])(;W[lh])";
    let result = |record: &str| {
        let written = write(SaveFormat::Sgf, &game(record)).unwrap();
        written.split_once("RE[").and_then(|(_, rest)| Some(rest.split_once(']')?.0.to_owned()))
    };
    assert_eq!(result(&format!("(;SZ[15]PB[a];{five})")).as_deref(), Some("B+"));
    assert_eq!(result("(;SZ[15];B[hh];W[aa](;B[ih])(;B[jh]))"), None, "it goes on");
    // Where the board does not decide, the record does: its player resigned.
    assert_eq!(result("(;SZ[15]RE[W+R];B[hh];W[aa])").as_deref(), Some("W+"));
    assert_eq!(result("(;SZ[15]RE[Draw];B[hh];W[aa])").as_deref(), Some("0"));
    assert_eq!(result(&format!("(;SZ[15]RE[W+R];{five})")).as_deref(), Some("B+"));
    let late = Tree { late: true, ..game("(;SZ[15]RE[W+T];B[hh];W[aa])") };
    assert!(
        write(SaveFormat::Sgf, &late).unwrap().contains("RE[W+T]"),
        "Bug: without the T nothing says why the game ended"
    );
    // Black's overline is a foul.
    let row = "B[hh];W[aa];B[ih];W[ac];B[jh];W[ae];B[lh];W[ag];B[mh];W[ai]";
    assert_eq!(result(&format!("(;SZ[15]RU[renju];{row};B[nh];W[ak];B[kh])")).as_deref(), Some("W+"));
}

#[test]
fn variations_become_a_tree_and_come_back() {
    let text = "(;SZ[15]RU[renju]PB[a\\]b];B[hh](;W[ii];B[jj](;W[kk])(;W[ll]))(;W[gg]C[not ) here];C[a\\]b]B[aa]))";
    let tree = game(text);
    let at = |x: usize, y: usize| y * 15 + x;
    let expected = vec![
        (at(7, 7), None),
        (at(8, 8), Some(0)),
        (at(9, 9), Some(1)),
        (at(10, 10), Some(2)),
        (at(11, 11), Some(2)),
        (at(6, 6), Some(0)),
        (at(0, 0), Some(5)),
    ];
    assert_eq!(shape(&tree), expected);
    assert_eq!((tree.position.rule, tree.players[0].as_str()), (4, "a]b"));
    let written = write(SaveFormat::Sgf, &tree).unwrap();
    let expected_text = ";B[hh](;W[ii];B[jj](;W[kk])(;W[ll]))(;W[gg]C[not ) here];B[aa]C[a\\]b]))";
    assert!(written.contains(expected_text), "{written}");
    assert_eq!(shape(&game(&written)), expected);
}

#[test]
fn a_text_in_another_encoding_is_read() {
    // In this encoding the second byte of a character looks like a bracket.
    let bytes = [&b"(;SZ[15]CA[GBK]PB["[..], &[0xb5, 0x5d], &b"];B[hh];W[ii])"[..]].concat();
    assert_eq!(charset(&bytes).as_deref(), Some("gbk"));
    let game = read(&Source::Bytes(bytes), None, 0).unwrap()["game"].clone();
    assert_eq!(shape(&serde_json::from_value(game).unwrap()), [(112, None), (128, Some(0))]);
    assert!(read(&Source::Bytes(vec![0xff, 0xfe, 1, 2]), None, 0).is_err());
    // The second byte of a character that looks like an escape, in a text that does not name its encoding.
    let bytes = [&b"(;SZ[15]PB["[..], &[0xa5, 0x5c], &b"];B[hh];W[ii])"[..]].concat();
    assert_eq!(charset(&bytes), None);
    let game = read(&Source::Bytes(bytes), None, 0).unwrap()["game"].clone();
    assert_eq!(shape(&serde_json::from_value(game).unwrap()), [(112, None), (128, Some(0))]);
}

#[test]
fn each_game_of_a_file_is_listed_and_read() {
    let file = text(
        "Games (of today):\n(;SZ[15]PB[a]RE[W+5]RU[renju];B[hh];W[ii](;B[jj])(;B[kk]))(;SZ[40])(;SZ[20:15];B[aa])",
    );
    let games = games(&file, None);
    let [first, second, third] = games.as_array().unwrap().as_slice() else { panic!("{games}") };
    assert_eq!((&first["players"][0], &first["moves"], &first["rule"]), (&json!("a"), &json!(3), &json!(4)));
    assert_eq!((&first["winner"], &second["winner"]), (&json!(1), &Value::Null));
    assert!(second["error"].as_str().unwrap().contains("40"), "{second}");
    assert_eq!((&third["width"], &third["height"]), (&json!(20), &json!(15)));
    let tree = |number| read(&file, None, number).map(|read| read["game"]["nodes"].as_array().unwrap().len());
    assert_eq!((tree(0).unwrap(), tree(2).unwrap()), (4, 1));
    assert!(tree(1).is_err() && tree(3).is_err());
}

/// Bug: a rule that the reader does not know was read as freestyle without a word.
#[test]
fn an_unknown_rule_is_reported() {
    let rule = |record| {
        let read = read_text(record).unwrap();
        (read["rule"].clone(), read["unknown_rule"].clone())
    };
    assert_eq!(rule("(;SZ[15]RU[Ninuki];B[hh])"), (Value::Null, json!("Ninuki")));
    assert_eq!(rule("(;SZ[15]RU[renju];B[hh])"), (json!(4), Value::Null));
    assert_eq!(rule("(;SZ[15];B[hh])"), (Value::Null, Value::Null));
}

#[test]
fn moves_that_do_not_fit_on_the_board_get_a_larger_one() {
    let side = |board| read(&text("h8 t20"), board, 0).map(|read| read["game"]["position"]["width"].clone());
    assert_eq!((side(Some((22, 20))).unwrap(), side(Some((15, 15))).unwrap()), (json!(22), json!(20)));
}

/// Bugs: an SGF without a size was listed on the board of the page and opened on another one; a text with carriage returns as line
/// ends was an empty board.
#[test]
fn a_game_is_opened_as_it_was_listed() {
    let sgf = text("(;GM[4];B[pd];W[dp])");
    let listed = games(&sgf, Some((19, 19)))[0]["width"].clone();
    let read = |source: &Source, board| read(source, board, 0).map(|read| read["game"].clone()).unwrap();
    assert_eq!((listed, read(&sgf, Some((19, 19)))["position"]["width"].clone()), (json!(19), json!(19)));
    assert_eq!(read(&text("(;GM[4];B[cc];W[dd])"), None)["position"]["width"], json!(15));
    let piskvork = text("Piskvorky 15x15, 11:11, 0\r8,8,0\r9,9,5\ra\rb\r");
    assert_eq!(read(&piskvork, None)["nodes"].as_array().unwrap().len(), 2);
}

#[test]
fn what_a_review_said_comes_back_and_nonsense_does_not() {
    let worth = |chance| wire::Worth { chance, plies: None, line: vec![98, 99] };
    let judged = Judged {
        point: 112,
        color: 0,
        mark: "mistake".to_owned(),
        before: worth(0.7),
        after: worth(0.4),
        missed: None,
        allowed: Some(7),
    };
    let mut tree = game("(;SZ[15]C[the final];B[hh]C[why? a\\]b];W[ii])");
    assert_eq!((tree.comment.as_str(), tree.nodes[0].comment.as_str()), ("the final", "why? a]b"));
    tree.nodes[0].judged = Some(judged.clone());
    let written = write(SaveFormat::Sgf, &tree).unwrap();
    assert!(written.contains("BM[1]JUDGED[{"), "{written}");
    let back = game(&written);
    assert_eq!((back.comment, &back.nodes[0].comment), (tree.comment.clone(), &tree.nodes[0].comment));
    assert_eq!(back.nodes[0].judged, Some(judged));
    for (from, to) in [("\"mistake\"", "\"great\""), ("98", "225"), ("0.7", "7"), ("\"point\":112", "\"point\":111")] {
        assert!(written.contains(from));
        assert_eq!(game(&written.replace(from, to)).nodes[0].judged, None, "{to}");
    }
}

/// Bug: after a pass, or two moves of one colour in a row, no comment and no judgement of the game was read.
#[test]
fn comments_after_a_pass_are_read() {
    for pass in ["W[]", "B[oo]"] {
        let tree = game(&format!("(;SZ[15];B[hh]C[a];{pass};B[ii]C[b];W[jj]C[c])"));
        let comments: Vec<&str> = tree.nodes.iter().map(|node| node.comment.as_str()).collect();
        assert_eq!(comments, ["b", "c"], "{pass}");
    }
}

/// Bug: a property such as `C1`, which means nothing to the library, was a comment or a move for the page.
#[test]
fn properties_have_the_names_that_the_library_reads() {
    let tree = game("(;SZ[15]C1[x];B[hh]C[a]2[y];W1[aa]C[z];W[ii]C1[x]C2[y];B[jj]Comment[b])");
    let comments: Vec<&str> = tree.nodes.iter().map(|node| node.comment.as_str()).collect();
    assert_eq!((tree.comment.as_str(), &comments[..]), ("", &["a", "", "b"][..]));
}

/// Bug: the stones of a setup were written as moves in turn, and most came back in the other colour.
#[test]
fn a_setup_is_not_written_as_moves() {
    let saved = |format, record| {
        let mut tree = game(record);
        tree.position.moves = tree.nodes.iter().map(|node| node.point).collect();
        write(format, &tree)
    };
    for format in [SaveFormat::Psq, SaveFormat::Moves] {
        for record in ["(;SZ[15]AB[hh][ii]AW[jj];W[gg])", "(;SZ[15];B[hh];W[];B[ii])", "(;SZ[15];W[hh])"] {
            let error = saved(format, record).unwrap_err().to_string();
            assert!(error.contains("save as SGF"), "{error}");
        }
        assert!(saved(format, "(;SZ[15]AB[hh]AW[ii];B[jj])").is_ok(), "the colours are those of moves");
    }
}

#[test]
fn other_formats_come_back_too() {
    let tree = game("h8 i9 j10");
    let line = Tree { position: Position { moves: vec![112, 98, 84], ..tree.position.clone() }, ..tree.clone() };
    for format in [SaveFormat::Psq, SaveFormat::Moves] {
        assert_eq!(shape(&game(&write(format, &line).unwrap())), shape(&tree));
    }
    assert_eq!(game("(;SZ[15]AB[hh]AW[ii];B[jj])").position.setup, vec![(112, 1), (128, 2)]);
    assert!(read_text("hello").is_err() && read_text("(;SZ[15];B[hh];W[hh])").is_err() && read_text("").is_err());
}

/// Bug: variations that a tree of moves does not hold were left out without a word.
#[test]
fn variations_that_are_left_out_are_counted() {
    let notes = |record: &str| read(&text(record), None, 0).unwrap()["notes"].clone();
    assert_eq!(notes("(;SZ[15];B[hh](;W[ii];B[jj])(;W[gg]))"), json!([]));
    let said = notes("(;SZ[15];B[hh](;W[ii];B[jj])(;W[];B[gg])(;AW[aa];B[gg]))");
    assert!(said.as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains("left out, because")), "{said}");
    assert!(said.to_string().contains(": 2."), "{said}");
}

/// Bug: the remarks that each variation repeats counted as moves, and a game that the page had saved could not be opened.
#[test]
fn remarks_do_not_limit_the_variations() {
    let remark = "x".repeat(100_000);
    let variations: String =
        "abcdefgh".chars().flat_map(|x| "abcdefgh".chars().map(move |y| format!("(;W[{x}{y}])"))).collect();
    let read = read(&text(&format!("(;SZ[15]C[{remark}];B[oo]{variations})")), None, 0).unwrap();
    assert_eq!(read["game"]["nodes"].as_array().unwrap().len(), 65);
}

/// The stones before the play began are no one's moves.
#[test]
fn a_record_says_how_many_stones_its_opening_has() {
    let written = |record: &str| write(SaveFormat::Sgf, &game(record)).unwrap();
    for (record, opening) in
        [("(;SZ[15];B[hh];W[ii];B[jj])", 0), ("(;SZ[15]ON[book];B[hh]C[book];W[ii]C[book];B[jj])", 2)]
    {
        assert_eq!((game(record).opening, game(&written(record)).opening), (opening, opening), "{record}");
        assert_eq!(written(record).contains("IMPOSED[2]"), opening == 2);
    }
}
