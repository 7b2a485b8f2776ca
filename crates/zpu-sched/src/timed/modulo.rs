//! The `modulo` scheduler where only times count: iterative modulo scheduling, the best so far at any moment.
//!
//! It goes on from what `greedy` has found. Between the lower bound and the interval of the best so far, intervals get
//! attempts of [`iterative`] in rounds of rising effort: first a bisection with one attempt each, which brings the
//! interval down early; then from the bound upward a few attempts at each interval, then more. An interval remembers
//! what its attempts have learnt, so none is made twice.
//!
//! Objective: the instance's. Guarantee: never worse than `greedy`; and since the order of the attempts depends on
//! nothing but the problem, a search with a smaller limit is the beginning of the same search with a larger one, so
//! that a larger limit never gives a worse schedule.

use std::collections::BTreeMap;

use super::place::{offer_pushed, rise, rising};
use super::search::Search;
use crate::Kind;
use crate::assign::within;
use crate::budget::Budget;
use crate::greedy::intervals;
use crate::iterative::{EvictionHistory, iterative, sink};
use crate::reservation::UNFOLDED;

/// Attempts at one interval by the end of each round.
const ATTEMPTS: [usize; 3] = [4, 16, 64];
/// Operations times attempts at one interval.
const PLACED: usize = 4000;

/// The attempts at one interval.
#[derive(Clone, Debug, Default)]
struct Tried {
    attempts: usize,
    experience: EvictionHistory,
    /// The alternatives of the next attempt, if they are others than those of the least load.
    chosen: Option<Vec<u32>>,
}

/// Improves the best schedule so far until the budget is spent; an attempt is a step.
pub(super) fn modulo(search: &mut Search<'_>, budget: &mut Budget) {
    if search.work.count() == 0 {
        return;
    }
    if search.problem().kind == Kind::Acyclic {
        // On a table that never folds, the algorithm evicts operations that miss their deadlines.
        budget.pay(1);
        if let Some(start) = iterative(&search.work, UNFOLDED / 2, &mut EvictionHistory::default(), budget) {
            offer_pushed(search, start);
        }
        return;
    }
    offer_best_compacted(search);
    let mut attempts = Attempts {
        by_interval: BTreeMap::new(),
        chosen: search.work.chosen.clone(),
        budget,
    };
    bisect(search, &mut attempts);
    let most = (PLACED / search.work.count()).max(1);
    for limit in ATTEMPTS.map(|limit| limit.min(most)) {
        search.ceiling = search.best_interval().unwrap_or(i64::MAX);
        rising(search, |search, ii| attempts.until(search, ii, limit));
    }
}

/// One attempt at each interval met: below the shortest with a schedule, above the longest without.
fn bisect(search: &mut Search<'_>, attempts: &mut Attempts<'_>) {
    let (least, longest) = (search.work.bounds.interval() as i64, search.longest() as i64);
    let below = search.best_interval().unwrap_or(longest + 1);
    let all = intervals(least, longest, search.work.count());
    let all: Vec<i64> = all.take_while(|&ii| ii < below).collect();
    let (mut from, mut to) = (0, all.len());
    while from < to {
        let middle = from + (to - from) / 2;
        if attempts.until(search, all[middle], 1) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
}

/// The attempts so far, and how many there may still be.
struct Attempts<'a> {
    by_interval: BTreeMap<i64, Tried>,
    /// The alternatives of the least load.
    chosen: Vec<u32>,
    budget: &'a mut Budget,
}

impl Attempts<'_> {
    /// Attempts at `ii` until one succeeds or `limit` have been made in all; says whether one does.
    fn until(&mut self, search: &mut Search<'_>, ii: i64, limit: usize) -> bool {
        let choices = search.problem().operations.iter().any(|o| o.alternatives.len() > 1);
        let tried = self.by_interval.entry(ii).or_default();
        while tried.attempts < limit && !self.budget.spent() {
            self.budget.pay(1);
            if choices {
                if tried.attempts % 4 == 3 {
                    // Other choices may have the same load and suit the dependences better.
                    tried.chosen = within(search.problem(), ii as u64, tried.attempts as u64);
                }
                search.choose(tried.chosen.as_ref().unwrap_or(&self.chosen));
            }
            tried.attempts += 1;
            let Some(start) = iterative(&search.work, ii, &mut tried.experience, self.budget) else {
                continue;
            };
            let found = search.offer(&start, ii);
            if offer_compacted(search, ii, start) || found {
                offer_best_compacted(search);
                return true;
            }
        }
        false
    }
}

/// Offers what becomes of the best when it is compacted.
fn offer_best_compacted(search: &mut Search<'_>) {
    if let Some((best, _)) = search.best.clone() {
        search.choose(&best.chosen);
        let start = best.start.iter().map(|&at| at as i64).collect();
        offer_compacted(search, best.ii as i64, start);
    }
}

/// Offers a loop's schedule with operations sunk to their readers, then pushed up again.
fn offer_compacted(search: &mut Search<'_>, ii: i64, mut start: Vec<i64>) -> bool {
    sink(&search.work, ii, &mut start);
    let sunk = search.offer(&start, ii);
    let risen = rise(&search.work, ii, &start);
    risen.is_some_and(|start| search.offer(&start, ii)) || sunk
}
