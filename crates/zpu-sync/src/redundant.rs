//! Which waits of a function can be left out: those without which it is proven all the same.
//!
//! Waits that an execution needs are not tried. The others are left out all together, and the walk says of each finding
//! against what is left which of them would have spared it: one of these has to stay. So the choice is made again,
//! until nothing is found. Those in the innermost loops are the first to go, since they are passed most often, and of
//! one depth the first in the program, so that of two that stand for each other the later one stays. A function that
//! is not proven with all its waits keeps them.

use crate::program::{ItemId, Program};
use crate::verify::interpreter::{Interpreter, Precision};
use crate::verify::{closest_interpretation, first_finding};
use crate::witness::needs::{soon_needed, waits};
use std::collections::{BTreeSet, HashSet};

use rustc_hash::FxHashMap;

use crate::problem::{EngineId, OpId, Problem};

/// Work that all walks of one function may do together, see [`Precision::budget`]: well under a second.
const BUDGET: u64 = 400_000;

/// Walks like the first one that may follow it, however long that took: of 200 loops one after the other the first one
/// finds the conflicts of all, and the second nothing more.
const REPEATS: u64 = 2;

/// The work left for closer walks once a coarser one has proven something.
const CLOSER: u64 = 40_000;

/// Loops around each other up to which a closer walk follows one of all iterations together: it goes through a loop's
/// first iterations one by one, and so takes several times as long for each loop more.
const MOST_NESTED: usize = 4;

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
    let program = Program::of(problem);
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
    if candidates.is_empty() || program.size() > MOST_ITEMS {
        found.untried = candidates.len();
        return found;
    }
    candidates.sort_by_key(|wait| (std::cmp::Reverse(program.items[*wait].around.len()), *wait));
    let mut search = Search {
        program: &program,
        candidates: &candidates,
        left: BUDGET,
        is_begun: false,
    };
    match search.most() {
        Some(gone) => found.waits = gone.iter().map(|wait| program.items[*wait].op.id).collect(),
        None if search.left == 0 => found.untried = candidates.len(),
        None => {}
    }
    found
}

/// The search for waits that can be left out.
struct Search<'a, 'c> {
    program: &'a Program<'c>,
    /// Those that may go, in the order in which they should.
    candidates: &'a [ItemId],
    /// Work that may still be spent.
    left: u64,
    /// A walk was made.
    is_begun: bool,
}

impl Search<'_, '_> {
    /// The most waits that can go by the coarsest walk that proves anything, or by a closer one that takes little more
    /// work; `None` if no walk proves the function.
    fn most(&mut self) -> Option<Vec<ItemId>> {
        let mut most: Option<Vec<ItemId>> = None;
        for precision in precisions(self.program) {
            if most.as_ref().is_some_and(|most| most.len() == self.candidates.len()) {
                break;
            }
            if most.is_some() {
                let deepest = self
                    .candidates
                    .first()
                    .map(|wait| self.program.items[*wait].around.len());
                if deepest.is_some_and(|deepest| deepest > MOST_NESTED) {
                    break;
                }
                self.left = self.left.min(CLOSER);
            }
            let gone = self.by(precision);
            match (&most, gone) {
                (Some(most), Some(gone)) if gone.len() <= most.len() => {}
                (_, Some(gone)) => most = Some(gone),
                (_, None) => {}
            }
            if self.left == 0 {
                break;
            }
        }
        most
    }

    /// The waits that can go by one walk; `None` if it does not prove the function with any choice, or gives up.
    fn by(&mut self, precision: Precision) -> Option<Vec<ItemId>> {
        let mut conflicts: Vec<BTreeSet<ItemId>> = Vec::new();
        loop {
            let chosen = self.without_conflict(&conflicts);
            let precision = Precision {
                budget: precision.budget.min(self.left),
                ..precision
            };
            let interpreter = Interpreter::without(self.program, precision, &chosen);
            self.left = self.left.saturating_sub(interpreter.work());
            if !std::mem::replace(&mut self.is_begun, true) && !interpreter.has_given_up() {
                self.left = self.left.max(REPEATS * interpreter.work());
            }
            if interpreter.has_given_up() {
                return None;
            }
            if interpreter.findings.list.is_empty() {
                return interpreter.left_out.is_whole().then_some(chosen);
            }
            let blamed = interpreter.left_out.blamed();
            if blamed.iter().any(BTreeSet::is_empty) {
                return None;
            }
            conflicts.extend(blamed.iter().cloned());
        }
    }

    /// The candidates, in their order, but for those with which all waits of a conflict would go.
    fn without_conflict(&self, conflicts: &[BTreeSet<ItemId>]) -> Vec<ItemId> {
        let place: FxHashMap<ItemId, usize> = self
            .candidates
            .iter()
            .enumerate()
            .map(|(at, wait)| (*wait, at))
            .collect();
        // A conflict is decided with the last of its waits.
        let mut decided: Vec<Vec<&BTreeSet<ItemId>>> = vec![Vec::new(); self.candidates.len()];
        for conflict in conflicts {
            if let Some(last) = conflict.iter().filter_map(|wait| place.get(wait)).max() {
                decided[*last].push(conflict);
            }
        }
        let mut stays: BTreeSet<ItemId> = BTreeSet::new();
        for (wait, conflicts) in self.candidates.iter().zip(decided) {
            if conflicts.iter().any(|conflict| conflict.is_disjoint(&stays)) {
                stays.insert(*wait);
            }
        }
        self.candidates
            .iter()
            .copied()
            .filter(|wait| !stays.contains(wait))
            .collect()
    }
}

/// True if nothing is found against a function, as far as the budget goes.
pub fn is_shown_to_be_right(problem: &Problem, budget: Budget) -> bool {
    let program = Program::of(problem);
    match budget {
        Budget::Short => program.size() <= MOST_ITEMS && is_proven(&program, &mut { BUDGET }),
        Budget::Full => {
            let interpreter = first_finding(&program);
            !interpreter.has_given_up() && interpreter.findings.list.is_empty()
        }
    }
}

/// The engines on which a command with a barrier id may be outstanding when the function returns.
pub fn live_at_the_end(problem: &Problem) -> BTreeSet<EngineId> {
    let program = Program::of(problem);
    let mut live = BTreeSet::new();
    // What one condition decides in several places is told apart only where that is needed.
    for precision in precisions(&program) {
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

/// The walks, from the coarsest to the closest.
fn precisions(program: &Program<'_>) -> impl Iterator<Item = Precision> {
    let joined = program.has_nests().then_some(Precision::JOINED);
    let closer = [Precision::DEFAULT, Precision::PATH_SENSITIVE, Precision::LAST_ITERATION];
    joined.into_iter().chain(closer)
}

/// True if nothing is found against a program, with what is spent taken from the budget.
fn is_proven(program: &Program<'_>, budget: &mut u64) -> bool {
    for precision in precisions(program) {
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
