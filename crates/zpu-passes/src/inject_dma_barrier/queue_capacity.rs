//! Queues that do not make the control stream wait for a place: they drop the command that finds them full, or stop the
//! machine.
//!
//! A start that may find such a queue full stays synchronous: that command waits for its place ([decision
//! 29](../../../../docs/decisions/0029-synchronous-commands-wait-for-their-place.md)). Which ones those are, the proof
//! of the form that would be written tells; what is synchronous empties the queue, so that behind it there is room
//! again.

use std::collections::BTreeSet;

use zpu_device::WhenFull;
use zpu_ir::{Block, Op, Remark, RemarkKind, attr};

use super::PASS;
use super::form::{self, Form};
use super::ids::Limit;
use super::redundant::proven::{Draft, overfull};
use super::tree::{EngineId, Tree};

/// Times that one command of each engine is made synchronous; from then on it is all that may find their queue full.
const SINGLE_STEPS: usize = 16;

/// The form in which a function is written; what would not find room in it is marked `zpu.synchronous` first.
pub(super) fn fit_to_queues<'c>(draft: &Draft<'_, 'c>, body: Block<'c>, limit: Option<Limit>) -> (Tree<'c>, Form) {
    let loses = draft
        .device
        .engines
        .iter()
        .any(|engine| !engine.blocking && engine.when_full != WhenFull::Stall);
    for step in 0.. {
        let tree = Tree::of(body, draft.engine);
        let form = form::choose(draft, &tree, limit);
        if !loses || form.is_proven {
            return (tree, form);
        }
        let found = overfull(draft, &form.tokens, form.ids.as_ref());
        if found.is_empty() {
            return (tree, form);
        }
        let mut engines: BTreeSet<Option<EngineId>> = BTreeSet::new();
        for command in found {
            if engines.insert((draft.engine)(command)) || step >= SINGLE_STEPS {
                keep_synchronous(command);
            }
        }
    }
    unreachable!("each step leaves fewer commands to be made asynchronous")
}

fn keep_synchronous(command: Op<'_>) {
    Remark::new(command, RemarkKind::Missed, PASS, "queue-may-be-full")
        .message("stays synchronous: its queue may be full, and the machine does not wait for a place")
        .emit();
    command.set_attr("zpu.synchronous", attr::unit(command.context()));
}
