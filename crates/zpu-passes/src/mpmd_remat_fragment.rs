//! `zpu-mpmd-remat-fragment`: computes forward fragments again, before the backward fragments that need their results.
//!
//! The choice is that of `zpu_sched::fragment`, for the order of the block. Nothing is changed if a budget cannot be
//! met.

use zpu_analysis::fragments::Fragments;
use zpu_ir::options::MpmdRematFragmentOptions;
use zpu_ir::{Builder, Failed, Op, PassResult, Value, annotation, attr, edit, error, note, ops};
use zpu_sched::fragment::{Reason, RematOptions, Schedule, bound, keep, rematerialise, replay};

use crate::mpmd::{Keep, at_least, deallocate_last, measured, merge, refuse, remark};

const PASS: &str = "zpu-mpmd-remat-fragment";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MpmdRematFragmentOptions) -> PassResult {
    let budget = at_least(function, "memory-budget", options.memory_budget)?;
    let Some(fragments) = Fragments::of(function)? else {
        return Ok(());
    };
    let refused = |problem| refuse(function, Some(&fragments), &problem);
    let answer = keep(&fragments.program).map_err(refused)?;
    let chosen = RematOptions {
        merge: options.merge_remat_fragments,
        budget,
        ..RematOptions::default()
    };
    let again = rematerialise(&fragments.program, &answer, &chosen).map_err(refused)?;
    for said in again
        .answer
        .remarks
        .iter()
        .filter(|said| said.reason == Reason::Recomputed)
    {
        remark(PASS, function, &fragments, said);
    }
    let view =
        |id: zpu_sched::fragment::NodeId| ops::Fragment::of(fragments.ops[id.index()]).expect("a pair is of fragments");
    // Before anything is changed: a copy is of no use to a fragment that takes the result in another form.
    for (forward, user) in &again.answer.remat {
        let (of, user) = (view(*forward), view(*user));
        if budget.is_some() && !takes(user, of) && takes_a_view(user, of) {
            let message = "takes a result of a forward fragment as a view of it, so that this cannot be computed again \
                           to meet memory-budget; take the result itself, and make the view in the fragment";
            error(user.op, message, &[note(of.op, "the forward fragment is here")]);
            return Err(Failed);
        }
    }
    deallocate_last(fragments.block);
    // Merging replaces the operation of a backward fragment, which may take several copies.
    let mut current: Vec<Op<'_>> = fragments.ops.clone();
    for (forward, user) in &again.answer.remat {
        let of = view(*forward);
        let users = match budget {
            Some(_) => backward_users(of, current[user.index()]),
            None => vec![ops::Fragment::of(current[user.index()]).expect("a pair is of fragments")],
        };
        let Some(first) = ops::Fragment::of(current[user.index()]).filter(|first| takes(*first, of)) else {
            continue;
        };
        if options.merge_remat_fragments && users.len() == 1 {
            let merged = merge(of, first, Keep::Second);
            let bytes = fragments
                .program
                .node(*forward)
                .fragment()
                .map_or(0, |fragment| fragment.bytes);
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            let op = merged.fragment.op;
            op.set_attr(annotation::HELD_BYTES, attr::int(op.context(), bytes));
            for (old, new) in merged.replaced {
                edit::replace_all_uses(old, new);
            }
            edit::erase(first.op);
            current[user.index()] = merged.fragment.op;
            continue;
        }
        let copy = Builder::before(first.op).clone_op(of.op);
        copy.set_attr(ops::Fragment::REMAT, attr::unit(copy.context()));
        for user in users {
            redirect(user, of, copy);
        }
    }
    if let Ok(Some(after)) = Fragments::of(function)
        && let Some(timing) = replay(&after.program, &Schedule::of_block(&after.program))
    {
        let bound = bound(&after.program);
        measured(PASS, "scheduled", function, &after.program, (&timing, bound));
    }
    Ok(())
}

/// True if a fragment takes a result of another one.
fn takes(user: ops::Fragment<'_>, of: ops::Fragment<'_>) -> bool {
    let made = of.outputs();
    user.inputs().iter().any(|input| made.contains(input))
}

/// True if it takes what another operation makes of a result.
fn takes_a_view(user: ops::Fragment<'_>, of: ops::Fragment<'_>) -> bool {
    let producers = user.inputs().into_iter().filter_map(Value::defining_op);
    let mut open: Vec<Op<'_>> = producers.filter(|op| ops::ZpuOp::of(*op).is_none()).collect();
    while let Some(op) = open.pop() {
        let producers: Vec<Op<'_>> = op.operands().into_iter().filter_map(Value::defining_op).collect();
        if producers.contains(&of.op) {
            return true;
        }
        open.extend(producers.into_iter().filter(|op| ops::ZpuOp::of(*op).is_none()));
    }
    false
}

/// The backward fragments of the same mesh, microbatch and stage that take a result, from `first` on.
fn backward_users<'c>(of: ops::Fragment<'c>, first: Op<'c>) -> Vec<ops::Fragment<'c>> {
    let mut users = Vec::new();
    for used in of.outputs().into_iter().flat_map(Value::uses) {
        let Some(user) = ops::Fragment::of(used.op) else {
            continue;
        };
        let same = (user.mesh(), user.stage(), user.call_counter()) == (of.mesh(), of.stage(), of.call_counter());
        let origins = user.origin_names();
        let is_backward = !origins.is_empty() && origins.iter().all(|(_, count)| *count == 1);
        let is_later = user.op == first || first.is_before(user.op);
        if same && is_backward && is_later && !users.contains(&user) {
            users.push(user);
        }
    }
    users
}

/// Has a fragment take the results of a copy.
fn redirect<'c>(user: ops::Fragment<'c>, of: ops::Fragment<'c>, copy: Op<'c>) {
    for (index, operand) in user.op.operands().into_iter().enumerate() {
        let place = of.outputs().iter().position(|output| *output == operand);
        if let Some(place) = place {
            edit::set_operand(user.op, index, copy.result(place + 1));
        }
    }
}
