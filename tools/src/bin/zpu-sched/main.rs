//! `zpu-sched`: solves a scheduling instance and says how good the schedule is; or compares all schedulers on it.
//!
//! `zpu-sched fragments` orders the fragments of a program over several meshes; `zpu-sched memory` gives buffers
//! addresses.
//!
//! Exit codes: 0 fine, 1 usage or parse, 2 infeasible, 3 not found. Results go to standard output, messages to standard
//! error.

#![forbid(unsafe_code)]

mod command_line;
mod compare;
mod fragments;
mod memory;
mod pareto;
#[path = "../../process.rs"]
mod process;
mod report;
mod whole_run;

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use zpu_sched::run::is_run;
use zpu_sched::{
    Instance, Options, Scheduler, TimedSolution, TimedSolutionError, impossible_alternatives, read_instance,
    timed_solution,
};

use crate::command_line::{CommandLine, Subject};
use crate::process::{Code, print};
use crate::report::{Report, Unsolved};

impl Code {
    /// There is no schedule.
    const INFEASIBLE: Code = Code::of_tool(2);
    /// There may be one.
    const NOT_FOUND: Code = Code::of_tool(3);
}

fn main() -> ExitCode {
    let command_line = match process::command_line::<CommandLine>() {
        Ok(command_line) => command_line,
        Err(code) => return code.into(),
    };
    let outcome = match (&command_line.command, &command_line.instance) {
        (Some(Subject::Fragments(arguments)), _) => fragments::act(arguments),
        (Some(Subject::Memory(arguments)), _) => memory::act(arguments),
        (None, Some(file)) => read(file).and_then(|(name, text)| match is_run(&text) {
            true => whole_run::act(&command_line, &name, &text),
            false => instance(&name, &text).and_then(|instance| act(&command_line, &instance)),
        }),
        (None, None) => Err("no instance is given".to_owned()),
    };
    let code = outcome.unwrap_or_else(|message| {
        eprintln!("zpu-sched: error: {message}");
        Code::USAGE
    });
    code.into()
}

fn act(command_line: &CommandLine, instance: &Instance) -> Result<Code, String> {
    for impossible in impossible_alternatives(&instance.problem) {
        eprintln!("zpu-sched: warning: {impossible}");
    }
    if command_line.pareto {
        return pareto::act(command_line, instance);
    }
    if command_line.compare {
        let solved = Scheduler::ALL
            .into_iter()
            .map(|s| (s, solve(command_line, instance, s)));
        let solved: Vec<_> = solved.collect();
        // An error of the instance holds for all schedulers.
        if let Some((_, (_, Err(error @ TimedSolutionError::Problem(_))))) = solved.first() {
            if command_line.json && error.is_infeasible() {
                print(&compare::text(instance, &solved, true)?)?;
            }
            return refused(command_line, instance, None, error);
        }
        print(&compare::text(instance, &solved, command_line.json)?)?;
        let errors: Vec<_> = solved.iter().map(|(_, (_, outcome))| outcome.as_ref().err()).collect();
        return Ok(if errors.contains(&None) {
            Code::FINE
        } else if errors.into_iter().flatten().any(TimedSolutionError::is_infeasible) {
            Code::INFEASIBLE
        } else {
            Code::NOT_FOUND
        });
    }
    let scheduler = command_line.solver();
    match solve(command_line, instance, scheduler) {
        (seconds, Ok(solved)) => {
            let report = Report::new(instance, scheduler, &solved, seconds);
            print(&if command_line.json {
                report::json(&report)?
            } else {
                report::text(instance, &report, command_line.times)
            })?;
            Ok(Code::FINE)
        }
        (_, Err(error)) => refused(command_line, instance, Some(scheduler), &error),
    }
}

fn solve(
    command_line: &CommandLine,
    instance: &Instance,
    scheduler: Scheduler,
) -> (f64, Result<TimedSolution, TimedSolutionError>) {
    let begin = Instant::now();
    let outcome = timed_solution(instance, scheduler, &options(command_line));
    (begin.elapsed().as_secs_f64(), outcome)
}

fn options(command_line: &CommandLine) -> Options {
    Options {
        num_stages: command_line.num_stages,
        iterations: command_line.iterations,
        time_limit: command_line.time_limit,
        // A limit of time is then the only one.
        effort: command_line.time_limit.map_or(Options::default().effort, |_| u64::MAX),
        ..Options::default()
    }
}

/// An instance that is badly written, one without a solution, or one of which the scheduler found none; `None` if the
/// results of all are printed.
fn refused(
    command_line: &CommandLine,
    instance: &Instance,
    scheduler: Option<Scheduler>,
    error: &TimedSolutionError,
) -> Result<Code, String> {
    let reason = match error {
        TimedSolutionError::Problem(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  "),
        _ => error.to_string(),
    };
    let (label, code) = match error {
        _ if error.is_infeasible() => ("infeasible", Code::INFEASIBLE),
        TimedSolutionError::Problem(_) => return Err(reason),
        _ => ("not found", Code::NOT_FOUND),
    };
    if let Some(scheduler) = scheduler.filter(|_| command_line.json) {
        print(&report::json(&Unsolved::new(instance, scheduler, error, &reason))?)?;
    }
    eprintln!("zpu-sched: {label}: {reason}");
    Ok(code)
}

/// Reads the instance; errors name the file.
fn instance(name: &str, text: &str) -> Result<Instance, String> {
    read_instance(text).map_err(|error| format!("{name}: {error}"))
}

/// The name of a file for messages, and its text; `-` is standard input.
fn read(file: &Path) -> Result<(String, String), String> {
    let is_stdin = file == Path::new("-");
    let name = if is_stdin {
        "<stdin>".into()
    } else {
        file.display().to_string()
    };
    let text = if is_stdin {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    let text = text.map_err(|error| format!("{name} cannot be read: {error}"))?;
    Ok((name, text))
}
