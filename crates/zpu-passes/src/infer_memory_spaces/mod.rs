//! `zpu-infer-memory-spaces`: gives every buffer a memory space, by the demands of the engines on their operands.
//!
//! Assumes a device in the module. Before, on a device whose tensor engine wants A in `asram`, B in `wsram`, C in
//! `rsram`:
//!
//! ```mlir
//! func.func @f(%x: memref<8x8xf32>, %b: memref<8x8xf32, #zpu.space<wsram>>, %c: memref<8x8xf32, #zpu.space<rsram>>) {
//!   %a = memref.alloc() : memref<8x8xf32>
//!   memref.copy %x, %a : memref<8x8xf32> to memref<8x8xf32>
//!   linalg.matmul ins(%a, %b : ...) outs(%c : ...)
//!   memref.dealloc %a : memref<8x8xf32>
//!   return
//! }
//! ```
//!
//! After: `%x` is in `dram`, since arguments are off-chip, and `%a` in `asram`, since it is operand A.
//!
//! Two demands that no single memory meets are met by a copy to a second buffer. If no path leads there, or none from
//! the memory that a buffer is loaded from to the one that is demanded, both operations are reported and the module is
//! untouched. Buffers that loops carry, branches choose between, or functions of the module pass to each other get one
//! space together; the results of a public function are off-chip, as its arguments are, and so are globals. A buffer
//! whose memory escapes (a call of a function without a body, branches between blocks) keeps its type, and so do
//! buffers of a function that is referred to other than by calls. Buffers that certainly do not fit their memories are
//! errors as well ([`crate::capacity`]). Dead fills are erased and byte buffers get a type as well, since both would
//! hinder later passes. Copies without a direct route are left to `zpu-legalize-data-path`, the choice of engines to
//! `zpu-convert-to-dma`.
//!
//! It runs on the module, not on functions, because it changes the types of functions and has to know their callers.

mod assign;
mod buffers;
mod byte_buffers;
mod dead_fills;
mod demands;
mod joins;
mod overlap;
mod staging;

use std::collections::HashSet;

use zpu_device::Device;
use zpu_ir::options::InferMemorySpacesOptions;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, attr, edit, error, ty};

use crate::buffer_notes::Before;
use crate::capacity::{self, Check};
use crate::data_path::Copy;
use assign::{Facts, Spaces};
use buffers::{Buffer, Buffers, Space};
use byte_buffers::ByteBuffer;
use staging::Stage;

const PASS: &str = "zpu-infer-memory-spaces";

/// Runs the pass on a module.
pub(crate) fn run(module: Op<'_>, options: &InferMemorySpacesOptions) -> PassResult {
    let functions: Vec<Op<'_>> = module.body().map(|body| body.ops().collect()).unwrap_or_default();
    let functions: Vec<Op<'_>> = functions
        .into_iter()
        .filter(|op| op.is("func.func") && op.body().is_some())
        .collect();
    let Some(first) = functions.first() else { return Ok(()) };
    let device = zpu_ir::device::of(*first)?;
    // The plan is made before the first edit, so that a failure leaves the module as it was.
    let plan = plan(module, functions, &device, options.plan_memory)?;
    let notes = Before::of(module);
    plan.apply();
    notes.drop_changed(module);
    Ok(())
}

/// All edits of a module.
struct Plan<'c> {
    functions: Vec<Op<'c>>,
    dead_fills: Vec<Op<'c>>,
    /// Buffers that get a space, and the space.
    typed: Vec<(Buffer<'c>, String)>,
    stages: Vec<Stage<'c>>,
    byte_buffers: Vec<ByteBuffer<'c>>,
}

fn plan<'c>(module: Op<'c>, functions: Vec<Op<'c>>, device: &Device, will_share: bool) -> Result<Plan<'c>, Failed> {
    let buffers = Buffers::collect(module, &functions);
    check_spaces(&buffers, device)?;
    let dead_fills: Vec<Op<'c>> = functions.iter().flat_map(|f| dead_fills::find(*f, &buffers)).collect();
    let dead: HashSet<Op<'c>> = dead_fills.iter().copied().collect();
    let live = functions.iter().flat_map(|function| function.walk());
    let live: Vec<Op<'c>> = live.filter(|op| !dead.contains(op)).collect();
    let facts = Facts {
        device,
        demands: live.iter().flat_map(|op| demands::of(*op, device)).collect(),
        copies: live.iter().filter_map(|op| Copy::of(*op)).collect(),
        buffers,
    };
    let spaces = assign::assign(&facts);
    let stages = staging::plan(&facts, &spaces)?;
    let byte_buffers = facts.buffers.list.iter().flat_map(ByteBuffer::of).collect();
    let Spaces(spaces) = spaces;
    let typed = facts
        .buffers
        .list
        .into_iter()
        .zip(spaces)
        .filter_map(|(buffer, space)| {
            let is_new = buffer.space == Space::Open;
            space.filter(|_| is_new).map(|space| (buffer, space))
        });
    let typed: Vec<_> = typed.collect();
    let spaces = typed
        .iter()
        .flat_map(|(buffer, space)| buffer.roots.iter().map(|root| (root.origin, space.clone())))
        .collect();
    let unused = |allocation: Op<'c>| {
        let users = allocation.result(0).uses().into_iter().map(|used| used.op);
        let mut needed = users.filter(|user| !user.is("memref.dealloc") && !dead.contains(user));
        needed.next().is_none()
    };
    // All functions are checked, so that all errors are reported at once.
    let check = Check {
        device,
        spaces: &spaces,
        unused: &unused,
        will_share,
        remedy: capacity::REMEDY,
    };
    let fits = |function: &Op<'c>| check.function(*function);
    functions.iter().map(fits).fold(Ok(()), Result::and)?;
    Ok(Plan {
        functions,
        dead_fills,
        typed,
        stages,
        byte_buffers,
    })
}

fn check_spaces(buffers: &Buffers<'_>, device: &Device) -> PassResult {
    let mut result = Ok(());
    for buffer in &buffers.list {
        if let Space::Named(name) = buffer.space
            && device.memory(name).is_none()
        {
            let known = device.memory_names();
            let who = buffer.describe();
            error(
                buffer.origin(),
                &format!("{who} is in the unknown space '{name}'; @{} has {known}", device.name),
                &[],
            );
            result = Err(Failed);
        }
    }
    result
}

impl Plan<'_> {
    fn apply(self) {
        for fill in self.dead_fills {
            Remark::new(fill, RemarkKind::Passed, PASS, "dead-fill")
                .message("the fill is overwritten before it is read")
                .emit();
            edit::erase(fill);
        }
        for (buffer, space) in &self.typed {
            let context = buffer.origin().context();
            for global in &buffer.globals {
                let memref = global.attr("type").and_then(attr::as_type).and_then(ty::MemRef::of);
                if let Some(memref) = memref {
                    global.set_attr("type", attr::type_attr(memref.with_space(context, space)));
                }
            }
            for value in &buffer.values {
                if let Some(memref) = ty::MemRef::of(value.ty()) {
                    edit::set_type(*value, memref.with_space(context, space));
                }
            }
        }
        for function in &self.functions {
            edit::update_function_type(*function);
        }
        for stage in &self.stages {
            stage.apply();
        }
        for bytes in self.byte_buffers {
            bytes.rewrite();
        }
    }
}
