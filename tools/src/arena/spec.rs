//! An engine as the user describes it: how to start it, and its limits.
//!
//! Example: `name=Old,cmd=./old/pbrain-tengen,nodes=10000,info.hash_size=65536`

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tengen::base::hash::Checksum;
use tengen::engine::Options;

/// The limits of one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for a move.
    pub turn: Option<Duration>,
    /// Time for the whole game.
    pub match_time: Option<Duration>,
    /// Time added to the game clock after each move.
    pub increment: Duration,
    /// Nodes for a move, for brains that know `INFO max_node`.
    pub nodes: Option<u64>,
    /// Largest depth, for brains that know `INFO max_depth`.
    pub depth: Option<u32>,
    /// Memory in bytes; 0: no limit.
    pub memory: u64,
    /// Whether a brain that has used more than `memory` loses (Linux only).
    pub memory_checked: bool,
    /// How late an answer may be without losing the game.
    pub tolerance: Duration,
    /// Time limit for a move without a clock.
    pub stall: Duration,
    /// Time limit for the start.
    pub start: Duration,
    /// The thinking brain is stopped at random times for up to this long, as on a busy machine. Zero: never.
    pub hiccup: Duration,
    /// Pause before each question, off the clock, for brains that do not answer a question that follows at once.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

impl Limits {
    /// What holds where the command line says nothing.
    pub const DEFAULT: Limits = Limits {
        turn: None,
        match_time: None,
        increment: Duration::ZERO,
        nodes: None,
        depth: None,
        memory: Options::DEFAULT_MEMORY,
        memory_checked: false,
        tolerance: Duration::from_secs(1),
        stall: Duration::from_secs(120),
        start: Duration::from_secs(10),
        hiccup: Duration::ZERO,
        pause: Duration::ZERO,
    };

    /// Sets the limit with this name on the command line.
    ///
    /// # Errors
    /// For an unknown name or an unreadable value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let number = || value.parse::<u64>().with_context(|| format!("{key}: '{value}' is not a number"));
        let some_time = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
        match key {
            "turn-ms" => self.turn = some_time(number()?),
            "match-ms" => self.match_time = some_time(number()?),
            "inc-ms" => self.increment = Duration::from_millis(number()?),
            "nodes" => self.nodes = Some(number()?).filter(|&nodes| nodes > 0),
            "depth" => self.depth = Some(u32::try_from(number()?)?).filter(|&depth| depth > 0),
            "memory-mb" => self.memory = number()?.saturating_mul(1 << 20),
            "check-memory" => self.memory_checked = flag(value)?,
            "tolerance-ms" => self.tolerance = Duration::from_millis(number()?),
            "stall-ms" => self.stall = Duration::from_millis(number()?),
            "hiccup-ms" => self.hiccup = Duration::from_millis(number()?),
            "pause-ms" => self.pause = Duration::from_millis(number()?),
            "start-ms" => self.start = Duration::from_millis(number()?),
            _ => bail!("unknown engine key '{key}'"),
        }
        Ok(())
    }

    /// Whether games under these limits are the same on every machine, because no clock is involved.
    pub fn is_reproducible(&self) -> bool {
        self.turn.is_none() && self.match_time.is_none() && (self.nodes.is_some() || self.depth.is_some())
    }

    /// The limits in words.
    pub fn describe(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.turn.map(|time| format!("{} ms a move", time.as_millis())));
        words.extend(self.match_time.map(|time| format!("{} ms a game", time.as_millis())));
        if !self.increment.is_zero() {
            words.push(format!("+{} ms", self.increment.as_millis()));
        }
        if !self.hiccup.is_zero() {
            words.push(format!("stopped for up to {} ms", self.hiccup.as_millis()));
        }
        if !self.pause.is_zero() {
            words.push(format!("{} ms pause before a question", self.pause.as_millis()));
        }
        words.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        words.extend(self.depth.map(|depth| format!("depth {depth}")));
        words.join(", ")
    }

    fn fingerprint(&self) -> String {
        let mut text = format!("{} {} {}", self.describe(), self.memory, self.tolerance.as_millis());
        // Only what is not the default, so that matches keep their identity.
        let usual = Limits::default();
        if self.memory_checked {
            text += " memory checked";
        }
        for (name, limit, default) in [("stall", self.stall, usual.stall), ("start", self.start, usual.start)] {
            if limit != default {
                text.extend([" ", name, " ", &limit.as_millis().to_string()]);
            }
        }
        text
    }
}

/// One engine of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// Its name in records and tables; unique in a tournament.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its working directory; `None` for that of the runner.
    pub directory: Option<PathBuf>,
    /// Its limits.
    pub limits: Limits,
    /// Further `INFO key value` lines, sent unchanged.
    pub infos: Vec<(String, String)>,
    /// Whether every game gets a new process.
    pub fresh: bool,
    /// Whether the process is stopped while its opponent thinks.
    pub suspend: bool,
}

impl EngineSpec {
    /// Reads `key=value,key=value,...`. What the text leaves out comes from `defaults`. With `judge`, it runs as the
    /// official judge runs brains: a new process for every game, stopped while the opponent thinks.
    ///
    /// # Errors
    /// For an unknown key, an unreadable value, or when `cmd` is missing.
    pub fn parse(text: &str, defaults: &Limits, judge: bool) -> Result<EngineSpec> {
        let mut name = None;
        let mut command = None;
        let mut spec = EngineSpec {
            name: String::new(),
            program: PathBuf::new(),
            arguments: Vec::new(),
            directory: None,
            limits: defaults.clone(),
            infos: Vec::new(),
            fresh: judge,
            suspend: judge,
        };
        let mut extra = Vec::new();
        for field in split_quoted(text, ',') {
            let (key, value) = field.split_once('=').with_context(|| format!("'{field}' is not key=value"))?;
            match key.trim() {
                "name" => name = Some(value.to_owned()),
                "cmd" => command = Some(value.to_owned()),
                "args" => extra = split_quoted(value, ' ').into_iter().filter(|word| !word.is_empty()).collect(),
                "dir" => spec.directory = Some(PathBuf::from(value)),
                "restart" => spec.fresh = flag(value)?,
                "suspend" => spec.suspend = flag(value)?,
                key => match key.strip_prefix("info.") {
                    Some(info) => spec.infos.push((info.to_owned(), value.to_owned())),
                    None => spec.limits.set(key, value)?,
                },
            }
        }
        let command = command.context("an engine needs cmd=PATH")?;
        (spec.program, spec.arguments) = split_command(&command)?;
        spec.arguments.append(&mut extra);
        if !is_name(&spec.program) || spec.program.is_file() {
            // A relative path refers to the runner's directory, also if the engine gets another one.
            spec.program = std::path::absolute(&spec.program)?;
            ensure!(spec.program.is_file(), "no such program: {}", spec.program.display());
        }
        if let Some(directory) = &spec.directory {
            ensure!(directory.is_dir(), "no such directory: {}", directory.display());
        }
        spec.name = name.unwrap_or_else(|| default_name(&spec.program));
        ensure!(!spec.name.is_empty() && !spec.name.contains(['\n', '\r']), "an engine needs a name of one line");
        Ok(spec)
    }

    /// Name, limits and settings of the engine on one line, without its program.
    pub fn conditions(&self) -> String {
        let EngineSpec { name, limits, infos, fresh, suspend, .. } = self;
        format!("{name}|{}|{infos:?}|{fresh}|{suspend}", limits.fingerprint())
    }

    /// Everything about the engine that affects its games, on one line. It must be the same when a match is resumed.
    pub fn fingerprint(&self) -> String {
        let EngineSpec { program, arguments, directory, .. } = self;
        // A new build at the same path is a different engine.
        let file = resolve_in_path(program, &std::env::var_os("PATH").unwrap_or_default());
        let build = std::fs::read(file).map_or(0, |bytes| Checksum::of(&bytes));
        let start = format!("{}|{build:016x}|{arguments:?}", program.display());
        let mut files = String::new();
        for bytes in self.named_files() {
            let _ = write!(files, "|{:016x}", Checksum::of(&bytes));
        }
        let place = directory.as_ref().map_or(String::new(), |directory| format!("|{}", directory.display()));
        format!("{start}{files}{place}|{}", self.conditions())
    }

    /// The contents of the files that its arguments name, as in `wine brain.exe` or `env TENGEN_NETWORK=new.tnn brain`. Options
    /// such as `--log=FILE` do not count: the brain may write there.
    fn named_files(&self) -> impl Iterator<Item = Vec<u8>> {
        let folder = self.directory.as_deref().unwrap_or(Path::new(""));
        let words = self.arguments.iter().filter(|word| !word.starts_with('-'));
        let names = words.flat_map(|word| [Some(word.as_str()), word.split_once('=').map(|(_, file)| file)]).flatten();
        let paths = names.map(|name| folder.join(name)).filter(|path| path.is_file());
        paths.filter_map(|path| std::fs::read(path).ok())
    }
}

/// Whether a program is a name without a folder, which the system looks for in the folders of PATH.
fn is_name(program: &Path) -> bool {
    program.components().count() == 1
}

/// The file of a program, where the folders of PATH are `folders`.
fn resolve_in_path(program: &Path, folders: &OsStr) -> PathBuf {
    let is_named = is_name(program);
    let named = std::env::split_paths(folders).filter(|_| is_named).flat_map(|folder| {
        let file = folder.join(program);
        let executable = format!("{}{}", file.display(), std::env::consts::EXE_SUFFIX);
        [file, PathBuf::from(executable)]
    });
    named.into_iter().find(|file| file.is_file()).unwrap_or_else(|| program.to_owned())
}

fn default_name(program: &Path) -> String {
    program.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn flag(value: &str) -> Result<bool> {
    match value {
        "1" | "yes" | "true" | "on" => Ok(true),
        "0" | "no" | "false" | "off" => Ok(false),
        _ => bail!("'{value}' is neither yes nor no"),
    }
}

/// A program and its arguments. A text that is the path of a file is the program, even with blanks in it.
fn split_command(command: &str) -> Result<(PathBuf, Vec<String>)> {
    if Path::new(command).is_file() {
        return Ok((PathBuf::from(command), Vec::new()));
    }
    let mut words = split_quoted(command, ' ').into_iter().filter(|word| !word.is_empty());
    let program = words.next().context("cmd= is empty")?;
    Ok((PathBuf::from(program), words.collect()))
}

/// Splits at `separator` outside of quotes, single or double; a blank stands for any white space. Words lose their quotes;
/// fields (at commas) keep them for the command that they may contain, unless they enclose a whole value.
pub(super) fn split_quoted(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        let part = parts.last_mut().expect("there is always a last part");
        match quote {
            Some(open) if c == open => quote = None,
            None if c == separator || separator == ' ' && c.is_whitespace() => {
                parts.push(String::new());
                continue;
            }
            None if c == '"' || c == '\'' => quote = Some(c),
            _ => {
                part.push(c);
                continue;
            }
        }
        if separator == ',' {
            part.push(c);
        }
    }
    if separator == ',' {
        for part in &mut parts {
            unquote_value(part);
        }
    }
    parts
}

/// Turns `cmd="a,b"` into `cmd=a,b`; keeps quotes within a value.
fn unquote_value(field: &mut String) {
    let Some((key, value)) = field.split_once('=') else { return };
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
            && !inner.contains(quote)
        {
            *field = format!("{key}={inner}");
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<EngineSpec> {
        EngineSpec::parse(text, &Limits::default(), false)
    }

    #[test]
    fn a_full_line() {
        let spec = parse(
            "name=A B,cmd='wine \"my brain.exe\" -x',nodes=5000,turn-ms=200,info.thread_num=2,restart=yes,memory-mb=100",
        )
        .unwrap();
        assert_eq!(spec.name, "A B");
        assert_eq!(spec.program, PathBuf::from("wine"));
        assert_eq!(spec.arguments, ["my brain.exe", "-x"]);
        assert_eq!(spec.limits.nodes, Some(5000));
        assert_eq!(spec.limits.turn, Some(Duration::from_millis(200)));
        assert_eq!(spec.limits.memory, 100 << 20);
        assert_eq!(spec.infos, [("thread_num".to_owned(), "2".to_owned())]);
        assert!(spec.fresh);
    }

    /// Bug: a match was resumed with another build of a program that another one starts.
    #[test]
    fn files_that_the_arguments_name_are_in_the_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let (program, file) = (folder.path().join("wine"), folder.path().join("brain.exe"));
        for path in [&program, &file] {
            std::fs::write(path, "a build").unwrap();
        }
        let place = folder.path().display();
        let fields =
            ["args=brain.exe", "args=FILE=brain.exe"].map(|args| format!("cmd='{place}/wine',dir='{place}',{args}"));
        let fingerprints = || fields.each_ref().map(|fields| parse(fields).unwrap().fingerprint());
        let before = fingerprints();
        assert_eq!(before, fingerprints());
        std::fs::write(&file, "another build").unwrap();
        assert!(before.iter().zip(&fingerprints()).all(|(before, after)| before != after));
    }

    /// Bug: a match was resumed with another build of the same name.
    #[test]
    fn another_program_has_another_fingerprint() {
        let mut program = tempfile::NamedTempFile::new().unwrap();
        let path = program.path().to_str().unwrap().to_owned();
        let fingerprint = |fields: &str| parse(&format!("name=A,cmd='{path}'{fields}")).unwrap().fingerprint();
        let before = fingerprint("");
        assert_eq!(before, fingerprint(""));
        for fields in [",args=-x", ",suspend=yes", ",nodes=5"] {
            assert_ne!(before, fingerprint(fields), "{fields}");
        }
        std::io::Write::write_all(&mut program, b"another build").unwrap();
        assert_ne!(before, fingerprint(""));
    }

    /// Bug: a match was resumed with another build if the program was given by its name and found through PATH.
    #[test]
    fn a_program_found_through_the_path_is_in_the_fingerprint() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let path = std::env::join_paths(folders.iter().map(tempfile::TempDir::path)).unwrap();
        let brain = folders[1].path().join("brain");
        std::fs::write(&brain, "a build").unwrap();
        assert_eq!(resolve_in_path("brain".as_ref(), &path), brain);
        assert_eq!(resolve_in_path("none".as_ref(), &path), Path::new("none"));
        if cfg!(unix) {
            let fingerprint = parse("cmd=sh").unwrap().fingerprint();
            assert!(!fingerprint.contains("|0000000000000000|"), "{fingerprint}");
        }
    }

    /// Bug: a match could be resumed in another directory, or with other limits for a brain that answers late.
    #[test]
    fn every_limit_and_the_directory_are_in_the_fingerprint() {
        let program = tempfile::NamedTempFile::new().unwrap();
        let path = program.path().to_str().unwrap();
        let fingerprint = |fields: &str| parse(&format!("name=A,cmd='{path}'{fields}")).unwrap().fingerprint();
        let before = fingerprint("");
        for fields in [",dir=/", ",check-memory=yes", ",stall-ms=5", ",start-ms=5"] {
            assert_ne!(before, fingerprint(fields), "{fields}");
        }
        // The defaults in other words, and matches from before the test.
        assert_eq!(before, fingerprint(",check-memory=no,stall-ms=120000,start-ms=10000"));
        assert!(before.ends_with("|[]|A| 367001600 1000|[]|false|false"), "{before}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, word) in [
            ("name=A", "cmd"),
            ("cmd=x,foo=1", "foo"),
            ("cmd=x,nodes=many", "many"),
            ("cmd", "key=value"),
            ("cmd=/no/such/file", "no such program"),
            ("cmd=x,restart=maybe", "maybe"),
        ] {
            let error = format!("{:#}", parse(text).unwrap_err());
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn the_name_defaults_to_the_program() {
        assert_eq!(parse("cmd=pbrain-tengen").unwrap().name, "pbrain-tengen");
    }
}
