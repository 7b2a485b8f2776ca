//! `zpu-addresses-to-views`: makes one allocation of bytes of each memory, and a view of it of each buffer with an
//! address.
//!
//! Assumes that `zpu-plan-memory` or a user gave addresses. It is for back ends that know one buffer a memory, and
//! comes after the waits: from here on a buffer is bytes of the arena, and its own shape is that of the view.
//!
//! ```mlir
//! %a = memref.alloc() {zpu.address = 128 : i64} : memref<16xf32, #zpu.space<rsram>>
//! // becomes
//! %rsram = memref.alloc() {zpu.address = 0 : i64} : memref<192xi8, #zpu.space<rsram>>   // at the beginning
//! %c128 = arith.constant 128 : index
//! %a = memref.view %rsram[%c128][] : memref<192xi8, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
//! ```
//!
//! Invariant: every access has the bytes of its memory that it had before. The arena begins at byte 0 and ends with the
//! last buffer. It is freed before the function returns, if one of the buffers was freed and no buffer of the
//! memory is returned.

use zpu_analysis::footprint::footprint;
use zpu_device::Device;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Builder, Op, PassResult, Remark, RemarkKind, Value, annotation, attr, device, edit};

const PASS: &str = "zpu-addresses-to-views";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>) -> PassResult {
    let device = device::of(function)?;
    let allocations = function
        .walk()
        .into_iter()
        .filter(|op| op.has_attr(annotation::ADDRESS));
    let placed: Vec<Placed<'_>> = allocations.filter_map(|op| Placed::of(op, &device)).collect();
    for memory in &device.memories {
        let own: Vec<&Placed<'_>> = placed.iter().filter(|placed| placed.space == memory.name).collect();
        if !own.is_empty() {
            replace(function, &own);
        }
    }
    Ok(())
}

/// An allocation with an address.
struct Placed<'c> {
    op: Op<'c>,
    space: &'c str,
    address: i64,
    /// One past its last byte.
    end: i64,
}

impl<'c> Placed<'c> {
    fn of(op: Op<'c>, device: &Device) -> Option<Self> {
        let address = attr::as_int(op.attr(annotation::ADDRESS)?)?;
        let (space, bytes) = footprint(op.result(0), device)?;
        Some(Self {
            op,
            space,
            address,
            end: address.checked_add(i64::try_from(bytes).ok()?)?,
        })
    }
}

fn replace<'c>(function: Op<'c>, placed: &[&Placed<'c>]) {
    let (Some(first), Some(arena)) = (function.body().and_then(|body| body.ops().next()), placed.first()) else {
        return;
    };
    let Some(memref) = MemRef::of(arena.op.result(0).ty()) else {
        return;
    };
    let bytes = placed.iter().map(|placed| placed.end).max().unwrap_or(0);
    let mut builder = Builder::before(first).like(arena.op);
    let context = builder.context();
    let ty = ty::make(&[Some(bytes)], ty::integer(context, 8), None, memref.space_attr);
    let attrs = [
        (annotation::ADDRESS, attr::int(context, 0)),
        ("operandSegmentSizes", attr::int32_array(context, &[0, 0])),
    ];
    let arena = builder.op("memref.alloc", &[], &[ty], &attrs).result(0);
    let is_freed = placed.iter().any(|placed| !frees(placed.op).is_empty());
    for placed in placed {
        frees(placed.op).into_iter().for_each(edit::erase);
        let old = placed.op.result(0);
        let mut builder = Builder::before(placed.op).like(placed.op);
        let shift = builder.index(placed.address);
        let view = builder.op("memref.view", &[arena, shift], &[old.ty()], &[]).result(0);
        edit::replace_all_uses(old, view);
        edit::erase(placed.op);
    }
    let returns = function.find_all("func.return");
    // What is returned from the same memory may be one of them.
    let is_own =
        |value: Value<'c>| MemRef::of(value.ty()).is_some_and(|returned| returned.space_attr == memref.space_attr);
    let is_returned = returns.iter().flat_map(|op| op.operands()).any(is_own);
    if is_freed && !is_returned {
        for end in returns {
            Builder::before(end).op("memref.dealloc", &[arena], &[], &[]);
        }
    }
    Remark::new(function, RemarkKind::Passed, PASS, "arena")
        .message(format!(
            "{} buffers are views of one allocation of {bytes} bytes",
            placed.len()
        ))
        .metric("Space", placed.first().map_or("", |placed| placed.space))
        .metric("Buffers", placed.len())
        .metric("Bytes", bytes)
        .emit();
}

/// The deallocations of a buffer.
fn frees(allocation: Op<'_>) -> Vec<Op<'_>> {
    let uses = allocation.result(0).uses().into_iter().map(|used| used.op);
    uses.filter(|op| op.is("memref.dealloc")).collect()
}
