//! The times of a schedule: every fragment as early as data, its mesh and its links allow.
//!
//! Invariant: start times are the least that satisfy: a mesh runs one fragment after the other in its order; a link
//! moves one transfer after the other in the order of its sending queue; a result is there at the end of its fragment,
//! on another mesh one latency later. Latency occupies nothing.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::graph::Arcs;
use super::problem::{MeshId, NodeId, NodeKind, Program, Recompute};
use super::schedule::{Direction, Schedule};
use super::unit::{Piece, Unit};

/// The figures of one mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshTiming {
    /// Cycles in which it computes.
    pub busy: u64,
    /// Start of its first fragment.
    pub first: u64,
    /// End of its last fragment.
    pub last: u64,
    /// The most bytes that it holds at once, each from the start of a forward fragment to the end of the last backward
    /// piece of its stage and microbatch.
    pub peak: u64,
}

impl MeshTiming {
    /// Idle cycles between its own first start and last end.
    pub fn bubble(&self) -> u64 {
        self.last - self.first - self.busy
    }
}

/// The times of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Start of each node, in cycles.
    pub start: Vec<u64>,
    /// The end of the last node.
    pub makespan: u64,
    /// By mesh.
    pub meshes: Vec<MeshTiming>,
}

/// No node.
const NONE: u32 = u32::MAX;

/// Plays a schedule; `None` if it waits for itself. The order of each mesh and each link is complete.
pub fn replay(program: &Program, schedule: &Schedule) -> Option<Timing> {
    replay_with(program, schedule, &Arcs::of_data(program))
}

/// The same with the graph of data at hand.
pub(crate) fn replay_with(program: &Program, schedule: &Schedule, data: &Arcs) -> Option<Timing> {
    let sending = schedule
        .queues
        .iter()
        .filter(|queue| queue.direction == Direction::Send);
    let rows = schedule.order.iter().chain(sending.map(|queue| &queue.transfers));
    let earliest = earliest(program, rows, data)?;
    let start = earliest.start;
    let ends = start
        .iter()
        .zip(&program.nodes)
        .map(|(start, node)| start + node.cycles);
    let makespan = ends.max().unwrap_or(0);
    let meshes = schedule
        .order
        .iter()
        .map(|row| mesh_timing(program, row, &start))
        .collect();
    Some(Timing {
        start,
        makespan,
        meshes,
    })
}

/// The earliest start of each node.
pub(crate) struct Earliest {
    pub(crate) start: Vec<u64>,
    /// The number of nodes on the longest path that leads to it: with equal starts, the order that paths demand.
    pub(crate) level: Vec<u32>,
}

/// Starts each node as early as data and rows allow; the nodes of a row run one after the other. `None` if there is a
/// cycle.
pub(crate) fn earliest<'r>(
    program: &Program,
    rows: impl Iterator<Item = &'r Vec<NodeId>>,
    data: &Arcs,
) -> Option<Earliest> {
    let count = program.nodes.len();
    let (mut then, mut waits) = (vec![NONE; count], data.entering());
    for row in rows {
        for pair in row.windows(2) {
            then[pair[0].index()] = pair[1].0;
            waits[pair[1].index()] += 1;
        }
    }
    let (mut start, mut level) = (vec![0u64; count], vec![0u32; count]);
    let mut open: VecDeque<u32> = (0..count as u32).filter(|&node| waits[node as usize] == 0).collect();
    let mut done = 0;
    while let Some(node) = open.pop_front() {
        done += 1;
        let at = node as usize;
        let end = start[at] + program.nodes[at].cycles;
        let next_in_row = (then[at] != NONE).then_some((then[at], end));
        let users = data
            .of(at)
            .iter()
            .map(|&user| (user, end + delay(program, at, user as usize)));
        for (next, ready) in users.chain(next_in_row) {
            let next_at = next as usize;
            start[next_at] = start[next_at].max(ready);
            level[next_at] = level[next_at].max(level[at] + 1);
            waits[next_at] -= 1;
            if waits[next_at] == 0 {
                open.push_back(next);
            }
        }
    }
    (done == count).then_some(Earliest { start, level })
}

/// Cycles from the end of a node to the moment when its user may begin.
pub(crate) fn delay(program: &Program, node: usize, user: usize) -> u64 {
    match (&program.nodes[node].kind, &program.nodes[user].kind) {
        (NodeKind::Fragment(of), NodeKind::Fragment(to)) if of.mesh != to.mesh => program.latency(of.mesh, to.mesh),
        (NodeKind::Transfer { from, to }, _) => program.latency(*from, *to),
        _ => 0,
    }
}

fn mesh_timing(program: &Program, row: &[NodeId], start: &[u64]) -> MeshTiming {
    let begin = |node: &NodeId| start[node.index()];
    let cycles = |node: &NodeId| program.node(*node).cycles;
    MeshTiming {
        busy: row.iter().map(cycles).sum(),
        first: row.first().map_or(0, begin),
        last: row.last().map_or(0, |node| begin(node) + cycles(node)),
        peak: held(program, row).into_iter().max().unwrap_or(0),
    }
}

/// The results that one stage of a mesh holds for one microbatch.
#[derive(Default)]
struct Held {
    /// Backward pieces that are still to come.
    pieces: u32,
    /// Bytes by forward fragment.
    bytes: Vec<(NodeId, u64)>,
}

/// Bytes held while each fragment of a mesh runs. They follow from the order alone, since what takes and what releases
/// them are on one mesh.
pub(crate) fn held(program: &Program, row: &[NodeId]) -> Vec<u64> {
    let unit = |node: &NodeId| {
        program
            .node(*node)
            .fragment()
            .and_then(|fragment| Unit::of(*node, fragment))
    };
    let key = |unit: &Unit| (unit.stage, unit.counter);
    let mut open: FxHashMap<(Option<u32>, u32), Held> = FxHashMap::default();
    for unit in row.iter().filter_map(unit).filter(|unit| unit.piece != Piece::Forward) {
        open.entry(key(&unit)).or_default().pieces += 1;
    }
    let mut now = 0;
    row.iter()
        .map(|node| {
            let (Some(unit), Some(fragment)) = (unit(node), program.node(*node).fragment()) else {
                return now;
            };
            let of_unit = open.entry(key(&unit)).or_default();
            let taken = match fragment.recompute {
                Recompute::Clone { of } => {
                    let bytes = program.node(of).fragment().map_or(0, |fragment| fragment.bytes);
                    Some((of, bytes)).filter(|_| !of_unit.bytes.iter().any(|(node, _)| *node == of))
                }
                Recompute::Kept if unit.piece == Piece::Forward => Some((*node, fragment.bytes)),
                Recompute::Kept => None,
                Recompute::Dropped => return now + fragment.bytes,
            };
            now += taken.map_or(0, |(_, bytes)| bytes);
            of_unit.bytes.extend(taken);
            if unit.piece != Piece::Forward {
                of_unit.pieces -= 1;
            }
            let during = now;
            if of_unit.pieces == 0 {
                now -= of_unit.bytes.drain(..).map(|(_, bytes)| bytes).sum::<u64>();
            }
            during
        })
        .collect()
}

/// The mesh with the largest peak, and that peak.
pub(crate) fn worst(timing: &Timing) -> (MeshId, u64) {
    let peaks = timing.meshes.iter().enumerate();
    let worst = peaks.max_by_key(|(place, mesh)| (mesh.peak, std::cmp::Reverse(*place)));
    worst.map_or((MeshId(0), 0), |(place, mesh)| (MeshId(place as u32), mesh.peak))
}
