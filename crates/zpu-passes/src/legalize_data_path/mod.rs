//! `zpu-legalize-data-path`: stages copies between two memories that no engine moves data between directly.
//!
//! Assumes memory spaces on the operands; a copy without one on both sides is left alone. Before, on a device with
//! routes `dram->rsram` and `rsram->asram`:
//!
//! ```mlir
//! memref.copy %a, %tile : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<asram>>
//! ```
//!
//! After:
//!
//! ```mlir
//! %stage = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
//! memref.copy %a, %stage : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<rsram>>
//! memref.copy %stage, %tile : memref<8x8xf32, #zpu.space<rsram>> to memref<8x8xf32, #zpu.space<asram>>
//! memref.dealloc %stage : memref<8x8xf32, #zpu.space<rsram>>
//! ```
//!
//! A copy that one vector engine can do, because its operand rule allows both memories, stays as it is. A copy without
//! any path is an error, and then the function is untouched. A copy through more strided dimensions than a transfer of
//! its route goes through becomes a loop of copies (`split`). Where one of these two may read what it wrote, because
//! its ends may overlap, a buffer of the same memory is between. Engines are chosen later, by `zpu-convert-to-dma`.

mod split;

use zpu_analysis::overlap::may_overlap;
use zpu_device::{Device, EngineKind};
use zpu_ir::ops::Computation;
use zpu_ir::options::LegalizeDataPathOptions;
use zpu_ir::{Builder, Failed, Op, PassResult, Remark, RemarkKind, annotation, attr, edit, error, note, ty};

use crate::data_path::{self, Copy};
use split::Split;

const PASS: &str = "zpu-legalize-data-path";

/// Runs the pass on a function.
pub(crate) fn run(function: Op<'_>, _options: &LegalizeDataPathOptions) -> PassResult {
    let copies = collect(function);
    if copies.is_empty() {
        return Ok(());
    }
    let device = zpu_ir::device::of(function)?;
    let staged = solve(&copies, &device)?;
    for (copy, between) in &staged {
        stage(*copy, between);
    }
    for split in split::splits(&collect(function), &device) {
        split.apply();
    }
    Ok(())
}

/// A copy with the names of the memories of its source and destination.
struct Located<'c> {
    op: Op<'c>,
    from: &'c str,
    to: &'c str,
}

fn collect<'c>(function: Op<'c>) -> Vec<Located<'c>> {
    let located = |op: Op<'c>| {
        let copy = Copy::of(op)?;
        let from = ty::MemRef::of(copy.source.ty())?.space()?;
        let to = ty::MemRef::of(copy.dest.ty())?.space()?;
        Some(Located { op, from, to })
    };
    let inside_command = |op: Op<'c>| op.parent().and_then(Computation::of).is_some();
    function
        .walk()
        .into_iter()
        .filter(|op| !inside_command(*op))
        .filter_map(located)
        .collect()
}

/// The copies that are not direct, each with the memories between its ends.
fn solve<'c>(copies: &[Located<'c>], device: &Device) -> Result<Vec<(Op<'c>, Vec<String>)>, Failed> {
    let mut staged = Vec::new();
    let mut failed = false;
    for copy @ Located { op, from, to } in copies {
        match device.data_path(from, to) {
            Some(path) if path.len() == 2 => {
                if may_overlap(*op) && (is_on_vector(copy, device) || Split::of(copy, device).is_some()) {
                    staged.push((*op, vec![(*from).to_owned()]));
                }
            }
            Some(path) => staged.push((*op, path[1..path.len() - 1].to_vec())),
            None => {
                failed = true;
                report_no_path(*op, from, to, device);
            }
        }
    }
    if failed { Err(Failed) } else { Ok(staged) }
}

/// True if a vector engine does a direct copy, element by element: the user wants it, or no DMA engine has the route.
fn is_on_vector(copy: &Located<'_>, device: &Device) -> bool {
    match copy.op.attr(annotation::ENGINE).and_then(attr::as_str) {
        Some(wanted) => device
            .engines_of_kind(EngineKind::Vector)
            .any(|engine| engine.name == wanted || engine.kind.to_string() == wanted),
        None => device.engines_for_route(copy.from, copy.to).is_empty(),
    }
}

fn report_no_path(op: Op<'_>, from: &str, to: &str, device: &Device) {
    let unknown = [from, to].into_iter().find(|space| device.memory(space).is_none());
    if let Some(space) = unknown {
        let known = device.memory_names();
        error(
            op,
            &format!("memory space '{space}' is not one of @{}: {known}", device.name),
            &[],
        );
        return;
    }
    let message = format!("no path of routes leads from {from} to {to}, so this copy cannot be done");
    let routes = format!(
        "the routes of @{} are {}; copy to a memory that one of them leads to",
        device.name,
        device.route_names()
    );
    error(op, &message, &[note(op, routes)]);
}

/// Makes the copy the last one of a chain through new buffers in the memories `between`.
fn stage(op: Op<'_>, between: &[String]) {
    let Some(copy) = Copy::of(op) else { return };
    // The buffer is made from the end of which more sizes are constant.
    let known = |value: zpu_ir::Value<'_>| ty::MemRef::of(value.ty()).map_or(0, |m| m.shape.iter().flatten().count());
    let like = if known(copy.dest) > known(copy.source) {
        copy.dest
    } else {
        copy.source
    };
    let mut before = Builder::before(op);
    let mut after = Builder::after(op);
    let mut source = copy.source;
    for space in between {
        let buffer = data_path::alloc_like(&mut before, like, space);
        data_path::copy(&mut before, source, buffer);
        source = buffer;
        data_path::dealloc(&mut after, buffer);
    }
    edit::set_operand(op, 0, source);
    Remark::new(op, RemarkKind::Passed, PASS, "staged")
        .message(format!("copy goes through {}", between.join(", ")))
        .emit();
}
