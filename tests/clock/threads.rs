//! Searches with several threads: they make legal moves in time and stop at once, and no thread is left behind.
//! `TENGEN_GAMES=1000` plays that many games; the normal run plays a few.

use crate::common::{Iterations, alone, moves_text, random_move, seeded, size};
use rand::Rng;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tengen::base::{Cell, Color, Point, Rule};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::engine::Engine;
#[cfg(target_os = "linux")]
use tengen::engine::Options;
use tengen::search::{NullSink, SearchControl, SearchLimits, SearchReport};
use tengen_amount::amount;

/// Waits until this process has that many helper threads. A new thread takes a moment to set its name, and one that
/// ends takes a moment to disappear.
#[cfg(target_os = "linux")]
#[track_caller]
fn expect_helpers(expected: usize, when: &str) {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        let count = names.filter(|name| name.starts_with("helper")).count();
        if count == expected {
            return;
        }
        assert!(Instant::now() < until, "{when}: {count} helpers, not {expected}");
        std::thread::yield_now();
    }
}

fn engine(rule: Rule, sides: (usize, usize), threads: usize) -> Engine {
    let mut engine = Engine::new();
    engine.set_rule(rule);
    engine.options_mut().threads = threads;
    engine.options_mut().hash_size = Some(4 << 20);
    engine.new_game(size(sides), false);
    engine
}

/// Plays some moves in the middle of a 15x15 board; the position is open.
fn middle_game(engine: &mut Engine) {
    for (x, y) in [(7, 7), (8, 8), (7, 8), (7, 9), (9, 7), (8, 7), (8, 6), (6, 8)] {
        engine.play(Point::new(x, y).unwrap()).unwrap();
    }
}

fn think(engine: &mut Engine, limits: &SearchLimits) -> SearchReport {
    let control = SearchControl::within(SearchLimits { started: Some(Instant::now()), ..limits.clone() });
    engine.think(&control, &mut NullSink)
}

fn nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), ..SearchLimits::default() }
}

#[test]
#[cfg(target_os = "linux")]
fn threads_come_when_asked_for_and_go() {
    let _turn = alone();
    expect_helpers(0, "at first");
    let mut first = engine(Rule::Freestyle, (15, 15), 2);
    expect_helpers(1, "a new game starts them");
    middle_game(&mut first);
    for threads in [2, 1, 0, 2, 2, usize::MAX, 1, 2] {
        first.options_mut().threads = threads;
        think(&mut first, &nodes(5000));
        expect_helpers(threads.clamp(1, Options::machine_threads()) - 1, &format!("{threads} threads asked for"));
    }
    let second = engine(Rule::Renju, (15, 15), 2);
    expect_helpers(2, "two engines");
    drop(second);
    expect_helpers(1, "one of them dropped");
    first.new_game(size((20, 20)), false);
    expect_helpers(1, "parked through a new game");
    drop(first);
    expect_helpers(0, "both dropped");
    for _ in 0..50 {
        let mut engine = engine(Rule::Caro, (15, 15), 2);
        middle_game(&mut engine);
        think(&mut engine, &nodes(300));
    }
    expect_helpers(0, "fifty engines dropped");
}

#[test]
fn limits_hold_for_all_threads_together() {
    let _turn = alone();
    let mut engine = engine(Rule::Freestyle, (15, 15), 2);
    middle_game(&mut engine);
    for wanted in [1, 100, 3000, 60_000] {
        engine.clear_hash();
        let report = think(&mut engine, &nodes(wanted));
        // Threads report their nodes in batches, and a helper may run for a while before the main thread does.
        assert!(report.last.nodes <= wanted + 3000, "{} nodes instead of {wanted}", report.last.nodes);
        assert!(report.best.is_some());
    }
    engine.clear_hash();
    let report = think(&mut engine, &SearchLimits { depth: Some(6), ..SearchLimits::default() });
    assert!((1..=6).contains(&report.last.depth));
}

#[test]
fn a_stop_and_the_clock_are_obeyed() {
    let _turn = alone();
    let mut engine = engine(Rule::Freestyle, (15, 15), 2);
    middle_game(&mut engine);
    // A busy machine may keep every thread waiting for a while, but not every time.
    let mut is_prompt = || {
        engine.clear_hash();
        let control = SearchControl::within(SearchLimits::default());
        let stopped = std::thread::scope(|scope| {
            let (sender, finished) = mpsc::channel();
            let control = &control;
            let stopper = scope.spawn(move || {
                finished.recv().unwrap();
                control.stop();
                Instant::now()
            });
            engine.think(control, &mut Iterations(sender));
            let end = Instant::now();
            end.saturating_duration_since(stopper.join().unwrap())
        });
        let begin = Instant::now();
        think(&mut engine, &SearchLimits { turn: Some(Duration::from_millis(100)), ..SearchLimits::default() });
        stopped < Duration::from_millis(50) && begin.elapsed() < Duration::from_millis(150)
    };
    assert!((0..20).any(|_| is_prompt()), "stopped or answered late, twenty times");
}

#[test]
fn one_thread_is_deterministic_whatever_came_before() {
    let _turn = alone();
    let search = |engine: &mut Engine| {
        engine.clear_hash();
        let report = think(engine, &nodes(20_000));
        (report.best, report.last.score, report.last.pv, report.last.nodes)
    };
    let mut engine = engine(Rule::Standard, (15, 15), 1);
    middle_game(&mut engine);
    let expected = search(&mut engine);
    engine.options_mut().threads = 2;
    search(&mut engine);
    engine.options_mut().threads = 1;
    assert_eq!(search(&mut engine), expected);
}

/// Plays one game between two engines with two and three threads; the oracle judges every move.
fn play(rule: Rule, sides: (usize, usize), seed: u64) {
    let mut random = seeded(seed);
    let mut players = [engine(rule, sides, 2), engine(rule, sides, 3)];
    let mut oracle = Oracle::new(rule, size(sides));
    let mut moves: Vec<Point> = Vec::new();
    let opening = random.random_range(0..6);
    loop {
        let us = Color::to_move_after(moves.len());
        let point = if moves.len() < opening {
            let is_legal = |p: &Point| us == Color::White || oracle.foul(*p).is_none();
            (0..100)
                .filter_map(|_| random_move(&mut random, &oracle, &moves, crate::common::Taste::Middle))
                .find(is_legal)
                .unwrap()
        } else {
            let engine = &mut players[us.index()];
            let cells: Vec<(Point, Cell)> = moves.iter().map(|&p| (p, oracle.cell(p))).collect();
            engine.set_position(&cells, us).unwrap();
            think(engine, &nodes(random.random_range(1..4000))).best.unwrap()
        };
        let has_choice = || size(sides).points().any(|p| oracle.cell(p) == Cell::Empty && oracle.foul(p).is_none());
        let foul = us == Color::Black && oracle.cell(point) == Cell::Empty && oracle.foul(point).is_some();
        assert!(
            oracle.cell(point) == Cell::Empty && !(foul && has_choice()),
            "illegal {point} under {rule:?} after {}",
            moves_text(&moves)
        );
        moves.push(point);
        let verdict = oracle.play(point, us);
        if verdict != Verdict::Continues {
            assert!(foul || matches!(verdict, Verdict::Wins | Verdict::Draw), "{verdict:?}");
            return;
        }
    }
}

#[test]
fn games_of_several_threads_are_legal() {
    let _turn = alone();
    let games = amount("TENGEN_GAMES", 10, 30);
    let sides = [(15, 15), (20, 20), (9, 9), (12, 7), (22, 22), (6, 6)];
    for game in 0..games {
        play(Rule::ALL[game as usize % 5], sides[game as usize % 6], game);
    }
}
