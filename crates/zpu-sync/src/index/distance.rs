//! Over how many iterations two accesses meet.

use super::access::Access;
use super::names::Facts;
use super::overlap::{Meetings, Slots};
use super::region::Region;
use super::root::Root;
use crate::seeded;

/// Rings are followed for at most this many distances, one by one; a conflict is taken to be where the search ends,
/// which is further than tokens are carried.
const MOST_DISTANCES: i128 = 4096;

/// The smallest distance, at least `least`, at which `earlier` in iteration `k` and `later` in iteration `k + distance`
/// may touch the same memory; `None` if there is none.
pub fn conflict_distance<N: Facts>(loop_: N::Scope, earlier: &Access<N>, later: &Access<N>, least: u32) -> Option<u32> {
    let last = N::constant_trip_count(loop_).map(|trips| i128::from(trips) - 1);
    distance_until(loop_, earlier, later, least, last)
}

/// The smallest distance as if the loop went on for ever. Commands before a loop are taken for those of iterations
/// before its first one, and told apart by their distances.
pub fn endless_distance<N: Facts>(loop_: N::Scope, earlier: &Access<N>, later: &Access<N>, least: u32) -> Option<u32> {
    distance_until(loop_, earlier, later, least, None)
}

fn distance_until<N: Facts>(
    loop_: N::Scope,
    earlier: &Access<N>,
    later: &Access<N>,
    least: u32,
    last: Option<i128>,
) -> Option<u32> {
    if !earlier.concerns(later) {
        return None;
    }
    if seeded!(IgnoredWriteAfterRead) && !earlier.write {
        return None;
    }
    if least == 0 && earlier.region.may_overlap(&later.region) {
        return Some(0);
    }
    first_meeting(loop_, &earlier.region, &later.region, least.max(1).into(), last)
        .map(|distance| u32::try_from(distance).unwrap_or(u32::MAX))
        .map(|distance| distance.saturating_add(u32::from(seeded!(LongerDistance))))
}

/// The smallest distance between `least`, which is above 0, and `last`.
fn first_meeting<N: Facts>(
    loop_: N::Scope,
    earlier: &Region<N>,
    later: &Region<N>,
    least: i128,
    last: Option<i128>,
) -> Option<i128> {
    // Each iteration has an allocation of its own.
    if let (Root::Allocation(left), Root::Allocation(right)) = (earlier.root, later.root)
        && left == right
        && N::is_defined_inside(left, loop_)
    {
        return None;
    }
    let (mut first, mut last) = (least, last);
    let mut rings: Vec<Slots> = Vec::new();
    for (earlier, later) in earlier.comparable_apart(later, loop_) {
        let meetings = Meetings::of(loop_, earlier, later);
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
    let tried = period.min(MOST_DISTANCES);
    let meeting = (first..first.saturating_add(tried))
        .take_while(|distance| is_reachable(*distance))
        .find(|distance| rings.iter().all(|ring| ring.meet(*distance)));
    let beyond = first.saturating_add(tried);
    meeting.or((tried < period && is_reachable(beyond)).then_some(beyond))
}
