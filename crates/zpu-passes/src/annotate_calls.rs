//! `zpu-annotate-calls`: writes on calls what their functions free and give away, for passes on functions, which look
//! at no other function.

use zpu_analysis::calls::annotate;
use zpu_ir::{Op, PassResult};

/// Runs the pass on a module.
pub(crate) fn run(module: Op<'_>) -> PassResult {
    annotate(module);
    Ok(())
}
