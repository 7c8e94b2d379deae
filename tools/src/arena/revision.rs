//! Brains of git revisions: built once, kept by commit; and a match between two of them.

use super::cancel::{Cancel, RunEnd};
use super::match_options::Arguments;
use super::tournament;
use crate::command_line::{complaint, one_line};
use crate::experiments::MAIN_GROUNDS;
use crate::output_file;
use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tengen::base::hash::Checksum;
use tengen::engine::files::FileLock;

/// A brain to be played: its revision, and engine fields of the match runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// What git calls a revision; for a match from the command line also a dot, the working tree.
    pub revision: String,
    /// As in `info.tune.lmr_factor=75`; may be empty.
    pub fields: String,
}

impl Side {
    /// Reads `REVISION` or `REVISION,FIELDS`.
    pub fn parse(text: &str) -> Side {
        let (revision, fields) = text.split_once(',').unwrap_or((text, ""));
        Side { revision: revision.to_owned(), fields: fields.to_owned() }
    }

    /// As it was typed, with the name of its build.
    pub fn describe(&self, build: &str) -> String {
        let comma = if self.fields.is_empty() { "" } else { "," };
        format!("{}{comma}{} ({build})", self.revision, self.fields)
    }

    /// Whether numbers are set that only builds for tuning have.
    pub fn is_tuned(&self) -> bool {
        self.fields.contains("info.tune.")
    }

    /// Its commit.
    ///
    /// # Errors
    /// If there is no such revision.
    pub fn commit(&self) -> Result<String> {
        let commit = output("git", &["rev-parse", "--verify", &format!("{}^{{commit}}", self.revision)])?;
        Ok(commit.trim().to_owned())
    }
}

/// The command line of a match between two builds.
///
/// # Errors
/// If an option is none of `tengen-match`.
pub fn arguments(sides: &[Side; 2], names: [&str; 2], brains: &[PathBuf; 2], options: &[String]) -> Result<Arguments> {
    let mut words = vec!["tengen-match".to_owned()];
    for ((side, brain), name) in sides.iter().zip(brains).zip(names) {
        let comma = if side.fields.is_empty() { "" } else { "," };
        words.push("--engine".to_owned());
        words.push(format!("name={name},cmd=\"{}\"{comma}{}", brain.display(), side.fields));
    }
    words.extend(options.iter().cloned());
    Arguments::try_parse_from(words).map_err(|error| anyhow!("{}", complaint(&error)))
}

/// Where brains are built and kept.
#[derive(Debug)]
pub struct Builds {
    /// Has `builds`, the brains; `source`, a work tree of git; `target`, what cargo makes; `building.lock`, held meanwhile.
    folder: PathBuf,
}

impl Builds {
    /// The builds in a folder, which is made if needed.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(folder: &Path) -> Result<Builds> {
        let made = fs::create_dir_all(folder).and_then(|()| fs::canonicalize(folder));
        Ok(Builds { folder: made.with_context(|| format!("cannot create {}", folder.display()))? })
    }

    /// The brain of a commit, built if it is not there yet.
    ///
    /// # Errors
    /// If it cannot be checked out or built, or another run is building.
    pub fn brain(&self, commit: &str, is_tuned: bool) -> Result<PathBuf> {
        let kept = self.kept(commit, is_tuned);
        if kept.exists() {
            return Ok(kept);
        }
        let _lock = self.lock()?;
        let source = self.folder.join("source");
        let path = source.to_str().context("the folder's name is not Unicode")?;
        // Without a repository of its own, git would take the one around it.
        if source.join(".git").exists() {
            output("git", &["-C", path, "checkout", "--quiet", "--force", "--detach", commit])?;
        } else {
            output("git", &["worktree", "prune"])?;
            output("git", &["worktree", "add", "--quiet", "--detach", path, commit])?;
        }
        keep(&self.build(&source, is_tuned)?, &kept)
    }

    /// The brain of the working tree as it is, kept by its content.
    ///
    /// # Errors
    /// If it cannot be built, or another run is building.
    pub fn working_tree(&self, is_tuned: bool) -> Result<PathBuf> {
        let _lock = self.lock()?;
        let built = self.build(Path::new(output("git", &["rev-parse", "--show-toplevel"])?.trim()), is_tuned)?;
        let content = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
        keep(&built, &self.kept(&format!("worktree-{:016x}", Checksum::of(&content)), is_tuned))
    }

    /// Keeps other runs away from the source tree and from what is built in it.
    fn lock(&self) -> Result<FileLock> {
        output_file::lock(&self.folder.join("building"))
    }

    fn kept(&self, name: &str, is_tuned: bool) -> PathBuf {
        let folder = if is_tuned { format!("{name}-tune") } else { name.to_owned() };
        self.folder.join("builds").join(folder).join(format!("pbrain-tengen{}", std::env::consts::EXE_SUFFIX))
    }

    /// Builds a source tree. In version 0.1.0 the tools were a default feature of the same package.
    fn build(&self, source: &Path, is_tuned: bool) -> Result<PathBuf> {
        let target = self.folder.join("target");
        let manifest = source.join("Cargo.toml");
        let [target_text, manifest] =
            [&target, &manifest].map(|path| path.to_str().context("the folder's name is not Unicode"));
        let mut words = vec!["build", "--release", "--locked", "--quiet", "--no-default-features", "-p", "tengen"];
        words.extend(["--bin", "pbrain-tengen", "--manifest-path", manifest?, "--target-dir", target_text?]);
        if is_tuned {
            words.extend(["--features", "tune"]);
        }
        output("cargo", &words)?;
        Ok(target.join("release").join(format!("pbrain-tengen{}", std::env::consts::EXE_SUFFIX)))
    }
}

/// Copies a brain to its place, where a match may be playing with an equal one.
fn keep(built: &Path, kept: &Path) -> Result<PathBuf> {
    if !kept.exists() {
        let unfinished = kept.with_extension("tmp");
        let made = kept.parent().map_or(Ok(()), fs::create_dir_all);
        let copied = made.and_then(|()| fs::copy(built, &unfinished)).and_then(|_| fs::rename(&unfinished, kept));
        copied.with_context(|| format!("cannot write {}", kept.display()))?;
    }
    Ok(kept.to_owned())
}

/// What a program prints.
fn output(program: &str, words: &[&str]) -> Result<String> {
    let output = Command::new(program).args(words).output().with_context(|| format!("cannot start {program}"))?;
    ensure!(
        output.status.success(),
        "{program} {}: {}",
        words.join(" "),
        one_line(&String::from_utf8_lossy(&output.stderr))
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What the command line of `tengen-match revisions` says.
#[derive(clap::Args, Debug, Clone)]
pub struct RevisionsArguments {
    /// The new revision, or a dot: the working tree as it is. Example: tengen-match revisions . main
    pub new: String,
    /// The old one.
    pub old: String,
    /// Options of the match; without any: 10,000 nodes, SPRT [0, 10], at most 8,000 games on the five main grounds.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub options: Vec<String>,
}

impl RevisionsArguments {
    /// The options of the match: those given, or stage 1 of a test.
    fn options(&self) -> Vec<String> {
        if !self.options.is_empty() {
            return self.options.clone();
        }
        let mut words = ["--nodes", "10000", "--sprt", "0,10", "--games", "8000"].map(str::to_owned).to_vec();
        for (rule, size) in MAIN_GROUNDS {
            let (name, rule) = (rule.name(), rule.number());
            words.extend(["--ground".to_owned(), format!("{rule}:{size}:books/{name}_{size}.testing.txt")]);
        }
        words
    }
}

/// Builds two revisions and plays them against each other. Builds are kept in `target/revisions`.
///
/// # Errors
/// If a revision cannot be built, or the match cannot be played.
pub fn run(typed: &RevisionsArguments, interrupted: &Cancel) -> Result<RunEnd> {
    let sides = [&typed.new, &typed.old].map(|text| Side::parse(text));
    let options = typed.options();
    // Mistakes are reported before anything is built.
    arguments(&sides, ["A", "B"], &["a".into(), "b".into()], &options)?.engines()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let builds = Builds::new(&target.join("revisions"))?;
    let is_tuned = sides.iter().any(Side::is_tuned);
    let brain = |side: &Side| -> Result<(String, PathBuf)> {
        if side.revision == "." {
            return Ok(("worktree".to_owned(), builds.working_tree(is_tuned)?));
        }
        let commit = side.commit()?;
        Ok((commit.get(..10).unwrap_or(&commit).to_owned(), builds.brain(&commit, is_tuned)?))
    };
    let [(new, new_brain), (mut old, old_brain)] = [brain(&sides[0])?, brain(&sides[1])?];
    if new == old {
        old += "-again";
    }
    tournament::run(arguments(&sides, [&new, &old], &[new_brain, old_brain], &options)?, interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::sprt::SprtBounds;

    fn typed(options: &[&str]) -> RevisionsArguments {
        let options = options.iter().map(|&word| word.to_owned()).collect();
        RevisionsArguments { new: ".".to_owned(), old: "main".to_owned(), options }
    }

    #[test]
    fn without_options_it_is_stage_1_on_books_that_exist() {
        let options = typed(&[]).options();
        let books: Vec<&str> = options.iter().filter_map(|word| word.splitn(3, ':').nth(2)).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(books.len() == 5 && books.iter().all(|book| root.join(book).is_file()), "{books:?}");
        let arguments = arguments(&[".", "main"].map(Side::parse), ["A", "B"], &["a".into(), "b".into()], &options);
        assert_eq!(arguments.unwrap().sprt.bounds, Some(SprtBounds { elo0: 0.0, elo1: 10.0 }));
        assert_eq!(typed(&["--games", "2"]).options(), ["--games", "2"]);
    }

    #[test]
    fn a_mistake_is_found_before_anything_is_built() {
        let error = run(&typed(&["--nosuch"]), &Cancel::default()).unwrap_err().to_string();
        assert!(error.contains("--nosuch"), "{error}");
        // Bug: fields of an engine were read only after both builds.
        let error =
            run(&RevisionsArguments { old: "main,nodse=5".to_owned(), ..typed(&[]) }, &Cancel::default()).unwrap_err();
        assert!(error.to_string().contains("nodse"), "{error}");
    }

    /// Bug: a second run checked out its revision in the source tree that the first one was building.
    #[test]
    fn two_runs_do_not_build_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let builds = Builds::new(folder.path()).unwrap();
        // As after an earlier build.
        fs::create_dir(folder.path().join("target")).unwrap();
        let lock = builds.lock().unwrap();
        let refusal = builds.brain("0123456789", false).unwrap_err().to_string();
        assert!(refusal.contains("another run is writing") && !folder.path().join("source").exists(), "{refusal}");
        drop(lock);
    }

    #[test]
    fn a_side_is_described_as_it_was_typed() {
        for text in ["main", "main,info.tune.lmr_factor=75"] {
            assert_eq!(Side::parse(text).describe("1"), format!("{text} (1)"));
        }
    }
}
