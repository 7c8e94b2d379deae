//! Division by a number that is known only at run time, as one multiplication and a shift.

/// A divisor.
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    /// The least whole number of units of `2^-SHIFT` above its reciprocal, also where the reciprocal is whole: so negative
    /// multiples are rounded below their quotient, too.
    reciprocal: i64,
}

impl Divisor {
    const SHIFT: u32 = 40;

    /// The divisor `by`, which is positive.
    #[inline]
    pub fn new(by: i32) -> Divisor {
        debug_assert!(by > 0);
        Divisor { reciprocal: (1 << Divisor::SHIFT) / i64::from(by) + 1 }
    }

    /// The quotient, rounded towards zero as `dividend / by`.
    ///
    /// The dividend times the divisor must be below `2^40`: the reciprocal is at most one unit too large, so the product is too large
    /// by at most the dividend, and the next whole quotient is at least `2^40 / by` units away. The product must fit, too.
    #[inline]
    pub fn divide(self, dividend: i32) -> i32 {
        debug_assert!(i64::from(dividend).abs() < self.reciprocal - 1);
        let below = (i64::from(dividend) * self.reciprocal) >> Divisor::SHIFT;
        below as i32 + i32::from(dividend < 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_is_that_of_the_processor() {
        for by in (1..=512).chain([1000, 64 * 105, 65_535, 1 << 19, (1 << 20) - 1]) {
            let divisor = Divisor::new(by);
            let multiples = (-40..=40).map(|times| times * by);
            let near = multiples.flat_map(|multiple| [multiple - 1, multiple, multiple + 1]);
            let limit = (divisor.reciprocal - 2).min(i64::MAX / divisor.reciprocal).min(i64::from(i32::MAX)) as i32;
            for dividend in near.chain(-2000..2000).chain([-limit, limit]).filter(|n| n.abs() <= limit) {
                assert_eq!(divisor.divide(dividend), dividend / by, "{dividend} / {by}");
            }
        }
    }
}
