//! The loop over turns: it carries the instances of what crosses from one turn to a later one.

use zpu_ir::{Builder, Value, ty};

use super::turns::{Copies, Crossing};

/// What a loop hands on: for each crossing value its instances of the last turns, latest first.
pub(super) type Handed<'c> = Vec<Vec<Value<'c>>>;

/// Writes a loop of `turns` turns, counted from 0, in which `turn(copies, builder, number)` does what one turn does.
///
/// The instance that a unit of stage `s` makes in a turn is iteration `last - s` among the copies. `before(crossing, back)` is
/// the instance from `back` turns before the first one.
pub(super) fn loop_over_turns<'p, 'c>(
    copies: Copies<'p, 'c>,
    builder: &mut Builder<'c>,
    turns: Value<'c>,
    crossings: &[Crossing<'c>],
    mut before: impl FnMut(&mut Builder<'c>, &Crossing<'c>, i64) -> Value<'c>,
    turn: impl FnOnce(&mut Copies<'p, 'c>, &mut Builder<'c>, Value<'c>),
) -> Handed<'c> {
    let mut copies = copies;
    let planned = copies.planned;
    let last = planned.last_stage();
    let mut operands = vec![builder.index(0), turns, builder.index(1)];
    let mut types = Vec::new();
    for crossing in crossings {
        for back in 1..=crossing.turns {
            operands.push(before(builder, crossing, back));
            types.push(crossing.value.ty());
        }
    }
    let mut args = vec![ty::index(builder.context())];
    args.extend(&types);
    let loop_ = builder.op_with_regions("scf.for", &operands, &types, &[], &[&args]);
    let block = loop_.body().expect("just made with a block");
    let mut values = block.args().into_iter();
    let number = values.next().expect("a loop has an induction variable");
    for crossing in crossings {
        for (back, value) in (1..=crossing.turns).zip(values.by_ref()) {
            copies.record(crossing.value, last - crossing.stage - back, value);
        }
    }
    let mut inside = Builder::at_end(block, planned.body.for_.op);
    turn(&mut copies, &mut inside, number);
    let mut yields = Vec::new();
    for crossing in crossings {
        for back in 0..crossing.turns {
            let value = copies.instance(crossing.value, last - crossing.stage - back);
            yields.push(value.expect("made in this turn or carried into it"));
        }
    }
    inside.op("scf.yield", &yields, &[], &[]);
    let mut results = loop_.results().into_iter();
    let handed = |crossing: &Crossing<'c>| results.by_ref().take(crossing.turns as usize).collect();
    crossings.iter().map(handed).collect()
}

/// A value that nobody reads: what a carried scalar is before the first instance exists.
pub(super) fn poison<'c>(builder: &mut Builder<'c>, like: Value<'c>) -> Value<'c> {
    builder.op("ub.poison", &[], &[like.ty()], &[]).result(0)
}
