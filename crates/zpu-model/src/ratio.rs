//! An exact fraction of cycles.

use std::cmp::Ordering;
use std::fmt;

/// Cycles over a number of iterations or versions, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    cycles: u64,
    per: u64,
}

impl Ratio {
    /// `cycles / per`.
    ///
    /// # Panics
    ///
    /// If `per` is 0.
    pub fn new(cycles: u64, per: u64) -> Self {
        assert!(per > 0, "a fraction needs a denominator");
        let divisor = gcd(cycles, per);
        Self {
            cycles: cycles / divisor,
            per: per / divisor,
        }
    }

    /// The numerator in lowest terms.
    pub fn cycles(self) -> u64 {
        self.cycles
    }

    /// The denominator in lowest terms.
    pub fn per(self) -> u64 {
        self.per
    }
}

impl From<u64> for Ratio {
    fn from(cycles: u64) -> Self {
        Self::new(cycles, 1)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let cross = |one: &Self, other: &Self| u128::from(one.cycles) * u128::from(other.per);
        cross(self, other).cmp(&cross(other, self))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.per {
            1 => self.cycles.fmt(f),
            per => write!(f, "{}/{per}", self.cycles),
        }
    }
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}
