//! `solve` and `verify` from end to end: known wins within their limits of nodes, proofs that are accepted, and damaged ones
//! that are refused with the reason.

use crate::common::proofs::{Twins, accepted};
use crate::common::{brain, seeded};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tengen::base::{Color, Point};
use tengen::board::notation;
use tengen::board::{Board, Threat};
use tengen::solver::{Hunter, Outcome, Proof, ProofBuilder, SolverLimits, VctSolver};
use tengen::tools::{positions, solve, verify};
use tengen_amount::at_length;

/// Won positions of every rule, from the engine's games against itself; the last field is the limit of nodes.
const WINS: &str = include_str!("../data/forced_wins.txt");
/// Wins of 9 to 27 plies found by another engine, in the same format.
const SUITE_WINS: &str = include_str!("../data/suite_wins.txt");
/// Wins found by that engine that are not wins by threats alone, in the same format.
const QUIET_WINS: &str = include_str!("../data/quiet_wins.txt");
/// Positions won by fours alone.
const VCF_WINS: &str = include_str!("../data/vcf_wins.txt");

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The proofs of all known positions.
fn proofs(name: &str) -> String {
    let file = temporary(name);
    let output = brain(&["solve", "--time-ms", "0", "--memory-mb", "64", "--proof", file.to_str().unwrap()], WINS);
    assert!(output.status.success(), "{output:?}");
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn known_wins_are_found_within_their_ceilings() {
    let lines = WINS.lines().chain(SUITE_WINS.lines()).filter(|line| !line.starts_with('#'));
    let positions = [WINS, SUITE_WINS].map(|text| positions::parse(text).unwrap()).concat();
    assert!(positions.len() >= 26);
    for (position, line) in positions.iter().zip(lines) {
        let ceiling: u64 = line.rsplit(';').next().unwrap().parse().unwrap();
        let mut solver = VctSolver::new(64 << 20);
        let limits = SolverLimits { nodes: ceiling, deadline: None };
        let result = solver.solve(&mut position.board(), position.side(), limits);
        assert_eq!(result.outcome, Outcome::Win, "{} nodes: {line}", result.nodes);
    }
}

#[test]
fn solve_prints_a_line_a_position_and_the_count() {
    let output = brain(&["solve", "--time-ms", "0", "--threads", "2"], WINS);
    let text = stdout(&output);
    let count = positions::parse(WINS).unwrap().len();
    assert_eq!(text.lines().count(), count + 1);
    assert_eq!(text.lines().last().unwrap(), format!("solved {count}/{count}"));
    assert!(text.starts_with("1: win in "), "{text}");
    assert!(output.stderr.is_empty());
}

#[test]
fn solve_says_what_it_does_not_find() {
    let text = stdout(&brain(&["solve", "--mode", "vcf"], "0;15;7,7 8,8\n4;15;7,7 8,8 6,6\n"));
    assert_eq!(text.lines().filter(|line| line.contains(": no win (")).count(), 2, "{text}");
    assert_eq!(text.lines().last(), Some("solved 0/2"));
}

#[test]
fn the_side_that_moved_may_be_asked_for() {
    let three = "0;15;7,7 0,0 8,7 0,14 9,7\n";
    assert!(stdout(&brain(&["solve", "--mode", "vct"], three)).contains("solved 0/1"));
    assert!(stdout(&brain(&["solve", "--defender"], three)).contains("1: win in 3"));
}

/// The board of even height: row 13 from below is the eighth from above.
#[test]
fn lines_name_rows_from_below() {
    let three = "0;20;7,7 0,0 8,7 0,14 9,7\n";
    let text = stdout(&brain(&["solve", "--defender"], three));
    assert!(text.contains("1: win in 3: g13 ") || text.contains("1: win in 3: k13 "), "{text}");
    let json = stdout(&brain(&["solve", "--json", "--defender"], three));
    assert!(json.contains("\"line\":[\"g13\",") || json.contains("\"line\":[\"k13\","), "{json}");
}

#[test]
fn json_is_one_object_a_line() {
    let text = stdout(&brain(&["solve", "--json", "--mode", "vcf", "--defender"], "0;15;7,7 0,0 8,7 0,14 9,7\n"));
    assert!(text.starts_with("{\"position\":1,\"outcome\":\"win\",\"distance\":3,\"line\":[\""), "{text}");
    assert!(text.ends_with("}\n") && text.lines().count() == 1, "{text}");
}

#[test]
fn what_cannot_be_understood_is_refused() {
    for (arguments, input, reason) in [
        (&["solve", "--mode", "magic"][..], "", "unknown mode"),
        (&["solve", "--nodes"], "", "--nodes"),
        (&["solve", "--shortest"], "", "--shortest needs --mode vcf"),
        (&["solve", "no/such/file"], "", "cannot read"),
        (&["solve"], "0;15;7,7 7,7\n", "line 1"),
        (&["solve"], "0;4;7,7\n", "size"),
        (&["verify"], "", "usage"),
        (&["verify", "--no-reply", "file"], "", "usage"),
        (&["verify", "no/such/file"], "", "cannot read"),
    ] {
        let output = brain(arguments, input);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(reason), "{arguments:?}: {error}");
    }
}

#[test]
fn proofs_hold_and_are_counted() {
    proofs("hold.proof");
    let file = temporary("hold.proof");
    let count = positions::parse(WINS).unwrap().len();
    for arguments in [&["verify"][..], &["verify", "--every-reply"]] {
        let output = brain(&[arguments, &[file.to_str().unwrap()]].concat(), "");
        let text = stdout(&output);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(text.lines().last().unwrap(), format!("verified {count}/{count}"));
    }
}

/// Bug: `--proof` replaced the file of the positions.
#[test]
fn the_positions_are_not_replaced_by_their_proofs() {
    let file = temporary("positions.txt");
    std::fs::write(&file, WINS).unwrap();
    let path = file.to_str().unwrap();
    let output = brain(&["solve", "--proof", path, path], "");
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("--proof"), "{output:?}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), WINS);
}

/// Bug: `--proof` replaced the file that the shell had opened as the standard input.
#[cfg(target_os = "linux")]
#[test]
fn positions_at_the_standard_input_are_not_replaced_by_their_proofs() {
    let file = temporary("input.txt");
    std::fs::write(&file, WINS).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"))
        .args(["solve", "--proof", file.to_str().unwrap()])
        .stdin(std::fs::File::open(&file).unwrap())
        .output()
        .unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("--proof"), "{output:?}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), WINS);
}

/// Bug: `--proof` replaced any file, and an earlier proof before there was a new one.
#[test]
fn only_a_proof_replaces_a_proof() {
    let file = temporary("kept.proof");
    let path = file.to_str().unwrap();
    let solve = |position: &str| brain(&["solve", "--mode", "vcf", "--nodes", "2000", "--proof", path], position);
    let (won, open) = ("0;15;7,7 0,0 8,7 0,2 9,7 0,4", "0;15;7,7 0,0");
    std::fs::write(&file, "keep me\n").unwrap();
    let output = solve(won);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("the file exists and is not a proof"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "keep me\n");
    std::fs::remove_file(&file).unwrap();
    assert!(solve(&format!("{won}\n{won}")).status.success());
    let two = std::fs::read_to_string(&file).unwrap();
    assert_eq!(two.matches("tengen proof 1\n").count(), 2, "{two}");
    assert!(solve(open).status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), two, "nothing was proven");
    assert!(solve(won).status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap().matches("tengen proof 1\n").count(), 1);
}

/// Bug: the cause of an error was printed twice.
#[test]
fn a_bad_option_is_explained_once() {
    let error = String::from_utf8(brain(&["solve", "--time-ms", "-1"], "").stderr).unwrap();
    assert_eq!(error.matches("invalid digit").count(), 1, "{error}");
}

/// Damaged proofs: the replies that the verifier skips change nothing.
#[test]
fn damaged_proofs_are_judged_alike_in_both_ways() {
    let (mut twins, mut random) = (Twins::default(), seeded(5));
    let (copies, enough) = if at_length() { (8, 20) } else { (3, 5) };
    for claim in proofs("twins.proof").split_inclusive("end\n") {
        twins.compare(claim, copies, &mut random);
    }
    assert!(twins.accepted > enough && twins.refused > enough, "{twins:?}");
}

/// The proof with one more stone of the defender.
fn with_a_stone(claim: &str, attacker: Color, stone: Point) -> String {
    let line = if attacker == Color::Black { "white" } else { "black" };
    let add =
        |text: &str| if text.starts_with(line) { format!("{text} {}", notation::name(stone)) } else { text.to_owned() };
    claim.lines().map(add).collect::<Vec<_>>().join("\n")
}

/// Checks with the verifier that one more stone of the defender outside the proof's zone changes nothing. Returns the number of
/// stones tried inside the zone that refute the win, or `None` if the zone is the whole board.
fn check_zone(board: &mut Board, attacker: Color, proof: &Proof, random: &mut SmallRng) -> Option<usize> {
    let text = solve::proof_text(board, attacker, proof);
    let holds = |text: &str| verify::parse(text).unwrap()[0].check_tree(false);
    holds(&text).unwrap_or_else(|error| panic!("{error:#}\n{text}"));
    let zone = proof.zone(board, attacker)?;
    let (near, far): (Vec<Point>, Vec<Point>) = board.empty_cells().points().partition(|&point| zone.contains(point));
    for &stone in far.choose_multiple(random, 8) {
        assert!(
            holds(&with_a_stone(&text, attacker, stone)).is_ok(),
            "{} is outside the zone\n{text}",
            notation::name(stone)
        );
    }
    // The verifier takes no position with a five, and one of the defender's refutes the win.
    let makes_five = |stone: Point| board.threat(stone, attacker.opponent()) == Threat::Five;
    let spoils = |stone: &&Point| makes_five(**stone) || holds(&with_a_stone(&text, attacker, **stone)).is_err();
    Some(near.choose_multiple(random, 8).filter(spoils).count())
}

/// Wins that the main search believes in become proofs that hold, within the limits of nodes.
#[test]
fn quiet_wins_are_proven_against_every_reply() {
    let (mut random, mut zones) = (seeded(6), 0);
    let positions = positions::parse(QUIET_WINS).unwrap();
    let lines: Vec<&str> = QUIET_WINS.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(positions.len(), lines.len());
    let step = if at_length() { 1 } else { 3 };
    for (position, line) in positions.iter().zip(lines).step_by(step) {
        let nodes: u64 = line.rsplit(';').next().unwrap().parse().unwrap();
        let (mut board, attacker) = (position.board(), position.side());
        let (mut solver, mut hunter) = (VctSolver::new(64 << 20), Hunter::new(64 << 20));
        let limits = SolverLimits { nodes, deadline: None };
        let proof = ProofBuilder::hunt(&mut solver, &mut hunter, &mut board, attacker, limits);
        let proof = proof.unwrap_or_else(|| panic!("not found: {line}"));
        assert!(hunter.nodes() > 10_000, "threats alone find it: {line}");
        zones += usize::from(check_zone(&mut board, attacker, &proof, &mut random).is_some());
    }
    assert!(2 * zones * step > positions.len(), "{zones} zones");
}

/// White has an unstoppable double four, but black's reply draws the game. Bug: this was printed as a win in 3.
#[test]
fn a_four_before_the_last_move_is_no_win() {
    for mode in ["any", "vct", "vcf"] {
        let output = brain(&["solve", "--mode", mode], "4;6;0,0 1,2 2,0 2,2 5,0 3,2 1,4 0,5 4,5\n");
        assert!(stdout(&output).contains("solved 0/1"), "{mode}: {output:?}");
    }
}

/// A hunt that finds nothing ends near its limit of nodes.
#[test]
fn a_hunt_keeps_to_its_nodes() {
    for position in positions::parse(QUIET_WINS).unwrap() {
        let (mut solver, mut hunter) = (VctSolver::new(16 << 20), Hunter::new(16 << 20));
        let limits = SolverLimits { nodes: 30_000, deadline: None };
        let proof = ProofBuilder::hunt(&mut solver, &mut hunter, &mut position.board(), position.side(), limits);
        let spent = solver.nodes() + hunter.nodes();
        assert!(proof.is_none() && (30_000..40_000).contains(&spent), "{spent}");
    }
}

#[test]
fn stones_outside_a_zone_alter_nothing() {
    let (mut random, mut zones, mut spoiled) = (seeded(7), 0, 0);
    for position in positions::parse(WINS).unwrap() {
        let (mut board, attacker) = (position.board(), position.side());
        let mut solver = VctSolver::new(16 << 20);
        let limits = SolverLimits { nodes: 10_000_000, deadline: None };
        assert_eq!(solver.solve(&mut board, attacker, limits).outcome, Outcome::Win);
        let proof = ProofBuilder::build(&mut solver, &mut board, attacker, limits).unwrap();
        if let Some(count) = check_zone(&mut board, attacker, &proof, &mut random) {
            zones += 1;
            spoiled += count;
        }
    }
    assert!(zones >= 8 && spoiled >= zones, "{zones} zones, {spoiled} stones");
}

#[test]
fn spoiled_proofs_are_refused() {
    let text = proofs("spoil.proof");
    assert_eq!(accepted(&text), Ok(()));
    let mut spoiled = 0;
    let mut refuse = |lines: &[String], what: &str| {
        let outcome = accepted(&lines.join("\n"));
        assert!(outcome.is_err_and(|reason| !reason.is_empty()), "accepted: {what}\n{}", lines.join("\n"));
        spoiled += 1;
    };
    for claim in text.split_inclusive("end\n") {
        let lines: Vec<String> = claim.lines().map(str::to_owned).collect();
        let root = lines.len() - 2;
        let words: Vec<&str> = lines[root].split(' ').collect();
        let mut change = |index: usize, line: String, what: &str| {
            let mut lines = lines.clone();
            lines[index] = line;
            refuse(&lines, what);
        };
        change(0, "tengen proof 2".into(), "another version");
        change(root + 1, String::new(), "no end");
        change(root, String::new(), "no root");
        change(root, words[..2].join(" "), "a root without answers");
        change(root, words.join(" ").replace(':', ":9"), "nodes that come later");
        let stone = lines[3].split(' ').next_back().unwrap();
        change(
            root,
            [words[0], stone].into_iter().chain(words[2..].iter().copied()).collect::<Vec<_>>().join(" "),
            "a stone played upon",
        );
        let own = if lines[5].ends_with("black") { 3 } else { 4 };
        change(own, lines[own][..5].into(), "an attacker without stones");
        // A part of the nodes is enough: the verifier walks the whole proof each time. Proofs are shorter or longer with each network.
        let step = if at_length() { 3 } else { 4 };
        for (index, line) in lines.iter().enumerate().take(root + 1).skip(6).step_by(step) {
            let words: Vec<&str> = line.split(' ').collect();
            if let Some(at) = words.iter().position(|&word| word == "else") {
                change(index, words[..at].join(" "), "no answer to other replies");
            } else if words.len() == 3 {
                change(index, words[..2].join(" "), "no answer to the stop");
            }
        }
    }
    assert!(spoiled > 100, "{spoiled}");
}

#[test]
fn the_shortest_win_by_fours_may_be_asked_for() {
    let file = temporary("shortest.proof");
    let distances = |options: &[&str]| -> Vec<u32> {
        let output = brain(&[&["solve", "--mode", "vcf"], options].concat(), VCF_WINS);
        let text = stdout(&output);
        assert!(text.contains("solved 12/12"), "{output:?}");
        text.lines().filter_map(|line| line.split("win in ").nth(1)?.split(':').next()?.parse().ok()).collect()
    };
    let (found, shortest) = (distances(&[]), distances(&["--shortest"]));
    assert!(found.len() == 12 && found.iter().zip(&shortest).all(|(found, shortest)| shortest <= found));
    assert_ne!(found, shortest, "some wins are longer than they need be");
    // --proof does not change the distance, although the tree may be that of a longer win.
    assert_eq!(distances(&["--shortest", "--proof", file.to_str().unwrap()]), shortest);
    assert_eq!(accepted(&std::fs::read_to_string(file).unwrap()), Ok(()));
}

/// Bug: a size for which the system has no memory ended the process with a backtrace.
#[test]
fn memory_that_the_system_lacks_is_refused() {
    for size in ["1000000000000", "18446744073709551615"] {
        for mode in ["any", "vct", "vcf"] {
            let output = brain(&["solve", "--mode", mode, "--memory-mb", size], "0;15;7,7\n");
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
            assert!(error.contains(&format!("--memory-mb {size}: ")), "{error}");
        }
    }
}

/// Bug: all memory that was allowed was touched before the first position.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_allowed_is_not_taken_before_it_is_needed() {
    let file = temporary("easy_and_hard.txt");
    // The second position keeps the process until it is killed.
    let hard = QUIET_WINS.lines().find(|line| !line.starts_with('#')).unwrap();
    std::fs::write(&file, format!("0;15;7,7 0,0 8,7 0,14 9,7 7,8\n{hard}\n")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"))
        .args(["solve", "--memory-mb", "4096", "--time-ms", "100", file.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    assert!(line.starts_with("1: ") && peak.parse::<u64>().unwrap() < 200_000, "{line}{peak} kB");
}

/// Bug: a record of a game was refused: "expected 'rule;size;moves'".
#[test]
fn the_last_position_of_a_record_is_solved() {
    let game = "(;SZ[15];B[hh]C[opening move];W[aa];B[ih];W[ac];B[jh];W[ca])";
    let output = brain(&["solve", "--mode", "vcf"], game);
    assert!(stdout(&output).contains("1: win in 3: ") && stdout(&output).ends_with("solved 1/1\n"), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("1: The play begins with move 2: "), "{said}");
    let output = brain(&["solve", "--mode", "vcf", "--rule", "renju"], "h8a15i8a13j8c15");
    assert!(stdout(&output).ends_with("solved 1/1\n") && output.stderr.is_empty(), "{output:?}");
    let output = brain(&["solve"], "(;SZ[15];B[hh];W[hh])");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("as SGF: line 1: move 2 at h8"), "{error}");
}
