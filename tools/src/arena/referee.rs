//! One game from the first stone to the result. The oracle judges every stone.

use super::adjudication;
use super::game_log::{GameRecord, Late, Reason, Timing, WouldEnd};
use super::line_check::{self, Flaw, GameEnd, Remark, Thinking};
use super::match_options::Setup;
use super::player::{Answer, Failure, Fault, NoAnswer, Player, Swap2Answer};
use super::schedule::Game;
use super::terms::Terms;
use super::thought::Thought;
use std::convert::Infallible;
use std::time::Duration;
use tengen::base::{Color, Point};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::board::{Foul, notation};

/// The end of a game: the winner's seat, if there is a winner, and the reason.
#[derive(Clone, Debug)]
struct Ending {
    winner: Option<usize>,
    reason: Reason,
    note: String,
}

/// Why a game stops: it is over, or the tournament is cancelled.
enum Stop {
    Over(Ending),
    Cancelled,
}

/// A game in progress.
struct RunningGame<'a, 'p> {
    terms: Terms,
    players: &'a mut [Player<'p>; 2],
    oracle: Oracle,
    stones: Vec<Point>,
    /// The seat that plays black.
    black: usize,
    /// What is known about each stone after the opening, without the stone.
    answers: Vec<Answer<()>>,
    /// Answers after their time.
    late: Vec<Late>,
    /// Games at the same time.
    games: usize,
    /// For each stone of the swap2 opening, whether the second seat placed it.
    swap2: Vec<bool>,
    /// The number of stones at which adjudication would have ended the game, and how.
    would_end: Option<(usize, Ending)>,
}

/// Plays a game; `players[0]` opens. `None` if the tournament is cancelled; the game then does not count.
pub fn play(
    game: &Game,
    setup: &Setup,
    [match_id, test]: &[String; 2],
    players: &mut [Player<'_>; 2],
) -> Option<GameRecord> {
    let terms = setup.schedule.grounds[game.ground].terms;
    let oracle = game.opening.oracle(terms.rule, terms.size);
    let mut running = RunningGame {
        terms,
        players,
        oracle,
        stones: game.opening.stones.clone(),
        black: 0,
        answers: Vec::new(),
        late: Vec::new(),
        games: setup.concurrency.min(setup.schedule.total()),
        swap2: Vec::new(),
        would_end: None,
    };
    let ending = match running.run() {
        Stop::Over(ending) => ending,
        Stop::Cancelled => return None,
    };
    let name = |seat: usize| setup.engines[game.seats[seat]].name.clone();
    let answers = &running.answers;
    let overruns: Vec<f64> = answers.iter().map(|a| tenths(a.overrun)).collect();
    let nodes_at: Vec<f64> = answers.iter().map(|a| tenths(a.thought.nodes_at)).collect();
    let mut record = GameRecord {
        match_id: match_id.clone(),
        test: test.clone(),
        seed: setup.seed,
        game: game.number,
        rule: terms.rule.number(),
        width: terms.size.width(),
        height: terms.size.height(),
        players: [name(0), name(1)],
        black: name(running.black),
        white: name(1 - running.black),
        opening: game.opening.stones.len(),
        swap2: std::mem::take(&mut running.swap2),
        symmetry: game.symmetry,
        moves: notation::moves_text(&running.stones),
        result: match ending.winner {
            None => "1/2-1/2",
            Some(seat) if seat == running.black => "1-0",
            Some(_) => "0-1",
        }
        .to_owned(),
        winner: ending.winner.map(name),
        reason: ending.reason,
        would_end: running
            .would_end
            .as_ref()
            .map(|(stones, ending)| WouldEnd { stones: *stones, winner: ending.winner.map(name) }),
        note: ending.note,
        about: [0, 1].map(|seat| running.players[seat].about().to_owned()),
        scores: answers.iter().map(|a| a.thought.score.clone()).collect(),
        depths: answers.iter().map(|a| a.thought.depth).collect(),
        nodes: answers.iter().map(|a| a.thought.nodes).collect(),
        lines: [0; 2],
        remarks: Vec::new(),
        timing: Timing {
            late: std::mem::take(&mut running.late),
            ms: answers.iter().map(|a| tenths(a.time)).collect(),
            overrun_ms: if overruns.iter().any(|&ms| ms > 0.0) { overruns } else { Vec::new() },
            nodes_ms: if nodes_at.iter().any(|&ms| ms > 0.0) { nodes_at } else { Vec::new() },
        },
    };
    running.check_lines(&mut record);
    Some(record)
}

impl RunningGame<'_, '_> {
    fn run(&mut self) -> Stop {
        let Err(stop) = self.play_to_end();
        stop
    }

    fn play_to_end(&mut self) -> Result<Infallible, Stop> {
        for seat in 0..2 {
            let begun = self.players[seat].begin(self.terms);
            begun.map_err(|no_answer| self.lost(seat, no_answer))?;
        }
        if self.terms.swap2 {
            self.swap2()?;
        }
        loop {
            let seat = self.to_move();
            let answer = self.players[seat].think(&self.stones);
            let answer = answer.map_err(|no_answer| self.lost(seat, no_answer))?;
            self.place(seat, answer.what, &answer)?;
        }
    }

    /// The seat to move.
    fn to_move(&self) -> usize {
        self.black ^ (self.stones.len() & 1)
    }

    /// Places the next stone, chosen by `seat`; in a swap2 opening that may be a stone of the opponent's colour.
    fn place<T>(&mut self, seat: usize, (x, y): (i64, i64), answer: &Answer<T>) -> Result<(), Stop> {
        let color = Color::to_move_after(self.stones.len());
        let Some(point) = self.terms.size.point(x, y) else {
            return Err(self.illegal(seat, &format!("played {x},{y}, off the board")));
        };
        let verdict = self.oracle.play(point, color);
        if verdict == Verdict::Illegal {
            return Err(self.illegal(seat, &format!("played {x},{y}, an occupied point")));
        }
        self.note_late(seat, answer.overrun);
        self.stones.push(point);
        self.answers.push(Answer {
            what: (),
            time: answer.time,
            overrun: answer.overrun,
            thought: answer.thought.clone(),
        });
        let over = |winner, reason| Err(Stop::Over(Ending { winner, reason, note: String::new() }));
        match verdict {
            Verdict::Wins => over(Some(self.seat_of(color)), Reason::Five),
            Verdict::Foul(foul) => {
                let note = foul_name(&foul).to_owned();
                Err(Stop::Over(Ending { winner: Some(1 - self.seat_of(color)), reason: Reason::Forbidden, note }))
            }
            Verdict::Draw => over(None, Reason::FullBoard),
            _ if self.terms.draw_after.is_some_and(|most| self.stones.len() >= most) => over(None, Reason::MoveLimit),
            _ => self.adjudicate(color),
        }
    }

    /// Ends the game if its result is certain after a move of `color`, or notes that where it is to be played on.
    fn adjudicate(&mut self, color: Color) -> Result<(), Stop> {
        let Some(ending) = self.certain_ending(color).filter(|_| self.would_end.is_none()) else { return Ok(()) };
        if self.terms.adjudicate {
            return Err(Stop::Over(ending));
        }
        self.would_end = Some((self.stones.len(), ending));
        Ok(())
    }

    /// The result of the game after a move of `color`, if it is certain.
    fn certain_ending(&self, color: Color) -> Option<Ending> {
        let ending = |winner, reason| Some(Ending { winner, reason, note: String::new() });
        let claim = |answer: &Answer<()>| answer.thought.score.as_deref().and_then(adjudication::claim);
        if let [.., before, last] = &self.answers[..] {
            match (claim(before), claim(last)) {
                (Some(true), Some(false)) => return ending(Some(1 - self.seat_of(color)), Reason::Announced),
                (Some(false), Some(true)) => return ending(Some(self.seat_of(color)), Reason::Announced),
                _ => {}
            }
        }
        // A dead draw has a stone of either colour in every window of five: about two fifths of the points. It is not looked
        // for earlier.
        let is_crowded = 5 * self.stones.len() >= 2 * self.terms.size.cells();
        if is_crowded && adjudication::is_dead_draw(&self.oracle) { ending(None, Reason::DeadDraw) } else { None }
    }

    fn seat_of(&self, color: Color) -> usize {
        self.black ^ color.index()
    }

    fn illegal(&mut self, seat: usize, note: &str) -> Stop {
        let no_answer = self.players[seat].fail(Fault::Illegal, note);
        self.lost(seat, no_answer)
    }

    /// The end of the game when a seat fails: the other seat wins.
    fn lost(&mut self, seat: usize, no_answer: NoAnswer) -> Stop {
        match no_answer {
            NoAnswer::Cancelled => Stop::Cancelled,
            NoAnswer::Failed(Failure { fault, note, overrun }) => {
                if fault == Fault::Timeout {
                    self.note_late(seat, overrun);
                }
                Stop::Over(Ending { winner: Some(1 - seat), reason: Reason::Fault(fault), note })
            }
        }
    }

    fn note_late(&mut self, player: usize, overrun: Duration) {
        let ms = tenths(overrun);
        if ms <= 0.0 {
            return;
        }
        let swap2 = self.swap2.iter().any(|&is_second| usize::from(is_second) == player);
        let moves = self.answers.len().saturating_sub(self.swap2.len());
        let is_first = !swap2 && moves < 2;
        self.late.push(Late { player, stones: self.stones.len(), ms, is_first, load: load(), games: self.games });
    }

    /// Holds what the players announced against the game.
    fn check_lines(&self, record: &mut GameRecord) {
        let empty = Oracle::new(self.terms.rule, self.terms.size);
        for seat in 0..2 {
            let is_own =
                |&(index, _): &(usize, &Answer<()>)| index >= record.swap2.len() && record.mover(index) == seat;
            let thinking: Vec<Thinking<'_>> = self
                .answers
                .iter()
                .enumerate()
                .filter(is_own)
                .map(|(index, a)| Thinking { stones: record.opening + index, thought: &a.thought, time: a.time })
                .collect();
            let end = match record.reason {
                Reason::Five | Reason::Forbidden if record.winner.as_ref() == Some(&record.players[seat]) => {
                    GameEnd::Won
                }
                Reason::Five | Reason::Forbidden | Reason::FullBoard | Reason::DeadDraw => GameEnd::NotWon,
                Reason::MoveLimit | Reason::Announced | Reason::Fault(_) => GameEnd::Open,
            };
            let player = &self.players[seat];
            if let Some(note) = player.restarted() {
                let (flaw, note) = (Flaw::Restart, note.to_owned());
                record.remarks.push(Remark { player: seat, stones: record.opening, flaw, note });
            }
            let (lines, remarks) = line_check::check(&empty, &self.stones, (seat, player.limits()), &thinking, end);
            record.lines[seat] = lines;
            record.remarks.extend(remarks);
        }
    }

    /// Plays the swap2 opening: the first seat places three stones; the second chooses a colour or places two more; then the
    /// first chooses.
    fn swap2(&mut self) -> Result<(), Stop> {
        if self.stones.is_empty() {
            self.put_opening_stones(0, &[3])?;
        }
        match self.put_opening_stones(1, &[0, 1, 2])? {
            0 => self.black = 1,
            2 if self.put_opening_stones(0, &[0, 1])? == 1 => self.black = 1,
            // The second seat has chosen white, or the first has chosen black after five stones.
            _ => {}
        }
        Ok(())
    }

    /// Asks a swap2 question and places the stones of the answer. Returns their number; 0 means that the seat takes black.
    fn put_opening_stones(&mut self, seat: usize, expected: &[usize]) -> Result<usize, Stop> {
        let answer = self.players[seat].swap2(&self.stones);
        let answer = answer.map_err(|no_answer| self.lost(seat, no_answer))?;
        let stones = match &answer.what {
            Swap2Answer::Swap => Vec::new(),
            Swap2Answer::Stones(stones) => stones.clone(),
        };
        if !expected.contains(&stones.len()) {
            let note = format!("answered SWAP2BOARD after {} stones with {:?}", self.stones.len(), answer.what);
            return Err(self.illegal(seat, &note));
        }
        for (index, &stone) in stones.iter().enumerate() {
            let known = if index == 0 { answer.clone() } else { silent(&answer.what) };
            self.place(seat, stone, &known)?;
            self.swap2.push(seat == 1);
        }
        Ok(stones.len())
    }
}

/// A foul in words.
fn foul_name(foul: &Foul) -> &'static str {
    match foul {
        Foul::Overline(_) => "overline",
        Foul::DoubleFour(_) => "double four",
        Foul::DoubleThree(_) => "double three",
    }
}

/// An answer without time and figures, for the second and third stone of one line.
fn silent<T: Clone>(what: &T) -> Answer<T> {
    Answer { what: what.clone(), time: Duration::ZERO, overrun: Duration::ZERO, thought: Thought::default() }
}

/// Milliseconds, to a tenth.
fn tenths(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

/// The load average of the last minute and the number of threads that run or could; only Linux tells.
fn load() -> Option<(f64, u32)> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let mut words = text.split_whitespace();
    let average = words.next()?.parse().ok()?;
    Some((average, words.nth(2)?.split('/').next()?.parse().ok()?))
}
