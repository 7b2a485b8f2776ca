//! `zpu-multi-version-buffer`.

use zpu_ir::options::MultiVersionBufferOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &MultiVersionBufferOptions) -> PassResult {
    Ok(())
}
