//! `zpu-schedule-dma-compute-overlap`: orders straight-line commands so that they start early and waits for them come
//! late.
//!
//! Assumes synchronous commands, before `zpu-inject-dma-barrier`. Wherever commands follow each other without control
//! flow between them (a prologue, an epilogue, an unrolled kernel, a function without loops), they become a
//! straight-line problem of `zpu-sched`; of the orders that come back the best is taken if the machine model needs
//! fewer cycles for it, together with iterations of the loops directly before and after the run.
//!
//! ```mlir
//! zpu.compute on @vector { reads and writes %c }
//! zpu.dma %x to %a on @odma0 : ...
//! zpu.compute on @tensor { linalg.matmul ins(%a, %b : ...) outs(%c : ...) }
//! // becomes
//! zpu.dma %x to %a on @odma0 : ...
//! zpu.compute on @vector { reads and writes %c }
//! zpu.compute on @tensor { linalg.matmul ins(%a, %b : ...) outs(%c : ...) }
//! ```
//!
//! Program order is still the meaning: two commands whose accesses conflict keep their order, so each result is a
//! correct program by itself. A transfer goes to any asynchronous DMA engine with its route. Where a full queue stalls
//! the control stream, an order costs what it stalls; where it is an error or loses commands, no order is taken that
//! leaves more commands of an engine incomplete than its queue holds. Bodies of loops that `zpu-pipeline-planning` can
//! plan are left to it, since their iterations overlap. `zpu-inject-dma-barrier` places the waits; early starts let
//! them come late. A deallocation between commands would end a run; it moves to the end of its block, where the memory
//! has room for all buffers at a time.

mod late_frees;
mod model;
mod run;
mod surroundings;

use std::fmt;
use std::time::Duration;

use zpu_device::Device;
use zpu_ir::options::ScheduleDmaComputeOverlapOptions;
use zpu_ir::scf::For;
use zpu_ir::{Block, Failed, Op, PassResult, Remark, RemarkKind, annotation, error};
use zpu_sched::Scheduler;

use crate::annotations;
use crate::buffer_notes;
use crate::time_limit::seconds;
use model::{Model, Solution};
use run::Run;
use surroundings::Surroundings;
use zpu_analysis::body::{Body, Decline, command_loops};
use zpu_analysis::command::{holds_commands, is_asynchronous, sync_engine};

const PASS: &str = "zpu-schedule-dma-compute-overlap";

/// The most commands scheduled together; a longer run is cut, so that the pass stays linear in the length of a
/// function.
const LONGEST_RUN: usize = 512;

/// The longest run for which `auto` tries every scheduler; for longer ones it tries only the fast one.
const SMALL_RUN: usize = 96;

/// Commands of a function beyond which no more orders are tried than the schedulers find: those of 500 commands take
/// some 30 milliseconds.
const MOST_LISTED: usize = 2_048;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &ScheduleDmaComputeOverlapOptions) -> PassResult {
    schedule_all(function, options)?;
    for op in function.walk() {
        op.remove_attr(annotation::GATHERED);
    }
    Ok(())
}

fn schedule_all(function: Op<'_>, options: &ScheduleDmaComputeOverlapOptions) -> PassResult {
    let choice: Choice = options.scheduler.parse().map_err(|message: String| {
        error(function, &message, &[]);
        Failed
    })?;
    let time_limit = seconds(&options.time_limit).map_err(|message| {
        error(function, &message, &[]);
        Failed
    })?;
    let ops = function.walk();
    if !ops.iter().any(|op| sync_engine(*op).is_some()) {
        return Ok(());
    }
    annotations::check(function)?;
    if let Some(op) = ops.iter().find(|op| is_asynchronous(**op)) {
        let message = "the function already holds asynchronous commands; their order is left to their author";
        Remark::new(*op, RemarkKind::Missed, PASS, "asynchronous-body")
            .message(message)
            .emit();
        return Ok(());
    }
    let device = zpu_ir::device::of(function)?;
    let is_known = has_known_lengths(function);
    if is_known {
        late_frees::move_to_ends(function, &blocks(function), &device);
    }
    let commands = ops.iter().filter(|op| sync_engine(**op).is_some()).count();
    let search = Search {
        choice,
        time_limit,
        lists: is_known && choice == Choice::Auto && commands <= MOST_LISTED,
    };
    let runs: Vec<Run<'_>> = blocks(function).into_iter().flat_map(Run::all_of).collect();
    for run in runs {
        if let Err(decline) = schedule(&run, &device, search) {
            Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
                .message(decline.message)
                .emit();
        }
    }
    Ok(())
}

/// True if the length of each loop of commands is known. Where one is not, plans are chosen by runs of many lengths,
/// and programs that are faster in short ones keep others away that are faster in long ones.
fn has_known_lengths(function: Op<'_>) -> bool {
    let is_known = |for_: For<'_>| for_.constant_trip_count().is_some();
    command_loops(function).into_iter().all(is_known)
}

/// The blocks of commands that are in no loop that the planner takes.
fn blocks<'c>(function: Op<'c>) -> Vec<Block<'c>> {
    let holders = function.walk().into_iter().filter(|op| {
        let planned = For::of(*op).is_some_and(|for_| for_.is_innermost() && Body::of(for_).is_ok());
        sync_engine(*op).is_none() && !planned && !op.name().starts_with("linalg.")
    });
    let regions = holders.flat_map(|op| op.regions());
    let all = regions.flat_map(|region| region.blocks());
    all.filter(|block| block.ops().any(holds_commands)).collect()
}

/// Orders one run, or reports why it stays as it is.
fn schedule<'c>(run: &Run<'c>, device: &Device, search: Search) -> Result<(), Decline<'c>> {
    if !run.may_overlap(device) {
        return Ok(());
    }
    if run.is_synchronous() {
        let message = "the commands are to stay synchronous";
        return Err(Decline::new("synchronous", run.units[0].op, message));
    }
    let model = Model::of(run, device)?;
    let before = model.program_order()?;
    let around = Surroundings::of(&model, device)?;
    // An order is measured together with the loops beside the run.
    let measure = |solution: &Solution| {
        around
            .as_ref()
            .map_or(solution.cycles, |around| around.cycles(solution))
    };
    // An order that never stalls at a full queue may be better, and where a full queue is an error it is the only one.
    let with_queues_kept = |solution: Solution| {
        let within = model.within_queues(&solution, device);
        let is_legal = model.overfull_queue(&solution, &before, device).is_none();
        let own = (is_legal || within.is_none()).then_some(solution);
        own.into_iter().chain(within)
    };
    let is_whole = run.begin.is_none() && run.tail.is_some();
    let sequential = Some(model.sequential()).filter(|_| is_whole);
    let schedulers = search.choice.schedulers(run.units.len());
    let solutions = model.solutions(&schedulers, search.time_limit, search.lists)?;
    let measured = solutions.into_iter().flat_map(with_queues_kept).map(|solution| {
        let cycles = measure(&solution);
        (cycles, solution)
    });
    let best = measured.min_by_key(|(cycles, solution)| (*cycles, solution.cycles));
    let of_before = measure(&before);
    let least = best.as_ref().map_or(of_before, |(cycles, _)| of_before.min(*cycles));
    if let Some(sequential) = sequential.filter(|cycles| *cycles < least) {
        run.keep_synchronous();
        let message = format!(
            "the waits of asynchronous commands would cost more than overlap gains: {least} cycles where it is \
             {sequential}; \
             the commands stay synchronous"
        );
        return Err(Decline::new("not-faster", run.units[0].op, message));
    }
    let Some((_, after)) = best.filter(|(cycles, _)| *cycles < of_before) else {
        report(run, &before, &before, &model, RemarkKind::Missed, "no-gain");
        return Ok(());
    };
    if let Some(engine) = model.overfull_queue(&after, &before, device) {
        let message = format!("the faster order leaves more commands of @{engine} incomplete than its queue holds");
        return Err(Decline::new("queue-full", run.units[0].op, message));
    }
    report(run, &before, &after, &model, RemarkKind::Passed, "overlapped");
    let units: Vec<Op<'c>> = run.units.iter().map(|unit| unit.op).collect();
    buffer_notes::drop_used_in(&units);
    run.rewrite(&after.order(), &model.engines(&after));
    Ok(())
}

fn report(
    run: &Run<'_>,
    before: &Solution,
    after: &Solution,
    model: &Model<'_, '_>,
    kind: RemarkKind,
    reason: &'static str,
) {
    // The bound counts the issue of a command after another one of its engine, which can be hidden.
    let bound = model.bound().min(after.cycles);
    let moved = after.plan.chosen.iter().filter(|chosen| **chosen != 0).count();
    let message = match kind {
        RemarkKind::Passed => "commands start earlier",
        _ => "no order that was found is faster than program order",
    };
    Remark::new(run.units[0].op, kind, PASS, reason)
        .message(message)
        .metric("Commands", run.units.len())
        .metric("Before", before.cycles)
        .metric("After", after.cycles)
        .metric("Bound", bound)
        .metric("OtherEngine", moved)
        .emit();
}

/// The orders to try.
#[derive(Clone, Copy, Debug)]
struct Search {
    choice: Choice,
    time_limit: Option<Duration>,
    /// True if those of list schedules are tried as well, which know what the stream pays for issues and waits.
    lists: bool,
}

/// The schedulers to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// All that suit straight-line code, as far as the run's length allows.
    Auto,
    One(Scheduler),
}

impl Choice {
    fn schedulers(self, units: usize) -> Vec<Scheduler> {
        match self {
            Choice::One(scheduler) => vec![scheduler],
            Choice::Auto if units <= SMALL_RUN => vec![Scheduler::Greedy, Scheduler::Modulo],
            Choice::Auto => vec![Scheduler::Greedy],
        }
    }
}

impl std::str::FromStr for Choice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Choice::Auto),
            _ => name
                .parse()
                .map(Choice::One)
                .map_err(|unknown: zpu_sched::UnknownScheduler| unknown.to_string()),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Auto => f.write_str("auto"),
            Choice::One(scheduler) => f.write_str(scheduler.name()),
        }
    }
}
