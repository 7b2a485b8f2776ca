//! Smaller schedules at one interval: fewer bytes, a shorter length, fewer versions.
//!
//! The goals after the interval are taken one after the other, the most important first: each is lowered as long as the
//! solver finds something better, and what it came to is demanded of the schedules that follow. Demands cannot be taken
//! back, so each goal has a model of its own. Versions decide between schedules that are equal otherwise; they are
//! only reduced where everything before them is known to be least.
//!
//! Bytes have a bound that takes no search, [`least_versions`]: the longest chain of dependences from a writer to a
//! reader is the least time that a version lives for.

use super::model::{Answer, Goal as Wanted, Model, Quantity};
use super::versions::least_versions;
use crate::budget::Budget;
use crate::json::Goal;
use crate::{Kind, Problem, Schedule};

/// A schedule, and what is known about others at its interval.
#[derive(Clone, Debug)]
pub(crate) struct Smaller {
    /// The best found; at least as good as the one that the search began with.
    pub(crate) best: Schedule,
    /// No schedule at this interval takes fewer bytes than this.
    pub(crate) least_bytes: u128,
}

/// Makes a loop's schedule smaller at its interval, by the goals of `objective` after the interval.
pub(crate) fn smaller(problem: &Problem, best: Schedule, objective: &[Goal], budget: &mut Budget) -> Smaller {
    let goals: Vec<Quantity> = objective.iter().filter_map(|&goal| quantity(goal)).collect();
    let counts_bytes = goals.contains(&Quantity::Bytes);
    let least = if counts_bytes {
        least_versions(problem, best.ii)
    } else {
        vec![1; problem.buffers.len()]
    };
    let mut search = Reduction {
        problem,
        best,
        demands: vec![],
        wanted: Wanted::Smaller { bytes: counts_bytes },
    };
    let mut least_bytes = bytes_of(problem, &least);
    if problem.kind == Kind::Acyclic || problem.operations.is_empty() {
        return search.into_smaller(least_bytes);
    }
    let mut known = true;
    for (index, &goal) in goals.iter().enumerate() {
        let floor = if goal == Quantity::Bytes { least_bytes } else { 0 };
        let mut part = budget.part((goals.len() - index) as u32 + 1);
        let is_least = search.reduce(goal, floor, &mut part);
        budget.give_back(&part);
        known &= is_least;
        if is_least && goal == Quantity::Bytes && index == 0 {
            least_bytes = search.value(goal);
        }
        search.demands.push((goal, search.value(goal)));
    }
    if known {
        let fewest = least.iter().map(|&versions| u128::from(versions)).sum();
        search.reduce(Quantity::Versions, fewest, budget);
    }
    search.into_smaller(least_bytes)
}

/// Schedules at interval `ii` of at most `most` bytes, each of fewer bytes than the one before, as far down as the
/// budget suffices.
pub(crate) fn fewest_bytes(problem: &Problem, ii: u64, most: u128, budget: &mut Budget) -> FewestBytes {
    let least = bytes_of(problem, &least_versions(problem, ii));
    let nothing = |least| FewestBytes { found: vec![], least };
    if least > most || budget.spent() {
        return nothing(least);
    }
    let mut model = match Model::new(problem, ii, 0, Wanted::Smaller { bytes: true }) {
        Ok(model) => model,
        Err(Answer::None) => return nothing(u128::MAX),
        Err(_) => return nothing(least),
    };
    let (mut found, mut below) = (vec![], most);
    loop {
        if !model.limit(Quantity::Bytes, below) {
            return FewestBytes { found, least };
        }
        match model.solve(budget) {
            Answer::Found(schedule) => {
                let bytes = Quantity::Bytes.of(problem, &schedule);
                found.push(schedule);
                if bytes <= least {
                    return FewestBytes { found, least };
                }
                below = bytes - 1;
            }
            Answer::None => {
                return FewestBytes {
                    found,
                    least: below + 1,
                };
            }
            Answer::Unknown | Answer::TooLarge => return FewestBytes { found, least },
        }
    }
}

/// The answer to a question for few bytes at one interval.
#[derive(Clone, Debug)]
pub(crate) struct FewestBytes {
    /// The schedules found; the last one has the fewest bytes.
    pub(crate) found: Vec<Schedule>,
    /// No schedule at this interval takes fewer bytes than this.
    pub(crate) least: u128,
}

fn quantity(goal: Goal) -> Option<Quantity> {
    match goal {
        Goal::Interval => None,
        Goal::Length => Some(Quantity::Length),
        Goal::Bytes => Some(Quantity::Bytes),
    }
}

/// A schedule that is made smaller, and what has to stay as small as it is.
struct Reduction<'a> {
    problem: &'a Problem,
    best: Schedule,
    demands: Vec<(Quantity, u128)>,
    wanted: Wanted,
}

impl Reduction<'_> {
    fn value(&self, quantity: Quantity) -> u128 {
        quantity.of(self.problem, &self.best)
    }

    /// Lowers the quantity as far as `floor`, below which there is nothing; true if nothing is below what it comes to.
    fn reduce(&mut self, quantity: Quantity, floor: u128, budget: &mut Budget) -> bool {
        if self.value(quantity) <= floor {
            return true;
        }
        if budget.spent() {
            return false;
        }
        let Ok(mut model) = Model::new(self.problem, self.best.ii, 0, self.wanted) else {
            return false;
        };
        if !self.demands.iter().all(|&(demanded, most)| model.limit(demanded, most)) {
            return false;
        }
        while self.value(quantity) > floor {
            if !model.limit(quantity, self.value(quantity) - 1) {
                return false;
            }
            match model.solve(budget) {
                Answer::Found(found) => self.best = found,
                answer => return matches!(answer, Answer::None),
            }
        }
        true
    }

    fn into_smaller(self, least_bytes: u128) -> Smaller {
        Smaller {
            best: self.best,
            least_bytes,
        }
    }
}

/// Bytes of so many versions of each buffer.
pub(crate) fn bytes_of(problem: &Problem, versions: &[u32]) -> u128 {
    let each = problem.buffers.iter().zip(versions);
    each.map(|(buffer, &versions)| u128::from(versions) * u128::from(buffer.bytes))
        .sum()
}
