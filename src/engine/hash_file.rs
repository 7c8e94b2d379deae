//! The hash table as a file: what was learned in a long analysis, for another day. Floor 4.
//!
//! A line that names the format and the version of the engine, the number of entries, each entry as its two words, and
//! a checksum; numbers are eight bytes, the lowest first. What another version has learned may be worth something else
//! here, so it is refused, and so is a damaged file.

use super::Engine;
use super::files;
use crate::base::hash::Checksum;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

const HEADER: &str = concat!("tengen-hash 1 ", env!("CARGO_PKG_VERSION"), "\n");

/// Why a hash file cannot be read.
#[derive(Debug)]
pub enum HashFileError {
    /// The system says no.
    Io(io::Error),
    /// It is none, or of another version.
    Foreign,
    /// It was cut or changed.
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
    /// Writes what the table knows to a file; returns how many positions that is.
    pub fn dump_hash(&mut self, path: &Path) -> io::Result<u64> {
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

    /// Adds what a file knows to the table, as far as there is room; returns how many positions it holds. A file that
    /// is refused changes nothing.
    pub fn load_hash(&mut self, path: &Path) -> Result<u64, HashFileError> {
        // Once to see that it is whole, and once to take it in: it may be larger than the memory that is allowed.
        read(path, |_, _| {})?;
        self.fit_memory();
        let table = self.table_mut();
        read(path, |key, data| table.restore(key, data))
    }
}

fn words(key: u64, data: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&key.to_le_bytes());
    bytes[8..].copy_from_slice(&data.to_le_bytes());
    bytes
}

fn read(path: &Path, mut take: impl FnMut(u64, u64)) -> Result<u64, HashFileError> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(HashFileError::Foreign);
    }
    let mut file = BufReader::new(file);
    let mut header = vec![0; HEADER.len()];
    file.read_exact(&mut header).map_err(|_| HashFileError::Foreign)?;
    if header != HEADER.as_bytes() {
        return Err(HashFileError::Foreign);
    }
    let count = read_word(&mut file)?;
    let mut checksum = Checksum::new();
    for _ in 0..count {
        let (key, data) = (read_word(&mut file)?, read_word(&mut file)?);
        checksum.add(&words(key, data));
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
    use crate::base::Point;
    use crate::search::{NullSink, SearchControl, SearchLimits};

    fn think(engine: &mut Engine) -> u64 {
        let control = SearchControl::default();
        control.begin(SearchLimits { depth: Some(8), ..SearchLimits::default() });
        engine.think(&control, &mut NullSink).last.nodes
    }

    fn engine() -> Engine {
        let mut engine = Engine::new();
        for (x, y) in [(7, 7), (8, 8), (7, 8), (7, 9)] {
            engine.play(Point::new(x, y).unwrap()).unwrap();
        }
        engine
    }

    #[test]
    fn what_was_learned_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hash");
        let mut first = engine();
        let fresh = think(&mut first);
        let count = first.dump_hash(&path).unwrap();
        assert!(count > 100, "{count}");
        let mut second = engine();
        assert_eq!(second.load_hash(&path).unwrap(), count);
        let warm = think(&mut second);
        assert!(warm < fresh / 2, "{warm} nodes with the table, {fresh} without");
    }

    #[test]
    fn a_damaged_file_is_refused_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hash");
        let mut first = engine();
        think(&mut first);
        first.dump_hash(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
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
}
