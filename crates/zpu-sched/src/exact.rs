//! The `exact` scheduler: constraint programming, with the model of [`crate::exact_model`].
//!
//! Intervals are tried from the lower bound upward; each one without a solution raises the bound. The first with a
//! solution is the minimum. What another scheduler found limits the search from above. Then the length is shortened and
//! after it the total of the versions reduced, each as long as the solver finds something better.
//!
//! Objective: the interval (the makespan of straight-line code), then the length, then the versions. Guarantee: never
//! worse than the schedule it starts from; the bound is proven, and if the interval equals it the interval is minimal.
//! The search ends when its steps or its time are spent, and returns the best so far. The same steps give the same
//! result; with a time limit the result may depend on the machine.

use crate::exact_model::{Answer, Budget, Goal, Model};
use crate::{Kind, Problem, Schedule};

/// Steps for one interval before the next is tried, as a part of all: an interval that cannot be decided must not keep
/// the search from finding something better than it started with.
const SHARE: u64 = 3;

/// Steps that building a model counts for.
pub(crate) const MODEL_STEPS: u64 = 20;

/// A schedule and what is known about how good it is.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    /// The best found, if anything was.
    pub(crate) best: Option<Schedule>,
    /// No interval (makespan) is below this.
    pub(crate) bound: u64,
}

/// Cycles from the first start until everything is done.
pub(crate) fn length(problem: &Problem, schedule: &Schedule) -> u64 {
    let span = |op: usize| problem.operations[op].alternatives[schedule.chosen[op] as usize].span();
    let ends = schedule.start.iter().enumerate().map(|(op, start)| start + span(op));
    let first = schedule.start.iter().min().copied().unwrap_or(0);
    ends.max().unwrap_or(0).saturating_sub(first)
}

/// Searches for the least interval from `bound` upward, below that of `best`.
pub(crate) fn least_interval(
    problem: &Problem,
    best: Option<Schedule>,
    bound: u64,
    most: u64,
    budget: &mut Budget,
) -> Exact {
    let mut exact = Exact { best, bound };
    let mut proving = true;
    let mut ii = bound.max(1);
    loop {
        let limit = exact.best.as_ref().map_or(most, |best| best.ii - 1);
        if ii > limit || budget.spent() {
            return exact;
        }
        // Building a model is work as well.
        budget.take(MODEL_STEPS);
        let mut part = budget.take((budget.steps / SHARE).max(1));
        let answer = match Model::new(problem, ii, 0, Goal::Any) {
            Ok(mut model) => model.solve(&mut part),
            Err(answer) => answer,
        };
        budget.give_back(&part);
        match answer {
            Answer::Found(found) => {
                exact.best = Some(found);
                return exact;
            }
            Answer::None => ii += 1,
            Answer::Unknown => {
                proving = false;
                // Somewhere between here and the best, where a solution is more likely.
                ii += (limit.saturating_sub(ii) / 2).max(1);
            }
        }
        if proving {
            exact.bound = ii;
        }
    }
}

/// Searches for the least makespan from `bound` upward, below that of `best`.
pub(crate) fn least_makespan(
    problem: &Problem,
    best: Option<Schedule>,
    bound: u64,
    most: u64,
    budget: &mut Budget,
) -> Exact {
    let mut exact = Exact { best, bound };
    let horizon = exact
        .best
        .as_ref()
        .map_or(most, |best| length(problem, best).saturating_sub(1));
    if horizon < bound {
        return exact;
    }
    let mut model = match Model::new(problem, 1, horizon, Goal::Smaller) {
        Ok(model) => model,
        Err(Answer::None) => {
            exact.bound = horizon + 1;
            return exact;
        }
        Err(_) => return exact,
    };
    model.limit_length(horizon);
    loop {
        match model.solve(budget) {
            Answer::Found(found) => {
                let makespan = length(problem, &found);
                exact.best = Some(found);
                if makespan <= exact.bound {
                    return exact;
                }
                model.limit_length(makespan - 1);
            }
            Answer::None => {
                exact.bound = exact.best.as_ref().map_or(horizon + 1, |best| length(problem, best));
                return exact;
            }
            Answer::Unknown => return exact,
        }
    }
}

/// Shortens a loop's schedule at its interval, then takes versions away.
pub(crate) fn shorten(problem: &Problem, best: Schedule, budget: &mut Budget) -> Schedule {
    if problem.kind == Kind::Acyclic || problem.operations.is_empty() {
        return best;
    }
    let Ok(mut model) = Model::new(problem, best.ii, 0, Goal::Smaller) else {
        return best;
    };
    let mut best = best;
    let mut part = budget.take(budget.steps / 2);
    model.limit_length(length(problem, &best).saturating_sub(1));
    let shortest = loop {
        match model.solve(&mut part) {
            Answer::Found(found) => {
                best = found;
                model.limit_length(length(problem, &best).saturating_sub(1));
            }
            answer => break matches!(answer, Answer::None),
        }
    };
    budget.give_back(&part);
    // Demands cannot be taken back, so that a new model is needed for the same length with fewer versions.
    let total = |schedule: &Schedule| schedule.versions.iter().map(|&v| u64::from(v)).sum::<u64>();
    if !shortest || total(&best) == problem.buffers.len() as u64 {
        return best;
    }
    let Ok(mut model) = Model::new(problem, best.ii, 0, Goal::Smaller) else {
        return best;
    };
    model.limit_length(length(problem, &best));
    loop {
        model.limit_versions(total(&best) - 1);
        match model.solve(budget) {
            Answer::Found(found) => best = found,
            _ => return best,
        }
        if total(&best) == problem.buffers.len() as u64 {
            return best;
        }
    }
}
