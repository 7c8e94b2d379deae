//! The openings in `books/` and `tests/data/openings`: games can start from each, and no position is in two of a ground's books,
//! also not turned or mirrored.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use tengen::base::{Color, Point, Rule, Size};
use tengen_tools::arena::openings;
use tengen_tools::arena::terms::Terms;

/// Grounds with 2,000 openings, which must be there; any other has 500.
const MAIN_GROUNDS: [&str; 5] = ["freestyle_15", "freestyle_20", "standard_15", "renju_15", "caro_15"];

/// The positions of a file for a ground such as `renju_15`, turned and mirrored into one form; no two are the same.
fn positions(path: &Path, ground: &str) -> HashSet<Vec<(Point, Color)>> {
    let (rule, side) = ground.split_once('_').unwrap();
    let size = Size::square(side.parse().unwrap()).unwrap();
    let rule = Rule::ALL.into_iter().find(|known| known.name() == rule).unwrap();
    let openings = openings::read(path, &Terms::plain(rule, size), None).unwrap();
    let positions: HashSet<_> = openings.iter().map(|opening| opening.canonical(size)).collect();
    assert_eq!(positions.len(), openings.len(), "{} has a position twice", path.display());
    positions
}

#[test]
fn the_openings_of_the_tests_are_legal_and_different() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/openings");
    let mut files = 0;
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let ground = path.file_stem().unwrap().to_str().unwrap();
        assert!(positions(&path, ground).len() >= 100, "{ground}");
        files += 1;
    }
    assert!(files >= 6);
}

#[test]
fn books_are_legal_and_disjoint() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../books");
    let mut grounds: BTreeMap<String, Vec<(String, HashSet<_>)>> = BTreeMap::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let [ground, part, "txt"] = name.split('.').collect::<Vec<_>>()[..] else { panic!("{name}") };
        grounds.entry(ground.to_owned()).or_default().push((part.to_owned(), positions(&path, ground)));
    }
    for main in MAIN_GROUNDS {
        assert!(grounds.contains_key(main), "{main}");
    }
    for (ground, mut parts) in grounds {
        let count = if MAIN_GROUNDS.contains(&ground.as_str()) { 2000 } else { 500 };
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        let sizes: Vec<_> = parts.iter().map(|(part, positions)| (part.as_str(), positions.len())).collect();
        let expected = [("final", count * 3 / 20), ("testing", count * 3 / 5), ("tuning", count / 4)];
        assert_eq!(sizes, expected, "{ground}");
        let all: HashSet<_> = parts.into_iter().flat_map(|(_, positions)| positions).collect();
        assert_eq!(all.len(), count, "files of {ground} share a position");
    }
}
