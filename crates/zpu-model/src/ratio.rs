//! Exact fractions of cycles, such as a period of 15 cycles in 2 iterations.
//!
//! Invariant: a fraction is reduced, so that equal numbers are equal values.

use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroU64;

/// A fraction that is not negative, in lowest terms.
///
/// ```
/// use std::num::NonZeroU64;
/// use zpu_model::Ratio;
///
/// let period = Ratio::new(30, NonZeroU64::new(4).unwrap());
/// assert_eq!((period.numerator(), period.denominator()), (15, 2));
/// assert!(Ratio::from(7) < period);
/// assert_eq!(period.to_string(), "15/2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u64,
    denominator: NonZeroU64,
}

impl Ratio {
    /// `numerator / denominator`.
    pub fn new(numerator: u64, denominator: NonZeroU64) -> Self {
        let (mut divisor, mut rest) = (denominator, numerator);
        while let Some(next) = NonZeroU64::new(rest) {
            rest = divisor.get() % next;
            divisor = next;
        }
        // A divisor of a number that is not 0 is at most that number, so the quotient is at least 1.
        let denominator = NonZeroU64::new(denominator.get() / divisor).unwrap_or(NonZeroU64::MIN);
        Self {
            numerator: numerator / divisor,
            denominator,
        }
    }

    /// The upper number, after reduction.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// The lower number, after reduction; at least 1.
    pub fn denominator(self) -> u64 {
        self.denominator.get()
    }

    /// The nearest number in floating point, for print.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator.get() as f64
    }
}

impl From<u64> for Ratio {
    fn from(whole: u64) -> Self {
        Self {
            numerator: whole,
            denominator: NonZeroU64::MIN,
        }
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let across = |one: &Self, other: &Self| u128::from(one.numerator) * u128::from(other.denominator.get());
        across(self, other).cmp(&across(other, self))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator.get() {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}
