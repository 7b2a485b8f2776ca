//! The search: trials in the order of a strategy, until they are used up or the best is proven.
//!
//! Invariant: which configurations are tried, and which one wins, depends on the space, the strategy and the seed only.
//! Trials go in batches of a fixed size, whatever the number of threads, and a batch is complete before the next one is
//! chosen.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::candidate::Candidate;
use crate::certificate::Certificate;
use crate::journal::Journal;
use crate::problem::Problem;
use crate::strategy::{Order, Strategy};
use crate::trial::{Trial, attempt};
use crate::worker::with_session;

/// Trials that are chosen together. A larger batch would learn later, a smaller one would leave threads idle.
const BATCH: usize = 4;

/// What a search does.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The order of trials.
    pub strategy: Strategy,
    /// The most trials; `None` for no limit.
    pub trials: Option<usize>,
    /// Decides the order of random trials.
    pub seed: u64,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Trials in the order in which they were chosen.
    pub trials: Vec<Trial>,
    /// How many of them were in the journal already.
    pub known: usize,
    /// The position of the best one in [`Self::trials`]; of equally good ones the first configuration.
    pub best: Option<usize>,
    /// What is proven.
    pub certificate: Certificate,
}

impl Outcome {
    /// A trial that took fewer cycles than the model's bound. There should be none, and nothing is proven if there is.
    pub fn refuted(&self) -> Option<&Trial> {
        self.trials
            .iter()
            .find(|trial| trial.cycles.is_some_and(|cycles| cycles < trial.bound))
    }

    /// The best trial.
    pub fn best(&self) -> Option<&Trial> {
        self.trials.get(self.best?)
    }
}

/// Searches among `candidates`. `progress` is called with each trial.
///
/// # Errors
///
/// If the journal cannot be written.
pub fn search(
    problem: &Problem,
    candidates: &[Candidate],
    plan: Plan,
    journal: Option<&Journal>,
    progress: &(impl Fn(&Trial) + Sync),
) -> Result<Outcome, String> {
    let mut order = Order::new(plan.strategy, plan.seed, &problem.space, candidates);
    let mut tried: BTreeMap<usize, ()> = BTreeMap::new();
    let mut outcome = Outcome {
        trials: Vec::new(),
        known: 0,
        best: None,
        certificate: Certificate::of(None, candidates.iter()),
    };
    loop {
        let left = plan.trials.map_or(BATCH, |most| most - outcome.trials.len().min(most));
        let batch = order.next(BATCH.min(left), &outcome);
        if batch.is_empty() {
            break;
        }
        let done = batch.par_iter().map(|at| {
            let candidate = &candidates[*at];
            let ready = candidate.ready()?;
            let known = journal.and_then(|journal| journal.get(&ready.key));
            let trial = match known {
                // The same program may have another number in this space.
                Some(known) => Ok((
                    Trial {
                        index: candidate.configuration,
                        configuration: problem.settings_by_name(candidate.configuration),
                        ..known.clone()
                    },
                    true,
                )),
                None => {
                    let trial = with_session(|session| attempt(session, problem, candidate.configuration, ready));
                    let written = journal.map_or(Ok(()), |journal| journal.add(&trial));
                    written.map(|()| (trial, false))
                }
            };
            if let Ok((trial, _)) = &trial {
                progress(trial);
            }
            Some(trial)
        });
        let done: Vec<Option<Result<(Trial, bool), String>>> = done.collect();
        for (at, trial) in batch.into_iter().zip(done) {
            tried.insert(at, ());
            let Some(trial) = trial else { continue };
            let (trial, was_known) = trial?;
            outcome.known += usize::from(was_known);
            let rank = |trial: &Trial| (trial.cycles.unwrap_or(u64::MAX), trial.index);
            let is_best = trial.cycles.is_some() && outcome.best().is_none_or(|best| rank(&trial) < rank(best));
            outcome.trials.push(trial);
            if is_best {
                outcome.best = Some(outcome.trials.len() - 1);
            }
        }
        let untried = candidates.iter().enumerate().filter(|(at, _)| !tried.contains_key(at));
        let best = outcome.best().and_then(|best| best.cycles);
        outcome.certificate = match outcome.refuted() {
            Some(_) => Certificate::Open {
                bound: 0,
                count: untried.count(),
            },
            None => Certificate::of(best, untried.map(|(_, candidate)| candidate)),
        };
        if outcome.certificate == Certificate::Proven && plan.strategy != Strategy::Exhaustive {
            break;
        }
    }
    Ok(outcome)
}
