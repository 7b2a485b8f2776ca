//! The commands of a whole run of a function.

use zpu_analysis::command::{holds_commands, sync_engine};
use zpu_ir::Op;
use zpu_ir::scf::{For, is_loop};

/// The commands of a run, with those of both sides of each branch; none if no loop has commands, or the number of
/// iterations of one is not constant.
pub(crate) fn run_commands(function: Op<'_>) -> Option<i64> {
    let has_loops = function.walk().into_iter().any(|op| is_loop(op) && holds_commands(op));
    has_loops.then(|| inside(function)).flatten()
}

/// The commands of all operations in one.
fn inside(op: Op<'_>) -> Option<i64> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    let mut ops = blocks.flat_map(|block| block.ops().collect::<Vec<_>>());
    ops.try_fold(0i64, |all, op| all.checked_add(commands(op)?))
}

fn commands(op: Op<'_>) -> Option<i64> {
    if sync_engine(op).is_some() {
        return Some(1);
    }
    if !is_loop(op) {
        return inside(op);
    }
    match inside(op)? {
        0 => Some(0),
        once => once.checked_mul(For::of(op)?.constant_trip_count()?),
    }
}
