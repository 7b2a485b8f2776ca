//! Index arithmetic of a nest: what a bound, a size or an offset is in one iteration.
//!
//! Invariant: an expression without a value (a quotient by zero, a number beyond 64 bits) is `None`, never a wrapped
//! number.

/// An index value of a nest: an induction variable, or one that a [`crate::Step::Set`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub usize);

/// A comparison of two numbers with sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

/// An index expression. A condition is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Constant(i64),
    /// A value of the nest.
    Value(ValueId),
    /// Sum.
    Add(Box<Expr>, Box<Expr>),
    /// Difference.
    Subtract(Box<Expr>, Box<Expr>),
    /// Product.
    Multiply(Box<Expr>, Box<Expr>),
    /// Quotient, rounded down.
    FloorDivide(Box<Expr>, Box<Expr>),
    /// Quotient, rounded up.
    CeilDivide(Box<Expr>, Box<Expr>),
    /// Non-negative remainder.
    Modulo(Box<Expr>, Box<Expr>),
    /// Smaller number.
    Minimum(Box<Expr>, Box<Expr>),
    /// Greater number.
    Maximum(Box<Expr>, Box<Expr>),
    /// Comparison.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// The second expression where the first one is not 0, else the third.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The number of the expression, `values` being those of the nest by [`ValueId`].
    pub fn evaluate(&self, values: &[i64]) -> Option<i64> {
        let number = |expr: &Expr| expr.evaluate(values);
        match self {
            Self::Constant(number) => Some(*number),
            Self::Value(ValueId(at)) => values.get(*at).copied(),
            Self::Add(left, right) => number(left)?.checked_add(number(right)?),
            Self::Subtract(left, right) => number(left)?.checked_sub(number(right)?),
            Self::Multiply(left, right) => number(left)?.checked_mul(number(right)?),
            Self::FloorDivide(left, right) => floor_divide(number(left)?, number(right)?),
            Self::CeilDivide(left, right) => {
                floor_divide(number(left)?.checked_neg()?, number(right)?).and_then(i64::checked_neg)
            }
            Self::Modulo(left, right) => match number(right)? {
                modulus @ 1.. => Some(number(left)?.rem_euclid(modulus)),
                _ => None,
            },
            Self::Minimum(left, right) => Some(number(left)?.min(number(right)?)),
            Self::Maximum(left, right) => Some(number(left)?.max(number(right)?)),
            Self::Compare(comparison, left, right) => {
                let (left, right) = (number(left)?, number(right)?);
                Some(i64::from(match comparison {
                    Comparison::Equal => left == right,
                    Comparison::NotEqual => left != right,
                    Comparison::Less => left < right,
                    Comparison::LessOrEqual => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::GreaterOrEqual => left >= right,
                }))
            }
            Self::Select(condition, then, otherwise) => match number(condition)? {
                0 => number(otherwise),
                _ => number(then),
            },
        }
    }

    /// True if a value of it is of some kind.
    pub(crate) fn any_value(&self, is: &impl Fn(ValueId) -> bool) -> bool {
        let mut any = false;
        self.clone().rename(&mut |value| {
            any |= is(value);
            value
        });
        any
    }

    /// The expression with other values in their places.
    pub(crate) fn renamed(&self, name: &impl Fn(ValueId) -> ValueId) -> Self {
        let mut renamed = self.clone();
        renamed.rename(&mut |value| name(value));
        renamed
    }

    fn rename(&mut self, name: &mut impl FnMut(ValueId) -> ValueId) {
        match self {
            Self::Value(value) => *value = name(*value),
            Self::Constant(_) => {}
            Self::Add(left, right)
            | Self::Subtract(left, right)
            | Self::Multiply(left, right)
            | Self::FloorDivide(left, right)
            | Self::CeilDivide(left, right)
            | Self::Modulo(left, right)
            | Self::Minimum(left, right)
            | Self::Maximum(left, right)
            | Self::Compare(_, left, right) => {
                left.rename(name);
                right.rename(name);
            }
            Self::Select(condition, then, otherwise) => {
                condition.rename(name);
                then.rename(name);
                otherwise.rename(name);
            }
        }
    }
}

fn floor_divide(left: i64, right: i64) -> Option<i64> {
    match right {
        1.. => Some(left.div_euclid(right)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Expr, ValueId};

    fn binary(make: fn(Box<Expr>, Box<Expr>) -> Expr, left: i64, right: i64) -> Option<i64> {
        make(Expr::Constant(left).into(), Expr::Constant(right).into()).evaluate(&[])
    }

    #[test]
    fn quotients_round_as_affine_maps_do() {
        assert_eq!(binary(Expr::FloorDivide, -7, 4), Some(-2));
        assert_eq!(binary(Expr::CeilDivide, -7, 4), Some(-1));
        assert_eq!(binary(Expr::CeilDivide, 7, 4), Some(2));
        assert_eq!(binary(Expr::Modulo, -7, 4), Some(1));
    }

    #[test]
    fn what_has_no_value_is_none() {
        assert_eq!(binary(Expr::FloorDivide, 1, 0), None);
        assert_eq!(binary(Expr::Modulo, 1, 0), None);
        assert_eq!(binary(Expr::Add, i64::MAX, 1), None);
        assert_eq!(Expr::Value(ValueId(3)).evaluate(&[1, 2]), None);
    }

    #[test]
    fn a_condition_selects() {
        let less = Expr::Compare(
            Comparison::Less,
            Expr::Value(ValueId(0)).into(),
            Expr::Constant(3).into(),
        );
        let select = Expr::Select(less.into(), Expr::Constant(10).into(), Expr::Constant(20).into());
        assert_eq!(select.evaluate(&[2]), Some(10));
        assert_eq!(select.evaluate(&[3]), Some(20));
    }
}
