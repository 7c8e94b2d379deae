//! Floor 6: tools around the engine.

pub mod bench;
