//! Games of the engine against itself with other numbers, in this process and by nodes: the same on every machine.
//! Floor 6.

use crate::base::{Color, Point, Rule, Size};
use crate::board::oracle::{Oracle, Verdict};
use crate::engine::Engine;
use crate::search::{NullSink, SearchControl, SearchLimits};
use crate::tools::arena::cli::{Terms, parse_rule, parse_size};
use crate::tools::arena::openings::{self, Opening};
use anyhow::{Context, Result, anyhow};
use std::path::Path;

/// Hash of each engine in bytes; plenty for the few nodes that such games get.
const HASH: u64 = 8 << 20;

/// Where games are played: a rule, a board and openings.
#[derive(Clone, Debug)]
pub struct Ground {
    /// As it was typed.
    pub text: String,
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// The openings.
    pub openings: Vec<Opening>,
}

impl Ground {
    /// Reads `RULE:SIZE:FILE`, as in `8:15:caro15.txt`; the openings are put in an order that the seed decides.
    ///
    /// # Errors
    /// When it is not of that form or the file cannot be used.
    pub fn parse(text: &str, seed: u64) -> Result<Ground> {
        let mut parts = text.splitn(3, ':');
        let mut part = || parts.next().with_context(|| format!("'{text}' is not RULE:SIZE:FILE"));
        let rule = parse_rule(part()?).map_err(|error| anyhow!("{text}: {error}"))?;
        let size = parse_size(part()?).map_err(|error| anyhow!("{text}: {error}"))?;
        let terms = Terms { rule, size, swap2: false, draw_after: None, judge: false };
        let openings = openings::read(Path::new(part()?), &terms, Some(seed))?;
        Ok(Ground { text: text.to_owned(), rule, size, openings })
    }
}

/// Two engines that meet again and again.
#[derive(Debug, Default)]
pub struct Rivals {
    /// The engines; their numbers are the caller's to set.
    pub engines: [Engine; 2],
}

impl Rivals {
    /// Plays an opening with both colours; the half points (0 to 4) of the first engine.
    pub fn play_pair(&mut self, ground: &Ground, opening: &Opening, nodes: u64) -> usize {
        (0..2)
            .map(|black| match self.play(ground, opening, nodes, black) {
                None => 1,
                Some(Color::Black) => 2 * usize::from(black == 0),
                Some(Color::White) => 2 * usize::from(black == 1),
            })
            .sum()
    }

    /// One game; the winner's colour. It ends when the referee says so, or with the first proven win.
    fn play(&mut self, ground: &Ground, opening: &Opening, nodes: u64, black: usize) -> Option<Color> {
        let mut oracle = Oracle::new(ground.rule, ground.size);
        for engine in &mut self.engines {
            engine.set_rule(ground.rule);
            engine.options_mut().hash_size = Some(HASH);
            engine.new_game(ground.size, false);
        }
        let mut color = Color::Black;
        for &stone in &opening.stones {
            oracle.play(stone, color);
            self.put(stone);
            color = color.opponent();
        }
        loop {
            let mover = if color == Color::Black { black } else { 1 - black };
            let control = SearchControl::default();
            control.begin(SearchLimits { nodes: Some(nodes), ..SearchLimits::default() });
            let report = self.engines[mover].think(&control, &mut NullSink);
            if report.last.score.is_win() {
                return Some(color);
            }
            // A brain without a move on a board that is not full has no answer to give: it loses.
            let Some(point) = report.best else { return Some(color.opponent()) };
            match oracle.play(point, color) {
                Verdict::Continues => self.put(point),
                Verdict::Wins => return Some(color),
                Verdict::Draw => return None,
                Verdict::Foul(_) | Verdict::Illegal => return Some(color.opponent()),
            }
            color = color.opponent();
        }
    }

    fn put(&mut self, point: Point) {
        for engine in &mut self.engines {
            engine.play(point).expect("the referee has allowed it");
        }
    }
}
