//! A loop problem as the time-based schedulers see it: alternatives chosen, dependences as edges with latencies.

use crate::assign::balanced;
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
        Work::with_chosen(problem, options, balanced(problem, 0).chosen)
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
        let each = problem.blocking().into_iter().zip(&chosen);
        let blocking = each.map(|(held, &chosen)| held[chosen as usize] as i64).collect();
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

    /// The problem with other alternatives.
    pub(crate) fn rechosen(&self, chosen: Vec<u32>) -> Work<'a> {
        Work::with_chosen(self.problem, self.options, chosen)
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

    /// The uses of an operation.
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
