//! Buffers that do not fit their memory in any run of the function.
//!
//! Only a certain overflow is an error: sizes are constant, the allocations are executed whenever the function is
//! (under no condition, and in loops that have an iteration), and none of those that are counted together can have been
//! freed. Other overflows are found by `zpu-sim`. A buffer that alone is too large for its memory is an error wherever
//! it stands if it is certainly allocated, and else a warning.

use std::collections::HashMap;

use zpu_device::{Device, Memory};
use zpu_ir::ops::is_ours;
use zpu_ir::scf::For;
use zpu_ir::ty::{MemRef, element_bytes};
use zpu_ir::{Block, Failed, Op, PassResult, Value, error, note, warning};

use zpu_analysis::region::{Root, region_of};

/// The most live buffers that a message lists, so that it fits a screen.
const LISTED: usize = 8;

/// What helps in most cases.
pub(crate) const REMEDY: &str = "use smaller tiles";

/// Stands for more bytes than a number has.
const UNCOUNTED: u64 = u64::MAX;

/// An allocation that is live for certain.
#[derive(Clone, Copy)]
struct Live<'c, 'd> {
    allocation: Op<'c>,
    memory: &'d Memory,
    bytes: u64,
}

/// What a check is told beside the function.
pub(crate) struct Check<'c, 'd> {
    pub(crate) device: &'d Device,
    /// The memories that allocations will be in, where their types do not say it.
    pub(crate) spaces: &'d HashMap<Op<'c>, String>,
    /// Allocations that are not counted, since nothing needs them.
    pub(crate) unused: &'d dyn Fn(Op<'c>) -> bool,
    /// Buffers that are live at the same time may have the same bytes later.
    pub(crate) will_share: bool,
    /// What the user should do first.
    pub(crate) remedy: &'d str,
}

/// Certain facts about the allocations of a function.
struct Certain<'c, 'd> {
    given: &'d Check<'c, 'd>,
    live: Vec<Live<'c, 'd>>,
    result: PassResult,
}

impl<'c> Check<'c, '_> {
    /// Checks a function.
    pub(crate) fn function(&self, function: Op<'c>) -> PassResult {
        let mut certain = Certain {
            given: self,
            live: Vec::new(),
            result: Ok(()),
        };
        if let Some(body) = function.body() {
            certain.block(body, true);
        }
        certain.result
    }
}

impl<'c, 'd> Certain<'c, 'd> {
    /// Goes over a block. `executed` is true if the block is executed whenever the function is.
    fn block(&mut self, block: Block<'c>, executed: bool) {
        let before = self.live.len();
        for op in block.ops() {
            match op.name() {
                "memref.alloc" | "memref.alloca" => self.allocate(op, executed),
                "memref.dealloc" => self.free(op.operand(0)),
                _ if op.regions().is_empty() => self.pass_on(op),
                _ if op.name().starts_with("linalg.") || is_ours(op) => {}
                _ => {
                    let runs = executed && runs_once_at_least(op);
                    let blocks: Vec<_> = op.regions().into_iter().flat_map(|region| region.blocks()).collect();
                    let first = blocks.first().copied();
                    for inner in blocks {
                        self.block(inner, runs && Some(inner) == first);
                    }
                }
            }
        }
        // A buffer of this block may be freed by the end of the iteration.
        self.live.retain(|live| live.allocation.block() != Some(block));
        debug_assert!(self.live.len() <= before);
    }

    fn allocate(&mut self, op: Op<'c>, executed: bool) {
        let Some(new) = self.live_of(op).filter(|_| !(self.given.unused)(op)) else {
            return;
        };
        let (capacity, name, remedy) = (new.memory.bytes, &new.memory.name, self.given.remedy);
        if new.bytes > capacity {
            let bytes = match new.bytes {
                UNCOUNTED => format!("more than {}", i64::MAX),
                bytes => bytes.to_string(),
            };
            let message = format!("the buffer needs {bytes} bytes of {name}, the device has {capacity}; {remedy}");
            if executed {
                error(op, &message, &[]);
                self.result = Err(Failed);
            } else {
                warning(op, &message, &[]);
            }
            return;
        }
        if !executed || self.given.will_share {
            return;
        }
        self.live.push(new);
        let mut here: Vec<Live<'c, 'd>> = self.live.clone();
        here.retain(|live| live.memory.name == *name);
        let total = here.iter().map(|live| live.bytes).fold(0, u64::saturating_add);
        if total > capacity {
            here.sort_by_key(|live| std::cmp::Reverse(live.bytes));
            let listed = here.iter().take(LISTED);
            let notes: Vec<_> = listed
                .map(|live| note(live.allocation, format!("{} bytes of it are this buffer", live.bytes)))
                .collect();
            let message = format!(
                "needs {total} bytes of {name} at once, the device has {capacity}; {remedy}, free buffers earlier, or \
                 let them share bytes (plan-memory=true)"
            );
            error(op, &message, &notes);
            self.result = Err(Failed);
            // The rest of the function is counted without it, so that one buffer too many is one error.
            self.live.pop();
        }
    }

    fn live_of(&self, op: Op<'c>) -> Option<Live<'c, 'd>> {
        let memref = MemRef::of(op.result(0).ty())?;
        let space = self.given.spaces.get(&op).map(String::as_str).or(memref.space())?;
        let memory = self.given.device.memory(space)?;
        let bytes = match memref.bytes() {
            Some(bytes) => u64::try_from(bytes)
                .ok()?
                .checked_next_multiple_of(memory.align.max(1))?,
            None if is_uncountable(&memref) => UNCOUNTED,
            None => return None,
        };
        Some(Live {
            allocation: op,
            memory,
            bytes,
        })
    }

    /// Marks a buffer as no longer certainly live; all of them if it may be any.
    fn free(&mut self, freed: Value<'c>) {
        match region_of(freed).root {
            Root::Allocation(root) | Root::Window(root) => self.live.retain(|live| live.allocation.result(0) != root),
            _ => self.live.clear(),
        }
    }

    /// Treats an operation that gets a buffer and is not known to keep it as one that may free it.
    fn pass_on(&mut self, op: Op<'c>) {
        let is_known = op.name().starts_with("memref.") && !op.is("memref.realloc")
            || is_ours(op)
            || op.name().starts_with("linalg.")
            || op.is_memory_effect_free();
        if !is_known {
            for operand in op
                .operands()
                .into_iter()
                .filter(|operand| zpu_ir::ty::is_memref(operand.ty()))
            {
                self.free(operand);
            }
        }
    }
}

/// True if the sizes of a buffer are known, and its bytes are more than a number has.
fn is_uncountable(memref: &MemRef<'_>) -> bool {
    let has_elements = memref.shape.iter().all(|size| size.is_some_and(|size| size > 0));
    has_elements && element_bytes(memref.element).is_some() && memref.bytes().is_none()
}

/// True if an operation is executed whenever its function is: it stands in first blocks of such operations.
pub(crate) fn is_executed(op: Op<'_>) -> bool {
    let mut inner = op;
    op.parents().take_while(|around| !around.is("func.func")).all(|around| {
        let is_first = inner.block().is_some()
            && inner.block() == around.regions().first().and_then(|region| region.first_block());
        inner = around;
        is_first && runs_once_at_least(around)
    })
}

/// True if the first block of an operation with regions is executed whenever the operation is.
fn runs_once_at_least(op: Op<'_>) -> bool {
    match op.name() {
        "scf.for" => For::of(op)
            .and_then(For::constant_trip_count)
            .is_some_and(|trips| trips > 0),
        "memref.alloca_scope" | "scf.execute_region" => true,
        _ => false,
    }
}
