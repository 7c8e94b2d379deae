//! The match runner: brains that speak the Gomocup protocol against each other, ours or anybody's. Floor 6.
//!
//! One duty a file, from the outside in: [`cli`] what was typed · [`spec`] the engines · [`openings`] and
//! [`schedule`] which games there are · [`tournament`] workers and books · [`referee`] one game · [`player`] one
//! brain and its clock · [`process`] its process · [`message`] what it says · [`tally`], [`sprt`] and [`ratings`]
//! what it all means · [`record`] and [`export`] the files · [`display`] the screen.
//!
//! Three promises hold everywhere: no wait is without a deadline; a brain's fault costs that brain that game and
//! nothing else; a game depends on its opening, colours and engines alone, never on when or beside what it was played.

pub mod cancel;
pub mod cli;
pub mod display;
pub mod export;
pub mod message;
pub mod openings;
pub mod player;
pub mod process;
pub mod ratings;
pub mod record;
pub mod referee;
pub mod schedule;
pub mod spec;
pub mod sprt;
pub mod tally;
pub mod tournament;
