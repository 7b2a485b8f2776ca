//! The largest boxes of which all tokens of all sides consist: a tensor in units of them is smaller.

use super::walk::{Side, Walk};
use crate::order::Expr;

/// A tensor in units.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// Elements of a unit along each dimension.
    pub(crate) unit: Vec<i64>,
    /// Units along each dimension.
    pub(crate) extents: Vec<i64>,
}

impl Grid {
    /// The grid on which all origins, tokens and the tensor's borders lie.
    pub(crate) fn of(shape: &[i64], sides: &[&Side<'_>]) -> Grid {
        let unit: Vec<i64> = (0..shape.len())
            .map(|dimension| {
                let sides = sides.iter().map(|side| side_unit(side, dimension));
                sides.fold(shape[dimension], gcd)
            })
            .collect();
        let extents = shape.iter().zip(&unit).map(|(extent, unit)| extent / unit).collect();
        Grid { unit, extents }
    }

    /// Number of units; the largest number if it does not fit.
    pub(crate) fn units(&self) -> u128 {
        volume(&self.extents)
    }

    /// Elements of a unit.
    pub(crate) fn unit_volume(&self) -> u128 {
        volume(&self.unit)
    }

    /// Distance of neighbours along each dimension, in units, the last dimension being the fastest.
    pub(crate) fn strides(&self) -> Vec<i64> {
        let mut strides = vec![1; self.extents.len()];
        for dimension in (1..self.extents.len()).rev() {
            strides[dimension - 1] = strides[dimension] * self.extents[dimension];
        }
        strides
    }

    /// The number of the unit at coordinates, or the difference of such numbers for a step.
    pub(crate) fn linear(&self, x: &[i64]) -> i64 {
        let all = x.iter().zip(&self.unit).zip(self.strides());
        all.map(|((x, unit), stride)| x / unit * stride).sum()
    }

    /// Coordinates of a unit, in units.
    pub(crate) fn coordinates(&self, unit: u32, into: &mut [i64]) {
        // Divisions of 32 bits, as far as units can be counted by them.
        let mut rest = unit;
        for (coordinate, &extent) in into.iter_mut().zip(&self.extents).rev() {
            *coordinate = i64::from(rest % extent as u32);
            rest /= extent as u32;
        }
    }

    /// Accesses of a side in units, at the most; the largest number if it does not fit.
    pub(crate) fn accesses(&self, side: &Side<'_>) -> u128 {
        let tokens = side.token.iter().zip(&self.unit).zip(&self.extents);
        // No more of a token than the tensor has is touched.
        let touched = tokens.map(|((token, unit), &extent)| (token / unit).min(extent));
        touched.fold(side.walk.events(), |product, n| {
            product.saturating_mul(n.unsigned_abs().into())
        })
    }
}

fn volume(extents: &[i64]) -> u128 {
    extents
        .iter()
        .fold(1u128, |product, &n| product.saturating_mul(n.unsigned_abs().into()))
}

fn side_unit(side: &Side<'_>, dimension: usize) -> i64 {
    let token = match (side.token[dimension], side.dilation[dimension]) {
        (token, 1) => token,
        _ => 1,
    };
    let origins = match &side.walk {
        Walk::Nest(nest) => nest
            .loops
            .iter()
            .map(|each| each.step[dimension])
            .fold(nest.base[dimension], gcd),
        Walk::Map(order) => divisor(&order.map.results[dimension]),
    };
    gcd(token, origins)
}

/// A number that divides all values of an expression; 0 if it is always 0.
fn divisor(expr: &Expr) -> i64 {
    match expr {
        Expr::Constant(value) => *value,
        Expr::Index(_) => 1,
        Expr::Sum(terms) => terms.iter().map(divisor).fold(0, gcd),
        Expr::Scaled(inner, factor) => divisor(inner).checked_mul(*factor).unwrap_or(1),
        Expr::Mod(inner, by) => gcd(divisor(inner), *by),
        Expr::FloorDiv(inner, by) => match divisor(inner) {
            of if of % by == 0 => of / by,
            _ => 1,
        },
    }
}

/// The greatest common divisor; of 0 and a number that number.
pub(crate) fn gcd(one: i64, other: i64) -> i64 {
    let (mut a, mut b) = (one.unsigned_abs(), other.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Coordinates are far below the largest number.
    i64::try_from(a).unwrap_or(1)
}
