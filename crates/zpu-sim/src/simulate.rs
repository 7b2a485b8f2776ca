//! One run: arguments in, memory and report out.

use zpu_device::{Device, ElementType};

use crate::blockage::Blockage;
use crate::commit::Order;
use crate::distance::DistanceReport;
use crate::fault::Fault;
use crate::footprint::Footprint;
use crate::hazard::Access;
use crate::live_bytes::LiveBytes;
use crate::machine::{Machine, Stop};
use crate::memory::{BufferId, Origin};
use crate::program::{FunctionId, MemRefType, Program, ValueType};
use crate::recording::Event;
use crate::report::{ControlReport, EngineReport, FindingKind, MemoryReport, Report, SCHEMA};
use crate::scalar::{element_bytes, mask};
use crate::storage::{Initial, Storage};
use crate::trace::TraceEvent;
use crate::unread::unread;
use crate::value::Value;
use crate::view::{Extents, View, element_count, row_major};
use crate::whole_run::WholeRun;

/// The options of a run: its checks, its limits, its order.
#[derive(Clone, Debug)]
pub struct Options {
    /// The checks.
    pub checks: Checks,
    /// The run ends with an error after so many cycles, or so many loop iterations and calls.
    pub max_cycles: u64,
    /// Bytes of buffers that may be live at once on the machine that simulates.
    pub max_host_bytes: u64,
    /// Collect the timeline.
    pub trace: bool,
    /// Count the bytes that are alive in each memory; its memory grows with the run.
    pub live_bytes: bool,
    /// Compute the lower bound.
    pub bound: bool,
    /// Record the run as a scheduling problem; its memory grows with the run.
    pub whole_run: bool,
    /// The time at which commands change memory.
    pub order: Order,
    /// Whether commands do anything to memory.
    pub values: Values,
}

impl Options {
    /// The same for a run without values: nothing that needs them is checked.
    #[must_use]
    pub fn without_values(self) -> Self {
        Self {
            values: Values::Off,
            checks: Checks {
                race: false,
                init: false,
                ..self.checks
            },
            ..self
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            checks: Checks::ALL,
            max_cycles: 1 << 40,
            max_host_bytes: 8 << 30,
            trace: false,
            live_bytes: false,
            bound: true,
            whole_run: false,
            order: Order::Timed,
            values: Values::On,
        }
    }
}

/// Whether a run has numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// Commands do what they do.
    #[default]
    On,
    /// They take time and nothing else. Where the control stream needs a number that is not known then, the run is
    /// given up.
    Off,
    /// The same, where such a number is what the caller's buffers hold, and nothing is checked; see [`crate::pace`].
    Assumed,
}

/// Kinds of findings that are looked for. A program without a meaning is always reported, and so is a deadlock, which
/// ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Accesses that nothing orders.
    pub race: bool,
    /// Commands that were lost.
    pub deadlock: bool,
    /// Spaces that overflow.
    pub capacity: bool,
    /// Reads of bytes that were never written.
    pub init: bool,
}

impl Checks {
    /// All checks.
    pub const ALL: Self = Self {
        race: true,
        deadlock: true,
        capacity: true,
        init: true,
    };
    /// No check.
    pub const NONE: Self = Self {
        race: false,
        deadlock: false,
        capacity: false,
        init: false,
    };
}

/// An argument of the entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Bit pattern of a number.
    Scalar(u64),
    /// A buffer of its own of these extents, whose contents nobody knows: for runs without values.
    Shape(Vec<i64>),
    /// A buffer of its own.
    Buffer {
        /// Extents.
        shape: Vec<i64>,
        /// Row-major contents, little-endian.
        bytes: Vec<u8>,
    },
}

/// A value after a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Bit pattern of a number.
    Scalar(ElementType, u64),
    /// A buffer.
    Buffer {
        /// Element type.
        element: ElementType,
        /// Extents.
        shape: Vec<i64>,
        /// Row-major contents, little-endian.
        bytes: Vec<u8>,
    },
    /// A token, or a buffer that is gone.
    Nothing,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Numbers and findings.
    pub report: Report,
    /// The arguments after the run.
    pub arguments: Vec<Output>,
    /// The results of the entry; empty if it did not return.
    pub results: Vec<Output>,
    /// The timeline, if it was asked for: in order of the ends.
    pub trace: Vec<TraceEvent>,
    /// The bytes that are alive in each memory, if they were asked for: in order of cycles.
    pub live_bytes: Vec<LiveBytes>,
    /// The run as a scheduling problem, if it was asked for and the program ran to its end.
    pub whole_run: Option<WholeRun>,
}

impl Outcome {
    /// Contents of the arguments, by position; empty where an argument is a number, or a buffer that is gone.
    pub fn into_memory(self) -> Vec<Vec<u8>> {
        let memory = self.arguments.into_iter().map(|output| match output {
            Output::Buffer { bytes, .. } => bytes,
            Output::Scalar(..) | Output::Nothing => Vec::new(),
        });
        memory.collect()
    }
}

/// The reason why a run did not begin, or was given up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// No such function.
    #[error("there is no function `{name}`; the module has {known}")]
    NoEntry {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Too many or too few arguments.
    #[error("`{name}` takes {expected} arguments, {found} were given")]
    ArgumentCount {
        /// The entry.
        name: String,
        /// The number of its parameters.
        expected: usize,
        /// The number of arguments given.
        found: usize,
    },
    /// An argument that does not fit its parameter.
    #[error("argument {position}: {reason}")]
    Argument {
        /// Its position.
        position: usize,
        /// The reason.
        reason: String,
    },
    /// The program is malformed before any statement ran.
    #[error(transparent)]
    Program(#[from] Fault),
    /// The run did not end in time.
    #[error("gave up after {0} cycles or loop iterations, {1}; a larger limit is set by --max-cycles")]
    CycleLimit(u64, Blockage),
    /// A number that decides what is done next is not known without values.
    #[error(
        "{at}: depends on a number that is read from memory at {read_at}, which is not known without values; give the \
         buffer that holds it with --arg, or run with --values=on"
    )]
    NeedsValues {
        /// The place of what depends on it.
        at: String,
        /// The place of the load.
        read_at: String,
    },
    /// More commands than the search over all orders takes.
    #[error(
        "issues more than {0} commands: all orders of completion are tried for programs up to that size, some by \
         --orders=K"
    )]
    TooManyCommands(u64),
    /// More commands, waits and accesses of the control stream than the search over all orders takes.
    #[error(
        "has more than {0} commands, waits and own accesses: all orders of completion are tried for programs up to \
         that size, some by --orders=K"
    )]
    TooManyEvents(usize),
}

/// Runs a function of a program on a device. Findings are part of the outcome; an error means that there is none.
pub fn simulate(
    program: &Program,
    device: &Device,
    entry: &str,
    arguments: Vec<Argument>,
    options: &Options,
) -> Result<Outcome, SimError> {
    let function = find(program, entry)?;
    let mut machine = Machine::new(program, device, options)?;
    let values = bind(&mut machine, function, arguments)?;
    let results = match run(&mut machine, function, values.clone()) {
        Ok(results) => Some(results),
        Err(stop) => {
            stopped(&mut machine, stop)?;
            None
        }
    };
    if options.checks.deadlock {
        machine.report_dropped();
        if results.is_some() {
            machine.check_balance();
        }
    }
    let types: Vec<&ValueType> = program.functions[function.index()].results.iter().collect();
    let completed = results.is_some();
    let results = outputs(&machine, &results.unwrap_or_default(), types);
    let arguments = outputs(&machine, &values, parameters(program, function));
    Ok(finish(machine, entry, completed, arguments, results))
}

/// Makes a finding of why a run ended early; an error if there is no outcome.
pub(crate) fn stopped(machine: &mut Machine<'_>, stop: Stop) -> Result<(), SimError> {
    match stop {
        Stop::CycleLimit => Err(SimError::CycleLimit(machine.options.max_cycles, machine.stuck())),
        Stop::TooManyCommands(limit) => Err(SimError::TooManyCommands(limit)),
        Stop::TooManyEvents(limit) => Err(SimError::TooManyEvents(limit)),
        Stop::Deadlock => Ok(()),
        Stop::Fault(Fault::Unknown(load), location) => Err(SimError::NeedsValues {
            at: machine.program.location(location).to_string(),
            read_at: machine.program.location(load).to_string(),
        }),
        Stop::Fault(fault, location) => {
            let (program, text) = (machine.program, fault.to_string());
            machine
                .findings
                .other(program, FindingKind::Invalid, location, text, Vec::new());
            Ok(())
        }
    }
}

/// Types of a function's parameters.
pub(crate) fn parameters(program: &Program, function: FunctionId) -> impl Iterator<Item = &ValueType> {
    let parameters = program.functions[function.index()].parameters.iter();
    parameters.map(|parameter| &parameter.ty)
}

/// Values of given types as the caller sees them.
pub(crate) fn outputs<'t>(
    machine: &Machine<'_>,
    values: &[Value],
    types: impl IntoIterator<Item = &'t ValueType>,
) -> Vec<Output> {
    let pairs = values.iter().zip(types);
    pairs.map(|(value, ty)| output(machine, value, ty)).collect()
}

/// The function of that name.
pub(crate) fn find(program: &Program, entry: &str) -> Result<FunctionId, SimError> {
    program.function(entry).ok_or_else(|| {
        let names: Vec<String> = program
            .functions
            .iter()
            .map(|function| format!("`{}`", function.name))
            .collect();
        SimError::NoEntry {
            name: entry.to_owned(),
            known: if names.is_empty() {
                "none".into()
            } else {
                names.join(", ")
            },
        }
    })
}

/// Runs a function to its return and lets the engines finish.
pub(crate) fn run(machine: &mut Machine<'_>, function: FunctionId, values: Vec<Value>) -> Result<Vec<Value>, Stop> {
    let results = machine.call(function, values, 0)?;
    check_return(machine, function, &results)?;
    machine.drain()?;
    Ok(results)
}

/// Checks that no command on the caller's buffers, or on those that it gets, is outstanding when the entry returns: the
/// caller may read and write them.
fn check_return(machine: &mut Machine<'_>, function: FunctionId, results: &[Value]) -> Result<(), Stop> {
    let returned = |id: BufferId| {
        results
            .iter()
            .any(|value| matches!(value, Value::View(view) if view.buffer == id))
    };
    let location = machine.program.functions[function.index()].return_location;
    let accessor = machine.accessor("return", location, None);
    let mut accesses = Vec::new();
    for buffer in &machine.memory.buffers {
        let id = buffer.id;
        let is_callers = matches!(buffer.origin, Origin::Argument(_)) || returned(id);
        if is_callers && !buffer.bytes.is_empty() {
            let footprint = Footprint::run(0, buffer.bytes.len() as u64);
            // The caller's read comes first: an unfinished write then shows as a read-after-write race.
            accesses.push(Access {
                buffer: id,
                footprint: footprint.clone(),
                write: false,
                ends: false,
            });
            accesses.push(Access {
                buffer: id,
                footprint,
                write: true,
                ends: false,
            });
        }
    }
    for value in results {
        let Value::View(view) = value else { continue };
        if let Some(window) = machine.memory.window(view.buffer) {
            let footprint = Footprint::run(window.first, window.end - window.first);
            accesses.extend([false, true].map(|write| Access {
                buffer: view.buffer,
                footprint: footprint.clone(),
                write,
                ends: false,
            }));
        }
    }
    machine.check_races(&accessor, &accesses);
    machine.record(|| Event::Return {
        buffers: accesses.iter().step_by(2).map(|access| access.buffer).collect(),
    })
}

/// Makes the entry's values of the arguments.
pub(crate) fn bind(
    machine: &mut Machine<'_>,
    function: FunctionId,
    arguments: Vec<Argument>,
) -> Result<Vec<Value>, SimError> {
    let function = &machine.program.functions[function.index()];
    if arguments.len() != function.parameters.len() {
        let (expected, found) = (function.parameters.len(), arguments.len());
        return Err(SimError::ArgumentCount {
            name: function.name.clone(),
            expected,
            found,
        });
    }
    let mut values = Vec::with_capacity(arguments.len());
    for (position, (parameter, argument)) in function.parameters.iter().zip(arguments).enumerate() {
        let error = |reason: String| SimError::Argument { position, reason };
        values.push(match (&parameter.ty, argument) {
            (ValueType::Scalar(ty), Argument::Scalar(bits)) => Value::Scalar(bits & mask(*ty)),
            (ValueType::MemRef(ty), Argument::Buffer { shape, bytes }) => {
                bind_buffer(machine, position, ty, &shape, &bytes).map_err(|fault| error(fault.to_string()))?
            }
            (ValueType::MemRef(_), Argument::Shape(_)) if machine.options.values == Values::On => {
                return Err(error("has no contents, which a run with values needs".into()));
            }
            (ValueType::MemRef(ty), Argument::Shape(shape)) => {
                let shaped = argument_view(ty, &shape).and_then(|view| {
                    let contents = vec![0; bytes_of(&view)?];
                    bind_contents(machine, position, ty, view, contents)
                });
                shaped.map_err(|fault| error(fault.to_string()))?
            }
            (ValueType::Scalar(_), _) => return Err(error("is a number, a buffer was given".into())),
            (ValueType::MemRef(_), _) => return Err(error("is a buffer, a number was given".into())),
            (ValueType::Token, _) => {
                return Err(error(
                    "is a token, which cannot be given from outside; issue its command in the function".into(),
                ));
            }
        });
    }
    for (value, is_unread) in values.iter().zip(unread(machine.program, function)) {
        if let (Value::View(view), true) = (value, is_unread) {
            machine.dataflow.mark_unread(view.buffer);
        }
    }
    for space in 0..machine.memory.spaces.len() {
        machine.check_capacity(crate::program::SpaceId(space as u32), None);
    }
    Ok(values)
}

fn bind_buffer(
    machine: &mut Machine<'_>,
    position: usize,
    ty: &MemRefType,
    shape: &[i64],
    bytes: &[u8],
) -> Result<Value, Fault> {
    let elements = element_count(shape)?;
    let size = element_bytes(ty.element) as i64;
    let expected = elements.checked_mul(size).ok_or(Fault::TooLarge)?;
    if expected != bytes.len() as i64 {
        let (end, size) = (expected.unsigned_abs(), bytes.len() as u64);
        return Err(Fault::Bytes { start: 0, end, size });
    }
    let view = argument_view(ty, shape)?;
    let mut contents = vec![0; bytes_of(&view)?];
    if view.offset == 0 && view.strides == row_major(shape) {
        contents.copy_from_slice(bytes);
    } else {
        let size = size as usize;
        for (element, at) in bytes.chunks_exact(size).zip(addresses(&view)?) {
            contents[at..at + size].copy_from_slice(element);
        }
    }
    let size = contents.len() as u64;
    let bound = bind_contents(machine, position, ty, view, contents)?;
    if let (Some(known), Value::View(view)) = (&mut machine.known, &bound) {
        known.learn(view.buffer, &Footprint::run(0, size));
    }
    Ok(bound)
}

/// The view of an argument of a type, in a buffer that begins with it.
pub(crate) fn argument_view(ty: &MemRefType, shape: &[i64]) -> Result<View, Fault> {
    let dense = View::dense(BufferId(0), Extents::from_slice(shape), ty.element).cast(&ty.shape)?;
    let dynamic = row_major(shape);
    let (offset, strides) = match &ty.layout {
        None => (0, dynamic),
        Some(layout) => {
            let stride = |(given, dynamic): (&Option<i64>, &i64)| given.unwrap_or(*dynamic);
            (
                layout.offset.unwrap_or(0),
                layout.strides.iter().zip(&dynamic).map(stride).collect(),
            )
        }
    };
    if strides.len() != shape.len() {
        return Err(Fault::Rank {
            expected: shape.len(),
            found: strides.len(),
        });
    }
    Ok(View {
        offset,
        strides,
        ..dense
    })
}

/// Bytes of a buffer that begins with byte 0 and ends with the view.
pub(crate) fn bytes_of(view: &View) -> Result<usize, Fault> {
    let end = view.footprint()?.map_or(0, |footprint| footprint.end);
    usize::try_from(end).map_err(|_| Fault::TooLarge)
}

/// An argument's view over a new buffer.
pub(crate) fn bind_contents(
    machine: &mut Machine<'_>,
    position: usize,
    ty: &MemRefType,
    view: View,
    contents: impl Into<Storage>,
) -> Result<Value, Fault> {
    let space = ty.space.unwrap_or_else(|| machine.routes.off_chip());
    let contents = contents.into();
    let bytes = contents.len() as u64;
    let buffer = machine
        .memory
        .allocate(bytes, Initial::Bytes(contents), Origin::Argument(position), space)?;
    Ok(Value::View(std::rc::Rc::new(View { buffer, ..view })))
}

/// Bytes of all elements of a view, in row-major order.
fn addresses(view: &View) -> Result<impl Iterator<Item = usize>, Fault> {
    let mut point = vec![0; view.sizes.len()];
    let mut left = view.elements();
    let (view, mut next) = (view.clone(), view.address(&vec![0; point.len()]).unwrap_or(0));
    Ok(std::iter::from_fn(move || {
        left = left.checked_sub(1)?;
        let here = next;
        for dim in (0..point.len()).rev() {
            point[dim] += 1;
            next += view.strides[dim] * view.element_bytes();
            if point[dim] < view.sizes[dim] {
                break;
            }
            next -= view.strides[dim] * view.element_bytes() * view.sizes[dim];
            point[dim] = 0;
        }
        usize::try_from(here).ok()
    }))
}

/// A value as the caller sees it.
fn output(machine: &Machine<'_>, value: &Value, ty: &ValueType) -> Output {
    match (value, ty) {
        // A run without values leaves nothing in memory that means anything.
        (Value::View(_), _) if machine.options.values == Values::Off => Output::Nothing,
        (Value::Scalar(bits), ValueType::Scalar(ty)) => Output::Scalar(*ty, *bits),
        (Value::Scalar(bits), _) => Output::Scalar(ElementType::Index, *bits),
        (Value::View(view), _) => {
            let size = element_bytes(view.element);
            let inside = view.footprint().ok().is_some_and(|footprint| {
                footprint.is_none_or(|footprint| machine.memory.check(view.buffer, &footprint).is_ok())
            });
            let (Ok(bytes), Ok(addresses), true) = (machine.memory.live_bytes(view.buffer), addresses(view), inside)
            else {
                return Output::Nothing;
            };
            let mut out = Vec::with_capacity(view.elements() as usize * size);
            match usize::try_from(view.origin().unwrap_or(-1)) {
                Ok(start) if view.contiguous_run() == view.elements() => {
                    out.extend_from_slice(&bytes[start..start + view.elements() as usize * size]);
                }
                _ => addresses.for_each(|at| out.extend_from_slice(&bytes[at..at + size])),
            }
            Output::Buffer {
                element: view.element,
                shape: view.sizes.to_vec(),
                bytes: out,
            }
        }
        _ => Output::Nothing,
    }
}

fn finish(machine: Machine<'_>, entry: &str, completed: bool, arguments: Vec<Output>, results: Vec<Output>) -> Outcome {
    let cycles = machine.makespan();
    let device = machine.device;
    let mut engines = Vec::with_capacity(device.engines.len());
    let mut commands = 0;
    for (index, engine) in device.engines.iter().enumerate() {
        let usage = machine.usage[index];
        let stalled = usage.latency + usage.sharing;
        commands += usage.commands;
        engines.push(EngineReport {
            name: engine.name.clone(),
            kind: engine.kind.to_string(),
            commands: usage.commands,
            bytes: machine.bytes[index],
            busy: usage.busy,
            stalled,
            stalled_latency: usage.latency,
            stalled_sharing: usage.sharing,
            idle: cycles.saturating_sub(usage.busy).saturating_sub(stalled),
        });
    }
    let (live_bytes, most_live) = machine.lives.map(|lives| lives.finish(cycles)).unzip();
    let most_live: Option<Vec<u64>> = most_live;
    let memories = device.memories.iter().zip(&machine.memory.spaces).enumerate();
    let memories = memories.map(|(at, (memory, usage))| MemoryReport {
        name: memory.name.clone(),
        capacity: memory.bytes,
        peak: usage.peak,
        live: most_live
            .as_ref()
            .filter(|_| !device.is_off_chip(&memory.name))
            .map(|most| most[at]),
    });
    let names: Vec<String> = device.engines.iter().map(|engine| engine.name.clone()).collect();
    let links: Vec<String> = device.links.iter().map(|link| link.name.clone()).collect();
    let (findings, warnings) = machine.findings.into_lists();
    let tight = machine.dataflow.tight_report(cycles, &names, &links);
    // A run that stopped tells nothing about the time that the program takes.
    let distance = match completed {
        true => machine
            .losses
            .distance(cycles, tight.report.cycles, &tight.limit, &machine.usage),
        false => DistanceReport::default(),
    };
    let whole_run = machine.recorder.filter(|_| completed).map(|recorder| {
        let mut resident = vec![0u64; machine.memory.spaces.len()];
        for buffer in machine.memory.buffers.iter().filter(|buffer| buffer.is_fixed()) {
            resident[buffer.space.index()] += buffer.bytes.len() as u64;
        }
        recorder.finish(resident)
    });
    let report = Report {
        schema: SCHEMA,
        values: machine.options.values == Values::On,
        entry: entry.to_owned(),
        device: device.name.clone(),
        completed,
        cycles,
        commands,
        control: control(&machine.control, machine.now, cycles),
        engines,
        memories: memories.collect(),
        bound: machine.dataflow.report(cycles, &names, &links),
        tight_bound: tight.report,
        distance,
        findings,
        warnings,
        unsupported: machine.liberties.into_notes(),
    };
    Outcome {
        report,
        arguments,
        results,
        trace: machine.trace,
        live_bytes: live_bytes.unwrap_or_default(),
        whole_run,
    }
}

fn control(usage: &ControlReport, end: u64, cycles: u64) -> ControlReport {
    let stalled = usage.stalled_wait + usage.stalled_blocking + usage.stalled_queue;
    ControlReport {
        busy: end.saturating_sub(stalled),
        stalled,
        idle: cycles - end,
        ..usage.clone()
    }
}
