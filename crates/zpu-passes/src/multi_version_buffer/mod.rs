//! `zpu-multi-version-buffer`: turns buffers that every iteration writes anew into rings of versions.
//!
//! Assumes memory spaces; needs no plan. An allocation with `zpu.versions = N` that is a privatizable buffer of a loop
//! (see [`zpu_analysis::privatizable`]) becomes one allocation with an outermost dimension of `N` before the loop:
//!
//! ```mlir
//! scf.for %i = %lb to %ub step %s {
//!   %b = memref.alloc() {zpu.versions = 3 : i64} : memref<8xf32, #zpu.space<sram>>
//!   zpu.dma %x to %b on @odma : ...
//! }
//! // becomes
//! %ring = memref.alloc() : memref<3x8xf32, #zpu.space<sram>>
//! scf.for %i = %lb to %ub step %s {
//!   %slot = ((%i - %lb) / %s) mod 3
//!   %b = memref.subview %ring[%slot, 0] [1, 8] [1, 1]
//!      : ... to memref<8xf32, strided<[1], offset: ?>, #zpu.space<sram>>
//!   zpu.dma %x to %b on @odma : ...
//! }
//! memref.dealloc %ring
//! ```
//!
//! The innermost loop for which a buffer is privatizable counts its versions; several loops one after the other share
//! one ring. Code after such a loop uses slot 0: the iterations are counted such that the last one has it ([`slots`]).
//! The ring is then moved out of all loops around it while the memory has room ([`crate::hoist_allocations`]). One
//! version in a body means: moved out of the loop, no ring. Each slot is aligned as the buffer is
//! ([`zpu_analysis::slot`]). Operations that read and write the buffer stay as they are; only the offsets of view types
//! become dynamic. A buffer that is not privatizable stays, with a remark.

pub(crate) mod ring;
pub(crate) mod slots;
mod version_requests;

use zpu_device::Device;
use zpu_ir::options::MultiVersionBufferOptions;
use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, Value, annotation, device, error};

use crate::annotations::{self, MOST_VERSIONS};
use version_requests::VersionRequests;
use zpu_analysis::body::Decline;
use zpu_analysis::privatizable::{Life, Touched, moves_with_its_source, room};
use zpu_analysis::seeded;
use zpu_analysis::slot::{Slot, alignment};

const PASS: &str = "zpu-multi-version-buffer";

/// A buffer that becomes a ring, or moves out of a loop.
pub(crate) struct Versioned<'c> {
    pub(crate) allocation: Op<'c>,
    pub(crate) versions: i64,
    /// The sizes of a version before the loop; each is constant or known there.
    pub(crate) room: Vec<Option<i64>>,
    /// The place of a version in the ring.
    pub(crate) slot: Slot,
    /// Bytes from one slot to the next, if the ring is one of bytes.
    pub(crate) pitch: Option<i64>,
    /// The loops that count versions, none inside another, and how long the contents of an iteration live in each.
    pub(crate) loops: Vec<(For<'c>, Life)>,
}

impl<'c> Versioned<'c> {
    /// True if it has a size that the loop computes, which is known only from the allocation on.
    fn is_variant(&self) -> bool {
        MemRef::of(self.allocation.result(0).ty()).is_some_and(|memref| memref.shape != self.room)
    }

    /// The loop in whose body it is allocated.
    fn home(&self) -> Option<For<'c>> {
        let mut loops = self.loops.iter().map(|(for_, _)| *for_);
        loops.find(|for_| self.allocation.result(0).is_defined_inside(for_.op))
    }
}

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MultiVersionBufferOptions) -> PassResult {
    let default = version_requests::DefaultVersions::parse(&options.versions).map_err(|message| {
        error(function, &message, &[]);
        Failed
    })?;
    let requests = VersionRequests::of(function, default)?;
    let versioned = collect(function, &requests, device::read(function).ok().as_ref());
    let mut slots = slots::Slots::default();
    let mut moved = Vec::new();
    for buffer in &versioned {
        report(buffer);
        moved.push(ring::make(buffer, &mut slots));
    }
    crate::hoist_allocations::out_of_loops(function, &moved);
    Ok(())
}

/// The buffers that get versions, innermost loops first. For each other buffer with a request a remark gives the
/// reason.
fn collect<'c>(function: Op<'c>, requests: &VersionRequests<'c>, device: Option<&Device>) -> Vec<Versioned<'c>> {
    let mut found: Vec<Versioned<'c>> = Vec::new();
    let mut declined: Vec<(Op<'c>, Decline<'c>)> = Vec::new();
    let mut loops: Vec<For<'c>> = function.walk().into_iter().filter_map(For::of).collect();
    // In reverse order, inner loops come before the loops around them.
    loops.reverse();
    for for_ in loops {
        let touched = Touched::of(for_);
        for root in &touched.roots {
            let Some((allocation, versions)) = root.defining_op().zip(requests.versions(*root, for_)) else {
                continue;
            };
            let versions = versions - i64::from(seeded!(SmallerRing) && versions > 1);
            let known = found.iter().position(|buffer| buffer.allocation == allocation);
            let is_around = |inner: &(For<'c>, Life)| for_.op.contains(inner.0.op);
            if known.is_some_and(|i| found[i].loops.iter().any(is_around)) {
                continue;
            }
            let checked = touched.life(*root).and_then(|life| {
                check(allocation, versions)?;
                Ok((life, slot(allocation, versions, device)?))
            });
            match (checked, known) {
                (Ok((life, _)), Some(i)) => found[i].loops.push((for_, life)),
                (Ok((life, slot)), None) => found.push(Versioned {
                    allocation,
                    versions,
                    room: room(for_.op, allocation).unwrap_or_default(),
                    slot,
                    pitch: None,
                    loops: vec![(for_, life)],
                }),
                (Err(decline), _) => declined.push((allocation, decline)),
            }
        }
    }
    declined.reverse();
    let is_marked =
        |op: &Op<'c>| matches!(op.name(), "memref.alloc" | "memref.alloca") && op.has_attr(annotation::VERSIONS);
    for allocation in function.walk().into_iter().filter(is_marked) {
        let message = "zpu.versions has no effect: no scf.for works on the buffer, so there are no iterations that \
                       could have versions of it";
        declined.push((allocation, Decline::new("no-loop", allocation, message)));
    }
    // A buffer of an outer loop is not privatizable in the loops inside, which is nothing to complain about.
    declined.retain(|(allocation, _)| found.iter().all(|buffer| buffer.allocation != *allocation));
    let mut said: Vec<Op<'c>> = Vec::new();
    for (allocation, decline) in &declined {
        if !said.contains(allocation) {
            said.push(*allocation);
            Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
                .message(decline.message.clone())
                .emit();
        }
    }
    found.reverse();
    found
}

fn report(buffer: &Versioned<'_>) {
    let (allocation, versions) = (buffer.allocation, buffer.versions);
    let memref = MemRef::of(allocation.result(0).ty());
    let bytes = memref.and_then(|memref| {
        let elements = buffer.slot.elements(&buffer.room)?;
        elements.checked_mul(ty::element_bytes(memref.element)?.into())
    });
    Remark::new(allocation, RemarkKind::Passed, PASS, "versioned")
        .message(format!("{versions} version{}", if versions == 1 { "" } else { "s" }))
        .metric("Versions", versions)
        .metric(
            "Bytes",
            bytes.map_or("dynamic".to_owned(), |bytes| bytes.saturating_mul(versions).to_string()),
        )
        .emit();
}

/// Checks that there are not too many versions, and that the buffer's views can start at any offset.
pub(crate) fn check<'c>(allocation: Op<'c>, versions: i64) -> Result<(), Decline<'c>> {
    if versions > MOST_VERSIONS {
        let many =
            || format!("the plan asks for {versions} versions, the most that a buffer can have are {MOST_VERSIONS}");
        let message = annotations::versions(allocation).unwrap_or_else(many);
        return Err(Decline::new("too-many-versions", allocation, message));
    }
    let mut open = vec![allocation.result(0)];
    while let Some(value) = open.pop().filter(|_| versions > 1) {
        for user in value.uses().into_iter().map(|u| u.op) {
            let views = memref_results(user);
            if !views.is_empty() && !moves_with_its_source(user) {
                let message = format!(
                    "{} needs a buffer that starts at offset 0, a slot of a ring does not",
                    user.name()
                );
                return Err(Decline::new("view-of-slot", user, message));
            }
            open.extend(views);
        }
    }
    Ok(())
}

/// The slot of a version, aligned as the allocation is.
pub(crate) fn slot<'c>(allocation: Op<'c>, versions: i64, device: Option<&Device>) -> Result<Slot, Decline<'c>> {
    let alignment = if versions > 1 { alignment(allocation, device) } else { 1 };
    let memref = MemRef::of(allocation.result(0).ty());
    let placed = memref.and_then(|memref| Slot::of(&memref, alignment));
    placed.ok_or_else(|| {
        let message = format!("the versions of a buffer of this type cannot each be aligned to {alignment} bytes");
        Decline::new("alignment-of-versions", allocation, message)
    })
}

fn memref_results(op: Op<'_>) -> Vec<Value<'_>> {
    let results = op.results().into_iter();
    results.filter(|result| ty::is_memref(result.ty())).collect()
}
