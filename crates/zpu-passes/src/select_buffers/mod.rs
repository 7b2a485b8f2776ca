//! `zpu-select-buffers`: compiles each function with buffers in place of tensors and without, simulates both, and keeps
//! the faster one; and finds how large rings should be.
//!
//! Assumes a function as `zpu-insert-buffers` takes it. On a function that is faster with whole tensors:
//!
//! ```mlir
//! func.func @rows(...) { ... }
//! // becomes
//! func.func @rows(...) attributes {zpu.whole_tensors} { ... }
//! ```
//!
//! Invariant: buffers are kept only if the function takes no more cycles with them, in every scenario in which both
//! end. The rings have the fewest slots with which it takes the least cycles. All numbers of slots that are tried are
//! tried with each plan, so that a better plan never leads to a slower function.

mod trial;

use zpu_ir::options::SelectBuffersOptions;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, attr, device, error};

use crate::lowering;
use crate::measure::{Measured, functions, name_of, scenario};
use trial::{Form, Trials};

const PASS: &str = "zpu-select-buffers";

/// Numbers of slots that are tried, from 0 on, beside the largest: each is a compilation, and a ring of a kernel of the
/// repository wants 5 at the most.
const MOST_SLOTS: i64 = 6;

/// A function that is slower with the largest rings by one part in so many is not tried with smaller ones, which are
/// hardly ever faster: by 135 of 25,784 cycles at the most on the kernels of the repository.
const FAR_SLOWER: u64 = 8;

/// More slots have to save one cycle of so many: 13 slots for 8 of 25,296 cycles are memory for nothing.
const SLOTS_GAIN: u64 = 1000;

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &SelectBuffersOptions) -> PassResult {
    let refuse = |message: String| {
        error(module, &message, &[]);
        Failed
    };
    let planner = (&*options.scheduler, &*options.num_stages);
    let wanted = lowering::wanted(planner, &options.time_limit, &options.form, &options.mode);
    let (_, stages) = wanted.map_err(refuse)?;
    if options.mode != "minimal" {
        return Ok(());
    }
    let device = device::of(module)?;
    lowering::limit(options.ids, &device).map_err(refuse)?;
    let mut trials = Trials::new(module, &device, options);
    let all = functions(module).into_iter().map(|(_, function)| function);
    let open: Vec<Op<'_>> = all
        .filter(|function| function.body().is_some() && !function.has_attr(annotation::WHOLE_TENSORS))
        .collect();
    // What is not decided yet has whole tensors in trials of others: it gets buffers only if that is no slower.
    trials.undecided = open.iter().map(|function| name_of(*function).to_owned()).collect();
    for function in open {
        select(function, &mut trials, stages.limit());
        trials.undecided.remove(name_of(function));
    }
    Ok(())
}

fn select<'c>(function: Op<'c>, trials: &mut Trials<'c, '_>, stages: u32) {
    let Some(made) = trials.made(function) else { return };
    let context = function.context();
    let scenarios = scenario::scenarios(function, stages);
    let whole = match trials.measure(function, Form::Whole, &scenarios) {
        Ok(whole) => whole,
        Err(reason) => return not_measured(function, &reason),
    };
    let is_open = !function.has_attr(annotation::RING_SLACK);
    let longest = |measured: &Measured| measured.longest().unwrap_or(u64::MAX);
    let is_far_slower = |with: &Measured| longest(with) - longest(with) / FAR_SLOWER > longest(&whole);
    let most = made.slots.filter(|slots| *slots > 0 && is_open);
    let largest = most.map_or(Form::Buffers, Form::Slots);
    let (mut tried, mut failure) = (Vec::new(), None);
    match trials.measure(function, largest, &scenarios) {
        Ok(measured) => tried.push((largest, measured)),
        Err(reason) => failure = Some(reason),
    }
    if let Some(most) = most.filter(|_| !tried.iter().any(|(_, with)| is_far_slower(with))) {
        for slots in (0..most.min(MOST_SLOTS)).rev() {
            let form = Form::Slots(slots);
            match trials.measure(function, form, &scenarios) {
                Ok(measured) => tried.push((form, measured)),
                Err(reason) => failure = failure.or(Some(reason)),
            }
        }
        tried.reverse();
    }
    let is_fine = |measured: &Measured| is_no_slower(measured, &whole) == Some(true);
    let least = tried.iter().map(|(_, with)| (!is_fine(with), longest(with))).min();
    // The first one of them has the fewest slots.
    let best = tried.iter().find(|(_, with)| {
        let is_close = |(is_slower, least): (bool, u64)| {
            is_slower != is_fine(with) && longest(with) <= least.saturating_add(least / SLOTS_GAIN)
        };
        least.is_some_and(is_close)
    });
    let Some((form, with)) = best else {
        let reason = failure.unwrap_or_default();
        function.set_attr(annotation::WHOLE_TENSORS, attr::unit(context));
        return Remark::new(function, RemarkKind::Missed, PASS, "whole-tensors")
            .message(format!(
                "with buffers in place of tensors the function is not compiled: {reason}"
            ))
            .emit();
    };
    let Some(is_no_slower) = is_no_slower(with, &whole) else {
        return not_measured(function, "no sizes are found with which its loops run to their ends");
    };
    if !is_no_slower {
        function.set_attr(annotation::WHOLE_TENSORS, attr::unit(context));
        let message = "with buffers in place of tensors it is slower, so tensors stay whole";
        return report(function, "whole-tensors", message, (with, &whole));
    }
    let message = "with buffers in place of tensors it is no slower";
    report(function, "buffers", message, (with, &whole));
    if let Form::Slots(slots) = form {
        function.set_attr(annotation::RING_SLACK, attr::int(context, *slots));
        report_slots(function, *slots, &tried);
    }
}

/// Tells the number of slots with the cycles of each that was tried.
fn report_slots(function: Op<'_>, slots: i64, tried: &[(Form, Measured)]) {
    let mut message = format!("{slots} slots beyond those that are needed in turn are enough for full rate");
    if tried.iter().any(|(form, _)| *form == Form::Slots(slots - 1)) {
        message += ", and one less takes more cycles";
    }
    let mut remark = Remark::new(function, RemarkKind::Analysis, PASS, "ring-size")
        .message(message)
        .metric("Slots", slots);
    for (form, measured) in tried {
        if let Form::Slots(slots) = form {
            remark = remark.metric(&format!("CyclesWith{slots}"), cycles(measured));
        }
    }
    remark.emit();
}

/// Tells whether a program takes no more cycles than another one in every scenario in which both end; nothing if there
/// is none.
fn is_no_slower(one: &Measured, other: &Measured) -> Option<bool> {
    let both = one
        .cycles
        .iter()
        .zip(&other.cycles)
        .filter_map(|(one, other)| one.zip(*other));
    let all: Vec<(u64, u64)> = both.collect();
    (!all.is_empty()).then(|| all.iter().all(|(one, other)| one <= other))
}

fn cycles(measured: &Measured) -> String {
    let each: Vec<String> = measured.cycles.iter().flatten().map(u64::to_string).collect();
    each.join(" ")
}

fn report(function: Op<'_>, reason: &'static str, message: &str, (with, whole): (&Measured, &Measured)) {
    Remark::new(function, RemarkKind::Analysis, PASS, reason)
        .message(message.to_owned())
        .metric("WithBuffers", cycles(with))
        .metric("WholeTensors", cycles(whole))
        .emit();
}

fn not_measured(function: Op<'_>, reason: &str) {
    Remark::new(function, RemarkKind::Missed, PASS, "not-measured")
        .message(format!(
            "buffers in place of tensors are not compared with the tensors: {reason}"
        ))
        .emit();
}
