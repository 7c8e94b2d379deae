//! All formats through the one entrance, and what they have in common.

use super::*;
use crate::base::Color::{Black, White};
use crate::base::{Cell, Point, Rule};
use crate::tools::{drawing, point_names};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

fn moves(game: &GameFile) -> String {
    point_names::names(game.moves().expect("moves from the empty board"), game.size, "")
}

/// The sections, each as its stones, who is first, and its moves.
fn sections(text: &str) -> String {
    let game = parse(text, None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
    let sign = |cell: Cell| match cell {
        Cell::Black => 'X',
        Cell::White => 'O',
        Cell::Wall => '#',
        Cell::Empty => '.',
    };
    let name = |point: Point| point_names::name(point, game.size);
    let sections = game.sections().map(|section| {
        let mut setup: Vec<String> =
            section.setup.iter().map(|&(point, cell)| format!("{}{}", sign(cell), name(point))).collect();
        setup.sort();
        let moves = point_names::names(&section.moves, game.size, " ");
        format!("{}|{}|{moves}", setup.join(" "), sign(section.first.into()))
    });
    sections.collect::<Vec<_>>().join(" / ")
}

#[test]
fn what_is_set_up_is_a_position_and_what_is_played_are_moves() {
    for (text, expected) in [
        // A position only; white is to move, because white has fewer stones.
        ("(;SZ[15]RU[renju]AB[hf][hg][fh][gh][hh]AW[aa][oa][ao][oo])", "Oa1 Oa15 Oo1 Oo15 Xf8 Xg8 Xh10 Xh8 Xh9|O|"),
        ("(;SZ[15]AB[hh][ao]\nAW[ii];B[aa])", "Oi7 Xa1 Xh8|X|a15"),
        ("(;SZ[15]AB[hh]AW[ii])", "Oi7 Xh8|X|"),
        ("(;SZ[15]AB[hh]AW[ii]PL[W])", "Oi7 Xh8|O|"),
        ("(;SZ[15]PL[white]AW[ii])", "Oi7|O|"),
        ("(;SZ[15]AB[hh];PL[B];B[jj])", "Xh8|X|j6"),
        // A move names its colour.
        ("(;SZ[15]AB[hh]PL[W];B[jj];W[kk])", "Xh8|X|j6 k5"),
        // Within a node, set-up stones come before moves.
        ("(;SZ[15];B[jj]AB[hh]AW[ii])", "Oi7 Xh8|X|j6"),
        // Set up between moves.
        ("(;SZ[15];B[hh];W[ii];AE[hh]AB[jj]AW[aa];B[bb])", "|X|h8 i7 / Oa15 Oi7 Xj6|X|b14"),
        ("(;SZ[15];B[hh];AB[jj][kk];AE[jj:kk])", "|X|h8 / Xh8|O|"),
        ("(;SZ[15]AB[hh];AW[hh])", "Oh8|X|"),
        // Rectangles, rectangular boards, empty lists, unknown properties.
        ("(;GM[4]SZ[15:12]XY[1][2]AB[aa:bc]AW[]KO[])", "Xa10 Xa11 Xa12 Xb10 Xb11 Xb12|O|"),
        ("(;SZ[15]AB[c2:b1]AW[o12])", "Oo12 Xb1 Xb2 Xc1 Xc2|O|"),
        // A colour that plays twice, in one property or in two; a pass.
        ("(;SZ[15];B[hh];B[ii];W[jj])", "|X|h8 / Xh8|X|i7 j6"),
        ("(;SZ[15];B[hh][ii])", "|X|h8 / Xh8|X|i7"),
        ("(;SZ[15];W[hh];B[ii])", "|O|h8 i7"),
        ("(;SZ[15];B[hh];W[];B[ii];W[])", "|X|h8 / Xh8|X|i7 / Xh8 Xi7|X|"),
        // Odd layouts: blanks, long property names of old versions, text before the game, escapes, no last bracket.
        (" ( ;\r\nSZ [ 15 ] AB [hh]\t[ ii ]\n;W\n[jj]\n)", "Xh8 Xi7|O|j6"),
        ("(;GaMe[4]SiZe[15]AddBlack[hh]White[ii])", "Xh8|O|i7"),
        ("Dear friend,\nhere it is: (;SZ[15];B[hh])", "|X|h8"),
        ("(;SZ[15]PB[\\]\\\\]C[a\\\r\nb ;W[aa\\]];B[hh]", "|X|h8"),
        // A picture, with a dead square.
        ("......\n.X#O..\n.X....\n......\n......", "#c4 Od4 Xb3 Xb4|O|"),
    ] {
        assert_eq!(sections(text), expected, "{text}");
    }
}

#[test]
fn imposed_moves_become_a_position() {
    let psq = "Piskvorky 15x15, 0\n8,8,0\n9,9,0\n1,15,7\n1,1,0\nme\nyou\n0\n";
    let game = parse(psq, None).unwrap();
    assert_eq!((game.start.moves, &game.ms[..]), (2, &[0, 0, 7, 0][..]));
    assert_eq!(parse("Piskvorky 15x15, 0\n8,8,0\n9,9,0\nme\nyou\n0\n", None).unwrap().start.moves, 0, "no times");
    // What is set up, who is first, and how many moves are left in each section.
    let imposed = |text: &str, count: usize| {
        let game = parse(text, None).unwrap().impose(count);
        let first = game.sections().next().unwrap();
        let setup: Vec<Point> = first.setup.iter().map(|&(point, _)| point).collect();
        let left: Vec<usize> = game.sections().map(|section| section.moves.len()).collect();
        (game.imposed, point_names::names(&setup, game.size, ""), first.first, left)
    };
    assert_eq!(imposed("h8i9a1", 0), (0, String::new(), Black, vec![3]));
    assert_eq!(imposed("h8i9a1", 1), (1, "h8".to_owned(), White, vec![2]));
    assert_eq!(imposed("h8i9a1", 9), (3, "h8i9a1".to_owned(), White, vec![0]));
    let passed = "(;SZ[15]AB[hh];W[ii];B[jj];W[];W[kk];B[ll])";
    assert_eq!(imposed(passed, 1), (1, "h8i7".to_owned(), Black, vec![1, 2]));
    assert_eq!(imposed(passed, 2), (2, "h8i7j6".to_owned(), White, vec![2]), "{passed}");
    assert_eq!(imposed(passed, 3), (3, "h8i7j6k5".to_owned(), Black, vec![1]));
}

#[test]
fn the_result_of_a_record_is_read() {
    let outcome = |text: &str| parse(&format!("(;SZ[15]RE[{text}];B[hh])"), None).unwrap().outcome;
    let won = |winner, forfeit| Some(Outcome { winner, forfeit });
    for (text, expected) in [
        ("B+", won(Some(Black), None)),
        ("W+R", won(Some(White), None)),
        ("W+T", won(Some(White), Some(Forfeit::Late))),
        ("b+Forfeit", won(Some(Black), Some(Forfeit::Fault))),
        ("0", won(None, None)),
        ("Draw", won(None, None)),
        ("?", None),
        ("", None),
        ("White wins", None),
    ] {
        assert_eq!(outcome(text), expected, "{text}");
    }
}

#[test]
fn every_game_of_a_collection_is_found() {
    let text = "Dear (friend),\n(;SZ[15];B[hh]C[(;\\])];W[ii](;B[jj])(;B[kk]))\n( ;SZ[15];B[aa])(;B[bb";
    let games = sgf::games(text);
    assert_eq!(games.len(), 3, "{games:?}");
    assert_eq!(moves(&parse(games[0].text, None).unwrap()), "h8i7j6");
    assert_eq!(games[1], Part { line: 3, text: "( ;SZ[15];B[aa])" });
    assert_eq!(games[2].text, "(;B[bb");
    assert_eq!(parse(text, None).unwrap_err().to_string(), "there are 3 games: one is expected here");
    let error = parse_all(text, None)[2].as_ref().unwrap_err().to_string();
    assert_eq!(error, "as SGF: line 3: a value has no closing bracket");
    assert!(sgf::games("(no game)").is_empty());
    // Bug: prose that begins with a bracket was read as a game without moves.
    assert_eq!(moves(&parse("(From a letter.) (;SZ[15];B[hh];W[ii])", None).unwrap()), "h8i7");
    assert!(parse("(no game)", None).is_err());
}

#[test]
fn files_in_other_encodings_lose_no_move() {
    let mut shift_jis = b"(;CA[Shift_JIS]SZ[15]PB[".to_vec();
    // The second byte of these characters is a backslash, and a bracket.
    shift_jis.extend(b"\x95\x5c]C[\x83\x5d\xb1];B[hh];W[ii])");
    let game = parse(&decode(&shift_jis), None).unwrap();
    assert_eq!((moves(&game).as_str(), game.players[0].as_deref()), ("h8i7", Some("\u{fffd}")));
    let gbk = b"(;CA[GBK]SZ[15];B[hh]C[\x81\x5c];W[ii])";
    assert_eq!(moves(&parse(&decode(gbk), None).unwrap()), "h8i7");
    let latin = b"(;SZ[15]PB[Ren\xe9];B[hh])";
    assert_eq!(parse(&decode(latin), None).unwrap().players[0].as_deref(), Some("Ren\u{e9}"));
    assert_eq!(decode("Piskvorky é".as_bytes()), "Piskvorky é");
}

#[test]
fn sgf_that_is_written_reads_back() {
    let names = sgf::Remarks::names(["A]".to_owned(), String::new()]);
    for text in ["(;SZ[15]AB[hh]AW[ii][jj];B[kk];W[aa])", "(;SZ[22:5]AW[ve];W[aa])", "(;SZ[15];B[hh])"] {
        let game = parse(text, None).unwrap();
        let written = sgf::write(Rule::CaroExact, game.size, &game.last, &names).unwrap();
        let again = parse(&written, None).unwrap();
        assert_eq!((again.size, &again.last, again.earlier.len()), (game.size, &game.last, 0), "{written}");
        assert_eq!((again.rule, again.players), (Some(Rule::CaroExact), [Some("A]".to_owned()), None]));
        assert!(!written.contains('\n'));
    }
    let dead = parse("......\n.X#...\n......\n......\n......", None).unwrap();
    assert!(sgf::write(Rule::Freestyle, dead.size, &dead.last, &names).is_err());
}

#[test]
fn sgf_is_cut_into_tokens() {
    use sgf::Token::{Close, Node, Open, Property, Unclosed};
    let property =
        |name: &str, values: &[&str]| Property(name.into(), values.iter().map(|&value| value.into()).collect());
    let tokens: Vec<_> = sgf::tokens("(;AddBlack[a]\n[\\]] C1[)])C[").collect();
    let expected = [
        (0, Open),
        (1, Node),
        (14, property("AB", &["a", "]"])),
        (21, property("", &[")"])),
        (24, Close),
        (26, Unclosed),
    ];
    assert_eq!(tokens, expected);
}

/// The reader does not recurse into variations.
#[test]
fn long_and_deep_files_are_read() {
    let deep = format!("{};B[hh]{}", "(;C[x]".repeat(200_000), ")".repeat(200_000));
    assert_eq!(moves(&parse(&deep, None).unwrap()), "h8");
    let long = format!("(;B[hh]{})", ";C[x]".repeat(1_000_000));
    assert_eq!(moves(&parse(&long, None).unwrap()), "h8");
}

#[test]
fn all_formats_read_the_same_game() {
    for text in [
        "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,9,1234\r\n1,15,7\r\nme.exe\r\nyou.exe\r\n0\r\n",
        &decode(b"\xef\xbb\xbfPiskvorky 15x15, 0\n8,8,0\n9, 9, 1\n1,15,7\n"),
        "(;FF[4]GM[4]SZ[15]PB[me]PW[you]RU[renju];B[hh]C[a \\] bracket];W[ii](;B[ao])(;B[aa];W[bb]))",
        "(;SZ[15];B[H8];W[i7];B[a1])",
        "4;15;7,7 8,8 0,14\n",
        "Piskvorky 15x15\n8,8\n9,9\n1,15\nme\nyou\n",
        "\nPISKVORKY 15 x 15\n8,8,0\n9,9,1\n1,15,7\n",
        "Piskvorky 15, 0\n8,8,0\n9,9,1\n1,15,7\n",
        "[Event \"?\"]\n[Black \"me\"]\n[White \"you\"]\n\n1. h8 i7 2. a1 *\n",
        "<game black=\"1\" white=\"2\"><move>h8 i7 a1</move></game>",
        "15\n3\n7 7\n8 8\n14 0\n",
        "8,8 9,9 1,15",
        "h8; i7; a1",
        "# mine\nh8i7a1",
        "1. h8 2. I7 3. A1\n",
        "1.h8 i7\n2.a1",
        "h8, i7, a1",
    ] {
        let game = read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
        assert_eq!((moves(&game).as_str(), game.size), ("h8i7a1", Size::square(15).unwrap()), "{text}");
    }
    let sgf = parse("(;RU[Renju]SZ[15]PB[me]PW[you];B[hh])", None).unwrap();
    assert_eq!((sgf.rule, sgf.players), (Some(Rule::Renju), [Some("me".into()), Some("you".into())]));
    for (name, rule) in [("9", Some(Rule::CaroExact)), ("caro-exact", Some(Rule::CaroExact)), ("japanese", None)] {
        assert_eq!(parse(&format!("(;RU[{name}];B[hh])"), None).unwrap().rule, rule, "{name}");
    }
    let psq = parse("Piskvorky 20x15, 0\n20,15,0\nme\nyou\n0", None).unwrap();
    assert_eq!((psq.size, psq.players), (Size::new(20, 15).unwrap(), [Some("me".into()), Some("you".into())]));
    assert_eq!(parse("h8t20", None).unwrap().size, Size::square(20).unwrap());
    assert_eq!(parse("h8", Size::square(9)).unwrap().size, Size::square(9).unwrap());
}

/// Typed names count rows from below, a Piskvork file and SGF from above; the drawing is the same.
#[test]
fn every_format_is_drawn_the_same_way_up() {
    let drawn = |text: &str, size: Option<Size>| {
        let game = parse(text, size).unwrap_or_else(|error| panic!("{text}: {error:#}"));
        let cells = game.last.cells();
        let cell = |point| cells.iter().find(|(other, _)| *other == point).map_or(Cell::Empty, |&(_, cell)| cell);
        drawing::board(game.size, cell, |_| None, None)
    };
    let odd = "    a b c d e\n  5 . . . . O\n  4 . X . . .\n  3 . . . . .\n  2 . . . . .\n  1 X . . . .\n";
    for text in ["Piskvorky 5x5, 0\n2,2,0\n5,1,0\n1,5,0\n", "(;SZ[5];B[bb];W[ea];B[ae])", "(;SZ[5];B[b4];W[e5];B[a1])"]
    {
        assert_eq!(drawn(text, None), odd, "{text}");
    }
    assert_eq!(drawn("b4e5a1", Size::square(5)), odd);
    assert_eq!(drawn("....O\n.X...\n.....\n.....\nX....", None), odd);
    let even = "    a b c d e f\n  6 . . . . . O\n  5 . X . . . .\n  4 . . . . . .\n  3 . . . . . .\n".to_owned()
        + "  2 . . . . . .\n  1 X . . . . .\n";
    for text in ["Piskvorky 6x6, 0\n2,2,0\n6,1,0\n1,6,0\n", "(;SZ[6];B[bb];W[fa];B[af])", "(;SZ[6];B[b5];W[f6];B[a1])"]
    {
        assert_eq!(drawn(text, None), even, "{text}");
    }
    assert_eq!(drawn("b5f6a1", Size::square(6)), even);
    // A larger board is taken for moves that need one, and its rows count from its own lower edge.
    assert_eq!(
        parse("h8t20", None).unwrap().last.moves,
        point_names::parse("h8t20", Size::square(20).unwrap()).unwrap()
    );
}

/// Bug: each list of a node was kept and compared with all before it, for hours in a file of a megabyte.
#[test]
fn a_point_set_up_again_and_again_is_kept_once() {
    let game = parse(&format!("(;SZ[22]AB{};W[aa])", "[ab:vv]".repeat(20_000)), None).unwrap();
    assert_eq!(game.last.cells().len(), 22 * 21 + 1);
}

#[test]
fn what_is_no_game_is_refused_in_one_line() {
    for (text, reason) in [
        ("", "no moves"),
        ("hello world", "is not a move"),
        ("h8h8", "move 1 is there already"),
        ("h8i99", "is not a move"),
        ("h8é3", "is not a move"),
        ("Piskvorky", "board of 5 to 22"),
        ("Piskvorky 99x99, 0", "board of 5 to 22"),
        ("Piskvorky 15x15, 0\n16,1,0", "line 2: 16,1,0: off the board"),
        ("Piskvorky 15x15, 0\n8,8,0\n8,8,0", "line 3: move 2 at h8: move 1 is there already"),
        // Bug: the stones after a damaged line were left out silently.
        ("Piskvorky 15x15, 0\n8,8,0\n8,x,12\n9,9,7\nme\nyou\n0", "'8,x,12' is not a stone"),
        ("Piskvorky 15x15, 0\n8,8,0\n9,x,7\nme\nyou\n0", "'9,x,7' is not a stone"),
        ("Piskvorky 15x15, 0\n-9223372036854775808,1,0", "off the board"),
        ("(;SZ[40])", "no board of size 40"),
        ("(;SZ[x])", "is not a board size"),
        ("(;SZ[15];B[zz])", "is not a point"),
        ("(;SZ[15];B[tu])", "line 1: move 1: 'tu' is not a point"),
        ("(;SZ[15]\n;B[hh]\n;W[hh])", "line 3: move 2 at h8: move 1 is there already"),
        ("(;SZ[15];B[hh];W[hh])", "move 2 at h8: move 1 is there already"),
        ("(;SZ[15]AB[hh];W[hh])", "move 1 at h8: a set-up stone is there already"),
        ("(;SZ[15]AB[hh]AW[hg:hi])", "AW: 'hg:hi' is set up twice"),
        ("(;SZ[9]AB[aa:jj])", "AB: 'aa:jj' is not a point"),
        ("(;SZ[15]PL[x])", "is not a colour"),
        ("(;SZ[15];B[hh];W[ii", "a value has no closing bracket"),
        ("(;SZ[15][9])", "two board sizes"),
        ("(;SZ[15];B[a-9223372036854775808])", "is not a point"),
        ("4;15;7,7 7,7", "line 1"),
        ("4;15;7,7\n4;15;8,8", "there are 2 games: one is expected here"),
        ("[Black \"A\"]\n\nh8 h99", "as a text with tags: line 3: 'h99' is not a move"),
        ("15\n1\n15 15", "as a saved board: line 3: 15 15 is off the board"),
        ("<game><move>h8h8</move></game>", "line 1: move 2 at h8"),
        ("4;99;7,7", "line 1"),
        ("#\n;", "line 2"),
    ] {
        let error = format!("{:#}", parse(text, None).unwrap_err());
        assert!(error.contains(reason) && !error.contains('\n'), "{text:?}: {error}");
    }
    assert!(parse("h8o15", Size::square(9)).is_err());
}

#[test]
fn garbage_is_never_a_panic() {
    let seeds = [
        "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,1234\n1,15,7\nme\nyou\n0\n",
        "(;FF[4]GM[4]SZ[15]PB[me];B[hh]C[a \\] b];W[ii](;B[ao])(;B[aa]))",
        "4;15;7,7 8,8 0,14\n",
        "1. h8 2. I9 3. A15\n",
    ];
    let bits =
        ["[", "]", "\\", ";", ",", "é", "-", "99999999999999999999", "\n", "x", "#", "(", "h8", "\u{0}", "AB", "PL"];
    let mut random = SmallRng::seed_from_u64(3);
    for _ in 0..20_000 {
        let mut text: Vec<char> = seeds.choose(&mut random).unwrap().chars().collect();
        for _ in 0..random.random_range(1..5) {
            let at = random.random_range(0..text.len());
            let bit = bits.choose(&mut random).unwrap().chars();
            let end = (at + random.random_range(0..3)).min(text.len());
            text.splice(at..end, bit);
        }
        let text: String = text.into_iter().collect();
        if let Err(error) = parse(&text, None) {
            assert!(!format!("{error:#}").contains('\n'), "{text:?}");
        }
    }
}

/// Bug: stones that a runner had imposed were taken for moves of the players, unless a Piskvork file had no times for them.
#[test]
fn one_place_finds_where_the_play_begins_in_every_format() {
    for (text, count, sentence) in [
        // The command-line runner of this field.
        (
            "(;SZ[15];B[hh]C[opening move];W[ii]C[opening move];B[jj]C[465ms];W[kk]C[3ms])",
            2,
            "The play begins with move 3: the comments say that the 2 moves before it belong to the opening.",
        ),
        (
            "(;SZ[15];B[hh];W[ii]C[12ms];B[jj]C[465ms])",
            1,
            "The play begins with move 2: the move before it took no time.",
        ),
        ("(;SZ[15];B[hh]C[465ms];W[ii];B[jj]C[465ms])", 0, "marks no move"),
        // Comments that only speak of the opening.
        ("(;SZ[15];B[hh]C[an opening move];W[ii])", 0, "marks no move"),
        ("(;SZ[15];B[hh];W[ii]C[opening move])", 0, "marks no move"),
        ("(;SZ[15]IMPOSED[2];B[hh]C[3];W[ii];B[jj])", 2, "the record counts the 2 moves before it as imposed."),
        ("(;SZ[15]IMPOSED[9];B[hh];W[ii])", 2, "with move 3: the record counts"),
        ("(;SZ[15]AB[hh]AW[ii]PL[B];B[jj])", 0, "The play begins with move 1: the stones before it are set up."),
        ("(;SZ[15]ON[Kagetsu];B[hh];W[hg];B[jf];W[aa])", 3, "the 3 moves before it are the opening 'Kagetsu'."),
        ("(;SZ[15]ON[h8h9];B[hh];W[hg];B[jf];W[aa])", 2, "the 2 moves before it are the opening 'h8h9'."),
        ("(;SZ[15]ON[h8h7];B[hh];W[hg];B[jf])", 0, "the opening is named 'h8h7', of unknown length."),
        ("(;SZ[15]ON[4D];B[hh];W[hg])", 0, "of unknown length"),
        ("Piskvorky 15x15, 0\n8,8,0\n9,9,0\n1,15,7\n1,1,0\n", 2, "the 2 moves before it took no time."),
        ("Piskvorky 15x15, 0\n8,8,0\n9,9,0\n1,15,0\n", 0, "marks no move"),
        ("Piskvorky 15x15\n8,8\n9,9\n1,15\n", 0, "marks no move"),
        ("[Black \"A\"]\n1. h8 {book} i9 {465ms}", 1, "the comments say that the move before it belongs to"),
        ("[Black \"A\"]\n[Opening \"h8i9\"]\n1. h8 i9 2. j10", 2, "the opening 'h8i9'"),
        ("h8i9", 0, "marks no move"),
    ] {
        let game = parse(text, None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
        let said = game.remarks(None).join(" ");
        assert!(game.start.moves == count && said.contains(sentence), "{text}: {said}");
        let asked = GameFile { start: PlayStart::asked(1), ..game }.remarks(None).join(" ");
        assert!(asked.contains("The play begins with move 2: as asked."), "{asked}");
    }
}

/// Bug: a rule in other words than ours was read as freestyle without a word, one in the bytes of GBK too.
#[test]
fn a_rule_that_is_not_known_is_named_first() {
    let game = parse("(;SZ[15]RU[Japanese\nrules];B[hh])", None).unwrap();
    assert_eq!((game.rule, game.unknown_rule.as_deref()), (None, Some("Japanese rules")));
    let first = |asked| game.remarks(asked).remove(0);
    let named = "The rule 'Japanese rules' of the record is not known: read as ";
    assert_eq!(first(None), format!("{named}freestyle, --rule names another."));
    assert_eq!(first(Some(Rule::Caro)), format!("{named}caro."));
    assert!(parse("(;SZ[15]RU[];B[hh])", None).unwrap().remarks(None)[0].starts_with("The play"));
    for bytes in [&b"(;CA[GBK]RU[\xc1\xac\xd6\xe9];B[hh])"[..], b"(;RU[\xc1\xac\xd6\xe9];B[hh])"] {
        assert_eq!(read(bytes, None).unwrap().rule, Some(Rule::Renju));
    }
    assert_eq!(parse("[Rule \"Standard Gomoku\"]\nh8", None).unwrap().rule, Some(Rule::Standard));
}

/// Bug: passes were left out silently, though another colour moves next.
#[test]
fn passes_are_told() {
    let notes = |text: &str| parse(text, None).unwrap().notes;
    let pass = |color: &str, number: usize, next: &str| {
        format!("A pass: {color} does not play after move {number}, and {next} moves next.")
    };
    for empty in ["", "tt", " "] {
        assert_eq!(
            notes(&format!("(;SZ[15];B[hh];W[{empty}];B[ii];W[{empty}])")),
            [pass("white", 1, "black"), pass("white", 2, "black")]
        );
        assert_eq!(notes(&format!("(;SZ[19];B[{empty}];W[ii])")), [pass("black", 0, "white")]);
    }
    let game = parse("(;SZ[20];B[tt])", None).unwrap();
    assert_eq!((moves(&game).as_str(), game.notes.len()), ("t1", 0), "a point of a large board");
}

#[test]
fn variations_that_are_left_out_are_counted() {
    let notes = |text: &str| parse(text, None).unwrap().notes.join(" ");
    assert_eq!(
        notes("(;SZ[15];B[hh]C[(;)](;W[ii])(;W[jj];B[kk](;W[aa])(;W[bb])))"),
        "The main line is read; the record has 3 lines."
    );
    assert_eq!(notes("(;SZ[15];B[hh](;W[ii]))"), "");
}

#[test]
fn a_library_is_read_as_bytes() {
    let library = [&b"\xffRenLib\xff\x03\x00"[..], &[0xff; 10], &[0x78, 0, 0x69, 0x40]].concat();
    assert_eq!(moves(&read(&library, None).unwrap()), "h8i9");
    let error = read(&library[..22], None).unwrap_err().to_string();
    assert_eq!(error, "as a RenLib library: byte 22: the tree of moves is cut off");
}

#[test]
fn every_game_of_a_file_is_read() {
    for (text, count) in [
        ("0;15;7,7\n# two\n4;15;8,8\n", 2),
        ("[Black \"A\"]\nh8 i9\n[Black \"B\"]\nh8 i10\n", 2),
        ("<game><move>h8</move></game><game><move>h8h8</move></game>", 2),
        ("h8i9\nj10", 1),
    ] {
        assert_eq!(parse_all(text, None).len(), count, "{text}");
    }
    assert_eq!(parse_all("", None).len(), 1);
    let broken = parse_all("<game><move>h8</move></game><game><move>h8h8</move></game>", None);
    assert!(broken[0].is_ok() && broken[1].is_err());
}

/// Bug: a comment or a note with `(;` made an SGF game without stones of positions and of lists of moves.
#[test]
fn remarks_are_no_games() {
    let position = "0;15;7,7 0,0 8,7";
    for text in [format!("# a win (;-)\n{position}"), format!("{position};my note (;)")] {
        assert_eq!(format(text.as_bytes()), Format::Positions, "{text}");
        assert_eq!(moves(&parse(&text, None).unwrap()), "h8a15i8");
    }
    assert_eq!(moves(&parse("# see (;x)\nh8\ni9\n", None).unwrap()), "h8i9");
    // Bug: a `#` in a comment at the end of a game hid the next game.
    assert_eq!(sgf::games("(;SZ[15];B[hh]C[see\n#5])(;SZ[15];B[ii])").len(), 2);
    let letter = "# my games (;\nDear friend,\n(;SZ[15];B[hh];W[ii])";
    assert_eq!(moves(&parse(letter, None).unwrap()), "h8i7");
}

/// Bug: the pass `--` was dropped where it touches another move, and the colours of the moves after it were wrong.
#[test]
fn a_pass_may_touch_other_moves() {
    for text in ["h8 -- i9", "h8,--,i9", "h8--i9", "h8-- i9", "1.h8 2.-- 3.i9", "[Black \"A\"]\n1.h8 2.-- 3.i9"] {
        let game = parse(text, None).unwrap();
        let stones = game.last.cells();
        assert_eq!(stones.len(), 2, "{text}");
        assert!(stones.iter().all(|(_, cell)| *cell == Cell::Black), "{text}: {stones:?}");
    }
    assert_eq!(moves(&parse("h8-i9-j10", None).unwrap()), "h8i9j10");
}

/// Bug: the board that the user names did not count for SGF without a size.
#[test]
fn the_board_of_an_sgf_without_a_size_may_be_named() {
    let size = Size::square(19);
    assert_eq!(parse("(;GM[4];B[pd];W[dp])", size).unwrap().size, size.unwrap());
    assert_eq!(parse("(;SZ[20];B[pd])", size).unwrap().size, Size::square(20).unwrap());
    assert!(parse("(;GM[4];B[pd])", None).is_err(), "15 points a side are the usual board");
}

/// Bug: with carriage returns as line ends, a Piskvork file was read as an empty board.
#[test]
fn lines_may_end_in_a_carriage_return() {
    for ends in ["\r", "\n", "\r\n"] {
        let text = ["Piskvorky 15x15, 11:11, 0", "8,8,0", "9,9,5", "a", "b", ""].join(ends);
        assert_eq!(moves(&read(text.as_bytes(), None).unwrap()), "h8i7", "{text:?}");
        assert_eq!(moves(&parse(&text, None).unwrap()), "h8i7", "{text:?}");
    }
}

/// Bugs: blank lines between stones, a name with commas and a number, and numbers behind the names were taken for damage.
#[test]
fn only_a_damaged_stone_refuses_a_piskvork_file() {
    let file =
        |stones: &str, end: &str| parse(&format!("Piskvorky 15x15, 11:11, 0\n8,8,0\n{stones}9,9,5\n{end}"), None);
    assert!(parse("Piskvorky 15x15\n8,8\n9;9\n9;8\n10,10\n", None).is_err(), "stones without times");
    for (stones, end) in [
        ("\n", "a\nb\n-1\n"),
        ("", "\n\n1,0\n"),
        ("", "Alice\n\n1,0\n"),
        ("", "Smith, 2, Jr\nBob\n-1\n"),
        ("", "Alice\nBob\n1,0\n"),
        ("\n \n", ""),
    ] {
        assert_eq!(moves(&file(stones, end).unwrap()), "h8i7", "{stones:?} {end:?}");
    }
    assert_eq!(file("", "\nBob\n0\n").unwrap().players, [None, Some("Bob".to_owned())]);
    for stones in ["9;9;5\n", "x,9,5\n", "9,9,5,5\n", "?\n?\n"] {
        assert!(file(stones, "a\nb\n").is_err(), "{stones}");
    }
}

/// Bug: the second tag of a line was read as a move.
#[test]
fn a_line_may_have_several_tags() {
    let game = parse("[Black \"A\"][White \"B\"] [Rule \"renju\"]\n1. h8 i9\n", None).unwrap();
    assert_eq!(game.players, [Some("A".to_owned()), Some("B".to_owned())]);
    assert_eq!((moves(&game), game.rule), ("h8i9".to_owned(), Some(Rule::Renju)));
}

/// Bug: the board that the user names replaced that of a text with tags, and a size that cannot be read was passed over in silence.
#[test]
fn the_board_of_a_text_with_tags_counts() {
    let read =
        |size: &str| parse(&format!("[Black \"A\"]\n[BoardSize \"{size}\"]\n1. h8 i9\n"), Size::square(15)).unwrap();
    for size in ["20", "20x20", "20 x 20"] {
        assert_eq!(read(size).size, Size::square(20).unwrap());
    }
    // Bug: the number of a board in a match of teams was taken for its size, and hid the size.
    let of_team = |text: &str| parse(text, None).unwrap().size;
    assert_eq!(of_team("[Board \"3\"]\n[BoardSize \"20\"]\n1. h8 i9\n"), Size::square(20).unwrap());
    assert_eq!(of_team("[Board \"12\"]\n1. h8 o15\n"), Size::square(15).unwrap());
    assert_eq!(of_team("[Board \"12x12\"]\n1. h8 i9\n"), Size::square(12).unwrap());
    let unclear = read("large");
    assert_eq!(unclear.size, Size::square(15).unwrap());
    assert!(unclear.notes.iter().any(|note| note.contains("'large'")), "{:?}", unclear.notes);
}

/// Bug: two comments on a move were read as one word, so `+0.31/12` and `465ms` made 12,465 ms.
#[test]
fn comments_on_one_move_stay_apart() {
    let game = parse("[Black \"A\"]\n1. h8 {book} {3ms} i9 {+0.31/12} {465ms} 2. j10 {+0.1} {12ms}\n", None).unwrap();
    assert_eq!((game.ms.as_slice(), game.start.moves), (&[3, 465, 12][..], 1), "{:?}", game.start);
}

/// Bug: moves with numbers before them were taken for the name of a file.
#[test]
fn numbered_moves_are_no_file_name() {
    for text in ["1. h8 2. i9", "1.h8", "h8i9"] {
        assert_eq!(read_source(Some(text)).unwrap(), text.as_bytes());
    }
    assert!(read_source(Some("missing.sgf")).is_err() && read_source(Some("h8.txt")).is_err());
}
