//! Queues that do not make the control stream wait for a place: they drop the command that finds them full, or stop the
//! machine.
//!
//! A start that may find such a queue full stays synchronous: that command waits for its place ([decision
//! 29](../../../../docs/decisions/0029-synchronous-commands-wait-for-their-place.md)). Which ones those are, the proof
//! of the form that would be written tells; what is synchronous empties the queue, so that after it there is room
//! again.

use std::collections::BTreeSet;

use zpu_device::WhenFull;

use crate::place::form::{self, Form, Proof};
use crate::place::ids::Limit;
use crate::place::redundant::proven::{Draft, overfull};
use crate::place::tree::{AsyncEngineId, Engines, Tree};
use crate::problem::{OpId, Problem};

/// Times that one command of each engine is made synchronous; from then on it is all that may find their queue full.
/// Each time the function is placed and proven again.
const SINGLE_STEPS: usize = 16;

/// The form in which a function is written; what would not find room in it is made to stay synchronous first.
pub(crate) fn fit_to_queues(problem: &mut Problem, limit: Option<Limit>, proof: Proof) -> Form {
    let engines = Engines::of_problem(problem);
    let loses = problem
        .device
        .engines
        .iter()
        .any(|engine| !engine.blocking && engine.when_full != WhenFull::Stall);
    let mut kept: Vec<OpId> = Vec::new();
    for step in 0.. {
        let tree = Tree::of(problem, &engines);
        let draft = Draft {
            problem,
            engines: &engines,
            tree: &tree,
        };
        // What may overflow is known by the proof.
        let proof = if loses { Proof::Made } else { proof };
        let mut form = form::choose(&draft, limit, proof);
        let found = if loses && !form.is_proven {
            overfull(&draft, &form.tokens, form.ids.as_ref())
        } else {
            Vec::new()
        };
        if found.is_empty() {
            form.kept_synchronous = kept;
            return form;
        }
        let mut seen: BTreeSet<Option<AsyncEngineId>> = BTreeSet::new();
        let stays = |command: &OpId| seen.insert(engines.of(problem.op(*command))) || step >= SINGLE_STEPS;
        let stays: Vec<OpId> = found.into_iter().filter(stays).collect();
        for command in stays {
            problem.operations[command.at()].stays_synchronous = true;
            kept.push(command);
        }
    }
    unreachable!("each step leaves fewer commands to be made asynchronous")
}
