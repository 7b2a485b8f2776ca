//! Versions for buffers of outer loops, whose iterations then overlap where they meet.
//!
//! An outer loop keeps its program order: the code before an inner loop, that loop as a whole, and the code after it.
//! But a transfer that ends one iteration (a tile stored) may still run when the next one begins (the next tile
//! loaded), if the two are on different engines and not in the same memory. So each buffer that is allocated in the
//! body of an outer loop gets two versions where
//!
//! 1. it is a privatizable buffer of that loop;
//! 2. some command of one iteration that touches it is on an engine that is not blocking, and another engine, or the
//!    control stream, touches it in the next iteration such that it would have to wait;
//! 3. the memory has room for the second one beside everything that the nest allocates, in all of its versions.
//!
//! A load into such a buffer before the inner loops may then go one iteration ahead (see [`super::prefetch`]), or as
//! many as `zpu.num_stages` on the loop and the memory allow; one version more keeps it apart from data that is still
//! being stored, if there is room. A privatizable buffer that gets no second version is given one, which moves its
//! allocation out of the loop: a deallocation at the end of the body would have to wait for all that touches the
//! buffer.

use std::collections::HashMap;

use zpu_device::Device;
use zpu_ir::scf::For;
use zpu_ir::{Op, Remark, RemarkKind, annotation, attr};
use zpu_sched::Scheduler;

use super::settings::Settings;
use super::{PASS, outer_engines, prefetch};
use crate::loop_problem::wanted_stages;
use crate::nest_levels::MOST_AROUND;
use zpu_analysis::body::{is_asynchronous, sync_engine};
use zpu_analysis::footprint::{footprint, peak_moved_out, total, versions};
use zpu_analysis::privatizable::{Touch, Touched, has_computed_size};

/// The limits set by a loop's annotation and by the options.
#[derive(Clone, Copy, Debug)]
struct Most {
    /// The most versions of a buffer.
    versions: u32,
    /// True if the order of the program may change.
    reorders: bool,
    /// The most iterations under way at once, with the one that the inner loops work on.
    depth: u32,
}

impl Most {
    /// The limits for a loop; none if it is not to be pipelined.
    fn of(for_: For<'_>, settings: &Settings) -> Option<Self> {
        let wanted = wanted_stages(for_).ok().flatten();
        let stages = wanted.unwrap_or(settings.stages.limit());
        (stages > 0).then(|| Self {
            versions: settings.limits.max_versions.unwrap_or(stages),
            reorders: settings.scheduler != Scheduler::Serial && stages > 1,
            depth: wanted.unwrap_or(prefetch::DEPTH),
        })
    }
}

/// Gives versions to the buffers of a function's outer loops that hold commands, the inner ones first.
pub(super) fn plan(function: Op<'_>, device: &Device, settings: &Settings) {
    let mut loops: Vec<For<'_>> = function.walk().into_iter().filter_map(For::of).collect();
    loops.reverse();
    // By loop with loads that go ahead, the number of such loops around each other, with it.
    let mut ahead_inside: HashMap<Op<'_>, usize> = HashMap::new();
    for for_ in loops {
        let Some(most) = Most::of(for_, settings) else { continue };
        let inside = for_.op.walk();
        let has_commands = inside.iter().any(|op| sync_engine(*op).is_some());
        if !for_.is_innermost() && has_commands && !inside.iter().any(|op| is_asynchronous(*op)) {
            if settings.limits.choose_engines {
                outer_engines::choose(for_, device);
            }
            let doubled = plan_loop(function, for_, device, most);
            if !most.reorders {
                continue;
            }
            let levels = inside.iter().filter_map(|op| ahead_inside.get(op)).max();
            let levels = levels.copied().unwrap_or(0);
            if levels >= MOST_AROUND {
                report_deep(for_, levels);
            } else if let Some(ahead) = prefetch::plan(for_, device) {
                ahead_inside.insert(for_.op, levels + 1);
                let depth = deepen(function, for_, &doubled, &ahead, device, most);
                if most.versions > depth {
                    add_last_versions(function, &doubled, &ahead, device, depth);
                }
            }
        }
    }
}

fn report_deep(for_: For<'_>, levels: usize) {
    Remark::new(for_.op, RemarkKind::Missed, PASS, "deep-nest")
        .message(format!(
            "no load goes ahead: the loops in this one are written twice for each of {levels} loops around each other"
        ))
        .emit();
}

/// Gives versions to the buffers of one loop. Returns the allocations that got two.
fn plan_loop<'c>(function: Op<'c>, for_: For<'c>, device: &Device, most: Most) -> Vec<Op<'c>> {
    let mut doubled = Vec::new();
    let touched = Touched::of(for_);
    for root in &touched.roots {
        let in_body = |op: &Op<'c>| op.block() == Some(for_.body) && !op.has_attr(annotation::VERSIONS);
        let Some(allocation) = root.defining_op().filter(in_body) else {
            continue;
        };
        if let Err(decline) = touched.life(*root) {
            Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
                .message(decline.message)
                .emit();
            continue;
        }
        if !touched.counts(*root) {
            continue;
        }
        let may_overlap = most.versions > 1 && for_.constant_trip_count().is_none_or(|trips| trips > 1);
        let overlaps = may_overlap && overlaps(&touched, *root, device);
        set_versions(allocation, 1);
        if has_computed_size(for_.op, allocation) && !has_room(function, allocation, device) {
            allocation.remove_attr(annotation::VERSIONS);
            Remark::new(allocation, RemarkKind::Missed, PASS, "variant-size")
                .message(
                    "the buffer has sizes that are computed in the loop, and the memory has no room for their bounds \
                     outside of it",
                )
                .emit();
            continue;
        }
        if overlaps {
            set_versions(allocation, 2);
        }
        if overlaps && !has_room(function, allocation, device) {
            set_versions(allocation, 1);
            Remark::new(allocation, RemarkKind::Missed, PASS, "no-room")
                .message(
                    "a second version would let iterations of the outer loop overlap, but the memory has no room \
                    for it",
                )
                .emit();
        } else if overlaps {
            doubled.push(allocation);
            Remark::new(allocation, RemarkKind::Analysis, PASS, "outer-versions")
                .message("two versions, so that the end of an iteration of the outer loop overlaps with the next one")
                .metric("Versions", 2)
                .emit();
        }
    }
    doubled
}

/// Lets loads go as many iterations ahead as the loop asks for, there is room for, and no dependence forbids. Returns
/// the versions of the buffers that they fill.
fn deepen<'c>(
    function: Op<'c>,
    for_: For<'c>,
    doubled: &[Op<'c>],
    ahead: &prefetch::Ahead<'c>,
    device: &Device,
    most: Most,
) -> u32 {
    let trips = for_.constant_trip_count().and_then(|trips| u32::try_from(trips).ok());
    let deepest = most.depth.min(most.versions).min(trips.unwrap_or(u32::MAX));
    let (open, fixed): (Vec<Op<'c>>, Vec<Op<'c>>) = ahead.filled.iter().partition(|op| doubled.contains(op));
    let fixed = fixed.iter().map(|op| u32::try_from(versions(*op)).unwrap_or(u32::MAX));
    let deepest = fixed.fold(deepest, u32::min);
    for depth in (prefetch::DEPTH + 1..=deepest).rev() {
        open.iter().for_each(|allocation| set_versions(*allocation, depth));
        if open.iter().all(|allocation| has_room(function, *allocation, device)) && ahead.deepen(depth) {
            return depth;
        }
    }
    open.iter()
        .for_each(|allocation| set_versions(*allocation, prefetch::DEPTH));
    prefetch::DEPTH
}

/// Adds one version, if there is room, to buffers that a load fills ahead and that are stored from. Without it, the
/// load would wait for the store at the end of the iteration that had the version before.
fn add_last_versions<'c>(
    function: Op<'c>,
    doubled: &[Op<'c>],
    ahead: &prefetch::Ahead<'c>,
    device: &Device,
    depth: u32,
) {
    for allocation in doubled.iter().filter(|allocation| ahead.used_last.contains(allocation)) {
        set_versions(*allocation, depth + 1);
        if !has_room(function, *allocation, device) {
            set_versions(*allocation, depth);
        }
    }
}

fn set_versions(allocation: Op<'_>, versions: u32) {
    allocation.set_attr(annotation::VERSIONS, attr::int(allocation.context(), versions.into()));
}

/// Checks condition 2.
fn overlaps<'c>(touched: &Touched<'c>, root: zpu_ir::Value<'c>, device: &Device) -> bool {
    let place = |touch: &Touch<'c>| sync_engine(touch.command);
    let works_beside = |touch: &Touch<'c>| {
        let engine = place(touch).and_then(|name| device.engine(name));
        engine.is_some_and(|engine| !engine.blocking)
    };
    let touches = touched.touches(root);
    touches.iter().filter(|touch| works_beside(touch)).any(|before| {
        let waits = |after: &&Touch<'c>| {
            place(after) != place(before) && !(before.writes.is_empty() && after.writes.is_empty())
        };
        touches.iter().any(|after| waits(&after))
    })
}

/// Checks condition 3, for an allocation that is marked with its versions already.
fn has_room(function: Op<'_>, allocation: Op<'_>, device: &Device) -> bool {
    let Some((space, _)) = footprint(allocation.result(0), device) else {
        return false;
    };
    let room = device.memory(space).map_or(0, |memory| memory.bytes);
    total(function, space, device) <= room || peak_moved_out(function, space, device) <= room
}
