//! Which memory is somebody else's once a scope or the function has ended.

use super::{ItemId, Kind, Program};
use crate::problem::algebra::Root;
use crate::problem::view::Op;

/// The operation that an item of this kind ends.
pub(crate) fn scope_of<'c>(kind: &Kind<'c>, end: Op<'c>) -> Option<Op<'c>> {
    matches!(kind, Kind::ScopeEnd).then(|| end.parent()).flatten()
}

/// Some if the caller, or the end of the stack, touches memory of this root when the function returns: true if it
/// certainly does.
pub(crate) fn outlives<'c>(program: &Program<'c>, end: ItemId, root: Root<'c>) -> Option<bool> {
    match root {
        Root::Argument(_) | Root::NoAliasArgument(_) | Root::Global(_) => Some(true),
        Root::Unknown(_) => Some(false),
        Root::Allocation(value) | Root::Window(value) => {
            // What ends before has been looked at where it does.
            let on_stack = program.problem.on_stack.contains(&value.id);
            let mut unknown = false;
            for returned in program.items[end].op.passed() {
                if returned == root {
                    return Some(true);
                }
                unknown |= returned.may_alias(root);
            }
            (on_stack || unknown).then_some(on_stack)
        }
    }
}
