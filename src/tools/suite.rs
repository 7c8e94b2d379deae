//! `bench suite`: how many forced wins of a file the playing search sees.
//!
//! The positions are known to be won. A win is *claimed* where the search proves it, and *believed* where its score is the
//! largest estimate. The count changes before Elo does; it is an indicator, not a target for tuning.

use super::bench;
use super::positions::{self, Position};
use crate::base::Score;
use crate::search::{Iteration, ReportSink, SearchControl, SearchLimits};
use anyhow::{Context, ensure};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// What `bench suite --help` prints.
const HELP: &str = "\
usage: pbrain-tengen bench suite [--nodes N] FILE...

Counts how many forced wins of the files the playing search sees, on one thread. A position is a line
rule;size;x,y x,y ... with the stones in playing order, won for the side to move.

  --nodes N  nodes for each position (2000000)
";

/// Bytes of the table for each node of the limit: one bucket.
const BYTES_PER_NODE: u64 = 64;
/// Smallest and largest table in bytes.
const TABLE: (u64, u64) = (4 << 20, 1 << 30);

/// How a win is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Claimed,
    Believed,
}

impl Sight {
    fn of(score: Score) -> Option<Sight> {
        if score.is_win() {
            Some(Sight::Claimed)
        } else if score.seems_won() {
            Some(Sight::Believed)
        } else {
            None
        }
    }
}

/// Notes from which number of nodes on the search has seen the win without interruption.
#[derive(Debug, Default)]
struct Watch {
    since: Option<u64>,
}

impl ReportSink for Watch {
    fn iteration(&mut self, iteration: &Iteration) {
        if Sight::of(iteration.score).is_none() {
            self.since = None;
        } else if self.since.is_none() {
            self.since = Some(iteration.nodes);
        }
    }
}

/// The options of a run.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    nodes: u64,
    files: Vec<PathBuf>,
}

/// `bench suite [--nodes N] FILE...`.
///
/// # Errors
/// When options or positions cannot be parsed, or a file cannot be read.
pub fn run(arguments: &[OsString], out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(request) = parse_arguments(arguments)? else {
        return Ok(write!(out, "{HELP}")?);
    };
    let (mut claimed, mut believed, mut total, mut logarithms) = (0, 0, 0, 0.0);
    for file in &request.files {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        for position in positions::parse(&text).with_context(|| file.display().to_string())? {
            let (sight, nodes) = look(&position, request.nodes);
            let (rule, line) = (position.rule.name(), position.line);
            match sight {
                Some(sight) => writeln!(out, "{rule} line {line}: {sight:?} after {nodes} nodes")?,
                None => writeln!(out, "{rule} line {line}: not seen")?,
            }
            claimed += usize::from(sight == Some(Sight::Claimed));
            believed += usize::from(sight == Some(Sight::Believed));
            total += 1;
            logarithms += (nodes.max(1) as f64).ln();
        }
    }
    ensure!(total > 0, "no positions");
    let mean = (logarithms / f64::from(total)).exp();
    // A position that is not seen counts with all its nodes.
    writeln!(
        out,
        "seen {} of {total} (claimed {claimed}, believed {believed}) within {} nodes, geometric mean {mean:.0} nodes",
        claimed + believed,
        request.nodes
    )?;
    Ok(())
}

fn parse_arguments(arguments: &[OsString]) -> anyhow::Result<Option<Request>> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let mut request = Request { nodes: 2_000_000, files: Vec::new() };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("nodes") => request.nodes = parser.value()?.parse::<u64>()?.max(1),
            Long("help") | Short('h') => return Ok(None),
            Value(file) => request.files.push(file.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    ensure!(!request.files.is_empty(), "the name of a file is expected");
    Ok(Some(request))
}

/// Searches a position as in a game; returns how the win is seen at the end, and the nodes at which that began, or all
/// nodes.
fn look(position: &Position, nodes: u64) -> (Option<Sight>, u64) {
    let hash_size = nodes.saturating_mul(BYTES_PER_NODE).clamp(TABLE.0, TABLE.1);
    let mut engine = bench::engine_after(position.rule, position.size, &position.moves, hash_size);
    // The default limit of the process would allow less than the largest table.
    engine.options_mut().max_memory = 2 * TABLE.1;
    let control = SearchControl::within(SearchLimits { nodes: Some(nodes), ..SearchLimits::default() });
    let mut watch = Watch::default();
    let report = engine.think(&control, &mut watch);
    let sight = Sight::of(report.last.score).filter(|_| report.stands());
    let since = if sight.is_some() { watch.since.unwrap_or(report.last.nodes) } else { nodes };
    (sight, since)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn options_are_read_and_mistakes_refused() {
        let request = parse_arguments(&words("--nodes 500 a.txt b.txt")).unwrap().unwrap();
        assert_eq!(request, Request { nodes: 500, files: vec!["a.txt".into(), "b.txt".into()] });
        assert!(parse_arguments(&words("--help")).unwrap().is_none());
        for bad in ["", "--nodes x a.txt", "--nosuch a.txt"] {
            assert!(parse_arguments(&words(bad)).is_err(), "{bad}");
        }
    }

    /// A four of the side to move is seen at once; the start of a game is no win.
    #[test]
    fn a_win_on_the_board_is_claimed_and_an_even_position_is_not_seen() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("suite.txt");
        std::fs::write(&file, "0;15;7,7 0,0 8,7 0,2 9,7 0,4\n0;15;7,7 8,8\n").unwrap();
        let mut out = Vec::new();
        run(&words(&format!("--nodes 3000 {}", file.display())), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("freestyle line 1: Claimed after "), "{text}");
        assert_eq!(lines[1], "freestyle line 2: not seen");
        assert!(lines[2].starts_with("seen 1 of 2 (claimed 1, believed 0) within 3000 nodes"), "{text}");
        std::fs::write(&file, "# nothing\n").unwrap();
        assert!(run(&words(&file.display().to_string()), &mut Vec::new()).is_err());
    }
}
