//! The planner's problem once more, from a file: what [`solve`] finds, as a [`TimedSolution`].
//!
//! The interval is that of the plan on the reference machine, where the control stream issues everything in order and
//! pays for waits. The starts are those of the steady state, and no schedule: [`crate::verify`] knows nothing of waits.

use crate::{
    Instance, Kind, Measure, Options, Schedule, Scheduler, SolveError, TimedSolution, TimedSolutionError, solve,
};

/// Solves the instance as the planner does. Of `options` only the number of iterations, the time limit and the effort
/// count, since the instance has its own.
pub(crate) fn replay(
    instance: &Instance,
    planning: &Options,
    scheduler: Scheduler,
    options: &Options,
) -> Result<TimedSolution, TimedSolutionError> {
    let problem = &instance.problem;
    let options = Options {
        iterations: options.iterations.or(planning.iterations),
        time_limit: options.time_limit,
        effort: options.effort,
        ..planning.clone()
    };
    let outcome = solve(problem, scheduler, &options).map_err(|error| match error {
        SolveError::Problem(errors) => TimedSolutionError::Problem(errors),
        other => TimedSolutionError::NoPlan(other),
    })?;
    let plan = outcome.plan;
    let span = |(op, &chosen): (usize, &u32)| problem.operations[op].alternatives[chosen as usize].span();
    let ends = plan.chosen.iter().enumerate().map(span).zip(&plan.cycle);
    let length = ends.map(|(span, start)| start.saturating_add(span)).max().unwrap_or(0);
    let bytes = problem.buffers.iter().zip(&plan.versions);
    let interval = match problem.kind {
        Kind::Cyclic => outcome.rate.interval().max(1),
        Kind::Acyclic => outcome.cycles.unwrap_or(length),
    };
    Ok(TimedSolution {
        measure: Measure {
            interval,
            length,
            bytes: bytes
                .map(|(buffer, &versions)| u128::from(buffer.bytes) * u128::from(versions))
                .sum(),
            versions: plan.versions.iter().map(|&versions| u64::from(versions)).sum(),
        },
        schedule: Schedule {
            ii: interval,
            start: plan.cycle,
            chosen: plan.chosen,
            versions: plan.versions,
        },
        bounds: outcome.bounds,
        lower_bound: outcome.bound,
        proven: outcome.proven,
        bytes_proven: outcome.bytes_proven,
    })
}
