//! The verifier and the fouls of renju: it takes distant stones that make a move legal or forbidden into account, for
//! either attacker.

use crate::common::proofs::accepted;
use std::fmt::Write;
use tengen::base::Rule;
use tengen_amount::at_length;

/// A position in which the attacker plays a quiet move and then wins by `win`, unless the defender's reply has stopped it.
/// In that case the attacker wins by an open three elsewhere, or by one of `covers`, moves with their answers.
struct Case {
    attacker: &'static str,
    black: &'static str,
    white: &'static str,
    win: &'static str,
    covers: &'static [&'static str],
    /// Replies, some of them distant, that stop `win` only because they change what is a foul.
    far: &'static [&'static str],
}

/// The quiet moves.
const QUIET: [&str; 2] = ["a1", "o15"];
/// Makes a straight four of the attacker's stones `c14 d14 e14`, which belong to every case.
const SPARE: &str = "f14";

/// Black wins by `h8`, which makes a straight four from `h8` to `h11`. It also makes a real three along row 8, and another
/// one along the diagonal if black may play `k5`. A distant white stone makes `k5` legal, and so `h8` a double three.
const BLACK: [Case; 3] = [
    // On k5 black has a second four, down the column.
    Case {
        attacker: "black",
        black: "h9 h10 h11 f8 g8 i7 j6 k2 k3 k4",
        white: "f10 k6",
        win: "h8",
        covers: &["h8"],
        far: &["k1"],
    },
    // The second four has a gap.
    Case {
        attacker: "black",
        black: "h9 h10 h11 f8 g8 i7 j6 l5 m5 o5",
        white: "f10",
        win: "h8",
        covers: &["h8"],
        far: &["n5"],
    },
    // On k5 black has two threes.
    Case {
        attacker: "black",
        black: "h9 h10 h11 f8 g8 i7 j6 l5 m5 k3 k4",
        white: "f10",
        win: "h8",
        covers: &["h8"],
        far: &["j5", "n5", "k2", "k6"],
    },
];

/// White makes a four with `h12`, and `h8`, which stops it, is forbidden to black unless a distant black stone makes it
/// legal.
const WHITE: [Case; 5] = [
    // A double three whose diagonal needs k5. A black stone makes a second four there, or a six along the diagonal.
    Case {
        attacker: "white",
        black: "h13 f8 g8 i7 j6 k3 k4",
        white: "h9 h10 h11 f10",
        win: "h12",
        covers: &["h8"],
        far: &["k1", "k2", "k6", "k7", "m3"],
    },
    // The same, and k2 makes k5 an overline.
    Case {
        attacker: "white",
        black: "h13 f8 g8 i7 j6 k1 k3 k4 k6",
        white: "h9 h10 h11 f10 k7",
        win: "h12",
        covers: &["h8"],
        far: &["k2", "m3"],
    },
    // A double four; with c8 or m3 one of its fives becomes an overline.
    Case {
        attacker: "white",
        black: "h13 b8 d8 f8 g8 i7 j6 l4 n2",
        white: "h9 h10 h11",
        win: "h12",
        covers: &["h8"],
        far: &["c8", "m3"],
    },
    // k5 makes two more threes, but the one along row 5 needs n5, which is a double four. A stone on n6, on no line with
    // h8 or k5, makes n5 legal, so k5 is a double three and h8 is none.
    Case {
        attacker: "white",
        black: "h13 f8 g8 i7 j6 k3 k4 l5 m5 n1 n3 n4",
        white: "h9 h10 h11 f10 i5 n7 l2 m2 o2",
        win: "h12",
        covers: &["n5 b14:0 f14:0 g14:0 else 1", "n2 k2:1"],
        far: &["n6"],
    },
    // An overline, which only a five makes legal: here that takes two stones.
    Case {
        attacker: "white",
        black: "h13 e8 f8 g8 i8 j8 i7 k5",
        white: "h9 h10 h11 d8 k8",
        win: "h12",
        covers: &["h8"],
        far: &["j6", "l4", "m3"],
    },
];

impl Case {
    /// A proof: `win`, the other answers, then each quiet move with the replies that have an answer of their own.
    fn proof(&self, quiet: &[Vec<(String, usize)>]) -> String {
        let spare = "c14 d14 e14";
        let (black, white) = if self.attacker == "black" { (spare, "") } else { ("", spare) };
        let mut text = format!(
            "tengen proof 1\nrule {}\nsize 15 15\nblack {} {black}\nwhite {} {white}\nattacker {}\n0 {}\n1 {SPARE}\n",
            Rule::Renju.number(),
            self.black,
            self.white,
            self.attacker,
            self.win
        );
        for (cover, number) in self.covers.iter().zip(2..) {
            writeln!(text, "{number} {cover}").unwrap();
        }
        let first = 2 + self.covers.len();
        for (level, named) in quiet.iter().enumerate() {
            write!(text, "{} {}", first + level, QUIET[level]).unwrap();
            for (reply, node) in named {
                write!(text, " {reply}:{node}").unwrap();
            }
            writeln!(text, " else {}", if level == 0 { 0 } else { first + level - 1 }).unwrap();
        }
        text + "end\n"
    }

    /// Adds answers to the replies at which the proof fails, one after the other, until it holds.
    fn complete(&self, quiet: &mut Vec<Vec<(String, usize)>>) {
        quiet.push(Vec::new());
        while let Some(reply) = self.failing_reply(quiet) {
            let answered = (1..2 + self.covers.len()).chain([0]).any(|node| {
                quiet.last_mut().unwrap().push((reply.clone(), node));
                let helps = self.failing_reply(quiet).is_none_or(|next| next != reply);
                if !helps {
                    quiet.last_mut().unwrap().pop();
                }
                helps
            });
            assert!(answered, "nothing answers {reply}\n{}", self.proof(quiet));
        }
    }

    /// The reply to the first quiet move after which the proof fails.
    fn failing_reply(&self, quiet: &[Vec<(String, usize)>]) -> Option<String> {
        let claims = tengen::tools::verify::parse(&self.proof(quiet)).unwrap();
        let error = format!("{:#}", claims[0].check_tree(false).err()?);
        Some(second_move(&error).to_owned())
    }
}

/// The second of the moves after which a proof fails.
fn second_move(reason: &str) -> &str {
    let path = reason.strip_prefix("after ").and_then(|rest| rest.split(':').next()).unwrap();
    path.split(' ').nth(1).unwrap_or_else(|| panic!("{reason}"))
}

/// Checks that the proof holds with all answers and fails without any one of them, by areas and by every reply. With
/// `twice`, also checks it with a second quiet move before.
fn check(case: &Case, twice: bool) {
    let mut quiet = Vec::new();
    case.complete(&mut quiet);
    assert_eq!(accepted(&case.proof(&quiet)), Ok(()));
    for index in 0..quiet[0].len() {
        let mut fewer = quiet.clone();
        let (reply, _) = fewer[0].remove(index);
        let reason = accepted(&case.proof(&fewer)).unwrap_err();
        assert_eq!(second_move(&reason), reply, "{reason}\n{}", case.proof(&fewer));
    }
    if twice {
        case.complete(&mut quiet);
        assert_eq!(accepted(&case.proof(&quiet)), Ok(()));
    }
    for far in case.far {
        let is_answered = quiet.iter().flatten().any(|(reply, _)| reply == far);
        assert!(is_answered, "{far} needs no answer\n{}", case.proof(&quiet));
    }
}

#[test]
fn black_wins_unless_a_far_white_stone_makes_the_winning_move_a_foul() {
    std::thread::scope(|scope| {
        for case in &BLACK {
            scope.spawn(|| check(case, false));
        }
    });
}

#[test]
fn white_wins_by_a_foul_unless_a_far_black_stone_makes_it_legal() {
    std::thread::scope(|scope| {
        for (index, case) in WHITE.iter().enumerate() {
            // Twice only where the areas are small, for the time that it takes.
            let twice = index == 4 || index == 2 && at_length();
            scope.spawn(move || check(case, twice));
        }
    });
}
