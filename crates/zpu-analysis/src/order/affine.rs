//! Sums of loop indices with quotients and remainders by constants, in one form, so that equal sums are found equal.
//!
//! Invariant: a multiple of the divisor is never inside a quotient or a remainder, and no term has the factor 0.
//! Arithmetic that does not fit in 64 bits gives nothing.

use std::collections::BTreeMap;

use zpu_stream::order::Expr;

/// One unknown of a sum.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    /// A loop, by its place from the outermost one.
    Index(usize),
    /// A quotient, rounded towards minus infinity.
    Quotient(Box<Affine>, i64),
    /// The remainder of that, never negative.
    Remainder(Box<Affine>, i64),
}

/// `constant + sum of factor * atom`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Affine {
    terms: BTreeMap<Atom, i64>,
    constant: i64,
}

impl Affine {
    /// A number.
    pub(crate) fn constant(constant: i64) -> Affine {
        let terms = BTreeMap::new();
        Affine { terms, constant }
    }

    /// The index of a loop.
    pub(crate) fn index(place: usize) -> Affine {
        Affine::of(Atom::Index(place))
    }

    fn of(atom: Atom) -> Affine {
        Affine {
            terms: BTreeMap::from([(atom, 1)]),
            constant: 0,
        }
    }

    /// The number, if there are no loops in it.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`.
    pub(crate) fn plus(&self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (atom, times) in &other.terms {
            let term = sum.terms.entry(atom.clone()).or_insert(0);
            *term = term.checked_add(times.checked_mul(factor)?)?;
        }
        sum.terms.retain(|_, times| *times != 0);
        Some(sum)
    }

    /// `factor * self`.
    pub(crate) fn times(&self, factor: i64) -> Option<Affine> {
        Affine::default().plus(self, factor)
    }

    /// The terms that the divisor divides, divided by it, and the others.
    fn split(&self, by: i64) -> (Affine, Affine) {
        let mut whole = Affine::constant(self.constant.div_euclid(by));
        let mut rest = Affine::constant(self.constant.rem_euclid(by));
        for (atom, &times) in &self.terms {
            let part = if times % by == 0 { &mut whole } else { &mut rest };
            let times = if times % by == 0 { times / by } else { times };
            part.terms.insert(atom.clone(), times);
        }
        (whole, rest)
    }

    /// The quotient by a positive number, rounded down.
    pub(crate) fn quotient(&self, by: i64) -> Option<Affine> {
        if by < 1 {
            return None;
        }
        let (whole, rest) = self.split(by);
        match rest.as_constant() {
            Some(_) => Some(whole),
            None => whole.plus(&Affine::of(Atom::Quotient(Box::new(rest), by)), 1),
        }
    }

    /// The remainder of [`Affine::quotient`].
    pub(crate) fn remainder(&self, by: i64) -> Option<Affine> {
        if by < 1 {
            return None;
        }
        let (_, rest) = self.split(by);
        Some(match rest.as_constant() {
            Some(_) => rest,
            None => Affine::of(Atom::Remainder(Box::new(rest), by)),
        })
    }

    /// Tells whether all that depends on loops is a multiple of a number.
    pub(crate) fn moves_by(&self, by: i64) -> bool {
        self.terms.values().all(|times| times % by == 0)
    }

    /// Tells whether a loop occurs.
    pub(crate) fn mentions(&self, place: usize) -> bool {
        self.terms.keys().any(|atom| match atom {
            Atom::Index(index) => *index == place,
            Atom::Quotient(inner, _) | Atom::Remainder(inner, _) => inner.mentions(place),
        })
    }

    /// By how much one iteration of a loop moves it; nothing if that is not always the same.
    pub(crate) fn step(&self, place: usize) -> Option<i64> {
        let step = self.terms.get(&Atom::Index(place)).copied().unwrap_or(0);
        let is_inside = |atom: &Atom| match atom {
            Atom::Index(_) => false,
            Atom::Quotient(inner, _) | Atom::Remainder(inner, _) => inner.mentions(place),
        };
        (!self.terms.keys().any(is_inside)).then_some(step)
    }

    /// Without the terms of a loop that has a [`Affine::step`].
    #[must_use]
    pub(crate) fn without(mut self, place: usize) -> Affine {
        self.terms.remove(&Atom::Index(place));
        self
    }

    /// The expression where the loops from `first` on are all there are; nothing if another one occurs.
    pub(crate) fn expr(&self, first: usize) -> Option<Expr> {
        let mut terms = Vec::new();
        for (atom, &times) in &self.terms {
            let inner = match atom {
                Atom::Index(place) => Expr::Index(place.checked_sub(first)?),
                Atom::Quotient(inner, by) => Expr::FloorDiv(Box::new(inner.expr(first)?), *by),
                Atom::Remainder(inner, by) => Expr::Mod(Box::new(inner.expr(first)?), *by),
            };
            terms.push(inner.scaled(times));
        }
        if self.constant != 0 || terms.is_empty() {
            terms.push(Expr::Constant(self.constant));
        }
        Some(Expr::sum(terms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a * i0 + b * i1 + c`.
    fn sum(a: i64, b: i64, c: i64) -> Affine {
        let part = Affine::constant(c).plus(&Affine::index(0), a);
        part.and_then(|part| part.plus(&Affine::index(1), b))
            .unwrap_or_default()
    }

    #[test]
    fn quotient_and_remainder_are_those_of_numbers() {
        for (a, b, c, by) in [
            (6, 3, 5, 3),
            (4, 2, -3, 4),
            (8, 0, 1, 8),
            (5, -7, 2, 6),
            (0, 0, -1, 2),
            (12, 6, 0, 6),
        ] {
            let value = sum(a, b, c);
            let (quotient, remainder) = (value.quotient(by), value.remainder(by));
            let text = |each: Option<Affine>| each.and_then(|each| each.expr(0));
            let (Some(quotient), Some(remainder)) = (text(quotient), text(remainder)) else {
                panic!("{a} {b} {c} {by}");
            };
            for i in 0..5 {
                for j in 0..5 {
                    let number = a * i + b * j + c;
                    assert_eq!(quotient.evaluate(&[i, j]), Some(number.div_euclid(by)));
                    assert_eq!(remainder.evaluate(&[i, j]), Some(number.rem_euclid(by)));
                }
            }
        }
    }

    #[test]
    fn multiples_leave_quotients_and_remainders() {
        let value = sum(6, 1, 7);
        assert_eq!(value.quotient(3).and_then(|q| q.step(0)), Some(2));
        assert_eq!(value.remainder(3).map(|r| r.mentions(0)), Some(false));
        assert_eq!(sum(6, 3, 7).remainder(3), Some(Affine::constant(1)));
        assert_eq!(value.quotient(3).map(|q| q.step(1)), Some(None));
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        assert_eq!(sum(i64::MAX, 0, 0).times(2), None);
        assert_eq!(Affine::constant(i64::MAX).plus(&Affine::constant(1), 1), None);
        assert_eq!(sum(1, 1, 1).quotient(0), None);
        assert_eq!(sum(1, 0, 0).expr(1), None);
    }
}
