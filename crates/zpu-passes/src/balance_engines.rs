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
//! Which of two engines is faster for a computation is a matter of the device's costs; what a computation waits for is
//! not looked at. So whether it pays is for `zpu-select-plan` to find.

use zpu_analysis::command::sync_engine;
use zpu_ir::ops::set_engine;
use zpu_ir::options::BalanceEnginesOptions;
use zpu_ir::{Op, PassResult, Remark, RemarkKind, annotation, device};

use crate::engine_loads::Loads;
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
    for (command, work, engines) in computations(function, &device) {
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
