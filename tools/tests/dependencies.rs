//! The dependencies: only known crates in the brain, free licences, one version of each crate, all from crates.io. Needs no
//! network.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// All crates that may be compiled into the brain. Every addition here is a deliberate decision.
const BRAIN: [&str; 15] = [
    "anyhow",
    "arrayvec",
    "bytemuck",
    "cfg-if",
    "crc32fast",
    "env_filter",
    "env_logger",
    "fastrand",
    "lexopt",
    "log",
    "once_cell",
    "rand",
    "rand_core",
    "smallvec",
    "tempfile",
];

/// Used to request large pages, to create temporary files, and to notice that the output is closed.
const BRAIN_ON_LINUX: [&str; 4] = ["bitflags", "libc", "linux-raw-sys", "rustix"];

/// Licences whose only condition is that they are included.
const LICENCES: [&str; 8] =
    ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-3-Clause", "ISC", "Unicode-3.0", "Unlicense", "Zlib"];

/// Crates that other crates need in several versions.
const TWICE: [&str; 3] = ["hashbrown", "nix", "syn"];

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .args(arguments)
        .args(["--locked", "--offline"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_brain_is_made_of_known_crates() {
    let tree = cargo(&["tree", "--package", "tengen", "--edges", "normal", "--prefix", "none"]);
    let found: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    let on_linux = BRAIN_ON_LINUX.into_iter().filter(|_| cfg!(target_os = "linux"));
    let known: BTreeSet<&str> = BRAIN.into_iter().chain(on_linux).chain(["tengen"]).collect();
    assert_eq!(found, known);
}

#[test]
fn every_licence_is_a_free_one() {
    // The crates of the page need not be on this machine; its build puts their licences into the page.
    let tree = cargo(
        &[
            &["tree", "--package", "tengen", "--package", "tengen-tools", "--edges", "normal,build,dev"][..],
            &["--prefix", "none", "--no-dedupe", "--format", "{p}|{l}"],
        ]
        .concat(),
    );
    let packages: BTreeSet<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
    assert!(packages.len() > BRAIN.len());
    for package in packages {
        let (name, licence) = package.split_once('|').unwrap();
        assert!(is_free(licence), "{name}: '{licence}'");
    }
}

/// Whether at least one of the alternative licences is free; `A AND B` is free only if both are.
fn is_free(licence: &str) -> bool {
    let plain = licence.replace(['(', ')'], "").replace('/', " OR ");
    let all_of = |choice: &str| choice.split(" AND ").all(|one| LICENCES.contains(&one.trim()));
    if licence.contains(") AND ") || licence.contains(" AND (") {
        // Of each part, one licence must be free.
        return plain.split(" AND ").all(|part| part.split(" OR ").any(all_of));
    }
    plain.split(" OR ").any(all_of)
}

#[test]
fn licence_expressions_are_understood() {
    for free in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0", "MIT AND Zlib"] {
        assert!(is_free(free), "{free}");
    }
    let mixed = ["(MIT OR Apache-2.0) AND GPL-3.0", "GPL-3.0 AND (MIT OR Apache-2.0)"];
    for other in ["", "GPL-3.0", "MIT AND GPL-3.0"].into_iter().chain(mixed) {
        assert!(!is_free(other), "{other}");
    }
}

#[test]
fn every_crate_comes_once_and_from_crates_io() {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock")).unwrap();
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let field = |name: &str| package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        let name = field("name").unwrap().trim_matches('"');
        *versions.entry(name).or_default() += 1;
        let source = field("source");
        let is_ours = ["tengen", "tengen-amount", "tengen-tools", "tengen-web", "tengen-web-pack"].contains(&name);
        let expected = (!is_ours).then_some("\"registry+https://github.com/rust-lang/crates.io-index\"");
        assert_eq!(source, expected, "{name}");
        assert_eq!(field("checksum").is_some(), !is_ours, "{name} has no checksum");
    }
    let twice: Vec<&str> = versions.into_iter().filter(|&(_, count)| count > 1).map(|(name, _)| name).collect();
    assert!(twice.iter().all(|name| TWICE.contains(name)), "several versions of {twice:?}");
}
