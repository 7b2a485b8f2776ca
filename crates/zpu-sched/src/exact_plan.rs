//! From minimal intervals to plans: what `exact` and `auto` do where the program is issued in order.
//!
//! A plan's steady rate cannot be below the least interval of the problem in which issuing to an engine that does not
//! block costs the stream nothing and deadlines are left out: in the steady state of a plan, the order of the commands is
//! fixed, so the starts can be taken to repeat at the rate rounded up, and they meet every dependence, every ring and
//! every engine; only the issue may lie before the start. That problem therefore proves bounds, and its solutions are
//! offered as plans. What issuing costs then is for the reference machine to say: a plan may come out above its
//! schedule's interval, and then nothing is claimed.

use crate::candidate::Candidate;
use crate::contest::Contest;
use crate::exact::{MODEL_STEPS, least_makespan, shorten};
use crate::exact_model::{Answer, Budget, Goal, Model};
use crate::work::Work;
use crate::{Kind, Options, Problem, Schedule};

/// The best plan, starting from `candidate`, and the bound proven on the way, starting from `bound`.
pub(crate) fn exact_plan(
    problem: &Problem,
    options: &Options,
    candidate: Candidate,
    bound: u64,
    budget: &mut Budget,
) -> (Candidate, u64) {
    let mut search = PlanSearch {
        problem,
        options,
        best: candidate,
    };
    let relaxed = relaxed(problem, &Work::new(problem, options));
    let bound = match problem.kind {
        Kind::Cyclic => search_intervals(&relaxed, &mut search, bound, budget),
        Kind::Acyclic => {
            let most = search.best.cycles.saturating_sub(1);
            let exact = least_makespan(&relaxed, None, bound, most, budget);
            if let Some(best) = exact.best {
                search.offer(&best);
            }
            exact.bound
        }
    };
    (search.best, bound)
}

/// The best plan so far.
struct PlanSearch<'a> {
    problem: &'a Problem,
    options: &'a Options,
    best: Candidate,
}

impl PlanSearch<'_> {
    fn offer(&mut self, schedule: &Schedule) {
        let work = Work::with_chosen(self.problem, self.options, schedule.chosen.clone());
        let start: Vec<i64> = schedule.start.iter().map(|&at| at as i64).collect();
        let mut contest = Contest::new(&work, self.best.clone());
        contest.offer_times(&start, schedule.ii as i64, work.last_stage());
        self.best = contest.into_best();
    }
}

/// The problem without costs of issuing to engines that do not block, and without deadlines.
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

/// Intervals from the bound upward, until a plan runs at one.
fn search_intervals(problem: &Problem, search: &mut PlanSearch<'_>, bound: u64, budget: &mut Budget) -> u64 {
    let (mut bound, mut proving) = (bound, true);
    for ii in bound.max(1).. {
        if ii >= search.best.rate.interval() || budget.spent() {
            break;
        }
        budget.take(MODEL_STEPS);
        let mut part = budget.take((budget.steps / 3).max(1));
        let answer = match Model::new(problem, ii, 0, Goal::Any) {
            Ok(mut model) => model.solve(&mut part),
            Err(answer) => answer,
        };
        match answer {
            Answer::Found(found) => {
                proving = false;
                search.offer(&found);
                if search.best.rate.interval() > ii {
                    search.offer(&shorten(problem, found, &mut part));
                }
            }
            Answer::None if proving => bound = ii + 1,
            Answer::None => {}
            Answer::Unknown => proving = false,
        }
        budget.give_back(&part);
    }
    bound
}
