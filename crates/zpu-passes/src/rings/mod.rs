//! Rings: buffers that become slots of one allocation before a loop, and the slot of each iteration.
//!
//! `zpu-multi-version-buffer` makes a ring of the versions of one buffer, `zpu-join-rings` one on which several buffers
//! take turns.

pub(crate) mod make;
pub(crate) mod slots;

use zpu_device::Device;
use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, Value};

use crate::annotations::{self, MOST_VERSIONS};
use zpu_analysis::body::Decline;
use zpu_analysis::privatizable::{Life, moves_with_its_source};
use zpu_analysis::slot::{Slot, alignment};

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

/// The slot of a version in a ring of these sizes, aligned as the allocation is.
pub(crate) fn slot<'c>(
    allocation: Op<'c>,
    room: &[Option<i64>],
    versions: i64,
    device: Option<&Device>,
) -> Result<Slot, Decline<'c>> {
    let alignment = if versions > 1 { alignment(allocation, device) } else { 1 };
    let memref = MemRef::of(allocation.result(0).ty());
    let placed = memref.and_then(|memref| Slot::in_room(&memref, room, alignment));
    placed.ok_or_else(|| {
        let message = format!("the versions of a buffer of this type cannot each be aligned to {alignment} bytes");
        Decline::new("alignment-of-versions", allocation, message)
    })
}

fn memref_results(op: Op<'_>) -> Vec<Value<'_>> {
    let results = op.results().into_iter();
    results.filter(|result| ty::is_memref(result.ty())).collect()
}
