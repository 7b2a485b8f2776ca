//! Writes prologue, kernel and epilogue.
//!
//! Loops are emitted over iteration numbers, from 0 with step 1; the induction variable of an instance is
//! `lower + iteration * step`. That keeps every offset linear in one counter, which is what later analysis understands.

use std::collections::BTreeMap;
use std::ops::Range;

use zpu_ir::edit::{self, ValueMap};
use zpu_ir::{Builder, Op, Value, attr, ty};

use super::Planned;

/// Replaces the loop. The plan has been checked.
pub(super) fn rewrite(planned: &Planned<'_>) {
    let for_ = planned.body.for_;
    let last = planned.last_stage();
    let mut builder = Builder::before(for_.op);
    match for_.constant_trip_count() {
        Some(trip) => constant(planned, &mut builder, trip, last),
        None => dynamic(planned, &mut builder, last),
    }
    edit::erase(for_.op);
}

/// An iteration number: a constant, or a value plus a constant.
#[derive(Clone, Copy)]
struct Iteration<'c> {
    base: Option<Value<'c>>,
    offset: i64,
}

fn constant<'c>(planned: &Planned<'c>, builder: &mut Builder<'c>, trip: i64, last: i64) {
    let mut copies = Copies::new(planned);
    if trip <= last {
        return copies.turns(builder, 0..trip + last, 0..trip, None);
    }
    copies.turns(builder, 0..last, 0..trip, None);
    let count = builder.index(trip - last);
    let carried = kernel(planned, builder, count, last, &copies);
    let mut copies = Copies::after_kernel(planned, &carried, |back| trip - last - 1 + last - back);
    copies.turns(builder, trip..trip + last, 0..trip, None);
}

/// `if trips > last { prologue, kernel, epilogue } else { the loop as it was }`.
fn dynamic<'c>(planned: &Planned<'c>, builder: &mut Builder<'c>, last: i64) {
    let for_ = planned.body.for_;
    let trips = trip_count(planned, builder);
    if last == 0 {
        let copies = Copies::new(planned);
        kernel(planned, builder, trips, 0, &copies);
        return;
    }
    let bound = builder.index(last);
    const SIGNED_GREATER: i64 = 4;
    let enough = builder.compare(SIGNED_GREATER, trips, bound);
    let branch = builder.op_with_regions("scf.if", &[enough], &[], &[], &[&[], &[]]);
    let blocks: Vec<_> = branch
        .regions()
        .into_iter()
        .filter_map(|region| region.first_block())
        .collect();

    let mut inside = Builder::at_end(blocks[0], for_.op);
    let mut copies = Copies::new(planned);
    copies.turns(&mut inside, 0..last, 0..last, None);
    let fill = inside.index(last);
    let count = exact(&mut inside, "arith.subi", trips, fill);
    let carried = kernel(planned, &mut inside, count, last, &copies);
    // Iterations are counted from the number of kernel turns on: the first turn after the kernel is `count + last`.
    let mut copies = Copies::after_kernel(planned, &carried, |back| last - 1 - back);
    copies.turns(&mut inside, last..2 * last, 0..last, Some(count));
    inside.op("scf.yield", &[], &[], &[]);

    let mut other = Builder::at_end(blocks[1], for_.op);
    let clone = other.clone_op(for_.op);
    other.op("scf.yield", &[], &[], &[]);
    for op in clone.walk() {
        op.remove_attr("zpu.schedule");
        op.remove_attr("zpu.pipeline");
    }
}

/// `max(0, ceil((upper - lower) / step))` as an index; a step of 0 or less is undefined in `scf.for`.
fn trip_count<'c>(planned: &Planned<'c>, builder: &mut Builder<'c>) -> Value<'c> {
    let for_ = planned.body.for_;
    let mut trips = as_index(builder, for_.upper());
    if for_.lower().as_constant_int() != Some(0) {
        let lower = as_index(builder, for_.lower());
        trips = builder.binary("arith.subi", trips, lower);
    }
    if for_.step().as_constant_int() != Some(1) {
        let step = as_index(builder, for_.step());
        trips = builder.binary("arith.ceildivsi", trips, step);
    }
    trips
}

/// A bound as an index: in a narrow type, the difference of two bounds may not fit.
fn as_index<'c>(builder: &mut Builder<'c>, bound: Value<'c>) -> Value<'c> {
    if ty::is_index(bound.ty()) {
        return bound;
    }
    let index = ty::index(builder.context());
    builder.op("arith.index_cast", &[bound], &[index], &[]).result(0)
}

/// `left + right` or `left - right` of numbers of iterations, which neither wraps nor is negative.
fn exact<'c>(builder: &mut Builder<'c>, name: &str, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    let flags = attr::no_overflow(builder.context()).map(|flags| ("overflowFlags", flags));
    let attrs: Vec<_> = flags.into_iter().collect();
    builder.op(name, &[left, right], &[left.ty()], &attrs).result(0)
}

/// A scalar that crosses turns: the unit's result, and how many turns back it is needed at most.
struct Crossing<'c> {
    value: Value<'c>,
    /// Stage of the unit that makes it.
    stage: i64,
    turns: i64,
}

/// Results of units that are needed in a later turn than they are made in.
fn crossings<'c>(planned: &Planned<'c>) -> Vec<Crossing<'c>> {
    let mut all = Vec::new();
    for (maker, unit) in planned.body.units.iter().enumerate() {
        let users = planned
            .body
            .units
            .iter()
            .enumerate()
            .filter(|(_, user)| user.operands.contains(&maker));
        let turns = users
            .map(|(user, _)| planned.stages[user] - planned.stages[maker])
            .max()
            .unwrap_or(0);
        if turns > 0 {
            let stage = planned.stages[maker];
            all.extend(
                unit.op
                    .results()
                    .into_iter()
                    .map(|value| Crossing { value, stage, turns }),
            );
        }
    }
    all
}

/// What the kernel hands on: for each crossing value its instances of the last turns, latest first.
type Carried<'c> = Vec<(Value<'c>, Vec<Value<'c>>)>;

/// The kernel: one turn per iteration, `count` of them. `before` holds the prologue's instances.
fn kernel<'c>(
    planned: &Planned<'c>,
    builder: &mut Builder<'c>,
    count: Value<'c>,
    last: i64,
    before: &Copies<'_, 'c>,
) -> Carried<'c> {
    let for_ = planned.body.for_;
    let crossings = crossings(planned);
    let zero = builder.index(0);
    let one = builder.index(1);
    let mut inits = vec![zero, count, one];
    let mut types = Vec::new();
    for crossing in &crossings {
        for back in 1..=crossing.turns {
            // The instance made `back` turns before the first turn of the kernel.
            let iteration = last - crossing.stage - back;
            let init = before.instance(crossing.value, iteration);
            inits.push(init.unwrap_or_else(|| poison(builder, crossing.value)));
            types.push(crossing.value.ty());
        }
    }
    let index = ty::index(builder.context());
    let mut args = vec![index];
    args.extend(&types);
    let op = builder.op_with_regions("scf.for", &inits, &types, &[], &[&args]);
    let block = op.body().expect("just made with a block");
    let values = block.args();
    let mut inside = Builder::at_end(block, for_.op);
    let mut copies = Copies::new(planned);
    let mut next = 1;
    for crossing in &crossings {
        for back in 1..=crossing.turns {
            copies.record(crossing.value, last - crossing.stage - back, values[next]);
            next += 1;
        }
    }
    for unit in &planned.order {
        let iteration = last - planned.stages[*unit];
        copies.emit(
            &mut inside,
            *unit,
            iteration,
            Iteration {
                base: Some(values[0]),
                offset: iteration,
            },
        );
    }
    let mut yields = Vec::new();
    for crossing in &crossings {
        for back in 0..crossing.turns {
            let value = copies.instance(crossing.value, last - crossing.stage - back);
            yields.push(value.expect("made in this turn or carried into it"));
        }
    }
    inside.op("scf.yield", &yields, &[], &[]);
    let mut results = op.results().into_iter();
    crossings
        .iter()
        .map(|crossing| (crossing.value, results.by_ref().take(crossing.turns as usize).collect()))
        .collect()
}

/// A value that nobody reads: what a carried scalar is before the first instance exists.
fn poison<'c>(builder: &mut Builder<'c>, like: Value<'c>) -> Value<'c> {
    builder.op("ub.poison", &[], &[like.ty()], &[]).result(0)
}

/// Copies of the body's operations, one set per iteration number, made where and when they are needed.
struct Copies<'p, 'c> {
    planned: &'p Planned<'c>,
    maps: BTreeMap<i64, ValueMap<'c>>,
}

impl<'p, 'c> Copies<'p, 'c> {
    fn new(planned: &'p Planned<'c>) -> Self {
        Self {
            planned,
            maps: BTreeMap::new(),
        }
    }

    /// Starts the epilogue: `iteration_of(back + stage)` is the iteration whose instance was made `back` turns before the
    /// kernel's last one by a unit of that stage.
    fn after_kernel(planned: &'p Planned<'c>, carried: &Carried<'c>, iteration_of: impl Fn(i64) -> i64) -> Self {
        let mut copies = Self::new(planned);
        for (crossing, (value, instances)) in crossings(planned).iter().zip(carried) {
            for (back, instance) in (0..).zip(instances) {
                copies.record(*value, iteration_of(back + crossing.stage), *instance);
            }
        }
        copies
    }

    /// Says what stands for a unit's result in an iteration.
    fn record(&mut self, value: Value<'c>, iteration: i64, instance: Value<'c>) {
        self.maps.entry(iteration).or_default().set(value, instance);
    }

    /// What stands for a unit's result in an iteration, if it was made.
    fn instance(&self, value: Value<'c>, iteration: i64) -> Option<Value<'c>> {
        self.maps
            .get(&iteration)
            .filter(|map| map.has(value))
            .map(|map| map.get(value))
    }

    /// Emits turns without a loop: of each the instances whose iteration is among `iterations`, counted from `base`.
    fn turns(&mut self, builder: &mut Builder<'c>, turns: Range<i64>, iterations: Range<i64>, base: Option<Value<'c>>) {
        let planned = self.planned;
        for turn in turns {
            for unit in &planned.order {
                let iteration = turn - planned.stages[*unit];
                if iterations.contains(&iteration) {
                    let number = Iteration {
                        base,
                        offset: iteration,
                    };
                    self.emit(builder, *unit, iteration, number);
                }
            }
        }
    }

    /// Emits the instance of a unit for an iteration. `number` says which one that is in the IR, `iteration` names it
    /// among the copies.
    fn emit(&mut self, builder: &mut Builder<'c>, unit: usize, iteration: i64, number: Iteration<'c>) {
        let op = self.planned.body.units[unit].op;
        let mut map = self.maps.remove(&iteration).unwrap_or_default();
        self.prepare(builder, op, &mut map, number);
        let clone = edit::clone_mapped(builder, op, &mut map);
        clone.remove_attr("zpu.schedule");
        self.maps.insert(iteration, map);
    }

    /// Copies the pure operations that `op` needs and that are not there yet.
    fn prepare(&self, builder: &mut Builder<'c>, op: Op<'c>, map: &mut ValueMap<'c>, number: Iteration<'c>) {
        let for_ = self.planned.body.for_;
        for value in crate::analysis::body::used_values(op) {
            if map.has(value) || value.parent_block() != Some(for_.body) {
                continue;
            }
            if value == for_.iv() {
                let iv = self.induction_variable(builder, number);
                map.set(value, iv);
            } else if let Some(needed) = value.defining_op() {
                // A unit's result must be there already: making the unit again would do its access twice.
                let is_unit = self.planned.body.units.iter().any(|unit| unit.op == needed);
                assert!(
                    !is_unit,
                    "the instance of {} that {} needs does not exist yet",
                    needed.name(),
                    op.name()
                );
                self.prepare(builder, needed, map, number);
                if !map.has(value) {
                    edit::clone_mapped(builder, needed, map);
                }
            }
        }
    }

    /// `lower + iteration * step`, without what the constants 0 and 1 make superfluous.
    fn induction_variable(&self, builder: &mut Builder<'c>, number: Iteration<'c>) -> Value<'c> {
        let for_ = self.planned.body.for_;
        let (lower, step) = (for_.lower().as_constant_int(), for_.step().as_constant_int());
        let ty = for_.iv().ty();
        if let (None, Some(lower), Some(step)) = (number.base, lower, step)
            && let Some(value) = number
                .offset
                .checked_mul(step)
                .and_then(|product| product.checked_add(lower))
        {
            return builder.constant(ty, value);
        }
        let mut iteration = match number.base {
            None => builder.index(number.offset),
            Some(base) if number.offset == 0 => base,
            Some(base) => {
                let offset = builder.index(number.offset);
                exact(builder, "arith.addi", base, offset)
            }
        };
        if !ty::is_index(ty) {
            iteration = builder.op("arith.index_cast", &[iteration], &[ty], &[]).result(0);
        }
        if step != Some(1) {
            iteration = builder.binary("arith.muli", iteration, for_.step());
        }
        if lower != Some(0) {
            iteration = builder.binary("arith.addi", iteration, for_.lower());
        }
        iteration
    }
}
