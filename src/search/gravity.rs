//! History gravity: how histories and corrections learn from an observation and stay within bounds.

/// Adds a bonus to an entry, scaled down near the limit. The bonus must not exceed the limit.
pub fn update(entry: &mut i16, bonus: i32, limit: i32) {
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / limit) as i16;
}
