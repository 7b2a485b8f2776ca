//! Buffers of iterations that were written out, where those of all iterations together do not fit their memory.
//!
//! Each iteration has buffers of its own, so that all of them may run together. Where there is no room for that, a
//! buffer is used by several of them in turn: the one that has been out of use for the longest time becomes the next
//! one of its kind. Program order remains the meaning, so whoever writes it waits for those that read it before.

use std::collections::HashMap;

use zpu_analysis::command::sync_engine;
use zpu_analysis::footprint::{block_peak, footprint, peak};
use zpu_device::{Device, Memory};
use zpu_ir::ty::{MemRef, is_memref};
use zpu_ir::{Block, Op, Remark, RemarkKind, Value, edit};

use super::PASS;

/// Lets buffers of a function without loops take turns in memories that do not hold all of them: those of a branch if
/// all do not fit, and those of the body in what the branches leave. What does not fit in turns, either, has its old
/// life: from its first use to its last one.
pub(super) fn take<'c>(function: Op<'c>, body: Block<'c>, device: &Device) {
    let memories = device.memories.iter();
    for memory in memories.filter(|memory| !device.is_off_chip(&memory.name)) {
        let needed = || peak(function, &memory.name, device);
        let is_full = || needed() > memory.bytes;
        if !is_full() {
            continue;
        }
        let branches = branches(body);
        for branch in &branches {
            Kinds::of(*branch, memory, device)
                .least()
                .into_iter()
                .for_each(Turn::apply);
        }
        let inside = branches.iter().map(|branch| block_peak(*branch, &memory.name, device));
        let inside = inside.max().unwrap_or(0);
        let kinds = Kinds::of(body, memory, device);
        match kinds.turns(memory.bytes.saturating_sub(inside)) {
            Some(turns) => turns.into_iter().for_each(Turn::apply),
            None => kinds.shorten(body),
        }
        if is_full() {
            for branch in branches {
                Kinds::of(branch, memory, device).shorten(branch);
            }
            Kinds::of(body, memory, device).shorten(body);
        }
        if is_full() {
            let (needed, name, bytes) = (needed(), &memory.name, memory.bytes);
            Remark::new(function, RemarkKind::Missed, PASS, "no-room")
                .message(format!(
                    "without loops the buffers need up to {needed} bytes of {name}, the device has {bytes}"
                ))
                .emit();
        }
    }
}

/// The blocks of all conditionals in a block, the inner ones first.
fn branches<'c>(block: Block<'c>) -> Vec<Block<'c>> {
    let conditionals = block.ops().filter(|op| op.is("scf.if"));
    let own = conditionals
        .flat_map(|op| op.regions())
        .flat_map(|region| region.blocks());
    own.flat_map(|own| branches(own).into_iter().chain([own])).collect()
}

/// A buffer and the part of the block that uses it.
#[derive(Clone, Copy)]
struct Life<'c> {
    allocation: Op<'c>,
    /// The places of the operations that use it first and last.
    first: usize,
    last: usize,
}

/// Buffers of the same type with the same attributes.
struct Kind<'c> {
    bytes: u64,
    /// The buffers in the order of their first use.
    lives: Vec<Life<'c>>,
}

/// All buffers of a block in one memory.
struct Kinds<'c> {
    /// Those that may take turns.
    kinds: Vec<Kind<'c>>,
    /// Bytes of the others.
    others: u64,
}

/// A buffer that is used in place of another one.
struct Turn<'c> {
    allocation: Op<'c>,
    instead_of: Op<'c>,
}

impl<'c> Kinds<'c> {
    fn of(block: Block<'c>, memory: &Memory, device: &Device) -> Self {
        let places: HashMap<Op<'c>, usize> = block.ops().enumerate().map(|(place, op)| (op, place)).collect();
        let mut all = Self {
            kinds: Vec::new(),
            others: 0,
        };
        for op in block
            .ops()
            .filter(|op| matches!(op.name(), "memref.alloc" | "memref.alloca"))
        {
            let root = op.result(0);
            let Some((_, bytes)) = footprint(root, device).filter(|(space, _)| *space == memory.name) else {
                continue;
            };
            let life = uses(root, &places)
                .filter(|_| op.is("memref.alloc"))
                .and_then(|places| {
                    Some(Life {
                        allocation: op,
                        first: *places.iter().min()?,
                        last: *places.iter().max()?,
                    })
                });
            match life {
                Some(life) => all.enter(bytes, life),
                None => all.others = all.others.saturating_add(bytes),
            }
        }
        for kind in &mut all.kinds {
            kind.lives.sort_by_key(|life| life.first);
        }
        all
    }

    fn enter(&mut self, bytes: u64, life: Life<'c>) {
        let new = life.allocation;
        // Two of dynamic sizes may have different ones.
        let is_static = MemRef::of(new.result(0).ty()).is_some_and(|memref| memref.has_static_shape());
        let is_alike = |kind: &&mut Kind<'c>| {
            let known = kind.lives[0].allocation;
            is_static && known.result(0).ty() == new.result(0).ty() && known.attrs() == new.attrs()
        };
        match self.kinds.iter_mut().find(is_alike) {
            Some(kind) => kind.lives.push(life),
            None => self.kinds.push(Kind {
                bytes,
                lives: vec![life],
            }),
        }
    }

    /// The turns with which all buffers fit into so many bytes, with as many buffers as there is room for; `None` if
    /// they do not fit in turns.
    fn turns(&self, room: u64) -> Option<Vec<Turn<'c>>> {
        let mut counts: Vec<usize> = self.kinds.iter().map(|kind| kind.lives.len()).collect();
        let least: Vec<usize> = self.kinds.iter().map(Kind::at_once).collect();
        let needed = |counts: &[usize]| {
            let each = self.kinds.iter().zip(counts);
            let each = each.map(|(kind, count)| kind.bytes.saturating_mul(*count as u64));
            each.fold(self.others, u64::saturating_add)
        };
        while needed(&counts) > room {
            let open = (0..counts.len()).filter(|at| counts[*at] > least[*at]);
            let most = open.max_by_key(|at| (counts[*at], self.kinds[*at].bytes))?;
            counts[most] -= 1;
        }
        let turns = self.kinds.iter().zip(counts);
        Some(turns.flat_map(|(kind, count)| kind.turns(count)).collect())
    }

    /// The turns on as few buffers as are in use at once.
    fn least(&self) -> Vec<Turn<'c>> {
        self.kinds.iter().flat_map(|kind| kind.turns(kind.at_once())).collect()
    }

    /// Lets the buffers be there from their first use in the block to their last one.
    fn shorten(&self, block: Block<'c>) {
        let ops: Vec<Op<'c>> = block.ops().collect();
        for life in self.kinds.iter().flat_map(|kind| &kind.lives) {
            let buffer = life.allocation.result(0);
            // A view may stand before the first operation that uses it.
            let is_user = |op: &&Op<'c>| buffer.uses().into_iter().any(|used| op.contains(used.op));
            let first = ops.iter().filter(|op| !op.is("memref.dealloc")).find(is_user);
            if let Some(first) = first {
                edit::move_before(life.allocation, *first);
            }
            if let Some(next) = ops[life.last].next() {
                frees_of(buffer)
                    .into_iter()
                    .filter(|free| *free != next)
                    .for_each(|free| edit::move_before(free, next));
            }
        }
    }
}

impl<'c> Kind<'c> {
    /// The most buffers that are in use at one place.
    fn at_once(&self) -> usize {
        let in_use = |place: usize| {
            self.lives
                .iter()
                .filter(move |life| (life.first..=life.last).contains(&place))
        };
        let each = self.lives.iter().map(|life| in_use(life.first).count());
        each.max().unwrap_or(0)
    }

    /// The turns on so many buffers, which are as many as are in use at once, or more.
    fn turns(&self, count: usize) -> Vec<Turn<'c>> {
        let mut buffers: Vec<Life<'c>> = Vec::new();
        let mut turns = Vec::new();
        for life in &self.lives {
            if buffers.len() < count {
                buffers.push(*life);
                continue;
            }
            let Some(oldest) = buffers.iter_mut().min_by_key(|buffer| buffer.last) else {
                break;
            };
            oldest.last = life.last;
            turns.push(Turn {
                allocation: oldest.allocation,
                instead_of: life.allocation,
            });
        }
        turns
    }
}

impl Turn<'_> {
    fn apply(self) {
        let [buffer, old] = [self.allocation, self.instead_of].map(|op| op.result(0));
        frees_of(old).into_iter().for_each(edit::erase);
        // A buffer that is used sooner may be allocated later, and be free before it is used again.
        let Some(block) = self.allocation.block() else { return };
        if let Some(begin) = block.ops().next().filter(|begin| *begin != self.allocation) {
            edit::move_before(self.allocation, begin);
        }
        if let Some(end) = block.terminator() {
            frees_of(buffer).into_iter().for_each(|op| edit::move_before(op, end));
        }
        edit::replace_all_uses(old, buffer);
        edit::erase(self.instead_of);
    }
}

/// The places of the operations of a block that access a buffer; none if it may be known by another name, or if it is
/// not known when it is freed: in a branch, or by a view.
fn uses<'c>(buffer: Value<'c>, places: &HashMap<Op<'c>, usize>) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let mut open = vec![buffer];
    while let Some(value) = open.pop() {
        for op in value.uses().into_iter().map(|at| at.op) {
            if op.is("memref.dealloc") {
                if value != buffer || !places.contains_key(&op) {
                    return None;
                }
                continue;
            }
            if is_view(op) {
                open.extend(op.results().into_iter().filter(|result| is_memref(result.ty())));
                continue;
            }
            let is_access = sync_engine(op).is_some() || op.name().starts_with("linalg.") || is_access(op);
            let place = std::iter::once(op).chain(op.parents()).find_map(|op| places.get(&op));
            found.push(*place.filter(|_| is_access)?);
        }
    }
    Some(found)
}

/// True for an operation whose results are all that is known of the buffer that it is given.
fn is_view(op: Op<'_>) -> bool {
    let is_one = op.name().starts_with("memref.") || op.is("arith.select");
    is_one && op.is_memory_effect_free() && op.regions().is_empty() && !op.is("memref.extract_aligned_pointer_as_index")
}

/// The deallocations of a buffer.
fn frees_of(buffer: Value<'_>) -> Vec<Op<'_>> {
    let users = buffer.uses().into_iter().map(|at| at.op);
    users.filter(|op| op.is("memref.dealloc")).collect()
}

/// True for an operation that reads or writes a buffer that it is given, and does not pass it on.
fn is_access(op: Op<'_>) -> bool {
    matches!(op.name(), "memref.load" | "memref.store" | "memref.copy")
}
