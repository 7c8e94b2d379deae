//! The questions of the opening rules: swap2 in both dialects, and Soosorv-8.
//!
//! In the Yixin dialect the answers are messages about the current game. They are withheld when the manager has moved on
//! to another position meanwhile; in the second and third step of swap2 it then expects a move instead.

use super::{Order, Session};
use crate::base::{Cell, Color, Point};
use crate::engine::Swap2Choice;
use crate::protocol::command::Spot;
use crate::protocol::reply::{Complaint, Reply};
use std::io::{self, Write};

impl<W: Write> Session<W> {
    /// Asks the engine the swap2 question about the current position.
    fn swap2(&mut self, order: &Order) -> io::Result<Option<Swap2Choice>> {
        let choice = self.search(order, |engine, control, sink| engine.swap2(control, sink))?.flatten();
        let placed = |choice: &Swap2Choice| !matches!(choice, Swap2Choice::Place(stones) if stones.is_empty());
        Ok(choice.filter(placed))
    }

    pub(super) fn swap2_board(&mut self, order: &Order, spots: &[Spot]) -> io::Result<()> {
        let Some(stones) = self.opening(spots) else {
            return self.complain(Complaint::Swap2Count);
        };
        let to_move = if stones.is_empty() { Color::Black } else { Color::White };
        if let Err(error) = self.engine.set_position(&stones, to_move) {
            return self.complain(error.into());
        }
        match self.swap2(order)? {
            Some(Swap2Choice::Place(stones)) => self.reply(&Reply::Stones(&stones)),
            None if stones.is_empty() => {
                let stones = self.plain_opening();
                self.reply(&Reply::Stones(&stones))
            }
            Some(Swap2Choice::Swap) | None => self.reply(&Reply::Swap),
        }
    }

    /// The stones of a swap2 question, black first; `None` if they are not 0, 3 or 5 on different points.
    fn opening(&self, spots: &[Spot]) -> Option<Vec<(Point, Cell)>> {
        self.moves(spots).filter(|moves| matches!(moves.len(), 0 | 3 | 5))
    }

    /// The opening when the engine proposes none.
    fn plain_opening(&self) -> Vec<Point> {
        let center = self.engine.size().center();
        let beside = |dx, dy| self.engine.size().point(center.x() as i64 + dx, center.y() as i64 + dy);
        [Some(center), beside(1, 0), beside(2, 2)].into_iter().flatten().collect()
    }

    /// The first swap2 question of the Yixin dialect, about the empty board. The current position stays.
    pub(super) fn swap2_opening(&mut self, order: &Order) -> io::Result<()> {
        // Yixin-Board begins a game so, with nothing but this.
        self.engine.options_mut().new_game();
        let Some(choice) = self.about(&[], Color::Black, |session| session.swap2(order))? else { return Ok(()) };
        let opening = match choice {
            Some(Swap2Choice::Place(opening)) => opening,
            Some(Swap2Choice::Swap) | None => self.plain_opening(),
        };
        self.reply_unless_left(order, &Reply::OpeningMoves { rule: "SWAP2", first: 1, stones: &opening }).map(drop)
    }

    /// The other swap2 questions of the Yixin dialect, about the current position.
    pub(super) fn swap2_step(&mut self, order: &Order, step: u8) -> io::Result<()> {
        let expected = if step == 2 { 3 } else { 5 };
        if self.engine.stones().len() != expected {
            return self.complain(Complaint::Swap2Count);
        }
        let choice = self.swap2(order)?.unwrap_or(Swap2Choice::Swap);
        let reply = match &choice {
            Swap2Choice::Place(stones) if step == 2 && stones.len() == 2 => {
                Reply::OpeningMoves { rule: "SWAP2", first: 4, stones }
            }
            choice => {
                let taken = *choice == Swap2Choice::Swap;
                Reply::OpeningSwap { rule: "SWAP2", question: step - 1, taken }
            }
        };
        if self.reply_unless_left(order, &reply)? {
            return Ok(());
        }
        // Yixin-Board skips the next move after it has left a game in which it waits for an answer, and takes any line of
        // coordinates for one. A record says only that the answer was withheld.
        Reply::Move(self.engine.size().center()).write(&mut self.out)
    }

    /// The questions of the Soosorv-8 opening; `count` is the number of fifth stones in steps 4 and 5. The first step is
    /// about the empty board, the others bring their stones. The current position stays.
    pub(super) fn soosorv(&mut self, order: &Order, step: u8, count: usize, spots: &[Spot]) -> io::Result<()> {
        let wanted = match step {
            1 => 0..=0,
            2 | 3 => 3..=3,
            4 | 5 => 4..=4,
            _ => 5..=self.engine.size().cells(),
        };
        let Some(points) =
            Spot::distinct_points(spots, self.engine.size()).filter(|points| wanted.contains(&points.len()))
        else {
            return self.complain(Complaint::SoosorvCount);
        };
        if step == 1 {
            self.engine.options_mut().new_game();
        }
        let (placed, fifths) = points.split_at(points.len().min(4));
        let position: Vec<(Point, Cell)> = placed.iter().copied().zip(Cell::stones_in_turn()).collect();
        let to_move = Color::to_move_after(placed.len());
        self.about(&position, to_move, |session| session.soosorv_answer(order, step, count, fifths)).map(drop)
    }

    /// Asks about another position; the current one stays. `None` if the position cannot be set, which has been answered.
    fn about<T>(
        &mut self,
        stones: &[(Point, Cell)],
        to_move: Color,
        ask: impl FnOnce(&mut Self) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        let current = (self.engine.stones().to_vec(), self.engine.to_move());
        if let Err(error) = self.engine.set_position(stones, to_move) {
            return self.complain(error.into()).map(|()| None);
        }
        let outcome = ask(self);
        if let Err(error) = self.engine.set_position(&current.0, current.1) {
            log::error!("cannot restore the position: {error}");
        }
        outcome.map(Some)
    }

    fn soosorv_answer(&mut self, order: &Order, step: u8, count: usize, fifths: &[Point]) -> io::Result<()> {
        let rule = "SOOSORV";
        match step {
            1 => {
                let opening = self.search(order, |engine, control, _| engine.soosorv_opening(control))?;
                let opening = opening.filter(|opening| opening.len() == 3).unwrap_or_else(|| self.plain_opening());
                self.reply_unless_left(order, &Reply::OpeningMoves { rule, first: 1, stones: &opening }).map(drop)
            }
            2 => {
                let better =
                    self.search(order, |engine, control, sink| engine.soosorv_black_is_better(control, sink))?;
                let taken = better.unwrap_or(false);
                self.reply_unless_left(order, &Reply::OpeningSwap { rule, question: 1, taken }).map(drop)
            }
            3 => {
                let fourth = self.search(order, |engine, control, sink| engine.soosorv_fourth(control, sink))?;
                match fourth.flatten().or_else(|| self.fallback().map(|point| (point, 1))) {
                    Some((point, count)) => {
                        self.reply_unless_left(order, &Reply::SoosorvFourth { point, count }).map(drop)
                    }
                    None => self.complain(Complaint::NoMove),
                }
            }
            4 => {
                let better =
                    self.search(order, |engine, control, sink| engine.soosorv_white_is_better(count, control, sink))?;
                let taken = better.unwrap_or(false);
                self.reply_unless_left(order, &Reply::OpeningSwap { rule, question: 2, taken }).map(drop)
            }
            5 => {
                let fifths = self.search(order, |engine, control, sink| engine.soosorv_fifths(count, control, sink))?;
                self.reply_unless_left(order, &Reply::SoosorvFifths(&fifths.unwrap_or_default())).map(drop)
            }
            _ => {
                let choice =
                    self.search(order, |engine, control, sink| engine.soosorv_choice(fifths, control, sink))?;
                match choice.flatten().or(fifths.first().copied()) {
                    Some(point) => self.reply_unless_left(order, &Reply::SoosorvChoice(point)).map(drop),
                    None => self.complain(Complaint::SoosorvCount),
                }
            }
        }
    }
}
