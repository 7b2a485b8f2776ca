//! The loop over kernel iterations: it carries the instances of values that cross from one kernel iteration to a later
//! one.

use zpu_ir::{Builder, Value, ty};

use super::kernel::{Copies, CrossStageValue};

/// Results of a loop: for each cross-stage value its instances of the last kernel iterations, latest first.
pub(super) type Handed<'c> = Vec<Vec<Value<'c>>>;

/// Writes a loop over `kernel_iterations`, counted from 0; `kernel_iteration(copies, builder, number)` emits the body
/// of one.
///
/// The instance that a unit of stage `s` makes in a kernel iteration is iteration `last - s` among the copies.
/// `before(cross_stage, back)` is the instance from `back` kernel iterations before the first one.
pub(super) fn loop_over_kernel_iterations<'p, 'c>(
    copies: Copies<'p, 'c>,
    builder: &mut Builder<'c>,
    kernel_iterations: Value<'c>,
    cross_stage_values: &[CrossStageValue<'c>],
    mut before: impl FnMut(&mut Builder<'c>, &CrossStageValue<'c>, i64) -> Value<'c>,
    kernel_iteration: impl FnOnce(&mut Copies<'p, 'c>, &mut Builder<'c>, Value<'c>),
) -> Handed<'c> {
    let mut copies = copies;
    let planned = copies.planned;
    let last = planned.last_stage();
    let mut operands = vec![builder.index(0), kernel_iterations, builder.index(1)];
    let mut types = Vec::new();
    for cross_stage in cross_stage_values {
        for back in 1..=cross_stage.kernel_iterations {
            operands.push(before(builder, cross_stage, back));
            types.push(cross_stage.value.ty());
        }
    }
    let mut args = vec![ty::index(builder.context())];
    args.extend(&types);
    let loop_ = builder.op_with_regions("scf.for", &operands, &types, &[], &[&args]);
    let block = loop_.body().expect("just made with a block");
    let mut values = block.args().into_iter();
    let number = values.next().expect("a loop has an induction variable");
    for cross_stage in cross_stage_values {
        for (back, value) in (1..=cross_stage.kernel_iterations).zip(values.by_ref()) {
            copies.record(cross_stage.value, last - cross_stage.stage - back, value);
        }
    }
    let mut inside = Builder::at_end(block, planned.body.for_.op);
    kernel_iteration(&mut copies, &mut inside, number);
    let mut yields = Vec::new();
    for cross_stage in cross_stage_values {
        for back in 0..cross_stage.kernel_iterations {
            let value = copies.instance(cross_stage.value, last - cross_stage.stage - back);
            yields.push(value.expect("made in this kernel_iteration or carried into it"));
        }
    }
    inside.op("scf.yield", &yields, &[], &[]);
    let mut results = loop_.results().into_iter();
    let handed =
        |cross_stage: &CrossStageValue<'c>| results.by_ref().take(cross_stage.kernel_iterations as usize).collect();
    cross_stage_values.iter().map(handed).collect()
}

/// Emits a value that is never read: a carried scalar before its first instance exists.
pub(super) fn poison<'c>(builder: &mut Builder<'c>, like: Value<'c>) -> Value<'c> {
    builder.op("ub.poison", &[], &[like.ty()], &[]).result(0)
}
