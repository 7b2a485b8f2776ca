//! `zpu-mpmd-split-bwd-fragments`: makes two fragments of a backward one: what other meshes wait for, and the rest.
//!
//! Invariant: each operation with effects goes to exactly one of the two, the first part does not depend on the second,
//! and a buffer that both need is whole before the second one begins. A body for which that is not to be seen stays
//! whole.

mod body;

use std::collections::HashSet;

use zpu_analysis::fragments::Fragments;
use zpu_ir::fragment::{DROP_TRANSFERRED, KEEP_TRANSFERRED};
use zpu_ir::options::MpmdSplitBwdFragmentsOptions;
use zpu_ir::{Attribute, Builder, Op, PassResult, Remark, RemarkKind, Value, attr, edit, ops, ty};

use body::{Body, Half};

const PASS: &str = "zpu-mpmd-split-bwd-fragments";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, _: &MpmdSplitBwdFragmentsOptions) -> PassResult {
    let Some(fragments) = Fragments::of(function)? else {
        return Ok(());
    };
    for fragment in fragments.ops.into_iter().filter_map(ops::Fragment::of) {
        let origins = fragment.origin_names();
        let is_backward = !origins.is_empty() && origins.iter().all(|(_, count)| *count == 1);
        if !is_backward || fragment.split().is_some() {
            continue;
        }
        let outputs = fragment.outputs();
        let (sent, others): (Vec<usize>, Vec<usize>) = (0..outputs.len()).partition(|&place| is_sent(outputs[place]));
        if sent.is_empty() || others.is_empty() {
            continue;
        }
        if let Err(reason) = split(fragment, &sent, &others) {
            Remark::new(fragment.op, RemarkKind::Missed, PASS, "not-split")
                .message(reason)
                .emit();
        }
    }
    Ok(())
}

fn is_sent(value: Value<'_>) -> bool {
    value.uses().into_iter().any(|used| used.op.is(ops::Transfer::NAME))
}

/// Splits one fragment; the error says why it stays whole.
fn split(fragment: ops::Fragment<'_>, sent: &[usize], others: &[usize]) -> Result<(), String> {
    let body = Body::of(fragment)?;
    let value_of = |place: &usize| body.returned[*place];
    let keep = body.needed_for(&sent.iter().map(value_of).collect::<Vec<_>>());
    let all = body.needed_for(&others.iter().map(value_of).collect::<Vec<_>>());
    let rest: HashSet<usize> = all.difference(&keep).copied().collect();
    if rest.is_empty() {
        return Err("what is not transferred is computed on the way to what is".to_owned());
    }
    let shared = body.shared(&keep, &rest)?;
    // A result that the first half makes on its way is one of its results.
    let of_rest: Vec<usize> = others
        .iter()
        .copied()
        .filter(|place| !body.is_made_by(*place, &keep))
        .collect();
    if of_rest.is_empty() {
        return Err("what is not transferred is computed on the way to what is".to_owned());
    }
    let of_keep: Vec<usize> = (0..body.returned.len())
        .filter(|place| !of_rest.contains(place))
        .collect();
    let first = Half::of(&body, &keep, &of_keep, &HashSet::new())?;
    let second = Half::of(&body, &rest, &of_rest, &shared.iter().copied().collect())?;
    write(fragment, &body, (&first, &of_keep), (&second, &of_rest), &shared);
    Ok(())
}

/// Puts the two halves in the place of a fragment.
fn write<'c>(
    fragment: ops::Fragment<'c>,
    body: &Body<'c>,
    (first, of_keep): (&Half, &[usize]),
    (second, of_rest): (&Half, &[usize]),
    shared: &[Value<'c>],
) {
    let context = fragment.op.context();
    let attrs = |split: i64| {
        let own = [
            ops::Fragment::MESH,
            ops::Fragment::ORIGINS,
            ops::Fragment::STAGE,
            ops::Fragment::CALL_COUNTER,
            ops::Fragment::REMAT,
        ];
        let own = own.into_iter().filter_map(|name| Some((name, fragment.op.attr(name)?)));
        let mut attrs: Vec<(&str, Attribute<'c>)> = own.collect();
        let number = attr::int_of(ty::integer(context, 32), split);
        attrs.push((ops::Fragment::SPLIT, number));
        attrs
    };
    let (inputs, outputs, after) = (fragment.inputs(), fragment.outputs(), fragment.after());
    let mut builder = Builder::before(fragment.op);
    let taken: Vec<Value<'c>> = first.arguments.iter().map(|&place| inputs[place]).collect();
    let returned: Vec<Value<'c>> = of_keep
        .iter()
        .map(|&place| body.returned[place])
        .chain(shared.iter().copied())
        .collect();
    let types: Vec<_> = returned.iter().map(|value| value.ty()).collect();
    let keep = ops::Fragment::create(&mut builder, (&taken, &after), &types, &attrs(KEEP_TRANSFERRED), true);
    first.emit(body, keep, &[], &returned);

    let made = keep.outputs();
    let residuals = &made[of_keep.len()..];
    let own = second.arguments.iter().map(|&place| inputs[place]);
    let taken: Vec<Value<'c>> = own.chain(residuals.iter().copied()).collect();
    let mut waits = after;
    if !fragment.done().is_unused() {
        waits.push(keep.done());
    }
    let returned: Vec<Value<'c>> = of_rest.iter().map(|&place| body.returned[place]).collect();
    let types: Vec<_> = returned.iter().map(|value| value.ty()).collect();
    let drop = ops::Fragment::create(&mut builder, (&taken, &waits), &types, &attrs(DROP_TRANSFERRED), true);
    second.emit(body, drop, shared, &returned);

    for (place, new) in of_keep.iter().zip(&made).chain(of_rest.iter().zip(&drop.outputs())) {
        edit::replace_all_uses(outputs[*place], *new);
    }
    edit::replace_all_uses(fragment.done(), drop.done());
    edit::erase(fragment.op);
}
