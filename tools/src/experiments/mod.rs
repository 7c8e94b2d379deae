//! The record of experiments: `experiments/table.jsonl` has a row for each, a line of JSON; pages by subject list them, and a
//! chart shows the strength over time.
//!
//! `experiments/README.md` says what the fields mean.

pub mod pages;
pub mod strength_chart;

use crate::output_file;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tengen::base::Rule;

/// Where the record is, from the root of the repository.
pub const FOLDER: &str = "experiments";

/// The main grounds, rule and side of the board: a change for all rules is tested on these. `scripts/make-books` has the same.
pub const MAIN_GROUNDS: [(Rule, usize); 5] =
    [(Rule::Freestyle, 15), (Rule::Freestyle, 20), (Rule::Standard, 15), (Rule::Renju, 15), (Rule::Caro, 15)];

/// What is known about an idea; `experiments/README.md` has the exact meanings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is better than what was there before.
    Stands,
    /// It is not worth 10 Elo.
    Refuted,
    /// Neither is shown.
    Open,
    /// A figure, not an idea.
    Measured,
}

/// An experiment. A field that is not known is empty, and left out of the line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Row {
    /// Its name in links: letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// The day, as in 2026-11-24.
    #[serde(skip_serializing_if = "is_empty")]
    pub date: String,
    /// The page that lists it: `search` for `search.md`.
    #[serde(skip_serializing_if = "is_empty")]
    pub subject: String,
    /// What is known now.
    #[serde(skip_serializing_if = "is_empty")]
    pub status: Option<Status>,
    /// For an accepted step of the chart: the share of the five main grounds that it concerns; otherwise 0.
    #[serde(skip_serializing_if = "is_empty")]
    pub step: f64,
    /// For a match against an older revision: the last step that this revision has.
    #[serde(skip_serializing_if = "is_empty")]
    pub since: String,
    /// A few words for the page.
    #[serde(skip_serializing_if = "is_empty")]
    pub title: String,
    /// The idea in full.
    #[serde(skip_serializing_if = "is_empty")]
    pub idea: String,
    /// The row that words such as "the same" refer to.
    #[serde(skip_serializing_if = "is_empty")]
    pub see: String,
    /// The new revision, with the numbers set.
    #[serde(skip_serializing_if = "is_empty")]
    pub new: String,
    /// The old one.
    #[serde(skip_serializing_if = "is_empty")]
    pub old: String,
    /// Rule and size, as in `f15, r20`, or the positions.
    #[serde(skip_serializing_if = "is_empty")]
    pub grounds: String,
    /// Nodes or time a move.
    #[serde(skip_serializing_if = "is_empty")]
    pub limits: String,
    /// Of the sequential test, in Elo, as in `[0, 10]`.
    #[serde(skip_serializing_if = "is_empty")]
    pub bounds: String,
    /// Games played.
    #[serde(skip_serializing_if = "is_empty")]
    pub games: u64,
    /// Wins, draws and losses of the new revision.
    #[serde(skip_serializing_if = "is_empty")]
    pub wdl: Option<[u64; 3]>,
    /// Its strength relative to the old one.
    #[serde(skip_serializing_if = "is_empty")]
    pub elo: Option<f64>,
    /// The interval of 95 %; without a number, it has no bound on that side.
    #[serde(skip_serializing_if = "is_empty")]
    pub interval: Option<[Option<f64>; 2]>,
    /// The log-likelihood ratio.
    #[serde(skip_serializing_if = "is_empty")]
    pub llr: Option<f64>,
    /// Of the test, or what was decided.
    #[serde(skip_serializing_if = "is_empty")]
    pub verdict: String,
    /// Of the openings' order; several are separated by commas.
    #[serde(skip_serializing_if = "is_empty")]
    pub seed: String,
    /// Command, machine, what ran beside it.
    #[serde(skip_serializing_if = "is_empty")]
    pub conditions: String,
    /// What the other fields do not say: grounds one by one, figures that are no Elo.
    #[serde(skip_serializing_if = "is_empty")]
    pub result: String,
    /// A file of values in the folder.
    #[serde(skip_serializing_if = "is_empty")]
    pub data: String,
}

fn is_empty<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Row {
    /// Elo and interval, as in `+20.1 [+7.2, +33.0]`; empty if it has none.
    pub fn elo_text(&self) -> String {
        let Some(elo) = self.elo else { return String::new() };
        let bound = |bound: Option<f64>| bound.map_or_else(|| "no bound".to_owned(), number);
        let interval = self.interval.map(|[low, high]| format!(" [{}, {}]", bound(low), bound(high)));
        number(elo) + &interval.unwrap_or_default()
    }

    fn line(&self) -> Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// `+7` or `-0.7`: whole numbers without decimals.
fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:+.0}") } else { format!("{value:+.1}") }
}

/// The table in a folder.
fn table(folder: &Path) -> PathBuf {
    folder.join("table.jsonl")
}

/// Reads all rows.
///
/// # Errors
/// If the table cannot be read, a line is no row, or two rows have the same id.
pub fn read(folder: &Path) -> Result<Vec<Row>> {
    let path = table(folder);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut rows = Vec::<Row>::new();
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{} line {}", path.display(), index + 1);
        let row: Row = serde_json::from_str(line).with_context(place)?;
        if rows.iter().any(|other| other.id == row.id) {
            bail!("{}: two rows are called '{}'", place(), row.id);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Changes the rows. A kill leaves the old table or the new one.
fn change(folder: &Path, edit: impl FnOnce(&mut Vec<Row>) -> Result<()>) -> Result<()> {
    let path = table(folder);
    let _lock = output_file::lock(&path)?;
    let mut rows = read(folder)?;
    edit(&mut rows)?;
    output_file::write(&path, rows.iter().map(Row::line).collect::<Result<String>>()?)
}

/// Appends a row. One that is there already, perhaps with more words by now, is not added again.
///
/// # Errors
/// If another experiment has its id, or the table cannot be read or written.
pub fn add(folder: &Path, row: &Row) -> Result<()> {
    change(folder, |rows| match rows.iter().find(|other| other.id == row.id) {
        Some(other) if (&other.seed, other.games) == (&row.seed, row.games) => Ok(()),
        Some(_) => bail!("another experiment is called '{}'", row.id),
        None => {
            rows.push(row.clone());
            Ok(())
        }
    })
}

/// What the command line of `tengen-match experiments` says.
#[derive(clap::Args, Debug, Clone)]
pub struct ExperimentsArguments {
    /// Rows to show in full; without any, all are listed, with tabs between the fields. Example: tengen-match experiments lmp-pv
    pub ids: Vec<String>,
    /// The folder of the record. Example: --folder experiments
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    pub folder: PathBuf,
    /// Describe the row ID: its subject, the name of its page. Example: tengen-match experiments lmr-75 --subject search
    #[arg(long, value_name = "SUBJECT")]
    pub subject: Option<String>,
    /// Describe the row ID: what is known now. Example: tengen-match experiments lmr-75 --status open
    #[arg(long)]
    pub status: Option<Status>,
    /// Describe the row ID: a few words for its page. Example: tengen-match experiments lmr-75 --title "LMR factor 75"
    #[arg(long)]
    pub title: Option<String>,
    /// Describe the row ID: the idea in full. Example: tengen-match experiments lmr-75 --idea "late moves reduced more"
    #[arg(long)]
    pub idea: Option<String>,
    /// Write the indexes of the pages, and strength.svg. Example: tengen-match experiments --write
    #[arg(long)]
    pub write: bool,
    /// Draw the accepted steps and the matches against older revisions. Example: --chart target/strength.svg
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
}

/// Describes a row, writes pages and chart, or shows rows.
///
/// # Errors
/// If there is no such row, or a file cannot be read or written.
pub fn run(arguments: &ExperimentsArguments) -> Result<()> {
    let ExperimentsArguments { ids, folder, subject, status, title, idea, write, chart } = arguments;
    let is_described = subject.is_some() || status.is_some() || title.is_some() || idea.is_some();
    if is_described {
        let [id] = &ids[..] else { bail!("one row is described at a time: tengen-match experiments ID --title ...") };
        change(folder, |rows| {
            let row = rows.iter_mut().find(|row| row.id == *id);
            let row = row.with_context(|| format!("there is no row '{id}'"))?;
            for (field, text) in [(&mut row.subject, subject), (&mut row.title, title), (&mut row.idea, idea)] {
                text.as_ref().inspect(|text| field.clone_from(text));
            }
            row.status = status.or(row.status);
            Ok(())
        })?;
    }
    if *write {
        pages::write(folder)?;
    }
    let rows = read(folder)?;
    if let Some(path) = chart {
        output_file::write(path, strength_chart::svg(&rows)?)?;
    }
    let mut text = String::new();
    for id in ids {
        let row = rows.iter().find(|row| row.id == *id);
        let row = row.with_context(|| format!("there is no row '{id}'"))?;
        text += &(serde_json::to_string_pretty(row)? + "\n");
    }
    if ids.is_empty() && !write && chart.is_none() {
        text = list(&rows);
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// All rows without their long texts, for `sort`, `cut` and spreadsheets.
fn list(rows: &[Row]) -> String {
    let mut text = "id\tdate\tsubject\tstatus\tgrounds\tlimits\tgames\twdl\telo\tlow\thigh\tllr\ttitle\n".to_owned();
    for row in rows {
        let optional = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let [low, high] = row.interval.unwrap_or_default();
        let wdl = row.wdl.map(|[w, d, l]| format!("{w}-{d}-{l}")).unwrap_or_default();
        let status = row.status.map(|status| format!("{status:?}").to_lowercase()).unwrap_or_default();
        let figures = [row.elo, low, high, row.llr].map(optional).join("\t");
        let Row { id, date, subject, grounds, limits, games, title, .. } = row;
        let _ = writeln!(
            text,
            "{id}\t{date}\t{subject}\t{status}\t{grounds}\t{limits}\t{games}\t{wdl}\t{figures}\t{title}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, seed: &str) -> Row {
        let interval = Some([Some(7.25), None]);
        Row { id: id.to_owned(), seed: seed.to_owned(), games: 2, elo: Some(20.0), interval, ..Row::default() }
    }

    #[test]
    fn a_row_is_added_once_and_stays_when_it_is_described() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(table(folder.path()), "").unwrap();
        add(folder.path(), &row("a", "1")).unwrap();
        add(folder.path(), &row("b", "2")).unwrap();
        let arguments = ExperimentsArguments {
            ids: vec!["a".to_owned()],
            folder: folder.path().to_owned(),
            subject: Some("search".to_owned()),
            status: Some(Status::Open),
            title: None,
            idea: None,
            write: false,
            chart: None,
        };
        run(&arguments).unwrap();
        add(folder.path(), &row("a", "1")).unwrap();
        let described = Row { subject: "search".to_owned(), status: Some(Status::Open), ..row("a", "1") };
        assert_eq!(read(folder.path()).unwrap(), [described, row("b", "2")]);
        assert!(
            add(folder.path(), &row("a", "3")).unwrap_err().to_string().contains("another experiment is called 'a'")
        );
        assert_eq!(row("a", "1").elo_text(), "+20 [+7.2, no bound]");
    }

    #[test]
    fn a_line_that_is_no_row_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (text, complaint) in [
            ("{\"id\":\"a\"}\n{\"id\":\"a\"}\n", "line 2: two rows are called 'a'"),
            ("{\"id\":\"a\"}\n{\"name\":1}\n", "line 2"),
        ] {
            fs::write(table(folder.path()), text).unwrap();
            let error = format!("{:#}", read(folder.path()).unwrap_err());
            assert!(error.contains(complaint), "{error}");
        }
    }
}
