//! Fuzzing without further tools: random mutations of a corpus, given to the targets of
//! `tools/tests/fuzz/targets.rs`.
//!
//! By default each target runs for a moment. `TENGEN_FUZZ_SECONDS=1800 cargo test --release --test fuzz` runs all targets for
//! longer; a name at the end selects one. Inputs are the same in every run; `TENGEN_FUZZ_SEED` changes them. An input that
//! fails is written to `target/fuzz-findings/`. After the fix, add it to `tests/data/fuzz/<target>/`, where it is tried in
//! every run.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../tests/common/conversation.rs"]
mod conversation;
#[path = "fuzz/targets.rs"]
mod targets;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use targets::TARGETS;
use tengen::base::Point;
use tengen::engine::Engine;
use tengen::search::{NullSink, SearchControl, SearchLimits};
use tengen_amount::{at_length, from_environment, given};

/// Largest input in bytes.
const LONGEST: usize = 6000;

/// Numbers at the limits of the types that parsers use.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "5",
    "22",
    "23",
    "255",
    "256",
    "484",
    "65535",
    "2147483647",
    "-2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
];

/// A file or folder of the repository.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Valid inputs for a target, and inputs that failed before.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let mut corpus: Vec<Vec<u8>> =
        files(&folder("tests/data/fuzz").join(target)).iter().map(|path| std::fs::read(path).unwrap()).collect();
    if matches!(target, "protocol" | "messages") {
        corpus.extend(
            files(&folder("protocol-fixtures")).iter().map(|path| sent(&std::fs::read_to_string(path).unwrap())),
        );
        corpus
            .push(b"MESSAGE depth 12-20 ev 34 n 1246000 n/ms 890 tm 1400 pv h8 i9\nDEBUG nodes=1.5M nps 2k\n".to_vec());
    }
    if target == "openings" {
        let openings = files(&folder("tests/data/openings"));
        corpus.extend(openings.iter().map(|path| std::fs::read(path).unwrap()).map(|mut text| {
            text.truncate(600);
            text
        }));
        corpus.push(b"-1,2, 3,4 0,0\n. . . . .\n. X O . .\n. . * . .\n. . # . .\n. . . . .\n".to_vec());
    }
    if target == "positions" {
        let text = std::fs::read_to_string(folder("tests/data/forced_wins.txt")).unwrap();
        corpus.extend(text.lines().filter(|line| !line.starts_with('#')).map(|line| line.as_bytes().to_vec()));
    }
    if target == "hash-files" {
        corpus.push(hash_file());
    }
    assert!(!corpus.is_empty(), "no corpus for {target}");
    corpus
}

/// A hash file of this version with some entries.
fn hash_file() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hash");
    let mut engine = Engine::new();
    engine.options_mut().hash_size = Some(1 << 20);
    engine.play(Point::new(7, 7).unwrap()).unwrap();
    let control = SearchControl::default();
    control.begin(SearchLimits { nodes: Some(150), ..SearchLimits::default() });
    engine.think(&control, &mut NullSink);
    assert!(engine.dump_hash(&path).unwrap() > 0);
    std::fs::read(path).unwrap()
}

/// The lines that a transcript sends, with its macros expanded.
fn sent(transcript: &str) -> Vec<u8> {
    let mut text = String::new();
    for line in transcript.lines().map(str::trim) {
        if let Some(side) = line.strip_prefix("S ") {
            text += &["START ", side, "\n"].concat();
        } else if let Some(sent) = line.strip_prefix("> ") {
            text += &[sent, "\n"].concat();
        } else if let Some((word, stones)) = line.split_once('{').filter(|_| !line.starts_with('<')) {
            let word = match word {
                "B" => "BOARD",
                "b" => "board",
                "Y" => "yxboard",
                "Q" => "SWAP2BOARD",
                _ => "yxquerydatabaseall",
            };
            let stones = stones.trim_end_matches('}').replace(' ', "\n");
            text += &[word, "\n", &stones, "\nDONE\n"].concat();
        }
    }
    text.into_bytes()
}

/// A new input: an old one, changed in a few places, perhaps with lines of another one.
fn mutant(corpus: &[Vec<u8>], random: &mut SmallRng) -> Vec<u8> {
    let mut bytes = corpus.choose(random).unwrap().clone();
    for _ in 0..random.random_range(1..12) {
        let at = random.random_range(0..=bytes.len());
        match random.random_range(0..10) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.random()),
            2 if at < bytes.len() => bytes[at] = random.random(),
            3 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            4 => drop(bytes.splice(at..(at + random.random_range(0..9)).min(bytes.len()), [])),
            5 => drop(bytes.splice(at..at, NUMBERS.choose(random).unwrap().bytes())),
            6 => replace_number(&mut bytes, at, random),
            // Inserts lines of another input or of this one.
            7 | 8 => {
                let other = corpus.choose(random).unwrap();
                let lines: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
                if let Some(first) = (!lines.is_empty()).then(|| random.random_range(0..lines.len())) {
                    let count = random.random_range(1..9).min(lines.len() - first);
                    let at = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
                    bytes.splice(at..at, lines[first..first + count].concat());
                }
            }
            _ => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
                if lines.len() > 1 {
                    let (one, two) = (random.random_range(0..lines.len()), random.random_range(0..lines.len()));
                    lines.swap(one, two);
                    bytes = lines.concat();
                }
            }
        }
        bytes.truncate(LONGEST);
    }
    bytes
}

/// Replaces the first number after `at` with another one.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut SmallRng) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|start| at + start) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let small = random.random_range(0..24).to_string();
    let number = if random.random_bool(0.8) { &small } else { *NUMBERS.choose(random).unwrap() };
    bytes.splice(start..start + length, number.bytes());
}

/// How long each target runs: in the normal run shortly, in a run at length for a second.
fn time_for_each() -> Duration {
    match given("TENGEN_FUZZ_SECONDS") {
        Some(seconds) => Duration::from_secs(seconds),
        None => Duration::from_millis(if at_length() { 1000 } else { 300 }),
    }
}

/// Runs a target on its corpus and on mutations of it.
fn fuzz(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).unwrap();
    let corpus = corpus(name);
    let mut random = SmallRng::seed_from_u64(from_environment("TENGEN_FUZZ_SEED", 1));
    let until = Instant::now() + time_for_each();
    let (mut slowest, mut count) = (Duration::ZERO, 0);
    let mut inputs = corpus.iter().cloned();
    loop {
        let known = inputs.next();
        if known.is_none() && Instant::now() >= until {
            break;
        }
        let bytes = known.unwrap_or_else(|| mutant(&corpus, &mut random));
        let started = Instant::now();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&bytes))) {
            let findings = folder("target/fuzz-findings");
            std::fs::create_dir_all(&findings).unwrap();
            let path = findings.join(format!("{name}-{count}"));
            std::fs::write(&path, &bytes).unwrap();
            let shown = bytes[..bytes.len().min(2000)].escape_ascii();
            println!("{name}: this input failed: {}\n{shown}", path.display());
            std::panic::resume_unwind(panic);
        }
        slowest = slowest.max(started.elapsed());
        count += 1;
    }
    println!("{name}: {count} inputs, the slowest took {} ms", slowest.as_millis());
}

macro_rules! targets {
    ($($test:ident $name:literal)*) => {
        $(#[test]
        fn $test() {
            fuzz($name);
        })*

        #[test]
        fn every_target_has_its_test() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$($name),*]);
        }
    };
}

targets! {
    protocol "protocol"
    positions "positions"
    proofs "proofs"
    match_records "match-records"
    psq_sgf "psq-sgf"
    openings "openings"
    training_records "training-records"
    messages "messages"
    databases "databases"
    hash_files "hash-files"
    session_records "session-records"
}
