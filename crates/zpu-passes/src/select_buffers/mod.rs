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
//! Invariant: buffers are kept only if the function takes no more cycles with them, in every scenario in which both end.
//! Rings have a number of slots with which it takes no more cycles than with the largest; with one less it takes more.

mod trial;

use zpu_ir::options::SelectBuffersOptions;
use zpu_ir::{Op, PassResult, Remark, RemarkKind, annotation, attr, device};
use zpu_sim::PaceArgument;

use crate::measure::{Measured, functions, name_of, scenario};
use trial::{Form, Trials};

const PASS: &str = "zpu-select-buffers";

/// Runs the pass. Options that are wrong are reported by the passes that follow.
pub(crate) fn run(module: Op<'_>, options: &SelectBuffersOptions) -> PassResult {
    let (Ok(stages), true) = (u32::try_from(options.num_stages), options.mode == "minimal") else {
        return Ok(());
    };
    let device = device::of(module)?;
    let mut trials = Trials::new(module, &device, options);
    let all = functions(module).into_iter().map(|(_, function)| function);
    let open: Vec<Op<'_>> = all
        .filter(|function| function.body().is_some() && !function.has_attr(annotation::WHOLE_TENSORS))
        .collect();
    // What is not decided yet has whole tensors in trials of others: it gets buffers only if that is no slower.
    trials.undecided = open.iter().map(|function| name_of(*function).to_owned()).collect();
    for function in open {
        select(function, &mut trials, stages);
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
    let with = match trials.measure(function, Form::Buffers, &scenarios) {
        Ok(with) => with,
        Err(reason) => {
            function.set_attr(annotation::WHOLE_TENSORS, attr::unit(context));
            return Remark::new(function, RemarkKind::Missed, PASS, "whole-tensors")
                .message(format!(
                    "with buffers in place of tensors the function is not compiled: {reason}"
                ))
                .emit();
        }
    };
    let Some(is_no_slower) = is_no_slower(&with, &whole) else {
        return not_measured(function, "no sizes are found with which its loops run to their ends");
    };
    if !is_no_slower {
        function.set_attr(annotation::WHOLE_TENSORS, attr::unit(context));
        let message = "with buffers in place of tensors it is slower, so tensors stay whole";
        return report(function, "whole-tensors", message, (&with, &whole));
    }
    report(
        function,
        "buffers",
        "with buffers in place of tensors it is no slower",
        (&with, &whole),
    );
    if let Some(slots) = made.slots.filter(|_| !function.has_attr(annotation::RING_SLACK)) {
        let least = least_slots(function, trials, &scenarios, (slots, &with));
        function.set_attr(annotation::RING_SLACK, attr::int(context, least));
    }
}

/// The smallest number of slots beyond those that are needed in turn with which a function is no slower than with the
/// largest, and with one less it is: by halving.
fn least_slots<'c>(
    function: Op<'c>,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Vec<PaceArgument>],
    (most, with): (i64, &Measured),
) -> i64 {
    let mut tried = vec![(most, cycles(with))];
    let (mut too_few, mut enough) = (-1, most);
    while enough - too_few > 1 {
        let slots = too_few + (enough - too_few) / 2;
        let measured = trials.measure(function, Form::Slots(slots), scenarios);
        let is_enough = measured
            .as_ref()
            .is_ok_and(|measured| is_no_slower(measured, with) == Some(true));
        tried.push((
            slots,
            measured.map_or_else(|_| "none".to_owned(), |measured| cycles(&measured)),
        ));
        if is_enough {
            enough = slots;
        } else {
            too_few = slots;
        }
    }
    tried.sort_unstable();
    let mut remark = Remark::new(function, RemarkKind::Analysis, PASS, "ring-size")
        .message(format!(
            "rings with {enough} slots more than are needed in turn are as fast as with {most}{}",
            if enough > 0 {
                ", and with one less they are not"
            } else {
                ""
            }
        ))
        .metric("Slots", enough);
    for (slots, cycles) in tried {
        remark = remark.metric(&format!("CyclesWith{slots}"), cycles);
    }
    remark.emit();
    enough
}

/// Tells whether a program takes no more cycles than another one in every scenario in which both end; nothing if there is
/// none.
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
