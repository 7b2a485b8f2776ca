//! `zpu-infer-memory-spaces`.

use zpu_ir::options::InferMemorySpacesOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &InferMemorySpacesOptions) -> PassResult {
    Ok(())
}
