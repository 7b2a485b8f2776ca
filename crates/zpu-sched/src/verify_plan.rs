//! The definition of a legal plan, checked directly.
//!
//! 1. `order` is a permutation; every chosen alternative exists.
//! 2. For each dependence i -> j at distance d whose latency is not negative:
//!    `(stage_i, order_i) < (stage_j + d, order_j)`, first by stage, then by order.
//! 3. For each buffer of v versions, each reader r and writer w: `(stage_r, order_r) < (stage_w + v, order_w)`;
//!    1 <= v <= max_versions; the sum over a space of v * bytes is at most its bytes.
//! 4. No stage is above [`MAX_DISTANCE`]; straight-line code has stage 0 only, and its distances count as 0.

use crate::{BufferId, Kind, MAX_DISTANCE, OpId, Plan, Problem};

/// The reason why a plan is not legal: the first violation found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanViolation {
    /// A vector of the wrong length.
    #[error("`{field}` has {found} entries, the problem needs {expected}")]
    Shape {
        /// Field of the plan.
        field: &'static str,
        /// Its length.
        found: usize,
        /// The length it must have.
        expected: usize,
    },
    /// Two operations at one place, or a place out of range.
    #[error("the order is not a permutation: operation {op:?} is at place {order}")]
    Order {
        /// The operation found there.
        op: OpId,
        /// Its place.
        order: u32,
    },
    /// An alternative that does not exist.
    #[error("operation {op:?} takes alternative {chosen}, it has {count}")]
    Alternative {
        /// The operation.
        op: OpId,
        /// The chosen index.
        chosen: u32,
        /// The number of alternatives.
        count: usize,
    },
    /// An operation comes before one that it depends on.
    #[error("dependence {index}: operation {to:?} comes before operation {from:?} of {distance} iterations earlier")]
    Dependence {
        /// Place in the problem's dependences.
        index: usize,
        /// The operation that must come first.
        from: OpId,
        /// The operation that comes too early.
        to: OpId,
        /// Iterations between them.
        distance: u32,
    },
    /// A version is overwritten before its reader.
    #[error(
        "{versions} versions of buffer {buffer:?} are too few: operation {writer:?} overwrites what {reader:?} reads"
    )]
    Ring {
        /// The buffer.
        buffer: BufferId,
        /// Its versions.
        versions: u32,
        /// The reading operation.
        reader: OpId,
        /// The overwriting operation.
        writer: OpId,
    },
    /// Number of versions out of range.
    #[error("buffer {buffer:?} has {found} versions, allowed are 1 to {limit}")]
    Versions {
        /// The buffer.
        buffer: BufferId,
        /// Its versions.
        found: u32,
        /// The most allowed.
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
    /// A stage in straight-line code, or one that is too large.
    #[error("operation {op:?} is in stage {stage}, the limit is {limit}")]
    Stage {
        /// The operation.
        op: OpId,
        /// Its stage.
        stage: u32,
        /// The largest stage allowed: 0 in straight-line code.
        limit: u32,
    },
}

/// Checks `plan` against the definition above, for a problem that passes [`crate::check`].
pub fn verify_plan(problem: &Problem, plan: &Plan) -> Result<(), PlanViolation> {
    let count = problem.operations.len();
    let fields = [
        ("stage", plan.stage.len(), count),
        ("order", plan.order.len(), count),
        ("cycle", plan.cycle.len(), count),
        ("chosen", plan.chosen.len(), count),
        ("versions", plan.versions.len(), problem.buffers.len()),
    ];
    if let Some(&(field, found, expected)) = fields.iter().find(|(_, found, expected)| found != expected) {
        return Err(PlanViolation::Shape { field, found, expected });
    }
    let cyclic = problem.kind == Kind::Cyclic;
    let limit = if cyclic { MAX_DISTANCE } else { 0 };
    let mut taken = vec![false; count];
    for op in problem.op_ids() {
        let (order, stage, chosen) = (plan.order[op.index()], plan.stage[op.index()], plan.chosen[op.index()]);
        match taken.get_mut(order as usize) {
            Some(taken) if !*taken => *taken = true,
            _ => return Err(PlanViolation::Order { op, order }),
        }
        let count = problem.operations[op.index()].alternatives.len();
        if chosen as usize >= count {
            return Err(PlanViolation::Alternative { op, chosen, count });
        }
        if stage > limit {
            return Err(PlanViolation::Stage { op, stage, limit });
        }
    }
    verify_dependences(problem, plan)?;
    if cyclic { verify_rings(problem, plan) } else { Ok(()) }
}

/// The time of an operation's instance `later` iterations later, as a pair that compares like program order.
fn when(plan: &Plan, op: OpId, later: u32) -> (u64, u32) {
    (
        u64::from(plan.stage[op.index()]) + u64::from(later),
        plan.order[op.index()],
    )
}

fn verify_dependences(problem: &Problem, plan: &Plan) -> Result<(), PlanViolation> {
    for (index, dependence) in problem.dependences.iter().enumerate() {
        let distance = if problem.kind == Kind::Cyclic {
            dependence.distance
        } else {
            0
        };
        let (from, to) = (dependence.from, dependence.to);
        let is_deadline = dependence.latency.is_some_and(|latency| latency < 0);
        if !is_deadline && when(plan, from, 0) >= when(plan, to, distance) {
            return Err(PlanViolation::Dependence {
                index,
                from,
                to,
                distance,
            });
        }
    }
    Ok(())
}

fn verify_rings(problem: &Problem, plan: &Plan) -> Result<(), PlanViolation> {
    let mut bytes = vec![0u128; problem.spaces.len()];
    for (index, buffer) in problem.buffers.iter().enumerate() {
        let id = BufferId(index as u32);
        let versions = plan.versions[index];
        let limit = buffer.max_versions.unwrap_or(u32::MAX);
        if versions == 0 || versions > limit {
            return Err(PlanViolation::Versions {
                buffer: id,
                found: versions,
                limit,
            });
        }
        for &reader in &buffer.readers {
            for &writer in &buffer.writers {
                if when(plan, reader, 0) >= when(plan, writer, versions) {
                    return Err(PlanViolation::Ring {
                        buffer: id,
                        versions,
                        reader,
                        writer,
                    });
                }
            }
        }
        if let Some(space) = buffer.space {
            bytes[space.index()] += u128::from(versions) * u128::from(buffer.bytes);
        }
    }
    for (space, needed) in problem.spaces.iter().zip(bytes) {
        if needed > u128::from(space.bytes) {
            return Err(PlanViolation::Space {
                space: space.name.clone(),
                needed,
                bytes: space.bytes,
            });
        }
    }
    Ok(())
}
