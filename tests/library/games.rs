//! Whole games, judged by the oracle: against a random mover, and of the engine against itself under every rule and size.
//!
//! The normal run plays a few games against itself. `TENGEN_GAMES=1000` plays as many as it says, `TENGEN_TURN_MS=100`
//! by the clock instead of by nodes, `TENGEN_THREADS=2` with several threads each. Whether moves are on time is the
//! subject of `lateness`, which notices when the machine itself stands still.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::time::{Duration, Instant};
use tengen::base::processors::processors;
use tengen::base::{Color, Point, Rule, Size};
use tengen::board::notation;
use tengen::board::oracle::{Oracle, Verdict};
use tengen::engine::Engine;
use tengen::search::{NullSink, SearchControl, SearchLimits};
use tengen_amount::{amount, at_length, from_environment, given};

/// A game in progress: the referee's board and the moves so far.
struct Game {
    oracle: Oracle,
    moves: Vec<Point>,
    side: Color,
}

impl Game {
    fn new(rule: Rule, size: Size) -> Game {
        Game { oracle: Oracle::new(rule, size), moves: Vec::new(), side: Color::Black }
    }

    fn play(&mut self, point: Point) -> Verdict {
        self.moves.push(point);
        let verdict = self.oracle.play(point, self.side);
        self.side = self.side.opponent();
        verdict
    }

    fn random_move(&self, random: &mut SmallRng) -> Point {
        let legal: Vec<Point> = self
            .oracle
            .size()
            .points()
            .filter(|&p| self.oracle.cell(p) == tengen::base::Cell::Empty)
            .filter(|&p| self.side == Color::White || self.oracle.foul(p).is_none())
            .collect();
        legal[random.random_range(0..legal.len())]
    }

    fn describe(&self) -> String {
        let moves: String = self.moves.iter().map(|&p| notation::name(p)).collect();
        let size = self.oracle.size();
        format!("{:?} {}x{} {moves}", self.oracle.rule(), size.width(), size.height())
    }
}

/// An engine that plays a game and must keep to the wins that it announces.
struct Player {
    engine: Engine,
    /// Plies to the win that it announced with its last move.
    announced: Option<i32>,
}

impl Player {
    fn new(rule: Rule, size: Size) -> Player {
        let mut engine = Engine::new();
        engine.set_rule(rule);
        engine.new_game(size, false);
        engine.options_mut().max_memory = 64 << 20;
        engine.options_mut().threads = from_environment("TENGEN_THREADS", 1) as usize;
        Player { engine, announced: None }
    }

    /// Thinks within `limits`. A win that was announced before must be announced again, at least two plies nearer.
    fn choose(&mut self, game: &Game, limits: &SearchLimits) -> Point {
        let limits = SearchLimits { started: Some(Instant::now()), ..limits.clone() };
        let stones: Vec<_> = game.moves.iter().map(|&p| (p, game.oracle.cell(p))).collect();
        self.engine.set_position(&stones, game.side).unwrap();
        let control = SearchControl::within(limits);
        let report = self.engine.think(&control, &mut NullSink);
        let win = report.last.score.distance().filter(|_| report.last.score.is_win());
        if let Some(before) = self.announced {
            let kept = win.is_some_and(|now| now <= before - 2);
            assert!(kept, "a win in {before} became {:?}: {}", report.last.score, game.describe());
        }
        self.announced = win;
        report.best.expect("a game that goes on has an empty point")
    }
}

#[test]
fn wins_every_game_against_a_random_mover() {
    for rule in Rule::ALL {
        let size = Size::square(15).unwrap();
        for number in 0..if at_length() { 20 } else { 4 } {
            let mut random = SmallRng::seed_from_u64(number);
            let mut game = Game::new(rule, size);
            let ours = if number % 2 == 0 { Color::Black } else { Color::White };
            let mut player = Player::new(rule, size);
            loop {
                let us = game.side == ours;
                let limits = SearchLimits { nodes: Some(2000), ..SearchLimits::default() };
                let point = if us { player.choose(&game, &limits) } else { game.random_move(&mut random) };
                match game.play(point) {
                    Verdict::Continues => {}
                    Verdict::Wins => {
                        assert!(us, "lost: {}", game.describe());
                        break;
                    }
                    other => panic!("{other:?}: {}", game.describe()),
                }
            }
        }
    }
}

/// Plays one game of the engine against itself and checks every move. Returns how it ended, and whether its winner
/// announced the win.
fn self_play(rule: Rule, size: Size, seed: u64, limits: &SearchLimits) -> (Verdict, bool) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut game = Game::new(rule, size);
    let mut players = [Player::new(rule, size), Player::new(rule, size)];
    let random_moves = random.random_range(0..5);
    loop {
        let point = if game.moves.len() < random_moves {
            game.random_move(&mut random)
        } else {
            players[game.side.index()].choose(&game, limits)
        };
        let mover = game.side;
        let legal_before = game.oracle.cell(point) == tengen::base::Cell::Empty;
        let had_choice = mover == Color::White
            || game.oracle.foul(point).is_none()
            || size.points().all(|p| game.oracle.cell(p) != tengen::base::Cell::Empty || game.oracle.foul(p).is_some());
        assert!(legal_before && had_choice, "illegal move {point} by {mover:?}: {}", game.describe());
        let verdict = game.play(point);
        if verdict != Verdict::Continues {
            let winner = (verdict == Verdict::Wins).then_some(mover);
            for color in Color::ALL {
                let announced = players[color.index()].announced;
                assert!(
                    announced.is_none() || winner == Some(color),
                    "{color:?} announced a win and did not win: {}",
                    game.describe()
                );
            }
            return (verdict, players.iter().any(|player| player.announced.is_some()));
        }
    }
}

fn random_size(random: &mut SmallRng) -> Size {
    let side = random.random_range(Size::MIN_SIDE..=Size::MAX_SIDE);
    let other = if random.random_bool(0.7) { side } else { random.random_range(Size::MIN_SIDE..=Size::MAX_SIDE) };
    Size::new(side, other).unwrap()
}

#[test]
fn self_play_is_legal_and_wins_are_never_taken_back() {
    let games = amount("TENGEN_GAMES", 6, 60);
    let timed = given("TENGEN_TURN_MS").map(Duration::from_millis);
    let limits = match timed {
        Some(turn) => SearchLimits { turn: Some(turn), ..SearchLimits::default() },
        None => SearchLimits { nodes: Some(1500), ..SearchLimits::default() },
    };
    let threads = processors() as u64;
    let outcomes: Vec<(Verdict, bool)> = std::thread::scope(|scope| {
        let play = |number: u64| {
            let mut random = SmallRng::seed_from_u64(number ^ 0x5eed);
            let rule = Rule::ALL[number as usize % Rule::ALL.len()];
            self_play(rule, random_size(&mut random), number, &limits)
        };
        let run =
            |thread: u64| scope.spawn(move || (thread..games).step_by(threads as usize).map(play).collect::<Vec<_>>());
        let handles: Vec<_> = (0..threads).map(run).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect()
    });
    let count = |of: fn(&Verdict) -> bool| outcomes.iter().filter(|(verdict, _)| of(verdict)).count();
    let (won, drawn) = (count(|verdict| *verdict == Verdict::Wins), count(|verdict| *verdict == Verdict::Draw));
    let announced = outcomes.iter().filter(|(_, announced)| *announced).count();
    println!(
        "{games} games: {won} won, {drawn} drawn, {} by foul; {announced} wins announced",
        outcomes.len() - won - drawn
    );
    // Otherwise the games say nothing about announced wins.
    assert!(announced >= outcomes.len() / 4, "{announced} wins were announced in {games} games");
}
