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
    let end = |start: &[Option<u64>], node: NodeId| start[node.index()].map(|at| at + program.node(node).cycles);
    let most: u64 = program
        .nodes
        .iter()
        .map(|node| node.cycles + program.transfer_latency)
        .sum();
    for now in 0..=most {
        loop {
            let mut is_changed = false;
            for node in (0..count as u32)
                .map(NodeId)
                .filter(|node| rows.iter().any(|row| row.contains(node)))
            {
                if start[node.index()].is_some() {
                    continue;
                }
                // It is the next one everywhere, and what ran before it there has ended.
                let is_next = rows.iter().filter(|row| row.contains(&node)).all(|row| {
                    let before = row.iter().take_while(|other| **other != node);
                    before
                        .into_iter()
                        .all(|other| end(&start, *other).is_some_and(|end| end <= now))
                });
                let has_arrived = program.node(node).deps.iter().all(|dep| {
                    let mesh = |id: NodeId| match &program.node(id).kind {
                        NodeKind::Fragment(fragment) => Some(fragment.mesh),
                        NodeKind::Transfer { .. } => None,
                    };
                    let is_near = match (mesh(*dep), mesh(node)) {
                        (Some(from), Some(to)) => from == to,
                        (from, _) => from.is_some(),
                    };
                    let latency = if is_near { 0 } else { program.transfer_latency };
                    end(&start, *dep).is_some_and(|end| end + latency <= now)
                });
                if is_next && has_arrived {
                    start[node.index()] = Some(now);
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
