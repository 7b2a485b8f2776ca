//! Writes two loops as one.

use zpu_ir::edit::{self, ValueMap, clone_mapped};
use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Value, attr, ty};

use super::LEFT_OVER;
use super::fusion::{Fusion, Trips};

/// Writes the fused loop with what comes before and after it, in place of the two; the fused loop.
pub(super) fn write<'c>(fusion: &Fusion<'c>) -> For<'c> {
    let (producer, consumer) = (fusion.producer, fusion.consumer);
    for op in &fusion.before {
        edit::move_before(*op, producer.op);
    }
    let mut builder = Builder::before(producer.op);
    if fusion.ahead > 0 {
        let first = builder.index(0);
        left_over(iterations(&mut builder, producer, first, fusion.ahead));
    }
    let fused = match fusion.trips {
        Trips::Same => {
            let fused = loop_over(
                &mut builder,
                producer,
                [producer.lower(), producer.upper(), producer.step()],
            );
            let mut inside = Builder::before(fused.terminator());
            for side in [producer, consumer] {
                copy_body(&mut inside, side, fused.iv());
            }
            fused
        }
        Trips::Known { fused: trips, .. } => {
            let bounds = [0, trips, 1].map(|bound| builder.index(bound));
            let fused = loop_over(&mut builder, producer, bounds);
            let mut inside = Builder::before(fused.terminator());
            for (side, together, ahead) in [
                (producer, fusion.produced, fusion.ahead),
                (consumer, fusion.consumed, 0),
            ] {
                let first = scaled(&mut inside, fused.iv(), together, ahead);
                iterations(&mut inside, side, first, together);
            }
            fused
        }
    };
    if let Trips::Known {
        fused: trips,
        produced_after,
        consumed_after,
    } = fusion.trips
    {
        let produced = fusion.ahead + trips * fusion.produced;
        for (side, done, left) in [
            (producer, produced, produced_after),
            (consumer, trips * fusion.consumed, consumed_after),
        ] {
            if left > 0 {
                let first = builder.index(done);
                left_over(iterations(&mut builder, side, first, left));
            }
        }
    }
    edit::erase(producer.op);
    for op in fusion.after.iter().rev() {
        let next = consumer.op.next().expect("a loop is not the last operation of a block");
        edit::move_before(*op, next);
    }
    edit::erase(consumer.op);
    fused
}

/// Marks a loop over what is left.
fn left_over(loop_: Option<Op<'_>>) {
    if let Some(loop_) = loop_ {
        loop_.set_attr(LEFT_OVER, attr::unit(loop_.context()));
    }
}

/// An `scf.for` without a body, at the place and with the attributes of another one.
fn loop_over<'c>(builder: &mut Builder<'c>, like: For<'c>, bounds: [Value<'c>; 3]) -> For<'c> {
    let mut builder = builder.like(like.op);
    let iv = bounds[0].ty();
    let attrs = like.op.discardable_attrs();
    let op = builder.op_with_regions("scf.for", &bounds, &[], &attrs, &[&[iv]]);
    let for_ = For::of(op).expect("an scf.for was made");
    Builder::at_end(for_.body, like.op).op("scf.yield", &[], &[], &[]);
    for_
}

/// So many iterations of a loop, from the one with the number `first` on: the body itself, or a loop around it, which is
/// returned.
fn iterations<'c>(builder: &mut Builder<'c>, of: For<'c>, first: Value<'c>, count: i64) -> Option<Op<'c>> {
    if count == 1 {
        let iv = induction_variable(builder, of, first);
        copy_body(builder, of, iv);
        return None;
    }
    let bounds = [0, count, 1].map(|bound| builder.index(bound));
    let around = loop_over(builder, of, bounds);
    let mut inside = Builder::before(around.terminator());
    let number = sum(&mut inside, first, around.iv());
    let iv = induction_variable(&mut inside, of, number);
    copy_body(&mut inside, of, iv);
    Some(around.op)
}

fn copy_body<'c>(builder: &mut Builder<'c>, of: For<'c>, iv: Value<'c>) {
    let mut map = ValueMap::default();
    map.set(of.iv(), iv);
    for op in of.ops() {
        clone_mapped(builder, op, &mut map);
    }
}

/// The induction variable of the iteration with a number.
fn induction_variable<'c>(builder: &mut Builder<'c>, of: For<'c>, number: Value<'c>) -> Value<'c> {
    let number = match ty::is_index(of.iv().ty()) {
        true => number,
        false => builder
            .op("arith.index_cast", &[number], &[of.iv().ty()], &[])
            .result(0),
    };
    let travelled = match of.step().as_constant_int() {
        Some(1) => number,
        _ => builder.binary("arith.muli", number, of.step()),
    };
    sum(builder, of.lower(), travelled)
}

fn sum<'c>(builder: &mut Builder<'c>, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    match (left.as_constant_int(), right.as_constant_int()) {
        (Some(0), _) => right,
        (_, Some(0)) => left,
        _ => builder.binary("arith.addi", left, right),
    }
}

/// `factor * value + offset`.
fn scaled<'c>(builder: &mut Builder<'c>, value: Value<'c>, factor: i64, offset: i64) -> Value<'c> {
    let mut scaled = value;
    if factor != 1 {
        let factor = builder.index(factor);
        scaled = builder.binary("arith.muli", scaled, factor);
    }
    let offset = builder.index(offset);
    sum(builder, scaled, offset)
}
