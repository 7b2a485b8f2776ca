//! `zpu-attach-device`: writes the machine into the module.
//!
//! Assumes nothing of the module. No later pass reads a device file: each reads the machine from the `zpu.device` at
//! the beginning of the module.
//!
//! ```mlir
//! module {
//! }
//! // becomes, with device=toy
//! module {
//!   zpu.device @toy clock 1.0 off_chip @dram default_space @rsram {
//!     zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
//!     zpu.memory @asram bytes 1048576 align 64
//!     ...
//!     zpu.sync ids 10 barriers 1 never_issued error
//!   }
//! }
//! ```
//!
//! A loop that upstream's canonicalisation would wrongly erase is refused first (see [`loop_range`]), and numbers of
//! versions that it would lose are moved to operations that keep them (see [`versions`]).
//!
//! A module that has its device already keeps it; the option for another device is an error then, and so is a device
//! that cannot be read. Commands that were written before the machine was chosen are checked against it; each one that
//! does not fit is an error. The module is only changed when the device is consistent and all commands fit.

mod loop_range;
mod versions;

use zpu_device::{Device, DeviceError, Origin, Place, builtin_names};
use zpu_ir::fragment::topology;
use zpu_ir::options::AttachDeviceOptions;
use zpu_ir::{Failed, Op, PassResult, attr, device, error, error_in_file, note};

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &AttachDeviceOptions) -> PassResult {
    if let Some(topology) = topology(module) {
        let message = "meshes have devices of their own: run zpu-mpmd-attach-devices; each fragment is compiled by \
                       itself (zpu-sim --compile)";
        error(topology.op, message, &[]);
        return Err(Failed);
    }
    loop_range::check(module)?;
    versions::check(module)?;
    attach(module, options)?;
    versions::keep(module);
    Ok(())
}

fn attach(module: Op<'_>, options: &AttachDeviceOptions) -> PassResult {
    let present = device::find(module);
    if options.device.is_empty() {
        return match present {
            Some(_) if options.set.is_empty() => device::of(module).map(drop),
            Some(present) => fail(
                module,
                SET_WITHOUT_DEVICE,
                Some((present, "this one would not be overridden")),
            ),
            None => fail(module, &no_device(), None),
        };
    }
    let wanted = Device::load(&options.device, &options.set).map_err(|problem| report(module, &problem))?;
    if let Some(present) = present {
        return if device::of(module)? == wanted {
            Ok(())
        } else {
            let message = format!(
                "the module already has a device, and it is not what device={} describes; remove one of them",
                options.device
            );
            fail(module, &message, Some((present, "the device of the module")))
        };
    }
    let Some(body) = module.body() else { return Ok(()) };
    let taken = |op: &Op<'_>| op.attr("sym_name").and_then(attr::as_str) == Some(&wanted.name);
    if let Some(other) = body.ops().find(taken) {
        let message = format!("the name @{} of the device is taken; rename one of them", wanted.name);
        return fail(module, &message, Some((other, "it is taken by this operation")));
    }
    device::attach(module, body, &wanted).map(drop)
}

const SET_WITHOUT_DEVICE: &str = "'set' overrides values of a device file, so it needs 'device' as well";

fn no_device() -> String {
    let names: Vec<&str> = builtin_names().collect();
    format!(
        "no device given and none in the module; give device=NAME (built in are {}) or the path of a device file",
        names.join(", ")
    )
}

fn fail<'c>(module: Op<'c>, message: &str, other: Option<(Op<'c>, &str)>) -> PassResult {
    let notes: Vec<_> = other.into_iter().map(|(op, text)| note(op, text)).collect();
    error(module, message, &notes);
    Err(Failed)
}

/// Reports each problem at its line of the device file, or at the module if it has no line.
fn report(module: Op<'_>, problem: &DeviceError) -> Failed {
    let at = |place: &Place, message: &str| match &place.origin {
        Origin::Line(line) => error_in_file(module, &place.file, *line, message),
        Origin::Override(_) => error(module, &format!("{place}: {message}"), &[]),
    };
    match problem {
        DeviceError::Inconsistent(problems) => problems
            .iter()
            .for_each(|(place, problem)| at(place, &problem.to_string())),
        DeviceError::Syntax { place, .. } | DeviceError::UnknownKey { place, .. } => {
            let text = problem.to_string();
            at(place, text.strip_prefix(&format!("{place}: ")).unwrap_or(&text));
        }
        problem => error(module, &problem.to_string(), &[]),
    }
    Failed
}
