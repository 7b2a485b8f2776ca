//! A solution in times.

use serde::{Deserialize, Serialize};

use crate::{Kind, MAX_DISTANCE, Problem};

/// Start times of a problem's operations. [`crate::verify`] says whether it is one of the problem's solutions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Initiation interval in cycles, at least 1; ignored when the problem is acyclic.
    pub ii: u64,
    /// Start cycle of each operation in iteration 0.
    pub start: Vec<u64>,
    /// The index of the alternative of each operation that is taken.
    pub chosen: Vec<u32>,
    /// Versions of each buffer, at least 1.
    pub versions: Vec<u32>,
}

/// Cycles from the first start until everything is done.
pub(crate) fn length(problem: &Problem, schedule: &Schedule) -> u64 {
    let span = |op: usize| problem.operations[op].alternatives[schedule.chosen[op] as usize].span();
    let ends = schedule.start.iter().enumerate().map(|(op, start)| start + span(op));
    let first = schedule.start.iter().min().copied().unwrap_or(0);
    ends.max().unwrap_or(0).saturating_sub(first)
}

/// Turns the times of a solution into a schedule that begins at cycle 0, with the fewest versions. `None` if a buffer
/// needs more versions than it may have.
pub(crate) fn finish(problem: &Problem, ii: u64, start: &[i64], chosen: Vec<u32>) -> Option<Schedule> {
    let first = start.iter().min().copied().unwrap_or(0);
    let latency = |op: usize| problem.operations[op].alternatives[chosen[op] as usize].latency as i64;
    let cyclic = problem.kind == Kind::Cyclic;
    let mut versions = Vec::with_capacity(problem.buffers.len());
    for buffer in &problem.buffers {
        let mut needed = 1;
        for reader in buffer.readers.iter().map(|r| r.index()).filter(|_| cyclic) {
            for writer in buffer.writers.iter().map(|w| w.index()) {
                let live = start[reader] + latency(reader) - start[writer];
                needed = needed.max((live + ii as i64 - 1).div_euclid(ii.max(1) as i64));
            }
        }
        let most = buffer.max_versions.unwrap_or(MAX_DISTANCE).min(MAX_DISTANCE);
        versions.push(u32::try_from(needed).ok().filter(|&needed| needed <= most)?);
    }
    Some(Schedule {
        ii: ii.max(1),
        start: start.iter().map(|at| (at - first) as u64).collect(),
        chosen,
        versions,
    })
}

/// Per space, whether the most versions of all its buffers are more than it holds.
pub(crate) fn crowded_spaces(problem: &Problem) -> Vec<bool> {
    let mut needed = vec![0u128; problem.spaces.len()];
    for buffer in &problem.buffers {
        if let Some(space) = buffer.space {
            let versions = buffer.max_versions.unwrap_or(MAX_DISTANCE);
            needed[space.index()] += u128::from(versions) * u128::from(buffer.bytes);
        }
    }
    problem
        .spaces
        .iter()
        .zip(needed)
        .map(|(space, needed)| needed > u128::from(space.bytes))
        .collect()
}
