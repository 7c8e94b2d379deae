//! The transposition table: what earlier searches found about a position. Lockless, race-free. Floor 3.
//!
//! An entry is two 64-bit words, the first being the key combined with the second by exclusive or: a pair torn by
//! another thread fails the check and is simply not found. Four entries share a bucket of 64 bytes.
//!
//! The memory comes zeroed from the system and is not touched before it is used, so a table of any size costs nothing
//! to make; its pages arrive one by one as the search stores into them.

use crate::base::memory::{prefer_large_pages, prefetch};
use crate::base::{Depth, Ply, Point, Score, StoredScore};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a stored score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// The true score is this.
    Exact = 3,
}

impl Bound {
    /// What a fail-soft search with this window has shown by returning `score`.
    pub fn of(score: Score, alpha: Score, beta: Score) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether a score bounded in this way is a proven result, good at any depth.
    #[inline]
    pub fn proves(self, score: Score) -> bool {
        match self {
            Bound::Exact => score.is_decisive(),
            Bound::Lower => score.is_win(),
            Bound::Upper => score.is_loss(),
        }
    }

    /// Whether a true score bounded by `score` in this way is settled with respect to `beta`'s null window.
    pub fn settles(self, score: Score, alpha: Score, beta: Score) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        }
    }
}

/// What the table is told, and tells, about a position.
#[derive(Clone, Copy, Debug)]
pub struct TtEntry {
    /// The score, counted from the node that stores or probes.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// Whole plies it was searched to; below zero for quiescence.
    pub depth: i32,
    /// The best or refuting move.
    pub best: Option<Point>,
    /// What the network makes of the position, if it was asked: asking costs more than looking it up.
    pub eval: Option<Score>,
}

const SLOTS: usize = 4;
const WORDS: usize = 2 * SLOTS;
const DEPTH_OFFSET: i32 = 20;
const GENERATIONS: u64 = 1 << 11;
/// After this many searches the next new game really clears the memory, before generations could be confused.
const SEARCHES_BEFORE_CLEARING: u64 = GENERATIONS - 512;

/// The table; shared by reference between searching threads.
#[derive(Debug)]
pub struct TranspositionTable {
    words: Box<[AtomicU64]>,
    /// First word of the first bucket, so that buckets sit on cache lines.
    offset: usize,
    buckets: u64,
    generation: u64,
    /// Entries of earlier generations belong to another game and count as empty.
    game_began: u64,
}

impl TranspositionTable {
    /// A table of about `bytes`, at least one bucket; smaller when the system does not have that much.
    pub fn new(bytes: u64) -> TranspositionTable {
        let mut buckets = (bytes / (8 * WORDS as u64)).max(1);
        let words: Box<[AtomicU64]> = loop {
            match bytemuck::allocation::try_zeroed_slice_box((buckets as usize + 1) * WORDS) {
                Ok(words) => break words,
                Err(()) if buckets > 1 => buckets /= 2,
                Err(()) => break (0..2 * WORDS).map(|_| AtomicU64::new(0)).collect(),
            }
        };
        prefer_large_pages(&words);
        let misaligned = words.as_ptr() as usize / 8 % WORDS;
        TranspositionTable { words, offset: (WORDS - misaligned) % WORDS, buckets, generation: 1, game_began: 1 }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.buckets * 8 * WORDS as u64
    }

    /// A new search of the same game begins: older entries make way sooner.
    pub fn new_search(&mut self) {
        self.generation += 1;
    }

    /// Forgets everything. Costs nothing but once in many games, when the memory is exchanged for fresh pages.
    pub fn new_game(&mut self) {
        if self.generation > SEARCHES_BEFORE_CLEARING {
            self.clear();
        } else {
            self.generation += 1;
            self.game_began = self.generation;
        }
    }

    /// Forgets everything and gives the memory back until it is needed again.
    pub fn clear(&mut self) {
        let bytes = self.bytes();
        self.words = Box::default();
        *self = TranspositionTable::new(bytes);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[AtomicU64] {
        let bucket = ((u128::from(key) * u128::from(self.buckets)) >> 64) as usize;
        let first = self.offset + bucket * WORDS;
        &self.words[first..first + WORDS]
    }

    /// Searches since an entry was written; `None` when it is empty or of another game.
    #[inline]
    fn age(&self, data: u64) -> Option<u64> {
        let generation = data >> 53;
        let age = (self.generation.wrapping_sub(generation)) % GENERATIONS;
        (data != 0 && age <= self.generation - self.game_began).then_some(age)
    }

    /// Asks for the memory that belongs to a key, so that it is there when the key is looked up.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// What is known about the position with this key, seen from `ply`.
    #[inline]
    pub fn probe(&self, key: u64, ply: Ply) -> Option<TtEntry> {
        for slot in self.bucket(key).chunks_exact(2) {
            let data = slot[1].load(Ordering::Relaxed);
            if slot[0].load(Ordering::Relaxed) ^ data == key && self.age(data).is_some() {
                return Some(unpack(data, ply));
            }
        }
        None
    }

    /// Everything that is known, as key and data word.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let slots = self.words[self.offset..][..self.buckets as usize * WORDS].chunks_exact(2);
        slots.filter_map(|slot| {
            let data = slot[1].load(Ordering::Relaxed);
            self.age(data).map(|_| (slot[0].load(Ordering::Relaxed) ^ data, data))
        })
    }

    /// Takes in an entry of another table, unless it makes no sense or there is something deeper in its place.
    pub fn restore(&self, key: u64, data: u64) {
        if data >> 26 & 3 != 0 {
            let hit = unpack(data, Ply::ROOT);
            // Another evaluation may be in use by now.
            self.store(key, Ply::ROOT, TtEntry { eval: None, ..hit });
        }
    }

    /// Remembers a result. An old move is kept when there is no new one; a deeper result about the same position is
    /// kept unless the new one is exact or not much shallower.
    pub fn store(&self, key: u64, ply: Ply, mut entry: TtEntry) {
        let bucket = self.bucket(key);
        let mut chosen = 0;
        let mut lowest = i64::MAX;
        for (i, slot) in bucket.chunks_exact(2).enumerate() {
            let data = slot[1].load(Ordering::Relaxed);
            let Some(age) = self.age(data) else {
                if lowest > i64::MIN {
                    (chosen, lowest) = (i, i64::MIN);
                }
                continue;
            };
            let old = unpack(data, ply);
            if slot[0].load(Ordering::Relaxed) ^ data == key {
                let proven = entry.bound.proves(entry.score);
                let shallow = age == 0 && entry.bound != Bound::Exact && entry.depth + 2 < old.depth;
                if !proven && (old.bound.proves(old.score) || shallow) {
                    return;
                }
                entry.best = entry.best.or(old.best);
                entry.eval = entry.eval.or(old.eval);
                chosen = i;
                break;
            }
            let worth = i64::from(old.depth) - 2 * age as i64;
            if worth < lowest {
                (chosen, lowest) = (i, worth);
            }
        }
        let data = pack(&entry, ply, self.generation % GENERATIONS);
        bucket[2 * chosen].store(key ^ data, Ordering::Relaxed);
        bucket[2 * chosen + 1].store(data, Ordering::Relaxed);
    }
}

/// Stands for an evaluation that is not known.
const NO_EVAL: u16 = 1 << 15;

/// Score in bits 0..16, move 16..26, bound 26..28, depth 28..36, evaluation 36..52, generation 53..64.
fn pack(entry: &TtEntry, ply: Ply, generation: u64) -> u64 {
    let score = u64::from(entry.score.to_stored(ply).bits());
    let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
    let best = entry.best.map_or(0, Point::index) as u64;
    let eval = u64::from(entry.eval.map_or(NO_EVAL, |eval| eval.to_stored(Ply::ROOT).bits()));
    score | best << 16 | (entry.bound as u64) << 26 | depth << 28 | eval << 36 | generation << 53
}

fn unpack(data: u64, ply: Ply) -> TtEntry {
    let eval = (data >> 36) as u16;
    TtEntry {
        score: StoredScore::from_bits(data as u16).at(ply),
        bound: match data >> 26 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        depth: (data >> 28 & 255) as i32 - DEPTH_OFFSET,
        best: Point::from_index((data >> 16 & 1023) as usize),
        eval: (eval != NO_EVAL).then(|| StoredScore::from_bits(eval).at(Ply::ROOT)),
    }
}

/// The whole plies under which a main-search result of this remaining depth is stored.
pub fn stored_depth(depth: Depth) -> i32 {
    depth.whole().max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: usize, y: usize) -> Option<Point> {
        Point::new(x, y)
    }

    fn entry(depth: i32, score: Score, bound: Bound, best: Option<Point>) -> TtEntry {
        TtEntry { score, bound, depth, best, eval: None }
    }

    #[test]
    fn what_is_stored_is_found_with_its_distance_adjusted() {
        let table = TranspositionTable::new(1 << 16);
        let deep = Ply::ROOT.next().next();
        table.store(77, deep, entry(9, Score::win_in(deep, 5), Bound::Lower, point(21, 21)));
        let hit = table.probe(77, Ply::ROOT).unwrap();
        assert_eq!(
            (hit.score, hit.bound, hit.depth, hit.best),
            (Score::win_in(Ply::ROOT, 5), Bound::Lower, 9, point(21, 21))
        );
        assert!(table.probe(78, Ply::ROOT).is_none());
    }

    #[test]
    fn a_torn_entry_is_not_found() {
        let table = TranspositionTable::new(1);
        table.store(77, Ply::ROOT, entry(3, Score::DRAW, Bound::Exact, None));
        table.words[table.offset + 1].fetch_xor(1 << 30, Ordering::Relaxed);
        assert!(table.probe(77, Ply::ROOT).is_none());
    }

    #[test]
    fn a_new_game_forgets_and_an_old_move_survives_a_moveless_store() {
        let mut table = TranspositionTable::new(1 << 16);
        table.store(5, Ply::ROOT, entry(3, Score::DRAW, Bound::Exact, point(3, 4)));
        table.new_search();
        table.store(5, Ply::ROOT, entry(1, Score::DRAW, Bound::Upper, None));
        assert_eq!(table.probe(5, Ply::ROOT).unwrap().best, point(3, 4));
        table.new_game();
        assert!(table.probe(5, Ply::ROOT).is_none());
    }

    #[test]
    fn generations_are_never_confused_over_thousands_of_games() {
        let mut table = TranspositionTable::new(1);
        for game in 0..5000u64 {
            table.new_game();
            for slot in 0..8 {
                assert!(table.probe(slot << 61 | slot, Ply::ROOT).is_none(), "game {game}");
                table.store(slot << 61 | slot, Ply::ROOT, entry(5, Score::DRAW, Bound::Exact, None));
            }
        }
    }

    #[test]
    fn an_evaluation_stays_with_its_position_but_not_in_a_file() {
        let table = TranspositionTable::new(1 << 16);
        for eval in [-1234, 0, 77] {
            let key = eval as u64;
            let known = Some(Score::estimate(eval));
            table.store(key, Ply::ROOT, TtEntry { eval: known, ..entry(2, Score::DRAW, Bound::Upper, None) });
            table.store(key, Ply::ROOT, entry(5, Score::estimate(9), Bound::Lower, point(1, 2)));
            assert_eq!(table.probe(key, Ply::ROOT).unwrap().eval, known);
        }
        let copy = TranspositionTable::new(1 << 16);
        table.entries().for_each(|(key, data)| copy.restore(key, data));
        let hit = copy.probe(77, Ply::ROOT).unwrap();
        assert_eq!((hit.eval, hit.depth, hit.best), (None, 5, point(1, 2)));
    }

    #[test]
    fn a_proof_is_not_overwritten_by_an_estimate() {
        let table = TranspositionTable::new(1 << 16);
        table.store(9, Ply::ROOT, entry(2, Score::win_in(Ply::ROOT, 7), Bound::Lower, None));
        table.store(9, Ply::ROOT, entry(12, Score::estimate(40), Bound::Exact, None));
        assert!(table.probe(9, Ply::ROOT).unwrap().score.is_win());
    }
}
