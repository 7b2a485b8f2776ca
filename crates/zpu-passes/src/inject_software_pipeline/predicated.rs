//! Writes one loop in which every unit is under the condition that its iteration exists.
//!
//! ```mlir
//! scf.for %k = %c0 to %trips + %last step %c1 {
//!   scf.if %k < %trips { load(%k) }
//!   scf.if %k >= %c1   { mma(%k - 1) }
//! }
//! ```
//!
//! The body is there once, and any trip count is right, zero included: kernel iteration `t` does iteration `t - stage`
//! of a unit only if that is at least 0 and below the trip count. A kernel iteration that does not advance a carried
//! value keeps it, so it is the initial value before the first iteration, and the loop's result after the last one.

use zpu_ir::arith::CmpIPredicate;
use zpu_ir::{Builder, Value, edit};

use super::Planned;
use super::induction::Iteration;
use super::kernel::{Copies, CrossStageValue, Step, cross_stage_values};
use super::loop_carried::{loop_over_kernel_iterations, poison};
use crate::iteration_number::{exact, trip_count};
use zpu_analysis::seeded;

/// Replaces the loop. The plan has been checked.
pub(super) fn rewrite<'c>(planned: &Planned<'c>) {
    let for_ = planned.body.for_;
    let last = planned.last_stage();
    let mut builder = Builder::before(for_.op);
    let bounds = bounds(planned, &mut builder, last);
    let cross_stage_values = cross_stage_values(planned);
    let before = |builder: &mut Builder<'c>, cross_stage: &CrossStageValue<'c>, _| match cross_stage.carried {
        Some(i) => planned.body.carried[i].init,
        None => poison(builder, cross_stage.value),
    };
    let copies = Copies::new(planned);
    let handed = loop_over_kernel_iterations(
        copies,
        &mut builder,
        bounds.kernel_iterations,
        &cross_stage_values,
        before,
        |copies, inside, kernel_iteration| {
            for (step, stage) in &planned.steps {
                guarded(copies, inside, (*step, *stage), kernel_iteration, &bounds);
            }
        },
    );
    for (cross_stage, instances) in cross_stage_values.iter().zip(handed) {
        if let (Some(i), Some(latest)) = (cross_stage.carried, instances.first()) {
            edit::replace_all_uses(for_.op.result(i), *latest);
        }
    }
    edit::erase(for_.op);
}

/// The trip counts of the original loop and of the loop over kernel iterations.
struct Bounds<'c> {
    last: i64,
    trips: Value<'c>,
    kernel_iterations: Value<'c>,
}

fn bounds<'c>(planned: &Planned<'c>, builder: &mut Builder<'c>, last: i64) -> Bounds<'c> {
    let for_ = planned.body.for_;
    let (trips, kernel_iterations) = match for_.constant_trip_count() {
        Some(trips) => {
            let kernel_iterations = if trips == 0 { 0 } else { trips.saturating_add(last) };
            (builder.index(trips), builder.index(kernel_iterations))
        }
        None => {
            let trips = trip_count(builder, for_);
            let zero = builder.index(0);
            let trips = builder.binary("arith.maxsi", trips, zero);
            let more = builder.index(last);
            let all = exact(builder, "arith.addi", trips, more);
            let is_none = builder.compare(CmpIPredicate::Eq, trips, zero);
            let select = builder.op("arith.select", &[is_none, zero, all], &[all.ty()], &[]);
            (trips, select.result(0))
        }
    };
    Bounds {
        last,
        trips,
        kernel_iterations,
    }
}

/// Emits a step under the condition that its iteration exists.
fn guarded<'c>(
    copies: &mut Copies<'_, 'c>,
    builder: &mut Builder<'c>,
    (step, stage): (Step, i64),
    kernel_iteration: Value<'c>,
    bounds: &Bounds<'c>,
) {
    let planned = copies.planned;
    let iteration = bounds.last - stage;
    let number = Iteration {
        base: Some(kernel_iteration),
        offset: -stage,
    };
    let Some(condition) = exists(builder, stage, kernel_iteration, bounds) else {
        copies.emit(builder, step, iteration, number);
        return;
    };
    let op = match step {
        Step::Unit(unit) => planned.body.units[unit].op,
        Step::Advance(_) => planned.body.for_.op,
    };
    let mut builder = builder.like(op);
    let mut map = copies.instances(iteration);
    // The values that the step makes, and those that stand for them where the iteration does not exist.
    let made: Vec<Value<'c>> = match step {
        Step::Unit(_) => op.results(),
        Step::Advance(i) => vec![planned.body.carried[i].arg],
    };
    if made.is_empty() {
        let guard = builder.guard(condition, &[]);
        let mut inside = Builder::at_end(guard.body().expect("just made with a block"), op);
        copies.emit_with(&mut inside, step, &mut map, number);
        inside.op("scf.yield", &[], &[], &[]);
        return;
    }
    let types: Vec<_> = made.iter().map(|value| value.ty()).collect();
    let branch = builder.op_with_regions("scf.if", &[condition], &types, &[], &[&[], &[]]);
    let blocks: Vec<_> = branch
        .regions()
        .into_iter()
        .filter_map(|region| region.first_block())
        .collect();
    let mut inside = Builder::at_end(blocks[0], op);
    let handed_on = copies.emit_with(&mut inside, step, &mut map, number);
    let yields = match handed_on {
        Some((_, value)) => vec![value],
        None => made.iter().map(|value| map.get(*value)).collect(),
    };
    inside.op("scf.yield", &yields, &[], &[]);
    let mut other = Builder::at_end(blocks[1], op);
    let kept: Vec<_> = match step {
        Step::Advance(_) => {
            let before = copies.instance(made[0], iteration);
            vec![before.expect("a carried value has an instance in every kernel_iteration")]
        }
        Step::Unit(_) => made.iter().map(|value| poison(&mut other, *value)).collect(),
    };
    other.op("scf.yield", &kept, &[], &[]);
    let next = iteration + i64::from(matches!(step, Step::Advance(_)));
    for (value, result) in made.into_iter().zip(branch.results()) {
        copies.record(value, next, result);
    }
}

/// Emits the condition that iteration `k - stage` exists in kernel iteration `k`; none if it always does.
fn exists<'c>(
    builder: &mut Builder<'c>,
    stage: i64,
    kernel_iteration: Value<'c>,
    bounds: &Bounds<'c>,
) -> Option<Value<'c>> {
    let began = (stage > 0).then(|| {
        let first = builder.index(stage);
        builder.compare(CmpIPredicate::Sge, kernel_iteration, first)
    });
    // In the last stage the kernel iterations end with the iterations.
    let goes_on = (stage < bounds.last && !seeded!(UnboundedTurns)).then(|| {
        let end = if stage == 0 {
            bounds.trips
        } else {
            let more = builder.index(stage);
            exact(builder, "arith.addi", bounds.trips, more)
        };
        builder.compare(CmpIPredicate::Slt, kernel_iteration, end)
    });
    match (began, goes_on) {
        (Some(began), Some(goes_on)) => Some(builder.binary("arith.andi", began, goes_on)),
        (one, other) => one.or(other),
    }
}
