//! What the user sees: a progress bar on a terminal, status lines elsewhere, a table at the end.

use super::game_log::{GameRecord, Late, Reason};
use super::ground::Ground;
use super::line_check::{Flaw, Remark};
use super::match_options::Setup;
use super::ratings::rate;
use super::sprt::{EloEstimate, Pentanomial, SprtBounds, Verdict, llr_text};
use super::tally::{EngineTally, MatchSums, PairTally, Standings};
use crate::progress::Progress;
use std::fmt::Write as _;
use std::io::Write as _;

/// Shows the progress of a tournament on the error stream; the final table goes to standard output.
#[derive(Debug)]
pub struct Display {
    progress: Progress,
    quiet: bool,
}

impl Display {
    /// Starts the display of a tournament of `total` games, of which `restored` are already finished.
    pub fn new(setup: &Setup, total: usize, restored: usize) -> Display {
        let quiet = setup.arguments.quiet;
        let progress = Progress::new("games", total as u64, restored as u64);
        let display = Display { progress, quiet };
        for warning in setup.warnings() {
            display.progress.line(&format!("warning: {warning}"));
        }
        if !quiet {
            display.progress.line(&headline(setup, total));
            if restored > 0 {
                display.progress.line(&format!("{restored} games are already finished"));
            }
        }
        display
    }

    /// Shows a finished game: a line for everything wrong in it, and the new score.
    pub fn finished(&self, record: &GameRecord, finished: usize, setup: &Setup, standings: &Standings) {
        if self.quiet {
            return;
        }
        if let Reason::Fault(fault) = record.reason {
            let loser = record.players.iter().find(|name| Some(*name) != record.winner.as_ref());
            let (loser, note) = (loser.map_or("?", String::as_str), &record.note);
            self.progress.line(&format!("game {}: {loser} loses by {} ({note})", record.game, fault.name()));
        }
        for Remark { player, stones, flaw, note } in &record.remarks {
            let (name, flaw) = (record.players.get(*player).map_or("?", String::as_str), flaw.name());
            self.progress.line(&format!("game {}, {stones} stones: {name}: {flaw}: {note}", record.game));
        }
        for (index, name) in record.players.iter().enumerate() {
            let late = record.timing.late.iter().filter(|late| late.player == index);
            if let Some(worst) = late.clone().max_by(|a, b| a.ms.total_cmp(&b.ms)) {
                let text = late_text(late.count(), worst);
                self.progress.line(&format!("game {}: {name} was late {text}", record.game));
            }
        }
        self.progress.show(finished as u64, &score(setup, standings));
    }

    /// Removes the progress bar and prints the final report.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn end(self, text: &str) -> std::io::Result<()> {
        self.progress.end();
        std::io::stdout().write_all(text.as_bytes())
    }
}

/// How often a player was late, and what is known of the worst time: `2 times, by at most 12.3 ms, with its first move and 7
/// stones on the board (load 0.52, threads running 3, games at once 2)`.
fn late_text(times: usize, worst: &Late) -> String {
    let times = if times == 1 { "once, by".to_owned() } else { format!("{times} times, by at most") };
    let place = if worst.is_first { "its first move" } else { "a later move" };
    let load = worst.load.map_or(String::new(), |(load, running)| format!("load {load}, threads running {running}, "));
    let (ms, stones, games) = (worst.ms, worst.stones, worst.games);
    format!("{times} {ms} ms, with {place} and {stones} stones on the board ({load}games at once {games})")
}

fn headline(setup: &Setup, total: usize) -> String {
    let names: Vec<String> =
        setup.engines.iter().map(|engine| format!("{} ({})", engine.name, engine.limits.describe())).collect();
    let grounds: Vec<String> = setup.schedule.grounds.iter().map(Ground::name).collect();
    format!(
        "{}: {}{}, {total} games, {} at a time, seed {}",
        names.join(", "),
        grounds.join(", "),
        if setup.arguments.swap2 { ", swap2" } else { "" },
        setup.concurrency,
        setup.seed
    )
}

/// The score on one line.
fn score(setup: &Setup, standings: &Standings) -> String {
    if setup.engines.len() > 2 {
        let best = setup.engines.iter().zip(&standings.engines).max_by(|a, b| a.1.points().total_cmp(&b.1.points()));
        return best.map_or_else(String::new, |(engine, tally)| {
            format!("leader {} with {} of {}", engine.name, tally.points(), tally.games())
        });
    }
    let Some(pairing) = standings.pairings.first() else { return String::new() };
    let MatchSums { pairs, games: [wins, draws, losses], .. } = &pairing.total;
    let mut text = format!("+{wins} ={draws} -{losses}");
    if let Some(elo) = pairs.elo() {
        let _ = write!(text, "  Elo {}", elo_text(&elo));
    }
    if let Some(bounds) = &setup.sprt {
        let _ = write!(text, "  {}", llr_text(pairs.llr(bounds)));
    }
    text
}

/// `+3.1 [-2.0, +8.2]`, or `+3.1 [no bounds]`.
pub fn elo_text(elo: &EloEstimate) -> String {
    let number = |elo: f64| {
        if elo.is_finite() { format!("{:+.1}", elo + 0.0) } else { format!("{}inf", if elo > 0.0 { '+' } else { '-' }) }
    };
    if elo.low == f64::NEG_INFINITY && elo.high == f64::INFINITY {
        return format!("{} [no bounds]", number(elo.elo));
    }
    format!("{} [{}, {}]", number(elo.elo), number(elo.low), number(elo.high))
}

/// The same; `-` if there are no pairs.
pub fn elo_or_dash(elo: Option<EloEstimate>) -> String {
    elo.map_or_else(|| "-".to_owned(), |elo| elo_text(&elo))
}

/// The final report.
pub fn report(setup: &Setup, standings: &Standings) -> String {
    let mut text = String::from("\n");
    let grounds: Vec<&str> = setup.schedule.grounds.iter().map(|ground| ground.text.as_str()).collect();
    for (pairing, tally) in setup.schedule.pairings.iter().zip(&standings.pairings) {
        let names = [pairing.first, pairing.second].map(|engine| setup.engines[engine].name.as_str());
        text += &pairing_text(names, tally, &grounds, setup.sprt.as_ref());
        let limits = [pairing.first, pairing.second].map(|engine| setup.engines[engine].limits.describe());
        if limits[0] != limits[1] {
            let _ = writeln!(text, "  odds: {} {}; {} {}", names[0], limits[0], names[1], limits[1]);
        }
    }
    let draws: u64 = standings.pairings.iter().map(|tally| tally.total.games[1]).sum();
    let [black, white] = standings.by_color;
    let _ = writeln!(text, "  black won {black}, white won {white}, drawn {draws}\n");
    text += &table(setup, standings);
    if setup.arguments.strict || standings.engines.iter().any(|tally| !tally.is_clean()) {
        text += &checks(setup, standings);
    }
    text
}

/// What was wrong with the moves and lines of each engine.
fn checks(setup: &Setup, standings: &Standings) -> String {
    let width = setup.engines.iter().map(|engine| engine.name.chars().count()).max().unwrap_or(0).max(6);
    let columns = Flaw::NAMES.join("  ");
    let mut text = format!("\n{:<width$}    lines  {columns}  late first/later  most ms first/later\n", "engine");
    for (engine, tally) in setup.engines.iter().zip(&standings.engines) {
        let _ = write!(text, "{:<width$}  {:>7}", engine.name, tally.lines);
        for (count, column) in tally.flaws.iter().zip(Flaw::NAMES) {
            let _ = write!(text, "  {count:>0$}", column.len());
        }
        let [(first, first_most), (later, later_most)] = tally.late_moves;
        let (late, most) = (format!("{first}/{later}"), format!("{first_most:.1}/{later_most:.1}"));
        let _ = writeln!(text, "  {late:>16}  {most:>19}");
    }
    text
}

/// What is known about two engines: the score, Elo, the test if there is one, and a line for each ground if there are
/// several.
pub fn pairing_text(
    [first, second]: [&str; 2],
    tally: &PairTally,
    grounds: &[&str],
    sprt: Option<&SprtBounds>,
) -> String {
    let total = &tally.total;
    let [wins, draws, losses] = total.games;
    let games = wins + draws + losses;
    let percent = if games > 0 { (wins as f64 + draws as f64 / 2.0) / games as f64 * 100.0 } else { 50.0 };
    let mut text = format!("{first} against {second}: {games} games, +{wins} ={draws} -{losses} ({percent:.1} %)\n");
    if let Some(elo) = total.pairs.elo() {
        let superiority = total.pairs.superiority().map_or("unknown".to_owned(), |s| format!("{:.1} %", s * 100.0));
        let _ = writeln!(text, "  {}", pairs_text(total));
        let _ = writeln!(text, "  Elo {} (95 %), superiority {superiority}", elo_text(&elo));
    }
    if let Some(bounds) = sprt {
        let _ = writeln!(text, "  {}", sprt_text(bounds, total.pairs.llr(bounds)));
    }
    if tally.repeats > 0 {
        let _ = writeln!(text, "  {} more pairs repeat others and do not count", tally.repeats);
    }
    if grounds.len() > 1 {
        let width = grounds.iter().map(|ground| ground.chars().count()).max().unwrap_or(0);
        for (ground, sums) in grounds.iter().zip(&tally.grounds) {
            let [wins, draws, losses] = sums.games;
            let elo = elo_or_dash(sums.pairs.elo());
            let pairs = pairs_text(sums);
            let _ = writeln!(text, "  {ground:<width$}  +{wins} ={draws} -{losses}  Elo {elo}  {pairs}");
        }
    }
    text
}

/// The pairs by their results, `pairs 2-0: 12, 1½-½: 3, 1-1: 27 (25 won by one colour), ½-1½: 0, 0-2: 1`.
pub fn pairs_text(sums: &MatchSums) -> String {
    let MatchSums { pairs: Pentanomial([lost, worse, even, better, won]), by_one_color, .. } = sums;
    format!(
        "pairs 2-0: {won}, 1½-½: {better}, 1-1: {even} ({by_one_color} won by one colour), ½-1½: {worse}, 0-2: {lost}"
    )
}

fn sprt_text(bounds: &SprtBounds, llr: f64) -> String {
    let (elo0, elo1) = (bounds.elo0, bounds.elo1);
    format!("SPRT [{elo0}, {elo1}]: {}: {}", llr_text(llr), Verdict::of(llr).name())
}

/// A line for each engine, the strongest first.
fn table(setup: &Setup, standings: &Standings) -> String {
    let ratings = rate(setup.engines.len(), &standings.encounters(setup));
    let mut order: Vec<usize> = (0..setup.engines.len()).collect();
    order.sort_by(|&a, &b| ratings.elo[b].total_cmp(&ratings.elo[a]));
    let width = setup.engines.iter().map(|engine| engine.name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:<width$}  rating   +/-  points  games  time losses  faults  late  mean/max ms  ms/move  depth  nodes/s\n",
        "engine"
    );
    for engine in order {
        let (rating, error) = (ratings.elo[engine], ratings.error[engine]);
        let _ = writeln!(
            text,
            "{:<width$}  {rating:>6.0}  {:>4}  {}",
            setup.engines[engine].name,
            if error.is_finite() { format!("{error:.0}") } else { "inf".to_owned() },
            engine_text(&standings.engines[engine])
        );
    }
    if ratings.has_virtual_draws {
        text += "(some engines never scored against the others: a virtual draw was added to each pairing to keep the ratings finite)\n";
    }
    text
}

fn engine_text(tally: &EngineTally) -> String {
    let or_dash = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |v| format!("{v:.digits$}"));
    format!(
        "{:>6}  {:>5}  {:>11}  {:>6}  {:>4}  {:>11}  {:>7}  {:>5}  {:>7}",
        tally.points(),
        tally.games(),
        tally.time_losses,
        tally.faults,
        tally.late,
        format!("{:.0}/{:.0}", tally.overrun_mean(), tally.overrun_max),
        or_dash(tally.move_ms(), 1),
        or_dash(tally.depth(), 1),
        or_dash(tally.speed(), 0)
    )
}
