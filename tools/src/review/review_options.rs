//! The options of `tengen-review`.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use tengen::base::{Rule, Size};
use tengen::tools::gamefile::GameFile;

/// What `tengen-review --help` prints.
pub const HELP: &str = "\
usage: tengen-review [options] [FILE | FOLDER]

Judges every move of a game: best, fine, inaccuracy, mistake, missed win. The game comes from
a file or from standard input: a Piskvork file (.psq), SGF, or moves such as h8i9j10... with
rows counted from below. A position that an SGF file sets up is shown but not judged, nor are
the stones that a Piskvork file begins with if they took no time: a tournament imposed them.

Of a folder with such files and records of tengen-match (.jsonl), or of one .jsonl file, it
shows where the games that a player lost were lost, one line a game, and the causes.

  --rule R         0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact, or their names;
                   for games whose record does not name it (0)
  --size N         board size for plain moves (15, or larger if the moves need it)
  --nodes N        nodes searched for each position (100000)
  --from-move N    do not judge the moves before this one (what the record says)
  --svg FILE       draw the curve of the winning chances
  --json           print the report as JSON

Of a folder or a .jsonl file:
  --player NAME    whose lost games: a part of the name, in capitals or not (tengen)
  --game-nodes N   nodes that the player searched for a move, where the record does not tell
                   (as --nodes)
  --threads N      games judged at the same time, each with 130 MB (one a processor)
  --svg FOLDER     draw the board of each lost game as it turned

example: tengen-review --rule renju --svg game.svg game.psq
example: tengen-review --svg lessons --player tengen tournament/
";

/// Fewest nodes of a search.
const LEAST_NODES: u64 = 1000;

/// What the user asks for.
#[derive(Debug)]
pub struct Request {
    /// A file, a folder, or the moves themselves; `None`: standard input.
    pub source: Option<String>,
    /// The rule, if it was given.
    pub rule: Option<Rule>,
    /// The board of plain moves, if it was given.
    pub size: Option<Size>,
    /// Nodes for each position.
    pub nodes: u64,
    /// The first move that is judged, from 1; `None`: what the record says.
    pub from_move: Option<usize>,
    /// The drawing, or the folder of drawings.
    pub svg: Option<PathBuf>,
    /// Whether the report is JSON.
    pub json: bool,
    /// A part of the name of the player whose lost games are shown.
    pub player: Option<String>,
    /// Nodes that the player searched for a move, where the record does not tell.
    pub game_nodes: Option<u64>,
    /// Games judged at the same time.
    pub threads: Option<usize>,
}

impl Request {
    /// Reads the arguments; `None` if they ask for help.
    ///
    /// # Errors
    /// For an unknown option or an impossible value.
    pub fn parse(arguments: &[String]) -> Result<Option<Request>> {
        use lexopt::prelude::{Long, Short, Value, ValueExt};
        let mut request = Request {
            source: None,
            rule: None,
            size: None,
            nodes: 100_000,
            from_move: None,
            svg: None,
            json: false,
            player: None,
            game_nodes: None,
            threads: None,
        };
        let mut parser = lexopt::Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("rule") => request.rule = Some(parser.value()?.string()?.parse()?),
                Long("size") => {
                    let size = Size::square(parser.value()?.parse()?);
                    request.size = Some(size.context("the side of a board has 5 to 22 points")?);
                }
                Long("nodes") => request.nodes = parser.value()?.parse::<u64>()?.max(LEAST_NODES),
                Long("from-move") => {
                    let number = parser.value()?.parse::<usize>()?;
                    ensure!(number > 0, "--from-move: moves are counted from 1");
                    request.from_move = Some(number);
                }
                Long("svg") => request.svg = Some(parser.value()?.into()),
                Long("json") => request.json = true,
                Long("player") => request.player = Some(parser.value()?.string()?),
                Long("game-nodes") => request.game_nodes = Some(parser.value()?.parse::<u64>()?.max(1)),
                Long("threads") => request.threads = Some(parser.value()?.parse::<usize>()?.max(1)),
                Long("help") | Short('h') => return Ok(None),
                Value(value) if request.source.is_none() => request.source = Some(value.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        let is_of_many = request.player.is_some() || request.game_nodes.is_some() || request.threads.is_some();
        ensure!(
            request.records().is_some() || !is_of_many,
            "--player, --game-nodes and --threads are for a folder or a .jsonl file"
        );
        Ok(Some(request))
    }

    /// The folder or file of records, if that is what is reviewed.
    pub fn records(&self) -> Option<&Path> {
        let path = Path::new(self.source.as_deref()?);
        let is_match = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"));
        (path.is_dir() || is_match && path.is_file()).then_some(path)
    }

    /// The rule of a game: that of its record, else that of the user.
    pub fn rule_of(&self, game: &GameFile) -> Rule {
        game.rule.or(self.rule).unwrap_or(Rule::Freestyle)
    }

    /// The number of moves at the beginning that are not judged, where the record names `opening`.
    pub fn imposed(&self, opening: usize) -> usize {
        self.from_move.map_or(opening, |number| number - 1)
    }
}
