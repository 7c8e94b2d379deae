//! SPSA: tunes many numbers together by games.
//!
//! In each pair of games the two engines have numbers one step above and below the current values, with the direction drawn
//! at random for each number. The values then move a little towards the winner's numbers. Over thousands of pairs the effect
//! of each number adds up, and the noise cancels out. Steps are proportional to the plausible range of a number and shrink
//! during the run (schedule of Spall 1998: gains a / (A + k)^0.602, steps c / k^0.101).
//!
//! Results count in the order of their pairs, and a pair starts from the values after all pairs but those of the last
//! [`Settings::lag`] numbers before it. So several pairs are played at the same time without waiting for each other, and
//! neither the number of threads nor an interruption changes the result.

use super::numbers::{ensure_tunable, matters_on, set_all, shipped};
use super::paired_games::{Allowance, Conditions, EnginePair};
use crate::arena::cancel::Cancel;
use crate::arena::ground::Ground;
use crate::parallel;
use crate::state_file;
use anyhow::{Context, Result, anyhow, bail, ensure};
use rand::Rng;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use tengen::search::params::COLUMN_NAMES;

/// Exponent by which the gains shrink.
const ALPHA: f64 = 0.602;
/// Exponent by which the steps shrink.
const GAMMA: f64 = 0.101;
/// Step at the end of the run, as a share of the range.
const STEP_SHARE: f64 = 1.0 / 20.0;
/// Default gain at the end of the run, in squared steps; good for long runs.
pub const GAIN: f64 = 0.002;
/// Number of pairs that may be played before the result of the first of them counts.
pub const LAG: u64 = 8;
/// Spall's A as a share of the run: larger values make the first gains smaller.
const HOLD: f64 = 0.1;
/// The result is the mean of the values over this last share of the run.
const TAIL: f64 = 0.25;
/// Number of points of the trajectory that is kept.
const TRAJECTORY: u64 = 400;
/// How often a waiting thread looks whether the run is cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// A number being tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// `name` or `name.rule`.
    pub name: String,
    /// Value at the start of the run.
    pub start: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

impl Tuned {
    /// Reads `name`, `name.rule`, or either with `=start`.
    ///
    /// # Errors
    /// When there is no such tunable, or the start is not in its range.
    pub fn parse(text: &str) -> Result<Tuned> {
        let (name, start) = text.split_once('=').map_or((text, None), |(name, start)| (name, Some(start)));
        let (row, shipped) = shipped(name)?;
        let start = match (start, shipped) {
            (Some(start), _) => start.parse().with_context(|| format!("{text}: not a number"))?,
            (None, Some(shipped)) => f64::from(shipped),
            (None, None) => {
                bail!("{name} has a value for each rule: use {name}.{} and so on, or {name}=START", COLUMN_NAMES[0])
            }
        };
        let (min, max) = (f64::from(row.min), f64::from(row.max));
        ensure!((min..=max).contains(&start), "{text}: the range is {min} to {max}");
        Ok(Tuned { name: name.to_ascii_lowercase(), start, min, max })
    }

    /// The step at the end of the run: a share of the range, but at most half the start and at least one unit, as some
    /// ranges are very wide.
    fn last_step(&self) -> f64 {
        let by_range = (self.max - self.min) * STEP_SHARE;
        let by_start = (self.start.abs() / 2.0).max(1.0);
        if self.start == 0.0 { by_range } else { by_range.min(by_start) }
    }
}

/// The settings of a run. A run can only be resumed with the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The numbers to tune.
    pub tuned: Vec<Tuned>,
    /// The conditions of the games.
    #[serde(flatten)]
    pub games: Conditions,
    /// Pairs of games in the whole run.
    pub pairs: u64,
    /// A pair may start before the results of the `lag - 1` pairs before it are known; at least 1.
    pub lag: u64,
    /// Gain at the end, in squared steps.
    pub gain: f64,
}

/// The values at one moment of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    /// Pairs played.
    pub played: u64,
    /// The values then.
    pub values: Vec<f64>,
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The settings.
    pub settings: Settings,
    /// Pairs played.
    pub played: u64,
    /// The current values.
    pub values: Vec<f64>,
    /// For each ground: number of pairs by half points (0 to 4) of the engine on the first side.
    pub outcomes: Vec<[u64; 5]>,
    /// Where the values have been.
    pub trajectory: Vec<Waypoint>,
    /// Sums of the values in the tail of the run, and the number of pairs in it.
    tail: (Vec<f64>, u64),
    /// The values after each of the last pairs, oldest first and the current ones last.
    recent: VecDeque<Vec<f64>>,
}

impl State {
    /// A run before its first pair.
    pub fn new(settings: Settings) -> State {
        let values: Vec<f64> = settings.tuned.iter().map(|tuned| tuned.start).collect();
        State {
            played: 0,
            outcomes: vec![[0; 5]; settings.games.grounds.len()],
            trajectory: vec![Waypoint { played: 0, values: values.clone() }],
            tail: (vec![0.0; values.len()], 0),
            recent: VecDeque::from([values.clone()]),
            values,
            settings,
        }
    }

    /// The run in this file, or a new one if the file does not exist.
    ///
    /// # Errors
    /// When the file cannot be read or has another run.
    pub fn open(path: &Path, settings: Settings) -> Result<State> {
        let Some(state) = state_file::read::<State>(path, "the state of a run")? else {
            return Ok(State::new(settings));
        };
        ensure!(
            state.settings == settings,
            "{} has a run with other settings, another build or other openings, and can only continue with those",
            path.display()
        );
        let numbers = settings.tuned.len();
        let is_whole = state.outcomes.len() == settings.games.grounds.len()
            && state.recent.len() as u64 == settings.lag.max(1).min(state.played + 1)
            && state.recent.iter().chain([&state.values, &state.tail.0]).all(|values| values.len() == numbers);
        ensure!(is_whole, "{} is damaged", path.display());
        Ok(state)
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        state_file::write(self, path)
    }

    /// Whether all pairs have been played.
    pub fn is_finished(&self) -> bool {
        self.played >= self.settings.pairs
    }

    /// The result so far, rounded as in the source: the mean over the tail of the run, before that the current values.
    pub fn rounded(&self) -> impl Iterator<Item = (&Tuned, i64)> {
        let (sums, pairs) = &self.tail;
        let mean = move |(value, sum): (&f64, &f64)| if *pairs > 0 { sum / *pairs as f64 } else { *value };
        let values = self.values.iter().zip(sums).map(mean);
        self.settings.tuned.iter().zip(values.map(|value| value.round() as i64))
    }

    /// The values from which the pair with this number starts. It must be less than [`Settings::lag`] pairs ahead.
    fn values_for(&self, number: u64) -> &[f64] {
        let known = (number + 1).saturating_sub(self.settings.lag.max(1));
        let back = (self.played - known) as usize;
        &self.recent[self.recent.len() - 1 - back]
    }

    /// Keeps the values after a pair.
    fn note(&mut self) {
        self.recent.push_back(self.values.clone());
        if self.recent.len() as u64 > self.settings.lag.max(1) {
            self.recent.pop_front();
        }
        if self.played as f64 > (1.0 - TAIL) * self.settings.pairs as f64 {
            for (sum, value) in self.tail.0.iter_mut().zip(&self.values) {
                *sum += value;
            }
            self.tail.1 += 1;
        }
        if self.played.is_multiple_of(self.settings.pairs.div_ceil(TRAJECTORY)) || self.is_finished() {
            self.trajectory.push(Waypoint { played: self.played, values: self.values.clone() });
        }
    }
}

/// Plays until the run is finished or cancelled. `show` is called with the state after every few pairs, and saves it.
///
/// # Errors
/// When the state cannot be saved or a value cannot be set.
pub fn run(
    state: &mut State,
    grounds: &[Ground],
    threads: usize,
    cancel: &Cancel,
    show: impl FnMut(&State) -> Result<()> + Send,
) -> Result<()> {
    ensure_tunable()?;
    ensure!(!state.values.is_empty() && !grounds.is_empty(), "no number to tune, or no ground to play on");
    ensure!(grounds.len() == state.settings.games.grounds.len(), "the run has other grounds");
    let classical = state.settings.games.classical;
    let scheduler = Scheduler {
        shared: Mutex::new(Shared { next: state.played, state, results: BTreeMap::new(), error: None, show }),
        changed: Condvar::new(),
        grounds,
        cancel,
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            if let Err(error) = parallel::spawn(scope, || scheduler.work(&mut EnginePair::new(classical))) {
                scheduler.fail(error);
                break;
            }
        }
    });
    let mut shared = scheduler.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.error.take() {
        Some(error) => Err(error),
        None => (shared.show)(shared.state),
    }
}

/// Where the threads of a run get their pairs and leave their results.
struct Scheduler<'a, S> {
    shared: Mutex<Shared<'a, S>>,
    changed: Condvar,
    grounds: &'a [Ground],
    cancel: &'a Cancel,
}

/// What the threads share.
struct Shared<'a, S> {
    state: &'a mut State,
    /// The next pair to play.
    next: u64,
    /// Results of pairs that wait for those before them.
    results: BTreeMap<u64, (PlannedPair, usize)>,
    /// The first error, which ends the run.
    error: Option<anyhow::Error>,
    show: S,
}

impl<S: FnMut(&State) -> Result<()>> Scheduler<'_, S> {
    /// Plays pairs until there are no more.
    fn work(&self, pair: &mut EnginePair) {
        while let Some((planned, allowance)) = self.draw() {
            let play = AssertUnwindSafe(|| planned.play(self.grounds, allowance, pair));
            let outcome = catch_unwind(play).unwrap_or_else(|_| Err(anyhow!("a thread panicked")));
            match outcome {
                Ok(half_points) => {
                    let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
                    shared.results.insert(planned.number, (planned, half_points));
                    shared.count();
                    self.changed.notify_all();
                }
                Err(error) => self.fail(error),
            }
        }
    }

    /// Ends the run with this error, unless it has another.
    fn fail(&self, error: anyhow::Error) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).error.get_or_insert(error);
        self.changed.notify_all();
    }

    /// The next pair, as soon as the results that it needs are there; `None` at the end of the run.
    fn draw(&self) -> Option<(PlannedPair, Allowance)> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let settings = &shared.state.settings;
            if self.cancel.is_set() || shared.error.is_some() || shared.next >= settings.pairs {
                return None;
            }
            if shared.next < shared.state.played.saturating_add(settings.lag.max(1)) {
                break;
            }
            shared = self.changed.wait_timeout(shared, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let number = shared.next;
        shared.next += 1;
        Some((PlannedPair::draw(shared.state, number), shared.state.settings.games.allowance))
    }
}

impl<S: FnMut(&State) -> Result<()>> Shared<'_, S> {
    /// Counts the results that no earlier pair is missing for.
    fn count(&mut self) {
        while let Some((planned, half_points)) = self.results.remove(&self.state.played) {
            planned.learn(self.state, half_points);
            if self.state.played.is_multiple_of(self.state.settings.lag.max(1))
                && let Err(error) = (self.show)(self.state)
            {
                self.error.get_or_insert(error);
            }
        }
    }
}

/// A pair of games to be played.
#[derive(Debug)]
struct PlannedPair {
    number: u64,
    /// The index of its ground, and the round there.
    place: (usize, usize),
    /// For each number: the direction of the first engine (0 if the number is not used on this ground) and the step.
    steps: Vec<(f64, f64)>,
    /// The numbers of the two engines.
    values: [Vec<(String, i64)>; 2],
}

impl PlannedPair {
    fn draw(state: &State, number: u64) -> PlannedPair {
        let settings = &state.settings;
        let mut random = settings.games.random(number);
        let shrink = (settings.pairs as f64 / (number + 1) as f64).powf(GAMMA);
        let place = settings.games.place(number);
        let mut planned = PlannedPair { number, place, steps: Vec::new(), values: [Vec::new(), Vec::new()] };
        for (tuned, &value) in settings.tuned.iter().zip(state.values_for(number)) {
            let side = if random.random::<bool>() { 1.0 } else { -1.0 };
            let side = if matters_on(&tuned.name, &settings.games.grounds[place.0]) { side } else { 0.0 };
            let step = tuned.last_step() * shrink;
            // Near a bound both sides move inwards, so that they stay two steps apart.
            let value = value.clamp(tuned.min + step, (tuned.max - step).max(tuned.min + step));
            // Rounded up or down at random, by the same offset for both, so that fractions have an effect.
            let offset = random.random::<f64>();
            for (values, side) in planned.values.iter_mut().zip([side, -side]) {
                let value = (value + side * step + offset).floor().clamp(tuned.min, tuned.max);
                values.push((tuned.name.clone(), value as i64));
            }
            planned.steps.push((side, step));
        }
        planned
    }

    /// Moves the values towards the winner's after the pair.
    fn learn(&self, state: &mut State, half_points: usize) {
        let pairs = state.settings.pairs as f64;
        let (hold, k) = (HOLD * pairs, (self.number + 1) as f64);
        let growth = ((hold + pairs) / (hold + k)).powf(ALPHA);
        // In half points, -2 to 2.
        let result = half_points as f64 - 2.0;
        for ((value, tuned), (side, step)) in state.values.iter_mut().zip(&state.settings.tuned).zip(&self.steps) {
            let gain = state.settings.gain * tuned.last_step().powi(2) * growth;
            *value = (*value + gain / step * result * side).clamp(tuned.min, tuned.max);
        }
        state.outcomes[self.place.0][half_points.min(4)] += 1;
        state.played = self.number + 1;
        state.note();
    }

    fn play(&self, grounds: &[Ground], allowance: Allowance, pair: &mut EnginePair) -> Result<usize> {
        for (engine, values) in pair.engines.iter_mut().zip(&self.values) {
            set_all(engine, values)?;
        }
        let (ground, round) = self.place;
        Ok(pair.play_pair(&grounds[ground], round, allowance).half_points())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    fn settings(names: &[&str], pairs: u64) -> Settings {
        let tuned = names.iter().map(|name| Tuned::parse(name).unwrap()).collect();
        Settings {
            tuned,
            games: Conditions {
                grounds: vec!["test".to_owned()],
                allowance: Allowance::Nodes(500),
                classical: false,
                seed: 7,
                build: 1,
                books: vec![2],
            },
            pairs,
            lag: 4,
            gain: GAIN,
        }
    }

    fn grounds() -> Vec<Ground> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/openings");
        let ground =
            |rule: u8, name: &str| Ground::with_book(&format!("{rule}:15:{}/{name}", root.display()), 1).unwrap();
        vec![ground(0, "freestyle_15.txt"), ground(8, "caro_15.txt")]
    }

    #[test]
    fn what_is_typed_is_looked_up() {
        let tuned = Tuned::parse("ASPIRATION_WINDOW=20").unwrap();
        assert_eq!((tuned.name.as_str(), tuned.start), ("aspiration_window", 20.0));
        assert!(Tuned::parse("rfp_slope.caro").is_ok());
        for bad in ["nosuch", "aspiration_window=x", "aspiration_window=100000", "aspiration_window.go"] {
            assert!(Tuned::parse(bad).is_err(), "{bad}");
        }
        for bad in ["", "0:15", "0:99:x", "77:15:x", "0:15:/no/such/file"] {
            assert!(Ground::with_book(bad, 1).is_err(), "{bad}");
        }
    }

    /// Games are replaced by a formula, so that the best values are known.
    #[test]
    fn values_move_to_where_the_games_are_won() {
        let mut state = State::new(settings(&["aspiration_window=20", "vcf_delta=2500", "lmr_offset=0"], 4000));
        let best = [45.0, 900.0, 0.0];
        let mut random = SmallRng::seed_from_u64(3);
        while !state.is_finished() {
            let planned = PlannedPair::draw(&state, state.played);
            let loss = |values: &[(String, i64)]| -> f64 {
                let parts = values.iter().zip(best).zip(&state.settings.tuned);
                parts.map(|(((_, value), best), t)| ((*value as f64 - best) / (t.max - t.min)).powi(2)).sum()
            };
            let edge = 20.0 * (loss(&planned.values[1]) - loss(&planned.values[0]));
            let half_points = (2.0 + edge + random.random_range(-2.0..2.0)).round().clamp(0.0, 4.0);
            planned.learn(&mut state, half_points as usize);
        }
        for ((tuned, value), best) in state.rounded().zip(best) {
            let range = tuned.max - tuned.min;
            assert!((value as f64 - best).abs() < 0.15 * range, "{}: {value} instead of {best}", tuned.name);
        }
        assert_eq!(state.tail.1, 1000, "the mean of the last quarter");
        let (first, last) = (&state.trajectory[0], state.trajectory.last().unwrap());
        assert_eq!((first.played, last.played, state.trajectory.len()), (0, 4000, 401));
        assert_eq!(last.values, state.values);
    }

    #[test]
    fn a_saved_run_continues_and_refuses_other_settings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let settings = settings(&["aspiration_window=20", "vcf_delta"], 100);
        let mut state = State::open(&path, settings.clone()).unwrap();
        for number in 0..10 {
            PlannedPair::draw(&state, number).learn(&mut state, number as usize % 5);
        }
        state.save(&path).unwrap();
        assert_eq!(State::open(&path, settings.clone()).unwrap(), state);
        let games = || settings.games.clone();
        let is_refused = |games| State::open(&path, Settings { games, ..settings.clone() }).is_err();
        assert!(is_refused(Conditions { seed: 8, ..games() }));
        assert!(is_refused(Conditions { build: 9, ..games() }), "another build");
        assert!(is_refused(Conditions { books: vec![9], ..games() }), "another book");
        std::fs::write(&path, "{").unwrap();
        assert!(State::open(&path, settings).is_err());
    }

    /// Bug: near a bound one side was clamped, so that its games said less than the step counted for.
    #[test]
    fn near_a_bound_both_sides_keep_their_distance() {
        let tuned = Tuned::parse("aspiration_window=20").unwrap();
        for start in [tuned.min, tuned.max] {
            let mut settings = settings(&["aspiration_window=20"], 1000);
            settings.tuned[0].start = start;
            let state = State::new(settings);
            for number in 0..4 {
                let planned = PlannedPair::draw(&state, number);
                let [first, second] = [0, 1].map(|side: usize| planned.values[side][0].1 as f64);
                let step = planned.steps[0].1;
                assert!((first - second).abs() > 2.0 * step - 1.5, "{first} and {second}, step {step}");
                assert!([first, second].iter().all(|value| (tuned.min..=tuned.max).contains(value)));
            }
        }
    }

    #[test]
    fn steps_of_wide_ranges_depend_on_the_value() {
        let step = |name: &str| Tuned::parse(name).unwrap().last_step();
        assert!((step("razor_slope=2") - 1.0).abs() < 1e-9);
        assert!(step("razor_slope=0") > 5.0);
        assert!(step("aspiration_window=20") < 10.0);
    }

    #[test]
    #[cfg(not(feature = "tune"))]
    fn a_build_without_tunables_says_so() {
        let mut state = State::new(settings(&["vcf_delta"], 1));
        let error = run(&mut state, &grounds(), 1, &Cancel::default(), |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("--features tune"), "{error}");
    }

    #[test]
    #[cfg(feature = "tune")]
    fn neither_threads_nor_interruptions_change_a_run() {
        let settings = settings(&["rfp_slope.caro", "lmp_base", "history_threats", "lmr_factor"], 8);
        // Enough nodes for the numbers to matter: with a few hundred every pair may end even.
        let grounds = grounds();
        let names = grounds.iter().map(|ground| ground.text.clone()).collect();
        let games = Conditions { allowance: Allowance::Nodes(900), grounds: names, ..settings.games.clone() };
        let settings = Settings { games, ..settings };
        let mut alone = State::new(settings.clone());
        run(&mut alone, &grounds, 1, &Cancel::default(), |_| Ok(())).unwrap();
        assert!(alone.is_finished());
        assert_ne!(alone.values, State::new(settings.clone()).values, "the values have moved");
        let mut together = State::new(settings);
        let cancel = Cancel::default();
        let interrupt = |_: &State| {
            cancel.set();
            Ok(())
        };
        run(&mut together, &grounds, 3, &cancel, interrupt).unwrap();
        assert!((4..8).contains(&together.played), "{}", together.played);
        run(&mut together, &grounds, 3, &Cancel::default(), |_| Ok(())).unwrap();
        assert_eq!(alone, together);
    }
}
