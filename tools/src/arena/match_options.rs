//! The command line of `tengen-match`, and the tournament made of it.

use super::ground::Ground;
use super::schedule::{Schedule, pairings};
use super::spec::{EngineSpec, Limits};
use super::sprt::{SprtBounds, parse_bounds};
use super::terms::Terms;
use crate::command_line::rules;
use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tengen::base::processors::processors;
use tengen::base::{Rule, Size};

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  Two builds, 10,000 nodes a move, stopped as soon as the test decides:
    tengen-match --engine name=New,cmd=./pbrain-new --engine name=Old,cmd=./pbrain-old --ground 0:15:freestyle.txt \\
      --ground 4:15:renju.txt --nodes 10000 --games 20000 --sprt 0,5 --records new-old.jsonl

  One brain against two others at 1 s a move, as the official judge runs them:
    tengen-match --gauntlet --judge --engine name=Tengen,cmd=./pbrain-tengen \\
      --engine name=Alpha,cmd=\"wine alpha/pbrain-alpha.exe\" --engine name=Beta,cmd=./beta,info.thread_num=1 \\
      --rule 8 --size 15 --turn-ms 1000 --match-ms 180000 --games 100 --psq games/ --sgf games.sgf \\
      --records games.jsonl

  After an interruption, the same command with --resume plays the missing games.";

/// Plays brains that speak the Gomocup (Piskvork) protocol against each other.
#[derive(Parser, Debug, Clone)]
#[allow(clippy::struct_excessive_bools, clippy::doc_markdown)] // Switches and help texts, read by people.
#[command(name = "tengen-match", version, after_long_help = EXAMPLES)]
pub struct Arguments {
    /// An engine, as key=value fields separated by commas. Give this option at least twice.
    ///
    /// name; cmd (program with arguments; quote blanks); args; dir; restart=yes (a new process for every game, not START);
    /// suspend=yes (SIGSTOP while the opponent thinks); hiccup-ms (stopped at random times while it thinks, for up to
    /// this long); pause-ms (a pause before each question, off the clock, for brains that do not answer a question that
    /// follows at once); start-ms (most time for the start, 10000) and stall-ms (most time for a move without a clock, 120000);
    /// info.KEY=VALUE (sent as INFO KEY VALUE); and any of turn-ms, match-ms, inc-ms, nodes, depth, memory-mb, check-memory,
    /// tolerance-ms, which override the option of that name. Example: --engine
    /// name=Old,cmd="./old --quiet",nodes=20000,info.hash_size=65536
    #[arg(long, value_name = "FIELDS", required = true)]
    pub engine: Vec<String>,

    /// The rule.
    #[arg(long, default_value = "0", help = format!("Rule: {}. Example: --rule 8", rules()))]
    pub rule: Rule,

    /// Board size: 5 to 22, or WxH. Example: --size 15 or --size 20x15
    #[arg(long, default_value = "15")]
    pub size: Size,

    /// A rule, a board and a file of openings, in place of --rule, --size and --openings. Give this several times to play
    /// pairs of games on each ground in turn, and count them together. Example: --ground 8:15:caro15.txt
    #[arg(long, value_name = "RULE:SIZE:FILE", conflicts_with_all = ["rule", "size", "openings"])]
    pub ground: Vec<String>,

    /// Games of each pair of engines; two consecutive games share an opening, with colours swapped. Example: --games 1000
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub games: usize,

    /// Openings, one on each line: moves (h8i9..., rows from above) or offsets from the centre (-1,2, 3,4, 0,0). Each is
    /// played with both colours; when all have been played they are repeated, rotated or mirrored. Example: --openings caro15.txt
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,

    /// Seed of the order of the openings; random if not given, and recorded. Example: --seed 7
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// The engines choose the opening by the swap2 rule; openings from a file give the first three stones.
    /// Example: --swap2 --rule 1
    #[arg(long)]
    pub swap2: bool,

    /// Games at the same time; default: one per core. Example: --concurrency 2
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,

    /// The first engine plays each of the others; they do not play each other. Example: --gauntlet
    #[arg(long)]
    pub gauntlet: bool,

    /// Largest number of nodes for a move (INFO max_node); 0: no limit. Example: --nodes 10000
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,

    /// Largest depth (INFO max_depth); 0: no limit. Example: --depth 8
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,

    /// Time for a move; 1000 if nothing else limits the engine. Example: --turn-ms 1000
    #[arg(long, value_name = "MS")]
    pub turn_ms: Option<u64>,

    /// Time for the whole game. Example: --match-ms 180000
    #[arg(long, value_name = "MS")]
    pub match_ms: Option<u64>,

    /// Time added to the game clock after each move. Example: --match-ms 10000 --inc-ms 100
    #[arg(long, value_name = "MS")]
    pub inc_ms: Option<u64>,

    /// Memory limit sent to each brain; 0: its own default or none. Example: --memory-mb 350
    #[arg(long, value_name = "MIB", default_value_t = Limits::DEFAULT.memory >> 20)]
    pub memory_mb: u64,

    /// A brain that exceeds its memory limit loses the game (Linux only). Example: --check-memory
    #[arg(long)]
    pub check_memory: bool,

    /// How late an answer may be without losing the game. Example: --tolerance-ms 100
    #[arg(long, value_name = "MS", default_value_t = Limits::DEFAULT.tolerance.as_millis() as u64)]
    pub tolerance_ms: u64,

    /// Run brains as the official judge does: new processes, no ABOUT, START and INFO in one burst without waiting for
    /// OK, stopped after that and while the opponent thinks, BOARD for the first move. Example: --judge
    #[arg(long)]
    pub judge: bool,

    /// Draw a game at this number of stones, the opening included. Example: --draw-after 200
    #[arg(long, value_name = "STONES")]
    pub draw_after: Option<usize>,

    /// Play every game to its end. Otherwise a game ends when no five is possible any more, or when one engine announces a
    /// proven win and the other a proven loss. Example: --to-the-end
    #[arg(long)]
    pub to_the_end: bool,

    /// End with status 3 if any engine was late, lost by a fault, or announced a line or a result that was wrong; the report
    /// counts that for each engine. Example: --strict
    #[arg(long)]
    pub strict: bool,

    /// The sequential test.
    #[command(flatten)]
    pub sprt: SprtArguments,

    /// Write one JSON line for each game; --resume reads them. Example: --records match.jsonl
    #[arg(long, value_name = "FILE.jsonl")]
    pub records: Option<PathBuf>,

    /// Continue the match in the record file: play only the missing games. Example: --records m.jsonl --resume
    #[arg(long, requires = "records")]
    pub resume: bool,

    /// Write a Piskvork file for each game into this folder; it must not hold games of another match. Example: --psq games/
    #[arg(long, value_name = "DIR")]
    pub psq: Option<PathBuf>,

    /// Write all games into one SGF file; it must be new, or that of the match to resume. Example: --sgf games.sgf
    #[arg(long, value_name = "FILE")]
    pub sgf: Option<PathBuf>,

    /// Print only the final table. Example: --quiet
    #[arg(long)]
    pub quiet: bool,
}

impl Arguments {
    /// The engines with their limits.
    ///
    /// # Errors
    /// If one of them is invalid.
    pub fn engines(&self) -> Result<Vec<EngineSpec>> {
        let limits = limits(self)?;
        let engine = |text: &String| {
            let spec = EngineSpec::parse(text, &limits, self.judge);
            spec.map(with_default_time).with_context(|| format!("--engine {text}"))
        };
        self.engine.iter().map(engine).collect()
    }
}

/// The sequential test of two engines.
#[derive(clap::Args, Debug, Clone)]
#[allow(clippy::doc_markdown)] // Help texts, read by people.
pub struct SprtArguments {
    /// A sequential test, with error rates of 5 %, decides between these two Elo gains of the first engine (two engines only).
    /// A match stops as soon as it does. Example: --sprt 0,5 for a gain, --sprt -5,0 for a simplification
    #[arg(long = "sprt", value_name = "ELO0,ELO1", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub bounds: Option<SprtBounds>,
}

/// A tournament ready to be played.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// The games to play.
    pub schedule: Schedule,
    /// Seed of the order of the openings.
    pub seed: u64,
    /// Games at the same time.
    pub concurrency: usize,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtBounds>,
    /// The command line, for files and display.
    pub arguments: Arguments,
}

impl Setup {
    /// Checks the command line and reads the openings.
    ///
    /// # Errors
    /// When an option is invalid, or a file cannot be read.
    pub fn new(arguments: Arguments) -> Result<Setup> {
        let engines = arguments.engines()?;
        ensure!(engines.len() >= 2, "a match needs at least two engines");
        for (index, engine) in engines.iter().enumerate() {
            let same = engines[..index].iter().any(|other| other.name == engine.name);
            ensure!(!same, "two engines are called '{}': give each a different name=", engine.name);
            let Limits { increment, match_time, .. } = engine.limits;
            ensure!(increment.is_zero() || match_time.is_some(), "{}: --inc-ms needs --match-ms", engine.name);
        }
        let terms = Terms {
            rule: arguments.rule,
            size: arguments.size,
            swap2: arguments.swap2,
            draw_after: arguments.draw_after,
            judge: arguments.judge,
            adjudicate: !arguments.judge && !arguments.to_the_end,
        };
        let seed = seed(&arguments)?;
        let grounds = if arguments.ground.is_empty() {
            let text = format!("{}:{}", terms.rule.number(), terms.size);
            vec![Ground::new(text, terms, arguments.openings.as_deref(), seed)?]
        } else {
            arguments.ground.iter().map(|text| Ground::parse(text, terms, seed)).collect::<Result<_>>()?
        };
        let sprt = arguments.sprt.bounds;
        ensure!(sprt.is_none() || engines.len() == 2, "--sprt compares exactly two engines");
        if arguments.concurrency == Some(0) || arguments.games == 0 {
            bail!("--concurrency and --games must be at least 1");
        }
        Ok(Setup {
            schedule: Schedule {
                pairings: pairings(engines.len(), arguments.gauntlet),
                games_each: arguments.games,
                grounds,
            },
            engines,
            seed,
            concurrency: arguments.concurrency.unwrap_or_else(processors),
            sprt,
            arguments,
        })
    }

    /// Warnings to show before the games begin.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.concurrency > processors() {
            warnings.push(format!(
                "{} games at the same time on {} cores: the brains will slow each other down",
                self.concurrency,
                processors()
            ));
        }
        if cfg!(not(unix)) && self.engines.iter().any(|engine| engine.suspend) {
            warnings.push("brains cannot be suspended on this system".to_owned());
        }
        let pairs = self.schedule.games_each.div_ceil(2);
        let reproducible = self.engines.iter().all(|engine| engine.limits.is_reproducible());
        let distinct = self.schedule.distinct_rounds();
        if reproducible && pairs > distinct && !self.arguments.swap2 {
            warnings.push(format!(
                "{pairs} pairs of games, but different openings for {distinct}: repeated pairs count once"
            ));
        }
        warnings
    }
}

/// The seed of the command line, else that of the match to resume, else a new one. A match has one seed.
fn seed(arguments: &Arguments) -> Result<u64> {
    let recorded = match &arguments.records {
        Some(path) if arguments.resume => recorded_seed(path)?,
        _ => None,
    };
    if let (Some(typed), Some(recorded)) = (arguments.seed, recorded) {
        ensure!(typed == recorded, "the match to resume has seed {recorded}, not {typed}: leave out --seed");
    }
    Ok(arguments.seed.or(recorded).unwrap_or_else(|| {
        let mut hasher = DefaultHasher::new();
        (SystemTime::now(), std::process::id()).hash(&mut hasher);
        // Short enough to be typed again.
        hasher.finish() >> 32
    }))
}

/// The seed in the first line of a record file; `None` if there is no such file or line.
fn recorded_seed(path: &Path) -> Result<Option<u64>> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let mut line = String::new();
    BufReader::new(file).read_line(&mut line).with_context(|| format!("cannot read {}", path.display()))?;
    let record: Option<serde_json::Value> = serde_json::from_str(&line).ok();
    Ok(record.and_then(|record| record.get("seed")?.as_u64()))
}

/// The limits of engines that have none of their own.
fn limits(arguments: &Arguments) -> Result<Limits> {
    let mut limits = Limits { memory_checked: arguments.check_memory, ..Limits::DEFAULT };
    for (key, value) in [
        ("turn-ms", arguments.turn_ms),
        ("match-ms", arguments.match_ms),
        ("inc-ms", arguments.inc_ms),
        ("nodes", arguments.nodes),
        ("depth", arguments.depth.map(u64::from)),
        ("memory-mb", Some(arguments.memory_mb)),
        ("tolerance-ms", Some(arguments.tolerance_ms)),
    ] {
        if let Some(value) = value {
            limits.set(key, &value.to_string())?;
        }
    }
    Ok(limits)
}

/// An engine without any limit gets one second a move.
fn with_default_time(mut spec: EngineSpec) -> EngineSpec {
    let limits = &mut spec.limits;
    if limits.turn.is_none() && limits.match_time.is_none() && limits.nodes.is_none() && limits.depth.is_none() {
        limits.turn = Some(Duration::from_secs(1));
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Bug: `--nodes 0` was a limit of no nodes, and `nodes=0` of one engine no limit.
    #[test]
    fn zero_is_no_limit_for_all_engines_as_for_one() {
        let engines = |words: &str, fields: &str| {
            let first = format!("name=A,cmd=x{fields}");
            let words = format!("tengen-match --engine {first} --engine name=B,cmd=x{fields} {words}");
            Arguments::try_parse_from(words.split_whitespace()).unwrap().engines().unwrap()
        };
        let expected = engines("--turn-ms 1000", "");
        assert_eq!(engines("--nodes 0 --depth 0 --match-ms 0", ""), expected);
        assert_eq!(engines("", ",nodes=0,depth=0,match-ms=0"), expected);
    }

    #[test]
    fn each_engine_may_have_limits_of_its_own() {
        let words = "tengen-match --turn-ms 500 --match-ms 60000 --engine name=A,cmd=x --engine \
            name=B,cmd=x,turn-ms=2000,match-ms=240000,inc-ms=10,nodes=9000 --engine name=C,cmd=x,turn-ms=0,match-ms=0,nodes=7";
        let engines = Arguments::try_parse_from(words.split_whitespace()).unwrap().engines().unwrap();
        let limits = engines.iter().map(|engine| engine.limits.describe()).collect::<Vec<_>>();
        let expected =
            ["500 ms a move, 60000 ms a game", "2000 ms a move, 240000 ms a game, +10 ms, 9000 nodes", "7 nodes"];
        assert_eq!(limits, expected);
    }

    /// Bug: the games of both seeds were in one file, and the two games of a pair with both seeds never counted as a pair.
    #[test]
    fn a_match_is_resumed_with_its_own_seed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "{\"match\":\"\",\"seed\":7}\n").unwrap();
        let resumed = |words: &str| {
            let line = format!("tengen-match --engine name=A,cmd=a --resume {words} --records");
            let words = line.split_whitespace().map(Into::into).chain([file.path().as_os_str().to_owned()]);
            seed(&Arguments::try_parse_from(words).unwrap()).map_err(|error| error.to_string())
        };
        assert_eq!((resumed(""), resumed("--seed 7")), (Ok(7), Ok(7)));
        let refusal = "the match to resume has seed 7, not 8: leave out --seed";
        assert_eq!(resumed("--seed 8"), Err(refusal.to_owned()));
    }

    #[test]
    fn the_command_line_is_sound_and_every_option_has_an_example() {
        Arguments::command().debug_assert();
        for argument in Arguments::command().get_arguments() {
            let help = format!(
                "{} {}",
                argument.get_help().map(ToString::to_string).unwrap_or_default(),
                argument.get_long_help().map(ToString::to_string).unwrap_or_default()
            );
            assert!(help.contains("Example: --"), "--{} has no example", argument.get_id());
        }
    }
}
