//! What a piece of work costs on an engine. Pure functions of the device and the shapes; everything that plans or simulates
//! asks here and nowhere else.

use std::collections::BTreeMap;

use crate::{Device, Engine};

/// An element type, as far as costs and layouts care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// IEEE half.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// Integer of that many bits (1..=64).
    Int(u8),
    /// `index`, 64 bits.
    Index,
}

/// What a vector command does once per element of its iteration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorOp {
    /// Add, subtract, compare, select, min, max, cast and other cheap operations.
    Arith,
    /// Multiplication.
    Mul,
    /// Division, remainder, square root, reciprocal square root.
    Div,
    /// Exponential, logarithm, power, trigonometric functions and the like.
    Exp,
    /// Accumulation of a sum over a reduction dimension.
    ReduceSum,
    /// Accumulation of anything else over a reduction dimension.
    ReduceOther,
}

/// A piece of work, by what decides its cost.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// A transfer of `rows` contiguous pieces of `row_bytes` bytes each, between two spaces.
    Transfer {
        /// Source space.
        from: String,
        /// Destination space.
        to: String,
        /// Contiguous pieces of the more fragmented side.
        rows: u64,
        /// Bytes of each.
        row_bytes: u64,
    },
    /// `batch` products of an m x k with a k x n matrix.
    Matmul {
        /// Number of independent products.
        batch: u64,
        /// Rows of the result.
        m: u64,
        /// Columns of the result.
        n: u64,
        /// Length of the contraction.
        k: u64,
        /// Element type of the operands.
        element: ElementType,
        /// Element type of the accumulator.
        accumulator: ElementType,
    },
    /// An elementwise operation or a reduction over `elements` points.
    Vector {
        /// Points of the iteration space.
        elements: u64,
        /// Widest element type among the operands.
        element: ElementType,
        /// Distinct shaped operands read per point.
        loads: u64,
        /// Results stored per point.
        stores: u64,
        /// How often each operation occurs per point.
        ops: BTreeMap<VectorOp, u64>,
    },
}

/// Cycles of one command on one engine, with nobody else on the shared links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Cycles from the start until the engine transfers or computes; overlaps with the previous command of the engine.
    pub latency: u64,
    /// Cycles that the engine is taken.
    pub occupancy: u64,
    /// Of the occupancy, the cycles that stretch when a shared link is crowded.
    pub shareable: u64,
}

impl Cost {
    /// Cycles from start to completion.
    pub fn total(self) -> u64 {
        self.latency.saturating_add(self.occupancy)
    }
}

/// Why a piece of work has no cost on an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    /// A DMA engine without that route.
    #[error("engine `{engine}` has no route from `{from}` to `{to}`; it serves {known}")]
    NoRoute {
        /// The engine.
        engine: String,
        /// Source space.
        from: String,
        /// Destination space.
        to: String,
        /// The routes it does serve.
        known: String,
    },
    /// Work of another kind.
    #[error("engine `{engine}` is a {kind} engine and cannot do {work}")]
    WrongKind {
        /// The engine.
        engine: String,
        /// Its kind.
        kind: String,
        /// The work, in words.
        work: String,
    },
}

impl Device {
    /// Cycles of `work` on `engine`. Saturates instead of overflowing.
    pub fn cost(&self, engine: &Engine, work: &Work) -> Result<Cost, CostError> {
        let _ = (engine, work);
        todo!()
    }
}
