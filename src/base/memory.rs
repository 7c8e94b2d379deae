//! Asking for memory before it is needed. Floor 0.

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
