//! Allocations that move into the loop that alone uses them.
//!
//! An iteration that begins by writing a buffer anew needs no memory in common with the one before it, so that copies of
//! the body may have buffers of their own.

use zpu_analysis::body::{Body, is_used_outside};
use zpu_analysis::privatizable::privatizable_buffers;
use zpu_ir::edit::{self, ValueMap, clone_mapped};
use zpu_ir::ty::MemRef;
use zpu_ir::{Builder, Op, Value};

/// Moves the buffers of a loop into its body that were allocated before it, are written anew in each iteration and are
/// used nowhere else.
pub(super) fn sink(body: &Body<'_>) {
    for (root, buffer) in privatizable_buffers(body) {
        let for_ = body.for_;
        let is_static = MemRef::of(root.ty()).is_some_and(|memref| memref.has_static_shape());
        if buffer.is_err() || !is_static || root.is_defined_inside(for_.op) || is_used_outside(root, for_) {
            continue;
        }
        let Some(allocation) = root.defining_op().filter(|op| op.is("memref.alloc")) else {
            continue;
        };
        if let Some(outside) = outside(root, for_.op)
            && let Some(first) = for_.body.ops().next()
        {
            move_in(allocation, &outside, for_.op, first);
        }
    }
}

/// The views of a buffer outside a loop, each after what it is a view of; `None` if one takes other values that are not
/// there before it.
fn outside<'c>(root: Value<'c>, loop_: Op<'c>) -> Option<Vec<Op<'c>>> {
    let mut views: Vec<Op<'c>> = Vec::new();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|used| used.op) {
            if user.is("memref.dealloc") || loop_.contains(user) || views.contains(&user) {
                continue;
            }
            // A view of two buffers, or one after the loop, would have to be moved with more than this one.
            let roots = user.operands().into_iter().filter(|operand| MemRef::of(operand.ty()).is_some());
            if roots.count() != 1 || user.block() != loop_.block() || !user.is_before(loop_) {
                return None;
            }
            views.push(user);
            open.extend(user.results());
        }
    }
    Some(views)
}

fn move_in<'c>(allocation: Op<'c>, views: &[Op<'c>], loop_: Op<'c>, first: Op<'c>) {
    let mut builder = Builder::before(first);
    let mut map = ValueMap::default();
    let moved: Vec<Op<'c>> = [allocation].into_iter().chain(views.iter().copied()).collect();
    for op in &moved {
        clone_mapped(&mut builder, *op, &mut map);
    }
    for value in moved.iter().flat_map(|op| op.results()) {
        for used in value.uses() {
            if loop_.contains(used.op) {
                edit::set_operand(used.op, used.index, map.get(value));
            } else if used.op.is("memref.dealloc") {
                edit::erase(used.op);
            }
        }
    }
    if let Some(end) = first.block().and_then(|block| block.terminator()) {
        let freed = map.get(allocation.result(0));
        Builder::before(end).op("memref.dealloc", &[freed], &[], &[]);
    }
    for op in moved.into_iter().rev() {
        edit::erase(op);
    }
}
