//! Allocations that move into the loops that alone use them.
//!
//! An iteration that begins by writing a buffer anew needs no memory in common with the one before it, so that copies
//! of the body may have buffers of their own. Neither do two loops need it in common of which each does so.

use zpu_analysis::body::is_used_outside;
use zpu_analysis::privatizable::Touched;
use zpu_ir::edit::{self, ValueMap, clone_mapped};
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Builder, Op, Value};

/// Moves buffers into the body of an innermost loop that were allocated before it, are written anew in each iteration,
/// and are used elsewhere in loops alone that do so, too.
pub(super) fn sink(for_: For<'_>) {
    let touched = Touched::of(for_);
    for root in touched.roots.clone() {
        let is_static = MemRef::of(root.ty()).is_some_and(|memref| memref.has_static_shape());
        if !is_static || root.is_defined_inside(for_.op) || !touched.is_self_contained(root) {
            continue;
        }
        let Some(allocation) = root.defining_op().filter(|op| op.is("memref.alloc")) else {
            continue;
        };
        let Some(others) = others(root, for_) else { continue };
        let is_open = |other: &For<'_>| Touched::of(*other).is_self_contained(root);
        if !others.iter().all(is_open) {
            continue;
        }
        if let Some(views) = views(root, for_.op)
            && let Some(first) = for_.body.ops().next()
        {
            move_in(allocation, &views, for_.op, first, others.is_empty());
        }
    }
}

/// The innermost other loops that use a buffer; `None` if something uses it that is in no loop.
fn others<'c>(root: Value<'c>, for_: For<'c>) -> Option<Vec<For<'c>>> {
    if !is_used_outside(root, for_) {
        return Some(Vec::new());
    }
    let mut loops: Vec<For<'c>> = Vec::new();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|used| used.op) {
            if user.is("memref.dealloc") || for_.op.contains(user) {
                continue;
            }
            let is_view = user.is_memory_effect_free() && user.regions().is_empty() && user.num_results() == 1;
            if is_view {
                open.extend(user.results());
                continue;
            }
            // A loop around this one as well would not be another one.
            let other = user
                .parents()
                .find_map(For::of)
                .filter(|other| !other.op.contains(for_.op))?;
            if !loops.contains(&other) {
                loops.push(other);
            }
        }
    }
    Some(loops)
}

/// The views of a buffer outside a loop that are used in it, each after what it is a view of; `None` if one is not
/// there before the loop.
fn views<'c>(root: Value<'c>, loop_: Op<'c>) -> Option<Vec<Op<'c>>> {
    let is_used_in = |value: Value<'c>| {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            for user in value.uses().into_iter().map(|used| used.op) {
                if loop_.contains(user) {
                    return true;
                }
                let is_view = user.is_memory_effect_free() && user.regions().is_empty();
                open.extend(user.results().into_iter().filter(|_| is_view));
            }
        }
        false
    };
    let mut views: Vec<Op<'c>> = Vec::new();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|used| used.op) {
            let results = user.results();
            let is_view = !user.is("memref.dealloc") && results.len() == 1 && user.is_memory_effect_free();
            if !is_view || loop_.contains(user) || views.contains(&user) || !is_used_in(results[0]) {
                continue;
            }
            let mut around = [loop_].into_iter().chain(loop_.parents());
            let is_before = around.any(|around| around.block() == user.block() && user.is_before(around));
            let buffers = user
                .operands()
                .into_iter()
                .filter(|operand| MemRef::of(operand.ty()).is_some());
            if !is_before || buffers.count() != 1 {
                return None;
            }
            views.push(user);
            open.extend(results);
        }
    }
    Some(views)
}

/// Makes a buffer for the loop; `is_last` says that nothing else uses the old one.
fn move_in<'c>(allocation: Op<'c>, views: &[Op<'c>], loop_: Op<'c>, first: Op<'c>, is_last: bool) {
    let mut builder = Builder::before(first);
    let mut map = ValueMap::default();
    let moved: Vec<Op<'c>> = [allocation].into_iter().chain(views.iter().copied()).collect();
    for op in &moved {
        clone_mapped(&mut builder, *op, &mut map);
    }
    for value in moved.iter().flat_map(|op| op.results()) {
        for used in value.uses() {
            if loop_.contains(used.op) && !moved.contains(&used.op) {
                edit::set_operand(used.op, used.index, map.get(value));
            } else if is_last && used.op.is("memref.dealloc") {
                edit::erase(used.op);
            }
        }
    }
    if let Some(end) = first.block().and_then(|block| block.terminator()) {
        let freed = map.get(allocation.result(0));
        Builder::before(end).op("memref.dealloc", &[freed], &[], &[]);
    }
    for op in moved.into_iter().rev() {
        if op.results().into_iter().all(Value::is_unused) {
            edit::erase(op);
        }
    }
}
