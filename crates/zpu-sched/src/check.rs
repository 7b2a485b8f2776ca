//! Finds everything that is wrong with a problem before a scheduler sees it.
//!
//! A problem that passes has a solution: a loop at a large enough interval with one version of each buffer, and
//! straight-line code at a large enough makespan, as long as deadlines, and operations that can only start together, do
//! not compete for resources.

use std::collections::BTreeSet;

use crate::graph::{Edge, strongly_connected};
use crate::{Alternative, Dependence, Kind, OpId, Operation, Problem, ResourceId, Use};

/// Most operations in a problem.
pub const MAX_OPERATIONS: usize = 1 << 20;
/// Most cycles that all latencies, uses and dependences of a problem may add up to, so that times never overflow.
pub const MAX_TOTAL_CYCLES: u64 = 1 << 44;
/// Largest distance of a dependence, largest number of versions, and largest stage.
pub const MAX_DISTANCE: u32 = 1 << 12;

/// An error in a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemError {
    /// Two things of a kind with one name.
    #[error("two {kind}s are named `{name}`; names are unique")]
    DuplicateName {
        /// `resource`, `operation`, `buffer` or `space`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An id that is out of range.
    #[error("{place} names {kind} {id}, there are {count}")]
    UnknownId {
        /// The place of the id in the problem.
        place: String,
        /// `resource`, `operation` or `space`.
        kind: &'static str,
        /// The id.
        id: u32,
        /// Valid ids are below this.
        count: usize,
    },
    /// An operation without a way to carry it out.
    #[error("operation `{operation}` has no alternative; give it at least one list of uses")]
    NoAlternative {
        /// Its name.
        operation: String,
    },
    /// An operation that never fits.
    #[error("operation `{operation}` takes {amount} of resource `{resource}`, its capacity is {capacity}")]
    DemandAboveCapacity {
        /// The operation.
        operation: String,
        /// The resource.
        resource: String,
        /// Most units taken at once.
        amount: u64,
        /// Units there are.
        capacity: u32,
    },
    /// Operations that wait for each other within one iteration.
    #[error("operations {} wait for each other within one iteration; give one of their dependences a \
        distance", names(.operations))]
    CycleWithoutDistance {
        /// The cycle's operations.
        operations: Vec<String>,
    },
    /// Operations of straight-line code that wait for each other, whatever the distances.
    #[error(
        "operations {} wait for each other; straight-line code runs once, so distances do not help: leave out one of \
         their dependences, or make the problem cyclic",
        names(.operations)
    )]
    CycleInLine {
        /// The cycle's operations.
        operations: Vec<String>,
    },
    /// Operations of a program whose dependences take no time and lead back to where they begin, within one iteration.
    /// In times they have a solution, all of them starting at once; a program carries one out after the other.
    #[error(
        "{}, and a program issues one after the other; leave out one of their dependences, or give it a distance",
        together(.operations)
    )]
    StartTogether {
        /// The cycle's operations.
        operations: Vec<String>,
    },
    /// A negative latency that contradicts the other dependences.
    #[error("the deadlines among operations {} cannot be met; relax a negative latency", names(.operations))]
    InfeasibleDeadline {
        /// The operations involved.
        operations: Vec<String>,
    },
    /// A buffer without writers.
    #[error("buffer `{buffer}` has no writer; leave it out of the problem")]
    NoWriter {
        /// Its name.
        buffer: String,
    },
    /// A limit of 0 versions.
    #[error("buffer `{buffer}` may have 0 versions; it needs at least 1")]
    NoVersion {
        /// Its name.
        buffer: String,
    },
    /// A space with less room than one version of each buffer takes.
    #[error("one version of each buffer needs {needed} bytes of `{space}`, it has {bytes}; make the tiles smaller")]
    SpaceTooSmall {
        /// The space.
        space: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        bytes: u64,
    },
    /// Numbers out of the range in which times cannot overflow.
    #[error("{what} is {value}, the limit is {limit}")]
    TooLarge {
        /// The part of the problem that exceeds the limit.
        what: String,
        /// Its value (saturated).
        value: u64,
        /// The most allowed.
        limit: u64,
    },
}

impl ProblemError {
    /// True if the problem is well formed and has no solution, rather than badly written.
    pub fn is_infeasible(&self) -> bool {
        matches!(
            self,
            ProblemError::DemandAboveCapacity { .. }
                | ProblemError::CycleWithoutDistance { .. }
                | ProblemError::CycleInLine { .. }
                | ProblemError::StartTogether { .. }
                | ProblemError::InfeasibleDeadline { .. }
                | ProblemError::SpaceTooSmall { .. }
        )
    }
}

/// Checks `problem` and lists everything found wrong; an empty problem is fine.
pub fn check(problem: &Problem) -> Result<(), Vec<ProblemError>> {
    let mut errors = vec![];
    check_names(problem, &mut errors);
    check_operations(problem, &mut errors);
    check_dependences(problem, &mut errors);
    check_buffers(problem, &mut errors);
    check_magnitudes(problem, &mut errors);
    if errors.is_empty() {
        check_order(problem, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

pub(crate) fn names(operations: &[String]) -> String {
    operations
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn together(operations: &[String]) -> String {
    match operations {
        [alone] => format!("operation `{alone}` is to start no earlier than itself within one iteration"),
        several => format!("operations {} can only start together", names(several)),
    }
}

fn check_names(problem: &Problem, errors: &mut Vec<ProblemError>) {
    fn duplicates<'a>(kind: &'static str, names: impl Iterator<Item = &'a String>, errors: &mut Vec<ProblemError>) {
        let mut seen = BTreeSet::new();
        for name in names {
            if !seen.insert(name) {
                errors.push(ProblemError::DuplicateName {
                    kind,
                    name: name.clone(),
                });
            }
        }
    }
    duplicates("resource", problem.resources.iter().map(|r| &r.name), errors);
    duplicates("operation", problem.operations.iter().map(|o| &o.name), errors);
    duplicates("buffer", problem.buffers.iter().map(|b| &b.name), errors);
    duplicates("space", problem.spaces.iter().map(|s| &s.name), errors);
}

fn check_operations(problem: &Problem, errors: &mut Vec<ProblemError>) {
    for operation in &problem.operations {
        if operation.alternatives.is_empty() {
            errors.push(ProblemError::NoAlternative {
                operation: operation.name.clone(),
            });
        }
        for alternative in &operation.alternatives {
            let unknown = |u: &&Use| u.resource.index() >= problem.resources.len();
            for used in alternative.uses.iter().filter(unknown) {
                errors.push(ProblemError::UnknownId {
                    place: format!("operation `{}`", operation.name),
                    kind: "resource",
                    id: used.resource.0,
                    count: problem.resources.len(),
                });
            }
        }
        // One alternative that fits is enough.
        let excesses = operation.alternatives.iter().map(|way| excess(problem, way));
        let excesses: Vec<_> = excesses.collect();
        if excesses.iter().any(Vec::is_empty) {
            continue;
        }
        for (resource, amount) in excesses.into_iter().flatten() {
            let resource = &problem.resources[resource.index()];
            let error = ProblemError::DemandAboveCapacity {
                operation: operation.name.clone(),
                resource: resource.name.clone(),
                amount,
                capacity: resource.capacity,
            };
            if errors.last() != Some(&error) {
                errors.push(error);
            }
        }
    }
}

/// The resources of which `alternative` takes more at once than there is, and how much. Unknown ones are left out.
pub(crate) fn excess(problem: &Problem, alternative: &Alternative) -> Vec<(ResourceId, u64)> {
    let mut found: Vec<(ResourceId, u64)> = vec![];
    for (index, used) in alternative.uses.iter().enumerate() {
        let Some(resource) = problem.resources.get(used.resource.index()) else {
            continue;
        };
        let amount = peak_at(&alternative.uses, index);
        if amount <= u64::from(resource.capacity) {
            continue;
        }
        match found.iter_mut().find(|(id, _)| *id == used.resource) {
            Some((_, most)) => *most = amount.max(*most),
            None => found.push((used.resource, amount)),
        }
    }
    found
}

/// Units of use `index`'s resource that the operation itself takes when that use begins.
fn peak_at(uses: &[Use], index: usize) -> u64 {
    let here = uses[index];
    if here.cycles == 0 {
        return 0;
    }
    let covers = |u: &&Use| {
        u.resource == here.resource && u.offset <= here.offset && here.offset < u.offset.saturating_add(u.cycles)
    };
    uses.iter().filter(covers).map(|u| u64::from(u.amount)).sum()
}

fn check_dependences(problem: &Problem, errors: &mut Vec<ProblemError>) {
    let count = problem.operations.len();
    for (index, dependence) in problem.dependences.iter().enumerate() {
        for id in [dependence.from, dependence.to] {
            if id.index() >= count {
                let place = format!("dependence {index}");
                errors.push(ProblemError::UnknownId {
                    place,
                    kind: "operation",
                    id: id.0,
                    count,
                });
            }
        }
        if dependence.distance > MAX_DISTANCE {
            errors.push(ProblemError::TooLarge {
                what: format!("the distance of dependence {index}"),
                value: dependence.distance.into(),
                limit: MAX_DISTANCE.into(),
            });
        }
    }
}

fn check_buffers(problem: &Problem, errors: &mut Vec<ProblemError>) {
    let count = problem.operations.len();
    let mut needed = vec![0u64; problem.spaces.len()];
    for buffer in &problem.buffers {
        let place = || format!("buffer `{}`", buffer.name);
        for id in buffer
            .writers
            .iter()
            .chain(&buffer.readers)
            .filter(|id| id.index() >= count)
        {
            errors.push(ProblemError::UnknownId {
                place: place(),
                kind: "operation",
                id: id.0,
                count,
            });
        }
        if buffer.writers.is_empty() {
            errors.push(ProblemError::NoWriter {
                buffer: buffer.name.clone(),
            });
        }
        match buffer.max_versions {
            Some(0) => errors.push(ProblemError::NoVersion {
                buffer: buffer.name.clone(),
            }),
            Some(versions) if versions > MAX_DISTANCE => errors.push(ProblemError::TooLarge {
                what: format!("the number of versions of buffer `{}`", buffer.name),
                value: versions.into(),
                limit: MAX_DISTANCE.into(),
            }),
            _ => {}
        }
        match buffer.space.map(|id| (id, needed.get_mut(id.index()))) {
            Some((_, Some(sum))) => *sum = sum.saturating_add(buffer.bytes),
            Some((id, None)) => {
                let count = problem.spaces.len();
                errors.push(ProblemError::UnknownId {
                    place: place(),
                    kind: "space",
                    id: id.0,
                    count,
                });
            }
            None => {}
        }
    }
    for (space, needed) in problem.spaces.iter().zip(needed) {
        if needed > space.bytes {
            errors.push(ProblemError::SpaceTooSmall {
                space: space.name.clone(),
                needed,
                bytes: space.bytes,
            });
        }
    }
}

/// The latencies of an operation, and when its uses end, times what they take.
fn cycles_of(operation: &Operation) -> impl Iterator<Item = u64> {
    let each = operation.alternatives.iter();
    each.flat_map(|alternative| {
        let ends = alternative.uses.iter().map(|u| {
            let end = u.offset.saturating_add(u.cycles);
            end.saturating_mul(u64::from(u.amount.max(1)))
        });
        std::iter::once(alternative.latency).chain(ends)
    })
}

fn check_magnitudes(problem: &Problem, errors: &mut Vec<ProblemError>) {
    if problem.operations.len() > MAX_OPERATIONS {
        errors.push(ProblemError::TooLarge {
            what: "the number of operations".into(),
            value: problem.operations.len() as u64,
            limit: MAX_OPERATIONS as u64,
        });
    }
    let (mut total, mut largest) = (0u64, None);
    for operation in &problem.operations {
        let own = cycles_of(operation).max().unwrap_or(0);
        total = cycles_of(operation).fold(total, u64::saturating_add);
        if largest.as_ref().is_none_or(|&(most, _)| own > most) {
            largest = Some((own, format!("operation `{}`", operation.name)));
        }
    }
    for (index, dependence) in problem.dependences.iter().enumerate() {
        let cycles = dependence.latency.map_or(0, i64::unsigned_abs);
        total = total.saturating_add(cycles);
        if largest.as_ref().is_none_or(|&(most, _)| cycles > most) {
            largest = Some((cycles, format!("dependence {index}")));
        }
    }
    if total > MAX_TOTAL_CYCLES {
        let (cycles, place) = largest.unwrap_or_default();
        let what = format!("the sum of all latencies and uses in cycles, the largest of them {cycles} of {place},");
        errors.push(ProblemError::TooLarge {
            what,
            value: total,
            limit: MAX_TOTAL_CYCLES,
        });
    }
}

/// Within one iteration, no cycle of dependences takes time: neither one of those that order a program, nor one with
/// deadlines.
fn check_order(problem: &Problem, errors: &mut Vec<ProblemError>) {
    let edges = within_one_iteration(problem);
    let takes_time = |group: &[usize]| {
        let inside = |e: &&Edge| group.binary_search(&e.from).is_ok() && group.binary_search(&e.to).is_ok();
        edges.iter().filter(inside).any(|e| e.latency > 0)
    };
    let mut found = false;
    for group in ordering_cycles(problem, &edges)
        .iter()
        .filter(|group| takes_time(group))
    {
        let operations = names_of(problem, group);
        errors.push(match problem.kind {
            Kind::Cyclic => ProblemError::CycleWithoutDistance { operations },
            Kind::Acyclic => ProblemError::CycleInLine { operations },
        });
        found = true;
    }
    if !found && let Some(group) = crate::graph::positive_cycle(problem.operations.len(), &edges, 0) {
        let operations = names_of(problem, &group);
        errors.push(ProblemError::InfeasibleDeadline { operations });
    }
}

/// Checks that a problem that passes the check is that of a program: its operations have an order.
pub(crate) fn check_program(problem: &Problem) -> Result<(), Vec<ProblemError>> {
    let cycles = ordering_cycles(problem, &within_one_iteration(problem));
    let errors = cycles.iter().map(|group| ProblemError::StartTogether {
        operations: names_of(problem, group),
    });
    let errors: Vec<ProblemError> = errors.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The dependences of distance 0, with the shortest latencies.
fn within_one_iteration(problem: &Problem) -> Vec<Edge> {
    let shortest = |id: OpId| {
        let latencies = problem.operations[id.index()]
            .alternatives
            .iter()
            .filter(|way| excess(problem, way).is_empty())
            .map(|a| a.latency as i64);
        latencies.min().unwrap_or(0)
    };
    let within = problem
        .dependences
        .iter()
        .filter(|d| d.distance == 0 || problem.kind == Kind::Acyclic);
    let edge = |d: &Dependence| Edge {
        from: d.from.index(),
        to: d.to.index(),
        latency: d.latency.unwrap_or_else(|| shortest(d.from)),
        distance: 0,
    };
    within.map(edge).collect()
}

/// The groups of operations that lead back to themselves through dependences that are no deadlines, ascending.
fn ordering_cycles(problem: &Problem, edges: &[Edge]) -> Vec<Vec<usize>> {
    let ordering: Vec<Edge> = edges.iter().copied().filter(|e| e.latency >= 0).collect();
    let mut on_itself = vec![false; problem.operations.len()];
    for edge in ordering.iter().filter(|e| e.from == e.to) {
        on_itself[edge.from] = true;
    }
    let mut groups = strongly_connected(on_itself.len(), &ordering);
    groups.retain(|group| group.len() > 1 || on_itself[group[0]]);
    groups
}

fn names_of(problem: &Problem, operations: &[usize]) -> Vec<String> {
    operations
        .iter()
        .map(|&op| problem.operations[op].name.clone())
        .collect()
}
