//! The `exact` scheduler: constraint programming, with the model of [`model`].
//!
//! Intervals are decided from the lower bound upward ([`intervals`]); each one without a solution raises the bound. The
//! first with a solution is the minimum. Of straight-line code, the makespan is lowered as long as the solver finds a
//! smaller one ([`makespan`]). What another scheduler found limits the search from above. Then bytes, length and
//! versions are reduced at that interval ([`smaller`]), each as long as the solver finds something better.
//!
//! Objective: the interval (the makespan of straight-line code), then what the instance wants: bytes, then the length
//! if it says nothing; then versions. Guarantee: never worse than the schedule it starts from; the bounds of interval
//! and bytes are proven, and what equals its bound is minimal.
//! The search ends when its steps or its time are spent, and returns the best so far. The same steps give the same
//! result; with a time limit the result may depend on the machine.

mod intervals;
mod makespan;
mod model;
mod plan;
mod smaller;
mod versions;

use self::intervals::{Intervals, Verdict, decide_upward};
use self::model::{Answer, Goal, Model};
pub(crate) use self::plan::{ExactPlan, exact_plan, fewest_bytes_of_plans, least_bytes_of_plans};
pub(crate) use self::smaller::{FewestBytes, bytes_of, fewest_bytes, smaller};
pub(crate) use self::versions::least_versions;
use crate::budget::Budget;
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
