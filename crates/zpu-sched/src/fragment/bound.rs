//! A bound that no order of a program can go below.
//!
//! Of each fragment, the longest path of data to its start (its *head*) and from its end (its *tail*) are known. On one
//! mesh, fragments then are jobs with releases and delivery times on one machine; Jackson's preemptive schedule is
//! optimal for them if they may be interrupted (Carlier, "The one-machine sequencing problem", EJOR 11, 1982), so its
//! value is a bound. Links are machines in the same way. The largest of all of them counts. Where microbatches are
//! alike, heads and tails count their order as well.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::{Arcs, topological};
use super::problem::{NodeKind, Program};
use super::replay::delay;
use super::symmetry::between_microbatches;

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
