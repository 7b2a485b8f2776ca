//! From minimal intervals to plans, for `exact` and `auto` where the program is issued in order.
//!
//! A plan's steady rate cannot be below the least interval of the problem in which issuing to an engine that does not
//! block costs the stream nothing, deadlines are left out and queues do what they can for dependences: in the steady
//! state of a plan, the order of the commands is fixed, so the starts can be taken to repeat at the rate rounded up,
//! and they meet every dependence, every ring and every engine; only the issue may lie before the start. That problem
//! therefore proves bounds, and its solutions are offered as plans. What issuing costs then is for the reference
//! machine to say: a plan may come out above its schedule's interval, and then nothing is claimed.

use super::intervals::{Intervals, Verdict, decide_upward};
use super::model::Answer;
use super::{least, shorten, solve_at};
use crate::budget::Budget;
use crate::candidate::Candidate;
use crate::estimate::as_queues_keep_it;
use crate::incumbent::Incumbent;
use crate::work::Work;
use crate::{Kind, Problem, Schedule};

/// The best plan, starting from `candidate`, and the bound proven on the way, starting from `bound`.
pub(crate) fn exact_plan(work: &Work<'_>, candidate: Candidate, bound: u64, budget: &mut Budget) -> (Candidate, u64) {
    let problem = work.problem;
    let mut search = PlanSearch { work, best: candidate };
    let kept = as_queues_keep_it(problem, work.options.stream);
    let relaxed = relaxed(&kept, work);
    let bound = match problem.kind {
        Kind::Cyclic => {
            let mut intervals = PlanIntervals {
                relaxed: &relaxed,
                search: &mut search,
            };
            decide_upward(&mut intervals, bound, budget)
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
    (search.best, bound)
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
                    self.search.offer(&shorten(self.relaxed, found, budget));
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
