//! A machine that runs a schedule cycle by cycle, written from the definition alone.

use zpu_sched::fragment::{NodeId, NodeKind, Program, Schedule};

/// The start of each node, or nothing if the machine is stuck.
pub(crate) fn run(program: &Program, schedule: &Schedule) -> Option<Vec<u64>> {
    let count = program.nodes.len();
    let mut start: Vec<Option<u64>> = vec![None; count];
    let rows: Vec<&Vec<NodeId>> = schedule
        .order
        .iter()
        .chain(schedule.queues.iter().map(|queue| &queue.transfers))
        .collect();
    // By node, those that run right before it somewhere; nothing for what stands nowhere, and never runs.
    let mut before: Vec<Option<Vec<NodeId>>> = vec![None; count];
    for row in rows {
        for (place, node) in row.iter().enumerate() {
            let earlier = before[node.index()].get_or_insert_default();
            earlier.extend(place.checked_sub(1).map(|place| row[place]));
        }
    }
    let end = |start: &[Option<u64>], node: NodeId| start[node.index()].map(|at| at + program.node(node).cycles);
    let mesh = |id: NodeId| match &program.node(id).kind {
        NodeKind::Fragment(fragment) => Some(fragment.mesh),
        NodeKind::Transfer { .. } => None,
    };
    let most: u64 = program
        .nodes
        .iter()
        .map(|node| node.cycles + program.transfer_latency)
        .sum();
    for now in 0..=most {
        loop {
            let mut is_changed = false;
            for (at, node) in (0..count as u32).map(NodeId).enumerate() {
                let Some(earlier) = &before[at] else { continue };
                if start[at].is_some() {
                    continue;
                }
                let is_next = earlier
                    .iter()
                    .all(|other| end(&start, *other).is_some_and(|end| end <= now));
                let has_arrived = program.node(node).deps.iter().all(|dep| {
                    let is_near = match (mesh(*dep), mesh(node)) {
                        (Some(from), Some(to)) => from == to,
                        (from, _) => from.is_some(),
                    };
                    let latency = if is_near { 0 } else { program.transfer_latency };
                    end(&start, *dep).is_some_and(|end| end + latency <= now)
                });
                if is_next && has_arrived {
                    start[at] = Some(now);
                    is_changed = true;
                }
            }
            if !is_changed {
                break;
            }
        }
    }
    start.into_iter().collect()
}
