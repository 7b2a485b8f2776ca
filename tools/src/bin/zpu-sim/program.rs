//! Reading a module, choosing its function and device, running it.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use zpu_device::{Device, builtin_names};
use zpu_driver::whole_run::run_problem;
use zpu_driver::{EntryError, Error, Executable, Session};
use zpu_ir::Module;
use zpu_sched::run::write_run;
use zpu_sim::{Argument, Interleavings, Limits, Options, Outcome, Output, Report, SimError};

use crate::command_line::Settings;
use crate::failure::{invalid, parse, usage};
use crate::numbers;

/// A parsed module.
pub(crate) struct Source<'s> {
    name: String,
    session: &'s Session,
    module: Module<'s>,
}

impl<'s> Source<'s> {
    pub(crate) fn read(session: &'s Session, file: &Path) -> Result<Self> {
        let name = if file == Path::new("-") {
            "<stdin>".to_owned()
        } else {
            file.display().to_string()
        };
        let module = session.parse_file(file).map_err(parse)?;
        Ok(Self { name, session, module })
    }

    /// The function that is to be run, on the device that it is to be run on.
    pub(crate) fn program(&self, settings: &Settings) -> Result<Runnable> {
        let entry = self.entry(settings)?;
        let device = self.device(settings)?;
        let executable = zpu_driver::translate(&self.module, device, &entry).map_err(invalid)?;
        Ok(Runnable {
            name: self.name.clone(),
            executable,
        })
    }

    /// The name that diagnostics call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The module.
    pub(crate) fn module(&self) -> &Module<'s> {
        &self.module
    }

    /// The function that is to be run.
    pub(crate) fn entry(&self, settings: &Settings) -> Result<String> {
        let name = &self.name;
        let list = EntryError::list;
        zpu_driver::entry_of(&self.module, settings.entry.as_deref()).map_err(|error| match error {
            Error::Entry(EntryError::Unknown { name: asked, known }) => {
                usage(format!("{name} has no function `{asked}`; it has {}", list(&known)))
            }
            Error::Entry(EntryError::Several { public }) => usage(format!(
                "{name} has several functions; choose one with --entry: {}",
                list(&public)
            )),
            Error::Entry(EntryError::NonePublic { private }) => usage(format!(
                "{name} has no public function with a body; choose one with --entry: {}",
                list(&private)
            )),
            Error::Entry(EntryError::None) => usage(format!("{name} has no function with a body")),
            other => usage(other),
        })
    }

    /// The device that --device names, against which the commands are checked; else the module's own.
    fn device(&self, settings: &Settings) -> Result<Device> {
        if let Some(name) = &settings.device {
            let device = Device::load(name, &settings.set).map_err(usage)?;
            self.session.replace_device(&self.module, &device).map_err(invalid)?;
            return Ok(device);
        }
        zpu_driver::device_of(&self.module).map_err(|error| match error {
            Error::NoDevice => {
                let known: Vec<&str> = builtin_names().collect();
                usage(format!(
                    "{} has no zpu.device; name one with --device NAME|PATH, built in are {}",
                    self.name,
                    known.join(", ")
                ))
            }
            error => invalid(format!("{}: error: {error}", self.name)),
        })
    }
}

/// A function with the device that it runs on, and the file that it is from.
pub(crate) struct Runnable {
    pub(crate) name: String,
    pub(crate) executable: Executable,
}

impl Runnable {
    pub(crate) fn run(&self, arguments: Vec<Argument>, options: &Options) -> Result<Run> {
        let start = Instant::now();
        let outcome = self.executable.simulate(arguments, options);
        let outcome = outcome.map_err(|error| self.failure(&error))?;
        Ok(Run {
            file: self.name.clone(),
            device: self.executable.device().clone(),
            seconds: start.elapsed().as_secs_f64(),
            outcome,
        })
    }

    /// Looks at all orders of completion.
    pub(crate) fn all_orders(&self, arguments: Vec<Argument>, limits: &Limits) -> Result<Interleavings> {
        let orders = self.executable.interleavings(arguments, limits);
        orders.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &Error) -> anyhow::Error {
        let message = format!("{}: error: {error}", self.name);
        match error {
            Error::Simulate(
                SimError::CycleLimit(..)
                | SimError::TooManyCommands(_)
                | SimError::TooManyEvents(_)
                | SimError::NeedsValues { .. }
                | SimError::Program(_),
            ) => invalid(message),
            _ => parse(message),
        }
    }
}

/// A program and its outcome.
pub(crate) struct Run {
    pub(crate) file: String,
    pub(crate) device: Device,
    /// Wall time that the simulation itself took here, in seconds.
    pub(crate) seconds: f64,
    pub(crate) outcome: Outcome,
}

/// All data of a run, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct RunJson<'a> {
    file: &'a str,
    #[serde(flatten)]
    report: &'a Report,
    /// `bound.cycles` in short.
    lower_bound: u64,
    /// Bytes that all transfers moved.
    bytes_moved: u64,
    /// Bytes that commands moved to or from each memory space, if the whole run was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic: Option<Vec<TrafficJson<'a>>>,
    /// Wall time of the simulation on the host, in seconds: the one number that differs from run to run.
    seconds: f64,
    /// Numbers that the function returned.
    results: Vec<serde_json::Value>,
}

/// Traffic of a memory space.
#[derive(Debug, Serialize)]
struct TrafficJson<'a> {
    name: &'a str,
    /// As often as they are read or written.
    moved: u64,
    /// Those that no program can leave out.
    compulsory: u64,
}

impl Run {
    pub(crate) fn to_json(&self) -> RunJson<'_> {
        let report = &self.outcome.report;
        RunJson {
            file: &self.file,
            report,
            lower_bound: report.bound.cycles,
            bytes_moved: report.bytes_moved(),
            traffic: self.outcome.whole_run.as_ref().map(|run| {
                let spaces = self.device.memories.iter().zip(&run.traffic);
                let json = spaces.map(|(memory, traffic)| TrafficJson {
                    name: &memory.name,
                    moved: traffic.moved,
                    compulsory: traffic.compulsory,
                });
                json.collect()
            }),
            seconds: self.seconds,
            results: self.results().map(|(_, value)| value).collect(),
        }
    }

    /// Positions and values of the numbers that the function returned.
    pub(crate) fn results(&self) -> impl Iterator<Item = (usize, serde_json::Value)> {
        let results = self.outcome.results.iter().enumerate();
        results.filter_map(|(i, output)| match output {
            Output::Scalar(ty, bits) => Some((i, numbers::json(*bits, *ty))),
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

    /// Writes the run as a scheduling problem. One with findings is none: nothing says what orders its commands.
    fn write_problem(&self, path: &Path) -> Result<()> {
        let report = &self.outcome.report;
        let Some(run) = self.outcome.whole_run.as_ref().filter(|_| report.is_clean()) else {
            eprintln!(
                "zpu-sim: warning: {} is not written, since the run has findings; correct the program first",
                path.display()
            );
            return Ok(());
        };
        let problem = run_problem(run, &self.device, &report.entry, report.cycles);
        problem
            .check()
            .map_err(|error| usage(format!("{} is not written: {error}", path.display())))?;
        if run.own_accesses > 0 {
            eprintln!(
                "zpu-sim: warning: {} leaves out {} loads and stores of the control stream itself",
                path.display(),
                run.own_accesses
            );
        }
        crate::files::write_whole(path, write_run(&problem).as_bytes())
    }

    /// Writes what --out and --trace ask for. Of a program that stopped before its end there is a timeline, and no
    /// arrays: half of a result looks like a result.
    pub(crate) fn write_files(&self, settings: &Settings) -> Result<()> {
        if self.outcome.report.completed {
            crate::files::write_arrays(settings, &self.outcome.arguments)?;
            crate::files::write_results(settings, &self.outcome.results)?;
        }
        if let Some(path) = &settings.dump_problem {
            self.write_problem(path)?;
        }
        if let Some(path) = &settings.trace {
            let engines: Vec<String> = self.device.engines.iter().map(|engine| engine.name.clone()).collect();
            let live_bytes = self.outcome.live_bytes.iter();
            let live_bytes =
                live_bytes.map(|live| (self.device.memories[live.memory].name.as_str(), live.cycle, live.bytes));
            let trace = zpu_sim::chrome_trace(&self.device.name, &engines, &self.outcome.trace, live_bytes);
            crate::files::write_whole(path, &serde_json::to_vec(&trace)?)?;
        }
        Ok(())
    }
}
