//! Affine maps from loop indices to coordinates, with division and remainder by constants.

use std::fmt;

/// An integer expression of loop indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Constant(i64),
    /// The index of a loop, by its place.
    Index(usize),
    /// A sum of all terms.
    Sum(Vec<Expr>),
    /// A multiple.
    Scaled(Box<Expr>, i64),
    /// The quotient by a positive number, rounded towards minus infinity.
    FloorDiv(Box<Expr>, i64),
    /// The remainder of that quotient, never negative.
    Mod(Box<Expr>, i64),
}

/// One expression for each dimension of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Number of loop indices.
    pub inputs: usize,
    /// A coordinate each.
    pub results: Vec<Expr>,
}

impl Map {
    /// `(d0, d1, ...) -> (d0, d1, ...)`.
    pub fn identity(rank: usize) -> Map {
        Map {
            inputs: rank,
            results: (0..rank).map(Expr::Index).collect(),
        }
    }

    /// The linear map with a row of coefficients and a constant for each result.
    pub fn linear(inputs: usize, rows: &[(Vec<i64>, i64)]) -> Map {
        let result = |(coefficients, constant): &(Vec<i64>, i64)| {
            let terms = coefficients.iter().enumerate().filter(|(_, factor)| **factor != 0);
            let mut terms: Vec<Expr> = terms.map(|(at, &factor)| Expr::Index(at).scaled(factor)).collect();
            if *constant != 0 || terms.is_empty() {
                terms.push(Expr::Constant(*constant));
            }
            Expr::sum(terms)
        };
        Map {
            inputs,
            results: rows.iter().map(result).collect(),
        }
    }

    /// Coordinates for indices; nothing if there are too few of them or a number does not fit.
    pub fn evaluate(&self, indices: &[i64]) -> Option<Vec<i64>> {
        self.results.iter().map(|result| result.evaluate(indices)).collect()
    }
}

impl Expr {
    /// The sum of terms, of one just that one.
    pub fn sum(mut terms: Vec<Expr>) -> Expr {
        match terms.len() {
            1 => terms.swap_remove(0),
            _ => Expr::Sum(terms),
        }
    }

    /// A multiple, of 1 just the expression.
    #[must_use]
    pub fn scaled(self, factor: i64) -> Expr {
        match factor {
            1 => self,
            _ => Expr::Scaled(Box::new(self), factor),
        }
    }

    /// The value for indices; nothing if there are too few of them, a divisor is not positive, or it does not fit.
    pub fn evaluate(&self, indices: &[i64]) -> Option<i64> {
        match self {
            Expr::Constant(value) => Some(*value),
            Expr::Index(at) => indices.get(*at).copied(),
            Expr::Sum(terms) => terms
                .iter()
                .try_fold(0i64, |sum, term| sum.checked_add(term.evaluate(indices)?)),
            Expr::Scaled(inner, factor) => inner.evaluate(indices)?.checked_mul(*factor),
            Expr::FloorDiv(inner, by) if *by > 0 => Some(inner.evaluate(indices)?.div_euclid(*by)),
            Expr::Mod(inner, by) if *by > 0 => Some(inner.evaluate(indices)?.rem_euclid(*by)),
            Expr::FloorDiv(..) | Expr::Mod(..) => None,
        }
    }

    /// Bounds of the value where index i is in `0..trips[i]`; nothing under the conditions of [`Expr::evaluate`], or
    /// if a bound of a part does not fit.
    pub fn range(&self, trips: &[i64]) -> Option<(i64, i64)> {
        match self {
            Expr::Constant(value) => Some((*value, *value)),
            Expr::Index(at) => Some((0, trips.get(*at)?.checked_sub(1)?)),
            Expr::Sum(terms) => terms.iter().try_fold((0i64, 0i64), |(low, high), term| {
                let (from, to) = term.range(trips)?;
                Some((low.checked_add(from)?, high.checked_add(to)?))
            }),
            Expr::Scaled(inner, factor) => {
                let (low, high) = inner.range(trips)?;
                let (one, other) = (low.checked_mul(*factor)?, high.checked_mul(*factor)?);
                Some((one.min(other), one.max(other)))
            }
            Expr::FloorDiv(inner, by) if *by > 0 => {
                let (low, high) = inner.range(trips)?;
                Some((low.div_euclid(*by), high.div_euclid(*by)))
            }
            Expr::Mod(inner, by) if *by > 0 => {
                let (low, high) = inner.range(trips)?;
                let within = low.div_euclid(*by) == high.div_euclid(*by);
                Some(if within {
                    (low.rem_euclid(*by), high.rem_euclid(*by))
                } else {
                    (0, by - 1)
                })
            }
            Expr::FloorDiv(..) | Expr::Mod(..) => None,
        }
    }

    /// The largest place of an index and the smallest divisor in it.
    pub(super) fn facts(&self) -> ExprFacts {
        match self {
            Expr::Constant(_) => ExprFacts::default(),
            Expr::Index(at) => ExprFacts {
                index: Some(*at),
                ..ExprFacts::default()
            },
            Expr::Sum(terms) => terms
                .iter()
                .map(Expr::facts)
                .fold(ExprFacts::default(), ExprFacts::join),
            Expr::Scaled(inner, _) => inner.facts(),
            Expr::FloorDiv(inner, by) | Expr::Mod(inner, by) => inner.facts().join(ExprFacts {
                index: None,
                divisor: Some(*by),
            }),
        }
    }
}

/// Places and divisors in an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExprFacts {
    /// The largest place of an index.
    pub(super) index: Option<usize>,
    /// The least divisor.
    pub(super) divisor: Option<i64>,
}

impl ExprFacts {
    fn join(self, other: ExprFacts) -> ExprFacts {
        ExprFacts {
            index: self.index.max(other.index),
            divisor: match (self.divisor, other.divisor) {
                (Some(one), Some(another)) => Some(one.min(another)),
                (one, another) => one.or(another),
            },
        }
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<String> = (0..self.inputs).map(|at| format!("d{at}")).collect();
        let results: Vec<String> = self.results.iter().map(ToString::to_string).collect();
        write!(f, "({}) -> ({})", inputs.join(", "), results.join(", "))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |expr: &Expr| match expr {
            Expr::Constant(value) if *value >= 0 => value.to_string(),
            Expr::Index(at) => format!("d{at}"),
            _ => format!("({expr})"),
        };
        match self {
            Expr::Constant(value) => write!(f, "{value}"),
            Expr::Index(at) => write!(f, "d{at}"),
            Expr::Sum(terms) if terms.is_empty() => f.write_str("0"),
            Expr::Sum(terms) => {
                for (at, term) in terms.iter().enumerate() {
                    match term {
                        Expr::Sum(_) => write!(f, "{}({term})", if at > 0 { " + " } else { "" })?,
                        _ => write!(f, "{}{term}", if at > 0 { " + " } else { "" })?,
                    }
                }
                Ok(())
            }
            Expr::Scaled(expr, factor) => write!(f, "{} * {factor}", inner(expr)),
            Expr::FloorDiv(expr, by) => write!(f, "{} floordiv {by}", inner(expr)),
            Expr::Mod(expr, by) => write!(f, "{} mod {by}", inner(expr)),
        }
    }
}
