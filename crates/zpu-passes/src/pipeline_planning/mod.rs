//! `zpu-pipeline-planning`: decides for each innermost loop how its commands overlap, and writes the decision down.
//!
//! Assumes synchronous commands on a device. Each loop becomes a scheduling problem of `zpu-sched` (see [`model`]): one
//! operation a unit, engines as resources, dependences on regions, and channels (see [`crate::analysis::channel`]) as buffers
//! that may have versions. The plan that comes back is verified and becomes annotations; nothing else is changed:
//!
//! ```mlir
//! scf.for %i = %c0 to %c16 step %c1 {
//!   %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
//!   zpu.dma %x to %a on @odma0 : ...
//!   zpu.compute on @tensor { linalg.matmul ins(%a, ...) ... }
//! }
//! // becomes
//! scf.for %i = %c0 to %c16 step %c1 {
//!   %a = memref.alloc() {zpu.versions = 2 : i64} : memref<16x16xf32, #zpu.space<asram>>
//!   zpu.dma %x to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0, cycle = 0>} : ...
//!   zpu.compute on @tensor attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1, cycle = 12>} { ... }
//! } {zpu.pipeline = #zpu.pipeline<ii = 12, stages = 2>}
//! ```
//!
//! `zpu-multi-version-buffer` follows `zpu.versions`, `zpu-inject-software-pipeline` follows `zpu.schedule`. A loop in which every
//! unit has a stage already is the user's: it keeps its plan, and only versions that are missing are added. A loop that
//! cannot be planned, or gains nothing, stays as it is, with a remark. Loops around others keep their program order; their
//! buffers get versions where that lets two iterations overlap (see [`outer`]).

mod annotate;
mod cost;
mod memory;
mod model;
mod outer;

use zpu_device::Device;
use zpu_ir::options::PipelinePlanningOptions;
use zpu_ir::scf::For;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, Value, attr, error};
use zpu_sched::{MAX_STAGES, Scheduler, minimal_versions, solve};

use crate::analysis::body::{Body, Decline, Place, command_loops, unplanned_loops};
use model::Model;

const PASS: &str = "zpu-pipeline-planning";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &PipelinePlanningOptions) -> PassResult {
    let refuse = |message: String| {
        error(function, &message, &[]);
        Failed
    };
    let scheduler: Scheduler = options
        .scheduler
        .parse()
        .map_err(|unknown: zpu_sched::UnknownScheduler| refuse(unknown.to_string()))?;
    let stages = stage_limit(options.num_stages).map_err(|limit| refuse(format!("num-stages {limit}")))?;
    let declined = |decline: Decline<'_>| {
        Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
            .message(decline.message)
            .emit();
    };
    unplanned_loops(function).into_iter().for_each(declined);
    let loops = command_loops(function);
    if loops.is_empty() {
        return Ok(());
    }
    let device = zpu_ir::device::of(function)?;
    for for_ in loops {
        if let Err(decline) = plan_loop(for_, &device, scheduler, stages) {
            declined(decline);
        }
    }
    outer::plan(function, &device);
    Ok(())
}

/// The number as the schedulers take it, or what is wrong with it.
fn stage_limit(stages: i64) -> Result<u32, String> {
    match u32::try_from(stages) {
        Ok(0) | Err(_) if stages < 1 => Err(format!("is {stages}, must be at least 1")),
        Ok(stages) if stages <= MAX_STAGES => Ok(stages),
        _ => Err(format!("is {stages}, must be at most {MAX_STAGES}")),
    }
}

fn plan_loop<'c>(for_: For<'c>, device: &Device, scheduler: Scheduler, stages: u32) -> Result<(), Decline<'c>> {
    let body = Body::of(for_)?;
    match body
        .units
        .iter()
        .filter(|unit| unit.op.has_attr("zpu.schedule"))
        .count()
    {
        0 => {}
        all if all == body.units.len() => return keep_plan(&body, device),
        some => {
            let bare = body.units.iter().find(|unit| !unit.op.has_attr("zpu.schedule"));
            let message = format!(
                "{some} of {} operations have a stage; give zpu.schedule to all of them or to none",
                body.units.len()
            );
            return Err(Decline::new(
                "partial-annotations",
                bare.map_or(for_.op, |unit| unit.op),
                message,
            ));
        }
    }
    check_overlap(&body, device)?;
    let wanted = for_.op.attr("zpu.num_stages").and_then(attr::as_int);
    let stages = wanted.map_or(Ok(stages), |wanted| {
        stage_limit(wanted).map_err(|limit| Decline::new("num-stages", for_.op, format!("zpu.num_stages {limit}")))
    })?;
    let model = Model::of(&body, device, stages)?;
    let unsolved = |message: String| Decline::new("no-plan", for_.op, message);
    let solved = |scheduler| solve(&model.problem, scheduler, &model.options).map_err(|e| unsolved(e.to_string()));
    let (serial, mut outcome) = (solved(Scheduler::Serial)?, solved(scheduler)?);
    model
        .fix_versions(&mut outcome)
        .map_err(|violation| unsolved(violation.to_string()))?;
    model.report_capacity(for_);
    if gains(&outcome, &serial) {
        annotate::write(&body, &model, &outcome.plan);
        annotate::report(for_, &model, &outcome, scheduler);
    } else {
        annotate::report_no_gain(for_, &model, &outcome, scheduler);
    }
    Ok(())
}

/// Whether anything in the body could run beside something else.
fn check_overlap<'c>(body: &Body<'c>, device: &Device) -> Result<(), Decline<'c>> {
    let asynchronous = |place: &Place| match place {
        Place::Engine(name) => device.engine(name).is_some_and(|engine| !engine.blocking),
        Place::Control => false,
    };
    if body.units.iter().any(|unit| asynchronous(&unit.place)) {
        return Ok(());
    }
    let message = "no command of the loop is on an engine that works beside the control stream";
    Err(Decline::new("nothing-asynchronous", body.for_.op, message))
}

/// Whether the plan is faster than program order: over the whole run if its length is known, else in the steady state.
fn gains(outcome: &zpu_sched::Outcome, serial: &zpu_sched::Outcome) -> bool {
    match (outcome.cycles, serial.cycles) {
        (Some(cycles), Some(before)) => cycles < before,
        _ => {
            let crossed = |a: &zpu_sched::Rate, b: &zpu_sched::Rate| u128::from(a.cycles) * u128::from(b.iterations);
            crossed(&outcome.rate, &serial.rate) < crossed(&serial.rate, &outcome.rate)
        }
    }
}

/// A user's plan stays; buffers without a number of versions get the least that it needs.
fn keep_plan<'c>(body: &Body<'c>, device: &Device) -> Result<(), Decline<'c>> {
    let at = body.for_.op;
    let (stage, order) = own_plan(body)?;
    let model = Model::without_costs(body, device)?;
    let versions = needed_versions(&model, at, &stage, &order)?;
    annotate::write_versions(at, &model, &versions);
    Remark::new(at, RemarkKind::Analysis, PASS, "kept-plan")
        .message("every operation has a stage already")
        .metric("Stages", stage.iter().max().map_or(0, |last| last + 1))
        .emit();
    Ok(())
}

/// Stage of each unit, and its place in the order of issue, as the annotations say.
fn own_plan<'c>(body: &Body<'c>) -> Result<(Vec<u32>, Vec<u32>), Decline<'c>> {
    let (mut stage, mut keys) = (Vec::new(), Vec::new());
    for (i, unit) in body.units.iter().enumerate() {
        let schedule = unit.op.attr("zpu.schedule").and_then(attr::as_schedule);
        let Some(schedule) = schedule.filter(|schedule| schedule.stage < i64::from(MAX_STAGES)) else {
            let message = format!("the stage is too large, the limit is {}", MAX_STAGES - 1);
            return Err(Decline::new("too-many-stages", unit.op, message));
        };
        stage.push(u32::try_from(schedule.stage).unwrap_or(0));
        keys.push((schedule.order, i));
    }
    keys.sort_unstable();
    let mut order = vec![0; keys.len()];
    for (position, (_, unit)) in (0u32..).zip(keys) {
        order[unit] = position;
    }
    Ok((stage, order))
}

/// The least number of versions of each buffer of the problem.
fn needed_versions<'c>(model: &Model<'c>, at: Op<'c>, stage: &[u32], order: &[u32]) -> Result<Vec<u32>, Decline<'c>> {
    minimal_versions(&model.problem, stage, order)
        .map_err(|error| Decline::new("versions", at, format!("the loop's own plan: {error}")))
}

/// The least number of versions that the plan written on a loop's units needs, for each of the loop's channels.
pub(crate) fn versions_of_plan<'c>(body: &Body<'c>, device: &Device) -> Result<Vec<(Value<'c>, u32)>, Decline<'c>> {
    let (stage, order) = own_plan(body)?;
    let model = Model::without_costs(body, device)?;
    let versions = needed_versions(&model, body.for_.op, &stage, &order)?;
    let rings = model.rings.iter();
    Ok(rings
        .map(|ring| {
            let needed = ring.buffer.map_or(1, |id| versions[id.index()]);
            (ring.allocation.result(0), needed)
        })
        .collect())
}
