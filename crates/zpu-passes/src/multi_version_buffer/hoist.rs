//! Moves allocations out of the loops around them, as far as the memory has room.
//!
//! An allocation in a loop's body begins each iteration with undefined contents, so one that is made before the loop
//! and freed behind it is as right; and what is freed at the end of each iteration has to be complete by then, which
//! keeps iterations of the outer loop from overlapping. The price is that it takes its memory for all of the loop.

use zpu_device::Device;
use zpu_ir::{Op, device, edit};

use zpu_analysis::footprint::{footprint, peak, total};

/// Moves each of the allocations, with its deallocation, outwards.
pub(super) fn out_of_loops<'c>(function: Op<'c>, allocations: &[Op<'c>]) {
    let device = device::read(function).ok();
    for allocation in allocations {
        while let Some(frees) = movable(*allocation) {
            if !step(function, *allocation, &frees, device.as_ref()) {
                break;
            }
        }
    }
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

/// Moves an allocation out of the operation around it; not if that makes more of a memory needed than there is.
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
        // The deallocation first: it may be what the allocation stood in front of.
        for (op, next) in back.into_iter().rev() {
            if let Some(next) = next {
                edit::move_before(op, next);
            }
        }
    }
    fits
}
