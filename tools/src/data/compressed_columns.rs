//! Records in columns: a block of records as a few streams of like numbers, compressed together by Brotli. This takes less
//! than a third of the space of single records.
//!
//! Moves are differences from the move before, scores from the negated score before, numbers of games from the number
//! before; a chosen move is one byte where it was played. A block is the number of records and the length of each column
//! (`u32` each, little-endian), then the columns in the order of `Columns::all`.

use super::packed_game::{Content, PackedGame, PackedPly, result_code, take, winner_of_code};
use crate::arena::openings::Opening;
use anyhow::{Context, Result, ensure};
use std::io::{Read, Write};
use tengen::base::{Point, Rule, Size};

/// Most bytes of the columns of a block, to refuse a damaged length.
const MOST_BYTES: u64 = 64 << 20;
/// Brotli's effort, 0 to 11: higher ones take ten times as long for 2 % less.
const EFFORT: i32 = 9;
/// Brotli's window as a power of two: a whole block.
const WINDOW: i32 = 22;

/// The streams of a block: bytes that grow, or what is left to read of them.
#[derive(Debug, Default)]
struct Columns<T> {
    /// Kind, root, rule, columns, rows, result, stones and plies: a few fixed bytes a record.
    heads: T,
    /// Differences of the numbers of the games, eight bytes each.
    numbers: T,
    /// Differences of the coordinates of the moves.
    x: T,
    y: T,
    /// For each ply 0 if the chosen move was played, otherwise its column plus one, and its row.
    chosen: T,
    /// Low and high bytes of the differences of the scores, their sign in bit 0.
    score_low: T,
    score_high: T,
}

impl<T> Columns<T> {
    fn all(&mut self) -> [&mut T; 7] {
        let Columns { heads, numbers, x, y, chosen, score_low, score_high } = self;
        [heads, numbers, x, y, chosen, score_low, score_high]
    }
}

impl Columns<Vec<u8>> {
    fn push(&mut self, record: &PackedGame, number_before: u64) {
        let (kind, root) = record.content.code();
        let [width, height] = [record.size.width(), record.size.height()].map(|side| side as u8);
        self.heads.extend([kind, record.rule.number(), width, height, result_code(record.winner)]);
        for count in [root, record.opening.stones.len() as u16, record.plies.len() as u16] {
            self.heads.extend(count.to_le_bytes());
        }
        self.numbers.extend(record.number.wrapping_sub(number_before).to_le_bytes());
        let mut before = (width / 2, height / 2);
        for point in record.moves() {
            let (x, y) = (point.x() as u8, point.y() as u8);
            self.x.push(x.wrapping_sub(before.0));
            self.y.push(y.wrapping_sub(before.1));
            before = (x, y);
        }
        let mut score_before = 0i16;
        for ply in &record.plies {
            if ply.played == ply.best {
                self.chosen.push(0);
            } else {
                self.chosen.extend([ply.best.x() as u8 + 1, ply.best.y() as u8]);
            }
            let difference = ply.score.wrapping_add(score_before);
            let [low, high] = ((difference << 1) ^ (difference >> 15)).to_le_bytes();
            self.score_low.push(low);
            self.score_high.push(high);
            score_before = ply.score;
        }
    }
}

impl Columns<&[u8]> {
    /// The next record. Whether it can be one, [`PackedGame::check`] says.
    fn record(&mut self, number_before: u64) -> Result<PackedGame> {
        let [kind, rule, width, height, result] = take(&mut self.heads)?;
        let [root, stones, plies] = [take(&mut self.heads)?, take(&mut self.heads)?, take(&mut self.heads)?];
        let [root, stones, plies] = [root, stones, plies].map(u16::from_le_bytes);
        let content = Content::of_code(kind, root)?;
        let size = Size::new(width.into(), height.into()).context("unknown board size")?;
        let winner = winner_of_code(result)?;
        let number = number_before.wrapping_add(u64::from_le_bytes(take(&mut self.numbers)?));
        let mut before = (width / 2, height / 2);
        let mut next_move = || -> Result<Point> {
            let ([x], [y]) = (take(&mut self.x)?, take(&mut self.y)?);
            before = (before.0.wrapping_add(x), before.1.wrapping_add(y));
            size.point(before.0.into(), before.1.into()).context("a move off the board")
        };
        let opening = Opening { stones: (0..stones).map(|_| next_move()).collect::<Result<_>>()? };
        let played = (0..plies).map(|_| next_move()).collect::<Result<Vec<Point>>>()?;
        let mut score = 0i16;
        let mut ply = |played: Point| -> Result<PackedPly> {
            let best = match take(&mut self.chosen)? {
                [0] => played,
                [x] => {
                    let [y] = take(&mut self.chosen)?;
                    size.point(i64::from(x) - 1, y.into()).context("a move off the board")?
                }
            };
            let ([low], [high]) = (take(&mut self.score_low)?, take(&mut self.score_high)?);
            let folded = u16::from_le_bytes([low, high]);
            let difference = (folded >> 1) as i16 ^ -((folded & 1) as i16);
            score = difference.wrapping_sub(score);
            Ok(PackedPly { played, best, score })
        };
        let plies = played.into_iter().map(&mut ply).collect::<Result<_>>()?;
        let rule = Rule::from_bits(rule.into()).context("unknown rule")?;
        Ok(PackedGame { content, number, rule, size, opening, plies, winner })
    }
}

/// The records as a compressed block.
///
/// # Errors
/// When the compressor fails.
pub fn pack(records: &[PackedGame]) -> Result<Vec<u8>> {
    let mut columns = Columns::<Vec<u8>>::default();
    let mut number_before = 0;
    for record in records {
        columns.push(record, number_before);
        number_before = record.number;
    }
    let mut bytes = (records.len() as u32).to_le_bytes().to_vec();
    for column in columns.all() {
        bytes.extend((column.len() as u32).to_le_bytes());
    }
    for column in columns.all() {
        bytes.append(column);
    }
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: EFFORT,
        lgwin: WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut output = brotli::CompressorWriter::with_params(&mut packed, 1 << 16, &parameters);
    output.write_all(&bytes).and_then(|()| output.flush()).context("cannot compress records")?;
    drop(output);
    Ok(packed)
}

/// The records of a block, which pass [`PackedGame::check`].
///
/// # Errors
/// When the bytes are no such block.
pub fn unpack(packed: &[u8]) -> Result<Vec<PackedGame>> {
    let mut bytes = Vec::new();
    let input = brotli::Decompressor::new(packed, 1 << 16);
    input.take(MOST_BYTES + 1).read_to_end(&mut bytes).context("not compressed records")?;
    ensure!(bytes.len() as u64 <= MOST_BYTES, "a block of more than {MOST_BYTES} bytes");
    let mut rest = bytes.as_slice();
    let count = u32::from_le_bytes(take(&mut rest)?);
    let mut lengths = [0; 7];
    for length in &mut lengths {
        *length = u32::from_le_bytes(take(&mut rest)?) as usize;
    }
    let mut columns = Columns::<&[u8]>::default();
    for (column, length) in columns.all().into_iter().zip(lengths) {
        (*column, rest) = rest.split_at_checked(length).context("a column ends too early")?;
    }
    let mut records: Vec<PackedGame> = Vec::new();
    for _ in 0..count {
        let record = columns.record(records.last().map_or(0, |record| record.number))?;
        record.check()?;
        records.push(record);
    }
    ensure!(rest.is_empty() && columns.all().iter().all(|column| column.is_empty()), "bytes after the last record");
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::seq::SliceRandom;
    use rand::{Rng, SeedableRng};
    use tengen::base::Color;

    /// A record of random moves, scores and choices.
    fn random_record(random: &mut SmallRng) -> PackedGame {
        let size = Size::new(random.random_range(5..=22), random.random_range(5..=22)).unwrap();
        let mut points: Vec<Point> = size.points().collect();
        points.shuffle(random);
        let stones = random.random_range(0..9);
        let content = match random.random_range(0..3) {
            0 => Content::Game,
            1 => Content::Asked { root: random.random_range(0..=stones) },
            _ => Content::Quiet,
        };
        let length =
            if content == Content::Game { random.random_range(0..=size.cells() - usize::from(stones)) } else { 1 };
        let opening = Opening { stones: points.drain(..usize::from(stones)).collect() };
        let mut plies = Vec::new();
        for index in 0..length {
            let best =
                if random.random_bool(0.2) { points[random.random_range(index..points.len())] } else { points[index] };
            plies.push(PackedPly { played: points[index], best, score: random.random() });
        }
        let winner = [Some(Color::Black), None, Some(Color::White)][random.random_range(0..3)];
        let rule = Rule::ALL[random.random_range(0..Rule::ALL.len())];
        PackedGame { content, number: random.random(), rule, size, opening, plies, winner }
    }

    #[test]
    fn blocks_read_back_as_they_were_written() {
        let mut random = SmallRng::seed_from_u64(1);
        for count in [0, 1, 2, 60] {
            let records: Vec<PackedGame> = (0..count).map(|_| random_record(&mut random)).collect();
            assert_eq!(unpack(&pack(&records).unwrap()).unwrap(), records);
        }
    }

    #[test]
    fn a_damaged_block_is_an_error_or_holds_possible_records() {
        let mut random = SmallRng::seed_from_u64(2);
        let records: Vec<PackedGame> = (0..4).map(|_| random_record(&mut random)).collect();
        let packed = pack(&records).unwrap();
        let mut refused = 0;
        for index in 0..packed.len() {
            let mut changed = packed.clone();
            changed[index] ^= 1 << (index % 8);
            match unpack(&changed) {
                Ok(records) => assert!(records.iter().all(|record| record.check().is_ok())),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 0);
        assert!((0..packed.len()).all(|length| unpack(&packed[..length]).is_err()));
    }
}
