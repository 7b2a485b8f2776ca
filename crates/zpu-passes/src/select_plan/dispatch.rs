//! Two plans for a loop whose length is not known, or three: one for runs that are long enough for all of its stages,
//! others of fewer stages for the others.
//!
//! The loop is written twice, under a test of its trip count. The test is the one that a pipelined loop makes as well,
//! so it is made once in the end. Runs of a few lengths may also have the predicated form, and then the test is whether
//! the trip count is one of those.

use zpu_ir::arith::CmpIPredicate;
use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Value, annotation, attr, edit, ty};
use zpu_sched::Scheduler;

use super::candidates::{Engines, LongFrom, Spread};
use super::short_runs::{Lengths, Predicated};
use crate::iteration_number::trip_count;

/// The loops that may have two plans, in program order: those of unknown length around commands, on which nobody wrote
/// anything.
pub(super) fn loops(function: Op<'_>) -> Vec<For<'_>> {
    let all = function.walk().into_iter().filter_map(For::of);
    let is_open = |for_: &For<'_>| {
        for_.is_innermost()
            && for_.constant_trip_count().is_none()
            && !for_.op.has_attr(annotation::NUM_STAGES)
            && !for_.op.walk().iter().any(|op| op.has_attr(annotation::SCHEDULE))
    };
    all.filter(is_open).collect()
}

/// The last stage of each of these loops' plans, once the function is planned; 0 for a loop without one.
pub(super) fn last_stages(function: Op<'_>) -> Vec<i64> {
    let all = function.walk().into_iter().filter_map(For::of);
    let open = all.filter(|for_| for_.is_innermost() && for_.constant_trip_count().is_none());
    let stages = |for_: For<'_>| for_.op.attr(annotation::PIPELINE).and_then(attr::as_pipeline);
    open.filter(|for_| !for_.op.has_attr(annotation::NUM_STAGES))
        .map(|for_| stages(for_).map_or(0, |(_, stages)| stages - 1))
        .collect()
}

/// The plan of a number of stages: that number, and the last stage that it leads to, loop by loop.
pub(super) struct Plan<'a> {
    pub(super) stages: u32,
    pub(super) last: &'a [i64],
}

/// Writes each loop whose plan has a last stage above that of a plan of fewer stages twice, and so what it is for short
/// runs then; says whether there was any. `last` are the last stages of the first plan, loop by
/// loop; the others have fewer and fewer stages.
pub(super) fn rewrite(function: Op<'_>, last: &[i64], fewer: &[Plan<'_>]) -> bool {
    let loops = loops(function);
    if loops.len() != last.len() || fewer.iter().any(|plan| plan.last.len() != loops.len()) {
        return false;
    }
    let mut found = false;
    for (at, for_) in loops.into_iter().enumerate() {
        let (mut for_, mut last) = (for_, last[at]);
        for plan in fewer {
            let short = plan.last[at];
            if last > short && short > 0 {
                let stages = attr::int(for_.op.context(), plan.stages.into());
                let copies = write_twice(for_, Runs::Above(last), |copy, is_long| {
                    if !is_long {
                        copy.set_attr(annotation::NUM_STAGES, stages);
                    }
                });
                found = true;
                let Some(copy) = copies.last().copied().and_then(For::of) else {
                    break;
                };
                (for_, last) = (copy, short);
            }
        }
    }
    found
}

/// Writes each loop of unknown length twice: for runs of so many iterations on with the plan of `long`, and for shorter
/// ones as it is, so that it may be written twice again. Says whether there was one.
pub(super) fn rewrite_long(function: Op<'_>, long: Spread, from: LongFrom) -> bool {
    let loops = loops(function);
    let Spread {
        scheduler,
        stages,
        factor,
        engines,
    } = long;
    let from = from.unwrap_or(least_of_long(factor, stages));
    for for_ in &loops {
        write_twice(*for_, Runs::Above(i64::from(from) - 1), |copy, is_long| {
            let context = copy.context();
            let number = |number: u32| attr::int(context, number.into());
            if is_long {
                copy.set_attr(annotation::SCHEDULER, attr::string(context, scheduler.name()));
                copy.set_attr(annotation::NUM_STAGES, number(stages));
            }
            if let (Engines::Gathered(times), true) = (engines, is_long) {
                copy.set_attr(annotation::GATHER_TRANSFERS, number(times));
            }
            copy.set_attr(annotation::UNROLL, number(if is_long { factor } else { 1 }));
        });
    }
    !loops.is_empty()
}

/// The iterations from which on a run is long for most loops: so many groups of as many as are made one that what is
/// left over at the end is little of it, or as many as fill its stages if that is more, since a loop of no more
/// iterations than its last stage is not overlapped at all.
pub(super) fn least_of_long(factor: u32, stages: u32) -> u32 {
    factor.saturating_mul(MANY.max(stages + 1))
}

/// Writes a plan on the loops that [`rewrite_long`] left for short runs, where they say no stages yet.
pub(super) fn plan_short(function: Op<'_>, scheduler: Scheduler, stages: u32) {
    let is_short = |op: &Op<'_>| {
        let is_one = op.attr(annotation::UNROLL).and_then(attr::as_int) == Some(1);
        is_one && !op.has_attr(annotation::PREDICATED)
    };
    for op in function.find_all("scf.for").into_iter().filter(is_short) {
        op.set_attr(annotation::SCHEDULER, attr::string(op.context(), scheduler.name()));
        if !op.has_attr(annotation::NUM_STAGES) {
            op.set_attr(annotation::NUM_STAGES, attr::int(op.context(), stages.into()));
        }
    }
}

/// Writes a loop twice, both with one number of stages: for long runs, and in the predicated form, which overlaps runs
/// of any length but takes longer, for the others. How many iterations are a long run is known once the loop is
/// planned, and written then.
pub(super) fn rewrite_fixed(for_: For<'_>, scheduler: Scheduler, stages: u32) {
    write_twice(for_, Runs::Above(0), |copy, is_long| {
        let number = |number: u32| attr::int(copy.context(), number.into());
        copy.set_attr(annotation::SCHEDULER, attr::string(copy.context(), scheduler.name()));
        copy.set_attr(annotation::NUM_STAGES, number(stages));
        copy.set_attr(annotation::UNROLL, number(1));
        if !is_long {
            copy.set_attr(annotation::PREDICATED, attr::unit(copy.context()));
        }
    });
}

/// Groups of iterations of a long run.
const MANY: u32 = 4;

/// Writes each loop of unknown length in the predicated form, or twice: so for runs of some lengths, and as it is for
/// the others, so that it may be written twice again. Says whether there was one.
pub(super) fn rewrite_predicated(function: Op<'_>, predicated: Predicated) -> bool {
    let loops = loops(function);
    let write = |op: Op<'_>| {
        let context = op.context();
        let stages = attr::int(context, predicated.stages.into());
        op.set_attr(
            annotation::SCHEDULER,
            attr::string(context, predicated.scheduler.name()),
        );
        op.set_attr(annotation::NUM_STAGES, stages);
        op.set_attr(annotation::UNROLL, attr::int(context, 1));
        op.set_attr(annotation::PREDICATED, attr::unit(context));
    };
    for for_ in &loops {
        match predicated.lengths {
            Some(lengths) => {
                write_twice(*for_, Runs::Except(lengths), |copy, is_other| {
                    if !is_other {
                        write(copy);
                    }
                });
            }
            None => write(for_.op),
        }
    }
    !loops.is_empty()
}

/// The runs that the first copy of a loop is for. Engines are chosen by how busy they are in program order, so this is
/// the plan that the loop has if it is written once.
#[derive(Clone, Copy)]
enum Runs {
    /// Those of more iterations.
    Above(i64),
    /// Those of other numbers of iterations.
    Except(Lengths),
}

impl Runs {
    /// Emits the test of a trip count.
    fn test<'c>(self, builder: &mut Builder<'c>, trips: Value<'c>) -> Value<'c> {
        match self {
            Self::Above(last) => {
                let bound = builder.index(last);
                builder.compare(CmpIPredicate::Sgt, trips, bound)
            }
            Self::Except(lengths) => {
                // A negative number is large as an unsigned one, and the largest is no length.
                let largest = builder.index(Lengths::BITS - 1);
                let trips = builder.binary("arith.minui", trips, largest);
                let word = ty::integer(builder.context(), Lengths::BITS as u32);
                let place = builder.op("arith.index_cast", &[trips], &[word], &[]).result(0);
                let others = builder.constant(word, !lengths.word());
                let bit = builder.binary("arith.shrui", others, place);
                let flag = ty::integer(builder.context(), 1);
                builder.op("arith.trunci", &[bit], &[flag], &[]).result(0)
            }
        }
    }
}

/// `if the run is one of them { the loop } else { the loop }`, each as `plan` writes it; it is told which one is the
/// first. Returns both.
fn write_twice<'c>(for_: For<'c>, runs: Runs, plan: impl Fn(Op<'c>, bool)) -> Vec<Op<'c>> {
    let mut builder = Builder::before(for_.op);
    let trips = trip_count(&mut builder, for_);
    let is_first = runs.test(&mut builder, trips);
    let types: Vec<_> = for_.op.results().into_iter().map(Value::ty).collect();
    let branch = builder.op_with_regions("scf.if", &[is_first], &types, &[], &[&[], &[]]);
    if matches!(runs, Runs::Above(_)) {
        branch.set_attr(annotation::BY_TRIP_COUNT, attr::unit(branch.context()));
    }
    let blocks = branch.regions().into_iter().filter_map(|region| region.first_block());
    let copies = blocks.zip([true, false]).map(|(block, is_first)| {
        let mut inside = Builder::at_end(block, for_.op);
        let copy = inside.clone_op(for_.op);
        plan(copy, is_first);
        inside.op("scf.yield", &copy.results(), &[], &[]);
        copy
    });
    let copies = copies.collect();
    for (old, new) in for_.op.results().into_iter().zip(branch.results()) {
        edit::replace_all_uses(old, new);
    }
    edit::erase(for_.op);
    copies
}
