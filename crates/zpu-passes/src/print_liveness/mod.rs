//! `zpu-print-liveness`: prints where each on-chip buffer is alive, and the most bytes that are alive at once.
//!
//! Assumes a device, and changes nothing. Commands may be synchronous or asynchronous. For each on-chip allocation of
//! constant size it emits a diagnostic of severity remark, and one for each memory at the function:
//!
//! ```mlir
//! %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>       // remark: buffer %alloc of rsram: 64 bytes, alive from
//! zpu.dma %x to %a on @odma0 : ...                             //         zpu.dma (line 2) to zpu.dma (line 3)
//! zpu.dma %a to %y on @odma1 : ...
//! ```
//!
//! Lives are those of `zpu_analysis::liveness`; what that does not follow is alive during the whole function.

mod text;

use zpu_analysis::liveness::{Liveness, liveness};
use zpu_ir::{Names, Op, PassResult, device, remark_diagnostic};

use text::Printer;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>) -> PassResult {
    let device = device::of(function)?;
    let found = liveness(function, &device);
    if found.buffers.is_empty() && found.unplanned.is_empty() {
        return Ok(());
    }
    let names = Names::of(function);
    let printer = Printer {
        liveness: &found,
        names: &names,
    };
    for space in found.spaces() {
        remark_diagnostic(function, &printer.space(space), &[]);
    }
    report_buffers(&found, &printer);
    for unplanned in &found.unplanned {
        let name = names.name(unplanned.op.result(0));
        let message = format!("buffer {name} of {}: its size is not constant", unplanned.space);
        remark_diagnostic(unplanned.op, &message, &[]);
    }
    Ok(())
}

fn report_buffers(found: &Liveness<'_>, printer: &Printer<'_, '_>) {
    for id in found.ids() {
        if let Some(op) = found.buffer(id).op() {
            remark_diagnostic(op, &printer.buffer(id), &[]);
        }
    }
}
