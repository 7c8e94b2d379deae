//! Floor 1: the position.

pub mod shape;

pub use shape::{Foul, RealThree, Shape, Threat};
