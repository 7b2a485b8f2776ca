//! The preemptive one-machine problem with heads and tails, a lower bound of everything that one unit does.
//!
//! Invariant: the result is exact for the preemptive problem, so it is never above the makespan of any schedule on a
//! unit that works on one job at a time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A piece of work of one unit. All times have one unit, of the caller's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The time before which it cannot begin.
    pub head: u128,
    /// The time that it takes the unit.
    pub work: u128,
    /// The time that passes after it, at least, until everything is over.
    pub tail: u128,
}

/// The least time at which everything is over, if one unit does all jobs and may interrupt them.
///
/// At any time it does the job with the longest tail among those that can begin (J. R. Jackson's preemptive schedule).
/// The result is the greatest of `least head + work + least tail` over all sets of jobs (J. Carlier, *The one-machine
/// sequencing problem*, 1982), so several jobs may be given as one with their least head, their whole work and their
/// least tail: that only lowers it. Jobs without work count by their head and tail. The jobs are sorted by head.
pub fn one_machine(jobs: &mut [Job]) -> u128 {
    jobs.sort_unstable_by_key(|job| (job.head, job.tail, job.work));
    let mut ready: BinaryHeap<Ready> = BinaryHeap::new();
    let mut result = 0;
    let mut now = 0u128;
    for job in jobs.iter() {
        // Until this job can begin, the unit does what could begin before.
        while now < job.head
            && let Some(mut first) = ready.pop()
        {
            let done = first.work.min(job.head - now);
            now += done;
            first.work -= done;
            if first.work == 0 {
                result = result.max(now.saturating_add(first.tail));
            } else {
                ready.push(first);
            }
        }
        now = now.max(job.head);
        match job.work {
            0 => result = result.max(job.head.saturating_add(job.tail)),
            work => ready.push(Ready { tail: job.tail, work }),
        }
    }
    while let Some(first) = ready.pop() {
        now = now.saturating_add(first.work);
        result = result.max(now.saturating_add(first.tail));
    }
    result
}

/// A job that can begin; the greatest has the longest tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ready {
    tail: u128,
    work: u128,
}

impl Ord for Ready {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.tail, self.work).cmp(&(other.tail, other.work))
    }
}

impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn job((head, work, tail): (u8, u8, u8)) -> Job {
        Job {
            head: head.into(),
            work: work.into(),
            tail: tail.into(),
        }
    }

    #[test]
    fn heads_and_tails_of_different_jobs_count() {
        // The middle job alone is between the two others: 2 + 3 + 2 + 4, not 0 + 9 + 0.
        let mut jobs = [(0, 2, 6), (2, 3, 3), (3, 4, 0)].map(job);
        assert_eq!(one_machine(&mut jobs), 9);
        let mut jobs = [(5, 2, 0), (0, 2, 9)].map(job);
        assert_eq!(one_machine(&mut jobs), 11);
        assert_eq!(one_machine(&mut []), 0);
    }

    proptest! {
        /// Carlier's theorem: the preemptive makespan is the greatest bound of any set of jobs.
        #[test]
        fn it_is_the_greatest_bound_of_all_sets(
            numbers in prop::collection::vec((0u8..12, 0u8..6, 0u8..12), 0..8),
        ) {
            let jobs: Vec<Job> = numbers.into_iter().map(job).collect();
            let mut expected = 0;
            for set in 1u32..1 << jobs.len() {
                let chosen = || jobs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, job)| job);
                let head = chosen().map(|job| job.head).min().unwrap_or(0);
                let tail = chosen().map(|job| job.tail).min().unwrap_or(0);
                expected = expected.max(head + chosen().map(|job| job.work).sum::<u128>() + tail);
            }
            prop_assert_eq!(one_machine(&mut jobs.clone()), expected);
        }
    }
}
