//! `zpu-unroll-and-jam`: several iterations of a loop around an innermost one, side by side.
//!
//! Assumes synchronous commands on a device. Which loops that is right for, and how it is done, is in
//! [`crate::side_by_side`]; the pass obeys annotations and its options.

use std::collections::HashMap;

use zpu_ir::options::UnrollAndJamOptions;
use zpu_ir::scf::For;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, attr, device};

use crate::annotations::{self, count};
use crate::capacity::Check;
use crate::side_by_side::{MOST, Nest, PASS, is_inner};

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &UnrollAndJamOptions) -> PassResult {
    let of_all = factor_of(function)?.unwrap_or(count(function, "factor", options.factor, MOST)?);
    let most_commands = count(function, "max-commands", options.max_commands, MOST)?;
    let mut wanted = Vec::new();
    for for_ in function.find_all("scf.for").into_iter().filter_map(For::of) {
        let own = factor_of(for_.op)?;
        for_.op.remove_attr(annotation::UNROLL_AND_JAM);
        wanted.push((for_, own.unwrap_or(of_all), own.is_some()));
    }
    if function.has_attr(annotation::UNROLL_AND_JAM) || wanted.iter().any(|(.., is_own)| *is_own) {
        // What somebody wrote is done, and nothing is to be added.
        function.set_attr(annotation::UNROLL_AND_JAM, attr::int(function.context(), 1));
    }
    let mut is_jammed = false;
    // No loop that is jammed holds another one that could be.
    for (for_, wanted, is_own) in wanted.into_iter().filter(|(_, wanted, _)| *wanted > 1) {
        match Nest::of(for_) {
            Ok(nest) => {
                let wanted = nest.within(wanted, most_commands);
                is_jammed |= wanted > 1;
                nest.jam(wanted);
            }
            Err(decline) if is_own || for_.ops().iter().any(|op| is_inner(*op)) => {
                Remark::new(for_.op, RemarkKind::Missed, PASS, "declined")
                    .message(format!("iterations stay one after the other: {}", decline.message))
                    .emit();
            }
            Err(_) => {}
        }
    }
    if is_jammed {
        check_room(function, options.plan_memory)
    } else {
        Ok(())
    }
}

/// Reports buffers that do not fit their memories side by side.
fn check_room(function: Op<'_>, will_share: bool) -> PassResult {
    let Ok(device) = device::read(function) else {
        return Ok(());
    };
    let check = Check {
        device: &device,
        spaces: &HashMap::new(),
        unused: &|_| false,
        will_share,
        remedy: "let fewer iterations run side by side",
    };
    check.function(function)
}

/// The factor that is written on a loop or a function.
fn factor_of(op: Op<'_>) -> Result<Option<i64>, Failed> {
    annotations::count_on(op, annotation::UNROLL_AND_JAM, MOST)
}
