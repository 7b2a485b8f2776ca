//! Plans in which commands go to more engines than they have in a loop as it is written: several iterations as one, and
//! large transfers in pieces.

use std::collections::BTreeSet;

use zpu_device::Device;
use zpu_ir::ops::Dma;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, annotation};
use zpu_sched::Scheduler;

use super::Measurements;
use super::candidates::{ALL, Candidate, Engines, Fewer, Long, Plain, Spread, commands};
use super::choice;
use super::dispatch;
use super::few_engines;
use super::trial::Trial;
use super::two_parts::{MOST_BETTER, Part, TwoParts, at_best};
use crate::measure::Measured;
use crate::num_stages::NumStages;
use crate::run_commands::run_commands;
use zpu_analysis::body::command_loops;
use zpu_analysis::engine_choice::has_choice;
use zpu_model::written_out::MOST_COMMANDS as MOST_WRITTEN_OUT;

/// Numbers of iterations that are made one, those together that are tried together.
const FACTORS: [&[u32]; 3] = [&[2, 4], &[8], &[16]];

/// Runs of a short inner loop that are made one, those together that are tried together.
const RUNS: [&[u32]; 3] = [&[1, 2], &[4], &[8]];

/// Iterations up to which an inner loop is written out whole.
pub(super) const LONGEST: i64 = 32;

/// Commands of inner loops that are written out so, with all copies.
const MOST_COPIES: usize = 192;

/// More stages or another scheduler make a plan better by no more than one part in so many, as a rule.
pub(super) const CLOSE: u64 = 8;

/// Numbers of stages that are tried with each factor: a body of many iterations has a long interval, so that few stages
/// hide a long latency.
const SPREAD_STAGES: [u32; 2] = [2, 4];

/// Commands of a function up to which its loops are unrolled.
const MOST_SPREAD: usize = 96;

/// Iterations up to which a loop in another one is written out by some factor.
const SHORT: i64 = 16;

/// Programs that are foretold and measured.
const MOST_CONFIRMED: usize = 2;

/// A larger factor has to gain one part in so many for the next one to be tried.
const SMALL_STEP: u64 = 64;

/// Tries these plans with the fewest stages and more and more iterations as one, for as long as that gains, and then
/// the best factors with more stages and other schedulers. Plans that do not fit are left out, unless buffers may share
/// bytes.
pub(super) fn spread(
    (function, original): (Op<'_>, Op<'_>),
    device: &Device,
    (slack, shares): (u64, bool),
    measurements: &mut Measurements,
    run: &mut dyn FnMut(&[Candidate]) -> Vec<Trial>,
) {
    let Some(stages) = stages(function, measurements.requested) else {
        return;
    };
    let Some((fewest, more)) = stages.split_first().filter(|_| may_gain(function, device)) else {
        // Without loops nothing drains between iterations, whatever engines there are.
        let plans: Vec<Candidate> = stages
            .first()
            .filter(|_| may_be_written_out(function))
            .map(|fewest| Candidate::Spread(Spread::of(Scheduler::Greedy, *fewest, ALL)))
            .into_iter()
            .collect();
        for (plan, result) in plans.iter().zip(run(&plans)) {
            let fitting = result.ok().flatten().filter(|measured| shares || measured.fits);
            let paying = fitting.filter(|measured| measurements.pays_in_short_runs(measured, slack));
            measurements.measured.extend(paying.map(|measured| (*plan, measured)));
        }
        return;
    };
    retarget(slack, measurements, run);
    let loops = dispatch::loops(function);
    let two_parts = TwoParts::of((function, original), measurements, slack, &loops);
    let searches = !matches!(measurements.requested.0, Scheduler::Greedy);
    let slack = slack.max(choice::slack_of_all(device));
    let mut measure = |plans: &[Plain]| measure(plans, shares, run);
    let mut parts: Vec<Part> = Vec::new();
    // Where no run is as long, a plan for long ones is of no use.
    let is_reached = |stages: u32, factor: u32| {
        two_parts
            .as_ref()
            .is_none_or(|two_parts| two_parts.reaches(stages, factor))
    };
    let few = FACTORS.map(<[u32]>::to_vec).to_vec();
    // In loops of unknown length each further plan may keep others away that are better in some runs.
    let small_step = if has_one_length(measurements) {
        SMALL_STEP
    } else {
        u64::MAX
    };
    let climbs = [few, whole_runs(function, 1)].map(|steps| {
        Climb::of(steps, small_step, |factors| {
            let factors: Vec<u32> = factors
                .iter()
                .copied()
                .filter(|factor| is_reached(*fewest, *factor))
                .collect();
            let plan = |factor: &u32| Plain::Spread(Spread::of(Scheduler::Greedy, *fewest, *factor));
            let found = measure(&factors.iter().map(plan).collect::<Vec<_>>());
            let each = found.iter().filter_map(|(plan, measured)| {
                let Plain::Spread(Spread { factor, .. }) = plan else {
                    return None;
                };
                Some((measured.longest()?, *factor))
            });
            let each = each.collect();
            parts.extend(found);
            each
        })
    });
    let found = || climbs.iter().flat_map(|climb| climb.steps.iter().flatten().copied());
    let fastest = found().min();
    let close = close(found());
    let last: BTreeSet<u32> = climbs.iter().flat_map(|climb| climb.last(small_step)).collect();
    let last: BTreeSet<u32> = last.into_iter().filter(|factor| close.contains(factor)).collect();
    let deeper = |factor: &u32| {
        let plan = |stages: &u32| Spread::of(Scheduler::Greedy, *stages, *factor);
        more.iter().map(plan).collect::<Vec<_>>()
    };
    let mut plans: Vec<Spread> = close.iter().flat_map(deeper).collect();
    for factor in last.iter().filter(|_| has_choice(function, device)) {
        let balanced = |stages: &u32| Spread::of(Scheduler::Greedy, *stages, *factor).on(Engines::Balanced);
        plans.extend(stages.iter().map(balanced));
    }
    for factor in last.iter().filter(|_| searches) {
        let searched = |stages: &u32| Spread::of(Scheduler::Modulo, *stages, *factor);
        plans.extend(stages.iter().map(searched));
    }
    // Without a loop there are no stages, and nothing for another scheduler.
    if may_be_written_out(function) {
        let plan = Spread::of(Scheduler::Greedy, *fewest, ALL);
        plans.push(plan);
        plans.extend(has_choice(function, device).then_some(plan.on(Engines::Balanced)));
    }
    plans.retain(|plan| is_reached(plan.stages, plan.factor));
    let plans: Vec<Plain> = plans.into_iter().map(Plain::Spread).collect();
    parts.extend(measure(&plans));
    let Some(two_parts) = two_parts else {
        let winner = measurements.winner(slack);
        let least = winner.and_then(|winner| measurements.measured_of(winner)?.longest());
        parts.extend(measure(&few_engines::plans(&parts, &stages, least, &[1])));
        for (plan, measured) in parts {
            if measurements.pays_in_short_runs(&measured, slack) {
                measurements.measured.push((plan.into(), measured));
            }
        }
        return;
    };
    if parts.is_empty() {
        return;
    }
    // A factor that gains too little for the next one to be tried may still be the one that is chosen.
    let fastest = fastest.map(|(_, factor)| factor).filter(|_| !last.is_empty());
    let factors: BTreeSet<u32> = last.into_iter().chain(fastest).collect();
    let short = measure(&two_parts.alone());
    let foretold = |parts: &[Part], factors: &BTreeSet<u32>, measurements: &Measurements| {
        two_parts.foretold((parts, &short), (*fewest, factors), measurements, slack)
    };
    let all = foretold(&parts, &factors, measurements);
    confirm(all, (slack, shares), measurements, run);
    // Where several iterations as one do not pay, it does not matter which engines they have.
    if !measurements.has_several_as_one() {
        return;
    }
    let least = parts.iter().filter_map(|(_, part)| part.longest()).min();
    let few = few_engines::plans(&parts, &stages, least, &few_engines::TIMES);
    let parts = self::measure(&few, shares, run);
    let all = foretold(&parts, &BTreeSet::new(), measurements);
    confirm(all, (slack, shares), measurements, run);
}

/// Measures plans that are one for each loop, without those that do not fit.
fn measure(plans: &[Plain], shares: bool, run: &mut dyn FnMut(&[Candidate]) -> Vec<Trial>) -> Vec<Part> {
    let candidates: Vec<Candidate> = plans.iter().map(|plan| (*plan).into()).collect();
    let results = plans.iter().zip(run(&candidates));
    let fitting = results.filter_map(|(plan, result)| {
        let measured = result.ok().flatten().filter(|measured| shares || measured.fits)?;
        Some((*plan, measured))
    });
    fitting.collect()
}

/// The first plans that are tried, with so many iterations of loops around innermost ones side by side.
pub(super) fn first(function: Op<'_>, side_by_side: i64) -> Vec<Spread> {
    let copies = usize::try_from(side_by_side).unwrap_or(usize::MAX);
    let whole = whole_runs(function, copies).into_iter().flatten();
    let factors = FACTORS[..2].iter().copied().flatten().copied().chain(whole);
    factors
        .chain(may_be_written_out(function).then_some(ALL))
        .map(|factor| Spread::of(Scheduler::Greedy, SPREAD_STAGES[0], factor))
        .collect()
}

/// Measures programs that are foretold for as long as one of them would be chosen.
fn confirm(
    mut foretold: Vec<(Candidate, Measured)>,
    (slack, shares): (u64, bool),
    measurements: &mut Measurements,
    run: &mut dyn FnMut(&[Candidate]) -> Vec<Trial>,
) {
    foretold.retain(|(candidate, measured)| {
        measurements.pays_in_short_runs(&at_best(measured), slack)
            && few_engines::is_as_fast(*candidate, measured, (slack, MOST_BETTER), measurements)
    });
    for _ in 0..MOST_CONFIRMED {
        let Some(winner) = measurements.winner_beside(&foretold, slack) else {
            return;
        };
        let place = foretold.iter().position(|(candidate, _)| *candidate == winner);
        let Some(place) = place.filter(|_| !measurements.has(winner)) else {
            return;
        };
        foretold.remove(place);
        let result = run(&[winner]).pop().and_then(Result::ok).flatten();
        let fitting = result.filter(|measured| shares || measured.fits);
        // A loop of unknown length is not to lose in short runs what it gains in long ones.
        let paying = fitting.filter(|measured| {
            measurements.pays_in_short_runs(measured, slack)
                && few_engines::is_as_fast(winner, measured, (slack, u64::MAX), measurements)
        });
        match paying {
            Some(measured) => measurements.measured.push((winner, measured)),
            // On a few engines more or less it would not be another program.
            None => foretold.retain(|(other, _)| !few_engines::differ_in_number(winner, *other)),
        }
    }
}

/// A series of larger and larger factors, each with the cycles that it leads to.
#[derive(Default)]
struct Climb {
    /// The best one of each step, and those that are as good but for a small step; each but the last gains enough for
    /// another step.
    steps: Vec<BTreeSet<(u64, u32)>>,
}

impl Climb {
    /// Takes steps, each of one or more factors, for as long as they gain.
    fn of(steps: Vec<Vec<u32>>, small_step: u64, mut measure: impl FnMut(&[u32]) -> BTreeSet<(u64, u32)>) -> Self {
        let mut climb = Self::default();
        // Two iterations as one may leave a third one over, so one factor alone decides nothing.
        for factors in steps {
            let mut found = measure(&factors);
            let Some((least, _)) = found.first().copied() else {
                break;
            };
            found.retain(|(cycles, _)| *cycles <= least.saturating_add(least / small_step));
            climb.steps.push(found);
            if !climb.gains() {
                break;
            }
        }
        climb
    }

    /// True if the last step is worth its copies.
    fn gains(&self) -> bool {
        let mut back = self.steps.iter().rev().filter_map(BTreeSet::first);
        let (last, before) = (back.next(), back.next());
        let gain = last
            .zip(before)
            .map(|((cycles, _), (before, _))| *cycles < before - before / SMALL_STEP);
        gain.unwrap_or(true)
    }

    /// The factors of the last step that gains, and those after it that are as good but for a `small_step`: with other
    /// plans they may be the best.
    fn last(&self, small_step: u64) -> Vec<u32> {
        let mut steps = self.steps.iter().rev();
        let after = if self.gains() { None } else { steps.next() };
        let last = steps.next();
        let least = last.and_then(BTreeSet::first).map_or(0, |(cycles, _)| *cycles);
        let is_close = |(cycles, _): &&(u64, u32)| *cycles <= least.saturating_add(least / small_step);
        let after = after
            .into_iter()
            .flatten()
            .filter(|_| small_step < u64::MAX)
            .filter(is_close);
        last.into_iter()
            .flatten()
            .chain(after)
            .map(|(_, factor)| *factor)
            .collect()
    }
}

/// The best factor, and others whose plans more stages or another scheduler could make better than its.
fn close(found: impl Iterator<Item = (u64, u32)>) -> Vec<u32> {
    let found: BTreeSet<(u64, u32)> = found.collect();
    let least = found.first().map_or(0, |(least, _)| *least);
    let is_close = |(long, _): &(u64, u32)| *long <= least.saturating_add(least / CLOSE);
    found.into_iter().filter(is_close).map(|(_, factor)| factor).collect()
}

/// Tries the best plan with short copies within the chip on a vector engine, in loops as they are; and so the best one
/// of each weaker scheduler and of fewer stages, which a request of less leads to. Not so for loops of unknown length:
/// there each plan that is good in some short run keeps others away that are better in long ones.
fn retarget(slack: u64, measurements: &mut Measurements, run: &mut dyn FnMut(&[Candidate]) -> Vec<Trial>) {
    let planned = |candidate: Candidate| match candidate {
        Candidate::Planned(scheduler, NumStages::AtMost(stages)) => Some((scheduler, stages)),
        _ => None,
    };
    let all: Vec<_> = measurements
        .measured
        .iter()
        .filter_map(|(candidate, _)| planned(*candidate))
        .collect();
    let has_one_length = has_one_length(measurements);
    let of_requests = all
        .iter()
        .filter(|(scheduler, _)| has_one_length && plans_ahead(*scheduler));
    let limits = of_requests.chain(&[(Scheduler::Exact, u32::MAX)]);
    let best = limits.filter_map(|(strongest, most)| {
        let is_within = |(scheduler, stages): (Scheduler, u32)| scheduler <= *strongest && stages <= *most;
        let winner = measurements.winner_of(slack, |candidate| planned(candidate).is_some_and(is_within))?;
        planned(winner)
    });
    let best: BTreeSet<(Scheduler, u32)> = best.collect();
    let candidates: Vec<Candidate> = best
        .into_iter()
        .map(|(scheduler, stages)| Candidate::Spread(Spread::of(scheduler, stages, 1)))
        .collect();
    measurements.enter_all(&candidates, run(&candidates));
    // For runs too short for that, plans of fewer stages.
    if let Some(Candidate::Spread(plan)) = measurements.winner(slack)
        && plan.stages > 1
        && !has_one_length
    {
        let mut fewer = BTreeSet::from([1, plan.stages / 2, plan.stages - 1]);
        fewer.remove(&0);
        let mut fewer = fewer.into_iter().rev();
        let short = fewer.next().unwrap_or(1);
        let fewer = fewer.next().map(|stages| Fewer {
            stages,
            fewest: fewer.next(),
        });
        let candidate = Candidate::Long(Long::of(plan, (plan.scheduler, short, fewer)));
        measurements.enter_all(&[candidate], run(&[candidate]));
    }
}

/// True if no loop has runs of several lengths.
fn has_one_length(measurements: &Measurements) -> bool {
    measurements.measured.iter().all(|(_, result)| result.cycles.len() == 1)
}

/// True for schedulers that begin one iteration before the end of another by their own account.
fn plans_ahead(scheduler: Scheduler) -> bool {
    !matches!(scheduler, Scheduler::Serial | Scheduler::List)
}

/// Factors with which short inner loops are written out whole, and once or more in the loop around them: what is
/// between may be slower than either, since a run of the inner loop that is left drains. So many iterations of the loop
/// around run side by side.
fn whole_runs(function: Op<'_>, side_by_side: usize) -> Vec<Vec<u32>> {
    let short: Option<(u32, usize)> = command_loops(function)
        .into_iter()
        .filter(|for_| for_.is_innermost() && is_inner(for_))
        .filter_map(|for_| {
            let trips = for_
                .constant_trip_count()
                .filter(|trips| (2..=LONGEST).contains(trips))?;
            Some((u32::try_from(trips).ok()?, commands(for_.op)))
        })
        .max();
    let Some((trips, commands)) = short else {
        return Vec::new();
    };
    let is_new = |factor: &u32| {
        let copies = side_by_side.saturating_mul(*factor as usize);
        let fits = commands.saturating_mul(copies) <= MOST_COPIES;
        fits && !FACTORS.iter().any(|known| {
            known
                .iter()
                .any(|known| known / trips == factor / trips && known >= factor)
        })
    };
    let groups = RUNS.map(|runs| runs.iter().map(|runs| runs * trips).filter(is_new).collect());
    groups
        .into_iter()
        .filter(|group: &Vec<u32>| !group.is_empty())
        .collect()
}

/// True if a whole run is short enough to be written out, and nobody says anything of a loop, which would be gone.
fn may_be_written_out(function: Op<'_>) -> bool {
    let ops = function.walk();
    let of_loops = [annotation::NUM_STAGES, annotation::SCHEDULER];
    let of_any = [annotation::SCHEDULE, annotation::VERSIONS];
    let has_any = |op: &Op<'_>, names: [&str; 2]| names.iter().any(|name| op.has_attr(name));
    let is_users = |op: &&Op<'_>| has_any(op, of_any) || op.is("scf.for") && has_any(op, of_loops);
    !ops.iter().any(|op| is_users(&op))
        && run_commands(function).is_some_and(|commands| commands.unsigned_abs() <= MOST_WRITTEN_OUT)
}

fn is_inner(for_: &For<'_>) -> bool {
    for_.op.parents().any(|around| around.is("scf.for"))
}

/// The numbers of stages that are tried for a request; `None` where nothing is tried.
///
/// They depend on the request in that a larger number of stages adds to them, and a scheduler that plans iterations
/// ahead is asked for or not; so a request of more has all that one of less has.
fn stages(function: Op<'_>, (scheduler, stages): (Scheduler, NumStages)) -> Option<Vec<u32>> {
    // An annotation of the user is obeyed.
    let is_users = function.walk().iter().any(|op| {
        [annotation::UNROLL, annotation::WRITE_OUT, annotation::PIECES]
            .iter()
            .any(|name| op.has_attr(name))
    });
    if is_users || !plans_ahead(scheduler) || commands(function) > MOST_SPREAD {
        return None;
    }
    let is_allowed = |fewer: &u32| NumStages::AtMost(*fewer) <= stages;
    Some(SPREAD_STAGES.into_iter().filter(is_allowed).collect())
}

/// True if a plan with more engines may be faster than one of loops as they are: where a loop in another one is short,
/// a transfer has a route that more engines serve than there are transfers beside it, or a computation could be on
/// another engine.
pub(super) fn may_gain(function: Op<'_>, device: &Device) -> bool {
    let loops = command_loops(function);
    let is_short = |for_: &For<'_>| is_inner(for_) && for_.constant_trip_count().is_some_and(|trips| trips <= SHORT);
    let transfers: Vec<Dma<'_>> = function.walk().into_iter().filter_map(Dma::of).collect();
    let has_spare = |transfer: &Dma<'_>| {
        let space = |value: Value<'_>| MemRef::of(value.ty())?.space().map(str::to_owned);
        let route = space(transfer.source()).zip(space(transfer.dest()));
        let servers = route.map_or(Vec::new(), |(from, to)| device.engines_for_route(&from, &to));
        let able = servers.into_iter().filter(|engine| !engine.blocking).count();
        let around = loops.iter().find(|for_| for_.op.contains(transfer.op));
        let is_beside = |other: &&Dma<'_>| around.is_some_and(|for_| for_.op.contains(other.op));
        able > transfers.iter().filter(is_beside).count().max(1)
    };
    loops.iter().any(is_short) || transfers.iter().any(has_spare) || has_choice(function, device)
}
