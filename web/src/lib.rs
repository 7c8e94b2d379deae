//! Tengen for a browser: one function, [`call`], which answers questions in JSON.
//!
//! The page loads this module twice. On the page itself it knows the rules, explains forbidden points and reads and writes
//! records, all in an instant. In a worker it searches; while it does, it reports through `tengenReport`, and several times a
//! second it looks whether to stop: `tengenLook`. Where the browser can suspend WebAssembly, the worker takes in messages
//! meanwhile. Only a function without arguments and results is easily called so, therefore a worker puts the question, runs
//! it and takes the answer: [`put`], [`run`], [`take`].
//!
//! | module | contents |
//! |---|---|
//! | [`wire`] | positions and scores as the page writes and reads them |
//! | [`referee`] | the rules: results, forbidden points and their reasons |
//! | [`records`] | records of games, with variations, read and written |
//! | [`levels`] | the levels and their measured strength |
//! | [`mind`] | searches: a move, an analysis, swap2, the bench |
//! | [`proofs`] | winning trees |
//! | [`reviews`] | finished games, judged move by move |
//! | [`kernels`] | whether the network computes the same with every instruction set |
//! | [`host`] | what the page provides |

pub mod host;
pub mod kernels;
pub mod levels;
pub mod mind;
pub mod proofs;
pub mod records;
pub mod referee;
pub mod reviews;
pub mod wire;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

/// A question of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    About,
    Judge { position: wire::Position },
    Explain { position: wire::Position, point: usize },
    Charset { bytes: Vec<u8> },
    Games { source: records::Source, board: Option<(usize, usize)> },
    Read { source: records::Source, board: Option<(usize, usize)>, game: usize },
    Write { format: records::SaveFormat, game: records::Tree },
    Prepare { position: wire::Position },
    Think { position: wire::Position, budget: mind::Budget, level: u32, seed: u64 },
    Analyse { position: wire::Position, budget: mind::Budget, lines: usize, blocked: Vec<usize> },
    Swap2 { position: wire::Position, budget: mind::Budget, seed: u64 },
    Prove { position: wire::Position, ms: u64 },
    Review { position: wire::Position, nodes: u64, imposed: usize },
    Bench,
    Kernels,
}

thread_local! {
    static MIND: RefCell<mind::Mind> = RefCell::new(mind::Mind::new());
    /// The question that was put, or its answer.
    static SLIP: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Puts a question for [`run`].
#[wasm_bindgen]
pub fn put(question: String) {
    SLIP.set(question);
}

/// Answers the question that was put. It may be suspended on the way; nothing else may be called until it returns.
#[wasm_bindgen]
pub fn run() {
    let question = SLIP.take();
    SLIP.set(call(&question));
}

/// The answer to the question that was put.
#[wasm_bindgen]
pub fn take() -> String {
    SLIP.take()
}

/// Answers a question in JSON, also in JSON: `{"ok": answer}` or `{"error": "one line"}`.
#[wasm_bindgen]
pub fn call(question: &str) -> String {
    host::report_panics();
    let answer = serde_json::from_str(question).context("not a question").and_then(answer);
    match answer {
        Ok(answer) => json!({ "ok": answer }),
        Err(error) => json!({ "error": format!("{error:#}") }),
    }
    .to_string()
}

fn answer(question: Question) -> Result<Value> {
    let ask = |question: &mut dyn FnMut(&mut mind::Mind) -> Result<Value>| MIND.with_borrow_mut(|mind| question(mind));
    match question {
        Question::About => Ok(json!({ "version": env!("CARGO_PKG_VERSION"), "levels": levels::all() })),
        Question::Judge { position } => referee::judge(&position),
        Question::Explain { position, point } => referee::explain(&position, point),
        Question::Charset { bytes } => Ok(json!(records::charset(&bytes))),
        Question::Games { source, board } => Ok(records::games(&source, board)),
        Question::Read { source, board, game } => records::read(&source, board, game),
        Question::Write { format, game } => Ok(json!(records::write(format, &game)?)),
        Question::Prepare { position } => ask(&mut |mind| mind.prepare(&position)),
        Question::Think { position, budget, level, seed } => {
            ask(&mut |mind| mind.think(&position, budget, level, seed))
        }
        Question::Analyse { position, budget, lines, blocked } => {
            ask(&mut |mind| mind.analyse(&position, budget, lines, &blocked))
        }
        Question::Swap2 { position, budget, seed } => ask(&mut |mind| mind.swap2(&position, budget, seed)),
        Question::Prove { position, ms } => proofs::prove(&position, ms),
        Question::Review { position, nodes, imposed } => reviews::review(&position, nodes, imposed),
        Question::Bench => mind::bench(),
        Question::Kernels => kernels::check(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_question_gets_one_line() {
        for question in ["", "{}", r#"{"ask":"fly"}"#, r#"{"ask":"judge","position":{"rule":7}}"#] {
            let answer: Value = serde_json::from_str(&call(question)).unwrap();
            let error = answer["error"].as_str().expect("an error");
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
    }
}
