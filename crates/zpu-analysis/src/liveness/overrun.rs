//! Versions of a ring that are overwritten before they are read.
//!
//! Where the slot of an access is `x mod M`, `x` is the number of the version that it means: the loads of a pipelined
//! loop are ahead of their readers, `(i + 2) mod 3` beside `i mod 3`. After the write of version `w` the slot has
//! nothing of version `w - M` any more, nor of any before. So a read of version `r` sees another one if version `r + M`
//! or a later one was written before it, in the same iteration or the one before. No buffer's bytes are foreign then,
//! and no wait mends it: the ring has too few slots for its loop.
//!
//! It knows accesses of one loop whose numbers differ by a constant; accesses before and after the loop name slots
//! and no versions. Over the iterations of loops around, versions are counted modulo the slots. So a ring is looked at
//! only where one loop alone accesses it, and all numbers that are begun in an iteration, by a write that does not read
//! the same version, are larger than those of the iteration before; and not where several buffers take turns on it,
//! since one number is a version of each.

use zpu_device::Device;
use zpu_ir::scf::For;
use zpu_ir::{Block, Op, Value, annotation};

use super::cover::{Box, meet};
use super::timeline::Timeline;
use super::touch::box_of;
use crate::access::accesses;
use crate::linear::{Index, Linear, Symbol};
use crate::region::Region;

/// A read of a version whose slot was written again.
#[derive(Clone, Copy, Debug)]
pub struct Overrun<'c> {
    /// The operation that reads.
    pub read: Op<'c>,
    /// The operation that writes a later version to the slot.
    pub write: Op<'c>,
    /// The allocation of the ring.
    pub ring: Value<'c>,
    /// Slots that are counted.
    pub slots: i64,
    /// The version that was written, less the one that is read; at least the number of slots.
    pub ahead: i64,
}

/// An access to the slot of a version.
struct Turn<'c> {
    op: Op<'c>,
    ring: Value<'c>,
    write: bool,
    version: Linear<'c>,
    slots: i64,
    /// The part of a slot, by dimension; none where that is not constant.
    part: Option<Box>,
    /// The innermost loop around it.
    loop_: Op<'c>,
}

impl<'c> Turn<'c> {
    /// True for two of one ring in one loop.
    fn is_like(&self, other: &Self) -> bool {
        (self.ring, self.loop_, self.slots) == (other.ring, other.loop_, other.slots)
    }
}

/// What an iteration adds to the versions of a ring, if one loop alone accesses it and all versions that it begins in
/// an iteration are later than those of the iteration before.
fn grows<'t, 'c: 't>(read: &Turn<'c>, all: impl Iterator<Item = &'t Turn<'c>> + Clone) -> Option<i64> {
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for turn in all.clone() {
        if !turn.is_like(read) {
            return None;
        }
        let apart = turn.version.add_scaled(&read.version, -1)?.as_constant()?;
        let reads_it = |other: &Turn<'c>| !other.write && other.op == turn.op && other.version == turn.version;
        if turn.write && !all.clone().any(reads_it) {
            (least, most) = (apart.min(least), apart.max(most));
        }
    }
    let each = read.version.split(Symbol::Iteration(read.loop_)).1;
    (most.checked_sub(least)? < each).then_some(each)
}

/// Finds the first such read of each ring with an address.
pub fn overruns<'c>(function: Op<'c>, device: &Device) -> Vec<Overrun<'c>> {
    let timeline = Timeline::of(function, device);
    let turns: Vec<Turn<'c>> = timeline
        .steps
        .iter()
        .filter_map(|step| Some((step.op, *step.loops.last()?)))
        .flat_map(|(op, loop_)| turns(op, loop_))
        .collect();
    let of_ring = |ring: Value<'c>| turns.iter().filter(move |turn| turn.ring == ring);
    let mut found: Vec<Overrun<'c>> = Vec::new();
    for (at, read) in turns.iter().enumerate().filter(|(_, turn)| !turn.write) {
        let Some(each) = grows(read, of_ring(read.ring)) else {
            continue;
        };
        let writes = turns.iter().enumerate().filter(|(_, turn)| turn.write);
        let overrun = writes
            .filter(|(_, write)| write.is_like(read))
            .find_map(|(other, write)| {
                let apart = write.version.add_scaled(&read.version, -1)?.as_constant()?;
                // An operation reads before it writes.
                let is_before = other < at && write.op != read.op && !are_exclusive(write.op, read.op);
                let ahead = match is_before {
                    true => apart,
                    false => apart.checked_sub(Some(each).filter(|_| repeats(read.loop_))?)?,
                };
                (ahead >= read.slots && parts_meet(write, read)).then_some(Overrun {
                    read: read.op,
                    write: write.op,
                    ring: read.ring,
                    slots: read.slots,
                    ahead,
                })
            });
        if let Some(new) = overrun
            && found.iter().all(|known| known.ring != new.ring)
        {
            found.push(new);
        }
    }
    found
}

/// True unless a loop certainly has no second iteration.
fn repeats(loop_: Op<'_>) -> bool {
    let trips = For::of(loop_).and_then(|for_| for_.constant_trip_count());
    trips.is_none_or(|trips| trips > 1)
}

/// True if two accesses touch a common part of a slot, as far as that is known.
fn parts_meet(one: &Turn<'_>, other: &Turn<'_>) -> bool {
    let parts = one.part.as_ref().zip(other.part.as_ref());
    parts.is_some_and(|(one, other)| meet(one, other))
}

/// True if two operations are in different branches of one condition.
fn are_exclusive(one: Op<'_>, other: Op<'_>) -> bool {
    let side = |branch: Op<'_>, op: Op<'_>| {
        let blocks = branch.regions().into_iter().map(|region| region.first_block());
        let mut each = blocks.map(|block| block.into_iter().flat_map(Block::ops).any(|inner| inner.contains(op)));
        each.position(|holds| holds)
    };
    let mut branches = one
        .parents()
        .filter(|parent| parent.is("scf.if") && parent.contains(other));
    branches.any(|branch| side(branch, one) != side(branch, other))
}

/// The accesses of an operation to versions of rings with addresses.
fn turns<'c>(op: Op<'c>, loop_: Op<'c>) -> impl Iterator<Item = Turn<'c>> {
    let all = accesses(op).unwrap_or_default().into_iter();
    all.filter_map(move |access| {
        let (ring, version, slots) = version_of(&access.region)?;
        Some(Turn {
            op,
            ring,
            write: access.write,
            version,
            slots,
            part: access.region.extents.as_ref().and_then(|extents| box_of(&extents[1..])),
            loop_,
        })
    })
}

/// The ring of a region that is in one slot, the number of the version, and the slots that are counted.
fn version_of<'c>(region: &Region<'c>) -> Option<(Value<'c>, Linear<'c>, i64)> {
    let ring = region.root.allocation()?;
    let allocation = ring.defining_op()?;
    let is_one = allocation.has_attr(annotation::ADDRESS) && !allocation.has_attr(annotation::JOINED);
    let first = region
        .extents
        .as_ref()
        .filter(|_| is_one && region.base == ring)?
        .first()?;
    first.span.as_ref()?.as_constant().filter(|span| *span == 1)?;
    let Index::Modulo(modulo) = &first.offset else {
        return None;
    };
    let is_plain = modulo.factor == 1 && modulo.rest.as_constant() == Some(0);
    is_plain.then(|| (ring, modulo.dividend.clone(), modulo.modulus))
}
