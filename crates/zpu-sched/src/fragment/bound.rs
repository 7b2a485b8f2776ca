//! A bound that no order of a program can go below.
//!
//! Of each fragment, the longest path of data to its start (its *head*) and from its end (its *tail*) are known. On one
//! mesh, fragments then are jobs with releases and delivery times on one machine; Jackson's preemptive schedule is
//! optimal for them if they may be interrupted (Carlier, "The one-machine sequencing problem", EJOR 11, 1982), so its
//! value is a bound. Links are machines in the same way. The largest of all of them counts. Where microbatches are
//! alike, heads and tails count their order as well.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::graph::{Arcs, topological};
use super::problem::{NodeId, NodeKind, Program, Recompute};
use super::replay::delay;
use super::symmetry::between_microbatches;
use super::unit::{Piece, Unit};

/// The least makespan that is possible, as far as this is known.
pub fn bound(program: &Program) -> u64 {
    let data = ordered(program);
    let (heads, tails) = heads_and_tails(program, &data);
    let mut machines: Vec<(u64, usize)> = program
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (machine(program, &node.kind), at))
        .collect();
    machines.sort_unstable();
    let paths = (0..program.nodes.len()).map(|at| heads[at] + program.nodes[at].cycles + tails[at]);
    let of_machines = machines.chunk_by(|a, b| a.0 == b.0).map(|jobs| {
        let jobs = jobs.iter().map(|&(_, at)| Job {
            head: heads[at],
            cycles: program.nodes[at].cycles,
            tail: tails[at],
        });
        preemptive(jobs.collect())
    });
    paths.chain(of_machines).max().unwrap_or(0)
}

/// The least makespan that is possible if no mesh may hold more than `cap` bytes, as far as this is known.
///
/// Bytes are held at least for the longest path from the start of their forward fragment to the end of their last
/// backward piece. A mesh can offer `cap` bytes from its first forward fragment to its last backward piece; so this
/// time is at least the sum of bytes times cycles, divided by the cap.
pub fn bound_under(program: &Program, cap: u64) -> u64 {
    let least = bound(program);
    let Some(groups) = microbatches(program) else {
        return least;
    };
    let data = Arcs::of_data(program);
    let (heads, tails) = heads_and_tails(program, &data);
    let mut level = vec![0u32; program.nodes.len()];
    for (place, &node) in (0..).zip(&topological(&data).unwrap_or_default()) {
        level[node as usize] = place;
    }
    let mut meshes = vec![(u64::MAX, 0u128, u64::MAX); program.meshes.len()];
    for mut nodes in groups {
        nodes.sort_unstable_by_key(|node| level[node.index()]);
        for place in 0..nodes.len() {
            let Some((mesh, bytes, path, tail)) = path(program, &nodes, place, &tails) else {
                continue;
            };
            let (head, held, least_tail) = &mut meshes[mesh];
            *head = (*head).min(heads[nodes[place].index()]);
            *held += u128::from(bytes) * u128::from(path);
            *least_tail = (*least_tail).min(tail);
        }
    }
    let of_meshes = meshes
        .into_iter()
        .filter(|mesh| mesh.0 != u64::MAX)
        .map(|(head, held, tail)| {
            let time = held.div_ceil(u128::from(cap.max(1)));
            head.saturating_add(u64::try_from(time).unwrap_or(u64::MAX / 2))
                .saturating_add(tail)
        });
    of_meshes.fold(least, u64::max)
}

/// The most pairs of nodes of a microbatch for which paths are measured.
const MOST_PAIRS: usize = 1 << 25;

/// Units with the transfers that take their results, by microbatch; `None` if there are too many.
fn microbatches(program: &Program) -> Option<Vec<Vec<NodeId>>> {
    let counter = |id: NodeId| {
        program
            .node(id)
            .fragment()
            .and_then(|of| Unit::of(id, of))
            .map(|unit| unit.counter)
    };
    let mut groups: BTreeMap<u32, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in program.ids() {
        let of = if node.fragment().is_none() {
            node.deps.first().copied()
        } else {
            Some(id)
        };
        if let Some(counter) = of.and_then(counter) {
            groups.entry(counter).or_default().push(id);
        }
    }
    let pairs: usize = groups.values().map(|nodes| nodes.len() * nodes.len()).sum();
    (pairs <= MOST_PAIRS).then(|| groups.into_values().collect())
}

/// Mesh, bytes, cycles of the longest path to the end of the last backward piece, and the least tail of such pieces;
/// of a forward fragment that holds bytes. `nodes` are those of its microbatch in topological order.
fn path(program: &Program, nodes: &[NodeId], place: usize, tails: &[u64]) -> Option<(usize, u64, u64, u64)> {
    let forward = nodes[place];
    let fragment = program.node(forward).fragment()?;
    let unit = Unit::of(forward, fragment)?;
    if unit.piece != Piece::Forward || fragment.recompute != Recompute::Kept {
        return None;
    }
    let mut ends: BTreeMap<NodeId, u64> = BTreeMap::from([(forward, program.node(forward).cycles)]);
    let (mut longest, mut tail) = (None, u64::MAX);
    for (at, &id) in nodes.iter().enumerate().filter(|(at, _)| *at != place) {
        let node = program.node(id);
        let arrivals = node.deps.iter().filter_map(|dep| {
            let end = ends.get(dep)?;
            Some(end + delay(program, dep.index(), id.index()))
        });
        let end = arrivals.max().map(|arrival| arrival + node.cycles);
        let piece = node
            .fragment()
            .filter(|of| of.mesh == fragment.mesh)
            .and_then(|of| Unit::of(id, of));
        if piece.is_some_and(|of| of.piece != Piece::Forward && of.stage == unit.stage) {
            // A piece that does not depend on it may be the last one all the same.
            tail = tail.min(tails[id.index()]);
            longest = longest.max(end);
        }
        if let Some(end) = end.filter(|_| at > place) {
            ends.insert(id, end);
        }
    }
    longest.map(|longest| (fragment.mesh.index(), fragment.bytes, longest, tail))
}

/// Data, and the order of microbatches where that loses nothing.
pub(crate) fn ordered(program: &Program) -> Arcs {
    Arcs::with(program, &between_microbatches(program).unwrap_or_default())
}

/// A number for each mesh and each link.
fn machine(program: &Program, kind: &NodeKind) -> u64 {
    let count = program.meshes.len() as u64;
    match kind {
        NodeKind::Fragment(fragment) => u64::from(fragment.mesh.0),
        NodeKind::Transfer { from, to } => count + u64::from(from.0) * count + u64::from(to.0),
    }
}

/// Cycles of the longest path of data before each node, and after it.
pub(crate) fn heads_and_tails(program: &Program, data: &Arcs) -> (Vec<u64>, Vec<u64>) {
    let count = program.nodes.len();
    let (mut heads, mut tails) = (vec![0u64; count], vec![0u64; count]);
    let order = topological(data).unwrap_or_default();
    for &node in &order {
        let at = node as usize;
        for &user in data.of(at) {
            let user = user as usize;
            heads[user] = heads[user].max(heads[at] + program.nodes[at].cycles + delay(program, at, user));
        }
    }
    for &node in order.iter().rev() {
        let at = node as usize;
        for &user in data.of(at) {
            let user = user as usize;
            tails[at] = tails[at].max(delay(program, at, user) + program.nodes[user].cycles + tails[user]);
        }
    }
    (heads, tails)
}

/// A job on one machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) head: u64,
    pub(crate) cycles: u64,
    pub(crate) tail: u64,
}

/// The value of Jackson's preemptive schedule: always the job with the longest tail, of those that are released.
pub(crate) fn preemptive(mut jobs: Vec<Job>) -> u64 {
    jobs.sort_by_key(|job| Reverse(job.head));
    let mut open: BinaryHeap<(u64, u64)> = BinaryHeap::new();
    let (mut now, mut value) = (0, 0);
    loop {
        if open.is_empty() {
            match jobs.last() {
                None => return value,
                Some(next) => now = now.max(next.head),
            }
        }
        while let Some(job) = jobs.pop_if(|job| job.head <= now) {
            open.push((job.tail, job.cycles));
        }
        let Some((tail, left)) = open.pop() else { continue };
        let until = jobs.last().map_or(u64::MAX, |next| next.head - now);
        let done = left.min(until);
        now += done;
        if done < left {
            open.push((tail, left - done));
        } else {
            value = value.max(now + tail);
        }
    }
}
