//! Sizes of a model's numbers: the unit of time and the number of stages.

use crate::Problem;
use crate::graph::{Edge, Graph, earliest};
use crate::schedule::crowded_spaces;

/// The largest number of cycles that divides all times of the problem, and the interval. Rounding all starts down to a
/// multiple of it keeps a solution one.
pub(super) fn unit(problem: &Problem, ii: Option<u64>) -> i64 {
    let mut unit = ii.unwrap_or(0);
    for alternative in problem.operations.iter().flat_map(|o| &o.alternatives) {
        unit = gcd(unit, alternative.latency);
        for used in &alternative.uses {
            unit = gcd(gcd(unit, used.cycles), used.offset);
        }
    }
    for latency in problem.dependences.iter().filter_map(|d| d.latency) {
        unit = gcd(unit, latency.unsigned_abs());
    }
    unit.max(1) as i64
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The fewest versions of each ring in a solution with as many as there may be; none where that is any number. In a
/// space that is short of bytes, a ring may get fewer than its limit.
pub(super) fn fewest_of_most(problem: &Problem) -> Vec<Option<u32>> {
    let crowded = crowded_spaces(problem);
    let fewest = |b: &crate::Buffer| match b.space {
        Some(space) if crowded[space.index()] => Some(1),
        _ => b.max_versions,
    };
    problem.buffers.iter().map(fewest).collect()
}

/// The most stages of the earliest solution for any phases, of rings of `versions` or more: whatever the phases are, a
/// dependence asks for at most `ceil((latency + II - 1) / II) - distance` stages.
pub(super) fn most_stages(problem: &Problem, versions: &[Option<u32>], ii: i64, unit: i64) -> i64 {
    let latency: Vec<i64> = longest_latencies(problem)
        .iter()
        .map(|latency| latency / unit)
        .collect();
    let edges: Vec<Edge> = Graph::new(problem, versions)
        .arcs
        .iter()
        .map(|arc| {
            let latency = arc.latency.map_or(latency[arc.from], |latency| latency / unit);
            Edge {
                from: arc.from,
                to: arc.to,
                latency: (latency + 2 * ii - 2).div_euclid(ii) - arc.distance,
                distance: 0,
            }
        })
        .filter(|edge| edge.from != edge.to)
        .collect();
    let chain = earliest(&vec![0; latency.len()], &edges, 0).and_then(|starts| starts.into_iter().max());
    chain.unwrap_or_else(|| {
        let mut most = vec![0; latency.len()];
        for edge in &edges {
            most[edge.from] = edge.latency.max(most[edge.from]);
        }
        most.iter().sum()
    })
}

fn longest_latencies(problem: &Problem) -> Vec<i64> {
    let longest = |o: &crate::Operation| o.alternatives.iter().map(|a| a.latency as i64).max().unwrap_or(0);
    problem.operations.iter().map(longest).collect()
}
