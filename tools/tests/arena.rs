//! The match runner from end to end: brains with every kind of fault, resumption after a kill, reproducibility.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tengen::tools::gamefile;
use tengen_tools::arena::game_log::GameRecord;

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/brains/fake.sh");
const OPENINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/openings/freestyle_15.txt");

/// The brain, built beside the match runner. Only a run of `cargo test` that covers the root package builds it.
fn brain() -> String {
    let path = Path::new(env!("CARGO_BIN_EXE_tengen-match")).with_file_name("pbrain-tengen");
    assert!(path.is_file(), "{} is missing: run `cargo test` at the root of the repository", path.display());
    path.display().to_string()
}

fn runner() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tengen-match"))
}

/// Runs a match with these engines and further arguments, which are separated by blanks.
fn run(words: &str, engines: &[&str], records: &Path) -> Output {
    let mut command = runner();
    for engine in engines {
        command.args(["--engine", engine]);
    }
    command.args(words.split_whitespace()).arg("--records").arg(records);
    command.output().unwrap()
}

fn fake(name: &str, behaviour: &str) -> String {
    format!("name={name},cmd=\"{FAKE} {behaviour}\"")
}

fn records(path: &Path) -> Vec<GameRecord> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Plays two games of a fake brain with this behaviour against a plain one; returns the records.
fn against_plain(behaviour: &str, limits: &str, words: &str) -> (Vec<GameRecord>, Output) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let engines = [fake("Bad", behaviour) + limits, fake("Good", "plain")];
    let output = run(&format!("--games 2 --concurrency 2 {words}"), &[&engines[0], &engines[1]], &path);
    assert!(output.status.success(), "{behaviour}: {}", String::from_utf8_lossy(&output.stderr));
    (records(&path), output)
}

#[test]
fn every_bad_brain_loses_its_games_for_the_right_reason() {
    // Behaviour, limits, reason, and a part of the note. The limits apply to the bad brain only, so that the good one does
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
        ("garbage", ",turn-ms=500,tolerance-ms=50", "timeout", "7, 7 / UNKNOWN what"),
        ("mute", ",start-ms=100", "no-start", "no OK"),
        ("refuse", "", "no-start", "ERROR not this board"),
        ("early", "", "no-start", "exit status: 1"),
    ];
    for (behaviour, limits, reason, note) in kinds {
        let (games, output) = against_plain(behaviour, limits, "--turn-ms 20000");
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
    let wanted: Option<usize> = std::env::var("TENGEN_GAMES").ok().and_then(|games| games.parse().ok());
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
fn swap2_in_all_its_ways() {
    // Behaviour of the two brains, who must be black, the first moves, and who of the two (0 and 1) placed them.
    for (first, second, black, begins, movers) in [
        ("plain", "swap", "Second", "h8i9j10", &[0, 0, 0][..]),
        ("plain", "two", "Second", "h8i9j10a1a2a6", &[0, 0, 0, 1, 1, 0]),
        ("swap", "two", "First", "h8i9j10a1a2", &[0, 0, 0, 1, 1]),
        ("plain", "plain", "First", "h8i9j10a4", &[0, 0, 0, 1]),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("r.jsonl");
        let engines = [fake("First", first), fake("Second", second)];
        let output = run("--rule 1 --swap2 --nodes 10 --games 1", &[&engines[0], &engines[1]], &path);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let game = &records(&path)[0];
        assert!(game.black == black && game.moves.starts_with(begins), "{first} {second}: {}", game.moves);
        assert!((0..game.swap2.len()).map(|index| game.mover(index)).eq(movers.iter().copied()), "{first} {second}");
        assert_eq!(serde_json::to_value(game.reason).unwrap(), "five", "{first} {second}: {}", game.note);
    }
    let (games, _) = against_plain("three", "", "--rule 1 --swap2 --nodes 10");
    assert_eq!(serde_json::to_value(games[1].reason).unwrap(), "illegal");
    assert_eq!(games[1].winner.as_deref(), Some("Good"));
}

#[test]
fn as_the_judge_runs_them() {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let engines = [format!("name=Tengen,cmd={brain},turn-ms=30,tolerance-ms=20000"), fake("Fake", "plain")];
    let output = run(
        "--judge --turn-ms 20000 --match-ms 600000 --games 2 --rule 8 --concurrency 1",
        &[&engines[0], &engines[1]],
        &path,
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for game in records(&path) {
        assert_eq!(game.winner.as_deref(), Some("Tengen"), "{game:?}");
        assert_eq!(serde_json::to_value(game.reason).unwrap(), "five", "{game:?}");
    }
}

/// The records without their times.
fn timeless(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        line.as_object_mut().unwrap().remove("timing");
    }
    lines
}

fn openings(folder: &Path) -> PathBuf {
    let path = folder.join("openings.txt");
    std::fs::write(&path, "h8i9h10\n-1,2, 3,4, 0,0\ng7h8\n# a comment\nk5k6l7\n").unwrap();
    path
}

fn own_match(folder: &Path, name: &str, words: &str) -> (PathBuf, Output) {
    let brain = brain();
    let path = folder.join(name);
    let engines = [format!("name=A,cmd={brain},nodes=600"), format!("name=B,cmd={brain},nodes=400")];
    let words = format!("--games 10 --seed 3 --openings {} {words}", openings(folder).display());
    let output = run(&words, &[&engines[0], &engines[1]], &path);
    (path, output)
}

#[test]
fn node_limited_matches_repeat_to_the_move_whatever_the_concurrency() {
    let folder = TempDir::new().unwrap();
    let runs = ["--concurrency 1", "--concurrency 2", "--concurrency 2 --restart --suspend"].map(|words| {
        let (path, output) = own_match(folder.path(), &words.replace(' ', "_"), words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        timeless(&path)
    });
    assert_eq!(runs[0].len(), 10);
    assert!(runs[0].iter().enumerate().all(|(number, game)| game["game"] == number));
    assert_eq!(runs[0], runs[1]);
    // With new processes the match has another fingerprint, and the same games.
    for (warm, fresh) in runs[0].iter().zip(&runs[2]) {
        assert_eq!((&warm["moves"], &warm["nodes"]), (&fresh["moves"], &fresh["nodes"]));
    }
}

#[test]
fn a_kill_loses_no_finished_game() {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    let (whole, _) = own_match(folder.path(), "whole.jsonl", "--concurrency 1");
    let path = folder.path().join("killed.jsonl");
    let engines = [format!("name=A,cmd={brain},nodes=600"), format!("name=B,cmd={brain},nodes=400")];
    let mut command = runner();
    command.args(["--engine", &engines[0], "--engine", &engines[1], "--games", "10", "--seed", "3"]);
    command.arg("--openings").arg(openings(folder.path())).arg("--records").arg(&path);
    let mut child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let count = || std::fs::read_to_string(&path).map_or(0, |text| text.matches('\n').count());
    let deadline = Instant::now() + Duration::from_secs(30);
    while count() < 3 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before: BTreeMap<usize, GameRecord> = {
        let text = std::fs::read_to_string(&path).unwrap();
        let games = text.lines().filter_map(|line| serde_json::from_str::<GameRecord>(line).ok());
        games.map(|game| (game.game, game)).collect()
    };
    assert!(before.len() >= 3);
    // A kill may also cut the last line.
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"match\":\"torn");
    std::fs::write(&path, text).unwrap();
    // Without --resume the file is not changed.
    let (_, refused) = own_match(folder.path(), "killed.jsonl", "");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--resume"));
    let (_, output) = own_match(folder.path(), "killed.jsonl", "--resume --concurrency 2");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(timeless(&path), timeless(&whole));
    let after = records(&path);
    // Finished games are kept and not played again: their times are the same.
    assert!(before.values().all(|game| after[game.game] == *game));
    // Another match cannot continue this file.
    let (_, refused) = own_match(folder.path(), "killed.jsonl", "--resume --rule 8");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("different match"));
}

#[test]
fn an_interrupt_ends_cleanly() {
    // A busy machine may make one of the ends late. Bug: it did not end while a brain kept sending lines.
    let is_prompt = |behaviour| (0..3).any(|_| seconds_after_an_interrupt(behaviour) < 5);
    assert!(["slow 30", "flood"].into_iter().all(is_prompt), "the end took five seconds, three times");
}

/// Interrupts a match in which a brain thinks for long; returns the whole seconds until it has ended.
fn seconds_after_an_interrupt(behaviour: &str) -> u64 {
    use nix::sys::signal::{Signal, kill};
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let mut command = runner();
    command.args(["--engine", &fake("A", behaviour), "--engine", &fake("B", "plain"), "--games", "4"]);
    command.args(["--turn-ms", "60000", "--records"]).arg(&path);
    let thinks = folder.path().join("thinks");
    command.env("FAKE_BRAIN_THINKS", &thinks);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !thinks.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let begun = Instant::now();
    kill(nix::unistd::Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("A against B: 0 games"));
    begun.elapsed().as_secs()
}

#[test]
fn the_sequential_test_stops_and_its_records_do_not_depend_on_the_workers() {
    let folder = TempDir::new().unwrap();
    let runs = [1, 2].map(|workers| {
        let path = folder.path().join(format!("{workers}.jsonl"));
        let engines = [fake("A", "plain"), fake("B", "outside")];
        let words =
            format!("--nodes 10 --games 400 --sprt 0,200 --concurrency {workers} --openings {OPENINGS} --seed 1");
        let output = run(&words, &[&engines[0], &engines[1]], &path);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(stdout.contains("accepted"), "{stdout}");
        timeless(&path)
    });
    assert!(runs[0].len() < 400 && runs[0].len().is_multiple_of(2));
    assert_eq!(runs[0], runs[1]);
}

/// Bug: `--resume --games 2` took all other games out of the file.
#[test]
fn fewer_games_on_resume_remove_none() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let engines = [fake("A", "plain"), fake("B", "outside")];
    let words = |games: usize| format!("--nodes 10 --games {games} --openings {OPENINGS}");
    assert!(run(&words(6), &[&engines[0], &engines[1]], &path).status.success());
    let before = records(&path);
    let refused = run(&format!("{} --resume", words(2)), &[&engines[0], &engines[1]], &path);
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && stderr.contains("--games"), "{stderr}");
    assert_eq!(records(&path), before);
}

/// Bug: a test that decides earlier than the games go took the later ones out of the file.
#[test]
fn another_sequential_test_on_resume_removes_no_game() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let engines = [fake("A", "plain"), fake("B", "outside")];
    let words = format!("--nodes 10 --games 100 --openings {OPENINGS}");
    assert!(run(&words, &[&engines[0], &engines[1]], &path).status.success());
    let before = records(&path);
    let resumed = run(&format!("{words} --resume --sprt 0,200"), &[&engines[0], &engines[1]], &path);
    let stdout = String::from_utf8_lossy(&resumed.stdout);
    assert!(stdout.contains("accepted") && !stdout.contains("B: 100 games"), "{stdout}");
    assert_eq!(records(&path), before);
}

/// Bug: `--sgf` emptied a file of other games, which `--records` refuses.
#[test]
fn an_existing_sgf_file_is_not_replaced_by_a_new_match() {
    let folder = TempDir::new().unwrap();
    let (path, sgf) = (folder.path().join("r.jsonl"), folder.path().join("games.sgf"));
    std::fs::write(&sgf, "(;FF[4])\n").unwrap();
    let engines = [fake("A", "plain"), fake("B", "outside")];
    // Bug: --resume without games to continue replaced it all the same, as did every test of a queue.
    for words in ["", "--resume"] {
        let words = format!("--nodes 10 --games 2 --sgf {} {words}", sgf.display());
        let refused = run(&words, &[&engines[0], &engines[1]], &path);
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && stderr.contains("games.sgf has games of another match"), "{stderr}");
        assert_eq!(std::fs::read_to_string(&sgf).unwrap(), "(;FF[4])\n");
        assert!(!path.exists());
    }
}

/// Bug: the games of two matches have the same names, and the second replaced those of the first.
#[test]
fn a_folder_with_games_of_another_match_is_refused() {
    let folder = TempDir::new().unwrap();
    let (path, game) = (folder.path().join("r.jsonl"), folder.path().join("000000_A_B.psq"));
    std::fs::write(&game, "").unwrap();
    let engines = [fake("A", "plain"), fake("B", "outside")];
    let refused = run(&format!("--games 2 --psq {}", folder.path().display()), &[&engines[0], &engines[1]], &path);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("has games of another match"));
    assert!(!refused.status.success() && std::fs::read_to_string(&game).unwrap().is_empty() && !path.exists());
}

#[test]
fn a_gauntlet_with_all_files_and_a_rating_table() {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    let (psq, sgf) = (folder.path().join("psq"), folder.path().join("games.sgf"));
    let path = folder.path().join("r.jsonl");
    let engines = [format!("name=Tengen,cmd={brain}"), fake("Fake", "plain"), fake("Column", "column 2")];
    let words = format!(
        "--gauntlet --nodes 300 --games 4 --size 15 --psq {} --sgf {} --openings {}",
        psq.display(),
        sgf.display(),
        openings(folder.path()).display()
    );
    let output = run(&words, &[&engines[0], &engines[1], &engines[2]], &path);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("rating"), "{stdout}");
    // The columns: engine, rating, its error, points, games.
    let has_eight_games = |line: &str| {
        let columns: Vec<&str> = line.split_whitespace().take(5).collect();
        matches!(columns[..], ["Tengen", _, _, _, "8"])
    };
    assert!(stdout.lines().any(has_eight_games), "{stdout}");
    let games = records(&path);
    assert_eq!(games.len(), 8);
    assert!(games.iter().all(|game| game.players.contains(&"Tengen".to_owned())));
    let tengen_thinks = games.iter().flat_map(|game| &game.depths).flatten().count();
    assert!(tengen_thinks > 0, "depths are read from MESSAGE lines");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&psq).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 8);
    for (file, game) in files.iter().zip(&games) {
        let read = gamefile::parse(&std::fs::read_to_string(file).unwrap(), None).unwrap();
        assert_eq!((Some(read.size), read.moves()), (game.size(), Some(&game.stones()[..])));
    }
    let text = std::fs::read_to_string(&sgf).unwrap();
    let trees: Vec<&str> = text.lines().collect();
    assert_eq!(trees.len(), 8);
    for (tree, game) in trees.iter().zip(&games) {
        assert_eq!(gamefile::parse(tree, None).unwrap().moves(), Some(&game.stones()[..]));
    }
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
fn rectangular_boards_and_every_rule() {
    let brain = brain();
    for rule in [0, 1, 4, 8, 9] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("r.jsonl");
        let engines = [format!("name=A,cmd={brain}"), format!("name=B,cmd={brain}")];
        let words = format!("--rule {rule} --size 9x7 --nodes 100 --games 2 --to-the-end");
        let output = run(&words, &[&engines[0], &engines[1]], &path);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for game in records(&path) {
            assert_eq!((game.width, game.height, game.rule), (9, 7, rule));
            let reason = serde_json::to_value(game.reason).unwrap();
            assert!(["five", "full-board", "forbidden"].contains(&reason.as_str().unwrap()), "{game:?}");
        }
    }
}

/// A match on several grounds, once played to the end and once adjudicated: the same results with fewer moves.
#[test]
fn adjudication_ends_games_sooner_with_the_same_results() {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    let engines = [format!("name=A,cmd={brain},nodes=300"), format!("name=B,cmd={brain},nodes=400")];
    let play = |name: &str, more: &str| {
        let path = folder.path().join(name);
        let words = format!("--ground 0:15:{OPENINGS} --ground 8:7 --ground 4:9x8 --games 12 --seed 5 {more}");
        let output = run(&words, &[&engines[0], &engines[1]], &path);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (records(&path), String::from_utf8(output.stdout).unwrap())
    };
    let (whole, table) = play("whole.jsonl", "--to-the-end");
    let (adjudicated, _) = play("adjudicated.jsonl", "");
    assert!(table.contains("8:7") && table.contains("4:9x8"), "{table}");
    let mut shorter = 0;
    for (whole, adjudicated) in whole.iter().zip(&adjudicated) {
        assert_eq!(whole.winner, adjudicated.winner, "{whole:?} {adjudicated:?}");
        assert!(whole.moves.starts_with(&adjudicated.moves));
        if let Some(would_end) = &whole.would_end {
            assert_eq!(would_end.winner, whole.winner);
            assert_eq!(would_end.stones, adjudicated.stones().len());
        }
        shorter += usize::from(adjudicated.moves.len() < whole.moves.len());
    }
    assert!(shorter >= 4, "{shorter} of 12 games ended sooner");
}

#[test]
fn games_of_two_seeds_are_counted_together_and_none_twice() {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    let engines = [format!("name=A,cmd={brain},nodes=100"), format!("name=B,cmd={brain},nodes=200")];
    let paths = [1, 2].map(|seed| {
        let path = folder.path().join(format!("{seed}.jsonl"));
        let words = format!("--ground 0:15:{OPENINGS} --games 4 --seed {seed}");
        assert!(run(&words, &[&engines[0], &engines[1]], &path).status.success());
        path
    });
    let count = |files: &[&Path]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
        let output = command.arg("count").args(files).args(["--sprt", "0,10"]).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (is_fine, both) = count(&[&paths[0], &paths[1], &paths[0]]);
    assert!(is_fine && both.contains("8 games") && both.contains("2 seeds") && both.contains("SPRT [0, 10]"), "{both}");
    let other = folder.path().join("other.jsonl");
    assert!(run("--size 9 --games 2 --seed 1", &[&engines[0], &engines[1]], &other).status.success());
    assert!(!count(&[&paths[0], &other]).0, "another test");
}

/// Bug: a file without games was counted as a match of two engines without names.
#[test]
fn a_file_without_games_is_not_counted() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.txt");
    for text in ["", "not a record\n"] {
        std::fs::write(&path, text).unwrap();
        let output = runner().arg("count").arg(&path).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains("games.txt"), "{stderr}");
    }
}

/// Resuming without a seed takes the one of the records.
#[test]
fn a_drawn_seed_is_recorded_and_taken_up_again() {
    let brain = brain();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let engines = [format!("name=A,cmd={brain},nodes=100"), format!("name=B,cmd={brain},nodes=100")];
    let words = |games: usize| format!("--ground 0:15:{OPENINGS} --games {games}");
    assert!(run(&words(2), &[&engines[0], &engines[1]], &path).status.success());
    let before = records(&path);
    assert!(run(&format!("{} --resume", words(4)), &[&engines[0], &engines[1]], &path).status.success());
    let after = records(&path);
    assert_eq!(after[..2], before);
    assert!(after.len() == 4 && after.iter().all(|game| game.seed == before[0].seed));
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
