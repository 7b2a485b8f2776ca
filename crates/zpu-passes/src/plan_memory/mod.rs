use zpu_ir::options::PlanMemoryOptions;
use zpu_ir::{Op, PassResult};
pub(crate) fn run(_module: Op<'_>, _options: &PlanMemoryOptions) -> PassResult {
    Ok(())
}
