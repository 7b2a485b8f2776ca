//! Exact fractions of small numbers. An overflow fails the test.

use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    top: i128,
    /// Above 0, without a common factor.
    bottom: i128,
}

impl Fraction {
    pub fn new(top: i128, bottom: i128) -> Fraction {
        let factor = greatest_common_divisor(top.abs(), bottom.abs()) * bottom.signum();
        Fraction {
            top: top / factor,
            bottom: bottom / factor,
        }
    }

    pub fn plus(self, other: Fraction) -> Fraction {
        let factor = greatest_common_divisor(self.bottom, other.bottom);
        let (one, two) = (self.bottom / factor, other.bottom / factor);
        let top = self.top.checked_mul(two).zip(other.top.checked_mul(one));
        let (a, b) = top.expect("small numbers");
        Fraction::new(a + b, one.checked_mul(other.bottom).expect("small numbers"))
    }

    pub fn minus(self, other: Fraction) -> Fraction {
        self.plus(Fraction::new(-other.top, other.bottom))
    }

    pub fn times(self, factor: Fraction) -> Fraction {
        let (a, b) = (
            Fraction::new(self.top, factor.bottom),
            Fraction::new(factor.top, self.bottom),
        );
        let product = |x: i128, y: i128| x.checked_mul(y).expect("small numbers");
        Fraction::new(product(a.top, b.top), product(a.bottom, b.bottom))
    }

    pub fn over(self, divisor: Fraction) -> Fraction {
        self.times(Fraction::new(divisor.bottom, divisor.top))
    }

    pub fn is_positive(self) -> bool {
        self.top > 0
    }

    pub fn rounded(self) -> f64 {
        self.top as f64 / self.bottom as f64
    }
}

impl From<u64> for Fraction {
    fn from(number: u64) -> Fraction {
        Fraction::new(number.into(), 1)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        self.minus(*other).top.cmp(&0)
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 {
        a.max(1)
    } else {
        greatest_common_divisor(b, a % b)
    }
}
