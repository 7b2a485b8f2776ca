//! What a user wrote on operations, checked against what the passes can do with it.
//!
//! The dialect's verifier knows what is never right; here stands what is too much for this compiler, or not there on this device. A
//! number that nothing could follow is an error at the operation that has it, before any pass decides anything by it.

use zpu_ir::work::engine_of;
use zpu_ir::{Failed, Op, PassResult, attr, device, error};
use zpu_sched::{MAX_STAGES, MAX_TOTAL_CYCLES};

/// Most versions of a buffer: as many as a pipelined loop may have stages.
pub(crate) const MOST_VERSIONS: i64 = MAX_STAGES as i64;

/// Most cycles of an operation, and of all operations of a loop's iteration together. A scheduling problem counts them for the
/// operation, its engine, the control stream and each link.
pub(crate) const MOST_CYCLES: u64 = MAX_TOTAL_CYCLES / 16;

/// Checks all annotations of a function. Each that is refused is an error at its operation.
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
    if refused { Err(Failed) } else { Ok(()) }
}

fn number(op: Op<'_>, name: &str) -> Option<i64> {
    op.attr(name).and_then(attr::as_int)
}

/// What is wrong with the number of versions that an allocation asks for, if it is too large.
pub(crate) fn versions(op: Op<'_>) -> Option<String> {
    let versions = number(op, "zpu.versions").filter(|versions| *versions > MOST_VERSIONS)?;
    Some(format!(
        "zpu.versions = {versions} is more than {MOST_VERSIONS}, the most versions that a buffer can have; ask for fewer"
    ))
}

fn cycles(op: Op<'_>) -> Option<String> {
    let cycles = number(op, "zpu.cycles").filter(|cycles| u64::try_from(*cycles).is_ok_and(|c| c > MOST_CYCLES))?;
    Some(format!(
        "zpu.cycles = {cycles} is more than {MOST_CYCLES}, the most cycles that can be planned; give fewer"
    ))
}

fn stages(op: Op<'_>) -> Option<String> {
    let stages = number(op, "zpu.num_stages").filter(|stages| *stages > MAX_STAGES.into())?;
    Some(format!(
        "zpu.num_stages = {stages} is more than {MAX_STAGES}, the most stages that a loop can have; ask for fewer"
    ))
}

/// A command's engine is the one that it names; `zpu.engine` says that it stays there.
fn engine(op: Op<'_>) -> Result<Option<String>, Failed> {
    let (Some(wanted), Some(named)) = (op.attr("zpu.engine").and_then(attr::as_str), engine_of(op)) else {
        return Ok(None);
    };
    if wanted == named {
        return Ok(None);
    }
    let device = device::of(op)?;
    // What became a command by the kind of its engine may still say so.
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
            "zpu.engine = \"{wanted}\" contradicts 'on @{named}'; a command stays on the engine that it names, so write that one, or none"
        ),
    }))
}
