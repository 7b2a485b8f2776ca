//! What the units of a loop body cost on the device.

use zpu_device::{Cost, Device, Engine};
use zpu_ir::ty::MemRef;
use zpu_ir::work::{self, Shape};
use zpu_ir::{Op, Value};

use crate::analysis::body::{Decline, sync_engine};
use crate::analysis::linear::Linear;
use crate::analysis::region::region_of;

/// Cycles that the control stream takes for what it does itself: an access, or a conditional with all that it holds.
pub(crate) fn control_cycles<'c>(op: Op<'c>, device: &Device) -> Result<u64, Decline<'c>> {
    match op.name() {
        "memref.load" | "memref.store" => Ok(device.control.scalar_cycles),
        "memref.alloc" | "memref.alloca" | "memref.dealloc" => Ok(0),
        "scf.if" => guard_cycles(op, device),
        _ => Ok(device.control.start_cycles.saturating_add(cost(op, device)?.total())),
    }
}

/// Cycles that the control stream takes for a conditional: what it does inside, but not the issue of commands. The decision is
/// free, as all arithmetic is.
pub(crate) fn guard_cycles<'c>(op: Op<'c>, device: &Device) -> Result<u64, Decline<'c>> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    let own = blocks
        .flat_map(|block| block.ops())
        .filter(|op| !op.is_memory_effect_free());
    own.filter(|op| sync_engine(*op).is_none())
        .try_fold(0u64, |sum, op| Ok(sum.saturating_add(control_cycles(op, device)?)))
}

/// Cycles of a command on its engine, or of a copy or computation that is none yet. A size that is not constant counts as its
/// constant upper bound.
pub(crate) fn cost<'c>(op: Op<'c>, device: &Device) -> Result<Cost, Decline<'c>> {
    work::cost_with(op, device, &bounded_shape).map_err(|unknown| declined(op, &unknown))
}

/// Cycles of a command on another engine than the one that it names.
pub(crate) fn cost_on<'c>(op: Op<'c>, device: &Device, engine: &Engine) -> Result<Cost, Decline<'c>> {
    work::cost_on(op, device, engine, &bounded_shape).map_err(|unknown| declined(op, &unknown))
}

fn declined<'c>(op: Op<'c>, unknown: &work::UnknownWork<'c>) -> Decline<'c> {
    let message = format!(
        "the cost of {} is not known: {}; say it with zpu.cycles",
        unknown.at.name(),
        unknown.message
    );
    Decline::new("unknown-cost", op, message)
}

/// The shape of a memref with dynamic sizes replaced by what the views that it is made of say at most.
fn bounded_shape(value: Value<'_>) -> Result<Shape, String> {
    let exact = Shape::of(value);
    let (Err(message), Some(memref)) = (&exact, MemRef::of(value.ty())) else {
        return exact;
    };
    let Some(bounds) = bounds(value, memref.rank()) else {
        return Err(message.clone());
    };
    let sizes = memref.shape.iter().zip(bounds).map(|(size, bound)| size.or(bound));
    match sizes.collect::<Option<Vec<i64>>>() {
        Some(sizes) => Ok(Shape {
            sizes,
            strides: memref.strides,
        }),
        None => Err(message.clone()),
    }
}

/// An upper bound per dimension of a memref of that rank.
fn bounds(value: Value<'_>, rank: usize) -> Option<Vec<Option<i64>>> {
    let region = region_of(value);
    let base = MemRef::of(region.base.ty())?;
    let spans = region.extents?.into_iter().zip(base.shape);
    let mut bounds: Vec<Option<i64>> = spans
        .map(|(extent, size)| extent.span.as_ref().and_then(Linear::as_constant).or(size))
        .collect();
    // A view of a smaller rank has dropped dimensions of size 1.
    while bounds.len() > rank {
        let dropped = bounds.iter().position(|bound| *bound == Some(1))?;
        bounds.remove(dropped);
    }
    (bounds.len() == rank).then_some(bounds)
}
