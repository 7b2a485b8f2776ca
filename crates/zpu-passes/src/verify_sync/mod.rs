//! `zpu-verify-sync`: shows of a function with asynchronous commands that its waits are enough, for every trip count
//! and every way through its branches, or says which one is missing.
//!
//! ```mlir
//! %t = zpu.dma_start %x to %b on @odma : ...
//! zpu.compute on @vector { reads %b }        // refuted: a read-after-write race; wait for %t before
//! ```
//!
//! Only the control stream joins engines, and an engine completes its commands in order. So the stream's knowledge is
//! the set of commands that it has not waited for, and an access is ordered iff none of them that runs on another
//! engine touches the same bytes. [`program`] takes the function apart, with [`tracked`] for what waits name; [`state`]
//! and [`ids`] are that knowledge; [`interpreter`] carries it through the program, [`control`] through branches and
//! loops, with [`infeasible`]; [`check`] asks which accesses meet, with [`path_context`], [`facts`] and [`overlap`],
//! and [`lifetime`] which memory is still there; [`finding`] says what is missing, and [`cause`] what goes back to one
//! missing wait.
//!
//! What the walk finds nothing against is proven. What it finds is a suspicion: conditions on the way may exclude each
//! other. So [`refute`] executes the control stream for chosen arguments ([`witness`], [`numbers`], [`place`]), and
//! only what such an execution meets is *refuted*; the rest is *unknown*. [`lint`] does so for what is no error and
//! hardly meant, with [`must_waits`] for what holds on the ways that an execution does not take. The two share with
//! each other, and with the passes before, what an operation accesses; the walk also shares where regions meet.
//!
//! [`promises`] looks at what functions count on and only their callers can keep.
//!
//! All work is bounded: a walk gives up after a stated number of steps, is repeated more coarsely, and then says so.

mod cause;
mod check;
mod control;
mod facts;
mod finding;
mod ids;
mod infeasible;
mod interpreter;
mod lifetime;
mod lint;
mod must_waits;
mod needs;
mod numbers;
mod overlap;
mod path_context;
mod place;
mod program;
mod promises;
mod redundant;
mod refute;
mod state;
mod subject;
mod tracked;
mod witness;

use std::collections::BTreeMap;

use zpu_ir::options::VerifySyncOptions;
use zpu_ir::{Failed, Note, Op, PassResult, Remark, RemarkKind, error, warning};

use interpreter::{Interpreter, Precision};
pub(crate) use needs::needed_waits;
use program::{Kind, Program};
pub(crate) use redundant::{Patience, finding_full_queues, is_shown_to_be_right, live_at_the_end, redundant_waits};
use zpu_analysis::body::{is_asynchronous, sync_engine};

const PASS: &str = "zpu-verify-sync";

/// Runs the pass on a function, or on all functions of a module and their calls.
pub(crate) fn run(op: Op<'_>, options: &VerifySyncOptions) -> PassResult {
    if op.is("func.func") {
        return of_function(op, options);
    }
    let broken = promises::check(op, options);
    let functions = op.walk().into_iter().filter(|op| op.is("func.func"));
    // Each is looked at, also after one that is not right.
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
    if !ops.iter().any(|op| is_asynchronous(*op)) {
        let message = "no asynchronous command";
        Remark::new(function, RemarkKind::Passed, PASS, "proven")
            .message(message)
            .emit();
        return Ok(());
    }
    let has_engines = ops.iter().any(|op| is_asynchronous(*op) || sync_engine(*op).is_some());
    debug_assert!(has_engines);
    let device = zpu_ir::device::of(function)?;
    let program = Program::of(function, &device);
    if program.entry.is_none() {
        return unknown(function, options, "unstructured-control-flow");
    }
    lint::warn(&program);
    warn_of_waits_for_nothing(&program);
    let mut interpreter = closest_interpretation(&program);
    if !interpreter.findings.list.is_empty() || interpreter.has_given_up() {
        refute::refute(&program, &mut interpreter.findings);
    }
    let unnamed = interpreter.findings.unnamed.first().map(|wait| program.items[*wait].op);
    let (mut refuted, mut open) = (0, 0);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for group in cause::groups(&program, &interpreter.findings) {
        let finding = group.head;
        let mut text = finding.text(&program);
        text.notes.append(&mut group.notes(&program));
        if finding.certain {
            refuted += 1;
            error(text.op, &text.message, &text.notes);
            continue;
        }
        open += 1;
        *reasons.entry(finding.reason()).or_insert(0) += 1;
        if unnamed.is_none() {
            report(options, text.op, &text.message, &text.notes);
            continue;
        }
        // What hangs on waits that are not followed is one thing to say, not many; each is there for whoever looks.
        Remark::new(text.op, RemarkKind::Missed, PASS, finding.reason())
            .message(&text.message)
            .emit();
    }
    if let (Some(wait), true) = (unnamed, open > 0) {
        let message = format!(
            "the command that this waits for cannot be told from its barrier id ({} such waits), and {open} orders \
             hang on it; \
             simulate with --orders, or use tokens",
            interpreter.findings.unnamed.len()
        );
        report(options, wait, &message, &[]);
    }
    if interpreter.has_given_up() {
        open += 1;
        let message = "the proof gave up: too many commands may be in flight in too many iterations; wait more often, \
            or simulate";
        reasons.insert("too-much-work", 1);
        report(options, function, message, &[]);
    }
    let (kind, verdict) = match (refuted, open) {
        (0, 0) => (RemarkKind::Passed, "proven"),
        (0, _) => (RemarkKind::Missed, "unknown"),
        _ => (RemarkKind::Failed, "refuted"),
    };
    let count = |wanted: fn(&Kind<'_>) -> bool| program.items.iter().filter(|item| wanted(&item.kind)).count();
    let starts = count(|kind| matches!(kind, Kind::Start(..)));
    let waits = count(|kind| matches!(kind, Kind::Wait(_) | Kind::WaitId(_) | Kind::Fence(_)));
    let races = refuted + open;
    let remark = Remark::new(function, kind, PASS, verdict)
        .message(format!(
            "{starts} asynchronous commands, {waits} waits, {races} findings, {} comparisons",
            interpreter.steps
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

/// The walk that finds least against a program.
fn closest_interpretation<'p, 'c>(program: &'p Program<'c>) -> Interpreter<'p, 'c> {
    if program.has_nests() {
        let interpreter = Interpreter::through(program, Precision::JOINED);
        if interpreter.findings.list.is_empty() && !interpreter.has_given_up() {
            return interpreter;
        }
    }
    let interpreter = Interpreter::through(program, Precision::DEFAULT);
    if interpreter.has_given_up() {
        return Interpreter::through(program, Precision::COARSE);
    }
    if interpreter.findings.list.is_empty() {
        return interpreter;
    }
    let mut closest = interpreter;
    for precision in [Precision::PATH_SENSITIVE, Precision::LAST_ITERATION] {
        let closer = Interpreter::through(program, precision);
        if closer.has_given_up() {
            return closest;
        }
        closest = closer;
        if closest.findings.list.is_empty() {
            return closest;
        }
    }
    // What it does not settle is said as the walk before has it.
    let further = Interpreter::through(program, Precision::FURTHER);
    if further.has_given_up() || !further.findings.list.is_empty() {
        return closest;
    }
    further
}

/// Says what is open: an error unless that is allowed.
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

/// A token that no command was started with orders nothing, and shows that another one was meant.
fn warn_of_waits_for_nothing(program: &Program<'_>) {
    for item in &program.items {
        let Kind::Wait(token) = item.kind else { continue };
        if let Some(null) = tracked::only_null(token) {
            let message = "waits for a token that no command was started with; this orders nothing";
            warning(
                item.op,
                message,
                &[zpu_ir::note(null, "the token that stands for no command")],
            );
        }
    }
}
