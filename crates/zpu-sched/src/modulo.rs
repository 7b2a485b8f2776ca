//! The `modulo` scheduler: iterative modulo scheduling with eviction (Rau, MICRO 1994).
//!
//! For intervals from the lower bound upward, operations are placed by [`crate::iterative`]. Rings at the limit of
//! versions are dependences, so a long lifetime is an eviction like any other. Then operations sink towards their
//! readers, which shortens live ranges, and the best plan is improved by local moves. When the budget is spent, the
//! best so far is returned.
//!
//! Objective: the interval, then what `greedy` optimises. Guarantee: never worse than `greedy` by its own measure; more
//! of a budget never gives a worse plan.

use crate::Kind;
use crate::budget::Budget;
use crate::candidate::Candidate;
use crate::greedy::{greedy_incumbent, intervals};
use crate::improve::improve;
use crate::incumbent::Incumbent;
use crate::iterative::{EvictionHistory, iterative, sink};
use crate::work::Work;

/// Successful intervals after which the search ends.
const SUCCESSES: usize = 3;

/// What `modulo` finds, and what it began with.
pub(crate) struct Improved {
    pub(crate) best: Candidate,
    /// The plan of `greedy`.
    pub(crate) greedy: Candidate,
}

/// The best of the iterative modulo schedules and the greedy plan.
pub(crate) fn modulo(work: &Work<'_>, serial: Candidate, budget: &mut Budget) -> Improved {
    let mut incumbent = greedy_incumbent(work, serial);
    let greedy = incumbent.best_of_all().clone();
    if work.problem.kind == Kind::Acyclic || work.count() == 0 {
        let best = greedy.clone();
        return Improved { best, greedy };
    }
    let free_issue = work.with_free_issue();
    for work in [Some(work), free_issue.as_ref()].into_iter().flatten() {
        offer_intervals(work, &mut incumbent, budget);
    }
    improve(work, &mut incumbent, budget);
    if incumbent.follow_together() {
        improve(work, &mut incumbent, budget);
    }
    let best = incumbent.into_best();
    Improved { best, greedy }
}

fn offer_intervals(work: &Work<'_>, incumbent: &mut Incumbent<'_>, budget: &mut Budget) {
    let least = work.bounds.interval() as i64;
    let longest = work.latency.iter().sum::<i64>().max(least);
    let mut successes = 0;
    for ii in intervals(least, longest, work.count()) {
        let beaten = ii > incumbent.best().rate().interval() as i64;
        if successes == SUCCESSES || (beaten && work.options.trip.is_none()) || budget.spent() {
            break;
        }
        budget.pay(1);
        let Some(mut start) = iterative(work, ii, &mut EvictionHistory::default(), budget) else {
            continue;
        };
        let mut legal = incumbent.offer_times(&start, ii, work.last_stage());
        sink(work, ii, &mut start);
        legal |= incumbent.offer_times(&start, ii, work.last_stage());
        successes += usize::from(legal);
    }
}
