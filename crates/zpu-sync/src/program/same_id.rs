//! Equality of barrier ids.

use crate::index::range;
use crate::problem::algebra::Index;

/// The answer whether two ids are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// For certain.
    Same,
    /// For certain not.
    Different,
    /// It is not known.
    Unknown,
}

/// Compares two ids.
pub(crate) fn compare<'c>(left: &Index<'c>, right: &Index<'c>) -> Sameness {
    let gap = left.add_scaled(right, -1).and_then(|gap| gap.as_constant());
    if let Some(gap) = gap {
        return if gap == 0 { Sameness::Same } else { Sameness::Different };
    }
    if let (Index::Modulo(a), Index::Modulo(b)) = (left, right)
        && a.rest == b.rest
        && (a.factor, a.modulus) == (b.factor, b.modulus)
        && let Some(gap) = a.dividend.add_scaled(&b.dividend, -1).and_then(|gap| gap.as_constant())
    {
        return if gap.rem_euclid(a.modulus) == 0 {
            Sameness::Same
        } else {
            Sameness::Different
        };
    }
    if are_apart(left, right) {
        return Sameness::Different;
    }
    Sameness::Unknown
}

/// True if the bounds of two expressions tell them apart in all iterations.
pub(crate) fn are_apart(left: &Index<'_>, right: &Index<'_>) -> bool {
    let (a, b) = (range::of_index(left), range::of_index(right));
    let is_below = |most: Option<i128>, least: Option<i128>| most.zip(least).is_some_and(|(most, least)| most < least);
    is_below(a.most, b.least) || is_below(b.most, a.least)
}
