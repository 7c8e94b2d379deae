//! The pages of the record: `SUBJECT.md` for each subject of the table. People write their first part; this writes the index
//! at the end, a line for each row, and the picture of the strength over time.

use super::{MAIN_GROUNDS, Row, Status, read, strength_chart};
use crate::output_file;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The lines around an index.
const BEGIN: &str = "<!-- Made from table.jsonl by `tengen-match experiments --write`. -->\n";
const END: &str = "<!-- End of the index. -->\n";
/// The sections of an index.
const SECTIONS: [(Status, &str); 4] = [
    (Status::Stands, "What stands"),
    (Status::Refuted, "Refuted"),
    (Status::Open, "Open"),
    (Status::Measured, "Measured only"),
];
/// Longest result that is shown for a row without Elo.
const SHORT: usize = 90;

/// Writes the index of each page, and the picture.
///
/// # Errors
/// If a row lacks a field that its page needs, or a page is missing or cannot be written.
pub fn write(folder: &Path) -> Result<()> {
    for (path, old, new) in made(folder)? {
        if old != new {
            output_file::write(&path, new)?;
        }
    }
    Ok(())
}

/// Each page and the picture: its path, what it is, and what it should be.
fn made(folder: &Path) -> Result<Vec<(PathBuf, String, String)>> {
    let rows = read(folder)?;
    for row in &rows {
        let is_complete = !row.subject.is_empty() && !row.title.is_empty() && row.status.is_some();
        ensure!(
            is_complete,
            "the row '{0}' is not described: tengen-match experiments {0} --subject ... --status ... --title ... --write",
            row.id
        );
    }
    let subjects: BTreeSet<&str> = rows.iter().map(|row| row.subject.as_str()).collect();
    let page = |subject: &str| {
        let path = folder.join(format!("{subject}.md"));
        let old = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let parts = old.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
        let (head, tail) = parts.with_context(|| format!("{} has no place for its index", path.display()))?;
        let new = format!("{head}{BEGIN}{}{END}{tail}", index(&rows, subject));
        Ok((path, old, new))
    };
    let picture = folder.join("strength.svg");
    let drawn = std::fs::read_to_string(&picture).unwrap_or_default();
    let picture = Ok((picture, drawn, strength_chart::svg(&rows)?));
    subjects.into_iter().map(page).chain([picture]).collect()
}

fn index(rows: &[Row], subject: &str) -> String {
    let mut text = String::new();
    for (status, headline) in SECTIONS {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.subject == subject && row.status == Some(status)).collect();
        if !rows.is_empty() {
            let _ = write!(text, "\n### {headline}\n\n");
            text.extend(rows.into_iter().map(line));
        }
    }
    text + "\n"
}

/// The line of a row: name, title, figures.
fn line(row: &Row) -> String {
    let Row { id, title, result, .. } = row;
    let mut grounds: Vec<&str> = row.grounds.split(", ").collect();
    grounds.sort_unstable();
    let mut main = MAIN_GROUNDS.map(|(rule, size)| format!("{}{size}", &rule.name()[..1]));
    main.sort_unstable();
    let is_known = row.elo.is_some();
    let figures = [
        row.elo_text(),
        if row.games > 0 { format!("{} games", row.games) } else { String::new() },
        row.limits.replace("000 nodes", "k"),
        if is_known && grounds != main { row.grounds.clone() } else { String::new() },
        if row.llr.is_some() { row.verdict.clone() } else { String::new() },
        if !is_known && result.len() <= SHORT { result.clone() } else { String::new() },
    ];
    let figures: Vec<String> = figures.into_iter().filter(|text| !text.is_empty()).collect();
    let colon = if figures.is_empty() { "" } else { ": " };
    format!("- <a id=\"{id}\"></a>`{id}` {title}{colon}{}\n", figures.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::FOLDER;
    use super::*;

    /// Longest page.
    const LINES: usize = 200;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER)
    }

    #[test]
    fn the_pages_are_those_of_the_table() {
        for (path, old, new) in made(&folder()).unwrap() {
            assert!(old == new, "{} is out of date: run tengen-match experiments --write", path.display());
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            assert!(
                !is_page || old.lines().count() <= LINES,
                "{} is too long: make two subjects of it",
                path.display()
            );
        }
    }

    #[test]
    fn what_rows_refer_to_is_there() {
        let rows = read(&folder()).unwrap();
        let is_row = |id: &str| rows.iter().any(|row| row.id == id);
        for row in &rows {
            let texts = [&row.idea, &row.conditions, &row.result, &row.verdict];
            let linked = texts.into_iter().flat_map(|text| text.split("](#").skip(1));
            let linked = linked.filter_map(|rest| rest.split(')').next());
            for id in linked.chain([&*row.see, &*row.since].into_iter().filter(|id| !id.is_empty())) {
                assert!(is_row(id), "{} refers to '{id}'", row.id);
            }
            assert!(row.data.is_empty() || folder().join(&row.data).is_file(), "{} names {}", row.id, row.data);
        }
    }

    #[test]
    fn a_row_is_in_the_index_of_its_subject_only() {
        let rows = ["a", "b"].map(|id| Row {
            id: id.to_owned(),
            subject: format!("subject-{id}"),
            status: Some(Status::Open),
            title: "an idea".to_owned(),
            limits: "25000 nodes".to_owned(),
            ..Row::default()
        });
        assert_eq!(index(&rows, "subject-a"), "\n### Open\n\n- <a id=\"a\"></a>`a` an idea: 25k\n\n");
    }

    #[test]
    fn a_row_that_is_not_described_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("table.jsonl"), "{\"id\":\"new\",\"subject\":\"search\"}\n").unwrap();
        let error = write(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("the row 'new' is not described"), "{error}");
    }
}
