//! Commands, copies and structured operations for the cost model: the [`Work`] of an operation, and its cycles.
//!
//! The one invariant: it depends on the operation and on the shapes of its operands only, and `zpu.cycles` on an
//! operation wins. Whoever knows shapes that the types do not tell (a simulator, a planner with bounds) passes them in;
//! see [`of_with`].

use std::collections::BTreeMap;

use zpu_device::{Cost, Device, ElementType, Engine, EngineKind, Role, VectorOp, Work};

use crate::ops::{Compute, ComputeStart, Dma, DmaStart, DmaTransfer, engine_of};
use crate::ty::MemRef;
use crate::{Attribute, Op, Value, affine, annotation, attr, ty};

/// A piece of a command's work.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Work that the device's cost model prices.
    Work(Work),
    /// Cycles that the program says (`zpu.cycles`).
    Cycles(u64),
}

/// The reason why an operation has no known cost; the text continues the operation's name.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct UnknownWork<'c> {
    /// The operation that it is about: the one asked for or one inside it.
    pub at: Op<'c>,
    /// The unknown fact.
    pub message: String,
}

impl<'c> UnknownWork<'c> {
    fn new(at: Op<'c>, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }
}

/// Sizes and strides of a buffer, in elements. An unknown stride counts as not contiguous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Sizes, at least 0.
    pub sizes: Vec<i64>,
    /// A stride per size.
    pub strides: Vec<Option<i64>>,
}

impl Shape {
    /// The shape that the value's type tells; the error names the first dynamic size.
    pub fn of(value: Value<'_>) -> Result<Self, String> {
        let ty = value.ty();
        let memref = MemRef::of(ty).ok_or_else(|| format!("{ty} is not a ranked memref with a strided layout"))?;
        let size = |(dim, size): (usize, &Option<i64>)| size.ok_or_else(|| format!("size {dim} of {ty} is dynamic"));
        Ok(Self {
            sizes: memref.shape.iter().enumerate().map(size).collect::<Result<_, _>>()?,
            strides: memref.strides,
        })
    }

    /// Number of elements, saturating.
    pub fn elements(&self) -> u64 {
        volume(self.sizes.iter().copied())
    }

    /// Elements that lie contiguously, in row-major order, from every start of a row.
    pub fn contiguous_run(&self) -> u64 {
        let mut run = 1u64;
        for (&size, stride) in self.sizes.iter().zip(&self.strides).rev() {
            if size == 1 {
                continue;
            }
            if stride.and_then(|stride| u64::try_from(stride).ok()) != Some(run) {
                break;
            }
            run = run.saturating_mul(size.unsigned_abs());
        }
        run
    }
}

/// Strided dimensions that a transfer between two buffers of one shape goes through: those with more than one element,
/// where neighbours that both sides go through in one step count as one; at least 1. What is not known does not merge.
pub fn dims(source: &Shape, dest: &Shape) -> u64 {
    let sides = [source, dest];
    let long: Vec<usize> = (0..source.sizes.len()).filter(|dim| source.sizes[*dim] != 1).collect();
    let splits = long.windows(2).filter(|pair| {
        let follow_each_other = |side: &Shape| {
            let (outer, inner) = (side.strides[pair[0]], side.strides[pair[1]]);
            outer.is_some() && outer == inner.and_then(|inner| inner.checked_mul(side.sizes[pair[1]]))
        };
        !sides.into_iter().all(follow_each_other)
    });
    1 + splits.count() as u64
}

/// [`dims`] of a transfer or a copy as far as the types tell; what they do not tell counts as a dimension.
pub fn dims_of(op: Op<'_>) -> u64 {
    let of_copy = || (op.operand(0), op.operand(1));
    let (source, dest) = DmaTransfer::of(op).map_or_else(of_copy, |transfer| (transfer.source, transfer.dest));
    let (Some(source), Some(dest)) = (MemRef::of(source.ty()), MemRef::of(dest.ty())) else {
        return u64::MAX;
    };
    // Either side may know a size, since both have the same.
    let sizes = source.shape.iter().zip(&dest.shape).map(|(one, other)| one.or(*other));
    let sizes: Vec<i64> = sizes.map(|size| size.unwrap_or(i64::MAX)).collect();
    let side = |memref: MemRef<'_>| Shape {
        sizes: sizes.clone(),
        strides: memref.strides,
    };
    dims(&side(source), &side(dest))
}

/// True if `op` moves elements as they are from its first operand to its second, both buffers of one shape: a
/// `memref.copy`, a `linalg.copy`, or another structured operation of that meaning.
pub fn is_copy(op: Op<'_>) -> bool {
    if op.is("memref.copy") {
        return true;
    }
    let (Some(body), Some(maps)) = (op.body(), op.indexing_maps().and_then(attr::as_array)) else {
        return false;
    };
    let identity = |map: &Attribute<'_>| {
        attr::as_map_dims(*map).is_some_and(|(dims, results)| results.into_iter().eq((0..dims).map(Some)))
    };
    let memrefs = op.operands().iter().all(|operand| ty::is_memref(operand.ty()));
    let yields_input = || match (body.ops().collect::<Vec<_>>().as_slice(), body.args().first()) {
        ([only], Some(input)) => only.operands() == [*input],
        _ => false,
    };
    op.num_operands() == 2 && memrefs && maps.iter().all(identity) && yields_input()
}

/// The first operation in the body of a structured operation that does more than compute on scalars, such as a
/// `memref.load`. No engine takes such a body.
pub fn scalar_effect(op: Op<'_>) -> Option<Op<'_>> {
    let inside = op.indexing_maps().and_then(|_| op.body())?;
    let outermost = inside.ops().find(|inner| !inner.is_memory_effect_free())?;
    let is_leaf = |inner: &Op<'_>| inner.regions().is_empty() && !inner.is_memory_effect_free();
    outermost.walk().into_iter().find(is_leaf).or(Some(outermost))
}

/// True if it is a product of matrices in its im2col view only, which a vector engine may do as well.
pub fn is_convolution(op: Op<'_>) -> bool {
    let maps = op.indexing_maps().and_then(affine::Map::list).unwrap_or_default();
    op.is_contraction() && maps.iter().any(|map| map.as_dims().is_none())
}

/// The pieces of `op` on an engine of that kind, in order: one piece for a transfer or a copy, one for each structured
/// operation of a computation. Shapes have to be static.
pub fn of(op: Op<'_>, kind: EngineKind) -> Result<Vec<Piece>, UnknownWork<'_>> {
    of_with(op, kind, &|value| Shape::of(value))
}

/// The pieces like [`of`], with the shapes of buffers from `shape_of`.
pub fn of_with<'c>(
    op: Op<'c>,
    kind: EngineKind,
    shape_of: &dyn Fn(Value<'c>) -> Result<Shape, String>,
) -> Result<Vec<Piece>, UnknownWork<'c>> {
    if let Some(cycles) = given_cycles(op) {
        return Ok(vec![Piece::Cycles(cycles)]);
    }
    match op.name() {
        Dma::NAME | DmaStart::NAME => Ok(vec![Piece::Work(transfer(op, shape_of)?)]),
        Compute::NAME | ComputeStart::NAME => {
            let payload: Vec<Op<'c>> = op.body().map(|body| body.ops().collect()).unwrap_or_default();
            let structured = payload.into_iter().filter(|inner| inner.indexing_maps().is_some());
            structured
                .map(|inner| match given_cycles(inner) {
                    Some(cycles) => Ok(Piece::Cycles(cycles)),
                    None => structured_work(inner, kind, shape_of).map(Piece::Work),
                })
                .collect()
        }
        _ if is_copy(op) => Ok(vec![Piece::Work(transfer(op, shape_of)?)]),
        _ if op.indexing_maps().is_some() => Ok(vec![Piece::Work(structured_work(op, kind, shape_of)?)]),
        name => Err(UnknownWork::new(op, format!("{name} is no work of an engine"))),
    }
}

/// Cycles of a command on its engine with static shapes. Pieces of one command follow each other on the engine: the
/// first one's latency, and everything else as occupancy.
///
/// An operation that is no command costs as much as when it is carried out by itself: a copy ([`is_copy`]) along
/// [`Device::route_path`], or, if no single transfer does it, on the first vector engine if that works on both
/// memories; a contraction on the first tensor engine; other structured operations on the first vector engine.
pub fn cost<'c>(op: Op<'c>, device: &Device) -> Result<Cost, UnknownWork<'c>> {
    cost_with(op, device, &|value| Shape::of(value))
}

/// Cycles like [`cost`], with the shapes of buffers from `shape_of`.
pub fn cost_with<'c>(
    op: Op<'c>,
    device: &Device,
    shape_of: &dyn Fn(Value<'c>) -> Result<Shape, String>,
) -> Result<Cost, UnknownWork<'c>> {
    let named = engine_of(op).and_then(|name| device.engine(name));
    let has = |kind| device.engines_of_kind(kind).next().is_some();
    let kind = match named {
        Some(engine) => engine.kind,
        // Without a tensor engine, a vector engine does convolutions.
        None if is_convolution(op) && !has(EngineKind::Tensor) => EngineKind::Vector,
        None => EngineKind::Tensor,
    };
    priced(op, kind, shape_of, &|work| price(op, device, work))
}

/// Cycles like [`cost_with`], on `engine` instead of the one that the command names.
pub fn cost_on<'c>(
    op: Op<'c>,
    device: &Device,
    engine: &Engine,
    shape_of: &dyn Fn(Value<'c>) -> Result<Shape, String>,
) -> Result<Cost, UnknownWork<'c>> {
    priced(op, engine.kind, shape_of, &|work| {
        let cost = device.cost(engine, &work);
        cost.map_err(|error| UnknownWork::new(op, error.to_string()))
    })
}

fn priced<'c>(
    op: Op<'c>,
    kind: EngineKind,
    shape_of: &dyn Fn(Value<'c>) -> Result<Shape, String>,
    price: &dyn Fn(Work) -> Result<Cost, UnknownWork<'c>>,
) -> Result<Cost, UnknownWork<'c>> {
    let pieces = of_with(op, kind, shape_of)?;
    let costs: Vec<Cost> = pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Cycles(cycles) => Ok(busy(cycles)),
            Piece::Work(work) => price(work),
        })
        .collect::<Result<_, _>>()?;
    let together = costs.into_iter().reduce(|all, next| Cost {
        latency: all.latency,
        occupancy: all.occupancy.saturating_add(next.total()),
        shareable: all.shareable.saturating_add(next.shareable),
    });
    Ok(together.unwrap_or(busy(0)))
}

fn price<'c>(op: Op<'c>, device: &Device, work: Work) -> Result<Cost, UnknownWork<'c>> {
    let unknown = |message: String| UnknownWork::new(op, message);
    if let Some(name) = engine_of(op) {
        let known = || format!("unknown engine @{name}; known: {}", device.engine_names());
        let engine = device.engine(name).ok_or_else(|| unknown(known()))?;
        return device.cost(engine, &work).map_err(|error| unknown(error.to_string()));
    }
    let (kind, work) = match work {
        Work::Matmul { .. } => (EngineKind::Tensor, work),
        Work::Vector { .. } => (EngineKind::Vector, work),
        Work::Transfer {
            from,
            to,
            rows,
            row_bytes,
        } => match by_transfers(device, &from, &to, rows, row_bytes) {
            Some(cycles) => return Ok(busy(cycles)),
            None if by_vector(device, &from, &to) => (EngineKind::Vector, copy_as_vector(op, rows, row_bytes)?),
            None => {
                return Err(unknown(format!(
                    "no routes lead from {from} to {to}; the device has {}",
                    device.route_names()
                )));
            }
        },
    };
    let engine = device
        .engines_of_kind(kind)
        .next()
        .ok_or_else(|| unknown(format!("the device has no {kind} engine")))?;
    device.cost(engine, &work).map_err(|error| unknown(error.to_string()))
}

/// Cycles of a copy by DMA engines; `None` where that is not how the device copies.
fn by_transfers(device: &Device, from: &str, to: &str, rows: u64, row_bytes: u64) -> Option<u64> {
    if device.engines_for_route(from, to).is_empty() && by_vector(device, from, to) {
        return None;
    }
    device.transfer_cost(from, to, rows, row_bytes)
}

/// True if the first vector engine copies from one memory to the other where no route does in one transfer: within a
/// memory on chip, or between two that its operand rule names.
fn by_vector(device: &Device, from: &str, to: &str) -> bool {
    let Some(engine) = device.engines_of_kind(EngineKind::Vector).next() else {
        return false;
    };
    let named = |space| engine.operands.spaces(Role::All).iter().any(|name| name == space);
    from == to && !device.is_off_chip(from) || named(from) && named(to)
}

fn busy(cycles: u64) -> Cost {
    Cost {
        latency: 0,
        occupancy: cycles,
        shareable: 0,
    }
}

/// A copy as a vector engine does it.
fn copy_as_vector<'c>(op: Op<'c>, rows: u64, row_bytes: u64) -> Result<Work, UnknownWork<'c>> {
    let element = element_of(op, op.operand(0))?;
    Ok(Work::Vector {
        elements: rows.saturating_mul(row_bytes) / element.bytes(),
        element,
        loads: 1,
        stores: 1,
        ops: BTreeMap::new(),
    })
}

/// `zpu.cycles` on the operation itself.
fn given_cycles(op: Op<'_>) -> Option<u64> {
    let cycles = attr::as_int(op.attr(annotation::CYCLES)?)?;
    u64::try_from(cycles).ok()
}

fn transfer<'c>(op: Op<'c>, shape_of: &dyn Fn(Value<'c>) -> Result<Shape, String>) -> Result<Work, UnknownWork<'c>> {
    let of_copy = || (op.operand(0), op.operand(1));
    let (source, dest) = DmaTransfer::of(op).map_or_else(of_copy, |transfer| (transfer.source, transfer.dest));
    let space = |value: Value<'c>| {
        let space = MemRef::of(value.ty()).and_then(|memref| memref.space());
        let message = || format!("{} has no #zpu.space; run zpu-infer-memory-spaces", value.ty());
        space.map(str::to_owned).ok_or_else(|| UnknownWork::new(op, message()))
    };
    let element = element_of(op, source)?;
    let known = |value| shape_of(value).map_err(|message| UnknownWork::new(op, message));
    let (from, to) = (known(source)?, known(dest)?);
    let run = from.contiguous_run().min(to.contiguous_run()).max(1);
    Ok(Work::Transfer {
        from: space(source)?,
        to: space(dest)?,
        rows: from.elements() / run,
        row_bytes: run.saturating_mul(element.bytes()),
    })
}

/// The operands and loops of a structured operation on buffers.
struct Structured<'c> {
    op: Op<'c>,
    operands: Vec<Value<'c>>,
    /// Per operand, per dimension: the loop that walks it, if it is walked by just one.
    maps: Vec<Vec<Option<usize>>>,
    /// Per operand, per loop: whether its index depends on the loop.
    walked_by: Vec<Vec<bool>>,
    /// Operands from here on are outputs.
    first_output: usize,
    /// True if each loop accumulates.
    reduction: Vec<bool>,
}

impl<'c> Structured<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let walked_by = affine::Map::list(op.indexing_maps()?)?;
        let walked_by = walked_by
            .iter()
            .map(|map| (0..map.num_dims).map(|dim| map.mentions(dim)).collect());
        let walked_by: Vec<Vec<bool>> = walked_by.collect();
        let maps = attr::as_array(op.indexing_maps()?)?;
        let loops = maps.first().and_then(|map| attr::as_map_dims(*map))?.0;
        let maps: Vec<Vec<Option<usize>>> = maps
            .into_iter()
            .map(|map| attr::as_map_dims(map).map(|(_, dims)| dims))
            .collect::<Option<_>>()?;
        let operands = op.operands();
        let outputs = op.body()?.terminator()?.num_operands();
        let first_output = operands.len().checked_sub(outputs)?;
        let stored = |dim: usize| maps[first_output..].iter().flatten().any(|walked| *walked == Some(dim));
        // Named operations do not write their iterators down: what no output is walked by is summed up.
        let reduction = match op.attr("iterator_types").and_then(attr::as_array) {
            Some(kinds) => kinds
                .iter()
                .map(|kind| kind.to_string().contains("reduction"))
                .collect(),
            None => (0..loops).map(|dim| !stored(dim)).collect(),
        };
        (maps.len() == operands.len()).then_some(Self {
            op,
            operands,
            maps,
            walked_by,
            first_output,
            reduction,
        })
    }

    fn is_shaped(&self, operand: usize) -> bool {
        ty::is_memref(self.operands[operand].ty())
    }

    fn reduces(&self) -> bool {
        self.reduction.contains(&true)
    }

    /// Iterations of each loop.
    fn extents(&self, shape_of: &dyn Fn(Value<'c>) -> Result<Shape, String>) -> Result<Vec<i64>, UnknownWork<'c>> {
        let mut extents: Vec<Option<i64>> = vec![None; self.reduction.len()];
        let mut unknown = None;
        for operand in (0..self.operands.len()).filter(|operand| self.is_shaped(*operand)) {
            match shape_of(self.operands[operand]) {
                Ok(shape) => {
                    for (dim, size) in self.maps[operand].iter().zip(shape.sizes) {
                        if let Some(dim) = dim {
                            extents[*dim].get_or_insert(size);
                        }
                    }
                }
                Err(message) => unknown = unknown.or(Some(message)),
            }
        }
        let all: Option<Vec<i64>> = extents.into_iter().collect();
        // A dynamic size does not matter where another operand tells the same loop's extent.
        all.ok_or_else(|| {
            let message = unknown.unwrap_or_else(|| "the operands do not tell the extent of every loop".to_owned());
            UnknownWork::new(self.op, message)
        })
    }
}

/// The work of one structured operation on buffers: a matrix product for a contraction on a tensor engine, else vector
/// work.
fn structured_work<'c>(
    op: Op<'c>,
    kind: EngineKind,
    shape_of: &dyn Fn(Value<'c>) -> Result<Shape, String>,
) -> Result<Work, UnknownWork<'c>> {
    let structured =
        Structured::of(op).ok_or_else(|| UnknownWork::new(op, format!("{} has a form that has no cost", op.name())))?;
    if !structured.operands.iter().any(|operand| ty::is_memref(operand.ty())) {
        return Err(UnknownWork::new(op, format!("{} does not work on memrefs", op.name())));
    }
    let extents = structured.extents(shape_of)?;
    if kind == EngineKind::Tensor && op.is_contraction() {
        product_work(&structured, &extents)
    } else {
        vector_work(&structured, &extents)
    }
}

fn product_work<'c>(structured: &Structured<'c>, extents: &[i64]) -> Result<Work, UnknownWork<'c>> {
    let [a, b, c] = structured.walked_by.as_slice() else {
        return Err(UnknownWork::new(
            structured.op,
            "a contraction has two inputs and one output",
        ));
    };
    // Loops of the result by the inputs that they walk; all others are summed up.
    let over = |in_a: bool, in_b: bool| {
        let dims = (0..extents.len()).filter(|&dim| c[dim] && a[dim] == in_a && b[dim] == in_b);
        volume(dims.map(|dim| extents[dim]))
    };
    let element = |operand: usize| element_of(structured.op, structured.operands[operand]);
    let (left, right) = (element(0)?, element(1)?);
    Ok(Work::Matmul {
        batch: over(true, true).saturating_mul(over(false, false)),
        m: over(true, false),
        n: over(false, true),
        k: volume((0..extents.len()).filter(|&dim| !c[dim]).map(|dim| extents[dim])),
        element: if right.bits() > left.bits() { right } else { left },
        accumulator: element(2)?,
    })
}

fn vector_work<'c>(structured: &Structured<'c>, extents: &[i64]) -> Result<Work, UnknownWork<'c>> {
    let op = structured.op;
    let body = op.body().ok_or_else(|| UnknownWork::new(op, "has no body"))?;
    let arguments = body.args();
    let is_read = |operand: usize| arguments.get(operand).is_some_and(|argument| !argument.is_unused());
    let shaped: Vec<usize> = (0..structured.operands.len())
        .filter(|operand| structured.is_shaped(*operand))
        .collect();
    let elements = shaped
        .iter()
        .map(|operand| element_of(op, structured.operands[*operand]))
        .collect::<Result<Vec<_>, _>>()?;
    // Loads in the body are further operands.
    let tables = body.ops().filter(|inner| inner.is("memref.load"));
    let tables = tables.filter_map(|load| element_of(op, load.operand(0)).ok());
    let tables: Vec<ElementType> = tables.collect();
    // An accumulator stays in the engine while its elements are summed up.
    let loads = shaped
        .iter()
        .filter(|&&operand| is_read(operand) && !(operand >= structured.first_output && structured.reduces()));
    Ok(Work::Vector {
        elements: volume(extents.iter().copied()),
        element: elements
            .into_iter()
            .chain(tables.iter().copied())
            .max_by_key(|element| element.bits())
            .unwrap_or(ElementType::Index),
        loads: (loads.count() + tables.len()) as u64,
        stores: (structured.operands.len() - structured.first_output) as u64,
        ops: vector_ops(structured),
    })
}

/// The number of operations of each kind for one point. With a loop that accumulates, the operation that takes an
/// output's old element and makes its new one counts as the reduction.
fn vector_ops(structured: &Structured<'_>) -> BTreeMap<VectorOp, u64> {
    let mut counts = BTreeMap::new();
    let Some(body) = structured.op.body() else {
        return counts;
    };
    let Some(terminator) = body.terminator() else {
        return counts;
    };
    let yields = terminator.operands();
    let arguments = body.args();
    let outputs = arguments.get(structured.first_output..).unwrap_or_default();
    let accumulates = |results: &[Value<'_>], operands: &[Value<'_>]| {
        structured.reduces()
            && results.iter().any(|result| yields.contains(result))
            && operands.iter().any(|operand| outputs.contains(operand))
    };
    let mut count = |kinds: &[VectorOp]| {
        for kind in kinds {
            *counts.entry(*kind).or_insert(0) += 1;
        }
    };
    let mut open: Vec<Op<'_>> = body.ops().filter(|op| *op != terminator).collect();
    while let Some(op) = open.pop() {
        if op.is("scf.if") {
            // Both sides are computed, and each result is chosen of two values.
            let blocks = op.regions().into_iter().filter_map(|region| region.first_block());
            let mut ends = Vec::new();
            for block in blocks {
                let end = block.terminator();
                open.extend(block.ops().filter(|inner| Some(*inner) != end));
                ends.extend(end);
            }
            for (i, result) in op.results().into_iter().enumerate() {
                let chosen: Vec<Value<'_>> = ends.iter().map(|end| end.operand(i)).chain([op.operand(0)]).collect();
                let kind = if accumulates(&[result], &chosen) {
                    VectorOp::ReduceOther
                } else {
                    VectorOp::Arith
                };
                count(&[kind]);
            }
            continue;
        }
        let accumulates = accumulates(&op.results(), &op.operands());
        count(match op.name() {
            "arith.addf" | "arith.addi" if accumulates => &[VectorOp::ReduceSum],
            name if vector_op(name).is_empty() => &[],
            _ if accumulates => &[VectorOp::ReduceOther],
            name => vector_op(name),
        });
    }
    counts
}

/// The vector operations that a scalar operation is; none for constants and loop indices.
fn vector_op(name: &str) -> &'static [VectorOp] {
    match name {
        "arith.constant" | "linalg.index" | "linalg.yield" | "memref.load" => &[],
        "arith.mulf" | "arith.muli" => &[VectorOp::Mul],
        "arith.divf" | "arith.remf" | "arith.divsi" | "arith.divui" | "arith.ceildivsi" | "arith.ceildivui"
        | "arith.floordivsi" | "arith.remsi" | "arith.remui" | "math.sqrt" | "math.rsqrt" | "math.cbrt" => {
            &[VectorOp::Div]
        }
        "math.fma" => &[VectorOp::Mul, VectorOp::Arith],
        "math.absf" | "math.absi" | "math.ceil" | "math.floor" | "math.round" | "math.roundeven" | "math.trunc"
        | "math.copysign" | "math.clampf" | "math.ctlz" | "math.cttz" | "math.ctpop" | "math.isfinite"
        | "math.isinf" | "math.isnan" | "math.isnormal" => &[VectorOp::Arith],
        name if name.starts_with("math.") => &[VectorOp::Exp],
        _ => &[VectorOp::Arith],
    }
}

fn element_of<'c>(op: Op<'c>, operand: Value<'c>) -> Result<ElementType, UnknownWork<'c>> {
    let ty = operand.ty();
    let element = ty::element(ty).unwrap_or(ty);
    ty::scalar(element)
        .ok_or_else(|| UnknownWork::new(op, format!("element type {element} is not known to the cost model")))
}

fn volume(sizes: impl Iterator<Item = i64>) -> u64 {
    sizes.fold(1u64, |product, size| product.saturating_mul(size.unsigned_abs()))
}
