//! Where games are played: a rule, a board and a book of openings.

use super::openings::{self, Opening};
use super::terms::Terms;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use tengen::base::{Rule, Size};
use tengen::board::symmetry::Symmetry;

/// A rule, a board and the openings of its games.
#[derive(Clone, Debug)]
pub struct Ground {
    /// As it was typed: `RULE:SIZE:FILE`.
    pub text: String,
    /// The conditions of its games.
    pub terms: Terms,
    /// The openings in playing order, at least one; a single one without stones if there is no file.
    pub openings: Vec<Opening>,
    /// See [`openings::rounds`].
    rounds: Vec<(usize, usize)>,
}

impl Ground {
    /// Reads `RULE:SIZE:FILE`, as in `8:15:caro15.txt`; without the file, games begin on the empty board. What is not
    /// said there comes from `terms`. The seed decides the order of the openings.
    ///
    /// # Errors
    /// If the text is not of that form or the file cannot be used.
    pub fn parse(text: &str, terms: Terms, seed: u64) -> Result<Ground> {
        let mut parts = text.splitn(3, ':');
        let mut part = || parts.next().with_context(|| format!("'{text}' is not RULE:SIZE:FILE"));
        let rule = part()?.parse().with_context(|| text.to_owned())?;
        let size = part()?.parse::<Size>().with_context(|| text.to_owned())?;
        Ground::new(text.to_owned(), Terms { rule, size, ..terms }, parts.next().map(Path::new), seed)
    }

    /// Reads `RULE:SIZE:FILE`, the file included, for games under plain terms; see [`Ground::parse`].
    ///
    /// # Errors
    /// If the text is not of that form or the file cannot be used.
    pub fn with_book(text: &str, seed: u64) -> Result<Ground> {
        ensure!(text.splitn(3, ':').count() == 3, "'{text}' is not RULE:SIZE:FILE");
        let terms = Terms::plain(Rule::Freestyle, Size::square(15).context("15 is a legal side")?);
        Ground::parse(text, terms, seed)
    }

    /// A ground under these terms with the openings of a file, if there is one; see [`Ground::parse`].
    ///
    /// # Errors
    /// If the file cannot be used.
    pub fn new(text: String, terms: Terms, book: Option<&Path>, seed: u64) -> Result<Ground> {
        let openings = match book {
            Some(path) => openings::read(path, &terms, Some(seed))?,
            None => vec![Opening::default()],
        };
        let rounds = openings::rounds(&openings, terms.size);
        Ok(Ground { text, terms, openings, rounds })
    }

    /// Rule and board in words: `renju 15x15`.
    pub fn name(&self) -> String {
        name(self.terms.rule, self.terms.size)
    }

    /// The same as in the table of experiments: `r15`, and `f15x20` with 15 columns and 20 rows.
    pub fn code(&self) -> String {
        let Terms { rule, size, .. } = &self.terms;
        let letter = match rule {
            Rule::Freestyle => 'f',
            Rule::Standard => 's',
            Rule::Renju => 'r',
            Rule::Caro => 'c',
            Rule::CaroExact => 'x',
        };
        let rows = if size.width() == size.height() { String::new() } else { format!("x{}", size.height()) };
        format!("{letter}{}{rows}", size.width())
    }

    /// The opening of a round of this ground, and the number of its symmetry, 0 for none.
    pub fn opening(&self, round: usize) -> (Opening, usize) {
        let (index, number) = self.rounds[round % self.rounds.len()];
        let opening = &self.openings[index];
        let symmetry = Symmetry::of(self.terms.size).nth(number);
        (symmetry.map_or_else(|| opening.clone(), |symmetry| opening.turned(symmetry, self.terms.size)), number)
    }

    /// Number of different openings, counting turned and mirrored ones.
    pub fn variants(&self) -> usize {
        self.rounds.len()
    }
}

/// A rule and a board in words: `renju 15x15`.
pub fn name(rule: Rule, size: Size) -> String {
    format!("{} {size}", rule.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_ground_is_a_rule_a_board_and_a_book() {
        let mut book = tempfile::NamedTempFile::new().unwrap();
        writeln!(book, "h8i9\na1c2").unwrap();
        let terms = Terms { swap2: true, ..Terms::plain(Rule::Freestyle, Size::square(10).unwrap()) };
        let ground = Ground::parse("4:15", terms, 1).unwrap();
        assert_eq!((ground.name().as_str(), ground.variants(), ground.terms.swap2), ("renju 15x15", 1, true));
        let terms = Terms { swap2: false, ..terms };
        let ground = Ground::parse(&format!("8:20x15:{}", book.path().display()), terms, 1).unwrap();
        assert_eq!((ground.name().as_str(), ground.openings.len()), ("caro 20x15", 2));
        for bad in ["", "4", "3:15", "4:99", "0:15:there/is/no/such/file"] {
            assert!(Ground::parse(bad, terms, 1).is_err(), "{bad}");
        }
        assert!(Ground::with_book("4:15", 1).is_err());
    }
}
