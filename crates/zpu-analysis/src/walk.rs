//! The box of a tensor that each iteration of a loop touches.

use crate::access::Access;
use crate::linear::{Linear, Symbol};
use zpu_ir::{Op, Value};

/// A box in one dimension: iteration `k` touches indices from `stride * k + least` up to `stride * k + end`, the last
/// one excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Indices from one iteration to the next.
    pub stride: i64,
    /// First index of iteration 0.
    pub least: i64,
    /// Last index of iteration 0, excluded.
    pub end: i64,
}

impl Walk {
    /// Indices of one iteration.
    pub fn width(self) -> i64 {
        self.end.saturating_sub(self.least)
    }

    /// The least walk around both; none if they move at different speeds.
    pub fn around(self, other: Self) -> Option<Self> {
        (self.stride == other.stride).then(|| Self {
            stride: self.stride,
            least: self.least.min(other.least),
            end: self.end.max(other.end),
        })
    }
}

/// The walk of accesses to `tensor` over the iterations of a loop, one a dimension, around all of them. None if there
/// are none, or they are not linear in the iteration, of constant size and the same in each run of the loop.
pub fn walks<'c>(accesses: &[&Access<'c>], tensor: Value<'c>, loop_: Op<'c>) -> Option<Vec<Walk>> {
    let mut all: Option<Vec<Walk>> = None;
    for access in accesses {
        let region = &access.region;
        let extents = region.extents.as_ref().filter(|_| region.base == tensor)?;
        let walk = |offset: &Linear<'c>, span: i64| {
            let (rest, stride) = offset.split(Symbol::Iteration(loop_));
            let least = rest.as_constant()?;
            let end = least.checked_add(span)?;
            Some(Walk { stride, least, end })
        };
        let own: Vec<Walk> = extents
            .iter()
            .map(|extent| walk(extent.offset.as_linear()?, extent.span.as_ref()?.as_constant()?))
            .collect::<Option<_>>()?;
        all = Some(match all {
            None => own,
            Some(all) => all
                .into_iter()
                .zip(own)
                .map(|(one, other)| one.around(other))
                .collect::<Option<_>>()?,
        });
    }
    all
}

/// The only dimension that moves, and none if there are several or none.
pub fn moving(walks: &[Walk]) -> Option<usize> {
    let mut moving = (0..walks.len()).filter(|dim| walks[*dim].stride != 0);
    let dim = moving.next()?;
    (moving.next().is_none() && walks[dim].stride > 0).then_some(dim)
}

/// The greatest common divisor; that of a number and 0 is the number without its sign.
pub fn gcd(left: i64, right: i64) -> i64 {
    if right == 0 {
        left.abs()
    } else {
        gcd(right, left % right)
    }
}
