//! Memory with one name at a time.
//!
//! A name *owns* its memory if it is an allocation, the result of a call of a function that gives away what it owns, or
//! a value that loops and branches make of such names; and if no name is used any more once it has been handed on, nor
//! freed before. Then each piece of memory has at most one name that is still used. So what was freed under one of
//! these names is used under no other of them, and under the same one in no later iteration, where it names other
//! memory:
//!
//! ```mlir
//! %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<8xf32>) {
//!   %new = memref.alloc() : memref<8xf32>
//!   linalg.exp ins(%old : memref<8xf32>) outs(%new : memref<8xf32>)
//!   memref.dealloc %old : memref<8xf32>
//!   scf.yield %new : memref<8xf32>
//! }
//! memref.dealloc %last : memref<8xf32>
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Def, Op, Value, ty};

use crate::access::accesses;
use crate::calls;
use crate::problem::memory::{frees, is_terminator};
use crate::region::{Root, region_of};
use crate::root::alternatives;

/// The names in a function that own their memory. Views are no names of their own.
pub fn owners(function: Op<'_>) -> FxHashSet<Value<'_>> {
    let all = function.walk();
    let place: FxHashMap<Op<'_>, usize> = all.iter().enumerate().map(|(at, op)| (*op, at)).collect();
    let names: Vec<Value<'_>> = all
        .iter()
        .flat_map(|op| defined_by(*op))
        .filter(|value| ty::is_memref(value.ty()) && name_of(*value) == *value)
        .collect();
    let mut owners: FxHashSet<Value<'_>> = names.iter().copied().collect();
    // All that a name is made of or becomes has to own its memory as well.
    let mut related: FxHashMap<Value<'_>, Vec<Value<'_>>> = FxHashMap::default();
    let mut open: Vec<Value<'_>> = Vec::new();
    for name in &names {
        let both = sources(*name).zip(Uses::of(*name).and_then(|uses| uses.handed_on(*name, &place)));
        let both = both.map(|(sources, targets)| [sources, targets].concat());
        match both.filter(|others| others.iter().all(|other| owners.contains(other))) {
            Some(others) => {
                for other in others {
                    related.entry(other).or_default().push(*name);
                }
            }
            None => open.push(*name),
        }
    }
    while let Some(other) = open.pop() {
        owners.remove(&other);
        open.extend(related.remove(&other).unwrap_or_default());
    }
    owners
}

/// Results of an operation, and arguments of the blocks inside.
fn defined_by<'c>(op: Op<'c>) -> impl Iterator<Item = Value<'c>> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    op.results().into_iter().chain(blocks.flat_map(|block| block.args()))
}

/// The value that a value is a view of.
pub(crate) fn name_of(value: Value<'_>) -> Value<'_> {
    region_of(value).root.value()
}

/// The names that a name is made of; none for memory that is new; `None` if it may be memory that others name.
fn sources(name: Value<'_>) -> Option<Vec<Value<'_>>> {
    let op = name.defining_op();
    match region_of(name).root {
        Root::Allocation(_) | Root::Window(_) => op.filter(|op| op.is("memref.alloc")).map(|_| Vec::new()),
        Root::Unknown(_) => match op {
            Some(call) if call.is("func.call") => is_owned(call, name).then(Vec::new),
            Some(select) if select.is("arith.select") => None,
            _ => Some(alternatives(name)?.into_iter().map(name_of).collect()),
        },
        _ => None,
    }
}

fn is_owned(call: Op<'_>, result: Value<'_>) -> bool {
    matches!(result.def(), Def::Result(_, index) if calls::owns_result(call, index))
}

/// The uses of a name and its views.
struct Uses<'c> {
    all: Vec<(Op<'c>, usize)>,
    /// Those that hand it on, and the names that it becomes.
    handed: Vec<((Op<'c>, usize), Vec<Value<'c>>)>,
}

impl<'c> Uses<'c> {
    /// `None` if one of them may let others name the memory.
    fn of(name: Value<'c>) -> Option<Self> {
        let mut uses = Self {
            all: Vec::new(),
            handed: Vec::new(),
        };
        let mut open = vec![name];
        while let Some(value) = open.pop() {
            for used in value.uses() {
                let place = (used.op, used.index);
                uses.all.push(place);
                if let Some(targets) = targets(used.op, used.index) {
                    uses.handed.push((place, targets));
                    continue;
                }
                let views = used.op.results().into_iter().filter(|view| ty::is_memref(view.ty()));
                let views: Vec<Value<'c>> = views.collect();
                let is_access = used.op.regions().is_empty() || used.op.name().starts_with("linalg.");
                let is_stored = used.op.is("memref.store") && used.index == 0;
                let is_opaque = !is_access || is_stored || is_terminator(used.op);
                if !views.iter().all(|view| name_of(*view) == name) || views.is_empty() && is_opaque {
                    return None;
                }
                if views.is_empty() && accesses(used.op).is_none() {
                    return None;
                }
                open.extend(views);
            }
        }
        Some(uses)
    }

    /// The names that the memory may have next, if this one is not used any more by then, nor freed before.
    fn handed_on(self, name: Value<'c>, place: &FxHashMap<Op<'c>, usize>) -> Option<Vec<Value<'c>>> {
        for (handed, _) in &self.handed {
            let again = handed.0.parents().take_while(|around| !name.is_defined_inside(*around));
            let is_over = |used: &(Op<'c>, usize)| {
                used == handed
                    || are_apart(used.0, handed.0)
                    || place.get(&used.0) < place.get(&handed.0) && !frees(used.0)
            };
            if again.into_iter().any(is_loop) || !self.all.iter().all(is_over) {
                return None;
            }
        }
        Some(self.handed.into_iter().flat_map(|(_, targets)| targets).collect())
    }
}

/// The names that control flow makes of an operand; `None` if it makes none.
fn targets<'c>(user: Op<'c>, index: usize) -> Option<Vec<Value<'c>>> {
    let carried = |loop_: Op<'c>, at: usize| {
        let arg = For::of(loop_)?.iter_args().get(at).copied()?;
        Some(vec![arg, loop_.result(at)])
    };
    match user.name() {
        "scf.for" => carried(user, index.checked_sub(3)?),
        "func.return" => Some(Vec::new()),
        "scf.yield" | "memref.alloca_scope.return" => {
            let parent = user.parent()?;
            match parent.name() {
                "scf.for" => carried(parent, index),
                "scf.if" | "scf.execute_region" | "memref.alloca_scope" => Some(vec![parent.result(index)]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// True if two operations are in different branches of one conditional.
fn are_apart<'c>(one: Op<'c>, other: Op<'c>) -> bool {
    let Some(both) = one.parents().find(|around| around.contains(other)) else {
        return false;
    };
    let branch_of = |op: Op<'c>| {
        let mut members = both.regions().into_iter().map(|region| region.blocks());
        members.position(|blocks| op.block().is_some_and(|block| blocks.contains(&block)))
    };
    let [one, other] = [one, other].map(|op| {
        let inside = std::iter::successors(Some(op), |op| op.parent());
        inside.take_while(|op| *op != both).last().unwrap_or(op)
    });
    both.is("scf.if") && branch_of(one) != branch_of(other)
}
