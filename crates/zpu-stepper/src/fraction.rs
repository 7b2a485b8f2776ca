//! Exact fractions, for shares of links: a rate of 19.2 is 96/5, and a third of it is 32/5.
//!
//! A rate is taken as the decimals that it prints as, since that is what a device file says; its binary form is an
//! accident. Invariant: the denominator is positive, and an operation is exact or reports an overflow.

use std::cmp::Ordering;

use crate::error::StepError;

/// A number of bytes, or of bytes per cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fraction {
    over: i128,
    under: i128,
}

impl Fraction {
    pub(crate) const ZERO: Self = Self { over: 0, under: 1 };

    /// The decimals of a rate.
    pub(crate) fn decimal(rate: f64) -> Result<Self, StepError> {
        let text = rate.to_string();
        let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
        let over = format!("{whole}{rest}").parse::<i128>().ok();
        let digits = u32::try_from(rest.len()).ok();
        Self::new(over, digits.and_then(|digits| 10_i128.checked_pow(digits)))
    }

    pub(crate) fn times(self, count: u64) -> Result<Self, StepError> {
        Self::new(self.over.checked_mul(count.into()), Some(self.under))
    }

    pub(crate) fn part(self, parts: usize) -> Result<Self, StepError> {
        Self::new(Some(self.over), self.under.checked_mul(parts as i128))
    }

    pub(crate) fn minus(self, other: Self) -> Result<Self, StepError> {
        let (left, right, under) = self.alike(other)?;
        Self::new(left.checked_sub(right), Some(under))
    }

    pub(crate) fn compare(self, other: Self) -> Result<Ordering, StepError> {
        let (left, right, _) = self.alike(other)?;
        Ok(left.cmp(&right))
    }

    /// `ceil(self / other)`, for two positive numbers.
    pub(crate) fn divided_up(self, other: Self) -> Result<u64, StepError> {
        let (left, right, _) = self.alike(other)?;
        let rest = i128::from(left % right != 0);
        u64::try_from(left / right + rest).map_err(|_| StepError::Fraction)
    }

    pub(crate) fn is_positive(self) -> bool {
        self.over > 0
    }

    /// Both numerators over one denominator.
    fn alike(self, other: Self) -> Result<(i128, i128, i128), StepError> {
        let common = greatest_divisor(self.under, other.under);
        let left = self.over.checked_mul(other.under / common);
        let right = other.over.checked_mul(self.under / common);
        let under = self.under.checked_mul(other.under / common);
        let all = left
            .zip(right)
            .zip(under)
            .map(|((left, right), under)| (left, right, under));
        all.ok_or(StepError::Fraction)
    }

    /// In lowest terms; nothing stands for an overflow.
    fn new(over: Option<i128>, under: Option<i128>) -> Result<Self, StepError> {
        let (over, under) = over.zip(under).ok_or(StepError::Fraction)?;
        let common = greatest_divisor(over, under);
        Ok(Self {
            over: over / common,
            under: under / common,
        })
    }
}

/// The greatest common divisor of any number and a positive one.
fn greatest_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_its_decimals() {
        let third = Fraction::decimal(19.2).unwrap().part(3).unwrap();
        assert_eq!((third.over, third.under), (32, 5));
        let rest = Fraction::decimal(25.0).unwrap().minus(third).unwrap();
        assert_eq!((rest.over, rest.under), (93, 5));
        assert_eq!(rest.divided_up(third).unwrap(), 3);
        assert!(Fraction::decimal(1e300).is_err());
    }
}
