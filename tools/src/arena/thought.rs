//! The figures that brains report in MESSAGE lines: depth, score and nodes.
//!
//! The usual form is `MESSAGE depth 12-20 ev 34 n 1246000 n/ms 890 tm 1400 pv h8 i9`; many brains differ a little.

use crate::command_line::one_line;
use std::time::Duration;

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
    /// Nodes per second, for brains that report no nodes.
    speed: Option<f64>,
}

impl Thought {
    /// Reads a line of output that arrived `at` this time after the question. Lines other than MESSAGE and DEBUG are ignored.
    pub fn hear(&mut self, line: &str, at: Duration) {
        let Some(text) = message(line) else { return };
        let mut words = text.split([' ', '\t', '|', '=', ':', ',']).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            let Some(&value) = words.peek() else { return };
            match word.to_ascii_lowercase().as_str() {
                "depth" => self.depth = first_number(value).or(self.depth),
                "ev" | "eval" | "evaluation" | "score" => self.score = Some(one_line(value)),
                "n" | "node" | "nodes" => {
                    if let Some(nodes) = quantity(value) {
                        self.nodes = Some(nodes as u64);
                        self.nodes_at = at;
                    }
                }
                "n/s" | "nps" | "speed" => self.speed = quantity(value).or(self.speed),
                "n/ms" => self.speed = quantity(value).map(|n| n * 1000.0).or(self.speed),
                "pv" | "bestline" => return,
                _ => {}
            }
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
        assert_eq!(heard(&["MESSAGE", "MESSAGE depth", "MESSAGE depth x n -5 n/s nan"]), Thought::default());
    }
}
