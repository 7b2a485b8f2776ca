//! `zpu-retarget-copies`: puts copies within the chip on the engine that completes them first.
//!
//! Assumes synchronous commands on a device. A copy is a transfer where a DMA engine has the route, and that takes no
//! time of other engines. But a DMA engine may have a long start latency, and a short copy of state from one iteration
//! to the next then is most of the recurrence.
//!
//! ```mlir
//! zpu.dma %max to %before on @dma0 : memref<128xf32, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
//! // becomes
//! zpu.compute on @scalar { linalg.copy ins(%max : ...) outs(%before : ...) }
//! ```

use std::collections::HashMap;

use zpu_analysis::command::sync_engine;
use zpu_analysis::overlap::may_overlap;
use zpu_device::{Device, Engine, EngineKind, Role};
use zpu_ir::ops::{Compute, Dma};
use zpu_ir::options::RetargetCopiesOptions;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Block, Builder, Op, PassResult, Remark, RemarkKind, Type, annotation, attr, device, edit, work};

use crate::annotations;

const PASS: &str = "zpu-retarget-copies";

/// A transfer has to take so many times as long: what it moves to has other work as well.
const GAIN: u64 = 2;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &RetargetCopiesOptions) -> PassResult {
    let is_wanted = options.all || function.has_attr(annotation::RETARGET_COPIES);
    function.remove_attr(annotation::RETARGET_COPIES);
    if !is_wanted {
        return Ok(());
    }
    let device = device::of(function)?;
    let mut loads: HashMap<(Option<Block<'_>>, String), u64> = HashMap::new();
    let commands = function.walk().into_iter().filter(|op| sync_engine(*op).is_some());
    for op in commands.clone() {
        let cycles = work::cost(op, &device).map_or(0, |cost| cost.occupancy);
        let name = sync_engine(op).unwrap_or_default().to_owned();
        *loads.entry((op.block(), name)).or_default() += cycles;
    }
    for dma in commands.collect::<Vec<_>>().into_iter().filter_map(Dma::of) {
        let load = |engine: &Engine| loads.get(&(dma.op.block(), engine.name.clone())).copied().unwrap_or(0);
        let Some((engine, cycles)) = target(dma, &device, load) else {
            continue;
        };
        *loads.entry((dma.op.block(), engine.name.clone())).or_default() += cycles;
        retarget(dma.op, engine);
    }
    Ok(())
}

/// The vector engine for a transfer, and the cycles that it takes there; the one that has the least to do. `None` if
/// the transfer stays.
fn target<'d>(dma: Dma<'_>, device: &'d Device, load: impl Fn(&Engine) -> u64) -> Option<(&'d Engine, u64)> {
    let op = dma.op;
    if annotations::keeps_engine(op) || op.has_attr(annotation::CYCLES) {
        return None;
    }
    // A vector engine works element by element.
    if may_overlap(op) {
        return None;
    }
    let space = |value| MemRef::of(value).and_then(|memref| memref.space());
    let (from, to) = (space(dma.source().ty())?, space(dma.dest().ty())?);
    if device.is_off_chip(from) || device.is_off_chip(to) {
        return None;
    }
    let own = device.engine(dma.engine())?;
    let now = work::cost(op, device).ok()?.total();
    let element = ty::scalar(MemRef::of(dma.source().ty())?.element)?;
    let elements = ty::static_shape(dma.source().ty())?;
    let elements = elements
        .into_iter()
        .try_fold(1_u64, |all, size| all.checked_mul(u64::try_from(size).ok()?))?;
    let work = zpu_device::Work::Vector {
        elements,
        element,
        loads: 1,
        stores: 1,
        ops: Default::default(),
    };
    let able = device.engines_of_kind(EngineKind::Vector).filter(|engine| {
        let reaches = |space| engine.operands.allows(Role::All, space);
        engine.blocking == own.blocking && reaches(from) && reaches(to)
    });
    let priced = able.filter_map(|engine| Some((engine, device.cost(engine, &work).ok()?.total())));
    priced
        .filter(|(_, cycles)| cycles.saturating_mul(GAIN) <= now)
        .min_by_key(|(engine, cycles)| load(engine).saturating_add(*cycles))
}

/// Makes a computation of a transfer.
fn retarget(op: Op<'_>, engine: &Engine) {
    Remark::new(op, RemarkKind::Passed, PASS, "retargeted")
        .message(format!("the copy is done on @{}", engine.name))
        .metric("Engine", engine.name.clone())
        .emit();
    let attrs = op.discardable_attrs().into_iter();
    let attrs = attrs
        .chain([(Compute::ENGINE, attr::symbol(op.context(), &engine.name))])
        .collect::<Vec<_>>();
    let body = Compute::create(&mut Builder::before(op), &attrs).body();
    let element: Vec<Type<'_>> = ty::element(op.operand(0).ty()).into_iter().collect();
    let segments = [("operandSegmentSizes", attr::int32_array(op.context(), &[1, 1]))];
    let arguments = [element.clone(), element].concat();
    let mut builder = Builder::at_end(body, op);
    let copy = builder.op_with_regions("linalg.copy", &op.operands(), &[], &segments, &[&arguments]);
    if let Some(inside) = copy.body() {
        Builder::at_end(inside, op).op("linalg.yield", &inside.args()[..1], &[], &[]);
    }
    edit::erase(op);
}
