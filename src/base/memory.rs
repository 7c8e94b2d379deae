//! Hints about memory, which change nothing but the speed: what is needed soon, what is better kept in large pages.
//! Floor 0.

/// Tells the processor that the first cache line of `words` will be read soon, so that it is there by then. Nothing else
/// happens; on processors whose word for it we do not know, nothing at all.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(words: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint; it reads nothing that a program can see and cannot fault, whatever the address,
        // and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = words;
}

/// Asks the system for large pages behind `memory`, where it has them: a table that is read at random then costs far
/// fewer walks through the system's page tables. The contents stay as they are, and a system may decline.
#[allow(unsafe_code)]
pub fn prefer_large_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        /// Their size on every processor that counts; only whole ones inside of `memory` are asked for.
        const LARGE: usize = 2 << 20;
        let bytes = size_of_val(memory);
        let start = memory.as_ptr().cast::<u8>();
        let skipped = start.align_offset(LARGE);
        if let Some(length) = bytes.checked_sub(skipped).map(|rest| rest / LARGE * LARGE).filter(|&length| length > 0) {
            // SAFETY: the range lies inside of `memory`, which is borrowed, and the advice changes no byte of it.
            unsafe { libc::madvise(start.add(skipped).cast_mut().cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// A table of `length` times `value` in large pages, where the system has them.
pub fn large_table<T: Clone>(value: T, length: usize) -> Vec<T> {
    let mut table = Vec::with_capacity(length);
    prefer_large_pages(table.spare_capacity_mut());
    table.resize(length, value);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_changes_no_byte() {
        for length in [0, 1, 5000, 1 << 20] {
            let table = large_table(7u64, length);
            assert!(table.len() == length && table.iter().all(|&value| value == 7));
            prefer_large_pages(&table);
            prefer_large_pages(&table[length / 3..]);
            assert!(table.iter().all(|&value| value == 7));
        }
    }
}
