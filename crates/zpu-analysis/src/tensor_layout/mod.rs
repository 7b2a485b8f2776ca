//! Layouts in which structured operations on tensors can read their operands and write their results.
//!
//! A layout is the order of a tensor's dimensions in memory. [`Form::of`] reads an operation, or says why it keeps the
//! order of its types; [`Form::alternatives`] is the table: all ways to carry the operation out that make use of orders
//! which are around. [`relabelling`] finds operations that only move elements. Invariant: in every alternative each
//! element of the result is computed from the same elements by the same steps in the same order.

mod form;
mod relabel;
mod table;

use zpu_ir::{Op, Value};

pub use relabel::relabelling;

/// Dimensions of a tensor, or loops of an operation, outermost first.
pub type Order = Vec<usize>;

/// A structured operation on tensors of static shapes with one result.
#[derive(Clone, Debug)]
pub struct Form<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// The row of the table that it is in.
    pub kind: Kind,
    /// The part of the operation that says how operands are read.
    pub spelling: Spelling,
    /// For each loop, whether its iterations have to stay in their order: that of a reduction.
    pub is_ordered: Vec<bool>,
    /// Its tensors, in the order of the operands. The last one is the output, in whose order the result is written.
    pub accesses: Vec<Access<'c>>,
    /// Bytes of its result.
    pub bytes: u64,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Elementwise: every order, the same for all tensors.
    Elementwise,
    /// Reductions, broadcasts and the like: every order of the loops that keeps those that are reduced in their order;
    /// the loops say the order of each tensor.
    Loops,
    /// Matrix products: each factor has an order of its own but for the dimensions that all three have; the result
    /// keeps its order.
    Product,
}

/// The part of an operation that says how operands are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// The types alone: all maps are identities, and will be.
    Types,
    /// The attribute `indexing_maps`, for loops that stay.
    Maps,
    /// The attributes `indexing_maps` and `iterator_types`, and `linalg.index` inside.
    Generic,
    /// The attribute `dimensions`: those of the input that are reduced.
    Reduce,
    /// The attribute `dimensions`: those of the result that are new.
    Broadcast,
}

/// A tensor that an operation uses.
#[derive(Clone, Debug)]
pub struct Access<'c> {
    /// Place among the operands.
    pub operand: usize,
    /// The tensor.
    pub value: Value<'c>,
    /// The loop that goes along each of its dimensions.
    pub loops: Vec<usize>,
    /// The use.
    pub role: Role,
}

/// The use of a tensor by an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its elements are read.
    Input,
    /// An output whose elements are read before they are written: the result begins with them.
    Accumulator,
    /// An output of which only the shape matters.
    Destination,
}

/// One way to carry out an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The loops.
    pub loops: Order,
    /// The order of each tensor, by its place in [`Form::accesses`]; the last one is that of the result as well.
    pub orders: Vec<Order>,
}

/// The reason why an operation keeps the order of its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// A name for programs.
    pub reason: &'static str,
    /// A text for people.
    pub message: &'static str,
}

impl Alternative {
    /// The order of the result.
    pub fn result(&self) -> &Order {
        // Every form has an output.
        &self.orders[self.orders.len() - 1]
    }

    /// True if all tensors have the order of their types, and the loops are as they are written.
    pub fn is_as_written(&self) -> bool {
        let is_sorted = |order: &Order| order.is_sorted();
        is_sorted(&self.loops) && self.orders.iter().all(is_sorted)
    }
}
