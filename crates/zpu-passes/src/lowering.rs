//! Options of the passes from a plan to waits, which those that try plans out have as well.

use zpu_device::{Device, NeverIssued};
use zpu_sched::{Scheduler, UnknownScheduler};
use zpu_sync::place::Limit;

use crate::num_stages::NumStages;
use crate::time_limit::seconds;

/// The scheduler and the depth that the options ask for.
///
/// # Errors
///
/// The message about the first wrong option, those of the passes after the planner included.
pub(crate) fn wanted(
    (scheduler, num_stages): (&str, &str),
    time_limit: &str,
    written_as: &str,
    mode: &str,
) -> Result<(Scheduler, NumStages), String> {
    let scheduler = scheduler.parse();
    seconds(time_limit)?;
    form(written_as)?;
    is_full(mode)?;
    Ok((
        scheduler.map_err(|unknown: UnknownScheduler| unknown.to_string())?,
        NumStages::of_option(num_stages)?,
    ))
}

/// True if each command is waited for right after its start.
pub(crate) fn is_full(mode: &str) -> Result<bool, String> {
    match mode {
        "minimal" => Ok(false),
        "full" => Ok(true),
        other => Err(format!("mode is '{other}', must be minimal or full")),
    }
}

/// The form in which a pipelined loop is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Prologue, kernel and epilogue; for a dynamic trip count also the original loop.
    Peeled,
    /// One loop over all kernel iterations, each unit under the condition that its iteration exists.
    Predicated,
    /// Peeled, unless that would make too many copies of units.
    Auto,
}

/// The form of that name.
pub(crate) fn form(name: &str) -> Result<Form, String> {
    match name {
        "peeled" => Ok(Form::Peeled),
        "predicated" => Ok(Form::Predicated),
        "auto" => Ok(Form::Auto),
        other => Err(format!("form is \"{other}\", must be peeled, predicated or auto")),
    }
}

/// The barrier ids that may be used; none if tokens stay tokens.
pub(crate) fn limit(ids: i64, device: &Device) -> Result<Option<Limit>, String> {
    let most = i64::try_from(device.sync.ids).unwrap_or(i64::MAX);
    let ids = match ids {
        0 => return Ok(None),
        -1 => most,
        ids => ids,
    };
    if (0..=most).contains(&ids) {
        let returns = device.sync.wait_on_never_issued == NeverIssued::Return;
        return Ok(Some(Limit { ids, returns }));
    }
    Err(if ids < 0 {
        format!("ids is {ids}, must be a number of barrier ids, -1 for all of the device's, or 0 for tokens")
    } else {
        format!(
            "ids is {ids}, but device @{} has {most} barrier ids; use at most so many, or ids=0 for tokens",
            device.name
        )
    })
}
