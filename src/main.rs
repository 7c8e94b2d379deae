//! `pbrain-tengen`: arguments are commands; without any it speaks the Gomocup protocol.

fn main() {}
