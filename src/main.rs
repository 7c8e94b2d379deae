//! `pbrain-tengen`: arguments are commands; without any it speaks the Gomocup protocol.

fn main() -> anyhow::Result<()> {
    tengen::tools::bench::board(&mut std::io::stdout(), 200)
}
