//! Answer for an edge: a verdict, and how much has to be stored.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::fork::ConsumerId;

/// Kinds of edges between a producer and a consumer, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Equal tokens in equal order: a FIFO.
    Stream,
    /// Equal tokens with their elements in another order: a FIFO and a shuffle.
    LanePermute,
    /// Equal tokens, each read several times in a row: a FIFO and a register.
    Hold,
    /// Equal order in tokens of another width, or with gaps: a gearbox.
    Repack,
    /// Elements can be released in the order in which they were written: a ring, or a resident operand.
    Window,
    /// Another order within blocks that follow each other: two blocks in turn.
    ReorderBlock,
    /// Another order of the whole tensor.
    ReorderFull,
    /// Something is read that is never written, or never comes to be read.
    Incompatible,
}

impl Verdict {
    /// All of them, the cheapest first.
    pub const ALL: [Verdict; 8] = [
        Verdict::Stream,
        Verdict::LanePermute,
        Verdict::Hold,
        Verdict::Repack,
        Verdict::Window,
        Verdict::ReorderBlock,
        Verdict::ReorderFull,
        Verdict::Incompatible,
    ];

    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Stream => "STREAM",
            Verdict::LanePermute => "LANE_PERMUTE",
            Verdict::Hold => "HOLD",
            Verdict::Repack => "REPACK",
            Verdict::Window => "WINDOW",
            Verdict::ReorderBlock => "REORDER_BLOCK",
            Verdict::ReorderFull => "REORDER_FULL",
            Verdict::Incompatible => "INCOMPATIBLE",
        }
    }

    /// Tells whether elements arrive in the order in which they are needed, so that no buffer has addresses.
    pub fn is_in_order(self) -> bool {
        self <= Verdict::Repack
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Sizes of a buffer, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The smallest capacity that is free of deadlock, whatever the speeds, if each element is released after its last
    /// reader. The token that is being written counts.
    pub min_capacity: u128,
    /// The most that is held after the consumers have read all they can.
    pub retained: u128,
    /// The length of a ring whose slots are released in the order in which they were written.
    pub circular_span: u128,
    /// Number of equal blocks into which the writes fall such that nothing is held from one to the next.
    pub epochs: u128,
    /// Elements of such a block along each dimension; a comb if they are not neighbours.
    pub block_shape: Vec<i64>,
    /// Moduli of the coordinates by which elements are stored in place, of the least product.
    pub modulo_shape: Vec<i64>,
    /// Tells whether `min_capacity`, `retained` and `circular_span` are exact; otherwise they are upper bounds.
    pub is_exact: bool,
    /// Tells whether no moduli with a smaller product do; otherwise these do, and smaller ones may.
    pub is_modulo_exact: bool,
}

/// Reasons why a consumer can never read all it wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It reads an element that the producer does not write.
    NeverWritten(Vec<i64>),
    /// None of its events touches the tensor.
    NeverTouches,
    /// Its gate waits for itself.
    WaitsForItself,
    /// Its gate waits for a consumer that never reads all it wants.
    WaitsFor(ConsumerId),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NeverWritten(element) => write!(f, "reads element {element:?}, which is never written"),
            Reason::NeverTouches => f.write_str("no token touches the tensor"),
            Reason::WaitsForItself => f.write_str("waits by its gate for itself"),
            Reason::WaitsFor(id) => write!(f, "waits by its gate for consumer {}, which is INCOMPATIBLE", id.0),
        }
    }
}

/// Methods that decide an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Verdict, blocks and sizes by formulas.
    Formula,
    /// Formulas but for the moduli, which are by a sweep over one block.
    BlockSweep,
    /// Everything by a sweep over all accesses.
    Sweep,
    /// Only that it fits in the whole tensor.
    Bound,
}

/// Answer for one consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Kind of the edge.
    pub verdict: Verdict,
    /// The largest number of the consumer's events that read one element; nothing if it is not known.
    pub multiplicity: Option<u128>,
    /// Elements that are written and never read; nothing if it is not known.
    pub dropped: Option<u128>,
    /// Sizes; nothing if it is incompatible.
    pub sizes: Option<Sizes>,
    /// Reason, if it is incompatible.
    pub reason: Option<Reason>,
    /// Method that decided it.
    pub method: Method,
}

impl Edge {
    /// A consumer that never reads all it wants.
    pub(crate) fn incompatible(reason: Reason, method: Method) -> Edge {
        Edge {
            verdict: Verdict::Incompatible,
            multiplicity: None,
            dropped: None,
            sizes: None,
            reason: Some(reason),
            method,
        }
    }
}
