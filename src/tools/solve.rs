//! `solve`: finds forced wins in a file of positions, and writes their proofs.

use super::positions::Position;
use super::solve_input;
use super::verify;
use crate::base::clock::Instant;
use crate::base::memory::SOLVER_STACK;
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::board::Board;
use crate::board::notation;
use crate::engine::files;
use crate::solver::{Hunter, Outcome, Proof, ProofBuilder, SolverLimits, VcfSolver, VctSolver};
use crate::tools::point_names;
use anyhow::{Context, bail, ensure};
use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// What `solve --help` prints.
const HELP: &str = "\
usage: pbrain-tengen solve [options] [FILE]

Looks for a forced win in each position of FILE or of standard input. A position is a line
rule;size;x,y x,y ... with the stones in playing order, or the last one of a record of a game
(Piskvork, SGF, RenLib, ...: see docs/tools.md). Wins name points such as h8, with rows counted
from below.

  --mode vcf|vct|any  wins by fours; by fours and slower threats; by any moves (the default)
  --shortest          with --mode vcf: the shortest win by fours
  --time-ms N         milliseconds for each position (10000; 0: no limit), and as many again
                      to build the tree of a win by threats
  --nodes N           nodes for each position (0: no limit)
  --memory-mb N       memory for all threads together (256)
  --threads N         positions solved at the same time (1)
  --rule R            rule of records that name none:
                      0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact, or a name (freestyle)
  --defender          solve for the side that has just moved, as if it moved again
  --proof FILE        write the winning trees; 'pbrain-tengen verify FILE' checks them
  --json              print one JSON object on each line
";

/// The kind of wins to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Vcf,
    Vct,
    Any,
}

/// The options of a run.
#[derive(Clone, Debug)]
struct Request {
    mode: Mode,
    /// With [`Mode::Vcf`]: find the shortest win.
    shortest: bool,
    time: Option<Duration>,
    nodes: u64,
    memory: u64,
    threads: usize,
    defender: bool,
    json: bool,
    proof: Option<PathBuf>,
    /// Of records that name none.
    rule: Option<Rule>,
    file: Option<PathBuf>,
}

/// The result for one position.
struct Answer {
    size: Size,
    attacker: Color,
    outcome: Outcome,
    distance: u32,
    line: Vec<Point>,
    nodes: u64,
    time: Duration,
    proof: Option<Proof>,
}

/// With [`Mode::Any`], the threat solver comes first with one part in this many of the limits.
const THREAT_SHARE: u32 = 10;
/// The largest number of nodes that it then gets.
const THREAT_NODES: u64 = 10_000_000;

/// `solve [options] [FILE]`.
///
/// # Errors
/// When options or positions cannot be parsed, or files cannot be read or written.
pub fn run(arguments: &[OsString], out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(request) = parse_arguments(arguments)? else {
        return Ok(write!(out, "{HELP}")?);
    };
    let bytes = if let Some(path) = &request.file {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?
    } else {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        bytes
    };
    let (positions, remarks) = solve_input::read(&bytes, request.rule)?;
    for remark in remarks {
        // If this fails, there is nowhere to report it.
        let _ = writeln!(std::io::stderr(), "{remark}");
    }
    if let Some(proof) = &request.proof {
        // On Linux this is also the path of a file at the standard input.
        let input = request.file.as_deref().unwrap_or(Path::new("/dev/stdin"));
        ensure!(!files::is_same(proof, input)?, "{}: --proof would replace the positions", proof.display());
    }
    let mut proofs = request.proof.as_deref().map(ProofFile::open).transpose()?;
    let solved = solve_all(&positions, &request, |index, position, answer| {
        if let (Some(file), Some(proof)) = (&mut proofs, &answer.proof) {
            let text = proof_text(&position.board(), answer.attacker, proof);
            file.append(&text).context("cannot write the proof")?;
        }
        let print = if request.json { print_json } else { print_text };
        print(out, index + 1, answer)?;
        Ok(out.flush()?)
    })?;
    if !request.json {
        writeln!(out, "solved {solved}/{}", positions.len())?;
    }
    Ok(())
}

/// The file of `--proof`. What it holds is replaced by the first proof, not before there is one.
struct ProofFile {
    file: std::fs::File,
    is_begun: bool,
}

impl ProofFile {
    /// Opens a file of proofs, or a new one.
    fn open(path: &Path) -> anyhow::Result<ProofFile> {
        let cannot = || format!("cannot write {}", path.display());
        if path.is_file() {
            files::expect_kind(path, "a proof", |begin, _| begin.starts_with(verify::HEADER.as_bytes()))
                .with_context(cannot)?;
        }
        let file = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
        Ok(ProofFile { file: file.with_context(cannot)?, is_begun: false })
    }

    fn append(&mut self, proof: &str) -> std::io::Result<()> {
        if !std::mem::replace(&mut self.is_begun, true) && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write_all(proof.as_bytes())
    }
}

fn parse_arguments(arguments: &[OsString]) -> anyhow::Result<Option<Request>> {
    use lexopt::prelude::{Long, Short, Value, ValueExt};
    let mut request = Request {
        mode: Mode::Any,
        shortest: false,
        time: Some(Duration::from_secs(10)),
        nodes: u64::MAX,
        memory: 256,
        threads: 1,
        defender: false,
        json: false,
        proof: None,
        rule: None,
        file: None,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("mode") => {
                request.mode = match parser.value()?.string()?.as_str() {
                    "vcf" => Mode::Vcf,
                    "vct" => Mode::Vct,
                    "any" => Mode::Any,
                    other => bail!("unknown mode '{other}': vcf, vct or any"),
                }
            }
            Long("shortest") => request.shortest = true,
            Long("time-ms") => {
                request.time = Some(parser.value()?.parse()?).filter(|&ms| ms > 0).map(Duration::from_millis);
            }
            Long("nodes") => request.nodes = Some(parser.value()?.parse()?).filter(|&n| n > 0).unwrap_or(u64::MAX),
            Long("memory-mb") => request.memory = parser.value()?.parse::<u64>()?.max(1),
            Long("threads") => request.threads = parser.value()?.parse::<usize>()?.clamp(1, 1024),
            Long("rule") => request.rule = Some(parser.value()?.string()?.parse()?),
            Long("proof") => request.proof = Some(parser.value()?.into()),
            Long("defender") => request.defender = true,
            Long("json") => request.json = true,
            Long("help") | Short('h') => return Ok(None),
            Value(file) if request.file.is_none() => request.file = Some(file.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    ensure!(!request.shortest || request.mode == Mode::Vcf, "--shortest needs --mode vcf");
    Ok(Some(request))
}

/// Solves all positions in parallel and calls `print` with the answers in the order of the positions. Returns the number of
/// wins.
fn solve_all(
    positions: &[Position],
    request: &Request,
    mut print: impl FnMut(usize, &Position, &Answer) -> anyhow::Result<()>,
) -> anyhow::Result<usize> {
    let next = AtomicUsize::new(0);
    let threads = request.threads.min(positions.len()).max(1);
    let share = request.memory.saturating_mul(1 << 20) / threads as u64;
    let solvers: Option<Vec<Solvers>> = (0..threads).map(|_| Solvers::new(request.mode, share)).collect();
    let solvers = solvers
        .with_context(|| format!("--memory-mb {}: the system does not have that much memory", request.memory))?;
    let (sender, receiver) = mpsc::channel();
    // On one terminal, results and progress would mix.
    let progress = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
    std::thread::scope(|scope| {
        let mut started = 0;
        for mut solvers in solvers {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while let index = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(position) = positions.get(index)
                    && sender.send((index, solve(&mut solvers, position, request))).is_ok()
                {}
            };
            match std::thread::Builder::new().stack_size(SOLVER_STACK).spawn_scoped(scope, work) {
                Ok(_) => started += 1,
                Err(error) if started == 0 => return Err(error).context("cannot start a thread"),
                Err(error) => {
                    let _ = writeln!(std::io::stderr(), "{started} threads instead of {threads}: {error}");
                    break;
                }
            }
        }
        drop(sender);
        let mut waiting = std::collections::BTreeMap::new();
        let (mut printed, mut solved) = (0, 0);
        for (index, answer) in receiver {
            waiting.insert(index, answer);
            while let Some(answer) = waiting.remove(&printed) {
                print(printed, &positions[printed], &answer)?;
                solved += usize::from(answer.outcome == Outcome::Win);
                printed += 1;
            }
            if progress {
                let _ = write!(std::io::stderr(), "\r{printed}/{} ", positions.len());
            }
        }
        if progress {
            let _ = writeln!(std::io::stderr());
        }
        Ok(solved)
    })
}

/// The solvers of one thread.
struct Solvers {
    threats: VctSolver,
    /// With [`Mode::Any`] only.
    hunter: Option<Hunter>,
}

impl Solvers {
    /// Solvers that take up to `memory` bytes; `None` when the system does not have that much.
    fn new(mode: Mode, memory: u64) -> Option<Solvers> {
        let hunts = mode == Mode::Any;
        Some(Solvers {
            threats: VctSolver::try_new(if hunts { memory / 2 } else { memory })?,
            hunter: hunts.then(|| Hunter::new(memory / 2)),
        })
    }

    /// Looks for a win by threats; with [`Mode::Any`], then for any win.
    fn look(&mut self, board: &mut Board, answer: &mut Answer, limits: SolverLimits, begin: Instant) {
        let Some(hunter) = &mut self.hunter else {
            return threats(&mut self.threats, board, answer, limits);
        };
        // Most wins are wins by threats, which are found quickly.
        let first = SolverLimits {
            nodes: (limits.nodes / u64::from(THREAT_SHARE)).min(THREAT_NODES),
            deadline: limits.deadline.map(|deadline| begin + (deadline - begin) / THREAT_SHARE),
        };
        threats(&mut self.threats, board, answer, first);
        if answer.outcome == Outcome::Win {
            return;
        }
        hunter.clear();
        let before = hunter.nodes() + self.threats.nodes();
        let nodes = if limits.nodes == u64::MAX { u64::MAX } else { limits.nodes.saturating_sub(answer.nodes) };
        let limits = SolverLimits { nodes, ..limits };
        answer.proof = ProofBuilder::hunt(&mut self.threats, hunter, board, answer.attacker, limits);
        answer.outcome = if answer.proof.is_some() { Outcome::Win } else { Outcome::Unknown };
        answer.nodes += hunter.nodes() + self.threats.nodes() - before;
    }
}

fn solve(solvers: &mut Solvers, position: &Position, request: &Request) -> Answer {
    let begin = Instant::now();
    let deadline = request.time.map(|time| begin + time);
    let mut board = position.board();
    let attacker = if request.defender { position.side().opponent() } else { position.side() };
    let mut answer = Answer {
        size: position.size,
        attacker,
        outcome: Outcome::Unknown,
        distance: 0,
        line: Vec::new(),
        nodes: 0,
        time: Duration::ZERO,
        proof: None,
    };
    let limits = SolverLimits { nodes: request.nodes, deadline };
    if request.mode == Mode::Vcf {
        let vcf = solvers.threats.vcf();
        vcf.set_deadline(deadline);
        let look = if request.shortest { VcfSolver::solve_shortest } else { VcfSolver::solve };
        let result = look(vcf, &mut board, attacker, request.nodes);
        (answer.outcome, answer.nodes) = (result.outcome, result.nodes);
        (answer.distance, answer.line) = (result.distance, result.line);
    } else {
        solvers.look(&mut board, &mut answer, limits, begin);
    }
    answer.time = begin.elapsed();
    let has_tree = answer.proof.is_some();
    if answer.outcome == Outcome::Win && !has_tree && (request.mode != Mode::Vcf || request.proof.is_some()) {
        let limits = SolverLimits { deadline: request.time.map(|time| Instant::now() + time), ..limits };
        answer.proof = if request.mode == Mode::Vcf {
            // The deadline of the search for fours may be over by now.
            solvers.threats.vcf().set_deadline(limits.deadline);
            ProofBuilder::build_fours(&mut solvers.threats, &mut board, attacker, answer.distance.div_ceil(2))
        } else {
            ProofBuilder::build(&mut solvers.threats, &mut board, attacker, limits)
        };
        // A win is claimed only if its tree could be built within the limits.
        if answer.proof.is_none() {
            answer.outcome = Outcome::Unknown;
        }
    }
    if let Some(proof) = &answer.proof {
        answer.distance = proof.distance();
        answer.line = proof.line(&mut board, attacker);
    }
    if answer.outcome != Outcome::Win {
        answer.distance = 0;
        answer.line.clear();
    }
    answer
}

/// Looks for a win by threats.
fn threats(solver: &mut VctSolver, board: &mut Board, answer: &mut Answer, limits: SolverLimits) {
    let result = solver.solve(board, answer.attacker, limits);
    (answer.nodes, answer.distance, answer.outcome) = (result.nodes, result.distance, result.outcome);
    answer.line.extend(result.best);
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "win",
        Outcome::NoWin => "no win",
        Outcome::Unknown => "no win within the limits",
    }
}

fn print_text(out: &mut dyn Write, number: usize, answer: &Answer) -> anyhow::Result<()> {
    write!(out, "{number}: {}", outcome_name(answer.outcome))?;
    if answer.outcome == Outcome::Win {
        write!(out, " in {}: {}", answer.distance, point_names::names(&answer.line, answer.size, " "))?;
    }
    Ok(writeln!(out, " ({} nodes, {} ms)", answer.nodes, answer.time.as_millis())?)
}

fn print_json(out: &mut dyn Write, number: usize, answer: &Answer) -> anyhow::Result<()> {
    let name = |&point: &Point| format!("\"{}\"", point_names::name(point, answer.size));
    let line: Vec<String> = answer.line.iter().map(name).collect();
    let outcome = outcome_name(answer.outcome);
    write!(out, "{{\"position\":{number},\"outcome\":\"{outcome}\",\"distance\":{},", answer.distance)?;
    let time = answer.time.as_secs_f64() * 1000.0;
    Ok(writeln!(out, "\"line\":[{}],\"nodes\":{},\"time_ms\":{time:.3}}}", line.join(","), answer.nodes)?)
}

/// A winning tree from this position as text, in the format described in [`verify`].
pub fn proof_text(board: &Board, attacker: Color, proof: &Proof) -> String {
    let size = board.size();
    // In playing order, after those of the position that was set up.
    let moves: Vec<Point> = board.moves().collect();
    let set_up = size.points().filter(|point| !moves.contains(point));
    let order: Vec<Point> = set_up.chain(moves.iter().copied()).collect();
    let stones = |cell: Cell| -> Vec<String> {
        order.iter().filter(|&&point| board.cell(point) == cell).map(|&point| notation::name(point)).collect()
    };
    let mut lines = vec![
        verify::HEADER.to_owned(),
        format!("rule {}", board.rule().number()),
        format!("size {} {}", size.width(), size.height()),
        format!("black {}", stones(Cell::Black).join(" ")),
        format!("white {}", stones(Cell::White).join(" ")),
        format!("attacker {}", attacker.name()),
    ];
    if attacker != board.side() {
        lines.push("pass".to_owned());
    }
    for (index, node) in proof.nodes.iter().enumerate() {
        let mut words = vec![index.to_string(), notation::name(node.point)];
        words.extend(node.replies.iter().map(|(reply, child)| format!("{}:{child}", notation::name(*reply))));
        words.extend(node.rest.map(|rest| format!("else {rest}")));
        lines.push(words.join(" "));
    }
    lines.push("end\n".to_owned());
    lines.join("\n")
}
