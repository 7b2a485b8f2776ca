//! The end of memory: roots that are freed, handed on, or gone when the function returns.

use zpu_ir::{EffectKind, Op, Value, scope, ty};

use crate::access::accesses;
use crate::region::{Root, region_of};

/// True if an operation frees memory.
pub(crate) fn frees(op: Op<'_>) -> bool {
    let is_free = |effects: Vec<zpu_ir::Effect<'_>>| effects.iter().any(|effect| effect.kind == EffectKind::Free);
    op.regions().is_empty() && op.effects().is_some_and(is_free)
}

/// True if the root is an automatic allocation that ends with the function.
pub(super) fn is_on_stack(root: Root<'_>) -> bool {
    let alloca = root.value().defining_op().filter(|op| op.is("memref.alloca"));
    alloca.is_some_and(|op| scope::of_alloca(op).is_none_or(|scope| scope.is("func.func")))
}

/// True if control flow, a call or memory may hand an allocation on, so that a value of unknown origin may be it.
pub(super) fn is_handed_on(root: Root<'_>) -> bool {
    let mut open = vec![root.value()];
    while let Some(value) = open.pop() {
        for used in value.uses() {
            let views: Vec<Value<'_>> = used
                .op
                .results()
                .into_iter()
                .filter(|v| ty::is_memref(v.ty()))
                .collect();
            let is_view = !views.is_empty() && views.iter().all(|view| region_of(*view).root == root);
            let is_stored = used.op.is("memref.store") && used.index == 0;
            let is_access = || used.op.regions().is_empty() || used.op.name().starts_with("linalg.");
            if is_view {
                open.extend(views);
            } else if !views.is_empty()
                || is_stored
                || !is_access()
                || is_terminator(used.op)
                || accesses(used.op).is_none()
            {
                return true;
            }
        }
    }
    false
}

pub(crate) fn is_terminator(op: Op<'_>) -> bool {
    op.block().and_then(|block| block.terminator()) == Some(op)
}
