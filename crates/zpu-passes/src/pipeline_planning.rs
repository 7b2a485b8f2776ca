//! `zpu-pipeline-planning`.

use zpu_ir::options::PipelinePlanningOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &PipelinePlanningOptions) -> PassResult {
    Ok(())
}
