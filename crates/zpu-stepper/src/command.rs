//! Commands for the clock: an engine, a latency, unshared cycles, and bytes that cross links.
//!
//! Invariant: the numbers come from the formulas of `zpu-device`. This file only makes their arguments: the engine of
//! an operation that names none, and the number of rows of a copy.

use std::collections::BTreeMap;

use zpu_device::{Cost, Device, EngineCost, EngineKind, VectorOp, Work};
use zpu_sim::{Action, ActionKind, Command, Program};

use crate::fraction::Fraction;
use crate::value::{Frame, Trouble};
use crate::view::View;

/// A command as the clock sees it.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) engine: usize,
    /// Cycles from its issue during which the engine is not taken yet.
    pub(crate) latency: u64,
    /// Cycles that the engine is taken before the bytes.
    pub(crate) fixed: u64,
    pub(crate) bytes: Fraction,
    /// Bytes per cycle of a transfer that is alone.
    pub(crate) alone: Fraction,
    /// Indices of the links that the bytes cross.
    pub(crate) links: Vec<usize>,
}

/// The jobs of a command, one after the other: several where a copy without engine goes in stages.
pub(crate) fn jobs(program: &Program, device: &Device, command: &Command, frame: &Frame) -> Result<Vec<Job>, Trouble> {
    if let Some(engine) = command.engine {
        return Ok(vec![job(program, device, command, frame, engine.index(), None)?]);
    }
    let [action] = command.actions.as_slice() else {
        return Err(Trouble::Invalid(
            "an operation that names no engine is one operation".into(),
        ));
    };
    let first = |kind| device.engines.iter().position(|engine| engine.kind == kind);
    let (tensor, vector) = (first(EngineKind::Tensor), first(EngineKind::Vector));
    let engine = match &action.kind {
        ActionKind::Copy { source, target } => {
            let (from, to) = (frame.view(*source)?.space, frame.view(*target)?.space);
            return copy(program, device, command, frame, (from, to));
        }
        ActionKind::Run { kernel, .. } if program.kernels.get(kernel.index()).is_some_and(|kernel| kernel.product) => {
            tensor.or(vector)
        }
        _ => vector,
    };
    let engine = engine.ok_or_else(|| Trouble::Invalid("no engine does the operation".into()))?;
    Ok(vec![job(program, device, command, frame, engine, None)?])
}

/// A copy that names no engine: by the first DMA engine of its route, else by a vector engine, else in stages.
fn copy(
    program: &Program,
    device: &Device,
    command: &Command,
    frame: &Frame,
    ends: (usize, usize),
) -> Result<Vec<Job>, Trouble> {
    let name = |space: usize| device.memories[space].name.as_str();
    let (from, to) = (name(ends.0), name(ends.1));
    let index = |name: &str| device.engines.iter().position(|engine| engine.name == name);
    let mover = |from: &str, to: &str| {
        let dma = device
            .engines_for_route(from, to)
            .first()
            .and_then(|engine| index(&engine.name));
        let vector = || device.vector_mover(from, to).and_then(|engine| index(&engine.name));
        dma.or_else(vector)
    };
    let within = || {
        let first = device.engines_of_kind(EngineKind::Vector).next()?;
        (from == to && !device.is_off_chip(from)).then(|| index(&first.name))?
    };
    if let Some(engine) = mover(from, to).or_else(within) {
        return Ok(vec![job(program, device, command, frame, engine, Some((from, to)))?]);
    }
    let path = device.data_path(from, to);
    let path = path.ok_or_else(|| Trouble::Invalid(format!("no path from {from} to {to}")))?;
    let stage = |hop: &[String]| {
        let engine = mover(&hop[0], &hop[1]).ok_or_else(|| Trouble::Invalid("no engine of a stage".into()))?;
        job(program, device, command, frame, engine, Some((&hop[0], &hop[1])))
    };
    // The operation takes the cycles that it carries, not each of its stages.
    let stages = if command.cycles.is_some() { 1 } else { path.len() - 1 };
    path.windows(2).take(stages).map(stage).collect()
}

fn job(
    program: &Program,
    device: &Device,
    command: &Command,
    frame: &Frame,
    engine: usize,
    hop: Option<(&str, &str)>,
) -> Result<Job, Trouble> {
    let unit = device.engines.get(engine);
    let unit = unit.ok_or_else(|| Trouble::Invalid("an engine does not exist".into()))?;
    let mut job = Job {
        engine,
        latency: 0,
        fixed: 0,
        bytes: Fraction::ZERO,
        alone: Fraction::ZERO,
        links: Vec::new(),
    };
    if let Some(cycles) = command.cycles {
        return Ok(Job { fixed: cycles, ..job });
    }
    for action in &command.actions {
        if let Some(cycles) = action.cycles {
            job.fixed = job.fixed.saturating_add(cycles);
            continue;
        }
        let work = work(program, device, action, frame, unit.kind, hop)?;
        let cost = device
            .cost(unit, &work)
            .map_err(|error| Trouble::Invalid(error.to_string()))?;
        let Cost {
            latency,
            occupancy,
            shareable,
        } = cost;
        job.latency = job.latency.saturating_add(latency);
        job.fixed = job.fixed.saturating_add(occupancy - shareable);
        if let (EngineCost::Dma(dma), Work::Transfer { from, to, .. }, 1..) = (&unit.cost, &work, shareable) {
            if job.bytes.is_positive() {
                return Err(Trouble::Invalid("a command of two transfers".into()));
            }
            let route = dma.route(from, to).ok_or_else(|| Trouble::Invalid("no route".into()))?;
            let crosses = |name: &String| device.links.iter().position(|link| link.name == *name);
            let alone = Fraction::decimal(device.route_rate(dma, route));
            let bytes = alone.clone().and_then(|rate| rate.times(shareable));
            let exact = |error: crate::StepError| Trouble::Invalid(error.to_string());
            (job.alone, job.bytes) = (alone.map_err(exact)?, bytes.map_err(exact)?);
            job.links = route.links.iter().filter_map(crosses).collect();
        }
    }
    Ok(job)
}

/// The work of an operation for the cost model.
fn work(
    program: &Program,
    device: &Device,
    action: &Action,
    frame: &Frame,
    kind: EngineKind,
    hop: Option<(&str, &str)>,
) -> Result<Work, Trouble> {
    match &action.kind {
        ActionKind::Copy { source, target } => {
            let (source, target) = (frame.view(*source)?, frame.view(*target)?);
            if source.sizes != target.sizes || source.element != target.element {
                return Err(Trouble::Invalid("a copy between different shapes".into()));
            }
            if kind != EngineKind::Dma {
                return Ok(elementwise(&source, &[]));
            }
            let row = source.row().min(target.row()).max(1);
            let name = |view: &View| device.memories[view.space].name.clone();
            let (from, to) = hop.map_or((name(&source), name(&target)), |(from, to)| (from.into(), to.into()));
            Ok(Work::Transfer {
                from,
                to,
                rows: source.elements() / row,
                row_bytes: row.saturating_mul(source.element.bytes()),
            })
        }
        ActionKind::Softmax { source, .. } => {
            // Maximum, exponential of the difference, sum, quotient: once an element.
            let ops = [
                VectorOp::ReduceOther,
                VectorOp::Arith,
                VectorOp::Exp,
                VectorOp::ReduceSum,
                VectorOp::Div,
            ];
            Ok(elementwise(&frame.view(*source)?, &ops))
        }
        ActionKind::Run { kernel, operands, .. } => {
            let kernel = program.kernels.get(kernel.index());
            let kernel = kernel.ok_or_else(|| Trouble::Invalid("a kernel does not exist".into()))?;
            let sizes = kernel.operands.iter().zip(operands).map(|(operand, register)| {
                let shaped = operand.shaped && !operand.table;
                shaped
                    .then(|| frame.view(*register))
                    .transpose()
                    .map(|view| view.map_or(Vec::new(), |view| view.sizes))
            });
            let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
            let sizes: Vec<&[i64]> = sizes.iter().map(Vec::as_slice).collect();
            let extents = kernel
                .extents(&sizes)
                .map_err(|fault| Trouble::Invalid(fault.to_string()))?;
            Ok(kernel.work(&extents, kind == EngineKind::Tensor))
        }
    }
}

/// Work that reads one operand and stores one.
fn elementwise(view: &View, ops: &[VectorOp]) -> Work {
    Work::Vector {
        elements: view.elements(),
        element: view.element,
        loads: 1,
        stores: 1,
        ops: ops.iter().map(|op| (*op, 1)).collect::<BTreeMap<_, _>>(),
    }
}
