//! `tengen-review`: judges every move of a finished game, as text, JSON and a drawing.
//!
//! [`judgement`] finds what each move was worth, [`review_text`] writes text and JSON, [`chart`] draws the curve of the game.

pub mod chart;
pub mod judgement;
pub mod review_text;

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use judgement::{Analyst, Effort};
use std::io::Write;
use std::path::PathBuf;
use tengen::base::{Rule, Size};
use tengen::tools::explain::read;
use tengen::tools::gamefile::{self, rule_of};

/// What `tengen-review --help` prints.
const HELP: &str = "\
usage: tengen-review [options] [FILE]

Judges every move of a game: best, fine, inaccuracy, mistake, missed win. The game comes from
a file or from standard input: a Piskvork file (.psq), SGF, or moves such as h8i9j10... with
rows counted from below. A position that an SGF file sets up is shown but not judged.

  --rule R      0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact, or their names;
                needed if the file does not name it (0)
  --size N      board size for plain moves (15, or larger if the moves need it)
  --nodes N     nodes searched for each position (100000)
  --svg FILE    draw the curve of the winning chances
  --json        print the report as JSON

example: tengen-review --rule renju --svg game.svg game.psq
";

/// Stack of the analysing thread in bytes: the solver recurses deeply.
const STACK: usize = 256 << 20;

/// `tengen-review [options] [FILE]`.
///
/// # Errors
/// When the arguments or the game cannot be parsed, or a file cannot be read or written.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<()> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let (mut source, mut size, mut rule, mut svg, mut json) = (None, None, None, None::<PathBuf>, false);
    let mut nodes = 100_000;
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("rule") => rule = Some(rule_of(&parser.value()?.string()?)?),
            Long("size") => {
                size = Some(Size::square(parser.value()?.parse()?).context("the side of a board has 5 to 22 points")?);
            }
            Long("nodes") => nodes = parser.value()?.parse::<u64>()?.max(1000),
            Long("svg") => svg = Some(parser.value()?.into()),
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(write!(out, "{HELP}")?),
            Value(value) if source.is_none() => source = Some(value.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let game = gamefile::parse(&read(source.as_deref())?, size)?;
    let rule = rule.or(game.rule).unwrap_or(Rule::Freestyle);
    let positions: usize = game.sections().map(|section| section.moves.len() + 1).sum();
    let progress = ProgressBar::new(positions as u64);
    progress.set_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta}")?);
    let work = || {
        let mut analyst = Analyst::new(rule, game.size, Effort::of_nodes(nodes));
        analyst.review(&game, || progress.inc(1))
    };
    let review = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let thread = builder.spawn_scoped(scope, work).context("cannot start a thread")?;
        thread.join().map_err(|_| anyhow!("the analysis panicked"))
    })?;
    progress.finish_and_clear();
    if let Some(path) = svg {
        let drawing = chart::svg(&review, &game.players)?;
        std::fs::write(&path, drawing).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let text =
        if json { review_text::json(&review, &game.players)? } else { review_text::text(&review, &game.players) };
    Ok(out.write_all(text.as_bytes())?)
}
