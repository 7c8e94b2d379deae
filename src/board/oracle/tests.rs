//! The oracle's own cases.
use super::*;
use super::LineRule as L;

fn windows(states: &[Seen], half: usize) -> Vec<Window> {
    let n = states.len();
    let mut out = Vec::new();
    for code in 0..n.pow(2 * half as u32) {
        let mut c = code;
        let mut w = [Seen::Wall; WIDTH];
        for i in (CENTER - half..=CENTER + half).filter(|&i| i != CENTER) {
            w[i] = states[c % n];
            c /= n;
        }
        w[CENTER] = Seen::Own;
        let w = Window(w);
        let tail = |sign: i32| {
            (1..half as i32).any(|k| w.at(CENTER as i32 + k * sign) == Seen::Wall && w.at(CENTER as i32 + (k + 1) * sign) != Seen::Wall)
        };
        if !tail(1) && !tail(-1) {
            out.push(w);
        }
    }
    out
}

#[test]
fn every_window_is_classified_as_the_checksums_say() {
    let t = std::time::Instant::now();
    let three = [Seen::Own, Seen::Empty, Seen::Opponent];
    let four = [Seen::Own, Seen::Empty, Seen::Opponent, Seen::Wall];
    for (rule, half, states) in [(L::AtLeastFive, 4, &three[..]), (L::AtLeastFive, 5, &three), (L::ExactFive, 5, &three), (L::RenjuBlack, 5, &three), (L::Caro, 5, &four), (L::CaroExact, 5, &four)] {
        let mut h = [0; 14];
        let ws = windows(states, half);
        for w in &ws { h[line_shape(rule, *w) as usize] += 1; }
        println!("{rule:?} {half} {} {h:?} {:?}", ws.len(), t.elapsed());
    }
}
