//! Which copies of a loop body are the same in each iteration, so that one is as good as all.
//!
//! Let a copy from `S` to `D` stand directly in the body, with operands that no iteration changes. Accesses are those
//! of the other operations of the body over all iterations, and in program order.
//!
//! - It may be made *before* the loop if no other operation writes `S` or `D`, and none before it accesses `D`: then
//!   each later copy leaves `D` as the first one did.
//! - It may be made *behind* the loop if no other operation accesses `D`, and none after it writes `S`: then nothing
//!   sees but the last copy, and `S` is still what that one copied.
//! - With a later copy from the same `D` to the same `S`, the one is made before the loop and the other behind it if no
//!   other operation accesses `S`, none before the first accesses `D`, and none after the second writes `D`: then the
//!   first copy of an iteration reads what the second one of the iteration before wrote, which is what is in `D`. No
//!   two elements of `S` or of `D` may share a place.

use std::collections::HashSet;

use zpu_analysis::access::{Access, accesses};
use zpu_analysis::body::is_asynchronous;
use zpu_analysis::liveness::handed_on;
use zpu_analysis::region::{Region, Root, region_of};
use zpu_ir::scf::For;
use zpu_ir::{Op, Value, annotation, attr, ty};

use crate::data_path::Copy;

/// Where a copy moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Before,
    Behind,
}

/// Copies that may move together.
#[derive(Debug)]
pub(super) struct Invariant<'c> {
    /// The copies, in program order.
    pub(super) moves: Vec<(Op<'c>, Target)>,
    /// The buffers in the body that they copy from or to.
    pub(super) allocations: Vec<Op<'c>>,
}

impl<'c> Invariant<'c> {
    /// The copies, in program order.
    pub(super) fn copies(&self) -> Vec<Op<'c>> {
        self.moves.iter().map(|(copy, _)| *copy).collect()
    }
}

/// A copy whose operands no iteration changes.
pub(super) struct Candidate<'c> {
    /// The copy.
    pub(super) copy: Op<'c>,
    /// What may move, or the operation that is in the way.
    pub(super) verdict: Result<Invariant<'c>, Op<'c>>,
}

/// The copies of a loop body that would be the same in each iteration, if nothing else were there.
pub(super) fn candidates<'c>(for_: For<'c>) -> Vec<Candidate<'c>> {
    let ops = for_.ops();
    let is_candidate = |(at, op): (usize, &Op<'c>)| {
        let copy = Copy::of(*op).filter(|_| !op.has_attr(annotation::SCHEDULE))?;
        let allocations = allocations(copy, for_)?;
        makers(*op, for_)?;
        Some((at, copy, allocations))
    };
    let found: Vec<(usize, Copy<'c>, Vec<Op<'c>>)> = ops.iter().enumerate().filter_map(is_candidate).collect();
    if found.is_empty() || for_.op.walk().into_iter().any(is_asynchronous) {
        return Vec::new();
    }
    let Some(body) = Body::of(for_, &ops) else {
        return Vec::new();
    };
    let verdict = |(at, copy, allocations): &(usize, Copy<'c>, Vec<Op<'c>>)| {
        let alone = |target| Invariant {
            moves: vec![(copy.op, target)],
            allocations: allocations.clone(),
        };
        let back = found
            .iter()
            .find(|(_, other, _)| other.source == copy.dest && other.dest == copy.source);
        let before = body.before(*at, *copy);
        let verdict = before.map(|()| alone(Target::Before)).or_else(|blocker| {
            body.behind(*at, *copy).map(|()| alone(Target::Behind)).or_else(|_| {
                let (last, back, _) = back.filter(|(last, ..)| last > at).ok_or(blocker)?;
                body.there_and_back(*at, *last, *copy).map(|()| Invariant {
                    moves: vec![(copy.op, Target::Before), (back.op, Target::Behind)],
                    allocations: allocations.clone(),
                })
            })
        });
        // The second of two copies there and back is reported with the first. A copy of what the iteration made is
        // not one that anybody would expect to move.
        let is_second = back.is_some_and(|(first, ..)| first < at);
        let is_local = |memref| matches!(region_of(memref).root, Root::Allocation(_));
        let is_made_here = is_local(copy.source) && is_local(copy.dest);
        let is_expected = !is_second && !is_made_here;
        (verdict.is_ok() || is_expected).then_some(Candidate { copy: copy.op, verdict })
    };
    found.iter().filter_map(verdict).collect()
}

/// Accesses of a loop body's operations, over all iterations.
struct Body<'c> {
    units: Vec<(usize, Op<'c>, Vec<Access<'c>>)>,
}

impl<'c> Body<'c> {
    /// `None` if the accesses of an operation are not known.
    fn of(for_: For<'c>, ops: &[Op<'c>]) -> Option<Self> {
        let mut units = Vec::new();
        for (at, op) in ops.iter().enumerate() {
            let is_local_free = op.is("memref.dealloc")
                && op
                    .operand(0)
                    .defining_op()
                    .is_some_and(|made| made.block() == op.block());
            if op.is_memory_effect_free() || is_local_free {
                continue;
            }
            let outside = accesses(*op)?.into_iter().map(|access| access.outside(for_.op));
            units.push((at, *op, outside.collect()));
        }
        Some(Self { units })
    }

    /// Fails with the first operation, other than those `except`, that has an access for which `is_in_the_way` holds.
    fn none(&self, except: &[usize], is_in_the_way: impl Fn(usize, &Access<'c>) -> bool) -> Result<(), Op<'c>> {
        let others = self.units.iter().filter(|(at, ..)| !except.contains(at));
        let mut blockers = others.filter(|(at, _, all)| all.iter().any(|access| is_in_the_way(*at, access)));
        blockers.next().map_or(Ok(()), |(_, op, _)| Err(*op))
    }

    fn before(&self, copy_at: usize, copy: Copy<'c>) -> Result<(), Op<'c>> {
        let sides = Sides::of(copy)?;
        self.none(&[copy_at], |at, access| {
            access.write && (sides.reads(access) || sides.writes(access)) || at < copy_at && sides.writes(access)
        })
    }

    fn behind(&self, copy_at: usize, copy: Copy<'c>) -> Result<(), Op<'c>> {
        let sides = Sides::of(copy)?;
        self.none(&[copy_at], |at, access| {
            sides.writes(access) || at > copy_at && access.write && sides.reads(access)
        })
    }

    fn there_and_back(&self, first: usize, last: usize, copy: Copy<'c>) -> Result<(), Op<'c>> {
        let sides = Sides::of(copy)?;
        if !(is_injective(copy.source) && is_injective(copy.dest)) {
            return Err(copy.op);
        }
        self.none(&[first, last], |at, access| {
            sides.reads(access) || sides.writes(access) && (at < first || at > last && access.write)
        })
    }
}

/// The regions that a copy reads and writes.
struct Sides<'c> {
    source: Region<'c>,
    dest: Region<'c>,
}

impl<'c> Sides<'c> {
    /// Fails with the copy if the two may overlap.
    fn of(copy: Copy<'c>) -> Result<Self, Op<'c>> {
        let (source, dest) = (region_of(copy.source), region_of(copy.dest));
        if source.may_overlap(&dest) {
            return Err(copy.op);
        }
        Ok(Self { source, dest })
    }

    /// True if an access may touch what the copy reads.
    fn reads(&self, access: &Access<'c>) -> bool {
        access.region.may_overlap(&self.source)
    }

    /// True if an access may touch what the copy writes.
    fn writes(&self, access: &Access<'c>) -> bool {
        access.region.may_overlap(&self.dest)
    }
}

/// True if no two elements of a memref share a place: it is made by views that cannot repeat elements from one without
/// gaps.
fn is_injective(memref: Value<'_>) -> bool {
    if ty::MemRef::of(memref.ty()).is_some_and(|memref| memref.is_identity_layout()) {
        return true;
    }
    let Some(op) = memref.defining_op() else { return false };
    let is_injective_view = match op.name() {
        "memref.cast" | "memref.expand_shape" | "memref.collapse_shape" | "memref.transpose" => true,
        "memref.subview" => {
            let strides = op.attr("static_strides").and_then(attr::as_int_array);
            strides.is_some_and(|strides| strides.iter().all(|stride| *stride > 0))
        }
        _ => false,
    };
    is_injective_view && is_injective(op.operand(0))
}

/// The allocations in the body that a copy's operands are views of. `None` if one has to stay there.
fn allocations<'c>(copy: Copy<'c>, for_: For<'c>) -> Option<Vec<Op<'c>>> {
    let mut found = Vec::new();
    for memref in [copy.source, copy.dest] {
        let root = region_of(memref).root.value();
        let Some(allocation) = root.defining_op().filter(|_| root.is_defined_inside(for_.op)) else {
            continue;
        };
        let users = root.uses().into_iter().map(|used| used.op);
        let frees: Vec<Op<'c>> = users.filter(|op| op.is("memref.dealloc")).collect();
        let is_movable = allocation.is("memref.alloc")
            && allocation.block() == Some(for_.body)
            && frees.len() <= 1
            && frees.iter().all(|free| free.block() == Some(for_.body))
            && handed_on(allocation).is_none()
            && !allocation.has_attr(annotation::VERSIONS)
            && !allocation.has_attr(annotation::BUFFER)
            && !allocation
                .operands()
                .into_iter()
                .any(|size| size.is_defined_inside(for_.op));
        if !is_movable {
            return None;
        }
        found.push(allocation);
    }
    Some(found)
}

/// The operations in the body that make a copy's operands, each after those that it needs, without allocations. `None`
/// if one of them depends on the iteration.
pub(super) fn makers<'c>(copy: Op<'c>, for_: For<'c>) -> Option<Vec<Op<'c>>> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for value in copy.operands() {
        gather(value, for_, &mut seen, &mut all)?;
    }
    Some(all)
}

fn gather<'c>(value: Value<'c>, for_: For<'c>, seen: &mut HashSet<Op<'c>>, all: &mut Vec<Op<'c>>) -> Option<()> {
    if !value.is_defined_inside(for_.op) {
        return Some(());
    }
    let op = value.defining_op().filter(|op| op.block() == Some(for_.body))?;
    if op.is("memref.alloc") || !seen.insert(op) {
        return Some(());
    }
    if !op.is_memory_effect_free() || !op.regions().is_empty() {
        return None;
    }
    for operand in op.operands() {
        gather(operand, for_, seen, all)?;
    }
    all.push(op);
    Some(())
}
