//! Steps of a kernel iteration, and the values that pass from one kernel iteration to a later one.
//!
//! A kernel iteration issues the units in the order of the plan. Between them it advances the values that the loop
//! carries: the value that iteration `k` hands on is computed right after the last unit that it is made of, in that
//! unit's kernel iteration; a value that needs no unit is computed at the beginning of kernel iteration `k`. So the
//! instance of a carried value for iteration `k` is made by the *advance* of iteration `k - 1`, and every user that the
//! plan places after the units that the value is made of finds it there.

use std::collections::BTreeMap;

use zpu_ir::edit::{self, ValueMap};
use zpu_ir::{Builder, Op, Value, annotation};

use super::Planned;
use super::induction::{Iteration, induction_variable};
use crate::iteration_number::is_iteration_number;
use zpu_analysis::body::{Body, used_values};

/// A step of a kernel iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Issues a unit.
    Unit(usize),
    /// Advances a carried value.
    Advance(usize),
}

/// Steps of a kernel iteration, in order, each with its stage.
pub(super) fn steps(body: &Body<'_>, stages: &[i64], order: &[usize]) -> Vec<(Step, i64)> {
    let mut position = vec![0; order.len()];
    for (i, unit) in (0..).zip(order) {
        position[*unit] = i;
    }
    let place = |unit: usize| (stages[unit], position[unit]);
    let advances = advance_places(body, &place);
    // Of two advances at one place, the one of the higher stage belongs to the earlier iteration, which the other may
    // need.
    let mut places: Vec<(i64, Step, i64)> = order
        .iter()
        .map(|unit| (position[*unit], Step::Unit(*unit), stages[*unit]))
        .collect();
    for (i, (stage, position)) in advances.into_iter().enumerate() {
        places.push((position, Step::Advance(i), stage));
    }
    places.sort_by_key(|(position, step, stage)| {
        let is_advance = matches!(step, Step::Advance(_));
        (*position, is_advance, if is_advance { -stage } else { 0 })
    });
    places.into_iter().map(|(_, step, stage)| (step, stage)).collect()
}

/// Stage and position in the kernel iteration of each advance: as early as its operands allow, lexicographically.
fn advance_places(body: &Body<'_>, place: &dyn Fn(usize) -> (i64, i64)) -> Vec<(i64, i64)> {
    const BEGIN: (i64, i64) = (0, -1);
    let earliest = |needs: &zpu_analysis::body::Needs| needs.units.iter().map(|unit| place(*unit)).max();
    let mut places: Vec<(i64, i64)> = body
        .carried
        .iter()
        .map(|carried| earliest(&carried.needs).unwrap_or(BEGIN))
        .collect();
    // A carried value that is needed comes from the iteration before. Each round settles at least one more value of a
    // chain; around a cycle the stage only falls.
    for _ in 0..places.len() {
        for (i, carried) in body.carried.iter().enumerate() {
            for source in &carried.needs.carried {
                let (stage, position) = places[*source];
                places[i] = places[i].max((stage - 1, position)).max(BEGIN);
            }
        }
    }
    places
}

/// A scalar or buffer name that crosses kernel iterations, and the most kernel iterations between its making and its
/// use.
pub(super) struct CrossStageValue<'c> {
    pub(super) value: Value<'c>,
    /// The instance for iteration `k` is made in kernel iteration `k + stage`.
    pub(super) stage: i64,
    pub(super) kernel_iterations: i64,
    /// Its position if the loop carries it: then it has an instance for iteration 0 from the start.
    pub(super) carried: Option<usize>,
}

/// Values that are needed in a later kernel iteration than the one that makes them. A carried value always is: the code
/// after the loop needs its last instance.
pub(super) fn cross_stage_values<'c>(planned: &Planned<'c>) -> Vec<CrossStageValue<'c>> {
    let body = &planned.body;
    let needs = |step: Step| match step {
        Step::Unit(unit) => &body.units[unit].needs,
        Step::Advance(i) => &body.carried[i].needs,
    };
    // The last stage that needs each unit's results and each carried value.
    let mut units: BTreeMap<usize, i64> = BTreeMap::new();
    let mut args: BTreeMap<usize, i64> = BTreeMap::new();
    for (step, stage) in &planned.steps {
        for unit in &needs(*step).units {
            let last = units.entry(*unit).or_insert(*stage);
            *last = (*last).max(*stage);
        }
        for arg in &needs(*step).carried {
            let last = args.entry(*arg).or_insert(*stage);
            *last = (*last).max(*stage);
        }
    }
    let mut all = Vec::new();
    for (unit, last) in units {
        let stage = planned.stages[unit];
        let results = body.units[unit].op.results().into_iter();
        all.extend(results.filter(|_| last > stage).map(|value| CrossStageValue {
            value,
            stage,
            kernel_iterations: last - stage,
            carried: None,
        }));
    }
    let mut advances: Vec<(usize, i64)> = Vec::new();
    for (step, stage) in &planned.steps {
        if let Step::Advance(i) = step {
            advances.push((*i, *stage));
        }
    }
    advances.sort_unstable();
    all.extend(advances.into_iter().map(|(i, advanced)| {
        let stage = advanced - 1;
        CrossStageValue {
            value: body.carried[i].arg,
            stage,
            kernel_iterations: args.get(&i).map_or(1, |last| (last - stage).max(1)),
            carried: Some(i),
        }
    }));
    all
}

/// Copies of the body's operations, one set per iteration number, made where and when they are needed.
pub(super) struct Copies<'p, 'c> {
    pub(super) planned: &'p Planned<'c>,
    maps: BTreeMap<i64, ValueMap<'c>>,
}

impl<'p, 'c> Copies<'p, 'c> {
    /// Starts without any instance.
    pub(super) fn new(planned: &'p Planned<'c>) -> Self {
        Self {
            planned,
            maps: BTreeMap::new(),
        }
    }

    /// Starts with the initial values as the instances of carried values for iteration 0.
    pub(super) fn at_start(planned: &'p Planned<'c>) -> Self {
        let mut copies = Self::new(planned);
        for carried in &planned.body.carried {
            copies.record(carried.arg, 0, carried.init);
        }
        copies
    }

    /// Records the instance of a value for an iteration.
    pub(super) fn record(&mut self, value: Value<'c>, iteration: i64, instance: Value<'c>) {
        self.maps.entry(iteration).or_default().set(value, instance);
    }

    /// The instance of a value for an iteration, if it was made.
    pub(super) fn instance(&self, value: Value<'c>, iteration: i64) -> Option<Value<'c>> {
        self.maps
            .get(&iteration)
            .filter(|map| map.has(value))
            .map(|map| map.get(value))
    }

    /// The loop's results if `iteration` would be the next one.
    pub(super) fn results(&self, iteration: i64) -> Vec<Value<'c>> {
        let carried = self.planned.body.carried.iter();
        carried
            .map(|carried| {
                let value = self.instance(carried.arg, iteration);
                value.expect("the last iteration hands its values on")
            })
            .collect()
    }

    /// Emits a step of an iteration. `number` is the iteration's number in the IR, `iteration` names it among the
    /// copies.
    pub(super) fn emit(&mut self, builder: &mut Builder<'c>, step: Step, iteration: i64, number: Iteration<'c>) {
        let mut map = self.maps.remove(&iteration).unwrap_or_default();
        let handed_on = self.emit_with(builder, step, &mut map, number);
        self.maps.insert(iteration, map);
        if let Some((arg, value)) = handed_on {
            self.record(arg, iteration + 1, value);
        }
    }

    /// Emits a step like [`Self::emit`], with the instances of the iteration in `map`. Returns the carried value that
    /// the step advances with its instance for the next iteration, instead of recording it.
    pub(super) fn emit_with(
        &self,
        builder: &mut Builder<'c>,
        step: Step,
        map: &mut ValueMap<'c>,
        number: Iteration<'c>,
    ) -> Option<(Value<'c>, Value<'c>)> {
        match step {
            Step::Unit(unit) => {
                let op = self.planned.body.units[unit].op;
                let mut builder = builder.like(op);
                used_values(op)
                    .into_iter()
                    .for_each(|value| self.prepare(&mut builder, value, map, number));
                edit::clone_mapped(&mut builder, op, map).remove_attr(annotation::SCHEDULE);
                None
            }
            Step::Advance(i) => {
                let carried = &self.planned.body.carried[i];
                self.prepare(builder, carried.yielded, map, number);
                Some((carried.arg, map.get(carried.yielded)))
            }
        }
    }

    /// The instances of an iteration so far.
    pub(super) fn instances(&self, iteration: i64) -> ValueMap<'c> {
        self.maps.get(&iteration).cloned().unwrap_or_default()
    }

    /// Copies the pure operations that a value is computed by, unless their copies are there.
    fn prepare(&self, builder: &mut Builder<'c>, value: Value<'c>, map: &mut ValueMap<'c>, number: Iteration<'c>) {
        let for_ = self.planned.body.for_;
        if map.has(value) || value.parent_block() != Some(for_.body) {
            return;
        }
        if value == for_.iv() {
            let iv = induction_variable(for_, builder, number);
            map.set(value, iv);
            return;
        }
        // Where the lower bound is not known, nobody could see that the product with the step does not wrap.
        if is_iteration_number(for_, value) {
            let index = number.as_index(builder);
            map.set(value, index);
            return;
        }
        // A unit's result and a carried value must be there already: making a unit again would do its access twice.
        let maker: Option<Op<'c>> = value.defining_op().filter(|maker| !self.planned.is_unit(*maker));
        let maker = maker.expect("a plan that was checked makes instances before they are needed");
        for needed in used_values(maker) {
            self.prepare(builder, needed, map, number);
        }
        if !map.has(value) {
            edit::clone_mapped(builder, maker, map);
        }
    }
}
