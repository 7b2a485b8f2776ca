//! A condition around a loop that may have no iteration, and around the copies that moved out of it.

use zpu_ir::arith::CmpIPredicate;
use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, edit};

/// Puts an `scf.if` around a loop without results and what moved out of it: it asks whether the loop has an iteration.
/// Where a loop around it holds nothing else, and its bounds come from outside that one, the condition goes around
/// both.
pub(super) fn put_around<'c>(for_: For<'c>, moved: &[Op<'c>]) {
    let around = outermost(for_, moved);
    let mut builder = Builder::before(around);
    let predicate = if for_.is_unsigned() {
        CmpIPredicate::Ult
    } else {
        CmpIPredicate::Slt
    };
    let has_one = builder.compare(predicate, for_.lower(), for_.upper());
    let guard = builder.guard(has_one, &[]);
    let block = guard.body().expect("just made with a block");
    let held: Vec<Op<'c>> = if around == for_.op {
        let beside = for_.op.block().expect("a loop is in a block").ops();
        beside.filter(|op| *op == for_.op || moved.contains(op)).collect()
    } else {
        vec![around]
    };
    held.into_iter().for_each(|op| edit::move_to_end(op, block));
    Builder::at_end(block, around).op("scf.yield", &[], &[], &[]);
}

/// The outermost loop that does nothing but what is held, and that decides nothing about the number of iterations.
fn outermost<'c>(for_: For<'c>, moved: &[Op<'c>]) -> Op<'c> {
    let mut around = for_.op;
    while let Some(parent) = around.parent().and_then(For::of) {
        let is_held = |op: &Op<'c>| {
            *op == around
                || moved.contains(op)
                || op.is_memory_effect_free()
                || matches!(op.name(), "memref.alloc" | "memref.dealloc")
        };
        let decides = [for_.lower(), for_.upper()]
            .into_iter()
            .any(|bound| bound.is_defined_inside(parent.op));
        if decides || parent.op.num_results() > 0 || !parent.ops().iter().all(is_held) {
            break;
        }
        around = parent.op;
    }
    around
}
