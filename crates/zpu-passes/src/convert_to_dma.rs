//! `zpu-convert-to-dma`.

use zpu_ir::options::ConvertToDmaOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &ConvertToDmaOptions) -> PassResult {
    Ok(())
}
