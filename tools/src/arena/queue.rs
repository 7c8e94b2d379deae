//! Tests that wait in a file, played one after the other.
//!
//! A line of the file is `NAME NEW OLD OPTIONS`: a name without blanks, two git revisions, and options of `tengen-match`.
//! A revision may be followed by engine fields, as in `main,info.tune.lmr_factor=75`; with tuned numbers both brains are
//! built for tuning. Lines that begin with `#` are comments. The file is read again before each test, so that lines can
//! be added at any time.
//!
//! Everything is kept in a folder beside the file: `NAME.json` the commits, `NAME.jsonl` the games, `NAME.failed` why it
//! could not be played, `rows.md` a table row for each finished test, `builds` the brains. A queue that was killed goes on
//! where it stopped; deleting `NAME.failed` retries that test; without games, on the commits its revisions then name.

use super::cancel::{Cancel, RunEnd};
use super::display::{elo_or_dash, elo_text};
use super::game_log;
use super::ground::Ground;
use super::match_options::{Arguments, Setup};
use super::pooled_count::{self, Pool};
use super::spec::split_quoted;
use super::tournament;
use crate::command_line::{complaint, one_line};
use crate::output_file;
use crate::state_file;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Parser;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tengen::engine::files;

/// What a queue's command line says.
#[derive(clap::Args, Debug, Clone)]
pub struct QueueArguments {
    /// The file of tests; see `tengen-match queue --help`. Example: tengen-match queue tests.txt
    pub file: PathBuf,
    /// List finished, running and waiting tests; play nothing. Example: tengen-match queue tests.txt --status
    #[arg(long)]
    pub status: bool,
}

/// One test of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    /// The new brain and the old one.
    sides: [Side; 2],
    options: Vec<String>,
}

/// A brain: where its source is, and engine fields of the match runner.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    revision: String,
    fields: String,
}

/// The commits of a test, fixed by its first game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Commits([String; 2]);

impl Entry {
    fn parse(line: &str) -> Result<Entry> {
        let words: Vec<String> = split_quoted(line, ' ').into_iter().filter(|word| !word.is_empty()).collect();
        let [name, new, old, options @ ..] = &words[..] else { bail!("expected NAME NEW OLD OPTIONS: {line}") };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        ensure!(name.chars().all(is_plain), "'{name}' is no name: letters, digits, '-', '_' and '.' are allowed");
        let side = |text: &str| {
            let (revision, fields) = text.split_once(',').unwrap_or((text, ""));
            Side { revision: revision.to_owned(), fields: fields.to_owned() }
        };
        let entry = Entry { name: name.clone(), sides: [side(new), side(old)], options: options.to_vec() };
        // Mistakes are reported before anything is built.
        entry.arguments(&[PathBuf::from("new"), PathBuf::from("old")], Path::new("records"))?;
        Ok(entry)
    }

    /// Whether its brains need numbers that can be set.
    fn is_tuned(&self) -> bool {
        self.sides.iter().any(|side| side.fields.contains("info.tune."))
    }

    /// The match to be played.
    fn arguments(&self, brains: &[PathBuf; 2], records: &Path) -> Result<Arguments> {
        let mut words = vec!["tengen-match".to_owned()];
        for ((side, brain), name) in self.sides.iter().zip(brains).zip(["New", "Old"]) {
            let comma = if side.fields.is_empty() { "" } else { "," };
            words.push("--engine".to_owned());
            words.push(format!("name={name},cmd=\"{}\"{comma}{}", brain.display(), side.fields));
        }
        words.extend(self.options.iter().cloned());
        words.extend(["--records".to_owned(), records.display().to_string(), "--resume".to_owned()]);
        let mut arguments =
            Arguments::try_parse_from(words).map_err(|error| anyhow!("{}: {}", self.name, complaint(&error)))?;
        let engines = arguments.engines().with_context(|| self.name.clone())?;
        if engines.iter().any(|engine| !engine.limits.is_reproducible()) {
            // Timed games need an otherwise idle machine.
            arguments.concurrency.get_or_insert(1);
        }
        Ok(arguments)
    }
}

/// A queue and its folder.
struct Queue {
    file: PathBuf,
    folder: PathBuf,
}

impl Queue {
    fn new(file: &Path) -> Queue {
        Queue { file: file.to_owned(), folder: files::beside(file, ".d") }
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

    /// The file of the rows of finished tests. Only one queue may write it.
    fn rows(&self) -> PathBuf {
        self.folder.join("rows.md")
    }

    /// The row of a finished test.
    fn row(&self, entry: &Entry) -> Option<String> {
        let rows = fs::read_to_string(self.rows()).unwrap_or_default();
        let start = format!("| {} |", entry.name);
        rows.lines().find(|row| row.starts_with(&start)).map(str::to_owned)
    }

    /// The commits that a test compares: those of its games, if there are any, otherwise those of today.
    fn commits(&self, entry: &Entry) -> Result<Commits> {
        let path = self.path(entry, "json");
        if game_log::has_games(&self.path(entry, "jsonl")) {
            let commits = state_file::read(&path, "the commits of a test")?;
            return commits.with_context(|| format!("there are games, but {} is missing", path.display()));
        }
        let commit = |side: &Side| -> Result<String> {
            let commit = output("git", &["rev-parse", "--verify", &format!("{}^{{commit}}", side.revision)])?;
            Ok(commit.trim().to_owned())
        };
        let commits = Commits([commit(&entry.sides[0])?, commit(&entry.sides[1])?]);
        state_file::write(&commits, &path)?;
        Ok(commits)
    }

    /// The brain of a commit, built if it is not there yet.
    fn brain(&self, commit: &str, is_tuned: bool) -> Result<PathBuf> {
        let folder =
            self.folder.join("builds").join(if is_tuned { format!("{commit}-tune") } else { commit.to_owned() });
        let brain = folder.join(format!("pbrain-tengen{}", std::env::consts::EXE_SUFFIX));
        if brain.exists() {
            return Ok(brain);
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let source = self.folder.join("source");
        let source = source.to_str().context("the folder's name is not Unicode")?;
        // Without a repository of its own, git would take the one around it.
        if self.folder.join("source").join(".git").exists() {
            output("git", &["-C", source, "checkout", "--quiet", "--force", "--detach", commit])?;
        } else {
            output("git", &["worktree", "prune"])?;
            output("git", &["worktree", "add", "--quiet", "--detach", source, commit])?;
        }
        let folder = fs::canonicalize(&self.folder);
        let target = folder.with_context(|| format!("cannot find {}", self.folder.display()))?.join("target");
        let target = target.to_str().context("the folder's name is not Unicode")?;
        let manifest = format!("{source}/Cargo.toml");
        let mut words = vec!["build", "--release", "--locked", "--quiet", "--no-default-features", "-p", "tengen"];
        words.extend(["--bin", "pbrain-tengen", "--manifest-path", &manifest, "--target-dir", target]);
        if is_tuned {
            words.extend(["--features", "tune"]);
        }
        output("cargo", &words)?;
        let built = Path::new(target).join("release").join(brain.file_name().context("a file name")?);
        let unfinished = brain.with_extension("tmp");
        fs::copy(&built, &unfinished).with_context(|| format!("cannot copy {}", built.display()))?;
        fs::rename(&unfinished, &brain).with_context(|| format!("cannot write {}", brain.display()))?;
        Ok(brain)
    }

    /// Plays a test, or what is missing of it, and notes its row.
    fn play(&self, entry: &Entry, interrupted: &Cancel) -> Result<RunEnd> {
        let commits = self.commits(entry)?;
        let is_tuned = entry.is_tuned();
        let brains = [self.brain(&commits.0[0], is_tuned)?, self.brain(&commits.0[1], is_tuned)?];
        let records = self.path(entry, "jsonl");
        let arguments = entry.arguments(&brains, &records)?;
        if tournament::run(arguments.clone(), interrupted)? == RunEnd::Interrupted {
            return Ok(RunEnd::Interrupted);
        }
        // Only now: the seed is that of the records.
        let setup = Setup::new(arguments)?;
        let row = row(entry, &commits, &setup, &pooled_count::count(&[records])?);
        let rows = OpenOptions::new().create(true).append(true).open(self.rows());
        let written = rows.and_then(|mut rows| rows.write_all(row.as_bytes()));
        written.with_context(|| format!("cannot write {}", self.rows().display()))?;
        Ok(RunEnd::Finished)
    }

    /// One line a test.
    fn status(&self) -> Result<String> {
        let mut text = String::new();
        let (entries, mistakes) = self.entries()?;
        for entry in entries {
            let state = if let Some(row) = self.row(&entry) {
                row
            } else if let Ok(reason) = fs::read_to_string(self.path(&entry, "failed")) {
                format!("failed: {}", reason.trim())
            } else if self.path(&entry, "jsonl").exists() {
                let mut pool = Pool::default();
                pool.add_file(&self.path(&entry, "jsonl"))?;
                let arguments = entry.arguments(&["new".into(), "old".into()], Path::new("records"))?;
                let games: u64 = pool.tally().games.iter().sum();
                let mut state = format!("playing: {games} of {} games", arguments.games);
                if let Some(elo) = pool.tally().pairs.elo() {
                    let _ = write!(state, ", Elo {}", elo_text(&elo));
                }
                if let Some(bounds) = arguments.sprt.bounds()? {
                    let _ = write!(state, ", {}", bounds.llr_text(pool.tally().pairs.llr(&bounds)));
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

/// The row of a finished test: name, commits, bounds, limits, grounds, games, Elo, likelihood ratio and verdict, seed.
fn row(entry: &Entry, commits: &Commits, setup: &Setup, pool: &Pool) -> String {
    let side = |index: usize| {
        let Side { revision, fields } = &entry.sides[index];
        let comma = if fields.is_empty() { "" } else { "," };
        let commit = &commits.0[index];
        format!("{revision}{comma}{fields} ({})", commit.get(..10).unwrap_or(commit))
    };
    let (pairs, games) = (&pool.tally().pairs, pool.tally().games.iter().sum::<u64>());
    let elo = elo_or_dash(pairs.elo());
    let (bounds, verdict) = match &setup.sprt {
        Some(bounds) => {
            let llr = pairs.llr(bounds);
            (format!("[{}, {}]", bounds.elo0, bounds.elo1), format!("{llr:.2} {}", bounds.decide(llr).row_name()))
        }
        None => ("-".to_owned(), "-".to_owned()),
    };
    let grounds: Vec<String> = setup.schedule.grounds.iter().map(Ground::name).collect();
    let [new, old] = [0, 1].map(|index| setup.engines[index].limits.describe());
    let limits = if new == old { new } else { format!("{new} against {old}") };
    format!(
        "| {} | {} | {} | {bounds} | {limits} | {} | {games} | {elo} | {verdict} | {} |\n",
        entry.name,
        side(0),
        side(1),
        grounds.join(", "),
        setup.seed
    )
}

/// What a program prints.
fn output(program: &str, words: &[&str]) -> Result<String> {
    let output = Command::new(program).args(words).output().with_context(|| format!("cannot start {program}"))?;
    ensure!(
        output.status.success(),
        "{program} {}: {}",
        words.join(" "),
        one_line(&String::from_utf8_lossy(&output.stderr))
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Plays the tests of a file until none is left, or shows how far they are.
///
/// # Errors
/// If another queue works in its folder, or a file cannot be read or written. A test that cannot be played is noted, and the
/// next one follows. A line that is no test is an error after all the others.
pub fn run(arguments: &QueueArguments, interrupted: &Cancel) -> Result<RunEnd> {
    let queue = Queue::new(&arguments.file);
    if arguments.status {
        std::io::stdout().write_all(queue.status()?.as_bytes())?;
        return Ok(RunEnd::Finished);
    }
    fs::create_dir_all(&queue.folder).with_context(|| format!("cannot create {}", queue.folder.display()))?;
    let mut known_mistakes = HashSet::new();
    let _lock = output_file::lock(&queue.rows())?;
    loop {
        let is_open = |entry: &Entry| queue.row(entry).is_none() && !queue.path(entry, "failed").exists();
        let (entries, mistakes) = queue.entries()?;
        let mistakes: Vec<String> = mistakes.iter().map(|mistake| format!("{mistake:#}")).collect();
        let Some(entry) = entries.into_iter().find(is_open) else {
            ensure!(mistakes.is_empty(), "{}", mistakes.join("; "));
            return Ok(RunEnd::Finished);
        };
        mistakes.into_iter().filter(|text| known_mistakes.insert(text.clone())).for_each(|text| log::warn!("{text}"));
        // If this fails, there is nowhere to report it.
        let _ = writeln!(std::io::stderr(), "{}", entry.name);
        match queue.play(&entry, interrupted) {
            Ok(RunEnd::Finished) => {}
            Ok(RunEnd::Interrupted) => return Ok(RunEnd::Interrupted),
            // Ctrl-C ends git and cargo too.
            Err(_) if interrupted.is_set() => return Ok(RunEnd::Interrupted),
            Err(error) => output_file::write(&queue.path(&entry, "failed"), format!("{error:#}\n"))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of records whose first game was cut by a kill.
    const CUT: &str = "{";

    #[test]
    fn a_line_is_a_name_two_revisions_and_a_match() {
        let entry =
            Entry::parse("lmr-75 main,info.tune.lmr=75 a8f36f8 --nodes 10000 --sprt 0,10 --games 8000").unwrap();
        assert_eq!((entry.name.as_str(), entry.is_tuned()), ("lmr-75", true));
        assert_eq!(entry.sides[0], Side { revision: "main".to_owned(), fields: "info.tune.lmr=75".to_owned() });
        let arguments = entry.arguments(&["new".into(), "old".into()], Path::new("r.jsonl")).unwrap();
        assert_eq!(arguments.engine[0], "name=New,cmd=\"new\",info.tune.lmr=75");
        assert_eq!((arguments.games, arguments.sprt.gains, arguments.resume), (8000, Some((0.0, 10.0)), true));
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

    /// Bug: the row named a seed of its own, with which the test could not be repeated.
    #[cfg(unix)]
    #[test]
    fn the_row_names_the_seed_of_the_games() {
        let folder = tempfile::tempdir().unwrap();
        let queue = Queue::new(&folder.path().join("tests.txt"));
        let entry = Entry::parse("t new old --nodes 100 --games 2 --draw-after 4 --quiet").unwrap();
        let commits = ["1", "2"].map(str::to_owned);
        for commit in &commits {
            let build = queue.folder.join("builds").join(commit);
            fs::create_dir_all(&build).unwrap();
            let brain = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/brains/fake.sh");
            std::os::unix::fs::symlink(brain, build.join("pbrain-tengen")).unwrap();
        }
        output_file::write(&queue.path(&entry, "json"), serde_json::to_string(&Commits(commits)).unwrap()).unwrap();
        output_file::write(&queue.path(&entry, "jsonl"), CUT).unwrap();
        assert_eq!(queue.play(&entry, &Cancel::default()).unwrap(), RunEnd::Finished);
        let games = game_log::records(&queue.path(&entry, "jsonl")).unwrap();
        let row = queue.row(&entry).unwrap();
        assert_eq!(games.len(), 2);
        assert!(row.ends_with(&format!("| {} |", games[0].seed)), "{row} {}", games[0].seed);
    }

    /// Bug: Ctrl-C ends git and cargo too, and the test was noted as one that cannot be played.
    #[test]
    fn a_build_that_is_interrupted_is_no_failed_test() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tests.txt");
        fs::write(&file, "t no-such-revision no-such-revision --nodes 100\n").unwrap();
        let interrupted = Cancel::default();
        interrupted.set();
        let arguments = QueueArguments { file: file.clone(), status: false };
        assert_eq!(run(&arguments, &interrupted).unwrap(), RunEnd::Interrupted);
        assert!(!Queue::new(&file).folder.join("t.failed").exists());
    }

    #[test]
    fn what_is_finished_or_failed_is_not_played_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tests.txt");
        fs::write(&file, "# two tests\na new old --nodes 100\nb new old --nodes 100\nc new old --nodes 100\n").unwrap();
        let queue = Queue::new(&file);
        fs::create_dir_all(&queue.folder).unwrap();
        fs::write(queue.folder.join("rows.md"), "| a | new (1) | old (2) | +1 |\n").unwrap();
        fs::write(queue.folder.join("b.failed"), "no such revision\n").unwrap();
        let status = queue.status().unwrap();
        let lines: Vec<&str> = status.lines().map(str::trim_end).collect();
        assert!(lines[0].contains("| a | new (1)") && lines[1].ends_with("failed: no such revision"), "{status}");
        assert!(lines[2].starts_with('c') && lines[2].ends_with("waiting"), "{status}");
    }

    /// Bug: a line that was half written when the queue read its file ended the queue.
    #[test]
    fn a_line_that_is_no_test_does_not_stop_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tests.txt");
        fs::write(&file, "a new\nb no-such-revision old --nodes 100\nb new old --nodes 100\n").unwrap();
        let queue = Queue::new(&file);
        let (entries, mistakes) = queue.entries().unwrap();
        assert_eq!((entries.len(), mistakes.len()), (1, 2));
        let arguments = QueueArguments { file: file.clone(), status: false };
        assert!(run(&arguments, &Cancel::default()).unwrap_err().to_string().contains("two tests are called 'b'"));
        assert!(queue.folder.join("b.failed").exists());
        let status = queue.status().unwrap();
        assert_eq!(status.matches("not a test: ").count(), 2, "{status}");
    }

    /// Bug: both made the line one that is no test.
    #[test]
    fn a_byte_order_mark_and_tabs_are_no_part_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let queue = Queue::new(&folder.path().join("tests.txt"));
        fs::write(&queue.file, "\u{feff}a new old --nodes 100\nb\tnew  old\t--nodes 100\n").unwrap();
        let (entries, mistakes) = queue.entries().unwrap();
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!((&entries[0].name[..], &entries[1].sides, entries[1].options.len()), ("a", &entries[0].sides, 2));
    }

    /// Bug: after its branch was mended, a test that did not compile was tried with the old commits again.
    #[test]
    fn a_test_without_games_takes_the_commits_of_today() {
        let folder = tempfile::tempdir().unwrap();
        let queue = Queue::new(&folder.path().join("tests.txt"));
        fs::create_dir_all(&queue.folder).unwrap();
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
