//! The curve of the interval against bytes: the fewest bytes at each interval, from the least interval on, as long as a
//! longer one takes fewer.
//!
//! Neither feasibility nor bytes are monotone in the interval, since resources are taken modulo the interval: a
//! schedule at II need not have one of as few bytes at II + 1. So nothing is concluded from one interval to another,
//! but for the bound by chains of dependences, which never rises; intervals at which it is no smaller than what is
//! known are left out.
//!
//! First the scheduler solves the problem with ever fewer versions allowed ([`descent`]), which gives a curve of
//! schedules that exist. `exact` then decides intervals one by one ([`intervals`]).
//!
//! Invariant: each point has passed the check of its schedule (or plan), and none is dominated by another.

mod descent;
mod intervals;

use std::collections::{BTreeMap, BTreeSet};

use crate::exact::{bytes_of, fewest_bytes_of_plans, least_bytes_of_plans, least_versions};
use crate::plan::needed_bytes;
use crate::possible::Possible;
use crate::solve::limit_versions;
use crate::timed::longest;
use crate::{
    Instance, Kind, Options, Outcome, Problem, Schedule, Scheduler, SolveError, TimedSolutionError, check, solve,
    timed_solution,
};
use descent::{Found, descend};
use intervals::search;

/// Problems that are solved with fewer versions allowed.
const MOST_SOLVES: usize = 24;
/// Parts of the time, one each for the least interval, for all problems with fewer versions, and for single intervals.
const OF_TIME: u32 = 3;
/// Parts of the time and of the effort, of which each problem with fewer versions gets one.
const PARTS: u32 = OF_TIME * MOST_SOLVES as u32;

/// One part of so many of the effort is for proofs that plans have the fewest bytes, as in `exact`.
const FOR_PROOFS: u64 = 64;

/// A point of the curve: no other point has both as short an interval and as few bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The interval in cycles.
    pub interval: u64,
    /// Bytes of all versions of all buffers.
    pub bytes: u128,
    /// Bytes in each space.
    pub spaces: Vec<u128>,
    /// The schedule; of a program, with the versions, alternatives and starts of its plan.
    pub schedule: Schedule,
    /// True if it is proven that nothing at this interval takes fewer bytes.
    pub proven: bool,
    /// Intervals between the point before and this one at which there may be fewer bytes than at the point before:
    /// they were not looked into, or the effort did not suffice.
    pub undecided: u64,
}

/// The curve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// The points, by rising interval and falling bytes; at least one.
    pub points: Vec<Point>,
    /// The place of the point that saves most bytes for each per cent that its interval is longer than the first one;
    /// `None` for a curve of one point.
    pub knee: Option<usize>,
    /// Nothing has a shorter interval than this.
    pub lower_bound: u64,
    /// True if the last point has one version of each buffer, so that no interval has fewer bytes.
    pub complete: bool,
}

/// The curve of an instance, by `scheduler`; `exact` also searches intervals one by one. Of straight-line code it is a
/// single point. Time limit and effort of `options` are those of the whole curve.
///
/// # Errors
///
/// Those of [`timed_solution`], if there is no point at all.
pub fn pareto(instance: &Instance, scheduler: Scheduler, options: &Options) -> Result<Curve, TimedSolutionError> {
    check(&instance.problem).map_err(TimedSolutionError::Problem)?;
    if let Some(planning) = &instance.planning {
        let options = Options {
            iterations: options.iterations.or(planning.iterations),
            time_limit: options.time_limit,
            effort: options.effort,
            ..planning.clone()
        };
        return pareto_of_plans(&instance.problem, scheduler, &options, None, MOST_SOLVES).map_err(
            |error| match error {
                SolveError::Problem(errors) => TimedSolutionError::Problem(errors),
                other => TimedSolutionError::NoPlan(other),
            },
        );
    }
    let Some(possible) = Possible::of(&instance.problem) else {
        return pareto_of_schedules(instance, scheduler, options);
    };
    let narrowed = Instance {
        problem: possible.problem.clone(),
        ..instance.clone()
    };
    let mut curve = pareto_of_schedules(&narrowed, scheduler, options)?;
    for point in &mut curve.points {
        possible.renumber(&mut point.schedule.chosen);
    }
    Ok(curve)
}

/// The curve of plans of a program, as [`solve`] finds them in at most so many problems, each with fewer versions
/// allowed. It begins with `first`, the scheduler's outcome for this problem, if that is known already; for the others
/// the interval matters more than the run.
///
/// # Errors
///
/// Those of [`solve`].
pub fn pareto_of_plans(
    problem: &Problem,
    scheduler: Scheduler,
    options: &Options,
    first: Option<&Outcome>,
    most_solves: usize,
) -> Result<Curve, SolveError> {
    let options = &Options {
        rate_first: true,
        ..options.clone()
    };
    let outcome = match first {
        Some(outcome) => outcome.clone(),
        None => solve(problem, scheduler, &part_of_time(options, OF_TIME))?,
    };
    let lower_bound = outcome.bound;
    let mut averages = BTreeSet::new();
    let mut found = |outcome: Outcome| {
        let (proven, interval) = (outcome.bytes_proven, outcome.plan.ii);
        let schedule = Schedule {
            ii: interval,
            start: outcome.plan.cycle,
            chosen: outcome.plan.chosen,
            versions: outcome.plan.versions,
        };
        let found = Found::new(problem, schedule);
        if !outcome.rate.exact {
            averages.insert((interval, found.bytes));
        }
        (found, proven)
    };
    let (first, proven) = found(outcome);
    let least = proven.then_some((first.schedule.ii, first.bytes));
    let each = part_of(options);
    let points = descend(problem, first, most_solves, |limited| {
        Some(found(solve(limited, scheduler, &each).ok()?).0)
    });
    let limited = limit_versions(problem, options);
    let bound = |ii: u64| least_bytes_of_plans(&limited, options.stream, ii);
    let mut curve = Known::new(problem, points);
    curve.least.extend(least);
    if scheduler == Scheduler::Exact && problem.kind == Kind::Cyclic {
        let mut budget = part_of_time(options, OF_TIME).budget(scheduler, problem);
        budget.steps /= FOR_PROOFS;
        for (ii, bytes) in curve.front().into_iter().filter(|&(_, bytes)| bytes > 0) {
            let least = fewest_bytes_of_plans(&limited, options, ii, bytes - 1, &mut budget);
            let known = curve.least.entry(ii).or_insert(0);
            *known = least.max(*known);
        }
    }
    let mut curve = curve.into_curve(lower_bound, bound);
    for point in &mut curve.points {
        // Nothing is proven for an interval that is an average over a run, but that no buffer has less than a version.
        let average = averages.contains(&(point.interval, point.bytes));
        point.proven &= !average || point.schedule.versions.iter().all(|&versions| versions == 1);
    }
    Ok(curve)
}

fn pareto_of_schedules(
    instance: &Instance,
    scheduler: Scheduler,
    options: &Options,
) -> Result<Curve, TimedSolutionError> {
    let problem = &instance.problem;
    let first = timed_solution(instance, scheduler, &part_of_time(options, OF_TIME))?;
    let (lower_bound, interval) = (first.lower_bound, first.measure.interval);
    // Versions are lowered by a scheduler that is quick.
    let by = scheduler.min(Scheduler::Modulo);
    let each = part_of(options);
    let points = descend(
        problem,
        Found::new(problem, first.schedule.clone()),
        MOST_SOLVES,
        |limited| {
            let limited = Instance {
                problem: limited.clone(),
                ..instance.clone()
            };
            let found = timed_solution(&limited, by, &each).ok()?;
            Some(Found::new(problem, found.schedule))
        },
    );
    let bound = |ii: u64| bytes_of(problem, &least_versions(problem, ii));
    let mut known = Known::new(problem, points);
    if first.bytes_proven {
        known.least.insert(interval, first.measure.bytes);
    }
    if scheduler == Scheduler::Exact && problem.kind == Kind::Cyclic {
        let mut budget = part_of_time(options, OF_TIME).budget(scheduler, problem);
        search(problem, &mut known, bound, longest(problem), &mut budget);
    }
    let mut curve = known.into_curve(lower_bound, bound);
    if problem.kind == Kind::Acyclic {
        curve.points.iter_mut().for_each(|point| point.interval = interval);
    }
    Ok(curve)
}

/// Options for one of the problems with fewer versions.
fn part_of(options: &Options) -> Options {
    Options {
        effort: (options.effort / u64::from(PARTS)).max(1),
        ..part_of_time(options, PARTS)
    }
}

fn part_of_time(options: &Options, parts: u32) -> Options {
    Options {
        time_limit: options.time_limit.map(|limit| limit / parts),
        ..options.clone()
    }
}

/// The schedules known, and what is proven of intervals.
struct Known<'a> {
    problem: &'a Problem,
    /// By interval, the one of the fewest bytes.
    best: BTreeMap<u64, Found>,
    /// By interval, bytes that nothing is below.
    least: BTreeMap<u64, u128>,
}

impl<'a> Known<'a> {
    fn new(problem: &'a Problem, found: Vec<Found>) -> Known<'a> {
        let mut known = Known {
            problem,
            best: BTreeMap::new(),
            least: BTreeMap::new(),
        };
        found.into_iter().for_each(|found| known.add(found));
        known
    }

    fn add(&mut self, found: Found) {
        let known = self.best.get(&found.schedule.ii);
        if known.is_none_or(|known| found.bytes < known.bytes) {
            self.best.insert(found.schedule.ii, found);
        }
    }

    /// The fewest bytes at an interval of up to `ii`.
    fn fewest_up_to(&self, ii: u64) -> Option<u128> {
        self.best.range(..=ii).map(|(_, found)| found.bytes).min()
    }

    /// Intervals and bytes of the points that no other dominates.
    fn front(&self) -> Vec<(u64, u128)> {
        let mut front: Vec<(u64, u128)> = vec![];
        for (&ii, found) in &self.best {
            if front.last().is_none_or(|&(_, bytes)| found.bytes < bytes) {
                front.push((ii, found.bytes));
            }
        }
        front
    }

    /// The curve; `bound` has bytes that nothing at an interval is below, and never rises.
    fn into_curve(mut self, lower_bound: u64, bound: impl Fn(u64) -> u128) -> Curve {
        let mut points: Vec<Point> = vec![];
        for (interval, bytes) in self.front() {
            let Some(found) = self.best.remove(&interval) else {
                continue;
            };
            let known = self.least.get(&interval).copied().unwrap_or(0);
            points.push(Point {
                interval,
                bytes,
                spaces: needed_bytes(self.problem, &found.schedule.versions),
                schedule: found.schedule,
                proven: bytes <= known.max(bound(interval)),
                undecided: points.last().map_or(0, |before| {
                    self.undecided(before.interval, before.bytes, interval, &bound)
                }),
            });
        }
        let ones = bytes_of(self.problem, &vec![1; self.problem.buffers.len()]);
        Curve {
            knee: knee(&points),
            complete: points.last().is_some_and(|last| last.bytes == ones),
            points,
            lower_bound,
        }
    }

    /// Intervals between two at which there may be fewer than `bytes`.
    fn undecided(&self, from: u64, bytes: u128, to: u64, bound: &impl Fn(u64) -> u128) -> u64 {
        let first = first_below(from + 1, to, bytes, bound);
        let decided = self.least.range(first..to).filter(|&(_, &least)| least >= bytes);
        (to - first).saturating_sub(decided.count() as u64)
    }
}

/// The first interval from `from` up to `to` at which the bound is below `bytes`; `to` if there is none before.
fn first_below(from: u64, to: u64, bytes: u128, bound: impl Fn(u64) -> u128) -> u64 {
    let (mut from, mut to) = (from, to.max(from));
    while from < to {
        let middle = from + (to - from) / 2;
        if bound(middle) < bytes {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

/// The point that saves most bytes for each per cent of a longer interval, all against the first point; of equal ones
/// the first.
fn knee(points: &[Point]) -> Option<usize> {
    let first = points.first()?;
    let saved = |point: &Point| {
        let percent = (point.interval - first.interval) as f64 * 100.0 / first.interval.max(1) as f64;
        (first.bytes - point.bytes) as f64 / percent
    };
    let mut best: Option<(usize, f64)> = None;
    for (index, point) in points.iter().enumerate().skip(1) {
        let saved = saved(point);
        if best.is_none_or(|(_, most)| saved > most) {
            best = Some((index, saved));
        }
    }
    best.map(|(index, _)| index)
}
