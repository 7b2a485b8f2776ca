//! Puts a function's operations into the order of a schedule.

use std::collections::{BTreeSet, HashMap};

use zpu_ir::{Block, Op, Value, edit, ops};
use zpu_sched::fragment::{NodeId, Schedule};

use zpu_analysis::fragments::Fragments;

/// The place of control dependences in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// The order of the block is all that is left of them.
    Removed,
    /// Fragments wait for those that the schedule puts before them.
    Kept,
}

/// Moves fragments and transfers into the order of a schedule. Every other operation goes right after the last one
/// that it takes a value from; deallocations stay last.
pub(crate) fn reorder(fragments: &Fragments<'_>, schedule: &Schedule, control: Control) {
    if control == Control::Kept {
        keep(fragments, schedule);
    }
    let order = schedule.block_order(&fragments.program);
    let Some(end) = fragments.block.terminator() else {
        return;
    };
    let ops: Vec<Op<'_>> = fragments.block.ops().filter(|op| *op != end).collect();
    for place in places(fragments, &ops, &order) {
        edit::move_before(ops[place], end);
    }
}

/// Moves deallocations to the end of the block, for passes that let fragments run later than they did.
pub(crate) fn deallocate_last(block: Block<'_>) {
    let Some(end) = block.terminator() else { return };
    let all: Vec<Op<'_>> = block.ops().filter(|op| op.is("memref.dealloc")).collect();
    for op in all {
        edit::move_before(op, end);
    }
}

/// The new order of a block's operations, by their present places.
fn places(fragments: &Fragments<'_>, ops: &[Op<'_>], order: &[NodeId]) -> Vec<usize> {
    let place_of: HashMap<Op<'_>, usize> = ops.iter().enumerate().map(|(place, op)| (*op, place)).collect();
    let is_node = |op: Op<'_>| op.is(ops::Fragment::NAME) || op.is(ops::Transfer::NAME);
    let (mut users, mut waits) = (vec![Vec::new(); ops.len()], vec![0usize; ops.len()]);
    for (place, op) in ops.iter().enumerate() {
        let operands = op.walk().into_iter().flat_map(Op::operands);
        let producers = operands.filter_map(Value::defining_op);
        let producers: BTreeSet<usize> = producers.filter_map(|op| place_of.get(&op).copied()).collect();
        for producer in producers {
            users[producer].push(place);
            waits[place] += 1;
        }
    }
    let floats = |place: usize| !is_node(ops[place]) && !ops[place].is("memref.dealloc");
    let mut ready: BTreeSet<usize> = (0..ops.len()).filter(|&at| waits[at] == 0 && floats(at)).collect();
    let mut placed = Vec::new();
    let mut follow = |from: Option<usize>, placed: &mut Vec<usize>| {
        let mut last = from;
        loop {
            for &user in last.iter().flat_map(|&last| &users[last]) {
                waits[user] -= 1;
                if waits[user] == 0 && floats(user) {
                    ready.insert(user);
                }
            }
            last = ready.pop_first();
            match last {
                Some(place) => placed.push(place),
                None => break,
            }
        }
    };
    follow(None, &mut placed);
    for node in order {
        let place = place_of[&fragments.ops[node.index()]];
        placed.push(place);
        follow(Some(place), &mut placed);
    }
    let done: BTreeSet<usize> = placed.iter().copied().collect();
    placed.extend((0..ops.len()).filter(|place| !done.contains(place)));
    placed
}

/// Makes the control dependences of a schedule part of the program.
fn keep(fragments: &Fragments<'_>, schedule: &Schedule) {
    for (first, second) in &schedule.control {
        let of = |id: &NodeId| ops::Fragment::of(fragments.ops[id.index()]);
        let (Some(first), Some(second)) = (of(first), of(second)) else {
            continue;
        };
        let (inputs, mut after) = (second.inputs(), second.after());
        if !after.contains(&first.done()) {
            after.push(first.done());
            second.set_operands(&inputs, &after);
        }
    }
}
