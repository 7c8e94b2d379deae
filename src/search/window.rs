//! Aspiration windows: an iteration is searched between bounds close to the last scores, which grow where a score lies
//! outside.

use super::params::Params;
use crate::base::Score;

/// The scores of the best and the worst of the wanted lines, or bounds of them where they lie outside the window. With
/// one line they are the same.
#[derive(Clone, Copy, Debug)]
pub struct Extremes {
    /// The best line's score.
    pub best: Score,
    /// The worst line's score.
    pub worst: Score,
}

/// The window of one pass over the root moves.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Lower bound.
    pub alpha: Score,
    /// Upper bound.
    pub beta: Score,
    /// Distance from the next failed score to the new bound.
    delta: i32,
}

impl Window {
    /// The window of an iteration to `depth` around the scores of the iteration before.
    pub fn around(params: &Params, depth: u32, Extremes { best, worst }: Extremes) -> Window {
        let delta = params.aspiration_window();
        let is_deep = depth as i32 >= params.aspiration_depth();
        let is_narrow = |score: Score| is_deep && score.units().abs() < params.aspiration_open();
        Window {
            alpha: if is_narrow(worst) { worst - delta } else { -Score::INFINITE },
            beta: if is_narrow(best) { best + delta } else { Score::INFINITE },
            delta,
        }
    }

    /// Whether a score is exact if a search with this window returns it.
    pub fn contains(&self, score: Score) -> bool {
        (score > self.alpha || self.alpha == -Score::INFINITE) && (score < self.beta || self.beta == Score::INFINITE)
    }

    /// Widens the window if one of the scores lies outside, and says whether it did.
    pub fn widen(&mut self, params: &Params, Extremes { best, worst }: Extremes) -> bool {
        if !self.contains(best) && best >= self.beta {
            self.beta = best + self.delta;
        } else if !self.contains(worst) {
            if best <= self.alpha && self.beta < Score::INFINITE {
                let middle = Score::estimate(i32::midpoint(self.alpha.units(), self.beta.units()));
                self.beta = middle.max(self.alpha.above());
            }
            self.alpha = worst - self.delta;
        } else {
            return false;
        }
        self.delta += self.delta * params.aspiration_growth() / 100 + params.aspiration_step();
        if [best, worst].iter().any(|score| score.units().abs() >= params.aspiration_open()) {
            (self.alpha, self.beta) = (-Score::INFINITE, Score::INFINITE);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ply, Rule};

    fn extremes(best: i32, worst: i32) -> Extremes {
        Extremes { best: Score::estimate(best), worst: Score::estimate(worst) }
    }

    #[test]
    fn a_window_grows_on_the_side_of_the_failure_until_the_scores_are_inside() {
        let params = Params::shipped(Rule::Freestyle);
        let mut window = Window::around(&params, 9, extremes(100, 40));
        let first = window;
        assert!(!window.widen(&params, extremes(100, 40)));
        assert!(window.widen(&params, extremes(300, 40)), "above");
        assert!(window.contains(Score::estimate(300)) && window.alpha == first.alpha);
        assert!(window.widen(&params, extremes(300, -90)), "below");
        assert!(window.contains(Score::estimate(-90)) && window.contains(Score::estimate(300)));
        assert!(!window.widen(&params, extremes(300, -90)));
    }

    #[test]
    fn a_score_that_is_nearly_decided_opens_the_window() {
        let params = Params::shipped(Rule::Freestyle);
        let win = Score::win_in(Ply::ROOT, 9);
        let mut window = Window::around(&params, 9, extremes(0, 0));
        assert!(window.widen(&params, Extremes { best: win, worst: win }));
        assert!(window.contains(win) && window.contains(-win));
        assert!(!window.widen(&params, Extremes { best: -win, worst: -win }));
        let open = Window::around(&params, 9, Extremes { best: win, worst: Score::DRAW });
        assert!(open.beta == Score::INFINITE && open.alpha > -Score::INFINITE);
    }
}
