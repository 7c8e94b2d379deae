//! What a tournament measures: memory, the time from a stop to the move, the time from `END` to the exit. The normal run
//! measures a little; `TENGEN_LIMITS=1000 cargo test --release --test clock limits -- --nocapture` stops and ends that many
//! searches, and prints the figures.
//!
//! The bounds are in processor time of the brain where possible, because other programs do not change it. Times by the
//! clock are printed; they mean something on an idle machine only.

use crate::common::alone;
use crate::common::process::{Process, quantile, spread};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tengen_amount::{at_length, from_environment};

/// A brain with 600 s a move, and a new game on 15x15.
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
    // A short search takes 20 MiB where it may, more than the lower limit, which is below what is promised and leaves one thread.
    let limits: &[u64] = if thorough { &[40, 80, 350, 1024] } else { &[18, 40] };
    for &mib in limits {
        for threads in if mib == 18 {
            1..=1
        } else if thorough {
            1..=2
        } else {
            2..=2
        } {
            let mut brain = thinking(threads);
            // The table grows by 64 bytes a node.
            let nodes = if thorough { (mib << 20) / 64 } else { 50_000 };
            brain.send(&format!("INFO max_memory {}\nINFO hash_size 8388608\nINFO max_node {nodes}", mib << 20));
            let mut most = 0;
            for question in [POSITION, "RESTART", POSITION, "START 20", POSITION] {
                brain.send(question);
                if question == POSITION {
                    // The judge looks after the move; this test also looks during the search.
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

/// Bug: a table for which the system had no memory was allocated again before every search, and so it was always empty.
#[test]
fn a_table_larger_than_the_system_allows_keeps_its_entries() {
    let _turn = alone();
    let nodes = |brain: &mut Process| -> u64 {
        brain.send(&format!("INFO max_depth 9\n{POSITION}"));
        let line = brain.messages().into_iter().rfind(|line| line.contains(" depth ")).unwrap();
        line.split_once(" n ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok()).expect(&line)
    };
    let mut brain = thinking(1);
    let whole = (nodes(&mut brain), nodes(&mut brain));
    assert!(whole.1 < whole.0, "the table saves nothing: {whole:?}");
    // Room for the program and a part of the table.
    let mut brain = Process::with_address_space(brain.peak_address_space() - (8 << 10));
    brain.send("INFO timeout_turn 600000\nINFO max_memory 8589934592\nINFO hash_size 4194304\nSTART 15");
    brain.expect("OK");
    let limited = (nodes(&mut brain), nodes(&mut brain));
    assert_eq!(limited, whole, "the searches and what they know of each other are the same with less memory");
}

/// Bug: with 90 MB of address space the process aborted after its `OK`, and with less it ended without a word.
#[test]
fn a_brain_without_memory_says_so_or_goes_on_with_less() {
    let _turn = alone();
    let (mut refused, mut warned, mut whole) = (0, 0, 0);
    // From less than the thread that thinks needs up to what the whole table needs.
    for kib in (50_000..230_000).step_by(if at_length() { 6_000 } else { 12_000 }) {
        let input = "INFO thread_num 2\nSTART 20\nINFO rule 4\nINFO max_node 3000\nBEGIN\nTURN 0,0\nEND\n";
        let output = within_address_space(kib, input);
        let said = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("MESSAGE depth ")).collect();
        match output.status.code() {
            Some(2) => {
                assert!(lines.len() == 1 && lines[0].starts_with("ERROR not enough memory"), "{kib} KiB: {said}");
                refused += 1;
            }
            Some(0) => {
                let (warnings, answers): (Vec<&str>, Vec<&str>) =
                    lines.iter().partition(|line| line.starts_with("MESSAGE"));
                assert!(answers.len() == 3 && answers[0] == "OK" && answers[1].contains(','), "{kib} KiB: {said}");
                assert!(
                    warnings.iter().all(|line| line.starts_with("MESSAGE warning: the system has no memory")),
                    "{said}"
                );
                warned += u32::from(!warnings.is_empty());
                whole += u32::from(warnings.is_empty());
            }
            // The program itself does not fit.
            _ => assert!(refused == 0 && lines.is_empty(), "{kib} KiB: {:?}, {said}", output.status),
        }
    }
    assert!(refused > 0 && warned > 0 && whole > 0, "{refused} {warned} {whole}");
}

/// Runs the brain with this input and an address space of this many KiB.
fn within_address_space(kib: u64, input: &str) -> Output {
    let script = format!("ulimit -v {kib} && exec {}", env!("CARGO_BIN_EXE_pbrain-tengen"));
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A brain that has ended does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Stops searches with this many threads, and measures the processor time of each thread between a stop and the move.
fn stop_repeatedly(threads: u64, stops: u64) -> Vec<Duration> {
    let mut brain = thinking(threads);
    // The first question of a process also loads its network.
    brain.send(&format!("INFO max_node 1\n{POSITION}"));
    brain.answer();
    brain.send("INFO max_node 0");
    let (mut clock, mut own) = (Vec::new(), Vec::new());
    for stop in 0..stops {
        brain.send(POSITION);
        sleep(Duration::from_millis(15 + stop * 37 % 50));
        let (asked, used) = (Instant::now(), brain.processor_time());
        brain.send("YXSTOP");
        let (at, line) = brain.answer();
        assert!(line.contains(','), "{line}");
        let took = at.saturating_duration_since(asked);
        clock.push(took);
        // The system adds up the time of a running thread every few milliseconds only, so the difference may include some
        // from before the stop. It cannot be more than the time by the clock.
        own.push((brain.processor_time().saturating_sub(used) / threads as u32).min(took));
    }
    println!("YXSTOP to move, {threads} threads: {}", spread(&mut clock));
    println!("  processor time of the brain meanwhile, a thread: {}", spread(&mut own));
    own
}

#[test]
fn a_stop_brings_the_move_within_10_ms() {
    let _turn = alone();
    let stops = from_environment("TENGEN_LIMITS", 40);
    // The machine may stand still now and then, so a failure is tried again.
    let tries = 1 + from_environment("FIXTURE_RETRIES", 2);
    for threads in [1, 2] {
        let is_prompt = |_| quantile(&stop_repeatedly(threads, stops), 0.99) <= Duration::from_millis(10);
        assert!((0..tries).any(is_prompt), "with {threads} threads, {tries} times");
    }
}

#[test]
fn an_end_brings_the_exit_within_50_ms() {
    let _turn = alone();
    let ends = from_environment("TENGEN_LIMITS", 40).div_ceil(4);
    for (threads, searching) in [(1, false), (1, true), (2, false), (2, true)] {
        let mut clock = Vec::new();
        for _ in 0..ends {
            let mut brain = thinking(threads);
            if searching {
                brain.send(POSITION);
                // Within 50 ms of the question the END would wait for the answer.
                sleep(Duration::from_millis(120));
            }
            let (took, status) = brain.end();
            assert!(status.success());
            clock.push(took);
        }
        let when = if searching { "while it thinks" } else { "when idle" };
        println!("END to exit {when}, {threads} threads: {}", spread(&mut clock));
        // By the clock: the median of several, because a busy machine may delay any one of them.
        assert!(quantile(&clock, 0.5) <= Duration::from_millis(50 + from_environment("FIXTURE_SLACK_MS", 100)));
    }
}
