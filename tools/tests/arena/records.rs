//! The record file, resumption after a kill, exported games, and what is counted.

use super::*;

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

/// Bug: when a signal ended the brains as well as the runner, the game counted as lost by a crash.
#[test]
fn a_signal_to_all_is_no_crash() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let output = run("--nodes 10 --games 2 --concurrency 1", &[&fake("A", "terminated"), &fake("B", "plain")], &path);
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("A against B: 0 games"));
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

/// Bug: after an odd number of games with three engines, more games were refused.
#[test]
fn a_match_of_three_engines_goes_on_after_an_odd_number_of_games() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("r.jsonl");
    let engines = [fake("A", "plain"), fake("B", "outside"), fake("C", "column 5")];
    let play = |words: &str| {
        let words = format!("--nodes 10 --seed 1 --openings {OPENINGS} {words}");
        let output = run(&words, &engines.each_ref().map(String::as_str), &path);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        records(&path)
    };
    let before = play("--games 1");
    let after = play("--games 3 --resume");
    assert_eq!((before.len(), after.len()), (3, 9));
    assert!(before.iter().all(|game| after.contains(game)));
}
