//! Memory that is not there any more: freed by `memref.dealloc`, or automatic (`memref.alloca`) when its scope has
//! ended.
//!
//! Both are writes of all of it, so that an outstanding command on it is a race; the bytes may be somebody else's from
//! then on. And whoever names it later names what is not there. A state therefore holds the roots that were freed on
//! some way here, apart for the present iteration, where a root is one piece of memory, and for earlier ones, of which
//! only what control flow has handed on since is left. Nothing is left of it under names that own their memory: they
//! hand it on and are not used after that.

use crate::problem::view::Op;
use crate::program::{ItemId, Program, RootId};
use crate::verify::interpreter::Interpreter;
use crate::verify::state::{Set, State};

use crate::problem::algebra::Root;

impl<'c> Program<'c> {
    /// True if the memory that the first root names may have been freed as the second.
    fn may_be_freed(&self, named: RootId, freed: RootId) -> bool {
        if self.owned[named] && self.owned[freed] {
            return named == freed;
        }
        match (self.roots[named], self.roots[freed]) {
            (Root::Unknown(value), Root::Allocation(made) | Root::Window(made)) => {
                self.handed_on[freed] && !value.is_received_before(made)
            }
            (Root::Allocation(made) | Root::Window(made), Root::Unknown(value)) => {
                self.handed_on[named] && !value.is_received_before(made)
            }
            // Windows share bytes and not lives.
            (Root::Window(_), Root::Window(_)) => named == freed,
            _ => true,
        }
    }

    /// True if they may be one, where the second was freed in an earlier iteration.
    fn may_be_freed_before(&self, named: RootId, freed: RootId) -> bool {
        if self.owned[named] && self.owned[freed] {
            return false;
        }
        match (self.roots[named], self.roots[freed]) {
            (Root::Unknown(_), Root::Allocation(_) | Root::Window(_)) => self.handed_on[freed],
            (Root::Allocation(made) | Root::Window(made), Root::Unknown(value)) => {
                // What is allocated since is new.
                self.handed_on[named] && !value.is_received_before(made) && !made.is_remade_with(value)
            }
            (Root::Allocation(_) | Root::Window(_), Root::Allocation(_) | Root::Window(_)) => false,
            _ => true,
        }
    }

    /// Memory that an item names and that may be gone: the root as it names it, and as it was freed.
    fn gone(&self, id: ItemId, state: &State<'c>) -> Option<(RootId, RootId)> {
        if state.freed.is_empty() && state.freed_before.is_empty() {
            return None;
        }
        let item = &self.items[id];
        let passed = || {
            let roots = item.op.passed().into_iter();
            roots.filter_map(|root| self.number_of_root(root))
        };
        let mut named: Vec<RootId> = item.roots.iter().map(|(root, _)| *root).collect();
        if item.accesses.is_none() {
            named.extend(passed());
        }
        // Of several buffers that control flow has exchanged, each is freed under some name.
        let is_free = !item.frees.is_empty() && item.accesses.is_some();
        named.into_iter().find_map(|named| {
            if is_free {
                return (state.freed.contains(named) && item.roots.len() == 1).then_some((named, named));
            }
            let mut others = self.aliases[named].iter().copied();
            let freed = others.find(|freed| {
                state.freed.contains(*freed) && (*freed == named || self.may_be_freed(named, *freed))
                    || state.freed_before.contains(*freed) && self.may_be_freed_before(named, *freed)
            });
            freed.map(|freed| (named, freed))
        })
    }

    /// The items that may have freed a root.
    pub(crate) fn freed_by(&self, root: RootId) -> impl Iterator<Item = ItemId> {
        self.items
            .ids()
            .filter(move |item| self.items[*item].frees.contains(&root))
    }
}

impl<'c> Interpreter<'_, 'c> {
    /// Says that an item names memory that may be gone, and lets go of what it frees itself.
    pub(crate) fn lifetimes(&mut self, id: ItemId, state: &mut State<'c>) {
        let program = self.program;
        if let Some((named, freed)) = program.gone(id, state) {
            self.findings.gone(program, id, named, freed, false);
        }
        program.items[id]
            .frees
            .iter()
            .for_each(|root| state.freed.insert(*root));
    }

    /// Control goes on in another iteration of a loop, or after it: what is made inside is another thing there.
    pub(crate) fn forget_iteration(&self, op: Op<'c>, state: &mut State<'c>) {
        if state.freed.is_empty() {
            return;
        }
        let mut past = Set::default();
        let is_inside = |root: &RootId| self.program.roots[*root].value().is_defined_inside(op);
        state
            .freed
            .numbers()
            .filter(is_inside)
            .for_each(|root| past.insert(root));
        state.freed.remove(&past);
        state.freed_before.add(&past);
    }
}
