//! What the match runner says about lines, late moves and restarts, and the status of a strict match.

use super::*;
use tengen_tools::arena::line_check::Flaw;

/// Plays two short games of `engine` against a plain brain; returns the records, the status and the report.
fn strict(engine: &str, words: &str) -> (Vec<GameRecord>, Option<i32>, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let output = run(&format!("--games 2 --seed 1 {words}"), &[engine, &fake("Good", "plain")], &path);
    (records(&path), output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The flaws of the two games; all must be those of the bad brain.
fn flaws(games: &[GameRecord]) -> Vec<Flaw> {
    let remarks = games.iter().flat_map(|game| game.remarks.iter().map(move |remark| (game, remark)));
    let own = remarks.map(|(game, remark)| {
        assert_eq!(game.players[remark.player], "Bad", "{remark:?}");
        remark.flaw
    });
    own.collect()
}

#[test]
fn lines_and_claims_that_are_wrong_are_counted_and_end_a_strict_match_with_a_status_of_its_own() {
    for (said, flaw) in [
        ("depth 3 ev 5 n 10 pv o15 o14", Flaw::OtherMove),
        ("depth 3 ev 5 n 10 pv MOVE MOVE", Flaw::IllegalLine),
        ("depth 3 ev +W3 n 10 pv MOVE", Flaw::LongerClaim),
    ] {
        let bad = fake("Bad", &format!("say '{said}'"));
        let (games, status, report) = strict(&bad, "--strict --nodes 10 --draw-after 6");
        assert_eq!(status, Some(3), "{said}: {report}");
        let flaws = flaws(&games);
        assert!(!flaws.is_empty() && flaws.iter().all(|found| *found == flaw), "{said}: {flaws:?}");
        let row = report.lines().rfind(|line| line.starts_with("Bad ")).unwrap();
        assert!(row.split_whitespace().any(|word| word == flaws.len().to_string()), "{row}");
        // Without the option it is told, too, and is no error.
        let (games, status, report) = strict(&bad, "--nodes 10 --draw-after 6");
        assert_eq!((status, self::flaws(&games).len()), (Some(0), flaws.len()));
        assert!(report.contains("illegal line"), "{report}");
    }
    let honest = fake("Bad", "say 'depth 3 ev 5 n 10 pv MOVE'");
    let (games, status, report) = strict(&honest, "--strict --nodes 10 --draw-after 6");
    assert_eq!((flaws(&games), status), (Vec::new(), Some(0)), "{report}");
    assert!(games.iter().all(|game| game.lines.iter().sum::<usize>() == 3));
}

#[test]
fn our_own_brain_passes_a_strict_match() {
    let brain = brain();
    for words in ["--rule 4", "--rule 8 --size 9", "--rule 1 --to-the-end"] {
        let engine = format!("name=Bad,cmd={brain}");
        let (games, status, report) = strict(&engine, &format!("--strict --nodes 3000 {words}"));
        assert_eq!((flaws(&games), status), (Vec::new(), Some(0)), "{report}");
        assert!(games.iter().any(|game| game.lines.iter().sum::<usize>() > 10));
    }
}

#[test]
fn late_moves_are_told_with_their_place_and_the_load() {
    let late = fake("Bad", "slow 0.2") + ",turn-ms=50,tolerance-ms=20000";
    let (games, status, report) = strict(&late, "--strict --turn-ms 20000 --draw-after 6");
    assert_eq!(status, Some(3), "{report}");
    for game in &games {
        // The first move of a process is in time, unless the machine is busy.
        let late = game.timing.late.iter().find(|late| game.players[late.player] == "Bad" && !late.is_first).unwrap();
        assert!(late.ms > 100.0 && late.games >= 1 && late.stones >= 2, "{late:?}");
        assert!(late.load.is_some_and(|(_, running)| running >= 1) || !cfg!(target_os = "linux"), "{late:?}");
    }
    let lost = fake("Bad", "silent") + ",turn-ms=50,tolerance-ms=50";
    let (games, status, _) = strict(&lost, "--strict --turn-ms 20000");
    assert_eq!(status, Some(3));
    assert!(games.iter().all(|game| game.timing.late.len() == 1 && game.timing.late[0].ms >= 50.0));
    assert!(games.iter().all(|game| game.timing.late[0].is_first), "{games:?}");
}

/// Bug: another runner booked the failure of one brain to start its second game as a loss on time of the other. Here
/// nobody loses: a new process plays the game, and the record says whose.
#[test]
fn a_second_start_that_fails_costs_neither_side_a_game() {
    let once = fake("Bad", "once");
    let (games, status, report) = strict(&once, "--strict --nodes 10 --draw-after 6 --concurrency 1");
    assert_eq!((flaws(&games), status), (vec![Flaw::Restart], Some(3)), "{report}");
    assert!(games[1].remarks[0].note.contains("ERROR one game only"), "{:?}", games[1].remarks);
    assert!(report.contains("+0 =2 -0"), "{report}");
}
