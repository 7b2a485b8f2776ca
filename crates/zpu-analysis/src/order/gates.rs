//! Which consumers of a tensor wait for which others, by way of other tensors and values.
//!
//! A unit that reads what another one writes waits for it: for the events that have as many outermost loop indices in
//! common as keep the two together ([`causal`]), and for all earlier ones. Along a path the least of these numbers
//! counts, and of several paths the least again, since fewer equal indices are a longer wait.

use rustc_hash::FxHashMap;
use zpu_ir::scf::For;
use zpu_ir::{Op, Value, ty};
use zpu_stream::fork::{ConsumerId, Gate};
use zpu_stream::order::Order;

use super::causal::{self, Side};
use super::nest::Numbers;
use super::touch::{Events, Touch, Touches};
use crate::region::Root;
use crate::root::root_of_base;

/// Waits between the units of a function, where so many loops are outside.
pub(super) struct Waits<'c> {
    after: FxHashMap<Op<'c>, Vec<Wait<'c>>>,
}

/// A unit waits for another one.
#[derive(Clone, Copy)]
struct Wait<'c> {
    /// The later unit.
    unit: Op<'c>,
    /// Number of outermost loop indices that are equal.
    prefix: usize,
    /// The tensor that it is for; nothing if it is for more than one.
    tensor: Option<Value<'c>>,
}

impl<'c> Waits<'c> {
    /// All waits, where loops below `drop` are outside.
    pub(super) fn of(all: &[(Value<'c>, Touches<'c>)], drop: usize, numbers: &Numbers<'c>) -> Waits<'c> {
        let mut waits = Waits {
            after: FxHashMap::default(),
        };
        waits.through_aliases(all, numbers);
        let mut touching: FxHashMap<Op<'c>, &Touch<'c>> = FxHashMap::default();
        for touch in all.iter().flat_map(|(_, touches)| &touches.list) {
            touching.entry(touch.op).or_insert(touch);
        }
        for (tensor, touches) in all {
            waits.through_tensor(*tensor, touches, drop);
            waits.through_unknown(touches, all, numbers);
            for touch in touches.list.iter().filter(|touch| touch.reads) {
                waits.through_values(touch, &touching, drop);
            }
        }
        waits
    }

    fn add(&mut self, before: Op<'c>, unit: Op<'c>, prefix: usize, tensor: Option<Value<'c>>) {
        if before != unit {
            self.after
                .entry(before)
                .or_default()
                .push(Wait { unit, prefix, tensor });
        }
    }

    /// Readers wait for the writers that stand before them.
    fn through_tensor(&mut self, tensor: Value<'c>, touches: &Touches<'c>, drop: usize) {
        let events: Vec<Option<Events>> = touches.list.iter().map(|touch| touch.events(drop).ok()).collect();
        for (place, (writer, written)) in touches.list.iter().zip(&events).enumerate() {
            for (reader, read) in touches.list.iter().zip(&events).skip(place + 1) {
                if !writer.writes || !reader.reads || writer.op == reader.op {
                    continue;
                }
                let prefix = match (written, read) {
                    (Some(written), Some(read)) => causal::prefix(side(written), side(read), drop),
                    _ => 0,
                };
                self.add(writer.unit, reader.unit, prefix, Some(tensor));
            }
        }
    }

    /// What may do anything waits for all that stands before it, and all that stands after waits for it. What stands
    /// in it may have the tensor under another name.
    fn through_unknown(&mut self, touches: &Touches<'c>, all: &[(Value<'c>, Touches<'c>)], numbers: &Numbers<'c>) {
        for &(op, _) in &touches.unknown {
            for touch in &touches.list {
                match numbers.is_before(touch.op, op) {
                    true => self.add(touch.unit, op, 0, None),
                    false => self.add(op, touch.unit, 0, None),
                }
            }
            let inside = || {
                all.iter()
                    .flat_map(|(_, touches)| &touches.list)
                    .filter(|touch| op.contains(touch.op))
            };
            for touch in inside().filter(|_| !op.regions().is_empty()) {
                self.add(op, touch.unit, 0, None);
                self.add(touch.unit, op, 0, None);
            }
        }
    }

    /// Memory that may be the same under two names.
    fn through_aliases(&mut self, all: &[(Value<'c>, Touches<'c>)], numbers: &Numbers<'c>) {
        let shared: Vec<&(Value<'c>, Touches<'c>)> = all.iter().filter(|(value, _)| may_be_another(*value)).collect();
        for (value, touches) in &shared {
            let others = shared.iter().filter(|(other, _)| other != value);
            for other in others
                .flat_map(|(_, touches)| &touches.list)
                .filter(|touch| touch.reads)
            {
                let writers = touches.list.iter().filter(|touch| touch.writes);
                for writer in writers.filter(|writer| numbers.is_before(writer.op, other.op)) {
                    self.add(writer.unit, other.unit, 0, None);
                }
            }
        }
    }

    /// Whatever uses a value that is computed of a loaded one waits for the load, in the same iteration of the loops
    /// around both.
    fn through_values(&mut self, load: &Touch<'c>, touching: &FxHashMap<Op<'c>, &Touch<'c>>, drop: usize) {
        if load.unit == load.op {
            return;
        }
        for touch in users(load.op).into_iter().filter_map(|user| touching.get(&user)) {
            let common = load.nest.common(&touch.nest);
            self.add(load.unit, touch.unit, common.saturating_sub(drop), None);
        }
    }

    /// All that waits for a unit, other than for a tensor itself, with the number of equal outermost indices.
    fn waiting(&self, unit: Op<'c>, tensor: Value<'c>) -> FxHashMap<Op<'c>, usize> {
        let mut least: FxHashMap<Op<'c>, usize> = FxHashMap::default();
        let mut open = vec![(unit, usize::MAX)];
        while let Some((at, so_far)) = open.pop() {
            let waits = self.after.get(&at).map_or(&[][..], Vec::as_slice);
            for wait in waits.iter().filter(|wait| wait.tensor != Some(tensor)) {
                let prefix = wait.prefix.min(so_far);
                if least.get(&wait.unit).is_none_or(|known| prefix < *known) {
                    least.insert(wait.unit, prefix);
                    open.push((wait.unit, prefix));
                }
            }
        }
        least
    }

    /// The gate of each consumer of a tensor, which are given by their units and orders in program order; the error is
    /// the place of one that waits for two others which one gate cannot say.
    pub(super) fn gates(&self, tensor: Value<'c>, consumers: &[(Op<'c>, &Order)]) -> Result<Vec<Option<Gate>>, usize> {
        let mut wanted: Vec<Vec<(usize, usize)>> = vec![Vec::new(); consumers.len()];
        for (on, (unit, _)) in consumers.iter().enumerate() {
            let waiting = self.waiting(*unit, tensor);
            for (at, (other, _)) in consumers.iter().enumerate().skip(on + 1) {
                if let Some(&prefix) = waiting.get(other) {
                    wanted[at].push((on, prefix));
                }
            }
        }
        let mut gates: Vec<Option<Gate>> = Vec::new();
        for (at, wanted) in wanted.iter().enumerate() {
            let is_alike =
                |one: usize, other: usize| gates[one] == gates[other] && consumers[one].1 == consumers[other].1;
            let found = wanted.iter().rev().find_map(|&(on, _)| {
                // Consumers that are alike are equally far, so that one stands for the other.
                let alike = wanted.iter().filter(|(other, _)| is_alike(on, *other));
                let prefix = alike.map(|(_, prefix)| *prefix).min()?;
                let implied = |&(other, least): &(usize, usize)| {
                    is_alike(on, other) || is_implied(&gates, on, prefix, (other, least))
                };
                wanted.iter().all(implied).then_some((on, prefix))
            });
            gates.push(match found {
                Some((on, prefix)) => Some(Gate {
                    on: ConsumerId(u32::try_from(on).map_err(|_| at)?),
                    prefix,
                }),
                None if wanted.is_empty() => None,
                None => return Err(at),
            });
        }
        Ok(gates)
    }
}

/// True if a tensor may be memory that has another name as well.
fn may_be_another(tensor: Value<'_>) -> bool {
    let is_own = matches!(root_of_base(tensor), Root::Allocation(_) | Root::NoAliasArgument(_));
    ty::is_memref(tensor.ty()) && !is_own
}

fn side(events: &Events) -> Side<'_> {
    Side {
        token: &events.token,
        trips: &events.trips,
    }
}

/// Tells whether a gate on a consumer is a wait for another one as well, by the gates that it has itself.
fn is_implied(gates: &[Option<Gate>], on: usize, prefix: usize, other: (usize, usize)) -> bool {
    let (mut at, mut least) = (on, prefix);
    loop {
        if at == other.0 {
            return least <= other.1;
        }
        // A gate is on an earlier consumer, so this ends.
        let Some(Some(gate)) = gates.get(at) else { return false };
        (at, least) = (gate.on.index(), least.min(gate.prefix));
    }
}

/// All operations that use a value computed of the results of `op`, also by way of loops and branches.
fn users<'c>(op: Op<'c>) -> Vec<Op<'c>> {
    let mut users: Vec<Op<'c>> = Vec::new();
    let mut seen: Vec<Value<'c>> = op.results();
    let mut open = op.results();
    while let Some(value) = open.pop() {
        for each in value.uses() {
            let mut next = each.op.results();
            if each.op.is("scf.yield") {
                let parent = each.op.parent();
                next = parent.map_or_else(Vec::new, |parent| parent.results());
                next.extend(parent.and_then(For::of).map_or_else(Vec::new, For::iter_args));
            }
            if let Some(for_) = For::of(each.op) {
                next.extend(for_.iter_args());
            }
            if !users.contains(&each.op) {
                users.push(each.op);
            }
            for value in next {
                if !seen.contains(&value) {
                    seen.push(value);
                    open.push(value);
                }
            }
        }
    }
    users
}
