//! Whole matches: openings, rules, the judge, adjudication, reproducibility.

use super::*;

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

#[test]
fn node_limited_matches_repeat_to_the_move_whatever_the_concurrency() {
    let folder = TempDir::new().unwrap();
    let runs = [(1, ""), (2, ""), (2, ",restart=yes,suspend=yes")].map(|(concurrency, fields)| {
        let name = format!("{concurrency}{fields}");
        let (path, output) = match_of(folder.path(), &name, &format!("--concurrency {concurrency}"), fields);
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
