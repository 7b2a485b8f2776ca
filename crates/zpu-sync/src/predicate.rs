//! Comparisons of integers: the predicates of `arith.cmpi`.

/// A predicate of `arith.cmpi`, by upstream's name. `S` compares as signed numbers, `U` as unsigned ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmpIPredicate {
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Slt,
    /// `<=`.
    Sle,
    /// `>`.
    Sgt,
    /// `>=`.
    Sge,
    /// `<`.
    Ult,
    /// `<=`.
    Ule,
    /// `>`.
    Ugt,
    /// `>=`.
    Uge,
}

impl CmpIPredicate {
    /// All, in the order of upstream's numbers.
    pub const ALL: [Self; 10] = [
        Self::Eq,
        Self::Ne,
        Self::Slt,
        Self::Sle,
        Self::Sgt,
        Self::Sge,
        Self::Ult,
        Self::Ule,
        Self::Ugt,
        Self::Uge,
    ];

    /// Upstream's number.
    pub fn number(self) -> i64 {
        self as i64
    }

    /// The predicate that holds where this does not.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Slt => Self::Sge,
            Self::Sle => Self::Sgt,
            Self::Sgt => Self::Sle,
            Self::Sge => Self::Slt,
            Self::Ult => Self::Uge,
            Self::Ule => Self::Ugt,
            Self::Ugt => Self::Ule,
            Self::Uge => Self::Ult,
        }
    }

    /// The predicate of the same numbers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
        }
    }

    /// True if numbers are compared as unsigned ones.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::Ult | Self::Ule | Self::Ugt | Self::Uge)
    }

    /// The predicate between signed numbers; it is equivalent for numbers that are not negative.
    #[must_use]
    pub fn signed(self) -> Self {
        match self {
            Self::Ult => Self::Slt,
            Self::Ule => Self::Sle,
            Self::Ugt => Self::Sgt,
            Self::Uge => Self::Sge,
            signed => signed,
        }
    }

    /// True if it holds of two numbers of 64 bits.
    pub fn evaluate(self, left: i64, right: i64) -> bool {
        let unsigned = (left.cast_unsigned(), right.cast_unsigned());
        match self {
            Self::Eq => left == right,
            Self::Ne => left != right,
            Self::Slt => left < right,
            Self::Sle => left <= right,
            Self::Sgt => left > right,
            Self::Sge => left >= right,
            Self::Ult => unsigned.0 < unsigned.1,
            Self::Ule => unsigned.0 <= unsigned.1,
            Self::Ugt => unsigned.0 > unsigned.1,
            Self::Uge => unsigned.0 >= unsigned.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [i64; 7] = [i64::MIN, -2, -1, 0, 1, 2, i64::MAX];

    #[test]
    fn opposites_and_swaps_say_so_of_all_numbers() {
        for predicate in CmpIPredicate::ALL {
            for (left, right) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (*a, b))) {
                let holds = predicate.evaluate(left, right);
                assert_eq!(
                    predicate.negated().evaluate(left, right),
                    !holds,
                    "{predicate:?} {left} {right}"
                );
                assert_eq!(
                    predicate.swapped().evaluate(right, left),
                    holds,
                    "{predicate:?} {left} {right}"
                );
                if left >= 0 && right >= 0 {
                    assert_eq!(
                        predicate.signed().evaluate(left, right),
                        holds,
                        "{predicate:?} {left} {right}"
                    );
                }
            }
        }
    }
}
