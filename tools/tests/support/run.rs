//! Running a module: natively, and on the simulator.

use std::sync::Arc;

use zpu_device::Device;
use zpu_driver::{Executable, translate};
use zpu_ir::Module;
use zpu_ir::jit::{Arg, Jit};
use zpu_sim::Options;

use super::case::Buffer;
use super::text;

/// The outcome of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Contents of the arguments.
    pub(crate) memory: Vec<Vec<u8>>,
    /// Makespan.
    pub(crate) cycles: u64,
    /// Findings: races, uninitialised reads, a space that overflows.
    pub(crate) findings: Vec<String>,
}

/// The arguments after a native call.
pub(crate) fn natively(jit: &mut Jit, entry: &str, buffers: &[Buffer]) -> Result<Vec<Buffer>, String> {
    let mut args: Vec<Arg> = buffers.iter().map(Buffer::to_jit).collect();
    jit.call(entry, &mut args)?;
    let after = |(arg, buffer): (Arg, &Buffer)| match arg {
        Arg::Memref { bytes, .. } => Buffer {
            bytes,
            ..buffer.clone()
        },
        Arg::Scalar { .. } => buffer.clone(),
    };
    Ok(args.into_iter().zip(buffers).map(after).collect())
}

/// A built-in device.
pub(crate) fn device(name: &str) -> Result<Arc<Device>, String> {
    Device::load(name, &[]).map(Arc::new).map_err(text)
}

/// A function of a module as the simulator takes it.
pub(crate) fn program(module: &Module<'_>, device: &Arc<Device>, entry: &str) -> Result<Executable, String> {
    translate(module, Arc::clone(device), entry).map_err(text)
}

/// A run with all checks.
pub(crate) fn simulated(program: &Executable, buffers: &[Buffer]) -> Result<Run, String> {
    let options = Options {
        bound: false,
        ..Options::default()
    };
    simulated_with(program, buffers, &options)
}

/// A run.
pub(crate) fn simulated_with(program: &Executable, buffers: &[Buffer], options: &Options) -> Result<Run, String> {
    let arguments = buffers.iter().map(Buffer::to_simulator).collect();
    let outcome = program.simulate(arguments, options).map_err(text)?;
    Ok(Run {
        cycles: outcome.report.cycles,
        findings: outcome.report.findings.iter().map(ToString::to_string).collect(),
        memory: outcome.into_memory(),
    })
}
