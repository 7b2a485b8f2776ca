//! Seats: the places of buffers on rings on which several take turns, and the buffers that could have one.

use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, annotation, attr};

use zpu_analysis::privatizable::{Life, Touched};

/// A place on a ring that several buffers share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    /// The number of the ring among those of the function.
    pub(crate) ring: i64,
    /// Slots of the ring.
    pub(crate) slots: i64,
    /// The slot that the buffer has in iteration 0.
    pub(crate) first: i64,
}

impl Seat {
    /// The seat that an allocation asks for.
    pub(crate) fn of(allocation: Op<'_>) -> Option<Self> {
        let entries = attr::as_dictionary(allocation.attr(annotation::JOINT_RING)?)?;
        let part = |name: &str| {
            let entry = entries.iter().find(|(entry, _)| *entry == name)?;
            attr::as_int(entry.1)
        };
        Some(Self {
            ring: part("ring")?,
            slots: part("slots")?,
            first: part("first")?,
        })
    }

    /// Writes it on an allocation.
    pub(crate) fn write(self, allocation: Op<'_>) {
        let context = allocation.context();
        let parts = [("first", self.first), ("ring", self.ring), ("slots", self.slots)];
        let entries = parts.map(|(name, value)| (name, attr::int(context, value)));
        allocation.set_attr(annotation::JOINT_RING, attr::dictionary(context, &entries));
    }
}

/// The allocations of a function, in program order.
pub(crate) fn allocations(function: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    let is_allocation = |op: &Op<'_>| matches!(op.name(), "memref.alloc" | "memref.alloca");
    function.walk().into_iter().filter(is_allocation)
}

/// The loops of a function with what they access.
pub(crate) fn counting_loops(function: Op<'_>) -> Vec<Touched<'_>> {
    let loops = function.walk().into_iter().filter_map(For::of);
    loops.map(Touched::of).collect()
}

/// The loop whose iterations would count the versions of an allocation, if all uses are in it.
pub(crate) fn counting_loop<'c>(allocation: Op<'c>, loops: &[Touched<'c>]) -> Option<For<'c>> {
    let root = allocation.result(0);
    let of_root = loops.iter().filter(|touched| touched.roots.contains(&root));
    let mut counting =
        of_root.filter(|touched| matches!(touched.life(root), Ok(Life::Iteration)) && touched.counts(root));
    let found = counting.next()?.for_;
    counting.next().is_none().then_some(found)
}

/// True if a buffer has bytes, a known number without gaps, so that it can be a view of as many.
pub(crate) fn has_bytes(memref: &MemRef<'_>) -> bool {
    memref.has_static_shape() && memref.is_identity_layout() && memref.bytes().is_some_and(|bytes| bytes > 0)
}
