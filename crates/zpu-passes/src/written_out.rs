//! Functions with no loop left: the size of a run, and the copies that it takes to write it out.

use zpu_analysis::command::{holds_commands, sync_engine};
use zpu_ir::Op;
use zpu_ir::ops::Compute;
use zpu_ir::scf::{For, is_loop};

/// Commands of a run up to which a function may be written out whole: as many as are ordered at a time, and the
/// default of `zpu-unroll-loops`.
pub(crate) const MOST_COMMANDS: i64 = 512;

/// A run with constant numbers of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenOut {
    /// Commands that are issued, with those of both sides of each branch.
    pub(crate) commands: i64,
    /// The most iterations of a loop and all loops around it.
    pub(crate) copies: i64,
}

impl WrittenOut {
    /// A function with loops that hold commands; none if it has no such loop, or if a number of iterations is not
    /// constant.
    pub(crate) fn of(function: Op<'_>) -> Option<Self> {
        let all = inside(function)?;
        (all.copies > 1).then_some(all)
    }
}

/// What is inside of an operation.
fn inside(op: Op<'_>) -> Option<WrittenOut> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    let ops = blocks.flat_map(|block| block.ops().collect::<Vec<_>>());
    let nothing = WrittenOut { commands: 0, copies: 1 };
    ops.map(one).try_fold(nothing, |all, one| {
        let one = one?;
        Some(WrittenOut {
            commands: all.commands.checked_add(one.commands)?,
            copies: all.copies.max(one.copies),
        })
    })
}

fn one(op: Op<'_>) -> Option<WrittenOut> {
    if sync_engine(op).is_some() || op.is(Compute::NAME) || !holds_commands(op) {
        let commands = i64::from(sync_engine(op).is_some());
        return Some(WrittenOut { commands, copies: 1 });
    }
    let once = inside(op)?;
    if !is_loop(op) {
        return Some(once);
    }
    let trips = For::of(op)?.constant_trip_count()?;
    Some(WrittenOut {
        commands: once.commands.checked_mul(trips)?,
        copies: once.copies.checked_mul(trips.max(1))?,
    })
}
