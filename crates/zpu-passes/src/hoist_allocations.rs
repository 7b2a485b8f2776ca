//! Moves allocations out of the loops around them, as far as the memory has room.
//!
//! An allocation in a loop's body begins each iteration with undefined contents, so it may as well be made before the
//! loop and freed after it. A deallocation at the end of each iteration would wait for all that touches the buffer, and
//! iterations of the outer loop would not overlap. The price is that the buffer takes its memory for all of the loop.

use std::collections::BTreeMap;

use zpu_device::Device;
use zpu_ir::{Op, device, edit};

use zpu_analysis::footprint::{footprint, peak, total};
use zpu_analysis::liveness::handed_on;

/// Moves each of the allocations, with its deallocation, outwards.
pub(crate) fn out_of_loops<'c>(function: Op<'c>, allocations: &[Op<'c>]) {
    let device = device::read(function).ok();
    let mut memories = Memories::of(function, device.as_ref());
    for allocation in allocations {
        while memories.move_out(*allocation) {}
    }
}

/// Moves an allocation, with its deallocation, out of the control flow around it. False, and nothing is changed, where
/// that cannot be done or its memory has no room for that.
pub(crate) fn out_of_one<'c>(function: Op<'c>, allocation: Op<'c>, device: Option<&Device>) -> bool {
    Memories::of(function, device).move_out(allocation)
}

/// The memories that a function's allocations are in.
struct Memories<'c, 'd> {
    function: Op<'c>,
    /// Without one, there is room for everything.
    device: Option<&'d Device>,
    /// Bytes of all allocations of a memory. They stay the same wherever the allocations are.
    totals: BTreeMap<&'c str, u64>,
}

impl<'c, 'd> Memories<'c, 'd> {
    fn of(function: Op<'c>, device: Option<&'d Device>) -> Self {
        Self {
            function,
            device,
            totals: BTreeMap::new(),
        }
    }

    fn move_out(&mut self, allocation: Op<'c>) -> bool {
        movable(allocation).is_some_and(|frees| self.step(allocation, &frees))
    }

    /// Moves an allocation out of the operation around it, unless the peak of its memory would then exceed the memory's
    /// size.
    fn step(&mut self, allocation: Op<'c>, frees: &[Op<'c>]) -> bool {
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
        let fits = self.have_room_for(allocation);
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

    /// True if the memory of an allocation has room for all that is alive at a time.
    fn have_room_for(&mut self, allocation: Op<'c>) -> bool {
        let (function, Some(device)) = (self.function, self.device) else {
            return true;
        };
        let Some((space, _)) = footprint(allocation.result(0), device) else {
            return false;
        };
        let room = device.memory(space).map_or(0, |memory| memory.bytes);
        let total = self
            .totals
            .entry(space)
            .or_insert_with(|| total(function, space, device));
        *total <= room || peak(function, space, device) <= room
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
    // An iteration that hands its buffer on is followed by one with a buffer of its own.
    if handed_on(allocation).is_some() {
        return None;
    }
    let uses = allocation.result(0).uses().into_iter();
    let frees: Vec<Op<'c>> = uses.map(|used| used.op).filter(|op| op.is("memref.dealloc")).collect();
    let beside = frees.iter().all(|free| free.block() == allocation.block());
    (beside && frees.len() <= 1).then_some(frees)
}
