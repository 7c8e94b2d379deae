//! A review as text for people and as JSON for programs.

use crate::command_line::one_line;
use serde_json::{Value, json};
use std::fmt::Write as _;
use tengen::base::{Cell, Color, Point, Rule, Size};
use tengen::tools::drawing::{self, sign};
use tengen::tools::explain;
use tengen::tools::gamefile::{GameFile, Section};
use tengen::tools::judgement::{End, Judged, Mark, Review, Worth};
use tengen::tools::point_names::{self, name};

/// Moves shown of a line that proves nothing.
const SHOWN: usize = 6;
/// Largest number of moves shown with a board; those that lost most are chosen.
const BOARDS: usize = 6;

/// A player: the colour, and the name if it is known.
pub fn player(players: &[Option<String>; 2], color: Color) -> String {
    let side = color.name();
    let player = players[color.index()].as_deref().filter(|player| !player.is_empty());
    player.map_or_else(|| side.to_owned(), |player| format!("{side} ({})", plain(player)))
}

/// A name without control characters and of moderate length.
pub fn plain(name: &str) -> String {
    one_line(name).chars().take(40).collect()
}

fn line(points: &[Point], size: Size) -> String {
    point_names::names(points, size, " ")
}

/// The moves of a line that are shown: all of a proven one, else the first ones.
fn shown(worth: &Worth) -> &[Point] {
    let length = if worth.score.is_decisive() { worth.line.len() } else { worth.line.len().min(SHOWN) };
    &worth.line[..length]
}

fn percent(chance: f64) -> String {
    format!("{:.0} %", chance * 100.0)
}

/// The end of the game, as a sentence.
fn ending(review: &Review, players: &[Option<String>; 2]) -> String {
    let count = review.last_number();
    match review.end {
        End::Open => match won_before(review) {
            Some(color) => format!("{} had won before the first judged move.", capital(&player(players, color))),
            None => format!("The record ends after {}.", moves(count)),
        },
        End::Five(color) => format!("{} won with move {count}.", capital(&player(players, color))),
        End::Foul(ruling) => format!("Black lost with move {count}: {}.", ruling.name()),
        End::Draw => format!("A draw after {count} moves."),
    }
}

/// The winner of a game that was over before its first judged move.
fn won_before(review: &Review) -> Option<Color> {
    let section = Section { setup: review.setup.clone(), first: review.first, ..Section::new() };
    let winning = section.winning_setup(review.rule, review.size).filter(|_| review.moves.is_empty())?;
    review.setup.iter().find(|(point, _)| *point == winning)?.1.color()
}

/// `1 move`, `2 moves`.
fn moves(count: usize) -> String {
    format!("{count} move{}", if count == 1 { "" } else { "s" })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A proven distance in words. The win or loss may come sooner: a proof is not always the shortest.
pub fn at_most(distance: i32) -> String {
    if distance == 1 { "1".to_owned() } else { format!("at most {distance}") }
}

/// A remark about a move beside its mark: the better move, or how far the end is.
fn remark(judged: &Judged, size: Size) -> String {
    if let Some(explanation) = &judged.foul {
        return format!("{} is forbidden: {}", name(judged.point, size), explanation.ruling.name());
    }
    let better = || line(shown(&judged.before), size);
    match (judged.mark, judged.missed(), judged.allowed()) {
        (Mark::MissedWin, Some(distance), _) => format!("a win in {}: {}", at_most(distance), better()),
        (Mark::Mistake | Mark::Inaccuracy, _, Some(distance)) => {
            let best = name(judged.before.line[0], size);
            format!("{best} is better; this loses in {}: {}", at_most(distance), line(&judged.after.line, size))
        }
        (Mark::Mistake | Mark::Inaccuracy, ..) => format!("better: {}", better()),
        _ => match judged.after.score.distance() {
            Some(distance) if judged.after.score.is_win() && distance > 1 => format!("wins in {}", at_most(distance)),
            _ => judged
                .lost_in()
                .map(|distance| format!("lost in {} in any case", at_most(distance)))
                .unwrap_or_default(),
        },
    }
}

/// What the record says besides its moves.
#[derive(Clone, Debug)]
pub struct Remarks {
    /// That its rule is not known, if so.
    rule: Option<String>,
    /// Where the play begins, passes, variations that are left out.
    play: Vec<String>,
    /// Moves before the play begins, and the word for the mark that says so.
    start: (usize, &'static str),
}

impl Remarks {
    /// The remarks about a game; `asked` is the rule that the user has named.
    pub fn of(game: &GameFile, asked: Option<Rule>) -> Remarks {
        let start = (game.start.moves, game.start.mark.word());
        Remarks { rule: game.rule_remark(asked), play: game.play_remarks(), start }
    }
}

/// The report for people.
pub fn text(review: &Review, players: &[Option<String>; 2], remarks: &Remarks) -> String {
    let (rule, size) = (review.rule.name(), review.size);
    let mut text = remarks.rule.as_ref().map(|remark| format!("{remark}\n")).unwrap_or_default();
    let _ = writeln!(
        text,
        "{rule} {size}: X {}, O {}. {}",
        player(players, Color::Black),
        player(players, Color::White),
        ending(review, players)
    );
    if !review.setup.is_empty() {
        let stones = review.setup.iter().filter(|(_, cell)| cell.color().is_some()).count();
        let _ = write!(text, "It starts from a set-up position of {stones} stones, which is not judged");
        let _ = match won_before(review) {
            Some(_) => writeln!(text, "."),
            None => writeln!(text, "; {} moves first.", sign(review.first)),
        };
    }
    for remark in &remarks.play {
        let _ = writeln!(text, "{remark}");
    }
    if review.ignored > 0 {
        let _ = writeln!(text, "Not judged: {} after the end of the game.", moves(review.ignored));
    }
    let _ = writeln!(
        text,
        "Each position was searched with {} nodes. 'chance' is the winning chance of the",
        review.effort.nodes
    );
    text.push_str("player who moves, before and after the move.\n\n move           chance   mark        remark\n");
    for (index, judged) in review.moves.iter().enumerate() {
        let chances = format!("{:.0}>{:.0}", judged.before.chance() * 100.0, judged.after.chance() * 100.0);
        let row = format!(
            "{:>4} {} {:4} {chances:>9} %   {:11} {}",
            review.number(index),
            sign(judged.color),
            name(judged.point, size),
            judged.mark.name(),
            remark(judged, size)
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text.push('\n');
    for color in Color::ALL {
        let _ = writeln!(text, "{}: {}", capital(&player(players, color)), summary(review, color));
    }
    for index in gravest(review) {
        with_board(review, index, &mut text);
    }
    text
}

/// How often a player made each kind of move, and the mean loss.
fn summary(review: &Review, color: Color) -> String {
    let moves: Vec<&Judged> = review.moves.iter().filter(|judged| judged.color == color).collect();
    if moves.is_empty() {
        return "no move was judged".to_owned();
    }
    let counts = Mark::ALL.iter().map(|&mark| {
        let count = moves.iter().filter(|judged| judged.mark == mark).count();
        let ending = match mark {
            Mark::Best | Mark::Fine => "",
            Mark::Inaccuracy if count != 1 => return format!("{count} inaccuracies"),
            _ if count != 1 => "s",
            _ => "",
        };
        format!("{count} {}{ending}", mark.name())
    });
    let loss = moves.iter().map(|judged| judged.loss()).sum::<f64>() / moves.len() as f64;
    format!("{}; {:.1} % lost a move", counts.collect::<Vec<_>>().join(", "), loss * 100.0)
}

/// Indices of the moves that are shown on boards, in playing order.
fn gravest(review: &Review) -> Vec<usize> {
    let is_grave = |judged: &Judged| matches!(judged.mark, Mark::Mistake | Mark::MissedWin);
    let mut grave: Vec<usize> = (0..review.moves.len()).filter(|&index| is_grave(&review.moves[index])).collect();
    grave.sort_by(|&a, &b| review.moves[b].loss().total_cmp(&review.moves[a].loss()));
    grave.truncate(BOARDS);
    grave.sort_unstable();
    grave
}

/// Appends a move with its board, the better move and the continuation.
fn with_board(review: &Review, index: usize, text: &mut String) {
    let (judged, size) = (&review.moves[index], review.size);
    let cell = |point: Point| {
        let stone = judged.board.iter().find(|(stone, _)| *stone == point).map(|&(_, cell)| cell);
        stone.unwrap_or(if point == judged.point { judged.color.into() } else { Cell::Empty })
    };
    let best = judged.before.line.first().copied();
    let mark = |point: Point| (Some(point) == best).then_some('+');
    let _ = writeln!(
        text,
        "\nMove {}, {} {}: {}, {} to {}. Instead (+): {}",
        review.number(index),
        sign(judged.color),
        name(judged.point, size),
        judged.mark.name(),
        percent(judged.before.chance()),
        percent(judged.after.chance()),
        line(shown(&judged.before), size)
    );
    if let Some(distance) = judged.missed() {
        let _ = writeln!(text, "That wins in {} against any defence.", at_most(distance));
    }
    if let Some(distance) = judged.allowed() {
        let _ = writeln!(
            text,
            "Now {} wins in {}: {}",
            sign(judged.color.opponent()),
            at_most(distance),
            line(&judged.after.line, size)
        );
    } else if judged.foul.is_none() {
        let reply = line(shown(&judged.after), size);
        let _ = writeln!(text, "Now {} continues with {reply}", sign(judged.color.opponent()));
    }
    if let Some(explanation) = &judged.foul {
        explain::describe(explanation, size, 0, text);
    }
    text.push_str(&drawing::board(size, cell, mark, Some(judged.point)));
}

/// The report for programs: one JSON object.
pub fn json(review: &Review, players: &[Option<String>; 2], remarks: &Remarks) -> String {
    let size = review.size;
    let names = |line: &[Point]| line.iter().map(|&point| name(point, size)).collect::<Vec<_>>();
    let moves: Vec<Value> = review
        .moves
        .iter()
        .enumerate()
        .map(|(index, judged)| {
            json!({
                "number": review.number(index),
                "color": judged.color.name(),
                "move": name(judged.point, size),
                "mark": judged.mark.name(),
                "chance_before": rounded(judged.before.chance()),
                "chance_after": rounded(judged.after.chance()),
                "score_before": judged.before.score.to_string(),
                "score_after": judged.after.score.to_string(),
                "best": names(&judged.before.line),
                "reply": names(&judged.after.line),
                "remark": remark(judged, size),
            })
        })
        .collect();
    let report = json!({
        "rule": review.rule.number(),
        "width": review.size.width(),
        "height": review.size.height(),
        "black": players[0],
        "white": players[1],
        "end": ending(review, players),
        "nodes": review.effort.nodes,
        "play_begins": remarks.start.0 + 1,
        "mark": remarks.start.1,
        "remarks": remarks.rule.iter().chain(&remarks.play).collect::<Vec<_>>(),
        "moves": moves,
    });
    format!("{report:#}\n")
}

/// A number with three decimals.
pub fn rounded(chance: f64) -> f64 {
    (chance * 1000.0).round() / 1000.0
}
