//! Buffers through which the units of one iteration pass data, and nothing else: those that may become rings.
//!
//! An allocation `R` that a loop accesses is a *privatizable buffer* of the loop when
//!
//! 1. **no iteration sees what another left**: `R` is allocated in the body, so that each iteration begins with
//!    undefined contents; or, for every read of `R` in the body, an earlier operation of the same iteration, one that
//!    does not read `R` itself, certainly has written all that the read may touch (the whole of `R`, or the very same
//!    view);
//! 2. **the contents seen outside are known**: outside the loop, `R` and its views are used by deallocations only; or
//!    each iteration certainly writes the whole of `R`, so that `R` after the loop holds what the last iteration left,
//!    or its old contents if there was no iteration;
//! 3. **a ring of it can be allocated before the loop**: its layout is the identity, and its sizes are defined outside
//!    the loop (constants of its type, when it is allocated outside); those of an allocation in the body may differ
//!    between iterations if they have bounds ([`room`]); and it is no ring yet on which several buffers take turns
//!    (`zpu.joined`);
//! 4. **every use is understood**: `R` reaches only views whose region the analysis still roots at `R`, accesses of
//!    known regions, size queries and deallocations. So nothing else can name the same memory.
//!
//! Then giving iteration `k` the version `k mod N` of a ring changes no result for any `N >= 1`, as long as everything
//! outside works on the version of the last iteration. The order that remains to be kept is that of the dependences
//! within an iteration, and each reader of a version before its next writer: reader -> writer at distance `N`.

use std::collections::HashMap;

use zpu_ir::ops::Computation;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Block, Op, Value, annotation, ty};

use crate::access::{Access, accesses};
use crate::body::{Body, Decline, is_asynchronous, is_used_outside};
use crate::distance::conflict_distance;
use crate::region::{Root, region_of};
use crate::seeded;
use crate::sizes::Sizes;

/// A buffer that may become a ring of versions, by positions in the body's unit list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivatizableBuffer<'c> {
    /// The allocation.
    pub root: Value<'c>,
    /// Units that write it, in program order.
    pub writers: Vec<usize>,
    /// Units after which a version may be written again: those that read it, and writers of data that no later unit
    /// reads.
    pub readers: Vec<usize>,
}

/// The life of a privatizable buffer's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// They live within an iteration.
    Iteration,
    /// Those of the last iteration are seen after the loop; if there was none, those from before it.
    After,
}

/// Every allocation that units of the body access, in the order of first access: a privatizable buffer, or the reason
/// why it is none.
pub fn privatizable_buffers<'c>(body: &Body<'c>) -> Vec<(Value<'c>, Result<PrivatizableBuffer<'c>, Decline<'c>>)> {
    let touched = Touched::of(body.for_);
    let mut units: HashMap<Value<'c>, (Vec<usize>, Vec<usize>)> = HashMap::new();
    let mut roots: Vec<Value<'c>> = Vec::new();
    for (i, unit) in body.units.iter().enumerate() {
        for access in &unit.accesses {
            let Root::Allocation(root) = access.region.root else {
                continue;
            };
            let (writers, readers) = units.entry(root).or_insert_with(|| {
                roots.push(root);
                Default::default()
            });
            let list = if access.write { writers } else { readers };
            if list.last() != Some(&i) {
                list.push(i);
            }
        }
    }
    let candidate = |root: Value<'c>| {
        touched.life(root)?;
        let (writers, mut readers) = units.get(&root).cloned().unwrap_or_default();
        let ends = |unit: usize, later: usize| {
            let of = |unit: usize, write: bool| {
                let all = body.units[unit].accesses.iter();
                all.filter(move |access| access.write == write && access.region.root == Root::Allocation(root))
            };
            let mut pairs = of(unit, true).flat_map(|write| of(later, false).map(move |read| (write, read)));
            pairs.any(|(write, read)| conflict_distance(body.for_, write, read, 0) == Some(0))
        };
        let unread = |unit: &usize| !readers.iter().any(|later| later > unit && ends(*unit, *later));
        let more: Vec<usize> = writers.iter().copied().filter(unread).collect();
        readers.extend(more);
        readers.sort_unstable();
        readers.dedup();
        Ok(PrivatizableBuffer { root, writers, readers })
    };
    roots.into_iter().map(|root| (root, candidate(root))).collect()
}

/// Accesses of one operation of a loop to one allocation.
#[derive(Clone, Debug)]
pub struct Touch<'c> {
    /// The operation; within a computation, the one of its body.
    pub op: Op<'c>,
    /// The command around it, or the operation itself.
    pub command: Op<'c>,
    /// Its reads of the allocation.
    pub reads: Vec<Access<'c>>,
    /// Its writes of the allocation.
    pub writes: Vec<Access<'c>>,
}

/// Accesses of a loop, with all that is nested in it, to allocations.
pub struct Touched<'c> {
    /// The loop.
    pub for_: For<'c>,
    /// Allocations in the order of first access.
    pub roots: Vec<Value<'c>>,
    /// Accesses to each allocation in program order.
    touches: HashMap<Value<'c>, Vec<Touch<'c>>>,
    /// A start or a wait, for which program order does not tell what is complete.
    asynchronous: Option<Op<'c>>,
}

impl<'c> Touched<'c> {
    /// Collects the accesses of the loop's body.
    pub fn of(for_: For<'c>) -> Self {
        let mut touched = Self {
            for_,
            roots: Vec::new(),
            touches: HashMap::new(),
            asynchronous: None,
        };
        touched.add_block(for_.body);
        touched
    }

    /// Accesses to an allocation, in program order.
    pub fn touches(&self, root: Value<'c>) -> &[Touch<'c>] {
        self.touches.get(&root).map_or(&[], Vec::as_slice)
    }

    fn add_block(&mut self, block: Block<'c>) {
        for op in block.ops() {
            if is_asynchronous(op) {
                self.asynchronous.get_or_insert(op);
            }
            if let Some(computation) = Computation::of(op) {
                computation.body.ops().for_each(|inner| self.add(inner, op));
            } else if op.regions().is_empty() || op.name().starts_with("linalg.") {
                self.add(op, op);
            } else {
                let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
                blocks.for_each(|block| self.add_block(block));
            }
        }
    }

    /// Adds the accesses of an operation. One with unknown effects adds none: if it uses a buffer, `check_uses`
    /// declines that buffer.
    fn add(&mut self, op: Op<'c>, command: Op<'c>) {
        if op.is("memref.dealloc") {
            return;
        }
        for access in accesses(op).unwrap_or_default() {
            let Root::Allocation(root) = access.region.root else {
                continue;
            };
            let list = self.touches.entry(root).or_insert_with(|| {
                self.roots.push(root);
                Vec::new()
            });
            if list.last().is_none_or(|touch| touch.op != op) {
                list.push(Touch {
                    op,
                    command,
                    reads: Vec::new(),
                    writes: Vec::new(),
                });
            }
            if let Some(touch) = list.last_mut() {
                let side = if access.write {
                    &mut touch.writes
                } else {
                    &mut touch.reads
                };
                side.push(access);
            }
        }
    }

    /// The life of the allocation's contents, or the reason why it is no privatizable buffer of the loop.
    pub fn life(&self, root: Value<'c>) -> Result<Life, Decline<'c>> {
        if let Some(op) = self.asynchronous {
            let message = "the loop already starts or waits for commands";
            return Err(Decline::new("asynchronous-body", op, message));
        }
        let inside = root.is_defined_inside(self.for_.op);
        check_allocation(self.for_, root, inside)?;
        self.check_uses(root)?;
        if inside {
            return Ok(Life::Iteration);
        }
        self.check_covered(root)?;
        if !is_used_outside(root, self.for_) {
            return Ok(Life::Iteration);
        }
        if self.is_filled(root) {
            return Ok(Life::After);
        }
        let message =
            "the buffer is used outside the loop, and no operation of each iteration certainly writes all of it";
        Err(Decline::new("used-outside", alloc_of(self.for_, root), message))
    }

    /// True if no contents pass from one iteration to another, into the loop or out of it by this loop's own accesses:
    /// conditions 1, 3 and 4. What comes after the loop may still read what the last iteration left.
    pub fn is_self_contained(&self, root: Value<'c>) -> bool {
        let inside = root.is_defined_inside(self.for_.op);
        self.asynchronous.is_none()
            && check_allocation(self.for_, root, inside).is_ok()
            && self.check_uses(root).is_ok()
            && (inside || self.check_covered(root).is_ok())
    }

    /// True if the allocation is a privatizable buffer of this loop and of no loop in it. Then this loop counts its
    /// versions.
    pub fn counts(&self, root: Value<'c>) -> bool {
        let counted_inside = |inner: For<'c>| {
            let touched = Self::of(inner);
            touched.roots.contains(&root) && touched.life(root).is_ok()
        };
        let nested = self.for_.body.ops().flat_map(|op| op.walk()).filter_map(For::of);
        self.life(root).is_ok() && !nested.into_iter().any(counted_inside)
    }

    /// Checks condition 4.
    fn check_uses(&self, root: Value<'c>) -> Result<(), Decline<'c>> {
        let mut open = vec![root];
        while let Some(value) = open.pop() {
            for used in value.uses() {
                let user = used.op;
                let is_free = user.is("memref.dealloc");
                let views: Vec<Value<'c>> = user.results().into_iter().filter(|v| ty::is_memref(v.ty())).collect();
                let follows = views.iter().all(|view| region_of(*view).root == Root::Allocation(root));
                let is_view = !views.is_empty() && user.is_memory_effect_free() && user.regions().is_empty();
                if !(is_view || is_free || user.is("memref.dim") || is_access(user, used.index, root)) || !follows {
                    let message = format!("the buffer reaches {}, which the analysis does not follow", user.name());
                    return Err(Decline::new("escapes", user, message));
                }
                if is_free && !root.is_defined_inside(self.for_.op) && self.for_.op.contains(user) {
                    let message = "the buffer is allocated outside the loop and deallocated in it";
                    return Err(Decline::new("deallocated-inside", user, message));
                }
                open.extend(views);
            }
        }
        Ok(())
    }

    /// Checks condition 1 for an allocation outside the loop: every read is covered by a write before it.
    fn check_covered(&self, root: Value<'c>) -> Result<(), Decline<'c>> {
        let mut written: Vec<(&Touch<'c>, &Access<'c>)> = Vec::new();
        if self.touches(root).iter().all(|touch| touch.writes.is_empty()) {
            let message = "the loop only reads the buffer, so one version is enough";
            return Err(Decline::new("loop-invariant", alloc_of(self.for_, root), message));
        }
        for touch in self.touches(root) {
            let covered = |read: &Access<'c>| {
                let mut all = written.iter();
                all.any(|(earlier, write)| {
                    write.full && happens_before(earlier.command, touch.command) && covers(write, read)
                })
            };
            if let Some(read) = touch.reads.iter().find(|read| !covered(read)) {
                let partly = written.iter().any(|(_, write)| write.conflicts(read));
                let (reason, how) = if touch.writes.iter().any(|write| write.conflicts(read)) {
                    ("accumulates", "reads and writes the buffer")
                } else if partly {
                    ("partial-fill", "reads more of the buffer than was certainly written,")
                } else {
                    ("read-before-write", "reads the buffer")
                };
                let message = format!(
                    "{} {how} before all that it reads was written in the same iteration, so contents pass from one \
                     iteration \
                     to the next",
                    touch.op.name()
                );
                return Err(Decline::new(reason, touch.op, message));
            }
            written.extend(touch.writes.iter().map(|write| (touch, write)));
        }
        Ok(())
    }

    /// True if each iteration certainly writes every element.
    fn is_filled(&self, root: Value<'c>) -> bool {
        let fills = |touch: &Touch<'c>| {
            let all = |write: &Access<'c>| write.full && write.region.is_whole_root();
            let is_certain = touch.command.block() == Some(self.for_.body) || seeded!(CertainBranch);
            is_certain && touch.writes.iter().any(all)
        };
        self.touches(root).iter().any(fills)
    }
}

/// True if `earlier`, which comes first in the program, is done whenever `later` is, in the same iteration of all loops
/// around both: `earlier` alone is under no loop, and only under conditions that `later` is under as well.
fn happens_before<'c>(earlier: Op<'c>, later: Op<'c>) -> bool {
    let taken = |op: Op<'c>| {
        let branch = op.parent().filter(|parent| parent.is("scf.if"))?;
        let side = branch
            .regions()
            .into_iter()
            .position(|region| region.first_block() == op.block())?;
        Some((branch, (branch.operand(0), side)))
    };
    let around: Vec<Op<'c>> = std::iter::once(later).chain(later.parents()).collect();
    let mut done = earlier;
    while !around.iter().any(|op| op.block() == done.block()) {
        let Some((branch, choice)) = taken(done) else {
            return seeded!(CertainBranch);
        };
        if !around
            .iter()
            .any(|op| taken(*op).is_some_and(|(_, other)| other == choice))
        {
            return seeded!(CertainBranch);
        }
        done = branch;
    }
    true
}

/// The operation to blame: the allocation.
fn alloc_of<'c>(for_: For<'c>, root: Value<'c>) -> Op<'c> {
    root.defining_op().unwrap_or(for_.op)
}

/// Checks condition 3.
fn check_allocation<'c>(for_: For<'c>, root: Value<'c>, inside: bool) -> Result<(), Decline<'c>> {
    let alloc = alloc_of(for_, root);
    if alloc.has_attr(annotation::JOINED) {
        let message = "the allocation is a ring on which several buffers take turns already";
        return Err(Decline::new("joined", alloc, message));
    }
    let Some(memref) = MemRef::of(root.ty()).filter(MemRef::is_identity_layout) else {
        let message = "the allocation's layout is not the identity";
        return Err(Decline::new("layout", alloc, message));
    };
    // Upstream knows no view of the second slot of a ring without elements.
    let bounds = Sizes::at(alloc).of(root).unwrap_or_default();
    if bounds.iter().any(|bound| bound.is_some_and(|bound| bound <= 0)) {
        let message = "the buffer has no elements, so that versions of it would be the same";
        return Err(Decline::new("no-elements", alloc, message));
    }
    if !inside && !memref.has_static_shape() {
        let message = "the buffer is allocated outside the loop with sizes that are not constant";
        return Err(Decline::new("dynamic-size", alloc, message));
    }
    if inside && room(for_.op, alloc).is_none() {
        let message = "the buffer is allocated in the loop with a size that is computed there and has no bound, or \
                       whose bound would part rows that a view needs side by side";
        return Err(Decline::new("variant-size", alloc, message));
    }
    Ok(())
}

/// The sizes that an allocation in a loop needs when it is moved before the loop. Sizes that are computed in the loop
/// are replaced by their bounds. `None` if one has no bound; if some view of the buffer may not start elsewhere; or if
/// inner sizes have bounds, so that rows may lie apart, and some view needs them to follow each other.
pub fn room<'c>(loop_: Op<'c>, alloc: Op<'c>) -> Option<Vec<Option<i64>>> {
    let mut shape = MemRef::of(alloc.result(0).ty())?.shape;
    let dynamic: Vec<usize> = (0..shape.len()).filter(|dim| shape[*dim].is_none()).collect();
    let each = dynamic.into_iter().zip(alloc.operands());
    let variant: Vec<usize> = each
        .filter(|(_, size)| size.is_defined_inside(loop_))
        .map(|(dim, _)| dim)
        .collect();
    let Some(last) = variant.last() else {
        return Some(shape);
    };
    let moves = |view: Op<'c>| moves_with_its_source(view) && (*last == 0 || view.is("memref.subview"));
    if view_but(alloc.result(0), moves).is_some() {
        return None;
    }
    let bounds = Sizes::at(alloc).of(alloc.result(0))?;
    for dim in variant {
        shape[dim] = Some(*bounds.get(dim)?.as_ref()?);
    }
    Some(shape)
}

/// True if an allocation in a loop has sizes that are computed there, in whose place a ring has their bounds.
pub fn has_computed_size<'c>(loop_: Op<'c>, alloc: Op<'c>) -> bool {
    alloc.operands().into_iter().any(|size| size.is_defined_inside(loop_))
}

/// True if all that the operation does with the buffer at operand `index` is to read and write regions of it.
fn is_access<'c>(user: Op<'c>, index: usize, root: Value<'c>) -> bool {
    let stored = user.is("memref.store") && index == 0;
    let is_leaf = user.regions().is_empty() || user.name().starts_with("linalg.");
    let names = |all: Vec<Access<'c>>| all.iter().any(|access| access.region.root.value() == root);
    is_leaf && !stored && accesses(user).is_some_and(names)
}

/// True if a full write overwrites all that `read` touches.
fn covers(write: &Access<'_>, read: &Access<'_>) -> bool {
    write.region.is_whole_root() || (write.whole_of.is_some() && write.whole_of == read.whole_of)
}

/// Finds a view of the buffer that has to start at offset 0, which only the first slot of a ring does.
pub fn view_at_zero<'c>(root: Value<'c>) -> Option<Op<'c>> {
    view_but(root, moves_with_its_source)
}

/// Finds a view of the buffer that is none of some.
fn view_but<'c>(root: Value<'c>, is_one: impl Fn(Op<'c>) -> bool) -> Option<Op<'c>> {
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|used| used.op) {
            let mut views = user.results().into_iter().filter(|v| ty::is_memref(v.ty())).peekable();
            if views.peek().is_some() && !is_one(user) {
                return Some(user);
            }
            open.extend(views);
        }
    }
    None
}

/// True if the view starts where its source starts, so that only the offset in its type changes in a ring.
pub fn moves_with_its_source(view: Op<'_>) -> bool {
    matches!(
        view.name(),
        "memref.subview" | "memref.cast" | "memref.expand_shape" | "memref.collapse_shape"
    )
}
