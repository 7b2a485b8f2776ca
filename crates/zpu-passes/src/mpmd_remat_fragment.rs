//! `zpu-mpmd-remat-fragment`: computes forward fragments again, before the backward fragments that need their results.
//!
//! The choice is that of `zpu_sched::fragment`, for the order of the block. Nothing is changed if a budget cannot be
//! met.

use zpu_analysis::fragments::Fragments;
use zpu_ir::options::MpmdRematFragmentOptions;
use zpu_ir::{Builder, Op, PassResult, Value, attr, edit, ops};
use zpu_sched::fragment::{Builtin, Reason, RematOptions, Request, rematerialise, schedule};

use crate::mpmd::{Keep, analysis, at_least, merge, refuse, remark};

const PASS: &str = "zpu-mpmd-remat-fragment";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MpmdRematFragmentOptions) -> PassResult {
    let budget = at_least(function, "memory-budget", options.memory_budget)?;
    let Some(fragments) = Fragments::of(function)? else {
        return Ok(());
    };
    let refused = |problem| refuse(function, Some(&fragments), &problem);
    let answer = schedule(&fragments.program, &Request::Builtin(Builtin::None)).map_err(refused)?;
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
    // Merging replaces the operation of a backward fragment, which may take several copies.
    let mut current: Vec<Op<'_>> = fragments.ops.clone();
    for (forward, user) in &again.answer.remat {
        let of = view(*forward);
        let users = match budget {
            Some(_) => backward_users(of),
            None => vec![ops::Fragment::of(current[user.index()]).expect("a pair is of fragments")],
        };
        let Some(first) = ops::Fragment::of(current[user.index()]) else {
            continue;
        };
        if options.merge_remat_fragments && users.len() == 1 {
            let merged = merge(of, first, Keep::Second);
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
    if let Ok(Some(after)) = Fragments::of(function) {
        let answer = schedule(&after.program, &Request::Builtin(Builtin::None));
        if let Ok(answer) = answer {
            analysis(PASS, "scheduled", function, &after, &answer);
        }
    }
    Ok(())
}

/// The backward fragments of the same mesh, microbatch and stage that take a result.
fn backward_users(of: ops::Fragment<'_>) -> Vec<ops::Fragment<'_>> {
    let mut users = Vec::new();
    for used in of.outputs().into_iter().flat_map(Value::uses) {
        let Some(user) = ops::Fragment::of(used.op) else {
            continue;
        };
        let same = (user.mesh(), user.stage(), user.call_counter()) == (of.mesh(), of.stage(), of.call_counter());
        let is_backward = user.origin_names().iter().any(|(_, count)| *count > 0);
        if same && is_backward && !users.contains(&user) {
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
