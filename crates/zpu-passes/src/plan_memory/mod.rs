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
//! With `reuse=0` sharing adds no wait and no cycle, with `reuse=1` no cycle; both are measured on copies. Only buffers
//! that do not fit otherwise share at a cost.

mod banks;
mod choose;
mod problem;
mod sharing;
mod tell;
mod trial;

use zpu_analysis::command::is_asynchronous;
use zpu_analysis::liveness::{Buffer, Liveness, handed_on, liveness};
use zpu_device::Device;
use zpu_ir::options::PlanMemoryOptions;
use zpu_ir::{Failed, Op, PassResult, annotation, attr, device, error};

use crate::reuse::wrong_reuse;
use choose::choose;
use problem::Addresses;
use sharing::wrong_pins;
use trial::Trials;

const PASS: &str = "zpu-plan-memory";

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &PlanMemoryOptions) -> PassResult {
    if let Some(message) = wrong_reuse(options.reuse) {
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
    let mut allocations = lives.buffers.iter().filter_map(Buffer::op);
    if let Some((allocation, by)) = allocations.find_map(|op| Some((op, handed_on(op)?))) {
        tell::handed_on(function, allocation, by);
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
