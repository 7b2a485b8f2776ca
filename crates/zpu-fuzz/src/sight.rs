//! What the simulator says of a module: the bytes that it leaves, its cycles, what is wrong with it.

use zpu_device::{Device, ElementType};
use zpu_ir::{Module, Op};
use zpu_sim::{
    Argument, Checks, FindingKind, MemRefType, Options, Order, Outcome, Output, SimError, ValueType, simulate,
};
use zpu_stepper::StepError;

use crate::program::Program;
use crate::run::Kind;

/// Runs of up to so many cycles are counted a second time by the stepper: enough for nearly all programs, and cheap.
const MOST_STEPPED: u64 = 20_000;
/// Runs of up to so many cycles are counted one by one, longer ones from change to change. A test of the stepper compares
/// the two.
const MOST_SINGLE: u64 = 1_000;
/// A run gives up after so many cycles.
const MOST_CYCLES: u64 = 20_000_000;

/// What a run leaves.
pub(crate) struct Sight {
    /// Bytes of the arguments that are buffers.
    pub(crate) memory: Vec<Vec<u8>>,
    pub(crate) cycles: u64,
    /// Cycles that the control stream spends on waits, loops and its own numbers.
    pub(crate) control: u64,
}

/// Translates and simulates a module; any finding is an error, and so is another clock than the stepper's.
pub(crate) fn look(module: &Module<'_>, device: &Device, program: &Program) -> Result<Sight, (Kind, String)> {
    let translated = translated(module, device, program)?;
    let outcome = run(&translated, device, program, Checks::ALL, Order::Timed)?;
    match wrong(&outcome) {
        Some(wrong) => Err(wrong),
        None => {
            let cycles = outcome.report.cycles;
            stepped(&translated, device, program, cycles).map_err(|message| (Kind::Clock, message))?;
            Ok(sight(outcome))
        }
    }
}

/// Counts the cycles of a run again, by an executor that shares nothing with the simulator but the form of the program and
/// the costs. What depends on loaded numbers is left out.
fn stepped(translated: &zpu_sim::Program, device: &Device, program: &Program, cycles: u64) -> Result<(), String> {
    if cycles > MOST_STEPPED {
        return Ok(());
    }
    let argument = |(position, ty): (usize, &ValueType)| match ty {
        ValueType::MemRef(memref) => zpu_stepper::Argument::Shape(extents(program, position, memref)),
        ValueType::Scalar(ty) => zpu_stepper::Argument::Scalar(scalar(program, position, *ty)),
        ValueType::Token => zpu_stepper::Argument::Scalar(0),
    };
    let arguments: Vec<_> = parameters(translated, program).enumerate().map(argument).collect();
    let options = zpu_stepper::Options {
        max_cycles: 2 * MOST_STEPPED,
        skip: cycles > MOST_SINGLE,
        ..zpu_stepper::Options::default()
    };
    match zpu_stepper::run(translated, device, &program.entry, &arguments, &options) {
        Ok(run) if run.cycles == cycles => Ok(()),
        Ok(run) => Err(format!(
            "the simulator takes {cycles} cycles, and the stepper {}",
            run.cycles
        )),
        // Outside of what the stepper does.
        Err(StepError::Unknown(..) | StepError::Statements(_) | StepError::Fraction) => Ok(()),
        Err(error) => Err(format!(
            "the simulator takes {cycles} cycles, and the stepper none: {error}"
        )),
    }
}

/// A module as the simulator takes it.
pub(crate) fn translated(
    module: &Module<'_>,
    device: &Device,
    program: &Program,
) -> Result<zpu_sim::Program, (Kind, String)> {
    zpu_translate::translate(Op::of_module(module), device, &program.entry)
        .map_err(|error| (Kind::Translate, error.to_string()))
}

/// One run with the arguments of `program`.
pub(crate) fn run(
    translated: &zpu_sim::Program,
    device: &Device,
    program: &Program,
    checks: Checks,
    order: Order,
) -> Result<Outcome, (Kind, String)> {
    let types = parameters(translated, program).enumerate();
    let arguments: Vec<Argument> = types.map(|(i, ty)| argument(program, i, ty)).collect();
    let options = Options {
        bound: false,
        max_cycles: MOST_CYCLES,
        checks,
        order,
        ..Options::default()
    };
    simulate(translated, device, &program.entry, arguments, &options).map_err(|error| match error {
        SimError::CycleLimit(..) => (Kind::Deadlock, error.to_string()),
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

/// Bytes and cycles.
pub(crate) fn sight(outcome: Outcome) -> Sight {
    let memory = outcome.arguments.into_iter().map(|output| match output {
        Output::Buffer { bytes, .. } => bytes,
        Output::Scalar(..) | Output::Nothing => Vec::new(),
    });
    let control = &outcome.report.control;
    Sight {
        memory: memory.collect(),
        cycles: outcome.report.cycles,
        control: control.waiting_cost + control.loops + control.scalars + control.issue,
    }
}

/// The types of the entry's parameters.
fn parameters<'a>(translated: &'a zpu_sim::Program, program: &Program) -> impl Iterator<Item = &'a ValueType> {
    let function = translated.function(&program.entry);
    let parameters = function.map(|id| &translated.functions[id.index()].parameters);
    parameters.into_iter().flatten().map(|parameter| &parameter.ty)
}

/// The argument at a position.
fn argument(program: &Program, position: usize, ty: &ValueType) -> Argument {
    match ty {
        ValueType::MemRef(memref) => {
            let shape = extents(program, position, memref);
            let count = usize::try_from(shape.iter().product::<i64>()).unwrap_or(0);
            let seed = zpu_sim::argument_seed(program.contents, position);
            let bytes = zpu_sim::random_bytes(seed, memref.element, count);
            Argument::Buffer { shape, bytes }
        }
        ValueType::Scalar(ty) => Argument::Scalar(scalar(program, position, *ty)),
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
    let (at, (left, right)) = expected
        .iter()
        .zip(found)
        .enumerate()
        .find(|(_, (left, right))| left != right)?;
    let byte = left
        .iter()
        .zip(right)
        .position(|(a, b)| a != b)
        .unwrap_or(left.len().min(right.len()));
    let count = left.iter().zip(right).filter(|(a, b)| a != b).count();
    Some(format!(
        "argument {at}: {count} of {} bytes differ, the first at {byte}",
        left.len()
    ))
}
