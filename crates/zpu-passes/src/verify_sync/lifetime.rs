//! Memory that is not there any more: freed by `memref.dealloc`, or automatic (`memref.alloca`) when its scope has
//! ended.
//!
//! Both are writes of all of it, so that an outstanding command on it is a race; the bytes may be somebody else's from
//! then on. And whoever names it later names what is not there. A state therefore holds the roots that were freed on
//! some way here, apart for the present iteration, where a root is one piece of memory, and for earlier ones, of which
//! only what control flow has handed on since is left.

use zpu_ir::{Def, EffectKind, Op, Value, ty};

use super::interpreter::Interpreter;
use super::program::{ItemId, Kind, Program};
use super::state::{Set, State};
use zpu_analysis::access::accesses;
use zpu_analysis::region::{Root, region_of};

/// Whether an operation frees memory.
pub(super) fn frees(op: Op<'_>) -> bool {
    let is_free = |effects: Vec<zpu_ir::Effect<'_>>| effects.iter().any(|effect| effect.kind == EffectKind::Free);
    op.regions().is_empty() && op.effects().is_some_and(is_free)
}

/// Whether control flow, a call or memory may hand an allocation on, so that a value of unknown origin may be it.
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

fn is_terminator(op: Op<'_>) -> bool {
    op.block().and_then(|block| block.terminator()) == Some(op)
}

/// Whether a value is an argument of a loop that makes another one: then it is not that of the present iteration.
fn is_older(value: Value<'_>, made: Value<'_>) -> bool {
    match value.def() {
        Def::Argument(block, _) => block
            .parent_op()
            .is_some_and(|loop_| zpu_ir::scf::is_loop(loop_) && made.is_defined_inside(loop_)),
        Def::Result(..) => false,
    }
}

impl<'c> Program<'c> {
    /// Whether what is named by the first root may be what was freed as the second.
    fn may_be_freed(&self, named: usize, freed: usize) -> bool {
        match (self.roots[named], self.roots[freed]) {
            (Root::Unknown(value), Root::Allocation(made)) => self.handed_on[freed] && !is_older(value, made),
            (Root::Allocation(made), Root::Unknown(value)) => self.handed_on[named] && !is_older(value, made),
            _ => true,
        }
    }

    /// The same, where it was freed in an earlier iteration.
    fn may_be_freed_before(&self, named: usize, freed: usize) -> bool {
        match (self.roots[named], self.roots[freed]) {
            (Root::Unknown(_), Root::Allocation(_)) => self.handed_on[freed],
            (Root::Allocation(made), Root::Unknown(value)) => self.handed_on[named] && !is_older(value, made),
            (Root::Allocation(_), Root::Allocation(_)) => false,
            _ => true,
        }
    }

    /// What an item names that may be gone: the root as it names it, and as it was freed.
    fn gone(&self, id: ItemId, state: &State<'c>) -> Option<(usize, usize)> {
        if state.freed.is_empty() && state.freed_before.is_empty() {
            return None;
        }
        let item = &self.items[id];
        let passed = || {
            let memrefs = item.op.operands().into_iter().filter(|value| ty::is_memref(value.ty()));
            memrefs.filter_map(|value| {
                let root = region_of(value).root;
                self.roots.iter().position(|known| *known == root)
            })
        };
        let mut named: Vec<usize> = item.roots.iter().map(|(root, _)| *root).collect();
        if item.accesses.is_none() {
            named.extend(passed());
        }
        // Of several buffers that control flow has exchanged, each is freed under some name.
        let is_free = !item.frees.is_empty();
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
    pub(super) fn freed_by(&self, root: usize) -> impl Iterator<Item = ItemId> {
        (0..self.items.len()).filter(move |item| self.items[*item].frees.contains(&root))
    }
}

impl<'c> Interpreter<'_, 'c> {
    /// Says that an item names memory that may be gone, and lets go of what it frees itself.
    pub(super) fn lifetimes(&mut self, id: ItemId, state: &mut State<'c>) {
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
    pub(super) fn forget_iteration(&self, op: Op<'c>, state: &mut State<'c>) {
        if state.freed.is_empty() {
            return;
        }
        let mut past = Set::default();
        let is_inside = |root: &usize| self.program.roots[*root].value().is_defined_inside(op);
        state
            .freed
            .numbers()
            .filter(is_inside)
            .for_each(|root| past.insert(root));
        state.freed.remove(&past);
        state.freed_before.add(&past);
    }
}

/// The operation that an item of this kind ends.
pub(super) fn scope_of<'c>(kind: &Kind<'c>, end: Op<'c>) -> Option<Op<'c>> {
    matches!(kind, Kind::ScopeEnd).then(|| end.parent()).flatten()
}
