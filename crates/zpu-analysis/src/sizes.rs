//! Upper bounds of sizes that are not constant.
//!
//! A size is bounded by its arithmetic (a minimum, a remainder; see [`super::range`]), by the source of a view, and by
//! its uses: both sides of a copy, and the operands that one loop of a structured operation walks, are of equal size,
//! and a subview lies within its source. A use counts where it is certain: in the block of the operation that the
//! bounds are for, or in one around it.

use std::collections::HashMap;

use zpu_ir::affine::Map;
use zpu_ir::ops::{Computation, DmaTransfer};
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Block, Op, Use, Value, attr};

use crate::linear::index_of;
use crate::range;
use crate::view::groups;

/// The most sizes and values visited for one answer. A loop's body has a few; the limit keeps the work for large bodies
/// linear.
const MOST_STEPS: usize = 256;

/// Bounds that hold whenever an operation is executed.
pub struct Sizes<'c> {
    /// Blocks that are executed then: that of the operation, and those around it.
    blocks: Vec<Block<'c>>,
    /// The sizes being bounded, so that none is bounded by itself.
    open: Vec<(Value<'c>, usize)>,
    /// Those that were bounded for the same answer. One that was so while another was open lacks what follows from
    /// that, which the other one has itself.
    known: HashMap<(Value<'c>, usize), Option<i64>>,
    steps: usize,
}

impl<'c> Sizes<'c> {
    /// Bounds that hold when `op` is executed.
    pub fn at(op: Op<'c>) -> Self {
        let around = std::iter::once(op).chain(op.parents());
        Self {
            blocks: around.filter_map(Op::block).collect(),
            open: Vec::new(),
            known: HashMap::new(),
            steps: 0,
        }
    }

    /// Sizes of a memref, or upper bounds of those that are dynamic; `None` for one that has none. `None` if it is no
    /// ranked memref.
    pub fn of(mut self, memref: Value<'c>) -> Option<Vec<Option<i64>>> {
        let rank = MemRef::of(memref.ty())?.rank();
        let each = (0..rank).map(|dim| {
            self.known.clear();
            self.dim(memref, dim)
        });
        Some(each.collect())
    }

    fn dim(&mut self, memref: Value<'c>, dim: usize) -> Option<i64> {
        let own = *MemRef::of(memref.ty())?.shape.get(dim)?;
        if own.is_some() {
            return own;
        }
        self.looked(memref, dim, |sizes| {
            let by_definition = memref.defining_op().and_then(|op| sizes.defined(op, dim));
            let uses = sizes.certain(memref);
            let by_use = uses.into_iter().filter_map(|used| sizes.used(used, dim));
            by_use.chain(by_definition).min()
        })
    }

    /// An upper bound of an index that is a size.
    fn value(&mut self, value: Value<'c>) -> Option<i64> {
        // No use says more of it, and a constant may have many.
        if let Some(constant) = value.as_constant_int() {
            return Some(constant.max(0));
        }
        let most = range::of_index(&index_of(value)).most;
        let most = most.and_then(|most| i64::try_from(most.max(0)).ok());
        let by_use = self.looked(value, usize::MAX, |sizes| {
            let uses = sizes.certain(value);
            uses.into_iter().filter_map(|used| sizes.taken(used)).min()
        });
        most.into_iter().chain(by_use).min()
    }

    /// Bounds one size by `find`; `None` if that size is being bounded already, or after [`MOST_STEPS`] steps.
    fn looked(&mut self, value: Value<'c>, dim: usize, find: impl FnOnce(&mut Self) -> Option<i64>) -> Option<i64> {
        if self.open.contains(&(value, dim)) {
            return None;
        }
        if let Some(known) = self.known.get(&(value, dim)) {
            return *known;
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        self.open.push((value, dim));
        let found = find(self);
        self.open.pop();
        self.known.insert((value, dim), found);
        found
    }

    /// Uses of a value that are executed whenever the operation is.
    fn certain(&self, value: Value<'c>) -> Vec<Use<'c>> {
        let command = |op: Op<'c>| op.parent().filter(|parent| Computation::of(*parent).is_some());
        let block = |used: &Use<'c>| command(used.op).unwrap_or(used.op).block();
        let mut uses = value.uses();
        uses.retain(|used| block(used).is_some_and(|block| self.blocks.contains(&block)));
        uses.truncate(MOST_STEPS);
        uses
    }

    /// The bound of a size by the operation that made the memref.
    fn defined(&mut self, op: Op<'c>, dim: usize) -> Option<i64> {
        match op.name() {
            "memref.alloc" | "memref.alloca" => {
                let shape = MemRef::of(op.result(0).ty())?.shape;
                let size = shape.iter().take(dim).filter(|size| size.is_none()).count();
                self.value(*op.operands().get(size)?)
            }
            "memref.cast" | "memref.assume_alignment" | "memref.memory_space_cast" => self.dim(op.operand(0), dim),
            "memref.transpose" => {
                let dims = Map::of(op.attr("permutation")?)?.as_dims()?;
                self.dim(op.operand(0), *dims.get(dim)?)
            }
            "memref.subview" => {
                let of = kept_dims(op)?.get(dim).copied()?;
                let (entries, first) = subview_sizes(op)?;
                let dynamic = entries.iter().take(of).filter(|size| size.is_none()).count();
                let size = self.value(*op.operands().get(first + dynamic)?);
                size.into_iter().chain(self.dim(op.operand(0), of)).min()
            }
            "memref.collapse_shape" => {
                let group = groups(op)?.into_iter().nth(dim)?;
                let sizes = group.into_iter().map(|of| self.dim(op.operand(0), of));
                sizes
                    .collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .try_fold(1i64, i64::checked_mul)
            }
            "memref.expand_shape" => {
                let shape = MemRef::of(op.result(0).ty())?.shape;
                let (of, group) = groups(op)?
                    .into_iter()
                    .enumerate()
                    .find(|(_, group)| group.contains(&dim))?;
                let others = group.iter().filter(|other| **other != dim).map(|other| shape[*other]);
                let others = others
                    .collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .try_fold(1i64, i64::checked_mul)?;
                self.dim(op.operand(0), of)?.checked_div(others)
            }
            _ => None,
        }
    }

    /// The bound of a memref's size by an operation that works on it.
    fn used(&mut self, used: Use<'c>, dim: usize) -> Option<i64> {
        let op = used.op;
        if let Some(transfer) = DmaTransfer::of(op) {
            let is_source = op.operand(used.index) == transfer.source;
            return self.dim(if is_source { transfer.dest } else { transfer.source }, dim);
        }
        if op.is("memref.copy") {
            return self.dim(op.operand(1usize.checked_sub(used.index)?), dim);
        }
        let maps = attr::as_array(op.indexing_maps()?)?;
        let maps: Vec<Vec<Option<usize>>> = maps
            .into_iter()
            .map(|map| attr::as_map_dims(map).map(|(_, dims)| dims))
            .collect::<Option<_>>()?;
        let walked = (*maps.get(used.index)?.get(dim)?)?;
        let mut found = None;
        for (operand, map) in op.operands().into_iter().zip(&maps) {
            for (other, _) in map.iter().enumerate().filter(|(_, by)| **by == Some(walked)) {
                if ty::is_memref(operand.ty()) {
                    found = found.into_iter().chain(self.dim(operand, other)).min();
                }
            }
        }
        found
    }

    /// The bound of a value by an operation that takes it as a size.
    fn taken(&mut self, used: Use<'c>) -> Option<i64> {
        let op = used.op;
        match op.name() {
            "memref.alloc" | "memref.alloca" => {
                let shape = MemRef::of(op.result(0).ty())?.shape;
                let dynamic = shape.iter().enumerate().filter(|(_, size)| size.is_none());
                let (dim, _) = dynamic.into_iter().nth(used.index)?;
                self.dim(op.result(0), dim)
            }
            "memref.subview" => {
                let (entries, first) = subview_sizes(op)?;
                let dynamic = entries.iter().enumerate().filter(|(_, size)| size.is_none());
                let (dim, _) = dynamic.into_iter().nth(used.index.checked_sub(first)?)?;
                self.dim(op.operand(0), dim)
            }
            _ => None,
        }
    }
}

/// The value that a dynamic size of a memref was made of; none if no definition tells.
pub fn made_of<'c>(memref: Value<'c>, dim: usize) -> Option<Value<'c>> {
    let op = memref.defining_op()?;
    let operand = |entries: &[Option<i64>], dim: usize, first: usize| {
        let is_computed = entries.get(dim)?.is_none();
        let before = entries.iter().take(dim).filter(|size| size.is_none()).count();
        is_computed.then(|| op.operand(first + before))
    };
    let size = match op.name() {
        "memref.alloc" | "memref.alloca" => operand(&MemRef::of(memref.ty())?.shape, dim, 0)?,
        "memref.cast" | "memref.memory_space_cast" => return made_of(op.operand(0), dim),
        "memref.subview" => {
            let (entries, first) = subview_sizes(op)?;
            operand(&entries, kept_dims(op)?.get(dim).copied()?, first)?
        }
        _ => return None,
    };
    // What is the size of another memref may be told by that.
    let of = size.defining_op().filter(|op| op.is("memref.dim"));
    let told = of.and_then(|op| {
        let dim = op.operand(1).as_constant_int()?;
        made_of(op.operand(0), usize::try_from(dim).ok()?)
    });
    Some(told.unwrap_or(size))
}

/// Sizes of a subview in the dimensions of its source, and the operand that is the first dynamic one.
fn subview_sizes(op: Op<'_>) -> Option<(Vec<Option<i64>>, usize)> {
    let entries = |name: &str| {
        let entries = attr::as_int_array(op.attr(name)?)?.into_iter();
        Some(
            entries
                .map(|entry| Some(entry).filter(|entry| *entry != ty::dynamic_size()))
                .collect::<Vec<_>>(),
        )
    };
    let offsets = entries("static_offsets")?;
    let first = 1 + offsets.iter().filter(|offset| offset.is_none()).count();
    Some((entries("static_sizes")?, first))
}

/// The dimension of its source that each dimension of a subview is in: those of size 1 may be dropped.
pub(crate) fn kept_dims(op: Op<'_>) -> Option<Vec<usize>> {
    let result = MemRef::of(op.result(0).ty())?;
    let (sizes, _) = subview_sizes(op)?;
    let mut wanted = result.shape.iter().peekable();
    let drops = sizes.len() != result.rank();
    let kept = sizes
        .iter()
        .enumerate()
        .filter(|(_, size)| wanted.next_if(|wanted| !drops || wanted == size).is_some());
    let kept: Vec<usize> = kept.map(|(dim, _)| dim).collect();
    (kept.len() == result.rank()).then_some(kept)
}
