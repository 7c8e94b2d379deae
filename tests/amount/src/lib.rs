//! How much the tests of all packages do: numbers from the environment. `docs/laboratory.md` lists them.

/// A number from an environment variable, where it is set.
///
/// # Panics
/// The variable is no number.
pub fn given(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// A number from an environment variable, or the default.
///
/// # Panics
/// The variable is no number.
pub fn from_environment(name: &str, default: u64) -> u64 {
    given(name).unwrap_or(default)
}

/// Whether the tests run at length: `TENGEN_LONG=1`.
///
/// # Panics
/// The variable is no number.
pub fn at_length() -> bool {
    from_environment("TENGEN_LONG", 0) > 0
}

/// How much a test does: the number in its environment variable, where that is set, or one for the normal run and one for a
/// run at length.
///
/// # Panics
/// One of the variables is no number.
pub fn amount(name: &str, normal: u64, long: u64) -> u64 {
    given(name).unwrap_or(if at_length() { long } else { normal })
}
