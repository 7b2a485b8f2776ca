//! The steps at which contents of buffers are needed: a backward analysis of live contents and a forward one of written
//! contents, both on the structured program.
//!
//! The state of the backward analysis tells of each slot whether a read may follow before all of the slot is replaced,
//! and which boxes of it are replaced before that; the join keeps what is needed on either way. That of the forward
//! analysis is the set of slots that something may have been written to. Both grow only, and their sets are finite; a
//! loop's state is kept from one visit to the next, so that a nest takes no more visits than its states can grow.

use std::collections::HashMap;

use zpu_ir::{Op, Value};

use super::buffer::Buffer;
use super::cover::Replaced;
use super::slots::{Shift, Shifts, Slots};
use super::timeline::{Loop, Node, Repeat, StepId, Timeline};
use super::touch::Touches;

/// For each step, the slots of each buffer that it accesses or whose contents are needed there; and for each loop, by
/// number, those whose contents are needed at the beginning of an iteration.
pub(super) fn needed<'c>(
    timeline: &Timeline<'c>,
    touches: &Touches,
    buffers: &[Buffer<'c>],
) -> (Vec<Vec<Slots>>, Vec<Vec<Slots>>) {
    let none = || vec![vec![Slots::NONE; buffers.len()]; timeline.steps.len()];
    let facts = Facts {
        touches,
        buffers,
        numbers: buffers.iter().map(|buffer| buffer.value).zip(0..).collect(),
    };
    let mut backward = Backward {
        facts: &facts,
        heads: vec![None; timeline.loops],
        live: none(),
    };
    let nothing = buffers
        .iter()
        .map(|buffer| vec![None; buffer.versions as usize])
        .collect();
    backward.nodes(&timeline.nodes, nothing);
    let mut forward = Forward {
        facts: &facts,
        heads: vec![None; timeline.loops],
        written: none(),
    };
    forward.nodes(&timeline.nodes, vec![Slots::NONE; buffers.len()]);
    let mut needed = none();
    for step in timeline.ids() {
        for (at, buffer) in buffers.iter().enumerate() {
            needed[step.0][at] = if buffer.escapes.is_some() {
                Slots::all(buffer.versions)
            } else {
                backward.live[step.0][at].and(forward.written[step.0][at])
            };
        }
        for touch in touches.at(step) {
            let slots = &mut needed[step.0][touch.buffer];
            *slots = slots.or(touch.slots);
        }
    }
    let heads = backward.heads.iter().zip(&forward.heads).map(|(live, written)| {
        let written = written.iter().flatten();
        let live = live.iter().flatten().map(|slots| set_of(slots));
        let both = live
            .zip(written)
            .zip(buffers)
            .map(|((live, written), buffer)| match buffer.escapes {
                Some(_) => Slots::all(buffer.versions),
                None => live.and(*written),
            });
        both.collect()
    });
    (needed, heads.collect())
}

struct Facts<'t, 'c> {
    touches: &'t Touches,
    buffers: &'t [Buffer<'c>],
    numbers: HashMap<Value<'c>, usize>,
}

impl<'c> Facts<'_, 'c> {
    fn allocated(&self, op: Op<'c>) -> Option<usize> {
        self.numbers.get(&op.result(0)).copied()
    }

    fn shifts(&self, loop_: &Loop<'c>) -> Vec<Shifts> {
        let each = self.buffers.iter();
        each.map(|buffer| Shifts::of(buffer, loop_.for_.op, loop_.trips, &loop_.loops))
            .collect()
    }
}

/// Of each slot of each buffer, by number: what is replaced before the next read, if there may be one.
type Live = Vec<Vec<Option<Replaced>>>;

struct Backward<'t, 'c> {
    facts: &'t Facts<'t, 'c>,
    /// The state at the beginning of an iteration of each loop.
    heads: Vec<Option<Live>>,
    /// For each step and buffer, the slots that are needed before it.
    live: Vec<Vec<Slots>>,
}

impl<'c> Backward<'_, 'c> {
    /// The state before some nodes, from the one after them.
    fn nodes(&mut self, nodes: &[Node<'c>], mut state: Live) -> Live {
        for node in nodes.iter().rev() {
            state = match node {
                Node::Step(step) => self.step(*step, state),
                Node::Allocation(op) => {
                    if let Some(at) = self.facts.allocated(*op) {
                        state[at].fill(None);
                    }
                    state
                }
                Node::Select(_) => state,
                Node::Branch(_, sides) => {
                    let mut before = sides.iter().map(|side| self.nodes(side, state.clone()));
                    let first = before.next();
                    let before: Vec<Live> = before.collect();
                    let joined = before
                        .into_iter()
                        .fold(first, |all, side| all.map(|all| joined(all, &side)));
                    let joined = joined.unwrap_or_else(|| state.clone());
                    // A condition without another side may be false.
                    if sides.iter().any(Vec::is_empty) || sides.len() < 2 {
                        self::joined(joined, &state)
                    } else {
                        joined
                    }
                }
                Node::Loop(loop_) => self.loop_(loop_, state),
                Node::Repeat(repeat) => self.repeat(repeat, state),
            };
        }
        state
    }

    fn loop_(&mut self, loop_: &Loop<'c>, after: Live) -> Live {
        let shifts = self.facts.shifts(loop_);
        let left = self.shifted(&after, |at| shifts[at].leave.back());
        let mut head = self.heads[loop_.number].take().unwrap_or_else(|| self.nothing());
        loop {
            let around = self.shifted(&head, |at| shifts[at].next.back());
            let before = self.nodes(&loop_.body, joined(left.clone(), &around));
            let new = joined(head.clone(), &before);
            if new == head {
                break;
            }
            head = new;
        }
        let before = self.shifted(&head, |at| shifts[at].enter.back());
        self.heads[loop_.number] = Some(head);
        if loop_.may_be_skipped() {
            joined(before, &after)
        } else {
            before
        }
    }

    fn repeat(&mut self, repeat: &Repeat<'c>, after: Live) -> Live {
        let mut head = match self.heads[repeat.number].take() {
            Some(known) => joined(after, &known),
            None => after,
        };
        loop {
            let before = repeat.regions.iter().map(|region| self.nodes(region, head.clone()));
            let new = before.fold(head.clone(), |all, before| joined(all, &before));
            if new == head {
                break;
            }
            head = new;
        }
        self.heads[repeat.number] = Some(head.clone());
        head
    }

    fn step(&mut self, step: StepId, mut state: Live) -> Live {
        for touch in self.facts.touches.at(step).iter().rev() {
            let versions = self.facts.buffers[touch.buffer].versions;
            let slots = (0..versions).filter(|slot| touch.slots.has(i64::from(*slot), versions));
            for slot in slots {
                let slot = &mut state[touch.buffer][slot as usize];
                if !touch.write {
                    slot.get_or_insert_default().read(touch.part.as_ref());
                    continue;
                }
                let wanted = &self.facts.touches.read[touch.buffer];
                let part = touch.part.as_ref().filter(|_| touch.certain);
                let is_replaced = slot
                    .as_mut()
                    .zip(part)
                    .is_some_and(|(replaced, part)| replaced.add(part, wanted));
                if touch.whole || is_replaced {
                    *slot = None;
                }
            }
        }
        for (slots, buffer) in self.live[step.0].iter_mut().zip(&state) {
            *slots = slots.or(set_of(buffer));
        }
        state
    }

    fn nothing(&self) -> Live {
        let each = self.facts.buffers.iter();
        each.map(|buffer| vec![None; buffer.versions as usize]).collect()
    }

    /// The state with other numbers.
    fn shifted(&self, state: &Live, shift: impl Fn(usize) -> Shift) -> Live {
        let each = state.iter().enumerate().map(|(at, slots)| match shift(at) {
            Shift::By(by) => {
                let count = i64::try_from(slots.len()).unwrap_or(1);
                let from = |to: usize| (i64::try_from(to).unwrap_or(0) - by).rem_euclid(count);
                (0..slots.len())
                    .map(|to| slots[usize::try_from(from(to)).unwrap_or(0)].clone())
                    .collect()
            }
            Shift::Unknown if slots.iter().any(Option::is_some) => vec![Some(Replaced::default()); slots.len()],
            Shift::Unknown => slots.clone(),
        });
        each.collect()
    }
}

fn set_of(slots: &[Option<Replaced>]) -> Slots {
    let count = u32::try_from(slots.len()).unwrap_or(1);
    let needed = slots.iter().zip(0..).filter(|(slot, _)| slot.is_some());
    needed.fold(Slots::NONE, |all, (_, number)| all.or(Slots::one(number, count)))
}

/// The union of two states: needed if it is so in either.
fn joined(mut left: Live, right: &Live) -> Live {
    for (left, right) in left.iter_mut().flatten().zip(right.iter().flatten()) {
        match (left.as_mut(), right) {
            (Some(left), Some(right)) => left.join(right),
            (None, Some(right)) => *left = Some(right.clone()),
            (_, None) => {}
        }
    }
    left
}

struct Forward<'t, 'c> {
    facts: &'t Facts<'t, 'c>,
    heads: Vec<Option<Vec<Slots>>>,
    /// For each step and buffer, the slots that may have been written before it.
    written: Vec<Vec<Slots>>,
}

impl<'c> Forward<'_, 'c> {
    /// The state after some nodes, from the one before them.
    fn nodes(&mut self, nodes: &[Node<'c>], mut state: Vec<Slots>) -> Vec<Slots> {
        for node in nodes {
            match node {
                Node::Step(step) => {
                    add_all(&mut self.written[step.0], &state);
                    for touch in self.facts.touches.at(*step).iter().filter(|touch| touch.write) {
                        state[touch.buffer] = state[touch.buffer].or(touch.slots);
                    }
                }
                Node::Allocation(op) => {
                    if let Some(at) = self.facts.allocated(*op) {
                        state[at] = Slots::NONE;
                    }
                }
                Node::Select(_) => {}
                Node::Branch(_, sides) => {
                    let before = state.clone();
                    let mut after: Vec<Slots> = vec![Slots::NONE; state.len()];
                    for side in sides {
                        add_all(&mut after, &self.nodes(side, before.clone()));
                    }
                    if sides.len() < 2 {
                        add_all(&mut after, &before);
                    }
                    state = after;
                }
                Node::Loop(loop_) => state = self.loop_(loop_, &state),
                Node::Repeat(repeat) => state = self.repeat(repeat, state),
            }
        }
        state
    }

    fn repeat(&mut self, repeat: &Repeat<'c>, mut head: Vec<Slots>) -> Vec<Slots> {
        if let Some(known) = self.heads[repeat.number].take() {
            add_all(&mut head, &known);
        }
        loop {
            let mut new = head.clone();
            for region in &repeat.regions {
                add_all(&mut new, &self.nodes(region, head.clone()));
            }
            if new == head {
                break;
            }
            head = new;
        }
        self.heads[repeat.number] = Some(head.clone());
        head
    }

    fn loop_(&mut self, loop_: &Loop<'c>, before: &[Slots]) -> Vec<Slots> {
        let shifts = self.facts.shifts(loop_);
        let shifted = |state: &[Slots], shift: &dyn Fn(&Shifts) -> Shift| -> Vec<Slots> {
            let each = state.iter().zip(&shifts).zip(self.facts.buffers);
            each.map(|((slots, of), buffer)| shift(of).apply(*slots, buffer.versions))
                .collect()
        };
        let mut head = shifted(before, &|shifts| shifts.enter);
        if let Some(known) = self.heads[loop_.number].take() {
            add_all(&mut head, &known);
        }
        let end = loop {
            let end = self.nodes(&loop_.body, head.clone());
            let mut new = head.clone();
            add_all(&mut new, &shifted(&end, &|shifts| shifts.next));
            if new == head {
                break end;
            }
            head = new;
        };
        self.heads[loop_.number] = Some(head);
        let mut after = shifted(&end, &|shifts| shifts.leave);
        if loop_.may_be_skipped() {
            add_all(&mut after, before);
        }
        after
    }
}

fn add_all(all: &mut [Slots], more: &[Slots]) {
    for (slots, more) in all.iter_mut().zip(more) {
        *slots = slots.or(*more);
    }
}
