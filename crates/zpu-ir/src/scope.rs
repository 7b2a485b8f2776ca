//! Lifetimes of automatic allocations (`memref.alloca`).
//!
//! An automatic allocation belongs to the closest operation around it that has MLIR's trait `AutomaticAllocationScope`:
//! a function, a counted or parallel loop, `memref.alloca_scope`; not `scf.if`, `scf.while` or `scf.execute_region`. It
//! is freed whenever control leaves a region of that operation: in a loop, at the end of each iteration.

use crate::Op;

/// True if the automatic allocations inside an operation are freed when control leaves a region of it, and not later.
pub fn ends_allocas(op: Op<'_>) -> bool {
    // SAFETY: the operation is alive.
    unsafe { zpu_sys::zpuOpIsAutomaticAllocationScope(op.to_raw()) }
}

/// The operation whose end frees an automatic allocation; `None` outside of all scopes.
pub fn of_alloca(alloca: Op<'_>) -> Option<Op<'_>> {
    alloca.parents().find(|parent| ends_allocas(*parent))
}
