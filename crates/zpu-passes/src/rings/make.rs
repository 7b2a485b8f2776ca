//! Makes a ring, and replaces the uses of the buffer, or of several, by views of slots.

use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Builder, Op, Use, Value, annotation, attr, edit};

use super::Versioned;
use super::slots::Slots;
use crate::iteration_number::exact;
use zpu_analysis::privatizable::moves_with_its_source;

/// Turns a buffer into a ring, or moves its single version out of the loop. Returns the new allocation.
pub(crate) fn make<'c>(buffer: &Versioned<'c>, slots: &mut Slots<'c>) -> Op<'c> {
    let allocation = buffer.allocation;
    let old = allocation.result(0);
    forget_notes(allocation);
    let home = buffer.home();
    if buffer.versions > 1 {
        sink_views(buffer);
    }
    let (frees, uses) = frees_and_uses(old);
    if buffer.versions == 1 && !buffer.is_variant() {
        if let Some(home) = home {
            edit::move_before(allocation, home.op);
            free_behind(home, old, frees);
        }
        return allocation;
    }
    let ring = allocate(buffer, home);
    match home {
        Some(home) => free_behind(home, ring, frees),
        None => frees.into_iter().for_each(|free| edit::set_operand(free, 0, ring)),
    }
    replace(buffer, 0, ring, uses, slots);
    ring.defining_op().expect("a ring is an allocation")
}

/// Turns buffers of one loop into one ring, each with the number of the slot in which its first version is. Returns the
/// new allocation. If it is one of bytes, each slot begins at a multiple of `alignment`, if there is one.
pub(crate) fn join<'c>(
    members: &[(Versioned<'c>, i64)],
    alignment: Option<i64>,
    slots: &mut Slots<'c>,
) -> Option<Op<'c>> {
    let (first, _) = members.first()?;
    for (member, _) in members {
        forget_notes(member.allocation);
        sink_views(member);
    }
    let home = first.home();
    let ring = match first.pitch {
        Some(pitch) => allocate_bytes(first, home, pitch.checked_mul(first.versions)?, alignment),
        None => allocate(first, home),
    };
    let of_members: Vec<_> = members
        .iter()
        .map(|(member, _)| frees_and_uses(member.allocation.result(0)))
        .collect();
    let mut frees = of_members.iter().map(|(frees, _)| frees.clone());
    match home {
        Some(home) => free_behind(home, ring, frees.flatten().collect()),
        // All are used in the loop alone, so each may be freed where another one is.
        None => {
            let kept = frees.find(|frees| !frees.is_empty()).unwrap_or_default();
            kept.into_iter().for_each(|free| edit::set_operand(free, 0, ring));
            frees.flatten().for_each(edit::erase);
        }
    }
    for ((member, slot), (_, uses)) in members.iter().zip(of_members) {
        replace(member, *slot, ring, uses, slots);
    }
    ring.defining_op()
}

/// The edges of one version are not those of all versions, nor are its accesses.
fn forget_notes(allocation: Op<'_>) {
    for name in [
        annotation::VERSIONS,
        annotation::JOINT_RING,
        annotation::STREAMS,
        annotation::BUFFER,
    ] {
        allocation.remove_attr(name);
    }
}

/// The deallocations of a buffer, and its other uses.
fn frees_and_uses(buffer: Value<'_>) -> (Vec<Op<'_>>, Vec<Use<'_>>) {
    let (frees, uses): (Vec<_>, Vec<_>) = buffer.uses().into_iter().partition(|used| used.op.is("memref.dealloc"));
    (frees.into_iter().map(|free| free.op).collect(), uses)
}

/// Replaces the uses of a buffer by views of the slots of a ring, of which iteration 0 has number `first`, and erases
/// its allocation.
fn replace<'c>(buffer: &Versioned<'c>, first: i64, ring: Value<'c>, uses: Vec<Use<'c>>, slots: &mut Slots<'c>) {
    let allocation = buffer.allocation;
    let mut views: Vec<(Option<For<'c>>, Value<'c>)> = Vec::new();
    for used in uses {
        let counted = buffer.loops.iter().find(|(for_, _)| for_.op.contains(used.op));
        let for_ = counted.map(|(for_, _)| *for_);
        let view = match views.iter().find(|(of, _)| *of == for_) {
            Some((_, view)) => *view,
            None => {
                let slot = match counted {
                    Some((for_, life)) => slots.slot(*for_, (buffer.versions, first), *life),
                    None => Builder::before(allocation).index(0),
                };
                let place = counted
                    .and(slot.defining_op())
                    .filter(|_| !buffer.is_variant())
                    .unwrap_or(allocation);
                let view = view_of_slot(&mut Builder::after(place).like(allocation), buffer, ring, slot);
                views.push((for_, view));
                view
            }
        };
        edit::set_operand(used.op, used.index, view);
    }
    // A view of bytes begins at an offset of its own.
    if buffer.pitch.is_none() {
        views.into_iter().for_each(|(_, view)| loosen_offsets(view));
    }
    edit::erase(allocation);
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
    let dynamic = (0..old.shape.len()).filter(|dim| old.shape[*dim].is_none());
    let each = dynamic.zip(allocation.operands());
    let mut sizes: Vec<Value<'c>> = each
        .filter(|(dim, _)| room[*dim].is_none())
        .map(|(_, size)| size)
        .collect();
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

/// Allocates a ring of bytes in the same places.
fn allocate_bytes<'c>(buffer: &Versioned<'c>, home: Option<For<'c>>, bytes: i64, alignment: Option<i64>) -> Value<'c> {
    let allocation = buffer.allocation;
    let old = MemRef::of(allocation.result(0).ty()).expect("a channel is a ranked memref");
    let mut builder = Builder::before(home.map_or(allocation, |home| home.op)).like(allocation);
    let context = builder.context();
    let ring_type = ty::make(&[Some(bytes)], ty::integer(context, 8), None, old.space_attr);
    let mut attrs = vec![("operandSegmentSizes", attr::int32_array(context, &[0, 0]))];
    attrs.extend(alignment.map(|alignment| ("alignment", attr::int(context, alignment))));
    builder.op(allocation.name(), &[], &[ring_type], &attrs).result(0)
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
    if let Some(pitch) = buffer.pitch {
        let pitch = builder.index(pitch);
        let first = exact(builder, "arith.muli", slot, pitch);
        let view = [buffer.allocation.result(0).ty()];
        return builder.op("memref.view", &[ring, first], &view, &[]).result(0);
    }
    let (merged, rest) = old.shape.split_at(buffer.slot.merged);
    if merged.len() < 2 {
        let view = builder.slot_view(ring, slot, &old.shape, &buffer.allocation.operands());
        return with_strides_of(builder, view, &old);
    }
    // Dimensions are merged only where all sizes are constant.
    let merged: Vec<i64> = merged.iter().flatten().copied().collect();
    let mut shape = vec![Some(merged.iter().product())];
    shape.extend(rest);
    let view = builder.slot_view(ring, slot, &shape, &[]);
    builder.expand_first(view, &merged)
}

/// The view with what the type of a buffer says of its strides: where inner sizes have bounds in the ring, it says
/// less, and views of the buffer say no more.
fn with_strides_of<'c>(builder: &mut Builder<'c>, view: Value<'c>, old: &MemRef<'c>) -> Value<'c> {
    let memref = MemRef::of(view.ty()).expect("a view of a slot is a ranked memref");
    if memref.strides == old.strides {
        return view;
    }
    let layout = ty::strided_layout(builder.context(), None, &old.strides);
    let cast = ty::make(&memref.shape, memref.element, Some(layout), memref.space_attr);
    builder.op("memref.cast", &[view], &[cast], &[]).result(0)
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
