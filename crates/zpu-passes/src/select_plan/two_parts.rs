//! Programs with one plan for long runs and others for short ones, foretold from runs of each alone.
//!
//! A loop of unknown length is written once for each of its plans, so such a program takes as long to compile as all of
//! them. A run is a long one or a short one for all loops, as a rule, and takes what the plan for such a run takes, but
//! for a test of the trip count. So each plan is compiled alone, and a program of several only where it would be
//! chosen by what is foretold.

use std::collections::BTreeSet;

use zpu_ir::Op;
use zpu_ir::scf::For;
use zpu_sched::Scheduler;

use super::Measurements;
use super::candidates::{Candidate, Fewer, Long, Plain, Short, Spread};
use super::choice::loss_with;
use super::dispatch::least_of_long;
use crate::measure::{Measured, scenario};
use crate::num_stages::NumStages;

/// Plans of fewer stages that are tried for short runs.
const MOST_SHORT: usize = 3;

/// A short run is better than is foretold by no more than one part in so many, as a rule.
pub(super) const MOST_BETTER: u64 = 16;

/// A plan for all runs, with its measurement.
pub(super) type Part = (Plain, Measured);

/// What programs of two parts are foretold from.
pub(super) struct TwoParts {
    /// By run, the iterations of the longest loop; none where they are not known.
    trips: Vec<Option<i64>>,
    /// The plan for short runs that is best without one for long runs.
    short: Short,
}

impl TwoParts {
    /// For the loops of unknown length of a function whose simpler programs are measured; none if there are none.
    pub(super) fn of(
        (function, original): (Op<'_>, Op<'_>),
        measurements: &Measurements,
        slack: u64,
        loops: &[For<'_>],
    ) -> Option<Self> {
        if loops.is_empty() {
            return None;
        }
        // A loop can say a number of stages, and not that it is left open.
        let fixed = |candidate: Candidate| match candidate {
            Candidate::Planned(scheduler, NumStages::AtMost(stages)) => Some((scheduler, stages, None)),
            Candidate::Dispatched(scheduler, NumStages::AtMost(stages), fewer) => {
                Some((scheduler, stages, Some(fewer)))
            }
            _ => None,
        };
        let is_fixed = |candidate| candidate == Candidate::AsWritten || fixed(candidate).is_some();
        let short = measurements.winner_of(slack, is_fixed).and_then(fixed)?;
        let stages = measurements.requested.1.limit();
        Some(Self {
            trips: scenario::trips((function, original), stages, loops),
            short,
        })
    }

    /// False if the longest run is a short one for a plan of so many stages with so many iterations as one.
    pub(super) fn reaches(&self, stages: u32, factor: u32) -> bool {
        let longest = self.trips.last().copied().flatten();
        longest.is_none_or(|longest| longest >= i64::from(least_of_long(factor, stages)))
    }

    /// The plans for short runs that are put beside those for long ones, the best one first. A weaker scheduler or
    /// fewer stages may be better there, and a request for less leads to them.
    fn shorts(&self) -> Vec<Short> {
        let (_, most, fewer) = self.short;
        let weaker = (2..most).map(|stages| (Scheduler::Greedy, stages, None));
        let others = weaker.take(MOST_SHORT).chain([(Scheduler::Greedy, most, fewer)]);
        [self.short].into_iter().chain(others).collect()
    }

    /// The programs that tell what plans take in short runs: beside a plan for long runs, copies of a loop may go to
    /// other engines in short ones, too.
    pub(super) fn alone(&self) -> Vec<Plain> {
        let of_chain = |(scheduler, ..): &Short| (*scheduler, 1);
        let shorts = self.shorts();
        let plans = shorts.iter().flat_map(|(scheduler, stages, fewer)| {
            let fewer = fewer.iter().flat_map(|fewer| fewer.all());
            [*stages].into_iter().chain(fewer).map(|stages| (*scheduler, stages))
        });
        let all: BTreeSet<_> = plans.chain(shorts.iter().map(of_chain)).collect();
        all.into_iter()
            .map(|(scheduler, stages)| alone(scheduler, stages))
            .collect()
    }

    /// Programs of which each has one of the plans for long runs, with what is foretold of them. The plans of `factors`
    /// that greedy makes with the fewest stages are also put beside other plans for short runs. `short` are the
    /// measurements of [`Self::alone`].
    pub(super) fn foretold(
        &self,
        (parts, short): (&[Part], &[Part]),
        (fewest, factors): (u32, &BTreeSet<u32>),
        measurements: &Measurements,
        slack: u64,
    ) -> Vec<(Candidate, Measured)> {
        let joined = |(plan, long): &Part, plans: Short| {
            let Plain::Spread(spread) = *plan else { return None };
            let program = Long::of(spread, plans);
            let least = least_of_long(spread.factor, spread.stages);
            let mut short = best_of(short, plans)?;
            if let Some(without) = of_short(measurements, plans) {
                faster(&mut short, without);
            }
            Some((Candidate::Long(program), self.joined(least, long, &short)))
        };
        let mut all: Vec<_> = parts.iter().filter_map(|part| joined(part, self.short)).collect();
        for factor in factors {
            let plan = Plain::Spread(Spread::of(Scheduler::Greedy, fewest, *factor));
            let Some(part) = parts.iter().find(|(other, _)| *other == plan) else {
                continue;
            };
            let others = self.shorts().into_iter().skip(1);
            all.extend(others.filter_map(|short| joined(part, short)));
            let chain = chain(&all, measurements, *factor, slack);
            all.extend(chain.and_then(|short| joined(part, short)));
        }
        all
    }

    /// A program that has one part in runs of so many iterations on, and the other in shorter ones.
    fn joined(&self, least: u32, long: &Measured, short: &Measured) -> Measured {
        let parts = self.trips.iter().zip(long.cycles.iter().zip(&short.cycles));
        let cycles = parts.map(|(trips, (long, short))| match trips {
            Some(trips) if *trips < i64::from(least) => *short,
            _ => *long,
        });
        Measured {
            cycles: cycles.collect(),
            long_runs: long.long_runs,
            commands: (short.commands.0, long.commands.1),
            bytes: long.bytes.max(short.bytes),
            fits: long.fits && short.fits,
            exact: long.exact && short.exact,
            is_repeated: false,
        }
    }
}

/// The program with a plan for short runs alone.
fn alone(scheduler: Scheduler, stages: u32) -> Plain {
    Plain::Spread(Spread::of(scheduler, stages, 1))
}

/// A program with some plans for short runs, as if each run had the best of them; none if one is not known.
fn best_of(short: &[Part], (scheduler, stages, fewer): Short) -> Option<Measured> {
    let of = |stages: u32| {
        let plan = alone(scheduler, stages);
        short
            .iter()
            .find(|(other, _)| *other == plan)
            .map(|(_, measured)| measured)
    };
    let mut best = of(stages)?.clone();
    for other in fewer.into_iter().flat_map(Fewer::all) {
        faster(&mut best, of(other)?);
    }
    Some(best)
}

/// Takes the faster one of two programs in each run.
fn faster(best: &mut Measured, other: &Measured) {
    let both = best.cycles.iter_mut().zip(&other.cycles);
    both.for_each(|(best, other)| *best = best.zip(*other).map(|(best, other)| best.min(other)));
}

/// The program with some plans for short runs and none for long ones, if it was measured.
fn of_short(measurements: &Measurements, (scheduler, stages, fewer): Short) -> Option<&Measured> {
    let stages = NumStages::AtMost(stages);
    measurements.measured_of(match fewer {
        Some(fewer) => Candidate::Dispatched(scheduler, stages, fewer),
        None => Candidate::Planned(scheduler, stages),
    })
}

/// A program as it may be if it is better in short runs than is foretold, where engines are chosen for all loops of a
/// program together.
pub(super) fn at_best(foretold: &Measured) -> Measured {
    let mut best = foretold.clone();
    let short = best.cycles.len() - best.long_runs;
    let known = best.cycles[..short].iter_mut().flatten();
    known.for_each(|cycles| *cycles -= *cycles / MOST_BETTER);
    best
}

/// Of the plans for short runs beside which a plan with so many iterations as one is foretold, the two that together
/// lose least, and a plan of one stage for the shortest runs: a plan of more may take longer there than one without
/// overlap.
fn chain(all: &[(Candidate, Measured)], measurements: &Measurements, factor: u32, slack: u64) -> Option<Short> {
    let measured: Vec<&Measured> = measurements.measured.iter().map(|(_, result)| result).collect();
    let simpler = measurements.simpler();
    let single = |(candidate, measured): &'_ (Candidate, Measured)| match candidate {
        Candidate::Long(long) if long.long.factor == factor && long.short.1 > 1 && long.short.2.is_none() => {
            Some((*long, measured.clone()))
        }
        _ => None,
    };
    let singles: Vec<(Long, Measured)> = all.iter().filter_map(single).collect();
    let pairs = singles
        .iter()
        .flat_map(|deep| singles.iter().map(move |flat| (deep, flat)));
    let with_short_of = |one: Long, other: Long| {
        let short = (one.short.0, other.short.1, None);
        Long { short, ..one }
    };
    let is_pair = |(deep, _): &(Long, Measured), (flat, _): &(Long, Measured)| {
        with_short_of(*deep, *flat) == *flat && deep.short.1 > flat.short.1
    };
    let pairs = pairs.filter(|(deep, flat)| is_pair(deep, flat));
    let best = pairs.min_by_key(|(deep, flat)| loss_with(&measured, &simpler, &[&deep.1, &flat.1], slack));
    best.map(|((deep, _), (flat, _))| {
        let fewer = Fewer {
            stages: flat.short.1,
            fewest: Some(1),
        };
        (deep.short.0, deep.short.1, Some(fewer))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(cycles: &[u64]) -> Measured {
        Measured {
            cycles: cycles.iter().copied().map(Some).collect(),
            long_runs: 1,
            commands: (0, 1),
            bytes: 0,
            fits: true,
            exact: true,
            is_repeated: false,
        }
    }

    fn two_parts(trips: &[i64]) -> TwoParts {
        TwoParts {
            trips: trips.iter().copied().map(Some).collect(),
            short: (Scheduler::Greedy, 4, None),
        }
    }

    #[test]
    fn each_run_has_the_plan_for_its_length() {
        let (long, short) = (measured(&[9, 9, 10, 100]), measured(&[1, 2, 30, 300]));
        let joined = two_parts(&[1, 2, 8, 80]).joined(8, &long, &short);
        assert_eq!(joined.cycles, [1, 2, 10, 100].map(Some));
    }

    #[test]
    fn plans_for_longer_runs_than_any_are_of_no_use() {
        // Of four iterations as one with two stages a run is long from 16 on.
        assert!(two_parts(&[1, 16]).reaches(2, 4));
        assert!(!two_parts(&[1, 15]).reaches(2, 4));
    }

    #[test]
    fn several_plans_for_short_runs_are_as_fast_as_the_best_of_them() {
        let plans =
            [(2, [5, 9]), (4, [8, 3])].map(|(stages, cycles)| (alone(Scheduler::Greedy, stages), measured(&cycles)));
        let fewer = Some(Fewer {
            stages: 2,
            fewest: None,
        });
        let best = best_of(&plans, (Scheduler::Greedy, 4, fewer)).map(|best| best.cycles);
        assert_eq!(best, Some([5, 3].map(Some).to_vec()));
        assert!(best_of(&plans, (Scheduler::Greedy, 3, None)).is_none());
    }
}
