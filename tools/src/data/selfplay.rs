//! Games of the engine against itself, for training; with labelled positions found in them, if wanted.
//!
//! A game depends only on the seed of the series and its number, so the games do not depend on the number of threads, and an
//! interrupted run continues where it stopped.

use super::labels::{HASH, Labeller, Labels};
use super::opening_maker::{Maker, Wanted};
use super::packed_game::{Content, PackedGame, PackedPly, RecordFormat};
use super::record_file::Writer;
use crate::arena::openings::Opening;
use crate::parallel;
use crate::progress::Progress;
use crate::state_file;
use anyhow::{Context, Result, bail, ensure};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Instant;
use tengen::base::{Color, Point, Rule, Score, Size};
use tengen::board::oracle::{Oracle, Verdict};
use tengen::engine::{Engine, files};

/// A game's number is the seed of its series times this, plus its index in the series.
const SERIES: u64 = 1 << 40;
/// In this many plies after the opening, a move is drawn at random with the probability [`RANDOM_SHARE`].
const RANDOM_PLIES: usize = 6;
const RANDOM_SHARE: f64 = 0.05;
/// Standard deviation of the nodes of a move, as a share of the mean.
const NODE_SPREAD: f64 = 0.1;
/// A game is adjudicated as a draw if this many consecutive searches return at most [`DRAWISH_SCORE`], from
/// [`drawish_stones`] on.
const DRAWISH_SEARCHES: usize = 7;
const DRAWISH_SCORE: i32 = 10;
/// Largest absolute score of a balanced opening.
const BALANCE: i32 = 100;
/// Number of stones of an opening.
const STONES: std::ops::RangeInclusive<usize> = 2..=9;
/// Nodes of the search that judges an opening, as a multiple of the nodes of a move.
const OPENING_NODES: u64 = 5;
/// Number of candidates for an opening before the run gives up.
const CANDIDATES: u64 = 500;

/// One kind of game in a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// Its share, relative to the others'.
    pub weight: u32,
}

/// The games to play.
#[derive(Clone, Debug)]
pub struct Series {
    /// The kinds of games; at least one.
    pub kinds: Vec<Kind>,
    /// Number of games.
    pub games: u64,
    /// Mean number of nodes for a move.
    pub nodes: u64,
    /// The same seed gives the same games; below 2^24.
    pub seed: u64,
    /// Which positions found in the games are labelled; `None`: the file has games only. The games are the same.
    pub labels: Option<Labels>,
}

impl Series {
    /// The index of the kind of a game, drawn by weight. It is the first number drawn for the game.
    fn draw_kind(&self, random: &mut SmallRng) -> usize {
        let total: u32 = self.kinds.iter().map(|kind| kind.weight).sum();
        let mut drawn = random.random_range(0..total.max(1));
        let is_it = |kind: &Kind| {
            let hit = drawn < kind.weight;
            drawn = drawn.saturating_sub(kind.weight);
            hit
        };
        self.kinds.iter().position(is_it).unwrap_or(0)
    }

    /// Whether a record can be of this series.
    fn check(&self, record: &PackedGame) -> Result<()> {
        ensure!(record.number / SERIES == self.seed, "games of another seed");
        let kind = self.kinds[self.draw_kind(&mut SmallRng::seed_from_u64(record.number))];
        ensure!((kind.rule, kind.size) == (record.rule, record.size), "games of other kinds");
        Ok(())
    }

    /// What its games depend on besides seed and number.
    fn settings(&self) -> String {
        let Series { kinds, nodes, labels, .. } = self;
        format!("{kinds:?}, {nodes} nodes, {labels:?}, build {:016x}", state_file::build_checksum())
    }
}

/// Plays the games of the series that the file `path` does not have. Returns how many games of the series it has at the end.
///
/// # Errors
/// When a number is out of range, the file cannot be written or has games of another seed, other settings or another build, no
/// balanced opening is found, or positions are wanted and this build does not sample them.
pub fn run(series: &Series, path: &Path, threads: usize) -> Result<u64> {
    ensure!(series.seed < 1 << 24, "the seed must be below {}", 1 << 24);
    ensure!(series.games < SERIES, "the number of games must be below {SERIES}");
    let weights: u64 = series.kinds.iter().map(|kind| u64::from(kind.weight)).sum();
    ensure!(weights <= u32::MAX.into(), "the weights of the kinds must add up to at most {}", u32::MAX);
    let format = if series.labels.is_some() { RecordFormat::Positions } else { RecordFormat::Games };
    if series.labels.is_some() {
        Labeller::check()?;
    }
    let (kept, settings) = (files::beside(path, ".settings.json"), series.settings());
    // A file of that name that holds something else is not replaced, even if there are no games yet.
    let before = state_file::read::<String>(&kept, "the settings of a series")?;
    if let Some(before) = before.as_ref().filter(|_| path.exists()) {
        ensure!(*before == settings, "{}: games of other settings: {before}", path.display());
    }
    let known = before.is_some();
    let (mut writer, before) = Writer::append(path, format, |record| {
        series.check(record)?;
        ensure!(known, "the settings of these games are unknown: {} is missing", kept.display());
        Ok(())
    })?;
    state_file::write(&settings, &kept)?;
    let done: HashSet<u64> = before.iter().map(|game| game.number % SERIES).collect();
    let mut course = Course::new(series.games, done.iter().filter(|&&n| n < series.games).count() as u64);
    let next = AtomicU64::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, next, done) = (sender.clone(), &next, &done);
            parallel::spawn(scope, move || {
                let mut player = Player::new(series);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= series.games {
                        break;
                    }
                    let wanted = !done.contains(&number);
                    if wanted && sender.send(player.game(number)).is_err() {
                        break;
                    }
                }
            })?;
        }
        drop(sender);
        let written = write_all(&receiver, &mut writer, &mut course);
        // After an error, no thread starts another game.
        next.store(series.games, Ordering::Relaxed);
        drop(receiver);
        written
    })?;
    course.progress.end();
    Ok(course.done)
}

fn write_all(games: &mpsc::Receiver<Result<Played>>, writer: &mut Writer, course: &mut Course) -> Result<()> {
    for played in games {
        let Played { positions, game } = played?;
        positions.iter().chain([&game]).try_for_each(|record| writer.write(record))?;
        course.finished(&game, positions.len());
    }
    Ok(())
}

/// A game and the labelled positions found in it.
struct Played {
    positions: Vec<PackedGame>,
    game: PackedGame,
}

/// The engines and the opening makers of one thread.
struct Player<'a> {
    series: &'a Series,
    engine: Engine,
    makers: Vec<Option<Maker>>,
    labeller: Option<Labeller>,
}

impl<'a> Player<'a> {
    fn new(series: &'a Series) -> Player<'a> {
        let mut engine = Engine::new();
        engine.options_mut().hash_size = Some(HASH);
        let labeller = series.labels.map(Labeller::new);
        Player { series, engine, makers: series.kinds.iter().map(|_| None).collect(), labeller }
    }

    /// Plays the game with this index in the series.
    fn game(&mut self, number: u64) -> Result<Played> {
        let id = self.series.seed * SERIES + number;
        let mut random = SmallRng::seed_from_u64(id);
        let kind = self.series.draw_kind(&mut random);
        let Kind { rule, size, .. } = self.series.kinds[kind];
        let opening = self.opening(kind, &mut random)?;
        let mut oracle = opening.oracle(rule, size);
        self.engine.set_rule(rule);
        self.engine.new_game(size, false);
        for &stone in &opening.stones {
            self.engine.play(stone).context("an opening with two stones on a point")?;
        }
        if let Some(labeller) = &mut self.labeller {
            labeller.begin(id);
        }
        let (plies, winner) = self.play(&mut oracle, &mut random)?;
        let game = PackedGame { content: Content::Game, number: id, rule, size, opening, plies, winner };
        let positions = self.labeller.as_mut().map(|labeller| labeller.finish(&game)).transpose()?;
        Ok(Played { positions: positions.unwrap_or_default(), game })
    }

    fn opening(&mut self, kind: usize, random: &mut SmallRng) -> Result<Opening> {
        let Kind { rule, size, .. } = self.series.kinds[kind];
        let most = (*STONES.end()).min(size.cells() / 6).max(*STONES.start());
        let maker = self.makers[kind].get_or_insert_with(|| {
            Maker::new(Wanted {
                rule,
                size,
                count: 1,
                seed: 0,
                nodes: self.series.nodes.saturating_mul(OPENING_NODES),
                max_score: BALANCE,
                stones: *STONES.start()..=most,
                from: Vec::new(),
            })
        });
        for _ in 0..CANDIDATES {
            if let Some(opening) = maker.candidate(random.random()) {
                return Ok(opening);
            }
        }
        bail!("no balanced opening for {} on {size}", rule.name())
    }

    /// Plays from the position of engine and oracle to the end of the game or a proven result.
    fn play(&mut self, oracle: &mut Oracle, random: &mut SmallRng) -> Result<(Vec<PackedPly>, Option<Color>)> {
        let mut plies = Vec::new();
        let mut drawish = 0;
        loop {
            let us = self.engine.to_move();
            let spread = 1.0 + NODE_SPREAD * standard_normal(random);
            let nodes = ((self.series.nodes as f64 * spread) as u64).max(1);
            let (mut ply, score) = self.think(nodes)?;
            if score.is_decisive() {
                plies.push(ply);
                return Ok((plies, Some(if score.is_win() { us } else { us.opponent() })));
            }
            if plies.len() < RANDOM_PLIES && random.random_bool(RANDOM_SHARE) {
                ply.played = random_move(oracle, us, random).unwrap_or(ply.best);
            }
            plies.push(ply);
            drawish = if score.units().abs() <= DRAWISH_SCORE && oracle.stones() >= drawish_stones(oracle.size()) {
                drawish + 1
            } else {
                0
            };
            match oracle.play(ply.played, us) {
                Verdict::Continues if drawish >= DRAWISH_SEARCHES => return Ok((plies, None)),
                Verdict::Continues => {}
                Verdict::Wins => return Ok((plies, Some(us))),
                Verdict::Foul(_) => return Ok((plies, Some(us.opponent()))),
                Verdict::Draw => return Ok((plies, None)),
                Verdict::Illegal => bail!("the engine chose an occupied point"),
            }
            self.engine.play(ply.played).context("the engine chose an occupied point")?;
        }
    }

    /// A search of the engine's position: its ply and its score. The labeller, if there is one, follows it.
    fn think(&mut self, nodes: u64) -> Result<(PackedPly, Score)> {
        if let Some(labeller) = &mut self.labeller {
            labeller.before_search();
        }
        let report = self.engine.think_to_a_score(nodes);
        let (best, score) = (report.best.context("no move although the board is not full")?, report.estimate());
        let ply = PackedPly::chosen(best, score);
        if let Some(labeller) = &mut self.labeller {
            labeller.after_search(&self.engine, &ply);
        }
        Ok((ply, score))
    }
}

/// The number of stones from which a game on this board may be adjudicated as a draw: 40 % of its cells, and at most 100.
fn drawish_stones(size: Size) -> usize {
    (size.cells() * 2 / 5).min(100)
}

/// A random legal move near a stone that does not end the game.
fn random_move(oracle: &Oracle, us: Color, random: &mut SmallRng) -> Option<Point> {
    let size = oracle.size();
    let stones: Vec<Point> = size.points().filter(|&p| oracle.cell(p).color().is_some()).collect();
    let is_near = |p: &Point| stones.iter().any(|stone| stone.distance(*p) <= 2);
    let goes_on = |p: &Point| oracle.clone().play(*p, us) == Verdict::Continues;
    let moves: Vec<Point> = size.points().filter(is_near).filter(goes_on).collect();
    moves.choose(random).copied()
}

/// Approximately normal with mean 0 and standard deviation 1, within +-3.5.
fn standard_normal(random: &mut SmallRng) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>().clamp(2.5, 9.5) - 6.0
}

/// What a run has done so far.
struct Course {
    progress: Progress,
    done: u64,
    positions: u64,
    labelled: u64,
    begun: Instant,
}

impl Course {
    fn new(total: u64, done: u64) -> Course {
        let progress = Progress::new("games", total, done);
        Course { progress, done, positions: 0, labelled: 0, begun: Instant::now() }
    }

    fn finished(&mut self, game: &PackedGame, labelled: usize) {
        self.done += 1;
        self.positions += game.plies.len() as u64;
        self.labelled += labelled as u64;
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        let rate = |count: u64, what| format!("{count} {what}, {:.0}/s", count as f64 / seconds);
        let mut speed = rate(self.positions, "positions");
        if self.labelled > 0 {
            speed = speed + ", " + &rate(self.labelled, "labelled");
        }
        self.progress.show(self.done, &speed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record_file::Reader;

    fn series() -> Series {
        let kind = |rule, side| Kind { rule, size: Size::square(side).unwrap(), weight: 1 };
        let kinds = vec![kind(Rule::Freestyle, 15), kind(Rule::Renju, 13), kind(Rule::Caro, 8)];
        Series { kinds, games: 8, nodes: 60, seed: 3, labels: None }
    }

    fn games(path: &Path) -> Vec<PackedGame> {
        let mut games: Vec<PackedGame> = Reader::open(path).unwrap().map(Result::unwrap).collect();
        games.sort_by_key(|game| game.number);
        games
    }

    #[test]
    fn games_do_not_depend_on_threads_or_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        assert_eq!(run(&series(), &whole, 1).unwrap(), 8);
        run(&Series { games: 3, ..series() }, &parts, 2).unwrap();
        let bytes = std::fs::read(&parts).unwrap();
        std::fs::write(&parts, &bytes[..bytes.len() - 5]).unwrap();
        assert_eq!(run(&series(), &parts, 2).unwrap(), 8);
        assert_eq!(games(&whole), games(&parts));
    }

    /// Bug: a hundred stones are all of 10x10, so no game there was adjudicated.
    #[test]
    fn a_drawn_game_ends_before_the_board_is_full() {
        for side in 5..=22 {
            let size = Size::square(side).unwrap();
            assert!(drawish_stones(size) <= size.cells() / 2);
        }
        assert_eq!([10, 15, 20].map(|side| drawish_stones(Size::square(side).unwrap())), [40, 90, 100]);
    }

    /// Bug: another seed was refused only after the end of the file had been cut, and other kinds not at all.
    #[test]
    fn the_file_of_another_series_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        run(&Series { games: 2, ..series() }, &path, 1).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.truncate(bytes.len() - 5);
        std::fs::write(&path, &bytes).unwrap();
        let kinds = series().kinds.into_iter().map(|kind| Kind { rule: Rule::CaroExact, ..kind }).collect();
        let refused = |other: &Series, reason: &str| {
            let error = format!("{:#}", run(other, &path, 1).unwrap_err());
            assert!(error.starts_with(&path.display().to_string()) && error.contains(reason), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        };
        // Bug: games with other settings were added to the file.
        refused(&Series { nodes: 1 + series().nodes, ..series() }, "games of other settings");
        refused(&Series { seed: 4, ..series() }, "another seed");
        // The games tell their kinds even if nothing else does.
        let other_kinds = Series { kinds, ..series() };
        refused(&other_kinds, "games of other settings");
        std::fs::remove_file(folder.path().join("games.settings.json")).unwrap();
        refused(&other_kinds, "other kinds");
        // Bug: without the settings any others were taken, and written down for the games before.
        refused(&series(), "games.settings.json is missing");
    }

    /// Bug: the sum overflowed; builds without that check drew the wrong kinds.
    #[test]
    fn weights_that_overflow_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let kinds = series().kinds.into_iter().map(|kind| Kind { weight: u32::MAX / 2, ..kind }).collect();
        let refusal = run(&Series { kinds, ..series() }, &folder.path().join("games"), 1).unwrap_err().to_string();
        assert!(refusal.contains("weights"), "{refusal}");
    }

    #[test]
    fn games_follow_the_rules_and_have_the_right_winner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        run(&series(), &path, 2).unwrap();
        let games = games(&path);
        assert!(games.iter().any(|game| game.rule == Rule::Renju) && games.iter().any(|game| game.size.width() == 8));
        for game in games {
            let mut oracle = Oracle::new(game.rule, game.size);
            let mut last = Verdict::Continues;
            for (point, color) in game.moves().zip(Color::ALL.into_iter().cycle()) {
                assert_eq!(last, Verdict::Continues);
                last = oracle.play(point, color);
            }
            match last {
                Verdict::Wins => assert_eq!(game.winner, Some(Color::to_move_after(oracle.stones() - 1))),
                Verdict::Draw => assert_eq!(game.winner, None),
                verdict => {
                    assert_eq!(verdict, Verdict::Continues);
                    assert!(game.is_proven() || game.winner.is_none());
                }
            }
        }
    }

    /// Bug: without a file of games, a file beside it that was no settings of a series was replaced.
    #[test]
    fn a_foreign_file_in_the_place_of_the_settings_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, kept) = (folder.path().join("games"), folder.path().join("games.settings.json"));
        std::fs::write(&kept, "{\"mine\": 1}").unwrap();
        let refusal = run(&series(), &path, 1).unwrap_err().to_string();
        assert_eq!(refusal, format!("{} is not the settings of a series", kept.display()));
        assert!(!path.exists() && std::fs::read_to_string(&kept).unwrap() == "{\"mine\": 1}");
    }

    #[cfg(not(feature = "asked"))]
    #[test]
    fn a_build_that_does_not_draw_says_so_and_leaves_the_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("asked");
        let labels = Some(Labels { samples: 2, relabel_every: 5, nodes: 50 });
        let refusal = run(&Series { labels, ..series() }, &path, 1).unwrap_err().to_string();
        assert!(refusal.contains("--features asked") && !path.exists(), "{refusal}");
    }

    #[cfg(feature = "asked")]
    #[test]
    fn asked_positions_do_not_depend_on_threads_or_interruptions_and_leave_the_games_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let records = |name: &str| {
            let mut records: Vec<PackedGame> = Reader::open(&path(name)).unwrap().map(Result::unwrap).collect();
            // Stable: the positions of a game stay before it, in their order.
            records.sort_by_key(|record| record.number);
            records
        };
        let labels = Some(Labels { samples: 2, relabel_every: 4, nodes: 90 });
        let asked = Series { labels, ..series() };
        run(&asked, &path("whole"), 1).unwrap();
        run(&Series { games: 3, ..asked.clone() }, &path("parts"), 2).unwrap();
        let bytes = std::fs::read(path("parts")).unwrap();
        std::fs::write(path("parts"), &bytes[..bytes.len() * 2 / 3]).unwrap();
        run(&asked, &path("parts"), 2).unwrap();
        assert_eq!(records("whole"), records("parts"));
        run(&series(), &path("games"), 2).unwrap();
        let (games, positions): (Vec<_>, Vec<_>) = records("whole").into_iter().partition(PackedGame::is_game);
        assert_eq!(games, records("games"));
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        let quiet = positions.iter().filter(|position| position.content == Content::Quiet).count();
        assert!(positions.len() > plies && positions.len() <= 2 * plies + quiet && quiet > 0, "{}", positions.len());
    }
}
