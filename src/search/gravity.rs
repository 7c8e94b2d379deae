//! History gravity: how histories and corrections learn from an observation and stay within bounds.

/// Adds a bonus to an entry, scaled down near the limit. The bonus must not exceed the limit: then neither does the entry.
pub fn update(entry: &mut i16, bonus: i32, limit: i32) {
    debug_assert!(bonus.abs() <= limit && limit <= i32::from(i16::MAX), "bonus {bonus}, limit {limit}");
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / limit) as i16;
}
