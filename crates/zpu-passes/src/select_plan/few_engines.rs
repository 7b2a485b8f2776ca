//! Plans with transfers on few engines ([`crate::gather_transfers`]): they wait less, and have a loop going later.
//!
//! Where a loop has one length, that is seen in its run. Where its length is not known, a plan for long runs is taken
//! only if it is as fast in all runs that plans are compared by, and in others around those from which on it would be
//! taken.
//!
//! Invariant: what is left out here leaves the choice that there was before.

use std::collections::BTreeSet;

use zpu_ir::Op;
use zpu_sched::Scheduler;

use super::Measurements;
use super::candidates::{ALL, Candidate, Engines, Long, Plain, Spread};
use super::dispatch::least_of_long;
use super::spread::CLOSE;
use super::trial::Trials;
use super::two_parts::Part;
use crate::measure::{Measured, scenario};

/// Multiples of the fewest engines that transfers of loops of unknown length are tried on: engines that are busy half
/// of the time have a loop going sooner, at the price of more waits.
pub(super) const TIMES: [u32; 2] = [1, 2];

/// Groups of iterations of the runs that plans are compared by once more.
const GROUPS: [i64; 5] = [4, 6, 8, 12, 16];

/// A plan may take one part in so many more in one of these runs.
const SMALL_LOSS: u64 = 32;

/// The best plans with transfers on few engines, so many times the fewest, but for those that are far from the cycles
/// of the best plan of another kind. That of each weaker scheduler and of fewer stages is one, which a request of less
/// leads to.
pub(super) fn plans(parts: &[Part], stages: &[u32], least: Option<u64>, times: &[u32]) -> Vec<Plain> {
    let spread = parts.iter().filter_map(|(plan, measured)| match plan {
        Plain::Spread(spread) if spread.engines == Engines::Copied && spread.factor != ALL => {
            Some((measured.longest()?, *spread))
        }
        _ => None,
    });
    let is_close = |cycles: u64| least.is_none_or(|least| cycles <= least.saturating_add(least / CLOSE));
    let spread: Vec<(u64, Spread)> = spread.filter(|(cycles, _)| is_close(*cycles)).collect();
    let mut all = Vec::new();
    for strongest in [Scheduler::Greedy, Scheduler::Modulo] {
        for most in stages {
            let within = spread
                .iter()
                .filter(|(_, spread)| spread.scheduler <= strongest && spread.stages <= *most);
            let best = within.min_by_key(|(cycles, _)| *cycles);
            for times in times {
                let plan = best.map(|(_, spread)| Plain::Spread(spread.on(Engines::Gathered(*times))));
                all.extend(plan.filter(|plan| !all.contains(plan)));
            }
        }
    }
    all
}

/// False for a program with transfers on few engines that takes longer in some run than the one that would be chosen
/// without it, but for the slack and one part in so many: what it gains by fewer waits it may lose while a loop gets
/// going.
pub(super) fn is_as_fast(
    candidate: Candidate,
    measured: &Measured,
    (slack, part): (u64, u64),
    measurements: &Measurements,
) -> bool {
    let now = measurements
        .winner(slack)
        .and_then(|winner| measurements.measured_of(winner));
    let Some(now) = now.filter(|_| plan(candidate).is_some()) else {
        return true;
    };
    let mut runs = measured.cycles.iter().zip(&now.cycles);
    runs.all(|(with, now)| {
        with.zip(*now)
            .is_none_or(|(with, now)| with <= now.saturating_add(slack + now / part))
    })
}

/// True for two programs of one plan for long runs, each with its transfers on some few engines.
pub(super) fn differ_in_number(one: Candidate, other: Candidate) -> bool {
    let one = plan(one);
    one.is_some() && one == plan(other)
}

/// The plan for long runs of a program that has its transfers on few engines, without them.
pub(super) fn plan(candidate: Candidate) -> Option<Spread> {
    match candidate {
        Candidate::Long(Long { long, .. }) if matches!(long.engines, Engines::Gathered(_)) => {
            Some(long.on(Engines::Copied))
        }
        _ => None,
    }
}

/// Forgets all programs with transfers on few engines if the one of them that would be chosen is slower than without
/// them in runs of a few groups of iterations, or if that cannot be seen.
pub(super) fn forget_slow<'c>(
    (function, original): (Op<'c>, Op<'_>),
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
) {
    let winner = measurements.winner(slack).filter(|winner| plan(*winner).is_some());
    let without = measurements.winner_of(slack, |candidate| plan(candidate).is_none());
    let (Some(winner), Some(without)) = (winner, without) else {
        return;
    };
    if !is_no_slower((function, original), (winner, without), slack, trials).unwrap_or(false) {
        measurements
            .measured
            .retain(|(candidate, _)| plan(*candidate).is_none());
    }
}

fn is_no_slower<'c>(
    (function, original): (Op<'c>, Op<'_>),
    (with, without): (Candidate, Candidate),
    slack: u64,
    trials: &mut Trials<'c, '_>,
) -> Option<bool> {
    if scenario::depth(original) != Some(1) && !scenario::is_apart(original) {
        return None;
    }
    let long = |candidate: Candidate| match candidate {
        Candidate::Long(Long { long, .. }) => Some(long),
        _ => None,
    };
    let from = [with, without].into_iter().filter_map(long);
    let from = from
        .map(|long| i64::from(least_of_long(long.factor, long.stages)))
        .max()?;
    let factor = i64::from(long(with)?.factor);
    let trips: BTreeSet<i64> = GROUPS
        .iter()
        .flat_map(|groups| [groups * factor, groups * factor + factor / 2])
        .filter(|trips| *trips >= from)
        .collect();
    let trips: Vec<i64> = trips.into_iter().collect();
    let runs = scenario::of_trips(original, &trips);
    // In these runs the plans for long ones are all that there is.
    let both = [with, without].map(|candidate| candidate.with_one_plan().unwrap_or(candidate));
    let both = trials.measure_apart(function, &both, &runs).into_iter();
    let both: Vec<Vec<u64>> = both
        .map(|result| result.ok()??.cycles.into_iter().collect::<Option<_>>())
        .collect::<Option<_>>()?;
    let [with, without] = <[_; 2]>::try_from(both).ok()?;
    let mut each = with.iter().zip(&without);
    Some(each.all(|(with, without)| *with <= without.saturating_add(slack.max(without / SMALL_LOSS))))
}
