//! Lints of what harms nobody on this machine and was hardly meant: a command that is waited for twice, and barrier ids
//! that some path gives and does not wait for, or waits for and does not give.
//!
//! The control stream is executed for chosen arguments as [`refute`](super::refute) does it, without looking at memory,
//! and what is loaded from memory is drawn. A warning names the path: the arguments for which it is taken. zpu-sim says
//! the same of the paths that it takes.

use crate::finding::who;
use crate::program::{ItemId, Kind, Program};
use crate::witness::execute_waits_only;
use crate::witness::inputs::candidate_inputs;
use crate::witness::must_waits::must_waits;
use crate::witness::uses::Lint;
use std::collections::BTreeMap;

use crate::report::{Message, Note, note};

/// Executions at most: the chosen arguments, without most of the mixed ones.
const MOST_CALLS: usize = 24;

/// Steps that all of them may take together: ten that use up the budget of one.
const BUDGET: u64 = 200_000;

/// Warnings of waits and ids that were hardly meant, each at most once for each kind.
pub(crate) fn lints(program: &Program<'_>) -> Vec<Message> {
    let is_wait = |kind: &Kind<'_>| matches!(kind, Kind::Wait(_) | Kind::WaitId(_) | Kind::Start(.., Some(_)));
    if program.items.iter().filter(|item| is_wait(&item.kind)).count() == 0 {
        return Vec::new();
    }
    let mut found: BTreeMap<(ItemId, u8), (Lint, String)> = BTreeMap::new();
    let (mut steps, passed) = (0, must_waits(program));
    for menu in candidate_inputs(program).into_iter().take(MOST_CALLS) {
        let witness = execute_waits_only(program, menu, &passed);
        steps += witness.steps;
        for lint in &witness.lints {
            found.entry(lint.key()).or_insert_with(|| (*lint, witness.call()));
        }
        if witness.chosen.is_empty() || steps > BUDGET {
            break;
        }
    }
    found.values().map(|(lint, call)| say(program, *lint, call)).collect()
}

fn say(program: &Program<'_>, lint: Lint, call: &str) -> Message {
    let op = |item: ItemId| program.items[item].op;
    let given = |item: ItemId| format!("the barrier id of {}", who(program, item));
    let (message, mut notes): (String, Vec<Note>) = match lint {
        Lint::WaitedTwice { first, again } => {
            let is_token = matches!(program.items[again].kind, Kind::Wait(_));
            let what = match (is_token, first == again) {
                (true, true) => {
                    "waits for a command that was waited for, each time after the first; this orders nothing more"
                }
                (true, false) => "waits for a token that was waited for; this orders nothing more",
                _ => {
                    "waits for a barrier id that was waited for, and on this way no command was given it since: the id \
                     is not balanced"
                }
            };
            let notes = (first != again).then(|| note(op(first), "the first wait for it"));
            (what.to_owned(), notes.into_iter().collect())
        }
        Lint::Retaken { owner, new_owner } if owner == new_owner => (
            format!(
                "{} is given again before anything has waited for it: the id is not balanced; wait for it before",
                given(new_owner)
            ),
            Vec::new(),
        ),
        Lint::Retaken { owner, .. } => (
            format!(
                "{} is given again before anything has waited for it: the id is not balanced; wait for it before",
                given(owner)
            ),
            vec![note(op(owner), format!("{} was given it here", who(program, owner)))],
        ),
        Lint::LeftLive { owner } => (
            format!(
                "{} is live when the function ends: the id is not balanced; wait for it before",
                given(owner)
            ),
            Vec::new(),
        ),
        Lint::NeverGiven { .. } => (
            "waits for a barrier id that no command was given: the id is not balanced, and this orders nothing"
                .to_owned(),
            Vec::new(),
        ),
    };
    let at = op(lint.at());
    if !call.is_empty() {
        notes.push(note(
            program.problem.function(),
            format!("it happens for example when {call}"),
        ));
    }
    Message {
        at: at.id,
        text: message,
        notes,
    }
}
