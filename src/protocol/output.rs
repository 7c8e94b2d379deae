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
/// Pieces that may wait to be written.
const WAITING: usize = 64;

/// Writes in the background; a flush waits until everything is written, unless the manager has left and does not read.
#[derive(Debug)]
pub struct Output {
    pieces: SyncSender<Vec<u8>>,
    written: Receiver<io::Result<()>>,
    /// Pieces of whose writing nothing was heard yet.
    pending: usize,
    traffic: Arc<Traffic>,
    /// Nobody will read any more.
    is_deserted: bool,
}

impl Output {
    /// Writes to what `open` opens.
    pub fn new<W: Write>(open: impl FnOnce() -> W + Send + 'static, traffic: Arc<Traffic>) -> io::Result<Output> {
        let (pieces, to_write) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let (outcome, written) = mpsc::sync_channel(WAITING);
        thread::Builder::new().name("say".into()).spawn(move || {
            let mut out = open();
            for piece in to_write {
                if outcome.send(out.write_all(&piece).and_then(|()| out.flush())).is_err() {
                    break;
                }
            }
        })?;
        Ok(Output { pieces, written, pending: 0, traffic, is_deserted: false })
    }

    /// Waits until at most so many pieces are pending.
    fn wait_for(&mut self, pending: usize) -> io::Result<()> {
        let begun = Instant::now();
        while self.pending > pending && !self.is_deserted {
            match self.written.recv_timeout(LOOK) {
                Ok(outcome) => {
                    self.pending -= 1;
                    outcome?;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ErrorKind::BrokenPipe.into()),
                Err(RecvTimeoutError::Timeout) => {
                    if self.traffic.left().is_some_and(|left| left.max(begun).elapsed() >= FAREWELL) {
                        log::info!("nobody reads the output");
                        self.is_deserted = true;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Drop for Output {
    /// The process may end after this: what is pending is written first.
    fn drop(&mut self) {
        // An error is no news: whoever could be told does not read.
        let _ = self.wait_for(0);
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while let Ok(outcome) = self.written.try_recv() {
            self.pending -= 1;
            outcome?;
        }
        self.wait_for(WAITING - 1)?;
        if !self.is_deserted {
            self.pieces.send(bytes.to_vec()).map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
            self.pending += 1;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_for(0)
    }
}

/// An output on which nobody waits for a flush: lines of a search that goes on.
#[derive(Debug)]
pub struct Unhurried<'a, W>(pub &'a mut W);

impl<W: Write> Write for Unhurried<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
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
            output.write_all(b"OK\n").and_then(|()| output.flush()).unwrap();
        }
        assert!(begun.elapsed() >= FAREWELL, "it had the time to read");
        assert!(output.is_deserted);
    }

    #[test]
    fn a_manager_that_is_there_is_waited_for() {
        let (end, _traffic, mut output) = stuck();
        let waiting = thread::spawn(move || {
            let outcome = output.write_all(b"OK\n").and_then(|()| output.flush());
            outcome.map_err(|error| error.kind())
        });
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
            output.write_all(line.as_bytes()).and_then(|()| output.flush()).unwrap();
            assert_eq!(pieces.try_recv().unwrap(), line.as_bytes(), "it is out when the call is back");
        }
        for line in ["MESSAGE a\n", "MESSAGE b\n"] {
            output.write_all(line.as_bytes()).unwrap();
        }
        drop(output);
        assert_eq!(pieces.iter().collect::<Vec<_>>().concat(), b"MESSAGE a\nMESSAGE b\n", "it is out in the end");
    }

    #[test]
    fn a_search_does_not_wait_for_its_messages_to_be_written() {
        let (_end, _traffic, mut output) = stuck();
        let mut messages = Unhurried(&mut output);
        for _ in 0..WAITING / 2 {
            messages.write_all(b"MESSAGE\n").and_then(|()| messages.flush()).unwrap();
        }
        assert!(output.pending > 0);
        std::mem::forget(output);
    }
}
