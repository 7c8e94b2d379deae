//! Files of records: every format, appending, damage, interruptions.

use super::*;
use crate::arena::openings::Opening;
use crate::data::packed_game::{Content, PackedPly};
use tengen::base::{Color, Point, Rule, Size};
use tengen::board::notation::parse_moves;

fn game(number: u64) -> PackedGame {
    let size = Size::new(20, 9).unwrap();
    let stones = parse_moves("a1t9h5", size).unwrap();
    let plies = parse_moves("h6h7i6", size).unwrap();
    let plies = plies.iter().enumerate().map(|(i, &played)| PackedPly {
        played,
        best: if i == 1 { Point::new(19, 0).unwrap() } else { played },
        score: [-29_990, 12, i16::MIN][i],
    });
    let opening = Opening { stones };
    let (content, rule, winner) = (Content::Game, Rule::Caro, Some(Color::White));
    PackedGame { content, number, rule, size, opening, plies: plies.collect(), winner }
}

/// Two labelled positions of the game with this number, then the game.
fn with_positions(number: u64) -> Vec<PackedGame> {
    let game = game(number);
    let position = |content, moves: usize, score| {
        let best = Point::new(9, 4).unwrap();
        let opening = Opening { stones: game.moves().take(moves).collect() };
        PackedGame { content, opening, plies: vec![PackedPly { played: best, best, score }], ..game.clone() }
    };
    vec![position(Content::Asked { root: 3 }, 5, -77), position(Content::Quiet, 4, 29_995), game.clone()]
}

#[test]
fn games_read_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let (mut writer, before) = Writer::append(&path, RecordFormat::Games, |_| Ok(())).unwrap();
    assert!(before.is_empty());
    for number in 0..3 {
        writer.write(&game(number)).unwrap();
    }
    drop(writer);
    let (_, games) = Writer::append(&path, RecordFormat::Games, |_| Ok(())).unwrap();
    assert_eq!(games, (0..3).map(game).collect::<Vec<_>>());
    let per_ply = (game(0).encode(RecordFormat::Games).len() + 8 - 16) / 3;
    assert!(per_ply <= 10, "{per_ply} bytes a ply");
}

#[test]
fn a_file_cut_off_anywhere_keeps_its_whole_games_and_takes_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let (mut writer, _) = Writer::append(&path, RecordFormat::Games, |_| Ok(())).unwrap();
    writer.write(&game(0)).unwrap();
    writer.write(&game(1)).unwrap();
    drop(writer);
    let bytes = std::fs::read(&path).unwrap();
    let second = MAGIC + (bytes.len() - MAGIC) / 2;
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let (mut writer, games) = Writer::append(&path, RecordFormat::Games, |_| Ok(())).unwrap();
        assert_eq!(games.len(), usize::from(length >= second), "cut at {length}");
        writer.write(&game(7)).unwrap();
        drop(writer);
        let (_, games) = Writer::append(&path, RecordFormat::Games, |_| Ok(())).unwrap();
        assert_eq!(games.last(), Some(&game(7)));
    }
}

#[test]
fn a_changed_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let mut writer = Writer::create(&path, RecordFormat::Games).unwrap();
    writer.write(&game(0)).unwrap();
    writer.write(&game(1)).unwrap();
    drop(writer);
    let bytes = std::fs::read(&path).unwrap();
    let whole = vec![game(0), game(1)];
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 0x10;
        std::fs::write(&path, &changed).unwrap();
        let games = Writer::append(&path, RecordFormat::Games, |_| Ok(())).map(|(_, games)| games).unwrap_or_default();
        assert!(games != whole && games.iter().all(|game| whole.contains(game)), "byte {index}");
    }
}

/// Bug: the fits of the evaluation did not say which file is damaged.
#[test]
fn an_error_names_the_damaged_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["whole", "damaged", "none"].map(|name| folder.path().join(name));
    for path in &paths[..2] {
        Writer::create(path, RecordFormat::Games).unwrap().write(&game(0)).unwrap();
    }
    let mut bytes = std::fs::read(&paths[1]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&paths[1], bytes).unwrap();
    let read: Vec<Result<PackedGame>> = records(&paths).collect();
    assert_eq!(read[0].as_ref().unwrap(), &game(0));
    for (record, path) in read[1..].iter().zip(&paths[1..]) {
        let error = format!("{:#}", record.as_ref().unwrap_err());
        assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
    }
    assert_eq!(read.len(), 3);
}

#[test]
fn positions_read_back_and_a_cut_file_keeps_whole_games_with_all_their_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("asked");
    let (mut writer, _) = Writer::append(&path, RecordFormat::Positions, |_| Ok(())).unwrap();
    let all: Vec<PackedGame> = (0..2).flat_map(with_positions).collect();
    for record in &all {
        writer.write(record).unwrap();
    }
    drop(writer);
    let (_, records) = Writer::append(&path, RecordFormat::Positions, |_| Ok(())).unwrap();
    assert_eq!(records, all);
    let bytes = std::fs::read(&path).unwrap();
    let half = MAGIC + (bytes.len() - MAGIC) / 2;
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let (_, records) = Writer::append(&path, RecordFormat::Positions, |_| Ok(())).unwrap();
        assert_eq!(records, all[..if length >= half { 3 } else { 0 }], "cut at {length}");
        let whole = if length >= half { half } else { MAGIC };
        assert_eq!(std::fs::metadata(&path).unwrap().len(), whole as u64);
    }
}

/// Bug: appending to a file of positions alone removed all of them.
#[test]
fn positions_without_their_games_are_not_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let mut writer = Writer::create(&path, RecordFormat::Positions).unwrap();
    for record in (0..2).flat_map(with_positions).filter(|record| !record.is_game()) {
        writer.write(&record).unwrap();
    }
    drop(writer);
    let before = std::fs::read(&path).unwrap();
    let error = Writer::append(&path, RecordFormat::Positions, |_| Ok(())).unwrap_err().to_string();
    assert!(error.contains("without their games"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn formats_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut writer = Writer::create(&path("games"), RecordFormat::Games).unwrap();
    assert!(writer.write(&with_positions(0)[0]).is_err());
    writer.write(&game(0)).unwrap();
    Writer::create(&path("positions"), RecordFormat::Positions).unwrap().write(&with_positions(0)[0]).unwrap();
    assert_eq!(Reader::open(&path("games")).unwrap().format(), RecordFormat::Games);
    let mut reader = Reader::open(&path("positions")).unwrap();
    assert_eq!(
        (reader.format(), reader.next().unwrap().unwrap()),
        (RecordFormat::Positions, with_positions(0)[0].clone())
    );
    assert!(Writer::append(&path("games"), RecordFormat::Positions, |_| Ok(())).is_err());
    assert!(Writer::append(&path("positions"), RecordFormat::Games, |_| Ok(())).is_err());
    let error = Reader::new(&b"TGREC4\r\n"[..]).unwrap_err().to_string();
    assert!(error.contains("does not know"), "{error}");
}

#[test]
fn packed_files_read_back_across_blocks_and_take_no_more_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed");
    let all: Vec<PackedGame> = (0..BLOCK as u64 / 2).flat_map(with_positions).collect();
    assert!(Writer::create(&path, RecordFormat::Packed).is_err() && !path.exists());
    let mut packer = Packer::default();
    for record in &all {
        packer.add(record.clone()).unwrap();
    }
    std::fs::write(&path, packer.finish().unwrap()).unwrap();
    assert_eq!(Reader::open(&path).unwrap().map(Result::unwrap).collect::<Vec<_>>(), all);
    let error = Writer::append(&path, RecordFormat::Games, |_| Ok(())).unwrap_err().to_string();
    assert!(error.contains("no game can be added"), "{error}");
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = bytes.len();
    // Bug: a packed file that was cut was read as one with fewer records.
    for length in [whole - 1, whole / 2, MAGIC + 5] {
        let read: Result<Vec<PackedGame>> = Reader::new(&bytes[..length]).unwrap().collect();
        assert!(read.unwrap_err().to_string().contains("the file is cut"), "{length}");
    }
    bytes[whole - 3] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let read: Vec<Result<PackedGame>> = Reader::open(&path).unwrap().collect();
    assert_eq!(read.len(), BLOCK + 1, "the first block and an error");
    assert!(read[BLOCK].is_err());
}

#[test]
fn a_position_with_two_labels_is_refused() {
    let mut position = with_positions(0).remove(0);
    let refused = |position: &PackedGame| {
        let bytes = position.encode(RecordFormat::Positions);
        PackedGame::decode(&bytes, RecordFormat::Positions).is_err()
    };
    assert!(!refused(&position));
    position.content = Content::Asked { root: 6 };
    assert!(refused(&position), "a root after the position");
    position.content = Content::Quiet;
    let point = Point::new(2, 2).unwrap();
    position.plies.push(PackedPly { played: point, best: point, score: 0 });
    assert!(refused(&position));
    position.plies.clear();
    assert!(refused(&position));
}
