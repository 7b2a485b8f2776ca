//! Spoils a compiled program in one place: a wait is gone or comes late, two waits or two ids are mixed up, a ring has one slot
//! less.
//!
//! Whether that makes the program wrong is another question; a spoilt program is a program like any other.

use std::fmt;

use zpu_ir::ty::{MemRef, dynamic_size};
use zpu_ir::{Builder, Op, attr, edit};

/// One way of spoiling a program: what, and at the how manieth place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// Nothing is changed.
    None,
    DropWait(usize),
    /// Moves the wait behind that many operations that do something.
    DelayWait(usize, usize),
    /// Lets two neighbouring waits of a block wait for each other's token.
    SwapTokens(usize),
    /// Lets two neighbouring uses of barrier ids in a block take each other's id.
    SwapIds(usize),
    ShrinkRing(usize),
}

impl fmt::Display for Mutation {
    /// What is changed, without the place: the class of the mutation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
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
        let (waits, tokens) = (count(is_wait), count(is_token_wait));
        let ids = count(|op| id_operand(*op).is_some());
        let at_waits = (0..waits).flat_map(|at| [Self::DropWait(at), Self::DelayWait(at, 1), Self::DelayWait(at, 3)]);
        at_waits
            .chain((0..tokens).map(Self::SwapTokens))
            .chain((0..ids).map(Self::SwapIds))
            .chain((0..rings(module).len()).map(Self::ShrinkRing))
            .collect()
    }

    /// Spoils the module; false if it cannot be done here, and the module is then of no use.
    pub(crate) fn apply(self, module: Op<'_>) -> bool {
        let nth = |at: usize, wanted: fn(&Op<'_>) -> bool| module.walk().into_iter().filter(wanted).nth(at);
        let done = match self {
            Self::None => true,
            Self::DropWait(at) => nth(at, is_wait).map(edit::erase).is_some(),
            Self::DelayWait(at, by) => nth(at, is_wait).is_some_and(|wait| delay(wait, by)),
            Self::SwapTokens(at) => nth(at, is_token_wait).is_some_and(|wait| swap(wait, is_token_wait, |_| Some(0))),
            Self::SwapIds(at) => {
                let has_id: fn(&Op<'_>) -> bool = |op| id_operand(*op).is_some();
                nth(at, has_id).is_some_and(|op| swap(op, has_id, id_operand))
            }
            Self::ShrinkRing(at) => match rings(module).get(at) {
                Some((ring, size)) => shrink(*ring, *size),
                None => false,
            },
        };
        done && module.verify()
    }
}

fn is_wait(op: &Op<'_>) -> bool {
    is_token_wait(op) || op.is("zpu.id_wait")
}

fn is_token_wait(op: &Op<'_>) -> bool {
    matches!(op.name(), "zpu.dma_wait" | "zpu.compute_wait")
}

/// Position of the operand that is a barrier id.
fn id_operand(op: Op<'_>) -> Option<usize> {
    let last = op.num_operands().checked_sub(1)?;
    let has_id = match op.name() {
        "zpu.id_wait" => true,
        "zpu.dma_start" => last == 2,
        "zpu.compute_start" => last == 0,
        _ => false,
    };
    has_id.then_some(last)
}

/// Moves a wait behind so many operations of its block that do something and are no waits.
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

/// Allocations that are entered one index of the outermost dimension at a time, at least once by a computed one, with the size of
/// that dimension.
fn rings<'c>(module: Op<'c>) -> Vec<(Op<'c>, i64)> {
    let size = |op: Op<'c>| -> Option<i64> {
        let size = (*MemRef::of(op.result(0).ty())?.shape.first()?)?;
        let views: Vec<Op<'c>> = op.result(0).uses().iter().map(|each| each.op).collect();
        let is_slot = |view: &Op<'c>| view.is("memref.subview") && first(*view, "static_sizes") == Some(1);
        let fits = views.iter().all(|view| view.is("memref.dealloc") || is_slot(view));
        (size > 1 && fits && views.iter().any(|view| is_computed_slot(*view))).then_some(size)
    };
    let allocations = module.find_all("memref.alloc").into_iter();
    allocations.filter_map(|op| Some((op, size(op)?))).collect()
}

fn first(view: Op<'_>, name: &str) -> Option<i64> {
    view.attr(name).and_then(attr::as_int_array)?.first().copied()
}

fn is_computed_slot(view: Op<'_>) -> bool {
    first(view, "static_offsets") == Some(dynamic_size())
}

/// Lets the computed slots be those of a ring with one slot less.
fn shrink(ring: Op<'_>, size: i64) -> bool {
    let views: Vec<Op<'_>> = ring.result(0).uses().iter().map(|each| each.op).collect();
    for view in views
        .into_iter()
        .filter(|op| op.is("memref.subview") && is_computed_slot(*op))
    {
        let slot = view.operand(1);
        let turn = slot.defining_op().filter(|op| op.is("arith.remui"));
        let mut builder = Builder::before(view);
        let modulus = builder.index(size - 1);
        let slot = builder.binary("arith.remui", turn.map_or(slot, |op| op.operand(0)), modulus);
        edit::set_operand(view, 1, slot);
    }
    true
}
