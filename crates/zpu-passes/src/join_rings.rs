//! `zpu-join-rings`: turns buffers of one loop that say so into one ring, on whose slots they take turns.
//!
//! Assumes memory spaces; the loop is planned afterwards. A ring of its own has all of its slots for itself, also while
//! they are idle. Buffers whose `zpu.joint_ring` has the same number get the slots of one ring instead: with N of them,
//! the version that a buffer has in iteration k is slot `(k + first) mod N`, and no two of an iteration are the same.
//!
//! ```mlir
//! scf.for %i = %c0 to %c8 step %c1 {
//!   %a = memref.alloc() {zpu.joint_ring = {first = 0, ring = 0, slots = 2}} : memref<8xf32, #zpu.space<sram>>
//!   %b = memref.alloc() {zpu.joint_ring = {first = 1, ring = 0, slots = 2}} : memref<8xf32, #zpu.space<sram>>
//! }
//! // becomes
//! %ring = memref.alloc() {zpu.joined} : memref<2x8xf32, #zpu.space<sram>>
//! scf.for %i = %c0 to %c8 step %c1 {
//!   %a = memref.subview %ring[%i mod 2, 0] [1, 8] [1, 1] : ...
//!   %b = memref.subview %ring[(%i + 1) mod 2, 0] [1, 8] [1, 1] : ...
//! }
//! ```
//!
//! Buffers of several types take turns on bytes, of which each slot has as many as the largest buffer, and each version
//! is a `memref.view`.
//!
//! Invariant: each of the buffers is privatizable in the loop ([`zpu_analysis::privatizable`]) and not used outside of
//! it, so any slots are right that differ within an iteration. What has to be done before a slot is written again, by
//! whichever buffer, are dependences between commands from then on: `zpu.joined` tells the planner that the allocation
//! gets no versions, which would drop them.

use std::collections::BTreeSet;

use zpu_device::Device;
use zpu_ir::options::JoinRingsOptions;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, attr, device, error};

use crate::annotations::MOST_VERSIONS;
use crate::rings::slots::Slots;
use crate::rings::{Versioned, check, make, slot};
use crate::seats::{Seat, allocations, counting_loop, counting_loops, has_bytes};
use zpu_analysis::body::Decline;
use zpu_analysis::privatizable::{Life, Touched};
use zpu_analysis::slot::alignment;

const PASS: &str = "zpu-join-rings";

/// Buffers that ask for the same ring.
struct Ring<'c> {
    number: i64,
    members: Vec<(Op<'c>, Seat)>,
}

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &JoinRingsOptions) -> PassResult {
    match options.slots {
        0 => {}
        slots @ 2..=MOST_VERSIONS => pair(function, slots),
        slots => {
            let message = format!("slots is {slots}, must be 0, or 2 to {MOST_VERSIONS}");
            error(function, &message, &[]);
            return Err(Failed);
        }
    }
    let mut rings: Vec<Ring<'_>> = Vec::new();
    for allocation in allocations(function) {
        let Some(seat) = Seat::of(allocation) else { continue };
        match rings.iter_mut().find(|ring| ring.number == seat.ring) {
            Some(ring) => ring.members.push((allocation, seat)),
            None => rings.push(Ring {
                number: seat.ring,
                members: vec![(allocation, seat)],
            }),
        }
    }
    if rings.is_empty() {
        return Ok(());
    }
    let loops = counting_loops(function);
    let device = device::read(function).ok();
    let mut slots = Slots::default();
    let mut made = Vec::new();
    for Ring { members, .. } in rings {
        let versioned: Result<Vec<_>, Decline<'_>> = members
            .iter()
            .map(|(allocation, seat)| {
                Ok((
                    member(&members, *allocation, *seat, &loops, device.as_ref())?,
                    seat.first,
                ))
            })
            .collect();
        // Before the allocations are gone.
        match &versioned {
            Ok(versioned) => report(versioned),
            Err(decline) => Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
                .message(decline.message.clone())
                .emit(),
        }
        match versioned {
            Ok(versioned) => made.extend(make::join(&versioned, asked_alignment(&members), &mut slots)),
            Err(_) => members
                .iter()
                .for_each(|(allocation, _)| allocation.remove_attr(annotation::JOINT_RING)),
        }
    }
    crate::hoist_allocations::out_of_loops(function, &made);
    for ring in made {
        ring.set_attr(annotation::JOINED, attr::unit(ring.context()));
    }
    Ok(())
}

/// Seats each two buffers without an annotation that could take turns.
fn pair<'c>(function: Op<'c>, slots: i64) {
    let loops = counting_loops(function);
    let taken: BTreeSet<i64> = allocations(function)
        .filter_map(|op| Some(Seat::of(op)?.ring))
        .collect();
    let free = (0..).filter(|ring| !taken.contains(ring));
    let mut open: Vec<Op<'c>> = allocations(function)
        .filter(|op| {
            let names = [annotation::JOINT_RING, annotation::VERSIONS, annotation::ADDRESS];
            !names.iter().any(|name| op.has_attr(name))
        })
        .collect();
    for ring in free {
        let Some(one) = (!open.is_empty()).then(|| open.remove(0)) else {
            break;
        };
        let place = |op: Op<'c>| {
            let memref = MemRef::of(op.result(0).ty()).filter(has_bytes)?;
            Some((op.name(), memref.space_attr, op.block(), counting_loop(op, &loops)?))
        };
        let suits = |other: &Op<'c>| place(*other) == place(one);
        let is_ready = place(one).is_some();
        let Some(at) = open.iter().position(suits).filter(|_| is_ready) else {
            continue;
        };
        let other = open.remove(at);
        for (member, first) in [(one, 0), (other, 1 + ring.rem_euclid(slots - 1))] {
            Seat { ring, slots, first }.write(member);
        }
    }
}

/// A buffer as a member of the ring of all of them, or the reason why it is none.
fn member<'c>(
    members: &[(Op<'c>, Seat)],
    allocation: Op<'c>,
    seat: Seat,
    loops: &[Touched<'c>],
    device: Option<&Device>,
) -> Result<Versioned<'c>, Decline<'c>> {
    let refuse = |reason, message: String| Err(Decline::new(reason, allocation, message));
    let others = || members.iter().filter(|(other, _)| *other != allocation);
    if members.len() < 2 {
        return refuse(
            "alone",
            format!("no other buffer asks for a slot of ring {}", seat.ring),
        );
    }
    if seat.slots > MOST_VERSIONS {
        let message = format!(
            "ring {} is to have {} slots, the most are {MOST_VERSIONS}",
            seat.ring, seat.slots
        );
        return refuse("too-many-slots", message);
    }
    if let Some((_, other)) = others().find(|(_, other)| other.slots != seat.slots) {
        let message = format!(
            "ring {} is to have {} slots, and {} by another buffer",
            seat.ring, seat.slots, other.slots
        );
        return refuse("other-slots", message);
    }
    if others().any(|(_, other)| other.first == seat.first) {
        let message = format!(
            "another buffer of ring {} begins in slot {} as well",
            seat.ring, seat.first
        );
        return refuse("same-slot", message);
    }
    let memref = MemRef::of(allocation.result(0).ty()).filter(has_bytes);
    let is_beside = |other: MemRef<'c>| memref.as_ref().is_some_and(|own| own.space_attr == other.space_attr);
    if !others().all(|(other, _)| MemRef::of(other.result(0).ty()).is_some_and(is_beside)) {
        let message =
            "the buffers of one ring are in one memory, dense, not empty, and of sizes in bytes that are known";
        return refuse("other-memory", message.to_owned());
    }
    if let Some((other, _)) = others().find(|(other, _)| other.name() != allocation.name()) {
        let message = format!(
            "it is made by {}, and another one by {}",
            allocation.name(),
            other.name()
        );
        return refuse("other-allocation", message);
    }
    if bytes_of_ring(members, seat.slots, device).is_none() {
        let message = format!(
            "{} slots of the largest buffer have more bytes than can be counted",
            seat.slots
        );
        return refuse("too-large", message);
    }
    for name in [annotation::VERSIONS, annotation::ADDRESS] {
        if allocation.has_attr(name) {
            return refuse("fixed", format!("{name} says already where its versions are"));
        }
    }
    let Some(for_) = counting_loop(allocation, loops) else {
        let message = "no single loop writes it anew in each iteration and is the only one that uses it".to_owned();
        return refuse("no-loop", message);
    };
    let is_near = |other: Op<'c>| other.block() == allocation.block() && counting_loop(other, loops) == Some(for_);
    if !others().all(|(other, _)| is_near(*other)) {
        let message = "the buffers of one ring are allocated side by side, and used in one loop".to_owned();
        return refuse("other-loop", message);
    }
    check(allocation, seat.slots)?;
    let of_bytes = pitch(members, device);
    let slots = if of_bytes.is_some() { 1 } else { seat.slots };
    let room = memref.map(|memref| memref.shape).unwrap_or_default();
    Ok(Versioned {
        allocation,
        versions: seat.slots,
        slot: slot(allocation, &room, slots, device)?,
        room,
        pitch: of_bytes,
        loops: vec![(for_, Life::Iteration)],
    })
}

/// The bytes from one slot to the next where buffers of several types take turns, or buffers that are not aligned in
/// the same way; none if they are alike, and the ring has their type.
fn pitch(members: &[(Op<'_>, Seat)], device: Option<&Device>) -> Option<i64> {
    let kind = |op: Op<'_>| (op.result(0).ty().to_string(), alignment(op, device));
    let mut kinds = members.iter().map(|(op, _)| kind(*op));
    let first = kinds.next()?;
    if kinds.all(|other| other == first) {
        return None;
    }
    bytes_of_slot(members, device)
}

/// The bytes of a slot that has room for each of some buffers, a multiple of their alignments.
fn bytes_of_slot(members: &[(Op<'_>, Seat)], device: Option<&Device>) -> Option<i64> {
    let types = members.iter().filter_map(|(op, _)| MemRef::of(op.result(0).ty()));
    let largest = u64::try_from(types.filter_map(|memref| memref.bytes()).max()?).ok()?;
    // One is a multiple of the other: powers of two, each with the alignment of the memory.
    let aligned = members.iter().map(|(op, _)| alignment(*op, device)).max()?;
    i64::try_from(largest.checked_next_multiple_of(aligned)?).ok()
}

/// The bytes of all slots, if that is a number.
fn bytes_of_ring(members: &[(Op<'_>, Seat)], slots: i64, device: Option<&Device>) -> Option<i64> {
    bytes_of_slot(members, device)?.checked_mul(slots)
}

/// The largest alignment that one of the allocations asks for.
fn asked_alignment(members: &[(Op<'_>, Seat)]) -> Option<i64> {
    let asked = members.iter().filter_map(|(op, _)| op.attr("alignment"));
    asked.filter_map(attr::as_int).max()
}

fn report(members: &[(Versioned<'_>, i64)]) {
    let Some((first, _)) = members.first() else { return };
    let memref = MemRef::of(first.allocation.result(0).ty());
    let of_slot = || {
        let elements = first.slot.elements(&first.room)?;
        elements.checked_mul(ty::element_bytes(memref?.element)?.into())
    };
    let bytes = first.pitch.or_else(of_slot);
    let slots = first.versions;
    Remark::new(first.allocation, RemarkKind::Passed, PASS, "joined")
        .message(format!("{} buffers take turns on {slots} slots", members.len()))
        .metric("Buffers", members.len())
        .metric("Slots", slots)
        .metric("Bytes", bytes.map_or(0, |bytes| bytes.saturating_mul(slots)))
        .emit();
}
