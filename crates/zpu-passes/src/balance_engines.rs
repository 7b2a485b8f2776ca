//! `zpu-balance-engines`: spreads computations over the engines that can do them.
//!
//! Assumes synchronous commands on a device. `zpu-convert-to-dma` gives the computations of a block to the engine that
//! is done first; but a loop that is unrolled afterwards has each of its copies on the same one.
//!
//! ```mlir
//! zpu.compute on @vector { linalg.exp of %a }
//! zpu.compute on @vector { linalg.exp of %b }
//! // becomes, on a device with a second engine for element-wise work
//! zpu.compute on @vector { linalg.exp of %a }
//! zpu.compute on @scalar { linalg.exp of %b }
//! ```
//!
//! Each computation of a block gets the engine that is then done first: one after the other in their order, or the
//! longest one first (R. L. Graham, *Bounds on multiprocessing timing anomalies*, 1969) where the engine with the most
//! work has less of it then. Which of two engines is faster for a computation is a matter of the device's costs; what a
//! computation waits for is not looked at. So whether it pays is for `zpu-select-plan` to find.

use std::cmp::Reverse;

use zpu_analysis::command::sync_engine;
use zpu_device::{Device, Engine};
use zpu_ir::ops::set_engine;
use zpu_ir::options::BalanceEnginesOptions;
use zpu_ir::{Op, PassResult, Remark, RemarkKind, annotation, device};

use crate::engine_loads::{Loads, cycles};
use zpu_analysis::engine_choice::computations;

const PASS: &str = "zpu-balance-engines";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &BalanceEnginesOptions) -> PassResult {
    let is_wanted = options.all || function.has_attr(annotation::BALANCE_ENGINES);
    function.remove_attr(annotation::BALANCE_ENGINES);
    if !is_wanted {
        return Ok(());
    }
    let device = device::of(function)?;
    let all = computations(function, &device);
    let in_order = Assignment::of(&all, 0..all.len(), &device);
    let mut longest_first: Vec<usize> = (0..all.len()).collect();
    longest_first.sort_by_cached_key(|at| Reverse(least_cycles(&all[*at], &device)));
    let longest_first = Assignment::of(&all, longest_first, &device);
    let mut moved = 0;
    for (at, (command, ..)) in all.iter().enumerate() {
        let most = |assignment: &Assignment<'_>| assignment.loads.most(command.block());
        let is_shorter = most(&longest_first) < most(&in_order);
        let name = &if is_shorter { &longest_first } else { &in_order }.names[at];
        if sync_engine(*command) != Some(name.as_str()) {
            set_engine(*command, name);
            moved += 1;
        }
    }
    if moved > 0 {
        Remark::new(function, RemarkKind::Passed, PASS, "balanced")
            .message(format!("{moved} computations go to another engine"))
            .metric("Computations", moved)
            .emit();
    }
    Ok(())
}

/// A command, the operation that it does, and the engines that it may be on.
type Choice<'c, 'd> = (Op<'c>, Op<'c>, Vec<&'d Engine>);

/// The cycles of a computation on the engine that is fastest for it.
fn least_cycles((_, work, engines): &Choice<'_, '_>, device: &Device) -> Option<u64> {
    cycles(*work, engines, device).into_iter().min()
}

/// Computations, each on the engine of its block that was done first when it got one.
struct Assignment<'c> {
    /// By computation.
    names: Vec<String>,
    loads: Loads<'c>,
}

impl<'c> Assignment<'c> {
    /// Computations that get their engines one after the other.
    fn of(all: &[Choice<'c, '_>], order: impl IntoIterator<Item = usize>, device: &Device) -> Self {
        let mut loads = Loads::default();
        let mut names = vec![String::new(); all.len()];
        for at in order {
            let (command, work, engines) = &all[at];
            names[at] = loads.least(command.block(), *work, engines, device);
        }
        Self { names, loads }
    }
}
