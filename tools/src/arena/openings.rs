//! Openings: reading them, their order, and their rotations and reflections.
//!
//! A line is a list of moves (`h8i9j10`, black first, rows from above) or of offsets from the centre as Gomocup publishes
//! them (`-1,2, 3,4, 0,0`: x to the right, y down). Blank lines and lines that begin with `#` are ignored.

use super::terms::Terms;
use anyhow::{Context, Result, bail, ensure};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use std::collections::HashSet;
use std::path::Path;
use tengen::base::{Color, Point, Rule, Size};
use tengen::board::notation::{self, parse_moves};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::board::symmetry::Symmetry;

/// The first stones of a game, black first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opening {
    /// The stones in playing order.
    pub stones: Vec<Point>,
}

impl Opening {
    /// The moves as text, `h8i9j10`, as in opening files.
    pub fn text(&self) -> String {
        notation::moves_text(&self.stones)
    }

    /// The side to move after the opening.
    pub fn to_move(&self) -> Color {
        Color::to_move_after(self.stones.len())
    }

    /// The opening, rotated or mirrored.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry, size: Size) -> Opening {
        Opening { stones: self.stones.iter().map(|&stone| symmetry.apply(stone, size)).collect() }
    }

    /// The numbers of the symmetries that make different openings of this one, by colours and order of stones.
    pub fn forms(&self, size: Size) -> Vec<usize> {
        let mut known = HashSet::new();
        (0..).zip(Symmetry::of(size)).filter(|&(_, s)| known.insert(self.turned(s, size))).map(|(n, _)| n).collect()
    }

    /// A form that is equal for all openings that lead to the same position up to symmetry, in any order of stones.
    pub fn canonical(&self, size: Size) -> Vec<(Point, Color)> {
        let position = |symmetry: Symmetry| {
            let turned = self.turned(symmetry, size).stones;
            let mut cells: Vec<(Point, Color)> = turned.into_iter().zip(Color::ALL.into_iter().cycle()).collect();
            cells.sort_unstable_by_key(|&(point, color)| (point, color.index()));
            cells
        };
        let key = |cells: &Vec<(Point, Color)>| cells.iter().map(|&(p, c)| (p, c.index())).collect::<Vec<_>>();
        Symmetry::of(size).map(position).min_by_key(key).unwrap_or_default()
    }

    /// Reads one line.
    ///
    /// # Errors
    /// When it is in neither notation, or a stone is off the board; says which.
    pub fn parse(line: &str, size: Size) -> Result<Opening> {
        let offsets = line.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '-' | '+') || c.is_whitespace());
        let stones = if offsets {
            parse_offsets(line, size)?
        } else {
            parse_moves(line, size).with_context(|| {
                let largest = Size::square(Size::MAX_SIDE);
                if largest.is_some_and(|largest| parse_moves(line, largest).is_some()) {
                    format!("a stone is off the board of {size}")
                } else {
                    "expected moves such as h8i9 or offsets such as -1,2, 3,4".to_owned()
                }
            })?
        };
        Ok(Opening { stones })
    }

    /// The board of a game after the opening.
    pub fn oracle(&self, rule: Rule, size: Size) -> Oracle {
        let mut oracle = Oracle::new(rule, size);
        for (&stone, color) in self.stones.iter().zip(Color::ALL.into_iter().cycle()) {
            oracle.play(stone, color);
        }
        oracle
    }

    /// Checks that a game can start from this opening: no point twice, no win, no foul.
    ///
    /// # Errors
    /// Says why it cannot.
    pub fn check(&self, terms: &Terms) -> Result<()> {
        let mut oracle = Oracle::new(terms.rule, terms.size);
        for (&stone, color) in self.stones.iter().zip(Color::ALL.into_iter().cycle()) {
            let verdict = oracle.play(stone, color);
            ensure!(verdict == Verdict::Continues, "after {} the game is over: {verdict:?}", notation::name(stone));
        }
        if terms.swap2 {
            ensure!(self.stones.len() == 3, "a swap2 opening has three stones");
        }
        Ok(())
    }
}

/// Reads pairs of offsets from the centre. If a side is even, the centre is on the right or lower of its two middle lines, as
/// in Gomocup's files (half the side, rounded down).
fn parse_offsets(line: &str, size: Size) -> Result<Vec<Point>> {
    let numbers = line
        .split([',', ' ', '\t'])
        .filter(|word| !word.is_empty())
        .map(|word| word.parse::<i64>().with_context(|| format!("'{word}' is not a number")))
        .collect::<Result<Vec<_>>>()?;
    ensure!(numbers.len().is_multiple_of(2), "an odd number of coordinates");
    let (width, height) = (size.width() as i64, size.height() as i64);
    numbers
        .chunks_exact(2)
        .map(|pair| {
            let point = size.point(pair[0].saturating_add(width / 2), pair[1].saturating_add(height / 2));
            point.with_context(|| format!("{},{} is off the board", pair[0], pair[1]))
        })
        .collect()
}

/// Reads a file of openings; with a seed, in random order.
///
/// # Errors
/// When the file cannot be read, has no opening, or has one from which no game can start.
pub fn read(path: &Path, terms: &Terms, seed: Option<u64>) -> Result<Vec<Opening>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut openings = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = Opening::parse(line, terms.size)
            .and_then(|opening| opening.check(terms).map(|()| opening))
            .with_context(|| format!("{} line {}", path.display(), index + 1))?;
        openings.push(opening);
    }
    if openings.is_empty() {
        bail!("there is no opening in {}", path.display());
    }
    if let Some(seed) = seed {
        openings.shuffle(&mut SmallRng::seed_from_u64(seed));
    }
    Ok(openings)
}

/// The rounds until an opening comes back, as the index of the opening and the number of a symmetry: first all openings as
/// listed, which is symmetry 0, then the second form of each, and so on. Those that are symmetric themselves have fewer forms.
pub fn rounds(openings: &[Opening], size: Size) -> Vec<(usize, usize)> {
    let forms: Vec<Vec<usize>> = openings.iter().map(|opening| opening.forms(size)).collect();
    let most = forms.iter().map(Vec::len).max().unwrap_or(0);
    let with_form = |form: usize| {
        forms.iter().enumerate().filter_map(move |(index, forms)| forms.get(form).map(|&number| (index, number)))
    };
    (0..most).flat_map(with_form).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use tengen::base::Rule;

    fn terms(rule: Rule, side: usize) -> Terms {
        Terms::plain(rule, Size::square(side).unwrap())
    }

    #[test]
    fn both_notations_read_the_same() {
        let size = Size::square(15).unwrap();
        let moves = Opening::parse("g10 k12h8", size).unwrap();
        assert_eq!(Opening::parse("-1,2, 3,4, 0,0", size).unwrap(), moves);
        assert_eq!(Opening::parse("-1,2 3,4\t0,0", size).unwrap(), moves);
        assert_eq!(moves.text(), "g10k12h8");
        assert_eq!(Opening::parse("0,0", Size::square(20).unwrap()).unwrap().text(), "k11");
        for bad in ["8,0", "1,2,3", "h16", "h8-i9", "0,0,x"] {
            assert!(Opening::parse(bad, size).is_err(), "{bad}");
        }
    }

    #[test]
    fn openings_that_are_no_start_are_refused() {
        let check = |rule, line: &str| Opening::parse(line, Size::square(15).unwrap()).unwrap().check(&terms(rule, 15));
        assert!(check(Rule::Freestyle, "h8i9").is_ok());
        assert!(check(Rule::Freestyle, "h8h8").is_err());
        assert!(check(Rule::Freestyle, "a1o1a2o2a3o3a4o4a5").is_err());
        assert!(check(Rule::Renju, "h6a1h7o15g8a15i8o1h8").is_err(), "a double three ends a renju game");
    }

    /// Bug: the error asked for moves in the form that they had.
    #[test]
    fn a_stone_off_the_board_is_no_mistake_of_notation() {
        let error = |line: &str| Opening::parse(line, Size::square(9).unwrap()).unwrap_err().to_string();
        assert_eq!(error("h8o15"), "a stone is off the board of 9x9");
        assert!(error("h8z1").starts_with("expected moves") && error("-9,0").contains("off the board"));
    }

    #[test]
    fn files_are_read_shuffled_by_seed_and_errors_name_the_line() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "# ours\r\nh8i9\r\n\n-1,2, 3,4, 0,0\na1b2c3").unwrap();
        let terms = terms(Rule::Freestyle, 15);
        let in_order = read(file.path(), &terms, None).unwrap();
        assert_eq!(in_order.iter().map(Opening::text).collect::<Vec<_>>(), ["h8i9", "g10k12h8", "a1b2c3"]);
        let orders: HashSet<Vec<Opening>> =
            (0..20).map(|seed| read(file.path(), &terms, Some(seed)).unwrap()).collect();
        assert!(orders.len() > 1);
        assert_eq!(read(file.path(), &terms, Some(5)).unwrap(), read(file.path(), &terms, Some(5)).unwrap());
        writeln!(file, "zz").unwrap();
        assert!(format!("{:#}", read(file.path(), &terms, None).unwrap_err()).contains("line 6"));
    }

    /// Bug: one that is symmetric itself came back before the others had been played in all forms.
    #[test]
    fn openings_come_again_when_all_their_forms_are_played() {
        let size = Size::square(15).unwrap();
        let openings = [Opening::parse("a1c2", size).unwrap(), Opening::parse("h8i9", size).unwrap()];
        let symmetries: Vec<Symmetry> = Symmetry::of(size).collect();
        let rounds = rounds(&openings, size);
        assert_eq!((rounds.len(), &rounds[..2]), (8 + 4, &[(0, 0), (1, 0)][..]));
        let forms = rounds.iter().map(|&(index, number)| openings[index].turned(symmetries[number], size));
        let forms: Vec<Opening> = forms.collect();
        assert_eq!(forms.iter().collect::<HashSet<_>>().len(), 12);
        for (form, &(index, _)) in forms.iter().zip(&rounds) {
            assert_eq!(form.canonical(size), openings[index].canonical(size));
        }
        let other = Opening::parse("c2a1", size).unwrap();
        assert_ne!(other.canonical(size), openings[0].canonical(size));
    }
}
