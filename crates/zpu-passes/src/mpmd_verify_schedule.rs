//! `zpu-mpmd-verify-schedule`: takes the order of the block for a schedule, and has the verifier of
//! `zpu_sched::fragment` look at it.

use zpu_analysis::fragments::Fragments;
use zpu_ir::options::MpmdVerifyScheduleOptions;
use zpu_ir::{Failed, Note, Op, PassResult, error, note};
use zpu_sched::fragment::{Claims, Schedule, bound, replay, verify};

use crate::mpmd::{at_least, measured, refuse};

const PASS: &str = "zpu-mpmd-verify-schedule";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MpmdVerifyScheduleOptions) -> PassResult {
    let latency = at_least(function, "transfer-latency", options.transfer_latency)?;
    let memory_cap = at_least(function, "memory-cap", options.memory_cap)?;
    let Some(mut fragments) = Fragments::of(function)? else {
        return Ok(());
    };
    if let Some(latency) = latency {
        fragments.program.transfer_latency = latency;
        fragments.program.link_latency.clear();
    }
    let program = &fragments.program;
    program
        .check()
        .map_err(|problem| refuse(function, Some(&fragments), &problem))?;
    let schedule = Schedule::of_block(program);
    let timing = replay(program, &schedule);
    let bound = bound(program);
    // A program that only infers has no backward fragments to count.
    let has = |count: u32| {
        let mut units = program
            .fragments()
            .filter(|(_, fragment)| fragment.call_counter.is_some());
        units.any(|(_, fragment)| fragment.transpose_count == Some(count))
    };
    let claims = Claims {
        timing: timing.as_ref(),
        bound,
        memory_cap,
        counts: has(0) && has(1),
    };
    verify(program, &schedule, &claims).map_err(|violation| {
        let named = violation.nodes();
        let ops: Vec<Op<'_>> = named.iter().map(|id| fragments.ops[id.index()]).collect();
        let at = ops.first().copied().unwrap_or(function);
        let others = ops.iter().zip(&named).skip(1).take(8);
        let notes: Vec<Note<'_>> = others
            .map(|(op, id)| note(*op, format!("this is {}", program.party(*id))))
            .collect();
        error(at, &violation.describe(program), &notes);
        Failed
    })?;
    if let Some(timing) = timing {
        measured(PASS, "verified", function, program, (&timing, bound));
    }
    Ok(())
}
