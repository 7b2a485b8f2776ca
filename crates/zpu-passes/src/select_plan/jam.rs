//! Iterations of loops around innermost ones side by side, where that is faster.
//!
//! They share what they load alike, and fill and drain one pipeline together. The number of them is chosen before all
//! plans, by one plan that does not depend on what is asked for, so that all requests choose among plans of the same
//! function.

use zpu_device::Device;
use zpu_ir::scf::For;
use zpu_ir::{Op, Remark, RemarkKind, annotation};
use zpu_model::side_by_side::{FACTORS, MOST_COMMANDS, MOST_WRITTEN_OUT};
use zpu_sched::Scheduler;

use super::PASS;
use super::candidates::{Candidate, MOST_SMALL, commands};
use super::choice;
use super::dispatch;
use super::spread::{self, LONGEST};
use super::trial::{Program, Trial, Trials};
use crate::measure::Measured;
use crate::measure::scenario::{self, Scenario};
use crate::num_stages::NumStages;
use crate::side_by_side::{self, Nest};

/// Depths of the plans of which each run counts with the fastest, as loops of unknown length have one for each. None is
/// left to the request.
const DEPTHS: [u32; 3] = [MOST_SMALL, 1, 2];

/// A number has to gain one part in so many of the long runs.
const SMALL_GAIN: u64 = 32;

/// Short runs must gain together, and none of them may take one part in so many more: where the inner loop has no
/// iteration, several tiles at once are only more to fill.
const LARGE_LOSS: u64 = 2;

/// Stages that are tried for iterations that are left over of a number that nobody knows.
const STAGES_OF_LEFT_OVER: [u32; 4] = [MOST_LEFT_OVER, 4, 2, 1];

/// The most of them.
const MOST_LEFT_OVER: u32 = 16;

/// Iterations of loops around innermost ones that run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Jam {
    factor: i64,
    /// The plan of what is left over of a number that nobody knows: its scheduler and the largest stage. There is one
    /// alone: all those that a loop of unknown length may have would take as long to compile as those of the loop
    /// itself, for hardly any iterations.
    left_over: (Scheduler, u32),
}

impl Jam {
    fn of(factor: i64) -> Self {
        Self {
            factor,
            left_over: (Scheduler::Greedy, MOST_LEFT_OVER),
        }
    }

    /// Lets them run side by side.
    pub(super) fn rewrite(self, function: Op<'_>) {
        let (scheduler, stages) = self.left_over;
        for inner in side_by_side::jam(function, self.factor).into_iter().filter_map(For::of) {
            dispatch::rewrite_fixed(inner, scheduler, stages);
        }
    }
}

/// Rewrites the loops of a function in which several iterations side by side are faster.
pub(super) fn jam<'c>(
    function: Op<'c>,
    (scheduler, requested): (Scheduler, NumStages),
    device: &Device,
    trials: &mut Trials<'c, '_>,
) {
    if function.has_attr(annotation::UNROLL_AND_JAM) {
        function.remove_attr(annotation::UNROLL_AND_JAM);
        return;
    }
    let nests = side_by_side::nests(function);
    let is_useful = |factor: &i64| {
        let copies = usize::try_from(*factor).unwrap_or(usize::MAX);
        nests.iter().any(|nest| is_open(nest, *factor)) && commands(function).saturating_mul(copies) <= MOST_COMMANDS
    };
    let factors: Vec<i64> = FACTORS.into_iter().map(i64::from).filter(is_useful).collect();
    if factors.is_empty() {
        return;
    }
    let factors: Vec<i64> = [1].into_iter().chain(factors).collect();
    let programs = factors.iter().flat_map(|factor| {
        DEPTHS.map(|depth| Program {
            jam: Some(Jam::of(*factor)),
            ..planned(depth)
        })
    });
    let programs: Vec<Program> = programs.collect();
    let tried = Tried {
        function,
        requested,
        scenarios: scenario::scenarios(function, NumStages::Auto.limit()),
    };
    let measured = tried.measure(trials, &programs);
    let runs: Vec<Option<Runs>> = measured.chunks(DEPTHS.len()).map(Runs::of).collect();
    let slack = choice::slack(function, device);
    let Some(Some(plain)) = runs.first() else { return };
    // Long runs have few iterations of loops around others, and may be all left over.
    let has_left_over = nests.iter().any(|nest| nest.for_.constant_trip_count().is_none());
    let better = factors.iter().zip(&runs).filter_map(|(factor, runs)| {
        let runs = runs.as_ref()?;
        let cycles = if has_left_over { runs.all() } else { runs.long() };
        runs.gain(plain, slack).then_some((cycles, *factor))
    });
    let best = better.min().filter(|(cycles, factor)| {
        // With several iterations of the inner loop as one, the loops as they are may be faster still.
        let is_known = has_left_over || !spread::may_gain(function, device);
        is_known || tried.unrolled(trials, (*factor, *cycles)) < tried.unrolled(trials, (1, plain.long()))
    });
    Remark::new(function, RemarkKind::Analysis, PASS, "side-by-side").emit_with(|remark| {
        let chosen = best.map_or(1, |(_, factor)| factor);
        let message = format!("{chosen} iterations of loops around innermost ones side by side are the fastest");
        let each = factors.iter().zip(&runs).filter_map(|(factor, runs)| {
            let cycles = runs.as_ref()?.cycles.iter().flatten().map(u64::to_string);
            Some((factor, cycles.collect::<Vec<_>>().join(" ")))
        });
        each.fold(remark.message(message), |remark, (factor, cycles)| {
            remark.metric(&factor.to_string(), cycles)
        })
    });
    let Some((_, factor)) = best else { return };
    let most = requested.limit().min(MOST_LEFT_OVER);
    let stages = has_left_over
        .then(|| tried.stages_of_left_over(trials, factor))
        .flatten();
    let jam = Jam {
        factor,
        left_over: (scheduler.min(Scheduler::Greedy), stages.unwrap_or(most)),
    };
    jam.rewrite(function);
    trials.forget_plans();
}

/// A function that numbers of iterations are tried on, and the runs in which they are.
struct Tried<'c> {
    function: Op<'c>,
    requested: NumStages,
    scenarios: Vec<Scenario>,
}

impl<'c> Tried<'c> {
    fn measure(&self, trials: &mut Trials<'c, '_>, programs: &[Program]) -> Vec<Trial> {
        match self.requested {
            NumStages::Auto => trials.measure(self.function, programs, &self.scenarios),
            // The runs of another depth are others, so what is known of these says nothing of them.
            NumStages::AtMost(_) => trials.measure_apart(self.function, programs, &self.scenarios),
        }
    }

    /// The cycles of the long runs with so many iterations side by side: the least of those with the inner loop as it
    /// is, which are given, and of the first plans with several iterations of it as one.
    fn unrolled(&self, trials: &mut Trials<'c, '_>, (factor, cycles): (i64, u64)) -> u64 {
        let plans = spread::first(self.function, factor).into_iter();
        let programs = plans.map(|plan| Program {
            jam: Some(Jam::of(factor)),
            ..Candidate::Spread(plan).into()
        });
        let trials = self.measure(trials, &programs.collect::<Vec<_>>()).into_iter();
        let fitting = trials.filter_map(|trial| trial.ok().flatten().filter(|measured| measured.fits));
        fitting.filter_map(|measured| measured.longest()).fold(cycles, u64::min)
    }

    /// The stages for what is left over with which all runs together are the fastest. Each request has all that one of
    /// fewer stages has.
    fn stages_of_left_over(&self, trials: &mut Trials<'c, '_>, factor: i64) -> Option<u32> {
        let all = STAGES_OF_LEFT_OVER.into_iter();
        let allowed: Vec<u32> = all
            .filter(|stages| NumStages::AtMost(*stages) <= self.requested)
            .collect();
        let programs = allowed.iter().map(|stages| Program {
            jam: Some(Jam {
                factor,
                left_over: (Scheduler::Greedy, *stages),
            }),
            ..planned(MOST_SMALL)
        });
        let measured = self.measure(trials, &programs.collect::<Vec<_>>());
        let cycles = measured.chunks(1).map(|trial| Some(Runs::of(trial)?.all()));
        let best = cycles
            .zip(allowed)
            .filter_map(|(cycles, stages)| Some((cycles?, stages)));
        best.min().map(|(_, stages)| stages)
    }
}

/// A program with plans of a number of stages that do not depend on what is asked for.
fn planned(stages: u32) -> Program {
    Candidate::Planned(Scheduler::Greedy, NumStages::AtMost(stages)).into()
}

/// True if a nest has a multiple of so many iterations, and more than are written out whole. Of a number that nobody
/// knows something may be left over in any case, so two and four are enough to try; and inner loops that are written
/// out whole there leave no pipeline to be filled, which the one plan that is tried for each does not tell.
fn is_open(nest: &Nest<'_>, factor: i64) -> bool {
    let Some(trips) = nest.for_.constant_trip_count() else {
        let is_whole = nest.inner.constant_trip_count().is_some_and(|trips| trips <= LONGEST);
        return factor % 2 == 0 && nest.factor(factor) == factor && !is_whole;
    };
    let inner = nest.inner.constant_trip_count();
    let commands = i64::try_from(commands(nest.inner.op)).unwrap_or(i64::MAX);
    let all = inner.map(|inner| inner.saturating_mul(trips).saturating_mul(commands));
    let is_short = all.is_some_and(|all| all <= MOST_WRITTEN_OUT);
    trips % factor == 0 && trips > 0 && nest.factor(factor) == factor && !is_short
}

/// Cycles of runs, the long ones last, each by the plan that is the fastest there.
#[derive(Debug)]
struct Runs {
    cycles: Vec<Option<u64>>,
    long_runs: usize,
    /// True if the buffers of the first plan, for long runs, fit.
    fits: bool,
}

impl Runs {
    /// Those of some plans; none if the first one is none.
    fn of(trials: &[Trial]) -> Option<Self> {
        let measured = |trial: &Trial| trial.as_ref().ok().cloned().flatten();
        let first = measured(trials.first()?)?;
        let others: Vec<Measured> = trials[1..].iter().filter_map(measured).collect();
        let fastest = |(run, own): (usize, &Option<u64>)| {
            let others = others.iter().filter_map(|other| other.cycles[run]);
            own.iter().copied().chain(others).min()
        };
        Some(Self {
            cycles: first.cycles.iter().enumerate().map(fastest).collect(),
            long_runs: first.long_runs,
            fits: first.fits,
        })
    }

    /// The cycles of all runs together.
    fn all(&self) -> u64 {
        self.cycles.iter().flatten().sum()
    }

    /// The cycles of all long runs, or of the longest one if none is known as long.
    fn long(&self) -> u64 {
        let ended: Vec<u64> = self.cycles.iter().flatten().copied().collect();
        ended.iter().rev().take(self.long_runs.max(1)).sum()
    }

    /// True if they are faster than others in the long runs, and hardly slower in short ones.
    fn gain(&self, than: &Self, slack: u64) -> bool {
        let pairs = || than.cycles.iter().zip(&self.cycles);
        let is_close = |(now, then): (&Option<u64>, &Option<u64>)| match (now, then) {
            (Some(now), Some(then)) => *then <= now.saturating_add(slack.max(now / LARGE_LOSS)),
            (None, None) => true,
            _ => false,
        };
        let short = self.cycles.len() - self.long_runs;
        let all = |cycles: &[Option<u64>]| cycles[..short].iter().flatten().sum::<u64>();
        let (now, then) = (than.long(), self.long());
        (self.fits || !than.fits)
            && then < now - now / SMALL_GAIN
            && all(&self.cycles) <= all(&than.cycles)
            && pairs().all(is_close)
    }
}
