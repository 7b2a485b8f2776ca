//! `zpu-mpmd-pipeline-scheduler`: puts the fragments of each mesh into the order of a schedule, by
//! `zpu_sched::fragment`.
//!
//! A function without fragments is left alone. Either all fragments get a place or nothing is changed.

use std::fs;

use zpu_analysis::fragments::Fragments;
use zpu_ir::options::MpmdPipelineSchedulerOptions;
use zpu_ir::{Failed, Op, PassResult, error};
use zpu_sched::fragment::{AutoOptions, Builtin, Request, Table, UnknownBuiltin, schedule};

use crate::mpmd::{Control, analysis, at_least, refuse, remark, reorder};

const PASS: &str = "zpu-mpmd-pipeline-scheduler";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MpmdPipelineSchedulerOptions) -> PassResult {
    let request = request(function, options)?;
    let latency = at_least(function, "transfer-latency", options.transfer_latency)?;
    let Some(mut fragments) = Fragments::of(function)? else {
        return Ok(());
    };
    if let Some(latency) = latency {
        fragments.program.transfer_latency = latency;
        fragments.program.link_latency.clear();
    }
    let answer =
        schedule(&fragments.program, &request).map_err(|problem| refuse(function, Some(&fragments), &problem))?;
    let control = if options.remove_control_dependencies {
        Control::Removed
    } else {
        Control::Kept
    };
    for said in &answer.remarks {
        remark(PASS, function, &fragments, said);
    }
    reorder(&fragments, &answer.schedule, control);
    analysis(PASS, "scheduled", function, &fragments, &answer);
    Ok(())
}

/// The schedule that the options ask for.
fn request(function: Op<'_>, options: &MpmdPipelineSchedulerOptions) -> Result<Request, Failed> {
    let fail = |message: String| {
        error(function, &message, &[]);
        Failed
    };
    let name = options.must_happen_before.as_str();
    let bare = name.trim().to_ascii_lowercase();
    let is_auto = matches!(bare.as_str(), "auto" | "builtin:auto");
    let cap = at_least(function, "memory-cap", options.memory_cap)?;
    if cap.is_some() && !is_auto {
        return Err(fail(format!(
            "memory-cap is for must-happen-before=auto, which chooses by it; '{name}' holds what it holds, and \
             zpu-mpmd-verify-schedule tells whether that fits"
        )));
    }
    let named = name.parse::<Builtin>();
    if let (false, Err(problem)) = (is_auto, &named) {
        return Err(fail(format!("must-happen-before: {problem}, auto")));
    }
    if !options.schedule_file.is_empty() {
        if is_auto {
            let message = "schedule-file is an order of its own, and must-happen-before=auto another one";
            return Err(fail(message.to_owned()));
        }
        let file = &options.schedule_file;
        let text = fs::read_to_string(file)
            .map_err(|problem| fail(format!("the schedule file '{file}' cannot be read: {problem}")))?;
        return match Table::parse(&text) {
            Ok(table) => Ok(Request::Table(table)),
            Err(problem) => Err(fail(format!("{file}: {problem}"))),
        };
    }
    if is_auto {
        return Ok(Request::Auto(AutoOptions {
            memory_cap: cap,
            ..AutoOptions::default()
        }));
    }
    named
        .map(Request::Builtin)
        .map_err(|problem: UnknownBuiltin| fail(format!("must-happen-before: {problem}, auto")))
}
