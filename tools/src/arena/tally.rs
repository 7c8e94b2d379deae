//! Sums over the games so far, for each engine and each pairing.

use super::game_log::{GameRecord, Reason};
use super::line_check::Flaw;
use super::match_options::Setup;
use super::player::Fault;
use super::ratings::Encounter;
use super::schedule::{Game, Pairing};
use super::sprt::Pentanomial;
use std::collections::{BTreeMap, HashSet};
use tengen::base::Point;
use tengen::base::hash::Checksum;
use tengen::board::symmetry::Symmetry;

/// Sums for one engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineTally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Games lost on time (too late, or never).
    pub time_losses: u64,
    /// Games lost by other faults.
    pub faults: u64,
    /// Number of late answers.
    pub late: u64,
    /// Sum of their overruns in milliseconds.
    pub overrun_sum: f64,
    /// Largest overrun in milliseconds.
    pub overrun_max: f64,
    /// The late moves: first ones of a game and later ones, those that lost included. For each the number, and the largest
    /// overrun in milliseconds.
    pub late_moves: [(u64, f64); 2],
    /// Number of announced lines.
    pub lines: u64,
    /// Moves with each of [`Flaw::NAMES`].
    pub flaws: [u64; Flaw::NAMES.len()],
    depth: (f64, u64),
    nodes: f64,
    node_seconds: f64,
    time: (f64, u64),
}

impl EngineTally {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points; a draw is half a point.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Mean depth of the moves whose depth was reported.
    pub fn depth(&self) -> Option<f64> {
        (self.depth.1 > 0).then(|| self.depth.0 / self.depth.1 as f64)
    }

    /// Nodes per second of the moves whose nodes were reported.
    pub fn speed(&self) -> Option<f64> {
        (self.node_seconds > 0.0).then(|| self.nodes / self.node_seconds)
    }

    /// Mean time of a move in milliseconds.
    pub fn move_ms(&self) -> Option<f64> {
        (self.time.1 > 0).then(|| self.time.0 / self.time.1 as f64)
    }

    /// Whether a strict match has nothing against it: no flaw, no late move, no lost game but by the rules.
    pub fn is_clean(&self) -> bool {
        self.time_losses + self.faults + self.late_moves[0].0 + self.late_moves[1].0 + self.flaws.iter().sum::<u64>()
            == 0
    }

    /// Mean overrun of late answers in milliseconds.
    pub fn overrun_mean(&self) -> f64 {
        if self.late == 0 { 0.0 } else { self.overrun_sum / self.late as f64 }
    }
}

/// Sums for one pairing, from the view of the engine listed first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairTally {
    /// Over all grounds.
    pub total: MatchSums,
    /// The same for each ground.
    pub grounds: Vec<MatchSums>,
    /// Finished pairs that repeat earlier ones move by move; not counted as pairs.
    pub repeats: u64,
    /// Half points and moves of games whose partner is not finished, by seed and number of the pair.
    pending: BTreeMap<(u64, usize), (usize, Vec<Point>)>,
    /// Checksums of all pairs, for finding repeats.
    known: HashSet<u64>,
}

/// The results of games between two engines, from the view of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchSums {
    /// Whole pairs of games, without repeats.
    pub pairs: Pentanomial,
    /// Of these, the pairs of which both games were won by the same colour.
    pub by_one_color: u64,
    /// Wins, draws and losses of single games.
    pub games: [u64; 3],
}

impl MatchSums {
    /// Adds a game with these half points.
    pub fn add_game(&mut self, half_points: usize) {
        self.games[2 - half_points] += 1;
    }

    /// Adds a pair by the half points of its games; [`MatchSums::add_game`] adds the games themselves.
    pub fn add_pair(&mut self, half_points: [usize; 2]) {
        let [one, other] = half_points;
        self.pairs.add(one + other);
        self.by_one_color += u64::from(one.abs_diff(other) == 2);
    }
}

impl PairTally {
    /// Zeros for this number of grounds.
    pub fn new(grounds: usize) -> PairTally {
        PairTally { grounds: vec![MatchSums::default(); grounds], ..PairTally::default() }
    }

    /// Adds a game on a ground, with the half points of the engine listed first.
    pub fn add(&mut self, record: &GameRecord, ground: usize, half_points: usize) {
        for sums in [&mut self.total, &mut self.grounds[ground]] {
            sums.add_game(half_points);
        }
        let moves = record.stones();
        // The games of a pair have consecutive numbers, the first one even.
        let pair = (record.seed, record.game / 2);
        let Some((earlier, other)) = self.pending.remove(&pair) else {
            self.pending.insert(pair, (half_points, moves));
            return;
        };
        let games = if record.game.is_multiple_of(2) { [moves, other] } else { [other, moves] };
        if self.known.insert(checksum(ground, record, &games)) {
            for sums in [&mut self.total, &mut self.grounds[ground]] {
                sums.add_pair([earlier, half_points]);
            }
        } else {
            self.repeats += 1;
        }
    }

    /// Points of the engine listed first and games, without pairs that repeat others.
    fn rated(&self) -> (f64, f64) {
        let pairs = self.total.pairs.0.iter().zip(0..).map(|(&count, half_points)| (count, half_points));
        let single = self.pending.values().map(|&(half_points, _)| half_points);
        let half_points = pairs.clone().map(|(count, half)| count * half).sum::<u64>() + single.sum::<usize>() as u64;
        (half_points as f64 / 2.0, (2 * self.total.pairs.pairs() + self.pending.len() as u64) as f64)
    }
}

/// Equal for pairs of games on the same ground that are the same but for a symmetry of the board.
fn checksum(ground: usize, record: &GameRecord, games: &[Vec<Point>; 2]) -> u64 {
    let Some(size) = record.size() else { return 0 };
    let turned = |symmetry: Symmetry| {
        let index = |&point: &Point| symmetry.apply(point, size).index();
        games.each_ref().map(|moves| moves.iter().map(index).collect::<Vec<_>>())
    };
    let first = Symmetry::of(size).map(turned).min();
    Checksum::of(format!("{ground} {first:?}").as_bytes())
}

/// Sums for all engines and pairings.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// By engine.
    pub engines: Vec<EngineTally>,
    /// By pairing, in the order of the schedule.
    pub pairings: Vec<PairTally>,
    /// Games won by black and by white.
    pub by_color: [u64; 2],
}

impl Standings {
    /// Nothing yet.
    pub fn new(setup: &Setup) -> Standings {
        Standings {
            engines: vec![EngineTally::default(); setup.engines.len()],
            pairings: vec![PairTally::new(setup.schedule.grounds.len()); setup.schedule.pairings.len()],
            by_color: [0; 2],
        }
    }

    /// Adds a game.
    pub fn add(&mut self, setup: &Setup, record: &GameRecord) {
        let Game { seats, ground, .. } = setup.schedule.game(record.game);
        for (seat, engine) in seats.into_iter().enumerate() {
            let tally = &mut self.engines[engine];
            match record.half_points(&record.players[seat]) {
                0 => tally.losses += 1,
                1 => tally.draws += 1,
                _ => tally.wins += 1,
            }
            if record.half_points(&record.players[seat]) == 0 {
                match record.reason {
                    Reason::Fault(Fault::Timeout | Fault::Stall) => tally.time_losses += 1,
                    Reason::Fault(_) => tally.faults += 1,
                    _ => {}
                }
            }
            tally.add_moves(record, seat);
        }
        if let Some(winner) = &record.winner {
            self.by_color[usize::from(*winner == record.white)] += 1;
        }
        let (first, second) = (seats[0].min(seats[1]), seats[0].max(seats[1]));
        let Some(index) = setup.schedule.pairings.iter().position(|p| p.first == first && p.second == second) else {
            return;
        };
        let half_points = record.half_points(&setup.engines[first].name);
        self.pairings[index].add(record, ground, half_points);
    }

    /// The results of all pairings for the ratings, without pairs that repeat others.
    pub fn encounters(&self, setup: &Setup) -> Vec<Encounter> {
        let encounter = |(tally, pairing): (&PairTally, &Pairing)| {
            let (points, games) = tally.rated();
            Encounter { first: pairing.first, second: pairing.second, points, games }
        };
        self.pairings.iter().zip(&setup.schedule.pairings).map(encounter).collect()
    }
}

impl EngineTally {
    fn add_moves(&mut self, record: &GameRecord, seat: usize) {
        self.lines += record.lines[seat] as u64;
        for remark in record.remarks.iter().filter(|remark| remark.player == seat) {
            self.flaws[remark.flaw as usize] += 1;
        }
        for late in record.timing.late.iter().filter(|late| late.player == seat) {
            let (count, most) = &mut self.late_moves[usize::from(!late.is_first)];
            (*count, *most) = (*count + 1, most.max(late.ms));
        }
        for (index, &ms) in record.timing.ms.iter().enumerate() {
            // The second and third stone of a swap2 answer came with the first.
            let is_with_another = index < record.swap2.len() && ms == 0.0;
            if record.mover(index) != seat || is_with_another {
                continue;
            }
            self.time = (self.time.0 + ms, self.time.1 + 1);
            if let Some(depth) = record.depths.get(index).copied().flatten() {
                self.depth = (self.depth.0 + f64::from(depth), self.depth.1 + 1);
            }
            if let Some(nodes) = record.nodes.get(index).copied().flatten() {
                self.nodes += nodes as f64;
                self.node_seconds += record.timing.nodes_ms.get(index).copied().unwrap_or(ms) / 1000.0;
            }
            let overrun = record.timing.overrun_ms.get(index).copied().unwrap_or(0.0);
            if overrun > 0.0 {
                self.late += 1;
                self.overrun_sum += overrun;
                self.overrun_max = self.overrun_max.max(overrun);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game_log::{Timing, sample};
    use crate::arena::match_options::Arguments;
    use clap::Parser;
    use tengen::board::notation;

    fn setup() -> Setup {
        let line = "tengen-match --engine name=A,cmd=a --engine name=B,cmd=b --games 8";
        Setup::new(Arguments::try_parse_from(line.split(' ')).unwrap()).unwrap()
    }

    fn record(setup: &Setup, number: usize, winner: Option<&str>, reason: Reason) -> GameRecord {
        let players = setup.schedule.game(number).seats.map(|seat| setup.engines[seat].name.clone());
        GameRecord {
            game: number,
            black: players[0].clone(),
            white: players[1].clone(),
            players,
            // Every pair has games of its own.
            moves: format!("h8i9{}", notation::name(Point::new(number / 2, 0).unwrap())),
            winner: winner.map(str::to_owned),
            reason,
            scores: vec![None; 3],
            depths: vec![Some(4), None, Some(6)],
            nodes: vec![Some(1000), None, Some(3000)],
            timing: Timing { ms: vec![10.0, 50.0, 30.0], overrun_ms: vec![0.0, 20.0, 0.0], ..Timing::default() },
            ..sample()
        }
    }

    #[test]
    fn pairs_are_pairs_even_when_games_are_missing() {
        let setup = setup();
        let mut standings = Standings::new(&setup);
        // Pairs 0 and 3 are complete; pairs 1 and 2 have one game each.
        for (number, winner) in [(0, Some("A")), (1, None), (3, Some("B")), (4, Some("B")), (6, None), (7, None)] {
            standings.add(&setup, &record(&setup, number, winner, Reason::Five));
        }
        let total = &standings.pairings[0].total;
        assert_eq!(total.pairs.0, [0, 0, 1, 1, 0]);
        assert_eq!((total.games, total.by_one_color), ([1, 3, 2], 0));
        let points: Vec<u64> = standings.engines.iter().map(EngineTally::games).collect();
        assert_eq!(points, [6, 6]);
        // B is black in odd games.
        assert_eq!(standings.by_color, [2, 1]);
        standings.add(&setup, &record(&setup, 2, Some("B"), Reason::Five));
        standings.add(&setup, &record(&setup, 5, Some("A"), Reason::Five));
        let total = &standings.pairings[0].total;
        assert_eq!((total.pairs.0, total.by_one_color), ([1, 0, 2, 1, 0], 1));
    }

    #[test]
    fn pairs_that_repeat_others_count_once() {
        let setup = setup();
        let mut standings = Standings::new(&setup);
        for (number, moves) in
            ["h8i9a1", "h8i9b1", "h8i9a1", "h8i9b1", "h8g9o1", "h8g9n1", "h8i9b1", "h8i9a1"].into_iter().enumerate()
        {
            let moves = moves.to_owned();
            standings.add(&setup, &GameRecord { moves, ..record(&setup, number, Some("A"), Reason::Five) });
        }
        // The second pair repeats the first one, the third mirrors it, the fourth has its games the other way round.
        let tally = &standings.pairings[0];
        assert_eq!((tally.total.pairs.pairs(), tally.repeats, tally.total.games), (2, 2, [8, 0, 0]));
        assert_eq!(tally.grounds[0], tally.total);
        // Bug: they counted for the ratings.
        let drawn = GameRecord { moves: "a1".to_owned(), ..record(&setup, 8, None, Reason::Five) };
        standings.pairings[0].add(&drawn, 0, 1);
        let [rated] = standings.encounters(&setup)[..] else { panic!("one pairing") };
        assert_eq!((rated.points, rated.games), (4.5, 5.0));
    }

    /// Bug: the time of a swap2 answer counted for the colour of its stones, and its second and third stone as moves.
    #[test]
    fn the_time_of_a_swap2_answer_counts_once_for_the_engine_that_gave_it() {
        let setup = setup();
        let mut standings = Standings::new(&setup);
        let timing = Timing { ms: vec![10.0, 0.0, 0.0], ..Timing::default() };
        let swap2 = vec![true; 3];
        standings.add(&setup, &GameRecord { swap2, timing, ..record(&setup, 0, None, Reason::Five) });
        assert_eq!([0, 1].map(|index: usize| standings.engines[index].time), [(0.0, 0), (10.0, 1)]);
    }

    #[test]
    fn times_depths_and_faults_count_for_the_right_engine() {
        let setup = setup();
        let mut standings = Standings::new(&setup);
        standings.add(&setup, &record(&setup, 0, Some("A"), Reason::Fault(Fault::Timeout)));
        standings.add(&setup, &record(&setup, 1, Some("A"), Reason::Fault(Fault::Crash)));
        let [a, b] = &standings.engines[..] else { panic!("two engines") };
        assert_eq!((a.wins, b.losses, b.time_losses, b.faults), (2, 2, 1, 1));
        // As black A reported depths 4 and 6; as white it was late and reported nothing.
        assert_eq!((a.depth(), a.late, a.overrun_max), (Some(5.0), 1, 20.0));
        assert!((a.speed().unwrap() - 4000.0 / 0.04).abs() < 1e-6);
        assert_eq!(a.move_ms(), Some(30.0));
    }
}
