//! Buffers through which the units of one iteration pass data, and nothing else: those that may become rings.
//!
//! An allocation `R` that units of a loop body access is a *channel* of the loop when
//!
//! 1. **no iteration sees what another left**: `R` is allocated in the body, so that each iteration begins with undefined
//!    contents; or, for every read of `R` in the body, an earlier operation of the same iteration, one that does not read
//!    `R` itself, certainly has written all that the read may touch (the whole of `R`, or the very same view);
//! 2. **nobody outside looks**: outside the loop, `R` and its views are used by deallocations only;
//! 3. **a ring of it can be allocated in front of the loop**: its layout is the identity, and its sizes are defined outside
//!    the loop (constants of its type, when it is allocated outside);
//! 4. **every use is understood**: inside the loop, `R` reaches only views whose region the analysis still roots at `R`, units,
//!    size queries and deallocations; no other access may touch the same memory under another name.
//!
//! Then the contents of `R` at the end of an iteration are dead, and giving iteration `k` the version `k mod N` of a ring
//! changes no result for any `N >= 1`. The order that remains to be kept is that of the dependences within an
//! iteration, and each reader of a version before its next writer: reader -> writer at distance `N`.

use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, ty};

use super::access::{Access, accesses};
use super::body::{Body, Decline, is_used_outside};
use super::region::{Root, region_of};

/// A buffer that may become a ring of versions, by positions in the body's unit list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Channel<'c> {
    /// The allocation.
    pub(crate) root: Value<'c>,
    /// Units that write it, in program order.
    pub(crate) writers: Vec<usize>,
    /// Units after which a version may be written again: those that read it, and writers that no reader follows.
    pub(crate) readers: Vec<usize>,
}

/// Every allocation that units of the body access, in the order of first access: a channel, or why it is none.
pub(crate) fn channels<'c>(body: &Body<'c>) -> Vec<(Value<'c>, Result<Channel<'c>, Decline<'c>>)> {
    let mut roots: Vec<Value<'c>> = Vec::new();
    for access in body.units.iter().flat_map(|unit| &unit.accesses) {
        if let Root::Allocation(root) = access.region.root
            && !roots.contains(&root)
        {
            roots.push(root);
        }
    }
    roots.into_iter().map(|root| (root, channel(body, root))).collect()
}

fn channel<'c>(body: &Body<'c>, root: Value<'c>) -> Result<Channel<'c>, Decline<'c>> {
    let inside = root.is_defined_inside(body.for_.op);
    check_allocation(body, root, inside)?;
    if !inside && is_used_outside(root, body.for_) {
        let message = "the buffer is used outside the loop, so each iteration works on the same contents";
        return Err(Decline::new("used-outside", alloc_of(body, root), message));
    }
    check_uses(body, root)?;
    check_names(body, root)?;
    if !inside {
        check_covered(body, root)?;
    }
    let touching = |write: bool| -> Vec<usize> {
        let touches = |access: &Access<'c>| access.write == write && access.region.root.value() == root;
        let units = body.units.iter().enumerate();
        units
            .filter(|(_, unit)| unit.accesses.iter().any(touches))
            .map(|(i, _)| i)
            .collect()
    };
    let (writers, mut readers) = (touching(true), touching(false));
    let last_read = readers.last().copied();
    readers.extend(
        writers
            .iter()
            .filter(|writer| last_read.is_none_or(|last| **writer > last)),
    );
    Ok(Channel { root, writers, readers })
}

/// The operation to blame: the allocation.
fn alloc_of<'c>(body: &Body<'c>, root: Value<'c>) -> Op<'c> {
    root.defining_op().unwrap_or(body.for_.op)
}

/// Condition 3.
fn check_allocation<'c>(body: &Body<'c>, root: Value<'c>, inside: bool) -> Result<(), Decline<'c>> {
    let alloc = alloc_of(body, root);
    let Some(memref) = MemRef::of(root.ty()).filter(MemRef::is_identity_layout) else {
        return Err(Decline::new(
            "layout",
            alloc,
            "the allocation's layout is not the identity",
        ));
    };
    if !inside && !memref.has_static_shape() {
        let message = "the buffer is allocated outside the loop with sizes that are not constant";
        return Err(Decline::new("dynamic-size", alloc, message));
    }
    if inside
        && alloc
            .operands()
            .into_iter()
            .any(|size| size.is_defined_inside(body.for_.op))
    {
        let message = "the buffer is allocated in the loop with a size that is computed there";
        return Err(Decline::new("variant-size", alloc, message));
    }
    Ok(())
}

/// Condition 4, the uses.
fn check_uses<'c>(body: &Body<'c>, root: Value<'c>) -> Result<(), Decline<'c>> {
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        for used in value.uses() {
            let user = used.op;
            let in_unit = body.units.iter().any(|unit| unit.op.contains(user));
            let stored = user.is("memref.store") && used.index == 0;
            let views: Vec<Value<'c>> = user.results().into_iter().filter(|v| ty::is_memref(v.ty())).collect();
            let follows = views.iter().all(|view| region_of(*view).root == Root::Allocation(root));
            let is_view = !views.is_empty() && user.is_memory_effect_free() && user.regions().is_empty();
            let known = if body.for_.op.contains(user) {
                in_unit && !stored || is_view || matches!(user.name(), "memref.dim" | "memref.dealloc")
            } else {
                user.is("memref.dealloc")
            };
            if !known || !follows {
                let message = format!("the buffer reaches {}, which the analysis does not follow", user.name());
                return Err(Decline::new("escapes", user, message));
            }
            if user.is("memref.dealloc") && !root.is_defined_inside(body.for_.op) && body.for_.op.contains(user) {
                let message = "the buffer is allocated outside the loop and deallocated in it";
                return Err(Decline::new("deallocated-inside", user, message));
            }
            open.extend(views);
        }
    }
    Ok(())
}

/// Condition 4, other names for the same memory.
fn check_names<'c>(body: &Body<'c>, root: Value<'c>) -> Result<(), Decline<'c>> {
    for unit in &body.units {
        for access in &unit.accesses {
            let other = access.region.root;
            if other.value() != root && other.may_alias(Root::Allocation(root)) {
                let message = format!(
                    "{} accesses memory of unknown origin, which may be the buffer",
                    unit.op.name()
                );
                return Err(Decline::new("unknown-alias", unit.op, message));
            }
        }
    }
    Ok(())
}

/// Condition 1 for an allocation outside the loop: every read is covered by a write before it.
fn check_covered<'c>(body: &Body<'c>, root: Value<'c>) -> Result<(), Decline<'c>> {
    let mut written: Vec<Access<'c>> = Vec::new();
    for unit in &body.units {
        for (op, all) in steps(unit.op, &unit.accesses) {
            let here = all.iter().filter(|access| access.region.root.value() == root);
            let (writes, reads): (Vec<_>, Vec<_>) = here.partition(|access| access.write);
            if let Some(read) = reads
                .iter()
                .find(|read| !written.iter().any(|write| covers(write, read)))
            {
                let kept = writes.iter().any(|write| write.conflicts(read));
                let (reason, how) = if kept {
                    ("accumulates", "reads and writes the buffer")
                } else {
                    ("read-before-write", "reads the buffer")
                };
                let message = format!(
                    "{} {how} before all that it reads was written in the same iteration, so contents pass from one iteration \
                     to the next",
                    op.name()
                );
                return Err(Decline::new(reason, op, message));
            }
            written.extend(writes.into_iter().filter(|write| write.full).cloned());
        }
    }
    Ok(())
}

/// The operations that a unit does one after the other, each with its accesses.
fn steps<'c>(op: Op<'c>, all: &[Access<'c>]) -> Vec<(Op<'c>, Vec<Access<'c>>)> {
    let inner =
        |body: zpu_ir::Block<'c>| -> Option<Vec<_>> { body.ops().map(|op| Some((op, accesses(op)?))).collect() };
    op.is("zpu.compute")
        .then(|| op.body().and_then(inner))
        .flatten()
        .unwrap_or_else(|| vec![(op, all.to_vec())])
}

/// Whether a full write leaves nothing of what `read` touches as it was.
fn covers(write: &Access<'_>, read: &Access<'_>) -> bool {
    write.region.is_whole_root() || (write.whole_of.is_some() && write.whole_of == read.whole_of)
}

/// A view of the buffer that has to start at offset 0, which a slot of a ring of several versions does not.
pub(crate) fn view_at_zero<'c>(root: Value<'c>) -> Option<Op<'c>> {
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|used| used.op) {
            let mut views = user.results().into_iter().filter(|v| ty::is_memref(v.ty())).peekable();
            if views.peek().is_some() && !matches!(user.name(), "memref.subview" | "memref.cast") {
                return Some(user);
            }
            open.extend(views);
        }
    }
    None
}
