//! Brains with every kind of fault: who loses, and for what.

use super::*;
use tengen_amount::given;

#[test]
fn every_bad_brain_loses_its_games_for_the_right_reason() {
    // The limits apply to the bad brain only, so that the good one does
    // not lose on a slow machine.
    let kinds: &[(&str, &str, &str, &str)] = &[
        ("silent", ",turn-ms=50,tolerance-ms=50", "timeout", "no move after 100 ms"),
        ("silent", ",match-ms=100,tolerance-ms=50", "timeout", "no move after 150 ms"),
        ("silent", ",turn-ms=0,nodes=10,stall-ms=100", "stall", "no move after 100 ms"),
        ("slow 0.4", ",turn-ms=50,tolerance-ms=100", "timeout", "no move after"),
        // Bug: once the game clock had run out, every further move could take the whole tolerance.
        ("slow 0.1", ",match-ms=300,tolerance-ms=150", "timeout", "no move after"),
        ("crash", "", "crash", "exit status: 3; stderr: out of ideas"),
        ("leave", "", "crash", "exit status: 0"),
        ("flood", "", "flood", "lines without a move"),
        ("river", ",turn-ms=100,tolerance-ms=50", "timeout", "no move"),
        ("outside", "", "illegal", "99,99"),
        ("negative", "", "illegal", "-1,3"),
        ("occupied", "", "illegal", "occupied"),
        ("garbage", ",turn-ms=500,tolerance-ms=50", "no-move", "7, 7 / UNKNOWN what"),
        ("mute", ",start-ms=100", "no-start", "no OK"),
        ("refuse", "", "no-start", "ERROR not this board"),
        ("early", "", "no-start", "exit status: 1"),
    ];
    the_bad_brain_loses("", kinds);
}

/// Bug: the judge does not wait for the answer to START, and a brain that refused it lost on time.
#[test]
fn a_start_that_fails_under_the_judge_is_no_loss_on_time() {
    the_bad_brain_loses(
        "--judge",
        &[
            ("refuse", ",turn-ms=1000,tolerance-ms=50", "no-start", "ERROR not this board, no move after 1050 ms"),
            ("early", "", "no-start", "exit status: 1"),
            ("crash", "", "crash", "exit status: 3"),
            ("silent", ",turn-ms=1000,tolerance-ms=50", "timeout", "no move after 1050 ms"),
            ("garbage", ",turn-ms=1000,tolerance-ms=50", "no-move", "7, 7 / UNKNOWN what"),
        ],
    );
}

/// Plays a bad brain of each kind, given as behaviour, limits, reason, and a part of the note, against a plain one.
fn the_bad_brain_loses(words: &str, kinds: &[(&str, &str, &str, &str)]) {
    // They mostly wait, so several play side by side.
    std::thread::scope(|scope| {
        for some in kinds.chunks(kinds.len().div_ceil(4)) {
            scope.spawn(move || some.iter().for_each(|kind| this_one_loses(words, kind)));
        }
    });
}

fn this_one_loses(words: &str, (behaviour, limits, reason, note): &(&str, &str, &str, &str)) {
    let (games, output) = against_plain(behaviour, limits, &format!("--turn-ms 20000 {words}"));
    assert_eq!(games.len(), 2, "{behaviour}");
    for game in games {
        let value = serde_json::to_value(game.reason).unwrap();
        assert_eq!(value, Value::from(*reason), "{behaviour}: {game:?}");
        assert_eq!(game.winner.as_deref(), Some("Good"), "{behaviour}");
        assert!(game.note.contains(note), "{behaviour}: {}", game.note);
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("+0 =0 -2"), "{behaviour}: {stdout}");
}

#[test]
fn odd_answers_that_are_legal_lose_no_game() {
    for behaviour in ["stubborn", "chatter", "column 14"] {
        let (games, _) = against_plain(behaviour, "", "--turn-ms 20000");
        for game in games {
            assert_eq!(serde_json::to_value(game.reason).unwrap(), "five", "{behaviour}: {}", game.note);
        }
    }
    // A second answer to a question may arrive before or after the next question; after it, it is an occupied point. The
    // match continues in both cases.
    assert_eq!(against_plain("twice", "", "--turn-ms 20000").0.len(), 2);
}

#[test]
fn a_late_answer_within_the_tolerance_counts_and_its_overrun_is_recorded() {
    let (games, output) = against_plain("slow 0.2", ",turn-ms=50,tolerance-ms=20000", "--turn-ms 20000 --draw-after 6");
    for game in &games {
        assert_eq!(serde_json::to_value(game.reason).unwrap(), "move-limit");
        assert!(game.timing.overrun_ms.iter().any(|&ms| ms > 100.0), "{:?}", game.timing);
        assert_eq!(game.result, "1/2-1/2");
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("+0 =2 -0"), "{stdout}");
}

#[test]
fn the_pause_before_each_question_is_off_the_clock() {
    let pauses_are_off_the_clock = || {
        let started = Instant::now();
        let (games, _) = against_plain("plain", ",pause-ms=900", "--turn-ms 20000 --draw-after 4");
        // Two games at once, two moves of this side in each.
        assert!(started.elapsed() >= Duration::from_millis(2 * 900));
        for game in &games {
            assert_eq!(serde_json::to_value(game.reason).unwrap(), "move-limit", "{}", game.note);
        }
        games.iter().flat_map(|game| &game.timing.ms).all(|&ms| ms < 900.0)
    };
    // A busy machine may make one of the answers as late as a pause would.
    assert!((0..3).any(|_| pauses_are_off_the_clock()), "a pause was counted as thinking time, three times");
}

/// The standstills may end after the time is up, but within the tolerance. `TENGEN_GAMES=1000` plays many more; the
/// normal run tries again when a game is lost on time, as the machine may be busy.
#[test]
fn a_brain_that_is_stopped_at_random_while_it_thinks_loses_no_game_on_time() {
    let wanted = given("TENGEN_GAMES").map(|games| games as usize);
    let tries = if wanted.is_some() { 1 } else { 3 };
    let mut last = Vec::new();
    for _ in 0..tries {
        last = lost_with_hiccups(wanted.unwrap_or(4));
        if last.is_empty() {
            return;
        }
    }
    panic!("games were lost on time in each of {tries} tries, in the last one {last:?}");
}

/// Plays a match of brains that are stopped at random; returns the games lost on time.
fn lost_with_hiccups(games: usize) -> Vec<String> {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    let engines = ["A", "B"].map(|name| format!("name={name},cmd={brain},hiccup-ms=40"));
    let words = format!("--games {games} --turn-ms 100 --match-ms 1500 --concurrency 4 --openings {OPENINGS}");
    let output = run(&words, &[&engines[0], &engines[1]], &folder.path().join("r.jsonl"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let games_played = records(&folder.path().join("r.jsonl"));
    assert_eq!(games_played.len(), games);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    let mut lost = Vec::new();
    for game in games_played {
        let reason = serde_json::to_value(game.reason).unwrap();
        match reason.as_str().unwrap() {
            "five" | "full-board" | "announced" | "dead-draw" => {}
            "timeout" => lost.push(game.note),
            other => panic!("{other}: {}", game.note),
        }
    }
    lost
}

#[test]
fn a_forbidden_move_loses() {
    let folder = TempDir::new().unwrap();
    let openings = folder.path().join("openings.txt");
    // For black h8 is a double three; the plain brain plays elsewhere.
    std::fs::write(&openings, "h7a15h6o15g8a13f8o13\n").unwrap();
    let words = format!("--rule 4 --nodes 10 --games 2 --openings {}", openings.display());
    let path = folder.path().join("r.jsonl");
    let engines = [fake("Bad", "point 7,7"), fake("Good", "plain")];
    let output = run(&words, &[&engines[0], &engines[1]], &path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let games = records(&path);
    assert_eq!(serde_json::to_value(games[0].reason).unwrap(), "forbidden");
    assert_eq!((games[0].winner.as_deref(), games[0].result.as_str()), (Some("Good"), "0-1"));
    assert!(games[0].note.contains("double three"), "{}", games[0].note);
    assert!(games[0].moves.ends_with("h8"));
}

#[test]
#[cfg(target_os = "linux")]
fn too_much_memory_loses_when_it_is_checked() {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    for (checked, reason) in [("yes", "memory"), ("no", "five")] {
        let path = folder.path().join(checked);
        let engines = [format!("name=A,cmd={brain},memory-mb=1,check-memory={checked}"), fake("B", "plain")];
        let output = run("--nodes 200 --games 1", &[&engines[0], &engines[1]], &path);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(serde_json::to_value(records(&path)[0].reason).unwrap(), reason);
    }
}

#[test]
fn invalid_options_are_errors() {
    for (words, engines, complaint) in [
        ("", vec!["name=A,cmd=x"], "two engines"),
        ("", vec!["name=A,cmd=x", "name=A,cmd=y"], "called 'A'"),
        ("", vec!["name=A,cmd=./nowhere", "name=B,cmd=y"], "no such program"),
        ("", vec!["name=A,cmd=no-such-program-anywhere", "name=B,cmd=sh"], "cannot start A"),
        ("--sprt 0,5", vec!["name=A,cmd=x", "name=B,cmd=x", "name=C,cmd=x"], "exactly two"),
        ("--openings /nowhere", vec!["name=A,cmd=x", "name=B,cmd=x"], "/nowhere"),
    ] {
        let mut command = runner();
        for engine in &engines {
            command.args(["--engine", engine]);
        }
        let output = command.args(words.split_whitespace()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(complaint), "{words} {engines:?}: {stderr}");
    }
}
