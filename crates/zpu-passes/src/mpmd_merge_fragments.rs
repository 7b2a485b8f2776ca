//! `zpu-mpmd-merge-fragments`: makes one fragment of two, by one of the ways that schedules ask for.
//!
//! Invariant: two fragments become one only where everything that stands between them may stand before the first or
//! after the second, so that the program computes what it did.

use std::cmp::Ordering;
use std::collections::HashSet;

use zpu_analysis::fragments::Fragments;
use zpu_ir::ops;
use zpu_ir::options::MpmdMergeFragmentsOptions;
use zpu_ir::{Block, Failed, Op, PassResult, Remark, RemarkKind, Value, edit, error};
use zpu_sched::fragment::{FragmentInfo, MergeRule, Origin, Split, parse_merge_rules};

use crate::mpmd::{Keep, merge, refuse};

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
    if way == Way::Rules {
        return rules.iter().try_for_each(|rule| by_rule(function, block, rule));
    }
    // Each merge leaves one fragment less, so this ends.
    while let Some((first, second)) = next_pair(block, way) {
        let merged = absorb(first, second);
        Remark::new(merged.op, RemarkKind::Passed, PASS, "merged")
            .message("two fragments are one")
            .emit();
    }
    Ok(())
}

fn fragments(block: Block<'_>) -> Vec<ops::Fragment<'_>> {
    block.ops().filter_map(ops::Fragment::of).collect()
}

/// The first two fragments that become one.
fn next_pair(block: Block<'_>, way: Way) -> Option<(ops::Fragment<'_>, ops::Fragment<'_>)> {
    let all = fragments(block);
    for (place, &first) in all.iter().enumerate() {
        let rest = &all[place + 1..];
        let takes = |user: &ops::Fragment<'_>| {
            let made = first.outputs();
            user.inputs().iter().any(|input| made.contains(input))
        };
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
        if let Some(&second) = candidate.filter(|second| can_merge(first, **second)) {
            return Some((first, second));
        }
        // What nobody of its mesh takes goes to where its operands come from.
        if way == Way::Inferred && !is_user(first) {
            let from = all[..place].iter().rev().filter(on_mesh).find(|producer| {
                let made = producer.outputs();
                first.inputs().iter().any(|input| made.contains(input))
            });
            if let Some(&producer) = from.filter(|producer| can_merge(**producer, first)) {
                return Some((producer, first));
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
        && agree(first.call_counter(), second.call_counter())
        && agree(first.stage(), second.stage())
}

/// True if the second may do the work of the first as well: no way leads from the first to the second but the direct
/// one.
fn can_merge(first: ops::Fragment<'_>, second: ops::Fragment<'_>) -> bool {
    let mut open: Vec<Op<'_>> = users(first.op).filter(|user| *user != second.op).collect();
    let mut seen: HashSet<Op<'_>> = open.iter().copied().collect();
    while let Some(op) = open.pop() {
        if op == second.op {
            return false;
        }
        open.extend(users(op).filter(|user| seen.insert(*user)));
    }
    true
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

/// Merges the fragments that a rule names, one after the other.
fn by_rule(function: Op<'_>, block: Block<'_>, rule: &MergeRule) -> PassResult {
    let mut found = Vec::new();
    for source in &rule.sources {
        let of: Vec<ops::Fragment<'_>> = fragments(block).into_iter().filter(|op| info(*op) == *source).collect();
        match of.as_slice() {
            [one] => found.push(*one),
            [] => {
                Remark::new(function, RemarkKind::Missed, PASS, "missing-fragment")
                    .message(format!("{source} does not exist; its rule is skipped"))
                    .emit();
                return Ok(());
            }
            [first, ..] => {
                let message = format!("rules cannot tell {} fragments apart: all are {source}", of.len());
                error(first.op, &message, &[]);
                return Err(Failed);
            }
        }
    }
    found.sort_by(|one, other| match one.op.is_before(other.op) {
        true => Ordering::Less,
        false => Ordering::Greater,
    });
    let mut rest = found.into_iter();
    let Some(mut merged) = rest.next() else { return Ok(()) };
    for next in rest {
        if merged.mesh() != next.mesh() || !can_merge(merged, next) {
            let notes = [zpu_ir::note(merged.op, "the other one is here")];
            error(
                next.op,
                "cannot be merged: something between them needs the first and is needed by the second",
                &notes,
            );
            return Err(Failed);
        }
        merged = absorb(merged, next);
    }
    Ok(())
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
            zpu_ir::fragment::DROP_TRANSFERRED => Split::DropTransferred,
            _ => Split::KeepTransferred,
        }),
        mesh: Some(fragment.mesh().to_owned()),
    }
}
