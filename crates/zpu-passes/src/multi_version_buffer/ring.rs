//! Makes a ring, and replaces the uses of the buffer by views of slots.

use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Builder, Op, Value, annotation, attr, edit};

use super::Versioned;
use super::slots::Slots;
use crate::iteration_number::exact;
use zpu_analysis::privatizable::moves_with_its_source;

/// Turns a buffer into a ring, or moves its single version out of the loop. Returns the new allocation.
pub(super) fn make<'c>(buffer: &Versioned<'c>, slots: &mut Slots<'c>) -> Op<'c> {
    let allocation = buffer.allocation;
    let old = allocation.result(0);
    allocation.remove_attr(annotation::VERSIONS);
    // The edges of one version are not those of all versions, nor are its accesses.
    allocation.remove_attr(annotation::STREAMS);
    allocation.remove_attr(annotation::BUFFER);
    let home = buffer.home();
    // A size that the loop computes is known only from the allocation on.
    let is_variant = MemRef::of(old.ty()).is_some_and(|memref| memref.shape != buffer.room);
    if buffer.versions > 1 {
        sink_views(buffer);
    }
    let uses = old.uses();
    let (frees, uses): (Vec<_>, Vec<_>) = uses.into_iter().partition(|used| used.op.is("memref.dealloc"));
    if buffer.versions == 1 && !is_variant {
        if let Some(home) = home {
            edit::move_before(allocation, home.op);
            let frees: Vec<_> = frees.iter().map(|free| free.op).collect();
            free_behind(home, old, frees);
        }
        return allocation;
    }
    let ring = allocate(buffer, home);
    match home {
        Some(home) => free_behind(home, ring, frees.iter().map(|free| free.op).collect()),
        None => frees.iter().for_each(|free| edit::set_operand(free.op, 0, ring)),
    }
    let mut views: Vec<(Option<For<'c>>, Value<'c>)> = Vec::new();
    for used in uses {
        let counted = buffer.loops.iter().find(|(for_, _)| for_.op.contains(used.op));
        let for_ = counted.map(|(for_, _)| *for_);
        let view = match views.iter().find(|(of, _)| *of == for_) {
            Some((_, view)) => *view,
            None => {
                let slot = match counted {
                    Some((for_, life)) => slots.slot(*for_, buffer.versions, *life),
                    None => Builder::before(allocation).index(0),
                };
                let place = counted
                    .and(slot.defining_op())
                    .filter(|_| !is_variant)
                    .unwrap_or(allocation);
                let view = view_of_slot(&mut Builder::after(place).like(allocation), buffer, ring, slot);
                views.push((for_, view));
                view
            }
        };
        edit::set_operand(used.op, used.index, view);
    }
    views.into_iter().for_each(|(_, view)| loosen_offsets(view));
    let result = ring.defining_op().expect("a ring is an allocation");
    edit::erase(allocation);
    result
}

/// Gives each loop that counts versions views of its own in place of those from outside, which are views of one slot.
fn sink_views(buffer: &Versioned<'_>) {
    let is_counted = |op: Op<'_>| buffer.loops.iter().any(|(for_, _)| for_.op.contains(op));
    let mut views = vec![buffer.allocation];
    let mut next = 0;
    while let Some(view) = views.get(next) {
        let users = view.result(0).uses().into_iter().map(|used| used.op);
        let new: Vec<_> = users
            .filter(|user| moves_with_its_source(*user) && !is_counted(*user) && !views.contains(user))
            .collect();
        views.extend(new);
        next += 1;
    }
    // In `views`, each view comes after its source; a copy of a view is another use of its source in the loop.
    for view in views.into_iter().skip(1).rev() {
        for (for_, _) in &buffer.loops {
            let uses = view.result(0).uses().into_iter();
            let inside: Vec<_> = uses.filter(|used| for_.op.contains(used.op)).collect();
            let mut ops = for_.body.ops();
            let Some(first) = ops.find(|op| inside.iter().any(|used| op.contains(used.op))) else {
                continue;
            };
            let copy = Builder::before(first).clone_op(view).result(0);
            inside
                .into_iter()
                .for_each(|used| edit::set_operand(used.op, used.index, copy));
        }
    }
}

/// Allocates the ring before the loop in whose body the buffer was allocated, or in the buffer's place.
fn allocate<'c>(buffer: &Versioned<'c>, home: Option<For<'c>>) -> Value<'c> {
    let (allocation, room) = (buffer.allocation, buffer.room.as_slice());
    let old = MemRef::of(allocation.result(0).ty()).expect("a channel is a ranked memref");
    let mut builder = Builder::before(home.map_or(allocation, |home| home.op)).like(allocation);
    let mut sizes = allocation.operands();
    if old.shape.first() == Some(&None) && room[0].is_some() {
        sizes.remove(0);
    }
    let mut shape = vec![Some(buffer.versions)];
    if buffer.slot.is_dense() {
        shape.extend(room);
    } else {
        let rows = buffer.slot.rows(room);
        if rows.is_none() {
            sizes[0] = rounded_up(&mut builder, sizes[0], buffer.slot.multiple);
        }
        shape.push(rows);
        shape.extend(&room[buffer.slot.merged..]);
    }
    let ring_type = ty::make(&shape, old.element, None, old.space_attr);
    let segments = attr::int32_array(builder.context(), &[i32::try_from(sizes.len()).unwrap_or(0), 0]);
    let mut attrs = allocation.attrs();
    attrs.retain(|(name, _)| *name != "operandSegmentSizes");
    attrs.push(("operandSegmentSizes", segments));
    builder.op(allocation.name(), &sizes, &[ring_type], &attrs).result(0)
}

/// Emits `size` rounded up to a multiple.
fn rounded_up<'c>(builder: &mut Builder<'c>, size: Value<'c>, multiple: i64) -> Value<'c> {
    let multiple = builder.index(multiple);
    let count = builder.binary("arith.ceildivui", size, multiple);
    exact(builder, "arith.muli", count, multiple)
}

/// Emits the view that replaces the buffer's allocation: the beginning of a slot, in the buffer's shape.
fn view_of_slot<'c>(builder: &mut Builder<'c>, buffer: &Versioned<'c>, ring: Value<'c>, slot: Value<'c>) -> Value<'c> {
    let old = MemRef::of(buffer.allocation.result(0).ty()).expect("a channel is a ranked memref");
    let (merged, rest) = old.shape.split_at(buffer.slot.merged);
    if merged.len() < 2 {
        return builder.slot_view(ring, slot, &old.shape, &buffer.allocation.operands());
    }
    // Dimensions are merged only where all sizes are constant.
    let merged: Vec<i64> = merged.iter().flatten().copied().collect();
    let mut shape = vec![Some(merged.iter().product())];
    shape.extend(rest);
    let view = builder.slot_view(ring, slot, &shape, &[]);
    builder.expand_first(view, &merged)
}

/// Frees the ring after the loop if the buffer was freed in each iteration.
fn free_behind<'c>(for_: For<'c>, ring: Value<'c>, frees: Vec<Op<'c>>) {
    if let Some(free) = frees.first() {
        let mut builder = Builder::after(for_.op).like(*free);
        builder.op("memref.dealloc", &[ring], &[], &[]);
    }
    frees.into_iter().for_each(edit::erase);
}

/// Makes the offsets of all views of a slot dynamic; their strides stay.
fn loosen_offsets(view: Value<'_>) {
    for user in view.uses() {
        if !moves_with_its_source(user.op) || user.index != 0 {
            continue;
        }
        let result = user.op.result(0);
        let Some(memref) = MemRef::of(result.ty()) else {
            continue;
        };
        let layout = ty::strided_layout(user.op.context(), None, &memref.strides);
        edit::set_type(
            result,
            ty::make(&memref.shape, memref.element, Some(layout), memref.space_attr),
        );
        loosen_offsets(result);
    }
}
