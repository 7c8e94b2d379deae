//! The state of a training run in a file, so that the run can continue after an interruption.

use super::adam::Adam;
use super::float_network::{FloatHead, Model, Parameters, Row, TABLE};
use crate::output_file;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use tengen::base::Rule;
use tengen::eval::network::architecture::{CHANNELS, STAGES};

const MAGIC: &[u8; 8] = b"TNGNrun4";

/// A model in training, after some epochs.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The model.
    pub model: Model,
    /// The optimiser.
    pub adam: Adam,
    /// Number of finished epochs.
    pub epochs: u32,
    /// A checksum of the settings; `None` before the first epoch.
    pub settings: Option<u64>,
}

impl Checkpoint {
    /// The state before the first epoch.
    pub fn new(rule: Rule, seed: u64) -> Checkpoint {
        let model = Model::new(rule, seed);
        let adam = Adam::new(model.heads.len());
        Checkpoint { model, adam, epochs: 0, settings: None }
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.settings.unwrap_or(0).to_le_bytes());
        let heads = self.model.heads.len() as u32;
        for number in [u32::from(self.model.rule.number()), heads, TABLE as u32, self.epochs, self.adam.step] {
            bytes.extend(number.to_le_bytes());
        }
        for table in [&self.model.table, &self.adam.mean, &self.adam.square] {
            bytes.extend(bytemuck::cast_slice::<Row, u8>(table));
        }
        for heads in [&self.model.heads, &self.adam.head_mean, &self.adam.head_square] {
            for numbers in heads.iter().flat_map(FloatHead::slices) {
                bytes.extend(bytemuck::cast_slice::<f32, u8>(numbers));
            }
        }
        bytes.extend(bytemuck::cast_slice::<u32, u8>(&self.adam.steps));
        let crc = crc32fast::hash(&bytes);
        bytes.extend(crc.to_le_bytes());
        output_file::write(path, bytes)
    }

    /// Reads a file that [`Checkpoint::save`] wrote.
    ///
    /// # Errors
    /// When it cannot be read or is not a checkpoint.
    pub fn load(path: &Path) -> Result<Checkpoint> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).with_context(name)?;
        Checkpoint::decode(&bytes).with_context(|| format!("{}: not a checkpoint of this trainer", name()))
    }

    fn decode(bytes: &[u8]) -> Result<Checkpoint> {
        let (body, crc) = bytes.split_last_chunk::<4>().context("too short")?;
        ensure!(u32::from_le_bytes(*crc) == crc32fast::hash(body), "the checksum differs");
        let (magic, mut rest) = body.split_first_chunk::<8>().context("too short")?;
        ensure!(magic == MAGIC, "unknown format");
        let settings = Some(u64::from_le_bytes(take(&mut rest, 8)?.try_into()?)).filter(|&settings| settings != 0);
        let mut numbers = [0; 5];
        for number in &mut numbers {
            *number = u32::from_le_bytes(take(&mut rest, 4)?.try_into()?);
        }
        let [rule, heads, table, epochs, step] = numbers;
        ensure!(
            table as usize == TABLE && [1, 2, STAGES, 2 * STAGES].contains(&(heads as usize)),
            "the network has another structure"
        );
        let rule = Rule::from_bits(rule.into()).context("unknown rule")?;
        let rows = |rest: &mut &[u8]| -> Result<Vec<Row>> {
            let mut rows = vec![[0.0; CHANNELS]; TABLE];
            bytemuck::cast_slice_mut::<Row, u8>(&mut rows).copy_from_slice(take(rest, TABLE * size_of::<Row>())?);
            Ok(rows)
        };
        let (weights, mean, square) = (rows(&mut rest)?, rows(&mut rest)?, rows(&mut rest)?);
        let read_heads = |rest: &mut &[u8]| -> Result<Vec<FloatHead>> {
            let mut read = vec![FloatHead::zero(); heads as usize];
            for numbers in read.iter_mut().flat_map(FloatHead::slices_mut) {
                let bytes = bytemuck::cast_slice_mut::<f32, u8>(numbers);
                bytes.copy_from_slice(take(rest, bytes.len())?);
            }
            Ok(read)
        };
        let (own, head_mean, head_square) = (read_heads(&mut rest)?, read_heads(&mut rest)?, read_heads(&mut rest)?);
        let mut steps = vec![0; TABLE];
        bytemuck::cast_slice_mut::<u32, u8>(&mut steps).copy_from_slice(take(&mut rest, 4 * TABLE)?);
        ensure!(rest.is_empty(), "too long");
        let model = Model { rule, table: weights, heads: own };
        let adam = Adam { mean, square, steps, head_mean, head_square, step };
        Ok(Checkpoint { model, adam, epochs, settings })
    }
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(length).context("too short")?;
    *rest = after;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_reads_back_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut checkpoint = Checkpoint::new(Rule::Renju, 5);
        checkpoint.epochs = 3;
        checkpoint.adam.steps[7] = 9;
        for settings in [None, Some(77)] {
            checkpoint.settings = settings;
            checkpoint.save(&path).unwrap();
            assert_eq!(Checkpoint::load(&path).unwrap(), checkpoint);
        }
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(Checkpoint::load(&path).is_err());
        std::fs::write(&path, b"x").unwrap();
        assert!(Checkpoint::load(&path).is_err());
    }

    /// Bug: the temporary file of `run` was `run.part`, which may be the checkpoint of another run.
    #[test]
    fn a_checkpoint_named_part_survives_another_run() {
        let folder = tempfile::tempdir().unwrap();
        let (run, part) = (folder.path().join("run"), folder.path().join("run.part"));
        let [first, second] = [1, 2].map(|seed| Checkpoint::new(Rule::Freestyle, seed));
        first.save(&part).unwrap();
        second.save(&run).unwrap();
        assert_eq!(Checkpoint::load(&part).unwrap(), first);
        assert_eq!(Checkpoint::load(&run).unwrap(), second);
    }
}
