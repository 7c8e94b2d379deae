//! `tengen-tune referee`: how well networks judge labelled positions that they were not trained on, by kind of position.
//!
//! The loss of a network, the cross-entropy of its values against the targets, cannot be less than the entropy of the targets.
//! The excess, the Kullback-Leibler divergence (KL), is what a better network can still gain.

use super::logistic::{ENGINE_SCALE, cross_entropy, sigmoid};
use super::trainer::float_network::{Folded, Model, parts_of_rows};
use super::trainer::targets::{Targets, values};
use super::trainer::walk::{Losses, Walker};
use crate::command_line::rules;
use crate::data::packed_game::{Content, PackedGame};
use crate::data::record_file::records;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tengen::base::Rule;
use tengen::eval::network::architecture::{OUTPUT_SCALE, stage};
use tengen::eval::network::{Accumulator, Kernel, Network, Weights, embedded_file, reference};

/// Options of `referee`.
#[derive(clap::Args, Debug)]
pub struct HeldOutArguments {
    /// The rule. Positions under other rules are not used.
    #[arg(long, help = format!("Rule: {}. Positions under other rules are not used", rules()))]
    pub rule: Rule,
    /// Files with labelled positions; see tengen-data asked. Games are not used.
    #[arg(long, required = true, num_args = 1..)]
    pub records: Vec<PathBuf>,
    /// A network (.tnn) to judge beside the one that ships. Repeat for each.
    #[arg(long, value_name = "FILE")]
    pub network: Vec<PathBuf>,
}

/// Judges the networks and writes a table of the results to `out`.
///
/// # Errors
/// When an option is out of range, a file cannot be read or is damaged, or there is no position for the rule.
pub fn run(arguments: &HeldOutArguments, out: &mut dyn Write) -> Result<()> {
    let rule = arguments.rule;
    let mut judges = judges(rule, &arguments.network)?;
    let mut groups: BTreeMap<Group, Sums> = BTreeMap::new();
    for position in records(&arguments.records) {
        let position = position?;
        if position.rule == rule && !position.is_game() {
            let target = values(&position, &Targets::OF_LABELS)[0];
            let judged: Vec<Judged> = judges.iter_mut().map(|judge| judge.judge(&position, target)).collect();
            for group in groups_of(&position) {
                groups.entry(group).or_insert_with(|| Sums::new(judges.len())).add(target, &judged);
            }
        }
    }
    ensure!(!groups.is_empty(), "no labelled positions of {}", rule.name());
    writeln!(out, "labelled positions of {}; a score of {ENGINE_SCALE:.0} is a logit of one", rule.name())?;
    let mut head = format!("{:20}{:>10}{:>9}", "", "positions", "entropy");
    for (number, judge) in (1..).zip(&judges) {
        writeln!(out, "{number}: {}", judge.name)?;
        let _ = write!(head, "  |{:>8}{:>8}{:>9}{:>9}", format!("loss {number}"), "KL", "policy", "first");
    }
    writeln!(out, "{head}")?;
    for (group, sums) in &groups {
        writeln!(out, "{:20}{}", group.name, sums.text())?;
    }
    Ok(())
}

/// A kind of positions. Kinds are shown in the order of these fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    question: usize,
    order: usize,
    name: String,
}

/// The kinds that a position belongs to: all, its stage, board and side to move, where it was found, and its label.
fn groups_of(position: &PackedGame) -> Vec<Group> {
    let stones = position.opening.stones.len();
    let stage_of = stage(stones);
    let first = (0..=stones).find(|&number| stage(number) == stage_of).unwrap_or(stones);
    let side = position.opening.to_move();
    let is_asked = matches!(position.content, Content::Asked { .. });
    let is_proven = position.is_proven();
    [
        (0, "all".to_owned()),
        (stage_of, format!("from {first} stones")),
        (position.size.cells(), position.size.to_string()),
        (side.index(), format!("{} to move", side.name())),
        (usize::from(!is_asked), if is_asked { "asked" } else { "quiet, of games" }.to_owned()),
        (usize::from(is_proven), if is_proven { "label proven" } else { "label estimated" }.to_owned()),
    ]
    .into_iter()
    .enumerate()
    .map(|(question, (order, name))| Group { question, order, name })
    .collect()
}

/// What a network says about a position, against its label.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    loss: f64,
    moves: f64,
    policy: f64,
    first: f64,
}

/// Sums over the positions of a group.
#[derive(Clone, Debug)]
struct Sums {
    positions: f64,
    entropy: f64,
    /// For each network.
    judged: Vec<Judged>,
}

impl Sums {
    fn new(networks: usize) -> Sums {
        Sums { positions: 0.0, entropy: 0.0, judged: vec![Judged::default(); networks] }
    }

    fn add(&mut self, target: f32, judged: &[Judged]) {
        self.positions += 1.0;
        self.entropy += cross_entropy(target, target);
        for (sum, judged) in self.judged.iter_mut().zip(judged) {
            sum.loss += judged.loss;
            sum.moves += judged.moves;
            sum.policy += judged.policy;
            sum.first += judged.first;
        }
    }

    /// The means, as the columns of the table.
    fn text(&self) -> String {
        let entropy = self.entropy / self.positions;
        let mut text = format!("{:>10}{entropy:>9.4}", self.positions);
        for judged in &self.judged {
            let (loss, moves) = (judged.loss / self.positions, judged.moves.max(1.0));
            let (policy, first) = (judged.policy / moves, 100.0 * judged.first / moves);
            let _ = write!(text, "  |{loss:>8.4}{:>8.4}{policy:>9.4}{first:>7.1} %", loss - entropy);
        }
        text
    }
}

/// A network that is judged: its values as the engine computes them, its policy as the trainer does.
struct Judge {
    name: String,
    network: Arc<Network>,
    model: Model,
    folded: Folded,
    walker: Walker,
}

impl Judge {
    fn new(name: String, weights: &Weights) -> Judge {
        let model = Model::of_weights(weights);
        let folded = model.fold(&parts_of_rows(weights.rule));
        let walker = Walker::new(model.heads.len());
        Judge { name, network: Arc::new(Network::new(weights)), model, folded, walker }
    }

    fn judge(&mut self, position: &PackedGame, target: f32) -> Judged {
        let network = &self.network;
        let mut judged = Judged::default();
        self.walker.losses = Losses::default();
        self.walker.walk(position, &self.model, &self.folded, &Targets::OF_LABELS, false, |board, _| {
            let mut accumulator = Accumulator::new(network.clone(), board, Kernel::best());
            let logit = accumulator.logit(board, reference::parts(board));
            judged.loss = cross_entropy(sigmoid(logit as f32 / OUTPUT_SCALE as f32), target);
        });
        let Losses { moves, policy, top: [first, _], .. } = self.walker.losses;
        Judged { moves, policy, first, ..judged }
    }
}

/// The network that ships for this rule, and those in these files.
fn judges(rule: Rule, paths: &[PathBuf]) -> Result<Vec<Judge>> {
    let mut judges = vec![Judge::new("the network that ships".to_owned(), &Weights::parse(embedded_file(rule))?)];
    for path in paths {
        judges.push(Judge::new(path.display().to_string(), &weights(rule, path)?));
    }
    Ok(judges)
}

fn weights(rule: Rule, path: &Path) -> Result<Weights> {
    let name = || path.display().to_string();
    let weights = Weights::parse(&std::fs::read(path).with_context(name)?).with_context(name)?;
    if weights.rule != rule {
        bail!("{} is a network for {}", name(), weights.rule.name());
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::openings::Opening;
    use crate::data::packed_game::{PackedPly, RecordFormat};
    use crate::data::record_file::Writer;
    use tengen::base::{Color, Size};
    use tengen::board::notation::parse_moves;
    use tengen::board::{Board, NullObserver};

    /// A position after these moves on a board with this side; the label is `score` and `best`.
    fn position(content: Content, side: usize, moves: &str, best: &str, score: i16) -> PackedGame {
        let size = Size::square(side).unwrap();
        let best = parse_moves(best, size).unwrap()[0];
        PackedGame {
            content,
            number: 1,
            rule: Rule::Freestyle,
            size,
            opening: Opening { stones: parse_moves(moves, size).unwrap() },
            plies: vec![PackedPly { played: best, best, score }],
            winner: Some(Color::Black),
        }
    }

    fn write(path: &Path, records: &[PackedGame]) {
        let mut writer = Writer::create(path, RecordFormat::Positions).unwrap();
        for record in records {
            writer.write(record).unwrap();
        }
    }

    fn arguments(records: PathBuf) -> HeldOutArguments {
        HeldOutArguments { rule: Rule::Freestyle, records: vec![records], network: Vec::new() }
    }

    /// The score of the network that is judged as the one that ships.
    fn shipped(position: &PackedGame) -> i16 {
        let mut board = Board::new(position.rule, position.size);
        position.opening.stones.iter().for_each(|&point| board.play(point, &mut NullObserver));
        let network = Network::embedded(position.rule);
        let parts = reference::parts(&board);
        Accumulator::new(network, &board, Kernel::best()).evaluate(&board, parts).units() as i16
    }

    /// The numbers of the first line that begins with this name.
    fn row(text: &str, name: &str) -> Vec<f64> {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in\n{text}"));
        line[20..].split_whitespace().filter_map(|word| word.parse().ok()).collect()
    }

    #[test]
    fn a_perfect_judge_has_a_loss_of_the_entropy_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let asked = Content::Asked { root: 1 };
        let mut agreed = position(asked, 15, "h8i9g7", "g9", 0);
        agreed.plies[0].score = shipped(&agreed);
        let wrong = position(Content::Quiet, 13, "g7h8f6g8h6f8", "f7", -29_990);
        let game = PackedGame { content: Content::Game, ..wrong.clone() };
        let elsewhere = PackedGame { rule: Rule::Renju, ..wrong.clone() };
        write(&path("asked"), &[agreed.clone(), wrong.clone(), game, elsewhere]);
        let shipping = embedded_file(Rule::Freestyle);
        std::fs::write(path("same.tnn"), shipping).unwrap();
        let mut out = Vec::new();
        let both = HeldOutArguments { network: vec![path("same.tnn")], ..arguments(path("asked")) };
        run(&both, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let asked = row(&text, "asked");
        let close = |found: &[f64], expected: &[f64]| {
            let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 5e-3);
            assert!(near, "{found:?} instead of {expected:?} in\n{text}");
        };
        let target = sigmoid(f32::from(agreed.plies[0].score) / 200.0);
        let entropy = cross_entropy(target, target);
        // Positions, entropy; then loss, KL, policy and first choice of each network.
        close(&asked, &[1.0, entropy, entropy, 0.0]);
        assert_eq!(asked[2..6], asked[6..10]);
        let quiet = row(&text, "quiet, of games");
        let guess = sigmoid(f32::from(shipped(&wrong)) / 200.0);
        close(&quiet, &[1.0, 0.0, cross_entropy(guess, 0.0)]);
        let all = row(&text, "all");
        close(&all, &[2.0, f64::midpoint(asked[1], quiet[1]), f64::midpoint(asked[2], quiet[2])]);
        for name in ["from 0 stones", "13x13", "15x15", "black to move", "white to move", "label proven"] {
            assert!(row(&text, name)[0] > 0.0);
        }
    }

    #[test]
    fn what_cannot_be_judged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write(&path("asked"), &[position(Content::Quiet, 15, "h8i9g7", "g9", 20)]);
        let refusal = |arguments: HeldOutArguments| run(&arguments, &mut Vec::new()).unwrap_err().to_string();
        let renju = HeldOutArguments { rule: Rule::Renju, ..arguments(path("asked")) };
        assert!(refusal(renju).contains("no labelled positions of renju"));
        std::fs::write(path("caro.tnn"), embedded_file(Rule::Caro)).unwrap();
        let other = HeldOutArguments { network: vec![path("caro.tnn")], ..arguments(path("asked")) };
        assert!(refusal(other).contains("a network for caro"));
    }
}
