//! The instruction sets that the network's loops are compiled for.

use arrayvec::ArrayVec;

/// The instruction set that the network's loops are compiled for. All kernels compute the same numbers.
///
/// A value exists only for what this processor supports: kernels come from [`Kernel::usable`] and [`Kernel::best`].
///
/// ```
/// use std::sync::Arc;
/// use tengen::board::Board;
/// use tengen::eval::network::{Accumulator, Kernel, Network};
/// # fn accumulator(network: Arc<Network>, board: &Board) -> Accumulator {
/// Accumulator::new(network, board, Kernel::best())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(pub(super) InstructionSet);

/// The instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstructionSet {
    /// For every processor.
    Plain(Plain),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 with VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// SIMD128 of WebAssembly.
    #[cfg(target_family = "wasm")]
    Simd128(Simd128),
}

impl Kernel {
    /// All kernels that this processor supports, the fastest one last.
    pub fn usable() -> ArrayVec<Kernel, 3> {
        let mut usable = ArrayVec::new();
        usable.push(Kernel(InstructionSet::Plain(Plain)));
        #[cfg(target_arch = "x86_64")]
        {
            usable.extend(Avx2::detect().map(|detected| Kernel(InstructionSet::Avx2(detected))));
            usable.extend(Avx512::detect().map(|detected| Kernel(InstructionSet::Avx512(detected))));
        }
        #[cfg(target_family = "wasm")]
        usable.extend(Simd128::detect().map(|detected| Kernel(InstructionSet::Simd128(detected))));
        usable
    }

    /// The fastest kernel that this processor supports.
    pub fn best() -> Kernel {
        Kernel::usable().pop().unwrap_or(Kernel(InstructionSet::Plain(Plain)))
    }
}

/// The instructions that every processor of the target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plain;

#[cfg(target_arch = "x86_64")]
macro_rules! has_feature {
    ($feature:tt) => {
        std::arch::is_x86_feature_detected!($feature)
    };
}

/// A module with such instructions is refused as a whole where the browser lacks them.
#[cfg(target_family = "wasm")]
macro_rules! has_feature {
    ($feature:tt) => {
        true
    };
}

/// Calls `$call!(name, proof, features)` for each instruction set but the plain one, each with its features.
macro_rules! for_each_instruction_set {
    ($call:ident) => {
        #[cfg(target_arch = "x86_64")]
        $call!(avx2, Avx2, "avx2", "bmi2");
        #[cfg(target_arch = "x86_64")]
        $call!(avx512, Avx512, "avx2", "bmi2", "avx512bw", "avx512vl", "avx512vnni");
        #[cfg(target_family = "wasm")]
        $call!(simd128, Simd128, "simd128");
    };
}
pub(super) use for_each_instruction_set;

/// A proof that this processor has all these features: only `detect` creates one, after checking each of them.
#[cfg(any(target_arch = "x86_64", target_family = "wasm"))]
macro_rules! proof {
    ($module:ident, $name:ident, $($feature:tt),+) => {
        #[doc = concat!("Proof that this processor has these features:", $(" ", $feature),+)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) struct $name(());

        impl $name {
            fn detect() -> Option<$name> {
                let has_all = $(has_feature!($feature))&&+;
                has_all.then_some($name(()))
            }
        }
    };
}
for_each_instruction_set!(proof);
