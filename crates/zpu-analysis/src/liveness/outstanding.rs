//! Commands that may not be complete: a forward analysis of what was issued and not waited for.
//!
//! A command instance is named by its step and by how many iterations of loops around it have begun since, up to a
//! horizon. A state holds the names of all commands that may be incomplete, with the slots that they access, and for
//! each token the names that a wait for it completes: the command itself and all that its engine was given before. A
//! name may stand for several commands; then a token completes it only if it completes all of them. The join takes all
//! names of both states, and of each token what it completes on both ways.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use zpu_ir::{Op, Value, ty};

use super::buffer::Buffer;
use super::instances::{Name, Names};
use super::slots::{Shift, Shifts, Slots};
use super::timeline::{Kind, Loop, Node, Repeat, StepId, Timeline};
use super::touch::Touches;
use super::{Meetings, slots};

/// The most iterations that instances of a command are told apart by; rings of more slots are rare.
const MOST_AGE: u8 = 9;

/// Slots of a buffer that a command reads or writes, and those that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    buffer: usize,
    slots: Slots,
    written: Slots,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State<'c> {
    open: BTreeMap<Name, Vec<Held>>,
    completes: FxHashMap<Value<'c>, FixedBitSet>,
}

impl<'c> State<'c> {
    /// Forgets what tokens complete that is complete.
    fn tidy(&mut self, names: &Names) {
        let open = self.open_set(names);
        self.completes.retain(|_, completed| {
            completed.intersect_with(&open);
            !completed.is_clear()
        });
    }

    fn open_set(&self, names: &Names) -> FixedBitSet {
        names.set(self.open.keys().copied())
    }

    /// Forgets the tokens that are known neither in another state nor by a list: those of a region that was left.
    fn leave_region(&mut self, before: &Self, results: &[Value<'c>]) {
        self.completes
            .retain(|token, _| before.completes.contains_key(token) || results.contains(token));
    }
}

/// Adds to what is alive, at steps and at the beginnings of iterations, the slots that outstanding commands access, and
/// to the meetings the pairs of buffers that would race.
pub(super) fn add<'c>(
    timeline: &Timeline<'c>,
    touches: &Touches,
    buffers: &[Buffer<'c>],
    (alive, heads): (&mut [Vec<Slots>], &mut [Vec<Slots>]),
    meetings: &mut Meetings,
) {
    let horizon = horizon(buffers);
    let mut walk = Walk {
        timeline,
        touches,
        buffers,
        alive,
        meetings,
        heads: vec![None; timeline.loops],
        horizon,
        names: Names::of(timeline, horizon),
    };
    walk.nodes(&timeline.nodes, State::default());
    for (alive, state) in heads.iter_mut().zip(&walk.heads) {
        for held in state.iter().flat_map(|state| state.open.values().flatten()) {
            alive[held.buffer] = alive[held.buffer].or(held.slots);
        }
    }
}

fn horizon(buffers: &[Buffer<'_>]) -> u8 {
    let most = buffers.iter().map(|buffer| buffer.versions).max().unwrap_or(1);
    u8::try_from(most + 1).unwrap_or(MOST_AGE).min(MOST_AGE)
}

struct Walk<'t, 'c> {
    timeline: &'t Timeline<'c>,
    touches: &'t Touches,
    buffers: &'t [Buffer<'c>],
    alive: &'t mut [Vec<Slots>],
    meetings: &'t mut Meetings,
    /// The state at the beginning of an iteration of each loop.
    heads: Vec<Option<State<'c>>>,
    horizon: u8,
    names: Names,
}

impl<'c> Walk<'_, 'c> {
    fn nodes(&mut self, nodes: &[Node<'c>], mut state: State<'c>) -> State<'c> {
        for node in nodes {
            match node {
                Node::Step(step) => self.step(*step, &mut state),
                Node::Allocation(_) => {}
                Node::Select(op) => {
                    let chosen = completed_by_both(&state, &state, op.operand(1), op.operand(2), &self.names);
                    state.completes.insert(op.result(0), chosen);
                }
                Node::Branch(op, sides) => state = self.branch(*op, sides, &state),
                Node::Loop(loop_) => state = self.loop_(loop_, &state),
                Node::Repeat(repeat) => state = self.repeat(repeat, &state),
            }
        }
        state
    }

    fn step(&mut self, step: StepId, state: &mut State<'c>) {
        let kind = &self.timeline.steps[step.0].kind;
        let engine = match kind {
            Kind::Start(engine, _) | Kind::Synchronous(engine) => Some(*engine),
            _ => None,
        };
        for held in state.open.values().flatten() {
            let slots = &mut self.alive[step.0][held.buffer];
            *slots = slots.or(held.slots);
        }
        let own = self.held_by(step);
        for (name, others) in &state.open {
            if engine.is_none() || self.engine(*name) != engine {
                self.race(step, &own, others);
            }
        }
        match kind {
            Kind::Start(engine, token) => {
                if let Some(number) = self.names.number((step, 0)) {
                    state.completes.values_mut().for_each(|names| names.remove(number));
                }
                let name = (step, 0);
                let held = state.open.entry(name).or_default();
                *held = joined(held, &own);
                if self.timeline.blocking[*engine] {
                    self.complete(*engine, state);
                } else if !token.is_unused() {
                    let open = state.open.keys().copied();
                    let earlier = open.filter(|name| self.engine(*name) == Some(*engine));
                    state.completes.insert(*token, self.names.set(earlier));
                }
            }
            Kind::Synchronous(engine) => self.complete(*engine, state),
            Kind::Wait(token) => {
                if let Some(names) = state.completes.get(token) {
                    names.ones().for_each(|number| {
                        state.open.remove(&self.names.names[number]);
                    });
                }
            }
            Kind::Fence(engines) => engines.iter().for_each(|engine| self.complete(*engine, state)),
            Kind::Opaque if !own.is_empty() => {
                let held = state.open.entry((step, 0)).or_default();
                *held = joined(held, &own);
            }
            Kind::Opaque | Kind::Control => {}
        }
        state.tidy(&self.names);
    }

    fn complete(&self, engine: usize, state: &mut State<'c>) {
        state.open.retain(|name, _| self.engine(*name) != Some(engine));
    }

    /// The engine of a command; none for work that may issue commands of any.
    fn engine(&self, (step, _): Name) -> Option<usize> {
        match self.timeline.steps[step.0].kind {
            Kind::Start(engine, _) => Some(engine),
            _ => None,
        }
    }

    fn held_by(&self, step: StepId) -> Vec<Held> {
        let mut all: Vec<Held> = Vec::new();
        for touch in self.touches.at(step) {
            let new = Held {
                buffer: touch.buffer,
                slots: touch.slots,
                written: if touch.write { touch.slots } else { Slots::NONE },
            };
            all = joined(&all, &[new]);
        }
        all
    }

    /// Adds the pairs of buffers of a step and of a command that is outstanding there: sharing bytes would make a race
    /// of the two.
    fn race(&mut self, step: StepId, own: &[Held], others: &[Held]) {
        let loops = self.timeline.loops(step);
        for own in own {
            for other in others.iter().filter(|other| other.buffer != own.buffer) {
                let (left, right) = (&self.buffers[own.buffer], &self.buffers[other.buffer]);
                for (own_slots, other_slots) in [(own.written, other.slots), (own.slots, other.written)] {
                    if !own_slots.is_empty() && !other_slots.is_empty() {
                        let meeting = slots::meeting((left, own_slots), (right, other_slots), loops);
                        self.meetings.add(own.buffer, other.buffer, meeting);
                    }
                }
            }
        }
    }

    fn branch(&mut self, op: Op<'c>, sides: &[Vec<Node<'c>>], before: &State<'c>) -> State<'c> {
        let results = op.results();
        let blocks = op.regions().into_iter().map(|region| region.first_block());
        let ends = sides.iter().zip(blocks).map(|(side, block)| {
            let end = self.nodes(side, before.clone());
            handed(&end, &yields_of(block), &results, &self.names)
        });
        let mut ends: Vec<State<'c>> = ends.collect();
        if ends.len() < 2 {
            ends.push(before.clone());
        }
        let joined = ends.into_iter().reduce(|all, end| join(&all, &end, &self.names));
        let mut state = joined.unwrap_or_else(|| before.clone());
        state.leave_region(before, &results);
        state.tidy(&self.names);
        state
    }

    /// Tokens that are handed from one region to another complete nothing there, nor do results.
    fn repeat(&mut self, repeat: &Repeat<'c>, before: &State<'c>) -> State<'c> {
        let mut head = before.clone();
        if let Some(known) = self.heads[repeat.number].take() {
            head = join(&head, &known, &self.names);
        }
        loop {
            let mut new = head.clone();
            for region in &repeat.regions {
                let mut end = self.nodes(region, head.clone());
                end.leave_region(before, &[]);
                new = join(&new, &end, &self.names);
            }
            if new == head {
                break;
            }
            head = new;
        }
        self.heads[repeat.number] = Some(head.clone());
        head
    }

    fn loop_(&mut self, loop_: &Loop<'c>, before: &State<'c>) -> State<'c> {
        let for_ = loop_.for_;
        let shifts: Vec<Shifts> = self
            .buffers
            .iter()
            .map(|buffer| Shifts::of(buffer, for_.op, loop_.trips, &loop_.loops))
            .collect();
        let (args, inits, yields, results) = (for_.iter_args(), for_.inits(), for_.yields(), for_.op.results());
        let entered = self.shifted(before, &|buffer| shifts[buffer].enter);
        let mut head = handed(&entered, &inits, &args, &self.names);
        if let Some(known) = self.heads[loop_.number].take() {
            head = join(&head, &known, &self.names);
        }
        let end = loop {
            let end = self.nodes(&loop_.body, head.clone());
            let next = self.shifted(&self.aged(&end, loop_), &|buffer| shifts[buffer].next);
            let mut next = self.renamed_after(&end, &next, &yields, &args, loop_);
            next.leave_region(before, &args);
            let new = join(&head, &next, &self.names);
            if new == head {
                break end;
            }
            head = new;
        };
        self.heads[loop_.number] = Some(head);
        let left = self.shifted(&end, &|buffer| shifts[buffer].leave);
        let mut after = handed(&left, &yields, &results, &self.names);
        after.leave_region(before, &results);
        if loop_.may_be_skipped() {
            let skipped = handed(before, &inits, &results, &self.names);
            after = join(&after, &skipped, &self.names);
        }
        after.tidy(&self.names);
        after
    }

    /// The state at the beginning of the next iteration, with the tokens that the loop carries.
    fn renamed_after(
        &self,
        end: &State<'c>,
        next: &State<'c>,
        yields: &[Value<'c>],
        args: &[Value<'c>],
        loop_: &Loop<'c>,
    ) -> State<'c> {
        let mut state = next.clone();
        for (arg, yielded) in args.iter().zip(yields).filter(|(arg, _)| is_token(**arg)) {
            let names = end.completes.get(yielded);
            let aged = names.map_or_else(|| self.names.none(), |names| self.aged_names(names, end, loop_));
            state.completes.insert(*arg, aged);
        }
        state
    }

    /// The state one iteration of a loop later.
    fn aged(&self, state: &State<'c>, loop_: &Loop<'c>) -> State<'c> {
        let mut open: BTreeMap<Name, Vec<Held>> = BTreeMap::new();
        for (name, held) in &state.open {
            let known = open.entry(self.aged_name(*name, loop_)).or_default();
            *known = joined(known, held);
        }
        let completes = state.completes.iter();
        let completes = completes.map(|(token, names)| (*token, self.aged_names(names, state, loop_)));
        State {
            open,
            completes: completes.collect(),
        }
    }

    fn aged_name(&self, (step, age): Name, loop_: &Loop<'c>) -> Name {
        let is_inside = loop_.steps.0 <= step && step < loop_.steps.1;
        let older = (age + 1).min(self.horizon);
        (step, if is_inside { older } else { age })
    }

    /// Names one iteration later. One that stands for two is completed only if both are.
    fn aged_names(&self, names: &FixedBitSet, state: &State<'c>, loop_: &Loop<'c>) -> FixedBitSet {
        let aged = |number: usize| self.names.number(self.aged_name(self.names.names[number], loop_));
        let mut own = self.names.none();
        names.ones().filter_map(aged).for_each(|number| own.insert(number));
        let mut others = state.open_set(&self.names);
        others.difference_with(names);
        others.ones().filter_map(aged).for_each(|number| own.remove(number));
        own
    }

    /// The state with other numbers of slots.
    fn shifted(&self, state: &State<'c>, shift: &dyn Fn(usize) -> Shift) -> State<'c> {
        let mut state = state.clone();
        for held in state.open.values_mut().flatten() {
            let versions = self.buffers[held.buffer].versions;
            let shift = shift(held.buffer);
            held.slots = shift.apply(held.slots, versions);
            held.written = shift.apply(held.written, versions);
        }
        state
    }
}

fn is_token(value: Value<'_>) -> bool {
    ty::token_engine(value.ty()).is_some()
}

fn yields_of(block: Option<zpu_ir::Block<'_>>) -> Vec<Value<'_>> {
    let terminator = block.and_then(zpu_ir::Block::terminator);
    terminator.map(Op::operands).unwrap_or_default()
}

/// The state in which tokens have other names as well.
fn handed<'c>(state: &State<'c>, from: &[Value<'c>], to: &[Value<'c>], names: &Names) -> State<'c> {
    let mut new = state.clone();
    for (from, to) in from.iter().zip(to).filter(|(_, to)| is_token(**to)) {
        let completed = state.completes.get(from).cloned();
        new.completes.insert(*to, completed.unwrap_or_else(|| names.none()));
    }
    new.tidy(names);
    new
}

/// Slots that one of two lists has; one entry a buffer, in the order of numbers.
fn joined(left: &[Held], right: &[Held]) -> Vec<Held> {
    let mut all: BTreeMap<usize, Held> = BTreeMap::new();
    for held in left.iter().chain(right) {
        let known = all.entry(held.buffer).or_insert(*held);
        known.slots = known.slots.or(held.slots);
        known.written = known.written.or(held.written);
    }
    all.into_values().collect()
}

fn join<'c>(left: &State<'c>, right: &State<'c>, names: &Names) -> State<'c> {
    let mut open = left.open.clone();
    for (name, held) in &right.open {
        let known = open.entry(*name).or_default();
        *known = joined(known, held);
    }
    let both = (left.open_set(names), right.open_set(names));
    let only_right = right
        .completes
        .keys()
        .filter(|token| !left.completes.contains_key(token));
    let tokens = left.completes.keys().chain(only_right).copied();
    let completed = tokens.map(|token| (token, completed_where(left, right, (token, token), &both)));
    let mut state = State {
        open,
        completes: completed.collect(),
    };
    state.tidy(names);
    state
}

/// The names that a wait completes on both ways, for a token in the first state and one in the second. What is not
/// outstanding on one way needs no completion there.
fn completed_by_both<'c>(
    left: &State<'c>,
    right: &State<'c>,
    one: Value<'c>,
    other: Value<'c>,
    names: &Names,
) -> FixedBitSet {
    let both = (left.open_set(names), right.open_set(names));
    completed_where(left, right, (one, other), &both)
}

/// The same, where what is outstanding in the two states is known.
fn completed_where<'c>(
    left: &State<'c>,
    right: &State<'c>,
    (one, other): (Value<'c>, Value<'c>),
    (left_open, right_open): &(FixedBitSet, FixedBitSet),
) -> FixedBitSet {
    let sides = [
        (left.completes.get(&one), left_open),
        (right.completes.get(&other), right_open),
    ];
    let mut completed = FixedBitSet::with_capacity(left_open.len());
    sides
        .iter()
        .filter_map(|(names, _)| *names)
        .for_each(|names| completed.union_with(names));
    for (names, open) in sides {
        let mut missing = open.clone();
        if let Some(names) = names {
            missing.difference_with(names);
        }
        completed.difference_with(&missing);
    }
    completed
}
