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
//! one ring. Code after such a loop uses slot 0: the iterations are counted such that the last one has it
//! ([`crate::rings::slots`]). The ring is then moved out of all loops around it while the memory has room
//! ([`crate::hoist_allocations`]). One version in a body means: moved out of the loop, no ring. Each slot is aligned as
//! the buffer is ([`zpu_analysis::slot`]). Operations that read and write the buffer stay as they are; only the offsets
//! of view types become dynamic. A buffer that is not privatizable stays, with a remark.

mod version_requests;

use zpu_device::Device;
use zpu_ir::options::MultiVersionBufferOptions;
use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, device, error};

use crate::rings::slots::Slots;
use crate::rings::{Versioned, check, make, slot};
use version_requests::VersionRequests;
use zpu_analysis::body::Decline;
use zpu_analysis::privatizable::{Life, Touched, room};
use zpu_analysis::seeded;

const PASS: &str = "zpu-multi-version-buffer";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MultiVersionBufferOptions) -> PassResult {
    let default = version_requests::DefaultVersions::parse(&options.versions).map_err(|message| {
        error(function, &message, &[]);
        Failed
    })?;
    let requests = VersionRequests::of(function, default)?;
    let versioned = collect(function, &requests, device::read(function).ok().as_ref());
    let mut slots = Slots::default();
    let mut moved = Vec::new();
    for buffer in &versioned {
        report(buffer);
        moved.push(make::make(buffer, &mut slots));
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
                let room = room(for_.op, allocation).unwrap_or_default();
                Ok((life, slot(allocation, &room, versions, device)?, room))
            });
            match (checked, known) {
                (Ok((life, ..)), Some(i)) => found[i].loops.push((for_, life)),
                (Ok((life, slot, room)), None) => found.push(Versioned {
                    allocation,
                    versions,
                    room,
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
