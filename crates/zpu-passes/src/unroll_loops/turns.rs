//! Buffers of iterations that were written out, where those of all iterations together do not fit their memory.
//!
//! Each iteration has buffers of its own, so that all of them may run together. Where there is no room for that, a
//! buffer is used by several of them in turn: the one that has been out of use for the longest time becomes the next
//! one of its kind. Program order remains the meaning, so whoever writes it waits for those that read it before.

use std::collections::HashMap;

use zpu_analysis::command::sync_engine;
use zpu_device::{Device, Memory};
use zpu_ir::ty::{MemRef, is_memref};
use zpu_ir::{Block, Op, Value, edit};

/// Lets buffers of a block, which is run once, take turns in memories that do not hold all of them.
pub(super) fn take(block: Block<'_>, device: &Device) {
    let memories = device.memories.iter();
    for memory in memories.filter(|memory| !device.is_off_chip(&memory.name)) {
        let kinds = Kinds::of(block, memory);
        if let Some(turns) = kinds.turns(memory.bytes) {
            turns.into_iter().for_each(Turn::apply);
        }
    }
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
    fn of(block: Block<'c>, memory: &Memory) -> Self {
        let places: HashMap<Op<'c>, usize> = block.ops().enumerate().map(|(place, op)| (op, place)).collect();
        let mut all = Self {
            kinds: Vec::new(),
            others: 0,
        };
        for op in block.ops().filter(|op| op.is("memref.alloc")) {
            let root = op.result(0);
            let Some(memref) = MemRef::of(root.ty()).filter(|memref| memref.space() == Some(&memory.name)) else {
                continue;
            };
            let bytes = memref.bytes().and_then(|bytes| u64::try_from(bytes).ok());
            let bytes = bytes.and_then(|bytes| bytes.checked_next_multiple_of(memory.align.max(1)));
            let life = uses(root, &places).and_then(|places| {
                Some(Life {
                    allocation: op,
                    first: *places.iter().min()?,
                    last: *places.iter().max()?,
                })
            });
            match (bytes, life) {
                (Some(bytes), Some(life)) => all.enter(bytes, life),
                (bytes, _) => all.others = all.others.saturating_add(bytes.unwrap_or(0)),
            }
        }
        for kind in &mut all.kinds {
            kind.lives.sort_by_key(|life| life.first);
        }
        all
    }

    fn enter(&mut self, bytes: u64, life: Life<'c>) {
        let new = life.allocation;
        let is_alike = |kind: &&mut Kind<'c>| {
            let known = kind.lives[0].allocation;
            known.result(0).ty() == new.result(0).ty() && known.attrs() == new.attrs()
        };
        match self.kinds.iter_mut().find(is_alike) {
            Some(kind) => kind.lives.push(life),
            None => self.kinds.push(Kind {
                bytes,
                lives: vec![life],
            }),
        }
    }

    /// The turns with which all buffers fit into so many bytes, with as many buffers as there is room for; none if they
    /// fit as they are, or not at all.
    fn turns(&self, room: u64) -> Option<Vec<Turn<'c>>> {
        let mut counts: Vec<usize> = self.kinds.iter().map(|kind| kind.lives.len()).collect();
        let least: Vec<usize> = self.kinds.iter().map(Kind::at_once).collect();
        let needed = |counts: &[usize]| {
            let each = self.kinds.iter().zip(counts);
            let each = each.map(|(kind, count)| kind.bytes.saturating_mul(*count as u64));
            each.fold(self.others, u64::saturating_add)
        };
        if needed(&counts) <= room {
            return None;
        }
        while needed(&counts) > room {
            let open = (0..counts.len()).filter(|at| counts[*at] > least[*at]);
            let most = open.max_by_key(|at| (counts[*at], self.kinds[*at].bytes))?;
            counts[most] -= 1;
        }
        Some(
            self.kinds
                .iter()
                .zip(counts)
                .flat_map(|(kind, count)| kind.turns(count))
                .collect(),
        )
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
