//! Two coarser views of orders and verdicts that others use: classes of compatibility, and a layout as a triple.
//!
//! Source of the words: US patents 12,105,630 and 11,237,971 (classes), 11,645,057 (layouts). Both lose information: a
//! class does not say how much a buffer holds, a triple does not say the sizes of tiles.

use std::fmt;

use serde::Serialize;

use crate::order::{Nest, Order};
use crate::verdict::Verdict;

/// Compatibility of a producer with a group of consumers that read alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The orders are equal: the tensor streams.
    Streaming,
    /// They are not: one buffer serves the whole group.
    Broadcast,
}

impl Class {
    /// The class of a verdict; an incompatible edge has none.
    pub fn of(verdict: Verdict) -> Option<Class> {
        match verdict {
            Verdict::Stream => Some(Class::Streaming),
            Verdict::Incompatible => None,
            _ => Some(Class::Broadcast),
        }
    }

    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Class::Streaming => "streaming compatible",
            Class::Broadcast => "broadcast compatible",
        }
    }
}

/// A layout as a vector dimension, the order of the vectors, and their alignment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LayoutTriple {
    /// The dimension that is spread over the lanes: of those along which the token has more than one element, the one
    /// that is fastest in it. Nothing for single elements.
    pub vector_dim: Option<usize>,
    /// Dimensions along which one vector follows the other, outermost loop first, and after them the lanes of the
    /// token, slowest first; of neighbours along the same dimension one. Repeats are left out. Nothing if the map is
    /// not linear, or a loop moves along several dimensions.
    pub order: Option<Vec<usize>>,
    /// A vector's start in memory is a multiple of so many elements.
    pub align: i64,
}

impl LayoutTriple {
    /// The triple of an order.
    pub fn of(order: &Order) -> LayoutTriple {
        let lanes = || {
            order
                .lanes
                .iter()
                .copied()
                .filter(|&dimension| order.token.get(dimension).is_some_and(|&n| n > 1))
        };
        LayoutTriple {
            vector_dim: lanes().next_back(),
            order: loop_dimensions(order).map(|loops| {
                let mut all: Vec<usize> = loops.into_iter().chain(lanes()).collect();
                all.dedup();
                all
            }),
            align: order.align,
        }
    }
}

/// The dimension along which each loop moves, outermost first.
fn loop_dimensions(order: &Order) -> Option<Vec<usize>> {
    let nest = Nest::of(order)?;
    let moved = nest.loops.iter().filter(|each| !each.is_repeat());
    let dimension = |each: &crate::order::Loop| {
        let mut steps = each.step.iter().enumerate().filter(|(_, step)| **step != 0);
        let (dimension, _) = steps.next()?;
        steps.next().is_none().then_some(dimension)
    };
    moved.map(dimension).collect()
}

impl fmt::Display for LayoutTriple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.vector_dim {
            Some(dimension) => write!(f, "vector dimension {dimension}")?,
            None => f.write_str("no vector dimension")?,
        }
        match &self.order {
            Some(order) => write!(f, ", ordering {order:?}")?,
            None => f.write_str(", no ordering")?,
        }
        write!(f, ", alignment {}", self.align)
    }
}
