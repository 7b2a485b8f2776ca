//! The definition of a correct schedule, checked directly.
//!
//! Let t_i be the start of operation i, II the interval, l_i the latency of its chosen alternative.
//! 1. For each dependence: `t_to + distance * II >= t_from + latency` (acyclic: distance 0).
//! 2. For each ring of v versions, each reader r and writer w: `t_w + v * II >= t_r + l_r`; 1 <= v <= max_versions;
//!    the sum over a space of v * bytes is at most its bytes.
//! 3. At each cycle (cyclic: at each residue modulo II, over all overlapping iterations) at most the capacity is taken.

use std::collections::BTreeMap;

use crate::{BufferId, Kind, OpId, Problem, ResourceId, Schedule, SpaceId, Use};

/// The reason why a schedule is not a solution: the first violation found; ids and cycles are those of the problem and
/// the schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A vector of the wrong length.
    #[error("`{field}` has {found} entries, the problem needs {expected}")]
    Shape {
        /// Field of the schedule.
        field: &'static str,
        /// Its length.
        found: usize,
        /// The length it must have.
        expected: usize,
    },
    /// An interval of 0.
    #[error("the initiation interval is 0, it is at least 1")]
    ZeroInterval,
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
    /// A dependence is not met.
    #[error("dependence {index} lets operation {to:?} start at {found}, it needs {needed}")]
    Dependence {
        /// Place in the problem's dependences.
        index: usize,
        /// The operation that starts too early.
        to: OpId,
        /// Its start, in the time frame of the iteration that it depends on.
        found: i128,
        /// The earliest legal start.
        needed: i128,
    },
    /// A version is overwritten before its last reader is done.
    #[error(
        "operation {writer:?} overwrites buffer {buffer:?} at {found}, operation {reader:?} reads it until {needed}"
    )]
    Ring {
        /// The buffer.
        buffer: BufferId,
        /// The reading operation.
        reader: OpId,
        /// The overwriting operation.
        writer: OpId,
        /// Start of the overwriting instance.
        found: i128,
        /// End of the reader.
        needed: i128,
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
    #[error("the versions need {needed} bytes of space {space:?}, it has {bytes}")]
    Space {
        /// The space.
        space: SpaceId,
        /// Bytes needed.
        needed: u128,
        /// Bytes there are.
        bytes: u64,
    },
    /// More of a resource is taken than there is.
    #[error("at cycle {cycle}, {taken} of resource {resource:?} are taken, its capacity is {capacity}")]
    Resource {
        /// The resource.
        resource: ResourceId,
        /// The first such cycle (modulo the interval when cyclic).
        cycle: u128,
        /// Units taken.
        taken: i128,
        /// Units there are.
        capacity: u32,
    },
}

/// Checks `schedule` against the definition above, for a problem that passes [`crate::check`].
pub fn verify(problem: &Problem, schedule: &Schedule) -> Result<(), Violation> {
    verify_shape(problem, schedule)?;
    verify_dependences(problem, schedule)?;
    if problem.kind == Kind::Cyclic {
        verify_rings(problem, schedule)?;
    }
    verify_resources(problem, schedule)
}

fn verify_shape(problem: &Problem, schedule: &Schedule) -> Result<(), Violation> {
    let operations = problem.operations.len();
    let fields = [
        ("start", schedule.start.len(), operations),
        ("chosen", schedule.chosen.len(), operations),
        ("versions", schedule.versions.len(), problem.buffers.len()),
    ];
    if let Some(&(field, found, expected)) = fields.iter().find(|(_, found, expected)| found != expected) {
        return Err(Violation::Shape { field, found, expected });
    }
    if problem.kind == Kind::Cyclic && schedule.ii == 0 {
        return Err(Violation::ZeroInterval);
    }
    for (index, &chosen) in schedule.chosen.iter().enumerate() {
        let count = problem.operations[index].alternatives.len();
        if chosen as usize >= count {
            return Err(Violation::Alternative {
                op: OpId(index as u32),
                chosen,
                count,
            });
        }
    }
    Ok(())
}

fn verify_dependences(problem: &Problem, schedule: &Schedule) -> Result<(), Violation> {
    for (index, dependence) in problem.dependences.iter().enumerate() {
        let distance = if problem.kind == Kind::Cyclic {
            dependence.distance
        } else {
            0
        };
        let latency = dependence
            .latency
            .map_or_else(|| latency(problem, schedule, dependence.from), i128::from);
        let found = start(schedule, dependence.to) + i128::from(distance) * i128::from(schedule.ii);
        let needed = start(schedule, dependence.from) + latency;
        if found < needed {
            return Err(Violation::Dependence {
                index,
                to: dependence.to,
                found,
                needed,
            });
        }
    }
    Ok(())
}

fn verify_rings(problem: &Problem, schedule: &Schedule) -> Result<(), Violation> {
    let mut bytes = vec![0u128; problem.spaces.len()];
    for (index, buffer) in problem.buffers.iter().enumerate() {
        let id = BufferId(index as u32);
        let versions = schedule.versions[index];
        let limit = buffer.max_versions.unwrap_or(u32::MAX);
        if versions == 0 || versions > limit {
            return Err(Violation::Versions {
                buffer: id,
                found: versions,
                limit,
            });
        }
        for &reader in &buffer.readers {
            for &writer in &buffer.writers {
                let found = start(schedule, writer) + i128::from(versions) * i128::from(schedule.ii);
                let needed = start(schedule, reader) + latency(problem, schedule, reader);
                if found < needed {
                    return Err(Violation::Ring {
                        buffer: id,
                        reader,
                        writer,
                        found,
                        needed,
                    });
                }
            }
        }
        if let Some(space) = buffer.space {
            bytes[space.index()] += u128::from(versions) * u128::from(buffer.bytes);
        }
    }
    for (index, (space, needed)) in problem.spaces.iter().zip(bytes).enumerate() {
        if needed > u128::from(space.bytes) {
            return Err(Violation::Space {
                space: SpaceId(index as u32),
                needed,
                bytes: space.bytes,
            });
        }
    }
    Ok(())
}

fn verify_resources(problem: &Problem, schedule: &Schedule) -> Result<(), Violation> {
    let mut changes: Vec<BTreeMap<u128, i128>> = vec![BTreeMap::new(); problem.resources.len()];
    for (index, operation) in problem.operations.iter().enumerate() {
        for used in &operation.alternatives[schedule.chosen[index] as usize].uses {
            let interval = (problem.kind == Kind::Cyclic).then_some(schedule.ii);
            add_use(
                &mut changes[used.resource.index()],
                used,
                schedule.start[index],
                interval,
            );
        }
    }
    for (index, changes) in changes.iter().enumerate() {
        let capacity = problem.resources[index].capacity;
        let mut taken = 0i128;
        for (&cycle, change) in changes {
            taken += change;
            if taken > i128::from(capacity) {
                let resource = ResourceId(index as u32);
                return Err(Violation::Resource {
                    resource,
                    cycle,
                    taken,
                    capacity,
                });
            }
        }
    }
    Ok(())
}

/// Adds the steps up and down that a use causes, folded into `0..interval` if there is one.
fn add_use(changes: &mut BTreeMap<u128, i128>, used: &Use, start: u64, interval: Option<u64>) {
    let amount = i128::from(used.amount);
    let begin = u128::from(start) + u128::from(used.offset);
    let cycles = u128::from(used.cycles);
    let mut step = |cycle: u128, by: i128| *changes.entry(cycle).or_default() += by;
    let Some(interval) = interval.map(u128::from) else {
        step(begin, amount);
        step(begin + cycles, -amount);
        return;
    };
    step(0, amount * (cycles / interval) as i128);
    let first = begin % interval;
    let rest = cycles % interval;
    step(first, amount);
    if first + rest <= interval {
        step(first + rest, -amount);
    } else {
        step(0, amount);
        step(first + rest - interval, -amount);
    }
}

fn start(schedule: &Schedule, op: OpId) -> i128 {
    i128::from(schedule.start[op.index()])
}

fn latency(problem: &Problem, schedule: &Schedule, op: OpId) -> i128 {
    i128::from(problem.operations[op.index()].alternatives[schedule.chosen[op.index()] as usize].latency)
}
