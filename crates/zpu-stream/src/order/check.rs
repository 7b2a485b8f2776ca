//! Checks whether numbers can be an order on a tensor; each refusal names the value and its limit.

use thiserror::Error;

use super::{MapError, Order};

/// The most dimensions of a tensor.
pub const MAX_RANK: usize = 128;

/// The most loops of an order.
const MAX_LOOPS: usize = 4096;

/// The largest extent, trip count or coordinate. Sums of three of them fit in 64 bits.
pub const MAX_COORDINATE: i64 = 1 << 60;

/// Reasons why an order is none, or does not fit its tensor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderError {
    /// The map as a text is none.
    #[error("`map`: {0}")]
    Map(#[from] MapError),
    /// A list with too few or too many entries.
    #[error("`{list}` has {found} entries, must have {expected}: {reason}")]
    Length {
        /// Name of the list.
        list: &'static str,
        /// Number that it has.
        found: usize,
        /// Number that it must have.
        expected: usize,
        /// Reason for that number.
        reason: &'static str,
    },
    /// A number that is too small.
    #[error("`{list}` has {value} at {at}, must be at least {least}")]
    TooSmall {
        /// Name of the list.
        list: &'static str,
        /// Its place in the list.
        at: usize,
        /// The number.
        value: i64,
        /// The least allowed.
        least: i64,
    },
    /// A number that is too large.
    #[error("`{list}` has {value} at {at}, the limit is {limit}")]
    TooLarge {
        /// Name of the list.
        list: &'static str,
        /// Its place in the list.
        at: usize,
        /// The number.
        value: i64,
        /// The most allowed.
        limit: i64,
    },
    /// More entries than are handled.
    #[error("`{list}` has {found} entries, the limit is {limit}")]
    TooMany {
        /// Name of the list.
        list: &'static str,
        /// Number that it has.
        found: usize,
        /// The most allowed.
        limit: usize,
    },
    /// `lanes` does not have every dimension once.
    #[error("`lanes` is {0:?}, must have each dimension of the tensor once")]
    Lanes(Vec<usize>),
    /// The map refers to a loop that is not there.
    #[error("`map` refers to d{index}, there are {loops} loops")]
    NoLoop {
        /// The place of the loop.
        index: usize,
        /// Number of loops.
        loops: usize,
    },
    /// The map divides by zero or a negative number.
    #[error("`map` divides by {0}, a divisor must be at least 1")]
    Divisor(i64),
    /// A coordinate that is out of all bounds.
    #[error("`map` result {dimension} leaves the range of -{limit} to {limit}")]
    Coordinate {
        /// The dimension of the tensor.
        dimension: usize,
        /// The largest coordinate.
        limit: i64,
    },
    /// A product that does not fit.
    #[error("the product of `{0}` exceeds 2^126")]
    Product(&'static str),
}

/// Tells whether extents can be those of a tensor.
///
/// # Errors
///
/// The first extent that cannot be.
pub fn check_shape(shape: &[i64]) -> Result<(), OrderError> {
    if shape.len() > MAX_RANK {
        return Err(OrderError::TooMany {
            list: "tensor",
            found: shape.len(),
            limit: MAX_RANK,
        });
    }
    numbers("tensor", shape, 1)?;
    product("tensor", shape)
}

impl Order {
    /// Tells whether this can be an order on a tensor of a shape.
    ///
    /// # Errors
    ///
    /// The first number that cannot be.
    pub fn check(&self, shape: &[i64]) -> Result<(), OrderError> {
        if self.loops.len() > MAX_LOOPS {
            return Err(OrderError::TooMany {
                list: "loops",
                found: self.loops.len(),
                limit: MAX_LOOPS,
            });
        }
        numbers("loops", &self.loops, 1)?;
        product("loops", &self.loops)?;
        let rank = shape.len();
        let dimensions = "one for each dimension of the tensor";
        length("map", self.map.results.len(), rank, dimensions)?;
        length("token", self.token.len(), rank, dimensions)?;
        length("dilation", self.dilation.len(), rank, dimensions)?;
        numbers("token", &self.token, 1)?;
        product("token", &self.token)?;
        numbers("dilation", &self.dilation, 1)?;
        numbers("align", &[self.align], 1)?;
        let mut lanes = self.lanes.clone();
        lanes.sort_unstable();
        if lanes.into_iter().ne(0..rank) {
            return Err(OrderError::Lanes(self.lanes.clone()));
        }
        if self.map.inputs != self.loops.len() {
            return Err(OrderError::Length {
                list: "loops",
                found: self.loops.len(),
                expected: self.map.inputs,
                reason: "one for each index of the map",
            });
        }
        for (dimension, result) in self.map.results.iter().enumerate() {
            let facts = result.facts();
            if let Some(index) = facts.index.filter(|&index| index >= self.loops.len()) {
                let loops = self.loops.len();
                return Err(OrderError::NoLoop { index, loops });
            }
            if let Some(divisor) = facts.divisor.filter(|&divisor| divisor < 1) {
                return Err(OrderError::Divisor(divisor));
            }
            let reach = (self.token[dimension] - 1).checked_mul(self.dilation[dimension]);
            let inside = |value: i64| (-MAX_COORDINATE..=MAX_COORDINATE).contains(&value);
            let fits = match (result.range(&self.loops), reach) {
                (Some((low, high)), Some(reach)) => inside(low) && inside(high) && reach <= MAX_COORDINATE,
                _ => false,
            };
            if !fits {
                let limit = MAX_COORDINATE;
                return Err(OrderError::Coordinate { dimension, limit });
            }
        }
        Ok(())
    }
}

fn length(list: &'static str, found: usize, expected: usize, reason: &'static str) -> Result<(), OrderError> {
    if found == expected {
        return Ok(());
    }
    Err(OrderError::Length {
        list,
        found,
        expected,
        reason,
    })
}

fn numbers(list: &'static str, values: &[i64], least: i64) -> Result<(), OrderError> {
    for (at, &value) in values.iter().enumerate() {
        if value < least {
            return Err(OrderError::TooSmall { list, at, value, least });
        }
        if value > MAX_COORDINATE {
            let limit = MAX_COORDINATE;
            return Err(OrderError::TooLarge { list, at, value, limit });
        }
    }
    Ok(())
}

/// Counts of elements and events have room for two more bits than their product.
fn product(list: &'static str, values: &[i64]) -> Result<(), OrderError> {
    let product = values.iter().try_fold(1u128, |product, &value| {
        product.checked_mul(u128::try_from(value).ok()?)
    });
    match product {
        Some(product) if product <= 1 << 126 => Ok(()),
        _ => Err(OrderError::Product(list)),
    }
}
