//! `zpu-inject-software-pipeline`: rewrites planned loops as prologue, kernel and epilogue.
//!
//! Assumes that every unit of the loop body (command, or access by the control stream) carries `zpu.schedule`, and that
//! buffers whose iterations overlap are rings. The instance of a unit with stage `s` for iteration `k` is issued in
//! kernel iteration `k + s`, at the place that `order` gives it:
//!
//! ```mlir
//! scf.for %k = %c0 to %c8 step %c1 {          // load: stage 0, order 0; mma: stage 1, order 1
//!   load(%k)
//!   mma(%k)
//! }
//! // becomes
//! load(0)
//! scf.for %k = %c0 to %c7 step %c1 {
//!   load(%k + 1)
//!   mma(%k)
//! }
//! mma(7)
//! ```
//!
//! The result is a sequential program with the same meaning: before anything is changed, every dependence of the body
//! is checked against the plan (see [`legality`]), and a loop whose plan would break one is declined with a remark that
//! names it. There are two forms, [`peeled`] as above and [`predicated`], and [`kernel`] finds the steps of a kernel
//! iteration for both. Commands stay synchronous; `zpu-inject-dma-barrier` makes them overlap.

mod induction;
mod kernel;
mod legality;
mod loop_carried;
mod outer_overlap;
mod peeled;
mod predicated;

use std::collections::{HashMap, HashSet};

use zpu_ir::options::InjectSoftwarePipelineOptions;
use zpu_ir::scf::For;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, attr, device, error, note, warning};
use zpu_sched::MAX_STAGES;

use crate::annotations;
use crate::buffer_notes;
use crate::iteration_number::combine_constants;
use crate::loop_problem::refused_plan;
use crate::lowering::{self, Form};
use crate::nest_levels::MOST_AROUND;
use kernel::Step;
use zpu_analysis::body::{Body, Decline, command_loops};
use zpu_analysis::privatizable::Touched;

const PASS: &str = "zpu-inject-software-pipeline";

/// An exclusive bound of stages, as in a plan.
const MOST_STAGES: i64 = MAX_STAGES as i64;

/// True if a loop gets the predicated form.
fn is_predicated(form: Form, planned: &Planned<'_>) -> bool {
    // Prologue, kernel and epilogue together hold each unit once per stage and once more; the original loop holds it
    // once.
    const MOST_COPIES: i64 = 64;
    match form {
        Form::Peeled => false,
        Form::Predicated => true,
        Form::Auto => {
            let units = i64::try_from(planned.order.len()).unwrap_or(i64::MAX);
            let copies = units.saturating_mul(planned.last_stage() + 2);
            planned.body.for_.constant_trip_count().is_none() && copies > MOST_COPIES
        }
    }
}

/// A loop body with its plan.
pub(crate) struct Planned<'c> {
    /// The body.
    body: Body<'c>,
    /// Stage of each unit.
    stages: Vec<i64>,
    /// Units in the order in which a kernel iteration issues them.
    order: Vec<usize>,
    /// The steps of a kernel iteration, in order, each with its stage.
    steps: Vec<(Step, i64)>,
    /// The operations of the units.
    unit_ops: HashSet<Op<'c>>,
}

impl<'c> Planned<'c> {
    /// Takes a body with the stage of each unit, and the units in the order in which a kernel iteration issues them.
    fn new(body: Body<'c>, stages: Vec<i64>, order: Vec<usize>) -> Self {
        Self {
            steps: kernel::steps(&body, &stages, &order),
            unit_ops: body.units.iter().map(|unit| unit.op).collect(),
            stages,
            order,
            body,
        }
    }

    /// The last stage.
    fn last_stage(&self) -> i64 {
        self.stages.iter().copied().max().unwrap_or(0)
    }

    /// True if the operation is a unit.
    fn is_unit(&self, op: Op<'c>) -> bool {
        self.unit_ops.contains(&op)
    }

    /// Position of each unit in a kernel iteration.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.order.len()];
        for (position, unit) in self.order.iter().enumerate() {
            positions[*unit] = position;
        }
        positions
    }
}

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &InjectSoftwarePipelineOptions) -> PassResult {
    let form = lowering::form(&options.form).map_err(|message| {
        error(function, &message, &[]);
        Failed
    })?;
    let mut around: Vec<For<'_>> = Vec::new();
    for for_ in command_loops(function).into_iter().filter(|for_| is_annotated(*for_)) {
        let Some(planned) = obeyed(for_, Body::of(for_).and_then(plan_of)) else {
            continue;
        };
        let has_prologue = planned.last_stage() > 0;
        around.extend(rewrite(&planned, form).filter(|_| options.join_runs && has_prologue));
    }
    let mut loops = function.walk().into_iter().filter_map(For::of);
    around.extend(
        loops
            .by_ref()
            .filter(|for_| !for_.is_innermost() && is_annotated(*for_)),
    );
    nests(around, form, options.join_runs);
    combine_constants(function);
    function
        .walk()
        .into_iter()
        .for_each(|op| op.remove_attr(annotation::PREDICATED));
    Ok(())
}

/// Rewrites loops around others from the inside out: those with a plan, and those around loops that were rewritten.
fn nests(mut open: Vec<For<'_>>, form: Form, join_runs: bool) {
    // By loop, the loops around each other in it that were rewritten here.
    let mut inside: HashMap<Op<'_>, usize> = HashMap::new();
    while let Some(deepest) = (0..open.len()).max_by_key(|i| open[*i].op.parents().count()) {
        let for_ = open.swap_remove(deepest);
        open.retain(|other| *other != for_);
        let planned = if is_annotated(for_) {
            obeyed(for_, Body::of_nest(for_).and_then(plan_of))
        } else {
            None
        };
        // Taken out, since the loop goes, and another one may get its place in memory.
        let levels = inside.remove(&for_.op).unwrap_or(0);
        let joined = if join_runs && levels < MOST_AROUND {
            outer_overlap::join(for_, planned.as_ref())
        } else {
            None
        };
        let Some(parent) = joined.or(planned).and_then(|planned| rewrite(&planned, form)) else {
            continue;
        };
        let known = inside.entry(parent.op).or_default();
        *known = (levels + 1).max(*known);
        if join_runs || is_annotated(parent) {
            open.push(parent);
        }
    }
}

/// The plan if it breaks no dependence; otherwise reports the dependence.
fn obeyed<'c>(for_: For<'c>, planned: Result<Planned<'c>, Decline<'c>>) -> Option<Planned<'c>> {
    let planned = planned.and_then(|planned| {
        legality::check(&planned)?;
        check_allocations(&planned.body)?;
        Ok(planned)
    });
    planned.inspect_err(|decline| report(for_, decline)).ok()
}

/// Rewrites a loop by a plan that was checked. Its replacement gets the loop's stage in the plan of the loop around it,
/// which is returned.
fn rewrite<'c>(planned: &Planned<'c>, form: Form) -> Option<For<'c>> {
    let op = planned.body.for_.op;
    let is_predicated = op.has_attr(annotation::PREDICATED) || is_predicated(form, planned);
    Remark::new(op, RemarkKind::Passed, PASS, "pipelined")
        .message(format!("{} stages", planned.last_stage() + 1))
        .metric("Stages", planned.last_stage() + 1)
        .metric("Units", planned.order.len())
        .metric("Form", if is_predicated { "predicated" } else { "peeled" })
        .emit();
    buffer_notes::drop_used_in(&[op]);
    let (block, schedule) = (op.block(), op.attr(annotation::SCHEDULE));
    let others: HashSet<Op<'c>> = block.into_iter().flat_map(|block| block.ops()).collect();
    let parent = op.parent().and_then(For::of);
    if is_predicated {
        predicated::rewrite(planned);
    } else {
        peeled::rewrite(planned);
    }
    if let Some(schedule) = schedule {
        let made = block
            .into_iter()
            .flat_map(|block| block.ops())
            .filter(|op| !others.contains(op));
        made.filter(|op| !op.is_memory_effect_free())
            .for_each(|op| op.set_attr(annotation::SCHEDULE, schedule));
    }
    parent
}

/// True if the loop has a plan.
fn is_annotated(for_: For<'_>) -> bool {
    for_.ops().into_iter().any(|op| op.has_attr(annotation::SCHEDULE))
}

/// Warns that a plan is not obeyed. It may be a user's, who has to hear of it even if remarks are switched off.
fn report<'c>(for_: For<'c>, decline: &Decline<'c>) {
    warning(
        for_.op,
        &format!("loop is not pipelined: {}", decline.message),
        &[note(decline.at, format!("because of this ({})", decline.reason))],
    );
    Remark::new(for_.op, RemarkKind::Missed, PASS, decline.reason)
        .message(decline.message.clone())
        .emit();
}

/// Checks that all buffers are allocated before the loop. This is the last check: a plan that `zpu-pipeline-planning`
/// refuses leaves its buffers without versions, and then the refusal is the reason to report.
fn check_allocations<'c>(body: &Body<'c>) -> Result<(), Decline<'c>> {
    let Some(allocation) = body.allocations.first() else {
        return Ok(());
    };
    if let Ok(device) = device::read(body.for_.op) {
        refused_plan(body, &device)?;
    }
    if let Some(message) = annotations::versions(*allocation) {
        return Err(Decline::new("too-many-versions", *allocation, message));
    }
    let message = match Touched::of(body.for_).life(allocation.result(0)) {
        Ok(_) => "a buffer is allocated in the body; run zpu-multi-version-buffer first".to_owned(),
        Err(decline) => format!(
            "a buffer is allocated in the body and cannot have versions: {}",
            decline.message
        ),
    };
    Err(Decline::new("allocation-in-body", *allocation, message))
}

/// Reads the plan off the units.
fn plan_of(body: Body<'_>) -> Result<Planned<'_>, Decline<'_>> {
    let mut stages = Vec::new();
    let mut keys = Vec::new();
    for (i, unit) in body.units.iter().enumerate() {
        let Some(schedule) = unit.op.attr(annotation::SCHEDULE).and_then(attr::as_schedule) else {
            return Err(Decline::new(
                "partial-annotations",
                unit.op,
                "not every operation of the body has a stage",
            ));
        };
        stages.push(schedule.stage);
        keys.push((schedule.order, i));
    }
    if let Some(i) = stages.iter().position(|stage| *stage >= MOST_STAGES) {
        let message = format!("stage {} is more than {}", stages[i], MOST_STAGES - 1);
        return Err(Decline::new("too-many-stages", body.units[i].op, message));
    }
    keys.sort_unstable();
    let order: Vec<usize> = keys.into_iter().map(|(_, unit)| unit).collect();
    Ok(Planned::new(body, stages, order))
}
