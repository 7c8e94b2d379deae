//! The output, written by a thread of its own: a manager that has left and does not read must keep nobody from what is
//! left to do. Floor 5.

use super::traffic::Traffic;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// How long a manager that has left may take to read a line; then nothing more is written.
const FAREWELL: Duration = Duration::from_millis(80);
/// How often it is asked whether the manager has left, while it does not read.
const LOOK: Duration = Duration::from_millis(10);

/// Writes each piece before it goes on, unless the manager has left and does not read.
#[derive(Debug)]
pub struct Output {
    pieces: SyncSender<Vec<u8>>,
    written: Receiver<io::Result<()>>,
    traffic: Arc<Traffic>,
    /// Nobody will read any more.
    is_deserted: bool,
}

impl Output {
    /// Writes to what `open` opens.
    pub fn new<W: Write>(open: impl FnOnce() -> W + Send + 'static, traffic: Arc<Traffic>) -> io::Result<Output> {
        let (pieces, to_write) = mpsc::sync_channel::<Vec<u8>>(1);
        let (outcome, written) = mpsc::sync_channel(1);
        thread::Builder::new().name("say".into()).spawn(move || {
            let mut out = open();
            for piece in to_write {
                if outcome.send(out.write_all(&piece).and_then(|()| out.flush())).is_err() {
                    break;
                }
            }
        })?;
        Ok(Output { pieces, written, traffic, is_deserted: false })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = || io::Error::from(ErrorKind::BrokenPipe);
        if self.is_deserted {
            return Ok(bytes.len());
        }
        let begun = Instant::now();
        self.pieces.send(bytes.to_vec()).map_err(|_| gone())?;
        loop {
            match self.written.recv_timeout(LOOK) {
                Ok(outcome) => return outcome.map(|()| bytes.len()),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.traffic.left().is_some_and(|left| left.max(begun).elapsed() >= FAREWELL) {
                log::info!("nobody reads the output");
                self.is_deserted = true;
                return Ok(bytes.len());
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::command::Command;
    use crate::protocol::traffic::{Order, Stamp};

    /// An output that nobody reads before the other end is dropped; then it is closed.
    struct Stuck(Receiver<()>);

    impl Write for Stuck {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn stuck() -> (SyncSender<()>, Arc<Traffic>, Output) {
        let (end, stuck) = mpsc::sync_channel(0);
        let traffic = Arc::new(Traffic::default());
        let output = Output::new(move || Stuck(stuck), Arc::clone(&traffic)).unwrap();
        (end, traffic, output)
    }

    #[test]
    fn a_manager_that_has_left_is_not_waited_for() {
        let (_end, traffic, mut output) = stuck();
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        traffic.announce(&Order { seq: 1, stamp, command: Command::End });
        let begun = Instant::now();
        for _ in 0..1000 {
            output.write_all(b"OK\n").unwrap();
        }
        assert!(begun.elapsed() >= FAREWELL, "it had the time to read");
        assert!(output.is_deserted);
    }

    #[test]
    fn a_manager_that_is_there_is_waited_for() {
        let (end, _traffic, mut output) = stuck();
        let waiting = thread::spawn(move || output.write_all(b"OK\n").map_err(|error| error.kind()));
        thread::sleep(2 * FAREWELL);
        assert!(!waiting.is_finished());
        drop(end);
        assert_eq!(waiting.join().unwrap(), Err(ErrorKind::BrokenPipe), "the end of the output is told, too");
    }

    /// Passes each piece on.
    struct Page(mpsc::Sender<Vec<u8>>);
    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn pieces_come_out_as_they_are() {
        let (sender, pieces) = mpsc::channel();
        let mut output = Output::new(move || Page(sender), Arc::new(Traffic::default())).unwrap();
        for line in ["OK\n", "7,7\n"] {
            output.write_all(line.as_bytes()).unwrap();
            assert_eq!(pieces.try_recv().unwrap(), line.as_bytes(), "it is out when the call is back");
        }
    }
}
