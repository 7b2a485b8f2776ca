//! Plans as annotations, and as numbers in a remark.

use zpu_ir::attr::{self, Schedule};
use zpu_ir::ops::set_engine;
use zpu_ir::scf::For;
use zpu_ir::{Op, Remark, RemarkKind, annotation};
use zpu_sched::{Bounds, Outcome, Plan, Scheduler};

use super::PASS;
use crate::loop_problem::{Model, Pace};
use zpu_analysis::body::{Body, command_of, sync_engine};

/// Writes the plan on the units, the loop and the allocations.
pub(super) fn write<'c>(body: &Body<'c>, model: &Model<'c>, plan: &Plan) {
    let context = body.for_.op.context();
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    for (i, unit) in body.units.iter().enumerate() {
        let schedule = Schedule {
            stage: plan.stage[i].into(),
            order: plan.order[i].into(),
            cycle: number(plan.cycle[i]),
        };
        unit.op
            .set_attr(annotation::SCHEDULE, attr::schedule(context, schedule));
        if let Some((command, engine)) = model.moved(unit, i, plan) {
            set_engine(command, engine);
        }
    }
    let pipeline = attr::pipeline(context, number(plan.ii), plan.stages().into());
    body.for_.op.set_attr(annotation::PIPELINE, pipeline);
    write_versions(body.for_.op, model, &plan.versions);
}

/// Writes the number of versions on the allocation of every privatizable buffer that has no number of its own. One
/// version of a buffer that is allocated outside the loop is not written: it has that already, and another loop may
/// want more.
pub(super) fn write_versions(for_: Op<'_>, model: &Model<'_>, versions: &[u32]) {
    for ring in &model.rings {
        let versions = ring.buffer.map_or(1, |id| versions[id.index()]);
        let in_body = ring.allocation.result(0).is_defined_inside(for_);
        if !ring.allocation.has_attr(annotation::VERSIONS) && (in_body || versions > 1) {
            let attribute = attr::int(ring.allocation.context(), versions.into());
            ring.allocation.set_attr(annotation::VERSIONS, attribute);
        }
    }
}

/// Reports the plan, and its regret if there is one.
pub(super) fn report(
    for_: For<'_>,
    model: &Model<'_>,
    outcome: &Outcome,
    scheduler: Scheduler,
    regret: impl FnOnce() -> Option<[String; 2]>,
) {
    let remark = Remark::new(for_.op, RemarkKind::Analysis, PASS, "planned").message("planned");
    remark.emit_with(|remark| {
        let remark = with_numbers(remark, model, outcome, scheduler);
        match regret() {
            Some([half, twice]) => remark
                .metric("RegretHalfLatency", half)
                .metric("RegretTwiceLatency", twice),
            None => remark,
        }
    });
}

/// Reports that program order is as fast as the plan.
pub(super) fn report_no_gain(for_: For<'_>, model: &Model<'_>, outcome: &Outcome, scheduler: Scheduler) {
    let remark = Remark::new(for_.op, RemarkKind::Missed, PASS, "no-gain")
        .message("the plan is no faster than program order; the loop has no annotations");
    with_numbers(remark, model, outcome, scheduler).emit();
}

/// Keeps the loop's commands in their synchronous form.
pub(super) fn keep_synchronous(body: &Body<'_>) {
    let commands = body.units.iter().filter_map(|unit| command_of(unit.op));
    commands.for_each(|command| mark_synchronous(command.op));
}

/// Keeps all commands of a function in their synchronous form.
pub(super) fn keep_all_synchronous(function: Op<'_>) {
    let commands = function.walk().into_iter().filter(|op| sync_engine(*op).is_some());
    commands.for_each(mark_synchronous);
    Remark::new(function, RemarkKind::Missed, PASS, "synchronous")
        .message("the function keeps its commands as they are written, since zpu.synchronous says so")
        .emit();
}

fn mark_synchronous(command: Op<'_>) {
    command.set_attr(annotation::SYNCHRONOUS, attr::unit(command.context()));
}

/// Reports that waits cost more than overlap gains.
pub(super) fn report_not_faster(
    for_: For<'_>,
    model: &Model<'_>,
    outcome: &Outcome,
    (scheduler, sequential): (Scheduler, Pace),
) {
    let remark = Remark::new(for_.op, RemarkKind::Missed, PASS, "not-faster")
        .message("the waits of asynchronous commands would cost more than overlap gains; the commands stay synchronous")
        .metric("Sequential", sequential.cycles.unwrap_or(sequential.rate.cycles));
    with_numbers(remark, model, outcome, scheduler).emit();
}

/// The resource with the most work, by name.
fn limiting_resource(model: &Model<'_>, bounds: &Bounds) -> String {
    let each = model.problem.resources.iter().zip(&bounds.resource);
    match each.max_by_key(|(_, cycles)| **cycles) {
        Some((resource, cycles)) if *cycles >= bounds.shared => resource.name.trim_start_matches('@').to_owned(),
        _ => "engines that serve the same transfers".to_owned(),
    }
}

/// The operations of the recurrence that asks for the most cycles; none if there is no recurrence.
fn limiting_recurrence(model: &Model<'_>, bounds: &Bounds) -> String {
    let operations = &model.problem.operations;
    let names = bounds.recurrence_ops.iter().map(|id| &operations[id.index()].name);
    let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        _ => names.join(", "),
    }
}

/// The name of the bound: a resource, or the operations of a recurrence.
fn limit(model: &Model<'_>, bounds: &Bounds) -> String {
    if bounds.recurrence > bounds.resource_bound() {
        return format!("recurrence of {}", limiting_recurrence(model, bounds));
    }
    limiting_resource(model, bounds)
}

/// Adds the cycles per iteration, the bounds, and the bytes of buffers to a remark.
fn with_numbers<'c>(mut remark: Remark<'c>, model: &Model<'_>, outcome: &Outcome, scheduler: Scheduler) -> Remark<'c> {
    let interval = outcome.rate.interval().max(1);
    // The recurrence through a ring between two commands of one engine counts the issue as well, which can be hidden.
    let bound = outcome.bound.min(interval);
    let percent = bound.saturating_mul(100) / interval;
    let proven = if outcome.proven { "yes" } else { "no" };
    remark = remark
        .metric("Scheduler", scheduler.name())
        .metric("II", interval)
        .metric("MII", bound)
        .metric("BoundPercent", percent)
        .metric("Proven", proven)
        .metric("LimitedBy", limit(model, &outcome.bounds))
        .metric("ResourceBound", outcome.bounds.resource_bound())
        .metric("ResourceOf", limiting_resource(model, &outcome.bounds))
        .metric("Recurrence", outcome.bounds.recurrence)
        .metric("RecurrenceOf", limiting_recurrence(model, &outcome.bounds))
        .metric("Stages", outcome.plan.stages());
    for (resource, cycles) in model.problem.resources.iter().zip(&outcome.bounds.resource) {
        let name = resource.name.trim_start_matches('@');
        remark = remark.metric(&format!("Resource {name}"), cycles);
    }
    remark = remark.metric("CriticalPath", outcome.bounds.critical_path);
    if let Some(cycles) = outcome.cycles {
        remark = remark.metric("Cycles", cycles);
    }
    for (i, ring) in model.rings.iter().enumerate() {
        let versions = ring.buffer.map_or(1, |id| outcome.plan.versions[id.index()]);
        let text = match ring.footprint {
            Some((space, bytes)) => format!("{versions} x {bytes} bytes of {space}"),
            None => format!("{versions} versions"),
        };
        remark = remark.metric(&format!("Buffer {i}"), text);
    }
    match &outcome.note {
        Some(note) => remark.metric("Note", note),
        None => remark,
    }
}
