//! What an operation reads and writes.

use zpu_ir::ty::{self, MemRef};
use zpu_ir::{EffectKind, Op, Value, affine};

use super::linear::Linear;
use super::region::{Region, element_of, region_of};

/// One region that an operation reads or writes.
#[derive(Clone, Debug)]
pub(crate) struct Access<'c> {
    /// Where.
    pub(crate) region: Region<'c>,
    /// Whether it writes; otherwise it reads.
    pub(crate) write: bool,
    /// Whether every element of the region certainly is accessed.
    pub(crate) full: bool,
    /// The memref that names the region, unless only an element of it is accessed. Two accesses in one iteration with
    /// equal names touch the same elements, whatever is known of their sizes.
    pub(crate) whole_of: Option<Value<'c>>,
}

impl<'c> Access<'c> {
    /// Whether the order of the two matters.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        (self.write || other.write) && self.region.may_overlap(&other.region)
    }

    /// The access in another iteration; see [`Region::at`].
    pub(crate) fn at(&self, op: Op<'c>, iteration: &Linear<'c>, instance: i64) -> Self {
        Self {
            region: self.region.at(op, iteration, instance),
            ..self.clone()
        }
    }

    /// The access as it is understood behind `op`: nothing that is defined inside remains in it.
    pub(crate) fn outside(&self, op: Op<'c>) -> Self {
        Self {
            region: self.region.outside(op),
            ..self.clone()
        }
    }
}

/// Everything that an operation, with what it holds, reads and writes. `None`: unknown, which makes it a fence.
pub(crate) fn accesses<'c>(op: Op<'c>) -> Option<Vec<Access<'c>>> {
    match op.name() {
        "memref.load" | "memref.store" => {
            let first = usize::from(op.is("memref.store"));
            let indices = op.operands().split_off(first + 1);
            let region = element_of(op.operand(first), &indices);
            return Some(vec![Access {
                region,
                write: first == 1,
                full: true,
                whole_of: None,
            }]);
        }
        "zpu.dma" | "zpu.dma_start" | "memref.copy" => {
            let access = |index: usize, write| Access {
                region: region_of(op.operand(index)),
                write,
                full: true,
                whole_of: Some(op.operand(index)),
            };
            return Some(vec![access(0, false), access(1, true)]);
        }
        "zpu.compute" | "zpu.compute_start" => {
            let mut all = Vec::new();
            for inner in op.body()?.ops() {
                all.extend(accesses(inner)?);
            }
            return Some(all);
        }
        "scf.if" => {
            let inner = op.regions().into_iter().flat_map(|region| region.blocks());
            let mut all = Vec::new();
            for inner in inner
                .flat_map(|block| block.ops())
                .filter(|op| !op.is_memory_effect_free())
            {
                all.extend(accesses(inner)?);
            }
            // Another branch may be taken.
            all.iter_mut().for_each(|access: &mut Access<'c>| access.full = false);
            return Some(all);
        }
        _ => {}
    }
    // Control flow may take another path: what is inside is not certainly done.
    let certain = op.regions().is_empty() || op.name().starts_with("linalg.");
    let mut all = Vec::new();
    for effect in op.effects()? {
        if effect.kind == EffectKind::Allocate {
            continue;
        }
        let value = effect.value?;
        if !ty::is_memref(value.ty()) {
            return None;
        }
        let write = effect.kind != EffectKind::Read;
        all.push(Access {
            region: region_of(value),
            write,
            full: certain && goes_over_all(op, value),
            whole_of: Some(value),
        });
    }
    Some(all)
}

/// Whether a structured operation goes over every element of an operand: its map names each dimension at most once (a diagonal
/// is not all), and the dimensions that it does not name have at least one iteration.
fn goes_over_all<'c>(op: Op<'c>, value: Value<'c>) -> bool {
    let Some(maps) = op.indexing_maps().and_then(affine::Map::list) else {
        return op.is("memref.dealloc");
    };
    let operands: Vec<(Value<'c>, &affine::Map)> = op.operands().into_iter().zip(&maps).collect();
    let has_iterations = |dim: usize| {
        operands.iter().any(|(operand, map)| {
            let at = map.results.iter().position(|result| *result == affine::Expr::Dim(dim));
            let size = at.and_then(|at| *MemRef::of(operand.ty())?.shape.get(at)?);
            size.is_some_and(|size| size > 0)
        })
    };
    let mut own = operands.iter().filter(|(operand, _)| *operand == value);
    own.all(|(_, map)| {
        let Some(dims) = map.as_dims() else { return false };
        let distinct = dims.iter().enumerate().all(|(i, dim)| !dims[..i].contains(dim));
        distinct && (0..map.num_dims).all(|dim| dims.contains(&dim) || has_iterations(dim))
    })
}
