//! `zpu-multi-version-buffer`: turns buffers that are written anew in every iteration into rings of versions.
//!
//! Assumes memory spaces; needs no plan. An allocation with `zpu.versions = N` (or, with `num-stages=N`, any channel of an
//! innermost loop that holds commands) becomes one allocation with an outermost dimension of `N` in front of the loop:
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
//!   %b = memref.subview %ring[%slot, 0] [1, 8] [1, 1] : ... to memref<8xf32, strided<[1], offset: ?>, #zpu.space<sram>>
//!   zpu.dma %x to %b on @odma : ...
//! }
//! memref.dealloc %ring
//! ```
//!
//! One version in the body means: moved out of the loop, no ring. What reads and writes the buffer stays as it is; only the
//! offsets of view types become dynamic. Buffers that are not channels (see [`crate::analysis::channel`]) stay, with a remark.

use zpu_ir::options::MultiVersionBufferOptions;
use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Builder, Failed, InsertionPoint, Op, PassResult, Remark, RemarkKind, Value, attr, edit, error};

use crate::analysis::body::{Body, Decline, command_loops};
use crate::analysis::channel::channels;

const PASS: &str = "zpu-multi-version-buffer";

/// As many as a pipelined loop may have stages.
const MOST_VERSIONS: i64 = 256;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MultiVersionBufferOptions) -> PassResult {
    if options.num_stages < 0 {
        error(
            function,
            &format!("num-stages is {}, must be at least 0", options.num_stages),
            &[],
        );
        return Err(Failed);
    }
    for for_ in command_loops(function) {
        version_loop(for_, options.num_stages);
    }
    Ok(())
}

/// The number of versions that an allocation is to have, if anybody asked for one.
fn wanted_versions(allocation: Op<'_>, default: i64) -> Option<i64> {
    match allocation.attr("zpu.versions").and_then(attr::as_int) {
        Some(versions) => Some(versions),
        None => (default > 0).then_some(default),
    }
}

fn version_loop(for_: For<'_>, default: i64) {
    let body = match Body::of(for_) {
        Ok(body) => body,
        Err(decline) => {
            if default > 0 {
                report(&decline);
            }
            return;
        }
    };
    let mut rings = Vec::new();
    for (root, channel) in channels(&body) {
        let Some(allocation) = root.defining_op() else { continue };
        let Some(versions) = wanted_versions(allocation, default) else {
            continue;
        };
        match channel.and_then(|_| movable(for_, allocation, versions)) {
            Ok(()) => rings.push((allocation, versions)),
            Err(decline) => report(&decline),
        }
    }
    let mut slots = Slots {
        for_,
        iteration: None,
        by_count: Vec::new(),
    };
    for (allocation, versions) in rings {
        let in_body = allocation.block() == Some(for_.body);
        let bytes = MemRef::of(allocation.result(0).ty()).and_then(|memref| memref.bytes());
        Remark::new(allocation, RemarkKind::Passed, PASS, "versioned")
            .message(format!("{versions} versions"))
            .metric("Versions", versions)
            .metric(
                "Bytes",
                bytes.map_or("dynamic".to_owned(), |bytes| bytes.saturating_mul(versions).to_string()),
            )
            .emit();
        let ring = make_ring(for_, allocation, versions, in_body);
        redirect(&mut slots, allocation, ring, versions, in_body);
    }
}

fn report(decline: &Decline<'_>) {
    Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
        .message(decline.message.clone())
        .emit();
}

/// Whether the allocation's sizes are known in front of the loop, and its views can start anywhere.
fn movable<'c>(for_: For<'c>, allocation: Op<'c>, versions: i64) -> Result<(), Decline<'c>> {
    if versions > MOST_VERSIONS {
        let message = format!("{versions} versions are more than {MOST_VERSIONS}; ask for fewer with `zpu.versions`");
        return Err(Decline::new("too-many-versions", allocation, message));
    }
    if allocation
        .operands()
        .into_iter()
        .any(|size| size.is_defined_inside(for_.op))
    {
        return Err(Decline::new(
            "dynamic-size",
            allocation,
            "the size of the buffer is computed in the loop",
        ));
    }
    let mut open = vec![allocation.result(0)];
    while let Some(value) = open.pop().filter(|_| versions > 1) {
        for user in value.uses().into_iter().map(|u| u.op) {
            let views: Vec<_> = user
                .results()
                .into_iter()
                .filter(|result| ty::is_memref(result.ty()))
                .collect();
            if !views.is_empty() && !matches!(user.name(), "memref.subview" | "memref.cast") {
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

/// Makes the ring (or moves the single version) in front of the loop, or where the allocation stood outside of it.
fn make_ring<'c>(for_: For<'c>, allocation: Op<'c>, versions: i64, in_body: bool) -> Value<'c> {
    if in_body && versions == 1 {
        edit::move_before(allocation, for_.op);
        allocation.remove_attr("zpu.versions");
        return allocation.result(0);
    }
    if versions == 1 {
        allocation.remove_attr("zpu.versions");
        return allocation.result(0);
    }
    let old = MemRef::of(allocation.result(0).ty()).expect("a channel is a ranked memref");
    let mut shape = vec![Some(versions)];
    shape.extend(&old.shape);
    let ring_type = ty::make(&shape, old.element, None, old.space_attr);
    let attrs: Vec<_> = allocation
        .attrs()
        .into_iter()
        .filter(|(name, _)| *name != "zpu.versions")
        .collect();
    let mut builder = Builder::before(if in_body { for_.op } else { allocation }).like(allocation);
    builder
        .op(allocation.name(), &allocation.operands(), &[ring_type], &attrs)
        .result(0)
}

/// The slots of a loop's rings: the iteration number modulo the number of versions, computed once for each number.
struct Slots<'c> {
    for_: For<'c>,
    iteration: Option<Value<'c>>,
    by_count: Vec<(i64, Value<'c>)>,
}

impl<'c> Slots<'c> {
    fn slot(&mut self, versions: i64) -> Value<'c> {
        if let Some((_, slot)) = self.by_count.iter().find(|(count, _)| *count == versions) {
            return *slot;
        }
        let mut builder = match self.by_count.last() {
            Some((_, slot)) => Builder::after(slot.defining_op().expect("a slot is computed")),
            None => Builder::before(self.for_.body.ops().next().expect("a body has a terminator")).like(self.for_.op),
        };
        let iteration = match self.iteration {
            Some(iteration) => iteration,
            None => iteration_number(&mut builder, self.for_),
        };
        self.iteration = Some(iteration);
        let count = builder.index(versions);
        let slot = builder.binary("arith.remui", iteration, count);
        self.by_count.push((versions, slot));
        slot
    }
}

/// `(iv - lower) / step`, without what the constants 0 and 1 make superfluous.
fn iteration_number<'c>(builder: &mut Builder<'c>, for_: For<'c>) -> Value<'c> {
    let mut number = for_.iv();
    if for_.lower().as_constant_int() != Some(0) {
        number = builder.binary("arith.subi", number, for_.lower());
    }
    if for_.step().as_constant_int() != Some(1) {
        number = builder.binary("arith.divui", number, for_.step());
    }
    if ty::is_index(number.ty()) {
        return number;
    }
    let index = ty::index(builder.context());
    // The difference of two narrow integers is an unsigned number of their width.
    builder.op("arith.index_castui", &[number], &[index], &[]).result(0)
}

/// Lets the body use its slot of the ring, and frees the ring once.
fn redirect<'c>(slots: &mut Slots<'c>, allocation: Op<'c>, ring: Value<'c>, versions: i64, in_body: bool) {
    let old = allocation.result(0);
    let frees: Vec<_> = old
        .uses()
        .into_iter()
        .map(|u| u.op)
        .filter(|op| op.is("memref.dealloc"))
        .collect();
    if in_body {
        let mut builder = Builder::after(slots.for_.op).like(allocation);
        if !frees.is_empty() {
            builder.op("memref.dealloc", &[ring], &[], &[]);
        }
        frees.into_iter().for_each(edit::erase);
    } else {
        frees.into_iter().for_each(|free| edit::set_operand(free, 0, ring));
    }
    if versions == 1 {
        return;
    }
    let slot = slots.slot(versions);
    let mut builder = Builder::after(slot.defining_op().expect("a slot is computed")).like(allocation);
    builder.set_point(InsertionPoint::After(slot.defining_op().expect("a slot is computed")));
    let view = builder.slot_view(ring, slot);
    for user in old.uses() {
        edit::set_operand(user.op, user.index, view);
    }
    loosen_offsets(view);
    edit::erase(allocation);
}

/// Views of a slot start at a dynamic offset; their strides are what they were.
fn loosen_offsets(view: Value<'_>) {
    for user in view.uses() {
        if !matches!(user.op.name(), "memref.subview" | "memref.cast") || user.index != 0 {
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
