//! Intervals decided from below, with little effort at first.
//!
//! The intervals below the best so far are swept from the bound upward in rounds, each with more steps for one
//! interval. One that is impossible raises the bound, if all below it are; after one that stays open the sweep goes on
//! half-way to the best, where a solution is more likely. So an interval that is hard to decide keeps the search
//! neither from finding something better than it began with nor from coming back to it. The steps of the rounds are
//! always the same: a search with a smaller budget is the beginning of one with a larger, so that more steps never find
//! less.

use std::collections::BTreeSet;

use crate::budget::Budget;

/// Steps for one interval in the first round.
const FIRST_ROUND: u64 = 1000;
/// The factor by which the steps grow in each further round.
const GROWTH: u64 = 4;
/// Steps that building a model counts for.
const MODEL_STEPS: u64 = 20;

/// The knowledge about an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has a solution, which the caller has kept.
    Possible,
    /// It has none.
    Impossible,
    /// The effort did not suffice.
    Open,
    /// No effort suffices.
    Undecidable,
}

/// Intervals from a bound upward.
pub(super) trait Intervals {
    /// No interval from this on is of interest. It may fall after [`Verdict::Possible`].
    fn end(&self) -> u64;

    /// Decides one interval.
    fn decide(&mut self, ii: u64, budget: &mut Budget) -> Verdict;
}

/// Decides intervals from `bound` on; returns the bound proven.
pub(super) fn decide_upward(intervals: &mut impl Intervals, bound: u64, budget: &mut Budget) -> u64 {
    let mut bound = bound.max(1);
    let (mut impossible, mut settled) = (BTreeSet::new(), BTreeSet::new());
    let (mut each, mut open) = (FIRST_ROUND, true);
    while open {
        open = false;
        let mut ii = bound;
        let mut last_open = None;
        while ii < intervals.end() && !budget.spent() {
            if impossible.contains(&ii) || settled.contains(&ii) {
                ii += 1;
                continue;
            }
            budget.pay(MODEL_STEPS);
            let mut part = budget.take(each);
            let verdict = intervals.decide(ii, &mut part);
            budget.give_back(&part);
            match verdict {
                Verdict::Possible => {
                    settled.insert(ii);
                    ii = match last_open {
                        Some(below) if intervals.end() <= ii => half_way(below, intervals.end()),
                        _ => ii + 1,
                    };
                }
                Verdict::Impossible => {
                    impossible.insert(ii);
                    while impossible.remove(&bound) {
                        bound += 1;
                    }
                    ii += 1;
                }
                Verdict::Open | Verdict::Undecidable => {
                    if verdict == Verdict::Open {
                        open = true;
                    } else {
                        settled.insert(ii);
                    }
                    last_open = Some(ii);
                    ii = half_way(ii, intervals.end());
                }
            }
        }
        open &= !budget.spent();
        each = each.saturating_mul(GROWTH);
    }
    bound
}

/// After `below`, half-way to `end`.
fn half_way(below: u64, end: u64) -> u64 {
    below + (end.saturating_sub(below) / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Intervals of which each needs so many steps to be decided; the first possible one ends the search.
    struct Table {
        steps: Vec<u64>,
        first_possible: u64,
        end: u64,
        asked: Vec<u64>,
    }

    impl Intervals for Table {
        fn end(&self) -> u64 {
            self.end
        }

        fn decide(&mut self, ii: u64, budget: &mut Budget) -> Verdict {
            self.asked.push(ii);
            let needed = self.steps[ii as usize];
            if budget.steps < needed {
                budget.steps = 0;
                return Verdict::Open;
            }
            budget.steps -= needed;
            if ii < self.first_possible {
                return Verdict::Impossible;
            }
            self.end = ii;
            Verdict::Possible
        }
    }

    fn table(steps: &[u64], first_possible: u64) -> Table {
        Table {
            steps: steps.to_vec(),
            first_possible,
            end: steps.len() as u64,
            asked: vec![],
        }
    }

    fn budget(steps: u64) -> Budget {
        Budget { steps, deadline: None }
    }

    #[test]
    fn a_hard_interval_does_not_hide_an_easy_one() {
        let mut table = table(&[0, 1 << 40, 1, 1, 1, 1, 1, 1, 1], 2);
        assert_eq!(decide_upward(&mut table, 1, &mut budget(10_000)), 1);
        assert_eq!(table.end, 2, "{:?}", table.asked);
    }

    #[test]
    fn what_is_cheap_to_prove_is_proven() {
        let mut table = table(&[0, 1, 1, 1, 1, 1], 5);
        assert_eq!(decide_upward(&mut table, 1, &mut budget(10_000)), 5);
        assert_eq!(table.end, 5);
        assert_eq!(table.asked, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn comes_back_to_what_stayed_open() {
        let mut table = table(&[0, 2_000, 1, 1, 1], 3);
        assert_eq!(
            decide_upward(&mut table, 1, &mut budget(10_000)),
            3,
            "{:?}",
            table.asked
        );
        assert_eq!(table.end, 3);
    }

    #[test]
    fn more_steps_never_find_less() {
        let steps: Vec<u64> = (0..40).map(|ii: u64| 50 + ii.wrapping_mul(7_919) % 3_000).collect();
        let mut before = u64::MAX;
        for effort in (0..200_000).step_by(3_000) {
            let mut table = table(&steps, 20);
            let bound = decide_upward(&mut table, 10, &mut budget(effort));
            assert!(bound <= 20 && table.end >= 20);
            assert!(table.end <= before, "{effort}");
            before = table.end;
        }
        assert_eq!(before, 20);
    }
}
