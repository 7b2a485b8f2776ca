//! Loops without nested control flow: tokens of earlier iterations are carried.
//!
//! For each pair of a command `p` and an operation `o` of the body, the analysis gives the smallest distance `d` at which they
//! conflict. Before `o` in iteration `k` the command `p` of iteration `k - d` must be complete, and that covers all earlier ones of
//! its engine. So `o` needs at most one wait per engine: for the latest such command. Its token is the result of the start in
//! the same iteration (`d = 0`), or the loop carries it `d` iterations far.
//!
//! In the first `d` iterations there is no such command. The carried token then is that of a command in front of the loop
//! which `o` conflicts with in that iteration (a prologue's transfer, for instance), or the null token.

use std::collections::BTreeMap;

use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Value, edit};

use super::flights::{Flight, Flights};
use super::{Injection, convert};
use crate::analysis::access::{Access, accesses};
use crate::analysis::body::sync_engine;
use crate::analysis::dependence::conflict_distance;
use crate::analysis::linear::{Index, Linear, index_of};
use crate::analysis::region::Root;

/// Tokens are carried at most this far; a conflict further away waits for a later command, which is always right.
const MOST_CARRIED: u32 = 16;

/// Whether the loop's body is a straight line of operations with known effects.
pub(super) fn is_flat(for_: For<'_>) -> bool {
    for_.ops().into_iter().all(|op| {
        let straight = op.regions().is_empty() || sync_engine(op).is_some() || op.name().starts_with("linalg.");
        (straight || op.is_memory_effect_free()) && accesses(op).is_some()
    })
}

/// An operation of the body.
struct Step<'c> {
    op: Op<'c>,
    accesses: Vec<Access<'c>>,
    /// Engine of a command that becomes asynchronous.
    engine: Option<&'c str>,
    /// Whether the command is a transfer.
    is_dma: bool,
}

/// The command at a position of the body, some iterations ago. Ordered by issue: later is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Instance {
    /// Negated number of iterations ago.
    iteration: i64,
    /// Position in the body.
    position: usize,
}

impl Instance {
    fn new(distance: u32, position: usize) -> Self {
        Self {
            iteration: -i64::from(distance),
            position,
        }
    }

    fn distance(self) -> u32 {
        self.iteration.unsigned_abs() as u32
    }
}

/// What a loop needs.
struct Plan<'c> {
    for_: For<'c>,
    steps: Vec<Step<'c>>,
    /// For each step and engine, the instance that is waited for in front of it.
    waits: Vec<BTreeMap<&'c str, Instance>>,
    /// For each step and engine, the latest instance that certainly is complete when the step is issued.
    done: Vec<BTreeMap<&'c str, Instance>>,
    /// How far the token of each step is carried, in iterations.
    carried: Vec<u32>,
}

impl<'c> Plan<'c> {
    fn of(for_: For<'c>, injection: &Injection) -> Self {
        let steps: Vec<Step<'c>> = for_
            .ops()
            .into_iter()
            .filter(|op| !op.is_memory_effect_free() && !op.is("memref.alloc") && !op.is("memref.alloca"))
            .map(|op| Step {
                op,
                accesses: accesses(op).unwrap_or_default(),
                engine: injection.async_engine(op),
                is_dma: op.is("zpu.dma"),
            })
            .collect();
        let mut plan = Self {
            for_,
            waits: Vec::new(),
            done: Vec::new(),
            carried: vec![0; steps.len()],
            steps,
        };
        plan.place_waits();
        plan
    }

    /// The latest instance of a command on each engine that conflicts with a step.
    fn needed(&self, at: usize) -> BTreeMap<&'c str, Instance> {
        let mut needed: BTreeMap<&'c str, Instance> = BTreeMap::new();
        let step = &self.steps[at];
        for (position, command) in self.steps.iter().enumerate() {
            let Some(engine) = command.engine.filter(|engine| step.engine != Some(engine)) else {
                continue;
            };
            let least = u32::from(position >= at);
            let distance = command
                .accesses
                .iter()
                .flat_map(|earlier| step.accesses.iter().map(move |later| (earlier, later)))
                .filter_map(|(earlier, later)| conflict_distance(self.for_, earlier, later, least))
                .min();
            if let Some(distance) = distance {
                let instance = Instance::new(distance.min(MOST_CARRIED), position);
                needed
                    .entry(engine)
                    .and_modify(|known| *known = instance.max(*known))
                    .or_insert(instance);
            }
        }
        needed
    }

    /// A wait is left out when an earlier one of the same iteration covers it.
    fn place_waits(&mut self) {
        let mut done: BTreeMap<&'c str, Instance> = BTreeMap::new();
        for at in 0..self.steps.len() {
            let mut waits = BTreeMap::new();
            for (engine, instance) in self.needed(at) {
                if done.get(engine).is_none_or(|known| *known < instance) {
                    done.insert(engine, instance);
                    waits.insert(engine, instance);
                    let carried = &mut self.carried[instance.position];
                    *carried = (*carried).max(instance.distance());
                }
            }
            self.waits.push(waits);
            self.done.push(done.clone());
        }
        // What is in flight at the end has a token behind the loop.
        let mut last: BTreeMap<&'c str, usize> = BTreeMap::new();
        for (position, step) in self.steps.iter().enumerate() {
            if let Some(engine) = step.engine {
                last.insert(engine, position);
            }
        }
        for position in last.into_values() {
            self.carried[position] = self.carried[position].max(1);
        }
    }

    /// For each carried token, the flight in front of the loop that stands in for it in the first iterations. `Err` names a
    /// flight that has to be waited for in front of the loop.
    fn initial(&self, flights: &Flights<'c>) -> Result<BTreeMap<(usize, u32), usize>, usize> {
        let mut initial: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for (index, flight) in flights.list.iter().enumerate().rev() {
            for (at, step) in self.steps.iter().enumerate() {
                if step.engine == Some(flight.engine.as_str()) || !flight.conflicts(Some(&step.accesses)) {
                    continue;
                }
                let Some(instance) = self.done[at].get(flight.engine.as_str()) else {
                    return Err(index);
                };
                if instance.distance() > 0 && flight.unsure.is_some() {
                    return Err(index);
                }
                for iteration in 0..instance.distance() {
                    let here = Linear::constant(i64::from(iteration));
                    let accesses: Vec<_> = step
                        .accesses
                        .iter()
                        .map(|access| access.at(self.for_.op, &here, i64::from(iteration) + 1))
                        .collect();
                    if flight.conflicts(Some(&accesses)) {
                        // Flights are visited latest first, and a later one of the engine covers the earlier.
                        initial
                            .entry((instance.position, instance.distance() - iteration))
                            .or_insert(index);
                    }
                }
            }
        }
        Ok(initial)
    }
}

impl Injection {
    /// Handles a loop that [`is_flat`].
    pub(super) fn flat_loop<'c>(&mut self, for_: For<'c>, flights: &mut Flights<'c>) {
        let plan = Plan::of(for_, self);
        let initial = loop {
            match plan.initial(flights) {
                Ok(initial) => break initial,
                Err(index) => self.wait_for(&mut Builder::before(for_.op), flights, index),
            }
        };
        if plan.steps.iter().all(|step| step.engine.is_none()) {
            return;
        }
        let inits = carried_inits(&plan, &initial, flights);
        let group = self.groups;
        self.groups += 1;
        let behind = behind(&plan, group);
        let (new, tokens) = self.rewrite(&plan, &inits);
        let results = new.results();
        let first = results.len() - tokens.len();
        for (key, flight) in behind {
            let position = tokens
                .iter()
                .position(|token| *token == key)
                .expect("tokens behind the loop are carried");
            flights.list.push(Flight {
                token: results[first + position],
                ..flight
            });
        }
    }

    /// Makes the loop anew with the carried tokens, starts and waits. Returns it and the key of each carried token.
    fn rewrite<'c>(&mut self, plan: &Plan<'c>, inits: &[((usize, u32), Value<'c>)]) -> (Op<'c>, Vec<(usize, u32)>) {
        let for_ = plan.for_;
        let keys: Vec<(usize, u32)> = inits.iter().map(|(key, _)| *key).collect();
        let mut operands = for_.op.operands();
        operands.extend(inits.iter().map(|(_, init)| *init));
        let mut results: Vec<_> = for_.op.results().into_iter().map(Value::ty).collect();
        results.extend(inits.iter().map(|(_, init)| init.ty()));
        let mut args: Vec<_> = for_.body.args().into_iter().map(Value::ty).collect();
        args.extend(inits.iter().map(|(_, init)| init.ty()));
        let attrs: Vec<_> = for_.op.attrs();
        let new = Builder::before(for_.op).op_with_regions("scf.for", &operands, &results, &attrs, &[&args]);
        let body = new.body().expect("just made with a block");
        let new_args = body.args();
        let old_args = for_.body.args();
        for op in for_.body.ops().collect::<Vec<_>>() {
            edit::move_to_end(op, body);
        }
        for (old, new) in old_args.iter().zip(&new_args) {
            edit::replace_all_uses(*old, *new);
        }
        let carried: BTreeMap<(usize, u32), Value<'c>> = keys
            .iter()
            .copied()
            .zip(new_args[old_args.len()..].iter().copied())
            .collect();
        let tokens = self.convert_steps(plan, &carried);
        let yields: Vec<_> = keys
            .iter()
            .map(|(position, back)| {
                if *back == 1 {
                    tokens[position]
                } else {
                    carried[&(*position, back - 1)]
                }
            })
            .collect();
        edit::append_operands(body.terminator().expect("moved from the old loop"), &yields);
        for (old, new) in for_.op.results().into_iter().zip(new.results()) {
            edit::replace_all_uses(old, new);
        }
        edit::erase(for_.op);
        (new, keys)
    }

    /// Turns commands into starts and puts the waits in front of the steps. Returns the token of each command.
    fn convert_steps<'c>(
        &mut self,
        plan: &Plan<'c>,
        carried: &BTreeMap<(usize, u32), Value<'c>>,
    ) -> BTreeMap<usize, Value<'c>> {
        let mut tokens = BTreeMap::new();
        for (at, step) in plan.steps.iter().enumerate() {
            for instance in plan.waits[at].values() {
                let token = match instance.distance() {
                    0 => tokens[&instance.position],
                    back => carried[&(instance.position, back)],
                };
                let is_dma = plan.steps[instance.position].is_dma;
                convert::wait(&mut Builder::before(step.op), token, is_dma);
                self.waits += 1;
            }
            if step.engine.is_some() {
                tokens.insert(at, convert::start(step.op).result(0));
                convert::remove(step.op);
                self.starts += 1;
            }
        }
        tokens
    }
}

/// The initial value of each carried token, null tokens made in front of the loop where there is nothing to wait for.
fn carried_inits<'c>(
    plan: &Plan<'c>,
    initial: &BTreeMap<(usize, u32), usize>,
    flights: &Flights<'c>,
) -> Vec<((usize, u32), Value<'c>)> {
    let mut builder = Builder::before(plan.for_.op);
    let mut nulls: BTreeMap<&str, Value<'c>> = BTreeMap::new();
    let mut inits = Vec::new();
    for (position, step) in plan.steps.iter().enumerate() {
        let Some(engine) = step.engine else { continue };
        for back in 1..=plan.carried[position] {
            let value = match initial.get(&(position, back)) {
                Some(index) => flights.list[*index].token,
                None => *nulls
                    .entry(engine)
                    .or_insert_with(|| convert::null_token(&mut builder, engine)),
            };
            inits.push(((position, back), value));
        }
    }
    inits
}

/// What may be in flight behind the loop, in order of issue, each with the key of its carried token; the token itself is filled
/// in when the loop has been made anew.
fn behind<'c>(plan: &Plan<'c>, group: usize) -> Vec<((usize, u32), Flight<'c>)> {
    let trips = plan.for_.constant_trip_count();
    let complete = plan.done.last().cloned().unwrap_or_default();
    // Complete behind the loop: what was complete before the last step of the last iteration, counted from the end.
    let is_complete = |engine: &str, instance: Instance| {
        complete.get(engine).is_some_and(|done| {
            instance
                <= Instance {
                    iteration: done.iteration - 1,
                    ..*done
                }
        })
    };
    let mut all: Vec<(Instance, Flight<'c>)> = Vec::new();
    for (position, step) in plan.steps.iter().enumerate() {
        let Some(engine) = step.engine else { continue };
        for back in 1..=plan.carried[position] {
            let instance = Instance::new(back, position);
            if trips.is_some_and(|trips| trips < i64::from(back)) || is_complete(engine, instance) {
                continue;
            }
            let unsure = trips.is_none().then_some(group);
            let accesses = accesses_behind(plan, step, Some(back));
            all.push((instance, flight(plan, position, accesses, unsure)));
        }
    }
    all.sort_by_key(|(instance, _)| *instance);
    // Older instances have no token of their own: the oldest later one of their engine stands for them.
    for (position, step) in plan.steps.iter().enumerate() {
        let Some(engine) = step.engine else { continue };
        let oldest = Instance::new(plan.carried[position] + 1, position);
        if is_complete(engine, oldest) || trips.is_some_and(|trips| trips <= i64::from(plan.carried[position])) {
            continue;
        }
        let later = all
            .iter_mut()
            .find(|(instance, flight)| flight.engine == engine && *instance > oldest);
        if let Some((_, flight)) = later {
            let known = flight.accesses.take().zip(accesses_behind(plan, step, None));
            flight.accesses = known.map(|(mine, others)| [mine, others].concat());
        }
    }
    all.into_iter()
        .map(|(instance, flight)| ((instance.position, instance.distance()), flight))
        .collect()
}

fn flight<'c>(
    plan: &Plan<'c>,
    position: usize,
    accesses: Option<Vec<Access<'c>>>,
    unsure: Option<usize>,
) -> Flight<'c> {
    let step = &plan.steps[position];
    Flight {
        engine: step.engine.unwrap_or("").to_owned(),
        token: plan.for_.iv(),
        is_dma: step.is_dma,
        accesses,
        unsure,
    }
}

/// The accesses of a step as they look behind the loop: of the instance `back` iterations from the end, or of any. `None` is
/// anything: memory of unknown origin that the loop carries or chooses has other names behind it.
fn accesses_behind<'c>(plan: &Plan<'c>, step: &Step<'c>, back: Option<u32>) -> Option<Vec<Access<'c>>> {
    let op = plan.for_.op;
    let is_lost = |root: Root<'c>| matches!(root, Root::Unknown(value) if value.is_defined_inside(op));
    if step.accesses.iter().any(|access| is_lost(access.region.root)) {
        return None;
    }
    let trips = match plan.for_.constant_trip_count() {
        Some(trips) => Some(Linear::constant(trips)),
        None => dynamic_trip_count(plan.for_),
    };
    let iteration = trips
        .zip(back)
        .and_then(|(trips, back)| trips.add_scaled(&Linear::constant(i64::from(back)), -1));
    let behind = |access: &Access<'c>| match &iteration {
        Some(iteration) => access.at(op, iteration, 0).outside(op),
        None => access.outside(op),
    };
    Some(step.accesses.iter().map(behind).collect())
}

/// The trip count of a loop from 0 with step 1.
fn dynamic_trip_count<'c>(for_: For<'c>) -> Option<Linear<'c>> {
    if for_.lower().as_constant_int() != Some(0) || for_.step().as_constant_int() != Some(1) {
        return None;
    }
    match index_of(for_.upper()) {
        Index::Linear(linear) => Some(linear),
        Index::Modulo(..) => None,
    }
}
