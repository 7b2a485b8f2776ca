//! `zpu-record-remarks`: lets a function carry the remarks of the passes that follow, for `zpu-print-report`.
//!
//! Assumes nothing. Changes nothing but the attribute `zpu.remarks` of the function, in which each loop that exists now
//! gets an entry, so that the report accounts for all of them:
//!
//! ```mlir
//! func.func @f() {
//! // becomes
//! func.func @f() attributes {zpu.remarks = []} {
//! ```

use zpu_ir::record::{self, LOOP};
use zpu_ir::scf::is_loop;
use zpu_ir::{Op, PassResult, Remark, RemarkKind};

const PASS: &str = "zpu-record-remarks";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>) -> PassResult {
    record::start(function);
    for op in function.walk().into_iter().filter(|op| is_loop(*op)) {
        let around = op.parents().filter(|parent| is_loop(*parent)).count();
        Remark::new(op, RemarkKind::Analysis, PASS, LOOP)
            .message("a loop")
            .metric("Around", around)
            .emit();
    }
    Ok(())
}
