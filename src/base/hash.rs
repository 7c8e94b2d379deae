//! Checksums and bit mixing. The results are the same on every machine and in every version.

/// An FNV-1a checksum of 64 bits, to detect files that are cut short or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// The checksum of no bytes.
    pub fn new() -> Checksum {
        Checksum(0xcbf2_9ce4_8422_2325)
    }

    /// The checksum of `bytes`.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut checksum = Checksum::new();
        checksum.add(bytes);
        checksum.value()
    }

    /// Appends `bytes`.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The checksum of all bytes so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl Default for Checksum {
    fn default() -> Checksum {
        Checksum::new()
    }
}

/// The increment of `SplitMix64`: 2^64 divided by the golden ratio. Also a multiplier for hashing (Knuth).
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes the bits of a number: the output function of `SplitMix64`.
pub const fn scatter(number: u64) -> u64 {
    let mut z = number;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The bucket of a key in a linear hash table (Litwin 1980) with this many buckets: the one with its lowest bits as index, or with
/// one bit fewer where there is no such bucket yet. So the table grows by one bucket at a time: the new one takes its entries from
/// its [`parent_bucket`].
#[inline(always)]
pub const fn linear_bucket(key: u64, buckets: u64) -> u64 {
    let round = buckets.next_power_of_two();
    let index = key & (round - 1);
    if index < buckets { index } else { index - round / 2 }
}

/// The bucket that holds the entries of the bucket with this index, at least 1, before that one is added.
#[inline(always)]
pub const fn parent_bucket(index: u64) -> u64 {
    index - (1 << index.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_bucket_takes_its_keys_from_its_parent_and_no_other_key_moves() {
        for buckets in 1..200 {
            for key in 0..1000 {
                let (before, after) = (linear_bucket(key, buckets), linear_bucket(key, buckets + 1));
                assert!(after == before || (after == buckets && before == parent_bucket(buckets)), "{key} {buckets}");
                assert_eq!(after == buckets, before == parent_bucket(buckets) && key & (1 << buckets.ilog2()) != 0);
            }
        }
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(Checksum::of(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_first_numbers_of_splitmix_are_the_published_ones() {
        let numbers = [1, 2, 3].map(|step| scatter(GOLDEN.wrapping_mul(step)));
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
