//! Checks of a user's annotations against the abilities of the passes and of the device.
//!
//! The dialect's verifier refuses what is never right; this module refuses numbers that are too large for this
//! compiler, and engines that this device does not have. Such an annotation is an error at its operation, before any
//! pass takes a decision by it.

use std::collections::HashMap;

use zpu_ir::ops::engine_of;
use zpu_ir::{Failed, Op, PassResult, Value, annotation, attr, device, error, note, ty};
use zpu_sched::{MAX_STAGES, MAX_TOTAL_CYCLES};

use zpu_analysis::region::{Root, region_of};

/// The most versions of a buffer: as many as a pipelined loop may have stages.
pub(crate) const MOST_VERSIONS: i64 = MAX_STAGES as i64;

/// The most cycles of an operation, and of all operations of a loop's iteration together. A scheduling problem counts
/// them for the operation, its engine, the control stream and each link.
pub(crate) const MOST_CYCLES: u64 = MAX_TOTAL_CYCLES / 16;

/// Checks all annotations of a function. Each refused one is an error at its operation.
pub(crate) fn check(function: Op<'_>) -> PassResult {
    let mut refused = false;
    for op in function.walk() {
        for message in [versions(op), cycles(op), stages(op), engine(op)?]
            .into_iter()
            .flatten()
        {
            error(op, &message, &[]);
            refused = true;
        }
    }
    if refused {
        return Err(Failed);
    }
    check_versions(function)
}

/// Checks that all numbers of versions for one buffer are equal. Each one that contradicts an earlier one is an error.
pub(crate) fn check_versions(function: Op<'_>) -> PassResult {
    let mut result = Ok(());
    let mut known: HashMap<Value<'_>, (Op<'_>, i64)> = HashMap::new();
    for (op, versions) in marked(function) {
        let Some(allocation) = versioned(op) else { continue };
        let (first, wanted) = *known.entry(allocation).or_insert((op, versions));
        if wanted != versions {
            let message = format!(
                "zpu.versions = {versions} contradicts zpu.versions = {wanted} of the same buffer; write one of them"
            );
            error(op, &message, &[note(first, "the other number stands here")]);
            result = Err(Failed);
        }
    }
    result
}

/// Moves numbers of versions from views to their allocations. Returns the views that are left: their memory is not
/// allocated in this function.
pub(crate) fn gather_versions(function: Op<'_>) -> Vec<Op<'_>> {
    let mut left = Vec::new();
    for (op, versions) in marked(function) {
        match versioned(op).and_then(Value::defining_op) {
            Some(allocation) if allocation == op => {}
            Some(allocation) => {
                op.remove_attr(annotation::VERSIONS);
                allocation.set_attr(annotation::VERSIONS, attr::int(allocation.context(), versions));
            }
            None => left.push(op),
        }
    }
    left
}

/// Operations with a number of versions, and that number.
fn marked(function: Op<'_>) -> Vec<(Op<'_>, i64)> {
    let all = function.walk().into_iter();
    all.filter_map(|op| Some((op, number(op, annotation::VERSIONS)?)))
        .collect()
}

/// The allocation that a number of versions on an operation is about.
fn versioned(op: Op<'_>) -> Option<Value<'_>> {
    let view = op.results().into_iter().find(|result| ty::is_memref(result.ty()))?;
    match region_of(view).root {
        Root::Allocation(root) => Some(root),
        _ => None,
    }
}

fn number(op: Op<'_>, name: &str) -> Option<i64> {
    op.attr(name).and_then(attr::as_int)
}

/// The error in the number of versions that an allocation asks for, if it is too large.
pub(crate) fn versions(op: Op<'_>) -> Option<String> {
    let versions = number(op, annotation::VERSIONS).filter(|versions| *versions > MOST_VERSIONS)?;
    Some(format!(
        "zpu.versions = {versions} is more than {MOST_VERSIONS}, the most versions that a buffer can have; ask for \
         fewer"
    ))
}

fn cycles(op: Op<'_>) -> Option<String> {
    let cycles =
        number(op, annotation::CYCLES).filter(|cycles| u64::try_from(*cycles).is_ok_and(|c| c > MOST_CYCLES))?;
    Some(format!(
        "zpu.cycles = {cycles} is more than {MOST_CYCLES}, the most cycles that can be planned; give fewer"
    ))
}

/// The largest stage that a loop asks for; 0 is no pipelining.
pub(crate) fn num_stages(loop_: Op<'_>) -> Option<i64> {
    number(loop_, annotation::NUM_STAGES)
}

fn stages(op: Op<'_>) -> Option<String> {
    let stages = num_stages(op).filter(|stages| *stages > MAX_STAGES.into())?;
    Some(format!(
        "zpu.num_stages = {stages} is more than {MAX_STAGES}, the most stages that a loop can have; ask for fewer"
    ))
}

/// True if a command stays on the engine that it names: the one that a user wanted, or one of few.
pub(crate) fn keeps_engine(op: Op<'_>) -> bool {
    op.has_attr(annotation::ENGINE) || op.has_attr(annotation::GATHERED)
}

/// Checks `zpu.engine` on a command: it keeps the command on its engine, so both have to name the same one.
fn engine(op: Op<'_>) -> Result<Option<String>, Failed> {
    let (Some(wanted), Some(named)) = (op.attr(annotation::ENGINE).and_then(attr::as_str), engine_of(op)) else {
        return Ok(None);
    };
    if wanted == named {
        return Ok(None);
    }
    let device = device::of(op)?;
    // A command that `zpu-convert-to-dma` made for a kind of engine still carries that kind.
    if device
        .engine(named)
        .is_some_and(|engine| engine.kind.to_string() == wanted)
    {
        return Ok(None);
    }
    Ok(Some(match device.engine(wanted) {
        None => format!(
            "zpu.engine = \"{wanted}\" is not one of the device's engines: {}",
            device.engine_names()
        ),
        Some(_) => format!(
            "zpu.engine = \"{wanted}\" contradicts 'on @{named}'; a command stays on the engine that it names, so \
             write that one, or none"
        ),
    }))
}

/// The count that an annotation or an option says, checked: from 1 to `most`.
pub(crate) fn count(at: Op<'_>, name: &str, value: i64, most: i64) -> Result<i64, Failed> {
    if (1..=most).contains(&value) {
        return Ok(value);
    }
    zpu_ir::error(at, &format!("{name} is {value}, must be from 1 to {most}"), &[]);
    Err(Failed)
}

/// The count that is written on an operation as an annotation, checked like [`count`].
pub(crate) fn count_on(op: Op<'_>, name: &str, most: i64) -> Result<Option<i64>, Failed> {
    number(op, name).map(|own| count(op, name, own, most)).transpose()
}
