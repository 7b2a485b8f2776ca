//! `zpu-mpmd-merge-fragments`: makes one fragment of two, by one of the ways that schedules ask for.
//!
//! Invariant: two fragments become one only where everything that stands between them may stand before the first or
//! after the second, so that the program computes what it did.

use std::collections::HashSet;

use zpu_analysis::fragments::Fragments;
use zpu_ir::fragment::{DROP_TRANSFERRED, KEEP_TRANSFERRED};
use zpu_ir::ops;
use zpu_ir::options::MpmdMergeFragmentsOptions;
use zpu_ir::{Block, Failed, Op, PassResult, Remark, RemarkKind, Value, attr, edit, error, ty};
use zpu_sched::fragment::{FragmentInfo, MergeRule, Origin, Split, parse_merge_rules};

use crate::mpmd::{Keep, deallocate_last, merge, refuse};

const PASS: &str = "zpu-mpmd-merge-fragments";

/// The ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A user fragment goes into its nearest user consumer of the same kind.
    Units,
    /// A fragment without origins goes into its first user, or else into the producer of its first operand.
    Inferred,
    /// A forward fragment goes into its backward one, where that runs right after it.
    ForwardWithBackward,
    /// As rules say.
    Rules,
}

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MpmdMergeFragmentsOptions) -> PassResult {
    let way = match options.way.as_str() {
        "units" => Way::Units,
        "inferred" => Way::Inferred,
        "forward-with-backward" => Way::ForwardWithBackward,
        "rules" => Way::Rules,
        other => {
            let message = format!("way is '{other}', must be units, inferred, forward-with-backward or rules");
            error(function, &message, &[]);
            return Err(Failed);
        }
    };
    if (way == Way::Rules) == options.rules.is_empty() {
        error(function, "rules go with way=rules, and that needs some", &[]);
        return Err(Failed);
    }
    let rules = parse_merge_rules(&options.rules).map_err(|problem| refuse(function, None, &problem))?;
    // What stands between fragments may stand anywhere then.
    let Some(Fragments { block, .. }) = Fragments::of(function)? else {
        return Ok(());
    };
    deallocate_last(block);
    if way == Way::Rules {
        return rules.iter().try_for_each(|rule| by_rule(function, block, rule));
    }
    // Each merge leaves one fragment less, so this ends. What comes before the first of two was looked at already, and
    // a merge changes nothing for it but for whom an inferred fragment goes to.
    let mut from = 0;
    while let Some((place, first, second)) = next_pair(block, way, from) {
        let merged = absorb(first, second);
        Remark::new(merged.op, RemarkKind::Passed, PASS, "merged")
            .message("two fragments are one")
            .emit();
        from = if way == Way::Inferred { 0 } else { place };
    }
    Ok(())
}

fn fragments(block: Block<'_>) -> Vec<ops::Fragment<'_>> {
    block.ops().filter_map(ops::Fragment::of).collect()
}

/// The first two fragments that become one, from a place on, with the place of the first.
fn next_pair(block: Block<'_>, way: Way, from: usize) -> Option<(usize, ops::Fragment<'_>, ops::Fragment<'_>)> {
    let all = fragments(block);
    for (place, &first) in all.iter().enumerate().skip(from) {
        let rest = &all[place + 1..];
        let made: HashSet<Value<'_>> = first.outputs().into_iter().collect();
        let takes = |user: &ops::Fragment<'_>| user.inputs().iter().any(|input| made.contains(input));
        let on_mesh = |user: &&ops::Fragment<'_>| user.mesh() == first.mesh();
        let candidate = match way {
            Way::Units if is_user(first) => rest
                .iter()
                .filter(on_mesh)
                .find(|user| is_user(**user) && takes(user))
                .filter(|user| are_one_unit(first, **user)),
            Way::Inferred if !is_user(first) => rest.iter().filter(on_mesh).find(|user| takes(user)),
            Way::ForwardWithBackward if count(first) == Some(0) => {
                let next = rest.iter().find(on_mesh);
                next.filter(|user| {
                    let same = (user.stage(), user.call_counter()) == (first.stage(), first.call_counter());
                    same && count(**user) == Some(1) && takes(user)
                })
            }
            _ => None,
        };
        if let Some(&second) = candidate.filter(|second| can_merge(&[first, **second])) {
            return Some((place, first, second));
        }
        // What nobody of its mesh takes goes to where its operands come from.
        if way == Way::Inferred && !is_user(first) {
            let producer = all[..place].iter().rev().filter(on_mesh).find(|producer| {
                let made = producer.outputs();
                first.inputs().iter().any(|input| made.contains(input))
            });
            if let Some(&producer) = producer.filter(|producer| can_merge(&[**producer, first])) {
                return Some((place, producer, first));
            }
        }
    }
    None
}

fn is_user(fragment: ops::Fragment<'_>) -> bool {
    !fragment.origins().is_empty()
}

/// The transpose count that all origins have.
fn count(fragment: ops::Fragment<'_>) -> Option<i64> {
    let origins = fragment.origin_names();
    let first = origins.first()?.1;
    origins.iter().all(|(_, count)| *count == first).then_some(first)
}

/// True if two fragments of users belong to one scheduling unit.
fn are_one_unit(first: ops::Fragment<'_>, second: ops::Fragment<'_>) -> bool {
    let agree = |one: Option<i64>, other: Option<i64>| one.is_none() || other.is_none() || one == other;
    count(first).is_some()
        && count(first) == count(second)
        && first.split() == second.split()
        && agree(first.call_counter(), second.call_counter())
        && agree(first.stage(), second.stage())
}

/// True if fragments may become one: no way leads out of them and back, and all of them have bodies, or none.
fn can_merge(all: &[ops::Fragment<'_>]) -> bool {
    let is_one = |op: &Op<'_>| all.iter().any(|fragment| fragment.op == *op);
    let mut open: Vec<Op<'_>> = all.iter().flat_map(|fragment| users(fragment.op)).collect();
    open.retain(|op| !is_one(op));
    let mut seen: HashSet<Op<'_>> = open.iter().copied().collect();
    while let Some(op) = open.pop() {
        if is_one(&op) {
            return false;
        }
        open.extend(users(op).filter(|user| seen.insert(*user)));
    }
    let bodies = all.iter().filter(|fragment| fragment.body().is_some()).count();
    bodies == 0 || bodies == all.len()
}

/// The operations of the same block that take a value of one.
fn users<'c>(op: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    let block = op.block();
    let uses = op.results().into_iter().flat_map(Value::uses);
    uses.filter_map(move |used| {
        let around = std::iter::once(used.op).chain(used.op.parents());
        around.into_iter().find(|op| op.block() == block)
    })
}

/// Makes one of two, where the second stands; what takes results of the first between them goes after it.
fn absorb<'c>(first: ops::Fragment<'c>, second: ops::Fragment<'c>) -> ops::Fragment<'c> {
    // What depends on the first and stands before the second does not lead to it: it moves after it, in order.
    let mut moved: Vec<Op<'c>> = Vec::new();
    let mut between = first.op.next();
    while let Some(op) = between.filter(|op| *op != second.op) {
        between = op.next();
        let operands: Vec<Value<'c>> = op.walk().into_iter().flat_map(Op::operands).collect();
        let producers = operands.into_iter().filter_map(Value::defining_op);
        if producers
            .into_iter()
            .any(|producer| producer == first.op || moved.contains(&producer))
        {
            moved.push(op);
        }
    }
    let merged = merge(first, second, Keep::Both);
    let mut after = second.op.next();
    for op in moved {
        if let Some(place) = after {
            edit::move_before(op, place);
        }
        after = after.filter(|place| *place != op);
    }
    for (old, new) in merged.replaced {
        edit::replace_all_uses(old, new);
    }
    edit::erase(second.op);
    edit::erase(first.op);
    merged.fragment
}

/// Merges the fragments that a rule names, one after the other. All is looked at before anything is changed.
fn by_rule(function: Op<'_>, block: Block<'_>, rule: &MergeRule) -> PassResult {
    let skip = |name: &'static str, message: String| {
        Remark::new(function, RemarkKind::Missed, PASS, name)
            .message(message)
            .emit();
        Ok(())
    };
    if rule.sources.len() < 2 {
        return skip(
            "short-rule",
            "a rule has fewer than two sources; it is skipped".to_owned(),
        );
    }
    let mut found: Vec<ops::Fragment<'_>> = Vec::new();
    for source in &rule.sources {
        let of: Vec<ops::Fragment<'_>> = fragments(block).into_iter().filter(|op| info(*op) == *source).collect();
        match of.as_slice() {
            [one] if found.contains(one) => {
                return skip("same-fragment", format!("{source} is named twice; its rule is skipped"));
            }
            [one] => found.push(*one),
            [] => {
                return skip(
                    "missing-fragment",
                    format!("{source} does not exist; its rule is skipped"),
                );
            }
            [first, ..] => {
                let message = format!("rules cannot tell {} fragments apart: all are {source}", of.len());
                error(first.op, &message, &[]);
                return Err(Failed);
            }
        }
    }
    found.sort_by_key(|fragment| block.ops().position(|op| op == fragment.op));
    let fail = |at: ops::Fragment<'_>, message: &str| {
        let notes = [zpu_ir::note(found[0].op, "the first one of the rule is here")];
        error(at.op, message, &notes);
        Err(Failed)
    };
    if let Some(other) = found.iter().find(|fragment| fragment.mesh() != found[0].mesh()) {
        return fail(*other, "cannot be merged with a fragment of another mesh");
    }
    if rule.target.mesh.as_deref().is_some_and(|mesh| mesh != found[0].mesh()) {
        return fail(
            found[0],
            "cannot be merged to a fragment of another mesh, as the target of the rule is",
        );
    }
    if !can_merge(&found) {
        let last = found[found.len() - 1];
        return fail(
            last,
            "cannot be merged: something needs one of the fragments and is needed by another, or only some have a body",
        );
    }
    let mut merged = found[0];
    for next in &found[1..] {
        merged = absorb(merged, *next);
    }
    name_as(merged.op, &rule.target);
    Ok(())
}

/// Gives a fragment the information of a rule's target.
fn name_as(op: Op<'_>, target: &FragmentInfo) {
    let context = op.context();
    let origins: Vec<_> = target
        .origins
        .iter()
        .map(|origin| attr::origin(context, &origin.name, origin.transpose_count.into()))
        .collect();
    op.set_attr(ops::Fragment::ORIGINS, attr::array(context, &origins));
    let numbers = [
        (ops::Fragment::STAGE, target.stage),
        (ops::Fragment::CALL_COUNTER, target.call_counter),
    ];
    for (name, value) in numbers {
        match value {
            Some(value) => op.set_attr(name, attr::int(context, value.into())),
            None => op.remove_attr(name),
        }
    }
    match target.split {
        None => op.remove_attr(ops::Fragment::SPLIT),
        Some(split) => {
            let number = match split {
                Split::DropTransferred => DROP_TRANSFERRED,
                Split::KeepTransferred => KEEP_TRANSFERRED,
            };
            op.set_attr(ops::Fragment::SPLIT, attr::int_of(ty::integer(context, 32), number));
        }
    }
}

/// A fragment as rules name it.
fn info(fragment: ops::Fragment<'_>) -> FragmentInfo {
    let small = |value: Option<i64>| value.and_then(|value| u32::try_from(value).ok());
    let origins = fragment.origin_names().into_iter().map(|(name, count)| Origin {
        name: name.into(),
        transpose_count: u32::try_from(count).unwrap_or(u32::MAX),
    });
    FragmentInfo {
        origins: origins.collect(),
        stage: small(fragment.stage()),
        call_counter: small(fragment.call_counter()),
        split: fragment.split().map(|split| match split {
            DROP_TRANSFERRED => Split::DropTransferred,
            _ => Split::KeepTransferred,
        }),
        mesh: Some(fragment.mesh().to_owned()),
    }
}
