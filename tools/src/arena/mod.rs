//! The match runner: plays brains that speak the Gomocup protocol against each other, Tengen or any other.
//!
//! | file | duty |
//! |---|---|
//! | [`match_options`] | the command line, and the match made of it |
//! | [`terms`], [`spec`] | what all games have in common; each engine and its limits |
//! | [`openings`], [`schedule`] | the openings; which games there are, in which order |
//! | [`tournament`] | worker threads, and the one thread that counts the results |
//! | [`referee`] | one game |
//! | [`player`], [`brain_process`], [`thought`] | one brain: protocol and clock, process, the figures in its messages |
//! | [`tally`], [`sprt`], [`ratings`] | sums, pentanomial statistics and sequential test, ratings |
//! | [`game_log`], [`export`] | record file and resumption; Piskvork and SGF files |
//! | [`display`], [`cancel`] | what the user sees; Ctrl-C |
//!
//! Three rules hold everywhere: every wait has a deadline; a fault of a brain costs it the game and has no other effect;
//! a game depends only on its opening, colours and engines, never on when it is played or on other games.

pub mod adjudication;
pub mod brain_process;
pub mod cancel;
pub mod display;
pub mod export;
pub mod game_log;
pub mod ground;
pub mod match_options;
pub mod openings;
pub mod player;
pub mod pooled_count;
pub mod queue;
pub mod ratings;
pub mod referee;
pub mod schedule;
pub mod spec;
pub mod sprt;
pub mod tally;
pub mod terms;
pub mod thought;
pub mod tournament;
