//! The dependence graph that schedulers and bounds work on: a problem's dependences and its rings, as edges.

use std::collections::BTreeMap;

use crate::{Kind, Problem};

/// `to` starts at least `latency - distance * II` cycles after `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) latency: i64,
    pub(crate) distance: i64,
}

/// A dependence or a ring, before alternatives are chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// `None`: the latency of the chosen alternative of `from`.
    pub(crate) latency: Option<i64>,
    pub(crate) distance: i64,
    /// True if it closes a cycle of arcs within one iteration, none of which takes time: its operations start together.
    pub(crate) closes: bool,
}

impl Arc {
    /// True if what comes first is placed first. A deadline does not ask for that, nor does what closes a cycle.
    pub(crate) fn orders(&self) -> bool {
        !self.closes && self.latency.is_none_or(|latency| latency >= 0)
    }
}

/// All arcs of a problem, with those that leave and enter each operation.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) arcs: Vec<Arc>,
    pub(crate) leaving: Vec<Vec<u32>>,
    pub(crate) entering: Vec<Vec<u32>>,
    /// For each operation, the first of those that start together with it.
    pub(crate) leader: Vec<usize>,
    /// For each leader of several operations, those that start together.
    pub(crate) together: BTreeMap<usize, Vec<usize>>,
}

impl Graph {
    /// Dependences, and rings at the given number of versions a buffer; a ring without a number is no arc.
    pub(crate) fn new(problem: &Problem, versions: &[Option<u32>]) -> Graph {
        let cyclic = problem.kind == Kind::Cyclic;
        let mut arcs: Vec<Arc> = problem
            .dependences
            .iter()
            .map(|d| Arc {
                from: d.from.index(),
                to: d.to.index(),
                latency: d.latency,
                distance: if cyclic { d.distance.into() } else { 0 },
                closes: false,
            })
            .collect();
        for (buffer, versions) in problem.buffers.iter().zip(versions) {
            let Some(versions) = versions.filter(|_| cyclic) else {
                continue;
            };
            for reader in &buffer.readers {
                for writer in &buffer.writers {
                    let (from, to) = (reader.index(), writer.index());
                    arcs.push(Arc {
                        from,
                        to,
                        latency: None,
                        distance: versions.into(),
                        closes: false,
                    });
                }
            }
        }
        let count = problem.operations.len();
        let (leader, together) = start_together(count, &mut arcs);
        let (mut leaving, mut entering) = (vec![vec![]; count], vec![vec![]; count]);
        for (index, arc) in arcs.iter().enumerate() {
            leaving[arc.from].push(index as u32);
            entering[arc.to].push(index as u32);
        }
        Graph {
            arcs,
            leaving,
            entering,
            leader,
            together,
        }
    }

    /// The graph with as many versions as each buffer may have.
    pub(crate) fn widest(problem: &Problem) -> Graph {
        let versions: Vec<Option<u32>> = problem.buffers.iter().map(|b| b.max_versions).collect();
        Graph::new(problem, &versions)
    }

    /// The edges under the given latencies.
    pub(crate) fn edges(&self, latency: &[i64]) -> Vec<Edge> {
        let resolve = |arc: &Arc| Edge {
            from: arc.from,
            to: arc.to,
            latency: arc.latency.unwrap_or(latency[arc.from]),
            distance: arc.distance,
        };
        self.arcs.iter().map(resolve).collect()
    }
}

/// Marks the arcs that close cycles within one iteration. In a problem that passes the check, what orders takes no time
/// in such a cycle, so that all of its operations start at once; they are returned as in [`Graph`].
fn start_together(count: usize, arcs: &mut [Arc]) -> (Vec<usize>, BTreeMap<usize, Vec<usize>>) {
    let mut leader: Vec<usize> = (0..count).collect();
    let mut together = BTreeMap::new();
    let within = |arc: &&mut Arc| arc.distance == 0 && arc.orders();
    // Without one that goes back in source order, there is no cycle.
    if !arcs
        .iter()
        .any(|arc| arc.distance == 0 && arc.orders() && arc.from >= arc.to)
    {
        return (leader, together);
    }
    let edges: Vec<Edge> = arcs
        .iter_mut()
        .filter(within)
        .map(|arc| Edge {
            from: arc.from,
            to: arc.to,
            latency: 0,
            distance: 0,
        })
        .collect();
    for group in strongly_connected(count, &edges) {
        for &op in &group {
            leader[op] = group[0];
        }
        if group.len() > 1 {
            together.insert(group[0], group);
        }
    }
    for arc in arcs.iter_mut().filter(within) {
        arc.closes = leader[arc.from] == leader[arc.to] && arc.from >= arc.to;
    }
    (leader, together)
}

/// The shortest latency of each operation over its alternatives.
pub(crate) fn shortest_latencies(problem: &Problem) -> Vec<i64> {
    let shortest = |o: &crate::Operation| o.alternatives.iter().map(|a| a.latency as i64).min().unwrap_or(0);
    problem.operations.iter().map(shortest).collect()
}

/// Longest distance from each operation to the end of an iteration at interval `ii`: the bottom level, the operation's
/// own latency included. `None` if a cycle is longer than `ii` allows.
pub(crate) fn heights(latency: &[i64], edges: &[Edge], ii: i64) -> Option<Vec<i64>> {
    let mut height = latency.to_vec();
    // Source order mostly is topological, so that backward sweeps settle after a few rounds.
    let mut sorted: Vec<&Edge> = edges.iter().collect();
    sorted.sort_by_key(|e| std::cmp::Reverse(e.from));
    settle(latency.len(), || {
        let mut changed = false;
        for edge in &sorted {
            let through = height[edge.to] + edge.latency - edge.distance * ii;
            if through > height[edge.from] {
                height[edge.from] = through;
                changed = true;
            }
        }
        changed
    })
    .then_some(height)
}

/// Earliest start of each operation at interval `ii`, not before `from`, resources aside. `None` as in [`heights`].
pub(crate) fn earliest(from: &[i64], edges: &[Edge], ii: i64) -> Option<Vec<i64>> {
    let mut start = from.to_vec();
    let mut sorted: Vec<&Edge> = edges.iter().collect();
    sorted.sort_by_key(|e| e.from);
    settle(from.len(), || {
        let mut changed = false;
        for edge in &sorted {
            let after = start[edge.from] + edge.latency - edge.distance * ii;
            if after > start[edge.to] {
                start[edge.to] = after;
                changed = true;
            }
        }
        changed
    })
    .then_some(start)
}

/// Repeats `round` until it changes nothing; longest paths have at most `count` edges, so one round more means a cycle.
fn settle(count: usize, mut round: impl FnMut() -> bool) -> bool {
    (0..=count).any(|_| !round())
}

/// Operations of a cycle whose latencies add up to more than `ii` times its distances, in order.
pub(crate) fn positive_cycle(count: usize, edges: &[Edge], ii: i64) -> Option<Vec<usize>> {
    positive_cycle_edges(count, edges, ii).map(|cycle| cycle.iter().map(|&e| edges[e].from).collect())
}

/// Edges of such a cycle, in order.
pub(crate) fn positive_cycle_edges(count: usize, edges: &[Edge], ii: i64) -> Option<Vec<usize>> {
    cycle_above(count, edges, |edge| edge.latency - edge.distance * ii)
}

/// Edges of a cycle that has a larger ratio of latency to distance than `latency / distance`, in order.
pub(crate) fn cycle_of_larger_ratio(
    count: usize,
    edges: &[Edge],
    (latency, distance): (i64, i64),
) -> Option<Vec<usize>> {
    // Products of sums of cycles and of distances do not fit 64 bits.
    let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
    cycle_above(count, edges, |edge| {
        product(edge.latency, distance) - product(edge.distance, latency)
    })
}

/// Edges of a cycle whose weights add up to more than 0, in order (Bellman-Ford; the predecessor graph has a cycle as
/// soon as there is a positive one within as many steps, so it is searched after 1, 2, 4, ... rounds).
fn cycle_above<W: Copy + Default + Ord + std::ops::Add<Output = W>>(
    count: usize,
    edges: &[Edge],
    weight: impl Fn(&Edge) -> W,
) -> Option<Vec<usize>> {
    let mut length = vec![W::default(); count];
    let mut through: Vec<Option<usize>> = vec![None; count];
    let mut next_look = 1;
    for round in 1..=count + 1 {
        let mut changed = false;
        for (index, edge) in edges.iter().enumerate() {
            let longer = length[edge.from] + weight(edge);
            if longer > length[edge.to] {
                length[edge.to] = longer;
                through[edge.to] = Some(index);
                changed = true;
            }
        }
        if !changed {
            return None;
        }
        if round == next_look || round == count + 1 {
            next_look *= 2;
            if let Some(cycle) = predecessor_cycle(edges, &through) {
                return Some(cycle);
            }
        }
    }
    None
}

fn predecessor_cycle(edges: &[Edge], through: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut seen = vec![usize::MAX; through.len()];
    for first in 0..through.len() {
        let mut at = first;
        while seen[at] == usize::MAX {
            seen[at] = first;
            match through[at] {
                Some(edge) => at = edges[edge].from,
                None => break,
            }
        }
        if seen[at] == first && through[at].is_some() {
            let mut cycle = vec![];
            let mut here = at;
            loop {
                let edge = through[here]?;
                cycle.push(edge);
                here = edges[edge].from;
                if here == at {
                    cycle.reverse();
                    return Some(cycle);
                }
            }
        }
    }
    None
}

/// Strongly connected components (Tarjan 1972, without recursion); operations ascending within each.
pub(crate) fn strongly_connected(count: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut leaving: Vec<Vec<usize>> = vec![vec![]; count];
    for edge in edges {
        leaving[edge.from].push(edge.to);
    }
    const UNSEEN: usize = usize::MAX;
    let (mut index, mut low, mut open) = (vec![UNSEEN; count], vec![0; count], vec![false; count]);
    let (mut stack, mut groups, mut next) = (vec![], vec![], 0);
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((node, child)) = calls.pop() {
            if child == 0 {
                (index[node], low[node], open[node]) = (next, next, true);
                next += 1;
                stack.push(node);
            }
            if let Some(&to) = leaving[node].get(child) {
                calls.push((node, child + 1));
                if index[to] == UNSEEN {
                    calls.push((to, 0));
                } else if open[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if low[node] == index[node] {
                let mut group = vec![];
                while let Some(member) = stack.pop() {
                    open[member] = false;
                    group.push(member);
                    if member == node {
                        break;
                    }
                }
                group.sort_unstable();
                groups.push(group);
            }
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[node]);
            }
        }
    }
    groups
}
