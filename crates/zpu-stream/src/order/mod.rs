//! Access orders: in which order one side of an edge touches the elements of a tensor, token by token.
//!
//! Invariant: an order that [`Order::check`] accepts has only events whose coordinates fit in 62 bits, so that no
//! later arithmetic on them overflows.

mod affine;
mod check;
mod events;
mod nest;
mod parse;

pub use affine::{Expr, Map};
pub use check::{MAX_COORDINATE, MAX_RANK, OrderError, check_shape};
pub use events::{Event, EventsError, events};
pub use nest::{Loop, Nest};
pub use parse::MapError;

/// The order in which a producer writes, or a consumer reads, the elements of a tensor.
///
/// A nest of loops runs through all its indices; each iteration is one **event**, which touches one token: the box of
/// `token` elements from `map(indices)` on, `dilation` apart, clipped to the tensor. Loops that do not occur in the map
/// repeat what is inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Trip counts, outermost first; each is at least 1.
    pub loops: Vec<i64>,
    /// From loop indices, which count from 0, to the token's first element.
    pub map: Map,
    /// Elements of a token along each dimension of the tensor.
    pub token: Vec<i64>,
    /// Distance of neighbouring elements of a token along each dimension; 1 is dense.
    pub dilation: Vec<i64>,
    /// Dimensions in the order in which a token's elements follow each other, slowest first.
    pub lanes: Vec<usize>,
    /// A token's start in memory is a multiple of so many elements. It rounds up buffers and plays no part in
    /// verdicts.
    pub align: i64,
}

impl Order {
    /// The order with dense tokens whose last dimension is the fastest, and any alignment.
    pub fn new(loops: Vec<i64>, map: Map, token: Vec<i64>) -> Order {
        let rank = token.len();
        Order {
            loops,
            map,
            token,
            dilation: vec![1; rank],
            lanes: (0..rank).collect(),
            align: 1,
        }
    }

    /// Row-major order of single elements.
    pub fn rows(shape: &[i64]) -> Order {
        Order::new(shape.to_vec(), Map::identity(shape.len()), vec![1; shape.len()])
    }

    /// The order with other lanes.
    #[must_use]
    pub fn with_lanes(self, lanes: Vec<usize>) -> Order {
        Order { lanes, ..self }
    }

    /// The order with other dilations.
    #[must_use]
    pub fn with_dilation(self, dilation: Vec<i64>) -> Order {
        Order { dilation, ..self }
    }

    /// The order with another alignment.
    #[must_use]
    pub fn with_align(self, align: i64) -> Order {
        Order { align, ..self }
    }

    /// Number of events; nothing if it does not fit.
    pub fn event_count(&self) -> Option<u128> {
        self.loops
            .iter()
            .try_fold(1u128, |product, &trip| product.checked_mul(u128::try_from(trip).ok()?))
    }
}
