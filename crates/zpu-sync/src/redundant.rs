//! Which waits of a function can be left out: those without which it is proven all the same.
//!
//! Waits that an execution needs are not tried. The others are taken out, and stay out if the walk finds nothing
//! against what is left: all together if it can be, else halves of them, down to each by itself. Those in the innermost
//! loops come first, since they are passed most often, and of one depth the first in the program, so that of two that
//! stand for each other the later one stays. A function that is not proven with all its waits keeps them.

use crate::program::{ItemId, Kind, Program};
use crate::verify::closest_interpretation;
use crate::verify::interpreter::{Interpreter, Precision};
use crate::witness::needs::{soon_needed, waits};
use std::collections::{BTreeSet, HashSet};

use crate::problem::{EngineId, OpId, Problem};

/// Work that all walks of one function may do together, see [`Precision::budget`]: well under a second.
const BUDGET: u64 = 400_000;

/// Operations of a function beyond which not even one walk is begun: a walk passes each of them several times,
/// with states that grow with the function.
const MOST_ITEMS: usize = 5_000;

/// Redundant waits of a function.
pub struct Redundant {
    /// The waits that can be left out, all of them together.
    pub waits: Vec<OpId>,
    /// Waits that no execution needs and that were not tried, since that would have taken too long.
    pub untried: usize,
}

/// The work that a proof may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// As long as removing the waits of one function.
    Short,
    /// As long as that of the pass.
    Full,
}

/// Looks among those waits that `may_go` for what can be left out.
pub fn redundant_waits(problem: &Problem, may_go: &HashSet<OpId>) -> Redundant {
    let mut program = Program::of(problem);
    let mut found = Redundant {
        waits: Vec::new(),
        untried: 0,
    };
    if program.entry.is_none() || waits(&program).is_empty() {
        return found;
    }
    let needed = soon_needed(&program);
    let mut candidates: Vec<ItemId> = waits(&program)
        .into_iter()
        .filter(|wait| !needed.contains(wait) && may_go.contains(&program.items[*wait].op.id))
        .collect();
    if program.size() > MOST_ITEMS {
        found.untried = candidates.len();
        return found;
    }
    candidates.sort_by_key(|wait| (std::cmp::Reverse(program.items[*wait].around.len()), *wait));
    let mut budget = BUDGET;
    if candidates.is_empty() || !is_proven(&program, &mut budget) {
        found.untried = if budget == 0 { candidates.len() } else { 0 };
        return found;
    }
    // All that can go together are found by one proof: halves are tried apart only where the whole cannot go. Fewer
    // waits are never easier to prove, so this comes to the same as one after the other.
    let mut open = vec![candidates.as_slice()];
    while let Some(group) = open.pop() {
        if budget == 0 {
            found.untried += group.len();
            continue;
        }
        let mut kinds: Vec<Kind<'_>> = Vec::with_capacity(group.len());
        for wait in group {
            kinds.push(std::mem::replace(
                &mut program.items[*wait].kind,
                Kind::Fence(Vec::new()),
            ));
        }
        if is_proven(&program, &mut budget) {
            found.waits.extend(group.iter().map(|wait| program.items[*wait].op.id));
            continue;
        }
        for (wait, kind) in group.iter().zip(kinds) {
            program.items[*wait].kind = kind;
        }
        match group {
            [_] => found.untried += usize::from(budget == 0),
            _ => {
                let (first, second) = group.split_at(group.len() / 2);
                open.extend([second, first]);
            }
        }
    }
    found
}

/// True if nothing is found against a function, as far as the budget goes.
pub fn is_shown_to_be_right(problem: &Problem, budget: Budget) -> bool {
    let program = Program::of(problem);
    match budget {
        Budget::Short => program.size() <= MOST_ITEMS && is_proven(&program, &mut { BUDGET }),
        Budget::Full => {
            let interpreter = closest_interpretation(&program);
            !interpreter.has_given_up() && interpreter.findings.list.is_empty()
        }
    }
}

/// The engines on which a command with a barrier id may be outstanding when the function returns.
pub fn live_at_the_end(problem: &Problem) -> BTreeSet<EngineId> {
    let program = Program::of(problem);
    let mut live = BTreeSet::new();
    // What one condition decides in several places is told apart only where that is needed.
    let joined = program.has_nests().then_some(Precision::JOINED);
    let closer = [Precision::DEFAULT, Precision::PATH_SENSITIVE, Precision::LAST_ITERATION];
    for precision in joined.into_iter().chain(closer) {
        let interpreter = Interpreter::through(&program, precision);
        if interpreter.has_given_up() {
            break;
        }
        live = interpreter.live;
        if live.is_empty() {
            break;
        }
    }
    live
}

/// Commands that may find their queue full where the machine does not wait for a place.
pub fn finding_full_queues(problem: &Problem) -> HashSet<OpId> {
    let program = Program::of(problem);
    let interpreter = closest_interpretation(&program);
    interpreter
        .findings
        .of_full_queues()
        .map(|item| program.items[item].op.id)
        .collect()
}

/// True if nothing is found against a program, with what is spent taken from the budget.
fn is_proven(program: &Program<'_>, budget: &mut u64) -> bool {
    let joined = program.has_nests().then_some(Precision::JOINED);
    let closer = [Precision::DEFAULT, Precision::PATH_SENSITIVE, Precision::LAST_ITERATION];
    for precision in joined.into_iter().chain(closer) {
        let precision = Precision {
            budget: precision.budget.min(*budget),
            ..precision
        };
        let interpreter = Interpreter::to_first_finding(program, precision);
        *budget = budget.saturating_sub(interpreter.work());
        if interpreter.has_given_up() {
            return false;
        }
        if interpreter.findings.list.is_empty() {
            return true;
        }
    }
    false
}
