//! Running a module: natively, and on the simulator.

use zpu_device::Device;
use zpu_ir::jit::{Arg, Jit};
use zpu_ir::{Module, Op};
use zpu_sim::{Options, Output, Program, simulate};

use super::case::Buffer;

/// What a simulation leaves.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Contents of the arguments.
    pub(crate) memory: Vec<Vec<u8>>,
    /// Makespan.
    pub(crate) cycles: u64,
    /// What is wrong with the program: races, uninitialised reads, a space that overflows.
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

/// A module as the simulator takes it.
pub(crate) fn program(module: &Module<'_>, device: &Device, entry: &str) -> Result<Program, String> {
    zpu_translate::translate(Op::of_module(module), device, entry).map_err(|error| error.to_string())
}

/// A run with all checks.
pub(crate) fn simulated(program: &Program, device: &Device, entry: &str, buffers: &[Buffer]) -> Result<Run, String> {
    let arguments = buffers.iter().map(Buffer::to_simulator).collect();
    let options = Options {
        bound: false,
        ..Options::default()
    };
    let outcome = simulate(program, device, entry, arguments, &options).map_err(|error| error.to_string())?;
    let memory = outcome.arguments.into_iter().map(|output| match output {
        Output::Buffer { bytes, .. } => bytes,
        Output::Scalar(..) | Output::Nothing => Vec::new(),
    });
    Ok(Run {
        memory: memory.collect(),
        cycles: outcome.report.cycles,
        findings: outcome.report.findings.iter().map(ToString::to_string).collect(),
    })
}
