//! The openings in `books/` and `tests/data/openings`: games can start from each, and no position is in two of a ground's books,
//! also not turned or mirrored.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use tengen::base::{Color, Point, Rule, Size};
use tengen_tools::arena::openings;
use tengen_tools::arena::terms::Terms;
use tengen_tools::experiments::MAIN_GROUNDS;

/// Grounds with 2,000 openings, which must be there; any other has 500.
fn main_grounds() -> Vec<String> {
    MAIN_GROUNDS.iter().map(|(rule, size)| format!("{}_{size}", rule.name())).collect()
}

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
    let script = include_str!("../../scripts/make-books");
    assert!(script.contains(&format!("main_grounds=\"{}\"", main_grounds().join(" "))));
    for main in &main_grounds() {
        assert!(grounds.contains_key(main), "{main}");
    }
    for (ground, mut parts) in grounds {
        let count = if main_grounds().contains(&ground) { 2000 } else { 500 };
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        let sizes: Vec<_> = parts.iter().map(|(part, positions)| (part.as_str(), positions.len())).collect();
        let expected = [("final", count * 3 / 20), ("testing", count * 3 / 5), ("tuning", count / 4)];
        assert_eq!(sizes, expected, "{ground}");
        let all: HashSet<_> = parts.into_iter().flat_map(|(_, positions)| positions).collect();
        assert_eq!(all.len(), count, "files of {ground} share a position");
    }
}

/// Stands in for `tengen-data openings`: notes its call, and fails for standard while `stop` exists.
#[cfg(unix)]
const MAKER: &str = "#!/bin/sh
echo \"$3\" >>calls
[ \"$3\" != standard ] || [ ! -e stop ] || exit 1
for last; do :; done
seq 500 >\"$last\"
";

/// Bug: the grounds that an interrupted run had finished were made again.
#[cfg(unix)]
#[test]
fn an_interrupted_run_makes_no_ground_twice() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for made in ["scripts", "bin", "target/release"] {
        std::fs::create_dir_all(root.join(made)).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/make-books");
    std::fs::copy(script, root.join("scripts/make-books")).unwrap();
    let maker = root.join("target/release/tengen-data");
    std::fs::write(&maker, MAKER).unwrap();
    std::fs::set_permissions(&maker, PermissionsExt::from_mode(0o755)).unwrap();
    let cargo = root.join("bin/cargo");
    std::fs::write(&cargo, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&cargo, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(root.join("stop"), "").unwrap();
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    let run = || {
        let mut make = Command::new("sh");
        make.args(["scripts/make-books", "freestyle_7", "standard_7"]).current_dir(root);
        make.env("PATH", &path).env("CARGO_TARGET_DIR", "target").status().unwrap().success()
    };
    assert!(!run());
    std::fs::remove_file(root.join("stop")).unwrap();
    assert!(run());
    // Freestyle, standard in vain, and standard again.
    assert_eq!(std::fs::read_to_string(root.join("calls")).unwrap(), "freestyle\nstandard\nstandard\n");
    let lines = |part: &str| std::fs::read_to_string(root.join("books").join(part)).unwrap().lines().count();
    assert_eq!(["freestyle_7.testing.txt", "standard_7.final.txt"].map(lines), [300, 75]);
    assert_eq!(root.join("target/books").read_dir().unwrap().count(), 0);
}
