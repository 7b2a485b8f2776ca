//! All orders of completion of one run: which of them leave other bytes, and whether any command notices the
//! difference.
//!
//! The machine is free in this: a command reads all its operands at one moment and writes its outputs at a later one,
//! both between its start and the moment from which the control stream knows that it is complete; the commands of one
//! engine do so one after the other; everything else may happen in any order. What several operations of one command do
//! happens one operation after the other. What names no engine is on an engine of its own, and the stream waits for it
//! at once. A full queue that holds the stream orders nothing that a program may rely on; one that drops or fails may
//! be as full as the waits allow.
//!
//! Invariant: all of these orders are tried, or the answer says that they were too many. Races are not searched: this
//! search is the reference for the race check.

use std::fmt;
use std::rc::Rc;

use zpu_device::Device;

use crate::commit::Order;
use crate::explore::{Explorer, Found};
use crate::machine::Machine;
use crate::memory::Memory;
use crate::program::{Location, Program};
use crate::recording::Recording;
use crate::report::Finding;
use crate::scalar::read_element;
use crate::simulate::{Argument, Checks, Options, Output, SimError, bind, find, outputs, parameters, run, stopped};

/// Limits of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most states of memory and engines that are visited.
    pub states: u64,
    /// Commands that a run may issue.
    pub commands: u64,
    /// Loop iterations, calls or cycles of the run.
    pub cycles: u64,
    /// True to follow the contents of memory. Without them a state costs next to nothing and the search ends with the
    /// first two orders that some command can tell apart; whether the caller sees a difference is not decided, and
    /// `order_matters` is the whole answer.
    pub contents: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states: 1 << 20,
            commands: 4096,
            cycles: 1_000_000_000,
            contents: true,
        }
    }
}

/// The outcome of all orders of completion.
#[derive(Clone, Debug, PartialEq)]
pub struct Interleavings {
    /// Commands of a run.
    pub commands: u64,
    /// The number of states visited.
    pub states: u64,
    /// All orders were covered; if not, there were more states than allowed, or the answer was known before.
    pub complete: bool,
    /// In some orders a command reads, or overwrites, what another one wrote than in others, or a command may be lost.
    /// Whether that shows in the end is another question.
    pub order_matters: bool,
    /// A difference that the caller sees between two orders.
    pub difference: Option<Difference>,
    /// The reasons why a run in program order ends before its return.
    pub findings: Vec<Finding>,
}

/// Something that depends on the order.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The arguments and results at the return.
    Contents {
        /// The arguments, then the results, as one order leaves them.
        first: Vec<Output>,
        /// The results in the other order.
        other: Vec<Output>,
        /// The first order.
        first_order: Vec<Step>,
        /// The other order.
        other_order: Vec<Step>,
    },
    /// An element that the control stream reads, as bit patterns.
    Read {
        /// The place.
        location: Location,
        /// In program order.
        first: u64,
        /// In the other order.
        other: u64,
        /// The other order.
        order: Vec<Step>,
    },
    /// A command comes to a full queue, which drops it or ends the program.
    QueueFull {
        /// The engine.
        engine: String,
        /// The place of the command.
        location: Location,
    },
    /// An operation without a result.
    Fault {
        /// The place.
        location: Location,
        /// The reason.
        message: String,
    },
}

/// A command takes effect, in part or whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The command's name.
    pub name: String,
    /// Its engine; empty if it names none.
    pub engine: String,
    /// The place of the statement.
    pub location: Location,
    /// Values of the induction variables around it, outermost first.
    pub iteration: Vec<i64>,
    /// It writes; if not, it reads.
    pub writes: bool,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.writes { "writes" } else { "reads" };
        write!(f, "`{}`", self.name)?;
        if !self.engine.is_empty() {
            write!(f, " on @{}", self.engine)?;
        }
        write!(f, " {verb}")?;
        if !self.iteration.is_empty() {
            let values: Vec<String> = self.iteration.iter().map(i64::to_string).collect();
            write!(f, " (iteration {})", values.join(", "))?;
        }
        Ok(())
    }
}

/// Looks at every order in which the commands of a call can take effect.
///
/// # Errors
///
/// Like [`simulate`](crate::simulate), and if the call issues more commands than allowed.
pub fn interleavings(
    program: &Program,
    device: &Device,
    entry: &str,
    arguments: Vec<Argument>,
    limits: &Limits,
) -> Result<Interleavings, SimError> {
    let function = find(program, entry)?;
    let options = Options {
        checks: Checks::NONE,
        max_cycles: limits.cycles,
        bound: false,
        order: Order::Eager,
        ..Options::default()
    };
    let mut machine = Machine::new(program, device, &options)?;
    machine.memory.remember();
    let values = bind(&mut machine, function, arguments)?;
    machine.recording = Some(Recording::new(device.engines.len(), limits.commands));
    let results = match run(&mut machine, function, values.clone()) {
        Ok(results) => results,
        Err(stop) => {
            stopped(&mut machine, stop)?;
            Vec::new()
        }
    };
    let recording = machine.recording.take().unwrap_or_else(|| Recording::new(0, 0));
    machine.memory.begin_again();
    let memory = std::mem::replace(&mut machine.memory, Memory::new(device, 0));
    let mut explorer = Explorer::new(&recording.events, device, memory, limits.contents);
    let found = explorer.explore(limits.states);
    let (states, complete, order_matters) = (explorer.states, explorer.complete, explorer.order_matters);
    machine.memory = explorer.into_memory();
    let steps = |path| steps(program, device, path);
    // A failure in program order is no difference.
    let found = found.filter(|found| !matches!(found, Found::Fault { .. }) || machine.findings.is_empty());
    let difference = found.map(|found| match found {
        Found::Contents { first, other } => {
            let types: Vec<_> = program.functions[function.index()].results.iter().collect();
            let mut seen = |contents: &[Rc<Vec<u8>>]| {
                for (buffer, bytes) in machine.memory.buffers.iter_mut().zip(contents) {
                    buffer.bytes = bytes.to_vec().into();
                }
                let mut seen = outputs(&machine, &values, parameters(program, function));
                seen.extend(outputs(&machine, &results, types.iter().copied()));
                seen
            };
            Difference::Contents {
                first: seen(&first.contents),
                other: seen(&other.contents),
                first_order: steps(first.path),
                other_order: steps(other.path),
            }
        }
        Found::Read {
            location,
            first,
            other,
            path,
        } => Difference::Read {
            location: program.location(location),
            first: read_element(&first),
            other: read_element(&other),
            order: steps(path),
        },
        Found::QueueFull { engine, accessor } => Difference::QueueFull {
            engine: device.engines[engine].name.clone(),
            location: program.location(accessor.location),
        },
        Found::Fault { fault, location } => Difference::Fault {
            location: program.location(location),
            message: fault.to_string(),
        },
    });
    Ok(Interleavings {
        commands: recording.commands(),
        states,
        complete,
        order_matters: order_matters || difference.is_some(),
        difference,
        findings: machine.findings.into_lists().0,
    })
}

fn steps(program: &Program, device: &Device, path: Vec<(Rc<crate::hazard::Accessor>, bool)>) -> Vec<Step> {
    let step = |(accessor, writes): (Rc<crate::hazard::Accessor>, bool)| Step {
        name: accessor.name.to_string(),
        engine: accessor
            .engine
            .map_or_else(String::new, |engine| device.engines[engine].name.clone()),
        location: program.location(accessor.location),
        iteration: accessor.iteration.to_vec(),
        writes,
    };
    path.into_iter().map(step).collect()
}
