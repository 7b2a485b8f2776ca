//! The normal form of an order whose map is linear: loops that each move the token by a vector.
//!
//! Unit loops are gone, strip-mined loops are merged, divisions and remainders of flat loops are loops of their own.
//! Invariant: a nest has the same events as its order, with the same numbers; two nests have the same sequence of
//! origins exactly if they are equal.

use super::affine::Expr;
use super::check::MAX_COORDINATE;
use super::{Map, Order};

/// Number of loops that the splitting of flat loops may make before it is given up.
const MAX_SPLITS: usize = 256;

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Iterations, at least 2.
    pub trip: i64,
    /// By how much an iteration moves the token, along each dimension; all 0 if it repeats.
    pub step: Vec<i64>,
}

impl Loop {
    /// Tells whether each iteration touches what the one before it did.
    pub fn is_repeat(&self) -> bool {
        self.step.iter().all(|&step| step == 0)
    }
}

/// Loops, outermost first, and where the first event is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// The loops.
    pub loops: Vec<Loop>,
    /// Origin of the first event.
    pub base: Vec<i64>,
}

impl Nest {
    /// The normal form of an order; nothing if its map divides in a way that is no digit of its loops.
    pub fn of(order: &Order) -> Option<Nest> {
        let mut trips = order.loops.clone();
        let mut map = order.map.clone();
        for _ in 0..MAX_SPLITS {
            match linear(&map, &trips) {
                Ok(rows) => return Some(normal(&trips, &rows)),
                Err(None) => return None,
                Err(Some(split)) => (trips, map) = split.apply(&trips, &map)?,
            }
        }
        None
    }

    /// The nest without loops that repeat what is inside: the last pass of each is the one whose writes remain, and it
    /// is in the same order.
    #[must_use]
    pub fn without_repeats(&self) -> Nest {
        let loops = self.loops.iter().filter(|each| !each.is_repeat()).cloned();
        Nest {
            loops: merged(loops),
            base: self.base.clone(),
        }
    }

    /// Least and greatest origin along a dimension.
    pub fn range(&self, dimension: usize) -> (i64, i64) {
        let base = self.base[dimension];
        self.loops.iter().fold((base, base), |(low, high), each| {
            let reach = each.step[dimension].saturating_mul(each.trip - 1);
            (low.saturating_add(reach.min(0)), high.saturating_add(reach.max(0)))
        })
    }
}

/// A linear form: coefficients of indices, and a constant.
#[derive(Clone)]
struct Row {
    factors: Vec<i64>,
    constant: i64,
}

/// A loop to be split into two, the inner one of so many iterations.
struct Split {
    index: usize,
    inner: i64,
}

impl Split {
    fn apply(&self, trips: &[i64], map: &Map) -> Option<(Vec<i64>, Map)> {
        let trip = trips[self.index];
        if self.inner <= 1 || self.inner >= trip || trip % self.inner != 0 {
            return None;
        }
        let mut split = trips.to_vec();
        split.splice(self.index..=self.index, [trip / self.inner, self.inner]);
        let results = map.results.iter().map(|result| self.rewritten(result)).collect();
        let inputs = map.inputs + 1;
        Some((split, Map { inputs, results }))
    }

    fn rewritten(&self, expr: &Expr) -> Expr {
        let inner = |inner: &Expr| Box::new(self.rewritten(inner));
        match expr {
            Expr::Constant(_) => expr.clone(),
            Expr::Index(at) if *at == self.index => {
                Expr::Sum(vec![Expr::Index(*at).scaled(self.inner), Expr::Index(at + 1)])
            }
            Expr::Index(at) => Expr::Index(at + usize::from(*at > self.index)),
            Expr::Sum(terms) => Expr::Sum(terms.iter().map(|term| self.rewritten(term)).collect()),
            Expr::Scaled(expr, factor) => Expr::Scaled(inner(expr), *factor),
            Expr::FloorDiv(expr, by) => Expr::FloorDiv(inner(expr), *by),
            Expr::Mod(expr, by) => Expr::Mod(inner(expr), *by),
        }
    }
}

fn linear(map: &Map, trips: &[i64]) -> Result<Vec<Row>, Option<Split>> {
    map.results.iter().map(|result| row(result, trips)).collect()
}

/// The linear form of an expression; or the split that it takes, if one helps.
fn row(expr: &Expr, trips: &[i64]) -> Result<Row, Option<Split>> {
    let zero = Row {
        factors: vec![0; trips.len()],
        constant: 0,
    };
    match expr {
        Expr::Constant(value) => Ok(Row {
            constant: *value,
            ..zero
        }),
        Expr::Index(at) => {
            let mut row = zero;
            // The index of a unit loop is 0.
            *row.factors.get_mut(*at).ok_or(None)? = i64::from(trips[*at] > 1);
            Ok(row)
        }
        Expr::Sum(terms) => terms.iter().try_fold(zero, |sum, term| {
            let term = row(term, trips)?;
            combine(&sum, &term, |a, b| a.checked_add(b)).ok_or(None)
        }),
        Expr::Scaled(inner, factor) => {
            let inner = row(inner, trips)?;
            combine(&inner, &inner, |a, _| a.checked_mul(*factor)).ok_or(None)
        }
        Expr::FloorDiv(inner, by) => divided(&row(inner, trips)?, *by, trips).map(|(quotient, _)| quotient),
        Expr::Mod(inner, by) => divided(&row(inner, trips)?, *by, trips).map(|(_, remainder)| remainder),
    }
}

fn combine(one: &Row, other: &Row, with: impl Fn(i64, i64) -> Option<i64>) -> Option<Row> {
    let fits = |value: i64| (-MAX_COORDINATE..=MAX_COORDINATE).contains(&value).then_some(value);
    let factors = one.factors.iter().zip(&other.factors);
    Some(Row {
        factors: factors
            .map(|(&a, &b)| with(a, b).and_then(fits))
            .collect::<Option<_>>()?,
        constant: with(one.constant, other.constant).and_then(fits)?,
    })
}

/// Quotient and remainder of a linear form, where they are linear too: all terms that the divisor does not divide
/// stay together within one multiple of it.
fn divided(row: &Row, by: i64, trips: &[i64]) -> Result<(Row, Row), Option<Split>> {
    let (mut quotient, mut remainder) = (row.clone(), row.clone());
    quotient.constant = row.constant.div_euclid(by);
    remainder.constant = row.constant.rem_euclid(by);
    let (mut low, mut high) = (i128::from(remainder.constant), i128::from(remainder.constant));
    for (at, &factor) in row.factors.iter().enumerate() {
        if factor % by == 0 {
            quotient.factors[at] = factor / by;
            remainder.factors[at] = 0;
        } else {
            quotient.factors[at] = 0;
            let reach = i128::from(factor) * i128::from(trips[at] - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
    }
    if low >= 0 && high < i128::from(by) {
        return Ok((quotient, remainder));
    }
    // A loop whose steps reach over a multiple of the divisor and meet it: its inner part may stay below it.
    let candidates = remainder.factors.iter().enumerate();
    let mut candidates = candidates.filter(|(at, factor)| {
        **factor > 0 && by % **factor == 0 && by / **factor < trips[*at] && trips[*at] % (by / **factor) == 0
    });
    Err(candidates.next().map(|(index, factor)| Split {
        index,
        inner: by / factor,
    }))
}

fn normal(trips: &[i64], rows: &[Row]) -> Nest {
    let loops = trips.iter().enumerate().filter(|(_, trip)| **trip > 1);
    let loops = loops.map(|(at, &trip)| Loop {
        trip,
        step: rows.iter().map(|row| row.factors[at]).collect(),
    });
    Nest {
        loops: merged(loops),
        base: rows.iter().map(|row| row.constant).collect(),
    }
}

/// Joins neighbours of which the outer one goes on where the inner one ends.
fn merged(loops: impl Iterator<Item = Loop>) -> Vec<Loop> {
    let mut all: Vec<Loop> = Vec::new();
    for mut next in loops {
        if let Some(outer) = all.last() {
            let goes_on = |(outer, inner): (&i64, &i64)| inner.checked_mul(next.trip) == Some(*outer);
            let trip = outer.trip.checked_mul(next.trip).filter(|&trip| trip <= MAX_COORDINATE);
            if let Some(trip) = trip.filter(|_| outer.step.iter().zip(&next.step).all(goes_on)) {
                next.trip = trip;
                all.pop();
            }
        }
        all.push(next);
    }
    all
}
