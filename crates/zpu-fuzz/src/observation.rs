//! Observations of a module on the simulator: the bytes that it leaves, its cycles, its findings.

use std::sync::Arc;

use zpu_device::{Device, ElementType};
use zpu_driver::{Error, Executable, Fill, mismatch, translate};
use zpu_ir::Module;
use zpu_sim::{Argument, Checks, FindingKind, MemRefType, Options, Order, Outcome, SimError, ValueType};
use zpu_stepper::StepError;

use crate::program::Program;
use crate::run::Kind;

/// A run gives up after so many cycles.
const MOST_CYCLES: u64 = 20_000_000;
/// Runs of up to so many cycles are counted a second time by the stepper: enough for nearly all programs, and cheap.
const MOST_STEPPED: u64 = 20_000;
/// Runs of up to so many cycles are counted one by one, longer ones from change to change. A test of the stepper
/// compares the two.
const MOST_SINGLE: u64 = 1_000;

/// The outcome of a run.
pub(crate) struct Observation {
    /// Bytes of the arguments that are buffers.
    pub(crate) memory: Vec<Vec<u8>>,
    pub(crate) cycles: u64,
    /// Cycles that the control stream spends on waits, loops and its own numbers.
    pub(crate) control: u64,
}

/// Translates and simulates a module; any finding is an error, and so is another clock than the stepper's.
pub(crate) fn observe(
    module: &Module<'_>,
    device: &Arc<Device>,
    program: &Program,
) -> Result<Observation, (Kind, String)> {
    let executable = translated(module, device, program)?;
    let outcome = run(&executable, program, Checks::ALL, Order::Timed)?;
    match wrong(&outcome) {
        Some(wrong) => Err(wrong),
        None => {
            let cycles = outcome.report.cycles;
            stepped(&executable, program, cycles).map_err(|message| (Kind::Clock, message))?;
            Ok(observation(outcome))
        }
    }
}

/// Counts the cycles of a run again, by an executor that shares nothing with the simulator but the form of the program
/// and the costs. Programs that depend on loaded numbers are left out.
fn stepped(executable: &Executable, program: &Program, cycles: u64) -> Result<(), String> {
    if cycles > MOST_STEPPED {
        return Ok(());
    }
    let argument = |(position, ty): (usize, &ValueType)| match ty {
        ValueType::MemRef(memref) => zpu_stepper::Argument::Shape(extents(program, position, memref)),
        ValueType::Scalar(ty) => zpu_stepper::Argument::Scalar(scalar(program, position, *ty)),
        ValueType::Token => zpu_stepper::Argument::Scalar(0),
    };
    let arguments: Vec<_> = executable.types().enumerate().map(argument).collect();
    let options = zpu_stepper::Options {
        max_cycles: 2 * MOST_STEPPED,
        skip: cycles > MOST_SINGLE,
        ..zpu_stepper::Options::default()
    };
    match zpu_stepper::run(
        executable.program(),
        executable.device(),
        &program.entry,
        &arguments,
        &options,
    ) {
        Ok(run) if run.cycles == cycles => Ok(()),
        Ok(run) => Err(format!(
            "the simulator takes {cycles} cycles, and the stepper {}",
            run.cycles
        )),
        // The stepper does not run such programs.
        Err(StepError::Unknown(..) | StepError::Statements(_) | StepError::Fraction) => Ok(()),
        Err(error) => Err(format!(
            "the simulator takes {cycles} cycles, and the stepper none: {error}"
        )),
    }
}

/// The entry of `program` as the simulator takes it.
pub(crate) fn translated(
    module: &Module<'_>,
    device: &Arc<Device>,
    program: &Program,
) -> Result<Executable, (Kind, String)> {
    translate(module, Arc::clone(device), &program.entry).map_err(|error| (Kind::Translate, error.to_string()))
}

/// Runs a program once with the arguments of `program`.
pub(crate) fn run(
    executable: &Executable,
    program: &Program,
    checks: Checks,
    order: Order,
) -> Result<Outcome, (Kind, String)> {
    let options = Options {
        checks,
        order,
        bound: false,
        ..Options::default()
    };
    run_with(executable, program, &options)
}

/// The arguments of `program` for an entry.
pub(crate) fn arguments(executable: &Executable, program: &Program) -> Vec<Argument> {
    let types = executable.types().enumerate();
    types.map(|(position, ty)| argument(program, position, ty)).collect()
}

/// The same with other options.
pub(crate) fn run_with(
    executable: &Executable,
    program: &Program,
    options: &Options,
) -> Result<Outcome, (Kind, String)> {
    let options = Options {
        max_cycles: MOST_CYCLES,
        ..options.clone()
    };
    executable
        .simulate(arguments(executable, program), &options)
        .map_err(|error| match error {
            Error::Simulate(SimError::CycleLimit(..)) => (Kind::Deadlock, error.to_string()),
            _ => (Kind::Translate, error.to_string()),
        })
}

/// The first finding.
pub(crate) fn wrong(outcome: &Outcome) -> Option<(Kind, String)> {
    let finding = outcome.report.findings.first()?;
    let kind = match finding.kind {
        FindingKind::Race => Kind::Race,
        FindingKind::Deadlock => Kind::Deadlock,
        FindingKind::Capacity => Kind::Capacity,
        _ => Kind::Finding,
    };
    Some((kind, finding.to_string()))
}

/// The bytes and cycles of an outcome.
pub(crate) fn observation(outcome: Outcome) -> Observation {
    let control = &outcome.report.control;
    Observation {
        cycles: outcome.report.cycles,
        control: control.waiting_cost + control.loops + control.scalars + control.issue,
        memory: outcome.into_memory(),
    }
}

/// The argument at a position.
fn argument(program: &Program, position: usize, ty: &ValueType) -> Argument {
    match ty {
        ValueType::MemRef(memref) => {
            let shape = extents(program, position, memref);
            let count = usize::try_from(shape.iter().product::<i64>()).unwrap_or(0);
            let fill = Fill::Random(program.contents).of_argument(position);
            let bytes = fill.bytes(memref.element, count);
            Argument::Buffer { shape, bytes }
        }
        ValueType::Scalar(_) => Argument::Scalar(program.scalars.get(&position).copied().unwrap_or(0) as u64),
        ValueType::Token => Argument::Scalar(0),
    }
}

/// Extents of the buffer at a position.
fn extents(program: &Program, position: usize, ty: &MemRefType) -> Vec<i64> {
    let given = program.sizes.get(&position);
    let size = |(i, size): (usize, &Option<i64>)| size.or_else(|| given?.get(i).copied()).unwrap_or(0);
    ty.shape.iter().enumerate().map(size).collect()
}

/// Bit pattern of the number at a position.
fn scalar(program: &Program, position: usize, ty: ElementType) -> u64 {
    let value = program.scalars.get(&position).copied().unwrap_or(0);
    let mask = match ty {
        ElementType::Int(bits) if bits < 64 => (1u64 << bits) - 1,
        _ => u64::MAX,
    };
    value as u64 & mask
}

/// The first argument that differs.
pub(crate) fn difference(expected: &[Vec<u8>], found: &[Vec<u8>]) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("{} arguments instead of {}", found.len(), expected.len()));
    }
    let mut pairs = expected.iter().zip(found).enumerate();
    pairs.find_map(|(at, (left, right))| {
        let bytes = mismatch(left, right, 1)?;
        Some(format!(
            "argument {at}: {} of {} bytes differ, the first at {}",
            bytes.count, bytes.total, bytes.first
        ))
    })
}
