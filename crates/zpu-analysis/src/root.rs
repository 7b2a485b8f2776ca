//! Roots: the origins of the memory that memrefs name, and which of them may be the same.
//!
//! A value that control flow chooses (a selection, a result of `scf.if`, a loop-carried value) has the roots of all
//! values that it may be. If one of these is not known, or is made anew by the loop that carries it, none is known.
//!
//! An allocation with `zpu.address` is a window of its memory; one without is somewhere else than all of these.

use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Def, Op, Value, annotation, attr};

use crate::region::Root;
use crate::view;

/// The root of a value that is no view.
pub(crate) fn root_of_base(value: Value<'_>) -> Root<'_> {
    match value.def() {
        Def::Result(op, _) => match op.name() {
            "memref.alloc" | "memref.alloca" if address_of(value).is_some() => Root::Window(value),
            "memref.alloc" | "memref.alloca" => Root::Allocation(value),
            "memref.get_global" => Root::Global(value),
            _ => Root::Unknown(value),
        },
        Def::Argument(block, index) => {
            let function = block
                .parent_op()
                .filter(|op| op.is("func.func") && op.body() == Some(block));
            match function {
                Some(function) if is_noalias(function, index) => Root::NoAliasArgument(value),
                Some(_) => Root::Argument(value),
                None => Root::Unknown(value),
            }
        }
    }
}

/// The first byte of an allocation in its memory, if that is given: bytes of a root that is a window are counted from
/// the beginning of the memory, and begin here.
pub(crate) fn address_of(allocation: Value<'_>) -> Option<i64> {
    let op = allocation.defining_op()?;
    let address = op.attr(annotation::ADDRESS).and_then(attr::as_int)?;
    matches!(op.name(), "memref.alloc" | "memref.alloca").then_some(address)
}

/// True if an argument carries `llvm.noalias`.
pub fn is_noalias(function: Op<'_>, index: usize) -> bool {
    let list = function.attr("arg_attrs");
    let entries = list.and_then(|list| attr::array_entry(list, index).and_then(attr::as_dictionary));
    entries.is_some_and(|entries| entries.iter().any(|(name, _)| *name == "llvm.noalias"))
}

/// The most roots of one value; with more, its origin counts as unknown, which keeps comparisons few.
const MOST_ORIGINS: usize = 16;

/// All roots that a chosen or carried value may have; `None` when they are not all known, or when nothing chooses it.
pub(crate) fn origins<'c>(chosen: Value<'c>) -> Option<Vec<Root<'c>>> {
    alternatives(chosen)?;
    let (mut found, mut seen, mut open) = (Vec::new(), vec![chosen], vec![chosen]);
    while let Some(value) = open.pop() {
        let Root::Unknown(base) = view::root_of(value) else {
            let root = view::root_of(value);
            // A buffer that a loop allocates and carries is that of an earlier iteration.
            let is_remade = seen
                .iter()
                .filter_map(|value| loop_of(*value))
                .any(|op| root.value().is_defined_inside(op));
            if is_remade || found.len() == MOST_ORIGINS {
                return None;
            }
            if !found.contains(&root) {
                found.push(root);
            }
            continue;
        };
        for next in alternatives(base)? {
            if !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
        if seen.len() > 4 * MOST_ORIGINS {
            return None;
        }
    }
    Some(found)
}

/// The loop that carries a value, or whose result it is.
fn loop_of<'c>(value: Value<'c>) -> Option<Op<'c>> {
    match value.def() {
        Def::Result(op, _) => For::of(op).map(|for_| for_.op),
        Def::Argument(block, _) => block.parent_op().filter(|op| is_loop(*op)),
    }
}

/// The values that control flow chooses a value from.
pub(crate) fn alternatives<'c>(value: Value<'c>) -> Option<Vec<Value<'c>>> {
    let carried = |for_: For<'c>, index: usize| Some(vec![*for_.inits().get(index)?, *for_.yields().get(index)?]);
    match value.def() {
        Def::Argument(block, index) => carried(For::of(block.parent_op()?)?, index.checked_sub(1)?),
        Def::Result(op, index) => match op.name() {
            "arith.select" => Some(vec![op.operand(1), op.operand(2)]),
            "scf.if" => {
                let yields = op
                    .regions()
                    .into_iter()
                    .map(|region| region.first_block()?.terminator());
                let yielded = yields.map(|terminator| terminator?.operands().get(index).copied());
                yielded.collect()
            }
            "memref.alloca_scope" | "scf.execute_region" => {
                Some(vec![*op.only_block()?.terminator()?.operands().get(index)?])
            }
            _ => carried(For::of(op)?, index),
        },
    }
}
