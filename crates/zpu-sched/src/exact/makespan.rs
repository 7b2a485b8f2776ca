//! The least makespan of straight-line code: one model, with ever smaller makespans demanded of it.

use super::Exact;
use super::model::{Answer, Goal, Model, Quantity};
use crate::budget::Budget;
use crate::schedule::length;
use crate::{Problem, Schedule};

/// Searches for the least makespan from `bound` up to `most`, below that of `best`.
pub(super) fn least(problem: &Problem, best: Option<Schedule>, bound: u64, most: u64, budget: &mut Budget) -> Exact {
    let mut exact = Exact { best, bound };
    let horizon = exact
        .best
        .as_ref()
        .map_or(most, |best| length(problem, best).saturating_sub(1));
    if horizon < bound || budget.spent() {
        return exact;
    }
    let mut model = match Model::new(problem, 1, horizon, Goal::Smaller { bytes: false }) {
        Ok(model) => model,
        Err(Answer::None) => {
            exact.bound = horizon + 1;
            return exact;
        }
        Err(_) => return exact,
    };
    model.limit(Quantity::Length, horizon.into());
    loop {
        match model.solve(budget) {
            Answer::Found(found) => {
                let makespan = length(problem, &found);
                exact.best = Some(found);
                if makespan <= exact.bound {
                    return exact;
                }
                model.limit(Quantity::Length, (makespan - 1).into());
            }
            Answer::None => {
                exact.bound = exact.best.as_ref().map_or(horizon + 1, |best| length(problem, best));
                return exact;
            }
            Answer::Unknown | Answer::TooLarge => return exact,
        }
    }
}
