//! Costs of work on engines: pure functions of the device and the shapes. All planning and simulation takes its costs
//! from here.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Device, DmaCost, Engine, EngineCost, Route, TensorCost, VectorCost};

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

/// An operation that a vector command does once per element of its iteration space.
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
        /// The number of times that each operation occurs per point.
        ops: BTreeMap<VectorOp, u64>,
    },
}

/// Cycles of one command on one engine, alone on its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Cycles from the start until the engine transfers or computes; overlaps with the previous command of the engine.
    pub latency: u64,
    /// Cycles that the engine is taken.
    pub occupancy: u64,
    /// The cycles of the occupancy that stretch when a shared link is crowded: the bytes at [`Device::route_rate`].
    pub shareable: u64,
}

impl Cost {
    /// Cycles from start to completion.
    pub fn total(self) -> u64 {
        self.latency.saturating_add(self.occupancy)
    }
}

/// The reason why a piece of work has no cost on an engine.
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

impl ElementType {
    /// Bits that an element takes in memory: those of the type, rounded up to a power of two of at least 8.
    pub fn bits(self) -> u64 {
        match self {
            ElementType::F16 | ElementType::Bf16 => 16,
            ElementType::F32 => 32,
            ElementType::F64 | ElementType::Index => 64,
            ElementType::Int(bits) => u64::from(bits).next_power_of_two().max(8),
        }
    }

    /// Bytes that an element takes in memory.
    pub fn bytes(self) -> u64 {
        self.bits() / 8
    }
}

impl fmt::Display for ElementType {
    /// The name as MLIR prints it, which is also the key in [`TensorCost::rate`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementType::F16 => f.write_str("f16"),
            ElementType::Bf16 => f.write_str("bf16"),
            ElementType::F32 => f.write_str("f32"),
            ElementType::F64 => f.write_str("f64"),
            ElementType::Int(bits) => write!(f, "i{bits}"),
            ElementType::Index => f.write_str("index"),
        }
    }
}

impl VectorOp {
    /// All of them, in order.
    pub const ALL: [VectorOp; 6] = [
        VectorOp::Arith,
        VectorOp::Mul,
        VectorOp::Div,
        VectorOp::Exp,
        VectorOp::ReduceSum,
        VectorOp::ReduceOther,
    ];

    /// The key in [`VectorCost::weights`].
    pub fn key(self) -> &'static str {
        match self {
            VectorOp::Arith => "arith",
            VectorOp::Mul => "mul",
            VectorOp::Div => "div",
            VectorOp::Exp => "exp",
            VectorOp::ReduceSum => "reduce_sum",
            VectorOp::ReduceOther => "reduce_other",
        }
    }

    fn is_reduction(self) -> bool {
        matches!(self, VectorOp::ReduceSum | VectorOp::ReduceOther)
    }
}

impl Work {
    /// The work in words: `a transfer`, `a matrix product` or `vector work`.
    pub fn describe(&self) -> &'static str {
        match self {
            Work::Transfer { .. } => "a transfer",
            Work::Matmul { .. } => "a matrix product",
            Work::Vector { .. } => "vector work",
        }
    }

    /// True if it stores without reading or computing anything.
    fn is_fill(&self) -> bool {
        matches!(self, Work::Vector { loads: 0, stores: 1, ops, .. } if ops.values().all(|count| *count == 0))
    }
}

impl Device {
    /// Cycles of `work` on `engine`, by the formulas of [`DmaCost`], [`TensorCost`] and [`VectorCost`]; a tensor engine
    /// with [`TensorCost::zero_init`] also does fills, of which it is for others to see that they are with zero.
    /// Saturates instead of overflowing.
    pub fn cost(&self, engine: &Engine, work: &Work) -> Result<Cost, CostError> {
        match (&engine.cost, work) {
            (
                EngineCost::Dma(dma),
                Work::Transfer {
                    from,
                    to,
                    rows,
                    row_bytes,
                },
            ) => {
                let route = dma.route(from, to).ok_or_else(|| CostError::NoRoute {
                    engine: engine.name.clone(),
                    from: from.clone(),
                    to: to.clone(),
                    known: dma.route_names(),
                })?;
                Ok(transfer(dma, self.route_rate(dma, route), *rows, *row_bytes))
            }
            (
                EngineCost::Tensor(tensor),
                Work::Matmul {
                    batch,
                    m,
                    n,
                    k,
                    element,
                    accumulator,
                },
            ) => Ok(busy(matmul(tensor, *batch, [*m, *n, *k], *element, *accumulator))),
            (
                EngineCost::Tensor(TensorCost {
                    zero_init: Some(cycles),
                    ..
                }),
                work,
            ) if work.is_fill() => Ok(busy(*cycles)),
            (
                EngineCost::Vector(vector),
                Work::Vector {
                    elements,
                    element,
                    loads,
                    stores,
                    ops,
                },
            ) => Ok(busy(elementwise(
                vector,
                *elements,
                *element,
                vector.weight(*loads, *stores, ops),
            ))),
            _ => Err(CostError::WrongKind {
                engine: engine.name.clone(),
                kind: engine.kind.to_string(),
                work: work.describe().to_owned(),
            }),
        }
    }

    /// Bytes per cycle of a lone transfer on `route` of `dma`: the slowest of the unit and the links it crosses; 0 when
    /// none of them sets a limit.
    pub fn route_rate(&self, dma: &DmaCost, route: &Route) -> f64 {
        let links = self.links.iter().filter(|link| route.links.contains(&link.name));
        let limits = links.map(|link| link.bytes_per_cycle).chain([dma.bytes_per_cycle]);
        let slowest = limits.filter(|&rate| rate > 0.0).fold(f64::INFINITY, f64::min);
        if slowest.is_finite() { slowest } else { 0.0 }
    }
}

impl VectorCost {
    /// Weight of one point that reads `loads` operands, stores `stores` results and does `ops`.
    fn weight(&self, loads: u64, stores: u64, ops: &BTreeMap<VectorOp, u64>) -> f64 {
        let get = |key: &str| self.weights.get(key).copied();
        let arith = get("arith").unwrap_or(1.0);
        let reduces = ops.iter().any(|(op, &count)| op.is_reduction() && count > 0);
        let access = match get("reduce_access") {
            Some(weight) if reduces => weight,
            _ => {
                let load = get("load").unwrap_or(0.0);
                let first = if loads > 0 {
                    get("first_load").unwrap_or(load)
                } else {
                    0.0
                };
                first + load * loads.saturating_sub(1) as f64 + get("store").unwrap_or(0.0) * stores as f64
            }
        };
        let work: f64 = ops
            .iter()
            .map(|(op, &count)| get(op.key()).unwrap_or(arith) * count as f64)
            .sum();
        (access + work).max(arith)
    }
}

fn transfer(dma: &DmaCost, rate: f64, rows: u64, row_bytes: u64) -> Cost {
    let burst = u128::from(dma.burst_bytes.max(1));
    let row = u128::from(row_bytes).div_ceil(burst).saturating_mul(burst);
    let shareable = divide_up(u128::from(rows).saturating_mul(row), 1.0, rate);
    let occupancy = dma
        .gap
        .saturating_add(rows.saturating_mul(dma.per_row))
        .saturating_add(shareable);
    Cost {
        latency: dma.start_latency,
        occupancy,
        shareable,
    }
}

fn matmul(cost: &TensorCost, batch: u64, shape: [u64; 3], element: ElementType, accumulator: ElementType) -> u64 {
    let [m, n, k]: [u128; 3] = std::array::from_fn(|d| u128::from(shape[d].div_ceil(cost.tile[d].max(1))));
    let k = if m <= 1 && n <= 1 {
        k
    } else {
        k.max(u128::from(cost.min_k_tiles))
    };
    let tiles = m.saturating_mul(n).saturating_mul(k);
    let rate = cost.rate.get(&element.to_string()).copied().unwrap_or(1.0);
    let one = divide_up(tiles, cost.cycles_per_tile, rate).max(cost.min);
    let accumulate = if accumulator.bits() <= 16 {
        cost.acc16
    } else {
        cost.acc32
    };
    cost.fill
        .saturating_add(accumulate)
        .saturating_add(one.saturating_mul(batch))
}

fn elementwise(cost: &VectorCost, elements: u64, element: ElementType, weight: f64) -> u64 {
    let (elements, per_cycle) = match cost.width_bits {
        0 => (u128::from(elements), cost.per_cycle),
        width => (
            u128::from(elements) * u128::from(element.bits()),
            cost.per_cycle * width as f64,
        ),
    };
    cost.start
        .saturating_add(divide_up(elements, weight, per_cycle).max(cost.min))
}

fn busy(cycles: u64) -> Cost {
    Cost {
        latency: 0,
        occupancy: cycles,
        shareable: 0,
    }
}

/// `ceil(amount * weight / rate)`, and 0 for rate 0, which stands for no limit.
///
/// Exact when weight and rate are whole. Otherwise a quotient less than one part in 10^12 above a whole number counts
/// as that number, so that a rate such as 19.2 costs what its decimals say and not a cycle more for its binary
/// rounding.
pub(crate) fn divide_up(amount: u128, weight: f64, rate: f64) -> u64 {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: up to here every whole number is an f64.
    let whole = |value: f64| value.fract() == 0.0 && (0.0..=EXACT).contains(&value);
    if rate <= 0.0 {
        0
    } else if whole(weight) && whole(rate) {
        let cycles = amount.saturating_mul(weight as u128).div_ceil(rate as u128);
        u64::try_from(cycles).unwrap_or(u64::MAX)
    } else {
        // A cast from f64 saturates, and turns a NaN into 0.
        (amount as f64 * weight / rate * (1.0 - 1e-12)).ceil() as u64
    }
}
