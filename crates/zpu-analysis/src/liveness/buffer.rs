//! On-chip allocations of a function.

use zpu_device::Device;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, Value, scf};

use crate::access::accesses;
use crate::footprint::footprint;
use crate::problem::memory::is_terminator;
use crate::region::{Root, region_of};
use crate::root::origins;
use crate::slot::alignment;

/// The number of a buffer in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub usize);

/// An allocation of constant size in an on-chip memory of the device.
#[derive(Clone, Debug)]
pub struct Buffer<'c> {
    /// The allocation's result.
    pub value: Value<'c>,
    /// The memory.
    pub space: &'c str,
    /// Bytes of all versions, a multiple of the alignment.
    pub bytes: u64,
    /// Bytes that its address is a multiple of.
    pub alignment: u64,
    /// Slots that are told apart: those of a ring, 1 otherwise.
    pub versions: u32,
    /// Bytes from one slot to the next one; all bytes of a buffer of one version.
    pub pitch: u64,
    /// The loops whose iterations choose among the slots.
    pub counted_by: Vec<Op<'c>>,
    /// The first operation that the analysis does not follow the buffer through.
    pub escapes: Option<Op<'c>>,
}

impl<'c> Buffer<'c> {
    /// The allocation.
    pub fn op(&self) -> Option<Op<'c>> {
        self.value.defining_op()
    }
}

/// An on-chip allocation that no address can be given.
#[derive(Clone, Copy, Debug)]
pub struct Unplanned<'c> {
    /// The allocation.
    pub op: Op<'c>,
    /// The memory.
    pub space: &'c str,
}

/// The allocations of a function in memories that are wanted, in program order: those of constant size, and the others.
pub(super) fn buffers<'c>(
    function: Op<'c>,
    device: &Device,
    wanted: impl Fn(&str) -> bool,
) -> (Vec<Buffer<'c>>, Vec<Unplanned<'c>>) {
    let (mut buffers, mut unplanned) = (Vec::new(), Vec::new());
    let is_single_block = function.regions().iter().all(|region| region.blocks().len() <= 1);
    for op in function.walk() {
        if !matches!(op.name(), "memref.alloc" | "memref.alloca") {
            continue;
        }
        let value = op.result(0);
        let Some(memref) = MemRef::of(value.ty()) else { continue };
        let Some(space) = memref.space().filter(|space| wanted(space)) else {
            continue;
        };
        let sized = footprint(value, device).filter(|_| memref.has_static_shape() && memref.is_identity_layout());
        let Some((_, bytes)) = sized else {
            unplanned.push(Unplanned { op, space });
            continue;
        };
        buffers.push(Buffer {
            value,
            space,
            bytes,
            alignment: alignment(op, Some(device)),
            versions: 1,
            pitch: bytes,
            counted_by: Vec::new(),
            // Blocks that branch to each other have no timeline.
            escapes: if is_single_block { escape(value) } else { Some(function) },
        });
    }
    (buffers, unplanned)
}

/// True for the memories whose bytes are planned.
pub(super) fn is_on_chip(space: &str, device: &Device) -> bool {
    space != device.off_chip && device.memory(space).is_some()
}

/// The first use of a buffer, or of a value that may be it, that is no view, no access of a known region, no control
/// flow that is followed, and no call that hands nothing back.
fn escape(root: Value<'_>) -> Option<Op<'_>> {
    let mut seen = vec![root];
    let mut next = 0;
    while let Some(value) = seen.get(next).copied() {
        next += 1;
        for used in value.uses() {
            let user = used.op;
            let followed = match user.name() {
                "memref.dealloc" | "memref.dim" => Vec::new(),
                "scf.for" | "scf.yield" | "arith.select" => chosen(user, used.index),
                "func.call" if !user.results().iter().any(|result| ty::is_memref(result.ty())) => Vec::new(),
                // Whoever gets it reads it later.
                _ if is_terminator(user) => return Some(user),
                "memref.store" if used.index == 0 => return Some(user),
                _ => {
                    let views: Vec<Value<'_>> = user.results();
                    let memrefs: Vec<Value<'_>> = views.into_iter().filter(|view| ty::is_memref(view.ty())).collect();
                    let is_view = !memrefs.is_empty() && user.is_memory_effect_free() && user.regions().is_empty();
                    if !is_view && !is_access(user) {
                        return Some(user);
                    }
                    memrefs
                }
            };
            for value in followed {
                if !is_followed(value, root) {
                    return Some(user);
                }
                if !seen.contains(&value) {
                    seen.push(value);
                }
            }
        }
    }
    None
}

/// The operation by which an allocation outlives the iteration that it is made in, where a later iteration makes it
/// again: both are alive then, so they cannot have one address. None if there is no such operation.
pub fn handed_on(allocation: Op<'_>) -> Option<Op<'_>> {
    let mut seen = vec![*allocation.results().first()?];
    let mut next = 0;
    while let Some(value) = seen.get(next).copied() {
        next += 1;
        for used in value.uses() {
            let user = used.op;
            let is_again = |around: Op<'_>| scf::is_loop(around) && around.contains(allocation);
            let (made, is_handed_on) = match user.name() {
                "scf.yield" | "scf.condition" => {
                    let ends = user.parent();
                    (ends.unwrap_or(user), ends.is_some_and(is_again))
                }
                // Whoever reads the table in a later iteration finds it there.
                "memref.store" if used.index == 0 => (user, user.parents().any(is_again)),
                _ => (user, false),
            };
            if is_handed_on {
                return Some(user);
            }
            // Whatever else it may become is more than enough.
            let blocks = made.regions().into_iter().flat_map(|region| region.blocks());
            let args = blocks.flat_map(|block| block.args());
            for value in made.results().into_iter().chain(args) {
                if ty::is_memref(value.ty()) && !seen.contains(&value) {
                    seen.push(value);
                }
            }
        }
    }
    None
}

/// The values that an operand of control flow becomes.
fn chosen(user: Op<'_>, operand: usize) -> Vec<Value<'_>> {
    match user.name() {
        "arith.select" => user.results(),
        "scf.for" => {
            let at = operand.saturating_sub(3);
            let arg = user.body().and_then(|body| body.args().get(at + 1).copied());
            arg.into_iter().chain(user.results().get(at).copied()).collect()
        }
        _ => {
            let Some(parent) = user.parent() else { return Vec::new() };
            let arg = || parent.body()?.args().get(operand + 1).copied();
            let arg = if parent.is("scf.for") { arg() } else { None };
            arg.into_iter().chain(parent.results().get(operand).copied()).collect()
        }
    }
}

/// True if the analysis knows that a value may be the buffer.
fn is_followed<'c>(value: Value<'c>, root: Value<'c>) -> bool {
    let is_root = |of: &Root<'c>| of.allocation() == Some(root);
    match region_of(value).root {
        Root::Unknown(base) => origins(base).is_some_and(|roots| roots.iter().any(is_root)),
        of => is_root(&of),
    }
}

/// True if all that an operation does with memory is known.
fn is_access(user: Op<'_>) -> bool {
    (user.regions().is_empty() || user.name().starts_with("linalg.")) && accesses(user).is_some()
}
