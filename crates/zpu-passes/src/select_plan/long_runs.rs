//! Where the long runs of a loop of unknown length begin.
//!
//! A plan with many iterations as one is chosen by a few runs, and most of them leave nothing over. What is left over
//! is not overlapped, and may take as long as all the rest; or the plan for short runs is so slow that it does not
//! matter. So both plans are run with each number of groups of iterations, and with some left over.
//!
//! Invariant: in no run that plans are compared by does the one that is taken need more cycles, but for the slack.

use std::collections::BTreeSet;

use zpu_ir::Op;

use super::Measurements;
use super::candidates::{Candidate, Long, Spread};
use super::dispatch::least_of_long;
use super::trial::Trials;
use crate::measure::scenario::{self, Scenario};

/// Groups of iterations from which on a run may be long.
const GROUPS: [u32; 7] = [2, 3, 4, 6, 8, 12, 16];

/// Iterations up to which runs stay as they were chosen: a stronger request is not to be slower there than a weaker
/// one, whose runs may begin to be long elsewhere.
const SHORT: u32 = 8;

/// A change has to gain one part in so many of all runs that are tried.
const SMALL_GAIN: u64 = 128;

/// It may take one part in so many more in one of them.
const SMALL_LOSS: u64 = 32;

/// A better program like the one that was chosen, if that has two plans for long and short runs, and measures it.
pub(super) fn refined<'c>(
    (function, original): (Op<'c>, Op<'_>),
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) -> Option<Candidate> {
    let winner = measurements.winner(slack)?;
    let better = better((function, original), winner, slack, trials)?;
    let result = trials.measure(function, &[better], scenarios).pop()?.ok()??;
    let now = measurements.measured_of(winner)?;
    if !result.fits && now.fits || !result.is_as_fast(now, slack) {
        return None;
    }
    measurements.enter(better, Ok(Some(result)));
    Some(better)
}

/// The best program like a chosen one in runs around where long ones begin.
fn better<'c>(
    (function, original): (Op<'c>, Op<'_>),
    winner: Candidate,
    slack: u64,
    trials: &mut Trials<'c, '_>,
) -> Option<Candidate> {
    let Candidate::Long(long) = winner else {
        return None;
    };
    let Spread { factor, stages, .. } = long.long;
    let trips = trips(factor);
    if scenario::depth(original) != Some(1) && !scenario::is_apart(original) {
        return None;
    }
    let runs = scenario::of_trips(original, &trips);
    let from = |from: u32| {
        let from = Some(from);
        Candidate::Long(Long { from, ..long })
    };
    // The plan for long runs was compiled alone.
    let both = trials.measure_apart(function, &[from(NEVER), Candidate::Spread(long.long)], &runs);
    let both = both
        .into_iter()
        .map(|result| result.ok()??.cycles.into_iter().collect::<Option<_>>());
    let both: Vec<Vec<u64>> = both.collect::<Option<_>>()?;
    let [in_short, in_long] = <[_; 2]>::try_from(both).ok()?;
    let cycles = |from: u32| long_from(from, &trips, &in_short, &in_long);
    let now = cycles(least_of_long(factor, stages));
    let starts = GROUPS.into_iter().map(|groups| groups * factor);
    let starts = starts.filter(|start| *start > SHORT);
    let better = starts.filter_map(|start| {
        let with = cycles(start);
        gains(&now, &with, slack).then(|| (with.iter().sum::<u64>(), start))
    });
    better.min().map(|(_, start)| from(start))
}

/// Iterations that no run that is tried has.
const NEVER: u32 = 1 << 30;

/// The numbers of iterations that are tried: those where a run may begin to be long, and as many as that leaves over.
fn trips(factor: u32) -> Vec<i64> {
    let factor = i64::from(factor);
    let mut over = BTreeSet::from([0, 1, factor / 2, factor - 1]);
    over.retain(|over| *over < factor);
    let groups = GROUPS.into_iter().map(i64::from);
    let all: BTreeSet<i64> = groups
        .flat_map(|groups| over.iter().map(move |over| groups * factor + over))
        .collect();
    all.into_iter().collect()
}

/// The cycles of runs by their number of iterations, if they are long from one on.
fn long_from(from: u32, trips: &[i64], short: &[u64], long: &[u64]) -> Vec<u64> {
    let each = trips.iter().zip(short.iter().zip(long));
    each.map(|(trips, (short, long))| if *trips < from.into() { *short } else { *long })
        .collect()
}

/// True if all runs together are faster, and no one is much slower.
fn gains(now: &[u64], with: &[u64], slack: u64) -> bool {
    let all: u64 = now.iter().sum();
    let is_close = |(now, with): (&u64, &u64)| *with <= now.saturating_add(slack.max(now / SMALL_LOSS));
    with.iter().sum::<u64>() < all - all / SMALL_GAIN && now.iter().zip(with).all(is_close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_long_from_some_number_of_iterations_on() {
        assert_eq!(
            long_from(6, &[4, 5, 6, 7], &[40, 50, 60, 70], &[1, 2, 3, 4]),
            [40, 50, 3, 4]
        );
    }

    #[test]
    fn a_gain_is_no_loss_anywhere() {
        assert!(gains(&[100, 200], &[100, 180], 0));
        assert!(!gains(&[100, 200], &[100, 199], 0));
        assert!(gains(&[100, 200], &[103, 180], 0));
        assert!(!gains(&[100, 200], &[104, 180], 0));
        assert!(gains(&[100, 200], &[104, 180], 4));
    }

    #[test]
    fn runs_leave_nothing_over_and_as_much_as_can_be() {
        assert_eq!(trips(1), [2, 3, 4, 6, 8, 12, 16]);
        assert_eq!(&trips(8)[..6], [16, 17, 20, 23, 24, 25]);
    }
}
