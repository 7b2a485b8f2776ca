//! `zpu-sim`: runs a function of a module on a device, values and time at once; or two of them, to compare.
//!
//! Exit codes: 0 fine, 1 usage or parse, 2 invalid program, 3 race, 4 deadlock, 5 capacity, 6 values differ. Results go
//! to standard output, messages to standard error; a file is written whole or not at all.

#![forbid(unsafe_code)]

mod arguments;
mod command_line;
mod compare;
mod compare_fragments;
mod failure;
mod files;
mod fragments;
mod numbers;
mod orders;
#[path = "../../process.rs"]
mod process;
mod program;
mod summary;
#[path = "../../whole_file.rs"]
mod whole_file;

use std::process::ExitCode;
use std::thread;

use anyhow::Result;
use zpu_driver::Session;
use zpu_driver::fragments::FragmentProgram;
use zpu_sim::{Checks, Limits, Options};

use crate::command_line::{Action, CommandLine, OnOff, Orders, Settings};
use crate::process::Code;
use crate::program::Source;

/// Simulating is allocating small things, as compiling is.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The stack of the thread that does the work; the system provides only the used part of it.
const STACK_BYTES: usize = 512 << 20;

fn main() -> ExitCode {
    let command_line = match process::command_line::<CommandLine>() {
        Ok(command_line) => command_line,
        Err(code) => return code.into(),
    };
    // Programs nest regions and calls, and so do the parser and the interpreter: both up to limits that a stack of this
    // size holds.
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    match thread.spawn(move || act(command_line)).map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code.into(),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => {
            eprintln!("zpu-sim: error: no thread with a stack of {STACK_BYTES} bytes: {error}");
            Code::USAGE.into()
        }
    }
}

/// Does what was asked for; errors are printed.
fn act(command_line: CommandLine) -> Code {
    let settings = match &command_line.action {
        Some(Action::Compare(what)) => &what.settings,
        None => &command_line.run.settings,
    };
    let outcome = files::check_names(settings).and_then(|()| match &command_line.action {
        Some(Action::Compare(what)) => compare::compare(what),
        None => run(&command_line.run),
    });
    outcome.unwrap_or_else(|error| {
        eprintln!("{}", failure::text(&error));
        failure::code(&error)
    })
}

/// Runs one program.
fn run(what: &command_line::Run) -> Result<Code> {
    let settings = &what.settings;
    let file = what
        .file
        .as_deref()
        .ok_or_else(|| failure::usage("no FILE was given; see --help"))?;
    let session = Session::new();
    let source = Source::read(&session, file)?;
    let entry = source.entry(settings)?;
    let is_timed = what.with_values == OnOff::Off;
    if FragmentProgram::is_one(source.module(), &entry) {
        let of_one_device = [(is_timed, "--values=off"), (settings.live_bytes, "--live-bytes")];
        if let Some((_, option)) = of_one_device.into_iter().find(|(is_given, _)| *is_given) {
            return Err(failure::usage(format!(
                "{option} is for programs of one device; `{entry}` holds fragments"
            )));
        }
        return fragments::run(&session, &source, &entry, what, &options(settings));
    }
    if what.compile.is_some() {
        return Err(failure::usage(format!(
            "`{entry}` holds no fragments; --compile is for programs over several devices, use zpu-opt --zpu-pipeline"
        )));
    }
    let program = source.program(settings)?;
    let (arguments, options) = if is_timed {
        refuse_values(what)?;
        (
            arguments::make_shapes(settings, &program)?,
            options(settings).without_values(),
        )
    } else {
        (arguments::make(settings, &[&program])?, options(settings))
    };
    let run = program.run(arguments.clone(), &options)?;
    run.write_files(settings)?;
    if settings.json.is_some() {
        files::write_json(settings, &run.to_json())?;
    }
    run.print_findings();
    if !settings.json_on_stdout() {
        files::print(&summary::of(&run))?;
    }
    let code = failure::of_findings(&run.outcome.report.findings);
    let differ = match what.orders {
        Orders::Some(count) => orders::differ(count, &program, &run, &arguments, &options)?,
        Orders::All => {
            let limits = Limits {
                states: what.max_states,
                cycles: settings.max_cycles,
                ..Limits::default()
            };
            orders::all(&program, arguments, &limits)?
        }
    };
    Ok(if differ && code == Code::FINE { Code::RACE } else { code })
}

/// The options of the simulator.
fn options(settings: &Settings) -> Options {
    Options {
        checks: settings.check.map_or(Checks::ALL, |list| list.0),
        max_cycles: settings.max_cycles,
        trace: settings.trace.is_some(),
        live_bytes: settings.live_bytes || settings.trace.is_some(),
        order: settings.order,
        whole_run: settings.dump_problem.is_some(),
        ..Options::default()
    }
}

/// An error for what cannot be had without values.
fn refuse_values(what: &command_line::Run) -> Result<()> {
    let settings = &what.settings;
    let checks = settings.check.map_or(Checks::NONE, |list| list.0);
    let refused = [
        (!settings.out.is_empty(), "--out"),
        (!settings.result.is_empty(), "--result"),
        (what.orders != Orders::Some(1), "--orders"),
        (checks.race, "--check=race"),
        (checks.init, "--check=init"),
    ];
    match refused.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(failure::usage(format!("{option} needs values; leave --values=off out"))),
        None => Ok(()),
    }
}
