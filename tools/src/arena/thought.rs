//! The figures and lines that brains report in MESSAGE lines: depth, score, nodes, moves.
//!
//! The usual form is `MESSAGE depth 12-20 ev 34 n 1246000 n/ms 890 tm 1400 pv h8 i9`; many brains differ a little.

use crate::command_line::one_line;
use std::time::Duration;
use tengen::board::notation;

/// Number of announced lines kept of one move; then the last one is replaced.
const LINES_KEPT: usize = 500;

/// What one message announced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Announced {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Score, as the brain writes it.
    pub score: Option<String>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Time from the question to the message.
    pub at: Duration,
    /// Whether it is not marked as the second or a later one of several lines.
    pub is_first: bool,
    /// The points of the line as the brain names them, both numbers counted from 0. Empty without a readable line.
    pub points: Vec<[i64; 2]>,
}

impl Announced {
    /// The line for people, cut after its first points. Letters are first numbers.
    pub fn text(&self) -> String {
        let name = |&[first, second]: &[i64; 2]| {
            format!("{}{}", (b'a' + first.clamp(0, 25) as u8) as char, second.saturating_add(1))
        };
        let more = if self.points.len() > 12 { " ..." } else { "" };
        self.points.iter().take(12).map(name).collect::<Vec<_>>().join(" ") + more
    }
}

/// What a brain has reported about one move. Later lines override earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Score, as the brain writes it.
    pub score: Option<String>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Time from the question to the report of the nodes.
    pub nodes_at: Duration,
    /// The messages that have a score or a line.
    pub lines: Vec<Announced>,
    /// Nodes per second, for brains that report no nodes.
    speed: Option<f64>,
}

impl Thought {
    /// Reads a line of output that arrived `at` this time after the question. Lines other than MESSAGE and DEBUG are ignored,
    /// and the figures of second and later lines.
    pub fn hear(&mut self, line: &str, at: Duration) {
        let Some(text) = message(line) else { return };
        let mut said = Announced { at, is_first: true, ..Announced::default() };
        let mut speed = None;
        let mut rest = text;
        while let Some((word, after)) = next_word(rest) {
            rest = after;
            let value = next_word(rest).map_or("", |(value, _)| value);
            let is_later = || first_number(value).is_some_and(|rank| rank > 1);
            match word.to_ascii_lowercase().as_str() {
                "depth" => said.depth = first_number(value).or(said.depth),
                "ev" | "eval" | "evaluation" | "score" if !value.is_empty() => said.score = Some(one_line(value)),
                "n" | "node" | "nodes" => said.nodes = quantity(value).map(|nodes| nodes as u64).or(said.nodes),
                "n/s" | "nps" | "speed" => speed = quantity(value).or(speed),
                "n/ms" => speed = quantity(value).map(|n| n * 1000.0).or(speed),
                "line" | "multipv" => said.is_first = !is_later(),
                "pv" | "bestline" => {
                    said.points = points(rest);
                    break;
                }
                _ => {}
            }
        }
        if said.is_first {
            self.depth = said.depth.or(self.depth);
            self.score = said.score.clone().or_else(|| self.score.take());
            self.speed = speed.or(self.speed);
            if said.nodes.is_some() {
                (self.nodes, self.nodes_at) = (said.nodes, at);
            }
        }
        if said.score.is_some() || !said.points.is_empty() {
            self.lines.truncate(LINES_KEPT - 1);
            self.lines.push(said);
        }
    }

    /// Ends the move, which took this long. If the brain reported only its speed, the nodes are computed from it.
    pub fn finish(&mut self, time: Duration) {
        if self.nodes.is_none()
            && let Some(speed) = self.speed
        {
            self.nodes = Some((speed * time.as_secs_f64()) as u64);
            self.nodes_at = time;
        }
    }
}

/// The text of a MESSAGE or DEBUG line, which is never an answer; `None` for any other line.
pub fn message(line: &str) -> Option<&str> {
    let (word, text) = line.split_once(' ').unwrap_or((line, ""));
    ["MESSAGE", "DEBUG"].iter().any(|talk| word.eq_ignore_ascii_case(talk)).then_some(text)
}

/// The first word of a text, and what comes after it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let separators = [' ', '\t', '|', '=', ':', ','];
    let text = text.trim_start_matches(separators);
    let end = text.find(separators).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The points with which a text begins: `h8 i9`, `H8I9`, `h8-i9` or `[7,7] [8,8]`.
fn points(text: &str) -> Vec<[i64; 2]> {
    let mut points = Vec::new();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let mut pair = || Some(vec![[word.parse().ok()?, words.next()?.parse().ok()?]]);
        let Some(read) = (if is_number { pair() } else { named_points(word) }) else { break };
        points.extend(read);
    }
    points
}

fn named_points(mut word: &str) -> Option<Vec<[i64; 2]>> {
    let mut points = Vec::new();
    while let Some((name, rest)) = notation::split_name(word) {
        let column = name.bytes().next().filter(u8::is_ascii_alphabetic)?.to_ascii_lowercase() - b'a';
        let row = name[1..].parse::<i64>().ok().filter(|row| (1..100).contains(row))?;
        points.push([i64::from(column), row - 1]);
        word = rest;
    }
    Some(points)
}

/// The number at the start of a word: 12 for `12-20`.
fn first_number(word: &str) -> Option<u32> {
    word.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A number with an optional K, M or G.
fn quantity(word: &str) -> Option<f64> {
    let word = word.to_ascii_lowercase();
    let (digits, factor) = match word.char_indices().last()? {
        (at, 'k') => (&word[..at], 1e3),
        (at, 'm') => (&word[..at], 1e6),
        (at, 'g') => (&word[..at], 1e9),
        _ => (word.as_str(), 1.0),
    };
    digits.parse::<f64>().ok().map(|number| number * factor).filter(|number| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(lines: &[&str]) -> Thought {
        let mut thought = Thought::default();
        for line in lines {
            thought.hear(line, Duration::from_secs(1));
        }
        thought
    }

    #[test]
    fn the_usual_line() {
        let thought = heard(&["MESSAGE depth 12-20 ev 34 n 1246000 n/ms 890 tm 1400 pv h8 i9"]);
        assert_eq!((thought.depth, thought.score.as_deref(), thought.nodes), (Some(12), Some("34"), Some(1_246_000)));
    }

    #[test]
    fn other_forms() {
        let thought = heard(&["MESSAGE Speed 530K | Depth 15-31 | Eval -120 | Node 2M | Time 3831ms"]);
        assert_eq!((thought.depth, thought.score.as_deref(), thought.nodes), (Some(15), Some("-120"), Some(2_000_000)));
        let thought = heard(&["DEBUG depth=7 score=+W5 nps=1000", "MESSAGE hello", "7,7", "depth 9"]);
        assert_eq!((thought.depth, thought.score.as_deref()), (Some(7), Some("+W5")));
        let mut finished = thought.clone();
        finished.finish(Duration::from_secs(2));
        assert_eq!((finished.nodes, finished.nodes_at), (Some(2000), Duration::from_secs(2)));
        assert_eq!(
            heard(&["MESSAGE", "MESSAGE depth", "MESSAGE depth x n -5 n/s nan", "MESSAGE ev"]),
            Thought::default()
        );
    }

    #[test]
    fn lines_of_moves_in_other_forms() {
        let points = |line: &str| heard(&[&format!("MESSAGE ev 3 {line}")]).lines[0].points.clone();
        for line in ["pv h8 i9", "PV: H8I9", "bestline h8-i9", "pv=[7,7] [8,8]", "pv h8 i9 tm 300", "| Pv 7,7 8,8"] {
            assert_eq!(points(line), [[7, 7], [8, 8]], "{line}");
        }
        for line in ["pv", "pv (none)", "pv a0", "pv e99999999999999999999", "pvs h8 i9", "pv é8"] {
            assert_eq!(points(line), <[[i64; 2]; 0]>::default(), "{line}");
        }
    }

    #[test]
    fn the_figures_are_those_of_the_first_line() {
        let thought = heard(&["MESSAGE depth 9 ev 12 pv h8", "MESSAGE line 2 depth 9 ev -W4 pv i9"]);
        assert_eq!(thought.score.as_deref(), Some("12"));
        let lines: Vec<bool> = thought.lines.iter().map(|line| line.is_first).collect();
        assert_eq!(lines, [true, false]);
    }
}
