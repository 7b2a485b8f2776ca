//! Commands: operations on an engine, in synchronous or asynchronous form, possibly under conditions.
//!
//! A *guard* is an `scf.if` without results that holds one command and decides only whether that command is issued. It
//! stands for the command wherever operations are counted, ordered and priced; what it writes is not certainly written.

pub use zpu_ir::ops::sync_engine;
use zpu_ir::ops::{Barrier, ComputeStart, ComputeWait, DmaStart, DmaWait, IdWait};
use zpu_ir::{Op, Value};

/// A synchronous command of a loop body, with the conditions it is issued under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command<'c> {
    /// The `zpu.dma` or `zpu.compute`.
    pub op: Op<'c>,
    /// Its engine.
    pub engine: &'c str,
    /// Conditions of the guards around it, outermost first.
    pub conditions: Vec<Value<'c>>,
}

/// True if the operation belongs to the asynchronous form.
pub fn is_asynchronous(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        DmaStart::NAME | DmaWait::NAME | ComputeStart::NAME | ComputeWait::NAME | Barrier::NAME | IdWait::NAME
    )
}

/// The command that `op` is, or the only one under the guard `op`. Beside the command, a guard may hold accesses by the
/// control stream, which are done when the command is issued; it has no other branch with effects.
pub fn command_of<'c>(op: Op<'c>) -> Option<Command<'c>> {
    if let Some(engine) = sync_engine(op) {
        let conditions = Vec::new();
        return Some(Command { op, engine, conditions });
    }
    if !op.is("scf.if") || op.num_results() > 0 || has_other_branch(op) {
        return None;
    }
    let mut commands = op.body()?.ops().filter(|inner| holds_commands(*inner));
    let (only, None) = (commands.next()?, commands.next()) else {
        return None;
    };
    let mut command = command_of(only)?;
    command.conditions.insert(0, op.operand(0));
    Some(command)
}

/// True if `op` is a synchronous command or holds one.
pub fn holds_commands(op: Op<'_>) -> bool {
    op.walk().into_iter().any(|inner| sync_engine(inner).is_some())
}

/// True if the `scf.if` does something when its condition is false.
pub fn has_other_branch(branch: Op<'_>) -> bool {
    let other = branch.regions().get(1).and_then(|region| region.first_block());
    other.is_some_and(|block| block.ops().any(|op| !op.is_memory_effect_free()))
}
