//! The `exact` scheduler: constraint programming, with the model of [`model`].
//!
//! Intervals are decided from the lower bound upward ([`intervals`]); each one without a solution raises the bound. The
//! first with a solution is the minimum. Of straight-line code, the makespan is lowered as long as the solver finds a
//! smaller one ([`makespan`]). What another scheduler found limits the search from above. Then the length is shortened
//! and after it the total of the versions reduced, each as long as the solver finds something better.
//!
//! Objective: the interval (the makespan of straight-line code), then the length, then the versions. Guarantee: never
//! worse than the schedule it starts from; the bound is proven, and if the interval equals it the interval is minimal.
//! The search ends when its steps or its time are spent, and returns the best so far. The same steps give the same
//! result; with a time limit the result may depend on the machine.

mod intervals;
mod makespan;
mod model;
mod plan;

use self::intervals::{Intervals, Verdict, decide_upward};
use self::model::{Answer, Goal, Model};
pub(crate) use self::plan::exact_plan;
use crate::budget::Budget;
use crate::schedule::length;
use crate::{Kind, Problem, Schedule};

/// A schedule, with the bound that is proven for it.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    /// The best found, if anything was.
    pub(crate) best: Option<Schedule>,
    /// No interval (makespan) is below this.
    pub(crate) bound: u64,
}

/// Searches for the least interval (makespan) from `bound` up to `most`, below that of `best`.
pub(crate) fn least(problem: &Problem, best: Option<Schedule>, bound: u64, most: u64, budget: &mut Budget) -> Exact {
    match problem.kind {
        Kind::Cyclic => {
            let mut search = LeastInterval { problem, best, most };
            let bound = decide_upward(&mut search, bound, budget);
            Exact {
                best: search.best,
                bound,
            }
        }
        Kind::Acyclic => makespan::least(problem, best, bound, most, budget),
    }
}

/// The search for the least interval that has a schedule.
struct LeastInterval<'a> {
    problem: &'a Problem,
    best: Option<Schedule>,
    most: u64,
}

impl Intervals for LeastInterval<'_> {
    fn end(&self) -> u64 {
        self.best.as_ref().map_or(self.most.saturating_add(1), |best| best.ii)
    }

    fn decide(&mut self, ii: u64, budget: &mut Budget) -> Verdict {
        match solve_at(self.problem, ii, budget) {
            Answer::Found(found) => {
                self.best = Some(found);
                Verdict::Possible
            }
            Answer::None => Verdict::Impossible,
            Answer::Unknown => Verdict::Open,
            Answer::TooLarge => Verdict::Undecidable,
        }
    }
}

/// A schedule at interval `ii`.
fn solve_at(problem: &Problem, ii: u64, budget: &mut Budget) -> Answer {
    match Model::new(problem, ii, 0, Goal::Any) {
        Ok(mut model) => model.solve(budget),
        Err(answer) => answer,
    }
}

/// Shortens a loop's schedule at its interval, then takes versions away.
pub(crate) fn shorten(problem: &Problem, best: Schedule, budget: &mut Budget) -> Schedule {
    if problem.kind == Kind::Acyclic || problem.operations.is_empty() || budget.spent() {
        return best;
    }
    let Ok(mut model) = Model::new(problem, best.ii, 0, Goal::Smaller) else {
        return best;
    };
    let mut best = best;
    let mut part = budget.part(2);
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
