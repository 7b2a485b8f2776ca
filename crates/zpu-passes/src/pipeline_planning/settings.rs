//! The pass's options, read and checked.

use std::path::PathBuf;

use zpu_ir::options::PipelinePlanningOptions;
use zpu_ir::{Op, annotation, attr};
use zpu_sched::{MAX_ITERATIONS, Scheduler, UnknownScheduler};

use crate::loop_problem::Limits;
use crate::num_stages::{NumStages, stage_limit};
use crate::time_limit::seconds;

/// The settings of the pass.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The scheduler that plans.
    pub(super) scheduler: Scheduler,
    /// The largest stage, and the most versions of a buffer unless `max_versions` is set; 0 is no pipelining.
    pub(super) stages: NumStages,
    /// Further limits of plans.
    pub(super) limits: Limits,
    /// The folder that each loop's problem is written to.
    pub(super) dump: Option<PathBuf>,
}

impl Settings {
    /// Reads the options, or returns the message about a wrong one.
    pub(super) fn of(options: &PipelinePlanningOptions) -> Result<Self, String> {
        let unknown = |unknown: zpu_sched::UnknownScheduler| unknown.to_string();
        Ok(Self {
            scheduler: options.scheduler.parse().map_err(unknown)?,
            stages: NumStages::of_option(&options.num_stages)?,
            limits: Limits {
                max_versions: optional(options.max_versions).map_err(|limit| format!("max-versions {limit}"))?,
                iterations: iterations(options.iterations)?,
                time_limit: seconds(&options.time_limit)?,
                choose_engines: options.choose_engines,
            },
            dump: Some(&options.dump_problem)
                .filter(|folder| !folder.is_empty())
                .map(PathBuf::from),
        })
    }
}

/// The scheduler that is written on a function or a loop, or the message about an unknown one.
pub(super) fn scheduler_of(op: Op<'_>) -> Result<Option<Scheduler>, String> {
    let own = op.attr(annotation::SCHEDULER).and_then(attr::as_str);
    let parsed = own.map(|own| {
        own.parse()
            .map_err(|unknown: UnknownScheduler| format!("zpu.scheduler: {unknown}"))
    });
    parsed.transpose()
}

impl Settings {
    /// Overrides settings by the annotations of a function, or returns the message about a wrong one.
    pub(super) fn of_function(mut self, function: Op<'_>) -> Result<Self, String> {
        self.scheduler = scheduler_of(function)?.unwrap_or(self.scheduler);
        if let Some(stages) = function.attr(annotation::NUM_STAGES).and_then(attr::as_int) {
            let stages = stage_limit(stages).map_err(|limit| format!("zpu.num_stages {limit}"))?;
            self.stages = NumStages::AtMost(stages);
        }
        Ok(self)
    }
}

/// Reads a limit like [`stage_limit`]; 0 means that there is none.
fn optional(number: i64) -> Result<Option<u32>, String> {
    Ok(Some(stage_limit(number)?).filter(|number| *number > 0))
}

/// Reads a limit of iterations outstanding at a time; 0 means that there is none.
fn iterations(number: i64) -> Result<Option<u32>, String> {
    match number {
        many if many > MAX_ITERATIONS.into() => Err(format!("is {many}, must be at most {MAX_ITERATIONS}")),
        number => optional(number),
    }
    .map_err(|limit| format!("iterations {limit}"))
}
