//! Bytes of each memory that are left for versions of a loop's buffers.

use zpu_device::Device;
use zpu_ir::scf::For;
use zpu_ir::{Op, Value};

use zpu_analysis::footprint::{footprint, versions};

/// Bytes of `space` that allocations other than `rings` take while the loop runs: those around the loop that begin
/// before it and are not freed by then, and those in its body.
pub(crate) fn taken<'c>(function: Op<'c>, for_: For<'c>, space: &str, rings: &[Value<'c>], device: &Device) -> u64 {
    let allocations = function.walk().into_iter();
    allocations
        .filter(|op| matches!(op.name(), "memref.alloc" | "memref.alloca"))
        .map(|op| op.result(0))
        .filter(|value| !rings.contains(value) && is_live(*value, for_))
        .filter_map(|value| Some((value, footprint(value, device)?)))
        .filter(|(_, (of, _))| *of == space)
        .map(|(value, (_, bytes))| bytes.saturating_mul(value.defining_op().map_or(1, versions)))
        .fold(0, u64::saturating_add)
}

fn is_live<'c>(value: Value<'c>, for_: For<'c>) -> bool {
    if value.is_defined_inside(for_.op) {
        return true;
    }
    // The loop, or the operation around it that is in the block of `op`.
    let beside = |op: Op<'c>| {
        let chain = std::iter::once(for_.op).chain(for_.op.parents());
        chain
            .into_iter()
            .find(|outer| outer.block().is_some() && outer.block() == op.block())
    };
    let begins = value
        .defining_op()
        .is_some_and(|op| beside(op).is_some_and(|outer| op.is_before(outer)));
    let freed = value
        .uses()
        .into_iter()
        .map(|used| used.op)
        .any(|user| user.is("memref.dealloc") && beside(user).is_some_and(|outer| user.is_before(outer)));
    begins && !freed
}
