//! Balanced openings for any rule and size: random stones, judged by a search.
//!
//! A candidate is a few random stones within a small window of the board. Several points are tried for its last stone by
//! short searches, then the best of them by longer ones, and the first with a balanced score is taken. A search longer still
//! decides whether the candidate is balanced. A candidate depends only on the seed and its number, and candidates are taken in
//! order, so the result does not depend on the number of threads. The candidates can also be the openings of a file: those that the
//! deciding search finds balanced are kept.

use crate::arena::openings::Opening;
use crate::parallel;
use crate::progress::Progress;
use crate::state_file;
use anyhow::{Result, bail, ensure};
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::Path;
use tengen::base::hash::GOLDEN;
use tengen::base::{Cell, Color, Point, Rule, Size};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::engine::Engine;

/// What openings to make.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// Number of openings.
    pub count: usize,
    /// The same seed gives the same openings.
    pub seed: u64,
    /// Nodes of the deciding search.
    pub nodes: u64,
    /// Largest score that counts as balanced.
    pub max_score: i32,
    /// Number of stones.
    pub stones: RangeInclusive<usize>,
    /// Openings that are judged, in this order, instead of random ones. May be empty.
    pub from: Vec<Opening>,
}

/// Number of candidates made in parallel before their results are used.
const BATCH: u64 = 32;
/// Number of consecutive candidates without a new opening after which the search for openings gives up.
const FRUITLESS_CANDIDATES: u64 = 2000;
/// Number of points tried for the last stone.
const TRIES: usize = 10;
/// Number of these that get a second search, from the most balanced on. The first that it calls balanced is taken.
const SECOND_TRIES: usize = 3;
/// The first search of a point gets one part in this many of the nodes of the deciding search.
const TRY_SHARE: u64 = 64;
/// The same for the second search.
const SECOND_TRY_SHARE: u64 = 8;
/// Smallest side of the window of an opening of many stones.
const WINDOW: usize = 5;
/// Most stones of an opening: they fit into the smallest window.
pub const MOST_STONES: usize = WINDOW * WINDOW;
/// Sizes of the transposition table in bytes: a search of `nodes` gets eight times as many bytes within these.
const HASH: RangeInclusive<u64> = (4 << 20)..=(64 << 20);

/// Openings made so far, and what is needed to go on.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Unfinished {
    /// What openings they are, as text.
    wanted: String,
    /// Checksum of the program that makes them: another build judges otherwise.
    build: u64,
    /// Candidates used.
    candidates: u64,
    /// Consecutive candidates without a new opening.
    fruitless: u64,
    /// The openings, as in opening files.
    openings: Vec<String>,
}

impl Unfinished {
    /// What the file has, or a start if there is none.
    fn open(wanted: &Wanted, unfinished: Option<&Path>) -> Result<Unfinished> {
        let start =
            Unfinished { wanted: format!("{wanted:?}"), build: state_file::build_checksum(), ..Unfinished::default() };
        let Some(path) = unfinished else { return Ok(start) };
        let Some(there) = state_file::read::<Unfinished>(path, "a list of unfinished openings")? else {
            return Ok(start);
        };
        ensure!(
            (&there.wanted, there.build) == (&start.wanted, start.build),
            "{} has openings of other options or another build; remove it to start again",
            path.display()
        );
        Ok(there)
    }
}

/// Makes openings that lead to different positions, also up to rotation and reflection. After every batch of candidates
/// `unfinished` gets what is there, and the next call with this file goes on from it.
///
/// # Errors
/// When not enough random openings are found, or the file cannot be used.
pub fn generate(wanted: &Wanted, threads: usize, unfinished: Option<&Path>) -> Result<Vec<Opening>> {
    let mut made = Unfinished::open(wanted, unfinished)?;
    let parse = |line: &String| Opening::parse(line, wanted.size);
    let mut openings = made.openings.iter().map(parse).collect::<Result<Vec<_>>>()?;
    let mut known: HashSet<_> = openings.iter().map(|opening| opening.canonical(wanted.size)).collect();
    let mut makers = makers(wanted, threads);
    let progress = Progress::new("openings", wanted.count as u64, openings.len() as u64);
    let is_random = wanted.from.is_empty();
    while openings.len() < wanted.count && (is_random || made.candidates < wanted.from.len() as u64) {
        if is_random && made.fruitless >= FRUITLESS_CANDIDATES {
            bail!("only {} openings found; allow more stones or a larger score", openings.len());
        }
        for opening in batch(&mut makers, made.candidates)? {
            made.fruitless += 1;
            let Some(opening) = opening else { continue };
            if openings.len() < wanted.count && known.insert(opening.canonical(wanted.size)) {
                made.openings.push(opening.text());
                openings.push(opening);
                made.fruitless = 0;
            }
        }
        made.candidates += BATCH;
        progress.show(openings.len() as u64, &format!("{} candidates", made.candidates));
        if let Some(path) = unfinished {
            state_file::write(&made, path)?;
        }
    }
    progress.end();
    Ok(openings)
}

/// The [`BATCH`] candidates from number `first`, in order; `None` for those that are not balanced.
fn batch(makers: &mut [Maker], first: u64) -> Result<Vec<Option<Opening>>> {
    parallel::in_order(BATCH as usize, makers, |index, maker| Ok(maker.candidate(first + index as u64)))
}

fn makers(wanted: &Wanted, threads: usize) -> Vec<Maker> {
    (0..threads).map(|_| Maker::new(wanted.clone())).collect()
}

/// Makes openings one at a time.
#[derive(Debug)]
pub(super) struct Maker {
    wanted: Wanted,
    engine: Engine,
}

impl Maker {
    pub(super) fn new(wanted: Wanted) -> Maker {
        let mut engine = Engine::new();
        engine.set_rule(wanted.rule);
        engine.options_mut().hash_size = Some(wanted.nodes.saturating_mul(8).clamp(*HASH.start(), *HASH.end()));
        Maker { wanted, engine }
    }

    /// The candidate with this number; `None` if it is not balanced.
    pub(super) fn candidate(&mut self, number: u64) -> Option<Opening> {
        if self.wanted.from.is_empty() { self.random_candidate(number) } else { self.listed_candidate(number) }
    }

    fn listed_candidate(&mut self, number: u64) -> Option<Opening> {
        let opening = self.wanted.from.get(usize::try_from(number).ok()?)?.clone();
        self.engine.new_game(self.wanted.size, false);
        let (&last, stones) = opening.stones.split_last()?;
        (self.imbalance(stones, last, self.wanted.nodes) <= self.wanted.max_score).then_some(opening)
    }

    fn random_candidate(&mut self, number: u64) -> Option<Opening> {
        let mixed = self.wanted.seed.wrapping_mul(GOLDEN) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mut random = SmallRng::seed_from_u64(mixed);
        self.engine.new_game(self.wanted.size, false);
        let count = random.random_range(self.wanted.stones.clone());
        let window = window(self.wanted.size, count, &mut random);
        let mut oracle = Oracle::new(self.wanted.rule, self.wanted.size);
        let mut stones = Vec::new();
        while stones.len() + 1 < count {
            let free: Vec<Point> = window.iter().copied().filter(|&p| oracle.cell(p) == Cell::Empty).collect();
            let stone = *free.choose(&mut random)?;
            if oracle.play(stone, Color::to_move_after(stones.len())) != Verdict::Continues {
                return None;
            }
            stones.push(stone);
        }
        let mut last: Vec<Point> = window.into_iter().filter(|&p| oracle.cell(p) == Cell::Empty).collect();
        last.shuffle(&mut random);
        let side = Color::to_move_after(stones.len());
        last.retain(|&p| oracle.clone().play(p, side) == Verdict::Continues);
        last.truncate(TRIES);
        let Wanted { nodes, max_score, .. } = self.wanted;
        last.sort_by_cached_key(|&p| self.imbalance(&stones, p, nodes / TRY_SHARE));
        last.truncate(SECOND_TRIES);
        let best = last.into_iter().find(|&p| self.imbalance(&stones, p, nodes / SECOND_TRY_SHARE) <= max_score)?;
        let is_balanced = self.imbalance(&stones, best, nodes) <= max_score;
        stones.push(best);
        is_balanced.then_some(Opening { stones })
    }

    /// The absolute score after `last`; the largest number if the search does not know one.
    fn imbalance(&mut self, stones: &[Point], last: Point, nodes: u64) -> i32 {
        let cells: Vec<(Point, Cell)> = stones.iter().copied().chain([last]).zip(Cell::stones_in_turn()).collect();
        let side = Color::to_move_after(cells.len());
        if self.engine.set_position(&cells, side).is_err() {
            return i32::MAX;
        }
        let report = self.engine.think_nodes(nodes);
        if report.is_unknown() { i32::MAX } else { report.last.score.units().abs() }
    }
}

/// The points of a random window with sides of four to seven, large enough for the stones. Half of the windows are near the
/// centre of the board, the others anywhere.
fn window(size: Size, stones: usize, random: &mut SmallRng) -> Vec<Point> {
    let smallest = if stones > 5 { WINDOW } else { 4 };
    let side = random.random_range(smallest..=7);
    let central = random.random_bool(0.5);
    let mut place = |length: usize| {
        let side = side.min(length);
        let room = length - side;
        let start = if central {
            let middle = (room / 2).saturating_sub(1);
            random.random_range(middle..=(room / 2 + 1).min(room))
        } else {
            random.random_range(0..=room)
        };
        start..start + side
    };
    let (columns, rows) = (place(size.width()), place(size.height()));
    size.points().filter(|p| columns.contains(&p.x()) && rows.contains(&p.y())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::terms::Terms;

    fn wanted(rule: Rule, size: Size, count: usize) -> Wanted {
        Wanted { rule, size, count, seed: 5, nodes: 400, max_score: 200, stones: 3..=6, from: Vec::new() }
    }

    #[test]
    fn openings_are_legal_different_and_the_same_for_any_number_of_threads() {
        for (rule, size) in [
            (Rule::Renju, Size::square(15).unwrap()),
            (Rule::Caro, Size::square(8).unwrap()),
            (Rule::Standard, Size::new(20, 9).unwrap()),
        ] {
            let wanted = wanted(rule, size, 8);
            let openings = generate(&wanted, 1, None).unwrap();
            assert_eq!(openings, generate(&wanted, 3, None).unwrap());
            assert_eq!(openings.len(), 8);
            let terms = Terms::plain(rule, size);
            let mut known = HashSet::new();
            for opening in openings {
                opening.check(&terms).unwrap();
                assert!((3..=6).contains(&opening.stones.len()));
                assert_eq!(Opening::parse(&opening.text(), size).unwrap(), opening);
                assert!(known.insert(opening.canonical(size)));
            }
        }
    }

    #[test]
    fn listed_openings_are_kept_in_order_if_a_search_finds_them_balanced() {
        let size = Size::square(9).unwrap();
        // Twelve openings of short searches, and one that black wins at once.
        let mut from = generate(&wanted(Rule::Freestyle, size, 12), 2, None).unwrap();
        let won = Opening::parse("a1a9b1b9c1c9d1e9", size).unwrap();
        from.insert(5, won.clone());
        let strict = Wanted { nodes: 3000, max_score: 60, from: from.clone(), ..wanted(Rule::Freestyle, size, 100) };
        let kept = generate(&strict, 2, None).unwrap();
        assert!(!kept.contains(&won) && kept.len() < 12, "{} kept", kept.len());
        let mut maker = Maker::new(strict.clone());
        let balanced = |opening: &&Opening| {
            let (&last, stones) = opening.stones.split_last().unwrap();
            maker.engine.new_game(size, false);
            maker.imbalance(stones, last, strict.nodes) <= strict.max_score
        };
        assert_eq!(kept, from.iter().filter(balanced).cloned().collect::<Vec<_>>());
        let first = Wanted { count: 2, ..strict };
        assert_eq!(generate(&first, 1, None).unwrap(), kept[..2]);
    }

    #[test]
    fn too_few_openings_are_an_error() {
        let wanted = Wanted { stones: 1..=1, nodes: 20, ..wanted(Rule::Freestyle, Size::square(5).unwrap(), 100) };
        assert!(generate(&wanted, 2, None).unwrap_err().to_string().contains("only"));
    }

    #[test]
    fn an_interrupted_run_goes_on_to_the_same_openings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unfinished");
        let all = wanted(Rule::Freestyle, Size::square(9).unwrap(), 12);
        let whole = generate(&all, 2, None).unwrap();
        // The file as it is after the first batch.
        let mut first = Unfinished::open(&all, Some(&path)).unwrap();
        first.candidates = BATCH;
        let mut known = HashSet::new();
        for opening in batch(&mut makers(&all, 2), 0).unwrap().into_iter().flatten() {
            if known.insert(opening.canonical(all.size)) && first.openings.len() < all.count {
                first.openings.push(opening.text());
            }
        }
        state_file::write(&first, &path).unwrap();
        assert_eq!(generate(&all, 2, Some(&path)).unwrap(), whole);
        let other = Wanted { seed: 6, ..all };
        assert!(generate(&other, 2, Some(&path)).unwrap_err().to_string().contains("other options"));
    }
}
