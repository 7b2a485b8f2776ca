//! `zpu-select-plan`: compiles each function with several plans, simulates the results, and keeps the fastest.
//!
//! Assumes synchronous commands on a device, as `zpu-convert-to-dma` leaves them. A planner judges one loop by an
//! estimate; what counts is the whole function as it runs. So the passes that follow are run on copies of the function,
//! once for each of several choices of scheduler and number of stages, and `zpu-sim` counts the cycles of what they
//! leave, beside those of the function as it is written. What wins is written on the function:
//!
//! ```mlir
//! func.func @product(...) { ... }
//! // becomes, where the plan of greedy with one stage is the fastest
//! func.func @product(...) attributes {zpu.num_stages = 1 : i64, zpu.scheduler = "greedy"} { ... }
//! // and, where no plan is faster than the function as it is written
//! func.func @product(...) attributes {zpu.synchronous} { ... }
//! ```
//!
//! Invariant: a choice with a stronger scheduler or more stages is made among all that a weaker one, or fewer, are made
//! among. So it never takes more cycles, whatever the planner's estimate is worth. The passes that follow obey what is
//! written; a function on which somebody wrote it before is left alone.

mod candidates;
mod choice;
mod dispatch;
mod few_engines;
mod jam;
mod joint;
mod long_runs;
mod shared;
mod short_runs;
mod spread;
mod trial;
mod two_parts;

use zpu_device::Device;
use zpu_ir::options::SelectPlanOptions;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, device, error};
use zpu_sched::Scheduler;

use crate::lowering;
use crate::measure::scenario::{self, Scenario};
use crate::measure::{Measured, find, name_of};
use crate::num_stages::NumStages;
use crate::prediction::predicted;
use crate::reuse::wrong_reuse;
use candidates::{Candidate, Fewer, Long, MOST_COMPARED, MOST_SMALL, candidates, commands};
use choice::{choose, is_fastest, loss_with};
use trial::{Program, Trial, Trials};
use zpu_analysis::command::{is_asynchronous, sync_engine};

pub(crate) const PASS: &str = "zpu-select-plan";

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &SelectPlanOptions) -> PassResult {
    let refuse = |message: String| {
        error(module, &message, &[]);
        Failed
    };
    let wanted = wanted(options).map_err(refuse)?;
    let functions: Vec<Op<'_>> = module
        .find_all("func.func")
        .into_iter()
        .filter(|f| is_open(*f))
        .collect();
    if functions.is_empty() || options.mode != "minimal" {
        return Ok(());
    }
    let device = device::of(module)?;
    lowering::limit(options.ids, &device).map_err(refuse)?;
    let mut trials = Trials::new(module, &device, options);
    for function in functions {
        select(function, &device, &mut trials, wanted, options.plan_memory);
    }
    Ok(())
}

/// What the options ask for, or the message about a wrong one.
fn wanted(options: &SelectPlanOptions) -> Result<(Scheduler, NumStages), String> {
    wrong_reuse(options.reuse).map_or(Ok(()), Err)?;
    lowering::wanted(
        (&options.scheduler, &options.num_stages),
        &options.time_limit,
        &options.form,
        &options.mode,
    )
}

/// True if there is a choice: commands that may overlap, and nobody who has made it.
fn is_open(function: Op<'_>) -> bool {
    let ops = function.walk();
    !function.has_attr(annotation::SCHEDULER)
        && !function.has_attr(annotation::NUM_STAGES)
        && !function.has_attr(annotation::SYNCHRONOUS)
        && ops.iter().any(|op| sync_engine(*op).is_some())
        && !ops.iter().any(|op| is_asynchronous(*op))
}

/// Chooses for one function, and says what the choice was among.
fn select<'c>(
    function: Op<'c>,
    device: &Device,
    trials: &mut Trials<'c, '_>,
    wanted: (Scheduler, NumStages),
    shares: bool,
) {
    let count = commands(function);
    if count > MOST_COMPARED {
        let reason = format!("{count} commands are more than {MOST_COMPARED}");
        report_not_measured(function, &reason);
        return;
    }
    // Sizes for runs are those of the function as it was: a loop in which several iterations are one has others.
    let before = trials.copy_of(function);
    let Ok(original) = find(&before, name_of(function)) else {
        return;
    };
    if wanted.1 > NumStages::AtMost(0) {
        jam::jam(function, wanted, device, trials);
    }
    let scenarios = scenario::scenarios(original, wanted.1.limit());
    let slack = choice::slack(function, device);
    let mut measurements = Measurements::of(wanted, shares);
    let mut run = |candidates: &[Candidate]| trials.measure(function, candidates, &scenarios);
    let is_between = |candidate: &Candidate| {
        let Candidate::Planned(Scheduler::List, NumStages::AtMost(stages)) = candidate else {
            return false;
        };
        wanted.0 != Scheduler::List && !FEW_OF_LIST.contains(stages)
    };
    let (between, simple): (Vec<Candidate>, Vec<Candidate>) =
        candidates(function, wanted).into_iter().partition(is_between);
    measurements.enter_all(&simple, run(&simple));
    if measurements.is_close(Scheduler::List) {
        measurements.enter_all(&between, run(&between));
    }
    // Where a plan loses in short runs, a second one for those may not.
    if let Some(winner @ Candidate::Planned(scheduler, stages)) = measurements.winner(slack)
        && measurements.loses_in_short_runs(winner, slack)
    {
        if scheduler == Scheduler::Exact {
            let fewer = (1..=MOST_SMALL).map(NumStages::AtMost).filter(|fewer| *fewer < stages);
            let fewer = fewer.map(|fewer| Candidate::Planned(scheduler, fewer));
            let unknown: Vec<Candidate> = fewer.filter(|fewer| !measurements.has(*fewer)).collect();
            measurements.enter_all(&unknown, run(&unknown));
        }
        for plans in [2, 3] {
            let several = measurements.best_of_several(plans, slack);
            if several.is_empty() {
                break;
            }
            for (at, (_, candidate)) in several.iter().enumerate() {
                measurements.enter_all(&[*candidate], run(&[*candidate]));
                // The others lose no less than what is foretold. A loop can say no number that is left open.
                let next = several.get(at + 1).map(|(left, _)| *left);
                let is_fixed = candidate
                    .asks_for()
                    .is_some_and(|(_, stages)| stages != NumStages::Auto);
                let is_best = |next| measurements.loss_of(*candidate, slack).is_some_and(|loss| loss <= next);
                if is_fixed && next.is_none_or(is_best) {
                    break;
                }
            }
        }
    }
    spread::spread(
        (function, original),
        device,
        (slack, shares),
        &mut measurements,
        &mut run,
    );
    few_engines::forget_slow((function, original), slack, &mut measurements, trials);
    let requested = Candidate::Planned(wanted.0, wanted.1);
    let is_known = measurements.has(requested) && (scenarios.len() == 1 || measurements.depends_on_sizes());
    if shares && is_known {
        shared::share(function, device, slack, &mut measurements, trials, &scenarios);
    }
    let Some(winner) = measurements.winner(slack).filter(|_| is_known) else {
        let reason = measurements
            .failure
            .as_deref()
            .unwrap_or("no sizes are found with which its loops run to their ends");
        report_not_measured(function, reason);
        return;
    };
    let program = refined(
        (function, original),
        winner,
        (slack, shares),
        device,
        &mut measurements,
        trials,
        &scenarios,
    );
    measurements.report(function, device, program, requested);
    if program != requested.into() {
        trials.write(function, program);
    }
}

/// The winner, or a program like it that is faster in short runs; where buffers share bytes, with addresses as well.
fn refined<'c>(
    (function, original): (Op<'c>, Op<'_>),
    winner: Candidate,
    (slack, shares): (u64, bool),
    device: &Device,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) -> Program {
    let now = measurements.measured_of(winner).cloned();
    let long = long_runs::refined((function, original), slack, measurements, trials, scenarios).unwrap_or(winner);
    let of_long = measurements.measured_of(long).cloned();
    let slack_of_all = choice::slack_of_all(device);
    let short = short_runs::refined(
        (function, original),
        long,
        slack_of_all,
        measurements,
        trials,
        scenarios,
    );
    let mut is_as_fast = |program: Program| {
        let no_slower = |now| shared::is_as_fast(function, program, now, slack, trials, scenarios);
        !shares || program == winner.into() || now.as_ref().is_some_and(no_slower)
    };
    if is_as_fast(short) {
        return short;
    }
    if let Some(of_long) = of_long {
        measurements.replace(long, of_long);
    }
    let long = long.into();
    if is_as_fast(long) { long } else { winner.into() }
}

fn report_not_measured(function: Op<'_>, reason: &str) {
    Remark::new(function, RemarkKind::Missed, PASS, "not-measured")
        .message(format!("the plans are not compared as simulated: {reason}"))
        .emit();
}

/// Pairs of plans that are measured for a request of so many stages at the most, and as many triples; what a pair takes
/// is known only then, since each loop decides by its own trip count.
const MOST_PAIRS: usize = 3;

/// Numbers of stages that are tried with `list` beside a stronger scheduler, and those between only where one of these
/// is half as fast as that.
const FEW_OF_LIST: [u32; 3] = [1, 2, 8];

/// The programs that were measured.
#[derive(Debug)]
struct Measurements {
    requested: (Scheduler, NumStages),
    /// Buffers may share bytes, so that what does not fit side by side may fit all the same.
    shares: bool,
    measured: Vec<(Candidate, Measured)>,
    /// Why the first program that could not be measured could not.
    failure: Option<String>,
}

impl Measurements {
    fn of(requested: (Scheduler, NumStages), shares: bool) -> Self {
        Self {
            requested,
            shares,
            measured: Vec::new(),
            failure: None,
        }
    }

    /// By program: true if a weaker scheduler or fewer stages could lead to it.
    fn simpler(&self) -> Vec<bool> {
        let all = self.measured.iter();
        all.map(|(candidate, _)| self.is_simpler(*candidate)).collect()
    }

    /// True if a weaker scheduler or fewer stages could lead to a program.
    fn is_simpler(&self, candidate: Candidate) -> bool {
        let is_requested = |plan: (Scheduler, NumStages)| plan == self.requested;
        if let Candidate::Long(Long { short, .. }) = candidate
            && is_requested((short.0, NumStages::AtMost(short.1)))
        {
            return false;
        }
        !candidate.asks_for().is_some_and(is_requested)
    }

    fn enter_all(&mut self, candidates: &[Candidate], results: Vec<Trial>) {
        for (candidate, result) in candidates.iter().zip(results) {
            self.enter(*candidate, result);
        }
    }

    fn enter(&mut self, candidate: Candidate, result: Trial) {
        match result {
            Ok(result) => self.measured.extend(result.map(|result| (candidate, result))),
            Err(reason) => self.failure = self.failure.take().or(Some(reason)),
        }
    }

    /// True if a program with two plans for a loop loses no more in short runs than the one that would be chosen
    /// without any of its kind, or hardly more for a large gain in the long run.
    fn pays_in_short_runs(&self, one: &Measured, slack: u64) -> bool {
        let others = self.measured.iter().zip(self.simpler());
        let others = others.filter(|((other, _), _)| !matches!(other, Candidate::Long(..)));
        let (all, simpler): (Vec<&Measured>, Vec<bool>) =
            others.map(|((_, result), simpler)| (result, simpler)).unzip();
        choose(&all, &simpler, slack).is_none_or(|winner| choice::pays(&all, &simpler, one, all[winner], slack))
    }

    /// Puts another measurement of a program in place of the one there is.
    fn replace(&mut self, candidate: Candidate, measured: Measured) {
        let own = self.measured.iter_mut().find(|(known, _)| *known == candidate);
        if let Some((_, known)) = own {
            let is_repeated = known.is_repeated;
            *known = Measured {
                is_repeated,
                ..measured
            };
        }
    }

    /// True if a program was measured that has several iterations as one in its long runs.
    fn has_several_as_one(&self) -> bool {
        let is_one = |candidate: Candidate| matches!(candidate, Candidate::Long(Long { long, .. }) if long.factor > 1);
        self.measured.iter().any(|(candidate, _)| is_one(*candidate))
    }

    fn has(&self, candidate: Candidate) -> bool {
        self.measured_of(candidate).is_some()
    }

    fn measured_of(&self, candidate: Candidate) -> Option<&Measured> {
        let own = self.measured.iter().find(|(known, _)| *known == candidate);
        own.map(|(_, measured)| measured)
    }

    /// True if longer runs issue more commands: if not, the sizes that were tried lead into no loop.
    fn depends_on_sizes(&self) -> bool {
        let mut commands = self.measured.iter().map(|(_, result)| result.commands);
        commands.all(|(least, most)| least < most)
    }

    /// True if a program of a scheduler takes less than twice as long as the fastest one, in the longest run.
    fn is_close(&self, scheduler: Scheduler) -> bool {
        let all = self.measured.iter().filter_map(|(_, measured)| measured.longest());
        let is_one = |candidate: &Candidate| candidate.asks_for().is_some_and(|(other, _)| other == scheduler);
        let of_one = self.measured.iter().filter(|(candidate, _)| is_one(candidate));
        let of_one = of_one.filter_map(|(_, measured)| measured.longest());
        let (least, of_one) = (all.min().unwrap_or(0), of_one.min());
        of_one.is_some_and(|of_one| of_one / 2 < least)
    }

    fn winner(&self, slack: u64) -> Option<Candidate> {
        self.winner_of(slack, |_| true)
    }

    /// The winner of some of the programs.
    fn winner_of(&self, slack: u64, is_one: impl Fn(Candidate) -> bool) -> Option<Candidate> {
        let some = self.measured.iter().filter(|(candidate, _)| is_one(*candidate));
        self.winner_among(&some.collect::<Vec<_>>(), slack)
    }

    /// The winner of all programs and others.
    fn winner_beside(&self, others: &[(Candidate, Measured)], slack: u64) -> Option<Candidate> {
        self.winner_among(&self.measured.iter().chain(others).collect::<Vec<_>>(), slack)
    }

    /// The winner of those that fit, if one does: the planner looks at what is alive in a loop, and not at what is
    /// freed before it or allocated in a function that is called.
    fn winner_among(&self, programs: &[&(Candidate, Measured)], slack: u64) -> Option<Candidate> {
        let mut programs = programs.to_vec();
        if !self.shares && programs.iter().any(|(_, measured)| measured.fits) {
            programs.retain(|(_, measured)| measured.fits);
        }
        let results: Vec<&Measured> = programs.iter().map(|(_, result)| result).collect();
        let simpler: Vec<bool> = programs
            .iter()
            .map(|(candidate, _)| self.is_simpler(*candidate))
            .collect();
        choose(&results, &simpler, slack).map(|place| programs[place].0)
    }

    /// True if a simpler program is faster in a short run.
    fn loses_in_short_runs(&self, wanted: Candidate, slack: u64) -> bool {
        self.loss_of(wanted, slack).is_some_and(|loss| loss > 0)
    }

    /// What a program that was measured loses in short runs against simpler ones.
    fn loss_of(&self, wanted: Candidate, slack: u64) -> Option<u64> {
        let all: Vec<&Measured> = self.measured.iter().map(|(_, result)| result).collect();
        let result = self.measured_of(wanted)?;
        Some(loss_with(&all, &self.simpler(), &[result], slack))
    }

    /// Of all plans that are fastest in the long run, those that with one or two of fewer stages of the same scheduler
    /// beside them, two or three altogether, may lose least in short runs, and less than anything measured so far. Each
    /// with the least that it may lose, that of the smallest loss first.
    fn best_of_several(&self, plans: usize, slack: u64) -> Vec<(u64, Candidate)> {
        let all: Vec<&Measured> = self.measured.iter().map(|(_, result)| result).collect();
        let simpler = self.simpler();
        let loss = |programs: &[&Measured]| loss_with(&all, &simpler, programs, slack);
        let is_fastest = |result: &Measured| is_fastest(&all, result, slack);
        let fastest = self.measured.iter().filter(|(_, result)| is_fastest(result));
        let so_far = fastest.map(|(_, result)| loss(&[result])).min().unwrap_or(0);
        let planned: Vec<(Scheduler, NumStages, &Measured)> = self
            .measured
            .iter()
            .filter_map(|(candidate, result)| match candidate {
                Candidate::Planned(scheduler, stages) => Some((*scheduler, *stages, result)),
                _ => None,
            })
            .collect();
        let below = |scheduler: Scheduler, most: NumStages| {
            planned.iter().filter_map(move |(other, stages, result)| match stages {
                NumStages::AtMost(fewer @ 1..) if *other == scheduler && *stages < most => Some((*fewer, *result)),
                _ => None,
            })
        };
        let mut several: Vec<(u64, Candidate)> = Vec::new();
        for (scheduler, stages, long) in planned.iter().filter(|(.., result)| is_fastest(result)) {
            for (short, of_short) in below(*scheduler, *stages) {
                let dispatched = |fewest| {
                    let fewer = Fewer { stages: short, fewest };
                    Candidate::Dispatched(*scheduler, *stages, fewer)
                };
                if plans == 2 {
                    several.push((loss(&[*long, of_short]), dispatched(None)));
                } else {
                    let fewest = below(*scheduler, NumStages::AtMost(short));
                    several.extend(
                        fewest.map(|(fewest, shortest)| (loss(&[*long, of_short, shortest]), dispatched(Some(fewest)))),
                    );
                }
            }
        }
        several.retain(|(left, _)| *left < so_far);
        let is_open = |candidate: &Candidate| {
            candidate
                .asks_for()
                .is_some_and(|(_, stages)| stages == NumStages::Auto)
        };
        several.sort_by_key(|(left, candidate)| (*left, is_open(candidate)));
        let most = usize::try_from(self.requested.1.limit().saturating_sub(1)).unwrap_or(MOST_PAIRS);
        several.truncate(most.min(MOST_PAIRS));
        several
    }

    /// What the model expected, and its error, where there is one run.
    fn beside_prediction<'c>(
        &self,
        remark: Remark<'c>,
        function: Op<'_>,
        device: &Device,
        winner: &Measured,
    ) -> Remark<'c> {
        let ([Some(cycles)], Ok((prediction, _))) = (&winner.cycles[..], predicted(function, device, self.requested.1))
        else {
            return remark;
        };
        let error = (prediction.cycles as f64 / (*cycles).max(1) as f64 - 1.0) * 100.0;
        remark
            .metric("Predicted", prediction.cycles)
            .metric("PredictionError", format!("{error:+.1}%"))
    }

    fn report(&self, function: Op<'_>, device: &Device, winner: Program, requested: Candidate) {
        let different = || self.measured.iter().filter(|(_, result)| !result.is_repeated);
        let all = |result: &Measured| {
            let cycles: Vec<String> = result.cycles.iter().flatten().map(u64::to_string).collect();
            cycles.join(" ")
        };
        Remark::new(function, RemarkKind::Analysis, PASS, "selected").emit_with(|remark| {
            let mut remark = remark
                .message(format!("{winner} is the fastest of {} programs", different().count()))
                .metric("Plan", winner.to_string())
                .metric("Requested", requested.to_string());
            for (candidate, result) in different() {
                if *candidate == winner.candidate {
                    let exact = if result.exact { "yes" } else { "no" };
                    remark = remark.metric("Cycles", all(result)).metric("Exact", exact);
                    remark = self.beside_prediction(remark, function, device, result);
                }
                remark = remark.metric(&candidate.to_string(), all(result));
            }
            remark
        });
    }
}
