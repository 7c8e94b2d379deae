//! Runs the network's loops as they are compiled for the instruction set of a kernel.

#[cfg(target_family = "wasm")]
use super::kernel::Simd128;
#[cfg(target_arch = "x86_64")]
use super::kernel::{Avx2, Avx512};
use super::kernel::{InstructionSet, Kernel, for_each_instruction_set};
use super::products::Products;

/// Work that is compiled for each instruction set.
pub trait Work {
    type Output;

    /// Does the work. This and what it calls is `#[inline(always)]`, because a function is compiled for the instruction set
    /// only as part of its caller.
    fn run(self, products: impl Products) -> Self::Output;
}

impl Kernel {
    /// Does this work with the instructions of the kernel.
    #[inline(always)]
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            InstructionSet::Plain(plain) => work.run(plain),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(detected) => avx2(detected, work),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(detected) => avx512(detected, work),
            #[cfg(target_family = "wasm")]
            InstructionSet::Simd128(detected) => simd128(detected, work),
        }
    }
}

/// A function that does work with more features of the processor. Calling it is `unsafe`, because the processor must have
/// them: the argument of type `$Detected` is the proof that it does.
#[cfg(any(target_arch = "x86_64", target_family = "wasm"))]
macro_rules! compiled_for {
    ($name:ident, $Detected:ident, $($feature:tt),+) => {
        // A WebAssembly module that loads at all has them, so the call is safe there.
        #[cfg_attr(target_family = "wasm", allow(unused_unsafe))]
        #[allow(unsafe_code)]
        #[inline(always)]
        fn $name<W: Work>(detected: $Detected, work: W) -> W::Output {
            #[target_feature($(enable = $feature),+)]
            fn here<W: Work>(detected: $Detected, work: W) -> W::Output {
                work.run(detected)
            }
            // SAFETY: a proof exists only if this processor has these features.
            unsafe { here(detected, work) }
        }
    };
}
for_each_instruction_set!(compiled_for);
