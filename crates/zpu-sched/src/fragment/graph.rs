//! Graphs over the nodes of a program: successors, topological orders, cycles, reachability.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::problem::{NodeId, Program};

/// The successors of each node, in one array.
#[derive(Clone, Debug)]
pub(crate) struct Arcs {
    /// Where the successors of each node begin; one more entry for the end.
    begin: Vec<u32>,
    to: Vec<u32>,
}

impl Arcs {
    /// The graph with these edges.
    pub(crate) fn new(count: usize, edges: impl Iterator<Item = (NodeId, NodeId)> + Clone) -> Arcs {
        let mut begin = vec![0u32; count + 1];
        for (from, _) in edges.clone() {
            begin[from.index() + 1] += 1;
        }
        for node in 0..count {
            begin[node + 1] += begin[node];
        }
        let mut next = begin.clone();
        let mut to = vec![0; begin[count] as usize];
        for (from, end) in edges {
            let place = &mut next[from.index()];
            to[*place as usize] = end.0;
            *place += 1;
        }
        Arcs { begin, to }
    }

    /// Data alone.
    pub(crate) fn of_data(program: &Program) -> Arcs {
        Arcs::new(program.nodes.len(), data(program))
    }

    /// Data, and further edges.
    pub(crate) fn with(program: &Program, more: &[(NodeId, NodeId)]) -> Arcs {
        Arcs::new(program.nodes.len(), data(program).chain(more.iter().copied()))
    }

    /// Number of nodes.
    pub(crate) fn count(&self) -> usize {
        self.begin.len() - 1
    }

    /// Successors of a node.
    pub(crate) fn of(&self, node: usize) -> &[u32] {
        &self.to[self.begin[node] as usize..self.begin[node + 1] as usize]
    }

    /// By node, the number of edges into it.
    pub(crate) fn entering(&self) -> Vec<u32> {
        let mut entering = vec![0; self.count()];
        for &to in &self.to {
            entering[to as usize] += 1;
        }
        entering
    }
}

/// The edges of data.
pub(crate) fn data(program: &Program) -> impl Iterator<Item = (NodeId, NodeId)> + Clone {
    program.nodes.iter().enumerate().flat_map(|(to, node)| {
        let to = NodeId(to as u32);
        node.deps.iter().map(move |&from| (from, to))
    })
}

/// Some topological order; if there is none, the nodes that are on cycles or after one.
pub(crate) fn topological(arcs: &Arcs) -> Result<Vec<u32>, Vec<u32>> {
    let mut waits = arcs.entering();
    let ready = |waits: &[u32]| {
        (0..arcs.count() as u32)
            .filter(|&node| waits[node as usize] == 0)
            .collect()
    };
    let mut order: Vec<u32> = ready(&waits);
    let mut done = 0;
    while done < order.len() {
        let node = order[done] as usize;
        done += 1;
        for &next in arcs.of(node) {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                order.push(next);
            }
        }
    }
    if order.len() == arcs.count() {
        Ok(order)
    } else {
        Err((0..arcs.count() as u32)
            .filter(|&node| waits[node as usize] > 0)
            .collect())
    }
}

/// The topological order that always takes the ready node with the least key; `None` if there is a cycle.
pub(crate) fn topological_by<K: Ord>(arcs: &Arcs, key: impl Fn(u32) -> K) -> Option<Vec<NodeId>> {
    let mut waits = arcs.entering();
    let mut ready: BinaryHeap<Reverse<(K, u32)>> = (0..arcs.count() as u32)
        .filter(|&node| waits[node as usize] == 0)
        .map(|node| Reverse((key(node), node)))
        .collect();
    let mut order = Vec::with_capacity(arcs.count());
    while let Some(Reverse((_, node))) = ready.pop() {
        order.push(NodeId(node));
        for &next in arcs.of(node as usize) {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                ready.push(Reverse((key(next), next)));
            }
        }
    }
    (order.len() == arcs.count()).then_some(order)
}

/// By node, the number of nodes on the longest path that leads to it. The graph has no cycle.
pub(crate) fn levels(arcs: &Arcs) -> Vec<u32> {
    let mut level = vec![0; arcs.count()];
    for node in topological(arcs).unwrap_or_default() {
        for &next in arcs.of(node as usize) {
            level[next as usize] = level[next as usize].max(level[node as usize] + 1);
        }
    }
    level
}

/// The most nodes from which a shortest cycle is searched.
const MOST_SEARCHES: usize = 1 << 12;

/// The shortest cycle; of equal ones, the one with the least name in it, from that name on. It is the same for every
/// order of the nodes. Empty if there is none.
pub(crate) fn shortest_cycle(program: &Program, arcs: &Arcs) -> Vec<NodeId> {
    let Err(mut suspects) = topological(arcs) else {
        return vec![];
    };
    let name = |node: &u32| &program.nodes[*node as usize].name;
    suspects.sort_by(|a, b| name(a).cmp(name(b)));
    let mut best: Option<Vec<NodeId>> = None;
    for &start in suspects.iter().take(MOST_SEARCHES) {
        let found = path(program, arcs, NodeId(start), NodeId(start));
        if let Some(found) = found.filter(|found| best.as_ref().is_none_or(|best| found.len() < best.len() + 1)) {
            // A path from a node to itself has it twice.
            best = Some(found[..found.len() - 1].to_vec());
        }
    }
    best.unwrap_or_default()
}

/// The shortest path of at least one edge, with both ends; of equal ones, the one with the least names.
pub(crate) fn path(program: &Program, arcs: &Arcs, from: NodeId, to: NodeId) -> Option<Vec<NodeId>> {
    let mut before = vec![u32::MAX; arcs.count()];
    let mut open = VecDeque::from([from.0]);
    let mut is_first = true;
    while let Some(node) = open.pop_front() {
        if node == to.0 && !is_first {
            break;
        }
        is_first = false;
        let mut next: Vec<u32> = arcs.of(node as usize).to_vec();
        next.sort_by(|a, b| program.nodes[*a as usize].name.cmp(&program.nodes[*b as usize].name));
        for next in next {
            if before[next as usize] == u32::MAX {
                before[next as usize] = node;
                open.push_back(next);
            }
        }
    }
    if before[to.index()] == u32::MAX {
        return None;
    }
    let mut found = vec![to];
    let mut node = before[to.index()];
    while node != from.0 {
        found.push(NodeId(node));
        node = before[node as usize];
    }
    found.push(from);
    found.reverse();
    Some(found)
}

/// Which node leads to which, as bits; it grows with added edges.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    words: usize,
    /// By node, the nodes that it leads to, and by node, those that lead to it.
    after: Vec<u64>,
    before: Vec<u64>,
}

impl Closure {
    /// The reachability of a graph without cycles.
    pub(crate) fn new(arcs: &Arcs) -> Closure {
        let count = arcs.count();
        let words = count.div_ceil(64);
        let mut closure = Closure {
            words,
            after: vec![0; words * count],
            before: vec![0; words * count],
        };
        let order = topological(arcs).unwrap_or_default();
        for &node in order.iter().rev() {
            for &next in arcs.of(node as usize) {
                join(&mut closure.after, words, node as usize, next as usize);
            }
        }
        for &node in &order {
            for &next in arcs.of(node as usize) {
                join(&mut closure.before, words, next as usize, node as usize);
            }
        }
        closure
    }

    /// True if a path of at least one edge leads from one to the other.
    pub(crate) fn leads(&self, from: NodeId, to: NodeId) -> bool {
        self.after[from.index() * self.words + to.index() / 64] >> (to.index() % 64) & 1 == 1
    }

    /// Adds an edge that closes no cycle.
    pub(crate) fn add(&mut self, from: NodeId, to: NodeId) {
        if self.leads(from, to) {
            return;
        }
        let ends = |bits: &[u64], of: NodeId, words: usize| {
            let row = &bits[of.index() * words..(of.index() + 1) * words];
            let mut ends = vec![of.index()];
            for (word, &bits) in row.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    ends.push(word * 64 + bits.trailing_zeros() as usize);
                    bits &= bits - 1;
                }
            }
            ends
        };
        for node in ends(&self.before, from, self.words) {
            join(&mut self.after, self.words, node, to.index());
        }
        for node in ends(&self.after, to, self.words) {
            join(&mut self.before, self.words, node, from.index());
        }
    }
}

/// Adds to the row of `of` that of `other`, and `other` itself.
fn join(bits: &mut [u64], words: usize, of: usize, other: usize) {
    for word in 0..words {
        bits[of * words + word] |= bits[other * words + word];
    }
    bits[of * words + other / 64] |= 1 << (other % 64);
}
