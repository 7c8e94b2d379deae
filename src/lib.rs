//! Tengen: a Gomoku, Renju and Caro engine.
//!
//! The house is built in floors. A floor uses those below it and its own, never one above; `tests/floors.rs` sees to
//! it.
//!
//! | floor | module | what lives there |
//! |---|---|---|
//! | 0 | [`base`] | the words: points, colours, rules, scores, depths |
//! | 1 | [`board`] | the position: stones, what a stone on each point would make, forbidden points, the slow oracle |
//! | 2 | [`eval`] | judgement: what a quiet position is worth |
//! | 3 | [`search`] | the main search: limits, time, table, move order, what threats force, iterative deepening |
//! | 3 | [`solver`] | solvers for forced wins and their proofs; they use `search`, never the reverse |
//! | 4 | [`engine`] | the whole as its users see it: set a position, play, think, stop |
//! | 5 | [`protocol`] | the conversation with a manager: the only place that knows its words |
//! | 6 | [`tools`] | bench, solve and verify, the match runner, the opening generator |
//!
//! To get a move, you need an [`Engine`](engine::Engine) and a [`SearchControl`](search::SearchControl), with which
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
//! let control = SearchControl::default();
//! control.begin(SearchLimits { nodes: Some(2000), ..SearchLimits::default() });
//! let report = engine.think(&control, &mut NullSink);
//! let answer = report.best.expect("the board is not full");
//! println!("{answer}");
//!
//! engine.play(answer)?;
//! # assert_eq!(engine.stones().len(), 2);
//! # Ok::<(), tengen::engine::PositionError>(())
//! ```

// In floor order, each on a line of its own so that no tool sorts them.
pub mod base;

pub mod board;

pub mod eval;

pub mod search;

pub mod solver;

pub mod engine;

pub mod protocol;

pub mod tools;
