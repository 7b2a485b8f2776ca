//! The order of trials.

mod assisted;
mod random;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::candidate::Candidate;
use crate::features::features;
use crate::search::Outcome;
use crate::space::Space;
use crate::trial::Trial;
use assisted::{Residual, expected_improvement};

/// A way to choose the next trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// All, in the order of the space; nothing ends it early.
    Exhaustive,
    /// At random.
    Random,
    /// By the model's prediction.
    Model,
    /// By the model's prediction, corrected by a regression over the trials that were made.
    Assisted,
}

/// The trials that are left.
pub(crate) struct Order<'a> {
    strategy: Strategy,
    candidates: &'a [Candidate],
    /// Positions that were not given out, in the order of the strategy without any trial.
    left: Vec<usize>,
    /// For [`Strategy::Assisted`].
    rows: Vec<Vec<f64>>,
    residual: Residual,
    /// How many trials the residual knows.
    learned: usize,
}

impl<'a> Order<'a> {
    pub(crate) fn new(strategy: Strategy, seed: u64, space: &Space, candidates: &'a [Candidate]) -> Self {
        let can_be_tried = |at: &usize| candidates[*at].ready().is_some();
        let mut left: Vec<usize> = (0..candidates.len()).filter(can_be_tried).collect();
        let mut rows = Vec::new();
        match strategy {
            Strategy::Exhaustive => {}
            Strategy::Random => random::shuffle(&mut left, seed),
            Strategy::Model | Strategy::Assisted => {
                // Of equal predictions the one with the lower bound may be better, and more stages are never slower.
                left.sort_by_key(|at| {
                    let candidate = &candidates[*at];
                    let predicted = candidate.predicted().unwrap_or(u64::MAX);
                    (predicted, candidate.bound(), Reverse(candidate.most_stages()), *at)
                });
            }
        }
        if strategy == Strategy::Assisted {
            rows = features(space, candidates);
        }
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        Self {
            strategy,
            candidates,
            left,
            rows,
            residual: Residual::new(width),
            learned: 0,
        }
    }

    /// The next trials, at most `count`.
    pub(crate) fn next(&mut self, count: usize, outcome: &Outcome) -> Vec<usize> {
        let best = outcome.best().and_then(|best| best.cycles);
        // What cannot be better is not tried, but in a search through all.
        if let Some(best) = best.filter(|_| self.strategy != Strategy::Exhaustive) {
            self.left.retain(|at| self.candidates[*at].bound() < best);
        }
        let next = match best {
            Some(best) if self.strategy == Strategy::Assisted => {
                self.learn(&outcome.trials);
                self.most_promising(count, best)
            }
            _ => self.left.iter().take(count).copied().collect(),
        };
        let given: BTreeSet<usize> = next.iter().copied().collect();
        self.left.retain(|at| !given.contains(at));
        next
    }

    /// Learns from the trials that are new.
    fn learn(&mut self, trials: &[Trial]) {
        for trial in &trials[self.learned..] {
            let at = self
                .candidates
                .binary_search_by_key(&trial.index, |candidate| candidate.configuration);
            if let (Ok(at), Some(cycles), Some(predicted)) = (at, trial.cycles, trial.predicted) {
                let error = (cycles.max(1) as f64 / predicted.max(1) as f64).ln();
                self.residual.learn(&self.rows[at], error);
            }
        }
        self.learned = trials.len();
    }

    /// Configurations by expected improvement. Each is taken for a trial with the expected result before the next one
    /// is chosen, so that a batch is not several times the same.
    fn most_promising(&self, count: usize, best: u64) -> Vec<usize> {
        let mut residual = self.residual.clone();
        let best = (best.max(1) as f64).ln();
        let mut next: Vec<usize> = Vec::new();
        while next.len() < count {
            let mut top: Option<(f64, usize)> = None;
            for at in self.left.iter().filter(|at| !next.contains(at)) {
                let value = match self.candidates[*at].predicted() {
                    Some(predicted) => {
                        let (mean, deviation) = residual.at(&self.rows[*at]);
                        expected_improvement(best, (predicted.max(1) as f64).ln() + mean, deviation)
                    }
                    // Without a prediction, after all others.
                    None => -1.0,
                };
                if top.is_none_or(|(most, _)| value > most) {
                    top = Some((value, *at));
                }
            }
            let Some((_, at)) = top else { break };
            next.push(at);
            if !self.rows[at].is_empty() {
                let (mean, _) = residual.at(&self.rows[at]);
                residual.learn(&self.rows[at], mean);
            }
        }
        next
    }
}
