//! `zpu-verify-sync`: proves that the waits of a function with asynchronous commands are enough, for every trip count
//! and every path through its branches, or reports a missing one.
//!
//! ```mlir
//! %t = zpu.dma_start %x to %b on @odma : ...
//! zpu.compute on @vector { reads %b }        // refuted: a read-after-write race; wait for %t before
//! ```
//!
//! [`zpu_sync::verdict`] makes the proof; this pass turns its verdict into diagnostics and remarks.
//!
//! [`promises`] checks assumptions of functions that only their callers can keep.

mod promises;

use std::collections::BTreeMap;
use std::path::Path;

use zpu_analysis::body::{is_asynchronous, sync_engine};
use zpu_analysis::calls::annotate;
use zpu_analysis::problem::{Detail, Sources, problem_of};
use zpu_ir::options::VerifySyncOptions;
use zpu_ir::{Failed, Note, Op, PassResult, Remark, RemarkKind, error, note, warning};
use zpu_sync::problem::text::write_problem;
use zpu_sync::report::Message;
use zpu_sync::verdict::verify;

use crate::dump;

const PASS: &str = "zpu-verify-sync";

/// Runs the pass on a function, or on all functions of a module and their calls.
pub(crate) fn run(op: Op<'_>, options: &VerifySyncOptions) -> PassResult {
    if op.is("func.func") {
        return of_function(op, options);
    }
    // Other passes may have changed what a called function does.
    annotate(op);
    let broken = promises::check(op, options);
    let functions = op.walk().into_iter().filter(|op| op.is("func.func"));
    // Every function is checked, even after an error in one.
    let wrong = functions
        .filter(|function| of_function(*function, options).is_err())
        .count();
    if wrong > 0 || broken.refuted > 0 || broken.open > 0 && !options.allow_unknown {
        Err(Failed)
    } else {
        Ok(())
    }
}

fn of_function(function: Op<'_>, options: &VerifySyncOptions) -> PassResult {
    let ops = function.walk();
    let has_asynchronous = ops.iter().any(|op| is_asynchronous(*op));
    let has_commands = has_asynchronous || ops.iter().any(|op| sync_engine(*op).is_some());
    let is_dumped = !options.dump_problem.is_empty() && has_commands;
    let sources = if has_asynchronous || is_dumped {
        let device = zpu_ir::device::of(function)?;
        Some(problem_of(function, &device, Detail::Reported))
    } else {
        None
    };
    if let Some(sources) = sources.as_ref().filter(|_| is_dumped) {
        let name = dump::file_name(function.function_name());
        let text = write_problem(&sources.problem);
        if let Err(message) = dump::write(Path::new(&options.dump_problem), &name, &text) {
            error(function, &message, &[]);
            return Err(Failed);
        }
    }
    let Some(sources) = sources.filter(|_| has_asynchronous) else {
        let message = "no asynchronous command";
        Remark::new(function, RemarkKind::Passed, PASS, "proven")
            .message(message)
            .emit();
        return Ok(());
    };
    let Some(verdict) = verify(&sources.problem) else {
        return unknown(function, options, "unstructured-control-flow");
    };
    for message in &verdict.warnings {
        warning(sources.op(message.at), &message.text, &notes(&sources, message));
    }
    let (mut refuted, mut open) = (0, 0);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &verdict.findings {
        let (at, text) = (sources.op(finding.message.at), &finding.message.text);
        let notes = notes(&sources, &finding.message);
        if finding.is_certain {
            refuted += 1;
            error(at, text, &notes);
            continue;
        }
        open += 1;
        *reasons.entry(finding.reason).or_insert(0) += 1;
        if verdict.unnamed.is_none() {
            report(options, at, text, &notes);
            continue;
        }
        // Findings that depend on waits that are not followed share one diagnostic; each of them has a remark.
        Remark::new(at, RemarkKind::Missed, PASS, finding.reason)
            .message(text)
            .emit();
    }
    if let (Some(wait), true) = (verdict.unnamed, open > 0) {
        let message = format!(
            "the command that this waits for cannot be told from its barrier id ({} such waits), and {open} orders \
             hang on it; \
             simulate with --orders, or use tokens",
            verdict.unnamed_waits
        );
        report(options, sources.op(wait), &message, &[]);
    }
    if verdict.has_given_up {
        open += 1;
        let message = "the proof gave up: too many commands may be in flight in too many iterations; wait more often, \
            or simulate";
        reasons.insert("too-much-work", 1);
        report(options, function, message, &[]);
    }
    let (kind, name) = match (refuted, open) {
        (0, 0) => (RemarkKind::Passed, "proven"),
        (0, _) => (RemarkKind::Missed, "unknown"),
        _ => (RemarkKind::Failed, "refuted"),
    };
    let (starts, waits) = (verdict.starts, verdict.waits);
    let races = refuted + open;
    let remark = Remark::new(function, kind, PASS, name)
        .message(format!(
            "{starts} asynchronous commands, {waits} waits, {races} findings, {} comparisons",
            verdict.comparisons
        ))
        .metric("Starts", starts)
        .metric("Waits", waits)
        .metric("Findings", races);
    let remark = reasons
        .iter()
        .fold(remark, |remark, (reason, count)| remark.metric(reason, count));
    remark.emit();
    if refuted > 0 || open > 0 && !options.allow_unknown {
        Err(Failed)
    } else {
        Ok(())
    }
}

fn notes<'c>(sources: &Sources<'c>, message: &Message) -> Vec<Note<'c>> {
    let notes = message.notes.iter();
    notes.map(|each| note(sources.op(each.at), each.text.clone())).collect()
}

/// Reports an open finding: an error unless `allow-unknown` is set.
fn report<'c>(options: &VerifySyncOptions, op: Op<'c>, message: &str, notes: &[Note<'c>]) {
    if options.allow_unknown {
        warning(op, message, notes);
    } else {
        error(op, message, notes);
    }
}

fn unknown(function: Op<'_>, options: &VerifySyncOptions, reason: &'static str) -> PassResult {
    let message =
        "blocks that branch to each other are not followed; make the control flow structured, e.g. by --lift-cf-to-scf";
    Remark::new(function, RemarkKind::Missed, PASS, "unknown")
        .message("not looked at")
        .metric(reason, 1)
        .emit();
    report(options, function, message, &[]);
    if options.allow_unknown { Ok(()) } else { Err(Failed) }
}
