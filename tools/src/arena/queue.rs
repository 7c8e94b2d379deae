//! Tests that wait in a file, played one after the other.
//!
//! A line of the file is `NAME NEW OLD OPTIONS`: a name without blanks, two git revisions, and options of `tengen-match`.
//! A revision may be followed by engine fields, as in `main,info.tune.lmr_factor=75`; with tuned numbers both brains are
//! built for tuning. Lines that begin with `#` are comments. The file is read again before each test, so that lines can
//! be added at any time.
//!
//! A finished test is a row in the table of experiments. Everything else is kept in a folder beside the file: `NAME.json` the
//! commits, `NAME.jsonl` the games, `NAME.row` the row, `NAME.failed` why the test could not be played; the brains. A queue that
//! was killed goes on where it stopped; deleting `NAME.failed` retries that test; without games, on the commits its revisions
//! then name.

use super::cancel::{Cancel, RunEnd};
use super::display::elo_text;
use super::game_log;
use super::ground::Ground;
use super::match_options::{Arguments, Setup};
use super::pooled_count::Pool;
use super::revision::{self, Builds, Side};
use super::spec::split_quoted;
use super::sprt::{SprtBounds, Verdict, llr_text};
use super::tally::MatchSums;
use super::tournament;
use crate::experiments::{self, Row};
use crate::output_file;
use crate::state_file;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tengen::engine::files;

/// What a queue's command line says.
#[derive(clap::Args, Debug, Clone)]
pub struct QueueArguments {
    /// The file of tests; see `tengen-match queue --help`. Example: tengen-match queue tests.txt
    pub file: PathBuf,
    /// List finished, running and waiting tests; play nothing. Example: tengen-match queue tests.txt --status
    #[arg(long)]
    pub status: bool,
    /// The folder of the table that gets a row for each finished test. Example: --experiments experiments
    #[arg(long, value_name = "DIR", default_value = experiments::FOLDER)]
    pub experiments: PathBuf,
}

/// The name of the old brain in the records; the new one has that of the test.
const OLD: &str = "Old";

/// One test of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    /// The new brain and the old one.
    sides: [Side; 2],
    options: Vec<String>,
}

/// The commits of a test, fixed by its first game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Commits([String; 2]);

/// The row of a finished test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Finished {
    row: Row,
    /// Whether the table has it; what happens to it there is no matter of the queue's.
    is_in_table: bool,
}

impl Entry {
    fn parse(line: &str) -> Result<Entry> {
        let words: Vec<String> = split_quoted(line, ' ').into_iter().filter(|word| !word.is_empty()).collect();
        let [name, new, old, options @ ..] = &words[..] else { bail!("expected NAME NEW OLD OPTIONS: {line}") };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        ensure!(name.chars().all(is_plain), "'{name}' is no name: letters, digits, '-', '_' and '.' are allowed");
        ensure!(name != OLD, "'{OLD}' is the name of the old brain");
        let entry =
            Entry { name: name.clone(), sides: [new, old].map(|text| Side::parse(text)), options: options.to_vec() };
        // Mistakes are reported before anything is built.
        entry.arguments(&[PathBuf::from("new"), PathBuf::from("old")], Path::new("records"))?;
        Ok(entry)
    }

    /// The match to be played.
    fn arguments(&self, brains: &[PathBuf; 2], records: &Path) -> Result<Arguments> {
        let mut options = self.options.clone();
        options.extend(["--records".to_owned(), records.display().to_string(), "--resume".to_owned()]);
        // The records of two tests have different names, so that they are not counted together.
        let arguments = revision::arguments(&self.sides, [&self.name, OLD], brains, &options);
        let mut arguments = arguments.with_context(|| self.name.clone())?;
        let engines = arguments.engines().with_context(|| self.name.clone())?;
        if engines.iter().any(|engine| !engine.limits.is_reproducible()) {
            // Timed games need an otherwise idle machine.
            arguments.concurrency.get_or_insert(1);
        }
        Ok(arguments)
    }
}

/// A queue, its folder, and that of the table.
struct Queue {
    file: PathBuf,
    folder: PathBuf,
    experiments: PathBuf,
}

impl Queue {
    fn new(arguments: &QueueArguments) -> Queue {
        let QueueArguments { file, experiments, .. } = arguments.clone();
        Queue { folder: files::beside(&file, ".d"), file, experiments }
    }

    /// The tests of the file, and what is wrong with the other lines: one may be half written.
    fn entries(&self) -> Result<(Vec<Entry>, Vec<anyhow::Error>)> {
        let text = fs::read_to_string(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let lines = text
            .trim_start_matches('\u{feff}')
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (mut entries, mut mistakes) = (Vec::<Entry>::new(), Vec::new());
        for line in lines {
            match Entry::parse(line) {
                Ok(entry) if entries.iter().any(|other| other.name == entry.name) => {
                    mistakes.push(anyhow!("two tests are called '{}'", entry.name));
                }
                Ok(entry) => entries.push(entry),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        Ok((entries, mistakes))
    }

    fn path(&self, entry: &Entry, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", entry.name))
    }

    /// The row of a finished test.
    fn finished(&self, entry: &Entry) -> Result<Option<Finished>> {
        state_file::read(&self.path(entry, "row"), "the row of a test")
    }

    /// Whether a test is to be played, or its row to be put into the table.
    fn is_open(&self, entry: &Entry) -> Result<bool> {
        let is_done = self.finished(entry)?.is_some_and(|finished| finished.is_in_table);
        Ok(!is_done && !self.path(entry, "failed").exists())
    }

    /// The commits that a test compares: those of its games, if there are any, otherwise those of today.
    fn commits(&self, entry: &Entry) -> Result<Commits> {
        let path = self.path(entry, "json");
        if game_log::has_games(&self.path(entry, "jsonl")) {
            let commits = state_file::read(&path, "the commits of a test")?;
            return commits.with_context(|| format!("there are games, but {} is missing", path.display()));
        }
        let rows = experiments::read(&self.experiments)?;
        ensure!(rows.iter().all(|row| row.id != entry.name), "another experiment is called '{}'", entry.name);
        let commits = Commits([entry.sides[0].commit()?, entry.sides[1].commit()?]);
        state_file::write(&commits, &path)?;
        Ok(commits)
    }

    /// Plays a test, or what is missing of it; its row, unless it was interrupted.
    fn play(&self, entry: &Entry, interrupted: &Cancel) -> Result<Option<Row>> {
        match self.finished(entry)? {
            Some(finished) => Ok(Some(finished.row)),
            None => self.games(entry, interrupted),
        }
    }

    /// Puts the row of a test into the table. It is written beside the games first, so that a kill at any moment neither loses
    /// nor doubles it.
    fn enter(&self, entry: &Entry, row: Row) -> Result<()> {
        let mut finished = Finished { row, is_in_table: false };
        state_file::write(&finished, &self.path(entry, "row"))?;
        experiments::add(&self.experiments, &finished.row)?;
        finished.is_in_table = true;
        state_file::write(&finished, &self.path(entry, "row"))
    }

    /// Plays what is missing of a test; its row, unless it was interrupted.
    fn games(&self, entry: &Entry, interrupted: &Cancel) -> Result<Option<Row>> {
        let commits = self.commits(entry)?;
        let is_tuned = entry.sides.iter().any(Side::is_tuned);
        let builds = Builds::new(&self.folder)?;
        let brains = [builds.brain(&commits.0[0], is_tuned)?, builds.brain(&commits.0[1], is_tuned)?];
        let records = self.path(entry, "jsonl");
        let arguments = entry.arguments(&brains, &records)?;
        if tournament::run(arguments.clone(), interrupted)? == RunEnd::Interrupted {
            return Ok(None);
        }
        // Only now: the seed is that of the records.
        let setup = Setup::new(arguments)?;
        Ok(Some(row(entry, &commits, &setup, &counted(&records, setup.sprt.as_ref())?)))
    }

    /// One line a test.
    fn status(&self) -> Result<String> {
        let mut text = String::new();
        let (entries, mistakes) = self.entries()?;
        for entry in entries {
            let state = if let Ok(reason) = fs::read_to_string(self.path(&entry, "failed")) {
                format!("failed: {}", reason.trim())
            } else if let Some(Finished { row, .. }) = self.finished(&entry)? {
                let llr = row.llr.map(|llr| format!(", LLR {llr} {}", row.verdict)).unwrap_or_default();
                format!("{} games, Elo {}{llr}", row.games, row.elo_text())
            } else if self.path(&entry, "jsonl").exists() {
                let arguments = entry.arguments(&["new".into(), "old".into()], Path::new("records"))?;
                let bounds = arguments.sprt.bounds;
                let pool = counted(&self.path(&entry, "jsonl"), bounds.as_ref())?;
                let games: u64 = pool.tally().total.games.iter().sum();
                let mut state = format!("playing: {games} of {} games", arguments.games);
                if let Some(elo) = pool.tally().total.pairs.elo() {
                    let _ = write!(state, ", Elo {}", elo_text(&elo));
                }
                if let Some(bounds) = bounds {
                    let _ = write!(state, ", {}", llr_text(pool.tally().total.pairs.llr(&bounds)));
                }
                state
            } else {
                "waiting".to_owned()
            };
            let _ = writeln!(text, "{:<20} {state}", entry.name);
        }
        for mistake in mistakes {
            let _ = writeln!(text, "not a test: {mistake:#}");
        }
        Ok(text)
    }
}

/// The games of a record file in order, until the test decides: a kill after the decision leaves games that do not count.
fn counted(records: &Path, bounds: Option<&SprtBounds>) -> Result<Pool> {
    let mut games = game_log::records(records)?;
    games.sort_by_key(|game| game.game);
    let mut pool = Pool::default();
    for game in &games {
        pool.add(game).with_context(|| format!("{} game {}", records.display(), game.game))?;
        if bounds.is_some_and(|bounds| Verdict::of(pool.tally().total.pairs.llr(bounds)).is_final()) {
            break;
        }
    }
    Ok(pool)
}

/// The row of a finished test. What it is about, people have to add.
fn row(entry: &Entry, commits: &Commits, setup: &Setup, pool: &Pool) -> Row {
    let side = |index: usize| {
        let commit = &commits.0[index];
        entry.sides[index].describe(commit.get(..10).unwrap_or(commit))
    };
    let tenths = |value: f64| value.is_finite().then(|| (value * 10.0).round() / 10.0 + 0.0);
    let MatchSums { pairs, games, .. } = &pool.tally().total;
    let elo = pairs.elo();
    let test = setup.sprt.as_ref().map(|bounds| (bounds, pairs.llr(bounds)));
    // Like the pool, which counts all openings of a rule and board together.
    let mut grounds: Vec<String> = Vec::new();
    for code in setup.schedule.grounds.iter().map(Ground::code) {
        if !grounds.contains(&code) {
            grounds.push(code);
        }
    }
    let each = grounds.iter().zip(&pool.tally().grounds).filter_map(|(code, sums)| {
        let elo = sums.pairs.elo()?;
        Some(format!("{code} {}", elo_text(&elo)))
    });
    let result = if grounds.len() > 1 { each.collect::<Vec<_>>().join(", ") } else { String::new() };
    let [new, old] = [0, 1].map(|index| setup.engines[index].limits.describe());
    Row {
        id: entry.name.clone(),
        date: chrono::Utc::now().date_naive().to_string(),
        new: side(0),
        old: side(1),
        grounds: grounds.join(", "),
        limits: if new == old { new } else { format!("{new} against {old}") },
        bounds: test.map(|(bounds, _)| format!("[{}, {}]", bounds.elo0, bounds.elo1)).unwrap_or_default(),
        games: games.iter().sum(),
        wdl: Some(*games),
        elo: elo.and_then(|elo| tenths(elo.elo)),
        interval: elo.map(|elo| [tenths(elo.low), tenths(elo.high)]),
        llr: test.map(|(_, llr)| (llr * 100.0).round() / 100.0),
        verdict: test.map(|(_, llr)| Verdict::of(llr).row_name().to_owned()).unwrap_or_default(),
        seed: setup.seed.to_string(),
        result,
        ..Row::default()
    }
}

/// Plays the tests of a file until none is left, or shows how far they are.
///
/// # Errors
/// If another queue works in its folder, or a file cannot be read or written, the table included. A test that cannot be played
/// is noted, and the next one follows. A line that is no test is an error after all the others.
pub fn run(arguments: &QueueArguments, interrupted: &Cancel) -> Result<RunEnd> {
    let queue = Queue::new(arguments);
    if arguments.status {
        std::io::stdout().write_all(queue.status()?.as_bytes())?;
        return Ok(RunEnd::Finished);
    }
    fs::create_dir_all(&queue.folder).with_context(|| format!("cannot create {}", queue.folder.display()))?;
    let mut known_mistakes = HashSet::new();
    let _lock = output_file::lock(&queue.folder.join("queue"))?;
    loop {
        let (entries, mistakes) = queue.entries()?;
        let mistakes: Vec<String> = mistakes.iter().map(|mistake| format!("{mistake:#}")).collect();
        let mut open = entries.into_iter().map(|entry| queue.is_open(&entry).map(|is_open| is_open.then_some(entry)));
        let Some(entry) = open.find_map(Result::transpose).transpose()? else {
            ensure!(mistakes.is_empty(), "{}", mistakes.join("; "));
            return Ok(RunEnd::Finished);
        };
        mistakes.into_iter().filter(|text| known_mistakes.insert(text.clone())).for_each(|text| log::warn!("{text}"));
        // A table that cannot be read is no fault of the test.
        experiments::read(&queue.experiments)?;
        // If this fails, there is nowhere to report it.
        let _ = writeln!(std::io::stderr(), "{}", entry.name);
        match queue.play(&entry, interrupted) {
            Ok(Some(row)) => queue.enter(&entry, row)?,
            Ok(None) => return Ok(RunEnd::Interrupted),
            // Ctrl-C ends git and cargo too.
            Err(_) if interrupted.is_set() => return Ok(RunEnd::Interrupted),
            Err(error) => output_file::write(&queue.path(&entry, "failed"), format!("{error:#}\n"))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game_log::GameRecord;

    /// A file of records whose first game was cut by a kill.
    const CUT: &str = "{";

    #[test]
    fn a_line_is_a_name_two_revisions_and_a_match() {
        let entry =
            Entry::parse("lmr-75 main,info.tune.lmr=75 a8f36f8 --nodes 10000 --sprt 0,10 --games 8000").unwrap();
        assert_eq!((entry.name.as_str(), entry.sides.each_ref().map(Side::is_tuned)), ("lmr-75", [true, false]));
        let arguments = entry.arguments(&["new".into(), "old".into()], Path::new("r.jsonl")).unwrap();
        assert_eq!(arguments.engine[0], "name=lmr-75,cmd=\"new\",info.tune.lmr=75");
        assert_eq!(
            (arguments.games, arguments.sprt.bounds, arguments.resume),
            (8000, Some(SprtBounds { elo0: 0.0, elo1: 10.0 }), true)
        );
        assert_eq!(arguments.concurrency, None);
        for bad in ["", "name", "name new", "na/me new old", "name new old --nosuch", "name new old --sprt 5,0"] {
            assert!(Entry::parse(bad).is_err(), "{bad}");
        }
    }

    fn concurrency(line: &str) -> Option<usize> {
        let entry = Entry::parse(line).unwrap();
        entry.arguments(&["a".into(), "b".into()], Path::new("r")).unwrap().concurrency
    }

    #[test]
    fn timed_tests_run_alone() {
        for timed in ["--turn-ms 100", "--turn-ms=100", "--match-ms 5000"] {
            assert_eq!(concurrency(&format!("t new old {timed}")), Some(1));
            assert_eq!(concurrency(&format!("t new old {timed} --concurrency 2")), Some(2));
        }
    }

    /// Bug: only the options of the whole match were looked at.
    #[test]
    fn a_test_without_limits_or_with_one_timed_side_runs_alone() {
        assert_eq!(concurrency("t new old"), Some(1));
        assert_eq!(concurrency("t new,turn-ms=100 old --nodes 1000"), Some(1));
        assert_eq!(concurrency("t new old,match-ms=5000 --nodes 1000"), Some(1));
        assert_eq!(concurrency("t new,nodes=10 old,depth=3"), None);
    }

    /// A queue in this folder with this file, and an empty table.
    fn queue(folder: &Path, text: &str) -> (Queue, QueueArguments) {
        let experiments = folder.join("experiments");
        fs::create_dir_all(&experiments).unwrap();
        fs::write(experiments.join("table.jsonl"), "").unwrap();
        let arguments = QueueArguments { file: folder.join("tests.txt"), status: false, experiments };
        fs::write(&arguments.file, text).unwrap();
        let queue = Queue::new(&arguments);
        fs::create_dir_all(&queue.folder).unwrap();
        (queue, arguments)
    }

    /// A test between two fake brains that are there already; its first game was cut by a kill.
    #[cfg(unix)]
    fn begun(queue: &Queue, line: &str) -> Entry {
        let entry = Entry::parse(line).unwrap();
        let commits = ["1", "2"].map(str::to_owned);
        for commit in &commits {
            let build = queue.folder.join("builds").join(commit);
            fs::create_dir_all(&build).unwrap();
            let brain = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/brains/fake.sh");
            std::os::unix::fs::symlink(brain, build.join("pbrain-tengen")).unwrap();
        }
        output_file::write(&queue.path(&entry, "json"), serde_json::to_string(&Commits(commits)).unwrap()).unwrap();
        output_file::write(&queue.path(&entry, "jsonl"), CUT).unwrap();
        entry
    }

    /// Bug: the row named a seed of its own, with which the test could not be repeated.
    #[cfg(unix)]
    #[test]
    fn the_row_names_the_seed_of_the_games() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _) = queue(folder.path(), "");
        let entry = begun(&queue, "t new old --nodes 100 --games 2 --draw-after 4 --quiet");
        let row = queue.play(&entry, &Cancel::default()).unwrap().unwrap();
        queue.enter(&entry, row).unwrap();
        let games = game_log::records(&queue.path(&entry, "jsonl")).unwrap();
        let rows = experiments::read(&queue.experiments).unwrap();
        assert_eq!((rows.len(), games.len(), rows[0].games), (1, 2, 2));
        assert_eq!((&rows[0].seed, &rows[0].new[..]), (&games[0].seed.to_string(), "new (1)"));
        assert_eq!((&rows[0].grounds[..], rows[0].wdl), ("f15", Some([0, 2, 0])));
    }

    /// Bug: of two grounds with one rule and board, the second was given the result of the third.
    #[cfg(unix)]
    #[test]
    fn a_row_names_a_rule_and_board_once() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _) = queue(folder.path(), "");
        let grounds = "--ground 0:15 --ground 0:15 --ground 4:15";
        let entry = begun(&queue, &format!("t new old --nodes 100 --games 6 --draw-after 4 --quiet {grounds}"));
        let row = queue.play(&entry, &Cancel::default()).unwrap().unwrap();
        let each: Vec<&str> = row.result.split(' ').filter(|word| word.starts_with(['f', 'r'])).collect();
        assert_eq!((&row.grounds[..], row.games, each), ("f15, r15", 6, vec!["f15", "r15"]));
    }

    /// Bug: the games of two tests were counted as one.
    #[test]
    fn the_records_of_two_tests_have_different_names() {
        let names = |line: &str| {
            let engines = Entry::parse(line).unwrap().arguments(&["a".into(), "b".into()], Path::new("r")).unwrap();
            engines.engines().unwrap().into_iter().map(|engine| engine.name).collect::<Vec<_>>()
        };
        assert_eq!(names("t new old"), ["t", OLD]);
        assert_eq!(names("u new old"), ["u", OLD]);
        assert!(Entry::parse("Old new old").is_err());
    }

    /// Bug: while the table could not be read, each waiting test was noted as one that cannot be played.
    #[test]
    fn a_damaged_table_is_no_fault_of_the_tests() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, arguments) = queue(folder.path(), "t HEAD HEAD --nodes 100\n");
        fs::write(queue.experiments.join("table.jsonl"), "<<<<<<< HEAD\n").unwrap();
        assert!(run(&arguments, &Cancel::default()).unwrap_err().to_string().contains("table.jsonl line 1"));
        assert!(!queue.folder.join("t.failed").exists());
    }

    /// Bug: a row was lost for good, or written twice, if the queue was killed after the last game.
    #[cfg(unix)]
    #[test]
    fn a_kill_neither_loses_nor_doubles_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, arguments) = queue(folder.path(), "t new old --nodes 100 --games 2 --draw-after 4 --quiet\n");
        let entry = begun(&queue, "t new old --nodes 100 --games 2 --draw-after 4 --quiet");
        let rows = || experiments::read(&queue.experiments).unwrap();
        run(&arguments, &Cancel::default()).unwrap();
        let finished = queue.finished(&entry).unwrap().unwrap();
        assert_eq!((finished.is_in_table, rows()), (true, vec![finished.row.clone()]));
        // Killed after the row was written beside the games, and after it was put into the table.
        for text in ["", &fs::read_to_string(queue.experiments.join("table.jsonl")).unwrap()] {
            fs::write(queue.experiments.join("table.jsonl"), text).unwrap();
            state_file::write(&Finished { is_in_table: false, ..finished.clone() }, &queue.path(&entry, "row"))
                .unwrap();
            run(&arguments, &Cancel::default()).unwrap();
            assert_eq!(rows(), std::slice::from_ref(&finished.row));
        }
        // What people do to the row later stays.
        fs::write(queue.experiments.join("table.jsonl"), "").unwrap();
        run(&arguments, &Cancel::default()).unwrap();
        assert_eq!(rows(), []);
    }

    /// Bug: after a kill between the decision and the end, the row counted games that had been finished after the decision.
    #[cfg(unix)]
    #[test]
    fn games_after_the_decision_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _) = queue(folder.path(), "");
        let entry = begun(&queue, "t new old --nodes 100 --games 2 --draw-after 4 --quiet");
        queue.play(&entry, &Cancel::default()).unwrap();
        let records = queue.path(&entry, "jsonl");
        let played = game_log::records(&records).unwrap();
        // Fifteen pairs that the new brain wins, then six that the old one wins: none is another one turned.
        let corners: Vec<String> = [("abcdefgh", 1), ("bcdefgh", 2), ("cdefgh", 3)]
            .iter()
            .flat_map(|(columns, row)| columns.chars().map(move |column| format!("h8{column}{row}")))
            .collect();
        let game = |game: usize| GameRecord {
            game,
            moves: corners[game / 2].clone(),
            winner: Some(if game < 30 { "t" } else { OLD }.to_owned()),
            ..played[game % 2].clone()
        };
        let lines = (0..42).map(|number| serde_json::to_string(&game(number)).unwrap() + "\n");
        fs::write(&records, lines.collect::<String>()).unwrap();
        let bounds = SprtBounds { elo0: 0.0, elo1: 400.0 };
        let verdict = |pool: &Pool| Verdict::of(pool.tally().total.pairs.llr(&bounds)).row_name();
        assert_eq!(verdict(&counted(&records, None).unwrap()), "not decided");
        assert_eq!(verdict(&counted(&records, Some(&bounds)).unwrap()), "passed");
    }

    /// Two tests would have one row.
    #[test]
    fn the_name_of_another_experiment_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _) = queue(folder.path(), "");
        fs::write(queue.experiments.join("table.jsonl"), "{\"id\":\"t\"}\n").unwrap();
        let entry = Entry::parse("t HEAD HEAD --nodes 100").unwrap();
        assert!(queue.commits(&entry).unwrap_err().to_string().contains("another experiment is called 't'"));
    }

    /// Bug: Ctrl-C ends git and cargo too, and the test was noted as one that cannot be played.
    #[test]
    fn a_build_that_is_interrupted_is_no_failed_test() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, arguments) = queue(folder.path(), "t no-such-revision no-such-revision --nodes 100\n");
        let interrupted = Cancel::default();
        interrupted.set();
        assert_eq!(run(&arguments, &interrupted).unwrap(), RunEnd::Interrupted);
        assert!(!queue.folder.join("t.failed").exists());
    }

    #[test]
    fn what_is_finished_or_failed_is_not_played_again() {
        let folder = tempfile::tempdir().unwrap();
        let text = "# two tests\na new old --nodes 100\nb new old --nodes 100\nc new old --nodes 100\n";
        let (queue, _) = queue(folder.path(), text);
        let row = Row { id: "a".to_owned(), games: 2, elo: Some(1.0), ..Row::default() };
        state_file::write(&Finished { row, is_in_table: true }, &queue.folder.join("a.row")).unwrap();
        fs::write(queue.folder.join("b.failed"), "no such revision\n").unwrap();
        let status = queue.status().unwrap();
        let lines: Vec<&str> = status.lines().map(str::trim_end).collect();
        assert!(lines[0].ends_with(" 2 games, Elo +1") && lines[1].ends_with("failed: no such revision"), "{status}");
        assert!(lines[2].starts_with('c') && lines[2].ends_with("waiting"), "{status}");
    }

    /// Bug: a line that was half written when the queue read its file ended the queue.
    #[test]
    fn a_line_that_is_no_test_does_not_stop_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let text = "a new\nb no-such-revision old --nodes 100\nb new old --nodes 100\n";
        let (queue, arguments) = queue(folder.path(), text);
        let (entries, mistakes) = queue.entries().unwrap();
        assert_eq!((entries.len(), mistakes.len()), (1, 2));
        assert!(run(&arguments, &Cancel::default()).unwrap_err().to_string().contains("two tests are called 'b'"));
        assert!(queue.folder.join("b.failed").exists());
        let status = queue.status().unwrap();
        assert_eq!(status.matches("not a test: ").count(), 2, "{status}");
    }

    /// Bug: both made the line one that is no test.
    #[test]
    fn a_byte_order_mark_and_tabs_are_no_part_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _) = queue(folder.path(), "\u{feff}a new old --nodes 100\nb\tnew  old\t--nodes 100\n");
        let (entries, mistakes) = queue.entries().unwrap();
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!((&entries[0].name[..], &entries[1].sides, entries[1].options.len()), ("a", &entries[0].sides, 2));
    }

    /// Bug: after its branch was mended, a test that did not compile was tried with the old commits again.
    #[test]
    fn a_test_without_games_takes_the_commits_of_today() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, _) = queue(folder.path(), "");
        let entry = Entry::parse("t HEAD HEAD --nodes 100").unwrap();
        let old = Commits(["1", "2"].map(str::to_owned));
        output_file::write(&queue.path(&entry, "json"), serde_json::to_string(&old).unwrap()).unwrap();
        let Commits([new, same]) = queue.commits(&entry).unwrap();
        assert!(new.len() == 40 && new == same, "{new}");
        // Bug: the match creates its file before the first game, and an interruption by then counted as one.
        output_file::write(&queue.path(&entry, "json"), serde_json::to_string(&old).unwrap()).unwrap();
        output_file::write(&queue.path(&entry, "jsonl"), "").unwrap();
        assert_eq!(queue.commits(&entry).unwrap(), Commits([new, same]));
        output_file::write(&queue.path(&entry, "json"), serde_json::to_string(&old).unwrap()).unwrap();
        output_file::write(&queue.path(&entry, "jsonl"), CUT).unwrap();
        assert_eq!(queue.commits(&entry).unwrap(), old);
    }
}
