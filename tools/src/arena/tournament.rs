//! The whole tournament: worker threads play, one thread counts.
//!
//! Finished games are appended to the record file in the order in which they end. The counts, and the decision to stop, take
//! them in the order of their numbers, so neither the number of workers nor the speed of a game changes a result.

use super::brain_process::Process;
use super::cancel::{Cancel, RunEnd};
use super::display::{self, Display};
use super::export;
use super::game_log::{self, GameRecord, RecordFile};
use super::match_options::{Arguments, Setup};
use super::player::Player;
use super::referee;
use super::sprt::Verdict;
use super::tally::{EngineTally, Standings};
use crate::output_file;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};

/// Plays the tournament of this command line, until it is finished or `interrupted` is set.
///
/// # Errors
/// When an option is invalid, an engine cannot be started, or a file cannot be written.
pub fn run(arguments: Arguments, interrupted: &Cancel) -> Result<RunEnd> {
    run_checked(arguments, interrupted).map(|(end, _)| end)
}

/// The same; also whether nothing was wrong, if the match is a strict one.
///
/// # Errors
/// Those of [`run`].
pub fn run_checked(arguments: Arguments, interrupted: &Cancel) -> Result<(RunEnd, bool)> {
    let is_strict = arguments.strict;
    let setup = Setup::new(arguments)?;
    // Before any brain runs: it may write files that its arguments name.
    let ids = [game_log::match_id(&setup), game_log::test_id(&setup)];
    for engine in &setup.engines {
        // A program that cannot be started would lose every game.
        Process::spawn(engine)
            .with_context(|| format!("cannot start {} ({})", engine.name, engine.program.display()))?;
    }
    if let Some(folder) = &setup.arguments.psq {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let mut results = Results::open(&setup, &ids[0])?;
    if !results.is_decided {
        play(&setup, &ids, &mut results, &interrupted.child())?;
    }
    let is_decided = results.is_decided;
    let standings = results.close()?;
    let is_clean = !is_strict || standings.engines.iter().all(EngineTally::is_clean);
    Ok((if is_decided { RunEnd::Finished } else { interrupted.run_end() }, is_clean))
}

fn play(setup: &Setup, ids: &[String; 2], results: &mut Results<'_>, cancel: &Cancel) -> Result<()> {
    let total = setup.schedule.total();
    let finished: HashSet<usize> = results.games.keys().copied().collect();
    let next = AtomicUsize::new(0);
    // The next game that is not finished. Their numbers are never all in memory: a match may be planned with any number.
    let next_game = || loop {
        let number = setup.schedule.at_or_after(next.load(Ordering::SeqCst))?;
        if next.fetch_max(number + 1, Ordering::SeqCst) <= number && !finished.contains(&number) {
            return Some(number);
        }
    };
    let (sender, records) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..setup.concurrency.min(total - finished.len()) {
            let sender = sender.clone();
            let next_game = &next_game;
            scope.spawn(move || work(setup, ids, next_game, cancel, &sender));
        }
        drop(sender);
        let mut outcome = Ok(());
        for record in records {
            if outcome.is_ok() {
                outcome = results.enter(record);
            }
            if outcome.is_err() || results.is_decided {
                cancel.set();
            }
        }
        outcome
    })
}

/// Plays the games that `next_game` returns until there is none. Processes are kept for the next game if their engines play in it.
fn work(
    setup: &Setup,
    ids: &[String; 2],
    next_game: &impl Fn() -> Option<usize>,
    cancel: &Cancel,
    results: &Sender<GameRecord>,
) {
    let mut idle: Vec<(usize, Player<'_>)> = Vec::new();
    while !cancel.is_set() {
        let Some(number) = next_game() else { break };
        let game = setup.schedule.game(number);
        let mut take = |seat: usize| match idle.iter().position(|(index, _)| *index == seat) {
            Some(at) => idle.swap_remove(at).1,
            None => Player::new(&setup.engines[seat], setup.schedule.grounds[game.ground].terms, cancel.clone()),
        };
        let mut players = game.seats.map(&mut take);
        // Engines of other pairings: their memory may be needed.
        idle.drain(..).for_each(|(_, mut player)| player.quit());
        let Some(record) = referee::play(&game, setup, ids, &mut players) else { break };
        idle.extend(game.seats.into_iter().zip(players));
        if results.send(record).is_err() {
            break;
        }
    }
    idle.drain(..).for_each(|(_, mut player)| player.quit());
}

/// Records, standings and display.
struct Results<'a> {
    setup: &'a Setup,
    file: Option<RecordFile>,
    /// All finished games.
    games: BTreeMap<usize, GameRecord>,
    /// Number of the first game that is not counted yet.
    next: usize,
    standings: Standings,
    /// Whether the sequential test has decided; later games do not count.
    is_decided: bool,
    /// Whether it had decided before this run played a game.
    was_decided: bool,
    display: Display,
}

impl<'a> Results<'a> {
    fn open(setup: &'a Setup, match_id: &str) -> Result<Results<'a>> {
        let Arguments { records, sgf, psq, .. } = &setup.arguments;
        check_exports(&setup.arguments)?;
        let (file, games) = match records {
            Some(path) => {
                let (file, games) = RecordFile::open(path, setup, match_id)?;
                (Some(file), games)
            }
            None => (None, BTreeMap::new()),
        };
        let display = Display::new(setup, setup.schedule.total(), games.len());
        let standings = Standings::new(setup);
        let (is_decided, was_decided) = (false, false);
        let mut results = Results { setup, file, games, next: 0, standings, is_decided, was_decided, display };
        if let Some(path) = sgf {
            write_sgf(path, results.games.values())?;
        }
        if let Some(folder) = psq {
            results.games.values().try_for_each(|record| export::write_psq(folder, record))?;
        }
        results.count();
        results.was_decided = results.is_decided;
        Ok(results)
    }

    /// Stores a finished game and counts it.
    fn enter(&mut self, record: GameRecord) -> Result<()> {
        if let Some(file) = &mut self.file {
            file.append(&record)?;
        }
        if let Some(folder) = &self.setup.arguments.psq {
            export::write_psq(folder, &record)?;
        }
        if let Some(path) = &self.setup.arguments.sgf {
            append_sgf(path, &record)?;
        }
        let number = record.game;
        self.games.insert(number, record);
        self.count();
        if let Some(record) = self.games.get(&number) {
            self.display.finished(record, self.games.len(), self.setup, &self.standings);
        }
        Ok(())
    }

    /// Counts finished games in order up to the first gap, until the test decides.
    fn count(&mut self) {
        while !self.is_decided
            && let Some(number) = self.setup.schedule.at_or_after(self.next)
            && let Some(record) = self.games.get(&number)
        {
            self.standings.add(self.setup, record);
            self.next = number + 1;
            let test = self.setup.sprt.as_ref().zip(self.standings.pairings.first());
            self.is_decided = test.is_some_and(|(bounds, tally)| Verdict::of(tally.total.pairs.llr(bounds)).is_final());
        }
    }

    /// Writes the final files and prints the table. Games after the decision are dropped, because which of them are finished
    /// depends on the machine. If the games of an earlier run decided it, their test was another one, and all are kept.
    fn close(mut self) -> Result<Standings> {
        if self.is_decided {
            let dropped = if self.was_decided { BTreeMap::new() } else { self.games.split_off(&self.next) };
            if let Some(folder) = &self.setup.arguments.psq {
                dropped.values().try_for_each(|record| export::remove_psq(folder, record))?;
            }
        } else if self.setup.sprt.is_none() {
            // Interrupted: games after a gap count, too, but not in a sequential test, which depends on their order.
            let next = self.next;
            for (_, record) in self.games.range(next..) {
                self.standings.add(self.setup, record);
            }
        }
        // Write the records last: an SGF game missing from them would count as another match's. A pipe has received its games
        // already.
        if let Some(path) = self.setup.arguments.sgf.as_ref().filter(|path| !output_file::is_special(path)) {
            write_sgf(path, self.games.values())?;
        }
        if let Some(file) = self.file.take() {
            file.finish(self.games.values())?;
        }
        self.display.end(&display::report(self.setup, &self.standings))?;
        Ok(self.standings)
    }
}

/// Checks that no exported games of another match would be replaced, before any file is made.
fn check_exports(Arguments { records, resume, sgf, psq, .. }: &Arguments) -> Result<()> {
    if let Some(path) = sgf {
        output_file::expect_folder(path)?;
        let absolute = |path: &PathBuf| std::path::absolute(path).ok();
        let is_one = records.as_ref().is_some_and(|records| absolute(records) == absolute(path));
        ensure!(!is_one || output_file::is_special(path), "--records and --sgf name the same file");
    }
    let games = match records {
        Some(path) if (sgf.is_some() || psq.is_some()) && game_log::has_games(path) => {
            game_log::ensure_new(path, *resume)?;
            game_log::records(path)?
        }
        _ => Vec::new(),
    };
    sgf.as_ref().map_or(Ok(()), |path| export::ensure_own_sgf(path, &games))?;
    psq.as_ref().map_or(Ok(()), |folder| export::ensure_own_psq_folder(folder, &games))
}

fn write_sgf<'r>(path: &Path, records: impl Iterator<Item = &'r GameRecord>) -> Result<()> {
    let text: String = records.map(export::sgf).collect();
    output_file::write(path, text)
}

fn append_sgf(path: &Path, record: &GameRecord) -> Result<()> {
    use std::io::Write;
    let file = std::fs::OpenOptions::new().append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(export::sgf(record).as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use clap::Parser;

    /// Bug: the numbers of all missing games were collected first, for which no memory suffices.
    #[test]
    fn a_match_may_have_any_number_of_games() {
        let brain = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/brains/fake.sh");
        let games = usize::MAX.to_string();
        let mut words = vec!["tengen-match", "--quiet", "--nodes", "10", "--games", &games];
        let engines = ["A", "B"].map(|name| format!("name={name},cmd=\"{} plain\"", brain.display()));
        words.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
        let interrupted = Cancel::default();
        interrupted.set();
        let arguments = Arguments::try_parse_from(words).unwrap();
        assert_eq!(run(arguments, &interrupted).unwrap(), RunEnd::Interrupted);
    }

    /// Bug: the file of records was made first, and then the corrected command was refused.
    #[test]
    fn files_that_cannot_be_written_are_refused_before_one_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let [records, lost] = ["r.jsonl", "gone/x.sgf"].map(|name| folder.path().join(name));
        let error = |sgf: &Path| {
            let mut words = vec!["tengen-match", "--engine", "name=A,cmd=a"];
            words.extend(["--records", records.to_str().unwrap(), "--sgf", sgf.to_str().unwrap()]);
            check_exports(&Arguments::try_parse_from(words).unwrap()).unwrap_err().to_string()
        };
        assert_eq!(error(&lost), format!("cannot write {}", lost.display()));
        assert_eq!(error(&records), "--records and --sgf name the same file");
    }
}
