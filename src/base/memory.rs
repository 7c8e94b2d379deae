//! Hints to the processor and the operating system about memory. They change the speed only.

/// Loads the first cache line of `words` into the cache, because it will be read soon. Does nothing on processors other
/// than x86-64.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(words: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no visible effect and cannot fault at any address, and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = words;
}

/// Asks the system to back `memory` with large pages, which saves walks through the page tables when a large table is
/// read at random. The contents do not change. The system may decline; systems other than Linux are not asked.
#[allow(unsafe_code)]
pub fn prefer_large_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        /// Size of a large page. Only whole pages inside `memory` are requested.
        const LARGE: usize = 2 << 20;
        let bytes = size_of_val(memory);
        let start = memory.as_ptr().cast::<u8>();
        let skipped = start.align_offset(LARGE);
        if let Some(length) = bytes.checked_sub(skipped).map(|rest| rest / LARGE * LARGE).filter(|&length| length > 0) {
            // SAFETY: the range lies inside `memory`, which is borrowed, and the advice does not change its contents.
            unsafe { libc::madvise(start.add(skipped).cast_mut().cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// A table of `length` copies of `value`, in large pages where the system has them.
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
