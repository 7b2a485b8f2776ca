//! Two fragments as one.

use zpu_ir::edit::{ValueMap, clone_mapped};
use zpu_ir::{Attribute, Builder, Op, Value, annotation, attr, ops};

/// The results that a fragment made of two has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Those of the second: the first stays, and is computed again.
    Second,
    /// Those of both: the first goes.
    Both,
}

/// A fragment made of two.
pub(crate) struct Merged<'c> {
    pub(crate) fragment: ops::Fragment<'c>,
    /// Results of the two, and what stands for them.
    pub(crate) replaced: Vec<(Value<'c>, Value<'c>)>,
}

/// Makes one fragment of two, before the second: it does the work of the first, then that of the second. It takes mesh,
/// split, and, where the second has them, stage and call counter of the second, and the origins of both. Neither of the
/// two is changed; the caller replaces results and erases what is not needed any more.
///
/// Opaque as soon as one of them is; then it has both costs.
pub(crate) fn merge<'c>(first: ops::Fragment<'c>, second: ops::Fragment<'c>, keep: Keep) -> Merged<'c> {
    let made = first.outputs();
    let mut inputs = first.inputs();
    for input in second.inputs() {
        if !made.contains(&input) && !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    let mut after: Vec<Value<'c>> = Vec::new();
    for done in first.after().into_iter().chain(second.after()) {
        if done != first.done() && !after.contains(&done) {
            after.push(done);
        }
    }
    let bodies = first.body().zip(second.body());
    // A result that only the second takes stays inside.
    let is_kept = |value: &Value<'c>| value.uses().into_iter().any(|used| used.op != second.op);
    let kept: Vec<usize> = match keep {
        Keep::Second => Vec::new(),
        Keep::Both => (0..made.len()).filter(|&place| is_kept(&made[place])).collect(),
    };
    let of_first = kept.iter().map(|&place| made[place]);
    let outputs: Vec<Value<'c>> = of_first.chain(second.outputs()).collect();
    let types: Vec<_> = outputs.iter().map(|value| value.ty()).collect();
    let attrs = attributes(first, second, keep);
    let mut builder = Builder::before(second.op);
    let merged = ops::Fragment::create(&mut builder, (&inputs, &after), &types, &attrs, bodies.is_some());
    let mut replaced: Vec<(Value<'c>, Value<'c>)> = outputs.iter().copied().zip(merged.outputs()).collect();
    replaced.push((second.done(), merged.done()));
    if keep == Keep::Both {
        replaced.push((first.done(), merged.done()));
    }
    let merged = Merged {
        fragment: merged,
        replaced,
    };
    let (Some((one, other)), Some(body)) = (bodies, merged.fragment.body()) else {
        return merged;
    };
    let argument_of = |value: Value<'c>| {
        let place = inputs.iter().position(|input| *input == value);
        body.args()[place.expect("it was listed")]
    };
    let mut inside = Builder::at_end(body, second.op);
    let mut map = ValueMap::default();
    for (argument, input) in one.args().into_iter().zip(first.inputs()) {
        map.set(argument, argument_of(input));
    }
    let returned = copy(&mut inside, one.ops(), &mut map);
    let mut results: Vec<Value<'c>> = kept.iter().map(|&place| returned[place]).collect();
    for (argument, input) in other.args().into_iter().zip(second.inputs()) {
        let place = made.iter().position(|value| *value == input);
        map.set(
            argument,
            place.map_or_else(|| argument_of(input), |place| returned[place]),
        );
    }
    results.extend(copy(&mut inside, other.ops(), &mut map));
    inside.op(ops::Return::NAME, &results, &[], &[]);
    merged
}

/// Copies a body but for its end; the values that it returns.
fn copy<'c>(builder: &mut Builder<'c>, ops: impl Iterator<Item = Op<'c>>, map: &mut ValueMap<'c>) -> Vec<Value<'c>> {
    let mut returned = Vec::new();
    for op in ops {
        if op.is(ops::Return::NAME) {
            returned = op.operands().into_iter().map(|value| map.get(value)).collect();
        } else {
            clone_mapped(&mut builder.like(op), op, map);
        }
    }
    returned
}

fn attributes<'c>(
    first: ops::Fragment<'c>,
    second: ops::Fragment<'c>,
    keep: Keep,
) -> Vec<(&'static str, Attribute<'c>)> {
    let context = second.op.context();
    let mut origins = first.origins();
    for origin in second.origins() {
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    let mut attrs = vec![
        (ops::Fragment::MESH, attr::symbol(context, second.mesh())),
        (ops::Fragment::ORIGINS, attr::array(context, &origins)),
    ];
    for name in [ops::Fragment::STAGE, ops::Fragment::CALL_COUNTER] {
        let value = second.op.attr(name).or_else(|| first.op.attr(name));
        attrs.extend(value.map(|value| (name, value)));
    }
    let split = second.op.attr(ops::Fragment::SPLIT);
    attrs.extend(split.map(|value| (ops::Fragment::SPLIT, value)));
    if keep == Keep::Second || first.remat() || second.remat() {
        attrs.push((ops::Fragment::REMAT, attr::unit(context)));
    }
    let number = |fragment: ops::Fragment<'c>, name: &str| fragment.op.attr(name).and_then(attr::as_int);
    // A body can be measured again; what is known of one without is all that there is.
    let (one, other) = (number(first, annotation::CYCLES), number(second, annotation::CYCLES));
    if (one.is_some() && other.is_some()) || first.body().is_none() && (one.is_some() || other.is_some()) {
        let cycles = one.unwrap_or(0).saturating_add(other.unwrap_or(0));
        attrs.push((annotation::CYCLES, attr::int(context, cycles)));
    }
    let (one, other) = (
        number(first, annotation::HELD_BYTES),
        number(second, annotation::HELD_BYTES),
    );
    if keep == Keep::Both && (one.is_some() || other.is_some()) {
        let bytes = one.unwrap_or(0).saturating_add(other.unwrap_or(0));
        attrs.push((annotation::HELD_BYTES, attr::int(context, bytes)));
    }
    attrs
}
