//! Distances in iterations over which two accesses meet.

use zpu_ir::scf::For;
use zpu_sync::index::distance;

use crate::access::Access;

/// The smallest distance, at least `least`, at which `earlier` in iteration `k` and `later` in iteration `k + distance`
/// may touch the same memory; `None` if there is none.
pub fn conflict_distance<'c>(for_: For<'c>, earlier: &Access<'c>, later: &Access<'c>, least: u32) -> Option<u32> {
    distance::conflict_distance(for_.op, earlier, later, least)
}

/// The [`conflict_distance`] in a loop without a first and a last iteration. Operations before a pipelined loop stand
/// for iterations before its first one, and those are told apart by their distances.
pub fn endless_distance<'c>(for_: For<'c>, earlier: &Access<'c>, later: &Access<'c>, least: u32) -> Option<u32> {
    distance::endless_distance(for_.op, earlier, later, least)
}
