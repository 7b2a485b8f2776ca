//! From stages to a legal order: the one place where a stage assignment becomes a sequential program.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::Graph;

/// An order of the kernel that is legal for `stage` and otherwise follows `key` (ties by source order): the place of
/// each operation. `None` if some dependence goes back to an earlier stage, or operations of one stage wait for each
/// other.
pub(crate) fn legal_order(graph: &Graph, stage: &[u32], key: &[i64]) -> Option<Vec<u32>> {
    let count = stage.len();
    let mut waits = vec![0u32; count];
    let mut then: Vec<Vec<usize>> = vec![vec![]; count];
    for arc in graph.arcs.iter().filter(|arc| arc.orders()) {
        let (from, to) = (i64::from(stage[arc.from]), i64::from(stage[arc.to]) + arc.distance);
        if from > to || (arc.from == arc.to && arc.distance == 0) {
            return None;
        }
        if from == to {
            waits[arc.to] += 1;
            then[arc.from].push(arc.to);
        }
    }
    let mut ready: BinaryHeap<Reverse<(i64, usize)>> = (0..count)
        .filter(|&op| waits[op] == 0)
        .map(|op| Reverse((key[op], op)))
        .collect();
    let mut order = vec![0; count];
    let mut placed = 0;
    while let Some(Reverse((_, op))) = ready.pop() {
        order[op] = placed;
        placed += 1;
        for &next in &then[op] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(Reverse((key[next], next)));
            }
        }
    }
    (placed as usize == count).then_some(order)
}

/// The operations by place, from the place of each operation.
pub(crate) fn sequence(order: &[u32]) -> Vec<usize> {
    let mut sequence = vec![0; order.len()];
    for (op, &place) in order.iter().enumerate() {
        sequence[place as usize] = op;
    }
    sequence
}
