//! A whole run as a scheduling problem, and how far its program is from the best schedule that is found for it.

use zpu_device::Device;
use zpu_sched::run::{
    ControlCosts, RunEngine, RunError, RunLink, RunOperation, RunProblem, RunSolution, RunSpace, RunStorage,
    RunViolation, RunWay, solve_run,
};
use zpu_sim::{Argument, Options, Way, WholeRun};

use crate::{Error, Executable};

/// A program beside the best schedule of its own commands.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Cycles of the program, by the simulator.
    pub cycles: u64,
    /// The best schedule that was found, and a bound of all of them.
    pub solution: RunSolution,
}

impl Judgement {
    /// Cycles of the program over those of the best schedule: 1 if it is as good, more if it is slower.
    pub fn ratio(&self) -> f64 {
        match self.solution.check.cycles {
            0 => 1.0,
            best => self.cycles as f64 / best as f64,
        }
    }
}

/// The reason why a program was not judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgementError {
    /// It was not simulated.
    #[error(transparent)]
    Run(#[from] Error),
    /// It did not come to its end, or has findings.
    #[error("the program has findings or did not come to its end; correct it first")]
    NotClean,
    /// Its run is no problem that can be scheduled.
    #[error("the run is no scheduling problem: {0}")]
    Problem(#[from] RunError),
    /// The scheduler made a schedule that breaks a rule.
    #[error("the schedule is wrong: {0}; this is an error in the scheduler")]
    Schedule(#[from] RunViolation),
}

/// Runs a program and schedules its commands anew. With `search`, more than list schedules is tried for up to 400
/// commands.
///
/// # Errors
///
/// If the program does not run without findings, or if what it did cannot be scheduled.
pub fn judge(executable: &Executable, arguments: Vec<Argument>, search: bool) -> Result<Judgement, JudgementError> {
    let options = Options {
        whole_run: true,
        ..Options::default()
    };
    let outcome = executable.simulate(arguments, &options)?;
    let run = outcome.whole_run.as_ref().filter(|_| outcome.report.is_clean());
    let run = run.ok_or(JudgementError::NotClean)?;
    let problem = run_problem(run, executable.device(), &outcome.report.entry, outcome.report.cycles);
    problem.check()?;
    Ok(Judgement {
        cycles: outcome.report.cycles,
        solution: solve_run(&problem, search)?,
    })
}

/// The scheduling problem of a run of `cycles` cycles on a device.
pub fn run_problem(run: &WholeRun, device: &Device, name: &str, cycles: u64) -> RunProblem {
    let way = |way: &Way| RunWay {
        engine: way.engine,
        start_latency: way.start_latency,
        alone: way.alone,
        shared: way.shared,
        rate: way.rate,
        links: way.links.clone(),
    };
    let resident = |space: usize| run.resident.get(space).copied().unwrap_or(0);
    RunProblem {
        name: name.to_owned(),
        cycles: Some(cycles),
        control: ControlCosts {
            issue: device.control.start_cycles,
            wait: device.control.wait_cycles,
            barrier: device.control.barrier_cycles,
        },
        engines: device
            .engines
            .iter()
            .map(|engine| RunEngine {
                name: engine.name.clone(),
                queue: engine.queue_depth.max(1),
                blocking: engine.blocking,
            })
            .collect(),
        links: device
            .links
            .iter()
            .map(|link| RunLink {
                name: link.name.clone(),
                rate: link.bytes_per_cycle,
            })
            .collect(),
        spaces: device
            .memories
            .iter()
            .enumerate()
            .map(|(i, memory)| RunSpace {
                name: memory.name.clone(),
                bytes: memory.bytes,
                resident: resident(i),
            })
            .collect(),
        works: run.works.iter().map(|ways| ways.iter().map(way).collect()).collect(),
        operations: run
            .commands
            .iter()
            .map(|command| RunOperation {
                name: command.name.clone(),
                work: command.work,
                after: command.after.clone(),
            })
            .collect(),
        storages: run
            .storages
            .iter()
            .map(|storage| RunStorage {
                bytes: storage.bytes,
                space: storage.space,
                operations: storage.commands.clone(),
            })
            .collect(),
    }
}
