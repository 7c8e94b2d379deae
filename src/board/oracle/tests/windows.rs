//! All windows: the number of windows of each shape, and properties that hold for all of them.

use super::*;

/// All windows of this half-width with an own stone in the centre. On each side, everything beyond a wall is wall.
fn all_windows(states: &[Seen], half: usize) -> Vec<Window> {
    let outer: Vec<usize> = (CENTER - half..=CENTER + half).filter(|&i| i != CENTER).collect();
    let is_real = |w: &Window| {
        let breaks = |i: usize, beyond: usize| w.0[i] == Seen::Wall && w.0[beyond] != Seen::Wall;
        !(1..half).any(|k| breaks(CENTER + k, CENTER + k + 1) || breaks(CENTER - k, CENTER - k - 1))
    };
    let window = |mut code: usize| {
        let mut squares = [Seen::Wall; WIDTH];
        squares[CENTER] = Seen::Own;
        for &i in &outer {
            squares[i] = states[code % states.len()];
            code /= states.len();
        }
        Window(squares)
    };
    (0..states.len().pow(outer.len() as u32)).map(window).filter(is_real).collect()
}

#[test]
fn every_shape_has_the_known_number_of_windows() {
    let blocked = [Seen::Own, Seen::Empty, Seen::Opponent];
    let caro = [Seen::Own, Seen::Empty, Seen::Opponent, Seen::Wall];
    #[rustfmt::skip]
    let table: [(LineRule, usize, &[Seen], [usize; Shape::ALL.len()]); 6] = [
        (LineRule::AtLeastFive, 4, &blocked, [3537, 0, 81, 34, 419, 115, 30, 11, 850, 198, 51, 796, 142, 297]),
        (LineRule::AtLeastFive, 5, &blocked, [31833, 0, 729, 306, 3771, 1035, 270, 99, 7650, 1782, 459, 7164, 1278, 2673]),
        (LineRule::ExactFive, 5, &blocked, [37368, 1053, 652, 268, 3332, 840, 192, 36, 6408, 1200, 168, 5344, 568, 1620]),
        (LineRule::RenjuBlack, 5, &blocked, [37368, 1053 + 136, 652, 268, 3388, 816, 168, 28, 6588, 1080, 108, 5344, 432, 1620]),
        (LineRule::Caro, 5, &caro, [85920, 0, 1353, 159, 7270, 680, 204, 99, 14906, 1476, 459, 13773, 1278, 4919]),
        (LineRule::CaroExact, 5, &caro, [95774, 2005, 1194, 145, 6287, 519, 138, 32, 12149, 828, 133, 9969, 409, 2914]),
    ];
    for (rule, half, states, expected) in table {
        let mut counts = [0; Shape::ALL.len()];
        for window in all_windows(states, half) {
            let shape = line_shape(rule, window);
            counts[shape as usize] += 1;
            let mut mirrored = window;
            mirrored.0.reverse();
            assert_eq!(line_shape(rule, mirrored), shape, "{rule:?} {window:?}");
        }
        assert_eq!(counts, expected, "{rule:?}, half-width {half}");
    }
}

#[test]
fn a_wall_is_an_opposing_stone_except_in_caro() {
    for rule in [LineRule::AtLeastFive, LineRule::ExactFive, LineRule::RenjuBlack] {
        for window in all_windows(&[Seen::Own, Seen::Empty, Seen::Wall], 5) {
            let stones = Window(window.0.map(|seen| if seen == Seen::Wall { Seen::Opponent } else { seen }));
            assert_eq!(line_shape(rule, window), line_shape(rule, stones), "{rule:?} {window:?}");
        }
    }
}

#[test]
fn another_opposing_stone_never_helps() {
    for rule in [LineRule::AtLeastFive, LineRule::ExactFive, LineRule::Caro, LineRule::CaroExact] {
        for window in all_windows(&[Seen::Own, Seen::Empty, Seen::Opponent], 5) {
            let shape = line_shape(rule, window);
            for i in (0..WIDTH).filter(|&i| window.0[i] == Seen::Empty) {
                let defended = line_shape(rule, window.with(i, Seen::Opponent));
                assert!(defended <= shape || shape == Shape::Overline, "{rule:?} {window:?} {i}");
            }
        }
    }
}
