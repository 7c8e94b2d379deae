//! Tengen: a Gomoku, Renju and Caro engine.
//!
//! The modules form floors. A module uses its own floor and those below, never one above; `tests/floors.rs` checks it.
//!
//! | floor | module | contents |
//! |---|---|---|
//! | 0 | [`base`] | points, colours, rules, scores, depths |
//! | 1 | [`board`] | the position: stones, the shape of a stone on each point, forbidden points, the slow oracle |
//! | 2 | [`eval`] | the evaluation of a position without threats |
//! | 3 | [`search`] | the search: limits, time, hash table, move order, threats, iterative deepening |
//! | 3 | [`solver`] | solvers for forced wins and their proofs; they use `search`, never the reverse |
//! | 4 | [`engine`] | the engine as its users see it: set a position, play, think, stop |
//! | 5 | [`protocol`] | the Gomocup protocol |
//! | 6 | [`tools`] | bench, solve, verify, play, explain |
//!
//! To get a move, you need an [`Engine`](engine::Engine) and a [`SearchControl`](search::SearchControl), through which
//! another thread can stop the search or change its limits:
//!
//! ```
//! use tengen::base::{Point, Rule, Size};
//! use tengen::engine::Engine;
//! use tengen::search::{NullSink, SearchControl, SearchLimits};
//!
//! let mut engine = Engine::new();
//! engine.set_rule(Rule::Standard);
//! engine.new_game(Size::square(15).expect("15 is a legal side"), false);
//! engine.play(Point::new(7, 7).expect("the centre"))?;
//!
//! let control = SearchControl::within(SearchLimits { nodes: Some(2000), ..SearchLimits::default() });
//! let report = engine.think(&control, &mut NullSink);
//! let answer = report.best.expect("the board is not full");
//! println!("{answer}");
//!
//! engine.play(answer)?;
//! # assert_eq!(engine.stones().len(), 2);
//! # Ok::<(), tengen::engine::PositionError>(())
//! ```

// In floor order; the blank lines keep rustfmt from sorting them.
pub mod base;

pub mod board;

pub mod eval;

pub mod search;

pub mod solver;

pub mod engine;

pub mod protocol;

pub mod tools;
