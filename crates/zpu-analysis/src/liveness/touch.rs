//! Reads and writes of each buffer by step.

use std::collections::HashMap;

use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value};
use zpu_sync::index::Facts;

use super::buffer::Buffer;
use super::cover::Box;
use super::slots::{MOST_SLOTS, Slots, counter};
use super::timeline::{StepId, Timeline};
use crate::access::{Access, accesses, steps};
use crate::linear::{Index, Linear, Symbol};
use crate::names::Mlir;
use crate::region::{Extent, Region, region_of};

/// One access of a step to a buffer.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) buffer: usize,
    /// The operation of the step that does it, by its number. An operation reads while it writes.
    pub(super) inner: usize,
    /// The slots that it may access, by their numbers at the step.
    pub(super) slots: Slots,
    pub(super) write: bool,
    /// The box that it touches of each slot, in the dimensions of one slot; `None` may be anything.
    pub(super) part: Option<Box>,
    /// It certainly touches all of that, in one slot or in all.
    pub(super) certain: bool,
    /// It certainly touches all of each slot.
    pub(super) whole: bool,
}

/// The accesses of all steps, those of a step in the order in which they happen.
pub(super) struct Touches {
    of: Vec<Vec<Touch>>,
    /// For each buffer, a box around what is read of a slot.
    pub(super) read: Vec<Box>,
}

impl Touches {
    /// Finds the accesses, and which buffers are rings.
    pub(super) fn of<'c>(timeline: &Timeline<'c>, buffers: &mut [Buffer<'c>]) -> Self {
        let numbers: HashMap<Value<'c>, usize> = buffers.iter().map(|buffer| buffer.value).zip(0..).collect();
        let raw: Vec<Vec<Found<'c>>> = timeline.steps.iter().map(|step| found(step.op, &numbers)).collect();
        for (at, buffer) in buffers.iter_mut().enumerate() {
            let own = raw.iter().flatten().filter(|found| found.buffer == at);
            become_ring(buffer, &own.map(|found| &found.access).collect::<Vec<_>>());
        }
        let of: Vec<Vec<Touch>> = raw
            .iter()
            .zip(&timeline.steps)
            .map(|(all, step)| {
                let each = all.iter();
                each.map(|found| touch(found, &buffers[found.buffer], &step.loops))
                    .collect()
            })
            .collect();
        let read = (0..buffers.len()).map(|at| read_of(at, &buffers[at], &of)).collect();
        Self { of, read }
    }

    /// The accesses of a step.
    pub(super) fn at(&self, step: StepId) -> &[Touch] {
        &self.of[step.0]
    }

    /// The steps that access each of so many buffers, in program order.
    pub(super) fn steps_of_each(&self, buffers: usize) -> Vec<Vec<StepId>> {
        let mut steps = vec![Vec::new(); buffers];
        for (at, touches) in self.of.iter().enumerate() {
            for touch in touches {
                if steps[touch.buffer].last() != Some(&StepId(at)) {
                    steps[touch.buffer].push(StepId(at));
                }
            }
        }
        steps
    }
}

/// An access to a buffer, by the number of the buffer.
struct Found<'c> {
    buffer: usize,
    inner: usize,
    access: Access<'c>,
}

/// The accesses of an operation to buffers. Where its effects are not known, it reads and may write all that it is
/// given.
fn found<'c>(op: Op<'c>, numbers: &HashMap<Value<'c>, usize>) -> Vec<Found<'c>> {
    let mut all = Vec::new();
    let mut add = |inner: usize, access: Access<'c>| {
        if let Some(buffer) = numbers.get(&access.region.root.value()).copied() {
            all.push(Found { buffer, inner, access });
        }
    };
    match accesses(op) {
        Some(list) => {
            for (at, (_, mut inner)) in steps(op, &list).into_iter().enumerate() {
                // An operation reads before it writes.
                inner.sort_by_key(|access| access.write);
                inner.into_iter().for_each(|access| add(at, access));
            }
        }
        None => {
            let inner = op.walk().into_iter().flat_map(Op::operands);
            for value in inner.filter(|value| MemRef::of(value.ty()).is_some()) {
                for access in crate::access::places_of(value) {
                    let anything = Region {
                        extents: None,
                        bytes: None,
                        ..access.region
                    };
                    for write in [false, true] {
                        let access = Access {
                            region: anything.clone(),
                            write,
                            full: false,
                            whole_of: None,
                            ends: false,
                        };
                        add(0, access);
                    }
                }
            }
        }
    }
    all
}

/// The slot that a region is in: a number, counted from the iteration of a loop or from 0.
fn slot_of<'c>(region: &Region<'c>, value: Value<'c>, versions: i64, pitch: i64) -> Option<(Option<Op<'c>>, i64)> {
    let own = region.extents.as_ref().filter(|_| region.base == value);
    let index = match own.and_then(|extents| extents.first()) {
        Some(extent) => {
            extent.span.as_ref()?.as_constant().filter(|span| *span == 1)?;
            extent.offset.clone()
        }
        None => {
            let first = Mlir::window(value).map_or(0, |window| window.first);
            slot_of_bytes(region.bytes.as_ref()?, first, pitch)?
        }
    };
    let counted = match &index {
        Index::Linear(linear) => linear,
        Index::Modulo(modulo) => {
            let is_plain = modulo.factor == 1 && modulo.rest.as_constant() == Some(0) && modulo.modulus == versions;
            Some(&modulo.dividend).filter(|_| is_plain)?
        }
    };
    match counted.terms() {
        [] => Some((None, counted.offset())),
        [(Symbol::Iteration(loop_), 1)] => Some((Some(*loop_), counted.offset())),
        _ => None,
    }
}

/// The index of the slot that a range of bytes is in, of a buffer that begins at byte `first`.
fn slot_of_bytes<'c>(bytes: &Extent<'c>, first: i64, pitch: i64) -> Option<Index<'c>> {
    let span = bytes.span.as_ref()?.as_constant()?;
    let split = |linear: &Linear<'c>| {
        let linear = linear.add_scaled(&Linear::constant(first), -1)?;
        let inside = linear.offset().rem_euclid(pitch);
        let slot = linear.add_scaled(&Linear::constant(inside), -1)?.divide(pitch)?;
        (inside.checked_add(span)? <= pitch).then_some(slot)
    };
    match &bytes.offset {
        Index::Linear(linear) => Some(Index::Linear(split(linear)?)),
        Index::Modulo(modulo) if modulo.factor == pitch => {
            split(&modulo.rest).filter(|rest| rest.as_constant() == Some(0))?;
            Some(Index::modulo(modulo.dividend.clone(), modulo.modulus))
        }
        Index::Modulo(_) => None,
    }
}

/// Makes a ring of a buffer whose accesses name single slots of its first dimension.
fn become_ring<'c>(buffer: &mut Buffer<'c>, all: &[&Access<'c>]) {
    let Some(memref) = MemRef::of(buffer.value.ty()) else {
        return;
    };
    let Some(versions) = memref.shape.first().copied().flatten() else {
        return;
    };
    let is_possible = memref.rank() > 1 && (2..=MOST_SLOTS).contains(&versions) && buffer.escapes.is_none();
    let (Some(bytes), true) = (memref.bytes(), is_possible) else {
        return;
    };
    let pitch = bytes / versions;
    if pitch <= 0 {
        return;
    }
    let slots: Vec<_> = all
        .iter()
        .map(|access| slot_of(&access.region, buffer.value, versions, pitch))
        .collect();
    let mut counted_by = Vec::new();
    for loop_ in slots.iter().flatten().filter_map(|(loop_, _)| *loop_) {
        if !counted_by.contains(&loop_) {
            counted_by.push(loop_);
        }
    }
    if counted_by.is_empty() && (slots.is_empty() || slots.iter().any(Option::is_none)) {
        return;
    }
    buffer.versions = u32::try_from(versions).unwrap_or(1);
    buffer.pitch = pitch.unsigned_abs();
    buffer.counted_by = counted_by;
}

fn touch<'c>(found: &Found<'c>, buffer: &Buffer<'c>, loops: &[Op<'c>]) -> Touch {
    let access = &found.access;
    let region = &access.region;
    let is_known = region.root.allocation() == Some(buffer.value);
    let (versions, pitch) = (
        i64::from(buffer.versions),
        i64::try_from(buffer.pitch).unwrap_or(i64::MAX),
    );
    let slot = if versions == 1 {
        Some(0)
    } else {
        let found = slot_of(region, buffer.value, versions, pitch).filter(|_| is_known);
        found
            .filter(|(counted_by, _)| *counted_by == counter(buffer, loops))
            .map(|(_, slot)| slot)
    };
    let slots = slot.map_or(Slots::all(buffer.versions), |slot| Slots::one(slot, buffer.versions));
    let is_all = is_known && access.full && region.is_whole_root();
    let is_slot = access.full && slot.is_some() && is_known && fills(region, pitch);
    let inner = usize::from(versions > 1);
    let extents = region.extents.as_ref().filter(|_| region.base == buffer.value);
    let part = extents.and_then(|extents| extents.get(inner..).and_then(box_of));
    let is_exact = extents.is_some_and(|extents| extents.iter().all(|extent| extent.exact));
    Touch {
        buffer: found.buffer,
        inner: found.inner,
        slots,
        write: access.write,
        part,
        certain: is_known && access.full && is_exact && slot.is_some(),
        whole: is_all || is_slot,
    }
}

/// True if a region is all of a view, without gaps, of just the bytes of a slot.
fn fills(region: &Region<'_>, pitch: i64) -> bool {
    let Some(memref) = MemRef::of(region.base.ty()) else {
        return false;
    };
    let span = region
        .bytes
        .as_ref()
        .and_then(|bytes| bytes.span.as_ref()?.as_constant());
    let extents = region.extents.as_ref().filter(|_| {
        let is_view = region_of(region.base).base == region.base;
        is_view && span == Some(pitch) && memref.bytes() == Some(pitch)
    });
    extents.is_some_and(|extents| {
        extents.iter().zip(&memref.shape).all(|(extent, size)| {
            let span = extent.span.as_ref().and_then(Linear::as_constant);
            extent.exact && extent.offset.as_constant() == Some(0) && size.is_some() && span == *size
        })
    })
}

/// Extents as a box of constants.
pub(super) fn box_of(extents: &[Extent<'_>]) -> Option<Box> {
    let each = extents.iter().map(|extent| {
        let from = extent.offset.as_constant()?;
        Some((from, from.checked_add(extent.span.as_ref()?.as_constant()?)?))
    });
    each.collect()
}

/// A box around all reads of a slot of a buffer.
fn read_of(at: usize, buffer: &Buffer<'_>, of: &[Vec<Touch>]) -> Box {
    let shape = MemRef::of(buffer.value.ty())
        .map(|memref| memref.shape)
        .unwrap_or_default();
    let inner = shape.iter().skip(usize::from(buffer.versions > 1));
    let all: Box = inner.map(|size| (0, size.unwrap_or(i64::MAX))).collect();
    let mut around: Option<Box> = None;
    for touch in of.iter().flatten().filter(|touch| touch.buffer == at && !touch.write) {
        let Some(part) = &touch.part else { return all };
        around = Some(match around {
            None => part.clone(),
            Some(known) => {
                let each = known.iter().zip(part);
                each.map(|((from, to), (other_from, other_to))| (*from.min(other_from), *to.max(other_to)))
                    .collect()
            }
        });
    }
    around.unwrap_or(all)
}
