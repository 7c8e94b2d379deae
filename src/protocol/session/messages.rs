//! What is said while the engine thinks: a line for each finished iteration and, when the manager wants to draw it,
//! the search as it goes on. Floor 5.

use crate::base::{Point, Score};
use crate::protocol::info::Wishes;
use crate::protocol::output::Unhurried;
use crate::protocol::reply::{Notation, Realtime, Reply};
use crate::protocol::traffic::Traffic;
use crate::search::{Iteration, ReportSink, RootEvent};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How long a search runs before it is drawn: a quick one would only flicker.
const QUIET: Duration = Duration::from_millis(200);
/// Least time between two moves that are drawn as being looked at; every line makes the manager draw its board.
const PACE: Duration = Duration::from_millis(40);
/// Iterations up to this depth are told as they come. Deeper ones may be over in no time when few moves are left to
/// look at; a manager that shows every line in a window falls behind then, and reads our move when it is late.
const TOLD_AT_ONCE: u32 = 16;
/// Least time between the deeper iterations that are told; the last one always is.
const LINE_PACE: Duration = Duration::from_millis(50);

/// Writes what a search has to say; stops it when nobody reads. A manager that has left is told nothing: it gets the
/// answers it is owed.
pub(super) struct Messages<'a, W> {
    out: &'a mut W,
    traffic: &'a Traffic,
    notation: Notation,
    pace: Pace,
    display: Option<Display>,
    outcome: io::Result<()>,
}

/// Decides which finished iterations are told at once.
#[derive(Debug, Default)]
struct Pace {
    /// Depth that the search works at.
    depth: u32,
    /// Rank of the last line, and whether it was told. The lines of an iteration come with falling ranks; their depths
    /// may differ, since a line that is settled keeps its own.
    last: Option<(usize, bool)>,
    /// When a line was last told.
    told: Option<Instant>,
    /// The lines of the last iteration, if it was not told.
    held: Vec<Iteration>,
}

impl Pace {
    /// Whether this line of an iteration is told now. If not, it is kept until a later iteration takes its place.
    fn admits(&mut self, iteration: &Iteration, now: Instant) -> bool {
        let admitted = match self.last {
            Some((rank, admitted)) if iteration.rank < rank => admitted,
            _ => {
                self.held.clear();
                self.depth <= TOLD_AT_ONCE || self.has_rested(now)
            }
        };
        self.last = Some((iteration.rank, admitted));
        if admitted {
            self.told = Some(now);
        } else {
            self.held.push(iteration.clone());
        }
        admitted
    }

    /// What was kept and may be told by now, while the next iteration goes on.
    fn release(&mut self, now: Instant) -> Vec<Iteration> {
        if self.held.is_empty() || !self.has_rested(now) {
            return Vec::new();
        }
        self.told = Some(now);
        std::mem::take(&mut self.held)
    }

    fn has_rested(&self, now: Instant) -> bool {
        self.told.is_none_or(|told| now.saturating_duration_since(told) >= LINE_PACE)
    }
}

/// What is drawn of a running search.
#[derive(Debug)]
struct Display {
    started: Instant,
    drawn: Option<Instant>,
    /// When an iteration last made it start afresh.
    refreshed: Option<Instant>,
    /// The move drawn as being looked at.
    open: Option<Point>,
    best: Option<Point>,
    /// The best move as last told.
    told: Option<Point>,
    /// Value and line of the last iteration, if they have not been told.
    line: Option<(Score, Vec<Point>)>,
    /// Moves that lose, told and not told yet.
    lost: Vec<Point>,
    untold: Vec<Point>,
}

impl Display {
    fn new(started: Instant) -> Display {
        let (lost, untold) = (Vec::new(), Vec::new());
        Display { started, drawn: None, refreshed: None, open: None, best: None, told: None, line: None, lost, untold }
    }

    /// The lines to write for an event at this time; none in the first moments.
    fn draw(&mut self, event: RootEvent, now: Instant) -> Vec<Realtime> {
        match event {
            RootEvent::Leads(point) => self.best = Some(point),
            RootEvent::Loses(point) if !self.lost.contains(&point) => {
                self.lost.push(point);
                self.untold.push(point);
            }
            _ => {}
        }
        if now.saturating_duration_since(self.started) < QUIET {
            return Vec::new();
        }
        let mut lines = Vec::new();
        let long_ago = |then: Option<Instant>| then.is_none_or(|then| now.saturating_duration_since(then) >= PACE);
        let rested = long_ago(self.drawn);
        match event {
            RootEvent::Deepens(_) if long_ago(self.refreshed) => {
                self.open = None;
                self.refreshed = Some(now);
                lines.push(Realtime::Refresh);
            }
            RootEvent::Begins(point) if rested => {
                self.open = Some(point);
                lines.push(Realtime::Position(point));
            }
            RootEvent::Ends(point) if self.open == Some(point) => {
                self.open = None;
                lines.push(Realtime::Done(point));
            }
            _ => {}
        }
        if rested {
            lines.extend(self.news());
        }
        if !lines.is_empty() {
            self.drawn = Some(now);
        }
        lines
    }

    /// The best move and the losing ones, as far as they have not been told.
    fn news(&mut self) -> Vec<Realtime> {
        let mut lines = Vec::new();
        if self.best != self.told {
            self.told = self.best;
            lines.extend(self.best.map(Realtime::Best));
        }
        lines.extend(self.untold.drain(..).map(Realtime::Lose));
        lines
    }
}

impl<'a, W: Write> Messages<'a, W> {
    pub(super) fn new(
        out: &'a mut W,
        traffic: &'a Traffic,
        notation: Notation,
        wishes: &Wishes,
        started: Instant,
    ) -> Messages<'a, W> {
        let display = wishes.realtime().then(|| Display::new(started));
        Messages { out, traffic, notation, pace: Pace::default(), display, outcome: Ok(()) }
    }

    fn write(&mut self, reply: &Reply<'_>) {
        if self.outcome.is_ok() && self.traffic.left().is_none() {
            self.outcome = reply.write(&mut Unhurried(self.out));
        }
        if self.outcome.is_err() {
            self.traffic.control().stop();
        }
    }

    /// Tells what has not been told yet. An error: the output is closed.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.pace.held);
        self.tell(&held);
        let news = self.display.as_mut().map(Display::news).unwrap_or_default();
        for line in news {
            self.write(&Reply::Realtime(line));
        }
        self.show_line();
        self.outcome
    }

    fn tell(&mut self, iterations: &[Iteration]) {
        let notation = self.notation;
        for iteration in iterations {
            self.write(&Reply::Iteration { iteration, notation });
        }
    }

    /// Tells value and line, if they are new.
    fn show_line(&mut self) {
        let notation = self.notation;
        if let Some((score, line)) = self.display.as_mut().and_then(|display| display.line.take()) {
            self.write(&Reply::Realtime(Realtime::Value(score)));
            self.write(&Reply::RealtimeLine { line: &line, notation });
        }
    }
}

impl<W: Write> ReportSink for Messages<'_, W> {
    fn iteration(&mut self, iteration: &Iteration) {
        let admitted = self.pace.admits(iteration, Instant::now());
        if admitted {
            self.tell(std::slice::from_ref(iteration));
        }
        if iteration.rank == 1
            && let Some(display) = &mut self.display
        {
            display.best = iteration.pv.first().copied();
            display.line = Some((iteration.score, iteration.pv.clone()));
            if admitted && display.started.elapsed() >= QUIET {
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
            self.tell(&held);
            self.show_line();
        }
        let Some(display) = &mut self.display else { return };
        for line in display.draw(event, Instant::now()) {
            self.write(&Reply::Realtime(line));
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
    fn nothing_is_drawn_at_first_and_little_later() {
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
        assert_eq!(display.draw(RootEvent::Loses(point(4)), at(400)), [], "told already");
        assert_eq!(display.draw(RootEvent::Begins(point(8)), at(401)), [Realtime::Position(point(8))]);
        assert_eq!(display.draw(RootEvent::Leads(point(6)), at(410)), []);
        assert_eq!(display.news(), [Realtime::Best(point(6))], "what is left is told at the end");
    }

    fn iteration(depth: u32, rank: usize) -> Iteration {
        let (score, pv) = (Score::DRAW, vec![point(3)]);
        let elapsed = Duration::from_millis(u64::from(depth));
        Iteration { depth, seldepth: depth, score, nodes: 1, elapsed, pv, rank }
    }

    #[test]
    fn deep_iterations_that_take_no_time_are_not_all_told() {
        let zero = Instant::now();
        let mut pace = Pace::default();
        // A hundred iterations of two lines, each a millisecond after the one before.
        let all = (1..=100).flat_map(|depth| [iteration(depth, 2), iteration(depth, 1)]);
        let told: Vec<_> = all
            .filter(|iteration| {
                pace.depth = iteration.depth;
                pace.admits(iteration, zero + iteration.elapsed)
            })
            .map(|iteration| (iteration.depth, iteration.rank))
            .collect();
        let shallow: Vec<_> = (1..=16).flat_map(|depth| [(depth, 2), (depth, 1)]).collect();
        assert_eq!(told[..32], shallow);
        assert_eq!(told[32..], [(66, 2), (66, 1)], "50 ms after the one before");
        let held: Vec<_> = pace.held.iter().map(|iteration| (iteration.depth, iteration.rank)).collect();
        assert_eq!(held, [(100, 2), (100, 1)]);
    }

    /// The best line is a win that was settled at depth 9; the other two go on, an iteration a millisecond.
    #[test]
    fn a_settled_line_does_not_make_the_others_be_forgotten() {
        let zero = Instant::now();
        let mut pace = Pace::default();
        let lines = |depth| [iteration(depth, 3), iteration(depth, 2), iteration(depth.min(9), 1)];
        let mut told = Vec::new();
        for depth in 1..=100 {
            pace.depth = depth;
            let now = zero + Duration::from_millis(u64::from(depth));
            told.extend(lines(depth).into_iter().filter(|line| pace.admits(line, now)));
        }
        assert_eq!(told.len(), 3 * 17, "sixteen at once and one 50 ms later");
        assert_eq!(told[48..], lines(66));
        assert_eq!(pace.held, lines(100));
    }

    /// Twenty iterations in no time, then one that takes long: what was found by then need not wait for it.
    #[test]
    fn what_is_held_is_told_while_the_next_iteration_runs() {
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

    /// Piskvork took more than a second for the 175 lines of one move, and called the move late.
    #[test]
    fn a_flood_of_iterations_becomes_a_few_lines_and_the_last_one() {
        let (mut out, traffic) = (Vec::new(), Traffic::default());
        let zero = Instant::now();
        let mut messages = Messages::new(&mut out, &traffic, Notation::Plain, &Wishes::default(), zero);
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
    fn a_manager_that_has_left_is_told_nothing() {
        let (mut out, traffic) = (Vec::new(), Traffic::default());
        let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
        let mut messages = Messages::new(&mut out, &traffic, Notation::Plain, &Wishes::default(), stamp.at);
        messages.iteration(&iteration(1, 1));
        traffic.announce(&Order { seq: 1, stamp, command: Command::End });
        messages.iteration(&iteration(2, 1));
        messages.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("MESSAGE depth 1-1 ") && text.lines().count() == 1, "{text}");
    }

    /// A thousand moves in a second of search, each looked at for a millisecond.
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
