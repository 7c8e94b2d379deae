//! Piskvork's files, read and written: a header, a line `x,y,ms` for each stone, the two names, a status. `x` and `y` count
//! from 1 at the upper left corner. The status does not tell who won.

use super::play_start::Evidence;
use super::sections::{GameFile, Recorder};
use crate::base::{Color, Point, Size};
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;

/// How the first line begins.
const HEADER: &str = "piskvorky";

/// Whether a text begins like such a file.
pub(super) fn is_psq(text: &str) -> bool {
    text.get(..HEADER.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(HEADER))
}

/// Reads a Piskvork file. Its header is `Piskvorky 15x15`, or `Piskvorky 15`, with further fields or without; old files have
/// no times.
///
/// # Errors
/// When the text is not such a file.
pub fn parse_psq(text: &str) -> Result<GameFile> {
    let lines = text.lines().map(str::trim).enumerate().map(|(index, line)| (index + 1, line));
    let mut lines = lines.skip_while(|(_, line)| line.is_empty());
    let (number, header) = lines.next().filter(|(_, line)| is_psq(line)).context("no Piskvorky header")?;
    let size = size_of(&header[HEADER.len()..]);
    let size =
        size.with_context(|| format!("line {number}: a board of 5 to 22 points a side expected in the header"))?;
    let mut record = Recorder::new(size);
    let mut evidence = Evidence::default();
    let mut players = [None, None];
    while let Some((number, line)) = lines.next() {
        let Some((x, y, ms)) = stone(line) else {
            let rest: Vec<&str> = lines.clone().map(|(_, line)| line).collect();
            // Where stones have times, two numbers are none: they may stand behind the names.
            let has_times = evidence.ms.iter().any(Option::is_some);
            let is_stone = |line: &&str| stone(line).is_some_and(|(_, _, ms)| ms.is_some() || !has_times);
            if line.is_empty() && rest.iter().find(|line| !line.is_empty()).is_some_and(is_stone) {
                continue;
            }
            let is_damaged = is_like_a_stone(line) || rest.iter().any(is_stone);
            ensure!(!is_damaged, "line {number}: '{line}' is not a stone: x,y,ms expected");
            let name = |line: &str| Some(line.to_owned()).filter(|name| !name.is_empty());
            players = [name(line), rest.first().copied().and_then(name)];
            break;
        };
        let point = x.checked_sub(1).zip(y.checked_sub(1)).and_then(|(x, y)| size.point(x, y));
        let Some(point) = point else { bail!("line {number}: {line}: off the board") };
        let color = Color::to_move_after(record.moves);
        record.play(color, point).with_context(|| format!("line {number}"))?;
        evidence.ms.push(ms.map(|ms| u32::try_from(ms.max(0)).unwrap_or(u32::MAX)));
    }
    Ok(GameFile { players, ..record.finish(evidence) })
}

/// The board of a header: `20x20, 11:11, 0`, `20 x 20`, `20`.
fn size_of(header: &str) -> Option<Size> {
    let board = header.trim_start().split(',').next().unwrap_or_default();
    let mut sides = board.split(['x', 'X', ' ', '\t']).filter(|word| !word.is_empty());
    let width = sides.next()?.parse().ok()?;
    let height = sides.next().map_or(Some(width), |side| side.parse().ok())?;
    Size::new(width, height)
}

/// The coordinates and the milliseconds of a line, unless it is no stone.
fn stone(line: &str) -> Option<(i64, i64, Option<i64>)> {
    let fields: Vec<i64> = line.split(',').map(|field| field.trim().parse()).collect::<Result<_, _>>().ok()?;
    match fields[..] {
        [x, y] => Some((x, y, None)),
        [x, y, ms] => Some((x, y, Some(ms))),
        _ => None,
    }
}

/// Whether a line that is no stone looks like a damaged one: a name may have commas and a number, too.
fn is_like_a_stone(line: &str) -> bool {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    fields.len() == 3 && fields.iter().filter(|field| field.parse::<i64>().is_ok()).count() >= 2
}

/// Writes a Piskvork file: the stones with their times in milliseconds, the names of black and white.
pub fn psq(size: Size, stones: impl Iterator<Item = (Point, u32)>, names: &[String; 2]) -> String {
    let mut text = format!("Piskvorky {size}, 0:0, 0\n");
    for (stone, ms) in stones {
        let _ = writeln!(text, "{},{},{ms}", stone.x() + 1, stone.y() + 1);
    }
    let _ = writeln!(text, "{}\n{}\n0", names[0], names[1]);
    text
}
