//! The order of the block as a schedule.

use super::problem::{MeshId, NodeId, NodeKind, Program};
use super::schedule::{Direction, Queue, Schedule};

impl Schedule {
    /// Meshes and links work in the incoming order of the block, without further control dependences.
    pub fn of_block(program: &Program) -> Schedule {
        let mut order = vec![Vec::new(); program.meshes.len()];
        let mut queues: Vec<Queue> = Vec::new();
        for (id, node) in program.ids() {
            match &node.kind {
                NodeKind::Fragment(fragment) => order[fragment.mesh.index()].push(id),
                NodeKind::Transfer { from, to } => enqueue(&mut queues, (*from, *to), id),
            }
        }
        Schedule {
            order,
            queues,
            control: Vec::new(),
        }
    }
}

fn enqueue(queues: &mut Vec<Queue>, (from, to): (MeshId, MeshId), id: NodeId) {
    for direction in [Direction::Send, Direction::Receive] {
        let is_it = |queue: &&mut Queue| (queue.from, queue.to, queue.direction) == (from, to, direction);
        match queues.iter_mut().find(is_it) {
            Some(queue) => queue.transfers.push(id),
            None => queues.push(Queue {
                from,
                to,
                direction,
                transfers: vec![id],
            }),
        }
    }
}
