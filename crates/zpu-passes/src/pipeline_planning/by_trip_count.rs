//! Tests of a trip count between two plans of a loop.
//!
//! `zpu-select-plan` writes a loop twice, under a test of its trip count: the first one is for runs that are long
//! enough for its plan. How long that is depends on the plan's last stage, which is known only now; with a test that
//! lets shorter runs through, these would not be overlapped at all. So the bound is raised to the last stage.
//!
//! A bound of 0 leaves all to the plan; then the other loop has the same plan in the predicated form, which overlaps
//! runs of any length. There the bound is half as much again as the last stage. In a pipeline whose kernel has few
//! iterations, what comes after the kernel waits for commands of before it, and which of them that are depends on the
//! number of iterations: it waits for the last one. On `trainium2-core` that makes runs of 16 iterations with 15 stages
//! 15 % slower, and on `sunmmio-a4e`, with 4, the pipeline is the faster one from 6 on.
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
    let last = stages - 1;
    let least = if bound == 0 { last + last / 2 } else { last };
    if is_trip_count && bound < least {
        let mut builder = Builder::before(branch);
        let bound = builder.index(least);
        let enough = builder.compare(CmpIPredicate::Sgt, test.operand(0), bound);
        edit::set_operand(branch, 0, enough);
    }
    Some(())
}
