//! The progress of a long job, on the error stream: a progress bar on a terminal, status lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between status lines.
const EVERY: Duration = Duration::from_secs(10);

/// The progress of one job.
#[derive(Debug)]
pub struct Progress {
    /// `None` without a terminal.
    bar: Option<ProgressBar>,
    has_lines: bool,
    what: &'static str,
    total: u64,
    /// Done before this run.
    restored: u64,
    /// Done by [`Progress::step`], those of earlier runs included.
    stepped: AtomicU64,
    begun: Instant,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// Of a job of `total` items called `what`, of which `restored` were done by earlier runs. Nothing is shown yet.
    pub fn new(what: &'static str, total: u64, restored: u64) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(&format!("{{bar:24}} {{pos}}/{{len}} {what}  {{msg}}"));
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total).with_style(style).with_position(restored)
        });
        let now = Instant::now();
        let (stepped, last_line) = (AtomicU64::new(restored), Mutex::new(now));
        Progress { bar, has_lines: true, what, total, restored, stepped, begun: now, last_line }
    }

    /// Of a new job that shows a bar, but no status lines.
    pub fn without_lines(what: &'static str, total: u64) -> Progress {
        Progress { has_lines: false, ..Progress::new(what, total, 0) }
    }

    /// Shows that one more item is done.
    pub fn step(&self) {
        self.show(self.stepped.fetch_add(1, Ordering::Relaxed) + 1, "");
    }

    /// Shows that `done` items are done, those of earlier runs included, and a message.
    pub fn show(&self, done: u64, message: &str) {
        let mut last_line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        let message = format!("{message}{}", self.time_to_go(done));
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(message);
        } else if self.has_lines && (last_line.elapsed() >= EVERY || done == self.total) {
            *last_line = Instant::now();
            self.line(format!("{done}/{} {}  {message}", self.total, self.what).trim_end());
        }
    }

    /// Shows a line of text, above the bar. A closed error stream does not stop the job.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => drop(writeln!(std::io::stderr(), "{text}")),
        }
    }

    /// Removes the bar.
    pub fn end(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// `  0:05:12 to go`; nothing before the first item and after the last.
    fn time_to_go(&self, done: u64) -> String {
        let here = done.saturating_sub(self.restored);
        if here == 0 || done >= self.total {
            return String::new();
        }
        let seconds = (self.begun.elapsed().as_secs_f64() / here as f64 * (self.total - done) as f64) as u64;
        format!("  {}:{:02}:{:02} to go", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
