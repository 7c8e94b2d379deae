//! A session in the process of the test.

use std::cell::{self, RefCell};
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tengen::base::{Cell, Point};
use tengen::engine::Engine;
use tengen::protocol::assembler::Assembler;
use tengen::protocol::command::Command;
use tengen::protocol::session::{Flow, Session};
use tengen::protocol::traffic::{Order, Stamp, Traffic};

/// An output that the test can read.
#[derive(Clone, Default)]
struct Page(Rc<RefCell<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The stones of a position in playing order.
pub type Stones = Vec<(Point, Cell)>;

/// A session: commands in, lines out.
pub struct Conversation {
    session: Session<Page>,
    traffic: Arc<Traffic>,
    page: Page,
    assembler: Assembler,
    seq: u64,
    /// Holds the files of its commands.
    scratch: TempDir,
}

impl Conversation {
    pub fn new() -> Conversation {
        count_panics();
        let (page, traffic) = (Page::default(), Arc::new(Traffic::default()));
        let scratch = tempfile::tempdir().expect("a folder can be made");
        let session = Session::new(page.clone(), Arc::clone(&traffic));
        Conversation { session, traffic, page, assembler: Assembler::default(), seq: 0, scratch }
    }

    pub fn engine(&self) -> &Engine {
        self.session.engine()
    }

    pub fn stones(&self) -> Stones {
        self.engine().stones().to_vec()
    }

    /// Sends one line; returns the lines of the answer.
    pub fn say(&mut self, line: &str) -> Vec<String> {
        match self.assembler.line(line.trim().as_bytes()) {
            Some(command) => self.obey(command),
            None => Vec::new(),
        }
    }

    /// Carries out one command; returns the lines of the answer. Fails on panics, even on those that the session catches.
    pub fn obey(&mut self, command: Command) -> Vec<String> {
        self.seq += 1;
        // Replace any path by one in the scratch folder.
        let command = match command {
            Command::File(file_use, path) if !path.is_empty() => {
                let name = format!("file-{}", path.len() % 4);
                let path = self.scratch.path().join(name);
                Command::File(file_use, path.to_string_lossy().into_owned().into_bytes())
            }
            command => command,
        };
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        let order = Order { seq: self.seq, stamp, command };
        let before = panics();
        self.traffic.announce(&order);
        let flow = self.session.handle(&order).expect("the output is never closed");
        assert_eq!(flow == Flow::End, order.command == Command::End);
        assert_eq!(panics(), before, "{:?}: a panic was caught", order.command);
        let text = String::from_utf8(std::mem::take(&mut *self.page.0.borrow_mut())).expect("ASCII comes out");
        assert!(text.is_empty() || text.ends_with('\n'), "{:?}: half a line: {text:?}", order.command);
        text.split_terminator('\n').map(str::to_owned).collect()
    }
}

/// Number of panics of all helper threads, which belong to searches.
static IN_HELPERS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Number of panics of this thread.
    static HERE: cell::Cell<usize> = const { cell::Cell::new(0) };
}

/// Number of panics so far in this thread and in searches. A test that fails beside this one does not count.
fn panics() -> usize {
    HERE.get() + IN_HELPERS.load(Ordering::SeqCst)
}

/// Installs a hook that counts panics and calls the old hook.
fn count_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            HERE.set(HERE.get() + 1);
            if std::thread::current().name().is_some_and(|name| name.starts_with("helper")) {
                IN_HELPERS.fetch_add(1, Ordering::SeqCst);
            }
            before(panic);
        }));
    });
}
