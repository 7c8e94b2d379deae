//! Replays `protocol-fixtures/` against the built binary, two tests per group: the transcripts that measure time, and the
//! others.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod transcript;

use transcript::{Dress, Time, play_group};

/// The groups of transcripts that measure time, or of those that do not: `cargo quick` leaves the former out.
macro_rules! groups {
    ($module:ident $time:expr) => {
        mod $module {
            use super::*;

            #[test]
            fn mandatory() {
                play_group("a", $time, Dress::Plain);
            }

            #[test]
            fn mandatory_with_crlf_and_lower_case() {
                play_group("a", $time, Dress::Disguised);
            }

            #[test]
            fn optional() {
                play_group("o", $time, Dress::Plain);
            }

            #[test]
            fn yixin_dialect() {
                play_group("y", $time, Dress::Plain);
            }

            #[test]
            fn hostile() {
                play_group("h", $time, Dress::Plain);
            }

            #[test]
            fn piped_scripts_and_interruptions() {
                play_group("p", $time, Dress::Plain);
            }
        }
    };
}

groups!(at_any_speed Time::Free);
groups!(by_the_clock Time::Measured);

/// None of them measures time.
#[test]
fn rules() {
    play_group("r", Time::Free, Dress::Plain);
}
