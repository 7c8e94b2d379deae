//! The output, written by its own thread, so that a manager that has left and no longer reads cannot block the session.

use super::traffic::Traffic;
use super::waiting;
use crate::base::clock::Instant;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

/// How long a manager that has left may take to read a line; then the rest is dropped.
const READER_TIMEOUT: Duration = Duration::from_millis(50);
/// How often a blocked write checks whether the manager has left.
const LEFT_POLL: Duration = Duration::from_millis(10);
/// Bound of the queue of pieces to write.
const PIECE_QUEUE: usize = 64;

/// Writes in the background. A flush waits until everything is written, unless the manager has left and no longer reads.
#[derive(Debug)]
pub struct Output {
    pieces: SyncSender<Vec<u8>>,
    written: Receiver<io::Result<()>>,
    /// Pieces without a report in `written` yet.
    pending: usize,
    traffic: Arc<Traffic>,
    /// Whether the manager has left and no longer reads.
    is_abandoned: bool,
}

impl Output {
    /// Writes to the stream that `open` returns; it is called in the writing thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn new<W: Write>(open: impl FnOnce() -> W + Send + 'static, traffic: Arc<Traffic>) -> io::Result<Output> {
        let (pieces, to_write) = mpsc::sync_channel::<Vec<u8>>(PIECE_QUEUE);
        let (outcome, written) = mpsc::sync_channel(PIECE_QUEUE);
        thread::Builder::new().name("say".into()).spawn(move || {
            let mut out = open();
            for piece in to_write {
                if outcome.send(waiting::write_all(&mut out, &piece)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Output { pieces, written, pending: 0, traffic, is_abandoned: false })
    }

    /// Waits until at most `pending` pieces are left.
    fn wait_for(&mut self, pending: usize) -> io::Result<()> {
        let begun = Instant::now();
        while self.pending > pending && !self.is_abandoned {
            match self.written.recv_timeout(LEFT_POLL) {
                Ok(outcome) => {
                    self.pending -= 1;
                    outcome?;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ErrorKind::BrokenPipe.into()),
                Err(RecvTimeoutError::Timeout) => {
                    if self.traffic.left().is_some_and(|left| left.max(begun).elapsed() >= READER_TIMEOUT) {
                        log::info!("the manager has left and no longer reads");
                        self.is_abandoned = true;
                        self.traffic.abandon();
                    }
                }
            }
        }
        Ok(())
    }
}

impl Drop for Output {
    /// Writes what is pending: the process may end after this.
    fn drop(&mut self) {
        // An error cannot be reported: the manager no longer reads.
        let _ = self.wait_for(0);
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while let Ok(outcome) = self.written.try_recv() {
            self.pending -= 1;
            outcome?;
        }
        self.wait_for(PIECE_QUEUE - 1)?;
        if !self.is_abandoned {
            self.pieces.send(bytes.to_vec()).map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
            self.pending += 1;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_for(0)
    }
}

/// An output whose flush does nothing, for messages of a running search.
#[derive(Debug)]
pub struct NoFlush<'a, W>(pub &'a mut W);

impl<W: Write> Write for NoFlush<'_, W> {
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

    /// An output that blocks until the other end is dropped; then it is closed.
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
    fn a_manager_that_has_left_does_not_block() {
        let (_end, traffic, mut output) = stuck();
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        traffic.announce(&Order { seq: 1, stamp, command: Command::End });
        let begun = Instant::now();
        for _ in 0..1000 {
            output.write_all(b"OK\n").and_then(|()| output.flush()).unwrap();
        }
        assert!(begun.elapsed() >= READER_TIMEOUT, "it had the time to read");
        assert!(output.is_abandoned);
    }

    #[test]
    fn a_manager_that_has_not_left_blocks() {
        let (end, _traffic, mut output) = stuck();
        let waiting = thread::spawn(move || {
            let outcome = output.write_all(b"OK\n").and_then(|()| output.flush());
            outcome.map_err(|error| error.kind())
        });
        thread::sleep(2 * READER_TIMEOUT);
        assert!(!waiting.is_finished());
        drop(end);
        assert_eq!(waiting.join().unwrap(), Err(ErrorKind::BrokenPipe), "the closed output is reported");
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
    fn pieces_are_written_unchanged() {
        let (sender, pieces) = mpsc::channel();
        let mut output = Output::new(move || Page(sender), Arc::new(Traffic::default())).unwrap();
        for line in ["OK\n", "7,7\n"] {
            output.write_all(line.as_bytes()).and_then(|()| output.flush()).unwrap();
            assert_eq!(pieces.try_recv().unwrap(), line.as_bytes(), "a flush waits");
        }
        for line in ["MESSAGE a\n", "MESSAGE b\n"] {
            output.write_all(line.as_bytes()).unwrap();
        }
        drop(output);
        assert_eq!(
            pieces.iter().collect::<Vec<_>>().concat(),
            b"MESSAGE a\nMESSAGE b\n",
            "dropping it writes the rest"
        );
    }

    #[test]
    fn a_search_does_not_wait_for_its_messages() {
        let (_end, _traffic, mut output) = stuck();
        let mut messages = NoFlush(&mut output);
        for _ in 0..PIECE_QUEUE / 2 {
            messages.write_all(b"MESSAGE\n").and_then(|()| messages.flush()).unwrap();
        }
        assert!(output.pending > 0);
        std::mem::forget(output);
    }
}
