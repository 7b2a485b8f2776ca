//! The fewest versions that a ring can have at an interval, without a search.

use crate::graph::{Graph, earliest, shortest_latencies};
use crate::{Kind, Problem};

/// Operations of a problem in which chains are looked for; they take time with the square of that.
const MOST_OPERATIONS: usize = 400;
/// A time before everything, for operations that no chain from a writer leads to.
const NEVER: i64 = i64::MIN / 4;

/// A number of versions for each buffer that no schedule at interval `ii` is below: those of the longest chain from a
/// writer to a reader, `v * II >= chain + latency(reader)`. A longer interval never asks for more.
pub(crate) fn least_versions(problem: &Problem, ii: u64) -> Vec<u32> {
    let mut least = vec![1; problem.buffers.len()];
    if problem.kind == Kind::Acyclic || problem.operations.len() > MOST_OPERATIONS {
        return least;
    }
    let ii = i64::try_from(ii.max(1)).unwrap_or(i64::MAX);
    let latency = shortest_latencies(problem);
    let edges = Graph::widest(problem).edges(&latency);
    let mut writers: Vec<usize> = problem
        .buffers
        .iter()
        .filter(|buffer| buffer.max_versions != Some(1))
        .flat_map(|buffer| &buffer.writers)
        .map(|writer| writer.index())
        .collect();
    writers.sort_unstable();
    writers.dedup();
    for writer in writers {
        let mut from = vec![NEVER; problem.operations.len()];
        from[writer] = 0;
        let Some(after) = earliest(&from, &edges, ii) else {
            // Nothing has a schedule at this interval, however many versions it takes.
            return vec![1; problem.buffers.len()];
        };
        for (least, buffer) in least.iter_mut().zip(&problem.buffers) {
            if !buffer.writers.iter().any(|w| w.index() == writer) {
                continue;
            }
            let reached = buffer.readers.iter().map(|reader| reader.index());
            let lives = reached.filter(|&reader| after[reader] > NEVER / 2);
            let longest = lives.map(|reader| after[reader] + latency[reader]).max();
            let versions = longest.map_or(1, |cycles| (cycles + ii - 1).div_euclid(ii));
            *least = (*least).max(u32::try_from(versions).unwrap_or(1));
        }
    }
    least
}
