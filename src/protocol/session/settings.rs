//! `INFO`: settings, and what the manager says about the time.

use super::Session;
use crate::base::Rule;
use crate::base::clock::Instant;
use crate::protocol::info::Info;
use crate::protocol::traffic::{Order, Stamp};
use std::io::Write;

/// The last search that answered a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastSearch {
    /// When its question arrived.
    asked: Stamp,
    ended: Instant,
}

impl<W: Write> Session<W> {
    /// Notes the end of the search for this question.
    pub(super) fn note_search(&mut self, order: &Order) {
        self.last_search = Some(LastSearch { asked: order.stamp, ended: Instant::now() });
    }

    /// Applies a setting that arrived at this time.
    pub(super) fn inform(&mut self, info: &Info, stamp: &Stamp) {
        let options = self.engine.options_mut();
        match self.last_search {
            Some(LastSearch { asked, ended }) if stamp.at < ended && stamp.is_apart_from(&asked) => {
                info.apply_during(options, stamp.at, ended);
            }
            _ => {
                if stamp.at < self.free_since {
                    // What the manager measured during a search says nothing about that search's overhead.
                    options.forget_moves();
                }
                info.apply(options);
            }
        }
        info.apply_to_session(&mut self.options);
        if let Some(bits) = info.rule_bits() {
            // Rule 2 is renju in the Yixin dialect, a continuous game otherwise.
            let rule = if bits == 2 && self.yixin { Some(Rule::Renju) } else { Rule::from_bits(bits) };
            if let Some(rule) = rule {
                self.engine.set_rule(rule);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Talk;
    use super::*;
    use std::time::Duration;

    /// Bug: a time left that was sent during a search counted from the end of that search.
    #[test]
    fn a_time_left_sent_during_a_search_is_used_up_by_the_rest_of_it() {
        let (asked, seconds) = (Instant::now(), Duration::from_secs);
        let stamp = |listened| Stamp { at: asked + listened, listened };
        let left = |sent: Stamp| {
            let mut talk = Talk::new();
            talk.session.last_search = Some(LastSearch { asked: stamp(Duration::ZERO), ended: asked + seconds(4) });
            talk.session.inform(&Info::parse(b"time_left 20000").unwrap(), &sent);
            talk.session.engine.options().limits(asked).left
        };
        assert_eq!(left(stamp(seconds(1))), Some(seconds(17)));
        assert_eq!(left(stamp(seconds(5))), Some(seconds(20)), "after the search");
        assert_eq!(left(stamp(Duration::from_millis(20))), Some(seconds(20)), "sent together with the question");
    }

    /// Bug: the time left that was sent with a question that was refused limited the next game.
    #[test]
    fn a_refused_question_leaves_no_clock_to_the_next_game() {
        for refused in ["TURN 7,7", "BEGIN", "YXSWAP2STEP2", "SWAP2BOARD; 1,1; DONE", "TURN 99,9"] {
            let mut talk = Talk::new();
            talk.say("START 15; INFO timeout_match 60000; BEGIN; INFO time_left -500");
            assert!(talk.say(refused).starts_with("ERROR"), "{refused}");
            talk.say("START 15");
            let left = talk.session.engine.options().limits(Instant::now()).left;
            assert_eq!(left, Some(Duration::from_secs(60)), "{refused}");
        }
    }
}
