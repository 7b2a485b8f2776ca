//! The front door for solutions in times: a [`Schedule`] of a problem as `docs/schedule-instance.md` defines it.
//!
//! Other than [`crate::solve`], nothing here is an in-order program: there is no order of issue and no limit of stages, and
//! a resource named `control` is one like any other. What is returned has passed [`verify`].

mod place;
mod search;

use crate::json::{Goal, Instance};
use crate::{Bounds, Kind, Options, Problem, ProblemError, Schedule, Scheduler, check, lower_bound, verify};
use search::Search;

/// A schedule, and how good it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timetable {
    /// The schedule.
    pub schedule: Schedule,
    /// What it costs.
    pub measure: Measure,
    /// The bounds of the problem, each by itself.
    pub bounds: Bounds,
    /// No schedule has a smaller interval; when acyclic, no smaller makespan. At least what `bounds` say.
    pub lower_bound: u64,
    /// Whether the interval or the makespan is the lower bound.
    pub proven: bool,
}

/// What a schedule costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The initiation interval in cycles; when acyclic, the makespan.
    pub interval: u64,
    /// Cycles from the first start of an iteration to its last result, or to the end of its last use of a resource.
    pub length: u64,
    /// Bytes of all versions of all buffers.
    pub bytes: u128,
    /// All versions of all buffers.
    pub versions: u64,
}

/// Why there is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimetableError {
    /// The problem is not well formed, or has no solution at any interval.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Problem(Vec<ProblemError>),
    /// The scheduler came to an end without one. With deadlines, that says nothing about whether there is one.
    #[error("`{}` found no schedule up to {longest} cycles, since deadlines stand in the way; relax a negative latency", .scheduler.name())]
    NotFound {
        /// Who searched.
        scheduler: Scheduler,
        /// The longest interval or makespan that was tried.
        longest: u64,
    },
}

/// Checks the instance and lets `scheduler` solve it. Of `options`, only the number of stages (for `list`) and of
/// iterations (for `greedy`) matter.
pub fn timetable(instance: &Instance, scheduler: Scheduler, options: &Options) -> Result<Timetable, TimetableError> {
    let problem = &instance.problem;
    check(problem).map_err(TimetableError::Problem)?;
    let bounds = lower_bound(problem);
    let least = match problem.kind {
        Kind::Cyclic => bounds.interval(),
        Kind::Acyclic => bounds.makespan(),
    };
    let mut search = Search::new(instance, options);
    run(&mut search, scheduler);
    if search.is_pressed() {
        run_with_fewer_versions(&mut search, scheduler);
    }
    let longest = search.longest();
    let (schedule, measure) = search
        .into_best()
        .ok_or(TimetableError::NotFound { scheduler, longest })?;
    debug_assert_eq!(verify(problem, &schedule), Ok(()));
    Ok(Timetable {
        proven: measure.interval <= least,
        lower_bound: least,
        schedule,
        measure,
        bounds,
    })
}

fn run(search: &mut Search<'_>, scheduler: Scheduler) {
    let cyclic = search.problem().kind == Kind::Cyclic;
    // Each but `list` includes what the simpler ones find, so it is never worse.
    match scheduler {
        Scheduler::Serial => place::serial(search),
        Scheduler::List if cyclic => place::fixed_stages(search),
        Scheduler::List => place::source_order(search),
        Scheduler::Greedy => place::greedy(search),
        Scheduler::Modulo => place::modulo(search),
    }
}

/// Where versions did not fit their space: again, with ever fewer versions allowed in such spaces.
fn run_with_fewer_versions(search: &mut Search<'_>, scheduler: Scheduler) {
    let pressed = search.pressed_spaces();
    for limit in [4, 3, 2, 1] {
        let mut limited: Problem = search.problem().clone();
        let in_pressed = |b: &&mut crate::Buffer| b.space.is_some_and(|space| pressed.contains(&space));
        for buffer in limited.buffers.iter_mut().filter(in_pressed) {
            buffer.max_versions = Some(buffer.max_versions.map_or(limit, |own| own.min(limit)));
        }
        let mut narrower = search.on(&limited);
        run(&mut narrower, scheduler);
        let best = narrower.into_best();
        search.keep(best);
    }
}

/// The measure of a schedule by the objective: compared part by part, the first part matters most.
pub(crate) fn rank(measure: &Measure, objective: &[Goal]) -> Vec<u128> {
    let part = |goal: &Goal| match goal {
        Goal::Interval => measure.interval.into(),
        Goal::Length => measure.length.into(),
        Goal::Bytes => measure.bytes,
    };
    objective.iter().map(part).chain([measure.versions.into()]).collect()
}
