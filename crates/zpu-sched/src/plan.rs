//! Plans: solutions in stages, as a loop rewrite needs them.
//!
//! In kernel iteration K, at its place in the order, operation i works for iteration `K - stage_i` of the source loop
//! if there is such an iteration. This is a sequential program; it is legal if for each dependence i -> j at distance d
//! `(stage_i, order_i) < (stage_j + d, order_j)`, compared first by stage, then by order, with a ring of v versions
//! being the dependence reader -> writer at distance v.

use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::order::legal_order;
use crate::{MAX_DISTANCE, Problem, Schedule};

/// Stage and order of each operation, and the versions of each buffer. [`crate::verify_plan`] says whether it is legal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Predicted cycles per iteration in the steady state, rounded up.
    pub ii: u64,
    /// The stage of each operation: the number of kernel iterations by which it comes after the first stage.
    pub stage: Vec<u32>,
    /// Place of each operation in the kernel: a permutation of `0..operations`.
    pub order: Vec<u32>,
    /// Predicted start of each operation after the start of its source iteration, in cycles.
    pub cycle: Vec<u64>,
    /// Versions of each buffer, at least 1.
    pub versions: Vec<u32>,
    /// The index of the alternative of each operation that is taken.
    pub chosen: Vec<u32>,
}

impl Plan {
    /// Number of stages: the largest stage plus 1, or 0 without operations.
    pub fn stages(&self) -> u32 {
        self.stage.iter().max().map_or(0, |last| last + 1)
    }
}

/// The reason why a schedule does not give a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Operations without latency wait for each other at the same cycle, or the schedule was no solution.
    #[error("no sequential order of the loop body follows the schedule; verify the schedule first")]
    NoOrder,
    /// A stage above [`MAX_DISTANCE`].
    #[error(
        "stage {stage} is too large, the limit is {MAX_DISTANCE}; the interval is too short for the schedule's length"
    )]
    StageTooLarge {
        /// The stage.
        stage: u64,
    },
    /// A buffer needs more versions than it may have.
    #[error("buffer {buffer} needs {needed} versions, allowed are {limit}")]
    Versions {
        /// Index of the buffer.
        buffer: usize,
        /// Versions that the live range needs.
        needed: u64,
        /// Most versions.
        limit: u32,
    },
    /// The versions do not fit.
    #[error("the versions need {needed} bytes of `{space}`, it has {bytes}")]
    Space {
        /// The space's name.
        space: String,
        /// Bytes needed.
        needed: u128,
        /// Bytes there are.
        bytes: u64,
    },
}

/// Folds a schedule that [`crate::verify`] accepts: `stage = start / II`, order by `start % II`, ties so that the order
/// is legal. Run by [`crate::estimate`]'s rules the plan takes at most II cycles an iteration in the steady state,
/// since the control stream issues in order of start times and finds every wait already fulfilled.
/// Of a straight-line schedule, all operations are in stage 0.
pub fn plan_from_schedule(problem: &Problem, schedule: &Schedule) -> Result<Plan, PlanError> {
    let cyclic = problem.kind == crate::Kind::Cyclic;
    let ii = if cyclic { schedule.ii.max(1) } else { u64::MAX };
    let mut stage = Vec::with_capacity(schedule.start.len());
    for start in &schedule.start {
        let folded = start / ii;
        let small = u32::try_from(folded).ok().filter(|&stage| stage <= MAX_DISTANCE);
        stage.push(small.ok_or(PlanError::StageTooLarge { stage: folded })?);
    }
    let key: Vec<i64> = schedule.start.iter().map(|start| (start % ii) as i64).collect();
    let versions: Vec<Option<u32>> = schedule.versions.iter().map(|&v| Some(v)).collect();
    let graph = Graph::new(problem, &versions);
    let order = legal_order(&graph, &stage, &key).ok_or(PlanError::NoOrder)?;
    let cycle = schedule.start.clone();
    let versions = schedule.versions.clone();
    Ok(Plan {
        ii: schedule.ii,
        stage,
        order,
        cycle,
        versions,
        chosen: schedule.chosen.clone(),
    })
}

/// The smallest number of versions of each buffer that the live ranges of a stage and order assignment need: the least
/// v with `(stage_r, order_r) < (stage_w + v, order_w)` for all readers r and writers w. An error if it is above the
/// buffer's limit, or does not fit its space.
pub fn minimal_versions(problem: &Problem, stage: &[u32], order: &[u32]) -> Result<Vec<u32>, PlanError> {
    let mut versions = Vec::with_capacity(problem.buffers.len());
    for (index, buffer) in problem.buffers.iter().enumerate() {
        let mut needed = 1i64;
        for reader in &buffer.readers {
            for writer in &buffer.writers {
                let (r, w) = (reader.index(), writer.index());
                let later = i64::from(order[r] >= order[w]);
                needed = needed.max(i64::from(stage[r]) - i64::from(stage[w]) + later);
            }
        }
        let limit = buffer.max_versions.unwrap_or(u32::MAX);
        if needed > i64::from(limit) {
            return Err(PlanError::Versions {
                buffer: index,
                needed: needed as u64,
                limit,
            });
        }
        versions.push(needed as u32);
    }
    check_space(problem, &versions)?;
    Ok(versions)
}

/// The bytes that all versions of all buffers take in each space.
pub(crate) fn needed_bytes(problem: &Problem, versions: &[u32]) -> Vec<u128> {
    let mut needed = vec![0u128; problem.spaces.len()];
    for (buffer, &versions) in problem.buffers.iter().zip(versions) {
        if let Some(space) = buffer.space {
            needed[space.index()] += u128::from(versions) * u128::from(buffer.bytes);
        }
    }
    needed
}

/// Checks that the versions fit the spaces.
pub(crate) fn check_space(problem: &Problem, versions: &[u32]) -> Result<(), PlanError> {
    for (space, needed) in problem.spaces.iter().zip(needed_bytes(problem, versions)) {
        if needed > u128::from(space.bytes) {
            return Err(PlanError::Space {
                space: space.name.clone(),
                needed,
                bytes: space.bytes,
            });
        }
    }
    Ok(())
}
