//! The keys of `INFO`: one row each, with name, kind of value, effect and meaning.
//!
//! An `INFO` line is never answered; unknown keys and unreadable values are ignored.

use super::number::{number, split_word};
use crate::base::clock::Instant;
use crate::engine::Options;
use crate::eval::EvaluatorKind;
use std::fmt;
use std::time::Duration;

/// How a key's value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number: a sign, up to 64 bits (saturating), a fractional part ignored.
    Number,
    /// The rest of the line, any bytes.
    Text,
    /// One of these words; the value is its index.
    Word(&'static [&'static str]),
}

/// What a key changes.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// One of the engine's settings.
    Setting(fn(&mut Options, i64)),
    /// One of them that only says how much time there is. A search in the opponent's time goes on.
    Clock(fn(&mut Options, i64)),
    /// The rule of the game.
    Rule,
    /// A setting of the session.
    Session(fn(&mut SessionOptions, i64)),
    /// Nothing: the key is known and its value accepted.
    Accepted,
}

/// The settings of the session: what it shows and stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct SessionOptions {
    /// Whether a search sends REALTIME messages.
    pub realtime: bool,
    /// Whether results are stored in the database and queries answered.
    pub use_database: bool,
    /// Whether only the user's changes are stored.
    pub database_readonly: bool,
    /// Whether the brain searches in the opponent's time, where it may.
    pub pondering: bool,
}

/// One row of the table.
#[derive(Debug)]
pub struct Key {
    /// The key as managers write it, in lower case.
    pub name: &'static str,
    /// How its value is read.
    pub kind: Kind,
    /// What it changes.
    pub effect: Effect,
    /// Its meaning, in one line.
    pub doc: &'static str,
}

/// A key with its value, ready to be applied.
#[derive(Clone, Copy)]
pub struct Info {
    key: &'static Key,
    value: i64,
}

/// All keys.
pub static KEYS: &[Key] = &[
    clock(
        "timeout_turn",
        |o, ms| o.turn = (ms >= 0).then(|| millis(ms)),
        "time limit per move in ms; 0: move now; below 0: no limit",
    ),
    clock(
        "timeout_match",
        |o, ms| o.set_match_time((ms > 0 && ms < Options::UNLIMITED_MS).then(|| millis(ms))),
        "time limit for the whole game in ms; 0, or 100000000 or more: unlimited",
    ),
    clock(
        "time_left",
        Options::set_time_left,
        "time left for the game in ms, may be negative; 100000000 or more, or 0 without timeout_match: unlimited",
    ),
    clock("time_increment", |o, ms| o.increment = millis(ms), "time added after each move in ms"),
    setting(
        "max_memory",
        |o, bytes| o.max_memory = positive(bytes).unwrap_or(Options::DEFAULT_MEMORY),
        "memory limit of the process in bytes; 0: the default, 350 MiB",
    ),
    setting(
        "hash_size",
        |o, kib| o.hash_size = positive(kib).map(|kib| kib.saturating_mul(1024)),
        "size of the hash table in KiB, within max_memory; 0: chosen from max_memory",
    ),
    setting(
        "max_depth",
        |o, plies| o.max_depth = positive(plies).map(|plies| u32::try_from(plies).unwrap_or(u32::MAX)),
        "depth limit in plies; 0 or less: unlimited",
    ),
    setting(
        "thread_num",
        |o, threads| o.threads = positive(threads).map_or(1, |threads| threads as usize),
        "number of threads: at most two for each processor, at most 64; those after the first may together take half of what max_memory leaves after 24 MiB; 0 or less: one",
    ),
    setting(
        "strength",
        |o, level| o.strength = level.clamp(0, 100) as u32,
        "playing strength from 0 to 100 (the default)",
    ),
    setting(
        "seed",
        |o, seed| {
            o.seed = seed as u64;
            o.opening_seed = seed as u64;
        },
        "random seed of the next swap2 opening, from which the later ones follow (default: a new one in each process, 0 in recorded sessions), and of the levels below 100 (default: 0)",
    ),
    setting(
        "max_node",
        |o, nodes| o.max_nodes = positive(nodes),
        "node limit per move, which an opening question divides among its searches; 0 or less: unlimited",
    ),
    Key {
        name: "evaluator",
        kind: Kind::Word(&["classical", "network"]),
        effect: Effect::Setting(|o, index| {
            o.evaluator = if index == 0 { EvaluatorKind::Classical } else { EvaluatorKind::Network };
        }),
        doc: "classical, or network (the default): the evaluation to use",
    },
    Key {
        name: "rule",
        kind: Kind::Number,
        effect: Effect::Rule,
        doc: "0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact; other sums: see [Rules](#rules)",
    },
    accepted("game_type", Kind::Number, "0 human, 1 brain, 2 tournament, 3 network tournament; accepted, no effect"),
    accepted("folder", Kind::Text, "a folder for persistent files; accepted, no effect"),
    accepted("evaluate", Kind::Text, "a point to explain; accepted, no effect"),
    accepted("thread_split_depth", Kind::Number, "accepted, no effect"),
    accepted("caution_factor", Kind::Number, "accepted, no effect"),
    session(
        "pondering",
        |w, n| w.pondering = n > 0,
        "1: search in the opponent's time, see [pondering](#pondering); 0: do not",
    ),
    accepted("vcthread", Kind::Number, "accepted, no effect"),
    accepted("checkmate", Kind::Number, "accepted, no effect"),
    session(
        "usedatabase",
        |w, n| w.use_database = n > 0,
        "1: store results in the database and answer its queries; 0: do neither",
    ),
    session(
        "database_readonly",
        |w, n| w.database_readonly = n > 0,
        "1: the database takes the changes made by commands, but no search results",
    ),
    setting(
        "nbestsym",
        |o, n| o.all_symmetric = n > 0,
        "1: symmetric moves all count among the best lines; 0: one of them",
    ),
    accepted("start_depth", Kind::Number, "accepted, no effect"),
    session(
        "show_detail",
        |w, n| w.realtime = n & 1 == 1,
        "1 or 3: send REALTIME messages during a search; 0 or 2: none",
    ),
];

/// The table of the documentation: each key with its meaning.
pub fn documentation() -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.iter().map(|key| (key.name, key.doc))
}

/// A row for a setting of the engine.
const fn setting(name: &'static str, effect: fn(&mut Options, i64), doc: &'static str) -> Key {
    Key { name, kind: Kind::Number, effect: Effect::Setting(effect), doc }
}

/// A row for a setting of the engine's clock.
const fn clock(name: &'static str, effect: fn(&mut Options, i64), doc: &'static str) -> Key {
    Key { effect: Effect::Clock(effect), ..setting(name, effect, doc) }
}

/// A row for a setting of the session.
const fn session(name: &'static str, effect: fn(&mut SessionOptions, i64), doc: &'static str) -> Key {
    Key { name, kind: Kind::Number, effect: Effect::Session(effect), doc }
}

/// A row for a key that changes nothing.
const fn accepted(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key { name, kind, effect: Effect::Accepted, doc }
}

fn millis(ms: i64) -> Duration {
    Duration::from_millis(ms.max(0) as u64)
}

fn positive(value: i64) -> Option<u64> {
    u64::try_from(value).ok().filter(|&value| value > 0)
}

impl Info {
    /// Reads the rest of an `INFO` line; `None` for an unknown key or an unreadable value.
    pub fn parse(text: &[u8]) -> Option<Info> {
        let (name, rest) = split_word(text);
        let key = KEYS.iter().find(|key| key.name.as_bytes().eq_ignore_ascii_case(name))?;
        let value = match key.kind {
            Kind::Number => number(split_word(rest).0)?,
            Kind::Text => 0,
            Kind::Word(words) => {
                let word = split_word(rest).0;
                words.iter().position(|known| known.as_bytes().eq_ignore_ascii_case(word))? as i64
            }
        };
        Some(Info { key, value })
    }

    /// Changes `options`, if this is a setting of the engine.
    pub fn apply(&self, options: &mut Options) {
        if let Effect::Setting(effect) | Effect::Clock(effect) = self.key.effect {
            effect(options, self.value);
        }
    }

    /// The same for a setting that arrived `at` some time in a search. What the manager measured then says nothing about the
    /// search's overhead, and the time left is counted from `from` on instead.
    pub fn apply_during(&self, options: &mut Options, at: Instant, from: Instant) {
        options.forget_moves();
        self.apply(options);
        if self.key.name == "time_left" {
            options.count_time_left_from(at, from);
        }
    }

    /// Whether this only says how much time there is.
    pub fn is_clock(&self) -> bool {
        matches!(self.key.effect, Effect::Clock(_))
    }

    /// Changes `options`, if this is a setting of the session.
    pub fn apply_to_session(&self, options: &mut SessionOptions) {
        if let Effect::Session(effect) = self.key.effect {
            effect(options, self.value);
        }
    }

    /// The rule as a bit mask, if this key sets it.
    pub fn rule_bits(&self) -> Option<i64> {
        matches!(self.key.effect, Effect::Rule).then_some(self.value)
    }
}

impl fmt::Debug for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key.name, self.value)
    }
}

impl PartialEq for Info {
    fn eq(&self, other: &Info) -> bool {
        self.key.name == other.key.name && self.value == other.value
    }
}

impl Eq for Info {}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&str]) -> Options {
        let mut options = Options::default();
        for line in lines {
            if let Some(info) = Info::parse(line.as_bytes()) {
                info.apply(&mut options);
            }
        }
        options
    }

    #[test]
    fn every_row_is_lower_case_unique_and_documented() {
        for (index, key) in KEYS.iter().enumerate() {
            assert_eq!(key.name, key.name.to_ascii_lowercase());
            assert!(!key.doc.is_empty() && !key.doc.contains('\n') && !key.doc.contains('|'));
            assert!(KEYS[..index].iter().all(|other| other.name != key.name), "{} twice", key.name);
        }
    }

    #[test]
    fn the_time_keys() {
        assert_eq!(after(&["timeout_turn 500"]).turn, Some(Duration::from_millis(500)));
        assert_eq!(after(&["TIMEOUT_TURN 0"]).turn, Some(Duration::ZERO));
        assert_eq!(after(&["timeout_turn -1"]).turn, None);
        assert_eq!(after(&["timeout_match 180000"]).match_time, Some(Duration::from_secs(180)));
        assert_eq!(after(&["timeout_match 99999999999999999999"]).match_time, None);
        assert_eq!(after(&["time_left 5399123.4"]).time_left, Some(5_399_123));
        assert_eq!(after(&["time_left -250"]).time_left, Some(-250));
        assert_eq!(after(&["time_increment 1000"]).increment, Duration::from_secs(1));
    }

    #[test]
    fn only_the_time_keys_leave_a_search_in_the_opponents_time_alone() {
        let clocks = KEYS.iter().filter(|key| matches!(key.effect, Effect::Clock(_))).map(|key| key.name);
        let wanted = ["timeout_turn", "timeout_match", "time_left", "time_increment"];
        assert_eq!(clocks.collect::<Vec<_>>(), wanted);
        assert!(Info::parse(b"time_left 5").is_some_and(|info| info.is_clock()));
        assert!(Info::parse(b"max_node 5").is_some_and(|info| !info.is_clock()));
    }

    #[test]
    fn the_size_keys() {
        assert_eq!(after(&["max_memory 83886080"]).max_memory, 80 << 20);
        assert_eq!(after(&["max_memory 1", "max_memory 0"]).max_memory, Options::DEFAULT_MEMORY);
        assert_eq!(after(&["max_memory 18446744073709551615"]).max_memory, i64::MAX as u64);
        assert_eq!(after(&["hash_size 524288"]).hash_size, Some(512 << 20));
        assert_eq!(after(&["hash_size 0"]).hash_size, None);
        assert_eq!(after(&["max_depth 8"]).max_depth, Some(8));
        assert_eq!(after(&["max_depth 8", "max_depth 0"]).max_depth, None);
        assert_eq!(after(&["max_depth 9999999999"]).max_depth, Some(u32::MAX));
        assert_eq!(after(&["max_node -1"]).max_nodes, None);
        assert_eq!(after(&["thread_num 2"]).threads, 2);
        assert_eq!(after(&["thread_num 2", "thread_num -3"]).threads, 1);
        assert_eq!(after(&["max_node 10000000000"]).max_nodes, Some(10_000_000_000));
    }

    #[test]
    fn the_evaluator_is_chosen_by_name() {
        assert_eq!(after(&["evaluator network"]).evaluator, EvaluatorKind::Network);
        assert_eq!(after(&["evaluator network", "EVALUATOR Classical"]).evaluator, EvaluatorKind::Classical);
        assert_eq!(after(&["evaluator", "evaluator 1", "evaluator best"]).evaluator, EvaluatorKind::Network);
    }

    #[test]
    fn nonsense_is_ignored() {
        let nonsense = ["", "nosuchkey 5", "timeout_turn", "timeout_turn abc", "max_node 5x"];
        assert_eq!(after(&nonsense), Options::default());
        assert!(Info::parse(b"folder C:\\AI's data\\\xe8\xe1 x\\").is_some());
        assert_eq!(Info::parse(b"rule 4").and_then(|info| info.rule_bits()), Some(4));
        assert_eq!(Info::parse(b"game_type 4").and_then(|info| info.rule_bits()), None);
    }
}
