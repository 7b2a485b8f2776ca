//! Reads and writes of operations, and fences: operations whose accesses are not known.

use zpu_ir::ops::{Compute, ComputeStart, Dma, DmaStart, DmaTransfer};
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Block, EffectKind, Op, Value, affine, scope};

use crate::names::Mlir;
use crate::region::{Region, element_of, region_of};
use crate::seeded;
use crate::view::alternatives;

/// One region that an operation reads or writes.
pub type Access<'c> = zpu_sync::index::Access<Mlir<'c>>;

/// The reason why an operation is a fence: nothing may be moved over it, and it must be done exactly as often as it is
/// written.
#[derive(Clone, Debug)]
pub struct Fence {
    /// The reason as one kebab-case word, for programs.
    pub reason: &'static str,
    /// The reason in words.
    pub message: String,
}

/// Finds the reason why an operation has no [`accesses`].
pub fn fence_of(op: Op<'_>) -> Fence {
    let Some(at) = op.walk().into_iter().find(|inner| is_fence(*inner)) else {
        return Fence {
            reason: "unknown-effects",
            message: format!("the effects of {} are not known", op.name()),
        };
    };
    let (reason, message) = match at.name() {
        name if is_atomic(at) => (
            "atomic",
            format!("{name} must be done exactly as often and in the order written"),
        ),
        name if name.ends_with(".call") || name.ends_with(".call_indirect") => (
            "unknown-effects",
            format!("what is called by {name} may access anything"),
        ),
        name => ("unknown-effects", format!("the effects of {name} are not known")),
    };
    Fence { reason, message }
}

fn is_atomic(op: Op<'_>) -> bool {
    matches!(op.name(), "memref.atomic_rmw" | "memref.generic_atomic_rmw")
}

fn is_fence(op: Op<'_>) -> bool {
    let names_memory = || {
        let effects = op.effects()?;
        let mut others = effects.iter().filter(|effect| effect.kind != EffectKind::Allocate);
        Some(others.all(|effect| effect.value.is_some_and(|value| ty::is_memref(value.ty()))))
    };
    is_atomic(op) || op.regions().is_empty() && names_memory() != Some(true)
}

/// All regions that an operation and the operations in it read and write; `None` for a fence ([`fence_of`] says why).
pub fn accesses<'c>(op: Op<'c>) -> Option<Vec<Access<'c>>> {
    match op.name() {
        "memref.load" | "memref.store" => {
            let first = usize::from(op.is("memref.store"));
            let indices = op.operands().split_off(first + 1);
            return Some(named(element_of(op.operand(first), &indices), first == 1, true, None));
        }
        "memref.copy" => return Some(copied(op.operand(0), op.operand(1))),
        Dma::NAME | DmaStart::NAME => {
            let transfer = DmaTransfer::of(op)?;
            return Some(copied(transfer.source, transfer.dest));
        }
        Compute::NAME | ComputeStart::NAME => {
            let mut all = Vec::new();
            for inner in op.body()?.ops() {
                all.extend(accesses(inner)?);
            }
            return Some(all);
        }
        _ if is_control_flow(op) => return inside(op),
        _ if op.walk().into_iter().any(is_atomic) => return None,
        _ => {}
    }
    let certain = op.regions().is_empty() || op.name().starts_with("linalg.");
    let operands = op.operands();
    let mut all = Vec::new();
    for effect in op.effects()? {
        if effect.kind == EffectKind::Allocate {
            continue;
        }
        let value = effect.value?;
        if !ty::is_memref(value.ty()) {
            return None;
        }
        let (write, before) = (effect.kind != EffectKind::Read, all.len());
        if !write && only_gives_its_shape(op, value) {
            continue;
        }
        if value.is_defined_inside(op) || !operands.contains(&value) {
            // A scalar access in the region of a structured operation, at indices that are computed there.
            let region = region_of(value).outside(op);
            all.extend(named(region, write, false, None));
        } else {
            let full = certain && goes_over_all(op, value);
            all.extend(named(region_of(value), write, full, Some(value)));
        }
        if effect.kind == EffectKind::Free {
            all[before..].iter_mut().for_each(|access| access.ends = true);
        }
    }
    Some(all)
}

/// The accesses of a copy of all of a memref.
fn copied<'c>(source: Value<'c>, dest: Value<'c>) -> Vec<Access<'c>> {
    let access = |value, write| named(region_of(value), write, true, Some(value));
    [access(source, false), access(dest, true)].concat()
}

/// One access for each memory that the region may be in. Only an access with a single memory can be full.
fn named<'c>(region: Region<'c>, write: bool, full: bool, whole_of: Option<Value<'c>>) -> Vec<Access<'c>> {
    let regions = alternatives(region);
    let full = full && regions.len() == 1;
    let access = |region| Access {
        region,
        write,
        full,
        whole_of,
        ends: false,
    };
    regions.into_iter().map(access).collect()
}

/// Writes of the whole of a memref, one for each memory that it may be in.
pub fn places_of(memref: Value<'_>) -> Vec<Access<'_>> {
    named(region_of(memref), true, true, Some(memref))
}

/// The automatic allocations that end with a block, each as a write of all of it: control leaves their scope there. At
/// the end of a function, its return stands for that.
pub fn ending_with(block: Block<'_>) -> Vec<Access<'_>> {
    let is_exit = block.terminator().is_none_or(|end| !end.name().starts_with("cf."));
    let scope = block
        .parent_op()
        .filter(|op| is_exit && scope::ends_allocas(*op) && !op.is("func.func"));
    let inside = scope.map_or_else(Vec::new, |scope| scope.walk());
    let allocas = inside
        .into_iter()
        .filter(|op| op.is("memref.alloca") && scope::of_alloca(*op) == scope);
    let mut all: Vec<Access<'_>> = allocas.flat_map(|alloca| places_of(alloca.result(0))).collect();
    all.iter_mut().for_each(|access| access.ends = true);
    all
}

/// True if an operation only decides which of the operations in it are done and how often.
fn is_control_flow(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "scf.if"
            | "scf.for"
            | "scf.while"
            | "scf.execute_region"
            | "scf.index_switch"
            | "affine.for"
            | "affine.if"
            | "memref.alloca_scope"
    )
}

/// Accesses of the operations inside, none of which is certain. Those of a loop are taken over all of its iterations.
fn inside<'c>(op: Op<'c>) -> Option<Vec<Access<'c>>> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    let mut all = Vec::new();
    for inner in blocks
        .flat_map(|block| block.ops())
        .filter(|op| !op.is_memory_effect_free())
    {
        all.extend(accesses(inner)?);
    }
    let seen = |access: Access<'c>| Access {
        full: access.full && seeded!(CertainBranch),
        ..if zpu_ir::scf::is_loop(op) {
            access.outside(op)
        } else {
            access
        }
    };
    Some(all.into_iter().map(seen).collect())
}

/// True if a structured operation goes over every element of an operand: its map names each dimension at most once (a
/// diagonal is not all), and the dimensions that it does not name have at least one iteration.
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

/// True if a structured operation reads no element of an operand, like the window of a pooling.
fn only_gives_its_shape<'c>(op: Op<'c>, value: Value<'c>) -> bool {
    let body = op.regions().first().and_then(|region| region.first_block());
    let (operands, elements) = (op.operands(), body.map(Block::args).unwrap_or_default());
    let own = operands.iter().zip(&elements).filter(|(operand, _)| **operand == value);
    op.name().starts_with("linalg.")
        && operands.len() == elements.len()
        && operands.contains(&value)
        && own.map(|(_, element)| element).all(|element| element.is_unused())
}

/// Operations that a unit does one after the other, each with its accesses.
pub fn steps<'c>(op: Op<'c>, all: &[Access<'c>]) -> Vec<(Op<'c>, Vec<Access<'c>>)> {
    let inner =
        |body: zpu_ir::Block<'c>| -> Option<Vec<_>> { body.ops().map(|op| Some((op, accesses(op)?))).collect() };
    Compute::of(op)
        .and_then(|compute| inner(compute.body()))
        .unwrap_or_else(|| vec![(op, all.to_vec())])
}
