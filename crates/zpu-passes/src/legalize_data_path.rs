//! `zpu-legalize-data-path`.

use zpu_ir::options::LegalizeDataPathOptions;
use zpu_ir::{Op, PassResult};

/// Runs the pass.
pub(crate) fn run(_op: Op<'_>, _options: &LegalizeDataPathOptions) -> PassResult {
    Ok(())
}
