//! Over how many iterations two accesses meet.

use zpu_ir::scf::For;

use crate::access::Access;
use crate::overlap::{Meetings, Slots};
use crate::region::{Region, Root};
use crate::seeded;

/// Rings are followed for at most this many distances; a conflict is taken to be where the search ends.
const MOST_TURNS: i128 = 4096;

/// The smallest distance, at least `least`, at which `earlier` in iteration `k` and `later` in iteration `k + distance`
/// may touch the same memory; `None` if there is none.
pub fn conflict_distance<'c>(for_: For<'c>, earlier: &Access<'c>, later: &Access<'c>, least: u32) -> Option<u32> {
    let last = for_.constant_trip_count().map(|trips| i128::from(trips) - 1);
    distance_until(for_, earlier, later, least, last)
}

/// The same as if the loop went on for ever: what is in front of a loop was done by the iterations that there would be
/// before its first one, and those are told apart by their distances.
pub fn endless_distance<'c>(for_: For<'c>, earlier: &Access<'c>, later: &Access<'c>, least: u32) -> Option<u32> {
    distance_until(for_, earlier, later, least, None)
}

fn distance_until<'c>(
    for_: For<'c>,
    earlier: &Access<'c>,
    later: &Access<'c>,
    least: u32,
    last: Option<i128>,
) -> Option<u32> {
    if !(earlier.write || later.write) || !earlier.region.root.may_alias(later.region.root) {
        return None;
    }
    if seeded!(IgnoredWriteAfterRead) && !earlier.write {
        return None;
    }
    if least == 0 && earlier.region.may_overlap(&later.region) {
        return Some(0);
    }
    first_meeting(for_, &earlier.region, &later.region, least.max(1).into(), last)
        .map(|distance| u32::try_from(distance).unwrap_or(u32::MAX))
        .map(|distance| distance.saturating_add(u32::from(seeded!(LongerDistance))))
}

/// The smallest distance between `least`, which is above 0, and `last`.
fn first_meeting<'c>(
    for_: For<'c>,
    earlier: &Region<'c>,
    later: &Region<'c>,
    least: i128,
    last: Option<i128>,
) -> Option<i128> {
    // Each iteration has an allocation of its own.
    if let (Root::Allocation(left), Root::Allocation(right)) = (earlier.root, later.root)
        && left == right
        && left.is_defined_inside(for_.op)
    {
        return None;
    }
    let (mut first, mut last) = (least, last);
    let mut rings: Vec<Slots> = Vec::new();
    for (earlier, later) in earlier.comparable_apart(later, for_.op) {
        let meetings = Meetings::of(for_.op, earlier, later);
        first = first.max(meetings.first);
        last = match (last, meetings.last) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
        rings.extend(meetings.slots);
    }
    let is_reachable = |distance: i128| last.is_none_or(|last| distance <= last);
    let period = rings
        .iter()
        .fold(1, |product, ring| ring.period().saturating_mul(product));
    let turns = period.min(MOST_TURNS);
    let meeting = (first..first.saturating_add(turns))
        .take_while(|distance| is_reachable(*distance))
        .find(|distance| rings.iter().all(|ring| ring.meet(*distance)));
    let beyond = first.saturating_add(turns);
    meeting.or((turns < period && is_reachable(beyond)).then_some(beyond))
}
