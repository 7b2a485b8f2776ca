//! `zpu-pipeline-planning`: decides for each innermost loop how its commands overlap, and writes the decision on the
//! loop.
//!
//! Assumes synchronous commands on a device. Each loop becomes a scheduling problem of `zpu-sched` (see
//! `loop_problem::model`): one operation for each unit, engines as resources, dependences on regions, and privatizable
//! buffers (see [`zpu_analysis::privatizable`]) as buffers that may have versions. The plan that comes back is verified
//! and becomes annotations; nothing else is changed:
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
//! `zpu-multi-version-buffer` follows `zpu.versions`, `zpu-inject-software-pipeline` follows `zpu.schedule`. A loop in
//! which every unit has a stage already is the user's: it keeps its plan, and only missing numbers of versions are
//! added. A loop that cannot be planned, or gains nothing, or is not to be planned (0 stages), stays as it is, with a
//! remark. Loops around others keep their program order; their buffers get versions where that lets two iterations
//! overlap (see [`outer`]).

mod annotate;
mod by_trip_count;
mod depth;
pub(crate) mod outer;
mod outer_engines;
mod pareto;
mod prefetch;
mod regret;
mod ring_bytes;
mod settings;

use zpu_device::Device;
use zpu_ir::options::PipelinePlanningOptions;
use zpu_ir::scf::For;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, attr, error, note, warning};
use zpu_sched::{Instance, Outcome, Rate, Scheduler, write_instance};

use crate::annotations;
use crate::dump;
use crate::loop_problem::{Model, Pace, Pressed, checked, wanted_stages};
use crate::num_stages::NumStages;
use crate::solved::SOLVED;
use depth::Wish;
use settings::Settings;
use zpu_analysis::body::{Body, Decline, Place, command_loops, command_of, unplanned_loops};

const PASS: &str = "zpu-pipeline-planning";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &PipelinePlanningOptions) -> PassResult {
    plan_all(function, options)?;
    by_trip_count::raise(function);
    Ok(())
}

fn plan_all(function: Op<'_>, options: &PipelinePlanningOptions) -> PassResult {
    let refuse = |message: String| {
        error(function, &message, &[]);
        Failed
    };
    let settings = Settings::of(options)
        .and_then(|settings| settings.of_function(function))
        .map_err(refuse)?;
    annotations::check(function)?;
    let device = ring_bytes::enlarged(zpu_ir::device::of(function)?, function).map_err(refuse)?;
    for name in [annotation::SCHEDULER, annotation::NUM_STAGES] {
        function.remove_attr(name);
    }
    if function.has_attr(annotation::SYNCHRONOUS) {
        function.remove_attr(annotation::SYNCHRONOUS);
        annotate::keep_all_synchronous(function);
        return Ok(());
    }
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
    annotations::gather_versions(function);
    let called = function.attr("sym_name").and_then(attr::as_str).unwrap_or_default();
    for (index, for_) in loops.into_iter().enumerate() {
        match plan_loop(
            for_,
            &device,
            &settings,
            format!("{}-loop{index}", dump::file_name(called)),
        ) {
            Ok(()) => {}
            Err(Stop::Declined(decline)) => {
                warn_of_input(for_, &decline);
                declined(decline);
            }
            Err(Stop::Failed(message)) => return Err(refuse(message)),
        }
    }
    outer::plan(function, &device, &settings);
    for for_ in function.find_all("scf.for") {
        for_.remove_attr(annotation::SCHEDULER);
    }
    Ok(())
}

/// Warns of a user's annotations that cannot be followed, even if remarks are switched off.
/// `zpu-inject-software-pipeline` warns of plans that are not obeyed.
fn warn_of_input<'c>(for_: For<'c>, decline: &Decline<'c>) {
    let has_plan = for_.ops().into_iter().any(|op| op.has_attr(annotation::SCHEDULE));
    if !has_plan
        && matches!(
            decline.reason,
            "unknown-cost" | "unknown-engine" | "too-many-cycles" | "no-room" | "no-plan"
        )
    {
        warning(
            for_.op,
            &format!("loop is not planned: {}", decline.message),
            &[note(decline.at, format!("because of this ({})", decline.reason))],
        );
    }
}

/// The reason why a loop is not planned.
enum Stop<'c> {
    /// The loop is left as it is.
    Declined(Decline<'c>),
    /// An option cannot be followed; the pass fails.
    Failed(String),
}

impl<'c> From<Decline<'c>> for Stop<'c> {
    fn from(decline: Decline<'c>) -> Self {
        Self::Declined(decline)
    }
}

fn plan_loop<'c>(for_: For<'c>, device: &Device, settings: &Settings, name: String) -> Result<(), Stop<'c>> {
    let body = Body::of(for_)?;
    let wanted = wanted_stages(for_)?;
    match body
        .units
        .iter()
        .filter(|unit| unit.op.has_attr(annotation::SCHEDULE))
        .count()
    {
        0 => {}
        all if all == body.units.len() => return Ok(keep(&body, device, wanted)?),
        some => {
            let bare = body.units.iter().find(|unit| !unit.op.has_attr(annotation::SCHEDULE));
            let message = format!(
                "{some} of {} operations have a stage; give zpu.schedule to all of them or to none",
                body.units.len()
            );
            let at = bare.map_or(for_.op, |unit| unit.op);
            return Err(Decline::new("partial-annotations", at, message).into());
        }
    }
    let stages = wanted.map_or(settings.stages, NumStages::AtMost);
    if stages == NumStages::AtMost(0) {
        let by = wanted.map_or("num-stages=0", |_| "zpu.num_stages = 0");
        let message = format!("{by} switches pipelining off; commands keep their order");
        return Err(Decline::new("switched-off", for_.op, message).into());
    }
    check_overlap(&body, device)?;
    let scheduler = settings::scheduler_of(for_.op)
        .map_err(Stop::Failed)?
        .unwrap_or(settings.scheduler);
    let limits = &settings.limits;
    let (chosen, pressed) = match stages {
        NumStages::AtMost(stages) => {
            let chosen = depth::within(&body, device, limits, scheduler, stages)?;
            (chosen, Vec::new())
        }
        NumStages::Auto => {
            let chosen = depth::choose(&body, device, limits, scheduler)?;
            (chosen.stages, chosen.pressed)
        }
    };
    let mut model = Model::of(&body, device, limits, chosen)?;
    for unit in &body.units {
        zpu_analysis::cost::report_guess(command_of(unit.op).map_or(unit.op, |command| command.op), PASS);
    }
    model.problem.name = name;
    if let Some(folder) = &settings.dump {
        // The file holds all that the planner knows, so that `zpu-sched` finds the same plan.
        let instance = Instance::of_program(model.problem.clone(), model.options.clone());
        dump::write(folder, &model.problem.name, &write_instance(&instance)).map_err(Stop::Failed)?;
    }
    let unsolved = |message: String| Decline::new("no-plan", for_.op, message);
    let solved = |scheduler| {
        SOLVED
            .solve(&model.problem, scheduler, &model.options)
            .map_err(|e| unsolved(e.to_string()))
    };
    let (serial, mut outcome) = (solved(Scheduler::Serial)?, solved(scheduler)?);
    model
        .fix_versions(&mut outcome)
        .map_err(|violation| unsolved(violation.to_string()))?;
    report_unbounded(&model);
    let pressed = if pressed.is_empty() { &model.pressed } else { &pressed };
    report_capacity(pressed, for_, &outcome, || {
        depth::beyond_memory(&body, device, limits, (scheduler, chosen), &outcome)
    });
    let sequential = model.sequential();
    if is_faster(&outcome, &serial) && is_faster(&outcome, sequential) {
        let regret = || regret::regret(&body, device, limits, (scheduler, stages, chosen), &outcome);
        annotate::report(for_, &model, &outcome, scheduler, regret);
        pareto::report(for_, &model, &outcome, scheduler);
        annotate::write(&body, &model, &outcome.plan);
    } else if is_faster(sequential, &serial) {
        annotate::keep_synchronous(&body);
        annotate::report_not_faster(for_, &model, &outcome, (scheduler, sequential));
    } else {
        annotate::report_no_gain(for_, &model, &outcome, scheduler);
    }
    Ok(())
}

/// Keeps the plan of a loop in which every unit has a stage. Buffers without a number of versions get the least that
/// the plan needs. With a `wanted` number of stages, both must be within it.
fn keep<'c>(body: &Body<'c>, device: &Device, wanted: Option<u32>) -> Result<(), Decline<'c>> {
    let at = body.for_.op;
    let (model, stage, versions) = checked(body, device, wanted)?;
    annotate::write_versions(at, &model, &versions);
    Remark::new(at, RemarkKind::Analysis, PASS, "kept-plan")
        .message("every operation has a stage already")
        .metric("Stages", stage.iter().max().map_or(0, |last| last + 1))
        .emit();
    Ok(())
}

/// Reports buffers without a bound of their size.
fn report_unbounded(model: &Model<'_>) {
    for allocation in &model.unbounded {
        Remark::new(*allocation, RemarkKind::Missed, PASS, "unbounded-size")
            .message("nothing bounds the size of the buffer, so it gets one version; bound it, or give it zpu.versions")
            .emit();
    }
}

/// Reports memories that are too small for the most versions of buffers, and the trade: what more bytes would give.
fn report_capacity(pressed: &[Pressed], for_: For<'_>, outcome: &Outcome, wish: impl Fn() -> Option<Wish>) {
    for Pressed { space, wanted, free } in pressed {
        let interval = outcome.rate.interval();
        let remark = Remark::new(for_.op, RemarkKind::Missed, PASS, "capacity")
            .metric("Space", space)
            .metric("Wanted", wanted)
            .metric("Free", free)
            .metric("II", interval);
        remark.emit_with(|remark| {
            let wish = wish();
            let own = wish
                .as_ref()
                .and_then(|wish| wish.spaces.iter().find(|need| need.space == *space));
            let remark = match (own, &wish) {
                (Some(need), Some(wish)) => remark.message(format!(
                    "{space}: {} versions need {} bytes, {free} are there; {} versions: II {} -> {interval}",
                    need.versions, need.bytes, need.versions_now, wish.interval
                )),
                _ => remark.message(format!(
                    "all versions that are allowed need {wanted} bytes of {space}, {free} are free; some buffers get \
                     fewer"
                )),
            };
            wish.iter().fold(remark, |remark, wish| {
                let remark = remark.metric("NextII", wish.interval);
                let needs = wish.spaces.iter();
                needs.fold(remark, |remark, need| {
                    remark.metric(&format!("NextII needs {}", need.space), need.bytes)
                })
            })
        });
    }
}

/// Checks that some command of the body could run while another unit does.
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

/// True if the first pace is faster: over the whole run if its length is known, else in the steady state.
fn is_faster(way: impl Into<Pace>, other: impl Into<Pace>) -> bool {
    let (way, other) = (way.into(), other.into());
    match (way.cycles, other.cycles) {
        (Some(cycles), Some(others)) => cycles < others,
        _ => {
            let crossed = |a: Rate, b: Rate| u128::from(a.cycles) * u128::from(b.iterations);
            crossed(way.rate, other.rate) < crossed(other.rate, way.rate)
        }
    }
}
