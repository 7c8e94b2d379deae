//! Sums of products of inputs and weights, two inputs at a time, for the layers of the head.
//!
//! Compilers turn the plain loops into instructions that gather one weight after the other, which takes about six times as
//! long in code for AVX2 and SSE2. So x86-64 has the instruction for two products and their sum by name.

/// Adds to the sums of a layer the products of its inputs, whose number is even, and their rows of weights.
#[inline(always)]
pub fn add_all<const N: usize>(sums: &mut [i32; N], rows: &[[i16; N]], values: &[i16]) {
    debug_assert!(rows.len() == values.len() && rows.len().is_multiple_of(2));
    for ([first, second], &values) in rows.as_chunks::<2>().0.iter().zip(values.as_chunks::<2>().0) {
        add_two(sums, [first, second], values);
    }
}

/// Adds the same value times each of the chosen rows.
#[inline(always)]
pub fn add_chosen<const N: usize>(sums: &mut [i32; N], rows: &[[i16; N]], chosen: &[u8], value: i16) {
    let (pairs, rest) = chosen.as_chunks::<2>();
    for &[first, second] in pairs {
        add_two(sums, [first, second].map(|row| &rows[usize::from(row)]), [value, value]);
    }
    for &last in rest {
        add_two(sums, [&rows[usize::from(last)]; 2], [value, 0]);
    }
}

/// Adds two values times their rows. `N` is a multiple of eight.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline(always)]
pub fn add_two<const N: usize>(sums: &mut [i32; N], rows: [&[i16; N]; 2], values: [i16; 2]) {
    use bytemuck::cast;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_madd_epi16, _mm_set1_epi32, _mm_unpackhi_epi16, _mm_unpacklo_epi16,
    };
    const { assert!(N.is_multiple_of(8)) };
    let values: i32 = cast(values);
    for (at, sums) in sums.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let [first, second]: [__m128i; 2] = rows.map(|row| cast(row.as_chunks::<8>().0[at]));
        let [low, high]: [__m128i; 2] = cast(*sums);
        // SAFETY: these are instructions of SSE2, which is a part of x86-64.
        let sums_after = unsafe {
            let values = _mm_set1_epi32(values);
            let [of_low, of_high] = [_mm_unpacklo_epi16(first, second), _mm_unpackhi_epi16(first, second)];
            [_mm_add_epi32(low, _mm_madd_epi16(of_low, values)), _mm_add_epi32(high, _mm_madd_epi16(of_high, values))]
        };
        *sums = cast(sums_after);
    }
}

/// Adds two values times their rows. `N` is a multiple of eight.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn add_two<const N: usize>(sums: &mut [i32; N], rows: [&[i16; N]; 2], values: [i16; 2]) {
    plain::add_two(sums, rows, values);
}

/// The reference implementation, and the one where there is no other.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    /// Adds two values times their rows.
    #[inline(always)]
    pub fn add_two<const N: usize>(sums: &mut [i32; N], rows: [&[i16; N]; 2], values: [i16; 2]) {
        for (row, value) in rows.into_iter().zip(values) {
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum += i32::from(weight) * i32::from(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    const INPUTS: usize = 6;
    const SUMS: usize = 24;

    #[test]
    fn the_sums_are_those_of_the_plain_loops() {
        let mut random = SmallRng::seed_from_u64(4);
        for _ in 0..1000 {
            let rows: [[i16; SUMS]; INPUTS] = std::array::from_fn(|_| std::array::from_fn(|_| random.random()));
            // The largest negative ones in places that go together.
            let values: [i16; INPUTS] =
                std::array::from_fn(
                    |_| if random.random_bool(0.2) { -4095 } else { random.random_range(-4095..=4095) },
                );
            let start: [i32; SUMS] = std::array::from_fn(|_| random.random_range(-1_000_000_000..=1_000_000_000));
            let (mut all, mut expected) = (start, start);
            add_all(&mut all, &rows, &values);
            for i in (0..INPUTS).step_by(2) {
                plain::add_two(&mut expected, [&rows[i], &rows[i + 1]], [values[i], values[i + 1]]);
            }
            assert_eq!(all, expected);
            for count in 0..=3 {
                let chosen: Vec<u8> = (0..count).map(|_| random.random_range(0..INPUTS as u8)).collect();
                let (mut sums, mut expected) = (start, start);
                add_chosen(&mut sums, &rows, &chosen, values[0]);
                for &row in &chosen {
                    plain::add_two(&mut expected, [&rows[usize::from(row)]; 2], [values[0], 0]);
                }
                assert_eq!(sums, expected, "{chosen:?}");
            }
        }
    }
}
