//! The hash table as a file, to continue a long analysis later.
//!
//! The file holds a line with the format and the version of the engine, the number of entries, each entry as two words,
//! and a checksum. Numbers have eight bytes, little-endian. Scores of another version may mean something else, so its
//! files are refused, and so are damaged files and files with an entry that no table can hold.
//!
//! A correct checksum proves nothing about the game. A score from a file is an estimate or a claim: a win or a loss is
//! announced only after the search has proven it again along the moves in the file (`search/reprove.rs`).

use super::Engine;
use super::files;
use crate::base::hash::Checksum;
use crate::search::TranspositionTable;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

const HEADER: &str = concat!("tengen-hash 1 ", env!("CARGO_PKG_VERSION"), "\n");
/// How the file of any version begins.
const KIND: &[u8] = b"tengen-hash ";
/// Bytes of an entry.
const ENTRY: usize = 16;

/// Why a hash file cannot be read.
#[derive(Debug)]
pub enum HashFileError {
    /// The file system reports an error.
    Io(io::Error),
    /// Not a hash file, or one of another version.
    Foreign,
    /// Truncated or modified.
    Damaged,
}

impl fmt::Display for HashFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HashFileError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("damaged hash file")
            }
            HashFileError::Io(error) => write!(f, "{error}"),
            HashFileError::Foreign => f.write_str("not a hash file of this version"),
            HashFileError::Damaged => f.write_str("damaged hash file"),
        }
    }
}

impl std::error::Error for HashFileError {}

impl From<io::Error> for HashFileError {
    fn from(error: io::Error) -> HashFileError {
        HashFileError::Io(error)
    }
}

impl Engine {
    /// Writes the table to a file; returns the number of entries.
    ///
    /// # Errors
    /// The file cannot be written, or exists and is no hash file; it then stays.
    pub fn dump_hash(&mut self, path: &Path) -> io::Result<u64> {
        files::expect_kind(path, "a hash file", |begin, _| begin.starts_with(KIND))?;
        let table = self.table_mut();
        let count = table.entries().count() as u64;
        files::replace(path, |out| {
            let mut checksum = Checksum::new();
            out.write_all(HEADER.as_bytes())?;
            out.write_all(&count.to_le_bytes())?;
            for (key, data) in table.entries() {
                let bytes = words(key, data);
                checksum.add(&bytes);
                out.write_all(&bytes)?;
            }
            out.write_all(&checksum.value().to_le_bytes())
        })?;
        Ok(count)
    }

    /// Adds the entries of a file to the table, as far as there is room; returns the number of entries in the file.
    ///
    /// # Errors
    /// The file cannot be read or is refused. The table then stays as it was, unless the file changed between the two times
    /// that it is read.
    pub fn load_hash(&mut self, path: &Path) -> Result<u64, HashFileError> {
        // The first pass checks the file, the second adds it: it may be too large to keep it in memory between.
        read(path, |_, _| {})?;
        self.fit_memory();
        let table = self.table_mut();
        read(path, |key, data| table.restore(key, data))
    }
}

/// An entry as it stands in the file.
fn words(key: u64, data: u64) -> [u8; ENTRY] {
    let mut bytes = [0; ENTRY];
    bytes[..8].copy_from_slice(&key.to_le_bytes());
    bytes[8..].copy_from_slice(&data.to_le_bytes());
    bytes
}

fn read(path: &Path, mut take: impl FnMut(u64, u64)) -> Result<u64, HashFileError> {
    let mut file = files::open(path)?;
    let mut header = vec![0; HEADER.len()];
    file.read_exact(&mut header).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => HashFileError::Foreign,
        _ => error.into(),
    })?;
    if header != HEADER.as_bytes() {
        return Err(HashFileError::Foreign);
    }
    let count = read_word(&mut file)?;
    let mut checksum = Checksum::new();
    for _ in 0..count {
        let (key, data) = (read_word(&mut file)?, read_word(&mut file)?);
        checksum.add(&words(key, data));
        if !TranspositionTable::is_valid_entry(data) {
            return Err(HashFileError::Damaged);
        }
        take(key, data);
    }
    let is_whole = read_word(&mut file)? == checksum.value() && file.read(&mut [0])? == 0;
    if is_whole { Ok(count) } else { Err(HashFileError::Damaged) }
}

fn read_word(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Color, Ply, Point, Rule, Score};
    use crate::board::{NullObserver, notation};
    use crate::search::tt::{Bound, TtEntry};
    use crate::search::{Iteration, NullSink, ReportSink, SearchControl, SearchLimits};
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use std::path::PathBuf;
    use tempfile::TempDir;

    fn think(engine: &mut Engine) -> u64 {
        let control = SearchControl::default();
        control.begin(SearchLimits { depth: Some(10), ..SearchLimits::default() });
        engine.think(&control, &mut NullSink).last.nodes
    }

    fn engine() -> Engine {
        engine_after("h8i9h9h10")
    }

    fn engine_after(moves: &str) -> Engine {
        let mut engine = Engine::new();
        engine.options_mut().hash_size = Some(4 << 20);
        for point in notation::parse_moves(moves, engine.size()).unwrap() {
            engine.play(point).unwrap();
        }
        engine
    }

    /// A folder, a file in it with the table of a search, and the content of that file.
    fn dumped() -> (TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hash");
        let mut engine = engine();
        think(&mut engine);
        engine.dump_hash(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        (folder, path, whole)
    }

    /// Bug: `YXHASHDUMP` wrote over any plain file.
    #[test]
    fn a_file_that_is_no_hash_file_is_not_replaced() {
        let (folder, path, whole) = dumped();
        let other = folder.path().join("other");
        for foreign in ["my notes\n", "tengen-database 1\nend 0 0000000000000000\n", "\0", "tengen-hash"] {
            std::fs::write(&other, foreign).unwrap();
            let refusal = engine().dump_hash(&other).unwrap_err().to_string();
            assert_eq!(refusal, "the file exists and is not a hash file");
            assert_eq!(std::fs::read_to_string(&other).unwrap(), foreign);
        }
        for replaced in [&b""[..], b"tengen-hash 1 0.1.0\n...", &whole[..40], &whole] {
            std::fs::write(&path, replaced).unwrap();
            assert_eq!(engine().dump_hash(&path).unwrap(), 0);
        }
    }

    #[test]
    fn a_loaded_table_saves_nodes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hash");
        // By half only together: in a single position the second search may follow another line.
        let (mut all_fresh, mut all_warm) = (0, 0);
        let positions = "h8i9h9h10 h8i9g9i7i8 h8h9j10j9i9g7 h8i8h10g9 h8h9i10g8i7 h8g9i9g7g8 h8i7j9i9 h8j8i10h10g9";
        for moves in positions.split(' ') {
            let mut first = engine_after(moves);
            let fresh = think(&mut first);
            let count = first.dump_hash(&path).unwrap();
            assert!(count > 100, "{count}");
            let mut second = engine_after(moves);
            assert_eq!(second.load_hash(&path).unwrap(), count);
            let warm = think(&mut second);
            assert!(warm < fresh, "{moves}: {warm} nodes with the table, {fresh} without");
            (all_fresh, all_warm) = (all_fresh + fresh, all_warm + warm);
        }
        assert!(all_warm < all_fresh / 2, "{all_warm} nodes with the table, {all_fresh} without");
    }

    #[test]
    fn a_damaged_file_is_refused_and_changes_nothing() {
        let (folder, path, whole) = dumped();
        let mut spoiled = whole.clone();
        spoiled[whole.len() / 2] ^= 1;
        let cases: [&[u8]; 6] = [&whole[..whole.len() - 1], &spoiled, b"", b"tengen-hash 0", &whole[..30], &[0; 99]];
        for bad in cases {
            std::fs::write(&path, bad).unwrap();
            let mut second = engine();
            assert!(second.load_hash(&path).is_err());
            assert_eq!(second.dump_hash(&folder.path().join("other")).unwrap(), 0);
        }
        assert!(matches!(engine().load_hash(&folder.path().join("none")), Err(HashFileError::Io(_))));
    }

    /// Writes a file with the claim that the position, and those after each move and a reply, are won or lost.
    fn write_claims(path: &Path, mut forger: Engine, score: Score) {
        forger.fit_memory();
        let entry = |score, best| TtEntry { score, bound: Bound::Exact, depth: 20, best, eval: None, was_pv: false };
        let mut board = forger.board();
        let empty: Vec<Point> = board.size().points().filter(|&point| board.is_empty(point)).collect();
        forger.table.store(board.key(), Ply::ROOT, entry(score, empty.get(80).copied()));
        for &first in &empty {
            board.play(first, &mut NullObserver);
            forger.table.store(board.key(), Ply::ROOT, entry(-score, empty.get(81).copied()));
            let reply = if first == empty[81] { empty[82] } else { empty[81] };
            board.play(reply, &mut NullObserver);
            forger.table.store(board.key(), Ply::ROOT, entry(score, empty.get(83).copied()));
            board.undo(&mut NullObserver);
            board.undo(&mut NullObserver);
        }
        assert!(forger.dump_hash(path).unwrap() > 100);
    }

    /// Collects the decisive scores that are reported.
    #[derive(Default)]
    struct Claims(Vec<Score>);

    impl ReportSink for Claims {
        fn iteration(&mut self, iteration: &Iteration) {
            self.0.extend(Some(iteration.score).filter(|score| score.is_decisive()));
        }
    }

    #[test]
    fn a_result_claimed_by_a_file_is_not_announced_without_a_proof() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hash");
        for score in [Score::win_in(Ply::ROOT, 3), Score::win_in(Ply::ROOT, 31), Score::loss_in(Ply::ROOT, 4)] {
            write_claims(&path, engine(), score);
            for (lines, threads, begun) in [(1, 1, false), (1, 1, true), (3, 1, false), (3, 1, true), (1, 2, false)] {
                let mut engine = engine();
                engine.options_mut().threads = threads;
                if begun {
                    think(&mut engine);
                }
                engine.load_hash(&path).unwrap();
                let control = SearchControl::default();
                control.begin(SearchLimits { nodes: Some(5_000), ..SearchLimits::default() });
                let mut claims = Claims::default();
                let report = match lines {
                    1 => engine.think(&control, &mut claims),
                    _ => engine.analyse(lines, &control, &mut claims),
                };
                claims.0.extend(report.lines.iter().map(|line| line.score).filter(|score| score.is_decisive()));
                assert!(report.last.depth > 0 && !report.last.score.is_decisive(), "{score}: {:?}", report.last);
                assert!(claims.0.is_empty(), "{score}: {:?}", claims.0);
            }
        }
    }

    /// The score of a search with this many nodes.
    fn outcome(engine: &mut Engine, nodes: u64) -> Score {
        engine.think_nodes(nodes).last.score
    }

    /// In positions full of threats some claims are true: what is announced must be what a search without them finds.
    #[test]
    fn false_claims_in_positions_full_of_threats_are_not_announced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hash");
        let mut random = SmallRng::seed_from_u64(3);
        let mut decided = 0;
        let count = if tengen_amount::at_length() { 150 } else { 50 };
        for number in 0..count {
            let position = || Engine { rule: Rule::ALL[number % Rule::ALL.len()], ..engine() };
            let mut stones = Vec::new();
            while stones.len() < 12 {
                let point = Point::new(random.random_range(4..11), random.random_range(4..11)).unwrap();
                if stones.iter().all(|&(other, _)| other != point) {
                    stones.push((point, Color::to_move_after(stones.len()).into()));
                }
            }
            let [mut forger, mut fooled, mut fresh] = [position(), position(), position()];
            for engine in [&mut forger, &mut fooled, &mut fresh] {
                engine.set_position(&stones, Color::Black).unwrap();
            }
            let score = if number % 2 == 0 { Score::win_in(Ply::ROOT, 5) } else { Score::loss_in(Ply::ROOT, 6) };
            write_claims(&path, forger, score);
            fooled.load_hash(&path).unwrap();
            let announced = outcome(&mut fooled, 3_000);
            if announced.is_decisive() {
                decided += 1;
                let found = outcome(&mut fresh, 60_000);
                assert!(found.is_win() == announced.is_win() && found.is_decisive(), "{announced}, {found}");
            }
        }
        assert!(decided > 2 * count / 15, "{decided}");
    }

    /// The file with another data word in its first entry and a checksum to match.
    fn with_word(whole: &[u8], change: impl Fn(u64) -> u64) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        let first = HEADER.len() + ENTRY;
        let word = u64::from_le_bytes(bytes[first..first + 8].try_into().unwrap());
        bytes[first..first + 8].copy_from_slice(&change(word).to_le_bytes());
        let end = bytes.len() - 8;
        let mut checksum = Checksum::new();
        bytes[HEADER.len() + 8..end].chunks_exact(ENTRY).for_each(|entry| checksum.add(entry));
        bytes[end..].copy_from_slice(&checksum.value().to_le_bytes());
        bytes
    }

    #[test]
    fn a_file_with_an_entry_that_no_table_can_hold_is_refused() {
        let (_folder, path, whole) = dumped();
        // Bad values of each field: score, move, bound without a decisive score, depth, evaluation.
        let fields: [(u32, u64, &[u64]); 5] = [
            (0, 0xffff, &[6001, 29_000, 29_515, 30_000, 31_000, 0x8000, (-6001i16) as u16 as u64]),
            (16, 0x3ff, &[1, 31, 1023]),
            (0, 0x0c00_ffff, &[0, 77]),
            (28, 0xff, &[0, 17, 221, 255]),
            (36, 0xffff, &[6001, 29_990, 0x8001]),
        ];
        for (shift, mask, values) in fields {
            for value in values {
                let bad = with_word(&whole, |word| word & !(mask << shift) | value << shift);
                std::fs::write(&path, bad).unwrap();
                let mut second = engine();
                assert!(matches!(second.load_hash(&path), Err(HashFileError::Damaged)), "{value} at bit {shift}");
                assert_eq!(second.table.entries().count(), 0);
            }
        }
        for good in [0, 6000, 29_516, 29_999, (-6000i16) as u16 as u64, (-29_990i16) as u16 as u64] {
            std::fs::write(&path, with_word(&whole, |word| word & !0xffff | good)).unwrap();
            assert!(engine().load_hash(&path).is_ok(), "{good}");
        }
    }
}
