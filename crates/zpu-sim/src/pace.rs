//! The cycles of a program, without its values, for a compiler that chooses among programs.
//!
//! Invariant: where no loop is cut short, the cycles are those of [`crate::simulate`] with arguments that lead the
//! control stream along the same way. Nothing is checked: accesses out of bounds cost what they cost.

use zpu_device::{Device, ElementType};

use crate::commit::Order;
use crate::machine::Machine;
use crate::program::{MemRefType, Program, ValueType};
use crate::repetition::Repetition;
use crate::scalar::{element_bytes, mask, write_element};
use crate::simulate::{Checks, Options, SimError, Values, argument_view, bind_contents, bytes_of, find, run, stopped};
use crate::storage::Storage;
use crate::value::Value;

/// An argument of which only the size matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaceArgument {
    /// Bit pattern of a number.
    Scalar(u64),
    /// Extents of a buffer. Integers in it are 1, so that conditions and indices which are read from it are true and in
    /// bounds; all other numbers are 0.
    Shape(Vec<i64>),
}

/// The cycles of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Cycles from the first statement to the end of the last command; 2^54 stands for all larger numbers.
    pub cycles: u64,
    /// Largest sum of the bytes of local buffers, over all memories.
    pub bytes: u64,
    /// True if no memory on chip held more than its size.
    pub fits: bool,
    /// Commands that were issued.
    pub commands: u64,
    /// True if every iteration was run.
    pub exact: bool,
}

/// Buffers up to this size get their integers filled in; larger ones are hardly what conditions are read from.
const MOST_FILLED: usize = 1 << 20;
/// Commands after which loops whose iterations differ are run in part.
const MOST_COMMANDS: u64 = 1 << 14;
/// Cycles that a run is counted as, at the most, so that those of hundreds of runs can be added: a loop to a number
/// below zero, taken as unsigned, has nearly 2^64 iterations.
const MOST_CYCLES: u64 = 1 << 54;
/// Loop iterations and calls after which the run is given up.
const MOST_STEPS: u64 = 1 << 20;

/// The pace of a function with given arguments. After `exact_commands` commands, loops that repeat themselves are cut
/// short; after many more, all long loops are.
///
/// # Errors
///
/// The pace of a run like [`crate::simulate`]; `None` if the run did not reach its end.
pub fn pace(
    program: &Program,
    device: &Device,
    entry: &str,
    arguments: &[PaceArgument],
    exact_commands: u64,
) -> Result<Option<Pace>, SimError> {
    let options = Options {
        checks: Checks::NONE,
        bound: false,
        values: Values::Assumed,
        order: Order::Eager,
        ..Options::default()
    };
    let function = find(program, entry)?;
    let mut machine = Machine::new(program, device, &options)?;
    machine.repetition = Repetition {
        after: Some(exact_commands),
        sampled_after: exact_commands.max(MOST_COMMANDS),
        ..Repetition::default()
    };
    machine.most_steps = MOST_STEPS;
    let parameters = &program.functions[function.index()].parameters;
    let mut values = Vec::with_capacity(arguments.len());
    for (position, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
        let value = bind(&mut machine, position, &parameter.ty, argument)?;
        values.push(value);
    }
    let before: u64 = machine.memory.spaces.iter().map(|space| space.live).sum();
    if let Err(stop) = run(&mut machine, function, values) {
        stopped(&mut machine, stop)?;
        return Ok(None);
    }
    let peaks: u64 = machine.memory.spaces.iter().map(|space| space.peak).sum();
    let skipped = machine.repetition.skipped;
    let mut memories = device.memories.iter().zip(&machine.memory.spaces);
    let fits = memories.all(|(memory, usage)| device.is_off_chip(&memory.name) || usage.peak <= memory.bytes);
    Ok(Some(Pace {
        fits,
        cycles: machine.makespan().saturating_add(skipped).min(MOST_CYCLES),
        bytes: peaks.saturating_sub(before),
        commands: machine.issued,
        exact: skipped == 0,
    }))
}

fn bind(
    machine: &mut Machine<'_>,
    position: usize,
    ty: &ValueType,
    argument: &PaceArgument,
) -> Result<Value, SimError> {
    let error = |reason: String| SimError::Argument { position, reason };
    match (ty, argument) {
        (ValueType::Scalar(ty), PaceArgument::Scalar(bits)) => Ok(Value::Scalar(bits & mask(*ty))),
        (ValueType::MemRef(ty), PaceArgument::Shape(shape)) => {
            let view = argument_view(ty, shape).map_err(|fault| error(fault.to_string()))?;
            let size = bytes_of(&view).map_err(|fault| error(fault.to_string()))?;
            if size as u64 > machine.options.max_host_bytes {
                return Err(error(format!("{size} bytes are too many")));
            }
            let contents = contents(ty, size).ok_or_else(|| error(format!("there is no room for {size} bytes")))?;
            bind_contents(machine, position, ty, view, contents).map_err(|fault| error(fault.to_string()))
        }
        _ => Err(error("is not of its parameter's kind".to_owned())),
    }
}

/// Ones in buffers of integers, else zeros; none if there is no room for them.
fn contents(ty: &MemRefType, size: usize) -> Option<Storage> {
    let mut contents = Storage::zeros(size)?;
    let is_number = matches!(ty.element, ElementType::Int(_) | ElementType::Index);
    if is_number && size <= MOST_FILLED {
        let elements = contents.chunks_exact_mut(element_bytes(ty.element));
        elements.for_each(|element| write_element(element, 1));
    }
    Some(contents)
}
