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
use zpu_device::{Device, Engine};
use zpu_ir::ops::{Compute, set_engine};
use zpu_ir::options::BalanceEnginesOptions;
use zpu_ir::{Op, PassResult, Remark, RemarkKind, annotation, device};

use crate::convert_to_dma::engines_of_computation;
use crate::engine_loads::Loads;

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

/// True if some computation of a function could be on another engine.
pub(crate) fn has_choice(function: Op<'_>, device: &Device) -> bool {
    let all = computations(function, device);
    all.iter().any(|(.., engines)| engines.len() > 1)
}

/// The computations of a function with the operation that each does and the engines that it may be on, of which its own
/// is one: those of that kind that block as that one does. A computation with an engine or cycles that a user wrote has
/// no choice.
fn computations<'c, 'd>(function: Op<'c>, device: &'d Device) -> Vec<(Op<'c>, Op<'c>, Vec<&'d Engine>)> {
    let commands = function.walk().into_iter().filter(|op| op.is(Compute::NAME));
    let each = commands.filter_map(|command| {
        let own = device.engine(sync_engine(command)?)?;
        let work = command.body()?.ops().next()?;
        let is_users = command.has_attr(annotation::ENGINE) || command.has_attr(annotation::CYCLES);
        let mut engines = engines_of_computation(work, device);
        engines.retain(|engine| engine.kind == own.kind && engine.blocking == own.blocking && !is_users);
        if !engines.iter().any(|engine| engine.name == own.name) {
            engines = vec![own];
        }
        Some((command, work, engines))
    });
    each.collect()
}
