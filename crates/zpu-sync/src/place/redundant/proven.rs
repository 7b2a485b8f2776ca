//! Takes out the waits without which the function is proven all the same.
//!
//! The form that would be written is written as a problem, and [`redundant_waits`] looks there: the executions and the
//! proof see conditions, trip counts and shared barrier ids that the search for conflicts does not. The waits that they
//! find go from the tokens, with what loops carry and branches yield for them.

use std::collections::{BTreeSet, HashSet};

use crate::place::ids::Ids;
use crate::place::redundant::dominated::used_only;
use crate::place::tokens::Tokens;
use crate::place::tree::{AsyncEngineId, Engines, Tree};
use crate::place::write::{Written, write};
use crate::problem::{EngineId, OpId, Problem};
use crate::redundant::{Budget, finding_full_queues, is_shown_to_be_right, live_at_the_end, redundant_waits};

/// A function that is to be written.
pub(crate) struct Draft<'a, 'c> {
    pub(crate) problem: &'c Problem,
    pub(crate) engines: &'a Engines,
    pub(crate) tree: &'a Tree<'c>,
}

impl Draft<'_, '_> {
    /// The form with these tokens and ids.
    fn written(&self, tokens: &Tokens, ids: Option<&Ids>) -> Written {
        write(self.problem, self.tree, self.engines, tokens, ids)
    }
}

/// The waits that are left.
pub(crate) struct Remaining {
    pub(crate) tokens: Tokens,
    /// Waits that may be redundant and were not tried, since the proof had enough.
    pub(crate) untried: usize,
}

/// The tokens without the waits that are not needed in the form with these ids, or in that with tokens.
pub(crate) fn without_proven(draft: &Draft<'_, '_>, tokens: Tokens, ids: Option<&Ids>) -> Remaining {
    let written = draft.written(&tokens, ids);
    let own: HashSet<OpId> = written.waits.iter().map(|wait| wait.op).collect();
    let found = redundant_waits(&written.problem, &own);
    let untried = found.untried;
    let gone: HashSet<OpId> = found.waits.into_iter().collect();
    let swept = |tokens| Remaining { tokens, untried };
    if gone.is_empty() {
        return swept(tokens);
    }
    let mut tokens = tokens;
    for wait in written.waits.iter().filter(|wait| gone.contains(&wait.op)) {
        if let Some(waits) = wait.item.and_then(|item| tokens.waits.get_mut(&item)) {
            waits.retain(|each| !wait.tokens.contains(each));
        }
    }
    tokens.waits.retain(|_, waits| !waits.is_empty());
    swept(used_only(&tokens))
}

/// True if the function is proven in the form with these tokens and ids, with little work.
pub(crate) fn is_soon_right(draft: &Draft<'_, '_>, tokens: &Tokens, ids: Option<&Ids>) -> bool {
    is_shown_to_be_right(&draft.written(tokens, ids).problem, Budget::Short)
}

/// What was written and is not proven: several ways may lead to the same form.
#[derive(Debug, Default)]
pub(crate) struct Unproven(Vec<Problem>);

impl Unproven {
    /// True if the function is proven in the form with these tokens and ids.
    pub(crate) fn is_right(&mut self, draft: &Draft<'_, '_>, tokens: &Tokens, ids: Option<&Ids>) -> bool {
        let Written { problem, .. } = draft.written(tokens, ids);
        if self.0.contains(&problem) {
            return false;
        }
        let is_right = is_shown_to_be_right(&problem, Budget::Full);
        if !is_right {
            self.0.push(problem);
        }
        is_right
    }
}

/// The engines on which a command with an id may be in flight at the end of the function in this form.
pub(crate) fn left_live(draft: &Draft<'_, '_>, tokens: &Tokens, ids: &Ids) -> Vec<AsyncEngineId> {
    let live: BTreeSet<EngineId> = live_at_the_end(&draft.written(tokens, Some(ids)).problem);
    let engines = draft.engines.ids();
    engines
        .filter(|engine| live.contains(&draft.engines.in_device(*engine)))
        .collect()
}

/// Commands that may find their queue full in this form, on a machine that then drops them or stops.
pub(crate) fn overfull(draft: &Draft<'_, '_>, tokens: &Tokens, ids: Option<&Ids>) -> Vec<OpId> {
    // A command keeps its number when it becomes a start.
    let found = finding_full_queues(&draft.written(tokens, ids).problem);
    let commands = draft.problem.function().walk().into_iter();
    let becomes_asynchronous = commands.filter(|op| draft.engines.of(*op).is_some());
    becomes_asynchronous
        .map(|op| op.id)
        .filter(|id| found.contains(id))
        .collect()
}
