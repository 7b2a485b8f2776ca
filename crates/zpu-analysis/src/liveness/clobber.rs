//! The check of addresses: whether each read of a buffer sees what was written to that buffer.
//!
//! A forward analysis of whose bytes they are. A slot of a buffer *holds* something where the buffer may have been
//! written, and a slot that holds something is *foreign* where another buffer may have been written to its bytes and
//! the slot has not certainly been written as a whole since. A read of a foreign slot is wrong. States are joined by
//! union; a slot that was written in parts since is foreign but for these parts. An operation reads while it writes, so
//! it must not read bytes through one buffer that it writes through another one, whatever they hold.
//!
//! It shares the timeline and the accesses of steps with the analysis of lives, and nothing else: it asks for no lives,
//! for no contents that are needed later, and for no pairs of buffers that may share bytes. Commands count in the order
//! in which they are issued; that they are complete in time is for the proof of the waits.

use std::collections::HashMap;

use zpu_device::Device;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, annotation, attr};

use super::buffer::{Buffer, buffers};
use super::cover::Replaced;
use super::slots::{Shift, Shifts, Slots, counter};
use super::timeline::{Kind, Loop, Node, Repeat, StepId, Timeline};
use super::touch::{Touch, Touches};

/// A read that may see bytes of another buffer.
#[derive(Clone, Copy, Debug)]
pub struct Clobber<'c> {
    /// The operation that reads, or the first one that a buffer is not followed through.
    pub read: Op<'c>,
    /// The allocation that it reads.
    pub buffer: Value<'c>,
    /// The allocation whose bytes it may see.
    pub other: Value<'c>,
    /// The operation that may have written them; none for a buffer that is not followed.
    pub write: Option<Op<'c>>,
}

/// Checks the addresses of a function's buffers, in any memory of the device: of each two of them the first read that
/// a walk finds of one that may see bytes of the other.
pub fn clobbered<'c>(function: Op<'c>, device: &Device) -> Vec<Clobber<'c>> {
    let (mut buffers, _) = buffers(function, device, |space| device.memory(space).is_some());
    let timeline = Timeline::of(function, device);
    let touches = Touches::of(&timeline, &mut buffers);
    let windows: Vec<Option<(u64, u64)>> = buffers.iter().map(window).collect();
    let overlap = |one: usize, other: usize| {
        let spans = windows[one].zip(windows[other]);
        one != other
            && buffers[one].space == buffers[other].space
            && spans.is_some_and(|(one, other)| one.0 < other.1 && other.0 < one.1)
    };
    let shared: Vec<Vec<usize>> = (0..buffers.len())
        .map(|one| (0..buffers.len()).filter(|other| overlap(one, *other)).collect())
        .collect();
    let mut found = Vec::new();
    // What is not followed may be accessed at any time.
    for (at, buffer) in buffers
        .iter()
        .enumerate()
        .filter(|(_, buffer)| buffer.escapes.is_some())
    {
        let others = shared[at].iter();
        found.extend(others.filter_map(|other| {
            Some(Clobber {
                read: buffer.escapes?,
                buffer: buffer.value,
                other: buffers[*other].value,
                write: None,
            })
        }));
    }
    let mut walk = Walk {
        timeline: &timeline,
        touches: &touches,
        buffers: &buffers,
        windows: &windows,
        shared: &shared,
        numbers: buffers.iter().map(|buffer| buffer.value).zip(0..).collect(),
        found,
    };
    let state = State {
        held: vec![Slots::NONE; buffers.len()],
        foreign: buffers
            .iter()
            .map(|buffer| vec![None; buffer.versions as usize])
            .collect(),
    };
    walk.nodes(&timeline.nodes, state);
    walk.found
}

/// The bytes of a buffer that has an address, from the first to the one after the last. What alignment leaves behind
/// them may be another buffer's.
fn window(buffer: &Buffer<'_>) -> Option<(u64, u64)> {
    window_of(buffer.op()?)
}

/// The bytes of an allocation that has an address, from the first to the one after the last.
pub fn window_of(allocation: Op<'_>) -> Option<(u64, u64)> {
    let address = allocation.attr(annotation::ADDRESS).and_then(attr::as_int)?;
    let bytes = MemRef::of(allocation.results().first()?.ty())?.bytes()?;
    let first = u64::try_from(address).ok()?;
    Some((first, first.saturating_add(u64::try_from(bytes).ok()?)))
}

/// A slot with bytes of another buffer in it, and the parts that were written since.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Foreign {
    by: usize,
    /// The step that wrote them; one of several.
    at: StepId,
    repaired: Replaced,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// The slots of each buffer that hold something.
    held: Vec<Slots>,
    /// Of each slot of each buffer, whether it is foreign.
    foreign: Vec<Vec<Option<Foreign>>>,
}

struct Walk<'t, 'c> {
    timeline: &'t Timeline<'c>,
    touches: &'t Touches,
    buffers: &'t [Buffer<'c>],
    windows: &'t [Option<(u64, u64)>],
    /// For each buffer, those that have bytes in common with it.
    shared: &'t [Vec<usize>],
    numbers: HashMap<Value<'c>, usize>,
    found: Vec<Clobber<'c>>,
}

impl<'c> Walk<'_, 'c> {
    /// The state after some nodes.
    fn nodes(&mut self, nodes: &[Node<'c>], mut state: State) -> State {
        for node in nodes {
            match node {
                Node::Step(step) => self.step(*step, &mut state),
                Node::Allocation(op) => {
                    if let Some(at) = self.numbers.get(&op.result(0)) {
                        state.held[*at] = Slots::NONE;
                        state.foreign[*at].fill(None);
                    }
                }
                Node::Select(_) => {}
                Node::Branch(_, sides) => {
                    let ends: Vec<State> = sides.iter().map(|side| self.nodes(side, state.clone())).collect();
                    // A condition without another side may be false.
                    let without = (ends.len() < 2).then_some(state.clone());
                    let joined = without.into_iter().chain(ends).reduce(|all, end| joined(all, &end));
                    state = joined.unwrap_or(state);
                }
                Node::Loop(loop_) => state = self.loop_(loop_, state),
                Node::Repeat(repeat) => state = self.repeat(repeat, state),
            }
        }
        state
    }

    fn repeat(&mut self, repeat: &Repeat<'c>, mut head: State) -> State {
        loop {
            let ends = repeat.regions.iter().map(|region| self.nodes(region, head.clone()));
            let new = ends.fold(head.clone(), |all, end| joined(all, &end));
            if new == head {
                return head;
            }
            head = new;
        }
    }

    fn loop_(&mut self, loop_: &Loop<'c>, before: State) -> State {
        let each = self.buffers.iter();
        let shifts: Vec<Shifts> = each
            .map(|buffer| Shifts::of(buffer, loop_.for_.op, loop_.trips, &loop_.loops))
            .collect();
        let mut head = self.moved(&before, |at| shifts[at].enter);
        let end = loop {
            let end = self.nodes(&loop_.body, head.clone());
            let new = joined(head.clone(), &self.moved(&end, |at| shifts[at].next));
            if new == head {
                break end;
            }
            head = new;
        };
        let after = self.moved(&end, |at| shifts[at].leave);
        if loop_.may_be_skipped() {
            joined(after, &before)
        } else {
            after
        }
    }

    fn step(&mut self, step: StepId, state: &mut State) {
        // In what is not followed, accesses may come in any order and again.
        if self.timeline.steps[step.0].kind == Kind::Opaque {
            self.accesses(step, state);
        }
        self.accesses(step, state);
    }

    fn accesses(&mut self, step: StepId, state: &mut State) {
        for touch in self.touches.at(step) {
            let buffer = &self.buffers[touch.buffer];
            let versions = buffer.versions;
            for slot in (0..versions).filter(|slot| touch.slots.has(i64::from(*slot), versions)) {
                let Some(foreign) = &mut state.foreign[touch.buffer][slot as usize] else {
                    continue;
                };
                if touch.write {
                    let part = touch.part.as_ref().filter(|_| touch.certain);
                    let wanted = &self.touches.read[touch.buffer];
                    if touch.whole || part.is_some_and(|part| foreign.repaired.add(part, wanted)) {
                        state.foreign[touch.buffer][slot as usize] = None;
                    }
                    continue;
                }
                let is_repaired = touch.part.as_ref().is_some_and(|part| foreign.repaired.has(part));
                let (other, write) = (self.buffers[foreign.by].value, self.timeline.op(foreign.at));
                if !is_repaired {
                    let read = self.timeline.op(step);
                    self.add(Clobber {
                        read,
                        buffer: buffer.value,
                        other,
                        write: Some(write),
                    });
                }
            }
            if touch.write {
                self.reads_of_its_own(step, touch);
                let held = &mut state.held[touch.buffer];
                *held = held.or(touch.slots);
                self.write(step, touch.buffer, touch.slots, state);
            }
        }
    }

    /// Finds what an operation reads of other buffers where it writes.
    fn reads_of_its_own(&mut self, step: StepId, write: &Touch) {
        for read in self.touches.at(step) {
            let is_of_it = !read.write && read.inner == write.inner && self.shared[write.buffer].contains(&read.buffer);
            if !is_of_it
                || self
                    .hit(step, (write.buffer, write.slots), read.buffer)
                    .and(read.slots)
                    .is_empty()
            {
                continue;
            }
            let op = self.timeline.op(step);
            self.add(Clobber {
                read: op,
                buffer: self.buffers[read.buffer].value,
                other: self.buffers[write.buffer].value,
                write: Some(op),
            });
        }
    }

    /// Adds what is found, once for two buffers.
    fn add(&mut self, new: Clobber<'c>) {
        let mut known = self.found.iter();
        if !known.any(|known| known.buffer == new.buffer && known.other == new.other) {
            self.found.push(new);
        }
    }

    /// Makes foreign what a write of some slots of a buffer overwrites of others.
    fn write(&self, step: StepId, by: usize, slots: Slots, state: &mut State) {
        for other in &self.shared[by] {
            let count = self.buffers[*other].versions;
            let hit = self.hit(step, (by, slots), *other).and(state.held[*other]);
            for slot in (0..count).filter(|slot| hit.has(i64::from(*slot), count)) {
                state.foreign[*other][slot as usize] = Some(Foreign {
                    by,
                    at: step,
                    repaired: Replaced::default(),
                });
            }
        }
    }

    /// The slots of a buffer that have bytes in common with slots of another one: the same ones if both lie on each
    /// other slot by slot, all otherwise.
    fn hit(&self, step: StepId, (by, slots): (usize, Slots), other: usize) -> Slots {
        let (left, right) = (&self.buffers[by], &self.buffers[other]);
        let loops = self.timeline.loops(step);
        let lie_together = self.windows[by] == self.windows[other]
            && left.versions == right.versions
            && left.pitch == right.pitch
            && counter(left, loops) == counter(right, loops);
        if lie_together {
            slots
        } else {
            Slots::all(right.versions)
        }
    }

    /// The state with other numbers of slots.
    fn moved(&self, state: &State, shift: impl Fn(usize) -> Shift) -> State {
        let held = state.held.iter().enumerate();
        State {
            held: held
                .map(|(at, slots)| shift(at).apply(*slots, self.buffers[at].versions))
                .collect(),
            foreign: state
                .foreign
                .iter()
                .enumerate()
                .map(|(at, slots)| moved(slots, shift(at)))
                .collect(),
        }
    }
}

/// The slots of a buffer with other numbers.
fn moved(slots: &[Option<Foreign>], shift: Shift) -> Vec<Option<Foreign>> {
    match (shift, slots.iter().flatten().next()) {
        (Shift::Unknown, Some(foreign)) => {
            let all = Foreign {
                by: foreign.by,
                at: foreign.at,
                repaired: Replaced::default(),
            };
            vec![Some(all); slots.len()]
        }
        (Shift::By(by), Some(_)) => {
            let mut moved = slots.to_vec();
            let count = i64::try_from(slots.len()).unwrap_or(1);
            for (from, slot) in (0..).zip(slots) {
                moved[usize::try_from((from + by).rem_euclid(count)).unwrap_or(0)] = slot.clone();
            }
            moved
        }
        (_, None) => slots.to_vec(),
    }
}

/// The union of two states: held or foreign if it is so in either.
fn joined(mut left: State, right: &State) -> State {
    for (left, right) in left.held.iter_mut().zip(&right.held) {
        *left = left.or(*right);
    }
    let foreign = left.foreign.iter_mut().flatten();
    for (left, right) in foreign.zip(right.foreign.iter().flatten()) {
        match (left.as_mut(), right) {
            (Some(left), Some(right)) => left.repaired.join(&right.repaired),
            (None, Some(right)) => *left = Some(right.clone()),
            (_, None) => {}
        }
    }
    left
}
