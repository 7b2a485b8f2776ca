//! Lower bounds: what no schedule can beat.
//!
//! Rau, "Iterative modulo scheduling" (MICRO 1994): the minimal interval is the larger of the resource bound (work per
//! unit of capacity) and the recurrence bound (the largest ratio of latency to distance over all cycles).

use std::collections::BTreeSet;

use serde::Serialize;

use crate::assign::balanced;
use crate::graph::{
    Edge, Graph, cycle_of_larger_ratio, earliest, positive_cycle_edges, shortest_latencies, strongly_connected,
};
use crate::{Kind, OpId, Problem};

/// Lower bounds of a problem, in cycles, each by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// Per resource, the work that only it can do, divided by its capacity and rounded up.
    pub resource: Vec<u64>,
    /// The bound by the most loaded resource for any choice of alternatives (if that takes long to compute, the bound
    /// by sets of resources that can stand in for each other); 0 without alternatives.
    pub shared: u64,
    /// Interval that the cycles of dependences and full rings demand; 0 without cycles, and when acyclic.
    pub recurrence: u64,
    /// The operations of the cycle with the largest ratio of latency to distance, in order: the one that demands it,
    /// whether or not the resources demand more.
    pub recurrence_ops: Vec<OpId>,
    /// Cycles around it; 0 if there is none.
    pub recurrence_latency: u64,
    /// Iterations around it; 0 if there is none.
    pub recurrence_distance: u64,
    /// Longest chain within one iteration, from its first start to its last result.
    pub critical_path: u64,
}

impl Bounds {
    /// Largest of the resource bounds.
    pub fn resource_bound(&self) -> u64 {
        self.resource.iter().copied().max().unwrap_or(0).max(self.shared)
    }

    /// Least initiation interval, at least 1.
    pub fn interval(&self) -> u64 {
        self.resource_bound().max(self.recurrence).max(1)
    }

    /// Least makespan of straight-line code.
    pub fn makespan(&self) -> u64 {
        self.resource_bound().max(self.critical_path)
    }
}

/// Computes the bounds of a problem that passes [`crate::check`].
pub fn lower_bound(problem: &Problem) -> Bounds {
    let latency = shortest_latencies(problem);
    let edges = Graph::widest(problem).edges(&latency);
    let within: Vec<Edge> = edges.iter().copied().filter(|e| e.distance == 0).collect();
    let starts = earliest(&vec![0; latency.len()], &within, 0).unwrap_or_default();
    let critical_path = starts
        .iter()
        .zip(&latency)
        .map(|(start, latency)| (start + latency) as u64)
        .max()
        .unwrap_or(0);
    let recurrence = match problem.kind {
        Kind::Cyclic => longest_recurrence(latency.len(), &edges),
        Kind::Acyclic => Recurrence::default(),
    };
    let (resource, shared) = resource_bounds(problem);
    Bounds {
        resource,
        shared,
        recurrence: recurrence.latency.div_ceil(recurrence.distance.max(1)),
        recurrence_ops: recurrence.ops,
        recurrence_latency: recurrence.latency,
        recurrence_distance: recurrence.distance,
        critical_path,
    }
}

/// A cycle of dependences and full rings.
#[derive(Default)]
struct Recurrence {
    ops: Vec<OpId>,
    latency: u64,
    distance: u64,
}

/// The cycle with the largest ratio of latency to distance. As long as a cycle is too long for the interval, the
/// interval is raised to that cycle's own ratio rounded up, which takes few steps; then as long as there is a cycle of
/// a larger ratio, it is taken instead.
fn longest_recurrence(count: usize, edges: &[Edge]) -> Recurrence {
    let mut group_of = vec![0; count];
    for (index, group) in strongly_connected(count, edges).iter().enumerate() {
        for &op in group {
            group_of[op] = index;
        }
    }
    let edges: Vec<Edge> = edges
        .iter()
        .copied()
        .filter(|e| group_of[e.from] == group_of[e.to])
        .collect();
    let around = |cycle: &[usize]| {
        let sums = cycle.iter().map(|&e| (edges[e].latency, edges[e].distance));
        sums.fold((0, 0), |(latency, distance), (more, further)| {
            (latency + more, distance + further)
        })
    };
    let (mut ii, mut longest) = (0i64, None);
    while let Some(cycle) = positive_cycle_edges(count, &edges, ii) {
        let (latency, distance) = around(&cycle);
        if distance == 0 {
            break; // Not a problem that passes the check; there is no interval.
        }
        ii = (ii + 1).max((latency + distance - 1) / distance);
        longest = Some((cycle, latency, distance));
    }
    let Some((mut cycle, mut latency, mut distance)) = longest else {
        return Recurrence::default();
    };
    while let Some(larger) = cycle_of_larger_ratio(count, &edges, (latency, distance)) {
        (latency, distance) = around(&larger);
        cycle = larger;
        if distance == 0 {
            return Recurrence::default();
        }
    }
    Recurrence {
        ops: cycle.iter().map(|&e| OpId(edges[e].from as u32)).collect(),
        latency: latency as u64,
        distance: distance as u64,
    }
}

/// Work that each resource must do whatever is chosen, and the tightest bound that the choice of alternatives leaves.
fn resource_bounds(problem: &Problem) -> (Vec<u64>, u64) {
    let work_on = |alternative: &crate::Alternative, set: &BTreeSet<u32>| -> u64 {
        let uses = alternative.uses.iter().filter(|u| set.contains(&u.resource.0));
        uses.map(|u| u64::from(u.amount).saturating_mul(u.cycles)).sum()
    };
    let bound_of = |set: &BTreeSet<u32>| -> u64 {
        let least = |o: &crate::Operation| o.alternatives.iter().map(|a| work_on(a, set)).min().unwrap_or(0);
        let work: u64 = problem.operations.iter().map(least).sum();
        let capacity: u64 = set
            .iter()
            .map(|&r| u64::from(problem.resources[r as usize].capacity))
            .sum();
        if capacity == 0 { 0 } else { work.div_ceil(capacity) }
    };
    let single: Vec<u64> = (0..problem.resources.len() as u32)
        .map(|r| bound_of(&BTreeSet::from([r])))
        .collect();
    let choices = problem.operations.iter().filter(|o| o.alternatives.len() > 1);
    let sets: BTreeSet<BTreeSet<u32>> = choices
        .map(|o| {
            o.alternatives
                .iter()
                .flat_map(|a| &a.uses)
                .filter(|u| u.cycles > 0)
                .map(|u| u.resource.0)
                .collect()
        })
        .collect();
    let shared = sets.iter().map(bound_of).max().unwrap_or(0);
    if sets.is_empty() {
        return (single, shared);
    }
    let known = single.iter().copied().max().unwrap_or(0).max(shared);
    let assigned = balanced(problem, known);
    (
        single,
        if assigned.least {
            assigned.load.max(shared)
        } else {
            shared
        },
    )
}
