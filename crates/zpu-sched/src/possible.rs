//! Alternatives that can never be chosen, and a problem without them: what takes more of a resource than there is, and
//! what takes longer than a deadline or a cycle within one iteration leaves.
//!
//! Invariant: the smaller problem has the same solutions, since no schedule can choose an alternative that is left out.

use std::fmt;

use crate::check::excess;
use crate::graph::{Graph, positive_cycle, strongly_connected};
use crate::{OpId, Problem};

/// An alternative that takes more of a resource than there is. Its operation has another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpossibleAlternative {
    /// Name of the operation.
    pub operation: String,
    /// Place among its alternatives, from 0.
    pub alternative: usize,
    /// Name of the resource.
    pub resource: String,
    /// Most units taken at once.
    pub amount: u64,
    /// Units there are.
    pub capacity: u32,
}

impl fmt::Display for ImpossibleAlternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "alternative {} of operation `{}` takes {} of resource `{}`, its capacity is {}; it is never chosen",
            self.alternative, self.operation, self.amount, self.resource, self.capacity
        )
    }
}

/// The alternatives of `problem` that can never be chosen, of operations that have others.
pub fn impossible_alternatives(problem: &Problem) -> Vec<ImpossibleAlternative> {
    let mut found = vec![];
    for id in problem.op_ids() {
        let operation = &problem.operations[id.index()];
        let kept = kept(problem, id);
        if kept.is_empty() {
            continue;
        }
        for (alternative, way) in operation.alternatives.iter().enumerate() {
            if let Some((resource, amount)) = excess(problem, way).first() {
                let resource = &problem.resources[resource.index()];
                found.push(ImpossibleAlternative {
                    operation: operation.name.clone(),
                    alternative,
                    resource: resource.name.clone(),
                    amount: *amount,
                    capacity: resource.capacity,
                });
            }
        }
    }
    found
}

/// A problem with only those alternatives that can be chosen.
pub(crate) struct Possible {
    pub(crate) problem: Problem,
    /// For each operation, the places that its alternatives had before.
    kept: Vec<Vec<u32>>,
}

impl Possible {
    /// The problem without them; `None` if there are none. It passes the check.
    pub(crate) fn of(problem: &Problem) -> Option<Possible> {
        let mut kept: Vec<Vec<u32>> = problem.op_ids().map(|id| kept(problem, id)).collect();
        keep_in_time(problem, &mut kept);
        let each = || problem.operations.iter().zip(&kept);
        if each().all(|(operation, kept)| operation.alternatives.len() == kept.len()) {
            return None;
        }
        let mut possible = problem.clone();
        for (operation, kept) in possible.operations.iter_mut().zip(&kept) {
            operation.alternatives = kept
                .iter()
                .map(|&k| operation.alternatives[k as usize].clone())
                .collect();
        }
        Some(Possible {
            problem: possible,
            kept,
        })
    }

    /// The choices as the problem before numbers them.
    pub(crate) fn renumber(&self, chosen: &mut [u32]) {
        for (chosen, kept) in chosen.iter_mut().zip(&self.kept) {
            *chosen = kept[*chosen as usize];
        }
    }
}

fn kept(problem: &Problem, id: OpId) -> Vec<u32> {
    let each = (0u32..).zip(&problem.operations[id.index()].alternatives);
    each.filter(|(_, way)| excess(problem, way).is_empty())
        .map(|(index, _)| index)
        .collect()
}

/// Leaves out what would take too long even if all other operations took as little time as they can.
fn keep_in_time(problem: &Problem, kept: &mut [Vec<u32>]) {
    let graph = Graph::new(problem, &vec![None; problem.buffers.len()]);
    let latency = |op: usize, way: u32| problem.operations[op].alternatives[way as usize].latency as i64;
    let shortest = kept.iter().enumerate().map(|(op, kept)| {
        let latencies = kept.iter().map(|&way| latency(op, way));
        latencies.min().unwrap_or(0)
    });
    let shortest: Vec<i64> = shortest.collect();
    let mut edges = graph.edges(&shortest);
    edges.retain(|edge| edge.distance == 0);
    let mut group_of = vec![0; kept.len()];
    let groups = strongly_connected(kept.len(), &edges);
    for (index, group) in groups.iter().enumerate() {
        group.iter().for_each(|&op| group_of[op] = index);
    }
    let inside = |from: usize, to: usize| group_of[from] == group_of[to];
    edges.retain(|edge| inside(edge.from, edge.to));
    if edges.is_empty() || positive_cycle(kept.len(), &edges, 0).is_some() {
        return;
    }
    for (op, kept) in kept.iter_mut().enumerate() {
        let own = |arc: &&u32| {
            let arc = &graph.arcs[**arc as usize];
            arc.distance == 0 && arc.latency.is_none() && inside(arc.from, arc.to)
        };
        if kept.len() < 2 || !graph.leaving[op].iter().any(|arc| own(&arc)) {
            continue;
        }
        kept.retain(|&way| {
            let mut slower = shortest.clone();
            slower[op] = latency(op, way);
            let mut edges = graph.edges(&slower);
            edges.retain(|edge| edge.distance == 0 && inside(edge.from, edge.to));
            positive_cycle(slower.len(), &edges, 0).is_none()
        });
    }
}
