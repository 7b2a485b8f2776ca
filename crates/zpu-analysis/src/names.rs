//! MLIR's values and operations as names of the index algebra.

use std::marker::PhantomData;

use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value};
use zpu_sync::index::{self, Facts, Index, Names, Symbol, Window};

use crate::describe::index_of;
use crate::range;
use crate::region::region_of;
use crate::root::address_of;

/// Names of a function in MLIR: a value is a value, a scope an operation with regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mlir<'c>(PhantomData<Value<'c>>);

impl<'c> Names for Mlir<'c> {
    type Value = Value<'c>;
    type Scope = Op<'c>;

    fn is_same_base(left: Value<'c>, right: Value<'c>) -> bool {
        let global = |value: Value<'c>| value.defining_op().filter(|op| op.is("memref.get_global"));
        left == right
            || global(left)
                .zip(global(right))
                .is_some_and(|(left, right)| left.attr("name") == right.attr("name"))
    }
}

impl<'c> Facts for Mlir<'c> {
    fn is_defined_inside(value: Value<'c>, scope: Op<'c>) -> bool {
        value.is_defined_inside(scope)
    }

    fn contains(scope: Op<'c>, inner: Op<'c>) -> bool {
        scope.contains(inner)
    }

    fn range(symbol: Symbol<Self>) -> index::Range {
        range::of_symbol(symbol)
    }

    fn step(scope: Op<'c>) -> Option<Index<Self>> {
        For::of(scope).map(|for_| index_of(for_.step()))
    }

    fn constant_trip_count(scope: Op<'c>) -> Option<i64> {
        For::of(scope)?.constant_trip_count()
    }

    fn shape(memref: Value<'c>) -> Vec<Option<i64>> {
        MemRef::of(memref.ty()).map(|memref| memref.shape).unwrap_or_default()
    }

    fn is_remade(base: Value<'c>, scope: Op<'c>) -> bool {
        let is_fixed =
            |view: Op<'c>| is_view(view) && view.operands().iter().all(|operand| !operand.is_defined_inside(scope));
        base.is_defined_inside(scope) && !base.defining_op().is_some_and(is_fixed)
    }

    fn is_all_of(base: Value<'c>, root: Value<'c>) -> bool {
        if MemRef::of(base.ty()).is_none() {
            return false;
        }
        if Self::is_same_base(base, root) {
            return true;
        }
        let Some(view) = base.defining_op() else {
            return false;
        };
        if matches!(view.name(), "memref.collapse_shape" | "memref.expand_shape") {
            return region_of(view.operand(0)).is_whole_root();
        }
        if !view.is("memref.view") {
            return false;
        }
        // A view of bytes that covers all of it.
        let bytes = |value: Value<'c>| MemRef::of(value.ty()).and_then(|memref| memref.bytes());
        view.operand(0) == root && bytes(base).is_some() && bytes(base) == bytes(view.operand(0))
    }

    fn window(allocation: Value<'c>) -> Option<Window> {
        Some(Window {
            first: address_of(allocation)?,
            bytes: MemRef::of(allocation.ty())?.bytes()?,
        })
    }

    fn are_in_different_spaces(left: Value<'c>, right: Value<'c>) -> bool {
        let space = |value: Value<'c>| MemRef::of(value.ty()).and_then(|memref| memref.space_attr);
        space(left).zip(space(right)).is_some_and(|(left, right)| left != right)
    }
}

/// True if an operation is a view: its result names memory of one of its operands, and it computes with nothing but
/// that and numbers.
pub(crate) fn is_view(op: Op<'_>) -> bool {
    op.name().starts_with("memref.") && !op.is("memref.alloc") && !op.is("memref.alloca") && op.is_memory_effect_free()
}
