//! `zpu-plan-memory`: gives every on-chip buffer an address, so that buffers share bytes where their lives allow it.
//!
//! Assumes synchronous commands on a device, as `zpu-schedule-dma-compute-overlap` leaves them;
//! `zpu-inject-dma-barrier` follows and puts in what waits the shared bytes need.
//!
//! ```mlir
//! %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>      // {zpu.address = 0 : i64}
//! %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>      // {zpu.address = 0 : i64}, if %a is read before %b is
//!                                                              // written
//! ```
//!
//! Invariants: a function gets all of its addresses or none. No read sees bytes of another buffer, which an analysis
//! checks that knows neither lives nor plan; that commands are complete in time is proven on a copy with its waits.
//! With `reuse=0` sharing adds no wait and no cycle, with `reuse=1` no cycle; both are measured on copies.

mod problem;
mod sharing;
mod tell;
mod trial;

use zpu_analysis::command::is_asynchronous;
use zpu_analysis::liveness::{Liveness, liveness};
use zpu_device::Device;
use zpu_ir::options::PlanMemoryOptions;
use zpu_ir::{Failed, Op, PassResult, annotation, attr, device, error};

use problem::{Addresses, Planned, planned};
use sharing::{Sharing, wrong_pins};
use trial::{Outcome, Trials};

const PASS: &str = "zpu-plan-memory";

/// Plans that are tried until one costs nothing; the last one shares nothing.
const MOST_ROUNDS: usize = 4;

/// Copies that are compiled in each round to find what costs something: each takes as long as putting in the waits.
const MOST_TRIALS: usize = 16;

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &PlanMemoryOptions) -> PassResult {
    if !(0..=1).contains(&options.reuse) {
        let message = format!("reuse is {}, must be 0 or 1", options.reuse);
        error(module, &message, &[]);
        return Err(Failed);
    }
    let device = device::of(module)?;
    let mut trials = Trials::new(module, &device, options);
    let mut result = Ok(());
    for function in module.find_all("func.func") {
        if function.body().is_some() && plan(module, function, &device, &mut trials, options.reuse).is_err() {
            result = Err(Failed);
        }
    }
    result
}

fn plan<'c>(module: Op<'c>, function: Op<'c>, device: &Device, trials: &mut Trials<'c, '_>, reuse: i64) -> PassResult {
    let lives = liveness(function, device);
    tell::unplanned(function, &lives);
    if lives.buffers.is_empty() {
        return Ok(());
    }
    if let Some(call) = calls(module, function).first() {
        tell::calls(function, *call);
        return Ok(());
    }
    if function.walk().into_iter().any(is_asynchronous) {
        tell::asynchronous(function);
        return Ok(());
    }
    // So far only the user's addresses are there.
    let checked = trial::clobbered_pairs(function, &lives, device).map_err(|message| {
        error(function, &message, &[]);
        Failed
    })?;
    if let Some(pair) = wrong_pins(&lives).or(checked.first().copied()) {
        tell::wrong_pins(function, &lives, pair);
        return Err(Failed);
    }
    let chosen = choose(function, device, &lives, trials, reuse)?;
    tell::planned(function, &lives, &chosen);
    write(&lives, &chosen.addresses);
    Ok(())
}

/// Finds the plan that shares the most bytes and costs nothing.
fn choose<'c>(
    function: Op<'c>,
    device: &Device,
    lives: &Liveness<'c>,
    trials: &mut Trials<'c, '_>,
    reuse: i64,
) -> Result<Planned, Failed> {
    let (allowed, mut sharing) = match (reuse, trials.asynchronous(function, lives)) {
        (0, Ok(with_waits)) => {
            let both = Sharing::of(lives).and(&with_waits);
            (both.clone(), both)
        }
        (0, Err(reason)) => {
            tell::not_tried(function, &reason);
            (Sharing::of(lives), Sharing::none(lives))
        }
        _ => (Sharing::of(lives), Sharing::of(lives)),
    };
    let baseline = trials.baseline(function);
    let mut round = 0;
    let told = |message: String| {
        error(function, &message, &[]);
        Failed
    };
    loop {
        let mut plan = planned(lives, device, &sharing).map_err(told)?;
        let shared = plan.shared(lives);
        if let Some(unfit) = plan.unfit.as_ref() {
            tell::does_not_fit(function, lives, unfit, &sharing, device, reuse);
            return Err(Failed);
        }
        let outcome = match &baseline {
            _ if shared.iter().all(|(one, other)| sharing.is_users(*one, *other)) => Outcome::Free,
            Ok(baseline) => trials.compare(function, lives, &plan.addresses, baseline, reuse),
            Err(reason) => Outcome::Failed(reason.clone()),
        };
        match outcome {
            Outcome::Free => {
                if sharing != allowed.relaxed() {
                    plan.bound_by(lives, device, &allowed).map_err(told)?;
                }
                return Ok(plan);
            }
            // Each time takes pairs apart for good, so this ends.
            Outcome::Clobbered(pairs) => {
                if let Some(pair) = pairs.iter().find(|(one, other)| sharing.is_users(*one, *other)) {
                    tell::wrong_pins(function, lives, *pair);
                    return Err(Failed);
                }
                pairs.into_iter().for_each(|(one, other)| sharing.separate(one, other));
            }
            Outcome::Costs if round < MOST_ROUNDS => {
                round += 1;
                let guilty = guilty(function, lives, trials, &plan, baseline.as_ref().ok(), reuse);
                guilty.into_iter().for_each(|(one, other)| sharing.separate(one, other));
            }
            Outcome::Costs => sharing = Sharing::none(lives),
            Outcome::Failed(reason) => {
                tell::not_tried(function, &reason);
                sharing = Sharing::none(lives);
            }
        }
    }
}

/// The pairs of buffers whose sharing costs something: pairs are tried together, and halves of those that cost. What
/// costs something only together with others, and what is left when the trials are used up, counts as guilty.
fn guilty<'c>(
    function: Op<'c>,
    lives: &Liveness<'c>,
    trials: &mut Trials<'c, '_>,
    plan: &Planned,
    baseline: Option<&trial::Cost>,
    reuse: i64,
) -> Vec<(usize, usize)> {
    let pairs = plan.shared(lives);
    let Some(baseline) = baseline else { return pairs };
    let (mut guilty, mut left) = (Vec::new(), MOST_TRIALS);
    let mut open: Vec<Vec<(usize, usize)>> = lives
        .spaces()
        .into_iter()
        .map(|space| {
            let own = pairs.iter().copied();
            own.filter(|(one, _)| lives.buffers[*one].space == space).collect()
        })
        .collect();
    while let Some(mut some) = open.pop() {
        if some.is_empty() {
            continue;
        }
        if left == 0 {
            guilty.extend(some);
            continue;
        }
        left -= 1;
        let is_in = |at: usize| some.iter().any(|(one, other)| *one == at || *other == at);
        let addresses = plan.addresses.iter().enumerate();
        let only: Addresses = addresses.map(|(at, address)| address.filter(|_| is_in(at))).collect();
        if trials.compare(function, lives, &only, baseline, reuse) == Outcome::Free {
            continue;
        }
        if some.len() == 1 {
            guilty.extend(some);
            continue;
        }
        let half = some.split_off(some.len() / 2);
        open.extend([some, half]);
    }
    if guilty.is_empty() { pairs } else { guilty }
}

/// The calls between a function and others, if one of the two has on-chip buffers: what is called has its buffers while
/// the caller's are alive.
fn calls<'c>(module: Op<'c>, function: Op<'c>) -> Vec<Op<'c>> {
    let name = function.function_name();
    let is_between = |call: &Op<'c>| {
        let callee = call.attr("callee").and_then(attr::as_symbol);
        function.contains(*call) || callee == Some(name)
    };
    module.find_all("func.call").into_iter().filter(is_between).collect()
}

fn write(lives: &Liveness<'_>, addresses: &Addresses) {
    for (buffer, address) in lives.buffers.iter().zip(addresses) {
        let address = address.and_then(|address| i64::try_from(address).ok());
        if let (Some(op), Some(address)) = (buffer.op(), address) {
            op.set_attr(annotation::ADDRESS, attr::int(op.context(), address));
        }
    }
}
