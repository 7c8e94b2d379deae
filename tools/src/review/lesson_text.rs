//! Lost games as text for people and as JSON for programs.

use super::review_text::{at_most, plain, rounded};
use super::turning_point::{Cause, LOST_BELOW, LostGame, usual_ms};
use crate::command_line::one_line;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tengen::tools::drawing::sign;
use tengen::tools::gamefile::Forfeit;
use tengen::tools::point_names::name;

/// The lost games of a player.
#[derive(Debug)]
pub struct Report {
    /// The player.
    pub player: String,
    /// Nodes of the search of each position.
    pub nodes: u64,
    /// Games of the player whose result is known.
    pub games: usize,
    /// Games of the player whose result is not known.
    pub undecided: usize,
    /// Files, lines and games that are no records.
    pub unread: usize,
    /// Remarks about rules that are not known, each with the number of games.
    pub unknown_rules: BTreeMap<String, usize>,
    /// The lost games.
    pub lessons: Vec<LostGame>,
}

/// What tells where the play of the lost games begins, each mark with the number of games.
fn marks(lessons: &[LostGame]) -> BTreeMap<&'static str, usize> {
    let mut marks = BTreeMap::new();
    for lesson in lessons {
        *marks.entry(lesson.record.game.start.mark.word()).or_default() += 1;
    }
    marks
}

/// The lessons with a cause, in numbers.
struct Row {
    cause: Cause,
    count: usize,
    /// Means of the number of the turning move, the plies from there to the end, and those until the player saw the loss.
    means: [Option<f64>; 3],
}

/// The causes that occur.
fn rows(lessons: &[LostGame]) -> Vec<Row> {
    let row = |&cause: &Cause| {
        let of_cause: Vec<&LostGame> = lessons.iter().filter(|lesson| lesson.turn.cause == cause).collect();
        let number = |lesson: &&LostGame| lesson.turn.index.map(|index| lesson.review.number(index));
        let means = [
            mean(of_cause.iter().filter_map(number)),
            mean(of_cause.iter().filter_map(|lesson| lesson.plies_left())),
            mean(of_cause.iter().filter_map(|lesson| lesson.delay())),
        ];
        Row { cause, count: of_cause.len(), means }
    };
    Cause::ALL.iter().map(row).filter(|row| row.count > 0).collect()
}

fn mean(numbers: impl Iterator<Item = usize>) -> Option<f64> {
    let numbers: Vec<usize> = numbers.collect();
    (!numbers.is_empty()).then(|| numbers.iter().sum::<usize>() as f64 / numbers.len() as f64)
}

/// What is said about the cause of one game.
pub fn remark(lesson: &LostGame) -> String {
    let Some(judged) = lesson.turning_move() else {
        return match lesson.record.game.outcome.and_then(|outcome| outcome.forfeit) {
            Some(Forfeit::Late) => "time: no move in time",
            Some(Forfeit::Fault) => "fault: a crash or an illegal move",
            None => lesson.turn.cause.name(),
        }
        .to_owned();
    };
    let stone = lesson.turn.index.map_or(0, |index| lesson.review.number(index) - 1);
    let detail = match lesson.turn.cause {
        Cause::SeenTooLate => {
            let distance = judged.lost_in().map(|distance| format!("lost in {}", at_most(distance)));
            let seen = lesson.turn.seen.map(|seen| format!("seen at move {}", lesson.review.number(seen)));
            Some(format!("{}, {}", distance.unwrap_or_default(), seen.unwrap_or_else(|| "not seen".to_owned())))
        }
        Cause::Misjudged => judged.foul.as_ref().map(|foul| format!("forbidden, {}", foul.ruling.name())),
        Cause::Opening => (judged.before.chance() < LOST_BELOW).then(|| "lost before this move".to_owned()),
        Cause::Time if lesson.record.late.contains(&stone) => Some("too late".to_owned()),
        Cause::Time => {
            let ms = lesson.record.game.ms.get(stone);
            ms.zip(usual_ms(&lesson.record, stone)).map(|(ms, usual)| format!("{ms} ms, usually {usual} ms"))
        }
        Cause::Fault | Cause::Unclear => None,
    };
    let cause = lesson.turn.cause.name();
    detail.map_or_else(|| cause.to_owned(), |detail| format!("{cause}: {detail}"))
}

/// The report for people.
pub fn text(report: &Report) -> String {
    let (lost, player) = (report.lessons.len(), plain(&report.player));
    let mut text = String::new();
    for (remark, games) in &report.unknown_rules {
        let _ = writeln!(text, "{games} game{}: {remark}", if *games == 1 { "" } else { "s" });
    }
    let _ = write!(text, "{player} lost {lost} of {} games.", report.games);
    for (count, what) in [(report.undecided, "without a result"), (report.unread, "that could not be read")] {
        if count > 0 {
            let _ = write!(text, " Left out: {count} {what}.");
        }
    }
    text.push('\n');
    if report.lessons.is_empty() {
        return text;
    }
    let marks: Vec<String> =
        marks(&report.lessons).into_iter().map(|(mark, games)| format!("{mark} {games}")).collect();
    let _ = writeln!(text, "Marks of where the play begins, with the number of games: {}.", marks.join(", "));
    let _ = writeln!(
        text,
        "A game turned at the loser's first move after which its winning chance never again\nreached {:.0} %. \
         Each position was searched with {} nodes. 'chance' is that before and\nafter the move.\n",
        LOST_BELOW * 100.0,
        report.nodes
    );
    let names: Vec<String> = report.lessons.iter().map(|lesson| one_line(&lesson.record.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().max(4);
    let _ = writeln!(text, "   # {:width$}  plies  turned at     better chance     cause", "game");
    for (index, (lesson, name)) in report.lessons.iter().zip(&names).enumerate() {
        let _ = write!(text, "{:>4} {name:width$}  {:>5}", index + 1, lesson.review.last_number());
        let row = format!("  {}   {}", turned_at(lesson), remark(lesson));
        let _ = writeln!(text, "{}", row.trim_end());
    }
    for (index, lesson) in report.lessons.iter().enumerate() {
        for note in &lesson.record.game.notes {
            let _ = writeln!(text, "Game {}: {note}", index + 1);
        }
    }
    text.push_str("\n cause          games  turned at  plies to the end  seen after\n");
    let rows = rows(&report.lessons);
    for Row { cause, count, means } in &rows {
        let [number, left, delay] = means.map(|mean| mean.map_or("-".to_owned(), |mean| format!("{mean:.1}")));
        let _ = writeln!(text, " {:13}  {count:>5}  {number:>9}  {left:>16}  {delay:>10}", cause.name());
    }
    text.push_str("\nThe last three columns are means: the number of the move, and plies after it.\n");
    for row in &rows {
        let _ = writeln!(text, "{}: {}.", row.cause.name(), row.cause.meaning());
    }
    text
}

/// The columns of a row about the turning move: the move, the better one, the chances.
fn turned_at(lesson: &LostGame) -> String {
    let Some((index, judged)) = lesson.turn.index.zip(lesson.turning_move()) else {
        return format!("{:>4} {:6}   {:6} {:>6}  ", "-", "", "", "");
    };
    let size = lesson.review.size;
    let better = lesson.better().map(|better| name(better, size)).unwrap_or_default();
    let chances = format!("{:.0}>{:.0}", judged.before.chance() * 100.0, judged.after.chance() * 100.0);
    let played = format!("{} {}", sign(judged.color), name(judged.point, size));
    format!("{:>4} {played:6}   {better:6} {chances:>6} %", lesson.review.number(index))
}

/// The report for programs: one JSON object.
pub fn json(report: &Report) -> String {
    let lessons: Vec<Value> = report.lessons.iter().map(lesson_json).collect();
    let causes: Vec<Value> = rows(&report.lessons)
        .iter()
        .map(|row| {
            let [number, left, delay] = row.means.map(|mean| mean.map(rounded));
            json!({
                "cause": row.cause.name(),
                "games": row.count,
                "mean_number": number,
                "mean_plies_to_the_end": left,
                "mean_plies_until_seen": delay,
            })
        })
        .collect();
    let report = json!({
        "player": report.player,
        "nodes": report.nodes,
        "lost_below": LOST_BELOW,
        "games": report.games,
        "without_result": report.undecided,
        "unread": report.unread,
        "unknown_rules": report.unknown_rules,
        "marks": marks(&report.lessons),
        "lost": lessons,
        "causes": causes,
    });
    format!("{report:#}\n")
}

fn lesson_json(lesson: &LostGame) -> Value {
    let size = lesson.review.size;
    let judged = lesson.turning_move();
    json!({
        "game": lesson.record.name,
        "notes": lesson.record.game.notes,
        "color": lesson.loser.name(),
        "plies": lesson.review.last_number(),
        "number": lesson.turn.index.map(|index| lesson.review.number(index)),
        "move": judged.map(|judged| name(judged.point, size)),
        "better": lesson.better().map(|better| name(better, size)),
        "chance_before": judged.map(|judged| rounded(judged.before.chance())),
        "chance_after": judged.map(|judged| rounded(judged.after.chance())),
        "cause": lesson.turn.cause.name(),
        "remark": remark(lesson),
        "seen": lesson.turn.seen.map(|seen| lesson.review.number(seen)),
    })
}
