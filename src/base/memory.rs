//! Large tables, hints to the processor and the operating system about memory, whether there is any, and the stack that
//! solving takes. Hints change the speed only.

use bytemuck::Zeroable;

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

/// Bytes that the hash table leaves to the rest of the process, as far as it decides: the tables of a rule, a network, what a
/// search remembers.
pub const REST: usize = 12 << 20;

/// Stack of a thread that solves, in bytes: trees are built recursively and may be deep.
pub const SOLVER_STACK: usize = 256 << 20;

/// Whether the system gives this many bytes, more than zero, which are not touched. Where memory is limited, an allocation that
/// fails aborts the process.
#[allow(unsafe_code)]
pub fn is_available(bytes: usize) -> bool {
    #[cfg(target_os = "linux")]
    {
        // Not by the allocator, which would keep larger pieces for itself once it has freed one of this size.
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the system's choice; nothing else uses it, and it is unmapped at once.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0);
            start != libc::MAP_FAILED && libc::munmap(start, bytes) == 0
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let mut room: Vec<u8> = Vec::new();
        let is_given = room.try_reserve_exact(bytes).is_ok();
        // The compiler may leave out an allocation whose result is not used.
        std::hint::black_box(&room);
        is_given
    }
}

/// Where the address space is limited, keeps the allocator from reserving 64 MiB of it for each thread. To be called before there
/// are threads.
#[allow(unsafe_code)]
pub fn spare_address_space() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the first call writes to `limit` only, the second sets a number of the allocator.
        unsafe {
            if libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0 && limit.rlim_cur != libc::RLIM_INFINITY {
                libc::mallopt(libc::M_ARENA_MAX, 1);
            }
        }
    }
}

/// A table of `length` zeroes, of which the system provides only the pages that are used, large ones where it has them.
/// `None` when it does not have that much memory.
pub fn zeroed_table<T: Zeroable>(length: usize) -> Option<Box<[T]>> {
    let table = bytemuck::allocation::try_zeroed_slice_box(length).ok()?;
    prefer_large_pages(&table);
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_system_has_all_the_memory() {
        assert!(is_available(1) && is_available(REST));
        assert!(!is_available(usize::MAX) && !is_available(isize::MAX as usize));
    }

    #[test]
    fn a_new_table_has_zeros_and_takes_advice_at_any_length() {
        for length in [0, 1, 5000, 1 << 20] {
            let table = zeroed_table::<u64>(length).unwrap();
            // These must not fail where the table does not begin or end with a page.
            prefer_large_pages(&table);
            prefer_large_pages(&table[length / 3..]);
            assert!(table.len() == length && table.iter().all(|&value| value == 0));
        }
    }
}
