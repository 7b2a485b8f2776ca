//! Spoils a compiled program in one place: a wait is gone or comes late, two waits or two ids are mixed up, a ring has
//! one slot less.
//!
//! A spoilt program need not be wrong; it is a program like any other.

use std::fmt;

use zpu_device::Device;
use zpu_ir::ops::{IdWait, barrier_id, is_token_wait};
use zpu_ir::{Op, edit};

use crate::memory_mutation::MemoryMutation;
use crate::ring::{rings, shrink_ring};

/// One mutation of a program, with the number of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// No mutation.
    None,
    DropWait(usize),
    /// Moves the wait after that many operations with effects.
    DelayWait(usize, usize),
    /// Lets two neighbouring waits of a block wait for each other's token.
    SwapTokens(usize),
    /// Lets two neighbouring uses of barrier ids in a block take each other's id.
    SwapIds(usize),
    ShrinkRing(usize),
    /// Spoils addresses.
    Memory(MemoryMutation),
}

impl fmt::Display for Mutation {
    /// Writes the class of the mutation, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory(mutation) => return mutation.fmt(f),
            Self::None => "as compiled",
            Self::DropWait(_) => "wait dropped",
            Self::DelayWait(..) => "wait delayed",
            Self::SwapTokens(_) => "tokens swapped",
            Self::SwapIds(_) => "ids swapped",
            Self::ShrinkRing(_) => "ring shrunk",
        })
    }
}

impl Mutation {
    /// All that may apply to a module.
    pub(crate) fn all(module: Op<'_>) -> Vec<Self> {
        let ops = module.walk();
        let count = |wanted: fn(&Op<'_>) -> bool| ops.iter().filter(|op| wanted(op)).count();
        let (waits, tokens) = (count(is_wait), count(|op| is_token_wait(*op)));
        let ids = count(|op| id_operand(*op).is_some());
        // A version less of a ring is above.
        let is_new = |mutation: &MemoryMutation| !matches!(mutation, MemoryMutation::DropVersion(_));
        let addresses: Vec<_> = MemoryMutation::all(module).into_iter().filter(is_new).collect();
        let at_waits = (0..waits).flat_map(|at| [Self::DropWait(at), Self::DelayWait(at, 1), Self::DelayWait(at, 3)]);
        at_waits
            .chain((0..tokens).map(Self::SwapTokens))
            .chain((0..ids).map(Self::SwapIds))
            .chain((0..rings(module).len()).map(Self::ShrinkRing))
            .chain(addresses.into_iter().map(Self::Memory))
            .collect()
    }

    /// Spoils the module; false if it cannot be done here, and the module is then of no use.
    pub(crate) fn apply(self, module: Op<'_>, device: &Device) -> bool {
        let nth = |at: usize, wanted: fn(&Op<'_>) -> bool| module.walk().into_iter().filter(wanted).nth(at);
        let done = match self {
            Self::None => true,
            Self::DropWait(at) => nth(at, is_wait).map(edit::erase).is_some(),
            Self::DelayWait(at, by) => nth(at, is_wait).is_some_and(|wait| delay(wait, by)),
            Self::SwapTokens(at) => {
                let waits: fn(&Op<'_>) -> bool = |op| is_token_wait(*op);
                nth(at, waits).is_some_and(|wait| swap(wait, waits, |_| Some(0)))
            }
            Self::SwapIds(at) => {
                let has_id: fn(&Op<'_>) -> bool = |op| id_operand(*op).is_some();
                nth(at, has_id).is_some_and(|op| swap(op, has_id, id_operand))
            }
            Self::ShrinkRing(at) => rings(module)
                .get(at)
                .map(|(ring, size)| shrink_ring(*ring, *size))
                .is_some(),
            Self::Memory(mutation) => mutation.apply(module, device),
        };
        done && module.verify()
    }
}

/// True if it waits for one command, by its token or by its barrier id.
pub fn is_wait(op: &Op<'_>) -> bool {
    is_token_wait(*op) || op.is(IdWait::NAME)
}

/// Position of the operand that is a barrier id.
pub fn id_operand(op: Op<'_>) -> Option<usize> {
    let id = barrier_id(op)?;
    op.operands().into_iter().position(|operand| operand == id)
}

/// Moves a wait after so many operations of its block that have effects and are no waits.
fn delay(wait: Op<'_>, by: usize) -> bool {
    let idle = |op: &Op<'_>| is_wait(op) || op.is_memory_effect_free();
    let mut behind = std::iter::successors(wait.next(), |op| op.next()).filter(|op| !idle(op));
    let Some(next) = behind.nth(by - 1).and_then(|op| op.next()) else {
        return false;
    };
    edit::move_before(wait, next);
    true
}

/// Exchanges an operand with that of the next such operation of the block, if the types are the same.
fn swap<'c>(op: Op<'c>, wanted: fn(&Op<'_>) -> bool, operand: fn(Op<'_>) -> Option<usize>) -> bool {
    let mut behind = std::iter::successors(op.next(), |op| op.next());
    let (Some(other), Some(at)) = (behind.find(wanted), operand(op)) else {
        return false;
    };
    let Some(other_at) = operand(other) else { return false };
    let (value, other_value) = (op.operand(at), other.operand(other_at));
    let is_known = other_value
        .defining_op()
        .is_none_or(|def| def.block() != op.block() || def.is_before(op));
    if value == other_value || value.ty() != other_value.ty() || !is_known {
        return false;
    }
    edit::set_operand(op, at, other_value);
    edit::set_operand(other, other_at, value);
    true
}
