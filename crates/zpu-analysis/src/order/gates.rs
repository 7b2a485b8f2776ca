//! Which consumers of a tensor wait for which others, by way of other tensors and values.
//!
//! A unit that reads what another one writes waits for it: for the events that have as many outermost loop indices in
//! common as keep the two together ([`causal`]), and for all earlier ones. Along a path the least of these numbers
//! counts, and of several paths the least again, since fewer equal indices are a longer wait.

use rustc_hash::FxHashMap;
use zpu_ir::scf::For;
use zpu_ir::{Op, Value, ty};
use zpu_stream::fork::{ConsumerId, Gate};

use super::causal::{self, Side};
use super::nest::Numbers;
use super::touch::{Events, Touch, Touches};
use crate::region::Root;
use crate::root::root_of_base;

/// Waits between units: the later one, and the number of equal outermost loop indices of its wait.
pub(super) struct Waits<'c> {
    after: FxHashMap<Op<'c>, Vec<(Op<'c>, usize)>>,
}

impl<'c> Waits<'c> {
    /// All waits but those for `tensor` itself, where loops below `drop` are outside.
    pub(super) fn of(
        all: &[(Value<'c>, Touches<'c>)],
        tensor: Value<'c>,
        drop: usize,
        numbers: &Numbers<'c>,
    ) -> Waits<'c> {
        let mut waits = Waits {
            after: FxHashMap::default(),
        };
        waits.through_aliases(all, numbers);
        for (value, touches) in all {
            if *value != tensor {
                waits.through_tensor(touches, drop);
                waits.through_unknown(touches, all, numbers);
            }
            for touch in touches.list.iter().filter(|touch| touch.reads) {
                waits.through_values(touch, all, drop);
            }
        }
        waits
    }

    fn add(&mut self, before: Op<'c>, after: Op<'c>, prefix: usize) {
        if before != after {
            self.after.entry(before).or_default().push((after, prefix));
        }
    }

    /// Readers wait for the writers that stand before them.
    fn through_tensor(&mut self, touches: &Touches<'c>, drop: usize) {
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
                self.add(writer.unit, reader.unit, prefix);
            }
        }
    }

    /// What may do anything waits for all that stands before it, and all that stands after waits for it. What stands
    /// in it may have the tensor under another name.
    fn through_unknown(&mut self, touches: &Touches<'c>, all: &[(Value<'c>, Touches<'c>)], numbers: &Numbers<'c>) {
        for &(op, _) in &touches.unknown {
            for touch in &touches.list {
                match numbers.is_before(touch.op, op) {
                    true => self.add(touch.unit, op, 0),
                    false => self.add(op, touch.unit, 0),
                }
            }
            let inside = || {
                all.iter()
                    .flat_map(|(_, touches)| &touches.list)
                    .filter(|touch| op.contains(touch.op))
            };
            for touch in inside().filter(|_| !op.regions().is_empty()) {
                self.add(op, touch.unit, 0);
                self.add(touch.unit, op, 0);
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
                    self.add(writer.unit, other.unit, 0);
                }
            }
        }
    }

    /// Whatever uses a value that is computed of a loaded one waits for the load, in the same iteration of the loops
    /// around both.
    fn through_values(&mut self, load: &Touch<'c>, all: &[(Value<'c>, Touches<'c>)], drop: usize) {
        if load.unit == load.op {
            return;
        }
        let touching = |op: Op<'c>| {
            let mut all = all.iter().flat_map(|(_, touches)| &touches.list);
            all.find(|touch| touch.op == op)
        };
        for user in users(load.op) {
            if let Some(touch) = touching(user) {
                let common = load.nest.common(&touch.nest);
                self.add(load.unit, touch.unit, common.saturating_sub(drop));
            }
        }
    }

    /// All that waits for a unit, with the number of equal outermost indices.
    fn waiting(&self, unit: Op<'c>) -> FxHashMap<Op<'c>, usize> {
        let mut least: FxHashMap<Op<'c>, usize> = FxHashMap::default();
        let mut open = vec![(unit, usize::MAX)];
        while let Some((at, prefix)) = open.pop() {
            for &(after, own) in self.after.get(&at).map_or(&[][..], Vec::as_slice) {
                let prefix = own.min(prefix);
                if least.get(&after).is_none_or(|known| prefix < *known) {
                    least.insert(after, prefix);
                    open.push((after, prefix));
                }
            }
        }
        least
    }

    /// The gate of each consumer, which are given by their units in program order; the error is a consumer that waits
    /// for two others of which neither waits for the other.
    pub(super) fn gates(&self, units: &[Op<'c>]) -> Result<Vec<Option<Gate>>, usize> {
        let mut wanted: Vec<Vec<(usize, usize)>> = vec![Vec::new(); units.len()];
        for (on, unit) in units.iter().enumerate() {
            let waiting = self.waiting(*unit);
            for (at, other) in units.iter().enumerate().skip(on + 1) {
                if let Some(&prefix) = waiting.get(other) {
                    wanted[at].push((on, prefix));
                }
            }
        }
        let mut gates: Vec<Option<Gate>> = Vec::new();
        for (at, wanted) in wanted.iter().enumerate() {
            let implied =
                |&(on, prefix): &(usize, usize)| wanted.iter().all(|other| is_implied(&gates, on, prefix, *other));
            gates.push(match wanted.iter().rev().find(|gate| implied(gate)) {
                Some(&(on, prefix)) => Some(Gate {
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
