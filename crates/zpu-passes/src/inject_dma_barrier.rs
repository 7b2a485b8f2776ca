//! `zpu-inject-dma-barrier`.

use zpu_ir::options::InjectDmaBarrierOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &InjectDmaBarrierOptions) -> PassResult {
    Ok(())
}
