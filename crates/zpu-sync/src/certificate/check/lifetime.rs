//! Requirements on memory that may be gone: nobody names it.

use super::known::Known;
use super::{Checker, Rejection};
use crate::problem::algebra::Root;
use crate::program::{ItemId, RootId};

impl Checker<'_, '_> {
    /// Requires that an item names no memory that may have been freed; then frees what the item frees.
    pub(super) fn require_memory(&self, id: ItemId, known: &mut Known) -> Result<(), Rejection> {
        let program = self.program;
        let item = &program.items[id];
        let mut named: Vec<RootId> = item.roots.iter().map(|(root, _)| *root).collect();
        if item.accesses.is_none() {
            let passed = item.op.passed().into_iter();
            named.extend(passed.filter_map(|root| program.number_of_root(root)));
        }
        let is_gone = |named: &RootId| {
            if !item.frees.is_empty() && item.accesses.is_some() {
                // Of several buffers that control flow has exchanged, each is freed under some name.
                return item.roots.len() == 1 && known.freed.contains(named);
            }
            program.aliases[*named].iter().any(|freed| {
                known.freed.contains(freed) && (freed == named || self.may_be_one(*named, *freed, false))
                    || known.freed_before.contains(freed) && self.may_be_one(*named, *freed, true)
            })
        };
        if let Some(root) = named.iter().find(|named| is_gone(named)) {
            return Err(self.rejection(id, format!("root {} may have been freed", root.at())));
        }
        known.freed.extend(item.frees.iter().copied());
        Ok(())
    }

    /// True if a root that is named here may be memory that was freed under another name, in this iteration or an
    /// earlier one of the loop that makes it.
    fn may_be_one(&self, named: RootId, freed: RootId, is_earlier: bool) -> bool {
        let program = self.program;
        // Of names that own their memory, none names that of another, or its own of an earlier iteration.
        if [named, freed].iter().all(|root| program.owned[*root]) {
            return named == freed && !is_earlier;
        }
        match (program.roots[named], program.roots[freed]) {
            (Root::Unknown(value), Root::Allocation(made) | Root::Window(made)) => {
                program.handed_on[freed] && (is_earlier || !value.is_received_before(made))
            }
            (Root::Allocation(made) | Root::Window(made), Root::Unknown(value)) => {
                let is_new = is_earlier && made.is_remade_with(value);
                program.handed_on[named] && !value.is_received_before(made) && !is_new
            }
            // Of two allocations each has a life of its own, whatever bytes they share.
            (Root::Allocation(one) | Root::Window(one), Root::Allocation(other) | Root::Window(other)) => {
                one == other && !is_earlier
            }
            _ => true,
        }
    }
}
