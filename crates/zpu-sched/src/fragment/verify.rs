//! The definition of a correct schedule, checked directly. Nothing here is shared with what makes schedules.
//!
//! 1. The order of each mesh has each of its fragments exactly once, and nothing else.
//! 2. Each transfer is exactly once in the sending and in the receiving queue of its link.
//! 3. Data, the orders of meshes, the orders of all queues and control dependences have no common cycle. A queue whose
//!    two ends disagree, or two meshes that each send first what the other receives second, are such a cycle: a
//!    deadlock.
//! 4. If asked for: each stage of each mesh has each microbatch once forward and once backward.
//! 5. If times are given: each node starts after its operands, their latencies, and the node before it on its mesh or
//!    link; the makespan is the last end, busy, bubble and peak are what they are, and no time is below the bound.
//! 6. No mesh holds more than the cap.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::{MeshId, NodeId, NodeKind, Program, Recompute, Split};
use super::replay::Timing;
use super::schedule::{Direction, Schedule};

/// What is claimed of a schedule beyond that it is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims<'a> {
    /// Its times.
    pub timing: Option<&'a Timing>,
    /// The proven bound of the makespan.
    pub bound: u64,
    /// The most bytes that a mesh may hold.
    pub memory_cap: Option<u64>,
    /// True if microbatches are counted.
    pub counts: bool,
}

/// The first violation that is found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A list of another length than the program's.
    #[error("`{field}` has {found} entries, the program needs {needed}")]
    Shape {
        /// Its name.
        field: &'static str,
        /// Its length.
        found: usize,
        /// The length that it must have.
        needed: usize,
    },
    /// A fragment that its mesh runs not once.
    #[error("fragment {node:?} is {count} times in the order of mesh {mesh:?}, must be there once")]
    Count {
        /// The fragment.
        node: NodeId,
        /// Its mesh.
        mesh: MeshId,
        /// How often it is there.
        count: usize,
    },
    /// Something in an order or a queue that does not belong there.
    #[error("node {node:?} stands where it does not belong")]
    Misplaced {
        /// The node.
        node: NodeId,
    },
    /// A transfer that one end of its link has not once.
    #[error("transfer {node:?} is {count} times in the queue of its {end:?} end, must be there once")]
    Queue {
        /// The transfer.
        node: NodeId,
        /// The end.
        end: Direction,
        /// How often it is there.
        count: usize,
    },
    /// A circle of nodes that wait for each other.
    #[error("these wait for each other: {0:?}")]
    Deadlock(Vec<NodeId>),
    /// A microbatch that is missing.
    #[error(
        "mesh {mesh:?}, stage {stage:?}: microbatch {counter} has {forward} forward and {backward} backward pieces"
    )]
    Microbatch {
        /// The mesh.
        mesh: MeshId,
        /// The stage.
        stage: Option<u32>,
        /// The microbatch.
        counter: u32,
        /// Forward fragments that are not computed again.
        forward: usize,
        /// Backward fragments, halves that keep what is transferred or whole.
        backward: usize,
    },
    /// A start that is too early.
    #[error("node {node:?} starts at {found}, it cannot before {needed}")]
    Early {
        /// The node.
        node: NodeId,
        /// Its start.
        found: u64,
        /// The earliest legal one.
        needed: u64,
    },
    /// A figure that is not what it should be.
    #[error("`{figure}` is {found}, should be {needed}")]
    Figure {
        /// Its name.
        figure: &'static str,
        /// The claim.
        found: u64,
        /// The truth.
        needed: u64,
    },
    /// A makespan below the bound.
    #[error("the makespan is {makespan}, below its bound {bound}")]
    BelowBound {
        /// The makespan.
        makespan: u64,
        /// The bound.
        bound: u64,
    },
    /// Too many bytes.
    #[error("mesh {mesh:?} holds {found} bytes, the cap is {cap}")]
    OverCap {
        /// The mesh.
        mesh: MeshId,
        /// Bytes held.
        found: u64,
        /// The cap.
        cap: u64,
    },
}

/// Checks a schedule of a program that passes its own check.
///
/// # Errors
///
/// The first [`Violation`].
pub fn verify(program: &Program, schedule: &Schedule, claims: &Claims<'_>) -> Result<(), Violation> {
    check_orders(program, schedule)?;
    check_queues(program, schedule)?;
    check_cycles(program, schedule)?;
    if claims.counts {
        check_microbatches(program)?;
    }
    let peaks: Vec<u64> = schedule.order.iter().map(|row| peak(program, row)).collect();
    if let Some(timing) = claims.timing {
        check_times(program, schedule, timing, &peaks)?;
        if timing.makespan < claims.bound {
            return Err(Violation::BelowBound {
                makespan: timing.makespan,
                bound: claims.bound,
            });
        }
    }
    let over = (0..)
        .map(MeshId)
        .zip(&peaks)
        .find(|(_, peak)| claims.memory_cap.is_some_and(|cap| **peak > cap));
    match (over, claims.memory_cap) {
        (Some((mesh, &found)), Some(cap)) => Err(Violation::OverCap { mesh, found, cap }),
        _ => Ok(()),
    }
}

fn check_orders(program: &Program, schedule: &Schedule) -> Result<(), Violation> {
    if schedule.order.len() != program.meshes.len() {
        return Err(Violation::Shape {
            field: "order",
            found: schedule.order.len(),
            needed: program.meshes.len(),
        });
    }
    let mut seen: Vec<usize> = vec![0; program.nodes.len()];
    for (mesh, row) in schedule.order.iter().enumerate() {
        for &node in row {
            let fragment = program.nodes.get(node.index()).and_then(|node| node.fragment());
            if fragment.is_none_or(|fragment| fragment.mesh.index() != mesh) {
                return Err(Violation::Misplaced { node });
            }
            seen[node.index()] += 1;
        }
    }
    let wrong = program.fragments().find(|(node, _)| seen[node.index()] != 1);
    wrong.map_or(Ok(()), |(node, fragment)| {
        Err(Violation::Count {
            node,
            mesh: fragment.mesh,
            count: seen[node.index()],
        })
    })
}

fn check_queues(program: &Program, schedule: &Schedule) -> Result<(), Violation> {
    let mut seen = vec![[0usize; 2]; program.nodes.len()];
    for queue in &schedule.queues {
        for &node in &queue.transfers {
            let link = match program.nodes.get(node.index()).map(|node| &node.kind) {
                Some(NodeKind::Transfer { from, to }) => (*from, *to),
                _ => return Err(Violation::Misplaced { node }),
            };
            if link != (queue.from, queue.to) {
                return Err(Violation::Misplaced { node });
            }
            seen[node.index()][usize::from(queue.direction == Direction::Receive)] += 1;
        }
    }
    for (node, _) in program.ids().filter(|(_, node)| node.fragment().is_none()) {
        for (place, end) in [Direction::Send, Direction::Receive].into_iter().enumerate() {
            let count = seen[node.index()][place];
            if count != 1 {
                return Err(Violation::Queue { node, end, count });
            }
        }
    }
    Ok(())
}

/// Depth-first search; a node that is met while it is open closes a cycle.
fn check_cycles(program: &Program, schedule: &Schedule) -> Result<(), Violation> {
    let mut before: Vec<Vec<NodeId>> = program.nodes.iter().map(|node| node.deps.clone()).collect();
    let rows = schedule
        .order
        .iter()
        .chain(schedule.queues.iter().map(|queue| &queue.transfers));
    for row in rows {
        for (first, second) in row.iter().zip(row.iter().skip(1)) {
            before[second.index()].push(*first);
        }
    }
    for &(first, second) in &schedule.control {
        for node in [first, second] {
            if node.index() >= program.nodes.len() {
                return Err(Violation::Misplaced { node });
            }
        }
        before[second.index()].push(first);
    }
    // 0 new, 1 open, 2 done.
    let mut state = vec![0u8; before.len()];
    for root in 0..before.len() {
        let mut stack = vec![(root, 0)];
        while let Some(top) = stack.last_mut() {
            let (node, next) = *top;
            if next == 0 {
                if state[node] != 0 {
                    stack.pop();
                    continue;
                }
                state[node] = 1;
            }
            match before[node].get(next) {
                None => {
                    state[node] = 2;
                    stack.pop();
                }
                Some(earlier) => {
                    top.1 += 1;
                    match state[earlier.index()] {
                        0 => stack.push((earlier.index(), 0)),
                        1 => {
                            let open = stack.iter().skip_while(|(node, _)| *node != earlier.index());
                            let cycle = open.map(|(node, _)| NodeId(*node as u32)).collect();
                            return Err(Violation::Deadlock(cycle));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    Ok(())
}

fn check_microbatches(program: &Program) -> Result<(), Violation> {
    let mut found: BTreeMap<(MeshId, Option<u32>, u32), [usize; 2]> = BTreeMap::new();
    let mut counters = BTreeSet::new();
    for (_, fragment) in program.fragments() {
        let is_user = !fragment.inferred && (!fragment.origins.is_empty() || fragment.transpose_count.is_some());
        let is_clone = matches!(fragment.recompute, Recompute::Clone { .. });
        let (Some(count @ 0..=1), Some(counter)) = (fragment.transpose_count, fragment.call_counter) else {
            continue;
        };
        if !is_user || program.meshes[fragment.mesh.index()].ends_with("/cpu") {
            continue;
        }
        counters.insert(counter);
        let counts = found.entry((fragment.mesh, fragment.stage, counter)).or_default();
        if (count == 0 && !is_clone) || (count == 1 && fragment.split != Some(Split::DropTransferred)) {
            counts[count as usize] += 1;
        }
    }
    let has_backward = found.values().any(|counts| counts[1] > 0);
    let stages: BTreeSet<(MeshId, Option<u32>)> = found.keys().map(|(mesh, stage, _)| (*mesh, *stage)).collect();
    for (mesh, stage) in stages {
        for &counter in &counters {
            let [forward, backward] = found.get(&(mesh, stage, counter)).copied().unwrap_or_default();
            if forward == 0 || (has_backward && backward == 0) {
                return Err(Violation::Microbatch {
                    mesh,
                    stage,
                    counter,
                    forward,
                    backward,
                });
            }
        }
    }
    Ok(())
}

fn check_times(program: &Program, schedule: &Schedule, timing: &Timing, peaks: &[u64]) -> Result<(), Violation> {
    let shapes = [
        ("start", timing.start.len(), program.nodes.len()),
        ("meshes", timing.meshes.len(), program.meshes.len()),
    ];
    if let Some(&(field, found, needed)) = shapes.iter().find(|(_, found, needed)| found != needed) {
        return Err(Violation::Shape { field, found, needed });
    }
    let end = |node: NodeId| timing.start[node.index()] + program.nodes[node.index()].cycles;
    let not_before = |node: NodeId, needed: u64| {
        let found = timing.start[node.index()];
        if found < needed {
            return Err(Violation::Early { node, found, needed });
        }
        Ok(())
    };
    for (id, node) in program.ids() {
        for &dep in &node.deps {
            let latency = match (&program.nodes[dep.index()].kind, &node.kind) {
                (NodeKind::Fragment(a), NodeKind::Fragment(b)) if a.mesh == b.mesh => 0,
                (NodeKind::Fragment(_), NodeKind::Transfer { .. }) => 0,
                (NodeKind::Fragment(a), NodeKind::Fragment(b)) => program.latency(a.mesh, b.mesh),
                (NodeKind::Transfer { from, to }, _) => program.latency(*from, *to),
            };
            not_before(id, end(dep) + latency)?;
        }
    }
    let rows = schedule
        .order
        .iter()
        .chain(schedule.queues.iter().map(|queue| &queue.transfers));
    for row in rows {
        for (first, second) in row.iter().zip(row.iter().skip(1)) {
            not_before(*second, end(*first))?;
        }
    }
    let figure = |figure, found, needed| {
        if found == needed {
            Ok(())
        } else {
            Err(Violation::Figure { figure, found, needed })
        }
    };
    let last = program.ids().map(|(id, _)| end(id)).max().unwrap_or(0);
    figure("makespan", timing.makespan, last)?;
    for ((row, mesh), peak) in schedule.order.iter().zip(&timing.meshes).zip(peaks) {
        let busy = row.iter().map(|node| program.nodes[node.index()].cycles).sum();
        figure("busy", mesh.busy, busy)?;
        figure(
            "first",
            mesh.first,
            row.iter().map(|node| timing.start[node.index()]).min().unwrap_or(0),
        )?;
        figure("last", mesh.last, row.iter().map(|node| end(*node)).max().unwrap_or(0))?;
        figure("peak", mesh.peak, *peak)?;
    }
    Ok(())
}

/// The most bytes that a mesh holds: the sum over the intervals of places in its order during which results are held.
fn peak(program: &Program, row: &[NodeId]) -> u64 {
    type Key = (Option<u32>, u32);
    let mut last: BTreeMap<Key, usize> = BTreeMap::new();
    let mut takes: Vec<(usize, Key, NodeId, u64, bool)> = Vec::new();
    for (place, &node) in row.iter().enumerate() {
        let Some(fragment) = program.nodes[node.index()].fragment() else {
            continue;
        };
        let is_user = !fragment.inferred && (!fragment.origins.is_empty() || fragment.transpose_count.is_some());
        let (Some(count @ 0..=1), Some(counter), true) = (fragment.transpose_count, fragment.call_counter, is_user)
        else {
            continue;
        };
        let key = (fragment.stage, counter);
        if count == 1 {
            last.insert(key, place);
        }
        match fragment.recompute {
            Recompute::Clone { of } => {
                let bytes = program.nodes[of.index()].fragment().map_or(0, |of| of.bytes);
                let is_first = !takes.iter().any(|take| take.4 && take.2 == of);
                if is_first {
                    takes.push((place, key, of, bytes, true));
                }
            }
            Recompute::Dropped => takes.push((place, key, node, fragment.bytes, false)),
            Recompute::Kept if count == 0 => takes.push((place, key, node, fragment.bytes, true)),
            Recompute::Kept => {}
        }
    }
    let mut change = vec![0i128; row.len() + 1];
    for (place, key, _, bytes, is_held) in takes {
        let until = last
            .get(&key)
            .copied()
            .filter(|last| is_held && *last > place)
            .unwrap_or(place);
        change[place] += i128::from(bytes);
        change[until + 1] -= i128::from(bytes);
    }
    let mut now = 0;
    let mut most = 0;
    for change in change {
        now += change;
        most = most.max(now);
    }
    most as u64
}
