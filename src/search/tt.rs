//! The transposition table: results of earlier searches by position, and which of them a new one replaces. Lockless and free of
//! data races.
//!
//! An entry is two 64-bit words; the first is the key combined with the second by exclusive or, so that a pair of words
//! written by two threads fails the check and is not found (Hyatt and Mann 2002). Four entries share a bucket of 64 bytes
//! (`tt/memory.rs`).
//!
//! The table is a linear hash table (Litwin 1980): it begins small and grows by a bucket per node up to its limit. The new
//! bucket takes its entries from an older one, so growing loses nothing and never copies the table. Without a clock the
//! size depends only on the nodes; on the clock the search does not wait for memory that the system gives slowly
//! (`tt/memory.rs`).

mod memory;

use crate::base::hash::{linear_bucket, parent_bucket};
use crate::base::memory::prefetch;
use crate::base::point::CELLS;
use crate::base::{Depth, Ply, Point, Score, Size, StoredScore};
use memory::{BUCKET_WORDS, TableMemory};
use std::sync::atomic::{AtomicU64, Ordering};

/// How a stored score bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// A file says that the score is proven. It is not used before it is proven again.
    Claim = 0,
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// The true score is this.
    Exact = 3,
}

impl Bound {
    /// The bound of a score returned by a fail-soft search with this window.
    pub fn of(score: Score, alpha: Score, beta: Score) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether a score with this bound is a proven result, valid at any depth.
    #[inline]
    pub fn proves(self, score: Score) -> bool {
        match self {
            Bound::Exact => score.is_decisive(),
            Bound::Lower => score.is_win(),
            Bound::Upper => score.is_loss(),
            Bound::Claim => false,
        }
    }

    /// Whether a score with this bound decides a search with this window.
    pub fn settles(self, score: Score, alpha: Score, beta: Score) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
            Bound::Claim => false,
        }
    }
}

/// What the table stores about a position.
#[derive(Clone, Copy, Debug)]
pub struct TtEntry {
    /// The score; a proven one counts from the root of the search that stores or probes.
    pub score: Score,
    /// How the score bounds the true one.
    pub bound: Bound,
    /// Whole plies of the search; below zero for quiescence.
    pub depth: i32,
    /// The best or refuting move.
    pub best: Option<Point>,
    /// The network's evaluation, if it was computed: that costs more than storing it.
    pub eval: Option<Score>,
    /// Whether this or an earlier search of the position was one of a PV node.
    pub was_pv: bool,
}

/// Least depth of an entry.
pub const MIN_DEPTH: i32 = -2;
/// Largest depth of an entry.
pub const MAX_DEPTH: i32 = 200;
/// Added to a depth in the table, so that it is not negative.
const DEPTH_OFFSET: i32 = 20;
// A data word: the score in its lowest 16 bits, and from these bits on:
/// First bit of the move (10 bits).
const BEST_SHIFT: u32 = 16;
/// First bit of the bound (2 bits).
const BOUND_SHIFT: u32 = 26;
/// First bit of the depth (8 bits).
const DEPTH_SHIFT: u32 = 28;
/// First bit of the evaluation (16 bits).
const EVAL_SHIFT: u32 = 36;
/// Bit of the mark of a PV node.
const WAS_PV_SHIFT: u32 = 52;
/// First bit of the generation (the highest bits).
const GENERATION_SHIFT: u32 = 53;
/// Number of generations; after the last one they wrap around.
const GENERATIONS: u64 = 1 << (u64::BITS - GENERATION_SHIFT);
const _: () = {
    assert!(CELLS <= 1 << (BOUND_SHIFT - BEST_SHIFT), "every move has a number");
    assert!(MIN_DEPTH + DEPTH_OFFSET > 0, "no entry is the word 0, which means empty");
    assert!(MAX_DEPTH + DEPTH_OFFSET < 1 << (EVAL_SHIFT - DEPTH_SHIFT));
    assert!(EVAL_SHIFT + u16::BITS == WAS_PV_SHIFT && WAS_PV_SHIFT < GENERATION_SHIFT);
};
/// Bytes of a bucket.
const BUCKET_BYTES: u64 = (BUCKET_WORDS * size_of::<u64>()) as u64;
/// Buckets of an empty table: 4 MiB, ready when the table is made.
const FIRST: u64 = memory::IN_SMALL_PAGES;
/// Buckets that are prepared ahead of those in use: 4 MiB, for 65,000 nodes. A short game thus touches little memory.
const AHEAD: u64 = 1 << 16;
/// Plies of depth that an entry is worth less with every search since it was written, when a bucket is full.
const AGE_WEIGHT: i64 = 2;
/// An entry of this search is kept if it is deeper than a new result of the same position by more than this many plies.
const REPLACED_WITHIN: i32 = 2;

/// The table; shared by reference between searching threads.
#[derive(Debug)]
pub struct TranspositionTable {
    memory: TableMemory,
    /// Buckets in use.
    used: AtomicU64,
    generation: u64,
}

impl TranspositionTable {
    /// Largest size in bytes.
    pub const MAX_BYTES: u64 = memory::MAX_BUCKETS * BUCKET_BYTES;

    /// A table of up to `bytes`, at least one bucket; smaller when the system does not have that much.
    pub fn new(bytes: u64) -> TranspositionTable {
        let memory = TableMemory::new(bytes / BUCKET_BYTES);
        let mut table = TranspositionTable { memory, used: AtomicU64::new(0), generation: 1 };
        table.clear();
        table
    }

    /// The limit that was set, in bytes.
    pub fn limit(&self) -> u64 {
        self.memory.asked() * BUCKET_BYTES
    }

    /// The most bytes that the system has memory for, where that is less than the limit.
    pub fn shortage(&self) -> Option<u64> {
        self.memory.shortage().map(|buckets| buckets * BUCKET_BYTES)
    }

    /// Size of the part in use, in bytes.
    pub fn bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed) * BUCKET_BYTES
    }

    /// Changes the limit. Entries are kept as far as they fit.
    pub fn set_limit(&mut self, bytes: u64) {
        let used = *self.used.get_mut();
        self.memory.set_limit(bytes / BUCKET_BYTES, used);
        *self.used.get_mut() = used.min(self.memory.limit());
    }

    /// Begins a new search: older entries are replaced first.
    pub fn new_search(&mut self) {
        self.generation += 1;
    }

    /// Removes all entries. The memory stays ready.
    pub fn clear(&mut self) {
        self.memory.prepare(FIRST);
        let used = FIRST.min(self.memory.limit());
        for index in 0..used {
            self.memory.bucket(index).iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
        *self.used.get_mut() = used;
    }

    /// Starts to prepare, on another thread, the memory that the next nodes need.
    pub fn prepare(&self) {
        self.memory.want(self.used.load(Ordering::Relaxed) + AHEAD);
    }

    /// Grows by `buckets` buckets as far as the limit allows; returns by how many. With `at_once` only into memory that is
    /// ready, without waiting for more. For one thread at a time; others may search meanwhile.
    pub fn grow(&self, buckets: u64, at_once: bool) -> u64 {
        let used = self.used.load(Ordering::Relaxed);
        let mut target = (used + buckets).min(self.memory.limit());
        if target <= used {
            return 0;
        }
        self.memory.want(target + AHEAD);
        if !at_once {
            self.memory.prepare(target);
        }
        target = target.min(self.memory.ready());
        (used..target).for_each(|index| self.split_into(index));
        self.used.fetch_max(target, Ordering::Release);
        target.saturating_sub(used)
    }

    /// Fills the next bucket, which has this index, from the bucket that held its entries so far. Entries that another
    /// thread stores there meanwhile may be lost.
    fn split_into(&self, index: u64) {
        let bit = 1 << index.ilog2();
        let (old, new) = (self.memory.bucket(parent_bucket(index)), self.memory.bucket(index));
        for (from, to) in old.chunks_exact(2).zip(new.chunks_exact(2)) {
            let (check, data) = (from[0].load(Ordering::Relaxed), from[1].load(Ordering::Relaxed));
            let moves = (check ^ data) & bit != 0;
            to[0].store(if moves { check } else { 0 }, Ordering::Relaxed);
            to[1].store(if moves { data } else { 0 }, Ordering::Relaxed);
            if moves {
                from[1].store(0, Ordering::Relaxed);
            }
        }
    }

    /// The bucket of a key.
    #[inline]
    fn bucket(&self, key: u64) -> &[AtomicU64] {
        self.memory.bucket(linear_bucket(key, self.used.load(Ordering::Acquire)))
    }

    /// Searches since an entry was written; `None` when it is empty.
    #[inline]
    fn age(&self, data: u64) -> Option<u64> {
        (data != 0).then(|| self.generation.wrapping_sub(generation_of(data)) % GENERATIONS)
    }

    /// Prefetches the bucket of a key into the processor's cache.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// The entry of the position with this key, seen from `ply`.
    #[inline]
    pub fn probe(&self, key: u64, ply: Ply) -> Option<TtEntry> {
        for slot in self.bucket(key).chunks_exact(2) {
            let data = slot[1].load(Ordering::Relaxed);
            if slot[0].load(Ordering::Relaxed) ^ data == key && data != 0 {
                return Some(unpack(data, ply));
            }
        }
        None
    }

    /// All entries, as key and data word.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let buckets = 0..self.used.load(Ordering::Relaxed);
        buckets.flat_map(|index| self.memory.bucket(index).chunks_exact(2)).filter_map(|slot| {
            let data = slot[1].load(Ordering::Relaxed);
            (data != 0).then(|| (slot[0].load(Ordering::Relaxed) ^ data, data))
        })
    }

    /// Whether a data word is a valid entry.
    pub fn is_valid_entry(data: u64) -> bool {
        let entry = unpack(data, Ply::ROOT);
        let is_estimate = |score: Score| score == score.unproven();
        let is_result = entry.score.distance().is_some_and(|moves| (1..=Size::MAX_CELLS as i32).contains(&moves));
        pack(&entry, Ply::ROOT, generation_of(data)) == data
            && (is_result || (is_estimate(entry.score) && entry.bound != Bound::Claim))
            && entry.eval.is_none_or(is_estimate)
            && (MIN_DEPTH..=MAX_DEPTH).contains(&entry.depth)
    }

    /// Stores an entry of another table, by the rules of [`TranspositionTable::store`]. A proven result becomes a claim. The
    /// table grows as if a search had found the entry.
    pub fn restore(&self, key: u64, data: u64) {
        self.grow(1, false);
        let hit = unpack(data, Ply::ROOT);
        let bound = if hit.bound.proves(hit.score) { Bound::Claim } else { hit.bound };
        // The other table may have been filled with another network.
        self.store(key, Ply::ROOT, TtEntry { bound, eval: None, ..hit });
    }

    /// Stores a result. An old move is kept when there is no new one; a deeper result of the same position is kept unless
    /// the new one is exact or not much shallower.
    pub fn store(&self, key: u64, ply: Ply, mut entry: TtEntry) {
        debug_assert!((MIN_DEPTH..=MAX_DEPTH).contains(&entry.depth), "depth {}", entry.depth);
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
                let shallow = age == 0 && entry.bound != Bound::Exact && entry.depth + REPLACED_WITHIN < old.depth;
                if !proven && (old.bound.proves(old.score) || shallow) {
                    return;
                }
                entry.best = entry.best.or(old.best);
                entry.eval = entry.eval.or(old.eval);
                entry.was_pv |= old.was_pv;
                chosen = i;
                break;
            }
            let worth = i64::from(old.depth) - AGE_WEIGHT * age as i64;
            if worth < lowest {
                (chosen, lowest) = (i, worth);
            }
        }
        let data = pack(&entry, ply, self.generation % GENERATIONS);
        bucket[2 * chosen].store(key ^ data, Ordering::Relaxed);
        bucket[2 * chosen + 1].store(data, Ordering::Relaxed);
    }
}

/// Stands for an unknown evaluation.
const NO_EVAL: u16 = 1 << 15;

/// The data word of an entry.
fn pack(entry: &TtEntry, ply: Ply, generation: u64) -> u64 {
    let score = u64::from(entry.score.to_stored(ply).bits());
    let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
    let best = entry.best.map_or(0, Point::index) as u64;
    let eval = u64::from(entry.eval.map_or(NO_EVAL, |eval| eval.to_stored(Ply::ROOT).bits()));
    score
        | best << BEST_SHIFT
        | (entry.bound as u64) << BOUND_SHIFT
        | depth << DEPTH_SHIFT
        | eval << EVAL_SHIFT
        | u64::from(entry.was_pv) << WAS_PV_SHIFT
        | generation << GENERATION_SHIFT
}

/// The generation of a data word, modulo [`GENERATIONS`].
#[inline]
fn generation_of(data: u64) -> u64 {
    data >> GENERATION_SHIFT
}

fn unpack(data: u64, ply: Ply) -> TtEntry {
    let eval = (data >> EVAL_SHIFT) as u16;
    TtEntry {
        score: StoredScore::from_bits(data as u16).at(ply),
        bound: match data >> BOUND_SHIFT & 3 {
            0 => Bound::Claim,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        depth: (data >> DEPTH_SHIFT & 255) as i32 - DEPTH_OFFSET,
        best: Point::from_index((data >> BEST_SHIFT & 1023) as usize),
        eval: (eval != NO_EVAL).then(|| StoredScore::from_bits(eval).at(Ply::ROOT)),
        was_pv: data >> WAS_PV_SHIFT & 1 == 1,
    }
}

/// The whole plies under which a main-search result of this remaining depth is stored. Extensions may make a node deeper than
/// the deepest iteration.
pub fn stored_depth(depth: Depth) -> i32 {
    depth.whole().clamp(0, MAX_DEPTH)
}

#[cfg(test)]
mod tests;
