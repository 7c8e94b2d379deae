//! Games written for other programs, as Piskvork's `.psq` and as SGF. [`gamefile`] reads both.

use super::game_log::{GameRecord, Reason};
use super::player::Fault;
use crate::output_file;
use anyhow::{Context, Result, ensure};
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;
use tengen::tools::gamefile::sgf::{self, Remarks};
use tengen::tools::gamefile::{self, Section};

/// A game as a Piskvork file.
pub fn psq(record: &GameRecord) -> String {
    let ms = |index: usize| {
        let is_move = index >= record.imposed();
        let ms = index.checked_sub(record.opening).filter(|_| is_move).and_then(|i| record.timing.ms.get(i));
        // Readers take a stone without time for one that was set.
        ms.map_or(0, |ms| ms.round().max(1.0) as u32)
    };
    let stones = record.stones().into_iter().enumerate().map(|(index, stone)| (stone, ms(index)));
    let names = [record.black.clone(), record.white.clone()];
    record.size().map(|size| gamefile::psq(size, stones, &names)).unwrap_or_default()
}

/// The file name of a game.
pub fn psq_name(record: &GameRecord) -> String {
    let plain = |name: &str| name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect::<String>();
    format!("{:06}_{}_{}.psq", record.game, plain(&record.black), plain(&record.white))
}

/// Writes a game into a folder as a Piskvork file.
///
/// # Errors
/// When the file cannot be written.
pub fn write_psq(folder: &Path, record: &GameRecord) -> Result<()> {
    let path = folder.join(psq_name(record));
    std::fs::write(&path, psq(record)).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes a game from such a folder.
///
/// # Errors
/// When the file is there and cannot be removed.
pub fn remove_psq(folder: &Path, record: &GameRecord) -> Result<()> {
    let path = folder.join(psq_name(record));
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Checks that the Piskvork files of a folder are these games: those of another match could have the same names.
///
/// # Errors
/// When there are others, or the folder cannot be read.
pub fn ensure_own_psq_folder(folder: &Path, games: &[GameRecord]) -> Result<()> {
    let ours: HashSet<String> = games.iter().map(psq_name).collect();
    let cannot = || format!("cannot read {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        let name = entry.with_context(cannot)?.file_name().to_string_lossy().into_owned();
        let is_ours = !name.to_ascii_lowercase().ends_with(".psq") || ours.contains(&name);
        ensure!(is_ours, "{} has games of another match: use another folder", folder.display());
    }
    Ok(())
}

/// Checks that an SGF file has only these games in it, each on a line as [`sgf()`] writes it. A kill may have cut the last line.
/// What is no plain file, such as `/dev/stdout`, has no games.
///
/// # Errors
/// When there are others, or the file cannot be read.
pub fn ensure_own_sgf(path: &Path, games: &[GameRecord]) -> Result<()> {
    if output_file::is_special(path) {
        return Ok(());
    }
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let ours: HashSet<Vec<u8>> = games.iter().map(|game| sgf(game).into_bytes()).collect();
    let is_ours =
        |line: &[u8]| ours.contains(line) || (!line.ends_with(b"\n") && ours.iter().any(|our| our.starts_with(line)));
    let all_ours = text.split_inclusive(|&byte| byte == b'\n').all(is_ours);
    ensure!(all_ours, "{} has games of another match: use another file", path.display());
    Ok(())
}

/// One game tree of an SGF collection, on a line; empty if the record is damaged.
pub fn sgf(record: &GameRecord) -> String {
    let (Some(size), Some(rule)) = (record.size(), record.rule()) else { return String::new() };
    let result = match record.result.as_str() {
        "1-0" => "B+",
        "0-1" => "W+",
        _ => "0",
    };
    let suffix = match record.reason {
        Reason::Fault(Fault::Timeout | Fault::Stall) => "T",
        Reason::Fault(_) | Reason::Forbidden => "F",
        _ => "",
    };
    let moves = record.stones();
    let (opening, imposed) = (record.opening.min(moves.len()), record.imposed().min(moves.len()));
    let properties = vec![
        ("AP", "tengen-match".to_owned()),
        ("GN", record.game.to_string()),
        ("PB", record.black.clone()),
        ("PW", record.white.clone()),
        ("RE", format!("{result}{suffix}")),
        sgf::imposed(imposed),
    ];
    let comments = std::iter::repeat_n(None, opening).chain(record.scores.iter().cloned()).collect();
    let section = Section { moves, ..Section::new() };
    let written = sgf::write(rule, size, &section, &Remarks { properties, comments });
    written.map(|text| text + "\n").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game_log::{Timing, sample};
    use tengen::base::Rule;

    fn record(width: usize, height: usize, moves: &str) -> GameRecord {
        let count = moves.chars().filter(char::is_ascii_alphabetic).count();
        GameRecord {
            game: 7,
            rule: 1,
            width,
            height,
            players: ["A]".to_owned(), "B\\".to_owned()],
            black: "A]".to_owned(),
            white: "B\\".to_owned(),
            opening: 2,
            moves: moves.to_owned(),
            result: "0-1".to_owned(),
            winner: Some("B\\".to_owned()),
            scores: (0..count - 2).map(|i| (i % 2 == 0).then(|| format!("[{i}]"))).collect(),
            depths: vec![None; count - 2],
            nodes: vec![None; count - 2],
            timing: Timing { ms: vec![1.5; count - 2], ..Timing::default() },
            ..sample()
        }
    }

    #[test]
    fn psq_reads_back() {
        let game = record(20, 15, "a1t15h8i9");
        let text = psq(&game);
        assert!(text.starts_with("Piskvorky 20x15, 0:0, 0\n1,1,0\n20,15,0\n8,8,2\n9,9,2\nA]\nB\\\n"), "{text}");
        let read = gamefile::parse(&text, None).unwrap();
        assert_eq!((read.size, read.moves()), (game.size().unwrap(), Some(&game.stones()[..])));
        assert_eq!(read.players, [Some("A]".to_owned()), Some("B\\".to_owned())]);
        assert_eq!(psq_name(&game), "000007_A__B_.psq");
    }

    /// Bug: in SGF, and after swap2 in both, the stones of the opening were read back as moves.
    #[test]
    fn the_end_of_the_opening_reads_back() {
        for (swap2, opening) in [(Vec::new(), 2), (vec![false, true], 4)] {
            let game = GameRecord { swap2, ..record(15, 15, "h8i9j10a1b1c1") };
            for text in [psq(&game), sgf(&game)] {
                assert_eq!(gamefile::parse(&text, None).unwrap().start.moves, opening, "{text}");
            }
        }
    }

    #[test]
    fn opening_longer_than_the_game_or_no_such_rule() {
        let game = GameRecord { opening: usize::MAX, ..record(15, 15, "h8i9a15") };
        let read = gamefile::parse(&sgf(&game), None).unwrap();
        assert_eq!(read.moves(), Some(&game.stones()[..]));
        assert_eq!(sgf(&GameRecord { rule: 16, ..game }), "");
    }

    /// Bug: on `--resume` the SGF file of another match was replaced.
    #[test]
    fn only_the_games_of_the_match_are_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sgf");
        let ours = [record(15, 15, "h8i9a15"), GameRecord { game: 8, ..record(15, 15, "h8i9a15") }];
        let is_ours = |text: &str| {
            std::fs::write(&path, text).unwrap();
            ensure_own_sgf(&path, &ours).is_ok()
        };
        let [first, second] = ours.each_ref().map(sgf);
        assert!(ensure_own_sgf(&folder.path().join("none"), &[]).is_ok());
        assert!(is_ours("") && is_ours(&(second.clone() + &first)));
        let cut = second.len() - 9;
        assert!(is_ours(&(first.clone() + &second[..cut])), "a kill has cut the last line");
        assert!(!is_ours(&(first.clone() + &second[..cut] + "\n")));
        assert!(!is_ours(&(first + &sgf(&record(15, 15, "h8i9a14")))));
    }

    #[test]
    fn sgf_reads_back() {
        for game in [record(15, 15, "h8i9a15"), record(22, 5, "v5a1k3")] {
            let text = sgf(&game);
            let read = gamefile::parse(&text, None).unwrap();
            assert_eq!((read.size, read.moves()), (game.size().unwrap(), Some(&game.stones()[..])), "{text}");
            assert_eq!((read.rule, read.players[0].as_deref()), (Some(Rule::Standard), Some("A]")));
        }
        let text = sgf(&record(15, 15, "h8i9a15"));
        assert!(text.contains("SZ[15]") && text.contains("PB[A\\]]PW[B\\\\]RE[W+]") && text.contains(";B[hh];W[ii]"));
    }
}
