//! `replay`: repeats a recorded session without a clock and compares the answers. Each search ends at the node at which it
//! ended when it was recorded.

use crate::base::clock::Instant;
use crate::protocol::assembler::Assembler;
use crate::protocol::session::{Flow, Session};
use crate::protocol::session_record::Record;
use crate::protocol::traffic::{Order, Stamp};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Repeats the session in the file `path` and prints a comparison to `out`.
///
/// # Errors
/// When the file is not a record, or an answer differs.
pub fn run(path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let record = Record::parse(&text)
        .map_err(|line| anyhow::anyhow!("{}: not a recorded session, or damaged (line {line})", path.display()))?;
    writeln!(out, "recorded by {}", record.maker)?;
    if record.maker.split(' ').next() != Some(env!("CARGO_PKG_VERSION")) {
        writeln!(out, "this is version {}: answers may differ", env!("CARGO_PKG_VERSION"))?;
    }
    if record.threads > 1 {
        writeln!(out, "it searched with {} threads: answers may differ", record.threads)?;
    }
    let repeated = repeat(&record)?;
    let mut different = 0;
    for (number, then) in record.said.iter().enumerate() {
        let now = repeated.get(number).map(String::as_str);
        match (then, now) {
            (None, _) => writeln!(out, "{:4}  not sent when recorded", number + 1)?,
            (Some(then), Some(now)) if then == now => writeln!(out, "{:4}  equal  {now}", number + 1)?,
            (Some(then), now) => {
                different += 1;
                writeln!(out, "{:4}  DIFFERENT  {then} recorded, {} now", number + 1, now.unwrap_or("nothing"))?;
            }
        }
    }
    let unanswered = repeated.len().saturating_sub(record.said.len());
    if unanswered > 0 {
        writeln!(out, "{unanswered} more lines after the end of the record")?;
    }
    if different > 0 {
        bail!("{different} of {} answers differ", record.said.len());
    }
    writeln!(out, "all {} answers are equal", record.said.len())?;
    Ok(())
}

/// The lines that the repeated session sends.
fn repeat(record: &Record) -> anyhow::Result<Vec<String>> {
    let mut session = Session::repeating(std::io::sink(), record);
    let mut assembler = Assembler::default();
    let commands = record.heard.iter().filter_map(|line| assembler.line(line));
    for (command, seq) in commands.zip(1..) {
        let order = Order { seq, stamp: Stamp { at: Instant::now(), listened: Duration::ZERO }, command };
        if session.handle(&order)? == Flow::End {
            break;
        }
    }
    Ok(session.take_replies())
}
