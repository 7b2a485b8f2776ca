//! The fewest bytes of intervals from the least one upward, decided by constraint programming.
//!
//! Only fewer bytes than at all shorter intervals are of interest. Intervals go up one by one at first, and by a 64th
//! where they are long, so that their number is bounded; where an interval after such a step has fewer bytes, the
//! intervals that were left out are bisected. In the end, those that are undecided are looked into from the shortest
//! one on, until as many were as there may be.

use super::descent::Found;
use super::{Known, first_below};
use crate::Problem;
use crate::budget::Budget;
use crate::exact::{bytes_of, fewest_bytes};

/// The most intervals that are looked into.
const MOST_INTERVALS: u32 = 256;
/// One part of so many of an interval is a step. From an interval to its eightfold that is 134 steps.
const STEP: u64 = 64;

/// Searches the intervals above the least one that is known, up to the first of one version of each buffer.
pub(super) fn search(
    problem: &Problem,
    known: &mut Known<'_>,
    bound: impl Fn(u64) -> u128,
    longest: u64,
    budget: &mut Budget,
) {
    let ones = bytes_of(problem, &vec![1; problem.buffers.len()]);
    let mut search = Search {
        problem,
        known,
        budget,
        left: MOST_INTERVALS,
    };
    let Some((&first, _)) = search.known.best.first_key_value() else {
        return;
    };
    search.improve(first);
    search.climb(first, ones, longest, &bound);
    search.fill(&bound);
}

struct Search<'a, 'b, 'c> {
    problem: &'a Problem,
    known: &'b mut Known<'c>,
    budget: &'a mut Budget,
    left: u32,
}

impl Search<'_, '_, '_> {
    fn is_over(&self) -> bool {
        self.left == 0 || self.budget.spent()
    }

    /// Goes up from the first interval.
    fn climb(&mut self, first: u64, ones: u128, longest: u64, bound: &impl Fn(u64) -> u128) {
        let mut at = first;
        while let Some(fewest) = self.known.fewest_up_to(at).filter(|&fewest| fewest > ones) {
            let mut better = self.known.best.range(at + 1..);
            let known = better.find(|(_, found)| found.bytes < fewest).map(|(&ii, _)| ii);
            let from = at + (at / STEP).max(1);
            let possible = first_below(from, longest.saturating_add(1), fewest, bound);
            let next = known.map_or(possible, |known| known.min(possible));
            if next > longest && known.is_none() || self.is_over() {
                return;
            }
            self.improve(next);
            if let Some(fewer) = self.known.fewest_up_to(next).filter(|&fewer| fewer < fewest) {
                self.bisect(first_below(at + 1, next, fewer + 1, bound), next, fewer);
            }
            at = next;
        }
    }

    /// Looks into the intervals that were left out, from the shortest one on.
    fn fill(&mut self, bound: &impl Fn(u64) -> u128) {
        let mut front = self.known.front();
        front.reverse();
        while let (Some((from, bytes)), Some(&(to, _))) = (front.pop(), front.last()) {
            for ii in first_below(from + 1, to, bytes, bound)..to {
                if self.is_over() {
                    return;
                }
                self.improve(ii);
            }
        }
    }

    /// Looks for fewer bytes at `ii` than at all intervals up to it.
    fn improve(&mut self, ii: u64) {
        if let Some(most) = self.known.fewest_up_to(ii).and_then(|fewest| fewest.checked_sub(1)) {
            self.ask(ii, most);
        }
    }

    /// Looks for a schedule of at most `most` bytes at `ii`; says whether there is one.
    fn ask(&mut self, ii: u64, most: u128) -> bool {
        if self.known.least.get(&ii).is_some_and(|&least| least > most) || self.is_over() {
            return false;
        }
        let mut part = self.budget.part(self.left);
        self.left -= 1;
        let answer = fewest_bytes(self.problem, ii, most, &mut part);
        self.budget.give_back(&part);
        let least = self.known.least.entry(ii).or_insert(0);
        *least = answer.least.max(*least);
        let found = answer.found.into_iter().last();
        let some = found.is_some();
        if let Some(schedule) = found {
            self.known.add(Found::new(self.problem, schedule));
        }
        some
    }

    /// Looks for at most `bytes` at shorter intervals than `to`, from `from` on.
    fn bisect(&mut self, from: u64, to: u64, bytes: u128) {
        let (mut from, mut to) = (from, to);
        while from < to && !self.is_over() {
            let middle = from + (to - from) / 2;
            if self.ask(middle, bytes) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
    }
}
