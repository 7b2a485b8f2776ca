//! `zpu-rotate-buffers`: buffers that iterations allocate, hand on and free go around instead.
//!
//! A loop that frees what an earlier iteration has allocated and handed on uses another buffer in each iteration, which
//! has no place that a transfer could be ahead of. With a few buffers that the loop carries, the planner sees how many
//! iterations each of them is at rest.
//!
//! Invariant: the names of these buffers own their memory ([`ownership`]), so what is freed under one of them is used
//! under no other, and may be the next one that is written.

use rustc_hash::FxHashSet;
use zpu_analysis::footprint::{footprint, total};
use zpu_analysis::ownership;
use zpu_device::Device;
use zpu_ir::options::RotateBuffersOptions;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Builder, Op, PassResult, Remark, RemarkKind, Value, annotation, device, edit};

use crate::annotations::{self, count};

const PASS: &str = "zpu-rotate-buffers";

/// Largest number of buffers that may be asked for.
const MOST: i64 = 256;

/// Buffers that one loop carries at most, where nobody asks for more: of more that may be one, the analysis does not
/// know which are apart.
const MOST_CARRIED: i64 = 8;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &RotateBuffersOptions) -> PassResult {
    let most = count(function, "most", options.most, MOST)?;
    let loops = function.find_all("scf.for").into_iter().filter_map(For::of);
    let candidates: Vec<For<'_>> = loops.filter(|for_| !freed(*for_).is_empty()).collect();
    if candidates.is_empty() {
        return Ok(());
    }
    let device = device::read(function).ok();
    for for_ in candidates {
        // Names are others after each loop that is made anew.
        let pairs = pairs(for_, &ownership::owners(function));
        let share = i64::try_from(pairs.len()).unwrap_or(i64::MAX).max(1);
        let carried = for_
            .iter_args()
            .into_iter()
            .filter(|arg| MemRef::of(arg.ty()).is_some());
        let carried = i64::try_from(carried.count()).unwrap_or(i64::MAX);
        let followed = MOST_CARRIED.saturating_sub(carried) / share + 1;
        let mut rings = Vec::new();
        for pair in pairs {
            let own = annotations::count_on(pair.allocation, annotation::VERSIONS, MOST)?;
            // One is as it is.
            if own == Some(1) {
                continue;
            }
            let (fitting, spare) = within(pair, function, device.as_ref(), share);
            let number = own.unwrap_or(spare.min(most).min(followed)).max(2);
            if number > fitting {
                Remark::new(pair.allocation, RemarkKind::Missed, PASS, "no-room")
                    .message(format!(
                        "each iteration allocates its buffer: beside all others of the function there is no room for \
                         {number} that go around"
                    ))
                    .emit();
                continue;
            }
            rings.push((pair, number));
        }
        if !rings.is_empty() {
            rotate(for_, &rings);
        }
    }
    Ok(())
}

/// An allocation in the body of a loop, and the deallocation there of a carried buffer of the same type.
#[derive(Clone, Copy)]
struct Pair<'c> {
    allocation: Op<'c>,
    free: Op<'c>,
}

/// The deallocations in the body itself of what the loop carries.
fn freed(for_: For<'_>) -> Vec<Op<'_>> {
    let carried = for_.iter_args();
    let frees = for_.ops().into_iter().filter(|op| op.is("memref.dealloc"));
    frees.filter(|op| carried.contains(&op.operand(0))).collect()
}

/// Each allocation that the loop hands on, with one of the deallocations.
fn pairs<'c>(for_: For<'c>, owners: &FxHashSet<Value<'c>>) -> Vec<Pair<'c>> {
    let yields = for_.yields();
    let is_ring = |op: &Op<'c>| {
        let is_static = |value: Value<'c>| MemRef::of(value.ty()).is_some_and(|memref| memref.has_static_shape());
        op.is("memref.alloc")
            && yields.contains(&op.result(0))
            && owners.contains(&op.result(0))
            && is_static(op.result(0))
            // Another buffer may be aligned less.
            && !op.has_attr("alignment")
    };
    let mut frees: Vec<Op<'c>> = freed(for_);
    frees.retain(|free| owners.contains(&free.operand(0)));
    let mut pairs = Vec::new();
    for allocation in for_.ops().into_iter().filter(is_ring) {
        let is_alike = |free: &Op<'c>| free.operand(0).ty() == allocation.result(0).ty();
        if let Some(at) = frees.iter().position(is_alike) {
            let free = frees.remove(at);
            pairs.push(Pair { allocation, free });
        }
    }
    pairs
}

/// The most buffers that there is room for beside all others of the function, and the most with which half of the
/// memory stays free, but no less than two, if so many rings share what there is.
fn within(pair: Pair<'_>, function: Op<'_>, device: Option<&Device>, share: i64) -> (i64, i64) {
    let room = device.and_then(|device| {
        let (space, bytes) = footprint(pair.allocation.result(0), device)?;
        let capacity = device.memory(space)?.bytes;
        // The allocation itself is one of them.
        let taken = total(function, space, device);
        let beside = |room: u64| i64::try_from(room.checked_sub(taken)?.checked_div(bytes)?).ok();
        let in_all = |room: u64| beside(room).map_or(0, |more| more / share + 2);
        Some((in_all(capacity), in_all(capacity / 2).max(2)))
    });
    room.unwrap_or((i64::MAX, 2))
}

/// Lets a loop carry the buffers.
fn rotate<'c>(for_: For<'c>, rings: &[(Pair<'c>, i64)]) {
    let mut builder = Builder::before(for_.op);
    let mut spares = Vec::new();
    for (pair, number) in rings {
        for _ in 1..*number {
            let spare = builder.clone_op(pair.allocation);
            spare.remove_attr(annotation::VERSIONS);
            spares.push(spare.result(0));
        }
    }
    let before = for_.op.num_results();
    let new = edit::loop_with(for_, &spares);
    let Some(end) = new.body().and_then(|body| body.terminator()) else {
        return;
    };
    let carried = For::of(new)
        .map(|new| new.iter_args().split_off(before))
        .unwrap_or_default();
    free_last(new, before);
    let mut next = 0;
    let mut yielded: Vec<Value<'c>> = Vec::new();
    for (pair, number) in rings {
        let places = next..next + usize::try_from(*number - 1).unwrap_or(0);
        next = places.end;
        let ring = &carried[places];
        let Some((first, others)) = ring.split_first() else {
            continue;
        };
        yielded.extend(others);
        yielded.push(pair.free.operand(0));
        Remark::new(pair.allocation, RemarkKind::Passed, PASS, "rotated")
            .message(format!(
                "{number} buffers go around in place of one that each iteration allocates"
            ))
            .metric("Buffers", *number)
            .emit();
        edit::replace_all_uses(pair.allocation.result(0), *first);
        edit::erase(pair.allocation);
        edit::erase(pair.free);
    }
    edit::append_operands(end, &yielded);
}

/// Frees the results of a loop, of which the first ones are freed already, at the end of the block around: any of them
/// may be any of the buffers, so all are there until the last use of one.
fn free_last(new: Op<'_>, known: usize) {
    let Some(end) = new.block().and_then(|block| block.terminator()) else {
        return;
    };
    let results = new.results();
    let (known, left) = results.split_at(known);
    let frees = known.iter().flat_map(|result| result.uses()).map(|used| used.op);
    let frees = frees.filter(|op| op.is("memref.dealloc") && op.block() == new.block());
    frees
        .collect::<Vec<_>>()
        .into_iter()
        .for_each(|free| edit::move_before(free, end));
    let mut builder = Builder::before(end);
    for result in left {
        builder.op("memref.dealloc", &[*result], &[], &[]);
    }
}
