//! `tengen-tune arrays`: the positions of training games as flat arrays, for training structures with other tools.
//!
//! A folder gets four files of little-endian records. Cells are numbered `22 * y + x` on boards of every size.
//!
//! | file | a record |
//! |---|---|
//! | `games` | width, height, 1 if held out (`u8` each), a zero; number of moves, index of the first in `moves` (`u32` each) |
//! | `moves` | the cell (`u16`), black first |
//! | `samples` | game (`u32`), stones, cell of the chosen move (`u16` each), target, result (`f32` each), threat inputs (`u64`), hints (two `i16`), 1 for a position that a search asked about (`u32`) |
//! | `cells` | for each sample and cell the pair of threats ([`Board::threat_pair`]) that a move there makes and denies; 255 where the search considers none |

use super::logistic::ENGINE_SCALE;
use super::samples::{for_each_position, is_held_out};
use super::trainer::targets::{Targets, is_sample, values};
use crate::command_line::rules;
use crate::data::packed_game::{Content, PackedGame, PackedPly};
use crate::data::record_file::records;
use crate::output_file;
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tengen::base::{Point, Rule, Size};
use tengen::board::{Board, Threat};
use tengen::engine::files;
use tengen::eval::ShapeEvaluator;
use tengen::eval::network::layers::{hints, threats};
use tengen::search::forced::duty;
use tengen::search::order::for_each_reply;

/// Options of `arrays`.
#[derive(clap::Args, Debug)]
pub struct ArraysArguments {
    /// The rule. Records of other rules are left out.
    #[arg(long, help = format!("Rule: {}. Records of other rules are left out", rules()))]
    pub rule: Rule,
    /// Files of training games or labelled positions.
    #[arg(long, required = true, num_args = 1..)]
    pub records: Vec<PathBuf>,
    /// Take the labelled positions, with the scores of their labels as targets, instead of the games.
    #[arg(long)]
    pub referee: bool,
    /// Folder for the arrays, which is made.
    #[arg(long)]
    pub out: PathBuf,
}

/// The targets of games: what the search says, with a look ahead, and the result.
const OF_GAMES: Targets =
    Targets { scale: ENGINE_SCALE, score_share: 0.85, label_share: 0.85, asked_share: 0.85, lambda: 0.75, policy: 1.0 };

/// The files that are written.
struct Arrays {
    games: BufWriter<File>,
    moves: BufWriter<File>,
    samples: BufWriter<File>,
    cells: BufWriter<File>,
    game_count: u32,
    move_count: u32,
    sample_count: u64,
}

/// Writes the arrays, and a line about their lengths to `log`.
///
/// # Errors
/// When the folder is there already, a file cannot be read or written, or there is nothing of the rule.
pub fn run(arguments: &ArraysArguments, log: &mut dyn Write) -> Result<()> {
    let ArraysArguments { rule, records: sources, referee, out } = arguments;
    // Without a separator at the end.
    let out: &PathBuf = &out.components().collect();
    ensure!(!out.exists(), "{} exists already", out.display());
    output_file::expect_folder(out)?;
    let unfinished = files::beside(out, ".unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).with_context(|| unfinished.display().to_string())?;
    }
    fs::create_dir(&unfinished).with_context(|| unfinished.display().to_string())?;
    let mut arrays = Arrays::create(&unfinished)?;
    for record in records(sources) {
        let record = record?;
        if record.rule == *rule && record.is_game() != *referee {
            arrays.add(&record, if *referee { &Targets::OF_LABELS } else { &OF_GAMES })?;
        }
    }
    ensure!(arrays.game_count > 0, "nothing of {}", rule.name());
    let Arrays { game_count, move_count, sample_count, .. } = arrays;
    for mut file in [arrays.games, arrays.moves, arrays.samples, arrays.cells] {
        file.flush()?;
    }
    fs::rename(&unfinished, out).with_context(|| out.display().to_string())?;
    writeln!(log, "{game_count} records with {move_count} moves, {sample_count} samples")?;
    Ok(())
}

impl Arrays {
    fn create(folder: &Path) -> Result<Arrays> {
        let open = |name: &str| -> Result<BufWriter<File>> {
            let path = folder.join(name);
            Ok(BufWriter::new(File::create(&path).with_context(|| path.display().to_string())?))
        };
        let (games, moves, samples, cells) = (open("games")?, open("moves")?, open("samples")?, open("cells")?);
        Ok(Arrays { games, moves, samples, cells, game_count: 0, move_count: 0, sample_count: 0 })
    }

    /// Appends a game or a labelled position, and its samples.
    fn add(&mut self, record: &PackedGame, targets: &Targets) -> Result<()> {
        let moves: Vec<u16> = record.moves().map(cell).collect();
        let [width, height] = [record.size.width(), record.size.height()].map(|side| side as u8);
        self.games.write_all(&[width, height, u8::from(is_held_out(record)), 0])?;
        self.games.write_all(&(moves.len() as u32).to_le_bytes())?;
        self.games.write_all(&self.move_count.to_le_bytes())?;
        self.moves.write_all(&moves.iter().flat_map(|cell| cell.to_le_bytes()).collect::<Vec<u8>>())?;
        self.move_count += moves.len() as u32;
        let (targets, mut outcome) = (values(record, targets), Ok(()));
        for_each_position(record, |board, shapes, number| {
            if outcome.is_ok() && is_sample(record, board) {
                outcome = self.sample(record, board, shapes, &record.plies[number], targets[number]);
            }
        });
        self.game_count += 1;
        outcome
    }

    fn sample(
        &mut self,
        record: &PackedGame,
        board: &Board,
        shapes: &ShapeEvaluator,
        ply: &PackedPly,
        target: f32,
    ) -> Result<()> {
        let us = board.side();
        let mut pairs = [u8::MAX; Size::MAX_CELLS];
        for_each_reply(board, &duty(board), |point| {
            let pair = board.threat_pair(point);
            pairs[usize::from(cell(point))] = pair as u8;
        });
        let active = threats(board).into_iter().fold(0u64, |bits, threat| bits | 1 << threat);
        let is_asked = matches!(record.content, Content::Asked { .. });
        let mut sample = self.game_count.to_le_bytes().to_vec();
        sample.extend((board.occupied() as u16).to_le_bytes());
        sample.extend(cell(ply.best).to_le_bytes());
        sample.extend([target, record.points(us)].into_iter().flat_map(f32::to_le_bytes));
        sample.extend(active.to_le_bytes());
        sample.extend(hints(shapes.parts(board)).into_iter().flat_map(i16::to_le_bytes));
        sample.extend(u32::from(is_asked).to_le_bytes());
        self.samples.write_all(&sample)?;
        self.cells.write_all(&pairs)?;
        self.sample_count += 1;
        Ok(())
    }
}

/// The number of a cell.
fn cell(point: Point) -> u16 {
    (point.y() * Size::MAX_SIDE + point.x()) as u16
}

const _: () = assert!(Threat::PAIRS < u8::MAX as usize, "255 is no pair");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::openings::Opening;
    use crate::data::packed_game::RecordFormat;
    use crate::data::record_file::Writer;
    use tengen::base::Color;

    #[test]
    fn the_arrays_say_what_the_records_say() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let size = Size::new(15, 13).unwrap();
        let moves = tengen::board::notation::parse_moves("h8i9g7j8h7", size).unwrap();
        let record = |content, opening: usize, plies: &[Point]| PackedGame {
            content,
            number: 1,
            rule: Rule::Freestyle,
            size,
            opening: Opening { stones: moves[..opening].to_vec() },
            plies: plies.iter().map(|&played| PackedPly { played, best: played, score: 40 }).collect(),
            winner: Some(Color::White),
        };
        let mut writer = Writer::create(&path("records"), RecordFormat::Positions).unwrap();
        writer.write(&record(Content::Asked { root: 1 }, 2, &moves[2..3])).unwrap();
        writer.write(&record(Content::Game, 2, &moves[2..])).unwrap();
        for (referee, samples, stones, target) in
            [(false, 3, 4u16, None), (true, 1, 2, Some(1.0 / (1.0 + (-0.2f32).exp())))]
        {
            let out = path(if referee { "referee" } else { "games" });
            let mut log = Vec::new();
            let arguments =
                ArraysArguments { rule: Rule::Freestyle, records: vec![path("records")], referee, out: out.clone() };
            // Bug: the folder was made, and stayed, when there was nothing to write.
            let nothing =
                ArraysArguments { records: vec![path("records")], rule: Rule::Caro, referee, out: out.clone() };
            assert!(run(&nothing, &mut log).is_err() && !out.exists());
            run(&arguments, &mut log).unwrap();
            assert!(run(&arguments, &mut log).is_err(), "the folder is there");
            let read = |name: &str| fs::read(out.join(name)).unwrap();
            let (games, played, cells) = (read("games"), read("moves"), read("cells"));
            assert_eq!((games.len(), games[0], games[1]), (12, 15, 13));
            let last = &read("samples")[(samples - 1) * 32..];
            assert_eq!(last.len(), 32, "{samples} samples");
            let number = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
            assert_eq!(number(&last[4..]), stones);
            // The move after these stones was chosen, and is one of those considered.
            let best = number(&last[6..]);
            assert_eq!(number(&played[2 * usize::from(stones)..]), best);
            assert_eq!(best, cell(moves[usize::from(stones)]));
            let pairs = &cells[(samples - 1) * Size::MAX_CELLS..];
            assert!(usize::from(pairs[usize::from(best)]) < Threat::PAIRS);
            assert!(pairs[usize::from(number(&played))] == u8::MAX, "a stone is no candidate");
            let [value, result] = [8, 12].map(|at| f32::from_le_bytes(last[at..at + 4].try_into().unwrap()));
            assert_eq!(result > 0.5, stones % 2 == 1, "white, who moves second, has won");
            assert!(target.is_none_or(|target: f32| (value - target).abs() < 1e-6), "{value}");
            assert_eq!(u32::from_le_bytes(last[28..32].try_into().unwrap()), u32::from(referee));
        }
    }
}
