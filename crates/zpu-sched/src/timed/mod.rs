//! The front door for solutions in times: a [`Schedule`] of a problem as `docs/schedule-instance.md` defines it.
//!
//! Other than [`crate::solve`], nothing here is an in-order program: there is no order of issue and no limit of stages,
//! and a resource named `control` is one like any other. What is returned has passed [`verify`].

mod conflict;
mod delay;
mod modulo;
mod place;
mod search;

use crate::budget::Budget;
use crate::check::names;
use crate::exact;
use crate::json::{Goal, Instance};
use crate::possible::Possible;
use crate::replay::replay;
use crate::{
    Bounds, Kind, Options, Problem, ProblemError, Schedule, Scheduler, SolveError, check, lower_bound, verify,
};
use search::Search;
pub(crate) use search::longest;

/// Versions of one buffer that a share of a space goes up to.
const MOST_SHARES: u32 = 16;

/// A schedule, and how good it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedSolution {
    /// The schedule.
    pub schedule: Schedule,
    /// Its costs.
    pub measure: Measure,
    /// The bounds of the problem, each by itself.
    pub bounds: Bounds,
    /// No schedule has a smaller interval; when acyclic, no smaller makespan. At least what `bounds` say.
    pub lower_bound: u64,
    /// True if the interval or the makespan is the lower bound.
    pub proven: bool,
    /// True if it is proven that no schedule at this interval takes fewer bytes.
    pub bytes_proven: bool,
}

/// The costs of a schedule.
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

/// The reason why there is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimedSolutionError {
    /// The problem is not well formed, or has no solution at any interval.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Problem(Vec<ProblemError>),
    /// The scheduler came to an end without one. With deadlines, or operations that must start together, that says
    /// nothing about whether there is one.
    #[error(
        "`{}` found no schedule of up to {longest} cycles, the deadlines among operations {} being in its way; there \
         may \
         be one: {}",
        .scheduler.name(), names(.operations), advice(*.scheduler)
    )]
    NotFound {
        /// The scheduler that searched.
        scheduler: Scheduler,
        /// The longest interval or makespan that was tried.
        longest: u64,
        /// The operations of the deadlines.
        operations: Vec<String>,
    },
    /// There is none, however long: deadlines that could be met one by one compete for resources.
    #[error(
        "there is no schedule: the deadlines among operations {} compete for resources; relax a negative latency, or \
         what \
         makes them start together",
        names(.operations)
    )]
    Competing {
        /// The operations of the deadlines that cannot be met together.
        operations: Vec<String>,
    },
    /// The planner has no plan for a program's instance.
    #[error(transparent)]
    NoPlan(SolveError),
}

impl TimedSolutionError {
    /// True if it is certain that there is no schedule, for an instance that is well formed.
    pub fn is_infeasible(&self) -> bool {
        match self {
            TimedSolutionError::Problem(errors) => errors.iter().all(ProblemError::is_infeasible),
            TimedSolutionError::NotFound { .. } => false,
            TimedSolutionError::Competing { .. } => true,
            TimedSolutionError::NoPlan(error) => matches!(error, SolveError::Infeasible(_)),
        }
    }
}

/// Advice on a scheduler or an option that may find a schedule.
fn advice(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::Serial | Scheduler::List | Scheduler::Greedy | Scheduler::Modulo => "try `auto`",
        Scheduler::Auto => "try `exact`",
        Scheduler::Exact => "give more time or effort, or relax a negative latency",
    }
}

/// Checks the instance and lets `scheduler` solve it; one of a program as the planner does, see [`Instance::planning`].
/// Of `options`, only the number of stages (for `list`), of iterations (for `greedy`), the time limit and the effort
/// (for `modulo`, `auto` and `exact`) matter. What `greedy` finds is always found; the limits are for what comes after
/// it.
pub fn timed_solution(
    instance: &Instance,
    scheduler: Scheduler,
    options: &Options,
) -> Result<TimedSolution, TimedSolutionError> {
    let problem = &instance.problem;
    check(problem).map_err(TimedSolutionError::Problem)?;
    if let Some(planning) = &instance.planning {
        return replay(instance, planning, scheduler, options);
    }
    let Some(possible) = Possible::of(problem) else {
        return timed_solution_of_possible(instance, scheduler, options);
    };
    let narrowed = Instance {
        problem: possible.problem.clone(),
        objective: instance.objective.clone(),
        planning: None,
    };
    let mut found = timed_solution_of_possible(&narrowed, scheduler, options)?;
    possible.renumber(&mut found.schedule.chosen);
    Ok(found)
}

/// Solves an instance whose problem passes the check and has no alternative that can never be chosen.
fn timed_solution_of_possible(
    instance: &Instance,
    scheduler: Scheduler,
    options: &Options,
) -> Result<TimedSolution, TimedSolutionError> {
    let problem = &instance.problem;
    let bounds = lower_bound(problem);
    let least = match problem.kind {
        Kind::Cyclic => bounds.interval(),
        Kind::Acyclic => bounds.makespan(),
    };
    let mut budget = options.budget(scheduler, problem);
    let mut search = Search::new(instance, options);
    place_all(&mut search, false, |search| place(search, scheduler));
    let searches = matches!(scheduler, Scheduler::Modulo | Scheduler::Auto | Scheduler::Exact);
    if searches {
        let mut attempts = options.attempts(scheduler);
        place_all(&mut search, true, |search| modulo::modulo(search, &mut attempts));
    }
    let longest = search.longest();
    let (lower_bound, least_bytes) = match scheduler {
        Scheduler::Auto | Scheduler::Exact => run_exact(&mut search, least, &mut budget),
        _ => (least, None),
    };
    let Some((schedule, measure)) = search.best else {
        return Err(if lower_bound > longest {
            let operations = conflict::competing(problem, least, longest, &budget);
            TimedSolutionError::Competing { operations }
        } else {
            TimedSolutionError::NotFound {
                scheduler,
                longest,
                operations: conflict::operations_of_deadlines(problem),
            }
        });
    };
    debug_assert_eq!(verify(problem, &schedule), Ok(()));
    Ok(TimedSolution {
        proven: measure.interval <= lower_bound,
        bytes_proven: least_bytes.is_some_and(|(interval, bytes)| schedule.ii == interval && measure.bytes <= bytes)
            || measure.bytes == exact::bytes_of(problem, &vec![1; problem.buffers.len()]),
        lower_bound,
        schedule,
        measure,
        bounds,
    })
}

/// Places operations by the scheduler, without a search. Each scheduler but `list` includes the results of the simpler
/// ones, so it is never worse.
fn place(search: &mut Search<'_>, scheduler: Scheduler) {
    let cyclic = search.problem().kind == Kind::Cyclic;
    match scheduler {
        Scheduler::Serial => place::serial(search),
        Scheduler::List if cyclic => place::fixed_stages(search),
        Scheduler::List => place::source_order(search),
        Scheduler::Greedy | Scheduler::Modulo | Scheduler::Auto | Scheduler::Exact => place::greedy(search),
    }
}

/// Searches for the minimum below the best so far, then for what the objective wants besides; returns the bound, and
/// with an interval the bytes that no schedule at it is below.
fn run_exact(search: &mut Search<'_>, least: u64, budget: &mut Budget) -> (u64, Option<(u64, u128)>) {
    let problem = search.problem();
    let (best, longest) = (
        search.best.as_ref().map(|(schedule, _)| schedule.clone()),
        search.longest(),
    );
    let mut half = budget.part(2);
    let exact = exact::least(problem, best, least, longest, &mut half);
    budget.give_back(&half);
    let mut least_bytes = None;
    if let Some(best) = exact.best {
        search.offer_schedule(best.clone());
        if search.objective() != [Goal::Interval] {
            let found = exact::smaller(problem, best, search.objective(), budget);
            least_bytes = Some((found.best.ii, found.least_bytes));
            search.offer_schedule(found.best);
        }
    }
    (exact.bound, least_bytes)
}

/// Lets `run` search; where versions did not fit their space, or might not, again with ever fewer versions allowed in
/// such spaces, and with shares that fit whatever is done within them; there only `below` what was found before, if
/// that is asked for.
fn place_all(search: &mut Search<'_>, below: bool, mut run: impl FnMut(&mut Search<'_>)) {
    run(search);
    let pressed = if below {
        search.pressed_spaces()
    } else {
        search.narrow_spaces()
    };
    if pressed.is_empty() {
        return;
    }
    let uniform = [4, 3, 2, 1].map(|limit| vec![limit; search.problem().buffers.len()]);
    let shares = [false, true].map(|backward| fair_shares(search.problem(), backward));
    for limits in uniform.into_iter().chain(shares) {
        let mut limited: Problem = search.problem().clone();
        for (buffer, limit) in limited.buffers.iter_mut().zip(limits) {
            if buffer.space.is_some_and(|space| pressed.contains(&space)) {
                buffer.max_versions = Some(buffer.max_versions.map_or(limit, |own| own.min(limit)));
            }
        }
        let mut narrower = search.on(&limited);
        if below {
            narrower.keep(search.best.clone());
        }
        run(&mut narrower);
        search.keep(narrower.best);
    }
}

/// Versions that fit their spaces together: the buffers get one more each, one buffer after the other, while it fits.
fn fair_shares(problem: &Problem, backward: bool) -> Vec<u32> {
    let mut versions = vec![1u32; problem.buffers.len()];
    let mut left: Vec<u64> = problem.spaces.iter().map(|space| space.bytes).collect();
    let inside = |index: &usize| Some((problem.buffers[*index].space?, problem.buffers[*index].bytes));
    for (space, bytes) in (0..versions.len()).filter_map(|index| inside(&index)) {
        left[space.index()] = left[space.index()].saturating_sub(bytes);
    }
    let mut growing: Vec<usize> = (0..versions.len()).filter(|index| inside(index).is_some()).collect();
    if backward {
        growing.reverse();
    }
    while !growing.is_empty() {
        growing.retain(|index| {
            let Some((space, bytes)) = inside(index) else {
                return false;
            };
            let most = problem.buffers[*index]
                .max_versions
                .unwrap_or(MOST_SHARES)
                .min(MOST_SHARES);
            let less = left[space.index()]
                .checked_sub(bytes)
                .filter(|_| versions[*index] < most);
            if let Some(less) = less {
                left[space.index()] = less;
                versions[*index] += 1;
            }
            less.is_some()
        });
    }
    versions
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
