//! Ends of a program on either executor, in a form in which the two are equal.

use zpu_device::Device;
use zpu_sim::{Checks, FindingKind, Order, Program, TraceKind, simulate};
use zpu_stepper::{CommandTimes, StepError};

/// The end of a run: the makespan and the engine, start and end of each command, or the kind of mistake.
#[derive(Debug, PartialEq)]
pub enum Spans {
    Fine(u64, Vec<Option<(usize, u64, u64)>>),
    Stuck,
    Invalid,
}

/// Runs the simulator.
pub fn by_events(program: &Program, device: &Device, arguments: Vec<zpu_sim::Argument>) -> Spans {
    let options = zpu_sim::Options {
        checks: Checks::NONE,
        bound: false,
        values: zpu_sim::Values::Assumed,
        trace: true,
        order: Order::Eager,
        ..zpu_sim::Options::default()
    };
    let outcome = simulate(program, device, "main", arguments, &options).unwrap();
    if !outcome.report.completed {
        return match outcome.report.findings.last().unwrap().kind {
            FindingKind::Deadlock => Spans::Stuck,
            FindingKind::Invalid => Spans::Invalid,
            other => panic!("{other:?}"),
        };
    }
    let mut spans = Vec::new();
    for event in outcome.trace.iter().filter(|event| event.kind == TraceKind::Run) {
        let number = event.command.unwrap() as usize;
        spans.resize(spans.len().max(number + 1), None);
        spans[number] = Some((event.engine.unwrap(), event.begin, event.end));
    }
    Spans::Fine(outcome.report.cycles, spans)
}

/// Runs the stepper.
pub fn by_cycles(program: &Program, device: &Device, arguments: &[zpu_stepper::Argument], skip: bool) -> Spans {
    let options = zpu_stepper::Options {
        skip,
        ..zpu_stepper::Options::default()
    };
    match zpu_stepper::run(program, device, "main", arguments, &options) {
        Ok(run) => {
            let span = |times: &CommandTimes| Some((times.engine.index(), times.start?, times.end?));
            let mut spans: Vec<_> = run.commands.iter().map(span).collect();
            // The timeline says nothing of commands that were lost.
            while let Some(None) = spans.last() {
                spans.pop();
            }
            Spans::Fine(run.cycles, spans)
        }
        Err(StepError::Stuck(_)) => Spans::Stuck,
        Err(StepError::Invalid(..) | StepError::QueueFull { .. }) => Spans::Invalid,
        Err(error) => panic!("{error}"),
    }
}
