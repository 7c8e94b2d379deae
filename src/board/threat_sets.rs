//! Which threats each colour can make, as sets of bits.

/// By the index of a threat: bit 0 if some point makes it, bit 1 if several do. A byte for each is what vector instructions
/// compute from the counts; a number with a bit for each is made of them where it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ThreatFlags([u8; 16]);

impl ThreatFlags {
    /// By the number of points that make each threat.
    #[inline(always)]
    pub(super) fn of(counts: &[u16; 16]) -> ThreatFlags {
        let mut flags = [0; 16];
        for i in 0..16 {
            flags[i] = u8::from(counts[i] > 0) | u8::from(counts[i] > 1) << 1;
        }
        ThreatFlags(flags)
    }

    #[inline(always)]
    pub(super) fn sets(self) -> ThreatSets {
        let [low, high] = bytemuck::cast::<[u8; 16], [u64; 2]>(self.0).map(u64::to_le);
        let set = |bit: u32| gather(low >> bit) | gather(high >> bit) << 8;
        ThreatSets { some: set(0), several: set(1) }
    }
}

/// The lowest bits of the eight bytes.
#[inline(always)]
fn gather(bytes: u64) -> u16 {
    // Each of its bits moves the bit of one byte to its place in the highest byte.
    const TO_HIGHEST: u64 = 0x0102_0408_1020_4080;
    ((bytes & 0x0101_0101_0101_0101).wrapping_mul(TO_HIGHEST) >> 56) as u16
}

/// Sets of threats: a bit for each, by its [`Threat::index`](super::Threat::index).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreatSets {
    /// Those that some point makes.
    pub some: u16,
    /// Those that several points make.
    pub several: u16,
}
