//! Copies within one buffer. A copy leaves what it would if it read all of its source first; done element by element,
//! in pieces, or by a loop it leaves the same only if it reads no element that it wrote before.

use zpu_ir::ops::DmaTransfer;
use zpu_ir::{Op, ty};

use crate::access::accesses;

/// True if the two ends of a copy, or of a transfer, may have an element in common. Ends that are one value have all,
/// and each element is then copied to itself, so that is false.
pub fn may_overlap(copy: Op<'_>) -> bool {
    let (source, dest) = match DmaTransfer::of(copy) {
        Some(transfer) => (transfer.source, transfer.dest),
        None => (copy.operand(0), copy.operand(1)),
    };
    let [from, to] = [source, dest].map(|end| ty::MemRef::of(end.ty()).and_then(|memref| memref.space()));
    let is_elsewhere = from.zip(to).is_some_and(|(from, to)| from != to);
    if source == dest || is_elsewhere {
        return false;
    }
    let Some(all) = accesses(copy) else { return true };
    let (writes, reads): (Vec<_>, Vec<_>) = all.iter().partition(|access| access.write);
    reads
        .iter()
        .any(|read| writes.iter().any(|write| read.conflicts(write)))
}
