//! The commands that wait for the session. The listener does not stop reading before they take tens of MiB, so that it hears an
//! `END` behind many commands.

use super::traffic::Order;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvError, RecvTimeoutError, SendError};
use std::thread;
use std::time::Duration;

/// Most bytes that the waiting commands take, about: a quarter of a million short ones. Further commands stay in the pipe.
const LIMIT: usize = 32 << 20;
/// Memory of an argument, compared with its text: the numbers of a line `x,y` are stored in eight bytes each.
const BYTES_A_CHARACTER: usize = 4;
/// How often a listener that must not read on looks whether it may.
const ROOM_POLL: Duration = Duration::from_millis(1);

/// A command and about how many bytes it takes.
type Item = (Order, usize);

/// The listener's end.
#[derive(Debug)]
pub struct Sender {
    orders: mpsc::Sender<Item>,
    waiting: Arc<AtomicUsize>,
}

/// The session's end.
#[derive(Debug)]
pub struct Orders {
    orders: Receiver<Item>,
    waiting: Arc<AtomicUsize>,
}

/// An empty queue.
pub fn queue() -> (Sender, Orders) {
    let (sender, orders) = mpsc::channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    (Sender { orders: sender, waiting: Arc::clone(&waiting) }, Orders { orders, waiting })
}

impl Sender {
    /// Adds a command whose text has this many characters.
    ///
    /// # Errors
    /// The session has ended.
    pub fn send(&self, order: Order, characters: usize) -> Result<(), SendError<()>> {
        let bytes = size_of::<Item>() + BYTES_A_CHARACTER * characters;
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        self.orders.send((order, bytes)).map_err(|_| SendError(()))
    }

    /// Waits until more may be read. Not while a command is being handed over: it must be heard, whatever waits before it.
    pub fn wait_for_room(&self) {
        while self.waiting.load(Ordering::Relaxed) > LIMIT {
            thread::sleep(ROOM_POLL);
        }
    }
}

impl Orders {
    /// Waits for the next command.
    ///
    /// # Errors
    /// There will be none.
    pub fn recv(&self) -> Result<Order, RecvError> {
        self.orders.recv().map(|item| self.taken(item))
    }

    /// The same within a time.
    ///
    /// # Errors
    /// There was none, or there will be none.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<Order, RecvTimeoutError> {
        self.orders.recv_timeout(timeout).map(|item| self.taken(item))
    }

    fn taken(&self, (order, bytes): Item) -> Order {
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Instant;
    use crate::protocol::command::Command;
    use crate::protocol::traffic::Stamp;

    fn order(seq: u64) -> Order {
        Order { seq, stamp: Stamp { at: Instant::now(), listened: Duration::ZERO }, command: Command::About }
    }

    /// Bug: after 20,000 commands the listener did not read the `END` behind them.
    #[test]
    fn a_hundred_thousand_commands_find_room() {
        let (sender, orders) = queue();
        for seq in 0..100_000 {
            sender.send(order(seq), "ABOUT".len()).unwrap();
            sender.wait_for_room();
        }
        assert!((0..100_000).all(|seq| orders.recv().is_ok_and(|order| order.seq == seq)));
        assert_eq!(orders.waiting.load(Ordering::Relaxed), 0);
        assert_eq!(orders.recv_timeout(Duration::ZERO).unwrap_err(), RecvTimeoutError::Timeout);
        drop(sender);
        assert_eq!(orders.recv().unwrap_err(), RecvError);
    }

    #[test]
    fn commands_that_take_much_memory_stop_the_listener() {
        let (sender, orders) = queue();
        let listener = thread::spawn(move || {
            (0..100).for_each(|seq| {
                sender.send(order(seq), LIMIT / BYTES_A_CHARACTER / 10).unwrap();
                sender.wait_for_room();
            });
        });
        for seq in 0..100 {
            assert_eq!(orders.recv().unwrap().seq, seq);
            assert!(orders.waiting.load(Ordering::Relaxed) <= LIMIT + LIMIT / 5);
        }
        listener.join().unwrap();
    }
}
