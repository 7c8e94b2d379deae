//! The options of `tengen-review`.

use crate::command_line::rules;
use anyhow::{Result, ensure};
use clap::Parser;
use std::path::{Path, PathBuf};
use tengen::base::processors::processors;
use tengen::base::{Rule, Size};
use tengen::tools::gamefile::{GameFile, PlayStart};

/// What `--help` shows last.
const EXAMPLES: &str = "\
Examples:
  tengen-review --rule renju --svg game.svg game.psq
  tengen-review --svg lessons --player tengen tournament/";

/// Fewest nodes of a search.
const LEAST_NODES: u64 = 1000;

/// Judges every move of a game: best, fine, inaccuracy, mistake, missed win.
///
/// The game comes from a file or from standard input: a Piskvork file (.psq), SGF, another format that docs/tools.md lists, or
/// moves such as h8i9j10... with rows counted from below. A position that the record sets up is shown but not judged, nor are
/// moves that a tournament imposed; the report says how the record marks them.
///
/// Of a folder with records, also those of tengen-match (.jsonl), or of a file or an input with several games, it shows where
/// the games that a player lost were lost, one line a game, and the causes.
#[derive(Parser, Debug)]
#[command(name = "tengen-review", version, after_help = EXAMPLES, args_override_self = true)]
pub struct Request {
    /// A file, a folder, or the moves themselves; default: standard input.
    #[arg(value_name = "FILE | FOLDER")]
    pub source: Option<String>,
    /// Rule of games whose record does not name it.
    #[arg(long, help = format!("Rule of games whose record does not name it: {}; default: freestyle", rules()))]
    pub rule: Option<Rule>,
    /// Board of plain moves; default: 15, or larger if the moves need it.
    #[arg(long)]
    pub size: Option<Size>,
    /// Nodes searched for each position.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    nodes: u64,
    /// Do not judge the moves before this one; default: what the record says.
    #[arg(long, value_name = "N", value_parser = parse_move_number)]
    pub from_move: Option<usize>,
    /// Draw the curve of the winning chances into this file; for many games, the board of each lost game as it turned into
    /// this folder.
    #[arg(long, value_name = "FILE | FOLDER")]
    pub svg: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
    /// For many games: the player whose lost games to review; part of the name, case-insensitive; default: tengen.
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
    /// For many games: nodes that the player searched for a move, if the record does not say; default: --nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub game_nodes: Option<u64>,
    /// For many games: games judged at the same time, 130 MB each; default: one per processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Reads the number of a move.
fn parse_move_number(text: &str) -> Result<usize, String> {
    let number = text.parse().map_err(|_| "not a number".to_owned())?;
    if number == 0 { Err("moves are counted from 1".to_owned()) } else { Ok(number) }
}

impl Request {
    /// Whether an option is for many games.
    fn is_of_many(&self) -> bool {
        self.player.is_some() || self.game_nodes.is_some() || self.threads.is_some()
    }

    /// Checks that the options go together.
    ///
    /// # Errors
    /// When one is for many games, and there is none.
    pub fn check(&self) -> Result<()> {
        let source = self.source.as_deref().filter(|_| self.is_of_many());
        source.map_or(Ok(()), |source| {
            ensure!(Path::new(source).exists(), "{source}: there is no such file or folder");
            Ok(())
        })
    }

    /// Checks that the options are for one game.
    ///
    /// # Errors
    /// When one is for many.
    pub fn check_one(&self) -> Result<()> {
        ensure!(
            !self.is_of_many(),
            "--player, --game-nodes and --threads are for a folder, a .jsonl file or a file with several games"
        );
        Ok(())
    }

    /// Nodes searched for each position.
    pub fn nodes(&self) -> u64 {
        self.nodes.max(LEAST_NODES)
    }

    /// Games judged at the same time.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(processors).max(1)
    }

    /// The folder, if that is what is reviewed.
    pub fn folder(&self) -> Option<&Path> {
        let path = Path::new(self.source.as_deref()?);
        path.is_dir().then_some(path)
    }

    /// The rule of a game: that of its record, else that of the user.
    pub fn rule_of(&self, game: &GameFile) -> Rule {
        game.rule.or(self.rule).unwrap_or(Rule::Freestyle)
    }

    /// A game whose play begins where the user says, if the user does.
    #[must_use]
    pub fn with_start(&self, game: GameFile) -> GameFile {
        let start = self.from_move.map(|number| PlayStart::asked(number - 1));
        GameFile { start: start.unwrap_or_else(|| game.start.clone()), ..game }
    }
}
