//! When a game may end before the rules end it: nobody can make a five any more, or both players have proven the same
//! result. `certain_ending` in `referee.rs` applies both; the draw at a number of stones (`--draw-after`) is there, too.

use tengen::base::{Cell, Color, Direction, Point};
use tengen::board::oracle::Oracle;

/// Whether no sequence of moves, legal or not, lets either side win or lose.
///
/// Looks at every window as long as a winning row. A window without a stone of the opponent may still become one. A `true`
/// is a proof; a `false` says nothing.
pub fn is_dead_draw(oracle: &Oracle) -> bool {
    Color::ALL.into_iter().all(|color| {
        oracle
            .size()
            .points()
            .flat_map(|start| Direction::ALL.into_iter().map(move |direction| (start, direction)))
            .all(|(start, direction)| !may_become_row(oracle, color, start, direction))
    })
}

/// Whether the points from `start` on, as many as a winning row has, may still become a winning row of `color`.
fn may_become_row(oracle: &Oracle, color: Color, start: Point, direction: Direction) -> bool {
    let at = |offset: i32| start.step(direction, offset).map_or(Cell::Wall, |point| oracle.cell(point));
    let line_rule = oracle.rule().line_rule(color);
    let length = line_rule.win_length() as i32;
    let (own, other) = (Cell::from(color), Cell::from(color.opponent()));
    if (0..length).any(|offset| [other, Cell::Wall].contains(&at(offset))) {
        return false;
    }
    let ends = [at(-1), at(length)];
    // A longer row of black loses in renju, so that it, too, must be impossible.
    let ends_the_game = line_rule.longer_rows_win() || oracle.rule().has_forbidden(color);
    (ends_the_game || !ends.contains(&own)) && !(line_rule.is_caro() && ends == [other; 2])
}

/// What a score claims: `Some(true)` a proven win of the player that reports it, `Some(false)` a proven loss. Engines
/// write `+W15` or `+M15`.
pub fn claim(score: &str) -> Option<bool> {
    let mut letters = score.chars();
    let wins = match letters.next()? {
        '+' => true,
        '-' => false,
        _ => return None,
    };
    matches!(letters.next()?, 'W' | 'w' | 'M' | 'm').then_some(wins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::seq::SliceRandom;
    use rand::{Rng, SeedableRng};
    use tengen::base::Rule;
    use tengen::base::Size;
    use tengen::board::oracle::Verdict;

    /// Whether some order of moves, by the reference rules, ends otherwise than in a draw.
    fn somebody_can_win(oracle: &Oracle, side: Color) -> bool {
        oracle.size().points().filter(|&point| oracle.cell(point) == Cell::Empty).any(|point| {
            let mut after = oracle.clone();
            match after.play(point, side) {
                Verdict::Continues => somebody_can_win(&after, side.opponent()),
                Verdict::Draw => false,
                Verdict::Wins | Verdict::Foul(_) | Verdict::Illegal => true,
            }
        })
    }

    /// A board filled at random, long rows left out, but for a few points.
    fn nearly_full(rule: Rule, size: Size, empty: usize, random: &mut SmallRng) -> Oracle {
        let mut points: Vec<Point> = size.points().collect();
        points.shuffle(random);
        let mut oracle = Oracle::new(rule, size);
        for &point in &points[empty..] {
            let color = if random.random_bool(0.5) { Color::Black } else { Color::White };
            oracle.set(point, Cell::from(color));
        }
        oracle
    }

    #[test]
    fn a_dead_draw_is_never_won_by_any_order_of_moves() {
        let mut random = SmallRng::seed_from_u64(11);
        for rule in Rule::ALL {
            let (mut dead, mut open) = (0, 0);
            for _ in 0..300 {
                let size = Size::new(random.random_range(5..=6), random.random_range(5..=6)).unwrap();
                let oracle = nearly_full(rule, size, random.random_range(1..=4), &mut random);
                if is_dead_draw(&oracle) {
                    dead += 1;
                    for side in Color::ALL {
                        assert!(!somebody_can_win(&oracle, side), "{rule:?}: {oracle:?}");
                    }
                } else {
                    open += 1;
                }
            }
            assert!(dead >= 20 && open >= 20, "{rule:?}: {dead} dead, {open} open");
        }
    }

    #[test]
    fn an_empty_board_is_open() {
        for rule in Rule::ALL {
            assert!(!is_dead_draw(&Oracle::new(rule, Size::square(5).unwrap())));
        }
    }

    #[test]
    fn scores_that_claim_a_result() {
        for (score, claims) in [
            ("+W15", Some(true)),
            ("-W4", Some(false)),
            ("+M3", Some(true)),
            ("34", None),
            ("-120", None),
            ("+", None),
            ("", None),
            ("W3", None),
        ] {
            assert_eq!(claim(score), claims, "{score}");
        }
    }
}
