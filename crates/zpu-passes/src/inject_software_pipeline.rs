//! `zpu-inject-software-pipeline`.

use zpu_ir::options::InjectSoftwarePipelineOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &InjectSoftwarePipelineOptions) -> PassResult {
    Ok(())
}
