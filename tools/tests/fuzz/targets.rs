//! The fuzzing targets. A target takes any bytes and panics if a property does not hold. Used by `tools/tests/fuzz.rs` and by
//! the programs in `fuzz/`.

use super::conversation::Conversation;
use std::collections::HashSet;
use std::io::{self, Read};
use std::time::{Duration, Instant};
use tengen::base::{Cell, Point, Rule, Size};
use tengen::board::notation;
use tengen::engine::Engine;
use tengen::engine::database::Database;
use tengen::protocol::assembler::Assembler;
use tengen::protocol::command::Command;
use tengen::protocol::input;
use tengen::protocol::queue;
use tengen::protocol::session_record::Record;
use tengen::protocol::traffic::{Order, Traffic};
use tengen::tools::gamefile::sgf::Remarks;
use tengen::tools::gamefile::{self, GameFile};
use tengen::tools::{positions, solve_input, verify};
use tengen_tools::arena::openings::Opening;
use tengen_tools::arena::thought::Thought;
use tengen_tools::arena::{export, game_log::GameRecord};
use tengen_tools::data::record_file;
use tengen_tools::review::charset;

/// A target with its name.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 11] = [
    ("protocol", protocol),
    ("positions", positions_file),
    ("proofs", proofs),
    ("match-records", match_records),
    ("psq-sgf", psq_and_sgf),
    ("openings", openings),
    ("training-records", training_records),
    ("messages", messages),
    ("databases", databases),
    ("hash-files", hash_files),
    ("session-records", session_records),
];

/// Reads its bytes in pieces whose sizes depend on the bytes.
struct Pieces<'a>(&'a [u8]);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.0.first().map_or(0, |&byte| 1 + usize::from(byte) % 23).min(self.0.len()).min(buffer.len());
        buffer[..piece].copy_from_slice(&self.0[..piece]);
        self.0 = &self.0[piece..];
        Ok(piece)
    }
}

fn heard(input: impl Read) -> Vec<Order> {
    let (sender, orders) = queue::queue();
    input::listen(input, Instant::now(), &Traffic::default(), &sender);
    drop(sender);
    std::iter::from_fn(|| orders.recv().ok()).collect()
}

/// Input of a manager: nothing panics, each command that thinks gets one answer, each answer is a legal line, the position stays
/// valid, and refused commands change nothing.
fn protocol(bytes: &[u8]) {
    let orders = heard(Pieces(bytes));
    let whole = heard(bytes);
    assert!(orders.iter().map(|o| &o.command).eq(whole.iter().map(|o| &o.command)), "cut otherwise, heard otherwise");
    let (last, before) = orders.split_last().expect("the end is an order");
    assert_eq!(last.command, Command::End);

    let mut talk = Conversation::new();
    for order in before {
        assert_ne!(order.command, Command::End, "nothing comes after the end");
        if order.command.thinks() {
            // Makes every search short, with little memory.
            for guard in ["INFO timeout_turn 0", "INFO hash_size 1024", "INFO thread_num 1", "INFO max_node 50"] {
                say_nothing(&mut talk, guard);
            }
        }
        obey(&mut talk, &order.command);
    }
    // The brain still plays.
    for guard in ["INFO timeout_turn 0", "INFO hash_size 1024", "INFO thread_num 1", "YXBLOCKRESET"] {
        say_nothing(&mut talk, guard);
    }
    assert_eq!(talk.say("START 9"), ["OK"]);
    assert_eq!(obey(&mut talk, &Command::Begin).len(), 1);
}

fn say_nothing(talk: &mut Conversation, line: &str) {
    assert_eq!(talk.say(line), [""; 0], "{line}");
}

/// Executes a command; returns the answer without messages.
fn obey(talk: &mut Conversation, command: &Command) -> Vec<String> {
    let stones_before = talk.stones();
    let said = talk.obey(command.clone());
    for line in &said {
        assert!(is_line(line), "{command:?}: {line:?}");
    }
    // Some commands are answered by messages.
    let is_answered = !said.is_empty();
    let answer: Vec<String> = said.into_iter().filter(|line| !line.starts_with("MESSAGE ")).collect();
    let (size, stones) = (talk.engine().size(), talk.stones());
    let distinct: HashSet<Point> = stones.iter().map(|&(point, _)| point).collect();
    assert_eq!(distinct.len(), stones.len(), "{command:?}: two stones on one point");
    assert!(distinct.iter().all(|&point| size.contains(point)), "{command:?}: a stone off the board");
    assert!(answer.len() <= 1, "{command:?}: {answer:?}");
    if matches!(command, Command::Swap2Step(_) | Command::Soosorv { .. }) {
        assert!(is_answered, "{command:?}");
    } else if command.thinks() {
        assert_eq!(answer.len(), 1, "{command:?}");
    }
    if matches!(command, Command::Info(_)) {
        assert_eq!(answer, [""; 0], "{command:?}");
    }
    if let Some(line) = answer.first() {
        assert!(!line.starts_with("ERROR internal"), "{command:?}: {line}");
        let refused = line.starts_with("ERROR ") || line.starts_with("UNKNOWN ");
        // A TURN on the last empty point is played but cannot be answered.
        if refused && !line.contains("no legal move") {
            assert_eq!(stones, stones_before, "{command:?} was refused");
        }
        if matches!(command, Command::Begin | Command::Turn(_) | Command::Board(_)) && !refused {
            let (point, _) = stones.last().expect("the move was played");
            assert_eq!(*line, point.to_string(), "{command:?}");
            assert!(stones_before.iter().all(|(other, _)| other != point) || matches!(command, Command::Board(_)));
        }
    }
    answer
}

/// Whether a line is one that managers understand: printable and of a known kind.
fn is_line(line: &str) -> bool {
    let word = line.split([' ', '=']).next().unwrap_or_default();
    let known = ["OK", "ERROR", "UNKNOWN", "MESSAGE", "FORBID", "SWAP", "name", "DATABASE"].contains(&word);
    let points = line.split(' ').all(|pair| {
        let number = |text: &str| !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
        pair.split_once(',').is_some_and(|(x, y)| number(x) && number(y))
    });
    line.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) && (known || points)
}

/// Files of positions: accepted positions are valid.
fn positions_file(bytes: &[u8]) {
    let Ok(read) = positions::parse(&String::from_utf8_lossy(bytes)) else { return };
    for position in read.iter().take(50) {
        let board = position.board();
        assert_eq!(board.side(), position.side());
        assert!(position.moves.iter().all(|&point| position.size.contains(point)));
    }
}

/// Files of proofs: the check ends without a panic.
fn proofs(bytes: &[u8]) {
    let Ok(claims) = verify::parse(&String::from_utf8_lossy(bytes)) else { return };
    for claim in claims.iter().take(20) {
        // A damaged proof fails with a reason, or still holds if the damage does not matter.
        if let Err(error) = claim.verify(false) {
            assert!(!error.to_string().is_empty());
        }
    }
}

/// Records of matches: accepted records can be written in every format and read again.
fn match_records(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n').take(50) {
        let Ok(record) = serde_json::from_slice::<GameRecord>(line) else { continue };
        let stones = record.stones();
        let (psq, sgf) = (export::psq(&record), export::sgf(&record));
        // A name with commas may look like a stone in a Piskvork file.
        let is_plain = ![&record.black, &record.white].iter().any(|name| name.contains(','));
        if let Some(size) = record.size()
            && is_plain
            && record.rule().is_some()
            && GameFile::of_moves(size, &stones).is_ok()
            && !stones.is_empty()
        {
            let again = gamefile::parse_psq(&psq).expect("what we write is a .psq file");
            assert_eq!(again.moves(), Some(&stones[..]), "{psq}");
            let again = gamefile::sgf::parse(&sgf).expect("what we write is an SGF file");
            assert_eq!(again.moves(), Some(&stones[..]), "{sgf}");
        }
        for index in [0, 1, usize::MAX] {
            assert!(record.mover(index) < 2);
        }
        assert!(record.half_points("x") <= 2 && !export::psq_name(&record).contains(['/', '\\']));
        let text = serde_json::to_string(&record).expect("a record can be written");
        let read: GameRecord = serde_json::from_str(&text).expect("what was written can be read");
        assert_eq!(read.moves, record.moves);
    }
}

/// Games in all formats that are read: the stones of accepted games are on the board, and what is refused is refused in one
/// line.
fn psq_and_sgf(bytes: &[u8]) {
    let text = gamefile::decode(bytes);
    let collection = gamefile::sgf::games(&text);
    assert!(collection.iter().map(|game| game.text.len()).sum::<usize>() <= text.len());
    assert!(collection.iter().all(|game| game.line <= text.lines().count()));
    let all = gamefile::read_all(bytes, None, charset::decode);
    assert!(!all.is_empty());
    for error in all.iter().filter_map(|game| game.as_ref().err()) {
        assert!(!error.to_string().contains('\n'), "{error:?}");
    }
    let _ = solve_input::read(bytes, None);
    for game in [gamefile::parse_psq(&text), gamefile::sgf::parse(&text)].into_iter().chain(all).flatten() {
        // Whatever is imposed, the final position and the number of moves are the same.
        let imposed = game.clone().impose(bytes.len() % 7);
        let moves = |game: &GameFile| game.imposed + game.sections().map(|part| part.moves.len()).sum::<usize>();
        assert_eq!((imposed.last.cells(), moves(&imposed)), (game.last.cells(), moves(&game)));
        assert!(game.start.moves <= moves(&game) && game.ms.len() <= moves(&game));
        let remarks = game.remarks(None);
        assert!(!remarks.is_empty() && remarks.iter().all(|remark| !remark.contains('\n')), "{remarks:?}");
        for section in game.sections() {
            let cells = section.cells();
            assert!(cells.iter().all(|&(point, cell)| game.size.contains(point) && cell != Cell::Empty));
            let distinct: HashSet<Point> = cells.iter().map(|&(point, _)| point).collect();
            assert_eq!(distinct.len(), cells.len());
            let remarks = Remarks::default();
            if let Ok(written) = gamefile::sgf::write(Rule::Freestyle, game.size, section, &remarks) {
                let again = gamefile::sgf::parse(&written).expect("what we write is an SGF file");
                assert_eq!((again.size, again.last.moves), (game.size, section.moves.clone()), "{written}");
            }
        }
    }
}

/// Openings, move strings and diagrams, on a small, a rectangular and a large board.
fn openings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = notation::parse_diagram(&text);
    for (width, height) in [(5, 5), (15, 20), (22, 22)] {
        let size = Size::new(width, height).expect("a legal size");
        for line in text.lines().take(50) {
            if let Some(moves) = notation::parse_moves(line, size) {
                let again: String = moves.iter().map(|&point| notation::name(point)).collect();
                assert_eq!(notation::parse_moves(&again, size), Some(moves));
            }
            let Ok(opening) = Opening::parse(line, size) else { continue };
            assert!(opening.stones.iter().all(|&point| size.contains(point)));
            assert_eq!(Opening::parse(&opening.text(), size).map(|again| again.text()).ok(), Some(opening.text()));
        }
    }
}

/// Files of training games: the bytes as a file, and the bytes as games with correct checksums.
fn training_records(bytes: &[u8]) {
    let with_checksums = |magic: &[u8]| {
        let mut file = magic.to_vec();
        for game in bytes.split(|&byte| byte == b'\n').take(20) {
            file.extend((game.len() as u32).to_le_bytes());
            file.extend(crc32fast::hash(game).to_le_bytes());
            file.extend(game);
        }
        file
    };
    for file in [bytes, &with_checksums(b"TGREC1\r\n"), &with_checksums(b"TGREC2\r\n")] {
        let Ok(reader) = record_file::Reader::new(file) else { continue };
        for game in reader.map_while(Result::ok) {
            assert!(game.moves().all(|point| game.size.contains(point)));
            assert!(game.is_game() || game.plies.len() == 1);
            assert!(Rule::ALL.contains(&game.rule) && (0.0..=1.0).contains(&game.points(tengen::base::Color::Black)));
        }
    }
}

/// Messages of other brains, and single lines for the assembler.
fn messages(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (mut thought, mut assembler) = (Thought::default(), Assembler::default());
    for line in text.lines().take(200) {
        thought.hear(line, Duration::from_millis(7));
        thought.finish(Duration::from_millis(9));
        if let Some(command) = assembler.line(line.trim().as_bytes()) {
            assert!(!(command.is_yixin() && command == Command::End));
        }
    }
    assert!(thought.score.is_none_or(|score| !score.contains(' ')));
}

/// Databases: an accepted database can be written, and is the same when it is read again.
fn databases(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (path, copy) = (folder.path().join("database"), folder.path().join("copy"));
    std::fs::write(&path, bytes).expect("a file can be written");
    let Ok(mut database) = Database::open(&path) else { return };
    database.write(&copy).expect("a copy can be written");
    assert_eq!(Database::open(&copy).map(|copy| copy.len()).ok(), Some(database.len()), "the copy is another database");
    let count = database.len();
    assert!(database.merge(&copy).is_ok() && database.len() == count, "a copy holds nothing new");
    let positions = folder.path().join("positions");
    database.write_positions(&positions).expect("positions can be written");
    let lines = std::fs::read_to_string(&positions).expect("positions are text").lines().count();
    assert!(lines <= database.len(), "a line for each position");
}

/// Files of the hash table: loaded or refused without a panic.
fn hash_files(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hash");
    std::fs::write(&path, bytes).expect("a file can be written");
    let mut engine = Engine::new();
    engine.options_mut().hash_size = Some(1 << 20);
    if let Ok(count) = engine.load_hash(&path) {
        assert!(count <= bytes.len() as u64 / 16);
    }
}

/// Recorded sessions: read or refused without a panic.
fn session_records(bytes: &[u8]) {
    if let Ok(record) = Record::parse(&String::from_utf8_lossy(bytes)) {
        assert!(record.searches.iter().flatten().count() <= bytes.len());
    }
}
