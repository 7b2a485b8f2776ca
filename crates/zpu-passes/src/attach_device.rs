//! `zpu-attach-device`.

use zpu_ir::options::AttachDeviceOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &AttachDeviceOptions) -> PassResult {
    Ok(())
}
