//! Games in the formats other programs read: Piskvork's `.psq` and SGF. Floor 6.

use super::record::GameRecord;
use crate::base::{Point, Size};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::path::Path;

/// A Piskvork file: a header, one `x,y,ms` line a stone counted from 1, the two names (black first), a status.
pub fn psq(record: &GameRecord) -> String {
    let mut text = format!("Piskvorky {}x{}, 0:0, 0\n", record.width, record.height);
    for (index, stone) in record.stones().into_iter().enumerate() {
        let ms = index.checked_sub(record.opening).and_then(|i| record.timing.ms.get(i)).copied().unwrap_or(0.0);
        let _ = writeln!(text, "{},{},{}", stone.x() + 1, stone.y() + 1, ms.round() as u32);
    }
    let _ = writeln!(text, "{}\n{}\n0", record.black, record.white);
    text
}

/// Reads the board and the stones of a Piskvork file.
///
/// # Errors
/// When it is none.
pub fn parse_psq(text: &str) -> Result<(Size, Vec<Point>)> {
    let mut lines = text.lines();
    let header = lines.next().and_then(|line| line.strip_prefix("Piskvorky ")).context("no Piskvorky header")?;
    let (width, rest) = header.split_once('x').context("no board size")?;
    let height = rest.split([',', ' ']).next().unwrap_or_default();
    let size = Size::new(width.trim().parse()?, height.parse()?).context("a board of another size")?;
    let mut stones = Vec::new();
    for line in lines {
        let fields: Vec<Option<i64>> = line.split(',').map(|field| field.trim().parse().ok()).collect();
        let [Some(x), Some(y), Some(_)] = fields[..] else { break };
        stones.push(
            size.point(x.saturating_sub(1), y.saturating_sub(1)).with_context(|| format!("{line}: off the board"))?,
        );
    }
    Ok((size, stones))
}

/// A name for the file of a game.
pub fn psq_name(record: &GameRecord) -> String {
    let plain = |name: &str| name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect::<String>();
    format!("{:06}_{}_{}.psq", record.game, plain(&record.black), plain(&record.white))
}

/// Writes a game into the folder.
///
/// # Errors
/// When it cannot be written.
pub fn write_psq(folder: &Path, record: &GameRecord) -> Result<()> {
    let path = folder.join(psq_name(record));
    std::fs::write(&path, psq(record)).with_context(|| format!("cannot write {}", path.display()))
}

/// One game tree of an SGF collection.
pub fn sgf(record: &GameRecord) -> String {
    let size = if record.width == record.height {
        record.width.to_string()
    } else {
        format!("{}:{}", record.width, record.height)
    };
    let result = match record.result.as_str() {
        "1-0" => "B+",
        "0-1" => "W+",
        _ => "0",
    };
    let result = match record.reason {
        super::record::Reason::Fault(super::player::Fault::Timeout | super::player::Fault::Stall) => {
            format!("{result}T")
        }
        super::record::Reason::Fault(_) | super::record::Reason::Forbidden => format!("{result}F"),
        _ => result.to_owned(),
    };
    let mut text = format!(
        "(;FF[4]GM[4]CA[UTF-8]AP[tengen-match]SZ[{size}]GN[{}]RU[{}]PB[{}]PW[{}]RE[{result}]",
        record.game,
        record.rule,
        escape(&record.black),
        escape(&record.white)
    );
    for (index, stone) in record.stones().into_iter().enumerate() {
        let letter = |coordinate: usize| char::from(b'a' + coordinate as u8);
        let color = if index.is_multiple_of(2) { 'B' } else { 'W' };
        let _ = write!(text, ";{color}[{}{}]", letter(stone.x()), letter(stone.y()));
        let score = index.checked_sub(record.opening).and_then(|i| record.scores.get(i)).and_then(Option::as_ref);
        if let Some(score) = score {
            let _ = write!(text, "C[{}]", escape(score));
        }
    }
    text + ")\n"
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// Reads the board and the stones of the first game of an SGF collection, as far as [`sgf`] writes them.
///
/// # Errors
/// When it is none.
pub fn parse_sgf(text: &str) -> Result<(Size, Vec<Point>)> {
    let mut size = None;
    let mut stones = Vec::new();
    for (key, value) in properties(text) {
        match key.as_str() {
            "SZ" => {
                // A second one would be for other stones than the first.
                ensure!(size.is_none(), "two board sizes");
                let (width, height) = value.split_once(':').unwrap_or((&value, &value));
                size = Size::new(width.parse()?, height.parse()?);
            }
            "B" | "W" => {
                let mut letters = value.bytes().map(|b| i64::from(b) - i64::from(b'a'));
                let (x, y) = (letters.next().context("no point")?, letters.next().context("no point")?);
                stones.push(size.and_then(|size| size.point(x, y)).context("off the board")?);
            }
            _ => {}
        }
    }
    Ok((size.context("no board size")?, stones))
}

/// All `KEY[value]` of the first game.
fn properties(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut key, mut value) = (String::new(), String::new());
    let (mut inside, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if inside && escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' if inside => escaped = true,
            ']' if inside => {
                found.push((std::mem::take(&mut key), std::mem::take(&mut value)));
                inside = false;
            }
            _ if inside => value.push(c),
            '[' => inside = true,
            ')' => break,
            'A'..='Z' => key.push(c),
            _ => key.clear(),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::arena::record::{Reason, Timing};

    fn record(width: usize, height: usize, moves: &str) -> GameRecord {
        let count = moves.chars().filter(char::is_ascii_alphabetic).count();
        GameRecord {
            match_id: String::new(),
            game: 7,
            rule: 1,
            width,
            height,
            players: ["A]".to_owned(), "B\\".to_owned()],
            black: "A]".to_owned(),
            white: "B\\".to_owned(),
            opening: 2,
            symmetry: 0,
            moves: moves.to_owned(),
            result: "0-1".to_owned(),
            winner: Some("B\\".to_owned()),
            reason: Reason::Five,
            note: String::new(),
            about: [String::new(), String::new()],
            scores: (0..count - 2).map(|i| (i % 2 == 0).then(|| format!("[{i}]"))).collect(),
            depths: vec![None; count - 2],
            nodes: vec![None; count - 2],
            timing: Timing { ms: vec![1.5; count - 2], overrun_ms: Vec::new(), nodes_ms: Vec::new() },
        }
    }

    #[test]
    fn psq_reads_back() {
        let game = record(20, 15, "a1t15h8i9");
        let text = psq(&game);
        assert!(text.starts_with("Piskvorky 20x15, 0:0, 0\n1,1,0\n20,15,0\n8,8,2\n9,9,2\nA]\nB\\\n"), "{text}");
        assert_eq!(parse_psq(&text).unwrap(), (game.size().unwrap(), game.stones()));
        assert_eq!(psq_name(&game), "000007_A__B_.psq");
        assert!(parse_psq("Gomoku 15x15").is_err());
        assert!(parse_psq("Piskvorky 15x15, 0\n16,1,0").is_err());
    }

    #[test]
    fn sgf_reads_back() {
        for game in [record(15, 15, "h8i9a15"), record(22, 5, "v5a1k3")] {
            let text = sgf(&game);
            assert_eq!(parse_sgf(&text).unwrap(), (game.size().unwrap(), game.stones()), "{text}");
        }
        let text = sgf(&record(15, 15, "h8i9a15"));
        assert!(text.contains("SZ[15]") && text.contains("PB[A\\]]PW[B\\\\]RE[W+]") && text.contains(";B[hh];W[ii]"));
    }
}
