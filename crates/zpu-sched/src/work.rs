//! A loop problem as the time-based schedulers see it: alternatives chosen, dependences as edges with latencies.

use std::rc::Rc;

use crate::assign::balanced;
use crate::estimate::Facts;
use crate::graph::{Edge, Graph};
use crate::{Bounds, Kind, Options, Problem, Use, lower_bound};

/// A problem made ready for placing operations in time.
pub(crate) struct Work<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) options: &'a Options,
    /// What machines of all plans have in common.
    pub(crate) facts: Rc<Facts<'a>>,
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
        let any = Work {
            problem,
            options,
            facts: Rc::new(Facts::new(problem, options.stream)),
            chosen: vec![],
            latency: vec![],
            graph: Graph::widest(problem),
            edges: vec![],
            bounds: lower_bound(problem),
            blocking: vec![],
            uses: vec![],
        };
        any.rechosen(balanced(problem, 0).chosen)
    }

    /// The problem with other alternatives.
    pub(crate) fn rechosen(&self, chosen: Vec<u32>) -> Work<'a> {
        let problem = self.problem;
        let each = || problem.operations.iter().zip(&chosen);
        let alternatives = || each().map(|(operation, &way)| &operation.alternatives[way as usize]);
        let latency: Vec<i64> = alternatives().map(|a| a.latency as i64).collect();
        Work {
            problem,
            options: self.options,
            facts: Rc::clone(&self.facts),
            blocking: self.facts.blocking(&chosen),
            uses: alternatives().map(|a| a.uses.clone()).collect(),
            graph: self.graph.clone(),
            edges: self.graph.edges(&latency),
            bounds: self.bounds.clone(),
            latency,
            chosen,
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
            facts: Rc::clone(&self.facts),
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
