//! A second executor of the machine model, written from `docs/machine-model.md` alone: the checker of the clock of
//! `zpu-sim`.
//!
//! A run has two parts. `stream` follows the control flow of a program and lists the steps of the control stream; this
//! needs no clock, since without values of memory no decision depends on time. `clock` then counts single cycles and
//! applies in each of them the page's rules for every unit.
//!
//! Invariant: the two executors share the form of a program (with what its scalar operations compute), the device and
//! the cost formulas, which are definitions. They share nothing that knows when something happens. Shares of a link are
//! exact fractions here, never floating-point numbers.

#![forbid(unsafe_code)]

mod clock;
mod command;
mod error;
mod fraction;
mod share;
mod stream;
mod value;
mod view;

use zpu_device::Device;
use zpu_sim::{EngineId, Program};

pub use error::StepError;

/// An argument of the entry. The contents of buffers are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Bit pattern of a number.
    Scalar(u64),
    /// Extents of a buffer.
    Shape(Vec<i64>),
}

/// The options and limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Cycles after which the run is given up.
    pub max_cycles: u64,
    /// Statements and loop iterations after which the run is given up.
    pub max_statements: u64,
    /// True to count in one go the cycles in which every unit only continues its activity.
    pub skip: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_cycles: 1 << 20,
            max_statements: 1 << 20,
            skip: false,
        }
    }
}

/// The result of a run. All times are cycles of the device's base clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The end of the control stream or of the last command, whichever is later.
    pub cycles: u64,
    /// In the order of issue.
    pub commands: Vec<CommandTimes>,
}

/// The times of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandTimes {
    /// Its engine.
    pub engine: EngineId,
    /// The cycle at which it enters the queue, or is lost.
    pub issue: u64,
    /// The cycle at which it takes its engine: its latency is over, and the command before it complete. `None` for a
    /// command that a full queue dropped.
    pub start: Option<u64>,
    /// The cycle at which it is complete. `None` for a command that a full queue dropped.
    pub end: Option<u64>,
}

/// Runs a function of a program on a device.
///
/// # Errors
///
/// If the path of the control stream depends on memory, or the program makes no sense, waits for ever, or goes beyond
/// the limits of `options`.
pub fn run(
    program: &Program,
    device: &Device,
    entry: &str,
    arguments: &[Argument],
    options: &Options,
) -> Result<Run, StepError> {
    let stream = stream::follow(program, device, entry, arguments, options.max_statements)?;
    clock::count(device, &stream, options)
}
