//! Bytes that allocations take of the device's memories.

use zpu_device::Device;
use zpu_ir::ty::MemRef;
use zpu_ir::{Block, Op, Value, annotation, attr, ty};

use crate::sizes::Sizes;
use crate::slot::{Slot, alignment};

/// Bytes from the beginning of one version of a buffer to that of the next one (see [`super::slot`]), and the memory's
/// name. A size that is not constant counts as its bound. `None` without a `#zpu.space` of the device, or without a
/// bound.
pub fn footprint<'c>(root: Value<'c>, device: &Device) -> Option<(&'c str, u64)> {
    let memref = MemRef::of(root.ty())?;
    let space = device.memory(memref.space()?)?.name.as_str();
    let allocation = root.defining_op()?;
    let alignment = alignment(allocation, Some(device));
    let elements = Slot::of(&memref, alignment)?.elements(&Sizes::at(allocation).of(root)?)?;
    let bytes = u64::try_from(elements)
        .ok()?
        .checked_mul(ty::element_bytes(memref.element)?.into())?;
    Some((
        memref.space().filter(|name| *name == space)?,
        bytes.checked_next_multiple_of(alignment)?,
    ))
}

/// The number of versions that the annotation of an allocation asks for; 1 without one.
pub fn versions(allocation: Op<'_>) -> u64 {
    let wanted = allocation.attr(annotation::VERSIONS).and_then(attr::as_int);
    wanted
        .and_then(|versions| u64::try_from(versions).ok())
        .unwrap_or(1)
        .max(1)
}

/// Bytes that an allocation takes of a memory with all of its versions; 0 for anything else.
fn bytes(op: Op<'_>, space: &str, device: &Device) -> u64 {
    if !matches!(op.name(), "memref.alloc" | "memref.alloca") {
        return 0;
    }
    match footprint(op.result(0), device) {
        Some((of, bytes)) if of == space => bytes.saturating_mul(versions(op)),
        _ => 0,
    }
}

/// Bytes of all allocations inside `op` together: an upper bound of the bytes at any time.
pub fn total(op: Op<'_>, space: &str, device: &Device) -> u64 {
    let each = op.walk().into_iter().map(|inner| bytes(inner, space, device));
    each.fold(0, u64::saturating_add)
}

/// The most bytes that the function's allocations take of a memory at the same time.
pub fn peak(function: Op<'_>, space: &str, device: &Device) -> u64 {
    let nested = |op: Op<'_>| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        blocks.map(|block| block_peak(block, space, device)).max().unwrap_or(0)
    };
    nested(function)
}

/// The [`peak`] if every allocation in a nest of loops were moved before the nest.
pub fn peak_moved_out(function: Op<'_>, space: &str, device: &Device) -> u64 {
    let Some(body) = function.body() else { return 0 };
    sweep(body, space, device, &|op| total(op, space, device))
}

/// The most bytes that the allocations of a block, and of those inside, take of a memory at the same time.
pub fn block_peak(block: Block<'_>, space: &str, device: &Device) -> u64 {
    sweep(block, space, device, &|op| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        blocks.map(|block| block_peak(block, space, device)).max().unwrap_or(0)
    })
}

/// The most bytes at a time in a block; `inside` tells the bytes that an operation with regions takes for itself.
fn sweep<'c>(block: Block<'c>, space: &str, device: &Device, inside: &dyn Fn(Op<'c>) -> u64) -> u64 {
    let (mut now, mut most) = (0u64, 0u64);
    for op in block.ops() {
        if op.is("memref.dealloc") {
            // A buffer that is freed in another block than its own counts as taken until the end.
            let allocation = op.operand(0).defining_op();
            let here = allocation.filter(|allocation| allocation.block() == Some(block));
            now = now.saturating_sub(here.map_or(0, |allocation| bytes(allocation, space, device)));
            continue;
        }
        let nested = if op.regions().is_empty() { 0 } else { inside(op) };
        now = now.saturating_add(bytes(op, space, device));
        most = most.max(now.saturating_add(nested));
    }
    most
}
