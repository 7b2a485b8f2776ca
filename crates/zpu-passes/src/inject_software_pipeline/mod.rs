//! `zpu-inject-software-pipeline`: rewrites planned loops as prologue, kernel and epilogue.
//!
//! Assumes that every unit of the loop body (command, or access by the control stream) carries `zpu.schedule`, and that buffers
//! whose iterations overlap are rings. The instance of a unit with stage `s` for iteration `k` is issued in turn `k + s`, at the
//! place that `order` gives it:
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
//! The result is a sequential program with the same meaning: before anything is changed, every dependence of the body is
//! checked against the plan (see [`legality`]), and a loop whose plan would break one is declined with a remark that names
//! it. A constant trip count below the number of stages is unrolled as far as it goes; a dynamic one selects between the
//! pipelined loop and the original one. Commands stay synchronous; `zpu-inject-dma-barrier` makes them overlap.

mod emit;
mod legality;

use zpu_ir::options::InjectSoftwarePipelineOptions;
use zpu_ir::scf::For;
use zpu_ir::{Op, PassResult, Remark, RemarkKind, attr, note, warning};

use crate::analysis::body::{Body, Decline, command_loops};

const PASS: &str = "zpu-inject-software-pipeline";

/// A loop body with its plan.
pub(crate) struct Planned<'c> {
    /// The body.
    body: Body<'c>,
    /// Stage of each unit.
    stages: Vec<i64>,
    /// Units in the order in which a turn issues them.
    order: Vec<usize>,
}

impl Planned<'_> {
    /// The last stage.
    fn last_stage(&self) -> i64 {
        self.stages.iter().copied().max().unwrap_or(0)
    }

    /// Position of each unit in a turn.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.order.len()];
        for (position, unit) in self.order.iter().enumerate() {
            positions[*unit] = position;
        }
        positions
    }
}

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, _options: &InjectSoftwarePipelineOptions) -> PassResult {
    for for_ in command_loops(function) {
        if !is_annotated(for_) {
            continue;
        }
        match plan_of(for_).and_then(|planned| legality::check(&planned).map(|()| planned)) {
            Ok(planned) => {
                Remark::new(for_.op, RemarkKind::Passed, PASS, "pipelined")
                    .message(format!("{} stages", planned.last_stage() + 1))
                    .metric("Stages", planned.last_stage() + 1)
                    .metric("Units", planned.order.len())
                    .emit();
                emit::rewrite(&planned);
            }
            Err(decline) => report(for_, &decline),
        }
    }
    Ok(())
}

/// Whether anybody wrote a plan for this loop.
fn is_annotated(for_: For<'_>) -> bool {
    for_.ops().into_iter().any(|op| op.has_attr("zpu.schedule"))
}

/// A user who wrote a plan by hand has to hear that it was not obeyed, remarks switched on or not.
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

/// Reads the plan off the units.
fn plan_of(for_: For<'_>) -> Result<Planned<'_>, Decline<'_>> {
    let body = Body::of(for_)?;
    if let Some(allocation) = body.allocations.first() {
        let message = "a buffer is allocated in the body; run zpu-multi-version-buffer first";
        return Err(Decline::new("allocation-in-body", *allocation, message));
    }
    let mut stages = Vec::new();
    let mut keys = Vec::new();
    for (i, unit) in body.units.iter().enumerate() {
        let Some(schedule) = unit.op.attr("zpu.schedule").and_then(attr::as_schedule) else {
            return Err(Decline::new(
                "partial-annotations",
                unit.op,
                "not every operation of the body has a stage",
            ));
        };
        stages.push(schedule.stage);
        keys.push((schedule.order, i));
    }
    const MOST_STAGES: i64 = 256;
    if let Some(i) = stages.iter().position(|stage| *stage >= MOST_STAGES) {
        let message = format!("stage {} is more than {}", stages[i], MOST_STAGES - 1);
        return Err(Decline::new("too-many-stages", body.units[i].op, message));
    }
    keys.sort_unstable();
    Ok(Planned {
        stages,
        order: keys.into_iter().map(|(_, unit)| unit).collect(),
        body,
    })
}
