//! Intervals of numbers, and between which bounds expressions lie.
//!
//! No bound is always right.

use serde::{Deserialize, Serialize};

use super::linear::{Index, Linear};
use super::names::Facts;

/// A closed interval; `None` is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// The least value.
    pub least: Option<i128>,
    /// The greatest value.
    pub most: Option<i128>,
}

impl Range {
    /// All numbers.
    pub const ALL: Self = Self {
        least: None,
        most: None,
    };

    /// One value.
    pub fn constant(value: i64) -> Self {
        Self::new(Some(value.into()), Some(value.into()))
    }

    /// All from the least to the most.
    pub fn new(least: Option<i128>, most: Option<i128>) -> Self {
        Self { least, most }
    }

    /// 0 and all above.
    pub fn not_negative() -> Self {
        Self::new(Some(0), None)
    }

    /// The range of sums.
    pub fn plus(self, other: Self) -> Self {
        let sum = |left: Option<i128>, right: Option<i128>| left.zip(right).and_then(|(l, r)| l.checked_add(r));
        Self::new(sum(self.least, other.least), sum(self.most, other.most))
    }

    /// The range of products with a constant.
    pub fn scale(self, factor: i64) -> Self {
        let times = |bound: Option<i128>| bound.and_then(|bound| bound.checked_mul(factor.into()));
        match factor.signum() {
            0 => Self::constant(0),
            1 => Self::new(times(self.least), times(self.most)),
            _ => Self::new(times(self.most), times(self.least)),
        }
    }

    /// The smallest range around both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let both = |l: Option<i128>, r: Option<i128>, pick: fn(i128, i128) -> i128| l.zip(r).map(|(l, r)| pick(l, r));
        Self::new(
            both(self.least, other.least, i128::min),
            both(self.most, other.most, i128::max),
        )
    }

    /// The range of the smaller of two values.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        let most = [self.most, other.most].into_iter().flatten().min();
        Self::new(self.or(other).least, most)
    }

    /// The range of the greater of two values.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let least = [self.least, other.least].into_iter().flatten().max();
        Self::new(least, self.or(other).most)
    }

    /// True if no value is negative.
    pub fn is_not_negative(self) -> bool {
        self.least.is_some_and(|least| least >= 0)
    }
}

/// Of an expression in any one iteration.
pub fn of_linear<N: Facts>(linear: &Linear<N>) -> Range {
    let terms = linear.terms().iter();
    terms.fold(Range::constant(linear.offset()), |sum, (symbol, coefficient)| {
        sum.plus(N::range(*symbol).scale(*coefficient))
    })
}

/// Of an index with whatever is in it.
pub fn of_index<N: Facts>(index: &Index<N>) -> Range {
    match index {
        Index::Linear(linear) => of_linear(linear),
        Index::Modulo(modulo) => {
            let remainder = Range::new(Some(0), Some(i128::from(modulo.modulus) - 1));
            of_linear(&modulo.rest).plus(remainder.scale(modulo.factor))
        }
    }
}
