//! From minimal intervals to plans, for `exact` and `auto` where the program is issued in order.
//!
//! A plan's steady rate cannot be below the least interval of the problem in which issuing to an engine that does not
//! block costs the stream nothing, deadlines are left out and queues do what they can for dependences: in the steady
//! state of a plan, the order of the commands is fixed, so the starts can be taken to repeat at the rate rounded up,
//! and they meet every dependence, every ring and every engine; only the issue may lie before the start. That problem
//! therefore proves bounds, and its solutions are offered as plans. What issuing costs then is for the reference
//! machine to say: a plan may come out above its schedule's interval, and then nothing is claimed. In the same way it
//! proves that no plan at an interval takes fewer bytes.

use super::intervals::{Intervals, Verdict, decide_upward};
use super::model::Answer;
use super::{FewestBytes, bytes_of, fewest_bytes, least, least_versions, smaller, solve_at};
use crate::budget::Budget;
use crate::candidate::Candidate;
use crate::estimate::as_queues_keep_it;
use crate::incumbent::Incumbent;
use crate::json::Goal;
use crate::work::Work;
use crate::{Kind, Options, Problem, Schedule, StreamCosts};

/// One part of so many of the effort is for bytes. In the kernels of the repository that takes up to 0.3 s; an eighth
/// took 4.4 s and found nothing more.
const FOR_BYTES: u32 = 64;

/// The result of the search for a plan.
pub(crate) struct ExactPlan {
    /// The best plan.
    pub(crate) best: Candidate,
    /// No plan has a smaller interval (makespan).
    pub(crate) bound: u64,
    /// No plan at the interval of `best` takes fewer bytes, if that was looked into.
    pub(crate) least_bytes: Option<u128>,
}

/// Searches for the best plan, starting from `candidate` and from the bound known, and then, if `reduce` says so, for
/// one of fewer bytes at its interval.
pub(crate) fn exact_plan(
    work: &Work<'_>,
    candidate: Candidate,
    bound: u64,
    reduce: bool,
    budget: &mut Budget,
) -> ExactPlan {
    let problem = work.problem;
    let mut search = PlanSearch { work, best: candidate };
    let relaxed = relaxed(&as_queues_keep_it(problem, work.options.stream), work);
    let mut least_bytes = None;
    let bound = match problem.kind {
        Kind::Cyclic => {
            let mut part = if reduce {
                budget.all_but(FOR_BYTES)
            } else {
                budget.clone()
            };
            let mut intervals = PlanIntervals {
                relaxed: &relaxed,
                search: &mut search,
            };
            let bound = decide_upward(&mut intervals, bound, &mut part);
            if reduce {
                least_bytes = search.reduce_bytes(&relaxed, budget);
            }
            bound
        }
        Kind::Acyclic => {
            let most = search.best.cycles.saturating_sub(1);
            let exact = least(&relaxed, None, bound, most, budget);
            if let Some(best) = exact.best {
                search.offer(&best);
            }
            if shares_bandwidth(problem) { bound } else { exact.bound }
        }
    };
    ExactPlan {
        best: search.best,
        bound,
        least_bytes,
    }
}

/// Bytes that no plan takes less of whose steady rate, rounded up, is at most `interval`: at its times every version
/// lives for as long as the longest chain from a writer to a reader.
pub(crate) fn least_bytes_of_plans(problem: &Problem, stream: StreamCosts, interval: u64) -> u128 {
    let kept = as_queues_keep_it(problem, stream);
    bytes_of(&kept, &least_versions(&kept, interval)) + bytes_left_out(problem, &kept)
}

/// Bytes that no plan takes less of whose steady rate, rounded up, is `interval`, if that is at most `most`; else just
/// above it, or less where the effort does not suffice. Of a problem with the limits of versions that plans have.
pub(crate) fn fewest_bytes_of_plans(
    problem: &Problem,
    options: &Options,
    interval: u64,
    most: u128,
    budget: &mut Budget,
) -> u128 {
    let chains = least_bytes_of_plans(problem, options.stream, interval);
    if shares_bandwidth(problem) {
        return chains;
    }
    let work = Work::new(problem, options);
    let relaxed = relaxed(&as_queues_keep_it(problem, options.stream), &work);
    let left_out = bytes_left_out(problem, &relaxed);
    let Some(most) = most.checked_sub(left_out) else {
        return chains;
    };
    let least = fewest_bytes(&relaxed, interval, most, budget).least.min(most + 1);
    chains.max(least + left_out)
}

/// Bytes of one version of each buffer whose ring became a dependence, since queues do its waits.
fn bytes_left_out(problem: &Problem, relaxed: &Problem) -> u128 {
    let all = |problem: &Problem| bytes_of(problem, &vec![1; problem.buffers.len()]);
    all(problem).saturating_sub(all(relaxed))
}

/// The best plan so far.
struct PlanSearch<'a, 'b> {
    work: &'b Work<'a>,
    best: Candidate,
}

impl PlanSearch<'_, '_> {
    fn offer(&mut self, schedule: &Schedule) {
        let work = self.work.rechosen(schedule.chosen.clone());
        let start: Vec<i64> = schedule.start.iter().map(|&at| at as i64).collect();
        let mut incumbent = Incumbent::new(&work, self.best.clone());
        incumbent.offer_times(&start, schedule.ii as i64, work.last_stage());
        self.best = incumbent.into_best();
    }

    /// Offers schedules of fewer bytes at the interval of the best plan. A plan of one of them is taken if it is no
    /// slower: a run that is short, or whose length nobody knows, pays for a longer fill. Returns bytes that no plan at
    /// this interval is below; `None` if its rate is an average.
    fn reduce_bytes(&mut self, relaxed: &Problem, budget: &mut Budget) -> Option<u128> {
        let rate = self.best.rate();
        if !rate.exact {
            return None;
        }
        let bytes = |search: &Self| bytes_of(search.work.problem, &search.best.plan.versions);
        let left_out = bytes_left_out(self.work.problem, relaxed);
        let most = bytes(self).saturating_sub(left_out).checked_sub(1)?;
        let FewestBytes { mut found, least } = fewest_bytes(relaxed, rate.interval(), most, budget);
        if let Some(fewest) = found.last() {
            let goals = [Goal::Interval, Goal::Bytes, Goal::Length];
            found.push(smaller(relaxed, fewest.clone(), &goals, budget).best);
        }
        for schedule in found.iter().rev() {
            self.offer(schedule);
        }
        if self.best.rate().interval() != rate.interval() {
            return None;
        }
        let least = if shares_bandwidth(relaxed) {
            bytes_of(relaxed, &least_versions(relaxed, rate.interval()))
        } else {
            // Nothing was looked for above that.
            least.min(most + 1)
        };
        Some(least + left_out)
    }
}

/// The problem without costs of issuing to engines that do not block, and without dependences that do not order.
fn relaxed(problem: &Problem, work: &Work<'_>) -> Problem {
    let mut relaxed = problem.clone();
    relaxed
        .dependences
        .retain(|d| d.latency.is_none_or(|latency| latency >= 0));
    if let Some(control) = problem.control() {
        for (op, operation) in relaxed.operations.iter_mut().enumerate() {
            if work.blocking[op] == 0 || operation.alternatives.len() > 1 {
                operation
                    .alternatives
                    .iter_mut()
                    .for_each(|a| a.uses.retain(|u| u.resource != control));
            }
        }
    }
    relaxed
}

/// Intervals at which a plan is looked for.
struct PlanIntervals<'a, 'b, 'c> {
    relaxed: &'c Problem,
    search: &'c mut PlanSearch<'a, 'b>,
}

impl Intervals for PlanIntervals<'_, '_, '_> {
    fn end(&self) -> u64 {
        self.search.best.rate().interval()
    }

    fn decide(&mut self, ii: u64, budget: &mut Budget) -> Verdict {
        match solve_at(self.relaxed, ii, budget) {
            Answer::Found(found) => {
                self.search.offer(&found);
                if self.search.best.rate().interval() > ii {
                    self.search
                        .offer(&smaller(self.relaxed, found, &[Goal::Length], budget).best);
                }
                Verdict::Possible
            }
            Answer::None if shares_bandwidth(self.relaxed) => Verdict::Open,
            Answer::None => Verdict::Impossible,
            Answer::Unknown => Verdict::Open,
            Answer::TooLarge => Verdict::Undecidable,
        }
    }
}

/// True if commands may overlap in part on a resource, which a schedule cannot say: that there is none then proves
/// nothing.
fn shares_bandwidth(problem: &Problem) -> bool {
    let control = problem.control().map(crate::ResourceId::index);
    let mut each = problem.resources.iter().enumerate();
    each.any(|(index, resource)| resource.shared || resource.capacity > 1 && Some(index) != control)
}
