//! What a tournament measures: memory, how soon a stop is obeyed, how soon the process leaves. The normal run measures a
//! little; `TENGEN_LIMITS=1000 cargo test --release --test limits -- --nocapture` stops and ends that many searches, and
//! prints the figures.
//!
//! Times are asserted in processor time of the brain, which other programs do not change; the clock's are printed, and
//! are worth something on an idle machine only.

#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod process;

use process::{Process, from_environment, quantile, spread};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// One measurement at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A brain that thinks about an open position without end.
fn thinking(threads: u64) -> Process {
    let mut brain = Process::new();
    brain.send(&format!("INFO thread_num {threads}\nINFO timeout_turn 600000\nSTART 15"));
    brain.expect("OK");
    brain
}

const POSITION: &str = "BOARD\n7,7,1\n8,8,2\n7,8,1\n7,9,2\n9,7,1\n8,7,2\nDONE";

/// The most memory of its own (USS) in a few moves under `INFO max_memory`, with as large a hash table as it may have.
#[test]
fn memory_stays_below_its_limit() {
    let _turn = alone();
    let thorough = std::env::var_os("TENGEN_LIMITS").is_some();
    for mib in [40, 80, 350, 1024] {
        for threads in [1, 2] {
            let mut brain = thinking(threads);
            let nodes = if thorough { 100 * mib * 1024 / 16 } else { 200_000 };
            brain.send(&format!("INFO max_memory {}\nINFO hash_size 8388608\nINFO max_node {nodes}", mib << 20));
            let mut most = 0;
            for question in [POSITION, "RESTART", POSITION, "START 20", POSITION] {
                brain.send(question);
                if question == POSITION {
                    // The judge looks after the move; we look meanwhile, too.
                    sleep(Duration::from_millis(if thorough { 2000 } else { 100 }));
                    most = most.max(brain.own_memory());
                }
                brain.answer();
                most = most.max(brain.own_memory());
            }
            println!("max_memory {mib} MiB, {threads} threads: USS at most {:.1} MiB", most as f64 / 1024.0);
            assert!(most <= mib * 1024, "{most} KiB under a limit of {mib} MiB with {threads} threads");
            if thorough {
                assert!(most > (mib - 24) * 1024 / 2, "{most} KiB: a limit of {mib} MiB was hardly used");
            }
        }
    }
}

/// A table that the system has no memory for was asked for again before every search, and forgot everything each time.
#[test]
fn a_table_larger_than_the_system_allows_keeps_what_is_known() {
    let _turn = alone();
    let nodes = |brain: &mut Process| -> u64 {
        brain.send(&format!("INFO max_depth 9\n{POSITION}"));
        let told = brain.messages().into_iter().rfind(|line| line.contains(" depth ")).unwrap();
        told.split_once(" n ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok()).expect(&told)
    };
    let mut brain = thinking(1);
    let fresh = nodes(&mut brain);
    // Room for the program and a part of the table.
    let mut brain = Process::with_address_space(brain.peak_address_space() - (8 << 10));
    brain.send("INFO timeout_turn 600000\nINFO max_memory 8589934592\nINFO hash_size 4194304\nSTART 15");
    brain.expect("OK");
    let (first, second) = (nodes(&mut brain), nodes(&mut brain));
    assert_eq!(first, fresh, "the search is the same with less memory");
    assert!(second < first / 2, "{second} nodes after {first}");
}

/// Processor time, a thread, between a stop and the move, for each of so many stops of a search with these threads.
fn stop_repeatedly(threads: u64, stops: u64) -> Vec<Duration> {
    let mut brain = thinking(threads);
    // The first question of a process also loads its network.
    brain.send(&format!("INFO max_node 1\n{POSITION}"));
    brain.answer();
    brain.send("INFO max_node 0");
    let (mut clock, mut own) = (Vec::new(), Vec::new());
    for stop in 0..stops {
        brain.send(POSITION);
        sleep(Duration::from_millis(15 + stop * 37 % 80));
        let (asked, used) = (Instant::now(), brain.processor_time());
        brain.send("YXSTOP");
        let (at, line) = brain.answer();
        assert!(line.contains(','), "{line}");
        let took = at.saturating_duration_since(asked);
        clock.push(took);
        // The system books the time of a running thread every few milliseconds only, so that the difference may include
        // some from before the stop; more than the clock's it cannot be.
        own.push((brain.processor_time().saturating_sub(used) / threads as u32).min(took));
    }
    println!("YXSTOP to move, {threads} threads: {}", spread(&mut clock));
    println!("  processor time of the brain meanwhile, a thread: {}", spread(&mut own));
    own
}

#[test]
fn a_stop_is_obeyed_at_once() {
    let _turn = alone();
    let stops = from_environment("TENGEN_LIMITS", 40);
    // As with the transcripts: a machine that stands still now and then gets another chance.
    let tries = 1 + from_environment("FIXTURE_RETRIES", 2);
    for threads in [1, 2] {
        let is_prompt = |_| quantile(&stop_repeatedly(threads, stops), 0.99) <= Duration::from_millis(10);
        assert!((0..tries).any(is_prompt), "with {threads} threads, {tries} times");
    }
}

#[test]
fn an_end_is_obeyed_at_once() {
    let _turn = alone();
    let ends = from_environment("TENGEN_LIMITS", 40).div_ceil(4);
    for (threads, searching) in [(1, false), (1, true), (2, false), (2, true)] {
        let mut clock = Vec::new();
        for _ in 0..ends {
            let mut brain = thinking(threads);
            if searching {
                brain.send(POSITION);
                // Sooner than this the END would count as part of the question.
                sleep(Duration::from_millis(120));
            }
            let (took, status) = brain.end();
            assert!(status.success());
            clock.push(took);
        }
        let when = if searching { "while it thinks" } else { "when idle" };
        println!("END to exit {when}, {threads} threads: {}", spread(&mut clock));
        // By the clock: the median of several, as a busy machine lets any one of them wait.
        assert!(quantile(&clock, 0.5) <= Duration::from_millis(50 + from_environment("FIXTURE_SLACK_MS", 100)));
    }
}
