//! One verdict from the records of one test that several machines, or several runs with other seeds, have played.

use super::display::pairing_text;
use super::game_log::{self, GameRecord};
use super::ground;
use super::sprt::SprtBounds;
use super::tally::{MatchSums, PairTally};
use anyhow::{Context, Result, ensure};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The games of one test, each once.
#[derive(Debug, Default)]
pub struct Pool {
    /// What the games have in common; see [`super::game_log::test_id`].
    test: Option<String>,
    /// The engine listed first, and the other.
    names: [String; 2],
    /// Rule and board of each ground.
    grounds: Vec<String>,
    tally: PairTally,
    /// Seeds and numbers of the games.
    known: HashSet<(u64, usize)>,
}

impl Pool {
    /// Adds a game, unless it is there already.
    ///
    /// # Errors
    /// If it belongs to another test, or to a match of more than two engines.
    pub fn add(&mut self, record: &GameRecord) -> Result<()> {
        ensure!(!record.test.is_empty(), "recorded by a version that does not note the test");
        let [first, second] = &record.players;
        // Of a pair, the engine that was listed first opens the first game.
        let names = if record.game.is_multiple_of(2) { [first, second] } else { [second, first] };
        match &self.test {
            None => {
                self.test = Some(record.test.clone());
                self.names = names.map(String::clone);
            }
            Some(test) => ensure!(*test == record.test, "these games belong to different tests"),
        }
        ensure!(names == self.names.each_ref(), "only matches of two engines are counted together");
        if !self.known.insert((record.seed, record.game)) {
            return Ok(());
        }
        let rule = record.rule().context("no such rule")?;
        let name = ground::name(rule, record.size().context("no such board")?);
        let ground = self.grounds.iter().position(|ground| *ground == name).unwrap_or_else(|| {
            self.grounds.push(name);
            self.tally.grounds.push(MatchSums::default());
            self.grounds.len() - 1
        });
        self.tally.add(record, ground, record.half_points(&self.names[0]));
        Ok(())
    }

    /// Adds the games of a record file; returns how many it has.
    ///
    /// # Errors
    /// If the file cannot be read, or a game belongs to another test.
    pub fn add_file(&mut self, path: &Path) -> Result<usize> {
        let records = game_log::records(path)?;
        for record in &records {
            self.add(record).with_context(|| format!("{} game {}", path.display(), record.game))?;
        }
        Ok(records.len())
    }

    /// The sums.
    pub fn tally(&self) -> &PairTally {
        &self.tally
    }

    /// The report for people.
    pub fn report(&self, sprt: Option<&SprtBounds>) -> String {
        let grounds: Vec<&str> = self.grounds.iter().map(String::as_str).collect();
        let seeds = self.known.iter().map(|&(seed, _)| seed).collect::<HashSet<u64>>().len();
        let seeds = if seeds == 1 { "1 seed".to_owned() } else { format!("{seeds} seeds") };
        let names = self.names.each_ref().map(String::as_str);
        format!("{}  {seeds}\n", pairing_text(names, &self.tally, &grounds, sprt))
    }
}

/// Counts the games of these record files together.
///
/// # Errors
/// If a file cannot be read or has no games, or they do not belong to one test.
pub fn count(paths: &[PathBuf]) -> Result<Pool> {
    let mut pool = Pool::default();
    for path in paths {
        ensure!(pool.add_file(path)? > 0, "{} has no games", path.display());
    }
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: matches of version 0.1.0, whose records do not note their test and seed, were counted as one.
    #[test]
    fn records_without_a_test_are_refused() {
        let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/fuzz/match-records/freestyle");
        let error = count(&[PathBuf::from(old)]).unwrap_err();
        assert!(format!("{error:#}").contains("does not note the test"), "{error:#}");
    }
}
