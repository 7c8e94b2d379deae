//! Files of records ([`PackedGame`]): reading, appending, creating. After an interruption a file is complete up to its last
//! finished game.

use super::compressed_columns;
use super::packed_game::{LONGEST, MAGIC, PackedGame, RecordFormat, take};
use crate::output_file;
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tengen::engine::files::FileLock;

/// Number of records in a block of [`RecordFormat::Packed`].
const BLOCK: usize = 4096;

/// Reads records in order.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    format: RecordFormat,
    /// Number of bytes up to the end of the last complete record.
    whole: u64,
    /// Whether reading has failed.
    is_damaged: bool,
    /// The records of the last block of [`RecordFormat::Packed`] that are still to be returned.
    block: std::vec::IntoIter<PackedGame>,
}

impl Reader<BufReader<File>> {
    /// Opens a file of games.
    ///
    /// # Errors
    /// When it cannot be read or is not such a file.
    pub fn open(path: &Path) -> Result<Reader<BufReader<File>>> {
        let name = || path.display().to_string();
        Reader::new(BufReader::new(File::open(path).with_context(name)?)).with_context(name)
    }
}

impl<R: Read> Reader<R> {
    /// Starts reading at the beginning of a file.
    ///
    /// # Errors
    /// When it is not a file of games.
    pub fn new(mut input: R) -> Result<Reader<R>> {
        let mut magic = [0; MAGIC];
        input.read_exact(&mut magic).context("too short for a file of games")?;
        let Some(format) = RecordFormat::ALL.into_iter().find(|format| format.magic() == magic) else {
            ensure!(!magic.starts_with(b"TGREC"), "a file of games in a format that this version does not know");
            bail!("not a file of games")
        };
        Ok(Reader { input, format, whole: MAGIC as u64, is_damaged: false, block: Vec::new().into_iter() })
    }

    /// What the file may contain.
    pub fn format(&self) -> RecordFormat {
        self.format
    }

    /// The next record; `None` at the end of the file, also if it ends in the middle of a record. A packed file is written as a
    /// whole, so one that ends in the middle of a block is damaged.
    fn read(&mut self) -> Result<Option<PackedGame>> {
        if let Some(record) = self.block.next() {
            return Ok(Some(record));
        }
        let mut head = [0; 8];
        if self.fill(&mut head, true)?.is_none() {
            return Ok(None);
        }
        let mut head = head.as_slice();
        let length = u32::from_le_bytes(take(&mut head)?) as usize;
        let crc = u32::from_le_bytes(take(&mut head)?);
        let longest = if self.format == RecordFormat::Packed { BLOCK * LONGEST } else { LONGEST };
        ensure!(length <= longest, "damaged after byte {}: no record is {length} bytes long", self.whole);
        let mut bytes = vec![0; length];
        if self.fill(&mut bytes, false)?.is_none() {
            return Ok(None);
        }
        ensure!(crc32fast::hash(&bytes) == crc, "damaged after byte {}: the checksum differs", self.whole);
        let damaged = || format!("damaged after byte {}", self.whole);
        let mut block = if self.format == RecordFormat::Packed {
            compressed_columns::unpack(&bytes).with_context(damaged)?.into_iter()
        } else {
            vec![PackedGame::decode(&bytes, self.format).with_context(damaged)?].into_iter()
        };
        ensure!(block.len() > 0, "damaged after byte {}: an empty block", self.whole);
        self.whole += (8 + length) as u64;
        let first = block.next();
        self.block = block;
        Ok(first)
    }

    /// Fills the buffer; `None` if the file ends before that. A packed file may end only where a block `begins`.
    fn fill(&mut self, buffer: &mut [u8], begins: bool) -> Result<Option<()>> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.input.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        let is_whole = filled == buffer.len();
        let may_be_cut = self.format != RecordFormat::Packed || (begins && filled == 0);
        ensure!(is_whole || may_be_cut, "damaged after byte {}: the file is cut", self.whole);
        Ok(is_whole.then_some(()))
    }
}

/// The records; the last item is an error if the file is damaged.
impl<R: Read> Iterator for Reader<R> {
    type Item = Result<PackedGame>;

    fn next(&mut self) -> Option<Result<PackedGame>> {
        if self.is_damaged {
            return None;
        }
        let record = self.read();
        self.is_damaged = record.is_err();
        record.transpose()
    }
}

/// The records of these files in order. Each error names its file.
pub fn records(paths: &[PathBuf]) -> impl Iterator<Item = Result<PackedGame>> + '_ {
    paths.iter().flat_map(|path| {
        let (reader, error) = match Reader::open(path) {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        let named = |record: Result<PackedGame>| record.with_context(|| path.display().to_string());
        error.into_iter().chain(reader.into_iter().flatten().map(named))
    })
}

/// Writes records to a file.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    output: BufWriter<File>,
    format: RecordFormat,
    /// Keeps other runs away.
    _lock: FileLock,
}

impl Writer {
    /// Opens a file for appending, or creates it. What an interruption has left after the last whole game is removed: the
    /// positions of a game are written before the game. Returns the records in the file. Each of them passes `check` before
    /// the file is changed.
    ///
    /// # Errors
    /// When the file cannot be read or written, another run writes it, or it is damaged before its end, has another format,
    /// positions without their games or a record that does not pass.
    pub fn append(
        path: &Path,
        format: RecordFormat,
        check: impl Fn(&PackedGame) -> Result<()>,
    ) -> Result<(Writer, Vec<PackedGame>)> {
        let name = || path.display().to_string();
        let lock = output_file::lock(path)?;
        let mut records = Vec::new();
        let (mut kept, mut whole) = (0, 0);
        if std::fs::metadata(path).is_ok_and(|file| file.len() >= MAGIC as u64) {
            let mut reader = Reader::open(path)?;
            match reader.format {
                RecordFormat::Packed => bail!("{} is packed: no game can be added to it", name()),
                there if there == format => {}
                RecordFormat::Games => bail!("{} has games without labelled positions", name()),
                RecordFormat::Positions => bail!("{} has labelled positions too", name()),
            }
            whole = reader.whole;
            while let Some(record) = reader.next() {
                records.push(record.and_then(|record| check(&record).map(|()| record)).with_context(name)?);
                if records.last().is_some_and(PackedGame::is_game) {
                    (kept, whole) = (records.len(), reader.whole);
                }
            }
            // An interruption leaves positions of one game only.
            let is_unfinished = records[kept..].windows(2).all(|two| two[0].number == two[1].number);
            ensure!(is_unfinished, "{} has positions without their games", name());
            records.truncate(kept);
        }
        let mut file = File::options().create(true).truncate(false).write(true).open(path).with_context(name)?;
        file.set_len(whole).with_context(name)?;
        file.seek(SeekFrom::End(0)).with_context(name)?;
        if whole == 0 {
            file.write_all(&format.magic()).with_context(name)?;
        }
        Ok((Writer { path: path.to_owned(), output: BufWriter::new(file), format, _lock: lock }, records))
    }

    /// Creates a file, or writes into one that is empty.
    ///
    /// # Errors
    /// When it is there and not empty, cannot be written, or another run writes it; with [`RecordFormat::Packed`].
    pub fn create(path: &Path, format: RecordFormat) -> Result<Writer> {
        ensure!(format != RecordFormat::Packed, "a packed file is written as a whole");
        let lock = output_file::lock(path)?;
        output_file::ensure_new(path)?;
        let name = || path.display().to_string();
        let mut output = BufWriter::new(File::create(path).with_context(name)?);
        output.write_all(&format.magic()).with_context(name)?;
        Ok(Writer { path: path.to_owned(), output, format, _lock: lock })
    }

    /// Appends a record and flushes it to the operating system.
    ///
    /// # Errors
    /// When it cannot be written, or is a position and the file is for games.
    pub fn write(&mut self, record: &PackedGame) -> Result<()> {
        ensure!(self.format != RecordFormat::Games || record.is_game(), "a labelled position in a file for games");
        let block = block(&record.encode(self.format));
        let written = self.output.write_all(&block).and_then(|()| self.output.flush());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// A block of a file: length, checksum, bytes.
fn block(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), &crc32fast::hash(bytes).to_le_bytes(), bytes].concat()
}

/// Makes the content of a file of [`RecordFormat::Packed`].
#[derive(Debug)]
pub struct Packer {
    content: Vec<u8>,
    /// Records that are not in `content` yet.
    waiting: Vec<PackedGame>,
}

impl Default for Packer {
    fn default() -> Packer {
        Packer { content: RecordFormat::Packed.magic().to_vec(), waiting: Vec::new() }
    }
}

impl Packer {
    /// Adds a record.
    ///
    /// # Errors
    /// When the compressor fails.
    pub fn add(&mut self, record: PackedGame) -> Result<()> {
        self.waiting.push(record);
        if self.waiting.len() < BLOCK { Ok(()) } else { self.pack() }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// When the compressor fails.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        if !self.waiting.is_empty() {
            self.pack()?;
        }
        Ok(self.content)
    }

    fn pack(&mut self) -> Result<()> {
        self.content.extend(block(&compressed_columns::pack(&std::mem::take(&mut self.waiting))?));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
