//! `zpu-hoist-copies`: copies that are the same in each iteration of a loop are made once, before it or behind it.
//!
//! Assumes copies between buffers in memories, before they become transfers. Inner loops go first, so that a copy moves
//! out of as many loops as it can. [`invariant`] says which copies may move, and why the others may not.
//!
//! A loop without an iteration makes no copy, and neither may the program that comes of it: [`guard`] puts a condition
//! around the loop and what moves out of it where the number of iterations is not known.

mod guard;
mod invariant;

use std::collections::HashSet;

use zpu_analysis::region::region_of;
use zpu_device::Device;
use zpu_ir::options::HoistCopiesOptions;
use zpu_ir::scf::For;
use zpu_ir::{Op, PassResult, Remark, RemarkKind, annotation, device, edit, ty};

use crate::hoist_allocations::out_of_one;
use invariant::{Invariant, Target};

const PASS: &str = "zpu-hoist-copies";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, _options: &HoistCopiesOptions) -> PassResult {
    let device = device::read(function).ok();
    let mut loops: Vec<For<'_>> = function.walk().into_iter().filter_map(For::of).collect();
    loops.reverse();
    for for_ in loops {
        // A loop without an iteration makes no copy.
        if for_.constant_trip_count() != Some(0) {
            out_of(function, for_, device.as_ref());
        }
    }
    Ok(())
}

/// Moves all copies out of a loop that may move. One group moves at a time, since others may be free to move after it.
fn out_of<'c>(function: Op<'c>, for_: For<'c>, device: Option<&Device>) {
    let (mut moved, mut rejected) = (Vec::new(), HashSet::new());
    loop {
        let mut candidates = invariant::candidates(for_);
        candidates.retain(|candidate| !rejected.contains(&candidate.copy));
        let Some(invariant) = candidates.iter().find_map(|candidate| candidate.verdict.as_ref().ok()) else {
            for (copy, blocker) in candidates
                .iter()
                .filter_map(|one| Some((one.copy, one.verdict.as_ref().err()?)))
            {
                missed(copy, "other-access", &in_the_way(copy, *blocker));
            }
            break;
        };
        match hoist(function, for_, invariant, device) {
            Ok(ops) => moved.extend(ops),
            Err((reason, message)) => {
                let copies = invariant.copies();
                missed(copies[0], reason, message);
                rejected.extend(copies);
            }
        }
    }
    if for_.constant_trip_count().is_none() && !moved.is_empty() {
        guard::put_around(for_, &moved);
    }
}

fn in_the_way(copy: Op<'_>, blocker: Op<'_>) -> String {
    if copy == blocker {
        return "the operands are the same in each iteration, but they may overlap".to_owned();
    }
    format!(
        "the operands are the same in each iteration, but {} may touch them as well",
        blocker.name()
    )
}

/// The reason why a copy stays, as one word for programs and in words.
type Reason = (&'static str, &'static str);

fn missed(copy: Op<'_>, reason: &'static str, message: &str) {
    Remark::new(copy, RemarkKind::Missed, PASS, reason)
        .message(message)
        .emit();
}

/// Moves copies out of a loop, with the views and the allocations that they need. Returns what stands beside the loop
/// now, without the allocations.
fn hoist<'c>(
    function: Op<'c>,
    for_: For<'c>,
    invariant: &Invariant<'c>,
    device: Option<&Device>,
) -> Result<Vec<Op<'c>>, Reason> {
    let has_guard = for_.constant_trip_count().is_none();
    if has_guard && for_.op.num_results() > 0 {
        let message = "the copy is the same in each iteration, but the loop may have none, and has results";
        return Err(("carried-values", message));
    }
    // The analysis of orders does not follow conditions, and would let consumers of a tensor wait for each other.
    let is_known = || invariant.copies().into_iter().any(has_known_order);
    if is_known() || has_guard && function.walk().into_iter().any(is_annotated) {
        let message = "the copy is the same in each iteration, but zpu.streams or zpu.buffer says in which order \
                       memory is accessed";
        return Err(("known-order", message));
    }
    for allocation in &invariant.allocations {
        if !out_of_one(function, *allocation, device) {
            let message = "the copy is the same in each iteration, but its memory has no room for the buffer for as \
                           long as the loop takes";
            return Err(("no-room", message));
        }
    }
    // Where the allocation moved out, its deallocation already stands behind the loop.
    let behind = for_.op.next().expect("a loop does not end its block");
    let mut moved = Vec::new();
    for (copy, target) in &invariant.moves {
        let (place, side) = match target {
            Target::Before => (for_.op, "before"),
            Target::Behind => (behind, "behind"),
        };
        for op in invariant::makers(*copy, for_).unwrap_or_default() {
            edit::move_before(op, for_.op);
            moved.push(op);
        }
        edit::move_before(*copy, place);
        moved.push(*copy);
        Remark::new(*copy, RemarkKind::Passed, PASS, "hoisted")
            .message(format!("the same in each iteration, made {side} the loop"))
            .emit();
    }
    Ok(moved)
}

/// True if the order of accesses is written down of what an operation makes.
fn is_annotated(op: Op<'_>) -> bool {
    op.has_attr(annotation::STREAMS) || op.has_attr(annotation::BUFFER)
}

/// True if an operation touches a buffer whose accesses have an order that is written down.
fn has_known_order(op: Op<'_>) -> bool {
    let memrefs = op.operands().into_iter().filter(|operand| ty::is_memref(operand.ty()));
    let mut makers = memrefs.filter_map(|memref| region_of(memref).root.value().defining_op());
    is_annotated(op) || makers.any(is_annotated)
}
