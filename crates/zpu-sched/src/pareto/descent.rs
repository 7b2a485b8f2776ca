//! Solutions with ever fewer versions allowed, by any scheduler.
//!
//! First all buffers get the same limit: 1, 2, 3, 4, 6, 8, 12 and so on. Then, from each solution on, one group of
//! buffers gets a version less than it has there: buffers that are connected by common readers, since a version that
//! only one of them gives up saves little time to the others, or a buffer by itself. The solution of the shortest
//! interval goes on.

use std::collections::BTreeSet;

use crate::exact::bytes_of;
use crate::spare::read_by_the_same;
use crate::{Problem, Schedule};

/// A schedule with its bytes.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) schedule: Schedule,
    pub(super) bytes: u128,
}

impl Found {
    pub(super) fn new(problem: &Problem, schedule: Schedule) -> Found {
        Found {
            bytes: bytes_of(problem, &schedule.versions),
            schedule,
        }
    }
}

/// All solutions found, the first included, with at most so many calls of `solve`.
pub(super) fn descend(
    problem: &Problem,
    first: Found,
    most: usize,
    mut solve: impl FnMut(&Problem) -> Option<Found>,
) -> Vec<Found> {
    let mut asked = BTreeSet::new();
    let mut found = vec![first.clone()];
    let mut left = most;
    let mut with_limits = |limits: Vec<u32>, left: &mut usize| {
        if *left == 0 || !asked.insert(limits.clone()) {
            return None;
        }
        *left -= 1;
        let mut limited = problem.clone();
        for (buffer, limit) in limited.buffers.iter_mut().zip(limits) {
            buffer.max_versions = Some(buffer.max_versions.map_or(limit, |own| own.min(limit)));
        }
        solve(&limited)
    };
    let largest = first.schedule.versions.iter().copied().max().unwrap_or(1);
    // Up to 256 versions, these are 15 limits; half of the solutions are left for groups.
    let ladder = std::iter::successors(Some((1, 2)), |&(limit, next)| Some((next, (limit * 2).max(next + 1))));
    for (limit, _) in ladder.take_while(|&(limit, _)| limit < largest).take(most.div_ceil(2)) {
        let limits = first.schedule.versions.iter().map(|&versions| versions.min(limit));
        found.extend(with_limits(limits.collect(), &mut left));
    }
    let mut groups = read_by_the_same(problem);
    groups.extend((0..problem.buffers.len()).map(|buffer| vec![buffer]));
    let mut at = first;
    loop {
        let mut next: Option<Found> = None;
        for group in &groups {
            let mut limits = at.schedule.versions.clone();
            for &buffer in group {
                limits[buffer] = (limits[buffer] - 1).max(1);
            }
            if bytes_of(problem, &limits) == at.bytes {
                continue;
            }
            let Some(fewer) = with_limits(limits, &mut left) else {
                continue;
            };
            found.push(fewer.clone());
            let rank = |found: &Found| (found.schedule.ii, found.bytes);
            if fewer.bytes < at.bytes && next.as_ref().is_none_or(|next| rank(&fewer) < rank(next)) {
                next = Some(fewer);
            }
        }
        let Some(next) = next else { return found };
        at = next;
    }
}
