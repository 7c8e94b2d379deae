//! Sums of products of inputs and weights, two inputs at a time, for the layers of the head.
//!
//! Compilers turn plain loops over these layers into instructions that gather one weight after the other, so each
//! instruction set has the instruction for two products and their sum by name.

use super::kernel::Plain;
#[cfg(target_family = "wasm")]
use super::kernel::Simd128;
#[cfg(target_arch = "x86_64")]
use super::kernel::{Avx2, Avx512};

/// The weights of two inputs for `N` sums, those for one sum adjacent.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct RowPair<const N: usize>([[i16; 2]; N]);

/// The rows of inputs, whose number is even, in pairs.
pub fn in_pairs<const N: usize>(rows: &[[i16; N]]) -> Box<[RowPair<N>]> {
    assert!(rows.len().is_multiple_of(2), "rows are in pairs");
    let pair = |[first, second]: &[[i16; N]; 2]| RowPair(std::array::from_fn(|sum| [first[sum], second[sum]]));
    rows.as_chunks::<2>().0.iter().map(pair).collect()
}

/// An instruction set that computes sums of products.
pub trait Products: Copy {
    /// Adds to the sums of a layer the products of its inputs and their weights: a pair of rows for each two inputs. `N` is a
    /// multiple of 16.
    fn add_products<const N: usize>(self, sums: &mut [i32; N], rows: &[RowPair<N>], values: &[i16]);
}

/// `Products` for a type by vector instructions with `$lanes` sums in a register. `$step` adds two products to each of them. Where
/// it waits long for the one before, several `$sets` of sums are added up side by side.
#[cfg(any(target_arch = "x86_64", target_family = "wasm"))]
macro_rules! products {
    (
        $name:ty, $module:ident [$($feature:literal),*], $lanes:literal lanes, $sets:literal sets,
        $vector:ty, $load:ident, $store:ident, $splat:ident, $zero:expr, $add:ident, $step:expr
    ) => {
        impl Products for $name {
            #[allow(unsafe_code, unused_unsafe)]
            #[inline(always)]
            fn add_products<const N: usize>(self, sums: &mut [i32; N], rows: &[RowPair<N>], values: &[i16]) {
                // SAFETY: a value of this type exists only where the processor has these features.
                unsafe { $module::add_products(sums, rows, values) }
            }
        }

        #[allow(unsafe_code)]
        mod $module {
            use super::RowPair;
            #[cfg(target_family = "wasm")]
            use std::arch::wasm32::*;
            #[cfg(target_arch = "x86_64")]
            use std::arch::x86_64::*;

            /// Registers for the sums of the widest layer.
            const MOST: usize = 32 / $lanes;

            $(#[target_feature(enable = $feature)])*
            #[inline]
            fn add_row<const N: usize>(registers: &mut [$vector; MOST], row: &RowPair<N>, values: [i16; 2]) {
                let values = $splat(bytemuck::cast::<[i16; 2], i32>(values));
                for (register, weights) in registers.iter_mut().zip(row.0.as_chunks::<$lanes>().0) {
                    // SAFETY: these are that many pairs of numbers of 16 bits.
                    let weights = unsafe { $load(weights.as_ptr().cast()) };
                    *register = $step(*register, weights, values);
                }
            }

            $(#[target_feature(enable = $feature)])*
            #[inline]
            pub fn add_products<const N: usize>(sums: &mut [i32; N], rows: &[RowPair<N>], values: &[i16]) {
                const { assert!(N.is_multiple_of($lanes) && N / $lanes <= MOST) };
                let values = values.as_chunks::<2>().0;
                debug_assert_eq!(rows.len(), values.len());
                let mut sets = [[$zero; MOST]; $sets];
                for (register, sums) in sets[0].iter_mut().zip(sums.as_chunks::<$lanes>().0) {
                    // SAFETY: these are that many numbers of 32 bits.
                    *register = unsafe { $load(sums.as_ptr().cast()) };
                }
                let ((blocks, rest), (value_blocks, value_rest)) = (rows.as_chunks::<$sets>(), values.as_chunks::<$sets>());
                for (rows, values) in blocks.iter().zip(value_blocks) {
                    for set in 0..$sets {
                        add_row(&mut sets[set], &rows[set], values[set]);
                    }
                }
                for (row, &values) in rest.iter().zip(value_rest) {
                    add_row(&mut sets[0], row, values);
                }
                for (at, sums) in sums.as_chunks_mut::<$lanes>().0.iter_mut().enumerate() {
                    let total = sets.iter().fold($zero, |total, set| $add(total, set[at]));
                    // SAFETY: these are that many numbers of 32 bits.
                    unsafe { $store(sums.as_mut_ptr().cast(), total) };
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
products!(
    Plain, sse2 ["sse2"], 4 lanes, 1 sets,
    __m128i, _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi32, _mm_setzero_si128(), _mm_add_epi32,
    |sums, weights, values| _mm_add_epi32(sums, _mm_madd_epi16(weights, values))
);
#[cfg(target_arch = "x86_64")]
products!(
    Avx2, avx2 ["avx2"], 8 lanes, 1 sets,
    __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32, _mm256_setzero_si256(), _mm256_add_epi32,
    |sums, weights, values| _mm256_add_epi32(sums, _mm256_madd_epi16(weights, values))
);
#[cfg(target_arch = "x86_64")]
products!(
    Avx512, avx512 ["avx512bw", "avx512vnni"], 16 lanes, 4 sets,
    __m512i, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi32, _mm512_setzero_si512(), _mm512_add_epi32,
    |sums, weights, values| _mm512_dpwssd_epi32(sums, weights, values)
);
#[cfg(target_family = "wasm")]
products!(
    Simd128, simd128 ["simd128"], 4 lanes, 1 sets,
    v128, v128_load, v128_store, i32x4_splat, i32x4_splat(0), i32x4_add,
    |sums, weights, values| i32x4_add(sums, i32x4_dot_i16x8(weights, values))
);

#[cfg(not(target_arch = "x86_64"))]
impl Products for Plain {
    #[inline(always)]
    fn add_products<const N: usize>(self, sums: &mut [i32; N], rows: &[RowPair<N>], values: &[i16]) {
        plain::add_products(sums, rows, values);
    }
}

/// The reference implementation, and the one where there is no other.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    use super::RowPair;

    /// See [`super::Products::add_products`].
    #[inline(always)]
    pub fn add_products<const N: usize>(sums: &mut [i32; N], rows: &[RowPair<N>], values: &[i16]) {
        for (row, values) in rows.iter().zip(values.as_chunks::<2>().0) {
            for (sum, weights) in sums.iter_mut().zip(&row.0) {
                *sum += i32::from(weights[0]) * i32::from(values[0]) + i32::from(weights[1]) * i32::from(values[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::Work;
    use super::super::kernel::Kernel;
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn expect_plain_sums<const N: usize>(products: impl Products, random: &mut SmallRng) {
        for inputs in (2..=36).step_by(2) {
            // Any weights where the sums cannot overflow, else those that a network may have.
            let limit = if inputs <= 6 { i16::MAX } else { 4095 };
            let rows: Vec<[i16; N]> =
                (0..inputs).map(|_| std::array::from_fn(|_| random.random_range(-limit..=limit))).collect();
            let rows = in_pairs(&rows);
            // The largest negative ones in places that go together.
            let values: Vec<i16> = (0..inputs)
                .map(|_| if random.random_bool(0.2) { -4095 } else { random.random_range(-4095..=4095) })
                .collect();
            let mut sums: [i32; N] = std::array::from_fn(|_| random.random_range(-1_000_000_000..=1_000_000_000));
            let mut expected = sums;
            products.add_products(&mut sums, &rows, &values);
            plain::add_products(&mut expected, &rows, &values);
            assert_eq!(sums, expected, "{inputs} inputs");
        }
    }

    #[test]
    fn the_sums_are_those_of_the_plain_loops() {
        struct ExpectBoth;
        impl Work for ExpectBoth {
            type Output = ();

            #[inline(always)]
            fn run(self, products: impl Products) {
                let mut random = SmallRng::seed_from_u64(4);
                for _ in 0..50 {
                    expect_plain_sums::<16>(products, &mut random);
                    expect_plain_sums::<32>(products, &mut random);
                }
            }
        }
        for kernel in Kernel::usable() {
            kernel.run(ExpectBoth);
        }
    }

    #[test]
    fn rows_in_pairs_keep_their_order() {
        let mut sums = [0; 16];
        let rows: [[i16; 16]; 4] = std::array::from_fn(|row| std::array::from_fn(|sum| (100 * row + sum) as i16));
        plain::add_products(&mut sums, &in_pairs(&rows), &[0, 1, 0, 2]);
        assert_eq!(sums, std::array::from_fn(|sum| (100 + sum + 2 * (300 + sum)) as i32));
    }
}
