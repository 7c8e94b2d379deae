//! Searching in the opponent's time: the expected move carries the search over, every other command stops it within ten
//! milliseconds, nothing is printed, and no manager gets it that has not asked for it or may not have it.
//!
//! Whether the brain searches shows in its processor time.

use crate::common::process::Process;
use crate::common::{Iterations, alone};
use std::slice::from_ref;
use std::sync::mpsc;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tengen::base::{Point, Size};
use tengen::engine::Engine;
use tengen::search::{SearchControl, SearchLimits};

/// A balanced position with the brain to move.
const POSITION: &str = "BOARD\n9,7,2\n9,6,1\n7,3,2\n8,3,1\n9,3,2\nDONE";
/// What a manager sends that allows pondering.
const ALLOWED: &str = "yxshowinfo\nINFO pondering 1";
/// A command stops the search within this time.
const STOP: Duration = Duration::from_millis(10);
/// How often a bound by the clock is tried on a busy machine.
const TRIES: usize = 20;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The moves of the line in a message of the dialect, on a board with this many rows, as `x,y`.
fn line(message: &str, rows: usize) -> Vec<String> {
    let square = |name: &str| {
        let (letter, number) = name.split_at(1);
        format!("{},{}", rows - number.parse::<usize>().unwrap(), letter.as_bytes()[0] - b'a')
    };
    message.split_once(" pv ").map_or(Vec::new(), |(_, line)| line.split(' ').map(square).collect())
}

/// The number after this word in a message.
fn figure(message: &str, word: &str) -> u64 {
    let text = message.split_once(&format!(" {word} ")).unwrap().1;
    text.split([' ', '-']).next().unwrap().parse().unwrap()
}

/// A brain that has answered a question, its move, and the reply that it expects. From then on it has 200 ms a move.
fn answered(settings: &str) -> (Process, String, String) {
    let mut brain = Process::new();
    brain.send(&format!("{settings}\nINFO hash_size 65536\nSTART 15 15\nINFO timeout_turn 60000\nINFO max_depth 8"));
    brain.expect("OK");
    brain.send(POSITION);
    let (messages, _, answer) = brain.answer_with_messages();
    let line = line(messages.last().unwrap(), 15);
    // Outside the dialect messages have another notation.
    assert!(line[0] == answer || !settings.contains("yx"), "{line:?} and {answer}");
    // Yixin-Board always sends a depth and a number of nodes.
    brain.send("INFO max_depth 225\nINFO max_node 1000000000\nINFO timeout_turn 200");
    (brain, answer, line.get(1).cloned().unwrap_or_default())
}

/// Waits until the brain has used so much more processor time.
fn wait_for_work(brain: &Process, work: Duration) {
    let (until, begun) = (brain.processor_time() + work, Instant::now());
    while brain.processor_time() < until {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not search");
        sleep(ms(1));
    }
}

/// The indices of the brains that work on, apart from what they still finish. Tried three times.
fn busy(brains: &[Process]) -> Vec<usize> {
    let look = || -> Vec<usize> {
        sleep(ms(100));
        let before: Vec<_> = brains.iter().map(Process::processor_time).collect();
        sleep(ms(200));
        let works = |&index: &usize| brains[index].processor_time() >= before[index] + ms(50);
        (0..brains.len()).filter(works).collect()
    };
    let mut tries = (0..3).map(|_| look());
    let first = tries.next().unwrap_or_default();
    if first.is_empty() { first } else { tries.find(Vec::is_empty).unwrap_or(first) }
}

fn rests(brain: &Process) -> bool {
    busy(from_ref(brain)).is_empty()
}

#[test]
fn a_hit_carries_the_search_over() {
    let _turn = alone();
    // The last depth and the nodes of the answer to the expected move, and whether it came in time.
    let answer = |settings| {
        let (mut brain, _, reply) = answered(settings);
        if settings == ALLOWED {
            wait_for_work(&brain, ms(1500));
        }
        brain.expect_no_line();
        let asked = Instant::now();
        brain.send(&format!("INFO time_left 100000000\nTURN {reply}"));
        let (messages, came, _) = brain.answer_with_messages();
        let last = messages.last().expect("the last iteration is always reported");
        (figure(last, "depth"), figure(last, "n"), came - asked < ms(300))
    };
    let carries_over = || {
        let (depth, nodes, is_prompt) = answer(ALLOWED);
        let (alone, few, _) = answer("yxshowinfo");
        println!("depth {depth} with {nodes} nodes after pondering, depth {alone} with {few} nodes without");
        depth > alone && nodes > 3 * few && is_prompt
    };
    assert!((0..5).any(|_| carries_over()), "five times");
}

#[test]
fn an_answer_that_is_known_comes_at_once() {
    let _turn = alone();
    let is_prompt = || {
        let mut brain = Process::new();
        brain.send(&format!("{ALLOWED}\nSTART 5 5\nINFO timeout_turn 20000"));
        brain.expect("OK");
        // Nine points are free, and nobody can win.
        let rows = ["11221", "22112", "11221", "2"];
        brain.send("BOARD");
        for (row, y) in rows.iter().zip(0..) {
            row.chars().zip(0..).for_each(|(who, x)| brain.send(&format!("{x},{y},{who}")));
        }
        brain.send("DONE");
        let (messages, _, answer) = brain.answer_with_messages();
        let line = line(messages.last().unwrap(), 5);
        assert_eq!(line[0], answer);
        assert!(rests(&brain), "there is nothing left to search");
        brain.expect_no_line();
        let asked = Instant::now();
        brain.send(&format!("TURN {}", line[1]));
        let (messages, came, _) = brain.answer_with_messages();
        assert!(messages.len() == 1 && messages[0].starts_with("MESSAGE depth "), "{messages:?}");
        came - asked < STOP
    };
    assert!((0..TRIES).any(|_| is_prompt()));
}

#[test]
fn every_command_is_carried_out_within_ten_milliseconds() {
    let _turn = alone();
    for threads in [1, 2] {
        let (mut brain, answer, _) = answered(&format!("{ALLOWED}\nINFO thread_num {threads}"));
        let mut is_prompt = |command: &str, expected: &str| {
            wait_for_work(&brain, ms(100));
            brain.expect_no_line();
            let asked = Instant::now();
            brain.send(command);
            let (came, line) = brain.answer();
            assert!(line.starts_with(expected), "{command}: {line}");
            came - asked < STOP
        };
        // It goes on after each of these.
        for (command, expected) in [("ABOUT", "name="), ("yxshowforbid", "FORBID ."), ("FOO", "UNKNOWN")] {
            assert!((0..TRIES).any(|_| is_prompt(command, expected)), "{command} with {threads} threads");
        }
        // Another position ends it.
        wait_for_work(&brain, ms(100));
        brain.send(&format!("TAKEBACK {answer}"));
        brain.expect("OK");
        assert!(rests(&brain), "after TAKEBACK");
        brain.expect_no_line();
        assert!(brain.end().1.success());
    }
}

#[test]
fn the_end_and_a_stop_end_it() {
    let _turn = alone();
    let (mut brain, _, reply) = answered(ALLOWED);
    wait_for_work(&brain, ms(100));
    brain.send("STOP");
    assert!(rests(&brain), "after STOP");
    brain.expect_no_line();
    // It begins again after the next move.
    brain.send(&format!("TURN {reply}"));
    brain.answer();
    wait_for_work(&brain, ms(100));
    assert!(brain.end().1.success());
    let is_prompt = || {
        let (brain, ..) = answered(ALLOWED);
        wait_for_work(&brain, ms(100));
        let (took, status) = brain.end();
        assert!(status.success());
        took < ms(50)
    };
    assert!((0..5).any(|_| is_prompt()), "the exit took long five times");
}

/// Bug: a `STOP` that ended the search for a move kept the brain from pondering after that move.
#[test]
fn a_forced_move_does_not_end_it() {
    let _turn = alone();
    let (mut brain, _, reply) = answered(ALLOWED);
    brain.send(&format!("INFO timeout_turn 60000\nTURN {reply}"));
    sleep(ms(200));
    brain.send("STOP");
    brain.answer();
    wait_for_work(&brain, ms(100));
    assert!(brain.end().1.success());
}

/// Off by default, and off under managers of tournaments, whatever they send.
#[test]
fn there_is_no_pondering_unless_it_is_asked_for_and_allowed() {
    let _turn = alone();
    let settings = [
        "yxshowinfo",
        "INFO pondering 1",
        "INFO pondering 1\nYXSTOP",
        "yxshowinfo\nINFO pondering 1\nINFO pondering 0",
        "yxshowinfo\nINFO pondering 1\nINFO strength 90",
    ];
    let mut brains: Vec<_> = settings.map(|settings| answered(settings).0).into();
    let (mut brain, ..) = answered("INFO pondering 1");
    brain.send("PONDER");
    brains.push(brain);
    assert_eq!(busy(&brains), [0; 0], "of {settings:?}, and PONDER of a manager that may not have it");
    brains.iter_mut().for_each(Process::expect_no_line);
}

#[test]
fn the_command_ponders_until_the_next_one() {
    let _turn = alone();
    let (mut brain, ..) = answered("yxshowinfo");
    for position in ["", "yxboard\n7,7,1\ndone\n"] {
        brain.send(&format!("{position}PONDER"));
        wait_for_work(&brain, ms(300));
        brain.send("INFO time_left 100000000");
        wait_for_work(&brain, ms(300));
        brain.expect_no_line();
        brain.send("ABOUT");
        assert!(brain.answer().1.starts_with("name="));
        assert!(rests(&brain), "after ABOUT");
    }
}

/// A game in which the opponent plays the expected moves and others, with questions in between.
#[test]
fn a_game_with_pondering_is_in_order() {
    let _turn = alone();
    let (mut brain, answer, mut reply) = answered(ALLOWED);
    let mut taken: Vec<String> = ["9,7", "9,6", "7,3", "8,3", "9,3"].map(str::to_owned).to_vec();
    taken.push(answer);
    for number in 0..14 {
        // Some time for pondering, or none.
        sleep(ms(40 * (number % 2)));
        brain.expect_no_line();
        if number % 3 == 1 || taken.contains(&reply) {
            // The last free square: hardly the expected one.
            let squares = Size::square(15).unwrap().points().map(|point| point.to_string());
            reply = squares.filter(|square| !taken.contains(square)).last().unwrap();
        }
        if number % 4 == 3 {
            brain.send("yxshowforbid");
            brain.expect("FORBID .");
        }
        brain.send(&format!("INFO timeout_turn 60\nINFO time_left 100000000\nTURN {reply}"));
        taken.push(reply);
        let (messages, _, answer) = brain.answer_with_messages();
        assert!(answer.split_once(',').is_some() && !taken.contains(&answer), "{answer} in {taken:?}");
        let last = messages.last().expect("a message comes with each move");
        let line = line(last, 15);
        taken.push(answer);
        if last.contains(" ev +W1 ") || last.contains(" ev -W2 ") {
            break;
        }
        // Where no reply is known, one that is taken, so that the next round chooses another one.
        reply = line.get(1).unwrap_or(&taken[0]).clone();
    }
    brain.send("RESTART");
    brain.expect("OK");
    brain.expect_silence();
    assert!(brain.end().1.success());
}

/// The same at the engine: from the stop to the end of the search, at once and in the middle of it.
#[test]
fn a_stop_is_obeyed_within_ten_milliseconds() {
    let _turn = alone();
    let mut engine = Engine::new();
    for (x, y) in [(9, 7), (9, 6), (7, 3), (8, 3), (9, 3)] {
        engine.play(Point::new(x, y).unwrap()).unwrap();
    }
    for (threads, iterations) in [(1, 0), (1, 6), (2, 0), (2, 6)] {
        engine.options_mut().threads = threads;
        let mut is_prompt = || {
            engine.clear_hash();
            let control = SearchControl::within(SearchLimits::pondering());
            let reply = Point::new(8, 4);
            std::thread::scope(|scope| {
                let (sender, finished) = mpsc::channel();
                let control = &control;
                let stopper = scope.spawn(move || {
                    (0..iterations).for_each(|_| finished.recv().unwrap());
                    control.stop();
                    Instant::now()
                });
                engine.ponder(reply, control, &mut Iterations(sender)).unwrap();
                Instant::now().saturating_duration_since(stopper.join().unwrap()) < STOP
            })
        };
        assert!((0..TRIES).any(|_| is_prompt()), "{threads} threads, after {iterations} iterations");
        assert_eq!(engine.stones().len(), 5, "the position stays");
    }
}
