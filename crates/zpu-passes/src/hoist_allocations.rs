//! Moves allocations out of the loops around them, as far as the memory has room.
//!
//! An allocation in a loop's body begins each iteration with undefined contents, so it may as well be made before the
//! loop and freed after it. A deallocation at the end of each iteration would wait for all that touches the buffer, and
//! iterations of the outer loop would not overlap. The price is that the buffer takes its memory for all of the loop.

use zpu_device::Device;
use zpu_ir::{Op, device, edit};

use zpu_analysis::footprint::{footprint, peak, total};

/// Moves each of the allocations, with its deallocation, outwards.
pub(crate) fn out_of_loops<'c>(function: Op<'c>, allocations: &[Op<'c>]) {
    let device = device::read(function).ok();
    for allocation in allocations {
        while out_of_one(function, *allocation, device.as_ref()) {}
    }
}

/// Moves an allocation, with its deallocation, out of the control flow around it. False, and nothing is changed, where
/// that cannot be done or its memory has no room for that.
pub(crate) fn out_of_one<'c>(function: Op<'c>, allocation: Op<'c>, device: Option<&Device>) -> bool {
    movable(allocation).is_some_and(|frees| step(function, allocation, &frees, device))
}

/// The deallocations of an allocation that may move out of the control flow around it.
fn movable<'c>(allocation: Op<'c>) -> Option<Vec<Op<'c>>> {
    let parent = allocation.parent()?;
    if !matches!(parent.name(), "scf.for" | "scf.if" | "scf.while") {
        return None;
    }
    if allocation
        .operands()
        .into_iter()
        .any(|size| size.is_defined_inside(parent))
    {
        return None;
    }
    let uses = allocation.result(0).uses().into_iter();
    let frees: Vec<Op<'c>> = uses.map(|used| used.op).filter(|op| op.is("memref.dealloc")).collect();
    let beside = frees.iter().all(|free| free.block() == allocation.block());
    (beside && frees.len() <= 1).then_some(frees)
}

/// Moves an allocation out of the operation around it, unless the peak of its memory would then exceed the memory's
/// size.
fn step<'c>(function: Op<'c>, allocation: Op<'c>, frees: &[Op<'c>], device: Option<&Device>) -> bool {
    let Some(parent) = allocation.parent() else {
        return false;
    };
    let back: Vec<(Op<'c>, Option<Op<'c>>)> = std::iter::once(&allocation)
        .chain(frees)
        .map(|op| (*op, op.next()))
        .collect();
    let Some(behind) = parent.next() else { return false };
    edit::move_before(allocation, parent);
    frees.iter().for_each(|free| edit::move_before(*free, behind));
    let fits = device.is_none_or(|device| {
        let Some((space, _)) = footprint(allocation.result(0), device) else {
            return false;
        };
        let room = device.memory(space).map_or(0, |memory| memory.bytes);
        total(function, space, device) <= room || peak(function, space, device) <= room
    });
    if !fits {
        // The deallocation goes first: the allocation may have stood right before it.
        for (op, next) in back.into_iter().rev() {
            if let Some(next) = next {
                edit::move_before(op, next);
            }
        }
    }
    fits
}
