//! Rings of versions, and how one is used as if it had a slot less.

use zpu_ir::ty::{MemRef, dynamic_size};
use zpu_ir::{Builder, Op, attr, edit};

/// Allocations that are entered one index of the outermost dimension at a time, at least once by a computed one, with
/// the size of that dimension.
pub fn rings<'c>(module: Op<'c>) -> Vec<(Op<'c>, i64)> {
    let size = |op: Op<'c>| -> Option<i64> {
        let size = (*MemRef::of(op.result(0).ty())?.shape.first()?)?;
        let views: Vec<Op<'c>> = op.result(0).uses().iter().map(|each| each.op).collect();
        let is_slot = |view: &Op<'c>| view.is("memref.subview") && first(*view, "static_sizes") == Some(1);
        let fits = views.iter().all(|view| view.is("memref.dealloc") || is_slot(view));
        (size > 1 && fits && views.iter().any(|view| is_computed_slot(*view))).then_some(size)
    };
    let allocations = module.find_all("memref.alloc").into_iter();
    allocations.filter_map(|op| Some((op, size(op)?))).collect()
}

/// Lets the computed slots of a ring of that size be those of one with one slot less.
pub fn shrink_ring(ring: Op<'_>, size: i64) {
    let views: Vec<Op<'_>> = ring.result(0).uses().iter().map(|each| each.op).collect();
    for view in views
        .into_iter()
        .filter(|op| op.is("memref.subview") && is_computed_slot(*op))
    {
        let slot = view.operand(1);
        let remainder = slot.defining_op().filter(|op| op.is("arith.remui"));
        let mut builder = Builder::before(view);
        let modulus = builder.index(size - 1);
        let slot = builder.binary("arith.remui", remainder.map_or(slot, |op| op.operand(0)), modulus);
        edit::set_operand(view, 1, slot);
    }
}

fn first(view: Op<'_>, name: &str) -> Option<i64> {
    view.attr(name).and_then(attr::as_int_array)?.first().copied()
}

fn is_computed_slot(view: Op<'_>) -> bool {
    first(view, "static_offsets") == Some(dynamic_size())
}
