//! Tests of a trip count between two plans of a loop.
//!
//! `zpu-select-plan` writes a loop twice, under a test of its trip count: the first one is for runs that are long
//! enough for its plan. How long that is depends on the plan's last stage, which is known only now; with a test that
//! lets shorter runs through, these would not be overlapped at all. So the bound is raised to the last stage.
//!
//! Invariant: both regions do the same, so it does not matter for the values which one is taken.

use zpu_ir::arith::{CmpIPredicate, cmpi_predicate};
use zpu_ir::{Builder, Op, annotation, attr, edit, ty};

/// Raises the bounds of the tests in a function, once its loops are planned.
pub(super) fn raise(function: Op<'_>) {
    for branch in function.find_all("scf.if") {
        if branch.has_attr(annotation::BY_TRIP_COUNT) {
            branch.remove_attr(annotation::BY_TRIP_COUNT);
            raise_one(branch);
        }
    }
}

fn raise_one(branch: Op<'_>) -> Option<()> {
    let body = branch.regions().first()?.first_block()?;
    let mut loops = body.ops().filter(|op| op.is("scf.for"));
    // What is left over of an unrolled loop has its own.
    let (Some(planned), None) = (loops.next(), loops.next()) else {
        return None;
    };
    let (_, stages) = planned.attr(annotation::PIPELINE).and_then(attr::as_pipeline)?;
    let test = branch.operand(0).defining_op()?;
    let bound = test.operands().get(1)?.as_constant_int()?;
    let is_trip_count = cmpi_predicate(test) == Some(CmpIPredicate::Sgt) && ty::is_index(test.operand(0).ty());
    if is_trip_count && bound < stages - 1 {
        let mut builder = Builder::before(branch);
        let bound = builder.index(stages - 1);
        let enough = builder.compare(CmpIPredicate::Sgt, test.operand(0), bound);
        edit::set_operand(branch, 0, enough);
    }
    Some(())
}
