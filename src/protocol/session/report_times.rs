//! When a running search reports: a line for each finished iteration and, if the manager asks for it, REALTIME messages
//! with which Yixin-Board draws the search. The text of the lines is in `protocol/reply/search_message.rs`, that of the
//! messages in `protocol/reply.rs`.

use crate::base::clock::Instant;
use crate::base::{Point, Score};
use crate::protocol::output::NoFlush;
use crate::protocol::reply::{Notation, Realtime, Reply};
use crate::protocol::traffic::Traffic;
use crate::search::{Iteration, ReportSink, RootEvent};
use std::io::{self, Write};
use std::time::Duration;

/// Time before the first REALTIME message: short searches would only flicker.
const REALTIME_DELAY: Duration = Duration::from_millis(200);
/// Minimum time between two REALTIME moves: the manager redraws its board for each.
const REALTIME_INTERVAL: Duration = Duration::from_millis(40);
/// Iterations up to this depth are reported at once. Deeper ones can follow each other within microseconds when few
/// moves are left. A manager that shows every line in a window then falls behind and reads our move too late.
const UNLIMITED_DEPTH: u32 = 16;
/// Minimum time between reports of deeper iterations. The last iteration is always reported.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// Writes the messages of a search; stops the search when the output is closed. A manager that has left gets no messages,
/// only the answers it is owed.
pub(super) struct Messages<'a, W> {
    out: &'a mut W,
    traffic: &'a Traffic,
    notation: Notation,
    /// The number of the question.
    seq: u64,
    pace: Pace,
    display: Option<Display>,
    outcome: io::Result<()>,
}

/// Limits the rate of reported iterations.
#[derive(Debug, Default)]
struct Pace {
    /// Depth of the running iteration.
    depth: u32,
    /// Rank of the last line, and whether it was reported. The lines of an iteration come with falling ranks; their
    /// depths may differ, since a line with a proven result keeps its depth.
    last: Option<(usize, bool)>,
    /// When a line was last reported.
    reported: Option<Instant>,
    /// The lines of the last iteration, if it was not reported.
    held: Vec<Iteration>,
}

impl Pace {
    /// Whether this line of an iteration is reported now. If not, it is held until a later iteration replaces it.
    fn admits(&mut self, iteration: &Iteration, now: Instant) -> bool {
        let admitted = match self.last {
            Some((rank, admitted)) if iteration.rank < rank => admitted,
            _ => {
                self.held.clear();
                self.depth <= UNLIMITED_DEPTH || self.is_due(now)
            }
        };
        self.last = Some((iteration.rank, admitted));
        if admitted {
            self.reported = Some(now);
        } else {
            self.held.push(iteration.clone());
        }
        admitted
    }

    /// The held lines, if they may be reported by now, while the next iteration runs.
    fn release(&mut self, now: Instant) -> Vec<Iteration> {
        if self.held.is_empty() || !self.is_due(now) {
            return Vec::new();
        }
        self.reported = Some(now);
        std::mem::take(&mut self.held)
    }

    fn is_due(&self, now: Instant) -> bool {
        self.reported.is_none_or(|last| now.saturating_duration_since(last) >= REPORT_INTERVAL)
    }
}

/// The REALTIME messages of a running search.
#[derive(Debug)]
struct Display {
    started: Instant,
    /// When a message was last sent.
    drawn: Option<Instant>,
    /// When an iteration last cleared the drawing.
    refreshed: Option<Instant>,
    /// The move that is drawn as being searched.
    open: Option<Point>,
    best: Option<Point>,
    /// The best move as last sent.
    sent_best: Option<Point>,
    /// Value and line of the last iteration, if not sent yet.
    line: Option<(Score, Vec<Point>)>,
    /// Losing moves.
    lost: Vec<Point>,
    /// Those of them that are not sent yet.
    unsent: Vec<Point>,
}

impl Display {
    fn new(started: Instant) -> Display {
        let (lost, unsent) = (Vec::new(), Vec::new());
        Display {
            started,
            drawn: None,
            refreshed: None,
            open: None,
            best: None,
            sent_best: None,
            line: None,
            lost,
            unsent,
        }
    }

    /// The messages for an event at this time; none before [`REALTIME_DELAY`].
    fn draw(&mut self, event: RootEvent, now: Instant) -> Vec<Realtime> {
        match event {
            RootEvent::Leads(point) => self.best = Some(point),
            RootEvent::Loses(point) if !self.lost.contains(&point) => {
                self.lost.push(point);
                self.unsent.push(point);
            }
            _ => {}
        }
        if now.saturating_duration_since(self.started) < REALTIME_DELAY {
            return Vec::new();
        }
        let mut lines = Vec::new();
        let is_due =
            |last: Option<Instant>| last.is_none_or(|last| now.saturating_duration_since(last) >= REALTIME_INTERVAL);
        let draws = is_due(self.drawn);
        match event {
            RootEvent::Deepens(_) if is_due(self.refreshed) => {
                self.open = None;
                self.refreshed = Some(now);
                lines.push(Realtime::Refresh);
            }
            RootEvent::Begins(point) if draws => {
                self.open = Some(point);
                lines.push(Realtime::Position(point));
            }
            RootEvent::Ends(point) if self.open == Some(point) => {
                self.open = None;
                lines.push(Realtime::Done(point));
            }
            _ => {}
        }
        if draws {
            lines.extend(self.news());
        }
        if !lines.is_empty() {
            self.drawn = Some(now);
        }
        lines
    }

    /// The best move and the losing ones, unless already sent.
    fn news(&mut self) -> Vec<Realtime> {
        let mut lines = Vec::new();
        if self.best != self.sent_best {
            self.sent_best = self.best;
            lines.extend(self.best.map(Realtime::Best));
        }
        lines.extend(self.unsent.drain(..).map(Realtime::Lose));
        lines
    }
}

impl<'a, W: Write> Messages<'a, W> {
    pub(super) fn new(
        out: &'a mut W,
        traffic: &'a Traffic,
        notation: Notation,
        seq: u64,
        draws: bool,
        started: Instant,
    ) -> Messages<'a, W> {
        let display = draws.then(|| Display::new(started));
        Messages { out, traffic, notation, seq, pace: Pace::default(), display, outcome: Ok(()) }
    }

    fn write(&mut self, reply: &Reply<'_>) {
        if self.outcome.is_ok() && self.traffic.left().is_none() {
            self.outcome = reply.write(&mut NoFlush(self.out));
        }
        if self.outcome.is_err() {
            self.traffic.control().stop();
        }
    }

    /// Writes what is still held.
    ///
    /// # Errors
    /// The output is closed.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.pace.held);
        self.report(&held);
        let news = self.display.as_mut().map(Display::news).unwrap_or_default();
        for line in news {
            self.draw(&Reply::Realtime(line));
        }
        self.show_line();
        self.outcome
    }

    /// Writes a REALTIME message, unless the manager shows another position by now.
    fn draw(&mut self, reply: &Reply<'_>) {
        if !self.traffic.is_superseded(self.seq) {
            self.write(reply);
        }
    }

    fn report(&mut self, iterations: &[Iteration]) {
        let notation = self.notation;
        for iteration in iterations {
            self.write(&Reply::Iteration { iteration, notation });
        }
    }

    /// Writes value and line, if not sent yet.
    fn show_line(&mut self) {
        let notation = self.notation;
        if let Some((score, line)) = self.display.as_mut().and_then(|display| display.line.take()) {
            self.draw(&Reply::Realtime(Realtime::Value(score)));
            self.draw(&Reply::RealtimeLine { line: &line, notation });
        }
    }
}

impl<W: Write> ReportSink for Messages<'_, W> {
    fn iteration(&mut self, iteration: &Iteration) {
        let admitted = self.pace.admits(iteration, Instant::now());
        if admitted {
            self.report(std::slice::from_ref(iteration));
        }
        if iteration.rank == 1
            && let Some(display) = &mut self.display
        {
            display.best = iteration.pv.first().copied();
            display.line = Some((iteration.score, iteration.pv.clone()));
            if admitted && display.started.elapsed() >= REALTIME_DELAY {
                self.show_line();
            }
        }
    }

    fn root_event(&mut self, event: RootEvent) {
        if let RootEvent::Deepens(depth) = event {
            self.pace.depth = depth;
        }
        let held = self.pace.release(Instant::now());
        if !held.is_empty() {
            self.report(&held);
            self.show_line();
        }
        let Some(display) = &mut self.display else { return };
        for line in display.draw(event, Instant::now()) {
            self.draw(&Reply::Realtime(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::command::Command;
    use crate::protocol::traffic::{Order, Stamp};

    fn point(x: usize) -> Point {
        Point::new(x, 7).unwrap()
    }

    #[test]
    fn drawing_starts_late_and_its_rate_is_limited() {
        let zero = Instant::now();
        let at = |ms| zero + Duration::from_millis(ms);
        let mut display = Display::new(zero);
        assert_eq!(display.draw(RootEvent::Deepens(1), at(1)), []);
        assert_eq!(display.draw(RootEvent::Leads(point(3)), at(2)), []);
        assert_eq!(display.draw(RootEvent::Loses(point(4)), at(3)), []);
        let first = display.draw(RootEvent::Deepens(8), at(200));
        assert_eq!(first, [Realtime::Refresh, Realtime::Best(point(3)), Realtime::Lose(point(4))]);
        assert_eq!(display.draw(RootEvent::Begins(point(5)), at(210)), [], "too soon");
        assert_eq!(display.draw(RootEvent::Ends(point(5)), at(300)), [], "it was never drawn");
        assert_eq!(display.draw(RootEvent::Begins(point(6)), at(301)), [Realtime::Position(point(6))]);
        assert_eq!(display.draw(RootEvent::Ends(point(6)), at(302)), [Realtime::Done(point(6))]);
        assert_eq!(display.draw(RootEvent::Loses(point(4)), at(400)), [], "sent already");
        assert_eq!(display.draw(RootEvent::Begins(point(8)), at(401)), [Realtime::Position(point(8))]);
        assert_eq!(display.draw(RootEvent::Leads(point(6)), at(410)), []);
        assert_eq!(display.news(), [Realtime::Best(point(6))], "what is left is sent at the end");
    }

    fn iteration(depth: u32, rank: usize) -> Iteration {
        let (score, pv) = (Score::DRAW, vec![point(3)]);
        let elapsed = Duration::from_millis(u64::from(depth));
        Iteration { depth, seldepth: depth, score, nodes: 1, elapsed, pv, rank }
    }

    #[test]
    fn reports_of_fast_deep_iterations_are_limited() {
        let zero = Instant::now();
        let mut pace = Pace::default();
        // A hundred iterations of two lines, one each millisecond.
        let all = (1..=100).flat_map(|depth| [iteration(depth, 2), iteration(depth, 1)]);
        let reported: Vec<_> = all
            .filter(|iteration| {
                pace.depth = iteration.depth;
                pace.admits(iteration, zero + iteration.elapsed)
            })
            .map(|iteration| (iteration.depth, iteration.rank))
            .collect();
        let shallow: Vec<_> = (1..=16).flat_map(|depth| [(depth, 2), (depth, 1)]).collect();
        assert_eq!(reported[..32], shallow);
        assert_eq!(reported[32..], [(66, 2), (66, 1)], "50 ms after the one before");
        let held: Vec<_> = pace.held.iter().map(|iteration| (iteration.depth, iteration.rank)).collect();
        assert_eq!(held, [(100, 2), (100, 1)]);
    }

    /// The best line is a win that was proven at depth 9; the other two continue, one iteration each millisecond.
    #[test]
    fn lines_beside_a_proven_one_are_reported() {
        let zero = Instant::now();
        let mut pace = Pace::default();
        let lines = |depth| [iteration(depth, 3), iteration(depth, 2), iteration(depth.min(9), 1)];
        let mut reported = Vec::new();
        for depth in 1..=100 {
            pace.depth = depth;
            let now = zero + Duration::from_millis(u64::from(depth));
            reported.extend(lines(depth).into_iter().filter(|line| pace.admits(line, now)));
        }
        assert_eq!(reported.len(), 3 * 17, "sixteen at once and one 50 ms later");
        assert_eq!(reported[48..], lines(66));
        assert_eq!(pace.held, lines(100));
    }

    /// Twenty iterations at once, then a long one: the held lines do not wait for its end.
    #[test]
    fn held_lines_are_reported_while_the_next_iteration_runs() {
        let zero = Instant::now();
        let at = |ms| zero + Duration::from_millis(ms);
        let mut pace = Pace::default();
        for depth in 1..=20 {
            pace.depth = depth;
            pace.admits(&iteration(depth, 1), at(1));
        }
        assert_eq!(pace.release(at(30)), []);
        assert_eq!(pace.release(at(51)), [iteration(20, 1)]);
        assert_eq!(pace.release(at(200)), [], "once only");
        pace.depth = 21;
        assert!(!pace.admits(&iteration(21, 1), at(60)), "too soon after that");
    }

    /// Bug: Piskvork needed more than a second to show the 175 lines of one move, and counted the move as late.
    #[test]
    fn a_flood_of_iterations_becomes_a_few_lines_and_the_last_one() {
        let (mut out, traffic) = (Vec::new(), Traffic::default());
        let zero = Instant::now();
        let mut messages = Messages::new(&mut out, &traffic, Notation::Plain, 1, false, zero);
        for depth in 1..=175 {
            messages.root_event(RootEvent::Deepens(depth));
            messages.iteration(&iteration(depth, 1));
        }
        messages.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        let stalls = zero.elapsed().as_millis() / 50;
        assert!(text.lines().count() as u128 <= 17 + stalls, "{text}");
        assert!(text.lines().last().unwrap().starts_with("MESSAGE depth 175-175 "), "{text}");
    }

    #[test]
    fn a_manager_that_has_left_gets_no_messages() {
        let (mut out, traffic) = (Vec::new(), Traffic::default());
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        let mut messages = Messages::new(&mut out, &traffic, Notation::Plain, 1, false, stamp.at);
        messages.iteration(&iteration(1, 1));
        traffic.announce(&Order { seq: 1, stamp, command: Command::End });
        messages.iteration(&iteration(2, 1));
        messages.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("MESSAGE depth 1-1 ") && text.lines().count() == 1, "{text}");
    }

    /// A second of search with a thousand moves, one each millisecond.
    #[test]
    fn the_rate_is_bounded() {
        let zero = Instant::now();
        let mut display = Display::new(zero);
        let lines: usize = (0..1000)
            .map(|ms| {
                let now = zero + Duration::from_millis(ms);
                let p = point(ms as usize % 20);
                display.draw(RootEvent::Begins(p), now).len() + display.draw(RootEvent::Ends(p), now).len()
            })
            .sum();
        assert!((20..=2 * 800 / 40 + 2).contains(&lines), "{lines}");
    }
}
