//! Reading a module, choosing its function and device, running it.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use zpu_device::{Device, builtin_names};
use zpu_ir::{Context, Module, Op};
use zpu_sim::{
    Argument, Function, Interleavings, Limits, Options, Outcome, Output, Program, Report, SimError, ValueType,
};

use crate::command_line::Settings;
use crate::elements;
use crate::failure::{invalid, parse, usage};

/// What the parser says of an operation that nobody has declared.
const UNREGISTERED: &str = "operation being parsed with an unregistered dialect. If this is intended, please use \
                            -allow-unregistered-dialect with the MLIR tool used";

/// A parsed module.
pub(crate) struct Source<'c> {
    name: String,
    context: &'c Context,
    module: Module<'c>,
}

impl<'c> Source<'c> {
    pub(crate) fn read(context: &'c Context, file: &Path) -> Result<Self> {
        let name = if file == Path::new("-") {
            "<stdin>".to_owned()
        } else {
            file.display().to_string()
        };
        let module = zpu_ir::parse_file(context, file).map_err(|messages| {
            // MLIR's advice is for another tool's command line.
            parse(messages.replace(UNREGISTERED, "the operation is of no dialect that is known here"))
        })?;
        Ok(Self { name, context, module })
    }

    /// The function that is to be run, as the simulator takes it.
    pub(crate) fn program(&self, settings: &Settings) -> Result<Runnable> {
        let module = Op::of_module(&self.module);
        let entry = self.entry(module, settings)?;
        let device = self.device(settings)?;
        let program = zpu_translate::translate(module, &device, &entry).map_err(invalid)?;
        Ok(Runnable {
            name: self.name.clone(),
            entry,
            device,
            program,
        })
    }

    fn entry(&self, module: Op<'_>, settings: &Settings) -> Result<String> {
        let entries = zpu_translate::entries(module);
        let list = |public: bool| {
            let names = entries.iter().filter(|entry| entry.public || !public);
            let names: Vec<String> = names.map(|entry| format!("`{}`", entry.name)).collect();
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        };
        if let Some(name) = &settings.entry {
            return match entries.iter().any(|entry| entry.name == *name) {
                true => Ok(name.clone()),
                false => Err(usage(format!(
                    "{} has no function `{name}`; it has {}",
                    self.name,
                    list(false)
                ))),
            };
        }
        let mut public = entries.iter().filter(|entry| entry.public);
        match (public.next(), public.next()) {
            (Some(entry), None) => Ok(entry.name.clone()),
            (Some(_), Some(_)) => Err(usage(format!(
                "{} has several functions; choose one with --entry: {}",
                self.name,
                list(true)
            ))),
            (None, _) if entries.is_empty() => Err(usage(format!("{} has no function with a body", self.name))),
            (None, _) => Err(usage(format!(
                "{} has no public function with a body; choose one with --entry: {}",
                self.name,
                list(false)
            ))),
        }
    }

    /// The device that --device names, against which the commands are checked; else the module's own.
    fn device(&self, settings: &Settings) -> Result<Device> {
        if let Some(name) = &settings.device {
            let device = Device::load(name, &settings.set).map_err(usage)?;
            zpu_ir::device::replace(self.context, &self.module, &device).map_err(invalid)?;
            return Ok(device);
        }
        let module = Op::of_module(&self.module);
        if zpu_ir::device::find(module).is_none() {
            let known: Vec<&str> = builtin_names().collect();
            return Err(usage(format!(
                "{} has no zpu.device; name one with --device NAME|PATH, built in are {}",
                self.name,
                known.join(", ")
            )));
        }
        zpu_ir::device::read(module).map_err(|error| invalid(format!("{}: error: {error}", self.name)))
    }
}

/// A function with the device that it runs on.
pub(crate) struct Runnable {
    pub(crate) name: String,
    pub(crate) entry: String,
    pub(crate) device: Device,
    program: Program,
}

impl Runnable {
    /// Types of the arguments.
    pub(crate) fn parameters(&self) -> Vec<&ValueType> {
        let function = self.function().map(|function| &function.parameters);
        function.into_iter().flatten().map(|parameter| &parameter.ty).collect()
    }

    fn function(&self) -> Option<&Function> {
        self.program
            .functions
            .iter()
            .find(|function| function.name == self.entry)
    }

    pub(crate) fn run(&self, arguments: Vec<Argument>, options: &Options) -> Result<Run> {
        let start = Instant::now();
        let outcome = zpu_sim::simulate(&self.program, &self.device, &self.entry, arguments, options);
        let outcome = outcome.map_err(|error| self.failure(&error))?;
        Ok(Run {
            file: self.name.clone(),
            device: self.device.clone(),
            seconds: start.elapsed().as_secs_f64(),
            outcome,
        })
    }

    /// Looks at all orders of completion.
    pub(crate) fn all_orders(&self, arguments: Vec<Argument>, limits: &Limits) -> Result<Interleavings> {
        let orders = zpu_sim::interleavings(&self.program, &self.device, &self.entry, arguments, limits);
        orders.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &SimError) -> anyhow::Error {
        let message = format!("{}: error: {error}", self.name);
        match error {
            SimError::CycleLimit(..)
            | SimError::TooManyCommands(_)
            | SimError::TooManyEvents(_)
            | SimError::Program(_) => invalid(message),
            _ => parse(message),
        }
    }
}

/// A program and what it left.
pub(crate) struct Run {
    pub(crate) file: String,
    pub(crate) device: Device,
    /// Wall time that the simulation itself took here, in seconds.
    pub(crate) seconds: f64,
    pub(crate) outcome: Outcome,
}

/// Everything about a run, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct RunJson<'a> {
    file: &'a str,
    #[serde(flatten)]
    report: &'a Report,
    /// `bound.cycles` in short.
    lower_bound: u64,
    /// Bytes that all transfers moved.
    bytes_moved: u64,
    /// Wall time of the simulation on the host, in seconds: the one number that differs from run to run.
    seconds: f64,
    /// Numbers that the function returned.
    results: Vec<serde_json::Value>,
}

impl Run {
    pub(crate) fn to_json(&self) -> RunJson<'_> {
        let report = &self.outcome.report;
        RunJson {
            file: &self.file,
            report,
            lower_bound: report.bound.cycles,
            bytes_moved: report.bytes_moved(),
            seconds: self.seconds,
            results: self.results().map(|(_, value)| value).collect(),
        }
    }

    /// Positions and values of the numbers that the function returned.
    pub(crate) fn results(&self) -> impl Iterator<Item = (usize, serde_json::Value)> {
        let results = self.outcome.results.iter().enumerate();
        results.filter_map(|(i, output)| match output {
            Output::Scalar(ty, bits) => Some((i, elements::json(*bits, *ty))),
            _ => None,
        })
    }

    /// Findings, in the manner of compilers.
    pub(crate) fn print_findings(&self) {
        let report = &self.outcome.report;
        for finding in report.warnings.iter().chain(&report.findings) {
            eprintln!("{finding}");
        }
    }

    /// Writes what --out and --trace ask for. Of a program that stopped before its end there is a timeline, and no arrays:
    /// half of a result looks like a result.
    pub(crate) fn write_files(&self, settings: &Settings) -> Result<()> {
        if self.outcome.report.completed {
            crate::files::write_arrays(settings, &self.outcome.arguments)?;
        }
        if let Some(path) = &settings.trace {
            let engines: Vec<String> = self.device.engines.iter().map(|engine| engine.name.clone()).collect();
            let trace = zpu_sim::chrome_trace(&self.device.name, &engines, &self.outcome.trace);
            crate::files::write_whole(path, &serde_json::to_vec(&trace)?)?;
        }
        Ok(())
    }
}
