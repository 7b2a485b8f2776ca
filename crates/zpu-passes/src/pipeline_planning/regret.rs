//! The regret of a plan: what it loses if a DMA engine's start latency is not what the device file says.
//!
//! The start latency is the number of a device file that is known least. A plan is made for one value; here it runs on
//! a machine with half of it and on one with twice, beside the best plan for that machine.

use zpu_device::{Device, EngineCost};
use zpu_sched::{Outcome, Rate, Scheduler, estimate, steady_rate};

use super::depth;
use crate::loop_problem::{Limits, Model, Pace};
use crate::num_stages::NumStages;
use crate::solved::SOLVED;
use zpu_analysis::body::Body;

/// Cycles of this plan over those of the best one, in percent above 100: with half of the start latency, and with twice
/// as much. None if the plan is none of such a machine, or no engine has a start latency.
pub(super) fn regret<'c>(
    body: &Body<'c>,
    device: &Device,
    limits: &Limits,
    (scheduler, stages, chosen): (Scheduler, NumStages, u32),
    outcome: &Outcome,
) -> Option<[String; 2]> {
    let on = |scale: fn(u64) -> u64| {
        let device = with_latencies(device, scale)?;
        let own = match stages {
            NumStages::AtMost(stages) => stages,
            NumStages::Auto => depth::choose(body, &device, limits, scheduler).ok()?.stages,
        };
        let of = |stages| Model::of(body, &device, limits, stages).ok();
        let (model, others) = (of(chosen)?, of(own)?);
        let best = SOLVED.solve(&others.problem, scheduler, &others.options).ok()?;
        let (plan, stream) = (&outcome.plan, model.options.stream);
        let cycles = model
            .options
            .trip
            .map(|trip| estimate(&model.problem, plan, trip, stream));
        let pace = Pace {
            rate: steady_rate(&model.problem, plan, stream).ok()?,
            cycles: cycles.transpose().ok()?,
        };
        Some(percent(pace, Pace::from(&best)))
    };
    Some([on(|latency| latency / 2)?, on(|latency| latency.saturating_mul(2))?])
}

/// A device whose DMA engines have other start latencies; none if they have none.
fn with_latencies(device: &Device, scale: fn(u64) -> u64) -> Option<Device> {
    let mut device = device.clone();
    let mut changed = false;
    for engine in &mut device.engines {
        if let EngineCost::Dma(cost) = &mut engine.cost {
            changed |= cost.start_latency > 0;
            cost.start_latency = scale(cost.start_latency);
        }
    }
    changed.then_some(device)
}

/// How much slower the first pace is: over the whole run if its length is known, else in the steady state. 0 if it is
/// faster, since planners are not perfect.
fn percent(own: Pace, best: Pace) -> String {
    let ratio = match (own.cycles, best.cycles) {
        (Some(own), Some(best)) => own as f64 / best.max(1) as f64,
        _ => {
            let per_iteration = |rate: Rate| rate.cycles_per_iteration();
            per_iteration(own.rate) / per_iteration(best.rate).max(1.0)
        }
    };
    format!("{:.1}%", ((ratio - 1.0) * 100.0).max(0.0))
}
