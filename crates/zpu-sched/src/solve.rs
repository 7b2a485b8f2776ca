//! The entry of the crate: a scheduler by name makes a legal plan with its costs.

use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::candidate::Candidate;
use crate::check::check_program;
use crate::estimate::{as_queues_keep_it, least_waits};
use crate::exact::{ExactPlan, bytes_of, exact_plan, least_bytes_of_plans};
use crate::possible::Possible;
use crate::work::Work;
use crate::{
    Bounds, Kind, OpId, Plan, PlanError, Problem, ProblemError, Rate, StreamCosts, check, greedy, list, lower_bound,
    modulo, serial,
};

/// The share of the effort that `auto` takes. With twenty times as much, this search took a third of the time that
/// compiling a kernel takes, and no kernel of the repository became faster by more than 0.3 %; without any, a matrix
/// product becomes slower by 1.4 %.
const AUTO_SHARE: u64 = 4_000;
/// The share of `auto` for few operations, of which each step is quick.
const AUTO_SHARE_OF_FEW: u64 = 1_000;
/// Operations that are few.
const FEW: usize = 12;
/// Parts of the time, one of which `exact` leaves to the schedulers that it starts from.
const OF_TIME: u32 = 4;
/// Choices between engines, above one for each operation, that do not yet make a step of the search dear.
const CHEAP_CHOICES: usize = 16;
/// Operations up to which a step of `exact` has the price of one.
const CHEAP_OPERATIONS: usize = 64;
/// Operations above which `auto` leaves out `exact`: its share would not decide one interval.
const MOST_FOR_AUTO: usize = 400;

/// The schedulers, from the simplest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheduler {
    /// Source order, one stage.
    Serial,
    /// Fixed stages: loads early, everything else `num_stages` later.
    List,
    /// Critical-path list scheduling over several overlapping iterations.
    Greedy,
    /// Iterative modulo scheduling with eviction.
    Modulo,
    /// `modulo`, then, for up to 400 operations, `exact` within a small budget; the objective is that of `modulo`.
    Auto,
    /// Constraint programming from the lower bound upward: the least interval first, the run after it.
    Exact,
}

impl Scheduler {
    /// All of them.
    pub const ALL: [Scheduler; 6] = [
        Scheduler::Serial,
        Scheduler::List,
        Scheduler::Greedy,
        Scheduler::Modulo,
        Scheduler::Auto,
        Scheduler::Exact,
    ];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Scheduler::Serial => "serial",
            Scheduler::List => "list",
            Scheduler::Greedy => "greedy",
            Scheduler::Modulo => "modulo",
            Scheduler::Auto => "auto",
            Scheduler::Exact => "exact",
        }
    }
}

/// A name that is none of the schedulers'.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scheduler `{0}`; known are serial, list, greedy, modulo, auto, exact")]
pub struct UnknownScheduler(pub String);

impl FromStr for Scheduler {
    type Err = UnknownScheduler;

    fn from_str(name: &str) -> Result<Scheduler, UnknownScheduler> {
        let found = Scheduler::ALL.into_iter().find(|scheduler| scheduler.name() == name);
        found.ok_or_else(|| UnknownScheduler(name.into()))
    }
}

/// The options of the schedulers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Largest stage index, at most [`MAX_STAGES`], and most versions of a buffer unless `max_versions` says otherwise.
    /// With 0, nothing overlaps across iterations.
    pub num_stages: u32,
    /// Most versions of a buffer; its own limit holds as well.
    pub max_versions: Option<u32>,
    /// The most overlapping iterations that `greedy` tries, and never more than [`MAX_ITERATIONS`]; `None` is
    /// `num_stages + 1`.
    pub iterations: Option<u32>,
    /// Operations that bring data in from outside, for `list`.
    pub loads: Vec<OpId>,
    /// Iterations that the loop will run, if known: then the whole run is minimised, which for a short loop may be
    /// another plan than the one of the least steady rate; else the rate. Straight-line code runs once.
    pub trip: Option<u64>,
    /// True if the steady rate matters more than the whole run even if `trip` is known. Always so for `exact`.
    pub rate_first: bool,
    /// The costs of the control stream.
    pub stream: StreamCosts,
    /// The time after which `modulo`, `auto` and `exact` end their search and return the best so far, at least what
    /// `greedy` finds; the result may then depend on the speed of the machine. With `None` no clock is read.
    pub time_limit: Option<Duration>,
    /// Steps of a search: attempts of `modulo` (also as a part of `auto` and `exact`), and decisions and conflicts of
    /// `exact`, of which `auto` takes one in 4,000, or in 1,000 for up to 12 operations; both take fewer where there
    /// are more than 64 operations or many alternatives, and `auto` takes none for more than 400 operations. The same
    /// effort gives the same result, and `modulo` never gives a worse one with more.
    pub effort: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            num_stages: 2,
            max_versions: None,
            iterations: None,
            loads: vec![],
            trip: None,
            rate_first: false,
            stream: StreamCosts::default(),
            time_limit: None,
            effort: 1_000_000,
        }
    }
}

impl Options {
    /// The budget of `scheduler` for its part of `exact`. It has fewer steps for more choices between engines and more
    /// operations, which make each of them dearer, unless there is a time limit to end the search; so the work, and not
    /// only the number of steps, has a limit.
    pub(crate) fn budget(&self, scheduler: Scheduler, problem: &Problem) -> Budget {
        let choices = problem
            .operations
            .iter()
            .map(|op| op.alternatives.len().saturating_sub(1));
        let price = (choices.sum::<usize>() / CHEAP_CHOICES) as u64;
        let count = problem.operations.len();
        // A conflict goes through a number of constraints that grows with the square, and it takes more of them to
        // decide an interval.
        let size = (count as u64).pow(3) / (CHEAP_OPERATIONS as u64).pow(3);
        let dear = price
            .saturating_mul(price)
            .saturating_add(1)
            .saturating_mul(size.max(1));
        let steps = match scheduler {
            Scheduler::Auto if count > MOST_FOR_AUTO => 0,
            Scheduler::Auto if count <= FEW => self.effort / AUTO_SHARE_OF_FEW / dear,
            Scheduler::Auto => self.effort / AUTO_SHARE / dear,
            _ if self.time_limit.is_some() => self.effort,
            _ => self.effort / dear,
        };
        Budget {
            steps,
            deadline: self.deadline(1),
        }
    }

    /// The budget of `scheduler` for its part of `modulo`. `exact` keeps half of the time for itself.
    pub(crate) fn attempts(&self, scheduler: Scheduler) -> Budget {
        let share = if scheduler == Scheduler::Exact { 2 } else { 1 };
        Budget {
            steps: self.effort,
            deadline: self.deadline(share),
        }
    }

    /// The end of that part of the time limit; none for a limit that is too long for the clock.
    fn deadline(&self, share: u32) -> Option<Instant> {
        self.time_limit
            .and_then(|limit| Instant::now().checked_add(limit / share))
    }

    /// True if the cycles of the whole run matter most.
    pub(crate) fn runs_first(&self) -> bool {
        self.trip.is_some() && !self.rate_first
    }

    /// Iterations that a plan's quality is measured over when the loop's own number is not known.
    pub(crate) fn measured_trip(&self) -> u64 {
        self.trip.unwrap_or(4 * (u64::from(self.num_stages.min(15)) + 1))
    }
}

/// The result of a scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// A plan that [`crate::verify_plan`] accepts.
    pub plan: Plan,
    /// Its steady rate.
    pub rate: Rate,
    /// Its cycles over `trip` iterations, if that was given; the makespan of straight-line code.
    pub cycles: Option<u64>,
    /// The bounds of the problem, with the options' limit on versions in it.
    pub bounds: Bounds,
    /// No plan has a smaller interval (of straight-line code: a smaller makespan); at least the bounds, and more if the
    /// scheduler proved it.
    pub bound: u64,
    /// True if the plan's interval (makespan) is the bound; never where the rate is an average.
    pub proven: bool,
    /// True if it is proven that no plan at this interval takes fewer bytes; where the rate is an average, only if
    /// every buffer has one version.
    pub bytes_proven: bool,
    /// A note if the scheduler could not do what its description says.
    pub note: Option<Note>,
}

/// A deviation of a scheduler from its description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// Loads that stay in the stage of the computation, since an earlier stage would break a dependence or a limit.
    #[error("{} of the loads stay with the computation: an earlier stage would break a dependence or a \
        limit", .0.len())]
    LoadsKept(Vec<OpId>),
    /// No overlap was possible at all.
    #[error("the fixed stages break a dependence or a limit; the order is the serial one")]
    FellBackToSerial,
}

/// The most overlapping iterations that `greedy` tries, and the most that the tools take for [`Options::iterations`].
pub const MAX_ITERATIONS: u32 = 16;

/// Largest [`Options::num_stages`].
pub const MAX_STAGES: u32 = 256;

/// The reason why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The problem is not well formed, or has operations that can only start together.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Problem(Vec<ProblemError>),
    /// More stages than [`MAX_STAGES`].
    #[error("{0} stages are asked for, the limit is {MAX_STAGES}")]
    TooManyStages(u32),
    /// Not even the serial plan is legal.
    #[error("no legal plan: {0}")]
    Infeasible(PlanError),
}

/// Checks the problem and lets `scheduler` solve it.
pub fn solve(problem: &Problem, scheduler: Scheduler, options: &Options) -> Result<Outcome, SolveError> {
    solve_with_greedy(problem, scheduler, options).map(|solved| solved.outcome)
}

/// An outcome, and one that comes with it.
pub(crate) struct Solved {
    pub(crate) outcome: Outcome,
    /// The outcome of `greedy`, where the scheduler began with it.
    pub(crate) greedy: Option<Outcome>,
}

/// The same with the outcome of `greedy`, where the scheduler begins with it.
pub(crate) fn solve_with_greedy(
    problem: &Problem,
    scheduler: Scheduler,
    options: &Options,
) -> Result<Solved, SolveError> {
    check(problem)
        .and_then(|()| check_program(problem))
        .map_err(SolveError::Problem)?;
    if options.num_stages > MAX_STAGES {
        return Err(SolveError::TooManyStages(options.num_stages));
    }
    let Some(possible) = Possible::of(problem) else {
        return solve_possible(problem, scheduler, options);
    };
    let mut solved = solve_possible(&possible.problem, scheduler, options)?;
    for outcome in [&mut solved.outcome].into_iter().chain(&mut solved.greedy) {
        possible.renumber(&mut outcome.plan.chosen);
    }
    Ok(solved)
}

/// Solves a problem that passes the check and has no alternative that can never be chosen.
fn solve_possible(problem: &Problem, scheduler: Scheduler, asked: &Options) -> Result<Solved, SolveError> {
    let acyclic = problem.kind == Kind::Acyclic;
    let options = &Options {
        trip: if acyclic { Some(1) } else { asked.trip },
        rate_first: (asked.rate_first || scheduler == Scheduler::Exact) && !acyclic,
        ..asked.clone()
    };
    let limited = limit_versions(problem, options);
    let baseline = serial::serial(&limited, options).map_err(SolveError::Infeasible)?;
    let bounds = lower_bound(&as_queues_keep_it(&limited, options.stream));
    let bound = plan_bound(&limited, options, &bounds);
    // If the objective of `exact` differs from that of the others, it begins with their best.
    let begins = scheduler == Scheduler::Exact && !acyclic && asked.trip.is_some() && !asked.rate_first;
    let part = |share: u32| asked.time_limit.map(|limit| limit / OF_TIME * share);
    let baseline = if begins {
        let others = Options {
            time_limit: part(1),
            ..asked.clone()
        };
        search(&limited, Scheduler::Auto, &others, baseline, bound).0.candidate
    } else {
        baseline
    };
    let rest = Options {
        time_limit: if begins { part(OF_TIME - 1) } else { options.time_limit },
        ..options.clone()
    };
    let (found, greedy) = search(&limited, scheduler, &rest, baseline, bound);
    let finished = |found| finish(&limited, options, &bounds, found);
    Ok(Solved {
        outcome: finished(found),
        greedy: greedy.map(finished),
    })
}

/// The outcome of what was found for a problem with limited versions.
fn finish(limited: &Problem, options: &Options, bounds: &Bounds, found: Found) -> Outcome {
    let Found {
        candidate,
        bound,
        least_bytes,
        note,
    } = found;
    let (rate, cycle) = (candidate.rate(), candidate.starts());
    let Candidate { mut plan, cycles, .. } = candidate;
    // Straight-line code has no steady state; its makespan takes the place of the interval.
    let rate = if limited.kind == Kind::Acyclic {
        Rate {
            cycles,
            iterations: 1,
            exact: true,
        }
    } else if !rate.exact && rate.interval() < bound {
        // An average over a run that is too short for its begin not to matter.
        Rate {
            cycles: bound,
            iterations: 1,
            exact: false,
        }
    } else {
        rate
    };
    plan.ii = rate.interval().max(1);
    // An average says nothing certain of the interval.
    let proven = rate.exact && rate.interval() <= bound;
    let bytes_proven = proves_bytes(limited, options.stream, &plan, rate, least_bytes);
    plan.cycle = cycle;
    debug_assert_eq!(crate::verify_plan(limited, &plan), Ok(()));
    Outcome {
        plan,
        rate,
        cycles: options.trip.map(|_| cycles),
        bounds: bounds.clone(),
        bound,
        proven,
        bytes_proven,
        note,
    }
}

/// True if no plan at the interval of this one takes fewer bytes.
fn proves_bytes(problem: &Problem, stream: StreamCosts, plan: &Plan, rate: Rate, least_bytes: Option<u128>) -> bool {
    let bytes = bytes_of(problem, &plan.versions);
    let bound = || least_bytes_of_plans(problem, stream, rate.interval());
    bytes == bytes_of(problem, &vec![1; plan.versions.len()])
        || least_bytes.is_some_and(|least| bytes <= least)
        || rate.exact && bytes <= bound()
}

/// The result of a search.
struct Found {
    candidate: Candidate,
    bound: u64,
    /// No plan at the candidate's interval takes fewer bytes, if that was looked into.
    least_bytes: Option<u128>,
    note: Option<Note>,
}

impl Found {
    /// A candidate of which nothing more is known.
    fn of(candidate: Candidate, bound: u64, note: Option<Note>) -> Self {
        Self {
            candidate,
            bound,
            least_bytes: None,
            note,
        }
    }
}

/// Searches with a scheduler from a legal plan on. Returns what it finds and the bound that it proves above a known
/// one; and what `greedy` finds, if the scheduler begins with it.
fn search(
    problem: &Problem,
    scheduler: Scheduler,
    options: &Options,
    baseline: Candidate,
    bound: u64,
) -> (Found, Option<Found>) {
    let (mut budget, mut attempts) = (options.budget(scheduler, problem), options.attempts(scheduler));
    if scheduler == Scheduler::Serial {
        return (Found::of(baseline, bound, None), None);
    }
    let work = Work::new(problem, options);
    let improved = match (scheduler, problem.kind) {
        (Scheduler::List, Kind::Cyclic) => {
            let (candidate, note) = list::list(&work, baseline);
            return (Found::of(candidate, bound, note), None);
        }
        (Scheduler::Serial | Scheduler::List | Scheduler::Greedy, _) => {
            return (Found::of(greedy::greedy(&work, baseline), bound, None), None);
        }
        (Scheduler::Modulo | Scheduler::Auto | Scheduler::Exact, _) => modulo::modulo(&work, baseline, &mut attempts),
    };
    let greedy = Some(Found::of(improved.greedy, bound, None));
    if scheduler == Scheduler::Modulo {
        return (Found::of(improved.best, bound, None), greedy);
    }
    let reduce = scheduler == Scheduler::Exact;
    let ExactPlan {
        best,
        bound,
        least_bytes,
    } = exact_plan(&work, improved.best, bound, reduce, &mut budget);
    let found = Found {
        candidate: best,
        bound,
        least_bytes,
        note: None,
    };
    (found, greedy)
}

/// No plan has a smaller interval (of straight-line code: a smaller makespan).
fn plan_bound(problem: &Problem, options: &Options, bounds: &Bounds) -> u64 {
    if problem.kind == Kind::Acyclic {
        return bounds.makespan();
    }
    let StreamCosts { wait, back_edge, .. } = options.stream;
    let issue = problem.control().map_or(0, |control| bounds.resource[control.index()]);
    let waits = if wait > 0 {
        least_waits(problem, options.stream)
    } else {
        0
    };
    let stream = issue
        .saturating_add(back_edge)
        .saturating_add(waits.saturating_mul(wait));
    bounds.interval().max(stream)
}

/// The problem with the options' limit of versions on every buffer, and without deadlines, which no plan has to meet.
pub(crate) fn limit_versions(problem: &Problem, options: &Options) -> Problem {
    let limit = options.max_versions.unwrap_or(options.num_stages).max(1);
    let mut limited = problem.clone();
    limited
        .dependences
        .retain(|d| d.latency.is_none_or(|latency| latency >= 0));
    for buffer in &mut limited.buffers {
        buffer.max_versions = Some(buffer.max_versions.map_or(limit, |own| own.min(limit)));
    }
    limited
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Alternative, Use};

    fn with_choices(operations: usize, engines: usize) -> Problem {
        let mut problem = Problem::cyclic("choices");
        let engines: Vec<_> = (0..engines).map(|i| problem.add_resource(format!("e{i}"), 1)).collect();
        for i in 0..operations {
            let alternatives = engines.iter().map(|&engine| Alternative {
                latency: 1,
                uses: vec![Use::whole(engine, 1)],
            });
            problem.add_choice(format!("op{i}"), alternatives.collect());
        }
        problem
    }

    #[test]
    fn the_search_is_shorter_where_many_engines_can_serve() {
        let steps = |scheduler, engines| Options::default().budget(scheduler, &with_choices(9, engines)).steps;
        for (scheduler, all) in [(Scheduler::Auto, 1_000), (Scheduler::Exact, 1_000_000)] {
            assert_eq!((steps(scheduler, 1), steps(scheduler, 2)), (all, all));
            assert!(steps(scheduler, 16) < all / 20, "{}", steps(scheduler, 16));
        }
    }

    #[test]
    fn the_search_is_shorter_where_a_step_takes_longer() {
        let steps = |scheduler, operations| {
            let problem = with_choices(operations, 1);
            Options::default().budget(scheduler, &problem).steps
        };
        assert_eq!(
            [64, 128, 256].map(|count| steps(Scheduler::Exact, count)),
            [1_000_000, 125_000, 15_625]
        );
        assert_eq!(
            [64, 128, 400, 401].map(|count| steps(Scheduler::Auto, count)),
            [250, 31, 1, 0]
        );
    }
}
