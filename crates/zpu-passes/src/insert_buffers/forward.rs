//! Leaves out copies between a buffer that stands for a tensor and buffers of one iteration.
//!
//! A result that an iteration computes into a buffer of its own and then copies into its part of the tensor can be
//! computed there at once, and a part that it copies out can be read in place.

use zpu_analysis::access::{Access, accesses, places_of};
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Block, Op, Value, annotation, edit};

use super::storage::only_accesses;

/// Leaves out such copies in the body of a loop. Buffers are those that are allocated there, and `others`, which come
/// before the loop.
pub(super) fn forward<'c>(for_: For<'c>, others: &[Value<'c>]) {
    while let Some(copy) = find(for_.body, others) {
        let Copy { op, kept, dropped } = copy;
        let allocation = dropped.defining_op().expect("the buffer is allocated");
        for user in dropped.uses() {
            if user.op.is("memref.dealloc") {
                edit::erase(user.op);
            }
        }
        edit::erase(op);
        edit::replace_all_uses(dropped, kept);
        // Whoever takes the place of a buffer that stands for a tensor stands for it.
        if let Some(note) = allocation.attr(annotation::BUFFER)
            && let Some(other) = kept.defining_op().filter(|op| op.is("memref.alloc"))
            && !other.has_attr(annotation::BUFFER)
        {
            other.set_attr(annotation::BUFFER, note);
        }
        edit::erase(allocation);
    }
}

/// A copy that is superfluous if one of its buffers stands for the other.
struct Copy<'c> {
    op: Op<'c>,
    kept: Value<'c>,
    dropped: Value<'c>,
}

fn find<'c>(block: Block<'c>, others: &[Value<'c>]) -> Option<Copy<'c>> {
    let copies: Vec<Op<'c>> = block.ops().filter(|op| op.is("memref.copy")).collect();
    copies.into_iter().find_map(|op| {
        let (source, dest) = (op.operand(0), op.operand(1));
        written_in_place(op, source, dest, others).or_else(|| read_in_place(op, source, dest, others))
    })
}

/// An allocation of the block of which all uses are accesses: nothing else is or names the same memory.
fn is_own<'c>(value: Value<'c>, block: Option<Block<'c>>) -> bool {
    let is_allocation = value
        .defining_op()
        .is_some_and(|op| op.is("memref.alloc") && op.block() == block);
    is_allocation && value.uses().into_iter().all(|used| only_accesses(used.op))
}

/// The allocation that a value is, or is a subview of, if that is in the same block or among others.
fn buffer_of<'c>(value: Value<'c>, block: Option<Block<'c>>, others: &[Value<'c>]) -> Option<Value<'c>> {
    let op = value.defining_op()?;
    let root = if op.is("memref.subview") { op.operand(0) } else { value };
    let allocation = root.defining_op()?;
    let is_known = allocation.block() == block || others.contains(&root);
    (allocation.is("memref.alloc") && is_known).then_some(root)
}

/// The operations of the block that hold the uses of a value, in order.
fn users<'c>(value: Value<'c>, block: Block<'c>) -> Vec<Op<'c>> {
    let uses = value.uses();
    let holds = |op: &Op<'c>| uses.iter().any(|used| op.contains(used.op));
    block.ops().filter(holds).collect()
}

/// True if `own` can be a `part` of a buffer: one that has no memory yet can be in that of any other buffer.
fn same_form<'c>(own: Value<'c>, part: Value<'c>, is_other: bool) -> bool {
    let (own, part) = (MemRef::of(own.ty()), MemRef::of(part.ty()));
    own.zip(part).is_some_and(|(own, part)| {
        let is_open = is_other && own.space_attr.is_none();
        own.shape == part.shape && own.element == part.element && (is_open || own.space_attr == part.space_attr)
    })
}

/// True if no operation after `from` and before `to` conflicts with what a full access of `part` does.
fn is_untouched<'c>(block: Block<'c>, from: Op<'c>, to: Op<'c>, part: Value<'c>) -> bool {
    let own = places_of(part);
    let between = block
        .ops()
        .skip_while(|op| *op != from)
        .skip(1)
        .take_while(|op| *op != to);
    let mut others = between.filter(|op| !op.is_memory_effect_free() && !op.is("memref.alloc"));
    others.all(|op| {
        let meets = |access: &Access<'c>| own.iter().any(|own| own.conflicts(access));
        accesses(op).is_some_and(|all| !all.iter().any(meets))
    })
}

/// `%own` is computed, copied into a part of a buffer, and not used after: it may be that part from the beginning.
fn written_in_place<'c>(op: Op<'c>, own: Value<'c>, part: Value<'c>, others: &[Value<'c>]) -> Option<Copy<'c>> {
    let block = op.block()?;
    let buffer = buffer_of(part, Some(block), others)?;
    if !is_own(own, Some(block)) || !same_form(own, part, others.contains(&buffer)) || own == part {
        return None;
    }
    let users = users(own, block);
    let first = *users.first()?;
    let is_after = |user: &Op<'c>| op.is_before(*user) && !user.is("memref.dealloc");
    if users.iter().any(is_after) || first == op {
        return None;
    }
    // The part is named before it is needed: by a view that only indices and the buffer itself go into.
    let view = part.defining_op()?;
    let place = own.defining_op()?;
    if !view.is_before(first) {
        let known = |value: Value<'c>| {
            value
                .defining_op()
                .is_none_or(|op| op.block() != Some(block) || op.is_before(first))
        };
        if !view.operands().into_iter().all(known) {
            return None;
        }
    }
    if !is_untouched(block, place, op, part) {
        return None;
    }
    if !view.is_before(first) {
        edit::move_before(view, first);
    }
    Some(Copy {
        op,
        kept: part,
        dropped: own,
    })
}

/// A part of a buffer is copied into `%own`, which is only read after: it may be read in place.
fn read_in_place<'c>(op: Op<'c>, part: Value<'c>, own: Value<'c>, others: &[Value<'c>]) -> Option<Copy<'c>> {
    let block = op.block()?;
    let buffer = buffer_of(part, Some(block), others)?;
    let is_other = others.contains(&buffer);
    if !is_own(own, Some(block)) || !same_form(own, part, is_other) || own == part {
        return None;
    }
    let users = users(own, block);
    if *users.first()? != op {
        return None;
    }
    let last = users.iter().rev().find(|user| !user.is("memref.dealloc")).copied()?;
    let changes = users.iter().any(|user| {
        let all = accesses(*user).unwrap_or_default();
        *user != op
            && !user.is("memref.dealloc")
            && all
                .iter()
                .any(|access| access.write && access.region.root.value() == own)
    });
    // What is in a buffer of all iterations may be needed by the next one.
    if changes && is_other {
        return None;
    }
    let frees = |other: &Op<'c>| other.is("memref.dealloc") && other.operand(0) == buffer;
    let parts = places_of(part);
    let meets = |access: &Access<'c>| {
        let is_other = access.region.root.value() != own;
        is_other && (access.write || changes) && parts.iter().any(|part| part.conflicts(access))
    };
    // Nobody may need the old contents of a part that is changed in place, until the buffer is freed.
    let mut is_last_passed = false;
    let mut is_free = true;
    for other in block.ops().skip_while(|other| *other != op).skip(1) {
        if is_last_passed && (!changes || frees(&other)) {
            break;
        }
        if !other.is_memory_effect_free() && !other.is("memref.alloc") {
            is_free &= accesses(other).is_some_and(|all| !all.iter().any(meets));
        }
        is_last_passed |= other == last;
    }
    is_free.then_some(Copy {
        op,
        kept: part,
        dropped: own,
    })
}
