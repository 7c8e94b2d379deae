//! Door.
fn main() {}
