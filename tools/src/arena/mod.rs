//! The match runner: plays brains that speak the Gomocup protocol against each other, Tengen or any other.
//!
//! `docs/house.md` lists its files.
//!
//! Three rules hold everywhere: every wait has a deadline; a fault of a brain costs it the game and has no other effect;
//! at fixed nodes a game depends only on its opening, colours and engines, never on when it is played or on other games.

pub mod adjudication;
pub mod brain_process;
pub mod cancel;
pub mod display;
pub mod export;
pub mod game_log;
pub mod ground;
pub mod line_check;
pub mod match_options;
pub mod openings;
pub mod player;
pub mod pooled_count;
pub mod queue;
pub mod ratings;
pub mod referee;
pub mod revision;
pub mod schedule;
pub mod spec;
pub mod sprt;
pub mod tally;
pub mod terms;
pub mod thought;
pub mod tournament;
