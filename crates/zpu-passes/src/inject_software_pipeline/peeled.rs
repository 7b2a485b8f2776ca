//! Writes prologue, kernel and epilogue. A loop whose constant trip count is below the number of stages is unrolled; a
//! dynamic trip count selects between the pipelined loop and the original one.
//!
//! Loops are emitted over iteration numbers, from 0 with step 1; the induction variable of an instance is
//! `lower + iteration * step`. That keeps every offset linear in one counter, as later analysis needs it.

use std::ops::Range;

use zpu_ir::arith::CmpIPredicate;
use zpu_ir::{Builder, Value, annotation, edit};

use super::Planned;
use super::induction::Iteration;
use super::kernel::{Copies, CrossStageValue, cross_stage_values};
use super::loop_carried::{Handed, loop_over_kernel_iterations, poison};
use crate::iteration_number::{exact, trip_count};
use zpu_analysis::seeded;

/// Replaces the loop. The plan has been checked.
pub(super) fn rewrite(planned: &Planned<'_>) {
    let for_ = planned.body.for_;
    let last = planned.last_stage();
    let mut builder = Builder::before(for_.op);
    let results = match for_.constant_trip_count() {
        Some(trip) => constant(planned, &mut builder, trip, last),
        None => dynamic(planned, &mut builder, last),
    };
    for (old, new) in for_.op.results().into_iter().zip(results) {
        edit::replace_all_uses(old, new);
    }
    edit::erase(for_.op);
}

fn constant<'c>(planned: &Planned<'c>, builder: &mut Builder<'c>, trip: i64, last: i64) -> Vec<Value<'c>> {
    let mut copies = Copies::at_start(planned);
    if trip <= last {
        copies.kernel_iterations(builder, 0..trip + last, 0..trip, None);
        return copies.results(trip);
    }
    copies.kernel_iterations(builder, 0..filled(last), 0..trip, None);
    let count = builder.index(trip - last);
    let carried = kernel(planned, builder, count, last, &copies);
    let mut copies = Copies::after_kernel(planned, &carried, |back| trip - last - 1 + last - back);
    copies.kernel_iterations(builder, trip..trip + drained(last), 0..trip, None);
    copies.results(trip)
}

/// Writes `if trips > last { prologue, kernel, epilogue } else { the original loop }`.
fn dynamic<'c>(planned: &Planned<'c>, builder: &mut Builder<'c>, last: i64) -> Vec<Value<'c>> {
    let for_ = planned.body.for_;
    let trips = trip_count(builder, for_);
    if last == 0 {
        let copies = Copies::at_start(planned);
        let carried = kernel(planned, builder, trips, 0, &copies);
        return Copies::after_kernel(planned, &carried, |back| -1 - back).results(0);
    }
    let bound = builder.index(last);
    let enough = builder.compare(CmpIPredicate::Sgt, trips, bound);
    let types: Vec<_> = for_.op.results().into_iter().map(Value::ty).collect();
    let branch = builder.op_with_regions("scf.if", &[enough], &types, &[], &[&[], &[]]);
    let blocks: Vec<_> = branch
        .regions()
        .into_iter()
        .filter_map(|region| region.first_block())
        .collect();

    let mut inside = Builder::at_end(blocks[0], for_.op);
    let mut copies = Copies::at_start(planned);
    copies.kernel_iterations(&mut inside, 0..filled(last), 0..last, None);
    let fill = inside.index(last);
    let count = exact(&mut inside, "arith.subi", trips, fill);
    let carried = kernel(planned, &mut inside, count, last, &copies);
    // Iterations are counted from `count`, the kernel's trip count: the first kernel iteration of the epilogue is
    // `count + last`.
    let mut copies = Copies::after_kernel(planned, &carried, |back| last - 1 - back);
    copies.kernel_iterations(&mut inside, last..last + drained(last), 0..last, Some(count));
    inside.op("scf.yield", &copies.results(last), &[], &[]);

    let mut other = Builder::at_end(blocks[1], for_.op);
    let clone = other.clone_op(for_.op);
    other.op("scf.yield", &clone.results(), &[], &[]);
    for op in clone.walk() {
        op.remove_attr(annotation::SCHEDULE);
        op.remove_attr(annotation::PIPELINE);
    }
    branch.results()
}

/// The number of kernel iterations in the prologue.
fn filled(last: i64) -> i64 {
    last - i64::from(seeded!(ShortPrologue))
}

/// The number of kernel iterations in the epilogue.
fn drained(last: i64) -> i64 {
    last - i64::from(seeded!(ShortEpilogue))
}

/// The kernel: one kernel iteration per iteration, `count` of them. `before` holds the prologue's instances.
fn kernel<'c>(
    planned: &Planned<'c>,
    builder: &mut Builder<'c>,
    count: Value<'c>,
    last: i64,
    before: &Copies<'_, 'c>,
) -> Handed<'c> {
    let before = |builder: &mut Builder<'c>, cross_stage: &CrossStageValue<'c>, back: i64| {
        let init = before.instance(cross_stage.value, last - cross_stage.stage - back);
        init.unwrap_or_else(|| poison(builder, cross_stage.value))
    };
    let copies = Copies::new(planned);
    loop_over_kernel_iterations(
        copies,
        builder,
        count,
        &cross_stage_values(planned),
        before,
        |copies, inside, kernel_iteration| {
            for (step, stage) in &planned.steps {
                let offset = last - stage;
                let base = Some(kernel_iteration);
                copies.emit(inside, *step, offset, Iteration { base, offset });
            }
        },
    )
}

impl<'p, 'c> Copies<'p, 'c> {
    /// Starts the epilogue: `iteration_of(back + stage)` is the iteration whose instance was made `back` kernel
    /// iterations before the kernel's last one by a unit of that stage.
    fn after_kernel(planned: &'p Planned<'c>, carried: &Handed<'c>, iteration_of: impl Fn(i64) -> i64) -> Self {
        let mut copies = Self::new(planned);
        for (cross_stage, instances) in cross_stage_values(planned).iter().zip(carried) {
            for (back, instance) in (0..).zip(instances) {
                copies.record(cross_stage.value, iteration_of(back + cross_stage.stage), *instance);
            }
        }
        copies
    }

    /// Emits kernel iterations without a loop. Of each it emits the instances whose iteration is among `iterations`,
    /// counted from `base`.
    fn kernel_iterations(
        &mut self,
        builder: &mut Builder<'c>,
        kernel_iterations: Range<i64>,
        iterations: Range<i64>,
        base: Option<Value<'c>>,
    ) {
        let planned = self.planned;
        for kernel_iteration in kernel_iterations {
            for (step, stage) in &planned.steps {
                let iteration = kernel_iteration - stage;
                if iterations.contains(&iteration) {
                    let offset = iteration + i64::from(seeded!(WrongIteration) && base.is_some());
                    self.emit(builder, *step, iteration, Iteration { base, offset });
                }
            }
        }
    }
}
