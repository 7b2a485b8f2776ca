//! Takes out the waits without which the function is proven all the same.
//!
//! The form that would be written is written into a copy, and [`redundant_waits`] looks there: the executions and the
//! proof of `zpu-verify-sync` see conditions, trip counts and shared barrier ids that the search for conflicts does
//! not. The waits that they find go from the tokens, with what loops carry and branches yield for them, before the
//! function itself is written.

use std::collections::HashSet;

use zpu_device::Device;
use zpu_ir::Op;
use zpu_ir::edit::Scratch;

use super::super::ids::Ids;
use super::super::rewrite::{Written, rewrite};
use super::super::tokens::Tokens;
use super::super::tree::{EngineId, Tree};
use super::dominated::used_only;
use zpu_analysis::problem::{Detail, problem_of};
use zpu_sync::problem::OpId;
use zpu_sync::redundant::{Patience, finding_full_queues, is_shown_to_be_right, live_at_the_end, redundant_waits};

/// A function that is to be written.
pub(in crate::inject_dma_barrier) struct Draft<'a, 'c> {
    pub(in crate::inject_dma_barrier) function: Op<'c>,
    pub(in crate::inject_dma_barrier) device: &'c Device,
    pub(in crate::inject_dma_barrier) engines: &'a [String],
    /// The engine of a command that becomes asynchronous.
    pub(in crate::inject_dma_barrier) engine: &'a dyn Fn(Op<'c>) -> Option<EngineId>,
}

impl<'c> Draft<'_, 'c> {
    /// Writes a copy, and looks at it.
    fn written<T>(&self, tokens: &Tokens, ids: Option<&Ids>, look: impl FnOnce(Op<'c>, Written<'c>) -> T) -> Option<T> {
        let copy = Scratch::of(self.function);
        let tree = Tree::of(copy.op().body()?, self.engine);
        let written = rewrite(&tree, tokens, self.engines, ids);
        Some(look(copy.op(), written))
    }
}

/// What is left of the waits.
pub(in crate::inject_dma_barrier) struct Remaining {
    pub(in crate::inject_dma_barrier) tokens: Tokens,
    /// Waits that may be redundant and were not tried, since the proof had enough.
    pub(in crate::inject_dma_barrier) untried: usize,
}

/// The tokens without the waits that are not needed in the form with these ids, or in that with tokens.
pub(in crate::inject_dma_barrier) fn without_proven(
    draft: &Draft<'_, '_>,
    tokens: Tokens,
    ids: Option<&Ids>,
) -> Remaining {
    let found = draft.written(&tokens, ids, |copy, written| {
        let sources = problem_of(copy, draft.device, Detail::Bare);
        let ids = sources.ids();
        let own: HashSet<OpId> = written
            .waits
            .iter()
            .filter_map(|wait| ids.get(&wait.op).copied())
            .collect();
        let found = redundant_waits(&sources.problem, &own);
        let is_gone = |wait: Op<'_>| ids.get(&wait).is_some_and(|id| found.waits.contains(id));
        let gone = written.waits.into_iter().filter(|wait| is_gone(wait.op));
        let gone: Vec<_> = gone.map(|wait| (wait.item, wait.tokens)).collect();
        (gone, found.untried)
    });
    let (gone, untried) = found.unwrap_or_default();
    let swept = |tokens| Remaining { tokens, untried };
    if gone.is_empty() {
        return swept(tokens);
    }
    let mut tokens = tokens;
    for (item, list) in gone {
        if let Some(waits) = tokens.waits.get_mut(&item) {
            waits.retain(|wait| !list.contains(wait));
        }
    }
    tokens.waits.retain(|_, waits| !waits.is_empty());
    swept(used_only(&tokens))
}

/// Whether the function is proven in the form with these tokens and ids.
pub(in crate::inject_dma_barrier) fn is_right(
    draft: &Draft<'_, '_>,
    tokens: &Tokens,
    ids: Option<&Ids>,
    patience: Patience,
) -> bool {
    let found = draft.written(tokens, ids, |copy, _| {
        is_shown_to_be_right(&problem_of(copy, draft.device, Detail::Bare).problem, patience)
    });
    found.unwrap_or(false)
}

/// The engines on which a command with an id may be in flight at the end of the function in this form.
pub(in crate::inject_dma_barrier) fn left_live(draft: &Draft<'_, '_>, tokens: &Tokens, ids: &Ids) -> Vec<EngineId> {
    let live = draft.written(tokens, Some(ids), |copy, _| {
        live_at_the_end(&problem_of(copy, draft.device, Detail::Bare).problem)
    });
    let live: HashSet<&str> = live
        .into_iter()
        .flatten()
        .map(|engine| draft.device.engines[engine].name.as_str())
        .collect();
    (0..draft.engines.len())
        .filter(|engine| live.contains(draft.engines[*engine].as_str()))
        .collect()
}

/// Commands that may find their queue full in this form, on a machine that then drops them or stops.
pub(in crate::inject_dma_barrier) fn overfull<'c>(
    draft: &Draft<'_, 'c>,
    tokens: &Tokens,
    ids: Option<&Ids>,
) -> Vec<Op<'c>> {
    // A copy has the same commands in the same order.
    let is_command = |op: &Op<'c>| {
        let names = ["zpu.dma", "zpu.compute", "zpu.dma_start", "zpu.compute_start"];
        names.contains(&op.name())
    };
    let commands = |function: Op<'c>| function.walk().into_iter().filter(is_command);
    let positions = draft.written(tokens, ids, |copy, _| {
        let sources = problem_of(copy, draft.device, Detail::Bare);
        let found: HashSet<Op<'c>> = finding_full_queues(&sources.problem)
            .into_iter()
            .map(|id| sources.op(id))
            .collect();
        let positions = commands(copy).enumerate().filter(|(_, op)| found.contains(op));
        positions.map(|(position, _)| position).collect::<Vec<usize>>()
    });
    let own: Vec<Op<'c>> = commands(draft.function).collect();
    positions
        .unwrap_or_default()
        .into_iter()
        .filter_map(|position| own.get(position).copied())
        .filter(|op| (draft.engine)(*op).is_some())
        .collect()
}
