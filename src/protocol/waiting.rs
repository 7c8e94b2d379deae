//! Streams that may be non-blocking, because another program that shares the terminal has made them so: a call is repeated
//! until the stream is ready. And the wait for the other end of an output to be closed.

use std::io::{self, ErrorKind, Write};
use std::thread;
use std::time::Duration;
#[cfg(unix)]
use {
    rustix::event::{PollFd, PollFlags, Timespec, poll},
    rustix::io::Errno,
    std::os::fd::AsFd,
};

/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(1);

/// Repeats a call while the stream is not ready or a signal interrupts it.
///
/// # Errors
/// Those of the call, except `WouldBlock` and `Interrupted`.
pub fn until_ready<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// Writes all bytes and flushes the output.
///
/// # Errors
/// Those of the output, except `WouldBlock` and `Interrupted`.
pub fn write_all(out: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match until_ready(|| out.write(bytes))? {
            0 => return Err(ErrorKind::WriteZero.into()),
            count => bytes = &bytes[count..],
        }
    }
    until_ready(|| out.flush())
}

/// Waits until the other end of one of two streams (pipes, sockets or terminals) is closed, at most for `timeout` if there is one.
/// Returns whether that of `output` is and that of `other` is not; `false` also if the system cannot tell.
#[cfg(unix)]
pub fn is_closed_first(output: impl AsFd, other: impl AsFd, timeout: Option<Duration>) -> bool {
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    loop {
        // Closed ends are reported unasked, and nothing else is asked for.
        let mut both =
            [&output as &dyn AsFd, &other].map(|stream| PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::empty()));
        match poll(&mut both, timeout.as_ref()) {
            Err(Errno::INTR) => {}
            Err(error) => {
                log::warn!("cannot wait for the output to be closed: {error}");
                return false;
            }
            Ok(_) => return !both[0].revents().is_empty() && both[1].revents().is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accepts a byte every second time.
    #[derive(Default)]
    struct Slow {
        written: Vec<u8>,
        calls: usize,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.calls += 1;
            if self.calls % 2 == 1 {
                return Err(ErrorKind::WouldBlock.into());
            }
            self.written.extend_from_slice(&bytes[..1]);
            Ok(1)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.calls += 1;
            if self.calls % 2 == 1 { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_closed_output_is_noticed_without_a_write() {
        for closed in [0, 1] {
            let [(output_reader, output), (other, other_writer)] = [io::pipe().unwrap(), io::pipe().unwrap()];
            assert!(!is_closed_first(&output, &other, Some(Duration::ZERO)), "both are open");
            let waiting = thread::spawn(move || is_closed_first(output, other, None));
            thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            let mut ends = [Some(Box::new(output_reader) as Box<dyn Send>), Some(Box::new(other_writer))];
            ends[closed] = None;
            assert_eq!(waiting.join().unwrap(), closed == 0);
        }
    }

    /// Bug: an output that was not ready counted as closed, and an input without a line yet as its end.
    #[test]
    fn a_stream_that_is_not_ready_is_waited_for() {
        let mut slow = Slow::default();
        write_all(&mut slow, b"7,7\n").unwrap();
        assert_eq!(slow.written, b"7,7\n");
        let mut results = [Err(ErrorKind::WouldBlock.into()), Err(ErrorKind::Interrupted.into()), Ok(3)].into_iter();
        assert_eq!(until_ready(|| results.next().unwrap()).unwrap(), 3);
    }
}
