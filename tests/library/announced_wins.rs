//! What the brain says about wins while it thinks: a proven win has a distance and a line, and a believed win is not
//! called one.

use crate::common::{brain, moves_of};
use std::fmt::Write;
use tengen::base::{Color, Point};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::tools::positions::{self, Position};

/// Positions won by fours alone.
const VCF_WINS: &str = include_str!("../data/vcf_wins.txt");
/// Won positions that take a longer search.
const SUITE_WINS: &str = include_str!("../data/suite_wins.txt");

/// Everything that the brain writes during one search of this many nodes.
fn think(position: &Position, nodes: u64) -> Vec<String> {
    think_between("", position, nodes, "")
}

/// The same, with commands before the search and after it.
fn think_between(before: &str, position: &Position, nodes: u64, after: &str) -> Vec<String> {
    let mut input = format!("INFO rule {}\nINFO max_node {nodes}\n", position.rule.number());
    writeln!(input, "RECTSTART {},{}\n{before}BOARD", position.size.width(), position.size.height()).unwrap();
    for (index, point) in position.moves.iter().enumerate() {
        let own = (position.moves.len() - index).is_multiple_of(2);
        writeln!(input, "{point},{}", if own { 1 } else { 2 }).unwrap();
    }
    let output = brain(&[], input + "DONE\n" + after + "END\n");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The number after a word.
fn after(line: &str, word: &str) -> Option<usize> {
    line.split(' ').skip_while(|&field| field != word).nth(1)?.parse().ok()
}

fn line_of(message: &str) -> Vec<Point> {
    moves_of(&message.split(" pv ").nth(1).unwrap_or_default().replace(' ', ""))
}

/// Plays a line by the oracle. The line may stop early; if the game ends in it, the announced side wins, after the
/// announced number of plies.
fn check_line(position: &Position, line: &[Point], distance: usize, moves_first: bool) {
    let mut oracle = Oracle::new(position.rule, position.size);
    let mut color = Color::Black;
    for &point in &position.moves {
        assert_eq!(oracle.play(point, color), Verdict::Continues);
        color = color.opponent();
    }
    let winner = if moves_first { color } else { color.opponent() };
    for (&point, ply) in line.iter().zip(1..) {
        match oracle.play(point, color) {
            Verdict::Continues => assert!(ply < distance, "no end after {ply} plies of {distance}: {line:?}"),
            Verdict::Wins => assert!(ply == distance && color == winner, "{line:?}"),
            Verdict::Foul(_) => assert!(ply == distance && color != winner, "{line:?}"),
            verdict => panic!("{verdict:?} at {point} of {line:?}"),
        }
        color = color.opponent();
    }
}

/// Checks all messages: one that calls a position won or lost has a distance and a line. Returns the last distance.
fn check(position: &Position, said: &[String]) -> Option<usize> {
    let mut last = None;
    for message in said.iter().filter(|line| line.starts_with("MESSAGE depth ")) {
        last = after(message, "wins-in");
        let lost = after(message, "loses-in");
        let Some(distance) = last.or(lost) else {
            assert!(
                !message.contains(" 100%") && !message.contains(" ev +W") && !message.contains(" ev -W"),
                "{message}"
            );
            continue;
        };
        let value = if lost.is_none() { format!("+W{distance} win 100%") } else { format!("-W{distance} win 0%") };
        assert!(message.contains(&format!(" ev {value} ")), "{message}");
        let line = line_of(message);
        assert!(!line.is_empty(), "{message}");
        check_line(position, &line, distance, lost.is_none());
    }
    last
}

#[test]
fn a_win_by_fours_is_announced_with_distance_and_line() {
    let positions = positions::parse(VCF_WINS).unwrap();
    let mut complete = 0;
    for position in &positions {
        let said = think(position, 20_000);
        let distance = check(position, &said);
        assert!(distance.is_some_and(|plies| plies >= 3), "{said:?}");
        let messages: Vec<_> = said.iter().filter(|line| line.contains(" wins-in ")).collect();
        let line = line_of(messages.last().unwrap());
        assert_eq!(said.last(), Some(&line[0].to_string()), "the win is played");
        complete += usize::from(Some(line.len()) == distance);
    }
    assert!(positions.len() >= 12);
    assert!(complete >= 10, "{complete} lines go to the five");
}

/// With few nodes, many wins are believed and not yet proven.
#[test]
fn what_is_believed_is_not_called_a_win() {
    let (mut known, mut believed) = (0, 0);
    for position in &positions::parse(SUITE_WINS).unwrap() {
        let said = think(position, 10_000);
        match check(position, &said) {
            Some(_) => known += 1,
            None => believed += 1,
        }
    }
    assert!(known > 0 && believed > 0, "{known} {believed}");
}

/// The last announced distance. (After a command of the Yixin dialect, lines are written differently.)
fn announced_in(said: &[String]) -> Option<usize> {
    after(said.iter().rfind(|line| line.starts_with("MESSAGE depth "))?, "wins-in")
}

/// A hash file is no proof, but the moves in it lead to one quickly.
#[test]
fn a_win_from_a_hash_file_is_proven_again_in_a_few_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let mut announced = 0;
    for position in &positions::parse(SUITE_WINS).unwrap() {
        let file = folder.path().join(announced.to_string());
        let said = think_between("", position, 20_000, &format!("YXHASHDUMP\n{}\n", file.display()));
        let Some(distance) = announced_in(&said) else { continue };
        announced += 1;
        let said = think_between(&format!("YXHASHLOAD\n{}\n", file.display()), position, 1000, "");
        let again = announced_in(&said);
        assert!(again.is_some_and(|again| again <= distance), "{distance} plies, then {again:?}: {said:?}");
    }
    assert!(announced >= 5, "{announced}");
}
