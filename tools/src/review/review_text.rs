//! A review as text for people and as JSON for programs. Floor 6.

use super::judgement::{End, Judged, Mark, Review, Worth};
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write as _;
use tengen::base::{Cell, Color, Point};
use tengen::board::notation::letter;
use tengen::tools::drawing::{self, sign};
use tengen::tools::explain;

/// Moves of a line that are shown, where it proves nothing.
const SHOWN: usize = 6;
/// Turning points that are shown with a board, the gravest first.
const BOARDS: usize = 6;

/// Who plays a colour, in words.
pub fn player(players: &[Option<String>; 2], color: Color) -> String {
    let name = if color == Color::Black { "black" } else { "white" };
    let player = players[color.index()].as_deref().filter(|player| !player.is_empty());
    let player = player.map(|player| player.chars().filter(|c| !c.is_control()).take(40).collect::<String>());
    player.map_or_else(|| name.to_owned(), |player| format!("{name} ({player})"))
}

fn line(points: &[Point]) -> String {
    points.iter().map(|&point| letter(point)).collect::<Vec<_>>().join(" ")
}

/// A line as far as it is worth reading: a proven one to its end.
fn shown(worth: &Worth) -> &[Point] {
    let length = if worth.score.is_decisive() { worth.line.len() } else { worth.line.len().min(SHOWN) };
    &worth.line[..length]
}

fn percent(chance: f64) -> String {
    format!("{:.0} %", chance * 100.0)
}

/// How the game ended, in words.
fn ending(review: &Review, players: &[Option<String>; 2]) -> String {
    let count = review.moves.len();
    match review.end {
        End::Open => format!("The record ends after {count} moves."),
        End::Five(color) => format!("{} won with move {count}.", capital(&player(players, color))),
        End::Foul(ruling) => format!("Black lost with move {count}: {}.", ruling.name()),
        End::Draw => format!("A draw after {count} moves."),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What is to be said about a move beside its mark.
fn remark(judged: &Judged) -> String {
    if let Some(lesson) = &judged.foul {
        return format!("{} is forbidden: {}", letter(judged.point), lesson.ruling.name());
    }
    let better = || line(shown(&judged.before));
    match (judged.mark, judged.missed(), judged.allowed()) {
        (Mark::MissedWin, Some(distance), _) => format!("won in {distance}: {}", better()),
        (Mark::Mistake | Mark::Inaccuracy, _, Some(distance)) => {
            format!("{} better; now lost in {distance}: {}", letter(judged.before.line[0]), line(&judged.after.line))
        }
        (Mark::Mistake | Mark::Inaccuracy, ..) => format!("better: {}", better()),
        _ => match judged.after.score.distance() {
            Some(distance) if judged.after.score.is_win() && distance > 1 => format!("wins in {distance}"),
            _ => judged.lost_in().map(|distance| format!("lost in {distance} anyway")).unwrap_or_default(),
        },
    }
}

/// The report for people.
pub fn text(review: &Review, players: &[Option<String>; 2]) -> String {
    let (rule, size) = (review.rule.name(), review.size);
    let mut text = format!(
        "{rule} {}x{}: X {}, O {}. {}\n",
        size.width(),
        size.height(),
        player(players, Color::Black),
        player(players, Color::White),
        ending(review, players)
    );
    if !review.setup.is_empty() {
        let stones = review.setup.iter().filter(|(_, cell)| cell.color().is_some()).count();
        let first = sign(review.first);
        let _ = writeln!(
            text,
            "It begins with a position of {stones} stones, which nobody is judged for; {first} moves first."
        );
    }
    if review.ignored > 0 {
        let _ = writeln!(text, "{} more moves of the record come after the end and are left out.", review.ignored);
    }
    let _ =
        writeln!(text, "Each position was searched with {} nodes. 'chance' is that of the player", review.effort.nodes);
    text.push_str("who moves, before and after the move.\n\n move           chance   mark        remark\n");
    for (index, judged) in review.moves.iter().enumerate() {
        let chances = format!("{:.0}>{:.0}", judged.before.chance() * 100.0, judged.after.chance() * 100.0);
        let row = format!(
            "{:>4} {} {:4} {chances:>9} %   {:11} {}",
            index + 1,
            sign(judged.color),
            letter(judged.point),
            judged.mark.name(),
            remark(judged)
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text.push('\n');
    for color in Color::ALL {
        let _ = writeln!(text, "{}: {}", capital(&player(players, color)), summary(review, color));
    }
    for index in turning_points(review) {
        turning_point(review, index, &mut text);
    }
    text
}

/// How often a player made what, and what they gave away.
fn summary(review: &Review, color: Color) -> String {
    let moves: Vec<&Judged> = review.moves.iter().filter(|judged| judged.color == color).collect();
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
    let loss = moves.iter().map(|judged| judged.loss()).sum::<f64>() / moves.len().max(1) as f64;
    format!("{}; {:.1} % given away a move", counts.collect::<Vec<_>>().join(", "), loss * 100.0)
}

/// The moves that are shown on boards, in their order.
fn turning_points(review: &Review) -> Vec<usize> {
    let is_grave = |judged: &Judged| matches!(judged.mark, Mark::Mistake | Mark::MissedWin);
    let mut grave: Vec<usize> = (0..review.moves.len()).filter(|&index| is_grave(&review.moves[index])).collect();
    grave.sort_by(|&a, &b| review.moves[b].loss().total_cmp(&review.moves[a].loss()));
    grave.truncate(BOARDS);
    grave.sort_unstable();
    grave
}

/// The board after a move, and what it should have been.
fn turning_point(review: &Review, index: usize, text: &mut String) {
    let judged = &review.moves[index];
    let cell = |point: Point| {
        let stone = judged.board.iter().find(|(stone, _)| *stone == point).map(|&(_, cell)| cell);
        stone.unwrap_or(if point == judged.point { judged.color.into() } else { Cell::Empty })
    };
    let best = judged.before.line.first().copied();
    let mark = |point: Point| (Some(point) == best).then_some('+');
    let _ = writeln!(
        text,
        "\nMove {}, {} {}: {}, {} to {}. Instead (+): {}",
        index + 1,
        sign(judged.color),
        letter(judged.point),
        judged.mark.name(),
        percent(judged.before.chance()),
        percent(judged.after.chance()),
        line(shown(&judged.before))
    );
    if let Some(distance) = judged.missed() {
        let _ = writeln!(text, "That wins in {distance}, against any defence.");
    }
    if let Some(distance) = judged.allowed() {
        let _ =
            writeln!(text, "Now {} wins in {distance}: {}", sign(judged.color.opponent()), line(&judged.after.line));
    } else if judged.foul.is_none() {
        let _ = writeln!(text, "Now {} goes on with {}", sign(judged.color.opponent()), line(shown(&judged.after)));
    }
    if let Some(lesson) = &judged.foul {
        explain::describe(lesson, 0, text);
    }
    text.push_str(&drawing::board(review.size, cell, mark, Some(judged.point)));
}

/// The report for programs: one JSON object.
///
/// # Errors
/// Never in practice: what is written is plain data.
pub fn json(review: &Review, players: &[Option<String>; 2]) -> Result<String> {
    let moves: Vec<Value> = review
        .moves
        .iter()
        .enumerate()
        .map(|(index, judged)| {
            json!({
                "number": index + 1,
                "color": if judged.color == Color::Black { "black" } else { "white" },
                "move": letter(judged.point),
                "mark": judged.mark.name(),
                "chance_before": rounded(judged.before.chance()),
                "chance_after": rounded(judged.after.chance()),
                "score_before": judged.before.score.to_string(),
                "score_after": judged.after.score.to_string(),
                "best": judged.before.line.iter().map(|&point| letter(point)).collect::<Vec<_>>(),
                "reply": judged.after.line.iter().map(|&point| letter(point)).collect::<Vec<_>>(),
                "remark": remark(judged),
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
        "moves": moves,
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn rounded(chance: f64) -> f64 {
    (chance * 1000.0).round() / 1000.0
}
