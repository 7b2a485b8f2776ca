//! Pairs of buffers that might take turns on one ring (`zpu-join-rings`).
//!
//! A buffer of two versions has both for itself, also while one of them is idle, and one that is needed for a moment
//! only has bytes of its own all the time. On a joint ring the second one, which may be smaller, uses the idle slot of
//! the first. Which pairs allow that without a longer interval depends on the order of all commands, so each is a plan
//! of its own.

use zpu_ir::ty::MemRef;
use zpu_ir::{Op, annotation};

use crate::seats::{Seat, allocations, counting_loop, counting_loops, has_bytes};
use zpu_analysis::footprint::footprint;
use zpu_device::Device;

/// Allocations beyond which pairs are not looked for.
const MOST_ALLOCATIONS: usize = 64;

/// Two buffers on one ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joint {
    /// The numbers of their allocations in the function.
    pub(super) members: [usize; 2],
    /// Slots of the ring.
    slots: i64,
    /// The slot in which the second one begins; the first one begins in slot 0.
    first: i64,
}

/// The pairs of which a ring has fewer bytes than two rings of so many versions, those that save most first.
pub(super) fn pairs(function: Op<'_>, device: &Device, versions: &[i64]) -> Vec<Joint> {
    let all: Vec<Op<'_>> = allocations(function).collect();
    if all.len() > MOST_ALLOCATIONS || all.len() != versions.len() {
        return Vec::new();
    }
    let loops = counting_loops(function);
    let is_open = |op: &Op<'_>| !op.has_attr(annotation::VERSIONS) && !op.has_attr(annotation::ADDRESS);
    let buffers: Vec<_> = (0..all.len())
        .filter(|at| is_open(&all[*at]))
        .filter_map(|at| {
            MemRef::of(all[at].result(0).ty()).filter(has_bytes)?;
            let (space, bytes) = footprint(all[at].result(0), device)?;
            let loop_ = counting_loop(all[at], &loops).filter(|_| !device.is_off_chip(space))?;
            Some((
                at,
                (space, loop_, all[at].block(), all[at].name()),
                i64::try_from(bytes).ok()?,
            ))
        })
        .collect();
    let mut found: Vec<(i64, Joint)> = Vec::new();
    for (place, (one, kind, bytes)) in buffers.iter().enumerate() {
        for (other, _, others) in buffers[place + 1..].iter().filter(|(_, of_other, _)| of_other == kind) {
            let apart = versions[*one]
                .saturating_mul(*bytes)
                .saturating_add(versions[*other].saturating_mul(*others));
            for slots in 2..versions[*one].saturating_add(versions[*other]) {
                let saved = apart.saturating_sub(slots.saturating_mul(*bytes.max(others)));
                if saved > 0 {
                    found.extend((1..slots).map(|first| {
                        let members = [*one, *other];
                        (saved, Joint { members, slots, first })
                    }));
                }
            }
        }
    }
    found.sort_by_key(|(saved, _)| std::cmp::Reverse(*saved));
    found.into_iter().map(|(_, joint)| joint).collect()
}

/// Writes rings on the allocations of a function.
pub(super) fn write(function: Op<'_>, rings: &[Joint]) {
    if rings.is_empty() {
        return;
    }
    let all: Vec<Op<'_>> = allocations(function).collect();
    for (ring, joint) in (0..).zip(rings) {
        for (member, first) in joint.members.into_iter().zip([0, joint.first]) {
            let seat = Seat {
                ring,
                slots: joint.slots,
                first,
            };
            all.get(member).iter().for_each(|allocation| seat.write(**allocation));
        }
    }
}
