//! A loop problem as the time-based schedulers see it: alternatives chosen, dependences as edges with latencies.

use crate::graph::{Edge, Graph};
use crate::{Bounds, Kind, Options, Problem, Use, lower_bound};

/// A problem made ready for placing operations in time.
pub(crate) struct Work<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) options: &'a Options,
    pub(crate) chosen: Vec<u32>,
    pub(crate) latency: Vec<i64>,
    pub(crate) graph: Graph,
    pub(crate) edges: Vec<Edge>,
    pub(crate) bounds: Bounds,
    /// Per operation: how long it holds the control stream if it is blocking, else 0.
    pub(crate) blocking: Vec<i64>,
    uses: Vec<Vec<Use>>,
}

impl<'a> Work<'a> {
    /// The problem as it is.
    pub(crate) fn new(problem: &'a Problem, options: &'a Options) -> Work<'a> {
        Work::with_chosen(problem, options, balanced_alternatives(problem))
    }

    /// The problem with these alternatives.
    pub(crate) fn with_chosen(problem: &'a Problem, options: &'a Options, chosen: Vec<u32>) -> Work<'a> {
        let alternatives = || {
            problem
                .operations
                .iter()
                .zip(&chosen)
                .map(|(o, &c)| &o.alternatives[c as usize])
        };
        let latency: Vec<i64> = alternatives().map(|a| a.latency as i64).collect();
        let control = problem.control();
        let held = |uses: &[Use]| {
            uses.iter()
                .filter(|u| Some(u.resource) == control)
                .map(|u| u.end() as i64)
                .max()
        };
        let blocking = alternatives().map(|a| match held(&a.uses) {
            Some(held) if held > 0 && held >= a.latency as i64 => held,
            _ => 0,
        });
        let blocking = blocking.collect();
        let uses = alternatives().map(|a| a.uses.clone()).collect();
        let graph = Graph::widest(problem);
        let edges = graph.edges(&latency);
        let bounds = lower_bound(problem);
        Work {
            problem,
            options,
            chosen,
            latency,
            graph,
            edges,
            bounds,
            blocking,
            uses,
        }
    }

    /// The problem without the cost of issuing commands to engines that do not block: such a command may be issued long
    /// before its engine gets to it, which a use at its start cannot say. `None` if that changes nothing, or nothing
    /// blocks.
    pub(crate) fn with_free_issue(&self) -> Option<Work<'a>> {
        let control = self.problem.control()?;
        if self.blocking.iter().all(|&held| held == 0) {
            return None;
        }
        let mut relaxed = self.problem.clone();
        let mut uses = self.uses.clone();
        for (op, operation) in relaxed.operations.iter_mut().enumerate() {
            if self.blocking[op] == 0 {
                uses[op].retain(|u| u.resource != control);
                operation
                    .alternatives
                    .iter_mut()
                    .for_each(|a| a.uses.retain(|u| u.resource != control));
            }
        }
        if uses == self.uses {
            return None;
        }
        Some(Work {
            problem: self.problem,
            options: self.options,
            chosen: self.chosen.clone(),
            latency: self.latency.clone(),
            graph: self.graph.clone(),
            edges: self.edges.clone(),
            bounds: lower_bound(&relaxed),
            blocking: self.blocking.clone(),
            uses,
        })
    }

    /// Number of operations.
    pub(crate) fn count(&self) -> usize {
        self.latency.len()
    }

    /// What an operation takes.
    pub(crate) fn uses(&self, op: usize) -> &[Use] {
        &self.uses[op]
    }

    /// Largest stage index allowed.
    pub(crate) fn last_stage(&self) -> i64 {
        match self.problem.kind {
            Kind::Cyclic => self.options.num_stages.into(),
            Kind::Acyclic => 0,
        }
    }
}

/// Spreads operations over their alternatives so that the largest load per resource stays small: the longest first,
/// each where the resulting load is least (Graham 1969).
pub(crate) fn balanced_alternatives(problem: &Problem) -> Vec<u32> {
    let work = |alternative: &crate::Alternative| -> u64 { alternative.uses.iter().map(|u| u.cycles).sum() };
    let mut chosen = vec![0; problem.operations.len()];
    let mut load = vec![0u64; problem.resources.len()];
    let mut by_work: Vec<usize> = (0..chosen.len()).collect();
    by_work.sort_by_key(|&op| {
        let least = problem.operations[op].alternatives.iter().map(work).min().unwrap_or(0);
        (
            problem.operations[op].alternatives.len() > 1,
            std::cmp::Reverse(least),
            op,
        )
    });
    for op in by_work {
        let loads_with = |alternative: &crate::Alternative| {
            let share = |u: &Use| {
                (load[u.resource.index()] + u64::from(u.amount) * u.cycles)
                    / u64::from(problem.resources[u.resource.index()].capacity.max(1))
            };
            alternative.uses.iter().map(share).max().unwrap_or(0)
        };
        let alternatives = &problem.operations[op].alternatives;
        let best = (0..alternatives.len()).min_by_key(|&i| (loads_with(&alternatives[i]), alternatives[i].latency, i));
        let best = best.unwrap_or(0);
        chosen[op] = best as u32;
        for used in &alternatives[best].uses {
            load[used.resource.index()] += u64::from(used.amount) * used.cycles;
        }
    }
    chosen
}
