//! Facts of a problem that all machines of it share, computed once: what each way to carry out an operation means for
//! engines and for the stream.
//!
//! Invariant: they depend on the problem and the costs of the stream alone, and on no plan.

use std::cell::RefCell;
use std::rc::Rc;

use super::StreamCosts;
use super::assigned::Assigned;
use crate::{Alternative, OpId, Problem, Resource, ResourceId, Use};

/// Queues that hold more commands are taken to be endless.
const LONGEST_QUEUE: usize = 64;

/// What plans of one problem have in common.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) problem: &'a Problem,
    pub(super) costs: StreamCosts,
    pub(super) control: Option<ResourceId>,
    /// By resource: true if it is an engine.
    engines: Vec<bool>,
    /// By operation and alternative.
    ways: Vec<Vec<Way>>,
    /// By resource: its place among the names.
    pub(super) ranks: Rc<[usize]>,
    /// By resource: the number of commands that its queue holds, where that can matter.
    pub(super) queues: Rc<[Option<usize>]>,
    /// True if some resource is bandwidth.
    pub(super) shares: bool,
    /// The alternatives that were asked for last, with what follows of them.
    latest: RefCell<Option<(Vec<u32>, Rc<Assigned>)>>,
}

/// A way to carry out an operation, as engines and the stream see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) latency: u64,
    /// The first engine that it takes.
    pub(super) engine: Option<usize>,
    /// The use of its engine, if it takes just one.
    pub(super) only: Option<Use>,
    /// The cycle after its start at which it leaves the stream.
    pub(super) held: u64,
    /// The cycles that it holds the stream if it is blocking, else 0.
    pub(super) blocking: u64,
}

impl<'a> Facts<'a> {
    /// Reads them off a problem that passes the check.
    pub(crate) fn new(problem: &'a Problem, costs: StreamCosts) -> Facts<'a> {
        let control = problem.control();
        let is_engine = |(index, resource): (usize, &Resource)| {
            control != Some(ResourceId(index as u32)) && resource.capacity == 1 && !resource.shared
        };
        let engines: Vec<bool> = problem.resources.iter().enumerate().map(is_engine).collect();
        let way = |(alternative, &blocking): (&Alternative, &u64)| {
            let mut taken = alternative.uses.iter().filter(|used| engines[used.resource.index()]);
            let first = taken.next();
            let on_stream = alternative
                .uses
                .iter()
                .filter(|used| Some(used.resource) == control && used.cycles > 0);
            Way {
                latency: alternative.latency,
                engine: first.map(|used| used.resource.index()),
                only: first.copied().filter(|_| taken.next().is_none()),
                held: on_stream.map(Use::end).max().unwrap_or(0),
                blocking,
            }
        };
        let blocking = problem.blocking();
        let each = problem.operations.iter().zip(&blocking);
        let ways = each.map(|(operation, blocking)| operation.alternatives.iter().zip(blocking).map(way).collect());
        Facts {
            problem,
            costs,
            control,
            ways: ways.collect(),
            ranks: ranks(problem).into(),
            queues: problem.resources.iter().map(queue).collect(),
            shares: problem.resources.iter().any(|resource| resource.shared),
            engines,
            latest: RefCell::new(None),
        }
    }

    /// What machines with these alternatives have in common.
    pub(super) fn assigned(&self, chosen: &[u32]) -> Rc<Assigned> {
        let mut latest = self.latest.borrow_mut();
        match &*latest {
            Some((known, assigned)) if known == chosen => Rc::clone(assigned),
            _ => {
                let assigned = Rc::new(Assigned::new(self, chosen));
                *latest = Some((chosen.to_vec(), Rc::clone(&assigned)));
                assigned
            }
        }
    }

    /// Per operation, carried out in these ways: how long it holds the control stream if it is blocking, else 0.
    pub(crate) fn blocking(&self, chosen: &[u32]) -> Vec<i64> {
        let each = self.ways.iter().zip(chosen);
        each.map(|(ways, &way)| ways[way as usize].blocking as i64).collect()
    }

    /// True if the use is that of an engine; one of no cycles takes no time of it, but has its place in the queue.
    pub(super) fn is_engine(&self, used: &Use) -> bool {
        self.engines[used.resource.index()]
    }

    /// The ways to carry out an operation.
    pub(super) fn ways(&self, op: OpId) -> &[Way] {
        &self.ways[op.index()]
    }

    /// True if the stream has to see that a dependence between commands that are carried out in these ways is met: not
    /// when both are in the trusted queue of one engine, which is busy with the first until its result is there.
    pub(super) fn needs_wait(&self, (from, to): (&Way, &Way), latency: Option<i64>) -> bool {
        // A negative latency is a deadline, which needs no wait.
        let Ok(latency) = latency.map_or(Ok(from.latency), u64::try_from) else {
            return false;
        };
        if !self.costs.trust_queues {
            return true;
        }
        match (&from.only, &to.only) {
            (Some(from), Some(to)) => from.resource != to.resource || latency > from.end(),
            _ => true,
        }
    }
}

/// The number of commands that the resource's queue holds, if it is small enough to matter.
fn queue(resource: &Resource) -> Option<usize> {
    let depth = resource.queue?.max(1) as usize;
    (depth <= LONGEST_QUEUE).then_some(depth)
}

/// The place of each resource among their names.
fn ranks(problem: &Problem) -> Vec<usize> {
    let mut named: Vec<usize> = (0..problem.resources.len()).collect();
    named.sort_by_key(|&resource| &problem.resources[resource].name);
    let mut ranks = vec![0; named.len()];
    for (rank, resource) in named.into_iter().enumerate() {
        ranks[resource] = rank;
    }
    ranks
}
