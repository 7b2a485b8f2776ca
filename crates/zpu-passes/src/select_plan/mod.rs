//! `zpu-select-plan`: compiles each function with several plans, simulates the results, and keeps the fastest.
//!
//! Assumes synchronous commands on a device, as `zpu-convert-to-dma` leaves them. A planner judges one loop by an estimate; what
//! counts is the whole function as it runs. So the passes that follow are run on copies of the function, once for each of several
//! choices of scheduler and number of stages, and `zpu-sim` counts the cycles of what they leave, beside those of the function as it
//! is written. What wins is written on the function:
//!
//! ```mlir
//! func.func @product(...) { ... }
//! // becomes, where the plan of greedy with one stage is the fastest
//! func.func @product(...) attributes {zpu.num_stages = 1 : i64, zpu.scheduler = "greedy"} { ... }
//! // and, where no plan is faster than the function as it is written
//! func.func @product(...) attributes {zpu.synchronous} { ... }
//! ```
//!
//! Invariant: a choice with a stronger scheduler or more stages is made among all that a weaker one, or fewer, are made among. So it
//! never takes more cycles, whatever the planner's estimate is worth. The passes that follow obey what is written; a function on which
//! somebody wrote it before is left alone.

mod candidates;
mod choice;
mod scenario;
mod trial;

use zpu_device::Device;
use zpu_ir::options::SelectPlanOptions;
use zpu_ir::{Op, PassResult, Remark, RemarkKind, device};
use zpu_sched::Scheduler;

use crate::analysis::command::{is_asynchronous, sync_engine};
use crate::pipeline::Lowering;
use candidates::{Candidate, candidates};
use choice::{Measured, choose};
use trial::Trials;

pub(crate) const PASS: &str = "zpu-select-plan";

/// Runs the pass. Options that are wrong are reported by the passes that follow.
pub(crate) fn run(module: Op<'_>, options: &SelectPlanOptions) -> PassResult {
    let (Ok(scheduler), Ok(stages)) = (options.scheduler.parse(), u32::try_from(options.num_stages)) else {
        return Ok(());
    };
    let functions: Vec<Op<'_>> = module.find_all("func.func").into_iter().filter(|f| is_open(*f)).collect();
    if functions.is_empty() || options.mode != "minimal" {
        return Ok(());
    }
    let device = device::of(module)?;
    let lowering = Lowering::of(options);
    let mut trials = Trials::new(module, &device, &lowering);
    for function in functions {
        select(function, &device, &mut trials, (scheduler, stages));
    }
    Ok(())
}

/// Whether there is a choice: commands that may overlap, and nobody who has made it.
fn is_open(function: Op<'_>) -> bool {
    let ops = function.walk();
    !function.has_attr("zpu.scheduler")
        && !function.has_attr("zpu.num_stages")
        && !function.has_attr("zpu.synchronous")
        && ops.iter().any(|op| sync_engine(*op).is_some())
        && !ops.iter().any(|op| is_asynchronous(*op))
}

/// Chooses for one function, and says what the choice was among.
fn select<'c>(function: Op<'c>, device: &Device, trials: &mut Trials<'c, '_>, wanted: (Scheduler, u32)) {
    let scenarios = scenario::scenarios(function, wanted.1);
    let tried = candidates(function, wanted);
    let mut measured: Vec<(Candidate, Measured)> = Vec::new();
    let mut failures = Vec::new();
    for candidate in tried {
        match trials.measure(function, candidate, &scenarios) {
            Ok(Some(result)) => measured.push((candidate, result)),
            Ok(None) => {}
            Err(reason) => failures.push((candidate, reason)),
        }
    }
    let first_failure = failures.first().map(|(_, reason)| reason.as_str());
    let results: Vec<&Measured> = measured.iter().map(|(_, result)| result).collect();
    let slack = choice::slack(function, device);
    let Some(chosen) = choose(&results, slack).filter(|_| measured.iter().any(|(c, _)| c.is_requested(wanted))) else {
        let reason = first_failure.unwrap_or("no candidate could be run");
        Remark::new(function, RemarkKind::Missed, PASS, "not-measured")
            .message(format!("the plans are not compared as simulated: {reason}"))
            .emit();
        return;
    };
    let (candidate, result) = &measured[chosen];
    candidate.write(function, wanted);
    let all = |result: &Measured| {
        let cycles: Vec<String> = result.cycles.iter().flatten().map(u64::to_string).collect();
        cycles.join(" ")
    };
    let mut remark = Remark::new(function, RemarkKind::Analysis, PASS, "selected")
        .message(format!("{candidate} is the fastest of {} programs", measured.len()))
        .metric("Plan", candidate.to_string())
        .metric("Cycles", all(result))
        .metric("Exact", if result.exact { "yes" } else { "no" });
    for (other, result) in &measured {
        remark = remark.metric(&other.to_string(), all(result));
    }
    remark.emit();
}
