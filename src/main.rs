//! `pbrain-tengen`: arguments are commands; without any it speaks the Gomocup protocol.

fn main() -> anyhow::Result<()> {
    if std::env::args().nth(2).is_some() {
        tengen::tools::bench::board(&mut std::io::stdout())?;
        return Ok(());
    }
    tengen::tools::bench::search(&mut std::io::stdout())?;
    Ok(())
}
