//! The order of trials.

mod random;

use std::collections::BTreeSet;

use crate::candidate::Candidate;
use crate::search::Outcome;
use crate::space::Space;

/// A way to choose the next trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// All, in the order of the space; nothing ends it early.
    Exhaustive,
    /// At random.
    Random,
    /// By the model's prediction.
    Model,
}

/// The trials that are left.
pub(crate) struct Order<'a> {
    strategy: Strategy,
    candidates: &'a [Candidate],
    left: BTreeSet<usize>,
    /// Positions in the order of the strategy, where that is fixed.
    fixed: std::vec::IntoIter<usize>,
}

impl<'a> Order<'a> {
    pub(crate) fn new(strategy: Strategy, seed: u64, _space: &Space, candidates: &'a [Candidate]) -> Self {
        let can_be_tried = |at: &usize| candidates[*at].ready().is_some();
        let mut all: Vec<usize> = (0..candidates.len()).filter(can_be_tried).collect();
        match strategy {
            Strategy::Exhaustive => {}
            Strategy::Random => random::shuffle(&mut all, seed),
            Strategy::Model => {
                // Of equal predictions the one with the lower bound may be better.
                all.sort_by_key(|at| {
                    let candidate = &candidates[*at];
                    (candidate.predicted().unwrap_or(u64::MAX), candidate.bound(), *at)
                });
            }
        }
        Self {
            strategy,
            candidates,
            left: all.iter().copied().collect(),
            fixed: all.into_iter(),
        }
    }

    /// The next trials, at most `count`.
    pub(crate) fn next(&mut self, count: usize, outcome: &Outcome) -> Vec<usize> {
        let best = outcome.best().and_then(|best| best.cycles);
        // What cannot be better is not tried, but in a search through all.
        let is_hopeless = |at: &usize| {
            self.strategy != Strategy::Exhaustive && best.is_some_and(|best| self.candidates[*at].bound() >= best)
        };
        let mut next = Vec::new();
        while next.len() < count {
            let Some(at) = self.fixed.next() else { break };
            if !is_hopeless(&at) {
                next.push(at);
            }
        }
        for at in &next {
            self.left.remove(at);
        }
        next
    }
}
