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
//! In each block, the longest computations are the first to get an engine, the one that is then done first. Which of two
//! engines is faster for a computation is a matter of the device's costs; what a computation waits for is
//! not looked at. So whether it pays is for `zpu-select-plan` to find.

use std::cmp::Reverse;

use zpu_analysis::command::sync_engine;
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
    let mut loads = Loads::default();
    let mut moved = 0;
    let mut all = computations(function, &device);
    // The longest one first (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969); of equal ones the first.
    all.sort_by_cached_key(|(_, work, engines)| Reverse(cycles(*work, engines, &device).into_iter().min()));
    for (command, work, engines) in all {
        let name = loads.least(command.block(), work, &engines, &device);
        if sync_engine(command) != Some(name.as_str()) {
            set_engine(command, &name);
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
