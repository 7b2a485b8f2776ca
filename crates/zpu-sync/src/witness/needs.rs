//! Which waits of a function are needed: those without which some execution goes wrong.
//!
//! A wait is *needed* if there are arguments for which, with this one wait deleted, an access is not ordered after a
//! command whose bytes it meets, a command is still in flight when the function returns, or a barrier id is taken while
//! another engine's command has it. The executions of [`refute`](super::refute) are asked: in each, for each engine,
//! how far all waits that were passed reach, and how far those other than the furthest one do. Whatever lies between
//! rests on that one alone.
//!
//! Deleting more waits orders nothing. So no program that is made from this one by deleting waits is right unless it
//! has all of the needed ones, and their number is a lower bound for the waits of all of those. It is the minimum where
//! it is the number of all waits: then none can be deleted. Where it is less, a wait may be needed by executions that
//! were not tried, or one of several may be, whichever.

use crate::program::{ItemId, Kind, Program, RootId};
use crate::witness::execute;
use crate::witness::inputs::candidate_inputs;
use std::collections::{BTreeSet, HashSet};

use crate::problem::view::Value;
use crate::problem::{OpId, Problem};

use crate::problem::algebra::Root;

/// Steps that all executions may take together where the number of needed waits is asked for: five that use up the
/// budget of one.
const BUDGET: u64 = 1_000_000;
/// Steps where they only spare a proof that would fail. Measured on deep nests and long loops: with a third of it,
/// more time goes into proofs than is saved, with five times as much, no less.
const SHORT_BUDGET: u64 = 200_000;

/// The waits of a function, fences among them, and those that are shown to be needed.
pub struct Waits {
    /// All of them, in the function's order.
    pub all: Vec<OpId>,
    /// Waits that some execution needs.
    pub needed: HashSet<OpId>,
}

/// Looks for executions that need the waits of a function.
pub fn needed_waits(problem: &Problem) -> Waits {
    let program = Program::of(problem);
    let op = |item: &ItemId| program.items[*item].op.id;
    Waits {
        all: waits(&program).iter().map(op).collect(),
        needed: needed(&program, BUDGET).iter().map(op).collect(),
    }
}

/// The waits of a program, fences among them, in its order.
pub(crate) fn waits(program: &Program<'_>) -> Vec<ItemId> {
    let is_wait = |item: &ItemId| {
        matches!(
            program.items[*item].kind,
            Kind::Wait(_) | Kind::WaitId(_) | Kind::Fence(_)
        )
    };
    program.items.ids().filter(is_wait).collect()
}

/// Waits of which an execution shows soon that they are needed.
pub(crate) fn soon_needed(program: &Program<'_>) -> BTreeSet<ItemId> {
    needed(program, SHORT_BUDGET)
}

/// Waits that some execution needs.
fn needed(program: &Program<'_>, budget: u64) -> BTreeSet<ItemId> {
    let count = waits(program).len();
    let read_only = read_only(program);
    let (mut needed, mut steps) = (BTreeSet::new(), 0);
    for menu in candidate_inputs(program) {
        if needed.len() == count || steps > budget {
            break;
        }
        let witness = execute(program, menu, &read_only);
        needed.extend(witness.needed);
        steps += witness.steps;
        if witness.chosen.is_empty() {
            break;
        }
    }
    needed
}

/// The arguments that nothing in the function writes.
fn read_only<'c>(program: &Program<'c>) -> HashSet<Value<'c>> {
    if program.items.iter().any(|item| item.accesses.is_none()) {
        return HashSet::new();
    }
    let written: Vec<RootId> = program
        .items
        .iter()
        .flat_map(|item| &item.roots)
        .filter_map(|(root, write)| write.then_some(*root))
        .collect();
    let is_read_only = |root: &RootId| {
        let is_argument = matches!(program.roots[*root], Root::NoAliasArgument(_) | Root::Argument(_));
        is_argument && !written.iter().any(|other| program.aliases[*root].contains(other))
    };
    let roots = program.roots.ids().filter(is_read_only);
    roots.map(|root| program.roots[root].value()).collect()
}
