//! The solvers' hash table: what is known about positions, 16 bytes each.
//!
//! Like the transposition table it is a linear hash table (Litwin 1980): it begins small and grows by some buckets with
//! every new entry, up to its limit. The memory for the limit is reserved at once, but the system provides only the part in
//! use.

use crate::base::hash::{linear_bucket, parent_bucket};
use crate::base::memory::zeroed_table;
use std::ops::Range;

/// Buckets of an empty table.
const FIRST: usize = 1 << 12;
/// Most places for an entry that the table adds with each new one: it stays sparse, so that few entries are replaced.
const PLACES_PER_ENTRY: usize = 8;

/// An entry: a key, which is not 0 where there is an entry, and data.
pub type Entry = [u64; 2];

/// The table. An entry may take any of the `WAYS` places of its bucket.
pub struct Table<const WAYS: usize> {
    /// All places up to the limit.
    entries: Box<[Entry]>,
    /// Buckets in use.
    buckets: usize,
}

impl<const WAYS: usize> Table<WAYS> {
    /// An empty table of up to `bytes` bytes, at least one bucket; `None` when the system does not have that much memory.
    pub fn reserve(bytes: u64) -> Option<Table<WAYS>> {
        let limit = usize::try_from(bytes).ok()? / size_of::<Entry>() / WAYS;
        let limit = limit.max(1);
        Some(Table { entries: zeroed_table(limit.checked_mul(WAYS)?)?, buckets: limit.min(FIRST) })
    }

    /// The places for a key.
    #[inline]
    pub fn bucket(&self, key: u64) -> Range<usize> {
        let index = linear_bucket(key, self.buckets as u64) as usize;
        index * WAYS..(index + 1) * WAYS
    }

    /// The entries of these places.
    #[inline]
    pub fn entries(&self, places: Range<usize>) -> &[Entry] {
        &self.entries[places]
    }

    /// Writes an entry to one of the places for its key.
    #[inline]
    pub fn set(&mut self, place: usize, entry: Entry) {
        let is_new = self.entries[place][0] == 0;
        self.entries[place] = entry;
        if is_new {
            for _ in 0..PLACES_PER_ENTRY / WAYS {
                self.grow();
            }
        }
    }

    /// Adds a bucket, which takes its entries from the bucket that held them so far.
    fn grow(&mut self) {
        let index = self.buckets;
        if (index + 1) * WAYS > self.entries.len() {
            return;
        }
        let bit = 1 << index.ilog2();
        for way in 0..WAYS {
            let old = parent_bucket(index as u64) as usize * WAYS + way;
            if self.entries[old][0] as usize & bit != 0 {
                self.entries[index * WAYS + way] = std::mem::take(&mut self.entries[old]);
            }
        }
        self.buckets += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::scatter;

    fn find<const WAYS: usize>(table: &Table<WAYS>, key: u64) -> Option<u64> {
        table.entries(table.bucket(key)).iter().find(|entry| entry[0] == key).map(|entry| entry[1])
    }

    /// Stores these many entries where there is room, and says how many were found again.
    fn fill<const WAYS: usize>(table: &mut Table<WAYS>, count: u64) -> usize {
        for number in 0..count {
            let key = scatter(number + 1);
            let places = table.bucket(key);
            let free = places.clone().find(|&place| table.entries(place..place + 1)[0][0] == 0);
            table.set(free.unwrap_or(places.start), [key, number]);
        }
        (0..count).filter(|&number| find(table, scatter(number + 1)) == Some(number)).count()
    }

    #[test]
    fn a_growing_table_keeps_nearly_all_entries() {
        let mut narrow = Table::<1>::reserve(64 << 20).unwrap();
        let mut wide = Table::<4>::reserve(64 << 20).unwrap();
        let (narrow_found, wide_found) = (fill(&mut narrow, 100_000), fill(&mut wide, 100_000));
        assert!(narrow_found > 85_000 && wide_found > 99_500, "{narrow_found} {wide_found}");
        assert!(narrow.buckets < 900_000 && wide.buckets < 300_000, "{} {}", narrow.buckets, wide.buckets);
    }

    #[test]
    fn a_full_table_goes_on_within_its_limit() {
        for bytes in [0, 16, 4096, 5000, 1 << 20] {
            let mut table = Table::<4>::reserve(bytes).unwrap();
            let found = fill(&mut table, 100_000);
            assert!(size_of_val(&*table.entries) as u64 <= bytes.max(64) && table.buckets * 4 == table.entries.len());
            assert!(found > table.entries.len() / 2 && found <= table.entries.len(), "{bytes} {found}");
        }
    }

    /// Bug: a table for which there is no memory ended the process.
    #[test]
    fn a_table_of_any_size_may_be_asked_for() {
        assert!(Table::<4>::reserve(u64::MAX).is_none());
        assert!(Table::<1>::reserve(1 << 55).is_none());
    }
}
